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
static double of_global(const mrn_global *g, const double *branch, mrn_vec3 d)
{
    static const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
    if (g->kind == MRN_GLOBAL_WALL)
        return -mrn_dot(d, g->direction) / g->scale;
    const double along[3] = {d.x, d.y, d.z};
    return along[first[g->component]] * branch[second[g->component]] / g->scale;
}

static void list_globals(const mrn_net *net, const mrn_net_element *c, mrn_net_block *b)
{
    for (int g = 0; g < net->n_globals && b->n_globals < MRN_NET_GLOBALS; g++)
        if (net->global[g].kind == MRN_GLOBAL_CELL || g == c->global)
            b->global[b->n_globals++] = g;
}

static void fill_row(const mrn_net *net, int64_t k, mrn_vec3 d, int r, mrn_net_block *b)
{
    const mrn_net_element *c = &net->element[k];
    const mrn_contacts *at = &net->contact;
    if (c->c >= 0)
        put_slide(net, mrn_row_slide(1, d, mrn_load3(at->arm_c + 3 * k)), b->c[r]);
    if (c->a >= 0)
        put_slide(net, mrn_row_slide(-1, d, mrn_load3(at->arm_a + 3 * k)), b->a[r]);
    for (int g = 0; g < b->n_globals; g++)
        b->g[r][g] = of_global(&net->global[b->global[g]], at->branch + 3 * k, d);
}

void mrn_net_rows(const mrn_net *net, int64_t k, mrn_net_block *b)
{
    const mrn_net_element *c = &net->element[k];
    mrn_vec3 axis[3];
    int sliding = 1 + mrn_net_tangential(net, c);
    int first = net->dimension == 2 ? 2 : 0; /* disks roll about w only */
    mrn_net_axes(net, k, axis);
    memset(b, 0, sizeof *b);
    b->rows = c->rows;
    list_globals(net, c, b);
    for (int r = 0; r < sliding; r++)
        fill_row(net, k, axis[r], r, b);
    for (int r = sliding; r < c->rows; r++) {
        if (c->c >= 0)
            put_spin(net, mrn_row_spin(1, axis[first + r - sliding]), b->c[r]);
        if (c->a >= 0)
            put_spin(net, mrn_row_spin(-1, axis[first + r - sliding]), b->a[r]);
    }
}

/* ---- the matrix ---- */

static void add(mrn_triplets *e, int64_t row, int64_t col, double value)
{
    if (value != 0)
        mrn_triplets_add(e, row, col, value);
}

static void add_contact(const mrn_net *net, int64_t k, mrn_triplets *e)
{
    const mrn_net_element *c = &net->element[k];
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
    mrn_triplets e = {0};
    int64_t most = net->n_rows * (2 * (int64_t)net->dofs + MRN_NET_GLOBALS);
    memset(out, 0, sizeof *out);
    mrn_status st = mrn_triplets_reserve(&e, most, msg);
    for (int64_t k = 0; st == MRN_OK && k < net->n_contacts; k++)
        add_contact(net, k, &e);
    if (st == MRN_OK)
        st = mrn_triplets_make(&e, net->n_rows, net->n_unknowns, out, msg);
    mrn_triplets_release(&e);
    return st;
}
