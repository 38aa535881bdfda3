/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a scene must share with the checkpoint it goes on from, part by part, each as a number. */
#ifndef MRN_SCENE_FINGERPRINT_H
#define MRN_SCENE_FINGERPRINT_H

#include "moraine/scene.h"

typedef struct mrn_fingerprint_part {
    const char *name;  /* in the file                                        */
    const char *words; /* for a person: "the scene has other MATERIALS"      */
    /* `entered`: how many stages have begun. The value is the same before and after they are
       entered, and does not depend on later ones, which a user may add or change. */
    uint64_t (*value)(const mrn_scene *s, int entered);
} mrn_fingerprint_part;
int mrn_fingerprint_count(void);
const mrn_fingerprint_part *mrn_fingerprint_at(int i);

#endif
