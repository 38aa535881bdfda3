/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ball: the inside of a sphere, with all that is outside it solid, or a solid
   ball. Body frame: origin at the centre. p: radius. One feature.

   From within, the distance R - |x| is a concave function: a polyhedron touches
   with its corners. From outside a ball of the wall meets it as a grain that is
   a ball would. */
#include "geom/geom.h"
#include "geom/narrow_wall.h"

enum { CENTRE, RADIUS, INSIDE };

static const mrn_param params[] = {
    [CENTRE] = {"centre", "", MRN_P_VECTOR, "m", -INFINITY, INFINITY, false, true, NAN, NULL,
                "Centre of the sphere."},
    [RADIUS] = {"radius", "R", MRN_P_NUMBER, "m", 0, INFINITY, true, true, NAN, NULL,
                "Radius of the sphere."},
    [INSIDE] = {"inside", "", MRN_P_FLAG, "1", 0, 1, false, false, 1, NULL,
                "true: the grains are inside (mill, cell). false: the wall is "
                "a solid ball."},
};

static mrn_status build(const mrn_value *value, int dimension, mrn_shape *out, mrn_vec3 *x,
                        mrn_quat *q, mrn_message *msg)
{
    *out = (mrn_shape){.type = &mrn_wall_ball, .dimension = dimension};
    out->inside = value[INSIDE].given ? value[INSIDE].flag : true;
    *q = mrn_quat_identity();
    if (dimension != 3)
        return mrn_fail_value(msg, &value[CENTRE],
                              "a ball is for 3D scenes; in 2D a cylinder is a circle");
    mrn_status st = mrn_read_length(&value[RADIUS], "radius", false, &out->p[0], msg);
    return st == MRN_OK ? mrn_read_point(&value[CENTRE], "centre", dimension, x, msg) : st;
}

static double closest(const mrn_shape *s, int32_t feature, mrn_vec3 c, mrn_vec3 *point,
                      mrn_vec3 *normal)
{
    (void)feature;
    return mrn_ball_closest(s->p, s->inside, c, point, normal);
}

static int features(const mrn_shape *s, mrn_vec3 c, double reach, int32_t *out, int max)
{
    return mrn_features_scan(s, 1, c, reach, out, max);
}

static void bounds(const mrn_shape *s, mrn_vec3 *lo, mrn_vec3 *hi)
{
    *hi = mrn_v3(s->p[0], s->p[0], s->p[0]);
    *lo = mrn_scale(-1, *hi);
}

static void contact_points(const mrn_shape *s, int32_t feature, const mrn_posed *c,
                           mrn_point_list *out)
{
    if (s->inside)
        mrn_narrow_hollow(s, feature, c, out);
    else
        mrn_narrow_solid_ball(c, mrn_v3(0, 0, 0), s->p[0], out);
}

static double curvature(const mrn_shape *s, mrn_vec3 point, mrn_vec3 normal)
{
    (void)point, (void)normal;
    return (s->inside ? -1 : 1) / s->p[0];
}

static mrn_status triangles(const mrn_shape *s, double extent, double depth, mrn_triangles *out)
{
    (void)extent, (void)depth;
    enum { RINGS = MRN_SEGMENTS / 2 + 1 };
    double profile[RINGS][2];
    for (int i = 0; i < RINGS; i++) {
        double angle = MRN_PI * i / (RINGS - 1);
        profile[i][0] = i == 0 || i == RINGS - 1 ? 0 : s->p[0] * sin(angle);
        profile[i][1] = -s->p[0] * cos(angle);
    }
    return mrn_triangles_revolve(out, (const double(*)[2])profile, RINGS);
}

static bool rimless(const mrn_shape *s, int32_t feature, mrn_rimless *out)
{
    (void)feature;
    *out = (mrn_rimless){
        .kind = MRN_RIMLESS_BALL, .direction = {0, 0, 1}, .radius = s->p[0], .hollow = s->inside};
    return true;
}

const mrn_shape_type mrn_wall_ball = {
    .name = "ball",
    .summary = "the inside of a sphere around the grains, or a solid ball",
    .doc = "As a container grains stay within `radius` of `centre`, and "
           "everything outside is "
           "solid. With `inside: false` it is a solid ball among the grains.",
    .in_3d = true,
    .params = params,
    .n_params = MRN_COUNT(params),
    .build = build,
    .features = features,
    .closest = closest,
    .bounds = bounds,
    .triangles = triangles,
    .contact_points = contact_points,
    .curvature = curvature,
    .rimless = rimless,
};
