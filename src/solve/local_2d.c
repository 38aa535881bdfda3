/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One contact in 2D: the graphs of Signorini and Coulomb cut by the line u = W r + q. For q_N < 0
   eliminate the normal component with u_N = 0; along u_T = -kappa r_T, kappa from 0 (sticking) to
   infinity, r_T keeps its sign and |r_T| falls from the sticking value to 0 while mu r_N - |r_T| is
   linear in it: there is exactly one answer, and when it slides, it slides the way sticking pulls.
 */
#include "solve/local_parts.h"

/* r is not good to rounding: one or two corrections by the same formula, for a W near singular. */
static bool stick_refined(const double *W, const double *q, double mu, double over_det, double *r)
{
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_2D);
    double u[2];
    for (int k = 0; k < 3; k++) {
        mrn_local_velocity(2, W, q, r, u);
        r[0] -= over_det * (W[3] * u[0] - W[2] * u[1]);
        r[1] -= over_det * (W[0] * u[1] - W[1] * u[0]);
    }
    return mrn_local_defect(lay, W, q, &mu, r) <= MRN_LOCAL_ROUNDING;
}

/* Sliding with r_T = t mu r_N, t = 1 or -1. */
static bool slide(const double *W, const double *q, double mu, double t, double *r)
{
    double bottom = W[0] + t * mu * W[2];
    if (!(bottom > 0))
        return false;
    r[0] = -q[0] / bottom;
    r[1] = t * mu * r[0];
    double a = W[1] * r[0], b = W[3] * r[1], u = q[1] + a + b;
    return t * u <= 0x1p-48 * (fabs(q[1]) + fabs(a) + fabs(b));
}

/* Rounding has turned a nearly singular block into one that no branch fits: try them all. */
static bool enumerate_2d(const double *W, const double *q, double mu, double *r)
{
    const mrn_contact_layout *lay = mrn_contact_layout_of(MRN_CONTACT_2D);
    double best = mrn_local_defect(lay, W, q, &mu, r), s[2];
    for (int way = 0; way < 4; way++) {
        s[0] = W[0] > 0 && way == 3 ? -q[0] / W[0] : 0, s[1] = 0;
        if (way == 0)
            mrn_local_zero_velocity(2, W, q, s);
        else if (way < 3)
            slide(W, q, mu, way == 1 ? 1 : -1, s);
        double defect = mrn_local_defect(lay, W, q, &mu, s);
        if (defect < best)
            best = defect, r[0] = s[0], r[1] = s[1];
    }
    if (best > MRN_LOCAL_ROUNDING)
        return mrn_local_project(lay, W, q, &mu, MRN_LOCAL_ROUNDING, 1000, r);
    return true;
}

bool mrn_local_2d(const double *W, const double *q, double mu, double *r)
{
    if (q[0] >= 0) {
        r[0] = r[1] = 0;
        return true;
    }
    /* the sticking impulse times the determinant: comparisons need no division */
    double det = W[0] * W[3] - W[1] * W[2];
    double n = W[2] * q[1] - W[3] * q[0], t = W[1] * q[0] - W[0] * q[1];
    if (det > 0 && fabs(t) <= mu * n) {
        double over = 1 / det;
        r[0] = over * n;
        r[1] = over * t;
        double u0 = q[0] + W[0] * r[0] + W[2] * r[1], u1 = q[1] + W[1] * r[0] + W[3] * r[1];
        if (fabs(u0) + fabs(u1) <= 0x1p-48 * (fabs(q[0]) + fabs(q[1])))
            return true;
        if (stick_refined(W, q, mu, over, r))
            return true;
    } else if (slide(W, q, mu, copysign(1, t), r)) {
        return true;
    }
    return enumerate_2d(W, q, mu, r);
}
