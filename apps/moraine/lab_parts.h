/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands of the lab (collide, compare, sensitivity, fit) share: their common options, an
   experiment opened, models run over its conditions, and one way for words, tables and plots to
   reach the terminal, the report and the folder. */
#ifndef MORAINE_LAB_PARTS_H
#define MORAINE_LAB_PARTS_H

#include <signal.h>

#include "app.h"
#include "moraine/plot.h"

#define MRN_CLI_LAWS      32
#define MRN_CLI_RESPONSES 16

/* ---- request (lab_open.c) ---- */

typedef struct mrn_cli_request {
    const char *command, *path;
    mrn_app_list set, law;
    const char *out;
    double accuracy; /* 0: the file's */
    int64_t threads;
    bool json, quiet, force;
    char line[4096]; /* the command line, quoted for a shell */
} mrn_cli_request;

enum { MRN_CLI_COMMON = 8 };
/* Options that all commands of the lab have; fills MRN_CLI_COMMON of them. */
void mrn_cli_options(mrn_cli_request *q, const char *law_doc, const char *out_doc,
                     mrn_app_option *out);
/* The command line, kept for the report. */
void mrn_cli_keep_line(mrn_cli_request *q, int argc, char **argv);
/* One more word of a command line, quoted for a shell where it needs to be. */
void mrn_cli_add_word(char *line, size_t size, const char *word);
/* Adds "path=value" to what --set gave; `store` holds the text. */
void mrn_cli_set(mrn_cli_request *q, char *store, size_t size, const char *path, const char *fmt,
                 ...) MRN_PRINTF(5, 6);

/* ---- an experiment (lab_open.c) ---- */

typedef struct mrn_cli {
    const mrn_cli_request *q;
    mrn_experiment e;
    int n_laws, law[MRN_CLI_LAWS]; /* candidates asked for */
} mrn_cli;
mrn_status mrn_cli_open(const mrn_cli_request *q, mrn_cli *lab, mrn_message *msg);
void mrn_cli_close(mrn_cli *lab);
/* MRN_ERR_INPUT with the file's name where nothing is measured. */
mrn_status mrn_cli_need_data(const mrn_cli *lab, mrn_message *msg);
/* "NAME-suffix", from the name of the file, or of its folder when it is just "scene.yaml",
   "experiment.yaml" or "calibration.yaml". */
void mrn_cli_folder_name(const char *path, const char *suffix, char *out, size_t size);
/* Whether the folder may be written to and holds no earlier result. */
mrn_status mrn_cli_folder_check(const mrn_cli_request *q, const char *folder, mrn_message *msg);
mrn_status mrn_cli_folder_make(const char *folder, mrn_message *msg);
/* The experiment and its data as they were read. */
mrn_status mrn_cli_copy_inputs(const mrn_cli *lab, const char *folder, mrn_message *msg);
mrn_status mrn_cli_write_text(const char *folder, const char *name, const char *text,
                              mrn_message *msg);
mrn_status mrn_cli_write_json(const char *folder, const char *name, const json_t *root,
                              mrn_message *msg);
/* Before the work: ending and folder of a file that is to be written. -1, or the exit code. */
int mrn_cli_check_file(const mrn_cli_request *q, const char *option, const char *path, bool plot);

/* ---- numbers and units (lab_units.c) ---- */

/* How many SI units one `unit` is; 1 for none or an unknown one. */
double mrn_cli_unit(const char *unit, const char *si);
const char *mrn_cli_unit_sign(const char *unit); /* "°" for "deg", "" for "1" */
/* "30°", "4.2 m/s" */
mrn_readable mrn_cli_value(double si, const char *unit, const char *si_unit);
void mrn_cli_short_power(char *text);              /* "2.1e+05" to "2.1e5" */
mrn_readable mrn_cli_number(double v, int digits); /* "–" for NAN */
mrn_readable mrn_cli_chance(double p); /* a probability: "< 1e-16" where it is smaller */
/* "angle, °", "speed, m/s" */
mrn_readable mrn_cli_heading(const char *name, const char *unit);
/* "30°" or "30°, 2 m/s": the conditions of a row. */
mrn_readable mrn_cli_row_name(const mrn_conditions *at, int row);
/* The unit in which people get to see a response: that of the measurements, degrees, or SI. */
const char *mrn_cli_response_unit(const mrn_experiment *e, const mrn_rebound_field *f);
/* A response in that unit. */
double mrn_cli_response(const mrn_experiment *e, const mrn_rebound_field *f, const mrn_rebound *r);
/* Responses that are looked at: those measured, else en, et, omega. Returns their number. */
int mrn_cli_responses(const mrn_experiment *e, const mrn_rebound_field **out);
json_t *mrn_cli_real(double v); /* null where not finite */

/* ---- collisions (lab_model.c) ---- */

/* `base` under the conditions of a row; factors are found by their names, as laws differ. */
mrn_status mrn_cli_place(const mrn_collision *base, const mrn_conditions *at, const double *value,
                         mrn_collision *out, mrn_message *msg);
/* All rows: rebound[at->n]; status[at->n] may be NULL. */
mrn_status mrn_cli_run(const mrn_collision *base, const mrn_conditions *at, double accuracy,
                       mrn_rebound *rebound, mrn_status *status, mrn_message *msg);
/* Row `row` with condition `k` at n values from lo to hi; x in SI. */
mrn_status mrn_cli_curve(const mrn_collision *base, const mrn_conditions *at, int row, int k,
                         double lo, double hi, int n, double accuracy, double *x,
                         mrn_rebound *rebound, mrn_message *msg);
/* The condition with most values; -1: none varies. */
int mrn_cli_axis(const mrn_conditions *at);
/* Rows that differ in nothing but condition k have the same group, numbered from 0; returns the
   number of groups. */
int mrn_cli_groups(const mrn_conditions *at, int k, int *group);
/* The candidate's collision at its optimum. */
mrn_collision mrn_cli_optimum(const mrn_candidate *c, const double *x);
/* Adds a sweep "name=from:to:n[:log]" or "name=a,b,c" to the conditions, replacing one of that
   name. */
mrn_status mrn_cli_sweep(mrn_experiment *e, const mrn_collision *base, const char *text,
                         mrn_message *msg);

/* ---- where it goes (lab_out.c) ---- */

typedef struct mrn_cli_out {
    FILE *f;            /* NULL: nothing is printed           */
    mrn_page *page;     /* NULL: no report                    */
    const char *folder; /* plots go there as NAME.svg; NULL   */
    const char *plot;   /* --plot: STEM-NAME.ending; NULL     */
    int plots;          /* written because of --plot          */
    char first[1100];   /* of them                            */
    mrn_status status;  /* the first failure, given by msg     */
    mrn_message msg;
} mrn_cli_out;
void mrn_cli_failed(mrn_cli_out *o, mrn_status status, const mrn_message *msg);
void mrn_cli_title(mrn_cli_out *o, const char *title); /* of the terminal */
/* A label and its text below the title. */
void mrn_cli_line(mrn_cli_out *o, const char *label, const char *fmt, ...) MRN_PRINTF(3, 4);
void mrn_cli_section(mrn_cli_out *o, const char *title);
void mrn_cli_words(mrn_cli_out *o, const char *fmt, ...) MRN_PRINTF(2, 3);
void mrn_cli_note(mrn_cli_out *o, mrn_tone tone, const char *fmt, ...) MRN_PRINTF(3, 4);
void mrn_cli_table(mrn_cli_out *o, const char *caption, mrn_app_table *t); /* frees it */

/* A plot gathered series by series: what is added is copied. */
typedef struct mrn_cli_chart {
    char title[200], x_label[120], y_label[120];
    mrn_plot plot;
    int n;
    bool failed;
    mrn_series series[64];
} mrn_cli_chart;
void mrn_cli_chart_begin(mrn_cli_chart *c, const char *title, const char *x_label,
                         const char *y_label);
void mrn_cli_chart_add(mrn_cli_chart *c, const char *label, mrn_series_style style, int colour,
                       int n, const double *x, const double *y, const double *error);
/* To the page, the folder and --plot; frees it. `name` is that of the file. */
void mrn_cli_chart_end(mrn_cli_chart *c, mrn_cli_out *o, const char *name, mrn_page_width width,
                       const char *caption);

/* ---- what several commands show (lab_show.c) ---- */

/* A law as a curve: its collision, how it is called and drawn. */
typedef struct mrn_cli_law_line {
    char label[160];
    mrn_collision collision;
    int colour;
    mrn_series_style style;
} mrn_cli_law_line;
/* One plot per response along the condition with most values: measured points with error bars (95
   %), and one fine curve per line. `prefix` begins the files' names. */
void mrn_cli_plot_curves(mrn_cli_out *o, const mrn_experiment *e, int n,
                         const mrn_cli_law_line *line, bool measured, const char *prefix,
                         const char *title);
/* Deviation indices as bars, responses along the axis and a bar per law, with a line at 1: files
   deviation-mean and deviation-largest. mean, largest: n laws after each other. */
void mrn_cli_plot_deviation(mrn_cli_out *o, const mrn_experiment *e, int n, const char *const *law,
                            const double *mean, const double *largest);
/* Ball, target, what is fixed, number of collisions, data: into the terminal's head and the page.
 */
void mrn_cli_show_experiment(mrn_cli_out *o, const mrn_cli *lab);
/* The law and its parameters in one line. */
void mrn_cli_law_text(const mrn_collision *c, char *buf, size_t size);
json_t *mrn_cli_law_json(const mrn_collision *c); /* parameters that are numbers */
json_t *mrn_cli_measured_json(const mrn_experiment *e);
/* Sets the conditions of row `row` under their names, in SI. */
void mrn_cli_row_json(const mrn_conditions *at, int row, json_t *into);
/* The section "To repeat it" of the page. */
void mrn_cli_show_repeat(mrn_cli_out *o, const mrn_cli *lab, uint64_t seed);
/* Opens the page of a command. */
mrn_status mrn_cli_page(mrn_cli_out *o, const mrn_cli *lab, const char *what, mrn_message *msg);
/* Ends a command with a folder: page, inputs; returns the exit code (`code` or worse). */
int mrn_cli_finish(mrn_cli_out *o, const mrn_cli *lab, int code);
int mrn_cli_close_page(mrn_cli_out *o, int code); /* the page alone */

/* ---- progress (lab_progress.c) ---- */

/* A bar of the share done and a text on the line of the cursor. */
void mrn_cli_bar(FILE *f, double share, const char *text);

typedef struct mrn_cli_progress {
    FILE *f; /* NULL: none is shown */
    double clock;
    const volatile sig_atomic_t *stop;
    mrn_predictor model; /* the one that is counted */
    int64_t evaluations; /* of it so far            */
} mrn_cli_progress;
/* The model such that its evaluations are counted. */
mrn_predictor mrn_cli_counted(mrn_cli_progress *p, const mrn_predictor *model);
/* As mrn_fit_options.progress has it. */
bool mrn_cli_tick(void *progress, const char *phase, double done, double objective);
void mrn_cli_progress_end(mrn_cli_progress *p);

/* ---- an estimate (lab_fit.c, lab_fit_plot.c, lab_fit_json.c) ---- */

/* All that was estimated: of any model, not only of collisions. */
typedef struct mrn_cli_estimate {
    const mrn_fit *fit;
    const mrn_parameter *parameter;
    const mrn_datum *datum;
    const char *const *response; /* their names */
    double confidence;
    bool shown;       /* the data, beside the model: by the command itself */
    const char *note; /* to be said first; NULL: nothing */
    mrn_tone tone;
} mrn_cli_estimate;
/* Verdict, parameters with intervals and words, correlation. */
void mrn_cli_show_result(mrn_cli_out *o, const mrn_cli_estimate *x);
/* Deviations, tests, smaller models, what to measure next, what was assumed. */
void mrn_cli_show_quality(mrn_cli_out *o, const mrn_cli_estimate *x);
/* Residuals, confidence regions with the cloud of the bootstrap, its distributions. */
void mrn_cli_plot_fit(mrn_cli_out *o, const mrn_cli_estimate *x);
json_t *mrn_cli_fit_json(const mrn_cli_estimate *x);
/* Standard deviation of a datum; where it is not known, that of its response's residuals. */
double mrn_cli_datum_sd(const mrn_cli_estimate *x, int i);

/* ---- a scene of many balls (lab_bulk.c) ---- */

typedef struct mrn_bulk_scene {
    const char *path;        /* to be written                         */
    const char *kind;        /* "heap" or "drum"                      */
    const char *what;        /* "A heap of balls": its title          */
    const char *law, *file;  /* how the law is called, and where      */
    mrn_collision collision; /* materials, ball and law, as fitted    */
} mrn_bulk_scene;
/* Writes it and reads it back; MRN_ERR_INPUT where a scene cannot have that law. */
mrn_status mrn_bulk_scene_write(const mrn_bulk_scene *b, mrn_message *msg);

#endif
