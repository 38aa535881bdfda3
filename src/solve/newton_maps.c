/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of one contact whose zeros are the contact laws, with an element of their generalised
   derivative: Alart and Curnier's, the natural map, and Fischer and Burmeister's on the
   second-order cone. All have the unit of an impulse. */
#include <string.h>

#include "solve/newton.h"

enum { B = MRN_NEWTON_BLOCK };

/* 2 or 3, which the compiler shall know too */
static int block(const mrn_newton_contact *p)
{
    return p->b == 2 ? 2 : 3;
}

static double tail_dot(int b, const double *x, const double *y)
{
    double sum = 0;
    for (int k = 1; k < b; k++)
        sum += x[k] * y[k];
    return sum;
}

/* d = tangent of x over its length, 0 where there is none; returns the length. */
static double direction(int b, const double *x, double *d)
{
    double t = sqrt(tail_dot(b, x, x));
    d[0] = 0;
    for (int k = 1; k < b; k++)
        d[k] = t > 0 ? x[k] / t : 0;
    return t;
}

/* f = factor x, derivative likewise */
static void linear(int b, const double *factor, const double *x, double *f, double *derivative)
{
    for (int k = 0; k < b; k++) {
        f[k] = factor[k] * x[k];
        if (derivative != NULL)
            derivative[k * b + k] = factor[k];
    }
}

/* x = y - scale z */
static void combine(int b, const double *y, const double *scale, const double *z, double *x)
{
    for (int k = 0; k < b; k++)
        x[k] = y[k] - scale[k] * z[k];
}

/* ---- Alart and Curnier: r_N = max(0, y_N), r_T = y_T cut to the disc of radius mu y_N ---- */

/* Rows of the tangent where the contact slides. */
static void slide(const mrn_newton_contact *p, double y_n, const double *y, const double *r,
                  double *f, double *a, double *c)
{
    int b = block(p);
    double d[B], t = direction(b, y, d), bound = p->mu * y_n, share = t > 0 ? bound / t : 0;
    for (int k = 1; k < b; k++)
        f[k] = r[k] - bound * d[k];
    for (int k = 1; a != NULL && k < b; k++) {
        a[k] = -p->mu * d[k];
        c[k] = p->mu * p->rho_n * d[k];
        for (int l = 1; l < b; l++) {
            double across = share * ((k == l ? 1 : 0) - d[k] * d[l]);
            a[l * b + k] = (k == l ? 1 : 0) - across;
            c[l * b + k] = p->rho_t * across;
        }
    }
}

static void alart_curnier(const mrn_newton_contact *p, const double *rho, const double *r,
                          const double *u, double *f, double *a, double *c)
{
    static const double one[B] = {1, 1, 1};
    int b = block(p);
    double y[B];
    combine(b, r, rho, u, y);
    if (y[0] <= 0) {
        linear(b, one, r, f, a);
        return;
    }
    double t = sqrt(tail_dot(b, y, y)), bound = p->mu * y[0];
    if (bound > 0 && t <= bound) {
        linear(b, rho, u, f, c);
        return;
    }
    f[0] = rho[0] * u[0];
    if (c != NULL)
        c[0] = rho[0];
    slide(p, y[0], y, r, f, a, c);
}

/* ---- the natural map: r = P_K(r - rho (u + mu |u_T| e_N)) ---- */

/* p = projection of y on the cone, and its derivative */
static void project(const mrn_newton_contact *q, const double *y, double *p, double *derivative)
{
    int b = block(q);
    double d[B], mu = q->mu, t = direction(b, y, d), sum = 1 + mu * mu;
    double x = (y[0] + mu * t) / sum, share = t > 0 ? mu * x / t : 0;
    memset(p, 0, (size_t)b * sizeof *p);
    memset(derivative, 0, (size_t)(b * b) * sizeof *derivative);
    if (x <= 0)
        return;
    if (mu > 0 && t <= mu * y[0]) {
        for (int k = 0; k < b; k++)
            p[k] = y[k], derivative[k * b + k] = 1;
        return;
    }
    p[0] = x;
    derivative[0] = 1 / sum;
    for (int k = 1; k < b; k++) {
        p[k] = mu * x * d[k];
        derivative[k] = derivative[k * b] = mu * d[k] / sum;
        for (int l = 1; l < b; l++)
            derivative[l * b + k] =
                mu * mu * d[k] * d[l] / sum + share * ((k == l ? 1 : 0) - d[k] * d[l]);
    }
}

static void natural(const mrn_newton_contact *q, double rho, const double *r, const double *u,
                    double *f, double *a, double *c)
{
    int b = block(q);
    double y[B], p[B], derivative[B * B], d[B], slip = direction(b, u, d);
    for (int k = 0; k < b; k++)
        y[k] = r[k] - rho * (u[k] + (k == 0 ? q->mu * slip : 0));
    project(q, y, p, derivative);
    for (int k = 0; k < b; k++)
        f[k] = r[k] - p[k];
    for (int l = 0; a != NULL && l < b; l++)
        for (int k = 0; k < b; k++) {
            a[l * b + k] = (k == l ? 1 : 0) - derivative[l * b + k];
            c[l * b + k] = rho * (derivative[l * b + k] + derivative[k] * q->mu * d[l]);
        }
}

/* ---- Fischer and Burmeister: x + y - sqrt(x o x + y o y) in the algebra of the cone ---- */

/* (x_0 - x_T.e)² + |x_T - (x_T.e) e|²: what x o x leaves on the eigenvector (1, -e), as a sum of
   squares because the difference of the squares would lose half of the digits */
static double rest(int b, const double *x, const double *e)
{
    double along = tail_dot(b, x, e), sum = (x[0] - along) * (x[0] - along);
    for (int k = 1; k < b; k++)
        sum += (x[k] - along * e[k]) * (x[k] - along * e[k]);
    return sum;
}

/* z = sqrt(x o x + y o y); `solid`: the same with its smaller eigenvalue kept off zero, so that it
   can be divided by; returns the product of the eigenvalues of `solid` */
static double root(int b, const double *x, const double *y, double *z, double *solid)
{
    double w[B] = {0}, e[B], low, high;
    for (int k = 1; k < b; k++)
        w[k] = 2 * (x[0] * x[k] + y[0] * y[k]);
    if (direction(b, w, e) == 0)
        e[1] = 1; /* both eigenvalues are equal: any direction does */
    low = sqrt(rest(b, x, e) + rest(b, y, e));
    for (int k = 1; k < b; k++)
        e[k] = -e[k];
    high = sqrt(rest(b, x, e) + rest(b, y, e));
    double kept = fmax(low, 1e-8 * high + 1e-100), top = fmax(high, kept);
    z[0] = (high + low) / 2, solid[0] = (top + kept) / 2;
    for (int k = 1; k < b; k++)
        z[k] = -e[k] * (high - low) / 2, solid[k] = -e[k] * (top - kept) / 2;
    return top * kept;
}

/* Column l of 1 - L_z⁻¹ L_x, L the product of the algebra as a matrix. */
static void fb_column(int b, const double *z, double det, const double *x, int l, double *column)
{
    double v[B];
    for (int k = 0; k < b; k++)
        v[k] = k == l ? x[0] : k == 0 ? x[l] : l == 0 ? x[k] : 0;
    double first = (z[0] * v[0] - tail_dot(b, z, v)) / det;
    for (int k = 1; k < b; k++)
        column[k] = (k == l ? 1 : 0) - (v[k] - first * z[k]) / z[0];
    column[0] = (l == 0 ? 1 : 0) - first;
}

/* With friction: x = (r_N, r_T / mu), y = rho (u_N + mu |u_T|, mu u_T); the rows of the tangent are
   multiplied by mu, which makes them impulses again. */
static void fischer_burmeister(const mrn_newton_contact *p, double rho, const double *r,
                               const double *u, double *f, double *a, double *c)
{
    int b = block(p);
    double mu = p->mu, d[B], x[B], y[B], z[B], solid[B], slip = direction(b, u, d);
    for (int k = 0; k < b; k++) {
        x[k] = k == 0 ? r[k] : r[k] / mu;
        y[k] = rho * (k == 0 ? u[k] + mu * slip : mu * u[k]);
    }
    double det = root(b, x, y, z, solid);
    for (int k = 0; k < b; k++)
        f[k] = (k == 0 ? 1 : mu) * (x[k] + y[k] - z[k]);
    for (int l = 0; a != NULL && l < b; l++) {
        double of_x[B], of_y[B], of_n[B];
        fb_column(b, solid, det, x, l, of_x);
        fb_column(b, solid, det, y, l, of_y);
        fb_column(b, solid, det, y, 0, of_n);
        for (int k = 0; k < b; k++) {
            double row = k == 0 ? 1 : mu;
            a[l * b + k] = row * of_x[k] / (l == 0 ? 1 : mu);
            c[l * b + k] = row * rho * ((l == 0 ? 1 : mu) * of_y[k] + of_n[k] * mu * d[l]);
        }
    }
}

/* Without friction: the scalar function for the normal, r_T = 0. */
static void fischer_burmeister_smooth(int b, double rho, const double *r, const double *u,
                                      double *f, double *a, double *c)
{
    double y = rho * u[0], size = hypot(r[0], y);
    for (int k = 1; k < b; k++)
        f[k] = r[k];
    f[0] = r[0] + y - size;
    for (int k = 1; a != NULL && k < b; k++)
        a[k * b + k] = 1;
    if (a != NULL) {
        a[0] = 1 - (size > 0 ? r[0] / size : 0);
        c[0] = rho * (1 - (size > 0 ? y / size : 0));
    }
}

void mrn_newton_evaluate(mrn_newton_map map, const mrn_newton_contact *p, const double *r,
                         const double *u, double *f, double *a, double *c)
{
    int b = block(p);
    double rho[B] = {p->rho_n, p->rho_t, p->rho_t};
    /* one factor for both directions, or the cone would change its shape */
    double common = p->rho_n < p->rho_t ? p->rho_n : p->rho_t;
    if (a != NULL) {
        memset(a, 0, (size_t)(b * b) * sizeof *a);
        memset(c, 0, (size_t)(b * b) * sizeof *c);
    }
    if (p->law == MRN_BILATERAL)
        linear(b, rho, u, f, c);
    else if (map == MRN_MAP_ALART_CURNIER)
        alart_curnier(p, rho, r, u, f, a, c);
    else if (map == MRN_MAP_NATURAL)
        natural(p, common, r, u, f, a, c);
    else if (p->mu > 0)
        fischer_burmeister(p, common, r, u, f, a, c);
    else
        fischer_burmeister_smooth(b, common, r, u, f, a, c);
}
