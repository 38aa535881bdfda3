/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All answers of one contact in 3D. The directions of sliding are the zeros on the circle of

       f(t) = t' . (b + A t),   t' = t turned by a right angle     (A, b: see local_3d.c),

   with t = ((1 - z²), 2 z) / (1 + z²) a polynomial of degree four in z. Two half circles, -1 <= z
   <= 1 on each (the second has -b for b), keep z bounded: no root is near infinity, powers do not
   grow, and the polynomial is evaluated to a few rounding units of its coefficients. Its roots are
   separated by the roots of its derivative, these by those of the second derivative and so on: no
   complex arithmetic, no formula that cancels, and none can be missed but a double one, for which
   the extrema themselves are tried. */
#include "solve/local_parts.h"

static double value_at(int degree, const double *c, double z)
{
    double p = c[degree];
    for (int k = degree - 1; k >= 0; k--)
        p = p * z + c[k];
    return p;
}

/* The root in [a, b], where c changes its sign: Newton, halving where it would leave. */
static double root_between(int degree, const double *c, const double *dc, double a, double b)
{
    double z = 0.5 * (a + b), rising = value_at(degree, c, b) > 0 ? 1 : -1;
    for (int k = 0; k < 100; k++) {
        double p = value_at(degree, c, z), d = value_at(degree - 1, dc, z);
        if (rising * p > 0)
            b = z;
        else
            a = z;
        double next = z - p / d;
        if (!(next > a && next < b))
            next = 0.5 * (a + b);
        if (fabs(next - z) <= 0x1p-52 || !(next > a && next < b))
            return next;
        z = next;
    }
    return z;
}

/* Most that roots_of can return: every interval between knots and every end of one. */
#define ROOTS_MOST 16

/* Roots of a polynomial in [-1, 1]; with `touch`, also extrema that come near to zero. */
static int roots_of(int degree, const double *c, bool touch, double *root)
{
    double dc[4], knot[ROOTS_MOST], size = 0;
    int m = 0, n = 0;
    if (degree == 0)
        return 0;
    for (int k = 0; k <= degree; k++)
        size += fabs(c[k]);
    for (int k = 0; k < degree; k++)
        dc[k] = (k + 1) * c[k + 1];
    knot[m++] = -1;
    m += roots_of(degree - 1, dc, false, knot + m);
    knot[m++] = 1;
    for (int k = 0; k < m; k++) {
        double a = value_at(degree, c, knot[k]);
        double b = k + 1 < m ? value_at(degree, c, knot[k + 1]) : a;
        if (a == 0 || (touch && fabs(a) <= 1e-7 * size))
            root[n++] = knot[k];
        if ((a < 0 && b > 0) || (a > 0 && b < 0))
            root[n++] = root_between(degree, c, dc, knot[k], knot[k + 1]);
    }
    return n;
}

/* ---- the candidates, and the best of them ---- */

typedef struct choice {
    const double *W, *q;
    double mu, defect, size; /* of the best so far */
    double r[3];
} choice;

/* Satisfied laws before unsatisfied ones; then the least impulse, else the least defect. */
static void offer(choice *c, const double *r)
{
    double defect = mrn_local_3d_defect(c->W, c->q, c->mu, r);
    double size = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    bool good = defect <= MRN_LOCAL_ROUNDING, had = c->defect <= MRN_LOCAL_ROUNDING;
    if (had ? !(good && size < c->size) : !(good || defect < c->defect))
        return;
    c->defect = defect, c->size = size;
    for (int a = 0; a < 3; a++)
        c->r[a] = r[a];
}

/* A direction near a root: as it is, and polished by Newton where that settles. */
static void offer_direction(choice *c, double x, double y)
{
    double over = 1 / sqrt(x * x + y * y), t[2] = {x * over, y * over}, r[3];
    if (mrn_local_slide_impulse(c->W, c->q, c->mu, t, r))
        offer(c, r);
    if (mrn_local_slide_newton(c->W, c->q, c->mu, t) &&
        mrn_local_slide_impulse(c->W, c->q, c->mu, t, r))
        offer(c, r);
}

static void offer_slides(choice *c)
{
    const double *W = c->W, *q = c->q;
    double mu = c->mu, n = -q[0];
    double bx = W[0] * q[1] + n * W[1], by = W[0] * q[2] + n * W[2];
    double axx = mu * (q[1] * W[3] + n * W[4]), ayx = mu * (q[2] * W[3] + n * W[5]);
    double axy = mu * (q[1] * W[6] + n * W[7]), ayy = mu * (q[2] * W[6] + n * W[8]);
    for (int half = 0; half < 2; half++) {
        double way = half ? -1 : 1, x = way * bx, y = way * by, root[ROOTS_MOST];
        double p[5] = {y + ayx, 2 * (ayy - axx - x), -2 * ayx - 4 * axy, -2 * (ayy - axx + x),
                       ayx - y};
        int m = roots_of(4, p, true, root);
        for (int k = 0; k < m; k++)
            offer_direction(c, way * (1 - root[k] * root[k]), way * 2 * root[k]);
    }
}

bool mrn_local_3d_quartic(const double *W, const double *q, double mu, double *r)
{
    if (q[0] >= 0 || !(mu > 0))
        return mrn_local_frictionless(3, W, q, r);
    choice c = {.W = W, .q = q, .mu = mu, .defect = INFINITY};
    double s[3] = {0, 0, 0};
    if (mrn_local_zero_velocity(3, W, q, s))
        offer(&c, s);
    offer_slides(&c);
    /* where D almost vanishes, a direction of sixteen digits says too little about r */
    if (c.defect > MRN_LOCAL_ROUNDING) {
        mrn_local_slide_bracket(W, q, mu, s);
        offer(&c, s);
    }
    for (int a = 0; a < 3; a++)
        r[a] = c.r[a];
    return c.defect <= MRN_LOCAL_ROUNDING;
}
