/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The step that method nonsmooth advises: each of its reasons alone, against the sentence by which
   it is told (a thousandth of a radius fallen from rest, a twentieth gone by a grain, a hundredth
   by a wall, a thousand steps in a stage). Products of exact numbers: 1e-12 is rounding. */
#include "run/helper.h"

#define RADIUS  4e-3
#define DENSITY 2500.0

/* The advised step of two grains, the smaller of RADIUS, one above the other by `apart`. */
static double advised(const char *more, const char *velocity, double apart, const char *word)
{
    char text[2000];
    mrn_scene scene = {0};
    mrn_state s = {0};
    mrn_step_limit l;
    mrn_message msg = {0};
    snprintf(
        text, sizeof text,
        "moraine: 1\nmethod: nonsmooth\nmaterials: {g: {density: %g kg/m3}}\n"
        "interactions: [{between: any, law: rigid, friction: 0.5}]\n"
        "bodies: [{name: g, shape: {sphere: {radius: 5 mm}}, place: {list: [{position: [0, 0, 1 "
        "m],\n  radius: %g}, {position: [0.1 m, 0, %.17g], velocity: %s}]}}]\n%s\n",
        DENSITY, RADIUS, 1 + apart, velocity, more);
    ok(mrn_scene_read_text(text, "step", NULL, 0, &scene, &msg), &msg);
    ok(mrn_run_prepare(&scene, &s, &l, &msg), &msg);
    if (strstr(l.reason, word) == NULL)
        fail_msg("%s", l.reason);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
    return l.advised;
}

static void same(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * want))
        fail_msg("%.17g s, expected %.17g s", got, want);
}

static void each_reason(void **state)
{
    (void)state;
    const char *rest = "[0, 0, 0]", *stage = "stages: [{until: {steps: 5}, at-most: 3 s}]\n";
    char text[600];
    snprintf(text, sizeof text, "gravity: [0, 0, -9.81]\n%s", stage);
    same(advised(text, rest, 0, "falls"), sqrt(2e-3 * RADIUS / 9.81));
    /* a bed settles by a tenth of its height, here 40 m */
    same(advised(text, rest, 40, "a twentieth"), 0.05 * RADIUS / sqrt(2 * 9.81 * 0.1 * 40));
    same(advised(stage, "[0, 0, 8 m/s]", 0, "a twentieth"), 0.05 * RADIUS / 8);
    same(advised(stage, rest, 0, "a thousand steps"), 3e-3);
    snprintf(
        text, sizeof text,
        "walls: [{name: w, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, motion: {velocity: [0, "
        "0, 0.5 m/s]}}]\n%s",
        stage);
    same(advised(text, rest, 0, "a wall goes a hundredth"), 0.01 * RADIUS / 0.5);
    /* the pressure accelerates a layer of grains, one diameter thick */
    snprintf(text, sizeof text,
             "walls: [{name: w, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, motion: "
             "{servo: {pressure: 7 kPa, area: 1 m2, direction: [0, 0, 1]}}}]\n%s",
             stage);
    same(advised(text, rest, 0, "a load moves"),
         sqrt(2e-3 * RADIUS / (7e3 / (DENSITY * 2 * RADIUS))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_reason)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
