/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ctest-labels: order */
/* ctest-timeout: 300 */
/* Order by identity: where bodies stand in memory, how many threads work, when the neighbour list
   was built and how far it reaches is read by nothing that ends in the state. Scenes of every
   method end in the same hash after their bodies were shuffled in memory, at the start and under
   way. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/moraine.h"
#include "run/scenes_of_methods.h"

/* ---- running ---- */

/* What must not show. */
typedef struct ways {
    int threads;
    bool at_start, under_way; /* bodies shuffled in memory */
    double skin;              /* the first list reaches so many times as far; 0: as it does */
    int builds;               /* bodies are sorted in space at other builds of the list */
} ways;

static void need(mrn_status st, const mrn_message *msg)
{
    if (st != MRN_OK)
        fail_msg("%s", msg->text);
}

static void shuffle(const mrn_scene *scene, mrn_state *s, uint64_t seed, mrn_message *msg)
{
    int32_t n = s->body.n, walls = s->body.n_walls;
    int32_t *perm = malloc(sizeof *perm * (size_t)n);
    mrn_rng r = mrn_rng_seed(seed, 0);
    for (int32_t k = 0; k < n; k++)
        perm[k] = k;
    for (int32_t k = n - 1; k > walls; k--) {
        int32_t m = walls + (int32_t)((double)(k + 1 - walls) * mrn_rng_uniform(&r));
        int32_t t = perm[k];
        perm[k] = perm[m], perm[m] = t;
    }
    need(mrn_bodies_permute(s, perm, msg), msg);
    if (s->pair.builds > 0)
        need(mrn_pairs_build(scene, s, true, msg), msg);
    free(perm);
}

/* Ends the engine and makes it anew, as after a checkpoint; the bodies shuffled in between. */
static void change_engine(mrn_scene *scene, mrn_state *s, mrn_engine *e, bool shuffled,
                          mrn_message *msg)
{
    mrn_engine_destroy(e);
    if (shuffled)
        shuffle(scene, s, 11, msg);
    need(mrn_engine_create(scene, s, NULL, e, msg), msg);
}

static uint64_t run(const scene_case *c, ways w)
{
    mrn_scene scene;
    mrn_state s = {0};
    mrn_engine e = {0};
    mrn_message msg = {0};
    mrn_threads_set(w.threads);
    need(mrn_scene_read_text(c->text, c->name, NULL, 0, &scene, &msg), &msg);
    need(mrn_world_build(&scene, &s, &msg), &msg);
    s.h = s.stage_h = c->h > 0 ? c->h : mrn_engine_step_limit(&scene, &s).advised;
    if (w.at_start)
        shuffle(&scene, &s, 7, &msg);
    s.pair.builds = w.builds;
    if (w.skin > 0) {
        s.pair.builds = w.builds > 0 ? w.builds : 1;
        s.pair.skin = w.skin * mrn_pairs_default_skin(&s);
    }
    need(mrn_engine_create(&scene, &s, NULL, &e, &msg), &msg);
    need(mrn_engine_step(&e, c->steps / 2, &msg), &msg);
    change_engine(&scene, &s, &e, w.under_way, &msg);
    need(mrn_engine_step(&e, c->steps - c->steps / 2, &msg), &msg);
    if (s.contacts <= 20 && s.event.collisions <= 1000) /* hard spheres touch at instants alone */
        fail_msg("%s: %lld contacts only", c->name, (long long)s.contacts);
    if (scene.nonsmooth.sleep)
        assert_true(s.nonsmooth.asleep > 0);
    uint64_t h = mrn_state_hash(&s);
    mrn_engine_destroy(&e);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
    mrn_threads_set(0);
    return h;
}

static void same_hash(void **state)
{
    (void)state;
    const ways other[] = {{.threads = 1, .at_start = true},
                          {.threads = 2, .under_way = true},
                          {.threads = 3, .at_start = true, .under_way = true, .builds = 7},
                          {.threads = 8},
                          {.threads = 1, .skin = 2}};
    int bad = 0;
    for (int k = 0; k < CASES; k++) {
        uint64_t first = run(&CASE[k], (ways){.threads = 1});
        for (size_t m = 0; m < sizeof other / sizeof *other; m++) {
            if (run(&CASE[k], other[m]) != first) {
                print_error("%s: way %d gives other bits\n", CASE[k].name, (int)m);
                bad++;
            }
        }
    }
    assert_int_equal(bad, 0);
}

/* What contacts remember is part of the state, and of its hash: one bit of a spring shows, a slot
   that holds no contact does not; named as in a checkpoint the network has the hash of its slots.
 */
static void history_is_hashed(void **state)
{
    (void)state;
    mrn_scene scene;
    mrn_state s = {0};
    mrn_engine e = {0};
    mrn_message msg = {0};
    need(mrn_scene_read_text(CASE[0].text, CASE[0].name, NULL, 0, &scene, &msg), &msg);
    need(mrn_world_build(&scene, &s, &msg), &msg);
    s.h = s.stage_h = mrn_engine_step_limit(&scene, &s).advised;
    need(mrn_engine_create(&scene, &s, NULL, &e, &msg), &msg);
    need(mrn_engine_step(&e, 2000, &msg), &msg);
    uint64_t before = mrn_state_hash(&s), slots = mrn_state_contacts_hash(1, &s);
    int alive = 0, empty = 0;
    for (int64_t k = 0; k < s.contact.n; k++) {
        double *spring = s.contact.history + k * s.contact.history_width, was = *spring;
        bool is = mrn_contact_alive(&s.contact, k);
        *spring = nextafter(was, 1);
        assert_true((mrn_state_hash(&s) != before) == is);
        *spring = was;
        alive += is, empty += !is;
    }
    assert_true(alive > 20 && empty > 20);
    mrn_contacts named = {0};
    need(mrn_contacts_name(&s, &named, &msg), &msg);
    assert_true(mrn_contacts_hash(1, &named) == slots);
    mrn_contacts_destroy(&named);
    mrn_engine_destroy(&e);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_hash),
                                       cmocka_unit_test(history_is_hashed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
