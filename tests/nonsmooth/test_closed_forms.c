/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grains whose motion is known: bounce, slide, roll, stick, collide in a row. */
#include "nonsmooth/kit.h"

#define HEAD(law)                                                                                  \
    "moraine: 1\n"                                                                                 \
    "dimension: 3\n"                                                                               \
    "method: nonsmooth\n"                                                                          \
    "materials: {m: {density: 2500 kg/m3}}\n"                                                      \
    "interactions: [{between: [m, m], law: rigid, " law "}]\n"                                     \
    "stages: [{name: run, at-most: 10 s}]\n"                                                       \
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: m}]\n"

/* A ball dropped from a height H of its lowest point: the n-th bounce is e^2n H high, all ends at
   t1 (1 + e)/(1 - e), t1 = sqrt(2 H/g). It turns back up to half a step early or late, so that
   heights are right to v h; the height v h it then has left at the turn makes all flights to come
   longer by g h/v of themselves, 2 e/(1 - e) h = 8 h in all. Of the 24 bounces at more than 2 g h
   each is half a step early in the mean: 24 (8 + 1)/2 h, some 100 h. */
static void test_bouncing_ball(void **state)
{
    (void)state;
    const double drop = 0.1, e = 0.8, g = 10, h = 1e-4;
    rig w;
    rig_begin(&w,
              HEAD("restitution: 0.8, friction: 0") "gravity: [0, 0, -10]\n"
                                                    "bodies: [{name: ball, material: m, shape: "
                                                    "{sphere: {radius: 1 cm}}, place: {list: "
                                                    "[{position: [0, 0, 0.11]}]}}]\n",
              h);
    double top = 0, last_v = -1, tops[4] = {0}, rest = 0;
    int n = 0;
    for (int k = 0; k < 20000; k++) {
        rig_step(&w, 1);
        double v = rig_v(&w, 0).z, z = rig_x(&w, 0).z - 0.01;
        if (last_v > 0 && v <= 0 && n < 4)
            tops[n++] = fmax(top, z);
        top = v > 0 ? z : 0;
        last_v = v;
        if (fabs(v) > 1e-9)
            rest = w.state.time;
    }
    assert_int_equal(n, 4);
    double v0 = sqrt(2 * g * drop), t1 = sqrt(2 * drop / g);
    for (int k = 0; k < 4; k++)
        assert_true(fabs(tops[k] - drop * pow(e, 2 * (k + 1))) < 2 * v0 * h);
    assert_true(fabs(rest - t1 * (1 + e) / (1 - e)) < 100 * h);
    assert_true(fabs(rig_x(&w, 0).z - 0.01) < 1e-9 + 2 * g * h * h);
    /* impulse times mean velocity is the change of energy to rounding: nothing is lost unbooked */
    assert_true(fabs(rig_residual(&w)) < 1e-12);
    rig_end(&w);
}

/* A rebound comes as often a little early as a little late, over 32 phases of the step. A turn z
   off the floor makes the bounce (1 - e^2) z = 0.36 z higher, z even within half a step's way v h
   on either side: 0.36/sqrt(12 32) = 0.02 v h for the mean. The scheme itself adds e (1 - e)/2 =
   0.08 v h: Newton's law takes the velocity of half a step before the turn and gives that of half a
   step after it. Always early or always late would be 0.18 v h off that. */
static void test_unbiased_bounce(void **state)
{
    (void)state;
    const double e = 0.8, g = 10, h = 1e-3;
    double sum = 0;
    for (int k = 0; k < 32; k++) {
        double drop = 0.1 * (1 + 0.0137 * k / 32), top = 0;
        char text[2048];
        snprintf(text, sizeof text,
                 HEAD("restitution: 0.8, friction: 0") "gravity: [0, 0, -10]\n"
                                                       "bodies: [{name: ball, material: m, shape: "
                                                       "{sphere: {radius: 1 cm}}, place: {list: "
                                                       "[{position: [0, 0, %.17g]}]}}]\n",
                 0.01 + drop);
        rig w;
        rig_begin(&w, text, h);
        for (int n = 0; n < 300; n++) {
            rig_step(&w, 1);
            top = n > 180 ? fmax(top, rig_x(&w, 0).z - 0.01) : 0;
        }
        sum += top - e * e * drop;
        rig_end(&w);
    }
    double way = sqrt(2 * g * 0.1) * h;
    assert_true(fabs(sum / 32 - 0.08 * way) < 0.06 * way);
}

/* A ball set sliding at v0 without spin rolls from t = 2 v0/(7 mu g) on at 5/7 v0. Friction is
   constant until then and one step decides: exact but for the step in which sliding ends, in which
   the impulse is less than mu m g h: velocity right to rounding of the solver. */
static void test_slide_then_roll(void **state)
{
    (void)state;
    const double v0 = 1, mu = 0.2, g = 10, h = 1e-3;
    rig w;
    rig_begin(&w,
              HEAD("friction: 0.2") "gravity: [0, 0, -10]\n"
                                    "nonsmooth: {tolerance: 1e-12}\n"
                                    "bodies: [{name: ball, material: m, shape: {sphere: {radius: 1 "
                                    "cm}}, place: {list: [{position: [0, 0, 0.01], velocity: [1, "
                                    "0, 0]}]}}]\n",
              h);
    double end = 2 * v0 / (7 * mu * g);
    int half = (int)(0.5 * end / h);
    rig_step(&w, half);
    assert_true(fabs(rig_v(&w, 0).x - (v0 - mu * g * half * h)) < 1e-9);
    assert_true(fabs(rig_w(&w, 0).y - 2.5 * mu * g * half * h / 0.01) < 1e-6);
    rig_step(&w, half + 20);
    assert_true(fabs(rig_v(&w, 0).x - 5.0 / 7) < 1e-9);
    assert_true(fabs(rig_w(&w, 0).y * 0.01 - 5.0 / 7) < 1e-9);
    assert_true(fabs(rig_residual(&w)) < 1e-13);
    rig_end(&w);
}

static void on_slope(rig *w, double tilt)
{
    char text[2048];
    snprintf(text, sizeof text,
             HEAD("friction: 0.5") "gravity: [%.17g, 0, %.17g]\n"
                                   "nonsmooth: {tolerance: 1e-13}\n"
                                   "bodies: [{name: block, material: m, shape: {polyhedron: {box: "
                                   "[4 cm, 4 cm, 1 cm]}}, place: {list: [{position: [0, 0, 0.005]}]"
                                   "}}]\n",
             10 * sin(tilt), -10 * cos(tilt));
    rig_begin(w, text, 1e-3);
}

/* A flat block on a slope sticks when tan alpha < mu and slides with g (sin a - mu cos a) when not,
   distinguished at a millionth of mu. The block does not tip: its corners stay within its weight.
 */
static void test_slope(void **state)
{
    (void)state;
    rig w;
    on_slope(&w, atan(0.5 * (1 - 1e-6)));
    rig_step(&w, 1000);
    assert_true(fabs(rig_v(&w, 0).x) < 1e-9);
    rig_end(&w);
    double tilt = atan(0.5 * (1 + 1e-6));
    on_slope(&w, tilt);
    rig_step(&w, 1000);
    double v = 10 * (sin(tilt) - 0.5 * cos(tilt));
    /* 4.5e-6 m/s; the first steps, which share the load among four corners, end at the rounding of
       impulses a million times as large */
    assert_true(fabs(rig_v(&w, 0).x - v) < 1e-2 * v);
    rig_end(&w);
    tilt = atan(0.8);
    on_slope(&w, tilt);
    rig_step(&w, 1000);
    v = 10 * (sin(tilt) - 0.5 * cos(tilt));
    assert_true(fabs(rig_v(&w, 0).x - v) < 1e-9 * v + 1e-9);
    rig_end(&w);
}

/* Three balls in a row, the first comes with 1 m/s, restitution 1. Touching: the law of Newton acts
   on both contacts at once, (-1, 2, 2)/3. Apart by more than the way of a step: one impact after
   the other, (0, 0, 1). */
static void test_cradle(void **state)
{
    (void)state;
    const double gap[2] = {0, 0.02};
    const double want[2][3] = {{-1.0 / 3, 2.0 / 3, 2.0 / 3}, {0, 0, 1}};
    for (int k = 0; k < 2; k++) {
        char text[2048];
        snprintf(text, sizeof text,
                 HEAD("restitution: 1, friction: 0") "gravity: [0, 0, 0]\n"
                                                     "nonsmooth: {tolerance: 1e-13}\n"
                                                     "bodies: [{name: balls, material: m, shape: "
                                                     "{sphere: {radius: 1 cm}}, place: {list: "
                                                     "[{position: [-0.05, 0, 1], velocity: [1, 0, "
                                                     "0]}, {position: [0, 0, 1]}, {position: "
                                                     "[%.17g, 0, 1]}]}}]\n",
                 0.02 + gap[k]);
        rig w;
        rig_begin(&w, text, 1e-3);
        rig_step(&w, 60 + (int)(1000 * gap[k]));
        for (int i = 0; i < 3; i++)
            assert_true(fabs(rig_v(&w, i).x - want[k][i]) < 1e-10);
        rig_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bouncing_ball),   cmocka_unit_test(test_unbiased_bounce),
        cmocka_unit_test(test_slide_then_roll), cmocka_unit_test(test_slope),
        cmocka_unit_test(test_cradle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
