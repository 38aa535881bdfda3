/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law: Hertz with Tsuji's damping, F = k~ delta^(3/2) + alpha sqrt(m k~) delta^(1/4)
   d(delta)/dt (M2). */
#include "laws/begin.h"
#include "laws/hertz.h"

static const mrn_param params[] = {MRN_HZ_PARAMS};

static void evaluate(const double *c, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    int n = b->n;
    double k43 = c[MRN_HZ_K], alpha = c[MRN_HZ_ALPHA], tension = c[MRN_HZ_TENSION], h = b->h;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double d = b->delta[i], rate = b->rate[i], k = k43 * sqrt(b->r_eff[i]);
        double spring = k * d * sqrt(d);
        double g = alpha * sqrt(b->m_eff[i] * k) * mrn_quarter_begin(b->fresh[i], h, d, rate);
        double f = spring + g * rate;
        f = f < 0 ? tension * f : f;
        b->fn[i] = f;
        b->energy_n[i] = 0.4 * spring * d;
        b->loss_n[i] = (f - spring) * rate;
        b->k_n[i] = 1.5 * k * sqrt(d);
        b->gamma_n[i] = g;
    }
}

static mrn_status rigid(const mrn_material_pair *mat, const mrn_value *v, mrn_rigid *out,
                        mrn_message *msg)
{
    (void)mat, (void)msg;
    out->restitution =
        v[0].given ? v[0].number : mrn_hertz_restitution(v[1].number, v[2].number == 0);
    return MRN_OK;
}

const mrn_law mrn_law_normal_tsuji = {
    .name = "tsuji",
    .kind = MRN_LAW_NORMAL,
    .summary = "Hertz, damped after Tsuji: restitution does not depend on speed",
    .doc = "F_n = k delta^(3/2) + alpha sqrt(m k) delta^(1/4) d(delta)/dt, k = 4/3 E* sqrt(R). "
           "Elastic impact at speed v: delta_max = (5 m v^2/4k)^(2/5), contact time "
           "2.9433 delta_max/v. The power 1/4 is chosen so that restitution depends on alpha "
           "alone: exp(-pi alpha/sqrt(5 - alpha^2)) when the contact ends at zero overlap; solved "
           "exactly for the end at zero force too. Source: Tsuji, Tanaka & Ishida 1992.",
    .params = params,
    .n_params = MRN_HZ_N_PARAMS,
    .prepare = mrn_hertz_prepare,
    .evaluate = evaluate,
    .stiffness = mrn_hertz_stiffness,
    .damping = mrn_hertz_damping,
    .contact_time = mrn_hertz_contact_time,
    .rigid = rigid,
};
