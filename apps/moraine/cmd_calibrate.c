/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine calibrate: parameters of scenes from measured bulk tests, with what is known of them. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "lab_calibrate.h"
#include "session.h"

static const mrn_app_page page = {
    .usage = "calibrate FILE.yaml [options]",
    .doc =
        "Finds the parameters that `parameters:` of the file leaves free such that its scenes give "
        "what was\n"
        "measured: an angle of repose, a rate of discharge, a force. The scenes are run at points "
        "that fill the\n"
        "box of the parameters, each with several seeds; a Gaussian process stands in for them "
        "between. More\n"
        "points go where the fit is expected to gain, until that is too little or the runs are "
        "used up. Then\n"
        "parameters with intervals and verdicts, what combinations the tests tell apart, and runs "
        "at the\n"
        "optimum that check it. Writes into the folder:\n"
        "  report.html         all of it with pictures, and what is needed to repeat it; stands "
        "alone\n"
        "  calibration.json    every number of it, parameters in the units of the file, targets in "
        "SI\n"
        "  runs.csv            every run, as it ends: --resume goes on from there\n"
        "  *.svg               pictures\n"
        "  calibration.yaml and the scenes, as they were read\n"
        "Ctrl-C ends it and keeps the runs. Exit codes: 0 done (also when parameters cannot be "
        "told apart:\n"
        "the verdicts say so), 1 runs were used up before it settled, the check failed, or "
        "interrupted, 2 a bad\n"
        "file or bad usage.",
    .examples = "moraine calibrate beads.yaml --plan\n"
                "moraine calibrate beads.yaml\n"
                "moraine calibrate beads.yaml --resume --runs 160\n"
                "moraine calibrate beads.yaml --out wide --set "
                "\"parameters.friction.bounds=[0.05, 1.2]\"",
};

typedef struct request {
    mrn_cli_request q;
    bool resume, quick, plan;
    int64_t runs, seed; /* 0 and -1: the file's */
    char set[2][64], folder[1100];
} request;

static int check_usage(const request *r, int code, int n)
{
    if (code < 0 && n == 0)
        return mrn_app_usage("calibrate", "which calibration? Name its file");
    if (code < 0 && r->resume && r->q.force)
        return mrn_app_usage("calibrate", "--resume keeps the runs, --force throws them away: one "
                                          "of the two");
    return code;
}

static int parse(int argc, char **argv, request *r)
{
    mrn_cli_request *q = &r->q;
    const mrn_app_option options[] = {
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &q->out,
         .arg = "DIR",
         .doc = "Folder for the report and what belongs to it. Else NAME-calibrated, from the name "
                "of the file."},
        {.name = "resume",
         .letter = 'r',
         .kind = MRN_OPT_FLAG,
         .target = &r->resume,
         .doc = "Go on with the runs of the folder: a run that is needed and there is not made "
                "again. With other measurements or more runs the first design serves as it is; "
                "other bounds or seeds make another one. Scenes must be the same."},
        {.name = "force",
         .kind = MRN_OPT_FLAG,
         .target = &q->force,
         .doc = "Replace an earlier calibration in the folder, its runs too."},
        {.name = "runs",
         .letter = 'n',
         .kind = MRN_OPT_INTEGER,
         .target = &r->runs,
         .arg = "N",
         .min = 1,
         .max = 1e9,
         .doc = "Runs of scenes, at most. Else the file's, or 60."},
        {.name = "seed",
         .kind = MRN_OPT_INTEGER,
         .target = &r->seed,
         .arg = "N",
         .min = 0,
         .max = 9e18,
         .doc = "Of the points and of the seeds that scenes get. Else the file's, or 1."},
        {.name = "set",
         .letter = 's',
         .kind = MRN_OPT_LIST,
         .target = &q->set,
         .arg = "PATH=VALUE",
         .doc = "Change the file before it is checked, e.g. calibrate.seeds=3 or "
                "\"tests.heap.targets.angle.value=25 deg\". May be given many times."},
        {.name = "quick",
         .kind = MRN_OPT_FLAG,
         .target = &r->quick,
         .doc = "Optimum and linearised intervals only: no profile, no bootstrap. The runs are the "
                "same."},
        {.name = "plan",
         .kind = MRN_OPT_FLAG,
         .target = &r->plan,
         .doc = "Read everything, tell what would be run, and stop."},
        {.name = "threads",
         .letter = 't',
         .kind = MRN_OPT_INTEGER,
         .target = &q->threads,
         .arg = "N",
         .min = 1,
         .max = MRN_THREADS_MOST,
         .doc = "Runs side by side, one thread each; else one per core. The result has the same "
                "bits for any number."},
        {.name = "quiet",
         .letter = 'q',
         .kind = MRN_OPT_FLAG,
         .target = &q->quiet,
         .doc = "Print nothing but errors."},
        {.name = "json",
         .kind = MRN_OPT_FLAG,
         .target = &q->json,
         .doc = "Print JSON instead of text."},
    };
    int n, code = mrn_app_parse(&page, options, sizeof options / sizeof *options, argc, argv,
                                &q->path, 1, &n);
    return check_usage(r, code, n);
}

/* ---- progress ---- */

#define BAR_SECONDS  0.1
#define LINE_SECONDS 60 /* where there is no terminal */

typedef struct work {
    const request *r;
    const mrn_calibration *c;
    mrn_tuning_book book;
    FILE *f;                  /* NULL: nothing is stated            */
    bool bar;                 /* f is a terminal                  */
    double clock;             /* of the last line */
    double begin, begin_done; /* to estimate the end: when the first new run began */
    double last_done;
} work;

/* "about 3 min", at the pace so far; "" while nothing is known. */
static mrn_readable time_left(const work *w, double now, double done, double of)
{
    mrn_readable t = {""};
    double pace = (done - w->begin_done) / (now - w->begin);
    if (now - w->begin > 1 && done - w->begin_done > 0.2 && of > done)
        snprintf(t.s, sizeof t.s, "  about %.30s if all are needed",
                 mrn_app_duration((of - done) / pace).s);
    return t;
}

static void tick(void *user, const char *phase, double done, double of, double objective)
{
    work *w = user;
    double now = mrn_clock();
    char text[200], best[32] = "";
    if (w->begin == 0)
        w->clock = now;
    /* runs that were known are done at once: the clock starts after them */
    if (w->begin == 0 || (w->book.n == w->book.n_known && done >= w->last_done + 1)) {
        w->begin = now;
        w->begin_done = done;
    }
    w->last_done = done;
    if (w->f == NULL || now - w->clock < (w->bar ? BAR_SECONDS : LINE_SECONDS))
        return;
    w->clock = now;
    if (isfinite(objective))
        snprintf(best, sizeof best, "  F = %.4g", objective);
    snprintf(text, sizeof text, "%s  %.0f of %.0f runs%s%s", phase, floor(done), of, best,
             time_left(w, now, done, of).s);
    if (w->bar)
        mrn_cli_bar(w->f, of > 0 ? fmin(fmax(done / of, 0), 1) : 0, text);
    else
        fprintf(w->f, "%s\n", text);
    fflush(w->f);
}

static void ran(void *user, const mrn_virtual_run *r)
{
    work *w = user;
    bool kept = w->book.status == MRN_OK;
    mrn_tuning_book_add(&w->book, r);
    if (kept && w->book.status != MRN_OK)
        raise(SIGTERM); /* a full disk: no hours of runs that nobody will have; see the watch */
}

/* ---- the work ---- */

/* How to go on with what there is. */
static void resume_line(const request *r, char *line, size_t size)
{
    snprintf(line, size, "moraine calibrate");
    mrn_cli_add_word(line, size, r->q.path);
    for (int i = 0; i < r->q.set.n; i++) {
        mrn_cli_add_word(line, size, "--set");
        mrn_cli_add_word(line, size, r->q.set.item[i]);
    }
    if (r->quick)
        mrn_cli_add_word(line, size, "--quick");
    mrn_cli_add_word(line, size, "--out");
    mrn_cli_add_word(line, size, r->q.out);
    mrn_cli_add_word(line, size, "--resume");
}

/* Said before there is a folder. */
static mrn_status enough_runs(const mrn_calibration *c, mrn_message *msg)
{
    mrn_tuning_runs n = mrn_tuning_count(c);
    if (n.design + n.check <= n.most)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "%lld runs are not enough: %lld at least are needed",
             (long long)n.most, (long long)(n.design + n.check));
    mrn_fail_hint(msg, "%lld points in %d test%s with %d seeds, and %lld runs at the optimum",
                  (long long)n.points, c->n_tests, c->n_tests == 1 ? "" : "s", c->seeds,
                  (long long)n.check);
    return MRN_ERR_INPUT;
}

static mrn_status prepare_folder(work *w, mrn_message *msg)
{
    static const char *const stale[] = {"report.html", "calibration.json"};
    const request *r = w->r;
    mrn_status status = enough_runs(w->c, msg);
    if (status == MRN_OK)
        status = mrn_cli_folder_make(r->q.out, msg);
    if (status == MRN_OK)
        status = mrn_tuning_book_open(&w->book, w->c, r->q.out, r->resume, msg);
    if (status == MRN_OK)
        status = mrn_tuning_copy_inputs(w->c, r->q.out, msg);
    for (int i = 0; i < 2 && status == MRN_OK && !r->resume; i++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/%s", r->q.out, stale[i]);
        unlink(path); /* listed runs that are gone */
    }
    return status;
}

static mrn_status calibrate(work *w, mrn_calibrated *out, mrn_message *msg)
{
    FILE *f = w->r->q.json ? stderr : stdout;
    w->bar = mrn_app_is_terminal(f);
    w->f = w->r->q.quiet || (w->r->q.json && !w->bar) ? NULL : f;
    mrn_calibrate_options opt = {.known = w->book.known,
                                 .n_known = w->book.n_known,
                                 .stop = mrn_session_watch_signals(),
                                 .ran = ran,
                                 .progress = tick,
                                 .user = w};
    mrn_status status = mrn_calibrate(w->c, &opt, out, msg);
    if (w->f != NULL && w->bar)
        fputs("\r\033[K", w->f);
    mrn_message trouble = {0};
    mrn_status kept = mrn_tuning_book_close(&w->book, out, &trouble);
    if (kept != MRN_OK && status >= 0) {
        *msg = trouble;
        return kept;
    }
    return status;
}

/* ---- what the user gets ---- */

static mrn_status name_things(mrn_tuning *t, mrn_message *msg)
{
    const mrn_calibration *c = t->c;
    t->parameter = mrn_alloc((size_t)c->n_tuned * sizeof *t->parameter);
    t->response = mrn_alloc((size_t)c->n_targets * sizeof *t->response);
    if (t->parameter == NULL || t->response == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    for (int k = 0; k < c->n_tuned; k++) {
        t->parameter[k] = c->tuned[k].p;
        if (strcmp(t->parameter[k].unit, "1") == 0)
            t->parameter[k].unit[0] = '\0';
    }
    for (int i = 0; i < c->n_targets; i++)
        t->response[i] = c->target[i].name;
    t->x = (mrn_cli_estimate){.fit = &t->r->fit,
                              .parameter = t->parameter,
                              .datum = t->r->datum,
                              .response = t->response,
                              .confidence = c->fit.confidence,
                              .shown = true,
                              .note = t->r->words,
                              .tone = t->status == MRN_OK ? MRN_TONE_GOOD : MRN_TONE_DOUBT};
    return MRN_OK;
}

static mrn_status open_page(mrn_cli_out *o, const mrn_calibration *c)
{
    char subtitle[200];
    snprintf(subtitle, sizeof subtitle, "Parameters of scenes from measured tests · Moraine %s",
             MRN_VERSION);
    return mrn_page_create(c->title[0] != '\0' ? c->title : c->path, subtitle, &o->page, &o->msg);
}

static int show(const mrn_tuning *t, int code)
{
    const mrn_cli_request *q = t->q;
    mrn_cli_out o = {.folder = q->out, .f = q->json || q->quiet ? NULL : stdout};
    json_t *root = mrn_tuning_json(t);
    o.status = open_page(&o, t->c);
    if (o.status == MRN_OK)
        o.status = mrn_cli_write_json(q->out, "calibration.json", root, &o.msg);
    if (o.status == MRN_OK)
        mrn_tuning_show(&o, t);
    if (q->json) {
        int failed = mrn_app_json(json_incref(root));
        code = failed > code ? failed : code;
    }
    json_decref(root);
    return mrn_cli_close_page(&o, code);
}

static int tell(const work *w, const mrn_calibrated *out, mrn_status status, double seconds,
                mrn_message *msg)
{
    const request *r = w->r;
    mrn_tuning t = {.q = &r->q, .c = w->c, .r = out, .status = status, .seconds = seconds};
    char line[8192];
    int code;
    if (status == MRN_INTERRUPTED) {
        resume_line(r, line, sizeof line);
        mrn_fail(msg, MRN_INTERRUPTED, "%lld run%s kept in %s/runs.csv", (long long)w->book.n,
                 w->book.n == 1 ? " is" : "s are", r->q.out);
        mrn_fail_hint(msg, "go on with: %s", line);
    }
    if (status < 0 || status == MRN_INTERRUPTED) {
        code = mrn_session_fail(msg, r->q.json);
    } else if (name_things(&t, msg) != MRN_OK) {
        code = mrn_session_fail(msg, r->q.json);
    } else {
        code = show(&t, mrn_app_exit_code(status));
        bool read = !r->q.json && !r->q.quiet && strcmp(msg->text, out->words) == 0;
        if (status != MRN_OK && !read)
            mrn_app_report(msg);
    }
    mrn_free(t.parameter);
    mrn_free(t.response);
    return code;
}

static int run(const request *r, const mrn_calibration *c)
{
    mrn_message msg = {0};
    work w = {.r = r, .c = c};
    mrn_calibrated out = {0};
    double begin = mrn_clock();
    int code;
    mrn_status status = prepare_folder(&w, &msg);
    if (status != MRN_OK) {
        code = mrn_session_fail(&msg, r->q.json);
    } else {
        status = calibrate(&w, &out, &msg);
        code = tell(&w, &out, status, mrn_clock() - begin, &msg);
    }
    mrn_calibrated_release(&out);
    mrn_tuning_book_free(&w.book);
    return code;
}

static int plan(const request *r, const mrn_calibration *c)
{
    mrn_cli_out o = {.f = r->q.json || r->q.quiet ? NULL : stdout};
    if (r->q.json)
        return mrn_app_json(mrn_tuning_plan_json(c));
    mrn_tuning_show_plan(&o, c);
    return MRN_EXIT_OK;
}

/* The file's own keys, so that they are held against what it allows and stand in its copy. */
static void choose(request *r)
{
    if (r->runs > 0)
        mrn_cli_set(&r->q, r->set[0], sizeof r->set[0], "calibrate.runs", "%lld",
                    (long long)r->runs);
    if (r->seed >= 0)
        mrn_cli_set(&r->q, r->set[1], sizeof r->set[1], "calibrate.seed", "%lld",
                    (long long)r->seed);
}

static void set_quick(mrn_fit_options *opt)
{
    opt->bootstrap = 0;
    opt->profile = opt->regions = opt->nested = false;
}

int mrn_cmd_calibrate(int argc, char **argv)
{
    request r = {.q = {.command = "calibrate"}, .seed = -1};
    mrn_calibration c = {0};
    mrn_message msg = {0};
    mrn_cli_keep_line(&r.q, argc, argv);
    int code = parse(argc, argv, &r);
    if (code >= 0)
        return code;
    choose(&r);
    if (r.q.out == NULL) {
        mrn_cli_folder_name(r.q.path, "calibrated", r.folder, sizeof r.folder);
        r.q.out = r.folder;
    }
    if (!r.plan && mrn_tuning_folder_check(&r.q, r.resume, &msg) != MRN_OK)
        return mrn_session_fail(&msg, r.q.json);
    if (r.q.threads > 0)
        mrn_threads_set((int)r.q.threads);
    if (mrn_calibration_read(r.q.path, r.q.set.item, r.q.set.n, &c, &msg) != MRN_OK)
        return mrn_session_fail(&msg, r.q.json);
    if (r.quick)
        set_quick(&c.fit);
    code = r.plan ? plan(&r, &c) : run(&r, &c);
    mrn_calibration_destroy(&c);
    return code;
}
