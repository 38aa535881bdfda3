/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of rigid contacts beside Signorini and Coulomb: cohesion, rolling and pivoting friction,
   elastic repulsion, tangential restitution; walls under load, imposed degrees of freedom. */
#include "nonsmooth/kit.h"

#define HEAD_WITH(options, law)                                                                    \
    "moraine: 1\n"                                                                                 \
    "dimension: 3\n"                                                                               \
    "method: nonsmooth\n"                                                                          \
    "materials: {m: {density: 2500 kg/m3}}\n"                                                      \
    "nonsmooth: {tolerance: 1e-12" options "}\n"                                                   \
    "interactions: [{between: [m, m], law: rigid, " law "}]\n"                                     \
    "stages: [{name: run, at-most: 10 s}]\n"
#define HEAD(law) HEAD_WITH("", law)

#define FLOOR "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: m}]\n"
#define CEILING                                                                                    \
    "walls: [{name: roof, plane: {point: [0, 0, 0], normal: [0, 0, -1]}, material: m}]\n"
#define BALL(place)                                                                                \
    "bodies: [{name: ball, material: m, shape: {sphere: {radius: 1 cm}}, place: {list: [" place    \
    "]}}]\n"

static const double mass = 2500 * 4.0 / 3 * MRN_PI * 1e-6; /* of the ball, kg */

/* A ball hangs from the ceiling while its weight is less than the pull-off force, and comes off
   when it is more. Told apart at a thousandth. The pull acts as far as the slop (1e-5 m here),
   which a ball with a thousandth of its weight left crosses in sqrt(2e-5/0.01) = 45 ms. */
static void test_cohesion(void **state)
{
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD("friction: 0.5, cohesion-force: %.17g") CEILING
                 "gravity: [0, 0, -10]\n" BALL("{position: [0, 0, -0.01]}"),
                 (strong ? 1.001 : 0.999) * mass * 10);
        rig w;
        rig_begin(&w, text, 1e-3);
        rig_step(&w, 100);
        double fall = -0.01 - rig_x(&w, 0).z;
        if (strong) {
            assert_true(fabs(fall) < 1e-12);
            assert_true(fabs(w.state.body.f[2] + mass * 10) < 1e-9); /* it pulls the roof down */
        } else {
            /* free fall for 100 ms less the 45 */
            assert_true(fabs(fall - 0.5 * 10 * 0.055 * 0.055) < 0.1 * 0.015);
        }
        assert_true(fabs(rig_residual(&w)) < 1e-12);
        rig_end(&w);
    }
}

/* A ball that rolls against a moment mu_r R N slows down by 5/7 mu_r g: m a = -F, I alpha = F R - M
   with a = R alpha. */
static void test_rolling_friction(void **state)
{
    (void)state;
    const double mu_r = 0.05, g = 10, h = 1e-3;
    rig w;
    rig_begin(&w,
              HEAD("friction: 0.5, rolling-friction: 0.05") FLOOR "gravity: [0, 0, -10]\n" BALL(
                  "{position: [0, 0, 0.01], velocity: [1, 0, 0], spin: [0, 100, 0]}"),
              h);
    assert_int_equal(w.scene.contact_kind, MRN_CONTACT_3D_ROLLING);
    rig_step(&w, 500);
    double want = 1 - 5.0 / 7 * mu_r * g * 0.5;
    assert_true(fabs(rig_v(&w, 0).x - want) < 1e-8);
    assert_true(fabs(0.01 * rig_w(&w, 0).y - want) < 1e-8);
    rig_step(&w, 3000); /* and it stops, for good */
    assert_true(mrn_norm(rig_v(&w, 0)) < 1e-9);
    rig_end(&w);
}

/* A ball that spins about the vertical slows down by mu_p R N / I. */
static void test_pivoting_friction(void **state)
{
    (void)state;
    const double mu_p = 0.01, g = 10, h = 1e-3;
    rig w;
    rig_begin(&w,
              HEAD("friction: 0.5, pivoting-friction: 0.01") FLOOR
              "gravity: [0, 0, -10]\n" BALL("{position: [0, 0, 0.01], spin: [0, 0, 50]}"),
              h);
    assert_int_equal(w.scene.contact_kind, MRN_CONTACT_3D_PIVOTING);
    rig_step(&w, 500);
    double want = 50 - mu_p * 0.01 * g / (0.4 * 1e-4) * 0.5;
    assert_true(fabs(rig_w(&w, 0).z - want) < 1e-6);
    rig_end(&w);
}

/* On an elastic contact of stiffness k a ball at rest sinks in by m g / k; the implicit scheme
   damps it there. */
static void test_compliance(void **state)
{
    (void)state;
    const double k = 1e4, g = 10;
    rig w;
    rig_begin(&w,
              HEAD("friction: 0, stiffness: 1e4 N/m") FLOOR
              "gravity: [0, 0, -10]\n" BALL("{position: [0, 0, 0.01]}"),
              1e-3);
    rig_step(&w, 3000);
    double sink = 0.01 - rig_x(&w, 0).z;
    assert_true(fabs(sink - mass * g / k) < 1e-9);
    /* half k x^2 is in the contact */
    assert_true(fabs(w.state.elastic - 0.5 * mass * g * mass * g / k) < 1e-12);
    assert_true(fabs(rig_residual(&w)) < 1e-12);
    rig_end(&w);
}

/* An impact at an angle with tangential restitution that sticks leaves with -e_T times the
   tangential velocity of the contact point, which lies up to v h = 1 % of the radius inside. */
static void test_tangential_restitution(void **state)
{
    (void)state;
    rig w;
    rig_begin(&w,
              HEAD("friction: 2, restitution: 0.9, tangential-restitution: 0.4")
                  FLOOR BALL("{position: [0, 0, 0.0105], velocity: [0.3, 0, -1]}"),
              1e-4);
    rig_step(&w, 50);
    double slip = rig_v(&w, 0).x - 0.01 * rig_w(&w, 0).y;
    assert_true(fabs(rig_v(&w, 0).z - 0.9) < 1e-9);
    assert_true(fabs(slip + 0.4 * 0.3) < 0.01 * 0.01 * rig_w(&w, 0).y);
    rig_end(&w);
}

/* A ball that meets a floor within a step, under the three forms of the gap, without projection:
   with `velocity` it first sinks in, by the part of the step's way that is left; with `mixed` it
   rebounds in the step in which it closes, with `closing` it first comes to rest on the floor and
   sinks in no more than mixed. */
static void test_gap_forms(void **state)
{
    (void)state;
    static const char *const form[] = {"mixed", "velocity", "closing"};
    double deep[3][2], after[3][2];
    for (int k = 0; k < 3; k++)
        for (int bounces = 0; bounces < 2; bounces++) {
            char text[1024];
            snprintf(
                text, sizeof text,
                HEAD_WITH(", projection: false, form: %s, alert: 2 mm",
                          "friction: 0, restitution: %g") FLOOR
                "gravity: [0, 0, 0]\n" BALL("{position: [0, 0, 0.0137], velocity: [0, 0, -1]}"),
                form[k], bounces ? 0.5 : 0.0);
            rig w;
            rig_begin(&w, text, 1e-3);
            deep[k][bounces] = 0;
            for (int n = 0; n < 20; n++) {
                rig_step(&w, 1);
                deep[k][bounces] = fmax(deep[k][bounces], 0.01 - rig_x(&w, 0).z);
            }
            after[k][bounces] = rig_v(&w, 0).z;
            rig_end(&w);
        }
    for (int k = 0; k < 3; k += 2) {
        assert_close(deep[k][0], 0, 1e-12);
        assert_close(deep[k][1], 0, 1e-12);
        assert_close(after[k][0], 0, 1e-12);
    }
    assert_close(after[MRN_GAP_MIXED][1], 0.5, 1e-12);
    assert_close(after[MRN_GAP_CLOSING][1], 0, 1e-12);
    /* 0.3 mm too far when it is found, then half of the old and half of the new velocity */
    assert_close(deep[MRN_GAP_VELOCITY][0], 0.8e-3, 1e-12);
    assert_close(deep[MRN_GAP_VELOCITY][1], 0.55e-3, 1e-12);
    assert_close(after[MRN_GAP_VELOCITY][0], 0, 1e-12);
    assert_close(after[MRN_GAP_VELOCITY][1], 0.5, 1e-12);
}

/* A wall that bears a load rests on a ball: the ball's floor feels both weights. */
static void test_servo_wall(void **state)
{
    (void)state;
    rig w;
    rig_begin(
        &w,
        HEAD("friction: 0.5") "gravity: [0, 0, -10]\n"
                              "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, "
                              "1]}, material: m}, {name: lid, plane: {point: [0, 0, 2.2 cm], "
                              "normal: [0, 0, -1]}, material: m, motion: {servo: {force: 3 "
                              "N, direction: [0, 0, -1]}}}]\n" BALL("{position: [0, 0, 0.01]}"),
        1e-3);
    rig_step(&w, 500);
    assert_true(fabs(w.state.body.f[2] + 3 + mass * 10) < 1e-6); /* on the floor */
    assert_true(fabs(w.state.body.f[5] - 3) < 1e-6);             /* on the lid   */
    assert_true(fabs(w.state.body.x[5] - 0.02) < 1e-6);
    assert_true(fabs(rig_residual(&w)) < 1e-9);
    rig_end(&w);
}

/* A block told to go along x at 1 m/s pushes a ball over a floor: the ball goes ahead with it, the
   block neither falls nor turns. */
static void test_held(void **state)
{
    (void)state;
    rig w;
    rig_begin(&w,
              HEAD("friction: 0.3") FLOOR
              "gravity: [0, 0, -10]\n"
              "bodies: [{name: block, material: m, shape: {polyhedron: {box: [2 cm, 2 cm, 2 cm]}}, "
              "hold: [y, z, rx, ry, rz], drive: {x: 0.5 m/s}, place: {list: [{position: [0, 0, "
              "0.03]}]}}, {name: ball, material: m, shape: {sphere: {radius: 2 cm}}, place: {list: "
              "[{position: [0.05, 0, 0.02]}]}}]\n",
              1e-3);
    rig_step(&w, 400);
    assert_true(fabs(rig_v(&w, 0).x - 0.5) < 1e-12 && rig_x(&w, 0).z == 0.03);
    assert_true(fabs(rig_v(&w, 1).x - 0.5) < 0.05);
    assert_true(fabs(rig_residual(&w)) < 1e-10);
    rig_end(&w);
}

/* Global damping takes nothing from what a floor bears: a ball at rest presses with its weight,
   whatever the damping; one that flies loses its speed as exp(-c t), by the mean rule right to
   (c h)^2/12 of the exponent. */
static void test_damping(void **state)
{
    (void)state;
    rig w;
    rig_begin(&w,
              HEAD("friction: 0") FLOOR "gravity: [0, 0, -10]\ndamping: {global: 200 1/s}\n" BALL(
                  "{position: [0, 0, 0.01], velocity: [1, 0, 0]}"),
              1e-3);
    rig_step(&w, 20);
    assert_true(fabs(w.state.body.f[2] + mass * 10) < 1e-9);
    assert_true(fabs(rig_v(&w, 0).x - exp(-4)) < exp(-4) * 4 * 0.04 / 12 * 1.1);
    assert_true(fabs(rig_residual(&w)) < 1e-13);
    rig_end(&w);
}

/* The slop is stated by the size of grains, whatever the alert distance: overlaps beyond a
   thousandth of the radius are taken out, down to that. */
static void test_slop(void **state)
{
    (void)state;
    const char *text[2] = {HEAD_WITH("", "friction: 0") FLOOR
                           "gravity: [0, 0, -10]\n" BALL("{position: [0, 0, 9.95 mm]}"),
                           HEAD_WITH(", alert: 5 mm", "friction: 0") FLOOR
                           "gravity: [0, 0, -10]\n" BALL("{position: [0, 0, 9.95 mm]}")};
    for (int k = 0; k < 2; k++) {
        rig w;
        rig_begin(&w, text[k], 1e-3);
        rig_step(&w, 200);
        /* 50 um deep at first; a third of what is beyond 10 um goes in each step */
        assert_true(fabs(rig_x(&w, 0).z - 9.99e-3) < 1e-8);
        rig_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cohesion),
        cmocka_unit_test(test_rolling_friction),
        cmocka_unit_test(test_pivoting_friction),
        cmocka_unit_test(test_compliance),
        cmocka_unit_test(test_tangential_restitution),
        cmocka_unit_test(test_gap_forms),
        cmocka_unit_test(test_servo_wall),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_damping),
        cmocka_unit_test(test_slop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
