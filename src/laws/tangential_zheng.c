/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law of M3: viscoelastic spheres after Zheng, Zhu & Yu, a loading curve with micro-slip
   and a viscous term. */
#include "laws/params.h"
#include "laws/tangent.h"

enum { REACH, MU, TIME, FALL, KT };

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
    coef[MU] = v[0].number;
    coef[REACH] = v[0].number * mat->e_star / (4 * mat->g_star);
    coef[TIME] = 0.5 * eta1 * yield; /* eta1 / 2G */
    coef[FALL] = v[3].number > 0.5 ? 0 : 0.4;
    coef[KT] = 8 * mat->g_star;
    return MRN_OK;
}

static void evaluate(const double *c, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    int count = b->n;
    double reach = c[REACH], mu = c[MU], time = c[TIME], fall = c[FALL], h = b->h;
    double *restrict sx = hist[0], *restrict sy = hist[1], *restrict sz = hist[2];
#pragma omp simd
    for (int i = 0; i < count; i++) {
        double most = reach * b->delta[i], limit = mu * b->press[i], inv = most > 0 ? 1 / most : 0;
        mrn_vec3 n = {b->nx[i], b->ny[i], b->nz[i]}, u = {b->ux[i], b->uy[i], b->uz[i]};
        mrn_vec3 s = mrn_tangent_turn(n, h * b->spin[i], mrn_v3(sx[i], sy[i], sz[i]));
        double lead = mrn_tangent_lead(b->fresh[i], h, b->delta[i], b->rate[i]);
        mrn_vec3 now = mrn_axpy(lead, u, mrn_cut(s, most)), ahead = mrn_axpy(0.5 * h, u, now);
        double size = sqrt(mrn_dot(now, now)), x = most > 0 ? size * inv : 1;
        double pull = size > 0 ? limit * mrn_microslip(x) / size : 0;
        /* q u^ sqrt(1 - x), with q u^ = time u / xi_max */
        double q = time * sqrt(mrn_dot(u, u)) * inv, left = 1 - fall * q, rest = 1 - x;
        double factor = left > 0 ? left : 0, open = sqrt(rest > 0 ? rest : 0);
        double drag = 1.5 * limit * factor * time * inv * open;
        mrn_vec3 f = mrn_cut(mrn_axpy(drag, u, mrn_scale(pull, now)), limit);
        ahead = mrn_cut(ahead, most);
        b->tx[i] = -f.x, b->ty[i] = -f.y, b->tz[i] = -f.z;
        b->energy_t[i] = limit * most * mrn_microslip_energy(x);
        b->power_t[i] = mrn_dot(f, u);
        b->slip[i] = size > most ? 1 : 0;
        sx[i] = ahead.x, sy[i] = ahead.y, sz[i] = ahead.z;
    }
}

static double stiffness(const double *c, double r, double m, double delta, double of_normal)
{
    (void)m, (void)of_normal;
    return c[KT] * sqrt(r * delta);
}

/* Viscous term at zero elongation: eta1/(2 G) times the stiffness there. */
static double damping(const double *c, double r, double m, double delta, double of_normal)
{
    (void)of_normal;
    return c[TIME] * stiffness(c, r, m, delta, 0);
}

const mrn_law mrn_law_tangential_zheng = {
    .name = "zheng",
    .kind = MRN_LAW_TANGENTIAL,
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
};
