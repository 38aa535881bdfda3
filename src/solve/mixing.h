/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Anderson's mixing: extrapolates a fixed-point iteration x <- x + f(x) from its last steps. */
#ifndef MRN_SOLVE_MIXING_H
#define MRN_SOLVE_MIXING_H

#include "solve/system.h"

#define MRN_MIXING_DEPTH_MAX 30

typedef struct mrn_anderson {
    int depth, held, next; /* most differences; those held; where the next one goes */
    int64_t m;
    double *dx, *df; /* depth vectors each: differences of points and of steps */
    double *gram;    /* depth²: their products df . df                         */
    double *x, *f;   /* the point from which differences are taken             */
    bool begun;
} mrn_anderson;

mrn_status mrn_mixing_make(const mrn_system *s, int depth, mrn_anderson *out, mrn_message *msg);
void mrn_mixing_forget(mrn_anderson *a);
/* Learns from a point x and its step f, against the point that stands. */
void mrn_mixing_learn(mrn_anderson *a, const double *x, const double *f);
/* Makes (x, f) the point that stands. */
void mrn_mixing_stand(mrn_anderson *a, const double *x, const double *f);
/* out = the extrapolated point; false when nothing can be said (too little is held). */
bool mrn_mixing_propose(mrn_anderson *a, double *out);

#endif
