/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mechanisms as a person would list them: motions of the whole and those of single grains that
   are known anyway are taken out of the basis that linear algebra gave; what is left is split into
   sets of grains that move apart from the others; all get names and their second-order work. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "quasistatic/rigidity.h"

/* Singular values of what is left of an orthonormal basis are 0 or 1: the largest of c columns with
   anything left is above 1/sqrt(c). */
#define LEFT 1e-4
/* Grains that move by less than this part of the largest motion do not count as moving. */
#define MOVES 1e-2

/* Four sums at a time: a fixed order that fills vector registers. */
static double dot(int64_t n, const double *a, const double *b)
{
    double part[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; l++)
            part[l] += a[i + l] * b[i + l];
    for (; i < n; i++)
        part[0] += a[i] * b[i];
    return (part[0] + part[1]) + (part[2] + part[3]);
}

static void take_off(int64_t n, const double *unit, double *from)
{
    double part = dot(n, unit, from);
    for (int64_t i = 0; i < n; i++)
        from[i] -= part * unit[i];
}

static void swap(int64_t n, double *a, double *b)
{
    for (int64_t i = 0; i < n; i++) {
        double x = a[i];
        a[i] = b[i], b[i] = x;
    }
}

int64_t mrn_orthonormalise(int64_t n, int64_t columns, double *v, double least)
{
    for (int64_t done = 0; done < columns; done++) {
        int64_t best = done;
        double most = 0;
        for (int64_t c = done; c < columns; c++) {
            double size = dot(n, v + c * n, v + c * n);
            if (size > most)
                most = size, best = c;
        }
        if (!(sqrt(most) > least))
            return done;
        if (best != done)
            swap(n, v + done * n, v + best * n);
        for (int64_t c = 0; c < done; c++) /* once more: rests are differences */
            take_off(n, v + c * n, v + done * n);
        double size = sqrt(dot(n, v + done * n, v + done * n));
        for (int64_t i = 0; i < n; i++)
            v[done * n + i] /= size;
        for (int64_t c = done + 1; c < columns; c++)
            take_off(n, v + done * n, v + c * n);
    }
    return columns;
}

/* ---- second-order work ---- */

static double bilinear(int rows, int cols, const double *a, const double *m, int width,
                       const double *b)
{
    double sum = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            sum += a[r] * m[r * width + c] * b[c];
    return sum;
}

/* Unknowns of a node; false: all are zero. */
static bool node_of(const mrn_net *net, int32_t i, const double *u, double out[MRN_NET_DOFS])
{
    bool moves = false;
    for (int d = 0; i >= 0 && d < net->dofs; d++) {
        out[d] = u[mrn_net_unknown(net, i, d)];
        moves = moves || out[d] != 0;
    }
    return moves;
}

/* u·K2·u of one contact; `globals`: some of them move. */
static double contact_second(const mrn_net *net, int64_t k, const double *u, bool globals)
{
    enum { D = MRN_NET_DOFS, W = MRN_NET_GLOBALS };
    mrn_net_turn t;
    double c[D] = {0}, a[D] = {0}, g[W] = {0};
    bool moves = node_of(net, net->element[k].c, u, c);
    moves = node_of(net, net->element[k].a, u, a) || moves;
    if (!moves && !globals) /* most contacts, in a mechanism of a few grains */
        return 0;
    mrn_net_geometric(net, k, &t);
    for (int l = 0; l < t.n_globals; l++)
        g[l] = u[mrn_net_global_unknown(net, t.global[l])];
    int n = net->dofs, m = t.n_globals;
    double nodes = bilinear(n, n, c, t.cc[0], D, c) + bilinear(n, n, c, t.ca[0], D, a) +
                   bilinear(n, n, a, t.ac[0], D, c) + bilinear(n, n, a, t.aa[0], D, a);
    double mixed = bilinear(n, m, c, t.cg[0], W, g) + bilinear(n, m, a, t.ag[0], W, g) +
                   bilinear(m, n, g, t.gc[0], D, c) + bilinear(m, n, g, t.ga[0], D, a);
    return nodes + mixed + bilinear(m, m, g, t.gg[0], W, g);
}

static double second_order(const mrn_net *net, const double *u)
{
    if (!net->forces_known || !(net->mean_force > 0))
        return NAN;
    double sum = 0;
    bool globals = false;
    for (int g = 0; g < net->n_globals; g++)
        globals = globals || u[mrn_net_global_unknown(net, g)] != 0;
    for (int64_t k = 0; k < net->n_contacts; k++)
        sum += contact_second(net, k, u, globals);
    return sum / (net->mean_force / net->length);
}

/* ---- names ---- */

static double node_motion(const mrn_net *net, int32_t i, const double *u)
{
    const double *v = u + mrn_net_unknown(net, i, 0);
    return sqrt(dot(net->dofs, v, v));
}

typedef struct movers {
    int64_t n;       /* grains that move */
    int32_t node[4]; /* the first of them */
    int global;      /* the first global that moves; -1: none */
} movers;

static movers find_movers(const mrn_net *net, const double *u)
{
    movers m = {.global = -1};
    double most = 0;
    for (int32_t i = 0; i < net->n; i++)
        most = fmax(most, node_motion(net, i, u));
    for (int g = 0; g < net->n_globals; g++)
        most = fmax(most, fabs(u[mrn_net_global_unknown(net, g)]));
    for (int32_t i = 0; i < net->n; i++)
        if (node_motion(net, i, u) > MOVES * most) {
            if (m.n < 4)
                m.node[m.n] = i;
            m.n++;
        }
    for (int g = net->n_globals - 1; g >= 0; g--)
        if (fabs(u[mrn_net_global_unknown(net, g)]) > MOVES * most)
            m.global = g;
    return m;
}

/* Writes after what is there, cut at the end. */
static void append(char what[64], const char *text)
{
    size_t used = strlen(what), more = strlen(text);
    more = more < 63 - used ? more : 63 - used;
    memcpy(what + used, text, more);
    what[used + more] = 0;
}

static void name_others(const mrn_net *net, const movers *m, char what[64])
{
    char text[64];
    if (m->n == 0 && m->global >= 0) {
        append(what, net->global[m->global].name);
        append(what, " alone");
        return;
    }
    if (m->n == 1)
        snprintf(text, sizeof text, "grain %d", net->body[m->node[0]]);
    else if (m->n <= 4)
        snprintf(text, sizeof text, "several grains: ");
    else
        snprintf(text, sizeof text, "several grains: %lld of them", (long long)m->n);
    append(what, text);
    for (int i = 0; m->n > 1 && m->n <= 4 && i < m->n; i++) {
        snprintf(text, sizeof text, "%s%d", i > 0 ? ", " : "", net->body[m->node[i]]);
        append(what, text);
    }
    if (m->global >= 0) {
        append(what, " with ");
        append(what, net->global[m->global].name);
    } else if (m->n == 1) {
        append(what, " alone");
    }
}

static void name_local(const mrn_net *net, const mrn_local *l, char what[64])
{
    int64_t nodes = (int64_t)net->n * net->dofs;
    char text[64];
    if (l->first >= nodes) {
        append(what, net->global[l->first - nodes].name);
        append(what, " is not held");
        return;
    }
    int body = net->body[l->first / net->dofs], d = (int)(l->first % net->dofs);
    if (l->kind == MRN_LOCAL_DIVALENT)
        snprintf(text, sizeof text, "grain %d turns between its two contacts", body);
    else if (d < net->dimension)
        snprintf(text, sizeof text, "grain %d is not held along %c", body, "xyz"[d]);
    else
        snprintf(text, sizeof text, "grain %d is free to turn about %c", body,
                 net->dimension == 2 ? 'z' : "xyz"[d - 3]);
    append(what, text);
}

/* ---- the list ---- */

static void finish(const mrn_net *net, const double *u, mrn_mechanism *m)
{
    movers found = find_movers(net, u);
    if (m->what[0] == 0)
        name_others(net, &found, m->what);
    m->u = u;
    m->share = net->n > 0 ? (double)found.n / (double)net->n : 0;
    m->second = second_order(net, u);
}

/* `others` columns of `basis`, then the local ones, then the motions of the whole. */
static mrn_status list_modes(const mrn_net *net, const mrn_known *k, int64_t others,
                             const double *basis, mrn_rigidity *out, mrn_message *msg)
{
    int64_t n = net->n_unknowns, count = out->hypostatic, at = others;
    mrn_status st = mrn_array(&out->modes, n * count, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_array(&out->mechanism, count, sizeof *out->mechanism, msg);
    if (st != MRN_OK)
        return st;
    if (others > 0)
        memcpy(out->modes, basis, (size_t)(n * others) * sizeof(double));
    for (int64_t l = 0; l < k->n_local; l++) {
        if (k->local[l].redundant)
            continue;
        mrn_local_vector(&k->local[l], out->modes + at * n);
        name_local(net, &k->local[l], out->mechanism[at++].what);
    }
    for (int c = 0; c < k->n_trivial; c++, at++) {
        memcpy(out->modes + at * n, k->trivial + c * n, (size_t)n * sizeof(double));
        memcpy(out->mechanism[at].what, k->what[c], sizeof k->what[c]);
        out->mechanism[at].trivial = true;
    }
    out->n_modes = (int)count;
    for (int64_t c = 0; c < count; c++)
        finish(net, out->modes + c * n, &out->mechanism[c]);
    return MRN_OK;
}

mrn_status mrn_rigidity_modes(const mrn_net *net, const mrn_sparse *g, const mrn_known *known,
                              int64_t columns, double *basis, double accuracy, mrn_rigidity *out,
                              mrn_message *msg)
{
    int64_t n = net->n_unknowns, others = out->hypostatic - known->dimension;
    for (int64_t c = 0; c < columns; c++)
        mrn_known_off(known, basis + c * n);
    int64_t found = mrn_orthonormalise(n, columns, basis, LEFT);
    if (found != others)
        return mrn_fail(msg, MRN_NOT_CONVERGED,
                        "of %lld mechanisms %lld are known beforehand, but the basis of the null "
                        "space has %lld beside them: the rank is not certain (smallest counted in "
                        "%.1e, largest counted out %.1e, tolerance %.1e)",
                        (long long)out->hypostatic, (long long)known->dimension, (long long)found,
                        out->smallest_in, out->largest_out, out->tolerance);
    mrn_status st = mrn_rigidity_split(net, g, known, others, basis, accuracy, msg);
    return st == MRN_OK ? list_modes(net, known, others, basis, out, msg) : st;
}
