/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law: spring and dashpot side by side that never pull, F = max(0, k delta + c d(delta)/dt).
 */
#include "laws/normal_elastic_viscous.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/linear.h"

MRN_COEFS(mrn_linear)

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
    write_coef((mrn_linear){.k = v[0].number,
                            .g = g->given ? g->number : 0,
                            .zeta2 = e->given ? 2 * mrn_linear_zeta(e->number, true) : 0},
               coef);
    return MRN_OK;
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    mrn_linear c = read_coef(coef);
    int n = b->n;
    double h = b->h;
#pragma omp simd
    for (int i = 0; i < n; i++)
        mrn_block_normal(b, i,
                         mrn_normal_elastic_viscous_step(c, b->m_eff[i], b->delta[i], b->rate[i],
                                                         b->fresh[i], h));
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
