/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a convex part has behind a wall: behind the wall's plane, or the tangent plane of a round
   one where the part is deepest, and under the piece for thin flat pieces.

   With z the height above the plane along n, all integrals over the region are integrals over the
   part's faces inside it: the field (0, 0, z) has divergence 1, vanishes on the plane and runs
   along the sides of the prism under the piece. Hence the volume is the sum over faces of the
   integral of z n_z, the first moments follow from (0, 0, x z), (0, 0, y z) and (0, 0, z^2 / 2),
   and the area of the section in the plane is minus the sum of n_z dA. Faces are cut triangle by
   triangle: nothing has to be stored, and neighbours that share an edge of a mesh add up to what
   one plane would give. */
#include "detect/narrow_parts.h"
#include "detect/narrow_spots.h"
#include "geom/geom.h"

/* The region: behind the plane with normal n through `at`, and within the sides. */
typedef struct region {
    mrn_vec3 at, n, u, v;
    int n_sides;
    mrn_vec3 start[4], m[4]; /* outward */
} region;

typedef struct sums {
    double volume, area, x, y, z;
} sums;

/* In 3D 3 corners, one more for each of 5 planes. */
typedef struct scrap {
    int n;
    mrn_vec3 p[10];
} scrap;

/* Keeps what is behind the plane. */
static void cut(scrap *s, mrn_vec3 at, mrn_vec3 m)
{
    scrap out;
    out.n = 0;
    for (int k = 0; k < s->n && out.n <= 8; k++) {
        mrn_vec3 a = s->p[k], b = s->p[k + 1 < s->n ? k + 1 : 0];
        double ha = mrn_dot(m, mrn_sub(a, at)), hb = mrn_dot(m, mrn_sub(b, at));
        if (ha <= 0)
            out.p[out.n++] = a;
        if ((ha <= 0 && hb > 0) || (ha > 0 && hb < 0))
            out.p[out.n++] = mrn_axpy(ha / (ha - hb), mrn_sub(b, a), a);
    }
    *s = out;
}

/* One triangle of a face, in coordinates of the plane. */
static void add_triangle(const mrn_vec3 *p, sums *s)
{
    /* its area seen along n, positive where the face looks up */
    double a =
        0.5 * ((p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[1].y - p[0].y) * (p[2].x - p[0].x));
    double sx = p[0].x + p[1].x + p[2].x, sy = p[0].y + p[1].y + p[2].y;
    double sz = p[0].z + p[1].z + p[2].z;
    double xz = p[0].x * p[0].z + p[1].x * p[1].z + p[2].x * p[2].z;
    double yz = p[0].y * p[0].z + p[1].y * p[1].z + p[2].y * p[2].z;
    double zz = p[0].z * p[0].z + p[1].z * p[1].z + p[2].z * p[2].z;
    s->area -= a;
    s->volume += a * sz / 3;
    s->x += a * (sx * sz + xz) / 12;
    s->y += a * (sy * sz + yz) / 12;
    s->z += a * (sz * sz + zz) / 24;
}

static mrn_vec3 in_plane(const region *r, mrn_vec3 p)
{
    mrn_vec3 d = mrn_sub(p, r->at);
    return mrn_v3(mrn_dot(r->u, d), mrn_dot(r->v, d), mrn_dot(r->n, d));
}

static void add_scrap(const region *r, scrap *s, sums *out)
{
    cut(s, r->at, r->n);
    for (int k = 0; k < r->n_sides && s->n > 2; k++)
        cut(s, r->start[k], r->m[k]);
    for (int k = 0; k < s->n; k++)
        s->p[k] = in_plane(r, s->p[k]);
    for (int k = 2; k < s->n; k++)
        add_triangle((mrn_vec3[]){s->p[0], s->p[k - 1], s->p[k]}, out);
}

static void add_solid(const mrn_posed *c, const region *r, sums *out)
{
    const mrn_convex *s = c->shape;
    for (int f = 0; f < s->n_faces; f++) {
        int32_t first = s->face_start[f];
        mrn_vec3 a = mrn_posed_point(c, s->corner[first]);
        for (int32_t k = first + 2; k < s->face_start[f + 1]; k++) {
            scrap t = {3,
                       {a, mrn_posed_point(c, s->corner[k - 1]), mrn_posed_point(c, s->corner[k])}};
            add_scrap(r, &t, out);
        }
    }
}

/* The part of a segment behind a plane; false: none. */
static bool cut_segment(mrn_vec3 *a, mrn_vec3 *b, mrn_vec3 at, mrn_vec3 m)
{
    double ha = mrn_dot(m, mrn_sub(*a, at)), hb = mrn_dot(m, mrn_sub(*b, at));
    if (ha > 0 && hb > 0)
        return false;
    mrn_vec3 d = mrn_sub(*b, *a);
    if (ha > 0)
        *a = mrn_axpy(ha / (ha - hb), d, *a);
    else if (hb > 0)
        *b = mrn_axpy(ha / (ha - hb), d, *a);
    return true;
}

/* The same in the plane; sides run counter-clockwise about the part's own z, which is -v or v. */
static void add_flat(const mrn_posed *c, const region *r, sums *out)
{
    const mrn_convex *s = c->shape;
    /* u to the right of n as seen by the part: its sides look up where they run against u */
    for (int f = 0; f < s->n_faces; f++) {
        mrn_vec3 a = mrn_posed_point(c, s->corner[2 * f]);
        mrn_vec3 b = mrn_posed_point(c, s->corner[2 * f + 1]);
        bool left = cut_segment(&a, &b, r->at, r->n);
        for (int k = 0; k < r->n_sides && left; k++)
            left = cut_segment(&a, &b, r->start[k], r->m[k]);
        if (!left)
            continue;
        mrn_vec3 p = in_plane(r, a), q = in_plane(r, b);
        double l = p.x - q.x;
        out->area -= l;
        out->volume += 0.5 * l * (p.z + q.z);
        out->x += l * (2 * (p.x * p.z + q.x * q.z) + p.x * q.z + q.x * p.z) / 6;
        out->z += l * (p.z * p.z + p.z * q.z + q.z * q.z) / 6;
    }
}

static void set_frame(const mrn_posed *c, region *r)
{
    if (c->shape->dimension == 2) {
        mrn_vec3 z = mrn_posed_turn(c, mrn_v3(0, 0, 1)); /* out of the plane */
        r->u = mrn_unit(mrn_cross(r->n, z));
        r->v = mrn_cross(r->n, r->u);
        return;
    }
    r->u = mrn_across(r->n);
    r->v = mrn_cross(r->n, r->u);
}

static void region_of_flat(const mrn_posed *c, const mrn_flat *f, region *r)
{
    r->n = f->normal;
    if (mrn_dot(r->n, mrn_sub(mrn_posed_ball(c), f->p[0])) < 0)
        r->n = mrn_scale(-1, r->n);
    r->at = f->p[0];
    r->n_sides = f->n;
    for (int k = 0; k < f->n; k++) {
        mrn_vec3 d = mrn_sub(f->p[k + 1 < f->n ? k + 1 : 0], f->p[k]);
        r->start[k] = f->p[k];
        r->m[k] = f->dimension == 2 ? mrn_scale(-1, d) : mrn_cross(d, f->normal);
    }
}

/* The tangent plane where the part is deepest, in the wall's frame; false: no overlap. */
static bool region_of_deepest(const mrn_posed *c, const mrn_shape *wall, int32_t feature, region *r)
{
    mrn_contact_point m[MRN_NARROW_MAX];
    double alert = 1e-3 * c->scale; /* a whole manifold also where it is not all in overlap */
    int n = mrn_narrow_wall(c, wall, mrn_v3(0, 0, 0), mrn_quat_identity(), feature, alert, m);
    int deepest = 0;
    for (int k = 1; k < n; k++)
        if (m[k].gap < m[deepest].gap)
            deepest = k;
    if (n == 0 || m[deepest].gap >= 0)
        return false;
    r->n = m[deepest].normal;
    r->at = mrn_axpy(-0.5 * m[deepest].gap, r->n, m[deepest].point);
    return true;
}

bool mrn_overlap_wall(const mrn_posed *c, const mrn_shape *wall, mrn_vec3 x_w, mrn_quat q_w,
                      int32_t feature, mrn_overlap *out)
{
    mrn_posed p = mrn_posed_in_wall(c, x_w, q_w);
    mrn_flat flat;
    region r = {.n_sides = 0};
    if (mrn_flat_of(wall, feature, &flat))
        region_of_flat(&p, &flat, &r);
    else if (!region_of_deepest(&p, wall, feature, &r))
        return false;
    set_frame(&p, &r);
    sums s = {0};
    if (p.shape->dimension == 2)
        add_flat(&p, &r, &s);
    else
        add_solid(&p, &r, &s);
    if (!(s.volume > 0))
        return false;
    mrn_vec3 at = mrn_axpy(s.z / s.volume, r.n, r.at);
    at = mrn_axpy(s.x / s.volume, r.u, mrn_axpy(s.y / s.volume, r.v, at));
    *out = (mrn_overlap){s.volume, fmax(s.area, 0), mrn_unit(mrn_rotate(q_w, r.n)),
                         mrn_add(mrn_rotate(q_w, at), x_w)};
    return true;
}
