/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A collision in steps of one length, as the smooth engine makes them (smooth/bodies.c): velocity
   Verlet, velocities predicted to the end of the step before the law is asked. Any law goes. Many
   collisions under one law go side by side in one block; none sees the others. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "collide/encounter.h"
#include "detect/kinematics.h"
#include "laws/tangent.h"

/* Times the expected contact time after which a contact has not ended and will not. */
#define LONGEST_CONTACT 40

/* One collision under way. */
typedef struct lane {
    const mrn_encounter *e;
    mrn_outcome *out;
    mrn_vec3 q, v, w[2]; /* way, velocity, spins                          */
    mrn_vec3 a, turn[2]; /* accelerations of the last step                */
    double delta, rate;  /* of the last step                              */
    double scale;        /* and its arms over radii …                     */
    mrn_vec3 n;          /* … and normal                                  */
    double fn[2];        /* of the last two steps                         */
    bool parting;
} lane;

struct mrn_stepper {
    mrn_law_block block;
    lane lane[MRN_BLOCK];
    double scale[MRN_BLOCK]; /* arms over radii */
    mrn_vec3 n[MRN_BLOCK];
    int rows; /* of history */
    int64_t step;
    double h;
    const mrn_watcher *watch;
};

mrn_status mrn_stepper_create(mrn_stepper **out, mrn_message *msg)
{
    return mrn_array(out, 1, sizeof **out, msg);
}

void mrn_stepper_destroy(mrn_stepper **s)
{
    mrn_free(*s);
    *s = NULL;
}

/* ---- one step of one lane ---- */

static void begin(lane *l, const mrn_encounter *e, mrn_outcome *out)
{
    *l = (lane){.e = e, .out = out};
    l->v = mrn_v3(e->speed * e->sin, 0, -e->speed * e->cos);
    for (int k = 0; k < 2; k++)
        l->w[k] = mrn_load3(e->spin[k]);
    *out = (mrn_outcome){0};
}

static void drift(lane *l, double h)
{
    l->q = mrn_axpy(h, mrn_axpy(0.5 * h, l->a, l->v), l->q);
    l->v = mrn_axpy(h, l->a, l->v);
    for (int k = 0; k < 2; k++)
        l->w[k] = mrn_axpy(h, l->turn[k], l->w[k]);
}

/* Overlap and normal from the way since touch, without the loss of digits that a difference of
   radii and distance would have. */
static double overlap_of(const mrn_encounter *e, mrn_vec3 q, mrn_vec3 *n)
{
    mrn_vec3 d = {e->curve * q.x, e->curve * q.y, 1 + e->curve * q.z};
    double length = mrn_norm(d);
    *n = mrn_scale(1 / length, d);
    return -(2 * q.z + e->curve * mrn_dot(q, q)) / (1 + length);
}

/* Velocity of C's point at the contact less that of A's, for velocities or changes of them. */
static mrn_vec3 at_contact(const mrn_encounter *e, double scale, mrn_vec3 n, mrn_vec3 v,
                           const mrn_vec3 *w)
{
    mrn_vec3 both = mrn_axpy(e->radius[0], w[0], mrn_scale(e->radius[1], w[1]));
    return mrn_sphere_velocity(scale, n, v, both);
}

/* How the contact went through the step, for springs without a dashpot (smooth/forces.c). */
static void half_way(mrn_stepper *s, int k)
{
    mrn_law_block *b = &s->block;
    const lane *l = &s->lane[k];
    double h = s->h, last = s->step > 0 ? l->scale : s->scale[k];
    mrn_vec3 n = s->n[k], m = s->step > 0 ? mrn_passage_middle(l->n, n) : n;
    mrn_vec3 v = mrn_axpy(-0.5 * h, l->a, l->v), w[2];
    for (int i = 0; i < 2; i++)
        w[i] = mrn_axpy(-0.5 * h, l->turn[i], l->w[i]);
    b->pivot[k] = 0.5 * mrn_dot(mrn_add(w[0], w[1]), m);
    mrn_vec3 u = at_contact(l->e, 0.5 * (last + s->scale[k]), m, v, w);
    u = mrn_passage_velocity(m, n, h * b->pivot[k], u);
    b->px[k] = m.x, b->py[k] = m.y, b->pz[k] = m.z;
    b->vx[k] = u.x, b->vy[k] = u.y, b->vz[k] = u.z;
    b->ax[k] = w[0].x - w[1].x, b->ay[k] = w[0].y - w[1].y, b->az[k] = w[0].z - w[1].z;
}

/* Puts lane k into the block. */
static void kinematics(mrn_stepper *s, int k, double delta)
{
    mrn_law_block *b = &s->block;
    const lane *l = &s->lane[k];
    const mrn_encounter *e = l->e;
    mrn_vec3 n = s->n[k];
    double scale = s->scale[k] = 1 - e->shrink * delta;
    mrn_vec3 u = at_contact(e, scale, n, l->v, l->w);
    double un = mrn_dot(u, n);
    mrn_vec3 ut = mrn_axpy(-un, n, u), w = mrn_sub(l->w[0], l->w[1]);
    b->delta[k] = delta, b->rate[k] = -un;
    b->gap[k] = -delta, b->closing[k] = -un;
    if (e->law->range && delta <= 0)
        b->delta[k] = b->rate[k] = 0;
    b->nx[k] = n.x, b->ny[k] = n.y, b->nz[k] = n.z;
    b->ux[k] = ut.x, b->uy[k] = ut.y, b->uz[k] = ut.z;
    b->wx[k] = w.x, b->wy[k] = w.y, b->wz[k] = w.z;
    b->spin[k] = 0.5 * mrn_dot(mrn_add(l->w[0], l->w[1]), n);
    b->r_eff[k] = e->r_eff, b->m_eff[k] = e->m_eff;
    b->fresh[k] = s->step == 0 ? 1 : 0;
    if (b->mean)
        half_way(s, k);
}

/* Velocities by half the change of acceleration, as a force and its moment make it. */
static void kick(lane *l, double scale, mrn_vec3 n, mrn_vec3 f, mrn_vec3 moment, double h)
{
    const mrn_encounter *e = l->e;
    mrn_vec3 a = mrn_scale(1 / e->m_eff, f), lever = mrn_sphere_lever(scale, n, f);
    l->v = mrn_axpy(0.5 * h, mrn_sub(a, l->a), l->v);
    l->a = a;
    for (int k = 0; k < 2; k++) {
        mrn_vec3 t = mrn_axpy(-e->radius[k], lever, mrn_scale(k == 0 ? 1 : -1, moment));
        t = mrn_scale(e->inverse_inertia[k], t);
        l->w[k] = mrn_axpy(0.5 * h, mrn_sub(t, l->turn[k]), l->w[k]);
        l->turn[k] = t;
    }
}

/* ---- what is stated of it ---- */

/* Part of a step at which a cubic with these ends and slopes (times the step) crosses zero; the
   ends have different signs. */
static double crossing(double a, double b, double da, double db)
{
    double lo = 0, hi = 1;
    for (int i = 0; i < 60; i++) {
        double t = 0.5 * (lo + hi), s = 1 - t;
        double y = s * s * ((1 + 2 * t) * a + t * da) + t * t * ((3 - 2 * t) * b - s * db);
        if ((y > 0) == (a > 0))
            lo = t;
        else
            hi = t;
    }
    return 0.5 * (lo + hi);
}

static double cubic(double a, double b, double da, double db, double t)
{
    double s = 1 - t;
    return s * s * ((1 + 2 * t) * a + t * da) + t * t * ((3 - 2 * t) * b - s * db);
}

/* Largest overlap: where the rate changes sign, by a cubic. */
static void note_overlap(lane *l, double delta, double rate, double h)
{
    double top = fmax(l->delta, delta);
    if (l->rate > 0 && rate <= 0) {
        double a = h * l->rate, b = h * rate, lo = 0, hi = 1;
        for (int i = 0; i < 60; i++) { /* slope of the cubic */
            double t = 0.5 * (lo + hi), up = delta - l->delta;
            double slope = a * (1 - t) * (1 - 3 * t) + 6 * up * t * (1 - t) + b * t * (3 * t - 2);
            if (slope > 0)
                lo = t;
            else
                hi = t;
        }
        top = cubic(l->delta, delta, a, b, lo);
    }
    l->out->overlap = fmax(l->out->overlap, top);
}

/* Largest force: the top of the parabola through three steps. */
static void note_force(lane *l, double fn)
{
    double a = l->fn[0], b = l->fn[1], bend = a - 2 * b + fn, tilt = 0.5 * (fn - a);
    double top = b >= a && b > fn && bend < 0 ? b - 0.5 * tilt * tilt / bend : fmax(b, fn);
    l->out->force = fmax(l->out->force, top);
}

static void show(const mrn_stepper *s, int k, double delta, double stored)
{
    const mrn_law_block *b = &s->block;
    const lane *l = &s->lane[k];
    mrn_vec3 u = at_contact(l->e, s->scale[k], s->n[k], l->v, l->w);
    mrn_collision_row row = {
        .time = (double)s->step * s->h, .overlap = delta, .rate = -mrn_dot(u, s->n[k])};
    row.fn = b->fn[k];
    row.ft[0] = b->tx[k], row.ft[1] = b->ty[k];
    mrn_store3(row.velocity, l->v);
    mrn_store3(row.spin, l->w[0]);
    row.slip[0] = u.x, row.slip[1] = u.y;
    double v0[3] = {l->e->speed * l->e->sin, 0, -l->e->speed * l->e->cos}, w[2][3];
    for (int i = 0; i < 2; i++)
        mrn_store3(w[i], l->w[i]);
    row.stored = stored;
    row.lost = mrn_encounter_energy(l->e, v0, l->e->spin) -
               mrn_encounter_energy(l->e, row.velocity, w) - stored;
    s->watch->see(s->watch->user, &row);
}

/* ---- the end ---- */

static void finish(mrn_stepper *s, int k, double time, bool stuck)
{
    lane *l = &s->lane[k];
    mrn_outcome *o = l->out;
    mrn_store3(o->q, mrn_axpy(time - (double)s->step * s->h, l->v, l->q)); /* when they part */
    mrn_store3(o->v, l->v);
    for (int i = 0; i < 2; i++)
        mrn_store3(o->w[i], l->w[i]);
    o->time = time;
    o->steps = s->step;
    o->stuck = stuck;
}

/* The last lane takes the place of one that is done. */
static void move_lane(mrn_stepper *s, int from, int to)
{
    s->lane[to] = s->lane[from];
    for (int r = 0; r < s->rows; r++)
        s->block.history[r][to] = s->block.history[r][from];
}

static bool pulls(const mrn_encounter *e)
{
    return e->law->part[MRN_LAW_COHESION] != NULL;
}

/* Out of touch and of reach after a drift: no force acts any more. */
static bool parts(mrn_stepper *s, int k, double delta)
{
    lane *l = &s->lane[k];
    double reach = -l->e->range;
    if (s->step == 0 || delta > reach)
        return false;
    kick(l, 1, s->n[k], mrn_v3(0, 0, 0), mrn_v3(0, 0, 0), s->h);
    double rate = -mrn_dot(l->v, s->n[k]), h = s->h;
    double t = crossing(l->delta - reach, delta - reach, h * l->rate, h * rate);
    note_force(l, 0);
    finish(s, k, h * ((double)(s->step - 1) + t), false);
    return true;
}

/* After the law has answered: the force is back at zero for good (what never pulls and has let go
   does not press again), the ball has turned back within the reach of a pull (the energy it lacks
   to part is given back by nothing), or it takes too long. */
static bool ends(mrn_stepper *s, int k)
{
    const mrn_law_block *b = &s->block;
    lane *l = &s->lane[k];
    double h = s->h, time = (double)s->step * h, rate = b->closing[k];
    bool free = b->fn[k] == 0 && rate < 0 && !pulls(l->e) && s->step > 0;
    if (free) {
        double fall = l->fn[0] - l->fn[1], part = fall > 0 ? l->fn[1] / fall : 1;
        finish(s, k, time - h + h * fmin(part, 1), false);
        return true;
    }
    bool back = l->parting && rate > 0;
    l->parting = l->parting || rate < 0;
    if (!back && time < LONGEST_CONTACT * l->e->time && isfinite(rate))
        return false;
    finish(s, k, time, true);
    return true;
}

/* ---- all of them ---- */

/* Moves all lanes on and fills the block; those that part leave. */
static int advance(mrn_stepper *s, int n)
{
    for (int k = 0; k < n;) {
        if (s->step > 0)
            drift(&s->lane[k], s->h);
        double delta = overlap_of(s->lane[k].e, s->lane[k].q, &s->n[k]);
        if (parts(s, k, delta)) {
            move_lane(s, --n, k);
            continue;
        }
        kinematics(s, k, delta);
        k++;
    }
    return n;
}

static int answer(mrn_stepper *s, int n)
{
    const mrn_law_block *b = &s->block;
    const mrn_prepared *law = s->lane[0].e->law;
    for (int k = n - 1; k >= 0; k--) {
        lane *l = &s->lane[k];
        mrn_vec3 f = mrn_axpy(b->fn[k], s->n[k], mrn_v3(b->tx[k], b->ty[k], b->tz[k]));
        mrn_vec3 m = law->moments ? mrn_v3(b->mx[k], b->my[k], b->mz[k]) : mrn_v3(0, 0, 0);
        kick(l, s->scale[k], s->n[k], f, m, s->h);
        double delta = -b->gap[k];
        note_overlap(l, delta, b->closing[k], s->h);
        note_force(l, b->fn[k]);
        if (s->watch != NULL)
            show(s, k, delta, b->energy_n[k] + b->energy_t[k]);
        bool done = ends(s, k);
        l->delta = delta, l->rate = b->closing[k];
        l->scale = s->scale[k], l->n = s->n[k];
        l->fn[0] = l->fn[1], l->fn[1] = b->fn[k];
        if (done)
            move_lane(s, --n, k);
    }
    return n;
}

void mrn_stepper_run(mrn_stepper *s, const mrn_encounter *const *e, int n, double h,
                     mrn_outcome *const *out, const mrn_watcher *watch)
{
    const mrn_prepared *law = e[0]->law;
    s->rows = law->history;
    s->h = s->block.h = h;
    s->block.mean = law->undamped;
    s->watch = watch;
    for (int r = 0; r < s->rows; r++)
        memset(s->block.history[r], 0, sizeof s->block.history[r]);
    for (int k = 0; k < n; k++)
        begin(&s->lane[k], e[k], out[k]);
    for (s->step = 0; n > 0; s->step++) {
        n = advance(s, n);
        s->block.n = n;
        if (n > 0)
            mrn_law_evaluate(law, &s->block);
        n = answer(s, n);
    }
}
