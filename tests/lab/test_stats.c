/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions, replicates and the test of normality. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fit_models.h"

static void near(double a, double b, double relative)
{
    if (!(fabs(a - b) <= relative * fabs(b)))
        fail_msg("%.15g is not %.15g to %g", a, b, relative);
}

/* Closed forms: Student with 1 and 2 degrees of freedom, chi² with 2, Fisher with 2 and 2. */
static void test_quantiles(void **state)
{
    (void)state;
    near(mrn_student_quantile(0.975, 1), tan(M_PI * 0.475), 1e-13);
    double p = 0.975, a = 4 * p * (1 - p);
    near(mrn_student_quantile(p, 2), 2 * (p - 0.5) * sqrt(2 / a), 1e-13);
    near(mrn_student_quantile(0.975, INFINITY), 1.959963984540054, 1e-14);
    near(mrn_student_quantile(0.025, 7), -mrn_student_quantile(0.975, 7), 1e-12);
    assert_true(mrn_student_quantile(0.5, 3) == 0);
    near(mrn_student_two_sided(mrn_student_quantile(0.975, 4.5), 4.5), 0.05, 1e-12);
    near(mrn_chi2_quantile(0.95, 2), -2 * log(0.05), 1e-13);
    near(mrn_chi2_above(3, 2), exp(-1.5), 1e-13);
    assert_true(mrn_chi2_quantile(0.95, 0) == 0);
    assert_true(isnan(mrn_chi2_above(1, 0)));
    near(mrn_fisher_quantile(0.9, 2, 2), 9, 1e-13);
    near(mrn_fisher_quantile(0.9, 2, INFINITY), -log(0.1), 1e-13);
}

/* Far out: GSL must not be asked what it answers by ending the program. */
static void test_far_tails(void **state)
{
    const double x[] = {0, 1e-300, 1e-10, 1, 1e3, 1e4, 1e6, 1e10, 1e100, 1e300};
    const double df[] = {0.01, 1, 2.5, 16, 1e3, 1e6, 1e9};
    (void)state;
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 7; k++) {
            double p = mrn_chi2_above(x[i], df[k]), t = mrn_student_two_sided(x[i], df[k]);
            assert_true(p >= 0 && p <= 1 && t >= 0 && t <= 1);
        }
    assert_true(mrn_student_two_sided(INFINITY, 3) == 0);
    assert_true(isnan(mrn_student_two_sided(NAN, 3)));
    for (int k = 0; k < 7; k++) {
        assert_true(mrn_student_quantile(0.975, df[k]) > 1.9);
        assert_true(mrn_chi2_quantile(0.99995, df[k]) > mrn_chi2_quantile(0.5, df[k]));
        assert_true(mrn_fisher_quantile(0.95, 2, df[k]) > 2.9);
    }
}

static void test_replicates(void **state)
{
    const double y[] = {1, 2, 4, 5}, same[] = {0.1, 0.1, 0.1}, nan[] = {1, NAN};
    double mean, v;
    int df;
    mrn_message msg;
    (void)state;
    assert_int_equal(mrn_replicates(y, 4, &mean, &v, &df, &msg), MRN_OK);
    near(mean, 3, 1e-15);
    near(v, 10.0 / 3 / 4, 1e-15);
    assert_int_equal(df, 3);
    assert_int_equal(mrn_replicates(y, 1, &mean, &v, &df, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "1 replicate:"));
    assert_int_equal(mrn_replicates(same, 3, &mean, &v, &df, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "variance is zero"));
    assert_int_equal(mrn_replicates(nan, 2, &mean, &v, &df, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "replicate 2"));
}

static void test_half_width(void **state)
{
    mrn_datum d = {.variance = 4, .freedom = 1};
    (void)state;
    near(mrn_datum_half_width(&d, 0.95), 2 * tan(M_PI * 0.475), 1e-12);
    d.freedom = 0;
    near(mrn_datum_half_width(&d, 0.95), 2 * 1.959963984540054, 1e-13);
    d.variance = NAN;
    assert_true(isnan(mrn_datum_half_width(&d, 0.95)));
}

/* Weights of eleven men (Shapiro & Wilk 1965): W = 0.79; p by Royston's approximation 0.0067. */
static void test_shapiro_published(void **state)
{
    double x[] = {148, 236, 154, 195, 158, 182, 160, 170, 161, 166, 162}, p;
    (void)state;
    near(mrn_shapiro_wilk(x, 11, &p), 0.7888, 1e-4);
    near(p, 0.00670, 2e-3);
    double same[] = {1, 1, 1, 1};
    assert_true(isnan(mrn_shapiro_wilk(same, 4, &p)));
}

/* Under normal data p is uniform: of 3000 sets one in twenty is below 0.05 (sd 0.4 %; four of them
   allowed), for both branches of the approximation; of exponential data (n = 30) most are. */
static void test_shapiro_level(void **state)
{
    const int sizes[] = {8, 11, 12, 30};
    (void)state;
    for (int s = 0; s < 4; s++) {
        int below = 0, skewed = 0, n = sizes[s];
        for (int k = 0; k < 3000; k++) {
            mrn_rng rng = mrn_rng_seed(5, (uint64_t)k);
            double x[30], y[30], p;
            for (int i = 0; i < n; i++) {
                x[i] = 7 + 3 * mrn_rng_normal(&rng);
                y[i] = -log(1 - mrn_rng_uniform(&rng));
            }
            mrn_shapiro_wilk(x, n, &p);
            below += p < 0.05;
            mrn_shapiro_wilk(y, n, &p);
            skewed += p < 0.05;
        }
        assert_in_range(below, 150 - 48, 150 + 48);
        assert_true(n < 30 || skewed > 2700);
    }
}

/* Mean df, variance 2 df: of 1e5 drawings to four standard errors. */
static void test_chi2_numbers(void **state)
{
    const double sizes[] = {0.5, 1, 2, 7.5};
    (void)state;
    for (int s = 0; s < 4; s++) {
        double df = sizes[s], sum = 0, square = 0;
        const int n = 100000;
        mrn_rng rng = mrn_rng_seed(9, 0);
        for (int k = 0; k < n; k++) {
            double x = mrn_rng_chi2(&rng, df);
            sum += x;
            square += (x - df) * (x - df);
        }
        assert_true(fabs(sum / n - df) < 4 * sqrt(2 * df / n));
        double kurtosis = 12 * df * (df + 4) - 4 * df * df; /* fourth moment less variance² */
        assert_true(fabs(square / n - 2 * df) < 4 * sqrt(kurtosis / n));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_tails),         cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_replicates),        cmocka_unit_test(test_half_width),
        cmocka_unit_test(test_shapiro_published), cmocka_unit_test(test_shapiro_level),
        cmocka_unit_test(test_chi2_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
