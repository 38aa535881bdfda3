/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cohesion law: Derjaguin, Muller & Toporov, a constant pull while in touch. */
#include "laws/cohesion_dmt.h"

#include "base/dispatch.h"
#include "laws/adhesion.h"
#include "laws/coef.h"

MRN_COEFS(mrn_cohesion_dmt)

static const mrn_param params[] = {MRN_ADHESION_PARAMS};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    (void)mat;
    double work = 0;
    mrn_status s = mrn_adhesion_work(v, &work, msg);
    write_coef((mrn_cohesion_dmt){.pull = 2 * MRN_PI * work}, coef);
    return s;
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    mrn_cohesion_dmt c = read_coef(coef);
    int n = b->n;
    double h = b->h;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_cohesion f =
            mrn_cohesion_dmt_step(c, b->r_eff[i], b->delta[i], b->rate[i], b->fresh[i], h);
        b->fn[i] += f.fn;
        b->energy_n[i] += f.energy;
    }
}

/* The pull-off force, 2 pi W R. */
static mrn_status rigid(const mrn_material_pair *mat, const mrn_value *v, mrn_rigid *out,
                        mrn_message *msg)
{
    (void)mat;
    double work = 0;
    mrn_status s = mrn_adhesion_work(v, &work, msg);
    out->pull_per_radius = 2 * MRN_PI * work;
    return s;
}

const mrn_law mrn_law_cohesion_dmt = {
    .name = "dmt",
    .kind = MRN_LAW_COHESION,
    .spheres = true,
    .summary = "adhesion of hard, small grains: a constant pull while in touch (DMT)",
    .doc = "F = F_n - 2 pi W R while the grains overlap, F_n the normal law (Hertz in the theory, "
           "any here); pull-off force 2 pi W R. The pull begins and ends at zero overlap, so it "
           "stores U = -2 pi W R delta and loses nothing: adhesion at a distance is left out. "
           "Coulomb's limit is mu F_n, the force between the solids, so friction remains at zero "
           "load. For a Tabor parameter (R W^2/(E*^2 z0^3))^(1/3), z0 about 0.3 nm, below 0.1; "
           "above 5 use jkr. Source: Derjaguin, Muller & Toporov 1975.",
    .params = params,
    .n_params = MRN_ADHESION_N_PARAMS,
    .prepare = prepare,
    .evaluate = evaluate,
    .rigid = rigid,
};
