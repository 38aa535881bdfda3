/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of the neighbour list, for the files that build it: the periodic cell, the history of
   pairs, what laws reach. */
#ifndef MRN_DETECT_LIST_H
#define MRN_DETECT_LIST_H

#include "detect/detect.h"

/* ---- cell.c ---- */

/* MRN_EXPLODED when a body is nowhere, or so many cells away that they cannot be counted. */
mrn_status mrn_list_check_finite(const mrn_scene *scene, const mrn_state *s, mrn_message *msg);
/* Shortens *skin where the cell has no room for it; fails where it has none for the grains. */
mrn_status mrn_list_fit_cell(const mrn_scene *scene, const mrn_state *s, double range, double *skin,
                             mrn_message *msg);
/* A cell sheared by more than half its length goes back by whole lengths: the same lattice, so that
   no distance changes. Then positions that have left the cell come back into it. */
void mrn_list_wrap(const mrn_scene *scene, mrn_state *s);

/* ---- history.c ---- */

/* The largest gap (m) at which any contact of these grains may still act. */
double mrn_list_range(const mrn_scene *scene, const mrn_state *s);
/* History, forces and contact points of the old list's pairs go to the same pairs of the new one,
   given by persistent numbers and generations. */
void mrn_list_carry(const mrn_scene *scene, const mrn_state *s, const mrn_pairs *old, mrn_pairs *p);

/* ---- build.c ---- */

double mrn_list_max_radius(const mrn_state *s);
/* Of what touches. */
double mrn_list_mean_radius(const mrn_state *s);

#endif
