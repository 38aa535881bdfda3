/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this room share. */
#ifndef MRN_MODEL_MODEL_H
#define MRN_MODEL_MODEL_H

#include "moraine/scene.h"

/* Everything that can be wrong with a scene before laws are prepared. Changes nothing. */
mrn_status mrn_scene_check(const mrn_scene *s, mrn_message *msg);
/* The part of mrn_scene_prepare after the checks. `pair_of` (n_materials^2 numbers) becomes the
   scene's, or is freed on failure. */
mrn_status mrn_scene_prepare_into(mrn_scene *s, int *pair_of, mrn_message *msg);

#endif
