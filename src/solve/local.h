/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One contact with all others frozen: u = W r + q with a block W, and the laws. Blocks are stored
   column after column; W need not be symmetric, its symmetric part is positive definite (positive
   semi-definite is answered as well as can be). r comes in as a guess and leaves as the answer. All
   return whether the answer satisfies the laws to rounding (relative to |q| and to what W r
   cancels); when false, r is the best found. */
#ifndef MRN_SOLVE_LOCAL_H
#define MRN_SOLVE_LOCAL_H

#include "solve/cone.h"

/* Residual of one contact, dimensionless: |r - P_K(r - rho (u + g(u)))| / (rho |q|), rho = the
   inverse of the mean diagonal entry of W; for q = 0, |r| against nothing: 0 when r = 0, else 1. */
double mrn_local_residual(const mrn_contact_layout *lay, const double *W, const double *q,
                          const double *mu, const double *r);

/* 2D, exact: separate, stick, slide left or right by intersection of the graphs. */
bool mrn_local_2d(const double *W, const double *q, double mu, double *r);

/* 3D, the fast one: open and sticking directly (`inverse` = W⁻¹, NULL: computed), sliding by
   a Newton iteration on the direction of sliding alone, begun at the guess; when that fails a
   bracketed scalar root, the quartic, projections. */
bool mrn_local_3d(const double *W, const double *inverse, const double *q, double mu, double *r);
/* 3D, Alart-Curnier's function by a damped generalised Newton; the quartic when that fails. */
bool mrn_local_3d_newton(const double *W, const double *q, double mu, double *r);
/* 3D, all directions of sliding from a polynomial of degree four (enumerates; no guess needed). Of
   several answers (possible at large friction) the one of least |r|. */
bool mrn_local_3d_quartic(const double *W, const double *q, double mu, double *r);
/* 3D, projections with a step that adapts itself until the residual is below `tolerance` or `most`
   steps are done. */
bool mrn_local_3d_projection(const double *W, const double *q, double mu, double tolerance,
                             int most, double *r);

/* Any layout (rolling, pivoting): generalised Newton on the discs of all groups, projections when
   that fails. */
bool mrn_local_groups(const mrn_contact_layout *lay, const double *W, const double *q,
                      const double *mu, double *r);
/* Normal component alone, the others 0. */
bool mrn_local_frictionless(int block, const double *W, const double *q, double *r);
/* u = 0. */
bool mrn_local_bilateral(int block, const double *W, const double *q, double *r);

/* How sweeps solve a contact of a layout: the choice of an option of Gauss-Seidel solvers. */
typedef enum mrn_local_method {
    MRN_LOCAL_AUTO, /* 2D graph, 3D fast, groups     */
    MRN_LOCAL_NEWTON,
    MRN_LOCAL_QUARTIC,
    MRN_LOCAL_PROJECTION,
    MRN_LOCAL_ONE_PROJECTION, /* a single projection: not a solution, but cheap */
} mrn_local_method;
/* Law, friction and method decide which of the above is called. `mu` per group; cohesion c >= 0
   shifts the law to r_N + c. `inverse` may be NULL. */
bool mrn_local_solve(mrn_local_method method, const mrn_contact_layout *lay, mrn_contact_law law,
                     const double *W, const double *inverse, const double *q, const double *mu,
                     double cohesion, double *r);

#endif
