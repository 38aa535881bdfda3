/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Energies and the account, against numbers worked out by hand. */
/* ctest-labels: threads */
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
    mrn_store3(s->gravity, k->scene.gravity);
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
    s.ledger.lost_damping = 5;
    mrn_ledger_open(&k.scene, &s);
    assert_true(s.ledger.lost_normal == 0 && s.ledger.lost_damping == 0);
    assert_true(mrn_measure_energies(&k.scene, &s).residual == 0);
    /* 3 J are lost and 1 J is put in; the bodies have 2 J less: all is booked */
    s.ledger.lost_normal = 1.5;
    s.ledger.lost_tangential = 1;
    s.ledger.lost_damping = 0.5;
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
    mrn_store3(s.gravity, k.scene.gravity);
    double before = mrn_measure_energies(&k.scene, &s).gravity;
    s.body.image[2] = -1;
    close_to(mrn_measure_energies(&k.scene, &s).gravity, before - mass * 10 * 4);
    close_to(mrn_probe_value(&k.scene, &s, "mean-z"), 1 - 4);
    mrn_state_destroy(&s);
}

/* In a cell sheared by `tilt` the image above stands further along: one row up is one tilt along.
 */
static void potential_in_a_sheared_cell(void **state)
{
    (void)state;
    kit k;
    mrn_state s;
    mrn_grain one = {.x = {1, 1, 1}, .radius = 0.1};
    kit_begin(&k, 3);
    kit_periodic(&k, 0, 0, 4);
    kit_periodic(&k, 2, 0, 4);
    mrn_group *g = kit_group(&k, "one", 0.1);
    g->place = MRN_PLACE_LIST;
    g->n_grains = 1;
    g->grain = &one;
    kit_build(&k, &s);
    s.gravity[0] = -10;
    s.cell_tilt[1] = 0.5; /* xz */
    double before = mrn_measure_energies(&k.scene, &s).gravity;
    s.body.image[2] = 2;
    close_to(mrn_measure_energies(&k.scene, &s).gravity, before + mass * 10 * 1);
    mrn_state_destroy(&s);
}

/* A cluster that turns has its principal moments, in its own frame; its spheres have nothing. */
static void cluster_turns(void **state)
{
    (void)state;
    kit k;
    mrn_state s = {0};
    kit_begin(&k, 3);
    mrn_cluster shape = {.inertia = {0.1, 0.2, 0.5}};
    k.scene.cluster = &shape;
    k.scene.n_clusters = 1;
    kit_group(&k, "rods", 0.1);
    mrn_body_def d = mrn_body_default();
    d.mass = 3, d.radius = 2, d.inertia = 100, d.flags = MRN_BODY_CLUSTER;
    d.q = mrn_quat_from_rotation(mrn_v3(0, 0, MRN_PI / 2)); /* its x is the world's y */
    d.w = mrn_v3(1, 4, 2);
    assert_int_equal(mrn_body_add(&s, &d, NULL, &k.msg), MRN_OK);
    d.flags = MRN_BODY_MEMBER, d.v = mrn_v3(1, 1, 1), d.parent = 0;
    assert_int_equal(mrn_body_add(&s, &d, NULL, &k.msg), MRN_OK);
    mrn_energies e = mrn_measure_energies(&k.scene, &s);
    double moment = 3 * 4;
    close_to(e.rotational, 0.5 * moment * (0.1 * 16 + 0.2 * 1 + 0.5 * 4));
    assert_true(e.kinetic == 0);
    close_to(mrn_probe_value(&k.scene, &s, "angular-momentum-y"), moment * 0.1 * 4);
    close_to(mrn_probe_value(&k.scene, &s, "angular-momentum-x"), moment * 0.2 * 1);
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
    mrn_store3(s.gravity, k.scene.gravity);
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
        cmocka_unit_test(energies_of_two_grains), cmocka_unit_test(account),
        cmocka_unit_test(potential_is_unwrapped), cmocka_unit_test(potential_in_a_sheared_cell),
        cmocka_unit_test(cluster_turns),          cmocka_unit_test(sums_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
