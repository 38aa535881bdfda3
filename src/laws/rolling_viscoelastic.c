/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rolling law: what a viscoelastic ball loses as its dent travels around it. */
#include "laws/rolling_viscoelastic.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/params.h"
#include "laws/viscoelastic.h"

MRN_COEFS(mrn_rolling_viscoelastic)

enum { TIME, ETA1, ETA1_E, ETA2, ETA2_1 };

static const mrn_param params[] = {
    [TIME] =
        {.name = "relaxation-time",
         .symbol = "A",
         .unit = "s",
         .min = 0,
         .max = INFINITY,
         .fallback = NAN,
         .doc = "Relaxation time A of the pair. Give this, or eta1 and eta2; where both are given, "
                "this is that of rolling."},
    [ETA1] = MRN_PARAM_ETA1("Give this or eta1-over-young."),
    [ETA1_E] = MRN_PARAM_ETA1_OVER_YOUNG,
    [ETA2] = MRN_PARAM_ETA2("Give this or eta2-over-eta1; default 0."),
    [ETA2_1] = MRN_PARAM_ETA2_OVER_ETA1,
};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    double eta1 = 0, eta2 = 0;
    if (v[TIME].given) {
        write_coef((mrn_rolling_viscoelastic){.time = v[TIME].number}, coef);
        return MRN_OK;
    }
    mrn_status s = mrn_needs_young(mat, "a viscoelastic law", msg);
    if (s == MRN_OK)
        s = mrn_eta1(mat, &v[ETA1], &v[ETA1_E], &eta1, msg);
    if (s == MRN_OK)
        s = mrn_eta2(&v[ETA2], &v[ETA2_1], eta1, &eta2, msg);
    if (s != MRN_OK)
        return s;
    write_coef((mrn_rolling_viscoelastic){.time = mrn_viscoelastic_time(mat, eta1, eta2)}, coef);
    return MRN_OK;
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    mrn_rolling_viscoelastic c = read_coef(coef);
    int n = b->n;
#pragma omp simd
    for (int i = 0; i < n; i++)
        mrn_block_moment(b, i, mrn_rolling_viscoelastic_step(c, mrn_block_turning(b, i)));
}

static mrn_status rigid(const mrn_material_pair *mat, const mrn_value *v, mrn_rigid *out,
                        mrn_message *msg)
{
    (void)mat, (void)v, (void)out;
    return mrn_holds_no_moment("viscoelastic", msg);
}

const mrn_law mrn_law_rolling_viscoelastic = {
    .name = "viscoelastic",
    .kind = MRN_LAW_ROLLING,
    .summary = "rolling moment of viscoelastic spheres, from the viscosities of the normal law",
    .doc = "M = -A F_n (R w), w the angular velocity of one grain relative to the other across the "
           "normal, A the relaxation time of normal law viscoelastic (or zheng with factor "
           "rigorous): given, or of the same eta1 and eta2. No parameter of its own: a fit of the "
           "viscosities has the torque in it. Never more than 0.1 m R^2 |w|/h, h the time step. "
           "Vanishes at rest. Sources: Brilliantov & Poeschel 1998; theory.md for any viscosities.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .prepare = prepare,
    .evaluate = evaluate,
    .rigid = rigid,
};
