/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cohesion law: a pendular liquid bridge between two spheres, with capillary and, if the liquid is
   viscous, lubrication force. */
#include "laws/cohesion_liquid_bridge.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/params.h"

MRN_COEFS(mrn_cohesion_liquid_bridge)

static const mrn_param params[] = {
    {.name = "surface-tension",
     .symbol = "gamma",
     .unit = "N/m",
     .min = 0,
     .max = INFINITY,
     .required = true,
     .doc = "Surface tension of the liquid; water 0.072 N/m."},
    {.name = "liquid-volume",
     .symbol = "V",
     .unit = "m3",
     .min = 0,
     .min_open = true,
     .max = INFINITY,
     .fallback = NAN,
     .doc = "Volume of each bridge. Give this or liquid-share."},
    {.name = "liquid-share",
     .symbol = "V / (4/3 pi (2R)^3)",
     .unit = "1",
     .min = 0,
     .min_open = true,
     .max = 1,
     .fallback = NAN,
     .doc = "Volume of each bridge over that of one grain of radius 2 R, R the effective radius: "
            "the volume of a grain when both are alike. Give this or liquid-volume."},
    {.name = "contact-angle",
     .symbol = "theta",
     .unit = "rad",
     .min = 0,
     .max = 1.5707963267948966,
     .fallback = 0,
     .doc = "Angle at which the liquid meets the grains."},
    {.name = "liquid-viscosity",
     .symbol = "eta",
     .unit = "Pa s",
     .min = 0,
     .max = INFINITY,
     .fallback = 0,
     .doc = "Viscosity of the liquid; 0: capillary force only."},
    {.name = "lubrication-cut-off",
     .symbol = "s_0",
     .unit = "m",
     .min = 0,
     .min_open = true,
     .max = INFINITY,
     .fallback = NAN,
     .doc = "Distance below which the lubrication force grows no more: the roughness of the "
            "grains. Default R/1000."},
};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    (void)mat;
    mrn_status s = mrn_one_of(&v[1], "liquid-volume", &v[2], "liquid-share", msg);
    if (s != MRN_OK)
        return s;
    double angle = v[3].number, stretch = 1 + 0.5 * angle;
    double volume = v[1].given ? v[1].number : 0;
    double share = v[2].given ? v[2].number * 4.0 / 3 * MRN_PI * 8 : 0;
    mrn_cohesion_liquid_bridge c = {.pull = 4 * MRN_PI * v[0].number * cos(angle), /* 2 pi gamma
                                                                                      cos(theta)
                                                                                      over 2R */
                                    .volume = volume,
                                    .volume_r3 = share,
                                    .range = stretch * cbrt(volume),
                                    .range_r = stretch * cbrt(share),
                                    .viscous = 6 * MRN_PI * v[4].number,
                                    .cut = v[5].given ? v[5].number : 0,
                                    .cut_r = v[5].given ? 0 : 1e-3};
    write_coef(c, coef);
    return MRN_OK;
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    mrn_cohesion_liquid_bridge c = read_coef(coef);
    int n = b->n;
    double h = b->h;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_cohesion f = mrn_cohesion_liquid_bridge_step(c, b->r_eff[i], b->gap[i], b->closing[i],
                                                         b->fresh[i], h);
        b->fn[i] += f.fn;
        b->energy_n[i] += f.energy;
        b->loss_n[i] += f.loss;
        b->jump[i] = f.jump;
    }
}

static double damping(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)m, (void)delta, (void)of_normal;
    mrn_cohesion_liquid_bridge c = read_coef(coef);
    return c.viscous * r * r / mrn_liquid_bridge_cut(c, r);
}

static double range(const double *coef, double r)
{
    return mrn_liquid_bridge_range(read_coef(coef), r);
}

/* The pull of grains in touch. Lubrication is no bound on a force, and has none when they touch. */
static mrn_status rigid(const mrn_material_pair *mat, const mrn_value *v, mrn_rigid *out,
                        mrn_message *msg)
{
    double coef[MRN_COEF_MAX];
    mrn_status s = prepare(mat, v, coef, msg);
    if (s != MRN_OK)
        return s;
    out->pull_per_radius = read_coef(coef).pull;
    if (!(v[4].number > 0))
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "a viscous liquid bridge has no meaning for rigid grains");
    mrn_fail_at(msg, "", v[4].line, v[4].column);
    mrn_fail_expected(msg, "liquid-viscosity: 0 under method nonsmooth");
    return mrn_fail_hint(msg, "leave liquid-viscosity out: the capillary pull remains");
}

const mrn_law mrn_law_cohesion_liquid_bridge = {
    .name = "liquid-bridge",
    .kind = MRN_LAW_COHESION,
    .spheres = true,
    .summary = "capillary and viscous force of a small liquid bridge",
    .doc = "Pull F = 4 pi R gamma cos(theta)/(1 + 1.05 x + 2.5 x^2), x = s sqrt(2 R/V), s the gap "
           "(0 in overlap), V the volume of the bridge, R the effective radius 1/(1/R_a + 1/R_b): "
           "the fit of Willett et al. to the exact shape, two spheres counting as equal ones of "
           "radius 2 R (a wall as a sphere without end). Within a few percent for V below "
           "1e-3 (2 R)^3 and angles below 50 degrees; gravity is left out. A bridge forms when "
           "grains touch and ruptures at the gap (1 + theta/2) V^(1/3). Stored energy is counted "
           "from the rupture; the well into which a new bridge falls is lost at once, which is all "
           "the capillary loss of one approach and retreat. Each contact has its own bridge of the "
           "given volume: liquid is neither shared nor used up. Viscous force "
           "6 pi eta R^2 (ds/dt)/max(s, s_0), lubrication between spheres. Coulomb's limit is "
           "mu F_n, the force between the solids. Between rigid grains (method nonsmooth) the pull "
           "is that at touch and ends when they part. Sources: Willett, Adams, Johnson & Seville "
           "2000; "
           "Lian, Thornton & Adams 1993 (rupture); Adams & Perchard 1985 (viscous force).",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .prepare = prepare,
    .evaluate = evaluate,
    .damping = damping,
    .range = range,
    .jumps = true,
    .rigid = rigid,
};
