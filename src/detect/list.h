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

/* The same for grains of at most radius r. */
mrn_status mrn_list_fit_radius(const mrn_scene *scene, const mrn_state *s, double r, double range,
                               double *skin, mrn_message *msg);

/* ---- history.c ---- */

/* The largest gap (m) at which any contact of these grains may still act. */
double mrn_list_range(const mrn_scene *scene, const mrn_state *s);
/* History, forces and contact points of the state's network go to the slots `c` of the same pairs
   in the new list `p`: given by persistent numbers and generations where it follows the state's
   list, by persistent numbers alone where it came from a file (then one that is not in the list is
   an error). */
mrn_status mrn_list_carry(const mrn_scene *scene, const mrn_state *s, const mrn_pairs *p,
                          mrn_contacts *c, mrn_message *msg);
/* Contact points on walls of a network that came from a file, as the last step saw them; when list
   and slots are the state's. */
void mrn_list_place_points(const mrn_scene *scene, mrn_state *s);

/* ---- build.c ---- */

/* The skin of the next list, from how long this one has lasted; `base`: mrn_pairs_default_skin. */
double mrn_list_next_skin(const mrn_state *s, double base);
/* Room for a list of so many pairs of grains and features of walls that is made elsewhere, and for
   its slots, in place of the state's; skin and what else is noted of a list stay. */
mrn_status mrn_list_room(const mrn_scene *scene, mrn_state *s, int64_t n_grain, int64_t n_wall,
                         mrn_message *msg);

double mrn_list_max_radius(const mrn_state *s);
/* Of what touches. */
double mrn_list_mean_radius(const mrn_state *s);

#endif
