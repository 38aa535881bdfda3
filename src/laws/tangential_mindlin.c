/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tangential law: Mindlin without micro-slip, with Tsuji's damping and Coulomb's limit. */
#include "laws/tangential_mindlin.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/lanes.h"
#include "laws/params.h"

MRN_COEFS(mrn_tangential_mindlin)

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
    MRN_PARAM_SLIP_RULE,
};

static const mrn_history history[] = {
    {"spring", "m", true, true,
     "tangential elongation, half a step ahead (without a dashpot, or reset: at the step)"},
    {"root-overlap", "m^0.5", false, false,
     "contact radius over sqrt(R) at the last step: the root of the overlap, wider with JKR"},
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
    int coupling = (int)v[3].number;
    write_coef((mrn_tangential_mindlin){.kt = 8 * (v[2].number > 0.5 ? alone(mat) : mat->g_star),
                                        .mu = v[0].number,
                                        .ratio = v[1].number,
                                        .growing = coupling != 1,
                                        .falling = coupling == 2,
                                        .rule = v[4].number},
               coef);
    return MRN_OK;
}

/* Springs without a dashpot. */
MRN_FORMULA void kept(mrn_tangential_mindlin c, mrn_law_block *b, double *restrict sx,
                      double *restrict sy, double *restrict sz, double *restrict old)
{
    int n = b->n;
    const double *restrict wide = b->wide;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double root = sqrt(wide[i]);
        mrn_tangential t =
            mrn_tangential_mindlin_kept(c, mrn_block_passage(b, i), b->r_eff[i], root, b->press[i],
                                        mrn_v3(sx[i], sy[i], sz[i]), old[i]);
        mrn_block_tangential(b, i, t);
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
        old[i] = root;
    }
}

/* Springs that are reset. */
MRN_FORMULA void reset(mrn_tangential_mindlin c, mrn_law_block *b, double *restrict sx,
                       double *restrict sy, double *restrict sz, double *restrict old)
{
    int n = b->n;
    const double *restrict wide = b->wide;
#pragma omp simd
    for (int i = 0; i < n; i++) {
        double root = sqrt(wide[i]);
        mrn_tangential t = mrn_tangential_mindlin_reset(
            c, mrn_block_passage(b, i), mrn_v3(b->ux[i], b->uy[i], b->uz[i]), b->r_eff[i], root,
            b->gamma_n[i], b->press[i], mrn_v3(sx[i], sy[i], sz[i]), old[i]);
        mrn_block_tangential(b, i, t);
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
        old[i] = root;
    }
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    mrn_tangential_mindlin c = read_coef(coef);
    int n = b->n;
    double *restrict sx = hist[0], *restrict sy = hist[1], *restrict sz = hist[2];
    double *restrict old = hist[3];
    const double *restrict wide = b->wide;
    if (b->whole && c.rule > MRN_SLIP_SERIES) {
        reset(c, b, sx, sy, sz, old);
        return;
    }
    if (b->whole) {
        kept(c, b, sx, sy, sz, old);
        return;
    }
#pragma omp simd
    for (int i = 0; i < n; i++) {
        mrn_sliding at = mrn_block_sliding(b, i);
        double root = sqrt(wide[i]);
        mrn_tangential t =
            mrn_tangential_mindlin_step(c, at, b->r_eff[i], root, b->gamma_n[i], b->press[i],
                                        mrn_v3(sx[i], sy[i], sz[i]), old[i]);
        mrn_block_tangential(b, i, t);
        sx[i] = t.ahead.x, sy[i] = t.ahead.y, sz[i] = t.ahead.z;
        old[i] = root;
    }
}

/* ---- many contacts at an instant ---- */

typedef mrn_tangential_mindlin_contact contact;

static void load(const double *coef, double r, double m, double *out)
{
    (void)m;
    contact c = mrn_tangential_mindlin_of(read_coef(coef), r);
    MRN_LANE_STORE(c, out);
}

MRN_FORMULA contact lane(const mrn_lanes *f, int i)
{
    return (contact){.k = MRN_LANE(f->tangential, contact, k, i),
                     .ratio = MRN_LANE(f->tangential, contact, ratio, i),
                     .mu = MRN_LANE(f->tangential, contact, mu, i),
                     .kt = MRN_LANE(f->tangential, contact, kt, i),
                     .r = MRN_LANE(f->tangential, contact, r, i)};
}

MRN_DISPATCHED static void answer(mrn_lanes *f, int from, int to)
{
#pragma omp simd
    for (int i = from; i < to; i++)
        f->tx[i] = mrn_tangential_mindlin_at(lane(f, i), f->root[i], f->gamma_n[i], f->press[i],
                                             f->spring[i], f->ut[i]);
}

MRN_DISPATCHED static void spring(const mrn_lanes *f, int from, int to, double *restrict k,
                                  double *restrict g)
{
#pragma omp simd
    for (int i = from; i < to; i++) {
        contact c = lane(f, i);
        k[i] = mrn_tangential_mindlin_k(c.kt, c.r, f->delta[i]);
        g[i] = mrn_tangential_mindlin_g(c.ratio, f->gamma_n[i]);
    }
}

static double keep(const double *coef, double delta, double s, double old)
{
    return mrn_tangential_mindlin_keep(read_coef(coef), old, sqrt(delta)) * s;
}

static const mrn_law_lanes lanes = {load, answer, spring, keep};

static double stiffness(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)m, (void)of_normal;
    return mrn_tangential_mindlin_k(read_coef(coef).kt, r, delta);
}

static double damping(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)r, (void)m, (void)delta;
    return mrn_tangential_mindlin_g(read_coef(coef).ratio, of_normal);
}

/* One that is reset is kept at the step as one without a dashpot is. */
static bool undamped(const double *coef, double of_normal)
{
    mrn_tangential_mindlin c = read_coef(coef);
    return c.rule > MRN_SLIP_SERIES || !(mrn_tangential_mindlin_g(c.ratio, of_normal) > 0);
}

static void hold(const double *coef, double r, double delta, double k_n, mrn_vec3 force,
                 double *hist)
{
    (void)k_n;
    double root = sqrt(delta), kt = mrn_tangential_mindlin_of(read_coef(coef), r).k * root;
    mrn_store3(hist, mrn_scale(kt > 0 ? -1 / kt : 0, force));
    hist[3] = root;
}

const mrn_law mrn_law_tangential_mindlin = {
    .name = "mindlin",
    .kind = MRN_LAW_TANGENTIAL,
    .spheres = true,
    .summary = "Mindlin without micro-slip, Coulomb friction",
    .doc =
        "dF_t = -8 G* sqrt(R delta) d(xi) while the load grows; F_t shrinks with sqrt(delta) "
        "while it falls; plus the damping of "
        "the normal law on d(xi)/dt; |F_t| <= mu F_n as a vector. 1/G* = sum of (2 - nu)/G over "
        "both bodies. When the load grows the force stays, when it falls the force falls with "
        "the contact radius: the coupling makes no energy. What becomes of spring and dashpot at "
        "the limit: slip-rule. "
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
    .undamped = undamped,
    .lanes = &lanes,
};
