/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the solvers of one contact share: the measure of "to rounding", small systems of equations,
   and the fallbacks they hand over to each other. */
#ifndef MRN_SOLVE_LOCAL_PARTS_H
#define MRN_SOLVE_LOCAL_PARTS_H

#include "solve/local.h"

/* An answer satisfies the laws "to rounding" when its defect is below this: some hundred times the
   rounding unit, room for the sums in u = W r + q, the projection and a division or two. */
#define MRN_LOCAL_ROUNDING 1e-13

/* Natural map over what can cancel in it: |F_rho| / (rho (|q| + |W| |r|)), a backward error: the
   laws hold exactly for a W and a q changed by this relative amount. NAN counts as INFINITY. */
double mrn_local_defect(const mrn_contact_layout *lay, const double *W, const double *q,
                        const double *mu, const double *r);
double mrn_local_3d_defect(const double *W, const double *q, double mu, const double *r);

/* u = W r + q. */
static inline void mrn_local_velocity(int n, const double *W, const double *q, const double *r,
                                      double *u)
{
    for (int a = 0; a < n; a++) {
        double sum = q[a];
        for (int c = 0; c < n; c++)
            sum += W[c * n + a] * r[c];
        u[a] = sum;
    }
}

/* LU factors of a block, rows exchanged. A pivot that vanishes is replaced by a small one, so that
   a singular block is answered by iterative refinement as well as can be. */
typedef struct mrn_local_lu {
    int n, swap[MRN_CONTACT_BLOCK_MAX];
    double a[MRN_CONTACT_BLOCK_MAX * MRN_CONTACT_BLOCK_MAX];
} mrn_local_lu;
/* False: W is zero or not finite. */
bool mrn_local_factor(int n, const double *W, mrn_local_lu *lu);
void mrn_local_back(const mrn_local_lu *lu, double *x);
/* r = -W⁻¹ q, refined until W r + q is as small as rounding lets it be. False: no such r found. */
bool mrn_local_zero_velocity(int n, const double *W, const double *q, double *r);

/* Direction t of sliding improved from t itself by Newton's iteration on the angle. True when it
   has settled at a direction that satisfies the laws with r_N > 0. */
bool mrn_local_slide_newton(const double *W, const double *q, double mu, double *t);
/* Sliding as a scalar equation for kappa = |u_T| / |r_T| with a root between bounds whenever the
   symmetric part of W is positive definite: slower, cannot miss. Sticking when kappa = 0. */
bool mrn_local_slide_bracket(const double *W, const double *q, double mu, double *r);
/* r_N and r_T of sliding in direction t; false when no positive r_N belongs to it. */
bool mrn_local_slide_impulse(const double *W, const double *q, double mu, const double *t,
                             double *r);

/* The same contact with unit diagonal (mean of a group) and |q| = 1, whatever its units:
   r = r_scale r', u = u_scale u'. */
typedef struct mrn_local_balanced {
    double W[MRN_CONTACT_BLOCK_MAX * MRN_CONTACT_BLOCK_MAX], q[MRN_CONTACT_BLOCK_MAX];
    double mu[MRN_FRICTION_GROUPS], r_scale[MRN_CONTACT_BLOCK_MAX];
} mrn_local_balanced;
/* False: a diagonal that is not positive, a q that is 0, or numbers that are not finite. */
bool mrn_local_balance(const mrn_contact_layout *lay, const double *W, const double *q,
                       const double *mu, mrn_local_balanced *out);

/* Damped generalised Newton on Alart and Curnier's function from the guess r, at most `most` steps.
   Returns the defect reached; r is the iterate that has it. */
double mrn_local_alart_curnier(const mrn_contact_layout *lay, const double *W, const double *q,
                               const double *mu, int most, double *r);

/* Projections with a step that adapts itself, any layout, until the residual is below `tolerance`
   or the defect is at rounding. */
bool mrn_local_project(const mrn_contact_layout *lay, const double *W, const double *q,
                       const double *mu, double tolerance, int most, double *r);

#endif
