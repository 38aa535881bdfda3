/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Triangle meshes: making them, the closest point of a triangle, the triangles near a point. */
#include "geom/mesh.h"
#include "base/base.h"
#include "geom/geom.h"

/* A triangle lower than this part of its longest side has no area: its normal would be noise. */
#define FLAT 1e-10

static mrn_vec3 corner(const mrn_mesh *m, int32_t triangle, int k)
{
    return mrn_load3(m->point + 3 * (size_t)m->corner[3 * (size_t)triangle + (size_t)k]);
}

/* Twice the area along the normal; false when the triangle has none. */
static bool area_vector(const mrn_mesh *m, int32_t triangle, mrn_vec3 *twice_area)
{
    const int32_t *p = m->corner + 3 * (size_t)triangle;
    if (p[0] == p[1] || p[1] == p[2] || p[2] == p[0])
        return false;
    mrn_vec3 a = corner(m, triangle, 0), b = corner(m, triangle, 1), c = corner(m, triangle, 2);
    mrn_vec3 ab = mrn_sub(b, a), ac = mrn_sub(c, a), bc = mrn_sub(c, b);
    *twice_area = mrn_cross(ab, ac);
    double longest2 = fmax(mrn_dot(ab, ab), fmax(mrn_dot(ac, ac), mrn_dot(bc, bc)));
    return mrn_norm(*twice_area) > FLAT * longest2;
}

/* Leaves out triangles without area. */
static mrn_status drop_flat(mrn_mesh *m, mrn_message *msg)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < m->n_triangles; i++) {
        mrn_vec3 unused;
        if (!area_vector(m, i, &unused))
            continue;
        for (int k = 0; k < 3; k++)
            m->corner[3 * (size_t)kept + (size_t)k] = m->corner[3 * (size_t)i + (size_t)k];
        kept++;
    }
    m->n_dropped = m->n_triangles - kept;
    m->n_triangles = kept;
    if (kept == 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "none of the %lld triangles of the mesh has an area",
                        (long long)m->n_dropped);
    return MRN_OK;
}

static mrn_status find_normals(mrn_mesh *m, mrn_message *msg)
{
    mrn_status s = mrn_array(&m->normal, 3 * (int64_t)m->n_triangles, sizeof *m->normal, msg);
    for (int32_t i = 0; i < m->n_triangles && s == MRN_OK; i++) {
        mrn_vec3 n;
        area_vector(m, i, &n);
        mrn_store3(m->normal + 3 * (size_t)i, mrn_unit(n));
    }
    return s;
}

mrn_status mrn_mesh_create(const double *soup, int64_t n, mrn_mesh **out, mrn_message *msg)
{
    *out = NULL;
    if (n <= 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "the mesh has no triangles");
    if (n > INT32_MAX / 4)
        return mrn_fail(msg, MRN_ERR_INPUT, "the mesh has %lld triangles, at most %d are possible",
                        (long long)n, INT32_MAX / 4);
    mrn_mesh *m = mrn_alloc(sizeof *m);
    if (m == NULL)
        return mrn_fail_memory(msg);
    mrn_status s = mrn_mesh_merge(m, soup, n, msg);
    if (s == MRN_OK)
        s = drop_flat(m, msg);
    if (s == MRN_OK)
        s = mrn_mesh_tree(m, msg);
    if (s == MRN_OK)
        s = find_normals(m, msg);
    if (s != MRN_OK)
        mrn_mesh_destroy(&m);
    *out = m;
    return s;
}

void mrn_mesh_share(mrn_mesh *m)
{
    atomic_fetch_add(&m->others, 1);
}

void mrn_mesh_destroy(mrn_mesh **mesh)
{
    mrn_mesh *m = *mesh;
    *mesh = NULL;
    if (m == NULL || atomic_fetch_sub(&m->others, 1) > 0)
        return;
    mrn_free(m->point);
    mrn_free(m->corner);
    mrn_free(m->normal);
    mrn_free(m->node);
    mrn_free(m);
}

mrn_mesh_view mrn_mesh_seen(const mrn_mesh *m)
{
    return (mrn_mesh_view){m->point, m->normal, m->corner, m->node, m->n_nodes};
}

double mrn_mesh_closest(const mrn_mesh *m, int32_t triangle, mrn_vec3 c, mrn_vec3 *point,
                        mrn_vec3 *normal)
{
    mrn_mesh_view v = mrn_mesh_seen(m);
    return mrn_mesh_closest_of(&v, triangle, c, point, normal);
}

bool mrn_mesh_is_foot(const mrn_mesh *m, int32_t triangle, mrn_vec3 normal)
{
    mrn_mesh_view v = mrn_mesh_seen(m);
    return mrn_mesh_foot_of(&v, triangle, normal);
}

int mrn_mesh_near(const mrn_mesh *m, mrn_vec3 c, double reach, int32_t *out, int max)
{
    mrn_mesh_view v = mrn_mesh_seen(m);
    return mrn_mesh_near_of(&v, c, reach, out, max);
}

bool mrn_mesh_adjacent(const mrn_mesh *m, int32_t a, int32_t b)
{
    const int32_t *p = m->corner + 3 * (size_t)a, *q = m->corner + 3 * (size_t)b;
    for (int k = 0; k < 9; k++)
        if (p[k / 3] == q[k % 3])
            return true;
    return false;
}
