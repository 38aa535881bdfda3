/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Independent copies of a scene and of its parts. A copy starts as the plain bytes of the original
   with every owned pointer cleared: a number that a struct gets one day is copied without a line
   here, and a copy that fails half-way can be released. tests/model/test_copy.c walks the structs
   for a pointer that two of them share. */
#include "base/base.h"
#include "model/model.h"

static mrn_status copy_signals(const mrn_signal *from, mrn_signal *to, int n, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int i = 0; i < n && st == MRN_OK; i++)
        st = mrn_signal_copy(&from[i], &to[i], msg);
    return st;
}

static void clear_signals(mrn_signal *s, int n)
{
    for (int i = 0; i < n; i++)
        s[i] = (mrn_signal){0};
}

/* ---- groups ---- */

mrn_status mrn_group_copy(const mrn_group *from, mrn_group *to, mrn_message *msg)
{
    mrn_group g = *from;
    g.size.sieve_radius = g.size.sieve_passing = NULL;
    g.grain = NULL;
    clear_signals(&g.inlet.rate, 1);
    clear_signals(g.drive, 6);
    const mrn_size *z = &from->size;
    mrn_status st = mrn_duplicate(&g.size.sieve_radius, z->sieve_radius, z->n, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&g.size.sieve_passing, z->sieve_passing, z->n, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&g.grain, from->grain, from->n_grains, sizeof *g.grain, msg);
    if (st == MRN_OK)
        st = copy_signals(&from->inlet.rate, &g.inlet.rate, 1, msg);
    if (st == MRN_OK)
        st = copy_signals(from->drive, g.drive, 6, msg);
    if (st != MRN_OK)
        mrn_group_release(&g);
    *to = g;
    return st;
}

/* ---- stages ---- */

static mrn_status copy_motions(const mrn_stage *from, mrn_stage *g, mrn_message *msg)
{
    mrn_status st = mrn_duplicate(&g->motion_wall, from->motion_wall, from->n_motions,
                                  sizeof *g->motion_wall, msg);
    if (st == MRN_OK && from->motion != NULL)
        st = mrn_array(&g->motion, from->n_motions, sizeof *g->motion, msg);
    for (int k = 0; st == MRN_OK && g->motion != NULL && k < from->n_motions; k++)
        st = mrn_motion_copy(&from->motion[k], &g->motion[k], msg);
    return st;
}

mrn_status mrn_imposed_copy(const mrn_imposed *from, mrn_imposed *to, mrn_message *msg)
{
    mrn_imposed x = *from;
    clear_signals(x.drive, 6);
    mrn_status st = copy_signals(from->drive, x.drive, 6, msg);
    if (st != MRN_OK)
        mrn_imposed_release(&x);
    *to = x;
    return st;
}

static mrn_status copy_imposed(const mrn_stage *from, mrn_stage *g, mrn_message *msg)
{
    mrn_status st = mrn_duplicate(&g->imposed_group, from->imposed_group, from->n_imposed,
                                  sizeof *g->imposed_group, msg);
    if (st == MRN_OK && from->imposed != NULL)
        st = mrn_array(&g->imposed, from->n_imposed, sizeof *g->imposed, msg);
    for (int k = 0; st == MRN_OK && g->imposed != NULL && k < from->n_imposed; k++)
        st = mrn_imposed_copy(&from->imposed[k], &g->imposed[k], msg);
    return st;
}

static mrn_status copy_lists(const mrn_stage *from, mrn_stage *g, mrn_message *msg)
{
    mrn_status st = mrn_duplicate(&g->inlet_group, from->inlet_group, from->n_inlets,
                                  sizeof *g->inlet_group, msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&g->inlet_open, from->inlet_open, from->n_inlets, sizeof *g->inlet_open,
                           msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&g->interaction, from->interaction, from->n_interactions,
                           sizeof *g->interaction, msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&g->remove_wall, from->remove_wall, from->n_remove,
                           sizeof *g->remove_wall, msg);
    return st;
}

static mrn_status copy_output(const mrn_output *from, mrn_output *to, mrn_message *msg)
{
    *to = (mrn_output){0};
    return mrn_output_copy(from, to) == MRN_OK ? MRN_OK : mrn_fail_memory(msg);
}

mrn_status mrn_stage_copy(const mrn_stage *from, mrn_stage *to, mrn_message *msg)
{
    mrn_stage g = *from;
    clear_signals(g.gravity, 3);
    clear_signals(g.control.target, MRN_STRAINS);
    g.force = NULL;
    g.inlet_group = g.motion_wall = g.remove_wall = g.imposed_group = NULL;
    g.imposed = NULL;
    g.inlet_open = NULL;
    g.interaction = NULL;
    g.motion = NULL;
    mrn_status st = copy_output(&from->output, &g.output, msg);
    if (st == MRN_OK)
        st = copy_signals(from->gravity, g.gravity, 3, msg);
    if (st == MRN_OK)
        st = copy_signals(from->control.target, g.control.target, MRN_STRAINS, msg);
    if (st == MRN_OK)
        st = mrn_forces_copy(from->force, from->n_forces, &g.force, msg);
    if (st == MRN_OK)
        st = copy_motions(from, &g, msg);
    if (st == MRN_OK)
        st = copy_imposed(from, &g, msg);
    if (st == MRN_OK)
        st = copy_lists(from, &g, msg);
    if (st != MRN_OK)
        mrn_stage_release(&g);
    *to = g;
    return st;
}

/* ---- scenes ---- */

static void forget_owned(mrn_scene *s)
{
    s->path = s->source = s->inputs = NULL;
    clear_signals(s->gravity_of, 3);
    clear_signals(s->cell.control.target, MRN_STRAINS);
    s->material = NULL;
    s->interaction = NULL;
    s->shape = NULL;
    s->wall = NULL;
    s->group = NULL;
    s->stage = NULL;
    s->cluster = NULL;
    s->force = NULL;
    s->outlet = NULL;
    s->polytope = NULL;
    s->joint = NULL;
    s->output = (mrn_output){0};
    s->pair_of = NULL;
    s->group_mark = NULL;
}

static mrn_status copy_text(char **to, const char *from, mrn_message *msg)
{
    *to = from != NULL ? mrn_strdup(from) : NULL;
    return from != NULL && *to == NULL ? mrn_fail_memory(msg) : MRN_OK;
}

/* Lists whose entries own nothing. */
static mrn_status copy_plain(const mrn_scene *from, mrn_scene *s, mrn_message *msg)
{
    mrn_status st = copy_text(&s->path, from->path, msg);
    if (st == MRN_OK)
        st = copy_text(&s->source, from->source, msg);
    if (st == MRN_OK)
        st = copy_text(&s->inputs, from->inputs, msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&s->material, from->material, from->n_materials, sizeof *s->material,
                           msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&s->interaction, from->interaction, from->n_interactions,
                           sizeof *s->interaction, msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&s->outlet, from->outlet, from->n_outlets, sizeof *s->outlet, msg);
    int64_t pairs = (int64_t)from->n_materials * from->n_materials;
    if (st == MRN_OK)
        st = mrn_duplicate(&s->pair_of, from->pair_of, pairs, sizeof *s->pair_of, msg);
    return st;
}

static mrn_status copy_drives(const mrn_scene *from, mrn_scene *s, mrn_message *msg)
{
    mrn_status st = copy_signals(from->gravity_of, s->gravity_of, 3, msg);
    if (st == MRN_OK)
        st = copy_signals(from->cell.control.target, s->cell.control.target, MRN_STRAINS, msg);
    if (st == MRN_OK)
        st = mrn_forces_copy(from->force, from->n_forces, &s->force, msg);
    if (st == MRN_OK)
        st = copy_output(&from->output, &s->output, msg);
    return st;
}

static mrn_status copy_walls(const mrn_scene *from, mrn_scene *s, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    if (from->shape != NULL)
        st = mrn_array(&s->shape, from->n_shapes, sizeof *s->shape, msg);
    for (int i = 0; st == MRN_OK && s->shape != NULL && i < from->n_shapes; i++)
        s->shape[i] = mrn_shape_copy(&from->shape[i]);
    if (st == MRN_OK && from->wall != NULL)
        st = mrn_array(&s->wall, from->n_walls, sizeof *s->wall, msg);
    for (int i = 0; st == MRN_OK && s->wall != NULL && i < from->n_walls; i++) {
        s->wall[i] = from->wall[i];
        st = mrn_motion_copy(&from->wall[i].motion, &s->wall[i].motion, msg);
    }
    return st;
}

static mrn_status copy_grains(const mrn_scene *from, mrn_scene *s, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    if (from->cluster != NULL)
        st = mrn_array(&s->cluster, from->n_clusters, sizeof *s->cluster, msg);
    for (int i = 0; st == MRN_OK && s->cluster != NULL && i < from->n_clusters; i++)
        st = mrn_cluster_copy(&from->cluster[i], &s->cluster[i], msg);
    if (st == MRN_OK && from->polytope != NULL)
        st = mrn_array(&s->polytope, from->n_polytopes, sizeof *s->polytope, msg);
    for (int i = 0; st == MRN_OK && s->polytope != NULL && i < from->n_polytopes; i++)
        st = mrn_polytope_copy(&from->polytope[i], &s->polytope[i], msg);
    if (st == MRN_OK && from->group != NULL)
        st = mrn_array(&s->group, from->n_groups, sizeof *s->group, msg);
    for (int i = 0; st == MRN_OK && s->group != NULL && i < from->n_groups; i++)
        st = mrn_group_copy(&from->group[i], &s->group[i], msg);
    return st;
}

static mrn_status copy_joints_and_stages(const mrn_scene *from, mrn_scene *s, mrn_message *msg)
{
    mrn_status st = mrn_duplicate(&s->joint, from->joint, from->n_joints, sizeof *s->joint, msg);
    for (int i = 0; st == MRN_OK && s->joint != NULL && i < from->n_joints; i++)
        clear_signals(&s->joint[i].speed, 1);
    for (int i = 0; st == MRN_OK && s->joint != NULL && i < from->n_joints; i++)
        st = copy_signals(&from->joint[i].speed, &s->joint[i].speed, 1, msg);
    if (st == MRN_OK && from->stage != NULL)
        st = mrn_array(&s->stage, from->n_stages, sizeof *s->stage, msg);
    for (int i = 0; st == MRN_OK && s->stage != NULL && i < from->n_stages; i++)
        st = mrn_stage_copy(&from->stage[i], &s->stage[i], msg);
    return st;
}

mrn_status mrn_scene_copy(const mrn_scene *from, mrn_scene *to, mrn_message *msg)
{
    mrn_scene s = *from;
    forget_owned(&s);
    mrn_status st = copy_plain(from, &s, msg);
    if (st == MRN_OK)
        st = copy_drives(from, &s, msg);
    if (st == MRN_OK)
        st = copy_walls(from, &s, msg);
    if (st == MRN_OK)
        st = copy_grains(from, &s, msg);
    if (st == MRN_OK)
        st = copy_joints_and_stages(from, &s, msg);
    if (st != MRN_OK)
        mrn_scene_destroy(&s);
    *to = s;
    return st;
}
