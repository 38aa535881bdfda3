/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law: Walton & Braun's partly latched spring for plastic contacts. Loading is softer than
   unloading; between them the energy is lost. */
#include "laws/normal_walton_braun.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/linear.h"
#include "laws/models.h"

MRN_COEFS(mrn_normal_walton_braun)

enum { STIFFNESS, TIME, E, UNLOADING, SLOPE_OF };

static const mrn_param params[] = {
    [STIFFNESS] = MRN_PARAM_NORMAL_STIFFNESS("contact-time"),
    [TIME] = {.name = "contact-time",
              .symbol = "t_c",
              .unit = "s",
              .min = 0,
              .min_open = true,
              .max = INFINITY,
              .fallback = NAN,
              .doc = "Duration of an impact, pi/2 sqrt(m/k_1) (1 + e), the same for every pair of "
                     "grains: the stiffness then grows with the mass. Needs restitution. Give this "
                     "or normal-stiffness."},
    [E] = {.name = "restitution",
           .symbol = "e",
           .unit = "1",
           .min = 0,
           .max = 1,
           .fallback = NAN,
           .doc =
               "Normal restitution, the same at every speed: k_2 = k_1/e^2 exactly; values below "
               "0.001 count as 0.001. Give this, unloading-stiffness or unloading-slope."},
    [UNLOADING] = {.name = "unloading-stiffness",
                   .symbol = "k_2",
                   .unit = "N/m",
                   .min = 0,
                   .min_open = true,
                   .max = INFINITY,
                   .fallback = NAN,
                   .doc = "Stiffness of unloading and reloading, not below normal-stiffness. Give "
                          "this, restitution or unloading-slope."},
    [SLOPE_OF] = {.name = "unloading-slope",
                  .symbol = "S",
                  .unit = "1/m",
                  .min = 0,
                  .max = INFINITY,
                  .fallback = NAN,
                  .doc = "Unloading stiffens with the largest force borne, k_2 = k_1 + S F_max: "
                         "restitution falls with speed. Give this, restitution or "
                         "unloading-stiffness."},
};

static const mrn_history history[] = {
    {"largest-overlap", "m", false, false, "largest overlap since the contact began"},
    {"last-overlap", "m", false, false, "overlap at the last step"},
};

static mrn_status wrong(const mrn_value *at, const char *text, const char *expected,
                        mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT, "%s", text);
    mrn_fail_at(msg, "", at->line, at->column);
    return mrn_fail_expected(msg, "%s", expected);
}

static mrn_status check(const mrn_value *v, mrn_message *msg)
{
    mrn_status s = mrn_one_of(&v[STIFFNESS], "normal-stiffness", &v[TIME], "contact-time", msg);
    if (s != MRN_OK)
        return s;
    int ways = v[E].given + v[UNLOADING].given + v[SLOPE_OF].given;
    const char *one = "exactly one of restitution, unloading-stiffness and unloading-slope";
    if (ways == 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "neither restitution nor unloading-stiffness is given");
        mrn_fail_expected(msg, "%s", one);
        return mrn_fail_hint(msg, "restitution: 0.8");
    }
    if (ways > 1)
        return wrong(v[E].given ? &v[E] : &v[UNLOADING],
                     "restitution, unloading-stiffness and unloading-slope exclude each other", one,
                     msg);
    if (v[TIME].given && !v[E].given)
        return wrong(&v[TIME], "contact-time needs restitution", "contact-time with restitution",
                     msg);
    if (v[UNLOADING].given && v[UNLOADING].number < v[STIFFNESS].number) {
        wrong(&v[UNLOADING], "unloading-stiffness below normal-stiffness would create energy",
              "unloading-stiffness of at least normal-stiffness", msg);
        return MRN_ERR_INPUT;
    }
    return MRN_OK;
}

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    (void)mat;
    mrn_status s = check(v, msg);
    if (s != MRN_OK)
        return s;
    double e = v[E].given ? (v[E].number < 1e-3 ? 1e-3 : v[E].number) : 1;
    double w = v[TIME].given ? 0.5 * MRN_PI * (1 + e) / v[TIME].number : 0;
    mrn_normal_walton_braun c = {.k1 = v[STIFFNESS].given ? v[STIFFNESS].number : 0,
                                 .k1_m = w * w,
                                 .ratio = v[UNLOADING].given ? 0 : 1 / (e * e),
                                 .k2 = v[UNLOADING].given ? v[UNLOADING].number : 0,
                                 .slope = v[SLOPE_OF].given ? v[SLOPE_OF].number : 0};
    write_coef(c, coef);
    return MRN_OK;
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    mrn_normal_walton_braun c = read_coef(coef);
    int n = b->n;
    double h = b->h;
    double *restrict largest = hist[0], *restrict last = hist[1];
    const double *own = mrn_block_own_mass(b);
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double d = b->delta[i];
        mrn_block_normal(
            b, i, mrn_normal_walton_braun_step(c, own[i], d, b->rate[i], h, largest[i], last[i]));
        largest[i] = d > largest[i] ? d : largest[i];
        last[i] = d;
    }
}

static double stiffness(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)r, (void)of_normal;
    return mrn_normal_walton_braun_slope(read_coef(coef), m, delta);
}

static double contact_time(const double *coef, double r, double m, double v)
{
    (void)r;
    mrn_normal_walton_braun c = read_coef(coef);
    double k1 = mrn_walton_braun_loading(c, m);
    double k2 = mrn_walton_braun_unloading(c, k1, fabs(v) * sqrt(m * k1));
    return 0.5 * MRN_PI * (sqrt(m / k1) + sqrt(m / k2));
}

/* e = sqrt(k_1/k_2); with a slope it falls with the speed. */
static mrn_status rigid(const mrn_material_pair *mat, const mrn_value *v, mrn_rigid *out,
                        mrn_message *msg)
{
    (void)mat;
    out->restitution = v[E].given ? v[E].number : 1;
    if (v[UNLOADING].given)
        out->restitution = sqrt(v[STIFFNESS].number / v[UNLOADING].number);
    return v[SLOPE_OF].given && v[SLOPE_OF].number > 0
               ? mrn_no_restitution(&mrn_law_normal_walton_braun, v, "mass and speed", msg)
               : MRN_OK;
}

const mrn_law mrn_law_normal_walton_braun = {
    .name = "walton-braun",
    .kind = MRN_LAW_NORMAL,
    .summary = "hysteretic linear spring for plastic contacts",
    .doc = "Loading F_n = k_1 delta; unloading and reloading from the largest overlap along the "
           "steeper line F_n = k_1 delta_max - k_2 (delta_max - delta), never below 0: a dent "
           "delta_0 = delta_max (1 - k_1/k_2) is left until the contact opens, and is forgotten "
           "then. Stored energy F^2/(2 k_2). Restitution e = sqrt(k_1/k_2); with "
           "k_2 = k_1 + S F_max it falls with speed, e = (1 + S v sqrt(m/k_1))^(-1/2). No "
           "viscosity: losses do not depend on the rate. The tangential spring follows k_1, which "
           "does not jump between the branches, so that the coupling makes no energy. Source: "
           "Walton & Braun, J. Rheology 30 (1986) 949.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .history = history,
    .n_history = 2,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = stiffness,
    .contact_time = contact_time,
    .rigid = rigid,
};
