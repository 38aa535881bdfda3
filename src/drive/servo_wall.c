/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A wall that moves until the grains bear the load asked for. */
#include "base/sum.h"
#include "detect/detect.h"
#include "drive/servo.h"

/* A wall that meets grains which still give way may push all of them at its speed: the load must be
   able to stop them within this part of a radius. */
#define STOP_WITHIN 0.02
/* No wall jumps past its neighbours: part of a radius per step, at most. */
#define WAY_PER_STEP 0.01

enum { FOLLOWERS = sizeof((mrn_drive_memory *)0)->wall_follow / sizeof(double) };

/* What the wall's contacts set against a motion along `d`, for each unit of it. */
static void resist(const mrn_scene *scene, const mrn_state *s, int32_t wall, mrn_vec3 d, double *k,
                   double *c)
{
    const mrn_pairs *p = &s->pair;
    mrn_images im = mrn_images_of(scene, s);
    mrn_sum stiff = {0}, viscous = {0};
    *k = *c = 0;
    if (!mrn_contacts_follow_list(s))
        return;
    for (int32_t i = s->body.n_walls; i < p->rows; i++)
        for (int32_t n = p->wall_row[i]; n < p->wall_row[i + 1]; n++) {
            mrn_contact_point at;
            if (p->other[n] != wall || !mrn_contact_alive(&s->contact, n) ||
                mrn_wall_group(scene, s, &im, i, n, n + 1, &at) == 0)
                continue;
            mrn_stiffness_pair g = mrn_contact_stiffness(scene, s, i, wall, -at.gap);
            mrn_sum_add(&stiff, mrn_resist_wall(at.normal, d, g.k_n, g.k_t));
            mrn_sum_add(&viscous, mrn_resist_wall(at.normal, d, g.c_n, g.c_t));
        }
    *k = mrn_sum_value(&stiff);
    *c = mrn_sum_value(&viscous);
}

/* Of the periodic cell across the direction; 2D: times 1 m. */
static double cross_section(const mrn_scene *scene, const mrn_state *s, mrn_vec3 d)
{
    double along[3] = {fabs(d.x), fabs(d.y), fabs(d.z)}, area = 1;
    int main = along[0] >= along[1] && along[0] >= along[2] ? 0 : along[1] >= along[2] ? 1 : 2;
    for (int k = 0; k < scene->dimension; k++)
        area *= k != main && scene->cell.periodic[k] ? s->cell_size[k] : 1;
    return area;
}

static double target_force(const mrn_scene *scene, const mrn_state *s, const mrn_motion *m,
                           mrn_instant at, double *rate)
{
    double force = mrn_signal_value(&m->servo_target, at, rate), area = 1;
    if (m->servo_pressure)
        area = m->servo_area > 0 ? m->servo_area : cross_section(scene, s, m->servo_direction);
    *rate *= area;
    return area * force;
}

double mrn_drive_servo_load(const mrn_scene *scene, const mrn_state *s, int32_t wall, double time)
{
    mrn_instant at = {time, time - s->stage_time};
    double rate;
    return target_force(scene, s, &scene->wall[wall].motion, at, &rate);
}

static double bound_of(const mrn_state *s, const mrn_motion *m, double load)
{
    const mrn_drive_memory *d = &s->drive;
    double most = WAY_PER_STEP * d->grain_radius / s->h;
    if (m->servo_max_speed > 0)
        return m->servo_max_speed < most ? m->servo_max_speed : most;
    if (!(d->grains_mass > 0))
        return 0;
    double speed = sqrt(2 * STOP_WITHIN * d->grain_radius * load / d->grains_mass);
    return speed < most ? speed : most;
}

/* Memory of this wall: by its order among the servo walls; those beyond have none. */
static double *follow_of(const mrn_scene *scene, mrn_state *s, int32_t wall)
{
    int order = 0;
    for (int32_t w = 0; w < wall; w++)
        order += scene->wall[w].motion.kind == MRN_MOTION_SERVO;
    return order < FOLLOWERS ? &s->drive.wall_follow[order] : NULL;
}

double mrn_servo_wall(const mrn_scene *scene, mrn_state *s, int32_t wall, double time_end,
                      const mrn_drive_sums *sums)
{
    const mrn_motion *m = &scene->wall[wall].motion;
    mrn_instant at = {time_end, time_end - s->stage_time};
    if (!(s->h > 0))
        return 0;
    mrn_servo_survey(s);
    double k, c, rate, target = target_force(scene, s, m, at, &rate);
    double force = -mrn_dot(mrn_load3(s->body.f + 3 * (size_t)wall), m->servo_direction);
    if (sums != NULL)
        k = sums->wall[2 * wall], c = sums->wall[2 * wall + 1];
    else
        resist(scene, s, wall, m->servo_direction, &k, &c);
    mrn_servo v = {.error = target - force,
                   .resistance = k * MRN_SERVO_STEPS * s->h + 2 * c,
                   .bound = bound_of(s, m, fmax(fabs(target), fabs(force))),
                   .learn = time_end > s->time ? 1.0 / (MRN_SERVO_LEARN * MRN_SERVO_STEPS) : 0};
    double *follow = follow_of(scene, s, wall);
    if (follow != NULL && rate == 0 && !mrn_servo_flows(scene, at)) {
        *follow = 0;
        follow = NULL;
    }
    return mrn_servo_speed(&v, follow);
}
