/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law: spring and dashpot side by side that never pull, F = max(0, k delta + c d(delta)/dt).
 */
#include "laws/begin.h"
#include "laws/linear.h"

static const mrn_param params[] = {
    {.name = "normal-stiffness",
     .symbol = "k_n",
     .unit = "N/m",
     .min = 0,
     .min_open = true,
     .max = INFINITY,
     .required = true,
     .fallback = NAN,
     .doc = "Spring stiffness."},
    MRN_PARAM_RESTITUTION("normal-damping"),
    MRN_PARAM_NORMAL_DAMPING,
};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    (void)mat;
    const mrn_value *e = &v[1], *g = &v[2];
    if (!(v[0].number > 0)) {
        mrn_fail(msg, MRN_ERR_INPUT, "normal-stiffness is not given");
        return mrn_fail_expected(msg, "normal-stiffness above 0");
    }
    if (mrn_one_of(e, "restitution", g, "normal-damping", msg) != MRN_OK)
        return mrn_fail_hint(msg, "restitution: 0.9 suits glass beads");
    coef[MRN_LIN_K] = v[0].number;
    coef[MRN_LIN_KM] = 0;
    coef[MRN_LIN_G] = g->given ? g->number : 0;
    coef[MRN_LIN_ZETA2] = e->given ? 2 * mrn_linear_zeta(e->number, true) : 0;
    return MRN_OK;
}

static void evaluate(const double *c, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    int n = b->n;
    double k = c[MRN_LIN_K], g0 = c[MRN_LIN_G], zeta2 = c[MRN_LIN_ZETA2], h = b->h;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double d = b->delta[i], rate = b->rate[i], spring = k * d;
        double g =
            (g0 + zeta2 * sqrt(b->m_eff[i] * k)) * mrn_dashpot_begin(b->fresh[i], h, d, rate);
        double f = spring + g * rate;
        f = f < 0 ? 0 : f;
        b->fn[i] = f;
        b->energy_n[i] = 0.5 * spring * d;
        b->loss_n[i] = (f - spring) * rate;
        b->k_n[i] = k;
        b->gamma_n[i] = g;
    }
}

const mrn_law mrn_law_normal_elastic_viscous = {
    .name = "elastic-viscous",
    .kind = MRN_LAW_NORMAL,
    .summary = "linear spring and dashpot that never pull",
    .doc = "F_n = max(0, k_n delta + gamma_n d(delta)/dt): no tension ever. The same force as "
           "normal law linear with end-of-contact: force; linear adds the stiffness from a contact "
           "time and the end at zero overlap, where the dashpot may pull. The overlap left when "
           "the force has come back to zero relaxes without force. Restitution depends on "
           "zeta = gamma_n/(2 sqrt(m k_n)) alone, exp(-zeta/w (pi - atan2(2 zeta w, 1 - 2 zeta^2)))"
           " with w = sqrt(1 - zeta^2), and is inverted exactly, beyond the critical damping too; "
           "contact time until the force is zero (pi - atan2(2 zeta w, 1 - 2 zeta^2))/(w0 w), "
           "w0 = sqrt(k_n/m). Source: Schwager & Poeschel 2007.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = mrn_linear_stiffness,
    .damping = mrn_linear_damping,
    .contact_time = mrn_linear_time_to_zero_force,
};
