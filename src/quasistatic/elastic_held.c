/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Motions of grains that cost nothing and are known before any factorisation: those of one grain
   while all others rest (null vectors of its diagonal block: spheres that turn between two
   contacts, grains without contacts, rotations that no friction resists), and those of the whole as
   a rigid body. Springs along the former, and on as many displacements as there are of the latter,
   make the matrix regular. No load in equilibrium feels them: such a load does no work on a motion
   that costs nothing, and the springs' forces are the only ones left to balance that work. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/jacobi.h"
#include "quasistatic/elastic.h"

/* Below this part of the largest eigenvalue of a grain's block (energy of a rigid motion over the
   mean diagonal) a motion costs nothing; rounding leaves 1e-15. */
#define FREE 1e-12

/* ---- single grains ---- */

/* The diagonal block of a node, both triangles. */
static void block_of(const mrn_sparse *lower, int dofs, int32_t i, double *a)
{
    for (int d = 0; d < dofs; d++) {
        const double *from = lower->value + lower->start[(int64_t)i * dofs + d];
        for (int r = d; r < dofs; r++)
            a[d * dofs + r] = a[r * dofs + d] = from[r - d];
    }
}

/* No eigenvalue is below FREE of the largest. The product of the pivots of elimination is that of
   the eigenvalues, so that with all pivots above 0.02 of the trace the smallest eigenvalue is above
   0.02^6 = 6e-11 of it. Spares most grains the eigenvalues. */
static bool plainly_held(int n, const double *block)
{
    double a[MRN_NET_DOFS * MRN_NET_DOFS], trace = 0;
    memcpy(a, block, (size_t)(n * n) * sizeof *a);
    for (int i = 0; i < n; i++)
        trace += a[i * n + i];
    for (int k = 0; k < n; k++) {
        double pivot = a[k * n + k];
        if (!(pivot > 0.02 * trace))
            return false;
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j < n; j++)
                a[i * n + j] -= a[i * n + k] * a[k * n + j] / pivot;
    }
    return true;
}

/* Null vectors of a node's block. */
static int local_motions(int n, const double *block, double u[MRN_NET_DOFS][MRN_NET_DOFS])
{
    double a[MRN_NET_DOFS * MRN_NET_DOFS], v[MRN_NET_DOFS * MRN_NET_DOFS], top = 0;
    int found = 0;
    if (plainly_held(n, block))
        return 0;
    memcpy(a, block, (size_t)(n * n) * sizeof *a);
    mrn_jacobi_eigen(n, a, v);
    for (int k = 0; k < n; k++)
        top = fmax(top, fabs(a[k * n + k]));
    for (int k = 0; k < n; k++) {
        if (!(fabs(a[k * n + k]) <= FREE * top))
            continue;
        for (int d = 0; d < n; d++)
            u[found][d] = v[d * n + k];
        found++;
    }
    return found;
}

static mrn_status find_local(const mrn_net *net, const mrn_sparse *lower, mrn_held *h,
                             mrn_message *msg)
{
    double a[MRN_NET_DOFS * MRN_NET_DOFS];
    for (int32_t i = 0; i < net->n; i++) {
        mrn_held_node one = {.node = i};
        block_of(lower, net->dofs, i, a);
        one.n = local_motions(net->dofs, a, one.u);
        if (one.n == 0)
            continue;
        if (mrn_grow(&h->node, &h->room, h->n_nodes + 1, sizeof *h->node) != MRN_OK)
            return mrn_fail_memory(msg);
        h->node[h->n_nodes++] = one;
        h->n_local += one.n;
    }
    return MRN_OK;
}

/* ---- the whole ---- */

static double dot(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static mrn_vec3 middle(const mrn_net *net)
{
    mrn_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < net->n; i++)
        sum = mrn_add(sum, mrn_load3(net->x + 3 * (size_t)i));
    return mrn_scale(1.0 / net->n, sum);
}

/* Translation or rotation of the whole as displacements: u = along + turn x (x - o). */
static void rigid_motion(const mrn_net *net, mrn_vec3 along, mrn_vec3 turn, mrn_vec3 o, double *u)
{
    for (int32_t i = 0; i < net->n; i++) {
        mrn_vec3 arm = mrn_sub(mrn_load3(net->x + 3 * (size_t)i), o);
        mrn_vec3 d = mrn_add(along, mrn_cross(turn, arm));
        const double all[6] = {
            d.x, d.y, d.z, net->length * turn.x, net->length * turn.y, net->length * turn.z};
        double *q = u + mrn_net_unknown(net, i, 0);
        for (int k = 0; k < net->dimension; k++)
            q[k] = all[k];
        for (int k = net->dimension; k < net->dofs; k++)
            q[k] = all[net->dimension == 2 ? 5 : k];
    }
}

/* Orthonormal basis of all rigid motions; those that are none (one grain that does not turn) are
   left out. */
static int rigid_basis(const mrn_net *net, double *u)
{
    int dim = net->dimension, turns = dim == 2 ? 1 : 3, n = 0;
    int64_t order = mrn_net_global_unknown(net, 0);
    mrn_vec3 o = middle(net);
    for (int k = 0; k < dim + turns; k++) {
        int axis = k < dim ? k : dim == 2 ? 2 : k - dim;
        mrn_vec3 e = mrn_v3(axis == 0, axis == 1, axis == 2), none = {0, 0, 0};
        double *v = u + n * order, before, after;
        rigid_motion(net, k < dim ? e : none, k < dim ? none : e, o, v);
        before = dot(order, v, v);
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < n; j++) {
                double s = dot(order, u + j * order, v);
                for (int64_t i = 0; i < order; i++)
                    v[i] -= s * u[j * order + i];
            }
        after = dot(order, v, v);
        if (!(after > 1e-20 * before) || !(before > 0))
            continue;
        for (int64_t i = 0; i < order; i++)
            v[i] /= sqrt(after);
        n++;
    }
    return n;
}

/* Those combinations of the basis u (n of them) that cost nothing; overwrites u. `room`: order. */
static int keep_free(const mrn_sparse *lower, double spring, int n, double *u, double *room)
{
    double a[36], v[36];
    int64_t order = lower->cols;
    int kept = 0;
    for (int j = 0; j < n; j++) {
        mrn_sparse_times_symmetric(lower, u + j * order, room);
        for (int i = 0; i < n; i++)
            a[i * n + j] = dot(order, u + i * order, room);
    }
    mrn_jacobi_eigen(n, a, v);
    for (int k = 0; k < n; k++) /* the columns that count first */
        if (fabs(a[k * n + k]) <= FREE * spring) {
            for (int i = 0; i < n; i++) {
                double x = v[i * n + k];
                v[i * n + k] = v[i * n + kept], v[i * n + kept] = x;
            }
            a[k * n + k] = a[kept * n + kept];
            kept++;
        }
    for (int64_t i = 0; i < order; i++) {
        double x[6], y[6] = {0};
        for (int j = 0; j < n; j++)
            x[j] = u[j * order + i];
        for (int k = 0; k < kept; k++)
            for (int j = 0; j < n; j++)
                y[k] += x[j] * v[j * n + k];
        for (int k = 0; k < kept; k++)
            u[k * order + i] = y[k];
    }
    return kept;
}

/* As many displacements as there are rigid motions, such that no rigid motion leaves them all at
   zero: elimination with the largest entry as pivot. Displacements only, for a rotation of a grain
   may be free by itself. `work`: order x n_rigid, holds the motions. */
static void choose_pins(mrn_held *h, double *work)
{
    int n = h->n_rigid;
    bool used[6] = {false};
    for (int k = 0; k < n; k++) {
        double top = 0;
        int by = 0;
        h->pin[k] = -1;
        for (int j = 0; j < n; j++)
            for (int64_t i = 0; !used[j] && i < h->order; i++)
                if (i % h->dofs < h->dimension && fabs(work[j * h->order + i]) > top)
                    top = fabs(work[j * h->order + i]), h->pin[k] = i, by = j;
        if (h->pin[k] < 0 || top < 1e-9) { /* turning about itself alone: held as a grain's */
            h->pin[k] = -1;
            continue;
        }
        used[by] = true;
        const double *pivot = work + by * h->order;
        for (int j = 0; j < n; j++) {
            double *v = work + j * h->order, s = v[h->pin[k]] / pivot[h->pin[k]];
            for (int64_t i = 0; !used[j] && i < h->order; i++)
                v[i] -= s * pivot[i];
        }
    }
}

static mrn_status find_rigid(const mrn_net *net, const mrn_sparse *lower, mrn_held *h,
                             mrn_message *msg)
{
    double *room = NULL;
    mrn_status st = mrn_array(&h->rigid, 6 * h->order, sizeof *h->rigid, msg);
    if (st == MRN_OK)
        st = mrn_array(&room, 6 * h->order, sizeof *room, msg);
    if (st == MRN_OK) {
        int n = rigid_basis(net, h->rigid);
        h->n_rigid = keep_free(lower, h->spring, n, h->rigid, room);
        memcpy(room, h->rigid, (size_t)(h->n_rigid * h->order) * sizeof *room);
        choose_pins(h, room);
    }
    mrn_free(room);
    return st;
}

/* ---- all of them ---- */

mrn_status mrn_held_find(const mrn_net *net, const mrn_sparse *lower, mrn_held *out,
                         mrn_message *msg)
{
    memset(out, 0, sizeof *out);
    out->dofs = net->dofs, out->dimension = net->dimension;
    out->order = lower->cols;
    for (int64_t i = 0; i < out->order; i++)
        out->spring += lower->value[lower->start[i]] / (double)out->order;
    mrn_status st = MRN_OK;
    if (out->order > 0)
        st = find_local(net, lower, out, msg);
    if (st == MRN_OK && out->order > 0)
        st = find_rigid(net, lower, out, msg);
    if (!(out->spring > 0))
        out->spring = 1;
    if (st != MRN_OK)
        mrn_held_release(out);
    return st;
}

void mrn_held_release(mrn_held *h)
{
    mrn_free(h->node);
    mrn_free(h->rigid);
    memset(h, 0, sizeof *h);
}

/* Runs over the triangle of a node's block. */
static double *triangle(const mrn_held *h, const mrn_sparse *lower, int32_t node, int column)
{
    return lower->value + lower->start[(int64_t)node * h->dofs + column];
}

void mrn_held_add(mrn_held *h, mrn_sparse *lower)
{
    for (int32_t k = 0; k < h->n_nodes; k++) {
        mrn_held_node *one = &h->node[k];
        double *saved = one->saved;
        for (int d = 0; d < h->dofs; d++) {
            double *to = triangle(h, lower, one->node, d);
            for (int r = d; r < h->dofs; r++) {
                *saved++ = to[r - d];
                for (int m = 0; m < one->n; m++)
                    to[r - d] += h->spring * one->u[m][r] * one->u[m][d];
            }
        }
    }
    for (int k = 0; k < h->n_rigid; k++)
        if (h->pin[k] >= 0) {
            h->saved[k] = lower->value[lower->start[h->pin[k]]];
            lower->value[lower->start[h->pin[k]]] += h->spring;
        }
}

void mrn_held_take_off(mrn_held *h, mrn_sparse *lower)
{
    for (int k = h->n_rigid - 1; k >= 0; k--)
        if (h->pin[k] >= 0)
            lower->value[lower->start[h->pin[k]]] = h->saved[k];
    for (int32_t k = 0; k < h->n_nodes; k++) {
        const double *saved = h->node[k].saved;
        for (int d = 0; d < h->dofs; d++) {
            double *to = triangle(h, lower, h->node[k].node, d);
            for (int r = d; r < h->dofs; r++)
                to[r - d] = *saved++;
        }
    }
}

double mrn_held_project(const mrn_held *h, double *f, int64_t *where)
{
    double sum = 0, top = 0;
    *where = -1;
    for (int32_t k = 0; k < h->n_nodes; k++) {
        const mrn_held_node *one = &h->node[k];
        double *at = f + (int64_t)one->node * h->dofs, part = 0;
        for (int m = 0; m < one->n; m++) {
            double s = dot(h->dofs, one->u[m], at);
            for (int d = 0; d < h->dofs; d++)
                at[d] -= s * one->u[m][d];
            part += s * s;
        }
        sum += part;
        if (part > top)
            top = part, *where = one->node;
    }
    for (int k = 0; k < h->n_rigid; k++) {
        const double *v = h->rigid + k * h->order;
        double s = dot(h->order, v, f);
        for (int64_t i = 0; i < h->order; i++)
            f[i] -= s * v[i];
        sum += s * s;
        if (s * s > top)
            top = s * s, *where = -1;
    }
    return sqrt(sum);
}

void mrn_held_centre(const mrn_held *h, double *u)
{
    for (int k = 0; k < h->n_rigid; k++) {
        const double *v = h->rigid + k * h->order;
        double s = dot(h->order, v, u);
        for (int64_t i = 0; i < h->order; i++)
            u[i] -= s * v[i];
    }
}
