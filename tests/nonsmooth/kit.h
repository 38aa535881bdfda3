/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A world of the non-smooth engine from a scene's text, for tests. */
#ifndef MRN_TESTS_NONSMOOTH_KIT_H
#define MRN_TESTS_NONSMOOTH_KIT_H

#include "world.h"

typedef struct rig {
    mrn_scene scene;
    mrn_state state;
    mrn_nonsmooth *engine;
    mrn_message msg;
} rig;

/* Builds the world of `text` with time step h and opens the ledger. */
static inline void rig_begin(rig *w, const char *text, double h)
{
    memset(w, 0, sizeof *w);
    ok(mrn_scene_read_text(text, "scene", NULL, 0, &w->scene, &w->msg), &w->msg);
    ok(mrn_world_build(&w->scene, &w->state, &w->msg), &w->msg);
    mrn_state_set_step(&w->state, h);
    ok(mrn_nonsmooth_create(&w->scene, &w->state, &w->engine, &w->msg), &w->msg);
    mrn_ledger_open(&w->scene, &w->state);
}

static inline void rig_step(rig *w, int64_t n)
{
    ok(mrn_nonsmooth_step(w->engine, n, &w->msg), &w->msg);
}

static inline void rig_end(rig *w)
{
    mrn_nonsmooth_destroy(&w->engine);
    mrn_state_destroy(&w->state);
    mrn_scene_destroy(&w->scene);
}

/* Place in memory of the k-th grain made. */
static inline int32_t rig_grain(const rig *w, int32_t k)
{
    return w->state.body.index_of[w->state.body.n_walls + k];
}

static inline mrn_vec3 rig_x(const rig *w, int32_t k)
{
    return mrn_load3(w->state.body.x + 3 * (size_t)rig_grain(w, k));
}

static inline mrn_vec3 rig_v(const rig *w, int32_t k)
{
    return mrn_load3(w->state.body.v + 3 * (size_t)rig_grain(w, k));
}

static inline mrn_vec3 rig_w(const rig *w, int32_t k)
{
    return mrn_load3(w->state.body.w + 3 * (size_t)rig_grain(w, k));
}

/* The account closes: energy that is neither in the bodies nor booked, J. */
static inline double rig_residual(const rig *w)
{
    return mrn_measure_energies(&w->scene, &w->state).residual;
}

#endif
