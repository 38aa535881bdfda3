/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stages change about a scene. */
#include <string.h>

#include "base/base.h"
#include "engine/scenes.h"
#include "model/keys.h"
#include "model/model.h"

/* The interaction of the same two materials, whatever their order; NULL: none yet. */
static mrn_interaction *same_pair(mrn_scene *s, const mrn_interaction *x)
{
    for (int i = 0; i < s->n_interactions; i++) {
        mrn_interaction *y = &s->interaction[i];
        if ((y->a == x->a && y->b == x->b) || (y->a == x->b && y->b == x->a))
            return y;
    }
    return NULL;
}

/* Room for the interactions a stage adds; those that replace one need none. */
static mrn_status room_for_interactions(mrn_scene *s, const mrn_stage *g, mrn_message *msg)
{
    int fresh = 0;
    for (int i = 0; i < g->n_interactions; i++)
        fresh += same_pair(s, &g->interaction[i]) == NULL;
    if (fresh == 0)
        return MRN_OK;
    mrn_interaction *more =
        mrn_realloc(s->interaction, (size_t)(s->n_interactions + fresh) * sizeof *more);
    if (more == NULL)
        return mrn_fail_memory(msg);
    s->interaction = more;
    return MRN_OK;
}

static void apply_interactions(mrn_scene *s, const mrn_stage *g)
{
    for (int i = 0; i < g->n_interactions; i++) {
        mrn_interaction *old = same_pair(s, &g->interaction[i]);
        *(old != NULL ? old : &s->interaction[s->n_interactions++]) = g->interaction[i];
    }
}

/* A fixed step wins over a fraction, and that over an accuracy; each alone asks for what it says
   in place of all that was said before. (The accuracy itself goes over with the marked keys.) */
static void apply_time_step(mrn_scene *s, const mrn_stage *g)
{
    if (g->has_accuracy)
        s->time_step = 0, s->time_step_fraction = 0;
    if (g->time_step_fraction > 0) {
        s->time_step_fraction = g->time_step_fraction;
        s->time_step = 0;
    }
    if (g->time_step > 0)
        s->time_step = g->time_step;
}

/* All that cannot fail. */
static void apply(mrn_scene *s, const mrn_stage *g)
{
    for (const mrn_key *k = mrn_schema_stage.keys; k->name != NULL; k++)
        if (k->scene != 0 && *((const bool *)g + k->mark - 1))
            memcpy((char *)s + k->scene - 1, (const char *)g + k->at, k->size);
    if (g->method != NULL)
        s->method = g->method;
    apply_interactions(s, g);
    apply_time_step(s, g);
}

/* The drives a stage brings, in memory of their own, before the scene's are let go. */
typedef struct fresh {
    mrn_signal gravity[3];
    mrn_cell_control control;
    mrn_body_force *force;
    mrn_motion *motion;
    mrn_imposed *imposed;
} fresh;

static void release_fresh(fresh *f, const mrn_stage *g)
{
    for (int k = 0; k < 3; k++)
        mrn_signal_release(&f->gravity[k]);
    mrn_cell_control_release(&f->control);
    mrn_forces_release(f->force, g->n_forces);
    for (int k = 0; f->motion != NULL && k < g->n_motions; k++)
        mrn_motion_release(&f->motion[k]);
    mrn_free(f->motion);
    for (int k = 0; f->imposed != NULL && k < g->n_imposed; k++)
        mrn_imposed_release(&f->imposed[k]);
    mrn_free(f->imposed);
}

static mrn_status take_fresh(const mrn_stage *g, fresh *f, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int k = 0; k < 3 && g->has_gravity && st == MRN_OK; k++)
        st = mrn_signal_copy(&g->gravity[k], &f->gravity[k], msg);
    if (st == MRN_OK && g->has_control)
        st = mrn_cell_control_copy(&g->control, &f->control, msg);
    if (st == MRN_OK && g->has_forces)
        st = mrn_forces_copy(g->force, g->n_forces, &f->force, msg);
    if (st == MRN_OK && g->n_motions > 0)
        st = mrn_array(&f->motion, g->n_motions, sizeof *f->motion, msg);
    for (int k = 0; k < g->n_motions && st == MRN_OK; k++)
        st = mrn_motion_copy(&g->motion[k], &f->motion[k], msg);
    if (st == MRN_OK && g->n_imposed > 0)
        st = mrn_array(&f->imposed, g->n_imposed, sizeof *f->imposed, msg);
    for (int k = 0; k < g->n_imposed && st == MRN_OK; k++)
        st = mrn_imposed_copy(&g->imposed[k], &f->imposed[k], msg);
    if (st != MRN_OK)
        release_fresh(f, g);
    return st;
}

/* What was imposed on a group before goes as a whole. */
static void apply_imposed(mrn_scene *s, const mrn_stage *g, fresh *f)
{
    for (int i = 0; i < g->n_imposed; i++) {
        mrn_group *to = &s->group[g->imposed_group[i]];
        for (int k = 0; k < 6; k++) {
            mrn_signal_release(&to->drive[k]);
            to->drive[k] = f->imposed[i].drive[k];
        }
        to->held = f->imposed[i].held;
    }
    mrn_free(f->imposed);
}

static void apply_drives(mrn_scene *s, const mrn_stage *g, fresh *f)
{
    if (g->has_gravity) {
        for (int k = 0; k < 3; k++) {
            mrn_signal_release(&s->gravity_of[k]);
            s->gravity_of[k] = f->gravity[k];
        }
        s->gravity = mrn_gravity_at(s->gravity_of, (mrn_instant){0, 0});
    }
    if (g->has_control) {
        mrn_cell_control_release(&s->cell.control);
        s->cell.control = f->control;
    }
    if (g->has_forces) {
        mrn_forces_release(s->force, s->n_forces);
        s->force = f->force;
        s->n_forces = g->n_forces;
    }
    for (int i = 0; i < g->n_motions; i++) {
        mrn_motion_release(&s->wall[g->motion_wall[i]].motion);
        s->wall[g->motion_wall[i]].motion = f->motion[i];
    }
    mrn_free(f->motion);
    apply_imposed(s, g, f);
}

/* Memory is taken before the first change, so that a lack of it leaves the scene as it was.
   Entering the stages 0 … k in order gives the scene of stage k, whatever stage the scene was in
   within a run. */
mrn_status mrn_scene_enter_stage(mrn_scene *s, int stage, mrn_message *msg)
{
    if (stage < 0 || stage >= s->n_stages)
        return mrn_fail(msg, MRN_ERR_RANGE, "stage %d of %d", stage, s->n_stages);
    const mrn_stage *g = &s->stage[stage];
    s->method = mrn_method_of(s);
    mrn_status st = mrn_scene_check(s, msg);
    if (st != MRN_OK)
        return st;
    mrn_output output = {0};
    int *pair_of = NULL;
    st = mrn_array(&pair_of, (int64_t)s->n_materials * s->n_materials, sizeof *pair_of, msg);
    if (st == MRN_OK && g->has_output && mrn_output_copy(&g->output, &output) != MRN_OK)
        st = mrn_fail_memory(msg);
    if (st == MRN_OK)
        st = room_for_interactions(s, g, msg);
    fresh drives = {0};
    if (st == MRN_OK)
        st = take_fresh(g, &drives, msg);
    if (st != MRN_OK) {
        mrn_output_release(&output);
        mrn_free(pair_of);
        return st;
    }
    apply(s, g);
    apply_drives(s, g, &drives);
    if (g->has_output) {
        mrn_output_release(&s->output);
        s->output = output;
    }
    mrn_contact_kind kind = s->contact_kind;
    st = mrn_scene_prepare_into(s, pair_of, msg);
    /* contacts keep their numbers all through a run, also when the law that asked for them goes */
    s->contact_kind = kind > s->contact_kind ? kind : s->contact_kind;
    return st;
}
