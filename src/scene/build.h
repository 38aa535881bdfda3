/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a checked node tree to a scene, part by part. */
#ifndef MRN_SCENE_BUILD_H
#define MRN_SCENE_BUILD_H

#include "moraine/method.h"
#include "moraine/scene.h"
#include "scene/check.h"

#define MRN_SCENE_BYTES_MAX ((size_t)64 << 20) /* largest scene file */

/* The periodic cell of the run that bodies come from, moved with them. */
typedef struct mrn_from_cell {
    const mrn_node *at; /* who says so; NULL: no bodies of a periodic run */
    bool periodic[3];
    double origin[3], size[3];
} mrn_from_cell;

typedef struct mrn_reader {
    mrn_check check;
    const mrn_node *root;
    mrn_scene *scene;
    mrn_quat *turn; /* per cluster: from the frame of its template to its own */
    int64_t polytope_capacity, group_capacity;
    mrn_from_cell from;
} mrn_reader;

/* What is known of the forms of a group beside themselves. */
typedef struct mrn_made_polytope {
    mrn_quat turn; /* from the frame in which corners were given to that of the schema */
    bool sized;    /* the corners tell the size: … */
    double radius; /* … m, of the sphere (disk) of equal volume */
    double sieve;  /* with `sieve-size`: sieve size at unit size, mean of all variants */
} mrn_made_polytope;

/* The parts, in the order they must be called. */
mrn_status mrn_build_materials(mrn_reader *r);
mrn_status mrn_build_interactions(mrn_reader *r);
mrn_status mrn_build_clusters(mrn_reader *r);
mrn_status mrn_build_bodies(mrn_reader *r);
mrn_status mrn_build_cell(mrn_reader *r);
mrn_status mrn_build_walls(mrn_reader *r);
mrn_status mrn_build_joints(mrn_reader *r);
mrn_status mrn_build_outlets(mrn_reader *r);
mrn_status mrn_build_stages(mrn_reader *r);

/* What both the scene and its stages have. `out` is empty before. */
mrn_status mrn_build_gravity(mrn_reader *r, const mrn_node *n, mrn_signal out[3]);
mrn_status mrn_build_forces(mrn_reader *r, const mrn_node *list, mrn_body_force **out, int *n);
/* `rate` or `control` of a mapping; the cell itself is built. */
mrn_status mrn_build_control(mrn_reader *r, const mrn_node *n, mrn_cell_control *out);
/* Keys of the choices of methods and of `output:` that have readers of their own: n is the value,
   `options` the struct of the mapping. */
mrn_status mrn_build_rule(mrn_reader *r, const mrn_node *n, void *options);
mrn_status mrn_build_solver(mrn_reader *r, const mrn_node *n, void *options);
mrn_status mrn_build_probes(mrn_reader *r, const mrn_node *n, void *output);
/* All of them that stand in the mapping n (may be NULL) or in those below it. */
mrn_status mrn_build_own_keys(mrn_reader *r, const mrn_schema *map, const mrn_node *n,
                              void *object);
/* `hold` and `drive` of a body group. */
mrn_status mrn_build_held(mrn_reader *r, const mrn_node *n, mrn_group *g);
/* The same of any mapping; `out` is empty before. */
mrn_status mrn_build_imposed(mrn_reader *r, const mrn_node *n, mrn_imposed *out);
/* The groups of another run: `from` of the entry n of `bodies`. */
mrn_status mrn_build_from(mrn_reader *r, const mrn_node *n);
/* Room for one more group, empty. */
mrn_status mrn_build_next_group(mrn_reader *r, mrn_group **out);
/* Index of the shape type in the scene; added when it is new. */
int mrn_build_shape_index(mrn_reader *r, const mrn_shape_type *t);
mrn_status mrn_build_rotation(mrn_reader *r, const mrn_node *n, mrn_quat *out);
/* A material by name. */
mrn_status mrn_build_find_material(mrn_reader *r, const mrn_node *name, int *out);
/* A template of a cluster that is ready, as one more of the scene; `turn` NULL: none. */
mrn_status mrn_build_add_cluster(mrn_reader *r, const mrn_cluster *c, int *out);
/* The forms of a group of polygons or polyhedra. */
mrn_status mrn_build_polytopes(mrn_reader *r, const mrn_node *shape, mrn_group *g,
                               mrn_made_polytope *out);
mrn_status mrn_build_stage_inlets(mrn_reader *r, const mrn_node *n, mrn_stage *st);

/* The parameters of x->model from the keys of n; `keep`: those that stand there only. */
mrn_status mrn_build_law_values(mrn_reader *r, const mrn_node *n, bool keep, mrn_interaction *x);
/* Interactions of a stage; its stages before must be built. */
mrn_status mrn_build_stage_interactions(mrn_reader *r, int stage, const mrn_node *list);
mrn_status mrn_build_motion(mrn_reader *r, const mrn_node *n, mrn_motion *out);
/* Rows of a CSV file as grains of `g`. */
mrn_status mrn_build_csv(mrn_reader *r, const mrn_node *n, mrn_group *g);

/* Index of the material a body or wall names, or of the only one. */
mrn_status mrn_build_material_of(mrn_reader *r, const mrn_node *owner, int *out);
/* The `name` of a list item, or a made one "stem-k"; unique in its list. */
mrn_status mrn_build_name(mrn_reader *r, const mrn_node *list, const mrn_node *item,
                          const char *stem, char out[MRN_NAME]);
/* The region of a mapping that has one. */
mrn_status mrn_build_region(mrn_reader *r, const mrn_node *n, mrn_region *out);
/* A body group by name; -1 for `all` and for no name. */
mrn_status mrn_build_find_group(mrn_reader *r, const mrn_node *name, int *out);
/* A cluster by name: a template of the scene, or a ready-made one, which is added then. */
mrn_status mrn_build_find_cluster(mrn_reader *r, const mrn_node *of, int *out);
/* A wall by name. */
mrn_status mrn_build_find_wall(mrn_reader *r, const mrn_node *name, int *out);
/* One parameter of a law or shape; n NULL: the default. */
mrn_status mrn_build_value(mrn_reader *r, const mrn_param *p, const mrn_node *n, mrn_value *out);

/* Up to `limit` bytes of a file, with a final zero; freed by mrn_free. */
mrn_status mrn_file_load(const char *path, size_t limit, char **text, size_t *n, mrn_message *msg);

#endif
