/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eigenvalues: Laplacians whose spectra are known, many equal ones, any signature, a second matrix;
   a few against all; memory. */
/* ctest-labels: threads */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/sparse.h"

#define PI 3.14159265358979323846

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

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A cube of m³ points, held outside of it: 2 - 2 cos(pi i/(m + 1)) along every axis, so most
   eigenvalues come three or six times. `offset` is added to all. */
static mrn_sparse cube(int m, double offset, double *spectrum)
{
    int n = m * m * m, step[3] = {1, m, m * m};
    gather g = gather_make(4 * n);
    for (int a = 0; a < n; a++) {
        put(&g, a, a, 6 + offset);
        spectrum[a] = offset;
        for (int axis = 0; axis < 3; axis++) {
            int i = a / step[axis] % m;
            spectrum[a] += 2 - 2 * cos(PI * (i + 1) / (m + 1));
            if (i + 1 < m)
                put(&g, a, a + step[axis], -1);
        }
    }
    qsort(spectrum, (size_t)n, sizeof *spectrum, ascending);
    return finish(&g, n);
}

/* Free chains of `length` points: as many zeros as chains. */
static mrn_sparse chains(int count, int length, double *spectrum)
{
    gather g = gather_make((int64_t)count * length * 2);
    for (int a = 0; a < count * length; a++) {
        int i = a % length;
        put(&g, a, a, (i > 0) + (i + 1 < length));
        if (i + 1 < length)
            put(&g, a, a + 1, -1);
        spectrum[a] = 2 - 2 * cos(PI * i / length);
    }
    qsort(spectrum, (size_t)(count * length), sizeof *spectrum, ascending);
    return finish(&g, count * length);
}

/* Values to 1e-12 (twice the digits of the residual, and rounding of |A| = 12), the residuals as
   told, vectors orthonormal in B. */
static void is_right(const mrn_sparse *a, const double *b, const mrn_eigen *e, int want,
                     const double *spectrum)
{
    int64_t n = a->cols;
    double *y = calloc((size_t)n, sizeof *y);
    assert_int_equal(e->n, want);
    for (int k = 0; k < want; k++) {
        const double *v = e->vector + k * n;
        assert_true(e->error[k] <= 1e-10);
        if (spectrum != NULL)
            assert_true(fabs(e->value[k] - spectrum[k]) < 1e-12);
        if (k > 0)
            assert_true(e->value[k] >= e->value[k - 1]);
        mrn_sparse_times_symmetric(a, v, y);
        double worst = 0;
        for (int64_t i = 0; i < n; i++)
            worst = fmax(worst, fabs(y[i] - e->value[k] * (b != NULL ? b[i] : 1) * v[i]));
        assert_true(worst < 1e-8);
        for (int l = 0; l <= k; l++) {
            double sum = 0;
            for (int64_t i = 0; i < n; i++)
                sum += v[i] * (b != NULL ? b[i] : 1) * e->vector[l * n + i];
            assert_true(fabs(sum - (k == l)) < 1e-11);
        }
    }
    free(y);
}

static void the_cube_has_its_multiplets(void **state)
{
    (void)state;
    const int wants[] = {1, 4, 7, 20, 30, 60};
    double *spectrum = calloc(1000, sizeof *spectrum);
    mrn_sparse a = cube(10, 0, spectrum);
    for (int k = 0; k < 6; k++) {
        mrn_eigen e;
        assert_int_equal(mrn_eigen_smallest(&a, NULL, wants[k], 0, &e, NULL), MRN_OK);
        is_right(&a, NULL, &e, wants[k], spectrum);
        mrn_eigen_release(&e);
        mrn_eigen_release(&e);
    }
    free(spectrum);
    mrn_sparse_release(&a);
}

static void mechanisms_are_all_found(void **state)
{
    (void)state;
    const int counts[] = {1, 6, 40};
    for (int c = 0; c < 3; c++)
        for (int more = -3; more <= 3; more += 3) {
            int want = counts[c] + more > 0 ? counts[c] + more : 1, length = 900 / counts[c];
            double *spectrum = calloc(900, sizeof *spectrum);
            mrn_sparse a = chains(counts[c], length, spectrum);
            mrn_eigen e;
            assert_int_equal(mrn_eigen_smallest(&a, NULL, want, 0, &e, NULL), MRN_OK);
            is_right(&a, NULL, &e, want, spectrum);
            mrn_eigen_release(&e);
            mrn_sparse_release(&a);
            free(spectrum);
        }
}

/* The shift is found: below zero, and far above it. */
static void any_signature(void **state)
{
    (void)state;
    const double offsets[] = {-0.2, -6, -30, 5, 1000};
    double *spectrum = calloc(512, sizeof *spectrum);
    for (int k = 0; k < 5; k++) {
        mrn_sparse a = cube(8, offsets[k], spectrum);
        mrn_eigen e;
        assert_int_equal(mrn_eigen_smallest(&a, NULL, 10, 0, &e, NULL), MRN_OK);
        for (int i = 0; i < 10; i++) /* of |A| up to 1012 */
            assert_true(fabs(e.value[i] - spectrum[i]) < 1e-14 * (fabs(offsets[k]) + 100));
        assert_true(e.shift > -spectrum[0]);
        assert_true(e.iterations < 3000);
        mrn_eigen_release(&e);
        mrn_sparse_release(&a);
    }
    free(spectrum);
}

/* Springs between random pairs, of either sign, and masses over four decades: the few against all
   of them. */
static void with_masses_against_the_dense_method(void **state)
{
    (void)state;
    enum { N = 400 };
    mrn_rng rng = mrn_rng_seed(2, 0);
    gather g = gather_make(N * 13);
    double b[N];
    for (int a = 0; a < N; a++) {
        b[a] = pow(10, 2 - 4 * mrn_rng_uniform(&rng));
        put(&g, a, a, 0);
        for (int k = 0; k < 3; k++) {
            int other = (int)(N * mrn_rng_uniform(&rng));
            double stiff = mrn_rng_uniform(&rng) - 0.3;
            if (other == a)
                continue;
            put(&g, a, a, stiff);
            put(&g, other, other, stiff);
            put(&g, a, other, -stiff);
        }
    }
    mrn_sparse a = finish(&g, N);
    mrn_eigen few, all, values;
    assert_int_equal(mrn_eigen_smallest(&a, b, 12, 0, &few, NULL), MRN_OK);
    assert_int_equal(mrn_eigen_all(&a, b, true, &all, NULL), MRN_OK);
    assert_int_equal(mrn_eigen_all(&a, b, false, &values, NULL), MRN_OK);
    assert_true(few.value[0] < -1); /* no matter of rounding: about -22 */
    is_right(&a, b, &few, 12, NULL);
    assert_int_equal(all.n, N);
    assert_null(values.vector);
    /* |C| is up to 1000: light ones with three springs or more */
    for (int k = 0; k < 12; k++)
        assert_true(fabs(few.value[k] - all.value[k]) < 1e-11);
    for (int k = 0; k < N; k++) {
        assert_true(fabs(values.value[k] - all.value[k]) < 1e-11);
        assert_true(all.error[k] < 1e-13);
    }
    mrn_eigen_release(&few);
    mrn_eigen_release(&all);
    mrn_eigen_release(&values);
    mrn_sparse_release(&a);
}

static void all_of_small_ones(void **state)
{
    (void)state;
    double spectrum[216];
    mrn_sparse a = cube(6, 0, spectrum);
    mrn_eigen e;
    assert_int_equal(mrn_eigen_all(&a, NULL, true, &e, NULL), MRN_OK);
    is_right(&a, NULL, &e, 216, spectrum);
    mrn_eigen_release(&e);
    assert_int_equal(mrn_eigen_smallest(&a, NULL, 216, 0, &e, NULL), MRN_OK); /* dense, then */
    is_right(&a, NULL, &e, 216, spectrum);
    mrn_eigen_release(&e);
    mrn_sparse_release(&a);
}

static void zeros_and_refusals(void **state)
{
    (void)state;
    enum { N = 300 };
    gather g = gather_make(N);
    for (int k = 0; k < N; k++)
        put(&g, k, k, 0);
    mrn_sparse a = finish(&g, N);
    mrn_eigen e;
    mrn_message msg = {0};
    double b[N] = {0};
    assert_int_equal(mrn_eigen_smallest(&a, NULL, 5, 0, &e, NULL), MRN_OK);
    assert_true(e.n == 5 && e.value[0] == 0 && e.value[4] == 0);
    mrn_eigen_release(&e);
    assert_int_equal(mrn_eigen_smallest(&a, NULL, 0, 0, &e, NULL), MRN_OK);
    assert_int_equal(e.n, 0);
    mrn_eigen_release(&e);
    assert_int_equal(mrn_eigen_smallest(&a, NULL, N + 1, 0, &e, &msg), MRN_ERR_RANGE);
    assert_int_equal(mrn_eigen_smallest(&a, b, 5, 0, &e, &msg), MRN_ERR_RANGE);
    assert_non_null(strstr(msg.text, "not positive"));
    a.value[7] = INFINITY;
    assert_int_equal(mrn_eigen_smallest(&a, NULL, 5, 0, &e, &msg), MRN_ERR_RANGE);
    assert_int_equal(mrn_eigen_all(&a, NULL, false, &e, &msg), MRN_ERR_RANGE);
    assert_non_null(strstr(msg.text, "(7, 7)"));
    mrn_sparse_release(&a);
    assert_int_equal(mrn_sparse_make(0, 0, 0, NULL, NULL, NULL, &a, NULL), MRN_OK);
    assert_int_equal(mrn_eigen_all(&a, NULL, true, &e, NULL), MRN_OK);
    assert_int_equal(e.n, 0);
    mrn_eigen_release(&e);
    mrn_sparse_release(&a);
}

/* A tolerance that rounding does not allow: told, with none but those that met it. */
static void too_much_asked_is_told(void **state)
{
    (void)state;
    double *spectrum = calloc(216, sizeof *spectrum);
    mrn_sparse a = cube(6, 0, spectrum);
    mrn_eigen e;
    mrn_message msg = {0};
    assert_int_equal(mrn_eigen_smallest(&a, NULL, 3, 1e-25, &e, &msg), MRN_NOT_CONVERGED);
    assert_true(e.n < 3);
    assert_non_null(strstr(msg.text, "of 3 eigenvalues"));
    mrn_eigen_release(&e);
    mrn_sparse_release(&a);
    free(spectrum);
}

static void the_same_bits_again(void **state)
{
    (void)state;
    double *spectrum = calloc(512, sizeof *spectrum);
    mrn_sparse a = cube(8, -1, spectrum);
    mrn_eigen e[2];
    int before = mrn_threads();
    for (int run = 0; run < 2; run++) {
        mrn_threads_set(1 + 2 * run);
        assert_int_equal(mrn_eigen_smallest(&a, NULL, 9, 0, &e[run], NULL), MRN_OK);
    }
    mrn_threads_set(before);
    assert_memory_equal(e[0].value, e[1].value, 9 * sizeof(double));
    assert_memory_equal(e[0].vector, e[1].vector, 9 * 512 * sizeof(double));
    mrn_eigen_release(&e[0]);
    mrn_eigen_release(&e[1]);
    mrn_sparse_release(&a);
    free(spectrum);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    double spectrum[216];
    mrn_sparse a = cube(6, -1, spectrum);
    size_t before = mrn_bytes_in_use();
    for (int dense = 0; dense < 2; dense++) {
        int failed = 0;
        for (int64_t k = 1;; k++) {
            mrn_eigen e;
            mrn_alloc_fail_at(k);
            mrn_status st = dense ? mrn_eigen_all(&a, NULL, true, &e, NULL)
                                  : mrn_eigen_smallest(&a, NULL, 2, 0, &e, NULL);
            mrn_alloc_fail_at(0);
            mrn_eigen_release(&e);
            assert_int_equal(mrn_bytes_in_use(), before);
            if (st == MRN_OK)
                break;
            assert_int_equal(st, MRN_ERR_MEMORY);
            failed++;
        }
        assert_true(failed >= 9 - dense);
    }
    mrn_sparse_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cube_has_its_multiplets),
        cmocka_unit_test(mechanisms_are_all_found),
        cmocka_unit_test(any_signature),
        cmocka_unit_test(with_masses_against_the_dense_method),
        cmocka_unit_test(all_of_small_ones),
        cmocka_unit_test(zeros_and_refusals),
        cmocka_unit_test(too_much_asked_is_told),
        cmocka_unit_test(the_same_bits_again),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
