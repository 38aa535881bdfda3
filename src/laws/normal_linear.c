/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law: linear spring and dashpot, F = k delta + gamma d(delta)/dt (M1). */
#include "laws/normal_linear.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/lanes.h"
#include "laws/linear.h"

MRN_COEFS(mrn_linear)

static const mrn_param params[] = {MRN_LIN_PARAMS};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *value, double *coef,
                          mrn_message *msg)
{
    (void)mat;
    mrn_linear c;
    mrn_status s = mrn_linear_prepare(value, &c, msg);
    if (s == MRN_OK)
        write_coef(c, coef);
    return s;
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    mrn_linear c = read_coef(coef);
    int n = b->n;
    double h = b->h;
    const double *own = mrn_block_own_mass(b);
#pragma omp simd
    for (int i = 0; i < n; i++)
        mrn_block_normal(b, i,
                         mrn_normal_linear_geared_step(c, b->m_eff[i], own[i], b->delta[i],
                                                       b->rate[i], b->fresh[i], h));
}

/* ---- many contacts at an instant ---- */

typedef mrn_normal_linear_contact contact;

static void load(const double *coef, double r, double m, double *out)
{
    (void)r;
    contact c = mrn_normal_linear_of(read_coef(coef), m);
    MRN_LANE_STORE(c, out);
}

MRN_DISPATCHED static void answer(mrn_lanes *f, int from, int to)
{
#pragma omp simd
    for (int i = from; i < to; i++) {
        contact c = {.k = MRN_LANE(f->normal, contact, k, i),
                     .g = MRN_LANE(f->normal, contact, g, i),
                     .tension = MRN_LANE(f->normal, contact, tension, i)};
        mrn_lane_normal(f, i, mrn_normal_linear_at(c, f->delta[i], f->rate[i], 1, 1));
    }
}

static const mrn_law_lanes lanes = {.load = load, .answer = answer};

static double contact_time(const double *coef, double r, double m, double v)
{
    (void)r, (void)v;
    mrn_linear c = read_coef(coef);
    double k = mrn_linear_k(c, m), z = mrn_linear_gamma(c, m, k) / (2 * sqrt(m * k));
    return MRN_PI * sqrt(m / k) / (z < 1 ? sqrt(1 - z * z) : 1);
}

const mrn_law mrn_law_normal_linear = {
    .name = "linear",
    .kind = MRN_LAW_NORMAL,
    .summary = "linear spring and dashpot",
    .doc = "F_n = k_n delta + gamma_n d(delta)/dt. Contact time and restitution do not depend on "
           "the speed of the impact: t_c = pi / sqrt(k_n/m - (gamma_n/2m)^2). With "
           "end-of-contact: force the pull at the end is left out, and the damping is found for "
           "the restitution that this gives. Sources: Cundall & Strack 1979; Schwager & Poeschel "
           "2007.",
    .params = params,
    .n_params = MRN_LIN_N_PARAMS,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = mrn_linear_stiffness,
    .damping = mrn_linear_damping,
    .contact_time = contact_time,
    .lanes = &lanes,
};
