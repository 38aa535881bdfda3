/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of a library built without GSL beside those of GSL. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define mrn_chance_normal_below    plain_normal_below
#define mrn_chance_normal_above    plain_normal_above
#define mrn_chance_normal_quantile plain_normal_quantile
#define mrn_chance_chi2_below      plain_chi2_below
#define mrn_chance_chi2_above      plain_chi2_above
#define mrn_chance_student_below   plain_student_below
#define mrn_chance_student_above   plain_student_above
#define mrn_chance_fisher_below    plain_fisher_below
#define mrn_chance_digamma         plain_digamma
#define mrn_chance_trigamma        plain_trigamma
#define mrn_sobol_bytes            plain_sobol_bytes
#define mrn_sobol_begin            plain_sobol_begin
#define mrn_sobol_next             plain_sobol_next
#include "inference/chance_without_gsl.c"
#undef mrn_chance_normal_below
#undef mrn_chance_normal_above
#undef mrn_chance_normal_quantile
#undef mrn_chance_chi2_below
#undef mrn_chance_chi2_above
#undef mrn_chance_student_below
#undef mrn_chance_student_above
#undef mrn_chance_fisher_below
#undef mrn_chance_digamma
#undef mrn_chance_trigamma
#undef MRN_INFERENCE_CHANCE_H
#include "inference/chance.h"

/* Twelve digits; beyond 1e-25 GSL has fewer itself. */
static void near(const char *what, double x, double a, double b)
{
    if (!(fabs(a - b) <= (fabs(b) < 1e-25 ? 1e-4 : 2e-12) * fabs(b)))
        fail_msg("%s at %g: %.15g is not %.15g", what, x, a, b);
}

static void test_normal(void **state)
{
    (void)state;
    for (double z = -8; z <= 8; z += 0.37) {
        near("normal below", z, plain_normal_below(z), mrn_chance_normal_below(z));
        near("normal above", z, plain_normal_above(z), mrn_chance_normal_above(z));
    }
    for (double p = 1e-12; p < 1; p = p < 0.03 ? p * 3 : p + 0.03)
        near("quantile", p, plain_normal_quantile(p), mrn_chance_normal_quantile(p));
}

static void test_tails(void **state)
{
    (void)state;
    static const double freedom[] = {1, 2, 3, 4.5, 7, 20, 100, 1000};
    for (size_t k = 0; k < sizeof freedom / sizeof *freedom; k++)
        for (double x = 0.05; x < 60; x *= 1.7) {
            double f = freedom[k];
            near("chi2 below", x, plain_chi2_below(x, f), mrn_chance_chi2_below(x, f));
            near("chi2 above", x, plain_chi2_above(x, f), mrn_chance_chi2_above(x, f));
            near("student below", x, plain_student_below(-x, f), mrn_chance_student_below(-x, f));
            near("student above", x, plain_student_above(x, f), mrn_chance_student_above(x, f));
            near("fisher", x, plain_fisher_below(x, f, 5), mrn_chance_fisher_below(x, f, 5));
            near("fisher", x, plain_fisher_below(x, 3, f), mrn_chance_fisher_below(x, 3, f));
        }
}

static void test_gammas(void **state)
{
    (void)state;
    for (double x = 0.3; x < 200; x *= 1.3) {
        near("digamma", x, plain_digamma(x), mrn_chance_digamma(x));
        near("trigamma", x, plain_trigamma(x), mrn_chance_trigamma(x));
    }
    assert_int_equal(plain_sobol_bytes(3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal),
        cmocka_unit_test(test_tails),
        cmocka_unit_test(test_gammas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
