/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search for the time at which a gap closes, where steps are small. */
#include "event/gas.h"
#include "event/root.h"

/* A ball that has left a floor shaken with amplitude A and pulsation W at the moment when both
   accelerate alike: the gap, of rounding at first, opens with the third power of time. */
#define A 3e-3
#define W 75.39822368615503
#define G 9.81

static double hovering(const void *user, double s, double *rate)
{
    double begin = asin(G / (A * W * W)), turn = begin + W * s;
    (void)user;
    *rate = A * W * cos(begin) - G * s - A * W * cos(turn);
    return -2.9e-14 + s * (A * W * cos(begin) - 0.5 * G * s) - A * (sin(turn) - sin(begin));
}

/* Steps are small while the gap is: a thousand of them later it is 6 nm wide, more than counts as
   touch. They meet when the ball falls back. */
static void test_hovering(void **state)
{
    double rate;
    (void)state;
    double begin = 4.72808e-6, bound = A * W * W + G;
    double thousand = mrn_event_root(hovering, NULL, begin, 1, bound, 1.2e-16, 1e-3);
    assert_true(thousand < 0.01 && hovering(NULL, thousand, &rate) > 2.8e-9);
    double s = mrn_event_root(hovering, NULL, begin, 1, bound, 1.2e-16, 2.8e-9);
    assert_true(s > 0.01 && s < 0.1);
    assert_true(fabs(hovering(NULL, s, &rate)) < 1e-12);
    assert_true(rate < -1e-3);
    assert_true(isinf(mrn_event_root(hovering, NULL, begin, 0.01, A * W * W + G, 1.2e-16, 2.8e-9)));
}

/* A gap that touches zero and does not pass it is a contact. */
static double grazing(const void *user, double s, double *rate)
{
    (void)user;
    *rate = 2 * (s - 1);
    return (s - 1) * (s - 1);
}

static void test_grazing(void **state)
{
    (void)state;
    double s = mrn_event_root(grazing, NULL, 0, 10, 0.1, 1e-16, 1e-6);
    assert_true(fabs(s - 1) < 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hovering),
                                       cmocka_unit_test(test_grazing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
