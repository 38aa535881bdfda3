/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A load that comes back in cycles: impulses of one cycle ago as a guess. */
/* ctest-labels: slow */
#include "nonsmooth/kit.h"

enum { STEPS = 20, CYCLES = 40 /* of the load; the last four are counted */ };

/* A bin of angular stones under a plate whose load comes and goes: more contacts than equilibrium
   needs. */
static void begin_bin(rig *w, const char *more)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "moraine: 1\nmethod: nonsmooth\ndimension: 2\nseed: 3\n"
        "nonsmooth: {tolerance: 1e-4, theta: 1, form: closing, max-iterations: 50000%s}\n"
        "materials: {m: {density: 2000 kg/m3}, slick: {density: 2000 kg/m3}}\n"
        "interactions:\n"
        "  - {between: any, law: rigid, friction: 0.6}\n"
        "  - {between: [slick, any], law: rigid, friction: 0}\n"
        "bodies:\n"
        "  - {name: stones, material: m, shape: {polygon: {random: {variants: 8}, diameter: 8 cm}},"
        " count: 30, place: {fill: {box: [[0, 0], [0.5, 0.8]]}}}\n"
        "  - {name: plate, material: m, shape: {polygon: {box: [0.48, 0.1]}}, hold: [x, rz],"
        " place: {list: [[0.25, 0.9]]}}\n"
        "walls:\n"
        "  - {name: floor, material: m, plane: {point: [0, 0], normal: [0, 1]}}\n"
        "  - {name: left, material: slick, plane: {point: [0, 0], normal: [1, 0]}}\n"
        "  - {name: right, material: slick, plane: {point: [0.5, 0], normal: [-1, 0]}}\n"
        "gravity: [0, -9.81]\n"
        "forces: [{group: plate, force: [0, {haversine: {min: 200, max: 20000, frequency: 20},"
        " scale: -1}]}]\n"
        "stages: [{name: load, at-most: 10 s}]\n",
        more);
    rig_begin(w, text, 0.05 / STEPS);
}

/* Sweeps of the last four of the cycles; all steps are solved. */
static double late_sweeps(const char *more)
{
    rig w;
    begin_bin(&w, more);
    rig_step(&w, (CYCLES - 4) * STEPS);
    double before = w.state.nonsmooth.sweeps;
    rig_step(&w, 4 * STEPS);
    double sweeps = w.state.nonsmooth.sweeps - before;
    assert_true(w.state.nonsmooth.unsolved == 0);
    assert_true(w.state.nonsmooth.worst_residual <= 1e-4 * (1 + 1e-9));
    rig_end(&w);
    return sweeps;
}

/* Once the stones have found how they bear the load, each step begins where the same step of the
   last cycle ended: what is left is mostly the sweeps that are made in any case, ten a step (2 442
   against 97 328 when this was written). A factor of ten is far from both; a guess from another
   phase has no part of it. */
static void fewer_sweeps(void **state)
{
    (void)state;
    double without = late_sweeps(""), with = late_sweeps(", cycle: 50 ms");
    double wrong = late_sweeps(", cycle: 32.5 ms"); /* another phase each time */
    print_message("sweeps of four cycles: %.0f, with cycle %.0f, a wrong one %.0f\n", without, with,
                  wrong);
    assert_true(with < 0.1 * without);
    assert_true(wrong > 0.5 * without);
}

/* What is remembered goes with a copy of the state: another engine goes on with the same bits. */
static void goes_with_the_state(void **state)
{
    (void)state;
    rig w;
    begin_bin(&w, ", cycle: 50 ms");
    rig_step(&w, 5 * STEPS + 7);
    mrn_state copy;
    ok(mrn_state_copy(&w.state, &copy, &w.msg), &w.msg);
    assert_true(mrn_state_hash(&copy) == mrn_state_hash(&w.state));
    mrn_nonsmooth *other;
    ok(mrn_nonsmooth_create(&w.scene, &copy, &other, &w.msg), &w.msg);
    rig_step(&w, 33);
    ok(mrn_nonsmooth_step(other, 33, &w.msg), &w.msg);
    assert_true(mrn_state_hash(&copy) == mrn_state_hash(&w.state));
    mrn_cycle_forget(&copy.memory); /* the hash knows of it */
    assert_true(mrn_state_hash(&copy) != mrn_state_hash(&w.state));
    mrn_nonsmooth_destroy(&other);
    mrn_state_destroy(&copy);
    rig_end(&w);
}

/* Another step, or no cycle any more: what was known is given up. */
static void another_cycle(void **state)
{
    (void)state;
    rig w;
    begin_bin(&w, ", cycle: 50 ms");
    rig_step(&w, 25);
    mrn_state_set_step(&w.state, 0.05 / 40);
    rig_step(&w, 1);
    assert_int_equal(w.state.memory.n_cycle, 40);
    int known = 0;
    for (int k = 0; k < 40; k++)
        known += w.state.memory.cycle[k].n > 0;
    assert_int_equal(known, 1);
    w.scene.nonsmooth.cycle = 0;
    rig_step(&w, 1);
    assert_int_equal(w.state.memory.n_cycle, 0);
    rig_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_sweeps),
        cmocka_unit_test(goes_with_the_state),
        cmocka_unit_test(another_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
