/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scene's life: defaults, search by name, the changes a stage brings, the end. Checks and the
   preparation of laws stand in prepare.c. */
#include <string.h>

#include "base/base.h"
#include "model/keys.h"
#include "model/model.h"

mrn_nonsmooth_options mrn_nonsmooth_default(void)
{
    mrn_nonsmooth_options o = {0};
    mrn_keys_default(&mrn_schema_nonsmooth, &o);
    mrn_solver_defaults(mrn_solver_find(o.solver), o.option);
    return o;
}

mrn_quasistatic_options mrn_quasistatic_default(void)
{
    mrn_quasistatic_options o = {0};
    mrn_keys_default(&mrn_schema_quasistatic, &o);
    return o;
}

mrn_scene mrn_scene_default(void)
{
    mrn_scene s = {0};
    mrn_keys_default(&mrn_schema_scene, &s);
    s.nonsmooth = mrn_nonsmooth_default(); /* the solver has options of its own */
    return s;
}

mrn_stage mrn_stage_default(void)
{
    mrn_stage g = {0};
    mrn_keys_default(&mrn_schema_stage, &g);
    return g;
}

/* ---- output ---- */

void mrn_output_release(mrn_output *o)
{
    if (o == NULL)
        return;
    mrn_free(o->probe);
    o->probe = NULL;
    o->n_probes = 0;
}

mrn_status mrn_output_copy(const mrn_output *from, mrn_output *to)
{
    mrn_output copy = *from;
    copy.probe = NULL;
    if (from->n_probes > 0) {
        size_t bytes = (size_t)from->n_probes * sizeof *from->probe;
        copy.probe = mrn_alloc(bytes);
        if (copy.probe == NULL)
            return MRN_ERR_MEMORY;
        memcpy(copy.probe, from->probe, bytes);
    }
    *to = copy;
    return MRN_OK;
}

/* ---- end ---- */

void mrn_group_release(mrn_group *g)
{
    mrn_free(g->size.sieve_radius);
    mrn_free(g->size.sieve_passing);
    mrn_free(g->grain);
    mrn_signal_release(&g->inlet.rate);
    for (int k = 0; k < 6; k++)
        mrn_signal_release(&g->drive[k]);
    *g = (mrn_group){0};
}

void mrn_stage_release(mrn_stage *g)
{
    mrn_free(g->interaction);
    mrn_free(g->motion_wall);
    for (int k = 0; g->motion != NULL && k < g->n_motions; k++)
        mrn_motion_release(&g->motion[k]);
    mrn_free(g->motion);
    for (int k = 0; k < 3; k++)
        mrn_signal_release(&g->gravity[k]);
    mrn_cell_control_release(&g->control);
    mrn_forces_release(g->force, g->n_forces);
    mrn_free(g->inlet_group);
    mrn_free(g->inlet_open);
    mrn_free(g->remove_wall);
    mrn_output_release(&g->output);
    *g = (mrn_stage){0};
}

static void destroy_groups_and_stages(mrn_scene *s)
{
    for (int i = 0; s->group != NULL && i < s->n_groups; i++)
        mrn_group_release(&s->group[i]);
    mrn_free(s->group);
    for (int i = 0; s->stage != NULL && i < s->n_stages; i++)
        mrn_stage_release(&s->stage[i]);
    mrn_free(s->stage);
}

static void destroy_polytopes_and_joints(mrn_scene *s)
{
    for (int i = 0; s->polytope != NULL && i < s->n_polytopes; i++)
        mrn_polytope_release(&s->polytope[i]);
    mrn_free(s->polytope);
    for (int i = 0; s->joint != NULL && i < s->n_joints; i++)
        mrn_signal_release(&s->joint[i].speed);
    mrn_free(s->joint);
}

void mrn_scene_destroy(mrn_scene *s)
{
    if (s == NULL)
        return;
    for (int i = 0; s->shape != NULL && i < s->n_shapes; i++)
        if (s->shape[i].type != NULL)
            mrn_shape_release(&s->shape[i]);
    destroy_groups_and_stages(s);
    mrn_output_release(&s->output);
    mrn_free(s->shape);
    mrn_free(s->material);
    mrn_free(s->interaction);
    for (int i = 0; s->wall != NULL && i < s->n_walls; i++)
        mrn_motion_release(&s->wall[i].motion);
    mrn_free(s->wall);
    mrn_free(s->pair_of);
    mrn_free(s->path);
    mrn_free(s->source);
    for (int k = 0; k < 3; k++)
        mrn_signal_release(&s->gravity_of[k]);
    mrn_cell_control_release(&s->cell.control);
    mrn_forces_release(s->force, s->n_forces);
    for (int i = 0; s->cluster != NULL && i < s->n_clusters; i++)
        mrn_cluster_release(&s->cluster[i]);
    mrn_free(s->cluster);
    mrn_free(s->outlet);
    destroy_polytopes_and_joints(s);
    *s = (mrn_scene){0};
}

/* ---- search by name ---- */

int mrn_scene_find_material(const mrn_scene *s, const char *name)
{
    for (int i = 0; i < s->n_materials; i++)
        if (strcmp(s->material[i].name, name) == 0)
            return i;
    return -1;
}

int mrn_scene_find_wall(const mrn_scene *s, const char *name)
{
    for (int i = 0; i < s->n_walls; i++)
        if (strcmp(s->wall[i].name, name) == 0)
            return i;
    return -1;
}

int mrn_scene_find_group(const mrn_scene *s, const char *name)
{
    for (int i = 0; i < s->n_groups; i++)
        if (strcmp(s->group[i].name, name) == 0)
            return i;
    return -1;
}

/* ---- stages ---- */

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

/* A fixed step wins over a fraction; a fraction alone asks for a computed step again. */
static void apply_time_step(mrn_scene *s, const mrn_stage *g)
{
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
    if (g->method[0] != '\0')
        memcpy(s->method, g->method, sizeof s->method);
    apply_interactions(s, g);
    apply_time_step(s, g);
}

/* The drives a stage brings, in memory of their own, before the scene's are let go. */
typedef struct fresh {
    mrn_signal gravity[3];
    mrn_cell_control control;
    mrn_body_force *force;
    mrn_motion *motion;
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
    if (st != MRN_OK)
        release_fresh(f, g);
    return st;
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
}

/* Memory is taken before the first change, so that a lack of it leaves the scene as it was.
   Entering the stages 0 … k in order gives the scene of stage k, whatever stage the scene was in
   within a run. */
mrn_status mrn_scene_enter_stage(mrn_scene *s, int stage, mrn_message *msg)
{
    if (stage < 0 || stage >= s->n_stages)
        return mrn_fail(msg, MRN_ERR_RANGE, "stage %d of %d", stage, s->n_stages);
    const mrn_stage *g = &s->stage[stage];
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
