/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gear's predictor-corrector with five values: position, velocity, acceleration and two more
   derivatives (C. W. Gear, Numerical Initial Value Problems in Ordinary Differential Equations,
   1971). Fourth order where forces are smooth; at the begin and end of every contact the force has
   a kink and what is remembered of its derivatives is wrong for some steps, so that impacts keep
   an error of second order. Not symplectic: for studies of smooth motion, not for long runs.

   Of rotation the angular momentum is integrated in the same way, its derivatives being torque,
   rate of torque and the rate of that. */
#include <string.h>

#include "base/base.h"
#include "smooth/motion.h"

/* Coefficients for a force that depends on velocity too. In terms of the plain derivatives and of
   the correction D of the acceleration: x + C0 h^2/2 D, v + C1 h/2 D, jerk + C3 3/h D, snap + C4
   12/h^2 D. */
static const double C0 = 19.0 / 90, C1 = 3.0 / 4, C3 = 1.0 / 2, C4 = 1.0 / 12;

/* The value after h of a quantity with three derivatives. */
static mrn_vec3 taylor(mrn_vec3 a, mrn_vec3 b, mrn_vec3 c, mrn_vec3 d, double h)
{
    return mrn_axpy(h, mrn_axpy(h / 2, mrn_axpy(h / 3, d, c), b), a);
}

static const mrn_vec3 zero = {0, 0, 0};

static void predict_centre(mrn_bodies *b, int32_t i, double h, const mrn_cell_flow *flow)
{
    size_t at = 3 * (size_t)i;
    double *jerk = b->derivs + 12 * (size_t)i, *snap = jerk + 3, m = b->mass[i];
    mrn_vec3 v = mrn_load3(b->v + at), a = mrn_scale(1 / m, mrn_load3(b->f + at));
    mrn_vec3 j = mrn_load3(jerk), s = mrn_load3(snap), x = mrn_load3(b->x + at);
    /* h v + h^2/2 a + h^3/6 j + h^4/24 s */
    mrn_vec3 d =
        mrn_scale(h, mrn_axpy(h * h * h / 24, s,
                              taylor(v, mrn_scale(0.5, a), mrn_scale(1.0 / 3, j), zero, h)));
    mrn_store3(b->x + at, flow->on ? mrn_cell_flow_carry(flow, x, d, h) : mrn_add(x, d));
    mrn_store3(b->v + at, taylor(v, a, j, s, h));
    mrn_store3(b->f + at, mrn_scale(m, taylor(a, j, s, zero, h)));
    mrn_store3(jerk, mrn_axpy(h, s, j));
}

static void predict_turn(mrn_vec3 moments, mrn_bodies *b, int32_t i, double h)
{
    size_t at = 3 * (size_t)i;
    double *rate = b->derivs + 12 * (size_t)i + 6;
    mrn_quat q = mrn_load_quat(b->q + 4 * (size_t)i);
    mrn_vec3 t = mrn_load3(b->t + at), t1 = mrn_load3(rate), t2 = mrn_load3(rate + 3);
    mrn_vec3 l = mrn_angular_momentum(moments, q, mrn_load3(b->w + at));
    mrn_vec3 half = taylor(l, t, t1, t2, 0.5 * h), end = taylor(l, t, t1, t2, h);
    q = mrn_rotation_runge(moments, q, l, half, end, h);
    mrn_store_quat(b->q + 4 * (size_t)i, q);
    mrn_store3(b->w + at, mrn_spin_of(moments, q, end));
    mrn_store3(b->t + at, taylor(t, t1, t2, zero, h));
    mrn_store3(rate, mrn_axpy(h, t2, t1));
}

void mrn_gear_predict(const mrn_scene *scene, mrn_bodies *b, int32_t i, double h,
                      const mrn_cell_flow *flow)
{
    predict_centre(b, i, h, flow);
    predict_turn(mrn_principal_moments(scene, b, i), b, i, h);
}

static void correct_centre(mrn_bodies *b, int32_t i, double h, mrn_vec3 f)
{
    size_t at = 3 * (size_t)i;
    double *jerk = b->derivs + 12 * (size_t)i, *snap = jerk + 3;
    mrn_vec3 d = mrn_scale(1 / b->mass[i], mrn_sub(f, mrn_load3(b->f + at)));
    mrn_store3(b->x + at, mrn_axpy(C0 * h * h / 2, d, mrn_load3(b->x + at)));
    mrn_store3(b->v + at, mrn_axpy(C1 * h / 2, d, mrn_load3(b->v + at)));
    mrn_store3(jerk, mrn_axpy(C3 * 3 / h, d, mrn_load3(jerk)));
    mrn_store3(snap, mrn_axpy(C4 * 12 / (h * h), d, mrn_load3(snap)));
}

static void correct_turn(mrn_vec3 moments, mrn_bodies *b, int32_t i, double h, mrn_vec3 t)
{
    size_t at = 3 * (size_t)i;
    double *rate = b->derivs + 12 * (size_t)i + 6;
    mrn_quat q = mrn_load_quat(b->q + 4 * (size_t)i);
    mrn_vec3 d = mrn_sub(t, mrn_load3(b->t + at));
    mrn_vec3 l = mrn_angular_momentum(moments, q, mrn_load3(b->w + at));
    l = mrn_axpy(C1 * h / 2, d, l);
    mrn_vec3 angle = mrn_scale(C0 * h * h / 2, mrn_spin_of(moments, q, d));
    q = mrn_quat_unit(mrn_quat_mul(mrn_turn_by(angle), q));
    mrn_store_quat(b->q + 4 * (size_t)i, q);
    mrn_store3(b->w + at, mrn_spin_of(moments, q, l));
    mrn_store3(rate, mrn_axpy(C3 * 3 / h, d, mrn_load3(rate)));
    mrn_store3(rate + 3, mrn_axpy(C4 * 12 / (h * h), d, mrn_load3(rate + 3)));
}

void mrn_gear_correct(const mrn_scene *scene, mrn_bodies *b, int32_t i, double h, mrn_vec3 f,
                      mrn_vec3 t)
{
    correct_centre(b, i, h, f);
    correct_turn(mrn_principal_moments(scene, b, i), b, i, h, t);
}

/* ---- the first derivatives ---- */

/* A run that begins knows no derivatives of its forces, and beginning with zero would leave an
   error of second order for good. They are measured: forces are asked for one step ahead and one
   step back along the motion known so far, and differences taken; a second round knows the motion
   well enough for forces that depend on velocity. Memory of contacts does not move meanwhile. */
enum { ROUNDS = 2 };

/* Puts the world back, to where it was when `base` was copied. */
static void put_back(mrn_smooth *e, const mrn_state *base)
{
    mrn_bodies *b = &e->state->body;
    const mrn_bodies *o = &base->body;
    size_t n = (size_t)b->n * sizeof(double);
    memcpy(b->x, o->x, 3 * n);
    memcpy(b->v, o->v, 3 * n);
    memcpy(b->q, o->q, 4 * n);
    memcpy(b->w, o->w, 3 * n);
    memcpy(b->f, o->f, 3 * n);
    memcpy(b->t, o->t, 3 * n);
    memcpy(b->derivs, o->derivs, 12 * n);
    mrn_contacts *c = &e->state->contact;
    size_t slots = (size_t)c->n, width = (size_t)c->history_width;
    if (slots == 0)
        return;
    memcpy(c->flags, base->contact.flags, slots * sizeof *c->flags);
    if (width > 0)
        memcpy(c->history, base->contact.history, slots * width * sizeof *c->history);
}

static void evaluate(mrn_smooth *e)
{
    mrn_clusters_place(e, 0);
    mrn_forces_contacts(e, 0);
    mrn_forces_walls(e);
    mrn_bodies_kick(e, 0, NULL);
}

/* Forces a time h ahead (back when negative). */
static void look(mrn_smooth *e, const mrn_state *base, double h)
{
    mrn_bodies *b = &e->state->body;
    mrn_cell_flow flow = mrn_cell_flow_of(e->state);
    put_back(e, base);
    for (int32_t i = b->n_walls; i < b->n; i++)
        if (!(b->flags[i] & (MRN_BODY_FIXED | MRN_BODY_MEMBER)))
            mrn_gear_predict(e->scene, b, i, h, &flow);
    evaluate(e);
}

/* First and second rate of a vector known at -h, 0 and h. */
static void differences(const double *back, const double *now, const double *ahead, double h,
                        double scale, double *rate)
{
    for (int k = 0; k < 3; k++) {
        rate[k] = scale * (ahead[k] - back[k]) / (2 * h);
        rate[3 + k] = scale * (ahead[k] - 2 * now[k] + back[k]) / (h * h);
    }
}

static void one_round(mrn_smooth *e, mrn_state *base, double *back)
{
    mrn_bodies *b = &e->state->body;
    double h = e->state->h;
    size_t n = 3 * (size_t)b->n;
    look(e, base, -h);
    memcpy(back, b->f, n * sizeof *back);
    memcpy(back + n, b->t, n * sizeof *back);
    look(e, base, h);
    for (int32_t i = b->n_walls; i < b->n; i++) {
        size_t at = 3 * (size_t)i;
        double *d = base->body.derivs + 12 * (size_t)i;
        if (b->flags[i] & (MRN_BODY_FIXED | MRN_BODY_MEMBER))
            continue;
        differences(back + at, base->body.f + at, b->f + at, h, 1 / b->mass[i], d);
        differences(back + n + at, base->body.t + at, b->t + at, h, 1, d + 6);
    }
}

mrn_status mrn_gear_start(mrn_smooth *e, mrn_message *msg)
{
    mrn_state base = {0};
    double *back = NULL;
    if (!(e->state->h > 0))
        return MRN_OK;
    mrn_status st = mrn_state_copy(e->state, &base, msg);
    if (st == MRN_OK)
        st = mrn_array(&back, 6 * (int64_t)e->state->body.n, sizeof *back, msg);
    if (st == MRN_OK) {
        for (int k = 0; k < ROUNDS; k++)
            one_round(e, &base, back);
        put_back(e, &base);
        evaluate(e);
    }
    mrn_free(back);
    mrn_state_destroy(&base);
    return st;
}
