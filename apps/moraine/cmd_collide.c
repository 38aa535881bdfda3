/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine collide: single collisions, one or a sweep, under the laws of a file. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab_collide.h"
#include "session.h"

enum { HISTORY_ROWS = 400, MOST_ARGS = 512 };

static const mrn_app_page page = {
    .usage = "collide FILE.yaml [options]",
    .doc =
        "A ball hits a plane or another ball; what it does afterwards, under every law of the "
        "file. Steps\n"
        "are refined until the asked accuracy (1e-8 unless the file or --accuracy says otherwise) "
        "is\n"
        "reached; law `rigid` is the hard-sphere jump. The table has, in the units of the file:\n"
        "  en, et        normal and tangential velocity of the centre, after over before, about\n"
        "                the normal at first touch (`normal: end` in the file: when they part)\n"
        "  omega         spin after the impact, about the axis across the plane of the impact\n"
        "  rebound       angle from the normal after it, of the centre and of the contact point\n"
        "  psi1, psi2    tangential velocity of the contact point before and after over the normal "
        "one before\n"
        "  time, force, overlap   duration of the contact, the largest normal force and overlap\n"
        "  error         estimated, relative\n"
        "With --out: report.html, collisions.csv, collisions.json, plots, the input as read.\n"
        "Exit codes: 0 done, 1 an accuracy that was not reached, 2 a bad file or bad usage.",
    .examples = "moraine collide ball.yaml\n"
                "moraine collide ball.yaml --sweep \"angle=0 deg:80 deg:17\" --plot sweep.svg\n"
                "moraine collide ball.yaml --law M3 --sweep eta1=1e4:1e6:9:log --csv eta1.csv\n"
                "moraine collide ball.yaml --set \"collision.angle=30 deg\" --history --json",
};

typedef struct request {
    mrn_cli_request q;
    mrn_app_list sweep;
    const char *csv, *plot, *history_csv;
    int64_t history; /* rows; 0: none */
} request;

static int parse(int argc, char **argv, request *r)
{
    mrn_app_option options[MRN_CLI_COMMON + 5] = {
        {.name = "sweep",
         .letter = 'w',
         .kind = MRN_OPT_LIST,
         .target = &r->sweep,
         .arg = "NAME=A:B:N",
         .doc = "Vary speed, angle, spin, diameter, young, … or a parameter of the law: N values "
                "from A to B, with :log behind them in equal ratios; or NAME=a,b,c. May be given "
                "many times: all combinations, the last one fastest. What stands in one, with "
                "semicolons between (\"angle=10,20 deg; speed=2,2.1 m/s\"), varies together. Takes "
                "the place of what the file says of it."},
        {.name = "csv",
         .kind = MRN_OPT_TEXT,
         .target = &r->csv,
         .arg = "FILE.csv",
         .doc = "Write the table, SI units in its head."},
        {.name = "history",
         .kind = MRN_OPT_INTEGER,
         .target = &r->history,
         .arg = "[ROWS]",
         .min = 2,
         .max = 1e6,
         .doc = "Also the course of every collision, in about so many rows (400): force, overlap, "
                "velocities, energies. Stands in the JSON, in the plots, in --history-csv."},
        {.name = "history-csv",
         .kind = MRN_OPT_TEXT,
         .target = &r->history_csv,
         .arg = "FILE.csv",
         .doc = "Write the histories as a table."},
        {.name = "plot",
         .kind = MRN_OPT_TEXT,
         .target = &r->plot,
         .arg = "FILE.svg|png",
         .doc = "Draw en, et and omega against what was swept, and with --history force against "
                "overlap and time: FILE-en.svg, FILE-et.svg, …"},
    };
    mrn_cli_options(&r->q, "Only this law of the file (its name, or that of its model).",
                    "Write report.html, tables, plots and the input into this folder.",
                    options + 5);
    int n, code = mrn_app_parse(&page, options, MRN_CLI_COMMON + 5, argc, argv, &r->q.path, 1, &n);
    if (code < 0 && n == 0)
        return mrn_app_usage("collide", "which file? Name it");
    return code;
}

/* ---- the work ---- */

/* How many did not reach the accuracy, and the worst of them. */
static mrn_status tell_unreached(const mrn_cli *lab, const mrn_impacts *x, mrn_message *msg)
{
    int rows = lab->e.at.n, n = lab->n_laws * rows, count = 0, worst = 0;
    for (int i = 0; i < n; i++) {
        if (x->status[i] != MRN_NOT_CONVERGED)
            continue;
        if (count++ == 0 || x->rebound[i].error > x->rebound[worst].error)
            worst = i;
    }
    if (count == 0)
        return MRN_OK;
    mrn_fail(msg, MRN_NOT_CONVERGED,
             "%d of %d collision%s did not reach the accuracy %g; the worst, %s%s%s, is known to "
             "%.2g",
             count, n, n == 1 ? "" : "s", lab->e.accuracy,
             lab->e.candidate[lab->law[worst / rows]].name, rows > 1 ? " at " : "",
             rows > 1 ? mrn_cli_row_name(&lab->e.at, worst % rows).s : "", x->rebound[worst].error);
    return mrn_fail_hint(msg, "--accuracy %.0e asks for less; every row tells its error",
                         pow(10, ceil(log10(x->rebound[worst].error))));
}

/* Whether every law has what is to be varied. */
static mrn_status check_all(const mrn_cli *lab, mrn_message *msg)
{
    mrn_collision placed;
    mrn_status status = MRN_OK;
    for (int k = 0; status == MRN_OK && k < lab->n_laws && lab->e.at.n > 0; k++)
        status = mrn_cli_place(&lab->e.candidate[lab->law[k]].collision, &lab->e.at,
                               lab->e.at.value, &placed, msg);
    if (status != MRN_OK && lab->n_laws > 1 && msg->hint[0] == '\0')
        mrn_fail_hint(msg, "--law NAME takes one law alone");
    return status;
}

static mrn_status collide_all(const mrn_cli *lab, mrn_impacts *x, mrn_message *msg)
{
    mrn_status worst = check_all(lab, msg);
    for (int k = 0; worst >= 0 && k < lab->n_laws; k++) {
        mrn_message said = {0};
        int from = k * lab->e.at.n;
        mrn_status status =
            mrn_cli_run(&lab->e.candidate[lab->law[k]].collision, &lab->e.at, lab->e.accuracy,
                        x->rebound + from, x->status + from, &said);
        if (status < 0) {
            worst = status;
            *msg = said;
        }
    }
    return worst < 0 ? worst : tell_unreached(lab, x, msg);
}

static mrn_status record_all(const mrn_cli *lab, const request *r, mrn_impacts *x, mrn_message *msg)
{
    int n = lab->n_laws * lab->e.at.n;
    if (r->history == 0)
        return MRN_OK;
    x->history = mrn_alloc((size_t)n * sizeof *x->history);
    if (x->history == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    for (int i = 0; i < n; i++) {
        mrn_rebound again;
        mrn_collision placed;
        mrn_collide_placed(x, i / lab->e.at.n, i % lab->e.at.n, &placed);
        mrn_status status = mrn_collide_history(&placed, lab->e.accuracy, (int)r->history, &again,
                                                &x->history[i].row, &x->history[i].n, msg);
        if (status < 0)
            return status;
    }
    return MRN_OK;
}

static void impacts_free(mrn_impacts *x)
{
    int n = x->history != NULL ? x->lab->n_laws * x->lab->e.at.n : 0;
    for (int i = 0; i < n; i++)
        mrn_free(x->history[i].row);
    mrn_free(x->history);
    mrn_free(x->rebound);
    mrn_free(x->status);
}

static mrn_status impacts_make(const mrn_cli *lab, mrn_impacts *x, mrn_message *msg)
{
    size_t n = (size_t)lab->n_laws * (size_t)lab->e.at.n;
    *x = (mrn_impacts){.lab = lab};
    x->rebound = mrn_alloc(n * sizeof *x->rebound);
    x->status = mrn_alloc(n * sizeof *x->status);
    if (x->rebound == NULL || x->status == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    return MRN_OK;
}

/* ---- what the user gets ---- */

static mrn_status write_files(const request *r, const mrn_impacts *x, mrn_message *msg)
{
    char path[1200];
    mrn_status status = r->csv != NULL ? mrn_collide_csv(x, r->csv, msg) : MRN_OK;
    if (status == MRN_OK && r->history_csv != NULL)
        status = mrn_collide_history_csv(x, r->history_csv, msg);
    if (status != MRN_OK || r->q.out == NULL)
        return status;
    snprintf(path, sizeof path, "%s/collisions.csv", r->q.out);
    status = mrn_collide_csv(x, path, msg);
    snprintf(path, sizeof path, "%s/history.csv", r->q.out);
    if (status == MRN_OK && x->history != NULL)
        status = mrn_collide_history_csv(x, path, msg);
    if (status == MRN_OK) {
        json_t *root = mrn_collide_json(x);
        status = mrn_cli_write_json(r->q.out, "collisions.json", root, msg);
        json_decref(root);
    }
    return status;
}

static int show(const request *r, const mrn_cli *lab, const mrn_impacts *x, int code)
{
    mrn_cli_out o = {
        .folder = r->q.out, .plot = r->plot, .f = r->q.json || r->q.quiet ? NULL : stdout};
    mrn_status status = MRN_OK;
    if (r->q.out != NULL)
        status = mrn_cli_folder_make(r->q.out, &o.msg);
    if (status == MRN_OK && r->q.out != NULL)
        status = mrn_cli_page(&o, lab, "Collisions", &o.msg);
    if (status == MRN_OK)
        status = write_files(r, x, &o.msg);
    o.status = status;
    mrn_cli_title(&o, lab->e.title);
    mrn_cli_show_experiment(&o, lab);
    mrn_collide_show(&o, x);
    if (o.page != NULL)
        mrn_page_section(o.page, "Plots");
    if (status == MRN_OK)
        mrn_collide_plots(&o, x);
    mrn_cli_show_repeat(&o, lab, 0);
    if (o.f != NULL)
        fputc('\n', o.f);
    if (r->q.json) {
        int failed = mrn_app_json(mrn_collide_json(x));
        code = failed > code ? failed : code;
    }
    return mrn_cli_finish(&o, lab, code);
}

static int collide(const request *r, mrn_cli *lab)
{
    mrn_message msg = {0};
    mrn_impacts x = {.lab = lab};
    mrn_status status = MRN_OK;
    for (int k = 0; status == MRN_OK && k < r->sweep.n; k++)
        status = mrn_cli_sweep(&lab->e, &lab->e.candidate[lab->law[0]].collision, r->sweep.item[k],
                               &msg);
    if (status != MRN_OK && lab->n_laws > 1 && msg.hint[0] == '\0')
        mrn_fail_hint(&msg, "--law NAME takes one law alone, with its own parameters");
    if (r->sweep.n > 0)
        lab->e.measured.n = lab->e.measured.n_responses = 0; /* rows are others now */
    if (status == MRN_OK)
        status = impacts_make(lab, &x, &msg);
    if (status == MRN_OK)
        status = collide_all(lab, &x, &msg);
    mrn_message said = msg;
    if (status >= 0) {
        mrn_status more = record_all(lab, r, &x, &msg);
        status = more < 0 ? more : status;
    }
    int code;
    if (status < 0) {
        code = mrn_session_fail(&msg, r->q.json);
    } else {
        code = show(r, lab, &x, mrn_app_exit_code(status));
        if (status != MRN_OK)
            mrn_app_report(&said);
    }
    impacts_free(&x);
    return code;
}

/* --history may stand alone: then its number is the usual one. */
static int complete_history(int argc, char **argv, char **out)
{
    static char usual[] = "--history=400";
    int n = 0;
    for (; n < argc && n < MOST_ARGS; n++) {
        bool number = n + 1 < argc && isdigit((unsigned char)argv[n + 1][0]) &&
                      strspn(argv[n + 1], "0123456789") == strlen(argv[n + 1]);
        out[n] = strcmp(argv[n], "--history") == 0 && !number ? usual : argv[n];
    }
    out[n] = NULL;
    return n;
}

int mrn_cmd_collide(int argc, char **argv)
{
    request r = {.q = {.command = "collide"}};
    char *args[MOST_ARGS + 1];
    mrn_cli lab;
    mrn_message msg = {0};
    mrn_cli_keep_line(&r.q, argc, argv);
    int code = parse(complete_history(argc, argv, args), args, &r);
    if (code < 0)
        code = mrn_cli_check_file(&r.q, "csv", r.csv, false);
    if (code < 0)
        code = mrn_cli_check_file(&r.q, "history-csv", r.history_csv, false);
    if (code < 0)
        code = mrn_cli_check_file(&r.q, "plot", r.plot, true);
    if (code >= 0)
        return code;
    if (r.history == 0 && r.history_csv != NULL)
        r.history = HISTORY_ROWS;
    if (r.q.out != NULL && mrn_cli_folder_check(&r.q, r.q.out, &msg) != MRN_OK)
        return mrn_session_fail(&msg, r.q.json);
    if (mrn_cli_open(&r.q, &lab, &msg) != MRN_OK)
        return mrn_session_fail(&msg, r.q.json);
    code = collide(&r, &lab);
    mrn_cli_close(&lab);
    return code;
}
