/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is stated of a collision, and its numbers by name. */
#include <math.h>
#include <string.h>

#include "collide/encounter.h"

#define FIELD(member, u, sign, text)                                                               \
    {                                                                                              \
        .name = #member, .unit = u, .symbol = sign, .doc = text,                                   \
        .offset = offsetof(mrn_rebound, member)                                                    \
    }
static const mrn_rebound_field fields[] = {
    FIELD(en, "1", "e_n", "normal velocity after over before, with the sign turned"),
    FIELD(et, "1", "e_t", "tangential velocity of the centre after over before"),
    FIELD(omega, "rad/s", "omega", "spin of the ball about y after the impact"),
    FIELD(rebound_angle, "rad", "theta_r", "angle of the centre's velocity after, from the normal"),
    FIELD(rebound_angle_contact, "rad", "phi_r",
          "angle of the contact point's velocity after, from the normal"),
    FIELD(psi1, "1", "psi_1",
          "tangential velocity of the contact point over the normal one, before"),
    FIELD(psi2, "1", "psi_2",
          "tangential velocity of the contact point after over the normal one before"),
    FIELD(contact_time, "s", "t_c", "how long a force acts"),
    FIELD(max_force, "N", "F_max", "largest normal force"),
    FIELD(max_overlap, "m", "delta_max", "largest overlap"),
    FIELD(energy_lost, "1", "Delta E / E",
          "share of the kinetic energy of relative motion, spin included, that is lost"),
    FIELD(normal_turn, "rad", "beta", "angle by which the normal turned while they touched"),
};

int mrn_rebound_field_count(void)
{
    return (int)(sizeof fields / sizeof *fields);
}

const mrn_rebound_field *mrn_rebound_field_at(int i)
{
    return i >= 0 && i < mrn_rebound_field_count() ? &fields[i] : NULL;
}

const mrn_rebound_field *mrn_rebound_field_find(const char *name)
{
    for (int i = 0; name != NULL && i < mrn_rebound_field_count(); i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

double mrn_rebound_value(const mrn_rebound *r, const mrn_rebound_field *f)
{
    double x;
    memcpy(&x, (const char *)r + f->offset, sizeof x);
    return x;
}

/* ---- from an outcome ---- */

/* Below this angle's sine the error of et is counted as if it were this: et itself loses its
   meaning there. */
#define LEAST_SIN 1e-2

double mrn_outcome_distance(const mrn_encounter *e, const mrn_outcome *a, const mrn_outcome *b)
{
    double speed = e->speed, most = fabs(a->v[2] - b->v[2]) / (speed * e->cos);
    double along = fmax(e->sin, LEAST_SIN) * speed;
    most = fmax(most, fabs(a->v[0] - b->v[0]) / along);
    most = fmax(most, fabs(a->v[1] - b->v[1]) / speed);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++)
            most = fmax(most, e->radius[k] * fabs(a->w[k][i] - b->w[k][i]) / speed);
    most = fmax(most, fabs(a->time - b->time) / (b->time > 0 ? b->time : 1));
    return isfinite(most) && a->stuck == b->stuck ? most : INFINITY;
}

double mrn_encounter_energy(const mrn_encounter *e, const double *v, const double (*w)[3])
{
    double sum = e->m_eff * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < (isinf(e->mass[1]) ? 1 : 2); k++)
        sum += (w[k][0] * w[k][0] + w[k][1] * w[k][1] + w[k][2] * w[k][2]) / e->inverse_inertia[k];
    return 0.5 * sum;
}

/* Velocity of the contact point along x. */
static double slip_of(const mrn_encounter *e, double vx, const double (*w)[3])
{
    return vx - e->radius[0] * w[0][1] - e->radius[1] * w[1][1];
}

/* Normal when they part. */
static mrn_vec3 last_normal(const mrn_encounter *e, const mrn_outcome *o)
{
    mrn_vec3 d = {e->curve * o->q[0], e->curve * o->q[1], 1 + e->curve * o->q[2]};
    return mrn_scale(1 / mrn_norm(d), d);
}

/* x turned as the normal did, by the smallest turn. */
static mrn_vec3 last_tangent(mrn_vec3 n)
{
    return mrn_axpy(-n.x / (1 + n.z), mrn_v3(n.x, n.y, 1 + n.z), mrn_v3(1, 0, 0));
}

void mrn_rebound_fill(const mrn_encounter *e, const mrn_outcome *o, mrn_rebound *r)
{
    double v0[3] = {e->speed * e->sin, 0, -e->speed * e->cos};
    bool still = isinf(e->mass[1]);
    double share = still ? 1 : e->mass[1] / (e->mass[0] + e->mass[1]);
    mrn_vec3 n = last_normal(e, o), t = last_tangent(n), v = mrn_load3(o->v);
    double vn = o->v[2], vt = o->v[0], slip = slip_of(e, o->v[0], o->w);
    if (e->about_end) {
        mrn_vec3 both =
            mrn_axpy(e->radius[0], mrn_load3(o->w[0]), mrn_scale(e->radius[1], mrn_load3(o->w[1])));
        vn = mrn_dot(v, n), vt = mrn_dot(v, t);
        slip = mrn_dot(mrn_sub(v, mrn_cross(both, n)), t);
    }
    memset(r, 0, sizeof *r);
    r->en = vn / (e->speed * e->cos);
    r->et = v0[0] > 0 ? vt / v0[0] : NAN;
    r->normal_turn = atan2(hypot(n.x, n.y), n.z);
    r->omega = o->w[0][1];
    memcpy(r->spin, o->w, sizeof r->spin);
    for (int i = 0; i < 3; i++) { /* the common velocity, that of A at rest and C, is kept */
        double gain = o->v[i] - v0[i];
        r->velocity[0][i] = v0[i] + share * gain;
        r->velocity[1][i] = still ? 0 : -(1 - share) * gain;
    }
    r->rebound_angle = atan2(vt, vn);
    r->rebound_angle_contact = atan2(slip, vn);
    r->psi1 = slip_of(e, v0[0], e->spin) / (e->speed * e->cos);
    r->psi2 = slip / (e->speed * e->cos);
    r->contact_time = o->time;
    r->max_force = o->force;
    r->max_overlap = o->overlap;
    r->energy_lost = 1 - mrn_encounter_energy(e, o->v, o->w) / mrn_encounter_energy(e, v0, e->spin);
    r->stuck = o->stuck;
    r->error = o->error;
    r->steps = o->steps;
}
