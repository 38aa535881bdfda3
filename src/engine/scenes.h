/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a scene that was filled to one that a method can run: checks, and what prepares it. */
#ifndef MRN_ENGINE_SCENES_H
#define MRN_ENGINE_SCENES_H

#include "moraine/method.h"

/* Everything that can be wrong with a scene before laws are prepared. Changes nothing. */
mrn_status mrn_scene_check(const mrn_scene *s, mrn_message *msg);
/* Its part that concerns drives; walls, groups and stages refer to what exists (check_drives.c). */
mrn_status mrn_scene_check_drives(const mrn_scene *s, mrn_message *msg);
/* Its part that concerns polygons and polyhedra, imposed degrees of freedom and joints
   (check_joints.c). */
mrn_status mrn_scene_check_joints(const mrn_scene *s, mrn_message *msg);
/* The key of a group that names one of the degrees of freedom `which` as imposed: `drive` where one
   of them moves, else `hold` (check_joints.c). */
const char *mrn_group_imposed_key(const mrn_group *g, unsigned which);
/* What a law is to the rigid grains of a method: restitution at each speed where the method asks
   for it, else one number (prepare.c). */
mrn_status mrn_method_rigid(const mrn_method *m, const mrn_interaction *x,
                            const mrn_material_pair *pair, mrn_rigid *out, mrn_message *msg);
/* The part of mrn_scene_prepare after the checks. `pair_of` (n_materials^2 numbers) becomes the
   scene's, or is freed on failure. */
mrn_status mrn_scene_prepare_into(mrn_scene *s, int *pair_of, mrn_message *msg);

#endif
