/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fast solver of one contact in 3D: a million random blocks, brute force, guesses good and bad,
   and what is not a proper contact. */
/* ctest-labels: slow */
#include "local_brute.h"

/* Ten times the 1e-13 at which the solvers call an answer good: the violation weighs the normal law
   and friction on their own, which differs from the natural map by a small factor. */
static const double TOLERANCE = 1e-12;

static bool without_inverse(const mrn_contact_layout *lay, const block *b, double *r)
{
    (void)lay;
    return mrn_local_3d(b->W, NULL, b->q, b->mu[0], r);
}

static void invert(const block *b, double *inverse)
{
    for (int c = 0; c < 3; c++) {
        double e[3] = {0, 0, 0};
        e[c] = -1;
        assert_true(mrn_local_bilateral(3, b->W, e, inverse + 3 * c));
    }
}

static void test_million(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D);
    int n = blocks_many(500000);
    for (int hard = 0; hard < 2; hard++) {
        crowd c = crowd_solve(lay, hard, n, 31, TOLERANCE, without_inverse);
        assert_int_equal(c.converged, n);
        assert_true(c.open > n / 10 && c.stick > n / 20 && c.slide > n / 10);
    }
}

/* Velocities follow changes of q and W with a factor that grows as D(t) = W_NN + mu W_NT . t falls
   and as roots come near to each other; 1e-6 is ten digits above rounding, and far below what a
   wrong branch makes. */
static void test_brute(void **state)
{
    (void)state;
    brute_compare(0, blocks_many(70000), 32, 1e-6, without_inverse);
    brute_compare(1, blocks_many(30000), 33, 1e-6, without_inverse);
}

/* With the inverse, from a guess that is the answer, near it, or its opposite: the same answer
   (where it is unique: moderate friction and coupling). */
static void test_guesses(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D);
    mrn_rng g = mrn_rng_seed(34, 0);
    for (int k = 0; k < blocks_many(50000); k++) {
        block b = {.n = 3, .mu = {0.3}};
        block_of_bodies(&g, &b);
        for (int c = 1; c < 3; c++) /* halve the coupling: W_NT . t < W_NN / mu for all t */
            b.W[c] *= 0.5, b.W[3 * c] *= 0.5;
        random_q(&g, lay, &b);
        double inverse[9], r[3] = {0, 0, 0}, first[3], near = decade(&g, -14, -1);
        invert(&b, inverse);
        assert_true(mrn_local_3d(b.W, NULL, b.q, 0.3, r));
        memcpy(first, r, sizeof r);
        for (int kind = 0; kind < 3; kind++) {
            double u[3];
            for (int a = 0; a < 3; a++) {
                double off = near * uniform(&g, -1, 1) * first[0];
                r[a] = kind == 0 ? first[a] : kind == 1 ? first[a] + off : -first[a];
            }
            assert_true(mrn_local_3d(b.W, inverse, b.q, 0.3, r));
            assert_true(violation_of(lay, &b, r) <= TOLERANCE);
            for (int a = 0; a < 3; a++)
                u[a] = r[a] - first[a];
            /* condition of these blocks: up to about 1e4 */
            assert_true(size_of(3, u) <= 1e-9 * size_of(3, first));
        }
    }
}

/* By hand: W = diag(2, 1, 1), mu = 1/2. */
static void test_by_hand(void **state)
{
    (void)state;
    const double W[9] = {2, 0, 0, 0, 1, 0, 0, 0, 1};
    double r[3] = {7, 7, 7};
    assert_true(mrn_local_3d(W, NULL, (double[]){0, 1, 2}, 0.5, r)); /* grazing: open */
    assert_true(r[0] == 0 && r[1] == 0 && r[2] == 0);
    assert_true(mrn_local_3d(W, NULL, (double[]){-4, 0.6, -0.8}, 0.5, r)); /* r_T = 1 = mu r_N */
    assert_true(fabs(r[0] - 2) <= 1e-15);
    assert_true(fabs(r[1] + 0.6) <= 1e-15);
    assert_true(fabs(r[2] - 0.8) <= 1e-15);
    r[1] = r[2] = 0;
    assert_true(mrn_local_3d(W, NULL, (double[]){-4, 6, -8}, 0.5, r)); /* slides, |u_T| = 9 */
    assert_true(fabs(r[0] - 2) <= 1e-15);
    assert_true(fabs(r[1] + 0.6) <= 1e-15);
    assert_true(fabs(r[2] - 0.8) <= 1e-15);
    assert_true(mrn_local_3d(W, NULL, (double[]){-4, 6, -8}, 0, r)); /* no friction */
    assert_true(r[0] == 2 && r[1] == 0 && r[2] == 0);
}

/* W_NT beyond W_NN / mu: sliding one way wedges, D(t) <= 0. There is an answer all the same. */
static void test_wedge(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D);
    for (double mu = 1; mu < 100; mu *= 1.7)
        for (double coupling = -0.999; coupling < 1; coupling += 0.111)
            for (double angle = 0; angle < 6.3; angle += 0.1) {
                block b = {.n = 3, .W = {1, coupling, 0, coupling, 1, 0, 0, 0, 1}, .mu = {mu}};
                b.q[0] = -1e-3, b.q[1] = cos(angle), b.q[2] = sin(angle);
                double r[3] = {0, 0, 0};
                assert_true(mrn_local_3d(b.W, NULL, b.q, mu, r));
                assert_true(violation_of(lay, &b, r) <= TOLERANCE);
                assert_true(mrn_local_3d_quartic(b.W, b.q, mu, r));
                assert_true(violation_of(lay, &b, r) <= TOLERANCE);
            }
}

/* No proper contact: never a number that is not finite from numbers that are, never a lie. */
static void test_improper(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D);
    mrn_rng g = mrn_rng_seed(35, 0);
    int solved = 0;
    for (int k = 0; k < blocks_many(20000); k++) {
        block b = {.n = 3, .mu = {0.5}};
        int rank = pick(&g, 3);
        for (int j = 0; j < rank; j++) {
            double v[3];
            random_vector(&g, 3, v);
            add_outer(3, 1, v, b.W);
        }
        if (pick(&g, 4) == 0)
            b.W[0] = -1;
        random_vector(&g, 3, b.q);
        if (pick(&g, 2)) { /* has an answer */
            double r[3] = {-1, 0.1, 0.2};
            memset(b.q, 0, sizeof b.q);
            velocity_of(&b, r, b.q);
        }
        double r[3] = {0, 0, 0};
        bool done = mrn_local_3d(b.W, NULL, b.q, 0.5, r);
        assert_true(isfinite(r[0]) && isfinite(r[1]) && isfinite(r[2]));
        solved += done;
        if (done && violation_of(lay, &b, r) > 1e-10)
            print_block("improper", &b, r);
        if (done)
            assert_true(violation_of(lay, &b, r) <= 1e-10);
    }
    assert_true(solved > blocks_many(20000) / 4);
    double r[3] = {0, 0, 0}, W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    assert_false(mrn_local_3d(W, NULL, (double[]){NAN, 0, 0}, 0.5, r));
    assert_false(mrn_local_3d(W, NULL, (double[]){-1, NAN, 0}, 0.5, r));
    W[4] = NAN;
    assert_false(mrn_local_3d(W, NULL, (double[]){-1, 3, 0}, 0.5, r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_million), cmocka_unit_test(test_brute),
        cmocka_unit_test(test_guesses), cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_wedge),   cmocka_unit_test(test_improper),
    };
    return cmocka_run_group_tests_name("solve/local_3d", tests, NULL, NULL);
}
