/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parametric bootstrap: data drawn anew around the optimum with their errors, fitted again from
   there; intervals are percentiles of what comes out.

   Variances that were themselves estimated make Student's tails: every replica multiplies the
   spread of a response by sqrt(df / chi²_df), df the degrees of freedom behind it. For a straight
   line with a common variance the percentiles are then Student's interval exactly. Replicates are
   drawn whole: a mean, and a variance with its own chi².

   Percentiles, because they are the same in every scale of a parameter and stay within bounds; the
   basic interval turns a skewed distribution the wrong way round, and corrections for bias and
   acceleration cost more in noise (with the usual few hundred replicas) than they mend: coverage
   of all three intervals is measured in tests/lab/test_fit_coverage.c.

   Two hundred replicas put the end of a 95 % interval wrong by a fifth of a standard deviation, by
   the luck of the draw. The linearised fit of the same draws has nearly the same luck, and costs
   nothing: so z, what it makes of a replica, is drawn some ten thousand times, and where its
   percentile lies among the z of the replicas says which of these to take (a control variate for
   quantiles; Hsu & Nelson, Management Science 36, 1990). That is exact where the parameter is a
   rising function of z, however bent.

   Where the model is itself known only so well, every replica has another one (mrn_redraw). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "inference/chance.h"
#include "inference/fit.h"

enum {
    CHUNK = 128,      /* replicas fitted at a time                                      */
    STARTS = 2,       /* of a replica with a model of its own                           */
    LINEAR = 1 << 14, /* linearised ones: an end of the interval to 0.02 standard deviations */
};
/* Tails of a tenth tell how well z follows: those of the interval itself hold a handful. */
#define TAIL 0.1

typedef struct room {
    double *y, *v, *sd, *wide, *sorted;
    double *gain;       /* n * m: d u / d y of the linearised fit             */
    double *z;          /* total * n: what it makes of the replicas           */
    double *linear;     /* LINEAR * n: of many more                           */
    double *mine, *far; /* both of one parameter, sorted                  */
    double *at;         /* m: of a model drawn, at the optimum                */
    mrn_descent d;
} room;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The least of the parameters' degrees of freedom, for spreads from replicates. */
static double least_freedom(const mrn_fitting *p)
{
    double df = INFINITY;
    for (int j = 0; j < p->n; j++)
        if (!p->nil[j])
            df = fmin(df, p->freedom[j]);
    return df;
}

static double widened(mrn_rng *rng, double df)
{
    return isinf(df) ? 1 : sqrt(df / mrn_rng_chi2(rng, df));
}

/* Variances to draw with. A guess from few replicates scatters more than the variances do, and data
   drawn with it would seem to tell good measurements from bad ones, which the true ones cannot. So
   their logarithms are drawn towards the mean of their response, as far as they scatter no more
   than nu degrees of freedom make them (variance psi'(nu / 2); Smyth 2004). */
static double log_variance(const mrn_fitting *p, int i)
{
    double nu = p->data[i].freedom;
    return log(0.5 * nu * p->v[i]) - mrn_chance_digamma(0.5 * nu);
}

static void spreads_of(const mrn_fitting *p, int response, double *sd)
{
    double mean = 0, scatter = 0, noise = 0;
    int n = 0;
    for (int i = 0; i < p->m; i++)
        if (p->a[i] > 0 && p->data[i].response == response) {
            mean += log_variance(p, i);
            noise += mrn_chance_trigamma(0.5 * p->data[i].freedom);
            n++;
        }
    for (int i = 0; i < p->m; i++)
        if (p->a[i] > 0 && p->data[i].response == response)
            scatter += pow(log_variance(p, i) - mean / n, 2);
    double excess = n > 1 ? fmax(0, scatter / (n - 1) - noise / n) : INFINITY;
    for (int i = 0; i < p->m; i++)
        if (p->a[i] > 0 && p->data[i].response == response) {
            double own = mrn_chance_trigamma(0.5 * p->data[i].freedom);
            double keep = isinf(excess) ? 1 : excess / (excess + own);
            double log_v = mean / n + keep * (log_variance(p, i) - mean / n);
            sd[i] = exp(0.5 * (log_v - 0.5 * keep * own)); /* 1 / variance right in the mean */
        }
}

static void all_spreads(const mrn_fitting *p, double *sd)
{
    for (int i = 0; i < p->m; i++)
        sd[i] = sqrt(p->variance[i]);
    for (int k = 0; k < p->n_responses && p->any_students; k++)
        spreads_of(p, k, sd);
}

/* Replica number k: a stream of its own, so that it does not depend on the others. */
static void draw(const mrn_fitting *p, int k, double df, const room *w, double *y, double *v)
{
    mrn_rng rng = mrn_rng_seed(p->opt->seed, 1000 + (uint64_t)k);
    double students = widened(&rng, p->any_students ? df : INFINITY);
    for (int r = 0; r < p->n_responses; r++)
        w->wide[r] = widened(&rng, p->count[r] > 0 ? p->count[r] - p->used[r] : INFINITY);
    for (int i = 0; i < p->m; i++) {
        double sd = w->sd[i], z = mrn_rng_normal(&rng);
        v[i] = p->v[i];
        if (p->a[i] < 0) {
            sd *= w->wide[p->data[i].response];
        } else if (p->a[i] > 0) {
            int nu = p->data[i].freedom;
            sd *= students;
            v[i] = sd * sd * mrn_rng_chi2(&rng, nu) / nu;
        }
        y[i] = p->f[i] + sd * z;
    }
}

/* Sorted values; q in (0, 1); the k-th of n stands for k / (n + 1). Nothing beyond the ends. */
static double percentile(const double *x, int n, double q)
{
    double at = q * (n + 1) - 1;
    if (at < -1e-9 || at > n - 1 + 1e-9)
        return NAN;
    int k = (int)fmin(n - 2, fmax(0, floor(at)));
    return x[k] + (at - k) * (x[k + 1] - x[k]);
}

/* Where q lies among sorted values: the place that `percentile` would give it; may be outside. */
static double place_of(const double *x, int n, double q)
{
    int k = 0;
    while (k < n - 2 && x[k + 1] < q)
        k++;
    double gap = x[k + 1] - x[k];
    double at = gap > 0 ? k + (q - x[k]) / gap : k;
    return (at + 1) / (n + 1);
}

/* ---- the linearised fit of a replica ---- */

/* d u / d y = C b' W; nothing where a parameter is not known. */
static void gains(const mrn_fitting *p, double *gain)
{
    int n = p->n, m = p->m;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                if (isfinite(p->cov[j * n + k]))
                    sum += p->cov[j * n + k] * p->b[(int64_t)i * n + k];
            gain[(int64_t)j * m + i] = isfinite(p->cov[j * n + j]) ? sum * p->weight[i] : 0;
        }
}

static void linear_fit(const mrn_fitting *p, const double *gain, const double *y, double *z)
{
    for (int j = 0; j < p->n; j++) {
        z[j] = 0;
        for (int i = 0; i < p->m; i++)
            z[j] += gain[(int64_t)j * p->m + i] * (y[i] - p->f[i]);
    }
}

static void linear_replicas(const mrn_fitting *p, double df, const room *w)
{
    for (int k = 0; k < LINEAR; k++) {
        if (p->redraw != NULL) {
            p->redraw->differ(p->redraw->user, p->opt->seed, k, w->y);
            for (int i = 0; i < p->m; i++)
                w->y[i] += p->f[i];
        } else {
            draw(p, k, df, w, w->y, w->v);
        }
        linear_fit(p, w->gain, w->y, &w->linear[(int64_t)k * p->n]);
    }
}

/* ---- the replicas ---- */

static mrn_status replicas(mrn_fitting *p, mrn_fit *out, room *w)
{
    int n = p->n, m = p->m, total = p->opt->bootstrap;
    double df = least_freedom(p);
    for (int from = 0; from < total; from += CHUNK) {
        int count = total - from < CHUNK ? total - from : CHUNK;
        p->done = (double)from / total;
        mrn_descent_reset(p, &w->d, count);
        for (int k = 0; k < count; k++) {
            draw(p, from + k, df, w, &w->y[(int64_t)k * m], &w->v[(int64_t)k * m]);
            w->d.y[k] = &w->y[(int64_t)k * m];
            w->d.v[k] = &w->v[(int64_t)k * m];
            linear_fit(p, w->gain, w->d.y[k], &w->z[((int64_t)from + k) * n]);
        }
        MRN_FIT_TRY(mrn_descend(p, &w->d, 1e-4, true)); /* a hundredth of a standard deviation */
        for (int k = 0; k < count; k++)
            for (int j = 0; j < n; j++)
                out->bootstrap[((int64_t)from + k) * n + j] =
                    mrn_fitting_x(p, j, w->d.u[(int64_t)k * n + j]);
    }
    out->n_bootstrap = total;
    return MRN_OK;
}

/* ---- replicas with models of their own ---- */

/* From the optimum, and from where the linearised fit would have it: the better of both. */
static mrn_status fit_one(mrn_fitting *p, room *w, const double *z, double *x)
{
    int n = p->n, best = 0;
    mrn_descent_reset(p, &w->d, STARTS);
    for (int s = 0; s < STARTS; s++) {
        w->d.y[s] = w->y;
        w->d.v[s] = w->v;
        for (int j = 0; j < n; j++)
            w->d.u[s * n + j] = fmin(1, fmax(0, p->u[j] + s * z[j]));
    }
    MRN_FIT_TRY(mrn_descend(p, &w->d, 1e-4, false));
    for (int s = 1; s < STARTS; s++)
        best = w->d.deviance[s] < w->d.deviance[best] ? s : best;
    for (int j = 0; j < n; j++)
        x[j] = mrn_fitting_x(p, j, w->d.u[best * n + j]);
    return MRN_OK;
}

static mrn_status redrawn_replica(mrn_fitting *p, int k, mrn_fit *out, room *w)
{
    const mrn_redraw *r = p->redraw;
    double *z = &w->z[(int64_t)k * p->n];
    MRN_FIT_TRY(r->draw(r->user, p->opt->seed, k, w->y, w->v, w->at, p->msg));
    for (int i = 0; i < p->m; i++)
        w->at[i] = p->f[i] + w->y[i] - w->at[i];
    linear_fit(p, w->gain, w->at, z);
    return fit_one(p, w, z, &out->bootstrap[(int64_t)k * p->n]);
}

static mrn_status redrawn_replicas(mrn_fitting *p, mrn_fit *out, room *w)
{
    const mrn_predictor *model = p->model;
    int total = p->opt->bootstrap;
    mrn_status s = MRN_OK;
    p->model = &p->redraw->model;
    for (int k = 0; k < total && s == MRN_OK; k++) {
        p->done = (double)k / total;
        s = redrawn_replica(p, k, out, w);
    }
    p->model = model;
    out->n_bootstrap = s == MRN_OK ? total : 0;
    return s;
}

/* How much of the luck of u is that of z, in the tails: the correlation of being in the tenth at
   either end. `sorted` and `mine` are. */
static double shared_luck(const mrn_fitting *p, int j, const mrn_fit *out, const room *w)
{
    int count = out->n_bootstrap, tail = (int)fmax(1, floor(TAIL * count));
    double low_u = w->sorted[tail - 1], high_u = w->sorted[count - tail];
    double low_z = w->mine[tail - 1], high_z = w->mine[count - tail];
    int both = 0;
    for (int k = 0; k < count; k++) {
        double u = mrn_fitting_u(p, j, out->bootstrap[(int64_t)k * p->n + j]);
        double z = w->z[(int64_t)k * p->n + j];
        both += (u <= low_u && z <= low_z) + (u >= high_u && z >= high_z);
    }
    double share = (double)tail / count, each = 0.5 * both / count;
    return fmin(1, fmax(0, (each - share * share) / (share * (1 - share))));
}

/* The percentile q of u, where that of z is `exact`. Few replicas have no percentile q of their
   own: then it is as far beyond the last of them as z is. */
static double percentile_of(const room *w, int n, double q, double luck, double exact)
{
    double least = 1. / (n + 1);
    double level = q + luck * (place_of(w->mine, n, exact) - q);
    double inside = fmin(1 - least, fmax(least, level));
    double u = percentile(w->sorted, n, inside);
    if (level != inside)
        u += luck > 0 ? luck * (exact - percentile(w->mine, n, inside)) : NAN;
    return u;
}

static void interval_of(const mrn_fitting *p, int j, mrn_fit *out, const room *w)
{
    int n = p->n, count = out->n_bootstrap;
    for (int k = 0; k < count; k++) {
        w->sorted[k] = mrn_fitting_u(p, j, out->bootstrap[(int64_t)k * n + j]);
        w->mine[k] = w->z[(int64_t)k * n + j];
    }
    for (int k = 0; k < LINEAR; k++)
        w->far[k] = w->linear[(int64_t)k * n + j];
    qsort(w->sorted, (size_t)count, sizeof(double), ascending);
    qsort(w->mine, (size_t)count, sizeof(double), ascending);
    qsort(w->far, LINEAR, sizeof(double), ascending);
    double luck = shared_luck(p, j, out, w);
    for (int side = 0; side < 2; side++) {
        double q = side == 0 ? 0.5 - 0.5 * p->opt->confidence : 0.5 + 0.5 * p->opt->confidence;
        double u = percentile_of(w, count, q, luck, percentile(w->far, LINEAR, q));
        out->at[j].bootstrap[side] =
            isnan(u) ? NAN : mrn_fitting_x(p, j, fmin(1, fmax(0, u))); /* bounds are bounds */
    }
}

static void intervals(const mrn_fitting *p, mrn_fit *out, const room *w)
{
    for (int j = 0; j < p->n && out->n_bootstrap >= 2; j++) {
        interval_of(p, j, out, w);
        if (mrn_fitting_loose(p, j)) { /* nothing moves it from where it started */
            out->at[j].bootstrap[0] = -INFINITY;
            out->at[j].bootstrap[1] = INFINITY;
        }
    }
}

static mrn_status begin_redraw(const mrn_fitting *p)
{
    double x[MRN_FIT_MOST];
    if (p->redraw == NULL)
        return MRN_OK;
    for (int j = 0; j < p->n; j++)
        x[j] = mrn_fitting_x(p, j, p->u[j]);
    return p->redraw->begin(p->redraw->user, p->opt->seed, x);
}

static mrn_status bootstrap(mrn_fitting *p, mrn_fit *out, room *w)
{
    int64_t total = p->opt->bootstrap, chunk = total < CHUNK ? total : CHUNK;
    chunk = p->redraw != NULL ? STARTS : chunk;
    MRN_FIT_TRY(mrn_array(&out->bootstrap, total * p->n, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->y, chunk * p->m, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->v, chunk * p->m, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->sd, p->m, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->at, p->m, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->wide, p->n_responses, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->sorted, total, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->mine, total, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->gain, (int64_t)p->n * p->m, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->z, total * p->n, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->linear, (int64_t)LINEAR * p->n, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->far, LINEAR, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_descent_make(p, (int)chunk, &w->d));
    all_spreads(p, w->sd);
    gains(p, w->gain);
    MRN_FIT_TRY(begin_redraw(p));
    linear_replicas(p, least_freedom(p), w);
    if (p->redraw != NULL)
        MRN_FIT_TRY(redrawn_replicas(p, out, w));
    else
        MRN_FIT_TRY(replicas(p, out, w));
    intervals(p, out, w);
    return MRN_OK;
}

mrn_status mrn_fitting_bootstrap(mrn_fitting *p, mrn_fit *out)
{
    room w = {0};
    mrn_fitting_phase(p, "bootstrap");
    mrn_status s = bootstrap(p, out, &w);
    mrn_descent_release(&w.d);
    mrn_free(w.y);
    mrn_free(w.v);
    mrn_free(w.sd);
    mrn_free(w.at);
    mrn_free(w.wide);
    mrn_free(w.sorted);
    mrn_free(w.mine);
    mrn_free(w.far);
    mrn_free(w.gain);
    mrn_free(w.z);
    mrn_free(w.linear);
    return s;
}
