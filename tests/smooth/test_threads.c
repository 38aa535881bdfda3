/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same bits: for any number of threads, twice in a row, from a copy, and from what a checkpoint
 * holds. */
/* ctest-labels: slow threads */
#include "world.h"
#include <stdlib.h>

typedef enum scene_kind { DRUM, PERIODIC, MIXTURE, SQUEEZED, SCENES } scene_kind;

static double uniform(mrn_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * mrn_rng_uniform(r);
}

/* Enough grains that every parallel loop of the engine runs with all its threads. */
static void make(world *w, scene_kind kind)
{
    world_begin(w, 3, kind == PERIODIC ? "linear" : "hertz-mindlin", 2500, 1e7, 0.25);
    if (kind == PERIODIC)
        world_law(w, "normal-stiffness", 2e3);
    world_law(w, "restitution", 0.6);
    world_law(w, "friction", 0.5);
    if (kind == MIXTURE) {
        world_second_material(w, 5000, 3e7, 0.3);
        w->scene.interaction[1].value[0].number = 0.3;
    }
    w->scene.gravity = mrn_v3(1, 0, -9.81);
    int side = 11;
    double a = 2.05e-3, box = side * a;
    if (kind == DRUM) {
        mrn_wall_def drum = mrn_wall_default("cylinder");
        mrn_motion turning = mrn_motion_steady(mrn_v3(0, 0, 0), mrn_v3(20, 0, 0));
        mrn_wall_set_vector(&drum, "from", mrn_v3(0, 0.5 * box, 0.5 * box), &w->msg);
        mrn_wall_set_vector(&drum, "to", mrn_v3(box, 0.5 * box, 0.5 * box), &w->msg);
        mrn_wall_set(&drum, "radius", 0.75 * box, &w->msg);
        world_wall(w, &drum);
        ok(mrn_scene_set_motion(&w->scene, "cylinder-1", &turning, &w->msg), &w->msg);
    } else {
        world_plane(w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
        w->scene.wall[0].material = w->scene.n_materials - 1;
        world_periodic(w, 0, 0, box), world_periodic(w, 1, 0, box);
    }
    if (kind == MIXTURE)
        w->state.body.material[0] = 1;
    if (kind == SQUEEZED) {
        w->scene.cell.control.target[0] = mrn_signal_constant(-100);
        w->scene.cell.control.target[1] = mrn_signal_constant(-60);
    }
    mrn_rng rng = mrn_rng_seed(4, 0);
    for (int k = 0; k < side * side * side; k++) {
        mrn_vec3 x = {(k % side + 0.5) * a, (k / side % side + 0.5) * a,
                      (k / side / side + 0.5) * a};
        mrn_vec3 v = {uniform(&rng, -0.5, 0.5), uniform(&rng, -0.5, 0.5), uniform(&rng, -0.5, 0.5)};
        world_grain(w, 1e-3 * uniform(&rng, 0.8, 1), x, v, mrn_scale(200, v));
        if (kind == MIXTURE && k % 3 == 0)
            w->state.body.material[w->state.body.n - 1] = 1;
    }
}

static uint64_t whole_hash(const mrn_state *s)
{
    uint64_t h = mrn_state_hash(s);
    h = mrn_hash(h, &s->ledger, sizeof s->ledger);
    h = mrn_hash(h, &s->elastic, sizeof s->elastic);
    return mrn_hash(h, &s->contacts, sizeof s->contacts);
}

static uint64_t run(scene_kind kind, int threads, int steps, int64_t *contacts)
{
    world w;
    mrn_threads_set(threads);
    make(&w, kind);
    world_start(&w, 5e-6);
    world_steps(&w, steps);
    *contacts = w.state.contacts;
    uint64_t h = whole_hash(&w.state);
    world_end(&w);
    mrn_threads_set(0);
    return h;
}

static void any_number_of_threads(void **state)
{
    (void)state;
    int threads[] = {1, 1, 2, 3, 8};
    for (int kind = 0; kind < SCENES; kind++) {
        int64_t contacts = 0;
        uint64_t first = run((scene_kind)kind, threads[0], 120, &contacts);
        assert_true(contacts > 200);
        for (int k = 1; k < 5; k++) {
            uint64_t now = run((scene_kind)kind, threads[k], 120, &contacts);
            if (now != first)
                fail_msg("scene %d: %d threads give other bits than 1", kind, threads[k]);
        }
    }
}

/* Steps may be asked for one by one or together. */
static void steps_in_any_portion(void **state)
{
    (void)state;
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        world w;
        make(&w, MIXTURE);
        world_start(&w, 5e-6);
        for (int n = 0; n < (k ? 60 : 1); n++)
            world_steps(&w, k ? 1 : 60);
        hash[k] = whole_hash(&w.state);
        world_end(&w);
    }
    assert_true(hash[0] == hash[1]);
}

/* A copy of the state goes on with the same bits, with an engine of its own, and leaves the
 * original alone. */
static void copy_goes_on(void **state)
{
    (void)state;
    for (int kind = 0; kind < SCENES; kind++) {
        world w;
        make(&w, (scene_kind)kind);
        world_start(&w, 5e-6);
        world_steps(&w, 100);
        mrn_state twin = {0};
        mrn_smooth *engine = NULL;
        ok(mrn_state_copy(&w.state, &twin, &w.msg), &w.msg);
        assert_true(whole_hash(&twin) == whole_hash(&w.state));
        ok(mrn_smooth_create(&w.scene, &twin, &engine, &w.msg), &w.msg);
        assert_true(whole_hash(&twin) == whole_hash(&w.state)); /* making an engine changes nothing
                                                                 */
        uint64_t before = whole_hash(&w.state);
        ok(mrn_smooth_step(engine, 100, &w.msg), &w.msg);
        assert_true(whole_hash(&w.state) == before);
        world_steps(&w, 100);
        assert_true(whole_hash(&twin) == whole_hash(&w.state));
        mrn_smooth_destroy(&engine);
        mrn_state_destroy(&twin);
        world_end(&w);
    }
}

/* What a checkpoint keeps: bodies, the list's skin and counters, and the history of pairs in touch
 * by id. From these the rest is made again. */
static void resume(const world *w, mrn_state *to, mrn_message *msg)
{
    ok(mrn_state_copy(&w->state, to, msg), msg);
    mrn_contacts named = {0};
    ok(mrn_contacts_name(&w->state, &named, msg), msg);
    mrn_contacts_destroy(&to->contact);
    to->contact = named;
    ok(mrn_pairs_build(&w->scene, to, true, msg), msg);
}

static void resumed_run(void **state)
{
    (void)state;
    for (int kind = 0; kind < SCENES; kind++)
        /* between two builds of the list; in the cell that shrinks also when the grid is cut
         * otherwise than at the last build */
        for (int at = kind == SQUEEZED ? 237 : 37; at < (kind == SQUEEZED ? 400 : 150); at += 83) {
            world w;
            make(&w, (scene_kind)kind);
            world_start(&w, 5e-6);
            world_steps(&w, at);
            mrn_state twin = {0};
            mrn_smooth *engine = NULL;
            resume(&w, &twin, &w.msg);
            ok(mrn_smooth_create(&w.scene, &twin, &engine, &w.msg), &w.msg);
            assert_true(mrn_state_hash(&twin) == mrn_state_hash(&w.state));
            int64_t builds = w.state.pair.builds;
            ok(mrn_smooth_step(engine, 100, &w.msg), &w.msg);
            world_steps(&w, 100);
            assert_true(w.state.pair.builds > builds);
            assert_int_equal(twin.pair.builds, w.state.pair.builds);
            assert_int_equal(twin.contacts, w.state.contacts);
            assert_true(mrn_state_hash(&twin) == mrn_state_hash(&w.state));
            mrn_smooth_destroy(&engine);
            mrn_state_destroy(&twin);
            world_end(&w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(steps_in_any_portion),
        cmocka_unit_test(copy_goes_on),
        cmocka_unit_test(resumed_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
