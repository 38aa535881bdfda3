/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the sweep share: the order by slabs, and contacts in 3D through bodies. */
#ifndef MRN_SOLVE_SWEEP_PARTS_H
#define MRN_SOLVE_SWEEP_PARTS_H

#include "solve/sweep.h"

/* Cuts the contacts into slabs of which only neighbours share bodies, and puts w->order in that
   order: even slabs, then odd ones. Leaves the order as it is (w->slabs = 0) where there are too
   few slabs to share among threads. */
mrn_status mrn_sweep_cut_slabs(mrn_sweeper *w);

/* Numbers that a body has in a sweep in 3D: velocity (3 and one that is 0), spin (3 and 0), inverse
   masses (3 and 0), columns of the inverse inertia (3 and 0 each). */
enum { MRN_SWEEP_BODY = 24, MRN_SWEEP_MASS = 8, MRN_SWEEP_INERTIA = 12 };

/* Whether all contacts have two bodies at most and all bodies a mass apart from their inertia. */
bool mrn_sweep_bodies_fit(const mrn_system *s);
mrn_status mrn_sweep_bodies_make(mrn_sweeper *w);
/* Velocities of the bodies from those of mrn_system_push. */
void mrn_sweep_bodies_load(mrn_sweeper *w, const double *v);
/* Contacts order[at .. end), or with `top` > 0 those from top - 1 - at downwards. */
void mrn_sweep_bodies_stretch(mrn_sweeper *w, int64_t at, int64_t end, int64_t top, double *r,
                              mrn_sweep_sums *sums);
/* n slabs, slab[c] … slab[c + 1] of the order, contact by contact in turns. */
void mrn_sweep_bodies_turns(mrn_sweeper *w, int n, const int64_t *slab, double *r,
                            mrn_sweep_sums *sums);
/* Velocities W r + q of all contacts as the bodies have them, without the way from the impulses. */
void mrn_sweep_bodies_velocity(const mrn_sweeper *w, const double *r, double *u);

/* Terms of violations, when w->energies. */
void mrn_sweep_count(mrn_sweep_sums *sums, int b, const double *w, const double *old,
                     const double *new, const double *d);

#endif
