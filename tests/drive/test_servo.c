/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What servos of walls and cell share, by hand: the speed and its bounds, what is learnt, the
   stiffness of one contact, and what counts as a flow. */
#include "drive/servo.h"
#include "world.h"

/* In proportion to what the load lacks, either way, up to the bound; on at the bound where nothing
   is met yet, and never back. */
static void speed(void **state)
{
    (void)state;
    mrn_servo v = {.error = 3, .resistance = 2, .bound = 10};
    assert_close(mrn_servo_speed(&v, NULL), 1.5, 1e-15);
    v.error = -3;
    assert_close(mrn_servo_speed(&v, NULL), -1.5, 1e-15);
    v.error = 300;
    assert_true(mrn_servo_speed(&v, NULL) == 10);
    v.error = -300; /* far too much load: back, and not on */
    assert_true(mrn_servo_speed(&v, NULL) == -10);
    v.resistance = 0, v.error = 1;
    assert_true(mrn_servo_speed(&v, NULL) == 10);
    v.error = -1;
    assert_true(mrn_servo_speed(&v, NULL) == 0);
}

/* A part of the answer is taken up, but for one at the bound. */
static void learning(void **state)
{
    (void)state;
    mrn_servo v = {.error = 4, .resistance = 2, .bound = 10, .learn = 0.25};
    double follow = 1;
    assert_close(mrn_servo_speed(&v, &follow), 3, 1e-15);
    assert_close(follow, 1.5, 1e-15);
    v.error = -400;
    assert_true(mrn_servo_speed(&v, &follow) == -10);
    assert_close(follow, 1.5, 1e-15);
}

/* Dashpots of a linear law go with the root of the mass that is felt: of one grain where the other
   does not move, whichever of the two it is. */
static void mass_that_is_felt(void **state)
{
    (void)state;
    world w;
    world_begin(&w, 3, "linear", 2500, 0, 0.25);
    world_law(&w, "normal-stiffness", 1e4);
    world_law(&w, "restitution", 0.5);
    world_law(&w, "friction", 0);
    world_grain(&w, 1e-3, mrn_v3(0, 0, 0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    world_grain(&w, 2e-3, mrn_v3(2.9e-3, 0, 0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    ok(mrn_scene_prepare(&w.scene, &w.msg), &w.msg);
    const double *m = w.state.body.mass, both = m[0] * m[1] / (m[0] + m[1]);
    double unit = mrn_contact_stiffness(&w.scene, &w.state, 0, 1, 1e-4).c_n / sqrt(both);
    assert_true(unit > 0);
    w.state.body.flags[1] |= MRN_BODY_FIXED;
    mrn_stiffness_pair g = mrn_contact_stiffness(&w.scene, &w.state, 0, 1, 1e-4);
    assert_close(g.c_n / sqrt(m[0]) / unit, 1, 1e-12);
    assert_close(g.k_n, 1e4, 1e-9);
    w.state.body.flags[1] = 0;
    w.state.body.flags[0] |= MRN_BODY_FIXED;
    g = mrn_contact_stiffness(&w.scene, &w.state, 0, 1, 1e-4);
    assert_close(g.c_n / sqrt(m[1]) / unit, 1, 1e-12);
    world_end(&w);
}

/* A wall that goes or turns as imposed, under a servo too; a cell that strains at a rate. */
static void flows(void **state)
{
    (void)state;
    world w;
    const mrn_instant now = {0, 0};
    world_begin(&w, 3, "linear", 2500, 0, 0.25);
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    assert_false(mrn_servo_flows(&w.scene, now));
    mrn_motion *m = &w.scene.wall[0].motion, still = *m;
    m->kind = MRN_MOTION_SERVO;
    assert_false(mrn_servo_flows(&w.scene, now));
    m->spin = mrn_v3(0, 0, 1);
    assert_true(mrn_servo_flows(&w.scene, now));
    m->spin = mrn_v3(0, 0, 0), m->velocity = mrn_v3(1, 0, 0);
    assert_true(mrn_servo_flows(&w.scene, now));
    *m = still;
    w.scene.cell.control.kind[MRN_XY] = MRN_CONTROL_RATE;
    w.scene.cell.control.target[MRN_XY] = mrn_signal_constant(0);
    assert_false(mrn_servo_flows(&w.scene, now));
    w.scene.cell.control.target[MRN_XY] = mrn_signal_constant(-1);
    assert_true(mrn_servo_flows(&w.scene, now));
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(speed), cmocka_unit_test(learning),
                                       cmocka_unit_test(mass_that_is_felt),
                                       cmocka_unit_test(flows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
