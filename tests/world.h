/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small world for tests: one or two materials, one law, chosen grains and walls. The scene is
   filled as a program would; state and engine are the test's own, so that it can look and meddle
   between any two steps (a program has mrn_world for them). */
#ifndef MRN_TESTS_WORLD_H
#define MRN_TESTS_WORLD_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "generate/generate.h"
#include "moraine/moraine.h"

typedef struct world {
    mrn_scene scene;
    mrn_state state;
    mrn_smooth *engine;
    mrn_message msg;
} world;

static inline void ok(mrn_status s, const mrn_message *msg)
{
    if (s == MRN_OK)
        return;
    char text[4096];
    mrn_message_format(msg, text, sizeof text);
    fail_msg("%s", text);
}

/* One material, one law between it and itself, no grains. */
static inline void world_begin_empty(world *w, int dimension, const char *law, double density,
                                     double young, double poisson)
{
    memset(w, 0, sizeof *w);
    w->scene = mrn_scene_default();
    w->scene.dimension = dimension;
    ok(mrn_scene_add_material(&w->scene, "stuff", density, young, poisson, &w->msg), &w->msg);
    ok(mrn_scene_add_law(&w->scene, "stuff", "stuff", law, &w->msg), &w->msg);
}

/* The same with a group of spheres (disks, but under laws of spheres) that the test adds. */
static inline void world_begin(world *w, int dimension, const char *law, double density,
                               double young, double poisson)
{
    mrn_group none = mrn_group_empty();
    const mrn_law *normal = mrn_law_model_find(law)->part[MRN_LAW_NORMAL];
    world_begin_empty(w, dimension, law, density, young, poisson);
    ok(mrn_scene_add_grains(&w->scene, "grains", "stuff", normal->spheres ? "sphere" : NULL, &none,
                            &w->msg),
       &w->msg);
}

static inline void world_law(world *w, const char *name, double value)
{
    ok(mrn_scene_set_law(&w->scene, "stuff", "stuff", name, value, &w->msg), &w->msg);
}

/* A wall; before any grain. Returns its index. */
static inline int world_wall(world *w, const mrn_wall_def *def)
{
    ok(mrn_scene_add_wall(&w->scene, def, &w->msg), &w->msg);
    int k = w->scene.n_walls - 1;
    const mrn_wall *wall = &w->scene.wall[k];
    mrn_body_def d = mrn_body_default();
    d.x = wall->x, d.q = wall->q, d.shape = wall->shape, d.group = k, d.flags = MRN_BODY_WALL;
    ok(mrn_body_add(&w->state, &d, NULL, &w->msg), &w->msg);
    return k;
}

/* An infinite plane. */
static inline int world_plane(world *w, mrn_vec3 point, mrn_vec3 normal)
{
    mrn_wall_def plane = mrn_wall_default("plane");
    mrn_wall_set_vector(&plane, "point", point, &w->msg);
    mrn_wall_set_vector(&plane, "normal", normal, &w->msg);
    return world_wall(w, &plane);
}

/* A second material like the first; laws between all pairs as in the first interaction. */
static inline void world_second_material(world *w, double density, double young, double poisson)
{
    const mrn_interaction *first = w->scene.interaction;
    mrn_law_model model = first->model;
    ok(mrn_scene_add_material(&w->scene, "other", density, young, poisson, &w->msg), &w->msg);
    for (int k = 0; k < 2; k++) {
        const char *a = k == 0 ? "stuff" : "other";
        ok(mrn_scene_add_law_model(&w->scene, a, "other", &model, &w->msg), &w->msg);
        memcpy(w->scene.interaction[k + 1].value, w->scene.interaction[0].value,
               sizeof w->scene.interaction[0].value);
    }
}

static inline void world_periodic(world *w, int axis, double origin, double size)
{
    ok(mrn_scene_set_period(&w->scene, axis, origin, size, &w->msg), &w->msg);
}

static inline mrn_body world_grain(world *w, double r, mrn_vec3 x, mrn_vec3 v, mrn_vec3 spin)
{
    mrn_grain g = {.x = x, .v = v, .w = spin, .radius = r};
    int32_t at = w->state.body.n;
    ok(mrn_generate_add_grain(&w->scene, 0, &g, &w->state, &w->msg), &w->msg);
    return mrn_body_handle(&w->state, at);
}

static inline void world_start(world *w, double h)
{
    ok(mrn_scene_prepare(&w->scene, &w->msg), &w->msg);
    for (int k = 0; k < 3; k++) {
        w->state.cell_origin[k] = w->scene.cell.origin[k];
        w->state.cell_size[k] = w->scene.cell.size[k];
    }
    w->state.h = h;
    ok(mrn_smooth_create(&w->scene, &w->state, &w->engine, &w->msg), &w->msg);
    mrn_ledger_open(&w->scene, &w->state);
}

static inline void world_steps(world *w, int64_t n)
{
    ok(mrn_smooth_step(w->engine, n, &w->msg), &w->msg);
}

static inline void world_end(world *w)
{
    mrn_smooth_destroy(&w->engine);
    mrn_state_destroy(&w->state);
    mrn_scene_destroy(&w->scene);
}

static inline mrn_vec3 world_v(const world *w, mrn_body b)
{
    return mrn_load3(w->state.body.v + 3 * (size_t)mrn_body_index(&w->state, b));
}
static inline mrn_vec3 world_w(const world *w, mrn_body b)
{
    return mrn_load3(w->state.body.w + 3 * (size_t)mrn_body_index(&w->state, b));
}
static inline mrn_vec3 world_x(const world *w, mrn_body b)
{
    return mrn_load3(w->state.body.x + 3 * (size_t)mrn_body_index(&w->state, b));
}

#define assert_close(value, target, tolerance)                                                     \
    do {                                                                                           \
        double v_ = (value), t_ = (target), tol_ = (tolerance);                                    \
        if (!(fabs(v_ - t_) <= tol_))                                                              \
            fail_msg("%s = %.10g, expected %.10g within %.3g (off by %.3g)", #value, v_, t_, tol_, \
                     v_ - t_);                                                                     \
    } while (0)

#endif
