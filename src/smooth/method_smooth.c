/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smooth engine in the list of methods. */
#include "smooth/stream.h"

static void destroy(void *self)
{
    mrn_smooth *e = self;
    mrn_smooth_destroy(&e);
}

/* The contacts that there are, by persistent numbers: they stand in the state, so that a run that
   is taken up again has the same ones. */
static mrn_status list_contacts(mrn_state *s, mrn_message *msg)
{
    const mrn_pairs *p = &s->pair;
    mrn_contacts_def def = {.columns = mrn_contacts_columns(MRN_CONTACTS_NAMES), .n = p->n};
    mrn_status st = mrn_contacts_make(&s->began, &def, msg);
    int64_t n = 0;
    for (int32_t i = s->body.n_walls; st == MRN_OK && i < p->rows; i++)
        for (int part = 0; part < 2; part++) {
            const int32_t *row = part == 0 ? p->row : p->wall_row;
            for (int32_t k = row[i]; k < row[i + 1]; k++)
                if (mrn_contact_alive(&s->contact, k)) {
                    s->began.id_c[n] = s->body.id[i];
                    s->began.id_a[n] = s->body.id[p->other[k]];
                    n++;
                }
        }
    s->began.n = n;
    if (st == MRN_OK && n == 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "fixed-contacts: no contact is there when the stage begins");
        return mrn_fail_hint(msg, "let the grains come to touch in a stage before");
    }
    return st;
}

/* A stage with fixed contacts begins: the list is that of all pairs, until those in touch are
   noted. */
static mrn_status refresh(void *self, mrn_message *msg)
{
    mrn_smooth *e = self;
    mrn_state *s = e->state;
    if (!e->scene->fixed_contacts || s->step != s->stage_step)
        return mrn_smooth_refresh(e, msg);
    mrn_contacts_destroy(&s->began);
    mrn_status st = mrn_smooth_refresh(e, msg);
    if (st == MRN_OK)
        st = list_contacts(s, msg);
    return st == MRN_OK ? mrn_smooth_refresh(e, msg) : st;
}

/* A state that a method without inertia has left moves again. The first stage begins with this; one
   that is taken up again has its contacts listed. */
static mrn_status create(const mrn_scene *scene, mrn_state *s, volatile const int *stop,
                         void **self, mrn_message *msg)
{
    mrn_smooth *e = NULL;
    s->quasistatic.active = 0;
    mrn_status st = mrn_smooth_create(scene, s, &e, msg);
    *self = e;
    if (st == MRN_OK)
        e->stays = true, e->stop = stop;
    bool begins = scene->fixed_contacts && s->step == s->stage_step && s->began.columns == 0;
    return st == MRN_OK && begins ? refresh(e, msg) : st;
}

static mrn_status advance(void *self, double until, int64_t max_steps, mrn_message *msg)
{
    mrn_smooth *e = self;
    return mrn_smooth_go(e, mrn_steps_until(e->state, until, max_steps), msg);
}

/* What the stream keeps for itself goes back to the state's arrays. */
static mrn_status sync(void *self, bool all, bool keep, mrn_message *msg)
{
    (void)keep, (void)msg;
    if (all)
        mrn_stream_leave(self);
    else
        mrn_stream_look(self);
    return MRN_OK;
}

static mrn_status energies(void *self, double sum[3], bool *known, mrn_message *msg)
{
    (void)sum;
    *known = false;
    return sync(self, false, true, msg);
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
           1 << MRN_CAN_DAMP | 1 << MRN_CAN_SPEED_RESTITUTION | 1 << MRN_CAN_FIX_CONTACTS,
    .prompt = true,
    .physical_time = true,
    .check_every = 50,
    .recheck_every = 1000,
    .grains_per_thread = 3000,
    .parts = 1 << MRN_STEP_FORCES | 1 << MRN_STEP_LIST | 1 << MRN_STEP_BODIES | 1 << MRN_STEP_WALLS,
    .create = create,
    .destroy = destroy,
    .refresh = refresh,
    .advance = advance,
    .sync = sync,
    .energies = energies,
    .step_limit = mrn_smooth_step_limit,
    .times = times,
};
