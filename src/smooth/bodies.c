/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Motion of the bodies: velocity Verlet with velocities predicted to the end of the step before
   forces are asked for, v* = v + h a, and corrected after, v = v* + h/2 (a_new - a_old). Forces
   that depend on velocity are then of second order too, which is lost when half-step velocities
   enter them. Explicit Euler is the same without the half step and the correction; Gear's method
   stands in gear.c, the rotation of clusters and polyhedra in rotation.h.

   In a straining cell velocities are relative to its flow: the true velocity is v + L x, and the
   rest of a body's motion obeys dv/dt = F/m - L v (SLLOD, Evans and Morriss). */
#include <math.h>
#include <string.h>

#include "base/columns.h"
#include "base/dispatch.h"
#include "smooth/extra.h"
#include "smooth/motion.h"

/* ---- drift ---- */

/* Orientation and spin of a sphere. */
static void turn_sphere(mrn_bodies *b, size_t i, double h, double way)
{
    double *w = b->w + 3 * i, *q = b->q + 4 * i, g = h / b->inertia[i], turn[3];
    for (int k = 0; k < 3; k++) {
        double dw = g * b->t[3 * i + (size_t)k];
        turn[k] = 0.5 * h * (w[k] + way * dw);
        w[k] += dw;
    }
    mrn_store_quat(q, mrn_quat_turned(mrn_load_quat(q), turn[0], turn[1], turn[2]));
}

static void turn_uneven(const mrn_scene *scene, mrn_bodies *b, int32_t i, double h, bool euler)
{
    size_t at = (size_t)i;
    mrn_vec3 moments = mrn_principal_moments(scene, b, i), w = mrn_load3(b->w + 3 * at);
    mrn_vec3 t = mrn_load3(b->t + 3 * at);
    mrn_quat q = mrn_load_quat(b->q + 4 * at);
    if (euler)
        mrn_rotation_euler(moments, t, h, &q, &w);
    else
        mrn_rotation_drift(moments, t, h, &q, &w);
    mrn_store_quat(b->q + 4 * at, q);
    mrn_store3(b->w + 3 * at, w);
}

/* Position and velocity; `way` is the part of the change of velocity that counts for the way. */
static void move_centre(mrn_bodies *b, size_t i, double h, double way, const mrn_cell_flow *flow)
{
    double *x = b->x + 3 * i, *v = b->v + 3 * i, a = h / b->mass[i], d[3];
    for (int k = 0; k < 3; k++) {
        double dv = a * b->f[3 * i + (size_t)k];
        d[k] = h * (v[k] + way * dv);
        v[k] += dv;
    }
    if (flow->on)
        mrn_store3(x, mrn_cell_flow_carry(flow, mrn_load3(x), mrn_load3(d), h));
    else
        for (int k = 0; k < 3; k++)
            x[k] += d[k];
}

static void drift_one(mrn_smooth *e, int32_t i, double h, const mrn_cell_flow *flow)
{
    mrn_bodies *b = &e->state->body;
    if (e->scene->integrator == MRN_GEAR) {
        mrn_gear_predict(e->scene, b, i, h, flow);
        return;
    }
    bool euler = e->scene->integrator == MRN_EULER;
    double way = euler ? 0 : 0.5;
    move_centre(b, (size_t)i, h, way, flow);
    if (mrn_turns_unevenly(e->scene, b, i))
        turn_uneven(e->scene, b, i, h, euler);
    else
        turn_sphere(b, (size_t)i, h, way);
}

/* ---- spheres that are free, a chunk at a time ---- */

/* Whether all bodies of a chunk are single spheres that move: nearly every chunk of nearly every
   run. What follows does the same operations as for one body, in loops over the rows of a chunk as
   they stand in memory. */
static bool all_free(const mrn_bodies *b, int32_t i0, int n)
{
    unsigned any = 0;
    for (int k = 0; k < n; k++)
        any |= b->flags[i0 + k];
    return (any & (MRN_BODY_FIXED | MRN_BODY_MEMBER | MRN_BODY_CLUSTER | MRN_BODY_POLYTOPE)) == 0;
}

/* a over b of each body, once for each of its three numbers. */
MRN_DISPATCHED static void quotients(double a, const double *b, int n, double *restrict one,
                                     double *restrict three)
{
#pragma omp simd
    for (int k = 0; k < n; k++)
        one[k] = a / b[k];
    for (int k = 0; k < n; k++)
        three[3 * k] = three[3 * k + 1] = three[3 * k + 2] = one[k];
}

/* The way in a step, and the velocity at its end. */
MRN_DISPATCHED static void ways(const double *restrict rate, const double *restrict f,
                                double *restrict v, int n, double h, double way, double *restrict d)
{
#pragma omp simd
    for (int k = 0; k < 3 * n; k++) {
        double dv = rate[k] * f[k];
        d[k] = h * (v[k] + way * dv);
        v[k] += dv;
    }
}

MRN_DISPATCHED static void add_to(double *restrict x, const double *restrict d, int n)
{
#pragma omp simd
    for (int k = 0; k < n; k++)
        x[k] += d[k];
}

/* Orientations turned by half the angles that stand in columns 4 to 6. */
MRN_DISPATCHED static void turn_quats(double (*c)[MRN_BLOCK], int n)
{
#pragma omp simd
    for (int k = 0; k < n; k++) {
        mrn_quat p = mrn_quat_turned((mrn_quat){c[0][k], c[1][k], c[2][k], c[3][k]}, c[4][k],
                                     c[5][k], c[6][k]);
        c[0][k] = p.w, c[1][k] = p.x, c[2][k] = p.y, c[3][k] = p.z;
    }
}

void mrn_turn_quats(double (*column)[MRN_BLOCK], int n)
{
    turn_quats(column, n);
}

/* Not for wider vectors: there gcc would fuse products and sums (tools/check-fused.sh). */
static void turn_rows(double *q, const double *half, int n, double (*c)[MRN_BLOCK])
{
    int whole = n - n % MRN_QUAD;
    for (int k = 0; k < whole; k += MRN_QUAD) {
        const double *p = q + 4 * k, *t = half + 3 * k;
        mrn_to_columns4(p, p + 4, p + 8, p + 12, &c[0][k], &c[1][k], &c[2][k], &c[3][k]);
        mrn_to_columns3(t, t + 3, t + 6, t + 9, &c[4][k], &c[5][k], &c[6][k]);
    }
    turn_quats(c, whole);
    for (int k = 0; k < whole; k += MRN_QUAD) {
        double *p = q + 4 * k;
        mrn_to_rows4(&c[0][k], &c[1][k], &c[2][k], &c[3][k], p, p + 4, p + 8, p + 12);
    }
    for (int k = whole; k < n; k++) {
        const double *t = half + 3 * k;
        mrn_store_quat(q + 4 * k, mrn_quat_turned(mrn_load_quat(q + 4 * k), t[0], t[1], t[2]));
    }
}

static void drift_free(mrn_bodies *b, int32_t i0, int n, double h, double way, mrn_scratch *w)
{
    size_t at = (size_t)i0;
    mrn_body_rows *r = &w->rows;
    quotients(h, b->mass + i0, n, r->one, r->rate);
    ways(r->rate, b->f + 3 * at, b->v + 3 * at, n, h, way, r->way);
    add_to(b->x + 3 * at, r->way, 3 * n);
    quotients(h, b->inertia + i0, n, r->one, r->rate);
    ways(r->rate, b->t + 3 * at, b->w + 3 * at, n, 0.5 * h, way, r->way);
    turn_rows(b->q + 4 * at, r->way, n, w->column);
}

/* Moves the bodies of a chunk; the largest squared distance from where the list was built. */
static double drift_chunk(mrn_smooth *e, int32_t i0, int n, double h, const mrn_cell_flow *flow,
                          mrn_scratch *w)
{
    mrn_bodies *b = &e->state->body;
    const unsigned still = MRN_BODY_FIXED | MRN_BODY_MEMBER;
    bool gear = e->scene->integrator == MRN_GEAR, together = !gear && !flow->on;
    double far = 0;
    together = together && all_free(b, i0, n);
    if (together)
        drift_free(b, i0, n, h, e->scene->integrator == MRN_EULER ? 0 : 0.5, w);
    for (int32_t i = i0; i < i0 + n; i++) {
        if (!together && (b->flags[i] & still))
            continue;
        if (!together)
            drift_one(e, i, h, flow);
        const double *x = b->x + 3 * (size_t)i, *o = b->x_list + 3 * (size_t)i;
        double dx = x[0] - o[0], dy = x[1] - o[1], dz = x[2] - o[2];
        double d2 = dx * dx + dy * dy + dz * dz;
        far = d2 > far || d2 != d2 ? d2 : far; /* a NAN stays */
    }
    return far;
}

static void drift_rows(mrn_smooth *e, int64_t c, double h, const mrn_cell_flow *flow,
                       mrn_scratch *w)
{
    const mrn_bodies *b = &e->state->body;
    int32_t i0 = b->n_walls + (int32_t)c * MRN_CHUNK_ROWS, left = b->n - i0;
    e->far[c] = drift_chunk(e, i0, left < MRN_CHUNK_ROWS ? left : MRN_CHUNK_ROWS, h, flow, w);
}

static double farthest(const mrn_smooth *e, int64_t chunks)
{
    double far = 0;
    for (int64_t c = 0; c < chunks; c++)
        far = e->far[c] > far || e->far[c] != e->far[c] ? e->far[c] : far;
    return far;
}

static int64_t chunks_of(const mrn_bodies *b)
{
    return (b->n - b->n_walls + MRN_CHUNK_ROWS - 1) / MRN_CHUNK_ROWS;
}

static void drift_chunk_on(mrn_smooth *e, const void *with, int64_t c, mrn_scratch *w)
{
    const mrn_surroundings *o = with;
    drift_rows(e, c, o->h, &o->flow, w);
}

double mrn_bodies_drift(mrn_smooth *e, double h)
{
    int64_t chunks = chunks_of(&e->state->body);
    const mrn_surroundings o = {.h = h, .flow = mrn_cell_flow_of(e->state)};
    mrn_smooth_share(e, chunks, chunks > 2, drift_chunk_on, &o);
    return farthest(e, chunks);
}

/* ---- forces ---- */

/* Sum over the pairs of a grain by the persistent number of the partner: walls have the lowest,
   grains with lower numbers than its own stand in `back`, those with higher ones in its row. */
static void gather(const mrn_pairs *p, const mrn_contacts *c, int32_t i, mrn_vec3 *force,
                   mrn_vec3 *lever)
{
    mrn_vec3 f = {0, 0, 0}, l = {0, 0, 0};
    for (int32_t k = p->wall_row[i]; k < p->wall_row[i + 1]; k++) {
        f = mrn_add(f, mrn_load3(c->force + 3 * (size_t)k));
        l = mrn_add(l, mrn_load3(c->lever + 3 * (size_t)k));
    }
    for (int32_t m = p->back_row[i]; m < p->back_row[i + 1]; m++) {
        size_t k = 3 * (size_t)p->back[m];
        f = mrn_sub(f, mrn_load3(c->force + k));
        l = mrn_add(l, mrn_load3(c->lever + k));
    }
    for (int32_t k = p->row[i]; k < p->row[i + 1]; k++) {
        f = mrn_add(f, mrn_load3(c->force + 3 * (size_t)k));
        l = mrn_add(l, mrn_load3(c->lever + 3 * (size_t)k));
    }
    *force = f;
    *lever = l;
}

/* The same sum of the moments of rolling and twisting laws. */
static mrn_vec3 gather_moments(const mrn_pairs *p, const mrn_contacts *c, int32_t i)
{
    mrn_vec3 t = {0, 0, 0};
    for (int32_t k = p->wall_row[i]; k < p->wall_row[i + 1]; k++)
        t = mrn_add(t, mrn_load3(c->moment + 3 * (size_t)k));
    for (int32_t m = p->back_row[i]; m < p->back_row[i + 1]; m++)
        t = mrn_sub(t, mrn_load3(c->moment + 3 * (size_t)p->back[m]));
    for (int32_t k = p->row[i]; k < p->row[i + 1]; k++)
        t = mrn_add(t, mrn_load3(c->moment + 3 * (size_t)k));
    return t;
}

/* ---- what acts besides contacts ---- */

static void damp(const mrn_smooth *e, int32_t i, mrn_vec3 f, mrn_vec3 t, mrn_extra *x)
{
    const mrn_bodies *b = &e->state->body;
    mrn_vec3 v = mrn_load3(b->v + 3 * (size_t)i), w = mrn_load3(b->w + 3 * (size_t)i);
    mrn_vec3 l = mrn_scale(b->inertia[i], w);
    if (mrn_turns_unevenly(e->scene, b, i))
        l = mrn_angular_momentum(mrn_principal_moments(e->scene, b, i),
                                 mrn_load_quat(b->q + 4 * (size_t)i), w);
    mrn_extra_damp(x, e->scene->damping.global, e->scene->damping.local, b->mass[i], v, w, l, f, t);
}

/* Adds loads and damping. */
static mrn_extra add_extra(const mrn_smooth *e, const mrn_surroundings *o, int32_t i, mrn_vec3 *f,
                           mrn_vec3 *t)
{
    const mrn_bodies *b = &e->state->body;
    mrn_extra x = mrn_extra_none();
    if (e->drive.load != NULL) {
        mrn_extra_load(&x, &e->drive.load[b->group[i]], b->mass[i], e->scene->dimension == 2);
        *f = mrn_add(*f, x.load);
        *t = mrn_add(*t, x.load_torque);
    }
    if (o->damped && !(b->flags[i] & MRN_BODY_FIXED)) {
        damp(e, i, *f, *t, &x);
        *f = mrn_add(*f, x.damping);
        *t = mrn_add(*t, x.damping_torque);
    }
    return x;
}

/* Books the powers of body i with its velocity at the end of the step. The energy of motion counts
   velocities relative to the cell's flow; what the flow changes in it is the work of the kinetic
   stress, booked with the stress; what it changes in the height of a body is booked here. */
static void book(const mrn_smooth *e, const mrn_surroundings *o, int32_t i, const mrn_extra *x,
                 mrn_body_part *sum)
{
    const mrn_bodies *b = &e->state->body;
    double m = b->mass[i], lift = 0;
    int n = sum->n++;
    mrn_vec3 v = mrn_load3(b->v + 3 * (size_t)i), w = mrn_load3(b->w + 3 * (size_t)i);
    sum->term[MRN_TERM_DAMPING][n] = mrn_extra_damping_power(x, v, w);
    sum->term[MRN_TERM_DRIVE][n] = mrn_extra_load_power(x, v, w);
    double kinetic[MRN_STRAINS] = {0};
    if (o->flow.on)
        lift = mrn_flow_lift(&o->flow, o->gravity, m, mrn_unwrapped(e->scene, e->state, i));
    if (e->drive.strains)
        mrn_flow_kinetic(m, v, kinetic);
    sum->term[MRN_TERM_LIFT][n] = lift;
    for (int k = 0; k < MRN_STRAINS; k++)
        sum->term[MRN_TERM_KINETIC + k][n] = kinetic[k];
}

void mrn_body_part_add(mrn_body_part *p)
{
    for (int k = 0; k < MRN_BODY_TERMS; k++)
        mrn_sum_block(&p->sum[k], p->term[k], p->n);
    p->n = 0;
}

/* ---- kick ---- */

/* Velocities by h/2 times the change of acceleration. */
static void correct(const mrn_smooth *e, int32_t i, double h, mrn_vec3 f, mrn_vec3 t)
{
    mrn_bodies *b = &e->state->body;
    size_t at = 3 * (size_t)i;
    double a = 0.5 * h / b->mass[i], c = 0.5 * h / b->inertia[i];
    mrn_vec3 df = mrn_sub(f, mrn_load3(b->f + at)), dt = mrn_sub(t, mrn_load3(b->t + at));
    mrn_store3(b->v + at, mrn_axpy(a, df, mrn_load3(b->v + at)));
    if (mrn_turns_unevenly(e->scene, b, i)) {
        mrn_store3(b->w + at,
                   mrn_rotation_kick(mrn_principal_moments(e->scene, b, i), dt, h,
                                     mrn_load_quat(b->q + 4 * (size_t)i), mrn_load3(b->w + at)));
    } else {
        mrn_store3(b->w + at, mrn_axpy(c, dt, mrn_load3(b->w + at)));
    }
}

/* Contacts and gravity only, velocity Verlet, a sphere: nearly every body of nearly every run. The
   same operations as below, in the same order. */
static inline void kick_plain(mrn_bodies *b, const mrn_surroundings *o, bool flat, int32_t i,
                              mrn_vec3 f, mrn_vec3 t)
{
    size_t at = 3 * (size_t)i;
    f = mrn_axpy(b->mass[i], o->gravity, f);
    if (flat)
        f.z = 0, t.x = 0, t.y = 0;
    if (!(b->flags[i] & MRN_BODY_FIXED)) {
        double a = 0.5 * o->h / b->mass[i], c = 0.5 * o->h / b->inertia[i];
        mrn_vec3 df = mrn_sub(f, mrn_load3(b->f + at)), dt = mrn_sub(t, mrn_load3(b->t + at));
        mrn_store3(b->v + at, mrn_axpy(a, df, mrn_load3(b->v + at)));
        mrn_store3(b->w + at, mrn_axpy(c, dt, mrn_load3(b->w + at)));
    }
    mrn_store3(b->f + at, f);
    mrn_store3(b->t + at, t);
}

void mrn_body_kick(mrn_smooth *e, const mrn_surroundings *o, int32_t i, mrn_vec3 f, mrn_vec3 t,
                   mrn_body_part *sum)
{
    mrn_bodies *b = &e->state->body;
    size_t at = 3 * (size_t)i;
    f = mrn_axpy(b->mass[i], o->gravity, f);
    if (e->scene->dimension == 2)
        f.z = 0, t.x = 0, t.y = 0;
    mrn_extra x = add_extra(e, o, i, &f, &t);
    if (o->flow.on)
        f = mrn_axpy(-b->mass[i], mrn_cell_flow_times(&o->flow, mrn_load3(b->v + at)), f);
    if (!(b->flags[i] & MRN_BODY_FIXED)) {
        if (e->scene->integrator == MRN_VERLET)
            correct(e, i, o->h, f, t);
        else if (e->scene->integrator == MRN_GEAR && o->h > 0)
            mrn_gear_correct(e->scene, b, i, o->h, f, t);
        book(e, o, i, &x, sum);
    }
    mrn_store3(b->f + at, f);
    mrn_store3(b->t + at, t);
}

/* Forces and torques of the contacts of n free spheres, one after another. */
static void gather_rows(const mrn_state *s, int32_t i0, int n, double *f, double *t)
{
    for (int k = 0; k < n; k++) {
        int32_t i = i0 + k;
        mrn_vec3 force, lever;
        gather(&s->pair, &s->contact, i, &force, &lever);
        mrn_vec3 turn = mrn_scale(-s->body.radius[i], lever);
        if (s->contact.moment != NULL)
            turn = mrn_add(turn, gather_moments(&s->pair, &s->contact, i));
        mrn_store3(f + 3 * k, force);
        mrn_store3(t + 3 * k, turn);
    }
}

/* Velocities by h/2 times the change of acceleration; `last` becomes `now`. */
MRN_DISPATCHED static void correct_rows(const double *restrict rate, const double *restrict now,
                                        double *restrict last, double *restrict v, int n)
{
#pragma omp simd
    for (int k = 0; k < 3 * n; k++) {
        v[k] = rate[k] * (now[k] - last[k]) + v[k];
        last[k] = now[k];
    }
}

/* The same as kick_plain for each of n free spheres. */
static void kick_free(mrn_smooth *e, const mrn_surroundings *o, int32_t i0, int n, mrn_scratch *w)
{
    mrn_bodies *b = &e->state->body;
    mrn_body_rows *r = &w->rows;
    size_t at = (size_t)i0;
    bool flat = e->scene->dimension == 2;
    gather_rows(e->state, i0, n, r->force, r->torque);
    for (int k = 0; k < n; k++) {
        double *f = r->force + 3 * k, *t = r->torque + 3 * k;
        mrn_store3(f, mrn_axpy(b->mass[i0 + k], o->gravity, mrn_load3(f)));
        if (flat)
            f[2] = 0, t[0] = 0, t[1] = 0;
    }
    quotients(0.5 * o->h, b->mass + i0, n, r->one, r->rate);
    correct_rows(r->rate, r->force, b->f + 3 * at, b->v + 3 * at, n);
    quotients(0.5 * o->h, b->inertia + i0, n, r->one, r->rate);
    correct_rows(r->rate, r->torque, b->t + 3 * at, b->w + 3 * at, n);
}

/* Bodies of one chunk; the spheres of clusters get what their contacts do, and their clusters wait
   for that. */
static void kick_chunk(mrn_smooth *e, const mrn_surroundings *o, int64_t c, mrn_scratch *w)
{
    mrn_body_part *sum = &w->bodies;
    mrn_bodies *b = &e->state->body;
    const mrn_pairs *p = &e->state->pair;
    const mrn_contacts *slots = &e->state->contact;
    int32_t i0 = b->n_walls + (int32_t)c * MRN_CHUNK_ROWS;
    int32_t i1 = i0 + MRN_CHUNK_ROWS < b->n ? i0 + MRN_CHUNK_ROWS : b->n;
    bool flat = e->scene->dimension == 2;
    if (o->plain && all_free(b, i0, i1 - i0)) {
        kick_free(e, o, i0, i1 - i0, w);
        return;
    }
    for (int32_t i = i0; i < i1; i++) {
        if (b->flags[i] & MRN_BODY_CLUSTER)
            continue;
        mrn_vec3 f, l;
        gather(p, slots, i, &f, &l);
        mrn_vec3 t = mrn_scale(-b->radius[i], l);
        if (slots->moment != NULL)
            t = mrn_add(t, gather_moments(p, slots, i));
        if (b->flags[i] & MRN_BODY_MEMBER) {
            mrn_store3(b->f + 3 * (size_t)i, f);
            mrn_store3(b->t + 3 * (size_t)i, t);
        } else if (o->plain && !(b->flags[i] & MRN_BODY_POLYTOPE)) {
            kick_plain(b, o, flat, i, f, t);
        } else {
            mrn_body_kick(e, o, i, f, t, sum);
        }
    }
    mrn_body_part_add(sum);
}

static mrn_body_tally total(const mrn_smooth *e)
{
    double all[MRN_BODY_TERMS];
    for (int k = 0; k < MRN_BODY_TERMS; k++) {
        mrn_sum sum = {0};
        for (int t = 0; t < e->threads; t++)
            mrn_sum_merge(&sum, &e->scratch[t]->bodies.sum[k]);
        all[k] = mrn_sum_value(&sum);
    }
    mrn_body_tally t = {
        .damping = all[MRN_TERM_DAMPING], .drive = all[MRN_TERM_DRIVE], .lift = all[MRN_TERM_LIFT]};
    for (int k = 0; k < MRN_STRAINS; k++)
        t.kinetic[k] = all[MRN_TERM_KINETIC + k];
    return t;
}

static void kick_alone(mrn_smooth *e, const void *with, int64_t c, mrn_scratch *w)
{
    kick_chunk(e, with, c, w);
}

static void kick_and_drift(mrn_smooth *e, const void *with, int64_t c, mrn_scratch *w)
{
    kick_chunk(e, with, c, w);
    drift_chunk_on(e, with, c, w);
}

mrn_body_tally mrn_bodies_kick(mrn_smooth *e, double h, double *on)
{
    const mrn_bodies *b = &e->state->body;
    const mrn_damping *d = &e->scene->damping;
    mrn_surroundings o = {.h = h,
                          .gravity = mrn_load3(e->state->gravity),
                          .flow = mrn_cell_flow_of(e->state),
                          .damped = d->global > 0 || d->local > 0};
    o.plain = e->scene->integrator == MRN_VERLET && e->drive.load == NULL && !o.damped &&
              !o.flow.on && !e->drive.strains;
    int64_t chunks = chunks_of(b);
    for (int t = 0; t < e->threads; t++)
        memset(e->scratch[t]->bodies.sum, 0, sizeof e->scratch[t]->bodies.sum);
    mrn_smooth_share(e, chunks, chunks > 2, on != NULL ? kick_and_drift : kick_alone, &o);
    mrn_clusters_kick(e, &o);
    if (on != NULL)
        *on = farthest(e, chunks);
    return total(e);
}
