/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums that do not depend on the order of their terms: the same bits for every order and every cut,
   errors against a sum in long double, and the ends of the range of numbers. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/sum.h"
#include "moraine/types.h"

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static double one_by_one(const double *x, int64_t n)
{
    mrn_sum s = {0};
    for (int64_t k = 0; k < n; k++)
        mrn_sum_add(&s, x[k]);
    return mrn_sum_value(&s);
}

/* Cut at random into blocks, which go in any order to several sums, merged at the end. */
static double in_parts(const double *x, int64_t n, mrn_rng *r)
{
    enum { PARTS = 5 };
    mrn_sum s[PARTS] = {{0}};
    for (int64_t at = 0; at < n;) {
        int64_t size = (int64_t)(300 * mrn_rng_uniform(r)) % (n - at) + 1;
        mrn_sum *to = &s[(int)(PARTS * mrn_rng_uniform(r))];
        if (mrn_rng_uniform(r) < 0.2)
            for (int64_t k = at; k < at + size; k++)
                mrn_sum_add(to, x[k]);
        else
            mrn_sum_block(to, x + at, size);
        at += size;
    }
    for (int k = PARTS - 2; k >= 0; k--)
        mrn_sum_merge(&s[k], &s[k + 1]);
    return mrn_sum_value(&s[0]);
}

static void shuffle(double *x, int64_t n, mrn_rng *r)
{
    for (int64_t k = n - 1; k > 0; k--) {
        int64_t m = (int64_t)((double)(k + 1) * mrn_rng_uniform(r));
        double t = x[k];
        x[k] = x[m];
        x[m] = t;
    }
}

/* Kinds of terms: of one size, of sizes over `span` powers of two, of both signs or one. */
static void fill(double *x, int64_t n, int span, bool both, mrn_rng *r)
{
    for (int64_t k = 0; k < n; k++) {
        double u = mrn_rng_uniform(r) * (both && mrn_rng_uniform(r) < 0.5 ? -1 : 1);
        x[k] = ldexp(u, (int)(span * (mrn_rng_uniform(r) - 0.5)));
    }
}

static void any_order(void **state)
{
    (void)state;
    enum { N = 3000 };
    static double x[N];
    mrn_rng r = mrn_rng_seed(1, 0);
    for (int kind = 0; kind < 12; kind++) {
        const int span[6] = {0, 10, 60, 200, 800, 1900};
        fill(x, N, span[kind % 6], kind >= 6, &r);
        if (kind == 3)
            for (int k = 0; k < N; k += 3) /* most are nothing */
                x[k] = x[k + 1] = k % 2 ? -0.0 : 0.0;
        double first = one_by_one(x, N);
        for (int round = 0; round < 20; round++) {
            shuffle(x, N, &r);
            assert_true(same(one_by_one(x, N), first));
            assert_true(same(in_parts(x, N, &r), first));
        }
    }
}

/* A larger term that comes last, exactly at the edges of levels. */
static void edges_of_levels(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(2, 0);
    for (int e = -1074; e < 990; e++) {
        double x[6] = {ldexp(1, e),      -ldexp(1.5, e - 3),  ldexp(1, e + 1),
                       ldexp(1, e - 44), ldexp(1.25, e - 43), -ldexp(1.75, e - 90)};
        double first = one_by_one(x, 6);
        for (int round = 0; round < 4; round++) {
            shuffle(x, 6, &r);
            assert_true(same(one_by_one(x, 6), first));
            assert_true(same(in_parts(x, 6, &r), first));
        }
    }
}

/* The error of n terms is below n 2^-88 of the largest and half a unit of the result, twice: that
   of a plain sum in long double is larger. */
static void error_is_small(void **state)
{
    (void)state;
    enum { N = 100000 };
    double *x = malloc(N * sizeof *x);
    mrn_rng r = mrn_rng_seed(3, 0);
    for (int kind = 0; kind < 6; kind++) {
        fill(x, N, 20 * (kind % 3), kind >= 3, &r);
        long double right = 0, size = 0;
        for (int k = 0; k < N; k++)
            right += x[k], size += fabsl(x[k]);
        double got = one_by_one(x, N);
        double bound = DBL_EPSILON * fabs(got) + (double)(size * N * LDBL_EPSILON) / 2;
        assert_true(fabs((double)(got - right)) <= bound);
    }
    free(x);
}

/* Terms that cancel leave the rest: exactly, where it ends within 88 bits of the largest. */
static void cancellation(void **state)
{
    (void)state;
    const double a[] = {1e20, 1, -1e20}, b[] = {1, 0x1p-80, -1}, c[] = {3e9, -1e-9, -3e9, 2e-9};
    assert_true(same(one_by_one(a, 3), 1));
    assert_true(same(one_by_one(b, 3), 0x1p-80));
    assert_true(fabs(one_by_one(c, 4) - 1e-9) <= 4 * 0x1p-88 * 3e9);
    double x[2000];
    mrn_rng r = mrn_rng_seed(4, 0);
    fill(x, 1000, 30, true, &r);
    for (int k = 0; k < 1000; k++)
        x[1000 + k] = -x[k];
    shuffle(x, 2000, &r);
    assert_true(same(in_parts(x, 2000, &r), 0));
}

static void few_terms(void **state)
{
    (void)state;
    mrn_sum none = {0};
    assert_true(same(mrn_sum_value(&none), 0));
    const double zero[] = {0.0, -0.0};
    assert_true(same(one_by_one(zero, 2), 0));
    /* one term is itself, in every part of the range */
    mrn_rng r = mrn_rng_seed(5, 0);
    for (int e = -1074; e <= 992; e++) {
        double x = ldexp(1 + (e > -1022 ? mrn_rng_uniform(&r) : 0), e);
        assert_true(same(one_by_one(&x, 1), x));
        x = -x;
        mrn_sum s = {0};
        mrn_sum_block(&s, &x, 1);
        assert_true(same(mrn_sum_value(&s), x));
    }
    const double tiny[] = {0x1p-1074, 0x1p-1074, -0x1p-1073, 0x1p-1060};
    assert_true(same(one_by_one(tiny, 4), 0x1p-1060));
}

/* What is no number, or too large to be cut, makes the sum no number, wherever it comes. */
static void lost_terms(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY, 0x1p993, -DBL_MAX};
    double x[100];
    mrn_rng r = mrn_rng_seed(6, 0);
    for (int k = 0; k < 5; k++)
        for (int at = 0; at < 100; at += 33) {
            fill(x, 100, 5, true, &r);
            x[at] = bad[k];
            assert_true(isnan(one_by_one(x, 100)));
            mrn_sum s = {0};
            mrn_sum_block(&s, x, 100);
            assert_true(isnan(mrn_sum_value(&s)));
        }
    /* large, and more of them than a double can hold */
    for (int k = 0; k < 100; k++)
        x[k] = 0x1p992;
    assert_true(same(one_by_one(x, 100), 100 * 0x1p992));
}

static void a_million(void **state)
{
    (void)state;
    const int64_t n = 1000000;
    double *x = malloc((size_t)n * sizeof *x);
    mrn_rng r = mrn_rng_seed(7, 0);
    fill(x, n, 40, false, &r);
    double first = one_by_one(x, n);
    assert_true(same(in_parts(x, n, &r), first));
    mrn_sum s = {0};
    for (int64_t at = 0; at < n; at += MRN_SUM_BLOCK)
        mrn_sum_block(&s, x + at, n - at < MRN_SUM_BLOCK ? n - at : MRN_SUM_BLOCK);
    assert_true(same(mrn_sum_value(&s), first));
    shuffle(x, n, &r);
    assert_true(same(in_parts(x, n, &r), first));
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order),      cmocka_unit_test(edges_of_levels),
        cmocka_unit_test(error_is_small), cmocka_unit_test(cancellation),
        cmocka_unit_test(few_terms),      cmocka_unit_test(lost_terms),
        cmocka_unit_test(a_million),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
