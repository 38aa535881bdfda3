/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparison of samples and orders of convergence against numbers known otherwise. */
#include "moraine/crosscheck.h"
#include "run/helper.h"

static void near(double a, double b, double relative)
{
    if (!(fabs(a - b) <= relative * fabs(b)))
        fail_msg("%.15g is not %.15g to %g", a, b, relative);
}

/* t, degrees of freedom, p and quantile from the formulas and a midpoint rule over Student's
   density, made apart from this code. */
static void test_welch(void **state)
{
    (void)state;
    const double a[] = {5.1, 4.9, 6.2, 5.7, 6.0, 5.1, 5.9}, b[] = {6.3, 7.9, 5.0, 8.4, 7.7};
    mrn_scatter sa = mrn_scatter_of(a, 7), sb = mrn_scatter_of(b, 5);
    mrn_welch w = mrn_welch_of(&sa, &sb, 0.95, 0.1);
    near(w.difference, 7.06 - 5.557142857142857, 1e-12);
    near(w.error, 0.6516342615949179, 1e-12);
    near(w.t, 2.306289327357959, 1e-12);
    near(w.freedom, 4.794680122456443, 1e-12);
    near(w.p, 0.0714668917428839, 1e-9);
    near(w.half, 1.696885903820661, 1e-6);
    assert_int_equal(w.verdict, MRN_CANNOT_TELL);
    /* variances 0.266 and 1.933: 2.306 sqrt(2.199 / 5) = 1.53, 2.228 sqrt(2.199 / 6) = 1.35 */
    assert_int_equal(w.seeds_needed, 6);
    /* the same numbers in other light: what is wide enough is no difference */
    assert_int_equal(mrn_welch_of(&sa, &sb, 0.95, 3.3).verdict, MRN_AGREE);
    assert_int_equal(mrn_welch_of(&sa, &sb, 0.80, 0.1).verdict, MRN_DIFFER);
}

static void test_welch_without_scatter(void **state)
{
    (void)state;
    const double one = 1.25, same[] = {2, 2, 2}, other[] = {2.1, 2.1, 2.1};
    mrn_scatter s = mrn_scatter_of(same, 3), o = mrn_scatter_of(other, 3);
    mrn_scatter single = mrn_scatter_of(&one, 1);
    assert_true(s.sd == 0);
    assert_int_equal(mrn_welch_of(&s, &o, 0.95, 0.05).verdict, MRN_DIFFER);
    assert_int_equal(mrn_welch_of(&s, &o, 0.95, 0.2).verdict, MRN_AGREE);
    assert_int_equal(mrn_welch_of(&s, &s, 0.95, 0).verdict, MRN_AGREE);
    mrn_welch w = mrn_welch_of(&single, &s, 0.95, 10);
    assert_true(isnan(w.half));
    assert_int_equal(w.verdict, MRN_CANNOT_TELL);
}

static void test_distance(void **state)
{
    (void)state;
    const double a[] = {1, 2, 3, 4}, b[] = {2.5, 3.5, 4.5, 5.5}, c[] = {1, 1, 2, 2, 3, 3, 4, 4};
    assert_true(mrn_ks_distance(a, 4, a, 4) == 0);
    assert_true(mrn_ks_distance(a, 4, c, 8) == 0); /* ties count at once */
    near(mrn_ks_distance(a, 4, b, 4), 0.5, 1e-15);
    near(mrn_ks_distance(b, 4, a, 4), 0.5, 1e-15);
    assert_true(mrn_ks_distance(a, 1, b, 4) == 1);
    assert_true(isnan(mrn_ks_distance(a, 0, b, 4)));
}

/* ---- orders ---- */

static mrn_order order_of(int levels, const double *x, int seeds, const double *y)
{
    mrn_order o;
    mrn_message msg = {0};
    ok(mrn_order_of(levels, x, seeds, y, true, 0.95, &o, &msg), &msg);
    return o;
}

/* y0 + c x^p is found to all digits, whatever the ratios of the levels. */
static void test_exact_orders(void **state)
{
    (void)state;
    const double p[] = {0.5, 1, 2, 3.7}, x[] = {1, 0.4, 0.2, 0.09, 0.05};
    for (int k = 0; k < 4; k++) {
        double y[5];
        for (int i = 0; i < 5; i++)
            y[i] = 3 - 0.7 * pow(x[i], p[k]);
        mrn_order o = order_of(5, x, 1, y);
        assert_int_equal(o.kind, MRN_ORDER_FOUND);
        near(o.three, p[k], 1e-6);
        near(o.fit, p[k], 1e-5);
        near(o.limit, 3, 1e-9);
        near(o.gci, 1.25 * 0.7 * pow(0.05, p[k]), 1e-5);
        assert_true(fabs(o.limit - 3) <= o.uncertainty);
        assert_true(isnan(o.limit_half));
    }
}

/* A published one: Roache (1998), 5.10.1: ratio 2, values 0.97050, 0.96854, 0.96178 on the fine,
   middle and coarse grid: order 1.786170, limit 0.97130, index 0.103083 % of the fine value. */
static void test_published(void **state)
{
    (void)state;
    const double x[] = {4, 2, 1}, y[] = {0.96178, 0.96854, 0.97050};
    mrn_order o = order_of(3, x, 1, y);
    near(o.three, 1.786170, 1e-6);
    near(o.three_limit, 0.97130, 1e-5);
    near(o.gci / 0.97050, 0.00103083, 1e-4);
}

static void test_no_order(void **state)
{
    (void)state;
    const double x[] = {8, 4, 2, 1}, same[] = {2, 2, 2, 2}, sign[] = {1, 2, 1.5, 1.7},
                 grows[] = {1, 1.1, 1.3, 1.7};
    assert_int_equal(order_of(4, x, 1, same).kind, MRN_ORDER_CONSTANT);
    assert_int_equal(order_of(4, x, 1, sign).kind, MRN_ORDER_NONE);
    assert_int_equal(order_of(4, x, 1, grows).kind, MRN_ORDER_NONE);
    mrn_order two = order_of(2, x, 1, sign);
    assert_int_equal(two.kind, MRN_ORDER_NONE);
    assert_non_null(strstr(two.words, "three levels"));
    assert_true(two.limit == 2 && two.uncertainty == 1);
}

/* Seeds: what is common to all levels does no harm; what is not hides the order. */
static void test_noise(void **state)
{
    (void)state;
    enum { SEEDS = 6 };
    const double x[] = {8, 4, 2, 1};
    double y[4 * SEEDS];
    mrn_rng rng = mrn_rng_seed(7, 0);
    double common[SEEDS];
    for (int k = 0; k < SEEDS; k++)
        common[k] = mrn_rng_normal(&rng);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < SEEDS; k++)
            y[i * SEEDS + k] = 5 + common[k] + 0.01 * x[i] * (1 + 0.02 * common[k]);
    mrn_order o = order_of(4, x, SEEDS, y);
    assert_int_equal(o.kind, MRN_ORDER_FOUND);
    near(o.three, 1, 1e-6);
    assert_true(o.limit_half > 0.5 && o.limit_half < 2); /* about t sd / sqrt(6) = 1.05 */
    for (int i = 0; i < 4 * SEEDS; i++)
        y[i] += 0.1 * mrn_rng_normal(&rng);
    o = order_of(4, x, SEEDS, y);
    assert_int_equal(o.kind, MRN_ORDER_NOISE);
    assert_non_null(strstr(o.words, "noise"));
    assert_true(o.uncertainty > 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_welch),     cmocka_unit_test(test_welch_without_scatter),
        cmocka_unit_test(test_distance),  cmocka_unit_test(test_exact_orders),
        cmocka_unit_test(test_published), cmocka_unit_test(test_no_order),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
