/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All answers of a contact by brute force: open, stick by Cramer's rule, and sliding in every
   direction of a scan, roots by bisection. In long double, so that it is the better one where W is
   ill-conditioned. Nothing here is shared with the solvers. */
#ifndef TESTS_SOLVE_LOCAL_BRUTE_H
#define TESTS_SOLVE_LOCAL_BRUTE_H

#include "local_blocks.h"

enum { BRUTE_MOST = 16 };

typedef struct answers {
    int n;
    double r[BRUTE_MOST][3];
} answers;

static inline void add_answer(answers *s, long double n, long double t, long double u)
{
    if (s->n == BRUTE_MOST)
        return;
    s->r[s->n][0] = (double)n, s->r[s->n][1] = (double)t, s->r[s->n][2] = (double)u;
    s->n++;
}

static inline long double det3(const long double *a, const long double *b, const long double *c)
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) +
           c[0] * (a[1] * b[2] - a[2] * b[1]);
}

/* A direction of sliding and what it gives. */
typedef struct way {
    long double x, y;
    long double n;      /* r_N, from u_N = 0                                      */
    long double across; /* D u_T across it: zero for an answer (u_T has poles)    */
    long double along;  /* u_T along it: not positive for an answer               */
} way;

static inline way way_at(const block *b, long double x, long double y)
{
    const double *W = b->W, *q = b->q;
    long double size = sqrtl(x * x + y * y), mu = b->mu[0];
    x /= size, y /= size;
    long double d = W[0] + mu * (W[3] * x + W[6] * y), n = -q[0] / d;
    long double u = q[1] + n * (W[1] + mu * (W[4] * x + W[7] * y));
    long double v = q[2] + n * (W[2] + mu * (W[5] * x + W[8] * y));
    return (way){x, y, n, (x * v - y * u) / n, u * x + v * y};
}

/* A border counts as either side: the laws themselves are checked elsewhere, strictly. */
#define BRUTE_SLACK 1e-9L

/* The root between two directions, if there is one. */
static inline void brute_between(const block *b, way a, way c, answers *s)
{
    if ((a.across > 0) == (c.across > 0))
        return;
    for (int i = 0; i < 64; i++) {
        way m = way_at(b, a.x + c.x, a.y + c.y);
        if ((m.across > 0) == (a.across > 0))
            a = m;
        else
            c = m;
    }
    long double mu = b->mu[0];
    double r[3] = {(double)a.n, (double)(mu * a.n * a.x), (double)(mu * a.n * a.y)};
    if (a.n > 0 && a.along <= BRUTE_SLACK * (long double)speed_of(b, r))
        add_answer(s, a.n, mu * a.n * a.x, mu * a.n * a.y);
}

/* D changes its sign between: answers of large r_N crowd there. Halve towards it, on both sides. */
static inline void brute_pole(const block *b, way a, way c, answers *s)
{
    bool sign = a.n > 0;
    for (int i = 0; i < 62; i++) {
        way m = way_at(b, a.x + c.x, a.y + c.y);
        if ((m.n > 0) == sign) {
            brute_between(b, a, m, s);
            a = m;
        } else {
            brute_between(b, m, c, s);
            c = m;
        }
    }
}

static inline void brute_slides(const block *b, int directions, answers *s)
{
    long double step = 6.283185307179586476925286766559L / directions;
    long double x = cosl(step), y = sinl(step);
    way last = way_at(b, 1, 0);
    for (int k = 0; k < directions; k++) {
        way next = way_at(b, last.x * x - last.y * y, last.x * y + last.y * x);
        if ((last.n > 0) != (next.n > 0))
            brute_pole(b, last, next, s);
        else
            brute_between(b, last, next, s);
        last = next;
    }
}

/* Every answer that a scan finds. A pair of roots between two directions is missed. */
static inline answers brute_force(const block *b, int directions)
{
    answers s = {0};
    if (b->q[0] >= -(double)BRUTE_SLACK * size_of(3, b->q))
        add_answer(&s, 0, 0, 0);
    long double col[4][3];
    for (int c = 0; c < 4; c++)
        for (int a = 0; a < 3; a++)
            col[c][a] = c < 3 ? b->W[c * 3 + a] : -b->q[a];
    long double det = det3(col[0], col[1], col[2]);
    long double n = det3(col[3], col[1], col[2]) / det, t = det3(col[0], col[3], col[2]) / det;
    long double u = det3(col[0], col[1], col[3]) / det;
    if (n >= 0 && sqrtl(t * t + u * u) <= b->mu[0] * n * (1 + BRUTE_SLACK))
        add_answer(&s, n, t, u);
    if (b->q[0] < 0)
        brute_slides(b, directions, &s);
    return s;
}

/* Distance in velocities, W (r - r'), to the nearest answer, over |q| + |W| |r|. */
static inline double distance_to(const block *b, const answers *s, const double *r)
{
    double nearest = INFINITY;
    for (int k = 0; k < s->n; k++) {
        double d[3], u[3] = {0, 0, 0};
        for (int a = 0; a < 3; a++)
            d[a] = r[a] - s->r[k][a];
        for (int c = 0; c < 3; c++)
            for (int a = 0; a < 3; a++)
                u[a] += b->W[c * 3 + a] * d[c];
        nearest = fmin(nearest, size_of(3, u));
    }
    double size = speed_of(b, r);
    return size > 0 ? nearest / size : 0;
}

/* The distance to the nearest of all answers; a finer scan is tried before it is called far. */
static inline double brute_distance(const block *b, const double *r, double tolerance)
{
    answers s = brute_force(b, 90);
    double d = distance_to(b, &s, r);
    if (d <= tolerance)
        return d;
    s = brute_force(b, 72000);
    return distance_to(b, &s, r);
}

/* n blocks through `solve` and by brute force; returns the largest distance. */
static inline double brute_compare(int hard, int n, uint64_t seed, double tolerance,
                                   solver_of_block solve)
{
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_3D);
    mrn_rng g = mrn_rng_seed(seed, (uint64_t)hard);
    double worst = 0;
    int converged = 0;
    for (int k = 0; k < n; k++) {
        block b = random_block(&g, lay, hard);
        double r[MOST];
        memcpy(r, b.guess, sizeof r);
        if (!solve(lay, &b, r))
            continue;
        converged++;
        double d = brute_distance(&b, r, tolerance);
        if (!(d <= tolerance)) {
            print_block("not found by brute force", &b, r);
            fail_msg("block %d is %g from any answer", k, d);
        }
        worst = fmax(worst, d);
    }
    printf("  brute force: %d compared, farthest %.1e\n", converged, worst);
    return worst;
}

#endif
