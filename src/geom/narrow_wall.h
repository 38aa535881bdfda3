/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a wall says of itself to grains with corners (polygons and polyhedra), and the tools it says
   it with. A feature of a wall is flat or solid, and then its `surface` is data that one narrow
   phase and one clipping serve for all; or it is curved, and then the wall finds the contact points
   itself (`contact_points`), in its own frame, with what is below. */
#ifndef MRN_GEOM_NARROW_WALL_H
#define MRN_GEOM_NARROW_WALL_H

#include "geom/narrow.h"

/* ---- collecting contact points of one feature ---- */

#define MRN_POINT_LIST_MAX 48

/* What the key of a point begins with: its kind, above the numbers of the features. */
enum {
    MRN_POINT_CORNER = 0u,       /* corner of the grain                                     */
    MRN_POINT_EDGE = 1u << 28,   /* edge of the grain across an edge or rim of the wall     */
    MRN_POINT_SPIKE = 2u << 28,  /* corner of the wall                                      */
    MRN_POINT_RULING = 3u << 28, /* face of the grain along a round wall, and which end     */
    MRN_POINT_RIM = 4u << 28,    /* face of the grain on the rim of a round wall            */
};

typedef struct mrn_point_list {
    int n;
    double alert;
    double size; /* a length of the grain, for tolerances */
    mrn_contact_point s[MRN_POINT_LIST_MAX];
} mrn_point_list;

/* A point of the grain's surface with its gap along n; forgotten when gap >= alert. */
void mrn_point_list_add(mrn_point_list *s, mrn_vec3 at, mrn_vec3 n, double gap, uint32_t key);
/* Brings the points down to MRN_NARROW_MAX: the deepest (of equals the one added first), the
   farthest from it, the farthest from the line of both, the farthest outside the triangle of the
   three, then corners by their depth. Points that add nothing are dropped. */
void mrn_point_list_reduce(mrn_point_list *s);

/* ---- surfaces: flat or solid features as data ---- */

/* A thin convex piece: a segment in 2D (two corners, side k ends it at corner k; they run along +x
   or +y), a polygon of up to 4 corners in 3D (counter-clockwise about the normal, side k from
   corner k to the next). */
typedef struct mrn_flat {
    int dimension, n;
    mrn_vec3 p[4];
    mrn_vec3 normal;
    bool joined[4];              /* another piece of a thin box is at this side */
    const struct mrn_mesh *mesh; /* the mesh it is a triangle of, or NULL */
    int32_t triangle;
} mrn_flat;

/* A box about the origin, or in 2D a rectangle, as a convex part. */
typedef struct mrn_block {
    mrn_convex shape;
    int32_t face_start[7], corner[24], edge[48], ring_start[9], ring[24];
    double point[24], plane[24];
} mrn_block;
void mrn_block_make(mrn_block *b, int dimension, const double *half);
/* A line along x about the origin as a polygon of two sides: below (0) and above (1). */
void mrn_block_line(mrn_block *b, double half);

typedef enum mrn_surface_kind {
    MRN_SURFACE_PLANE, /* the half-space behind a plane                                  */
    MRN_SURFACE_PIECE, /* a thin flat piece, met from both sides and at its ends         */
    MRN_SURFACE_SOLID, /* a convex body                                                  */
} mrn_surface_kind;

/* All in the wall's frame; only what belongs to the kind is filled. */
typedef struct mrn_surface {
    mrn_surface_kind kind;
    mrn_vec3 at, normal;     /* PLANE: a point of it; unit, towards the grains          */
    mrn_flat flat;           /* PIECE                                                   */
    const mrn_convex *solid; /* SOLID: the wall's own, or `block`                       */
    mrn_block block;         /* room for a wall that makes it anew                      */
} mrn_surface;

/* False: the feature is curved. */
bool mrn_surface_of(const mrn_shape *wall, int32_t feature, mrn_surface *out);

/* ---- tools of walls that find contact points themselves ---- */

/* `c` stands in the frame of the wall, here and below. The plane through `at` with normal n pushes
   whatever corner is nearer than the alert distance. */
void mrn_narrow_half_space(const mrn_posed *c, mrn_vec3 at, mrn_vec3 n, mrn_point_list *out);
void mrn_narrow_flat(const mrn_posed *c, const mrn_flat *flat, mrn_point_list *out);
/* A hollow surface, whose distance from a point (`closest`) is a concave function of it, is met by
   corners alone. */
void mrn_narrow_hollow(const mrn_shape *wall, int32_t feature, const mrn_posed *c,
                       mrn_point_list *out);
/* A solid ball (disk) of the wall. */
void mrn_narrow_solid_ball(const mrn_posed *c, mrn_vec3 centre, double radius, mrn_point_list *out);

/* A cylinder or cone about z: radius R + k z between z = -h and h (INFINITY: no ends). */
typedef struct mrn_tube {
    const mrn_posed *c;
    mrn_point_list *out;
    double R, k;
    double cosine; /* of the half angle                                  */
    double h;
    bool solid; /* the ends are closed                                */
    mrn_vec3 middle;
} mrn_tube;
mrn_tube mrn_tube_make(const mrn_posed *c, double R, double k, double h, bool solid,
                       mrn_point_list *out);
/* From within, as far as the grain is between the ends. */
void mrn_tube_inside(const mrn_tube *t);
/* A thin shell, from both sides and at its rims. */
void mrn_tube_shell(const mrn_tube *t);
/* A solid rod with flat ends. */
void mrn_tube_rod(const mrn_tube *t);
/* The flat end at z = end h, end -1 or 1: a half-space, or a disc where the tube is thin. */
void mrn_tube_cap(const mrn_tube *t, double end, bool thin);
/* `curvature` of walls that turn about z and are straight along it. */
double mrn_tube_curvature(const mrn_shape *s, mrn_vec3 at, mrn_vec3 normal);

/* ---- for those who ask a wall ---- */

/* The grain in the frame of a wall. */
mrn_posed mrn_posed_in_wall(const mrn_posed *c, mrn_vec3 x_w, mrn_quat q_w);

#endif
