/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law: viscoelastic spheres, F = k~ (delta^(3/2) + 3/2 A sqrt(delta) d(delta)/dt), k~ =
   4/3 E* sqrt(R) (Kuwabara & Kono 1987; Brilliantov, Spahn, Hertzsch & Poeschel 1996). */
#include "laws/normal_viscoelastic.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/hertz.h"
#include "laws/viscoelastic.h"

MRN_COEFS(mrn_normal_viscoelastic)

enum { TIME, E, SPEED, RADIUS, ETA1, ETA2, END };

static const mrn_param params[] = {
    [TIME] = {.name = "relaxation-time",
              .symbol = "A",
              .unit = "s",
              .min = 0,
              .max = INFINITY,
              .fallback = NAN,
              .doc = "Relaxation time of the material. Give this, or restitution with its speed "
                     "and radius, or eta1 and eta2."},
    [E] = {.name = "restitution",
           .symbol = "e",
           .unit = "1",
           .min = 0,
           .max = 1,
           .fallback = NAN,
           .doc = "Normal restitution measured at restitution-speed between two equal spheres of "
                  "restitution-radius, turned into A exactly for this law and its end of contact; "
                  "slower or larger grains bounce better. Values below 0.001 count as 0.001."},
    [SPEED] = {.name = "restitution-speed",
               .symbol = "v_e",
               .unit = "m/s",
               .min = 0,
               .min_open = true,
               .max = INFINITY,
               .fallback = NAN,
               .doc = "Relative speed of the impact at which restitution was measured."},
    [RADIUS] = {.name = "restitution-radius",
                .symbol = "R_e",
                .unit = "m",
                .min = 0,
                .min_open = true,
                .max = INFINITY,
                .fallback = NAN,
                .doc = "Radius of both spheres when restitution was measured; their density is the "
                       "mean of the two materials'. For a sphere that fell on a plane give its "
                       "radius and half its speed."},
    [ETA1] = MRN_PARAM_ETA1("With eta2, gives A."),
    [ETA2] = MRN_PARAM_ETA2("With eta1, gives A."),
    [END] = MRN_PARAM_END_OF_CONTACT,
};

static mrn_status wrong(const mrn_value *at, const char *text, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT, "%s", text);
    if (at != NULL && at->given)
        mrn_fail_at(msg, "", at->line, at->column);
    mrn_fail_expected(msg, "relaxation-time; or restitution, restitution-speed and "
                           "restitution-radius; or eta1 and eta2");
    return mrn_fail_hint(msg, "restitution: 0.9, restitution-speed: 1 m/s, restitution-radius: 1 "
                              "mm");
}

static mrn_status check(const mrn_value *v, mrn_message *msg)
{
    bool measured = v[E].given || v[SPEED].given || v[RADIUS].given;
    bool viscous = v[ETA1].given || v[ETA2].given;
    int ways = v[TIME].given + measured + viscous;
    if (ways == 0)
        return wrong(NULL, "neither relaxation-time nor restitution nor eta1 and eta2 is given",
                     msg);
    if (ways > 1)
        return wrong(measured ? &v[E] : &v[ETA1],
                     "the damping is given more than once: relaxation-time, restitution and eta1, "
                     "eta2 exclude each other",
                     msg);
    if (measured && !(v[E].given && v[SPEED].given && v[RADIUS].given))
        return wrong(v[E].given       ? &v[E]
                     : v[SPEED].given ? &v[SPEED]
                                      : &v[RADIUS],
                     "restitution depends on speed and size here: restitution, restitution-speed "
                     "and restitution-radius go together",
                     msg);
    if (viscous && !(v[ETA1].given && v[ETA2].given))
        return wrong(v[ETA1].given ? &v[ETA1] : &v[ETA2], "eta1 and eta2 go together", msg);
    return MRN_OK;
}

/* A = x (m/k~)^(2/5) / v^(1/5) of two equal spheres. */
static double from_restitution(const mrn_material_pair *mat, const mrn_value *v, double k43)
{
    double r = v[RADIUS].number, density = 0.5 * (mat->density[0] + mat->density[1]);
    double m = 0.5 * density * 4.0 / 3.0 * MRN_PI * r * r * r, k = k43 * sqrt(0.5 * r);
    double x = mrn_viscoelastic_x(v[E].number, v[END].number == 0);
    return x * pow(m / k, 0.4) / pow(v[SPEED].number, 0.2);
}

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    mrn_status s = check(v, msg);
    if (s == MRN_OK)
        s = mrn_needs_young(mat, "a viscoelastic law", msg);
    if (s != MRN_OK)
        return s;
    double k43 = 4.0 / 3.0 * mat->e_star;
    double time = v[TIME].given ? v[TIME].number
                  : v[E].given  ? from_restitution(mat, v, k43)
                                : mrn_viscoelastic_time(mat, v[ETA1].number, v[ETA2].number);
    write_coef((mrn_normal_viscoelastic){{k43}, time, v[END].number == 0 ? 0 : 1}, coef);
    return MRN_OK;
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    mrn_normal_viscoelastic c = read_coef(coef);
    int n = b->n;
    double h = b->h;
#pragma omp simd
    for (int i = 0; i < n; i++)
        mrn_block_normal(
            b, i,
            mrn_normal_viscoelastic_step(c, b->r_eff[i], b->delta[i], b->rate[i], b->fresh[i], h));
}

static double damping(const double *coef, double r, double m, double delta, double of_normal)
{
    return read_coef(coef).time * mrn_hertz_stiffness(coef, r, m, delta, of_normal);
}

static double contact_time(const double *coef, double r, double m, double v)
{
    if (!(v > 0))
        return INFINITY;
    mrn_normal_viscoelastic c = read_coef(coef);
    double size = pow(m * v * v / mrn_hertz_k(c.hertz, r), 0.4);
    return mrn_viscoelastic_impact(c.time * v / size, c.tension == 0).time * size / v;
}

/* x = A (k~/m)^(2/5) v^(1/5) */
static double impact_number(const double *coef, double r, double m, double v)
{
    mrn_normal_viscoelastic c = read_coef(coef);
    return c.time * pow(mrn_hertz_k(c.hertz, r) / m, 0.4) * pow(v, 0.2);
}

static double impact_restitution(const double *coef, double x)
{
    return mrn_viscoelastic_impact(x, read_coef(coef).tension == 0).restitution;
}

const mrn_law mrn_law_normal_viscoelastic = {
    .name = "viscoelastic",
    .kind = MRN_LAW_NORMAL,
    .spheres = true,
    .summary = "viscoelastic spheres: restitution falls with the speed of the impact",
    .doc =
        "F_n = k (delta^(3/2) + 3/2 A sqrt(delta) d(delta)/dt), k = 4/3 E* sqrt(R). Restitution "
        "depends on x = A (k/m)^(2/5) v^(1/5) alone, e = 1 - 1.7302 x + 1.7961 x^2 - ... for "
        "weak damping; the whole curve, for either end of contact, is integrated to round-off "
        "and inverted, no fit. With eta1 and eta2, A = (1 + nu)/(E (1 - nu)) (2/3 (1 - nu + nu^2) "
        "eta1 + (1 - 2 nu)^2 eta2), the loss of quasi-static fields (the constant of 1996, "
        "(1 - nu^2)(1 - 2 nu)/(3 E nu^2) (3 eta2 - eta1)^2/(3 eta2 + 2 eta1), is in error: it "
        "vanishes at eta1 = 3 eta2 and is infinite at nu = 0); unlike materials share as their "
        "compliances (1 - nu^2)/E. Assumes impacts slow against sound and longer than A. Rigid "
        "grains of "
        "method "
        "nonsmooth keep the restitution given at every speed, those of method event have that of "
        "each impact. Sources: Kuwabara & "
        "Kono 1987; Brilliantov, Spahn, Hertzsch & Poeschel 1996; Ramirez, Poeschel, "
        "Brilliantov & Schwager 1999; Brilliantov, Pimenova & Goldobin 2015 (A).",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = mrn_hertz_stiffness,
    .damping = damping,
    .contact_time = contact_time,
    .impact_number = impact_number,
    .impact_restitution = impact_restitution,
};
