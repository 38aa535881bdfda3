/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alart and Curnier's function by a generalised Newton, 3D: a million random blocks, and brute
   force. Tolerances as in test_local_3d.c. */
/* ctest-labels: slow */
#include "local_brute.h"
#include "solve/local_parts.h"

static bool newton(const mrn_contact_layout *lay, const block *b, double *r)
{
    (void)lay;
    return mrn_local_3d_newton(b->W, b->q, b->mu[0], r);
}

static void test_million(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D);
    int n = blocks_many(500000);
    for (int hard = 0; hard < 2; hard++) {
        crowd c = crowd_solve(lay, hard, n, 41, 1e-12, newton);
        assert_int_equal(c.converged, n);
        assert_true(c.open > n / 10 && c.stick > n / 20 && c.slide > n / 10);
    }
}

static void test_brute(void **state)
{
    (void)state;
    brute_compare(0, blocks_many(25000), 42, 1e-6, newton);
    brute_compare(1, blocks_many(15000), 43, 1e-6, newton);
}

/* The iteration alone, without what catches its failures: from sticking it arrives almost always,
   which a wrong Jacobian or line search does not. */
static void test_alone(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D);
    mrn_rng g = mrn_rng_seed(44, 0);
    int closed = 0, arrived = 0, quick = 0;
    for (int k = 0; k < blocks_many(50000); k++) {
        block b = random_block(&g, lay, 0);
        mrn_local_balanced c;
        if (b.q[0] >= 0 || b.mu[0] == 0 || !mrn_local_balance(lay, b.W, b.q, b.mu, &c))
            continue;
        closed++;
        double r[3], s[3];
        mrn_local_zero_velocity(3, c.W, c.q, r);
        memcpy(s, r, sizeof r);
        arrived += mrn_local_alart_curnier(lay, c.W, c.q, c.mu, 30, r) <= MRN_LOCAL_ROUNDING;
        quick += mrn_local_alart_curnier(lay, c.W, c.q, c.mu, 6, s) <= MRN_LOCAL_ROUNDING;
    }
    printf("  Newton alone: %d of %d in 30 steps, %d in 6\n", arrived, closed, quick);
    assert_true(arrived > 0.99 * closed && quick > 0.8 * closed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_million),
        cmocka_unit_test(test_brute),
        cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests_name("solve/local_newton", tests, NULL, NULL);
}
