/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse matrices by columns against dense ones; conjugate gradients; memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/sparse.h"

enum { ROWS = 23, COLS = 17, ENTRIES = 160 };

typedef struct list {
    int64_t row[ENTRIES], col[ENTRIES];
    double value[ENTRIES], dense[ROWS][COLS];
} list;

/* Entries anywhere, many at one place; the last column stays empty. */
static void random_list(list *l, uint64_t seed)
{
    mrn_rng rng = mrn_rng_seed(seed, 0);
    memset(l, 0, sizeof *l);
    for (int k = 0; k < ENTRIES; k++) {
        l->row[k] = (int64_t)(ROWS * mrn_rng_uniform(&rng));
        l->col[k] = (int64_t)((COLS - 1) * mrn_rng_uniform(&rng));
        l->value[k] = mrn_rng_normal(&rng);
        l->dense[l->row[k]][l->col[k]] += l->value[k];
    }
}

static void entries_are_sorted_and_added(void **state)
{
    (void)state;
    list l;
    mrn_sparse a;
    random_list(&l, 3);
    assert_int_equal(mrn_sparse_make(ROWS, COLS, ENTRIES, l.row, l.col, l.value, &a, NULL), MRN_OK);
    assert_true(a.start[COLS] < ENTRIES); /* some were at one place */
    assert_int_equal(a.start[COLS], a.start[COLS - 1]);
    int seen = 0;
    for (int j = 0; j < COLS; j++)
        for (int64_t k = a.start[j]; k < a.start[j + 1]; k++, seen++) {
            if (k > a.start[j])
                assert_true(a.row[k] > a.row[k - 1]);
            assert_true(a.value[k] == l.dense[a.row[k]][j]); /* added in the same order */
            l.dense[a.row[k]][j] = 0;
        }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            assert_true(l.dense[i][j] == 0); /* none was lost */
    mrn_sparse_release(&a);
    mrn_sparse_release(&a);
}

static void products_are_those_of_the_dense_matrix(void **state)
{
    (void)state;
    list l;
    mrn_sparse a, t;
    double x[COLS], y[ROWS], z[ROWS], u[COLS], v[COLS];
    random_list(&l, 4);
    assert_int_equal(mrn_sparse_make(ROWS, COLS, ENTRIES, l.row, l.col, l.value, &a, NULL), MRN_OK);
    assert_int_equal(mrn_sparse_transpose(&a, &t, NULL), MRN_OK);
    assert_int_equal(t.rows, COLS);
    assert_int_equal(t.cols, ROWS);
    for (int j = 0; j < COLS; j++)
        x[j] = sin(j + 1);
    mrn_sparse_times(&a, x, y);
    mrn_sparse_times_t(&t, x, z);
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int j = 0; j < COLS; j++)
            sum += l.dense[i][j] * x[j];
        assert_true(fabs(y[i] - sum) < 1e-14); /* a dozen terms of order one */
        assert_true(fabs(z[i] - sum) < 1e-14);
    }
    mrn_sparse_times_t(&a, y, u);
    mrn_sparse_times(&t, y, v);
    for (int j = 0; j < COLS; j++) {
        double sum = 0;
        for (int i = 0; i < ROWS; i++)
            sum += l.dense[i][j] * y[i];
        assert_true(fabs(u[j] - sum) < 1e-13);
        assert_true(fabs(v[j] - sum) < 1e-13);
    }
    mrn_sparse_release(&a);
    mrn_sparse_release(&t);
}

static void symmetric_product_takes_the_lower_triangle(void **state)
{
    (void)state;
    const int64_t row[] = {0, 1, 2, 1, 2}, col[] = {0, 0, 0, 1, 2};
    const double value[] = {2, -1, 5, 3, 7}, x[] = {1, 10, 100};
    double y[3];
    mrn_sparse a;
    assert_int_equal(mrn_sparse_make(3, 3, 5, row, col, value, &a, NULL), MRN_OK);
    mrn_sparse_times_symmetric(&a, x, y);
    assert_true(y[0] == 2 - 10 + 500);
    assert_true(y[1] == -1 + 30);
    assert_true(y[2] == 5 + 700);
    mrn_sparse_release(&a);
}

static void entries_outside_are_refused(void **state)
{
    (void)state;
    const int64_t in[] = {0}, out[] = {2}, below[] = {-1};
    const double one[] = {1};
    mrn_sparse a;
    mrn_message msg = {0};
    assert_int_equal(mrn_sparse_make(2, 3, 1, out, in, one, &a, &msg), MRN_ERR_RANGE);
    assert_non_null(strstr(msg.text, "(2, 0)"));
    assert_int_equal(mrn_sparse_make(3, 2, 1, in, out, one, &a, &msg), MRN_ERR_RANGE);
    assert_int_equal(mrn_sparse_make(3, 2, 1, below, in, one, &a, &msg), MRN_ERR_RANGE);
    assert_null(a.start);
    assert_int_equal(mrn_sparse_make(0, 0, 0, NULL, NULL, NULL, &a, &msg), MRN_OK);
    mrn_sparse_release(&a);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    list l;
    size_t before = mrn_bytes_in_use();
    random_list(&l, 5);
    int failed = 0;
    for (int64_t k = 1;; k++) {
        mrn_sparse a = {0}, t = {0};
        mrn_alloc_fail_at(k);
        mrn_status st = mrn_sparse_make(ROWS, COLS, ENTRIES, l.row, l.col, l.value, &a, NULL);
        if (st == MRN_OK)
            st = mrn_sparse_transpose(&a, &t, NULL);
        mrn_alloc_fail_at(0);
        mrn_sparse_release(&a);
        mrn_sparse_release(&t);
        assert_int_equal(mrn_bytes_in_use(), before);
        if (st == MRN_OK)
            break;
        assert_int_equal(st, MRN_ERR_MEMORY);
        failed++;
    }
    assert_int_equal(failed, 8);
}

/* ---- conjugate gradients: a ring of springs, singular along (1, 1, …) ---- */

enum { N = 200 };
typedef struct ring {
    double hold; /* stiffness towards the ground */
} ring;

static void ring_times(void *user, const double *x, double *y)
{
    const ring *r = user;
    memset(y, 0, N * sizeof *y);
    for (int i = 0; i < N; i++) {
        double force = (1 + i % 7) * (x[(i + 1) % N] - x[i]);
        y[i] -= force;
        y[(i + 1) % N] += force;
    }
    for (int i = 0; i < N; i++)
        y[i] += r->hold * x[i];
}

static void ring_diagonal(void *user, const double *x, double *y)
{
    const ring *r = user;
    for (int i = 0; i < N; i++)
        y[i] = x[i] / ((1 + i % 7) + (1 + (i + N - 1) % N % 7) + r->hold);
}

static double ring_residual(const ring *r, const double *b, const double *x)
{
    double y[N], sum = 0, size = 0;
    ring_times((void *)r, x, y);
    for (int i = 0; i < N; i++) {
        sum += (b[i] - y[i]) * (b[i] - y[i]);
        size += b[i] * b[i];
    }
    return sqrt(sum / size);
}

static void conjugate_gradients_solve(void **state)
{
    (void)state;
    double b[N], x[N], room[4 * N], mean = 0;
    for (int i = 0; i < N; i++)
        mean += (b[i] = sin(i * i)) / N;
    for (int singular = 0; singular < 2; singular++)
        for (int with = 0; with < 2; with++) {
            ring r = {.hold = singular ? 0 : 0.01};
            double right[N];
            for (int i = 0; i < N; i++) {
                right[i] = b[i] - (singular ? mean : 0); /* in the range */
                x[i] = 0.1 * i;
            }
            mrn_cg_report report =
                mrn_cg(N, ring_times, with ? ring_diagonal : NULL, &r, 1e-11, 2000, right, x, room);
            assert_true(report.converged);
            assert_true(report.iterations < 1000);
            /* what it says is what is there, to the rounding of two sums */
            assert_true(fabs(report.residual - ring_residual(&r, right, x)) < 1e-14);
            assert_true(report.residual <= 1e-11);
        }
}

static void conjugate_gradients_tell_what_they_cannot(void **state)
{
    (void)state;
    double b[N], x[N] = {0}, room[4 * N];
    ring r = {.hold = 0};
    for (int i = 0; i < N; i++)
        b[i] = 1 + 0.1 * cos(i); /* mostly out of the range */
    mrn_cg_report report = mrn_cg(N, ring_times, NULL, &r, 1e-8, 500, b, x, room);
    assert_false(report.converged);
    assert_true(report.residual > 0.9 && report.residual <= 1.0001); /* never worse than x = 0 */
    assert_true(fabs(report.residual - ring_residual(&r, b, x)) < 1e-10);

    r.hold = 1e-3;
    memset(x, 0, sizeof x);
    report = mrn_cg(N, ring_times, NULL, &r, 1e-10, 3, b, x, room);
    assert_false(report.converged);
    assert_int_equal(report.iterations, 3);

    /* more digits than there are: it stops by itself */
    memset(x, 0, sizeof x);
    report = mrn_cg(N, ring_times, NULL, &r, 1e-30, 1000000, b, x, room);
    assert_false(report.converged);
    assert_true(report.iterations < 100000);
    assert_true(report.residual < 1e-11);

    memset(b, 0, sizeof b);
    report = mrn_cg(N, ring_times, NULL, &r, 1e-10, 3, b, x, room);
    assert_true(report.converged && report.residual == 0 && x[3] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_sorted_and_added),
        cmocka_unit_test(products_are_those_of_the_dense_matrix),
        cmocka_unit_test(symmetric_product_takes_the_lower_triangle),
        cmocka_unit_test(entries_outside_are_refused),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(conjugate_gradients_solve),
        cmocka_unit_test(conjugate_gradients_tell_what_they_cannot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
