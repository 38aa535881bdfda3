/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law of M1: spring k_t and dashpot gamma_t, cut at Coulomb's limit as a vector. */
#include "laws/params.h"
#include "laws/tangent.h"

enum { KAPPA, GAMMA_RATIO, MU };

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
};

static const mrn_history history[] = {
    {"spring", "m", true, true, "tangential elongation, half a step ahead"}};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    (void)msg;
    coef[MU] = v[0].number;
    coef[KAPPA] = v[1].given ? v[1].number : mat->kappa;
    coef[GAMMA_RATIO] = v[2].number;
    return MRN_OK;
}

static void evaluate(const double *c, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    int count = b->n;
    double kappa = c[KAPPA], ratio = c[GAMMA_RATIO], mu = c[MU], h = b->h;
    double *restrict sx = hist[0], *restrict sy = hist[1], *restrict sz = hist[2];
    double whole = b->mean;
    const double *restrict dux = b->mean ? b->vx : b->ux;
    const double *restrict duy = b->mean ? b->vy : b->uy;
    const double *restrict duz = b->mean ? b->vz : b->uz;
#pragma omp simd
    for (int i = 0; i < count; i++) {
        double kt = kappa * b->k_n[i], g = ratio * b->gamma_n[i];
        mrn_vec3 n = {b->nx[i], b->ny[i], b->nz[i]}, u = {b->ux[i], b->uy[i], b->uz[i]};
        mrn_vec3 s = mrn_tangent_turn(n, h * b->spin[i], mrn_v3(sx[i], sy[i], sz[i]));
        double part = mrn_tangent_lead(b->fresh[i], h, b->delta[i], b->rate[i]);
        double all = mrn_tangent_whole(b->fresh[i], h, b->delta[i], b->rate[i]);
        double lead = part + whole * (all - part), span = lead + (1 - whole) * (0.5 * h);
        double limit = mu * b->press[i];
        mrn_vec3 du = {dux[i], duy[i], duz[i]};
        mrn_tangent t = mrn_tangent_by(s, du, u, kt, g, limit, lead, span);
        b->tx[i] = -t.force.x, b->ty[i] = -t.force.y, b->tz[i] = -t.force.z;
        b->energy_t[i] = 0.5 * kt * mrn_dot(t.spring, t.spring);
        b->power_t[i] = (1 - whole) * mrn_dot(t.force, u);
        b->work_t[i] = 0.5 * lead * mrn_dot(mrn_axpy(kt, s, t.force), du);
        b->slip[i] = t.slide;
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
    }
}

static double stiffness(const double *c, double r, double m, double delta, double of_normal)
{
    (void)r, (void)m, (void)delta;
    return c[KAPPA] * of_normal;
}

static double damping(const double *c, double r, double m, double delta, double of_normal)
{
    (void)r, (void)m, (void)delta;
    return c[GAMMA_RATIO] * of_normal;
}

static void hold(const double *c, double r, double delta, double k_n, mrn_vec3 force, double *hist)
{
    (void)r, (void)delta;
    double kt = c[KAPPA] * k_n;
    mrn_store3(hist, mrn_scale(kt > 0 ? -1 / kt : 0, force));
}

const mrn_law mrn_law_tangential_linear = {
    .name = "linear-friction",
    .kind = MRN_LAW_TANGENTIAL,
    .summary = "linear spring and dashpot with Coulomb friction",
    .doc = "F_t = -(k_t xi + gamma_t d(xi)/dt), |F_t| <= mu F_n; xi is the elongation since the "
           "contact began, turned with "
           "the contact. On sliding the whole vector is shortened to the limit, and the spring "
           "with it. "
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
};
