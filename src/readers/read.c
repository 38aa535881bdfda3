/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of the lab: text to tree, tree against the tables, tree to experiment. The machinery is
   that of scenes (io/scene_*.c); it stands here and not in io, since names of factors, responses
   and replicates are the lab's. */
#include "readers/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "scene/read.h"

/* ---- helpers ---- */

mrn_status mrn_lab_place(mrn_lab_reader *r, const mrn_node *n)
{
    mrn_message *msg = r->in.check.msg;
    if (msg->status == MRN_ERR_MEMORY)
        return msg->status;
    if (msg->line > 0 && msg->file[0] == '\0')
        mrn_fail_at(msg, r->in.check.tree->file, msg->line, msg->column);
    return mrn_tree_place(r->in.check.tree, n, msg);
}

mrn_status mrn_lab_factor(mrn_lab_reader *r, int k, const char *name, const mrn_node *at,
                          mrn_factor *out)
{
    mrn_message *msg = r->in.check.msg;
    *msg = (mrn_message){0};
    mrn_status s = mrn_factor_find(&r->e->candidate[k].collision, name, out, msg);
    return s == MRN_OK ? s : mrn_lab_place(r, at);
}

mrn_status mrn_lab_factor_of_all(mrn_lab_reader *r, const char *name, const mrn_node *at,
                                 mrn_factor *out)
{
    mrn_factor other;
    mrn_status s = MRN_OK;
    for (int k = 0; k < r->e->n_candidates && s == MRN_OK; k++) {
        s = mrn_lab_factor(r, k, name, at, k == 0 ? out : &other);
        if (s == MRN_ERR_INPUT && k > 0)
            mrn_fail_hint(r->in.check.msg, "all candidates must have it; '%s' has not",
                          r->e->candidate[k].name);
        if (s == MRN_OK)
            s = mrn_lab_alone(r, &r->e->candidate[k].collision, r->e->candidate[k].name,
                              k == 0 ? out : &other, at);
    }
    return s;
}

mrn_status mrn_lab_alone(mrn_lab_reader *r, const mrn_collision *now, const char *law,
                         const mrn_factor *f, const mrn_node *at)
{
    mrn_collision then = *now;
    const mrn_param *param[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&now->model, param);
    mrn_factor_set(&then, f, 1);
    for (int i = 0; i < n; i++) {
        if (!now->value[i].given || then.value[i].given)
            continue;
        mrn_check_fail(&r->in.check, at, "one of the two",
                       "'%s' is to vary, and '%s', which stands for the same, is given", f->name,
                       param[i]->name);
        return mrn_fail_hint(r->in.check.msg, "take '%s' out of '%s'", param[i]->name, law);
    }
    return MRN_OK;
}

mrn_status mrn_lab_set(mrn_lab_reader *r, const char *name, double value, const mrn_node *at)
{
    mrn_factor f;
    mrn_status s = MRN_OK;
    for (int k = 0; k < r->e->n_candidates && s == MRN_OK; k++)
        if ((s = mrn_lab_factor(r, k, name, at, &f)) == MRN_OK)
            mrn_factor_set(&r->e->candidate[k].collision, &f, value);
    return s;
}

bool mrn_lab_within(const mrn_factor *f, double value)
{
    return value >= f->lo && value <= f->hi;
}

void mrn_lab_text(mrn_lab_reader *r, double value, const char *unit, const char *si, char *buf,
                  size_t size)
{
    mrn_reading one = {.factor = 1};
    mrn_message quiet;
    char text[64];
    snprintf(text, sizeof text, "1 %.40s", unit);
    bool pure = unit[0] == '\0' || strcmp(unit, "1") == 0;
    if (pure || mrn_units_read(r->in.check.units, text, si, &one, &quiet) != MRN_OK)
        one.factor = 1;
    snprintf(buf, size, "%.6g%s%s", value / one.factor, pure ? "" : " ", pure ? "" : unit);
}

static mrn_status fail_bounds(mrn_lab_reader *r, const mrn_node *n, const mrn_factor *f,
                              const mrn_reading *x)
{
    char lo[80], hi[80], expected[200];
    const char *unit = x->unit[0] != '\0' ? x->unit : strcmp(f->unit, "1") == 0 ? "" : f->unit;
    snprintf(lo, sizeof lo, "%.6g %s", f->lo / x->factor, unit);
    snprintf(hi, sizeof hi, "%.6g %s", f->hi / x->factor, unit);
    if (isfinite(f->lo) && isfinite(f->hi))
        snprintf(expected, sizeof expected, "between %s and %s", lo, hi);
    else
        snprintf(expected, sizeof expected, "at %s %s", isfinite(f->lo) ? "least" : "most",
                 isfinite(f->lo) ? lo : hi);
    return mrn_check_fail(&r->in.check, n, expected, "'%s' is out of range: %.80s is too %s",
                          f->name, n->text, x->value > f->hi ? "large" : "small");
}

mrn_status mrn_lab_quantity(mrn_lab_reader *r, const mrn_node *n, const mrn_factor *f, double *out,
                            char *unit)
{
    const mrn_check *c = &r->in.check;
    mrn_reading x;
    if (mrn_units_read(c->units, n->text, f->unit, &x, c->msg) != MRN_OK) {
        char text[sizeof c->msg->text];
        snprintf(text, sizeof text, "'%s': %.900s", f->name, c->msg->text);
        memcpy(c->msg->text, text, sizeof text);
        return mrn_tree_place(c->tree, n, c->msg);
    }
    if (!mrn_lab_within(f, x.value))
        return fail_bounds(r, n, f, &x);
    if (unit != NULL)
        snprintf(unit, 24, "%.23s", x.unit[0] != '\0' ? x.unit : f->unit);
    *out = x.value;
    return MRN_OK;
}

/* ---- the file ---- */

static mrn_status read_head(mrn_lab_reader *r)
{
    const mrn_node *root = r->in.root, *title = mrn_node_get(root, "title");
    const mrn_node *source = mrn_node_get(root, "source");
    const mrn_node *accuracy = mrn_node_get(root, "accuracy");
    mrn_experiment *e = r->e;
    e->accuracy = 1e-8;
    e->fit_accuracy = 1e-6;
    e->fitted = e->studied = -1;
    e->fit = mrn_fit_default();
    e->sweep_steps = 21;
    e->sobol_points = 1024;
    if (title != NULL)
        snprintf(e->title, sizeof e->title, "%s", title->text);
    if (source != NULL)
        snprintf(e->measured.source, sizeof e->measured.source, "%s", source->text);
    if (accuracy == NULL)
        return MRN_OK;
    mrn_status s = mrn_read_quantity(&r->in.check, accuracy, "1", &e->accuracy);
    e->fit_accuracy = e->accuracy;
    return s;
}

static mrn_status read_parts(mrn_lab_reader *r)
{
    const mrn_node *data = mrn_node_get(r->in.root, "data");
    const mrn_node *fit = mrn_node_get(r->in.root, "fit");
    const mrn_node *sensitivity = mrn_node_get(r->in.root, "sensitivity");
    mrn_status s = read_head(r);
    if (s == MRN_OK)
        s = mrn_build_materials(&r->in);
    if (s == MRN_OK)
        s = mrn_lab_read_laws(r);
    if (s == MRN_OK)
        s = mrn_lab_read_collision(r);
    if (s == MRN_OK)
        s = data != NULL ? mrn_lab_read_data(r, data) : mrn_lab_read_sweeps(r);
    if (s == MRN_OK && fit != NULL)
        s = mrn_lab_read_fit(r, fit);
    if (s == MRN_OK && sensitivity != NULL)
        s = mrn_lab_read_sensitivity(r, sensitivity);
    return s == MRN_OK ? mrn_lab_check(r) : s;
}

static mrn_status keep_text(mrn_lab_reader *r, const mrn_scene_text *in)
{
    mrn_experiment *e = r->e;
    mrn_message *msg = r->in.check.msg;
    if (in->path != NULL && (e->path = mrn_strdup(in->path)) == NULL)
        return mrn_fail_memory(msg);
    if (in->n_set > 0)
        return mrn_tree_text(r->in.check.tree, &e->source, msg);
    e->source = mrn_strdup(in->text);
    return e->source != NULL ? MRN_OK : mrn_fail_memory(msg);
}

static mrn_status build(const mrn_check *c, const mrn_scene_text *in, mrn_experiment *e)
{
    mrn_scene materials = mrn_scene_default();
    mrn_lab_reader r = {.in = {.check = *c, .root = c->tree->root, .scene = &materials},
                        .e = e,
                        .collision = mrn_node_get(c->tree->root, "collision")};
    mrn_status s = read_parts(&r);
    for (int i = 0; i < r.n_sweeps; i++)
        mrn_free(r.sweep[i].value);
    mrn_scene_destroy(&materials);
    return s == MRN_OK ? keep_text(&r, in) : s;
}

static mrn_status read_bytes(const mrn_scene_text *in, mrn_units *units, mrn_experiment *e,
                             mrn_message *msg)
{
    mrn_tree tree = {.file = in->name, .set = in->set, .n_set = in->n_set};
    mrn_check c = {.tree = &tree, .units = units, .dimension = 3, .msg = msg};
    mrn_status s = mrn_tree_parse(&tree, in->text, in->n, msg);
    if (s == MRN_OK)
        s = mrn_check_head(&c, MRN_FILE_LAB);
    if (s == MRN_OK)
        s = mrn_tree_apply_sets(&tree, msg);
    if (s == MRN_OK)
        s = mrn_check_all(&c, &mrn_schema_lab, tree.root, "a file of the lab");
    if (s == MRN_OK)
        s = build(&c, in, e);
    mrn_tree_destroy(&tree);
    return s;
}

static mrn_status read_all(const mrn_scene_text *in, mrn_experiment *e, mrn_message *msg)
{
    mrn_message own;
    mrn_units *units;
    msg = msg != NULL ? msg : &own;
    mrn_status s = mrn_units_open(&units, msg);
    if (s != MRN_OK)
        return s;
    s = read_bytes(in, units, e, msg);
    mrn_units_close(&units);
    if (s != MRN_OK)
        mrn_experiment_destroy(e);
    return s;
}

mrn_status mrn_experiment_read_text(const char *text, const char *name, const char *const *set,
                                    int n_set, mrn_experiment *out, mrn_message *msg)
{
    mrn_scene_text in = {.text = text, .n = strlen(text), .name = name, .set = set, .n_set = n_set};
    memset(out, 0, sizeof *out);
    return read_all(&in, out, msg);
}

mrn_status mrn_experiment_read(const char *path, const char *const *set, int n_set,
                               mrn_experiment *out, mrn_message *msg)
{
    mrn_scene_text in = {.name = path, .path = path, .set = set, .n_set = n_set};
    char *text;
    memset(out, 0, sizeof *out);
    mrn_status s = mrn_file_load(path, MRN_SCENE_BYTES_MAX, &text, &in.n, msg);
    if (s != MRN_OK)
        return s;
    in.text = text;
    s = read_all(&in, out, msg);
    mrn_free(text);
    return s;
}

void mrn_experiment_destroy(mrn_experiment *e)
{
    mrn_free(e->path);
    mrn_free(e->source);
    mrn_free(e->data_path);
    mrn_free(e->data_text);
    mrn_free(e->at.factor);
    mrn_free(e->at.unit);
    mrn_free(e->at.value);
    mrn_free(e->measured.response);
    mrn_free(e->measured.unit);
    mrn_free(e->measured.row);
    mrn_free(e->measured.datum);
    mrn_free(e->measured.fitted);
    for (int i = 0; i < e->n_candidates; i++) {
        mrn_free(e->candidate[i].free);
        mrn_free(e->candidate[i].factor);
    }
    mrn_free(e->candidate);
    mrn_free(e->factor);
    mrn_free(e->of);
    memset(e, 0, sizeof *e);
}
