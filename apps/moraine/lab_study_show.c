/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sensitivity study as tables with bars, words and plots. */
#include <math.h>
#include <string.h>

#include "lab_study.h"

#define MOST_CURVES 7
#define BAR         20

/* ---- one at a time ---- */

/* The condition at which a parameter moves a response most. */
static double widest(const mrn_study *s, int k, int field, int *row)
{
    double most = -1;
    *row = 0;
    for (int j = 0; j < s->sweep.m; j++) {
        double v = s->sweep.range[k * s->sweep.m + j];
        if (s->of[j] % s->n_fields == field && v > most) {
            most = v;
            *row = s->of[j] / s->n_fields;
        }
    }
    return most >= 0 ? most : NAN;
}

static void range_text(const mrn_parameter *p, char *buf, size_t size)
{
    snprintf(buf, size, "%s to %s%s%s%s", mrn_cli_number(p->lo, 5).s, mrn_cli_number(p->hi, 5).s,
             strcmp(p->unit, "1") == 0 ? "" : " ", mrn_cli_unit_sign(p->unit),
             p->log ? ", log" : "");
}

static void show_sweep(mrn_cli_out *o, const mrn_study *s)
{
    const mrn_experiment *e = &s->lab->e;
    const char *text[MRN_APP_CELLS] = {"parameter", "range", ">base"};
    mrn_readable store[MRN_APP_CELLS];
    int n = s->n_fields < MRN_APP_CELLS - 3 ? s->n_fields : MRN_APP_CELLS - 3;
    mrn_app_table t;
    for (int f = 0; f < n; f++) {
        snprintf(store[f].s, sizeof store[f].s, ">%.60s",
                 mrn_cli_heading(s->field[f]->name, mrn_cli_response_unit(e, s->field[f])).s);
        text[3 + f] = store[f].s;
    }
    mrn_app_table_begin(&t, 3 + n, text);
    for (int k = 0; k < e->n_factors; k++) {
        char range[160];
        range_text(&e->factor[k], range, sizeof range);
        mrn_readable base = mrn_cli_number(s->base[k], 5);
        text[0] = e->factor[k].name, text[1] = range, text[2] = base.s;
        for (int f = 0; f < n; f++) {
            int row;
            double unit = mrn_cli_unit(mrn_cli_response_unit(e, s->field[f]), s->field[f]->unit);
            mrn_readable v = mrn_cli_number(widest(s, k, f, &row) / unit, 3);
            snprintf(store[f].s, sizeof store[f].s, "%.16s (%.40s)", v.s,
                     mrn_cli_row_name(&e->at, row).s);
            if (e->at.n < 2)
                store[f] = v;
            text[3 + f] = store[f].s;
        }
        mrn_app_table_row(&t, text);
    }
    mrn_cli_section(o, "One at a time");
    mrn_cli_words(o,
                  "Each parameter over its range in %d values, the others at their base "
                  "values: how far the response moves, at the condition (in brackets) where it "
                  "moves most.",
                  s->sweep.steps);
    mrn_cli_table(o, "", &t);
}

/* ---- all together ---- */

static mrn_readable bar(double share)
{
    mrn_readable t = {""};
    int full = (int)(fmin(fmax(share, 0), 1) * BAR + 0.5);
    for (int i = 0; i < full; i++)
        strcat(t.s, "█");
    return t;
}

static mrn_readable with_error(double v, double error)
{
    mrn_readable t;
    snprintf(t.s, sizeof t.s, "%.3f ± %.3f", fabs(v) < 5e-4 ? 0 : v, error);
    return t;
}

static void show_shares(mrn_cli_out *o, const mrn_study *s, int field)
{
    const mrn_experiment *e = &s->lab->e;
    const char *head[] = {"parameter", ">alone", ">with others", ""};
    mrn_app_table t;
    mrn_app_table_begin(&t, o->f != NULL ? 4 : 3, head);
    for (int k = 0; k < e->n_factors; k++) {
        mrn_share x = mrn_study_share(s, k, field);
        mrn_app_table_row(&t,
                          (const char *[]){e->factor[k].name, with_error(x.first, x.first_error).s,
                                           with_error(x.total, x.total_error).s, bar(x.total).s});
    }
    char caption[120];
    snprintf(caption, sizeof caption, "%s: shares of its variance", s->field[field]->name);
    /* bars of letters for the terminal, drawn ones for the page */
    mrn_page *page = o->page;
    o->page = NULL;
    mrn_cli_table(o, caption, &t);
    o->page = page;
}

static void page_shares(const mrn_cli_out *o, const mrn_study *s, int field)
{
    const mrn_experiment *e = &s->lab->e;
    enum { MOST = 64 };
    char name[2 * MOST][100], caption[160];
    const char *label[2 * MOST];
    double value[2 * MOST], error[2 * MOST];
    int n = 0;
    for (int k = 0; k < e->n_factors && k < MOST; k++) {
        mrn_share x = mrn_study_share(s, k, field);
        for (int i = 0; i < 2; i++, n++) {
            snprintf(name[n], sizeof name[n], "%s %s", e->factor[k].name,
                     i == 0 ? "alone" : "with others");
            label[n] = name[n];
            value[n] = i == 0 ? x.first : x.total;
            error[n] = i == 0 ? x.first_error : x.total_error;
        }
    }
    snprintf(caption, sizeof caption, "%s: shares of its variance (± standard error)",
             s->field[field]->name);
    mrn_page_bars(o->page, caption, n, label, value, error, 1);
}

/* The same as a file; the page has them already. */
static void plot_shares(mrn_cli_out *o, const mrn_study *s, int field)
{
    const mrn_experiment *e = &s->lab->e;
    enum { MOST = 64 };
    int n = e->n_factors < MOST ? e->n_factors : MOST;
    const char *parameter[MOST];
    double x[MOST], value[2][MOST], error[2][MOST];
    char title[120], name[120];
    mrn_page *page = o->page;
    mrn_cli_chart chart;
    snprintf(title, sizeof title, "%s: shares of its variance", s->field[field]->name);
    snprintf(name, sizeof name, "shares-%s", s->field[field]->name);
    mrn_cli_chart_begin(&chart, title, "", "share of the variance");
    for (int k = 0; k < n; k++) {
        mrn_share v = mrn_study_share(s, k, field);
        parameter[k] = e->factor[k].name;
        x[k] = k;
        value[0][k] = v.first, error[0][k] = v.first_error;
        value[1][k] = v.total, error[1][k] = v.total_error;
    }
    chart.plot.n_names = n, chart.plot.x_name = parameter;
    chart.plot.y_hi = 1.3; /* the legend stands above the bars */
    mrn_cli_chart_add(&chart, "alone", MRN_SERIES_BARS, 0, n, x, value[0], error[0]);
    mrn_cli_chart_add(&chart, "with others", MRN_SERIES_BARS, 1, n, x, value[1], error[1]);
    o->page = NULL;
    mrn_cli_chart_end(&chart, o, name, MRN_PAGE_HALF, "");
    o->page = page;
}

/* The parameter that counts most, and those that do not count. */
static void share_words(mrn_cli_out *o, const mrn_study *s, int field)
{
    const mrn_experiment *e = &s->lab->e;
    char idle[300] = "";
    int best = -1;
    double most = 0, together = 0;
    for (int k = 0; k < e->n_factors; k++) {
        mrn_share x = mrn_study_share(s, k, field);
        size_t n = strlen(idle);
        if (x.total > most) {
            most = x.total;
            best = k;
        }
        together += x.total - x.first;
        if (x.total < 0.01)
            snprintf(idle + n, sizeof idle - n, "%s%s", n > 0 ? ", " : "", e->factor[k].name);
    }
    if (best < 0) {
        mrn_cli_words(o, "%s: none of these parameters moves it.", s->field[field]->name);
        return;
    }
    mrn_share x = mrn_study_share(s, best, field);
    mrn_cli_words(
        o,
        "%s: %s counts most (%.0f %% of the variance alone, %.0f %% with others)%s%s%s"
        "%s",
        s->field[field]->name, e->factor[best].name, 100 * fmax(x.first, 0), 100 * x.total,
        idle[0] != '\0' ? "; below 1 %: " : "", idle,
        together / e->n_factors > 0.1 ? "; parameters act together, not each for itself" : "", ".");
}

static void show_sobol(mrn_cli_out *o, const mrn_study *s)
{
    const mrn_experiment *e = &s->lab->e;
    if (s->sobol.n == 0)
        return;
    mrn_cli_section(o, "All together: Sobol's indices");
    mrn_cli_words(o,
                  "Shares of the variance of a response when all parameters vary over their "
                  "ranges: what one makes alone, and what it makes together with the others. "
                  "%s evaluations, quasi-random points, standard errors behind ±; %s.",
                  mrn_readable_count(s->sobol.evaluations).s,
                  e->at.n > 1 ? "all conditions taken together, each with its variance"
                              : "one condition");
    for (int f = 0; f < s->n_fields; f++) {
        show_shares(o, s, f);
        if (o->page != NULL)
            page_shares(o, s, f);
        if (o->folder != NULL || o->plot != NULL)
            plot_shares(o, s, f);
    }
    if (o->f != NULL)
        fputc('\n', o->f);
    for (int f = 0; f < s->n_fields; f++)
        share_words(o, s, f);
    if (s->sobol.bad > 0)
        mrn_cli_note(o, MRN_TONE_DOUBT, "%s of the evaluations had no answer and were left out.",
                     mrn_readable_count(s->sobol.bad).s);
}

static void show_morris(mrn_cli_out *o, const mrn_study *s)
{
    const mrn_experiment *e = &s->lab->e;
    if (s->morris.n == 0)
        return;
    mrn_cli_section(o, "All together: Morris' elementary effects");
    mrn_cli_words(o,
                  "Mean size of the change of a response when a parameter goes through its "
                  "whole range, and its spread (large beside the mean: curved, or acting with "
                  "others). %s evaluations: it ranks, it does not share out.",
                  mrn_readable_count(s->morris.evaluations).s);
    for (int f = 0; f < s->n_fields; f++) {
        mrn_app_table t;
        double unit = mrn_cli_unit(mrn_cli_response_unit(e, s->field[f]), s->field[f]->unit);
        mrn_app_table_begin(&t, 3, (const char *[]){"parameter", ">effect", ">spread"});
        for (int k = 0; k < e->n_factors; k++) {
            double effect, spread;
            mrn_study_effect(s, k, f, &effect, &spread);
            mrn_app_table_row(&t, (const char *[]){e->factor[k].name,
                                                   mrn_cli_number(effect / unit, 3).s,
                                                   mrn_cli_number(spread / unit, 3).s});
        }
        mrn_cli_table(
            o, mrn_cli_heading(s->field[f]->name, mrn_cli_response_unit(e, s->field[f])).s, &t);
    }
}

/* ---- plots ---- */

/* Rows that get a curve: at most seven, evenly, in the same colour everywhere; -1: none. */
static int colour_of(const mrn_study *s, int row)
{
    int n = s->lab->e.at.n;
    if (n <= MOST_CURVES)
        return row;
    for (int k = 0; k < MOST_CURVES; k++)
        if ((int)lround((double)k * (n - 1) / (MOST_CURVES - 1)) == row)
            return k;
    return -1;
}

static void plot_parameter(mrn_cli_out *o, const mrn_study *s, int k, int field)
{
    const mrn_experiment *e = &s->lab->e;
    const mrn_rebound_field *f = s->field[field];
    const mrn_sweeps *w = &s->sweep;
    double unit = mrn_cli_unit(mrn_cli_response_unit(e, f), f->unit);
    double *y = mrn_alloc((size_t)w->steps * sizeof *y);
    char title[160], name[200];
    mrn_cli_chart chart;
    if (y == NULL)
        return;
    snprintf(title, sizeof title, "%s against %s", f->name, e->factor[k].name);
    snprintf(name, sizeof name, "%s-%s", e->factor[k].name, f->name);
    mrn_cli_chart_begin(&chart, title, mrn_cli_heading(e->factor[k].name, e->factor[k].unit).s,
                        mrn_cli_heading(f->name, mrn_cli_response_unit(e, f)).s);
    chart.plot.x_log = e->factor[k].log && e->factor[k].hi / e->factor[k].lo > 50;
    for (int j = 0; j < w->m; j++) {
        int row = s->of[j] / s->n_fields;
        if (s->of[j] % s->n_fields != field || colour_of(s, row) < 0)
            continue;
        for (int i = 0; i < w->steps; i++)
            y[i] = w->y[(k * w->steps + i) * w->m + j] / unit;
        mrn_cli_chart_add(&chart, e->at.n > 1 ? mrn_cli_row_name(&e->at, row).s : "",
                          MRN_SERIES_LINE, colour_of(s, row), w->steps, w->x + k * w->steps, y,
                          NULL);
    }
    mrn_cli_chart_end(&chart, o, name, MRN_PAGE_HALF, "");
    mrn_free(y);
}

/* The responses over the conditions at the ends of a parameter's range and at its base. */
static void plot_ends(mrn_cli_out *o, const mrn_study *s, int k)
{
    const mrn_experiment *e = &s->lab->e;
    const mrn_parameter *p = &e->factor[k];
    const double value[3] = {p->lo, s->base[k], p->hi};
    static const char *const which[3] = {"", " (base)", ""};
    mrn_cli_law_line *line = mrn_alloc(3 * sizeof *line);
    char prefix[100], title[100];
    if (line == NULL)
        return;
    for (int i = 0; i < 3; i++) {
        line[i] = (mrn_cli_law_line){.collision = e->candidate[s->candidate].collision,
                                     .colour = i,
                                     .style = MRN_SERIES_LINE};
        for (int c = 0; c < e->n_factors; c++)
            mrn_factor_set(&line[i].collision, &e->of[c], c == k ? value[i] : s->base[c]);
        snprintf(line[i].label, sizeof line[i].label, "%s %s%s%s%s", p->name,
                 mrn_cli_number(value[i], 4).s, strcmp(p->unit, "1") == 0 ? "" : " ",
                 mrn_cli_unit_sign(p->unit), which[i]);
    }
    snprintf(prefix, sizeof prefix, "%s-ends-", p->name);
    snprintf(title, sizeof title, "%s at its ends", p->name);
    mrn_cli_plot_curves(o, e, 3, line, e->measured.n > 0, prefix, title);
    mrn_free(line);
}

static void show_plots(mrn_cli_out *o, const mrn_study *s)
{
    const mrn_experiment *e = &s->lab->e;
    if (o->page == NULL && o->folder == NULL && o->plot == NULL)
        return;
    if (o->page != NULL)
        mrn_page_section(o->page, "Responses against each parameter");
    for (int k = 0; k < e->n_factors; k++)
        for (int f = 0; f < s->n_fields; f++)
            plot_parameter(o, s, k, f);
    if (mrn_cli_axis(&e->at) < 0)
        return;
    if (o->page != NULL)
        mrn_page_section(o->page, "Responses over the conditions");
    for (int k = 0; k < e->n_factors; k++)
        plot_ends(o, s, k);
}

void mrn_study_show(mrn_cli_out *o, const mrn_study *s)
{
    const mrn_candidate *c = &s->lab->e.candidate[s->candidate];
    char law[1600];
    mrn_cli_law_text(&c->collision, law, sizeof law);
    mrn_cli_line(o, "law", "%s (%s): %s", c->name, c->collision.model.name, law);
    if (o->page != NULL) {
        const char *facts[] = {"law", c->name, "model", c->collision.model.name, "parameters", law};
        mrn_page_facts(o->page, 3, facts);
    }
    show_sobol(o, s);
    show_morris(o, s);
    show_sweep(o, s);
    show_plots(o, s);
}
