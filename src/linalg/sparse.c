/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse matrices by columns: from a list of entries, transposed, times a vector. */
#include "linalg/sparse.h"

#include <string.h>

#include "base/base.h"

enum { PARALLEL_FROM = 8192 }; /* columns; below, starting threads costs more than it saves */

static mrn_status sparse_room(int64_t rows, int64_t cols, int64_t n, mrn_sparse *out,
                              mrn_message *msg)
{
    *out = (mrn_sparse){.rows = rows, .cols = cols};
    if (rows < 0 || cols < 0 || n < 0)
        return mrn_fail(msg, MRN_ERR_RANGE, "a matrix of %lld x %lld with %lld entries",
                        (long long)rows, (long long)cols, (long long)n);
    mrn_status st = mrn_array(&out->start, cols + 1, sizeof *out->start, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->row, n, sizeof *out->row, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->value, n, sizeof *out->value, msg);
    if (st != MRN_OK)
        mrn_sparse_release(out);
    return st;
}

static mrn_status entries_inside(int64_t rows, int64_t cols, int64_t n, const int64_t *row,
                                 const int64_t *col, mrn_message *msg)
{
    for (int64_t k = 0; k < n; k++)
        if (row[k] < 0 || row[k] >= rows || col[k] < 0 || col[k] >= cols)
            return mrn_fail(msg, MRN_ERR_RANGE,
                            "entry %lld at (%lld, %lld) is outside of a matrix of %lld x %lld",
                            (long long)k, (long long)row[k], (long long)col[k], (long long)rows,
                            (long long)cols);
    return MRN_OK;
}

/* Turns counts in start[1 .. n] into places: start[0] = 0, start[k] the sum of counts before k. */
static void counts_to_places(int64_t n, int64_t *start)
{
    start[0] = 0;
    for (int64_t k = 0; k < n; k++)
        start[k + 1] += start[k];
}

/* The numbers of the entries sorted by row; entries of one row keep their order. `place` has rows +
   1 numbers, all zero. */
static void order_by_row(int64_t rows, int64_t n, const int64_t *row, int64_t *place,
                         int64_t *order)
{
    for (int64_t k = 0; k < n; k++)
        place[row[k] + 1]++;
    counts_to_places(rows, place);
    for (int64_t k = 0; k < n; k++)
        order[place[row[k]]++] = k;
}

/* After a second sort, by column, of entries that lie by row, each column ascends. `start` is
   shifted by one while it is filled, so that it ends up right. */
static void fill_columns(int64_t cols, int64_t n, const int64_t *order, const int64_t *row,
                         const int64_t *col, const double *value, mrn_sparse *out)
{
    int64_t *start = out->start;
    for (int64_t k = 0; k < n; k++)
        start[col[k] + 1]++;
    counts_to_places(cols, start);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = order[i], at = start[col[k]]++;
        out->row[at] = row[k];
        out->value[at] = value[k];
    }
    for (int64_t j = cols; j > 0; j--)
        start[j] = start[j - 1];
    start[0] = 0;
}

/* Adds up neighbours with the same row. */
static void merge_equal(mrn_sparse *a)
{
    int64_t to = 0, from = 0;
    for (int64_t j = 0; j < a->cols; j++) {
        int64_t first = to, end = a->start[j + 1];
        for (; from < end; from++) {
            if (to > first && a->row[to - 1] == a->row[from]) {
                a->value[to - 1] += a->value[from];
                continue;
            }
            a->row[to] = a->row[from];
            a->value[to++] = a->value[from];
        }
        a->start[j + 1] = to;
    }
}

mrn_status mrn_sparse_make(int64_t rows, int64_t cols, int64_t n, const int64_t *row,
                           const int64_t *col, const double *value, mrn_sparse *out,
                           mrn_message *msg)
{
    int64_t *place = NULL, *order = NULL;
    *out = (mrn_sparse){0};
    mrn_status st = entries_inside(rows, cols, n, row, col, msg);
    if (st != MRN_OK)
        return st;
    st = sparse_room(rows, cols, n, out, msg);
    if (st == MRN_OK)
        st = mrn_array(&place, rows + 1, sizeof *place, msg);
    if (st == MRN_OK)
        st = mrn_array(&order, n, sizeof *order, msg);
    if (st == MRN_OK) {
        order_by_row(rows, n, row, place, order);
        fill_columns(cols, n, order, row, col, value, out);
        merge_equal(out);
    } else {
        mrn_sparse_release(out);
    }
    mrn_free(place);
    mrn_free(order);
    return st;
}

void mrn_sparse_release(mrn_sparse *a)
{
    mrn_free(a->start);
    mrn_free(a->row);
    mrn_free(a->value);
    *a = (mrn_sparse){0};
}

mrn_status mrn_sparse_transpose(const mrn_sparse *a, mrn_sparse *out, mrn_message *msg)
{
    int64_t n = a->start[a->cols];
    mrn_status st = sparse_room(a->cols, a->rows, n, out, msg);
    if (st != MRN_OK)
        return st;
    int64_t *start = out->start;
    for (int64_t k = 0; k < n; k++)
        start[a->row[k] + 1]++;
    counts_to_places(a->rows, start);
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t k = a->start[j]; k < a->start[j + 1]; k++) {
            int64_t at = start[a->row[k]]++;
            out->row[at] = j;
            out->value[at] = a->value[k];
        }
    for (int64_t i = a->rows; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
    return MRN_OK;
}

void mrn_sparse_times(const mrn_sparse *a, const double *x, double *y)
{
    memset(y, 0, (size_t)a->rows * sizeof *y);
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t k = a->start[j]; k < a->start[j + 1]; k++)
            y[a->row[k]] += a->value[k] * x[j];
}

void mrn_sparse_times_t(const mrn_sparse *a, const double *x, double *y)
{
#pragma omp parallel for schedule(static) if (a->cols > PARALLEL_FROM)
    for (int64_t j = 0; j < a->cols; j++) {
        double sum = 0;
        for (int64_t k = a->start[j]; k < a->start[j + 1]; k++)
            sum += a->value[k] * x[a->row[k]];
        y[j] = sum;
    }
}

void mrn_sparse_times_symmetric(const mrn_sparse *lower, const double *x, double *y)
{
    memset(y, 0, (size_t)lower->rows * sizeof *y);
    for (int64_t j = 0; j < lower->cols; j++) {
        double sum = 0;
        for (int64_t k = lower->start[j]; k < lower->start[j + 1]; k++) {
            int64_t i = lower->row[k];
            sum += lower->value[k] * x[i];
            if (i != j)
                y[i] += lower->value[k] * x[j];
        }
        y[j] += sum;
    }
}

/* ---- triplets ---- */

mrn_status mrn_triplets_reserve(mrn_triplets *t, int64_t most, mrn_message *msg)
{
    mrn_status st = mrn_array(&t->row, most, sizeof *t->row, msg);
    if (st == MRN_OK)
        st = mrn_array(&t->col, most, sizeof *t->col, msg);
    return st == MRN_OK ? mrn_array(&t->value, most, sizeof *t->value, msg) : st;
}

void mrn_triplets_release(mrn_triplets *t)
{
    mrn_free(t->row);
    mrn_free(t->col);
    mrn_free(t->value);
    *t = (mrn_triplets){0};
}

void mrn_triplets_add_matrix(mrn_triplets *t, const mrn_sparse *a)
{
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t e = a->start[j]; e < a->start[j + 1]; e++)
            mrn_triplets_add(t, a->row[e], j, a->value[e]);
}

mrn_status mrn_triplets_make(const mrn_triplets *t, int64_t rows, int64_t cols, mrn_sparse *out,
                             mrn_message *msg)
{
    return mrn_sparse_make(rows, cols, t->n, t->row, t->col, t->value, out, msg);
}
