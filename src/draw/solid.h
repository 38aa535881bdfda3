/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The 3D picture in its parts: things in camera space and in tiles (solid_things.c), what a ray
   sees (solid_rays.c), polyhedra (solid_polytope.c), all rays (solid.c). Unit of length: half the
   height of the view. */
#ifndef MRN_DRAW_SOLID_H
#define MRN_DRAW_SOLID_H

#include "draw/light.h"

#define MRN_TILE  16   /* pixels                         */
#define MRN_NEAR  0.05 /* depth of the nearest thing drawn */
#define MRN_LARGE 16   /* pixels: radius of a sphere on which quarters are no texture any more */

typedef struct mrn_solid_sheet { /* a wall face in camera space */
    mrn_vec3 p[3], n[3], e[3];   /* e[i] = p[i+1] x p[i+2] */
    double det;
    float near;
    bool endless;
} mrn_solid_sheet;

typedef struct mrn_solid_line { /* in pixels; iz: one over depth, linear along the line */
    double ax, ay, bx, by, iza, izb, half;
    mrn_vec3 a, b;  /* camera space, for fading */
    mrn_rgb colour; /* linear */
    float alpha;
    bool endless, dashed;
} mrn_solid_line;

typedef struct mrn_solid_rod { /* a force link: a cylinder with round ends */
    mrn_vec3 a, b;
    double r;
    mrn_rgb albedo;
} mrn_solid_rod;

typedef struct mrn_solid {
    const mrn_look *look;
    const mrn_view *view;
    const mrn_header *header;
    const mrn_frame *frame;
    double focal, cx, cy; /* pixels                                    */
    int32_t n_balls, n_shapes;
    int64_t n_sheets, n_lines, n_rods;
    mrn_ball *ball;        /* front to back                             */
    double *front;         /* depth of the nearest point of each ball   */
    mrn_body_shape *shape; /* of the balls that are polyhedra     */
    mrn_solid_sheet *sheet;
    mrn_solid_line *line;
    mrn_solid_rod *rod;
    mrn_bins balls, sheets, lines, rods;
    mrn_lamp lamp;
    mrn_vec3 cut; /* slice: normal towards the camera, through the target */
    bool stripes, ghosts;
    double fade;              /* half views where endless walls begin to fade */
    mrn_rgb background, wall; /* linear */
} mrn_solid;

/* A direction of the world in camera space. */
static inline mrn_vec3 mrn_solid_turn(const mrn_view *v, mrn_vec3 n)
{
    return mrn_v3(mrn_dot(n, v->right), mrn_dot(n, v->up), -mrn_dot(n, v->toward));
}

static inline mrn_vec3 mrn_solid_target(const mrn_solid *s)
{
    return mrn_v3(0, 0, s->view->distance / s->view->extent);
}

/* How far a point is in front of the cutting plane; negative: kept. */
static inline double mrn_solid_in_front(const mrn_solid *s, mrn_vec3 p)
{
    return mrn_dot(s->cut, mrn_sub(p, mrn_solid_target(s)));
}

/* Fills balls, sheets, lines, rods, their bins and the lamp; on failure the caller releases. */
mrn_status mrn_solid_fill(mrn_solid *s, const mrn_paint *paint, const mrn_wall_set *walls,
                          const mrn_link_set *links, mrn_message *msg);
void mrn_solid_release(mrn_solid *s);
/* Linear colour seen through the point (px, py), in pixels, of a tile. */
mrn_rgb mrn_solid_trace(const mrn_solid *s, int64_t tile, double px, double py);

#endif
