/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine solve, one problem by one solver: the page, the JSON, the history and its plot. */
#include <math.h>
#include <string.h>

#include "moraine/plot.h"
#include "solving.h"

void mrn_solve_stem(const char *path, char *buf, size_t size)
{
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    int length = dot != NULL && dot != base ? (int)(dot - base) : (int)strlen(base);
    snprintf(buf, size, "%.*s", length, base);
}

/* ---- the problem ---- */

static void label(FILE *f, const char *name)
{
    fprintf(f, "  %s", mrn_app_style_code(f, MRN_DIM));
    mrn_app_pad(f, name, 18, false);
    fputs(mrn_app_style_code(f, MRN_PLAIN), f);
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

static void page_friction(FILE *f, const mrn_problem_facts *x)
{
    label(f, "friction");
    if (x->friction_max > x->friction_min)
        fprintf(f, "%.3g … %.3g", x->friction_min, x->friction_max);
    else
        fprintf(f, "%.3g", x->friction_max);
    if (x->frictionless > 0)
        fprintf(f, ", %s contact%s without", mrn_readable_count(x->frictionless).s,
                plural(x->frictionless));
    if (x->bilateral > 0)
        fprintf(f, ", %s bilateral", mrn_readable_count(x->bilateral).s);
    fputc('\n', f);
}

static void page_operator(FILE *f, const mrn_problem_facts *x)
{
    label(f, "operator");
    if (x->blocks > 0)
        fprintf(f, "%s block%s of W stored", mrn_readable_count(x->blocks).s, plural(x->blocks));
    else
        fputs("W not stored", f);
    if (x->bodies > 0)
        fprintf(f, ", %s %s", mrn_readable_count(x->bodies).s, x->bodies == 1 ? "body" : "bodies");
    fputc('\n', f);
    if (x->asymmetry > MRN_SYMMETRIC) {
        label(f, "");
        fprintf(f, "%sW is not symmetric (%.1e): solved as it is%s\n",
                mrn_app_style_code(f, MRN_YELLOW), x->asymmetry, mrn_app_style_code(f, MRN_PLAIN));
    }
    label(f, "");
    if (x->redundant > 0)
        fprintf(f, "hyperstatic: %s components of the impulses are redundant\n",
                mrn_readable_count(x->redundant).s);
    else if (x->hyperstatic)
        fputs("hyperstatic: more impulses than the bodies can feel\n", f);
    else
        fputs(x->redundant == 0 ? "not hyperstatic: W has full rank\n"
                                : "rank of W not counted: too large\n",
              f);
}

static void page_problem(const mrn_solve_request *q, const mrn_solve_run *run, FILE *f)
{
    const mrn_solve_file *file = run->file;
    const mrn_contact_layout *lay = mrn_contact_layout_of(file->kind);
    fprintf(f, "%s%s%s\n", mrn_app_style_code(f, MRN_BOLD), file->path,
            mrn_app_style_code(f, MRN_PLAIN));
    if (file->title[0] != '\0') {
        label(f, "title");
        mrn_app_wrap(f, file->title, 20, mrn_app_columns(f));
    }
    label(f, "problem");
    fprintf(f, "%s contact%s, %s (%s form)\n", mrn_readable_count(file->facts.contacts).s,
            plural(file->facts.contacts), lay->name, file->form != NULL ? file->form : "local");
    page_friction(f, &file->facts);
    page_operator(f, &file->facts);
    if (file->remark[0] != '\0') {
        label(f, "file");
        mrn_app_wrap(f, file->remark, 20, mrn_app_columns(f));
    }
    label(f, "solver");
    fprintf(f, "%s: %s\n", run->solver->name, run->solver->summary);
    label(f, "");
    fprintf(f, "tolerance %g, criterion %s, %d thread%s, started from %s\n\n", q->control.tolerance,
            mrn_criterion_name(q->control.criterion), mrn_threads(), plural(mrn_threads()),
            file->started ? "the guess in the file" : "zero");
}

/* ---- the solution ---- */

static void number(FILE *f, const char *name, double v, const char *meaning)
{
    label(f, name);
    fprintf(f, "%-9.2e %s%s%s\n", v, mrn_app_style_code(f, MRN_DIM), meaning,
            mrn_app_style_code(f, MRN_PLAIN));
}

static void page_verdict(const mrn_solve_run *run, FILE *f)
{
    const mrn_solve_result *r = &run->result;
    const char *verdict = run->converged     ? "Solved"
                          : run->interrupted ? "Stopped, not solved"
                                             : "Not solved";
    fprintf(f, "%s%s%s in %s: ", mrn_app_style_code(f, run->converged ? MRN_GREEN : MRN_YELLOW),
            verdict, mrn_app_style_code(f, MRN_PLAIN), mrn_readable_si(run->seconds, "s").s);
    mrn_app_wrap(f, r->words, 2, mrn_app_columns(f));
    label(f, "iterations");
    fputs(mrn_readable_count(r->iterations).s, f);
    if (r->updates > 0)
        fprintf(f, ", %s updates of a contact", mrn_readable_count(r->updates).s);
    if (r->factorisations > 0)
        fprintf(f, ", %s factorisation%s", mrn_readable_count(r->factorisations).s,
                plural(r->factorisations));
    fputc('\n', f);
}

static void page_measures(const mrn_measures *m, FILE *f)
{
    number(f, "residual err_v", m->natural, "natural map, free of units: the one that decides");
    number(f, "of Siconos", m->siconos, "natural map with rho = 1 over the largest of q, r, u");
    number(f, "of the paper", m->paper, "natural map with rho = 1 over q");
    number(f, "of fclib", m->fclib, "its MERIT_1");
    number(f, "violation", m->violation_mean, "of one more sweep: sum over the reference energy");
    number(f, "", m->violation_quadratic, "its root: a ratio of impulses");
    number(f, "", m->violation_max, "its largest term, over the mean energy of a contact");
    number(f, "", m->violation_signed, "the change of the energy, either sign");
    number(f, "complementarity", m->complementarity, "of impulses and velocities");
    number(f, "outside the cone", m->cone, "impulses, over the largest");
    number(f, "outside its dual", m->dual_cone, "velocities, over the largest");
    number(f, "penetration", m->penetration, "m/s, the fastest approach left");
}

static void page_solution(const mrn_solve_request *q, const mrn_solve_run *run, FILE *f)
{
    const mrn_measures *m = &run->result.measures;
    page_verdict(run, f);
    page_measures(m, f);
    label(f, "contacts");
    fprintf(f, "%s open, %s sticking, %s sliding\n", mrn_readable_count(m->open).s,
            mrn_readable_count(m->sticking).s, mrn_readable_count(m->sliding).s);
    label(f, "energy");
    fprintf(f, "%.6g J (1/2 r W r + q r)\n", m->energy);
    label(f, "time");
    fprintf(f, "%s", mrn_readable_si(run->seconds, "s").s);
    fprintf(f, q->repeat > 1 ? ", median of %lld\n" : "\n", (long long)q->repeat);
    label(f, "memory");
    fprintf(f, "%s of work space\n", mrn_app_bytes((double)run->result.memory).s);
    if (run->out[0] != '\0') {
        label(f, "written");
        fprintf(f, "%s: the problem with %s\n", run->out,
                run->converged ? "its answer" : "the best impulses found");
    }
}

static void written(FILE *f, const char *path, const char *what)
{
    if (path == NULL)
        return;
    label(f, "written");
    fprintf(f, "%s: %s\n", path, what);
}

void mrn_solve_page(const mrn_solve_request *q, const mrn_solve_run *run, FILE *f)
{
    page_problem(q, run, f);
    page_solution(q, run, f);
    written(f, q->history, "the iterates");
    written(f, q->plot, "the residual over the iterations");
}

/* ---- JSON ---- */

static void put(json_t *o, const char *key, double v)
{
    json_object_set_new(o, key, isfinite(v) ? json_real(v) : json_null());
}

static void put_text(json_t *o, const char *key, const char *text)
{
    json_t *t = json_string(text); /* NULL when it is not UTF-8 */
    json_object_set_new(o, key, t != NULL ? t : json_string("?"));
}

static void put_count(json_t *o, const char *key, int64_t n)
{
    json_object_set_new(o, key, json_integer(n));
}

static void json_problem(json_t *o, const mrn_solve_file *file)
{
    const mrn_contact_layout *lay = mrn_contact_layout_of(file->kind);
    put_text(o, "file", file->path);
    put_text(o, "title", file->title);
    put_count(o, "contacts", file->facts.contacts);
    put_count(o, "dimension", lay->dimension);
    put_text(o, "kind", lay->name);
    put_text(o, "form", file->form != NULL ? file->form : "local");
    put_count(o, "bodies", file->facts.bodies);
    put_count(o, "blocks", file->facts.blocks);
    put(o, "friction_min", file->facts.friction_min);
    put(o, "friction_max", file->facts.friction_max);
    put(o, "asymmetry", file->facts.asymmetry);
    json_object_set_new(o, "hyperstatic", json_boolean(file->facts.hyperstatic));
    put_text(o, "remark", file->remark);
}

static void json_measures(json_t *o, const mrn_measures *m)
{
    put(o, "residual_natural", m->natural);
    put(o, "residual_siconos", m->siconos);
    put(o, "residual_paper", m->paper);
    put(o, "residual_fclib", m->fclib);
    put(o, "complementarity", m->complementarity);
    put(o, "cone_violation", m->cone);
    put(o, "dual_cone_violation", m->dual_cone);
    put(o, "penetration", m->penetration);
    put(o, "violation_mean", m->violation_mean);
    put(o, "violation_quadratic", m->violation_quadratic);
    put(o, "violation_max", m->violation_max);
    put(o, "violation_signed", m->violation_signed);
    put(o, "energy", m->energy);
    put_count(o, "open", m->open);
    put_count(o, "sticking", m->sticking);
    put_count(o, "sliding", m->sliding);
}

json_t *mrn_solve_json(const mrn_solve_request *q, const mrn_solve_run *run)
{
    const mrn_solve_result *r = &run->result;
    json_t *o = json_object();
    json_problem(o, run->file);
    put_text(o, "solver", run->solver->name);
    json_object_set_new(o, "able", json_boolean(run->able));
    json_object_set_new(o, "converged", json_boolean(run->converged));
    put_text(o, "words", run->done ? r->words : run->why_not);
    put(o, "tolerance", q->control.tolerance);
    put_text(o, "criterion", mrn_criterion_name(q->control.criterion));
    put_count(o, "threads", mrn_threads());
    json_object_set_new(o, "guess", json_boolean(run->file->started));
    if (!run->done)
        return o;
    put_count(o, "iterations", r->iterations);
    put_count(o, "updates", r->updates);
    put_count(o, "factorisations", r->factorisations);
    json_measures(o, &r->measures);
    put(o, "seconds", run->seconds);
    put_count(o, "memory", (int64_t)r->memory);
    json_object_set_new(o, "out", run->out[0] != '\0' ? json_string(run->out) : json_null());
    return o;
}

/* ---- history ---- */

static void column(FILE *f, double v)
{
    if (isfinite(v))
        fprintf(f, ",%.9g", v);
    else
        fputc(',', f);
}

mrn_status mrn_solve_write_history(const mrn_solve_history *h, const char *path, mrn_message *msg)
{
    mrn_atomic_file file;
    if (h->lost)
        return mrn_fail(msg, MRN_ERR_MEMORY, "%s: out of memory for the history", path);
    mrn_status st = mrn_atomic_open(path, &file, msg);
    if (st != MRN_OK)
        return st;
    fputs("phase,iteration,seconds,natural,violation_mean,violation_max,energy\n", file.f);
    for (int64_t k = 0; k < h->n; k++) {
        const mrn_iterate *it = &h->line[k];
        fprintf(file.f, "%s,%lld", it->phase, (long long)it->iteration);
        column(file.f, it->seconds);
        column(file.f, it->natural);
        column(file.f, it->violation_mean);
        column(file.f, it->violation_max);
        column(file.f, it->energy);
        fputc('\n', file.f);
    }
    return mrn_atomic_commit(&file, msg);
}

#define PHASES    6
#define FEW_LINES 60 /* so many may stand as circles */

/* The names of the phases in the order of their first line; the rest is not distinguished. */
static int find_phases(const mrn_solve_history *h, const char **phase)
{
    int n = 0;
    for (int64_t k = 0; k < h->n; k++) {
        bool known = false;
        for (int i = 0; i < n; i++)
            known = known || strcmp(phase[i], h->line[k].phase) == 0;
        if (!known && n < PHASES)
            phase[n++] = h->line[k].phase;
    }
    return n;
}

/* y[i * n …]: residuals of phase i, NAN elsewhere; the last row holds all. */
static void fill_curves(const mrn_solve_history *h, const char *const *phase, int n_phases,
                        double *x, double *y)
{
    for (int64_t k = 0; k < h->n; k++) {
        double v = h->line[k].natural;
        x[k] = (double)h->line[k].iteration;
        v = v > 0 ? v : NAN; /* an exact answer has no place on a logarithmic axis */
        for (int i = 0; i < n_phases; i++)
            y[i * h->n + k] = strcmp(h->line[k].phase, phase[i]) == 0 ? v : NAN;
        y[n_phases * h->n + k] = v;
    }
}

/* The curves as series: all in grey beneath, which joins the phases, and each phase on top. */
static void make_series(const mrn_solve_history *h, const char *const *phase, int n,
                        const double *x, const double *y, mrn_series *series)
{
    int count = (int)h->n;
    series[0] = (mrn_series){.colour = -1, .n = count, .x = x, .y = y + n * h->n};
    for (int i = 0; i < n; i++)
        series[i + 1] =
            (mrn_series){.label = phase[i],
                         .style = count <= FEW_LINES ? MRN_SERIES_BOTH : MRN_SERIES_LINE,
                         .colour = i,
                         .n = count,
                         .x = x,
                         .y = y + i * h->n};
}

static mrn_status draw_history(const mrn_solve_request *q, const mrn_solve_run *run,
                               mrn_series *series, int n, mrn_message *msg)
{
    const double *x = series[0].x, tol = q->control.tolerance;
    double ends[2] = {x[0], x[series[0].n - 1]}, level[2] = {tol, tol};
    /* the tolerance belongs to the residual only when that decides */
    if (q->control.criterion == MRN_STOP_NATURAL)
        series[n++] = (mrn_series){.label = "tolerance",
                                   .style = MRN_SERIES_DASHED,
                                   .colour = -1,
                                   .n = 2,
                                   .x = ends,
                                   .y = level};
    char stem[128], title[256];
    mrn_solve_stem(run->file->path, stem, sizeof stem);
    snprintf(title, sizeof title, "%s by %s", stem, run->solver->name);
    mrn_plot plot = mrn_plot_default();
    plot.title = title;
    plot.x_label = "iteration";
    plot.y_label = "residual err_v";
    plot.y_log = true;
    plot.series = series;
    plot.n = n;
    return mrn_plot_write(&plot, q->plot, msg);
}

mrn_status mrn_solve_plot_history(const mrn_solve_request *q, const mrn_solve_run *run,
                                  const mrn_solve_history *h, mrn_message *msg)
{
    const char *phase[PHASES];
    mrn_series series[PHASES + 2];
    if (h->lost || h->n == 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "%s: no iterates to draw", q->plot);
    int n = find_phases(h, phase);
    double *x = mrn_alloc((size_t)h->n * (size_t)(n + 2) * sizeof *x);
    if (x == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    fill_curves(h, phase, n, x, x + h->n);
    make_series(h, phase, n, x, x + h->n, series);
    mrn_status st = draw_history(q, run, series, n + 1, msg);
    mrn_free(x);
    return st;
}
