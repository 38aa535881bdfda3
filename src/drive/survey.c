/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every engine asks of the drives around its step: which of them act at all, grains that are
   due, gravity and its work, how far walls have gone for the neighbour list. */
#include "base/base.h"
#include "base/sum.h"
#include "detect/detect.h"
#include "drive/drive.h"

static mrn_status survey_loads(const mrn_scene *scene, const mrn_state *s, mrn_drive_survey *d,
                               mrn_message *msg)
{
    if (scene->n_forces > 0 && d->load == NULL) {
        mrn_status st = mrn_array(&d->load, scene->n_groups, sizeof *d->load, msg);
        if (st != MRN_OK)
            return st;
    }
    if (d->load != NULL && !mrn_drive_loads(scene, s, s->time, d->load)) {
        mrn_free(d->load);
        d->load = NULL;
    }
    return MRN_OK;
}

mrn_status mrn_drive_survey_make(const mrn_scene *scene, const mrn_state *s, mrn_drive_survey *d,
                                 mrn_message *msg)
{
    d->sources = mrn_drive_has_sources(scene);
    d->strains = mrn_drive_strains_cell(scene);
    d->varying_gravity = false;
    for (int k = 0; k < 3; k++)
        d->varying_gravity |= scene->gravity_of[k].kind != MRN_SIGNAL_CONSTANT;
    d->servo_walls = false;
    for (int w = 0; w < scene->n_walls; w++)
        d->servo_walls |= scene->wall[w].motion.kind == MRN_MOTION_SERVO;
    return survey_loads(scene, s, d, msg);
}

void mrn_drive_survey_release(mrn_drive_survey *d)
{
    mrn_free(d->load);
    d->load = NULL;
}

mrn_status mrn_drive_update_sources(const mrn_scene *scene, mrn_state *s, mrn_drive_survey *d,
                                    bool *changed, mrn_message *msg)
{
    *changed = false;
    if (d->sources && s->step % MRN_SOURCE_EVERY == 0 && d->updated != s->step + 1) {
        mrn_status st = mrn_drive_sources(scene, s, changed, msg);
        if (st != MRN_OK)
            return st;
        d->updated = s->step + 1;
    }
    *changed = *changed || !mrn_pairs_current(s);
    return MRN_OK;
}

mrn_vec3 mrn_drive_mass_moment(const mrn_scene *scene, const mrn_state *s)
{
    mrn_sum x = {0}, y = {0}, z = {0};
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (!(s->body.flags[i] & (MRN_BODY_FIXED | MRN_BODY_MEMBER))) {
            mrn_vec3 m = mrn_scale(s->body.mass[i], mrn_unwrapped(scene, s, i));
            mrn_sum_add(&x, m.x), mrn_sum_add(&y, m.y), mrn_sum_add(&z, m.z);
        }
    return mrn_v3(mrn_sum_value(&x), mrn_sum_value(&y), mrn_sum_value(&z));
}

void mrn_drive_change_gravity(const mrn_scene *scene, mrn_state *s, mrn_vec3 moment, double time)
{
    mrn_vec3 old = mrn_load3(s->gravity);
    mrn_drive_gravity(scene, s, time);
    mrn_vec3 change = mrn_sub(mrn_load3(s->gravity), old);
    s->ledger.drive_work -= mrn_dot(change, moment);
}

mrn_vec3 mrn_drive_wall_axis(const mrn_motion *m)
{
    const mrn_vec3 none = {0, 0, 0};
    double spin = mrn_norm(m->spin);
    bool path = m->kind == MRN_MOTION_PATH && !mrn_signal_is_zero(&m->angle);
    if (!(spin > 0))
        return path ? m->axis : none;
    mrn_vec3 axis = mrn_scale(1 / spin, m->spin);
    return path && mrn_norm(mrn_cross(axis, m->axis)) > 1e-12 ? none : axis;
}

double mrn_drive_wall_reach(const mrn_state *s, int32_t wall, const double *x, mrn_vec3 axis)
{
    const mrn_bodies *b = &s->body;
    mrn_vec3 o = mrn_load3(x + 3 * (size_t)wall);
    double most = 0;
    for (int32_t i = b->n_walls; i < b->n; i++) {
        mrn_vec3 d = mrn_sub(mrn_load3(x + 3 * (size_t)i), o);
        double l = mrn_norm(mrn_axpy(-mrn_dot(d, axis), axis, d)) + b->bound[i];
        most = l > most ? l : most;
    }
    return most;
}

double mrn_drive_wall_travel(const mrn_state *s, int32_t wall, mrn_vec3 way, double reach, double h)
{
    return mrn_norm(way) + h * mrn_norm(mrn_load3(s->body.w + 3 * (size_t)wall)) * reach;
}
