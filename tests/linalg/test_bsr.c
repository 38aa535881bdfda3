/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrices of blocks against dense ones: building, products, finding, copies, refusals, memory. */
/* ctest-labels: threads */
#include "solve/problems.h"

/* Random entries, many of them duplicates, with block rows that stay empty. */
enum { ROWS = 9, COLS = 7, ENTRIES = 200 };
typedef struct triplets {
    int32_t row[ENTRIES], col[ENTRIES];
    double value[ENTRIES];
} triplets;

static void draw(triplets *t, int br, int bc, uint64_t seed)
{
    mrn_rng rng = mrn_rng_seed(seed, 0);
    for (int k = 0; k < ENTRIES; k++) {
        int i = (int)(mrn_rng_next(&rng) % ROWS), j = (int)(mrn_rng_next(&rng) % COLS);
        int a = (int)(mrn_rng_next(&rng) % (unsigned)br),
            c = (int)(mrn_rng_next(&rng) % (unsigned)bc);
        i = i == 0 || i == 4 || i == ROWS - 1 ? 1 : i;
        t->row[k] = i * br + a, t->col[k] = j * bc + c;
        t->value[k] = mrn_rng_normal(&rng);
    }
}

static mrn_bsr build(const triplets *t, int br, int bc)
{
    mrn_message msg = {0};
    mrn_bsr a;
    ok(mrn_bsr_from_entries(ROWS, COLS, br, bc, ENTRIES, t->row, t->col, t->value, &a, &msg), &msg);
    return a;
}

static void entries_sum_up_to_the_dense_matrix(void **state)
{
    (void)state;
    for (int br = 1; br <= 6; br++)
        for (int bc = 1; bc <= 6; bc++) {
            static triplets t;
            double want[ROWS * 6 * COLS * 6] = {0};
            draw(&t, br, bc, (uint64_t)(br * 10 + bc));
            for (int k = 0; k < ENTRIES; k++)
                want[t.row[k] * COLS * bc + t.col[k]] += t.value[k];
            mrn_bsr a = build(&t, br, bc);
            double *d = dense_of(&a);
            for (int k = 0; k < ROWS * br * COLS * bc; k++)
                assert_true(d[k] == want[k]); /* duplicates are summed in the given order */
            for (int i = 0; i < ROWS; i++)
                for (int64_t k = a.start[i] + 1; k < a.start[i + 1]; k++)
                    assert_true(a.col[k] > a.col[k - 1]);
            assert_true(a.start[1] == a.start[0] && a.start[5] == a.start[4]);
            assert_true(a.start[ROWS] == a.start[ROWS - 1] && a.start[0] == 0);
            for (int k = 0; k < MRN_BSR_PADDING; k++) /* there, and readable */
                assert_true(a.value[a.start[ROWS] * br * bc + k] == 0);
            mrn_free(d);
            mrn_bsr_release(&a);
        }
}

static void blocks_are_found(void **state)
{
    (void)state;
    static triplets t;
    draw(&t, 3, 2, 5);
    bool there[ROWS][COLS] = {{false}};
    for (int k = 0; k < ENTRIES; k++)
        there[t.row[k] / 3][t.col[k] / 2] = true;
    mrn_bsr a = build(&t, 3, 2);
    int64_t n = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++) {
            int64_t at = mrn_bsr_find(&a, i, j);
            assert_true((at >= 0) == there[i][j]);
            if (at >= 0) {
                assert_int_equal(at, n++); /* row after row, ascending: the order of storage */
                assert_int_equal(a.col[at], j);
            }
        }
    assert_int_equal(n, a.start[ROWS]);
    mrn_bsr_release(&a);
}

/* Sums of at most 14 products of numbers of order 1 in another order: 14 eps times some tens. */
static void products_are_those_of_the_dense_matrix(void **state)
{
    (void)state;
    for (int b = 1; b <= 6; b++) {
        static triplets t;
        mrn_rng rng = mrn_rng_seed(3, 0);
        int bc = 7 - b;
        double x[COLS * 6], y[ROWS * 6], z[ROWS * 6];
        draw(&t, b, bc, (uint64_t)b);
        mrn_bsr a = build(&t, b, bc);
        double *d = dense_of(&a);
        for (int k = 0; k < COLS * bc; k++)
            x[k] = mrn_rng_normal(&rng);
        for (int k = 0; k < ROWS * b; k++)
            y[k] = NAN, z[k] = k;
        mrn_bsr_times(&a, x, false, y);
        mrn_bsr_times(&a, x, true, z);
        for (int i = 0; i < ROWS * b; i++) {
            double sum = 0;
            for (int j = 0; j < COLS * bc; j++)
                sum += d[i * COLS * bc + j] * x[j];
            assert_true(fabs(y[i] - sum) <= 1e-13);
            assert_true(fabs(z[i] - i - sum) <= 1e-13);
        }
        mrn_free(d);
        mrn_bsr_release(&a);
    }
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    enum { N = 6000 };
    int32_t *row = mrn_alloc(sizeof *row * N * 9), *col = mrn_alloc(sizeof *col * N * 9);
    double *value = mrn_alloc(sizeof *value * N * 9), *x = mrn_alloc(sizeof *x * N * 3);
    double *y = mrn_alloc(sizeof *y * N * 3);
    mrn_rng rng = mrn_rng_seed(8, 0);
    for (int k = 0; k < N * 9; k++) {
        row[k] = (int32_t)(mrn_rng_next(&rng) % (N * 3));
        col[k] = (int32_t)(mrn_rng_next(&rng) % (N * 3));
        value[k] = mrn_rng_normal(&rng);
    }
    for (int k = 0; k < N * 3; k++)
        x[k] = mrn_rng_normal(&rng);
    mrn_message msg = {0};
    mrn_bsr a;
    ok(mrn_bsr_from_entries(N, N, 3, 3, N * 9, row, col, value, &a, &msg), &msg);
    uint64_t first = 0;
    int before = mrn_threads();
    for (int threads = 1; threads <= 4; threads *= 2) {
        mrn_threads_set(threads);
        mrn_bsr_times(&a, x, false, y);
        mrn_bsr_times(&a, x, true, y);
        uint64_t h = mrn_hash(MRN_HASH_START, y, sizeof *y * N * 3);
        first = threads == 1 ? h : first;
        assert_true(h == first);
    }
    mrn_threads_set(before);
    mrn_bsr_release(&a);
    mrn_free(row), mrn_free(col), mrn_free(value), mrn_free(x), mrn_free(y);
}

static void copies_are_their_own(void **state)
{
    (void)state;
    static triplets t;
    mrn_message msg = {0};
    draw(&t, 2, 3, 11);
    mrn_bsr a = build(&t, 2, 3), b, none = {0};
    ok(mrn_bsr_copy(&a, &b, &msg), &msg);
    assert_true(b.start != a.start && b.col != a.col && b.value != a.value);
    int64_t blocks = a.start[ROWS];
    assert_memory_equal(a.start, b.start, (ROWS + 1) * sizeof *a.start);
    assert_memory_equal(a.col, b.col, (size_t)blocks * sizeof *a.col);
    assert_memory_equal(a.value, b.value, (size_t)(blocks * 6 + MRN_BSR_PADDING) * sizeof *a.value);
    assert_true(b.rows == ROWS && b.cols == COLS && b.br == 2 && b.bc == 3);
    mrn_bsr_release(&a);
    mrn_bsr_release(&b);
    ok(mrn_bsr_copy(&none, &b, &msg), &msg);
    assert_true(b.start == NULL && b.rows == 0);
    mrn_bsr_release(&b);
    mrn_bsr_release(&b);
}

static void empty_matrices(void **state)
{
    (void)state;
    mrn_message msg = {0};
    mrn_bsr a;
    double x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8};
    ok(mrn_bsr_from_entries(0, 0, 3, 3, 0, NULL, NULL, NULL, &a, &msg), &msg);
    mrn_bsr_times(&a, x, false, y);
    assert_true(y[0] == 5 && a.start[0] == 0);
    mrn_bsr_release(&a);
    ok(mrn_bsr_from_entries(2, 2, 2, 2, 0, NULL, NULL, NULL, &a, &msg), &msg);
    mrn_bsr_times(&a, x, true, y);
    assert_true(y[0] == 5 && y[3] == 8 && mrn_bsr_find(&a, 1, 1) == -1);
    mrn_bsr_times(&a, x, false, y);
    assert_true(y[0] == 0 && y[3] == 0);
    mrn_bsr_release(&a);
}

static void bad_indices_are_refused(void **state)
{
    (void)state;
    const int32_t bad[][2] = {{-1, 0}, {0, -1}, {6, 0}, {0, 4}, {INT32_MAX, 0}, {0, INT32_MIN}};
    const double one[3] = {1, 1, 1};
    mrn_bsr a;
    size_t before = mrn_bytes_in_use();
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        mrn_message msg = {0};
        int32_t row[3] = {0, 5, bad[k][0]}, col[3] = {3, 3, bad[k][1]};
        assert_int_equal(mrn_bsr_from_entries(2, 2, 3, 2, 3, row, col, one, &a, &msg),
                         MRN_ERR_RANGE);
        assert_non_null(strstr(msg.text, "entry 2"));
        assert_int_equal(mrn_bsr_from_entries(2, 2, 3, 2, 2, row, col, one, &a, &msg), MRN_OK);
        mrn_bsr_release(&a);
    }
    const int sizes[][4] = {{-1, 1, 1, 1}, {1, -1, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, -2}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        assert_int_equal(mrn_bsr_from_entries(sizes[k][0], sizes[k][1], sizes[k][2], sizes[k][3], 0,
                                              NULL, NULL, NULL, &a, NULL),
                         MRN_ERR_RANGE);
    mrn_bsr_release(&a);
    assert_int_equal(mrn_bytes_in_use(), before);
}

/* The last allocation (giving back what is too much) may fail without harm. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    static triplets t;
    draw(&t, 3, 3, 2);
    size_t before = mrn_bytes_in_use();
    int failures = 0;
    for (int64_t k = 1; k < 12; k++) {
        mrn_bsr a, b = {0};
        mrn_message msg = {0};
        mrn_alloc_fail_at(k);
        mrn_status st =
            mrn_bsr_from_entries(ROWS, COLS, 3, 3, ENTRIES, t.row, t.col, t.value, &a, &msg);
        if (st == MRN_OK)
            st = mrn_bsr_copy(&a, &b, &msg);
        mrn_alloc_fail_at(0);
        assert_true(st == MRN_OK || st == MRN_ERR_MEMORY);
        assert_true(st == MRN_OK || b.start == NULL);
        failures += st != MRN_OK;
        mrn_bsr_release(&a);
        mrn_bsr_release(&b);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_int_equal(failures, 10); /* 7 of the building, 3 of the copy */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_sum_up_to_the_dense_matrix),
        cmocka_unit_test(blocks_are_found),
        cmocka_unit_test(products_are_those_of_the_dense_matrix),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(copies_are_their_own),
        cmocka_unit_test(empty_matrices),
        cmocka_unit_test(bad_indices_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
