/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a convex part meets a cylinder or cone: container, thin shell or solid rod, axis along z.

   With rho the distance from the axis and R(z) = R + k z, the distance from the surface is
   (rho - R(z)) cos a, tan a = k: a convex function.

   From within, the gap is its negative, concave: the smallest values on a convex body are at
   corners. Of a shell only the part of the body between its ends counts: its corners are those of
   the body there and the points where edges go through the planes of the ends.

   From outside the smallest value is on an edge of that part. It could be inside a face only where
   the face's normal is the cone's, but then it is as small along the whole line of the cone below,
   up to an edge. On a segment it has a closed form. Where a face lies along the cone, or nearly so,
   the two ends of the line on it are the points.

   Rims touch faces and edges of bodies beyond the end: along the circle the largest distance from
   the planes of the body's faces is followed to its minima. */
#include "geom/geom.h"
#include "geom/narrow_parts.h"
#include "geom/narrow_wall.h"

#define RIM_SAMPLES 32
#define CONE        1e-3 /* normals may leave a cone by this much (narrow_flat.c) */

mrn_tube mrn_tube_make(const mrn_posed *c, double R, double k, double h, bool solid,
                       mrn_point_list *out)
{
    mrn_tube t = {.c = c, .out = out, .R = R, .k = k, .h = h, .solid = solid};
    t.middle = mrn_posed_ball(c);
    t.cosine = 1 / sqrt(1 + k * k);
    return t;
}

static double radius_at(const mrn_tube *r, double z)
{
    return r->R + r->k * z;
}

/* Outward normal of the surface at the azimuth of p; *gap is the distance outwards. */
static mrn_vec3 outwards(const mrn_tube *r, mrn_vec3 p, double *distance)
{
    double rho;
    mrn_vec3 e = mrn_radial(p, &rho);
    *distance = (rho - radius_at(r, p.z)) * r->cosine;
    return mrn_v3(r->cosine * e.x, r->cosine * e.y, -r->k * r->cosine);
}

/* ---- from within ---- */

static void add_inside(const mrn_tube *r, mrn_vec3 p, uint32_t key)
{
    double distance;
    mrn_vec3 n = outwards(r, p, &distance);
    mrn_point_list_add(r->out, p, mrn_scale(-1, n), -distance, key);
}

/* A corner through the wall near its end leaves over the end the short way. */
static bool leaves_over_end(const mrn_tube *r, mrn_vec3 p)
{
    double distance;
    outwards(r, p, &distance);
    return distance > 0 && distance > r->h - fabs(p.z);
}

static void add_section(const mrn_tube *r, int k, double z)
{
    const int32_t *edge = r->c->shape->edge + 4 * (size_t)k;
    mrn_vec3 p = mrn_posed_point(r->c, edge[0]), q = mrn_posed_point(r->c, edge[1]);
    if ((p.z < z) == (q.z < z))
        return;
    mrn_vec3 at = mrn_axpy((z - p.z) / (q.z - p.z), mrn_sub(q, p), p);
    add_inside(r, at, MRN_POINT_EDGE | (uint32_t)k << 1 | (z > 0 ? 1 : 0));
}

void mrn_tube_inside(const mrn_tube *r)
{
    const mrn_convex *s = r->c->shape;
    for (int k = 0; k < s->n_points; k++) {
        mrn_vec3 p = mrn_posed_point(r->c, k);
        if (fabs(p.z) <= r->h && !leaves_over_end(r, p))
            add_inside(r, p, MRN_POINT_CORNER | (uint32_t)k);
    }
    if (isinf(r->h) || fabs(r->middle.z) > r->h)
        return;
    for (int k = 0; k < s->n_edges; k++) {
        add_section(r, k, -r->h);
        add_section(r, k, r->h);
    }
}

/* ---- from outside ---- */

/* The point nearest to the surface so far, and what of the body it is on. */
typedef struct nearest {
    double distance;
    mrn_vec3 at;
    uint32_t key;
} nearest;

/* Where on a + t d, 0 <= t <= 1, the distance is smallest. */
static double lowest_on(const mrn_tube *r, mrn_vec3 a, mrn_vec3 d)
{
    double A = d.x * d.x + d.y * d.y, B = a.x * d.x + a.y * d.y, C = a.x * a.x + a.y * a.y;
    double climb = r->k * d.z; /* of R */
    /* also where d is parallel to the axis within rounding */
    if (A <= climb * climb || A < 1e-24 * mrn_dot(d, d))
        return climb > 0 ? 1 : 0;
    double D = fmax(A * C - B * B, 0);
    return mrn_clamp((-B + climb * sqrt(D / (A - climb * climb))) / A, 0, 1);
}

static void try_segment(const mrn_tube *r, mrn_vec3 a, mrn_vec3 b, uint32_t key, uint32_t key_a,
                        uint32_t key_b, nearest *best)
{
    mrn_vec3 d = mrn_sub(b, a);
    double t = lowest_on(r, a, d);
    mrn_vec3 p = mrn_axpy(t, d, a);
    double distance = (sqrt(p.x * p.x + p.y * p.y) - radius_at(r, p.z)) * r->cosine;
    if (distance < best->distance)
        *best = (nearest){distance, p, t == 0 ? key_a : t == 1 ? key_b : key};
}

/* An edge, as far as it is between the ends. */
static void try_edge(const mrn_tube *r, int k, nearest *best)
{
    const int32_t *edge = r->c->shape->edge + 4 * (size_t)k;
    mrn_vec3 p = mrn_posed_point(r->c, edge[0]), q = mrn_posed_point(r->c, edge[1]);
    mrn_vec3 d = mrn_sub(q, p), a = p, b = q;
    uint32_t key = MRN_POINT_EDGE | (uint32_t)k << 1;
    uint32_t key_a = MRN_POINT_CORNER | (uint32_t)edge[0];
    uint32_t key_b = MRN_POINT_CORNER | (uint32_t)edge[1];
    if (fmin(p.z, q.z) > r->h || fmax(p.z, q.z) < -r->h)
        return;
    if (fabs(p.z) > r->h) {
        a = mrn_axpy((copysign(r->h, p.z) - p.z) / d.z, d, p);
        key_a = key;
    }
    if (fabs(q.z) > r->h) {
        b = mrn_axpy((copysign(r->h, q.z) - p.z) / d.z, d, p);
        key_b = key;
    }
    try_segment(r, a, b, key, key_a, key_b, best);
}

/* Where a face goes through the plane of an end. */
static void try_section(const mrn_tube *r, int f, double z, nearest *best)
{
    const mrn_convex *s = r->c->shape;
    mrn_vec3 cut[2];
    int n = 0;
    for (int32_t k = s->face_start[f]; k < s->face_start[f + 1] && n < 2; k++) {
        int32_t next = k + 1 < s->face_start[f + 1] ? k + 1 : s->face_start[f];
        mrn_vec3 p = mrn_posed_point(r->c, s->corner[k]);
        mrn_vec3 q = mrn_posed_point(r->c, s->corner[next]);
        if ((p.z < z) != (q.z < z))
            cut[n++] = mrn_axpy((z - p.z) / (q.z - p.z), mrn_sub(q, p), p);
    }
    uint32_t key = MRN_POINT_RIM | (uint32_t)f;
    if (n == 2)
        try_segment(r, cut[0], cut[1], key, key, key, best);
}

/* The part of the line a + t d inside the body, from t[0] to t[1]; false: none. */
static bool line_inside(const mrn_posed *c, mrn_vec3 a, mrn_vec3 d, double t[2])
{
    mrn_vec3 from = mrn_posed_local(c, a), along = mrn_scale(1 / c->scale, mrn_posed_unturn(c, d));
    for (int f = 0; f < c->shape->n_faces; f++) {
        double h = mrn_plane_height(c->shape, f, from);
        double slope = mrn_dot(mrn_load3(c->shape->plane + 4 * (size_t)f), along);
        if (slope > 0)
            t[1] = fmin(t[1], -h / slope);
        else if (slope < 0)
            t[0] = fmax(t[0], -h / slope);
        else if (h > 0)
            return false;
    }
    return t[0] <= t[1];
}

/* The axis goes through the body: out towards the side where its middle is. */
static void add_speared(const mrn_tube *r)
{
    mrn_vec3 e, at;
    double rho, distance;
    e = mrn_radial(r->middle, &rho);
    at = mrn_v3(e.x, e.y, mrn_clamp(r->middle.z, -r->h, r->h));
    mrn_vec3 n = outwards(r, at, &distance);
    at = mrn_axpy(-distance, n, at); /* on the surface */
    double h;
    int k = mrn_posed_lowest(r->c, n, &h);
    mrn_point_list_add(r->out, mrn_posed_point(r->c, k), n, h - mrn_dot(n, at),
                       MRN_POINT_CORNER | (uint32_t)k);
}

/* Cuts the line p + t d, t[0] … t[1], to what lies on face f and between the ends. */
static void cut_to_face(const mrn_tube *r, int f, mrn_vec3 p, mrn_vec3 d, double t[2])
{
    const mrn_convex *s = r->c->shape;
    mrn_vec3 n = mrn_posed_normal(r->c, f);
    for (int32_t k = s->face_start[f]; k < s->face_start[f + 1]; k++) {
        int32_t next = k + 1 < s->face_start[f + 1] ? k + 1 : s->face_start[f];
        mrn_vec3 a = mrn_posed_point(r->c, s->corner[k]);
        mrn_vec3 b = mrn_posed_point(r->c, s->corner[next]);
        mrn_vec3 inner = mrn_cross(n, mrn_sub(b, a));
        double h = fmax(mrn_dot(inner, mrn_sub(p, a)), 0), slope = mrn_dot(inner, d);
        if (slope > 0)
            t[0] = fmax(t[0], -h / slope);
        else if (slope < 0)
            t[1] = fmin(t[1], -h / slope);
    }
    if (d.z > 0 && isfinite(r->h)) {
        t[0] = fmin(0, fmax(t[0], (-r->h - p.z) / d.z));
        t[1] = fmax(0, fmin(t[1], (r->h - p.z) / d.z));
    }
}

/* The two ends of the line of the cone on the face that lies along it, through `best`. False: there
   is no such face within the alert distance. */
static bool add_ruling(const mrn_tube *r, const nearest *best, mrn_vec3 n)
{
    int f = mrn_posed_face_along(r->c, mrn_scale(-1, n));
    mrn_vec3 nf = mrn_posed_normal(r->c, f);
    double size = r->out->size;
    double height = r->c->scale * mrn_plane_height(r->c->shape, f, mrn_posed_local(r->c, best->at));
    if (mrn_dot(nf, n) > -0.5 || height < -1e-9 * size)
        return false;
    /* along the cone; on the face the line leaves the cone's by `tilt` */
    mrn_vec3 up = mrn_v3(-n.z * n.x / r->cosine, -n.z * n.y / r->cosine, r->cosine);
    double tilt = -mrn_dot(up, nf) / mrn_dot(n, nf), t[2] = {-4 * size, 4 * size};
    mrn_vec3 d = mrn_axpy(tilt, n, up);
    cut_to_face(r, f, best->at, d, t);
    double alert = r->out->alert;
    if (!(t[1] - t[0] > 1e-3 * size) || best->distance + t[0] * tilt >= alert ||
        best->distance + t[1] * tilt >= alert)
        return false;
    for (int i = 0; i < 2; i++)
        mrn_point_list_add(r->out, mrn_axpy(t[i], d, best->at), n, best->distance + t[i] * tilt,
                           MRN_POINT_RULING | (uint32_t)f << 1 | (uint32_t)i);
    return true;
}

static void add_outside(const mrn_tube *r)
{
    const mrn_convex *s = r->c->shape;
    double t[2] = {fmax(-r->h, r->middle.z - 2 * r->out->size),
                   fmin(r->h, r->middle.z + 2 * r->out->size)};
    if (line_inside(r->c, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1), t)) {
        add_speared(r);
        return;
    }
    nearest best = {INFINITY, {0, 0, 0}, 0};
    for (int k = 0; k < s->n_edges; k++)
        try_edge(r, k, &best);
    for (int f = 0; f < s->n_faces && isfinite(r->h); f++) {
        try_section(r, f, -r->h, &best);
        try_section(r, f, r->h, &best);
    }
    if (!(best.distance < r->out->alert))
        return;
    double distance;
    mrn_vec3 n = outwards(r, best.at, &distance);
    if (!add_ruling(r, &best, n))
        mrn_point_list_add(r->out, best.at, n, best.distance, best.key);
}

/* ---- rims ---- */

static mrn_vec3 rim_at(const mrn_tube *r, double end, double angle)
{
    double R = radius_at(r, end * r->h);
    return mrn_v3(R * cos(angle), R * sin(angle), end * r->h);
}

/* How far a point of the rim is from the body, by its farthest plane. */
static double rim_height(const mrn_tube *r, mrn_vec3 p, int *face)
{
    mrn_vec3 local = mrn_posed_local(r->c, p);
    double most = -INFINITY;
    for (int f = 0; f < r->c->shape->n_faces; f++) {
        double h = mrn_plane_height(r->c->shape, f, local);
        if (h > most) {
            most = h;
            *face = f;
        }
    }
    return r->c->scale * most;
}

/* Golden section about a sample that is lower than its neighbours. */
static double refine(const mrn_tube *r, double end, double angle, double step)
{
    const double g = 0.6180339887498949;
    double a = angle - step, b = angle + step, c = b - g * (b - a), d = a + g * (b - a);
    int face;
    double hc = rim_height(r, rim_at(r, end, c), &face);
    double hd = rim_height(r, rim_at(r, end, d), &face);
    for (int k = 0; k < 40; k++) {
        if (hc < hd) {
            b = d, d = c, hd = hc;
            c = b - g * (b - a);
            hc = rim_height(r, rim_at(r, end, c), &face);
        } else {
            a = c, c = d, hc = hd;
            d = a + g * (b - a);
            hd = rim_height(r, rim_at(r, end, d), &face);
        }
    }
    return 0.5 * (a + b);
}

/* Is the wall behind w at this point of the rim? */
static bool in_rim(const mrn_tube *r, double end, mrn_vec3 p, mrn_vec3 w)
{
    double unused;
    mrn_vec3 n = outwards(r, p, &unused);
    mrn_vec3 up = mrn_v3(-n.z * n.x / r->cosine, -n.z * n.y / r->cosine, r->cosine);
    if (end * mrn_dot(w, up) < -CONE)
        return false;
    return !r->solid || (w.x * n.x + w.y * n.y >= -CONE && end * w.z >= -CONE);
}

static void add_rim(const mrn_tube *r, double end, double angle, int sample)
{
    int face = 0;
    mrn_vec3 p = rim_at(r, end, angle);
    double gap = rim_height(r, p, &face);
    mrn_vec3 w = mrn_scale(-1, mrn_posed_normal(r->c, face));
    if (gap < r->out->alert && in_rim(r, end, p, w))
        mrn_point_list_add(r->out, mrn_axpy(gap, w, p), w, gap, MRN_POINT_RIM | (uint32_t)sample);
}

static void add_rims(const mrn_tube *r, double end)
{
    double height[RIM_SAMPLES], step = 2 * MRN_PI / RIM_SAMPLES;
    double R = radius_at(r, end * r->h), same = 1e-9 * r->out->size;
    int face;
    for (int k = 0; k < RIM_SAMPLES; k++)
        height[k] = rim_height(r, rim_at(r, end, k * step), &face);
    for (int k = 0; k < RIM_SAMPLES; k++) {
        double l = height[(k + RIM_SAMPLES - 1) % RIM_SAMPLES], m = height[(k + 1) % RIM_SAMPLES];
        if (height[k] > l + same || height[k] > m + same || height[k] >= r->out->alert + R * step)
            continue;
        bool level = l - height[k] < same || m - height[k] < same;
        add_rim(r, end, level ? k * step : refine(r, end, k * step, step), k);
    }
}

/* ---- the walls ---- */

void mrn_tube_shell(const mrn_tube *r)
{
    double rho, z = mrn_clamp(r->middle.z, -r->h, r->h);
    mrn_radial(r->middle, &rho);
    bool beyond = fabs(r->middle.z) > r->h;
    if (rho <= radius_at(r, z))
        mrn_tube_inside(r);
    else if (!beyond)
        add_outside(r);
    if (beyond)
        add_rims(r, r->middle.z < 0 ? -1 : 1);
}

/* A disc at height z, seen from the side where the part is: its corners above it. */
static void add_disc(const mrn_tube *r, double z, mrn_vec3 n, bool to_rim)
{
    const mrn_convex *s = r->c->shape;
    for (int k = 0; k < s->n_points; k++) {
        mrn_vec3 p = mrn_posed_point(r->c, k);
        double gap = n.z * (p.z - z), within = r->R - hypot(p.x, p.y);
        if (within >= 0 && (gap >= 0 || !to_rim || within >= -gap))
            mrn_point_list_add(r->out, p, n, gap, MRN_POINT_CORNER | (uint32_t)k);
    }
}

void mrn_tube_rod(const mrn_tube *r)
{
    if (fabs(r->middle.z) <= r->h) {
        add_outside(r);
        return;
    }
    double end = r->middle.z < 0 ? -1 : 1;
    add_disc(r, end * r->h, mrn_v3(0, 0, end), true);
    add_rims(r, end);
}

/* An end of a container: a half-space, or a disc when the container is open elsewhere. */
void mrn_tube_cap(const mrn_tube *r, double end, bool thin)
{
    double z = end * r->h;
    if (!thin) {
        mrn_narrow_half_space(r->c, mrn_v3(0, 0, z), mrn_v3(0, 0, -end), r->out);
        return;
    }
    bool within = end * r->middle.z <= r->h;
    add_disc(r, z, mrn_v3(0, 0, within ? -end : end), !within);
    if (!within)
        add_rims(r, end);
}

/* A tube is curved across its axis only: in 3D the mean of its two curvatures. */
double mrn_tube_curvature(const mrn_shape *s, mrn_vec3 at, mrn_vec3 n)
{
    double across = hypot(n.x, n.y), r = hypot(at.x, at.y);
    if (!(across > 1e-6) || !(r > 0))
        return 0; /* an end of the tube */
    double outwards = n.x * at.x + n.y * at.y > 0 ? 1 : -1;
    return outwards * across / r / (s->dimension == 2 ? 1 : 2);
}
