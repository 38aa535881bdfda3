/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The enumerating solver, 3D: a million random blocks, brute force, and of several answers the one
   of least impulse. Tolerances as in test_local_3d.c. */
/* ctest-labels: slow */
#include "local_brute.h"

static bool quartic(const mrn_contact_layout *lay, const block *b, double *r)
{
    (void)lay;
    return mrn_local_3d_quartic(b->W, b->q, b->mu[0], r);
}

static void test_million(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D);
    int n = blocks_many(500000);
    for (int hard = 0; hard < 2; hard++) {
        crowd c = crowd_solve(lay, hard, n, 51, 1e-12, quartic);
        assert_int_equal(c.converged, n);
        assert_true(c.open > n / 10 && c.stick > n / 20 && c.slide > n / 10);
    }
}

static void test_brute(void **state)
{
    (void)state;
    brute_compare(0, blocks_many(15000), 52, 1e-6, quartic);
    brute_compare(1, blocks_many(5000), 53, 1e-6, quartic);
}

/* Strong coupling and friction of 5: several answers happen. Of those that brute force finds none
   is smaller; a relative 1e-6 as above. */
static void test_least(void **state)
{
    (void)state;
    mrn_rng g = mrn_rng_seed(54, 0);
    int several = 0;
    for (int k = 0; k < blocks_many(8000); k++) {
        block b = {.n = 3, .mu = {5}};
        block_of_spectrum(&g, 2, &b);
        random_vector(&g, 3, b.q);
        b.q[0] = -0.1 * fabs(b.q[0]);
        double r[3] = {0, 0, 0}, least = INFINITY;
        assert_true(quartic(NULL, &b, r));
        answers s = brute_force(&b, 90);
        for (int i = 0; i < s.n; i++)
            least = fmin(least, size_of(3, s.r[i]));
        several += s.n > 1;
        assert_true(size_of(3, r) <= least * (1 + 1e-6));
    }
    printf("  %d of %d blocks have several answers\n", several, blocks_many(8000));
    assert_true(several > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_million),
        cmocka_unit_test(test_brute),
        cmocka_unit_test(test_least),
    };
    return cmocka_run_group_tests_name("solve/local_quartic", tests, NULL, NULL);
}
