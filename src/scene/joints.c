/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joints of a scene: which bodies they hold together, where, and how. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "scene/build.h"

static const char *const kinds[] = {
    [MRN_JOINT_FIXED] = "fixed",   [MRN_JOINT_HINGE] = "hinge",   [MRN_JOINT_BALL] = "ball",
    [MRN_JOINT_SLIDER] = "slider", [MRN_JOINT_SPRING] = "spring", NULL};

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

static mrn_status read_axis(mrn_reader *r, const mrn_node *n, const mrn_node *map, mrn_joint *j)
{
    bool hinge = j->kind == MRN_JOINT_HINGE;
    j->axis = mrn_v3(0, 0, 1);
    if (hinge && r->check.dimension == 2 && n != NULL)
        return mrn_check_fail(&r->check, n->key, "no axis: a hinge of a 2D scene turns about z",
                              "'axis' of a hinge has no meaning in 2 dimensions");
    if (n == NULL && (!hinge || r->check.dimension == 2))
        return MRN_OK;
    if (n == NULL)
        return mrn_check_fail(&r->check, map, "axis: [0, 1, 0]", "this hinge lacks the key 'axis'");
    mrn_status s = mrn_read_vector(&r->check, n, "1", &j->axis);
    double length = mrn_norm(j->axis);
    if (s == MRN_OK && !(length > 0))
        return mrn_check_fail(&r->check, n, "a direction such as [0, 0, 1]",
                              "'axis' has no direction: it is 0");
    j->axis = mrn_scale(1 / length, j->axis);
    return s;
}

static mrn_status read_point(mrn_reader *r, const mrn_node *n, const mrn_node *map, mrn_joint *j)
{
    if (n != NULL)
        return mrn_read_vector(&r->check, n, "m", &j->point);
    if (place_of(r->scene, &j->end[1], &j->point) || place_of(r->scene, &j->end[0], &j->point))
        return MRN_OK;
    mrn_check_fail(&r->check, map, "point: [x, y, z]", "this joint lacks the key 'point'");
    return mrn_fail_hint(r->check.msg, "it may be left out when a body is a listed grain");
}

static mrn_status read_motor(mrn_reader *r, const mrn_node *n, mrn_joint *j)
{
    bool turns = j->kind == MRN_JOINT_HINGE;
    const mrn_node *limit = mrn_node_get(n, "limit");
    j->limit = INFINITY;
    if (n == NULL)
        return MRN_OK;
    j->motor = true;
    mrn_status s = MRN_OK;
    if (limit != NULL)
        s = mrn_read_quantity(&r->check, limit, turns ? "N m" : "N", &j->limit);
    return s == MRN_OK ? mrn_read_signal(&r->check, mrn_node_get(n, "speed"),
                                         turns ? "rad/s" : "m/s", &j->speed)
                       : s;
}

static mrn_status read_spring(mrn_reader *r, const mrn_node *n, mrn_joint *j)
{
    const mrn_node *stiffness = mrn_node_get(n, "stiffness"), *rest = mrn_node_get(n, "rest");
    const mrn_node *damping = mrn_node_get(n, "damping");
    j->rest = NAN;
    mrn_status s = mrn_read_vector(&r->check, mrn_node_get(n, "from"), "m", &j->point);
    if (s == MRN_OK)
        s = mrn_read_vector(&r->check, mrn_node_get(n, "to"), "m", &j->point2);
    if (s == MRN_OK && stiffness != NULL)
        s = mrn_read_quantity(&r->check, stiffness, "N/m", &j->stiffness);
    if (s == MRN_OK && damping != NULL)
        s = mrn_read_quantity(&r->check, damping, "N s/m", &j->damping);
    if (s == MRN_OK && rest != NULL)
        s = mrn_read_quantity(&r->check, rest, "m", &j->rest);
    if (s == MRN_OK && !(j->stiffness + j->damping > 0))
        return mrn_check_fail(&r->check, n, "stiffness: 100 N/m, or damping: 1 N s/m",
                              "this spring has neither stiffness nor damping");
    return s;
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

static mrn_status build_joint(mrn_reader *r, const mrn_node *list, const mrn_node *n, mrn_joint *j)
{
    const mrn_node *what = n->first;
    while (mrn_read_word(what->key, kinds) < 0)
        what = what->next; /* the tables see to it that there is one */
    const mrn_node *between = mrn_node_get(what, "between");
    j->kind = (mrn_joint_kind)mrn_read_word(what->key, kinds);
    mrn_status s = mrn_build_name(r, list, n, "joint", j->name);
    if (s == MRN_OK)
        s = read_end(r, between->first, &j->end[0]);
    if (s == MRN_OK)
        s = read_end(r, between->last, &j->end[1]);
    if (s == MRN_OK)
        s = check_ends(r, between, j);
    if (s != MRN_OK || j->kind == MRN_JOINT_SPRING)
        return s == MRN_OK ? read_spring(r, what, j) : s;
    s = read_point(r, mrn_node_get(what, "point"), what, j);
    if (s == MRN_OK)
        s = read_axis(r, mrn_node_get(what, "axis"), what, j);
    return s == MRN_OK ? read_motor(r, mrn_node_get(what, "motor"), j) : s;
}

mrn_status mrn_build_joints(mrn_reader *r)
{
    const mrn_node *list = mrn_node_get(r->root, "joints");
    mrn_scene *scene = r->scene;
    if (list == NULL || list->n == 0)
        return MRN_OK;
    if (strcmp(scene->method, "nonsmooth") != 0) {
        mrn_check_fail(&r->check, list->key, "method: nonsmooth",
                       "joints need method nonsmooth: method %s has none", scene->method);
        return mrn_fail_hint(r->check.msg, "set  method: nonsmooth  or remove the joints");
    }
    mrn_status s = mrn_array(&scene->joint, list->n, sizeof *scene->joint, r->check.msg);
    for (const mrn_node *n = list->first; n != NULL && s == MRN_OK; n = n->next)
        s = build_joint(r, list, n, &scene->joint[scene->n_joints++]);
    return s;
}
