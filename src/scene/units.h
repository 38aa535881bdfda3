/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantities with units: "2 mm", "70 GPa", "30 rpm". A bare number is SI. */
#ifndef MRN_SCENE_UNITS_H
#define MRN_SCENE_UNITS_H

#include "moraine/base.h"

#define MRN_UNIT_TEXT 40 /* longest unit a user may write, with its final zero */

typedef struct mrn_units mrn_units;

/* A quantity as read: value = number * factor, number and unit as the user wrote them. */
typedef struct mrn_reading {
    double value, number, factor;
    char unit[MRN_UNIT_TEXT]; /* "" for a bare number */
} mrn_reading;

/* The data base of units itself is loaded when the first unit is met. */
mrn_status mrn_units_open(mrn_units **out, mrn_message *msg);
void mrn_units_close(mrn_units **u);

/* Reads `text` as a quantity of `unit`. `msg` must not be NULL. */
mrn_status mrn_units_read(mrn_units *u, const char *text, const char *unit, mrn_reading *out,
                          mrn_message *msg);
/* A finite decimal number that takes up all of `text`, whatever the locale. */
bool mrn_units_number(mrn_units *u, const char *text, double *value);
/* One that takes up n characters of a longer text. */
bool mrn_units_number_of(const mrn_units *u, const char *text, size_t n, double *value);

/* "a length" for "m", and an example "2 mm"; a noun is never NULL. */
const char *mrn_unit_noun(const char *unit);
const char *mrn_unit_example(const char *unit);

#endif
