/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Crowds of mixed grains: energy, same bits for any number of threads, steps that are not solved,
   one scene under both methods. The runs are in rigid_piles.h. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include "nonsmooth/rigid_piles.h"

#define EXACT "tolerance: 1e-9, solver: hybrid"

/* The last of three balls that touch leaves the second at 0.1 m/s while the first comes in at 1
   m/s: Newton's law with e = 1 at both contacts keeps the energy. (-4, 11, 9.5)/15 by hand. */
static void test_leaving_contact(void **state)
{
    (void)state;
    words w = {0};
    fixture y;
    put_plain(&w, 3, "tolerance: 1e-14", "restitution: 1, friction: 0");
    put(&w, "gravity: [0, 0, 0]\nbodies: [{name: balls, material: m, shape: {sphere: {radius: 1 "
            "cm}}, place: {list: [{position: [-0.02, 0, 1], velocity: [1, 0, 0]}, {position: [0, "
            "0, 1]}, {position: [0.0199, 0, 1], velocity: [0.1, 0, 0]}]}}]\n");
    fixture_open(&y, w.text, 1e-3);
    double before = energies_of(&y).total;
    fixture_step(&y, 1);
    assert_true(fabs(v_of(&y, 0).x + 4.0 / 15) < 1e-12);
    assert_true(fabs(v_of(&y, 1).x - 11.0 / 15) < 1e-12);
    assert_true(fabs(v_of(&y, 2).x - 9.5 / 15) < 1e-12);
    for (int k = 0; k < 20; k++) {
        assert_true(fabs(energies_of(&y).total / before - 1) < 1e-12);
        fixture_step(&y, 1);
    }
    fixture_close(&y);
}

/* Flying in a box: the energy of no step is above that of the one before, by more than the solver's
   tolerance of 1e-9 makes of impulses times velocities. That holds without friction for any e that
   is the same everywhere, and with friction for e = 0. (Newton's law with friction and e > 0 may
   give energy in impacts that slide at an angle, Kane 1984; see the validation page.) All is booked
   to rounding. */
static void test_flying_energy(void **state)
{
    (void)state;
    const double law[4][2] = {{0, 0}, {0.5, 0}, {1, 0}, {0, 0.4}};
    for (int k = 0; k < 4; k++) {
        crowd c = {.e = law[k][0], .mu = law[k][1], .n = 45, .steps = 300, .h = 5e-4};
        crowd_run r = let_loose(&c, EXACT);
        assert_true(r.rise < 1e-8);
        assert_true(c.e == 1 ? r.lost < 0.01 : r.lost > 0.5);
        assert_true(r.residual < 1e-12 && r.unsolved == 0);
        assert_true(r.contacts > 0.5);
    }
}

/* On a floor: a contact that opens at the beginning of a step and is closed again by the weight in
   it may gain, all together at most (1 - e)/(1 + e) (g h)2/8 of the mass; beside it what the solver
   leaves, 1e-9 of some 1e5 m (g h)2. */
static void test_heavy_energy(void **state)
{
    (void)state;
    const double law[4][2] = {{0, 0}, {0.5, 0}, {1, 0}, {0, 0.4}};
    for (int k = 0; k < 4; k++) {
        crowd c = {law[k][0], law[k][1], true, 45, 300, 5e-4};
        crowd_run r = let_loose(&c, EXACT);
        assert_true(r.rise < 0.125 * (1 - c.e) / (1 + c.e) + 1e-3);
        assert_true(r.residual < 1e-12 && r.unsolved == 0);
    }
}

static void test_threads(void **state)
{
    (void)state;
    crowd c = {.e = 0.3, .mu = 0.5, .heavy = true, .n = 201, .steps = 150, .h = 1e-3};
    uint64_t one = crowd_bits(&c, "tolerance: 1e-3", 1);
    assert_true(crowd_bits(&c, "tolerance: 1e-3", 2) == one);
    assert_true(crowd_bits(&c, "tolerance: 1e-3", 3) == one);
}

/* ---- steps that are not solved ---- */

/* Eight cubes on each other and one sweep: far from solved. */
static void open_column(fixture *y, const char *unsolved)
{
    words w = {0};
    char options[128];
    snprintf(options, sizeof options, "tolerance: 1e-8, max-iterations: 1, unsolved: %s", unsolved);
    put_plain(&w, 3, options, "friction: 0.5");
    put(&w, "gravity: [0, 0, -10]\nbodies: [{name: boxes, material: m, shape: {polyhedron: {box: "
            "[10 cm, 10 cm, 10 cm]}}, orientation: [1, 0, 0, 0], place: {list: [");
    for (int k = 0; k < 8; k++)
        put(&w, "%s{position: [0, 0, %.17g]}", k > 0 ? ", " : "", 0.05 + 0.1 * k);
    put(&w, "]}}]\n");
    fixture_open(y, w.text, 1e-3);
}

static mrn_status count_problem(const mrn_problem *p, const double *r, const mrn_state *s,
                                void *user, mrn_message *msg)
{
    (void)r, (void)s, (void)msg;
    assert_true(p->n > 0);
    ++*(int *)user;
    return MRN_OK;
}

/* Goes on, and says how many; keeps as many problems as were asked for. */
static void test_go_on(void **state)
{
    (void)state;
    fixture y;
    int kept = 0;
    open_column(&y, "go-on");
    mrn_nonsmooth_keep_unsolved(y.engine, count_problem, &kept, 3);
    fixture_step(&y, 10);
    const mrn_nonsmooth_report *r = &y.state.nonsmooth;
    assert_true(r->solves == 10 && r->unsolved == 10 && r->halved == 0 && r->switched == 0);
    assert_true(r->sweeps == 10 && r->worst_residual > 1e-8 && kept == 3);
    assert_true(y.state.step == 10 && fabs(y.state.time - 0.01) < 1e-15);
    fixture_close(&y);
}

/* Where no half is solved either, a step is 1 + 2 + 4 + 8 + 16 problems, and 15 cuts. */
static void test_halve(void **state)
{
    (void)state;
    fixture y;
    open_column(&y, "halve");
    fixture_step(&y, 2);
    const mrn_nonsmooth_report *r = &y.state.nonsmooth;
    assert_true(r->solves == 62 && r->unsolved == 32 && r->halved == 30 && r->switched == 0);
    assert_true(y.state.step == 2 && fabs(y.state.time - 2e-3) < 1e-15);
    assert_true(fabs(r->last_h - 1e-3 / 16) < 1e-18);
    /* the top box sank no farther than free fall in 2 ms */
    double sunk = 0.75 - x_of(&y, 7).z;
    assert_true(sunk > -1e-6 && sunk < 0.5 * 10 * 2e-3 * 2e-3 * 1.1);
    fixture_close(&y);
}

static void test_switch(void **state)
{
    (void)state;
    fixture y;
    open_column(&y, "switch");
    fixture_step(&y, 10);
    const mrn_nonsmooth_report *r = &y.state.nonsmooth;
    assert_true(r->switched >= 1 && r->unsolved == 0 && r->halved == 0 && r->solves == 10);
    assert_true(r->worst_residual <= 1e-8);
    assert_true(fabs(x_of(&y, 7).z - 0.75) < 1e-9);
    fixture_close(&y);
}

/* The state is then the one before the step, and the run can go on from it. */
static void test_stop(void **state)
{
    (void)state;
    fixture y;
    open_column(&y, "stop");
    y.scene.nonsmooth.max_iterations = 100000;
    fixture_step(&y, 5);
    y.state.body.v[3 * fixture_grain(&y, 3)] += 0.1;
    y.scene.nonsmooth.max_iterations = 1;
    uint64_t before = bits_of(&y);
    mrn_status st = mrn_nonsmooth_step(y.engine, 1, &y.msg);
    assert_int_equal(st, MRN_NOT_CONVERGED);
    assert_true(strstr(y.msg.text, "step 5") != NULL);
    assert_true(bits_of(&y) == before);
    assert_true(y.state.step == 5 && fabs(y.state.time - 5e-3) < 1e-15);
    assert_true(y.state.nonsmooth.unsolved == 1);
    y.scene.nonsmooth.max_iterations = 100000;
    y.scene.nonsmooth.tolerance = 1e-3;
    fixture_step(&y, 5);
    assert_true(y.state.step == 10);
    fixture_close(&y);
}

/* One word changes the engine: grains come to rest at the same heights, but for the overlaps of
   soft ones (two of them above each other) and the slop of rigid ones, 1e-3 of the radius. */
static void test_two_methods(void **state)
{
    (void)state;
    two_methods t = settle_both();
    assert_true(t.overlap > 1e-6 && t.overlap < 1e-4);
    for (int k = 0; k < 5; k++)
        assert_true(fabs(t.smooth[k] - t.rigid[k]) < (k == 4 ? 2 : 1) * (t.overlap + 1e-5));
    assert_true(fabs(t.rigid[4] - 0.01 * (1 + sqrt(2))) < 2e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaving_contact), cmocka_unit_test(test_flying_energy),
        cmocka_unit_test(test_heavy_energy),    cmocka_unit_test(test_threads),
        cmocka_unit_test(test_go_on),           cmocka_unit_test(test_halve),
        cmocka_unit_test(test_switch),          cmocka_unit_test(test_stop),
        cmocka_unit_test(test_two_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
