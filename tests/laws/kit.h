/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of laws by themselves: models prepared from named values or from values found by trial,
   and two bodies that meet under a model alone. */
#ifndef MRN_TESTS_LAWS_KIT_H
#define MRN_TESTS_LAWS_KIT_H

#include "world.h"

typedef struct kit_value {
    const char *name;
    double number;
} kit_value;

static inline mrn_material_pair kit_glass(void)
{
    return mrn_material_pair_mix(1e9, 0.25, 2500, 1e9, 0.25, 2500);
}

/* Values in the model's order from a list that ends with a nameless entry; a name the model does
   not know is passed over. */
static inline void kit_values(const mrn_law_model *m, const kit_value *list, mrn_value *v)
{
    const mrn_param *p[MRN_PARAM_MAX];
    int n = mrn_law_model_params(m, p);
    for (int i = 0; i < n; i++) {
        v[i] = (mrn_value){.number = p[i]->fallback};
        for (const kit_value *k = list; k->name != NULL; k++)
            if (strcmp(k->name, p[i]->name) == 0)
                v[i].given = true, v[i].number = k->number;
    }
}

static inline mrn_prepared kit_prepare(const char *model, const kit_value *list)
{
    const mrn_law_model *m = mrn_law_model_find(model);
    assert_non_null(m);
    mrn_value v[MRN_PARAM_MAX];
    kit_values(m, list, v);
    mrn_prepared out;
    mrn_message msg = {0};
    mrn_material_pair mat = kit_glass();
    ok(mrn_law_prepare(m, &mat, v, &out, &msg), &msg);
    return out;
}

/* A normal law alone. */
static inline mrn_prepared kit_normal(const char *normal, const kit_value *list)
{
    const mrn_law *part[MRN_LAW_KINDS] = {mrn_law_find(MRN_LAW_NORMAL, normal)};
    assert_non_null(part[0]);
    mrn_law_model m;
    mrn_message msg = {0};
    ok(mrn_law_mix(part, &m, &msg), &msg);
    mrn_value v[MRN_PARAM_MAX];
    kit_values(&m, list, v);
    mrn_prepared out;
    mrn_material_pair mat = kit_glass();
    ok(mrn_law_prepare(&m, &mat, v, &out, &msg), &msg);
    return out;
}

/* A value to try for a parameter: its default, else one usual for its name or unit. */
static inline double kit_guess(const mrn_param *p)
{
    static const struct {
        const char *key;
        double value;
    } usual[] = {{"surface-tension", 0.07},
                 {"liquid-viscosity", 1e-3},
                 {"friction", 0.4},
                 {"restitution", 0.6},
                 {"restitution-radius", 1e-3},
                 {"N/m", 1e5},
                 {"N s/m", 0.5},
                 {"m", 1e-5},
                 {"s", 1e-5},
                 {"m/s", 0.5},
                 {"Pa s", 100},
                 {"1/m", 1e3},
                 {"s/m", 0.1},
                 {"J/m2", 0.05},
                 {"J/m^2", 0.05},
                 {"N", 1e-3},
                 {"m3", 1e-13},
                 {"m^3", 1e-13},
                 {"rad", 0.3},
                 {"Pa", 1e6}};
    if (!p->required && !isnan(p->fallback))
        return p->fallback;
    double guess = 0.3;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(p->name, usual[i].key) == 0 || strcmp(p->unit, usual[i].key) == 0) {
            guess = usual[i].value;
            break;
        }
    return guess < p->min ? p->min : guess > p->max ? p->max : guess;
}

/* Gives `more` of the derived parameters from the place `from` on, until the model is content. */
static inline bool kit_try(const mrn_law_model *m, const mrn_param *const *p, int n, int from,
                           int more, mrn_value *v, mrn_prepared *out)
{
    mrn_material_pair mat = kit_glass();
    if (more == 0)
        return mrn_law_prepare(m, &mat, v, out, NULL) == MRN_OK;
    for (int i = from; i < n; i++)
        if (!v[i].given && isnan(p[i]->fallback)) {
            v[i] = (mrn_value){.given = true, .number = kit_guess(p[i])};
            if (kit_try(m, p, n, i + 1, more - 1, v, out))
                return true;
            v[i] = (mrn_value){.number = NAN};
        }
    return false;
}

/* Fewest values with which a model can be prepared; `fixed` ones are given where it has them. */
static inline mrn_prepared kit_sample(const mrn_law_model *m, const kit_value *fixed, mrn_value *v)
{
    const mrn_param *p[MRN_PARAM_MAX];
    int n = mrn_law_model_params(m, p);
    kit_values(m, fixed, v);
    for (int i = 0; i < n; i++)
        if (p[i]->required && !v[i].given)
            v[i].given = true, v[i].number = kit_guess(p[i]);
    mrn_prepared out;
    for (int more = 0; more <= 5; more++)
        if (kit_try(m, p, n, 0, more, v, &out))
            return out;
    fail_msg("no values found for which %s can be prepared", m->name);
    return out;
}

/* ---- two bodies that meet, by the engine's scheme ---- */

typedef struct kit_impact {
    double restitution;
    double time;     /* while a force acts                                       */
    double overlap;  /* largest                                                  */
    double residual; /* largest error of the energy sum over the initial energy  */
    int touches;     /* steps in touch                                           */
} kit_impact;

/* Effective mass m and radius r meet at relative speed v, pressed on by the constant force `press`;
   `phase` is the part of a step before touch. Ends when they part, or after `most` steps. */
static inline kit_impact kit_collide(const mrn_prepared *p, double r, double m, double v, double h,
                                     double phase, double press, int most)
{
    static mrn_law_block b;
    memset(&b, 0, sizeof b);
    b.n = 1, b.h = h, b.nx[0] = 1, b.r_eff[0] = r, b.m_eff[0] = m;
    kit_impact out = {0};
    double x = -phase * h * v, u = v, a = press / m, lost = 0, last = 0;
    double start = 0.5 * m * v * v - press * x;
    bool touched = false;
    for (int n = 0; n < most; n++) {
        x += h * u + 0.5 * h * h * a;
        double ahead = u + h * a, f = 0, stored = 0, loss = 0;
        if (x >= 0) {
            b.delta[0] = x, b.rate[0] = ahead, b.fresh[0] = touched ? 0 : 1;
            mrn_law_evaluate(p, &b);
            f = b.fn[0], stored = b.energy_n[0], loss = b.loss_n[0];
            touched = true;
            out.touches++;
            out.time += f != 0 ? h : 0;
        } else if (touched && press == 0) {
            u += 0.5 * h * a;
            out.restitution = -u / v;
            return out;
        } else {
            touched = false;
            memset(b.history, 0, sizeof b.history);
        }
        double now = (press - f) / m;
        u += 0.5 * h * (a + now);
        a = now;
        lost += 0.5 * h * (last + loss), last = loss;
        double error = 0.5 * m * u * u - press * x + stored + lost - start;
        out.residual = fmax(out.residual, fabs(error) / start);
        out.overlap = fmax(out.overlap, x);
    }
    return out;
}

#endif
