/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which closest points of a sphere on one wall are contacts of their own: the two rules of
   wall_contacts.c, which has the reasons, as functions that other devices compile too. */
#ifndef MRN_GEOM_WALL_RULES_H
#define MRN_GEOM_WALL_RULES_H

#include "geom/closest.h"
#include "moraine/shape.h"

/* Most contacts of one sphere with one wall. Beyond the dozen facets a sphere can meet at real
   angles this is reached only by meshes far finer than the overlap; the deepest are kept. */
enum { MRN_WALL_MOST = 16 };

/* A strict order, the same whatever the order of the list: ties go to the lower feature number. */
MRN_INLINE bool mrn_wall_deeper(const mrn_contact_point *out, const int32_t *features, int a, int b)
{
    return out[a].gap < out[b].gap || (out[a].gap == out[b].gap && features[a] < features[b]);
}

/* 0 for a point in the cap of a, rising to 1 at sqrt 2 times its radius. */
MRN_INLINE double mrn_wall_beyond_cap(const mrn_contact_point *a, double r, mrn_vec3 point)
{
    double d = a->gap + r, cap2 = fmax(r * r - d * d, 0.0) + 1e-12 * r * r;
    mrn_vec3 apart = mrn_sub(point, a->point);
    return mrn_clamp(mrn_dot(apart, apart) / cap2 - 1, 0, 1);
}

/* Rule 1 for candidate k, which lies on the rim of its feature: dropped in the cap of a deeper one.
 */
MRN_INLINE void mrn_wall_drop_rim(double r, const int32_t *features, int n, int k,
                                  mrn_contact_point *out)
{
    for (int j = 0; j < n && out[k].touch; j++)
        if (out[j].gap < 0 && mrn_wall_deeper(out, features, j, k) &&
            mrn_wall_beyond_cap(&out[j], r, out[k].point) == 0)
            out[k].touch = false;
}

/* The deepest candidate still waiting, or -1. */
MRN_INLINE int mrn_wall_deepest(const mrn_contact_point *out, const int32_t *features, int n)
{
    int best = -1;
    for (int k = 0; k < n; k++)
        if (out[k].touch && (best < 0 || mrn_wall_deeper(out, features, k, best)))
            best = k;
    return best;
}

/* Rule 2. `touch` marks those that wait; the accepted ones are marked and faded in at the end, so
   that order and caps are those of the true distances throughout. */
MRN_INLINE int mrn_wall_accept(double r, const int32_t *features, int n, mrn_contact_point *out)
{
    int accepted[MRN_WALL_MOST], m = 0;
    double weight[MRN_WALL_MOST];
    for (int k; m < MRN_WALL_MOST && (k = mrn_wall_deepest(out, features, n)) >= 0;) {
        out[k].touch = false;
        weight[m] = 1;
        for (int a = 0; a < m; a++)
            weight[m] *= mrn_wall_beyond_cap(&out[accepted[a]], r, out[k].point);
        if (weight[m] > 0)
            accepted[m++] = k;
    }
    for (int k = 0; k < n; k++)
        out[k].touch = false;
    for (int k = 0; k < m; k++) {
        out[accepted[k]].touch = true;
        out[accepted[k]].gap *= weight[k];
    }
    return m;
}

#endif
