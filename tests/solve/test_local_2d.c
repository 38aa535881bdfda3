/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One contact in 2D by intersection of graphs: a million random blocks, and brute force. */
/* ctest-labels: slow */
#include "local_blocks.h"

/* See test_local_3d.c. */
static const double TOLERANCE = 1e-12;

static bool graphs(const mrn_contact_layout *lay, const block *b, double *r)
{
    (void)lay;
    return mrn_local_2d(b->W, b->q, b->mu[0], r);
}

static void test_million(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_2D);
    int n = blocks_many(500000);
    for (int hard = 0; hard < 2; hard++) {
        crowd c = crowd_solve(lay, hard, n, 21, TOLERANCE, graphs);
        assert_int_equal(c.converged, n);
        assert_true(c.open > n / 10 && c.stick > n / 20 && c.slide > n / 10);
    }
}

/* The four branches one by one in long double; W (r - r') to the nearest that the laws allow, over
   |q| + |W| |r|. */
static double brute_distance(const block *b, const double *r)
{
    const double *W = b->W, *q = b->q;
    long double nearest = INFINITY, mu = b->mu[0], slack = 1e-9L;
    long double det = (long double)W[0] * W[3] - (long double)W[1] * W[2];
    for (int branch = 0; branch < 4; branch++) {
        long double n = 0, t = 0, sign = branch == 2 ? 1 : -1;
        if (branch == 1) {
            n = ((long double)W[2] * q[1] - (long double)W[3] * q[0]) / det;
            t = ((long double)W[1] * q[0] - (long double)W[0] * q[1]) / det;
        } else if (branch > 1) {
            n = -q[0] / (W[0] + sign * mu * W[2]);
            t = sign * mu * n;
        }
        long double u = q[0] + W[0] * n + W[2] * t, v = q[1] + W[1] * n + W[3] * t;
        long double room = slack * (hypotl(q[0], q[1]) + size_of(4, W) * hypotl(n, t));
        bool fits = branch == 0   ? u >= -room
                    : branch == 1 ? n >= 0 && fabsl(t) <= mu * n * (1 + slack)
                                  : n > 0 && sign * v <= room;
        if (!fits)
            continue;
        long double d = r[0] - n, e = r[1] - t;
        nearest = fminl(nearest, hypotl(W[0] * d + W[2] * e, W[1] * d + W[3] * e));
    }
    double size = speed_of(b, r);
    return size > 0 ? (double)nearest / size : 0;
}

/* 1e-7: above the slack of the borders, far below a wrong branch. */
static void test_brute(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_2D);
    for (int hard = 0; hard < 2; hard++) {
        mrn_rng g = mrn_rng_seed(22, (uint64_t)hard);
        double worst = 0;
        for (int k = 0; k < blocks_many(200000); k++) {
            block b = random_block(&g, lay, hard);
            double r[MOST];
            memcpy(r, b.guess, sizeof r);
            assert_true(graphs(lay, &b, r));
            worst = fmax(worst, brute_distance(&b, r));
            if (worst > 1e-7)
                print_block("not found by brute force", &b, r);
            assert_true(worst <= 1e-7);
        }
        printf("  brute force: farthest %.1e\n", worst);
    }
}

/* By hand: W = [2 1; 1 2], mu = 1/2. */
static void test_by_hand(void **state)
{
    (void)state;
    const double W[4] = {2, 1, 1, 2};
    double r[2] = {5, 5};
    assert_true(mrn_local_2d(W, (double[]){0, -3}, 0.5, r));
    assert_true(r[0] == 0 && r[1] == 0);
    assert_true(mrn_local_2d(W, (double[]){-2, -1}, 0.5, r)); /* sticks at r = (1, 0) */
    assert_true(fabs(r[0] - 1) <= 1e-15 && fabs(r[1]) <= 1e-15);
    assert_true(mrn_local_2d(W, (double[]){-5, -10}, 0.5, r)); /* r_N (2 + 1/2) = 5, u_T = -6 */
    assert_true(fabs(r[0] - 2) <= 1e-15 && fabs(r[1] - 1) <= 1e-15);
    assert_true(mrn_local_2d(W, (double[]){-3, 10}, 0.5, r)); /* the other way: 2 - 1/2 */
    assert_true(fabs(r[0] - 2) <= 1e-15 && fabs(r[1] + 1) <= 1e-15);
    assert_true(mrn_local_2d(W, (double[]){-3, 10}, 0, r));
    assert_true(r[0] == 1.5 && r[1] == 0);
}

/* Singular blocks with an answer are answered; without one, or with NAN, it says no. */
static void test_improper(void **state)
{
    (void)state;
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_2D);
    double r[2] = {0, 0};
    block b = {.n = 2, .W = {1, 1, 1, 1}, .q = {-1, -1}, .mu = {0.5}};
    assert_true(mrn_local_2d(b.W, b.q, 0.5, r)); /* u = 0 on a whole line of r */
    assert_true(violation_of(lay, &b, r) <= TOLERANCE);
    assert_false(mrn_local_2d((double[]){0, 0, 0, 1}, (double[]){-1, 0}, 0.5, r));
    assert_true(isfinite(r[0]) && isfinite(r[1]));
    assert_false(mrn_local_2d((double[]){0, 0, 0, 0}, (double[]){-1, 1}, 0.5, r));
    assert_true(isfinite(r[0]) && isfinite(r[1]));
    assert_false(mrn_local_2d((double[]){-1, 0, 0, 1}, (double[]){-1, 1}, 0.5, r));
    assert_false(mrn_local_2d(b.W, (double[]){NAN, 1}, 0.5, r));
    assert_false(mrn_local_2d(b.W, (double[]){-1, NAN}, 0.5, r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_million),
        cmocka_unit_test(test_brute),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_improper),
    };
    return cmocka_run_group_tests_name("solve/local_2d", tests, NULL, NULL);
}
