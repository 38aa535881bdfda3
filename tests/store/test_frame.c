/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames and headers: copies of what a state and a scene hold; files that are whole or not there.
 */
#include "store/files_helper.h"

#include <errno.h>
#include <fcntl.h>

static void fill_state(const mrn_scene *scene, mrn_state *s)
{
    mrn_message msg = {0};
    mrn_body_def d = mrn_body_default();
    d.flags = MRN_BODY_WALL;
    d.shape = 1;
    ok(mrn_body_add(s, &d, NULL, &msg), &msg);
    for (int i = 0; i < 5; i++) {
        d = mrn_body_default();
        d.x = mrn_v3(i, 0.5 * i, -i);
        d.v = mrn_v3(1, i, 2);
        d.radius = 0.1 + i;
        d.mass = d.inertia = 1;
        ok(mrn_body_add(s, &d, NULL, &msg), &msg);
    }
    s->time = 0.25;
    s->step = 77;
    s->cell_size[1] = scene->cell.size[1];
}

static void from_state(void **unused)
{
    (void)unused;
    mrn_scene scene = sample_scene();
    mrn_state s = {0};
    mrn_message msg = {0};
    fill_state(&scene, &s);
    mrn_frame with = sample_frame(1, 4, 3), f = {0};
    ok(mrn_frame_from_state(&scene, &s, &with.contacts, &f, &msg), &msg);
    assert_int_equal(f.n, 6);
    assert_int_equal(f.n_walls, 1);
    assert_true(f.time == 0.25 && f.step == 77);
    assert_true(f.periodic[1] && !f.periodic[0] && f.cell_size[1] == 2);
    SAME(f.x, s.body.x, 6, 3);
    SAME(f.v, s.body.v, 6, 3);
    SAME(f.radius, s.body.radius, 6, 1);
    SAME(f.id, s.body.id, 6, 1);
    assert_int_equal(f.flags[0], MRN_BODY_WALL);
    assert_int_equal(f.contacts.n, 3);
    SAME(f.contacts.branch, with.contacts.branch, 3, 3);
    mrn_frame_destroy(&f);
    mrn_frame_destroy(&f);
    ok(mrn_frame_from_state(&scene, &s, NULL, &f, &msg), &msg);
    assert_int_equal(f.contacts.n, 0);
    mrn_frame_destroy(&f);
    mrn_state empty = {0};
    ok(mrn_frame_from_state(&scene, &empty, NULL, &f, &msg), &msg);
    assert_int_equal(f.n, 0);
    mrn_frame_destroy(&f);
    mrn_frame_destroy(&with);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

/* Clusters are seen by their spheres: the bodies that carry them are left out, and contacts name
   those that are there. */
static void clusters_are_left_out(void **unused)
{
    (void)unused;
    mrn_scene scene = sample_scene();
    mrn_state s = {0};
    mrn_message msg = {0};
    fill_state(&scene, &s);
    s.body.flags[1] = s.body.flags[4] = MRN_BODY_CLUSTER;
    s.body.flags[2] = s.body.flags[3] = s.body.flags[5] = MRN_BODY_MEMBER;
    s.body.parent[2] = s.body.parent[3] = s.body.id[1], s.body.parent[5] = s.body.id[4];
    s.cell_tilt[0] = 0.25, s.cell_tilt[2] = -0.5;
    mrn_frame with = sample_frame(1, 4, 3), f = {0};
    int32_t c[] = {2, 5, 3}, a[] = {0, 2, 5}, c_there[] = {1, 3, 2}, a_there[] = {0, 1, 3};
    memcpy(with.contacts.c, c, sizeof c);
    memcpy(with.contacts.a, a, sizeof a);
    ok(mrn_frame_from_state(&scene, &s, &with.contacts, &f, &msg), &msg);
    assert_int_equal(f.n, 4);
    assert_int_equal(f.n_walls, 1);
    int32_t there[] = {0, 2, 3, 5};
    for (int k = 0; k < 4; k++) {
        SAME(f.x + 3 * k, s.body.x + 3 * there[k], 1, 3);
        assert_int_equal(f.id[k], s.body.id[there[k]]);
        assert_int_equal(f.parent[k], s.body.parent[there[k]]);
    }
    assert_int_equal(f.parent[0], -1);
    assert_int_equal(f.parent[3], s.body.id[4]);
    assert_memory_equal(f.contacts.c, c_there, sizeof c_there);
    assert_memory_equal(f.contacts.a, a_there, sizeof a_there);
    SAME(f.contacts.force, with.contacts.force, 3, 3);
    assert_memory_equal(f.cell_tilt, s.cell_tilt, sizeof f.cell_tilt);
    mrn_frame_destroy(&f);
    /* only of clusters: nothing to see but the wall */
    for (int k = 1; k < 6; k++)
        s.body.flags[k] = MRN_BODY_CLUSTER;
    ok(mrn_frame_from_state(&scene, &s, NULL, &f, &msg), &msg);
    assert_int_equal(f.n, 1);
    mrn_frame_destroy(&f);
    mrn_frame_destroy(&with);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

static void cast_from_scene(void **unused)
{
    (void)unused;
    mrn_scene scene = sample_scene();
    mrn_header c = {0};
    mrn_message msg = {0};
    ok(mrn_header_from_scene(&scene, 3.0, &c, &msg), &msg);
    assert_int_equal(c.dimension, 3);
    assert_string_equal(c.title, "by hand");
    assert_int_equal(c.n_walls, 1);
    assert_string_equal(c.wall_name[0], "floor");
    assert_string_equal(c.group_name[0], "beads");
    assert_string_equal(c.material_name[1], "steel");
    /* an infinite plane is cut at the extent, and no further than its corners */
    assert_true(c.wall[0].n_triangles >= 2);
    for (int i = 0; i < c.wall[0].n_points; i++)
        assert_true(mrn_norm(mrn_load3(c.wall[0].point + 3 * i)) <= 3.0 * sqrt(2) + 1e-12);
    mrn_header_destroy(&c);
    mrn_scene_destroy(&scene);
}

/* Every allocation fails once: an error each time, nothing left behind. */
static void no_memory(void **unused)
{
    (void)unused;
    mrn_scene scene = sample_scene();
    mrn_state s = {0};
    fill_state(&scene, &s);
    mrn_frame with = sample_frame(1, 4, 3);
    size_t before = mrn_bytes_in_use();
    int64_t k = 1;
    for (mrn_status st = MRN_ERR_MEMORY; st != MRN_OK; k++) {
        mrn_frame f = {0};
        mrn_header c = {0};
        mrn_alloc_fail_at(k);
        st = mrn_frame_from_state(&scene, &s, &with.contacts, &f, NULL);
        if (st == MRN_OK)
            st = mrn_header_from_scene(&scene, 1, &c, NULL);
        mrn_alloc_fail_at(0);
        assert_true(st == MRN_OK || st == MRN_ERR_MEMORY);
        mrn_frame_destroy(&f);
        mrn_header_destroy(&c);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_true(k > 20);
    mrn_frame_destroy(&with);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

static void atomic_files(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_atomic_file a;
    size_t size;
    const char *path = in_dir("note.txt");
    ok(mrn_atomic_open(path, &a, &msg), &msg);
    fprintf(a.f, "one");
    assert_int_not_equal(access(path, F_OK), 0); /* not there before it is whole */
    ok(mrn_atomic_commit(&a, &msg), &msg);
    ok(mrn_atomic_open(path, &a, &msg), &msg);
    fprintf(a.f, "two");
    mrn_atomic_abandon(&a);
    mrn_atomic_abandon(&a);
    char *text = slurp(path, &size);
    assert_string_equal(text, "one");
    free(text);
    no_parts(test_dir);
    assert_int_equal(mrn_atomic_open(in_dir("no/such/folder.txt"), &a, &msg), MRN_ERR_IO);
    assert_non_null(strstr(msg.text, "No such file"));
    assert_true(msg.hint[0] != '\0' && msg.file[0] != '\0');
    assert_int_not_equal(mrn_atomic_commit(&a, &msg), MRN_OK);
}

/* The reason is told, be it one of a write long before the end. */
static void full_devices(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_atomic_file a;
    for (int k = 0; k < 2; k++) {
        ok(mrn_atomic_open("/dev/full", &a, &msg), &msg);
        for (int i = 0; i < (k == 0 ? 1 : 100000); i++)
            fputs("x,y,z\n", a.f);
        assert_int_equal(mrn_atomic_commit(&a, &msg), MRN_ERR_IO);
        assert_non_null(strstr(msg.text, "No space left"));
    }
}

/* What is not a plain file is written to, not replaced: `--out /dev/null` must not cost the system
   its /dev/null. */
static void atomic_devices(void **unused)
{
    (void)unused;
    mrn_message msg = {0};
    mrn_atomic_file a;
    struct stat info;
    size_t size;
    /* a link: its target changes, the link stays */
    FILE *f = fopen(in_dir("target.txt"), "w");
    assert_non_null(f);
    fclose(f);
    assert_int_equal(symlink("target.txt", in_dir("link.txt")), 0);
    ok(mrn_atomic_open(in_dir("link.txt"), &a, &msg), &msg);
    fprintf(a.f, "new");
    ok(mrn_atomic_commit(&a, &msg), &msg);
    assert_true(lstat(in_dir("link.txt"), &info) == 0 && S_ISLNK(info.st_mode));
    char *text = slurp(in_dir("target.txt"), &size);
    assert_string_equal(text, "new");
    free(text);
    /* a pipe, opened for both so that neither end waits */
    assert_int_equal(mkfifo(in_dir("pipe"), 0600), 0);
    int fd = open(in_dir("pipe"), O_RDWR | O_NONBLOCK);
    assert_true(fd >= 0);
    ok(mrn_atomic_open(in_dir("pipe"), &a, &msg), &msg);
    fprintf(a.f, "three");
    ok(mrn_atomic_commit(&a, &msg), &msg);
    char got[8] = {0};
    assert_int_equal(read(fd, got, sizeof got), 5);
    assert_string_equal(got, "three");
    ok(mrn_atomic_open(in_dir("pipe"), &a, &msg), &msg);
    mrn_atomic_abandon(&a);
    close(fd);
    assert_true(lstat(in_dir("pipe"), &info) == 0 && S_ISFIFO(info.st_mode));
    no_parts(test_dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_state),
        cmocka_unit_test(clusters_are_left_out),
        cmocka_unit_test(cast_from_scene),
        cmocka_unit_test(no_memory),
        cmocka_unit_test_setup_teardown(atomic_files, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(atomic_devices, make_dir, remove_dir),
        cmocka_unit_test(full_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
