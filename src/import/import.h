/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the readers of packings share: a text line by line, cells with their places, tables whose
   columns have names. */
#ifndef MRN_IMPORT_IMPORT_H
#define MRN_IMPORT_IMPORT_H

#include "moraine/import.h"
#include "scene/units.h"
#include "store/files.h"

/* ---- text (import_text.c) ---- */

#define MRN_CELLS_MAX 256

typedef struct mrn_cell_text {
    const char *s; /* not terminated */
    int n;
} mrn_cell_text;

typedef struct mrn_import_text {
    const char *file;
    char *text; /* owned */
    size_t n, at;
    int line; /* number of the line at hand   */
    mrn_cell_text now;
    mrn_units *units; /* owned */
    mrn_message *msg;
} mrn_import_text;

mrn_status mrn_text_open(const char *path, mrn_import_text *t, mrn_message *msg);
void mrn_text_close(mrn_import_text *t);
/* The next line, without its end; false: there is none. */
bool mrn_text_next(mrn_import_text *t);
/* Back to a line met before: its offset and number. */
void mrn_text_go(mrn_import_text *t, size_t at, int line);
/* Bad input in the line at hand, at `where` (NULL: its begin); expected and hint may be NULL. */
mrn_status mrn_text_fail(const mrn_import_text *t, const char *where, const char *expected,
                         const char *hint, const char *fmt, ...) MRN_PRINTF(5, 6);
/* Splits the line at hand at `separator` (' ': at blanks and tabs); quotes around a cell are taken
   off. Returns how many, at most MRN_CELLS_MAX + 1. */
int mrn_text_split(const mrn_import_text *t, char separator, mrn_cell_text *out);
/* ',', ';', tab or ' ': whichever the line at hand uses. */
char mrn_text_separator(const mrn_import_text *t);
bool mrn_text_is_blank(const mrn_import_text *t);
bool mrn_text_begins(const mrn_import_text *t, const char *word);
/* Finds the line with the names of the columns: the first that is no comment, or the comment before
   rows of numbers. The line at hand is that one; rows follow. `example`: of such a line. */
mrn_status mrn_text_header(mrn_import_text *t, const char *example, mrn_cell_text *cell, int *n,
                           char *separator);
/* A finite number that is the whole cell; *_integer: a whole one, also written as 1e6. */
bool mrn_cell_number(const mrn_import_text *t, mrn_cell_text c, double *out);
bool mrn_cell_integer(const mrn_import_text *t, mrn_cell_text c, int64_t *out);
bool mrn_cell_is(mrn_cell_text c, const char *word); /* upper and lower case alike */
/* v times factor, where 1/factor is whole by division: 2.99 mm is 0.00299 m to the last bit. */
double mrn_import_scaled(double v, double factor);
/* "a,b" as numbers; returns how many, -1: not numbers. */
int mrn_import_numbers(const mrn_import_text *t, const char *text, double *out, int most);

/* ---- columns by name (import_columns.c) ---- */

typedef struct mrn_column_name {
    const char *name; /* small letters                                                     */
    int kind;
    const char *unit; /* NULL: no number with a unit                                       */
} mrn_column_name;

typedef struct mrn_columns {
    int n;                   /* cells per row                                           */
    int kind[MRN_CELLS_MAX]; /* of each column; -1: not wanted                          */
    double factor[MRN_CELLS_MAX];
    bool has[64]; /* per kind */
} mrn_columns;
/* Finds the kinds of named columns. A unit in brackets, "x [mm]", becomes the factor; else lengths
   and velocities get that of `length`. */
mrn_status mrn_columns_find(const mrn_import_text *t, const mrn_column_name *names, int n_names,
                            const mrn_cell_text *cells, int n, double length, mrn_columns *out);

/* ---- grains ---- */

/* Where a position came from: what is to be done with it once the cell is known. */
typedef struct mrn_raw {
    mrn_packing *packing;
    const mrn_import_options *opt;
    mrn_import_text text;
    int64_t capacity;
    double *density; /* per grain; NAN: not given                                            */
    int64_t density_capacity;
    int64_t types_capacity;
    int last_type;
    bool has_box, has_z;
    bool file_periodic[3];
    double lo[3], hi[3], tilt[3]; /* of the file's box, in m                                */
    mrn_columns columns;
    mrn_message *msg;
} mrn_raw;

/* The columns of a table of grains: names to kinds, with what must be there. */
mrn_status mrn_grains_header(mrn_raw *r, const mrn_cell_text *cells, int n);
/* One more grain from the line at hand. */
mrn_status mrn_grains_row(mrn_raw *r, const mrn_cell_text *cells, int n);
bool mrn_grains_has_instants(const mrn_raw *r);
/* Columns that tell instants apart: the cell of this row, NULL where there is none. */
const mrn_cell_text *mrn_grains_instant(const mrn_raw *r, const mrn_cell_text *cells);

/* ---- formats ---- */

mrn_status mrn_import_lammps(mrn_raw *r); /* import_lammps.c */
mrn_status mrn_import_table(mrn_raw *r);  /* import_table.c  */
mrn_status mrn_import_yade(mrn_raw *r);   /* import_table.c  */
mrn_status mrn_import_frame_of(int64_t wanted, int64_t frames, const mrn_import_text *t,
                               int64_t *frame);

/* One instant of a dump: where its rows begin. */
typedef struct mrn_dump_frame {
    int64_t step, n;
    double time;
    size_t head_at, at; /* of the line with the columns, of the first row                   */
    int head_line, line;
    bool whole, entries;
    bool has_box, periodic[3];
    double lo[3], hi[3], tilt[3];
} mrn_dump_frame;
/* All instants of a dump; *frames is to be freed. */
mrn_status mrn_dump_scan(mrn_import_text *t, mrn_dump_frame **frames, int64_t *n);
/* Goes to the rows of a frame; the line at hand is the one with the columns. */
mrn_status mrn_dump_enter(mrn_import_text *t, const mrn_dump_frame *f);

/* Contacts of a packing whose grains are settled (import_contacts.c). */
mrn_status mrn_import_contacts(mrn_packing *p, const mrn_import_options *opt, mrn_message *msg);
/* The vector between two places by the nearest image. */
mrn_vec3 mrn_packing_nearest(const mrn_packing *p, mrn_vec3 d);

/* ---- the folder (import_scene.c, import_forces.c) ---- */

MRN_PRINTF(2, 3) void mrn_import_note(mrn_import_facts *facts, const char *fmt, ...);
/* Writes scene.yaml and its tables into `dir` and reads it. */
mrn_status mrn_import_scene(const mrn_packing *p, const mrn_import_options *opt, const char *dir,
                            mrn_scene *scene, mrn_import_facts *facts, mrn_message *msg);
/* Replaces the forces of contacts by ones that balance the load; contacts->force is set. */
mrn_status mrn_import_balance(const mrn_scene *scene, const mrn_state *s,
                              const mrn_import_options *opt, mrn_contacts *contacts,
                              mrn_import_facts *facts, mrn_message *msg);

#endif
