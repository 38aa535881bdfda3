/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of `moraine sensitivity` hand to each other. */
#ifndef MORAINE_LAB_STUDY_H
#define MORAINE_LAB_STUDY_H

#include "lab_parts.h"

typedef struct mrn_study {
    const mrn_cli *lab;
    int candidate, n_fields;
    const mrn_rebound_field *field[MRN_CLI_RESPONSES];
    mrn_fit_setup *setup;
    mrn_predictor all;   /* row * n_fields + field                                       */
    mrn_predictor model; /* those of them that have a value (et has none at 0 degrees)   */
    int *of;             /* model.m: which of all                                        */
    double *base;        /* of the factors                                               */
    double *at_base;     /* model.m                                                      */
    mrn_sweeps sweep;
    mrn_sobol sobol;   /* n = 0: not made */
    mrn_morris morris; /* n = 0: not made */
    uint64_t seed;
} mrn_study;

/* Shares of a parameter over all conditions of a response: variances add up. */
typedef struct mrn_share {
    double first, first_error, total, total_error;
} mrn_share;
mrn_share mrn_study_share(const mrn_study *s, int factor, int field);
/* Morris: mean over the conditions. */
void mrn_study_effect(const mrn_study *s, int factor, int field, double *effect, double *spread);

/* ---- lab_study.c ---- */
mrn_status mrn_study_make(const mrn_cli *lab, uint64_t seed, mrn_study *s, mrn_message *msg);
void mrn_study_free(mrn_study *s);
json_t *mrn_study_json(const mrn_study *s);

/* ---- lab_study_show.c ---- */
void mrn_study_show(mrn_cli_out *o, const mrn_study *s);

#endif
