/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The matrix of limit analysis, Gᵀ D G with D block diagonal: its pattern is analysed once, its
   values and their factors are new in every iteration. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "quasistatic/limit.h"

enum { MOST = 2 * MRN_NET_DOFS + MRN_NET_GLOBALS };

/* Smallest shift of a matrix with ones on its diagonal that Cholesky's rounding (some eps times the
   order of a front) does not eat; and where it is given up. */
static const double least_shift = 1e-13, most_shift = 1e-3;

/* The rows of a contact over the unknowns they act on, ascending. */
typedef struct local {
    int rows, n;
    int64_t unknown[MOST];
    double g[MRN_NET_ROWS][MOST];
} local;

static void add_column(local *l, int64_t unknown, const double column[MRN_NET_ROWS])
{
    int p = l->n;
    while (p > 0 && l->unknown[p - 1] > unknown)
        p--;
    bool there = p > 0 && l->unknown[p - 1] == unknown;
    for (int i = l->n; !there && i > p; i--) {
        l->unknown[i] = l->unknown[i - 1];
        for (int r = 0; r < l->rows; r++)
            l->g[r][i] = l->g[r][i - 1];
    }
    for (int r = 0; r < l->rows; r++)
        l->g[r][there ? p - 1 : p] = column[r] + (there ? l->g[r][p - 1] : 0);
    l->unknown[there ? p - 1 : p] = unknown;
    l->n += !there;
}

static void local_of(const mrn_net *net, int64_t k, local *l)
{
    mrn_net_block b;
    mrn_net_rows(net, k, &b);
    l->rows = b.rows;
    l->n = 0;
    const int32_t node[2] = {net->element[k].c, net->element[k].a};
    double column[MRN_NET_ROWS];
    for (int side = 0; side < 2; side++)
        for (int d = 0; node[side] >= 0 && d < net->dofs; d++) {
            for (int r = 0; r < b.rows; r++)
                column[r] = side == 0 ? b.c[r][d] : b.a[r][d];
            add_column(l, mrn_net_unknown(net, node[side], d), column);
        }
    for (int g = 0; g < b.n_globals; g++) {
        for (int r = 0; r < b.rows; r++)
            column[r] = b.g[r][g];
        add_column(l, mrn_net_global_unknown(net, b.global[g]), column);
    }
}

/* ---- pattern ---- */

/* Lower triangle of the square block of unknowns from i and from j on. */
static void add_block(mrn_triplets *e, int64_t i, int64_t j, int rows, int cols)
{
    for (int c = 0; c < cols; c++)
        for (int r = 0; r < rows; r++)
            if (i + r >= j + c)
                mrn_triplets_add(e, i + r, j + c, 0);
}

/* Which globals act on which node: each pair once, however many contacts. */
static mrn_status coupling(const mrn_net *net, bool **out, int64_t *pairs, mrn_message *msg)
{
    *pairs = 0;
    mrn_status s = mrn_array(out, (int64_t)net->n * net->n_globals, sizeof **out, msg);
    if (s != MRN_OK || net->n_globals == 0)
        return s;
    for (int64_t k = 0; k < net->n_contacts; k++) {
        mrn_net_block b;
        mrn_net_rows(net, k, &b);
        const int32_t node[2] = {net->element[k].c, net->element[k].a};
        for (int side = 0; side < 2; side++)
            for (int g = 0; node[side] >= 0 && g < b.n_globals; g++) {
                bool *there = &(*out)[(int64_t)node[side] * net->n_globals + b.global[g]];
                *pairs += !*there;
                *there = true;
            }
    }
    return MRN_OK;
}

static void fill_entries(const mrn_net *net, const bool *coupled, mrn_triplets *e)
{
    int dofs = net->dofs;
    for (int32_t i = 0; i < net->n; i++) {
        int64_t at = mrn_net_unknown(net, i, 0);
        add_block(e, at, at, dofs, dofs);
        for (int g = 0; g < net->n_globals; g++)
            if (coupled[(int64_t)i * net->n_globals + g])
                add_block(e, mrn_net_global_unknown(net, g), at, 1, dofs);
    }
    for (int64_t k = 0; k < net->n_contacts; k++) {
        int32_t c = net->element[k].c, a = net->element[k].a;
        if (c >= 0 && a >= 0 && c != a)
            add_block(e, mrn_net_unknown(net, c > a ? c : a, 0),
                      mrn_net_unknown(net, c > a ? a : c, 0), dofs, dofs);
    }
    add_block(e, mrn_net_global_unknown(net, 0), mrn_net_global_unknown(net, 0), net->n_globals,
              net->n_globals);
}

static mrn_status pattern(const mrn_net *net, mrn_sparse *lower, mrn_message *msg)
{
    mrn_triplets e = {0};
    bool *coupled = NULL;
    int64_t pairs = 0, d = net->dofs;
    mrn_status s = coupling(net, &coupled, &pairs, msg);
    int64_t most = net->n * d * d + net->n_contacts * d * d + pairs * d +
                   (int64_t)net->n_globals * net->n_globals;
    if (s == MRN_OK)
        s = mrn_triplets_reserve(&e, most, msg);
    if (s == MRN_OK) {
        fill_entries(net, coupled, &e);
        s = mrn_triplets_make(&e, net->n_unknowns, net->n_unknowns, lower, msg);
    }
    mrn_triplets_release(&e);
    mrn_free(coupled);
    return s;
}

mrn_status mrn_limit_matrix_make(const mrn_net *net, mrn_limit_matrix *m, mrn_message *msg)
{
    *m = (mrn_limit_matrix){.shift = least_shift};
    mrn_status s = pattern(net, &m->lower, msg);
    if (s == MRN_OK)
        s = mrn_llt_make(&m->lower, &m->factor, msg);
    if (s == MRN_OK)
        s = mrn_array(&m->scale, net->n_unknowns, sizeof *m->scale, msg);
    if (s == MRN_OK)
        s = mrn_array(&m->room, net->n_unknowns, sizeof *m->room, msg);
    return s;
}

void mrn_limit_matrix_release(mrn_limit_matrix *m)
{
    mrn_sparse_release(&m->lower);
    mrn_llt_release(&m->factor);
    mrn_free(m->scale);
    mrn_free(m->room);
    *m = (mrn_limit_matrix){0};
}

/* ---- values ---- */

/* Where `row` is in a column, from `from` on. It is there. */
static int64_t place(const mrn_sparse *a, int64_t col, int64_t from, int64_t row)
{
    int64_t low = from, high = a->start[col + 1] - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (a->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_contact(mrn_sparse *a, const mrn_limit_cones *c, int64_t k)
{
    local l;
    double d[MRN_NET_ROWS][MRN_NET_ROWS], dg[MRN_NET_ROWS];
    local_of(c->net, k, &l);
    mrn_limit_block(c, k, d);
    for (int j = 0; j < l.n; j++) {
        for (int r = 0; r < l.rows; r++) {
            dg[r] = 0;
            for (int q = 0; q < l.rows; q++)
                dg[r] += d[r][q] * l.g[q][j];
        }
        int64_t p = a->start[l.unknown[j]];
        for (int i = j; i < l.n; i++, p++) {
            double sum = 0;
            for (int r = 0; r < l.rows; r++)
                sum += l.g[r][i] * dg[r];
            if (a->row[p] != l.unknown[i])
                p = place(a, l.unknown[j], p, l.unknown[i]);
            a->value[p] += sum;
        }
    }
}

/* Ones on the diagonal: loads of contacts, and with them D, differ by many orders of magnitude near
   the optimum, and a shift must be small for every one. What contacts do not resist but for
   rounding (squares of eps: rotations without friction) counts as 0, beside the other unknowns of
   its node. */
static void find_scales(const mrn_net *net, mrn_limit_matrix *m)
{
    const mrn_sparse *a = &m->lower;
    for (int64_t first = 0; first < a->cols;) {
        bool global = first >= (int64_t)net->n * net->dofs;
        int64_t end = first + (global ? 1 : net->dofs);
        double most = 0;
        for (int64_t j = first; j < end; j++)
            most = fmax(most, a->value[a->start[j]]);
        for (int64_t j = first; j < end; j++) {
            double diagonal = a->value[a->start[j]];
            double size = diagonal > 1e-24 * most ? diagonal : most;
            m->scale[j] = size > 0 ? 1 / sqrt(size) : 1;
        }
        first = end;
    }
}

static void equilibrate(const mrn_net *net, mrn_limit_matrix *m)
{
    mrn_sparse *a = &m->lower;
    find_scales(net, m);
    for (int64_t j = 0; j < a->cols; j++)
        for (int64_t p = a->start[j]; p < a->start[j + 1]; p++)
            a->value[p] *= m->scale[a->row[p]] * m->scale[j];
}

mrn_status mrn_limit_matrix_update(mrn_limit_matrix *m, const mrn_limit_cones *c, mrn_message *msg)
{
    mrn_sparse *a = &m->lower;
    memset(a->value, 0, (size_t)a->start[a->cols] * sizeof *a->value);
    for (int64_t k = 0; k < c->net->n_contacts; k++)
        add_contact(a, c, k);
    equilibrate(c->net, m);
    /* without a message: a shift that is too small is no error */
    mrn_status s = MRN_ERR_RANGE;
    for (double shift = least_shift; s == MRN_ERR_RANGE && shift < most_shift; shift *= 10) {
        m->shift = shift;
        s = mrn_llt_numeric(&m->factor, a, shift, NULL);
    }
    if (s == MRN_ERR_MEMORY)
        return mrn_fail_memory(msg);
    if (s != MRN_OK && s != MRN_ERR_RANGE)
        return mrn_fail(msg, s, "the matrix of limit analysis could not be factorised (%s)",
                        mrn_status_text(s));
    return s;
}

mrn_status mrn_limit_matrix_solve(mrn_limit_matrix *m, const double *b, double *x, mrn_message *msg)
{
    for (int64_t i = 0; i < m->lower.cols; i++)
        m->room[i] = b[i] * m->scale[i];
    mrn_status s = mrn_llt_solve(&m->factor, 1, m->room, x, msg);
    for (int64_t i = 0; s == MRN_OK && i < m->lower.cols; i++)
        x[i] *= m->scale[i];
    return s;
}
