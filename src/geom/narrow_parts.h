/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the narrow phase of two polyhedra is made of: extreme corners, the shortest line, and the
   manifold two faces share. */
#ifndef MRN_GEOM_NARROW_PARTS_H
#define MRN_GEOM_NARROW_PARTS_H

#include "geom/narrow.h"

/* Feature of one body in a key: kind and number. Two of them make the key of a contact point, C's
   in the upper half. Numbers above 16383 are cut: keys of one pair may then coincide, which costs
   warm starts and nothing else. */
enum { MRN_FEATURE_POINT = 0, MRN_FEATURE_EDGE = 1, MRN_FEATURE_FACE = 2 };
static inline uint32_t mrn_feature(int kind, int number)
{
    return ((uint32_t)kind << 14 | ((uint32_t)number & 0x3fffu)) & 0xffffu;
}

static inline mrn_vec3 mrn_posed_normal(const mrn_posed *p, int face)
{
    return mrn_posed_turn(p, mrn_load3(p->shape->plane + 4 * (size_t)face));
}
/* A world point in the frame and at the size of the polytope. */
static inline mrn_vec3 mrn_posed_local(const mrn_posed *p, mrn_vec3 x)
{
    return mrn_scale(1 / p->scale, mrn_posed_unturn(p, mrn_sub(x, p->x)));
}
/* How far a point of the polytope's frame lies outside a face, at unit size. */
static inline double mrn_plane_height(const mrn_convex *s, int face, mrn_vec3 local)
{
    const double *p = s->plane + 4 * (size_t)face;
    return p[0] * local.x + p[1] * local.y + p[2] * local.z - p[3];
}
static inline mrn_vec3 mrn_posed_ball(const mrn_posed *p)
{
    return mrn_axpy(p->scale, mrn_posed_turn(p, p->shape->centre), p->x);
}

/* The corner that lies lowest along n (the first of several), and its n.x. */
int mrn_posed_lowest(const mrn_posed *p, mrn_vec3 n, double *value);
/* The number of the edge between two corners; -1: there is none. */
int mrn_convex_edge(const mrn_convex *s, int p, int q);
/* The face whose outward normal goes most along n. */
int mrn_posed_face_along(const mrn_posed *p, mrn_vec3 n);

/* ---- narrow_nearest.c ---- */

/* The shortest line between two polyhedra. */
typedef struct mrn_nearest {
    bool apart;        /* false: they overlap; `point` then are points of each, no farther from
                          each other than the least overlap: where they touch if they just do   */
    double distance;   /* its length                                                            */
    double bound;      /* no line is shorter: the gap along `normal`                            */
    mrn_vec3 normal;   /* from A to C                                                           */
    mrn_vec3 point[2]; /* its ends on C and on A                                                */
    int n;             /* the ends are mixtures of so many corners                              */
    int corner[3][2];  /* their numbers in C and in A                                           */
} mrn_nearest;
/* Stops as soon as `bound` reaches `enough`. `start`: a guess of the normal. */
mrn_nearest mrn_narrow_nearest(const mrn_posed *c, const mrn_posed *a, mrn_vec3 start,
                               double enough);

/* ---- narrow_manifold.c ---- */

#define MRN_MANIFOLD_MAX 64

typedef struct mrn_manifold {
    int n;
    double least;    /* smallest gap                                                             */
    mrn_vec3 normal; /* from A to C                                                              */
    mrn_contact_point point[MRN_NARROW_MAX];
} mrn_manifold;
/* The points a face of `side` (0: C, 1: A) shares with what lies over it: the face of the other
   body at `corner` that looks most against it, cut by the sides of the first. Gaps are measured
   along the face's normal; points with gap >= alert are left out. `size` gives tolerances. */
void mrn_narrow_faces(const mrn_posed *const body[2], int side, int face, int corner, double alert,
                      double size, mrn_manifold *m);
/* Two edges that run side by side, seen along n: the ends of the stretch they share. None where
   they do not. */
void mrn_narrow_edges(const mrn_posed *const body[2], const int edge[2], mrn_vec3 n, double alert,
                      double size, mrn_manifold *m);

#endif
