/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact points of a convex part with one feature of a wall, collected in the wall's frame and
   then reduced to those that span them. */
#ifndef MRN_DETECT_NARROW_SPOTS_H
#define MRN_DETECT_NARROW_SPOTS_H

#include "detect/narrow.h"

#define MRN_SPOTS 48

/* What the key of a point begins with: its kind, above the numbers of the features. */
enum {
    MRN_SPOT_CORNER = 0u,       /* corner of the grain                                     */
    MRN_SPOT_EDGE = 1u << 28,   /* edge of the grain across an edge or rim of the wall     */
    MRN_SPOT_SPIKE = 2u << 28,  /* corner of the wall                                      */
    MRN_SPOT_RULING = 3u << 28, /* face of the grain along a round wall, and which end     */
    MRN_SPOT_RIM = 4u << 28,    /* face of the grain on the rim of a round wall            */
};

typedef struct mrn_spots {
    int n;
    double alert;
    double size; /* a length of the grain, for tolerances */
    mrn_contact_point s[MRN_SPOTS];
} mrn_spots;

/* A point of the grain's surface with its gap along n; forgotten when gap >= alert. */
void mrn_spots_add(mrn_spots *s, mrn_vec3 at, mrn_vec3 n, double gap, uint32_t key);
/* Brings the points down to MRN_NARROW_MAX: the deepest (of equals the one added first), the
   farthest from it, the farthest from the line of both, the farthest outside the triangle of the
   three. Points that add nothing are dropped. */
void mrn_spots_reduce(mrn_spots *s);

/* ---- meet_flat.c: flat pieces of walls ---- */

/* What a flat piece has at one of its sides, as seen from the side where the grain is. */
typedef enum mrn_rim {
    MRN_RIM_FAR,    /* the grain does not reach it                                  */
    MRN_RIM_FREE,   /* nothing: the piece ends                                      */
    MRN_RIM_FLAT,   /* another piece in the same plane                              */
    MRN_RIM_RIDGE,  /* another piece falling away                                   */
    MRN_RIM_VALLEY, /* another piece rising                                        */
    MRN_RIM_HIDDEN  /* another piece rising that stands between this one and the grain */
} mrn_rim;

/* A thin convex piece: a segment in 2D (two corners, side k ends it at corner k), a polygon of up
   to 4 corners in 3D (side k from corner k to the next). */
typedef struct mrn_flat {
    int dimension, n;
    mrn_vec3 p[4];
    mrn_vec3 normal;
    bool joined[4];              /* another piece of a thin box is at this side */
    const struct mrn_mesh *mesh; /* the mesh it is a triangle of, or NULL */
    int32_t triangle;
} mrn_flat;

/* `c` stands in the frame of the wall, here and below. */
void mrn_narrow_flat(const mrn_posed *c, const mrn_flat *flat, mrn_spots *out);

/* ---- meet_round.c: cylinders and cones ---- */

void mrn_narrow_cylinder(const mrn_posed *c, const mrn_shape *wall, int32_t feature,
                         mrn_spots *out);
void mrn_narrow_cone(const mrn_posed *c, const mrn_shape *wall, mrn_spots *out);

/* ---- meet_wall.c ---- */

/* The grain in the frame of a wall. */
mrn_posed mrn_posed_in_wall(const mrn_posed *c, mrn_vec3 x_w, mrn_quat q_w);
/* The plane through `at` with normal n pushes whatever corner is nearer than the alert distance. */
void mrn_narrow_half_space(const mrn_posed *c, mrn_vec3 at, mrn_vec3 n, mrn_spots *out);
/* Whether a feature is a thin flat piece, and which. */
bool mrn_flat_of(const mrn_shape *wall, int32_t feature, mrn_flat *out);

#endif
