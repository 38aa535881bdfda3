/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clipping of faces by planes: what all overlaps of convex bodies are made of. */
#ifndef MRN_GEOM_CLIP_H
#define MRN_GEOM_CLIP_H

#include "moraine/types.h"

/* What of a convex polygon (in 2D: of a line) lies where normal.x <= d; returns its number of
   corners, at most one more than n. */
static inline int mrn_clip(int dimension, const mrn_vec3 *in, int n, mrn_vec3 normal, double d,
                           mrn_vec3 *out)
{
    int m = 0;
    for (int i = 0; i < n; i++) {
        mrn_vec3 p = in[i], q = in[i + 1 < n ? i + 1 : 0];
        double a = mrn_dot(normal, p) - d, b = mrn_dot(normal, q) - d;
        if (a <= 0)
            out[m++] = p;
        /* a line has one way, a polygon comes back */
        if (((a < 0 && b > 0) || (a > 0 && b < 0)) && (dimension == 3 || i == 0))
            out[m++] = mrn_axpy(a / (a - b), mrn_sub(q, p), p);
    }
    return m;
}

#endif
