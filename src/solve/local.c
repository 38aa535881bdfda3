/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One contact: residual and defect, small linear systems, the laws without friction, and the choice
   among the solvers. */
#include "solve/local.h"

#include <float.h>

#include "solve/local_parts.h"

/* ---- how good ---- */

/* rho = 1 / mean diagonal; 1 where that is not positive (then W is no contact, but any rho > 0
   tells an answer from what is none). */
static double rho_of(int n, const double *W)
{
    double sum = 0;
    for (int a = 0; a < n; a++)
        sum += W[a * n + a];
    return sum > 0 ? n / sum : 1;
}

static double norm_of(int n, const double *x)
{
    double sum = 0;
    for (int a = 0; a < n; a++)
        sum += x[a] * x[a];
    return sqrt(sum);
}

/* |F| / rho of r. A projection swallows what is not a number: looked for here. */
static double natural_of(const mrn_contact_layout *lay, const double *W, const double *q,
                         const double *mu, const double *r)
{
    double u[MRN_CONTACT_BLOCK_MAX], f[MRN_CONTACT_BLOCK_MAX], rho = rho_of(lay->block, W);
    mrn_local_velocity(lay->block, W, q, r, u);
    for (int a = 0; a < lay->block; a++)
        if (!(fabs(u[a]) <= DBL_MAX))
            return INFINITY;
    return sqrt(mrn_natural_map(lay, mu, MRN_UNILATERAL, rho, r, u, f)) / rho;
}

double mrn_local_residual(const mrn_contact_layout *lay, const double *W, const double *q,
                          const double *mu, const double *r)
{
    double size = norm_of(lay->block, q);
    if (size == 0)
        return norm_of(lay->block, r) > 0 ? 1 : 0;
    return natural_of(lay, W, q, mu, r) / size;
}

double mrn_local_defect(const mrn_contact_layout *lay, const double *W, const double *q,
                        const double *mu, const double *r)
{
    int n = lay->block;
    double size = norm_of(n, q) + norm_of(n * n, W) * norm_of(n, r);
    double d = size == 0 ? 0 : natural_of(lay, W, q, mu, r) / size;
    return d >= 0 ? d : INFINITY;
}

double mrn_local_3d_defect(const double *W, const double *q, double mu, const double *r)
{
    return mrn_local_defect(mrn_contact_layout_of(MRN_CONTACT_3D), W, q, &mu, r);
}

/* ---- small systems ---- */

static void swap_rows(mrn_local_lu *lu, int i, int j)
{
    for (int c = 0; c < lu->n; c++) {
        double x = lu->a[c * lu->n + i];
        lu->a[c * lu->n + i] = lu->a[c * lu->n + j];
        lu->a[c * lu->n + j] = x;
    }
}

bool mrn_local_factor(int n, const double *W, mrn_local_lu *lu)
{
    double all = norm_of(n * n, W);
    if (!(all > 0 && all <= DBL_MAX))
        return false;
    lu->n = n;
    for (int k = 0; k < n * n; k++)
        lu->a[k] = W[k];
    for (int k = 0; k < n; k++) {
        double *col = lu->a + k * n, size = norm_of(n, W + k * n);
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(col[i]) > fabs(col[p]))
                p = i;
        lu->swap[k] = p;
        if (p != k)
            swap_rows(lu, k, p);
        if (!(fabs(col[k]) > 0x1p-50 * size))
            col[k] = 1e-8 * (size > 0 ? size : all);
        for (int i = k + 1; i < n; i++) {
            col[i] /= col[k];
            for (int c = k + 1; c < n; c++)
                lu->a[c * n + i] -= col[i] * lu->a[c * n + k];
        }
    }
    return true;
}

void mrn_local_back(const mrn_local_lu *lu, double *x)
{
    int n = lu->n;
    for (int k = 0; k < n; k++) {
        double y = x[lu->swap[k]];
        x[lu->swap[k]] = x[k];
        x[k] = y;
    }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            x[i] -= lu->a[k * n + i] * x[k];
    for (int k = n - 1; k >= 0; k--) {
        x[k] /= lu->a[k * n + k];
        for (int i = 0; i < k; i++)
            x[i] -= lu->a[k * n + i] * x[k];
    }
}

bool mrn_local_zero_velocity(int n, const double *W, const double *q, double *r)
{
    mrn_local_lu lu;
    double s[MRN_CONTACT_BLOCK_MAX] = {0}, u[MRN_CONTACT_BLOCK_MAX], best = INFINITY;
    if (!mrn_local_factor(n, W, &lu)) {
        for (int a = 0; a < n; a++)
            r[a] = 0;
        return !(norm_of(n, q) > 0);
    }
    double size = norm_of(n * n, W), top = norm_of(n, q);
    for (int k = 0; k < 8; k++) {
        mrn_local_velocity(n, W, q, s, u);
        double left = norm_of(n, u);
        if (!(left < best))
            break;
        best = left;
        for (int a = 0; a < n; a++)
            r[a] = s[a];
        mrn_local_back(&lu, u);
        for (int a = 0; a < n; a++)
            s[a] -= u[a];
    }
    return best <= MRN_LOCAL_ROUNDING * (top + size * norm_of(n, r));
}

/* ---- without friction, without unilaterality ---- */

bool mrn_local_frictionless(int block, const double *W, const double *q, double *r)
{
    for (int a = 0; a < block; a++)
        r[a] = 0;
    if (q[0] >= 0)
        return true;
    if (!(W[0] > 0) || !(-q[0] / W[0] <= DBL_MAX))
        return false;
    r[0] = -q[0] / W[0];
    return true;
}

bool mrn_local_bilateral(int block, const double *W, const double *q, double *r)
{
    return mrn_local_zero_velocity(block, W, q, r);
}

/* ---- the choice ---- */

/* A single projection, with the step that is safe for the Frobenius norm of the block (a bound of
   its largest eigenvalue). */
static bool one_projection(const mrn_contact_layout *lay, const double *W, const double *q,
                           const double *mu, double *r)
{
    int n = lay->block;
    double u[MRN_CONTACT_BLOCK_MAX] = {0}, f[MRN_CONTACT_BLOCK_MAX], rho = 1 / norm_of(n * n, W);
    mrn_local_velocity(n, W, q, r, u);
    mrn_natural_map(lay, mu, MRN_UNILATERAL, rho, r, u, f);
    for (int a = 0; a < n; a++)
        r[a] -= f[a];
    return mrn_local_defect(lay, W, q, mu, r) <= MRN_LOCAL_ROUNDING;
}

static bool without_friction(const mrn_contact_layout *lay, const double *mu)
{
    for (int g = 0; g < lay->groups; g++)
        if (mu[g] > 0)
            return false;
    return true;
}

static bool choose(mrn_local_method method, const mrn_contact_layout *lay, const double *W,
                   const double *inverse, const double *q, const double *mu, double *r)
{
    bool space = lay->block == 3 && lay->groups == 1;
    if (method == MRN_LOCAL_ONE_PROJECTION)
        return one_projection(lay, W, q, mu, r);
    if (method == MRN_LOCAL_PROJECTION)
        return mrn_local_project(lay, W, q, mu, MRN_LOCAL_ROUNDING, 1000, r);
    if (lay->block == 2)
        return mrn_local_2d(W, q, mu[0], r);
    if (space && method == MRN_LOCAL_AUTO)
        return mrn_local_3d(W, inverse, q, mu[0], r);
    if (without_friction(lay, mu))
        return mrn_local_frictionless(lay->block, W, q, r);
    if (!space)
        return mrn_local_groups(lay, W, q, mu, r);
    return method == MRN_LOCAL_NEWTON ? mrn_local_3d_newton(W, q, mu[0], r)
                                      : mrn_local_3d_quartic(W, q, mu[0], r);
}

bool mrn_local_solve(mrn_local_method method, const mrn_contact_layout *lay, mrn_contact_law law,
                     const double *W, const double *inverse, const double *q, const double *mu,
                     double cohesion, double *r)
{
    if (law == MRN_BILATERAL)
        return mrn_local_bilateral(lay->block, W, q, r);
    if (!(cohesion > 0))
        return choose(method, lay, W, inverse, q, mu, r);
    /* r + c n obeys the law without cohesion, with the velocity that -c n alone gives */
    double shifted[MRN_CONTACT_BLOCK_MAX];
    for (int a = 0; a < lay->block; a++)
        shifted[a] = q[a] - cohesion * W[a];
    r[0] += cohesion;
    bool done = choose(method, lay, W, inverse, shifted, mu, r);
    r[0] -= cohesion;
    return done;
}
