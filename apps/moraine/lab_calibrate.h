/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of `moraine calibrate` hand to each other. */
#ifndef MORAINE_LAB_CALIBRATE_H
#define MORAINE_LAB_CALIBRATE_H

#include "lab_parts.h"

/* A calibration and what came of it. */
typedef struct mrn_tuning {
    const mrn_cli_request *q;
    const mrn_calibration *c;
    const mrn_calibrated *r;
    mrn_parameter *parameter; /* of the tuned              */
    const char **response;    /* names of the targets      */
    mrn_cli_estimate x;       /* the fit of r, for showing */
    mrn_status status;
    double seconds; /* of this call */
} mrn_tuning;

/* How many runs: of the first design, kept for the check at the optimum, at most. */
typedef struct mrn_tuning_runs {
    int64_t points, design, check, most;
} mrn_tuning_runs;
mrn_tuning_runs mrn_tuning_count(const mrn_calibration *c);

/* ---- folder (lab_calibrate_files.c) ---- */

/* Whether the folder may be written to: no earlier result unless --force or --resume say so. */
mrn_status mrn_tuning_folder_check(const mrn_cli_request *q, bool resume, mrn_message *msg);
/* The file and its scenes as they were read. */
mrn_status mrn_tuning_copy_inputs(const mrn_calibration *c, const char *folder, mrn_message *msg);
/* Where the copy of a test's scene lies in the folder, and whether the copied file says so too. */
bool mrn_tuning_scene_copy(const mrn_calibration *c, int test, char *out, size_t size);

/* Runs on their way to runs.csv: those of before, and each new one as it ends. */
typedef struct mrn_tuning_book {
    const mrn_calibration *c;
    char path[1200];
    mrn_virtual_run *known; /* as they were read */
    int64_t n_known;
    mrn_virtual_run *run; /* all, copies of their own */
    int64_t n, capacity;
    double wrote, took; /* when it was written last, and how long that took, s */
    bool fresh;         /* there is more than was written                       */
    mrn_status status;  /* the first failure */
    mrn_message msg;
} mrn_tuning_book;
/* With `resume` reads what is there; without, what is there goes away. */
mrn_status mrn_tuning_book_open(mrn_tuning_book *b, const mrn_calibration *c, const char *folder,
                                bool resume, mrn_message *msg);
/* Takes a copy; the file has it at once unless writing takes longer than running. */
void mrn_tuning_book_add(mrn_tuning_book *b, const mrn_virtual_run *r);
/* Writes all: in the order of `r` where there is one, then those it has no use for. */
mrn_status mrn_tuning_book_close(mrn_tuning_book *b, const mrn_calibrated *r, mrn_message *msg);
void mrn_tuning_book_free(mrn_tuning_book *b);

/* ---- words and tables (lab_calibrate.c) ---- */

/* Tests, parameters, targets: what the file says. */
void mrn_tuning_show_file(mrn_cli_out *o, const mrn_calibration *c);
/* What it would take. */
void mrn_tuning_show_plan(mrn_cli_out *o, const mrn_calibration *c);
/* Everything that was found. */
void mrn_tuning_show(mrn_cli_out *o, const mrn_tuning *t);
/* "friction + 0.8 rolling": combination k that the targets tell, or do not. */
void mrn_tuning_combination(const mrn_tuning *t, int k, char *buf, size_t size);
/* A point: the parameter's place in its range, 0 to 1, along log10 where it says so. */
double mrn_tuning_place(const mrn_parameter *p, double x);
double mrn_tuning_value(const mrn_parameter *p, double place); /* and back */
/* F of point i; NAN where a target has no value there. */
double mrn_tuning_objective(const mrn_tuning *t, const double *y);
/* By how many standard errors the slope at the optimum moves target i over the range of k. */
double mrn_tuning_leverage(const mrn_tuning *t, int i, int k);
/* The command that runs a test with the optimum. */
void mrn_tuning_command(const mrn_tuning *t, int test, char *buf, size_t size);

/* ---- pictures (lab_calibrate_plot.c) ---- */
void mrn_tuning_plot(mrn_cli_out *o, const mrn_tuning *t);

/* ---- JSON (lab_calibrate_json.c) ---- */
json_t *mrn_tuning_plan_json(const mrn_calibration *c);
json_t *mrn_tuning_json(const mrn_tuning *t);

#endif
