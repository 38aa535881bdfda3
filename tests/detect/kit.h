/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of detection share: grains scattered in a cell, distances by brute force over the
   images of a lattice. Nothing here is taken from the library. */
#ifndef MRN_TESTS_DETECT_KIT_H
#define MRN_TESTS_DETECT_KIT_H

#include "world.h"

static inline double uniform(mrn_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * mrn_rng_uniform(r);
}

/* The edges of a periodic cell; zero where there is no period. */
typedef struct lattice {
    mrn_vec3 edge[3];
} lattice;

static inline lattice lattice_of(const world *w)
{
    const bool *p = w->scene.cell.periodic;
    const double *size = w->state.cell_size, *tilt = w->state.cell_tilt;
    lattice l = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    if (p[0])
        l.edge[0] = mrn_v3(size[0], 0, 0);
    if (p[1])
        l.edge[1] = mrn_v3(p[0] ? tilt[0] : 0, size[1], 0);
    if (p[2])
        l.edge[2] = mrn_v3(p[0] ? tilt[1] : 0, p[1] ? tilt[2] : 0, size[2]);
    return l;
}

static inline mrn_vec3 lattice_at(const lattice *l, double a, double b, double c)
{
    return mrn_axpy(a, l->edge[0], mrn_axpy(b, l->edge[1], mrn_scale(c, l->edge[2])));
}

/* The shortest of d and its images, at most `most` edges away in each direction. */
static inline mrn_vec3 brute_nearest(const lattice *l, mrn_vec3 d, int most)
{
    mrn_vec3 best = d;
    int n[3];
    for (int k = 0; k < 3; k++)
        n[k] = mrn_norm(l->edge[k]) > 0 ? most : 0;
    for (int c = -n[2]; c <= n[2]; c++)
        for (int b = -n[1]; b <= n[1]; b++)
            for (int a = -n[0]; a <= n[0]; a++) {
                mrn_vec3 e = mrn_add(d, lattice_at(l, a, b, c));
                best = mrn_dot(e, e) < mrn_dot(best, best) ? e : best;
            }
    return best;
}

static inline double brute_gap(const world *w, const lattice *l, int32_t i, int32_t j, int most)
{
    const mrn_bodies *b = &w->state.body;
    mrn_vec3 d = mrn_sub(mrn_load3(b->x + 3 * i), mrn_load3(b->x + 3 * j));
    return mrn_norm(brute_nearest(l, d, most)) - b->radius[i] - b->radius[j];
}

static inline bool is_listed(const mrn_pairs *p, int32_t i, int32_t j)
{
    int found = 0;
    for (int32_t k = p->row[i]; k < p->row[i + 1]; k++)
        found += p->other[k] == j;
    for (int32_t k = p->row[j]; k < p->row[j + 1]; k++)
        found += p->other[k] == i;
    assert_true(found <= 1);
    return found == 1;
}

static inline void kit_begin(world *w, int dimension)
{
    world_begin(w, dimension, "linear", 2500, 1e8, 0.25);
    world_law(w, "normal-stiffness", 1e4);
    world_law(w, "restitution", 0.7);
    world_law(w, "friction", 0.5);
    w->scene.gravity = mrn_v3(0, 0, 0);
}

static inline void kit_ready(world *w)
{
    ok(mrn_scene_prepare(&w->scene, &w->msg), &w->msg);
    memcpy(w->state.cell_origin, w->scene.cell.origin, sizeof w->state.cell_origin);
    memcpy(w->state.cell_size, w->scene.cell.size, sizeof w->state.cell_size);
}

static inline void kit_build(world *w)
{
    ok(mrn_pairs_build(&w->scene, &w->state, false, &w->msg), &w->msg);
}

#endif
