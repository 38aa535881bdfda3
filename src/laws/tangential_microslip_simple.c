/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law: the first-loading curve of Mindlin and Deresiewicz taken as a function of the
   elongation, in both directions. */
#include "laws/params.h"
#include "laws/tangent.h"

enum { REACH, KT, MU, DAMPING };

static const mrn_param params[] = {
    MRN_PARAM_FRICTION,
    MRN_PARAM_DAMPING_RATIO,
};

static const mrn_history history[] = {
    {"spring", "m", true, true, "tangential elongation, half a step ahead"}};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    mrn_status s = mrn_needs_young(mat, "micro-slip-simple", msg);
    if (s != MRN_OK)
        return s;
    coef[MU] = v[0].number;
    coef[REACH] = v[0].number * mat->e_star / (4 * mat->g_star);
    coef[KT] = 8 * mat->g_star;
    coef[DAMPING] = v[1].number;
    return MRN_OK;
}

static void evaluate(const double *c, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    int count = b->n;
    double reach = c[REACH], mu = c[MU], h = b->h, ratio = c[DAMPING];
    double *restrict sx = hist[0], *restrict sy = hist[1], *restrict sz = hist[2];
#pragma omp simd
    for (int i = 0; i < count; i++) {
        double most = reach * b->delta[i], limit = mu * b->press[i];
        mrn_vec3 n = {b->nx[i], b->ny[i], b->nz[i]}, u = {b->ux[i], b->uy[i], b->uz[i]};
        mrn_vec3 s = mrn_tangent_turn(n, h * b->spin[i], mrn_v3(sx[i], sy[i], sz[i]));
        double lead = mrn_tangent_lead(b->fresh[i], h, b->delta[i], b->rate[i]);
        mrn_vec3 now = mrn_axpy(lead, u, mrn_cut(s, most)), ahead = mrn_axpy(0.5 * h, u, now);
        double size = sqrt(mrn_dot(now, now)), x = most > 0 ? size / most : 1;
        double pull = size > 0 ? limit * mrn_microslip(x) / size : 0;
        mrn_vec3 f = mrn_axpy(ratio * b->gamma_n[i], u, mrn_scale(pull, now));
        f = mrn_cut(f, limit);
        ahead = mrn_cut(ahead, most);
        b->tx[i] = -f.x, b->ty[i] = -f.y, b->tz[i] = -f.z;
        b->energy_t[i] = limit * most * mrn_microslip_energy(x);
        b->power_t[i] = mrn_dot(f, u);
        b->slip[i] = size > most ? 1 : 0;
        sx[i] = ahead.x, sy[i] = ahead.y, sz[i] = ahead.z;
    }
}

/* At zero elongation, where it is stiffest: 3/2 mu N / xi_max, Mindlin's. */
static double stiffness(const double *c, double r, double m, double delta, double of_normal)
{
    (void)m, (void)of_normal;
    return c[KT] * sqrt(r * delta);
}

static double damping(const double *c, double r, double m, double delta, double of_normal)
{
    (void)r, (void)m, (void)delta;
    return c[DAMPING] * of_normal;
}

const mrn_law mrn_law_tangential_microslip_simple = {
    .name = "micro-slip-simple",
    .kind = MRN_LAW_TANGENTIAL,
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
};
