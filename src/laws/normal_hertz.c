/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law: Hertz, purely elastic, F = 4/3 E* sqrt(R) delta^(3/2). */
#include "laws/normal_hertz.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/hertz.h"

MRN_COEFS(mrn_hertz)

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *value, double *coef,
                          mrn_message *msg)
{
    (void)value;
    write_coef((mrn_hertz){.k43 = 4.0 / 3.0 * mat->e_star}, coef);
    return mrn_needs_young(mat, "a Hertz law", msg);
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    mrn_hertz c = read_coef(coef);
    int n = b->n;
#pragma omp simd
    for (int i = 0; i < n; i++)
        mrn_block_normal(b, i, mrn_normal_hertz_step(c, b->r_eff[i], b->delta[i]));
}

const mrn_law mrn_law_normal_hertz = {
    .name = "hertz",
    .kind = MRN_LAW_NORMAL,
    .spheres = true,
    .summary = "Hertz, purely elastic",
    .doc = "F_n = 4/3 E* sqrt(R) delta^(3/2), from the materials alone. Assumes smooth elastic "
           "bodies, a contact small against them, and impacts slow against sound. Impact at speed "
           "v: delta_max = (5 m v^2/4k)^(2/5) with k = 4/3 E* sqrt(R), contact time "
           "2.9433 delta_max/v, restitution 1. Source: Hertz 1882; Landau & Lifshitz, Theory of "
           "Elasticity, section 9.",
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = mrn_hertz_stiffness,
    .contact_time = mrn_hertz_contact_time,
};
