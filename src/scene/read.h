/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a scene with units that are loaded already: for many scenes in a row. */
#ifndef MRN_SCENE_READ_H
#define MRN_SCENE_READ_H

#include "moraine/scene.h"
#include "scene/units.h"

typedef struct mrn_scene_text {
    const char *text; /* n bytes and a final zero                  */
    size_t n;
    const char *name; /* in messages, and the folder of other files */
    const char *path; /* becomes scene->path; may be NULL          */
    const char *const *set;
    int n_set;
} mrn_scene_text;

mrn_status mrn_scene_read_bytes(const mrn_scene_text *in, mrn_units *units, mrn_scene *scene,
                                mrn_message *msg);

#endif
