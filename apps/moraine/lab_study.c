/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sensitivity study: the model with the outputs that have a value, sweeps, Sobol, Morris, JSON.
 */
#include <math.h>
#include <string.h>

#include "lab_study.h"

/* ---- the model ---- */

static mrn_status predict(void *user, int64_t count, const double *x, double *y, bool *bad,
                          mrn_message *msg)
{
    mrn_study *s = user;
    double *all = mrn_alloc((size_t)count * (size_t)s->all.m * sizeof *all);
    if (all == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    mrn_status status = s->all.predict(s->all.user, count, x, all, bad, msg);
    for (int64_t k = 0; status >= 0 && k < count; k++) {
        bad[k] = false; /* outputs that are left out have no say */
        for (int j = 0; j < s->model.m; j++) {
            y[k * s->model.m + j] = all[k * s->all.m + s->of[j]];
            bad[k] = bad[k] || !isfinite(y[k * s->model.m + j]);
        }
    }
    mrn_free(all);
    return status;
}

/* Which outputs have a value at the base. */
static mrn_status keep_outputs(mrn_study *s, mrn_message *msg)
{
    bool bad = false;
    s->of = mrn_alloc((size_t)s->all.m * sizeof *s->of);
    s->at_base = mrn_alloc((size_t)s->all.m * sizeof *s->at_base);
    if (s->of == NULL || s->at_base == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    mrn_status status = s->all.predict(s->all.user, 1, s->base, s->at_base, &bad, msg);
    if (status < 0)
        return status;
    s->model = (mrn_predictor){.n = s->all.n, .predict = predict, .user = s};
    for (int j = 0; j < s->all.m; j++) {
        if (!isfinite(s->at_base[j]))
            continue;
        s->at_base[s->model.m] = s->at_base[j];
        s->of[s->model.m++] = j;
    }
    if (s->model.m == 0)
        return mrn_fail(msg, MRN_NOT_CONVERGED, "no response has a value at the base values");
    return MRN_OK;
}

static mrn_status need_factors(const mrn_cli *lab, mrn_message *msg)
{
    if (lab->e.n_factors > 0 && lab->e.studied >= 0)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "this file does not say what to vary");
    mrn_fail_expected(msg, "the key `sensitivity`, with parameters and their ranges");
    return mrn_fail_at(msg, lab->e.path, 1, 1);
}

static mrn_status set_up(mrn_study *s, mrn_message *msg)
{
    const mrn_experiment *e = &s->lab->e;
    mrn_status status = need_factors(s->lab, msg);
    if (status != MRN_OK)
        return status;
    s->candidate = e->studied;
    s->n_fields = mrn_cli_responses(e, s->field);
    s->base = mrn_alloc((size_t)e->n_factors * sizeof *s->base);
    if (s->base == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    for (int k = 0; k < e->n_factors; k++)
        s->base[k] = e->factor[k].start;
    status = mrn_fit_setup_create_rows(e, s->candidate, e->of, e->n_factors, s->field, s->n_fields,
                                       &s->setup, &s->all, msg);
    return status == MRN_OK ? keep_outputs(s, msg) : status;
}

mrn_status mrn_study_make(const mrn_cli *lab, uint64_t seed, mrn_study *s, mrn_message *msg)
{
    const mrn_experiment *e = &lab->e;
    *s = (mrn_study){.lab = lab, .seed = seed};
    mrn_status status = set_up(s, msg);
    if (status == MRN_OK)
        status =
            mrn_sensitivity_sweep(&s->model, e->factor, s->base, e->sweep_steps, &s->sweep, msg);
    if (status == MRN_OK && e->sobol_points > 0)
        status = mrn_sensitivity_sobol(&s->model, e->factor, e->sobol_points, seed, &s->sobol, msg);
    if (status == MRN_OK && e->morris > 0)
        status = mrn_sensitivity_morris(&s->model, e->factor, e->morris, seed, &s->morris, msg);
    return status;
}

void mrn_study_free(mrn_study *s)
{
    mrn_sweeps_release(&s->sweep);
    mrn_sobol_release(&s->sobol);
    mrn_morris_release(&s->morris);
    mrn_fit_setup_destroy(&s->setup);
    mrn_free(s->of);
    mrn_free(s->base);
    mrn_free(s->at_base);
}

/* ---- over all conditions ---- */

mrn_share mrn_study_share(const mrn_study *s, int factor, int field)
{
    const mrn_sobol *b = &s->sobol;
    mrn_share out = {0};
    double weight = 0;
    for (int j = 0; j < b->m; j++) {
        double v = b->variance[j];
        if (s->of[j] % s->n_fields != field || !(v > 0))
            continue;
        out.first += v * b->first[factor * b->m + j];
        out.total += v * b->total[factor * b->m + j];
        out.first_error += v * b->first_error[factor * b->m + j];
        out.total_error += v * b->total_error[factor * b->m + j];
        weight += v;
    }
    if (weight == 0)
        return out; /* nothing moves it */
    return (mrn_share){out.first / weight, out.first_error / weight, out.total / weight,
                       out.total_error / weight};
}

void mrn_study_effect(const mrn_study *s, int factor, int field, double *effect, double *spread)
{
    const mrn_morris *b = &s->morris;
    int n = 0;
    *effect = *spread = 0;
    for (int j = 0; j < b->m; j++) {
        double e = b->effect[factor * b->m + j];
        if (s->of[j] % s->n_fields != field || !isfinite(e))
            continue;
        *effect += e;
        *spread += isfinite(b->spread[factor * b->m + j]) ? b->spread[factor * b->m + j] : 0;
        n++;
    }
    *effect = n > 0 ? *effect / n : NAN;
    *spread = n > 0 ? *spread / n : NAN;
}

/* ---- JSON ---- */

static json_t *numbers(const double *v, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, mrn_cli_real(v[i]));
    return list;
}

static json_t *outputs_json(const mrn_study *s)
{
    json_t *list = json_array();
    for (int j = 0; j < s->model.m; j++) {
        json_t *o = json_object();
        mrn_cli_row_json(&s->lab->e.at, s->of[j] / s->n_fields, o);
        json_object_set_new(o, "response", json_string(s->field[s->of[j] % s->n_fields]->name));
        json_object_set_new(o, "base", mrn_cli_real(s->at_base[j]));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *sobol_json(const mrn_study *s, int k)
{
    json_t *o = json_object();
    for (int f = 0; f < s->n_fields; f++) {
        mrn_share x = mrn_study_share(s, k, f);
        json_object_set_new(o, s->field[f]->name,
                            json_pack("{s:o, s:o, s:o, s:o}", "first", mrn_cli_real(x.first),
                                      "first_error", mrn_cli_real(x.first_error), "total",
                                      mrn_cli_real(x.total), "total_error",
                                      mrn_cli_real(x.total_error)));
    }
    int m = s->sobol.m;
    json_object_set_new(o, "first", numbers(s->sobol.first + k * m, m));
    json_object_set_new(o, "total", numbers(s->sobol.total + k * m, m));
    return o;
}

static json_t *parameter_json(const mrn_study *s, int k)
{
    const mrn_parameter *p = &s->lab->e.factor[k];
    const mrn_sweeps *w = &s->sweep;
    json_t *o = json_pack("{s:s, s:s, s:f, s:f, s:f, s:b}", "name", p->name, "unit", p->unit, "low",
                          p->lo, "high", p->hi, "base", s->base[k], "log", p->log);
    json_t *y = json_array();
    for (int i = 0; i < w->steps; i++)
        json_array_append_new(
            y, numbers(w->y + ((size_t)k * (size_t)w->steps + (size_t)i) * (size_t)w->m, w->m));
    json_object_set_new(o, "sweep",
                        json_pack("{s:o, s:o, s:o}", "x", numbers(w->x + k * w->steps, w->steps),
                                  "y", y, "range", numbers(w->range + k * w->m, w->m)));
    if (s->sobol.n > 0)
        json_object_set_new(o, "sobol", sobol_json(s, k));
    if (s->morris.n > 0)
        json_object_set_new(o, "morris",
                            json_pack("{s:o, s:o}", "effect",
                                      numbers(s->morris.effect + k * s->morris.m, s->morris.m),
                                      "spread",
                                      numbers(s->morris.spread + k * s->morris.m, s->morris.m)));
    return o;
}

json_t *mrn_study_json(const mrn_study *s)
{
    const mrn_experiment *e = &s->lab->e;
    json_t *list = json_array();
    for (int k = 0; k < e->n_factors; k++)
        json_array_append_new(list, parameter_json(s, k));
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:o, s:o}", "version", MRN_VERSION, "title", e->title,
        "file", e->path, "law", e->candidate[s->candidate].name, "seed", (json_int_t)s->seed,
        "sobol_evaluations", (json_int_t)s->sobol.evaluations, "morris_evaluations",
        (json_int_t)s->morris.evaluations, "outputs", outputs_json(s), "parameters", list);
}
