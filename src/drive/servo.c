/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the servos of walls and cell share: stiffness of contacts, scale of the grains, the answer.
 */
#include "drive/servo.h"

#include "base/sum.h"

typedef double (*answer)(const double *, double, double, double, double);

static double ask(answer f, const double *coef, double r, double m, double delta, double of_normal)
{
    return f != NULL ? f(coef, r, m, delta, of_normal) : 0;
}

static bool is_held(const mrn_state *s, int32_t i)
{
    return i < s->body.n_walls || (s->body.flags[i] & MRN_BODY_FIXED);
}

mrn_stiffness_pair mrn_contact_stiffness(const mrn_scene *scene, const mrn_state *s, int32_t i,
                                         int32_t j, double delta)
{
    int ia = scene->pair_of[s->body.material[i] * scene->n_materials + s->body.material[j]];
    if (ia < 0)
        return (mrn_stiffness_pair){0, 0, 0, 0};
    const mrn_prepared *law = &scene->interaction[ia].ready;
    double ri = s->body.radius[i], rj = s->body.radius[j], mi = s->body.mass[i],
           mj = s->body.mass[j];
    double r = j < s->body.n_walls ? ri : ri * rj / (ri + rj);
    double m = is_held(s, j) ? mi : is_held(s, i) ? mj : mi * mj / (mi + mj);
    const mrn_law *n = law->part[MRN_LAW_NORMAL], *t = law->part[MRN_LAW_TANGENTIAL];
    const double *cn = law->coef[MRN_LAW_NORMAL], *ct = law->coef[MRN_LAW_TANGENTIAL];
    mrn_stiffness_pair g = {.k_n = ask(n->stiffness, cn, r, m, delta, 0),
                            .c_n = ask(n->damping, cn, r, m, delta, 0)};
    g.k_t = t != NULL ? ask(t->stiffness, ct, r, m, mrn_law_wide(law, r, delta), g.k_n) : 0;
    g.c_t = t != NULL ? ask(t->damping, ct, r, m, delta, g.c_n) : 0;
    return g;
}

void mrn_servo_survey(mrn_state *s)
{
    mrn_drive_memory *d = &s->drive;
    if (d->grain_radius > 0 && s->step % MRN_SERVO_SURVEY != 0)
        return;
    mrn_sum masses = {0}, radii = {0};
    int64_t whole = 0, round = 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        if (!(s->body.flags[i] & MRN_BODY_CLUSTER))
            mrn_sum_add(&radii, s->body.radius[i]), round++;
        if (!(s->body.flags[i] & MRN_BODY_MEMBER))
            mrn_sum_add(&masses, s->body.mass[i]), whole++;
    }
    double mass = mrn_sum_value(&masses), radius = mrn_sum_value(&radii);
    d->grains_mass = mass;
    d->grain_mass = whole > 0 ? mass / (double)whole : 0;
    d->grain_radius = round > 0 ? radius / (double)round : 0;
}

/* At its bound a servo has nothing to learn: the speed is not its own. */
double mrn_servo_speed(const mrn_servo *v, double *follow)
{
    if (!(v->resistance > 0))
        return v->error > 0 ? v->bound : 0; /* nothing is there yet: on to meet it */
    double own = v->error / v->resistance, speed = own + (follow != NULL ? *follow : 0);
    if (speed > v->bound || speed < -v->bound)
        return speed > 0 ? v->bound : -v->bound;
    if (follow != NULL)
        *follow += v->learn * own;
    return speed;
}

static bool motion_is_imposed(const mrn_motion *m)
{
    if (m->kind == MRN_MOTION_SERVO)
        return mrn_norm(m->velocity) > 0 || mrn_norm(m->spin) > 0;
    return m->kind != MRN_MOTION_NONE;
}

bool mrn_servo_flows(const mrn_scene *scene, mrn_instant at)
{
    const mrn_cell_control *c = &scene->cell.control;
    for (int w = 0; w < scene->n_walls; w++)
        if (motion_is_imposed(&scene->wall[w].motion))
            return true;
    for (int k = 0; k < MRN_STRAINS; k++)
        if (c->kind[k] == MRN_CONTROL_RATE && mrn_signal_value(&c->target[k], at, NULL) != 0)
            return true;
    return false;
}
