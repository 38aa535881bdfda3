/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The non-smooth engine in the list of methods. */
#include "nonsmooth/nonsmooth.h"
#include "nonsmooth/report.h"
#include "nonsmooth/sleep.h"

static mrn_status create(const mrn_scene *scene, mrn_state *s, volatile const int *stop,
                         void **self, mrn_message *msg)
{
    (void)stop; /* a step ends soon enough */
    mrn_nonsmooth *e = NULL;
    mrn_status st = mrn_nonsmooth_create(scene, s, &e, msg);
    *self = e;
    return st;
}

static void destroy(void *self)
{
    mrn_nonsmooth *e = self;
    mrn_nonsmooth_destroy(&e);
}

static mrn_status refresh(void *self, mrn_message *msg)
{
    return mrn_nonsmooth_refresh(self, msg);
}

static mrn_status advance(void *self, double until, int64_t max_steps, mrn_message *msg)
{
    mrn_nonsmooth *e = self;
    return mrn_nonsmooth_step(e, mrn_steps_until(e->state, until, max_steps), msg);
}

static mrn_step_times times(const void *self)
{
    return mrn_nonsmooth_times(self);
}

static size_t bytes(const void *self)
{
    return mrn_nonsmooth_bytes(self);
}

static const mrn_problem *problem(const void *self, const double **r)
{
    return mrn_nonsmooth_problem(self, r);
}

static void keep_unsolved(void *self, mrn_keep_problem *write, void *user, int max)
{
    mrn_nonsmooth_keep_unsolved(self, write, user, max);
}

const mrn_method mrn_method_nonsmooth = {
    .name = "nonsmooth",
    .doc = "Grains are rigid: Signorini's condition and Coulomb's law hold at every contact point, "
           "impacts included. A step (theta scheme) solves one frictional-contact problem for the "
           "impulses of all contacts, so that steps do not depend on stiffness. Of contact laws "
           "it takes restitution, friction and cohesion.",
    .options = "nonsmooth",
    .can = 1 << MRN_CAN_JOINTS | 1 << MRN_CAN_IMPOSE_DOFS | 1 << MRN_CAN_CLUSTERS |
           1 << MRN_CAN_POLYTOPES | 1 << MRN_CAN_SOURCES | 1 << MRN_CAN_MOVE_WALLS |
           1 << MRN_CAN_RIGID_LAWS | 1 << MRN_CAN_NORMAL_HISTORY | 1 << MRN_CAN_FREE_HISTORY |
           1 << MRN_CAN_SERVOS | 1 << MRN_CAN_FORCES | 1 << MRN_CAN_VARY_GRAVITY |
           1 << MRN_CAN_DAMP | 1 << MRN_CAN_CONTACT_PROBLEMS,
    .rigid_contacts = true,
    .contact_points = true,
    .carries_servos = true,
    .physical_time = true,
    .check_every = 10,
    .recheck_every = 200,
    .grains_per_thread = 500, /* a step is many sweeps */
    .probe = mrn_nonsmooth_probes,
    .n_probes = MRN_NONSMOOTH_PROBES,
    .column = mrn_nonsmooth_columns,
    .n_columns = MRN_NONSMOOTH_COLUMNS,
    .parts = 1 << MRN_STEP_CONTACTS | 1 << MRN_STEP_ASSEMBLY | 1 << MRN_STEP_SOLVE |
             1 << MRN_STEP_LIST | 1 << MRN_STEP_BODIES,
    .check = mrn_nonsmooth_check,
    .create = create,
    .destroy = destroy,
    .refresh = refresh,
    .advance = advance,
    .step_limit = mrn_nonsmooth_step_limit,
    .times = times,
    .headline = mrn_nonsmooth_headline,
    .choices_title = "Contact problems",
    .choices = mrn_nonsmooth_choices,
    .report = mrn_nonsmooth_tell,
    .bytes = bytes,
    .problem = problem,
    .keep_unsolved = keep_unsolved,
    .solving = mrn_nonsmooth_solving,
    .disturbed = mrn_ns_wake_all,
};
