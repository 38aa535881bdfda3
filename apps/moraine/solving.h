/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of `moraine solve` hand to each other: the request, the files read, the runs. */
#ifndef MORAINE_SOLVING_H
#define MORAINE_SOLVING_H

#include "app.h"

#define MRN_SOLVE_FILES   1024
#define MRN_SOLVE_SOLVERS 32
/* Below this the operator counts as symmetric: what rounding leaves of an assembled W. */
#define MRN_SYMMETRIC 1e-9

/* What the user asked for. */
typedef struct mrn_solve_request {
    const char *path[MRN_SOLVE_FILES];
    int n_paths;
    const mrn_solver *solver[MRN_SOLVE_SOLVERS];
    int n_solvers;
    mrn_value *option; /* MRN_PARAM_MAX per solver */
    mrn_solve_control control;
    int64_t repeat;
    bool guess, json, quiet;
    const char *history, *out, *plot;
} mrn_solve_request;

/* One problem file and what a look at it found; kept after the problem itself is gone. */
typedef struct mrn_solve_file {
    const char *path;
    mrn_status status; /* of reading and checking; `msg` says why */
    mrn_message msg;
    char title[128], remark[512];
    const char *form;
    mrn_contact_kind kind;
    mrn_problem_facts facts;
    bool started; /* from a guess of the file */
} mrn_solve_file;

/* One file by one solver. */
typedef struct mrn_solve_run {
    const mrn_solve_file *file;
    const mrn_solver *solver;
    bool able;      /* else `why_not` says why this solver cannot be asked */
    bool done;      /* solved or tried; false: unable, bad file, or stopped before */
    bool converged; /* its answer meets the tolerance                      */
    char why_not[192];
    mrn_solve_result result;
    double seconds;   /* median of all repetitions    */
    char out[1200];   /* where the answer went, or "" */
    bool interrupted; /* Ctrl-C                       */
} mrn_solve_run;

static inline bool mrn_solve_single(const mrn_solve_request *q)
{
    return q->n_paths == 1 && q->n_solvers == 1;
}

/* Iterates of one run, in order. */
typedef struct mrn_solve_history {
    mrn_iterate *line;
    int64_t n, capacity;
    bool lost; /* memory ran out: lines are missing */
} mrn_solve_history;

/* Everything a call of the command produced. run: file after file, n_solvers each. */
typedef struct mrn_solve_outcome {
    mrn_solve_file *file;
    mrn_solve_run *run;
    mrn_solve_history history; /* of a single run, when it is wanted */
    int code;                  /* worst exit code so far             */
} mrn_solve_outcome;

/* ---- solve_run.c ---- */

/* Reads, checks, solves, writes answers; messages go to stderr (a single run's as JSON too). */
mrn_status mrn_solve_everything(const mrn_solve_request *q, mrn_solve_outcome *o, mrn_message *msg);
void mrn_solve_outcome_release(mrn_solve_outcome *o);

/* ---- solve_report.c ---- */

/* The problem and its solution as a page. */
void mrn_solve_page(const mrn_solve_request *q, const mrn_solve_run *run, FILE *f);
json_t *mrn_solve_json(const mrn_solve_request *q, const mrn_solve_run *run);
/* "Capsules-i125" of "data/Capsules-i125.hdf5". */
void mrn_solve_stem(const char *path, char *buf, size_t size);
mrn_status mrn_solve_write_history(const mrn_solve_history *h, const char *path, mrn_message *msg);
mrn_status mrn_solve_plot_history(const mrn_solve_request *q, const mrn_solve_run *run,
                                  const mrn_solve_history *h, mrn_message *msg);

/* ---- solve_table.c ---- */

/* Times of all files and solvers, and the performance profile. */
void mrn_solve_table(const mrn_solve_request *q, const mrn_solve_outcome *o, FILE *f);
json_t *mrn_solve_table_json(const mrn_solve_request *q, const mrn_solve_outcome *o);
mrn_status mrn_solve_plot_profile(const mrn_solve_request *q, const mrn_solve_outcome *o,
                                  mrn_message *msg);

#endif
