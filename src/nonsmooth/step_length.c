/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long a step of the non-smooth engine should be. Nothing is unstable; what a step must resolve
   is the motion: frames of contacts are frozen over it, and impacts are found at its middle. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nonsmooth/nonsmooth.h"

/* Part of the smallest radius that a grain may fall from rest in a step: the overlap that one step
   of free fall could make. */
#define FALL 1e-3
/* Part of it that a grain may go at the speed to be expected: what turns contact frames by a degree
   or so. */
#define WAY 0.05
/* Part of it that a wall may go: it drives all that it touches, for a long time. */
#define WALL_WAY 0.01
/* Steps in a stage at least, where neither gravity nor a load says how fast things go. */
#define STEPS 1000

/* The fastest grain, and the fall through a tenth of the height of all grains: a bed settles by a
   small part of its height. */
static double expected_speed(const mrn_state *s, double g)
{
    const mrn_bodies *b = &s->body;
    mrn_vec3 down = mrn_unit(mrn_load3(s->gravity));
    double fast = 0, lo = INFINITY, hi = -INFINITY;
    for (int32_t i = b->n_walls; i < b->n; i++) {
        fast = fmax(fast, mrn_norm(mrn_load3(b->v + 3 * (size_t)i)));
        double at = mrn_dot(down, mrn_load3(b->x + 3 * (size_t)i));
        lo = fmin(lo, at);
        hi = fmax(hi, at);
    }
    double height = hi > lo ? hi - lo : 0;
    return fmax(fast, sqrt(2 * g * 0.1 * height));
}

static double wall_speed(const mrn_state *s)
{
    double fast = 0;
    for (int32_t w = 0; w < s->body.n_walls; w++)
        if (!(s->body.flags[w] & MRN_BODY_ABSENT))
            fast = fmax(fast, mrn_norm(mrn_load3(s->body.v + 3 * (size_t)w)));
    return fast;
}

/* The acceleration that the load of servo walls would give: a pressure to a layer of grains, a
   force to all of them. */
static double load_acceleration(const mrn_scene *scene, const mrn_state *s, double r)
{
    double most = 0, mass = mrn_ns_wall_mass(scene, s);
    for (int w = 0; w < scene->n_walls && w < s->body.n_walls; w++) {
        const mrn_motion *m = &scene->wall[w].motion;
        if (m->kind != MRN_MOTION_SERVO || s->body.flags[w] & MRN_BODY_ABSENT)
            continue;
        mrn_instant at = {s->time, s->time - s->stage_time};
        double target = fabs(mrn_signal_value(&m->servo_target, at, NULL));
        double density = INFINITY;
        for (int k = 0; k < scene->n_groups; k++)
            density = fmin(density, scene->material[scene->group[k].material].density);
        double a = m->servo_pressure ? target / (density * 2 * r) : target / mass;
        most = isfinite(a) ? fmax(most, a) : most;
    }
    return most;
}

static double smallest_radius(const mrn_state *s)
{
    double r = INFINITY;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (!(s->body.flags[i] & MRN_BODY_MEMBER))
            r = fmin(r, s->body.radius[i]);
    return r;
}

static void choose(mrn_step_limit *l, double h, const char *why, double value)
{
    if (!(h < l->advised))
        return;
    l->advised = h;
    snprintf(l->reason, sizeof l->reason, why, value);
}

mrn_step_limit mrn_nonsmooth_step_limit(const mrn_scene *scene, const mrn_state *s)
{
    mrn_step_limit l = {.critical = INFINITY,
                        .rayleigh = INFINITY,
                        .contact_time = INFINITY,
                        .advised = INFINITY,
                        .reason = "nothing moves that would limit it"};
    double r = smallest_radius(s), g = mrn_norm(mrn_load3(s->gravity));
    double load = load_acceleration(scene, s, r), wall = wall_speed(s);
    l.speed = expected_speed(s, g);
    if (g > 0)
        choose(&l, sqrt(2 * FALL * r / g),
               "a grain at rest falls %g of the smallest radius in a step", FALL);
    if (load > 0)
        choose(&l, sqrt(2 * FALL * r / load),
               "a load moves a grain at rest by %g of the smallest radius in a step", FALL);
    if (l.speed > 0)
        choose(&l, WAY * r / l.speed,
               "at %.3g m/s a grain goes a twentieth of the smallest radius in a step", l.speed);
    if (wall > 0)
        choose(&l, WALL_WAY * r / wall,
               "at %.3g m/s a wall goes a hundredth of the smallest radius in a step", wall);
    double end = s->stage < scene->n_stages ? scene->stage[s->stage].at_most : INFINITY;
    if (g == 0 && load == 0 && isfinite(end))
        choose(&l, end / STEPS, "a stage of %.3g s is made in a thousand steps at least", end);
    l.speed = fmax(l.speed, wall);
    return l;
}
