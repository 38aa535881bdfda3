/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scenes of a calibration, read at the bounds of its parameters, and what is measured of them:
   mistakes are found here and not after an hour of runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "moraine/engine.h"
#include "readers/calibration.h"

/* ---- messages of the scene's reader ---- */

/* Where parameters are: at their lower bounds, at the upper ones, somewhere between, at the start.
 */
typedef enum corner { LOWER, UPPER, BETWEEN, START, CORNERS } corner;

static double value_at(const mrn_parameter *p, corner at)
{
    const double part = 0.3819660112501051; /* no round number: what must be whole is not */
    if (at == START && isfinite(p->start))
        return p->start;
    if (at == LOWER || at == UPPER)
        return at == LOWER ? p->lo : p->hi;
    if (p->log)
        return p->lo * pow(p->hi / p->lo, part);
    return p->lo + part * (p->hi - p->lo);
}

/* A mistake of the path, not of the value that is set there. */
static bool of_path(const mrn_message *msg)
{
    const char *begin[] = {"unknown key", "the path ", "the list has no item"};
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (strncmp(msg->text, begin[i], strlen(begin[i])) == 0)
            return true;
    return false;
}

static const mrn_node *value_node(const mrn_calibration_reader *r, int tuned, corner at)
{
    const mrn_node *n = mrn_node_item(r->parameters, tuned);
    const mrn_node *bounds = mrn_node_get(n, "bounds"), *start = mrn_node_get(n, "start");
    if (at == START && start != NULL)
        return start;
    return at == LOWER ? bounds->first : at == UPPER ? bounds->last : bounds;
}

/* "friction = 0.1, rolling = 0.01": what the scene was read with. */
static void list_values(const mrn_calibration_reader *r, int test, const double *x, char *buf,
                        size_t size)
{
    const mrn_calibration *c = r->c;
    size_t used = 0;
    buf[0] = '\0';
    for (int i = 0; i < c->n_tuned && used + 1 < size; i++) {
        bool there = false;
        for (int k = 0; k < c->tuned[i].n_paths; k++)
            there = there || mrn_tuned_sets(&c->tuned[i], k, test);
        if (there)
            used += (size_t)snprintf(buf + used, size - used, "%s%.40s = %.6g%s%s",
                                     used > 0 ? ", " : "", c->tuned[i].p.name, x[i],
                                     c->tuned[i].p.unit[0] != '\0' ? " " : "", c->tuned[i].p.unit);
    }
}

/* Adds to the hint of a message. */
static void add_hint(mrn_message *msg, const char *more)
{
    char hint[sizeof msg->hint];
    snprintf(hint, sizeof hint, "%.250s%s%.250s", msg->hint, msg->hint[0] != '\0' ? "; " : "",
             more);
    mrn_fail_hint(msg, "%s", hint);
}

/* The place in the calibration that made a change which the scene refuses; mistakes of the scene
   itself keep theirs. */
static mrn_status blame(mrn_calibration_reader *r, int test, corner at, const double *x, int change)
{
    const mrn_check *c = &r->check;
    mrn_message *msg = c->msg;
    char values[200], more[300];
    mrn_change_owner who = mrn_virtual_owner(r->c, test, change);
    const mrn_node *n = NULL;
    list_values(r, test, x, values, sizeof values);
    if (who.set >= 0)
        n = mrn_node_item(mrn_node_get(mrn_node_item(r->tests, test), "set"), who.set);
    else if (who.tuned >= 0 && of_path(msg))
        n = mrn_tuned_path_node(r, who.tuned, who.path);
    else if (who.tuned >= 0)
        n = value_node(r, who.tuned, at);
    if (n != NULL) {
        msg->file[0] = '\0';
        msg->line = msg->column = 0;
        mrn_tree_place(c->tree, who.set >= 0 && of_path(msg) ? n->key : n, msg);
        if (who.tuned >= 0)
            snprintf(more, sizeof more, "test '%s' has it from '%s', as %s=…",
                     r->c->test[test].name, r->c->tuned[who.tuned].p.name,
                     r->c->tuned[who.tuned].path[who.path]);
        else
            snprintf(more, sizeof more, "in the scene of test '%s'", r->c->test[test].name);
    } else
        snprintf(more, sizeof more, "this is the scene of test '%s' with %s", r->c->test[test].name,
                 values);
    if (at == BETWEEN && n != NULL)
        add_hint(msg,
                 "both bounds would do, values between them do not: must it be a whole number?");
    add_hint(msg, more);
    return MRN_ERR_INPUT;
}

/* ---- targets ---- */

/* Seconds between rows in a stage; 0: there are none. */
static double rows_every(const mrn_scene *scene, int stage)
{
    const mrn_output *o = &scene->output;
    for (int k = 0; k <= stage; k++)
        if (scene->stage[k].has_output)
            o = &scene->stage[k].output;
    return o->probes_every > 0 ? o->probes_every : o->every;
}

static mrn_status fail_window(mrn_calibration_reader *r, const mrn_node *n, double length,
                              const mrn_stage *stage)
{
    char expected[100];
    snprintf(expected, sizeof expected, "less than %.6g s", mrn_stage_longest(stage));
    return mrn_check_fail(&r->check, n, expected, "%.6g s are longer than the stage '%s'", length,
                          stage->name);
}

/* The stretch of the stage that counts, and whether rows fall into it. */
static mrn_status check_window(mrn_calibration_reader *r, const mrn_node *n, const mrn_scene *scene,
                               const mrn_target *g)
{
    const mrn_check *c = &r->check;
    const mrn_stage *stage = &scene->stage[g->stage];
    const mrn_node *after = mrn_node_get(n, "after"), *last = mrn_node_get(n, "last");
    const mrn_node *at = last != NULL ? last : after, *take = mrn_node_get(n, "take");
    double limit = mrn_stage_longest(stage), every = rows_every(scene, g->stage);
    if (g->take == MRN_TAKE_END) {
        if (at == NULL)
            return MRN_OK;
        mrn_check_fail(c, at, "take: mean, max, min, slope or change",
                       "'%s' has no meaning for the value at the end", at->key->text);
        return mrn_fail_hint(c->msg, "take it out, or say what to take of that stretch");
    }
    if (g->last > limit || g->after >= limit)
        return fail_window(r, g->last > limit ? last : after, g->last > limit ? g->last : g->after,
                           stage);
    if (!(every > 0)) {
        mrn_check_fail(c, take, "take: end", "the scene of test '%s' has no rows to take it from",
                       r->c->test[g->test].name);
        return mrn_fail_hint(c->msg, "give the scene  output: {probes-every: 10 ms}");
    }
    double window = g->last > 0 ? fmin(g->last, limit - g->after) : limit - g->after;
    if ((g->take != MRN_TAKE_SLOPE && g->take != MRN_TAKE_CHANGE) || window >= 2 * every)
        return MRN_OK;
    char expected[80];
    snprintf(expected, sizeof expected, "at least %.6g s, or rows more often", 2 * every);
    mrn_check_fail(c, at != NULL ? at : take, expected,
                   "a %s over %.6g s, with rows every %.6g s, has too few of them",
                   g->take == MRN_TAKE_SLOPE ? "slope" : "change", window, every);
    return mrn_fail_hint(c->msg, "set: {output.probes-every: %.3g s}", window / 20);
}

static mrn_status find_stage(mrn_calibration_reader *r, const mrn_node *n, const mrn_scene *scene,
                             int *out)
{
    const char *names[64];
    int count = scene->n_stages < 64 ? scene->n_stages : 64;
    *out = scene->n_stages - 1;
    if (n == NULL)
        return MRN_OK;
    for (*out = 0; *out < scene->n_stages; ++*out)
        if (strcmp(scene->stage[*out].name, n->text) == 0)
            return MRN_OK;
    for (int i = 0; i < count; i++)
        names[i] = scene->stage[i].name;
    return mrn_check_fail_word(&r->check, n, "stage", n->text, names, count);
}

static mrn_status check_probe(mrn_calibration_reader *r, const mrn_node *n, const mrn_scene *scene,
                              const char **unit)
{
    const mrn_check *c = &r->check;
    mrn_status s = mrn_probe_check(scene, n->text, unit, c->msg);
    if (s != MRN_OK) {
        c->msg->file[0] = '\0';
        if (c->msg->hint[0] == '\0')
            mrn_fail_hint(c->msg, "`moraine probes` lists them; the scene's own things have names");
        return mrn_tree_place(c->tree, n, c->msg);
    }
    for (int i = 0; i < mrn_probe_count(); i++) {
        const mrn_method *m = mrn_probe_method(i);
        if (m != NULL && !mrn_method_is_used(m, scene) &&
            strcmp(mrn_probe_at(i)->name, n->text) == 0)
            return mrn_check_fail(c, n, "a probe that the scene's method knows",
                                  "only method %s knows '%s'; the scene has method %s", m->name,
                                  n->text, scene->method->name);
    }
    return MRN_OK;
}

/* `had` (may be NULL): whether a unit stands there. */
static mrn_status read_measure(mrn_calibration_reader *r, const mrn_node *n, const char *unit,
                               double *out, bool *had)
{
    const mrn_check *c = &r->check;
    mrn_reading x;
    if (mrn_units_read(c->units, n->text, unit, &x, c->msg) == MRN_OK) {
        *out = x.value;
        if (had != NULL)
            *had = x.unit[0] != '\0';
        return MRN_OK;
    }
    c->msg->file[0] = '\0';
    return mrn_tree_place(c->tree, n, c->msg);
}

/* Angles are pure numbers to the data base of units, and so are their squares: there it cannot tell
   a variance from an error, and only a bare number is clear. */
static mrn_status check_square(mrn_calibration_reader *r, const mrn_node *n, const char *unit)
{
    mrn_reading x;
    mrn_message unread;
    if (strcmp(unit, "1") == 0 ||
        mrn_units_read(r->check.units, n->text, unit, &x, &unread) != MRN_OK || x.unit[0] == '\0')
        return MRN_OK;
    char expected[80];
    snprintf(expected, sizeof expected, "a bare number, in (%.40s)^2", unit);
    return mrn_check_fail(&r->check, n, expected, "'%.60s' may be an error or its square", n->text);
}

/* The variance of the mean from what the file gives. Student's half width is proportional to its
   root, and known for 1. */
static mrn_status read_spread(mrn_calibration_reader *r, const mrn_node *n, const char *unit,
                              bool united, mrn_datum *d)
{
    bool has_unit = true;
    const mrn_node *value = mrn_node_get(n, "value"), *many = mrn_node_get(n, "replicates");
    const char *kind = mrn_node_get(n, "kind")->text;
    bool variance = strcmp(kind, "variance") == 0;
    double error = 0, count = many != NULL ? (double)mrn_read_integer(&r->check, many) : 1;
    char square[64];
    snprintf(square, sizeof square, strcmp(unit, "1") == 0 ? "%s" : "(%s)^2", unit);
    mrn_status s = read_measure(r, value, variance ? square : unit, &error, &has_unit);
    if (s == MRN_OK && united && !has_unit && !variance) {
        mrn_check_fail(&r->check, value, "an error with a unit, as the value has",
                       "'%.60s' has no unit, and the value has one", value->text);
        return MRN_ERR_INPUT;
    }
    if (s == MRN_OK && variance)
        s = check_square(r, value, unit);
    if (s != MRN_OK)
        return s;
    if (!(error > 0)) {
        mrn_check_fail(&r->check, value, "more than 0", "the error is not positive: %.60s",
                       value->text);
        return mrn_fail_hint(r->check.msg, "no measurement is exact: what would another one give?");
    }
    d->spread = many != NULL ? MRN_SPREAD_REPLICATES : MRN_SPREAD_GIVEN;
    d->freedom = many != NULL ? (int)count - 1 : 0;
    d->variance = 1;
    if (strcmp(kind, "interval-95") == 0)
        error /= mrn_datum_half_width(d, 0.95);
    d->variance = variance ? error : error * error;
    if (variance || strcmp(kind, "sd") == 0)
        d->variance /= count;
    return MRN_OK;
}

/* Probes have units such as "degree"; a pure number has none, per second it is a rate. */
static mrn_status read_unit(mrn_calibration_reader *r, const mrn_node *n, const char *probe,
                            mrn_target *g, char unit[64])
{
    bool pure = strcmp(probe, "1") == 0;
    snprintf(unit, 64, "%.60s%s", probe, g->take == MRN_TAKE_SLOPE ? "/s" : "");
    if (strlen(unit) >= sizeof g->unit)
        return mrn_check_fail(&r->check, n, "another probe", "its unit '%s' is too long", unit);
    snprintf(g->unit, sizeof g->unit, "%.23s", pure && g->take != MRN_TAKE_SLOPE ? "" : unit);
    return MRN_OK;
}

static mrn_status read_target(mrn_calibration_reader *r, int test, const mrn_node *n,
                              const mrn_scene *scene, mrn_target *g)
{
    static const char *const takes[] = {[MRN_TAKE_END] = "end",
                                        [MRN_TAKE_MEAN] = "mean",
                                        [MRN_TAKE_MAX] = "max",
                                        [MRN_TAKE_MIN] = "min",
                                        [MRN_TAKE_SLOPE] = "slope",
                                        [MRN_TAKE_CHANGE] = "change",
                                        NULL};
    const mrn_check *c = &r->check;
    const mrn_node *probe = mrn_node_get(n, "probe"), *take = mrn_node_get(n, "take");
    const mrn_node *after = mrn_node_get(n, "after"), *last = mrn_node_get(n, "last");
    const char *of = NULL;
    bool united = false;
    char unit[64];
    int length =
        snprintf(g->name, sizeof g->name, "%.40s.%.40s", r->c->test[test].name, n->key->text);
    if (length >= (int)sizeof g->name || strlen(n->key->text) > 40 ||
        strlen(r->c->test[test].name) > 40)
        return mrn_check_fail(c, n->key, "shorter names",
                              "the names of test and target are longer than 62 bytes together");
    g->test = test;
    g->take = take != NULL ? (mrn_take)mrn_read_word(take, takes) : MRN_TAKE_END;
    g->datum.response = (int)(g - r->c->target);
    snprintf(g->datum.label, sizeof g->datum.label, "%.47s", g->name);
    snprintf(g->probe, sizeof g->probe, "%.127s", probe->text);
    mrn_status s = check_probe(r, probe, scene, &of);
    if (s == MRN_OK)
        s = find_stage(r, mrn_node_get(n, "stage"), scene, &g->stage);
    if (s == MRN_OK)
        snprintf(g->stage_name, sizeof g->stage_name, "%.63s", scene->stage[g->stage].name);
    if (s == MRN_OK && after != NULL)
        s = mrn_read_quantity(c, after, "s", &g->after);
    if (s == MRN_OK && last != NULL)
        s = mrn_read_quantity(c, last, "s", &g->last);
    if (s == MRN_OK)
        s = read_unit(r, probe, of, g, unit);
    if (s == MRN_OK)
        s = check_window(r, n, scene, g);
    if (s == MRN_OK)
        s = read_measure(r, mrn_node_get(n, "value"), unit, &g->datum.y, &united);
    return s == MRN_OK ? read_spread(r, mrn_node_get(n, "error"), unit, united, &g->datum) : s;
}

mrn_status mrn_calibration_read_targets(mrn_calibration_reader *r, int test, const mrn_scene *scene)
{
    const mrn_node *targets = mrn_node_get(mrn_node_item(r->tests, test), "targets");
    mrn_status s = MRN_OK;
    for (const mrn_node *n = targets->first; n != NULL && s == MRN_OK; n = n->next)
        s = read_target(r, test, n, scene, &r->c->target[r->c->n_targets++]);
    return s;
}

/* ---- scenes ---- */

/* A scene at other values may have other stages, or none of a wall that a probe speaks of. */
static mrn_status check_again(mrn_calibration_reader *r, int test, const mrn_scene *scene)
{
    const mrn_node *targets = mrn_node_get(mrn_node_item(r->tests, test), "targets");
    mrn_status s = MRN_OK;
    const mrn_target *g = r->c->target;
    while (g->test != test)
        g++;
    for (const mrn_node *n = targets->first; n != NULL && s == MRN_OK; n = n->next, g++) {
        const char *unit;
        s = check_probe(r, mrn_node_get(n, "probe"), scene, &unit);
        if (s == MRN_OK && g->stage < scene->n_stages)
            s = check_window(r, n, scene, g);
    }
    return s;
}

static mrn_status check_corner(mrn_calibration_reader *r, int test, corner at, double *x)
{
    const mrn_calibration *c = r->c;
    mrn_scene scene;
    int change;
    for (int i = 0; i < c->n_tuned; i++)
        x[i] = value_at(&c->tuned[i].p, at);
    mrn_status s =
        mrn_virtual_scene(c, test, x, c->seed, r->check.units, &scene, &change, r->check.msg);
    if (s == MRN_ERR_MEMORY)
        return s;
    if (s != MRN_OK)
        return blame(r, test, at, x, change);
    if (scene.n_stages < 1)
        s = mrn_check_fail(&r->check, mrn_node_get(mrn_node_item(r->tests, test), "scene"),
                           "a scene with stages", "the scene of test '%s' has nothing to run",
                           c->test[test].name);
    else
        s = at == LOWER ? mrn_calibration_read_targets(r, test, &scene)
                        : check_again(r, test, &scene);
    mrn_scene_destroy(&scene);
    return s;
}

/* Words of the fit then speak of "heap.angle" and not of a third response. */
static mrn_status name_targets(mrn_calibration *c, mrn_message *msg)
{
    mrn_status s = mrn_array(&c->target_name, c->n_targets, sizeof *c->target_name, msg);
    for (int i = 0; i < c->n_targets && s == MRN_OK; i++)
        c->target_name[i] = c->target[i].name;
    c->fit.response = c->target_name;
    return s;
}

mrn_status mrn_calibration_check_scenes(mrn_calibration_reader *r)
{
    double *x = NULL;
    bool started = false;
    mrn_status s = mrn_array(&x, r->c->n_tuned, sizeof *x, r->check.msg);
    for (int i = 0; i < r->c->n_tuned; i++)
        started = started || isfinite(r->c->tuned[i].p.start);
    for (int t = 0; t < r->c->n_tests; t++)
        for (corner at = LOWER; at < CORNERS && s == MRN_OK; at++)
            if (at != START || started)
                s = check_corner(r, t, at, x);
    mrn_free(x);
    return s == MRN_OK ? name_targets(r->c, r->check.msg) : s;
}
