/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of measurements as it is read: numbers in SI, each with its place. */
#ifndef MRN_READERS_COLUMNS_H
#define MRN_READERS_COLUMNS_H

#include "readers/read.h"

#define MRN_LAB_COLUMNS_MAX 64
#define MRN_LAB_CELL        200 /* longest text of a cell: a number and a unit */

typedef enum mrn_lab_role { MRN_LAB_CONDITION, MRN_LAB_RESPONSE, MRN_LAB_ERROR } mrn_lab_role;

/* A column that is wanted. */
typedef struct mrn_lab_column {
    mrn_lab_role kind;
    int of; /* which condition or response */
    const mrn_node *spec;
    const char *name;
    const char *unit; /* NULL: not given */
    const char *si;
    bool variance; /* the square of the unit */
    int at;        /* place in the table of a file; -1: not found */
    bool seen;     /* in an inline row */
    char own[24];  /* unit of its first number, where none is stated for the column */
} mrn_lab_column;

/* Where a number stands: in a file, or at a node. */
typedef struct mrn_lab_cell {
    const mrn_node *node;
    int line, column;
} mrn_lab_cell;

typedef struct mrn_lab_line {
    mrn_lab_cell place;
    int group; /* row of the conditions */
} mrn_lab_line;

typedef struct mrn_lab_table {
    mrn_lab_reader *r;
    const mrn_node *data;
    char path[1024]; /* of the file */
    mrn_lab_column column[MRN_LAB_COLUMNS_MAX];
    int n, n_conditions, n_responses;
    const char *missing;
    const mrn_node *error[MRN_LAB_COLUMNS_MAX]; /* per response: the mapping; NULL: replicates */
    double constant[MRN_LAB_COLUMNS_MAX];       /* its value, where it is the same for all     */
    /* rows as read: conditions, responses, errors one after another; NAN: not measured */
    double *value;
    mrn_lab_cell *where;
    mrn_lab_line *row;
    int64_t n_rows, value_capacity, where_capacity, row_capacity;
} mrn_lab_table;

static inline int mrn_lab_table_width(const mrn_lab_table *t)
{
    return t->n_conditions + 2 * t->n_responses;
}

/* Reads `data`, into a table that has r and data only; release it in any case. Conditions and
   responses of the experiment are named then, its rows not yet there. */
mrn_status mrn_lab_table_read(mrn_lab_table *t);
void mrn_lab_table_release(mrn_lab_table *t);
/* Bad input in a cell. */
mrn_status mrn_lab_table_fail(const mrn_lab_table *t, const mrn_lab_cell *p, const char *expected,
                              const char *fmt, ...) MRN_PRINTF(4, 5);

#endif
