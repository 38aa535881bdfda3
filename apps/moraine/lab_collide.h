/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of `moraine collide` hand to each other. */
#ifndef MORAINE_LAB_COLLIDE_H
#define MORAINE_LAB_COLLIDE_H

#include "lab_parts.h"

typedef struct mrn_history_of {
    mrn_collision_row *row;
    int n;
} mrn_history_of;

/* All impacts: law after law, at->n each. */
typedef struct mrn_impacts {
    const mrn_cli *lab;
    mrn_rebound *rebound;
    mrn_status *status;
    mrn_history_of *history; /* NULL: not wanted */
} mrn_impacts;

/* ---- lab_collide.c: tables, JSON, CSV ---- */
/* A collision with the conditions of its row: too large to keep all of them. */
void mrn_collide_placed(const mrn_impacts *x, int law, int row, mrn_collision *out);
void mrn_collide_show(mrn_cli_out *o, const mrn_impacts *x);
json_t *mrn_collide_json(const mrn_impacts *x);
mrn_status mrn_collide_csv(const mrn_impacts *x, const char *path, mrn_message *msg);
mrn_status mrn_collide_history_csv(const mrn_impacts *x, const char *path, mrn_message *msg);

/* ---- lab_collide_plot.c ---- */
void mrn_collide_plots(mrn_cli_out *o, const mrn_impacts *x);

#endif
