/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random fills: no overlap by brute force, all inside, as many as asked for; the same for a seed.
 */
/* ctest-labels: threads */
#include "generate/kit.h"

static void inside_box(const kit *k, const mrn_state *s, mrn_vec3 lo, mrn_vec3 hi)
{
    double a[3] = {lo.x, lo.y, lo.z}, b[3] = {hi.x, hi.y, hi.z};
    for (int i = s->body.n_walls; i < s->body.n; i++)
        for (int c = 0; c < 3; c++) {
            double x = s->body.x[3 * i + c], r = s->body.radius[i];
            if (c == 2 && k->scene.dimension == 2)
                assert_true(x == 0);
            else if (k->scene.cell.periodic[c])
                assert_true(x >= a[c] && x < b[c]);
            else
                assert_true(x - r >= a[c] && x + r <= b[c]);
        }
}

/* One box fill with everything that can be said of it. */
static void check_box(int dimension, int periodic_axes, double fraction, double r, double size)
{
    kit k;
    mrn_state s;
    kit_begin(&k, dimension);
    mrn_vec3 hi = mrn_v3(size, size, dimension == 3 ? size : 0);
    mrn_group *g = kit_fill_box(&k, "beads", r, mrn_v3(0, 0, 0), hi);
    g->solid_fraction = fraction;
    for (int c = 0; c < 3 && c < periodic_axes; c++)
        kit_periodic(&k, c, 0, size);
    kit_build(&k, &s);
    assert_true(kit_smallest_gap(&k, &s) >= 0);
    inside_box(&k, &s, mrn_v3(0, 0, 0), hi);
    /* as near as whole grains allow: half a grain */
    double all = dimension == 3 ? size * size * size : size * size;
    double one = s.body.mass[0] / 1000;
    assert_true(fabs(kit_volume(&s) - fraction * all) <= 0.5 * one * (1 + 1e-9));
    mrn_state_destroy(&s);
    kit_end(&k);
}

static void loose_fills_do_not_overlap(void **state)
{
    (void)state;
    check_box(3, 0, 0.2, 0.01, 0.2);
    check_box(3, 3, 0.3, 0.01, 0.2);
    check_box(2, 0, 0.45, 0.01, 0.6);
    check_box(2, 1, 0.4, 0.01, 0.5);
}

/* Beyond what random insertion reaches (0.38 in 3D, 0.55 in 2D). */
static void dense_fills_do_not_overlap(void **state)
{
    (void)state;
    check_box(3, 0, 0.5, 0.01, 0.15);
    check_box(3, 3, 0.6, 0.01, 0.15);
    check_box(3, 2, 0.55, 0.01, 0.12);
    check_box(2, 0, 0.78, 0.01, 0.4);
    check_box(2, 2, 0.8, 0.01, 0.4);
}

static void wide_sizes_do_not_overlap(void **state)
{
    (void)state;
    static double sieve[] = {1e-3, 4e-3, 20e-3}, passing[] = {0, 0.1, 1};
    for (int periodic = 0; periodic < 2; periodic++) {
        kit k;
        mrn_state s;
        kit_begin(&k, 3);
        mrn_group *g = kit_fill_box(&k, "gravel", 0, mrn_v3(0, 0, 0), mrn_v3(0.1, 0.1, 0.1));
        g->size = (mrn_size){
            .kind = MRN_SIZE_SIEVE, .n = 3, .sieve_radius = sieve, .sieve_passing = passing};
        g->count = 2000;
        for (int c = 0; c < 3 * periodic; c++)
            kit_periodic(&k, c, 0, 0.1);
        kit_build(&k, &s);
        assert_int_equal(s.body.n, 2000);
        assert_true(kit_smallest_gap(&k, &s) >= 0);
        inside_box(&k, &s, mrn_v3(0, 0, 0), mrn_v3(0.1, 0.1, 0.1));
        mrn_state_destroy(&s);
    }
}

/* Two sizes 1:20, dense enough that small grains must be pushed off the large ones. */
static void dense_two_sizes(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    kit_begin(&k, 2);
    mrn_vec3 hi = mrn_v3(0.3, 0.3, 0);
    mrn_group *large = kit_fill_box(&k, "large", 0.04, mrn_v3(0, 0, 0), hi);
    large->count = 6;
    mrn_group *small = kit_fill_box(&k, "small", 0.002, mrn_v3(0, 0, 0), hi);
    small->count = 1500;
    kit_build(&k, &s);
    assert_int_equal(s.body.n, 1506);
    assert_true(kit_smallest_gap(&k, &s) >= 0);
    mrn_state_destroy(&s);
}

/* A region that lies across the periodic face, in part: grains keep to it on both sides of the
 * face. */
static void region_across_the_face(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    kit_begin(&k, 2);
    kit_periodic(&k, 0, 0, 1);
    mrn_group *g = kit_fill_box(&k, "beads", 0.002, mrn_v3(-0.2, 0, 0), mrn_v3(0.2, 0.4, 0));
    g->count = 5000; /* several blocks */
    kit_build(&k, &s);
    for (int i = 0; i < s.body.n; i++) {
        double x = s.body.x[3 * i];
        assert_true(x >= 0 && x < 1);
        x -= x > 0.5 ? 1 : 0;
        assert_true(x - 0.002 >= -0.2 - 1e-15 && x + 0.002 <= 0.2 + 1e-15); /* rounding of the
                                                                               period */
    }
    assert_true(kit_smallest_gap(&k, &s) >= 0);
    mrn_state_destroy(&s);
}

static void round_regions_hold_all(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    kit_begin(&k, 3);
    mrn_group *g = kit_group(&k, "ball", 0.01);
    g->region = (mrn_region){.kind = MRN_REGION_SPHERE, .lo = {1, 2, 3}, .radius = 0.1};
    g->solid_fraction = 0.45;
    g = kit_group(&k, "drum", 0.01);
    g->region = (mrn_region){
        .kind = MRN_REGION_CYLINDER, .lo = {0, 0, 0}, .hi = {0.1, 0.1, 0.1}, .radius = 0.06};
    g->solid_fraction = 0.4;
    kit_build(&k, &s);
    assert_true(kit_smallest_gap(&k, &s) >= 0);
    for (int i = 0; i < s.body.n; i++) {
        mrn_vec3 x = mrn_load3(s.body.x + 3 * i);
        if (s.body.group[i] == 0) {
            assert_true(mrn_norm(mrn_sub(x, mrn_v3(1, 2, 3))) + 0.01 <= 0.1);
            continue;
        }
        double along = (x.x + x.y + x.z) / sqrt(3);
        double across = sqrt(fmax(mrn_dot(x, x) - along * along, 0));
        assert_true(along - 0.01 >= 0 && along + 0.01 <= 0.1 * sqrt(3));
        assert_true(across + 0.01 <= 0.06 + 1e-15); /* the last digit is lost in the square root */
    }
    mrn_state_destroy(&s);
}

static void disk_region(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    kit_begin(&k, 2);
    mrn_group *g = kit_group(&k, "heap", 0.01);
    g->region = (mrn_region){.kind = MRN_REGION_SPHERE, .lo = {1, 1, 0}, .radius = 0.2};
    g->solid_fraction = 0.7;
    kit_build(&k, &s);
    assert_true(kit_smallest_gap(&k, &s) >= 0);
    for (int i = 0; i < s.body.n; i++)
        assert_true(hypot(s.body.x[3 * i] - 1, s.body.x[3 * i + 1] - 1) + 0.01 <= 0.2);
    mrn_state_destroy(&s);
}

/* The region ends exactly at the walls: nothing overlaps, nothing is lost. */
static void walls_at_the_region(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    kit_begin(&k, 3);
    mrn_vec3 lo = {0.1, 0.2, 0.3}, hi = {0.22, 0.32, 0.42};
    kit_plane(&k, "floor", lo, mrn_v3(0, 0, 1));
    kit_plane(&k, "lid", hi, mrn_v3(0, 0, -1));
    kit_plane(&k, "left", lo, mrn_v3(1, 0, 0));
    kit_plane(&k, "right", hi, mrn_v3(-1, 0, 0));
    kit_plane(&k, "front", lo, mrn_v3(0, 1, 0));
    kit_plane(&k, "back", hi, mrn_v3(0, -1, 0));
    mrn_group *g = kit_fill_box(&k, "beads", 0.01, lo, hi);
    g->solid_fraction = 0.5;
    kit_build(&k, &s);
    assert_true(kit_smallest_gap(&k, &s) >= 0);
    assert_true(kit_smallest_wall_gap(&k, &s) >= -1e-12); /* rounding of the wall's own frame */
    assert_true(fabs(kit_volume(&s) / (0.12 * 0.12 * 0.12) - 0.5) < 0.5 * 4.19e-6 / 0.0017);
    mrn_state_destroy(&s);
    kit_end(&k);
}

/* A block stands in the region: grains go around it, pushed apart or not. */
static void walls_inside_the_region(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        kit k;
        mrn_state s;
        kit_begin(&k, 3);
        kit_values v = kit_type("box");
        mrn_value *corners = kit_value(&v, "corners");
        corners->a = mrn_v3(0.04, 0.04, 0);
        corners->b = mrn_v3(0.1, 0.1, 0.06);
        kit_value(&v, "inside")->flag = false;
        kit_wall(&k, "block", &v);
        mrn_group *g = kit_fill_box(&k, "beads", 0.007, mrn_v3(0, 0, 0), mrn_v3(0.14, 0.14, 0.14));
        g->solid_fraction = dense ? 0.4 : 0.15;
        kit_build(&k, &s);
        assert_true(kit_smallest_gap(&k, &s) >= 0);
        assert_true(kit_smallest_wall_gap(&k, &s) >= -1e-12);
        mrn_state_destroy(&s);
        kit_end(&k);
    }
}

static uint64_t hash_of(kit *k)
{
    mrn_state s;
    kit_build(k, &s);
    uint64_t h = mrn_state_hash(&s);
    mrn_state_destroy(&s);
    return h;
}

static void seed_decides(void **state)
{
    (void)state;
    for (int dense = 0; dense < 2; dense++) {
        kit k;
        kit_begin(&k, 3);
        mrn_group *g = kit_fill_box(&k, "beads", 0.01, mrn_v3(0, 0, 0), mrn_v3(0.1, 0.1, 0.1));
        g->solid_fraction = dense ? 0.42 : 0.2;
        g->velocity_spread = 1;
        uint64_t first = hash_of(&k);
        assert_true(hash_of(&k) == first);
        k.scene.seed++;
        assert_true(hash_of(&k) != first);
    }
}

/* More than 8192 grains, so that the threads are really used. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 2);
    mrn_group *g = kit_fill_box(&k, "beads", 0.01, mrn_v3(0, 0, 0), mrn_v3(2.2, 2.2, 0));
    g->count = 9000;
    int before = mrn_threads();
    mrn_threads_set(1);
    uint64_t one = hash_of(&k);
    mrn_threads_set(3);
    uint64_t three = hash_of(&k);
    mrn_threads_set(before);
    assert_true(one == three);
}

static void impossible(kit *k, const char *word)
{
    mrn_state s = {0};
    size_t bytes = mrn_bytes_in_use();
    assert_int_equal(mrn_world_build(&k->scene, &s, &k->msg), MRN_ERR_INPUT);
    assert_non_null(strstr(k->msg.text, "'beads'"));
    if (strstr(k->msg.text, word) == NULL)
        fail_msg("%s", k->msg.text);
    assert_true(k->msg.hint[0] != '\0' || k->msg.expected[0] != '\0');
    assert_int_equal(s.body.n, 0);
    assert_int_equal(mrn_bytes_in_use(), bytes);
}

static void impossible_requests_are_told(void **state)
{
    (void)state;
    kit k;
    kit_begin(&k, 3);
    mrn_group *g = kit_fill_box(&k, "beads", 0.01, mrn_v3(0, 0, 0), mrn_v3(0.08, 0.08, 0.08));
    impossible(&k, "how many");
    g->solid_fraction = 1.2;
    impossible(&k, "1.2");
    g->solid_fraction = 1e-9;
    impossible(&k, "half a grain");
    g->solid_fraction = 0;
    g->count = 95; /* 0.777: denser than a crystal */
    impossible(&k, "95 grains");
    g->count = 85; /* 0.695: not denser, but out of reach */
    impossible(&k, "85 grains");
    assert_non_null(strstr(k.msg.text, "reached"));
    g->size.mean = 0.05;
    impossible(&k, "does not fit");
    g->region.hi.x = -1;
    impossible(&k, "no volume");
    g->region.kind = MRN_REGION_SPHERE;
    impossible(&k, "no volume");
}

/* One grain in a box exactly as wide as it is. */
static void exact_fit(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    kit_begin(&k, 3);
    kit_plane(&k, "left", mrn_v3(0, 0, 0), mrn_v3(1, 0, 0));
    kit_plane(&k, "right", mrn_v3(0.02, 0, 0), mrn_v3(-1, 0, 0));
    mrn_group *g = kit_fill_box(&k, "beads", 0.01, mrn_v3(0, 0, 0), mrn_v3(0.02, 0.3, 0.3));
    g->count = 60;
    kit_build(&k, &s);
    assert_int_equal(s.body.n, 62);
    assert_true(kit_smallest_gap(&k, &s) >= 0);
    for (int i = 2; i < s.body.n; i++)
        assert_true(fabs(s.body.x[3 * i] - 0.01) < 1e-11);
    mrn_state_destroy(&s);
    kit_end(&k);
}

/* ---- somebody looks ---- */

typedef struct looker {
    int calls, end_at;
} looker;

static bool look(void *user, const char *what, double done)
{
    looker *l = user;
    assert_non_null(what);
    assert_true(isnan(done) || (done >= 0 && done <= 1));
    return ++l->calls == l->end_at;
}

/* Walls take all of the region: told so after one relaxation (four enlargements of some two hundred
   sweeps, somebody asked at every tenth) and not after sixteen. */
static void no_room_ends_soon(void **state)
{
    (void)state;
    kit k;
    looker l = {0};
    kit_begin(&k, 3);
    kit_plane(&k, "far", mrn_v3(0, 0, 3), mrn_v3(0, 0, 1));
    kit_fill_box(&k, "beads", 0.001, mrn_v3(0, 0, 0), mrn_v3(0.02, 0.02, 0.04))->count = 1000;
    mrn_long_work_set((mrn_long_work){.tell = look, .user = &l});
    impossible(&k, "walls leave no place");
    assert_true(l.calls > 10);
    assert_true(l.calls < 4 * 30 + 20);
    mrn_long_work_set((mrn_long_work){0});
    kit_end(&k);
}

/* Whenever it is asked to end it does, and leaves nothing behind. */
static void long_work_can_be_ended(void **state)
{
    (void)state;
    kit k;
    looker all = {0};
    mrn_state s = {0};
    kit_begin(&k, 2);
    kit_fill_box(&k, "disks", 0.001, mrn_v3(0, 0, 0), mrn_v3(0.05, 0.05, 0))->count = 600;
    mrn_long_work before = mrn_long_work_set((mrn_long_work){.tell = look, .user = &all});
    assert_null(before.tell);
    assert_int_equal(mrn_world_build(&k.scene, &s, &k.msg), MRN_OK);
    mrn_state_destroy(&s);
    assert_true(all.calls > 6);
    size_t bytes = mrn_bytes_in_use();
    for (int end = 1; end <= all.calls; end++) {
        looker l = {.end_at = end};
        mrn_long_work_set((mrn_long_work){.tell = look, .user = &l});
        assert_int_equal(mrn_world_build(&k.scene, &s, &k.msg), MRN_INTERRUPTED);
        assert_int_equal(l.calls, end);
        assert_non_null(strstr(k.msg.text, "stopped while"));
        assert_int_equal(mrn_bytes_in_use(), bytes);
    }
    mrn_long_work_set((mrn_long_work){0});
    kit_end(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loose_fills_do_not_overlap),
        cmocka_unit_test(dense_fills_do_not_overlap),
        cmocka_unit_test(wide_sizes_do_not_overlap),
        cmocka_unit_test(dense_two_sizes),
        cmocka_unit_test(region_across_the_face),
        cmocka_unit_test(round_regions_hold_all),
        cmocka_unit_test(disk_region),
        cmocka_unit_test(walls_at_the_region),
        cmocka_unit_test(walls_inside_the_region),
        cmocka_unit_test(seed_decides),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(impossible_requests_are_told),
        cmocka_unit_test(exact_fit),
        cmocka_unit_test(no_room_ends_soon),
        cmocka_unit_test(long_work_can_be_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
