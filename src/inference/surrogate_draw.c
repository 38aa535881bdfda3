/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions drawn from what is known of a process: all that the runs allow, each as often as it is
   likely.

   Matheron's rule (Wilson et al., ICML 2020): a path of the process as it was before any run, and
   runs of that path with noise of their own; the process' mean is linear in the runs, so what it
   makes of the difference between the true runs and these, added to the path, is a function with
   the mean and the covariance that mrn_process_at tells. That holds for the mean by generalised
   least squares too: its error is that of the drawn runs.

   Paths are sums of waves (Rahimi & Recht, NIPS 2007): the spectrum of a Matern 5/2 correlation is
   Student's with five degrees of freedom over the lengths, one chi² for all parameters. Frequencies
   are drawn anew for every path, so that covariances are exact in the mean over paths however few
   the waves; their number only makes each path nearer to a Gaussian one. What exact runs leave open
   is made by frequencies above those of the runs, which are rare: they are drawn from Cauchy's
   spectrum, where they are not, and weighted (nowhere by much more than 2). */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "inference/fit.h"
#include "inference/surrogate.h"
#include "linalg/sums.h"

enum { WAVES = 256 };

void mrn_drawn_release(mrn_drawn *d)
{
    mrn_free(d->wave);
    mrn_free(d->phase);
    mrn_free(d->weight);
    mrn_free(d->alpha);
    *d = (mrn_drawn){0};
}

mrn_status mrn_drawn_make(const mrn_process *g, mrn_drawn *out, mrn_message *msg)
{
    *out = (mrn_drawn){.of = g};
    if (g->plain)
        return MRN_OK;
    mrn_status s = mrn_array(&out->wave, (int64_t)WAVES * g->n, sizeof(double), msg);
    if (s == MRN_OK)
        s = mrn_array(&out->phase, WAVES, sizeof(double), msg);
    if (s == MRN_OK)
        s = mrn_array(&out->weight, WAVES, sizeof(double), msg);
    if (s == MRN_OK)
        s = mrn_array(&out->alpha, g->count, sizeof(double), msg);
    if (s != MRN_OK)
        mrn_drawn_release(out);
    return s;
}

/* Log of Student's density in n dimensions at its middle. */
static double log_middle(double df, int n)
{
    return lgamma(0.5 * (df + n)) - lgamma(0.5 * df) - 0.5 * n * log(df);
}

static void draw_waves(mrn_drawn *d, mrn_rng *rng)
{
    const mrn_process *g = d->of;
    double size = sqrt(2 * g->signal / WAVES);
    double whole = log_middle(5, g->n) - log_middle(1, g->n);
    for (int i = 0; i < WAVES; i++) {
        double stretch = 1 / fmax(fabs(mrn_rng_normal(rng)), 1e-9), square = 0;
        for (int k = 0; k < g->n; k++) {
            double wave = stretch * mrn_rng_normal(rng);
            d->wave[i * g->n + k] = wave / g->length[k];
            square += wave * wave;
        }
        /* log of the one density over the other */
        double share =
            whole - 0.5 * (5 + g->n) * log1p(square / 5) + 0.5 * (1 + g->n) * log1p(square);
        d->phase[i] = 2 * M_PI * mrn_rng_uniform(rng);
        d->weight[i] = size * exp(0.5 * share) * mrn_rng_normal(rng);
    }
}

static double path_at(const mrn_drawn *d, const double *u)
{
    int n = d->of->n;
    double sum = 0;
    for (int i = 0; i < WAVES; i++) {
        double angle = d->phase[i];
        for (int k = 0; k < n; k++)
            angle += d->wave[i * n + k] * u[k];
        sum += d->weight[i] * cos(angle);
    }
    return sum;
}

/* a = C⁻¹ (a - beta), beta by generalised least squares. */
static double solve(const mrn_process *g, double *a)
{
    int64_t count = g->count;
    for (int64_t i = 0; i < count; i++) {
        const double *row = g->row + i * (i + 1) / 2;
        a[i] = (a[i] - mrn_dot_long(i, row, a)) / row[i];
    }
    double beta = mrn_dot_long(count, g->h, a) / g->hh;
    for (int64_t i = 0; i < count; i++)
        a[i] -= beta * g->h[i];
    for (int64_t i = count - 1; i >= 0; i--) {
        const double *row = g->row + i * (i + 1) / 2;
        a[i] /= row[i];
        for (int64_t j = 0; j < i; j++)
            a[j] -= row[j] * a[i];
    }
    return beta;
}

void mrn_drawn_draw(mrn_drawn *d, mrn_rng *rng)
{
    const mrn_process *g = d->of;
    if (g->plain)
        return;
    draw_waves(d, rng);
    for (int64_t i = 0; i < g->count; i++) {
        double noise = sqrt(g->d[i] + g->signal * g->jitter) * mrn_rng_normal(rng);
        d->alpha[i] = path_at(d, &g->u[i * g->n]) + noise;
    }
    d->beta = g->beta - solve(g, d->alpha);
    for (int64_t i = 0; i < g->count; i++)
        d->alpha[i] = g->alpha[i] - d->alpha[i];
}

double mrn_drawn_at(const mrn_drawn *d, const double *u)
{
    const mrn_process *g = d->of;
    double t[MRN_SURROGATE_POINTS];
    if (g->plain)
        return g->shift;
    mrn_process_covary(g, u, t);
    double z = d->beta + mrn_dot_long(g->count, d->alpha, t) + path_at(d, u);
    return g->shift + g->scale * z;
}
