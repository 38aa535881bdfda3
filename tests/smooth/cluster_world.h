/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Worlds with one kind of cluster, put together by hand. */
#ifndef MRN_TESTS_SMOOTH_CLUSTER_WORLD_H
#define MRN_TESTS_SMOOTH_CLUSTER_WORLD_H

#include "world.h"

#include "generate/generate.h"
#include "geom/cluster.h"

/* Three moments that all differ. The first three are plane. */
static const double cross_centre[] = {0, 0, 0, 1.2, 0, 0, 0, 0.7, 0, 0, 0, 0.9};
static const double cross_radius[] = {1, 0.5, 0.6, 0.35};
static const double bell_centre[] = {-1, 0, 0, 1, 0, 0};
static const double bell_radius[] = {1.2, 0.9};

/* A world of one linear law whose group 0 is a cluster of these spheres. */
static inline void cluster_world(world *w, int dimension, int n, const double *centre,
                                 const double *radius)
{
    mrn_cluster thing;
    mrn_group things = mrn_group_empty();
    world_begin_empty(w, dimension, "linear", 2500, 0, 0.25);
    world_law(w, "normal-stiffness", dimension == 3 ? 2e4 : 1e6);
    world_law(w, "normal-damping", 0);
    world_law(w, "friction", 0);
    ok(mrn_cluster_make("thing", dimension, n, centre, radius, 20000, &thing, NULL, &w->msg),
       &w->msg);
    things.size = mrn_size_constant(1e-3);
    ok(mrn_scene_add_cluster(&w->scene, &thing, &w->msg), &w->msg);
    ok(mrn_scene_add_grains(&w->scene, "things", "stuff", "thing", &things, &w->msg), &w->msg);
}

static inline mrn_body cluster_add(world *w, double r, mrn_vec3 x, mrn_vec3 v, mrn_vec3 spin,
                                   mrn_quat q)
{
    int32_t at = w->state.body.n;
    mrn_grain g = {.x = x, .v = v, .w = spin, .radius = r, .q = q};
    ok(mrn_generate_add_grain(&w->scene, 0, &g, &w->state, &w->msg), &w->msg);
    return mrn_body_handle(&w->state, at);
}

static inline mrn_vec3 push_of(const world *w, mrn_body b)
{
    return mrn_scale(w->state.body.mass[mrn_body_index(&w->state, b)], world_v(w, b));
}
/* Angular momentum about its own centre. */
static inline mrn_vec3 momentum_of(const world *w, mrn_body b)
{
    const mrn_bodies *a = &w->state.body;
    int32_t i = mrn_body_index(&w->state, b);
    return mrn_angular_momentum(mrn_principal_moments(&w->scene, a, i),
                                mrn_load_quat(a->q + 4 * (size_t)i), world_w(w, b));
}
/* About the origin. */
static inline mrn_vec3 turning_of(const world *w, mrn_body b)
{
    return mrn_add(mrn_cross(world_x(w, b), push_of(w, b)), momentum_of(w, b));
}

#endif
