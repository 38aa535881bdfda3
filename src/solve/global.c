/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The problem uncondensed: velocities of the bodies are the unknowns, as in finite elements, and
   impulses follow from them. With multipliers r the impulse of a contact is Alart and Curnier's
   augmented one,

       R(v):   R_N = max(0, r_N - rho u_N),   R_T = r_T - rho u_T cut at mu R_N,   u = Ht v + q,

   v is what M v = H R(v) leaves, by Newton's method with the matrix 1 + M⁻¹ H (-dR/du) Ht of all
   bodies, which has no zero pivot however many contacts share them; then r = R(v), and so on
   (Alart & Curnier 1991, the method of multipliers). v counts from the free velocity. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/block_lu.h"
#include "solve/newton.h"
#include "solve/solvers.h"

enum { OPT_PENALTY, OPT_STEPS };
static const mrn_param params[] = {
    [OPT_PENALTY] = {.name = "penalty",
                     .symbol = "rho",
                     .kind = MRN_P_NUMBER,
                     .unit = "1",
                     .min = 0,
                     .min_open = true,
                     .max = 1e8,
                     .fallback = 100,
                     .doc =
                         "rho of a contact over the inverse of its diagonal of W: larger ones "
                         "need fewer multipliers and more of Newton's steps for each, which from "
                         "some hundred on lose their way."},
    [OPT_STEPS] = {.name = "steps",
                   .kind = MRN_P_NUMBER,
                   .unit = "count",
                   .min = 1,
                   .max = 1000,
                   .fallback = 20,
                   .doc = "Newton's steps for one set of multipliers, at most."},
};

enum { DOF = 6, B = MRN_NEWTON_BLOCK };

typedef struct global {
    mrn_system *s;
    mrn_newton_contact *contact;
    int64_t *start; /* n_bodies + 1: bodies that share a contact with a body, itself left out */
    int32_t *col;
    double *diag, *off; /* dof * dof each                           */
    double *v, *trial, *g, *step, *R, *u;
    mrn_block_lu lu;
} global;

/* ---- which bodies share contacts ---- */

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static void count_partners(const mrn_system *s, int64_t *start)
{
    for (int i = 0; i < s->n; i++)
        for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++)
            start[s->body[k] + 1] += s->body_start[i + 1] - s->body_start[i] - 1;
    for (int b = 0; b < s->n_bodies; b++)
        start[b + 1] += start[b];
}

static void list_partners(const mrn_system *s, const int64_t *start, int64_t *at, int32_t *col)
{
    memcpy(at, start, (size_t)s->n_bodies * sizeof *at);
    for (int i = 0; i < s->n; i++)
        for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++)
            for (int64_t m = s->body_start[i]; m < s->body_start[i + 1]; m++)
                if (m != k)
                    col[at[s->body[k]]++] = s->body[m];
}

/* Sorts rows and leaves one of each. */
static void thin_out(int n, int64_t *start, int32_t *col)
{
    int64_t to = 0, from = 0;
    for (int b = 0; b < n; b++) {
        int64_t end = start[b + 1], first = to;
        qsort(col + from, (size_t)(end - from), sizeof *col, by_number);
        for (int64_t k = from; k < end; k++)
            if (to == first || col[to - 1] != col[k])
                col[to++] = col[k];
        from = end;
        start[b + 1] = to;
    }
}

static mrn_status make_pattern(global *g, mrn_message *msg)
{
    mrn_system *s = g->s;
    g->start = mrn_work(s->work, (int64_t)s->n_bodies + 1, sizeof *g->start);
    int64_t *at = mrn_work(s->work, (int64_t)s->n_bodies + 1, sizeof *at);
    if (g->start == NULL || at == NULL)
        return mrn_fail_memory(msg);
    count_partners(s, g->start);
    g->col = mrn_work(s->work, g->start[s->n_bodies] + 1, sizeof *g->col);
    if (g->col == NULL)
        return mrn_fail_memory(msg);
    list_partners(s, g->start, at, g->col);
    thin_out(s->n_bodies, g->start, g->col);
    return mrn_block_lu_make(s->n_bodies, s->dof, g->start, g->col, &g->lu, msg);
}

static mrn_status make(mrn_system *s, double penalty, global *g, mrn_message *msg)
{
    int64_t bodies = (int64_t)s->n_bodies * s->dof,
            numbers = (int64_t)s->n * s->b + MRN_BSR_PADDING;
    mrn_newton_memory m;
    *g = (global){.s = s};
    mrn_status st = mrn_newton_make(s, &m, msg);
    if (st == MRN_OK)
        st = make_pattern(g, msg);
    if (st != MRN_OK)
        return st;
    g->contact = m.contact;
    for (int i = 0; i < s->n; i++) {
        g->contact[i].rho_n *= penalty;
        g->contact[i].rho_t *= penalty;
    }
    g->diag = mrn_work(s->work, bodies * s->dof, sizeof(double));
    g->off = mrn_work(s->work, g->start[s->n_bodies] * s->dof * s->dof + 1, sizeof(double));
    double **of_bodies[] = {&g->v, &g->trial, &g->g, &g->step};
    double **of_contacts[] = {&g->R, &g->u};
    bool got = g->diag != NULL && g->off != NULL;
    for (int k = 0; got && k < 4; k++)
        got = (*of_bodies[k] = mrn_work(s->work, bodies + 1, sizeof(double))) != NULL;
    for (int k = 0; got && k < 2; k++)
        got = (*of_contacts[k] = mrn_work(s->work, numbers, sizeof(double))) != NULL;
    return got ? MRN_OK : mrn_fail_memory(msg);
}

/* ---- impulses and the balance of bodies ---- */

/* u of contact i at velocities v */
static void velocity_at(const mrn_system *s, int i, const double *v, double *u)
{
    int b = s->b, dof = s->dof;
    for (int c = 0; c < b; c++)
        u[c] = s->q[(int64_t)i * b + c];
    for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++) {
        const double *h = s->ht + k * b * dof, *vb = v + (int64_t)s->body[k] * dof;
        for (int d = 0; d < dof; d++)
            for (int c = 0; c < b; c++)
                u[c] += h[d * b + c] * vb[d];
    }
}

/* G = v - M⁻¹ H R(v) into `out`, R into g->R; returns |G|². */
static double balance(global *g, const double *r, const double *v, double *out)
{
    mrn_system *s = g->s;
    int b = s->b;
    for (int i = 0; i < s->n; i++) {
        double u[B], f[B];
        velocity_at(s, i, v, u);
        mrn_newton_evaluate(MRN_MAP_ALART_CURNIER, &g->contact[i], r + (int64_t)i * b, u, f, NULL,
                            NULL);
        for (int c = 0; c < b; c++)
            g->R[(int64_t)i * b + c] = r[(int64_t)i * b + c] - f[c];
    }
    mrn_system_push(s, g->R, out);
    double sum = 0;
    for (int64_t k = 0; k < (int64_t)s->n_bodies * s->dof; k++) {
        out[k] = v[k] - out[k];
        sum += out[k] * out[k];
    }
    return sum;
}

/* to += left of body a (minv hᵀ) times c times h of body m */
static void add_block(const mrn_system *s, int64_t k, int64_t m, const double *c, double *to)
{
    int b = s->b, dof = s->dof;
    const double *ha = s->ht + k * b * dof, *hm = s->ht + m * b * dof;
    const double *minv = s->minv + (int64_t)s->body[k] * dof * dof;
    double push[DOF * B] = {0}, left[DOF * B] = {0};
    for (int d = 0; d < dof; d++) /* haᵀ c */
        for (int l = 0; l < b; l++)
            for (int j = 0; j < b; j++)
                push[l * dof + d] += ha[d * b + j] * c[l * b + j];
    for (int l = 0; l < b; l++)
        for (int e = 0; e < dof; e++)
            for (int d = 0; d < dof; d++)
                left[l * dof + d] += minv[e * dof + d] * push[l * dof + e];
    for (int e = 0; e < dof; e++)
        for (int l = 0; l < b; l++)
            for (int d = 0; d < dof; d++)
                to[e * dof + d] += left[l * dof + d] * hm[e * b + l];
}

static double *block_at(const global *g, int32_t row, int32_t column)
{
    int64_t lo = g->start[row], hi = g->start[row + 1] - 1, size = (int64_t)g->s->dof * g->s->dof;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (g->col[mid] < column)
            lo = mid + 1;
        else
            hi = mid;
    }
    return g->off + lo * size;
}

/* 1 + M⁻¹ H C Ht, C = dF/du = -dR/du */
static void linearise(global *g, const double *r, const double *v)
{
    mrn_system *s = g->s;
    int b = s->b, dof = s->dof;
    size_t size = (size_t)dof * (size_t)dof;
    memset(g->diag, 0, (size_t)s->n_bodies * size * sizeof(double));
    memset(g->off, 0, (size_t)g->start[s->n_bodies] * size * sizeof(double));
    for (int64_t k = 0; k < s->n_bodies; k++)
        for (int d = 0; d < dof; d++)
            g->diag[k * (int64_t)size + d * dof + d] = 1;
    for (int i = 0; i < s->n; i++) {
        double u[B], f[B], a[B * B], c[B * B];
        velocity_at(s, i, v, u);
        mrn_newton_evaluate(MRN_MAP_ALART_CURNIER, &g->contact[i], r + (int64_t)i * b, u, f, a, c);
        for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++)
            for (int64_t m = s->body_start[i]; m < s->body_start[i + 1]; m++)
                add_block(s, k, m, c,
                          s->body[k] == s->body[m] ? g->diag + (int64_t)s->body[k] * (int64_t)size
                                                   : block_at(g, s->body[k], s->body[m]));
    }
}

/* Newton's steps for one set of multipliers, halved until the balance gains. */
static void find_velocities(global *g, const double *r, int steps, mrn_progress_log *log)
{
    mrn_system *s = g->s;
    int64_t size = (int64_t)s->n_bodies * s->dof;
    double now = balance(g, r, g->v, g->g), first = now;
    for (int k = 0; k < steps && now > 1e-30 && now > 1e-24 * first; k++) {
        linearise(g, r, g->v);
        mrn_block_lu_factor(&g->lu, g->diag, g->off, g->start, NULL);
        log->factorisations++;
        log->iterations++;
        log->updates += s->n;
        mrn_block_lu_solve(&g->lu, g->g, g->step);
        double share = 1, next = INFINITY;
        for (int half = 0; half < 8; half++, share *= 0.5) {
            for (int64_t j = 0; j < size; j++)
                g->trial[j] = g->v[j] - share * g->step[j];
            next = balance(g, r, g->trial, g->g);
            if (next < now)
                break;
        }
        memcpy(g->v, g->trial, (size_t)size * sizeof *g->v);
        if (next >= now)
            break;
        now = next;
    }
    balance(g, r, g->v, g->g);
    if (now <= 1e-24 * first || now <= 1e-30) /* nothing to be found: this counts, too */
        log->iterations++;
}

static mrn_status solve(mrn_system *s, const mrn_value *option, double *r, mrn_progress_log *log,
                        mrn_message *msg)
{
    global g;
    mrn_status st = make(s, option[OPT_PENALTY].number, &g, msg);
    if (st == MRN_OK) {
        log->matrices += mrn_block_lu_bytes(&g.lu);
        mrn_system_project(s, r, r);
        mrn_system_push(s, r, g.v);
        do {
            /* an iteration is one of Newton's steps */
            int64_t left = log->limit - log->iterations;
            find_velocities(&g, r, (int)fmin(option[OPT_STEPS].number, (double)left), log);
            memcpy(r, g.R, (size_t)s->n * (size_t)s->b * sizeof *r);
        } while (!mrn_log_iterate(s, log, "global", r, NULL));
    }
    mrn_block_lu_release(&g.lu);
    return st;
}

const mrn_solver mrn_solver_global = {
    .name = "global",
    .summary = "Uncondensed: velocities of bodies by Newton's method.",
    .doc = "The unknowns are the velocities v of the bodies, not the impulses: with multipliers r "
           "an impulse is R_N = max(0, r_N - rho u_N), R_T = r_T - rho u_T cut at mu R_N, and "
           "M v = H R(v) is solved by Newton's method with a sparse LU factorisation of the matrix "
           "of all bodies, 1 + M^-1 H (-dR/du) Ht; then r = R(v), until the laws hold (Alart and "
           "Curnier 1991). W is never formed.",
    .advice = "For comparison with the condensed solvers, and for bodies with very many contacts. "
              "Needs a problem with H and M; sliding friction only. A factorisation costs more "
              "than tens of sweeps, and fill grows faster than the bodies.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .kinds = MRN_KIND(MRN_CONTACT_2D) | MRN_KIND(MRN_CONTACT_3D),
    .wants_bodies = true,
    .bilateral = true,
    .max_iterations = 100000,
    .solve = solve,
};
