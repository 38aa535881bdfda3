/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Imposed motion of walls. Each step applies the exact displacement between two instants; the sum
   of differences of an analytic path stays on the path, so nothing drifts but by round-off. */
#include "drive/servo.h"
#include "moraine/method.h"

/* From one instant to another: where the wall is carried, and how it moves at the end. */
typedef struct travel {
    mrn_vec3 way, turn;      /* m; axis times angle, rad          */
    mrn_vec3 velocity, spin; /* at the end, m/s and rad/s, of a point at rest in the turning frame
                              */
} travel;

static double shake_angle(const mrn_motion *m, double time)
{
    return 2 * MRN_PI * m->frequency * time + m->phase;
}

/* The difference of a signal and its rate at the end. */
static double differ(const mrn_signal *s, mrn_instant begin, mrn_instant end, double *rate)
{
    if (s->kind == MRN_SIGNAL_CONSTANT)
        return *rate = 0;
    double last = mrn_signal_value(s, end, rate);
    return last - mrn_signal_value(s, begin, NULL);
}

static void add_shake(const mrn_motion *m, double begin, double end, travel *t)
{
    double swing = sin(shake_angle(m, end)) - sin(shake_angle(m, begin));
    double rate = 2 * MRN_PI * m->frequency * cos(shake_angle(m, end));
    t->way = mrn_axpy(swing, m->amplitude, t->way);
    t->velocity = mrn_axpy(rate, m->amplitude, t->velocity);
}

static void add_path(const mrn_motion *m, mrn_instant begin, mrn_instant end, travel *t)
{
    mrn_vec3 way, rate;
    double turn, spin;
    way.x = differ(&m->path[0], begin, end, &rate.x);
    way.y = differ(&m->path[1], begin, end, &rate.y);
    way.z = differ(&m->path[2], begin, end, &rate.z);
    turn = differ(&m->angle, begin, end, &spin);
    t->way = mrn_add(t->way, way);
    t->velocity = mrn_add(t->velocity, rate);
    t->turn = mrn_axpy(turn, m->axis, t->turn);
    t->spin = mrn_axpy(spin, m->axis, t->spin);
}

static mrn_vec3 across(mrn_vec3 v, mrn_vec3 direction)
{
    return mrn_axpy(-mrn_dot(v, direction), direction, v);
}

/* Along its direction a servo wall moves by the load alone, from its last speed to the new one: the
   way is that of the mean, so that work and losses, which are summed by the trapezoidal rule,
   belong to the motion they are booked with. */
static void add_servo(const mrn_motion *m, mrn_vec3 before, double asked, double h, travel *t)
{
    double last = mrn_dot(before, m->servo_direction), speed = mrn_servo_limited(last, asked);
    double mean = 0.5 * (last + speed);
    t->way = mrn_axpy(mean * h, m->servo_direction, across(t->way, m->servo_direction));
    t->velocity = mrn_axpy(speed, m->servo_direction, across(t->velocity, m->servo_direction));
}

static travel travel_of(const mrn_scene *scene, mrn_state *s, int32_t wall, double begin,
                        double end, const mrn_drive_sums *sums)
{
    const mrn_motion *m = &scene->wall[wall].motion;
    travel t = {mrn_scale(end - begin, m->velocity), mrn_scale(end - begin, m->spin), m->velocity,
                m->spin};
    if (m->kind == MRN_MOTION_SHAKE)
        add_shake(m, begin, end, &t);
    if (m->kind == MRN_MOTION_PATH)
        add_path(m, (mrn_instant){begin, begin - s->stage_time},
                 (mrn_instant){end, end - s->stage_time}, &t);
    if (m->kind == MRN_MOTION_SERVO)
        add_servo(m, mrn_load3(s->body.v + 3 * (size_t)wall),
                  mrn_servo_wall(scene, s, wall, end, sums), end - begin, &t);
    return t;
}

static bool is_zero(mrn_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
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
static void carry(const mrn_motion *m, const travel *t, double *x, double *q)
{
    mrn_vec3 place = mrn_load3(x);
    if (is_zero(t->turn)) {
        mrn_store3(x, mrn_add(place, t->way));
        return;
    }
    mrn_quat turn = mrn_quat_from_rotation(t->turn);
    store_quat(q, mrn_quat_unit(mrn_quat_mul(turn, load_quat(q))));
    place = mrn_axpy(0.5, t->way, place);
    if (m->has_about)
        place = mrn_add(m->about, mrn_rotate(turn, mrn_sub(place, m->about)));
    mrn_store3(x, mrn_axpy(0.5, t->way, place));
}

static void drive_wall(const mrn_scene *scene, mrn_state *s, int32_t wall, double begin, double end,
                       const mrn_drive_sums *sums)
{
    const mrn_motion *m = &scene->wall[wall].motion;
    double *x = s->body.x + 3 * (size_t)wall, *q = s->body.q + 4 * (size_t)wall;
    travel t = travel_of(scene, s, wall, begin, end, sums);
    if (end != begin)
        carry(m, &t, x, q);
    mrn_vec3 v = t.velocity;
    if (m->has_about && !is_zero(t.spin))
        v = mrn_add(v, mrn_cross(t.spin, mrn_sub(mrn_load3(x), m->about)));
    mrn_store3(s->body.v + 3 * (size_t)wall, v);
    mrn_store3(s->body.w + 3 * (size_t)wall, t.spin);
}

/* Rigid grains give a servo no stiffness to go by: there the engine moves the wall as a body with
   the load on it. */
static bool is_engines(const mrn_scene *scene, int32_t wall)
{
    return scene->method != NULL && scene->method->carries_servos &&
           scene->wall[wall].motion.kind == MRN_MOTION_SERVO;
}

void mrn_drive_walls(const mrn_scene *scene, mrn_state *s, double time_begin, double time_end)
{
    mrn_drive_walls_by(scene, s, time_begin, time_end, NULL);
}

void mrn_drive_walls_by(const mrn_scene *scene, mrn_state *s, double time_begin, double time_end,
                        const mrn_drive_sums *sums)
{
    for (int32_t i = 0; i < s->body.n_walls; i++) {
        if (is_engines(scene, i) && !(s->body.flags[i] & MRN_BODY_ABSENT))
            continue;
        bool absent = s->body.flags[i] & MRN_BODY_ABSENT;
        if (scene->wall[i].motion.kind != MRN_MOTION_NONE && !absent) {
            drive_wall(scene, s, i, time_begin, time_end, sums);
            continue;
        }
        mrn_store3(s->body.v + 3 * (size_t)i, mrn_v3(0, 0, 0));
        mrn_store3(s->body.w + 3 * (size_t)i, mrn_v3(0, 0, 0));
    }
}
