/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A collision in a plane (no spin but about y, as nearly all experiments are), to any accuracy, as
   the limit of small steps of what the engines do: a Runge-Kutta scheme of fifth order (Dormand &
   Prince 1980) with a step of its own for every collision. Laws are asked with a time step of zero:
   they answer with the force of a state and change no memory. What they keep of the tangential way,
   a spring, is integrated here, in two modes that are left at the moment they end:

   - stick: the spring grows with the tangential velocity;
   - slip: the spring is where the limit holds it, k s + g ds/dt = L. It may relax (in g/k) far
     faster than the collision goes, so it is solved implicitly (Lobatto IIIC), after the step, for
     while it slips no force depends on it: the law is asked with a spring beyond any limit.

   Stiffness k and dashpot g come from the law; the limit L is the force it answers in slip. Laws
   that cut the spring itself at a length (micro-slip) have k = 1, g = 0 and L that length.

   Collisions go side by side, each as if alone: where one ends, the next takes its place. They may
   have laws of different parameters where the law can be asked lane by lane (laws/lanes.h),
   else all have one and go through a block of it. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/dispatch.h"
#include "collide/collision_flow.h"

#define LONGEST_CONTACT 40 /* expected contact times until a contact has not ended and will not */
#define ROUNDS          20000 /* steps of one collision, at most */
#define TRIES           6   /* of one collision, each with a lower tolerance                     */
#define DOUBT           0.3 /* what an error of the spring in slip is worth */
/* Of the estimates, which are those of the fourth order where the fifth goes on, so much is
   counted; more for laws with kinks that are not landed on, where both are wrong alike. */
#define SHARE       0.3
#define KINKS       12
#define GROWTH      8     /* of one step over the last, at most                                */
#define LEAST       1e-12 /* shortest step over the expected contact time                      */
#define LOOKS       20    /* for a moment within a step, at most                               */
#define MISS        0.05  /* of the accuracy, what the extrapolated end may be wrong */
#define EMPTY_LANES 8     /* places that stay empty until the next collisions begin together   */

typedef mrn_lane_row row;

mrn_status mrn_collision_path_create(mrn_collision_path **out, bool block, mrn_message *msg)
{
    mrn_status s = mrn_array(out, 1, sizeof **out, msg);
    if (s == MRN_OK && block)
        s = mrn_array(&(*out)->block, 1, sizeof *(*out)->block, msg);
    for (int i = 0; s == MRN_OK && block && i < MRN_BLOCK; i++)
        (*out)->block->nz[i] = 1;
    return s;
}

void mrn_collision_path_destroy(mrn_collision_path **f)
{
    if (*f != NULL)
        mrn_free((*f)->block);
    mrn_free(*f);
    *f = NULL;
}

/* ---- the step (Dormand & Prince) ---- */

static const double a[MRN_STAGES][MRN_STAGES] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
/* Fifth less fourth order. */
static const double e[MRN_STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                     -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
/* The state half way, of fourth order: Hairer, Norsett & Wanner's continuous extension at 1/2. */
static const double half[MRN_STAGES] = {-12715105075.0 / 11282082432,  0,
                                        87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                        701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                        69997945.0 / 29380423};

/* sum w_j k_j over the first `count` stages, of part p of lane i; the second stage has no weight
   beyond the fifth. */
MRN_FORMULA double sum_stages(row (*k)[PARTS], const double *w, int count, int p, int i)
{
    double sum = w[0] * k[0][p][i];
    sum = count > 1 && count < 6 ? sum + w[1] * k[1][p][i] : sum;
    sum = count > 2 ? sum + w[2] * k[2][p][i] : sum;
    sum = count > 3 ? sum + w[3] * k[3][p][i] : sum;
    sum = count > 4 ? sum + w[4] * k[4][p][i] : sum;
    sum = count > 5 ? sum + w[5] * k[5][p][i] : sum;
    return count > 6 ? sum + w[6] * k[6][p][i] : sum;
}

/* to = from + h sum w_j k_j. One pass. */
MRN_FORMULA void combine_of(mrn_collision_path *f, row *from, const double *w, int count, row *to)
{
    int n = f->wide;
    const double *restrict h = f->h;
    double at[MRN_STAGES];
    memcpy(at, w, sizeof at);
#pragma omp simd
    for (int i = 0; i < n; i++) {
        to[QX][i] = from[QX][i] + h[i] * sum_stages(f->k, at, count, QX, i);
        to[QZ][i] = from[QZ][i] + h[i] * sum_stages(f->k, at, count, QZ, i);
        to[VX][i] = from[VX][i] + h[i] * sum_stages(f->k, at, count, VX, i);
        to[VZ][i] = from[VZ][i] + h[i] * sum_stages(f->k, at, count, VZ, i);
        to[SW][i] = from[SW][i] + h[i] * sum_stages(f->k, at, count, SW, i);
        to[SP][i] = from[SP][i] + h[i] * sum_stages(f->k, at, count, SP, i);
    }
}

MRN_DISPATCHED static void combine(mrn_collision_path *f, row *from, const double *w, int count,
                                   row *to)
{
    switch (count) {
    case 1:
        combine_of(f, from, w, 1, to);
        break;
    case 2:
        combine_of(f, from, w, 2, to);
        break;
    case 3:
        combine_of(f, from, w, 3, to);
        break;
    case 4:
        combine_of(f, from, w, 4, to);
        break;
    case 5:
        combine_of(f, from, w, 5, to);
        break;
    case 6:
        combine_of(f, from, w, 6, to);
        break;
    default:
        combine_of(f, from, w, MRN_STAGES, to);
        break;
    }
}

/* The state half way through the step, into `to`. */
MRN_DISPATCHED static void half_way(mrn_collision_path *f, row *end, row *to)
{
    int n = f->wide;
    combine(f, f->zero, half, MRN_STAGES, to);
    for (int p = 0; p < PARTS; p++)
#pragma omp simd
        for (int i = 0; i < n; i++) {
            double r2 = end[p][i] - f->y[p][i], r3 = f->h[i] * f->k[0][p][i] - r2;
            double r4 = r2 - f->h[i] * f->k[6][p][i] - r3;
            to[p][i] = f->y[p][i] + 0.5 * (r2 + 0.5 * (r3 + 0.5 * (r4 + 0.5 * to[p][i])));
        }
}

/* ---- slip ---- */

/* One lane of it. */
typedef struct spring_state {
    double k, g, l;
} spring_state;
MRN_FORMULA spring_state spring_at(const mrn_spring_states *h, int i)
{
    return (spring_state){h->k[i], h->g[i], h->l[i]};
}
/* Above 0: something holds. */
MRN_FORMULA double spring_force(spring_state x)
{
    return x.k > x.g ? x.k : x.g;
}

typedef struct relaxed {
    double s, rate;
    double doubt; /* what the method with two stages says otherwise */
} relaxed;

/* Spring in slip at the end of a step from its begin, half and end: Lobatto IIIC with three stages,
   by elimination; the diagonal leads, nothing is exchanged. */
MRN_FORMULA relaxed relax(spring_state o, spring_state m, spring_state x, double s, double h)
{
    double ok = h * o.k, mk = h * m.k, xk = h * x.k;
    double l0 = o.l - o.k * s, l1 = m.l - m.k * s, l2 = x.l - x.k * s;
    double c00 = ok * (1.0 / 6) + o.g, c01 = ok * (-1.0 / 3), c02 = ok * (1.0 / 6), c03 = l0;
    double c10 = mk * (1.0 / 6), c11 = mk * (5.0 / 12) + m.g, c12 = mk * (-1.0 / 12), c13 = l1;
    double c20 = xk * (1.0 / 6), c21 = xk * (2.0 / 3), c22 = xk * (1.0 / 6) + x.g, c23 = l2;
    double q1 = c10 / c00, q2 = c20 / c00;
    c11 -= q1 * c01, c12 -= q1 * c02, c13 -= q1 * c03;
    c21 -= q2 * c01, c22 -= q2 * c02, c23 -= q2 * c03;
    double q3 = c21 / c11;
    c22 -= q3 * c12, c23 -= q3 * c13;
    double r3 = c23 / c22, r2 = (c13 - c12 * r3) / c11, r1 = (c03 - c01 * r2 - c02 * r3) / c00;
    double p = 0.5 * h * o.k + o.g, q = -0.5 * h * o.k, u = 0.5 * h * x.k, d = u + x.g;
    double low = s + 0.5 * h * ((l0 * d - q * l2) + (p * l2 - u * l0)) / (p * d - q * u);
    double end = s + h * (r1 + 4 * r2 + r3) / 6;
    double first = l2 / (x.g + xk); /* at touch nothing holds yet */
    double before = spring_force(o), middle = spring_force(m),
           least = before < middle ? before : middle;
    return (relaxed){least > 0 ? end : s + h * first, least > 0 ? r3 : first,
                     least > 0 ? fabs(end - low) : 0};
}

/* ---- length of the next step ---- */

/* Arc tangent of x >= 0 to 0.005, exact for small ones. */
MRN_FORMULA double angle_of(double x)
{
    return x < 1 ? x / (1 + 0.28 * x * x) : 0.5 * MRN_PI - x / (x * x + 0.28);
}

/* Time until the overlap is gone, seen as a quarter of a swing about it while the force pushes. */
static double to_part(const mrn_collision_path_lane *l)
{
    double left = l->delta + l->e->range, t = left / -l->rate;
    double w = l->decel > 0 ? sqrt(l->decel / left) : 0;
    return w * t > 1e-2 ? angle_of(w * t) / w : t + 0.5 * l->decel / l->rate * t * t;
}

/* Time until the force is gone, where the law lets go before the overlap is; else INFINITY. */
static double to_let_go(const mrn_collision_path_lane *l)
{
    bool can = !l->of.tension && !l->of.pulls && (l->damped || l->of.memory);
    if (!can || !(l->slope < 0))
        return INFINITY;
    double disc = l->slope * l->slope - 2 * l->bend * l->fn[2];
    return 2 * l->fn[2] / (-l->slope + sqrt(disc > 0 ? disc : l->slope * l->slope));
}

/* Time to the end of contact as it looks now; INFINITY: not in sight. */
static double to_end(const mrn_collision_path_lane *l)
{
    return l->go < l->part ? l->go : l->part;
}

/* How long the contact lasts: what times are compared with. */
static double lasts(const mrn_collision_path_lane *l)
{
    double end = l->at[2] + to_end(l);
    return end < l->e->time ? end : l->e->time;
}

/* The end as it looks now beside what it looked like before the last step: what was wrong in it
   has shrunk as the way to it has. */
static void note_end(mrn_collision_path_lane *l, double h)
{
    double dt = to_end(l), end = l->at[2] + dt;
    l->miss = l->rate < 0 ? fabs(end - l->end) * dt / (dt + h) : INFINITY;
    l->end = end;
}

/* What may be wrong in the rest of the friction, which is taken as if it fell with the normal
   force. That of a spring that sticks does not, until it slips on the way. */
static double friction_doubt(const mrn_collision_path *f, int i)
{
    const mrn_collision_path_lane *l = &f->lane[i];
    return f->slip[i] > 0 ? 0 : 0.5 * fabs(l->tx) * to_end(l) * f->inv_m[i] * f->per_along[i];
}

/* The end is so near that what is left of the contact can be given in closed form: the force lets
   go long before the overlap is gone, or there is hardly any overlap. */
static bool at_end(const mrn_collision_path *f, int i)
{
    const mrn_collision_path_lane *l = &f->lane[i];
    double part = l->part, go = l->go;
    if (!(l->rate < 0))
        return false;
    double whole = lasts(l), tail = l->of.pulls || l->of.tension ? 0.03 * l->tail : l->tail;
    bool near = part <= (isinf(go) ? tail : 0.3 * l->accuracy) * whole;
    if (go < part)
        near = go <= 0.1 * part && go * go <= 0.2 * l->accuracy * whole * part &&
               l->miss <= MISS * l->accuracy * whole;
    return near && friction_doubt(f, i) <= MISS * l->accuracy;
}

static double next_step(const mrn_collision_path_lane *l)
{
    double h = l->want, whole = l->e->time;
    if (l->rate > 0 && l->decel > 0 && l->delta > 0) { /* land on the largest overlap */
        double w = sqrt(l->decel / l->delta), t = angle_of(w * l->rate / l->decel) / w;
        double least = l->of.growing > 0 || l->of.memory ? l->near : 2e-3; /* a kink there, or none
                                                                            */
        if (t > least * whole && t < 1.5 * h)
            h = fmin(h, t);
    }
    double end = to_end(l);
    if (0.97 * end < h)
        h = 0.97 * end;
    if (l->ahead > 0 && l->ahead < h)
        h = l->ahead;
    return fmax(h, LEAST * whole);
}

/* ---- begin ---- */

/* Whether a collision slips from the first moment, and to which side: asked a moment later, as
   things stand then without any force. */
static double first_side(mrn_collision_path *f, const mrn_encounter *x, double ut)
{
    const mrn_law *t = x->law->part[MRN_LAW_TANGENTIAL];
    const double *c = x->law->coef[MRN_LAW_TANGENTIAL];
    double time = 1e-6 * x->time, v = x->speed * x->cos, delta = time * v;
    double s = ut * time * (f->of.growing > 0 ? 2.0 / 3 : 1);
    if (!f->of.spring || ut == 0)
        return 0;
    mrn_reply now =
        mrn_collision_path_ask(f, &(mrn_question){x->r_eff, x->m_eff, delta, v, s, sqrt(delta)});
    bool slips = fabs(s) > f->of.reach * delta;
    if (!f->of.cut) {
        double k = t->stiffness(c, x->r_eff, x->m_eff, delta, now.k_n);
        double g = t->damping(c, x->r_eff, x->m_eff, delta, now.gamma_n);
        slips = fabs(k * s + g * ut) > f->of.mu * now.press;
    }
    return slips ? (ut > 0 ? 1 : -1) : 0;
}

/* Dashpot over stiffness of the tangential law. */
static double lag_of(const mrn_encounter *x)
{
    const mrn_law *t = x->law->part[MRN_LAW_TANGENTIAL];
    const double *c = x->law->coef[MRN_LAW_TANGENTIAL];
    double delta = 1e-6 * x->r_eff;
    double k = t->stiffness != NULL ? t->stiffness(c, x->r_eff, x->m_eff, delta, 0) : 0;
    double g = t->damping != NULL ? t->damping(c, x->r_eff, x->m_eff, delta, 0) : 0;
    return k > 0 ? g / k : 0;
}

/* What is kept of lane i beside its rows. */
static void start_lane(mrn_collision_path *f, int i, const mrn_collision_path_task *t)
{
    const mrn_encounter *x = t->e;
    mrn_collision_path_lane *l = &f->lane[i];
    *l = (mrn_collision_path_lane){.task = *t,
                                   .e = x,
                                   .of = f->of,
                                   .tol = t->tol,
                                   .rate = x->speed * x->cos,
                                   .slowest = INFINITY,
                                   .ahead = INFINITY,
                                   .part = INFINITY,
                                   .go = INFINITY,
                                   .end = INFINITY,
                                   .edge = NAN};
    l->tol *= f->of.cut ? 0.6 : 1; /* their kinks take more steps, whose errors add up */
    l->accuracy = f->accuracy;
    l->tail = f->tail;
    l->near = (f->of.cut ? 0.01 : 0.1) * f->near; /* what is cut rises as a root after it */
    l->lag = f->of.cut ? lag_of(x) : 0;
    l->want = (f->of.even ? 0.02 : f->begin) * x->time;
}

static void start_rows(mrn_collision_path *f, int i, const mrn_encounter *x)
{
    const mrn_traits *of = &f->of;
    double v = x->speed * x->cos, along = x->speed * x->sin;
    double spin = x->radius[0] * x->spin[0][1] + x->radius[1] * x->spin[1][1];
    f->curve[i] = x->curve, f->shrink[i] = x->shrink, f->inv_m[i] = 1 / x->m_eff;
    f->inverse_inertia[i] = x->radius[0] * x->radius[0] * x->inverse_inertia[0] +
                            x->radius[1] * x->radius[1] * x->inverse_inertia[1];
    f->per_time[i] = 1 / x->time;
    f->per_vn[i] = 1 / v;
    f->per_along[i] = 1 / (x->speed * fmax(x->sin, 1e-2));
    f->per_speed[i] = 1 / x->speed;
    f->y[QX][i] = f->y[QZ][i] = f->y[SP][i] = 0;
    f->y[VX][i] = along, f->y[VZ][i] = -v, f->y[SW][i] = spin;
    f->growing[i] = f->root[i] = of->growing, f->falling[i] = of->falling;
    f->any[i] = of->spring ? 1 : 0;
    f->reach[i] = of->reach, f->mu[i] = of->mu;
    f->s[i] = f->bias[i] = 0;
    f->speed[i] = x->speed;
    f->side[i] = first_side(f, x, along - spin);
    f->slip[i] = f->side[i] != 0 ? 1 : 0;
    f->tol[i] = f->lane[i].tol;
    f->kinks[i] = of->pulls || (of->cut && along != spin) ? KINKS : 1; /* none head-on */
    f->slip_kinks[i] = of->pulls ? KINKS : 1;
    f->edge[i] = -1, f->doubt[i] = 0;
    f->wrong_rate[i] = f->wrong_delta[i] = 0;
    f->h[i] = f->go[i] = 0;
    for (int r = 0; r < mrn_collision_path_memory(f); r++)
        f->memory[r][i] = 0;
}

static int whole_vectors(int n)
{
    return (n + MRN_WIDE - 1) / MRN_WIDE * MRN_WIDE;
}

/* ---- what a step came to ---- */

MRN_FORMULA double larger(double x, double y)
{
    return x > y ? x : y;
}

/* x^(3/16) and x^(13/8): near enough to the powers 1/5 and 5/3 that steps of fifth order want. */
MRN_FORMULA double root_five(double x)
{
    double r = sqrt(sqrt(sqrt(x)));
    return r * sqrt(r);
}
MRN_FORMULA double five_thirds(double x)
{
    double r = sqrt(x);
    return x * r * sqrt(sqrt(r));
}

/* Errors of the step over the scales of what is asked for; what is wrong in place or spring now is
   wrong in velocity after the rest of the contact, at about 4 per contact time. */
MRN_DISPATCHED static void weigh_errors(mrn_collision_path *f)
{
    int n = f->wide;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double d = f->end_delta[i], root = sqrt(d > 0 ? d : 1), place = 4 * f->per_time[i];
        double one = f->root[i] > 0 ? root : 1, spring = fabs(f->err[SP][i]) / one;
        double vn = f->per_vn[i], along = f->per_along[i], speed = f->per_speed[i];
        double most = larger(fabs(f->err[VZ][i]) * vn, fabs(f->err[VX][i]) * along);
        most = larger(most, fabs(f->err[SW][i]) * speed);
        most = larger(most, place * fabs(f->err[QZ][i]) * vn);
        most = larger(most, place * fabs(f->err[QX][i]) * speed);
        most = larger(most, place * spring * along);
        double kinks = f->slip[i] > 0 ? f->slip_kinks[i] : f->kinks[i];
        double norm = kinks * most;
        f->norm[i] = norm;
        f->factor[i] = 0.9 * root_five(f->tol[i] / larger(norm, 1e-6 * f->tol[i]));
    }
}

/* Where the mode ends this passes zero: stick, the trial force over the limit less 1; slip, how
   much faster the spring is than the surface. With it the spring in slip at the end, and its doubt.
   What is held at a distance has nothing to slip on. */
MRN_FORMULA void find_edges_of(mrn_collision_path *f, int n, bool cut)
{
#pragma omp simd
    for (int i = 0; i < n; i++) {
        spring_state x = spring_at(&f->end, i);
        relaxed r = {x.l, 0, 0};
        if (!cut)
            r = relax(spring_at(&f->spring_state, i), spring_at(&f->mid, i), x, f->s[i], f->h[i]);
        double ut = f->end_ut[i], d = f->end_delta[i], rate = f->end_rate[i];
        double with = rate > 0 ? f->growing[i] : f->falling[i];
        double load = d > 0 ? with * 0.5 * rate / d * r.s : 0; /* what the load takes from it */
        double ahead = cut ? f->reach[i] * rate : r.rate + load;
        double slip = (ahead - f->side[i] * ut) / f->speed[i];
        double root = f->root[i] > 0 && d > 0 ? 1 / sqrt(d) : 1, s = f->at[SP][i] * root;
        double trial = cut ? s : f->end.raw[i] * s + x.g * ut, none = trial == 0 ? -1 : NAN;
        double stick = x.l > 0 ? fabs(trial) / x.l - 1 - f->bias[i] : none;
        double held = spring_force(x), slips = f->slip[i];
        double in_slip = held > 0 ? r.s : f->s[i], doubt = held > 0 ? r.doubt : 0;
        double edge = slips > 0 ? (held > 0 ? slip : -1) : stick;
        f->s_end[i] = slips > 0 ? in_slip : s;
        f->doubt[i] = slips > 0 ? doubt : 0;
        f->edge[i] = f->any[i] > 0 ? edge : -1;
    }
}

MRN_DISPATCHED static void find_edges(mrn_collision_path *f)
{
    if (f->of.cut)
        find_edges_of(f, f->wide, true);
    else
        find_edges_of(f, f->wide, false);
}

/* Force of the spring s at the end of the step, as if there were no limit. */
static double trial_of(const mrn_collision_path *f, int i, double s)
{
    return f->of.cut ? s : f->end.raw[i] * s + f->end.g[i] * f->lane[i].ut;
}

static void to_slip(mrn_collision_path *f, int i, double s)
{
    f->slip[i] = 1;
    f->side[i] = trial_of(f, i, s) > 0 ? 1 : -1;
    f->s[i] = f->of.cut ? f->end.l[i] : s * f->side[i];
    f->lane[i].edge = NAN;
    f->k[0][SP][i] = 0;
}

static void spring_again(mrn_collision_path *f, int i)
{
    const mrn_collision_path_lane *l = &f->lane[i];
    double root = sqrt(l->delta > 0 ? l->delta : 0);
    f->k[0][SP][i] = mrn_spring_rate(f->y[SP][i], l->ut, root, root > 0 ? 1 / root : 0, l->rate,
                                     f->root[i], l->of.growing, l->of.falling);
}

static void to_stick(mrn_collision_path *f, int i)
{
    mrn_collision_path_lane *l = &f->lane[i];
    double s = f->s[i] * f->side[i], trial = trial_of(f, i, s), limit = f->end.l[i];
    f->slip[i] = 0;
    f->y[SP][i] = f->root[i] > 0 ? s * sqrt(l->delta > 0 ? l->delta : 0) : s;
    f->bias[i] = fmax(limit > 0 ? fabs(trial) / limit - 1 : 0, 0);
    l->edge = 0;
    l->error += l->doubt;
    l->doubt = 0;
    spring_again(f, i);
}

/* Largest overlap and force so far. */
static void note(mrn_collision_path_lane *l)
{
    mrn_outcome *o = &l->out;
    if (fabs(l->rate) < l->slowest && l->decel > 0) { /* nearest to the top: of fourth order */
        l->slowest = fabs(l->rate);
        o->overlap = l->delta + 0.5 * l->rate * l->rate / l->decel;
    }
    double x = l->at[0] - l->at[1], z = l->at[2] - l->at[1], p = l->fn[0] - l->fn[1],
           q = l->fn[2] - l->fn[1];
    double force = l->fn[2];
    if (l->at[1] > 0 && p <= 0 && q <= 0 && x < 0 && z > 0) { /* parabola through three */
        double bend = (p / x - q / z) / (x - z), tilt = p / x - bend * x;
        force = bend < 0 ? l->fn[1] - 0.25 * tilt * tilt / bend : l->fn[1];
    }
    o->force = fmax(o->force, force);
}

/* Slopes of the force now, of the parabola through the last three steps; while there are not three,
   from within the step. */
static void note_slopes(mrn_collision_path_lane *l, double within)
{
    double a1 = l->at[1] - l->at[0], a2 = l->at[2] - l->at[1];
    double d1 = (l->fn[1] - l->fn[0]) / a1, d2 = (l->fn[2] - l->fn[1]) / a2;
    bool three = l->at[0] > 0;
    l->bend = three ? 2 * (d2 - d1) / (a1 + a2) : 0;
    l->slope = three ? d2 + 0.5 * l->bend * a2 : within;
}

/* What is wrong in rate and overlap, with the step's own. A dashpot forgets what is wrong in the
   rate (in m/g), which has changed the overlap by then; the end of a contact asks for both apart.
 */
MRN_DISPATCHED static void carry_errors(mrn_collision_path *f)
{
    int n = f->wide;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double h = f->h[i], z = h * f->end_gamma[i] * f->inv_m[i];
        double lean = fabs(f->curve[i] * f->at[QX][i]), kinks = f->slip_kinks[i];
        double rate = fabs(f->err[VZ][i]) + lean * fabs(f->err[VX][i]);
        double delta = fabs(f->err[QZ][i]) + lean * fabs(f->err[QX][i]);
        double before = f->wrong_rate[i], fades = before / (1 + z), left = fades + kinks * rate;
        double moved = f->wrong_delta[i] + h * fades + kinks * delta;
        f->wrong_rate[i] = f->go[i] > 0 ? left : before;
        f->wrong_delta[i] = f->go[i] > 0 ? moved : f->wrong_delta[i];
    }
}

/* State, rates and memory of all lanes that take their step. */
MRN_DISPATCHED static void commit(mrn_collision_path *f)
{
    int n = f->wide, memory = mrn_collision_path_memory(f);
    for (int p = 0; p < PARTS; p++) {
        double *restrict y = f->y[p], *restrict k = f->k[0][p], *restrict go = f->go;
        double *restrict to = f->at[p], *restrict end = f->k[6][p];
#pragma omp simd
        for (int i = 0; i < n; i++) {
            y[i] = go[i] > 0 ? to[i] : y[i];
            k[i] = go[i] > 0 ? end[i] : k[i];
        }
    }
    row *const last[] = {&f->spring_state.k, &f->spring_state.g, &f->spring_state.l};
    row *const next[] = {&f->end.k, &f->end.g, &f->end.l};
    for (int k = 0; k < 3; k++) {
        double *restrict to = *last[k], *restrict end = *next[k], *restrict go = f->go;
#pragma omp simd
        for (int i = 0; i < n; i++)
            to[i] = go[i] > 0 ? end[i] : to[i];
    }
    for (int r = 0; r < memory; r++)
        for (int i = 0; i < n; i++)
            f->memory[r][i] = f->go[i] > 0 ? f->end_memory[r][i] : f->memory[r][i];
}

/* Takes the step of lane i over. */
static void take(mrn_collision_path *f, int i)
{
    mrn_collision_path_lane *l = &f->lane[i];
    double h = f->h[i];
    l->delta = f->end_delta[i], l->rate = f->end_rate[i], l->ut = f->end_ut[i];
    double vx = f->y[VX][i], vz = f->y[VZ][i], speed2 = vx * vx + vz * vz - l->rate * l->rate;
    l->decel = f->fn7[i] * f->inv_m[i] + speed2 * f->curve[i];
    l->at[0] = l->at[1], l->at[1] = l->at[2], l->at[2] += h;
    l->fn[0] = l->fn[1], l->fn[1] = l->fn[2], l->fn[2] = f->fn7[i];
    note_slopes(l, (f->fn7[i] - f->fn5[i]) * 9 / h);
    l->tx = f->end_tx[i];
    l->damped = f->end_gamma[i] > 0;
    l->part = l->rate < 0 ? to_part(l) : INFINITY;
    l->go = l->rate < 0 ? to_let_go(l) : INFINITY;
    note_end(l, h);
    note(l);
    if (f->root[i] > 0 && l->rate < 0 && l->of.falling == 0) {
        f->root[i] = 0;
        if (f->slip[i] == 0 && l->delta > 0)
            f->y[SP][i] /= sqrt(l->delta);
        spring_again(f, i);
        f->k[0][SP][i] = f->slip[i] > 0 ? 0 : f->k[0][SP][i];
    }
}

/* ---- the end ---- */

/* What is wrong in the state makes a contact end too early or too late, by so much of what is
   asked for: where the overlap is gone, at the rate it goes; where the force is, as steeply as that
   falls. What is still pulled then has another velocity. */
static double end_doubt(const mrn_collision_path *f, int i)
{
    const mrn_collision_path_lane *l = &f->lane[i];
    double rate = f->wrong_rate[i], delta = f->wrong_delta[i], dt;
    if (l->go < l->part) {
        double disc = l->slope * l->slope - 2 * l->bend * l->fn[2];
        double slope = disc > 0 ? sqrt(disc) : fabs(l->slope);
        dt = (f->end_gamma[i] * rate + f->end_k[i] * delta) / slope;
        return dt / lasts(l);
    }
    double left = l->delta + l->e->range, last = l->rate * l->rate + 2 * l->decel * left;
    dt = delta / (last > 0 ? sqrt(last) : fabs(l->rate));
    return fmax(dt / lasts(l), fabs(l->decel) * dt * f->per_vn[i]);
}

static void finish(mrn_collision_path *f, int i, bool stuck)
{
    mrn_collision_path_lane *l = &f->lane[i];
    const mrn_encounter *x = l->e;
    mrn_outcome *o = &l->out;
    double dt = stuck ? 0 : to_end(l);
    double power = l->fn[2] > 0 ? -l->slope * dt / l->fn[2] : 0;
    double share = power > 0.5 && power < 3 ? 1 / (power + 1)
                   : l->fn[2] != 0          ? 1 + 0.5 * l->slope * dt / l->fn[2]
                                            : 0;
    double jn = share * l->fn[2] * dt, jt = share * l->tx * dt;
    double nx = x->curve * f->y[QX][i], nz = 1 + x->curve * f->y[QZ][i], r = hypot(nx, nz);
    nx /= r, nz /= r;
    o->q[0] = f->y[QX][i] + dt * f->y[VX][i], o->q[2] = f->y[QZ][i] + dt * f->y[VZ][i];
    o->v[0] = f->y[VX][i] + (jn * nx + jt * nz) / x->m_eff;
    o->v[2] = f->y[VZ][i] + (jn * nz - jt * nx) / x->m_eff;
    double spin0 = x->radius[0] * x->spin[0][1] + x->radius[1] * x->spin[1][1];
    double lever = (spin0 - f->y[SW][i]) / f->inverse_inertia[i] + jt * (1 - x->shrink * l->delta);
    for (int k = 0; k < 2; k++)
        o->w[k][1] = x->spin[k][1] - x->radius[k] * x->inverse_inertia[k] * lever;
    o->time = l->at[2] + dt;
    o->stuck = stuck;
    o->steps = l->steps;
    double part = stuck ? INFINITY : l->part;
    double whole = lasts(l);
    o->error = SHARE * l->error + 3 * fabs(jn) / (x->m_eff * x->speed * x->cos) * dt / whole;
    if (dt < part)
        o->error += 0.5 * dt * dt / (part * whole);
    if (!stuck && l->go < l->part)
        o->error += l->miss / whole;
    if (!stuck)
        o->error += friction_doubt(f, i);
    if (!stuck)
        o->error = fmax(o->error, SHARE * end_doubt(f, i));
}

/* Where lane i stands after a step it has taken; true: it is done. */
static bool done(mrn_collision_path *f, int i)
{
    mrn_collision_path_lane *l = &f->lane[i];
    double v = l->e->speed * l->e->cos;
    bool back = l->parting && l->rate > 1e-9 * v, late = l->at[2] > LONGEST_CONTACT * l->e->time;
    l->parting = l->parting || l->rate < -1e-9 * v;
    if (at_end(f, i))
        finish(f, i, false);
    else if (back || late || !isfinite(l->rate) || l->steps > ROUNDS)
        finish(f, i, true);
    else
        return false;
    if (l->steps > ROUNDS || !isfinite(l->rate))
        l->out.error = INFINITY;
    return true;
}

/* ---- a round: every lane tries a step ---- */

static void keep_end(mrn_collision_path *f)
{
    const mrn_lanes *l = &f->l;
    size_t bytes = (size_t)f->wide * sizeof(double);
    memcpy(f->fn7, l->fn, bytes);
    memcpy(f->end_tx, l->tx, bytes);
    memcpy(f->end_delta, f->delta, bytes);
    memcpy(f->end_rate, l->rate, bytes);
    memcpy(f->end_ut, l->ut, bytes);
    memcpy(f->end_k, l->k_n, bytes);
    memcpy(f->end_gamma, l->gamma_n, bytes);
    for (int r = 0; r < mrn_collision_path_memory(f); r++)
        memcpy(f->end_memory[r], f->block->history[r], bytes);
    mrn_collision_path_springs(f, 0, f->wide, &f->end);
}

/* Springs that relax in slip want to know what holds them half way. */
static void look_half_way(mrn_collision_path *f)
{
    bool any = false;
    for (int i = 0; i < f->n && !f->of.cut; i++)
        any = any || f->slip[i] > 0;
    if (!any)
        return;
    half_way(f, f->at, f->half);
    mrn_collision_path_look(f, f->half);
    mrn_collision_path_springs(f, 0, f->wide, &f->mid);
}

static void stages(mrn_collision_path *f)
{
    for (int j = 1; j < MRN_STAGES; j++) {
        combine(f, f->y, a[j], j, f->at);
        mrn_collision_path_evaluate(f, f->at, f->k[j], 0, f->wide);
        if (j == 4 || j == 5)
            memcpy(j == 4 ? f->fn5 : f->fn6, f->l.fn, (size_t)f->wide * sizeof(double));
    }
    combine(f, f->zero, e, MRN_STAGES, f->err);
    keep_end(f);
    look_half_way(f);
}

/* Whether the state at the end of the step is beyond the contact, or that of a stage near it, which
   has met the kink where the force ends: its step is worth nothing, whatever its estimate says. */
static bool beyond(const mrn_collision_path *f, int i)
{
    const mrn_collision_path_lane *l = &f->lane[i];
    bool none = f->fn7[i] == 0 || f->fn6[i] == 0 || f->fn5[i] == 0;
    bool free = none && f->end_rate[i] < 0 && !l->of.pulls && !l->of.tension;
    return f->end_delta[i] <= -l->e->range || free;
}

/* What pulls in lane i beside the normal law, which alone makes friction. */
static double pull_of(const mrn_collision_path *f, int i)
{
    const mrn_collision_path_lane *l = &f->lane[i];
    return l->of.pulls && !f->of.cut ? f->spring_state.l[i] / f->mu[i] - l->fn[2] : 0;
}

/* Whether lane i passes a moment within the step at which nothing presses, as laws that may pull
   have it: where of 1, or 0. A contact that sticks slips there, however small its force, unless
   that is beneath notice; friction in slip has a kink, which is landed on. */
static double passes_zero(const mrn_collision_path *f, int i)
{
    const mrn_collision_path_lane *l = &f->lane[i];
    if (!(l->of.tension && l->of.spring) || l->looks >= LOOKS || !(l->fn[2] > f->fn7[i]))
        return 0;
    double pull = pull_of(f, i), most = l->out.force;
    double before = l->fn[2] + pull, after = f->fn7[i] + pull;
    double trial = (f->edge[i] + 1 + f->bias[i]) * f->end.l[i];
    double notice = f->slip[i] > 0 || f->of.cut ? l->near * most : 0;
    bool counts = f->slip[i] > 0 || f->of.cut || trial > l->accuracy * l->of.mu * most;
    return before > notice && after < -notice && counts ? before / (before - after) : 0;
}

/* Whether lane i passes a moment within the step at which the surfaces do not move against each
   other, where a dashpot that gives way to all that is faster than 2.5 xi_max / lag (tangential law
   zheng) would have acted for part of the step only. It may spring_state them from then on. */
static bool passes_rest(const mrn_collision_path *f, int i)
{
    const mrn_collision_path_lane *l = &f->lane[i];
    double before = l->ut, after = f->end_ut[i], notice = 0.5 * f->end.l[i];
    return f->of.cut && f->slip[i] == 0 && before * after < 0 && l->looks < LOOKS &&
           fmin(fabs(before), fabs(after)) * l->lag > notice;
}

/* The moment within the step, of 1, that must be landed on; 0: none. */
static double hidden_moment(const mrn_collision_path *f, int i)
{
    const mrn_collision_path_lane *l = &f->lane[i];
    double zero = passes_zero(f, i);
    if (zero > 0)
        return zero;
    return passes_rest(f, i) ? l->ut / (l->ut - f->end_ut[i]) : 0;
}

/* Whether lane i takes its step; if not, how long the next try is. */
static bool judge(mrn_collision_path *f, int i)
{
    mrn_collision_path_lane *l = &f->lane[i];
    double h = f->h[i], edge = f->edge[i], err = f->norm[i], factor = f->factor[i];
    factor = factor > 0.2 ? (factor < GROWTH ? factor : GROWTH) : 0.2; /* NAN: 0.2 */
    f->factor[i] = factor;
    bool over = beyond(f, i), last = h <= LEAST * l->e->time * 1.01;
    double moment = edge <= l->near ? hidden_moment(f, i) : 0;
    bool hidden = moment > 0, fine = err <= l->tol;
    bool far = (edge > l->near || hidden) && h > 1e-7 * l->e->time;
    l->steps++;
    if (last || (fine && !over && !far))
        return true;
    if (far) {
        double part = hidden ? moment : l->edge < 0 ? l->edge / (l->edge - edge) : 0.25;
        l->looks += hidden;
        l->ahead = fmin(fmax(part, 0.02), 0.95) * h;
    }
    if (!fine || over) /* a kink, where the order of the scheme is lost */
        l->want = fmin(factor, over || l->again ? 0.5 : 1) * h;
    l->again = !fine;
    return false;
}

/* What may be wrong in the spring in slip, as a velocity after the rest of the contact; it matters
   when it sticks again. What was wrong before and is not yet forgotten (it relaxes in g/k), and
   what this step adds. */
static double remembered(const mrn_collision_path *f, int i, double before)
{
    const mrn_collision_path_lane *l = &f->lane[i];
    const mrn_spring_states *x = &f->end;
    double z = x->g[i] > 0 ? f->h[i] * x->k[i] / x->g[i] : INFINITY;
    double rest = larger(l->e->time - l->at[2], 0.1 * l->e->time);
    double trial = x->raw[i] * f->doubt[i], force = trial < x->l[i] ? trial : x->l[i];
    double now = force * rest * f->inv_m[i] * f->per_along[i];
    return before / (1 + z + 0.5 * z * z) + DOUBT * five_thirds(now);
}

/* After lane i has taken its step; true: it is done. */
static bool settle(mrn_collision_path *f, int i)
{
    mrn_collision_path_lane *l = &f->lane[i];
    double h = f->h[i], factor = f->factor[i], edge = f->edge[i], before = l->edge;
    l->again = false;
    l->looks = 0;
    if (f->slip[i] > 0)
        l->doubt = remembered(f, i, l->doubt);
    l->want = h < l->want ? fmax(l->want, factor * h) : factor * h;
    l->error += f->norm[i];
    take(f, i);
    f->s[i] = f->slip[i] > 0 ? f->s_end[i] : f->s[i];
    l->edge = edge;
    l->ahead = INFINITY;
    if (edge > 0 && f->slip[i] > 0)
        to_stick(f, i);
    else if (edge > 0)
        to_slip(f, i, f->s_end[i]);
    else if (edge > before && edge < 0)
        l->ahead = (0.3 * l->near - edge) * h / (edge - before);
    return done(f, i);
}

/* ---- places ---- */

static void copy_rows(mrn_collision_path *f, int from, int to)
{
    row *const all[] = {&f->slip,
                        &f->side,
                        &f->root,
                        &f->growing,
                        &f->falling,
                        &f->any,
                        &f->curve,
                        &f->shrink,
                        &f->inv_m,
                        &f->inverse_inertia,
                        &f->per_time,
                        &f->per_vn,
                        &f->per_along,
                        &f->per_speed,
                        &f->tol,
                        &f->edge,
                        &f->doubt,
                        &f->go,
                        &f->kinks,
                        &f->slip_kinks,
                        &f->reach,
                        &f->mu,
                        &f->s,
                        &f->bias,
                        &f->speed,
                        &f->spring_state.k,
                        &f->spring_state.g,
                        &f->spring_state.l,
                        &f->wrong_rate,
                        &f->wrong_delta};
    for (size_t r = 0; r < sizeof all / sizeof *all; r++)
        (*all[r])[to] = (*all[r])[from];
    for (int p = 0; p < PARTS; p++) {
        f->y[p][to] = f->y[p][from];
        f->k[0][p][to] = f->k[0][p][from];
    }
    f->l.r_eff[to] = f->l.r_eff[from], f->l.m_eff[to] = f->l.m_eff[from];
    for (int k = 0; k < MRN_LANE_COEFS; k++) {
        f->l.normal[k][to] = f->l.normal[k][from];
        f->l.tangential[k][to] = f->l.tangential[k][from];
    }
    for (int r = 0; r < mrn_collision_path_memory(f); r++)
        f->memory[r][to] = f->memory[r][from];
}

/* The last lane takes the place of one that is done. */
static void move_lane(mrn_collision_path *f, int from, int to)
{
    if (from == to)
        return;
    f->lane[to] = f->lane[from];
    copy_rows(f, from, to);
}

/* A collision whose errors add up to more than was asked for is done again, with a tolerance lower
   in proportion; the best is kept. */
static void leave(mrn_collision_path *f, int i)
{
    mrn_collision_path_lane *l = &f->lane[i];
    mrn_collision_path_task t = l->task;
    if (t.tries == 0 || l->out.error < t.best->error)
        *t.best = l->out;
    double over = t.best->error / f->accuracy;
    if (!(over <= 1) && ++t.tries < TRIES) {
        t.tol *= over < 50 ? 0.5 / over : 0.01;
        f->again[f->n_again++] = t;
    }
    move_lane(f, --f->n, i);
}

/* Whether a collision can go beside those under way. */
static bool joins(const mrn_collision_path *f, const mrn_encounter *x)
{
    const mrn_prepared *law = f->lane[0].e->law;
    return law == x->law ||
           (f->normal != NULL && memcmp(law->part, x->law->part, sizeof law->part) == 0);
}

/* The next that waits, if it can go beside the others. */
static bool next_task(mrn_collision_path *f, mrn_collision_path_task *out)
{
    if (f->n_again > 0) {
        *out = f->again[--f->n_again];
        return true;
    }
    for (; f->next < f->total; f->next++)
        if ((f->done[f->next] = mrn_collision_path_suits(&f->e[f->next])))
            break;
    if (f->next == f->total)
        return false;
    const mrn_encounter *x = &f->e[f->next];
    if (f->n == 0)
        mrn_collision_path_adapt(f, x->law);
    else if (!joins(f, x))
        return false;
    *out = (mrn_collision_path_task){x, &f->out[f->next], f->first_tol, 0};
    f->next++;
    return true;
}

/* Force, spring_state and rates of lanes that begin. */
static void first_look(mrn_collision_path *f, int from)
{
    int vector = from / MRN_WIDE * MRN_WIDE;
    mrn_collision_path_evaluate(f, f->y, f->k_half, vector, f->wide);
    mrn_collision_path_springs(f, vector, f->wide, &f->end);
    for (int i = from; i < f->n; i++) {
        mrn_collision_path_lane *l = &f->lane[i];
        for (int p = 0; p < PARTS; p++)
            f->k[0][p][i] = f->k_half[p][i];
        f->spring_state.k[i] = f->end.k[i], f->spring_state.g[i] = f->end.g[i],
        f->spring_state.l[i] = f->end.l[i];
        l->ut = f->l.ut[i];
        l->fn[2] = l->out.force = f->l.fn[i];
    }
}

static void begin(mrn_collision_path *f, int i, const mrn_collision_path_task *t)
{
    if (t->e->law != f->law)
        mrn_collision_path_probe(f, t->e->law);
    start_lane(f, i, t);
    mrn_collision_path_load(f, i, t->e->law, t->e->r_eff, t->e->m_eff);
    start_rows(f, i, t->e);
}

/* Vectors are whole: lanes beyond the last are as the first, at rest. */
static void tidy(mrn_collision_path *f)
{
    f->wide = whole_vectors(f->n);
    for (int i = f->n; i < f->wide; i++) {
        copy_rows(f, 0, i);
        f->h[i] = f->go[i] = 0;
    }
    f->flat = true;
    for (int i = 0; i < f->n; i++)
        f->flat = f->flat && f->curve[i] == 0;
}

/* Collisions that wait take the places that are free, a few at a time. */
static void refill(mrn_collision_path *f)
{
    int from = f->n;
    mrn_collision_path_task t;
    if (from == 0 || from <= MRN_LANES - EMPTY_LANES)
        while (f->n < MRN_LANES && next_task(f, &t))
            begin(f, f->n++, &t);
    tidy(f);
    if (f->n > from)
        first_look(f, from);
}

/* All lanes try a step; those that are done leave. */
static void try_steps(mrn_collision_path *f)
{
    bool gone[MRN_LANES];
    for (int i = 0; i < f->n; i++)
        f->h[i] = next_step(&f->lane[i]);
    stages(f);
    find_edges(f);
    weigh_errors(f);
    for (int i = 0; i < f->n; i++)
        f->go[i] = judge(f, i) ? 1 : 0;
    carry_errors(f);
    commit(f);
    for (int i = 0; i < f->n; i++)
        gone[i] = f->go[i] > 0 && settle(f, i);
    for (int i = f->n - 1; i >= 0; i--)
        if (gone[i])
            leave(f, i);
}

/* Tolerance of a step: errors of fifty to two hundred steps add up to about the accuracy. */
static double first_tolerance(double accuracy)
{
    return 0.18 * accuracy * pow(accuracy * 1e6, 0.2);
}

void mrn_collision_path_run(mrn_collision_path *f, const mrn_encounter *x, int64_t n,
                            double accuracy, bool *done, mrn_outcome *out)
{
    f->e = x, f->out = out, f->done = done;
    f->next = 0, f->total = n;
    f->n = f->n_again = 0;
    f->law = NULL;
    f->accuracy = accuracy;
    f->first_tol = first_tolerance(accuracy);
    f->tail = 0.3 * pow(accuracy, 0.4);
    f->near = sqrt(accuracy);
    f->begin = fmin(6 * pow(accuracy, 0.8), 0.02);
    for (refill(f); f->n > 0; refill(f))
        try_steps(f);
}
