/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One contact by projections on its cone,

       r <- P_K(r - rho û(r)),   û = u + g(u),

   with a step rho that adapts itself: shortened while rho |û(r) - û(p)| > 0.9 |r - p| (p: where the
   step leads), so that û is followed, lengthened when it is followed easily. Slow where W is
   ill-conditioned, but asks for nothing else. Also the balancing of units, which the step needs to
   be one number. */
#include <float.h>

#include "solve/local_parts.h"

static double mean_of_group(const mrn_contact_layout *lay, const double *W, int g)
{
    double sum = 0;
    for (int c = lay->first[g]; c < lay->first[g] + lay->width[g]; c++)
        sum += W[c * lay->block + c];
    return sum / lay->width[g];
}

bool mrn_local_balance(const mrn_contact_layout *lay, const double *W, const double *q,
                       const double *mu, mrn_local_balanced *out)
{
    int n = lay->block;
    double s[MRN_CONTACT_BLOCK_MAX] = {0}, size = 0;
    bool fine = W[0] > 0 && W[0] <= DBL_MAX;
    s[0] = 1 / sqrt(W[0]);
    for (int g = 0; g < lay->groups; g++) {
        double d = mean_of_group(lay, W, g);
        fine = fine && d > 0 && d <= DBL_MAX;
        for (int c = lay->first[g]; c < lay->first[g] + lay->width[g]; c++)
            s[c] = 1 / sqrt(d);
        out->mu[g] = mu[g] * s[0] / s[lay->first[g]];
    }
    for (int c = 0; c < n; c++)
        for (int a = 0; a < n; a++)
            out->W[c * n + a] = s[a] * s[c] * W[c * n + a];
    for (int a = 0; a < n; a++)
        size = fmax(size, fabs(out->q[a] = s[a] * q[a]));
    for (int a = 0; a < n; a++) {
        out->q[a] /= size;
        out->r_scale[a] = s[a] * size;
    }
    return fine && size > 0 && size <= DBL_MAX;
}

/* û = W r + q + g. */
static void velocity_hat(const mrn_contact_layout *lay, const mrn_local_balanced *b,
                         const double *r, double *u)
{
    mrn_local_velocity(lay->block, b->W, b->q, r, u);
    u[0] += mrn_cone_g(lay, b->mu, u);
}

static double step(const mrn_contact_layout *lay, const mrn_local_balanced *b, double rho,
                   const double *r, const double *u, double *p)
{
    double y[MRN_CONTACT_BLOCK_MAX], moved = 0;
    for (int a = 0; a < lay->block; a++)
        y[a] = r[a] - rho * u[a];
    mrn_cone_project(lay, b->mu, y, y);
    for (int a = 0; a < lay->block; a++) {
        moved += (r[a] - y[a]) * (r[a] - y[a]);
        p[a] = y[a];
    }
    return sqrt(moved);
}

/* One step; returns how far it moved, over rho: the natural map. */
static double adapt_and_step(const mrn_contact_layout *lay, const mrn_local_balanced *b,
                             double *rho, double *r)
{
    int n = lay->block;
    double u[MRN_CONTACT_BLOCK_MAX], v[MRN_CONTACT_BLOCK_MAX], p[MRN_CONTACT_BLOCK_MAX] = {0};
    double moved = 0, ratio = 0;
    velocity_hat(lay, b, r, u);
    for (int k = 0; k < 60; k++) {
        moved = step(lay, b, *rho, r, u, p);
        velocity_hat(lay, b, p, v);
        double change = 0;
        for (int a = 0; a < n; a++)
            change += (u[a] - v[a]) * (u[a] - v[a]);
        ratio = moved > 0 ? *rho * sqrt(change) / moved : 0;
        if (!(ratio > 0.9))
            break;
        *rho *= 0.667 * fmin(1, 1 / ratio);
    }
    double natural = moved / *rho;
    for (int a = 0; a < n; a++)
        r[a] = p[a];
    if (ratio < 0.4)
        *rho *= 1.5;
    return natural;
}

/* Begins at the guess, or at 0 when that is nearer to an answer. */
static void begin(const mrn_contact_layout *lay, const mrn_local_balanced *b, const double *guess,
                  double *s)
{
    double u[MRN_CONTACT_BLOCK_MAX] = {0}, f[MRN_CONTACT_BLOCK_MAX];
    double z[MRN_CONTACT_BLOCK_MAX] = {0};
    for (int a = 0; a < lay->block; a++)
        s[a] = guess[a] / b->r_scale[a];
    mrn_cone_project(lay, b->mu, s, s);
    mrn_local_velocity(lay->block, b->W, b->q, s, u);
    double of_guess = mrn_natural_map(lay, b->mu, MRN_UNILATERAL, 1, s, u, f);
    if (!(of_guess <= mrn_natural_map(lay, b->mu, MRN_UNILATERAL, 1, z, b->q, f)))
        for (int a = 0; a < lay->block; a++)
            s[a] = 0;
}

static bool good_enough(const mrn_contact_layout *lay, const double *W, const double *q,
                        const double *mu, double tolerance, const double *r)
{
    return mrn_local_residual(lay, W, q, mu, r) <= tolerance ||
           mrn_local_defect(lay, W, q, mu, r) <= fmin(tolerance, MRN_LOCAL_ROUNDING);
}

bool mrn_local_project(const mrn_contact_layout *lay, const double *W, const double *q,
                       const double *mu, double tolerance, int most, double *r)
{
    mrn_local_balanced b;
    double s[MRN_CONTACT_BLOCK_MAX], rho = 1;
    if (q[0] >= 0 || !mrn_local_balance(lay, W, q, mu, &b)) {
        for (int a = 0; a < lay->block; a++)
            r[a] = 0;
        return q[0] >= 0;
    }
    begin(lay, &b, r, s);
    for (int k = 0; k < most; k++) {
        double natural = adapt_and_step(lay, &b, &rho, s);
        /* the exact measure only when the cheap one comes near, or at the end */
        if (natural > 100 * tolerance && k + 1 < most)
            continue;
        for (int a = 0; a < lay->block; a++)
            r[a] = s[a] * b.r_scale[a];
        if (good_enough(lay, W, q, mu, tolerance, r))
            return true;
    }
    return false;
}

bool mrn_local_3d_projection(const double *W, const double *q, double mu, double tolerance,
                             int most, double *r)
{
    return mrn_local_project(mrn_contact_layout_of(MRN_CONTACT_3D), W, q, &mu, tolerance, most, r);
}
