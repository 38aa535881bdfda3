/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is asked of an experiment: parameters to be found, and those whose influence is sought. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "readers/read.h"

/* The candidate that `law` names, or the one there is. */
static mrn_status find_candidate(mrn_lab_reader *r, const mrn_node *n, int fallback, int *out)
{
    const mrn_experiment *e = r->e;
    const mrn_node *law = mrn_node_get(n, "law");
    const char *names[64];
    int count = e->n_candidates < 64 ? e->n_candidates : 64;
    for (int i = 0; i < count; i++)
        names[i] = e->candidate[i].name;
    *out = e->n_candidates == 1 ? 0 : fallback;
    if (law == NULL && *out >= 0)
        return MRN_OK;
    if (law == NULL) {
        char list[400];
        mrn_join(names, count, list, sizeof list);
        mrn_check_fail(&r->in.check, n, NULL, "'law' is missing: there are %d candidates", count);
        return mrn_fail_expected(r->in.check.msg, "law: one of %s", list);
    }
    for (*out = 0; *out < count; ++*out)
        if (strcmp(names[*out], law->text) == 0)
            return MRN_OK;
    return mrn_check_fail_word(&r->in.check, law, "law", law->text, names, count);
}

static mrn_status fail_crossed(mrn_lab_reader *r, const mrn_node *bounds, bool equal)
{
    return mrn_check_fail(&r->in.check, bounds, "the lower one first",
                          "the bounds are %s: %.60s, %.60s", equal ? "equal" : "crossed",
                          bounds->first->text, bounds->last->text);
}

/* One number with its range; `third` is the key of a value within it, or beside it. */
static mrn_status read_parameter(mrn_lab_reader *r, const mrn_node *n, const char *range,
                                 const char *third, const mrn_factor *f, mrn_parameter *out)
{
    const mrn_node *bounds = mrn_node_get(n, range), *value = mrn_node_get(n, third);
    const mrn_node *scale = mrn_node_get(n, "scale");
    snprintf(out->name, sizeof out->name, "%s", f->name);
    snprintf(out->unit, sizeof out->unit, "%s", f->unit);
    out->start = NAN;
    out->log = scale != NULL && strcmp(scale->text, "log") == 0;
    mrn_status s = mrn_lab_quantity(r, bounds->first, f, &out->lo, NULL);
    if (s == MRN_OK)
        s = mrn_lab_quantity(r, bounds->last, f, &out->hi, NULL);
    if (s == MRN_OK && value != NULL)
        s = mrn_lab_quantity(r, value, f, &out->start, NULL);
    if (s != MRN_OK)
        return s;
    if (!(out->lo < out->hi))
        return fail_crossed(r, bounds, out->lo == out->hi);
    if (out->log && !(out->lo > 0)) {
        mrn_check_fail(&r->in.check, bounds->first, "more than 0",
                       "with scale log the lower bound cannot be %.60s", bounds->first->text);
        return mrn_fail_hint(r->in.check.msg, "a small positive one, or  scale: linear");
    }
    return MRN_OK;
}

/* Where the search may be while nothing is known: the start, or the middle. */
static double middle(const mrn_parameter *p)
{
    if (isfinite(p->start))
        return p->start;
    return p->log ? sqrt(p->lo) * sqrt(p->hi) : 0.5 * (p->lo + p->hi);
}

/* A law that lacks a parameter, which is stated as free or as a factor, has it from there. */
static void complete(mrn_collision *c, const mrn_factor *f, double value)
{
    if (mrn_collision_check(c, NULL) != MRN_OK && !isfinite(mrn_factor_get(c, f)))
        mrn_factor_set(c, f, value);
}

/* `all` has those before it. */
static mrn_status read_free(mrn_lab_reader *r, const mrn_node *n, mrn_candidate *it,
                            mrn_collision *all)
{
    mrn_parameter *p = &it->free[it->n_free];
    mrn_factor *f = &it->factor[it->n_free];
    const mrn_conditions *at = &r->e->at;
    mrn_status s = mrn_lab_factor(r, r->e->fitted, n->key->text, n->key, f);
    for (int k = 0; k < at->n_conditions && s == MRN_OK; k++)
        if (strcmp(at->factor[k].name, f->name) == 0) {
            mrn_check_fail(&r->in.check, n->key, "another number",
                           "'%s' cannot be found: it is a condition, which the data tell", f->name);
            return mrn_fail_hint(r->in.check.msg, "take it out of one of the two");
        }
    if (s == MRN_OK)
        s = mrn_lab_alone(r, all, it->name, f, n->key);
    if (s == MRN_OK)
        s = read_parameter(r, n, "bounds", "start", f, p);
    if (s != MRN_OK)
        return s;
    if (isfinite(p->start) && (p->start < p->lo || p->start > p->hi))
        return mrn_check_fail(&r->in.check, mrn_node_get(n, "start"), "a value within the bounds",
                              "the start of '%s' is outside its bounds", p->name);
    mrn_factor_set(all, f, middle(p));
    it->n_free++;
    return MRN_OK;
}

static mrn_status read_responses(mrn_lab_reader *r, const mrn_node *list)
{
    mrn_measurements *m = &r->e->measured;
    const char *names[64];
    int count = m->n_responses < 64 ? m->n_responses : 64;
    for (int i = 0; i < count; i++) {
        names[i] = m->response[i]->name;
        m->fitted[i] = false;
    }
    for (const mrn_node *n = list->first; n != NULL; n = n->next) {
        int i = 0;
        while (i < count && strcmp(names[i], n->text) != 0)
            i++;
        if (i == count) {
            mrn_check_fail_word(&r->in.check, n, "response", n->text, names, count);
            if (mrn_rebound_field_find(n->text) != NULL) {
                mrn_fail(r->in.check.msg, MRN_ERR_INPUT, "'%s' was not measured", n->text);
                char list_text[400];
                mrn_join(names, count, list_text, sizeof list_text);
                mrn_fail_expected(r->in.check.msg, "one of: %s", list_text);
                mrn_fail_hint(r->in.check.msg, "`data` has no such response");
                mrn_tree_place(r->in.check.tree, n, r->in.check.msg);
            }
            return MRN_ERR_INPUT;
        }
        m->fitted[i] = true;
    }
    return MRN_OK;
}

static int whole(mrn_lab_reader *r, const mrn_node *n, const char *key, int fallback)
{
    const mrn_node *x = mrn_node_get(n, key);
    return x != NULL ? (int)mrn_read_integer(&r->in.check, x) : fallback;
}

static bool flag(const mrn_node *n, const char *key, bool fallback)
{
    const mrn_node *x = mrn_node_get(n, key);
    return x != NULL ? mrn_read_flag(x) : fallback;
}

static mrn_status read_options(mrn_lab_reader *r, const mrn_node *n, mrn_fit_options *o)
{
    const mrn_check *c = &r->in.check;
    const mrn_node *confidence = mrn_node_get(n, "confidence");
    const mrn_node *tolerance = mrn_node_get(n, "tolerance"), *seed = mrn_node_get(n, "seed");
    const mrn_node *most = mrn_node_get(n, "max-evaluations");
    o->population = whole(r, n, "population", o->population);
    o->doublings = whole(r, n, "doublings", o->doublings);
    o->bootstrap = whole(r, n, "bootstrap", o->bootstrap);
    o->profile = flag(n, "profile", o->profile);
    o->regions = flag(n, "regions", o->regions);
    o->nested = flag(n, "nested", o->nested);
    if (most != NULL)
        o->max_evaluations = (int64_t)mrn_read_integer(c, most);
    if (seed != NULL)
        o->seed = mrn_read_integer(c, seed);
    mrn_status s = MRN_OK;
    if (confidence != NULL)
        s = mrn_read_quantity(c, confidence, "1", &o->confidence);
    if (s == MRN_OK && tolerance != NULL)
        s = mrn_read_quantity(c, tolerance, "1", &o->tolerance);
    return s;
}

static mrn_status check_enough(mrn_lab_reader *r, const mrn_node *parameters)
{
    const mrn_measurements *m = &r->e->measured;
    int n = r->e->candidate[r->e->fitted].n_free, data = 0;
    for (int i = 0; i < m->n; i++)
        data += m->fitted[m->datum[i].response];
    if (data >= n)
        return MRN_OK;
    mrn_check_fail(&r->in.check, parameters, NULL, "fewer data than parameters: %d and %d", data,
                   n);
    return mrn_fail_expected(r->in.check.msg, "at most %d parameter%s, or more data", data,
                             data == 1 ? "" : "s");
}

mrn_status mrn_lab_read_fit(mrn_lab_reader *r, const mrn_node *fit)
{
    mrn_experiment *e = r->e;
    const mrn_node *parameters = mrn_node_get(fit, "parameters");
    const mrn_node *responses = mrn_node_get(fit, "responses");
    if (e->measured.n == 0)
        return mrn_check_fail(&r->in.check, fit->key, "data: {file: measured.csv, …}",
                              "there is nothing to fit to: the file has no 'data'");
    mrn_status s = find_candidate(r, fit, -1, &e->fitted);
    if (s != MRN_OK)
        return s;
    mrn_candidate *it = &e->candidate[e->fitted];
    s = mrn_array(&it->free, parameters->n, sizeof *it->free, r->in.check.msg);
    if (s == MRN_OK)
        s = mrn_array(&it->factor, parameters->n, sizeof *it->factor, r->in.check.msg);
    mrn_collision all = it->collision;
    for (const mrn_node *n = parameters->first; n != NULL && s == MRN_OK; n = n->next)
        s = read_free(r, n, it, &all);
    for (int i = 0; i < it->n_free && s == MRN_OK; i++)
        complete(&it->collision, &it->factor[i], middle(&it->free[i]));
    if (s == MRN_OK && responses != NULL)
        s = read_responses(r, responses);
    if (s == MRN_OK)
        s = read_options(r, fit, &e->fit);
    return s == MRN_OK ? check_enough(r, parameters) : s;
}

/* ---- sensitivity ---- */

static mrn_status read_factor(mrn_lab_reader *r, const mrn_node *n, mrn_collision *all)
{
    mrn_experiment *e = r->e;
    mrn_collision *c = &e->candidate[e->studied].collision;
    mrn_parameter *p = &e->factor[e->n_factors];
    mrn_factor *f = &e->of[e->n_factors];
    mrn_status s = mrn_lab_factor(r, e->studied, n->key->text, n->key, f);
    for (int k = 0; k < e->at.n_conditions && s == MRN_OK; k++)
        if (strcmp(e->at.factor[k].name, f->name) == 0)
            return mrn_check_fail(&r->in.check, n->key, "a single value of it in `collision`",
                                  "'%s' varies already: it is a condition", f->name);
    if (s == MRN_OK)
        s = mrn_lab_alone(r, all, e->candidate[e->studied].name, f, n->key);
    if (s == MRN_OK)
        s = read_parameter(r, n, "range", "base", f, p);
    if (s != MRN_OK)
        return s;
    double value = mrn_factor_get(c, f);
    if (!isfinite(p->start) && !isfinite(value))
        return mrn_check_fail(&r->in.check, n, "base: VALUE",
                              "'%s' has no value in the law, and no base", f->name);
    if (!isfinite(p->start))
        p->start = value;
    mrn_factor_set(all, f, p->start);
    complete(c, f, p->start);
    e->n_factors++;
    return MRN_OK;
}

mrn_status mrn_lab_read_sensitivity(mrn_lab_reader *r, const mrn_node *n)
{
    mrn_experiment *e = r->e;
    const mrn_node *parameters = mrn_node_get(n, "parameters"), *sobol = mrn_node_get(n, "sobol");
    mrn_status s = find_candidate(r, n, e->fitted, &e->studied);
    if (s == MRN_OK)
        s = mrn_array(&e->factor, parameters->n, sizeof *e->factor, r->in.check.msg);
    if (s == MRN_OK)
        s = mrn_array(&e->of, parameters->n, sizeof *e->of, r->in.check.msg);
    mrn_collision all = s == MRN_OK ? e->candidate[e->studied].collision : (mrn_collision){0};
    for (const mrn_node *x = parameters->first; x != NULL && s == MRN_OK; x = x->next)
        s = read_factor(r, x, &all);
    e->sweep_steps = whole(r, n, "steps", e->sweep_steps);
    e->morris = whole(r, n, "morris", e->morris);
    if (sobol != NULL)
        e->sobol_points = (int64_t)mrn_read_integer(&r->in.check, sobol);
    return s;
}
