/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clusters of two forms among the grains of a test's world. */
#ifndef MRN_TESTS_CUDA_CLUSTERS_H
#define MRN_TESTS_CUDA_CLUSTERS_H

#include "smooth/cluster_world.h"

/* Two groups of them, after those that are there. */
static inline void clusters_forms(world *w)
{
    static const char *const name[] = {"cross", "bell"};
    int dimension = w->scene.dimension, spheres = dimension == 3 ? 4 : 3;
    for (int k = 0; k < 2; k++) {
        mrn_cluster form;
        mrn_group none = mrn_group_empty();
        ok(mrn_cluster_make(name[k], dimension, k == 0 ? spheres : 2,
                            k == 0 ? cross_centre : bell_centre,
                            k == 0 ? cross_radius : bell_radius, 20000, &form, NULL, &w->msg),
           &w->msg);
        none.size = mrn_size_constant(1e-3);
        ok(mrn_scene_add_cluster(&w->scene, &form, &w->msg), &w->msg);
        ok(mrn_scene_add_grains(&w->scene, k == 0 ? "crosses" : "bells", "stuff", name[k], &none,
                                &w->msg),
           &w->msg);
    }
}

/* One that reaches as far from its centre as `bound`, turned somehow; materials and flags of it and
   its spheres. Returns where it stands, its spheres behind it. */
static inline int32_t clusters_add(world *w, int form, double bound, mrn_vec3 x, mrn_vec3 v,
                                   mrn_vec3 spin, int material, unsigned flags)
{
    mrn_bodies *b = &w->state.body;
    int32_t at = b->n;
    mrn_grain g = {.x = x, .v = v, .w = spin};
    g.radius = bound / w->scene.cluster[form].bound;
    ok(mrn_generate_add_grain(&w->scene, w->scene.n_groups - 2 + form, &g, &w->state, &w->msg),
       &w->msg);
    for (int32_t i = at; i < b->n; i++) {
        b->material[i] = (uint16_t)material;
        b->flags[i] = (uint16_t)(b->flags[i] | flags);
    }
    return at;
}

#endif
