/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Narrow phase: where two bodies touch or nearly touch, as points with normals, gaps and features.
 */
#ifndef MRN_GEOM_NARROW_H
#define MRN_GEOM_NARROW_H

#include "moraine/polytope.h"
#include "moraine/shape.h"

/* Points of one pair of convex parts (part and wall feature) at most: a manifold of more points is
   reduced to four that span it, the deepest first, then the farthest, and the deepest of the rest.
   Four alone would do for statics, but a corner that is left out sinks in until it is the deepest
   and another is left out then: stones with faces of five to eight corners would rock for ever. */
#define MRN_NARROW_MAX 8

/* A convex part where its body stands. */
typedef struct mrn_posed {
    const mrn_convex *shape;
    mrn_vec3 x;   /* of the body                                     */
    double m[9];  /* rotation from body to world, row after row      */
    double scale; /* the body's radius (polytopes are at unit size)      */
} mrn_posed;
static inline mrn_vec3 mrn_posed_turn(const mrn_posed *p, mrn_vec3 a)
{
    const double *m = p->m;
    return mrn_v3(m[0] * a.x + m[1] * a.y + m[2] * a.z, m[3] * a.x + m[4] * a.y + m[5] * a.z,
                  m[6] * a.x + m[7] * a.y + m[8] * a.z);
}
static inline mrn_vec3 mrn_posed_unturn(const mrn_posed *p, mrn_vec3 a)
{
    const double *m = p->m;
    return mrn_v3(m[0] * a.x + m[3] * a.y + m[6] * a.z, m[1] * a.x + m[4] * a.y + m[7] * a.z,
                  m[2] * a.x + m[5] * a.y + m[8] * a.z);
}
static inline mrn_vec3 mrn_posed_point(const mrn_posed *p, int k)
{
    return mrn_axpy(p->scale, mrn_posed_turn(p, mrn_load3(p->shape->point + 3 * k)), p->x);
}
mrn_posed mrn_posed_make(const mrn_convex *shape, mrn_vec3 x, mrn_quat q, double scale);

/* What a pair remembers to be quicker next time. Only ever speeds up: the answer has the same bits
   with a zeroed one. */
typedef struct mrn_narrow_memory {
    mrn_vec3 axis;   /* world frame; separated the two last time; zero: nothing known          */
    int32_t face[2]; /* of C and of A: 1 + the one along which it was deepest last time; 0: none */
} mrn_narrow_memory;

/* Two convex parts of the same dimension, apart by less than `alert` or overlapping: their contact
   points (a vertex on a face: 1; edges crossing: 1; an edge along a face or an edge: 2; faces: up
   to MRN_NARROW_MAX), all with one normal: that of least overlap (apart: along the shortest line
   between them). Points of a manifold are those with gap < alert. Never fails: degenerate positions
   (coplanar faces, aligned edges, same centres) give some valid answer. Returns the number of
   points; 0: farther apart than `alert`. `memory` may be NULL. The smallest gap is the distance, or
   minus the least overlap, to 1e-9 of the smaller body's size, but for two cases in 3D that keep
   normals and points steady. A face turned from the normal by less than 0.02 gives its whole
   manifold and its own normal, also when apart: every point is then a point of one body right above
   the other's face, the gap the way it can go before it meets that face, which is what a solver
   linearises. And overlapping, a face is taken that overlaps by up to 1e-3 more than a pair of
   edges or, the larger body's, than a face of the smaller one. The smallest gap is then off by at
   most 2e-3 of the overlap or of `alert` and 2e-6 of the size. */
int mrn_narrow_convex(const mrn_posed *c, const mrn_posed *a, double alert,
                      mrn_narrow_memory *memory, mrn_contact_point *out);
/* The 2D one, called by mrn_narrow_convex for polygons. */
int mrn_narrow_polygons(const mrn_posed *c, const mrn_posed *a, double alert,
                        mrn_contact_point *out);
/* A ball (disk) C with centre x and radius r on a convex part: at most 1 point. When the centre is
   inside, the nearest face counts. */
int mrn_narrow_ball(mrn_vec3 x, double r, const mrn_posed *a, double alert, mrn_contact_point *out);
/* A convex part C on one feature of a wall whose body stands at x_w, q_w (all in the same frame of
   reference). Planes, boxes, cylinders, cones, mesh triangles; 2D and 3D; at most MRN_NARROW_MAX
   points. Contacts with an edge or corner of a mesh that another triangle's face would push along a
   better normal are left out, so that crossing an inner edge of a flat mesh does not kick. */
int mrn_narrow_wall(const mrn_posed *c, const mrn_shape *wall, mrn_vec3 x_w, mrn_quat q_w,
                    int32_t feature, double alert, mrn_contact_point *out);

/* The region two things share, for force laws of overlap. */
typedef struct mrn_overlap {
    double volume;   /* (area in 2D)                                                           */
    double area;     /* |integral of the normal of A's surface inside C| (length in 2D)        */
    mrn_vec3 normal; /* its direction, from A to C                                             */
    mrn_vec3 centre; /* centroid of the region                                                 */
} mrn_overlap;
/* False: no overlap. Exact clipping; the volume is continuous in the positions, and its derivative
   by C's position is -area normal. One body inside the other: area 0, normal between their centres.
 */
bool mrn_overlap_convex(const mrn_posed *c, const mrn_posed *a, mrn_overlap *out);
/* A convex part and the half space (behind its tangent plane at the deepest point) of a wall's
   feature; of a mesh triangle: the part of the half space under the triangle. */
bool mrn_overlap_wall(const mrn_posed *c, const mrn_shape *wall, mrn_vec3 x_w, mrn_quat q_w,
                      int32_t feature, mrn_overlap *out);

#endif
