/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine solve, many problems by many solvers: the table of times and the performance profile
   (Dolan & Moré, Math. Program. 91, 2002, 201). */
#include <math.h>
#include <string.h>

#include "moraine/plot.h"
#include "session.h"
#include "solving.h"

/* Solvers side by side in one table; more of them go to a second one. */
#define SIDE_BY_SIDE 8

/* Where the profile is stated, and how finely it is drawn. */
static const double tau_reported[] = {1, 1.5, 2, 5, 10, 100, 1000};
enum { N_REPORTED = sizeof tau_reported / sizeof tau_reported[0], N_DRAWN = 301 };
#define TAU_MAX 1000.0
/* Colours of a plot; from there on they come again, dashed. */
#define PALETTE 7

static const mrn_solve_run *run_at(const mrn_solve_request *q, const mrn_solve_outcome *o, int k,
                                   int s)
{
    return &o->run[k * q->n_solvers + s];
}

/* ---- the profile ---- */

static int problems_read(const mrn_solve_request *q, const mrn_solve_outcome *o)
{
    int n = 0;
    for (int k = 0; k < q->n_paths; k++)
        n += o->file[k].status == MRN_OK;
    return n;
}

/* The clock's grain: times below it are equal. */
static double time_of(const mrn_solve_run *run)
{
    return run->converged ? fmax(run->seconds, 1e-9) : INFINITY;
}

static double best_time(const mrn_solve_request *q, const mrn_solve_outcome *o, int k)
{
    double best = INFINITY;
    for (int s = 0; s < q->n_solvers; s++)
        best = fmin(best, time_of(run_at(q, o, k, s)));
    return best;
}

/* Problems that solver s solved within tau times the best time of all solvers. */
static int solved_within(const mrn_solve_request *q, const mrn_solve_outcome *o, int s, double tau)
{
    int n = 0;
    for (int k = 0; k < q->n_paths; k++) {
        const mrn_solve_run *run = run_at(q, o, k, s);
        n += run->converged && time_of(run) <= tau * best_time(q, o, k);
    }
    return n;
}

/* ---- as text ---- */

static mrn_readable cell(const mrn_solve_run *run)
{
    mrn_readable t;
    if (run->file->status != MRN_OK)
        snprintf(t.s, sizeof t.s, "bad file");
    else if (!run->able && run->why_not[0] != '\0')
        snprintf(t.s, sizeof t.s, "-");
    else if (!run->done)
        t.s[0] = '\0';
    else if (run->converged)
        return mrn_readable_si(run->seconds, "s");
    else
        snprintf(t.s, sizeof t.s, "[%.1e]", run->result.measures.natural);
    return t;
}

static void times(const mrn_solve_request *q, const mrn_solve_outcome *o, int from, int to, FILE *f)
{
    char name[SIDE_BY_SIDE][72];
    const char *head[SIDE_BY_SIDE + 3] = {"problem", ">contacts", "kind"};
    for (int s = from; s < to; s++) {
        snprintf(name[s - from], sizeof name[0], ">%s", q->solver[s]->name);
        head[s - from + 3] = name[s - from];
    }
    mrn_app_table t;
    mrn_app_table_begin(&t, to - from + 3, head);
    for (int k = 0; k < q->n_paths; k++) {
        bool fine = o->file[k].status == MRN_OK;
        mrn_readable text[SIDE_BY_SIDE], contacts = mrn_readable_count(o->file[k].facts.contacts);
        char stem[64];
        mrn_solve_stem(q->path[k], stem, sizeof stem);
        const char *row[SIDE_BY_SIDE + 3] = {stem, fine ? contacts.s : "-",
                                             fine ? mrn_contact_layout_of(o->file[k].kind)->name
                                                  : "-"};
        for (int s = from; s < to; s++) {
            text[s - from] = cell(run_at(q, o, k, s));
            row[s - from + 3] = text[s - from].s;
        }
        mrn_app_table_row(&t, row);
    }
    mrn_app_table_print(&t, f);
    fputc('\n', f);
}

static bool same_note_before(const mrn_solve_request *q, const mrn_solve_outcome *o, int k, int s)
{
    for (int i = 0; i < k; i++)
        if (strcmp(run_at(q, o, i, s)->why_not, run_at(q, o, k, s)->why_not) == 0)
            return true;
    return false;
}

/* "W is not symmetric, solved as it is: one (2.5e-03), other (6.0e-04)". */
static int note_asymmetry(const mrn_solve_request *q, const mrn_solve_outcome *o, FILE *f)
{
    char text[2048] = "W is not symmetric, solved as it is:";
    int n = 0;
    for (int k = 0; k < q->n_paths; k++) {
        char stem[64];
        size_t at = strlen(text);
        mrn_solve_stem(q->path[k], stem, sizeof stem);
        if (o->file[k].status == MRN_OK && o->file[k].facts.asymmetry > MRN_SYMMETRIC)
            snprintf(text + at, sizeof text - at, "%s %s (%.1e)", n++ > 0 ? "," : "", stem,
                     o->file[k].facts.asymmetry);
    }
    if (n == 0)
        return 0;
    fputs("  ", f);
    mrn_app_wrap(f, text, 2, mrn_app_columns(f));
    return 1;
}

static void notes(const mrn_solve_request *q, const mrn_solve_outcome *o, FILE *f)
{
    int n = 0;
    for (int k = 0; k < q->n_paths; k++)
        for (int s = 0; s < q->n_solvers; s++)
            if (run_at(q, o, k, s)->why_not[0] != '\0' && !same_note_before(q, o, k, s)) {
                fprintf(f, "  -  %s %s\n", q->solver[s]->name, run_at(q, o, k, s)->why_not);
                n++;
            }
    n += note_asymmetry(q, o, f);
    if (n > 0)
        fputc('\n', f);
}

static void profile(const mrn_solve_request *q, const mrn_solve_outcome *o, FILE *f)
{
    int problems = problems_read(q, o);
    char head[N_REPORTED][24], share[N_REPORTED][16], solved[48];
    const char *row[N_REPORTED + 2] = {"solver", ">solved"};
    for (int i = 0; i < N_REPORTED; i++) {
        snprintf(head[i], sizeof head[i], i == 0 ? ">fastest" : ">%g x best", tau_reported[i]);
        row[i + 2] = head[i];
    }
    mrn_app_table t;
    mrn_app_table_begin(&t, N_REPORTED + 2, row);
    for (int s = 0; s < q->n_solvers; s++) {
        snprintf(solved, sizeof solved, "%d of %d", solved_within(q, o, s, INFINITY), problems);
        row[0] = q->solver[s]->name;
        row[1] = solved;
        for (int i = 0; i < N_REPORTED; i++) {
            double part = solved_within(q, o, s, tau_reported[i]) / (double)problems;
            snprintf(share[i], sizeof share[i], "%.0f %%", 100 * part);
            row[i + 2] = share[i];
        }
        mrn_app_table_row(&t, row);
    }
    fputs("Share of the problems solved within so many times the best time of all solvers:\n", f);
    mrn_app_table_print(&t, f);
}

void mrn_solve_table(const mrn_solve_request *q, const mrn_solve_outcome *o, FILE *f)
{
    fprintf(f, "Tolerance %g, criterion %s, %d thread%s%s; [residual] where it was not reached:\n",
            q->control.tolerance, mrn_criterion_name(q->control.criterion), mrn_threads(),
            mrn_threads() == 1 ? "" : "s", q->repeat > 1 ? ", median times" : "");
    for (int s = 0; s < q->n_solvers; s += SIDE_BY_SIDE)
        times(q, o, s, s + SIDE_BY_SIDE < q->n_solvers ? s + SIDE_BY_SIDE : q->n_solvers, f);
    notes(q, o, f);
    if (problems_read(q, o) > 0)
        profile(q, o, f);
    if (q->plot != NULL && problems_read(q, o) > 0)
        fprintf(f, "\nwritten %s: the performance profile\n", q->plot);
}

/* ---- as JSON ---- */

static json_t *profile_json(const mrn_solve_request *q, const mrn_solve_outcome *o)
{
    int problems = problems_read(q, o);
    json_t *list = json_array(), *tau = json_array();
    for (int i = 0; i < N_REPORTED; i++)
        json_array_append_new(tau, json_real(tau_reported[i]));
    for (int s = 0; s < q->n_solvers; s++) {
        int solved = solved_within(q, o, s, INFINITY);
        json_t *share = json_array();
        for (int i = 0; i < N_REPORTED; i++)
            json_array_append_new(
                share,
                json_real(problems > 0 ? solved_within(q, o, s, tau_reported[i]) / (double)problems
                                       : 0));
        json_array_append_new(list, json_pack("{s:s, s:i, s:o}", "solver", q->solver[s]->name,
                                              "solved", solved, "share", share));
    }
    return json_pack("{s:i, s:o, s:o}", "problems", problems, "tau", tau, "solvers", list);
}

json_t *mrn_solve_table_json(const mrn_solve_request *q, const mrn_solve_outcome *o)
{
    json_t *runs = json_array(), *errors = json_array();
    for (int k = 0; k < q->n_paths; k++) {
        if (o->file[k].status != MRN_OK)
            json_array_append_new(errors, mrn_session_message_json(&o->file[k].msg));
        for (int s = 0; s < q->n_solvers && o->file[k].status == MRN_OK; s++)
            json_array_append_new(runs, mrn_solve_json(q, run_at(q, o, k, s)));
    }
    return json_pack("{s:o, s:o, s:o}", "runs", runs, "profile", profile_json(q, o), "errors",
                     errors);
}

/* ---- as a plot ---- */

mrn_status mrn_solve_plot_profile(const mrn_solve_request *q, const mrn_solve_outcome *o,
                                  mrn_message *msg)
{
    int problems = problems_read(q, o);
    mrn_series series[MRN_SOLVE_SOLVERS];
    if (problems == 0)
        return MRN_OK;
    double *x = mrn_alloc((size_t)N_DRAWN * (size_t)(q->n_solvers + 1) * sizeof *x);
    if (x == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    for (int i = 0; i < N_DRAWN; i++)
        x[i] = pow(TAU_MAX, i / (double)(N_DRAWN - 1));
    for (int s = 0; s < q->n_solvers; s++) {
        double *y = x + (s + 1) * N_DRAWN;
        for (int i = 0; i < N_DRAWN; i++)
            y[i] = solved_within(q, o, s, x[i]) / (double)problems;
        series[s] = (mrn_series){.label = q->solver[s]->name,
                                 .style = s < PALETTE ? MRN_SERIES_LINE : MRN_SERIES_DASHED,
                                 .colour = s,
                                 .n = N_DRAWN,
                                 .x = x,
                                 .y = y};
    }
    char title[128];
    snprintf(title, sizeof title, "%d problem%s, tolerance %g, criterion %s", problems,
             problems == 1 ? "" : "s", q->control.tolerance,
             mrn_criterion_name(q->control.criterion));
    mrn_plot plot = mrn_plot_default();
    plot.title = title;
    plot.x_label = "time over the best time";
    plot.y_label = "share of problems solved";
    plot.x_log = true;
    plot.x_lo = 1, plot.x_hi = TAU_MAX;
    plot.y_lo = 0, plot.y_hi = 1.02;
    plot.series = series;
    plot.n = q->n_solvers;
    mrn_status st = mrn_plot_write(&plot, q->plot, msg);
    mrn_free(x);
    return st;
}
