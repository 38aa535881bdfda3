/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sparse block LU against dense elimination: patterns, sizes of blocks, rows multiplied from
   the left, singular pivots, memory. */
#include "solve/problems.h"

#include "linalg/block_lu.h"

enum { MOST = 40 };
typedef struct matrix {
    int n, b;
    int64_t start[MOST + 1];
    int32_t col[MOST * MOST];
    double diag[MOST * 36], off[MOST * MOST * 36], left[MOST * 36];
} matrix;

/* Which off-diagonal blocks a pattern has. */
typedef enum pattern { EMPTY, CHAIN, ARROW, GRID, RANDOM, ONE_SIDED, FULL, PATTERNS } pattern;
static bool there(pattern p, int i, int j, const uint8_t *coin)
{
    switch (p) {
    case CHAIN:
        return i == j + 1 || j == i + 1;
    case ARROW: /* in the worst order: the head comes first */
        return i == 0 || j == 0;
    case GRID:
        return i == j + 6 || j == i + 6 || (i / 6 == j / 6 && (i == j + 1 || j == i + 1));
    case RANDOM:
        return coin[(i < j ? i : j) * MOST + (i < j ? j : i)] < 30;
    case ONE_SIDED: /* blocks whose mirror image is not stored */
        return coin[i * MOST + j] < 30;
    case FULL:
        return true;
    default:
        return false;
    }
}

/* Blocks that make the matrix diagonally dominant: no pivot is small, the condition number stays
   below 100. Columns of every second row are stored backwards. */
static void draw(matrix *a, pattern kind, int n, int b, uint64_t seed)
{
    mrn_rng rng = mrn_rng_seed(seed, 0);
    static uint8_t coin[MOST * MOST];
    for (int k = 0; k < MOST * MOST; k++)
        coin[k] = (uint8_t)(mrn_rng_next(&rng) >> 56);
    int64_t m = 0;
    a->n = n, a->b = b;
    for (int i = 0; i < n; i++) {
        a->start[i] = m;
        for (int k = 0; k < n; k++) {
            int j = i % 2 == 0 ? k : n - 1 - k;
            if (j != i && there(kind, i, j, coin))
                a->col[m++] = j;
        }
    }
    a->start[n] = m;
    for (int64_t k = 0; k < m * b * b; k++)
        a->off[k] = mrn_rng_normal(&rng);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < b * b; k++) {
            double own = mrn_rng_normal(&rng), factor = mrn_rng_normal(&rng);
            a->left[i * b * b + k] = factor;
            a->diag[i * b * b + k] = own + (k % (b + 1) == 0 ? 2.0 * b * (n + 2) : 0);
        }
}

/* y = A x of the blocks as they are given */
static void times(const matrix *a, const double *left, const double *x, double *y)
{
    int b = a->b;
    for (int i = 0; i < a->n; i++) {
        double sum[6] = {0};
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            for (int c = 0; c < b; c++)
                for (int r = 0; r < b; r++)
                    sum[r] += a->off[(k * b + c) * b + r] * x[a->col[k] * b + c];
        for (int r = 0; r < b; r++) {
            y[i * b + r] = left == NULL ? sum[r] : 0;
            for (int c = 0; c < b; c++) {
                y[i * b + r] += a->diag[(i * b + c) * b + r] * x[i * b + c];
                if (left != NULL)
                    y[i * b + r] += left[(i * b + c) * b + r] * sum[c];
            }
        }
    }
}

/* x from y = A x known, and the residual: both at rounding. Sums have up to 240 terms, the
   condition number is below 100: 1e-12 is some tens of times the rounding to expect. */
static void check(const matrix *a, const double *left, mrn_block_lu *f)
{
    double x[MOST * 6] = {0}, y[MOST * 6] = {0}, z[MOST * 6] = {0};
    mrn_rng rng = mrn_rng_seed(5, 5);
    int m = a->n * a->b;
    for (int k = 0; k < m; k++)
        x[k] = mrn_rng_normal(&rng);
    times(a, left, x, y);
    assert_int_equal(mrn_block_lu_factor(f, a->diag, a->off, a->start, left), 0);
    mrn_block_lu_solve(f, y, z);
    assert_true(distance(m, x, z) <= 1e-12 * norm_of(m, x));
    times(a, left, z, x);
    assert_true(distance(m, x, y) <= 1e-12 * norm_of(m, y));
    mrn_block_lu_solve(f, y, y); /* in place: same bits */
    assert_memory_equal(y, z, (size_t)m * sizeof *y);
}

static void solves_every_pattern_and_block(void **state)
{
    (void)state;
    const int sizes[] = {1, 2, 3, 4, 5, 6};
    static matrix a;
    for (int k = 0; k < 6; k++)
        for (int kind = 0; kind < PATTERNS; kind++)
            for (int n = 1; n <= 36; n = n == 1 ? 2 : n == 2 ? 36 : 37) {
                mrn_block_lu f;
                mrn_message msg = {0};
                draw(&a, (pattern)kind, n, sizes[k], (uint64_t)(k * 100 + kind));
                ok(mrn_block_lu_make(n, a.b, a.start, a.col, &f, &msg), &msg);
                check(&a, NULL, &f);
                for (int e = 0; e < n * a.b * a.b; e++)
                    a.left[e] *= 0.2; /* keeps the rows dominated by their diagonal */
                check(&a, a.left, &f);
                draw(&a, (pattern)kind, n, sizes[k], (uint64_t)(k * 100 + kind));
                check(&a, NULL, &f); /* values of before, after others: nothing is left over */
                mrn_block_lu_release(&f);
            }
}

/* Order: a permutation; a chain and an arrow need no fill whatever the order they come in. */
static void order_is_a_permutation_with_little_fill(void **state)
{
    (void)state;
    static matrix a;
    for (int kind = 0; kind < PATTERNS; kind++) {
        mrn_block_lu f;
        mrn_message msg = {0};
        bool seen[MOST] = {false};
        draw(&a, (pattern)kind, 36, 3, 1);
        ok(mrn_block_lu_make(36, 3, a.start, a.col, &f, &msg), &msg);
        for (int k = 0; k < 36; k++) {
            assert_in_range(f.order[k], 0, 35);
            assert_false(seen[f.order[k]]);
            seen[f.order[k]] = true;
            assert_int_equal(f.place[f.order[k]], k);
        }
        assert_int_equal(f.first[0], 0);
        assert_int_equal(f.first[f.nodes], 36);
        for (int s = 0; s < f.nodes; s++) {
            assert_true(f.first[s + 1] > f.first[s]);
            for (int k = f.first[s]; k < f.first[s + 1]; k++)
                assert_int_equal(f.node[k], s);
            for (int64_t t = f.start[s]; t < f.start[s + 1]; t++)
                assert_true(f.row[t] >= f.first[s + 1] && f.row[t] < 36 &&
                            (t == f.start[s] || f.row[t] > f.row[t - 1]));
        }
        if (kind == EMPTY)
            assert_int_equal(f.fill, 0);
        if (kind == CHAIN || kind == ARROW)
            assert_int_equal(f.fill, 35);
        if (kind == FULL)
            assert_int_equal(f.fill, 36 * 35 / 2);
        assert_true(kind == EMPTY || f.flops > 0);
        mrn_block_lu_release(&f);
    }
}

/* Badly conditioned on purpose: rows scaled over eight orders of magnitude. The residual of the
   solve stays at eps times |A| |x| (backward stability of elimination without growth). */
static void residual_stays_at_rounding(void **state)
{
    (void)state;
    static matrix a;
    mrn_block_lu f;
    mrn_message msg = {0};
    double x[MOST * 6] = {0}, y[MOST * 6] = {0}, z[MOST * 6] = {0};
    mrn_rng rng = mrn_rng_seed(9, 1);
    draw(&a, GRID, 36, 3, 4);
    for (int i = 0; i < 36; i++) {
        double s = pow(10, -8.0 * i / 35);
        for (int64_t k = a.start[i] * 9; k < a.start[i + 1] * 9; k++)
            a.off[k] *= s;
        for (int k = 0; k < 9; k++)
            a.diag[i * 9 + k] *= s;
    }
    for (int k = 0; k < 108; k++)
        y[k] = mrn_rng_normal(&rng);
    ok(mrn_block_lu_make(36, 3, a.start, a.col, &f, &msg), &msg);
    assert_int_equal(mrn_block_lu_factor(&f, a.diag, a.off, a.start, NULL), 0);
    mrn_block_lu_solve(&f, y, x);
    times(&a, NULL, x, z);
    for (int i = 0; i < 36; i++) /* row by row: scaling of rows changes nothing but their size */
        for (int c = 0; c < 3; c++) {
            double size = 1000 * pow(10, -8.0 * i / 35) * norm_of(108, x);
            assert_true(fabs(z[i * 3 + c] - y[i * 3 + c]) <= 1e-15 * size + 1e-15);
        }
    mrn_block_lu_release(&f);
}

static void singular_pivots_are_counted_and_mended(void **state)
{
    (void)state;
    static matrix a;
    for (int b = 2; b <= 6; b++) {
        mrn_block_lu f;
        mrn_message msg = {0};
        double y[MOST * 6], x[MOST * 6];
        draw(&a, EMPTY, 4, b, 1);
        memset(a.diag + b * b, 0, (size_t)(b * b) * sizeof *a.diag); /* block 1: nothing */
        for (int r = 0; r < b; r++)                                  /* block 3: equal columns */
            a.diag[(3 * b + 1) * b + r] = a.diag[3 * b * b + r];
        for (int k = 0; k < 4 * b; k++)
            y[k] = 1;
        ok(mrn_block_lu_make(4, b, a.start, a.col, &f, &msg), &msg);
        assert_int_equal(mrn_block_lu_factor(&f, a.diag, a.off, a.start, NULL), 2);
        mrn_block_lu_solve(&f, y, x);
        for (int k = 0; k < 4 * b; k++)
            assert_true(isfinite(x[k]));
        a.diag[0] = NAN; /* what is not a number is stated, not hidden */
        assert_int_equal(mrn_block_lu_factor(&f, a.diag, a.off, a.start, NULL), 3);
        mrn_block_lu_release(&f);
    }
}

static void nothing_to_factorise(void **state)
{
    (void)state;
    const int64_t start[1] = {0};
    mrn_block_lu f = {0};
    mrn_message msg = {0};
    mrn_block_lu_release(&f);
    ok(mrn_block_lu_make(0, 3, start, NULL, &f, &msg), &msg);
    assert_int_equal(mrn_block_lu_factor(&f, NULL, NULL, start, NULL), 0);
    mrn_block_lu_solve(&f, NULL, NULL);
    mrn_block_lu_release(&f);
    mrn_block_lu_release(&f);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static matrix a;
    mrn_status st = MRN_ERR_MEMORY;
    size_t before = mrn_bytes_in_use();
    int64_t k = 0;
    draw(&a, GRID, 36, 3, 2);
    while (st == MRN_ERR_MEMORY) {
        mrn_block_lu f;
        mrn_message msg = {0};
        mrn_alloc_fail_at(++k);
        st = mrn_block_lu_make(36, 3, a.start, a.col, &f, &msg);
        mrn_alloc_fail_at(0);
        if (st == MRN_OK)
            check(&a, NULL, &f);
        mrn_block_lu_release(&f);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_int_equal(st, MRN_OK);
    assert_true(k > 15);
}

/* A star fills nothing when its centre goes last: n - 1 blocks, and one less is refused. */
static void too_much_fill_is_refused(void **state)
{
    (void)state;
    enum { N = 9 };
    int64_t start[N + 1] = {0};
    int32_t col[2 * (N - 1)];
    for (int i = 1; i < N; i++)
        col[i - 1] = i, col[N - 2 + i] = 0, start[i + 1] = N - 1 + i;
    start[1] = N - 1;
    mrn_block_lu f;
    mrn_message msg = {0};
    ok(mrn_block_lu_make_within(N - 1, N, 3, start, col, &f, &msg), &msg);
    assert_int_equal(f.fill, N - 1);
    mrn_block_lu_release(&f);
    size_t before = mrn_bytes_in_use();
    assert_int_equal(mrn_block_lu_make_within(N - 2, N, 3, start, col, &f, &msg), MRN_ERR_RANGE);
    assert_true(f.row == NULL && mrn_bytes_in_use() == before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_every_pattern_and_block),
        cmocka_unit_test(order_is_a_permutation_with_little_fill),
        cmocka_unit_test(residual_stays_at_rounding),
        cmocka_unit_test(singular_pivots_are_counted_and_mended),
        cmocka_unit_test(nothing_to_factorise),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(too_much_fill_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
