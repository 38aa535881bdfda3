/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine compare: all laws of a file beside its measurements. */
#include <math.h>
#include <string.h>

#include "lab_parts.h"
#include "session.h"

static const mrn_app_page page = {
    .usage = "compare FILE.yaml [options]",
    .doc = "Every law of the file, as it stands there, on the collisions that were measured. The "
           "deviation\n"
           "index of a response is |measured - model| over half the 95 % interval of the "
           "measurement:\n"
           "its mean and its largest value over the data. Below 1 the law is as near as the "
           "measurement\n"
           "can tell; the best of each line is marked *. A response whose errors are not known has "
           "none.\n"
           "With --out: report.html with bars and curves, compare.json, plots, the input as read.",
    .examples = "moraine compare steel.yaml\n"
                "moraine compare steel.yaml --law M1,M3 --plot laws.svg\n"
                "moraine compare steel.yaml --out steel-laws",
};

typedef struct request {
    mrn_cli_request q;
    const char *plot;
} request;

/* Everything computed: law after law. */
typedef struct comparison {
    const mrn_cli *lab;
    int n_responses;
    mrn_rebound *rebound;   /* n_laws * at.n        */
    double *mean, *largest; /* n_laws * n_responses */
} comparison;

static int parse(int argc, char **argv, request *r)
{
    mrn_app_option options[MRN_CLI_COMMON + 1] = {
        {.name = "plot",
         .kind = MRN_OPT_TEXT,
         .target = &r->plot,
         .arg = "FILE.svg|png",
         .doc = "Draw measurements with error bars and the laws' curves, one file per response: "
                "FILE-en.svg, …; and the deviation indices as bars: FILE-deviation-mean.svg, "
                "FILE-deviation-largest.svg."},
    };
    mrn_cli_options(&r->q, "Only these laws of the file: NAME or NAME,NAME. Else all.",
                    "Write report.html, plots, compare.json and the input into this folder.",
                    options + 1);
    int n, code = mrn_app_parse(&page, options, MRN_CLI_COMMON + 1, argc, argv, &r->q.path, 1, &n);
    if (code < 0 && n == 0)
        return mrn_app_usage("compare", "which file? Name it");
    return code < 0 ? mrn_cli_check_file(&r->q, "plot", r->plot, true) : code;
}

/* ---- the work ---- */

static void comparison_free(comparison *c)
{
    mrn_free(c->rebound);
    mrn_free(c->mean);
    mrn_free(c->largest);
}

static mrn_status compare_all(const mrn_cli *lab, comparison *c, mrn_message *msg)
{
    const mrn_experiment *e = &lab->e;
    size_t rows = (size_t)lab->n_laws * (size_t)e->at.n;
    *c = (comparison){.lab = lab, .n_responses = e->measured.n_responses};
    size_t cells = (size_t)lab->n_laws * (size_t)c->n_responses;
    c->rebound = mrn_alloc(rows * sizeof *c->rebound);
    c->mean = mrn_alloc(cells * sizeof *c->mean);
    c->largest = mrn_alloc(cells * sizeof *c->largest);
    if (c->rebound == NULL || c->mean == NULL || c->largest == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    mrn_status worst = MRN_OK;
    for (int k = 0; worst >= 0 && k < lab->n_laws; k++) {
        mrn_message said = {0};
        mrn_rebound *r = c->rebound + k * e->at.n;
        mrn_status status = mrn_experiment_collide(e, lab->law[k], r, &said);
        if (status >= 0)
            mrn_experiment_deviation(e, r, c->mean + k * c->n_responses,
                                     c->largest + k * c->n_responses, &said);
        if (status < 0 || (status > 0 && worst == MRN_OK)) {
            worst = status;
            *msg = said;
        }
    }
    return worst;
}

/* ---- tables ---- */

static int best_of(const double *v, int n, int stride)
{
    int best = -1;
    for (int k = 0; k < n; k++)
        if (isfinite(v[k * stride]) && (best < 0 || v[k * stride] < v[best * stride]))
            best = k;
    return n > 1 ? best : -1;
}

static int shown_laws(const mrn_cli *lab, int taken)
{
    return lab->n_laws < MRN_APP_CELLS - taken ? lab->n_laws : MRN_APP_CELLS - taken;
}

static void heads(const mrn_cli *lab, int n, int from, const char **text, mrn_readable *store)
{
    for (int k = 0; k < n; k++) {
        snprintf(store[from + k].s, sizeof store[0].s, ">%.60s",
                 lab->e.candidate[lab->law[k]].name);
        text[from + k] = store[from + k].s;
    }
}

static void index_row(const comparison *c, mrn_app_table *t, const char *name, const char *what,
                      const double *v, int n)
{
    const char *text[MRN_APP_CELLS] = {name, what};
    mrn_readable store[MRN_APP_CELLS];
    int best = best_of(v, c->lab->n_laws, c->n_responses);
    for (int k = 0; k < n; k++) {
        snprintf(store[k].s, sizeof store[k].s, "%.40s%s",
                 mrn_cli_number(v[k * c->n_responses], 3).s, k == best ? " *" : "");
        text[2 + k] = store[k].s;
    }
    mrn_app_table_row(t, text);
}

static void show_indices(mrn_cli_out *o, const comparison *c)
{
    const char *text[MRN_APP_CELLS] = {"response", "index"};
    mrn_readable store[MRN_APP_CELLS];
    mrn_app_table t;
    int n = shown_laws(c->lab, 2);
    heads(c->lab, n, 2, text, store);
    mrn_app_table_begin(&t, 2 + n, text);
    for (int i = 0; i < c->n_responses; i++) {
        const char *name = c->lab->e.measured.response[i]->name;
        index_row(c, &t, name, "mean", c->mean + i, n);
        index_row(c, &t, "", "largest", c->largest + i, n);
    }
    mrn_cli_section(o, "Deviation indices");
    mrn_cli_table(o, "", &t);
    mrn_cli_words(o, "|measured - model| over half the 95 %% interval of the measurement. Below 1: "
                     "within what was measured. The best of each line is marked.");
}

/* The law that is nearest over all responses. */
static void show_verdict(mrn_cli_out *o, const comparison *c)
{
    double sum[MRN_CLI_LAWS];
    int counted = 0;
    for (int k = 0; k < c->lab->n_laws; k++) {
        sum[k] = counted = 0;
        for (int i = 0; i < c->n_responses; i++) {
            double v = c->mean[k * c->n_responses + i];
            sum[k] += isfinite(v) ? v : 0;
            counted += isfinite(v);
        }
    }
    int best = best_of(sum, c->lab->n_laws, 1);
    if (best < 0 || counted == 0)
        return;
    const char *name = c->lab->e.candidate[c->lab->law[best]].name;
    double mean = sum[best] / counted;
    mrn_cli_note(o, mean < 1 ? MRN_TONE_GOOD : MRN_TONE_DOUBT,
                 "%s is nearest over all responses: mean index %.3g%s", name, mean,
                 mean < 1 ? "."
                          : ", still outside what was measured. `moraine fit` finds the "
                            "parameters that bring a law nearest.");
}

/* Digits behind the point such that an error has two; -1: it is not known. */
static int digits_of(double half)
{
    if (!isfinite(half) || half <= 0)
        return -1;
    double digits = ceil(1 - log10(half));
    return digits < 0 ? 0 : digits > 12 ? 12 : (int)digits;
}

static mrn_readable measured_text(double y, double half)
{
    int digits = digits_of(half);
    mrn_readable t = mrn_cli_number(y, 5);
    if (digits >= 0)
        snprintf(t.s, sizeof t.s, "%.*f ± %.*f", digits, y, digits, half);
    return t;
}

/* One digit more than the measurement has. */
static mrn_readable model_text(double y, double half)
{
    int digits = digits_of(half);
    mrn_readable t = mrn_cli_number(y, 5);
    if (digits >= 0 && isfinite(y))
        snprintf(t.s, sizeof t.s, "%.*f", digits + 1, y);
    return t;
}

static void show_values(mrn_cli_out *o, const comparison *c, int response)
{
    const mrn_experiment *e = &c->lab->e;
    const mrn_rebound_field *f = e->measured.response[response];
    double unit = mrn_cli_unit(mrn_cli_response_unit(e, f), f->unit);
    const char *text[MRN_APP_CELLS] = {"condition", ">measured"};
    mrn_readable store[MRN_APP_CELLS];
    mrn_app_table t;
    int n = shown_laws(c->lab, 2);
    heads(c->lab, n, 2, text, store);
    mrn_app_table_begin(&t, 2 + n, text);
    for (int i = 0; i < e->measured.n; i++) {
        const mrn_datum *d = &e->measured.datum[i];
        if (d->response != response)
            continue;
        int row = e->measured.row[i];
        store[0] = mrn_cli_row_name(&e->at, row);
        double half = d->spread == MRN_SPREAD_COMMON ? NAN : mrn_datum_half_width(d, 0.95) / unit;
        store[1] = measured_text(d->y / unit, half);
        for (int k = 0; k < n; k++)
            store[2 + k] = model_text(mrn_cli_response(e, f, &c->rebound[k * e->at.n + row]), half);
        for (int k = 0; k < 2 + n; k++)
            text[k] = store[k].s;
        mrn_app_table_row(&t, text);
    }
    mrn_cli_table(o, mrn_cli_heading(f->name, mrn_cli_response_unit(e, f)).s, &t);
}

static void show_laws(mrn_cli_out *o, const mrn_cli *lab)
{
    mrn_app_table t;
    mrn_app_table_begin(&t, 3, (const char *[]){"name", "law", "parameters"});
    for (int k = 0; k < lab->n_laws; k++) {
        const mrn_candidate *c = &lab->e.candidate[lab->law[k]];
        char law[1600];
        mrn_cli_law_text(&c->collision, law, sizeof law);
        mrn_app_table_row(&t, (const char *[]){c->name, c->collision.model.name, law});
    }
    mrn_cli_section(o, "Laws");
    mrn_cli_table(o, "", &t);
    for (int k = 0; k < lab->n_laws; k++)
        if (lab->e.candidate[lab->law[k]].n_free > 0)
            mrn_cli_words(o,
                          "Parameters of %s that `fit` leaves free stand at the law's values; "
                          "where it has none, in the middle of their bounds.",
                          lab->e.candidate[lab->law[k]].name);
}

static void show_curves(mrn_cli_out *o, const mrn_cli *lab)
{
    mrn_cli_law_line *line = mrn_alloc((size_t)lab->n_laws * sizeof *line);
    if (line == NULL)
        return;
    for (int k = 0; k < lab->n_laws; k++) {
        const mrn_candidate *c = &lab->e.candidate[lab->law[k]];
        line[k] = (mrn_cli_law_line){.collision = c->collision,
                                     .colour = k % 6,
                                     .style = k < 6 ? MRN_SERIES_LINE : MRN_SERIES_DASHED};
        snprintf(line[k].label, sizeof line[k].label, "%s", c->name);
    }
    mrn_cli_plot_curves(o, &lab->e, lab->n_laws, line, true, "", "");
    mrn_free(line);
}

/* Figures of the indices. */
static void show_bars(mrn_cli_out *o, const comparison *c)
{
    const char *law[MRN_CLI_LAWS];
    for (int k = 0; k < c->lab->n_laws; k++)
        law[k] = c->lab->e.candidate[c->lab->law[k]].name;
    mrn_cli_plot_deviation(o, &c->lab->e, c->lab->n_laws, law, c->mean, c->largest);
}

/* ---- JSON ---- */

static json_t *law_json(const comparison *c, int k)
{
    const mrn_experiment *e = &c->lab->e;
    const mrn_candidate *law = &e->candidate[c->lab->law[k]];
    json_t *deviation = json_object(), *values = json_array();
    for (int i = 0; i < c->n_responses; i++)
        json_object_set_new(deviation, e->measured.response[i]->name,
                            json_pack("{s:o, s:o}", "mean",
                                      mrn_cli_real(c->mean[k * c->n_responses + i]), "largest",
                                      mrn_cli_real(c->largest[k * c->n_responses + i])));
    for (int i = 0; i < e->measured.n; i++) {
        const mrn_rebound_field *f = e->measured.response[e->measured.datum[i].response];
        json_array_append_new(values, mrn_cli_real(mrn_rebound_value(
                                          &c->rebound[k * e->at.n + e->measured.row[i]], f)));
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", law->name, "model",
                     law->collision.model.name, "parameters", mrn_cli_law_json(&law->collision),
                     "deviation", deviation, "values", values);
}

static json_t *comparison_json(const comparison *c)
{
    const mrn_experiment *e = &c->lab->e;
    json_t *laws = json_array();
    for (int k = 0; k < c->lab->n_laws; k++)
        json_array_append_new(laws, law_json(c, k));
    return json_pack("{s:s, s:s, s:s, s:f, s:s, s:o, s:o}", "version", MRN_VERSION, "title",
                     e->title, "file", e->path, "accuracy", e->accuracy, "source",
                     e->measured.source, "measured", mrn_cli_measured_json(e), "laws", laws);
}

/* ---- what the user gets ---- */

static void show_everything(mrn_cli_out *o, const comparison *c)
{
    const mrn_cli *lab = c->lab;
    mrn_cli_title(o, lab->e.title);
    mrn_cli_show_experiment(o, lab);
    show_indices(o, c);
    show_verdict(o, c);
    show_bars(o, c);
    if (o->page != NULL)
        mrn_page_section(o->page, "Curves");
    show_curves(o, lab);
    mrn_cli_section(o, "Values");
    for (int i = 0; i < c->n_responses; i++)
        show_values(o, c, i);
    show_laws(o, lab);
    mrn_cli_show_repeat(o, lab, 0);
    if (o->f != NULL)
        fputc('\n', o->f);
}

static int show(const request *r, const comparison *c, int code)
{
    mrn_cli_out o = {
        .folder = r->q.out, .plot = r->plot, .f = r->q.json || r->q.quiet ? NULL : stdout};
    json_t *root = comparison_json(c);
    if (r->q.out != NULL)
        o.status = mrn_cli_folder_make(r->q.out, &o.msg);
    if (o.status == MRN_OK && r->q.out != NULL)
        o.status = mrn_cli_page(&o, c->lab, "Laws compared", &o.msg);
    if (o.status == MRN_OK && r->q.out != NULL)
        o.status = mrn_cli_write_json(r->q.out, "compare.json", root, &o.msg);
    if (o.status == MRN_OK)
        show_everything(&o, c);
    if (r->q.json) {
        int failed = mrn_app_json(json_incref(root));
        code = failed > code ? failed : code;
    }
    json_decref(root);
    return mrn_cli_finish(&o, c->lab, code);
}

static int compare(const request *r, const mrn_cli *lab)
{
    mrn_message msg = {0};
    comparison c = {0};
    mrn_status status = mrn_cli_need_data(lab, &msg);
    if (status == MRN_OK)
        status = compare_all(lab, &c, &msg);
    int code;
    if (status < 0) {
        code = mrn_session_fail(&msg, r->q.json);
    } else {
        code = show(r, &c, mrn_app_exit_code(status));
        if (status != MRN_OK)
            mrn_app_report(&msg);
    }
    comparison_free(&c);
    return code;
}

int mrn_cmd_compare(int argc, char **argv)
{
    request r = {.q = {.command = "compare"}};
    mrn_cli lab;
    mrn_message msg = {0};
    mrn_cli_keep_line(&r.q, argc, argv);
    int code = parse(argc, argv, &r);
    if (code >= 0)
        return code;
    if (r.q.out != NULL && mrn_cli_folder_check(&r.q, r.q.out, &msg) != MRN_OK)
        return mrn_session_fail(&msg, r.q.json);
    if (mrn_cli_open(&r.q, &lab, &msg) != MRN_OK)
        return mrn_session_fail(&msg, r.q.json);
    code = compare(&r, &lab);
    mrn_cli_close(&lab);
    return code;
}
