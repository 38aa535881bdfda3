/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law: linear spring and dashpot, F = k delta + gamma d(delta)/dt (M1). */
#include "laws/begin.h"
#include "laws/linear.h"

static const mrn_param params[] = {MRN_LIN_PARAMS};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *value, double *coef,
                          mrn_message *msg)
{
    (void)mat;
    return mrn_linear_prepare(value, coef, msg);
}

static void evaluate(const double *c, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    int n = b->n;
    double tension = c[MRN_LIN_TENSION], h = b->h;
    double k0 = c[MRN_LIN_K], km = c[MRN_LIN_KM], g0 = c[MRN_LIN_G], zeta2 = c[MRN_LIN_ZETA2];
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double m = b->m_eff[i], k = k0 + m * km, g = g0 + zeta2 * sqrt(m * k);
        double d = b->delta[i], rate = b->rate[i], spring = k * d;
        double end = tension > 0 ? mrn_dashpot_end(h, d, rate) : 1;
        double now = g * mrn_dashpot_begin(b->fresh[i], h, d, rate);
        double f = spring + now * end * rate;
        f = f < 0 ? tension * f : f;
        b->fn[i] = f;
        b->energy_n[i] = 0.5 * spring * d;
        b->loss_n[i] = (f - spring) * rate;
        b->k_n[i] = k;
        b->gamma_n[i] = now;
    }
}

static double contact_time(const double *c, double r, double m, double v)
{
    (void)r, (void)v;
    double k = mrn_linear_k(c, m), z = mrn_linear_gamma(c, m, k) / (2 * sqrt(m * k));
    return MRN_PI * sqrt(m / k) / (z < 1 ? sqrt(1 - z * z) : 1);
}

const mrn_law mrn_law_normal_linear = {
    .name = "linear",
    .kind = MRN_LAW_NORMAL,
    .summary = "linear spring and dashpot",
    .doc = "F_n = k_n delta + gamma_n d(delta)/dt. Contact time and restitution do not depend on "
           "the speed of the impact: t_c = pi / sqrt(k_n/m - (gamma_n/2m)^2). With "
           "end-of-contact: force the pull at the end is left out, and the damping is found for "
           "the restitution that this gives. Sources: Cundall & Strack 1979; Schwager & Poeschel "
           "2007.",
    .params = params,
    .n_params = MRN_LIN_N_PARAMS,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = mrn_linear_stiffness,
    .damping = mrn_linear_damping,
    .contact_time = contact_time,
};
