/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the points of a calibration to its fit: the surrogate, its optimum, what combinations of
   parameters the targets tell, the check, and the words. */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "calibrate/calibrate.h"
#include "linalg/jacobi.h"

/* ---- the surrogate ---- */

typedef struct runs {
    int64_t count;
    double *x, *y, *v, *one;
} runs;

static bool any_value(const mrn_calibrating *k, int64_t point)
{
    bool any = false;
    for (int t = 0; t < k->m; t++)
        any = any || !isnan(k->out->y[point * k->m + t]);
    return any;
}

static const char *first_failure(const mrn_calibrating *k, int test)
{
    for (int64_t i = 0; i < k->out->n_runs; i++) {
        const mrn_virtual_run *r = &k->out->run[i];
        if (r->test == test && !mrn_virtual_run_counts(r))
            return r->words[0] != '\0' ? r->words : mrn_status_text(r->status);
    }
    return "the runs ended well, but without a value";
}

/* Two points at least: of one value nothing is known of how it varies. */
static mrn_status check_values(const mrn_calibrating *k)
{
    for (int t = 0; t < k->m; t++) {
        const mrn_target *target = &k->c->target[t];
        int64_t count = 0;
        for (int64_t i = 0; i < k->out->n_points; i++)
            count += !isnan(k->out->y[i * k->m + t]);
        if (count >= 2)
            continue;
        mrn_fail(k->msg, MRN_ERR_INPUT, "%s: %s point of %lld gave a value of it (%s)",
                 target->name, count == 0 ? "no" : "only one", (long long)k->out->n_points,
                 first_failure(k, target->test));
        return mrn_fail_hint(k->msg, "run its scene by itself, with parameters of the middle of "
                                     "the box, and see why");
    }
    return MRN_OK;
}

static mrn_status collect(const mrn_calibrating *k, runs *r)
{
    const mrn_calibrated *o = k->out;
    int64_t n = k->n, m = k->m, most = o->n_points;
    MRN_FIT_TRY(mrn_array(&r->x, most * n, sizeof(double), k->msg));
    MRN_FIT_TRY(mrn_array(&r->y, most * m, sizeof(double), k->msg));
    MRN_FIT_TRY(mrn_array(&r->v, most * m, sizeof(double), k->msg));
    MRN_FIT_TRY(mrn_array(&r->one, most, sizeof(double), k->msg));
    for (int64_t i = 0; i < most; i++) {
        if (!any_value(k, i))
            continue;
        memcpy(&r->x[r->count * n], &o->x[i * n], (size_t)n * sizeof(double));
        memcpy(&r->y[r->count * m], &o->y[i * m], (size_t)m * sizeof(double));
        memcpy(&r->v[r->count * m], &o->variance[i * m], (size_t)m * sizeof(double));
        r->count++;
    }
    return MRN_OK;
}

/* Where seeds make no difference, runs may still scatter from one point to the next (a packing that
   is always the same falls apart in another way): a Gaussian process that finds its noise by itself
   tells it from what the parameters do. Also where no two runs could be compared. */
static mrn_status listen(mrn_calibrating *k, runs *r, int t)
{
    mrn_surrogate *s = NULL;
    k->rough[t] = 0;
    if (k->out->noise[t] > 0)
        return MRN_OK;
    for (int64_t i = 0; i < r->count; i++)
        r->one[i] = r->y[i * k->m + t];
    MRN_FIT_TRY(mrn_surrogate_create(k->p, k->n, 1, r->count, r->x, r->one, NULL, &s, k->msg));
    mrn_surrogate_scales(s, 0, NULL, &k->rough[t]);
    mrn_surrogate_destroy(&s);
    for (int64_t i = 0; i < r->count; i++)
        r->v[i * k->m + t] = k->rough[t] * k->rough[t];
    return MRN_OK;
}

static mrn_status build(mrn_calibrating *k, runs *r)
{
    mrn_calibrated *o = k->out;
    MRN_FIT_TRY(collect(k, r));
    for (int t = 0; t < k->m; t++)
        MRN_FIT_TRY(listen(k, r, t));
    mrn_surrogate_destroy(&o->surrogate);
    MRN_FIT_TRY(
        mrn_surrogate_create(k->p, k->n, k->m, r->count, r->x, r->y, r->v, &o->surrogate, k->msg));
    mrn_surrogate_quality(o->surrogate, o->quality);
    return MRN_OK;
}

mrn_status mrn_calibrating_surrogate(mrn_calibrating *k)
{
    runs r = {0};
    MRN_FIT_TRY(check_values(k));
    mrn_status s = build(k, &r);
    mrn_free(r.x);
    mrn_free(r.y);
    mrn_free(r.v);
    mrn_free(r.one);
    return s;
}

/* ---- fits ---- */

/* Means of the surrogate; no answer where runs are to be expected to fail. */
static mrn_status predict(void *user, int64_t count, const double *x, double *y, bool *bad,
                          mrn_message *msg)
{
    const mrn_calibrating *k = user;
    mrn_predictor s = mrn_surrogate_model(k->out->surrogate);
    MRN_FIT_TRY(s.predict(s.user, count, x, y, bad, msg));
    for (int64_t i = 0; i < count && k->failed > 0; i++)
        bad[i] = bad[i] || mrn_calibrating_barred(k, &x[i * k->n]);
    return MRN_OK;
}

static bool on_fit(void *user, const char *phase, double done, double objective)
{
    const mrn_calibrating *k = user;
    const mrn_fit_options *o = &k->c->fit;
    mrn_calibrating_progress(k, 0);
    bool stop = o->progress != NULL && o->progress(o->user, phase, done, objective);
    return stop || mrn_calibrating_stopped(k);
}

/* Variances of measurements and of the surrogate's means together; degrees of freedom by
   Satterthwaite, the latter taken as known. */
static void make_data(const mrn_calibrating *k)
{
    for (int t = 0; t < k->m; t++) {
        mrn_datum *d = &k->out->datum[t];
        double measured = k->target[t].variance, total = measured + k->out->model_variance[t];
        *d = k->target[t];
        d->variance = total;
        d->freedom = (int)fmin(1e6, d->freedom * (total / measured) * (total / measured));
    }
}

static mrn_status fit_redrawn(mrn_calibrating *k, const mrn_predictor *model,
                              const mrn_fit_options *o, mrn_fit *fit)
{
    mrn_calibrating_redraw r;
    mrn_status s = mrn_calibrating_redraw_make(k, o->bootstrap, &r);
    if (s == MRN_OK)
        s = mrn_fit_redrawn(model, k->p, k->out->datum, k->m, o, &r.way, fit, k->msg);
    mrn_calibrating_redraw_release(&r);
    return s;
}

static mrn_status fit_with(mrn_calibrating *k, mrn_fit_options *o, mrn_fit *fit)
{
    mrn_predictor model = {.n = k->n, .m = k->m, .predict = predict, .user = k};
    o->few = true;
    o->progress = on_fit;
    o->user = k;
    make_data(k);
    *fit = (mrn_fit){0};
    mrn_status s = o->bootstrap > 0
                       ? fit_redrawn(k, &model, o, fit)
                       : mrn_fit_model(&model, k->p, k->out->datum, k->m, o, fit, k->msg);
    if (s != MRN_OK && s != MRN_NOT_CONVERGED)
        return s;
    for (int j = 0; j < k->n; j++)
        k->optimum[j] = fmin(k->p[j].hi, fmax(k->p[j].lo, fit->x[j]));
    mrn_surrogate_at(k->out->surrogate, k->optimum, k->there, k->unknown);
    k->best = fit->objective;
    return s;
}

mrn_status mrn_calibrating_optimum(mrn_calibrating *k, int doublings)
{
    mrn_fit_options o = k->c->fit;
    mrn_fit fit;
    o.profile = o.regions = o.nested = false;
    o.bootstrap = 0;
    o.doublings = o.doublings < doublings ? o.doublings : doublings;
    mrn_status s = fit_with(k, &o, &fit);
    mrn_fit_release(&fit);
    memcpy(k->out->model_variance, k->unknown, (size_t)k->m * sizeof(double));
    return s == MRN_NOT_CONVERGED ? MRN_OK : s;
}

mrn_status mrn_calibrating_fit(mrn_calibrating *k)
{
    mrn_fit_options o = k->c->fit;
    mrn_fit_release(&k->out->fit);
    MRN_FIT_TRY(mrn_calibrating_optimum(k, 1));
    return fit_with(k, &o, &k->out->fit);
}

/* ---- combinations ---- */

/* Over whole ranges, along log10 where a parameter says so: d y / d u. */
static double over_range(const mrn_calibrating *k, int t, int j)
{
    const mrn_parameter *p = &k->p[j];
    double slope = k->out->fit.sensitivity[(int64_t)t * k->n + j];
    double range = p->log ? k->out->fit.x[j] * log(p->hi / p->lo) : p->hi - p->lo;
    return slope * range / sqrt(k->out->datum[t].variance);
}

/* The largest part of a direction is positive. */
static void put_direction(int n, const double *vector, int column, double *to)
{
    int largest = 0;
    for (int j = 0; j < n; j++) {
        to[j] = vector[j * n + column];
        if (fabs(to[j]) > fabs(to[largest]) * (1 + 1e-9))
            largest = j;
    }
    double sign = to[largest] < 0 ? -1 : 1;
    for (int j = 0; j < n; j++)
        to[j] *= sign;
}

void mrn_calibrating_directions(mrn_calibrating *k)
{
    int n = k->n;
    double h[MRN_FIT_MOST * MRN_FIT_MOST] = {0}, vector[MRN_FIT_MOST * MRN_FIT_MOST];
    for (int t = 0; t < k->m; t++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                h[i * n + j] += over_range(k, t, i) * over_range(k, t, j);
    mrn_jacobi_pairs(n, h, 0, DBL_EPSILON, vector);
    k->out->n_known = 0;
    for (int r = 0; r < n; r++) {
        int best = 0;
        for (int i = 1; i < n; i++)
            best = h[i * n + i] > h[best * n + best] ? i : best;
        k->out->strength[r] = sqrt(fmax(0, h[best * n + best]));
        k->out->n_known += k->out->strength[r] > 1;
        put_direction(n, vector, best, &k->out->direction[r * n]);
        h[best * n + best] = -INFINITY;
    }
}

/* ---- the check ---- */

/* Three standard errors of both, or a tenth of the measurement's: who would mind? */
static bool agree(const mrn_calibrating *k, int t)
{
    const mrn_calibrated *o = k->out;
    double off = fabs(o->check[t] - o->predicted[t]);
    double allowed = 3 * hypot(o->predicted_sd[t], o->check_sd[t]);
    return off <= fmax(allowed, 0.1 * sqrt(k->target[t].variance)); /* false where NAN */
}

void mrn_calibrating_compare(mrn_calibrating *k)
{
    mrn_calibrated *o = k->out;
    o->checked = true;
    for (int t = 0; t < k->m; t++) {
        double square, noise = o->noise[t];
        double count = (double)mrn_calibrating_gather(k, -1, t, &o->check[t], &square);
        if (isnan(noise) && count > 1)
            noise = sqrt(square / (count - 1));
        o->check_sd[t] = count > 0 ? hypot(noise / sqrt(count), k->rough[t]) : NAN;
        o->predicted[t] = k->there[t];
        o->predicted_sd[t] = sqrt(k->unknown[t]);
        o->checked = o->checked && agree(k, t);
    }
}

/* ---- words ---- */

static void MRN_PRINTF(2, 3) add(mrn_calibrated *o, const char *fmt, ...)
{
    size_t used = strlen(o->words);
    va_list args;
    va_start(args, fmt);
    vsnprintf(o->words + used, sizeof o->words - used, fmt, args);
    va_end(args);
}

static void say_failures(const mrn_calibrating *k)
{
    int64_t failed = 0, limited = 0;
    const char *why = NULL;
    for (int64_t i = 0; i < k->out->n_runs; i++) {
        const mrn_virtual_run *r = &k->out->run[i];
        limited += r->status == MRN_AT_MOST;
        if (mrn_virtual_run_counts(r))
            continue;
        if (why == NULL)
            why = r->words[0] != '\0' ? r->words : mrn_status_text(r->status);
        failed++;
    }
    if (failed > 0)
        add(k->out, ". %lld of %lld runs failed (%.180s)", (long long)failed,
            (long long)k->out->n_runs, why);
    if (limited > 0)
        add(k->out,
            ". %lld of %lld runs met the time limit of a stage (at-most) before its end condition: "
            "their values count as they are",
            (long long)limited, (long long)k->out->n_runs);
    if (k->failed > 0)
        add(k->out,
            ". %lld of %lld points have no value of some target: parameters nearest to them are "
            "left out, and an interval may end there for that reason alone",
            (long long)k->failed, (long long)k->out->n_points);
}

static void say_check(const mrn_calibrating *k)
{
    const mrn_calibrated *o = k->out;
    int worst = -1;
    for (int t = 0; t < k->m; t++)
        if (!agree(k, t) && worst < 0)
            worst = t;
    if (worst < 0)
        return;
    if (isnan(o->check[worst]))
        add(k->out, ". No run at the optimum gave a value of %s: it was not checked",
            k->c->target[worst].name);
    else
        add(k->out,
            ". Runs at the optimum give %s %.4g ± %.2g, the surrogate predicted %.4g ± %.2g: do "
            "not "
            "trust the fit before it was run with more points",
            k->c->target[worst].name, o->check[worst], o->check_sd[worst], o->predicted[worst],
            o->predicted_sd[worst]);
}

/* The check was made where the optimum was before its own runs were used. */
static void say_moved(const mrn_calibrating *k)
{
    const mrn_calibrated *o = k->out;
    for (int j = 0; j < k->n; j++) {
        const mrn_parameter *p = &k->p[j];
        double range = p->log ? log(p->hi / p->lo) : p->hi - p->lo;
        double moved = p->log ? log(o->fit.x[j] / o->check_x[j]) : o->fit.x[j] - o->check_x[j];
        if (!(fabs(moved) > 0.1 * range))
            continue;
        add(k->out,
            ". The runs of the check moved the optimum, %s from %.4g to %.4g, where none was run: "
            "go on with more runs",
            p->name, o->check_x[j], o->fit.x[j]);
        return;
    }
}

/* F of what was run at a point, its noise counted. NAN: a target has no value there. */
static double objective_at(const mrn_calibrating *k, int64_t point)
{
    const mrn_calibrated *o = k->out;
    double sum = 0;
    for (int t = 0; t < k->m; t++) {
        double off = o->y[point * k->m + t] - k->target[t].y;
        sum += off * off / (k->target[t].variance + o->variance[point * k->m + t]);
    }
    return sum;
}

/* A surrogate that is far off may have its optimum where nothing fits. */
static void say_nearer(const mrn_calibrating *k)
{
    double least = INFINITY;
    for (int64_t i = 0; i < k->out->n_points; i++)
        least = fmin(least, objective_at(k, i)); /* fmin leaves NAN out */
    if (k->out->fit.objective > least + 9)
        add(k->out,
            ". A point that was run comes nearer (F = %.3g) than the surrogate's optimum: it is "
            "not to be trusted; make more runs, or narrow the bounds about that point",
            least);
}

/* Targets that no point comes near to. */
static void say_out_of_reach(const mrn_calibrating *k)
{
    const mrn_calibrated *o = k->out;
    for (int t = 0; t < k->m && !o->fit.fits; t++) {
        double lo = INFINITY, hi = -INFINITY, y = k->target[t].y;
        double slack = 3 * hypot(sqrt(k->target[t].variance), isnan(o->noise[t]) ? 0 : o->noise[t]);
        for (int64_t i = 0; i < o->n_points; i++) {
            lo = fmin(lo, o->y[i * k->m + t]);
            hi = fmax(hi, o->y[i * k->m + t]);
        }
        if (y < lo - slack || y > hi + slack)
            add(k->out,
                ". %s is out of reach: the runs give %.4g to %.4g, %.4g was measured; widen the "
                "bounds, or ask what the scene lacks",
                k->c->target[t].name, lo, hi, y);
    }
}

/* What of the targets' errors is the simulation's. */
static void say_doubts(const mrn_calibrating *k)
{
    const mrn_calibrated *o = k->out;
    int doubtful = 0;
    for (int t = 0; t < k->m; t++)
        if (o->model_variance[t] > k->target[t].variance)
            add(k->out, "%s%s",
                doubtful++ > 0 ? ", "
                               : ". Less well known by simulation than by "
                                 "measurement: ",
                k->c->target[t].name);
    if (doubtful > 0)
        add(k->out, "; more runs would narrow the intervals");
    for (int t = 0; t < k->m; t++) {
        const char *name = k->c->target[t].name;
        if (o->noise[t] == 0 && k->rough[t] > 0)
            add(k->out, ". %s does not depend on the seed but scatters by %.2g between points",
                name, k->rough[t]);
        if (o->quality[t] > 0.9)
            add(k->out, ". The surrogate predicts %s no better than its mean would", name);
    }
}

void mrn_calibrating_words(mrn_calibrating *k)
{
    mrn_calibrated *o = k->out;
    o->words[0] = '\0';
    if (o->settled)
        add(o,
            "Settled after %lld runs at %lld points: wherever the simulation is not known well "
            "enough, F is expected to fall by less than %.2g",
            (long long)o->n_runs, (long long)o->n_points, k->c->tolerance);
    else
        add(o,
            "Not settled within %lld runs: one more point is expected to lower F by %.2g; allow "
            "more runs",
            (long long)k->c->runs, o->next.gain);
    say_check(k);
    say_moved(k);
    say_nearer(k);
    say_out_of_reach(k);
    say_failures(k);
    say_doubts(k);
}
