/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this room share. */
#ifndef MRN_MODEL_MODEL_H
#define MRN_MODEL_MODEL_H

#include "moraine/scene.h"

/* Everything that can be wrong with a scene before laws are prepared. Changes nothing. */
mrn_status mrn_scene_check(const mrn_scene *s, mrn_message *msg);
/* Its part that concerns drives; walls, groups and stages refer to what exists (check_drives.c). */
mrn_status mrn_scene_check_drives(const mrn_scene *s, mrn_message *msg);
/* Its part that concerns the non-smooth engine: what it needs, what it cannot do, and what only it
   can do (check_nonsmooth.c). */
mrn_status mrn_scene_check_nonsmooth(const mrn_scene *s, mrn_message *msg);
/* After the laws are prepared: whether its solver can solve contacts of this kind. */
mrn_status mrn_scene_check_kind(const mrn_scene *s, mrn_message *msg);
/* The part of mrn_scene_prepare after the checks. `pair_of` (n_materials^2 numbers) becomes the
   scene's, or is freed on failure. */
mrn_status mrn_scene_prepare_into(mrn_scene *s, int *pair_of, mrn_message *msg);

/* The shape of the group is that of clusters. */
bool mrn_group_is_cluster(const mrn_scene *s, const mrn_group *g);
/* Its grains are polygons or polyhedra. */
bool mrn_group_has_corners(const mrn_scene *s, const mrn_group *g);
/* The method takes grains as rigid. */
bool mrn_method_is_rigid(const mrn_scene *s);

/* A signal that has a value at all times (check_drives.c). */
bool mrn_signal_is_sound(const mrn_signal *x);

/* Lists of body forces (drives.c). */
void mrn_forces_release(mrn_body_force *list, int n);
mrn_status mrn_forces_copy(const mrn_body_force *from, int n, mrn_body_force **to,
                           mrn_message *msg);

#endif
