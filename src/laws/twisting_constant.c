/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Twisting law: a moment of constant size against spinning about the normal. */
#include "laws/twisting_constant.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/params.h"

MRN_COEFS(mrn_twisting_constant)

static const mrn_param params[] = {MRN_PARAM_TWISTING_FRICTION};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    (void)mat, (void)msg;
    write_coef((mrn_twisting_constant){.mu = v[0].number}, coef);
    return MRN_OK;
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    mrn_twisting_constant c = read_coef(coef);
    int n = b->n;
#pragma omp simd
    for (int i = 0; i < n; i++)
        mrn_block_moment(b, i, mrn_twisting_constant_step(c, mrn_block_turning(b, i)));
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
