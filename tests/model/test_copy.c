/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of scenes: the structs are walked for a pointer that original and copy share, copies live
   on when the original is gone and give the same bits, a lack of memory leaves nothing behind, and
   a run leaves its scene as it was. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <string.h>

#include "engine/fingerprint.h"
#include "moraine/moraine.h"

static const char *const names[] = {
    "beads-in-box", "clusters-2d", "clusters", "control-2d", "control", "corners-2d", "corners",
    "disks-2d",     "drives",      "laws",     "mixture",    "places",  "polygons",   "polyhedra",
    "quasistatic",  "sizes",       "stages",   "switch",     "walls"};
#define NAMES ((int)(sizeof names / sizeof *names))

static void ok(mrn_status s, const mrn_message *msg)
{
    if (s < 0)
        fail_msg("%s", msg->text);
}

static void read_scene(const char *name, mrn_scene *s)
{
    char path[512];
    mrn_message msg = {0};
    snprintf(path, sizeof path, MRN_TEST_SOURCE "/tests/scenes/good/%s.yaml", name);
    ok(mrn_scene_read(path, NULL, 0, s, &msg), &msg);
}

/* ---- a walk through the structs ---- */

/* Ends of the program's own constants: laws, shape types and texts are pointed to by everybody. */
extern char __executable_start, end;

/* What comes from mrn_alloc is aligned to 64 bytes and high up in memory; numbers of a scene,
   single or two ints side by side, never look so. */
static bool is_allocated(uint64_t w)
{
    bool constant = w >= (uintptr_t)&__executable_start && w < (uintptr_t)&end;
    return w % 64 == 0 && w >> 40 != 0 && w >> 47 == 0 && !constant;
}

/* Words of two structs that are the same pointer to allocated memory. */
static int shared(const void *a, const void *b, size_t bytes)
{
    int n = 0;
    for (size_t k = 0; k + 8 <= bytes; k += 8) {
        uint64_t p, q;
        memcpy(&p, (const char *)a + k, 8);
        memcpy(&q, (const char *)b + k, 8);
        n += p == q && is_allocated(p);
    }
    return n;
}

#define WALK(list, count)                                                                          \
    do {                                                                                           \
        assert_int_equal(a->count, b->count);                                                      \
        assert_true((a->list == NULL) == (b->list == NULL));                                       \
        for (int i_ = 0; a->list != NULL && i_ < a->count; i_++)                                   \
            n += shared(&a->list[i_], &b->list[i_], sizeof a->list[i_]);                           \
    } while (0)

static int shared_in_stage(const mrn_stage *a, const mrn_stage *b)
{
    int n = 0;
    WALK(force, n_forces);
    WALK(interaction, n_interactions);
    WALK(motion, n_motions);
    return n;
}

static int shared_in_polytope(const mrn_polytope *a, const mrn_polytope *b)
{
    int n = 0;
    WALK(part, n_parts);
    return n;
}

static int shared_in_scene(const mrn_scene *a, const mrn_scene *b)
{
    int n = shared(a, b, sizeof *a);
    WALK(material, n_materials);
    WALK(interaction, n_interactions);
    WALK(wall, n_walls);
    WALK(group, n_groups);
    WALK(stage, n_stages);
    WALK(cluster, n_clusters);
    WALK(force, n_forces);
    WALK(outlet, n_outlets);
    WALK(polytope, n_polytopes);
    WALK(joint, n_joints);
    for (int i = 0; i < a->n_stages; i++)
        n += shared_in_stage(&a->stage[i], &b->stage[i]);
    for (int i = 0; i < a->n_polytopes; i++)
        n += shared_in_polytope(&a->polytope[i], &b->polytope[i]);
    for (int i = 0; i < a->n_shapes; i++) /* a mesh may be shared: it has a count of its owners */
        assert_ptr_equal(a->shape[i].mesh, b->shape[i].mesh);
    return n;
}

static void copies_share_nothing(void **unused)
{
    (void)unused;
    for (int k = 0; k < NAMES; k++) {
        mrn_scene a, b;
        read_scene(names[k], &a);
        assert_int_equal(mrn_scene_copy(&a, &b, NULL), MRN_OK);
        if (shared_in_scene(&a, &b) != 0)
            fail_msg("%s: original and copy share memory", names[k]);
        b.material[0].density = -1; /* the other is not touched */
        assert_true(a.material[0].density > 0);
        mrn_scene_destroy(&b);
        b = a; /* and the walk sees what it is to see */
        assert_true(shared_in_scene(&a, &b) > 5);
        mrn_scene_destroy(&a);
    }
}

static void add_print(void *context, const char *name, const char *words, uint64_t value,
                      uint64_t usual)
{
    uint64_t *h = context;
    (void)words, (void)usual;
    *h = mrn_hash(mrn_hash(*h, name, strlen(name)), &value, sizeof value);
}

/* All that a scene says, in one number. */
static uint64_t print_of(const mrn_scene *s)
{
    uint64_t h = MRN_HASH_START;
    mrn_fingerprint(s, 0, add_print, &h);
    return h;
}

static uint64_t hash_of_run(const mrn_scene *s)
{
    mrn_message msg = {0};
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    opt.max_steps = 20;
    ok(mrn_run(s, &opt, &r, &msg), &msg);
    return r.hash;
}

/* The original is gone when the copy is used: an address sanitizer sees every pointer left behind.
   The scene that ran is as it was: it says the same, and runs again to the same bits. */
static void a_copy_lives_on(void **unused)
{
    (void)unused;
    size_t before = mrn_bytes_in_use();
    for (int k = 0; k < NAMES; k++) {
        mrn_scene a, b, c;
        read_scene(names[k], &a);
        uint64_t print = print_of(&a), hash = hash_of_run(&a);
        assert_int_equal(mrn_scene_copy(&a, &b, NULL), MRN_OK);
        mrn_scene_destroy(&a);
        assert_int_equal(mrn_scene_copy(&b, &c, NULL), MRN_OK);
        mrn_scene_destroy(&b);
        assert_true(print == print_of(&c));
        assert_true(hash == hash_of_run(&c));
        assert_true(print == print_of(&c));
        assert_true(hash == hash_of_run(&c));
        mrn_scene_destroy(&c);
    }
    assert_int_equal(mrn_bytes_in_use(), before);
}

static void the_kth_allocation_fails_for_every_k(void **unused)
{
    (void)unused;
    static const int rich[] = {2, 6, 8, 12, 13, 15, 16, 18};
    for (size_t i = 0; i < sizeof rich / sizeof *rich; i++) {
        mrn_scene a, b;
        mrn_message msg = {0};
        read_scene(names[rich[i]], &a);
        size_t before = mrn_bytes_in_use();
        mrn_status st = MRN_ERR_MEMORY;
        for (int64_t k = 1; st != MRN_OK; k++) {
            mrn_alloc_fail_at(k);
            st = mrn_scene_copy(&a, &b, &msg);
            mrn_alloc_fail_at(0);
            assert_true(st == MRN_OK || (st == MRN_ERR_MEMORY && msg.status == st));
            if (st != MRN_OK) {
                assert_null(b.material);
                assert_int_equal(b.n_walls, 0);
            } else {
                assert_true(k > 10);
            }
            mrn_scene_destroy(&b);
            assert_int_equal(mrn_bytes_in_use(), before);
        }
        mrn_scene_destroy(&a);
    }
}

/* A scene that stays empty, and one that no law was prepared for. */
static void unprepared_scenes_are_copied_too(void **unused)
{
    (void)unused;
    mrn_scene a = mrn_scene_default(), b;
    assert_int_equal(mrn_scene_copy(&a, &b, NULL), MRN_OK);
    assert_memory_equal(&a, &b, sizeof a);
    mrn_scene_destroy(&b);
    read_scene("beads-in-box", &a);
    uint64_t hash = hash_of_run(&a);
    mrn_free(a.pair_of);
    a.pair_of = NULL;
    assert_true(hash == hash_of_run(&a)); /* mrn_run prepares what is not */
    assert_null(a.pair_of);
    mrn_scene_destroy(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_share_nothing),
        cmocka_unit_test(a_copy_lives_on),
        cmocka_unit_test(the_kth_allocation_fails_for_every_k),
        cmocka_unit_test(unprepared_scenes_are_copied_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
