/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine bench, continued: steps of an engine against the clock. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

/* What a method counts: collisions where it has no step, increments where time is none. */
static double counted(const mrn_engine *e)
{
    if (e->method->continuous)
        return e->state->event.collisions + e->state->event.at_walls;
    mrn_step_times t = mrn_engine_times(e);
    return (double)(e->method->physical_time ? t.body_steps : t.steps);
}

static const char *unit_of(const mrn_method *m)
{
    return m->continuous ? "collisions" : m->physical_time ? "body-steps" : "increments";
}

/* Seconds of the processor with one thread, so that what else the machine does counts little; of
   the clock with several. */
static double seconds(int threads)
{
    struct timespec t;
    if (threads > 1 || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0)
        return mrn_clock();
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static mrn_status go_on(mrn_engine *e, int64_t n, mrn_message *msg)
{
    mrn_status status = mrn_engine_step(e, n, msg);
    return status == MRN_NOT_CONVERGED && e->method->physical_time ? MRN_OK : status;
}

/* Steps until so much time has gone by; how many would take as long again. Smooth steps come in
   hundreds to a call, and what a call begins and ends with must not count for more than it does in
   a run. */
static mrn_status warm_up(mrn_engine *e, int threads, double time, int64_t *fit, mrn_message *msg)
{
    const int64_t least = strcmp(e->method->name, "smooth") == 0 ? 64 : 1;
    mrn_status status = go_on(e, 1, msg); /* lists and forces are made in it */
    double begun = seconds(threads), now = begun;
    int64_t done = 0;
    for (int64_t n = 1; status == MRN_OK && now - begun < time; n *= 2) {
        status = go_on(e, n, msg);
        done += n;
        now = seconds(threads);
    }
    *fit = done > 0 && now > begun ? (int64_t)((double)done * time / (now - begun)) : 1;
    *fit = *fit > least ? *fit : least;
    return status;
}

static void fill_parts(const mrn_engine *e, const mrn_step_times *from, mrn_speed_row *row)
{
    mrn_step_times to = mrn_engine_times(e);
    double sum = 0;
    for (int p = 0; p < MRN_STEP_PARTS; p++) {
        row->part[p] = mrn_step_part_seconds(&to, (mrn_step_part)p) -
                       mrn_step_part_seconds(from, (mrn_step_part)p);
        sum += row->part[p];
    }
    double sweeps = (double)(to.contact_sweeps - from->contact_sweeps);
    row->sweeps =
        sweeps > 0 && row->part[MRN_STEP_SOLVE] > 0 ? sweeps / row->part[MRN_STEP_SOLVE] : NAN;
    for (int p = 0; p < MRN_STEP_PARTS; p++)
        row->part[p] = sum > 0 ? row->part[p] / sum : 0;
}

static mrn_status stretches(mrn_engine *e, int64_t n, mrn_speed_row *row, mrn_message *msg)
{
    double rate[MRN_BENCH_STRETCHES], step[MRN_BENCH_STRETCHES];
    mrn_status status = MRN_OK;
    mrn_step_times from = mrn_engine_times(e);
    for (int k = 0; status == MRN_OK && k < MRN_BENCH_STRETCHES; k++) {
        double before = counted(e), t = seconds(row->threads);
        status = go_on(e, n, msg);
        t = seconds(row->threads) - t;
        rate[k] = (counted(e) - before) / t;
        step[k] = t / (double)n;
        if (k == 0) /* what shorter calls left behind is gone */
            mrn_bytes_peak_reset();
    }
    if (status != MRN_OK)
        return status;
    qsort(rate, MRN_BENCH_STRETCHES, sizeof *rate, by_value);
    qsort(step, MRN_BENCH_STRETCHES, sizeof *step, by_value);
    row->steps = n * MRN_BENCH_STRETCHES;
    row->lowest = rate[0], row->highest = rate[MRN_BENCH_STRETCHES - 1];
    row->rate = rate[MRN_BENCH_STRETCHES / 2];
    row->step = e->method->continuous ? NAN : step[MRN_BENCH_STRETCHES / 2];
    fill_parts(e, &from, row);
    return MRN_OK;
}

mrn_status mrn_speed_measure(mrn_speed_world *w, int threads, double time, mrn_speed_row *row,
                             mrn_message *msg)
{
    mrn_engine e = {0};
    int64_t n = 1;
    *row = (mrn_speed_row){.method = w->scene.method,
                           .grains = w->s.body.n - w->s.body.n_walls,
                           .threads = mrn_threads_set(threads),
                           .unit = unit_of(w->scene.method)};
    mrn_status status = mrn_engine_create(&w->scene, &w->s, NULL, &e, msg);
    if (status == MRN_OK)
        status = warm_up(&e, row->threads, time / MRN_BENCH_STRETCHES, &n, msg);
    if (status == MRN_OK)
        status = stretches(&e, n, row, msg);
    double grains = row->grains > 0 ? (double)row->grains : 1;
    row->bytes = (double)(mrn_bytes_peak() - w->before) / grains;
    row->contacts = (double)w->s.contacts / grains;
    mrn_engine_destroy(&e);
    return status;
}
