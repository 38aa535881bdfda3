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
   of all three intervals is measured in tests/lab/test_fit_coverage.c. */
#include <gsl/gsl_sf_psi.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "lab/fit.h"

enum { CHUNK = 128 }; /* replicas fitted at a time */

typedef struct room {
    double *y, *v, *sd, *wide, *sorted;
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
    return log(0.5 * nu * p->v[i]) - gsl_sf_psi(0.5 * nu);
}

static void spreads_of(const mrn_fitting *p, int response, double *sd)
{
    double mean = 0, scatter = 0, noise = 0;
    int n = 0;
    for (int i = 0; i < p->m; i++)
        if (p->a[i] > 0 && p->data[i].response == response) {
            mean += log_variance(p, i);
            noise += gsl_sf_psi_1(0.5 * p->data[i].freedom);
            n++;
        }
    for (int i = 0; i < p->m; i++)
        if (p->a[i] > 0 && p->data[i].response == response)
            scatter += pow(log_variance(p, i) - mean / n, 2);
    double excess = n > 1 ? fmax(0, scatter / (n - 1) - noise / n) : INFINITY;
    for (int i = 0; i < p->m; i++)
        if (p->a[i] > 0 && p->data[i].response == response) {
            double own = gsl_sf_psi_1(0.5 * p->data[i].freedom);
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

static void intervals(const mrn_fitting *p, mrn_fit *out, double *sorted)
{
    int count = out->n_bootstrap;
    double out_of = 0.5 - 0.5 * p->opt->confidence;
    for (int j = 0; j < p->n && count >= 2; j++) {
        for (int k = 0; k < count; k++)
            sorted[k] = out->bootstrap[(int64_t)k * p->n + j];
        qsort(sorted, (size_t)count, sizeof *sorted, ascending);
        out->at[j].bootstrap[0] = percentile(sorted, count, out_of);
        out->at[j].bootstrap[1] = percentile(sorted, count, 1 - out_of);
        if (mrn_fitting_loose(p, j)) { /* nothing moves it from where it started */
            out->at[j].bootstrap[0] = -INFINITY;
            out->at[j].bootstrap[1] = INFINITY;
        }
    }
}

static mrn_status bootstrap(mrn_fitting *p, mrn_fit *out, room *w)
{
    int64_t total = p->opt->bootstrap, chunk = total < CHUNK ? total : CHUNK;
    MRN_FIT_TRY(mrn_array(&out->bootstrap, total * p->n, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->y, chunk * p->m, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->v, chunk * p->m, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->sd, p->m, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->wide, p->n_responses, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->sorted, total, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_descent_make(p, (int)chunk, &w->d));
    all_spreads(p, w->sd);
    MRN_FIT_TRY(replicas(p, out, w));
    intervals(p, out, w->sorted);
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
    mrn_free(w.wide);
    mrn_free(w.sorted);
    return s;
}
