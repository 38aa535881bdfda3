/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An estimate as JSON: all numbers of the report, SI units. */
#include <math.h>

#include "lab_parts.h"

static json_t *numbers(const double *v, int n)
{
    json_t *list = json_array();
    for (int i = 0; v != NULL && i < n; i++)
        json_array_append_new(list, mrn_cli_real(v[i]));
    return list;
}

static json_t *matrix(const double *v, int rows, int columns)
{
    json_t *list = json_array();
    for (int i = 0; v != NULL && i < rows; i++)
        json_array_append_new(list, numbers(v + i * columns, columns));
    return list;
}

/* Ends that are open are distinguished from those that were not made. */
static json_t *end(double v)
{
    return isinf(v) ? json_string(v > 0 ? "infinity" : "-infinity") : mrn_cli_real(v);
}

static json_t *interval(const double v[2])
{
    if (isnan(v[0]) && isnan(v[1]))
        return json_null();
    return json_pack("[o, o]", end(v[0]), end(v[1]));
}

static json_t *parameter_json(const mrn_cli_estimate *x, int k)
{
    const mrn_estimate *e = &x->fit->at[k];
    const mrn_parameter *p = &x->parameter[k];
    json_t *o = json_pack("{s:s, s:s, s:o, s:o, s:b}", "name", p->name, "unit",
                          p->unit[0] != '\0' ? p->unit : "1", "value", mrn_cli_real(e->value), "sd",
                          mrn_cli_real(e->sd), "log", p->log);
    json_object_set_new(o, "bounds", json_pack("[f, f]", p->lo, p->hi));
    json_object_set_new(o, "linear", interval(e->linear));
    json_object_set_new(o, "profile", interval(e->profile));
    json_object_set_new(o, "bootstrap", interval(e->bootstrap));
    json_object_set_new(o, "disagree", json_boolean(e->disagree));
    json_object_set_new(o, "verdict", json_string(mrn_identifiable_name(e->verdict)));
    if (e->verdict == MRN_TIED)
        json_object_set_new(o, "tied_to", json_string(x->parameter[e->tied_to].name));
    json_object_set_new(o, "words", json_string(e->words));
    return o;
}

static json_t *deviation_json(const mrn_cli_estimate *x)
{
    const mrn_fit *f = x->fit;
    json_t *o = json_object();
    for (int i = 0; i < f->n_responses; i++)
        json_object_set_new(o, x->response[i],
                            json_pack("{s:o, s:o}", "mean", mrn_cli_real(f->deviation[i]),
                                      "largest", mrn_cli_real(f->deviation_max[i])));
    return o;
}

static json_t *tests_json(const mrn_cli_estimate *x)
{
    const mrn_fit *f = x->fit;
    json_t *list = json_array();
    for (int i = 0; i < f->n_tests; i++) {
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:b, s:s}", "name", f->test[i].name,
                                              "statistic", mrn_cli_real(f->test[i].statistic), "p",
                                              mrn_cli_real(f->test[i].p), "passed",
                                              f->test[i].passed, "words", f->test[i].words));
    }
    return list;
}

static json_t *nested_json(const mrn_cli_estimate *x)
{
    const mrn_fit *f = x->fit;
    json_t *list = json_array();
    for (int i = 0; i < f->n_nested; i++) {
        const mrn_nested *s = &f->nested[i];
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "without",
                            x->parameter[s->without].name, "at", mrn_cli_real(s->at), "objective",
                            mrn_cli_real(s->objective), "ratio", mrn_cli_real(s->ratio), "p",
                            mrn_cli_real(s->p), "aic", mrn_cli_real(s->aic), "bic",
                            mrn_cli_real(s->bic), "enough", s->enough));
    }
    return list;
}

static json_t *regions_json(const mrn_cli_estimate *x)
{
    const mrn_fit *f = x->fit;
    json_t *list = json_array();
    for (int i = 0; i < f->n_regions; i++) {
        const mrn_fit_region *r = &f->region[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "a", x->parameter[r->a].name,
                                              "b", x->parameter[r->b].name, "x",
                                              numbers(r->x, r->n), "y", numbers(r->y, r->n)));
    }
    return list;
}

static json_t *data_json(const mrn_cli_estimate *x)
{
    const mrn_fit *f = x->fit;
    json_t *list = json_array();
    for (int i = 0; i < f->m; i++) {
        const mrn_datum *d = &x->datum[i];
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:o, s:o, s:i, s:o, s:o}", "condition", d->label,
                            "response", x->response[d->response], "value", mrn_cli_real(d->y),
                            "variance", mrn_cli_real(d->variance), "freedom", d->freedom, "model",
                            mrn_cli_real(f->y[i]), "residual", mrn_cli_real(f->residual[i])));
    }
    return list;
}

json_t *mrn_cli_fit_json(const mrn_cli_estimate *x)
{
    const mrn_fit *f = x->fit;
    json_t *o = json_object(), *list = json_array();
    for (int k = 0; k < f->n; k++)
        json_array_append_new(list, parameter_json(x, k));
    json_object_set_new(o, "objective", mrn_cli_real(f->objective));
    json_object_set_new(o, "chi2", interval(f->chi2));
    json_object_set_new(o, "fits", json_boolean(f->fits));
    json_object_set_new(o, "confidence", json_real(x->confidence));
    json_object_set_new(o, "parameters", list);
    json_object_set_new(o, "correlation", matrix(f->correlation, f->n, f->n));
    json_object_set_new(o, "covariance", matrix(f->covariance, f->n, f->n));
    json_object_set_new(o, "sensitivity", matrix(f->sensitivity, f->m, f->n));
    json_object_set_new(o, "deviation", deviation_json(x));
    json_object_set_new(o, "tests", tests_json(x));
    json_object_set_new(o, "nested", nested_json(x));
    json_object_set_new(o, "regions", regions_json(x));
    json_object_set_new(o, "bootstrap", matrix(f->bootstrap, f->n_bootstrap, f->n));
    json_object_set_new(o, "aic", mrn_cli_real(f->aic));
    json_object_set_new(o, "bic", mrn_cli_real(f->bic));
    json_object_set_new(o, "gain", mrn_cli_real(f->gain));
    json_object_set_new(o, "best", json_integer(f->best));
    json_object_set_new(o, "advice", json_string(f->advice));
    json_object_set_new(o, "assumed", json_string(f->assumed));
    json_object_set_new(o, "evaluations", json_integer(f->evaluations));
    json_object_set_new(o, "found", json_integer(f->found));
    json_object_set_new(o, "data", data_json(x));
    return o;
}
