/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where to run next: the point of most expected improvement, or of most to learn, by candidates all
   over the box and around the best runs, the best of them then improved. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "inference/chance.h"
#include "inference/design.h"
#include "inference/minimum.h"
#include "inference/surrogate.h"

enum {
    DRAWS = 256,     /* of outputs: the same at every point, which keeps the gain smooth     */
    ALL_OVER = 1024, /* candidates that fill the box                                        */
    AROUND = 256,    /* about the best run, half within a tenth and half within a hundredth */
    CANDIDATES = ALL_OVER + AROUND,
    REFINED = 3, /* of the candidates                                                   */
};
/* Of F where the targets' variances are as they are said to be, one is the unit: a gain this small
   is none. */
#define NOTHING 1e-6

typedef struct hunt {
    const mrn_surrogate *s;
    const mrn_datum *target;
    int n, m;
    mrn_process *of; /* m: the surrogate's, with the points chosen believed      */
    double *u;       /* runs and points chosen, `runs` * n                       */
    int64_t runs;
    double *normal;        /* DRAWS * m                                                */
    double *candidate;     /* CANDIDATES * n                                           */
    double *value, *other; /* CANDIDATES: gain; how far the means are from the targets */
    mrn_aim aim;
    double best;  /* least F so far     */
    double least; /* of `other`         */
    const double *best_u;
} hunt;

static void hunt_release(hunt *h)
{
    for (int k = 0; k < h->m && h->of != NULL; k++)
        mrn_process_release(&h->of[k]);
    mrn_free(h->of);
    mrn_free(h->u);
    mrn_free(h->normal);
    mrn_free(h->candidate);
    mrn_free(h->value);
    mrn_free(h->other);
}

static mrn_status copy_process(const mrn_process *g, int more, mrn_process *out, mrn_message *msg)
{
    mrn_status s = mrn_process_make(g->n, g->count + more, out, msg);
    if (s != MRN_OK)
        return s;
    mrn_process room = *out;
    size_t count = (size_t)g->count, n = (size_t)g->n;
    *out = *g;
    out->u = room.u, out->z = room.z, out->d = room.d, out->length = room.length;
    out->row = room.row, out->h = room.h, out->alpha = room.alpha;
    memcpy(out->u, g->u, count * n * sizeof(double));
    memcpy(out->length, g->length, n * sizeof(double));
    memcpy(out->row, g->row, count * (count + 1) / 2 * sizeof(double));
    memcpy(out->h, g->h, count * sizeof(double));
    memcpy(out->alpha, g->alpha, count * sizeof(double));
    return MRN_OK;
}

/* Normal numbers that fill their space evenly. */
static mrn_status draw(hunt *h, uint64_t seed, mrn_message *msg)
{
    mrn_sequence q;
    mrn_status s = mrn_sequence_make(h->m, seed, &q, msg);
    if (s != MRN_OK)
        return s;
    for (int64_t i = 0; i < DRAWS; i++)
        mrn_sequence_next(&q, h->normal + i * h->m);
    for (int64_t i = 0; i < (int64_t)DRAWS * h->m; i++)
        h->normal[i] = mrn_chance_normal_quantile(h->normal[i]);
    mrn_sequence_release(&q);
    return MRN_OK;
}

static mrn_status hunt_make(hunt *h, int count, uint64_t seed, mrn_message *msg)
{
    const mrn_surrogate *s = h->s;
    struct {
        double **at;
        int64_t count;
    } want[] = {{&h->u, (s->count + count) * h->n},
                {&h->normal, (int64_t)DRAWS * h->m},
                {&h->candidate, (int64_t)CANDIDATES * h->n},
                {&h->value, CANDIDATES},
                {&h->other, CANDIDATES}};
    mrn_status status = mrn_array(&h->of, h->m, sizeof *h->of, msg);
    for (size_t i = 0; i < sizeof want / sizeof want[0] && status == MRN_OK; i++)
        status = mrn_array(want[i].at, want[i].count, sizeof(double), msg);
    for (int k = 0; k < h->m && status == MRN_OK; k++)
        status = copy_process(&s->of[k], count, &h->of[k], msg);
    if (status == MRN_OK)
        status = draw(h, seed ^ UINT64_C(0x6e657874), msg);
    if (status != MRN_OK)
        return status;
    memcpy(h->u, s->u, (size_t)(s->count * h->n) * sizeof *h->u);
    h->runs = s->count;
    return MRN_OK;
}

/* ---- what a point would give ---- */

/* Standardised: how far the mean of output k is from its target, and how little it is known. */
static void look(const hunt *h, int k, const double *u, double *off, double *sd)
{
    double mean, variance, unit = sqrt(h->target[k].variance);
    mrn_process_at(&h->of[k], u, &mean, &variance);
    *off = (mean - h->target[k].y) / unit;
    *sd = sqrt(variance) / unit;
}

static bool is_target(const hunt *h, int k)
{
    return !isnan(h->target[k].y);
}

/* F with the outputs as their means; with what is not known of them added. */
static double objective_at(const hunt *h, const double *u, bool expected)
{
    double f = 0, off, sd;
    for (int k = 0; k < h->m; k++)
        if (is_target(h, k)) {
            look(h, k, u, &off, &sd);
            f += off * off + (expected ? sd * sd : 0);
        }
    return f;
}

static double improvement(const hunt *h, const double *u)
{
    double f[DRAWS] = {0}, off, sd, sum = 0;
    for (int k = 0; k < h->m; k++) {
        if (!is_target(h, k))
            continue;
        look(h, k, u, &off, &sd);
        for (int i = 0; i < DRAWS; i++) {
            double d = off + sd * h->normal[(int64_t)i * h->m + k];
            f[i] += d * d;
        }
    }
    for (int i = 0; i < DRAWS; i++)
        sum += fmax(h->best - f[i], 0);
    return sum / DRAWS;
}

/* What is not known of the outputs; `distance`: how far the targets are, with that allowed for. */
static double ignorance(const hunt *h, const double *u, double *distance)
{
    double sum = 0, off, sd;
    *distance = 0;
    for (int k = 0; k < h->m; k++)
        if (is_target(h, k)) {
            look(h, k, u, &off, &sd);
            *distance += off * off / (1 + sd * sd);
            sum += sd * sd / (1 + sd * sd);
        }
    return sum;
}

static double emptiness(const hunt *h, const double *u)
{
    double nearest = INFINITY;
    for (int64_t i = 0; i < h->runs; i++) {
        double square = 0;
        for (int k = 0; k < h->n; k++) {
            double d = u[k] - h->u[i * h->n + k];
            square += d * d;
        }
        nearest = fmin(nearest, square);
    }
    return sqrt(nearest);
}

static double gain(const hunt *h, const double *u)
{
    double distance;
    if (h->aim == MRN_AIM_IMPROVE)
        return improvement(h, u);
    if (h->aim == MRN_AIM_FILL)
        return emptiness(h, u);
    double unknown = ignorance(h, u, &distance);
    return unknown * exp((h->least - distance) / 2);
}

/* ---- the search ---- */

static mrn_status place_candidates(hunt *h, uint64_t seed, mrn_message *msg)
{
    mrn_sequence q;
    mrn_status s = mrn_sequence_make(h->n, seed, &q, msg);
    if (s != MRN_OK)
        return s;
    for (int64_t i = 0; i < CANDIDATES; i++) {
        double *u = h->candidate + i * h->n;
        double reach = i < ALL_OVER ? 0 : i < ALL_OVER + AROUND / 2 ? 0.1 : 0.01;
        mrn_sequence_next(&q, u);
        for (int k = 0; k < h->n && reach > 0; k++)
            u[k] = fmin(fmax(h->best_u[k] + reach * (2 * u[k] - 1), 0), 1);
    }
    mrn_sequence_release(&q);
    return MRN_OK;
}

static void value_candidates(hunt *h)
{
#pragma omp parallel for schedule(static) if (h->m * h->runs > 8)
    for (int64_t i = 0; i < CANDIDATES; i++) {
        const double *u = h->candidate + i * h->n;
        if (h->aim == MRN_AIM_LEARN)
            h->value[i] = ignorance(h, u, &h->other[i]);
        else
            h->value[i] = gain(h, u);
    }
    if (h->aim != MRN_AIM_LEARN)
        return;
    h->least = INFINITY;
    for (int64_t i = 0; i < CANDIDATES; i++)
        h->least = fmin(h->least, h->other[i]);
    for (int64_t i = 0; i < CANDIDATES; i++)
        h->value[i] *= exp((h->least - h->other[i]) / 2);
}

static double minus_gain(unsigned n, const double *u, double *slope, void *user)
{
    (void)n, (void)slope; /* the method asks for none */
    return -gain(user, u);
}

/* u is moved uphill; returns the gain there. */
static mrn_status refine(hunt *h, double *u, double *value, mrn_message *msg)
{
    double from[MRN_SURROGATE_INPUTS], f = 0;
    mrn_minimum m = {.method = MRN_MINIMISER_SBPLX,
                     .n = (unsigned)h->n,
                     .value = minus_gain,
                     .user = h,
                     .step = 0.02,
                     .x_tolerance = 1e-4,
                     .value_relative = 1e-5,
                     .evaluations = 60 + 30 * h->n};
    memcpy(from, u, (size_t)h->n * sizeof *u);
    mrn_status s = mrn_minimise(&m, u, &f, msg);
    if (s < 0)
        return s;
    if (-f > *value)
        *value = -f;
    else
        memcpy(u, from, (size_t)h->n * sizeof *u);
    return MRN_OK;
}

/* The point of most gain for the aim as it is; u: n. */
static mrn_status climb(hunt *h, double *u, double *value, mrn_message *msg)
{
    value_candidates(h);
    *value = -1;
    for (int c = 0; c < REFINED; c++) {
        int64_t top = 0;
        for (int64_t i = 1; i < CANDIDATES; i++)
            if (h->value[i] > h->value[top])
                top = i;
        double *at = h->candidate + top * h->n, reached = h->value[top];
        if (c > 0 && !(reached > 0))
            break;
        mrn_status s = refine(h, at, &reached, msg);
        if (s != MRN_OK)
            return s;
        if (reached > *value) {
            *value = reached;
            memcpy(u, at, (size_t)h->n * sizeof *u);
        }
        h->value[top] = -1;
    }
    return MRN_OK;
}

/* Runs and points chosen, of which the means say that they are best. */
static void find_best(hunt *h)
{
    h->best = INFINITY, h->best_u = h->u;
    for (int64_t i = 0; i < h->runs; i++) {
        double f = objective_at(h, h->u + i * h->n, false);
        if (f < h->best)
            h->best = f, h->best_u = h->u + i * h->n;
    }
}

static mrn_status choose(hunt *h, mrn_aim asked, uint64_t seed, double *u, mrn_next *about,
                         mrn_message *msg)
{
    find_best(h);
    mrn_status s = MRN_OK;
    h->aim = asked;
    for (int k = 0; k < h->m; k++)
        if (is_target(h, k) && h->of[k].count == 1 && h->of[k].plain)
            h->aim = MRN_AIM_FILL;
    for (;; h->aim++) {
        if ((s = place_candidates(h, seed, msg)) != MRN_OK ||
            (s = climb(h, u, &about->gain, msg)) != MRN_OK)
            return s;
        if (about->gain > NOTHING || h->aim == MRN_AIM_FILL)
            break;
    }
    about->aim = h->aim;
    about->expected = objective_at(h, u, true);
    for (int k = 0; k < h->m; k++)
        mrn_process_believe(&h->of[k], u);
    memcpy(h->u + h->runs++ * h->n, u, (size_t)h->n * sizeof *u);
    return MRN_OK;
}

static mrn_status check(const mrn_surrogate *s, const mrn_datum *target, mrn_aim aim, int count,
                        mrn_message *msg)
{
    int targets = 0;
    if (count < 1 || s->count + count > MRN_SURROGATE_POINTS)
        return mrn_fail(msg, MRN_ERR_RANGE, "%d points to run after %lld; 1 to %lld", count,
                        (long long)s->count, (long long)(MRN_SURROGATE_POINTS - s->count));
    if ((int)aim < MRN_AIM_IMPROVE || aim > MRN_AIM_FILL)
        return mrn_fail(msg, MRN_ERR_RANGE, "no aim has number %d", (int)aim);
    for (int k = 0; k < s->m; k++) {
        if (isnan(target[k].y))
            continue;
        targets++;
        if (!isfinite(target[k].y) || !(target[k].variance > 0 && isfinite(target[k].variance)))
            return mrn_fail(msg, MRN_ERR_INPUT, "target %d (%s): %g with variance %g", k + 1,
                            target[k].label, target[k].y, target[k].variance);
    }
    if (targets == 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "no output of the surrogate has a target");
    return MRN_OK;
}

mrn_status mrn_surrogate_next(const mrn_surrogate *s, const mrn_datum *target, mrn_aim aim,
                              int count, uint64_t seed, double *x, mrn_next *about,
                              mrn_message *msg)
{
    mrn_status status = check(s, target, aim, count, msg);
    if (status != MRN_OK)
        return status;
    hunt h = {.s = s, .target = target, .n = s->n, .m = s->m};
    status = hunt_make(&h, count, seed, msg);
    for (int i = 0; i < count && status == MRN_OK; i++) {
        double u[MRN_SURROGATE_INPUTS];
        mrn_next this;
        status = choose(&h, aim, seed + (uint64_t)i, u, &this, msg);
        for (int k = 0; k < s->n && status == MRN_OK; k++)
            x[(int64_t)i * s->n + k] = mrn_box_at(&s->p[k], u[k]);
        if (about != NULL && status == MRN_OK)
            about[i] = this;
    }
    hunt_release(&h);
    return status;
}
