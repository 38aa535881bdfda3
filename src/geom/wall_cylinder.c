/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cylinder: a closed or infinite container, a thin open tube, or a solid rod; a circle in 2D. Body
   frame: axis along local z, origin in the middle of the axis. p: radius, half length (infinite
   possible), bits of the ends left out. Features of a container: 0 lateral surface, 1 end at
   `from`, 2 end at `to`. */
#include "geom/geom.h"
#include "geom/narrow_wall.h"

enum { FROM, TO, POINT, AXIS, RADIUS, INSIDE, OPEN };

static const char *const open_choices[] = {"none", "from", "to", "both", NULL};

static const mrn_param params[] = {
    [FROM] = {"from", "", MRN_P_VECTOR, "m", -INFINITY, INFINITY, false, false, NAN, NULL,
              "One end of the axis (3D). Give `from` and `to`, or `point` and `axis`."},
    [TO] = {"to", "", MRN_P_VECTOR, "m", -INFINITY, INFINITY, false, false, NAN, NULL,
            "The other end of the axis (3D)."},
    [POINT] = {"point", "", MRN_P_VECTOR, "m", -INFINITY, INFINITY, false, false, NAN, NULL,
               "A point of the axis of an infinite cylinder; in 2D the centre of the circle."},
    [AXIS] = {"axis", "", MRN_P_VECTOR, "1", -INFINITY, INFINITY, false, false, NAN, NULL,
              "Direction of the axis of an infinite cylinder (3D), of any length."},
    [RADIUS] = {"radius", "R", MRN_P_NUMBER, "m", 0, INFINITY, true, true, NAN, NULL,
                "Radius of the cylinder."},
    [INSIDE] =
        {"inside", "", MRN_P_FLAG, "1", 0, 1, false, false, 1, NULL,
         "true: the grains are inside (drum, silo, tube). false: the cylinder is a solid rod."},
    [OPEN] = {"open", "", MRN_P_CHOICE, "1", 0, 3, false, false, 0, open_choices,
              "Ends left out of a container between `from` and `to`. The rest becomes a thin shell "
              "that ends at the rim, so that grains can leave. With `none` no grain can leave."},
};

/* Placement in 2D: a circle about `point`. */
static mrn_status place_circle(const mrn_value *value, mrn_shape *out, mrn_vec3 *x,
                               mrn_message *msg)
{
    static const int only_3d[] = {FROM, TO, AXIS, OPEN};
    for (int k = 0; k < MRN_COUNT(only_3d); k++) {
        const mrn_value *v = &value[only_3d[k]];
        if (v->given && !(only_3d[k] == OPEN && v->number == 0))
            return mrn_fail_value(msg, v,
                                  "`%s` is for 3D; in 2D a cylinder is a circle about `point`",
                                  params[only_3d[k]].name);
    }
    if (!value[POINT].given)
        return mrn_fail_value(msg, &value[RADIUS], "the circle has no centre: `point` is missing");
    out->p[1] = INFINITY;
    return mrn_read_point(&value[POINT], "point", 2, x, msg);
}

static mrn_status place_infinite(const mrn_value *value, mrn_shape *out, mrn_vec3 *x, mrn_quat *q,
                                 mrn_message *msg)
{
    for (int k = POINT; k <= AXIS; k++)
        if (!value[k].given)
            return mrn_fail_value(msg, &value[RADIUS],
                                  "`%s` is missing: give `from` and `to`, or `point` and `axis`",
                                  params[k].name);
    mrn_vec3 e = {0};
    mrn_status st = mrn_read_point(&value[POINT], "point", 3, x, msg);
    if (st == MRN_OK)
        st = mrn_read_direction(&value[AXIS], "axis", 3, &e, msg);
    if (st == MRN_OK)
        *q = mrn_quat_from_axes(mrn_across(e), e);
    out->p[1] = INFINITY;
    return st;
}

static mrn_status place_finite(const mrn_value *value, mrn_shape *out, mrn_vec3 *x, mrn_quat *q,
                               mrn_message *msg)
{
    for (int k = FROM; k <= AXIS; k++)
        if (value[k].given != (k <= TO))
            return mrn_fail_value(msg, &value[k <= TO ? FROM + TO - k : k],
                                  "`%s` is %s: give `from` and `to`, or `point` and `axis`",
                                  params[k].name, k <= TO ? "missing" : "one too many");
    return mrn_read_axis(&value[FROM], &value[TO], x, q, &out->p[1], msg);
}

static mrn_status place(const mrn_value *value, int dimension, mrn_shape *out, mrn_vec3 *x,
                        mrn_quat *q, mrn_message *msg)
{
    *q = mrn_quat_identity();
    if (dimension == 2)
        return place_circle(value, out, x, msg);
    if (value[FROM].given || value[TO].given)
        return place_finite(value, out, x, q, msg);
    return place_infinite(value, out, x, q, msg);
}

static mrn_status build(const mrn_value *value, int dimension, mrn_shape *out, mrn_vec3 *x,
                        mrn_quat *q, mrn_message *msg)
{
    *out = (mrn_shape){.type = &mrn_wall_cylinder, .dimension = dimension};
    out->inside = value[INSIDE].given ? value[INSIDE].flag : true;
    mrn_status st = mrn_read_length(&value[RADIUS], "radius", false, &out->p[0], msg);
    if (st == MRN_OK)
        st = place(value, dimension, out, x, q, msg);
    int choice = value[OPEN].given ? (int)value[OPEN].number : 0;
    if (st != MRN_OK || choice == 0)
        return st;
    if (choice < 0 || choice >= MRN_COUNT(open_choices) - 1)
        return mrn_fail_value(msg, &value[OPEN], "`open` has no choice %d", choice);
    if (!out->inside || isinf(out->p[1]))
        return mrn_fail_value(msg, &value[OPEN],
                              "`open` is for containers between `from` and `to`");
    out->p[2] = choice; /* bit 0: from, bit 1: to, as the order of the choices has it */
    return MRN_OK;
}

static double closest(const mrn_shape *s, int32_t feature, mrn_vec3 c, mrn_vec3 *point,
                      mrn_vec3 *normal)
{
    return mrn_cylinder_closest(s->p, s->inside, feature, c, point, normal);
}

static int features(const mrn_shape *s, mrn_vec3 c, double reach, int32_t *out, int max)
{
    if (!s->inside || isinf(s->p[1]))
        return mrn_features_scan(s, 1, c, reach, out, max);
    int32_t all[3];
    int n = mrn_features_scan(s, 3, c, reach, all, 3), found = 0;
    for (int k = 0; k < n; k++) {
        if (all[k] > 0 && (int)s->p[2] & all[k])
            continue;
        if (found < max)
            out[found] = all[k];
        found++;
    }
    return found;
}

static void bounds(const mrn_shape *s, mrn_vec3 *lo, mrn_vec3 *hi)
{
    *hi = mrn_v3(s->p[0], s->p[0], s->p[1]);
    *lo = mrn_scale(-1, *hi);
}

static mrn_status triangles(const mrn_shape *s, double extent, double depth, mrn_triangles *out)
{
    double R = s->p[0], h = s->p[1];
    if (isinf(h))
        h = s->dimension == 2 ? depth : extent;
    const double profile[4][2] = {{0, -h}, {R, -h}, {R, h}, {0, h}};
    int first = isinf(s->p[1]) || (int)s->p[2] & 1 ? 1 : 0;
    int last = isinf(s->p[1]) || (int)s->p[2] & 2 ? 2 : 3;
    return mrn_triangles_revolve(out, profile + first, last - first + 1);
}

static void contact_points(const mrn_shape *s, int32_t feature, const mrn_posed *c,
                           mrn_point_list *out)
{
    bool thin = s->p[2] != 0, solid = !s->inside || feature > 0;
    double h = s->p[1];
    if (s->inside && feature == 0 && !thin)
        h = INFINITY; /* a closed container pushes back whatever got out */
    mrn_tube t = mrn_tube_make(c, s->p[0], 0, h, solid, out);
    if (!s->inside && s->dimension == 2)
        mrn_narrow_solid_ball(c, mrn_v3(0, 0, c->x.z), s->p[0], out);
    else if (!s->inside)
        mrn_tube_rod(&t);
    else if (feature > 0)
        mrn_tube_cap(&t, feature == 1 ? -1 : 1, thin);
    else if (thin)
        mrn_tube_shell(&t);
    else
        mrn_tube_inside(&t);
}

/* A closed or infinite container, or an infinite rod. */
static bool rimless(const mrn_shape *s, int32_t feature, mrn_rimless *out)
{
    double inwards = feature == 1 ? 1 : -1;
    if (feature > 0)
        *out = (mrn_rimless){.kind = MRN_RIMLESS_PLANE,
                             .at = {0, 0, -inwards * s->p[1]},
                             .direction = {0, 0, inwards}};
    else
        *out = (mrn_rimless){.kind = MRN_RIMLESS_CYLINDER,
                             .direction = {0, 0, 1},
                             .radius = s->p[0],
                             .hollow = s->inside};
    return s->inside ? s->p[2] == 0 : isinf(s->p[1]);
}

const mrn_shape_type mrn_wall_cylinder = {
    .name = "cylinder",
    .summary = "a drum, silo or tube around the grains, or a solid rod; a circle in 2D",
    .doc = "Between `from` and `to`, or infinite through `point` along `axis`. As a container it "
           "has a "
           "lateral surface and, when finite, two flat ends; `open` leaves ends out and makes the "
           "rest a "
           "thin shell that ends at the rim. With `inside: false` it is a solid rod with flat "
           "ends. In 2D "
           "it is a circle about `point`.",
    .in_2d = true,
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
    .rimless = rimless,
};
