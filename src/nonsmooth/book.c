/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The energy ledger and the report of a step. Impulse times the mean of the velocities before and
   after is exactly the change of kinetic energy, so that every part of it can be booked where it
   belongs: contacts, walls, loads, damping. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "geom/cluster.h"
#include "nonsmooth/nonsmooth.h"

static mrn_vec3 linear(const mrn_nonsmooth *e, const double *u)
{
    return mrn_dofs_velocity(e->scene->dimension, u);
}

static mrn_vec3 angular(const mrn_nonsmooth *e, const double *u)
{
    return mrn_dofs_spin(e->scene->dimension, u);
}

/* ---- contacts ---- */

typedef struct frame {
    mrn_vec3 n, t, s;
} frame;

static frame frame_of(const mrn_nonsmooth *e, int64_t k)
{
    int64_t i = e->row[k].contact;
    mrn_vec3 n = mrn_load3(e->found.normal + 3 * i), t = mrn_load3(e->found.tangent + 3 * i);
    return (frame){n, t, mrn_contact_second(e->scene->dimension, n, t)};
}

static mrn_vec3 impulse_of(const mrn_nonsmooth *e, int64_t k)
{
    frame f = frame_of(e, k);
    const double *r = e->r + k * e->width;
    mrn_vec3 j = mrn_axpy(r[0], f.n, mrn_scale(r[1], f.t));
    return e->dofs == 6 ? mrn_axpy(r[2], f.s, j) : j;
}

static mrn_vec3 moment_of(const mrn_nonsmooth *e, int64_t k)
{
    frame f = frame_of(e, k);
    const double *r = e->r + k * e->width;
    if (e->dofs == 3)
        return mrn_v3(0, 0, e->width == 3 ? r[2] : 0);
    if (e->width < 5)
        return mrn_v3(0, 0, 0);
    mrn_vec3 m = mrn_axpy(r[3], f.t, mrn_scale(r[4], f.s));
    return e->width == 6 ? mrn_axpy(r[5], f.n, m) : m;
}

void mrn_ns_press(mrn_nonsmooth *e, int32_t wall, mrn_vec3 force, mrn_vec3 torque)
{
    const double load[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
    for (int k = 0; k < 6; k++)
        mrn_sum_add(&e->press[6 * (int64_t)wall + k], load[k]);
}

/* Force and torque on a wall; the work of one that moves as imposed. */
static double press_wall(mrn_nonsmooth *e, int64_t k, double h)
{
    int64_t i = e->row[k].contact;
    int32_t a = e->found.a[i];
    mrn_vec3 j = impulse_of(e, k), m = moment_of(e, k);
    mrn_vec3 turn = mrn_add(mrn_contact_torque(mrn_load3(e->found.arm_a + 3 * i), j), m);
    mrn_ns_press(e, a, mrn_scale(-1 / h, j), mrn_scale(-1 / h, turn));
    if (e->body.column[a] >= 0)
        return 0;
    const double *u = e->body.end + (int64_t)a * e->dofs;
    return mrn_dot(j, linear(e, u)) + mrn_dot(turn, angular(e, u));
}

/* What a contact does to a grain that moves as imposed, its drive must make good. */
static double work_on_imposed(const mrn_nonsmooth *e, int64_t k)
{
    int64_t i = e->row[k].contact;
    mrn_vec3 j = impulse_of(e, k), m = moment_of(e, k);
    const int32_t body[2] = {e->found.body_c[i], e->found.body_a[i]};
    const mrn_vec3 arm[2] = {mrn_load3(e->found.arm_c + 3 * i), mrn_load3(e->found.arm_a + 3 * i)};
    double work = 0;
    for (int s = 0; s < 2; s++) {
        if (body[s] < e->state->body.n_walls || e->body.column[body[s]] >= 0)
            continue;
        const double *u = e->body.end + (int64_t)body[s] * e->dofs;
        mrn_vec3 turn = mrn_add(mrn_contact_torque(arm[s], j), m);
        work += (s == 0 ? 1 : -1) * (mrn_dot(j, linear(e, u)) + mrn_dot(turn, angular(e, u)));
    }
    return work;
}

static bool slides(const mrn_nonsmooth *e, int64_t k)
{
    const double *r = e->r + k * e->width;
    double t = e->dofs == 6 ? hypot(r[1], r[2]) : fabs(r[1]);
    return t >= e->mu[MRN_SLIDING][k] * (r[0] + e->cohesion[k]) * (1 - 1e-6);
}

/* What is stored in a contact that gives: its gap at the end of the step. */
static double stored(const mrn_nonsmooth *e, int64_t k, double h)
{
    const mrn_row *row = &e->row[k];
    if (row->stiffness == 0)
        return 0;
    double overlap = -(e->found.gap[row->contact] + h * e->u[k * e->width]);
    return overlap > 0 ? 0.5 * row->stiffness * overlap * overlap : 0;
}

/* What is stored along it: R_T^2/(2 k), with r = h R_T and drag = 1/(h h k). */
static double stored_along(const mrn_nonsmooth *e, int64_t k)
{
    const mrn_row *row = &e->row[k];
    const double *r = e->r + k * e->width;
    if (row->spring_t == 0)
        return 0;
    return 0.5 * row->drag * (r[1] * r[1] + (e->dofs == 6 ? r[2] * r[2] : 0));
}

/* Sums of a step, each booked at once. */
typedef struct booking {
    mrn_sum normal, shocks, tangential, damping, scheme, wall, drive, elastic, deep;
} booking;

static void enter(const booking *b, mrn_ledger *l)
{
    l->lost_normal += mrn_sum_value(&b->normal);
    l->lost_tangential += mrn_sum_value(&b->tangential);
    l->lost_damping += mrn_sum_value(&b->damping);
    l->lost_scheme += mrn_sum_value(&b->scheme);
    l->wall_work += mrn_sum_value(&b->wall);
    l->drive_work += mrn_sum_value(&b->drive);
}

/* Losses along a contact are less by what its spring takes. The change of all that is stored comes
   off the normal channel (mrn_ns_book), so that this part of it is put back there; what springs
   hold along contacts that open stays in that channel. */
static void book_springs(const mrn_nonsmooth *e, int64_t k, double h, booking *to)
{
    double along = stored_along(e, k), taken = along - e->row[k].held;
    mrn_sum_add(&to->elastic, stored(e, k, h) + along);
    mrn_sum_add(&to->tangential, -taken);
    mrn_sum_add(&to->normal, taken);
}

static double book_contacts(mrn_nonsmooth *e, double h)
{
    mrn_state *s = e->state;
    mrn_nonsmooth_report *rep = &s->nonsmooth;
    booking to = {.deep = {0}};
    int64_t touching = 0;
    s->contacts = s->sliding = 0;
    s->max_overlap = rep->overlap_max = 0;
    for (int64_t k = 0; k < e->n_contacts; k++) {
        int64_t i = e->row[k].contact;
        double gap = e->found.gap[i];
        const double *r = e->r + k * e->width, *u = e->u + k * e->width, *u0 = e->row[k].u0;
        mrn_sum_add(&to.normal, -0.5 * r[0] * (u0[0] + u[0]));
        mrn_sum_add(&to.shocks, e->row[k].lasted ? 0 : -0.5 * r[0] * (u0[0] + u[0]));
        for (int m = 1; m < e->width; m++)
            mrn_sum_add(&to.tangential, -0.5 * r[m] * (u0[m] + u[m]));
        book_springs(e, k, h, &to);
        if (e->found.a[i] < s->body.n_walls)
            mrn_sum_add(&to.wall, press_wall(e, k, h));
        if (e->row[k].imposed_c || e->row[k].imposed_a)
            mrn_sum_add(&to.drive, -work_on_imposed(e, k));
        bool touch = r[0] != 0 || gap <= 0;
        touching += touch;
        s->contacts += r[0] != 0;
        s->sliding += r[0] > 0 && slides(e, k);
        double overlap = fmax(0, -gap);
        mrn_sum_add(&to.deep, touch ? overlap : 0);
        rep->overlap_max = fmax(rep->overlap_max, overlap);
        s->max_overlap = fmax(s->max_overlap, overlap / e->found.r_eff[i]);
    }
    rep->overlap_mean = touching > 0 ? mrn_sum_value(&to.deep) / (double)touching : 0;
    rep->overlap_ever = fmax(rep->overlap_ever, rep->overlap_max);
    enter(&to, &s->ledger);
    s->lost_shocks += mrn_sum_value(&to.shocks);
    return mrn_sum_value(&to.elastic);
}

/* ---- bodies ---- */

static double kinetic(const mrn_nonsmooth *e, int32_t i, mrn_vec3 v, mrn_vec3 w)
{
    const mrn_bodies *b = &e->state->body;
    mrn_vec3 l = mrn_angular_momentum(mrn_principal_moments(e->scene, b, i),
                                      mrn_load_quat(b->q + 4 * (size_t)i), w);
    return 0.5 * b->mass[i] * mrn_dot(v, v) + 0.5 * mrn_dot(w, l);
}

/* Number k of a body is imposed. */
static bool is_held(const mrn_nonsmooth *e, int32_t i, int k)
{
    static const int flat[3] = {0, 1, 5};
    return e->body.held[i] >> (e->dofs == 3 ? flat[k] : k) & 1;
}

/* Momentum and spin of body i: M u. */
static void momentum_of(const mrn_nonsmooth *e, int32_t i, const double *u, double *to)
{
    const mrn_bodies *b = &e->state->body;
    mrn_vec3 v = mrn_scale(b->mass[i], linear(e, u));
    mrn_vec3 l = mrn_angular_momentum(mrn_principal_moments(e->scene, b, i),
                                      mrn_load_quat(b->q + 4 * (size_t)i), angular(e, u));
    double all[6] = {v.x, v.y, v.z, l.x, l.y, l.z};
    if (e->dofs == 3)
        all[2] = l.z;
    memcpy(to, all, (size_t)e->dofs * sizeof *to);
}

/* What the drive of imposed degrees of freedom does: it sets their velocity and bears what acts on
   them, also what free turns of a body with three moments do to its bearings. */
static double work_of_drive(const mrn_nonsmooth *e, int32_t i)
{
    const mrn_bodies *b = &e->state->body;
    int64_t at = (int64_t)i * e->dofs;
    const double *u0 = e->body.u0 + at, *end = e->body.end + at;
    double change[MRN_DOFS_MAX] = {0}, gain[MRN_DOFS_MAX];
    double work = kinetic(e, i, linear(e, u0), angular(e, u0)) -
                  kinetic(e, i, mrn_load3(b->v + 3 * (size_t)i), mrn_load3(b->w + 3 * (size_t)i));
    for (int m = 0; m < e->dofs; m++)
        change[m] = end[m] - u0[m];
    momentum_of(e, i, change, gain);
    for (int m = 0; m < e->dofs; m++)
        if (is_held(e, i, m))
            work +=
                0.5 * (gain[m] - e->body.pushed[at + m] - e->body.push[at + m]) * (u0[m] + end[m]);
    return work;
}

typedef struct mean_motion {
    mrn_vec3 v, w;
} mean_motion;

static mean_motion mean_of(const mrn_nonsmooth *e, int32_t i)
{
    const double *a = e->body.u0 + (int64_t)i * e->dofs, *b = e->body.end + (int64_t)i * e->dofs;
    return (mean_motion){mrn_scale(0.5, mrn_add(linear(e, a), linear(e, b))),
                         mrn_scale(0.5, mrn_add(angular(e, a), angular(e, b)))};
}

/* Damping acts on what is free; what is imposed keeps its velocity. */
static double loss_by_damping(const mrn_nonsmooth *e, int32_t i, double h)
{
    double a = 0.5 * h * e->scene->damping.global, sum = 0;
    int64_t at = (int64_t)i * e->dofs;
    const double *u0 = e->body.u0 + at, *end = e->body.end + at;
    double mean[MRN_DOFS_MAX] = {0}, momentum[MRN_DOFS_MAX];
    for (int k = 0; k < e->dofs; k++)
        mean[k] = is_held(e, i, k) ? 0 : 0.5 * (u0[k] + end[k]);
    momentum_of(e, i, mean, momentum);
    for (int k = 0; k < e->dofs; k++)
        sum += momentum[k] * mean[k];
    return 2 * a * sum;
}

/* Gravity acts with the mean velocity, the body falls by the scheme's: the difference is the
   scheme's. */
static void book_body(const mrn_nonsmooth *e, int32_t i, double h, booking *to)
{
    const mrn_state *s = e->state;
    const mrn_bodies *b = &s->body;
    double theta = e->scene->nonsmooth.theta;
    mean_motion mean = mean_of(e, i);
    mrn_vec3 g = mrn_load3(s->gravity);
    mrn_vec3 end = linear(e, e->body.end + (int64_t)i * e->dofs);
    mrn_vec3 way = mrn_axpy(1 - theta, mrn_load3(b->v + 3 * (size_t)i), mrn_scale(theta, end));
    mrn_sum_add(&to->scheme, -h * b->mass[i] * mrn_dot(g, mrn_sub(mean.v, way)));
    if (e->drive.load != NULL) {
        const mrn_load *load = &e->drive.load[b->group[i]];
        mrn_vec3 f = mrn_axpy(b->mass[i], load->acceleration, load->force);
        mrn_sum_add(&to->drive, h * (mrn_dot(f, mean.v) + mrn_dot(load->torque, mean.w)));
    }
    if (e->scene->damping.global > 0)
        mrn_sum_add(&to->damping, loss_by_damping(e, i, h));
    if (e->body.held[i] != 0)
        mrn_sum_add(&to->drive, work_of_drive(e, i));
}

static void book_bodies(mrn_nonsmooth *e, double h)
{
    mrn_state *s = e->state;
    const mrn_bodies *b = &s->body;
    const unsigned still = MRN_BODY_FIXED | MRN_BODY_MEMBER | MRN_BODY_ASLEEP;
    booking to = {.deep = {0}};
    for (int32_t i = b->n_walls; i < b->n; i++)
        if (!(b->flags[i] & still))
            book_body(e, i, h, &to);
    enter(&to, &s->ledger);
    for (int32_t w = 0; w < b->n_walls; w++) {
        if (e->body.column[w] < 0)
            continue;
        int64_t at = (int64_t)w * e->dofs;
        for (int k = 0; k < e->dofs; k++)
            s->ledger.wall_work -=
                0.5 * e->body.pushed[at + k] * (e->body.u0[at + k] + e->body.end[at + k]);
    }
}

/* ---- joints ---- */

/* Work of row m of block r on the bodies. */
static double work_of_row(const mrn_nonsmooth *e, int64_t r, int m)
{
    const mrn_bsr *ht = &e->problem.Ht;
    int b = e->width, d = e->dofs;
    double work = 0;
    for (int64_t k = ht->start[r]; k < ht->start[r + 1]; k++) {
        int32_t i = e->body_of_column[ht->col[k]];
        const double *u0 = e->body.u0 + (int64_t)i * d, *end = e->body.end + (int64_t)i * d;
        for (int l = 0; i >= 0 && l < d; l++)
            work += 0.5 * e->r[r * b + m] * ht->value[(k * d + l) * b + m] * (u0[l] + end[l]);
    }
    return work;
}

/* Work of row m of block r on bodies that move as imposed, which their drives make good. */
static double work_of_row_on_imposed(mrn_nonsmooth *e, int64_t r, int m)
{
    const mrn_joint_block *j = &e->joint_block[r - e->n_contacts];
    mrn_ledger *l = &e->state->ledger;
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        int32_t i = j->body[side];
        if (i < 0 || e->body.column[i] >= 0)
            continue;
        double work = 0;
        for (int k = 0; k < e->dofs; k++)
            work += e->r[r * e->width + m] * j->h[side][k * e->width + m] *
                    e->body.end[(int64_t)i * e->dofs + k];
        *(i < e->state->body.n_walls ? &l->wall_work : &l->drive_work) -= work;
        sum += work;
    }
    return sum;
}

/* Motors are drives, dashpots damp; what locks do they do to take back drift. What springs hold is
   booked when the bodies have moved. */
static void book_joints(mrn_nonsmooth *e)
{
    mrn_ledger *l = &e->state->ledger;
    for (int64_t r = e->n_contacts; r < e->n_rows; r++)
        for (int m = 0; m < e->width; m++) {
            double work = work_of_row(e, r, m) + work_of_row_on_imposed(e, r, m);
            switch (e->joint_block[r - e->n_contacts].role[m]) {
            case MRN_ROW_MOTOR:
                l->drive_work += work;
                break;
            case MRN_ROW_SPRING:
                l->lost_damping -= work;
                break;
            default:
                l->lost_scheme -= work;
            }
        }
}

/* ---- all ---- */

static void report(mrn_nonsmooth *e)
{
    mrn_nonsmooth_report *r = &e->state->nonsmooth;
    const mrn_measures *m = &e->result.measures;
    bool any = e->n_rows > 0;
    r->last_sweeps = any ? (double)e->result.iterations : 0;
    r->last_residual = any ? m->natural : 0;
    r->last_mean = any ? m->violation_mean : 0;
    r->last_max = any ? m->violation_max : 0;
    r->sweeps += r->last_sweeps;
    r->worst_residual = fmax(r->worst_residual, r->last_residual);
}

void mrn_ns_book(mrn_nonsmooth *e, double h)
{
    mrn_state *s = e->state;
    if (s->body.n_walls > 0)
        memset(e->press, 0, 6 * (size_t)s->body.n_walls * sizeof *e->press);
    double before = s->elastic - e->springs;
    double elastic = book_contacts(e, h);
    s->ledger.lost_normal -= elastic - before;
    book_bodies(e, h);
    s->elastic = elastic + e->springs;
    if (e->joints != NULL)
        book_joints(e);
    report(e);
}
