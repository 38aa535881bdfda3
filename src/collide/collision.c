/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collisions in batches: those under one law go together, each is refined until it is exact enough
   by itself. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "collide/encounter.h"

#define LEAST_STEPS 64 /* per expected contact time */
#define MOST_STEPS  (1 << 20)
#define LEAST_CHUNK 64 /* collisions that go together: enough that vectors are full */

/* ---- refinement of steps of one length ---- */

/* Where the refinement of one collision stands. */
typedef struct refine {
    mrn_outcome last, sum; /* with the finest step; extrapolated from the two finest */
    double moved;          /* by the last halving */
    int levels;
} refine;

/* Error of second order taken out of two outcomes, steps h and h/2. */
static void extrapolate(const mrn_outcome *coarse, const mrn_outcome *fine, mrn_outcome *out)
{
    *out = *fine;
    for (int i = 0; i < 3; i++) {
        out->q[i] += (fine->q[i] - coarse->q[i]) / 3;
        out->v[i] += (fine->v[i] - coarse->v[i]) / 3;
        for (int k = 0; k < 2; k++)
            out->w[k][i] += (fine->w[k][i] - coarse->w[k][i]) / 3;
    }
    out->time += (fine->time - coarse->time) / 3;
    out->force += (fine->force - coarse->force) / 3;
    out->overlap += (fine->overlap - coarse->overlap) / 3;
}

/* Where the force jumps the steps are of first order, with a factor that depends on where in a step
   it does: nothing to extrapolate, and a small change may be luck. Two halvings must agree. */
static bool refined_roughly(refine *r, const mrn_encounter *e, const mrn_outcome *fine,
                            double accuracy)
{
    double moved = r->levels > 0 ? mrn_outcome_distance(e, fine, &r->last) : INFINITY;
    double error = r->levels > 1 ? fmax(moved, 0.5 * r->moved) : INFINITY;
    r->last = r->sum = *fine;
    r->sum.error = error;
    r->moved = moved;
    r->levels++;
    return error <= accuracy;
}

/* A finer outcome has come; true: exact enough. */
static bool refined(refine *r, const mrn_encounter *e, const mrn_outcome *fine, double accuracy)
{
    if (e->reset)
        return refined_roughly(r, e, fine, accuracy);
    mrn_outcome sum = *fine;
    double error = INFINITY;
    if (r->levels > 0)
        extrapolate(&r->last, fine, &sum);
    if (r->levels > 1)
        error = mrn_outcome_distance(e, &sum, &r->sum);
    r->last = *fine;
    r->sum = sum;
    r->sum.error = error;
    r->levels++;
    return error <= accuracy;
}

/* The step is a power of two parts of a second: collisions whose times are near share it. */
static double step_of(const mrn_encounter *e, int steps)
{
    int power;
    (void)frexp(e->time / steps, &power);
    return ldexp(1, power - 1);
}

/* ---- a run of collisions under one law ---- */

/* What steps of one length need. */
typedef struct series {
    mrn_stepper *stepper;
    refine state[MRN_BLOCK];
    const mrn_encounter *e[MRN_BLOCK]; /* those of one step, side by side */
    mrn_outcome *out[MRN_BLOCK];
    mrn_outcome fine[MRN_BLOCK];
    int at[MRN_BLOCK];
} series;

/* What a thread needs. */
typedef struct scratch {
    mrn_collision_path *flow;
    series *series; /* NULL: nothing is done in steps */
} scratch;

/* Of those not done, all that take the step of the first go together. Returns how many. */
static int gather(series *b, const mrn_encounter *e, const bool *done, bool *taken, int n,
                  int steps)
{
    double h = 0;
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (done[i] || taken[i] || (count > 0 && step_of(&e[i], steps) != h))
            continue;
        h = step_of(&e[i], steps);
        taken[i] = true;
        b->e[count] = &e[i];
        b->out[count] = &b->fine[count];
        b->at[count++] = i;
    }
    return count;
}

/* Those marked done are left as they are. */
static void run_steps(series *b, const mrn_encounter *e, int n, double accuracy, bool *done,
                      mrn_outcome *out)
{
    int left = 0;
    for (int i = 0; i < n; i++)
        left += !done[i];
    memset(b->state, 0, sizeof b->state);
    for (int steps = LEAST_STEPS; left > 0 && steps <= MOST_STEPS; steps *= 2) {
        bool taken[MRN_BLOCK] = {false};
        for (int count; (count = gather(b, e, done, taken, n, steps)) > 0;) {
            mrn_stepper_run(b->stepper, b->e, count, step_of(b->e[0], steps), b->out, NULL);
            for (int k = 0; k < count; k++) {
                int i = b->at[k];
                done[i] = refined(&b->state[i], &e[i], &b->fine[k], accuracy);
                left -= done[i];
                out[i] = b->state[i].sum;
            }
        }
    }
}

/* ---- the batch ---- */

/* All that mrn_collide keeps. Collisions under one law make a run, runs make a chunk, which is what
   a thread takes. Of a chunk, those that can be done stand side by side at its front. */
typedef struct batch {
    const mrn_collision *c;
    int64_t n, runs, chunks;
    double accuracy;
    int64_t *first;    /* of each run, and the end                       */
    int64_t *chunk;    /* first run of each chunk, and the end           */
    int64_t *ready;    /* of each chunk: how many can be done            */
    int64_t *index;    /* n: which collision stands here                 */
    bool *done;        /* n: of those                                    */
    mrn_prepared *law; /* of each run                                    */
    mrn_encounter *e;  /* n                                              */
    mrn_outcome *outcome;
    mrn_status *status;
    scratch **of; /* of each thread */
    int threads;
} batch;

static void release(batch *b)
{
    for (int t = 0; b->of != NULL && t < b->threads; t++) {
        if (b->of[t] != NULL) {
            if (b->of[t]->series != NULL)
                mrn_stepper_destroy(&b->of[t]->series->stepper);
            mrn_free(b->of[t]->series);
            mrn_collision_path_destroy(&b->of[t]->flow);
        }
        mrn_free(b->of[t]);
    }
    void *all[] = {b->of,   b->first, b->chunk, b->ready,   b->index,
                   b->done, b->law,   b->e,     b->outcome, b->status};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        mrn_free(all[k]);
}

/* Whether a law must be asked through a block. */
static bool needs_block(const batch *b)
{
    bool lanes = true;
    for (int64_t run = 0; lanes && run < b->runs; run++)
        lanes = mrn_collision_path_lanes(b->c[b->first[run]].model.part);
    return !lanes;
}

static mrn_status take_benches(batch *b, mrn_message *msg)
{
    bool block = needs_block(b);
    b->threads = (int)(b->chunks < mrn_threads() ? b->chunks : mrn_threads());
    mrn_status s = mrn_array(&b->of, b->threads, sizeof *b->of, msg);
    for (int t = 0; s == MRN_OK && t < b->threads; t++) {
        s = mrn_array(&b->of[t], 1, sizeof *b->of[t], msg);
        if (s == MRN_OK)
            s = mrn_collision_path_create(&b->of[t]->flow, block, msg);
    }
    return s;
}

/* What only those need that are done in steps. */
static mrn_status take_steppers(batch *b, mrn_message *msg)
{
    mrn_status s = MRN_OK;
    for (int t = 0; s == MRN_OK && t < b->threads; t++) {
        s = mrn_array(&b->of[t]->series, 1, sizeof *b->of[t]->series, msg);
        if (s == MRN_OK)
            s = mrn_stepper_create(&b->of[t]->series->stepper, msg);
    }
    return s;
}

/* Collisions of a chunk: all with one thread; else a few chunks for each, so that none waits long
   for the last. No answer depends on it. */
static int64_t chunk_size(int64_t n)
{
    int threads = mrn_threads();
    int64_t part = n / (4 * threads);
    return threads == 1 ? n : part > LEAST_CHUNK ? part : LEAST_CHUNK;
}

/* Neighbours under one law make a run, at most a block long. */
static void find_runs(batch *b)
{
    const mrn_param *param[MRN_PARAM_MAX];
    int n_params = 0;
    int64_t most = chunk_size(b->n);
    most = most < MRN_BLOCK ? most : MRN_BLOCK;
    b->runs = 0;
    for (int64_t i = 0; i < b->n; i++) {
        bool more = i > 0 && i - b->first[b->runs - 1] < most &&
                    mrn_collision_alike(&b->c[i - 1], &b->c[i], n_params);
        if (more)
            continue;
        n_params = mrn_law_model_params(&b->c[i].model, param);
        b->first[b->runs++] = i;
    }
    b->first[b->runs] = b->n;
}

static void find_chunks(batch *b)
{
    int64_t most = chunk_size(b->n);
    b->chunks = 0;
    for (int64_t run = 0; run < b->runs; run++)
        if (b->chunks == 0 || b->first[run + 1] - b->first[b->chunk[b->chunks - 1]] > most)
            b->chunk[b->chunks++] = run;
    b->chunk[b->chunks] = b->runs;
}

static mrn_status build(batch *b, mrn_message *msg)
{
    mrn_status s = mrn_array(&b->first, b->n + 1, sizeof *b->first, msg);
    if (s == MRN_OK)
        find_runs(b);
    if (s == MRN_OK)
        s = mrn_array(&b->chunk, b->runs + 1, sizeof *b->chunk, msg);
    if (s == MRN_OK)
        find_chunks(b);
    if (s == MRN_OK)
        s = mrn_array(&b->law, b->runs, sizeof *b->law, msg);
    if (s == MRN_OK)
        s = mrn_array(&b->ready, b->chunks, sizeof *b->ready, msg);
    if (s == MRN_OK)
        s = mrn_array(&b->index, b->n, sizeof *b->index, msg);
    if (s == MRN_OK)
        s = mrn_array(&b->done, b->n, sizeof *b->done, msg);
    if (s == MRN_OK)
        s = mrn_array(&b->e, b->n, sizeof *b->e, msg);
    if (s == MRN_OK)
        s = mrn_array(&b->outcome, b->n, sizeof *b->outcome, msg);
    if (s == MRN_OK)
        s = mrn_array(&b->status, b->n, sizeof *b->status, msg);
    return s == MRN_OK ? take_benches(b, msg) : s;
}

static void nothing(mrn_rebound *r)
{
    memset(r, 0, sizeof *r);
    for (int i = 0; i < mrn_rebound_field_count(); i++) {
        double none = NAN;
        memcpy((char *)r + mrn_rebound_field_at(i)->offset, &none, sizeof none);
    }
    r->error = INFINITY;
}

/* Results of what stands at a place. */
static void tell(batch *b, int64_t at, mrn_rebound *out)
{
    int64_t i = b->index[at];
    if (!(b->outcome[at].error <= b->accuracy))
        b->status[i] = MRN_NOT_CONVERGED;
    mrn_rebound_fill(&b->e[at], &b->outcome[at], &out[i]);
}

/* Makes collision i ready to stand at a place; true: it does. A jump is done at once. Messages are
   made later, of the first that failed. */
static bool ready(batch *b, int64_t i, const mrn_prepared *law, int64_t at, mrn_rebound *out)
{
    mrn_encounter *e = &b->e[at];
    bool hard = law->part[MRN_LAW_NORMAL]->rigid_only;
    b->status[i] = mrn_collision_check_motion(&b->c[i], NULL);
    if (b->status[i] == MRN_OK)
        mrn_encounter_make(&b->c[i], law, e);
    if (b->status[i] == MRN_OK && hard)
        b->status[i] = mrn_hard_sphere(&b->c[i], &b->outcome[at], NULL);
    else if (b->status[i] == MRN_OK && !(e->time > 0 && isfinite(e->time)))
        b->status[i] = MRN_ERR_INPUT;
    if (b->status[i] != MRN_OK)
        nothing(&out[i]);
    b->index[at] = i;
    if (b->status[i] == MRN_OK && hard)
        tell(b, at, out);
    return b->status[i] == MRN_OK && !hard;
}

/* Returns the place after the last of the run. */
static int64_t ready_run(batch *b, int64_t run, int64_t to, mrn_rebound *out)
{
    mrn_prepared *law = &b->law[run];
    mrn_status s = mrn_collision_prepare(&b->c[b->first[run]], law, NULL);
    for (int64_t i = b->first[run]; i < b->first[run + 1]; i++) {
        if (s == MRN_OK) {
            to += ready(b, i, law, to, out);
        } else {
            b->status[i] = s;
            nothing(&out[i]);
        }
    }
    return to;
}

static int64_t place_of(const batch *b, int64_t chunk)
{
    return b->first[b->chunk[chunk]];
}

static void do_chunk(batch *b, scratch *with, int64_t chunk, mrn_rebound *out)
{
    int64_t from = place_of(b, chunk), to = from;
    for (int64_t run = b->chunk[chunk]; run < b->chunk[chunk + 1]; run++)
        to = ready_run(b, run, to, out);
    b->ready[chunk] = to - from;
    mrn_collision_path_run(with->flow, &b->e[from], to - from, b->accuracy, &b->done[from],
                           &b->outcome[from]);
    for (int64_t at = from; at < to; at++) {
        if (b->done[at])
            tell(b, at, out);
        else
            nothing(&out[b->index[at]]);
    }
}

/* Those of a chunk that are left, law by law. */
static void step_chunk(batch *b, scratch *with, int64_t chunk, mrn_rebound *out)
{
    int64_t from = place_of(b, chunk), end = from + b->ready[chunk];
    for (int64_t to; from < end; from = to) {
        bool left[MRN_BLOCK], done[MRN_BLOCK];
        for (to = from; to < end && b->e[to].law == b->e[from].law; to++)
            left[to - from] = !(done[to - from] = b->done[to]);
        run_steps(with->series, &b->e[from], (int)(to - from), b->accuracy, done,
                  &b->outcome[from]);
        for (int64_t at = from; at < to; at++)
            if (left[at - from])
                tell(b, at, out);
    }
}

static bool any_left(const batch *b)
{
    bool left = false;
    for (int64_t chunk = 0; chunk < b->chunks; chunk++)
        for (int64_t k = 0; k < b->ready[chunk]; k++)
            left = left || !b->done[place_of(b, chunk) + k];
    return left;
}

static mrn_status do_batch(batch *b, mrn_rebound *out, mrn_message *msg)
{
#pragma omp parallel for schedule(dynamic) num_threads(b->threads) if (b->chunks > 1)
    for (int64_t chunk = 0; chunk < b->chunks; chunk++)
        do_chunk(b, b->of[omp_get_thread_num()], chunk, out);
    if (!any_left(b))
        return MRN_OK;
    mrn_status s = take_steppers(b, msg);
    if (s != MRN_OK)
        return s;
#pragma omp parallel for schedule(dynamic) num_threads(b->threads) if (b->chunks > 1)
    for (int64_t chunk = 0; chunk < b->chunks; chunk++)
        step_chunk(b, b->of[omp_get_thread_num()], chunk, out);
    return MRN_OK;
}

/* The worst, with the words of the first that has it. */
static mrn_status verdict(const batch *b, const mrn_rebound *out, mrn_message *msg)
{
    mrn_status worst = MRN_OK;
    int64_t at = 0;
    for (int64_t i = 0; i < b->n; i++) {
        mrn_status s = b->status[i];
        if (worst >= 0 && (s < 0 || s > worst))
            worst = s, at = i;
    }
    if (worst == MRN_NOT_CONVERGED) {
        mrn_fail(msg, worst, "collision %lld is known to %.2g only, where %.2g was asked for",
                 (long long)at + 1, out[at].error, b->accuracy);
        mrn_fail_hint(msg, "ask for less accuracy");
    } else if (worst < 0) {
        worst = mrn_collision_check(&b->c[at], msg);
    }
    return worst;
}

mrn_status mrn_collide(const mrn_collision *c, int64_t n, double accuracy, mrn_rebound *out,
                       mrn_status *status, mrn_message *msg)
{
    if (!(accuracy >= 1e-12 && accuracy <= 1e-2)) {
        mrn_fail(msg, MRN_ERR_RANGE, "an accuracy of %g is asked for", accuracy);
        return mrn_fail_expected(msg, "a number from 1e-12 to 1e-2");
    }
    if (n <= 0)
        return MRN_OK;
    batch b = {.c = c, .n = n, .accuracy = accuracy};
    mrn_status s = build(&b, msg);
    if (s == MRN_OK)
        s = do_batch(&b, out, msg);
    if (s == MRN_OK) {
        if (status != NULL)
            memcpy(status, b.status, (size_t)n * sizeof *status);
        s = verdict(&b, out, msg);
    }
    release(&b);
    return s;
}

/* ---- history ---- */

typedef struct record {
    mrn_collision_row *row;
    int n, room;
    int64_t every, seen;
} record;

static void see(void *user, const mrn_collision_row *row)
{
    record *r = user;
    if (r->seen++ % r->every == 0 && r->n < r->room)
        r->row[r->n++] = *row;
}

/* Steps of a history, at least: finer than any eye. */
#define FINE 8192

static mrn_status watch(const mrn_collision *c, const mrn_rebound *r, record *rec, mrn_message *msg)
{
    mrn_prepared law;
    mrn_encounter e;
    mrn_outcome o, *out = &o;
    const mrn_encounter *in = &e;
    mrn_stepper *stepper = NULL;
    mrn_status s = mrn_collision_prepare(c, &law, msg);
    if (s == MRN_OK)
        s = mrn_stepper_create(&stepper, msg);
    if (s != MRN_OK)
        return s;
    mrn_encounter_make(c, &law, &e);
    int rows = rec->room - 2;
    rec->every = (FINE + rows - 1) / rows;
    mrn_watcher w = {see, rec};
    mrn_stepper_run(stepper, &in, 1, r->contact_time / ((double)rows * (double)rec->every), &out,
                    &w);
    mrn_stepper_destroy(&stepper);
    return MRN_OK;
}

/* The end: the ball as it leaves. */
static void last_row(const mrn_collision *c, const mrn_rebound *r, record *rec)
{
    mrn_collision_row *row = &rec->row[rec->n++];
    *row = rec->n > 1 ? row[-1] : (mrn_collision_row){0};
    row->time = r->contact_time;
    double both =
        c->radius[0] * r->spin[0][1] + (isinf(c->radius[1]) ? 0 : c->radius[1]) * r->spin[1][1];
    for (int i = 0; i < 3; i++) {
        row->velocity[i] = r->velocity[0][i] - r->velocity[1][i];
        row->spin[i] = r->spin[0][i];
    }
    row->slip[0] = row->velocity[0] - both;
    if (r->stuck)
        return;
    row->fn = row->ft[0] = row->ft[1] = row->stored = 0;
    row->rate = -row->velocity[2];
}

mrn_status mrn_collide_history(const mrn_collision *c, double accuracy, int rows, mrn_rebound *out,
                               mrn_collision_row **history, int *n, mrn_message *msg)
{
    *history = NULL;
    *n = 0;
    mrn_status s = mrn_collide(c, 1, accuracy, out, NULL, msg);
    if (s < 0 || c->model.part[MRN_LAW_NORMAL]->rigid_only)
        return s;
    record rec = {.room = (rows < 2 ? 2 : rows) + 2};
    mrn_status t = mrn_array(&rec.row, rec.room, sizeof *rec.row, msg);
    if (t == MRN_OK)
        t = watch(c, out, &rec, msg);
    if (t != MRN_OK) {
        mrn_free(rec.row);
        return t;
    }
    rec.n -= rec.n > 0 && rec.row[rec.n - 1].time >= out->contact_time * (1 - 1e-9);
    last_row(c, out, &rec);
    *history = rec.row;
    *n = rec.n;
    return s;
}
