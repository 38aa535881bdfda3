/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Light on spheres: soft shadows of one lamp and the sky hidden by neighbours, both in closed form,
   so that the picture has no noise. All in camera space (x right, y up, z away), unit of length:
   half the view. */
#ifndef MRN_DRAW_LIGHT_H
#define MRN_DRAW_LIGHT_H

#include "draw/draw.h"

typedef struct mrn_ball {
    mrn_vec3 c;
    double r;
    mrn_rgb albedo; /* linear */
    int32_t body;
    bool hidden; /* its centre is cut away: casts no shadow */
} mrn_ball;

typedef struct mrn_lamp {
    const mrn_ball *ball;
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

mrn_status mrn_lamp_make(const mrn_view *view, const mrn_ball *ball, int32_t n, mrn_lamp *out,
                         mrn_message *msg);
void mrn_lamp_release(mrn_lamp *l);
/* Share of the lamp seen from p, 0…1; `self` is not asked (-1: nobody is left out). */
double mrn_lamp_visible(const mrn_lamp *l, mrn_vec3 p, int32_t self);
/* Share of the sky seen from p with normal n, 0…1. */
double mrn_lamp_sky(const mrn_lamp *l, mrn_vec3 p, mrn_vec3 n, int32_t self);

#endif
