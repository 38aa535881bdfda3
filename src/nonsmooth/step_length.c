/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long a step of the non-smooth engine should be. Nothing is unstable; what a step must resolve
   is the motion: frames of contacts are frozen over it, and impacts are found at its middle. */
#include <math.h>
#include <stdio.h>

#include "nonsmooth/nonsmooth.h"

/* Part of the smallest radius that a grain may fall from rest in a step: the overlap that one step
   of free fall could make. */
#define FALL 1e-3
/* Part of it that a grain may go at the speed to be expected: what turns contact frames by a degree
   or so. */
#define WAY 0.05

/* The fastest body, and the fall through the height of all bodies. */
static double expected_speed(const mrn_state *s, double g)
{
    const mrn_bodies *b = &s->body;
    mrn_vec3 down = mrn_unit(mrn_load3(s->gravity));
    double fast = 0, lo = INFINITY, hi = -INFINITY;
    for (int32_t i = 0; i < b->n; i++) {
        fast = fmax(fast, mrn_norm(mrn_load3(b->v + 3 * (size_t)i)));
        if (i < b->n_walls)
            continue;
        double at = mrn_dot(down, mrn_load3(b->x + 3 * (size_t)i));
        lo = fmin(lo, at);
        hi = fmax(hi, at);
    }
    double height = hi > lo ? hi - lo : 0;
    /* a bed settles by a small part of its height, not by all of it */
    return fmax(fast, sqrt(2 * g * 0.1 * height));
}

mrn_step_limit mrn_nonsmooth_step_limit(const mrn_scene *scene, const mrn_state *s)
{
    mrn_step_limit l = {.critical = INFINITY, .rayleigh = INFINITY, .contact_time = INFINITY};
    double r = INFINITY, g = mrn_norm(mrn_load3(s->gravity));
    (void)scene;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (!(s->body.flags[i] & MRN_BODY_MEMBER))
            r = fmin(r, s->body.radius[i]);
    l.speed = expected_speed(s, g);
    double by_fall = g > 0 ? sqrt(2 * FALL * r / g) : INFINITY;
    double by_way = l.speed > 0 ? WAY * r / l.speed : INFINITY;
    l.advised = fmin(by_fall, by_way);
    if (!isfinite(l.advised))
        snprintf(l.reason, sizeof l.reason, "nothing moves that would limit it");
    else if (by_fall < by_way)
        snprintf(l.reason, sizeof l.reason,
                 "a grain at rest falls %g of the smallest radius in a step", FALL);
    else
        snprintf(l.reason, sizeof l.reason,
                 "at %.3g m/s a grain goes %g of the smallest radius in a step", l.speed, WAY);
    return l;
}
