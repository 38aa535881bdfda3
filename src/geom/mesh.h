/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of triangles with a tree of boxes to find those near a point. Triangles are numbered in the
   order of the tree's leaves, so that a search meets them in ascending order. Constant once made.
 */
#ifndef MRN_GEOM_MESH_H
#define MRN_GEOM_MESH_H

#include <stdatomic.h>

#include "geom/mesh_rules.h"
#include "moraine/shape.h"

struct mrn_mesh {
    int32_t n_points, n_triangles, n_nodes;
    double *point;   /* 3 per point; equal points are one              */
    int32_t *corner; /* 3 per triangle                                 */
    double *normal;  /* 3 per triangle, unit, right-hand rule          */
    mrn_mesh_node *node;
    int64_t n_dropped; /* triangles without area that were left out      */
    atomic_int others; /* owners besides the first: copies of a scene share it */
};

/* From n triangles of 9 coordinates each. Points closer than 1e-6 of the mesh's diagonal become
   one; triangles without area are dropped and counted. Fails when nothing is left or a coordinate
   is beyond all bounds. */
mrn_status mrn_mesh_create(const double *soup, int64_t n, mrn_mesh **out, mrn_message *msg);
/* One more owner; each calls mrn_mesh_destroy, the last one frees it. From any thread. */
void mrn_mesh_share(mrn_mesh *m);
void mrn_mesh_destroy(mrn_mesh **m);
mrn_mesh_view mrn_mesh_seen(const mrn_mesh *m);
/* As mrn_mesh_closest_of, mrn_mesh_foot_of and mrn_mesh_near_of (mesh_rules.h). */
double mrn_mesh_closest(const mrn_mesh *m, int32_t triangle, mrn_vec3 c, mrn_vec3 *point,
                        mrn_vec3 *normal);
bool mrn_mesh_is_foot(const mrn_mesh *m, int32_t triangle, mrn_vec3 normal);
int mrn_mesh_near(const mrn_mesh *m, mrn_vec3 c, double reach, int32_t *out, int max);
/* Whether two triangles share an edge or a corner (a triangle does with itself). */
bool mrn_mesh_adjacent(const mrn_mesh *m, int32_t a, int32_t b);

/* ---- mesh_tree.c: used by mrn_mesh_create ---- */

/* Builds the tree over m->corner and reorders it. */
mrn_status mrn_mesh_tree(mrn_mesh *m, mrn_message *msg);

/* ---- mesh_merge.c: used by mrn_mesh_create ---- */

/* Makes m->point and m->corner (n_triangles of the soup, degenerate ones included) from a soup. */
mrn_status mrn_mesh_merge(mrn_mesh *m, const double *soup, int64_t n, mrn_message *msg);

#endif
