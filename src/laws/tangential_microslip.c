/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law: Mindlin and Deresiewicz with micro-slip, for any history of load. By the method
   of dimensionality reduction the contact of two spheres is a row of independent springs at
   distance x from the middle, each pressed with E* (delta - x^2/R) dx, of tangential stiffness
   4 G* dx, each with its own Coulomb limit. That row has the same force as the contact for all
   histories (Jaeger's theorem), and cannot make energy. Here it is cut into rings, and each ring
   moves as one.

   Ring edges lie at overlaps R 2^(k/4), k whole, so they stay where they are while the contact
   grows and shrinks; a contact holds the 16 rings below the power of two next above its overlap
   (its level), the innermost reaching to the middle. When the level rises the rings that become too
   small join the innermost with their force (which only loses energy); when it falls the innermost
   is divided. */
#include "laws/params.h"
#include "laws/tangent.h"

#define RINGS      16
#define PER_OCTAVE 4 /* rings while the overlap doubles */

enum { KT, MU, DAMPING };

/* Outer edge of each ring over that of the last, sqrt(R 2^level R): 2^(-(15 - j)/8). */
static const double edge[RINGS] = {
    0.2726269331663144, 0.2973017787506803, 0.3242098886627524, 0.3535533905932738,
    0.3855527063519852, 0.4204482076268573, 0.4585020216023356, 0.5000000000000000,
    0.5452538663326288, 0.5946035575013605, 0.6484197773255048, 0.7071067811865476,
    0.7711054127039704, 0.8408964152537145, 0.9170040432046712, 1};

static const mrn_param params[] = {
    MRN_PARAM_FRICTION,
    MRN_PARAM_DAMPING_RATIO,
};

#define RING(j)                                                                                    \
    {                                                                                              \
        "ring-" #j, "m", true, true, "elongation of ring " #j " from inside, half a step ahead"    \
    }
static const mrn_history history[] = {
    RING(1),
    RING(2),
    RING(3),
    RING(4),
    RING(5),
    RING(6),
    RING(7),
    RING(8),
    RING(9),
    RING(10),
    RING(11),
    RING(12),
    RING(13),
    RING(14),
    RING(15),
    RING(16),
    {"contact-radius", "m", false, false, "sqrt(R delta) at the last step"},
    {"level", "1", false, false, "the last ring ends at the overlap R 2^level"},
};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    mrn_status s = mrn_needs_young(mat, "micro-slip", msg);
    if (s != MRN_OK)
        return s;
    coef[KT] = 8 * mat->g_star;
    coef[MU] = v[0].number;
    coef[DAMPING] = v[1].number;
    return MRN_OK;
}

/* Part of the Hertz force that presses within the share p of the contact radius. */
static inline double within(double p)
{
    return 0.5 * p * (3 - p * p);
}

static inline double least(double a, double b)
{
    return a < b ? a : b;
}

/* Ring from inner to outer edge (over `reach`, that of the last): adds its force and energy;
   `stuck` counts those that hold. */
static void ring(double inner, double outer, double kt8, double mu, const double *restrict reach,
                 const double *restrict radius, const double *restrict old, double *restrict stuck,
                 mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    int count = b->n;
    double h = b->h;
    double *restrict sx = hist[0], *restrict sy = hist[1], *restrict sz = hist[2];
#pragma omp simd
    for (int i = 0; i < count; i++) {
        double from = reach[i] * inner, to = reach[i] * outer;
        double a = radius[i], inv = a > 0 ? 1 / a : 0, hi = least(to, a), lo = least(from, a);
        double width = hi - lo, was = least(to, old[i]) - least(from, old[i]);
        double k = kt8 * width, limit = mu * b->press[i] * (within(hi * inv) - within(lo * inv));
        double keep = mrn_stiffness_keep(was, width);
        mrn_vec3 n = {b->nx[i], b->ny[i], b->nz[i]}, u = {b->ux[i], b->uy[i], b->uz[i]};
        mrn_vec3 s =
            mrn_tangent_turn(n, h * b->spin[i], mrn_v3(keep * sx[i], keep * sy[i], keep * sz[i]));
        mrn_slider t = mrn_slider_step(s, mrn_scale(h, u), k, limit);
        b->tx[i] += t.force.x, b->ty[i] += t.force.y, b->tz[i] += t.force.z;
        b->energy_t[i] += 0.5 * k * mrn_dot(t.spring, t.spring);
        stuck[i] += width > 0 ? 1 - t.slide : 0;
        sx[i] = width > 0 ? t.ahead.x : 0;
        sy[i] = width > 0 ? t.ahead.y : 0;
        sz[i] = width > 0 ? t.ahead.z : 0;
    }
}

/* One component of all rings of a contact whose level has risen by `up` rings (fallen, if
   negative). `reach` is the last edge before, `old` the contact radius then. */
static void move_rings(double (*s)[MRN_BLOCK], int i, int up, double reach, double old)
{
    double was[RINGS], force = 0, width = 0;
    for (int j = 0; j < RINGS; j++)
        was[j] = s[3 * j][i];
    for (int j = 0; j < RINGS && j <= up; j++) { /* those that join: the force stays */
        double w = least(reach * edge[j], old) - (j > 0 ? least(reach * edge[j - 1], old) : 0);
        force += w * was[j];
        width += w;
    }
    double inmost = up > 0 ? (width > 0 ? force / width : 0) : was[0];
    for (int j = 0; j < RINGS; j++) {
        int from = j + up;
        s[3 * j][i] = j == 0 || from <= 0 ? inmost : from < RINGS ? was[from] : 0;
    }
}

static double last_edge(double r, double level)
{
    return r * sqrt(ldexp(1, (int)level));
}

/* Brings a contact to the level of its overlap. */
static void relevel(double (*hist)[MRN_BLOCK], int i, double r, double delta)
{
    double *level = &hist[3 * RINGS + 1][i], old = hist[3 * RINGS][i];
    int now;
    (void)frexp(delta / r, &now);
    if (!(delta > 0) || now == *level)
        return;
    double rise = PER_OCTAVE * (now - *level);
    int up = rise > RINGS ? RINGS : rise < -RINGS ? -RINGS : (int)rise;
    for (int k = 0; k < 3 && old > 0; k++)
        move_rings(hist + k, i, up, last_edge(r, *level), old);
    *level = now;
}

/* Radii of this step and the last edges. Forces and energies are set to 0. */
static void begin(mrn_law_block *b, double (*hist)[MRN_BLOCK], double *restrict reach,
                  double *restrict radius, double *restrict stuck)
{
    int count = b->n;
    for (int i = 0; i < count; i++) {
        double r = b->r_eff[i];
        relevel(hist, i, r, b->delta[i]);
        radius[i] = sqrt(r * b->delta[i]);
        /* not within the contact, though round-off may say so */
        double last = last_edge(r, hist[3 * RINGS + 1][i]);
        reach[i] = last > radius[i] ? last : radius[i];
        stuck[i] = 0;
        b->tx[i] = b->ty[i] = b->tz[i] = 0;
        b->energy_t[i] = 0;
    }
}

/* From the sum of the rings to the force on C: the dashpot joins, and the whole is cut. */
static void finish(const double *c, const double *restrict radius, const double *restrict stuck,
                   double *restrict old, mrn_law_block *b)
{
    int count = b->n;
    double mu = c[MU], ratio = c[DAMPING];
#pragma omp simd
    for (int i = 0; i < count; i++) {
        mrn_vec3 u = {b->ux[i], b->uy[i], b->uz[i]}, f = {b->tx[i], b->ty[i], b->tz[i]};
        f = mrn_cut(mrn_axpy(ratio * b->gamma_n[i], u, f), mu * b->press[i]);
        b->tx[i] = -f.x, b->ty[i] = -f.y, b->tz[i] = -f.z;
        b->power_t[i] = mrn_dot(f, u);
        b->slip[i] = radius[i] > 0 && stuck[i] == 0 ? 1 : 0;
        old[i] = radius[i];
    }
}

static void evaluate(const double *c, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    double reach[MRN_BLOCK], radius[MRN_BLOCK], stuck[MRN_BLOCK], *old = hist[3 * RINGS];
    begin(b, hist, reach, radius, stuck);
    for (int j = 0; j < RINGS; j++)
        ring(j > 0 ? edge[j - 1] : 0, edge[j], c[KT], c[MU], reach, radius, old, stuck, b,
             hist + 3 * j);
    finish(c, radius, stuck, old, b);
}

static double stiffness(const double *c, double r, double m, double delta, double of_normal)
{
    (void)m, (void)of_normal;
    return c[KT] * sqrt(r * delta);
}

static double damping(const double *c, double r, double m, double delta, double of_normal)
{
    (void)r, (void)m, (void)delta;
    return c[DAMPING] * of_normal;
}

const mrn_law mrn_law_tangential_microslip = {
    .name = "micro-slip",
    .kind = MRN_LAW_TANGENTIAL,
    .summary = "Mindlin-Deresiewicz: micro-slip, any history of load, 16 rings",
    .doc = "The contact is cut into rings of x, the distance from its middle; each is a spring of "
           "stiffness 8 G* dx that slides by itself at mu times its part of the Hertz pressure, "
           "3/2 (1 - x^2/a^2) dx/a of the force, a = sqrt(R delta). With infinitely many rings "
           "this is the theory of Cattaneo, Mindlin & Deresiewicz for every history of normal and "
           "tangential load: first loading "
           "T = mu N (1 - (1 - xi/xi_max)^(3/2)), xi_max = mu delta E*/(4 G*); hysteresis on "
           "reversal; no slip while dT/dN < mu and the load grows. Here 16 rings, four to each "
           "doubling of the overlap: forces to 1 % of mu N on first loading, 2 % on any path; loss "
           "per cycle to 5 % for amplitudes above mu N/2, to a quarter at 0.3 mu N, none below a "
           "tenth. "
           "A ring that grows keeps its force, one that loses touch loses its part "
           "of it: energy is never made. A dashpot (that of the normal law times "
           "damping-ratio) joins and the whole is cut at mu N as a vector. Use it where small "
           "oscillations and their loss matter, below sliding; costs several times `mindlin` and "
           "50 numbers per contact. Sources: Mindlin & Deresiewicz 1953; Jaeger 1998; "
           "Popov & Hess 2015 (method of dimensionality reduction).",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .history = history,
    .n_history = sizeof history / sizeof *history,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = stiffness,
    .damping = damping,
};
