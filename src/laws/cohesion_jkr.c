/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cohesion law: Johnson, Kendall & Roberts. Everything is a polynomial in y = sqrt(a/a_f), a the
   contact radius and a_f that at which the contact parts under given separation, y = 1:
       a_f^3 = pi W R^2/(8 E*),       delta = a_f^2/R (y^4 - 4 y),
       F = E* a_f^3/R (4/3 y^6 - 8 y^3),
       U = E* a_f^5/R^2 (8/15 y^10 - 16/3 y^7 + 8 y^4 - 16/5), zero at y = 1. */
#include "laws/adhesion.h"

enum { RADIUS, E_STAR };

static const mrn_param params[] = {MRN_ADHESION_PARAMS};

static const char *const with_normal[] = {"hertz", "tsuji", "viscoelastic", NULL};

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    double work = 0;
    mrn_status s = mrn_needs_young(mat, "JKR adhesion", msg);
    if (s == MRN_OK)
        s = mrn_adhesion_work(v, &work, msg);
    if (s != MRN_OK)
        return s;
    coef[RADIUS] = cbrt(MRN_PI * work / (8 * mat->e_star)); /* a_f over R^(2/3) */
    coef[E_STAR] = mat->e_star;
    return MRN_OK;
}

static double least_radius(const double *c, double r)
{
    double root = cbrt(r);
    return c[RADIUS] * root * root;
}

/* y - 1 of an overlap: t sqrt(t^2 + 4 t + 6) = q with q^2 = delta R/a_f^2 + 3, the quartic without
   its double root at the parting, by Newton's method. The function is convex and the start,
   sqrt(1 + q) - 1, is above the root by at most a fifth: five steps leave round-off only. */
static inline double jkr_root(double q)
{
    double t = q / (1 + sqrt(1 + q));
    for (int k = 0; k < 5; k++) {
        double s = sqrt(6 + t * (4 + t));
        t -= (t * s - q) * s / (6 + t * (6 + 2 * t));
    }
    return t;
}

/* Force over E* a_f^3/R, and energy over E* a_f^5/R^2. */
static inline double jkr_force(double y)
{
    double y3 = y * y * y;
    return y3 * (4.0 / 3 * y3 - 8);
}

static inline double jkr_energy(double y)
{
    double y3 = y * y * y, y4 = y3 * y;
    return y4 * (8 + y3 * (8.0 / 15 * y3 - 16.0 / 3)) - 3.2;
}

/* At touching, y^3 = 4: the well into which a new contact falls, and its pull. */
#define WELL_AT_TOUCH 33.67810019778942
#define PULL_AT_TOUCH (32.0 / 3)
#define PULL_AT_PART  (20.0 / 3)

static void evaluate(const double *c, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    int count = b->n;
    double e = c[E_STAR], h = b->h, least[MRN_BLOCK];
    for (int i = 0; i < count; i++)
        least[i] = least_radius(c, b->r_eff[i]);
#pragma omp simd
    for (int i = 0; i < count; i++) {
        double r = b->r_eff[i], a = least[i], a2 = a * a, d = b->delta[i], rate = b->closing[i];
        double f1 = e * a2 * a / r, u1 = f1 * a2 / r, over = 3 - b->gap[i] * r / a2;
        double y = 1 + jkr_root(sqrt(over > 0 ? over : 0)), held = over >= 0 ? 1 : 0;
        double begin = mrn_pull_begin(b->fresh[i], h, -b->gap[i], rate);
        double end = mrn_pull_end(h, over * a2 / r, rate);
        double f = jkr_force(y) - PULL_AT_TOUCH * (begin - 1) - PULL_AT_PART * (end - 1);
        double hertz = 4.0 / 3 * e * sqrt(r) * d * sqrt(d);
        double fn = held * f1 * f + (b->fn[i] - hertz);
        b->fn[i] = fn;
        b->energy_n[i] = held * u1 * jkr_energy(y);
        b->jump[i] = b->fresh[i] > 0 ? u1 * WELL_AT_TOUCH : 0;
        b->press[i] = fabs(fn + 24 * held * f1);
    }
}

/* What JKR adds to Hertz's stiffness: E* a_f (2 y^5 - 6 y^2)/(y^3 - 1) - 2 E* sqrt(R delta). */
static double stiffness(const double *c, double r, double m, double delta, double of_normal)
{
    (void)m;
    double a = least_radius(c, r), y = 1 + jkr_root(sqrt(3 + delta * r / (a * a))), y2 = y * y;
    double slope = c[E_STAR] * a * y2 * (2 * y2 * y - 6) / (y2 * y - 1);
    return slope > of_normal ? slope - of_normal : 0;
}

static double range(const double *c, double r)
{
    double a = least_radius(c, r);
    return 3 * a * a / r;
}

/* The pull-off force, 3/2 pi W R. */
static mrn_status rigid(const mrn_material_pair *mat, const mrn_value *v, mrn_rigid *out,
                        mrn_message *msg)
{
    (void)mat;
    double work = 0;
    mrn_status s = mrn_adhesion_work(v, &work, msg);
    out->pull_per_radius = 1.5 * MRN_PI * work;
    return s;
}

const mrn_law mrn_law_cohesion_jkr = {
    .name = "jkr",
    .kind = MRN_LAW_COHESION,
    .summary = "adhesion of soft, large grains with high surface energy (JKR)",
    .doc = "The elastic part of the normal force becomes F = 4 E* a^3/(3 R) - sqrt(8 pi W E* a^3), "
           "delta = a^2/R - sqrt(2 pi W a/E*), a the contact radius; the damping of the normal law "
           "stays as it is. Pull-off force F_c = 3/2 pi W R, at delta = -a^2/(3 R) with "
           "a^3 = 9 pi W R^2/(8 E*). A contact forms when the surfaces touch (the pull is then "
           "8/9 F_c) and parts where separation turns unstable, at the distance "
           "3/4 (pi^2 W^2 R/E*^2)^(1/3), with the pull 5/9 F_c. Energy is counted from there; what "
           "a new contact falls into, 1.0524 (pi^5 W^5 R^4/E*^2)^(1/3), is lost at once (elastic "
           "waves), which is all the loss of a slow cycle of approach and retreat. Coulomb's limit "
           "is mu (F + 2 F_c). Tangential stiffness is that of Hertz's contact area, none in the "
           "neck between touching and parting. For a Tabor parameter (R W^2/(E*^2 z0^3))^(1/3), "
           "z0 about 0.3 nm, above 5; below 0.1 use dmt. The modulus may be lowered for speed: "
           "keep the pull-off force, and know that ranges and lost energies grow. Between rigid "
           "grains (method nonsmooth) the pull-off force acts while they touch and Coulomb's limit "
           "is mu (F + F_c). Sources: "
           "Johnson, Kendall & Roberts 1971; Thornton & Yin 1991 (friction).",
    .params = params,
    .n_params = MRN_ADHESION_N_PARAMS,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = stiffness,
    .range = range,
    .jumps = true,
    .with_normal = with_normal,
    .rigid = rigid,
};
