/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imposed motion of walls. Each step applies the exact displacement between two instants; the sum
   of differences of an analytic path stays on the path, so nothing drifts but by round-off. */
#include "drive/drive.h"

static double shake_angle(const mrn_motion *m, double time)
{
    return 2 * MRN_PI * m->frequency * time + m->phase;
}

static bool moves(const mrn_motion *m)
{
    return m->kind != MRN_MOTION_NONE;
}

static bool shakes(const mrn_motion *m)
{
    return m->kind == MRN_MOTION_SHAKE;
}

static bool spins(const mrn_motion *m)
{
    return m->spin.x != 0 || m->spin.y != 0 || m->spin.z != 0;
}

/* Translation between two instants: steady part and difference of the sine. */
static mrn_vec3 displacement(const mrn_motion *m, double begin, double end)
{
    mrn_vec3 d = mrn_scale(end - begin, m->velocity);
    if (!shakes(m))
        return d;
    double swing = sin(shake_angle(m, end)) - sin(shake_angle(m, begin));
    return mrn_axpy(swing, m->amplitude, d);
}

static mrn_vec3 velocity_at(const mrn_motion *m, mrn_vec3 x, double time)
{
    mrn_vec3 v = m->velocity;
    if (shakes(m)) {
        double rate = 2 * MRN_PI * m->frequency * cos(shake_angle(m, time));
        v = mrn_axpy(rate, m->amplitude, v);
    }
    if (m->has_about && spins(m))
        v = mrn_add(v, mrn_cross(m->spin, mrn_sub(x, m->about)));
    return v;
}

static mrn_quat load_quat(const double *q)
{
    return (mrn_quat){q[0], q[1], q[2], q[3]};
}

static void store_quat(double *to, mrn_quat q)
{
    to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z;
}

/* Half the translation, the rotation, the other half: each part exact, second order together when a
   spin about a fixed axis and a translation are combined. */
static void carry(const mrn_motion *m, double *x, double *q, double begin, double end)
{
    mrn_vec3 place = mrn_load3(x), d = displacement(m, begin, end);
    if (!spins(m)) {
        mrn_store3(x, mrn_add(place, d));
        return;
    }
    mrn_quat turn = mrn_quat_from_rotation(mrn_scale(end - begin, m->spin));
    store_quat(q, mrn_quat_unit(mrn_quat_mul(turn, load_quat(q))));
    place = mrn_axpy(0.5, d, place);
    if (m->has_about)
        place = mrn_add(m->about, mrn_rotate(turn, mrn_sub(place, m->about)));
    mrn_store3(x, mrn_axpy(0.5, d, place));
}

void mrn_drive_walls(const mrn_scene *scene, mrn_state *s, double time_begin, double time_end)
{
    mrn_bodies *b = &s->body;
    for (int32_t i = 0; i < b->n_walls; i++) {
        const mrn_motion *m = &scene->wall[i].motion;
        mrn_vec3 v = {0, 0, 0}, w = {0, 0, 0};
        if (moves(m) && !(b->flags[i] & MRN_BODY_ABSENT)) {
            if (time_end != time_begin)
                carry(m, b->x + 3 * i, b->q + 4 * i, time_begin, time_end);
            v = velocity_at(m, mrn_load3(b->x + 3 * i), time_end);
            w = m->spin;
        }
        mrn_store3(b->v + 3 * i, v);
        mrn_store3(b->w + 3 * i, w);
    }
}

mrn_status mrn_drive_enter_stage(const mrn_scene *scene, int stage, mrn_state *s)
{
    if (stage < 0 || stage >= scene->n_stages)
        return MRN_ERR_RANGE;
    const mrn_stage *g = &scene->stage[stage];
    for (int k = 0; k < g->n_remove; k++) {
        int wall = g->remove_wall[k];
        if (wall < 0 || wall >= s->body.n_walls)
            return MRN_ERR_RANGE;
        s->body.flags[wall] |= MRN_BODY_ABSENT;
    }
    mrn_drive_walls(scene, s, s->time, s->time);
    return MRN_OK;
}
