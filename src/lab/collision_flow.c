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

   Collisions under one law go side by side in a block, each as if alone. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "lab/lab.h"

#define PATIENCE 40    /* expected contact times until a contact has not ended and will not */
#define ROUNDS   20000 /* steps of one collision, at most                                   */
#define BEYOND   1e6   /* effective radii: a spring that every limit cuts                   */
#define DOUBT    0.3   /* what an error of the spring in slip is worth */
/* Of the estimates, which are those of the fourth order where the fifth goes on, so much is
   counted; more for laws with kinks that are not landed on, where both are wrong alike. */
#define SHARE  0.3
#define KINKS  12
#define GROWTH 8     /* of one step over the last, at most                                */
#define LEAST  1e-12 /* shortest step over the expected contact time                      */

enum { QX, QZ, VX, VZ, SW, SP, PARTS }; /* way, velocity, R_C w_C + R_A w_A, spring */

/* What the laws do, found by asking them. */
typedef struct traits {
    bool spring;      /* the tangential law has one, and friction                           */
    bool cut;         /* its length is cut, at `reach` times the overlap                    */
    double reach, mu; /* mu: limit of the tangential force over the pressing force          */
    double growing;   /* 1: while the load grows the force stays and the spring shrinks      */
    double falling;   /* 1: the same while it falls                                         */
    int row, root;    /* of history: the spring; square root of the overlap, or -1          */
    bool tension;     /* the normal law may pull at the end of a contact                    */
    bool pulls;       /* there is cohesion                                                  */
    bool memory;      /* the normal law has a history                                       */
    bool even;        /* stiffness and dashpot are the same at every overlap                 */
} traits;

/* k s + g ds/dt = l, the spring in slip. */
typedef struct hold {
    double k, g, l;
    double raw; /* stiffness; k may hold what a growing load does besides */
} hold;

/* One collision under way: what is not in the arrays of the block. */
typedef struct lane {
    const mrn_encounter *e;
    mrn_outcome *out;
    double tol, error;           /* per step; sum of the estimates          */
    double accuracy, tail, near; /* how near to the end, and to the end of a mode, is near enough */
    double want;                 /* next step by the error of the last      */
    double fn[3], at[3];         /* forces and times of the last steps     */
    double slope, bend;          /* of the force, first and second          */
    double delta, rate, ut, tx, decel;
    double doubt;   /* of the spring in slip                   */
    double slowest; /* least rate so far                       */
    double bias;    /* of `edge`: what it was when sticking began */
    double s;       /* length of the spring in slip            */
    double edge;    /* the mode ends where this passes zero upwards: now … */
    double ahead;   /* … and when that is, as far as is known  */
    hold hold;
    int64_t steps;
    bool parting, damped, again; /* again: the last try was refused */
} lane;

#define STAGES 7
#define MEMORY 8 /* numbers of history of a normal law, at most */
#define WIDE   8 /* loops run over whole vectors; lanes beyond the last hold what is finite */
/* Rows a whole number of pages apart would all fall into the same few places of the cache. */
typedef double row[MRN_BLOCK + WIDE];

struct mrn_flow {
    mrn_law_block block;
    traits of;
    const mrn_prepared *law;
    int n, wide; /* lanes, and rounded up to whole vectors */
    lane lane[MRN_BLOCK];
    row y[PARTS], at[PARTS], k[STAGES][PARTS], err[PARTS];
    row h, slip, side, root;                    /* side: sign of the spring in slip; root: it is
                                                   kept times the root of the overlap           */
    row curve, shrink, inv_m, ease;             /* of the encounter                             */
    row per_time, per_vn, per_along, per_speed; /* one over its scales                         */
    row delta, rate, ut, nx, nz, scale;         /* of the last evaluation                       */
    row sqrt_delta, per_sqrt;
    row fn6, fn7;                            /* normal forces at 8/9 and at the end of a step  */
    row memory[MEMORY];                      /* of the normal law, at the last step          */
    row end_delta, end_rate, end_ut, end_tx; /* at the end of the step tried                 */
    row end_memory[MEMORY];
    row half[PARTS], k_half[PARTS], zero[PARTS];
    row edge, s_end, doubt;    /* see edge_of                                  */
    row kinks;                 /* what an error counts while it sticks         */
    row tol, norm, factor, go; /* of the step: tolerance, error, length of the next
                                  over this one, whether it is taken           */
    bool end_damped[MRN_BLOCK];
    hold mid[MRN_BLOCK], end[MRN_BLOCK];
};

mrn_status mrn_flow_create(mrn_flow **out, mrn_message *msg)
{
    return mrn_array(out, 1, sizeof **out, msg);
}

void mrn_flow_destroy(mrn_flow **f)
{
    mrn_free(*f);
    *f = NULL;
}

/* ---- which collisions, and what their laws do ---- */

static int find_row(const mrn_law *law, const char *name)
{
    int at = 0;
    for (int i = 0; i < law->n_history; i++) {
        if (strcmp(law->history[i].name, name) == 0)
            return at;
        at += law->history[i].vector ? 3 : 1;
    }
    return -1;
}

bool mrn_flow_suits(const mrn_encounter *e)
{
    const mrn_law *t = e->law->part[MRN_LAW_TANGENTIAL];
    for (int k = 0; k < 2; k++)
        if (e->spin[k][0] != 0 || e->spin[k][2] != 0)
            return false;
    if (e->law->moments || e->law->offset[MRN_LAW_TANGENTIAL] > MEMORY)
        return false;
    if (t == NULL || t->n_history == 0)
        return t == NULL;
    bool root = t->n_history == 2 && find_row(t, "root-overlap") == 3;
    return find_row(t, "spring") == 0 && (t->n_history == 1 || root);
}

/* One contact of the block asked for itself. */
static void ask(mrn_flow *f, double delta, double rate, double s, double old)
{
    mrn_law_block *b = &f->block;
    b->n = 1;
    b->delta[0] = delta, b->rate[0] = rate;
    b->gap[0] = -delta, b->closing[0] = rate;
    b->ux[0] = 0;
    for (int r = 0; r < f->law->history; r++)
        b->history[r][0] = 0;
    if (f->of.spring)
        b->history[f->of.row][0] = s;
    if (f->of.spring && f->of.root >= 0)
        b->history[f->of.root][0] = old;
    mrn_law_evaluate(f->law, b);
}

/* Asked of one contact of usual size: the answers, to the last bit, must not depend on which
   collision of a batch comes first. */
static void probe(mrn_flow *f)
{
    const mrn_law *t = f->law->part[MRN_LAW_TANGENTIAL];
    traits *of = &f->of;
    mrn_law_block *b = &f->block;
    const double r = 1e-3, m = 1e-6, v = 1, delta = 1e-6;
    double root = sqrt(delta), far = BEYOND * r, little = 1e-12 * r;
    b->h = 0;
    b->mean = false;
    b->r_eff[0] = r, b->m_eff[0] = m;
    b->nx[0] = b->ny[0] = b->uy[0] = b->uz[0] = b->spin[0] = b->fresh[0] = 0;
    b->nz[0] = 1;
    *of = (traits){.row = f->law->offset[MRN_LAW_TANGENTIAL], .root = -1, .spring = t != NULL};
    of->pulls = f->law->part[MRN_LAW_COHESION] != NULL;
    of->memory = f->law->part[MRN_LAW_NORMAL]->n_history > 0;
    if (of->spring && find_row(t, "root-overlap") > 0)
        of->root = of->row + find_row(t, "root-overlap");
    ask(f, 1e-3 * delta, -1e6 * v, 0, root);
    of->tension = b->fn[0] < 0;
    ask(f, delta, v, 0, root);
    double k = b->k_n[0], g = b->gamma_n[0];
    ask(f, 1e-3 * delta, v, 0, root);
    of->even = k == b->k_n[0] && g == b->gamma_n[0] && !of->cut && !of->pulls;
    if (!of->spring)
        return;
    ask(f, delta, 0, far, root);
    of->mu = fabs(b->tx[0]) / b->press[0];
    of->cut = b->history[of->row][0] < 0.5 * far;
    of->reach = b->history[of->row][0] / delta;
    of->spring = of->mu > 0;
    if (of->root < 0)
        return;
    ask(f, delta, 0, little, 0.5 * root);
    of->growing = b->history[of->row][0] < 0.75 * little ? 1 : 0;
    ask(f, delta, 0, little, 2 * root);
    of->falling = b->history[of->row][0] > 1.5 * little ? 1 : 0;
}

/* ---- the right-hand side ---- */

/* Kinematics of all lanes at the state y, into the block. */
static void place(mrn_flow *f, row *y)
{
    mrn_law_block *b = &f->block;
    int n = f->wide, s = f->of.spring ? f->of.row : 0;
    int r = f->of.spring && f->of.root >= 0 ? f->of.root : MRN_HISTORY_MAX - 1; /* or nobody's */
    double *restrict spring = b->history[s], *restrict memory = b->history[r];
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double qx = y[QX][i], qz = y[QZ][i], vx = y[VX][i], vz = y[VZ][i], c = f->curve[i];
        double dx = c * qx, dz = 1 + c * qz, length = sqrt(dx * dx + dz * dz), inv = 1 / length;
        double nx = dx * inv, nz = dz * inv;
        double d = -(2 * qz + c * (qx * qx + qz * qz)) / (1 + length), in = d > 0 ? d : 0;
        double scale = 1 - f->shrink[i] * d, rate = -(vx * nx + vz * nz), root = sqrt(in);
        double ut = vx * nz - vz * nx - scale * y[SW][i];
        double kept = y[SP][i], inv_root = root > 0 ? 1 / root : 0;
        double free = f->root[i] > 0 ? kept * inv_root : kept;
        double far = f->side[i] * BEYOND * b->r_eff[i];
        f->nx[i] = nx, f->nz[i] = nz;
        f->sqrt_delta[i] = memory[i] = root, f->per_sqrt[i] = inv_root;
        f->delta[i] = d, f->rate[i] = rate, f->ut[i] = ut, f->scale[i] = scale;
        b->delta[i] = in, b->rate[i] = rate;
        b->gap[i] = -d, b->closing[i] = rate;
        b->ux[i] = ut;
        spring[i] = f->slip[i] > 0 ? far : free;
    }
}

/* What only some models have: memory of the normal law as the last step left it; contacts held at a
   distance. */
static void remember(mrn_flow *f)
{
    mrn_law_block *b = &f->block;
    int n = f->wide;
    for (int r = 0; f->of.memory && r < f->of.row; r++)
        memcpy(b->history[r], f->memory[r], (size_t)n * sizeof(double));
    if (f->law->range)
        for (int i = 0; i < n; i++)
            b->rate[i] = f->delta[i] > 0 ? b->rate[i] : 0;
}

/* Rate of what is kept of the spring: it grows with the velocity, and shrinks or not as the load
   changes (stiffness goes with the root of the overlap). */
static inline double spring_rate(double kept, double ut, double sqrt_delta, double per_sqrt,
                                 double rate, double root, double growing, double falling)
{
    double c = 0.5 * rate * per_sqrt * per_sqrt, with = rate > 0 ? growing : falling;
    return root > 0 ? sqrt_delta * ut + kept * c * (1 - with) : ut - kept * c * with;
}

static void derive(mrn_flow *f, row *y, row *k)
{
    const mrn_law_block *b = &f->block;
    int n = f->wide;
    double growing = f->of.growing, falling = f->of.falling, any = f->of.spring ? 1 : 0;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double fn = b->fn[i], tx = b->tx[i], nx = f->nx[i], nz = f->nz[i];
        k[QX][i] = y[VX][i];
        k[QZ][i] = y[VZ][i];
        k[VX][i] = (fn * nx + tx * nz) * f->inv_m[i];
        k[VZ][i] = (fn * nz - tx * nx) * f->inv_m[i];
        k[SW][i] = -f->scale[i] * tx * f->ease[i];
        double grow = spring_rate(y[SP][i], f->ut[i], f->sqrt_delta[i], f->per_sqrt[i], f->rate[i],
                                  f->root[i], growing, falling);
        k[SP][i] = f->slip[i] > 0 ? 0 : any * grow;
    }
}

static void evaluate(mrn_flow *f, row *y, row *k)
{
    f->block.n = f->wide;
    place(f, y);
    remember(f);
    mrn_law_evaluate(f->law, &f->block);
    derive(f, y, k);
}

/* ---- the step (Dormand & Prince) ---- */

static const double a[STAGES][STAGES] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
/* Fifth less fourth order. */
static const double e[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                 -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
/* The state half way, of fourth order: Hairer, Norsett & Wanner's continuous extension at 1/2. */
static const double half[STAGES] = {-12715105075.0 / 11282082432,  0,
                                    87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                    701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                    69997945.0 / 29380423};

/* out = from + h sum w_j k_j over the first `count` stages, of one part of the state. One pass. */
static void sum_stages(const double *restrict from, const double *restrict h, const double *w,
                       row (*k)[PARTS], int p, int count, int n, double *restrict out)
{
    const double *restrict k0 = k[0][p], *restrict k1 = k[1][p], *restrict k2 = k[2][p],
                           *restrict k3 = k[3][p], *restrict k4 = k[4][p], *restrict k5 = k[5][p],
                           *restrict k6 = k[6][p];
    double w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3], w4 = w[4], w5 = w[5], w6 = w[6];
    switch (count) {
#define SUM(c, terms)                                                                              \
    case c:                                                                                        \
        _Pragma("omp simd") for (int i = 0; i < n; i++) out[i] = from[i] + h[i] * (terms);         \
        break;
        SUM(1, w0 * k0[i])
        SUM(2, w0 * k0[i] + w1 * k1[i])
        SUM(3, w0 * k0[i] + w1 * k1[i] + w2 * k2[i])
        SUM(4, w0 * k0[i] + w1 * k1[i] + w2 * k2[i] + w3 * k3[i])
        SUM(5, w0 * k0[i] + w1 * k1[i] + w2 * k2[i] + w3 * k3[i] + w4 * k4[i])
        SUM(6, w0 * k0[i] + w2 * k2[i] + w3 * k3[i] + w4 * k4[i] + w5 * k5[i])
        SUM(7, w0 * k0[i] + w2 * k2[i] + w3 * k3[i] + w4 * k4[i] + w5 * k5[i] + w6 * k6[i])
#undef SUM
    default:
        break;
    }
}

static void combine(mrn_flow *f, row *from, const double *w, int count, row *to)
{
    for (int p = 0; p < PARTS; p++)
        sum_stages(from[p], f->h, w, f->k, p, count, f->wide, to[p]);
}

/* The state half way through the step, into `to`. */
static void half_way(mrn_flow *f, row *end, row *to)
{
    int n = f->wide;
    combine(f, f->zero, half, STAGES, to);
    for (int p = 0; p < PARTS; p++)
#pragma omp simd
        for (int i = 0; i < n; i++) {
            double r2 = end[p][i] - f->y[p][i], r3 = f->h[i] * f->k[0][p][i] - r2;
            double r4 = r2 - f->h[i] * f->k[6][p][i] - r3;
            to[p][i] = f->y[p][i] + 0.5 * (r2 + 0.5 * (r3 + 0.5 * (r4 + 0.5 * to[p][i])));
        }
}

/* ---- slip ---- */

/* The limit and what holds against it, of lane i as just evaluated. */
static hold hold_of(const mrn_flow *f, int i)
{
    const mrn_law *t = f->law->part[MRN_LAW_TANGENTIAL];
    const mrn_law_block *b = &f->block;
    const double *c = f->law->coef[MRN_LAW_TANGENTIAL];
    if (f->of.cut)
        return (hold){1, 0, f->of.reach * b->delta[i], 1};
    double k = t->stiffness(c, b->r_eff[i], b->m_eff[i], b->delta[i], b->k_n[i]);
    double g = t->damping(c, b->r_eff[i], b->m_eff[i], b->delta[i], b->gamma_n[i]);
    double with = f->rate[i] > 0 ? f->of.growing : f->of.falling;
    double change = b->delta[i] > 0 ? 0.5 * f->rate[i] / b->delta[i] : 0;
    return (hold){k + g * change * with, g, f->of.mu * b->press[i], k};
}

/* Spring in slip at the end of a step from its begin, half and end: Lobatto IIIC with three stages.
 *rate: of the spring at the end; *doubt: what the method with two stages says otherwise. */
static double relax(const hold *o, const hold *m, const hold *x, double s, double h, double *rate,
                    double *doubt)
{
    static const double w[3][3] = {
        {1.0 / 6, -1.0 / 3, 1.0 / 6}, {1.0 / 6, 5.0 / 12, -1.0 / 12}, {1.0 / 6, 2.0 / 3, 1.0 / 6}};
    const hold *at[3] = {o, m, x};
    double c[3][4];
    *doubt = 0;
    if (!(o->k > 0 || o->g > 0) || !(m->k > 0 || m->g > 0)) { /* touch: nothing holds yet */
        *rate = (x->l - x->k * s) / (x->g + h * x->k);
        return s + h * *rate;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            c[i][j] = h * at[i]->k * w[i][j] + (i == j ? at[i]->g : 0);
        c[i][3] = at[i]->l - at[i]->k * s;
    }
    for (int i = 0; i < 2; i++) /* the diagonal leads: no pivoting */
        for (int r = i + 1; r < 3; r++) {
            double q = c[r][i] / c[i][i];
            for (int j = i; j < 4; j++)
                c[r][j] -= q * c[i][j];
        }
    double r3 = c[2][3] / c[2][2], r2 = (c[1][3] - c[1][2] * r3) / c[1][1];
    double r1 = (c[0][3] - c[0][1] * r2 - c[0][2] * r3) / c[0][0];
    double p = 0.5 * h * o->k + o->g, q = -0.5 * h * o->k, u = 0.5 * h * x->k, d = u + x->g;
    double l1 = o->l - o->k * s, l2 = x->l - x->k * s, det = p * d - q * u;
    double low = s + 0.5 * h * ((l1 * d - q * l2) + (p * l2 - u * l1)) / det;
    double end = s + h * (r1 + 4 * r2 + r3) / 6;
    *rate = r3;
    *doubt = fabs(end - low);
    return end;
}

/* ---- length of the next step ---- */

/* Arc tangent of x >= 0 to 0.005, exact for small ones. */
static inline double angle_of(double x)
{
    return x < 1 ? x / (1 + 0.28 * x * x) : 0.5 * MRN_PI - x / (x * x + 0.28);
}

/* Time until the overlap is gone, seen as a quarter of a swing about it while the force pushes. */
static double to_part(const lane *l)
{
    double left = l->delta + l->e->range, t = left / -l->rate;
    double w = l->decel > 0 ? sqrt(l->decel / left) : 0;
    return w * t > 1e-2 ? angle_of(w * t) / w : t + 0.5 * l->decel / l->rate * t * t;
}

/* Time until the force is gone, where the law lets go before the overlap is; else INFINITY. */
static double to_let_go(const mrn_flow *f, const lane *l)
{
    bool can = !f->of.tension && !f->of.pulls && (l->damped || f->of.memory);
    if (!can || !(l->slope < 0))
        return INFINITY;
    double disc = l->slope * l->slope - 2 * l->bend * l->fn[2];
    return 2 * l->fn[2] / (-l->slope + sqrt(disc > 0 ? disc : l->slope * l->slope));
}

/* Time to the end of contact as it looks now; INFINITY: not in sight. */
static double to_end(const mrn_flow *f, const lane *l)
{
    return l->rate < 0 ? fmin(to_part(l), to_let_go(f, l)) : INFINITY;
}

/* The end is so near that what is left of the contact can be told in closed form: the force lets go
   long before the overlap is gone, or there is hardly any overlap. */
static bool at_end(const mrn_flow *f, const lane *l)
{
    double whole = l->e->time, go, part;
    if (!(l->rate < 0))
        return false;
    part = to_part(l), go = to_let_go(f, l);
    if (go < part)
        return go <= 0.1 * part && go * go <= 0.2 * l->accuracy * whole * part;
    double tail = f->of.pulls || f->of.tension ? 0.03 * l->tail : l->tail;
    return part <= (isinf(go) ? tail : 0.3 * l->accuracy) * whole;
}

static double next_step(const mrn_flow *f, const lane *l)
{
    double h = l->want, whole = l->e->time;
    if (l->rate > 0 && l->decel > 0 && l->delta > 0) { /* land on the largest overlap */
        double w = sqrt(l->decel / l->delta), t = angle_of(w * l->rate / l->decel) / w;
        double least = f->of.growing > 0 || f->of.memory ? l->near : 2e-3; /* a kink there, or none
                                                                            */
        if (t > least * whole && t < 1.5 * h)
            h = fmin(h, t);
    }
    double end = to_end(f, l);
    if (0.97 * end < h)
        h = 0.97 * end;
    if (l->ahead > 0 && l->ahead < h)
        h = l->ahead;
    return fmax(h, LEAST * whole);
}

/* ---- begin ---- */

/* Whether a collision slips from the first moment, and to which side: asked a moment later, as
   things stand then without any force. */
static double first_side(mrn_flow *f, const mrn_encounter *x, double ut)
{
    mrn_law_block *b = &f->block;
    const mrn_law *t = f->law->part[MRN_LAW_TANGENTIAL];
    const double *c = f->law->coef[MRN_LAW_TANGENTIAL];
    double time = 1e-6 * x->time, v = x->speed * x->cos, delta = time * v;
    double s = ut * time * (f->of.growing > 0 ? 2.0 / 3 : 1);
    if (!f->of.spring || ut == 0)
        return 0;
    b->r_eff[0] = x->r_eff, b->m_eff[0] = x->m_eff;
    ask(f, delta, v, s, sqrt(delta));
    bool slips = fabs(s) > f->of.reach * delta;
    if (!f->of.cut) {
        double k = t->stiffness(c, x->r_eff, x->m_eff, delta, b->k_n[0]);
        double g = t->damping(c, x->r_eff, x->m_eff, delta, b->gamma_n[0]);
        slips = fabs(k * s + g * ut) > f->of.mu * b->press[0];
    }
    return slips ? (ut > 0 ? 1 : -1) : 0;
}

static void start(mrn_flow *f, int i, const mrn_encounter *x, double accuracy, double tol,
                  mrn_outcome *out)
{
    lane *l = &f->lane[i];
    tol *= f->of.cut ? 0.6 : 1; /* their kinks take more steps, whose errors add up */
    double v = x->speed * x->cos, along = x->speed * x->sin;
    double spin = x->radius[0] * x->spin[0][1] + x->radius[1] * x->spin[1][1];
    *l = (lane){.e = x,
                .out = out,
                .tol = tol,
                .rate = v,
                .slowest = INFINITY,
                .ahead = INFINITY,
                .edge = NAN};
    l->accuracy = accuracy;
    l->tail = 0.3 * pow(accuracy, 0.4);
    l->near = (f->of.cut ? 0.01 : 0.1) * sqrt(accuracy); /* what is cut rises as a root after it */
    /* roots of the overlap begin with an infinite slope */
    l->want = (f->of.even ? 0.02 : fmin(6 * pow(accuracy, 0.8), 0.02)) * x->time;
    f->curve[i] = x->curve, f->shrink[i] = x->shrink, f->inv_m[i] = 1 / x->m_eff;
    f->ease[i] =
        x->radius[0] * x->radius[0] * x->ease[0] + x->radius[1] * x->radius[1] * x->ease[1];
    f->per_time[i] = 1 / x->time;
    f->per_vn[i] = 1 / v;
    f->per_along[i] = 1 / (x->speed * fmax(x->sin, 1e-2));
    f->per_speed[i] = 1 / x->speed;
    f->y[QX][i] = f->y[QZ][i] = f->y[SP][i] = 0;
    f->y[VX][i] = along, f->y[VZ][i] = -v, f->y[SW][i] = spin;
    f->root[i] = f->of.growing;
    f->side[i] = first_side(f, x, along - spin);
    f->slip[i] = f->side[i] != 0 ? 1 : 0;
    f->tol[i] = tol;
    f->kinks[i] = f->of.pulls || (f->of.cut && along != spin) ? KINKS : 1; /* none head-on */
    f->edge[i] = -1, f->doubt[i] = 0;
    for (int r = 0; f->of.memory && r < f->of.row; r++)
        f->memory[r][i] = 0;
    *out = (mrn_outcome){0};
}

static void start_block(mrn_flow *f)
{
    mrn_law_block *b = &f->block;
    for (int i = 0; i < f->wide; i++) {
        const mrn_encounter *x = f->lane[i < f->n ? i : 0].e;
        b->r_eff[i] = x->r_eff, b->m_eff[i] = x->m_eff;
        b->nx[i] = b->ny[i] = b->uy[i] = b->uz[i] = b->spin[i] = b->fresh[i] = 0;
        b->nz[i] = 1;
        if (f->of.spring) /* across the plane nothing ever moves */
            b->history[f->of.row + 1][i] = b->history[f->of.row + 2][i] = 0;
    }
    evaluate(f, f->y, f->k[0]);
    for (int i = 0; i < f->n; i++) {
        lane *l = &f->lane[i];
        l->hold = f->of.spring ? hold_of(f, i) : (hold){0};
        l->ut = f->ut[i];
        l->fn[2] = l->out->force = b->fn[i];
    }
}

/* ---- what a step came to ---- */

static inline double larger(double x, double y)
{
    return x > y ? x : y;
}

/* x^(3/16) and x^(13/8): near enough to the powers 1/5 and 5/3 that steps of fifth order want. */
static inline double root_five(double x)
{
    double r = sqrt(sqrt(sqrt(x)));
    return r * sqrt(r);
}
static inline double five_thirds(double x)
{
    double r = sqrt(x);
    return x * r * sqrt(sqrt(r));
}

/* Errors of the step over the scales of what is asked for; what is wrong in place or spring now is
   wrong in velocity after the rest of the contact, at about 4 per contact time. */
static void weigh_errors(mrn_flow *f)
{
    int n = f->wide;
    double slip = f->of.pulls ? KINKS : 1;
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
        double kinks = f->slip[i] > 0 ? slip : f->kinks[i];
        double norm = kinks * most;
        f->norm[i] = norm;
        f->factor[i] = 0.9 * root_five(f->tol[i] / larger(norm, 1e-6 * f->tol[i]));
    }
}

/* Where the mode ends this passes zero: stick, the trial force over the limit less 1; slip, how
   much faster the spring is than the surface. *s, *doubt: the spring in slip at the end. */
static double edge_of(mrn_flow *f, int i, double *s, double *doubt)
{
    lane *l = &f->lane[i];
    const hold *x = &f->end[i];
    double rate, ut = f->end_ut[i], d = f->end_delta[i];
    *doubt = 0;
    if (f->slip[i] > 0 && !(x->k > 0 || x->g > 0)) { /* held at a distance: nothing to slip on */
        *s = l->s;
        return -1;
    }
    if (f->slip[i] > 0 && f->of.cut) {
        *s = x->l;
        return (f->of.reach * f->end_rate[i] - f->side[i] * ut) / l->e->speed;
    }
    if (f->slip[i] > 0) {
        *s = relax(&l->hold, &f->mid[i], x, l->s, f->h[i], &rate, doubt);
        double with = f->end_rate[i] > 0 ? f->of.growing : f->of.falling;
        rate += d > 0 ? with * 0.5 * f->end_rate[i] / d * *s : 0; /* what the load takes from it */
        return (rate - f->side[i] * ut) / l->e->speed;
    }
    double root = f->root[i] > 0 && d > 0 ? 1 / sqrt(d) : 1;
    *s = f->at[SP][i] * root;
    double trial = f->of.cut ? *s : x->raw * *s + x->g * ut;
    if (!(x->l > 0))
        return trial == 0 ? -1 : NAN;
    return fabs(trial) / x->l - 1 - l->bias;
}

static void to_slip(mrn_flow *f, int i, double s)
{
    lane *l = &f->lane[i];
    const hold *x = &f->end[i];
    double trial = f->of.cut ? s : x->raw * s + x->g * l->ut;
    f->slip[i] = 1;
    f->side[i] = trial > 0 ? 1 : -1;
    l->s = f->of.cut ? x->l : s * f->side[i];
    l->edge = NAN;
    f->k[0][SP][i] = 0;
}

static void spring_again(mrn_flow *f, int i)
{
    const lane *l = &f->lane[i];
    double root = sqrt(l->delta > 0 ? l->delta : 0);
    f->k[0][SP][i] = spring_rate(f->y[SP][i], l->ut, root, root > 0 ? 1 / root : 0, l->rate,
                                 f->root[i], f->of.growing, f->of.falling);
}

static void to_stick(mrn_flow *f, int i)
{
    lane *l = &f->lane[i];
    const hold *x = &f->end[i];
    double s = l->s * f->side[i], trial = f->of.cut ? s : x->raw * s + x->g * l->ut;
    f->slip[i] = 0;
    f->y[SP][i] = f->root[i] > 0 ? s * sqrt(l->delta > 0 ? l->delta : 0) : s;
    l->bias = fmax(x->l > 0 ? fabs(trial) / x->l - 1 : 0, 0);
    l->edge = 0;
    l->error += l->doubt;
    l->doubt = 0;
    spring_again(f, i);
}

/* Largest overlap and force so far. */
static void note(lane *l)
{
    mrn_outcome *o = l->out;
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
static void note_slopes(lane *l, double within)
{
    double a1 = l->at[1] - l->at[0], a2 = l->at[2] - l->at[1];
    double d1 = (l->fn[1] - l->fn[0]) / a1, d2 = (l->fn[2] - l->fn[1]) / a2;
    bool three = l->at[0] > 0;
    l->bend = three ? 2 * (d2 - d1) / (a1 + a2) : 0;
    l->slope = three ? d2 + 0.5 * l->bend * a2 : within;
}

/* State, rates and memory of all lanes that take their step. */
static void commit(mrn_flow *f)
{
    int n = f->wide, memory = f->of.memory ? f->of.row : 0;
    for (int p = 0; p < PARTS; p++) {
        double *restrict y = f->y[p], *restrict k = f->k[0][p], *restrict go = f->go;
        double *restrict to = f->at[p], *restrict end = f->k[6][p];
#pragma omp simd
        for (int i = 0; i < n; i++) {
            y[i] = go[i] > 0 ? to[i] : y[i];
            k[i] = go[i] > 0 ? end[i] : k[i];
        }
    }
    for (int r = 0; r < memory; r++)
        for (int i = 0; i < n; i++)
            f->memory[r][i] = f->go[i] > 0 ? f->end_memory[r][i] : f->memory[r][i];
}

/* Takes the step of lane i over. */
static void take(mrn_flow *f, int i)
{
    lane *l = &f->lane[i];
    double h = f->h[i];
    l->delta = f->end_delta[i], l->rate = f->end_rate[i], l->ut = f->end_ut[i];
    double vx = f->y[VX][i], vz = f->y[VZ][i], speed2 = vx * vx + vz * vz - l->rate * l->rate;
    l->decel = f->fn7[i] * f->inv_m[i] + speed2 * f->curve[i];
    l->at[0] = l->at[1], l->at[1] = l->at[2], l->at[2] += h;
    l->fn[0] = l->fn[1], l->fn[1] = l->fn[2], l->fn[2] = f->fn7[i];
    note_slopes(l, (f->fn7[i] - f->fn6[i]) * 9 / h);
    l->tx = f->end_tx[i];
    l->damped = f->end_damped[i];
    l->hold = f->end[i];
    note(l);
    if (f->root[i] > 0 && l->rate < 0 && f->of.falling == 0) {
        f->root[i] = 0;
        if (f->slip[i] == 0 && l->delta > 0)
            f->y[SP][i] /= sqrt(l->delta);
        spring_again(f, i);
        f->k[0][SP][i] = f->slip[i] > 0 ? 0 : f->k[0][SP][i];
    }
}

/* ---- the end ---- */

static void finish(mrn_flow *f, int i, bool stuck)
{
    lane *l = &f->lane[i];
    const mrn_encounter *x = l->e;
    mrn_outcome *o = l->out;
    double dt = stuck ? 0 : to_end(f, l);
    double power = l->fn[2] > 0 ? -l->slope * dt / l->fn[2] : 0;
    double share = power > 0.5 && power < 3 ? 1 / (power + 1)
                   : l->fn[2] != 0          ? 1 + 0.5 * l->slope * dt / l->fn[2]
                                            : 0;
    double jn = share * l->fn[2] * dt, jt = share * l->tx * dt;
    double nx = x->curve * f->y[QX][i], nz = 1 + x->curve * f->y[QZ][i], r = hypot(nx, nz);
    nx /= r, nz /= r;
    o->q[0] = f->y[QX][i], o->q[2] = f->y[QZ][i];
    o->v[0] = f->y[VX][i] + (jn * nx + jt * nz) / x->m_eff;
    o->v[2] = f->y[VZ][i] + (jn * nz - jt * nx) / x->m_eff;
    double spin0 = x->radius[0] * x->spin[0][1] + x->radius[1] * x->spin[1][1];
    double lever = (spin0 - f->y[SW][i]) / f->ease[i] + jt * (1 - x->shrink * l->delta);
    for (int k = 0; k < 2; k++)
        o->w[k][1] = x->spin[k][1] - x->radius[k] * x->ease[k] * lever;
    o->time = l->at[2] + dt;
    o->stuck = stuck;
    o->steps = l->steps;
    double part = stuck ? INFINITY : to_part(l);
    o->error = SHARE * l->error + 3 * fabs(jn) / (x->m_eff * x->speed * x->cos) * dt / x->time;
    if (dt < part)
        o->error += 0.5 * dt * dt / (part * x->time);
}

/* Where lane i stands after a step it has taken; true: it is done. */
static bool done(mrn_flow *f, int i)
{
    lane *l = &f->lane[i];
    double v = l->e->speed * l->e->cos;
    bool back = l->parting && l->rate > 1e-9 * v, late = l->at[2] > PATIENCE * l->e->time;
    l->parting = l->parting || l->rate < -1e-9 * v;
    if (at_end(f, l))
        finish(f, i, false);
    else if (back || late || !isfinite(l->rate) || l->steps > ROUNDS)
        finish(f, i, true);
    else
        return false;
    if (l->steps > ROUNDS || !isfinite(l->rate))
        l->out->error = INFINITY;
    return true;
}

/* ---- a round: every lane tries a step ---- */

static void stages(mrn_flow *f)
{
    size_t bytes = (size_t)f->wide * sizeof(double);
    for (int j = 1; j < STAGES; j++) {
        combine(f, f->y, a[j], j, f->at);
        evaluate(f, f->at, f->k[j]);
        if (j == 4)
            memcpy(f->fn6, f->block.fn, bytes);
    }
    combine(f, f->zero, e, STAGES, f->err);
    memcpy(f->fn7, f->block.fn, bytes);
    memcpy(f->end_tx, f->block.tx, bytes);
    memcpy(f->end_delta, f->delta, bytes);
    memcpy(f->end_rate, f->rate, bytes);
    memcpy(f->end_ut, f->ut, bytes);
    for (int r = 0; f->of.memory && r < f->of.row; r++)
        memcpy(f->end_memory[r], f->block.history[r], bytes);
    for (int i = 0; i < f->n; i++)
        f->end_damped[i] = f->block.gamma_n[i] > 0;
    bool slips = false;
    for (int i = 0; f->of.spring && i < f->n; i++) {
        f->end[i] = hold_of(f, i);
        slips = slips || f->slip[i] > 0;
    }
    if (!slips || f->of.cut)
        return;
    half_way(f, f->at, f->half);
    evaluate(f, f->half, f->k_half);
    for (int i = 0; i < f->n; i++)
        if (f->slip[i] > 0)
            f->mid[i] = hold_of(f, i);
}

/* Whether the state at the end of the step is beyond the contact. */
static bool beyond(const mrn_flow *f, int i)
{
    bool free = f->fn7[i] == 0 && f->end_rate[i] < 0 && !f->of.pulls && !f->of.tension;
    return f->end_delta[i] <= -f->lane[i].e->range || free;
}

/* Whether lane i takes its step; if not, how long the next try is. */
static bool judge(mrn_flow *f, int i)
{
    lane *l = &f->lane[i];
    double h = f->h[i], edge = f->edge[i], err = f->norm[i], factor = f->factor[i];
    factor = factor > 0.2 ? (factor < GROWTH ? factor : GROWTH) : 0.2; /* NAN: 0.2 */
    f->factor[i] = factor;
    bool over = beyond(f, i), last = h <= LEAST * l->e->time * 1.01;
    bool far = edge > l->near && h > 1e-7 * l->e->time, fine = err <= l->tol;
    l->steps++;
    if (last || (fine && !over && !far))
        return true;
    if (far) {
        double part = l->edge < 0 ? l->edge / (l->edge - edge) : 0.25;
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
static double remembered(const mrn_flow *f, int i, double before)
{
    const lane *l = &f->lane[i];
    const hold *x = &f->end[i];
    double z = x->g > 0 ? f->h[i] * x->k / x->g : INFINITY;
    double rest = larger(l->e->time - l->at[2], 0.1 * l->e->time);
    double force = x->raw * f->doubt[i] < x->l ? x->raw * f->doubt[i] : x->l;
    double now = force * rest * f->inv_m[i] * f->per_along[i];
    return before / (1 + z + 0.5 * z * z) + DOUBT * five_thirds(now);
}

/* After lane i has taken its step; true: it is done. */
static bool settle(mrn_flow *f, int i)
{
    lane *l = &f->lane[i];
    double h = f->h[i], factor = f->factor[i], edge = f->edge[i], before = l->edge;
    l->again = false;
    if (f->slip[i] > 0)
        l->doubt = remembered(f, i, l->doubt);
    l->want = h < l->want ? fmax(l->want, factor * h) : factor * h;
    l->error += f->norm[i];
    take(f, i);
    l->s = f->slip[i] > 0 ? f->s_end[i] : l->s;
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

static void copy_rows(mrn_flow *f, int from, int to)
{
    row *const all[] = {&f->slip, &f->side,     &f->root,   &f->curve,     &f->shrink,    &f->inv_m,
                        &f->ease, &f->per_time, &f->per_vn, &f->per_along, &f->per_speed, &f->tol,
                        &f->edge, &f->doubt,    &f->go,     &f->kinks};
    for (size_t r = 0; r < sizeof all / sizeof *all; r++)
        (*all[r])[to] = (*all[r])[from];
    for (int p = 0; p < PARTS; p++) {
        f->y[p][to] = f->y[p][from];
        f->k[0][p][to] = f->k[0][p][from];
    }
    for (int r = 0; f->of.memory && r < f->of.row; r++)
        f->memory[r][to] = f->memory[r][from];
    f->block.r_eff[to] = f->block.r_eff[from];
    f->block.m_eff[to] = f->block.m_eff[from];
}

/* The last lane takes the place of one that is done. */
static void move_lane(mrn_flow *f, int from, int to)
{
    f->lane[to] = f->lane[from];
    copy_rows(f, from, to);
}

/* All lanes try a step; those that are done leave. */
static void try_steps(mrn_flow *f)
{
    bool gone[MRN_BLOCK];
    for (int i = 0; i < f->n; i++)
        f->h[i] = next_step(f, &f->lane[i]);
    stages(f);
    for (int i = 0; f->of.spring && i < f->n; i++)
        f->edge[i] = edge_of(f, i, &f->s_end[i], &f->doubt[i]);
    weigh_errors(f);
    for (int i = 0; i < f->n; i++)
        f->go[i] = judge(f, i) ? 1 : 0;
    commit(f);
    for (int i = 0; i < f->n; i++)
        gone[i] = f->go[i] > 0 && settle(f, i);
    for (int i = f->n - 1; i >= 0; i--)
        if (gone[i])
            move_lane(f, --f->n, i);
    f->wide = (f->n + WIDE - 1) / WIDE * WIDE;
}

void mrn_flow_run(mrn_flow *f, const mrn_encounter *const *x, int n, double accuracy,
                  const double *tol, mrn_outcome *const *out)
{
    f->law = x[0]->law;
    probe(f);
    for (int i = 0; i < n; i++)
        start(f, i, x[i], accuracy, tol[i], out[i]);
    f->n = n;
    f->wide = (n + WIDE - 1) / WIDE * WIDE;
    for (int i = n; i < f->wide; i++) { /* as the first, at rest */
        copy_rows(f, 0, i);
        f->h[i] = 0;
    }
    start_block(f);
    while (f->n > 0)
        try_steps(f);
}
