/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Twisting law: spring and dashpot in series with a slider about the normal. */
#include "laws/twisting_elastic_plastic.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/params.h"

MRN_COEFS(mrn_twisting_elastic_plastic)

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
    {"twist", "rad", false, false,
     "elastic part of the twist, half a step ahead (without a dashpot: at the step)"},
    {"stiffness", "N m", false, false, "k_w at the last step"},
};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    (void)mat, (void)msg;
    double mu = v[0].number;
    double ratio = v[1].given ? v[1].number : 2.25 * mu * mu;
    write_coef((mrn_twisting_elastic_plastic){.mu = mu, .ratio = ratio, .damping = v[2].number},
               coef);
    return MRN_OK;
}

/* Springs without a dashpot. */
MRN_FORMULA void kept(mrn_twisting_elastic_plastic c, mrn_law_block *b, double *restrict twist,
                      double *restrict old)
{
    int n = b->n;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_twisting_spring t = mrn_twisting_elastic_plastic_kept(
            c, mrn_block_turning(b, i), mrn_block_twist(b, i), twist[i], old[i]);
        mrn_block_moment_kept(b, i, t.moment, t.work);
        twist[i] = t.ahead;
        old[i] = t.k;
    }
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    mrn_twisting_elastic_plastic c = read_coef(coef);
    int n = b->n;
    double *restrict twist = hist[0], *restrict old = hist[1];
    if (b->whole) {
        kept(c, b, twist, old);
        return;
    }
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_twisting_spring t =
            mrn_twisting_elastic_plastic_step(c, mrn_block_turning(b, i), twist[i], old[i]);
        mrn_block_moment(b, i, t.moment);
        twist[i] = t.ahead;
        old[i] = t.k;
    }
}

static double stiffness(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)r, (void)m, (void)delta;
    return read_coef(coef).ratio * of_normal;
}

static bool undamped(const double *coef, double of_normal)
{
    (void)of_normal;
    return !(read_coef(coef).damping > 0);
}

static void hold(const double *coef, double r, double delta, double k_n, mrn_vec3 moment,
                 double *hist)
{
    (void)delta;
    double k = mrn_twisting_elastic_plastic_k(read_coef(coef), r, k_n);
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
    .undamped = undamped,
    .hold = hold,
};
