/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law: Mindlin without micro-slip, with Tsuji's damping and Coulomb's limit. The
   stiffness follows the contact radius: when the load grows the force is kept (new area carries
   none yet), when it falls the force falls with the area. Either way no energy is made by the
   coupling (the flaw of a spring that is simply rescaled). */
#include "laws/hertz.h"
#include "laws/tangent.h"

enum { KT = MRN_HZ_BASE, MU };

static const mrn_param params[] = {
    MRN_HZ_PARAMS,
    MRN_PARAM_FRICTION,
};

static const mrn_history history[] = {
    {"spring", "m", true, true, "tangential elongation, half a step ahead"},
    {"root-overlap", "m^0.5", false, false, "square root of the overlap at the last step"},
};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    coef[KT] = 8 * mat->g_star;
    coef[MU] = v[MRN_HZ_N_PARAMS].number;
    return mrn_hertz_prepare(mat, v, coef, msg);
}

static void evaluate(const double *c, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    int count = b->n;
    double kt8 = c[KT], mu = c[MU], h = b->h, k43 = c[MRN_HZ_K], alpha = c[MRN_HZ_ALPHA];
    double *restrict sx = hist[0], *restrict sy = hist[1], *restrict sz = hist[2];
    double *restrict old = hist[3];
#pragma omp simd
    for (int i = 0; i < count; i++) {
        double r = b->r_eff[i], root = sqrt(b->delta[i]), kt = kt8 * sqrt(r) * root;
        double g = alpha * sqrt(b->m_eff[i] * k43 * sqrt(r)) *
                   mrn_quarter_begin(b->fresh[i], h, b->delta[i], b->rate[i]);
        double keep = old[i] < root ? old[i] / root : 1;
        mrn_vec3 n = {b->nx[i], b->ny[i], b->nz[i]}, u = {b->ux[i], b->uy[i], b->uz[i]};
        mrn_vec3 s =
            mrn_tangent_turn(n, h * b->spin[i], mrn_v3(keep * sx[i], keep * sy[i], keep * sz[i]));
        double lead = mrn_tangent_lead(b->fresh[i], h, b->delta[i], b->rate[i]);
        double limit = mu * fabs(b->fn[i]);
        mrn_tangent t = mrn_tangent_force(s, u, kt, g, limit, lead, lead + 0.5 * h);
        b->tx[i] = -t.force.x, b->ty[i] = -t.force.y, b->tz[i] = -t.force.z;
        b->energy_t[i] = 0.5 * kt * mrn_dot(t.spring, t.spring);
        b->power_t[i] = mrn_dot(t.force, u);
        b->slip[i] = t.slide;
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
        old[i] = root;
    }
}

static double stiffness(const double *c, double r, double m, double delta)
{
    (void)m;
    return c[KT] * sqrt(r * delta);
}

const mrn_law mrn_law_tangential_mindlin = {
    .name = "mindlin",
    .kind = MRN_LAW_TANGENTIAL,
    .summary = "Mindlin without micro-slip, Coulomb friction",
    .doc = "dF_t = -8 G* sqrt(R delta) d(xi) while the load grows; F_t shrinks with sqrt(delta) "
           "while it falls; plus the damping of "
           "the normal law on d(xi)/dt; |F_t| <= mu F_n as a vector. 1/G* = sum of (2 - nu)/G over "
           "both bodies. "
           "Sources: Mindlin 1949; Tsuji, Tanaka & Ishida 1992.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .history = history,
    .n_history = 2,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = stiffness,
    .damping = mrn_hertz_damping,
};
