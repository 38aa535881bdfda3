/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A surrogate: runs taken apart into one Gaussian process per output, and put together again. */
#include "inference/surrogate.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "inference/design.h"
#include "linalg/blas.h"
#include "linalg/sums.h"

/* ---- one process ---- */

void mrn_process_release(mrn_process *g)
{
    mrn_free(g->u);
    mrn_free(g->z);
    mrn_free(g->d);
    mrn_free(g->length);
    mrn_free(g->row);
    mrn_free(g->h);
    mrn_free(g->alpha);
    *g = (mrn_process){0};
}

mrn_status mrn_process_make(int n, int64_t count, mrn_process *out, mrn_message *msg)
{
    *out = (mrn_process){.n = n, .count = count};
    struct {
        double **at;
        int64_t count;
    } want[] = {{&out->u, count * n},
                {&out->z, count},
                {&out->d, count},
                {&out->length, n},
                {&out->h, count},
                {&out->alpha, count},
                {&out->row, count * (count + 1) / 2}};
    mrn_status s = MRN_OK;
    for (size_t i = 0; i < sizeof want / sizeof want[0] && s == MRN_OK; i++)
        s = mrn_array(want[i].at, want[i].count, sizeof(double), msg);
    if (s != MRN_OK)
        mrn_process_release(out);
    return s;
}

void mrn_process_covary(const mrn_process *g, const double *u, double *t)
{
    for (int64_t i = 0; i < g->count; i++) {
        double square = 0;
        for (int k = 0; k < g->n; k++) {
            double d = (u[k] - g->u[i * g->n + k]) / g->length[k];
            square += d * d;
        }
        t[i] = g->signal * mrn_matern(square);
    }
}

/* t = L⁻¹ t */
static void solve(const mrn_process *g, double *t)
{
    for (int64_t i = 0; i < g->count; i++) {
        const double *row = g->row + i * (i + 1) / 2;
        t[i] = (t[i] - mrn_dot_long(i, row, t)) / row[i];
    }
}

void mrn_process_at(const mrn_process *g, const double *u, double *mean, double *variance)
{
    double t[MRN_SURROGATE_POINTS];
    double z = 0, v = g->signal;
    if (!g->plain) {
        mrn_process_covary(g, u, t);
        z = g->beta + mrn_dot_long(g->count, g->alpha, t);
        if (variance != NULL) {
            solve(g, t);
            /* what the mean, itself estimated, adds */
            double open = 1 - mrn_dot_long(g->count, g->h, t);
            v = fmax(v - mrn_dot_long(g->count, t, t) + open * open / g->hh, 0);
        }
    }
    if (mean != NULL)
        *mean = g->shift + g->scale * z;
    if (variance != NULL)
        *variance = g->scale * g->scale * v;
}

void mrn_process_believe(mrn_process *g, const double *u)
{
    int64_t i = g->count;
    if (g->plain)
        return;
    double *row = g->row + i * (i + 1) / 2;
    mrn_process_covary(g, u, row);
    solve(g, row);
    double left = g->signal * (1 + g->jitter) + g->noise - mrn_dot_long(i, row, row);
    row[i] = sqrt(fmax(left, g->signal * DBL_EPSILON));
    g->h[i] = (1 - mrn_dot_long(i, row, g->h)) / row[i];
    g->hh += g->h[i] * g->h[i];
    g->alpha[i] = 0;
    memcpy(g->u + i * g->n, u, (size_t)g->n * sizeof *u);
    g->count++;
}

/* ---- words ---- */

static void list_lengths(const mrn_surrogate *s, const mrn_process *g, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; k < s->n && used + 1 < size; k++) {
        int wrote = snprintf(text + used, size - used, "%s%s %.2g", k > 0 ? ", " : "", s->p[k].name,
                             g->length[k]);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

static void add_words(mrn_process *g, const char *text)
{
    size_t used = strlen(g->words);
    snprintf(g->words + used, sizeof g->words - used, "%s", text);
}

static void describe(const mrn_surrogate *s, mrn_process *g)
{
    char lengths[240], text[200];
    list_lengths(s, g, lengths, sizeof lengths);
    snprintf(g->words, sizeof g->words,
             "%lld points; lengths over the range: %s; noise %.3g; points left out are missed by "
             "%.2g of the spread, %.0f %% of them lie within their 95 %% bands",
             (long long)g->count, lengths, g->scale * sqrt(g->noise),
             g->miss * g->scale / g->spread, 100 * g->within);
    if (g->count < s->n + 2) {
        snprintf(text, sizeof text,
                 "; so few points for %d parameters tell no lengths: these are as good as assumed",
                 s->n);
        add_words(g, text);
    } else if (g->miss * g->scale > 0.9 * g->spread)
        add_words(g, "; it predicts no better than the mean would: run more points, or average "
                     "more runs at each");
    if (g->jitter > 2e-12) {
        snprintf(text, sizeof text,
                 "; points nearly coincide: %.1g of the variance was added to tell them apart",
                 g->jitter);
        add_words(g, text);
    }
}

/* ---- taking runs apart ---- */

/* Output k of the runs that have it, in units of its own spread. */
static void standardise(mrn_process *g, double largest)
{
    double mean = 0, sum = 0, noise = 0, count = (double)g->count;
    for (int64_t i = 0; i < g->count; i++)
        mean += g->z[i] / count, noise += g->d[i] / count;
    for (int64_t i = 0; i < g->count; i++)
        sum += (g->z[i] - mean) * (g->z[i] - mean);
    g->shift = mean;
    g->spread = g->count > 1 ? sqrt(sum / (count - 1)) : 0;
    bool moves = g->spread > 16 * DBL_EPSILON * largest;
    if (g->kind == MRN_NOISE_GIVEN && noise == 0)
        g->kind = MRN_NOISE_NONE;
    g->scale = moves ? g->spread : noise > 0 ? sqrt(noise) : 1;
    g->plain = g->count < 2 || (!moves && g->kind != MRN_NOISE_GIVEN);
    for (int64_t i = 0; i < g->count; i++) {
        g->z[i] = (g->z[i] - mean) / g->scale;
        g->d[i] /= g->scale * g->scale;
    }
    g->noise = noise / (g->scale * g->scale);
    if (!moves)
        g->spread = g->scale;
}

/* Values said to be exact, and two of them at one place. */
static mrn_status contradiction(const mrn_process *g, int k, mrn_message *msg)
{
    for (int64_t i = 0; i < g->count && g->kind != MRN_NOISE_FOUND; i++)
        for (int64_t j = 0; j < i; j++) {
            double apart = 0;
            for (int l = 0; l < g->n; l++)
                apart = fmax(apart, fabs(g->u[i * g->n + l] - g->u[j * g->n + l]));
            if (apart < 1e-12 && g->d[i] + g->d[j] == 0 && fabs(g->z[i] - g->z[j]) > 1e-9) {
                mrn_fail(msg, MRN_ERR_INPUT,
                         "output %d: two runs at the same point gave %.9g and %.9g, and both are "
                         "said to be exact",
                         k + 1, g->shift + g->scale * g->z[j], g->shift + g->scale * g->z[i]);
                mrn_fail_hint(msg, "give their variance, or none, so that it is estimated");
                return MRN_ERR_INPUT;
            }
        }
    return MRN_OK;
}

static void settle_plain(mrn_process *g)
{
    bool one = g->count == 1;
    g->signal = one ? INFINITY : 0;
    g->miss = one ? NAN : 0;
    g->within = one ? NAN : 1;
    for (int k = 0; k < g->n; k++)
        g->length[k] = INFINITY;
    if (one)
        snprintf(g->words, sizeof g->words,
                 "one value only: taken everywhere, and nothing is known of how it varies");
    else
        snprintf(g->words, sizeof g->words,
                 "the same in all %lld runs: taken as a constant, no parameter moves it",
                 (long long)g->count);
}

static mrn_status fit_output(mrn_surrogate *s, int k, const double *y, const double *noise,
                             mrn_message *msg)
{
    mrn_process *g = &s->of[k];
    int64_t count = 0, at = 0;
    double largest = 0;
    for (int64_t i = 0; i < s->count; i++)
        count += !isnan(y[i * s->m + k]);
    if (count == 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "output %d has no value in any run", k + 1);
    mrn_status status = mrn_process_make(s->n, count, g, msg);
    if (status != MRN_OK)
        return status;
    for (int64_t i = 0; i < s->count; i++) {
        if (isnan(y[i * s->m + k]))
            continue;
        memcpy(g->u + at * s->n, s->u + i * s->n, (size_t)s->n * sizeof *s->u);
        g->z[at] = y[i * s->m + k];
        g->d[at] = noise != NULL ? noise[i * s->m + k] : 0;
        largest = fmax(largest, fabs(g->z[at++]));
    }
    g->kind = noise != NULL ? MRN_NOISE_GIVEN : MRN_NOISE_FOUND;
    standardise(g, largest);
    if ((status = contradiction(g, k, msg)) != MRN_OK)
        return status;
    if (g->plain) {
        settle_plain(g);
        return MRN_OK;
    }
    if ((status = mrn_process_fit(g, msg)) == MRN_OK)
        describe(s, g);
    return status;
}

/* ---- the surrogate ---- */

static mrn_status check_sizes(int n, int m, int64_t count, mrn_message *msg)
{
    if (n > MRN_SURROGATE_INPUTS)
        return mrn_fail(msg, MRN_ERR_RANGE, "%d parameters; a surrogate takes %d at most", n,
                        MRN_SURROGATE_INPUTS);
    if (m < 1)
        return mrn_fail(msg, MRN_ERR_RANGE, "a surrogate of %d outputs", m);
    if (count < 1 || count > MRN_SURROGATE_POINTS)
        return mrn_fail(msg, count < 1 ? MRN_ERR_INPUT : MRN_ERR_RANGE,
                        "a surrogate of %lld runs; 1 to %d", (long long)count,
                        MRN_SURROGATE_POINTS);
    return MRN_OK;
}

/* Runs into the unit box; what is outside by rounding is put on its edge. */
static mrn_status place_runs(mrn_surrogate *s, const double *x, mrn_message *msg)
{
    for (int64_t i = 0; i < s->count * s->n; i++) {
        const mrn_parameter *p = &s->p[i % s->n];
        double u = p->log && !(x[i] > 0) ? NAN : mrn_box_place(p, x[i]);
        if (!(u >= -1e-9 && u <= 1 + 1e-9))
            return mrn_fail(msg, MRN_ERR_INPUT, "run %lld: %s is %g, outside its range %g to %g",
                            (long long)(i / s->n + 1), p->name, x[i], p->lo, p->hi);
        s->u[i] = fmin(fmax(u, 0), 1);
    }
    return MRN_OK;
}

static mrn_status check_values(const mrn_surrogate *s, const double *y, const double *noise,
                               mrn_message *msg)
{
    for (int64_t i = 0; i < s->count * s->m; i++) {
        int64_t run = i / s->m + 1, output = i % s->m + 1;
        if (isinf(y[i]))
            return mrn_fail(msg, MRN_ERR_INPUT, "run %lld: output %lld is not finite",
                            (long long)run, (long long)output);
        if (noise != NULL && !isnan(y[i]) && !(noise[i] >= 0 && isfinite(noise[i])))
            return mrn_fail(msg, MRN_ERR_INPUT, "run %lld: the variance of output %lld is %g",
                            (long long)run, (long long)output, noise[i]);
    }
    return MRN_OK;
}

static mrn_status build(mrn_surrogate *s, const mrn_parameter *p, const double *x, const double *y,
                        const double *noise, mrn_message *msg)
{
    mrn_status status;
    if ((status = mrn_array(&s->p, s->n, sizeof *s->p, msg)) != MRN_OK ||
        (status = mrn_array(&s->u, s->count * s->n, sizeof *s->u, msg)) != MRN_OK ||
        (status = mrn_array(&s->of, s->m, sizeof *s->of, msg)) != MRN_OK)
        return status;
    memcpy(s->p, p, (size_t)s->n * sizeof *p);
    if ((status = place_runs(s, x, msg)) != MRN_OK ||
        (status = check_values(s, y, noise, msg)) != MRN_OK)
        return status;
    mrn_blas_threads hold = mrn_blas_begin();
    for (int k = 0; k < s->m && status == MRN_OK; k++)
        status = fit_output(s, k, y, noise, msg);
    mrn_blas_end(hold);
    return status;
}

mrn_status mrn_surrogate_create(const mrn_parameter *p, int n, int m, int64_t count,
                                const double *x, const double *y, const double *noise,
                                mrn_surrogate **out, mrn_message *msg)
{
    *out = NULL;
    mrn_status status;
    if ((status = mrn_box_check(p, n, msg)) != MRN_OK ||
        (status = check_sizes(n, m, count, msg)) != MRN_OK)
        return status;
    mrn_surrogate *s = mrn_alloc(sizeof *s);
    if (s == NULL)
        return mrn_fail_memory(msg);
    *s = (mrn_surrogate){.n = n, .m = m, .count = count};
    status = build(s, p, x, y, noise, msg);
    if (status != MRN_OK)
        mrn_surrogate_destroy(&s);
    *out = s;
    return status;
}

void mrn_surrogate_destroy(mrn_surrogate **s)
{
    if (s == NULL || *s == NULL)
        return;
    for (int k = 0; k < (*s)->m && (*s)->of != NULL; k++)
        mrn_process_release(&(*s)->of[k]);
    mrn_free((*s)->of);
    mrn_free((*s)->u);
    mrn_free((*s)->p);
    mrn_free(*s);
    *s = NULL;
}

void mrn_surrogate_at(const mrn_surrogate *s, const double *x, double *mean, double *variance)
{
    double u[MRN_SURROGATE_INPUTS];
    for (int k = 0; k < s->n; k++)
        u[k] = mrn_box_place(&s->p[k], x[k]);
    for (int k = 0; k < s->m; k++)
        mrn_process_at(&s->of[k], u, mean != NULL ? &mean[k] : NULL,
                       variance != NULL ? &variance[k] : NULL);
}

void mrn_surrogate_quality(const mrn_surrogate *s, double *q)
{
    for (int k = 0; k < s->m; k++)
        q[k] = s->of[k].miss * s->of[k].scale / s->of[k].spread;
}

void mrn_surrogate_scales(const mrn_surrogate *s, int k, double *length, double *noise)
{
    const mrn_process *g = &s->of[k];
    for (int i = 0; i < s->n && length != NULL; i++)
        length[i] = g->length[i];
    if (noise != NULL)
        *noise = g->scale * sqrt(g->noise);
}

const char *mrn_surrogate_words(const mrn_surrogate *s, int k)
{
    return s->of[k].words;
}

static mrn_status predict(void *user, int64_t count, const double *x, double *y, bool *bad,
                          mrn_message *msg)
{
    const mrn_surrogate *s = user;
    (void)msg;
#pragma omp parallel for schedule(static) if (count > 64)
    for (int64_t i = 0; i < count; i++) {
        mrn_surrogate_at(s, x + i * s->n, y + i * s->m, NULL);
        bad[i] = false;
    }
    return MRN_OK;
}

mrn_predictor mrn_surrogate_model(const mrn_surrogate *s)
{
    return (mrn_predictor){.n = s->n, .m = s->m, .predict = predict, .user = (void *)s};
}
