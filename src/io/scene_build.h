/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a checked node tree to a scene, part by part. */
#ifndef MRN_IO_SCENE_BUILD_H
#define MRN_IO_SCENE_BUILD_H

#include "io/scene_check.h"
#include "moraine/scene.h"

#define MRN_SCENE_BYTES_MAX ((size_t)64 << 20) /* largest scene file */

typedef struct mrn_reader {
    mrn_check check;
    const mrn_node *root;
    mrn_scene *scene;
} mrn_reader;

/* The parts, in the order they must be called. */
mrn_status mrn_build_materials(mrn_reader *r);
mrn_status mrn_build_interactions(mrn_reader *r);
mrn_status mrn_build_bodies(mrn_reader *r);
mrn_status mrn_build_walls(mrn_reader *r);
mrn_status mrn_build_cell(mrn_reader *r);
mrn_status mrn_build_output(mrn_reader *r, const mrn_node *n, mrn_output *out);
mrn_status mrn_build_stages(mrn_reader *r);

/* Interactions of a stage; its stages before must be built. */
mrn_status mrn_build_stage_interactions(mrn_reader *r, int stage, const mrn_node *list);
mrn_status mrn_build_motion(mrn_reader *r, const mrn_node *n, mrn_motion *out);
mrn_status mrn_build_time_step(mrn_reader *r, const mrn_node *n, double *step, double *fraction);
/* Rows of a CSV file as grains of `g`. */
mrn_status mrn_build_csv(mrn_reader *r, const mrn_node *n, mrn_group *g);

/* Index of the material a body or wall names, or of the only one. */
mrn_status mrn_build_material_of(mrn_reader *r, const mrn_node *owner, int *out);
/* The `name` of a list item, or a made one "stem-k"; unique in its list. */
mrn_status mrn_build_name(mrn_reader *r, const mrn_node *item, const char *stem,
                          char out[MRN_NAME]);
/* A wall by name. */
mrn_status mrn_build_find_wall(mrn_reader *r, const mrn_node *name, int *out);
/* One parameter of a law or shape; n NULL: the default. */
mrn_status mrn_build_value(mrn_reader *r, const mrn_param *p, const mrn_node *n, mrn_value *out);
/* A path as the scene's folder sees it. */
mrn_status mrn_build_path(mrn_reader *r, const mrn_node *n, char *out, size_t size);

/* Up to `limit` bytes of a file, with a final zero; freed by mrn_free. */
mrn_status mrn_file_load(const char *path, size_t limit, char **text, size_t *n, mrn_message *msg);

#endif
