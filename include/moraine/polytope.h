/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms: grains with corners. A polytope is one convex polygon (2D) or polyhedron (3D), or several
   stuck together for grains that are not convex. It is kept at unit size: the sphere (disk) of
   equal volume has radius 1, the origin is the centre of mass, the axes are the principal axes of
   inertia. A body of radius r is its polytope, r times as large, turned by the body's quaternion.
 */
#ifndef MORAINE_POLYTOPE_H
#define MORAINE_POLYTOPE_H

#include "moraine/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A convex polygon or polyhedron. Faces of a polygon are its sides: two corners each, in order
   counter-clockwise. Faces of a polyhedron are planar polygons (coplanar triangles of a hull are
   merged), their corners counter-clockwise seen from outside. */
typedef struct mrn_convex {
    int dimension;
    int n_points, n_faces, n_edges; /* a polygon has n_edges = 0: its sides are the faces        */
    double *point;                  /* 3 per corner (z = 0 in 2D)                                */
    double *plane;                  /* 4 per face: outward unit normal n and d, inside n.x <= d  */
    int32_t *face_start;            /* n_faces + 1: where the corners of a face begin in `corner` */
    int32_t *corner;                /* point numbers                                             */
    int32_t *edge;                  /* 4 per edge: points p < q, the face to the left of p -> q seen
                                       from outside, the face to the right                       */
    int32_t *ring_start, *ring;     /* n_points + 1; neighbours of each point along edges        */
    mrn_vec3 centre; /* of its bounding ball, in the polytope's frame                 */
    double bound;    /* radius of that ball                                       */
    double inner;    /* a length no larger than the smallest width, for tolerances */
} mrn_convex;

typedef struct mrn_polytope {
    char name[MRN_NAME];
    int dimension;
    int n_parts;
    mrn_convex *part;  /* in the polytope's frame, at unit size  */
    double inertia[3]; /* principal moments over mass, for unit size (2D: only [2] counts)        */
    double bound;      /* radius of the ball about the origin that holds all                      */
    /* What it is like, for people: lengths L >= I >= S of the box along its principal axes of
       inertia (2D: L >= I), at unit size. */
    double length[3];
    double elongation; /* I / L, 1: not elongated                                                */
    double flatness;   /* S / I, 1: not flat (3D)                                                */
    double sphericity; /* surface of the sphere of equal volume over its own (2D: perimeters)    */
    double angularity; /* mean angle between neighbouring faces' normals over pi, weighted by edge
                          length: 0 a ball, 1/2 a cube                                           */
} mrn_polytope;

/* One part as given: corners in any frame and scale, any order, inner points allowed. */
typedef struct mrn_corners {
    int n;
    const double *point; /* 3 each (z ignored in 2D) */
} mrn_corners;

/* Makes a polytope from the convex hulls of its parts. Parts may touch; parts that overlap share
   material, which counts once (exact: parts are cut by each other's planes). `turn` and `shift`
   (may be NULL) get how the given frame became the polytope's: x_form = turn (x_given - shift) /
   *scale. MRN_ERR_INPUT: fewer than dimension + 1 corners, flat, not finite, parts apart. */
MRN_API mrn_status mrn_polytope_make(const char *name, int dimension, int n_parts,
                                     const mrn_corners *part, mrn_polytope *out, mrn_quat *turn,
                                     mrn_vec3 *shift, double *scale, mrn_message *msg);
MRN_API void mrn_polytope_release(mrn_polytope *f);
MRN_API mrn_status mrn_polytope_copy(const mrn_polytope *from, mrn_polytope *to, mrn_message *msg);

/* ---- generators ---- */

/* Regular polygon with n sides (2D, n >= 3). */
MRN_API mrn_status mrn_polytope_polygon(int n, mrn_polytope *out, mrn_message *msg);
/* "tetrahedron", "cube", "octahedron", "dodecahedron", "icosahedron", "prism-N" (regular, height =
   side), "truncated-octahedron", "truncated-icosahedron". A wrong name: MRN_ERR_INPUT with the
   list. */
MRN_API mrn_status mrn_polytope_regular(const char *name, mrn_polytope *out, mrn_message *msg);
/* A box a x b x c (2D: rectangle a x b). */
MRN_API mrn_status mrn_polytope_box(int dimension, double a, double b, double c, mrn_polytope *out,
                                    mrn_message *msg);

/* A random convex grain. elongation = I/L and flatness = S/I in (0, 1] of the box it is made to
   fill exactly; `angularity` in [0, 1]: 0 rounded (many faces), 1 sharp (few); `points` corners
   wanted (0: by angularity). Same seed, same polytope. */
typedef struct mrn_random_polytope {
    double elongation, flatness, angularity;
    int points;
    uint64_t seed;
} mrn_random_polytope;
MRN_API mrn_status mrn_polytope_random(int dimension, const mrn_random_polytope *p,
                                       mrn_polytope *out, mrn_message *msg);
/* A stone as a crusher makes it: a box-like block cut by random planes near its edges and corners;
   elongation, flatness drawn about the values given (a crushed ballast: 0.7, 0.7), `angularity` how
   little is cut away. */
MRN_API mrn_status mrn_polytope_crushed(const mrn_random_polytope *p, mrn_polytope *out,
                                        mrn_message *msg);
/* The hull of a file's points: .obj or .stl (binary or text). */
MRN_API mrn_status mrn_polytope_read(const char *path, mrn_polytope *out, mrn_message *msg);

/* ---- use ---- */

/* Sieve size of a polytope at unit size: side of the smallest square hole it passes (3D), found
   over orientations of its projection; 2D: the smaller width. */
MRN_API double mrn_polytope_sieve(const mrn_polytope *f);

#ifdef __cplusplus
}
#endif

#endif
