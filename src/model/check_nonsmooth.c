/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What concerns the non-smooth engine: choices that it does not know, things that it cannot do, and
   things that only it can do (joints, degrees of freedom that are imposed) under another method. */
#include <stdio.h>
#include <string.h>

#include "model/keys.h"
#include "model/model.h"
#include "model/owner.h"

bool mrn_method_is_rigid(const mrn_scene *s)
{
    return strcmp(s->method, "nonsmooth") == 0;
}

/* ---- choices ---- */

/* What the solver must be able to do for the other choices and the joints. */
static mrn_status check_abilities(const mrn_owner *o, const mrn_nonsmooth_options *n)
{
    const mrn_solver *solver = mrn_solver_find(n->solver);
    char text[200];
    if (n->criterion != MRN_STOP_NATURAL && !solver->sweeps) {
        snprintf(text, sizeof text,
                 "its 'criterion' %s needs a solver that sweeps, which %s is not",
                 mrn_criterion_name(n->criterion), n->solver);
        return mrn_owner_fail(o, "criterion", text, "criterion: natural, or solver: nlgs");
    }
    if (!n->stored && solver->wants_W && strcmp(n->solver, "nlgs") != 0) {
        snprintf(text, sizeof text, "its solver %s needs blocks that 'storage' exchange leaves out",
                 n->solver);
        return mrn_owner_fail(o, "storage", text,
                              "storage: stored, or solver nlgs, nlgs-exchange, apgd or cpg");
    }
    if (o->scene->n_joints > 0 && !solver->bilateral) {
        snprintf(text, sizeof text, "its 'solver' %s cannot solve joints", n->solver);
        return mrn_owner_fail(o, "solver", text, "solver: nlgs");
    }
    return MRN_OK;
}

/* Whether the solver can solve contacts of the kind that the laws make. */
static mrn_status check_kind(const mrn_owner *o, const mrn_nonsmooth_options *n)
{
    const mrn_solver *solver = mrn_solver_find(n->solver);
    if ((solver->kinds & 1u << o->scene->contact_kind) != 0)
        return MRN_OK;
    char text[200];
    snprintf(text, sizeof text, "its 'solver' %s cannot solve rolling or pivoting friction",
             n->solver);
    return mrn_owner_fail(o, "solver", text, "solver: nlgs or hybrid");
}

/* The scene's choices and those of its stages. */
static mrn_status check_choices(const mrn_scene *s, mrn_message *msg,
                                mrn_status (*check)(const mrn_owner *,
                                                    const mrn_nonsmooth_options *))
{
    mrn_owner all = mrn_owner_of(s, msg, "'nonsmooth'", NULL, "nonsmooth");
    MRN_CHECK(check(&all, &s->nonsmooth));
    for (int i = 0; i < s->n_stages; i++) {
        mrn_owner one = mrn_owner_of(s, msg, "stage", s->stage[i].name, "stages.%d.nonsmooth", i);
        if (s->stage[i].has_nonsmooth)
            MRN_CHECK(check(&one, &s->stage[i].nonsmooth));
    }
    return MRN_OK;
}

mrn_status mrn_scene_check_kind(const mrn_scene *s, mrn_message *msg)
{
    return s->rigid ? check_choices(s, msg, check_kind) : MRN_OK;
}

/* ---- what the engine cannot do ---- */

static mrn_status check_control(const mrn_owner *o, const mrn_cell_control *c)
{
    for (int k = 0; k < MRN_STRAINS; k++)
        if (c->kind[k] == MRN_CONTROL_STRESS || !mrn_signal_is_zero(&c->target[k]))
            return mrn_owner_fail(o, NULL,
                                  o->name != NULL
                                      ? "the 'cell' cannot be driven under method nonsmooth"
                                      : "it cannot be driven under method nonsmooth",
                                  "walls that move or bear a load, or method: smooth");
    return MRN_OK;
}

static mrn_status check_damping(const mrn_owner *o, const mrn_damping *d)
{
    if (d->local == 0)
        return MRN_OK;
    return mrn_owner_fail(
        o, "local", "damping 'local' works on contact forces, of which method nonsmooth has none",
        "global: 5 1/s, or method: smooth");
}

static mrn_status check_limits(const mrn_scene *s, mrn_message *msg)
{
    mrn_owner o = mrn_owner_of(s, msg, "the 'integrator'", NULL, "integrator");
    mrn_owner damping = mrn_owner_of(s, msg, "'damping'", NULL, "damping");
    mrn_owner cell = mrn_owner_of(s, msg, "the 'cell'", NULL, "cell");
    if (s->integrator != MRN_VERLET)
        return mrn_owner_fail(
            &o, NULL, "euler and gear belong to method smooth",
            "no integrator: under method nonsmooth, theta says how steps are made");
    MRN_CHECK(check_damping(&damping, &s->damping));
    MRN_CHECK(check_control(&cell, &s->cell.control));
    for (int i = 0; i < s->n_stages; i++) {
        const mrn_stage *g = &s->stage[i];
        mrn_owner its_damping = mrn_owner_of(s, msg, "stage", g->name, "stages.%d.damping", i);
        mrn_owner its_cell = mrn_owner_of(s, msg, "stage", g->name, "stages.%d.cell", i);
        if (g->has_damping)
            MRN_CHECK(check_damping(&its_damping, &g->damping));
        if (g->has_control)
            MRN_CHECK(check_control(&its_cell, &g->control));
    }
    return MRN_OK;
}

/* ---- polytopes ---- */

static mrn_status check_polytopes(const mrn_scene *s, mrn_message *msg)
{
    if (s->n_polytopes > 65535) {
        mrn_owner o = mrn_owner_of(s, msg, "the scene", NULL, "bodies");
        return mrn_owner_fail(&o, NULL, "too many forms of polygons and polyhedra",
                              "at most 65535, variants counted");
    }
    for (int i = 0; i < s->n_groups; i++) {
        const mrn_group *g = &s->group[i];
        mrn_owner o = mrn_owner_of(s, msg, "group", g->name, "bodies.%d", i);
        if (!mrn_group_has_corners(s, g))
            continue;
        if (g->n_polytopes < 1 || g->polytope < 0 || g->polytope > s->n_polytopes - g->n_polytopes)
            return mrn_owner_fail(&o, "shape", "its grains have forms that do not exist",
                                  "indices into forms");
        for (int k = g->polytope; k < g->polytope + g->n_polytopes; k++)
            if (s->polytope[k].n_parts < 1 || s->polytope[k].dimension != s->dimension ||
                !(s->polytope[k].bound > 0))
                return mrn_owner_fail(&o, "shape",
                                      "a form of its grains is empty or of another dimension",
                                      "one made by mrn_form_make or a generator");
    }
    return MRN_OK;
}

/* ---- degrees of freedom that are imposed ---- */

/* The key that names a degree of freedom which is stated: `drive` where one of them moves. */
static const char *held_key(const mrn_group *g, unsigned which)
{
    for (int k = 0; k < 6; k++)
        if ((g->held & which & 1u << k) != 0 && !mrn_signal_is_zero(&g->drive[k]))
            return "drive";
    return "hold";
}

static mrn_status check_held(const mrn_scene *s, int group, mrn_message *msg)
{
    const mrn_group *g = &s->group[group];
    mrn_owner o = mrn_owner_of(s, msg, "group", g->name, "bodies.%d", group);
    unsigned plane = MRN_DOF_X | MRN_DOF_Y | MRN_DOF_RZ, known = s->dimension == 2 ? plane : 63u;
    if ((g->held & ~known) != 0)
        return mrn_owner_fail(&o, held_key(g, ~known),
                              "'hold' or 'drive' names a degree of freedom that it does not have",
                              s->dimension == 2 ? "x, y, rz" : "x, y, z, rx, ry, rz");
    if (g->held != 0 && !mrn_method_is_rigid(s))
        return mrn_owner_fail(&o, held_key(g, ~0u),
                              "'hold' and 'drive' of grains need method nonsmooth",
                              "method: nonsmooth, or a wall with a motion");
    for (int k = 0; k < 6; k++)
        if ((g->held & 1u << k) != 0 && !mrn_signal_is_sound(&g->drive[k]))
            return mrn_owner_fail(&o, "drive", "a signal of its 'drive' has no value",
                                  "one made by mrn_signal_constant, _expression or _table");
    if (g->held != 0 && g->fixed)
        return mrn_owner_fail(&o, held_key(g, ~0u),
                              "'hold' and 'drive' have no meaning for grains that are fixed",
                              "fixed: true or hold, not both");
    return MRN_OK;
}

/* ---- joints ---- */

static mrn_status check_end(const mrn_owner *o, const mrn_joint_end *e)
{
    const mrn_scene *s = o->scene;
    if (e->group >= s->n_groups || e->wall >= s->n_walls || (e->group >= 0 && e->wall >= 0))
        return mrn_owner_fail(o, "between", "an end refers to nothing",
                              "the ground, a wall or a grain of a group");
    if (e->group < 0)
        return MRN_OK;
    const mrn_group *g = &s->group[e->group];
    bool listed = g->place == MRN_PLACE_LIST || g->place == MRN_PLACE_CSV;
    if (g->place == MRN_PLACE_INLET)
        return mrn_owner_fail(o, "between", "a grain of an inlet is not there when the run begins",
                              "a group that is there at the start");
    if (e->grain < 0 || (listed && e->grain >= g->n_grains))
        return mrn_owner_fail(o, "between", "the group has no grain of that number",
                              "numbers from 0");
    return MRN_OK;
}

static bool same_end(const mrn_joint_end *a, const mrn_joint_end *b)
{
    if (a->group >= 0 || b->group >= 0)
        return a->group == b->group && a->grain == b->grain;
    return true; /* walls and ground move as imposed: nothing is left to hold */
}

static mrn_status check_joint(const mrn_scene *s, int joint, mrn_message *msg)
{
    const mrn_joint *j = &s->joint[joint];
    const mrn_key *kind = mrn_joint_key(j->kind);
    mrn_owner o = mrn_owner_of(s, msg, "joint", j->name, "joints.%d%s%s", joint,
                               kind != NULL ? "." : "", kind != NULL ? kind->name : "");
    bool along = j->kind == MRN_JOINT_SLIDER || (j->kind == MRN_JOINT_HINGE && s->dimension == 3);
    if (kind == NULL)
        return mrn_owner_fail(&o, NULL, "it is of no known kind",
                              "fixed, hinge, ball, slider or spring");
    MRN_CHECK(check_end(&o, &j->end[0]));
    MRN_CHECK(check_end(&o, &j->end[1]));
    if (same_end(&j->end[0], &j->end[1]))
        return mrn_owner_fail(&o, "between", "its ends are the same body, or neither is a grain",
                              "two different bodies, one of them a grain");
    MRN_CHECK(mrn_keys_check(&o, kind->schema, j));
    if (along && !(fabs(mrn_norm(j->axis) - 1) < 1e-9))
        return mrn_owner_fail(&o, "axis", "its axis is no unit vector", "a vector of length 1");
    if (j->motor && j->kind != MRN_JOINT_HINGE && j->kind != MRN_JOINT_SLIDER)
        return mrn_owner_fail(&o, "motor", "a motor stands on a hinge or slider",
                              "a joint of another kind");
    if (j->kind == MRN_JOINT_SPRING && j->stiffness + j->damping == 0)
        return mrn_owner_fail(&o, "stiffness", "the spring has neither stiffness nor damping",
                              "stiffness or damping above 0");
    return MRN_OK;
}

static mrn_status check_joints(const mrn_scene *s, mrn_message *msg)
{
    for (int i = 0; i < s->n_joints; i++) {
        mrn_owner o = mrn_owner_of(s, msg, "joint", s->joint[i].name, "joints.%d", i);
        if (!mrn_method_is_rigid(s))
            return mrn_owner_fail(&o, NULL, "joints need method nonsmooth", "method: nonsmooth");
        MRN_CHECK(check_joint(s, i, msg));
        for (int k = 0; k < i; k++)
            if (strcmp(s->joint[i].name, s->joint[k].name) == 0)
                return mrn_owner_fail(&o, "name", "another joint has the same name",
                                      "names that differ");
    }
    return MRN_OK;
}

mrn_status mrn_scene_check_nonsmooth(const mrn_scene *s, mrn_message *msg)
{
    bool rigid = mrn_method_is_rigid(s);
    mrn_owner o = mrn_owner_of(s, msg, "the 'method'", NULL, "method");
    bool known = rigid || s->method[0] == '\0' || strcmp(s->method, "smooth") == 0;
    if (!known && strcmp(s->method, "quasistatic") != 0)
        return mrn_owner_fail(&o, NULL, "it is of no known kind",
                              "smooth, nonsmooth or quasistatic");
    MRN_CHECK(check_polytopes(s, msg));
    for (int i = 0; i < s->n_groups; i++)
        MRN_CHECK(check_held(s, i, msg));
    MRN_CHECK(check_joints(s, msg));
    if (!rigid)
        return MRN_OK;
    MRN_CHECK(check_choices(s, msg, check_abilities));
    return check_limits(s, msg);
}
