/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search for the optimum: controlled random search with a population that is doubled until the
   optimum stops falling (NLopt's CRS2 with local mutation), several local searches from the best of
   points spread over the box, and Powell's BOBYQA at the end.

   The first two look at the same landscape in different ways, and one finds what the other missed.
   CRS2 draws its numbers from NLopt's generator, which belongs to the thread: it is seeded before
   every run. NLopt calls us from C code that must be left by returning: errors are kept and the
   search is asked to stop. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "inference/fit.h"
#include "inference/minimum.h"

enum { LOCAL_STARTS = 8, MOST_LOCAL = 5000 };

typedef struct task {
    mrn_fitting *p;
    mrn_status status;
    double *y, *sum;              /* m, n_responses */
    double u[MRN_FIT_MOST], best; /* the best seen  */
    bool failed;                  /* the last run, by its own fault */
    bool ended;                   /* it is to stop */
    double ends[64];              /* deviances local searches came to                */
    int n_ends;
} task;

static double objective(unsigned n, const double *u, double *gradient, void *user)
{
    task *t = user;
    mrn_fitting *p = t->p;
    bool bad;
    (void)gradient; /* never asked for by these methods */
    if (t->status != MRN_OK)
        return MRN_FIT_FAR;
    t->status = mrn_fitting_predict(p, 1, u, t->y, &bad);
    if (t->status != MRN_OK) {
        t->ended = true;
        return MRN_FIT_FAR;
    }
    double d = bad ? MRN_FIT_FAR : mrn_fitting_deviance(p, p->y, p->v, t->y, t->sum);
    if (d < t->best) {
        t->best = d;
        p->deviance = fmin(p->deviance, d);
        memcpy(t->u, u, n * sizeof *u);
    }
    if (p->evaluations >= p->opt->max_evaluations) {
        p->stopped = true;
        t->ended = true;
    }
    return d;
}

/* Runs a method from t->u; the best point seen is in t->u, t->best afterwards. */
static mrn_status run(task *t, mrn_minimum m)
{
    mrn_fitting *p = t->p;
    double x[MRN_FIT_MOST], value;
    m.n = (unsigned)p->n;
    m.value = objective;
    m.user = t;
    m.stop = &t->ended;
    t->ended = false;
    memcpy(x, t->u, m.n * sizeof *x);
    mrn_status s = mrn_minimise(&m, x, &value, p->msg);
    if (t->status != MRN_OK)
        return t->status;
    t->failed = s == MRN_NOT_CONVERGED;
    return s < 0 ? s : MRN_OK; /* the best point seen is kept whatever it says */
}

/* BOBYQA's quadratic model needs two coordinates at least; Sbplx also does where it fails. */
static mrn_status run_local(task *t, double step, double tolerance)
{
    mrn_minimum m = {.method = MRN_MINIMISER_BOBYQA,
                     .step = step,
                     .x_tolerance = tolerance,
                     .evaluations = MOST_LOCAL};
    if (t->p->n > 1)
        MRN_FIT_TRY(run(t, m));
    if (t->p->n > 1 && !t->failed)
        return MRN_OK;
    m.method = MRN_MINIMISER_SBPLX;
    return run(t, m);
}

/* Gauss and Newton's steps from t->u: along narrow valleys, where methods without derivatives
   creep, and at the end, where they see the zero of the gradient of a deviance flat to rounding. */
static mrn_status run_newton(task *t, double gain)
{
    mrn_fitting *p = t->p;
    mrn_descent d;
    MRN_FIT_TRY(mrn_descent_make(p, 1, &d));
    mrn_descent_reset(p, &d, 1);
    memcpy(d.u, t->u, (size_t)p->n * sizeof *d.u);
    mrn_status s = mrn_descend(p, &d, gain, false);
    if (s == MRN_OK && d.deviance[0] <= t->best) {
        t->best = d.deviance[0];
        memcpy(t->u, d.u, (size_t)p->n * sizeof *d.u);
        memcpy(p->f, d.f, (size_t)p->m * sizeof *d.f);
    }
    mrn_descent_release(&d);
    return s;
}

static void note_end(task *t, double deviance)
{
    if (t->n_ends < (int)(sizeof t->ends / sizeof *t->ends))
        t->ends[t->n_ends++] = deviance;
}

/* ---- local searches from points spread over the box ---- */

/* Latin hypercube: every coordinate has one point in each of `count` strips. */
static void spread_points(const mrn_fitting *p, int count, double *u)
{
    mrn_rng rng = mrn_rng_seed(p->opt->seed, 1);
    for (int j = 0; j < p->n; j++)
        for (int k = 0; k < count; k++) {
            int other = (int)(mrn_rng_uniform(&rng) * (k + 1));
            double where = (k + mrn_rng_uniform(&rng)) / count;
            u[(int64_t)k * p->n + j] = u[(int64_t)other * p->n + j];
            u[(int64_t)other * p->n + j] = where;
        }
}

static bool has_start(const mrn_fitting *p)
{
    for (int j = 0; j < p->n; j++)
        if (!isnan(p->parameter[j].start))
            return true;
    return false;
}

static void put_start(const mrn_fitting *p, double *u)
{
    for (int j = 0; j < p->n; j++) {
        double s = p->parameter[j].start;
        u[j] = isnan(s) ? 0.5 : mrn_fitting_u(p, j, s);
    }
}

/* The best `want` of count points first. */
static void best_first(int n, int count, double *u, double *value, int want)
{
    for (int k = 0; k < want; k++) {
        int best = k;
        for (int i = k + 1; i < count; i++)
            if (value[i] < value[best])
                best = i;
        double t = value[k];
        value[k] = value[best];
        value[best] = t;
        for (int j = 0; j < n; j++) {
            t = u[k * n + j];
            u[k * n + j] = u[best * n + j];
            u[best * n + j] = t;
        }
    }
}

typedef struct spread {
    double *u, *y, *value;
    bool *bad;
    mrn_descent d;
} spread;

static mrn_status spread_local(task *t, spread *w, int count)
{
    mrn_fitting *p = t->p;
    int n = p->n, given = has_start(p);
    MRN_FIT_TRY(mrn_array(&w->u, (int64_t)count * n, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->y, (int64_t)count * p->m, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->value, count, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->bad, count, sizeof(bool), p->msg));
    MRN_FIT_TRY(mrn_descent_make(p, LOCAL_STARTS + 1, &w->d));
    spread_points(p, count, w->u);
    MRN_FIT_TRY(mrn_fitting_predict(p, count, w->u, w->y, w->bad));
    for (int k = 0; k < count; k++)
        w->value[k] = w->bad[k]
                          ? MRN_FIT_FAR
                          : mrn_fitting_deviance(p, p->y, p->v, &w->y[(int64_t)k * p->m], t->sum);
    best_first(n, count, w->u, w->value, LOCAL_STARTS);
    mrn_descent_reset(p, &w->d, LOCAL_STARTS + given);
    memcpy(w->d.u, w->u, (size_t)(LOCAL_STARTS * n) * sizeof(double));
    if (given)
        put_start(p, &w->d.u[LOCAL_STARTS * n]);
    MRN_FIT_TRY(mrn_descend(p, &w->d, 1e-4, false));
    for (int k = 0; k < w->d.count; k++) {
        note_end(t, w->d.deviance[k]);
        if (w->d.deviance[k] < t->best) {
            t->best = w->d.deviance[k];
            memcpy(t->u, &w->d.u[k * n], (size_t)n * sizeof(double));
        }
    }
    p->deviance = t->best;
    return MRN_OK;
}

static mrn_status local_searches(task *t)
{
    spread w = {0};
    int count = 10 * (t->p->n + 1) > 30 ? 10 * (t->p->n + 1) : 30;
    mrn_status s = spread_local(t, &w, count);
    mrn_descent_release(&w.d);
    mrn_free(w.u);
    mrn_free(w.y);
    mrn_free(w.value);
    mrn_free(w.bad);
    return s;
}

/* ---- the global search ---- */

static mrn_status one_population(task *t, int population, int doubling)
{
    mrn_fitting *p = t->p;
    int64_t before = p->evaluations, most = (int64_t)population * 50 * (p->n + 1);
    p->done = (double)doubling / (p->opt->doublings + 1);
    t->best = INFINITY;
    for (int j = 0; j < p->n; j++)
        t->u[j] = 0.5;
    mrn_minimum m = {.method = MRN_MINIMISER_CRS2,
                     .population = (unsigned)population,
                     .seed = (unsigned long)(p->opt->seed * 1000003u + (unsigned)doubling + 1u),
                     .x_tolerance = 1e-3,
                     .value_tolerance = 1e-4,
                     .evaluations = most < 2000000000 ? (int)most : 2000000000};
    mrn_status s = run(t, m);
    p->global_evaluations += p->evaluations - before;
    if (s != MRN_OK || p->stopped)
        return s;
    MRN_FIT_TRY(run_local(t, 0.01, 1e-4));
    MRN_FIT_TRY(run_newton(t, 1e-6 * (1 + fabs(t->best))));
    note_end(t, t->best);
    return MRN_OK;
}

/* Deviances that mean the same optimum: no statistics sees a thousandth; where a model fits badly
   its own noise, of 1e-6 of the outputs, moves large deviances by more. */
static double nothing(double deviance)
{
    return 1e-3 + 1e-4 * fabs(deviance);
}

/* Populations in a row that must end at the best optimum. Where most local searches went elsewhere
   the landscape has many troughs, and two may share a wrong one. */
static int agreements_needed(const task *t, double best)
{
    int same = 0;
    for (int i = 0; i < t->n_ends; i++)
        same += t->ends[i] < best + nothing(best);
    return 3 * same >= t->n_ends ? 1 : 3;
}

static mrn_status populations(task *t)
{
    mrn_fitting *p = t->p;
    double best = INFINITY, u[MRN_FIT_MOST] = {0};
    int population = p->opt->population;
    if (population == 0)
        population = 10 * (p->n + 1) > 30 ? 10 * (p->n + 1) : 30;
    population = population > p->n + 1 ? population : p->n + 2; /* NLopt's least */
    bool fell = true;
    int same = 0;
    if (t->best < MRN_FIT_FAR) {
        best = t->best;
        memcpy(u, t->u, sizeof u);
    }
    for (int k = 0; k <= p->opt->doublings && !p->stopped; k++) {
        MRN_FIT_TRY(one_population(t, population, k));
        fell = t->best < best - nothing(best);
        same = !fell && t->best < best + nothing(best) ? same + 1 : 0;
        if (t->best < best) {
            best = t->best;
            memcpy(u, t->u, sizeof u);
        }
        if (k > 0 && same >= agreements_needed(t, best))
            break;
        if (population < 1 << 24)
            population *= 2;
    }
    p->stopped = p->stopped || (fell && p->opt->doublings > 0);
    t->best = best;
    memcpy(t->u, u, sizeof u);
    return MRN_OK;
}

/* ---- the end ---- */

/* Onto a bound that is close, where that is no worse: noise of the model stops a search before it.
 */
static mrn_status snap(task *t)
{
    mrn_fitting *p = t->p;
    for (int j = 0; j < p->n; j++) {
        double u[MRN_FIT_MOST], bound = t->u[j] < 0.5 ? 0 : 1;
        bool bad;
        if (t->u[j] == bound || fabs(t->u[j] - bound) > 0.01)
            continue;
        memcpy(u, t->u, sizeof u);
        u[j] = bound;
        MRN_FIT_TRY(mrn_fitting_predict(p, 1, u, t->y, &bad));
        double d = bad ? MRN_FIT_FAR : mrn_fitting_deviance(p, p->y, p->v, t->y, t->sum);
        if (d <= t->best + 0.1 * nothing(t->best)) {
            t->best = d;
            memcpy(t->u, u, sizeof u);
        }
    }
    return MRN_OK;
}

/* Derivative-free to the tolerance asked for, then by the gradient. */
static mrn_status polish(task *t)
{
    mrn_fitting *p = t->p;
    if (!p->stopped)
        MRN_FIT_TRY(run_local(t, 1e-3, p->opt->tolerance));
    MRN_FIT_TRY(run_newton(t, 1e-6));
    MRN_FIT_TRY(snap(t));
    MRN_FIT_TRY(run_newton(t, 1e-26 * (1 + fabs(t->best))));
    p->deviance = t->best;
    memcpy(p->u, t->u, sizeof p->u);
    return MRN_OK;
}

/* Fewer data than parameters: of all that fit alike, the one that steps from the start (or the
   middle of the box) come to. The random search ends anywhere among them. */
static mrn_status nearest_alike(task *t)
{
    mrn_fitting *p = t->p;
    task other = *t;
    put_start(p, other.u);
    other.best = INFINITY;
    MRN_FIT_TRY(run_newton(&other, 1e-6));
    if (other.best <= t->best + 1e-3) {
        t->best = other.best;
        memcpy(t->u, other.u, sizeof t->u);
    }
    return MRN_OK;
}

static mrn_status with_room(mrn_fitting *p, task *t)
{
    MRN_FIT_TRY(mrn_array(&t->y, p->m, sizeof(double), p->msg));
    return mrn_array(&t->sum, p->n_responses, sizeof(double), p->msg);
}

static mrn_status search(task *t)
{
    mrn_fitting *p = t->p;
    MRN_FIT_TRY(with_room(p, t));
    mrn_fitting_phase(p, "search");
    MRN_FIT_TRY(local_searches(t));
    MRN_FIT_TRY(populations(t));
    if (!(t->best < MRN_FIT_FAR))
        return mrn_fail(p->msg, MRN_ERR_INPUT,
                        "the model has no answer anywhere within the bounds (%lld points tried)",
                        (long long)p->evaluations);
    mrn_fitting_phase(p, "refine");
    if (p->m < p->n)
        MRN_FIT_TRY(nearest_alike(t));
    MRN_FIT_TRY(polish(t));
    for (int i = 0; i < t->n_ends; i++)
        p->found += t->ends[i] < p->deviance + nothing(p->deviance);
    return MRN_OK;
}

mrn_status mrn_fitting_search(mrn_fitting *p)
{
    task t = {.p = p, .best = INFINITY};
    mrn_status s = search(&t);
    mrn_free(t.y);
    mrn_free(t.sum);
    return s;
}

mrn_status mrn_fitting_refine(mrn_fitting *p)
{
    task t = {.p = p, .best = INFINITY};
    memcpy(t.u, p->u, sizeof t.u);
    mrn_status s = with_room(p, &t);
    if (s == MRN_OK)
        s = polish(&t);
    if (s == MRN_OK)
        p->found = 1;
    mrn_free(t.y);
    mrn_free(t.sum);
    return s;
}
