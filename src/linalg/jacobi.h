/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eigenvalues of small symmetric matrices by Jacobi's cyclic rotations. For matrices of a few rows
   it is as fast as any method; it gives small eigenvalues of positive matrices to all their digits
   (Demmel and Veselic 1992; tridiagonal methods are right to those of the largest), and turns
   nothing that is zero already, so that axes stay near those of the given frame. */
#ifndef MRN_LINALG_JACOBI_H
#define MRN_LINALG_JACOBI_H

#include <math.h>

/* Cosine and sine of the smaller turn that makes [app apq; apq aqq] diagonal; apq is not zero. */
static inline void mrn_jacobi_angle(double app, double aqq, double apq, double *c, double *s)
{
    double theta = (aqq - app) / (2 * apq);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    *c = 1 / sqrt(t * t + 1);
    *s = t * *c;
}

/* Turns columns p and q of an array of n rows of `width` numbers. */
static inline void mrn_jacobi_turn(int n, int width, double *a, int p, int q, double c, double s)
{
    for (int k = 0; k < n; k++) {
        double x = a[k * width + p], y = a[k * width + q];
        a[k * width + p] = c * x - s * y, a[k * width + q] = s * x + c * y;
    }
}

/* The matrix `a` (n x n, row by row, both triangles) becomes diagonal, its eigenvectors are the
   columns of `v`. To the rounding of the largest entry: until what is left beside the diagonal is
   below 1e-17 of the whole in Frobenius' norm. A matrix with entries that are no numbers is left as
   it is. */
void mrn_jacobi_eigen(int n, double *a, double *v);
/* The same pair by pair: an entry is left where it is at most `least`, or at most `relative` times
   the root of the product of its two diagonal entries. */
void mrn_jacobi_pairs(int n, double *a, double least, double relative, double *v);

#endif
