/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rolling law: spring and dashpot in series with a slider (EPSD). */
#include "laws/moment.h"
#include "laws/params.h"

enum { MU, RATIO, DAMPING };

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
    {"angle", "rad", true, true, "elastic part of the rolling, half a step ahead"},
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
    coef[MU] = mu;
    coef[RATIO] = v[2].given ? v[2].number : usual;
    coef[DAMPING] = v[3].number;
    return MRN_OK;
}

static void evaluate(const double *c, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    int count = b->n;
    double mu = c[MU], ratio = c[RATIO], zeta = c[DAMPING], h = b->h;
    double *restrict sx = hist[0], *restrict sy = hist[1], *restrict sz = hist[2];
    double *restrict old = hist[3];
#pragma omp simd
    for (int i = 0; i < count; i++) {
        double r = b->r_eff[i], m = b->m_eff[i], k = ratio * b->k_n[i] * r * r;
        double limit = mu * r * b->press[i], keep = mrn_stiffness_keep(old[i], k);
        double g = 2 * zeta * r * sqrt(1.4 * m * k), stop = mrn_moment_stop(m, r, h);
        mrn_vec3 n = {b->nx[i], b->ny[i], b->nz[i]}, w = {b->wx[i], b->wy[i], b->wz[i]};
        mrn_vec3 s =
            mrn_tangent_turn(n, h * b->spin[i], mrn_v3(keep * sx[i], keep * sy[i], keep * sz[i]));
        w = mrn_rolling(n, w);
        mrn_slider t = mrn_slider_step(s, mrn_scale(h, w), k, limit);
        mrn_vec3 f = mrn_cut(mrn_axpy(g < stop ? g : stop, w, t.force), limit);
        b->mx[i] -= f.x, b->my[i] -= f.y, b->mz[i] -= f.z;
        b->energy_t[i] += 0.5 * k * mrn_dot(t.spring, t.spring);
        b->power_t[i] += mrn_dot(f, w);
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
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
    .hold = hold,
};
