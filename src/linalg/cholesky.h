/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factorisation L D Lᵀ of a sparse symmetric positive definite matrix, whose pattern is analysed
   once and whose values may change. The same bits for any number of threads. */
#ifndef MRN_LINALG_CHOLESKY_H
#define MRN_LINALG_CHOLESKY_H

#include "moraine/base.h"

typedef struct mrn_cholesky {
    struct mrn_cholesky_inside *inside;
    int64_t fill; /* numbers in L, after the first factorisation */
} mrn_cholesky;

/* The lower triangle of an n x n matrix by columns: `start` n + 1, `row` in any order within a
   column, every diagonal entry there. The arrays must live as long as the factorisation. */
mrn_status mrn_cholesky_make(int n, const int32_t *start, const int32_t *row, mrn_cholesky *out,
                             mrn_message *msg);
/* MRN_OK; MRN_ERR_MEMORY; MRN_ERR_RANGE: the matrix is not positive definite. */
mrn_status mrn_cholesky_factor(mrn_cholesky *c, const double *value, mrn_message *msg);
/* x = A⁻¹ b (may be the same array). Allocates nothing after the first call with a factorisation;
   false: out of memory, only then. */
bool mrn_cholesky_solve(mrn_cholesky *c, const double *b, double *x);
void mrn_cholesky_release(mrn_cholesky *c);

#endif
