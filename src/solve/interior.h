/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interior-point iteration as a machine that can be stepped, for the solver of its own name and
   for the hybrid one. Sliding friction only: 2D and 3D contacts, bilateral ones among them. */
#ifndef MRN_SOLVE_INTERIOR_H
#define MRN_SOLVE_INTERIOR_H

#include "solve/step_matrix.h"

typedef struct mrn_interior {
    mrn_system *s;
    mrn_step_matrix *matrix; /* shared with other Newton-type solvers: same pattern */
    double *scale;           /* n*b: r = scale x                          */
    double *x, *y;           /* impulse and velocity in the cone          */
    double *z;               /* W x + q                                   */
    double *dx, *dy, *rp, *rhs, *v, *p, *a, *lambda;
    double *kept;      /* dx, dy and rhs before a corrector that may not help */
    double gap;        /* mean of x . y                                                */
    double step;       /* length of the last step, 0 to 1                              */
    double alpha;      /* damping: W + alpha, so that no direction is longer than |rp| / alpha */
    double infeasible; /* |rp| before the last step                                         */
    int mended;        /* pivots mended in the last factorisation                      */
} mrn_interior;

/* Whether the method knows this kind of contact. */
bool mrn_interior_knows(mrn_contact_kind kind);
mrn_status mrn_interior_make(mrn_system *s, mrn_step_matrix *matrix, mrn_interior *out,
                             mrn_message *msg);
/* Starts in the middle of the cones, at impulses and velocities of the given sizes. */
void mrn_interior_start(mrn_interior *m, double impulse, double velocity);
/* Starts near impulses r whose residual is known; u (n*b) is scratch. */
void mrn_interior_start_at(mrn_interior *m, const double *r, double residual, double *u);
/* One predictor-corrector step; false when it could not move. Afterwards `r` (n*b) is the impulse
   and `u` its velocity. */
bool mrn_interior_step(mrn_interior *m, double *r, double *u);

#endif
