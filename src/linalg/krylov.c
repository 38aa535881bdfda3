/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GMRES with restarts: Arnoldi by modified Gram-Schmidt, least squares by Givens rotations. */
#include "linalg/krylov.h"
#include "linalg/sums.h"

#include <math.h>
#include <string.h>

static void add(int64_t n, double factor, const double *x, double *y)
{
    for (int64_t k = 0; k < n; k++)
        y[k] += factor * x[k];
}

int64_t mrn_gmres_room(int64_t n, int restart)
{
    int64_t m = restart;
    return (m + 3) * n + (m + 1) * m + 2 * m + 2 * (m + 1);
}

void mrn_gmres_make(int64_t n, int restart, double *room, mrn_gmres *out)
{
    int64_t m = restart;
    *out = (mrn_gmres){.n = n, .restart = restart};
    out->basis = room;
    out->v = out->basis + (m + 1) * n;
    out->w = out->v + n;
    out->h = out->w + n;
    out->turn = out->h + (m + 1) * m;
    out->g = out->turn + 2 * m;
    out->y = out->g + m + 1;
}

/* Column j of the triangle: earlier rotations, then one of its own that clears the last entry. */
static void rotate(mrn_gmres *s, int j)
{
    double *h = s->h + (int64_t)j * (s->restart + 1), *t = s->turn;
    for (int i = 0; i < j; i++) {
        double x = t[2 * i] * h[i] + t[2 * i + 1] * h[i + 1];
        h[i + 1] = t[2 * i] * h[i + 1] - t[2 * i + 1] * h[i];
        h[i] = x;
    }
    double size = hypot(h[j], h[j + 1]);
    t[2 * j] = size > 0 ? h[j] / size : 1;
    t[2 * j + 1] = size > 0 ? h[j + 1] / size : 0;
    h[j] = size;
    s->g[j + 1] = -t[2 * j + 1] * s->g[j];
    s->g[j] = t[2 * j] * s->g[j];
}

/* x += P⁻¹ (basis y) with the triangle solved for y */
static void improve(mrn_gmres *s, int count, mrn_krylov_apply precondition, void *user, double *x)
{
    int64_t n = s->n, rows = s->restart + 1;
    for (int i = count - 1; i >= 0; i--) {
        double sum = s->g[i], pivot = s->h[i * rows + i];
        for (int j = i + 1; j < count; j++)
            sum -= s->h[j * rows + i] * s->y[j];
        s->y[i] = pivot > 0 ? sum / pivot : 0; /* a singular A: nothing to gain along it */
    }
    memset(s->w, 0, (size_t)n * sizeof *s->w);
    for (int j = 0; j < count; j++)
        add(n, s->y[j], s->basis + j * n, s->w);
    if (precondition != NULL) {
        precondition(user, s->w, s->v);
        add(n, 1, s->v, x);
    } else {
        add(n, 1, s->w, x);
    }
}

/* A new direction, orthogonal to the others; false when there is none. */
static bool extend(mrn_gmres *s, int j, mrn_krylov_apply times, mrn_krylov_apply precondition,
                   void *user)
{
    int64_t n = s->n;
    double *h = s->h + (int64_t)j * (s->restart + 1), *next = s->basis + (j + 1) * n;
    const double *last = s->basis + j * n;
    if (precondition != NULL)
        precondition(user, last, s->v);
    times(user, precondition != NULL ? s->v : last, next);
    double before = sqrt(mrn_dot_long(n, next, next));
    for (int i = 0; i <= j; i++) {
        h[i] = mrn_dot_long(n, s->basis + i * n, next);
        add(n, -h[i], s->basis + i * n, next);
    }
    h[j + 1] = sqrt(mrn_dot_long(n, next, next));
    bool more = h[j + 1] > 1e-15 * before && isfinite(h[j + 1]);
    for (int64_t k = 0; more && k < n; k++)
        next[k] /= h[j + 1];
    return more;
}

/* basis[0] = b - A x; returns its size */
static double start(mrn_gmres *s, mrn_krylov_apply times, void *user, const double *b,
                    const double *x, bool first)
{
    int64_t n = s->n;
    if (first) {
        memcpy(s->basis, b, (size_t)n * sizeof *b);
    } else {
        times(user, x, s->w);
        for (int64_t k = 0; k < n; k++)
            s->basis[k] = b[k] - s->w[k];
    }
    return sqrt(mrn_dot_long(n, s->basis, s->basis));
}

bool mrn_gmres_solve(mrn_gmres *s, mrn_krylov_apply times, mrn_krylov_apply precondition,
                     void *user, double tolerance, int most, const double *b, double *x)
{
    int64_t n = s->n;
    double size = sqrt(mrn_dot_long(n, b, b)), now = 0, before = INFINITY;
    memset(x, 0, (size_t)n * sizeof *x);
    s->iterations = 0, s->residual = 0;
    while (size > 0) {
        now = start(s, times, user, b, x, s->iterations == 0);
        s->residual = now / size;
        /* a cycle that hardly gains would be followed by others that do not either */
        if (now <= tolerance * size || s->iterations >= most || !(now < 0.999 * before))
            break;
        before = now;
        for (int64_t k = 0; k < n; k++)
            s->basis[k] /= now;
        s->g[0] = now;
        int j = 0;
        for (bool more = true; more && j < s->restart && s->iterations < most; j++) {
            more = extend(s, j, times, precondition, user);
            s->iterations++;
            rotate(s, j);
            more = more && fabs(s->g[j + 1]) > 0.5 * tolerance * size;
        }
        improve(s, j, precondition, user, x);
    }
    return now <= tolerance * size;
}
