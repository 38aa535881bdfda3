/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The region two grains with corners share, and how thick it is: what contact laws take for the
   overlap.

   Laws of this library want one length, the overlap d, and give one force. For grains with corners
   that length is here

     d = sqrt(12 / tr(K^-1)),   K the covariance of the points of the shared region P

   K = (1/V) integral over P of (x - c)(x - c)^T. tr(K^-1) is the sum of 1/variance over the
   principal directions, so that the thinnest direction counts: where faces meet P is a slab and d
   its thickness (the variance across is thickness^2 / 12) up to parts of (d/width)^2; of an edge on
   a face it is about 0.7 of the depth, of a cube's corner on a face 0.55 of it, and two edges
   that just miss each other are pushed apart sideways.

   Everything else follows from d alone. The force is not put somewhere: d is a coordinate of the
   two bodies, the law answers with a force f conjugate to it, and what acts on the bodies is f
   times the gradient of d by their positions and turns. Hence
   - an elastic law is exactly conservative, in any motion, through any change of what touches what:
     its energy is a function of the pose, the one that the law itself books, and what dashpots take
     is f_damping times the rate of d, as booked;
   - action and reaction are one wrench: momentum and angular momentum are kept;
   - force and moment are continuous, for V, c and K are integrals over P and so is the gradient
     (over what of the surface of C is in A). Nothing jumps when a manifold would change;
   - a face resists tilting: half-way sunk it yields as if it stood on springs at its rim.
   The simpler d = volume / area with the force at the centroid was weighed and left: it is exact
   for faces and continuous, but not the gradient of anything. Of a wedge sunk by z at the angle e,
   it has d(moment)/dz - d(force)/de = k z / (3 e), so that a cycle of pushing, tilting and pulling
   takes or gives work of the order of the energy stored. Overlap volume alone as coordinate is
   conservative too, but makes corners soft: force with the fifth power of their depth.

   The gradient has a length J = |dd/dx|, 1 for faces and less elsewhere: the contact is felt
   through a gear. Laws get velocities times J and the effective mass over J^2, and what they answer
   is scaled by J: friction then obeys Coulomb's law with the true normal force, restitution is that
   of the law, and all energies are those the law books.

   To first order tilting a face does not change the thickness, and the dashpot of the law would let
   it rock for ever. Its damping is therefore spread over the region as its stiffness is: a moment
   - g J^2 (K a) x n, a = n x w, of the relative spin w and the law's damping g, whose work is
   booked with the normal damping. What a face resists against turning about n is a matter of
   twisting laws: friction acts at one point. */
#ifndef MRN_GEOM_OVERLAP_REGION_H
#define MRN_GEOM_OVERLAP_REGION_H

#include "geom/narrow.h"

/* A convex body as the half-spaces and faces it is made of, relative to some origin. Room is the
   owner's. */
typedef struct mrn_posed_faces {
    int n_faces, n_points;
    double *plane;    /* 4 per face: outward normal, offset    */
    int32_t *start;   /* n_faces + 1                           */
    mrn_vec3 *corner; /* of the faces, one face after another  */
    mrn_vec3 *point;  /* each corner once                      */
} mrn_posed_faces;

/* A part of the surface of the region. */
typedef struct mrn_facet {
    int32_t start, n;
    mrn_vec3 normal; /* out of the region */
    bool of_c;
} mrn_facet;

/* What a region must have room for. */
typedef struct mrn_overlap_room {
    int64_t faces, corners, points;   /* of one convex part: faces, their corners, points      */
    int64_t slab_faces, slab_corners; /* what all slabs of one region cut out of a whole body  */
} mrn_overlap_room;

/* The region as it is put together. */
typedef struct mrn_overlap_region {
    int dimension;
    int32_t n_facets, n_corners;
    mrn_facet *facet;
    mrn_vec3 *corner;
    mrn_vec3 *poly[2]; /* polygons being clipped */
    mrn_posed_faces c, a;
    mrn_overlap_room room;
    int64_t facet_room, corner_room, poly_room;
    void *block; /* holds all of the above */
} mrn_overlap_region;

/* The coordinate and its gradient. */
typedef struct mrn_thickness {
    double delta;     /* m                                                                      */
    mrn_vec3 push;    /* - dd/dx of C: towards where the region gets thinner                    */
    mrn_vec3 twist;   /* - dd/d(turn of C) about the origin                                     */
    mrn_vec3 centre;  /* of the region                                                          */
    double spread[6]; /* covariance K of the region: xx, yy, zz, xy, xz, yz                    */
    double volume;
} mrn_thickness;

/* Makes room where there is less. */
mrn_status mrn_overlap_region_reserve(mrn_overlap_region *r, const mrn_overlap_room *room,
                                      mrn_message *msg);
void mrn_overlap_region_release(mrn_overlap_region *r);

/* The part where it stands, seen from `origin`. */
void mrn_posed_faces_make(mrn_posed_faces *s, const mrn_posed *p, mrn_vec3 origin);

void mrn_overlap_region_begin(mrn_overlap_region *r, int dimension);
/* Adds the region that solids r->c and r->a share. */
void mrn_overlap_region_add_pair(mrn_overlap_region *r);
/* Adds what of solid r->c is below a plane (inside: n.x < d) and, with an outline (its n_outline
   corners in the plane, counter-clockwise about n; 2 in 2D), under it. */
void mrn_overlap_region_add_slab(mrn_overlap_region *r, mrn_vec3 n, double d,
                                 const mrn_vec3 *outline, int n_outline);
/* The thickness of all that was added. With `n` (else NULL) everything lies below the plane through
 *on with that normal, and the face in it was not added. False: nothing is shared. */
bool mrn_overlap_thickness(mrn_overlap_region *r, const mrn_vec3 *on, const mrn_vec3 *n,
                           mrn_thickness *out);

#endif
