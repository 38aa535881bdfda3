/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From probes.csv to curves. A rate is the slope of the straight line through the rows within a
   window about each row: it needs no equal spacing and does not double the noise as differences of
   neighbours do. */
#include <math.h>
#include <string.h>

#include "plotting.h"

mrn_status mrn_curve_open(const char *dir, mrn_probe_table *t, mrn_message *msg)
{
    char path[1200];
    snprintf(path, sizeof path, "%.1100s/probes.csv", dir);
    return mrn_probe_table_read(path, t, msg);
}

/* ---- names ---- */

static mrn_status unknown(const mrn_probe_table *t, const char *dir, const char *name,
                          mrn_message *msg)
{
    const char *words[512];
    int n = 0;
    for (int i = 0; i < t->n_columns && n < 512; i++)
        words[n++] = t->column[i].name;
    const char *close = mrn_closest_word(name, words, n);
    mrn_fail(msg, MRN_ERR_INPUT, "probes.csv of %s has no column %s", dir, name);
    if (close != NULL)
        return mrn_fail_hint(msg, "did you mean %s?", close);
    return mrn_fail_hint(msg, "`moraine plot %s` lists them; output.probes adds one to a run", dir);
}

/* "outlets.sink.rate": of the mass; "NAME.rate": of NAME. NULL: it is no rate. */
static const mrn_probe_column *rate_of(const mrn_probe_table *t, const char *name)
{
    char base[200];
    size_t n = strlen(name);
    if (n < 6 || strcmp(name + n - 5, ".rate") != 0)
        return NULL;
    snprintf(base, sizeof base, "%.*s", (int)(n - 5), name);
    const mrn_probe_column *c = mrn_probe_table_find(t, base);
    if (c == NULL && (strncmp(name, "outlets.", 8) == 0 || strncmp(name, "inlets.", 7) == 0)) {
        snprintf(base, sizeof base, "%.*s.mass", (int)(n - 5), name);
        c = mrn_probe_table_find(t, base);
    }
    return c;
}

/* ---- rows ---- */

static bool taken(const mrn_probe_table *t, const mrn_curve_request *r, int64_t i, int stage)
{
    const mrn_probe_column *time = mrn_probe_table_find(t, "time"),
                           *in = mrn_probe_table_find(t, "stage");
    return time->value[i] >= r->from && time->value[i] <= r->to &&
           (stage < 0 || (in != NULL && in->value[i] == stage));
}

static mrn_status find_stage(const mrn_probe_table *t, const char *name, int *out, mrn_message *msg)
{
    *out = -1;
    if (name == NULL)
        return MRN_OK;
    for (int i = 0; i < t->n_stages; i++)
        if (strcmp(t->stage[i], name) == 0) {
            *out = i;
            return MRN_OK;
        }
    return mrn_fail(msg, MRN_ERR_INPUT, "the run has no stage %s", name);
}

/* Slope at row k of the least-squares line through rows within half a window. */
static double slope(const double *time, const double *y, int64_t n, int64_t k, double half)
{
    int64_t a = k, b = k;
    while (a > 0 && time[k] - time[a - 1] <= half)
        a--;
    while (b + 1 < n && time[b + 1] - time[k] <= half)
        b++;
    if (a == b) { /* the window holds no other row: its neighbours serve */
        a = k > 0 ? k - 1 : k;
        b = k + 1 < n ? k + 1 : k;
    }
    double st = 0, sy = 0, stt = 0, sty = 0, m = 0;
    for (int64_t i = a; i <= b; i++)
        if (isfinite(y[i])) {
            st += time[i], sy += y[i], m++;
        }
    for (int64_t i = a; i <= b; i++)
        if (isfinite(y[i])) {
            double d = time[i] - st / m;
            stt += d * d;
            sty += d * (y[i] - sy / m);
        }
    return stt > 0 ? sty / stt : NAN;
}

static mrn_status make_rate(mrn_probe_curve *c, const double *time, double window, mrn_message *msg)
{
    double *y = mrn_alloc((size_t)(c->n + 1) * sizeof *y);
    if (y == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    double span = c->n > 0 ? time[c->n - 1] - time[0] : 0;
    double half = 0.5 * (window > 0 ? window : span / 30);
    for (int64_t k = 0; k < c->n; k++)
        y[k] = slope(time, c->y, c->n, k, half);
    mrn_free(c->y);
    c->y = y;
    return MRN_OK;
}

/* ---- fits ---- */

/* Least squares of v = p + q u with standard errors. */
static bool straight(int64_t n, const double *u, const double *v, double p[2], double error[2])
{
    double m = 0, su = 0, sv = 0, suu = 0, suv = 0, rest = 0;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(u[i]) && isfinite(v[i]))
            su += u[i], sv += v[i], m++;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(u[i]) && isfinite(v[i])) {
            suu += (u[i] - su / m) * (u[i] - su / m);
            suv += (u[i] - su / m) * (v[i] - sv / m);
        }
    if (m < 3 || !(suu > 0))
        return false;
    p[1] = suv / suu;
    p[0] = sv / m - p[1] * su / m;
    for (int64_t i = 0; i < n; i++)
        if (isfinite(u[i]) && isfinite(v[i])) {
            double d = v[i] - p[0] - p[1] * u[i];
            rest += d * d;
        }
    double s2 = rest / (m - 2);
    error[1] = sqrt(s2 / suu);
    error[0] = sqrt(s2 * (1 / m + su * su / (m * m) / suu));
    return true;
}

static mrn_status make_fit(mrn_probe_curve *c, const char *form, mrn_message *msg)
{
    bool power = strcmp(form, "power") == 0, logs = power || strcmp(form, "exponential") == 0;
    size_t size = (size_t)(c->n + 1) * sizeof(double);
    double *u = mrn_alloc(size), *v = mrn_alloc(size), p[2] = {0}, error[2] = {0};
    c->fitted = mrn_alloc(size);
    bool good = u != NULL && v != NULL && c->fitted != NULL;
    for (int64_t i = 0; good && i < c->n; i++) {
        u[i] = power ? log(c->x[i]) : c->x[i]; /* not finite: left out */
        v[i] = logs ? log(c->y[i]) : c->y[i];
    }
    mrn_status st = good ? MRN_OK : mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    if (good && !straight(c->n, u, v, p, error)) {
        st = mrn_fail(msg, MRN_ERR_INPUT,
                      "--fit %s: %s has fewer than three points that it can use", form, c->probe);
        mrn_fail_hint(msg, "--from and --to choose the rows; logarithms need numbers above zero");
    }
    for (int64_t i = 0; st == MRN_OK && i < c->n; i++)
        c->fitted[i] = logs ? exp(p[0] + p[1] * u[i]) : p[0] + p[1] * u[i];
    if (st == MRN_OK) {
        c->a = logs ? exp(p[0]) : p[0];
        c->a_error = logs ? c->a * error[0] : error[0];
        c->b = p[1];
        c->b_error = error[1];
        const char *shape = power ? "a x^b" : logs ? "a exp(b x)" : "a + b x";
        snprintf(c->fit_text, sizeof c->fit_text, "%s, a = %.4g ± %.1g, b = %.4g ± %.1g", shape,
                 c->a, c->a_error, c->b, c->b_error);
    }
    mrn_free(u);
    mrn_free(v);
    return st;
}

/* ---- all ---- */

static mrn_status copy_rows(const mrn_probe_table *t, const mrn_curve_request *r, int stage,
                            const mrn_probe_column *x, const mrn_probe_column *y,
                            mrn_probe_curve *c, double **time, mrn_message *msg)
{
    const double *clock = mrn_probe_table_find(t, "time")->value;
    size_t size = (size_t)(t->n + 1) * sizeof(double);
    c->x = mrn_alloc(size), c->y = mrn_alloc(size), *time = mrn_alloc(size);
    if (c->x == NULL || c->y == NULL || *time == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    for (int64_t i = 0; i < t->n; i++) {
        if (!taken(t, r, i, stage))
            continue;
        c->x[c->n] = x->value[i];
        c->y[c->n] = y->value[i];
        (*time)[c->n++] = clock[i];
    }
    return c->n > 0 ? MRN_OK
                    : mrn_fail(msg, MRN_ERR_INPUT,
                               "no row of %s lies in that stage and span of time", c->dir);
}

static mrn_status fill(const mrn_probe_table *t, const char *probe, const mrn_curve_request *r,
                       mrn_probe_curve *c, mrn_message *msg)
{
    const char *against = r->against != NULL ? r->against : "time";
    /* before a column of that name: a run stores what left since the row before, which jumps */
    const mrn_probe_column *rate = rate_of(t, probe),
                           *y = rate != NULL ? rate : mrn_probe_table_find(t, probe);
    const mrn_probe_column *x = mrn_probe_table_find(t, against);
    double *time = NULL;
    int stage;
    if (x == NULL || y == NULL || mrn_probe_table_find(t, "time") == NULL)
        return unknown(t, c->dir, y == NULL ? probe : against, msg);
    mrn_status st = find_stage(t, r->stage, &stage, msg);
    if (st == MRN_OK)
        st = copy_rows(t, r, stage, x, y, c, &time, msg);
    snprintf(c->probe, sizeof c->probe, "%s", probe);
    snprintf(c->unit, sizeof c->unit, rate != NULL ? "%.60s/s" : "%.60s", y->unit);
    snprintf(c->x_name, sizeof c->x_name, "%s", x->name);
    snprintf(c->x_unit, sizeof c->x_unit, "%.60s", x->unit);
    if (st == MRN_OK && rate != NULL)
        st = make_rate(c, time, r->window, msg);
    if (st == MRN_OK && r->fit != NULL)
        st = make_fit(c, r->fit, msg);
    mrn_free(time);
    return st;
}

mrn_status mrn_curve_make(const char *dir, const char *probe, const mrn_curve_request *r,
                          mrn_probe_curve *out, mrn_message *msg)
{
    mrn_probe_table t;
    memset(out, 0, sizeof *out);
    snprintf(out->dir, sizeof out->dir, "%s", dir);
    mrn_status st = mrn_curve_open(dir, &t, msg);
    if (st != MRN_OK)
        return st;
    st = fill(&t, probe, r, out, msg);
    if (st != MRN_OK)
        mrn_curve_release(out);
    mrn_probe_table_release(&t);
    return st;
}

void mrn_curve_release(mrn_probe_curve *c)
{
    mrn_free(c->x);
    mrn_free(c->y);
    mrn_free(c->fitted);
    memset(c, 0, sizeof *c);
}
