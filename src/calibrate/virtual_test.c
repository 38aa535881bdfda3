/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes run in place of experiments: many at once, each on a thread of its own. A run knows
   nothing of the others, so what it comes to depends on its parameters and its seed alone. */
#include "calibrate/virtual_test.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "export/export.h"
#include "linalg/blas.h"
#include "moraine/run.h"
#include "scene/read.h"

/* Seconds between two words on progress. */
#define PROGRESS_EVERY 0.1

/* ---- the scene of a run ---- */

bool mrn_tuned_sets(const mrn_tuned *k, int path, int test)
{
    return k->test[path] < 0 || k->test[path] == test;
}

int mrn_virtual_changes(const mrn_calibration *c, int test)
{
    int n = c->test[test].n_set + 1;
    for (int i = 0; i < c->n_tuned; i++)
        for (int k = 0; k < c->tuned[i].n_paths; k++)
            n += mrn_tuned_sets(&c->tuned[i], k, test);
    return n;
}

mrn_change_owner mrn_virtual_owner(const mrn_calibration *c, int test, int at)
{
    mrn_change_owner who = {-1, -1, -1};
    int n = c->test[test].n_set;
    if (at >= 0 && at < n)
        who.set = at;
    for (int i = 0; i < c->n_tuned && at >= c->test[test].n_set; i++)
        for (int k = 0; k < c->tuned[i].n_paths; k++)
            if (mrn_tuned_sets(&c->tuned[i], k, test) && n++ == at)
                return (mrn_change_owner){-1, i, k};
    return who;
}

void mrn_virtual_change(const mrn_calibration *c, int test, const double *x, uint64_t seed,
                        mrn_scene_change *out)
{
    const mrn_virtual_test *t = &c->test[test];
    int n = 0;
    for (int i = 0; i < t->n_set; i++)
        memcpy(out[n++], t->set[i], sizeof *out);
    for (int i = 0; i < c->n_tuned; i++) {
        const mrn_tuned *tuned = &c->tuned[i];
        char value[32];
        mrn_number_text(x[i], value);
        for (int k = 0; k < tuned->n_paths; k++)
            if (mrn_tuned_sets(tuned, k, test))
                snprintf(out[n++], sizeof *out, "%s=%s%s%s", tuned->path[k], value,
                         tuned->p.unit[0] != '\0' ? " " : "", tuned->p.unit);
    }
    snprintf(out[n], sizeof *out, "seed=%" PRIu64, seed);
}

/* The change that a message has for its place. */
static int find_blamed(const mrn_message *msg, const char *const *set, int n)
{
    const char *mark = "--set ";
    if (strncmp(msg->file, mark, strlen(mark)) != 0)
        return -1;
    for (int i = 0; i < n; i++)
        if (strcmp(msg->file + strlen(mark), set[i]) == 0)
            return i;
    return -1;
}

mrn_status mrn_virtual_scene(const mrn_calibration *c, int test, const double *x, uint64_t seed,
                             mrn_units *units, mrn_scene *out, int *blamed, mrn_message *msg)
{
    const mrn_virtual_test *t = &c->test[test];
    int n = mrn_virtual_changes(c, test);
    mrn_scene_change *change = NULL;
    const char **set = NULL;
    memset(out, 0, sizeof *out);
    mrn_status s = mrn_array(&change, n, sizeof *change, msg);
    if (s == MRN_OK)
        s = mrn_array(&set, n, sizeof *set, msg);
    if (s == MRN_OK) {
        mrn_virtual_change(c, test, x, seed, change);
        for (int i = 0; i < n; i++)
            set[i] = change[i];
        mrn_scene_text in = {.text = t->text,
                             .n = strlen(t->text),
                             .name = t->path,
                             .path = t->path,
                             .set = set,
                             .n_set = n};
        s = mrn_scene_read_bytes(&in, units, out, msg);
    }
    if (blamed != NULL)
        *blamed = s != MRN_OK && set != NULL ? find_blamed(msg, set, n) : -1;
    mrn_free(set);
    mrn_free(change);
    return s;
}

double mrn_stage_longest(const mrn_stage *g)
{
    double limit = g->at_most;
    if (g->n_until == 1 && g->until[0].above && strcmp(g->until[0].probe, "time-in-stage") == 0)
        limit = fmin(limit, g->until[0].value);
    return limit;
}

/* ---- what a run is asked for ---- */

/* The batch. */
typedef struct batch {
    const mrn_calibration *c;
    const mrn_virtual_watch *watch;
    mrn_units *units;
    mrn_virtual_run *run;
    int64_t n;
    double *fraction; /* per run, how far it is */
    double predicted; /* when progress was      */
    omp_lock_t reading, telling;
} batch;

/* A run under way. A row holds the time, then a value per target of the test. */
typedef struct recorder {
    batch *b;
    const mrn_virtual_run *run;
    int64_t at; /* its number */
    int n;      /* targets of the test */
    int *target;
    char (*probe)[128];
    double *now; /* their values        */
    double *row;
    int64_t n_rows, capacity;
    int *stage; /* per row                         */
    int64_t stage_room;
    int64_t last_step;    /* of the last row                  */
    double *begin, *over; /* of the stages: times; NAN: never */
    double *end;          /* of the targets: values then      */
    double total;         /* duration of all stages; NAN: not known */
    bool failed;
} recorder;

static bool asked_to_stop(const mrn_virtual_watch *w)
{
    return w != NULL && w->stop != NULL && *w->stop != 0;
}

static void measure(recorder *r, const mrn_progress *p)
{
    mrn_message unread;
    if (mrn_probe_values(p->scene, p->state, r->n, r->probe, r->now, &unread) < 0)
        r->failed = true;
}

static void keep_row(recorder *r, const mrn_progress *p)
{
    int64_t w = r->n + 1;
    if (mrn_grow(&r->row, &r->capacity, (r->n_rows + 1) * w, sizeof *r->row) != MRN_OK ||
        mrn_grow(&r->stage, &r->stage_room, r->n_rows + 1, sizeof *r->stage) != MRN_OK) {
        r->failed = true;
        return;
    }
    double *row = r->row + r->n_rows * w;
    row[0] = p->state->time;
    memcpy(row + 1, r->now, (size_t)r->n * sizeof *row);
    r->stage[r->n_rows++] = p->stage;
    r->last_step = p->state->step;
}

/* What is taken at the end needs no rows before it. */
static bool wanted(const recorder *r, int stage, bool ended)
{
    for (int k = 0; k < r->n; k++) {
        const mrn_target *g = &r->b->c->target[r->target[k]];
        if (g->stage == stage && (ended || g->take != MRN_TAKE_END))
            return true;
    }
    return false;
}

static void sample(const mrn_progress *p, void *user)
{
    recorder *r = user;
    if (p->ended) {
        r->begin[p->stage] = p->state->stage_time;
        r->over[p->stage] = p->state->time;
    }
    if (!wanted(r, p->stage, p->ended))
        return;
    measure(r, p);
    if (r->last_step != p->state->step)
        keep_row(r, p);
    for (int k = 0; k < r->n && p->ended; k++)
        if (r->b->c->target[r->target[k]].stage == p->stage)
            r->end[k] = r->now[k];
}

/* ---- progress ---- */

/* How far a run is: by time, where the stages' limits are known, else by stages. */
static double run_fraction(const recorder *r, const mrn_progress *p)
{
    double part = isfinite(p->fraction) ? fmin(p->fraction, 1) : 0, before = 0;
    if (!isfinite(r->total))
        return (p->stage + part) / p->scene->n_stages;
    for (int k = 0; k < p->stage; k++)
        before += mrn_stage_longest(&p->scene->stage[k]);
    return fmin((before + part * mrn_stage_longest(&p->scene->stage[p->stage])) / r->total, 1);
}

static void tell_progress(batch *b, int64_t at, double fraction, bool now)
{
    if (b->watch == NULL || b->watch->progress == NULL)
        return;
    omp_set_lock(&b->telling);
    double sum = 0, clock = mrn_clock();
    b->fraction[at] = fraction;
    if (now || clock - b->predicted >= PROGRESS_EVERY) {
        for (int64_t i = 0; i < b->n; i++)
            sum += b->fraction[i];
        b->predicted = clock;
        b->watch->progress(b->watch->user, sum / (double)b->n);
    }
    omp_unset_lock(&b->telling);
}

static void progress(const mrn_progress *p, void *user)
{
    const recorder *r = user;
    tell_progress(r->b, r->at, run_fraction(r, p), false);
}

/* ---- from rows to numbers ---- */

/* Sums about the first point in time: instants late in a run differ little. */
typedef struct moments {
    double n, begin, t, y, tt, ty, max, min, first, last;
} moments;

static void add(moments *m, double t, double y)
{
    if (m->n == 0)
        *m = (moments){.begin = t, .max = y, .min = y, .first = y};
    t -= m->begin;
    m->n += 1;
    m->t += t;
    m->y += y;
    m->tt += t * t;
    m->ty += t * y;
    m->last = y;
    m->max = fmax(m->max, y);
    m->min = fmin(m->min, y);
}

static double taken(const moments *m, mrn_take take)
{
    if (m->n == 0)
        return NAN;
    switch (take) {
    case MRN_TAKE_MAX:
        return m->max;
    case MRN_TAKE_MIN:
        return m->min;
    case MRN_TAKE_CHANGE:
        return m->n > 1 ? m->last - m->first : NAN;
    case MRN_TAKE_SLOPE: {
        double spread = m->n * m->tt - m->t * m->t;
        return m->n > 1 && spread > 0 ? (m->n * m->ty - m->t * m->y) / spread : NAN;
    }
    default:
        return m->y / m->n;
    }
}

/* Instants are multiples of the step: half an interval's rounding must not drop a row. */
static double target_value(const recorder *r, int k)
{
    const mrn_target *g = &r->b->c->target[r->target[k]];
    double begin = r->begin[g->stage], over = r->over[g->stage];
    if (g->take == MRN_TAKE_END)
        return isfinite(r->end[k]) ? r->end[k] : NAN;
    double slack = 1e-9 * (over - begin), from = begin + g->after;
    if (g->last > 0)
        from = fmax(from, over - g->last);
    moments m = {0};
    for (int64_t i = 0; i < r->n_rows; i++) {
        const double *row = r->row + i * (r->n + 1);
        if (r->stage[i] == g->stage && row[0] >= from - slack && isfinite(row[1 + k]))
            add(&m, row[0], row[1 + k]);
    }
    return taken(&m, g->take);
}

/* ---- one run ---- */

static void release(recorder *r)
{
    mrn_free(r->target);
    mrn_free(r->probe);
    mrn_free(r->now);
    mrn_free(r->end);
    mrn_free(r->row);
    mrn_free(r->stage);
    mrn_free(r->begin);
    mrn_free(r->over);
}

static mrn_status prepare(recorder *r, const mrn_scene *scene, mrn_message *msg)
{
    const mrn_calibration *c = r->b->c;
    int test = r->run->test;
    for (int i = 0; i < c->n_targets; i++)
        r->n += c->target[i].test == test;
    mrn_status s = mrn_array(&r->target, r->n, sizeof *r->target, msg);
    if (s == MRN_OK)
        s = mrn_array(&r->probe, r->n, sizeof *r->probe, msg);
    if (s == MRN_OK)
        s = mrn_array(&r->now, r->n, sizeof *r->now, msg);
    if (s == MRN_OK)
        s = mrn_array(&r->end, r->n, sizeof *r->end, msg);
    if (s == MRN_OK)
        s = mrn_array(&r->begin, scene->n_stages, sizeof *r->begin, msg);
    if (s == MRN_OK)
        s = mrn_array(&r->over, scene->n_stages, sizeof *r->over, msg);
    if (s != MRN_OK)
        return s;
    for (int i = 0, k = 0; i < c->n_targets; i++)
        if (c->target[i].test == test) {
            r->target[k] = i;
            r->end[k] = NAN;
            memcpy(r->probe[k++], c->target[i].probe, sizeof *r->probe);
        }
    for (int k = 0; k < scene->n_stages; k++) {
        r->begin[k] = r->over[k] = NAN;
        r->total += mrn_stage_longest(&scene->stage[k]);
    }
    return MRN_OK;
}

static void fill_words(mrn_virtual_run *run, const mrn_message *msg)
{
    const char *text = msg->text[0] != '\0' ? msg->text : mrn_status_text(run->status);
    snprintf(run->words, sizeof run->words, "%.199s", text);
}

/* What the scene is read from is shared: one at a time. */
static mrn_status read_scene(batch *b, const mrn_virtual_run *run, mrn_scene *scene,
                             mrn_message *msg)
{
    omp_set_lock(&b->reading);
    mrn_status s =
        mrn_virtual_scene(b->c, run->test, run->x, run->seed, b->units, scene, NULL, msg);
    omp_unset_lock(&b->reading);
    return s;
}

/* MRN_OK, whatever becomes of the run, unless memory ends. */
static mrn_status run_one(batch *b, int64_t at, mrn_virtual_run *run)
{
    mrn_scene scene;
    mrn_message msg = {0};
    recorder r = {.b = b, .run = run, .at = at, .last_step = -1};
    mrn_run_result result = {0};
    mrn_run_options opt = mrn_run_default();
    double begin = mrn_clock();
    run->status = read_scene(b, run, &scene, &msg);
    if (run->status == MRN_OK)
        run->status = prepare(&r, &scene, &msg);
    if (run->status == MRN_OK) {
        opt.stop = b->watch != NULL ? b->watch->stop : NULL;
        opt.sample = sample;
        opt.progress = progress;
        opt.user = &r;
        run->status = mrn_run(&scene, &opt, &result, &msg);
    }
    run->steps = result.steps;
    run->seconds = mrn_clock() - begin;
    if (r.failed)
        run->status = mrn_fail_memory(&msg);
    bool counts = run->status == MRN_OK || run->status == MRN_AT_MOST;
    for (int k = 0; k < r.n && counts; k++)
        run->y[r.target[k]] = target_value(&r, k);
    if (run->status != MRN_OK)
        fill_words(run, &msg);
    release(&r);
    mrn_scene_destroy(&scene);
    return run->status == MRN_ERR_MEMORY ? MRN_ERR_MEMORY : MRN_OK;
}

/* ---- all of them ---- */

static void clear(const mrn_calibration *c, mrn_virtual_run *run)
{
    for (int k = 0; k < c->n_targets; k++)
        run->y[k] = NAN;
    run->status = MRN_INTERRUPTED;
    run->steps = 0;
    run->seconds = 0;
    snprintf(run->words, sizeof run->words, "%s", mrn_status_text(MRN_INTERRUPTED));
}

/* A run that was stopped has no end: it is not given. */
static mrn_status next_run(batch *b, int64_t at, mrn_virtual_run *run)
{
    if (asked_to_stop(b->watch))
        return MRN_OK;
    run->words[0] = '\0';
    mrn_status s = run_one(b, at, run);
    if (s != MRN_OK || run->status == MRN_INTERRUPTED)
        return s;
    tell_progress(b, at, 1, true);
    if (b->watch != NULL && b->watch->done != NULL) {
        omp_set_lock(&b->telling);
        b->watch->done(b->watch->user, run);
        omp_unset_lock(&b->telling);
    }
    return MRN_OK;
}

/* The BLAS of the quasi-static method is set to use one thread, once for all of them: each would
   put back what it found while others are under way. */
mrn_status mrn_side_by_side(int64_t n, mrn_status (*one)(void *user, int64_t i), void *user)
{
    mrn_blas_threads hold = mrn_blas_begin();
    mrn_status worst = MRN_OK;
    int threads = mrn_threads();
    omp_set_max_active_levels(1);
    threads = n < threads ? (int)n : threads;
#pragma omp parallel num_threads(threads) if (n > 1)
    {
        int before = mrn_threads();
        mrn_threads_set(1);
#pragma omp for schedule(dynamic, 1)
        for (int64_t i = 0; i < n; i++) {
            mrn_status s = one(user, i);
            if (s != MRN_OK) {
#pragma omp critical
                worst = s;
            }
        }
        mrn_threads_set(before);
    }
    mrn_blas_end(hold);
    return worst;
}

static mrn_status run_next(void *user, int64_t i)
{
    batch *b = user;
    return next_run(b, i, &b->run[i]);
}

static mrn_status run_all(batch *b)
{
    omp_init_lock(&b->reading);
    omp_init_lock(&b->telling);
    mrn_status worst = mrn_side_by_side(b->n, run_next, b);
    omp_destroy_lock(&b->reading);
    omp_destroy_lock(&b->telling);
    return worst;
}

static mrn_status check_runs(const mrn_calibration *c, const mrn_virtual_run *run, int64_t n,
                             mrn_message *msg)
{
    for (int64_t i = 0; i < n; i++)
        if (run[i].test < 0 || run[i].test >= c->n_tests)
            return mrn_fail(msg, MRN_ERR_RANGE, "run %" PRId64 " is of test %d; there are %d", i,
                            run[i].test, c->n_tests);
    return MRN_OK;
}

mrn_status mrn_virtual_runs(const mrn_calibration *c, mrn_virtual_run *run, int64_t n,
                            const mrn_virtual_watch *watch, mrn_message *msg)
{
    batch b = {.c = c, .watch = watch, .run = run, .n = n, .predicted = mrn_clock()};
    mrn_status s = check_runs(c, run, n, msg);
    if (s != MRN_OK || n == 0)
        return s;
    for (int64_t i = 0; i < n; i++)
        clear(c, &run[i]);
    s = mrn_array(&b.fraction, n, sizeof *b.fraction, msg);
    if (s == MRN_OK)
        s = mrn_units_open(&b.units, msg);
    if (s == MRN_OK && (s = run_all(&b)) != MRN_OK)
        s = mrn_fail_memory(msg);
    mrn_units_close(&b.units);
    mrn_free(b.fraction);
    if (s != MRN_OK || !asked_to_stop(watch))
        return s;
    for (int64_t i = 0; i < n; i++)
        if (run[i].status == MRN_INTERRUPTED)
            return mrn_fail(msg, MRN_INTERRUPTED, "stopped, with runs still to be made");
    return MRN_OK;
}
