/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points of a calibration and their runs: asked for, run or remembered, averaged.

   A run is known by its test, its parameters and its seed, bit by bit. The seed comes from the
   calibration's, the test, the bits of the parameters and how many runs of that test there were at
   them: not from the number of the point, so that designs of other lengths, or for other
   measurements, find the runs they share with earlier ones. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "calibrate/calibrate.h"
#include "inference/design.h"

static bool same_bits(const double *a, const double *b, int n)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

bool mrn_virtual_run_counts(const mrn_virtual_run *r)
{
    return r->status == MRN_OK || r->status == MRN_AT_MOST;
}

/* ---- points ---- */

mrn_status mrn_calibrating_point(mrn_calibrating *k, const double *x, int64_t *point)
{
    mrn_calibrated *o = k->out;
    int64_t at = 0, n = k->n, m = k->m;
    while (at < o->n_points && !same_bits(&o->x[at * n], x, k->n))
        at++;
    *point = at;
    if (at < o->n_points)
        return MRN_OK;
    if (mrn_grow(&o->x, &k->room[2], (at + 1) * n, sizeof(double)) != MRN_OK ||
        mrn_grow(&o->y, &k->room[3], (at + 1) * m, sizeof(double)) != MRN_OK ||
        mrn_grow(&o->variance, &k->room[4], (at + 1) * m, sizeof(double)) != MRN_OK)
        return mrn_fail_memory(k->msg);
    memcpy(&o->x[at * n], x, (size_t)n * sizeof *x);
    for (int64_t i = 0; i < m; i++)
        o->y[at * m + i] = o->variance[at * m + i] = NAN;
    o->n_points++;
    return MRN_OK;
}

bool mrn_calibrating_barred(const mrn_calibrating *k, const double *x)
{
    const mrn_calibrated *o = k->out;
    double nearest = INFINITY;
    bool barred = false;
    for (int64_t i = 0; i < o->n_points && k->failed > 0; i++) {
        double square = 0;
        bool lacks = false;
        for (int j = 0; j < k->n; j++) {
            double d = mrn_box_place(&k->p[j], x[j]) - mrn_box_place(&k->p[j], o->x[i * k->n + j]);
            square += d * d;
        }
        for (int t = 0; t < k->m; t++)
            lacks = lacks || isnan(o->y[i * k->m + t]);
        if (square < nearest || (square == nearest && !lacks)) {
            nearest = square;
            barred = lacks;
        }
    }
    return barred;
}

/* ---- runs ---- */

static uint64_t seed_of(const mrn_calibrating *k, int test, const double *x, uint64_t replicate)
{
    uint64_t number[3] = {k->c->seed, (uint64_t)test, replicate};
    uint64_t h = mrn_hash(MRN_HASH_START, number, sizeof number);
    h = mrn_hash(h, x, (size_t)k->n * sizeof *x);
    mrn_rng r = mrn_rng_seed(h, 0);
    return mrn_rng_next(&r) >> 11; /* 53 bits: any program reads them */
}

static uint64_t runs_there(const mrn_calibrating *k, int test, const double *x)
{
    uint64_t count = 0;
    for (int64_t i = 0; i < k->out->n_runs; i++) {
        const mrn_virtual_run *r = &k->out->run[i];
        count += r->test == test && same_bits(r->x, x, k->n);
    }
    return count;
}

static mrn_status add_run(mrn_calibrating *k, int test, const double *x, int64_t point)
{
    mrn_calibrated *o = k->out;
    int64_t need = o->n_runs + 1;
    mrn_virtual_run r = {.test = test, .status = MRN_INTERRUPTED};
    if (mrn_grow(&o->run, &k->room[0], need, sizeof *o->run) != MRN_OK ||
        mrn_grow(&k->of, &k->room[1], need, sizeof *k->of) != MRN_OK)
        return mrn_fail_memory(k->msg);
    r.seed = seed_of(k, test, x, runs_there(k, test, x));
    r.x = mrn_alloc((size_t)k->n * sizeof(double));
    r.y = mrn_alloc((size_t)k->m * sizeof(double));
    if (r.x == NULL || r.y == NULL) {
        mrn_free(r.x);
        mrn_free(r.y);
        return mrn_fail_memory(k->msg);
    }
    memcpy(r.x, x, (size_t)k->n * sizeof *x);
    for (int t = 0; t < k->m; t++)
        r.y[t] = NAN;
    k->of[o->n_runs] = point;
    o->run[o->n_runs++] = r;
    return MRN_OK;
}

mrn_status mrn_calibrating_ask(mrn_calibrating *k, const double *x, int64_t point, int count)
{
    for (int test = 0; test < k->c->n_tests; test++)
        for (int i = 0; i < count; i++)
            MRN_FIT_TRY(add_run(k, test, x, point));
    return MRN_OK;
}

/* What would come out the same again. A run that was stopped, or ended for want of memory or disk,
   would not. */
static bool settled(mrn_status s)
{
    return s != MRN_INTERRUPTED && s != MRN_ERR_MEMORY && s != MRN_ERR_IO;
}

static bool remember(const mrn_calibrating *k, mrn_virtual_run *r)
{
    for (int64_t i = 0; i < k->opt->n_known; i++) {
        const mrn_virtual_run *o = &k->opt->known[i];
        if (o->test != r->test || o->seed != r->seed || !settled(o->status) ||
            !same_bits(o->x, r->x, k->n))
            continue;
        memcpy(r->y, o->y, (size_t)k->m * sizeof *r->y);
        mrn_virtual_run mine = *r;
        *r = *o;
        r->x = mine.x;
        r->y = mine.y;
        return true;
    }
    return false;
}

/* Nothing but values of the run's own targets, and only if it came to its end. */
static void clean(const mrn_calibrating *k, mrn_virtual_run *r)
{
    for (int t = 0; t < k->m; t++)
        if (k->c->target[t].test != r->test || !mrn_virtual_run_counts(r) || !isfinite(r->y[t]))
            r->y[t] = NAN;
}

bool mrn_calibrating_stopped(const mrn_calibrating *k)
{
    return k->opt->stop != NULL && *k->opt->stop != 0;
}

mrn_status mrn_calibrating_interrupt(const mrn_calibrating *k)
{
    return mrn_fail(k->msg, MRN_INTERRUPTED, "stopped on request after %lld of %lld runs",
                    (long long)k->out->n_runs, (long long)k->c->runs);
}

/* fraction: of the runs of the call under way */
void mrn_calibrating_progress(const mrn_calibrating *k, double fraction)
{
    double before = (double)(k->out->n_runs - k->asked);
    double done = before + fmax((double)k->ended, fraction * (double)k->asked);
    if (k->opt->progress != NULL)
        k->opt->progress(k->opt->user, k->phase, done, (double)k->c->runs, k->best);
}

static void on_done(void *user, const mrn_virtual_run *r)
{
    mrn_calibrating *k = user;
    k->ended++;
    if (k->opt->ran != NULL && r->status != MRN_INTERRUPTED)
        k->opt->ran(k->opt->user, r);
    mrn_calibrating_progress(k, 0);
}

static void on_progress(void *user, double fraction)
{
    mrn_calibrating_progress(user, fraction);
}

static mrn_status run_new(mrn_calibrating *k, mrn_virtual_run *run, int64_t n)
{
    mrn_virtual_watch watch = {
        .stop = k->opt->stop, .done = on_done, .progress = on_progress, .user = k};
    mrn_status s = MRN_OK;
    k->asked = n;
    k->ended = 0;
    mrn_calibrating_progress(k, 0);
    if (n > 0)
        s = k->opt->run != NULL ? k->opt->run(k->opt->user, k->c, run, n, &watch, k->msg)
                                : mrn_virtual_runs(k->c, run, n, &watch, k->msg);
    k->asked = k->ended = 0;
    return s;
}

/* Those from `first` on that did not end go; the others close up. */
static void drop_unfinished(mrn_calibrating *k, int64_t first)
{
    mrn_calibrated *o = k->out;
    int64_t keep = first;
    for (int64_t i = first; i < o->n_runs; i++) {
        if (o->run[i].status == MRN_INTERRUPTED) {
            mrn_free(o->run[i].x);
            mrn_free(o->run[i].y);
            continue;
        }
        k->of[keep] = k->of[i];
        o->run[keep++] = o->run[i];
    }
    o->n_runs = keep;
}

static mrn_status run_or_remember(mrn_calibrating *k, int64_t first, mrn_virtual_run *todo,
                                  int64_t *where)
{
    mrn_calibrated *o = k->out;
    int64_t n = 0;
    for (int64_t i = first; i < o->n_runs; i++)
        if (!remember(k, &o->run[i])) {
            todo[n] = o->run[i];
            where[n++] = i;
        }
    mrn_status s = run_new(k, todo, n);
    for (int64_t i = 0; i < n; i++) /* x and y are the same arrays */
        o->run[where[i]] = todo[i];
    return s;
}

mrn_status mrn_calibrating_run(mrn_calibrating *k, int64_t first)
{
    mrn_virtual_run *todo = NULL;
    int64_t *where = NULL, n = k->out->n_runs - first;
    mrn_status s = mrn_array(&todo, n, sizeof *todo, k->msg);
    if (s == MRN_OK)
        s = mrn_array(&where, n, sizeof *where, k->msg);
    if (s == MRN_OK)
        s = run_or_remember(k, first, todo, where);
    mrn_free(todo);
    mrn_free(where);
    if (s == MRN_OK && mrn_calibrating_stopped(k))
        s = MRN_INTERRUPTED;
    if (s == MRN_INTERRUPTED)
        drop_unfinished(k, first);
    for (int64_t i = first; i < k->out->n_runs; i++)
        clean(k, &k->out->run[i]);
    if (s == MRN_INTERRUPTED)
        return mrn_calibrating_interrupt(k);
    return s < 0 ? s : MRN_OK;
}

/* ---- what they say ---- */

/* From the first value on, so that equal values have exactly their mean, and no scatter. */
int64_t mrn_calibrating_gather(const mrn_calibrating *k, int64_t point, int t, double *mean,
                               double *square)
{
    double first = NAN, sum = 0;
    int64_t count = 0;
    *square = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < k->out->n_runs; i++) {
            double y = k->out->run[i].y[t];
            if (k->of[i] != point || isnan(y))
                continue;
            if (pass == 0) {
                first = count++ == 0 ? y : first;
                sum += y - first;
            } else {
                *square += (y - *mean) * (y - *mean);
            }
            if (pass == 0)
                *mean = first + sum / (double)count;
        }
    if (count == 0)
        *mean = NAN;
    return count;
}

static void noise_of(mrn_calibrating *k, int t)
{
    mrn_calibrated *o = k->out;
    double squares = 0;
    int freedom = 0;
    for (int64_t i = 0; i < o->n_points; i++) {
        double mean, square;
        int64_t count = mrn_calibrating_gather(k, i, t, &mean, &square);
        o->y[i * k->m + t] = mean;
        o->variance[i * k->m + t] = (double)count; /* for now */
        squares += square;
        freedom += count > 1 ? (int)count - 1 : 0;
    }
    o->freedom[t] = freedom;
    o->noise[t] = freedom > 0 ? sqrt(squares / freedom) : NAN;
    for (int64_t i = 0; i < o->n_points; i++) {
        double *v = &o->variance[i * k->m + t];
        *v = *v > 0 ? o->noise[t] * o->noise[t] / *v : NAN;
    }
}

void mrn_calibrating_means(mrn_calibrating *k)
{
    const mrn_calibrated *o = k->out;
    for (int t = 0; t < k->m; t++)
        noise_of(k, t);
    bool fitted = o->surrogate != NULL; /* then F at its optimum is what is stated */
    k->failed = 0;
    for (int64_t i = 0; i < o->n_points; i++) {
        double F = 0;
        for (int t = 0; t < k->m; t++) {
            double r = o->y[i * k->m + t] - k->target[t].y;
            F += r * r / k->target[t].variance;
        }
        k->failed += isnan(F);
        k->best = fitted ? k->best : fmin(k->best, F); /* NAN where there is no other */
    }
}
