/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The estimation problem: data and bounds checked, scaled coordinates, calls of the model, the
   deviance of every kind of error. Formulas: inference/fit.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "inference/fit.h"

/* ---- checks ---- */

static mrn_status check_parameter(const mrn_parameter *q, mrn_message *msg)
{
    if (!isfinite(q->lo) || !isfinite(q->hi))
        return mrn_fail(msg, MRN_ERR_INPUT, "%s: bounds %g to %g are not numbers", q->name, q->lo,
                        q->hi);
    if (!(q->lo < q->hi)) {
        mrn_fail(msg, MRN_ERR_INPUT, "%s: bounds are crossed: %g is not below %g", q->name, q->lo,
                 q->hi);
        return mrn_fail_expected(msg, "lower bound, then upper bound");
    }
    if (q->log && !(q->lo > 0)) {
        mrn_fail(msg, MRN_ERR_INPUT, "%s: lower bound %g has no logarithm", q->name, q->lo);
        return mrn_fail_hint(msg, "give a positive lower bound, or a linear scale");
    }
    if (isinf(q->start) || q->start < q->lo || q->start > q->hi)
        return mrn_fail(msg, MRN_ERR_INPUT, "%s: start %g is outside its bounds %g to %g", q->name,
                        q->start, q->lo, q->hi);
    return MRN_OK;
}

static const char *datum_name(const mrn_datum *d)
{
    return d->label[0] ? d->label : "without a label";
}

static mrn_status check_datum(const mrn_datum *d, int i, int n_responses, mrn_message *msg)
{
    if (d->response < 0 || d->response >= n_responses)
        return mrn_fail(msg, MRN_ERR_INPUT, "datum %d (%s): response %d is none of %d", i + 1,
                        datum_name(d), d->response, n_responses);
    if (!isfinite(d->y))
        return mrn_fail(msg, MRN_ERR_INPUT, "datum %d (%s) is %g, not a number", i + 1,
                        datum_name(d), d->y);
    if (d->freedom < 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "datum %d (%s): %d degrees of freedom", i + 1,
                        datum_name(d), d->freedom);
    if (d->spread == MRN_SPREAD_COMMON)
        return MRN_OK;
    if (!(d->variance > 0) || isinf(d->variance)) {
        mrn_fail(msg, MRN_ERR_INPUT, "datum %d (%s): variance %g is not positive", i + 1,
                 datum_name(d), d->variance);
        return mrn_fail_hint(msg, "give its error, or let it be common to the response");
    }
    return MRN_OK;
}

static mrn_status check_options(const mrn_fit_options *o, mrn_message *msg)
{
    if (!(o->confidence >= 0.5 && o->confidence <= 0.9999))
        return mrn_fail(msg, MRN_ERR_INPUT, "confidence %g is not within 0.5 to 0.9999",
                        o->confidence);
    if (o->population < 0 || o->population > 100000 || o->doublings < 0 || o->doublings > 16)
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "population %d (at most 100000) or doublings %d (at most 16) out of range",
                        o->population, o->doublings);
    if (o->bootstrap < 0 || o->bootstrap > 1000000)
        return mrn_fail(msg, MRN_ERR_INPUT, "bootstrap: %d replicas; 0 to 1000000", o->bootstrap);
    if (!(o->tolerance > 0 && o->tolerance <= 0.1))
        return mrn_fail(msg, MRN_ERR_INPUT, "tolerance %g is not within 0 to 0.1", o->tolerance);
    if (o->max_evaluations < 1)
        return mrn_fail(msg, MRN_ERR_INPUT, "%lld evaluations are not enough",
                        (long long)o->max_evaluations);
    return MRN_OK;
}

static mrn_status check_sizes(const mrn_fitting *p)
{
    if (p->n < 1 || p->n > MRN_FIT_MOST)
        return mrn_fail(p->msg, MRN_ERR_INPUT, "%d parameters to be found; 1 to %d can be", p->n,
                        (int)MRN_FIT_MOST);
    if (p->m < 1)
        return mrn_fail(p->msg, MRN_ERR_INPUT, "%d data tell nothing", p->m);
    if (p->m < p->n && !p->opt->few)
        return mrn_fail(p->msg, MRN_ERR_INPUT,
                        "%d data cannot tell %d parameters: fewer data than parameters", p->m,
                        p->n);
    return MRN_OK;
}

static mrn_status check_all(const mrn_fitting *p)
{
    MRN_FIT_TRY(check_sizes(p));
    MRN_FIT_TRY(check_options(p->opt, p->msg));
    for (int j = 0; j < p->n; j++)
        MRN_FIT_TRY(check_parameter(&p->parameter[j], p->msg));
    for (int i = 0; i < p->m; i++)
        MRN_FIT_TRY(check_datum(&p->data[i], i, p->n_responses, p->msg));
    return MRN_OK;
}

mrn_response_name mrn_fitting_response(const mrn_fitting *p, int response)
{
    mrn_response_name out;
    if (p->opt->response != NULL)
        snprintf(out.s, sizeof out.s, "%s", p->opt->response[response]);
    else
        snprintf(out.s, sizeof out.s, "response %d", response + 1);
    return out;
}

/* A label that is the name of the response says it already. */
mrn_datum_name mrn_fitting_datum(const mrn_fitting *p, int i)
{
    mrn_datum_name out;
    mrn_response_name response = mrn_fitting_response(p, p->data[i].response);
    const char *label = p->data[i].label;
    bool twice = label[0] == '\0' || strcmp(label, response.s) == 0;
    snprintf(out.s, sizeof out.s, "datum %d (%s%s%s)", i + 1, twice ? "" : label, twice ? "" : ", ",
             response.s);
    return out;
}

/* A response whose few data a model can pass through has a likelihood without bound. */
static mrn_status check_common(const mrn_fitting *p)
{
    for (int k = 0; k < p->n_responses; k++)
        if (p->count[k] > 0 && p->count[k] <= p->n) {
            mrn_fail(p->msg, MRN_ERR_INPUT,
                     "%s: %d data with an unknown variance in common, and %d parameters that may "
                     "pass through all of them",
                     mrn_fitting_response(p, k).s, p->count[k], p->n);
            return mrn_fail_hint(p->msg, "give the errors of its data, or measure more of them");
        }
    return MRN_OK;
}

/* ---- making ---- */

static void sort_data(mrn_fitting *p)
{
    for (int i = 0; i < p->m; i++) {
        const mrn_datum *d = &p->data[i];
        double nu = d->freedom;
        p->y[i] = d->y;
        p->v[i] = d->spread == MRN_SPREAD_COMMON ? NAN : d->variance;
        p->a[i] = 0;
        if (d->spread == MRN_SPREAD_COMMON) {
            p->a[i] = -1;
            p->count[d->response]++;
            p->least[d->response] = fmax(p->least[d->response], fabs(d->y));
        } else if (d->spread == MRN_SPREAD_REPLICATES && d->freedom > 0) {
            p->a[i] = nu - 1 + 0.4 / (nu * nu);
            p->any_students = true;
        }
    }
    for (int k = 0; k < p->n_responses; k++) {
        double resolution = p->least[k] > 0 ? 1e-10 * p->least[k] : 1e-30;
        p->least[k] = p->count[k] * resolution * resolution;
        p->common += p->count[k] > 0;
    }
}

static mrn_status make_arrays(mrn_fitting *p)
{
    int m = p->m, r = p->n_responses;
    mrn_message *msg = p->msg;
    MRN_FIT_TRY(mrn_array(&p->y, m, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&p->v, m, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&p->a, m, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&p->count, r, sizeof(int), msg));
    MRN_FIT_TRY(mrn_array(&p->least, r, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&p->f, m, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&p->b, (int64_t)m * p->n, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&p->weight, m, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&p->variance, m, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&p->used, r, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&p->square, r, sizeof(double), msg));
    return mrn_array(&p->share, (int64_t)p->n * r, sizeof(double), msg);
}

mrn_status mrn_fitting_make(const mrn_predictor *model, const mrn_parameter *parameter,
                            const mrn_datum *data, int n_responses, const mrn_fit_options *opt,
                            mrn_fitting *out, mrn_message *msg)
{
    *out = (mrn_fitting){.model = model, .parameter = parameter, .data = data, .opt = opt};
    out->msg = msg;
    out->n = model->n;
    out->m = model->m;
    out->n_responses = n_responses;
    out->deviance = INFINITY;
    out->shown = mrn_clock();
    MRN_FIT_TRY(check_all(out));
    MRN_FIT_TRY(make_arrays(out));
    for (int j = 0; j < out->n; j++)
        out->step[j] = 1e-3;
    sort_data(out);
    return check_common(out);
}

void mrn_fitting_release(mrn_fitting *p)
{
    void *all[] = {p->y, p->v,      p->a,        p->count, p->least,  p->x,    p->f,
                   p->b, p->weight, p->variance, p->used,  p->square, p->share};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mrn_free(all[i]);
    *p = (mrn_fitting){0};
}

/* ---- coordinates ---- */

double mrn_fitting_x(const mrn_fitting *p, int j, double u)
{
    const mrn_parameter *q = &p->parameter[j];
    if (u <= 0)
        return q->lo;
    if (u >= 1)
        return q->hi;
    return q->log ? q->lo * pow(q->hi / q->lo, u) : q->lo + u * (q->hi - q->lo);
}

double mrn_fitting_u(const mrn_fitting *p, int j, double x)
{
    const mrn_parameter *q = &p->parameter[j];
    double u = q->log ? log(x / q->lo) / log(q->hi / q->lo) : (x - q->lo) / (q->hi - q->lo);
    return fmin(1, fmax(0, u));
}

double mrn_fitting_range(const mrn_fitting *p, int j)
{
    const mrn_parameter *q = &p->parameter[j];
    return q->log ? log10(q->hi / q->lo) : q->hi - q->lo;
}

/* ---- calls of the model ---- */

static bool report(mrn_fitting *p)
{
    p->shown = mrn_clock();
    if (p->opt->progress == NULL)
        return false;
    if (p->opt->progress(p->opt->user, p->phase, p->done, p->deviance))
        p->interrupted = true;
    return p->interrupted;
}

void mrn_fitting_phase(mrn_fitting *p, const char *name)
{
    p->phase = name;
    p->done = 0;
    report(p);
}

mrn_status mrn_fitting_reserve(mrn_fitting *p, int64_t count)
{
    if (mrn_grow(&p->x, &p->room, count * p->n, sizeof(double)) != MRN_OK)
        return mrn_fail_memory(p->msg);
    return MRN_OK;
}

static mrn_status interrupted(const mrn_fitting *p)
{
    return mrn_fail(p->msg, MRN_INTERRUPTED, "the fit was stopped on request");
}

mrn_status mrn_fitting_predict(mrn_fitting *p, int64_t count, const double *u, double *y, bool *bad)
{
    int n = p->n, m = p->m;
    if (p->interrupted || (mrn_clock() - p->shown > 0.1 && report(p)))
        return interrupted(p);
    if (count == 0)
        return MRN_OK;
    MRN_FIT_TRY(mrn_fitting_reserve(p, count));
    for (int64_t k = 0; k < count; k++) {
        for (int j = 0; j < n; j++)
            p->x[k * n + j] = mrn_fitting_x(p, j, u[k * n + j]);
        bad[k] = false;
    }
    p->evaluations += count;
    mrn_status s = p->model->predict(p->model->user, count, p->x, y, bad, p->msg);
    if (s < 0 || s == MRN_INTERRUPTED)
        return s;
    for (int64_t k = 0; k < count; k++)
        for (int i = 0; i < m && !bad[k]; i++)
            bad[k] = !isfinite(y[k * m + i]) || fabs(y[k * m + i]) > 1e100;
    return MRN_OK;
}

/* ---- the deviance ---- */

static void sums_of_squares(const mrn_fitting *p, const double *y, const double *f, double *sum)
{
    memset(sum, 0, (size_t)p->n_responses * sizeof *sum);
    if (p->common == 0)
        return;
    for (int i = 0; i < p->m; i++)
        if (p->a[i] < 0)
            sum[p->data[i].response] += (y[i] - f[i]) * (y[i] - f[i]);
    for (int k = 0; k < p->n_responses; k++)
        sum[k] = fmax(sum[k], p->least[k]);
}

double mrn_fitting_deviance(const mrn_fitting *p, const double *y, const double *v, const double *f,
                            double *sum)
{
    double d = 0;
    sums_of_squares(p, y, f, sum);
    for (int i = 0; i < p->m; i++) {
        double r = y[i] - f[i];
        if (p->a[i] == 0)
            d += r * r / v[i];
        else if (p->a[i] > 0)
            d += p->a[i] * log1p(r * r / (p->data[i].freedom * v[i]));
    }
    for (int k = 0; k < p->n_responses; k++)
        if (p->count[k] > 0)
            d += p->count[k] * log(sum[k] / p->count[k]);
    return d < MRN_FIT_FAR ? d : MRN_FIT_FAR;
}

void mrn_fitting_score(const mrn_fitting *p, const double *y, const double *v, const double *f,
                       double *sum, double *score, double *curvature)
{
    sums_of_squares(p, y, f, sum);
    for (int i = 0; i < p->m; i++) {
        double r = y[i] - f[i], c;
        if (p->a[i] == 0)
            c = 2 / v[i];
        else if (p->a[i] > 0)
            c = 2 * p->a[i] / (p->data[i].freedom * v[i] + r * r);
        else
            c = 2 * p->count[p->data[i].response] / sum[p->data[i].response];
        score[i] = c * r;
        curvature[i] = c;
    }
}

double mrn_fitting_objective(const mrn_fitting *p, const double *f)
{
    double s = 0;
    for (int i = 0; i < p->m; i++) {
        double r = p->y[i] - f[i];
        s += r * r / (p->a[i] < 0 ? p->variance[i] : p->v[i]);
    }
    return s;
}

/* Student's density for means of replicates: the likelihood before it is weighted. */
static double student_likelihood(double r, double v, double nu)
{
    double norm = lgamma(0.5 * (nu + 1)) - lgamma(0.5 * nu) - 0.5 * log(nu * M_PI * v);
    return -2 * norm + (nu + 1) * log1p(r * r / (nu * v));
}

double mrn_fitting_likelihood(const mrn_fitting *p, const double *f)
{
    double s = 0;
    for (int k = 0; k < p->n_responses; k++) {
        double sum = 0;
        for (int i = 0; i < p->m; i++)
            if (p->data[i].response == k && p->a[i] < 0)
                sum += (p->y[i] - f[i]) * (p->y[i] - f[i]);
        if (p->count[k] > 0)
            s += p->count[k] * (log(2 * M_PI * fmax(sum, p->least[k]) / p->count[k]) + 1);
    }
    for (int i = 0; i < p->m; i++) {
        double r = p->y[i] - f[i];
        if (p->a[i] == 0)
            s += r * r / p->v[i] + log(2 * M_PI * p->v[i]);
        else if (p->a[i] > 0)
            s += student_likelihood(r, p->v[i], p->data[i].freedom);
    }
    return s;
}

void mrn_fitting_meet(mrn_fitting *p, const double *u, double deviance)
{
    double rounding = 1e-3 + 1e-5 * fabs(p->deviance) + 10 * p->noise;
    double best = p->better ? p->better_deviance : p->deviance - rounding;
    if (!(deviance < best))
        return;
    p->better = true;
    p->better_deviance = deviance;
    memcpy(p->better_u, u, (size_t)p->n * sizeof *u);
}
