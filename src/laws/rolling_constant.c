/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rolling law: a moment of constant size against rolling. */
#include "laws/rolling_constant.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/params.h"

MRN_COEFS(mrn_rolling_constant)

static const mrn_param params[] = {MRN_PARAM_ROLLING_FRICTION};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    (void)mat, (void)msg;
    write_coef((mrn_rolling_constant){.mu = v[0].number}, coef);
    return MRN_OK;
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    mrn_rolling_constant c = read_coef(coef);
    int n = b->n;
#pragma omp simd
    for (int i = 0; i < n; i++)
        mrn_block_moment(b, i, mrn_rolling_constant_step(c, mrn_block_turning(b, i)));
}

const mrn_law mrn_law_rolling_constant = {
    .name = "constant-torque",
    .kind = MRN_LAW_ROLLING,
    .summary = "rolling moment of constant size, for flows",
    .doc = "M = -mu_r R F_n w/|w|, w the angular velocity of one grain relative to the other "
           "across the normal. A moment of constant size would chatter about rest, so it is never "
           "more than 0.1 m R^2 |w|/h, h the time step, less than what stops the rolling in one "
           "step (the effective inertia is at least 0.4 m R^2): as h goes to 0 so does the range "
           "of speeds where this matters. Grains at rest therefore creep, at speeds of order "
           "10 h g: for flows, not for heaps that must stand; for these use elastic-plastic. "
           "Sources: Zhou, Wright, Yang, Xu & Yu 1999 (model A); Ai, Chen, Rotter & Ooi 2011.",
    .params = params,
    .n_params = 1,
    .prepare = prepare,
    .evaluate = evaluate,
};
