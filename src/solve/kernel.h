/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The products that all solvers spend their time in: a row of blocks, one block, a body. */
#ifndef MRN_SOLVE_KERNEL_H
#define MRN_SOLVE_KERNEL_H

#include "solve/system.h"

/* Four numbers at any address. Lane by lane these are the same operations in the same order as the
   plain loops: the width of the machine changes no bit. */
typedef double mrn_v4 __attribute__((vector_size(32)));
typedef double mrn_v4_any __attribute__((vector_size(32), aligned(8), may_alias));

/* (A macro and not a function: what a function returns in a vector register depends on the
 * machine.) */
#define MRN_V4(p) (*(const mrn_v4_any *)(p))

/* v (3) += sum of the off-diagonal 3 x 3 blocks of row i. A column is read with the first number of
   the next one, whose lane is never used; the last block has numbers to spare. */
static inline void mrn_row_times_3(const mrn_system *s, int i, const double *x, double *v)
{
    const double *w = s->off + s->start[i] * 9;
    mrn_v4 a = {v[0], v[1], v[2], 0}, b = {0, 0, 0, 0};
    for (int64_t k = s->start[i]; k < s->start[i + 1]; k++, w += 9) {
        const double *xk = x + (int64_t)s->col[k] * 3;
        a += MRN_V4(w) * xk[0];
        b += MRN_V4(w + 3) * xk[1];
        a += MRN_V4(w + 6) * xk[2];
    }
    a += b;
    v[0] = a[0], v[1] = a[1], v[2] = a[2];
}

/* The same for 2 x 2 blocks. */
static inline void mrn_row_times_2(const mrn_system *s, int i, const double *x, double *v)
{
    const double *w = s->off + s->start[i] * 4;
    double v0 = v[0], v1 = v[1];
    for (int64_t k = s->start[i]; k < s->start[i + 1]; k++, w += 4) {
        const double *xk = x + (int64_t)s->col[k] * 2;
        v0 += w[0] * xk[0];
        v1 += w[1] * xk[0];
        v0 += w[2] * xk[1];
        v1 += w[3] * xk[1];
    }
    v[0] = v0, v[1] = v1;
}

/* v (b) += sum of the off-diagonal blocks of row i */
static inline void mrn_row_times(const mrn_system *s, int i, const double *x, double *v)
{
    int b = s->b;
    if (b == 3) {
        mrn_row_times_3(s, i, x, v);
        return;
    }
    if (b == 2) {
        mrn_row_times_2(s, i, x, v);
        return;
    }
    for (int64_t k = s->start[i]; k < s->start[i + 1]; k++) {
        const double *w = s->off + k * b * b, *xk = x + (int64_t)s->col[k] * b;
        for (int c = 0; c < b; c++)
            for (int a = 0; a < b; a++)
                v[a] += w[c * b + a] * xk[c];
    }
}

/* v += W x of one block */
static inline void mrn_block_times(int b, const double *w, const double *x, double *v)
{
    for (int c = 0; c < b; c++)
        for (int a = 0; a < b; a++)
            v[a] += w[c * b + a] * x[c];
}

/* p (dof) += Hᵀ's transpose times x */
static inline void mrn_body_push(int b, int dof, const double *h, const double *x, double *p)
{
    for (int d = 0; d < dof; d++) {
        double sum = 0;
        for (int c = 0; c < b; c++)
            sum += h[d * b + c] * x[c];
        p[d] += sum;
    }
}

/* p = M⁻¹ p */
static inline void mrn_body_velocity(int dof, const double *minv, double *p)
{
    double v[6] = {0};
    for (int c = 0; c < dof; c++)
        for (int d = 0; d < dof; d++)
            v[d] += minv[c * dof + d] * p[c];
    for (int d = 0; d < dof; d++)
        p[d] = v[d];
}

/* u (b) += Ht v */
static inline void mrn_body_relative(int b, int dof, const double *h, const double *v, double *u)
{
    for (int d = 0; d < dof; d++)
        for (int c = 0; c < b; c++)
            u[c] += h[d * b + c] * v[d];
}

#endif
