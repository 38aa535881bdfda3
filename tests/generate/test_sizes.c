/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Size distributions: bounds, moments, and sieve curves by mass. */
/* ctest-labels: threads */
#include <stdlib.h>

#include "generate/kit.h"

/* Radii of `count` grains of a distribution, from a thin fill. */
static double *draw(int dimension, mrn_size size, int64_t count, double fraction, int *n)
{
    kit k;
    mrn_state s;
    kit_begin(&k, dimension);
    double side = dimension == 3 ? 1 : 4;
    mrn_group *g = kit_fill_box(&k, "grains", 0, mrn_v3(0, 0, 0), mrn_v3(side, side, side));
    g->size = size;
    g->count = count;
    g->solid_fraction = fraction;
    for (int c = 0; c < 3 && c < dimension; c++)
        kit_periodic(&k, c, 0, side);
    kit_build(&k, &s);
    double *r = malloc((size_t)s.body.n * sizeof *r);
    memcpy(r, s.body.radius, (size_t)s.body.n * sizeof *r);
    *n = s.body.n;
    mrn_state_destroy(&s);
    return r;
}

static void moments(const double *r, int n, double *mean, double *deviation, double *lo, double *hi)
{
    double sum = 0, squares = 0;
    *lo = INFINITY;
    *hi = 0;
    for (int i = 0; i < n; i++) {
        sum += r[i];
        *lo = fmin(*lo, r[i]);
        *hi = fmax(*hi, r[i]);
    }
    *mean = sum / n;
    for (int i = 0; i < n; i++)
        squares += (r[i] - *mean) * (r[i] - *mean);
    *deviation = sqrt(squares / n);
}

enum { N = 10000 };

static void constant_is_constant(void **state)
{
    (void)state;
    int n;
    double *r = draw(3, (mrn_size){.kind = MRN_SIZE_CONSTANT, .mean = 2e-3}, 500, 0, &n);
    assert_int_equal(n, 500);
    for (int i = 0; i < n; i++)
        assert_true(r[i] == 2e-3);
    free(r);
}

/* Mean of n draws: standard error deviation/sqrt(n); four of them. Deviation: its error is below
 * deviation/sqrt(2 n). */
static void check(mrn_size size, double mean, double deviation, double least, double most)
{
    int n;
    double m, d, lo, hi, *r = draw(3, size, N, 0, &n);
    assert_int_equal(n, N);
    moments(r, n, &m, &d, &lo, &hi);
    assert_true(fabs(m - mean) < 4 * deviation / sqrt(N));
    assert_true(fabs(d - deviation) < 4 * deviation / sqrt(2.0 * N));
    assert_true(lo >= least && hi <= most);
    free(r);
}

static void uniform_by_number(void **state)
{
    (void)state;
    check((mrn_size){.kind = MRN_SIZE_UNIFORM, .lo = 2e-3, .hi = 4e-3}, 3e-3, 2e-3 / sqrt(12), 2e-3,
          4e-3);
}

/* Cut at c deviations on both sides: variance 1 - 2 c phi(c) / (2 Phi(c) - 1). */
static void normal_with_cut(void **state)
{
    (void)state;
    double c = 2, density = exp(-0.5 * c * c) / sqrt(2 * MRN_PI);
    double inside = erf(c / sqrt(2)), factor = sqrt(1 - 2 * c * density / inside);
    mrn_size size = {
        .kind = MRN_SIZE_NORMAL, .mean = 3e-3, .deviation = 0.5e-3, .lo = 2e-3, .hi = 4e-3};
    check(size, 3e-3, 0.5e-3 * factor, 2e-3, 4e-3);
}

/* ln r is normal: cut at three deviations by default, 0.27 % beyond. */
static void lognormal_with_default_cut(void **state)
{
    (void)state;
    int n;
    mrn_size size = {.kind = MRN_SIZE_LOGNORMAL, .mean = 3e-3, .deviation = 0.2};
    double m, d, lo, hi, *r = draw(3, size, N, 0, &n);
    for (int i = 0; i < n; i++)
        r[i] = log(r[i] / 3e-3);
    moments(r, n, &m, &d, &lo, &hi);
    double density = exp(-4.5) / sqrt(2 * MRN_PI);
    double deviation = 0.2 * sqrt(1 - 6 * density / erf(3 / sqrt(2)));
    assert_true(fabs(m) < 4 * deviation / sqrt(N));
    assert_true(fabs(d - deviation) < 4 * deviation / sqrt(2.0 * N));
    for (int i = 0; i < n; i++)
        assert_true(fabs(r[i]) <= 0.6 + 1e-12);
    free(r);
}

/* Percent passing by mass at radius x: linear between sieves. */
static double asked(const mrn_size *s, double x)
{
    int i = 1;
    while (i < s->n - 1 && x > s->sieve_radius[i])
        i++;
    double t = (x - s->sieve_radius[i - 1]) / (s->sieve_radius[i] - s->sieve_radius[i - 1]);
    return s->sieve_passing[i - 1] + t * (s->sieve_passing[i] - s->sieve_passing[i - 1]);
}

/* Each of the n equal shares of the number curve gives one grain. The volume in the grains below x
   then has the variance sum (range of a share)^2 / 12 <= v_max^2 / 12, as the ranges add up to less
   than the largest volume, plus one grain at x itself; the same for the total. So |error| < v_max
   (4/sqrt(12) + 1 + 4/sqrt(12)) / V with four deviations. */
static void check_curve(int dimension, const mrn_size *size, const double *r, int n)
{
    double total = 0, largest = pow(size->sieve_radius[size->n - 1], dimension);
    for (int i = 0; i < n; i++)
        total += pow(r[i], dimension);
    double most = largest * 3.4 / total;
    assert_true(most < 0.02); /* the check means something */
    for (int k = 0; k <= 20; k++) {
        double lo = size->sieve_radius[0], hi = size->sieve_radius[size->n - 1];
        double x = lo + (hi - lo) * k / 20, below = 0;
        for (int i = 0; i < n; i++)
            below += r[i] <= x ? pow(r[i], dimension) : 0;
        if (fabs(below / total - asked(size, x)) > most)
            fail_msg("passing %g at %g, asked %g +- %g", below / total, x, asked(size, x), most);
    }
}

static double radius[] = {1e-3, 2e-3, 5e-3, 8e-3}, passing[] = {0, 0.2, 0.3, 1};
static const mrn_size sieve = {
    .kind = MRN_SIZE_SIEVE, .n = 4, .sieve_radius = radius, .sieve_passing = passing};

static void sieve_by_mass(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        int n;
        double *r = draw(dimension, sieve, N, 0, &n);
        assert_int_equal(n, N);
        check_curve(dimension, &sieve, r, n);
        free(r);
    }
}

static void sieve_by_solid_fraction(void **state)
{
    (void)state;
    int n;
    double volume = 0, largest = 4.0 / 3 * MRN_PI * 8e-3 * 8e-3 * 8e-3;
    double *r = draw(3, sieve, 0, 1e-3, &n);
    for (int i = 0; i < n; i++)
        volume += 4.0 / 3 * MRN_PI * r[i] * r[i] * r[i];
    assert_true(fabs(volume - 1e-3) <= 0.5 * largest);
    check_curve(3, &sieve, r, n);
    free(r);
}

static void cuts_that_leave_nothing(void **state)
{
    (void)state;
    kit k;
    mrn_state s = {0};
    kit_begin(&k, 3);
    mrn_group *g = kit_fill_box(&k, "grains", 0, mrn_v3(0, 0, 0), mrn_v3(1, 1, 1));
    g->size = (mrn_size){
        .kind = MRN_SIZE_NORMAL, .mean = 1e-3, .deviation = 1e-5, .lo = 2e-3, .hi = 3e-3};
    g->count = 10;
    assert_int_equal(mrn_world_build(&k.scene, &s, &k.msg), MRN_ERR_INPUT);
    assert_non_null(strstr(k.msg.text, "cuts"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_is_constant),    cmocka_unit_test(uniform_by_number),
        cmocka_unit_test(normal_with_cut),         cmocka_unit_test(lognormal_with_default_cut),
        cmocka_unit_test(sieve_by_mass),           cmocka_unit_test(sieve_by_solid_fraction),
        cmocka_unit_test(cuts_that_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
