/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of slow growth: parameters found again from points of the law, intervals that cover, points
   thinned, what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/growth.h"

enum { POINTS = 40 };

static const struct {
    const char *law;
    double x[MRN_GROWTH_PARAMETERS];
} cases[] = {
    {"log", {2e-3, 1.5e-3}},
    {"power", {4.318e-3, 0.17}}, /* Selig and Waters */
    {"shenton", {0.759e-3, 2.97e-6}},
    {"thom-oakley", {1e-3, -0.5}},
    {"sato", {5e-3, 0.03, 2e-6}},
    {"inverse-log", {0.58, 0.64, 1.2, 8}},
    {"stretched", {0.58, 0.63, 60, 0.6}},
};

static int points(double last, double *at)
{
    double all[5000];
    int64_t kept[POINTS], n = (int64_t)last;
    for (int64_t i = 0; i < n; i++)
        all[i] = (double)(i + 1);
    int m = mrn_growth_thin(n, all, POINTS, kept);
    for (int i = 0; i < m; i++)
        at[i] = all[kept[i]];
    return m;
}

/* Noise of 1e-4 of the span: the optimum is off by about as much times what parameters trade with
   each other (ten for laws with four), so a hundredth of each parameter is wide, and an exchanged
   or forgotten one is far outside. */
static void test_found_again(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const mrn_growth_law *law = mrn_growth_law_find(cases[k].law);
        double at[POINTS], y[POINTS];
        int n = points(3000, at);
        mrn_rng rng = mrn_rng_seed(7, k);
        mrn_growth g;
        mrn_message msg = {0};
        double span =
            fabs(mrn_growth_value(law, cases[k].x, 3000) - mrn_growth_value(law, cases[k].x, 1));
        for (int i = 0; i < n; i++)
            y[i] = mrn_growth_value(law, cases[k].x, at[i]) + 1e-4 * span * mrn_rng_normal(&rng);
        if (mrn_growth_fit(cases[k].law, n, at, y, &g, &msg) != MRN_OK)
            fail_msg("%s: %s", cases[k].law, msg.text);
        assert_true(g.r2 > 0.9999);
        for (int p = 0; p < law->n; p++) {
            double want = cases[k].x[p], got = g.x[p];
            double scale = strcmp(cases[k].law, "inverse-log") == 0 && p > 1 ? 0.1 : 0.01;
            if (!(fabs(got - want) < scale * fabs(want)))
                fail_msg("%s: %s is %g, not %g", cases[k].law, law->parameter[p], got, want);
            if (!(g.interval[p][0] <= got && got <= g.interval[p][1]))
                fail_msg("%s: %s = %g outside of %g to %g", cases[k].law, law->parameter[p], got,
                         g.interval[p][0], g.interval[p][1]);
        }
    }
}

/* 120 sets of the straight law with independent errors: 114 of their 95 % intervals hold the truth
   in the mean, with a standard deviation of 2.4; four of these are given. */
static void test_coverage(void **unused)
{
    (void)unused;
    double at[POINTS], y[POINTS], truth[2] = {1, 0.5};
    int n = points(1000, at), in[2] = {0, 0};
    for (uint64_t k = 0; k < 120; k++) {
        mrn_rng rng = mrn_rng_seed(11, k);
        mrn_growth g;
        for (int i = 0; i < n; i++)
            y[i] = truth[0] + truth[1] * log10(at[i]) + 0.05 * mrn_rng_normal(&rng);
        assert_int_equal(mrn_growth_fit("log", n, at, y, &g, NULL), MRN_OK);
        for (int p = 0; p < 2; p++)
            in[p] += truth[p] >= g.interval[p][0] && truth[p] <= g.interval[p][1];
    }
    assert_in_range(in[0], 105, 120);
    assert_in_range(in[1], 105, 120);
}

static void test_thin(void **unused)
{
    (void)unused;
    double at[5000];
    int64_t kept[POINTS];
    for (int i = 0; i < 5000; i++)
        at[i] = i + 1;
    int n = mrn_growth_thin(5000, at, POINTS, kept);
    assert_in_range(n, 25, POINTS); /* below 10 whole numbers are sparser than even in log N */
    assert_true(kept[0] == 0 && kept[n - 1] == 4999);
    for (int i = 1; i < n; i++)
        assert_true(kept[i] > kept[i - 1]);
    assert_int_equal(mrn_growth_thin(3, at, POINTS, kept), 3);
    assert_int_equal(mrn_growth_thin(1, at, POINTS, kept), 1);
}

/* The law log is linear in log10 N, and for a line the interval of one more observation is known:
   t s sqrt(1 + 1/n + (x - mean)^2 / Sxx) with s2 the squares over n - 2, and t = 2.02439 for 38
   degrees of freedom. Slopes by differences of 1e-5 are good to 1e-9, the optimum of the fit to
   some 1e-6 of the scatter: 1e-4 of the half width is wide. */
static void test_beyond(void **unused)
{
    (void)unused;
    double at[POINTS], y[POINTS], mean = 0, sxx = 0, rss = 0, to = 1e6, interval[2];
    const double x[] = {2e-3, 1.5e-3};
    const mrn_growth_law *law = mrn_growth_law_find("log");
    mrn_rng rng = mrn_rng_seed(3, 1);
    mrn_growth g;
    mrn_message msg = {0};
    int n = points(3000, at);
    for (int i = 0; i < n; i++) {
        y[i] = mrn_growth_value(law, x, at[i]) + 1e-4 * mrn_rng_normal(&rng);
        mean += log10(at[i]) / n;
    }
    assert_int_equal(mrn_growth_fit("log", n, at, y, &g, &msg), MRN_OK);
    for (int i = 0; i < n; i++) {
        double d = y[i] - mrn_growth_value(law, g.x, at[i]);
        sxx += (log10(at[i]) - mean) * (log10(at[i]) - mean);
        rss += d * d;
    }
    double value = mrn_growth_extrapolate(&g, n, at, to, interval), off = log10(to) - mean;
    double half = 2.02439 * sqrt(rss / (n - 2) * (1 + 1.0 / n + off * off / sxx));
    assert_int_equal(n, 40);
    assert_true(value == mrn_growth_value(law, g.x, to));
    if (!(fabs(interval[1] - value - half) < 1e-4 * half) ||
        !(fabs(value - interval[0] - half) < 1e-4 * half))
        fail_msg("half of the interval is %g, not %g", interval[1] - value, half);
}

static void test_refused(void **unused)
{
    (void)unused;
    double at[] = {1, 2, 3, 4, 5}, flat[] = {1, 1, 1, 1, 1}, up[] = {1, 2, 3, 4, 5};
    double back[] = {1, 2, 2, 4, 5};
    mrn_growth g;
    mrn_message msg = {0};
    assert_int_equal(mrn_growth_fit("lg", 5, at, up, &g, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.expected, "log"));
    assert_int_equal(mrn_growth_fit("log", 3, at, up, &g, NULL), MRN_ERR_INPUT);
    assert_int_equal(mrn_growth_fit("log", 5, at, flat, &g, NULL), MRN_ERR_INPUT);
    assert_int_equal(mrn_growth_fit("log", 5, back, up, &g, NULL), MRN_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_again), cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_thin),        cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
