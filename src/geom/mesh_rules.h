/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closest points of the triangles of a mesh, and the walk through its tree: functions of arrays of
   numbers, which mesh.c and other devices compile. */
#ifndef MRN_GEOM_MESH_RULES_H
#define MRN_GEOM_MESH_RULES_H

#include "geom/closest.h"

/* A box of the tree, one cache line. Nodes lie in the order of a walk that goes down first; a walk
   that does not enter a node goes on at `skip`. */
typedef struct mrn_mesh_node {
    double lo[3], hi[3];
    int32_t first, count; /* triangles of a leaf; count 0: inner node, its children follow */
    int32_t skip;
} mrn_mesh_node;

/* The arrays of a mesh (geom/mesh.h), wherever they stand. */
typedef struct mrn_mesh_view {
    const double *point, *normal;
    const int32_t *corner;
    const mrn_mesh_node *node;
    int32_t n_nodes;
} mrn_mesh_view;

MRN_INLINE mrn_vec3 mrn_mesh_point(const mrn_mesh_view *m, int32_t p)
{
    return mrn_load3(m->point + 3 * (size_t)p);
}

/* Closest point of the edge between two points. The ends are taken in the order of their numbers,
   so that both triangles at an edge find the same point to the last bit. */
MRN_INLINE mrn_vec3 mrn_mesh_on_edge(const mrn_mesh_view *m, int32_t p, int32_t q, mrn_vec3 c)
{
    mrn_vec3 a = mrn_mesh_point(m, p < q ? p : q), b = mrn_mesh_point(m, p < q ? q : p);
    mrn_vec3 ab = mrn_sub(b, a);
    double t = mrn_dot(mrn_sub(c, a), ab) / mrn_dot(ab, ab);
    return t <= 0 ? a : t >= 1 ? b : mrn_axpy(t, ab, a);
}

/* Closest point of a triangle, unit normal towards c (the triangle's own when c lies on it),
   distance >= 0. */
MRN_INLINE double mrn_mesh_closest_of(const mrn_mesh_view *m, int32_t triangle, mrn_vec3 c,
                                      mrn_vec3 *point, mrn_vec3 *normal)
{
    const int32_t *p = m->corner + 3 * (size_t)triangle;
    mrn_vec3 n = mrn_load3(m->normal + 3 * (size_t)triangle);
    double least2 = INFINITY;
    *point = c;
    /* seen along the normal, the closest point is on an edge that has c on its outer side, if there
     * is one */
    for (int k = 0; k < 3; k++) {
        mrn_vec3 a = mrn_mesh_point(m, p[k]), b = mrn_mesh_point(m, p[(k + 1) % 3]);
        mrn_vec3 inwards = mrn_cross(n, mrn_sub(b, a));
        if (mrn_dot(inwards, mrn_sub(c, a)) >= 0)
            continue;
        mrn_vec3 e = mrn_mesh_on_edge(m, p[k], p[(k + 1) % 3], c), d = mrn_sub(c, e);
        double d2 = mrn_dot(d, d);
        if (d2 < least2) {
            least2 = d2;
            *point = e;
        }
    }
    if (least2 < INFINITY)
        return mrn_shell_normal(c, *point, n, normal);
    double d = mrn_dot(n, mrn_sub(c, mrn_mesh_point(m, p[0])));
    *point = mrn_axpy(-d, n, c);
    *normal = d < 0 ? mrn_scale(-1, n) : n;
    return fabs(d);
}

/* Whether a closest point with this normal lies inside its triangle, not on its rim. */
MRN_INLINE bool mrn_mesh_foot_of(const mrn_mesh_view *m, int32_t triangle, mrn_vec3 normal)
{
    mrn_vec3 n = mrn_load3(m->normal + 3 * (size_t)triangle);
    return fabs(mrn_dot(n, normal)) >= 1 - 1e-12; /* within 1.4e-6 of the right angle */
}

MRN_INLINE double mrn_mesh_box_distance2(const mrn_mesh_node *b, const double *c)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double d = fmax(fmax(b->lo[k] - c[k], c[k] - b->hi[k]), 0.0);
        sum += d * d;
    }
    return sum;
}

/* Triangles within `reach` of c, ascending; writes at most `max`, returns how many there are. */
MRN_INLINE int mrn_mesh_near_of(const mrn_mesh_view *m, mrn_vec3 c, double reach, int32_t *out,
                                int max)
{
    const double x[3] = {c.x, c.y, c.z};
    double limit = reach * reach * (1 + 1e-9); /* a box must not lose by rounding what its triangles
                                                  hold */
    int found = 0;
    for (int32_t i = 0; i < m->n_nodes;) {
        const mrn_mesh_node *node = &m->node[i];
        if (!(mrn_mesh_box_distance2(node, x) <= limit)) {
            i = node->skip;
            continue;
        }
        for (int32_t k = node->first; k < node->first + node->count; k++) {
            mrn_vec3 point, normal;
            if (mrn_mesh_closest_of(m, k, c, &point, &normal) > reach)
                continue;
            if (found < max)
                out[found] = k;
            found++;
        }
        i++;
    }
    return found;
}

#endif
