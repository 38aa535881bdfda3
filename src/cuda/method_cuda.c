/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Method smooth on a device: what it can, in the table of abilities. */
#include "cuda/cuda.h"

static mrn_status create(const mrn_scene *scene, mrn_state *s, volatile const int *stop,
                         void **self, mrn_message *msg)
{
    (void)stop; /* steps are short */
    mrn_cuda *c = NULL;
    s->quasistatic.active = 0;
    mrn_status st = mrn_cuda_create(scene, s, &c, msg);
    *self = c;
    return st;
}

static void destroy(void *self)
{
    mrn_cuda *c = self;
    mrn_cuda_destroy(&c);
}

static mrn_status refresh(void *self, mrn_message *msg)
{
    return mrn_cuda_refresh(self, msg);
}

static mrn_status advance(void *self, double until, int64_t max_steps, mrn_message *msg)
{
    mrn_cuda *c = self;
    return mrn_cuda_step(c, mrn_steps_until(c->state, until, max_steps), msg);
}

static mrn_status sync(void *self, bool all, bool keep, mrn_message *msg)
{
    return mrn_cuda_sync(self, all, keep, msg);
}

static mrn_status energies(void *self, double sum[3], bool *known, mrn_message *msg)
{
    return mrn_cuda_energies(self, sum, known, msg);
}

static mrn_step_times times(const void *self)
{
    return ((const mrn_cuda *)self)->times;
}

static size_t bytes(const void *self)
{
    return (size_t)mrn_cuda_bytes(self);
}

const mrn_method mrn_method_cuda = {
    .name = "smooth on a device",
    .doc = "Method smooth, its steps made by a GPU: same laws, same bits.",
    .family = &mrn_method_smooth,
    .can = 1 << MRN_CAN_SOURCES | 1 << MRN_CAN_MOVE_WALLS | 1 << MRN_CAN_NORMAL_HISTORY |
           1 << MRN_CAN_FREE_HISTORY | 1 << MRN_CAN_SPEED_RESTITUTION | 1 << MRN_CAN_FORCES |
           1 << MRN_CAN_DAMP | 1 << MRN_CAN_LOCAL_DAMPING | 1 << MRN_CAN_VARY_GRAVITY |
           1 << MRN_CAN_INTEGRATORS | 1 << MRN_CAN_DRIVE_CELL | 1 << MRN_CAN_SERVOS |
           1 << MRN_CAN_CLUSTERS,
    .physical_time = true,
    .check_every = 50,
    .recheck_every = 1000,
    .grains_per_thread = 3000,
    .parts = 1 << MRN_STEP_FORCES | 1 << MRN_STEP_LIST,
    .create = create,
    .destroy = destroy,
    .refresh = refresh,
    .advance = advance,
    .sync = sync,
    .energies = energies,
    .step_limit = mrn_smooth_step_limit,
    .times = times,
    .bytes = bytes,
};
