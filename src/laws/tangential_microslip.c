/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law: Mindlin and Deresiewicz with micro-slip, for any history of load; the idea and
   the formulas stand in the header. */
#include "laws/tangential_microslip.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/params.h"

MRN_COEFS(mrn_tangential_microslip)

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
    mrn_tangential_microslip c = {.kt = 8 * mat->g_star, .mu = v[0].number, .ratio = v[1].number};
    write_coef(c, coef);
    return MRN_OK;
}

/* Adds the force and energy of ring j; `stuck` counts those that hold. */
MRN_FORMULA void ring(mrn_tangential_microslip c, int j, const double *restrict reach,
                      const double *restrict radius, const double *restrict old,
                      double *restrict stuck, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    int n = b->n;
    double inner = mrn_ring_edge(j - 1), outer = mrn_ring_edge(j);
    double *restrict sx = hist[0], *restrict sy = hist[1], *restrict sz = hist[2];
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_ring_now of = mrn_ring_of(c, inner, outer, reach[i], radius[i], old[i], b->press[i]);
        mrn_ring t = mrn_ring_step(c, mrn_block_sliding(b, i), of, mrn_v3(sx[i], sy[i], sz[i]));
        mrn_rings_add(b, i, t, &stuck[i]);
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
    }
}

/* The same without a dashpot. */
MRN_FORMULA void ring_kept(mrn_tangential_microslip c, int j, const double *restrict reach,
                           const double *restrict radius, const double *restrict old,
                           double *restrict stuck, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    int n = b->n;
    double inner = mrn_ring_edge(j - 1), outer = mrn_ring_edge(j);
    double *restrict sx = hist[0], *restrict sy = hist[1], *restrict sz = hist[2];
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_ring_now of = mrn_ring_of(c, inner, outer, reach[i], radius[i], old[i], b->press[i]);
        mrn_ring t = mrn_ring_kept(c, mrn_block_passage(b, i), of, mrn_v3(sx[i], sy[i], sz[i]));
        mrn_rings_add(b, i, t, &stuck[i]);
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
    }
}

MRN_FORMULA void begin(mrn_law_block *b, double (*hist)[MRN_BLOCK], double *restrict reach,
                       double *restrict radius, double *restrict stuck)
{
    int n = b->n;
    for (int i = 0; i < n; i++) {
        mrn_rings_now o = mrn_rings_begin(b, hist, i);
        reach[i] = o.reach, radius[i] = o.radius;
        stuck[i] = 0;
    }
}

MRN_FORMULA void finish(mrn_tangential_microslip c, const double *restrict radius,
                        const double *restrict stuck, double *restrict old, mrn_law_block *b)
{
    int n = b->n;
    double power = b->whole ? 0 : 1;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_rings_finish(c, b, i, radius[i], stuck[i], power);
        old[i] = radius[i];
    }
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    mrn_tangential_microslip c = read_coef(coef);
    double reach[MRN_BLOCK], radius[MRN_BLOCK], stuck[MRN_BLOCK], *old = hist[MRN_RINGS_RADIUS];
    begin(b, hist, reach, radius, stuck);
    for (int j = 0; j < MRN_RINGS; j++) {
        if (b->whole)
            ring_kept(c, j, reach, radius, old, stuck, b, hist + 3 * j);
        else
            ring(c, j, reach, radius, old, stuck, b, hist + 3 * j);
    }
    finish(c, radius, stuck, old, b);
}

static double stiffness(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)m, (void)of_normal;
    return read_coef(coef).kt * sqrt(r * delta);
}

static double damping(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)r, (void)m, (void)delta;
    return read_coef(coef).ratio * of_normal;
}

static bool undamped(const double *coef, double of_normal)
{
    return !(read_coef(coef).ratio * of_normal > 0);
}

const mrn_law mrn_law_tangential_microslip = {
    .name = "micro-slip",
    .kind = MRN_LAW_TANGENTIAL,
    .spheres = true,
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
    .undamped = undamped,
};
