/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An estimate in words and tables: what was found, how well it is known, whether the model fits. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "lab_parts.h"

/* ---- words ---- */

/* The estimation speaks in clauses; on a page of its own one is a sentence. Room for two more
   characters is needed. */
static const char *sentence(char *words)
{
    size_t n = strlen(words);
    if (strncmp(words, "the ", 4) == 0)
        words[0] = 'T';
    if (n > 0 && words[n - 1] != '.')
        strcpy(words + n, ".");
    return words;
}

double mrn_cli_datum_sd(const mrn_cli_estimate *x, int i)
{
    const mrn_fit *f = x->fit;
    const mrn_datum *d = &x->datum[i];
    double sum = 0;
    int n = 0;
    if (d->spread != MRN_SPREAD_COMMON)
        return sqrt(d->variance);
    for (int k = 0; k < f->m; k++) {
        if (x->datum[k].response != d->response)
            continue;
        sum += f->residual[k] * f->residual[k];
        n++;
    }
    return sqrt(sum / n);
}

/* ---- verdict ---- */

static int unknown_errors(const mrn_cli_estimate *x)
{
    int n = 0;
    for (int i = 0; i < x->fit->m; i++)
        n += x->datum[i].spread == MRN_SPREAD_COMMON;
    return n;
}

/* As many parameters as data, or more. */
static void show_no_freedom(mrn_cli_out *o, const mrn_fit *f)
{
    if (!f->fits)
        mrn_cli_note(o, MRN_TONE_BAD,
                     "No parameters within the bounds bring the model to the data: F = %.4g.",
                     f->objective);
    else
        mrn_cli_note(o, MRN_TONE_PLAIN,
                     "F = %.4g with %d dat%s and %d parameter%s: nothing is left over that could "
                     "tell whether the model fits.",
                     f->objective < 1e-9 ? 0 : f->objective, f->m, f->m == 1 ? "um" : "a", f->n,
                     f->n == 1 ? "" : "s");
}

static void show_verdict(mrn_cli_out *o, const mrn_cli_estimate *x)
{
    const mrn_fit *f = x->fit;
    int unknown = unknown_errors(x);
    int freedom = f->m - f->n;
    const char *where = f->objective > f->chi2[1]   ? "above"
                        : f->objective < f->chi2[0] ? "below"
                                                    : "within";
    if (unknown < f->m && (freedom <= 0 || !isfinite(f->chi2[1]))) {
        show_no_freedom(o, f);
        return;
    }
    if (unknown == f->m || !isfinite(f->chi2[1])) {
        mrn_cli_note(o, MRN_TONE_PLAIN,
                     "F = %.6g with %d data and %d parameters. The errors are not known but taken "
                     "from the residuals: F cannot tell whether the model fits.",
                     f->objective, f->m, f->n);
        return;
    }
    mrn_cli_note(o, !f->fits ? MRN_TONE_BAD : MRN_TONE_GOOD,
                 "The model %s the data: F = %.6g is %s the interval [%.4g, %.4g] of χ² with %d "
                 "degree%s of freedom at %g %%.%s",
                 f->fits ? "fits" : "does not fit", f->objective, where, f->chi2[0], f->chi2[1],
                 freedom, freedom == 1 ? "" : "s", 100 * x->confidence,
                 f->fits && f->objective < f->chi2[0]
                     ? " So small an F says that the errors are smaller than stated."
                 : !f->fits ? " Intervals below hold only as far as the model does: they do not "
                              "contain what it lacks."
                            : "");
    if (unknown > 0)
        mrn_cli_note(o, MRN_TONE_DOUBT,
                     "%d of the %d data have errors that are not known but taken from the "
                     "residuals: they have no say in this.",
                     unknown, f->m);
}

/* ---- parameters ---- */

static mrn_readable interval(const double v[2])
{
    mrn_readable t;
    if (isnan(v[0]) && isnan(v[1]))
        snprintf(t.s, sizeof t.s, "–");
    else
        snprintf(t.s, sizeof t.s, "%.20s to %.20s", mrn_cli_number(v[0], 4).s,
                 mrn_cli_number(v[1], 4).s);
    return t;
}

static void show_parameters(mrn_cli_out *o, const mrn_cli_estimate *x)
{
    const mrn_fit *f = x->fit;
    const char *head[] = {"parameter", ">optimum", "linearised", "profile", "bootstrap", "verdict"};
    char caption[120];
    mrn_app_table t;
    mrn_app_table_begin(&t, 6, head);
    for (int k = 0; k < f->n; k++) {
        const mrn_estimate *e = &f->at[k];
        char verdict[80];
        snprintf(verdict, sizeof verdict, "%.50s%s", mrn_identifiable_name(e->verdict),
                 e->disagree ? "; intervals differ" : "");
        mrn_app_table_row(
            &t, (const char *[]){mrn_cli_heading(x->parameter[k].name, x->parameter[k].unit).s,
                                 mrn_cli_number(e->value, 6).s, interval(e->linear).s,
                                 interval(e->profile).s, interval(e->bootstrap).s, verdict});
    }
    snprintf(caption, sizeof caption, "intervals at %g %%", 100 * x->confidence);
    mrn_cli_table(o, caption, &t);
    for (int k = 0; k < f->n; k++) {
        const mrn_estimate *e = &f->at[k];
        bool good = e->verdict == MRN_IDENTIFIED && f->fits;
        char words[800];
        snprintf(words, sizeof words - 1, "%s", e->words);
        mrn_cli_note(o, good ? MRN_TONE_GOOD : MRN_TONE_DOUBT, "%s", sentence(words));
    }
}

static void show_correlation(mrn_cli_out *o, const mrn_cli_estimate *x)
{
    const mrn_fit *f = x->fit;
    int n = f->n < MRN_APP_CELLS - 1 ? f->n : MRN_APP_CELLS - 1;
    const char *text[MRN_APP_CELLS] = {""};
    mrn_readable store[MRN_APP_CELLS];
    mrn_app_table t;
    if (f->n < 2)
        return;
    for (int k = 0; k < n; k++) {
        snprintf(store[k].s, sizeof store[k].s, ">%.60s", x->parameter[k].name);
        text[1 + k] = store[k].s;
    }
    mrn_app_table_begin(&t, 1 + n, text);
    for (int i = 0; i < f->n; i++) {
        text[0] = x->parameter[i].name;
        for (int k = 0; k < n; k++) {
            store[k] = mrn_cli_number(f->correlation[i * f->n + k], 3);
            text[1 + k] = store[k].s;
        }
        mrn_app_table_row(&t, text);
    }
    mrn_cli_table(o, "correlation of the parameters", &t);
}

/* ---- the fit ---- */

static void show_deviation(mrn_cli_out *o, const mrn_cli_estimate *x)
{
    const mrn_fit *f = x->fit;
    mrn_app_table t;
    mrn_app_table_begin(&t, 3, (const char *[]){"response", ">mean", ">largest"});
    for (int i = 0; i < f->n_responses; i++)
        mrn_app_table_row(&t, (const char *[]){x->response[i], mrn_cli_number(f->deviation[i], 3).s,
                                               mrn_cli_number(f->deviation_max[i], 3).s});
    mrn_cli_table(o, "deviation indices: |measured - model| over half the 95 % interval", &t);
}

static void show_tests(mrn_cli_out *o, const mrn_cli_estimate *x)
{
    const mrn_fit *f = x->fit;
    mrn_app_table t;
    int shown = 0;
    for (int i = 0; i < f->n_tests; i++)
        shown += !x->shown || !isnan(f->test[i].p);
    if (f->n_tests > 0 && shown == 0)
        mrn_cli_words(o, "There are too few data to test their residuals.");
    if (shown == 0)
        return;
    mrn_app_table_begin(&t, 5, (const char *[]){"test of residuals", ">statistic", ">p", "", ""});
    for (int i = 0; i < f->n_tests; i++) {
        if (x->shown && isnan(f->test[i].p)) /* every datum is a response of its own there */
            continue;
        mrn_app_table_row(&t, (const char *[]){f->test[i].name,
                                               mrn_cli_number(f->test[i].statistic, 4).s,
                                               mrn_cli_chance(f->test[i].p).s,
                                               isnan(f->test[i].p) ? "–"
                                               : f->test[i].passed ? "passed"
                                                                   : "failed",
                                               f->test[i].words});
    }
    mrn_cli_table(o, "tests", &t);
}

static void show_nested(mrn_cli_out *o, const mrn_cli_estimate *x)
{
    const mrn_fit *f = x->fit;
    const char *head[] = {"smaller model", ">F", ">likelihood ratio", ">p", ">ΔAIC", ">ΔBIC", ""};
    mrn_app_table t;
    if (f->n_nested == 0)
        return;
    mrn_app_table_begin(&t, 7, head);
    for (int i = 0; i < f->n_nested; i++) {
        const mrn_nested *s = &f->nested[i];
        char name[160];
        snprintf(name, sizeof name, "%s = %.4g", x->parameter[s->without].name, s->at);
        mrn_app_table_row(&t,
                          (const char *[]){name, mrn_cli_number(s->objective, 5).s,
                                           mrn_cli_number(s->ratio, 4).s, mrn_cli_chance(s->p).s,
                                           mrn_cli_number(s->aic, 3).s, mrn_cli_number(s->bic, 3).s,
                                           s->enough ? "enough" : "not enough"});
    }
    mrn_cli_table(o, "models with a parameter less (Δ: of the smaller less those of the larger)",
                  &t);
}

static void page_residuals(mrn_cli_out *o, const mrn_cli_estimate *x)
{
    const mrn_fit *f = x->fit;
    const char *head[] = {"condition", "response",  ">measured",
                          ">model",    ">residual", ">in standard deviations"};
    mrn_app_table t;
    if (o->page == NULL)
        return;
    mrn_app_table_begin(&t, 6, head);
    for (int i = 0; i < f->m; i++) {
        const mrn_datum *d = &x->datum[i];
        mrn_app_table_row(
            &t, (const char *[]){d->label, x->response[d->response], mrn_cli_number(d->y, 6).s,
                                 mrn_cli_number(f->y[i], 6).s, mrn_cli_number(f->residual[i], 4).s,
                                 mrn_cli_number(f->residual[i] / mrn_cli_datum_sd(x, i), 3).s});
    }
    mrn_page_table(o->page, "residuals, SI units", t.columns, t.rows, t.cell, t.right);
    mrn_app_table_print(&t, NULL);
}

void mrn_cli_show_result(mrn_cli_out *o, const mrn_cli_estimate *x)
{
    mrn_cli_section(o, "Result");
    if (x->note != NULL && x->note[0] != '\0') {
        char words[2000];
        snprintf(words, sizeof words - 1, "%s", x->note);
        mrn_cli_note(o, x->tone, "%s", sentence(words));
    }
    show_verdict(o, x);
    show_parameters(o, x);
    show_correlation(o, x);
}

void mrn_cli_show_quality(mrn_cli_out *o, const mrn_cli_estimate *x)
{
    const mrn_fit *f = x->fit;
    mrn_cli_section(o, "How well it fits");
    if (!x->shown)
        show_deviation(o, x);
    show_tests(o, x);
    show_nested(o, x);
    if (!x->shown)
        page_residuals(o, x);
    if (f->advice[0] != '\0') {
        mrn_cli_section(o, "What to measure next");
        char words[800];
        snprintf(words, sizeof words - 1, "%s", f->advice);
        words[0] = (char)toupper((unsigned char)words[0]);
        mrn_cli_words(o, "%s", sentence(words));
    }
    mrn_cli_section(o, "What was assumed");
    mrn_cli_words(o, "%s", f->assumed);
    mrn_cli_words(o,
                  "AIC %.6g, BIC %.6g. %s evaluations of the model, %s of them in the global "
                  "search; %d local search%s ended at this optimum.",
                  f->aic, f->bic, mrn_readable_count(f->evaluations).s,
                  mrn_readable_count(f->global_evaluations).s, f->found, f->found == 1 ? "" : "es");
}
