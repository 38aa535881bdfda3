/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrices of equal blocks, compressed by rows. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "moraine/solve.h"

void mrn_bsr_release(mrn_bsr *a)
{
    mrn_free(a->start);
    mrn_free(a->col);
    mrn_free(a->value);
    *a = (mrn_bsr){0};
}

/* ---- from entries, in linear time: rows by counting, columns of a row by marks ---- */

typedef struct entries {
    int64_t n;
    const int32_t *row, *col;
    const double *value;
    int64_t *begin; /* of each block row in `order`; rows + 1 */
    int64_t *order; /* entries by block row, in the given order */
} entries;

static mrn_status check_entries(int rows, int cols, int br, int bc, const entries *e,
                                mrn_message *msg)
{
    if (rows < 0 || cols < 0 || br < 1 || bc < 1)
        return mrn_fail(msg, MRN_ERR_RANGE, "a matrix of %d x %d blocks of %d x %d", rows, cols, br,
                        bc);
    int64_t m = (int64_t)rows * br, n = (int64_t)cols * bc;
    for (int64_t k = 0; k < e->n; k++)
        if (e->row[k] < 0 || e->row[k] >= m || e->col[k] < 0 || e->col[k] >= n)
            return mrn_fail(msg, MRN_ERR_RANGE, "entry %lld at (%d, %d) of a %lld x %lld matrix",
                            (long long)k, e->row[k], e->col[k], (long long)m, (long long)n);
    return MRN_OK;
}

static mrn_status sort_by_rows(int rows, int br, entries *e, mrn_message *msg)
{
    if (mrn_array(&e->begin, (int64_t)rows + 2, sizeof *e->begin, msg) != MRN_OK ||
        mrn_array(&e->order, e->n, sizeof *e->order, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    int64_t *at = e->begin + 1; /* shifted by one: filling moves it to its place */
    for (int64_t k = 0; k < e->n; k++)
        at[e->row[k] / br + 1]++;
    for (int i = 0; i < rows; i++)
        at[i + 1] += at[i];
    for (int64_t k = 0; k < e->n; k++)
        e->order[at[e->row[k] / br]++] = k;
    return MRN_OK;
}

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Columns of every row, ascending, into a->col; `mark` (cols, zero) holds 1 + row last seen. */
static int64_t find_columns(mrn_bsr *a, const entries *e, int32_t *mark)
{
    int64_t n = 0;
    for (int i = 0; i < a->rows; i++) {
        a->start[i] = n;
        for (int64_t k = e->begin[i]; k < e->begin[i + 1]; k++) {
            int32_t c = e->col[e->order[k]] / a->bc;
            if (mark[c] != i + 1)
                mark[c] = i + 1, a->col[n++] = c;
        }
        qsort(a->col + a->start[i], (size_t)(n - a->start[i]), sizeof *a->col, by_number);
    }
    a->start[a->rows] = n;
    return n;
}

/* `place` (cols): position of a column's block within the row at hand. */
static void sum_values(mrn_bsr *a, const entries *e, int64_t *place)
{
    int size = a->br * a->bc;
    for (int i = 0; i < a->rows; i++) {
        for (int64_t k = a->start[i]; k < a->start[i + 1]; k++)
            place[a->col[k]] = k;
        for (int64_t k = e->begin[i]; k < e->begin[i + 1]; k++) {
            int64_t x = e->order[k];
            int r = e->row[x] % a->br, c = e->col[x] % a->bc;
            a->value[place[e->col[x] / a->bc] * size + (int64_t)c * a->br + r] += e->value[x];
        }
    }
}

mrn_status mrn_bsr_from_entries(int rows, int cols, int br, int bc, int64_t n, const int32_t *row,
                                const int32_t *col, const double *value, mrn_bsr *out,
                                mrn_message *msg)
{
    entries e = {n, row, col, value, NULL, NULL};
    mrn_bsr a = {.rows = rows, .cols = cols, .br = br, .bc = bc};
    int32_t *mark = NULL;
    int64_t *place = NULL, blocks = 0;
    mrn_status st = check_entries(rows, cols, br, bc, &e, msg);
    if (st == MRN_OK &&
        ((st = sort_by_rows(rows, br, &e, msg)) != MRN_OK ||
         (st = mrn_array(&mark, cols, sizeof *mark, msg)) != MRN_OK ||
         (st = mrn_array(&place, cols, sizeof *place, msg)) != MRN_OK ||
         (st = mrn_array(&a.start, (int64_t)rows + 1, sizeof *a.start, msg)) != MRN_OK ||
         (st = mrn_array(&a.col, n, sizeof *a.col, msg)) != MRN_OK))
        st = MRN_ERR_MEMORY;
    if (st == MRN_OK) {
        blocks = find_columns(&a, &e, mark);
        st = mrn_array(&a.value, blocks * br * bc + MRN_BSR_PADDING, sizeof *a.value, msg);
    }
    if (st == MRN_OK) {
        sum_values(&a, &e, place);
        int32_t *less = mrn_realloc(a.col, (size_t)blocks * sizeof *a.col);
        a.col = less != NULL ? less : a.col;
    }
    mrn_free(e.begin), mrn_free(e.order), mrn_free(mark), mrn_free(place);
    if (st != MRN_OK)
        mrn_bsr_release(&a);
    *out = a;
    return st;
}

mrn_status mrn_bsr_copy(const mrn_bsr *a, mrn_bsr *out, mrn_message *msg)
{
    *out = (mrn_bsr){.rows = a->rows, .cols = a->cols, .br = a->br, .bc = a->bc};
    if (a->start == NULL)
        return MRN_OK;
    int64_t blocks = a->start[a->rows], size = a->br * a->bc;
    if (mrn_array(&out->start, a->rows + 1, sizeof *out->start, msg) != MRN_OK ||
        mrn_array(&out->col, blocks, sizeof *out->col, msg) != MRN_OK ||
        mrn_array(&out->value, blocks * size + MRN_BSR_PADDING, sizeof *out->value, msg) !=
            MRN_OK) {
        mrn_bsr_release(out);
        return MRN_ERR_MEMORY;
    }
    memcpy(out->start, a->start, (size_t)(a->rows + 1) * sizeof *out->start);
    memcpy(out->col, a->col, (size_t)blocks * sizeof *out->col);
    memcpy(out->value, a->value, (size_t)(blocks * size) * sizeof *out->value);
    return MRN_OK;
}

static void row_times(const mrn_bsr *a, int i, const double *x, double *y)
{
    int br = a->br, bc = a->bc;
    for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
        const double *w = a->value + k * br * bc, *xc = x + (int64_t)a->col[k] * bc;
        for (int c = 0; c < bc; c++)
            for (int r = 0; r < br; r++)
                y[r] += w[c * br + r] * xc[c];
    }
}

void mrn_bsr_times(const mrn_bsr *a, const double *x, bool add, double *y)
{
    int br = a->br;
#pragma omp parallel for schedule(static) if (a->rows > 4096)
    for (int i = 0; i < a->rows; i++) {
        double *yi = y + (int64_t)i * br;
        for (int r = 0; !add && r < br; r++)
            yi[r] = 0;
        row_times(a, i, x, yi);
    }
}

int64_t mrn_bsr_find(const mrn_bsr *a, int row, int col)
{
    int64_t lo = a->start[row], hi = a->start[row + 1];
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (a->col[mid] < col)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < a->start[row + 1] && a->col[lo] == col ? lo : -1;
}
