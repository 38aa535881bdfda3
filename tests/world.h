/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small world made by hand, for tests: one or two materials, one law, chosen grains and walls. */
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

/* One material, one law between it and itself. */
static inline void world_begin(world *w, int dimension, const char *law, double density,
                               double young, double poisson)
{
    memset(w, 0, sizeof *w);
    w->scene = mrn_scene_default();
    w->scene.dimension = dimension;
    w->scene.n_materials = 1;
    w->scene.material = mrn_alloc(sizeof(mrn_material));
    w->scene.material[0] = (mrn_material){"stuff", density, young, poisson};
    w->scene.n_interactions = 1;
    w->scene.interaction = mrn_alloc(sizeof(mrn_interaction));
    assert_non_null(mrn_law_model_find(law));
    w->scene.interaction[0].model = *mrn_law_model_find(law);
    const mrn_param *p[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&w->scene.interaction[0].model, p);
    for (int i = 0; i < n; i++)
        w->scene.interaction[0].value[i].number = p[i]->fallback;
    w->scene.n_shapes = 1;
    w->scene.shape = mrn_alloc(16 * sizeof(mrn_shape));
    w->scene.shape[0].type = mrn_shape_type_find(dimension == 2 ? "disk" : "sphere");
    w->scene.shape[0].dimension = dimension;
    w->scene.wall = mrn_alloc(16 * sizeof(mrn_wall));
}

static inline void world_law(world *w, const char *name, double value)
{
    const mrn_param *p[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&w->scene.interaction[0].model, p);
    for (int i = 0; i < n; i++)
        if (strcmp(p[i]->name, name) == 0) {
            w->scene.interaction[0].value[i].given = true;
            w->scene.interaction[0].value[i].number = value;
            return;
        }
    fail_msg("law has no parameter %s", name);
}

/* An infinite plane; before any grain. Returns the wall's index. */
static inline int world_plane(world *w, mrn_vec3 point, mrn_vec3 normal)
{
    const mrn_shape_type *type = mrn_shape_type_find("plane");
    mrn_value value[MRN_PARAM_MAX] = {0};
    for (int i = 0; i < type->n_params; i++) {
        bool is_point = strcmp(type->params[i].name, "point") == 0;
        bool is_normal = strcmp(type->params[i].name, "normal") == 0;
        value[i].given = is_point || is_normal;
        value[i].a = is_point ? point : normal;
        value[i].number = type->params[i].fallback;
    }
    int k = w->scene.n_walls++;
    mrn_wall *wall = &w->scene.wall[k];
    snprintf(wall->name, sizeof wall->name, "plane-%d", k + 1);
    wall->shape = w->scene.n_shapes++;
    ok(type->build(value, w->scene.dimension, &w->scene.shape[wall->shape], &wall->x, &wall->q,
                   &w->msg),
       &w->msg);
    mrn_body_def d = mrn_body_default();
    d.x = wall->x, d.q = wall->q, d.shape = wall->shape, d.group = k, d.flags = MRN_BODY_WALL;
    ok(mrn_body_add(&w->state, &d, NULL, &w->msg), &w->msg);
    return k;
}

/* A wall of any type; `value` in the order of the type's parameters. Before any grain. */
static inline int world_wall(world *w, const char *type_name, const mrn_value *value)
{
    const mrn_shape_type *type = mrn_shape_type_find(type_name);
    assert_non_null(type);
    int k = w->scene.n_walls++;
    mrn_wall *wall = &w->scene.wall[k];
    snprintf(wall->name, sizeof wall->name, "%s-%d", type_name, k + 1);
    wall->shape = w->scene.n_shapes++;
    ok(type->build(value, w->scene.dimension, &w->scene.shape[wall->shape], &wall->x, &wall->q,
                   &w->msg),
       &w->msg);
    mrn_body_def d = mrn_body_default();
    d.x = wall->x, d.q = wall->q, d.shape = wall->shape, d.group = k, d.flags = MRN_BODY_WALL;
    ok(mrn_body_add(&w->state, &d, NULL, &w->msg), &w->msg);
    return k;
}

/* The value of a named parameter of a shape, marked as given, with the defaults of the others. */
static inline mrn_value *world_value(const char *type_name, mrn_value *value, const char *name)
{
    const mrn_shape_type *type = mrn_shape_type_find(type_name);
    assert_non_null(type);
    for (int i = 0; i < type->n_params; i++)
        if (strcmp(type->params[i].name, name) == 0) {
            value[i].given = true;
            return &value[i];
        }
    fail_msg("%s has no parameter %s", type_name, name);
    return NULL;
}

/* A second material like the first; laws between all pairs as in the first interaction. */
static inline void world_second_material(world *w, double density, double young, double poisson)
{
    w->scene.n_materials = 2;
    w->scene.material = mrn_realloc(w->scene.material, 2 * sizeof(mrn_material));
    w->scene.material[1] = (mrn_material){"other", density, young, poisson};
    w->scene.n_interactions = 3;
    w->scene.interaction = mrn_realloc(w->scene.interaction, 3 * sizeof(mrn_interaction));
    w->scene.interaction[1] = w->scene.interaction[2] = w->scene.interaction[0];
    w->scene.interaction[1].b = 1;
    w->scene.interaction[2].a = w->scene.interaction[2].b = 1;
}

static inline void world_periodic(world *w, int axis, double origin, double size)
{
    w->scene.cell.periodic[axis] = true;
    w->scene.cell.origin[axis] = origin;
    w->scene.cell.size[axis] = size;
}

static inline mrn_body world_grain(world *w, double r, mrn_vec3 x, mrn_vec3 v, mrn_vec3 spin)
{
    double volume, k;
    w->scene.shape[0].type->measure(r, &volume, &k);
    mrn_body_def d = mrn_body_default();
    d.x = x, d.v = v, d.w = spin, d.radius = r;
    d.mass = volume * w->scene.material[0].density;
    d.inertia = k * d.mass;
    mrn_body b;
    ok(mrn_body_add(&w->state, &d, &b, &w->msg), &w->msg);
    return b;
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
