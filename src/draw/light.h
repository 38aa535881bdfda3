/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Light on grains: soft shadows of one lamp and the sky hidden by neighbours, both in closed form,
   so that the picture has no noise. All in camera space (x right, y up, z away), unit of length:
   half the view. */
#ifndef MRN_DRAW_LIGHT_H
#define MRN_DRAW_LIGHT_H

#include "draw/draw.h"

typedef struct mrn_ball { /* a sphere, or the sphere of equal volume of a polyhedron */
    mrn_vec3 c;
    double r, reach; /* reach: of the ball that holds it                   */
    mrn_rgb albedo;  /* linear                                             */
    int32_t body;
    int32_t shape; /* -1: a sphere                                         */
    bool hidden;   /* its centre is cut away: headers no shadow              */
} mrn_ball;

typedef struct mrn_body_shape { /* a polyhedron where it stands */
    const mrn_polytope *polytope;
    double m[9];  /* from its frame to the camera's, row after row         */
    double scale; /* of the polytope, half views                               */
    int64_t first_part;
} mrn_body_shape;

typedef struct mrn_shape_hit {
    int part, face;
    bool flat; /* on the cutting plane: `face` says nothing */
} mrn_shape_hit;

typedef struct mrn_lamp_side { /* of an outline: s, t outward, inside s x + t y <= d */
    double s, t, d;
} mrn_lamp_side;

typedef struct mrn_lamp {
    const mrn_ball *ball;
    mrn_body_shape *shape;
    int32_t n_shapes;
    double tallest;                 /* reach of the largest shape that headers; 0: none  */
    mrn_lamp_side *side;            /* outlines of all parts of all shapes             */
    int64_t *side_start;            /* per part                                        */
    mrn_vec3 toward, across, along; /* direction to the lamp, and two at right angles */
    mrn_vec3 up;                    /* of the world                                   */
    /* shadow bins in the plane across the light, items by rising height towards the lamp */
    mrn_bins shadow;
    double s0, t0, tile;
    int32_t *order; /* item -> ball       */
    double *height; /* item -> height     */
    /* cells of space, each with the balls that dim the sky there */
    int32_t dim[3];
    double origin[3], cell;
    int64_t *start;
    int32_t *item;
} mrn_lamp;

/* The lamp keeps `shape`, whose first_part it sets. */
mrn_status mrn_lamp_make(const mrn_view *view, const mrn_ball *ball, int32_t n,
                         mrn_body_shape *shape, int32_t n_shapes, mrn_lamp *out, mrn_message *msg);
void mrn_lamp_release(mrn_lamp *l);
/* Share of the lamp seen from p, 0…1; `self` is not asked (-1: nobody is left out), except for its
   other parts than `part`. */
double mrn_lamp_visible(const mrn_lamp *l, mrn_vec3 p, int32_t self, int part);
/* Share of the sky seen from p with normal n, 0…1. */
double mrn_lamp_sky(const mrn_lamp *l, mrn_vec3 p, mrn_vec3 n, int32_t self);

/* ---- polyhedra (solid_polytope.c) ---- */

mrn_body_shape mrn_body_shape_make(const mrn_view *view, const mrn_polytope *polytope,
                                   const double *q, double radius);
/* Depth of its first point along d (d.z = 1) beyond `nearest` and behind the cutting depth;
   INFINITY: missed. */
double mrn_body_shape_meet(const mrn_body_shape *s, mrn_vec3 centre, mrn_vec3 d, double cut,
                           double nearest, mrn_shape_hit *hit);
/* Normal at a point that was hit, turned a little towards the next face near an edge; `edge`: how
   far that edge is. `pixel`: size of a pixel there. */
mrn_vec3 mrn_body_shape_normal(const mrn_body_shape *s, mrn_vec3 centre, mrn_shape_hit hit,
                               mrn_vec3 p, double pixel, double *edge);
/* How deep p lies inside. */
double mrn_body_shape_rim(const mrn_body_shape *s, mrn_vec3 centre, mrn_vec3 p);
/* Outlines of all shapes across the light. */
mrn_status mrn_lamp_outline(mrn_lamp *l, mrn_message *msg);
/* Share of the lamp that a shape (all parts but one) leaves to p. soft: half width of the penumbra
   per distance, least and largest part of the radius. */
double mrn_lamp_behind(const mrn_lamp *l, const mrn_ball *b, mrn_vec3 p, int not_part,
                       const double soft[3]);

#endif
