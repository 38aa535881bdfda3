/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Twisting law: a moment of constant size against spinning about the normal. */
#include "laws/moment.h"

static const mrn_param params[] = {MRN_PARAM_TWISTING_FRICTION};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    (void)mat, (void)msg;
    coef[0] = v[0].number;
    return MRN_OK;
}

static void evaluate(const double *c, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    int count = b->n;
    double mu = c[0], h = b->h;
#pragma omp simd
    for (int i = 0; i < count; i++) {
        double w = b->nx[i] * b->wx[i] + b->ny[i] * b->wy[i] + b->nz[i] * b->wz[i];
        double full = mu * b->r_eff[i] * b->press[i] / fabs(w);
        double stop = mrn_moment_stop(b->m_eff[i], b->r_eff[i], h);
        double f = (full < stop ? full : stop) * w;
        b->mx[i] -= f * b->nx[i], b->my[i] -= f * b->ny[i], b->mz[i] -= f * b->nz[i];
        b->power_t[i] += f * w;
    }
}

const mrn_law mrn_law_twisting_constant = {
    .name = "constant",
    .kind = MRN_LAW_TWISTING,
    .summary = "twisting moment of constant size, for flows",
    .doc = "M = -mu_w R F_n sign(w_n) n, w_n the angular velocity of one grain relative to the "
           "other about the normal; never more than 0.1 m R^2 |w_n|/h, h the time step, so that "
           "it does not chatter about rest, where grains creep instead. For a Hertz contact that "
           "slides all over, mu_w R = 3 pi/16 mu a, a = sqrt(R delta) the contact radius. "
           "Source: Johnson 1985 (section 7.5) for the sliding moment.",
    .params = params,
    .n_params = 1,
    .prepare = prepare,
    .evaluate = evaluate,
};
