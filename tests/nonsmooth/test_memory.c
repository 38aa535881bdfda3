/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The non-smooth engine when memory ends: every allocation of the first steps fails once, and the
   run goes on from there as if nothing had been. */
/* ctest-labels: slow */
#include "nonsmooth/kit.h"

/* Every kind of body in one box: polytopes of one part and of two, spheres, clusters, a joint, a
   spring to a wall that moves, sleep, projection, a periodic direction. Grains start near each
   other, so that contacts come and lists are built anew within a few steps. */
static const char *const box_3d =
    "moraine: 1\nmethod: nonsmooth\ngravity: [0, 0, -9.81]\nseed: 3\n"
    "nonsmooth: {tolerance: 1e-9, max-iterations: 1000, sleep: true, unsolved: %s}\n"
    "cell: {periodic: [x], size: [8 cm, 0, 0]}\n"
    "materials: {m: {density: 2500 kg/m3}}\n"
    "interactions: [{between: any, law: rigid, restitution: 0.2, friction: 0.4, "
    "rolling-friction: 0.01}]\n"
    "clusters: {peanut: {spheres: [[0, 0, 0, 1], [1.2, 0, 0, 0.8]], samples: 1000}}\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, "
    "motion: {shake: {amplitude: [0, 0, 5 mm], frequency: 20 Hz}}}]\n"
    "bodies:\n"
    "  - {name: bricks, shape: {polyhedron: {box: [2 cm, 1.6 cm, 1 cm]}}, "
    "velocity: [0, 0, -1 m/s], rotation: {axis: [1, 2, 3], angle: 0.2 rad}, "
    "place: {list: [[0, 0, 1 cm], [2.1 cm, 0, 1 cm], [7.9 cm, 2 cm, 1 cm], [0, 0, 2.1 cm]]}}\n"
    "  - {name: hooks, shape: {polyhedron: {diameter: 1.2 cm, parts: [{points: [[0, 0, 0], [3, 0, "
    "0], [3, 1, 0], [0, 1, 0], [0, 0, 1], [3, 0, 1], [3, 1, 1], [0, 1, 1]]}, {points: [[0, 0, 0], "
    "[1, 0, 0], [1, 3, 0], [0, 3, 0], [0, 0, 1], [1, 0, 1], [1, 3, 1], [0, 3, 1]]}]}}, "
    "place: {list: [[4 cm, 0, 2 cm], [4 cm, 0, 3.5 cm]]}}\n"
    "  - {name: balls, shape: {sphere: {radius: 6 mm}}, velocity: [2 m/s, 0, -1 m/s], "
    "place: {list: [[2 cm, 2 cm, 0.7 cm], [3.25 cm, 2 cm, 0.7 cm], [2.5 cm, 2 cm, 1.8 cm]]}}\n"
    "  - {name: nuts, shape: {cluster: {of: peanut, diameter: 1.2 cm}}, "
    "place: {list: [[6 cm, 0, 1.2 cm], [6 cm, 2 cm, 1.2 cm]]}}\n"
    "joints:\n"
    "  - {ball: {between: [bricks/0, bricks/3], point: [0, 0, 1.6 cm]}}\n"
    "  - {spring: {between: [floor, balls/1], from: [3.25 cm, 2 cm, 5 cm], to: [3.25 cm, 2 cm, 0.7 "
    "cm], stiffness: 50 N/m}}\n"
    "stages: [{name: run, at-most: 10 s}]\n";

enum { STEPS = 5 };
#define H 1e-3

/* The scene is read once; every try has its own world. */
static void begin(rig *w, const char *unsolved)
{
    char text[4096];
    snprintf(text, sizeof text, box_3d, unsolved);
    rig_begin(w, text, H);
}

static void again(rig *w)
{
    mrn_nonsmooth_destroy(&w->engine);
    mrn_state_destroy(&w->state);
    memset(&w->state, 0, sizeof w->state);
    ok(mrn_world_build(&w->scene, &w->state, &w->msg), &w->msg);
    mrn_state_set_step(&w->state, H);
    ok(mrn_nonsmooth_create(&w->scene, &w->state, &w->engine, &w->msg), &w->msg);
    mrn_ledger_open(&w->scene, &w->state);
}

/* Steps until the clock has made STEPS; allocation k counted from here fails. Returns whether it
   did. */
static bool go(rig *w, int64_t k)
{
    bool failed = false;
    mrn_alloc_fail_at(k);
    while (w->state.step < STEPS) {
        mrn_status st = mrn_nonsmooth_step(w->engine, 1, &w->msg);
        if (st == MRN_ERR_MEMORY && !failed)
            failed = true;
        else
            ok(st, &w->msg);
    }
    mrn_alloc_fail_at(0);
    return failed;
}

static double farthest(const rig *w, const mrn_vec3 *x)
{
    double most = 0;
    for (int32_t k = 0; k < w->state.body.n - w->state.body.n_walls; k++)
        most = fmax(most,
                    mrn_norm(mrn_sub(mrn_unwrapped(&w->scene, &w->state, rig_grain(w, k)), x[k])));
    return most;
}

/* A step that fails is taken back whole: what is made in its stead gives the same motion, but for
   the order of contacts when the list is built anew (impulses to 1e-9 of the largest velocity, of
   some m/s, over 5 ms), and the account still closes. */
static void test_steps(void **state)
{
    (void)state;
    rig w;
    mrn_vec3 x[32];
    size_t before = mrn_bytes_in_use();
    begin(&w, "go-on");
    assert_false(go(&w, 0));
    assert_true(w.state.ledger.lost_normal > 0); /* there were impacts */
    for (int32_t i = 0; i < w.state.body.n - w.state.body.n_walls; i++)
        x[i] = mrn_unwrapped(&w.scene, &w.state, rig_grain(&w, i));
    int64_t k = 1;
    for (bool failed = true; failed; k++) {
        again(&w);
        failed = go(&w, k);
        double all = fabs(mrn_measure_energies(&w.scene, &w.state).total);
        assert_true(fabs(rig_residual(&w)) < 1e-12 * (all + fabs(w.state.ledger.wall_work)));
        assert_true(farthest(&w, x) < 1e-10);
    }
    rig_end(&w);
    assert_int_equal(mrn_bytes_in_use(), before);
    assert_true(k > 40); /* else nothing was tried */
}

/* With steps that are cut: those that fail half-way leave a state from which it goes on. */
static void test_halves(void **state)
{
    (void)state;
    rig w;
    bool failed = true;
    size_t before = mrn_bytes_in_use();
    begin(&w, "halve");
    w.scene.nonsmooth.tolerance = 1e-9;
    w.scene.nonsmooth.max_iterations = 5;
    for (int64_t k = 1; failed; k++) {
        again(&w);
        failed = go(&w, k);
        assert_true(isfinite(mrn_measure_energies(&w.scene, &w.state).total));
    }
    assert_true(w.state.nonsmooth.halved > 0);
    rig_end(&w);
    assert_int_equal(mrn_bytes_in_use(), before);
}

/* The engine itself: made whole or not at all. */
static void test_create(void **state)
{
    (void)state;
    rig w;
    mrn_status st = MRN_ERR_MEMORY;
    size_t before = mrn_bytes_in_use();
    begin(&w, "switch");
    for (int64_t k = 1; st == MRN_ERR_MEMORY; k++) {
        again(&w);
        mrn_nonsmooth_destroy(&w.engine);
        mrn_alloc_fail_at(k);
        st = mrn_nonsmooth_create(&w.scene, &w.state, &w.engine, &w.msg);
        mrn_alloc_fail_at(0);
        assert_true(st == MRN_OK || w.engine == NULL);
    }
    ok(st, &w.msg);
    rig_end(&w);
    assert_int_equal(mrn_bytes_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_create),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
