/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions, lengths and signals drawn from what runs tell of a process: their means, variances and
   correlations against formulas and sums over a grid. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "inference/surrogate.h"
#include "moraine/lab.h"

enum { POINTS = 14, DRAWS = 2000, PLACES = 6 };

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.12g is not %.12g to %g", a, b, tolerance);
}

static double wavy(const double *u)
{
    return 5 + 3 * sin(3 * u[0]) + u[1] * u[1] - u[0] * u[1];
}

/* Of one output over the unit square; sd: of the noise. */
static mrn_surrogate *make(double sd)
{
    mrn_parameter p[2] = {{.name = "a", .hi = 1}, {.name = "b", .hi = 1}};
    double x[POINTS * 2], y[POINTS], v[POINTS];
    mrn_surrogate *s;
    mrn_rng rng = mrn_rng_seed(3, 3);
    assert_int_equal(mrn_design(p, 2, POINTS, 1, x, NULL), MRN_OK);
    for (int i = 0; i < POINTS; i++) {
        double z = mrn_rng_normal(&rng);
        y[i] = wavy(&x[2 * i]) + sd * z;
        v[i] = sd * sd;
    }
    assert_int_equal(mrn_surrogate_create(p, 2, 1, POINTS, x, y, v, &s, NULL), MRN_OK);
    return s;
}

/* Means of 2000 draws are normal: within 4.5 standard errors with probability 1 - 1e-5 each.
   Variances: those of normal draws to sqrt(2 / 2000) = 3.2 %; paths of finitely many waves have
   longer tails, kurtosis at most twice the normal one here, so 5.5 %, and 4.5 times that. */
static void agrees(double sd)
{
    static const double place[PLACES][2] = {{0.5, 0.5}, {0, 0},   {1, 0.3},
                                            {0.2, 0.9}, {0.7, 0}, {1, 1}};
    mrn_surrogate *s = make(sd);
    mrn_drawn d;
    double sum[PLACES] = {0}, square[PLACES] = {0};
    assert_int_equal(mrn_drawn_make(&s->of[0], &d, NULL), MRN_OK);
    for (int k = 0; k < DRAWS; k++) {
        mrn_rng rng = mrn_rng_seed(11, (uint64_t)k);
        mrn_drawn_draw(&d, &rng);
        for (int i = 0; i < PLACES; i++) {
            double mean, off;
            mrn_surrogate_at(s, place[i], &mean, NULL);
            off = mrn_drawn_at(&d, place[i]) - mean;
            sum[i] += off;
            square[i] += off * off;
        }
    }
    for (int i = 0; i < PLACES; i++) {
        double mean, variance;
        mrn_surrogate_at(s, place[i], &mean, &variance);
        near(sum[i] / DRAWS, 0, 4.5 * sqrt(variance / DRAWS));
        near(square[i] / DRAWS, variance, 0.25 * variance);
    }
    mrn_drawn_release(&d);
    mrn_surrogate_destroy(&s);
}

static void test_noisy(void **state)
{
    (void)state;
    agrees(0.7);
}

static void test_exact(void **state)
{
    (void)state;
    agrees(0);
    /* through every run: what is left is the jitter, 1e-12 of the signal */
    mrn_surrogate *s = make(0);
    const mrn_process *g = &s->of[0];
    mrn_drawn d;
    mrn_rng rng = mrn_rng_seed(1, 1);
    assert_int_equal(mrn_drawn_make(g, &d, NULL), MRN_OK);
    mrn_drawn_draw(&d, &rng);
    for (int i = 0; i < POINTS; i++)
        near(mrn_drawn_at(&d, &g->u[2 * i]), g->shift + g->scale * g->z[i],
             1e-5 * g->scale * sqrt(g->signal));
    mrn_drawn_release(&d);
    mrn_surrogate_destroy(&s);
}

/* Far from all runs, in lengths, the process is what it was before: covariances are those of Matern
   5/2 and, the same for all, the variance of the mean. */
static void test_spectrum(void **state)
{
    mrn_surrogate *s = make(0.7);
    mrn_wander *w;
    mrn_drawn d;
    const double at[4] = {0.012, 0.006, 2.5, 1}, from[2] = {0.4371, 0.5113};
    double to[4][2] = {{0}}, sum[4] = {0}, nearest = INFINITY;
    (void)state;
    assert_int_equal(mrn_wander_create(&s->of[0], INFINITY, &w, NULL), MRN_OK);
    mrn_wander_take(w, at);
    const mrn_process *g = mrn_wander_process(w);
    for (int i = 0; i < POINTS; i++)
        nearest = fmin(nearest,
                       hypot((g->u[2 * i] - from[0]) / at[0], (g->u[2 * i + 1] - from[1]) / at[1]));
    assert_true(nearest > 6); /* correlation below 1e-4 */
    assert_int_equal(mrn_drawn_make(g, &d, NULL), MRN_OK);
    for (int i = 0; i < 4; i++) { /* the same, half a length along one, a length along either */
        static const double lengths[4][2] = {{0, 0}, {0.5, 0}, {0, 1}, {1, 0}};
        for (int k = 0; k < 2; k++)
            to[i][k] = from[k] + lengths[i][k] * at[k];
    }
    for (int k = 0; k < DRAWS; k++) {
        mrn_rng rng = mrn_rng_seed(12, (uint64_t)k);
        mrn_drawn_draw(&d, &rng);
        double mean = g->shift + g->scale * g->beta, here = mrn_drawn_at(&d, from) - mean;
        for (int i = 0; i < 4; i++)
            sum[i] += here * (mrn_drawn_at(&d, to[i]) - mean) / (g->scale * g->scale * DRAWS);
    }
    const double square[4] = {0, 0.25, 1, 1};
    double all = g->signal + 1 / g->hh;
    /* products of normal ones: sqrt(2 / 2000) of the variance, and 4.5 of that */
    for (int i = 0; i < 4; i++)
        near(sum[i], g->signal * mrn_matern(square[i]) + 1 / g->hh, 0.15 * all);
    /* what half a length changes, 0.17 of the signal: of h (h - t) the standard deviation is 0.61
       of it, so 8 % of the mean of 2000, and 4.5 of that */
    double change = g->signal * (1 - mrn_matern(0.25));
    near(sum[0] - sum[1], change, 0.36 * change);
    mrn_drawn_release(&d);
    mrn_wander_destroy(&w);
    mrn_surrogate_destroy(&s);
}

/* ---- lengths ---- */

/* One parameter, exact values: the likelihood has one unknown, whose mean and spread are sums over
   a grid. */
static void test_lengths(void **state)
{
    enum { STEPS = 4000, GRID = 400 };
    mrn_parameter p = {.name = "a", .hi = 1};
    double x[5] = {0, 0.2, 0.45, 0.8, 1}, y[5] = {1, 1.4, 1.1, 2.2, 2.1}, zero[5] = {0}, to[3];
    mrn_surrogate *s;
    mrn_wander *w;
    mrn_rng rng = mrn_rng_seed(5, 5);
    double m0 = 0, m1 = 0, m2 = 0, sum = 0, square = 0, ratio = 0;
    (void)state;
    assert_int_equal(mrn_surrogate_create(&p, 1, 1, 5, x, y, zero, &s, NULL), MRN_OK);
    for (int i = 0; i <= GRID; i++) {
        double at = log(0.01) + i * (log(100) - log(0.01)) / GRID, f;
        assert_int_equal(mrn_process_likelihood(&s->of[0], &at, &f, NULL, NULL), MRN_OK);
        m0 += exp(-f);
        m1 += exp(-f) * at;
        m2 += exp(-f) * at * at;
    }
    double mean = m1 / m0, sd = sqrt(m2 / m0 - mean * mean);
    assert_int_equal(mrn_wander_create(&s->of[0], INFINITY, &w, NULL), MRN_OK);
    for (int k = 0; k < STEPS; k++) {
        mrn_wander_step(w, &rng, to);
        sum += log(to[0]);
        square += log(to[0]) * log(to[0]);
        ratio += to[1] > 0 && isfinite(to[1]);
    }
    sum /= STEPS;
    square = sqrt(square / STEPS - sum * sum);
    /* steps remember each other for a few: a thousand independent ones, 4.5 / sqrt(1000) */
    near(sum, mean, 0.15 * sd);
    near(square, sd, 0.15 * sd);
    assert_true(ratio == STEPS);
    mrn_wander_destroy(&w);
    mrn_surrogate_destroy(&s);
}

/* With the lengths and the signal it had, the copy is the process. */
static void test_copy(void **state)
{
    mrn_surrogate *s = make(0.7);
    const mrn_process *g = &s->of[0];
    mrn_wander *w;
    double at[4] = {g->length[0], g->length[1], g->signal, 1}, other[4], u[2] = {0.3, 0.6};
    double mean[2], variance[2];
    mrn_rng rng = mrn_rng_seed(5, 5);
    (void)state;
    assert_int_equal(mrn_wander_create(g, 20, &w, NULL), MRN_OK);
    mrn_wander_step(w, &rng, other);
    assert_true(other[0] != at[0] && other[2] != at[2] && other[3] != 1);
    mrn_wander_take(w, other);
    mrn_process_at(g, u, &mean[0], &variance[0]);
    mrn_process_at(mrn_wander_process(w), u, &mean[1], &variance[1]);
    assert_true(mean[0] != mean[1] && variance[0] != variance[1]);
    mrn_wander_take(w, at);
    mrn_process_at(mrn_wander_process(w), u, &mean[1], &variance[1]);
    assert_true(mean[0] == mean[1] && variance[0] == variance[1]);
    mrn_wander_destroy(&w);
    mrn_surrogate_destroy(&s);
}

/* An output that is the same in all runs has one function only. */
static void test_plain(void **state)
{
    mrn_parameter p = {.name = "a", .hi = 1};
    double x[3] = {0, 0.5, 1}, y[3] = {7, 7, 7}, zero[3] = {0}, u = 0.3;
    mrn_surrogate *s;
    mrn_drawn d;
    mrn_rng rng = mrn_rng_seed(5, 5);
    (void)state;
    assert_int_equal(mrn_surrogate_create(&p, 1, 1, 3, x, y, zero, &s, NULL), MRN_OK);
    assert_int_equal(mrn_drawn_make(&s->of[0], &d, NULL), MRN_OK);
    mrn_drawn_draw(&d, &rng);
    near(mrn_drawn_at(&d, &u), 7, 0);
    mrn_drawn_release(&d);
    mrn_surrogate_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_noisy),    cmocka_unit_test(test_exact),
        cmocka_unit_test(test_spectrum), cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_copy),     cmocka_unit_test(test_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
