/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The symmetric part of W made definite, D^-1/2 (W + Wᵀ)/2 D^-1/2 + rho, factorised. D holds one
   number per contact, its mean diagonal: cones stay cones. */
#ifndef MRN_SOLVE_REGULAR_H
#define MRN_SOLVE_REGULAR_H

#include "linalg/cholesky.h"
#include "solve/system.h"

typedef struct mrn_regular {
    const mrn_system *s;
    double *root;   /* sqrt of D per contact                                      */
    int32_t *start; /* lower triangle by columns; a column begins on the diagonal */
    int32_t *row;
    double *value; /* with rho                                                   */
    double rho;
    double asymmetry; /* largest |W - Wᵀ| over the largest |W|, scaled by D         */
    mrn_cholesky cholesky;
} mrn_regular;

/* Memory from the work space of s, and from the factorisation's own: mrn_regular_release. */
mrn_status mrn_regular_make(const mrn_system *s, mrn_regular *out, mrn_message *msg);
mrn_status mrn_regular_factor(mrn_regular *a, double rho, mrn_message *msg);
void mrn_regular_release(mrn_regular *a);

#endif
