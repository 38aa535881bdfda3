/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a convex part meets one feature of a wall. All is done in the wall's frame.

   A plane is met by corners: the distance from it is linear, so its smallest values on a convex
   body are at corners. Closed containers are planes and, for the lateral surface of a cylinder, the
   distance R - rho, a concave function: corners again. A solid block is itself convex. Thin flat
   pieces are in meet_flat.c, round walls in meet_round.c. */
#include "detect/narrow_spots.h"
#include "geom/geom.h"
#include "geom/mesh.h"

/* ---- collecting points ---- */

void mrn_spots_add(mrn_spots *s, mrn_vec3 at, mrn_vec3 n, double gap, uint32_t key)
{
    if (!(gap < s->alert))
        return;
    if (s->n == MRN_SPOTS)
        mrn_spots_reduce(s);
    s->s[s->n++] = (mrn_contact_point){mrn_axpy(-0.5 * gap, n, at), n, gap, key, true};
}

enum { SPANNING = 4 }; /* points that span what touches; others are kept by their depth */

/* Gaps that differ by less are equal: which corner of a resting grain is deepest must not change
   with the last digits. Small against the overlaps that are tolerated (cf. meet_polygon.c). */
static double same_gap(const mrn_spots *s)
{
    return 0.001 * s->alert;
}

static int deepest(const mrn_spots *s)
{
    double least = s->s[0].gap;
    for (int k = 1; k < s->n; k++)
        least = fmin(least, s->s[k].gap);
    int first = 0;
    while (s->s[first].gap > least + same_gap(s))
        first++;
    return first;
}

/* How much point k adds to the first `have` points of pick[]: a distance, an area, and the area
   outside a triangle. */
static double span(const mrn_spots *s, const int *pick, int have, int k)
{
    mrn_vec3 a = s->s[pick[0]].point, p = s->s[k].point, ap = mrn_sub(p, a);
    if (have == 1)
        return mrn_norm(ap);
    mrn_vec3 b = s->s[pick[1]].point, ab = mrn_sub(b, a);
    if (have == 2)
        return mrn_norm(mrn_cross(ab, ap));
    mrn_vec3 c = s->s[pick[2]].point, n = mrn_unit(mrn_cross(ab, mrn_sub(c, a)));
    double out = mrn_dot(n, mrn_cross(ap, ab));
    out = fmax(out, mrn_dot(n, mrn_cross(mrn_sub(p, b), mrn_sub(c, b))));
    return fmax(out, mrn_dot(n, mrn_cross(mrn_sub(p, c), mrn_sub(a, c))));
}

/* The deepest corner that is none of those picked; -1: there is none. A face with many corners
   needs them all: one that is left out sinks in until it is the deepest, and another one does then.
 */
static int deepest_left(const mrn_spots *s, const int *pick, int have)
{
    int best = -1;
    for (int k = 0; k < s->n; k++) {
        bool fresh = s->s[k].feature >> 28 == MRN_SPOT_CORNER >> 28;
        for (int j = 0; j < have; j++) {
            mrn_vec3 d = mrn_sub(s->s[k].point, s->s[pick[j]].point);
            fresh = fresh && mrn_dot(d, d) > 1e-10 * s->size * s->size;
        }
        if (fresh && (best < 0 || s->s[k].gap < s->s[best].gap - same_gap(s)))
            best = k;
    }
    return best;
}

void mrn_spots_reduce(mrn_spots *s)
{
    if (s->n < 2)
        return;
    int pick[MRN_NARROW_MAX] = {deepest(s)}, have = 1, extra = 0;
    const double unit[SPANNING] = {0, s->size, s->size * s->size, s->size * s->size};
    for (; have < SPANNING; have++) {
        double most = 1e-5 * unit[have]; /* less: the same point, the same line, inside */
        int best = -1;
        for (int k = 0; k < s->n; k++) {
            double add = span(s, pick, have, k);
            if (add > most * (1 + 1e-6)) { /* of equals the first */
                most = add;
                best = k;
            }
        }
        if (best < 0)
            break;
        pick[have] = best;
    }
    while (have == SPANNING + extra && have < MRN_NARROW_MAX) {
        int next = deepest_left(s, pick, have);
        if (next < 0)
            break;
        pick[have++] = next;
        extra++;
    }
    mrn_contact_point kept[MRN_NARROW_MAX];
    for (int k = 0; k < have; k++)
        kept[k] = s->s[pick[k]];
    for (int k = 0; k < have; k++)
        s->s[k] = kept[k];
    s->n = have;
}

/* ---- planes and boxes ---- */

void mrn_narrow_half_space(const mrn_posed *c, mrn_vec3 at, mrn_vec3 n, mrn_spots *out)
{
    const mrn_convex *s = c->shape;
    mrn_vec3 local = mrn_scale(c->scale, mrn_posed_unturn(c, n));
    double h = mrn_dot(n, mrn_sub(c->x, at));
    for (int k = 0; k < s->n_points; k++) {
        double gap = h + mrn_dot(local, mrn_load3(s->point + 3 * (size_t)k));
        if (gap < out->alert)
            mrn_spots_add(out, mrn_posed_point(c, k), n, gap, MRN_SPOT_CORNER | (uint32_t)k);
    }
}

/* A side of a box container, seen from within. */
static void box_side(const mrn_shape *wall, int32_t feature, mrn_vec3 *at, mrn_vec3 *n)
{
    double x[3] = {0, 0, 0}, inwards[3] = {0, 0, 0};
    int axis = feature / 2;
    inwards[axis] = feature % 2 == 0 ? 1 : -1;
    x[axis] = -inwards[axis] * wall->p[axis];
    *at = mrn_load3(x);
    *n = mrn_load3(inwards);
}

static void plate_of(const mrn_shape *wall, mrn_flat *out)
{
    double a = wall->p[0], b = wall->p[1];
    out->normal = mrn_v3(0, 0, 1);
    if (out->dimension == 2) {
        out->n = 2;
        out->p[0] = mrn_v3(-a, 0, 0);
        out->p[1] = mrn_v3(a, 0, 0);
        return;
    }
    out->n = 4;
    for (int k = 0; k < 4; k++)
        out->p[k] = mrn_v3(k == 1 || k == 2 ? a : -a, k >= 2 ? b : -b, 0);
}

static void thin_side_of(const mrn_shape *wall, int32_t feature, mrn_flat *out)
{
    mrn_vec3 at;
    box_side(wall, feature, &at, &out->normal);
    int axis = feature / 2, u = (axis + 1) % (out->dimension == 2 ? 2 : 3), v = (axis + 2) % 3;
    double turn = feature % 2 == 0 ? 1 : -1; /* counter-clockwise about the normal */
    out->n = out->dimension == 2 ? 2 : 4;
    for (int k = 0; k < out->n; k++) {
        double x[3];
        mrn_store3(x, at);
        x[u] = (k == 1 || k == 2 ? 1 : -1) * wall->p[u];
        if (out->dimension == 3)
            x[v] = (k >= 2 ? turn : -turn) * wall->p[v];
        out->p[k] = mrn_load3(x);
    }
    int open = (int)wall->p[3];
    /* side k leads from corner k to the next, in 2D it ends at corner k */
    for (int k = 0; k < out->n; k++) {
        bool high = k == 1;
        if (out->dimension == 3 && k % 2 == 0)
            high = (k == 2) == (turn > 0);
        int across = out->dimension == 2 || k % 2 == 1 ? u : v;
        out->joined[k] = !(open >> (2 * across + (high ? 1 : 0)) & 1);
    }
}

bool mrn_flat_of(const mrn_shape *wall, int32_t feature, mrn_flat *out)
{
    *out = (mrn_flat){.dimension = wall->dimension};
    if (wall->mesh != NULL) {
        const mrn_mesh *m = wall->mesh;
        out->n = 3;
        out->mesh = m;
        out->triangle = feature;
        out->normal = mrn_load3(m->normal + 3 * (size_t)feature);
        for (int k = 0; k < 3; k++)
            out->p[k] =
                mrn_load3(m->point + 3 * (size_t)m->corner[3 * (size_t)feature + (size_t)k]);
        return true;
    }
    if (wall->type == &mrn_wall_plane && isfinite(wall->p[0])) {
        plate_of(wall, out);
        return true;
    }
    if (wall->type == &mrn_wall_box && wall->inside && wall->p[3] != 0) {
        thin_side_of(wall, feature, out);
        return true;
    }
    return false;
}

/* ---- a solid block as a convex part ---- */

/* Corner k is at the low or high end of x, y, z by its bits 0, 1, 2. Faces -x, +x, -y, +y, -z, +z.
 */
typedef struct topology {
    int32_t face_start[7], corner[24], edge[48], ring_start[9], ring[24];
} topology;
static const topology block_topology = {
    {0, 4, 8, 12, 16, 20, 24},
    {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6},
    {0, 1, 2, 4, 0, 2, 4, 0, 0, 4, 0, 2, 1, 3, 1, 4, 1, 5, 2, 1, 2, 3, 4, 3,
     2, 6, 3, 0, 3, 7, 1, 3, 4, 5, 5, 2, 4, 6, 0, 5, 5, 7, 5, 1, 6, 7, 3, 5},
    {0, 3, 6, 9, 12, 15, 18, 21, 24},
    {1, 2, 4, 0, 3, 5, 0, 3, 6, 1, 2, 7, 0, 5, 6, 1, 4, 7, 2, 4, 7, 3, 5, 6},
};
static const topology rectangle_topology = {
    .face_start = {0, 2, 4, 6, 8},
    .corner = {0, 1, 1, 2, 2, 3, 3, 0},
    .ring_start = {0, 2, 4, 6, 8},
    .ring = {1, 3, 0, 2, 1, 3, 0, 2},
};

typedef struct block {
    mrn_convex shape;
    topology t;
    double point[24], plane[24];
} block;

static void link_block(block *b, const topology *t)
{
    b->t = *t;
    b->shape.point = b->point;
    b->shape.plane = b->plane;
    b->shape.face_start = b->t.face_start;
    b->shape.corner = b->t.corner;
    b->shape.edge = b->t.edge;
    b->shape.ring_start = b->t.ring_start;
    b->shape.ring = b->t.ring;
}

/* Half sizes a; at unit scale in the wall's frame. */
static void make_block(const double *a, block *b)
{
    b->shape = (mrn_convex){.dimension = 3, .n_points = 8, .n_faces = 6, .n_edges = 12};
    link_block(b, &block_topology);
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 3; i++)
            b->point[3 * k + i] = k >> i & 1 ? a[i] : -a[i];
    for (int f = 0; f < 6; f++)
        for (int i = 0; i < 4; i++)
            b->plane[4 * f + i] = i == 3 ? a[f / 2] : i == f / 2 ? (f % 2 ? 1 : -1) : 0;
    b->shape.bound = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    b->shape.inner = 2 * fmin(a[0], fmin(a[1], a[2]));
}

static void make_rectangle(const double *a, block *b)
{
    b->shape = (mrn_convex){.dimension = 2, .n_points = 4, .n_faces = 4};
    link_block(b, &rectangle_topology);
    static const double side[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    for (int k = 0; k < 4; k++) {
        mrn_store3(b->point + 3 * k,
                   mrn_v3(k == 1 || k == 2 ? a[0] : -a[0], k >= 2 ? a[1] : -a[1], 0));
        mrn_store3(b->plane + 4 * k, mrn_v3(side[k][0], side[k][1], 0));
        b->plane[4 * k + 3] = k % 2 == 0 ? a[1] : a[0];
    }
    b->shape.bound = hypot(a[0], a[1]);
    b->shape.inner = 2 * fmin(a[0], a[1]);
}

static int meet_block(const mrn_posed *c, const mrn_shape *wall, double alert,
                      mrn_contact_point *out)
{
    block b;
    if (wall->dimension == 2)
        make_rectangle(wall->p, &b);
    else
        make_block(wall->p, &b);
    mrn_posed a = {&b.shape, {0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, 1};
    if (wall->dimension == 2)
        return mrn_narrow_polygons(c, &a, alert, out);
    return mrn_narrow_convex(c, &a, alert, NULL, out);
}

/* ---- all walls ---- */

mrn_posed mrn_posed_in_wall(const mrn_posed *c, mrn_vec3 x_w, mrn_quat q_w)
{
    mrn_quat back = mrn_quat_conj(q_w);
    mrn_posed p = {.shape = c->shape, .scale = c->scale};
    p.x = mrn_rotate(back, mrn_sub(c->x, x_w));
    for (int k = 0; k < 3; k++) {
        mrn_vec3 column = mrn_rotate(back, mrn_v3(c->m[k], c->m[3 + k], c->m[6 + k]));
        p.m[k] = column.x;
        p.m[3 + k] = column.y;
        p.m[6 + k] = column.z;
    }
    return p;
}

static void collect(const mrn_posed *c, const mrn_shape *wall, int32_t feature, mrn_spots *out)
{
    mrn_flat flat;
    if (mrn_flat_of(wall, feature, &flat))
        mrn_narrow_flat(c, &flat, out);
    else if (wall->type == &mrn_wall_cylinder)
        mrn_narrow_cylinder(c, wall, feature, out);
    else
        mrn_narrow_cone(c, wall, out);
}

/* Planes and closed boxes: the face of a half-space in the wall's frame. */
static bool half_space_of(const mrn_shape *wall, int32_t feature, mrn_vec3 *at, mrn_vec3 *n)
{
    *at = mrn_v3(0, 0, 0);
    *n = mrn_v3(0, 0, 1);
    if (wall->type == &mrn_wall_box && wall->inside && wall->p[3] == 0)
        box_side(wall, feature, at, n);
    else if (wall->type != &mrn_wall_plane || isfinite(wall->p[0]))
        return false;
    return true;
}

static int take(mrn_spots *spots, mrn_contact_point *out)
{
    mrn_spots_reduce(spots);
    for (int k = 0; k < spots->n; k++)
        out[k] = spots->s[k];
    return spots->n;
}

int mrn_narrow_wall(const mrn_posed *c, const mrn_shape *wall, mrn_vec3 x_w, mrn_quat q_w,
                    int32_t feature, double alert, mrn_contact_point *out)
{
    mrn_spots spots;
    spots.n = 0;
    spots.alert = alert;
    spots.size = c->scale * c->shape->bound;
    mrn_vec3 at, normal;
    if (half_space_of(wall, feature, &at, &normal)) { /* few enough steps in the world's frame */
        at = mrn_add(mrn_rotate(q_w, at), x_w);
        mrn_narrow_half_space(c, at, mrn_unit(mrn_rotate(q_w, normal)), &spots);
        return take(&spots, out);
    }
    mrn_posed local = mrn_posed_in_wall(c, x_w, q_w);
    int n;
    if (wall->type == &mrn_wall_box && !wall->inside) {
        n = meet_block(&local, wall, alert, out);
    } else {
        collect(&local, wall, feature, &spots);
        n = take(&spots, out);
    }
    for (int k = 0; k < n; k++) {
        out[k].point = mrn_add(mrn_rotate(q_w, out[k].point), x_w);
        out[k].normal = mrn_unit(mrn_rotate(q_w, out[k].normal));
    }
    return n;
}
