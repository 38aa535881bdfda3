/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The supernodal factorisation: against a dense one, shifts, refusals, threads, panels,
   order, memory. */
/* ctest-labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/blas.h"
#include "linalg/sparse.h"

/* Lower triangle being gathered. */
typedef struct gather {
    int64_t n, *row, *col;
    double *value;
} gather;

static gather gather_make(int64_t most)
{
    gather g = {0, calloc((size_t)most, 8), calloc((size_t)most, 8), calloc((size_t)most, 8)};
    return g;
}

static void put(gather *g, int64_t i, int64_t j, double v)
{
    g->row[g->n] = i > j ? i : j;
    g->col[g->n] = i > j ? j : i;
    g->value[g->n++] = v;
}

static mrn_sparse finish(gather *g, int64_t order)
{
    mrn_sparse a;
    assert_int_equal(mrn_sparse_make(order, order, g->n, g->row, g->col, g->value, &a, NULL),
                     MRN_OK);
    free(g->row), free(g->col), free(g->value);
    return a;
}

/* A cube of m³ nodes of d unknowns, joined to neighbours along three axes by springs: the
   projector onto a direction drawn at random plus `across`. `ground` holds every node. */
static mrn_sparse cube(int m, int d, double across, double ground)
{
    int n = m * m * m, step[3] = {1, m, m * m};
    gather g = gather_make((int64_t)n * (3 * 4 * d * d + d));
    mrn_rng rng = mrn_rng_seed(7, 0);
    for (int a = 0; a < n; a++) {
        for (int k = 0; k < d; k++)
            put(&g, a * d + k, a * d + k, ground);
        for (int axis = 0; axis < 3; axis++) {
            if (a / step[axis] % m == m - 1)
                continue;
            int b = a + step[axis];
            double u[6];
            for (int k = 0; k < d; k++)
                u[k] = mrn_rng_normal(&rng);
            for (int k = 0; k < d; k++)
                for (int l = 0; l < d; l++) {
                    double v = u[k] * u[l] + (k == l ? across : 0);
                    put(&g, b * d + k, a * d + l, -v);
                    if (k >= l) {
                        put(&g, a * d + k, a * d + l, v);
                        put(&g, b * d + k, b * d + l, v);
                    }
                }
        }
    }
    return finish(&g, (int64_t)n * d);
}

static double worst_residual(const mrn_sparse *a, double shift, const double *x, const double *b)
{
    double *y = calloc((size_t)a->rows, sizeof *y), worst = 0;
    mrn_sparse_times_symmetric(a, x, y);
    for (int64_t i = 0; i < a->rows; i++)
        worst = fmax(worst, fabs(y[i] + shift * x[i] - b[i]));
    free(y);
    return worst;
}

/* Solves by a dense L Lᵀ written down here. */
static void dense_solve(int n, double *a, const double *b, double *x)
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < n; i++)
                a[j * n + i] -= a[k * n + i] * a[k * n + j];
        double d = sqrt(a[j * n + j]);
        for (int i = j; i < n; i++)
            a[j * n + i] /= d;
    }
    memcpy(x, b, (size_t)n * sizeof *x);
    for (int j = 0; j < n; j++) {
        x[j] /= a[j * n + j];
        for (int i = j + 1; i < n; i++)
            x[i] -= a[j * n + i] * x[j];
    }
    for (int j = n - 1; j >= 0; j--) {
        for (int i = j + 1; i < n; i++)
            x[j] -= a[j * n + i] * x[i];
        x[j] /= a[j * n + j];
    }
}

static void agrees_with_a_dense_factorisation(void **state)
{
    (void)state;
    enum { ORDER = 120 };
    for (int seed = 0; seed < 5; seed++) {
        mrn_rng rng = mrn_rng_seed((uint64_t)seed, 1);
        gather g = gather_make(ORDER * 6);
        for (int j = 0; j < ORDER; j++) {
            put(&g, j, j, 12);
            for (int k = 0; k < 5; k++) {
                int i = (int)(ORDER * mrn_rng_uniform(&rng));
                double v = mrn_rng_uniform(&rng) - 0.5;
                if (i != j)
                    put(&g, i, j, v);
            }
        }
        mrn_sparse a = finish(&g, ORDER);
        double *dense = calloc(ORDER * ORDER, sizeof *dense), b[ORDER], x[ORDER], y[ORDER];
        for (int j = 0; j < ORDER; j++) {
            b[j] = cos(j);
            for (int64_t k = a.start[j]; k < a.start[j + 1]; k++)
                dense[j * ORDER + a.row[k]] = a.value[k];
        }
        mrn_llt f;
        assert_int_equal(mrn_llt_make(&a, &f, NULL), MRN_OK);
        assert_int_equal(mrn_llt_numeric(&f, &a, 0, NULL), MRN_OK);
        assert_int_equal(f.bad_column, -1);
        assert_true(f.fill >= a.start[ORDER] && f.fill <= ORDER * (ORDER + 1) / 2);
        assert_true(f.flops > 0 && f.bytes > 0);
        assert_int_equal(mrn_llt_solve(&f, 1, b, x, NULL), MRN_OK);
        dense_solve(ORDER, dense, b, y);
        for (int j = 0; j < ORDER; j++) /* condition number of some units */
            assert_true(fabs(x[j] - y[j]) < 1e-15);
        free(dense);
        mrn_llt_release(&f);
        mrn_sparse_release(&a);
    }
}

/* Large enough to be supernodal; more right-hand sides than are solved at a time. */
static void solves_blocks_with_shifts(void **state)
{
    (void)state;
    enum { SIDES = 37 };
    mrn_sparse a = cube(6, 6, 0.3, 0.01);
    mrn_llt f;
    size_t n = (size_t)a.cols;
    double *b = calloc(n * SIDES, sizeof *b), *x = calloc(n * SIDES, sizeof *x);
    for (size_t k = 0; k < n * SIDES; k++)
        b[k] = sin((double)(k * k % 1013));
    assert_int_equal(mrn_llt_make(&a, &f, NULL), MRN_OK);
    assert_true(f.flops > 40 * (double)f.fill); /* what makes it supernodal */
    for (double shift = 0; shift < 2; shift += 0.7) {
        assert_int_equal(mrn_llt_numeric(&f, &a, shift, NULL), MRN_OK);
        assert_int_equal(mrn_llt_solve(&f, SIDES, b, x, NULL), MRN_OK);
        for (int k = 0; k < SIDES; k++) /* |A| is some ten, |x| up to 100 without shift */
            assert_true(worst_residual(&a, shift, x + (size_t)k * n, b + (size_t)k * n) < 1e-12);
    }
    memcpy(x, b, n * 2 * sizeof *x);
    assert_int_equal(mrn_llt_solve(&f, 2, x, x, NULL), MRN_OK); /* in place */
    assert_true(worst_residual(&a, 1.4, x + n, b + n) < 1e-12);
    free(b), free(x);
    mrn_llt_release(&f);
    mrn_sparse_release(&a);
}

/* Free in space: six rigid motions at most would be missing with springs between centres; here,
   with unknowns that springs see in differences only, d translations of the whole. Rounding decides
   about the sign of the last pivots; the answer must not depend on it. */
static void singular_and_indefinite_are_refused(void **state)
{
    (void)state;
    for (int m = 2; m <= 7; m++)
        for (int d = 1; d <= 6; d += m > 4 ? 5 : 1) {
            mrn_sparse a = cube(m, d, 0.3, 0);
            mrn_llt f;
            mrn_message msg = {0};
            double x = 0;
            assert_int_equal(mrn_llt_make(&a, &f, NULL), MRN_OK);
            assert_int_equal(mrn_llt_numeric(&f, &a, 0, &msg), MRN_ERR_RANGE);
            assert_true(f.bad_column >= 0 && f.bad_column < a.cols);
            assert_non_null(strstr(msg.text, "not positive definite"));
            assert_int_equal(mrn_llt_solve(&f, 1, &x, &x, NULL), MRN_ERR_RANGE);
            assert_int_equal(mrn_llt_numeric(&f, &a, -0.1, &msg), MRN_ERR_RANGE);
            /* a hold of 1e-9 of the stiffness is seen */
            assert_int_equal(mrn_llt_numeric(&f, &a, 1e-9, &msg), MRN_OK);
            assert_int_equal(f.bad_column, -1);
            mrn_llt_release(&f);
            mrn_sparse_release(&a);
        }
}

static void the_bad_column_is_told(void **state)
{
    (void)state;
    for (int bad = 0; bad < 40; bad += 13) {
        gather g = gather_make(100);
        for (int j = 0; j < 40; j++) {
            put(&g, j, j, j == bad ? -1 : 2);
            if (j > 0 && j != bad && j - 1 != bad)
                put(&g, j, j - 1, -0.5);
        }
        mrn_sparse a = finish(&g, 40);
        mrn_llt f;
        assert_int_equal(mrn_llt_make(&a, &f, NULL), MRN_OK);
        assert_int_equal(mrn_llt_numeric(&f, &a, 0, NULL), MRN_ERR_RANGE);
        assert_int_equal(f.bad_column, bad);
        a.value[a.start[bad]] = NAN;
        assert_int_equal(mrn_llt_numeric(&f, &a, 0, NULL), MRN_ERR_RANGE);
        a.value[a.start[bad]] = 3;
        assert_int_equal(mrn_llt_numeric(&f, &a, 0, NULL), MRN_OK);
        mrn_llt_release(&f);
        mrn_sparse_release(&a);
    }
}

static void wrong_matrices_are_refused(void **state)
{
    (void)state;
    const int64_t row[] = {0, 0, 1}, col[] = {0, 1, 1};
    const double value[] = {2, 1, 2};
    mrn_sparse a;
    mrn_llt f;
    mrn_message msg = {0};
    assert_int_equal(mrn_sparse_make(2, 2, 3, row, col, value, &a, NULL), MRN_OK);
    assert_int_equal(mrn_llt_make(&a, &f, &msg), MRN_ERR_RANGE); /* upper entry */
    assert_non_null(strstr(msg.text, "above"));
    mrn_sparse_release(&a);
    assert_int_equal(mrn_sparse_make(2, 2, 1, row, col, value, &a, NULL), MRN_OK);
    assert_int_equal(mrn_llt_make(&a, &f, &msg), MRN_ERR_RANGE); /* no diagonal */
    mrn_sparse_release(&a);
    assert_int_equal(mrn_sparse_make(3, 2, 1, row, col, value, &a, NULL), MRN_OK);
    assert_int_equal(mrn_llt_make(&a, &f, &msg), MRN_ERR_RANGE); /* not square */
    mrn_sparse_release(&a);
    mrn_llt_release(&f);
    assert_int_equal(mrn_llt_solve(&f, 1, value, (double *)value, NULL), MRN_ERR_RANGE);
}

static void the_same_bits_for_any_threads(void **state)
{
    (void)state;
    mrn_sparse a = cube(7, 6, 0.3, 0.01);
    size_t n = (size_t)a.cols;
    double *b = calloc(n, sizeof *b), *x[3];
    for (size_t k = 0; k < n; k++)
        b[k] = sin((double)k);
    int before = mrn_threads();
    for (int run = 0; run < 3; run++) {
        mrn_llt f;
        mrn_threads_set(1 + 2 * run);
        x[run] = calloc(n, sizeof *x[run]);
        assert_int_equal(mrn_llt_make(&a, &f, NULL), MRN_OK);
        assert_int_equal(mrn_llt_numeric(&f, &a, 0, NULL), MRN_OK);
        assert_int_equal(mrn_llt_solve(&f, 1, b, x[run], NULL), MRN_OK);
        mrn_llt_release(&f);
        assert_memory_equal(x[run], x[0], n * sizeof *b);
    }
    mrn_threads_set(before);
    /* the BLAS gets back the threads it had */
    mrn_blas_threads outer = mrn_blas_begin(), inner = mrn_blas_begin();
    assert_int_equal(inner.before, 1);
    mrn_blas_end(inner);
    mrn_blas_end(outer);
    mrn_blas_threads again = mrn_blas_begin();
    assert_int_equal(again.before, outer.before);
    mrn_blas_end(again);
    for (int run = 0; run < 3; run++)
        free(x[run]);
    free(b);
    mrn_sparse_release(&a);
}

/* A clique of `wide` unknowns, and groups of `few` before it that touch all of it: `groups` of
   them. Diagonally dominant. */
static mrn_sparse clique(int wide, int few, int groups)
{
    int first = few * groups, n = first + wide;
    gather g = gather_make((int64_t)n * (n + 1) / 2);
    mrn_rng rng = mrn_rng_seed(9, 0);
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double v = mrn_rng_uniform(&rng) - 0.5;
            if (i >= first || i / few == j / few)
                put(&g, i, j, i == j ? n : v);
        }
    return finish(&g, n);
}

/* Supernodes wider than a panel are cut: the factor has no triangle above its diagonal blocks to
   speak of, and neither solutions nor refusals know of it. */
static void wide_supernodes_are_cut(void **state)
{
    (void)state;
    enum { WIDE = 1200, N = WIDE + 120 };
    mrn_sparse a = clique(WIDE, 40, 3);
    mrn_llt f;
    double *b = calloc(N, sizeof *b), *x = calloc(N, sizeof *x);
    for (int i = 0; i < N; i++)
        b[i] = 1 + i % 7;
    assert_int_equal(mrn_llt_make(&a, &f, NULL), MRN_OK);
    assert_int_equal(mrn_llt_numeric(&f, &a, 0, NULL), MRN_OK);
    /* uncut, the clique alone is a square */
    assert_true(f.bytes < 8.0 * WIDE * WIDE);
    assert_true(f.bytes > 8.0 * (double)f.fill);
    assert_int_equal(mrn_llt_solve(&f, 1, b, x, NULL), MRN_OK);
    /* condition near 1: rounding of sums of n numbers of the size of b */
    assert_true(worst_residual(&a, 0, x, b) < 1e-11);
    int64_t bad = N - 5;
    a.value[a.start[bad]] = -1;
    assert_int_equal(mrn_llt_numeric(&f, &a, 0, NULL), MRN_ERR_RANGE);
    assert_true(f.bad_column >= 0 && f.bad_column < N);
    a.value[a.start[bad]] = N;
    assert_int_equal(mrn_llt_numeric(&f, &a, 1, NULL), MRN_OK);
    assert_int_equal(mrn_llt_solve(&f, 1, b, x, NULL), MRN_OK);
    assert_true(worst_residual(&a, 1, x, b) < 1e-11);
    mrn_llt_release(&f);
    mrn_sparse_release(&a);
    free(b), free(x);
}

/* Unknowns are ordered by nodes where all of a node have the same neighbours; entries that spoil
   this, between single unknowns or of a node with more of them, must not matter. */
static void odd_neighbours_are_ordered_too(void **state)
{
    (void)state;
    enum { M = 5, D = 4, EXTRA = 3, N = M * M * M * D + EXTRA };
    mrn_sparse a = cube(M, D, 0.3, 0.5);
    gather g = gather_make(a.start[a.cols] + 6 + 2 * EXTRA + EXTRA * EXTRA);
    for (int64_t j = 0; j < a.cols; j++)
        for (int64_t k = a.start[j]; k < a.start[j + 1]; k++)
            put(&g, a.row[k], j, a.value[k]);
    put(&g, 3, 402, 0.1), put(&g, 30, 29 + 4 * D, 0.1), put(&g, 17, 433, -0.1);
    for (int i = 0; i < EXTRA; i++)
        for (int j = 0; j <= i; j++)
            put(&g, N - EXTRA + i, N - EXTRA + j, i == j ? 3 : 0.5);
    put(&g, N - 2, 7, 0.2), put(&g, N - 1, 8, 0.2);
    mrn_sparse_release(&a);
    a = finish(&g, N);
    mrn_llt f;
    double *b = calloc(N, sizeof *b), *x = calloc(N, sizeof *x);
    for (int i = 0; i < N; i++)
        b[i] = sin(i);
    assert_int_equal(mrn_llt_make(&a, &f, NULL), MRN_OK);
    assert_int_equal(mrn_llt_numeric(&f, &a, 0, NULL), MRN_OK);
    assert_int_equal(mrn_llt_solve(&f, 1, b, x, NULL), MRN_OK);
    assert_true(worst_residual(&a, 0, x, b) < 1e-12);
    mrn_llt_release(&f);
    mrn_sparse_release(&a);
    free(b), free(x);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    mrn_sparse a = cube(3, 3, 0.3, 0.1);
    size_t before = mrn_bytes_in_use();
    int failed = 0;
    for (int64_t k = 1;; k++) {
        mrn_llt f;
        mrn_alloc_fail_at(k);
        mrn_status st = mrn_llt_make(&a, &f, NULL);
        if (st == MRN_OK)
            st = mrn_llt_numeric(&f, &a, 0, NULL);
        mrn_alloc_fail_at(0);
        mrn_llt_release(&f);
        assert_int_equal(mrn_bytes_in_use(), before);
        if (st == MRN_OK)
            break;
        assert_int_equal(st, MRN_ERR_MEMORY);
        failed++;
    }
    assert_true(failed > 2);
    mrn_message msg = {0};
    assert_int_equal(mrn_memory_enough(1e18, "this", &msg), MRN_ERR_MEMORY);
    assert_non_null(strstr(msg.text, "this needs 1e+09 GB"));
    assert_int_equal(mrn_memory_enough(1e3, "this", &msg), MRN_OK);
    mrn_sparse_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_a_dense_factorisation),
        cmocka_unit_test(solves_blocks_with_shifts),
        cmocka_unit_test(singular_and_indefinite_are_refused),
        cmocka_unit_test(the_bad_column_is_told),
        cmocka_unit_test(wrong_matrices_are_refused),
        cmocka_unit_test(the_same_bits_for_any_threads),
        cmocka_unit_test(wide_supernodes_are_cut),
        cmocka_unit_test(odd_neighbours_are_ordered_too),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
