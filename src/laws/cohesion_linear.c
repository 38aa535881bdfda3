/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cohesion law: a pull proportional to the contact area ("simplified JKR"). */
#include "laws/cohesion_linear.h"

#include "base/dispatch.h"
#include "laws/coef.h"

MRN_COEFS(mrn_cohesion_linear)

static const char *const areas[] = {"hertz", "overlap", NULL};

static const mrn_param params[] = {
    {.name = "cohesion-energy-density",
     .symbol = "k_c",
     .unit = "Pa",
     .min = 0,
     .max = INFINITY,
     .required = true,
     .doc = "Pull per contact area, 1 Pa = 1 J/m3."},
    {.name = "cohesion-area",
     .symbol = "A",
     .kind = MRN_P_CHOICE,
     .unit = "1",
     .max = 1,
     .fallback = 0,
     .choices = areas,
     .doc = "hertz: A = pi R delta, the area of an elastic contact (default); overlap: "
            "A = 2 pi R delta, the circle where the two spheres intersect."},
};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    (void)mat, (void)msg;
    double pull = (v[1].number > 0.5 ? 2 : 1) * MRN_PI * v[0].number;
    write_coef((mrn_cohesion_linear){.pull = pull}, coef);
    return MRN_OK;
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    mrn_cohesion_linear c = read_coef(coef);
    int n = b->n;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_cohesion f = mrn_cohesion_linear_step(c, b->r_eff[i], b->delta[i]);
        b->fn[i] += f.fn;
        b->energy_n[i] += f.energy;
    }
}

const mrn_law mrn_law_cohesion_linear = {
    .name = "linear",
    .kind = MRN_LAW_COHESION,
    .summary = "a pull proportional to the contact area (simplified JKR)",
    .doc = "F = F_n - k_c A, A the contact area, proportional to the overlap; ends with it. "
           "U = -k_c A delta/2; nothing is lost by it. There is no pull-off force at zero overlap: "
           "grains at rest sink until F_n = k_c A, with Hertz and the area pi R delta to "
           "delta = 9 pi^2 k_c^2 R/(16 E*^2), and the force that parts them, "
           "pi^3 k_c^3 R^2/(12 E*^2), depends on the modulus: a lowered modulus "
           "changes cohesion. For pastes and soils where the parameter is calibrated; for "
           "adhesion from a surface energy use jkr or dmt. Coulomb's limit is mu F_n. Rigid grains "
           "(method nonsmooth) have no overlap to pull by: refused there.",
    .params = params,
    .n_params = 2,
    .prepare = prepare,
    .evaluate = evaluate,
};
