/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sine and cosine of our own: as good as those of a library in long double, a circle, and one
   table of bits for every compiler and processor. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/sine.h"

/* Angles of all sizes up to `most`, both signs. */
static double some_angle(mrn_rng *r, double most)
{
    double a = most * pow(2, -40 * mrn_rng_uniform(r));
    return mrn_rng_uniform(r) < 0.5 ? a : -a;
}

/* Distance from the true value in units of the last place of that, but of 2^-60 near zeros. */
static double off(double got, long double want)
{
    double size = fmax((double)fabsl(want), 0x1p-8);
    return (double)fabsl((long double)got - want) / (nextafter(size, INFINITY) - size);
}

/* Steps of rolling bodies turn by less than pi/4: one unit of the last place is what two roundings,
   of the last product and of the last sum, may come to. Beyond, the angle less its quarter turns
   is rounded too, by 2^-53 of pi/4 at most. */
static void test_as_good_as_a_library(void **unused)
{
    (void)unused;
    mrn_rng r = mrn_rng_seed(11, 0);
    double worst = 0, worst_far = 0;
    for (int k = 0; k < 200000; k++) {
        double x = some_angle(&r, 0.78), y = some_angle(&r, 1e6);
        mrn_sine_cosine a = mrn_sine_cosine_of(x), b = mrn_sine_cosine_of(y);
        worst = fmax(worst, fmax(off(a.sine, sinl(x)), off(a.cosine, cosl(x))));
        worst_far = fmax(
            worst_far, fmax(fabs((double)(b.sine - sinl(y))), fabs((double)(b.cosine - cosl(y)))));
    }
    assert_true(worst < 1);
    assert_true(worst_far < 2 * DBL_EPSILON);
}

static void test_quarters_and_signs(void **unused)
{
    (void)unused;
    for (int k = -40; k <= 40; k++) {
        double x = k * MRN_PI / 8;
        mrn_sine_cosine a = mrn_sine_cosine_of(x), b = mrn_sine_cosine_of(-x);
        assert_true(fabs(a.sine - sin(x)) < 2 * DBL_EPSILON);
        assert_true(fabs(a.cosine - cos(x)) < 2 * DBL_EPSILON);
        assert_true(b.sine == -a.sine && b.cosine == a.cosine);
    }
    assert_true(mrn_sine_cosine_of(0).sine == 0 && mrn_sine_cosine_of(0).cosine == 1);
    assert_true(mrn_sine_cosine_of(0x1p-40).sine == 0x1p-40);
}

/* What has no angle has no sine; what turned a million times in a step is still on the circle. */
static void test_ends_of_the_range(void **unused)
{
    (void)unused;
    const double none[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        mrn_sine_cosine a = mrn_sine_cosine_of(none[k]);
        assert_true(isnan(a.sine) && isnan(a.cosine));
    }
    const double large[] = {0x1p20, 1e9, 1e100, DBL_MAX};
    for (int k = 0; k < 4; k++) {
        mrn_sine_cosine a = mrn_sine_cosine_of(large[k]);
        assert_true(fabs(a.sine * a.sine + a.cosine * a.cosine - 1) < 4 * DBL_EPSILON);
    }
}

/* All bits of a hundred thousand of each, folded into one number (FNV): the same for gcc and
   clang, optimised or not, with and without fused products in reach. */
static void test_bits(void **unused)
{
    (void)unused;
    mrn_rng r = mrn_rng_seed(12, 0);
    uint64_t hash = UINT64_C(14695981039346656037);
    for (int k = 0; k < 100000; k++) {
        double angle = (mrn_rng_uniform(&r) - 0.5) * (k % 2 ? 1.5 : 1e4);
        mrn_sine_cosine a = mrn_sine_cosine_of(angle);
        uint64_t bits[2];
        memcpy(bits, &a, sizeof bits);
        for (int m = 0; m < 2; m++)
            hash = (hash ^ bits[m]) * UINT64_C(1099511628211);
    }
    if (hash != UINT64_C(0xca94e4192ed47c99))
        print_error("hash %016llx\n", (unsigned long long)hash);
    assert_true(hash == UINT64_C(0xca94e4192ed47c99));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_good_as_a_library),
        cmocka_unit_test(test_quarters_and_signs),
        cmocka_unit_test(test_ends_of_the_range),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
