/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The friction cone K = { r_N >= 0, |r_g| <= mu_g r_N for every group g }, its projection and the
   natural map. With one group it is Coulomb's cone; with rolling and pivoting it is an intersection
   of cones that share the normal axis. */
#ifndef MRN_SOLVE_CONE_H
#define MRN_SOLVE_CONE_H

#include <math.h>

#include "moraine/solve.h"

static inline double mrn_cone_norm(const double *y, int width)
{
    return width == 1 ? fabs(y[0]) : sqrt(y[0] * y[0] + y[1] * y[1]);
}

/* Normal component of the projection of y on K: the root of the increasing, piecewise linear
       x - y_N - sum_g mu_g max(0, |y_g| - mu_g x),
   cut at 0. t: norms of the groups. */
static inline double mrn_cone_normal(int groups, const double *mu, double y_n, const double *t)
{
    bool active[MRN_FRICTION_GROUPS];
    double x = 0, top, bottom;
    for (int g = 0; g < groups; g++)
        active[g] = mu[g] > 0;
    /* every pass drops the groups that are inside the cone at x; x grows less than the true root
       while too many are active, so a dropped group never comes back */
    for (int pass = 0; pass <= groups; pass++) {
        bool dropped = false;
        top = y_n, bottom = 1;
        for (int g = 0; g < groups; g++)
            if (active[g])
                top += mu[g] * t[g], bottom += mu[g] * mu[g];
        x = top / bottom;
        for (int g = 0; g < groups; g++)
            if (active[g] && t[g] < mu[g] * x)
                active[g] = false, dropped = true;
        if (!dropped)
            break;
    }
    return x > 0 ? x : 0;
}

/* The projection on Coulomb's cone in 3D, unrolled: the operations of the general one, in their
   order. p may be y. */
static inline void mrn_coulomb_project(double mu, const double *y, double *p)
{
    double t = sqrt(y[1] * y[1] + y[2] * y[2]), x = y[0];
    if (mu > 0) {
        double slid = (y[0] + mu * t) / (1 + mu * mu);
        x = t < mu * slid ? x : slid;
    }
    x = x > 0 ? x : 0;
    double room = mu * x, s = t > room ? room / t : 1;
    p[0] = x, p[1] = s * y[1], p[2] = s * y[2];
}

/* p = projection of y on K (may be y itself). */
static inline void mrn_cone_project(const mrn_contact_layout *lay, const double *mu,
                                    const double *y, double *p)
{
    double t[MRN_FRICTION_GROUPS] = {0};
    if (lay->block == 3 && lay->dimension == 3) {
        mrn_coulomb_project(mu[0], y, p);
        return;
    }
    for (int g = 0; g < lay->groups; g++)
        t[g] = mrn_cone_norm(y + lay->first[g], lay->width[g]);
    double x = mrn_cone_normal(lay->groups, mu, y[0], t);
    p[0] = x;
    for (int g = 0; g < lay->groups; g++) {
        double room = mu[g] * x, s = t[g] > room ? room / t[g] : 1;
        for (int c = lay->first[g]; c < lay->first[g] + lay->width[g]; c++)
            p[c] = s * y[c];
    }
}

/* The increment of the normal velocity that makes Coulomb's law a complementarity on K and K*. */
static inline double mrn_cone_g(const mrn_contact_layout *lay, const double *mu, const double *u)
{
    double g = 0;
    for (int k = 0; k < lay->groups; k++)
        g += mu[k] * mrn_cone_norm(u + lay->first[k], lay->width[k]);
    return g;
}

/* f = r - P_K(y), y = r - h, h = rho (u + g(u)); returns |f|². Computed as h + (y - P_K(y)): inside
   the cone that is h exactly, however large r is beside it; for r = 0 on an open contact it is 0.
 */
static inline double mrn_coulomb_map(double mu, double rho, const double *r, const double *u,
                                     double *f)
{
    double y[3], p[3], sum = 0;
    f[0] = rho * (u[0] + mu * sqrt(u[1] * u[1] + u[2] * u[2]));
    f[1] = rho * u[1], f[2] = rho * u[2];
    for (int c = 0; c < 3; c++)
        y[c] = r[c] - f[c];
    mrn_coulomb_project(mu, y, p);
    for (int c = 0; c < 3; c++) {
        f[c] += y[c] - p[c];
        sum += f[c] * f[c];
    }
    return sum;
}

/* The same for contacts of all kinds. Those of law MRN_BILATERAL: f = rho u. */
static inline double mrn_natural_map(const mrn_contact_layout *lay, const double *mu,
                                     mrn_contact_law law, double rho, const double *r,
                                     const double *u, double *f)
{
    double y[MRN_CONTACT_BLOCK_MAX] = {0}, p[MRN_CONTACT_BLOCK_MAX] = {0}, sum = 0;
    if (law == MRN_BILATERAL) {
        for (int c = 0; c < lay->block; c++) {
            f[c] = rho * u[c];
            sum += f[c] * f[c];
        }
        return sum;
    }
    if (lay->block == 3 && lay->dimension == 3)
        return mrn_coulomb_map(mu[0], rho, r, u, f);
    for (int c = 0; c < lay->block; c++) {
        f[c] = rho * (c == 0 ? u[0] + mrn_cone_g(lay, mu, u) : u[c]);
        y[c] = r[c] - f[c];
    }
    mrn_cone_project(lay, mu, y, p);
    for (int c = 0; c < lay->block; c++) {
        f[c] += y[c] - p[c];
        sum += f[c] * f[c];
    }
    return sum;
}

#endif
