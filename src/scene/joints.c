/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joints of a scene: which bodies they hold together, where, and how. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "scene/build.h"

/* ---- ends ---- */

static mrn_status fail_end(mrn_reader *r, const mrn_node *n, const char *name)
{
    const mrn_scene *s = r->scene;
    const char *names[129] = {"ground"};
    int count = 1;
    for (int i = 0; i < s->n_groups && count < 64; i++)
        names[count++] = s->group[i].name;
    for (int i = 0; i < s->n_walls && count < 128; i++)
        names[count++] = s->wall[i].name;
    return mrn_check_fail_word(&r->check, n, "body", name, names, count);
}

/* "group/3": the number behind the slash, from 0. */
static mrn_status read_number(mrn_reader *r, const mrn_node *n, const char *digits,
                              const mrn_group *g, int *out)
{
    bool listed = g->place == MRN_PLACE_LIST || g->place == MRN_PLACE_CSV;
    int64_t most = listed ? g->n_grains : g->place == MRN_PLACE_FILL && g->count > 0 ? g->count : 0;
    bool whole =
        digits[0] != '\0' && strlen(digits) < 10 && digits[strspn(digits, "0123456789")] == '\0';
    *out = whole ? atoi(digits) : 0;
    if (whole && (most == 0 || *out < most))
        return MRN_OK;
    char expected[MRN_NAME + 60];
    snprintf(expected, sizeof expected, most > 0 ? "%s/0 to %s/%lld" : "%s/0, %s/1, …", g->name,
             g->name, (long long)most - 1);
    return mrn_check_fail(&r->check, n, expected, "the group '%s' has no grain '%.20s'", g->name,
                          digits);
}

static mrn_status read_end(mrn_reader *r, const mrn_node *n, mrn_joint_end *out)
{
    char name[MRN_NAME];
    const char *slash = strchr(n->text, '/');
    size_t length = slash != NULL ? (size_t)(slash - n->text) : strlen(n->text);
    snprintf(name, sizeof name, "%.*s", (int)(length < MRN_NAME ? length : MRN_NAME - 1), n->text);
    *out = (mrn_joint_end){.group = mrn_scene_find_group(r->scene, name),
                           .wall = slash == NULL ? mrn_scene_find_wall(r->scene, name) : -1};
    if (out->group >= 0 && out->wall >= 0)
        return mrn_check_fail(&r->check, n, "names that differ, or NAME/0 for the grain",
                              "both a wall and a body group are called '%s'", name);
    if (out->group < 0 && out->wall < 0 && (slash != NULL || strcmp(name, "ground") != 0))
        return fail_end(r, n, name);
    return slash != NULL ? read_number(r, n, slash + 1, &r->scene->group[out->group], &out->grain)
                         : MRN_OK;
}

/* Where an end stands at the start, when the scene says so. */
static bool place_of(const mrn_scene *s, const mrn_joint_end *e, mrn_vec3 *out)
{
    if (e->wall >= 0 || e->group < 0 || e->grain >= s->group[e->group].n_grains)
        return false;
    *out = s->group[e->group].grain[e->grain].x;
    return true;
}

/* ---- what each kind has ---- */

static mrn_status check_axis(mrn_reader *r, const mrn_node *map, const mrn_joint *j)
{
    const mrn_node *n = mrn_node_get(map, "axis");
    if (j->kind != MRN_JOINT_HINGE)
        return MRN_OK;
    if (r->check.dimension == 2 && n != NULL)
        return mrn_check_fail(&r->check, n->key, "no axis: a hinge of a 2D scene turns about z",
                              "'axis' of a hinge has no meaning in 2 dimensions");
    if (r->check.dimension == 3 && n == NULL)
        return mrn_check_fail(&r->check, map, "axis: [0, 1, 0]", "this hinge lacks the key 'axis'");
    return MRN_OK;
}

static mrn_status find_point(mrn_reader *r, const mrn_node *map, mrn_joint *j)
{
    if (j->kind == MRN_JOINT_SPRING || mrn_node_get(map, "point") != NULL)
        return MRN_OK;
    if (place_of(r->scene, &j->end[1], &j->point) || place_of(r->scene, &j->end[0], &j->point))
        return MRN_OK;
    mrn_check_fail(&r->check, map, "point: [x, y, z]", "this joint lacks the key 'point'");
    return mrn_fail_hint(r->check.msg, "it may be left out when a body is a listed grain");
}

static mrn_status check_spring(mrn_reader *r, const mrn_node *map, const mrn_joint *j)
{
    if (j->kind != MRN_JOINT_SPRING || j->stiffness + j->damping > 0)
        return MRN_OK;
    return mrn_check_fail(&r->check, map, "stiffness: 100 N/m, or damping: 1 N s/m",
                          "this spring has neither stiffness nor damping");
}

static mrn_status read_kind(mrn_reader *r, const mrn_node *map, mrn_joint *j)
{
    const mrn_schema *schema = mrn_joint_key(j->kind)->schema;
    mrn_keys_default(schema, j);
    j->axis = mrn_v3(0, 0, 1);
    mrn_status s = find_point(r, map, j);
    if (s == MRN_OK)
        s = check_axis(r, map, j);
    if (s == MRN_OK)
        s = mrn_read_keys(&r->check, schema, map, j);
    return s == MRN_OK ? check_spring(r, map, j) : s;
}

/* ---- a joint ---- */

static mrn_status check_ends(mrn_reader *r, const mrn_node *between, const mrn_joint *j)
{
    const mrn_joint_end *a = &j->end[0], *b = &j->end[1];
    if (a->group < 0 && b->group < 0)
        return mrn_check_fail(&r->check, between, "a grain of a body group at one end at least",
                              "neither end is a grain: walls and ground move as imposed");
    if (a->group == b->group && a->grain == b->grain)
        return mrn_check_fail(&r->check, between, "two different bodies",
                              "both ends are the same grain");
    for (int k = 0; k < 2; k++)
        if (j->end[k].group >= 0 && r->scene->group[j->end[k].group].place == MRN_PLACE_INLET)
            return mrn_check_fail(&r->check, between, "a grain that is there at the start",
                                  "a grain of an inlet is not there when the run begins");
    return MRN_OK;
}

static mrn_joint_kind kind_of(const mrn_node *key)
{
    int kind = MRN_JOINT_FIXED;
    while (kind < MRN_JOINT_KINDS &&
           strcmp(mrn_joint_key((mrn_joint_kind)kind)->name, key->text) != 0)
        kind++;
    return (mrn_joint_kind)kind;
}

static mrn_status build_joint(mrn_reader *r, const mrn_node *list, const mrn_node *n, mrn_joint *j)
{
    const mrn_node *what = n->first;
    while (kind_of(what->key) == MRN_JOINT_KINDS)
        what = what->next; /* the tables see to it that there is one */
    const mrn_node *between = mrn_node_get(what, "between");
    j->kind = kind_of(what->key);
    mrn_status s = mrn_build_name(r, list, n, "joint", j->name);
    if (s == MRN_OK)
        s = read_end(r, between->first, &j->end[0]);
    if (s == MRN_OK)
        s = read_end(r, between->last, &j->end[1]);
    if (s == MRN_OK)
        s = check_ends(r, between, j);
    return s == MRN_OK ? read_kind(r, what, j) : s;
}

mrn_status mrn_build_joints(mrn_reader *r)
{
    const mrn_node *list = mrn_node_get(r->root, "joints");
    mrn_scene *scene = r->scene;
    if (list == NULL || list->n == 0)
        return MRN_OK;
    mrn_status s = mrn_array(&scene->joint, list->n, sizeof *scene->joint, r->check.msg);
    for (const mrn_node *n = list->first; n != NULL && s == MRN_OK; n = n->next)
        s = build_joint(r, list, n, &scene->joint[scene->n_joints++]);
    return s;
}
