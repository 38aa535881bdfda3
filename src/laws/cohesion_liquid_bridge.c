/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cohesion law: a pendular liquid bridge between two spheres, with capillary and, if the liquid is
   viscous, lubrication force. */
#include "laws/adhesion.h"

enum { PULL, VOLUME, VOLUME_R3, RANGE, RANGE_R, VISCOUS, CUT, CUT_R };

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
    coef[PULL] = 4 * MRN_PI * v[0].number * cos(angle); /* 2 pi gamma cos(theta) over 2R */
    coef[VOLUME] = v[1].given ? v[1].number : 0;
    coef[VOLUME_R3] = v[2].given ? v[2].number * 4.0 / 3 * MRN_PI * 8 : 0;
    coef[RANGE] = stretch * cbrt(coef[VOLUME]);
    coef[RANGE_R] = stretch * cbrt(coef[VOLUME_R3]);
    coef[VISCOUS] = 6 * MRN_PI * v[4].number;
    coef[CUT] = v[5].given ? v[5].number : 0;
    coef[CUT_R] = v[5].given ? 0 : 1e-3;
    return MRN_OK;
}

/* Arc tangent of z >= 0 to round-off: the angle halved three times, then the series. */
static inline double arc_tangent(double z)
{
    for (int k = 0; k < 3; k++)
        z = z / (1 + sqrt(1 + z * z));
    double q = z * z, sum = 0;
    for (int k = 12; k >= 0; k--)
        sum = 1.0 / (2 * k + 1) - q * sum;
    return 8 * z * sum;
}

/* The integral of 1/(1 + 1.05 x + 2.5 x^2) from x to y >= x, a difference of two arc tangents taken
   as one. */
static inline double bridge_energy(double x, double y)
{
    double root = 2.982867747654931; /* sqrt(4 * 2.5 - 1.05^2) */
    double p = (1.05 + 5 * x) / root, q = (1.05 + 5 * y) / root;
    return 2 / root * arc_tangent((q - p) / (1 + p * q));
}

static void evaluate(const double *c, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    int count = b->n;
    double pull_r = c[PULL], v0 = c[VOLUME], v3 = c[VOLUME_R3], range0 = c[RANGE],
           range_r = c[RANGE_R], viscous = c[VISCOUS], cut0 = c[CUT], cut_r = c[CUT_R], h = b->h;
#pragma omp simd
    for (int i = 0; i < count; i++) {
        double r = b->r_eff[i], gap = b->gap[i], rate = b->closing[i], end = range0 + range_r * r;
        double length = sqrt((v0 + v3 * r * r * r) / (2 * r)), pull = pull_r * r;
        double s = gap > 0 ? gap : 0, held = gap <= end ? 1 : 0, d = gap < 0 ? -gap : 0;
        double x = (s < end ? s : end) / length, last = end / length, cut = cut0 + cut_r * r;
        double f = 1 / (1 + x * (1.05 + 2.5 * x)), f_last = 1 / (1 + last * (1.05 + 2.5 * last));
        double begin = mrn_pull_begin(b->fresh[i], h, d, rate) - 1;
        double ends = mrn_pull_end(h, end - gap, rate) - 1;
        double g = held * (1 + begin + ends) * viscous * r * r / (s > cut ? s : cut);
        b->fn[i] += g * rate - held * pull * (f + begin + ends * f_last);
        b->energy_n[i] -= held * pull * (length * bridge_energy(x, last) + d);
        b->loss_n[i] += g * rate * rate;
        b->jump[i] = b->fresh[i] > 0 ? pull * length * bridge_energy(0, last) : 0;
    }
}

static double damping(const double *c, double r, double m, double delta, double of_normal)
{
    (void)m, (void)delta, (void)of_normal;
    return c[VISCOUS] * r * r / (c[CUT] + c[CUT_R] * r);
}

static double range(const double *c, double r)
{
    return c[RANGE] + c[RANGE_R] * r;
}

/* The pull of grains in touch. Lubrication is no bound on a force, and has none when they touch. */
static mrn_status rigid(const mrn_material_pair *mat, const mrn_value *v, mrn_rigid *out,
                        mrn_message *msg)
{
    double coef[MRN_COEF_MAX];
    mrn_status s = prepare(mat, v, coef, msg);
    if (s != MRN_OK)
        return s;
    out->pull_per_radius = coef[PULL];
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
