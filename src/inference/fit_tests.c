/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the residuals say about the fit: its sum of squares, deviation indices, and tests of zero
   mean, normality and independence. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "inference/chance.h"
#include "inference/fit.h"

enum {
    DRAWS = 2000,
    SHUFFLES = 1999,
    MOST_MEANS = 5, /* tests of responses one by one; more responses than that: all in one */
    FEW_NORMAL = 8, /* Shapiro & Wilk's test sees next to nothing in fewer                 */
    FEW_PAIRS = 6
};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* bᵀ C c, parameters without influence left out. */
static double product(const mrn_fitting *p, const double *b, const double *c)
{
    double s = 0;
    for (int j = 0; j < p->n; j++)
        for (int k = 0; k < p->n; k++)
            if (!p->nil[j] && !p->nil[k])
                s += b[j] * p->cov[j * p->n + k] * c[k];
    return s;
}

/* ---- the sum of squares ---- */

static int degrees(const mrn_fitting *p)
{
    int n = p->n - p->n_loose;
    for (int j = 0; j < p->n; j++)
        n -= p->nil[j];
    return p->m - n;
}

/* One drawing of F: errors over estimated variances are Student's; what the parameters take of them
   is projected out. */
static double draw_objective(const mrn_fitting *p, mrn_rng *rng)
{
    double taken[MRN_FIT_MOST] = {0}, s = 0;
    for (int i = 0; i < p->m; i++) {
        double e = mrn_rng_normal(rng), root = sqrt(p->weight[i]);
        if (p->a[i] > 0) {
            int nu = p->data[i].freedom;
            e *= sqrt(nu / mrn_rng_chi2(rng, nu));
        }
        s += e * e;
        for (int j = 0; j < p->n; j++)
            taken[j] += e * root * p->b[(int64_t)i * p->n + j];
    }
    return fmax(0, s - product(p, taken, taken));
}

static mrn_status draw_objectives(const mrn_fitting *p, double *f)
{
    mrn_rng rng = mrn_rng_seed(p->opt->seed, 2);
    for (int k = 0; k < DRAWS; k++)
        f[k] = draw_objective(p, &rng);
    qsort(f, DRAWS, sizeof *f, ascending);
    return MRN_OK;
}

/* As many combinations of parameters as data: F is zero and tells nothing, unless bounds keep the
   model from the data. Then it is what errors alone must explain: of all data, at most. */
static mrn_status judge_without_freedom(const mrn_fitting *p, mrn_fit *out, double *above)
{
    double most = mrn_chi2_quantile(p->opt->confidence, p->m);
    out->chi2[0] = out->chi2[1] = NAN;
    out->fits = p->common > 0 || !(p->deviance > most);
    *above = out->fits ? NAN : mrn_chi2_above(p->deviance, p->m);
    return MRN_OK;
}

/* Interval of F, and how likely one as large is. */
static mrn_status judge_objective(mrn_fitting *p, mrn_fit *out, double *above)
{
    double df = degrees(p), tail = 0.5 - 0.5 * p->opt->confidence, *f = NULL;
    if (df <= 0)
        return judge_without_freedom(p, out, above);
    *above = mrn_chi2_above(out->objective, df);
    out->chi2[0] = mrn_chi2_quantile(tail, df);
    out->chi2[1] = mrn_chi2_quantile(1 - tail, df);
    if (p->any_students) {
        int larger = 0;
        MRN_FIT_TRY(mrn_array(&f, DRAWS, sizeof *f, p->msg));
        draw_objectives(p, f);
        out->chi2[0] = f[(int)(tail * DRAWS)];
        out->chi2[1] = f[DRAWS - 1 - (int)(tail * DRAWS)];
        for (int k = 0; k < DRAWS; k++)
            larger += f[k] >= out->objective;
        *above = (larger + 1.0) / (DRAWS + 1);
        mrn_free(f);
    }
    out->fits = out->objective <= out->chi2[1];
    return MRN_OK;
}

static void test_objective(const mrn_fitting *p, mrn_fit *out, double above)
{
    mrn_test *t = &out->test[out->n_tests++];
    bool all_common = true;
    for (int i = 0; i < p->m; i++)
        all_common = all_common && p->a[i] < 0;
    *t = (mrn_test){.name = "sum of squares", .statistic = out->objective, .p = above};
    t->passed = out->fits;
    if (all_common || (degrees(p) <= 0 && out->fits)) {
        t->p = NAN;
        t->passed = true;
        snprintf(t->words, sizeof t->words, "%s",
                 all_common    ? "errors are taken from the residuals: they cannot be too large"
                 : p->m < p->n ? "too few data: the parameters can meet all of them"
                               : "too few data: as many parameters, every residual is zero");
        return;
    }
    if (degrees(p) <= 0) {
        snprintf(t->words, sizeof t->words,
                 "no parameters within the bounds bring the model to the data (F = %.4g): the "
                 "bounds are too narrow, or the model misses something",
                 out->objective);
        return;
    }
    const char *what = "the residuals are as large as the errors of the data allow";
    if (!out->fits)
        what = "the residuals are larger than the errors of the data allow: the model misses "
               "something, or the errors are larger than stated";
    else if (out->objective < out->chi2[0])
        what = "the residuals are smaller than the errors of the data: the errors are overstated";
    snprintf(t->words, sizeof t->words, "%s (F = %.4g, interval %.4g to %.4g)", what,
             out->objective, out->chi2[0], out->chi2[1]);
}

/* ---- zero mean (Student) ---- */

static void test_mean(const mrn_fitting *p, mrn_fit *out, int response)
{
    mrn_test *t = &out->test[out->n_tests++];
    char which[80] = "all responses";
    double sum = 0, square = 0;
    int n = 0;
    *t = (mrn_test){.name = "zero mean", .statistic = NAN, .p = NAN, .passed = true};
    if (response >= 0)
        snprintf(which, sizeof which, "%s", mrn_fitting_response(p, response).s);
    /* one response: as measured; all together: in units of their errors */
    for (int i = 0; i < p->m; i++)
        if (response < 0 || p->data[i].response == response) {
            sum += out->residual[i] / (response < 0 ? sqrt(p->variance[i]) : 1);
            n++;
        }
    for (int i = 0; i < p->m; i++)
        if (response < 0 || p->data[i].response == response) {
            double e = out->residual[i] / (response < 0 ? sqrt(p->variance[i]) : 1) - sum / n;
            square += e * e;
        }
    if (n < 3 || !(square > 0)) {
        snprintf(t->words, sizeof t->words, "%s: %d data are too few to tell", which, n);
        return;
    }
    t->statistic = sum / n / sqrt(square / (n - 1.0) / n);
    t->p = mrn_student_two_sided(t->statistic, n - 1);
    t->passed = t->p > 1 - p->opt->confidence;
    snprintf(t->words, sizeof t->words, "%s: the mean residual is %.3g, %s zero (p = %.3g)", which,
             sum / n, t->passed ? "not distinguished from" : "not", t->p);
}

/* ---- normality and independence, of residuals in units of their errors ---- */

/* What the parameters took is given back by 1 - leverage; Student's ones are mapped to normal. */
static void standardise(const mrn_fitting *p, const mrn_fit *out, double *e)
{
    for (int i = 0; i < p->m; i++) {
        const double *b = &p->b[(int64_t)i * p->n];
        double left = fmax(0.05, 1 - p->weight[i] * product(p, b, b));
        if (p->a[i] > 0) {
            double t = out->residual[i] / sqrt(p->v[i]);
            double q = mrn_chance_student_above(fabs(t), p->data[i].freedom);
            e[i] = -mrn_chance_normal_quantile(fmax(q, 1e-300)) * (t < 0 ? -1 : 1);
        } else {
            e[i] = out->residual[i] / sqrt(p->variance[i] * left);
        }
    }
}

static void test_normal(const mrn_fitting *p, mrn_fit *out, double *e)
{
    mrn_test *t = &out->test[out->n_tests++];
    *t = (mrn_test){.name = "normality", .statistic = NAN, .p = NAN, .passed = true};
    if (p->m < FEW_NORMAL || degrees(p) < 3 || p->m > 5000) {
        snprintf(t->words, sizeof t->words, "%d data are too %s for Shapiro and Wilk's test", p->m,
                 p->m > 5000 ? "many" : "few");
        return;
    }
    t->statistic = mrn_shapiro_wilk(e, p->m, &t->p);
    if (isnan(t->p)) {
        snprintf(t->words, sizeof t->words, "all residuals are equal");
        return;
    }
    t->passed = t->p > 1 - p->opt->confidence;
    snprintf(t->words, sizeof t->words, "the residuals %s normally distributed (p = %.3g)",
             t->passed ? "may be" : "are not", t->p);
}

/* Sum over neighbours within a response of e e', less what is expected of any order of them. */
static double neighbours(const mrn_fitting *p, const double *e, const int *order, int n)
{
    double s = 0;
    for (int i = 0; i + 1 < n; i++)
        if (p->data[order[i]].response == p->data[order[i + 1]].response)
            s += e[order[i]] * e[order[i + 1]];
    return s;
}

/* Data sorted by response, their order within it kept; residuals centred in each. Returns the sum
   of squares; `expected` is the mean of the statistic over all orders. */
static double by_response(const mrn_fitting *p, double *e, int *order, double *expected, int *pairs)
{
    double total = 0;
    int at = 0;
    *expected = 0;
    *pairs = 0;
    for (int k = 0; k < p->n_responses; k++) {
        double sum = 0, square = 0;
        int from = at;
        for (int i = 0; i < p->m; i++)
            if (p->data[i].response == k) {
                order[at++] = i;
                sum += e[i];
            }
        int count = at - from;
        for (int i = from; i < at; i++) {
            e[order[i]] -= sum / count;
            square += e[order[i]] * e[order[i]];
        }
        total += square;
        *expected -= count > 1 ? square / count : 0;
        *pairs += count > 1 ? count - 1 : 0;
    }
    return total;
}

static void shuffle(const mrn_fitting *p, mrn_rng *rng, int *order)
{
    for (int from = 0, to; from < p->m; from = to) {
        for (to = from + 1; to < p->m; to++)
            if (p->data[order[to]].response != p->data[order[from]].response)
                break;
        for (int i = to - 1; i > from; i--) {
            int k = from + (int)(mrn_rng_uniform(rng) * (i - from + 1));
            int t = order[i];
            order[i] = order[k];
            order[k] = t;
        }
    }
}

/* Neighbours in the order of the data; how likely is found by shuffling them, which needs no table
   and holds for any number of responses of any length. */
static void test_independent(const mrn_fitting *p, mrn_fit *out, double *e, int *order)
{
    mrn_test *t = &out->test[out->n_tests++];
    mrn_rng rng = mrn_rng_seed(p->opt->seed, 3);
    double expected;
    int pairs, as_far = 0, shuffles = p->m > 10000 ? 199 : SHUFFLES;
    double total = by_response(p, e, order, &expected, &pairs);
    *t = (mrn_test){.name = "independence", .statistic = NAN, .p = NAN, .passed = true};
    if (pairs < FEW_PAIRS || !(total > 0)) {
        snprintf(t->words, sizeof t->words, "%d neighbours are too few to tell", pairs);
        return;
    }
    double s = neighbours(p, e, order, p->m);
    for (int k = 0; k < shuffles; k++) {
        shuffle(p, &rng, order);
        double other = neighbours(p, e, order, p->m);
        as_far += fabs(other - expected) >= fabs(s - expected) * (1 - 1e-12);
    }
    t->statistic = s / total;
    t->p = (as_far + 1.0) / (shuffles + 1);
    t->passed = t->p > 1 - p->opt->confidence;
    snprintf(t->words, sizeof t->words,
             "residuals next to each other %s (correlation %.2g, p = %.3g)%s",
             t->passed      ? "are independent as far as can be seen"
             : s > expected ? "go together"
                            : "alternate",
             t->statistic, t->p, !t->passed && s > expected ? ": the model misses a trend" : "");
}

/* ---- deviation indices ---- */

static double half_width(const mrn_fitting *p, int i)
{
    int k = p->data[i].response;
    if (p->a[i] >= 0)
        return mrn_datum_half_width(&p->data[i], 0.95);
    return mrn_student_quantile(0.975, p->count[k] - p->used[k]) * sqrt(p->variance[i]);
}

static void deviations(const mrn_fitting *p, mrn_fit *out)
{
    for (int k = 0; k < p->n_responses; k++) {
        double sum = 0, most = 0;
        int n = 0;
        for (int i = 0; i < p->m; i++)
            if (p->data[i].response == k) {
                double e = fabs(out->residual[i]) / half_width(p, i);
                sum += e;
                most = fmax(most, e);
                n++;
            }
        out->deviation[k] = n > 0 ? sum / n : NAN;
        out->deviation_max[k] = n > 0 ? most : NAN;
    }
}

mrn_status mrn_fitting_tests(mrn_fitting *p, mrn_fit *out)
{
    double *e = NULL, above;
    int *order = NULL;
    out->n_tests = 0;
    deviations(p, out);
    MRN_FIT_TRY(judge_objective(p, out, &above));
    mrn_status s = mrn_array(&e, p->m, sizeof *e, p->msg);
    if (s == MRN_OK)
        s = mrn_array(&order, p->m, sizeof *order, p->msg);
    if (s == MRN_OK) {
        test_objective(p, out, above);
        bool many = p->n_responses > MOST_MEANS;
        for (int k = 0; k < (many ? 1 : p->n_responses); k++)
            test_mean(p, out, many ? -1 : k);
        standardise(p, out, e);
        test_normal(p, out, e);
        standardise(p, out, e);
        test_independent(p, out, e, order);
    }
    mrn_free(e);
    mrn_free(order);
    return s;
}
