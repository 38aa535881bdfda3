/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Projections, 3D. The method is slow where W is ill-conditioned or the friction strong: what it
   calls converged must be so for all of a million blocks; most of the good ones must be. */
/* ctest-labels: slow */
#include "local_brute.h"

/* The tolerance asked for is on |F| / (rho |q|); the laws on their own differ from it by a factor
   of the condition's kind: 100. */
static const double ASKED = 1e-10, GRANTED = 1e-8;

static bool briefly(const mrn_contact_layout *lay, const block *b, double *r)
{
    (void)lay;
    return mrn_local_3d_projection(b->W, b->q, b->mu[0], 1e4 * ASKED, 40, r);
}

static bool patiently(const mrn_contact_layout *lay, const block *b, double *r)
{
    (void)lay;
    return mrn_local_3d_projection(b->W, b->q, b->mu[0], ASKED, 20000, r);
}

static void test_million(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D);
    int n = blocks_many(500000);
    for (int hard = 0; hard < 2; hard++) {
        crowd c = crowd_solve(lay, hard, n, 61, 1e4 * GRANTED, briefly);
        assert_true(c.converged > 0.7 * n);
    }
}

static void test_patience(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D);
    int n = blocks_many(1000);
    crowd c = crowd_solve(lay, 0, n, 62, GRANTED, patiently);
    assert_true(c.converged > 0.95 * n);
    brute_compare(0, n, 63, 1e-4, patiently);
}

/* The tolerance is obeyed: a coarse answer costs fewer steps, and is as coarse as allowed. */
static void test_tolerance(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D);
    const double W[9] = {2, 0.3, -0.1, 0.3, 1, 0.2, -0.1, 0.2, 1}, q[3] = {-1, 2, 0.5}, mu = 0.4;
    int steps[3];
    for (int k = 0; k < 3; k++) {
        double tolerance = k == 0 ? 1e-2 : k == 1 ? 1e-6 : 1e-12, r[3];
        for (steps[k] = 1; steps[k] < 1000; steps[k]++) {
            r[0] = r[1] = r[2] = 0;
            if (mrn_local_3d_projection(W, q, mu, tolerance, steps[k], r))
                break;
        }
        assert_true(mrn_local_residual(lay, W, q, &mu, r) <= tolerance);
    }
    assert_true(steps[0] < steps[1] && steps[1] < steps[2] && steps[2] < 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_million),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_tolerance),
    };
    return cmocka_run_group_tests_name("solve/local_projection", tests, NULL, NULL);
}
