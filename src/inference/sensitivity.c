/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sensitivity: one parameter at a time, and the elementary effects of Morris (1991). */
#include "inference/sensitivity.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "inference/design.h"

enum { MOST_SETS = 65536, MOST_NUMBERS = 1 << 22 };

int64_t mrn_ask_most(const mrn_predictor *model)
{
    int64_t sets = MOST_NUMBERS / (model->n + model->m);
    return sets < 1 ? 1 : sets > MOST_SETS ? MOST_SETS : sets;
}

mrn_status mrn_ask(const mrn_predictor *model, int64_t count, const double *x, double *y, bool *bad,
                   mrn_message *msg)
{
    int64_t most = mrn_ask_most(model);
    memset(bad, 0, (size_t)count * sizeof *bad);
    for (int64_t at = 0; at < count; at += most) {
        int64_t part = count - at < most ? count - at : most;
        mrn_status s =
            model->predict(model->user, part, x + at * model->n, y + at * model->m, bad + at, msg);
        if (s < 0 || s == MRN_INTERRUPTED)
            return s;
    }
    return MRN_OK;
}

mrn_status mrn_ask_check(const mrn_predictor *model, const mrn_parameter *p, mrn_message *msg)
{
    if (model->n < 1 || model->m < 1 || model->predict == NULL)
        return mrn_fail(msg, MRN_ERR_RANGE, "a model with %d parameters and %d outputs%s", model->n,
                        model->m, model->predict == NULL ? " that predicts nothing" : "");
    return mrn_box_check(p, model->n, msg);
}

/* ---- one at a time ---- */

void mrn_sweeps_release(mrn_sweeps *s)
{
    mrn_free(s->x);
    mrn_free(s->y);
    mrn_free(s->bad);
    mrn_free(s->range);
    *s = (mrn_sweeps){0};
}

static mrn_status sweep_check(const mrn_predictor *model, const mrn_parameter *p,
                              const double *base, int steps, mrn_message *msg)
{
    if (steps < 2)
        return mrn_fail(msg, MRN_ERR_RANGE, "a sweep in %d steps; at least 2", steps);
    mrn_status s = mrn_ask_check(model, p, msg);
    for (int k = 0; k < model->n && s == MRN_OK; k++)
        if (!isfinite(base[k]))
            s = mrn_fail(msg, MRN_ERR_INPUT, "parameter %s: no value to keep it at (%g)", p[k].name,
                         base[k]);
    return s;
}

/* Largest less smallest of response r as parameter k moves; NAN: no answer anywhere. */
static double range_of(const mrn_sweeps *s, int k, int r)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = (int64_t)k * s->steps; i < (int64_t)(k + 1) * s->steps; i++) {
        double y = s->y[i * s->m + r];
        if (!s->bad[i] && isfinite(y))
            lo = fmin(lo, y), hi = fmax(hi, y);
    }
    return hi >= lo ? hi - lo : NAN;
}

static mrn_status sweep(const mrn_predictor *model, const mrn_parameter *p, const double *base,
                        mrn_sweeps *out, double **sets, mrn_message *msg)
{
    int n = out->n, m = out->m, steps = out->steps;
    int64_t count = (int64_t)n * steps;
    mrn_status s;
    if ((s = mrn_array(&out->x, count, sizeof *out->x, msg)) != MRN_OK ||
        (s = mrn_array(&out->y, count * m, sizeof *out->y, msg)) != MRN_OK ||
        (s = mrn_array(&out->bad, count, sizeof *out->bad, msg)) != MRN_OK ||
        (s = mrn_array(&out->range, (int64_t)n * m, sizeof *out->range, msg)) != MRN_OK ||
        (s = mrn_array(sets, count * n, sizeof **sets, msg)) != MRN_OK)
        return s;
    for (int64_t i = 0; i < count; i++) {
        int k = (int)(i / steps), step = (int)(i % steps);
        memcpy(*sets + i * n, base, (size_t)n * sizeof *base);
        out->x[i] = mrn_box_at(&p[k], (double)step / (steps - 1));
        (*sets)[i * n + k] = out->x[i];
    }
    if ((s = mrn_ask(model, count, *sets, out->y, out->bad, msg)) != MRN_OK)
        return s;
    for (int k = 0; k < n; k++)
        for (int r = 0; r < m; r++)
            out->range[k * m + r] = range_of(out, k, r);
    return MRN_OK;
}

mrn_status mrn_sensitivity_sweep(const mrn_predictor *model, const mrn_parameter *p,
                                 const double *base, int steps, mrn_sweeps *out, mrn_message *msg)
{
    *out = (mrn_sweeps){0};
    mrn_status s = sweep_check(model, p, base, steps, msg);
    if (s != MRN_OK)
        return s;
    double *sets = NULL;
    *out = (mrn_sweeps){.n = model->n, .m = model->m, .steps = steps};
    s = sweep(model, p, base, out, &sets, msg);
    mrn_free(sets);
    if (s != MRN_OK)
        mrn_sweeps_release(out);
    return s;
}

/* ---- Morris ---- */

/* Levels 0, 1/7, … 1 and steps of 4/7: with an even number of levels and a step of half of them
   every level is as likely as any other (Morris). */
enum { LEVELS = 8, HALF = LEVELS / 2 };
#define STEP ((double)HALF / (LEVELS - 1))

/* Trajectories: r of n + 1 points, each a step of one parameter from the one before. */
typedef struct walk {
    const mrn_predictor *model;
    const mrn_parameter *p;
    int r;
    int *which;    /* r * n: parameter that moves                           */
    int *state;    /* n * r: where and which way it does, of LEVELS ways    */
    double *x, *y; /* r * (n + 1) points                                    */
    bool *bad;
} walk;

static void walk_release(walk *w)
{
    mrn_free(w->which);
    mrn_free(w->state);
    mrn_free(w->x);
    mrn_free(w->y);
    mrn_free(w->bad);
}

static mrn_status walk_make(walk *w, mrn_message *msg)
{
    int64_t n = w->model->n, points = w->r * (n + 1);
    mrn_status s;
    if ((s = mrn_array(&w->which, w->r * n, sizeof *w->which, msg)) != MRN_OK ||
        (s = mrn_array(&w->state, w->r * n, sizeof *w->state, msg)) != MRN_OK ||
        (s = mrn_array(&w->x, points * n, sizeof *w->x, msg)) != MRN_OK ||
        (s = mrn_array(&w->y, points * w->model->m, sizeof *w->y, msg)) != MRN_OK)
        return s;
    return mrn_array(&w->bad, points, sizeof *w->bad, msg);
}

static void shuffle(int *a, int n, mrn_rng *r)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(mrn_rng_uniform(r) * (i + 1)), kept = a[i];
        a[i] = a[j], a[j] = kept;
    }
}

/* A parameter steps from one of the lower levels up, or down to it: of these LEVELS ways all are
   used as often as each other (but for the remainder), in an order of chance. Plain trajectories
   leave that to chance too. */
static void draw_walks(walk *w, uint64_t seed)
{
    int n = w->model->n;
    mrn_rng r = mrn_rng_seed(seed, 0x304);
    for (int k = 0; k < n; k++) {
        int *state = w->state + (int64_t)k * w->r;
        int first = (int)(mrn_rng_uniform(&r) * LEVELS);
        for (int t = 0; t < w->r; t++)
            state[t] = (first + t) % LEVELS;
        shuffle(state, w->r, &r);
    }
    for (int t = 0; t < w->r; t++) {
        int *which = w->which + (int64_t)t * n;
        for (int k = 0; k < n; k++)
            which[k] = k;
        shuffle(which, n, &r);
    }
}

static double level(const mrn_parameter *p, int state, bool moved)
{
    bool up = state < HALF;
    int at = state % HALF + (up == moved ? HALF : 0);
    return mrn_box_at(p, (double)at / (LEVELS - 1));
}

static void place_walks(walk *w)
{
    int n = w->model->n;
    for (int t = 0; t < w->r; t++) {
        double *x = w->x + (int64_t)t * (n + 1) * n;
        for (int k = 0; k < n; k++)
            x[k] = level(&w->p[k], w->state[(int64_t)k * w->r + t], false);
        for (int step = 0; step < n; step++, x += n) {
            int k = w->which[(int64_t)t * n + step];
            memcpy(x + n, x, (size_t)n * sizeof *x);
            x[n + k] = level(&w->p[k], w->state[(int64_t)k * w->r + t], true);
        }
    }
}

/* Effects of parameter k on response j: mean size and spread; those with an end that has no answer
   are left out. */
static void effects(const walk *w, int k, int j, double *mean_size, double *spread)
{
    int n = w->model->n, m = w->model->m, found = 0;
    double size = 0, mean = 0, square = 0;
    for (int t = 0; t < w->r; t++) {
        const int *which = w->which + (int64_t)t * n;
        int step = 0;
        while (which[step] != k)
            step++;
        int64_t i = (int64_t)t * (n + 1) + step;
        bool up = w->state[(int64_t)k * w->r + t] < HALF;
        double rise = w->y[(i + 1) * m + j] - w->y[i * m + j];
        if (w->bad[i] || w->bad[i + 1] || !isfinite(rise))
            continue;
        double effect = (up ? rise : -rise) / STEP, from = effect - mean;
        size += fabs(effect);
        mean += from / ++found; /* Welford's recurrence: equal effects spread by nothing */
        square += from * (effect - mean);
    }
    *mean_size = found > 0 ? size / found : NAN;
    *spread = found > 1 ? sqrt(square / (found - 1)) : NAN;
}

void mrn_morris_release(mrn_morris *s)
{
    mrn_free(s->effect);
    mrn_free(s->spread);
    *s = (mrn_morris){0};
}

static mrn_status morris(walk *w, uint64_t seed, mrn_morris *out, mrn_message *msg)
{
    int64_t entries = (int64_t)out->n * out->m;
    mrn_status s;
    if ((s = walk_make(w, msg)) != MRN_OK ||
        (s = mrn_array(&out->effect, entries, sizeof *out->effect, msg)) != MRN_OK ||
        (s = mrn_array(&out->spread, entries, sizeof *out->spread, msg)) != MRN_OK)
        return s;
    draw_walks(w, seed);
    place_walks(w);
    out->evaluations = (int64_t)w->r * (out->n + 1);
    if ((s = mrn_ask(w->model, out->evaluations, w->x, w->y, w->bad, msg)) != MRN_OK)
        return s;
    for (int64_t i = 0; i < out->evaluations; i++)
        out->bad += w->bad[i];
    if (out->bad == out->evaluations)
        return mrn_fail(msg, MRN_ERR_INPUT, "the model has no answer anywhere in the box");
    for (int k = 0; k < out->n; k++)
        for (int j = 0; j < out->m; j++)
            effects(w, k, j, &out->effect[k * out->m + j], &out->spread[k * out->m + j]);
    return MRN_OK;
}

mrn_status mrn_sensitivity_morris(const mrn_predictor *model, const mrn_parameter *p,
                                  int trajectories, uint64_t seed, mrn_morris *out,
                                  mrn_message *msg)
{
    *out = (mrn_morris){0};
    mrn_status s = mrn_ask_check(model, p, msg);
    if (s != MRN_OK)
        return s;
    if (trajectories < 2)
        return mrn_fail(msg, MRN_ERR_RANGE, "%d trajectories; at least 2, and 8 or more to rank",
                        trajectories);
    walk w = {.model = model, .p = p, .r = trajectories};
    *out = (mrn_morris){.n = model->n, .m = model->m};
    s = morris(&w, seed, out, msg);
    walk_release(&w);
    if (s != MRN_OK)
        mrn_morris_release(out);
    return s;
}
