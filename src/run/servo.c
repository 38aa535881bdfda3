/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Servos in the account of a run: what was asked for and what was reached. */
#include <math.h>
#include <stdio.h>

#include "run/parts.h"

static mrn_servo_record *next(mrn_stage_record *r)
{
    static const mrn_servo_record none = {0};
    if (r->n_servos == MRN_SERVO_MAX)
        return NULL;
    r->servo[r->n_servos] = none;
    return &r->servo[r->n_servos++];
}

static void look_at_cell(const mrn_scene *scene, const mrn_state *s, mrn_instant at,
                         mrn_stage_record *r)
{
    static const char *const name[MRN_STRAINS] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    const mrn_cell_control *c = &scene->cell.control;
    for (int k = 0; k < MRN_STRAINS; k++) {
        mrn_servo_record *row = c->kind[k] == MRN_CONTROL_STRESS ? next(r) : NULL;
        if (row == NULL)
            continue;
        snprintf(row->name, sizeof row->name, "cell.%s", name[k]);
        snprintf(row->unit, sizeof row->unit, "Pa");
        row->wall = -1;
        row->asked = mrn_signal_value(&c->target[k], at, NULL);
        row->obtained = s->drive.stress[k];
    }
}

/* The area a pressure acts on: given, or the cross-section of the cell. */
static double area_of(const mrn_scene *scene, const mrn_state *s, const mrn_motion *m)
{
    if (m->servo_area > 0)
        return m->servo_area;
    double size[3], n[3];
    mrn_store3(n, m->servo_direction);
    for (int k = 0; k < 3; k++)
        size[k] = scene->cell.periodic[k] ? s->cell_size[k] : 1;
    return fabs(n[0]) * size[1] * size[2] + fabs(n[1]) * size[0] * size[2] +
           fabs(n[2]) * size[0] * size[1];
}

static void look_at_wall(const mrn_scene *scene, const mrn_state *s, int w, mrn_instant at,
                         mrn_stage_record *r)
{
    const mrn_motion *m = &scene->wall[w].motion;
    mrn_servo_record *row = next(r);
    if (row == NULL)
        return;
    snprintf(row->name, sizeof row->name, "walls.%s", scene->wall[w].name);
    snprintf(row->unit, sizeof row->unit, "%s", m->servo_pressure ? "Pa" : "N");
    row->wall = w;
    double area = m->servo_pressure ? area_of(scene, s, m) : 1;
    row->asked = mrn_signal_value(&m->servo_target, at, NULL);
    row->obtained = -mrn_dot(m->servo_direction, mrn_load3(s->body.f + 3 * (size_t)w)) / area;
}

void mrn_servo_look(const mrn_scene *scene, const mrn_state *s, mrn_stage_record *r)
{
    mrn_instant at = {s->time, s->time - s->stage_time};
    r->n_servos = 0;
    look_at_cell(scene, s, at, r);
    for (int w = 0; w < scene->n_walls && w < s->body.n_walls; w++)
        if (scene->wall[w].motion.kind == MRN_MOTION_SERVO && !(s->body.flags[w] & MRN_BODY_ABSENT))
            look_at_wall(scene, s, w, at, r);
}

/* Weight of the last look among n: what counts is about the last quarter of the stage. */
#define RECENT 4.0

void mrn_servo_follow(const mrn_scene *scene, mrn_state *s, mrn_stage_record *r)
{
    mrn_servo_memory *m = &s->servos;
    mrn_servo_look(scene, s, r);
    if (m->looks > 0 && m->last == (double)s->step)
        return;
    m->last = (double)s->step;
    double w = fmin(1, RECENT / ++m->looks);
    for (int i = 0; i < r->n_servos; i++) {
        double d = r->servo[i].obtained - r->servo[i].asked - m->off[i];
        m->off[i] += w * d;
        m->scatter2[i] = (1 - w) * (m->scatter2[i] + w * d * d);
    }
}

/* Part of its target by which a servo may be off. */
#define SERVO_ERROR 0.01

bool mrn_servo_missed(const mrn_stage_record *r, const mrn_servo_memory *m, int i)
{
    double asked = r->servo[i].asked, bound = SERVO_ERROR * fabs(asked);
    if (asked == 0 || fabs(r->servo[i].obtained - asked) <= bound)
        return false;
    return m->looks == 0 || !(fabs(m->off[i]) <= fmax(bound, sqrt(m->scatter2[i])));
}

bool mrn_servo_goes_on(const mrn_servo_record *s, const mrn_stage *next)
{
    if (s->wall < 0)
        return !next->has_control;
    for (int k = 0; k < next->n_motions; k++)
        if (next->motion_wall[k] == s->wall)
            return false;
    for (int k = 0; k < next->n_remove; k++)
        if (next->remove_wall[k] == s->wall)
            return false;
    return true;
}
