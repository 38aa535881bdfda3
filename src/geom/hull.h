/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convex hulls, and convex parts from them: polygons and polyhedra with faces, edges and rings. */
#ifndef MRN_GEOM_HULL_H
#define MRN_GEOM_HULL_H

#include "moraine/polytope.h"

/* What a hull leaves out, over the largest half-width of the points' box: corners nearer to each
   other than this are one, faces that bend by less are one. Numbers computed by a program in double
   precision, turned and moved, are good to 1e-15 or so, and a bend of 1e-9 is a thousandth of what
   contacts can tell. */
#define MRN_HULL_EXACT 1e-9
/* For files: single precision and six or seven digits. */
#define MRN_HULL_FILE 1e-6
/* A hull thinner than so many tolerances is flat. */
#define MRN_HULL_THIN 100
/* More corners than this are no grain but a mesh; every plane is checked against every corner. */
#define MRN_HULL_MOST 5000

/* The hull of n points (3 numbers each; z is ignored in 2D) in their own frame: points (a selection
   of the given ones, bit by bit, in their order), faces, edges and rings; planes, ball and inner
   width by mrn_convex_measure. `who` names it in messages. Everything but the rounding of planes is
   decided in exact arithmetic on points rounded to 1 part in 2^40: any input gives a sound
   polyhedron or MRN_ERR_INPUT. */
mrn_status mrn_hull(const char *who, int dimension, int n, const double *point, double tolerance,
                    mrn_convex *out, mrn_message *msg);
/* Planes, bounding ball and inner width from points and faces: also after these were moved. */
void mrn_convex_measure(mrn_convex *c);
void mrn_convex_release(mrn_convex *c);
mrn_status mrn_convex_copy(const mrn_convex *from, mrn_convex *to, mrn_message *msg);

/* ---- between hull.c and hull_faces.c ---- */

/* A triangle of a hull in the making; neighbour[k] lies across the edge from corner[k] to the next.
 */
__extension__ typedef __int128 mrn_wide;
typedef struct mrn_hull_triangle {
    int32_t corner[3], neighbour[3];
    mrn_wide normal[3]; /* exact, on the grid */
    int32_t outside;    /* first of the points that see it, the farthest; -1: none */
    int32_t group;      /* the face it is part of; -1: none yet */
    bool gone, seen;
} mrn_hull_triangle;

/* Triangles (none gone) to faces of `out`; `x` are the points about their middle over the size,
   `grid` the same on the grid (tolerance 0: only what is flat on it is one face). *bent tells how
   far corners lie from the planes of their faces; INFINITY: bends below the tolerance cannot be
   taken for flat without a contradiction. */
mrn_status mrn_hull_faces(mrn_hull_triangle *t, int32_t n, const double *x, const int64_t *grid,
                          int32_t n_points, double tolerance, mrn_convex *out, double *bent,
                          mrn_message *msg);

#endif
