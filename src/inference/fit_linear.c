/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model as a straight line around the optimum: sensitivities, covariance, how many degrees of
   freedom stand behind an interval, and which rise of the deviance belongs to its end. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "inference/fit.h"
#include "linalg/jacobi.h"

/* ---- derivatives ---- */

/* Central differences with six steps; two that follow each other extrapolated (Richardson). Large
   steps suffer from the curvature of the model, small ones from its noise (a collision is known to
   1e-6): the pair that differs least is taken. At a bound, one-sided ones of second order. */
enum { STEPS = 6, RATIO = 4 };
static const double steps[STEPS] = {0x1p-5, 0x1p-7, 0x1p-9, 0x1p-11, 0x1p-13, 0x1p-15};

typedef struct room {
    double *u, *y, *d; /* 2 STEPS points; their outputs; STEPS differences of m */
    bool *bad;
    double *h;   /* m: leverages */
    double *sum; /* n_responses  */
} room;

/* Offsets of the two points: -h, h inside; h, 2 h (or the other way) at a bound. */
static void offsets(double u, double h, double *a, double *b)
{
    *a = u - h < 0 ? h : u + h > 1 ? -h : -h;
    *b = u - h < 0 ? 2 * h : u + h > 1 ? -2 * h : h;
}

static double difference(double a, double b, double f0, double fa, double fb)
{
    if (a == -b)
        return (fb - fa) / (b - a);
    return (4 * fa - fb - 3 * f0) / (2 * a);
}

/* Size of a change of the outputs, in standard deviations. */
static double size_of(const mrn_fitting *p, const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < p->m; i++)
        s += p->weight[i] * (a[i] - (b ? b[i] : 0)) * (a[i] - (b ? b[i] : 0));
    return sqrt(s);
}

static void choose(mrn_fitting *p, int j, room *w)
{
    int m = p->m, best = -1;
    double least = INFINITY;
    for (int k = 0; k + 1 < STEPS; k++) {
        bool whole =
            !w->bad[2 * k] && !w->bad[2 * k + 1] && !w->bad[2 * k + 2] && !w->bad[2 * k + 3];
        double e = whole ? size_of(p, &w->d[k * m], &w->d[(k + 1) * m]) : INFINITY;
        if (e < least) {
            least = e;
            best = k;
        }
    }
    for (int i = 0; i < m; i++) {
        double large = best < 0 ? 0 : w->d[best * m + i];
        double small = best < 0 ? 0 : w->d[(best + 1) * m + i];
        p->b[(int64_t)i * p->n + j] = small + (small - large) / (RATIO * RATIO - 1);
    }
    p->step[j] = best < 0 ? 1e-3 : steps[best + 1];
}

static mrn_status differentiate(mrn_fitting *p, int j, room *w)
{
    int n = p->n, m = p->m;
    double a, b;
    for (int k = 0; k < 2 * STEPS; k++) {
        memcpy(&w->u[k * n], p->u, (size_t)n * sizeof(double));
        offsets(p->u[j], steps[k / 2], &a, &b);
        w->u[k * n + j] = p->u[j] + (k % 2 ? b : a);
    }
    MRN_FIT_TRY(mrn_fitting_predict(p, 2 * STEPS, w->u, w->y, w->bad));
    for (int k = 0; k < STEPS; k++) {
        offsets(p->u[j], steps[k], &a, &b);
        /* the offsets as they are in the points, after rounding */
        double ra = w->u[2 * k * n + j] - p->u[j], rb = w->u[(2 * k + 1) * n + j] - p->u[j];
        const double *fa = &w->y[2 * k * m], *fb = fa + m;
        for (int i = 0; i < m; i++)
            w->d[k * m + i] =
                a == -b ? (fb[i] - fa[i]) / (rb - ra) : difference(ra, rb, p->f[i], fa[i], fb[i]);
    }
    choose(p, j, w);
    return MRN_OK;
}

/* ---- weights ---- */

/* Information of a datum about its mean. Replicates: with tau² = (nu v + r²) / a the guess of the
   variance that 1 / tau² is right in the mean, the weighted score has (nu + 1) / a times the
   variance of the Gaussian one. */
static void weigh(mrn_fitting *p)
{
    for (int i = 0; i < p->m; i++) {
        const mrn_datum *d = &p->data[i];
        double r = p->y[i] - p->f[i];
        if (p->a[i] < 0)
            p->variance[i] = p->square[d->response];
        else if (p->a[i] > 0)
            p->variance[i] = (d->freedom * p->v[i] + r * r) / p->a[i];
        else
            p->variance[i] = p->v[i];
        p->weight[i] = (p->a[i] > 0 ? p->a[i] / (d->freedom + 1) : 1) / p->variance[i];
    }
}

static void common_squares(mrn_fitting *p)
{
    for (int k = 0; k < p->n_responses; k++) {
        double sum = 0;
        for (int i = 0; i < p->m; i++)
            if (p->a[i] < 0 && p->data[i].response == k)
                sum += (p->y[i] - p->f[i]) * (p->y[i] - p->f[i]);
        p->square[k] = p->count[k] > 0 ? fmax(sum, p->least[k]) / (p->count[k] - p->used[k]) : NAN;
    }
}

/* ---- covariance ---- */

static void information(const mrn_fitting *p, const double *weight, double *h)
{
    int n = p->n;
    memset(h, 0, (size_t)(n * n) * sizeof *h);
    for (int i = 0; i < p->m; i++) {
        const double *b = &p->b[(int64_t)i * n];
        for (int j = 0; j < n; j++)
            for (int k = 0; k <= j; k++)
                h[j * n + k] += weight[i] * b[j] * b[k];
    }
    for (int j = 0; j < n; j++)
        for (int k = 0; k < j; k++)
            h[k * n + j] = h[j * n + k];
}

/* (Bᵀ W B)⁻¹ by its eigenvalues, every column of B scaled to one first. A parameter that moves all
   data by less than a tenth of their error over its whole range counts as without influence (of a
   calibration, `few`: by less than their error, since surrogates make as much of nothing at all);
   an eigenvalue below 1e-7 as a combination that is not known: its spread is left large, not
   infinite, so that the others' correlations with it stay numbers. */
static void invert(mrn_fitting *p)
{
    int n = p->n, at[MRN_FIT_MOST], c = 0;
    double h[MRN_FIT_MOST * MRN_FIT_MOST], a[MRN_FIT_MOST * MRN_FIT_MOST], scale[MRN_FIT_MOST];
    double vector[MRN_FIT_MOST * MRN_FIT_MOST]; /* columns */
    information(p, p->weight, h);
    p->n_loose = 0;
    for (int j = 0; j < n; j++) {
        p->nil[j] = !(h[j * n + j] > (p->opt->few ? 1 : 0.01));
        if (!p->nil[j])
            at[c++] = j;
        for (int k = 0; k < n; k++)
            p->cov[j * n + k] = j == k && p->nil[j] ? INFINITY : 0;
    }
    for (int j = 0; j < c; j++)
        scale[j] = 1 / sqrt(h[at[j] * n + at[j]]);
    for (int j = 0; j < c; j++)
        for (int k = 0; k < c; k++)
            a[j * c + k] = h[at[j] * n + at[k]] * scale[j] * scale[k];
    mrn_jacobi_pairs(c, a, 0, DBL_EPSILON, vector);
    for (int e = 0; e < c; e++) {
        double value = a[e * c + e], inverse = 1 / fmax(value, 1e-12);
        if (value < 1e-7) {
            double *to = &p->loose[n * p->n_loose++];
            memset(to, 0, (size_t)n * sizeof *to);
            for (int j = 0; j < c; j++)
                to[at[j]] = vector[j * c + e];
        }
        for (int j = 0; j < c; j++)
            for (int k = 0; k <= j; k++)
                p->cov[at[j] * n + at[k]] +=
                    inverse * vector[j * c + e] * vector[k * c + e] * scale[j] * scale[k];
    }
    for (int j = 0; j < n; j++)
        for (int k = 0; k < j; k++)
            p->cov[k * n + j] = p->cov[j * n + k];
}

/* bᵀ C b, nil parameters left out. */
static double spread_of(const mrn_fitting *p, const double *b)
{
    double s = 0;
    for (int j = 0; j < p->n; j++)
        for (int k = 0; k < p->n; k++)
            if (!p->nil[j] && !p->nil[k])
                s += b[j] * p->cov[j * p->n + k] * b[k];
    return s;
}

/* Degrees of freedom the parameters take from every response: its sum of leverages. A common
   variance depends on them and they on it. */
static void covariance(mrn_fitting *p, double *leverage)
{
    for (int k = 0; k < p->n_responses; k++)
        p->used[k] = (double)p->n * p->count[k] / p->m;
    for (int round = 0; round < 30; round++) {
        double change = 0;
        common_squares(p);
        weigh(p);
        invert(p);
        if (p->common == 0)
            return;
        for (int i = 0; i < p->m; i++)
            leverage[i] = p->weight[i] * spread_of(p, &p->b[(int64_t)i * p->n]);
        for (int k = 0; k < p->n_responses; k++) {
            double sum = 0;
            for (int i = 0; i < p->m; i++)
                sum += p->a[i] < 0 && p->data[i].response == k ? leverage[i] : 0;
            sum = fmin(sum, p->n);
            change = fmax(change, fabs(sum - p->used[k]));
            p->used[k] = sum;
        }
        if (change < 1e-13 * p->n)
            return;
    }
}

/* ---- degrees of freedom (Satterthwaite) ---- */

/* What datum i adds to the knowledge of u_j: w (C b)_j² / C_jj; all data make one. */
static double part_of(const mrn_fitting *p, int i, int j)
{
    const double *b = &p->b[(int64_t)i * p->n];
    double s = 0;
    for (int k = 0; k < p->n; k++)
        s += p->nil[k] ? 0 : p->cov[j * p->n + k] * b[k];
    return p->weight[i] * s * s / p->cov[j * p->n + j];
}

static void freedoms(mrn_fitting *p)
{
    memset(p->share, 0, (size_t)p->n * (size_t)p->n_responses * sizeof *p->share);
    for (int j = 0; j < p->n; j++) {
        double students = 0, common = 0, *share = &p->share[(int64_t)j * p->n_responses];
        for (int i = 0; i < p->m && !p->nil[j]; i++) {
            double part = part_of(p, i, j);
            if (p->a[i] < 0)
                share[p->data[i].response] += part;
            else if (p->a[i] > 0)
                students += part * part / (p->data[i].freedom + 1);
        }
        for (int k = 0; k < p->n_responses; k++)
            if (p->count[k] > 0)
                common += share[k] * share[k] / (p->count[k] - p->used[k]);
        p->common_freedom[j] = common > 1e-9 ? 1 / common : INFINITY;
        p->freedom[j] = common + students > 1e-9 ? 1 / (common + students) : INFINITY;
    }
}

/* ---- noise ---- */

/* Nine points a fiftieth of a standard deviation apart: the deviance is smooth over them to far
   more than the noise of the model (a collision is known to 1e-6, by steps that are chosen anew for
   each), and fourth differences, whose variance is 70 times that of a value, see the noise alone.
   Where the model is stationary the standard deviation says nothing of how far it is smooth: what
   is left of the differences as the points draw together is noise. */
enum { NOISE = 9, CLOSER = 3 };

static double fourth_differences(const double *f)
{
    double s = 0;
    for (int i = 0; i + 4 < NOISE; i++) {
        double d = f[i] - 4 * f[i + 1] + 6 * f[i + 2] - 4 * f[i + 3] + f[i + 4];
        s += d * d / (NOISE - 4);
    }
    return sqrt(s / 70);
}

/* *noise of the deviance along parameter j, by points so far apart; as it was where there is no
   answer. */
static mrn_status listen_at(mrn_fitting *p, int j, double spacing, room *w, double *noise)
{
    int n = p->n;
    double value[NOISE];
    double from = fmin(1 - (NOISE - 1) * spacing, fmax(0, p->u[j] - (NOISE / 2) * spacing));
    for (int k = 0; k < NOISE; k++) {
        memcpy(&w->u[k * n], p->u, (size_t)n * sizeof(double));
        w->u[k * n + j] = from + k * spacing;
    }
    MRN_FIT_TRY(mrn_fitting_predict(p, NOISE, w->u, w->y, w->bad));
    for (int k = 0; k < NOISE; k++) {
        if (w->bad[k])
            return MRN_OK;
        value[k] = mrn_fitting_deviance(p, p->y, p->v, &w->y[(int64_t)k * p->m], w->sum);
    }
    *noise = fmin(*noise, fourth_differences(value));
    return MRN_OK;
}

static mrn_status listen(mrn_fitting *p, int j, room *w)
{
    double spacing = 0.02 * fmin(0.5, sqrt(p->cov[j * p->n + j])), noise = INFINITY;
    for (int k = 0; k < CLOSER; k++, spacing /= 16)
        MRN_FIT_TRY(listen_at(p, j, spacing, w, &noise));
    if (isfinite(noise))
        p->noise = fmax(p->noise, noise);
    return MRN_OK;
}

static mrn_status linearise(mrn_fitting *p, room *w)
{
    int64_t points = NOISE > 2 * STEPS ? NOISE : 2 * STEPS;
    MRN_FIT_TRY(mrn_array(&w->u, points * p->n, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->y, points * p->m, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->d, (int64_t)STEPS * p->m, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->bad, points, sizeof(bool), p->msg));
    MRN_FIT_TRY(mrn_array(&w->h, p->m, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&w->sum, p->n_responses, sizeof(double), p->msg));
    for (int k = 0; k < p->n_responses; k++)
        p->used[k] = (double)p->n * p->count[k] / p->m;
    common_squares(p);
    weigh(p);
    for (int j = 0; j < p->n; j++)
        MRN_FIT_TRY(differentiate(p, j, w));
    covariance(p, w->h);
    freedoms(p);
    p->noise = 0;
    for (int j = 0; j < p->n; j++)
        MRN_FIT_TRY(listen(p, j, w));
    return MRN_OK;
}

mrn_status mrn_fitting_linearise(mrn_fitting *p)
{
    room w = {0};
    mrn_status s = linearise(p, &w);
    mrn_free(w.u);
    mrn_free(w.y);
    mrn_free(w.d);
    mrn_free(w.bad);
    mrn_free(w.h);
    mrn_free(w.sum);
    return s;
}

/* ---- intervals ---- */

bool mrn_fitting_loose(const mrn_fitting *p, int j)
{
    bool loose = p->nil[j];
    for (int l = 0; l < p->n_loose; l++)
        loose = loose || fabs(p->loose[l * p->n + j]) > 0.1;
    return loose;
}

double mrn_fitting_half(const mrn_fitting *p, int j)
{
    double t = mrn_student_quantile(0.5 + 0.5 * p->opt->confidence, p->freedom[j]);
    return t * sqrt(p->cov[j * p->n + j]);
}

/* With a model that is a straight line, intervals of Student's and Fisher's distributions are
   exact; the rise of the deviance at their end is `square` where variances are known, and
   m_k log(1 + square / (m_k - n_k)) where one is common: that rise is used for curved models too.
   Several kinds of errors: each by its share of what is known of the parameter. */
static double rise_of(const mrn_fitting *p, int j, double square)
{
    const double *share = &p->share[(int64_t)j * p->n_responses];
    double known = 1, rise = 0;
    for (int k = 0; k < p->n_responses; k++) {
        if (p->count[k] == 0)
            continue;
        known -= share[k];
        rise += p->count[k] * log1p(share[k] * square / (p->count[k] - p->used[k]));
    }
    return rise + fmax(known, 0) * square;
}

double mrn_fitting_rise(const mrn_fitting *p, int j, int k)
{
    double c = p->opt->confidence;
    if (k < 0) {
        double t = mrn_student_quantile(0.5 + 0.5 * c, p->common_freedom[j]);
        return rise_of(p, j, t * t);
    }
    double df = fmin(p->common_freedom[j], p->common_freedom[k]);
    double square = 2 * mrn_fisher_quantile(c, 2, df);
    return 0.5 * (rise_of(p, j, square) + rise_of(p, k, square));
}

double mrn_fitting_rise_p(const mrn_fitting *p, int j, double rise)
{
    double lo = 0, hi = 1;
    if (!(rise > 0))
        return 1;
    while (rise_of(p, j, hi) < rise && hi < 1e300)
        hi *= 2;
    for (int i = 0; i < 200 && hi - lo > 1e-14 * hi; i++) {
        double mid = 0.5 * (lo + hi);
        *(rise_of(p, j, mid) < rise ? &lo : &hi) = mid;
    }
    return mrn_student_two_sided(sqrt(hi), p->common_freedom[j]);
}
