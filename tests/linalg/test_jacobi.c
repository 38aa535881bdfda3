/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jacobi's rotations: A v = lambda v, small eigenvalues to all their digits, and nothing turned
   that need not be. */
#include "linalg/jacobi.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"

/* A v = lambda v for a random matrix, singular, and vectors at right angles. */
static void test_pairs(void **state)
{
    enum { N = 7 };
    double a[N * N] = {0}, d[N * N], vector[N * N], b[N];
    mrn_rng rng = mrn_rng_seed(6, 0);
    (void)state;
    for (int r = 0; r < N - 1; r++) { /* rank N - 1 */
        for (int i = 0; i < N; i++)
            b[i] = mrn_rng_normal(&rng);
        for (int i = 0; i < N * N; i++)
            a[i] += b[i / N] * b[i % N];
    }
    for (int way = 0; way < 2; way++) {
        double least = INFINITY;
        memcpy(d, a, sizeof a);
        if (way == 0)
            mrn_jacobi_eigen(N, d, vector);
        else
            mrn_jacobi_pairs(N, d, 0, DBL_EPSILON, vector);
        for (int e = 0; e < N; e++) {
            least = fmin(least, fabs(d[e * N + e]));
            for (int i = 0; i < N; i++) {
                double av = 0, vv = 0;
                for (int j = 0; j < N; j++) {
                    av += a[i * N + j] * vector[j * N + e];
                    vv += vector[j * N + i] * vector[j * N + e];
                }
                assert_true(fabs(av - d[e * N + e] * vector[i * N + e]) < 1e-13 * 20);
                assert_true(fabs(vv - (i == e)) < 1e-14 * 20);
            }
        }
        assert_true(least < 1e-13);
    }
}

/* D B D with B = 1 + (ones) / 2 and D of powers of 1e-4: but for 1e-8 of it, its smallest
   eigenvalue is what is left of the last entry when the other rows are eliminated,
   1e-24 det B4 / det B3 with det Bk = 1 + k / 2. */
static void test_graded(void **state)
{
    enum { N = 4 };
    double a[N * N], v[N * N], least = INFINITY;
    (void)state;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i * N + j] = (0.5 + (i == j)) * pow(10, -4 * (i + j));
    mrn_jacobi_pairs(N, a, 0, DBL_EPSILON, v);
    for (int i = 0; i < N; i++)
        least = fmin(least, a[i * N + i]);
    assert_true(fabs(least / (1e-24 * 3 / 2.5) - 1) < 1e-7);
}

/* Zeros stay zeros, equal diagonal entries turn by 45 degrees the same way whatever the sign of
   zero, and what is not a number ends it. */
static void test_corners(void **state)
{
    double a[9] = {2, 0, 0, 0, 1, 0, 0, 0, 3}, v[9], root = sqrt(0.5);
    (void)state;
    mrn_jacobi_eigen(3, a, v);
    for (int i = 0; i < 9; i++)
        assert_true(v[i] == (i % 4 == 0) && (i % 4 == 0 || a[i] == 0));
    for (int sign = -1; sign <= 1; sign += 2) {
        double b[4] = {1, 0.5 * sign, 0.5 * sign, 1};
        mrn_jacobi_eigen(2, b, v);
        assert_true(fabs(v[0] - root) < 1e-15 && fabs(v[1] - root) < 1e-15);
        assert_true(fabs(b[0] - (1 - 0.5 * sign)) < 1e-15 && fabs(b[3] - (1 + 0.5 * sign)) < 1e-15);
    }
    double c[4] = {1, NAN, NAN, 1};
    mrn_jacobi_pairs(2, c, 0, DBL_EPSILON, v);
    assert_true(v[0] == 1 && v[1] == 0);
    mrn_jacobi_eigen(2, c, v);
    assert_true(v[0] == 1 && v[1] == 0);
    mrn_jacobi_eigen(0, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_graded),
        cmocka_unit_test(test_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
