/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this room share. */
#ifndef MRN_MODEL_MODEL_H
#define MRN_MODEL_MODEL_H

#include "moraine/scene.h"
#include "moraine/state.h"

/* The shape of the group is that of clusters. */
bool mrn_group_is_cluster(const mrn_scene *s, const mrn_group *g);
/* Its grains are polygons or polyhedra. */
bool mrn_group_has_corners(const mrn_scene *s, const mrn_group *g);

/* A signal that has a value at all times (signal.c). */
bool mrn_signal_is_sound(const mrn_signal *x);

/* Lists of body forces (drives.c). */
void mrn_forces_release(mrn_body_force *list, int n);
mrn_status mrn_forces_copy(const mrn_body_force *from, int n, mrn_body_force **to,
                           mrn_message *msg);

/* As mrn_bodies_permute; arrays that are to be filled anew stay as they are (NULL behind the last).
 */
mrn_status mrn_bodies_permute_but(mrn_state *s, const int32_t *perm, const void *const *left,
                                  mrn_message *msg);

#endif
