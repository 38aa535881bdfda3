/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trials: variants of one scene run side by side, each on a thread of its own, and the numbers they
   come to. A run knows nothing of the others: its numbers depend on its changes and its seed. */
#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "calibrate/virtual_test.h"
#include "crosscheck/crosscheck.h"
#include "scene/build.h"
#include "scene/read.h"

enum {
    ROWS = 200,              /* of a run whose scene asks for none                      */
    MOST_TEXT = 64 * 1 << 20 /* bytes of a scene file                                   */
};
#define PROGRESS_EVERY 0.1 /* s between two words on it */

/* ---- variants ---- */

void mrn_variant_release(mrn_variant *v)
{
    mrn_free(v->set);
    mrn_free(v->words);
    *v = (mrn_variant){0};
}

/* One more text of `size` at the end of *list. */
static mrn_status add_text(void *list, int *n, size_t size, const char *fmt, va_list args,
                           mrn_message *msg)
{
    char *at, *bigger;
    memcpy(&at, list, sizeof at);
    bigger = mrn_realloc(at, (size_t)(*n + 1) * size);
    if (bigger == NULL)
        return mrn_fail_memory(msg);
    memcpy(list, &bigger, sizeof bigger);
    vsnprintf(bigger + (size_t)(*n)++ * size, size, fmt, args);
    return MRN_OK;
}

mrn_status mrn_variant_set(mrn_variant *v, mrn_message *msg, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    mrn_status s = add_text(&v->set, &v->n_set, sizeof *v->set, fmt, args, msg);
    va_end(args);
    return s;
}

mrn_status mrn_variant_say(mrn_variant *v, mrn_message *msg, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    mrn_status s = add_text(&v->words, &v->n_words, sizeof *v->words, fmt, args, msg);
    va_end(args);
    return s;
}

/* ---- all trials ---- */

mrn_status mrn_trials_open(const char *path, mrn_trials *out, mrn_message *msg)
{
    size_t n;
    *out = (mrn_trials){.n_seeds = 1, .seed = 1};
    mrn_status s = mrn_file_load(path, MOST_TEXT, &out->text, &n, msg);
    if (s == MRN_OK && (out->path = mrn_strdup(path)) == NULL)
        s = mrn_fail_memory(msg);
    if (s != MRN_OK)
        mrn_trials_release(out);
    return s;
}

void mrn_trial_release(mrn_trial *r)
{
    mrn_free(r->y);
    mrn_free(r->row);
    mrn_free(r->force);
    *r = (mrn_trial){0};
}

void mrn_trials_release(mrn_trials *t)
{
    for (int i = 0; t->trial != NULL && i < t->n_variants * t->n_seeds; i++)
        mrn_trial_release(&t->trial[i]);
    for (int i = 0; i < t->n_variants; i++)
        mrn_variant_release(&t->variant[i]);
    mrn_free(t->trial);
    mrn_free(t->variant);
    mrn_free(t->figure);
    mrn_free(t->path);
    mrn_free(t->text);
    *t = (mrn_trials){0};
}

mrn_status mrn_trial_clear(const mrn_trials *t, mrn_trial *r, mrn_message *msg)
{
    int variant = r->variant;
    uint64_t seed = r->seed;
    mrn_trial_release(r);
    r->variant = variant;
    r->seed = seed;
    r->status = MRN_INTERRUPTED;
    r->self_stress = -1;
    r->overlap = r->largest_overlap = NAN;
    mrn_status s = mrn_array(&r->y, t->n_figures + 1, sizeof *r->y, msg);
    for (int k = 0; k < t->n_figures && s == MRN_OK; k++)
        r->y[k] = NAN;
    return s;
}

mrn_status mrn_trials_plan(mrn_trials *t, mrn_message *msg)
{
    int n = t->n_variants * t->n_seeds;
    mrn_status s = mrn_array(&t->trial, n + 1, sizeof *t->trial, msg);
    for (int i = 0; i < n && s == MRN_OK; i++) {
        t->trial[i].variant = i / t->n_seeds;
        t->trial[i].seed = t->seed + (uint64_t)(i % t->n_seeds);
        s = mrn_trial_clear(t, &t->trial[i], msg);
    }
    return s;
}

int mrn_trials_values(const mrn_trials *t, int variant, int figure, double *out)
{
    int n = 0;
    for (int k = 0; k < t->n_seeds; k++) {
        const mrn_trial *r = mrn_trials_at(t, variant, k);
        if (mrn_trial_counts(r) && isfinite(r->y[figure]))
            out[n++] = r->y[figure];
    }
    return n;
}

/* ---- the scene of a run ---- */

static double total_time(const mrn_scene *s)
{
    double sum = 0;
    for (int k = 0; k < s->n_stages; k++)
        sum += mrn_stage_longest(&s->stage[k]);
    return sum;
}

/* Peaks and means over time need rows. */
static void give_rows(mrn_scene *s)
{
    double every = total_time(s) / ROWS;
    if (!isfinite(every) || !(every > 0))
        return;
    if (s->output.probes_every == 0 && s->output.every == 0)
        s->output.probes_every = every;
    for (int k = 0; k < s->n_stages; k++) {
        mrn_output *o = &s->stage[k].output;
        if (s->stage[k].has_output && o->probes_every == 0 && o->every == 0)
            o->probes_every = every;
    }
}

static mrn_status read_scene(const mrn_trials *t, const mrn_variant *v, uint64_t seed,
                             mrn_units *units, mrn_scene *out, mrn_message *msg)
{
    int own = v != NULL ? v->n_set : 0, n = 0;
    const char **set = NULL;
    char text[40];
    memset(out, 0, sizeof *out);
    mrn_status s = mrn_array(&set, t->n_set + own + 1, sizeof *set, msg);
    if (s != MRN_OK)
        return s;
    for (int i = 0; i < t->n_set; i++)
        set[n++] = t->set[i];
    for (int i = 0; i < own; i++)
        set[n++] = v->set[i];
    snprintf(text, sizeof text, "seed=%" PRIu64, seed);
    if (v != NULL)
        set[n++] = text;
    mrn_scene_text in = {.text = t->text,
                         .n = strlen(t->text),
                         .name = t->path,
                         .path = t->path,
                         .set = set,
                         .n_set = n};
    s = mrn_scene_read_bytes(&in, units, out, msg);
    if (s == MRN_OK)
        give_rows(out);
    mrn_free(set);
    return s;
}

mrn_status mrn_trials_scene(const mrn_trials *t, const mrn_variant *v, uint64_t seed,
                            mrn_scene *out, mrn_message *msg)
{
    mrn_units *units = NULL;
    memset(out, 0, sizeof *out);
    mrn_status s = mrn_units_open(&units, msg);
    if (s == MRN_OK)
        s = read_scene(t, v, seed, units, out, msg);
    mrn_units_close(&units);
    return s;
}

/* ---- one run ---- */

typedef struct batch {
    mrn_trials *t;
    const mrn_trials_watch *watch;
    mrn_figure_probes probes;
    mrn_units *units;
    int64_t n, all;
    int *todo;        /* numbers of the trials of this call                    */
    double *fraction; /* of every trial                                        */
    double told;      /* when progress was                                     */
    omp_lock_t reading, telling;
} batch;

typedef struct recorder {
    batch *b;
    mrn_trial *r;
    int64_t capacity;
    double *value, *now; /* of the probes; of the figures                   */
    double total;
    bool failed;
} recorder;

static bool asked_to_stop(const mrn_trials_watch *w)
{
    return w != NULL && w->stop != NULL && *w->stop != 0;
}

static void measure(recorder *k, const mrn_progress *p)
{
    const mrn_trials *t = k->b->t;
    const mrn_figure_probes *of = &k->b->probes;
    mrn_message unread = {0};
    mrn_energies e = mrn_measure_energies(p->scene, p->state);
    if (mrn_probe_values(p->scene, p->state, of->n, of->name, k->value, &unread) < 0)
        k->failed = true;
    for (int i = 0; i < t->n_figures; i++)
        k->now[i] = mrn_figure_now(&t->figure[i], of->of[i], k->value);
    k->r->kinetic = fmax(k->r->kinetic, e.kinetic + e.rotational);
}

/* A row of an instant that has one already (the end of a stage) takes its place. */
static void keep_row(recorder *k, double time)
{
    mrn_trial *r = k->r;
    int64_t w = k->b->t->n_figures + 1;
    bool again = r->n_rows > 0 && r->row[(r->n_rows - 1) * w] == time;
    if (again)
        r->n_rows--;
    if (mrn_grow(&r->row, &k->capacity, (r->n_rows + 1) * w, sizeof *r->row) != MRN_OK) {
        k->failed = true;
        return;
    }
    double *row = r->row + r->n_rows++ * w;
    row[0] = time;
    memcpy(row + 1, k->now, (size_t)(w - 1) * sizeof *row);
}

static void finish(recorder *k, const mrn_progress *p)
{
    mrn_trial *r = k->r;
    r->time = p->state->time;
    r->step = p->state->h;
    r->grains = (int64_t)mrn_probe_value(p->scene, p->state, "bodies");
    if (k->b->t->network && mrn_trial_network(p->scene, p->state, r) != MRN_OK)
        k->failed = true;
}

static void sample(const mrn_progress *p, void *user)
{
    recorder *k = user;
    measure(k, p);
    keep_row(k, p->state->time);
    if (p->ended && p->stage + 1 == p->scene->n_stages)
        finish(k, p);
}

/* ---- progress ---- */

/* How far a run is: by time, where the limits of its stages are known, else by stages. */
static double run_fraction(const recorder *k, const mrn_progress *p)
{
    double part = isfinite(p->fraction) ? fmin(p->fraction, 1) : 0, before = 0;
    if (!isfinite(k->total))
        return (p->stage + part) / p->scene->n_stages;
    for (int i = 0; i < p->stage; i++)
        before += mrn_stage_longest(&p->scene->stage[i]);
    return fmin((before + part * mrn_stage_longest(&p->scene->stage[p->stage])) / k->total, 1);
}

static void tell_progress(batch *b, const mrn_trial *r, double fraction)
{
    if (b->watch == NULL || b->watch->progress == NULL)
        return;
    omp_set_lock(&b->telling);
    double sum = 0, clock = mrn_clock();
    b->fraction[r - b->t->trial] = fraction;
    if (fraction == 1 || clock - b->told >= PROGRESS_EVERY) {
        for (int64_t i = 0; i < b->all; i++)
            sum += b->fraction[i];
        b->told = clock;
        b->watch->progress(b->watch->user, sum / (double)b->all);
    }
    omp_unset_lock(&b->telling);
}

static void progress(const mrn_progress *p, void *user)
{
    const recorder *k = user;
    tell_progress(k->b, k->r, run_fraction(k, p));
}

/* ---- from rows to numbers ---- */

/* Mean over time from `from` on, by trapezoids; one row alone counts as it is. */
static double mean_since(const mrn_trial *r, int w, int q, double from)
{
    double sum = 0, over = 0, t0 = NAN, y0 = NAN;
    for (int64_t i = 0; i < r->n_rows; i++) {
        const double *row = r->row + i * w;
        double y = row[1 + q];
        if (row[0] < from || !isfinite(y))
            continue;
        if (isfinite(t0)) {
            sum += 0.5 * (y + y0) * (row[0] - t0);
            over += row[0] - t0;
        }
        t0 = row[0];
        y0 = y;
    }
    return over > 0 ? sum / over : y0;
}

static double largest(const mrn_trial *r, int w, int q)
{
    double y = NAN;
    for (int64_t i = 0; i < r->n_rows; i++)
        y = fmax(y, r->row[i * w + 1 + q]);
    return y;
}

static double tail(const mrn_trial *r)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < r->n_forces; i++)
        if (r->force[i] > 1) {
            sum += r->force[i] - 1;
            n++;
        }
    return n > 0 ? sum / n : NAN;
}

static double figure_value(const mrn_trials *t, const mrn_trial *r, int q)
{
    int w = t->n_figures + 1;
    /* instants are multiples of the step: rounding must not drop a row */
    double from = r->time - t->last - 1e-9 * r->time;
    switch (t->figure[q].kind) {
    case MRN_FIGURE_PEAK:
        return largest(r, w, q);
    case MRN_FIGURE_WHOLE:
        return mean_since(r, w, q, -INFINITY);
    case MRN_FIGURE_TAIL:
        return tail(r);
    default:
        if (t->last > 0)
            return mean_since(r, w, q, from);
        return r->n_rows > 0 ? r->row[(r->n_rows - 1) * w + 1 + q] : NAN;
    }
}

/* ---- many ---- */

static mrn_status run_scene(batch *b, mrn_trial *r, mrn_message *msg)
{
    mrn_trials *t = b->t;
    const mrn_variant *v = &t->variant[r->variant];
    mrn_scene scene;
    recorder k = {.b = b, .r = r};
    mrn_run_options opt = mrn_run_default();
    mrn_run_result result = {0};
    omp_set_lock(&b->reading);
    mrn_status s = read_scene(t, v, r->seed, b->units, &scene, msg);
    omp_unset_lock(&b->reading);
    if (s == MRN_OK)
        s = mrn_array(&k.value, b->probes.n + 1, sizeof *k.value, msg);
    if (s == MRN_OK)
        s = mrn_array(&k.now, t->n_figures + 1, sizeof *k.now, msg);
    if (s == MRN_OK) {
        k.total = total_time(&scene);
        opt.stop = b->watch != NULL ? b->watch->stop : NULL;
        opt.sample = sample;
        opt.progress = progress;
        opt.user = &k;
        s = mrn_run(&scene, &opt, &result, msg);
    }
    r->steps = result.steps;
    r->hash = result.hash;
    if (k.failed)
        s = mrn_fail_memory(msg);
    mrn_free(k.value);
    mrn_free(k.now);
    mrn_scene_destroy(&scene);
    return s;
}

static mrn_status run_one(void *user, int64_t i)
{
    batch *b = user;
    mrn_trial *r = &b->t->trial[b->todo[i]];
    mrn_message msg = {0};
    double begin = mrn_clock();
    if (asked_to_stop(b->watch))
        return MRN_OK;
    r->status = run_scene(b, r, &msg);
    r->seconds = mrn_clock() - begin;
    if (r->status != MRN_OK)
        snprintf(r->words, sizeof r->words, "%.399s",
                 msg.text[0] != '\0' ? msg.text : mrn_status_text(r->status));
    for (int q = 0; q < b->t->n_figures && mrn_trial_counts(r); q++)
        r->y[q] = figure_value(b->t, r, q);
    if (r->status == MRN_INTERRUPTED)
        return mrn_trial_clear(b->t, r, &msg);
    tell_progress(b, r, 1);
    if (b->watch != NULL && b->watch->done != NULL) {
        omp_set_lock(&b->telling);
        b->watch->done(b->watch->user, b->t, r);
        omp_unset_lock(&b->telling);
    }
    return r->status == MRN_ERR_MEMORY ? MRN_ERR_MEMORY : MRN_OK;
}

/* Those with threads of their own come one after the other. */
static mrn_status run_alone(batch *b)
{
    mrn_status worst = MRN_OK;
    int before = mrn_threads();
    for (int64_t i = 0; i < b->n && worst == MRN_OK; i++) {
        mrn_threads_set(b->t->variant[b->t->trial[b->todo[i]].variant].threads);
        worst = run_one(b, i);
    }
    mrn_threads_set(before);
    return worst;
}

static void choose(batch *b, bool alone)
{
    b->n = 0;
    for (int i = 0; i < b->all; i++) {
        const mrn_trial *r = &b->t->trial[i];
        bool open = r->status == MRN_INTERRUPTED;
        b->fraction[i] = open ? b->fraction[i] : 1;
        if (open && (b->t->variant[r->variant].threads > 0) == alone)
            b->todo[b->n++] = i;
    }
}

static mrn_status run_batch(batch *b, mrn_message *msg)
{
    omp_init_lock(&b->reading);
    omp_init_lock(&b->telling);
    choose(b, false);
    mrn_status s = mrn_side_by_side(b->n, run_one, b);
    choose(b, true);
    if (s == MRN_OK)
        s = run_alone(b);
    omp_destroy_lock(&b->reading);
    omp_destroy_lock(&b->telling);
    return s == MRN_OK ? s : mrn_fail_memory(msg);
}

mrn_status mrn_trials_run(mrn_trials *t, const mrn_trials_watch *watch, mrn_message *msg)
{
    batch b = {.t = t, .watch = watch, .all = t->n_variants * t->n_seeds, .told = mrn_clock()};
    mrn_status s = mrn_array(&b.todo, b.all + 1, sizeof *b.todo, msg);
    if (s == MRN_OK)
        s = mrn_array(&b.fraction, b.all + 1, sizeof *b.fraction, msg);
    if (s == MRN_OK)
        s = mrn_figure_gather(t->figure, t->n_figures, &b.probes, msg);
    if (s == MRN_OK)
        s = mrn_units_open(&b.units, msg);
    if (s == MRN_OK)
        s = run_batch(&b, msg);
    mrn_units_close(&b.units);
    mrn_figure_probes_release(&b.probes);
    mrn_free(b.todo);
    mrn_free(b.fraction);
    for (int i = 0; i < b.all && s == MRN_OK; i++)
        if (t->trial[i].status == MRN_INTERRUPTED)
            s = mrn_fail(msg, MRN_INTERRUPTED, "stopped, with runs still to be made");
    return s;
}
