/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Twisting law: spring and dashpot in series with a slider about the normal. When C and A change
   places both the relative angular velocity and the normal change sign: the twist is even. */
#include "laws/moment.h"
#include "laws/params.h"

enum { MU, RATIO, DAMPING };

static const mrn_param params[] = {
    MRN_PARAM_TWISTING_FRICTION,
    {.name = "twisting-stiffness-ratio",
     .symbol = "k_w / (k_n R^2)",
     .unit = "1",
     .min = 0,
     .max = 100,
     .fallback = NAN,
     .doc = "Stiffness against twisting. Default 2.25 mu_w^2, as elastic-plastic rolling has it."},
    {.name = "twisting-damping",
     .symbol = "eta_w",
     .unit = "1",
     .min = 0,
     .max = 2,
     .fallback = 0.3,
     .doc = "Damping over that which is critical for a grain that spins on a wall, "
            "2 sqrt(2/5 m R^2 k_w); between equal grains half of this share."},
};

static const mrn_history history[] = {
    {"twist", "rad", false, false, "elastic part of the twist, half a step ahead"},
    {"stiffness", "N m", false, false, "k_w at the last step"},
};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    (void)mat, (void)msg;
    double mu = v[0].number;
    coef[MU] = mu;
    coef[RATIO] = v[1].given ? v[1].number : 2.25 * mu * mu;
    coef[DAMPING] = v[2].number;
    return MRN_OK;
}

static void evaluate(const double *c, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    int count = b->n;
    double mu = c[MU], ratio = c[RATIO], zeta = c[DAMPING], h = b->h;
    double *restrict twist = hist[0], *restrict old = hist[1];
#pragma omp simd
    for (int i = 0; i < count; i++) {
        double r = b->r_eff[i], m = b->m_eff[i], k = ratio * b->k_n[i] * r * r;
        double limit = mu * r * b->press[i], keep = mrn_stiffness_keep(old[i], k);
        double g = 2 * zeta * r * sqrt(0.4 * m * k), stop = mrn_moment_stop(m, r, h);
        double w = b->nx[i] * b->wx[i] + b->ny[i] * b->wy[i] + b->nz[i] * b->wz[i];
        mrn_vec3 s = {keep * twist[i], 0, 0}, move = {h * w, 0, 0};
        mrn_slider t = mrn_slider_step(s, move, k, limit);
        double f = t.force.x + (g < stop ? g : stop) * w;
        f = f > limit ? limit : f;
        f = f < -limit ? -limit : f;
        b->mx[i] -= f * b->nx[i], b->my[i] -= f * b->ny[i], b->mz[i] -= f * b->nz[i];
        b->energy_t[i] += 0.5 * k * t.spring.x * t.spring.x;
        b->power_t[i] += f * w;
        twist[i] = t.ahead.x;
        old[i] = k;
    }
}

static double stiffness(const double *c, double r, double m, double delta, double of_normal)
{
    (void)r, (void)m, (void)delta;
    return c[RATIO] * of_normal;
}

static void hold(const double *c, double r, double delta, double k_n, mrn_vec3 moment, double *hist)
{
    (void)delta;
    double k = c[RATIO] * k_n * r * r;
    hist[0] = k > 0 ? -moment.x / k : 0;
    hist[1] = k;
}

const mrn_law mrn_law_twisting_elastic_plastic = {
    .name = "elastic-plastic",
    .kind = MRN_LAW_TWISTING,
    .summary = "elastic-plastic spring-dashpot against spinning about the normal",
    .doc = "M = -(k_w phi + g_w d(phi)/dt) n, |M| <= mu_w R F_n, phi the twist of one grain "
           "against the other about the normal since the contact began, its elastic part only. "
           "k_w follows the normal stiffness as in elastic-plastic rolling, so energy is never "
           "made; g_w = 2 eta_w sqrt(2/5 m R^2 k_w). For a Hertz contact that slides all over, "
           "mu_w R = 3 pi/16 mu a, a the contact radius. Sources: Johnson 1985 (section 7.5); "
           "Luding 2008 (torsion resistance).",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .history = history,
    .n_history = 2,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = stiffness,
    .hold = hold,
};
