/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of dense panels, column after column, for factorisations whose bits are to be the same
   everywhere: every number is one sum in the order of the columns, in plain multiplications and
   additions; vectors and threads only decide which numbers are computed at a time. Rows go four at
   a time and may go up to three beyond the last one, in A, B and C alike. */
#ifndef MRN_LINALG_DENSE_H
#define MRN_LINALG_DENSE_H

#include <stdint.h>

/* C = A Bᵀ: A m x k, B n x k (both with ld numbers from column to column), C m x n with ldc. */
void mrn_dense_product(int64_t m, int64_t n, int64_t k, const double *a, const double *b,
                       int64_t ld, double *c, int64_t ldc);
/* C -= A Bᵀ, all with ld. */
void mrn_dense_subtract(int64_t m, int64_t n, int64_t k, const double *a, const double *b,
                        int64_t ld, double *c);
/* A = A S: A m x b with ld, S b x b, b <= 6. */
void mrn_dense_scale(int64_t m, int b, const double *s, double *a, int64_t ld);
/* Sum of x y in four interleaved parts. */
double mrn_dense_dot(int64_t n, const double *x, const double *y);

#endif
