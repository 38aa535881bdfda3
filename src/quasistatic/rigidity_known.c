/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mechanisms that are known before any linear algebra: motions of the whole, spheres between two
   contacts, unknowns that no contact feels. Each is looked at with G before it is believed. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "quasistatic/rigidity.h"

/* Relative to the largest column of G: what is below comes from rounding in normals and centres
   (some 1e-16), what is above is a contact that resists. */
#define NO_COLUMN 1e-14
#define NO_MOTION 1e-9
/* Rest of a unit vector off those before it, below which it is one of their span. */
#define DEPENDENT 1e-6

static double dot(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double column_norm(const mrn_sparse *g, int64_t j)
{
    int64_t at = g->start[j];
    return sqrt(dot(g->start[j + 1] - at, g->value + at, g->value + at));
}

static mrn_status add_local(mrn_known *k, mrn_local_kind kind, int64_t first, int n,
                            const double *u, mrn_message *msg)
{
    if (mrn_grow(&k->local, &k->capacity, k->n_local + 1, sizeof *k->local) != MRN_OK)
        return mrn_fail_memory(msg);
    mrn_local *l = &k->local[k->n_local++];
    *l = (mrn_local){.kind = kind, .first = first, .n = n};
    memcpy(l->u, u, (size_t)n * sizeof *u);
    return MRN_OK;
}

static mrn_status find_free(const mrn_sparse *g, mrn_known *k, mrn_message *msg)
{
    const double one = 1;
    mrn_status st = MRN_OK;
    for (int64_t j = 0; j < g->cols; j++)
        k->column = fmax(k->column, column_norm(g, j));
    for (int64_t j = 0; st == MRN_OK && j < g->cols; j++)
        if (column_norm(g, j) <= NO_COLUMN * k->column)
            st = add_local(k, MRN_LOCAL_FREE, j, 1, &one, msg);
    return st;
}

/* |G u| of a local motion; `rows` is zeroed, and left so. */
static double local_work(const mrn_sparse *g, const mrn_local *l, double *rows)
{
    double sum = 0;
    for (int d = 0; d < l->n; d++)
        for (int64_t e = g->start[l->first + d]; e < g->start[l->first + d + 1]; e++)
            rows[g->row[e]] += g->value[e] * l->u[d];
    for (int d = 0; d < l->n; d++)
        for (int64_t e = g->start[l->first + d]; e < g->start[l->first + d + 1]; e++) {
            sum += rows[g->row[e]] * rows[g->row[e]];
            rows[g->row[e]] = 0;
        }
    return sqrt(sum);
}

/* A sphere with an unknown that is free already has nothing to add: its rotations are free
   altogether where friction is missing. */
static bool has_free(const mrn_known *k, const mrn_sparse *g, int64_t first, int n)
{
    for (int d = 0; d < n; d++)
        if (column_norm(g, first + d) <= NO_COLUMN * k->column)
            return true;
    return false;
}

static mrn_status add_divalent(const mrn_net *net, const mrn_sparse *g, const int64_t *start,
                               const int64_t *list, double *rows, mrn_known *k, mrn_message *msg)
{
    for (int32_t i = 0; i < net->n; i++) {
        double u[6] = {0};
        int64_t first = mrn_net_unknown(net, i, 0);
        if (has_free(k, g, first, 6) ||
            !mrn_net_divalent(net, i, list + start[i], (int)(start[i + 1] - start[i]), u))
            continue;
        mrn_status st = add_local(k, MRN_LOCAL_DIVALENT, first, 6, u, msg);
        if (st != MRN_OK)
            return st;
        if (local_work(g, &k->local[k->n_local - 1], rows) > NO_MOTION * k->column)
            k->n_local--; /* something else holds it: resistance to rolling or pivoting */
        else
            k->divalent++;
    }
    return MRN_OK;
}

static mrn_status find_divalent(const mrn_net *net, const mrn_sparse *g, mrn_known *k,
                                mrn_message *msg)
{
    int64_t *start = NULL, *list = NULL;
    double *rows = NULL;
    if (net->dimension != 3 || !net->rotations)
        return MRN_OK;
    mrn_status st = mrn_net_incidence(net, &start, &list, msg);
    if (st == MRN_OK)
        st = mrn_array(&rows, g->rows, sizeof *rows, msg);
    if (st == MRN_OK)
        st = add_divalent(net, g, start, list, rows, k, msg);
    mrn_free(start);
    mrn_free(list);
    mrn_free(rows);
    return st;
}

/* ---- motions of the whole ---- */

/* Keeps those of `count` vectors that G does not feel and that are independent. */
static void keep_trivial(const mrn_sparse *g, int count, char (*what)[64], double *rows,
                         double *rest, mrn_known *k)
{
    int64_t n = k->n_unknowns;
    int kept = 0;
    for (int c = 0; c < count; c++) {
        const double *u = k->trivial + c * n;
        double size = sqrt(dot(n, u, u));
        if (!(size > 0.5) || !isfinite(size)) /* a rotation of one point: no motion at all */
            continue;
        mrn_sparse_times(g, u, rows);
        double *r = rest + kept * n;
        memcpy(r, u, (size_t)n * sizeof *r);
        for (int pass = 0; pass < 2; pass++)
            for (int b = 0; b < kept; b++) {
                double part = dot(n, rest + b * n, r);
                for (int64_t i = 0; i < n; i++)
                    r[i] -= part * rest[b * n + i];
            }
        double left = sqrt(dot(n, r, r));
        if (sqrt(dot(g->rows, rows, rows)) > NO_MOTION * k->column || left <= DEPENDENT * size)
            continue;
        for (int64_t i = 0; i < n; i++)
            r[i] /= left;
        memmove(k->trivial + kept * n, u, (size_t)n * sizeof *u);
        memcpy(k->what[kept++], what[c], sizeof k->what[0]);
    }
    k->n_trivial = kept;
}

static mrn_status find_trivial(const mrn_net *net, const mrn_sparse *g, mrn_known *k,
                               mrn_message *msg)
{
    char what[MRN_RIGID_MOTIONS][64] = {{0}};
    double *rows = NULL, *rest = NULL;
    int64_t room = MRN_RIGID_MOTIONS * k->n_unknowns;
    mrn_status st = mrn_array(&k->trivial, room, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_array(&rest, room, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_array(&rows, g->rows, sizeof(double), msg);
    if (st == MRN_OK && net->n > 0)
        keep_trivial(g, mrn_net_rigid_motions(net, k->trivial, what), what, rows, rest, k);
    mrn_free(rows);
    mrn_free(rest);
    return st;
}

static double along_local(const mrn_local *l, const double *v)
{
    double sum = 0;
    for (int d = 0; d < l->n; d++)
        sum += l->u[d] * v[l->first + d];
    return sum;
}

/* A combination of motions of the whole that local ones make up: one of these is redundant, or,
   where it is a sphere that turns between two contacts, the motion of the whole is (true). The
   local one is eliminated from the other such combinations, so that each finds another one. */
static bool mark_redundant(mrn_known *k, double *full, int c, const bool *left_over)
{
    int64_t n = k->n_unknowns, best = -1;
    double most = 0;
    for (int64_t l = 0; l < k->n_local; l++) {
        double part = fabs(along_local(&k->local[l], full + c * n));
        if (!k->local[l].redundant && part > most)
            most = part, best = l;
    }
    if (best < 0)
        return false;
    bool divalent = k->local[best].kind == MRN_LOCAL_DIVALENT;
    k->local[best].redundant = !divalent;
    double pivot = along_local(&k->local[best], full + c * n);
    for (int o = 0; o < k->n_trivial; o++) {
        if (o == c || !left_over[o])
            continue;
        double ratio = along_local(&k->local[best], full + o * n) / pivot;
        for (int64_t i = 0; i < n; i++)
            full[o * n + i] -= ratio * full[c * n + i];
    }
    return divalent;
}

/* The motions of the whole without those that are redundant. */
static void drop_trivial(mrn_known *k, const bool *drop)
{
    int64_t n = k->n_unknowns;
    int kept = 0;
    for (int c = 0; c < k->n_trivial; c++) {
        if (drop[c])
            continue;
        memmove(k->trivial + kept * n, k->trivial + c * n, (size_t)n * sizeof *k->trivial);
        memmove(k->what[kept++], k->what[c], sizeof k->what[0]);
    }
    k->n_trivial = kept;
}

/* The one with the largest rest of those not done; -1: none has any. */
static int largest_rest(const mrn_known *k, const bool *done, double *size)
{
    int64_t n = k->n_unknowns;
    int best = -1;
    *size = DEPENDENT;
    for (int c = 0; c < k->n_trivial; c++) {
        double rest = done[c] ? 0 : sqrt(dot(n, k->apart + c * n, k->apart + c * n));
        if (rest > *size)
            *size = rest, best = c;
    }
    return best;
}

static void take_off(int64_t n, double part, const double *a, double *from)
{
    for (int64_t i = 0; i < n; i++)
        from[i] -= part * a[i];
}

/* Gram-Schmidt, the largest rest first, on the motions of the whole less their local parts. What is
   done to them is done to the motions themselves (`full`): those whose rest vanishes end as
   combinations that local motions make up. */
static void orthonormal_rests(const mrn_known *k, double *full, bool *done)
{
    int64_t n = k->n_unknowns;
    double *v = k->apart, size;
    for (int best; (best = largest_rest(k, done, &size)) >= 0;) {
        done[best] = true;
        for (int64_t i = 0; i < n; i++)
            v[best * n + i] /= size, full[best * n + i] /= size;
        for (int c = 0; c < k->n_trivial; c++) {
            double part = done[c] ? 0 : dot(n, v + best * n, v + c * n);
            if (done[c])
                continue;
            take_off(n, part, v + best * n, v + c * n);
            take_off(n, part, full + best * n, full + c * n);
        }
    }
}

static void part_trivial(mrn_known *k, double *full)
{
    int64_t n = k->n_unknowns;
    size_t bytes = (size_t)n * sizeof(double);
    bool done[MRN_RIGID_MOTIONS] = {false}, left_over[MRN_RIGID_MOTIONS];
    bool drop[MRN_RIGID_MOTIONS] = {false};
    for (int c = 0; c < k->n_trivial; c++) {
        memcpy(k->apart + c * n, k->trivial + c * n, bytes);
        memcpy(full + c * n, k->trivial + c * n, bytes);
        mrn_known_off_local(k, k->apart + c * n);
    }
    orthonormal_rests(k, full, done);
    for (int c = 0; c < k->n_trivial; c++)
        left_over[c] = !done[c];
    for (int c = 0; c < k->n_trivial; c++)
        if (left_over[c])
            drop[c] = mark_redundant(k, full, c, left_over);
        else
            memmove(k->apart + k->n_apart++ * n, k->apart + c * n, bytes);
    drop_trivial(k, drop);
}

static mrn_status separate(mrn_known *k, mrn_message *msg)
{
    double *full = NULL;
    int64_t room = k->n_trivial * k->n_unknowns;
    mrn_status st = mrn_array(&k->apart, room, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_array(&full, room, sizeof(double), msg);
    if (st == MRN_OK)
        part_trivial(k, full);
    mrn_free(full);
    k->dimension = k->n_local + k->n_apart;
    return st;
}

mrn_status mrn_known_make(const mrn_net *net, const mrn_sparse *g, mrn_known *out, mrn_message *msg)
{
    *out = (mrn_known){.n_unknowns = net->n_unknowns};
    mrn_status st = find_free(g, out, msg);
    if (st == MRN_OK)
        st = find_divalent(net, g, out, msg);
    if (st == MRN_OK)
        st = find_trivial(net, g, out, msg);
    if (st == MRN_OK)
        st = separate(out, msg);
    if (st != MRN_OK)
        mrn_known_release(out);
    return st;
}

void mrn_known_release(mrn_known *k)
{
    mrn_free(k->local);
    mrn_free(k->trivial);
    mrn_free(k->apart);
    *k = (mrn_known){0};
}

void mrn_known_off_local(const mrn_known *k, double *v)
{
    for (int64_t l = 0; l < k->n_local; l++) {
        const mrn_local *m = &k->local[l];
        double part = along_local(m, v);
        for (int d = 0; d < m->n; d++)
            v[m->first + d] -= part * m->u[d];
    }
}

void mrn_known_off(const mrn_known *k, double *v)
{
    int64_t n = k->n_unknowns;
    mrn_known_off_local(k, v);
    for (int c = 0; c < k->n_apart; c++) {
        double part = dot(n, k->apart + c * n, v);
        for (int64_t i = 0; i < n; i++)
            v[i] -= part * k->apart[c * n + i];
    }
}

void mrn_local_vector(const mrn_local *l, double *u)
{
    for (int d = 0; d < l->n; d++)
        u[l->first + d] = l->u[d];
}
