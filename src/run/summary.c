/* SPDX-License-Identifier: GPL-3.0-or-later */
/* summary.json: what ran, how it ended and what it cost. Nothing in it depends on the name of the
   machine or the hour; times of the clock stand together under "cost", so that two summaries can be
   compared. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "run/json.h"
#include "run/parts.h"

static json_t *text(const char *s)
{
    return s != NULL ? json_string(s) : json_null();
}

static json_t *bodies(const mrn_account *a)
{
    const mrn_bodies *b = &a->state->body;
    json_t *o = json_object(), *groups = json_object();
    mrn_json_put(o, "grains", json_integer(b->n - b->n_walls));
    mrn_json_put(o, "walls", json_integer(b->n_walls));
    for (int g = 0; g < a->scene->n_groups; g++) {
        int64_t n = 0;
        for (int32_t i = b->n_walls; i < b->n; i++)
            n += b->group[i] == g;
        mrn_json_put(groups, a->scene->group[g].name, json_integer(n));
    }
    mrn_json_put(o, "groups", groups);
    return o;
}

static json_t *time_step(const mrn_account *a)
{
    json_t *o = json_object();
    mrn_json_put_number(o, "seconds", a->state->h);
    mrn_json_put(o, "given", json_boolean(a->step_given));
    mrn_json_put_number(o, "critical", a->limit->critical);
    mrn_json_put_number(o, "advised", a->limit->advised);
    mrn_json_put_number(o, "rayleigh", a->limit->rayleigh);
    mrn_json_put_number(o, "contact-time", a->limit->contact_time);
    mrn_json_put(o, "reason", text(a->limit->reason));
    return o;
}

/* How far off, as a part of what was asked for. */
static double relative_error(const mrn_servo_record *s)
{
    return s->asked != 0 ? (s->obtained - s->asked) / fabs(s->asked) : NAN;
}

static json_t *servos(const mrn_stage_record *r)
{
    json_t *list = json_array();
    for (int i = 0; i < r->n_servos; i++) {
        const mrn_servo_record *s = &r->servo[i];
        json_t *o = json_object();
        mrn_json_put(o, "name", text(s->name));
        mrn_json_put(o, "unit", text(s->unit));
        mrn_json_put_number(o, "asked", s->asked);
        mrn_json_put_number(o, "obtained", s->obtained);
        mrn_json_put_number(o, "relative-error", relative_error(s));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *stages(const mrn_account *a)
{
    json_t *list = json_array();
    for (int k = 0; k < a->scene->n_stages; k++) {
        const mrn_stage_record *r = &a->stage[k];
        if (!r->begun)
            continue;
        json_t *o = json_object();
        mrn_json_put(o, "index", json_integer(k));
        mrn_json_put(o, "name", text(a->scene->stage[k].name));
        mrn_json_put_number(o, "time-begin", r->time_begin);
        mrn_json_put_number(o, "time-end", r->time_end);
        mrn_json_put(o, "step-begin", json_integer(r->step_begin));
        mrn_json_put(o, "step-end", json_integer(r->step_end));
        mrn_json_put_number(o, "time-step", r->h);
        mrn_json_put_number(o, "time-step-end", r->h_end);
        mrn_json_put(o, "ended", json_boolean(r->ended));
        mrn_json_put(o, "reason", text(r->reason));
        mrn_json_put(o, "outcome", text(mrn_status_text(r->outcome)));
        if (r->n_servos > 0)
            mrn_json_put(o, "servos", servos(r));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *energies(const mrn_energies *e)
{
    json_t *o = json_object();
    mrn_json_put_energies(o, e);
    mrn_json_put_number(o, "total", e->total);
    mrn_json_put_number(o, "dissipated", e->dissipated);
    mrn_json_put_number(o, "input", e->input);
    mrn_json_put_number(o, "residual", e->residual);
    return o;
}

static json_t *ledger(const mrn_ledger *l)
{
    json_t *o = json_object();
    mrn_json_put_ledger(o, l);
    mrn_json_put_number(o, "start", l->start);
    return o;
}

/* ---- what methods report ---- */

/* The object in which the last word of a dotted key stands; *key becomes that word. */
static json_t *nest(json_t *o, const char **key)
{
    for (const char *dot; (dot = strchr(*key, '.')) != NULL; *key = dot + 1) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(dot - *key), *key);
        if (json_object_get(o, name) == NULL)
            json_object_set_new(o, name, json_object());
        o = json_object_get(o, name);
    }
    return o;
}

static void put_item(void *user, const mrn_report_item *item)
{
    const char *key = item->key;
    if (item->kind == MRN_REPORT_LINE)
        return;
    json_t *o = nest(user, &key);
    if (item->kind == MRN_REPORT_WORD)
        mrn_json_put(o, key, text(item->text));
    else if (item->kind == MRN_REPORT_FLAG)
        mrn_json_put(o, key, json_boolean(item->number != 0));
    else if (item->kind == MRN_REPORT_COUNT)
        mrn_json_put(o, key, json_integer((json_int_t)item->number));
    else
        mrn_json_put_number(o, key, item->number);
}

/* A section for each method that has something to say. */
static void put_methods(json_t *root, const mrn_scene *scene, const mrn_state *s)
{
    for (int k = 0; k < mrn_method_count(); k++) {
        const mrn_method *m = mrn_method_at(k);
        json_t *o = json_object();
        const mrn_report_sink to = {put_item, o};
        if (m->report != NULL)
            m->report(scene, s, &to);
        if (json_object_size(o) > 0)
            mrn_json_put(root, m->name, o);
        else
            json_decref(o);
    }
}

char *mrn_run_report(const mrn_scene *scene, const mrn_state *s)
{
    json_t *root = json_object();
    put_methods(root, scene, s);
    size_t size = json_dumpb(root, NULL, 0, 0);
    char *out = size > 0 ? mrn_alloc(size + 1) : NULL;
    if (out != NULL)
        out[json_dumpb(root, out, size, 0)] = '\0';
    json_decref(root);
    return out;
}

/* Contact problems that were kept: with the method that could not solve them. */
static void put_unsolved_files(json_t *root, const mrn_account *a)
{
    json_t *files = json_array();
    for (int k = 0; k < a->result->n_unsolved_files; k++)
        json_array_append_new(files, text(a->result->unsolved_file[k]));
    mrn_json_put(json_object_get(root, a->scene->method->name), "unsolved-files", files);
}

/* Seconds by the parts of the steps of the methods in use, and of those of stages before. */
static json_t *step_parts(const mrn_scene *scene, const mrn_step_times *t)
{
    json_t *o = json_object();
    unsigned shown = 0;
    for (int m = 0; m < mrn_method_count(); m++)
        if (mrn_method_is_used(mrn_method_at(m), scene))
            shown |= mrn_method_at(m)->parts;
    for (int k = 0; k < MRN_STEP_PARTS; k++)
        if (shown >> k & 1 || mrn_step_part_seconds(t, (mrn_step_part)k) > 0)
            mrn_json_put_number(o, mrn_step_part_key((mrn_step_part)k),
                                mrn_step_part_seconds(t, (mrn_step_part)k));
    return o;
}

static json_t *cost(const mrn_scene *scene, const mrn_run_result *r)
{
    json_t *o = json_object(), *parts = step_parts(scene, &r->times);
    mrn_json_put_number(o, "wall-seconds", r->wall_seconds);
    mrn_json_put(o, "steps", json_integer(r->steps));
    mrn_json_put(o, "body-steps", json_integer(r->body_steps));
    mrn_json_put_number(o, "million-body-steps-per-second", 1e-6 * r->body_steps_per_second);
    mrn_json_put_number(parts, "output", r->output_seconds);
    mrn_json_put(o, "seconds", parts);
    if (r->times.contact_sweeps > 0 && r->times.solve > 0)
        mrn_json_put_number(o, "million-contact-sweeps-per-second",
                            1e-6 * (double)r->times.contact_sweeps / r->times.solve);
    mrn_json_put(o, "peak-bytes", json_integer((json_int_t)r->bytes_peak));
    mrn_json_put(o, "threads", json_integer(mrn_threads()));
    return o;
}

static json_t *warnings(const mrn_run_result *r)
{
    json_t *list = json_array();
    for (int i = 0; i < r->n_warnings; i++) {
        const mrn_warning *w = &r->warning[i];
        json_t *o = json_object();
        mrn_json_put(o, "kind", text(w->kind));
        mrn_json_put(o, "key", json_integer(w->key));
        mrn_json_put(o, "text", text(w->text));
        mrn_json_put(o, "step", json_integer(w->step));
        mrn_json_put_number(o, "time", w->time);
        mrn_json_put(o, "count", json_integer(w->count));
        json_array_append_new(list, o);
    }
    return list;
}

/* Restitution asked for and obtained, over materials and sizes. */
static json_t *impacts(const mrn_account *a)
{
    json_t *list = json_array();
    for (int k = 0; k < a->n_impacts; k++) {
        const mrn_impact_row *row = &a->impact[k];
        const mrn_impact *i = &row->impact;
        const mrn_interaction *x = &a->scene->interaction[row->interaction];
        json_t *o = json_object(), *between = json_array(), *radii = json_array();
        json_array_append_new(between, text(a->scene->material[x->a].name));
        json_array_append_new(between, text(a->scene->material[x->b].name));
        json_array_append_new(radii, mrn_json_number(row->radius[0]));
        json_array_append_new(radii, mrn_json_number(row->radius[1])); /* null: a wall */
        mrn_json_put(o, "between", between);
        mrn_json_put(o, "kind", text(mrn_impact_kind_name(row->kind)));
        mrn_json_put(o, "radii", radii);
        mrn_json_put_number(o, "speed", i->speed);
        mrn_json_put_number(o, "asked", i->asked);
        mrn_json_put_number(o, "obtained", i->restitution);
        mrn_json_put(o, "stuck", json_boolean(i->stuck));
        mrn_json_put_number(o, "contact-time", i->contact_time);
        mrn_json_put_number(o, "overlap", i->overlap);
        json_array_append_new(list, o);
    }
    return list;
}

/* How it ended: the status and, when there is something to say, the message for a person. */
static void put_outcome(json_t *root, const mrn_account *a)
{
    const mrn_message *m = a->msg;
    mrn_json_put(root, "status", text(mrn_status_text(a->result->status)));
    if (a->result->status == MRN_OK || m == NULL || m->status != a->result->status)
        return;
    mrn_json_put(root, "message", text(m->text));
    if (m->hint[0] != '\0')
        mrn_json_put(root, "hint", text(m->hint));
}

static json_t *account(const mrn_account *a)
{
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, a->result->hash);
    json_t *root = json_object();
    put_outcome(root, a);
    mrn_json_put(root, "title", text(a->scene->title));
    mrn_json_put(root, "scene", text(a->scene->path));
    mrn_json_put(root, "moraine", text(MRN_VERSION));
    mrn_json_put(root, "compiler", text(__VERSION__));
    mrn_json_put(root, "method", text(a->scene->method->name));
    mrn_json_put(root, "dimension", json_integer(a->scene->dimension));
    mrn_json_put(root, "seed", json_integer((json_int_t)a->scene->seed));
    mrn_json_put(root, "bodies", bodies(a));
    mrn_json_put(root, "time-step", time_step(a));
    mrn_json_put(root, "stages", stages(a));
    mrn_json_put_number(root, "time", a->result->time);
    mrn_json_put(root, "step", json_integer(a->state->step));
    mrn_json_put(root, "resumed-at-step",
                 a->resumed_at >= 0 ? json_integer(a->resumed_at) : json_null());
    mrn_json_put(root, "frames", json_integer(a->result->frames));
    mrn_json_put(root, "contacts", json_integer(a->state->contacts));
    mrn_json_put(root, "energies", energies(&a->result->energies));
    mrn_json_put(root, "ledger", ledger(&a->state->ledger));
    put_methods(root, a->scene, a->state);
    if (a->scene->method->keep_unsolved != NULL)
        put_unsolved_files(root, a);
    if (a->impact != NULL)
        mrn_json_put(root, "impacts", impacts(a));
    mrn_json_put(root, "warnings", warnings(a->result));
    if (a->result->postmortem[0] != '\0')
        mrn_json_put(root, "postmortem", text(a->result->postmortem));
    mrn_json_put(root, "cost", cost(a->scene, a->result));
    mrn_json_put(root, "hash", text(hash));
    return root;
}

mrn_status mrn_summary_write(const mrn_account *a, mrn_message *msg)
{
    char path[MRN_RUN_PATH];
    mrn_folder_path(a->dir, "summary.json", path);
    json_t *root = account(a);
    if (root == NULL)
        return mrn_fail_memory(msg);
    mrn_atomic_file file;
    mrn_status status = mrn_atomic_open(path, &file, msg);
    if (status == MRN_OK) {
        if (json_dumpf(root, file.f, JSON_INDENT(2)) == 0 && fputc('\n', file.f) != EOF) {
            status = mrn_atomic_commit(&file, msg);
        } else {
            status = mrn_fail(msg, MRN_ERR_IO, "cannot write %s: %s", path, strerror(errno));
            mrn_atomic_abandon(&file);
        }
    }
    json_decref(root);
    return status;
}

static void read_stage(const json_t *o, mrn_stage_record *r)
{
    r->begun = true;
    r->ended = json_is_true(json_object_get(o, "ended"));
    r->time_begin = json_number_value(json_object_get(o, "time-begin"));
    r->time_end = json_number_value(json_object_get(o, "time-end"));
    r->h = json_number_value(json_object_get(o, "time-step"));
    r->h_end = json_number_value(json_object_get(o, "time-step-end"));
    r->step_begin = json_integer_value(json_object_get(o, "step-begin"));
    r->step_end = json_integer_value(json_object_get(o, "step-end"));
    const char *reason = json_string_value(json_object_get(o, "reason"));
    const char *outcome = json_string_value(json_object_get(o, "outcome"));
    snprintf(r->reason, sizeof r->reason, "%s", reason != NULL ? reason : "");
    bool at_most = outcome != NULL && strcmp(outcome, mrn_status_text(MRN_AT_MOST)) == 0;
    r->outcome = at_most ? MRN_AT_MOST : MRN_OK;
}

static void copy_text(char *to, size_t size, const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    snprintf(to, size, "%s", s != NULL ? s : "");
}

static void read_servos(const json_t *list, mrn_stage_record *r)
{
    size_t i;
    json_t *o;
    r->n_servos = 0;
    json_array_foreach(list, i, o)
    {
        if (r->n_servos == MRN_SERVO_MAX)
            return;
        mrn_servo_record *s = &r->servo[r->n_servos++];
        copy_text(s->name, sizeof s->name, o, "name");
        copy_text(s->unit, sizeof s->unit, o, "unit");
        s->asked = json_number_value(json_object_get(o, "asked"));
        s->obtained = json_number_value(json_object_get(o, "obtained"));
    }
}

/* Warnings that came up after the checkpoint will come up again. */
static void read_warnings(const json_t *list, int64_t step, mrn_run_result *r)
{
    size_t i;
    json_t *o;
    json_array_foreach(list, i, o)
    {
        json_int_t at = json_integer_value(json_object_get(o, "step"));
        if (r->n_warnings == MRN_WARNING_MAX || !json_is_object(o) || at > step)
            continue;
        mrn_warning *w = &r->warning[r->n_warnings++];
        *w = (mrn_warning){.step = at,
                           .key = (int)json_integer_value(json_object_get(o, "key")),
                           .time = json_number_value(json_object_get(o, "time")),
                           .count = json_integer_value(json_object_get(o, "count"))};
        copy_text(w->kind, sizeof w->kind, o, "kind");
        copy_text(w->text, sizeof w->text, o, "text");
    }
}

/* Problems kept before: those of steps after the checkpoint will be kept again. */
static void read_unsolved(const json_t *list, int64_t step, mrn_run_result *r)
{
    size_t i;
    json_t *o;
    json_array_foreach(list, i, o)
    {
        int64_t at;
        const char *name = json_string_value(o);
        if (name == NULL || strlen(name) >= sizeof r->unsolved_file[0] ||
            sscanf(name, "step-%" SCNd64, &at) != 1 || at > step ||
            r->n_unsolved_files == MRN_UNSOLVED_MAX)
            continue;
        strcpy(r->unsolved_file[r->n_unsolved_files++], name);
    }
}

void mrn_summary_recall(const char *dir, const mrn_scene *scene, int64_t step,
                        mrn_stage_record *stage, mrn_run_result *result)
{
    char path[MRN_RUN_PATH];
    mrn_folder_path(dir, "summary.json", path);
    json_t *root = mrn_json_read(path);
    json_t *list = json_object_get(root, "stages"), *o;
    size_t i;
    json_array_foreach(list, i, o)
    {
        json_int_t k = json_integer_value(json_object_get(o, "index"));
        if (k >= 0 && k < scene->n_stages) {
            read_stage(o, &stage[k]);
            read_servos(json_object_get(o, "servos"), &stage[k]);
        }
    }
    read_warnings(json_object_get(root, "warnings"), step, result);
    read_unsolved(
        json_object_get(json_object_get(root, mrn_method_of(scene)->name), "unsolved-files"), step,
        result);
    json_decref(root);
}
