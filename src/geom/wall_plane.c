/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plane: an infinite half-space, or a thin finite plate. Body frame: the normal is local +z, the
   centre is the origin; a plate extends along local x (length) and y (width). p: half length, half
   width. */
#include "geom/geom.h"
#include "geom/narrow_wall.h"

enum { POINT, NORMAL, LENGTH, WIDTH, ALONG };

static const mrn_param params[] = {
    [POINT] = {"point", "", MRN_P_VECTOR, "m", -INFINITY, INFINITY, false, true, NAN, NULL,
               "A point of the plane; the centre of a plate."},
    [NORMAL] =
        {"normal", "n", MRN_P_VECTOR, "1", -INFINITY, INFINITY, false, true, NAN, NULL,
         "Direction from the wall to the grains, of any length. Grains below an infinite plane are "
         "pushed out along it."},
    [LENGTH] =
        {"length", "", MRN_P_NUMBER, "m", 0, INFINITY, true, false, NAN, NULL,
         "Makes the plane a thin plate of this length, solid from both sides. Default: infinite."},
    [WIDTH] = {"width", "", MRN_P_NUMBER, "m", 0, INFINITY, true, false, NAN, NULL,
               "Width of the plate, at right angles to its length (3D only). Default: the length."},
    [ALONG] = {"along", "", MRN_P_VECTOR, "1", -INFINITY, INFINITY, false, false, NAN, NULL,
               "Direction of the plate's length (3D only); its part along the normal is dropped. "
               "Default: the x axis, or the y axis for a normal along x."},
};

static bool is_plate(const mrn_shape *s)
{
    return isfinite(s->p[0]);
}

static mrn_status read_size(const mrn_value *value, int dimension, mrn_shape *out, mrn_message *msg)
{
    out->p[0] = out->p[1] = INFINITY;
    for (int k = WIDTH; k <= ALONG; k++)
        if (value[k].given && (dimension == 2 || !value[LENGTH].given))
            return mrn_fail_value(msg, &value[k], "`%s` is for plates in 3D: %s", params[k].name,
                                  dimension == 2 ? "this scene is 2D" : "`length` is missing");
    if (!value[LENGTH].given)
        return MRN_OK;
    mrn_status st = mrn_read_length(&value[LENGTH], "length", false, &out->p[0], msg);
    if (st == MRN_OK && dimension == 3)
        st = mrn_read_length(&value[value[WIDTH].given ? WIDTH : LENGTH], "width", false,
                             &out->p[1], msg);
    out->p[0] *= 0.5;
    out->p[1] *= 0.5;
    return st;
}

/* The local x axis: in 2D the tangent in the plane, so that local y is the world's -z. */
static mrn_status tangent(const mrn_value *value, int dimension, mrn_vec3 n, mrn_vec3 *t,
                          mrn_message *msg)
{
    *t = dimension == 2 ? mrn_v3(n.y, -n.x, 0) : mrn_across(n);
    if (!value[ALONG].given)
        return MRN_OK;
    mrn_vec3 along = {0};
    mrn_status st = mrn_read_direction(&value[ALONG], "along", dimension, &along, msg);
    if (st != MRN_OK)
        return st;
    mrn_vec3 in_plane = mrn_axpy(-mrn_dot(along, n), n, along);
    if (mrn_norm(in_plane) < 1e-6)
        return mrn_fail_value(msg, &value[ALONG], "`along` is parallel to the normal");
    *t = mrn_unit(in_plane);
    return MRN_OK;
}

static mrn_status build(const mrn_value *value, int dimension, mrn_shape *out, mrn_vec3 *x,
                        mrn_quat *q, mrn_message *msg)
{
    mrn_vec3 n = {0}, t = {0};
    *out = (mrn_shape){.type = &mrn_wall_plane, .dimension = dimension};
    mrn_status st = mrn_read_point(&value[POINT], "point", dimension, x, msg);
    if (st == MRN_OK)
        st = mrn_read_direction(&value[NORMAL], "normal", dimension, &n, msg);
    if (st == MRN_OK)
        st = read_size(value, dimension, out, msg);
    if (st == MRN_OK)
        st = tangent(value, dimension, n, &t, msg);
    if (st == MRN_OK)
        *q = mrn_quat_from_axes(t, n);
    return st;
}

static double closest(const mrn_shape *s, int32_t feature, mrn_vec3 c, mrn_vec3 *point,
                      mrn_vec3 *normal)
{
    (void)feature;
    return mrn_plane_closest(s->p, c, point, normal);
}

static int features(const mrn_shape *s, mrn_vec3 c, double reach, int32_t *out, int max)
{
    return mrn_features_scan(s, 1, c, reach, out, max);
}

static void bounds(const mrn_shape *s, mrn_vec3 *lo, mrn_vec3 *hi)
{
    /* a half-space acts at any depth below its face */
    *lo = mrn_v3(-s->p[0], -s->p[1], is_plate(s) ? 0 : -INFINITY);
    *hi = mrn_v3(s->p[0], s->p[1], 0);
}

static mrn_status triangles(const mrn_shape *s, double extent, double depth, mrn_triangles *out)
{
    mrn_status st = mrn_triangles_begin(out, 4, 2);
    if (st != MRN_OK)
        return st;
    double a = is_plate(s) ? s->p[0] : extent;
    double b = s->dimension == 2 ? depth : is_plate(s) ? s->p[1] : extent;
    mrn_triangles_quad(out, mrn_v3(-a, -b, 0), mrn_v3(a, -b, 0), mrn_v3(a, b, 0), mrn_v3(-a, b, 0));
    return MRN_OK;
}

static bool surface(const mrn_shape *s, int32_t feature, mrn_surface *out)
{
    (void)feature;
    mrn_vec3 normal = mrn_v3(0, 0, 1);
    if (!is_plate(s)) {
        out->kind = MRN_SURFACE_PLANE;
        out->at = mrn_v3(0, 0, 0);
        out->normal = normal;
        return true;
    }
    double a = s->p[0], b = s->p[1];
    mrn_flat *f = &out->flat;
    out->kind = MRN_SURFACE_PIECE;
    *f = (mrn_flat){.dimension = s->dimension, .n = s->dimension == 2 ? 2 : 4, .normal = normal};
    for (int k = 0; k < f->n; k++)
        f->p[k] = mrn_v3(k == 1 || k == 2 ? a : -a, f->n == 2 ? 0 : k >= 2 ? b : -b, 0);
    return true;
}

static bool rimless(const mrn_shape *s, int32_t feature, mrn_rimless *out)
{
    (void)feature;
    *out = (mrn_rimless){.kind = MRN_RIMLESS_PLANE, .direction = {0, 0, 1}};
    return !is_plate(s);
}

const mrn_shape_type mrn_wall_plane = {
    .name = "plane",
    .summary = "an infinite plane, or a thin plate with `length`",
    .doc =
        "Without `length` the wall is the whole half-space behind the plane: grains stay on the "
        "side the "
        "normal points to. With `length` it is a thin plate that grains meet from both sides and "
        "at its edges. In 2D the normal lies in the plane of the scene and a plate is a line.",
    .in_2d = true,
    .in_3d = true,
    .plane = true,
    .params = params,
    .n_params = MRN_COUNT(params),
    .build = build,
    .features = features,
    .closest = closest,
    .bounds = bounds,
    .triangles = triangles,
    .surface = surface,
    .rimless = rimless,
};
