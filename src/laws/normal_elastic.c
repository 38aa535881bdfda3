/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law: a linear spring, F = k delta. */
#include "laws/normal_elastic.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/linear.h"

MRN_COEFS(mrn_linear)

static const mrn_param params[] = {
    MRN_PARAM_NORMAL_STIFFNESS("contact-time"),
    {.name = "contact-time",
     .symbol = "t_c",
     .unit = "s",
     .min = 0,
     .min_open = true,
     .max = INFINITY,
     .fallback = NAN,
     .doc = "Half period of the spring, the same for every pair of grains: the stiffness then "
            "grows with the mass, k = m (pi / t_c)^2. Give this or normal-stiffness."},
};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    (void)mat;
    mrn_status s = mrn_one_of(&v[0], "normal-stiffness", &v[1], "contact-time", msg);
    if (s != MRN_OK)
        return mrn_fail_hint(msg, "overlaps stay below 1 %% of the radius R when normal-stiffness "
                                  "is above 1e4 m v^2 / R^2");
    double w = MRN_PI / v[1].number;
    write_coef((mrn_linear){.k = v[0].given ? v[0].number : 0, .k_m = v[1].given ? w * w : 0},
               coef);
    return MRN_OK;
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    mrn_linear c = read_coef(coef);
    int n = b->n;
    const double *own = mrn_block_own_mass(b);
#pragma omp simd
    for (int i = 0; i < n; i++)
        mrn_block_normal(b, i, mrn_normal_elastic_step(c, own[i], b->delta[i]));
}

static double contact_time(const double *coef, double r, double m, double v)
{
    (void)r, (void)v;
    return MRN_PI * sqrt(m / mrn_linear_k(read_coef(coef), m));
}

const mrn_law mrn_law_normal_elastic = {
    .name = "elastic",
    .kind = MRN_LAW_NORMAL,
    .summary = "linear spring, no damping",
    .doc = "F_n = k_n delta. Restitution 1; contact time pi sqrt(m/k_n) at every speed. Energy "
           "leaves only by friction, or not at all: for tests, gases of elastic grains and "
           "quasi-static studies with damping of another kind. The regularised unilateral contact "
           "of non-smooth mechanics.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = mrn_linear_stiffness,
    .contact_time = contact_time,
};
