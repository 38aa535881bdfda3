/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be wrong with polygons and polyhedra, with imposed degrees of freedom, with joints. */
#include <string.h>

#include "engine/scenes.h"
#include "model/keys.h"
#include "model/model.h"
#include "model/owner.h"

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
                                      "a polytope of its grains is empty or of another dimension",
                                      "one made by mrn_polytope_make or a generator");
    }
    return MRN_OK;
}

/* ---- degrees of freedom that are imposed ---- */

static const char *imposed_key(unsigned held, const mrn_signal *drive, unsigned which)
{
    for (int k = 0; k < 6; k++)
        if ((held & which & 1u << k) != 0 && !mrn_signal_is_zero(&drive[k]))
            return "drive";
    return "hold";
}

const char *mrn_group_imposed_key(const mrn_group *g, unsigned which)
{
    return imposed_key(g->held, g->drive, which);
}

static mrn_status check_imposed(const mrn_owner *at, unsigned held, const mrn_signal *drive,
                                bool fixed)
{
    const mrn_scene *s = at->scene;
    mrn_owner o = *at;
    unsigned plane = MRN_DOF_X | MRN_DOF_Y | MRN_DOF_RZ, known = s->dimension == 2 ? plane : 63u;
    if ((held & ~known) != 0)
        return mrn_owner_fail(&o, imposed_key(held, drive, ~known),
                              "'hold' or 'drive' names a degree of freedom that it does not have",
                              s->dimension == 2 ? "x, y, rz" : "x, y, z, rx, ry, rz");
    for (int k = 0; k < 6; k++)
        if ((held & 1u << k) != 0 && !mrn_signal_is_sound(&drive[k]))
            return mrn_owner_fail(&o, "drive", "a signal of its 'drive' has no value",
                                  "one made by mrn_signal_constant, _expression or _table");
    if (held != 0 && fixed)
        return mrn_owner_fail(&o, imposed_key(held, drive, ~0u),
                              "'hold' and 'drive' have no meaning for grains that are fixed",
                              "fixed: true or hold, not both");
    return MRN_OK;
}

static mrn_status check_held(const mrn_scene *s, int group, mrn_message *msg)
{
    const mrn_group *g = &s->group[group];
    mrn_owner o = mrn_owner_of(s, msg, "group", g->name, "bodies.%d", group);
    return check_imposed(&o, g->held, g->drive, g->fixed);
}

static mrn_status check_stage_held(const mrn_scene *s, int stage, mrn_message *msg)
{
    const mrn_stage *g = &s->stage[stage];
    for (int i = 0; i < g->n_imposed; i++) {
        int k = g->imposed_group[i];
        bool there = k >= 0 && k < s->n_groups;
        mrn_owner o = mrn_owner_of(s, msg, "group", there ? s->group[k].name : "",
                                   "stages.%d.bodies.%s", stage, there ? s->group[k].name : "");
        if (!there)
            return mrn_owner_fail(&o, NULL, "a stage holds a group that does not exist",
                                  "the index of a group");
        MRN_CHECK(check_imposed(&o, g->imposed[i].held, g->imposed[i].drive, s->group[k].fixed));
    }
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
        MRN_CHECK(check_joint(s, i, msg));
        for (int k = 0; k < i; k++)
            if (strcmp(s->joint[i].name, s->joint[k].name) == 0)
                return mrn_owner_fail(&o, "name", "another joint has the same name",
                                      "names that differ");
    }
    return MRN_OK;
}

mrn_status mrn_scene_check_joints(const mrn_scene *s, mrn_message *msg)
{
    MRN_CHECK(check_polytopes(s, msg));
    for (int i = 0; i < s->n_groups; i++)
        MRN_CHECK(check_held(s, i, msg));
    for (int i = 0; i < s->n_stages; i++)
        MRN_CHECK(check_stage_held(s, i, msg));
    return check_joints(s, msg);
}
