/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse block LU with a symmetric pattern: AMD order, elimination tree, left-looking columns. */
#include "linalg/block_lu.h"

#include <amd.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/small.h"

enum { B_MAX = MRN_SMALL_MAX };

void mrn_block_lu_release(mrn_block_lu *f)
{
    mrn_free(f->order), mrn_free(f->place), mrn_free(f->start), mrn_free(f->row);
    mrn_free(f->lower), mrn_free(f->upper), mrn_free(f->pivot), mrn_free(f->where);
    mrn_free(f->work), mrn_free(f->head), mrn_free(f->next), mrn_free(f->at), mrn_free(f->x);
    *f = (mrn_block_lu){0};
}

size_t mrn_block_lu_bytes(const mrn_block_lu *f)
{
    size_t block = (size_t)f->b * (size_t)f->ld * sizeof(double), n = (size_t)f->n;
    size_t fill = (size_t)f->fill;
    return fill * (2 * block + sizeof *f->row) +
           n * (3 * block + 4 * sizeof *f->order + 2 * sizeof *f->start +
                (size_t)f->b * sizeof(double));
}

/* ---- order ---- */

static mrn_status find_order(mrn_block_lu *f, const int64_t *start, const int32_t *col,
                             mrn_message *msg)
{
    int n = f->n;
    int64_t blocks = start[n];
    SuiteSparse_long *p = NULL, *i = NULL, *perm = NULL;
    mrn_status st = mrn_array(&p, n + 1, sizeof *p, msg);
    if (st == MRN_OK)
        st = mrn_array(&i, blocks + 1, sizeof *i, msg);
    if (st == MRN_OK)
        st = mrn_array(&perm, n + 1, sizeof *perm, msg);
    if (st == MRN_OK) {
        for (int k = 0; k <= n; k++)
            p[k] = start[k];
        for (int64_t k = 0; k < blocks; k++)
            i[k] = col[k];
        /* AMD orders A + Aᵀ, whatever the order within rows */
        SuiteSparse_long found = amd_l_order(n, p, i, perm, NULL, NULL);
        if (found == AMD_OUT_OF_MEMORY)
            st = mrn_fail_memory(msg);
        for (int k = 0; k < n; k++) /* an invalid pattern cannot come from a system */
            f->order[k] = found == AMD_OK || found == AMD_OK_BUT_JUMBLED ? (int32_t)perm[k] : k;
        for (int k = 0; k < n; k++)
            f->place[f->order[k]] = k;
    }
    mrn_free(p), mrn_free(i), mrn_free(perm);
    return st;
}

/* ---- pattern: columns of L from the elimination tree ---- */

typedef struct graph {
    int64_t *start; /* n + 1 */
    int32_t *low;   /* per row (new order): columns below it, from A and Aᵀ; may repeat */
    int32_t *parent, *mark;
} graph;

static void release_graph(graph *g)
{
    mrn_free(g->start), mrn_free(g->low), mrn_free(g->parent), mrn_free(g->mark);
}

static mrn_status make_graph(const mrn_block_lu *f, const int64_t *start, const int32_t *col,
                             graph *g, mrn_message *msg)
{
    int n = f->n;
    mrn_status st = mrn_array(&g->start, n + 2, sizeof *g->start, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->low, start[n], sizeof *g->low, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->parent, n, sizeof *g->parent, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->mark, n, sizeof *g->mark, msg);
    if (st != MRN_OK)
        return st;
    int64_t *at = g->start + 1;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++)
            for (int64_t k = start[i]; k < start[i + 1]; k++) {
                int a = f->place[i], b = f->place[col[k]];
                int high = a > b ? a : b, low = a > b ? b : a;
                if (pass == 0)
                    at[high + 1]++;
                else
                    g->low[at[high]++] = low;
            }
        for (int i = 0; pass == 0 && i < n; i++)
            at[i + 1] += at[i];
    }
    return MRN_OK;
}

/* Parents in the elimination tree (Liu), with path compression through `mark`. */
static void find_tree(int n, graph *g)
{
    for (int i = 0; i < n; i++) {
        g->parent[i] = -1;
        g->mark[i] = -1;
        for (int64_t k = g->start[i]; k < g->start[i + 1]; k++) {
            int j = g->low[k];
            while (j != -1 && j < i) {
                int up = g->mark[j];
                g->mark[j] = i;
                if (up == -1)
                    g->parent[j] = i;
                j = up;
            }
        }
    }
}

/* Row i of L: the paths in the tree from the columns of A's row up to i. Counts them, or appends i
   to the columns. Rows ascend in every column because i does. */
static void walk_rows(int n, graph *g, int64_t *at, int32_t *row)
{
    for (int i = 0; i < n; i++)
        g->mark[i] = -1;
    for (int i = 0; i < n; i++) {
        g->mark[i] = i;
        for (int64_t k = g->start[i]; k < g->start[i + 1]; k++)
            for (int j = g->low[k]; g->mark[j] != i; j = g->parent[j]) {
                g->mark[j] = i;
                if (row != NULL)
                    row[at[j]] = i;
                at[j]++;
            }
    }
}

static mrn_status find_pattern(mrn_block_lu *f, graph *g, int64_t most, mrn_message *msg)
{
    int n = f->n;
    find_tree(n, g);
    walk_rows(n, g, f->at, NULL);
    for (int k = 0; k < n; k++) {
        f->start[k + 1] = f->start[k] + f->at[k];
        f->at[k] = f->start[k];
    }
    f->fill = f->start[n];
    if (f->fill > most)
        return mrn_fail(msg, MRN_ERR_RANGE, "a factorisation would have %lld blocks",
                        (long long)f->fill);
    mrn_status st = mrn_array(&f->row, f->fill, sizeof *f->row, msg);
    if (st == MRN_OK)
        walk_rows(n, g, f->at, f->row);
    return st;
}

/* Position of row r in column c. */
static int64_t find_row(const mrn_block_lu *f, int r, int c)
{
    int64_t lo = f->start[c], hi = f->start[c + 1];
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (f->row[mid] < r)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void map_blocks(mrn_block_lu *f, const int64_t *start, const int32_t *col)
{
    for (int i = 0; i < f->n; i++)
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            int a = f->place[i], b = f->place[col[k]];
            f->where[k] = a > b ? 2 * find_row(f, a, b) : 2 * find_row(f, b, a) + 1;
        }
}

static mrn_status make_room(mrn_block_lu *f, int64_t blocks, mrn_message *msg)
{
    int64_t n = f->n, size = (int64_t)f->b * f->ld;
    mrn_status st = mrn_array(&f->lower, f->fill * size, sizeof *f->lower, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->upper, f->fill * size, sizeof *f->upper, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->pivot, n * size, sizeof *f->pivot, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->where, blocks, sizeof *f->where, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->work, 2 * n * size, sizeof *f->work, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->head, n, sizeof *f->head, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->next, n, sizeof *f->next, msg);
    return st == MRN_OK ? mrn_array(&f->x, n * f->b, sizeof *f->x, msg) : st;
}

mrn_status mrn_block_lu_make(int n, int b, const int64_t *start, const int32_t *col,
                             mrn_block_lu *out, mrn_message *msg)
{
    return mrn_block_lu_make_within(INT64_MAX, n, b, start, col, out, msg);
}

mrn_status mrn_block_lu_plan(int64_t most, int n, int b, const int64_t *start, const int32_t *col,
                             mrn_block_lu *out, mrn_message *msg)
{
    mrn_block_lu f = {.n = n, .b = b, .ld = b == 3 ? 4 : b};
    graph g = {0};
    mrn_status st = mrn_array(&f.order, n, sizeof *f.order, msg);
    if (st == MRN_OK)
        st = mrn_array(&f.place, n, sizeof *f.place, msg);
    if (st == MRN_OK)
        st = mrn_array(&f.start, n + 1, sizeof *f.start, msg);
    if (st == MRN_OK)
        st = mrn_array(&f.at, n, sizeof *f.at, msg);
    if (st == MRN_OK)
        st = find_order(&f, start, col, msg);
    if (st == MRN_OK)
        st = make_graph(&f, start, col, &g, msg);
    if (st == MRN_OK)
        st = find_pattern(&f, &g, most, msg);
    for (int k = 0; st == MRN_OK && k < n; k++) {
        double c = (double)(f.start[k + 1] - f.start[k]);
        f.flops += 2.0 * b * b * b * (c * c + 2 * c);
    }
    release_graph(&g);
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

typedef double v4 __attribute__((vector_size(32)));

/* c -= a b, blocks of 3 x 3 in columns of four numbers: the fourth lane carries what is never read
 */
static inline void subtract_3(const double *a, const double *b, double *c)
{
    const v4 *x = (const v4 *)a;
    v4 *y = (v4 *)c;
    for (int k = 0; k < 3; k++)
        y[k] -= (x[0] * b[4 * k] + x[1] * b[4 * k + 1]) + x[2] * b[4 * k + 2];
}

static inline void subtract(int b, int ld, const double *x, const double *y, double *z)
{
    if (b == 3) {
        subtract_3(x, y, z);
        return;
    }
    for (int c = 0; c < b; c++)
        for (int k = 0; k < b; k++)
            for (int r = 0; r < b; r++)
                z[c * ld + r] -= x[k * ld + r] * y[c * ld + k];
}

/* z = x y */
static void multiply(int b, int ld, const double *x, const double *y, double *z)
{
    for (int c = 0; c < b; c++)
        for (int r = 0; r < b; r++) {
            double sum = 0;
            for (int k = 0; k < b; k++)
                sum += x[k * ld + r] * y[c * ld + k];
            z[c * ld + r] = sum;
        }
}

/* y -= x v of one block */
static inline void subtract_vector(int b, int ld, const double *x, const double *v, double *y)
{
    for (int c = 0; c < b; c++)
        for (int r = 0; r < b; r++)
            y[r] -= x[c * ld + r] * v[c];
}

/* A pivot that is nothing beside its block is replaced by what keeps the step small in that
   direction; returns whether that happened. */
static bool invert(int b, int ld, const double *a, double *inv)
{
    return mrn_small_invert(b, ld, a, 1e-14, 1e8, inv);
}

static void load(mrn_block_lu *f, const double *diag, const double *off, const int64_t *start,
                 const double *left)
{
    int b = f->b, ld = f->ld, size = b * ld;
    memset(f->lower, 0, (size_t)(f->fill * size) * sizeof *f->lower);
    memset(f->upper, 0, (size_t)(f->fill * size) * sizeof *f->upper);
    for (int64_t i = 0; i < f->n; i++) {
        double *d = f->pivot + (int64_t)f->place[i] * size;
        for (int c = 0; c < b; c++)
            for (int r = 0; r < b; r++)
                d[c * ld + r] = diag[(i * b + c) * b + r];
        for (int64_t k = start[i]; k < start[i + 1]; k++) {
            const double *w = off + k * b * b;
            double *to = (f->where[k] & 1 ? f->upper : f->lower) + (f->where[k] >> 1) * size;
            for (int c = 0; c < b; c++)
                for (int r = 0; r < b; r++) {
                    double sum = w[c * b + r];
                    if (left != NULL) {
                        sum = 0;
                        for (int x = 0; x < b; x++)
                            sum += left[(i * b + x) * b + r] * w[c * b + x];
                    }
                    to[c * ld + r] = sum;
                }
        }
    }
}

/* Subtracts from column and row k what column j, which has a block in row k, contributes. */
static void take_column(mrn_block_lu *f, int j, int k, double *wl, double *wu)
{
    int b = f->b, ld = f->ld, size = b * ld;
    int64_t p = f->at[j], end = f->start[j + 1];
    const double *l = f->lower + p * size, *u = f->upper + p * size;
    subtract(b, ld, l, u, f->pivot + (int64_t)k * size);
    for (int64_t t = p + 1; b == 1 && t < end; t++) { /* plain numbers: no loops within blocks */
        wl[f->row[t]] -= f->lower[t] * u[0];
        wu[f->row[t]] -= l[0] * f->upper[t];
    }
    for (int64_t t = p + 1; b > 1 && t < end; t++) {
        int64_t i = (int64_t)f->row[t] * size;
        subtract(b, ld, f->lower + t * size, u, wl + i);
        subtract(b, ld, l, f->upper + t * size, wu + i);
    }
}

/* Column j goes to the list of the next row it has a block in. */
static void hand_on(mrn_block_lu *f, int j)
{
    if (f->at[j] >= f->start[j + 1])
        return;
    int r = f->row[f->at[j]];
    f->next[j] = f->head[r];
    f->head[r] = j;
}

int mrn_block_lu_factor(mrn_block_lu *f, const double *diag, const double *off,
                        const int64_t *start, const double *left)
{
    int b = f->b, ld = f->ld, size = b * ld, mended = 0;
    double *wl = f->work, *wu = f->work + (int64_t)f->n * size;
    size_t bytes = (size_t)size * sizeof *wl;
    load(f, diag, off, start, left);
    for (int k = 0; k < f->n; k++)
        f->head[k] = -1;
    for (int k = 0; k < f->n; k++) {
        double *d = f->pivot + (int64_t)k * size, inverse[B_MAX * B_MAX];
        for (int64_t t = f->start[k]; t < f->start[k + 1]; t++) {
            memcpy(wl + (int64_t)f->row[t] * size, f->lower + t * size, bytes);
            memcpy(wu + (int64_t)f->row[t] * size, f->upper + t * size, bytes);
        }
        for (int j = f->head[k], then; j != -1; j = then) {
            then = f->next[j];
            take_column(f, j, k, wl, wu);
            f->at[j]++;
            hand_on(f, j);
        }
        mended += invert(b, ld, d, inverse);
        memcpy(d, inverse, bytes);
        for (int64_t t = f->start[k]; t < f->start[k + 1]; t++) {
            multiply(b, ld, wl + (int64_t)f->row[t] * size, d, f->lower + t * size);
            memcpy(f->upper + t * size, wu + (int64_t)f->row[t] * size, bytes);
        }
        f->at[k] = f->start[k];
        hand_on(f, k);
    }
    return mended;
}

void mrn_block_lu_solve(mrn_block_lu *f, const double *y, double *x)
{
    int b = f->b, ld = f->ld, size = b * ld;
    double *v = f->x;
    for (int64_t k = 0; k < f->n; k++)
        memcpy(v + k * b, y + (int64_t)f->order[k] * b, (size_t)b * sizeof *v);
    for (int64_t k = 0; k < f->n; k++)
        for (int64_t t = f->start[k]; t < f->start[k + 1]; t++)
            subtract_vector(b, ld, f->lower + t * size, v + k * b, v + (int64_t)f->row[t] * b);
    for (int64_t k = f->n - 1; k >= 0; k--) {
        double sum[B_MAX] = {0};
        for (int c = 0; c < b; c++)
            sum[c] = v[k * b + c];
        for (int64_t t = f->start[k]; t < f->start[k + 1]; t++)
            subtract_vector(b, ld, f->upper + t * size, v + (int64_t)f->row[t] * b, sum);
        for (int r = 0; r < b; r++) {
            v[k * b + r] = 0;
            for (int c = 0; c < b; c++)
                v[k * b + r] += f->pivot[k * size + c * ld + r] * sum[c];
        }
    }
    for (int64_t k = 0; k < f->n; k++)
        memcpy(x + (int64_t)f->order[k] * b, v + k * b, (size_t)b * sizeof *v);
}
