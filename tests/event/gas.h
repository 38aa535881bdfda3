/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Worlds of hard spheres in a few lines, for tests of the event-driven method. */
#ifndef MRN_TESTS_EVENT_GAS_H
#define MRN_TESTS_EVENT_GAS_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moraine/moraine.h"

typedef struct rig {
    mrn_scene scene;
    mrn_state s;
    mrn_engine e;
    mrn_message msg;
} rig;

static inline void need(const rig *r, mrn_status st)
{
    if (st == MRN_OK)
        return;
    char text[4096];
    mrn_message_format(&r->msg, text, sizeof text);
    fail_msg("%s", text);
}

#define HEAD     "moraine: 1\nmethod: event\nmaterials: {m: {density: 1000 kg/m3}}\n"
#define FOR_EVER "stages: [{until: {time: 1e6 s}}]\n"

/* What follows the head; `set` (may be NULL) as --set has it. */
static inline void rig_open(rig *r, const char *text, const char *set)
{
    memset(r, 0, sizeof *r);
    need(r, mrn_scene_read_text(text, "test", &set, set != NULL, &r->scene, &r->msg));
    need(r, mrn_world_build(&r->scene, &r->s, &r->msg));
    mrn_state_set_step(&r->s, 1e-9);
    need(r, mrn_engine_create(&r->scene, &r->s, NULL, &r->e, &r->msg));
}

static inline void rig_close(rig *r)
{
    mrn_engine_destroy(&r->e);
    mrn_state_destroy(&r->s);
    mrn_scene_destroy(&r->scene);
}

/* To a time, which is a whole number of nanoseconds. */
static inline void fly(rig *r, double until)
{
    need(r, mrn_engine_advance(&r->e, until, INT64_MAX / 2, &r->msg));
}

/* Grain k of the scene, counted from 0. */
static inline mrn_vec3 speed_of(const rig *r, int k)
{
    return mrn_load3(r->s.body.v + 3 * (size_t)(r->s.body.n_walls + k));
}
static inline mrn_vec3 place_of(const rig *r, int k)
{
    return mrn_load3(r->s.body.x + 3 * (size_t)(r->s.body.n_walls + k));
}
static inline mrn_vec3 spin_of(const rig *r, int k)
{
    return mrn_load3(r->s.body.w + 3 * (size_t)(r->s.body.n_walls + k));
}

#define near(a, b, tolerance)                                                                      \
    do {                                                                                           \
        double a_ = (a), b_ = (b);                                                                 \
        if (!(fabs(a_ - b_) <= (tolerance)))                                                       \
            fail_msg("line %d: %s = %.17g, not %.17g", __LINE__, #a, a_, b_);                      \
    } while (0)

#endif
