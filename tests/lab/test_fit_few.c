/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fewer data than parameters: no error, but nothing predicted that the data do not tell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fit_models.h"

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.15g is not %.15g to %g", a, b, tolerance);
}

static mrn_fit_options options(void)
{
    mrn_fit_options o = mrn_fit_default();
    o.few = true;
    o.bootstrap = 40;
    return o;
}

static mrn_fit must_fit(test_model *s, const mrn_parameter *q, const mrn_datum *d, int responses,
                        const mrn_fit_options *o)
{
    mrn_predictor model = test_predictor(s);
    mrn_fit f;
    mrn_message msg = {0};
    mrn_status status = mrn_fit_model(&model, q, d, responses, o, &f, &msg);
    if (status != MRN_OK)
        fail_msg("%s: %s", mrn_status_text(status), msg.text);
    return f;
}

/* Nothing that is written anywhere may be without meaning. */
static void check_whole(const mrn_fit *f, const mrn_parameter *q)
{
    assert_true(f->n > 0 && f->n_nested <= f->n && f->n_regions == f->n * (f->n - 1) / 2);
    assert_true(isfinite(f->objective) && isfinite(f->aic) && isfinite(f->bic));
    for (int k = 0; k < f->n_tests; k++)
        assert_true(f->test[k].words[0] != '\0');
    for (int j = 0; j < f->n; j++) {
        const mrn_estimate *e = &f->at[j];
        assert_true(f->x[j] >= q[j].lo && f->x[j] <= q[j].hi && e->words[0] != '\0');
        assert_false(isnan(e->linear[0]) || isnan(e->profile[0]) || isnan(e->profile[1]));
        for (int k = 0; k < f->n; k++)
            assert_true(fabs(f->correlation[j * f->n + k]) < 1 + 1e-9);
    }
    for (int k = 0; k < f->n_nested; k++)
        assert_true(f->nested[k].p >= 0 && f->nested[k].p <= 1);
    for (int k = 0; k < f->n_regions; k++)
        for (int i = 0; i < f->region[k].n; i++)
            assert_true(isfinite(f->region[k].x[i]) && isfinite(f->region[k].y[i]) &&
                        isfinite(f->region[k].linear_x[i]) && isfinite(f->region[k].linear_y[i]));
}

static void check_open(const mrn_estimate *e)
{
    assert_true(e->linear[0] == -INFINITY && e->linear[1] == INFINITY);
    assert_true(e->bootstrap[0] == -INFINITY && e->bootstrap[1] == INFINITY);
}

/* ---- one datum, two parameters ---- */

static double product(const double *x, double t)
{
    return t * x[0] * x[1];
}

static double hill(const double *x, double t)
{
    return t * (x[0] + x[1]);
}

static void test_one_of_two(void **state)
{
    test_model s = {.f = product, .t = {1}, .n = 2, .m = 1};
    mrn_parameter q[2] = {test_parameter("a", 0.1, 10, true), test_parameter("b", 0.1, 10, true)};
    mrn_datum d = {.y = 1, .variance = 1e-4, .label = "only"};
    mrn_fit_options o = options();
    (void)state;
    mrn_fit f = must_fit(&s, q, &d, 1, &o);
    check_whole(&f, q);
    near(f.objective, 0, 1e-9);
    near(f.x[0] * f.x[1], 1, 1e-5);
    for (int j = 0; j < 2; j++) {
        assert_int_equal(f.at[j].verdict, MRN_TIED);
        assert_int_equal(f.at[j].tied_to, 1 - j);
        check_open(&f.at[j]);
        /* any value does, the other follows: both ends are the bounds' */
        assert_true(f.at[j].profile[0] == -INFINITY && f.at[j].profile[1] == INFINITY);
    }
    assert_non_null(strstr(f.at[0].words, "a × b^1"));
    assert_true(isnan(f.chi2[0]) && isnan(f.chi2[1]) && f.fits && f.best == -1);
    for (int k = 0; k < f.n_tests; k++) {
        assert_true(isnan(f.test[k].p) && f.test[k].passed);
        assert_non_null(strstr(f.test[k].words, "too few"));
    }
    assert_non_null(strstr(f.assumed, "1 data for 2 parameters"));
    mrn_fit_release(&f);
    /* of all that do, the one near the start: both move by the same factor, sqrt(3), as the steps
       are not quite straight to a tenth */
    q[0].start = 3;
    f = must_fit(&s, q, &d, 1, &o);
    near(f.x[0], sqrt(3), 0.1 * sqrt(3));
    near(f.x[0] * f.x[1], 1, 1e-5);
    mrn_fit_release(&f);
    o.few = false;
    mrn_predictor model = test_predictor(&s);
    assert_int_equal(mrn_fit_model(&model, q, &d, 1, &o, &f, NULL), MRN_ERR_INPUT);
}

/* The region of the two is the band a b = 1 within its error, as far as it is seen from the
   optimum: all corners that are not on the bounds lie on the contour. */
static void test_region(void **state)
{
    test_model s = {.f = hill, .t = {1}, .n = 2, .m = 1};
    mrn_parameter q[2] = {test_parameter("a", 0, 1, false), test_parameter("b", 0, 1, false)};
    mrn_datum d = {.y = 1, .variance = 4e-4};
    mrn_fit_options o = options();
    int on = 0, reach = 0;
    (void)state;
    mrn_fit f = must_fit(&s, q, &d, 1, &o);
    check_whole(&f, q);
    const mrn_fit_region *g = &f.region[0];
    double rise = 2 * mrn_fisher_quantile(0.95, 2, INFINITY);
    for (int i = 0; i < g->n; i++) {
        double a = g->x[i], b = g->y[i], F = (a + b - 1) * (a + b - 1) / 4e-4;
        bool edge = a < 1e-9 || a > 1 - 1e-9 || b < 1e-9 || b > 1 - 1e-9;
        assert_true(F < rise * (1 + 1e-4));
        on += fabs(F - rise) < 1e-4 * rise;
        reach += edge;
    }
    assert_true(on > 4 && reach > 4);
    mrn_fit_release(&f);
}

/* ---- sharp data: the scale of an eigenvalue must not close an interval ---- */

static void test_sharp(void **state)
{
    test_model s = {.f = hill, .t = {1}, .n = 2, .m = 1};
    mrn_parameter q[2] = {test_parameter("a", 0, 1, false), test_parameter("b", 0, 1, false)};
    mrn_datum d = {.y = 1, .variance = 1e-18};
    mrn_fit_options o = options();
    (void)state;
    o.regions = false;
    mrn_fit f = must_fit(&s, q, &d, 1, &o);
    for (int j = 0; j < 2; j++) {
        assert_int_equal(f.at[j].verdict, MRN_TIED);
        check_open(&f.at[j]);
    }
    mrn_fit_release(&f);
}

/* ---- pairs: the partner is the one it is tied to ---- */

static double pairs(const double *x, double t)
{
    return t < 1 ? x[0] + 0.5 * x[3] : x[1] * x[2];
}

static void test_partners(void **state)
{
    static const int partner[4] = {3, 2, 1, 0};
    test_model s = {.f = pairs, .t = {0, 1}, .n = 4, .m = 2};
    mrn_parameter q[4] = {test_parameter("a", 0, 2, false), test_parameter("b", 0.2, 5, true),
                          test_parameter("c", 0.2, 5, true), test_parameter("d", 0, 4, false)};
    mrn_datum d[2] = {{.y = 2, .variance = 1e-4}, {.y = 1, .variance = 1e-4, .response = 1}};
    mrn_fit_options o = options();
    (void)state;
    mrn_fit f = must_fit(&s, q, d, 2, &o);
    check_whole(&f, q);
    near(f.objective, 0, 1e-9);
    for (int j = 0; j < 4; j++) {
        assert_int_equal(f.at[j].verdict, MRN_TIED);
        assert_int_equal(f.at[j].tied_to, partner[j]);
    }
    mrn_fit_release(&f);
}

/* ---- three parameters, two data: one known, one without influence ---- */

static double inert(const double *x, double t)
{
    return x[0] * t + x[1] * (t - 1) + 0 * x[2];
}

static void test_inert(void **state)
{
    test_model s = {.f = inert, .t = {1, 2}, .n = 3, .m = 2};
    mrn_parameter q[3] = {test_parameter("a", -5, 5, false), test_parameter("b", -5, 5, false),
                          test_parameter("c", 1, 2, false)};
    mrn_datum d[2] = {{.y = 2, .variance = 0.01}, {.y = 1, .variance = 0.01}};
    mrn_fit_options o = options();
    (void)state;
    mrn_fit f = must_fit(&s, q, d, 1, &o);
    check_whole(&f, q);
    /* f = a at t = 1, 2 a + b at t = 2: a = 2 ± 0.1, b = -3 ± 0.1 sqrt(5) */
    near(f.x[0], 2, 1e-6);
    near(f.x[1], -3, 1e-6);
    near(f.at[0].profile[1], 2 + 0.1 * 1.959963985, 1e-5);
    near(f.at[1].profile[0], -3 - 0.1 * sqrt(5) * 1.959963985, 1e-5);
    near(f.at[1].linear[0], -3 - 0.1 * sqrt(5) * 1.959963985, 1e-5);
    assert_int_equal(f.at[0].verdict, MRN_IDENTIFIED);
    assert_int_equal(f.at[1].verdict, MRN_IDENTIFIED);
    assert_int_equal(f.at[2].verdict, MRN_NOT_IDENTIFIED);
    check_open(&f.at[2]);
    assert_true(f.at[2].profile[0] == -INFINITY && f.at[2].profile[1] == INFINITY);
    mrn_fit_release(&f);
}

/* ---- a weak partner: its bounds are enough ---- */

static double lopsided(const double *x, double t)
{
    return t * x[0] + 0.02 * x[1];
}

static void test_weak_partner(void **state)
{
    test_model s = {.f = lopsided, .t = {1}, .n = 2, .m = 1};
    mrn_parameter q[2] = {test_parameter("strong", 0, 1, false),
                          test_parameter("weak", 0, 1, false)};
    mrn_datum d = {.y = 0.5, .variance = 1e-6};
    mrn_fit_options o = options();
    (void)state;
    mrn_fit f = must_fit(&s, q, &d, 1, &o);
    check_whole(&f, q);
    assert_int_equal(f.at[0].verdict, MRN_IDENTIFIED);
    assert_non_null(strstr(f.at[0].words, "rests on the bounds of weak"));
    assert_null(strstr(f.at[0].words, "straight"));
    /* weak from 0 to 1: strong from 0.48 to 0.5, and the error of the datum */
    near(f.at[0].profile[0], 0.48 - 1.959963985e-3, 1e-6);
    near(f.at[0].profile[1], 0.5 + 1.959963985e-3, 1e-6);
    assert_int_equal(f.at[1].verdict, MRN_TIED);
    assert_int_equal(f.at[1].tied_to, 0);
    mrn_fit_release(&f);
}

/* Over its whole range it moves the datum by half its error: nothing is known of it, and it does
   not spoil what is known of the other, whose interval is the datum's. */
static void test_hardly_there(void **state)
{
    test_model s = {.f = lopsided, .t = {1}, .n = 2, .m = 1};
    mrn_parameter q[2] = {test_parameter("strong", 0, 1, false),
                          test_parameter("weak", 0, 1, false)};
    mrn_datum d = {.y = 0.5, .variance = 0.04 * 0.04};
    mrn_fit_options o = options();
    (void)state;
    mrn_fit f = must_fit(&s, q, &d, 1, &o);
    check_whole(&f, q);
    assert_int_equal(f.at[0].verdict, MRN_IDENTIFIED);
    assert_int_equal(f.at[1].verdict, MRN_NOT_IDENTIFIED);
    near(f.at[0].linear[1] - f.at[0].linear[0], 2 * 0.04 * 1.959963985, 1e-6);
    near(f.correlation[1], 0, 0);
    check_open(&f.at[1]);
    mrn_fit_release(&f);
}

/* ---- data out of reach are predicted, though nothing is left over ---- */

static void test_out_of_reach(void **state)
{
    test_model s = {.f = hill, .t = {1}, .n = 2, .m = 1};
    mrn_parameter q[2] = {test_parameter("a", 0, 1, false), test_parameter("b", 0, 1, false)};
    mrn_datum d = {.y = 2.5, .variance = 0.01};
    mrn_fit_options o = options();
    (void)state;
    mrn_fit f = must_fit(&s, q, &d, 1, &o);
    check_whole(&f, q);
    near(f.objective, 25, 1e-6);
    assert_false(f.fits);
    assert_false(f.test[0].passed);
    near(f.test[0].p, mrn_chi2_above(25, 1), 1e-9);
    assert_non_null(strstr(f.test[0].words, "bounds"));
    mrn_fit_release(&f);
}

/* Replicates, and errors that cannot be found from a single residual. */
static void test_errors_of_data(void **state)
{
    test_model s = {.f = product, .t = {1}, .n = 2, .m = 1};
    mrn_parameter q[2] = {test_parameter("a", 0.1, 10, true), test_parameter("b", 0.1, 10, true)};
    mrn_datum d = {.y = 1, .variance = 1e-4, .freedom = 3, .spread = MRN_SPREAD_REPLICATES};
    mrn_fit_options o = options();
    mrn_message msg = {0};
    mrn_predictor model = test_predictor(&s);
    (void)state;
    mrn_fit f = must_fit(&s, q, &d, 1, &o);
    check_whole(&f, q);
    assert_int_equal(f.at[0].verdict, MRN_TIED);
    assert_true(isnan(f.chi2[1]) && f.fits);
    mrn_fit_release(&f);
    d.spread = MRN_SPREAD_COMMON;
    assert_int_equal(mrn_fit_model(&model, q, &d, 1, &o, &f, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "unknown variance in common"));
    s.m = model.m = 0;
    assert_int_equal(mrn_fit_model(&model, q, &d, 1, &o, &f, &msg), MRN_ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_of_two),     cmocka_unit_test(test_region),
        cmocka_unit_test(test_sharp),          cmocka_unit_test(test_partners),
        cmocka_unit_test(test_inert),          cmocka_unit_test(test_weak_partner),
        cmocka_unit_test(test_hardly_there),   cmocka_unit_test(test_out_of_reach),
        cmocka_unit_test(test_errors_of_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
