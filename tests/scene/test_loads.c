/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads by name: sine, haversine, vibration and train against their formulas; what is refused, and
   where. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/moraine.h"

static const char head[] =
    "moraine: 1\n"
    "materials: {stone: {density: 2700 kg/m3}}\n"
    "interactions: [{between: any, law: linear, normal-stiffness: 1e5, restitution: 0.5,\n"
    "                friction: 0.5}]\n"
    "bodies: [{name: sleeper, shape: {sphere: {radius: 5 cm}}, place: {list: [[0, 0, 1]]}}]\n"
    "stages: [{name: go, until: {time: 0.1 s}}]\n";

static mrn_status read_text(const char *more, mrn_scene *s, mrn_message *msg)
{
    char text[2000];
    snprintf(text, sizeof text, "%s%s", head, more);
    return mrn_scene_read_text(text, "loads.yaml", NULL, 0, s, msg);
}

/* The z component of the force of a scene. */
static mrn_signal force(const char *value)
{
    char more[1200];
    mrn_scene s;
    mrn_message msg = {0};
    mrn_signal out;
    snprintf(more, sizeof more, "forces: [{group: sleeper, force: [0, 0, %s]}]\n", value);
    if (read_text(more, &s, &msg) != MRN_OK)
        fail_msg("%s: %s", value, msg.text);
    assert_int_equal(mrn_signal_copy(&s.force[0].force[2], &out, NULL), MRN_OK);
    mrn_scene_destroy(&s);
    return out;
}

/* What a few operations on decimal numbers leave. */
static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-11 * (1 + fabs(b))))
        fail_msg("%.17g is not %.17g", a, b);
}

static double at(const mrn_signal *x, double s)
{
    return mrn_signal_value(x, (mrn_instant){17 + s, s}, NULL); /* the run's time does not count */
}

static void test_cycles(void **unused)
{
    (void)unused;
    mrn_signal x = force("{sine: {mean: 16 kN, amplitude: 14 kN, frequency: 5 Hz, phase: 90 deg}}");
    for (double s = 0; s < 0.5; s += 0.013)
        near(at(&x, s), 16e3 + 14e3 * sin(2 * MRN_PI * 5 * s + MRN_PI / 2));
    mrn_signal_release(&x);
    x = force("{haversine: {min: 2 kN, max: 30 kN, frequency: 20 Hz, cycles: 10, grow: 4}, "
              "scale: -1}");
    near(at(&x, 0), -2e3);
    near(at(&x, 0.025), -(2e3 + 28e3 * 0.5 / 4)); /* the first peak: an eighth grown */
    near(at(&x, 0.325), -30e3);
    near(at(&x, 0.35), -2e3);
    near(at(&x, 0.6), -2e3); /* after the last cycle */
    near(at(&x, 0.625), -2e3);
    mrn_signal_release(&x);
}

static void test_vibration(void **unused)
{
    (void)unused;
    mrn_scene s;
    mrn_message msg = {0};
    const char *walls = "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]},\n"
                        "  motion: {path: [0, 0, {vibration: {gamma: 2, frequency: 30 Hz}}]}}]\n";
    if (read_text(walls, &s, &msg) != MRN_OK)
        fail_msg("%s", msg.text);
    const mrn_signal *z = &s.wall[0].motion.path[2];
    double w = 2 * MRN_PI * 30, rate;
    near(at(z, 0.25 / 30), 2 * 9.81 / (w * w));
    mrn_signal_value(z, (mrn_instant){0, 0}, &rate);
    near(rate, 2 * 9.81 / w);
    mrn_scene_destroy(&s);
    /* in the frame of the table: gravity less the acceleration of the table, -gamma g sin */
    if (read_text("gravity: [0, 0, {vibration: {gamma: 2, frequency: 30 Hz}}]\n", &s, &msg) !=
        MRN_OK)
        fail_msg("%s", msg.text);
    near(at(&s.gravity_of[2], 0), -9.81);
    near(at(&s.gravity_of[2], 0.25 / 30), 9.81);
    near(at(&s.gravity_of[2], 0.75 / 30), -3 * 9.81);
    mrn_scene_destroy(&s);
}

/* beam() as Winkler has it; its derivative by differences (step 1e-6: rounding 1e-10). */
static void test_beam(void **unused)
{
    (void)unused;
    mrn_signal x;
    assert_int_equal(mrn_signal_expression("beam(s)", &x, NULL), MRN_OK);
    for (double s = -6; s < 6; s += 0.37) {
        double rate, h = 1e-6;
        double v = mrn_signal_value(&x, (mrn_instant){0, s}, &rate);
        near(v, exp(-fabs(s)) * (cos(s) + sin(fabs(s))));
        if (fabs(rate - (at(&x, s + h) - at(&x, s - h)) / (2 * h)) > 1e-8)
            fail_msg("slope %g at %g", rate, s);
    }
    near(at(&x, 0), 1);
    mrn_signal_release(&x);
}

/* Sums over all sleepers are the axles' loads (the foundation bears them; spacing times a sum over
   points 0.6 m apart is the integral to 1e-3 for L of a metre); a pass later it is the same. */
static void test_train(void **unused)
{
    (void)unused;
    const char *fmt = "{train: {axle-load: 225 kN, axles: [0, 2.5 m], cars: 2, car-length: 20 m, "
                      "speed: 50 m/s, at: %g m, passes: 3, interval: 2 s}}";
    char text[400];
    double L = sqrt(sqrt(4 * 6.4e6 / 30e6)), sum = 0, here = (5 * L + 1.25) / 50;
    snprintf(text, sizeof text, fmt, 0.0);
    mrn_signal x = force(text);
    double peak = 225e3 * 0.6 / (2 * L);
    double alone = at(&x, 5 * L / 50), other = exp(-2.5 / L) * (cos(2.5 / L) + sin(2.5 / L));
    double third = exp(-20 / L) * (cos(20 / L) + sin(20 / L));
    if (fabs(alone - peak * (1 + other)) > 2 * peak * fabs(third) + 1e-6)
        fail_msg("%g N beneath the first axle, not %g N", alone, peak * (1 + other));
    near(at(&x, 5 * L / 50 + 2), alone);
    near(at(&x, 5 * L / 50 + 4), alone);
    assert_true(at(&x, 5 * L / 50 + 6) < 1); /* only three pass; what is left decays */
    for (double s = 0; s < 2; s += 0.003)
        assert_true(at(&x, s) >= 0);
    mrn_signal_release(&x);
    for (int k = -12; k <= 16; k++) { /* lifted ones bear nothing: a little more than two axles */
        snprintf(text, sizeof text, fmt, 0.6 * k);
        x = force(text);
        sum += at(&x, here);
        mrn_signal_release(&x);
    }
    assert_true(sum > 2 * 225e3 && sum < 1.1 * 2 * 225e3);
}

static void expect_fail(const char *value, const char *words, int column)
{
    char more[1200];
    mrn_scene s;
    mrn_message msg = {0};
    snprintf(more, sizeof more, "forces: [{group: sleeper, force: [0, 0, %s]}]\n", value);
    if (read_text(more, &s, &msg) != MRN_ERR_INPUT)
        fail_msg("accepted: %s", value);
    if (strstr(msg.text, words) == NULL)
        fail_msg("%s: '%s' does not say '%s'", value, msg.text, words);
    assert_int_equal(msg.line, 7);
    assert_true(msg.column >= column);
}

static void test_refused(void **unused)
{
    (void)unused;
    expect_fail("{train: {axle-load: 225 kN, axles: [0, 2.5 m], speed: 0 m/s}}", "speed", 40);
    expect_fail("{train: {axle-load: 225 kN, axles: [2.5 m, 1 m], speed: 9 m/s}}", "axle", 40);
    expect_fail("{train: {axle-load: 225 kN, axles: [0, 9 m], speed: 9, cars: 2}}", "apart", 40);
    expect_fail("{train: {axle-load: 2 kN, axles: [0], speed: 9 m/s, passes: 2, interval: 0.1 s}}",
                "to pass", 40);
    expect_fail("{haversine: {min: 3 kN, max: 2 kN, frequency: 5 Hz}}", "peaks", 40);
    expect_fail("{haversine: {max: 2 mm, frequency: 5 Hz}}", "", 40);
    expect_fail("{haversine: {max: 2 kN, frequency: 0 Hz}}", "frequency", 40);
    expect_fail("{vibration: {gamma: 2, frequency: 30 Hz}}", "displacement", 40);
    expect_fail("{sine: {amplitude: 1 N, frequency: 5 Hz}, expression: \"1\"}", "", 40);
    expect_fail("{sine: {amplitude: 1 N, frequency: 5 Hz}, column: z}", "column", 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cycles),  cmocka_unit_test(test_vibration),
        cmocka_unit_test(test_beam),    cmocka_unit_test(test_train),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
