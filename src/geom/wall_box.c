/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Box along the axes: a closed container, a thin-walled open one, or a solid block. Body frame: the
   origin is the middle of the box. p: half sizes x, y, z (z infinite in 2D), then the bits of the
   faces left out. Faces (features) of a container: 0 -x, 1 +x, 2 -y, 3 +y, 4 -z, 5 +z. */
#include "geom/geom.h"
#include "geom/narrow_wall.h"

enum { CORNERS, INSIDE, OPEN };

static const char *const open_choices[] = {"none", "top", "bottom", "top-and-bottom",
                                           "x",    "y",   NULL};

static const mrn_param params[] = {
    [CORNERS] = {"corners", "", MRN_P_BOX, "m", -INFINITY, INFINITY, false, true, NAN, NULL,
                 "Two opposite corners of the box."},
    [INSIDE] =
        {"inside", "", MRN_P_FLAG, "1", 0, 1, false, false, 1, NULL,
         "true: the grains are inside, the box is a container. false: the box is a solid block."},
    [OPEN] =
        {"open", "", MRN_P_CHOICE, "1", 0, 5, false, false, 0, open_choices,
         "Faces left out of a container. The others become thin plates as large as the box, "
         "so that grains can leave over the rim. Top is +z (+y in 2D); `x` and `y` leave out both "
         "faces across that axis. With `none` no grain can leave."},
};

static int open_faces(int choice, int dimension)
{
    int bottom = dimension == 2 ? 1 << 2 : 1 << 4, top = 2 * bottom;
    const int faces[] = {0, top, bottom, top | bottom, 1 << 0 | 1 << 1, 1 << 2 | 1 << 3};
    return faces[choice];
}

static mrn_status read_corners(const mrn_value *v, int dimension, mrn_shape *out, mrn_vec3 *x,
                               mrn_message *msg)
{
    double a[3], b[3], middle[3] = {0, 0, 0};
    mrn_store3(a, v->a);
    mrn_store3(b, v->b);
    for (int k = 0; k < dimension; k++) {
        middle[k] = a[k] + 0.5 * (b[k] - a[k]);
        out->p[k] = 0.5 * fabs(b[k] - a[k]);
        if (!isfinite(a[k]) || !isfinite(b[k]))
            return mrn_fail_value(msg, v, "a corner of the box is not finite");
        if (out->p[k] == 0)
            return mrn_fail_value(msg, v, "the box has no extent in %c: both corners are at %g m",
                                  "xyz"[k], a[k]);
    }
    if (dimension == 2)
        out->p[2] = INFINITY;
    *x = mrn_load3(middle);
    return MRN_OK;
}

static mrn_status build(const mrn_value *value, int dimension, mrn_shape *out, mrn_vec3 *x,
                        mrn_quat *q, mrn_message *msg)
{
    *out = (mrn_shape){.type = &mrn_wall_box, .dimension = dimension};
    out->inside = value[INSIDE].given ? value[INSIDE].flag : true;
    *q = mrn_quat_identity();
    mrn_status st = read_corners(&value[CORNERS], dimension, out, x, msg);
    int choice = value[OPEN].given ? (int)value[OPEN].number : 0;
    if (st != MRN_OK || choice == 0)
        return st;
    if (choice < 0 || choice >= MRN_COUNT(open_choices) - 1)
        return mrn_fail_value(msg, &value[OPEN], "`open` has no choice %d", choice);
    if (!out->inside)
        return mrn_fail_value(msg, &value[OPEN],
                              "`open` is for containers, this box is solid (inside: false)");
    out->p[3] = open_faces(choice, dimension);
    return MRN_OK;
}

static double closest(const mrn_shape *s, int32_t feature, mrn_vec3 c, mrn_vec3 *point,
                      mrn_vec3 *normal)
{
    return mrn_box_closest(s->p, s->inside, feature, c, point, normal);
}

static int features(const mrn_shape *s, mrn_vec3 c, double reach, int32_t *out, int max)
{
    if (!s->inside)
        return mrn_features_scan(s, 1, c, reach, out, max);
    int32_t all[6];
    int n = mrn_features_scan(s, 2 * s->dimension, c, reach, all, 6), found = 0;
    for (int k = 0; k < n; k++) {
        if ((int)s->p[3] & 1 << all[k])
            continue;
        if (found < max)
            out[found] = all[k];
        found++;
    }
    return found;
}

static void bounds(const mrn_shape *s, mrn_vec3 *lo, mrn_vec3 *hi)
{
    *hi = mrn_load3(s->p);
    *lo = mrn_scale(-1, *hi);
}

static mrn_status triangles(const mrn_shape *s, double extent, double depth, mrn_triangles *out)
{
    (void)extent;
    mrn_status st = mrn_triangles_begin(out, 24, 12);
    if (st != MRN_OK)
        return st;
    double h[3] = {s->p[0], s->p[1], s->dimension == 2 ? depth : s->p[2]};
    for (int f = 0; f < 2 * s->dimension; f++) {
        if (s->inside && (int)s->p[3] & 1 << f)
            continue;
        /* u x v is the inward direction of the low face; the other order turns it round */
        int axis = f / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        double corner[4][3];
        for (int k = 0; k < 4; k++) {
            corner[k][axis] = f % 2 == 0 ? -h[axis] : h[axis];
            corner[k][u] = k == 1 || k == 2 ? h[u] : -h[u];
            corner[k][v] = k >= 2 ? h[v] : -h[v];
        }
        bool turn = (f % 2 == 0) != s->inside;
        mrn_triangles_quad(out, mrn_load3(corner[0]), mrn_load3(corner[turn ? 3 : 1]),
                           mrn_load3(corner[2]), mrn_load3(corner[turn ? 1 : 3]));
    }
    return MRN_OK;
}

/* A side of a container, seen from within. */
static void side(const mrn_shape *s, int32_t feature, mrn_vec3 *at, mrn_vec3 *n)
{
    double x[3] = {0, 0, 0}, inwards[3] = {0, 0, 0};
    int axis = feature / 2;
    inwards[axis] = feature % 2 == 0 ? 1 : -1;
    x[axis] = -inwards[axis] * s->p[axis];
    *at = mrn_load3(x);
    *n = mrn_load3(inwards);
}

/* A side of an open container. */
static void thin_side(const mrn_shape *s, int32_t feature, mrn_flat *out)
{
    *out = (mrn_flat){.dimension = s->dimension};
    mrn_vec3 at;
    side(s, feature, &at, &out->normal);
    int axis = feature / 2, u = (axis + 1) % (out->dimension == 2 ? 2 : 3), v = (axis + 2) % 3;
    double turn = feature % 2 == 0 ? 1 : -1; /* counter-clockwise about the normal */
    out->n = out->dimension == 2 ? 2 : 4;
    for (int k = 0; k < out->n; k++) {
        double x[3];
        mrn_store3(x, at);
        x[u] = (k == 1 || k == 2 ? 1 : -1) * s->p[u];
        if (out->dimension == 3)
            x[v] = (k >= 2 ? turn : -turn) * s->p[v];
        out->p[k] = mrn_load3(x);
    }
    int open = (int)s->p[3];
    /* side k leads from corner k to the next, in 2D it ends at corner k */
    for (int k = 0; k < out->n; k++) {
        bool high = k == 1;
        if (out->dimension == 3 && k % 2 == 0)
            high = (k == 2) == (turn > 0);
        int across = out->dimension == 2 || k % 2 == 1 ? u : v;
        out->joined[k] = !(open >> (2 * across + (high ? 1 : 0)) & 1);
    }
}

static bool surface(const mrn_shape *s, int32_t feature, mrn_surface *out)
{
    bool thin = s->inside && s->p[3] != 0;
    out->kind = !s->inside ? MRN_SURFACE_SOLID : thin ? MRN_SURFACE_PIECE : MRN_SURFACE_PLANE;
    if (!s->inside) {
        mrn_block_make(&out->block, s->dimension, s->p);
        out->solid = &out->block.shape;
    } else if (thin) {
        thin_side(s, feature, &out->flat);
    } else {
        side(s, feature, &out->at, &out->normal);
    }
    return true;
}

/* Of a closed container the sides are planes to what is inside. */
static bool rimless(const mrn_shape *s, int32_t feature, mrn_rimless *out)
{
    *out = (mrn_rimless){.kind = MRN_RIMLESS_PLANE};
    side(s, feature, &out->at, &out->direction);
    return s->inside && s->p[3] == 0;
}

const mrn_shape_type mrn_wall_box = {
    .name = "box",
    .summary = "a container with six faces (four in 2D), or a solid block",
    .doc =
        "A box along the axes of the scene. As a container each face is a wall of its own and "
        "grains "
        "in a corner touch all that meet there. With `open` some faces are left out and the others "
        "are thin plates that end at the rim. With `inside: false` the box is a solid obstacle.",
    .in_2d = true,
    .in_3d = true,
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
