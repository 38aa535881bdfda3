/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calibration of virtual tests from beginning to end: a design, points where the fit gains most,
   points where the simulation is known least, the fit, and runs that check it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "calibrate/calibrate.h"
#include "inference/design.h"

enum {
    BATCH_RUNS = 8, /* of a batch of points that no one gave                               */
    MOST_BATCH = 4, /* points in it: those after the first are chosen knowing less          */
    LEAST_CHECKS = 3,
    OTHERS = 6, /* points looked at beside those wanted, where some may be expected to fail */
    MOST_CHECKS = 8
};
/* The surrogate's variance at the optimum, over the measurement's, that does not matter: it makes
   intervals wider by an eighth at most. */
#define KNOWN_ENOUGH 0.25

void mrn_calibrated_release(mrn_calibrated *r)
{
    if (r == NULL)
        return;
    mrn_virtual_runs_free(r->run, r->n_runs);
    mrn_surrogate_destroy(&r->surrogate);
    mrn_fit_release(&r->fit);
    void *all[] = {
        r->x,        r->y,        r->variance,       r->noise,     r->freedom,   r->quality,
        r->datum,    r->check,    r->model_variance, r->direction, r->predicted, r->predicted_sd,
        r->check_sd, r->strength, r->check_x};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mrn_free(all[i]);
    *r = (mrn_calibrated){0};
}

/* ---- what was asked for ---- */

static mrn_status check_target(const mrn_calibration *c, int t, mrn_message *msg)
{
    const mrn_target *g = &c->target[t];
    if (g->test < 0 || g->test >= c->n_tests)
        return mrn_fail(msg, MRN_ERR_INPUT, "%s: there is no test %d", g->name, g->test);
    if (!isfinite(g->datum.y))
        return mrn_fail(msg, MRN_ERR_INPUT, "%s: measured is %g", g->name, g->datum.y);
    if (g->datum.spread == MRN_SPREAD_COMMON)
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "%s: the error of a single measurement cannot be found from its residual",
                        g->name);
    if (!(g->datum.variance > 0 && isfinite(g->datum.variance)))
        return mrn_fail(msg, MRN_ERR_INPUT, "%s: its variance %g is not positive", g->name,
                        g->datum.variance);
    return MRN_OK;
}

static mrn_status check_tests(const mrn_calibration *c, mrn_message *msg)
{
    for (int i = 0; i < c->n_tests; i++) {
        bool any = false;
        for (int t = 0; t < c->n_targets; t++)
            any = any || c->target[t].test == i;
        if (!any)
            return mrn_fail(msg, MRN_ERR_INPUT, "test %s has no target: nothing is asked of it",
                            c->test[i].name);
    }
    return MRN_OK;
}

static mrn_status check_all(const mrn_calibration *c, mrn_message *msg)
{
    if (c->n_tuned < 1 || c->n_tuned > MRN_FIT_MOST)
        return mrn_fail(msg, MRN_ERR_INPUT, "%d parameters to be found; 1 to %d can be", c->n_tuned,
                        (int)MRN_FIT_MOST);
    if (c->n_tests < 1 || c->n_targets < 1)
        return mrn_fail(msg, MRN_ERR_INPUT, "%d tests with %d targets: one at least of each",
                        c->n_tests, c->n_targets);
    if (c->seeds < 2 || c->seeds > 1000)
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "%d seeds for each point: 2 to 1000, or the noise of a run is not known",
                        c->seeds);
    if (c->batch < 0 || c->points < 0 || !(c->tolerance > 0))
        return mrn_fail(msg, MRN_ERR_INPUT, "batch %d, points %d or tolerance %g out of range",
                        c->batch, c->points, c->tolerance);
    for (int t = 0; t < c->n_targets; t++)
        MRN_FIT_TRY(check_target(c, t, msg));
    return check_tests(c, msg);
}

/* ---- the budget ---- */

static int64_t runs_of_point(const mrn_calibrating *k)
{
    return (int64_t)k->c->n_tests * k->c->seeds;
}

static int64_t runs_of_check(const mrn_calibrating *k)
{
    return (int64_t)k->c->n_tests * k->checks;
}

/* Points that can be run before the check. */
static int64_t affordable(const mrn_calibrating *k)
{
    int64_t left = k->c->runs - k->out->n_runs - runs_of_check(k);
    int64_t points = left > 0 ? left / runs_of_point(k) : 0;
    int64_t most = MRN_SURROGATE_POINTS - 1 - k->out->n_points - OTHERS;
    return points < most ? points : most;
}

static mrn_status plan(mrn_calibrating *k)
{
    int64_t least = k->n + 2, wanted = k->c->points > 0 ? k->c->points : 5 * k->n + 5;
    int64_t batch = BATCH_RUNS / runs_of_point(k);
    k->checks = k->c->seeds > LEAST_CHECKS ? k->c->seeds : LEAST_CHECKS;
    k->design = wanted > least ? wanted : least;
    k->batch = (int)(batch < 1 ? 1 : batch > MOST_BATCH ? MOST_BATCH : batch);
    if (k->c->batch > 0)
        k->batch = k->c->batch < MRN_SURROGATE_POINTS / 2 ? k->c->batch : MRN_SURROGATE_POINTS / 2;
    int64_t most = affordable(k), need = least * runs_of_point(k) + runs_of_check(k);
    if (most < least) {
        mrn_fail(k->msg, MRN_ERR_INPUT, "%lld runs are not enough: %lld at least are needed",
                 (long long)k->c->runs, (long long)need);
        return mrn_fail_hint(k->msg,
                             "%d tests with %d seeds at %lld points, and %lld runs to check the "
                             "optimum",
                             k->c->n_tests, k->c->seeds, (long long)least,
                             (long long)runs_of_check(k));
    }
    /* a design that no one gave leaves a third for points where they matter */
    int64_t share = k->c->points > 0 ? most : most - most / 3;
    share = share > least ? share : least;
    k->design = k->design < share ? k->design : share;
    return MRN_OK;
}

/* ---- beginning ---- */

static mrn_status make_parts(mrn_calibrating *k)
{
    int64_t n = k->n, m = k->m;
    mrn_calibrated *o = k->out;
    double **parts[] = {&o->noise,    &o->quality,   &o->model_variance, &o->check,
                        &o->check_sd, &o->predicted, &o->predicted_sd,   &k->rough,
                        &k->there,    &k->unknown,   &k->scratch};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        MRN_FIT_TRY(mrn_array(parts[i], m, sizeof(double), k->msg));
    MRN_FIT_TRY(mrn_array(&o->freedom, m, sizeof *o->freedom, k->msg));
    MRN_FIT_TRY(mrn_array(&o->datum, m, sizeof *o->datum, k->msg));
    MRN_FIT_TRY(mrn_array(&o->direction, n * n, sizeof(double), k->msg));
    MRN_FIT_TRY(mrn_array(&o->strength, n, sizeof(double), k->msg));
    MRN_FIT_TRY(mrn_array(&o->check_x, n, sizeof(double), k->msg));
    MRN_FIT_TRY(mrn_array(&k->p, n, sizeof *k->p, k->msg));
    return mrn_array(&k->target, m, sizeof *k->target, k->msg);
}

static void fill_parts(mrn_calibrating *k)
{
    for (int j = 0; j < k->n; j++) {
        k->p[j] = k->c->tuned[j].p;
        k->out->check_x[j] = NAN;
    }
    for (int t = 0; t < k->m; t++) {
        mrn_datum *d = &k->target[t];
        *d = k->c->target[t].datum;
        d->response = t;
        if (d->label[0] == '\0')
            snprintf(d->label, sizeof d->label, "%.47s", k->c->target[t].name);
        k->out->datum[t] = *d;
        k->out->check[t] = k->out->check_sd[t] = k->out->predicted[t] = k->out->predicted_sd[t] =
            NAN;
        k->out->noise[t] = k->out->quality[t] = NAN;
    }
    k->best = NAN;
}

static mrn_status begin(mrn_calibrating *k)
{
    MRN_FIT_TRY(check_all(k->c, k->msg));
    k->n = k->out->n = k->c->n_tuned;
    k->m = k->out->m = k->c->n_targets;
    MRN_FIT_TRY(make_parts(k));
    fill_parts(k);
    MRN_FIT_TRY(mrn_box_check(k->p, k->n, k->msg));
    return plan(k);
}

/* ---- points ---- */

static mrn_status run_points(mrn_calibrating *k, const double *x, int64_t count)
{
    int64_t first = k->out->n_runs, point;
    for (int64_t i = 0; i < count; i++) {
        MRN_FIT_TRY(mrn_calibrating_point(k, &x[i * k->n], &point));
        MRN_FIT_TRY(mrn_calibrating_ask(k, &x[i * k->n], point, k->c->seeds));
    }
    mrn_status s = mrn_calibrating_run(k, first);
    mrn_calibrating_means(k);
    return s;
}

/* The start, where there is one, and else the middle; then what fills the box. */
static mrn_status design(mrn_calibrating *k)
{
    double *x = NULL;
    k->phase = "design";
    MRN_FIT_TRY(mrn_array(&x, k->design * k->n, sizeof *x, k->msg));
    for (int j = 0; j < k->n; j++) {
        double start = k->p[j].start;
        bool inside = start >= k->p[j].lo && start <= k->p[j].hi;
        x[j] = inside ? start : mrn_box_at(&k->p[j], 0.5);
    }
    mrn_status s = mrn_design(k->p, k->n, k->design - 1, k->c->seed, x + k->n, k->msg);
    if (s == MRN_OK)
        s = run_points(k, x, k->design);
    k->out->n_design = k->out->n_points;
    mrn_free(x);
    return s;
}

/* ---- the next points ---- */

typedef struct choice {
    double *x; /* points to run, and room for others */
    mrn_next *about;
    int64_t count;
} choice;

/* The surrogate's variances there are so small beside the measurements' that it does not matter. */
static bool known_enough(const mrn_calibrating *k, const double *variance)
{
    bool all = true;
    for (int t = 0; t < k->m; t++)
        all = all && variance[t] <= KNOWN_ENOUGH * k->target[t].variance;
    return all;
}

/* Whether a point is worth its runs. Where the means are known well enough, F is no lower than at
   the optimum of the surrogate, which the check will see: what is to be gained there is noise. */
static bool worth(const mrn_calibrating *k, const double *x, const mrn_next *about, mrn_aim aim)
{
    if (about->aim != aim || mrn_calibrating_barred(k, x))
        return false;
    if (aim != MRN_AIM_IMPROVE)
        return true;
    mrn_surrogate_at(k->out->surrogate, x, NULL, k->scratch);
    /* of an F in the hundreds, which no parameters bring down, tenths are nothing */
    double least = fmax(k->c->tolerance, 0.01 * about->expected);
    return about->gain >= least && !known_enough(k, k->scratch);
}

/* Points for an aim, `most` at most. *first: what the best of them, wherever it is, is for. *any:
   there is one worth its runs. */
static mrn_status look_for(mrn_calibrating *k, mrn_aim aim, int64_t most, choice *to,
                           mrn_next *first, bool *any)
{
    int64_t asked = (most > 0 ? most : 1) + (k->failed > 0 ? OTHERS : 0);
    *any = false;
    to->count = 0;
    MRN_FIT_TRY(mrn_surrogate_next(k->out->surrogate, k->target, aim, (int)asked,
                                   k->c->seed + (uint64_t)k->out->n_points, to->x, to->about,
                                   k->msg));
    *first = to->about[0];
    for (int64_t i = 0; i < asked; i++) {
        double *x = &to->x[i * k->n];
        if (!worth(k, x, &to->about[i], aim))
            continue;
        *first = *any ? *first : to->about[i];
        *any = true;
        if (to->count < most)
            memmove(&to->x[to->count++ * k->n], x, (size_t)k->n * sizeof *x);
    }
    return MRN_OK;
}

static mrn_status choose(mrn_calibrating *k, choice *to)
{
    mrn_calibrated *o = k->out;
    int64_t most = affordable(k);
    mrn_next learn;
    bool any;
    most = most < k->batch ? most : k->batch;
    MRN_FIT_TRY(look_for(k, MRN_AIM_IMPROVE, most, to, &o->next, &any));
    o->settled = !any;
    /* five standard errors off in the mean: to know that better narrows nothing */
    bool hopeless = o->next.expected > 25 * k->m;
    if (o->settled && most > 0 && !hopeless && !known_enough(k, k->unknown))
        MRN_FIT_TRY(look_for(k, MRN_AIM_LEARN, most, to, &learn, &any));
    return MRN_OK;
}

static mrn_status one_round(mrn_calibrating *k, choice *to)
{
    if (mrn_calibrating_stopped(k))
        return mrn_calibrating_interrupt(k);
    MRN_FIT_TRY(mrn_calibrating_surrogate(k));
    MRN_FIT_TRY(mrn_calibrating_optimum(k, 1)); /* it is found again after the next runs */
    MRN_FIT_TRY(choose(k, to));
    return to->count > 0 ? run_points(k, to->x, to->count) : MRN_OK;
}

/* Until nothing is to be gained, or the runs that are left are those of the check. */
static mrn_status search(mrn_calibrating *k)
{
    choice to = {0};
    int64_t room = (int64_t)k->batch + OTHERS;
    k->phase = "search";
    mrn_status s = mrn_array(&to.x, room * k->n, sizeof *to.x, k->msg);
    if (s == MRN_OK)
        s = mrn_array(&to.about, room, sizeof *to.about, k->msg);
    do {
        if (s == MRN_OK)
            s = one_round(k, &to);
    } while (s == MRN_OK && to.count > 0);
    mrn_free(to.x);
    mrn_free(to.about);
    return s;
}

/* ---- the end ---- */

static mrn_status check_optimum(mrn_calibrating *k)
{
    int64_t first = k->out->n_runs;
    k->phase = "fit";
    MRN_FIT_TRY(mrn_calibrating_optimum(k, k->c->fit.doublings));
    k->phase = "check";
    memcpy(k->out->check_x, k->optimum, (size_t)k->n * sizeof(double));
    MRN_FIT_TRY(mrn_calibrating_ask(k, k->optimum, -1, k->checks));
    MRN_FIT_TRY(mrn_calibrating_run(k, first));
    mrn_calibrating_compare(k);
    return MRN_OK;
}

/* Runs of a check become a point. Where it failed, they are what the surrogate lacks; where not,
   there is no place at which runs tell more of the optimum. */
static mrn_status adopt_check(mrn_calibrating *k)
{
    int64_t point;
    MRN_FIT_TRY(mrn_calibrating_point(k, k->optimum, &point));
    for (int64_t i = 0; i < k->out->n_runs; i++)
        if (k->of[i] < 0)
            k->of[i] = point;
    mrn_calibrating_means(k);
    return MRN_OK;
}

static mrn_status search_and_check(mrn_calibrating *k)
{
    for (int round = 0; round < MOST_CHECKS; round++) {
        MRN_FIT_TRY(search(k));
        MRN_FIT_TRY(check_optimum(k));
        bool again = k->c->runs - k->out->n_runs >= runs_of_check(k) && round + 1 < MOST_CHECKS;
        if (k->out->checked || !again)
            break;
        MRN_FIT_TRY(adopt_check(k));
    }
    return MRN_OK;
}

/* With the runs of a check that agreed; of one that did not, and was the last, nothing is used: the
   fit is then the one that it speaks against. */
static mrn_status final_fit(mrn_calibrating *k, bool *converged)
{
    k->phase = "fit";
    if (k->out->checked) {
        MRN_FIT_TRY(adopt_check(k));
        MRN_FIT_TRY(mrn_calibrating_surrogate(k));
    }
    mrn_status s = mrn_calibrating_fit(k);
    if (s != MRN_OK && s != MRN_NOT_CONVERGED)
        return s;
    *converged = s == MRN_OK;
    mrn_calibrating_directions(k);
    return MRN_OK;
}

static mrn_status calibrate(mrn_calibrating *k)
{
    bool converged = false;
    MRN_FIT_TRY(begin(k));
    MRN_FIT_TRY(design(k));
    MRN_FIT_TRY(search_and_check(k));
    MRN_FIT_TRY(final_fit(k, &converged));
    mrn_calibrating_words(k);
    if (k->out->settled && k->out->checked && converged)
        return MRN_OK;
    if (k->out->settled && k->out->checked)
        return mrn_fail(k->msg, MRN_NOT_CONVERGED,
                        "the optimum on the surrogate still fell when its search ended");
    return mrn_fail(k->msg, MRN_NOT_CONVERGED, "%s", k->out->words);
}

/* What there is: no fit, and nothing that was made of one before. */
static void leave(mrn_calibrating *k)
{
    mrn_calibrated *o = k->out;
    mrn_fit_release(&o->fit);
    mrn_calibrating_means(k);
    o->settled = o->checked = false;
    snprintf(o->words, sizeof o->words, "Stopped on request after %lld of %lld runs at %lld points",
             (long long)o->n_runs, (long long)k->c->runs, (long long)o->n_points);
}

mrn_status mrn_calibrate(const mrn_calibration *c, const mrn_calibrate_options *opt,
                         mrn_calibrated *out, mrn_message *msg)
{
    const mrn_calibrate_options none = {0};
    mrn_calibrating k = {.c = c, .opt = opt != NULL ? opt : &none, .out = out, .msg = msg};
    *out = (mrn_calibrated){0};
    mrn_status s = calibrate(&k);
    if (s == MRN_INTERRUPTED)
        leave(&k);
    else if (s < 0)
        mrn_calibrated_release(out);
    mrn_free(k.p);
    mrn_free(k.target);
    mrn_free(k.rough);
    mrn_free(k.there);
    mrn_free(k.unknown);
    mrn_free(k.scratch);
    mrn_free(k.of);
    return s;
}
