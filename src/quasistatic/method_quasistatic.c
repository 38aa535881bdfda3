/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The quasi-static method in the list of methods. */
#include "quasistatic/method.h"
#include "quasistatic/report.h"
#include "smooth/smooth.h"

static mrn_status create(const mrn_scene *scene, mrn_state *s, volatile const int *stop,
                         void **self, mrn_message *msg)
{
    mrn_quasistatic *e = NULL;
    s->quasistatic.active = 1;
    mrn_status st = mrn_quasistatic_create(scene, s, stop, &e, msg);
    *self = e;
    return st;
}

static void destroy(void *self)
{
    mrn_quasistatic *e = self;
    mrn_quasistatic_destroy(&e);
}

static mrn_status refresh(void *self, mrn_message *msg)
{
    return mrn_quasistatic_refresh(self, msg);
}

static mrn_status advance(void *self, double until, int64_t max_steps, mrn_message *msg)
{
    mrn_quasistatic *e = self;
    return mrn_quasistatic_step(e, mrn_steps_until(mrn_quasistatic_state(e), until, max_steps),
                                msg);
}

static mrn_step_times times(const void *self)
{
    return mrn_quasistatic_times(self);
}

const mrn_method mrn_method_quasistatic = {
    .name = "quasistatic",
    .doc = "Time is a parameter of the load. Each increment takes the contact network as matrices "
           "and finds the displacements that balance the load of its end; where the network gives "
           "way, explicit dynamics finds the next equilibrium if the scene allows it.",
    .family = &mrn_method_smooth,
    .options = "quasistatic",
    /* damping and integrator are those of the dynamics that finds the next equilibrium */
    .can = 1 << MRN_CAN_DRIVE_CELL | 1 << MRN_CAN_LOCAL_DAMPING | 1 << MRN_CAN_INTEGRATORS |
           1 << MRN_CAN_SERVOS | 1 << MRN_CAN_FORCES | 1 << MRN_CAN_VARY_GRAVITY |
           1 << MRN_CAN_DAMP | 1 << MRN_CAN_FIX_CONTACTS,
    .check_every = 1, /* an increment is worth many steps */
    .recheck_every = 1000,
    .grains_per_thread = 3000,
    .probe = mrn_quasistatic_probes,
    .n_probes = MRN_QUASISTATIC_PROBES,
    .parts = 1 << MRN_STEP_ASSEMBLY | 1 << MRN_STEP_SOLVE,
    .create = create,
    .destroy = destroy,
    .refresh = refresh,
    .advance = advance,
    .step_limit = mrn_quasistatic_step_limit,
    .times = times,
    .report = mrn_quasistatic_tell,
};
