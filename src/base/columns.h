/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From rows to columns and back, four rows at a time. Bodies and contacts stand in memory one after
   the other, three or four numbers each, so that what belongs together lies in one line of the
   cache; loops that vectorise want the same number of many of them side by side. Compilers turn
   such a gather into one load and one insertion per number; a transposition in registers takes half
   of that. Written with the vector types of gcc and clang, for any instruction set; no arithmetic.
 */
#ifndef MRN_BASE_COLUMNS_H
#define MRN_BASE_COLUMNS_H

#include <stdint.h>

#define MRN_QUAD 4 /* rows at a time */

/* As unaligned as doubles are. */
typedef double mrn_two __attribute__((vector_size(16), aligned(8), may_alias));
typedef double mrn_four __attribute__((vector_size(32), aligned(8), may_alias));

/* Three numbers of each row. */
static inline __attribute__((always_inline)) void
mrn_to_columns3(const double *a, const double *b, const double *c, const double *d,
                double *restrict x, double *restrict y, double *restrict z)
{
    mrn_two p = *(const mrn_two *)a, q = *(const mrn_two *)b;
    mrn_two r = *(const mrn_two *)c, s = *(const mrn_two *)d;
    mrn_four even = __builtin_shufflevector(p, r, 0, 1, 2, 3);
    mrn_four odd = __builtin_shufflevector(q, s, 0, 1, 2, 3);
    *(mrn_four *)x = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    *(mrn_four *)y = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
    *(mrn_four *)z = (mrn_four){a[2], b[2], c[2], d[2]};
}

static inline __attribute__((always_inline)) void
mrn_to_columns4(const double *a, const double *b, const double *c, const double *d,
                double *restrict x, double *restrict y, double *restrict z, double *restrict w)
{
    mrn_four p = *(const mrn_four *)a, q = *(const mrn_four *)b;
    mrn_four r = *(const mrn_four *)c, s = *(const mrn_four *)d;
    mrn_four xz0 = __builtin_shufflevector(p, q, 0, 4, 2, 6);
    mrn_four yw0 = __builtin_shufflevector(p, q, 1, 5, 3, 7);
    mrn_four xz1 = __builtin_shufflevector(r, s, 0, 4, 2, 6);
    mrn_four yw1 = __builtin_shufflevector(r, s, 1, 5, 3, 7);
    *(mrn_four *)x = __builtin_shufflevector(xz0, xz1, 0, 1, 4, 5);
    *(mrn_four *)y = __builtin_shufflevector(yw0, yw1, 0, 1, 4, 5);
    *(mrn_four *)z = __builtin_shufflevector(xz0, xz1, 2, 3, 6, 7);
    *(mrn_four *)w = __builtin_shufflevector(yw0, yw1, 2, 3, 6, 7);
}

static inline __attribute__((always_inline)) void mrn_to_rows3(const double *x, const double *y,
                                                               const double *z, double *a,
                                                               double *b, double *c, double *d)
{
    mrn_four u = *(const mrn_four *)x, v = *(const mrn_four *)y;
    mrn_four ac = __builtin_shufflevector(u, v, 0, 4, 2, 6);
    mrn_four bd = __builtin_shufflevector(u, v, 1, 5, 3, 7);
    *(mrn_two *)a = __builtin_shufflevector(ac, ac, 0, 1), a[2] = z[0];
    *(mrn_two *)b = __builtin_shufflevector(bd, bd, 0, 1), b[2] = z[1];
    *(mrn_two *)c = __builtin_shufflevector(ac, ac, 2, 3), c[2] = z[2];
    *(mrn_two *)d = __builtin_shufflevector(bd, bd, 2, 3), d[2] = z[3];
}

static inline __attribute__((always_inline)) void mrn_to_rows4(const double *x, const double *y,
                                                               const double *z, const double *w,
                                                               double *a, double *b, double *c,
                                                               double *d)
{
    mrn_four p = *(const mrn_four *)x, q = *(const mrn_four *)y;
    mrn_four r = *(const mrn_four *)z, s = *(const mrn_four *)w;
    mrn_four xy0 = __builtin_shufflevector(p, q, 0, 4, 2, 6);
    mrn_four xy1 = __builtin_shufflevector(p, q, 1, 5, 3, 7);
    mrn_four zw0 = __builtin_shufflevector(r, s, 0, 4, 2, 6);
    mrn_four zw1 = __builtin_shufflevector(r, s, 1, 5, 3, 7);
    *(mrn_four *)a = __builtin_shufflevector(xy0, zw0, 0, 1, 4, 5);
    *(mrn_four *)b = __builtin_shufflevector(xy1, zw1, 0, 1, 4, 5);
    *(mrn_four *)c = __builtin_shufflevector(xy0, zw0, 2, 3, 6, 7);
    *(mrn_four *)d = __builtin_shufflevector(xy1, zw1, 2, 3, 6, 7);
}

/* ---- eight rows of eight ---- */

typedef double mrn_eight __attribute__((vector_size(64), aligned(8), may_alias));

/* The rows of an 8 x 8 matrix become its columns, in place: pairs of numbers, then pairs of pairs,
   then halves. */
static inline __attribute__((always_inline)) void mrn_transpose8(mrn_eight r[8])
{
    mrn_eight t[8], u[8];
    for (int k = 0; k < 4; k++) {
        t[2 * k] = __builtin_shufflevector(r[2 * k], r[2 * k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        t[2 * k + 1] = __builtin_shufflevector(r[2 * k], r[2 * k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int k = 0; k < 2; k++) { /* k: even and odd columns */
        u[k] = __builtin_shufflevector(t[k], t[k + 2], 0, 1, 4, 5, 8, 9, 12, 13);
        u[k + 2] = __builtin_shufflevector(t[k], t[k + 2], 2, 3, 6, 7, 10, 11, 14, 15);
        u[k + 4] = __builtin_shufflevector(t[k + 4], t[k + 6], 0, 1, 4, 5, 8, 9, 12, 13);
        u[k + 6] = __builtin_shufflevector(t[k + 4], t[k + 6], 2, 3, 6, 7, 10, 11, 14, 15);
    }
    for (int k = 0; k < 4; k++) {
        r[k] = __builtin_shufflevector(u[k], u[k + 4], 0, 1, 4, 5, 8, 9, 12, 13);
        r[k + 4] = __builtin_shufflevector(u[k], u[k + 4], 2, 3, 6, 7, 10, 11, 14, 15);
    }
}

#endif
