/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading files of the lab: what the parts of the reader share. */
#ifndef MRN_READERS_READ_H
#define MRN_READERS_READ_H

#include "moraine/lab.h"
#include "scene/build.h"

#define MRN_LAB_ROWS_MAX  1000000 /* collisions of a file */
#define MRN_LAB_SWEEP_MAX 24      /* keys that may take several values */

/* Values that a number of the collision takes one after another. */
typedef struct mrn_lab_sweep {
    mrn_factor factor;
    char unit[24]; /* as the file has it */
    double *value; /* SI */
    int n;
    const mrn_node *at;
    int with; /* the sweep that it goes together with, the first of them; itself: alone */
} mrn_lab_sweep;

typedef struct mrn_lab_reader {
    mrn_reader in; /* tree, units, message; its scene holds the materials */
    mrn_experiment *e;
    const mrn_node *collision;
    mrn_lab_sweep sweep[MRN_LAB_SWEEP_MAX];
    int n_sweeps;
    const mrn_node *given[4]; /* where speed, angle, spin and normal-speed stand */
} mrn_lab_reader;

/* The parts, in the order they must be called. */
mrn_status mrn_lab_read_laws(mrn_lab_reader *r);
mrn_status mrn_lab_read_collision(mrn_lab_reader *r);
mrn_status mrn_lab_read_data(mrn_lab_reader *r, const mrn_node *data);
mrn_status mrn_lab_read_sweeps(mrn_lab_reader *r); /* without data */
mrn_status mrn_lab_read_fit(mrn_lab_reader *r, const mrn_node *fit);
mrn_status mrn_lab_read_sensitivity(mrn_lab_reader *r, const mrn_node *sensitivity);
/* Every candidate, and every value that a condition takes, against what the law accepts. */
mrn_status mrn_lab_check(mrn_lab_reader *r);

/* A number of the collision by the name that stands at `name`, as candidate k has it. */
mrn_status mrn_lab_factor(mrn_lab_reader *r, int k, const char *name, const mrn_node *at,
                          mrn_factor *out);
/* The same of all candidates: the first's, when all have it. */
mrn_status mrn_lab_factor_of_all(mrn_lab_reader *r, const char *name, const mrn_node *at,
                                 mrn_factor *out);
/* Refuses a number that the law has in other words already: a fixed one beside a free one. */
mrn_status mrn_lab_alone(mrn_lab_reader *r, const mrn_collision *now, const char *law,
                         const mrn_factor *f, const mrn_node *at);
/* Gives it to all candidates. */
mrn_status mrn_lab_set(mrn_lab_reader *r, const char *name, double value, const mrn_node *at);
/* A quantity in the unit of f and within its bounds; `unit` (24 bytes, may be NULL) as written. */
mrn_status mrn_lab_quantity(mrn_lab_reader *r, const mrn_node *n, const mrn_factor *f, double *out,
                            char *unit);
bool mrn_lab_within(const mrn_factor *f, double value);
/* "30" or "30 deg": a value in its unit, for labels and messages. */
void mrn_lab_text(mrn_lab_reader *r, double value, const char *unit, const char *si, char *buf,
                  size_t size);
/* A message of a law or of a check: the place of the value that it names, or of `n`. */
mrn_status mrn_lab_place(mrn_lab_reader *r, const mrn_node *n);

#endif
