/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A calibration as JSON: all numbers of the report, in the units that the file has. */
#include <math.h>

#include "lab_calibrate.h"

static json_t *numbers(const double *v, int n)
{
    json_t *list = json_array();
    for (int i = 0; v != NULL && i < n; i++)
        json_array_append_new(list, mrn_cli_real(v[i]));
    return list;
}

static json_t *head_json(const mrn_calibration *c)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:I}", "version", MRN_VERSION, "title", c->title, "file",
                     c->path, "source", c->from, "seed", (json_int_t)c->seed);
}

static json_t *tests_json(const mrn_calibration *c)
{
    json_t *list = json_array();
    for (int i = 0; i < c->n_tests; i++) {
        json_t *set = json_array();
        for (int k = 0; k < c->test[i].n_set; k++)
            json_array_append_new(set, json_string(c->test[i].set[k]));
        json_array_append_new(list, json_pack("{s:s, s:s, s:o}", "name", c->test[i].name, "scene",
                                              c->test[i].path, "set", set));
    }
    return list;
}

static json_t *paths_json(const mrn_calibration *c, const mrn_tuned *tuned)
{
    json_t *list = json_array();
    for (int k = 0; k < tuned->n_paths; k++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s?}", "path", tuned->path[k], "test",
                                        tuned->test[k] >= 0 ? c->test[tuned->test[k]].name : NULL));
    return list;
}

static json_t *knobs_json(const mrn_calibration *c)
{
    json_t *list = json_array();
    for (int k = 0; k < c->n_tuned; k++) {
        const mrn_parameter *p = &c->tuned[k].p;
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:[f, f], s:b, s:o}", "name", p->name, "unit",
                                        p->unit[0] != '\0' ? p->unit : "1", "bounds", p->lo, p->hi,
                                        "log", p->log, "sets", paths_json(c, &c->tuned[k])));
    }
    return list;
}

static json_t *target_json(const mrn_calibration *c, int i)
{
    static const char *const take[] = {"end", "mean", "max", "min", "slope", "change"};
    const mrn_target *g = &c->target[i];
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "name", g->name, "test",
                     c->test[g->test].name, "probe", g->probe, "take", take[g->take], "stage",
                     g->stage_name, "unit", g->unit[0] != '\0' ? g->unit : "1", "measured",
                     mrn_cli_real(g->datum.y), "sd", mrn_cli_real(sqrt(g->datum.variance)),
                     "half_width_95", mrn_cli_real(mrn_datum_half_width(&g->datum, 0.95)));
}

json_t *mrn_tuning_plan_json(const mrn_calibration *c)
{
    mrn_tuning_runs n = mrn_tuning_count(c);
    json_t *root = head_json(c), *targets = json_array();
    for (int i = 0; i < c->n_targets; i++)
        json_array_append_new(targets, target_json(c, i));
    json_object_set_new(root, "scenes", tests_json(c));
    json_object_set_new(root, "parameters", knobs_json(c));
    json_object_set_new(root, "targets", targets);
    json_object_set_new(root, "points", json_integer(n.points));
    json_object_set_new(root, "design_runs", json_integer(n.design));
    json_object_set_new(root, "check_runs", json_integer(n.check));
    json_object_set_new(root, "runs", json_integer(n.most));
    return root;
}

/* ---- what was found ---- */

static json_t *targets_json(const mrn_tuning *t)
{
    const mrn_calibrated *r = t->r;
    json_t *list = json_array();
    for (int i = 0; i < r->m; i++) {
        json_t *o = target_json(t->c, i), *leverage = json_object();
        for (int k = 0; k < r->n; k++)
            json_object_set_new(leverage, t->parameter[k].name,
                                mrn_cli_real(mrn_tuning_leverage(t, i, k)));
        json_object_set_new(o, "simulated", mrn_cli_real(r->fit.y[i]));
        json_object_set_new(o, "simulated_sd", mrn_cli_real(sqrt(r->model_variance[i])));
        json_object_set_new(o, "check", mrn_cli_real(r->check[i]));
        json_object_set_new(o, "check_sd", mrn_cli_real(r->check_sd[i]));
        json_object_set_new(o, "predicted", mrn_cli_real(r->predicted[i]));
        json_object_set_new(o, "predicted_sd", mrn_cli_real(r->predicted_sd[i]));
        json_object_set_new(o, "noise", mrn_cli_real(r->noise[i]));
        json_object_set_new(o, "noise_freedom", json_integer(r->freedom[i]));
        json_object_set_new(o, "residual", mrn_cli_real(r->fit.residual[i]));
        json_object_set_new(o, "off_by",
                            mrn_cli_real(r->fit.residual[i] / sqrt(r->datum[i].variance)));
        json_object_set_new(o, "left_out", mrn_cli_real(r->quality[i]));
        json_object_set_new(o, "leverage", leverage);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *combinations_json(const mrn_tuning *t)
{
    const mrn_calibrated *r = t->r;
    json_t *list = json_array();
    for (int k = 0; k < r->n; k++) {
        char words[400];
        json_t *direction = json_object();
        mrn_tuning_combination(t, k, words, sizeof words);
        for (int j = 0; j < r->n; j++)
            json_object_set_new(direction, t->parameter[j].name,
                                mrn_cli_real(r->direction[k * r->n + j]));
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:b}", "words", words, "direction",
                                              direction, "strength", mrn_cli_real(r->strength[k]),
                                              "known", k < r->n_known));
    }
    return list;
}

static json_t *points_json(const mrn_tuning *t)
{
    const mrn_calibrated *r = t->r;
    json_t *list = json_array();
    for (int64_t i = 0; i < r->n_points; i++) {
        const double *y = r->y + i * r->m;
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:b}", "x",
                                              numbers(r->x + i * r->n, r->n), "y", numbers(y, r->m),
                                              "variance", numbers(r->variance + i * r->m, r->m),
                                              "objective", mrn_cli_real(mrn_tuning_objective(t, y)),
                                              "design", i < r->n_design));
    }
    return list;
}

static int64_t failed(const mrn_calibrated *r)
{
    int64_t n = 0;
    for (int64_t i = 0; i < r->n_runs; i++)
        n += r->run[i].status != MRN_OK && r->run[i].status != MRN_AT_MOST;
    return n;
}

json_t *mrn_tuning_json(const mrn_tuning *t)
{
    const mrn_calibrated *r = t->r;
    json_t *root = head_json(t->c), *commands = json_array();
    json_object_set_new(root, "status", json_string(mrn_status_text(t->status)));
    json_object_set_new(root, "words", json_string(r->words));
    json_object_set_new(root, "settled", json_boolean(r->settled));
    json_object_set_new(root, "checked", json_boolean(r->checked));
    json_object_set_new(root, "runs", json_integer(r->n_runs));
    json_object_set_new(root, "runs_failed", json_integer(failed(r)));
    json_object_set_new(root, "runs_most", json_integer(t->c->runs));
    json_object_set_new(root, "design_points", json_integer(r->n_design));
    json_object_set_new(root, "gain", mrn_cli_real(r->next.gain));
    json_t *fit = mrn_cli_fit_json(&t->x);
    json_object_del(fit, "gain"); /* of a measurement; what one is worth stands in `advice` */
    json_object_update_missing(root, fit);
    json_decref(fit);
    json_object_set_new(root, "scenes", tests_json(t->c));
    json_object_set_new(root, "targets", targets_json(t));
    json_object_set_new(root, "n_known", json_integer(r->n_known));
    json_object_set_new(root, "combinations", combinations_json(t));
    json_object_set_new(root, "points", points_json(t));
    for (int i = 0; i < t->c->n_tests; i++) {
        char line[8192];
        mrn_tuning_command(t, i, line, sizeof line);
        json_array_append_new(commands, json_string(line));
    }
    json_object_set_new(root, "commands", commands);
    return root;
}
