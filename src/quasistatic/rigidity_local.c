/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mechanisms split into sets of grains that move independently. Where nothing moves between two
   sets of unknowns that are connected only through unknowns at rest, each set's part of a mechanism
   is a mechanism by itself. With the whole free to move as one body everything moves in vectors
   orthogonal to those motions; there the largest body of grains that move as one is put at rest
   first. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/small.h"
#include "quasistatic/rigidity.h"

#define LEFT 1e-4 /* see rigidity_modes.c */

typedef struct split {
    const mrn_net *net;
    const mrn_sparse *g;
    const mrn_known *known;
    int64_t n, columns;
    int64_t vertices; /* nodes, then globals */
    double *v, *to;   /* the vectors; their parts */
    double *piece;    /* rows of one set          */
    double *rows;     /* of G                     */
    double limit;     /* motions below are none   */
    int64_t *parent;  /* union-find               */
    int64_t *first;   /* per row: a vertex that moves it */
    int64_t *size;    /* per root                 */
} split;

static int64_t vertex_of(const split *s, int64_t unknown)
{
    int64_t nodes = (int64_t)s->net->n * s->net->dofs;
    return unknown < nodes ? unknown / s->net->dofs : s->net->n + unknown - nodes;
}

static int64_t root(int64_t *parent, int64_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* The smaller number leads: roots do not depend on the order of the pairs. */
static void unite(int64_t *parent, int64_t i, int64_t j)
{
    i = root(parent, i), j = root(parent, j);
    if (i < j)
        parent[j] = i;
    else
        parent[i] = j;
}

/* ---- the body that is put at rest ---- */

/* Combination of the motions of the whole closest to vector c on the nodes `from` to `to` that
   belong to `body` (-1: all). False: these nodes do not tell it. */
static bool fit(const split *s, int64_t c, int32_t from, int32_t to, int64_t body, double *a)
{
    int m = s->known->n_trivial, dofs = s->net->dofs;
    double normal[MRN_SMALL_MAX * MRN_SMALL_MAX] = {0}, inverse[MRN_SMALL_MAX * MRN_SMALL_MAX];
    double right[MRN_SMALL_MAX] = {0};
    for (int32_t i = from; i < to; i++) {
        if (body >= 0 && root(s->parent, i) != body)
            continue;
        for (int64_t j = (int64_t)i * dofs; j < (int64_t)(i + 1) * dofs; j++)
            for (int p = 0; p < m; p++) {
                double x = s->known->trivial[p * s->n + j];
                right[p] += x * s->v[c * s->n + j];
                for (int q = 0; q < m; q++)
                    normal[q * m + p] += x * s->known->trivial[q * s->n + j];
            }
    }
    bool mended = mrn_small_invert(m, m, normal, 1e-12, 1, inverse);
    for (int p = 0; p < m; p++) {
        a[p] = 0;
        for (int q = 0; q < m; q++)
            a[p] += inverse[q * m + p] * right[q];
    }
    return !mended;
}

/* Does node i move by the combination a, in vector c? */
static bool moves_by(const split *s, int64_t c, int32_t i, const double *a)
{
    int dofs = s->net->dofs;
    double sum = 0;
    for (int64_t j = (int64_t)i * dofs; j < (int64_t)(i + 1) * dofs; j++) {
        double rest = s->v[c * s->n + j];
        for (int p = 0; p < s->known->n_trivial; p++)
            rest -= a[p] * s->known->trivial[p * s->n + j];
        sum += rest * rest;
    }
    return sqrt(sum) <= s->limit;
}

static bool same_body(const split *s, int32_t i, int32_t j)
{
    double a[MRN_SMALL_MAX];
    for (int64_t c = 0; c < s->columns; c++)
        if (!fit(s, c, i, i + 1, -1, a) || !moves_by(s, c, i, a) || !moves_by(s, c, j, a))
            return false;
    return true;
}

/* Root of the largest body; -1: none has more than half of the nodes. */
static int64_t largest_body(split *s)
{
    const mrn_net *net = s->net;
    for (int64_t i = 0; i < s->vertices; i++)
        s->parent[i] = i, s->size[i] = 0;
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *c = &net->element[k];
        if (c->c >= 0 && c->a >= 0 && root(s->parent, c->c) != root(s->parent, c->a) &&
            same_body(s, c->c, c->a))
            unite(s->parent, c->c, c->a);
    }
    for (int32_t i = 0; i < net->n; i++)
        s->size[root(s->parent, i)]++;
    for (int32_t i = 0; i < net->n; i++)
        if (2 * s->size[i] > net->n)
            return i;
    return -1;
}

/* Leaves `to` with the vectors as they are seen from that body, orthonormal. */
static bool put_at_rest(split *s)
{
    int64_t n = s->n, body;
    memcpy(s->to, s->v, (size_t)(n * s->columns) * sizeof *s->to);
    if (s->known->n_trivial == 0 || (body = largest_body(s)) < 0)
        return true;
    for (int64_t c = 0; c < s->columns; c++) {
        double a[MRN_SMALL_MAX], *v = s->to + c * n;
        if (!fit(s, c, 0, s->net->n, body, a))
            return false;
        for (int p = 0; p < s->known->n_trivial; p++)
            for (int64_t i = 0; i < n; i++)
                v[i] -= a[p] * s->known->trivial[p * n + i];
        mrn_known_off_local(s->known, v);
    }
    return mrn_orthonormalise(n, s->columns, s->to, LEFT) == s->columns;
}

/* ---- sets ---- */

static void mark_moving(const split *s, bool *moving)
{
    for (int64_t i = 0; i < s->vertices; i++)
        moving[i] = false;
    for (int64_t c = 0; c < s->columns; c++)
        for (int64_t j = 0; j < s->n; j++)
            if (fabs(s->to[c * s->n + j]) > s->limit)
                moving[vertex_of(s, j)] = true;
}

/* Vertices that move and share a row of G are of one set. */
static void find_sets(split *s, const bool *moving)
{
    for (int64_t i = 0; i < s->vertices; i++)
        s->parent[i] = i;
    for (int64_t r = 0; r < s->g->rows; r++)
        s->first[r] = -1;
    for (int64_t j = 0; j < s->n; j++) {
        int64_t at = vertex_of(s, j);
        for (int64_t e = s->g->start[j]; moving[at] && e < s->g->start[j + 1]; e++) {
            int64_t *first = &s->first[s->g->row[e]];
            if (*first < 0)
                *first = at;
            else
                unite(s->parent, *first, at);
        }
    }
}

/* Unknowns of the set, to `list`. */
static int64_t unknowns_of(const split *s, int64_t set, const bool *moving, int64_t *list)
{
    int64_t n = 0;
    for (int64_t j = 0; j < s->n; j++) {
        int64_t at = vertex_of(s, j);
        if (moving[at] && root(s->parent, at) == set)
            list[n++] = j;
    }
    return n;
}

/* The parts of all vectors in one set, orthonormal, to columns `at` and on of v; how many. */
static int64_t part_of_set(split *s, int64_t members, const int64_t *list, int64_t at)
{
    for (int64_t c = 0; c < s->columns; c++)
        for (int64_t m = 0; m < members; m++)
            s->piece[c * members + m] = s->to[c * s->n + list[m]];
    int64_t found = mrn_orthonormalise(members, s->columns, s->piece, LEFT);
    for (int64_t c = 0; c < found && at + c < s->columns; c++) {
        double *v = s->v + (at + c) * s->n;
        memset(v, 0, (size_t)s->n * sizeof *v);
        for (int64_t m = 0; m < members; m++)
            v[list[m]] = s->piece[c * members + m];
    }
    return found;
}

static int64_t split_sets(split *s, const bool *moving, int64_t *list)
{
    int64_t at = 0;
    for (int64_t i = 0; i < s->vertices && at <= s->columns; i++)
        if (moving[i] && root(s->parent, i) == i)
            at += part_of_set(s, unknowns_of(s, i, moving, list), list, at);
    return at;
}

static bool all_mechanisms(const split *s, double most)
{
    for (int64_t c = 0; c < s->columns; c++) {
        double sum = 0;
        mrn_sparse_times(s->g, s->v + c * s->n, s->rows);
        for (int64_t r = 0; r < s->g->rows; r++)
            sum += s->rows[r] * s->rows[r];
        if (!(sqrt(sum) <= most))
            return false;
    }
    return true;
}

static mrn_status make(split *s, bool **moving, int64_t **list, double **keep, mrn_message *msg)
{
    int64_t numbers = s->n * s->columns;
    mrn_status st = mrn_array(&s->to, numbers, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_array(&s->piece, numbers, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_array(keep, numbers, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_array(&s->rows, s->g->rows, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_array(&s->first, s->g->rows, sizeof(int64_t), msg);
    if (st == MRN_OK)
        st = mrn_array(&s->parent, s->vertices, sizeof(int64_t), msg);
    if (st == MRN_OK)
        st = mrn_array(&s->size, s->vertices, sizeof(int64_t), msg);
    if (st == MRN_OK)
        st = mrn_array(moving, s->vertices, sizeof(bool), msg);
    return st == MRN_OK ? mrn_array(list, s->n, sizeof(int64_t), msg) : st;
}

mrn_status mrn_rigidity_split(const mrn_net *net, const mrn_sparse *g, const mrn_known *known,
                              int64_t columns, double *v, double accuracy, mrn_message *msg)
{
    split s = {
        .net = net, .g = g, .known = known, .n = net->n_unknowns, .columns = columns, .v = v};
    bool *moving = NULL;
    int64_t *list = NULL;
    double *keep = NULL;
    if (columns == 0)
        return MRN_OK;
    s.vertices = net->n + net->n_globals;
    s.limit = accuracy;
    mrn_status st = make(&s, &moving, &list, &keep, msg);
    size_t bytes = (size_t)(s.n * columns) * sizeof *v;
    if (st == MRN_OK) {
        memcpy(keep, v, bytes);
        bool good = put_at_rest(&s);
        if (good) {
            mark_moving(&s, moving);
            find_sets(&s, moving);
            good = split_sets(&s, moving, list) == columns &&
                   all_mechanisms(&s, 100 * accuracy * known->column);
        }
        if (!good) /* motions that fade away and never end: one set after all */
            memcpy(v, keep, bytes);
    }
    void *all[] = {s.to, s.piece, s.rows, s.first, s.parent, s.size, moving, list, keep};
    for (int k = 0; k < 9; k++)
        mrn_free(all[k]);
    return st;
}
