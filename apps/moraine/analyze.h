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

/* Where the numbers of a section go: JSON, and a table unless f is NULL. One call puts a number
   into both, under `key` and `label`; those that are not finite are null. */
typedef struct mrn_sheet {
    json_t *root, *section;
    FILE *f;
} mrn_sheet;
void mrn_sheet_section(mrn_sheet *s, const char *key);
void mrn_sheet_row(mrn_sheet *s, const char *label, const char *text); /* of the table alone */
void mrn_sheet_number(mrn_sheet *s, const char *key, const char *label, const char *unit, double v);
void mrn_sheet_count(mrn_sheet *s, const char *key, const char *label, int64_t v);
void mrn_sheet_flag(mrn_sheet *s, const char *key, const char *label, bool v);
void mrn_sheet_words(mrn_sheet *s, const char *key, const char *label, const char *text);
json_t *mrn_sheet_real(double v);

/* A path that the network is to be followed along: --path and what belongs to it. */
enum { MRN_PATH_ITEMS = 32 };
typedef struct mrn_path_item {
    char name[MRN_NAME]; /* "yy", "top"                                         */
    bool strain;         /* the strain is imposed, else the stress (load of walls) */
    double rate;         /* per unit of the parameter                           */
    int at;              /* where it stands in the list, from 1                 */
} mrn_path_item;
typedef struct mrn_path_choice {
    const char *list;        /* NULL: no path is asked for                      */
    const char *rule;        /* "coulomb", "associated"; NULL: not said         */
    const char *csv;         /* NULL: none                                      */
    double increment, up_to; /* 0: chosen                                       */
    double balanced;         /* 0: 1e-4                                         */
    int n;
    mrn_path_item item[MRN_PATH_ITEMS];
} mrn_path_choice;
/* The list into items, as far as that is possible without the state: -1 to go on, else the code to
   exit with (what is wrong was stated). */
int mrn_path_read_list(mrn_path_choice *o);

/* What of the contact network is asked for, and how it is taken. */
typedef struct mrn_network_choice {
    bool rigidity, support, moduli, stability;
    int64_t spectrum; /* slowest modes; 0: all; -1: not asked for            */
    mrn_path_choice path;
    bool geometric; /* moduli and spectrum: with the geometric stiffness   */
    bool cg;        /* moduli: conjugate gradients                         */
    bool frictionless, hold;
    bool lenient; /* moduli that do not exist are said to, and that is all  */
    double kn, kt_ratio;
    const char *modes; /* file for mechanisms, or the softest mode; NULL: none */
} mrn_network_choice;
bool mrn_network_asked(const mrn_network_choice *o); /* for more than the balance of forces */
/* Adds sections to `root` and, unless f is NULL, to the table. */
mrn_status mrn_analyze_network(const mrn_sample *s, const mrn_network_choice *o, json_t *root,
                               FILE *f, mrn_message *msg);
/* The section "path" (analyze_path.c); the network is made as `net` says. */
mrn_status mrn_analyze_path(mrn_sheet *s, const mrn_sample *sample, const mrn_network_choice *o,
                            const mrn_net_options *net, mrn_message *msg);

#endif
