/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Energies and the account, against numbers worked out by hand. */
#include "generate/kit.h"

/* Two grains of radius 0.1 (mass 1000 4/3 pi 1e-3) and 0.2 (eight times that), a wall and a fixed
 * grain. */
static const double mass = 1000 * 4.0 / 3 * MRN_PI * 1e-3;
static mrn_grain pair[2], rough[1];

static void two_grains(kit *k, mrn_state *s)
{
    kit_begin(k, 3);
    k->scene.gravity = mrn_v3(0, 0, -10);
    kit_plane(k, "floor", mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    pair[0] = (mrn_grain){.x = {0, 0, 1}, .v = {3, 0, 4}, .w = {0, 2, 0}, .radius = 0.1};
    pair[1] = (mrn_grain){.x = {1, 0, 2}, .v = {0, 1, 0}, .radius = 0.2};
    rough[0] = (mrn_grain){.x = {0, 5, 7}, .radius = 0.1};
    mrn_group *g = kit_group(k, "pair", 0.1);
    g->place = MRN_PLACE_LIST;
    g->n_grains = 2;
    g->grain = pair;
    g = kit_group(k, "rough", 0.1);
    g->place = MRN_PLACE_LIST;
    g->n_grains = 1;
    g->grain = rough;
    g->fixed = true;
    kit_build(k, s);
}

static void close_to(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-13 * fabs(expected)))
        fail_msg("%.17g, expected %.17g", value, expected);
}

static void energies_of_two_grains(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    two_grains(&k, &s);
    s.elastic = 0.25;
    mrn_energies e = mrn_measure_energies(&k.scene, &s);
    close_to(e.kinetic, 0.5 * mass * 25 + 0.5 * 8 * mass);
    close_to(e.rotational, 0.5 * 0.4 * mass * 0.01 * 4);
    close_to(e.gravity, mass * 10 * 1 + 8 * mass * 10 * 2); /* the fixed grain does not count */
    close_to(e.total, e.kinetic + e.rotational + e.gravity + 0.25);
    mrn_state_destroy(&s);
    kit_end(&k);
}

static void account(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    two_grains(&k, &s);
    s.ledger.lost_normal = 5;
    mrn_ledger_open(&k.scene, &s);
    assert_true(s.ledger.lost_normal == 0);
    assert_true(mrn_measure_energies(&k.scene, &s).residual == 0);
    /* 3 J are lost and 1 J is put in; the bodies have 2 J less: all is booked */
    s.ledger.lost_normal = 2;
    s.ledger.lost_tangential = 1;
    s.ledger.wall_work = 0.5;
    s.ledger.cell_work = 0.25;
    s.ledger.drive_work = 0.25;
    s.elastic -= 2;
    mrn_energies e = mrn_measure_energies(&k.scene, &s);
    close_to(e.dissipated, 3);
    close_to(e.input, 1);
    assert_true(fabs(e.residual) < 1e-12 * s.ledger.start); /* rounding of the total */
    s.elastic += 0.5;
    assert_true(fabs(mrn_measure_energies(&k.scene, &s).residual - 0.5) < 1e-12 * s.ledger.start);
    mrn_state_destroy(&s);
    kit_end(&k);
}

/* A grain that fell through the periodic floor once is one period lower. */
static void potential_is_unwrapped(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    mrn_grain one = {.x = {0, 0, 1}, .radius = 0.1};
    kit_begin(&k, 3);
    k.scene.gravity = mrn_v3(0, 0, -10);
    kit_periodic(&k, 2, 0, 4);
    mrn_group *g = kit_group(&k, "one", 0.1);
    g->place = MRN_PLACE_LIST;
    g->n_grains = 1;
    g->grain = &one;
    kit_build(&k, &s);
    double before = mrn_measure_energies(&k.scene, &s).gravity;
    s.body.image[2] = -1;
    close_to(mrn_measure_energies(&k.scene, &s).gravity, before - mass * 10 * 4);
    close_to(mrn_probe_value(&k.scene, &s, "mean-z"), 1 - 4);
    mrn_state_destroy(&s);
}

/* 300 000 grains: more parts than are summed at once. */
static void sums_do_not_depend_on_threads(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    kit_begin(&k, 2);
    k.scene.gravity = mrn_v3(0.3, -9.81, 0);
    mrn_group *g = kit_fill_box(&k, "grid", 0.005, mrn_v3(0, 0, 0), mrn_v3(6, 5, 0));
    g->place = MRN_PLACE_LATTICE;
    g->velocity_spread = 1;
    kit_build(&k, &s);
    assert_true(s.body.n > 299000);
    int before = mrn_threads();
    mrn_threads_set(1);
    mrn_energies one = mrn_measure_energies(&k.scene, &s);
    double speed = mrn_probe_value(&k.scene, &s, "max-speed");
    mrn_threads_set(3);
    mrn_energies three = mrn_measure_energies(&k.scene, &s);
    assert_true(speed == mrn_probe_value(&k.scene, &s, "max-speed"));
    mrn_threads_set(before);
    assert_memory_equal(&one, &three, sizeof one);
    /* mean of v^2/2 in two directions is 1, deviation of the mean 1/sqrt(n) */
    double m = s.body.mass[0];
    assert_true(fabs(one.kinetic / (m * s.body.n) - 1) < 4 / sqrt(s.body.n));
    mrn_state_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_of_two_grains),
        cmocka_unit_test(account),
        cmocka_unit_test(potential_is_unwrapped),
        cmocka_unit_test(sums_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
