/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A state to be analysed, wherever it comes from. */
#ifndef MORAINE_ANALYZE_H
#define MORAINE_ANALYZE_H

#include "app.h"

typedef struct mrn_sample {
    mrn_scene scene;
    mrn_state state;
    mrn_frame frame;        /* of a trajectory; empty for a checkpoint          */
    const mrn_contacts *at; /* contacts of the frame; NULL: of the state's list */
    bool from_frame;        /* no ledger, no stored energy                      */
    bool has_contacts;
    int64_t index, frames; /* which frame of how many                          */
    char file[1200];
} mrn_sample;

/* `path`: the folder of a run, a checkpoint or a trajectory. `frame` (text, NULL: the checkpoint,
   or the last frame): first, last, or a number, negative from the end. `scene_path`: NULL for the
   scene.yaml beside it. */
mrn_status mrn_sample_open(const char *path, const char *scene_path, const char *frame,
                           mrn_sample *out, mrn_message *msg);
void mrn_sample_close(mrn_sample *s);

/* The report as a table in sections, or as JSON (new reference). */
void mrn_analyze_print(const mrn_sample *s, const mrn_report *r, FILE *f);
json_t *mrn_analyze_json(const mrn_sample *s, const mrn_report *r);

/* What of the contact network is asked for, and how it is taken. */
typedef struct mrn_network_choice {
    bool rigidity, support, moduli, stability;
    int64_t spectrum; /* slowest modes; 0: all; -1: not asked for            */
    bool geometric;   /* moduli and spectrum: with the geometric stiffness   */
    bool cg;          /* moduli: conjugate gradients                         */
    bool frictionless, hold;
    bool lenient; /* moduli that do not exist are said to, and that is all  */
    double kn, kt_ratio;
    const char *modes; /* file for mechanisms, or the softest mode; NULL: none */
} mrn_network_choice;
/* Adds sections to `root` and, unless f is NULL, to the table. */
mrn_status mrn_analyze_network(const mrn_sample *s, const mrn_network_choice *o, json_t *root,
                               FILE *f, mrn_message *msg);

#endif
