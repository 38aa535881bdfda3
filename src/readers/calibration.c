/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calibrations: text to tree, tree against the tables, tree to parameters, tests and targets. */
#include "readers/calibration.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "scene/build.h"
#include "scene/read.h"

const mrn_node *mrn_node_item(const mrn_node *n, int i)
{
    const mrn_node *x = n->first;
    while (x != NULL && i-- > 0)
        x = x->next;
    return x;
}

/* ---- tests ---- */

static mrn_status load_scene(mrn_calibration_reader *r, const mrn_node *n, mrn_virtual_test *t)
{
    const mrn_check *c = &r->check;
    char path[1024];
    size_t length;
    mrn_status s = mrn_check_path(c, n, path, sizeof path);
    if (s != MRN_OK)
        return s;
    s = mrn_file_load(path, MRN_SCENE_BYTES_MAX, &t->text, &length, c->msg);
    if (s == MRN_OK)
        return (t->path = mrn_strdup(path)) != NULL ? MRN_OK : mrn_fail_memory(c->msg);
    if (s == MRN_ERR_MEMORY)
        return s;
    c->msg->status = MRN_ERR_INPUT; /* it is this file that is wrong */
    c->msg->file[0] = '\0';
    mrn_tree_place(c->tree, n, c->msg);
    mrn_fail_hint(c->msg, "scenes are sought in the folder of this file");
    return MRN_ERR_INPUT;
}

static mrn_status read_changes(mrn_calibration_reader *r, const mrn_node *set, mrn_virtual_test *t)
{
    if (set == NULL || set->n == 0)
        return MRN_OK;
    mrn_status s = mrn_array(&t->set, set->n, sizeof *t->set, r->check.msg);
    for (const mrn_node *x = set->first; x != NULL && s == MRN_OK; x = x->next) {
        int n = snprintf(t->set[t->n_set], sizeof *t->set, "%.200s=%.255s", x->key->text, x->text);
        if (n < 0 || (size_t)n >= sizeof *t->set || strlen(x->key->text) > 200)
            return mrn_check_fail(&r->check, x, "something shorter",
                                  "path and value are longer than %d bytes together",
                                  (int)sizeof *t->set - 1);
        t->n_set++;
    }
    return s;
}

static mrn_status read_tests(mrn_calibration_reader *r)
{
    mrn_calibration *c = r->c;
    int targets = 0;
    mrn_status s = mrn_array(&c->test, r->tests->n, sizeof *c->test, r->check.msg);
    for (const mrn_node *n = r->tests->first; n != NULL && s == MRN_OK; n = n->next) {
        mrn_virtual_test *t = &c->test[c->n_tests++];
        snprintf(t->name, sizeof t->name, "%.63s", n->key->text);
        targets += mrn_node_get(n, "targets")->n;
        s = load_scene(r, mrn_node_get(n, "scene"), t);
        if (s == MRN_OK)
            s = read_changes(r, mrn_node_get(n, "set"), t);
    }
    if (s == MRN_OK)
        s = mrn_array(&c->target, targets, sizeof *c->target, r->check.msg);
    return s;
}

/* ---- how ---- */

static int64_t whole(mrn_calibration_reader *r, const mrn_node *n, const char *key, int64_t other)
{
    const mrn_node *x = mrn_node_get(n, key);
    return x != NULL ? (int64_t)mrn_read_integer(&r->check, x) : other;
}

static bool flag(const mrn_node *n, const char *key, bool other)
{
    const mrn_node *x = mrn_node_get(n, key);
    return x != NULL ? mrn_read_flag(x) : other;
}

/* Runs that a design and the check at the end take at least. A design without a number of points is
   made smaller where runs are few, but never below two points more than there are parameters. */
static mrn_status check_runs(mrn_calibration_reader *r, const mrn_node *n)
{
    const mrn_calibration *c = r->c;
    int64_t least = c->n_tuned + 2, points = c->points > 0 ? c->points : least;
    int64_t design = points * c->seeds * c->n_tests;
    int64_t last = (int64_t)c->n_tests * (c->seeds > 3 ? c->seeds : 3);
    const mrn_node *runs = mrn_node_get(n, "runs");
    if (c->points > 0 && c->points < least)
        return mrn_check_fail(&r->check, mrn_node_get(n, "points"),
                              "two points more than there are parameters, at least",
                              "%d point%s for %d parameter%s", c->points, c->points == 1 ? "" : "s",
                              c->n_tuned, c->n_tuned == 1 ? "" : "s");
    if (design + last <= c->runs)
        return MRN_OK;
    char expected[80];
    snprintf(expected, sizeof expected, "at least %lld", (long long)(design + last));
    mrn_check_fail(&r->check,
                   runs != NULL ? runs
                   : n != NULL  ? n->key
                                : r->tests->key,
                   expected,
                   "%lld runs are too few: %lld points with %d seeds in %d test%s take %lld, the "
                   "check at the end %lld",
                   (long long)c->runs, (long long)points, c->seeds, c->n_tests,
                   c->n_tests == 1 ? "" : "s", (long long)design, (long long)last);
    return mrn_fail_hint(r->check.msg, "calibrate: {runs: %lld}", (long long)(design + last));
}

static mrn_status read_how(mrn_calibration_reader *r, const mrn_node *n)
{
    mrn_calibration *c = r->c;
    mrn_fit_options *o = &c->fit;
    const mrn_node *tolerance = mrn_node_get(n, "tolerance"), *seed = mrn_node_get(n, "seed");
    const mrn_node *confidence = mrn_node_get(n, "confidence");
    c->runs = whole(r, n, "runs", 60);
    c->points = (int)whole(r, n, "points", 0);
    c->seeds = (int)whole(r, n, "seeds", 2);
    c->batch = (int)whole(r, n, "batch", 0);
    c->tolerance = 0.1;
    c->seed = seed != NULL ? mrn_read_integer(&r->check, seed) : 1;
    *o = mrn_fit_default();
    o->few = true;
    o->seed = c->seed;
    o->bootstrap = (int)whole(r, n, "bootstrap", 200);
    o->profile = flag(n, "profile", true);
    o->regions = flag(n, "regions", true);
    o->nested = flag(n, "nested", true);
    mrn_status s = MRN_OK;
    if (tolerance != NULL)
        s = mrn_read_quantity(&r->check, tolerance, "1", &c->tolerance);
    if (s == MRN_OK && confidence != NULL)
        s = mrn_read_quantity(&r->check, confidence, "1", &o->confidence);
    return s == MRN_OK ? check_runs(r, n) : s;
}

/* ---- the file ---- */

static mrn_status keep_text(mrn_calibration_reader *r, const mrn_scene_text *in)
{
    mrn_calibration *c = r->c;
    const mrn_node *root = r->check.tree->root, *title = mrn_node_get(root, "title");
    const mrn_node *from = mrn_node_get(root, "source");
    if (title != NULL)
        snprintf(c->title, sizeof c->title, "%s", title->text);
    if (from != NULL)
        snprintf(c->from, sizeof c->from, "%s", from->text);
    if ((c->path = mrn_strdup(in->path)) == NULL)
        return mrn_fail_memory(r->check.msg);
    if (in->n_set > 0)
        return mrn_tree_text(r->check.tree, &c->source, r->check.msg);
    c->source = mrn_strdup(in->text);
    return c->source != NULL ? MRN_OK : mrn_fail_memory(r->check.msg);
}

static mrn_status build(const mrn_check *check, const mrn_scene_text *in, mrn_calibration *out)
{
    const mrn_node *root = check->tree->root;
    mrn_calibration_reader r = {.check = *check,
                                .c = out,
                                .parameters = mrn_node_get(root, "parameters"),
                                .tests = mrn_node_get(root, "tests")};
    mrn_status s = keep_text(&r, in);
    if (s == MRN_OK)
        s = read_tests(&r);
    if (s == MRN_OK)
        s = mrn_calibration_read_tuned(&r);
    if (s == MRN_OK)
        s = read_how(&r, mrn_node_get(root, "calibrate"));
    if (s == MRN_OK)
        s = mrn_calibration_check_paths(&r);
    return s == MRN_OK ? mrn_calibration_check_scenes(&r) : s;
}

static mrn_status read_bytes(const mrn_scene_text *in, mrn_units *units, mrn_calibration *out,
                             mrn_message *msg)
{
    mrn_tree tree = {.file = in->name, .set = in->set, .n_set = in->n_set};
    mrn_check c = {.tree = &tree, .units = units, .dimension = 3, .msg = msg};
    mrn_status s = mrn_tree_parse(&tree, in->text, in->n, msg);
    if (s == MRN_OK)
        s = mrn_check_head(&c, MRN_FILE_CALIBRATION);
    if (s == MRN_OK)
        s = mrn_tree_apply_sets(&tree, msg);
    if (s == MRN_OK)
        s = mrn_check_all(&c, &mrn_schema_calibration, tree.root, "a calibration");
    if (s == MRN_OK)
        s = build(&c, in, out);
    mrn_tree_destroy(&tree);
    return s;
}

mrn_status mrn_calibration_read(const char *path, const char *const *set, int n_set,
                                mrn_calibration *out, mrn_message *msg)
{
    mrn_message own;
    mrn_scene_text in = {.name = path, .path = path, .set = set, .n_set = n_set};
    mrn_units *units = NULL;
    char *text;
    msg = msg != NULL ? msg : &own;
    memset(out, 0, sizeof *out);
    *msg = (mrn_message){0};
    mrn_status s = mrn_file_load(path, MRN_SCENE_BYTES_MAX, &text, &in.n, msg);
    if (s != MRN_OK)
        return s;
    in.text = text;
    s = mrn_units_open(&units, msg);
    if (s == MRN_OK)
        s = read_bytes(&in, units, out, msg);
    mrn_units_close(&units);
    mrn_free(text);
    if (s != MRN_OK)
        mrn_calibration_destroy(out);
    return s;
}

void mrn_calibration_destroy(mrn_calibration *c)
{
    for (int i = 0; i < c->n_tuned; i++) {
        mrn_free(c->tuned[i].path);
        mrn_free(c->tuned[i].test);
    }
    for (int i = 0; i < c->n_tests; i++) {
        mrn_free(c->test[i].path);
        mrn_free(c->test[i].text);
        mrn_free(c->test[i].set);
    }
    mrn_free(c->tuned);
    mrn_free(c->test);
    mrn_free(c->target);
    mrn_free(c->target_name);
    mrn_free(c->path);
    mrn_free(c->source);
    memset(c, 0, sizeof *c);
}
