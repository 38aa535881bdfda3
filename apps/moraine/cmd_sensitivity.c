/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine sensitivity: which parameter of a law moves which response. */
#include "lab_study.h"
#include "session.h"

static const mrn_app_page page = {
    .usage = "sensitivity FILE.yaml [options]",
    .doc =
        "What `sensitivity:` of the file names is varied over its ranges, in two ways:\n"
        "  one at a time   each parameter over its range, the others at their base values\n"
        "  all together    Sobol's indices: shares of the variance of a response that a parameter "
        "makes\n"
        "                  alone and with the others. They are used since a collision takes "
        "microseconds:\n"
        "                  ten thousands of evaluations are affordable, and shares that include "
        "what\n"
        "                  parameters do together say more than a ranking. Where evaluations are "
        "few,\n"
        "                  --sobol 0 --morris 20 ranks with Morris' elementary effects instead.\n"
        "Responses are those measured, or en, et, omega. With --out: report.html, "
        "sensitivity.json, plots\n"
        "of every response against every parameter, the input as read.",
    .examples = "moraine sensitivity steel.yaml\n"
                "moraine sensitivity steel.yaml --sobol 8192 --out steel-sensitivity\n"
                "moraine sensitivity steel.yaml --sobol 0 --morris 20 --json",
};

typedef struct request {
    mrn_cli_request q;
    const char *plot;
    int64_t sobol, morris, steps, seed;
    char law[160];
} request;

static int parse(int argc, char **argv, request *r)
{
    mrn_app_option options[MRN_CLI_COMMON + 5] = {
        {.name = "sobol",
         .kind = MRN_OPT_INTEGER,
         .target = &r->sobol,
         .arg = "N",
         .min = 0,
         .max = 1 << 24,
         .doc = "Points of Sobol's indices: N (parameters + 2) evaluations; 0: none. Else the "
                "file's, or 1024."},
        {.name = "morris",
         .kind = MRN_OPT_INTEGER,
         .target = &r->morris,
         .arg = "N",
         .min = 0,
         .max = 1 << 20,
         .doc = "Trajectories of Morris' effects: N (parameters + 1) evaluations; 0: none."},
        {.name = "steps",
         .kind = MRN_OPT_INTEGER,
         .target = &r->steps,
         .arg = "N",
         .min = 2,
         .max = 100000,
         .doc = "Values of each parameter when it varies alone. Else the file's, or 21."},
        {.name = "seed",
         .kind = MRN_OPT_INTEGER,
         .target = &r->seed,
         .arg = "N",
         .min = 0,
         .max = 9e18,
         .doc = "Of the points (1)."},
        {.name = "plot",
         .kind = MRN_OPT_TEXT,
         .target = &r->plot,
         .arg = "FILE.svg|png",
         .doc =
             "Draw every response against every parameter: FILE-eta1-en.svg, …; and the shares of "
             "its variance as bars: FILE-shares-en.svg, …"},
    };
    mrn_cli_options(&r->q, "Which law of the file; else what the file says.",
                    "Write report.html, plots, sensitivity.json and the input into this folder.",
                    options + 5);
    int n, code = mrn_app_parse(&page, options, MRN_CLI_COMMON + 5, argc, argv, &r->q.path, 1, &n);
    if (code < 0 && n == 0)
        return mrn_app_usage("sensitivity", "which file? Name it");
    if (code < 0 && r->q.law.n > 1)
        return mrn_app_usage("sensitivity", "one law at a time: --law was given %d times",
                             r->q.law.n);
    return code < 0 ? mrn_cli_check_file(&r->q, "plot", r->plot, true) : code;
}

static int show(const request *r, const mrn_study *s)
{
    mrn_cli_out o = {
        .folder = r->q.out, .plot = r->plot, .f = r->q.json || r->q.quiet ? NULL : stdout};
    json_t *root = mrn_study_json(s);
    int code = MRN_EXIT_OK;
    if (r->q.out != NULL)
        o.status = mrn_cli_folder_make(r->q.out, &o.msg);
    if (o.status == MRN_OK && r->q.out != NULL)
        o.status = mrn_cli_page(&o, s->lab, "Sensitivity", &o.msg);
    if (o.status == MRN_OK && r->q.out != NULL)
        o.status = mrn_cli_write_json(r->q.out, "sensitivity.json", root, &o.msg);
    if (o.status == MRN_OK) {
        mrn_cli_title(&o, s->lab->e.title);
        mrn_cli_show_experiment(&o, s->lab);
        mrn_study_show(&o, s);
        mrn_cli_show_repeat(&o, s->lab, s->seed);
        if (o.f != NULL)
            fputc('\n', o.f);
    }
    if (r->q.json)
        code = mrn_app_json(json_incref(root));
    json_decref(root);
    return mrn_cli_finish(&o, s->lab, code);
}

static int study(const request *r, mrn_cli *lab)
{
    mrn_message msg = {0};
    mrn_study s = {0};
    lab->e.sobol_points = r->sobol >= 0 ? r->sobol : lab->e.sobol_points;
    lab->e.morris = r->morris >= 0 ? (int)r->morris : lab->e.morris;
    lab->e.sweep_steps = r->steps > 0 ? (int)r->steps : lab->e.sweep_steps;
    mrn_status status = mrn_study_make(lab, (uint64_t)r->seed, &s, &msg);
    int code = status == MRN_OK ? show(r, &s) : mrn_session_fail(&msg, r->q.json);
    mrn_study_free(&s);
    return code;
}

int mrn_cmd_sensitivity(int argc, char **argv)
{
    request r = {.q = {.command = "sensitivity"}, .sobol = -1, .morris = -1, .seed = 1};
    mrn_cli lab;
    mrn_message msg = {0};
    mrn_cli_keep_line(&r.q, argc, argv);
    int code = parse(argc, argv, &r);
    if (code >= 0)
        return code;
    if (r.q.law.n > 0) /* the file's own key, so that its parameters are held against that law */
        mrn_cli_set(&r.q, r.law, sizeof r.law, "sensitivity.law", "%s", r.q.law.item[0]);
    r.q.law.n = 0;
    if (r.q.out != NULL && mrn_cli_folder_check(&r.q, r.q.out, &msg) != MRN_OK)
        return mrn_session_fail(&msg, r.q.json);
    if (mrn_cli_open(&r.q, &lab, &msg) != MRN_OK)
        return mrn_session_fail(&msg, r.q.json);
    code = study(&r, &lab);
    mrn_cli_close(&lab);
    return code;
}
