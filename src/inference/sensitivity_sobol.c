/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Indices of Sobol' by the scheme of Saltelli et al. (2010) with the estimators of Jansen (1999).

   A point of the sequence in 2 n dimensions is two sets of parameters, a and b. With ab(i), which
   is a with parameter i of b, and V the variance of f over all a and b,
       first(i) = 1 - mean (f(b) - f(ab(i)))² / 2V,   total(i) = mean (f(a) - f(ab(i)))² / 2V.
   All of it is made of sums over points, which are kept for groups of consecutive points: memory
   does not grow with the points, and groups drawn with replacement give the standard errors. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "inference/design.h"
#include "inference/sensitivity.h"

enum { GROUPS = 1024, RESAMPLED = 256 };

/* Sums of a group, each over m responses: how many points, of f, of f² (both f(a) and f(b), less
   the first value found, so that squares do not swallow the variance), then for every parameter the
   squared differences of `first` and of `total`. */
enum { COUNT, SUM, SQUARE, PAIRS };

typedef struct tally {
    const mrn_predictor *model;
    const mrn_parameter *p;
    int n, m;
    int64_t points, groups, width; /* width: numbers of a group, (PAIRS + 2 n) m  */
    int64_t rows;                  /* points that one call takes                  */
    double *u, *x, *y;             /* 2 n; rows * (n + 2) sets                    */
    bool *bad;
    double *sum;             /* groups * width                              */
    double *total, *again;   /* width: all groups; a resample               */
    double *start, *largest; /* m: first value; largest |f|                 */
    bool *started;
    int64_t n_bad, kept;
    double *first_of, *total_of;     /* n * m: indices of a resample     */
    double *first_mean, *total_mean; /* n * m: their sums and squares    */
    double *first_sum2, *total_sum2;
    int *times; /* groups: how often drawn */
} tally;

static void tally_release(tally *t)
{
    void *all[] = {t->u,          t->x,         t->y,        t->bad,        t->sum,
                   t->total,      t->again,     t->start,    t->largest,    t->started,
                   t->times,      t->first_of,  t->total_of, t->first_mean, t->total_mean,
                   t->first_sum2, t->total_sum2};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        mrn_free(all[i]);
}

static mrn_status tally_make(tally *t, mrn_message *msg)
{
    int64_t n = t->n, m = t->m, sets = t->rows * (n + 2), entries = n * m;
    struct {
        void *at;
        int64_t count;
    } want[] = {{&t->u, 2 * n},
                {&t->x, sets * n},
                {&t->y, sets * m},
                {&t->sum, t->groups * t->width},
                {&t->total, t->width},
                {&t->again, t->width},
                {&t->start, m},
                {&t->largest, m},
                {&t->first_of, entries},
                {&t->total_of, entries},
                {&t->first_mean, entries},
                {&t->total_mean, entries},
                {&t->first_sum2, entries},
                {&t->total_sum2, entries}};
    mrn_status s = MRN_OK;
    for (size_t i = 0; i < sizeof want / sizeof want[0] && s == MRN_OK; i++)
        s = mrn_array(want[i].at, want[i].count, sizeof(double), msg);
    if (s == MRN_OK)
        s = mrn_array(&t->bad, sets, sizeof *t->bad, msg);
    if (s == MRN_OK)
        s = mrn_array(&t->started, m, sizeof *t->started, msg);
    if (s == MRN_OK)
        s = mrn_array(&t->times, t->groups, sizeof *t->times, msg);
    return s;
}

/* ---- points and sums ---- */

/* a, b, ab(0), …, ab(n - 1). */
static void place_row(tally *t, mrn_sequence *q, double *x)
{
    int n = t->n;
    mrn_sequence_next(q, t->u);
    for (int k = 0; k < 2 * n; k++)
        x[k] = mrn_box_at(&t->p[k % n], t->u[k]);
    for (int k = 0; k < n; k++) {
        double *ab = x + (int64_t)(2 + k) * n;
        memcpy(ab, x, (size_t)n * sizeof *x);
        ab[k] = x[n + k];
    }
}

/* Response j of one point into its group, if all evaluations of it have an answer. */
static bool add_response(tally *t, const double *y, int j, double *sum)
{
    int n = t->n, m = t->m;
    for (int i = 0; i < n + 2; i++)
        if (!isfinite(y[i * m + j]))
            return false;
    double a = y[j], b = y[m + j];
    if (!t->started[j])
        t->started[j] = true, t->start[j] = a;
    t->largest[j] = fmax(t->largest[j], fmax(fabs(a), fabs(b)));
    double from_a = a - t->start[j], from_b = b - t->start[j];
    sum[COUNT * m + j] += 1;
    sum[SUM * m + j] += from_a + from_b;
    sum[SQUARE * m + j] += from_a * from_a + from_b * from_b;
    for (int k = 0; k < n; k++) {
        double ab = y[(2 + k) * m + j];
        sum[(PAIRS + k) * m + j] += (b - ab) * (b - ab);
        sum[(PAIRS + n + k) * m + j] += (a - ab) * (a - ab);
    }
    return true;
}

static void add_row(tally *t, int64_t point, const double *y, const bool *bad)
{
    int64_t wrong = 0;
    for (int i = 0; i < t->n + 2; i++)
        wrong += bad[i];
    t->n_bad += wrong;
    if (wrong > 0)
        return;
    bool any = false;
    double *sum = t->sum + point * t->groups / t->points * t->width;
    for (int j = 0; j < t->m; j++)
        any |= add_response(t, y, j, sum);
    t->kept += any;
}

static mrn_status evaluate(tally *t, mrn_sequence *q, mrn_message *msg)
{
    int64_t sets = t->n + 2;
    for (int64_t at = 0; at < t->points; at += t->rows) {
        int64_t rows = t->points - at < t->rows ? t->points - at : t->rows;
        for (int64_t i = 0; i < rows; i++)
            place_row(t, q, t->x + i * sets * t->n);
        mrn_status s = mrn_ask(t->model, rows * sets, t->x, t->y, t->bad, msg);
        if (s != MRN_OK)
            return s;
        for (int64_t i = 0; i < rows; i++)
            add_row(t, at + i, t->y + i * sets * t->m, t->bad + i * sets);
    }
    return MRN_OK;
}

/* ---- indices ---- */

/* A response that moves by rounding alone does not move. */
static double variance_of(const tally *t, const double *sum, int j)
{
    int m = t->m;
    double count = 2 * sum[COUNT * m + j], s = sum[SUM * m + j];
    double v = fmax((sum[SQUARE * m + j] - s * s / count) / (count - 1), 0);
    double rounding = 16 * DBL_EPSILON * t->largest[j];
    return v > rounding * rounding ? v : 0;
}

static void indices(const tally *t, const double *sum, double *first, double *total)
{
    int n = t->n, m = t->m;
    for (int j = 0; j < m; j++) {
        double count = sum[COUNT * m + j], v = count > 1 ? variance_of(t, sum, j) : NAN;
        for (int k = 0; k < n; k++) {
            double of_first = sum[(PAIRS + k) * m + j], of_total = sum[(PAIRS + n + k) * m + j];
            first[k * m + j] = v > 0 ? 1 - of_first / (2 * count * v) : v;
            total[k * m + j] = v > 0 ? of_total / (2 * count * v) : v;
        }
    }
}

static void resample(tally *t, mrn_rng *r)
{
    memset(t->times, 0, (size_t)t->groups * sizeof *t->times);
    memset(t->again, 0, (size_t)t->width * sizeof *t->again);
    for (int64_t g = 0; g < t->groups; g++)
        t->times[(int64_t)(mrn_rng_uniform(r) * (double)t->groups)]++;
    for (int64_t g = 0; g < t->groups; g++) {
        const double *sum = t->sum + g * t->width;
        for (int64_t i = 0; t->times[g] > 0 && i < t->width; i++)
            t->again[i] += t->times[g] * sum[i];
    }
}

static void gather(const double *again, const double *found, double *mean, double *sum2,
                   int64_t entries)
{
    for (int64_t i = 0; i < entries; i++) {
        double d = again[i] - found[i];
        mean[i] += d, sum2[i] += d * d;
    }
}

static void standard_errors(tally *t, uint64_t seed, mrn_sobol *out)
{
    int64_t entries = (int64_t)t->n * t->m;
    mrn_rng r = mrn_rng_seed(seed, 0x50b01);
    for (int k = 0; k < RESAMPLED; k++) {
        resample(t, &r);
        indices(t, t->again, t->first_of, t->total_of);
        gather(t->first_of, out->first, t->first_mean, t->first_sum2, entries);
        gather(t->total_of, out->total, t->total_mean, t->total_sum2, entries);
    }
    for (int64_t i = 0; i < entries; i++) {
        double f = t->first_mean[i], g = t->total_mean[i];
        out->first_error[i] = sqrt(fmax(t->first_sum2[i] - f * f / RESAMPLED, 0) / (RESAMPLED - 1));
        out->total_error[i] = sqrt(fmax(t->total_sum2[i] - g * g / RESAMPLED, 0) / (RESAMPLED - 1));
    }
}

static void conclude(tally *t, uint64_t seed, mrn_sobol *out)
{
    int m = t->m;
    for (int64_t g = 0; g < t->groups; g++)
        for (int64_t i = 0; i < t->width; i++)
            t->total[i] += t->sum[g * t->width + i];
    for (int j = 0; j < m; j++) {
        double count = t->total[COUNT * m + j];
        out->mean[j] = count > 0 ? t->start[j] + t->total[SUM * m + j] / (2 * count) : NAN;
        out->variance[j] = count > 1 ? variance_of(t, t->total, j) : NAN;
    }
    indices(t, t->total, out->first, out->total);
    standard_errors(t, seed, out);
}

/* ---- the call ---- */

void mrn_sobol_release(mrn_sobol *s)
{
    mrn_free(s->first);
    mrn_free(s->total);
    mrn_free(s->first_error);
    mrn_free(s->total_error);
    mrn_free(s->mean);
    mrn_free(s->variance);
    *s = (mrn_sobol){0};
}

static mrn_status sobol_make(mrn_sobol *s, mrn_message *msg)
{
    int64_t entries = (int64_t)s->n * s->m;
    double **want[] = {&s->first, &s->total, &s->first_error, &s->total_error};
    mrn_status status = MRN_OK;
    for (size_t i = 0; i < sizeof want / sizeof want[0] && status == MRN_OK; i++)
        status = mrn_array(want[i], entries, sizeof(double), msg);
    if (status == MRN_OK)
        status = mrn_array(&s->mean, s->m, sizeof(double), msg);
    if (status == MRN_OK)
        status = mrn_array(&s->variance, s->m, sizeof(double), msg);
    return status;
}

static mrn_status sobol(tally *t, uint64_t seed, mrn_sobol *out, mrn_message *msg)
{
    mrn_sequence q = {0};
    mrn_status s = tally_make(t, msg);
    if (s == MRN_OK)
        s = sobol_make(out, msg);
    if (s == MRN_OK)
        s = mrn_sequence_make(2 * t->n, seed, &q, msg);
    if (s == MRN_OK)
        s = evaluate(t, &q, msg);
    mrn_sequence_release(&q);
    if (s != MRN_OK)
        return s;
    out->evaluations = t->points * (t->n + 2);
    out->bad = t->n_bad, out->points = t->kept;
    if (t->kept < 2)
        return mrn_fail(msg, MRN_ERR_INPUT,
                        "the model has an answer at %lld of %lld points only (%lld of %lld "
                        "evaluations have none)",
                        (long long)t->kept, (long long)t->points, (long long)t->n_bad,
                        (long long)out->evaluations);
    conclude(t, seed, out);
    return MRN_OK;
}

/* No more groups than 32 MB hold, but enough of them for an error known to a tenth. */
static int64_t groups_of(int64_t points, int64_t width)
{
    int64_t room = (1 << 22) / width, groups = room > GROUPS ? GROUPS : room < 64 ? 64 : room;
    return points < groups ? points : groups;
}

mrn_status mrn_sensitivity_sobol(const mrn_predictor *model, const mrn_parameter *p, int64_t points,
                                 uint64_t seed, mrn_sobol *out, mrn_message *msg)
{
    *out = (mrn_sobol){0};
    mrn_status s = mrn_ask_check(model, p, msg);
    if (s != MRN_OK)
        return s;
    if (points < 2 || points > 1 << 30)
        return mrn_fail(msg, MRN_ERR_RANGE, "%lld points; 2 to %d", (long long)points, 1 << 30);
    tally t = {.model = model, .p = p, .n = model->n, .m = model->m, .points = points};
    t.width = (int64_t)(PAIRS + 2 * t.n) * t.m;
    t.groups = groups_of(points, t.width);
    t.rows = mrn_ask_most(model) / (t.n + 2);
    t.rows = t.rows < 1 ? 1 : t.rows > points ? points : t.rows;
    *out = (mrn_sobol){.n = t.n, .m = t.m};
    s = sobol(&t, seed, out, msg);
    tally_release(&t);
    if (s != MRN_OK)
        mrn_sobol_release(out);
    return s;
}
