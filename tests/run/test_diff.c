/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where two runs part: the very step, the body, the number; and runs that do not. */
/* ctest-labels: slow */
#include "helper.h"

/* Disks falling on a floor; `grain` stands for one number of one grain, `g` for gravity later. */
#define PAIR(grain, g)                                                                             \
    "moraine: 1\n"                                                                                 \
    "dimension: 2\n"                                                                               \
    "materials: {stone: {density: 2600 kg/m3, young: 50 MPa, poisson: 0.25}}\n"                    \
    "interactions: [{between: [stone, stone], law: hertz-mindlin, restitution: 0.6, friction: "    \
    "0.5}]\n"                                                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: stones, material: stone, shape: {sphere: {radius: 5 mm}}, velocity: [0, -1 "       \
    "m/s],\n"                                                                                      \
    "     place: {list: [[0, 6 mm], [11 mm, 8 mm], {position: [22 mm, 7 mm], velocity: [" grain    \
    ", -1]}, [33 mm, 6 mm]]}}\n"                                                                   \
    "walls: [{name: floor, plane: {point: [0, 0], normal: [0, 1]}, material: stone}]\n"            \
    "gravity: [0, -9.81]\n"                                                                        \
    "time-step: 50 us\n"                                                                           \
    "stages: [{name: fall, until: {steps: 300}}, {name: tilt, until: {steps: 400}, gravity: [" g   \
    ", -9.81]}]\n"

static mrn_parting part(const char *a, const char *b, const mrn_diff_options *opt)
{
    mrn_scene s = {0}, t = {0};
    mrn_parting p;
    mrn_message msg = {0};
    read_scene(a, &s);
    read_scene(b, &t);
    ok(mrn_run_diff(&s, &t, opt, &p, &msg), &msg);
    mrn_scene_destroy(&s);
    mrn_scene_destroy(&t);
    return p;
}

static void test_the_same(void **unused)
{
    (void)unused;
    mrn_diff_options opt = mrn_diff_default();
    mrn_parting p = part(PAIR("0.1", "1"), PAIR("0.1", "1"), &opt);
    assert_false(p.apart);
    assert_int_equal(p.last_same, 700);
    assert_int_equal(p.compared, 701); /* the start counts */
    opt.threads[0] = 1;
    opt.threads[1] = 3;
    assert_false(part(PAIR("0.1", "1"), PAIR("0.1", "1"), &opt).apart);
}

/* The seventh digit of one velocity: seen at the start, in that body and number. */
static void test_seventh_digit(void **unused)
{
    (void)unused;
    mrn_diff_options opt = mrn_diff_default();
    opt.after = 256;
    mrn_parting p = part(PAIR("0.1", "1"), PAIR("0.1000001", "1"), &opt);
    assert_true(p.apart && !p.counts);
    assert_int_equal(p.step, 0);
    assert_int_equal(p.last_same, -1);
    assert_int_equal(p.bodies, 1);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.difference[0].id, 3); /* floor, then the grains in their order */
    assert_string_equal(p.difference[0].field, "v");
    assert_int_equal(p.difference[0].component, 0);
    assert_true(fabs(p.difference[0].b - p.difference[0].a - 1e-7) < 1e-12);
    /* free flight: the distance grows as 1e-7 m/s times the time */
    assert_true(p.n_gaps >= 4);
    assert_int_equal(p.gap[2].step, 2);
    assert_true(fabs(p.gap[2].position / (1e-7 * p.gap[2].time) - 1) < 1e-3);
}

/* What differs from the second stage on only is seen with its first step, in every grain. */
static void test_later(void **unused)
{
    (void)unused;
    mrn_diff_options opt = mrn_diff_default();
    opt.after = 0;
    mrn_parting p = part(PAIR("0.1", "1"), PAIR("0.1", "1.0000001"), &opt);
    assert_true(p.apart);
    /* gravity is in the forces as soon as the stage is entered, in the velocities a step later */
    assert_true(p.step == 300 || p.step == 301);
    assert_int_equal(p.last_same, p.step - 1);
    assert_int_equal(p.bodies, 4);
    opt.max_steps = 200; /* before that there is nothing to see */
    p = part(PAIR("0.1", "1"), PAIR("0.1", "1.0000001"), &opt);
    assert_false(p.apart);
    assert_int_equal(p.compared, 201);
}

static void test_stored(void **unused)
{
    (void)unused;
    folder f = make_folder();
    char a[128], b[128], c[128];
    snprintf(a, sizeof a, "%s/a", f.path);
    snprintf(b, sizeof b, "%s/b", f.path);
    snprintf(c, sizeof c, "%s/c", f.path);
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    mrn_parting p;
    opt.out = a;
    ok(run_text(PAIR("0.1", "1") "output: {every: 0.1 ms}\n", &opt, &r, &msg), &msg);
    opt.out = b;
    ok(run_text(PAIR("0.1", "1") "output: {every: 0.1 ms}\n", &opt, &r, &msg), &msg);
    opt.out = c;
    ok(run_text(PAIR("0.1", "1.01") "output: {every: 0.1 ms}\n", &opt, &r, &msg), &msg);
    ok(mrn_trajectory_diff(a, b, &p, &msg), &msg);
    assert_false(p.apart);
    assert_true(p.compared > 10);
    ok(mrn_trajectory_diff(a, c, &p, &msg), &msg);
    assert_true(p.apart);
    assert_true(p.step >= 300 && p.last_same <= 300 && p.last_same >= 0);
    assert_true(p.n_gaps > 1 && p.gap[p.n_gaps - 1].position > p.gap[0].position);
    assert_int_equal(mrn_trajectory_diff(a, "/tmp/moraine-none", &p, &msg), MRN_ERR_IO);
    remove_tree(f.path);
}

int main(void)
{
    mrn_threads_set(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same),
        cmocka_unit_test(test_seventh_digit),
        cmocka_unit_test(test_later),
        cmocka_unit_test(test_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
