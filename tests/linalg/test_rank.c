/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank and null spaces: products of known rank, incidence of graphs, bars in the plane, memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "linalg/sparse.h"

/* Entries being gathered. */
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
    g->row[g->n] = i;
    g->col[g->n] = j;
    g->value[g->n++] = v;
}

static mrn_sparse finish(gather *g, int64_t rows, int64_t cols)
{
    mrn_sparse a;
    assert_int_equal(mrn_sparse_make(rows, cols, g->n, g->row, g->col, g->value, &a, NULL), MRN_OK);
    free(g->row), free(g->col), free(g->value);
    return a;
}

static double product(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += x[k] * y[k];
    return sum;
}

/* Orthonormal to 1e-12, and gone by A (or Aᵀ) to 1e-10: the factorisation is exact to some 1e-15 of
   the entries, and the coefficients of these matrices stay below 1e3. */
static void is_null_space(const mrn_sparse *a, bool transposed, int64_t k, const double *x)
{
    int64_t n = transposed ? a->rows : a->cols, m = transposed ? a->cols : a->rows;
    double *y = calloc((size_t)m + 1, sizeof *y);
    for (int64_t i = 0; i < k; i++) {
        (transposed ? mrn_sparse_times_t : mrn_sparse_times)(a, x + i * n, y);
        assert_true(sqrt(product(m, y, y)) < 1e-10);
        for (int64_t j = 0; j <= i; j++)
            assert_true(fabs(product(n, x + i * n, x + j * n) - (i == j)) < 1e-12);
    }
    free(y);
}

static mrn_rank look(const mrn_sparse *a, int64_t rank)
{
    mrn_rank r;
    mrn_message msg = {0};
    assert_int_equal(mrn_rank_of(a, 0, true, true, 1000, &r, &msg), MRN_OK);
    assert_int_equal(r.rank, rank);
    assert_int_equal(r.n_right, a->cols - rank);
    assert_int_equal(r.n_left, a->rows - rank);
    assert_true(r.largest_out < r.smallest_in && r.tolerance < r.smallest_in);
    is_null_space(a, false, r.n_right, r.right);
    is_null_space(a, true, r.n_left, r.left);
    return r;
}

static void look_and_release(mrn_sparse *a, int64_t rank)
{
    mrn_rank r = look(a, rank), alone;
    /* without bases the other side may be factorised: the same rank */
    assert_int_equal(mrn_rank_of(a, 0, false, false, 0, &alone, NULL), MRN_OK);
    assert_int_equal(alone.rank, rank);
    assert_true(alone.right == NULL && alone.left == NULL);
    mrn_rank_release(&alone);
    mrn_rank_release(&r);
    mrn_rank_release(&r);
    mrn_sparse_release(a);
}

/* The product of a sparse rows x rank and a sparse rank x cols matrix, each with a diagonal larger
   than what stands beside it. */
static void products_have_the_rank_of_their_factors(void **state)
{
    (void)state;
    const int sizes[][3] = {{40, 30, 12}, {30, 40, 29}, {25, 25, 25},
                            {60, 20, 20}, {9, 50, 3},   {200, 200, 150}};
    for (size_t c = 0; c < sizeof sizes / sizeof sizes[0]; c++) {
        int rows = sizes[c][0], cols = sizes[c][1], rank = sizes[c][2];
        mrn_rng rng = mrn_rng_seed(11 + c, 0);
        gather g = gather_make((int64_t)rank * 9);
        for (int k = 0; k < rank; k++) {
            int i[3] = {k % rows, (int)(rows * mrn_rng_uniform(&rng)),
                        (int)(rows * mrn_rng_uniform(&rng))};
            int j[3] = {k % cols, (int)(cols * mrn_rng_uniform(&rng)),
                        (int)(cols * mrn_rng_uniform(&rng))};
            double u[3] = {2, 0.6 * mrn_rng_uniform(&rng), 0.6 * mrn_rng_uniform(&rng)};
            double v[3] = {2, 0.6 * mrn_rng_uniform(&rng), 0.6 * mrn_rng_uniform(&rng)};
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 3; q++)
                    put(&g, i[p], j[q], u[p] * v[q]);
        }
        mrn_sparse a = finish(&g, rows, cols);
        look_and_release(&a, rank);
    }
}

/* Edges by nodes, +1 and -1: the rank is the number of nodes less that of connected parts. */
static mrn_sparse incidence(int nodes, int parts, int edges_per_node, int *edges)
{
    gather g = gather_make((int64_t)nodes * edges_per_node * 2);
    mrn_rng rng = mrn_rng_seed(5, 0);
    int e = 0;
    for (int a = parts; a < nodes; a++) /* nodes of a part have the same number modulo parts */
        for (int k = 0; k < edges_per_node; k++) {
            int below = a / parts;
            int b = a - parts * (k == 0 ? 1 : 1 + (int)(below * mrn_rng_uniform(&rng)));
            put(&g, e, a, 1);
            put(&g, e++, b, -1);
        }
    *edges = e;
    return finish(&g, e, nodes);
}

static void incidence_of_graphs(void **state)
{
    (void)state;
    int edges;
    mrn_sparse a = incidence(2000, 1, 1, &edges); /* a chain: the softest there is */
    look_and_release(&a, 1999);
    a = incidence(500, 1, 2, &edges);
    look_and_release(&a, 499);
    a = incidence(500, 7, 2, &edges);
    look_and_release(&a, 493);
}

/* Bars between the points of a lattice n x n, of which a corner and its neighbour are not held: in
   the plane, 2 n² unknowns. With one diagonal in every cell it is rigid but for three motions, and
   has bars 3 n² - 4 n + 1, so (n-2)² ways of stress. `jitter` moves the points. */
static mrn_sparse bars(int n, double jitter)
{
    gather g = gather_make((int64_t)n * n * 3 * 4);
    double *x = calloc((size_t)(2 * n * n), sizeof *x);
    mrn_rng rng = mrn_rng_seed(9, 0);
    for (int k = 0; k < n * n; k++) {
        double dx = mrn_rng_uniform(&rng), dy = mrn_rng_uniform(&rng);
        x[2 * k] = k % n + jitter * dx;
        x[2 * k + 1] = (double)(k / n) + jitter * dy;
    }
    int e = 0;
    for (int a = 0; a < n * n; a++)
        for (int way = 1; way <= 3; way++) {
            int i = a % n + (way & 1), j = a / n + (way >> 1), b = j * n + i;
            if (i >= n || j >= n)
                continue;
            double u = x[2 * b] - x[2 * a], v = x[2 * b + 1] - x[2 * a + 1], l = hypot(u, v);
            put(&g, e, 2 * a, -u / l);
            put(&g, e, 2 * a + 1, -v / l);
            put(&g, e, 2 * b, u / l);
            put(&g, e++, 2 * b + 1, v / l);
        }
    free(x);
    return finish(&g, e, 2 * n * n);
}

static void bars_in_the_plane(void **state)
{
    (void)state;
    for (int n = 2; n <= 20; n += 6)
        for (int moved = 0; moved < 2; moved++) {
            mrn_sparse a = bars(n, 0.3 * moved);
            assert_int_equal(a.rows, 3 * n * n - 4 * n + 1);
            look_and_release(&a, 2 * n * n - 3);
        }
}

static void few_columns_are_kept_when_asked(void **state)
{
    (void)state;
    mrn_sparse a = bars(8, 0.1);
    mrn_rank r;
    assert_int_equal(mrn_rank_of(&a, 0, true, true, 10, &r, NULL), MRN_OK);
    assert_int_equal(r.rank, 125);
    assert_int_equal(r.n_right, 3);
    assert_int_equal(r.n_left, 0); /* 36 */
    assert_null(r.left);
    mrn_rank_release(&r);
    assert_int_equal(mrn_rank_of(&a, 0, false, true, 36, &r, NULL), MRN_OK);
    assert_int_equal(r.n_right, 0);
    assert_int_equal(r.n_left, 36);
    mrn_rank_release(&r);
    mrn_sparse_release(&a);
}

/* What is counted depends on the tolerance, and what lies beside it is stated. */
static void tolerance_counts(void **state)
{
    (void)state;
    const int64_t at[] = {0, 1, 2, 3};
    const double value[] = {10, 1, 1e-5, 1e-13};
    mrn_sparse a;
    mrn_rank r;
    assert_int_equal(mrn_sparse_make(5, 4, 4, at, at, value, &a, NULL), MRN_OK);
    assert_int_equal(mrn_rank_of(&a, 0, true, true, 9, &r, NULL), MRN_OK);
    assert_int_equal(r.rank, 3);
    assert_true(fabs(r.smallest_in - 1e-6) < 1e-18);
    assert_true(fabs(r.largest_out - 1e-14) < 1e-20);
    assert_true(fabs(fabs(r.right[3]) - 1) < 1e-15);
    assert_int_equal(r.n_left, 2);
    mrn_rank_release(&r);
    assert_int_equal(mrn_rank_of(&a, 1e-4, true, false, 9, &r, NULL), MRN_OK);
    assert_int_equal(r.rank, 2);
    mrn_rank_release(&r);
    assert_int_equal(mrn_rank_of(&a, 1e-16, true, false, 9, &r, NULL), MRN_OK);
    assert_int_equal(r.rank, 4);
    assert_int_equal(r.n_right, 0);
    mrn_rank_release(&r);
    a.value[1] = NAN;
    assert_int_equal(mrn_rank_of(&a, 0, true, false, 9, &r, NULL), MRN_ERR_RANGE);
    mrn_sparse_release(&a);
}

/* Columns u, u + 2e-8 v, then some that are sums of u and v: rounding of the second makes what is
   left of the third larger than the tolerance, though the rank is 2 without a doubt. */
static mrn_sparse almost_the_same(uint64_t seed)
{
    mrn_rng rng = mrn_rng_seed(seed, 0);
    gather g = gather_make(6 * 5);
    for (int i = 0; i < 6; i++) {
        double u = mrn_rng_normal(&rng), v = mrn_rng_normal(&rng);
        for (int j = 0; j < 5; j++)
            put(&g, i, j, j == 0 ? u : j == 1 ? u + 2e-8 * v : 0.3 * j * u + 0.7 * v);
    }
    return finish(&g, 6, 5);
}

static void columns_almost_the_same_do_not_deceive(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        mrn_sparse a = almost_the_same(seed);
        look_and_release(&a, 2);
    }
}

/* Kahan's triangle: singular to 1e-18 although no column has less left than 1e-6. A factorisation
   that does not look twice would call it regular. Within a matrix that is large, it is stated. */
static void hidden_small_singular_values_are_seen(void **state)
{
    (void)state;
    for (int order = 60; order < 4000; order += 3000) {
        double c = 0.6, s = sqrt(1 - c * c), row = 1;
        gather g = gather_make(60 * 60 + order);
        for (int i = 0; i < 60; i++, row *= s)
            for (int j = i; j < 60; j++)
                put(&g, i, j, i == j ? row : -c * row);
        for (int i = 60; i < order; i++)
            put(&g, i, i, 1);
        mrn_sparse a = finish(&g, order, order);
        mrn_rank r;
        mrn_message msg = {0};
        mrn_status st = mrn_rank_of(&a, 0, true, true, 60, &r, &msg);
        if (order == 60) {
            assert_int_equal(st, MRN_OK);
            assert_int_equal(r.rank, 59);
            is_null_space(&a, false, 1, r.right);
            is_null_space(&a, true, 1, r.left);
        } else {
            assert_int_equal(st, MRN_NOT_CONVERGED);
            assert_non_null(strstr(msg.text, "not clear"));
        }
        mrn_rank_release(&r);
        mrn_sparse_release(&a);
    }
}

static void nothing_is_a_matrix_too(void **state)
{
    (void)state;
    const int64_t zero[] = {0};
    const double nothing[] = {0};
    mrn_sparse a;
    mrn_rank r;
    assert_int_equal(mrn_sparse_make(3, 2, 1, zero, zero, nothing, &a, NULL), MRN_OK);
    assert_int_equal(mrn_rank_of(&a, 0, true, true, 9, &r, NULL), MRN_OK);
    assert_int_equal(r.rank, 0);
    assert_int_equal(r.n_right, 2);
    assert_int_equal(r.n_left, 3);
    assert_true(r.right[0] == 1 && r.right[1] == 0 && r.right[3] == 1);
    mrn_rank_release(&r);
    mrn_sparse_release(&a);
    assert_int_equal(mrn_sparse_make(0, 4, 0, NULL, NULL, NULL, &a, NULL), MRN_OK);
    assert_int_equal(mrn_rank_of(&a, 0, true, true, 9, &r, NULL), MRN_OK);
    assert_int_equal(r.n_right, 4);
    assert_int_equal(r.n_left, 0);
    mrn_rank_release(&r);
    mrn_sparse_release(&a);
}

static int times_out_of_memory(mrn_sparse *a)
{
    size_t before = mrn_bytes_in_use();
    int failed = 0;
    for (int64_t k = 1;; k++) {
        mrn_rank r;
        mrn_alloc_fail_at(k);
        mrn_status st = mrn_rank_of(a, 0, true, true, 100, &r, NULL);
        mrn_alloc_fail_at(0);
        mrn_rank_release(&r);
        assert_int_equal(mrn_bytes_in_use(), before);
        if (st == MRN_OK)
            break;
        assert_int_equal(st, MRN_ERR_MEMORY);
        failed++;
    }
    mrn_sparse_release(a);
    return failed;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    mrn_sparse a = bars(4, 0.1), b = bars(2, 0.1), c = almost_the_same(0);
    int tall = times_out_of_memory(&a), wide = times_out_of_memory(&b);
    assert_true(tall > 12 && wide > 12);
    assert_true(times_out_of_memory(&c) >= tall + 6); /* singular values after all that */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_have_the_rank_of_their_factors),
        cmocka_unit_test(incidence_of_graphs),
        cmocka_unit_test(bars_in_the_plane),
        cmocka_unit_test(few_columns_are_kept_when_asked),
        cmocka_unit_test(tolerance_counts),
        cmocka_unit_test(columns_almost_the_same_do_not_deceive),
        cmocka_unit_test(hidden_small_singular_values_are_seen),
        cmocka_unit_test(nothing_is_a_matrix_too),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
