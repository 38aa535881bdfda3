/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law: the first-loading curve of Mindlin and Deresiewicz taken as a function of the
   elongation, in both directions. */
#include "laws/tangential_microslip_simple.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/params.h"
#include "laws/tangential_mindlin.h"

MRN_COEFS(mrn_tangential_microslip_simple)

static const mrn_param params[] = {
    MRN_PARAM_FRICTION,
    MRN_PARAM_DAMPING_RATIO,
};

static const mrn_history history[] = {
    {"spring", "m", true, true,
     "tangential elongation, half a step ahead (without a dashpot: at the step)"}};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    mrn_status s = mrn_needs_young(mat, "micro-slip-simple", msg);
    if (s != MRN_OK)
        return s;
    mrn_tangential_microslip_simple c = {.reach = v[0].number * mat->e_star / (4 * mat->g_star),
                                         .kt = 8 * mat->g_star,
                                         .mu = v[0].number,
                                         .ratio = v[1].number};
    write_coef(c, coef);
    return MRN_OK;
}

/* Springs without a dashpot. */
MRN_FORMULA void kept(mrn_tangential_microslip_simple c, mrn_law_block *b, double *restrict sx,
                      double *restrict sy, double *restrict sz)
{
    int n = b->n;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_tangential t = mrn_tangential_microslip_simple_kept(
            c, mrn_block_sliding(b, i), mrn_block_passage(b, i), b->press[i],
            mrn_v3(sx[i], sy[i], sz[i]));
        mrn_block_tangential(b, i, t);
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
    }
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    mrn_tangential_microslip_simple c = read_coef(coef);
    int n = b->n;
    double *restrict sx = hist[0], *restrict sy = hist[1], *restrict sz = hist[2];
    if (b->whole) {
        kept(c, b, sx, sy, sz);
        return;
    }
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_tangential t = mrn_tangential_microslip_simple_step(
            c, mrn_block_sliding(b, i), b->gamma_n[i], b->press[i], mrn_v3(sx[i], sy[i], sz[i]));
        mrn_block_tangential(b, i, t);
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
    }
}

/* At zero elongation, where it is stiffest: 3/2 mu N / xi_max, Mindlin's. */
static double stiffness(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)m, (void)of_normal;
    return mrn_tangential_mindlin_k(read_coef(coef).kt, r, delta);
}

static double damping(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)r, (void)m, (void)delta;
    return read_coef(coef).ratio * of_normal;
}

static bool undamped(const double *coef, double of_normal)
{
    return !(read_coef(coef).ratio * of_normal > 0);
}

const mrn_law mrn_law_tangential_microslip_simple = {
    .name = "micro-slip-simple",
    .kind = MRN_LAW_TANGENTIAL,
    .spheres = true,
    .summary = "first-loading curve of Mindlin-Deresiewicz as a function of the elongation",
    .doc = "F_t = -mu F_n (1 - (1 - min(|xi|, xi_max)/xi_max)^(3/2)) along xi, xi_max = "
           "mu delta E*/(4 G*) = mu delta (2 - nu)/(2 (1 - nu)) for like materials; plus the "
           "damping of the normal law; |F_t| <= mu F_n as a vector; xi is not longer than xi_max. "
           "Right for first loading at a constant normal force. Its flaws: unloading goes back "
           "along the same curve, so there is no hysteresis on reversal; and as the normal force "
           "changes at a held elongation the stored energy changes without work, so energy may be "
           "made (the ledger shows it as a negative loss by friction). For loads that come and go "
           "use micro-slip. Source: Mindlin & Deresiewicz 1953 (loading curve only).",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .history = history,
    .n_history = 1,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = stiffness,
    .damping = damping,
    .undamped = undamped,
};
