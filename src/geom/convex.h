/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integrals over convex parts and over unions of them, and the making of a polytope from parts. */
#ifndef MRN_GEOM_CONVEX_H
#define MRN_GEOM_CONVEX_H

#include "geom/cluster.h"
#include "moraine/polytope.h"

/* The moments of the tetrahedron (triangle in 2D: c is not used) of the origin and a, b, c, added
   to *m with a sign: summed over a closed surface, seen counter-clockwise from outside, those of
   what it encloses. */
void mrn_moments_add(int dimension, mrn_vec3 a, mrn_vec3 b, mrn_vec3 c, double sign,
                     mrn_moments *m);
/* Volume (area in 2D) and its moments about the origin, exact. */
mrn_moments mrn_convex_moments(const mrn_convex *c);

/* What several parts make together. */
typedef struct mrn_union {
    mrn_moments moments;
    double surface; /* (2D: perimeter) of what can be seen from outside */
} mrn_union;
/* Exact, by cutting parts by each other's planes. MRN_ERR_INPUT: parts that do not hang together,
   or that cut each other into more than MRN_UNION_MAX pieces. */
#define MRN_UNION_MAX 200000
mrn_status mrn_union_measure(const char *name, const mrn_convex *part, int n, mrn_union *out,
                             mrn_message *msg);

/* mrn_polytope_make with the tolerance of mrn_hull. */
mrn_status mrn_polytope_build(const char *name, int dimension, int n_parts, const mrn_corners *part,
                              double tolerance, mrn_polytope *out, mrn_quat *turn, mrn_vec3 *shift,
                              double *scale, mrn_message *msg);

#endif
