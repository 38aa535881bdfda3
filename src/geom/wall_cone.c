/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cone: the thin shell of a truncated cone, open at both ends (hopper, funnel, tube). Body frame:
   axis along local z from `from` to `to`, origin in the middle of the axis. p: radius at `from`,
   radius at `to`, half length. */
#include "geom/geom.h"
#include "geom/narrow_wall.h"

enum { FROM, FROM_RADIUS, TO, TO_RADIUS };

static const mrn_param params[] = {
    [FROM] = {"from", "", MRN_P_VECTOR, "m", -INFINITY, INFINITY, false, true, NAN, NULL,
              "One end of the axis."},
    [FROM_RADIUS] = {"from-radius", "", MRN_P_NUMBER, "m", 0, INFINITY, false, true, NAN, NULL,
                     "Radius at `from`; 0 for a pointed cone."},
    [TO] = {"to", "", MRN_P_VECTOR, "m", -INFINITY, INFINITY, false, true, NAN, NULL,
            "The other end of the axis."},
    [TO_RADIUS] = {"to-radius", "", MRN_P_NUMBER, "m", 0, INFINITY, false, true, NAN, NULL,
                   "Radius at `to`; 0 for a pointed cone."},
};

static mrn_status build(const mrn_value *value, int dimension, mrn_shape *out, mrn_vec3 *x,
                        mrn_quat *q, mrn_message *msg)
{
    *out = (mrn_shape){.type = &mrn_wall_cone, .dimension = dimension};
    if (dimension != 3)
        return mrn_fail_value(msg, &value[FROM], "a cone is for 3D scenes; in 2D use two planes");
    mrn_status st = mrn_read_length(&value[FROM_RADIUS], "from-radius", true, &out->p[0], msg);
    if (st == MRN_OK)
        st = mrn_read_length(&value[TO_RADIUS], "to-radius", true, &out->p[1], msg);
    if (st == MRN_OK && out->p[0] == 0 && out->p[1] == 0)
        st = mrn_fail_value(msg, &value[TO_RADIUS], "both radii of the cone are zero");
    if (st == MRN_OK)
        st = mrn_read_axis(&value[FROM], &value[TO], x, q, &out->p[2], msg);
    return st;
}

static double closest(const mrn_shape *s, int32_t feature, mrn_vec3 c, mrn_vec3 *point,
                      mrn_vec3 *normal)
{
    (void)feature;
    return mrn_cone_closest(s->p, c, point, normal);
}

static int features(const mrn_shape *s, mrn_vec3 c, double reach, int32_t *out, int max)
{
    return mrn_features_scan(s, 1, c, reach, out, max);
}

static void bounds(const mrn_shape *s, mrn_vec3 *lo, mrn_vec3 *hi)
{
    double R = fmax(s->p[0], s->p[1]);
    *hi = mrn_v3(R, R, s->p[2]);
    *lo = mrn_scale(-1, *hi);
}

static mrn_status triangles(const mrn_shape *s, double extent, double depth, mrn_triangles *out)
{
    (void)extent, (void)depth;
    const double profile[2][2] = {{s->p[0], -s->p[2]}, {s->p[1], s->p[2]}};
    return mrn_triangles_revolve(out, profile, 2);
}

static void contact_points(const mrn_shape *s, int32_t feature, const mrn_posed *c,
                           mrn_point_list *out)
{
    (void)feature;
    double h = s->p[2], k = 0.5 * (s->p[1] - s->p[0]) / h;
    mrn_tube t = mrn_tube_make(c, 0.5 * (s->p[0] + s->p[1]), k, h, false, out);
    mrn_tube_shell(&t);
}

const mrn_shape_type mrn_wall_cone = {
    .name = "cone",
    .summary = "a hopper or funnel: the thin shell of a truncated cone, open at both ends",
    .doc = "The shell between a circle at `from` and a circle at `to`, solid from both sides and "
           "at its rims. "
           "Equal radii give an open tube. A grain touches it at one point, the closest one: an "
           "opening narrower than a grain, which would hold it on a whole ring, is better made as "
           "a mesh.",
    .in_3d = true,
    .params = params,
    .n_params = MRN_COUNT(params),
    .build = build,
    .features = features,
    .closest = closest,
    .bounds = bounds,
    .triangles = triangles,
    .contact_points = contact_points,
    .curvature = mrn_tube_curvature,
};
