/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cross-check: its numbers, how they are shown, why methods may differ. */
#ifndef MORAINE_CLI_CROSSCHECK_H
#define MORAINE_CLI_CROSSCHECK_H

#include "trials.h"

/* One figure under two methods. */
typedef struct mrn_cli_pair {
    int a, b, figure; /* variants; figure -1: distribution of the forces */
    mrn_scatter of[2];
    mrn_welch w;
} mrn_cli_pair;

typedef struct mrn_cli_crosscheck {
    mrn_cli_trials w;
    mrn_crosscheck_options opt;
    mrn_crosscheck_plan plan;
    mrn_app_list only;
    double within, confidence; /* margin over the size of a figure; 0.95 */
    int n;                     /* comparisons */
    mrn_cli_pair *pair;
    bool random; /* seeds make a difference */
} mrn_cli_crosscheck;

/* Fills the comparisons. */
mrn_status mrn_cli_crosscheck_compare(mrn_cli_crosscheck *x, mrn_message *msg);
/* Tables, reasons, plots; on the terminal and on the page. */
void mrn_cli_crosscheck_show(mrn_cli_out *o, const mrn_cli_crosscheck *x);
void mrn_cli_crosscheck_plan(mrn_cli_out *o, const mrn_cli_crosscheck *x);
void mrn_cli_crosscheck_reasons(mrn_cli_out *o, const mrn_cli_crosscheck *x);
void mrn_cli_crosscheck_plots(mrn_cli_out *o, const mrn_cli_crosscheck *x);
json_t *mrn_cli_crosscheck_json(const mrn_cli_crosscheck *x);
/* The name of what is compared. */
mrn_readable mrn_cli_pair_name(const mrn_trials *t, const mrn_cli_pair *p);
int mrn_cli_crosscheck_count(const mrn_cli_crosscheck *x, mrn_verdict v);

#endif
