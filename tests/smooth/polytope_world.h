/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Worlds of grains with corners, put together by hand: group 0 are polytopes, group 1 spheres
 * (disks).
 */
#ifndef MRN_TESTS_SMOOTH_POLYTOPE_WORLD_H
#define MRN_TESTS_SMOOTH_POLYTOPE_WORLD_H

#include "world.h"

#include "generate/generate.h"
#include "geom/cluster.h"

#define FORM_WORLD_K 2e4 /* N/m */

/* One linear law, without damping and friction; `n` polytopes, which become the scene's. */
static inline void polytope_world(world *w, int dimension, int n, const mrn_polytope *polytope)
{
    mrn_group group = mrn_group_empty();
    group.size = mrn_size_constant(1e-3);
    world_begin_empty(w, dimension, "linear", 2500, 0, 0.25);
    world_law(w, "normal-stiffness", FORM_WORLD_K);
    world_law(w, "normal-damping", 0);
    world_law(w, "friction", 0);
    for (int k = 0; k < n; k++) {
        mrn_polytope own = polytope[k];
        snprintf(own.name, sizeof own.name, "block-%d", k + 1);
        ok(mrn_scene_add_polytope(&w->scene, &own, &w->msg), &w->msg);
    }
    group.n_polytopes = n;
    ok(mrn_scene_add_grains(&w->scene, "blocks", "stuff", "block-1", &group, &w->msg), &w->msg);
    group.n_polytopes = 0;
    ok(mrn_scene_add_grains(&w->scene, "balls", "stuff", NULL, &group, &w->msg), &w->msg);
}

static inline mrn_polytope box_polytope(int dimension, double a, double b, double c)
{
    mrn_polytope f;
    mrn_message msg = {0};
    ok(mrn_polytope_box(dimension, a, b, c, &f, &msg), &msg);
    return f;
}

static inline mrn_polytope regular_polytope(const char *name)
{
    mrn_polytope f;
    mrn_message msg = {0};
    ok(mrn_polytope_regular(name, &f, &msg), &msg);
    return f;
}

static inline mrn_polytope polygon_polytope(int n)
{
    mrn_polytope f;
    mrn_message msg = {0};
    ok(mrn_polytope_polygon(n, &f, &msg), &msg);
    return f;
}

static inline mrn_body polytope_add(world *w, int polytope, double r, mrn_vec3 x, mrn_quat q)
{
    int32_t at = w->state.body.n;
    mrn_grain g = {.x = x, .radius = r, .q = q};
    ok(mrn_generate_add_polytope(&w->scene, 0, polytope, &g, &w->state, &w->msg), &w->msg);
    return mrn_body_handle(&w->state, at);
}

static inline mrn_body ball_add(world *w, double r, mrn_vec3 x)
{
    int32_t at = w->state.body.n;
    mrn_grain g = {.x = x, .radius = r};
    ok(mrn_generate_add_grain(&w->scene, 1, &g, &w->state, &w->msg), &w->msg);
    return mrn_body_handle(&w->state, at);
}

static inline void polytope_move(world *w, mrn_body b, mrn_vec3 v, mrn_vec3 spin)
{
    size_t i = 3 * (size_t)mrn_body_index(&w->state, b);
    mrn_store3(w->state.body.v + i, v);
    mrn_store3(w->state.body.w + i, spin);
}

/* The turn that brings unit vector `from` to `to`, the short way. */
static inline mrn_quat turn_between(mrn_vec3 from, mrn_vec3 to)
{
    mrn_vec3 axis = mrn_cross(from, to);
    double s = mrn_norm(axis), c = mrn_dot(from, to);
    if (s > 1e-12)
        return mrn_quat_from_rotation(mrn_scale(atan2(s, c) / s, axis));
    mrn_vec3 across = fabs(from.x) < 0.9 ? mrn_v3(1, 0, 0) : mrn_v3(0, 1, 0);
    across = mrn_unit(mrn_cross(from, across));
    return c > 0 ? mrn_quat_identity() : mrn_quat_from_rotation(mrn_scale(MRN_PI, across));
}

/* Motion, height and springs: what an undamped world keeps. */
static inline double mechanical(const world *w)
{
    const mrn_bodies *b = &w->state.body;
    double sum = w->state.elastic;
    for (int32_t i = b->n_walls; i < b->n; i++) {
        mrn_vec3 v = mrn_load3(b->v + 3 * (size_t)i), x = mrn_load3(b->x + 3 * (size_t)i);
        sum += 0.5 * b->mass[i] * mrn_dot(v, v) + mrn_rotational_energy(&w->scene, b, i);
        sum -= b->mass[i] * mrn_dot(w->scene.gravity, x);
    }
    return sum;
}

#endif
