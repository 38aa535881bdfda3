/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes put together by hand for the tests of generators and measures: one material, walls and
 * groups in fixed room. */
#ifndef MRN_TESTS_GENERATE_KIT_H
#define MRN_TESTS_GENERATE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/engine.h"

#define KIT_MOST 8

typedef struct kit {
    mrn_scene scene;
    mrn_material material[1];
    mrn_shape shape[1 + KIT_MOST];
    mrn_wall wall[KIT_MOST];
    mrn_group group[KIT_MOST];
    mrn_message msg;
} kit;

/* An empty scene: shape 0 is the grain, material 0 has density 1000. */
static inline void kit_begin(kit *k, int dimension)
{
    memset(k, 0, sizeof *k);
    k->scene = mrn_scene_default();
    k->scene.dimension = dimension;
    k->scene.seed = 7;
    k->material[0] = (mrn_material){.name = "stone", .density = 1000, .young = 1e7, .poisson = 0.3};
    k->shape[0].type = mrn_shape_type_find(dimension == 2 ? "disk" : "sphere");
    k->shape[0].dimension = dimension;
    assert_non_null(k->shape[0].type);
    k->scene.gravity = mrn_v3(0, 0, 0);
    k->scene.material = k->material;
    k->scene.n_materials = 1;
    k->scene.shape = k->shape;
    k->scene.n_shapes = 1;
    k->scene.wall = k->wall;
    k->scene.group = k->group;
}

static inline void kit_end(kit *k)
{
    for (int i = 1; i < k->scene.n_shapes; i++)
        mrn_shape_release(&k->shape[i]);
}

static inline void kit_periodic(kit *k, int axis, double origin, double size)
{
    k->scene.cell.periodic[axis] = true;
    k->scene.cell.origin[axis] = origin;
    k->scene.cell.size[axis] = size;
}

/* A wall of a type with values by parameter name; call kit_value for each, then kit_wall. */
typedef struct kit_values {
    const mrn_shape_type *type;
    mrn_value value[MRN_PARAM_MAX];
} kit_values;

static inline kit_values kit_type(const char *name)
{
    kit_values v = {.type = mrn_shape_type_find(name)};
    assert_non_null(v.type);
    for (int i = 0; i < v.type->n_params; i++)
        v.value[i].number = v.type->params[i].fallback;
    return v;
}

static inline mrn_value *kit_value(kit_values *v, const char *name)
{
    for (int i = 0; i < v->type->n_params; i++)
        if (strcmp(v->type->params[i].name, name) == 0) {
            v->value[i].given = true;
            return &v->value[i];
        }
    fail_msg("no parameter %s", name);
    return NULL;
}

static inline mrn_wall *kit_wall(kit *k, const char *name, const kit_values *v)
{
    mrn_wall *w = &k->wall[k->scene.n_walls++];
    w->shape = k->scene.n_shapes++;
    snprintf(w->name, sizeof w->name, "%s", name);
    mrn_status st =
        v->type->build(v->value, k->scene.dimension, &k->shape[w->shape], &w->x, &w->q, &k->msg);
    assert_int_equal(st, MRN_OK);
    return w;
}

static inline mrn_wall *kit_plane(kit *k, const char *name, mrn_vec3 point, mrn_vec3 normal)
{
    kit_values v = kit_type("plane");
    kit_value(&v, "point")->a = point;
    kit_value(&v, "normal")->a = normal;
    return kit_wall(k, name, &v);
}

static inline mrn_group *kit_group(kit *k, const char *name, double radius)
{
    mrn_group *g = &k->group[k->scene.n_groups++];
    snprintf(g->name, sizeof g->name, "%s", name);
    g->size.kind = MRN_SIZE_CONSTANT;
    g->size.mean = radius;
    return g;
}

static inline mrn_group *kit_fill_box(kit *k, const char *name, double radius, mrn_vec3 lo,
                                      mrn_vec3 hi)
{
    mrn_group *g = kit_group(k, name, radius);
    g->place = MRN_PLACE_FILL;
    g->region = (mrn_region){.kind = MRN_REGION_BOX, .lo = lo, .hi = hi};
    return g;
}

static inline void kit_build(kit *k, mrn_state *s)
{
    *s = (mrn_state){0};
    if (mrn_world_build(&k->scene, s, &k->msg) != MRN_OK)
        fail_msg("%s", k->msg.text);
}

/* ---- brute force ---- */

static inline double kit_component(const mrn_state *s, int i, int j, int c, const mrn_scene *scene)
{
    double d = s->body.x[3 * i + c] - s->body.x[3 * j + c];
    if (scene->cell.periodic[c])
        d -= s->cell_size[c] * rint(d / s->cell_size[c]);
    return d;
}

/* Smallest gap between two grains, all pairs, nearest image. */
static inline double kit_smallest_gap(const kit *k, const mrn_state *s)
{
    double least = INFINITY;
    for (int i = s->body.n_walls; i < s->body.n; i++)
        for (int j = s->body.n_walls; j < i; j++) {
            double dx = kit_component(s, i, j, 0, &k->scene),
                   dy = kit_component(s, i, j, 1, &k->scene);
            double dz = kit_component(s, i, j, 2, &k->scene);
            double gap =
                sqrt(dx * dx + dy * dy + dz * dz) - (s->body.radius[i] + s->body.radius[j]);
            least = gap < least ? gap : least;
        }
    return least;
}

/* Smallest gap between a grain and a wall over the grain's radius. */
static inline double kit_smallest_wall_gap(const kit *k, const mrn_state *s)
{
    double least = INFINITY;
    for (int i = s->body.n_walls; i < s->body.n; i++)
        for (int w = 0; w < k->scene.n_walls; w++) {
            const mrn_shape *shape = &k->shape[k->wall[w].shape];
            int32_t face[64];
            mrn_vec3 d = mrn_sub(mrn_load3(s->body.x + 3 * i), k->wall[w].x);
            mrn_vec3 c = mrn_rotate(mrn_quat_conj(k->wall[w].q), d), p, n;
            int m = shape->type->features(shape, c, 2 * s->body.radius[i], face, 64);
            assert_true(m <= 64);
            for (int f = 0; f < m; f++) {
                double gap = shape->type->closest(shape, face[f], c, &p, &n) - s->body.radius[i];
                least = fmin(least, gap / s->body.radius[i]);
            }
        }
    return least;
}

static inline double kit_volume(const mrn_state *s)
{
    double v = 0;
    for (int i = s->body.n_walls; i < s->body.n; i++)
        v += s->body.mass[i] / 1000;
    return v;
}

#endif
