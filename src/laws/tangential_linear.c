/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law of M1: spring k_t and dashpot gamma_t, cut at Coulomb's limit as a vector. */
#include "laws/tangential_linear.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/lanes.h"
#include "laws/params.h"

MRN_COEFS(mrn_tangential_linear)

static const mrn_param params[] = {
    MRN_PARAM_FRICTION,
    {.name = "stiffness-ratio",
     .symbol = "kappa",
     .unit = "1",
     .min = 0,
     .max = 10,
     .fallback = NAN,
     .doc = "k_t / k_n. Default: that of elastic spheres of the two materials, "
            "2 (1 - nu) / (2 - nu) when they are alike."},
    MRN_PARAM_DAMPING_RATIO,
    MRN_PARAM_SLIP_RULE,
};

static const mrn_history history[] = {
    {"spring", "m", true, true,
     "tangential elongation, half a step ahead (without a dashpot, or reset: at the step)"}};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    (void)msg;
    write_coef((mrn_tangential_linear){.kappa = v[1].given ? v[1].number : mat->kappa,
                                       .ratio = v[2].number,
                                       .mu = v[0].number,
                                       .rule = v[3].number},
               coef);
    return MRN_OK;
}

/* Springs without a dashpot. */
MRN_FORMULA void kept(mrn_tangential_linear c, mrn_law_block *b, double *restrict sx,
                      double *restrict sy, double *restrict sz)
{
    int n = b->n;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_tangential t = mrn_tangential_linear_kept(c, mrn_block_passage(b, i), b->k_n[i],
                                                      b->press[i], mrn_v3(sx[i], sy[i], sz[i]));
        mrn_block_tangential(b, i, t);
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
    }
}

/* Springs that are reset. */
MRN_FORMULA void reset(mrn_tangential_linear c, mrn_law_block *b, double *restrict sx,
                       double *restrict sy, double *restrict sz)
{
    int n = b->n;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_tangential t = mrn_tangential_linear_reset(
            c, mrn_block_passage(b, i), mrn_v3(b->ux[i], b->uy[i], b->uz[i]), b->k_n[i],
            b->gamma_n[i], b->press[i], mrn_v3(sx[i], sy[i], sz[i]));
        mrn_block_tangential(b, i, t);
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
    }
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    mrn_tangential_linear c = read_coef(coef);
    int n = b->n;
    double *restrict sx = hist[0], *restrict sy = hist[1], *restrict sz = hist[2];
    if (b->whole && c.rule > MRN_SLIP_SERIES) {
        reset(c, b, sx, sy, sz);
        return;
    }
    if (b->whole) {
        kept(c, b, sx, sy, sz);
        return;
    }
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_tangential t =
            mrn_tangential_linear_step(c, mrn_block_sliding(b, i), b->k_n[i], b->gamma_n[i],
                                       b->press[i], mrn_v3(sx[i], sy[i], sz[i]));
        mrn_block_tangential(b, i, t);
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
    }
}

/* ---- many contacts at an instant ---- */

typedef mrn_tangential_linear contact; /* keeps the coefficients as they are */

static void load(const double *coef, double r, double m, double *out)
{
    (void)r, (void)m;
    contact c = read_coef(coef);
    MRN_LANE_STORE(c, out);
}

MRN_FORMULA contact lane(const mrn_lanes *f, int i)
{
    return (contact){.kappa = MRN_LANE(f->tangential, contact, kappa, i),
                     .ratio = MRN_LANE(f->tangential, contact, ratio, i),
                     .mu = MRN_LANE(f->tangential, contact, mu, i)};
}

MRN_DISPATCHED static void answer(mrn_lanes *f, int from, int to)
{
#pragma omp simd
    for (int i = from; i < to; i++)
        f->tx[i] = mrn_tangential_linear_at(lane(f, i), f->k_n[i], f->gamma_n[i], f->press[i],
                                            f->spring[i], f->ut[i]);
}

MRN_DISPATCHED static void spring(const mrn_lanes *f, int from, int to, double *restrict k,
                                  double *restrict g)
{
#pragma omp simd
    for (int i = from; i < to; i++) {
        k[i] = mrn_tangential_linear_k(lane(f, i), f->k_n[i]);
        g[i] = mrn_tangential_linear_g(lane(f, i), f->gamma_n[i]);
    }
}

static double keep(const double *coef, double delta, double s, double old)
{
    (void)coef, (void)delta, (void)old;
    return s;
}

static const mrn_law_lanes lanes = {load, answer, spring, keep};

static double stiffness(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)r, (void)m, (void)delta;
    return mrn_tangential_linear_k(read_coef(coef), of_normal);
}

static double damping(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)r, (void)m, (void)delta;
    return mrn_tangential_linear_g(read_coef(coef), of_normal);
}

/* One that is reset is kept at the step as one without a dashpot is. */
static bool undamped(const double *coef, double of_normal)
{
    mrn_tangential_linear c = read_coef(coef);
    return c.rule > MRN_SLIP_SERIES || !(mrn_tangential_linear_g(c, of_normal) > 0);
}

static void hold(const double *coef, double r, double delta, double k_n, mrn_vec3 force,
                 double *hist)
{
    (void)r, (void)delta;
    double kt = mrn_tangential_linear_k(read_coef(coef), k_n);
    mrn_store3(hist, mrn_scale(kt > 0 ? -1 / kt : 0, force));
}

const mrn_law mrn_law_tangential_linear = {
    .name = "linear-friction",
    .kind = MRN_LAW_TANGENTIAL,
    .summary = "linear spring and dashpot with Coulomb friction",
    .doc = "F_t = -(k_t xi + gamma_t d(xi)/dt), |F_t| <= mu F_n; xi is the elongation since the "
           "contact began, turned with "
           "the contact. On sliding the whole vector is shortened to the limit, and the spring "
           "with it (how: slip-rule). "
           "Source: Cundall & Strack 1979.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .history = history,
    .n_history = 1,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = stiffness,
    .hold = hold,
    .damping = damping,
    .undamped = undamped,
    .lanes = &lanes,
};
