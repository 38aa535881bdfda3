/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law of M3: viscoelastic spheres after Zheng, Zhu & Yu, a loading curve with micro-slip
   and a viscous term. */
#include "laws/tangential_zheng.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/lanes.h"
#include "laws/params.h"
#include "laws/tangential_mindlin.h"

MRN_COEFS(mrn_tangential_zheng)

static const char *const factors[] = {"published", "none", NULL};

static const mrn_param params[] = {
    MRN_PARAM_FRICTION,
    MRN_PARAM_ETA1("Give this or eta1-over-young."),
    MRN_PARAM_ETA1_OVER_YOUNG,
    {.name = "tangential-factor",
     .symbol = "h",
     .kind = MRN_P_CHOICE,
     .unit = "1",
     .max = 1,
     .fallback = 0,
     .choices = factors,
     .doc = "Correction of the viscous term. published: h = 1 - 0.4 q with "
            "q = eta1 |d(xi)/dt|/(2 G xi_max), not below 0 (default); none: h = 1."},
};

static const mrn_history history[] = {
    {"spring", "m", true, true, "tangential elongation, half a step ahead"}};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    mrn_status s = mrn_needs_young(mat, "Zheng's law", msg);
    if (s == MRN_OK)
        s = mrn_one_of(&v[1], "eta1", &v[2], "eta1-over-young", msg);
    if (s != MRN_OK)
        return s;
    double nu = 0.5 * (mat->poisson[0] + mat->poisson[1]);
    double young = 2 * (1 - nu * nu) * mat->e_star;
    double eta1 = v[1].given ? v[1].number : v[2].number * young;
    double yield = 0; /* 1/G, the mean of both */
    for (int i = 0; i < 2; i++)
        yield += (1 + mat->poisson[i]) / mat->young[i];
    write_coef((mrn_tangential_zheng){.reach = v[0].number * mat->e_star / (4 * mat->g_star),
                                      .mu = v[0].number,
                                      .time = 0.5 * eta1 * yield, /* eta1 / 2G */
                                      .fall = v[3].number > 0.5 ? 0 : 0.4,
                                      .kt = 8 * mat->g_star},
               coef);
    return MRN_OK;
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    mrn_tangential_zheng c = read_coef(coef);
    int n = b->n;
    double *restrict sx = hist[0], *restrict sy = hist[1], *restrict sz = hist[2];
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_tangential t = mrn_tangential_zheng_step(c, mrn_block_sliding(b, i), b->press[i],
                                                     mrn_v3(sx[i], sy[i], sz[i]));
        mrn_block_tangential(b, i, t);
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
    }
}

/* ---- many contacts at an instant ---- */

typedef mrn_tangential_zheng contact; /* keeps the coefficients as they are */

static void load(const double *coef, double r, double m, double *out)
{
    (void)r, (void)m;
    contact c = read_coef(coef);
    MRN_LANE_STORE(c, out);
}

MRN_DISPATCHED static void answer(mrn_lanes *f, int from, int to)
{
#pragma omp simd
    for (int i = from; i < to; i++) {
        contact c = {.reach = MRN_LANE(f->tangential, contact, reach, i),
                     .mu = MRN_LANE(f->tangential, contact, mu, i),
                     .time = MRN_LANE(f->tangential, contact, time, i),
                     .fall = MRN_LANE(f->tangential, contact, fall, i)};
        f->tx[i] = mrn_tangential_zheng_at(c, f->delta[i], f->press[i], f->spring[i], f->ut[i]);
    }
}

static double keep(const double *coef, double delta, double s, double old)
{
    (void)old;
    return mrn_tangential_zheng_keep(read_coef(coef), delta, s);
}

static const mrn_law_lanes lanes = {.load = load, .answer = answer, .keep = keep};

static double stiffness(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)m, (void)of_normal;
    return mrn_tangential_mindlin_k(read_coef(coef).kt, r, delta);
}

/* Viscous term at zero elongation: eta1/(2 G) times the stiffness there. */
static double damping(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)of_normal;
    return read_coef(coef).time * stiffness(coef, r, m, delta, 0);
}

const mrn_law mrn_law_tangential_zheng = {
    .name = "zheng",
    .kind = MRN_LAW_TANGENTIAL,
    .spheres = true,
    .summary = "micro-slip curve and shear viscosity of viscoelastic spheres (M3)",
    .doc = "F_t = -mu F_n (1 - (1 - x)^(3/2)) along xi - h q 3/2 mu F_n sqrt(1 - x) along "
           "d(xi)/dt, x = min(|xi|, xi_max)/xi_max, xi_max = mu delta E*/(4 G*) = "
           "mu delta (2 - nu)/(2 (1 - nu)) for like materials, q = eta1 |d(xi)/dt|/(2 G xi_max), "
           "h = 1 - 0.4 q a correction fitted to finite elements; cut at mu F_n as a vector; xi is "
           "not longer than xi_max. 1/G is the mean of both materials. Flaws of the published "
           "form: unloading goes back along the loading curve, so there is no hysteresis on "
           "reversal; energy may be made as the normal force changes at a held elongation; and h "
           "turns negative for q > 2.5, at the beginning of every contact, where the viscous term "
           "would drive: here h ends at 0. The normal part is Zheng's too. "
           "Source: Zheng, Zhu & Yu 2012.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .history = history,
    .n_history = 1,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = stiffness,
    .damping = damping,
    .lanes = &lanes,
};
