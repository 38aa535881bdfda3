/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields of a run averaged over time, as a table of bins. */
#ifndef MORAINE_PROFILING_H
#define MORAINE_PROFILING_H

#include "app.h"

typedef struct mrn_profile_wish {
    const char *dir;
    const char *over, *about, *line, *stage; /* as on the command line; NULL: not said */
    const char *const *where;
    int n_where, bins; /* bins 0: chosen */
    double from, to;
} mrn_profile_wish;

/* Which number of a bin a column is. */
typedef enum mrn_profile_kind {
    MRN_COLUMN_COORDINATE,
    MRN_COLUMN_VOLUME,
    MRN_COLUMN_COUNT,
    MRN_COLUMN_SOLID,
    MRN_COLUMN_DENSITY,
    MRN_COLUMN_VELOCITY,
    MRN_COLUMN_ALONG, /* of a line */
    MRN_COLUMN_SPEED,
    MRN_COLUMN_TEMPERATURE,
    MRN_COLUMN_PRESSURE,
    MRN_COLUMN_STRESS,
} mrn_profile_kind;

#define MRN_PROFILE_COLUMNS 24
typedef struct mrn_profile_table {
    int n_columns, n_coordinates; /* coordinates of --over stand first */
    char name[MRN_PROFILE_COLUMNS][40];
    const char *unit[MRN_PROFILE_COLUMNS];
    mrn_profile_kind kind[MRN_PROFILE_COLUMNS];
    int k[MRN_PROFILE_COLUMNS]; /* which component */
} mrn_profile_table;

mrn_status mrn_profile_take(const mrn_profile_wish *w, mrn_average *out, mrn_profile_table *t,
                            mrn_message *msg);
double mrn_profile_value(const mrn_average *a, const mrn_profile_table *t, int64_t bin, int column);
mrn_status mrn_profile_find(const mrn_profile_table *t, const char *name, int *column,
                            mrn_message *msg);

#endif
