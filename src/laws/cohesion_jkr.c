/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cohesion law: Johnson, Kendall & Roberts. */
#include "laws/cohesion_jkr.h"

#include "base/dispatch.h"
#include "laws/adhesion.h"
#include "laws/coef.h"

MRN_COEFS(mrn_cohesion_jkr)

static const mrn_param params[] = {MRN_ADHESION_PARAMS};

static const char *const with_normal[] = {"hertz", "tsuji", "viscoelastic", NULL};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    double work = 0;
    mrn_status s = mrn_needs_young(mat, "JKR adhesion", msg);
    if (s == MRN_OK)
        s = mrn_adhesion_work(v, &work, msg);
    if (s != MRN_OK)
        return s;
    write_coef((mrn_cohesion_jkr){.radius = cbrt(MRN_PI * work / (8 * mat->e_star)),
                                  .e_star = mat->e_star},
               coef);
    return MRN_OK;
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    mrn_cohesion_jkr c = read_coef(coef);
    int n = b->n;
    double h = b->h, least[MRN_BLOCK];
    for (int i = 0; i < n; i++)
        least[i] = mrn_jkr_least(c, b->r_eff[i]);
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_jkr j = mrn_cohesion_jkr_step(c, least[i], b->r_eff[i], b->delta[i], b->gap[i],
                                          b->closing[i], b->fresh[i], h, b->fn[i]);
        b->fn[i] = j.fn;
        b->energy_n[i] = j.energy;
        b->jump[i] = j.jump;
        b->press[i] = j.press;
        b->width[i] = j.wide;
    }
    b->wide = b->width;
}

/* What JKR adds to Hertz's stiffness: E* a_f (2 y^5 - 6 y^2)/(y^3 - 1) - 2 E* sqrt(R delta). */
static double stiffness(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)m;
    mrn_cohesion_jkr c = read_coef(coef);
    double a = mrn_jkr_least(c, r), y = 1 + mrn_jkr_root(sqrt(3 + delta * r / (a * a)));
    double y2 = y * y, slope = c.e_star * a * y2 * (2 * y2 * y - 6) / (y2 * y - 1);
    return slope > of_normal ? slope - of_normal : 0;
}

static double wide(const double *coef, double r, double delta)
{
    mrn_cohesion_jkr c = read_coef(coef);
    double a = mrn_jkr_least(c, r), over = 3 + delta * r / (a * a);
    double y = 1 + mrn_jkr_root(sqrt(over > 0 ? over : 0));
    return a * a * (y * y) * (y * y) / r;
}

static double range(const double *coef, double r)
{
    return mrn_jkr_range(read_coef(coef), r);
}

/* The pull-off force, 3/2 pi W R. */
static mrn_status rigid(const mrn_material_pair *mat, const mrn_value *v, mrn_rigid *out,
                        mrn_message *msg)
{
    (void)mat;
    double work = 0;
    mrn_status s = mrn_adhesion_work(v, &work, msg);
    out->pull_per_radius = 1.5 * MRN_PI * work;
    return s;
}

const mrn_law mrn_law_cohesion_jkr = {
    .name = "jkr",
    .kind = MRN_LAW_COHESION,
    .spheres = true,
    .summary = "adhesion of soft, large grains with high surface energy (JKR)",
    .doc = "The elastic part of the normal force becomes F = 4 E* a^3/(3 R) - sqrt(8 pi W E* a^3), "
           "delta = a^2/R - sqrt(2 pi W a/E*), a the contact radius; the damping of the normal law "
           "stays as it is. Pull-off force F_c = 3/2 pi W R, at delta = -a^2/(3 R) with "
           "a^3 = 9 pi W R^2/(8 E*). A contact forms when the surfaces touch (the pull is then "
           "8/9 F_c) and parts where separation turns unstable, at the distance "
           "3/4 (pi^2 W^2 R/E*^2)^(1/3), with the pull 5/9 F_c. Energy is counted from there; what "
           "a new contact falls into, 1.0524 (pi^5 W^5 R^4/E*^2)^(1/3), is lost at once (elastic "
           "waves), which is all the loss of a slow cycle of approach and retreat. Coulomb's limit "
           "is mu (F + 2 F_c). Mindlin's tangential stiffness is that of the contact radius a, "
           "also in the neck between touching and parting (micro-slip laws keep Hertz's). For a "
           "Tabor parameter (R W^2/(E*^2 z0^3))^(1/3), "
           "z0 about 0.3 nm, above 5; below 0.1 use dmt. The modulus may be lowered for speed: "
           "keep the pull-off force, and know that ranges and lost energies grow. Between rigid "
           "grains (method nonsmooth) the pull-off force acts while they touch and Coulomb's limit "
           "is mu (F + F_c). Sources: "
           "Johnson, Kendall & Roberts 1971; Thornton & Yin 1991 (friction).",
    .params = params,
    .n_params = MRN_ADHESION_N_PARAMS,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = stiffness,
    .range = range,
    .wide = wide,
    .jumps = true,
    .with_normal = with_normal,
    .rigid = rigid,
};
