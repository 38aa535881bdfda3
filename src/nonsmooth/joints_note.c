/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The start of a joint: its bodies found, its anchors and axes noted in their frames. */
#include "detect/detect.h"
#include "geom/cluster.h"
#include "nonsmooth/joints_parts.h"

/* Grain number `want` of a group in the order of persistent numbers; -1: not there. A cluster is
   one grain. *count: how many were seen. */
static int32_t find_grain(const mrn_state *s, int group, int want, int *count)
{
    const mrn_bodies *b = &s->body;
    *count = 0;
    for (int32_t id = 0; id < b->n_ids; id++) {
        int32_t i = b->index_of[id];
        if (i < b->n_walls || b->group[i] != group || (b->flags[i] & MRN_BODY_MEMBER))
            continue;
        if ((*count)++ == want)
            return i;
    }
    return -1;
}

static mrn_status find_end(const mrn_scene *scene, const mrn_state *s, const mrn_joint *d, int e,
                           int32_t *body, mrn_message *msg)
{
    const mrn_joint_end *end = &d->end[e];
    const char *which = e == 0 ? "first" : "second";
    int count;
    *body = -1;
    if (end->group < 0 && end->wall < 0)
        return MRN_OK;
    if (end->group >= scene->n_groups || (end->group < 0 && end->wall >= s->body.n_walls))
        return mrn_fail(msg, MRN_ERR_INPUT, "joint '%s': its %s end is a %s that is not there",
                        d->name, which, end->group >= 0 ? "group" : "wall");
    if (end->group < 0) {
        *body = end->wall;
        return MRN_OK;
    }
    *body = find_grain(s, end->group, end->grain, &count);
    if (*body >= 0)
        return MRN_OK;
    const char *group = scene->group[end->group].name;
    mrn_fail(msg, MRN_ERR_INPUT, "joint '%s': its %s end is grain %d of group '%s', which has %d",
             d->name, which, end->grain, group, count);
    return mrn_fail_expected(msg, "a grain that is there at the start, counted from 0");
}

static mrn_status find_ends(const mrn_scene *scene, const mrn_state *s, const mrn_joint *d,
                            int32_t body[2], mrn_message *msg)
{
    mrn_status st = find_end(scene, s, d, 0, &body[0], msg);
    if (st == MRN_OK)
        st = find_end(scene, s, d, 1, &body[1], msg);
    if (st != MRN_OK)
        return st;
    if (body[0] < s->body.n_walls && body[1] < s->body.n_walls) {
        mrn_fail(msg, MRN_ERR_INPUT, "joint '%s': neither end is a grain", d->name);
        return mrn_fail_expected(msg, "a grain at one end at least: walls move as imposed");
    }
    if (body[0] == body[1])
        return mrn_fail(msg, MRN_ERR_INPUT, "joint '%s': both ends are the same grain", d->name);
    return MRN_OK;
}

/* Axes at the start, world frame: the joint's own first, in 2D z last. */
static mrn_status find_frame(const mrn_scene *scene, const mrn_joint *d, mrn_vec3 apart,
                             mrn_vec3 frame[3], mrn_message *msg)
{
    bool plane = scene->dimension == 2, slider = d->kind == MRN_JOINT_SLIDER;
    bool needed = slider || (d->kind == MRN_JOINT_HINGE && !plane);
    mrn_vec3 a = d->kind == MRN_JOINT_SPRING ? apart : needed ? d->axis : mrn_v3(1, 0, 0);
    if (plane)
        a.z = 0;
    double l = mrn_norm(a);
    if (needed && !(l > 0 && isfinite(l))) {
        mrn_fail(msg, MRN_ERR_INPUT, "joint '%s': its axis has no direction%s", d->name,
                 plane ? " in the plane" : "");
        return mrn_fail_expected(msg, "a vector that is not zero");
    }
    frame[0] = l > 0 ? mrn_scale(1 / l, a) : mrn_v3(1, 0, 0);
    if (plane) {
        frame[2] = mrn_v3(0, 0, 1);
        frame[1] = mrn_cross(frame[2], frame[0]);
        return MRN_OK;
    }
    mrn_vec3 f = frame[0];
    mrn_vec3 aside = fabs(f.x) < 0.6 ? mrn_v3(1, 0, 0) : mrn_v3(0, 1, 0);
    frame[1] = mrn_unit(mrn_cross(f, aside));
    frame[2] = mrn_cross(f, frame[1]);
    return MRN_OK;
}

/* Mean bounding radius of the grains at its ends: a turn moves their rim by about that. */
static double length_of(const mrn_state *s, const int32_t body[2])
{
    double sum = 0;
    int n = 0;
    for (int e = 0; e < 2; e++)
        if (body[e] >= s->body.n_walls)
            sum += s->body.bound[body[e]], n++;
    return sum > 0 ? sum / n : 1;
}

/* A world point in the frame of a body, taken at the body's image nearest to the point. */
static mrn_vec3 to_body(const mrn_scene *scene, const mrn_state *s, int32_t body, mrn_vec3 point,
                        mrn_quat q)
{
    if (body < 0)
        return point;
    mrn_images im = mrn_images_of(scene, s);
    mrn_vec3 arm = mrn_sub(point, mrn_load3(s->body.x + 3 * (size_t)body));
    return mrn_rotate(mrn_quat_conj(q), mrn_images_nearest(&im, arm));
}

mrn_status mrn_joint_note(const mrn_scene *scene, const mrn_state *s, const mrn_joint *d,
                          mrn_joint_memory *m, mrn_message *msg)
{
    mrn_vec3 point[2] = {d->point, d->kind == MRN_JOINT_SPRING ? d->point2 : d->point};
    mrn_images im = mrn_images_of(scene, s);
    mrn_vec3 apart = mrn_images_nearest(&im, mrn_sub(point[1], point[0])), frame[3];
    mrn_quat q[2] = {mrn_quat_identity(), mrn_quat_identity()};
    int32_t body[2];
    mrn_status st = find_ends(scene, s, d, body, msg);
    if (st == MRN_OK)
        st = find_frame(scene, d, apart, frame, msg);
    if (st != MRN_OK)
        return st;
    *m = (mrn_joint_memory){.live = 1, .id = {-1, -1}, .scale = 1};
    for (int e = 0; e < 2; e++) {
        if (body[e] >= 0) {
            m->id[e] = s->body.id[body[e]];
            m->generation[e] = s->body.generation[s->body.id[body[e]]];
            q[e] = mrn_load_quat(s->body.q + 4 * (size_t)body[e]);
        }
        mrn_store3(m->anchor[e], to_body(scene, s, body[e], point[e], q[e]));
    }
    for (int k = 0; k < 3; k++)
        mrn_store3(m->frame[k], mrn_rotate(mrn_quat_conj(q[0]), frame[k]));
    mrn_store3(m->axis, mrn_rotate(mrn_quat_conj(q[1]), frame[0]));
    mrn_store_quat(m->turn, mrn_quat_mul(mrn_quat_conj(q[0]), q[1]));
    mrn_store3(m->apart, apart);
    m->rest = isnan(d->rest) ? mrn_norm(apart) : d->rest;
    m->length = length_of(s, body);
    return MRN_OK;
}
