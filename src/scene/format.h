/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The formats of files as data. The rows of a scene's keys stand beside the scene (model/keys.h),
   those of the lab and of calibrations in schema_*.c; they drive the checker, the JSON schema and
   the reference. Laws and shapes join through their own descriptors, so that a new one changes
   nothing here. */
#ifndef MRN_SCENE_FORMAT_H
#define MRN_SCENE_FORMAT_H

#include "model/keys.h"

#define MRN_KEYS_MAX 64 /* parameters of a mixture of laws, and the keys beside them */

/* The keys of a map in full: those of the table and those that laws and shapes add. */
typedef struct mrn_keys {
    int n;
    mrn_key key[MRN_KEYS_MAX];
    mrn_schema schema[MRN_KEYS_MAX]; /* of the added ones */
    char one_of[8];                  /* groups that need exactly one */
} mrn_keys;

extern const mrn_schema mrn_schema_lab;         /* a file of the lab (schema_lab.c) */
extern const mrn_schema mrn_schema_calibration; /* a calibration (schema_calibration.c) */
/* Grains with corners (schema_forms.c); each list ends with a key without a name. */
extern const mrn_key mrn_keys_polygon[], mrn_keys_polyhedron[];

/* `law` matters to interactions only: NULL gives the keys that do not depend on it. */
void mrn_schema_keys(const mrn_schema *f, const mrn_law_model *law, mrn_keys *out);
mrn_schema mrn_schema_of_param(const mrn_param *p);
/* For a shape whose one required parameter is a list: `box: [[…], […]]` is short for
   `box: {corners: [[…], […]]}`. NULL when it has no such parameter. */
const mrn_param *mrn_shape_main_param(const mrn_shape_type *t);

#endif
