/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the readers of packings share: tables whose columns have names. */
#ifndef MRN_IMPORT_IMPORT_H
#define MRN_IMPORT_IMPORT_H

#include "moraine/import.h"
#include "scene/table.h"
#include "store/files.h"

/* ---- numbers ---- */

/* v times factor, where 1/factor is whole by division: 2.99 mm is 0.00299 m to the last bit. */
double mrn_import_scaled(double v, double factor);
/* "a,b" as numbers; returns how many, -1: not numbers. */
int mrn_import_numbers(const mrn_text *t, const char *text, double *out, int most);

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
mrn_status mrn_columns_find(const mrn_text *t, const mrn_column_name *names, int n_names,
                            const mrn_cell_text *cells, int n, double length, mrn_columns *out);

/* ---- grains ---- */

/* Where a position came from: what is to be done with it once the cell is known. */
typedef struct mrn_raw {
    mrn_packing *packing;
    const mrn_import_options *opt;
    mrn_text text;
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
mrn_status mrn_grains_row(mrn_raw *r, const mrn_cell_text *cells);
bool mrn_grains_has_instants(const mrn_raw *r);
/* Columns that tell instants apart: the cell of this row, NULL where there is none. */
const mrn_cell_text *mrn_grains_instant(const mrn_raw *r, const mrn_cell_text *cells);

/* ---- formats ---- */

mrn_status mrn_import_lammps(mrn_raw *r); /* import_lammps.c */
mrn_status mrn_import_table(mrn_raw *r);  /* import_table.c  */
mrn_status mrn_import_yade(mrn_raw *r);   /* import_table.c  */
mrn_status mrn_import_frame_of(int64_t wanted, int64_t frames, const mrn_text *t, int64_t *frame);

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
mrn_status mrn_dump_scan(mrn_text *t, mrn_dump_frame **frames, int64_t *n);
/* Goes to the rows of a frame; the line at hand is the one with the columns. */
mrn_status mrn_dump_enter(mrn_text *t, const mrn_dump_frame *f);

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
