/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calibrations made again and again with other errors of measurement and other noise: how often
   their intervals hold the truth, and how many runs they take. */
/* ctest-labels: slow long */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "calibrate_models.h"

enum { REPLICAS = 150 };

/* Of 150 intervals of 95 %, 135 to 148 (90 to 99 %) hold the truth with probability 0.98
   (binomial); what the surrogate does not know of its own slopes and variances costs a percent or
   two, and the seeds are fixed: a failure is a change of the method, not bad luck. */
static void covers(double noise, int64_t runs, double most)
{
    const double truth[2] = {0.45, 0.08};
    int in[2] = {0}, checked = 0;
    double used = 0;
    for (int k = 0; k < REPLICAS; k++) {
        mrn_rng rng = mrn_rng_seed((uint64_t)k, 2024);
        double error[3];
        for (int t = 0; t < 3; t++)
            error[t] = mrn_rng_normal(&rng);
        fake_lab f = fake_beads(runs, error, noise);
        fake_settle(&f);
        f.c.seed = (uint64_t)k + 1;
        mrn_calibrate_options o = fake_options(&f);
        mrn_calibrated r;
        o.ran = NULL;
        assert_true(mrn_calibrate(&f.c, &o, &r, NULL) >= 0);
        for (int j = 0; j < 2; j++)
            in[j] += r.fit.at[j].profile[0] <= truth[j] && truth[j] <= r.fit.at[j].profile[1];
        checked += r.checked;
        used += (double)r.n_runs / REPLICAS;
        mrn_calibrated_release(&r);
    }
    print_message("noise %g: %d and %d of %d hold the truth, %.1f runs, %d checked\n", noise, in[0],
                  in[1], REPLICAS, used, checked);
    for (int j = 0; j < 2; j++)
        assert_in_range(in[j], 135, 148);
    assert_true(checked >= 0.97 * REPLICAS && used < most);
}

static void test_without_noise(void **state)
{
    (void)state;
    covers(0, 60, 50);
}

static void test_with_noise(void **state)
{
    (void)state;
    covers(1, 60, 55);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_noise),
        cmocka_unit_test(test_with_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
