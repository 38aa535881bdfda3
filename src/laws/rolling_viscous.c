/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rolling law: a moment that grows with the speed of rolling. */
#include "laws/rolling_viscous.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/params.h"

MRN_COEFS(mrn_rolling_viscous)

static const mrn_param params[] = {
    {.name = "rolling-viscosity",
     .symbol = "eta_r",
     .unit = "s/m",
     .min = 0,
     .max = INFINITY,
     .required = true,
     .doc = "Rolling moment over R F_n per speed R |w|, R the effective radius."},
};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    (void)mat, (void)msg;
    write_coef((mrn_rolling_viscous){.eta = v[0].number}, coef);
    return MRN_OK;
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    mrn_rolling_viscous c = read_coef(coef);
    int n = b->n;
#pragma omp simd
    for (int i = 0; i < n; i++)
        mrn_block_moment(b, i, mrn_rolling_viscous_step(c, mrn_block_turning(b, i)));
}

static mrn_status rigid(const mrn_material_pair *mat, const mrn_value *v, mrn_rigid *out,
                        mrn_message *msg)
{
    (void)mat, (void)out;
    if (!(v[0].number > 0))
        return MRN_OK;
    mrn_status refused = mrn_holds_no_moment("viscous-torque", msg);
    mrn_fail_at(msg, "", v[0].line, v[0].column);
    return refused;
}

const mrn_law mrn_law_rolling_viscous = {
    .name = "viscous-torque",
    .kind = MRN_LAW_ROLLING,
    .summary = "rolling moment proportional to the speed of rolling",
    .doc = "M = -eta_r R F_n (R w), w the angular velocity of one grain relative to the other "
           "across the normal; never more than 0.1 m R^2 |w|/h, h the time step, so that the "
           "explicit step stays stable. Slows rolling, does not hold it: vanishes at rest. "
           "Sources: Zhou, Wright, Yang, Xu & Yu 1999 (model B); Brilliantov & Poeschel 1998.",
    .params = params,
    .n_params = 1,
    .prepare = prepare,
    .evaluate = evaluate,
    .rigid = rigid,
};
