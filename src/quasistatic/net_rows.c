/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of G: how the displacement of C relative to A at a contact, in the contact's frame,
   follows from what the nodes and the globals do. */
#include <string.h>

#include "base/base.h"
#include "detect/kinematics.h"
#include "quasistatic/net.h"

/* Rows of one node. Its unknowns of rotation are length times angles, and so are relative
   rotations. */
static void put_slide(const mrn_net *net, mrn_kinematic_row row, double *to)
{
    row.w = mrn_scale(1 / net->length, row.w);
    mrn_row_store(row, net->dimension, net->dofs, to, 1);
}

static void put_spin(const mrn_net *net, mrn_kinematic_row row, double *to)
{
    mrn_row_store(row, net->dimension, net->dofs, to, 1);
}

/* What one unit of a global's unknown does to U . d; a wall is A, hence its minus. */
static double of_global(const mrn_global *g, const mrn_net_contact *c, mrn_vec3 d)
{
    static const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
    if (g->kind == MRN_GLOBAL_WALL)
        return -mrn_dot(d, g->direction) / g->scale;
    const double along[3] = {d.x, d.y, d.z};
    const double branch[3] = {c->branch.x, c->branch.y, c->branch.z};
    return along[first[g->component]] * branch[second[g->component]] / g->scale;
}

static void list_globals(const mrn_net *net, const mrn_net_contact *c, mrn_net_block *b)
{
    for (int g = 0; g < net->n_globals && b->n_globals < MRN_NET_GLOBALS; g++)
        if (net->global[g].kind == MRN_GLOBAL_CELL || g == c->global)
            b->global[b->n_globals++] = g;
}

static void fill_row(const mrn_net *net, const mrn_net_contact *c, mrn_vec3 d, int r,
                     mrn_net_block *b)
{
    if (c->c >= 0)
        put_slide(net, mrn_row_slide(1, d, c->rc), b->c[r]);
    if (c->a >= 0)
        put_slide(net, mrn_row_slide(-1, d, c->ra), b->a[r]);
    for (int g = 0; g < b->n_globals; g++)
        b->g[r][g] = of_global(&net->global[b->global[g]], c, d);
}

void mrn_net_rows(const mrn_net *net, int64_t k, mrn_net_block *b)
{
    const mrn_net_contact *c = &net->contact[k];
    const mrn_vec3 axis[3] = {c->n, c->t, c->w};
    int sliding = 1 + mrn_net_tangential(net, c);
    int first = net->dimension == 2 ? 2 : 0; /* disks roll about w only */
    memset(b, 0, sizeof *b);
    b->rows = c->rows;
    list_globals(net, c, b);
    for (int r = 0; r < sliding; r++)
        fill_row(net, c, axis[r], r, b);
    for (int r = sliding; r < c->rows; r++) {
        if (c->c >= 0)
            put_spin(net, mrn_row_spin(1, axis[first + r - sliding]), b->c[r]);
        if (c->a >= 0)
            put_spin(net, mrn_row_spin(-1, axis[first + r - sliding]), b->a[r]);
    }
}

/* ---- the matrix ---- */

typedef struct entries {
    int64_t n;
    int64_t *row, *col;
    double *value;
} entries;

static void release(entries *e)
{
    mrn_free(e->row);
    mrn_free(e->col);
    mrn_free(e->value);
}

static mrn_status reserve(entries *e, int64_t n, mrn_message *msg)
{
    mrn_status st = mrn_array(&e->row, n, sizeof *e->row, msg);
    if (st == MRN_OK)
        st = mrn_array(&e->col, n, sizeof *e->col, msg);
    return st == MRN_OK ? mrn_array(&e->value, n, sizeof *e->value, msg) : st;
}

static void add(entries *e, int64_t row, int64_t col, double value)
{
    if (value == 0)
        return;
    e->row[e->n] = row, e->col[e->n] = col, e->value[e->n] = value;
    e->n++;
}

static void add_contact(const mrn_net *net, int64_t k, entries *e)
{
    const mrn_net_contact *c = &net->contact[k];
    mrn_net_block b;
    mrn_net_rows(net, k, &b);
    for (int r = 0; r < b.rows; r++) {
        for (int d = 0; c->c >= 0 && d < net->dofs; d++)
            add(e, c->row + r, mrn_net_unknown(net, c->c, d), b.c[r][d]);
        for (int d = 0; c->a >= 0 && d < net->dofs; d++)
            add(e, c->row + r, mrn_net_unknown(net, c->a, d), b.a[r][d]);
        for (int g = 0; g < b.n_globals; g++)
            add(e, c->row + r, mrn_net_global_unknown(net, b.global[g]), b.g[r][g]);
    }
}

mrn_status mrn_net_matrix(const mrn_net *net, mrn_sparse *out, mrn_message *msg)
{
    entries e = {0};
    int64_t most = net->n_rows * (2 * (int64_t)net->dofs + MRN_NET_GLOBALS);
    memset(out, 0, sizeof *out);
    mrn_status st = reserve(&e, most, msg);
    for (int64_t k = 0; st == MRN_OK && k < net->n_contacts; k++)
        add_contact(net, k, &e);
    if (st == MRN_OK)
        st = mrn_sparse_make(net->n_rows, net->n_unknowns, e.n, e.row, e.col, e.value, out, msg);
    release(&e);
    return st;
}
