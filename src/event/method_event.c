/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event-driven engine in the list of methods. */
#include "event/event.h"
#include "event/report.h"

static mrn_status create(const mrn_scene *scene, mrn_state *s, volatile const int *stop,
                         void **self, mrn_message *msg)
{
    mrn_event *e = NULL;
    mrn_status st = mrn_event_create(scene, s, stop, &e, msg);
    *self = e;
    return st;
}

static void destroy(void *self)
{
    mrn_event *e = self;
    mrn_event_destroy(&e);
}

static mrn_status refresh(void *self, mrn_message *msg)
{
    return mrn_event_refresh(self, msg);
}

static mrn_status advance(void *self, double until, int64_t max_steps, mrn_message *msg)
{
    return mrn_event_advance(self, until, max_steps, msg);
}

static mrn_step_times times(const void *self)
{
    return ((const mrn_event *)self)->times;
}

static size_t bytes(const void *self)
{
    return mrn_event_bytes(self);
}

const mrn_method mrn_method_event = {
    .name = "event",
    .doc = "Grains are hard spheres or disks that fly freely from collision to collision; a "
           "collision takes no time and changes velocities at once, by restitution (constant, or "
           "that of a viscoelastic law at the speed of the impact) and friction. There is no time "
           "step: events are found and worked off in their order. For gases, shaken and flowing "
           "grains; grains at rest on each other collide without end, which the collapse time "
           "bounds.",
    .options = "event",
    .can = 1 << MRN_CAN_MOVE_WALLS | 1 << MRN_CAN_RIGID_LAWS | 1 << MRN_CAN_NORMAL_HISTORY |
           1 << MRN_CAN_FREE_HISTORY | 1 << MRN_CAN_SPEED_RESTITUTION,
    .rigid_contacts = true,
    .contact_points = true,
    .physical_time = true,
    .continuous = true,
    .check_every = 200000, /* of 1e8 ticks of a stage */
    .recheck_every = 2000000,
    .grains_per_thread = 1 << 30, /* events follow each other */
    .probe = mrn_event_probes,
    .n_probes = MRN_EVENT_PROBES,
    .column = mrn_event_columns,
    .n_columns = MRN_EVENT_COLUMNS,
    .parts = 1 << MRN_STEP_SOLVE | 1 << MRN_STEP_BODIES,
    .check = mrn_event_check,
    .create = create,
    .destroy = destroy,
    .refresh = refresh,
    .advance = advance,
    .step_limit = mrn_event_step_limit,
    .times = times,
    .report = mrn_event_tell,
    .bytes = bytes,
};
