/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law of M1: spring k_t and dashpot gamma_t, cut at Coulomb's limit as a vector. */
#include "laws/linear.h"
#include "laws/tangent.h"

enum { KAPPA = MRN_LIN_BASE, GAMMA_RATIO, MU };

static const mrn_param params[] = {
    MRN_LIN_PARAMS,
    MRN_PARAM_FRICTION,
    {.name = "stiffness-ratio",
     .symbol = "kappa",
     .unit = "1",
     .min = 0,
     .max = 10,
     .fallback = NAN,
     .doc = "k_t / k_n. Default: that of elastic spheres of the two materials, "
            "2 (1 - nu) / (2 - nu) when they are alike."},
    {.name = "damping-ratio",
     .symbol = "gamma_t / gamma_n",
     .unit = "1",
     .min = 0,
     .max = 10,
     .fallback = 1,
     .doc = "Tangential over normal dashpot constant."},
};

static const mrn_history history[] = {
    {"spring", "m", true, true, "tangential elongation, half a step ahead"}};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    mrn_status s = mrn_linear_prepare(v, coef, msg);
    coef[MU] = v[MRN_LIN_N_PARAMS].number;
    coef[KAPPA] = v[MRN_LIN_N_PARAMS + 1].given ? v[MRN_LIN_N_PARAMS + 1].number : mat->kappa;
    coef[GAMMA_RATIO] = v[MRN_LIN_N_PARAMS + 2].number;
    return s;
}

static void evaluate(const double *c, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    int count = b->n;
    double kappa = c[KAPPA], ratio = c[GAMMA_RATIO], mu = c[MU], h = b->h;
    double k0 = c[MRN_LIN_K], km = c[MRN_LIN_KM], g0 = c[MRN_LIN_G], zeta2 = c[MRN_LIN_ZETA2];
    double *restrict sx = hist[0], *restrict sy = hist[1], *restrict sz = hist[2];
#pragma omp simd
    for (int i = 0; i < count; i++) {
        double m = b->m_eff[i], k = k0 + m * km, kt = kappa * k;
        double g = ratio * (g0 + zeta2 * sqrt(m * k));
        g *= mrn_dashpot_begin(b->fresh[i], h, b->delta[i], b->rate[i]);
        mrn_vec3 n = {b->nx[i], b->ny[i], b->nz[i]}, u = {b->ux[i], b->uy[i], b->uz[i]};
        mrn_vec3 s = mrn_tangent_turn(n, h * b->spin[i], mrn_v3(sx[i], sy[i], sz[i]));
        double lead = mrn_tangent_lead(b->fresh[i], h, b->delta[i], b->rate[i]);
        double limit = mu * fabs(b->fn[i]);
        mrn_tangent t = mrn_tangent_force(s, u, kt, g, limit, lead, lead + 0.5 * h);
        b->tx[i] = -t.force.x, b->ty[i] = -t.force.y, b->tz[i] = -t.force.z;
        b->energy_t[i] = 0.5 * kt * mrn_dot(t.spring, t.spring);
        b->power_t[i] = mrn_dot(t.force, u);
        b->slip[i] = t.slide;
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
    }
}

static double stiffness(const double *c, double r, double m, double delta)
{
    (void)r, (void)delta;
    return c[KAPPA] * mrn_linear_k(c, m);
}

static double damping(const double *c, double r, double m, double delta)
{
    (void)r, (void)delta;
    return c[GAMMA_RATIO] * mrn_linear_gamma(c, m, mrn_linear_k(c, m));
}

const mrn_law mrn_law_tangential_linear = {
    .name = "linear-friction",
    .kind = MRN_LAW_TANGENTIAL,
    .summary = "linear spring and dashpot with Coulomb friction",
    .doc = "F_t = -(k_t xi + gamma_t d(xi)/dt), |F_t| <= mu F_n; xi is the elongation since the "
           "contact began, turned with "
           "the contact. On sliding the whole vector is shortened to the limit, and the spring "
           "with it. "
           "Source: Cundall & Strack 1979.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .history = history,
    .n_history = 1,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = stiffness,
    .damping = damping,
};
