/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse block LU with a symmetric pattern, numbers: panels are updated by those of descendants in
   the tree of elimination (left-looking), then factorised in place. */
#include "linalg/block_lu.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "linalg/small.h"

enum {
    B_MAX = MRN_SMALL_MAX,
    NARROW = 24, /* columns that a dense panel eliminates one block after another */
};

void mrn_block_lu_release(mrn_block_lu *f)
{
    mrn_free(f->order), mrn_free(f->place), mrn_free(f->first), mrn_free(f->node);
    mrn_free(f->start), mrn_free(f->row), mrn_free(f->panel);
    mrn_free(f->lower), mrn_free(f->upper), mrn_free(f->pivot), mrn_free(f->where);
    mrn_free(f->home);
    mrn_free(f->update), mrn_free(f->relative), mrn_free(f->head), mrn_free(f->next);
    mrn_free(f->at), mrn_free(f->x);
    *f = (mrn_block_lu){0};
}

size_t mrn_block_lu_bytes(const mrn_block_lu *f)
{
    size_t n = (size_t)f->n, nodes = (size_t)f->nodes, b = (size_t)f->b;
    size_t numbers = 2 * (size_t)f->panel[f->nodes] + n * b * (b + 1) + (size_t)f->most_rows +
                     2 * (size_t)f->most_update;
    return numbers * sizeof(double) + (3 * n + 4 * nodes) * sizeof *f->order +
           ((size_t)f->start[f->nodes] + (size_t)f->most_rows) * sizeof *f->row +
           3 * nodes * sizeof *f->start;
}

/* ---- where blocks go ---- */

/* Row of a node at which block `r`, at or after its first column, begins. */
static int64_t local_row(const mrn_block_lu *f, int s, int r)
{
    if (r < f->first[s + 1])
        return (int64_t)(r - f->first[s]) * f->b;
    int64_t lo = f->start[s], hi = f->start[s + 1];
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (f->row[mid] < r)
            lo = mid + 1;
        else
            hi = mid;
    }
    return mrn_block_lu_columns(f, s) + (lo - f->start[s]) * f->b;
}

/* Place in panels of block (row, column), row after column. */
static int64_t place_of(const mrn_block_lu *f, int row, int column)
{
    int s = f->node[column];
    return f->panel[s] + (int64_t)(column - f->first[s]) * f->b * mrn_block_lu_leading(f, s) +
           local_row(f, s, row);
}

static void map_blocks(mrn_block_lu *f, const int64_t *start, const int32_t *col)
{
    for (int i = 0; i < f->n; i++)
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            int a = f->place[i], b = f->place[col[k]];
            f->where[k] = a > b ? 2 * place_of(f, a, b) : 2 * place_of(f, b, a) + 1;
            f->home[k] = f->node[a > b ? b : a];
        }
}

static mrn_status make_room(mrn_block_lu *f, int64_t blocks, mrn_message *msg)
{
    int64_t n = f->n, size = f->panel[f->nodes];
    mrn_status st = mrn_array(&f->lower, size, sizeof *f->lower, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->upper, size, sizeof *f->upper, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->pivot, n * f->b * f->b, sizeof *f->pivot, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->where, blocks, sizeof *f->where, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->home, blocks, sizeof *f->home, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->update, 2 * f->most_update, sizeof *f->update, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->relative, f->most_rows + 1, sizeof *f->relative, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->head, f->nodes, sizeof *f->head, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->next, f->nodes, sizeof *f->next, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->at, f->nodes, sizeof *f->at, msg);
    return st == MRN_OK ? mrn_array(&f->x, n * f->b + f->most_rows + 8, sizeof *f->x, msg) : st;
}

mrn_status mrn_block_lu_make(int n, int b, const int64_t *start, const int32_t *col,
                             mrn_block_lu *out, mrn_message *msg)
{
    return mrn_block_lu_make_within(INT64_MAX, n, b, start, col, out, msg);
}

mrn_status mrn_block_lu_plan(int64_t most, int n, int b, const int64_t *start, const int32_t *col,
                             mrn_block_lu *out, mrn_message *msg)
{
    mrn_block_lu f = {.n = n, .b = b};
    mrn_status st = mrn_block_lu_analyse(&f, most, start, col, msg);
    if (st != MRN_OK)
        mrn_block_lu_release(&f);
    *out = f;
    return st;
}

mrn_status mrn_block_lu_take_room(mrn_block_lu *f, const int64_t *start, const int32_t *col,
                                  mrn_message *msg)
{
    if (f->lower != NULL)
        return MRN_OK;
    mrn_status st = make_room(f, start[f->n], msg);
    if (st == MRN_OK)
        map_blocks(f, start, col);
    else
        mrn_block_lu_release(f);
    return st;
}

mrn_status mrn_block_lu_make_within(int64_t most, int n, int b, const int64_t *start,
                                    const int32_t *col, mrn_block_lu *out, mrn_message *msg)
{
    mrn_status st = mrn_block_lu_plan(most, n, b, start, col, out, msg);
    return st == MRN_OK ? mrn_block_lu_take_room(out, start, col, msg) : st;
}

/* ---- values ---- */

/* Block w, multiplied from the left by `left` where there is one, to a panel of L (of Uᵀ: turned
   round). */
static void put_block(int b, const double *w, const double *left, bool turned, int64_t ld,
                      double *to)
{
    for (int c = 0; c < b; c++)
        for (int r = 0; r < b; r++) {
            double sum = w[c * b + r];
            if (left != NULL) {
                sum = 0;
                for (int x = 0; x < b; x++)
                    sum += left[x * b + r] * w[c * b + x];
            }
            to[turned ? r * ld + c : c * ld + r] = sum;
        }
}

static void load(mrn_block_lu *f, const double *diag, const double *off, const int64_t *start,
                 const double *left)
{
    int b = f->b, size = b * b;
    size_t bytes = (size_t)f->panel[f->nodes] * sizeof *f->lower;
    if (f->n == 0)
        return;
    memset(f->lower, 0, bytes);
    memset(f->upper, 0, bytes);
    for (int64_t i = 0; i < f->n; i++) {
        int a = f->place[i];
        put_block(b, diag + i * size, NULL, false, mrn_block_lu_leading(f, f->node[a]),
                  f->lower + place_of(f, a, a));
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            bool turned = f->where[k] & 1;
            put_block(b, off + k * size, left != NULL ? left + i * size : NULL, turned,
                      mrn_block_lu_leading(f, f->home[k]),
                      (turned ? f->upper : f->lower) + (f->where[k] >> 1));
        }
    }
}

/* ---- updates of one node by another ---- */

/* Where the rows of node d, from its block row `from` on, are in node s. */
static void find_relative(mrn_block_lu *f, int d, int64_t from, int s)
{
    int64_t p = f->start[s], own = mrn_block_lu_columns(f, s);
    for (int64_t k = from; k < f->start[d + 1]; k++) {
        int r = f->row[k];
        if (r < f->first[s + 1]) {
            f->relative[k - from] = (r - f->first[s]) * f->b;
            continue;
        }
        while (f->row[p] < r)
            p++;
        f->relative[k - from] = (int32_t)(own + (p - f->start[s]) * f->b);
    }
}

/* to -= from, block by block: rows `rows` of one column of blocks; ld of each */
static inline void subtract_column(int b, int64_t rows, const int32_t *relative, const double *from,
                                   int64_t ld_from, double *to, int64_t ld_to)
{
    for (int c = 0; c < b; c++, from += ld_from, to += ld_to)
        for (int64_t k = 0; k < rows; k++) {
            double *x = to + relative[k];
            const double *y = from + k * b;
            for (int r = 0; r < b; r++)
                x[r] -= y[r];
        }
}

/* The part above the diagonal of the square that both halves share belongs to Uᵀ. */
static inline void subtract_turned(int b, const double *from, int64_t ld_from, double *to,
                                   int64_t ld_to)
{
    for (int c = 0; c < b; c++)
        for (int r = 0; r < b; r++)
            to[r * ld_to + c] -= from[c * ld_from + r];
}

/* Subtracts from node s what node d contributes, whose block rows from at[d] to `end` are columns
   of s. */
static void take_node(mrn_block_lu *f, int d, int s, int64_t end)
{
    int b = f->b;
    int64_t from = f->at[d], rows = f->start[d + 1] - from, shared = end - from;
    int64_t ld = mrn_block_lu_leading(f, d), to = mrn_block_lu_leading(f, s);
    int64_t at = f->panel[d] + mrn_block_lu_columns(f, d) + (from - f->start[d]) * b;
    int64_t m = rows * b, n = shared * b, k = mrn_block_lu_columns(f, d), ldc = (m + 3) / 4 * 4;
    double *low = f->update, *up = f->update + f->most_update;
    find_relative(f, d, from, s);
    mrn_dense_product(m, n, k, f->lower + at, f->upper + at, ld, low, ldc);
    mrn_dense_product(m - n, n, k, f->upper + at + n, f->lower + at, ld, up, ldc);
    for (int64_t j = 0; j < shared; j++) {
        int64_t column = f->panel[s] + f->relative[j] * to;
        const double *c = low + j * b * ldc;
        for (int64_t i = 0; i < j; i++)
            subtract_turned(b, c + i * b, ldc,
                            f->upper + f->panel[s] + f->relative[i] * to + f->relative[j], to);
        subtract_column(b, rows - j, f->relative + j, c + j * b, ldc, f->lower + column, to);
        subtract_column(b, rows - shared, f->relative + shared, up + j * b * ldc, ldc,
                        f->upper + column, to);
    }
}

/* ---- one node ---- */

/* A pivot that is nothing beside its block is replaced by what keeps the step small in that
   direction; returns whether that happened. */
static bool invert(int b, int64_t ld, const double *a, double *inverse)
{
    double block[B_MAX * B_MAX];
    for (int c = 0; c < b; c++)
        for (int r = 0; r < b; r++)
            block[c * b + r] = a[c * ld + r];
    return mrn_small_invert(b, b, block, 1e-14, 1e8, inverse);
}

/* Columns q … end of a panel, one block after another; returns the pivots mended. */
static int eliminate(int b, int64_t q, int64_t end, int64_t m, int64_t ld, double *l, double *u,
                     double *pivot)
{
    int mended = 0;
    for (; q < end; q += b) {
        double *inverse = pivot + q * b;
        mended += invert(b, ld, l + q * ld + q, inverse);
        mrn_dense_scale(m - q - b, b, inverse, l + q * ld + q + b, ld);
        for (int64_t c = q + b; c < end; c += b) {
            mrn_dense_subtract(m - c, b, b, l + q * ld + c, u + q * ld + c, ld, l + c * ld + c);
            mrn_dense_subtract(m - c - b, b, b, u + q * ld + c + b, l + q * ld + c, ld,
                               u + c * ld + c + b);
        }
    }
    return mended;
}

static int factorise_node(mrn_block_lu *f, int s)
{
    int b = f->b, mended = 0;
    int64_t ld = mrn_block_lu_leading(f, s), k = mrn_block_lu_columns(f, s);
    int64_t m = k + mrn_block_lu_below(f, s), width = NARROW / b * b;
    double *l = f->lower + f->panel[s], *u = f->upper + f->panel[s];
    double *pivot = f->pivot + (int64_t)f->first[s] * b * b;
    for (int64_t q = 0; q < k; q += width) {
        int64_t end = q + width < k ? q + width : k;
        mended += eliminate(b, q, end, m, ld, l, u, pivot);
        for (int64_t c = end; c < k; c += width) {
            int64_t n = c + width < k ? width : k - c;
            mrn_dense_subtract(m - c, n, end - q, l + q * ld + c, u + q * ld + c, ld,
                               l + c * ld + c);
            mrn_dense_subtract(m - c, n, end - q, u + q * ld + c, l + q * ld + c, ld,
                               u + c * ld + c);
        }
    }
    return mended;
}

/* Node d goes to the list of the node that its next row is a column of. */
static void hand_on(mrn_block_lu *f, int d)
{
    if (f->at[d] >= f->start[d + 1])
        return;
    int s = f->node[f->row[f->at[d]]];
    f->next[d] = f->head[s];
    f->head[s] = d;
}

int mrn_block_lu_factor(mrn_block_lu *f, const double *diag, const double *off,
                        const int64_t *start, const double *left)
{
    int mended = 0;
    load(f, diag, off, start, left);
    for (int s = 0; s < f->nodes; s++)
        f->head[s] = -1;
    for (int s = 0; s < f->nodes; s++) {
        for (int d = f->head[s], then; d != -1; d = then) {
            int64_t end = f->at[d];
            then = f->next[d];
            while (end < f->start[d + 1] && f->row[end] < f->first[s + 1])
                end++;
            take_node(f, d, s, end);
            f->at[d] = end;
            hand_on(f, d);
        }
        mended += factorise_node(f, s);
        f->at[s] = f->start[s];
        hand_on(f, s);
    }
    return mended;
}

/* ---- solutions ---- */

/* v of a node's columns are final but for those before in the node; rows below get what they
   contribute. */
static void forward(mrn_block_lu *f, int s, double *v, double *below)
{
    int b = f->b;
    int64_t ld = mrn_block_lu_leading(f, s), k = mrn_block_lu_columns(f, s);
    int64_t m = mrn_block_lu_below(f, s);
    const double *l = f->lower + f->panel[s];
    double *own = v + (int64_t)f->first[s] * b;
    memset(below, 0, (size_t)m * sizeof *below);
    for (int64_t q = 0; q < k; q++) {
        double x = own[q];
        const double *column = l + q * ld;
        for (int64_t r = (q / b + 1) * b; r < k; r++)
            own[r] -= column[r] * x;
        for (int64_t r = 0; r < m; r++)
            below[r] += column[k + r] * x;
    }
    for (int64_t p = f->start[s], at = 0; p < f->start[s + 1]; p++)
        for (int r = 0; r < b; r++)
            v[(int64_t)f->row[p] * b + r] -= below[at++];
}

static void backward(mrn_block_lu *f, int s, double *v, double *below)
{
    int b = f->b;
    int64_t ld = mrn_block_lu_leading(f, s), k = mrn_block_lu_columns(f, s);
    int64_t m = mrn_block_lu_below(f, s), at = 0;
    const double *u = f->upper + f->panel[s];
    double *own = v + (int64_t)f->first[s] * b;
    for (int64_t p = f->start[s]; p < f->start[s + 1]; p++)
        for (int r = 0; r < b; r++)
            below[at++] = v[(int64_t)f->row[p] * b + r];
    for (int64_t q = k - b; q >= 0; q -= b) {
        const double *inverse = f->pivot + ((int64_t)f->first[s] * b + q) * b;
        double sum[B_MAX] = {0};
        for (int c = 0; c < b; c++) {
            const double *column = u + (q + c) * ld;
            sum[c] = own[q + c] - mrn_dense_dot(k - q - b, column + q + b, own + q + b) -
                     mrn_dense_dot(m, column + k, below);
        }
        for (int r = 0; r < b; r++) {
            own[q + r] = 0;
            for (int c = 0; c < b; c++)
                own[q + r] += inverse[c * b + r] * sum[c];
        }
    }
}

void mrn_block_lu_solve(mrn_block_lu *f, const double *y, double *x)
{
    int b = f->b;
    double *v = f->x, *below = f->x + (int64_t)f->n * b;
    for (int64_t k = 0; k < f->n; k++)
        memcpy(v + k * b, y + (int64_t)f->order[k] * b, (size_t)b * sizeof *v);
    for (int s = 0; s < f->nodes; s++)
        forward(f, s, v, below);
    for (int s = f->nodes - 1; s >= 0; s--)
        backward(f, s, v, below);
    for (int64_t k = 0; k < f->n; k++)
        memcpy(x + (int64_t)f->order[k] * b, v + k * b, (size_t)b * sizeof *v);
}
