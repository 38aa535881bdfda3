/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `crosscheck` and `converge` share: options, folder, runs with their progress, and the way of
   numbers to terminal, page and files. */
#ifndef MORAINE_TRIALS_H
#define MORAINE_TRIALS_H

#include "lab_parts.h"
#include "moraine/crosscheck.h"

typedef struct mrn_cli_trials {
    mrn_cli_request q;
    bool resume, plan;
    int64_t seeds, seed;
    mrn_app_list probe;
    const char *last; /* "0.5 s" */
    const char *device;
    char device_set[40]; /* as --set has it */
    char folder[1100];
    mrn_trials t;
    mrn_scene scene;    /* as it is, with the changes of --set */
    const char *result; /* "crosscheck.json" */
    double seconds;     /* of the runs */
    int known;          /* taken from an earlier call */
    /* progress */
    FILE *f;
    bool bar;
    double clock, begin, begin_done;
    mrn_status kept;
    mrn_message trouble;
} mrn_cli_trials;

enum { MRN_CLI_TRIAL_OPTIONS = 11, MRN_CLI_FIGURES = 48 };
/* Options that both have; fills MRN_CLI_TRIAL_OPTIONS of them. */
void mrn_cli_trial_options(mrn_cli_trials *w, mrn_app_option *out);
/* What no table of options can check. -1, or the exit code. */
int mrn_cli_trials_check(mrn_cli_trials *w, int code, int operands);
/* Reads the scene with --set and `method` (may be NULL). */
mrn_status mrn_cli_trials_open(mrn_cli_trials *w, mrn_message *msg);
void mrn_cli_trials_close(mrn_cli_trials *w);
/* The figures of --probe, else those of the scene's output and the usual ones (`usual`: always). */
mrn_status mrn_cli_trials_figures(mrn_cli_trials *w, bool usual, mrn_message *msg);
/* Folder, earlier runs, new runs. MRN_INTERRUPTED has said how to go on. */
mrn_status mrn_cli_trials_run(mrn_cli_trials *w, mrn_message *msg);

/* "0.6213 ± 0.0021", three digits more than the uncertainty has; without one eight digits. */
mrn_readable mrn_cli_plus_minus(double v, double half);
/* Means, with scatter and values, of a figure of a variant. */
json_t *mrn_cli_figure_json(const mrn_trials *t, int variant, int figure);
json_t *mrn_cli_changes_json(const mrn_variant *v);
/* How runs ended: a line for each that did not end well; returns their number. */
int mrn_cli_trials_failures(mrn_cli_out *o, const mrn_trials *t);
/* The page's last section: command, scene, changes. */
void mrn_cli_trials_repeat(mrn_cli_out *o, const mrn_cli_trials *w);
/* "stress, vertical" and "Pa" to "stress, vertical, Pa" */
mrn_readable mrn_cli_figure_name(const mrn_figure *g);
/* … and to "stress-vertical", for files. */
mrn_readable mrn_cli_figure_file(const mrn_figure *g);

#endif
