/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law of Zheng, Zhu & Yu, Powder Technology 226 (2012) 130 (M3): Hertz and a viscous force
   with a factor fitted to finite elements. */
#include "laws/normal_zheng.h"

#include "base/dispatch.h"
#include "laws/coef.h"
#include "laws/gather.h"
#include "laws/hertz.h"
#include "laws/lanes.h"
#include "laws/viscoelastic.h"

MRN_COEFS(mrn_normal_zheng)

enum { ETA1, ETA1_E, ETA2, ETA2_1, FACTOR, AT_ZERO, MODULUS, END };

static const char *const factors[] = {"published", "none", "rigorous", NULL};
enum { PUBLISHED, NONE, RIGOROUS };
static const char *const moduli[] = {"effective", "young", NULL};

static const mrn_param params[] = {
    [ETA1] = MRN_PARAM_ETA1("Give this or eta1-over-young."),
    [ETA1_E] = MRN_PARAM_ETA1_OVER_YOUNG,
    [ETA2] = MRN_PARAM_ETA2("Give this or eta2-over-eta1; default 0."),
    [ETA2_1] = MRN_PARAM_ETA2_OVER_ETA1,
    [FACTOR] = {.name = "factor",
                .symbol = "",
                .kind = MRN_P_CHOICE,
                .unit = "1",
                .max = RIGOROUS,
                .fallback = PUBLISHED,
                .choices = factors,
                .doc = "published: the factor (0.8 + 26 nu^3) (eta2/eta1)^(-1/2) (delta/R)^0.04 on "
                       "the viscous force (default); none: factor 1, which is the viscoelastic law "
                       "with this A; rigorous: factor 1 and the A of law viscoelastic, found from "
                       "eta1 and eta2 without the assumption that stresses follow from strains at "
                       "rest (Brilliantov, Pimenova & Goldobin 2015): no modulus to choose, and "
                       "eta2 may be 0."},
    [AT_ZERO] = {.name = "factor-at-zero-eta2",
                 .symbol = "k_0",
                 .unit = "1",
                 .min = 0,
                 .max = INFINITY,
                 .fallback = 10,
                 .doc = "What stands for the published factor where eta2 is 0, and it infinite."},
    [MODULUS] = {.name = "modulus",
                 .symbol = "E_A",
                 .kind = MRN_P_CHOICE,
                 .unit = "1",
                 .max = 1,
                 .fallback = 1,
                 .choices = moduli,
                 .doc = "Which modulus divides the viscosities in A. young: E, as the formula is "
                        "printed (default); effective: E*, as in a program whose fits were "
                        "published: it damps 2 (1 - nu^2) times as much between like bodies."},
    [END] = MRN_PARAM_END_OF_CONTACT,
};

static mrn_status viscosities(const mrn_material_pair *mat, const mrn_value *v, double eta[2],
                              mrn_message *msg)
{
    mrn_status s = mrn_eta1(mat, &v[ETA1], &v[ETA1_E], &eta[0], msg);
    if (s == MRN_OK)
        s = mrn_eta2(&v[ETA2], &v[ETA2_1], eta[0], &eta[1], msg);
    if (s != MRN_OK)
        return s;
    if (v[FACTOR].number == PUBLISHED && eta[1] > 0 && !(eta[0] > 0)) {
        mrn_fail(msg, MRN_ERR_INPUT, "the published factor divides by eta1: it cannot be 0");
        mrn_fail_at(msg, "", v[ETA2].line, v[ETA2].column);
        mrn_fail_expected(msg, "eta1 above 0 where eta2 is given");
        return mrn_fail_hint(msg, "or  factor: none");
    }
    return MRN_OK;
}

static mrn_status prepare(const mrn_material_pair *mat, const mrn_value *v, double *coef,
                          mrn_message *msg)
{
    double nu = 0.5 * (mat->poisson[0] + mat->poisson[1]), eta[2] = {0, 0};
    mrn_status s = mrn_needs_young(mat, "a Hertz law", msg);
    if (s == MRN_OK)
        s = viscosities(mat, v, eta, msg);
    if (s != MRN_OK)
        return s;
    bool published = v[FACTOR].number == PUBLISHED;
    double modulus = v[MODULUS].number == 0 ? mat->e_star : mrn_like_young(mat);
    double a = v[FACTOR].number == RIGOROUS
                   ? mrn_viscoelastic_time(mat, eta[0], eta[1])
                   : (1 - 2 * nu) * (1 + nu) / modulus * (2 * eta[1] + eta[0] / 3);
    double factor = !published   ? 1
                    : eta[1] > 0 ? (0.8 + 26 * nu * nu * nu) * sqrt(eta[0] / eta[1])
                                 : v[AT_ZERO].number;
    mrn_normal_zheng c = {.hertz.k43 = 4.0 / 3.0 * mat->e_star,
                          .g = factor * 2 * a * mat->e_star,
                          .tension = v[END].number == 0 ? 0 : 1,
                          .power = published && eta[1] > 0 ? 1 : 0};
    write_coef(c, coef);
    return MRN_OK;
}

MRN_FORMULA void steps(mrn_normal_zheng c, bool power, mrn_law_block *b)
{
    int n = b->n;
    double h = b->h;
#pragma omp simd
    for (int i = 0; i < n; i++)
        mrn_block_normal(
            b, i,
            mrn_normal_zheng_step(c, power, b->r_eff[i], b->delta[i], b->rate[i], b->fresh[i], h));
}

MRN_DISPATCHED static void evaluate(const double *coef, mrn_law_block *b, double (*hist)[MRN_BLOCK])
{
    (void)hist;
    mrn_normal_zheng c = read_coef(coef);
    if (c.power > 0)
        steps(c, true, b);
    else
        steps(c, false, b);
}

/* ---- many contacts at an instant ---- */

typedef mrn_normal_zheng_contact contact;

static void load(const double *coef, double r, double m, double *out)
{
    (void)m;
    contact c = mrn_normal_zheng_of(read_coef(coef), r);
    MRN_LANE_STORE(c, out);
}

MRN_FORMULA void answers(mrn_lanes *f, int from, int to, bool power)
{
#pragma omp simd
    for (int i = from; i < to; i++) {
        contact c = {.k = MRN_LANE(f->normal, contact, k, i),
                     .g = MRN_LANE(f->normal, contact, g, i),
                     .tension = MRN_LANE(f->normal, contact, tension, i),
                     .power = MRN_LANE(f->normal, contact, power, i),
                     .r = MRN_LANE(f->normal, contact, r, i)};
        double root = f->root[i];
        double grown = power ? mrn_normal_zheng_growth(c.r, f->delta[i], root) : root;
        double growth = c.power > 0 ? grown : root;
        mrn_lane_normal(f, i, mrn_normal_zheng_at(c, f->delta[i], root, growth, f->rate[i]));
    }
}

/* Few have the power, and it is what takes the time. */
MRN_DISPATCHED static void answer(mrn_lanes *f, int from, int to)
{
    double any = 0;
    for (int i = from; i < to; i++)
        any += MRN_LANE(f->normal, contact, power, i);
    if (any > 0)
        answers(f, from, to, true);
    else
        answers(f, from, to, false);
}

static const mrn_law_lanes lanes = {.load = load, .answer = answer};

static double damping(const double *coef, double r, double m, double delta, double of_normal)
{
    (void)m, (void)of_normal;
    return mrn_normal_zheng_damping(read_coef(coef), r, delta);
}

const mrn_law mrn_law_normal_zheng = {
    .name = "zheng",
    .kind = MRN_LAW_NORMAL,
    .spheres = true,
    .summary = "Hertz with a viscous force fitted to finite elements (M3)",
    .doc = "F_n = 4/3 E* sqrt(R) delta^(3/2) + k 2 A E* sqrt(R delta) d(delta)/dt, "
           "A = (1 - 2 nu)(1 + nu)/E_A (2 eta2 + eta1/3), k = (0.8 + 26 nu^3) (eta2/eta1)^(-1/2) "
           "(delta/R)^0.04. Unlike materials count with their mean nu and the modulus "
           "2 (1 - nu^2) E*. The factor was fitted for 1e-8 s <= eta1/E <= 1e-5 s and "
           "0 <= eta2/eta1 <= 10; it has no value at eta2 = 0, hence factor-at-zero-eta2. What "
           "finite elements were fitted for is known since: factor rigorous. "
           "Restitution falls with speed as that of law viscoelastic does; there is no closed "
           "form. Contact time as imposed is that of the elastic impact. Source: Zheng, Zhu & Yu "
           "2012; Brilliantov, Pimenova & Goldobin 2015 (rigorous).",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .prepare = prepare,
    .evaluate = evaluate,
    .stiffness = mrn_hertz_stiffness,
    .damping = damping,
    .contact_time = mrn_hertz_contact_time,
    .lanes = &lanes,
};
