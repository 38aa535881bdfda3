/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of a calibration: points and their runs, what the runs say, and the way from a design to a
   fit that was checked. */
#ifndef MRN_CALIBRATE_CALIBRATE_H
#define MRN_CALIBRATE_CALIBRATE_H

#include "inference/fit.h"
#include "inference/surrogate.h"

/* While it goes on. What is found lies in *out; this is what is needed beside it. */
typedef struct mrn_calibrating {
    const mrn_calibration *c;
    const mrn_calibrate_options *opt;
    mrn_calibrated *out;
    mrn_message *msg;
    int n, m;             /* parameters, targets                                     */
    int batch;            /* points at a time                                        */
    int checks;           /* runs of each test at the optimum                        */
    int64_t design;       /* points of the first design                              */
    mrn_parameter *p;     /* n                                                       */
    mrn_datum *target;    /* m: what was measured                                    */
    double *rough;        /* m: sd of what neighbouring points differ by, though seeds make no
                             difference, or none were compared                         */
    int64_t *of;          /* of a run: its point; -1: a check                        */
    int64_t room[5];      /* of runs, of, x, y, variance                             */
    int64_t failed;       /* points without a value of some target                   */
    int64_t asked, ended; /* runs of the call under way; of these ended              */
    const char *phase;
    double best;                  /* F at the optimum; before there is one: the least of the points
                                     (NAN: none) */
    double optimum[MRN_FIT_MOST]; /* of the surrogate                                        */
    double *there, *unknown;      /* m: means and variances of the surrogate at it           */
    double *scratch;              /* m                                                       */
} mrn_calibrating;

/* ---- calibrate_runs.c ---- */
/* The point with these parameters, bit by bit: an old one, or a new one. */
mrn_status mrn_calibrating_point(mrn_calibrating *k, const double *x, int64_t *point);
/* Adds `count` runs of every test at x to those that are there, with seeds no other has; not run
   yet. point: -1 for a check. */
mrn_status mrn_calibrating_ask(mrn_calibrating *k, const double *x, int64_t point, int count);
/* Runs all from run `first` on, or takes them from what is known. MRN_INTERRUPTED: those that did
   not end are gone. */
mrn_status mrn_calibrating_run(mrn_calibrating *k, int64_t first);
/* Of target t over the runs of a point (-1: of the check): how many, mean, sum of squares about it.
 */
int64_t mrn_calibrating_gather(const mrn_calibrating *k, int64_t point, int t, double *mean,
                               double *square);
/* Means, noise and variances of all points. */
void mrn_calibrating_means(mrn_calibrating *k);
/* True where runs are to be expected to fail: the nearest point has no value of some target. */
bool mrn_calibrating_barred(const mrn_calibrating *k, const double *x);
bool mrn_calibrating_stopped(const mrn_calibrating *k);
mrn_status mrn_calibrating_interrupt(const mrn_calibrating *k);
void mrn_calibrating_progress(const mrn_calibrating *k, double fraction);
/* A run whose values count. */
bool mrn_virtual_run_counts(const mrn_virtual_run *r);

/* ---- calibrate_fit.c ---- */
/* The surrogate of all points; *out has it then. MRN_ERR_INPUT: a target without values. */
mrn_status mrn_calibrating_surrogate(mrn_calibrating *k);
/* Its optimum, and what is not known there: `optimum`, `there`, `unknown`. doublings: of the global
   search, at most. */
mrn_status mrn_calibrating_optimum(mrn_calibrating *k, int doublings);
/* The whole fit. MRN_NOT_CONVERGED: the search for the optimum did not end. */
mrn_status mrn_calibrating_fit(mrn_calibrating *k);
/* n_known, direction, strength. */
void mrn_calibrating_directions(mrn_calibrating *k);
/* Means of the runs of the check, beside what the surrogate predicted. */
void mrn_calibrating_compare(mrn_calibrating *k);
/* How it ended. */
void mrn_calibrating_words(mrn_calibrating *k);

/* ---- calibrate_redraw.c: functions and measurements drawn anew, for the bootstrap ---- */
typedef struct mrn_calibrating_redraw {
    const mrn_calibrating *k;
    mrn_redraw way;
    mrn_drawn *of;          /* m                                                     */
    mrn_wander **wander;    /* m; NULL: lengths and signal stay                      */
    double x[MRN_FIT_MOST]; /* the optimum                                           */
    int sets, now;          /* of lengths and signals; that which the functions have */
    double *set;            /* sets * m * (n + 2)                                    */
    double *f, *sd;         /* sets * m: means and standard deviations at x          */
} mrn_calibrating_redraw;
/* Of the surrogate as it is, for so many replicas; *r must stay where it is. Release it also where
   this failed. */
mrn_status mrn_calibrating_redraw_make(const mrn_calibrating *k, int replicas,
                                       mrn_calibrating_redraw *r);
void mrn_calibrating_redraw_release(mrn_calibrating_redraw *r);

#endif
