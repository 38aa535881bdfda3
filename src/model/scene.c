/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scene's life: defaults of its parts, search by name, the end. Checks, preparation and the
   changes that stages bring stand in engine/, which knows the methods. */
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

mrn_event_options mrn_event_default(void)
{
    mrn_event_options o = {0};
    mrn_keys_default(&mrn_schema_event, &o);
    return o;
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

void mrn_imposed_release(mrn_imposed *x)
{
    for (int k = 0; k < 6; k++)
        mrn_signal_release(&x->drive[k]);
    *x = (mrn_imposed){0};
}

void mrn_stage_release(mrn_stage *g)
{
    mrn_free(g->interaction);
    mrn_free(g->motion_wall);
    for (int k = 0; g->motion != NULL && k < g->n_motions; k++)
        mrn_motion_release(&g->motion[k]);
    mrn_free(g->motion);
    mrn_free(g->imposed_group);
    for (int k = 0; g->imposed != NULL && k < g->n_imposed; k++)
        mrn_imposed_release(&g->imposed[k]);
    mrn_free(g->imposed);
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
    mrn_free(s->group_mark);
    mrn_free(s->path);
    mrn_free(s->source);
    mrn_free(s->inputs);
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

/* ---- kinds of grains ---- */

static bool is_kind(const mrn_scene *s, const mrn_group *g, mrn_grain_kind kind)
{
    const mrn_shape_type *t = s->shape[g->shape].type;
    return t != NULL && t->kind == kind;
}

bool mrn_group_is_cluster(const mrn_scene *s, const mrn_group *g)
{
    return is_kind(s, g, MRN_GRAIN_CLUSTER);
}

bool mrn_group_has_corners(const mrn_scene *s, const mrn_group *g)
{
    return is_kind(s, g, MRN_GRAIN_POLYTOPE);
}
