/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mesh: a wall of triangles from an STL file, thin and solid from both sides. Body frame: the
   coordinates of the file times `scale`; the body's centre is the file's origin, moved by
   `translate`. One feature per triangle. */
#include <string.h>

#include "geom/geom.h"
#include "geom/mesh.h"
#include "geom/narrow_wall.h"
#include "geom/stl.h"

enum { FILE_PATH, SCALE, TRANSLATE };

static const mrn_param params[] = {
    [FILE_PATH] = {"file", "", MRN_P_FILE, "1", 0, 0, false, true, NAN, NULL,
                   "STL file, ASCII or binary. Its normals are not used: both sides are solid."},
    [SCALE] = {"scale", "", MRN_P_NUMBER, "1", 0, INFINITY, true, false, 1, NULL,
               "Metres per unit of the file: 0.001 for a file in millimetres."},
    [TRANSLATE] = {"translate", "", MRN_P_VECTOR, "m", -INFINITY, INFINITY, false, false, 0, NULL,
                   "Where the origin of the file goes. This point is the wall's centre, about "
                   "which it turns."},
};

/* Puts the scene's place where the file itself has none (it cannot be opened), else tells it in a
 * hint. */
static mrn_status fail_file(const mrn_value *file, mrn_status st, mrn_message *msg)
{
    if (st == MRN_ERR_MEMORY)
        return st;
    if (st == MRN_ERR_IO) { /* a path that leads nowhere is the scene's mistake */
        st = MRN_ERR_INPUT;
        if (msg != NULL)
            msg->status = st;
        mrn_fail_at(msg, "", file->line, file->column);
    } else if (msg != NULL && msg->hint[0] == '\0' && file->line > 0) {
        mrn_fail_hint(msg, "the scene names this file at line %d, column %d", file->line,
                      file->column);
    }
    return st;
}

static mrn_status load(const mrn_value *file, double scale, mrn_mesh **mesh, mrn_message *msg)
{
    double *soup = NULL;
    int64_t n = 0;
    mrn_status st = mrn_stl_read(file->text, &soup, &n, msg);
    if (st == MRN_OK) {
        for (int64_t i = 0; i < 9 * n; i++)
            soup[i] *= scale;
        st = mrn_mesh_create(soup, n, mesh, msg);
        if (st == MRN_ERR_INPUT)
            mrn_fail_at(msg, file->text, 0, 0);
    }
    mrn_free(soup);
    return st != MRN_OK ? fail_file(file, st, msg) : MRN_OK;
}

static mrn_status build(const mrn_value *value, int dimension, mrn_shape *out, mrn_vec3 *x,
                        mrn_quat *q, mrn_message *msg)
{
    *out = (mrn_shape){.type = &mrn_wall_mesh, .dimension = dimension};
    *q = mrn_quat_identity();
    *x = mrn_v3(0, 0, 0);
    if (dimension != 3)
        return mrn_fail_value(msg, &value[FILE_PATH],
                              "a mesh is for 3D scenes; in 2D use planes with a length");
    double scale = value[SCALE].given ? value[SCALE].number : 1;
    if (!(scale > 0) || isinf(scale))
        return mrn_fail_value(msg, &value[SCALE], "`scale` is %g, it must be above zero", scale);
    mrn_status st = MRN_OK;
    if (value[TRANSLATE].given)
        st = mrn_read_point(&value[TRANSLATE], "translate", 3, x, msg);
    if (st == MRN_OK)
        st = load(&value[FILE_PATH], scale, &out->mesh, msg);
    return st;
}

static void release(mrn_shape *s)
{
    mrn_mesh_destroy(&s->mesh);
}

static void share(mrn_shape *s)
{
    mrn_mesh_share(s->mesh);
}

static int features(const mrn_shape *s, mrn_vec3 c, double reach, int32_t *out, int max)
{
    return mrn_mesh_near(s->mesh, c, reach, out, max);
}

static double closest(const mrn_shape *s, int32_t feature, mrn_vec3 c, mrn_vec3 *point,
                      mrn_vec3 *normal)
{
    return mrn_mesh_closest(s->mesh, feature, c, point, normal);
}

static void bounds(const mrn_shape *s, mrn_vec3 *lo, mrn_vec3 *hi)
{
    *lo = mrn_load3(s->mesh->node[0].lo);
    *hi = mrn_load3(s->mesh->node[0].hi);
}

static mrn_status triangles(const mrn_shape *s, double extent, double depth, mrn_triangles *out)
{
    (void)extent, (void)depth;
    const mrn_mesh *m = s->mesh;
    mrn_status st = mrn_triangles_begin(out, m->n_points, m->n_triangles);
    if (st != MRN_OK)
        return st;
    memcpy(out->point, m->point, 3 * sizeof *m->point * (size_t)m->n_points);
    memcpy(out->corner, m->corner, 3 * sizeof *m->corner * (size_t)m->n_triangles);
    out->n_points = m->n_points;
    out->n_triangles = m->n_triangles;
    return MRN_OK;
}

static bool is_foot(const mrn_shape *s, int32_t feature, mrn_vec3 normal)
{
    return mrn_mesh_is_foot(s->mesh, feature, normal);
}

static bool surface(const mrn_shape *s, int32_t feature, mrn_surface *out)
{
    const mrn_mesh *m = s->mesh;
    out->kind = MRN_SURFACE_PIECE;
    out->flat = (mrn_flat){.dimension = s->dimension, .n = 3, .mesh = m, .triangle = feature};
    out->flat.normal = mrn_load3(m->normal + 3 * (size_t)feature);
    for (int k = 0; k < 3; k++)
        out->flat.p[k] =
            mrn_load3(m->point + 3 * (size_t)m->corner[3 * (size_t)feature + (size_t)k]);
    return true;
}

const mrn_shape_type mrn_wall_mesh = {
    .name = "mesh",
    .summary = "a wall of triangles from an STL file",
    .doc =
        "Any surface from an STL file, thin and solid from both sides; it need not be closed. "
        "Points that are "
        "one but for rounding (1e-6 of the mesh's size) are joined and triangles without area are "
        "left out. A grain that rolls over edges of a flat or convex part has one contact "
        "throughout; in "
        "grooves and corners it has one with each side.",
    .in_3d = true,
    .params = params,
    .n_params = MRN_COUNT(params),
    .build = build,
    .release = release,
    .share = share,
    .features = features,
    .closest = closest,
    .bounds = bounds,
    .triangles = triangles,
    .is_foot = is_foot,
    .surface = surface,
};
