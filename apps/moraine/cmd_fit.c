/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine fit: parameters of a law from measured collisions, with what is known of them. */
#include <math.h>
#include <string.h>

#include "lab_parts.h"
#include "session.h"

static const mrn_app_page page = {
    .usage = "fit EXPERIMENT.yaml [options]",
    .doc =
        "Finds the parameters that `fit:` of the file leaves free by maximum likelihood: a global "
        "search\n"
        "whose population doubles until the optimum stops falling, then local ones. Tells how well "
        "they\n"
        "are known (linearised, profile likelihood, bootstrap), which of them the data cannot "
        "tell, whether\n"
        "the law fits at all, whether a smaller model would do, and what to measure next.\n"
        "Writes into the folder:\n"
        "  report.html       all of it with plots, and what is needed to repeat it; stands alone\n"
        "  fit.json          every number of it\n"
        "  residuals.csv     datum by datum\n"
        "  *.svg             plots\n"
        "  experiment.yaml and the table of the data, as they were read\n"
        "Ctrl-C ends it and writes nothing. Exit codes: 0 done (also when a parameter is not "
        "determined:\n"
        "its verdict says so), 1 no optimum or interrupted, 2 a bad file or bad usage.",
    .examples = "moraine fit steel.yaml\n"
                "moraine fit steel.yaml --quick --json\n"
                "moraine fit steel.yaml --set \"fit.responses=[en, et]\" --out without-spin\n"
                "moraine fit steel.yaml --law M2 --seed 7 --force\n"
                "moraine fit steel.yaml --scene heap.yaml",
};

typedef struct request {
    mrn_cli_request q;
    bool no_bootstrap, quick;
    const char *scene, *bulk;
    int64_t seed; /* -1: the file's */
    char law[160], folder[1100];
} request;

static int parse(int argc, char **argv, request *r)
{
    static const char *const kinds[] = {"heap", "drum"};
    mrn_app_option options[MRN_CLI_COMMON + 5] = {
        {.name = "no-bootstrap",
         .kind = MRN_OPT_FLAG,
         .target = &r->no_bootstrap,
         .doc = "Without the bootstrap, which takes most of the time."},
        {.name = "quick",
         .kind = MRN_OPT_FLAG,
         .target = &r->quick,
         .doc = "A first look: optimum and linearised intervals only."},
        {.name = "seed",
         .kind = MRN_OPT_INTEGER,
         .target = &r->seed,
         .arg = "N",
         .min = 0,
         .max = 9e18,
         .doc = "Of the global search and the bootstrap. Else the file's, or 1."},
        {.name = "scene",
         .kind = MRN_OPT_TEXT,
         .target = &r->scene,
         .arg = "FILE.yaml",
         .doc = "Write a scene of many such balls under the law as fitted, for `moraine run`."},
        {.name = "bulk",
         .kind = MRN_OPT_CHOICE,
         .target = &r->bulk,
         .arg = "WORD",
         .choices = kinds,
         .n_choices = 2,
         .doc = "What that scene is: a heap (a column that is set free on a rough plate; default), "
                "or a drum that turns."},
    };
    mrn_cli_options(&r->q, "Which law of the file; else what the file says.",
                    "Folder for the report and what belongs to it. Else NAME-fit, from the name of "
                    "the file.",
                    options + 5);
    int n, code = mrn_app_parse(&page, options, MRN_CLI_COMMON + 5, argc, argv, &r->q.path, 1, &n);
    if (code < 0 && n == 0)
        return mrn_app_usage("fit", "which experiment? Name its file");
    if (code < 0 && r->q.law.n > 1)
        return mrn_app_usage("fit", "one law at a time: --law was given %d times", r->q.law.n);
    if (code < 0 && r->bulk != NULL && r->scene == NULL)
        return mrn_app_usage("fit", "--bulk %s: which file? Name it with --scene", r->bulk);
    return code < 0 ? mrn_cli_check_file(&r->q, "scene", r->scene, false) : code;
}

/* ---- the work ---- */

typedef struct work {
    const request *r;
    const mrn_cli *lab;
    const mrn_candidate *candidate;
    mrn_parameter *parameter; /* the free ones; units are "" for pure numbers, for words */
    mrn_fit_setup *setup;
    mrn_predictor model;
    mrn_fit_setup_data data;
    const char *response[MRN_CLI_RESPONSES];
    mrn_fit_options opt;
    mrn_fit fit;
} work;

static mrn_status need_free(const mrn_cli *lab, mrn_message *msg)
{
    mrn_status status = mrn_cli_need_data(lab, msg);
    if (status != MRN_OK)
        return status;
    if (lab->e.fitted >= 0 && lab->e.candidate[lab->e.fitted].n_free > 0)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "this file leaves no parameter free");
    mrn_fail_expected(msg, "the key `fit`, with parameters and their bounds");
    return mrn_fail_at(msg, lab->e.path, 1, 1);
}

static void choose(const request *r, mrn_fit_options *opt)
{
    if (r->seed >= 0)
        opt->seed = (uint64_t)r->seed;
    if (r->no_bootstrap || r->quick)
        opt->bootstrap = 0;
    if (r->quick)
        opt->profile = opt->regions = opt->nested = false;
}

static mrn_status name_parameters(work *w, mrn_message *msg)
{
    size_t n = (size_t)w->candidate->n_free;
    w->parameter = mrn_alloc(n * sizeof *w->parameter);
    if (w->parameter == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    for (size_t k = 0; k < n; k++) {
        w->parameter[k] = w->candidate->free[k];
        if (strcmp(w->parameter[k].unit, "1") == 0)
            w->parameter[k].unit[0] = '\0';
    }
    return MRN_OK;
}

static mrn_status fit_all(work *w, mrn_message *msg)
{
    const mrn_experiment *e = &w->lab->e;
    mrn_status status = need_free(w->lab, msg);
    if (status != MRN_OK)
        return status;
    w->candidate = &e->candidate[e->fitted];
    status = name_parameters(w, msg);
    if (status == MRN_OK)
        status = mrn_fit_setup_create(e, e->fitted, &w->setup, &w->model, msg);
    if (status != MRN_OK)
        return status;
    w->data = mrn_fit_setup_data_of(w->setup);
    for (int i = 0; i < w->data.n_responses && i < MRN_CLI_RESPONSES; i++)
        w->response[i] = e->measured.response[w->data.response[i]]->name;
    w->opt = e->fit;
    w->opt.response = w->response;
    choose(w->r, &w->opt);
    FILE *f = w->r->q.json ? stderr : stdout;
    mrn_cli_progress progress = {.f = !w->r->q.quiet && mrn_app_is_terminal(f) ? f : NULL,
                                 .stop = mrn_session_watch_signals()};
    w->opt.progress = mrn_cli_tick;
    w->opt.user = &progress;
    mrn_predictor counted = mrn_cli_counted(&progress, &w->model);
    status = mrn_fit_model(&counted, w->parameter, w->data.datum, w->data.n_responses, &w->opt,
                           &w->fit, msg);
    mrn_cli_progress_end(&progress);
    return status;
}

/* ---- files ---- */

static mrn_status write_residuals(const work *w, const char *folder, mrn_message *msg)
{
    const mrn_experiment *e = &w->lab->e;
    char path[1200];
    mrn_atomic_file file;
    snprintf(path, sizeof path, "%s/residuals.csv", folder);
    mrn_status status = mrn_atomic_open(path, &file, msg);
    if (status != MRN_OK)
        return status;
    for (int k = 0; k < e->at.n_conditions; k++)
        fprintf(file.f, "%s [%s],", e->at.factor[k].name, e->at.factor[k].unit);
    fputs("response,unit,measured,model,residual,variance,freedom,half_width_95\n", file.f);
    for (int i = 0; i < w->data.n; i++) {
        const mrn_datum *d = &w->data.datum[i];
        const mrn_rebound_field *f = e->measured.response[w->data.response[d->response]];
        int row = e->measured.row[w->data.of[i]];
        for (int k = 0; k < e->at.n_conditions; k++)
            fprintf(file.f, "%.17g,", e->at.value[row * e->at.n_conditions + k]);
        fprintf(file.f, "%s,%s,%.17g,%.17g,%.17g", f->name, f->unit, d->y, w->fit.y[i],
                w->fit.residual[i]);
        if (d->spread == MRN_SPREAD_COMMON)
            fputs(",,,\n", file.f);
        else
            fprintf(file.f, ",%.17g,%d,%.17g\n", d->variance, d->freedom,
                    mrn_datum_half_width(d, 0.95));
    }
    return mrn_atomic_commit(&file, msg);
}

static json_t *result_json(const work *w, const mrn_cli_estimate *x, mrn_status status)
{
    const mrn_experiment *e = &w->lab->e;
    json_t *root = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:s}", "version", MRN_VERSION,
                             "title", e->title, "file", e->path, "source", e->measured.source,
                             "law", w->candidate->name, "model", w->candidate->collision.model.name,
                             "seed", (json_int_t)w->opt.seed, "status", mrn_status_text(status));
    json_t *fit = mrn_cli_fit_json(x);
    json_object_update(root, fit);
    json_decref(fit);
    return root;
}

/* ---- what the user gets ---- */

static void show_curves(mrn_cli_out *o, const work *w)
{
    mrn_cli_law_line *line = mrn_alloc(sizeof *line);
    if (line == NULL)
        return;
    line->collision = mrn_cli_optimum(w->candidate, w->fit.x);
    line->style = MRN_SERIES_LINE;
    snprintf(line->label, sizeof line->label, "%s, fitted", w->candidate->name);
    mrn_cli_plot_curves(o, &w->lab->e, 1, line, true, "", "");
    mrn_free(line);
}

/* What the fit has gained, over all that was measured: the law as it stands in the file beside the
   law fitted. */
static void show_bars(mrn_cli_out *o, const work *w)
{
    const mrn_experiment *e = &w->lab->e;
    size_t cells = 4 * (size_t)e->measured.n_responses;
    mrn_rebound *rebound = mrn_alloc((size_t)e->at.n * sizeof *rebound);
    double *v = mrn_alloc(cells * sizeof *v), *mean = v, *largest = v + cells / 2;
    const mrn_collision law[2] = {w->candidate->collision, mrn_cli_optimum(w->candidate, w->fit.x)};
    const char *name[2] = {"as in the file", "fitted"};
    mrn_message msg = {0};
    bool good = rebound != NULL && v != NULL;
    for (int k = 0; good && k < 2; k++)
        good = mrn_cli_run(&law[k], &e->at, e->accuracy, rebound, NULL, &msg) >= 0 &&
               mrn_experiment_deviation(e, rebound, mean + k * e->measured.n_responses,
                                        largest + k * e->measured.n_responses, &msg) >= 0;
    if (good)
        mrn_cli_plot_deviation(o, e, 2, name, mean, largest);
    mrn_free(rebound);
    mrn_free(v);
}

static void show_law(mrn_cli_out *o, const work *w)
{
    const mrn_collision *c = &w->candidate->collision;
    char law[1600], free_ones[800];
    size_t n = 0;
    mrn_cli_law_text(c, law, sizeof law);
    free_ones[0] = '\0';
    for (int k = 0; k < w->candidate->n_free && n + 120 < sizeof free_ones; k++) {
        const mrn_parameter *p = &w->candidate->free[k];
        n += (size_t)snprintf(free_ones + n, sizeof free_ones - n, "%s%s from %s to %s%s%s%s",
                              k > 0 ? "; " : "", p->name, mrn_cli_number(p->lo, 4).s,
                              mrn_cli_number(p->hi, 4).s, strcmp(p->unit, "1") == 0 ? "" : " ",
                              mrn_cli_unit_sign(p->unit), p->log ? ", log" : "");
    }
    mrn_cli_line(o, "law", "%s (%s)", w->candidate->name, c->model.name);
    mrn_cli_line(o, "free", "%s", free_ones);
    if (o->page == NULL)
        return;
    const char *facts[] = {"law",  w->candidate->name, "model", c->model.name, "parameters", law,
                           "free", free_ones};
    mrn_page_facts(o->page, 4, facts);
}

static void show_everything(mrn_cli_out *o, const work *w, const mrn_cli_estimate *x)
{
    mrn_cli_title(o, w->lab->e.title);
    mrn_cli_show_experiment(o, w->lab);
    show_law(o, w);
    mrn_cli_show_result(o, x);
    if (o->page != NULL)
        mrn_page_section(o->page, "Plots");
    show_curves(o, w);
    show_bars(o, w);
    mrn_cli_plot_fit(o, x);
    mrn_cli_show_quality(o, x);
    mrn_cli_show_repeat(o, w->lab, w->opt.seed);
    if (o->f != NULL)
        fputc('\n', o->f);
    mrn_cli_line(o, "time", "%s", mrn_app_duration(w->fit.seconds).s);
}

static mrn_status write_scene(const work *w, mrn_message *msg)
{
    const request *r = w->r;
    bool drum = r->bulk != NULL && strcmp(r->bulk, "drum") == 0;
    mrn_bulk_scene b = {.path = r->scene,
                        .kind = drum ? "drum" : "heap",
                        .what = drum ? "Balls in a drum" : "A heap of balls",
                        .law = w->candidate->name,
                        .file = w->lab->e.path,
                        .collision = mrn_cli_optimum(w->candidate, w->fit.x)};
    return mrn_bulk_scene_write(&b, msg);
}

static int show(const work *w, mrn_status status, int code)
{
    const mrn_cli_request *q = &w->r->q;
    mrn_cli_estimate x = {.fit = &w->fit,
                          .parameter = w->parameter,
                          .datum = w->data.datum,
                          .response = w->response,
                          .confidence = w->opt.confidence};
    mrn_cli_out o = {.folder = q->out, .f = q->json || q->quiet ? NULL : stdout};
    json_t *root = result_json(w, &x, status);
    o.status = mrn_cli_folder_make(q->out, &o.msg);
    if (o.status == MRN_OK)
        o.status = mrn_cli_page(&o, w->lab, "Parameters of a law from measured collisions", &o.msg);
    if (o.status == MRN_OK)
        o.status = mrn_cli_write_json(q->out, "fit.json", root, &o.msg);
    if (o.status == MRN_OK)
        o.status = write_residuals(w, q->out, &o.msg);
    if (o.status == MRN_OK && w->r->scene != NULL)
        o.status = write_scene(w, &o.msg);
    if (o.status == MRN_OK)
        show_everything(&o, w, &x);
    if (o.status == MRN_OK && w->r->scene != NULL)
        mrn_cli_line(&o, "scene", "%s; next: moraine run %s", w->r->scene, w->r->scene);
    if (q->json) {
        int failed = mrn_app_json(json_incref(root));
        code = failed > code ? failed : code;
    }
    json_decref(root);
    return mrn_cli_finish(&o, w->lab, code);
}

static int fit(const request *r, const mrn_cli *lab)
{
    mrn_message msg = {0};
    work w = {.r = r, .lab = lab};
    mrn_status status = fit_all(&w, &msg);
    int code;
    if (status < 0 || status == MRN_INTERRUPTED) {
        code = mrn_session_fail(&msg, r->q.json);
    } else {
        code = show(&w, status, mrn_app_exit_code(status));
        if (status != MRN_OK)
            mrn_app_report(&msg);
    }
    mrn_fit_release(&w.fit);
    mrn_fit_setup_destroy(&w.setup);
    mrn_free(w.parameter);
    return code;
}

int mrn_cmd_fit(int argc, char **argv)
{
    request r = {.q = {.command = "fit"}, .seed = -1};
    mrn_cli lab;
    mrn_message msg = {0};
    mrn_cli_keep_line(&r.q, argc, argv);
    int code = parse(argc, argv, &r);
    if (code >= 0)
        return code;
    if (r.q.law.n > 0) /* the file's own key, so that its parameters are held against that law */
        mrn_cli_set(&r.q, r.law, sizeof r.law, "fit.law", "%s", r.q.law.item[0]);
    r.q.law.n = 0;
    if (r.q.out == NULL) {
        mrn_cli_folder_name(r.q.path, "fit", r.folder, sizeof r.folder);
        r.q.out = r.folder;
    }
    if (mrn_cli_folder_check(&r.q, r.q.out, &msg) != MRN_OK)
        return mrn_session_fail(&msg, r.q.json);
    if (mrn_cli_open(&r.q, &lab, &msg) != MRN_OK)
        return mrn_session_fail(&msg, r.q.json);
    code = fit(&r, &lab);
    mrn_cli_close(&lab);
    return code;
}
