/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a scene that was filled to one that can run: defaults, the table of material pairs, mixed
   materials, laws with their coefficients. What a scene may contain is said in check.c. */
#include <string.h>

#include "base/base.h"
#include "engine/abilities.h"
#include "engine/scenes.h"
#include "model/keys.h"
#include "model/model.h"

/* Laws know neither the file nor which interaction they are asked for. `stage`: -1 of the scene. */
static mrn_status place(const mrn_scene *s, int stage, int i, const mrn_interaction *x,
                        mrn_message *msg, mrn_status st)
{
    if (stage < 0)
        mrn_fail_path(msg, "interactions.%d", i);
    else
        mrn_fail_path(msg, "stages.%d.interactions.%d", stage, i);
    if (s->path == NULL || msg->file[0] != '\0')
        return st;
    int line = msg->line, column = msg->column;
    for (int k = 0; line == 0 && k < MRN_PARAM_MAX; k++) {
        line = x->value[k].line;
        column = x->value[k].column;
    }
    mrn_fail_at(msg, s->path, line, column);
    return st;
}

mrn_status mrn_method_rigid(const mrn_method *m, const mrn_interaction *x,
                            const mrn_material_pair *pair, mrn_rigid *out, mrn_message *msg)
{
    return mrn_method_can(m, MRN_CAN_SPEED_RESTITUTION)
               ? mrn_law_rigid_varying(&x->model, pair, x->value, out, msg)
               : mrn_law_rigid(&x->model, pair, x->value, out, msg);
}

/* Rigid contacts have neither history nor range: nothing is to be kept for them. */
static mrn_status prepare_rigid(const mrn_scene *s, const mrn_material_pair *pair,
                                mrn_interaction *x, mrn_message *msg)
{
    x->ready.history = 0;
    x->ready.moments = x->ready.range = x->ready.jumps = false;
    return mrn_method_rigid(s->method, x, pair, &x->rigid, msg);
}

/* The first part whose formula is that of balls. */
static const mrn_law *law_of_spheres(const mrn_law_model *m)
{
    for (int k = 0; k < MRN_LAW_KINDS; k++)
        if (m->part[k] != NULL && m->part[k]->spheres)
            return m->part[k];
    return NULL;
}

/* A disk has the mass of a slice 1 m thick; between disks the stiffness of a ball would be that of
   a few millimetres of the slice. */
static mrn_status check_plane(const mrn_scene *s, const mrn_interaction *x, mrn_message *msg)
{
    const mrn_law *law = law_of_spheres(&x->model);
    for (int g = 0; s->dimension == 2 && law != NULL && g < s->n_groups; g++) {
        const mrn_group *of = &s->group[g];
        const char *shape = s->shape[of->shape].type->name;
        if ((of->material != x->a && of->material != x->b) || strcmp(shape, "sphere") == 0)
            continue;
        mrn_fail(msg, MRN_ERR_INPUT,
                 "law '%s' is one of spheres, but the grains '%s' are %ss, slices 1 m thick",
                 x->model.name, of->name, shape);
        mrn_fail_expected(msg,
                          "spheres, whose centres stay in the plane, or laws of disks: linear, "
                          "elastic, elastic-viscous, walton-braun");
        return mrn_fail_hint(msg, "shape: {sphere: {diameter: 4 mm}}, or law: linear");
    }
    return MRN_OK;
}

static mrn_status prepare_interaction(const mrn_scene *s, mrn_interaction *x, mrn_message *msg)
{
    const mrn_material *a = &s->material[x->a], *b = &s->material[x->b];
    mrn_material_pair pair =
        mrn_material_pair_mix(a->young, a->poisson, a->density, b->young, b->poisson, b->density);
    mrn_status st = mrn_law_prepare(&x->model, &pair, x->value, &x->ready, msg);
    x->rigid = (mrn_rigid){0};
    if (st == MRN_OK)
        st = s->method->rigid_contacts ? prepare_rigid(s, &pair, x, msg) : check_plane(s, x, msg);
    return st;
}

static void order(mrn_interaction *x)
{
    if (x->a > x->b) {
        int a = x->a;
        x->a = x->b;
        x->b = a;
    }
}

/* Prepares interactions of the scene (-1) or of a stage; *history rises to what they need. */
static mrn_status prepare_list(const mrn_scene *s, int stage, mrn_interaction *x, int n,
                               int *history, mrn_message *msg)
{
    for (int i = 0; i < n; i++) {
        order(&x[i]);
        mrn_status st = prepare_interaction(s, &x[i], msg);
        if (st != MRN_OK)
            return place(s, stage, i, &x[i], msg, st);
        *history = x[i].ready.history > *history ? x[i].ready.history : *history;
    }
    return MRN_OK;
}

/* Stages are prepared with the rest: what is wrong with the last stage is said before the first
   begins, and the room for history per contact is the same all through a run. */
static mrn_status prepare_all(mrn_scene *s, int *history, mrn_message *msg)
{
    mrn_status st = prepare_list(s, -1, s->interaction, s->n_interactions, history, msg);
    for (int k = 0; st == MRN_OK && k < s->n_stages; k++)
        st = prepare_list(s, k, s->stage[k].interaction, s->stage[k].n_interactions, history, msg);
    return st;
}

static void adopt_gravity(mrn_scene *s)
{
    bool none = true;
    for (int k = 0; k < 3; k++)
        none = none && mrn_signal_is_zero(&s->gravity_of[k]);
    if (!none)
        return;
    s->gravity_of[0] = mrn_signal_constant(s->gravity.x);
    s->gravity_of[1] = mrn_signal_constant(s->gravity.y);
    s->gravity_of[2] = mrn_signal_constant(s->gravity.z);
}

static mrn_contact_kind contact_kind(const mrn_scene *s, const mrn_rigid *x)
{
    if (s->dimension == 2)
        return x->rolling > 0 ? MRN_CONTACT_2D_ROLLING : MRN_CONTACT_2D;
    if (x->pivoting > 0)
        return MRN_CONTACT_3D_PIVOTING;
    return x->rolling > 0 ? MRN_CONTACT_3D_ROLLING : MRN_CONTACT_3D;
}

/* Kinds of one dimension stand in the order of what they can bear. */
static void note_needs(mrn_scene *s, const mrn_interaction *x, int n)
{
    for (int i = 0; i < n; i++) {
        mrn_contact_kind kind = contact_kind(s, &x[i].rigid);
        s->contact_kind = kind > s->contact_kind ? kind : s->contact_kind;
        s->moments |= x[i].ready.moments || x[i].rigid.rolling > 0 || x[i].rigid.pivoting > 0;
        s->range |= x[i].ready.range;
    }
}

static void note_all_needs(mrn_scene *s)
{
    s->moments = s->range = s->polytopes = false;
    s->contact_kind = s->dimension == 2 ? MRN_CONTACT_2D : MRN_CONTACT_3D;
    note_needs(s, s->interaction, s->n_interactions);
    for (int k = 0; k < s->n_stages; k++)
        note_needs(s, s->stage[k].interaction, s->stage[k].n_interactions);
    for (int k = 0; k < s->n_groups; k++)
        s->polytopes |= mrn_group_has_corners(s, &s->group[k]);
}

mrn_status mrn_scene_prepare_into(mrn_scene *s, int *pair_of, mrn_message *msg)
{
    int n = s->n_materials, history = 0;
    mrn_message unread; /* laws always have a message to fill */
    mrn_status st = mrn_abilities_check(s->method, s, msg);
    if (st == MRN_OK)
        st = prepare_all(s, &history, msg != NULL ? msg : &unread);
    if (st != MRN_OK) {
        mrn_free(pair_of);
        return st;
    }
    for (int k = 0; k < n * n; k++)
        pair_of[k] = -1;
    for (int i = 0; i < s->n_interactions; i++) {
        const mrn_interaction *x = &s->interaction[i];
        pair_of[x->a * n + x->b] = pair_of[x->b * n + x->a] = i;
    }
    mrn_free(s->pair_of);
    s->pair_of = pair_of;
    s->history = history;
    adopt_gravity(s);
    note_all_needs(s);
    return s->method->check != NULL ? s->method->check(s, msg) : MRN_OK;
}

mrn_scene mrn_scene_default(void)
{
    mrn_scene s = {0};
    mrn_keys_default(&mrn_schema_scene, &s);
    s.nonsmooth = mrn_nonsmooth_default(); /* the solver has options of its own */
    s.method = mrn_method_at(0);
    return s;
}

mrn_status mrn_scene_prepare(mrn_scene *s, mrn_message *msg)
{
    s->method = mrn_method_of(s);
    mrn_status st = mrn_scene_check(s, msg);
    if (st == MRN_OK)
        st = mrn_abilities_check(s->method, s, msg);
    if (st == MRN_OK)
        st = mrn_abilities_check_stages(s, msg);
    if (st != MRN_OK)
        return st;
    int *pair_of = NULL;
    st = mrn_array(&pair_of, (int64_t)s->n_materials * s->n_materials, sizeof *pair_of, msg);
    return st == MRN_OK ? mrn_scene_prepare_into(s, pair_of, msg) : st;
}
