/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inverses of small blocks, stored column after column. */
#ifndef MRN_LINALG_SMALL_H
#define MRN_LINALG_SMALL_H

#include <math.h>
#include <stdbool.h>

#define MRN_SMALL_MAX 6 /* rows of the largest block */

/* Gauss-Jordan with row exchanges; `ld` numbers from column to column. A pivot of at most `least`
   times the largest entry is replaced by `instead` times that entry, which keeps (INFINITY:
   removes) the inverse small in that direction; returns whether that happened. */
static inline bool mrn_small_invert(int b, int ld, const double *a, double least, double instead,
                                    double *inv)
{
    double m[MRN_SMALL_MAX][2 * MRN_SMALL_MAX] = {{0}}, top = 0;
    bool mended = false;
    for (int r = 0; r < b; r++) {
        for (int c = 0; c < b; c++)
            m[r][c] = a[c * ld + r], top = fmax(top, fabs(m[r][c]));
        m[r][b + r] = 1;
    }
    for (int c = 0; c < b; c++) {
        int best = c;
        for (int r = c + 1; r < b; r++)
            if (fabs(m[r][c]) > fabs(m[best][c]))
                best = r;
        double pivot = m[best][c];
        if (!(fabs(pivot) > least * top) || !isfinite(pivot))
            pivot = top > 0 && isfinite(top) ? instead * top : 1, mended = true;
        for (int k = 0; k < 2 * b; k++) {
            double x = m[best][k];
            m[best][k] = m[c][k], m[c][k] = x / pivot;
        }
        for (int r = 0; r < b; r++) {
            double s = r == c ? 0 : m[r][c];
            for (int k = 0; k < 2 * b; k++)
                m[r][k] -= s * m[c][k];
        }
    }
    for (int r = 0; r < b; r++)
        for (int c = 0; c < b; c++)
            inv[c * ld + r] = m[r][b + c];
    return mended;
}

#endif
