/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single bodies and rows of balls whose motion is known: order of a bounce, slope, rocking and
   toppling block, jamming rod, cradle, free turning, theta. The runs are in rigid_cases.h and
   rigid_blocks.h; the validation page prints more of them. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include "nonsmooth/rigid_blocks.h"

/* An impact is found half a step early or late and closes a velocity that is up to g h off: errors
   are of first order, of either sign: of one bounce an eighth of the way in a step in the mean over
   eight phases, and with a quarter of the step a quarter, to a tenth. The end time is a sum over a
   dozen bounces, some 5 h, whose terms may cancel: within a factor of 2.5. */
static void test_bounce_order(void **state)
{
    (void)state;
    double top[2], end[2];
    bounce_errors(2e-3, &top[0], &end[0]);
    bounce_errors(5e-4, &top[1], &end[1]);
    assert_true(top[0] < 0.15 * 2e-3 * sqrt(2 * 10 * 0.1) && end[0] < 7 * 2e-3);
    assert_true(top[0] / top[1] > 3.6 && top[0] / top[1] < 4.4);
    assert_true(end[0] / end[1] > 1.6 && end[0] / end[1] < 10);
    bounces b = bounce(0.1, 1e-3);
    assert_true(fabs(b.height) < 1e-9 && fabs(b.residual) < 1e-13);
}

/* A flat block sticks a millionth below tan alpha = mu and slides a millionth above it with g (sin
   a
   - mu cos a); the solver's tolerance of 1e-13 of the weight's impulse is 1e-10 of that speed after
   1000 steps, in 3D 1e-3 because four corners share the load in many ways. */
static void test_slope(void **state)
{
    (void)state;
    for (int d = 2; d <= 3; d++) {
        assert_true(fabs(slope(1 - 1e-6, d)) < 1e-9);
        double v = slope_exact(1 + 1e-6);
        assert_true(fabs(slope(1 + 1e-6, d) - v) < (d == 2 ? 1e-6 : 1e-2) * v);
        assert_true(fabs(slope(1.6, d) / slope_exact(1.6) - 1) < 1e-8);
    }
}

/* Housner: no rebound, no slip, the impulse at the new corner alone: angular momentum about it is
   kept, w+/w- = 1 - 3/2 sin2 alpha. In a step the block turns by w h, so that arms are off by that:
   an error of about w h in the ratio and of a step or two in the time. */
static void test_rocking(void **state)
{
    (void)state;
    const double h = 5e-4;
    for (int k = 0; k < 2; k++) {
        rocker b = {.size = 0.5, .alpha = k ? 0.4 : 0.2};
        b.tilt = 0.5 * b.alpha;
        double spin, quarter = rocker_quarter(&b, &spin), s = sin(b.alpha);
        rocking r = rock(&b, h);
        assert_true(fabs(r.quarter - quarter) < 2 * h);
        assert_true(fabs(r.spin + spin) < 2 * h * rocker_p2(&b) * s);
        assert_true(fabs(r.ratio - (1 - 1.5 * s * s)) < -spin * h);
        /* a corner that turns opens a little and closes again: at most m (g h)2/8 per step */
        double mass = 2500 * 4 * b.size * b.size * s * cos(b.alpha);
        assert_true(r.ever < mass * 10 * h * 10 * h / 8);
    }
}

/* The spin that just brings the centre over the corner. The first step puts the block on its corner
   with the impulse of half a step's weight more or less: first order in h, 3e-5 at 1 ms. */
static void test_toppling(void **state)
{
    (void)state;
    rocker b = {.size = 0.5, .alpha = 0.3};
    b.spin = critical_spin(&b) * (1 - 2e-4);
    assert_false(topples(&b, 1e-3));
    b.spin = critical_spin(&b) * (1 + 2e-4);
    assert_true(topples(&b, 1e-3));
}

/* Under tan angle = 2 the paradox begins at mu = 4/3. Sliding with the tip behind has one solution
   always. With the tip ahead and mu = 2 no force can go with sliding: the tip stops in one step
   (tangential impact), whatever its speed, with the impulses that the two equations of a sticking
   tip give. Nothing gains energy, beyond (g h)2/8 of the mass for a contact that opens and closes
   in a step: 2e-7 of the energy here. */
static void test_rod(void **state)
{
    (void)state;
    const double h = 1e-3, steep = atan(2);
    for (int k = 0; k < 4; k++) {
        double mu = k / 2 ? 2 : 1, v = k % 2 ? -1 : 1;
        rod_step r = rod(mu, steep, v, 0, h);
        for (int m = 0; m < 3; m++)
            assert_true(fabs(r.after[m] - r.want[m]) < 1e-10);
        assert_true(mu == 1 ? r.margin > 0 : r.margin < 0);
        if (mu == 2 && v < 0)
            assert_true(fabs(r.after[1]) < 1e-12 && r.kept < 0.97);
        else
            assert_true(fabs(r.after[1]) > 0.9);
        assert_true(r.ever < 1e-6 && r.unsolved == 0 && r.deepest < 1e-9);
    }
    /* turning so fast that the tip lifts, where contact and flight are both solutions: it flies */
    rod_step r = rod(2, steep, -1, 8, h);
    assert_true(fabs(r.after[0] + 10 * h) < 1e-12 && fabs(r.kept - 1) < 1e-12);
    assert_true(r.ever < 1e-6);
}

/* Newton's law at all contacts at once, e = 1 and 1/2, against every set of acting contacts tried:
   (-1, 2, 2)/3 for three. Apart: one after the other. */
static void test_cradle(void **state)
{
    (void)state;
    for (int n = 3; n <= 5; n += 2)
        for (int k = 0; k < 2; k++) {
            double v[CRADLE_MAX], want[CRADLE_MAX];
            cradle(n, k ? 0.5 : 1, 0, v);
            cradle_exact(n, k ? 0.5 : 1, want);
            if (n == 3 && k == 0)
                assert_true(fabs(want[0] + 1.0 / 3) < 1e-15 && fabs(want[2] - 2.0 / 3) < 1e-15);
            for (int i = 0; i < n; i++)
                assert_true(fabs(v[i] - want[i]) < 1e-11);
        }
    double v[CRADLE_MAX];
    cradle(5, 1, 0.02, v);
    for (int i = 0; i < 5; i++)
        assert_true(fabs(v[i] - (i == 4)) < 1e-12);
}

/* A box that spins about its middle axis turns over again and again. Energy and the size of the
   angular momentum are kept by the midpoint rule up to rounding, some 1e-16 a step at random; the
   direction is right to second order. */
static void test_free_turning(void **state)
{
    (void)state;
    turning a = free_turning(2e-3, 4, 0.01), b = free_turning(1e-3, 4, 0.01);
    assert_true(b.flips >= 1);
    assert_true(b.energy < 1e-13 && b.size < 1e-13);
    assert_true(a.momentum < 1e-4);
    double order = log2(a.momentum / b.momentum);
    assert_true(order > 1.9 && order < 2.1);
    assert_true(free_turning(1e-4, 1, 0.01).energy < 1e-12); /* 1e4 steps */
}

/* theta = 1/2 is exact in free fall; else the height is off by (theta - 1/2) h g t after a time t,
   and the energy 2 (theta - 1/2) h/t of the kinetic one that this takes is booked. */
static void test_theta(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        double theta = 0.5 + 0.25 * k, h = 1e-2;
        fall f = free_fall(theta, h);
        assert_true(fabs(f.off + (theta - 0.5) * h * 10) < 1e-12);
        assert_true(fabs(f.share - 2 * (theta - 0.5) * h) < 1e-12);
        assert_true(fabs(f.residual) < 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounce_order), cmocka_unit_test(test_slope),
        cmocka_unit_test(test_rocking),      cmocka_unit_test(test_toppling),
        cmocka_unit_test(test_rod),          cmocka_unit_test(test_cradle),
        cmocka_unit_test(test_free_turning), cmocka_unit_test(test_theta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
