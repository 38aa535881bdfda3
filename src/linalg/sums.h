/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of long vectors, summed in an order that does not depend on anything. */
#ifndef MRN_LINALG_SUMS_H
#define MRN_LINALG_SUMS_H

#include <stdint.h>

/* Chunks of four sums each: small errors, and vector registers are filled. */
static inline double mrn_dot_long(int64_t n, const double *x, const double *y)
{
    enum { CHUNK = 1024 };
    double total = 0;
    for (int64_t at = 0; at < n; at += CHUNK) {
        int64_t end = at + CHUNK < n ? at + CHUNK : n, k = at;
        double part[4] = {0};
        for (; k + 4 <= end; k += 4)
            for (int l = 0; l < 4; l++)
                part[l] += x[k + l] * y[k + l];
        for (; k < end; k++)
            part[0] += x[k] * y[k];
        total += (part[0] + part[1]) + (part[2] + part[3]);
    }
    return total;
}

#endif
