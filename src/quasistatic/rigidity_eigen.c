/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mechanisms counted by eigenvalues, for networks whose QR would be too large. Rows are added to G
   that hold every known mechanism: local ones by their own vector, motions of the whole by as many
   single unknowns. With B these rows, the null space of [G; B] is that of G less the known ones,
   dimension for dimension; zero eigenvalues of GᵀG + BᵀB are the unknown mechanisms, mostly none,
   and Lanczos need not tell thousands of equal zeros apart. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "quasistatic/rigidity.h"

enum {
    DENSE = 300, /* unknowns up to which all eigenvalues are found at once */
    FIRST = 8,   /* eigenvalues of the first batch                         */
    MOST = 1024, /* of the last                                            */
};

/* The unknown on which the motions of the whole (`v`, spoilt) that are left move most. */
static int64_t next_pin(const mrn_known *k, const double *v)
{
    int64_t n = k->n_unknowns, best = 0;
    double most = -1;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int c = 0; c < k->n_apart; c++)
            sum += v[c * n + i] * v[c * n + i];
        if (sum > most)
            most = sum, best = i;
    }
    return best;
}

/* Leaves of the motions of the whole the combinations that do not move unknown `pin`. */
static void release_pin(const mrn_known *k, int64_t pin, double *v)
{
    int64_t n = k->n_unknowns;
    double size = 0;
    double part[MRN_RIGID_MOTIONS];
    for (int c = 0; c < k->n_apart; c++)
        part[c] = v[c * n + pin], size += part[c] * part[c];
    if (!(size > 0))
        return;
    for (int64_t i = 0; i < n; i++) {
        double along = 0;
        for (int c = 0; c < k->n_apart; c++)
            along += part[c] * v[c * n + i];
        for (int c = 0; c < k->n_apart; c++)
            v[c * n + i] -= along / size * part[c];
    }
}

/* Rows that hold motions of the whole, of the size of G's columns. */
static mrn_status put_pins(const mrn_known *k, int64_t row, mrn_triplets *e, mrn_message *msg)
{
    double *v = NULL;
    int64_t room = k->n_apart * k->n_unknowns;
    mrn_status st = mrn_array(&v, room, sizeof *v, msg);
    if (st != MRN_OK)
        return st;
    memcpy(v, k->apart, (size_t)room * sizeof *v);
    for (int c = 0; c < k->n_apart; c++) {
        int64_t pin = next_pin(k, v);
        mrn_triplets_add(e, row + c, pin, k->column > 0 ? k->column : 1);
        release_pin(k, pin, v);
    }
    mrn_free(v);
    return MRN_OK;
}

/* [G; B] */
static mrn_status hold_known(const mrn_sparse *g, const mrn_known *k, mrn_sparse *out,
                             mrn_message *msg)
{
    mrn_triplets e = {0};
    int64_t row = g->rows;
    double size = k->column > 0 ? k->column : 1;
    mrn_status st = mrn_triplets_reserve(
        &e, g->start[g->cols] + MRN_NET_DOFS * k->n_local + MRN_RIGID_MOTIONS, msg);
    if (st == MRN_OK)
        mrn_triplets_add_matrix(&e, g);
    for (int64_t l = 0; st == MRN_OK && l < k->n_local; l++, row++)
        for (int d = 0; d < k->local[l].n; d++)
            mrn_triplets_add(&e, row, k->local[l].first + d, size * k->local[l].u[d]);
    if (st == MRN_OK)
        st = put_pins(k, row, &e, msg);
    if (st == MRN_OK)
        st = mrn_triplets_make(&e, row + k->n_apart, g->cols, out, msg);
    mrn_triplets_release(&e);
    return st;
}

/* ---- the lower triangle of AᵀA ---- */

/* Rows of column j of the product, unsorted, to `list`; `seen` marks them with j. */
static int64_t product_column(const mrn_sparse *a, const mrn_sparse *t, int64_t j, int64_t *seen,
                              int64_t *list, double *sum)
{
    int64_t n = 0;
    for (int64_t e = a->start[j]; e < a->start[j + 1]; e++) {
        int64_t r = a->row[e];
        for (int64_t f = t->start[r]; f < t->start[r + 1]; f++) {
            int64_t i = t->row[f];
            if (i < j)
                continue;
            if (seen[i] != j)
                seen[i] = j, list[n++] = i, sum[i] = 0;
            sum[i] += a->value[e] * t->value[f];
        }
    }
    return n;
}

static mrn_status product_room(int64_t cols, int64_t **seen, int64_t **list, double **sum,
                               int64_t **start, mrn_message *msg)
{
    mrn_status st = mrn_array(seen, cols, sizeof **seen, msg);
    if (st == MRN_OK)
        st = mrn_array(list, cols, sizeof **list, msg);
    if (st == MRN_OK)
        st = mrn_array(sum, cols, sizeof **sum, msg);
    if (st == MRN_OK)
        st = mrn_array(start, cols + 1, sizeof **start, msg);
    return st;
}

static void sort_rows(int64_t n, int64_t *list)
{
    for (int64_t gap = n / 2; gap > 0; gap /= 2)
        for (int64_t i = gap; i < n; i++) {
            int64_t x = list[i], j = i;
            for (; j >= gap && list[j - gap] > x; j -= gap)
                list[j] = list[j - gap];
            list[j] = x;
        }
}

static mrn_status product_fill(const mrn_sparse *a, const mrn_sparse *t, int64_t *seen,
                               int64_t *list, double *sum, mrn_sparse *out, mrn_message *msg)
{
    for (int64_t j = 0; j < a->cols; j++)
        seen[j] = -1;
    for (int64_t j = 0; j < a->cols; j++)
        out->start[j + 1] = out->start[j] + product_column(a, t, j, seen, list, sum);
    mrn_status st = mrn_array(&out->row, out->start[a->cols], sizeof *out->row, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->value, out->start[a->cols], sizeof *out->value, msg);
    for (int64_t j = 0; j < a->cols; j++)
        seen[j] = -1;
    for (int64_t j = 0; st == MRN_OK && j < a->cols; j++) {
        int64_t n = product_column(a, t, j, seen, list, sum), at = out->start[j];
        sort_rows(n, list);
        for (int64_t e = 0; e < n; e++)
            out->row[at + e] = list[e], out->value[at + e] = sum[list[e]];
    }
    return st;
}

static mrn_status square(const mrn_sparse *a, mrn_sparse *out, mrn_message *msg)
{
    mrn_sparse t = {0};
    int64_t *seen = NULL, *list = NULL;
    double *sum = NULL;
    *out = (mrn_sparse){.rows = a->cols, .cols = a->cols};
    mrn_status st = mrn_sparse_transpose(a, &t, msg);
    if (st == MRN_OK)
        st = product_room(a->cols, &seen, &list, &sum, &out->start, msg);
    if (st == MRN_OK)
        st = product_fill(a, &t, seen, list, sum, out, msg);
    mrn_free(seen);
    mrn_free(list);
    mrn_free(sum);
    mrn_sparse_release(&t);
    return st;
}

/* ---- counting ---- */

/* Eigenvalues below `limit` in `out`; whether one above is there too. */
static bool count_below(const mrn_eigen *e, double limit, double column, mrn_counted *out)
{
    int64_t zero = 0;
    while (zero < e->n && e->value[zero] < limit)
        zero++;
    out->others = zero;
    out->largest_out = zero > 0 ? sqrt(fmax(0, e->value[zero - 1])) / column : 0;
    out->smallest_in = zero < e->n ? sqrt(e->value[zero]) / column : INFINITY;
    return zero < e->n;
}

/* Growing batches until one that is clearly not zero closes the count. */
static mrn_status count_in_batches(const mrn_sparse *lower, double limit, double column,
                                   mrn_eigen *e, mrn_counted *out, mrn_message *msg)
{
    int most = lower->cols / 2 < MOST ? (int)(lower->cols / 2) : MOST;
    for (int want = FIRST;; want *= 4) {
        want = want < most ? want : most;
        mrn_eigen_release(e);
        mrn_status st = mrn_eigen_smallest(lower, NULL, want, 0, e, msg);
        if (st != MRN_OK && st != MRN_NOT_CONVERGED)
            return st;
        if (count_below(e, limit, column, out) || st != MRN_OK)
            return st;
        if (want == most)
            return mrn_fail(msg, MRN_NOT_CONVERGED,
                            "the %d smallest eigenvalues are all zero: there are at least as many "
                            "mechanisms beside the known ones, and no end of them was seen",
                            want);
    }
}

mrn_status mrn_held_square(const mrn_sparse *g, const mrn_known *known, mrn_sparse *lower,
                           mrn_message *msg)
{
    mrn_sparse held = {0};
    *lower = (mrn_sparse){0};
    mrn_status st = hold_known(g, known, &held, msg);
    if (st == MRN_OK)
        st = square(&held, lower, msg);
    mrn_sparse_release(&held);
    return st;
}

mrn_status mrn_count_by_eigenvalues(const mrn_sparse *g, const mrn_known *known, double tolerance,
                                    mrn_counted *out, mrn_message *msg)
{
    mrn_sparse lower = {0};
    mrn_eigen e = {0};
    double column = known->column > 0 ? known->column : 1;
    double limit = tolerance * column * tolerance * column;
    *out = (mrn_counted){.smallest_in = INFINITY};
    mrn_status st = mrn_held_square(g, known, &lower, msg);
    if (st == MRN_OK && lower.cols <= DENSE) {
        st = mrn_eigen_all(&lower, NULL, true, &e, msg);
        if (st == MRN_OK)
            count_below(&e, limit, column, out);
    } else if (st == MRN_OK) {
        st = count_in_batches(&lower, limit, column, &e, out, msg);
    }
    mrn_sparse_release(&lower);
    if (st >= MRN_OK && out->others > 0) {
        /* the eigenvectors are kept for the basis: the first columns of e.vector */
        out->basis = e.vector;
        e.vector = NULL;
    }
    mrn_eigen_release(&e);
    return st;
}
