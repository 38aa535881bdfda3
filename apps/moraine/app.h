/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the subcommands share: options from a table that also prints the help, tables, numbers with
   SI prefixes, JSON, messages. Each subcommand is one file with one function `mrn_cmd_NAME`. */
#ifndef MORAINE_APP_H
#define MORAINE_APP_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "moraine/moraine.h"

/* Exit codes: success, a run that failed, bad usage or input. */
enum { MRN_EXIT_OK = 0, MRN_EXIT_FAILED = 1, MRN_EXIT_USAGE = 2 };
#define MRN_APP_EXIT_CODES                                                                         \
    "0 done (a run also when a stage met its limit, with a warning), 1 it failed or\n"             \
    "was interrupted, 2 bad usage or input."

/* Threads that may be asked for: each takes a stack, and a million of them all memory. */
enum { MRN_THREADS_MOST = 4096 };

/* ---- options ---- */

typedef enum mrn_app_kind {
    MRN_OPT_FLAG,    /* target: bool, set to true                              */
    MRN_OPT_TEXT,    /* target: const char *                                   */
    MRN_OPT_INTEGER, /* target: int64_t, checked against min and max           */
    MRN_OPT_NUMBER,  /* target: double, checked against min and max            */
    MRN_OPT_LIST,    /* target: mrn_app_list, one more text per use            */
    MRN_OPT_CHOICE,  /* target: const char *, one of `choices`                 */
} mrn_app_kind;

/* What --device takes. */
enum { MRN_APP_DEVICES = 3 };
extern const char *const mrn_app_devices[MRN_APP_DEVICES];

#define MRN_APP_LIST_MAX 64
typedef struct mrn_app_list {
    int n;
    const char *item[MRN_APP_LIST_MAX];
} mrn_app_list;

typedef struct mrn_app_option {
    const char *name; /* without the dashes: "out"                             */
    char letter;      /* 'o' for -o; 0: none                                   */
    mrn_app_kind kind;
    void *target;               /* holds the default before parsing                      */
    const char *arg;            /* what the help calls its argument: "DIR"; NULL: a flag */
    const char *doc;            /* one or two sentences; the help wraps them             */
    double min, max;            /* INTEGER, NUMBER; both 0: no bounds                    */
    const char *const *choices; /* CHOICE */
    int n_choices;
} mrn_app_option;

/* The help page of a subcommand; its summary stands in the table of main.c. */
typedef struct mrn_app_page {
    const char *usage;        /* after "moraine ": "run SCENE [options]"           */
    const char *doc;          /* paragraphs; wrapped by hand at 90 columns         */
    const char *examples;     /* lines "moraine run scene.yaml", may be NULL       */
    const char *const *words; /* what the argument may be; NULL: files, or nothing */
    int n_words;
} mrn_app_page;

/* Parses argv[1…] (argv[0] is the subcommand): --name value, --name=value, -n value; "--" ends
   options. Operands go to operand[0 … *n_operands - 1]; more than max_operands is an error. Returns
   -1 to go on, else the code to exit with (--help was printed: 0; bad usage was stated: 2). */
int mrn_app_parse(const mrn_app_page *page, const mrn_app_option *options, int n_options, int argc,
                  char **argv, const char **operand, int max_operands, int *n_operands);
/* "moraine: error: …" and "see moraine NAME --help" on stderr; returns MRN_EXIT_USAGE. */
int mrn_app_usage(const char *command, const char *fmt, ...) MRN_PRINTF(2, 3);
/* A name that is none of the words: the closest of them, or all where they are few. */
int mrn_app_unknown(const char *command, const char *noun, const char *name,
                    const char *const *words, int n);
/* One line of the table of subcommands; "" if there is none of that name. */
const char *mrn_app_summary(const char *command);

/* ---- messages ---- */

/* Writes msg to stderr; returns the exit code that fits its status (0, 1 or 2). */
int mrn_app_report(const mrn_message *msg);
int mrn_app_exit_code(mrn_status s);

/* ---- text ---- */

/* By value, as mrn_readable_si and mrn_readable_count (base.h). */
mrn_readable mrn_app_bytes(double bytes);      /* 1.5 MiB                        */
mrn_readable mrn_app_duration(double seconds); /* 0.42 s, 1 min 05 s, 2 h 07 min */

/* Escape sequences, empty when `f` is no terminal or NO_COLOR is set. */
typedef enum mrn_app_style {
    MRN_PLAIN,
    MRN_BOLD,
    MRN_DIM,
    MRN_RED,
    MRN_GREEN,
    MRN_YELLOW,
    MRN_BLUE
} mrn_app_style;
const char *mrn_app_style_code(FILE *f, mrn_app_style style);
bool mrn_app_is_terminal(FILE *f);
/* own_name.c: how the command is called in this shell ("moraine", or the path it was started by);
   whether the shell finds another one. */
void mrn_app_remember_name(const char *called);
const char *mrn_app_own_name(void);
bool mrn_app_has_command(const char *name);
/* console.c: whether a warning of this kind only tells what a run did, and nothing is wrong. */
bool mrn_app_is_note(const char *kind);
int mrn_app_columns(FILE *f); /* width of the terminal; 80 when unknown */

/* Prints `text` wrapped at `width`, every line after the first indented by `indent` spaces; ends
 * the line. */
void mrn_app_wrap(FILE *f, const char *text, int indent, int width);
/* Columns a UTF-8 text takes. */
int mrn_app_width(const char *text);
/* Prints text padded to `width` columns; to the right when `right`. */
void mrn_app_pad(FILE *f, const char *text, int width, bool right);

/* A table gathered first and printed aligned. Cells are copied. */
#define MRN_APP_CELLS 24
typedef struct mrn_app_table {
    int columns, rows, capacity;
    bool right[MRN_APP_CELLS]; /* align to the right                          */
    char **cell;               /* rows * columns; row 0 is the head           */
} mrn_app_table;
/* `head`: one text per column; one beginning with '>' is aligned to the right. */
void mrn_app_table_begin(mrn_app_table *t, int columns, const char *const *head);
void mrn_app_table_row(mrn_app_table *t, const char *const *cells);
/* Prints (unless f is NULL) and frees. The last column is wrapped to the terminal's width when it
 * is text. */
void mrn_app_table_print(mrn_app_table *t, FILE *f);
/* The same as Markdown. */
void mrn_app_table_markdown(mrn_app_table *t, FILE *f);

/* Prints JSON (indented, keys in the order of insertion) with a newline, drops the reference; 0 or
 * MRN_EXIT_FAILED. */
int mrn_app_json(json_t *root);
/* What can be read without waiting: no pipe, no device. */
bool mrn_app_is_file(const char *path);
/* NULL: there is none, or it is not JSON. */
json_t *mrn_app_read_json(const char *path);

/* A page that the library writes, to stdout or (path not NULL) to a file that appears only when it
   is whole; returns the exit code. */
int mrn_app_write_page(mrn_status (*write)(FILE *), const char *path);
/* A command that writes such a page of the format of scenes, of the lab or of calibrations, as its
   argument says. */
typedef struct mrn_app_formats {
    const char *command;
    mrn_status (*scene)(FILE *);
    mrn_status (*lab)(FILE *);
    mrn_status (*calibration)(FILE *);
} mrn_app_formats;
int mrn_app_write_format(const mrn_app_formats *f, const mrn_app_page *page, int argc, char **argv);

/* ---- subcommands ---- */

int mrn_cmd_run(int argc, char **argv);
int mrn_cmd_check(int argc, char **argv);
int mrn_cmd_demo(int argc, char **argv);
int mrn_cmd_converge(int argc, char **argv);
int mrn_cmd_sweep(int argc, char **argv);
int mrn_cmd_completion(int argc, char **argv);
int mrn_cmd_man(int argc, char **argv);
int mrn_cmd_crosscheck(int argc, char **argv);
int mrn_cmd_diff(int argc, char **argv);
int mrn_cmd_picture(int argc, char **argv);
int mrn_cmd_view(int argc, char **argv);
int mrn_cmd_report(int argc, char **argv);
int mrn_cmd_plot(int argc, char **argv);
int mrn_cmd_profile(int argc, char **argv);
int mrn_cmd_bench(int argc, char **argv);
int mrn_cmd_export(int argc, char **argv);
int mrn_cmd_import(int argc, char **argv);
int mrn_cmd_analyze(int argc, char **argv);
int mrn_cmd_collide(int argc, char **argv);
int mrn_cmd_compare(int argc, char **argv);
int mrn_cmd_sensitivity(int argc, char **argv);
int mrn_cmd_fit(int argc, char **argv);
int mrn_cmd_calibrate(int argc, char **argv);
int mrn_cmd_solve(int argc, char **argv);
int mrn_cmd_methods(int argc, char **argv);
int mrn_cmd_solvers(int argc, char **argv);
int mrn_cmd_problems(int argc, char **argv);
int mrn_cmd_laws(int argc, char **argv);
int mrn_cmd_shapes(int argc, char **argv);
int mrn_cmd_probes(int argc, char **argv);
int mrn_cmd_examples(int argc, char **argv);
int mrn_cmd_schema(int argc, char **argv);
int mrn_cmd_reference(int argc, char **argv);
int mrn_cmd_version(int argc, char **argv);
int mrn_cmd_help(int argc, char **argv);

#endif
