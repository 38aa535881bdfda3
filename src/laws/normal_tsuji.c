/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law: Hertz with Tsuji's damping, F = k~ delta^(3/2) + alpha sqrt(m k~) delta^(1/4)
   d(delta)/dt (M2). */
#include "laws/normal_tsuji.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/hertz.h"
#include "laws/lanes.h"

MRN_COEFS(mrn_normal_tsuji)

static const mrn_param params[] = {
    MRN_PARAM_RESTITUTION("damping"),
    {.name = "damping",
     .symbol = "alpha",
     .unit = "1",
     .min = 0,
     .max = 100,
     .fallback = NAN,
     .doc = "Tsuji's alpha. Give this or restitution."},
    MRN_PARAM_END_OF_CONTACT,
};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    const mrn_value *e = &v[0], *alpha = &v[1];
    if (mrn_one_of(e, "restitution", alpha, "damping", msg) != MRN_OK)
        return mrn_fail_hint(msg, "restitution: 0.9 suits glass beads");
    if (mrn_needs_young(mat, "a Hertz law", msg) != MRN_OK)
        return MRN_ERR_INPUT;
    bool ends_at_force = v[2].number == 0;
    mrn_normal_tsuji c = {.hertz.k43 = 4.0 / 3.0 * mat->e_star,
                          .alpha =
                              e->given ? mrn_hertz_alpha(e->number, ends_at_force) : alpha->number,
                          .tension = ends_at_force ? 0 : 1};
    write_coef(c, coef);
    return MRN_OK;
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    mrn_normal_tsuji c = read_coef(coef);
    int n = b->n;
    double h = b->h;
#pragma omp simd
    for (int i = 0; i < n; i++)
        mrn_block_normal(b, i,
                         mrn_normal_tsuji_step(c, b->r_eff[i], b->m_eff[i], b->delta[i], b->rate[i],
                                               b->fresh[i], h));
}

/* ---- many contacts at an instant ---- */

typedef mrn_normal_tsuji_contact contact;

static void load(const double *coef, double r, double m, double *out)
{
    contact c = mrn_normal_tsuji_of(read_coef(coef), r, m);
    MRN_LANE_STORE(c, out);
}

MRN_DISPATCHED static void answer(mrn_lanes *f, int from, int to)
{
#pragma omp simd
    for (int i = from; i < to; i++) {
        contact c = {.k = MRN_LANE(f->normal, contact, k, i),
                     .g = MRN_LANE(f->normal, contact, g, i),
                     .tension = MRN_LANE(f->normal, contact, tension, i)};
        double root = f->root[i];
        mrn_lane_normal(f, i, mrn_normal_tsuji_at(c, f->delta[i], root, sqrt(root), f->rate[i]));
    }
}

static const mrn_law_lanes lanes = {.load = load, .answer = answer};

static double damping(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)of_normal;
    return mrn_normal_tsuji_damping(read_coef(coef), r, m, delta);
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
    .spheres = true,
    .summary = "Hertz, damped after Tsuji: restitution does not depend on speed",
    .doc = "F_n = k delta^(3/2) + alpha sqrt(m k) delta^(1/4) d(delta)/dt, k = 4/3 E* sqrt(R). "
           "Elastic impact at speed v: delta_max = (5 m v^2/4k)^(2/5), contact time "
           "2.9433 delta_max/v. The power 1/4 is chosen so that restitution depends on alpha "
           "alone: exp(-pi alpha/sqrt(5 - alpha^2)) when the contact ends at zero overlap; solved "
           "exactly for the end at zero force too. Source: Tsuji, Tanaka & Ishida 1992.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = mrn_hertz_stiffness,
    .damping = damping,
    .contact_time = mrn_hertz_contact_time,
    .rigid = rigid,
    .lanes = &lanes,
};
