/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law: Mindlin without micro-slip, with Tsuji's damping and Coulomb's limit. The
   stiffness follows the contact radius: when the load grows the force is kept (new area carries
   none yet), when it falls the force falls with the area. Either way no energy is made by the
   coupling, the flaw of the two other rules, there to compare with codes that use them. */
#include "laws/params.h"
#include "laws/tangent.h"

enum { KT, MU, DAMPING, KEEP_GROWING, KEEP_FALLING };

static const char *const shear_stiffness[] = {"two-body", "particle", NULL};

static const char *const load_coupling[] = {"rescale", "total", "incremental", NULL};

static const mrn_param params[] = {
    MRN_PARAM_FRICTION,
    MRN_PARAM_DAMPING_RATIO,
    {.name = "shear-stiffness",
     .symbol = "",
     .kind = MRN_P_CHOICE,
     .unit = "1",
     .max = 1,
     .fallback = 0,
     .choices = shear_stiffness,
     .doc = "two-body: both grains yield, 8 G* sqrt(R delta) (default); particle: one alone, "
            "8 G/(2 - nu) sqrt(R delta) with the material that yields more. That is twice as much "
            "for like materials; only for comparison with published runs that take it."},
    {.name = "load-coupling",
     .symbol = "",
     .kind = MRN_P_CHOICE,
     .unit = "1",
     .max = 2,
     .fallback = 0,
     .choices = load_coupling,
     .doc = "What a change of the normal load does to the tangential force. rescale: kept while "
            "the load grows, shrinks with the contact radius while it falls (default; never makes "
            "energy); total: always stiffness times elongation; incremental: never changes. The "
            "last two make energy on some paths; many codes and published runs use them."},
};

static const mrn_history history[] = {
    {"spring", "m", true, true, "tangential elongation, half a step ahead"},
    {"root-overlap", "m^0.5", false, false, "square root of the overlap at the last step"},
};

/* G/(2 - nu) of the material that yields more. */
static double alone(const mrn_material_pair *mat)
{
    double g[2];
    for (int i = 0; i < 2; i++)
        g[i] = mat->young[i] / (2 * (1 + mat->poisson[i]) * (2 - mat->poisson[i]));
    return g[0] < g[1] ? g[0] : g[1];
}

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    if (!(mat->g_star > 0)) {
        mrn_fail(msg, MRN_ERR_INPUT, "a Mindlin law needs Young's modulus of both materials");
        return mrn_fail_hint(msg, "add young: and poisson: to the material");
    }
    coef[KT] = 8 * (v[2].number > 0.5 ? alone(mat) : mat->g_star);
    coef[MU] = v[0].number;
    coef[DAMPING] = v[1].number;
    int coupling = (int)v[3].number;
    coef[KEEP_GROWING] = coupling != 1;
    coef[KEEP_FALLING] = coupling == 2;
    return MRN_OK;
}

static void evaluate(const double *c, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    int count = b->n;
    double kt8 = c[KT], mu = c[MU], h = b->h, ratio = c[DAMPING];
    double growing = c[KEEP_GROWING], falling = c[KEEP_FALLING];
    double *restrict sx = hist[0], *restrict sy = hist[1], *restrict sz = hist[2];
    double *restrict old = hist[3];
    double whole = b->mean;
    const double *restrict dux = b->mean ? b->vx : b->ux;
    const double *restrict duy = b->mean ? b->vy : b->uy;
    const double *restrict duz = b->mean ? b->vz : b->uz;
#pragma omp simd
    for (int i = 0; i < count; i++) {
        double r = b->r_eff[i], root = sqrt(b->delta[i]), kt = kt8 * sqrt(r) * root;
        double g = ratio * b->gamma_n[i];
        double change = old[i] / (root > 0 ? root : 1);
        double keep_up = growing * change + (1 - growing);
        double keep_down = falling * change + (1 - falling);
        double keep = old[i] < root ? keep_up : keep_down;
        double keep_safe = keep > 0 ? keep : 1;
        mrn_vec3 n = {b->nx[i], b->ny[i], b->nz[i]}, u = {b->ux[i], b->uy[i], b->uz[i]};
        mrn_vec3 s =
            mrn_tangent_turn(n, h * b->spin[i], mrn_v3(keep * sx[i], keep * sy[i], keep * sz[i]));
        double part = mrn_tangent_lead(b->fresh[i], h, b->delta[i], b->rate[i]);
        double all = mrn_tangent_whole(b->fresh[i], h, b->delta[i], b->rate[i]);
        double lead = part + whole * (all - part), span = lead + (1 - whole) * (0.5 * h);
        double limit = mu * b->press[i];
        mrn_vec3 du = {dux[i], duy[i], duz[i]};
        mrn_tangent t = mrn_tangent_by(s, du, u, kt, g, limit, lead, span);
        b->tx[i] = -t.force.x, b->ty[i] = -t.force.y, b->tz[i] = -t.force.z;
        b->energy_t[i] = 0.5 * kt * mrn_dot(t.spring, t.spring);
        b->power_t[i] = (1 - whole) * mrn_dot(t.force, u);
        double before = kt8 * sqrt(r) * old[i] / keep_safe; /* the spring s was scaled by keep */
        b->work_t[i] = 0.5 * lead * mrn_dot(mrn_axpy(before, s, t.force), du);
        b->slip[i] = t.slide;
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
        old[i] = root;
    }
}

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

static void hold(const double *c, double r, double delta, double k_n, mrn_vec3 force, double *hist)
{
    (void)k_n;
    double kt = c[KT] * sqrt(r) * sqrt(delta);
    mrn_store3(hist, mrn_scale(kt > 0 ? -1 / kt : 0, force));
    hist[3] = sqrt(delta);
}

const mrn_law mrn_law_tangential_mindlin = {
    .name = "mindlin",
    .kind = MRN_LAW_TANGENTIAL,
    .summary = "Mindlin without micro-slip, Coulomb friction",
    .doc = "dF_t = -8 G* sqrt(R delta) d(xi) while the load grows; F_t shrinks with sqrt(delta) "
           "while it falls; plus the damping of "
           "the normal law on d(xi)/dt; |F_t| <= mu F_n as a vector. 1/G* = sum of (2 - nu)/G over "
           "both bodies. When the load grows the force stays, when it falls the force falls with "
           "the contact radius: the coupling makes no energy. "
           "Sources: Mindlin 1949; Tsuji, Tanaka & Ishida 1992.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .history = history,
    .n_history = 2,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = stiffness,
    .hold = hold,
    .damping = damping,
};
