/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine solve: frictional-contact problems from files, by one solver or by many. */
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session.h"
#include "solving.h"

static const mrn_app_page page = {
    .usage = "solve PROBLEM.hdf5… [options]",
    .doc = "Reads problems in the FCLIB format (and text files of Siconos): find velocities and "
           "impulses at\n"
           "contacts with Coulomb friction, u = W r + q. Every answer is judged by the same "
           "residual.\n"
           "One file and one solver give a page; when the tolerance is not reached, the best "
           "impulses are\n"
           "kept in PROBLEM-best.hdf5 in the current folder (or --out). Several files or solvers "
           "give a table\n"
           "of times, a residual in brackets where the tolerance was not reached, and a "
           "performance profile:\n"
           "the share of problems that a solver solves within so many times the best time.\n"
           "Exit codes: 0 solved, 1 something not solved, 2 a bad file or bad usage.",
    .examples = "moraine solve box.hdf5\n"
                "moraine solve box.hdf5 --solver nlgs --tol 1e-8 --history box.csv --plot box.svg\n"
                "moraine solve box.hdf5 --solver nlgs --set relaxation=0.9 --out solved.hdf5\n"
                "moraine solve problems/*.hdf5 --solver all --max-seconds 20 --plot profile.svg",
};

/* Texts as they were given, before they are understood. */
typedef struct words {
    mrn_app_list solver, set;
    const char *criterion;
    int64_t threads, check_every;
} words;

/* ---- solvers and their options ---- */

static int fail_solver(const char *name)
{
    const char *list[MRN_SOLVE_SOLVERS + 1] = {"all"};
    int n = 1;
    for (int i = 0; i < mrn_solver_count() && n <= MRN_SOLVE_SOLVERS; i++)
        list[n++] = mrn_solver_at(i)->name;
    const char *meant = mrn_closest_word(name, list, n);
    if (meant != NULL)
        return mrn_app_usage("solve", "there is no solver \"%s\"; did you mean \"%s\"?", name,
                             meant);
    return mrn_app_usage("solve", "there is no solver \"%s\"; `moraine solvers` lists them", name);
}

static void add_solver(mrn_solve_request *q, const mrn_solver *s)
{
    for (int i = 0; i < q->n_solvers; i++)
        if (q->solver[i] == s)
            return;
    if (q->n_solvers < MRN_SOLVE_SOLVERS)
        q->solver[q->n_solvers++] = s;
}

/* "nlgs,newton" or "all". */
static int add_solvers(mrn_solve_request *q, const char *text)
{
    for (const char *p = text;;) {
        char name[64];
        size_t length = strcspn(p, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, p);
        const mrn_solver *s = mrn_solver_find(name);
        if (s != NULL)
            add_solver(q, s);
        else if (strcmp(name, "all") != 0)
            return fail_solver(name);
        for (int i = 0; s == NULL && i < mrn_solver_count(); i++)
            add_solver(q, mrn_solver_at(i));
        if (p[length] == '\0')
            return -1;
        p += length + 1;
    }
}

static bool has_option(const mrn_solver *s, const char *name)
{
    for (int k = 0; k < s->n_params; k++)
        if (strcmp(s->params[k].name, name) == 0)
            return true;
    return false;
}

/* Sets an option of all solvers asked for that know it, or of the one named `only`. */
static int set_option(mrn_solve_request *q, const char *only, const char *name, const char *value)
{
    mrn_message msg = {0};
    int known = 0;
    for (int i = 0; i < q->n_solvers; i++) {
        const mrn_solver *s = q->solver[i];
        bool wanted = only != NULL ? strcmp(s->name, only) == 0 : has_option(s, name);
        /* one solver alone: its own message names its options */
        if (!wanted && !(only == NULL && q->n_solvers == 1))
            continue;
        known++;
        if (mrn_solver_set(s, q->option + (size_t)i * MRN_PARAM_MAX, name, value, &msg) != MRN_OK)
            return mrn_session_fail(&msg, q->json);
    }
    if (known > 0)
        return -1;
    if (only == NULL)
        return mrn_app_usage("solve", "--set %s=%s: none of the solvers asked for has that option",
                             name, value);
    if (mrn_solver_find(only) == NULL)
        return fail_solver(only);
    return mrn_app_usage("solve", "--set %s.%s=%s: that solver is not among those asked for", only,
                         name, value);
}

static int set_options(mrn_solve_request *q, const mrn_app_list *set)
{
    for (int i = 0; i < q->n_solvers; i++)
        mrn_solver_defaults(q->solver[i], q->option + (size_t)i * MRN_PARAM_MAX);
    for (int k = 0; k < set->n; k++) {
        const char *text = set->item[k], *equals = strchr(text, '=');
        if (equals == NULL || equals == text)
            return mrn_app_usage("solve", "--set %s: write option=value or solver.option=value",
                                 text);
        char left[128];
        snprintf(left, sizeof left, "%.*s", (int)(equals - text), text);
        char *dot = strchr(left, '.');
        if (dot != NULL)
            *dot = '\0';
        int code =
            set_option(q, dot != NULL ? left : NULL, dot != NULL ? dot + 1 : left, equals + 1);
        if (code >= 0)
            return code;
    }
    return -1;
}

/* ---- files to write: better refused before the work than after ---- */

static int check_folder(const char *option, const char *path)
{
    if (path == NULL)
        return -1;
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", path);
    const char *folder = dirname(copy);
    if (access(folder, W_OK) == 0)
        return -1;
    return mrn_app_usage("solve", "--%s %s: the folder %s is not there or not writable", option,
                         path, folder);
}

static int check_outputs(const mrn_solve_request *q)
{
    const char *ending = q->plot != NULL ? strrchr(q->plot, '.') : NULL;
    struct stat in, out;
    if (q->plot != NULL &&
        (ending == NULL || (strcmp(ending, ".svg") != 0 && strcmp(ending, ".png") != 0)))
        return mrn_app_usage("solve", "--plot %s: the name must end in .svg or .png", q->plot);
    if (!mrn_solve_single(q) && (q->out != NULL || q->history != NULL))
        return mrn_app_usage("solve", "--%s belongs to one file and one solver",
                             q->out != NULL ? "out" : "history");
    if (q->out != NULL && stat(q->path[0], &in) == 0 && stat(q->out, &out) == 0 &&
        in.st_dev == out.st_dev && in.st_ino == out.st_ino)
        return mrn_app_usage("solve", "--out %s is the problem itself", q->out);
    int code = check_folder("plot", q->plot);
    if (code < 0)
        code = check_folder("out", q->out);
    return code < 0 ? check_folder("history", q->history) : code;
}

/* ---- the command line ---- */

static int understand(mrn_solve_request *q, const words *w)
{
    if (q->n_paths == 0)
        return mrn_app_usage("solve", "which problem? Name its file");
    int code = -1;
    for (int k = 0; code < 0 && k < w->solver.n; k++)
        code = add_solvers(q, w->solver.item[k]);
    if (code < 0 && w->solver.n == 0)
        add_solver(q, mrn_solver_at(0));
    for (int c = 0; c < MRN_CRITERIA; c++)
        if (w->criterion != NULL && strcmp(w->criterion, mrn_criterion_name(c)) == 0)
            q->control.criterion = (mrn_criterion)c;
    q->control.check_every = (int)w->check_every;
    if (code < 0)
        code = set_options(q, &w->set);
    return code < 0 ? check_outputs(q) : code;
}

static int parse(int argc, char **argv, mrn_solve_request *q, words *w)
{
    const char *criteria[MRN_CRITERIA];
    for (int c = 0; c < MRN_CRITERIA; c++)
        criteria[c] = mrn_criterion_name((mrn_criterion)c);
    const mrn_app_option options[] = {
        {.name = "solver",
         .letter = 'S',
         .kind = MRN_OPT_LIST,
         .target = &w->solver,
         .arg = "NAME[,NAME…]",
         .doc = "Which solver; several to compare them, \"all\" for every one that can. Else the "
                "default. `moraine solvers` tells about them."},
        {.name = "tol",
         .kind = MRN_OPT_NUMBER,
         .target = &q->control.tolerance,
         .arg = "T",
         .min = 1e-16,
         .max = 1,
         .doc = "Tolerance of the criterion, 1e-16 to 1 (1e-4)."},
        {.name = "criterion",
         .kind = MRN_OPT_CHOICE,
         .target = &w->criterion,
         .arg = "NAME",
         .choices = criteria,
         .n_choices = MRN_CRITERIA,
         .doc = "What is compared with the tolerance; `moraine solvers` explains them (natural)."},
        {.name = "check-every",
         .kind = MRN_OPT_INTEGER,
         .target = &w->check_every,
         .arg = "N",
         .min = 1,
         .max = 1e9,
         .doc = "Iterations between evaluations of the criterion; else the solver decides."},
        {.name = "max-iterations",
         .kind = MRN_OPT_INTEGER,
         .target = &q->control.max_iterations,
         .arg = "N",
         .min = 1,
         .max = 9e18,
         .doc = "Give up after N iterations; else the solver's own limit."},
        {.name = "max-seconds",
         .kind = MRN_OPT_NUMBER,
         .target = &q->control.max_seconds,
         .arg = "S",
         .min = 1e-9,
         .max = 1e9,
         .doc = "Give up after that time. Only this can make results differ from call to call."},
        {.name = "threads",
         .letter = 't',
         .kind = MRN_OPT_INTEGER,
         .target = &w->threads,
         .arg = "N",
         .min = 1,
         .max = MRN_THREADS_MOST,
         .doc = "Threads; else one per core. The result has the same bits for any number."},
        {.name = "set",
         .letter = 's',
         .kind = MRN_OPT_LIST,
         .target = &w->set,
         .arg = "OPTION=VALUE",
         .doc = "An option of the solver, e.g. relaxation=1.2; or of one among several: "
                "nlgs.relaxation=1.2. May be given many times."},
        {.name = "guess",
         .letter = 'g',
         .kind = MRN_OPT_FLAG,
         .target = &q->guess,
         .doc = "Start from the first guess in the file, or from its answer; else from zero."},
        {.name = "repeat",
         .kind = MRN_OPT_INTEGER,
         .target = &q->repeat,
         .arg = "N",
         .min = 1,
         .max = 1000,
         .doc = "Solve N times and tell the median of the times."},
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &q->out,
         .arg = "FILE.hdf5",
         .doc = "Write the problem with its answer (the best impulses, when it is not solved)."},
        {.name = "history",
         .kind = MRN_OPT_TEXT,
         .target = &q->history,
         .arg = "FILE.csv",
         .doc = "Write a table of the iterates: residual, violations, energy."},
        {.name = "plot",
         .kind = MRN_OPT_TEXT,
         .target = &q->plot,
         .arg = "FILE.svg|png",
         .doc = "Draw the residual over the iterations; for several files or solvers, the "
                "performance profile."},
        {.name = "quiet",
         .letter = 'q',
         .kind = MRN_OPT_FLAG,
         .target = &q->quiet,
         .doc = "Print nothing but errors."},
        {.name = "json", .kind = MRN_OPT_FLAG, .target = &q->json, .doc = "Print JSON."},
    };
    return mrn_app_parse(&page, options, sizeof options / sizeof options[0], argc, argv, q->path,
                         MRN_SOLVE_FILES, &q->n_paths);
}

/* ---- what the user gets ---- */

static mrn_status plot(const mrn_solve_request *q, const mrn_solve_outcome *o, mrn_message *msg)
{
    if (q->plot == NULL)
        return MRN_OK;
    if (!mrn_solve_single(q))
        return mrn_solve_plot_profile(q, o, msg);
    return o->run->done ? mrn_solve_plot_history(q, o->run, &o->history, msg) : MRN_OK;
}

static int show(const mrn_solve_request *q, mrn_solve_outcome *o)
{
    mrn_message msg = {0};
    const mrn_solve_run *first = o->run;
    bool single = mrn_solve_single(q);
    int code = o->code;
    if (single && !first->done)
        return code; /* what was wrong has been stated */
    if (q->history != NULL && mrn_solve_write_history(&o->history, q->history, &msg) != MRN_OK)
        code = mrn_app_report(&msg);
    if (plot(q, o, &msg) != MRN_OK)
        code = mrn_app_report(&msg);
    if (q->json) {
        int failed = mrn_app_json(single ? mrn_solve_json(q, first) : mrn_solve_table_json(q, o));
        return code > failed ? code : failed;
    }
    if (!q->quiet && single)
        mrn_solve_page(q, first, stdout);
    else if (!q->quiet)
        mrn_solve_table(q, o, stdout);
    return code;
}

static int solve(mrn_solve_request *q, const words *w)
{
    int code = understand(q, w);
    if (code >= 0)
        return code;
    mrn_message msg = {0};
    mrn_solve_outcome o = {0};
    if (w->threads > 0)
        mrn_threads_set((int)w->threads);
    if (mrn_solve_everything(q, &o, &msg) != MRN_OK)
        code = mrn_session_fail(&msg, q->json);
    else
        code = show(q, &o);
    mrn_solve_outcome_release(&o);
    return code;
}

int mrn_cmd_solve(int argc, char **argv)
{
    words w = {0};
    mrn_solve_request q = {.control = mrn_solve_control_default(), .repeat = 1};
    int code = parse(argc, argv, &q, &w);
    if (code >= 0)
        return code;
    q.option = mrn_alloc((size_t)MRN_SOLVE_SOLVERS * MRN_PARAM_MAX * sizeof *q.option);
    if (q.option == NULL) {
        mrn_message msg = {0};
        mrn_fail(&msg, MRN_ERR_MEMORY, "out of memory");
        return mrn_app_report(&msg);
    }
    code = solve(&q, &w);
    mrn_free(q.option);
    return code;
}
