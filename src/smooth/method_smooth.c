/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smooth engine in the list of methods. */
#include "smooth/smooth.h"

/* A state that a method without inertia has left moves again. */
static mrn_status create(const mrn_scene *scene, mrn_state *s, volatile const int *stop,
                         void **self, mrn_message *msg)
{
    (void)stop; /* steps are short */
    mrn_smooth *e = NULL;
    s->quasistatic.active = 0;
    mrn_status st = mrn_smooth_create(scene, s, &e, msg);
    *self = e;
    return st;
}

static void destroy(void *self)
{
    mrn_smooth *e = self;
    mrn_smooth_destroy(&e);
}

static mrn_status refresh(void *self, mrn_message *msg)
{
    return mrn_smooth_refresh(self, msg);
}

static mrn_status advance(void *self, double until, int64_t max_steps, mrn_message *msg)
{
    mrn_smooth *e = self;
    return mrn_smooth_step(e, mrn_steps_until(e->state, until, max_steps), msg);
}

static mrn_step_times times(const void *self)
{
    return mrn_smooth_times(self);
}

const mrn_method mrn_method_smooth = {
    .name = "smooth",
    .doc = "Grains are elastic: contacts are overlaps, and laws turn overlaps and velocities into "
           "forces. Newton's equations are integrated by velocity Verlet with steps much shorter "
           "than an impact, so that stiffness limits the step.",
    .can = 1 << MRN_CAN_CLUSTERS | 1 << MRN_CAN_POLYTOPES | 1 << MRN_CAN_SOURCES |
           1 << MRN_CAN_MOVE_WALLS | 1 << MRN_CAN_DRIVE_CELL | 1 << MRN_CAN_LOCAL_DAMPING |
           1 << MRN_CAN_INTEGRATORS | 1 << MRN_CAN_NORMAL_HISTORY | 1 << MRN_CAN_FREE_HISTORY |
           1 << MRN_CAN_SERVOS | 1 << MRN_CAN_FORCES | 1 << MRN_CAN_VARY_GRAVITY |
           1 << MRN_CAN_DAMP | 1 << MRN_CAN_SPEED_RESTITUTION,
    .physical_time = true,
    .check_every = 50,
    .recheck_every = 1000,
    .grains_per_thread = 3000,
    .parts = 1 << MRN_STEP_FORCES | 1 << MRN_STEP_LIST | 1 << MRN_STEP_BODIES | 1 << MRN_STEP_WALLS,
    .create = create,
    .destroy = destroy,
    .refresh = refresh,
    .advance = advance,
    .step_limit = mrn_smooth_step_limit,
    .times = times,
};
