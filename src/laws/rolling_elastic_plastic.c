/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rolling law: spring and dashpot in series with a slider (EPSD). */
#include "laws/rolling_elastic_plastic.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/params.h"

MRN_COEFS(mrn_rolling_elastic_plastic)

static const char *const sources[] = {"ai", "iwashita-oda", NULL};

static const mrn_param params[] = {
    MRN_PARAM_ROLLING_FRICTION,
    {.name = "rolling-stiffness",
     .symbol = "k_r",
     .kind = MRN_P_CHOICE,
     .unit = "1",
     .max = 1,
     .fallback = 0,
     .choices = sources,
     .doc = "Stiffness against rolling. ai: k_r = 2.25 k_n (mu_r R)^2 (default); iwashita-oda: "
            "k_r = k_t R^2, k_t = kappa k_n with kappa of elastic spheres of the two materials."},
    {.name = "rolling-stiffness-ratio",
     .symbol = "k_r / (k_n R^2)",
     .unit = "1",
     .min = 0,
     .max = 100,
     .fallback = NAN,
     .doc = "Stiffness against rolling, given as a number in place of rolling-stiffness."},
    {.name = "rolling-damping",
     .symbol = "eta_r",
     .unit = "1",
     .min = 0,
     .max = 2,
     .fallback = 0.3,
     .doc = "Damping over that which is critical for a grain that rolls on a wall, 2 sqrt(7/5 m "
            "R^2 k_r); between equal grains half of this share."},
};

static const mrn_history history[] = {
    {"angle", "rad", true, true,
     "elastic part of the rolling, half a step ahead (without a dashpot: at the step)"},
    {"stiffness", "N m", false, false, "k_r at the last step"},
};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    if (v[1].given && v[2].given) {
        mrn_fail(msg, MRN_ERR_INPUT,
                 "both rolling-stiffness and rolling-stiffness-ratio are given");
        mrn_fail_at(msg, "", v[2].line, v[2].column);
        return mrn_fail_expected(msg, "at most one of the two");
    }
    double mu = v[0].number, usual = v[1].number > 0.5 ? mat->kappa : 2.25 * mu * mu;
    double ratio = v[2].given ? v[2].number : usual;
    write_coef((mrn_rolling_elastic_plastic){.mu = mu, .ratio = ratio, .damping = v[3].number},
               coef);
    return MRN_OK;
}

/* Springs without a dashpot. */
MRN_FORMULA void kept(mrn_rolling_elastic_plastic c, mrn_law_block *b, double *restrict sx,
                      double *restrict sy, double *restrict sz, double *restrict old)
{
    int n = b->n;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_rolling_spring t =
            mrn_rolling_elastic_plastic_kept(c, mrn_block_turning(b, i), mrn_block_rolling(b, i),
                                             mrn_v3(sx[i], sy[i], sz[i]), old[i]);
        mrn_block_moment_kept(b, i, t.moment, t.work);
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
        old[i] = t.k;
    }
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    mrn_rolling_elastic_plastic c = read_coef(coef);
    int n = b->n;
    double *restrict sx = hist[0], *restrict sy = hist[1], *restrict sz = hist[2];
    double *restrict old = hist[3];
    if (b->whole) {
        kept(c, b, sx, sy, sz, old);
        return;
    }
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_rolling_spring t = mrn_rolling_elastic_plastic_step(
            c, mrn_block_turning(b, i), mrn_v3(sx[i], sy[i], sz[i]), old[i]);
        mrn_block_moment(b, i, t.moment);
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
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
    double k = mrn_rolling_elastic_plastic_k(read_coef(coef), r, k_n);
    mrn_store3(hist, mrn_scale(k > 0 ? -1 / k : 0, moment));
    hist[3] = k;
}

const mrn_law mrn_law_rolling_elastic_plastic = {
    .name = "elastic-plastic",
    .kind = MRN_LAW_ROLLING,
    .summary = "elastic-plastic spring-dashpot against rolling (EPSD)",
    .doc = "M = -(k_r theta + g_r d(theta)/dt), |M| <= mu_r R F_n as a vector, theta the rolling "
           "of one grain on the other across the normal since the contact began, its elastic part "
           "only: at the limit the spring yields. k_r follows the normal stiffness (when it grows "
           "the moment stays, when it falls the moment falls with it, so energy is never made); "
           "g_r = 2 eta_r sqrt(7/5 m R^2 k_r). Holds grains at rest: heaps, angles of repose, "
           "shapes that do not roll freely. Does no work on spinning about the normal. Sources: "
           "Iwashita & Oda 1998; Ai, Chen, Rotter & Ooi 2011 (model C).",
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
