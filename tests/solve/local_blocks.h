/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random contacts for the tests of local solvers: blocks W of all kinds and scales, good and bad
   condition, slightly asymmetric ones too, with q from every branch of the laws and from the
   borders between them. */
#ifndef TESTS_SOLVE_LOCAL_BLOCKS_H
#define TESTS_SOLVE_LOCAL_BLOCKS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/base.h"
#include "solve/local.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BLOCKS_SLOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BLOCKS_SLOW 1
#endif
#endif
#ifndef BLOCKS_SLOW
#define BLOCKS_SLOW 0
#endif
/* As many as asked for in a release build, a tenth under a sanitizer. */
static inline int blocks_many(int n)
{
    return BLOCKS_SLOW ? n / 10 : n;
}

enum { MOST = MRN_CONTACT_BLOCK_MAX };

typedef struct block {
    int n;
    double W[MOST * MOST], q[MOST], mu[MRN_FRICTION_GROUPS], guess[MOST];
    double asymmetry; /* skew part asked for, over the symmetric one */
} block;

static inline double uniform(mrn_rng *g, double a, double b)
{
    double x = mrn_rng_uniform(g);
    return a + (b - a) * x;
}
static inline int pick(mrn_rng *g, int n)
{
    uint64_t x = mrn_rng_next(g);
    return (int)(x % (uint64_t)n);
}
static inline double decade(mrn_rng *g, double a, double b)
{
    return pow(10, uniform(g, a, b));
}

/* W += w v vᵀ */
static inline void add_outer(int n, double w, const double *v, double *W)
{
    for (int c = 0; c < n; c++)
        for (int a = 0; a < n; a++)
            W[c * n + a] += w * (v[a] * v[c]);
}

static inline void random_vector(mrn_rng *g, int n, double *v)
{
    for (int a = 0; a < n; a++)
        v[a] = mrn_rng_normal(g);
}

/* Hᵀ M⁻¹ H of one or two bodies: translations of all components plus levers, the coupling of
   normal and tangential motion that makes friction hard. */
static inline void block_of_bodies(mrn_rng *g, block *b)
{
    int bodies = 1 + pick(g, 2);
    for (int k = 0; k < bodies; k++) {
        double m = decade(g, -1, 1), v[MOST];
        for (int c = 0; c < b->n; c++)
            b->W[c * b->n + c] += m;
        for (int turn = 0; turn < 3; turn++) {
            double lever = m * decade(g, -1, 1);
            random_vector(g, b->n, v);
            add_outer(b->n, lever, v, b->W);
        }
    }
}

/* Eigenvalues over `decades` decades in a random frame, nearly singular when many. */
static inline void block_of_spectrum(mrn_rng *g, double decades, block *b)
{
    double e[MOST][MOST];
    for (int k = 0; k < b->n; k++) { /* Gram and Schmidt, twice for the digits */
        random_vector(g, b->n, e[k]);
        for (int pass = 0; pass < 2; pass++) {
            for (int j = 0; j < k; j++) {
                double dot = 0;
                for (int a = 0; a < b->n; a++)
                    dot += e[k][a] * e[j][a];
                for (int a = 0; a < b->n; a++)
                    e[k][a] -= dot * e[j][a];
            }
            double size = 0;
            for (int a = 0; a < b->n; a++)
                size += e[k][a] * e[k][a];
            for (int a = 0; a < b->n; a++)
                e[k][a] /= sqrt(size);
        }
        double w = k == 0 ? 1 : decade(g, -decades, 0);
        add_outer(b->n, w, e[k], b->W);
    }
}

/* A skew part: forces that do no work, gyroscopic terms. The symmetric part stays as it is. */
static inline void add_skew(mrn_rng *g, double share, block *b)
{
    int n = b->n;
    for (int c = 0; c < n; c++)
        for (int a = c + 1; a < n; a++) {
            double x = share * uniform(g, -1, 1) * sqrt(b->W[c * n + c] * b->W[a * n + a]);
            b->W[c * n + a] += x;
            b->W[a * n + c] -= x;
        }
    b->asymmetry = share;
}

/* hard: 0 condition up to about 1e4; 1: up to 1e10 and beyond. */
static inline void random_W(mrn_rng *g, int hard, block *b)
{
    memset(b->W, 0, sizeof b->W);
    b->asymmetry = 0;
    switch (pick(g, 4)) {
    case 0:
        block_of_bodies(g, b);
        break;
    case 1:
        block_of_spectrum(g, 2, b);
        break;
    case 2:
        block_of_spectrum(g, hard ? 10 : 3, b);
        break;
    default:
        for (int c = 0; c < b->n; c++)
            b->W[c * b->n + c] = decade(g, hard ? -5 : -1, 0);
        break;
    }
    if (pick(g, 8) == 0)
        add_skew(g, decade(g, -4, -0.5), b);
    double scale = decade(g, -12, 12);
    for (int k = 0; k < b->n * b->n; k++)
        b->W[k] *= scale;
}

static inline double random_mu(mrn_rng *g)
{
    static const double some[] = {0, 1e-8, 0.05, 0.3, 0.3, 0.5, 1, 5};
    int k = pick(g, 10);
    return k < 8 ? some[k] : uniform(g, 0, 2);
}

/* An answer drawn first (r in or on the cone, u as the law asks), q = u - W r from it. Rounding of
   q puts some contacts of the borders on either side: as in life. */
static inline void q_from_answer(mrn_rng *g, const mrn_contact_layout *lay, block *b)
{
    double r[MOST] = {0}, u[MOST] = {0}, size = 0;
    int open = pick(g, 4) == 0;
    for (int a = 0; a < b->n; a++)
        size += b->W[a * b->n + a];
    r[0] = open ? 0 : 1;
    if (open)
        u[0] = pick(g, 3) ? uniform(g, 0, 1) * size : 0;
    for (int k = 0; k < lay->groups; k++) {
        double t[2], norm;
        random_vector(g, 2, t);
        norm = mrn_cone_norm(t, lay->width[k]);
        int slide = pick(g, 2), border = pick(g, 4) == 0;
        double fill = border || slide ? 1 : uniform(g, 0, 1);
        double speed = slide && !border ? size * decade(g, -8, 1) : 0;
        for (int c = 0; c < lay->width[k]; c++) {
            r[lay->first[k] + c] = fill * b->mu[k] * r[0] * t[c] / norm;
            u[lay->first[k] + c] = -speed * t[c] / norm;
        }
    }
    for (int a = 0; a < b->n; a++) {
        double sum = 0;
        for (int c = 0; c < b->n; c++)
            sum += b->W[c * b->n + a] * r[c];
        b->q[a] = u[a] - sum;
    }
}

static inline void random_q(mrn_rng *g, const mrn_contact_layout *lay, block *b)
{
    int kind = pick(g, 8);
    if (kind < 4) {
        q_from_answer(g, lay, b);
    } else {
        random_vector(g, b->n, b->q);
        if (kind == 4)
            b->q[0] *= decade(g, -12, 0);
        if (kind == 5)
            b->q[0] = -fabs(b->q[0]);
        if (kind == 6)
            for (int a = 1; a < b->n; a++)
                b->q[a] *= pick(g, 2) ? 0 : 1e-9;
    }
    double scale = pick(g, 4) ? 1 : decade(g, -60, 60);
    for (int a = 0; a < b->n; a++)
        b->q[a] *= scale;
}

/* A guess: none, nonsense. */
static inline void random_guess(mrn_rng *g, block *b)
{
    int some = pick(g, 2);
    double scale = decade(g, -6, 6);
    for (int a = 0; a < b->n; a++)
        b->guess[a] = some ? scale * uniform(g, -1, 1) : 0;
}

static inline block random_block(mrn_rng *g, const mrn_contact_layout *lay, int hard)
{
    block b = {.n = lay->block};
    random_W(g, hard, &b);
    for (int k = 0; k < lay->groups; k++)
        b.mu[k] = random_mu(g);
    random_q(g, lay, &b);
    random_guess(g, &b);
    return b;
}

/* ---- the laws, said directly ---- */

static inline void velocity_of(const block *b, const double *r, double *u)
{
    for (int a = 0; a < b->n; a++) {
        u[a] = b->q[a];
        for (int c = 0; c < b->n; c++)
            u[a] += b->W[c * b->n + a] * r[c];
    }
}

static inline double size_of(int n, const double *x)
{
    double sum = 0;
    for (int a = 0; a < n; a++)
        sum += x[a] * x[a];
    return sqrt(sum);
}

/* |q| + |W| |r|: velocities below some rounding units of this are zero. */
static inline double speed_of(const block *b, const double *r)
{
    return size_of(b->n, b->q) + size_of(b->n * b->n, b->W) * size_of(b->n, r);
}

/* How far friction of a group is from Coulomb's law, as a velocity: inside of the disc it must be
   the velocity that vanishes; on its rim r is opposite to u. r - P_disc(r - rho u) says both. */
static inline double friction_error(const mrn_contact_layout *lay, const block *b, double rho,
                                    int g, const double *r, const double *u)
{
    int i = lay->first[g], w = lay->width[g];
    double y[2] = {0, 0}, room = b->mu[g] * fmax(0, r[0]);
    for (int c = 0; c < w; c++)
        y[c] = r[i + c] - rho * u[i + c];
    double size = mrn_cone_norm(y, w);
    for (int c = 0; c < w; c++)
        y[c] = r[i + c] - (size > room ? room / size : 1) * y[c];
    return mrn_cone_norm(y, w) / rho;
}

/* The worst violation of u_N >= 0, r_N >= 0, one of them zero, |r_g| <= mu r_N and friction against
   the motion, each as a velocity, over |q| + |W| |r|: a backward error. Not the natural map that
   the solvers judge themselves by. NAN gives INFINITY. */
static inline double violation_of(const mrn_contact_layout *lay, const block *b, const double *r)
{
    double u[MOST], mean = 0, size = speed_of(b, r);
    velocity_of(b, r, u);
    for (int a = 0; a < b->n; a++)
        mean += b->W[a * b->n + a] / b->n;
    mean = mean > 0 ? mean : 1;
    double worst = fmax(-u[0], -mean * r[0]);
    worst = fmax(worst, fmin(u[0], mean * r[0]));
    for (int g = 0; g < lay->groups; g++) {
        double over = mrn_cone_norm(r + lay->first[g], lay->width[g]) - b->mu[g] * r[0];
        worst = fmax(worst, mean * over);
        worst = fmax(worst, friction_error(lay, b, 1 / mean, g, r, u));
    }
    for (int a = 0; a < b->n; a++)
        if (!isfinite(r[a]))
            return INFINITY;
    return size > 0 ? worst / size : 0;
}

static inline void print_block(const char *what, const block *b, const double *r)
{
    fprintf(stderr, "%s: mu %.17g %.17g %.17g\n", what, b->mu[0], b->mu[1], b->mu[2]);
    for (int a = 0; a < b->n; a++)
        fprintf(stderr, "  q %.17g guess %.17g r %.17g\n", b->q[a], b->guess[a], r[a]);
    for (int k = 0; k < b->n * b->n; k++)
        fprintf(stderr, "  W[%d] %.17g\n", k, b->W[k]);
}

/* ---- a crowd of blocks through one solver ---- */

typedef bool (*solver_of_block)(const mrn_contact_layout *lay, const block *b, double *r);

typedef struct crowd {
    int n, converged, open, stick, slide;
    double worst; /* violation of an answer called converged */
} crowd;

/* n random blocks from stream `seed`; an answer called converged that violates the laws by more
   than `tolerance` fails the test at once. */
static inline crowd crowd_solve(const mrn_contact_layout *lay, int hard, int n, uint64_t seed,
                                double tolerance, solver_of_block solve)
{
    crowd c = {.n = n};
    mrn_rng g = mrn_rng_seed(seed, (uint64_t)hard);
    for (int k = 0; k < n; k++) {
        block b = random_block(&g, lay, hard);
        double r[MOST];
        memcpy(r, b.guess, sizeof r);
        bool done = solve(lay, &b, r);
        double violation = violation_of(lay, &b, r);
        for (int a = 0; a < b.n; a++)
            assert_true(isfinite(r[a]));
        c.converged += done;
        if (!done)
            continue;
        assert_true(r[0] >= 0); /* no attraction, not even of a rounding unit */
        c.worst = fmax(c.worst, violation);
        if (!(violation <= tolerance)) {
            print_block("called converged", &b, r);
            fail_msg("block %d violates the laws by %g", k, violation);
        }
        double t = mrn_cone_norm(r + lay->first[0], lay->width[0]), room = b.mu[0] * r[0];
        c.open += r[0] == 0;
        c.stick += r[0] > 0 && t < room * (1 - 1e-9);
        c.slide += r[0] > 0 && t >= room * (1 - 1e-9);
    }
    printf("  %s, %s: %d of %d converged, worst violation %.1e; open %d, stick %d, slide %d\n",
           lay->name, hard ? "ill-conditioned too" : "condition to 1e4", c.converged, c.n, c.worst,
           c.open, c.stick, c.slide);
    return c;
}

#endif
