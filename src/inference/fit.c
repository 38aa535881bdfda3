/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maximum likelihood estimation from beginning to end: the search, what is known around the
   optimum, intervals, smaller models, verdicts. Formulas: inference/fit.h. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "inference/fit.h"

enum { MOST_RESTARTS = 5 }; /* from better optima met by profiles and smaller models */

mrn_fit_options mrn_fit_default(void)
{
    return (mrn_fit_options){.confidence = 0.95,
                             .doublings = 4,
                             .max_evaluations = 1000000,
                             .tolerance = 1e-8,
                             .profile = true,
                             .bootstrap = 200,
                             .regions = true,
                             .nested = true,
                             .seed = 1};
}

static void release_parts(mrn_fit *f)
{
    for (int k = 0; k < f->n_regions; k++) {
        mrn_free(f->region[k].x);
        mrn_free(f->region[k].y);
        mrn_free(f->region[k].linear_x);
        mrn_free(f->region[k].linear_y);
    }
    mrn_free(f->region);
    mrn_free(f->nested);
    mrn_free(f->bootstrap);
    f->region = NULL;
    f->nested = NULL;
    f->bootstrap = NULL;
    f->n_regions = f->n_nested = f->n_bootstrap = 0;
}

void mrn_fit_release(mrn_fit *f)
{
    if (f == NULL)
        return;
    release_parts(f);
    void *all[] = {f->at,         f->x,           f->y,         f->residual,      f->sensitivity,
                   f->covariance, f->correlation, f->deviation, f->deviation_max, f->variance};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mrn_free(all[i]);
    *f = (mrn_fit){0};
}

static mrn_status make(const mrn_fitting *p, mrn_fit *out)
{
    int64_t n = p->n, m = p->m;
    out->n = p->n;
    out->m = p->m;
    out->n_responses = p->n_responses;
    MRN_FIT_TRY(mrn_array(&out->at, n, sizeof *out->at, p->msg));
    MRN_FIT_TRY(mrn_array(&out->x, n, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&out->y, m, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&out->residual, m, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&out->variance, m, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&out->sensitivity, m * n, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&out->covariance, n * n, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&out->correlation, n * n, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&out->deviation, p->n_responses, sizeof(double), p->msg));
    return mrn_array(&out->deviation_max, p->n_responses, sizeof(double), p->msg);
}

/* ---- the optimum and the linearised model, in the units of the parameters ---- */

static double correlation(const mrn_fitting *p, int j, int k)
{
    double jj = p->cov[j * p->n + j], kk = p->cov[k * p->n + k];
    if (j == k)
        return 1;
    return isfinite(jj) && isfinite(kk) ? p->cov[j * p->n + k] / sqrt(jj * kk) : 0;
}

/* Ends beyond ten ranges are open: nothing was learned. With fewer data than parameters the
   covariance of what they leave open is infinite, whatever stands there for it. */
static void linear_interval(const mrn_fitting *p, int j, mrn_estimate *e)
{
    const mrn_parameter *q = &p->parameter[j];
    double half = mrn_fitting_half(p, j) * mrn_fitting_range(p, j);
    bool open = p->m < p->n && mrn_fitting_loose(p, j);
    if (open || !(half < 10 * mrn_fitting_range(p, j))) {
        e->linear[0] = -INFINITY;
        e->linear[1] = INFINITY;
        return;
    }
    e->linear[0] = q->log ? e->value * pow(10, -half) : e->value - half;
    e->linear[1] = q->log ? e->value * pow(10, half) : e->value + half;
}

static void tell_parameter(const mrn_fitting *p, int j, mrn_fit *out)
{
    mrn_estimate *e = &out->at[j];
    int n = p->n;
    double range = mrn_fitting_range(p, j), slope = range; /* d x / d u */
    out->x[j] = e->value = mrn_fitting_x(p, j, p->u[j]);
    if (p->parameter[j].log)
        slope *= M_LN10 * e->value;
    e->sd = sqrt(p->cov[j * n + j]) * range;
    e->tied_to = -1;
    for (int k = 0; k < 2; k++)
        e->profile[k] = e->bootstrap[k] = NAN;
    linear_interval(p, j, e);
    for (int i = 0; i < p->m; i++)
        out->sensitivity[(int64_t)i * n + j] = p->b[(int64_t)i * n + j] / slope;
    for (int k = 0; k < n; k++) {
        out->covariance[j * n + k] = p->cov[j * n + k] * (range * mrn_fitting_range(p, k));
        out->correlation[j * n + k] = correlation(p, j, k);
    }
}

static void tell(const mrn_fitting *p, mrn_fit *out)
{
    for (int j = 0; j < p->n; j++)
        tell_parameter(p, j, out);
    for (int i = 0; i < p->m; i++) {
        out->y[i] = p->f[i];
        out->residual[i] = p->y[i] - p->f[i];
        out->variance[i] = p->variance[i];
    }
    out->objective = mrn_fitting_objective(p, p->f);
    out->deviance = mrn_fitting_likelihood(p, p->f);
    out->aic = out->deviance + 2 * (p->n + p->common);
    out->bic = out->deviance + log((double)p->m) * (p->n + p->common);
    out->found = p->found;
}

/* ---- all of it ---- */

static mrn_status around(mrn_fitting *p, mrn_fit *out)
{
    release_parts(out);
    mrn_fitting_phase(p, "sensitivity");
    MRN_FIT_TRY(mrn_fitting_linearise(p));
    tell(p, out);
    if (p->opt->profile)
        MRN_FIT_TRY(mrn_fitting_profile(p, out));
    if (p->opt->nested && !p->better)
        MRN_FIT_TRY(mrn_fitting_nested(p, out));
    if (p->opt->regions && !p->better)
        MRN_FIT_TRY(mrn_fitting_regions(p, out));
    return MRN_OK;
}

static mrn_status estimate(mrn_fitting *p, mrn_fit *out)
{
    MRN_FIT_TRY(make(p, out));
    MRN_FIT_TRY(mrn_fitting_search(p));
    for (int k = 0; k < MOST_RESTARTS; k++) {
        p->better = false;
        MRN_FIT_TRY(around(p, out));
        if (!p->better || k + 1 == MOST_RESTARTS)
            break;
        memcpy(p->u, p->better_u, sizeof p->u);
        p->deviance = p->better_deviance;
        MRN_FIT_TRY(mrn_fitting_refine(p));
    }
    if (p->opt->bootstrap > 0)
        MRN_FIT_TRY(mrn_fitting_bootstrap(p, out));
    MRN_FIT_TRY(mrn_fitting_tests(p, out));
    MRN_FIT_TRY(mrn_fitting_verdicts(p, out));
    mrn_fitting_advice(p, out);
    mrn_fitting_assumed(p, out);
    out->evaluations = p->evaluations;
    out->global_evaluations = p->global_evaluations;
    return MRN_OK;
}

mrn_status mrn_fit_model(const mrn_predictor *model, const mrn_parameter *parameter,
                         const mrn_datum *data, int n_responses, const mrn_fit_options *opt,
                         mrn_fit *out, mrn_message *msg)
{
    return mrn_fit_redrawn(model, parameter, data, n_responses, opt, NULL, out, msg);
}

mrn_status mrn_fit_redrawn(const mrn_predictor *model, const mrn_parameter *parameter,
                           const mrn_datum *data, int n_responses, const mrn_fit_options *opt,
                           const mrn_redraw *redraw, mrn_fit *out, mrn_message *msg)
{
    mrn_fitting p = {0};
    double begin = mrn_clock();
    *out = (mrn_fit){0};
    mrn_status s = mrn_fitting_make(model, parameter, data, n_responses, opt, &p, msg);
    p.redraw = redraw;
    if (s == MRN_OK)
        s = estimate(&p, out);
    bool stopped = p.stopped;
    mrn_fitting_release(&p);
    if (s != MRN_OK) {
        mrn_fit_release(out);
        return s;
    }
    out->seconds = mrn_clock() - begin;
    if (stopped) {
        mrn_fail(msg, MRN_NOT_CONVERGED,
                 "the optimum still fell when the search ended, after %lld evaluations",
                 (long long)out->evaluations);
        mrn_fail_hint(msg, "allow more doublings or evaluations, or narrow the bounds");
        return MRN_NOT_CONVERGED;
    }
    return MRN_OK;
}
