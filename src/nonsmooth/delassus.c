/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Delassus operator W = Hᵀ M⁻¹ H, block by block: two contacts see each other through the
   bodies they share. Rows are independent of each other, so threads change nothing. */
#include <string.h>

#include "base/base.h"
#include "nonsmooth/nonsmooth.h"

/* Blocks of Ht by column: column_row[c] … column_row[c+1] are places in rows_of, which holds blocks
   of Ht, ascending. */
static mrn_status list_columns(mrn_nonsmooth *e, mrn_message *msg)
{
    const mrn_bsr *ht = &e->problem.Ht;
    int64_t blocks = ht->start[ht->rows];
    if (blocks > INT32_MAX)
        return mrn_fail(msg, MRN_ERR_RANGE, "more than %d blocks of H", INT32_MAX);
    /* the arrays of this file share two capacities: columns, blocks */
    mrn_status st = mrn_ns_room(&e->column_row, &e->capacity[MRN_NS_COLUMN_ROW],
                                (int64_t)ht->cols + 2, sizeof *e->column_row, msg);
    if (st == MRN_OK)
        st = mrn_ns_room(&e->rows_of, &e->capacity[MRN_NS_ROWS_OF], 2 * blocks + 2,
                         sizeof *e->rows_of, msg);
    if (st != MRN_OK)
        return st;
    int32_t *begin = e->column_row, *list = e->rows_of, *row_of = e->rows_of + blocks;
    memset(begin, 0, ((size_t)ht->cols + 2) * sizeof *begin);
    for (int64_t k = 0; k < blocks; k++)
        begin[ht->col[k] + 2]++;
    for (int c = 0; c < ht->cols; c++)
        begin[c + 2] += begin[c + 1];
    for (int r = 0; r < ht->rows; r++)
        for (int64_t k = ht->start[r]; k < ht->start[r + 1]; k++) {
            list[begin[ht->col[k] + 1]++] = (int32_t)k;
            row_of[k] = r;
        }
    return MRN_OK;
}

static const int32_t *row_numbers(const mrn_nonsmooth *e)
{
    return e->rows_of + e->problem.Ht.start[e->problem.Ht.rows];
}

/* Rows that share a column with row r, ascending, itself among them; writes them when `out` is not
   NULL. Columns of a row are few (three at most): a merge of sorted lists. */
static int32_t neighbours(const mrn_nonsmooth *e, int r, int32_t *out)
{
    const mrn_bsr *ht = &e->problem.Ht;
    const int32_t *row_of = row_numbers(e);
    int32_t at[3], end[3], n = 0;
    int lists = 0;
    for (int64_t k = ht->start[r]; k < ht->start[r + 1]; k++, lists++) {
        at[lists] = e->column_row[ht->col[k]];
        end[lists] = e->column_row[ht->col[k] + 1];
    }
    for (;;) {
        int32_t least = INT32_MAX;
        for (int l = 0; l < lists; l++)
            if (at[l] < end[l] && row_of[e->rows_of[at[l]]] < least)
                least = row_of[e->rows_of[at[l]]];
        if (least == INT32_MAX)
            return n;
        for (int l = 0; l < lists; l++)
            while (at[l] < end[l] && row_of[e->rows_of[at[l]]] == least)
                at[l]++;
        if (out != NULL)
            out[n] = least;
        n++;
    }
}

/* mh = h M⁻¹ for every block of Ht. */
static void weigh_blocks(mrn_nonsmooth *e)
{
    const mrn_bsr *ht = &e->problem.Ht;
    int b = e->width, d = e->dofs;
    int64_t blocks = ht->start[ht->rows];
#pragma omp parallel for schedule(static) if (blocks > 4096)
    for (int64_t k = 0; k < blocks; k++) {
        const double *h = ht->value + k * b * d;
        const double *m = e->problem.minv + (int64_t)ht->col[k] * d * d;
        double *to = e->mh + k * b * d;
        for (int j = 0; j < d; j++)
            for (int i = 0; i < b; i++) {
                double sum = 0;
                for (int l = 0; l < d; l++)
                    sum += h[l * b + i] * m[j * d + l];
                to[j * b + i] = sum;
            }
    }
}

/* to += mh hᵀ */
static inline void add_product(int b, int d, const double *mh, const double *h, double *to)
{
    for (int l = 0; l < d; l++)
        for (int j = 0; j < b; j++) {
            double f = h[l * b + j];
            for (int i = 0; i < b; i++)
                to[j * b + i] += mh[l * b + i] * f;
        }
}

/* The blocks of row r, whose columns are known. */
static void fill_row(mrn_nonsmooth *e, int r)
{
    mrn_bsr *w = &e->problem.W;
    const mrn_bsr *ht = &e->problem.Ht;
    const int32_t *row_of = row_numbers(e);
    int b = e->width, d = e->dofs;
    int64_t w0 = w->start[r], w1 = w->start[r + 1];
    memset(w->value + w0 * b * b, 0, (size_t)((w1 - w0) * b * b) * sizeof(double));
    for (int64_t k = ht->start[r]; k < ht->start[r + 1]; k++) {
        int64_t to = w0;
        const double *mh = e->mh + k * b * d;
        for (int32_t p = e->column_row[ht->col[k]]; p < e->column_row[ht->col[k] + 1]; p++) {
            int64_t other = e->rows_of[p];
            while (w->col[to] < row_of[other])
                to++;
            const double *h = ht->value + other * b * d;
            double *block = w->value + to * b * b;
            if (b == 3 && d == 6)
                add_product(3, 6, mh, h, block);
            else if (b == 2 && d == 3)
                add_product(2, 3, mh, h, block);
            else
                add_product(b, d, mh, h, block);
        }
    }
}

static mrn_status stored(mrn_nonsmooth *e, mrn_message *msg)
{
    mrn_bsr *w = &e->problem.W;
    int n = e->problem.Ht.rows, b = e->width;
    mrn_status st =
        mrn_ns_room(&w->start, &e->capacity[MRN_NS_W_START], (int64_t)n + 1, sizeof *w->start, msg);
    if (st != MRN_OK)
        return st;
    w->br = w->bc = b;
#pragma omp parallel for schedule(static) if (n > 2048)
    for (int r = 0; r < n; r++)
        w->start[r + 1] = neighbours(e, r, NULL);
    w->start[0] = 0;
    for (int r = 0; r < n; r++)
        w->start[r + 1] += w->start[r];
    int64_t blocks = w->start[n];
    st = mrn_ns_room(&w->col, &e->capacity[MRN_NS_W_COL], blocks, sizeof *w->col, msg);
    if (st == MRN_OK)
        st = mrn_ns_room(&w->value, &e->capacity[MRN_NS_W_VALUE], blocks * b * b + MRN_BSR_PADDING,
                         sizeof(double), msg);
    if (st != MRN_OK)
        return st;
    memset(w->value + blocks * b * b, 0, MRN_BSR_PADDING * sizeof(double));
    w->rows = w->cols = n;
#pragma omp parallel for schedule(dynamic, 64) if (n > 512)
    for (int r = 0; r < n; r++) {
        neighbours(e, r, w->col + w->start[r]);
        fill_row(e, r);
    }
    return MRN_OK;
}

mrn_status mrn_ns_delassus(mrn_nonsmooth *e, mrn_message *msg)
{
    e->problem.W.rows = e->problem.W.cols = 0;
    mrn_status st = list_columns(e, msg);
    if (st != MRN_OK || !e->stored)
        return st;
    int64_t blocks = e->problem.Ht.start[e->problem.Ht.rows];
    st = mrn_ns_room(&e->mh, &e->capacity[MRN_NS_MH], blocks * e->width * e->dofs, sizeof(double),
                     msg);
    if (st != MRN_OK)
        return st;
    weigh_blocks(e);
    return stored(e, msg);
}

/* ---- back to the bodies ---- */

static void push_column(mrn_nonsmooth *e, int c)
{
    const mrn_bsr *ht = &e->problem.Ht;
    const int32_t *row_of = row_numbers(e);
    int b = e->width, d = e->dofs;
    int32_t i = e->body_of_column[c];
    if (i < 0)
        return;
    double sum[MRN_DOFS_MAX] = {0};
    for (int32_t p = e->column_row[c]; p < e->column_row[c + 1]; p++) {
        int64_t k = e->rows_of[p];
        const double *h = ht->value + k * b * d, *r = e->r + (int64_t)row_of[k] * b;
        for (int l = 0; l < d; l++)
            for (int m = 0; m < b; m++)
                sum[l] += h[l * b + m] * r[m];
    }
    const double *m = e->problem.minv + (int64_t)c * d * d;
    double *end = e->body.end + (int64_t)i * d, *pushed = e->body.pushed + (int64_t)i * d;
    const double *from = e->body.free + (int64_t)i * d;
    for (int k = 0; k < d; k++) {
        double u = 0;
        for (int l = 0; l < d; l++)
            u += m[l * d + k] * sum[l];
        end[k] = from[k] + u;
        pushed[k] = sum[k];
    }
}

static void relative_velocity(mrn_nonsmooth *e, int r)
{
    const mrn_bsr *ht = &e->problem.Ht;
    int b = e->width, d = e->dofs;
    double *u = e->u + (int64_t)r * b;
    /* q holds the free velocities, those of imposed bodies too; the change is that of the columns
     */
    memcpy(u, e->problem.q + (int64_t)r * b, (size_t)b * sizeof *u);
    for (int64_t k = ht->start[r]; k < ht->start[r + 1]; k++) {
        int32_t i = e->body_of_column[ht->col[k]];
        if (i < 0)
            continue;
        const double *h = ht->value + k * b * d, *end = e->body.end + (int64_t)i * d;
        const double *from = e->body.free + (int64_t)i * d;
        for (int l = 0; l < d; l++)
            for (int m = 0; m < b; m++)
                u[m] += h[l * b + m] * (end[l] - from[l]);
    }
    if (r < e->n_contacts)
        for (int m = 0; m < b; m++)
            u[m] -= e->row[r].shift[m];
}

void mrn_ns_velocities(mrn_nonsmooth *e)
{
    int columns = e->problem.Ht.cols, rows = e->problem.Ht.rows;
#pragma omp parallel for schedule(static) if (columns > 1024)
    for (int c = 0; c < columns; c++)
        push_column(e, c);
#pragma omp parallel for schedule(static) if (rows > 1024)
    for (int r = 0; r < rows; r++)
        relative_velocity(e, r);
}
