/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An elastic network solved for any load and any imposed global. Unknowns are ordered as grains,
   then globals:

       [ K  L ] [u]   [F]
       [ Lᵀ C ] [q] = [Q]

   K is factorised once (or left to conjugate gradients) and Y = K⁻¹ L made; what the globals feel
   is the small matrix S = C - Lᵀ Y. With any of them imposed, the others follow from the part of S
   that is free, and the grains from u = K⁻¹ F - Y q: nothing is factorised again.

   K is singular as often as not. Motions that cost nothing and are known (elastic_held.c) are held
   by springs. Others, of several grains, show when the factorisation loses a pivot; a small
   multiple of the unit matrix is added then. Springs and shift are in what preconditions only:
   residuals are those of K itself, and corrections are solved for until these are small. A load
   that works on a motion that costs nothing cannot be balanced; its residual stays, and that is
   reported. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "linalg/jacobi.h"
#include "quasistatic/elastic.h"

#define TOLERANCE 1e-10
/* Eigenvalues of S below this part of the largest entry of C cost nothing. */
#define FREE_GLOBAL 1e-10

struct mrn_elastic {
    int dofs, dimension, n_globals;
    int32_t n;
    int64_t order;          /* unknowns of the grains                                            */
    int32_t *body;          /* of the nodes, for messages                                        */
    char (*name)[MRN_NAME]; /* of the globals                                              */
    mrn_sparse k;           /* K, lower triangle                                                 */
    double *border;         /* L: order x n_globals                                              */
    double *corner;         /* C: n_globals x n_globals                                          */
    double *y, *s;          /* Y, S                                                              */
    mrn_held held;
    mrn_llt factor;
    bool cg;
    double *inverse; /* cg: inverse diagonal blocks, dofs x dofs per node                  */
    double tolerance;
    double *r, *z, *room; /* order + n_globals each; 4 order (cg)                          */
    double *small;        /* dense work of the globals                                     */
    bool *is_free;
    mrn_elastic_facts facts;
};

/* ---- making ---- */

/* The border goes from the columns of the grains to arrays of its own; what is left closes up. */
static void split(mrn_elastic *e, mrn_sparse *all)
{
    int64_t to = 0, n = e->order;
    for (int64_t j = 0; j < n; j++) {
        int64_t from = all->start[j];
        all->start[j] = to;
        for (; from < all->start[j + 1]; from++) {
            int64_t row = all->row[from];
            if (row >= n)
                e->border[(row - n) * n + j] = all->value[from];
            else
                all->row[to] = row, all->value[to++] = all->value[from];
        }
    }
    for (int64_t g = 0; g < e->n_globals; g++)
        for (int64_t at = all->start[n + g]; at < all->start[n + g + 1]; at++) {
            int64_t h = all->row[at] - n;
            e->corner[g * e->n_globals + h] = e->corner[h * e->n_globals + g] = all->value[at];
        }
    all->start[n] = to;
    all->rows = all->cols = n;
    e->k = *all;
}

static mrn_status take_arrays(const mrn_net *net, mrn_elastic *e, mrn_message *msg)
{
    int64_t g = e->n_globals, all = e->order + g;
    const struct {
        void *p;
        int64_t n;
        size_t size;
    } want[] = {
        {&e->body, e->n, sizeof *e->body},
        {&e->name, g, sizeof *e->name},
        {&e->border, e->order * g, sizeof *e->border},
        {&e->corner, g * g, sizeof *e->corner},
        {&e->y, e->order * g, sizeof *e->y},
        {&e->s, g * g, sizeof *e->s},
        {&e->r, all, sizeof *e->r},
        {&e->z, all, sizeof *e->z},
        {&e->room, e->cg ? 4 * e->order : 0, sizeof *e->room},
        {&e->inverse, e->cg ? e->order * e->dofs : 0, sizeof *e->inverse},
        {&e->small, 2 * g * g + 2 * g, sizeof *e->small},
        {&e->is_free, g, sizeof *e->is_free},
    };
    mrn_status st = MRN_OK;
    for (size_t i = 0; i < sizeof want / sizeof *want && st == MRN_OK; i++)
        st = mrn_array(want[i].p, want[i].n, want[i].size, msg);
    if (st != MRN_OK)
        return st;
    if (e->n > 0)
        memcpy(e->body, net->body, (size_t)e->n * sizeof *e->body);
    for (int k = 0; k < g; k++)
        memcpy(e->name[k], net->global[k].name, MRN_NAME);
    return MRN_OK;
}

/* Block j of the preconditioner: inverse of the diagonal block with its springs. */
static void invert_block(const mrn_elastic *e, int32_t node, double *out)
{
    double a[MRN_NET_DOFS][2 * MRN_NET_DOFS] = {{0}};
    int n = e->dofs;
    for (int d = 0; d < n; d++) {
        const double *from = e->k.value + e->k.start[(int64_t)node * n + d];
        for (int r = d; r < n; r++)
            a[r][d] = a[d][r] = from[r - d];
        a[d][n + d] = 1;
    }
    for (int k = 0; k < n; k++) { /* positive definite: no pivoting */
        double pivot = a[k][k];
        for (int j = 0; j < 2 * n; j++)
            a[k][j] /= pivot;
        for (int i = 0; i < n; i++) {
            double s = i == k ? 0 : a[i][k];
            for (int j = 0; j < 2 * n; j++)
                a[i][j] -= s * a[k][j];
        }
    }
    for (int i = 0; i < n; i++)
        memcpy(out + i * n, &a[i][n], (size_t)n * sizeof *out);
}

static mrn_status no_factor(const mrn_elastic *e, bool geometric, mrn_message *msg)
{
    int64_t at = e->factor.bad_column;
    int body = at >= 0 && at < e->order ? (int)e->body[at / e->dofs] : -1;
    if (!geometric)
        return mrn_fail(msg, MRN_ERR_RANGE,
                        "the stiffness matrix is not positive (body %d): stiffnesses of contacts "
                        "must be positive and finite",
                        body);
    mrn_fail(msg, MRN_NOT_CONVERGED,
             "with its geometric part the stiffness matrix is not positive definite (body %d): the "
             "packing is not stable",
             body);
    mrn_fail_hint(msg, "leave the geometric part out, or see which motion is unstable");
    return MRN_NOT_CONVERGED;
}

/* A pivot that is lost tells of mechanisms of several grains; the shift that holds them must stand
   out from rounding and be far below the stiffness of true motions. */
static mrn_status factorise(mrn_elastic *e, bool geometric, mrn_message *msg)
{
    static const double shift[] = {0, 1e-11, 1e-9};
    mrn_status st = mrn_llt_make(&e->k, &e->factor, msg);
    bool done = false;
    for (int i = 0; i < 3 && st == MRN_OK && !done; i++) {
        st = mrn_llt_numeric(&e->factor, &e->k, shift[i] * e->held.spring, msg);
        done = st == MRN_OK;
        if (st == MRN_ERR_RANGE)
            st = MRN_OK;
    }
    return st == MRN_OK && !done ? no_factor(e, geometric, msg) : st;
}

static mrn_status prepare(mrn_elastic *e, bool geometric, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    if (e->order == 0)
        return MRN_OK;
    mrn_held_add(&e->held, &e->k);
    if (e->cg)
        for (int32_t i = 0; i < e->n; i++)
            invert_block(e, i, e->inverse + (int64_t)i * e->dofs * e->dofs);
    else
        st = factorise(e, geometric, msg);
    mrn_held_take_off(&e->held, &e->k);
    return st;
}

/* ---- products ---- */

static double dot(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void times_grains(void *user, const double *x, double *y)
{
    const mrn_elastic *e = user;
    mrn_sparse_times_symmetric(&e->k, x, y);
}

static void block_jacobi(void *user, const double *x, double *y)
{
    const mrn_elastic *e = user;
    int n = e->dofs;
#pragma omp parallel for schedule(static) if (e->n > 32768)
    for (int32_t i = 0; i < e->n; i++) {
        const double *a = e->inverse + (int64_t)i * n * n, *from = x + (int64_t)i * n;
        double *to = y + (int64_t)i * n;
        for (int r = 0; r < n; r++) {
            to[r] = 0;
            for (int c = 0; c < n; c++)
                to[r] += a[r * n + c] * from[c];
        }
    }
}

/* y = all of K times u. */
static void times(const mrn_elastic *e, const double *u, double *y)
{
    int64_t n = e->order;
    if (n > 0)
        mrn_sparse_times_symmetric(&e->k, u, y);
    for (int g = 0; g < e->n_globals; g++) {
        const double *l = e->border + g * n;
        double q = u[n + g], sum = 0;
        for (int64_t i = 0; i < n && q != 0; i++)
            y[i] += l[i] * q;
        sum = dot(n, l, u);
        for (int h = 0; h < e->n_globals; h++)
            sum += e->corner[g * e->n_globals + h] * u[n + h];
        y[n + g] = sum;
    }
}

/* ---- solving ---- */

/* x = K⁻¹ b of the grains, held; b is in equilibrium with what is held. `goal` for conjugate
   gradients, relative. */
static mrn_status solve_grains(mrn_elastic *e, const double *b, double goal, double *x,
                               mrn_message *msg)
{
    if (e->order == 0)
        return MRN_OK;
    if (!e->cg)
        return mrn_llt_solve(&e->factor, 1, b, x, msg);
    memset(x, 0, (size_t)e->order * sizeof *x);
    double most = 10000 + 50 * sqrt((double)e->order);
    mrn_cg_report report = mrn_cg(e->order, times_grains, block_jacobi, e, fmax(goal, 1e-14),
                                  (int)fmin(most, 1e6), b, x, e->room);
    e->facts.iterations += report.iterations;
    return MRN_OK;
}

/* Y and S. All columns at once where they can. */
static mrn_status make_border(mrn_elastic *e, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    int64_t n = e->order, g = e->n_globals, where;
    memcpy(e->y, e->border, (size_t)(n * g) * sizeof *e->y);
    for (int64_t k = 0; k < g; k++)
        mrn_held_project(&e->held, e->y + k * n, &where); /* nothing but rounding */
    if (!e->cg && n > 0 && g > 0)
        st = mrn_llt_solve(&e->factor, (int)g, e->y, e->y, msg);
    for (int64_t k = 0; k < g && e->cg && st == MRN_OK; k++) {
        memcpy(e->z, e->y + k * n, (size_t)n * sizeof *e->z);
        st = solve_grains(e, e->z, 0.01 * e->tolerance, e->y + k * n, msg);
    }
    for (int64_t i = 0; i < g && st == MRN_OK; i++)
        for (int64_t j = 0; j <= i; j++) {
            double s = e->corner[i * g + j] - 0.5 * (dot(n, e->border + i * n, e->y + j * n) +
                                                     dot(n, e->border + j * n, e->y + i * n));
            e->s[i * g + j] = e->s[j * g + i] = s;
        }
    return st;
}

/* q of the free globals from their part of S, by its eigenvectors; what S does not resist stays at
   0. Takes and gives q in the places of the free ones; those imposed must be 0. */
static void solve_globals(mrn_elastic *e, double *q)
{
    int g = e->n_globals, n = 0;
    double *a = e->small, *v = a + g * g, *b = v + g * g, *x = b + g, top = 0;
    for (int i = 0; i < g; i++) {
        top = fmax(top, fabs(e->corner[i * g + i]));
        if (!e->is_free[i])
            continue;
        int m = 0;
        for (int j = 0; j < g; j++)
            if (e->is_free[j])
                x[m++] = e->s[i * g + j];
        memcpy(v + n * g, x, (size_t)m * sizeof *x); /* rows, g apart for now */
        b[n++] = q[i];
    }
    for (int i = 0; i < n; i++)
        memcpy(a + i * n, v + i * g, (size_t)n * sizeof *a);
    mrn_jacobi_eigen(n, a, v);
    for (int i = 0; i < n; i++)
        x[i] = 0;
    for (int k = 0; k < n; k++) {
        double along = 0, lambda = a[k * n + k];
        for (int i = 0; i < n; i++)
            along += v[i * n + k] * b[i];
        for (int i = 0; i < n && lambda > FREE_GLOBAL * top; i++)
            x[i] += v[i * n + k] * along / lambda;
    }
    for (int i = g - 1; i >= 0; i--)
        q[i] = e->is_free[i] ? x[--n] : 0;
}

/* One elimination: z = what the load r asks for. r of imposed globals is 0. */
static mrn_status correct(mrn_elastic *e, double goal, double *z, mrn_message *msg)
{
    int64_t n = e->order;
    mrn_status st = solve_grains(e, e->r, goal, z, msg);
    if (st != MRN_OK)
        return st;
    for (int g = 0; g < e->n_globals; g++)
        z[n + g] = e->is_free[g] ? e->r[n + g] - dot(n, e->border + g * n, z) : 0;
    solve_globals(e, z + n);
    for (int g = 0; g < e->n_globals; g++) {
        const double *y = e->y + g * n;
        double q = z[n + g];
        for (int64_t i = 0; i < n && q != 0; i++)
            z[i] -= y[i] * q;
    }
    return MRN_OK;
}

/* r = force - K u where free. Returns the size of what is balanced there: that of the force where
   free and of K u. */
static double residual(mrn_elastic *e, const double *force, const double *u)
{
    int64_t n = e->order;
    times(e, u, e->r);
    double sum = dot(n + e->n_globals, e->r, e->r) + dot(n, force, force);
    for (int64_t i = 0; i < n; i++)
        e->r[i] = force[i] - e->r[i];
    for (int g = 0; g < e->n_globals; g++) {
        sum += e->is_free[g] ? force[n + g] * force[n + g] : 0;
        e->r[n + g] = e->is_free[g] ? force[n + g] - e->r[n + g] : 0;
    }
    return sqrt(sum);
}

/* Where imposed globals carry the grains when there is no load: -Y q. */
static void follow(const mrn_elastic *e, double *u)
{
    int64_t n = e->order;
    for (int g = 0; g < e->n_globals; g++) {
        const double *y = e->y + g * n;
        double q = u[n + g];
        for (int64_t i = 0; i < n && q != 0; i++)
            u[i] -= y[i] * q;
    }
}

/* ---- words ---- */

/* What the part of a load that rigid motions feel (of size `part`) does to the whole. */
static void name_rigid(const mrn_elastic *e, const double *force, double part, char *out,
                       size_t size)
{
    double sum[3] = {0};
    for (int32_t i = 0; i < e->n; i++)
        for (int d = 0; d < e->dimension; d++)
            sum[d] += force[(int64_t)i * e->dofs + d];
    double total = sqrt(dot(3, sum, sum));
    if (total * total > 0.25 * part * part * e->n)
        snprintf(out, size, "pushes it along (%.3g, %.3g, %.3g)", sum[0] / total, sum[1] / total,
                 sum[2] / total);
    else
        snprintf(out, size, "turns it");
}

static mrn_status works_on_held(const mrn_elastic *e, const double *force, int64_t where,
                                double held, double size, mrn_message *msg)
{
    char how[96];
    if (where >= 0) {
        mrn_fail(msg, MRN_NOT_CONVERGED,
                 "the load moves body %d in a way that its contacts leave free (%.2g of the load)",
                 (int)e->body[where], held / size);
        mrn_fail_hint(msg, "a grain with too few contacts bears no such load: leave it out");
        return MRN_NOT_CONVERGED;
    }
    name_rigid(e, force, held, how, sizeof how);
    mrn_fail(msg, MRN_NOT_CONVERGED,
             "nothing holds the packing as a whole, and the load %s (%.2g of the load)", how,
             held / size);
    mrn_fail_hint(msg, "loads on a packing without a ground must balance");
    return MRN_NOT_CONVERGED;
}

/* From the residual: what no displacement balances is the load's part along the mechanism. */
static mrn_status works_on_mechanism(const mrn_elastic *e, double left, mrn_message *msg)
{
    int64_t n = e->order;
    int32_t body = -1;
    int global = -1;
    double top = 0, most = 0;
    for (int32_t i = 0; i < e->n; i++) {
        const double *r = e->r + (int64_t)i * e->dofs;
        double size = dot(e->dofs, r, r);
        if (size > top)
            top = size, body = e->body[i];
    }
    for (int g = 0; g < e->n_globals; g++)
        if (e->is_free[g] && fabs(e->r[n + g]) > most)
            most = fabs(e->r[n + g]), global = g;
    if (global >= 0 && most * most > 0.5 * dot(n + e->n_globals, e->r, e->r)) {
        mrn_fail(msg, MRN_NOT_CONVERGED,
                 "nothing resists %s, and the load works on it (%.2g of it "
                 "is not balanced)",
                 e->name[global], left);
        return MRN_NOT_CONVERGED;
    }
    mrn_fail(msg, MRN_NOT_CONVERGED,
             "the load works on a motion that costs nothing, or nearly so: %.2g of it is not "
             "balanced; body %d moves most",
             left, (int)body);
    mrn_fail_hint(msg, "see the mechanisms of the network");
    return MRN_NOT_CONVERGED;
}

/* ---- the interface ---- */

mrn_status mrn_elastic_make(const mrn_net *net, const mrn_elastic_options *opt, mrn_elastic **out,
                            mrn_message *msg)
{
    mrn_elastic *e = *out = mrn_alloc(sizeof *e);
    if (e == NULL)
        return mrn_fail_memory(msg);
    e->dofs = net->dofs, e->dimension = net->dimension, e->n = net->n;
    e->n_globals = net->n_globals;
    e->order = mrn_net_global_unknown(net, 0);
    e->cg = opt != NULL && opt->cg;
    e->tolerance = opt != NULL && opt->tolerance > 0 ? opt->tolerance : TOLERANCE;
    bool geometric = opt != NULL && opt->geometric;
    double began = mrn_clock();
    mrn_sparse all = {0};
    mrn_status st = mrn_net_stiffness_matrix(net, &(mrn_stiffness_options){.geometric = geometric},
                                             NULL, &all, msg);
    if (st == MRN_OK)
        st = take_arrays(net, e, msg);
    if (st == MRN_OK)
        split(e, &all);
    else
        mrn_sparse_release(&all);
    if (st == MRN_OK)
        st = mrn_held_find(net, &e->k, &e->held, msg);
    double assembled = mrn_clock();
    if (st == MRN_OK)
        st = prepare(e, geometric, msg);
    if (st == MRN_OK)
        st = make_border(e, msg);
    e->facts = (mrn_elastic_facts){.unknowns = net->n_unknowns,
                                   .fill = e->factor.fill,
                                   .flops = e->factor.flops,
                                   .seconds_assembly = assembled - began,
                                   .seconds_factor = mrn_clock() - assembled,
                                   .held = e->held.n_local + e->held.n_rigid};
    e->facts.bytes = e->factor.bytes;
    if (st == MRN_OK)
        e->facts.bytes += (double)(e->k.start[e->order] * 16 + e->order * e->n_globals * 16);
    if (st != MRN_OK)
        mrn_elastic_release(out);
    return st;
}

void mrn_elastic_release(mrn_elastic **out)
{
    mrn_elastic *e = *out;
    if (e == NULL)
        return;
    mrn_sparse_release(&e->k);
    mrn_held_release(&e->held);
    mrn_llt_release(&e->factor);
    mrn_free(e->body);
    mrn_free(e->name);
    mrn_free(e->border);
    mrn_free(e->corner);
    mrn_free(e->y);
    mrn_free(e->s);
    mrn_free(e->inverse);
    mrn_free(e->r);
    mrn_free(e->z);
    mrn_free(e->room);
    mrn_free(e->small);
    mrn_free(e->is_free);
    mrn_free(e);
    *out = NULL;
}

/* Corrections until the residual is small against `size`, or falls no more; *left is what it is
   then. Parts of the load along what is held (`held`, at `where`) are left out and reported of. */
static mrn_status refine(mrn_elastic *e, const double *force, double size, double *u, double *left,
                         double *held, int64_t *where, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    int64_t all = e->order + e->n_globals, place;
    *held = mrn_held_project(&e->held, e->r, where);
    double now = sqrt(dot(all, e->r, e->r)), before = INFINITY, goal = e->tolerance * size;
    int rounds = 0;
    while (st == MRN_OK && now > goal && now < 0.7 * before && rounds < 100) {
        st = correct(e, 0.3 * goal / now, e->z, msg);
        for (int64_t i = 0; i < all && st == MRN_OK; i++)
            u[i] += e->z[i];
        before = now;
        residual(e, force, u);
        mrn_held_project(&e->held, e->r, &place);
        now = sqrt(dot(all, e->r, e->r));
        rounds++;
    }
    if (!e->cg)
        e->facts.iterations = rounds;
    *left = now;
    e->facts.residual = sqrt(now * now + *held * *held) / size;
    return st;
}

mrn_status mrn_elastic_solve(mrn_elastic *e, const double *force, const bool *imposed, double *u,
                             double *reaction, mrn_message *msg)
{
    double began = mrn_clock(), left = 0, held = 0;
    int64_t n = e->order, where = -1;
    e->facts.iterations = 0, e->facts.residual = 0;
    memset(u, 0, (size_t)n * sizeof *u);
    for (int g = 0; g < e->n_globals; g++) {
        e->is_free[g] = imposed == NULL || !imposed[g];
        u[n + g] = e->is_free[g] ? 0 : u[n + g];
    }
    double size = residual(e, force, u);
    mrn_status st = MRN_OK;
    if (!isfinite(size))
        st = mrn_fail(msg, MRN_ERR_RANGE, "the load is not finite");
    if (st == MRN_OK && size > 0) {
        follow(e, u);
        residual(e, force, u);
        st = refine(e, force, size, u, &left, &held, &where, msg);
    }
    if (st < MRN_OK)
        return st;
    mrn_held_centre(&e->held, u);
    if (held > e->tolerance * size)
        st = works_on_held(e, force, where, held, size, msg);
    else if (!(left <= e->tolerance * size))
        st = works_on_mechanism(e, left / size, msg);
    if (reaction != NULL) {
        times(e, u, e->r);
        for (int g = 0; g < e->n_globals; g++)
            reaction[g] = e->r[n + g];
    }
    e->facts.seconds_solve = mrn_clock() - began;
    return st;
}

mrn_elastic_facts mrn_elastic_facts_of(const mrn_elastic *e)
{
    return e->facts;
}
