/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What several commands of the lab show: the experiment, curves beside measurements, and what is
   needed to repeat it. */
#include <libgen.h>
#include <math.h>
#include <string.h>

#include "lab_parts.h"

#define FINE 121 /* points of a model's curve */

/* ---- the experiment ---- */

static void ball_text(const mrn_collision *c, int side, char *buf, size_t size)
{
    int n = isfinite(c->radius[side])
                ? snprintf(buf, size, "%sball of %s", side == 1 && c->fixed ? "fixed " : "",
                           mrn_cli_value(2 * c->radius[side], "mm", "m").s)
                : snprintf(buf, size, "plane");
    if (isfinite(c->young[side]))
        n += snprintf(buf + n, size - (size_t)n, ", E %s, ν %.3g",
                      mrn_readable_si(c->young[side], "Pa").s, c->poisson[side]);
    if (isfinite(c->radius[side]) && isfinite(c->density[side]))
        snprintf(buf + n, size - (size_t)n, ", %g kg/m3", c->density[side]);
}

static bool varies(const mrn_conditions *at, const char *name)
{
    for (int k = 0; k < at->n_conditions; k++)
        if (strcmp(at->factor[k].name, name) == 0)
            return true;
    return false;
}

static void fixed_text(const mrn_experiment *e, char *buf, size_t size)
{
    const mrn_collision *c = &e->candidate[0].collision;
    int n = 0;
    buf[0] = '\0';
    if (c->normal_speed > 0 && !varies(&e->at, "normal-speed") && !varies(&e->at, "speed"))
        n += snprintf(buf + n, size - (size_t)n, "normal speed %s",
                      mrn_readable_si(c->normal_speed, "m/s").s);
    else if (!(c->normal_speed > 0) && !varies(&e->at, "speed"))
        n += snprintf(buf + n, size - (size_t)n, "speed %s", mrn_readable_si(c->speed, "m/s").s);
    if (!varies(&e->at, "angle"))
        n += snprintf(buf + n, size - (size_t)n, "%sangle %s from the normal", n > 0 ? ", " : "",
                      mrn_cli_value(c->angle, "deg", "rad").s);
    const double *w = c->spin[0];
    if (!varies(&e->at, "spin") && (w[0] != 0 || w[1] != 0 || w[2] != 0))
        n += snprintf(buf + n, size - (size_t)n, "%sspin (%g, %g, %g) rad/s", n > 0 ? ", " : "",
                      w[0], w[1], w[2]);
    if (n == 0)
        snprintf(buf, size, "every condition varies");
}

static void varying_text(const mrn_conditions *at, char *buf, size_t size)
{
    int n = snprintf(buf, size, "%d collision%s", at->n, at->n == 1 ? "" : "s");
    for (int k = 0; k < at->n_conditions && at->n > 0 && (size_t)n < size; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < at->n; i++) {
            lo = fmin(lo, at->value[i * at->n_conditions + k]);
            hi = fmax(hi, at->value[i * at->n_conditions + k]);
        }
        const char *si = at->factor[k].unit;
        n += snprintf(buf + n, size - (size_t)n, "%s %s %s", k == 0 ? ":" : ",", at->factor[k].name,
                      mrn_cli_value(lo, at->unit[k], si).s);
        if (hi > lo && (size_t)n < size)
            n +=
                snprintf(buf + n, size - (size_t)n, " to %s", mrn_cli_value(hi, at->unit[k], si).s);
    }
}

static void data_text(const mrn_experiment *e, char *buf, size_t size)
{
    const mrn_measurements *m = &e->measured;
    int n = snprintf(buf, size, "%d value%s of", m->n, m->n == 1 ? "" : "s");
    for (int i = 0; i < m->n_responses && (size_t)n < size; i++)
        n += snprintf(buf + n, size - (size_t)n, "%s %s", i > 0 ? "," : "", m->response[i]->name);
}

void mrn_cli_show_experiment(mrn_cli_out *o, const mrn_cli *lab)
{
    const mrn_experiment *e = &lab->e;
    char ball[256], target[256], fixed[256], rows[512], data[256], pair[600];
    ball_text(&e->candidate[0].collision, 0, ball, sizeof ball);
    ball_text(&e->candidate[0].collision, 1, target, sizeof target);
    fixed_text(e, fixed, sizeof fixed);
    varying_text(&e->at, rows, sizeof rows);
    data_text(e, data, sizeof data);
    snprintf(pair, sizeof pair, "%s, on a %s", ball, target);
    const char *facts[] = {"file",         e->path, "collision",  pair,
                           "fixed",        fixed,   "conditions", rows,
                           "measurements", data,    "source",     e->measured.source};
    int n = e->measured.n == 0 ? 4 : e->measured.source[0] != '\0' ? 6 : 5;
    if (o->page != NULL) {
        mrn_page_section(o->page, "Experiment");
        mrn_page_facts(o->page, n, facts);
    }
    mrn_cli_line(o, "file", "%s", e->path);
    mrn_cli_line(o, "collision", "%s; %s", pair, fixed);
    mrn_cli_line(o, "conditions", "%s", rows);
    if (e->measured.n > 0)
        mrn_cli_line(o, "measured", "%s%s%s", data, e->measured.source[0] != '\0' ? "; " : "",
                     e->measured.source);
}

/* ---- laws ---- */

static bool is_number(const mrn_param *p, const mrn_value *v)
{
    return p->kind == MRN_P_NUMBER && isfinite(v->number);
}

/* A word that was given; NULL: none. */
static const char *word_of(const mrn_param *p, const mrn_value *v)
{
    return p->kind == MRN_P_CHOICE && v->given ? p->choices[(int)v->number] : NULL;
}

void mrn_cli_law_text(const mrn_collision *c, char *buf, size_t size)
{
    const mrn_param *param[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&c->model, param), at = 0;
    buf[0] = '\0';
    for (int i = 0; i < n && (size_t)at + 80 < size; i++) {
        const char *word = word_of(param[i], &c->value[i]);
        if (word != NULL)
            at += snprintf(buf + at, size - (size_t)at, "%s%s %s", at > 0 ? ", " : "",
                           param[i]->name, word);
        if (!is_number(param[i], &c->value[i]))
            continue;
        at += snprintf(buf + at, size - (size_t)at, "%s%s %s%s%s", at > 0 ? ", " : "",
                       param[i]->name, mrn_cli_number(c->value[i].number, 6).s,
                       strcmp(param[i]->unit, "1") == 0 ? "" : " ",
                       mrn_cli_unit_sign(param[i]->unit));
    }
}

json_t *mrn_cli_law_json(const mrn_collision *c)
{
    const mrn_param *param[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&c->model, param);
    json_t *o = json_object();
    for (int i = 0; i < n; i++)
        if (is_number(param[i], &c->value[i]))
            json_object_set_new(o, param[i]->name, json_real(c->value[i].number));
        else if (word_of(param[i], &c->value[i]) != NULL)
            json_object_set_new(o, param[i]->name, json_string(word_of(param[i], &c->value[i])));
    return o;
}

/* ---- measurements ---- */

void mrn_cli_row_json(const mrn_conditions *at, int row, json_t *into)
{
    for (int k = 0; k < at->n_conditions; k++)
        json_object_set_new(into, at->factor[k].name,
                            mrn_cli_real(at->value[row * at->n_conditions + k]));
}

json_t *mrn_cli_measured_json(const mrn_experiment *e)
{
    const mrn_measurements *m = &e->measured;
    json_t *list = json_array();
    for (int i = 0; i < m->n; i++) {
        const mrn_datum *d = &m->datum[i];
        json_t *o = json_object();
        mrn_cli_row_json(&e->at, m->row[i], o);
        json_object_set_new(o, "response", json_string(m->response[d->response]->name));
        json_object_set_new(o, "value", mrn_cli_real(d->y));
        json_object_set_new(o, "half_width_95",
                            d->spread == MRN_SPREAD_COMMON
                                ? json_null()
                                : mrn_cli_real(mrn_datum_half_width(d, 0.95)));
        json_array_append_new(list, o);
    }
    return list;
}

/* ---- curves beside measurements ---- */

typedef struct curves {
    mrn_cli_out *o;
    const mrn_experiment *e;
    int n, axis, groups, *group;
    double lo, hi; /* of the axis, SI */
    const mrn_cli_law_line *line;
    double *x; /* FINE * n * groups, in the unit of the axis; NAN: no answer */
    mrn_rebound *rebound;
} curves;

static void ends_of_group(const curves *c, int g, int *row, double *lo, double *hi)
{
    const mrn_conditions *at = &c->e->at;
    *lo = INFINITY, *hi = -INFINITY, *row = 0;
    for (int i = 0; i < at->n; i++) {
        if (c->group[i] != g)
            continue;
        double v = at->value[i * at->n_conditions + c->axis];
        *row = i;
        *lo = fmin(*lo, v);
        *hi = fmax(*hi, v);
    }
}

static mrn_status run_curves(curves *c, mrn_message *msg)
{
    const mrn_conditions *at = &c->e->at;
    double unit = mrn_cli_unit(at->unit[c->axis], at->factor[c->axis].unit);
    double accuracy = fmax(c->e->accuracy, 1e-6); /* finer than a line is wide */
    for (int k = 0; k < c->n * c->groups; k++) {
        int row;
        double lo, hi, *x = c->x + (size_t)k * FINE;
        ends_of_group(c, k % c->groups, &row, &lo, &hi);
        c->lo = k == 0 ? lo : fmin(c->lo, lo);
        c->hi = k == 0 ? hi : fmax(c->hi, hi);
        mrn_status status =
            mrn_cli_curve(&c->line[k / c->groups].collision, at, row, c->axis, lo, hi, FINE,
                          accuracy, x, c->rebound + (size_t)k * FINE, msg);
        if (status < 0)
            return status;
        for (int i = 0; i < FINE; i++)
            x[i] /= unit;
    }
    return MRN_OK;
}

static void add_measured(const curves *c, mrn_cli_chart *chart, const mrn_rebound_field *f)
{
    const mrn_measurements *m = &c->e->measured;
    const mrn_conditions *at = &c->e->at;
    double ux = mrn_cli_unit(at->unit[c->axis], at->factor[c->axis].unit);
    double uy = mrn_cli_unit(mrn_cli_response_unit(c->e, f), f->unit);
    double *x = mrn_alloc((size_t)m->n * sizeof *x), *y = mrn_alloc((size_t)m->n * sizeof *y);
    double *error = mrn_alloc((size_t)m->n * sizeof *error);
    int n = 0;
    for (int i = 0; x != NULL && y != NULL && error != NULL && i < m->n; i++) {
        if (m->response[m->datum[i].response] != f)
            continue;
        x[n] = at->value[m->row[i] * at->n_conditions + c->axis] / ux;
        y[n] = m->datum[i].y / uy;
        error[n++] = m->datum[i].spread == MRN_SPREAD_COMMON
                         ? NAN
                         : mrn_datum_half_width(&m->datum[i], 0.95) / uy;
    }
    mrn_cli_chart_add(chart, "measured", MRN_SERIES_POINTS, 6, n, x, y, error);
    mrn_free(x);
    mrn_free(y);
    mrn_free(error);
}

static void plot_response(const curves *c, const mrn_rebound_field *f, bool measured,
                          const char *prefix, const char *title)
{
    const mrn_conditions *at = &c->e->at;
    mrn_cli_chart chart;
    char name[128], head[160];
    double y[FINE];
    snprintf(name, sizeof name, "%s%s", prefix, f->name);
    snprintf(head, sizeof head, "%s%s%s", title, title[0] != '\0' ? ": " : "", f->name);
    mrn_cli_chart_begin(&chart, head,
                        mrn_cli_heading(at->factor[c->axis].name, at->unit[c->axis]).s,
                        mrn_cli_heading(f->name, mrn_cli_response_unit(c->e, f)).s);
    for (int k = 0; k < c->n * c->groups; k++) {
        const mrn_cli_law_line *line = &c->line[k / c->groups];
        for (int i = 0; i < FINE; i++)
            y[i] = mrn_cli_response(c->e, f, &c->rebound[k * FINE + i]);
        mrn_cli_chart_add(&chart, k % c->groups == 0 ? line->label : "", line->style, line->colour,
                          FINE, c->x + (size_t)k * FINE, y, NULL);
    }
    if (measured) {
        /* points at the ends are seen whole */
        double unit = mrn_cli_unit(at->unit[c->axis], at->factor[c->axis].unit);
        double room = 0.03 * (c->hi - c->lo) / unit;
        add_measured(c, &chart, f);
        chart.plot.x_lo = c->lo / unit - room;
        chart.plot.x_hi = c->hi / unit + room;
    }
    mrn_cli_chart_end(&chart, c->o, name, MRN_PAGE_HALF, "");
}

void mrn_cli_plot_curves(mrn_cli_out *o, const mrn_experiment *e, int n,
                         const mrn_cli_law_line *line, bool measured, const char *prefix,
                         const char *title)
{
    curves c = {.o = o, .e = e, .n = n, .line = line, .axis = mrn_cli_axis(&e->at)};
    const mrn_rebound_field *field[MRN_CLI_RESPONSES];
    mrn_message msg = {0};
    if (c.axis < 0 || (o->page == NULL && o->folder == NULL && o->plot == NULL))
        return;
    c.group = mrn_alloc((size_t)e->at.n * sizeof *c.group);
    c.groups = c.group != NULL ? mrn_cli_groups(&e->at, c.axis, c.group) : 0;
    size_t points = (size_t)n * (size_t)c.groups * FINE;
    c.x = mrn_alloc(points * sizeof *c.x);
    c.rebound = mrn_alloc(points * sizeof *c.rebound);
    mrn_status status = MRN_OK;
    if (c.group == NULL || c.x == NULL || c.rebound == NULL)
        status = mrn_fail(&msg, MRN_ERR_MEMORY, "out of memory");
    else
        status = run_curves(&c, &msg);
    if (status < 0)
        mrn_cli_failed(o, status, &msg);
    int m = status >= 0 ? mrn_cli_responses(e, field) : 0;
    for (int i = 0; i < m; i++)
        plot_response(&c, field[i], measured, prefix, title);
    mrn_free(c.group);
    mrn_free(c.x);
    mrn_free(c.rebound);
}

/* ---- the page ---- */

mrn_status mrn_cli_page(mrn_cli_out *o, const mrn_cli *lab, const char *what, mrn_message *msg)
{
    char subtitle[400];
    snprintf(subtitle, sizeof subtitle, "%s · Moraine %s", what, MRN_VERSION);
    return mrn_page_create(lab->e.title[0] != '\0' ? lab->e.title : lab->e.path, subtitle, &o->page,
                           msg);
}

/* The copies beside the page, and what they need. */
static void repeat_words(mrn_cli_out *o, const mrn_cli *lab)
{
    const mrn_experiment *e = &lab->e;
    char copy[1024] = "", mark[1100], text[2600];
    if (e->data_path != NULL)
        snprintf(copy, sizeof copy, "%s", e->data_path);
    const char *name = basename(copy);
    snprintf(mark, sizeof mark, "/%s", name);
    /* the table lies beside the copy, wherever it was before */
    bool moved = e->data_path != NULL && e->source != NULL && strstr(e->source, mark) != NULL;
    snprintf(text, sizeof text,
             "In the folder of this page: moraine %s experiment.yaml%s%s, with the same options; "
             "what --set changed is in the file already.",
             lab->q->command, moved ? " --set data.file=" : "", moved ? name : "");
    mrn_page_text(o->page, text);
}

void mrn_cli_show_repeat(mrn_cli_out *o, const mrn_cli *lab, uint64_t seed)
{
    const mrn_experiment *e = &lab->e;
    char number[32], accuracy[32], name[1024] = "";
    if (o->page == NULL)
        return;
    snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
    snprintf(accuracy, sizeof accuracy, "%g", e->accuracy);
    const char *facts[] = {"version", MRN_VERSION, "accuracy of collisions",
                           accuracy,  "seed",      number};
    mrn_page_section(o->page, "To repeat it");
    mrn_page_text(o->page,
                  "The command as it was given. The same version with the same files, seed "
                  "and options gives the same numbers, bit for bit, for any number of "
                  "threads. The files stand beside this page, and below.");
    mrn_page_code(o->page, NULL, lab->q->line, false);
    mrn_page_facts(o->page, 3, facts);
    repeat_words(o, lab);
    if (e->source != NULL)
        mrn_page_code(o->page, "experiment.yaml", e->source, true);
    if (e->data_text != NULL && e->data_path != NULL) {
        snprintf(name, sizeof name, "%s", e->data_path);
        mrn_page_code(o->page, basename(name), e->data_text, true);
    }
}

int mrn_cli_finish(mrn_cli_out *o, const mrn_cli *lab, int code)
{
    mrn_message msg = {0};
    if (o->folder != NULL && o->status == MRN_OK) {
        mrn_status status = mrn_cli_copy_inputs(lab, o->folder, &msg);
        if (status != MRN_OK)
            mrn_cli_failed(o, status, &msg);
    }
    return mrn_cli_close_page(o, code);
}

int mrn_cli_close_page(mrn_cli_out *o, int code)
{
    mrn_message msg = {0};
    char path[1200];
    if (o->folder != NULL && o->status == MRN_OK) {
        snprintf(path, sizeof path, "%s/report.html", o->folder);
        mrn_status status = mrn_page_close(&o->page, path, &msg);
        if (status != MRN_OK)
            mrn_cli_failed(o, status, &msg);
    }
    mrn_page_close(&o->page, NULL, NULL);
    if (o->status != MRN_OK) {
        int worse = mrn_app_report(&o->msg);
        return worse > code ? worse : code;
    }
    if (o->plots > 0)
        mrn_cli_line(o, "plots", "%d, the first %s", o->plots, o->first);
    if (o->folder != NULL)
        mrn_cli_line(o, "written", "%s/report.html and what belongs to it", o->folder);
    return code;
}

/* ---- deviations as bars ---- */

/* Room above the bars for the legend, by the largest of them. */
static double room_above(const double *v, int n)
{
    double most = 1;
    for (int i = 0; i < n; i++)
        most = isfinite(v[i]) ? fmax(most, v[i]) : most;
    return 1.35 * most;
}

static void plot_bars(mrn_cli_out *o, const mrn_experiment *e, int n, const char *const *law,
                      const double *v, const char *title, const char *name)
{
    enum { MOST = 32 };
    int m = e->measured.n_responses < MOST ? e->measured.n_responses : MOST;
    const char *response[MOST];
    double x[MOST];
    mrn_cli_chart chart;
    mrn_cli_chart_begin(&chart, title, "", "deviation index");
    for (int i = 0; i < m; i++) {
        response[i] = e->measured.response[i]->name;
        x[i] = i;
    }
    chart.plot.n_names = m, chart.plot.x_name = response;
    chart.plot.y_lo = 0;
    chart.plot.y_hi = room_above(v, n * e->measured.n_responses);
    for (int k = 0; k < n; k++)
        mrn_cli_chart_add(&chart, law[k], MRN_SERIES_BARS, k, m, x,
                          v + (ptrdiff_t)k * e->measured.n_responses, NULL);
    mrn_cli_chart_add(&chart, "as near as was measured", MRN_SERIES_DASHED, -1, 2,
                      (double[]){-0.5, m - 0.5}, (double[]){1, 1}, NULL);
    mrn_cli_chart_end(&chart, o, name, MRN_PAGE_HALF, "");
}

void mrn_cli_plot_deviation(mrn_cli_out *o, const mrn_experiment *e, int n, const char *const *law,
                            const double *mean, const double *largest)
{
    if (o->page == NULL && o->folder == NULL && o->plot == NULL)
        return;
    plot_bars(o, e, n, law, mean, "Mean deviation indices", "deviation-mean");
    plot_bars(o, e, n, law, largest, "Largest deviation indices", "deviation-largest");
}
