/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables as text, the one reader of all: grains and signals of scenes, packings of other codes,
   measurements of the lab, runs of a calibration. Line by line, cells with their places. Cells are
   separated by commas, semicolons, tabs or blanks; one may stand in quotes ("" within: a quote).
   Lines that begin with # are comments, blank ones are skipped. Numbers have any length and a
   point, whatever the locale. */
#ifndef MRN_SCENE_TABLE_H
#define MRN_SCENE_TABLE_H

#include "scene/units.h"

#define MRN_CELLS_MAX 256

typedef struct mrn_cell_text {
    const char *s; /* not terminated */
    int n;
    bool quoted; /* s stands after the quote */
} mrn_cell_text;

typedef struct mrn_text {
    const char *file;
    char *text; /* owned */
    size_t n, at;
    int line; /* number of the line at hand   */
    mrn_cell_text now;
    mrn_units *units; /* owned */
    mrn_message *msg;
} mrn_text;

/* A file that is not there is bad input, with no line in the message. */
mrn_status mrn_text_open(const char *path, mrn_text *t, mrn_message *msg);
void mrn_text_close(mrn_text *t);
/* The next line, without its end; false: there is none. */
bool mrn_text_next(mrn_text *t);
/* The next line that is neither blank nor a comment. */
bool mrn_text_next_row(mrn_text *t);
/* Back to a line met before: its offset and number. */
void mrn_text_go(mrn_text *t, size_t at, int line);
/* Bad input in the line at hand, at `where` (NULL: its begin); expected and hint may be NULL. */
mrn_status mrn_text_fail(const mrn_text *t, const char *where, const char *expected,
                         const char *hint, const char *fmt, ...) MRN_PRINTF(5, 6);
/* Splits the line at hand at `separator` (' ': at blanks and tabs); quotes around a cell are taken
   off. Returns how many, at most MRN_CELLS_MAX + 1. */
int mrn_text_split(const mrn_text *t, char separator, mrn_cell_text *out);
/* The same, refusing quotes that are not closed and rows too long; and, with `wanted` not 0, rows
   of another number of cells. */
mrn_status mrn_text_row(const mrn_text *t, char separator, int wanted, mrn_cell_text *out, int *n);
/* ',', ';', tab or ' ': whichever the line at hand uses. */
char mrn_text_separator(const mrn_text *t);
bool mrn_text_is_blank(const mrn_text *t);
bool mrn_text_begins(const mrn_text *t, const char *word);
/* Finds the line with the names of the columns: the first that is no comment, or the comment before
   rows of numbers. The line at hand is that one; rows follow. `example`: of such a line. */
mrn_status mrn_text_header(mrn_text *t, const char *example, mrn_cell_text *cell, int *n,
                           char *separator);

/* A finite number that is the whole cell; *_integer: a whole one, also written as 1e6. */
bool mrn_cell_number(const mrn_text *t, mrn_cell_text c, double *out);
bool mrn_cell_integer(const mrn_text *t, mrn_cell_text c, int64_t *out);
/* The same, refused with its place where it is none. */
mrn_status mrn_cell_read(const mrn_text *t, mrn_cell_text c, const char *expected, double *out);
bool mrn_cell_is(mrn_cell_text c, const char *word); /* upper and lower case alike */
bool mrn_cell_same(mrn_cell_text c, const char *word);
/* Its text, without doubled quotes; false: it does not fit into `size` bytes, and nothing is cut.
 */
bool mrn_cell_copy(mrn_cell_text c, char *to, size_t size);
/* How much of it to show in a message, with %.*s. */
static inline int mrn_cell_shown(mrn_cell_text c)
{
    return c.n < 60 ? c.n : 60;
}

#endif
