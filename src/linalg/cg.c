/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conjugate gradients with a preconditioner (Hestenes and Stiefel 1952), which keeps the best
   iterate: residuals of conjugate gradients do not fall at every step. */
#include <math.h>
#include <string.h>

#include "linalg/sparse.h"
#include "linalg/sums.h"

typedef struct cg {
    int64_t n;
    mrn_apply times, precondition;
    void *user;
    double *r, *p, *w, *best; /* `w` is A p, then the preconditioned r: never both at once */
    const double *b;
    double *x;
} cg;

/* r = b - A x; its size */
static double true_residual(const cg *s)
{
    s->times(s->user, s->x, s->w);
    for (int64_t k = 0; k < s->n; k++)
        s->r[k] = s->b[k] - s->w[k];
    return sqrt(mrn_dot_long(s->n, s->r, s->r));
}

/* w = M⁻¹ r; returns r·w */
static double precondition(const cg *s)
{
    if (s->precondition != NULL)
        s->precondition(s->user, s->r, s->w);
    else
        memcpy(s->w, s->r, (size_t)s->n * sizeof *s->w);
    return mrn_dot_long(s->n, s->r, s->w);
}

/* Steps from the x there, whose residual is in r, until `goal` or `most`. `best` receives the x of
   the smallest residual, and that size is returned. A product p·A p that is not positive ends it:
   the rest of r lies in the null space, or is rounding. */
static double descend(const cg *s, double goal, double now, int most, int *iterations)
{
    int64_t n = s->n;
    double least = now, rho = precondition(s);
    memcpy(s->best, s->x, (size_t)n * sizeof *s->best);
    memcpy(s->p, s->w, (size_t)n * sizeof *s->p);
    while (*iterations < most && least > goal && rho > 0) {
        s->times(s->user, s->p, s->w);
        (*iterations)++;
        double curvature = mrn_dot_long(n, s->p, s->w), alpha = rho / curvature, before = rho;
        if (!(curvature > 0) || !isfinite(alpha))
            break;
        for (int64_t k = 0; k < n; k++) {
            s->x[k] += alpha * s->p[k];
            s->r[k] -= alpha * s->w[k];
        }
        now = sqrt(mrn_dot_long(n, s->r, s->r));
        if (now < least) {
            least = now;
            memcpy(s->best, s->x, (size_t)n * sizeof *s->best);
        }
        rho = precondition(s);
        for (int64_t k = 0; k < n; k++)
            s->p[k] = s->w[k] + rho / before * s->p[k];
    }
    memcpy(s->x, s->best, (size_t)n * sizeof *s->x);
    return least;
}

mrn_cg_report mrn_cg(int64_t n, mrn_apply times, mrn_apply preconditioner, void *user,
                     double tolerance, int most, const double *b, double *x, double *room)
{
    cg s = {n, times, preconditioner, user, room, room + n, room + 2 * n, room + 3 * n, b, x};
    mrn_cg_report report = {0};
    double size = sqrt(mrn_dot_long(n, b, b)), before = INFINITY;
    if (!(size > 0)) { /* nothing to balance, or not a number */
        memset(x, 0, (size_t)n * sizeof *x);
        report.converged = size == 0;
        report.residual = size == 0 ? 0 : INFINITY;
        return report;
    }
    /* The r of the recurrence drifts from the true one: what it calls solved is looked at again,
       and started again from there as long as that gains. */
    for (;;) {
        double now = true_residual(&s);
        report.residual = now / size;
        report.converged = now <= tolerance * size;
        if (report.converged || report.iterations >= most || !(now < 0.5 * before))
            return report;
        before = now;
        descend(&s, tolerance * size, now, most, &report.iterations);
    }
}
