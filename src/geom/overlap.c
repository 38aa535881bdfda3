/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Volume, area and centre of the region that a convex part shares with another one or with a wall.
   Its surface is made of faces cut by planes, one after the other and forgotten at once: nothing
   has to be stored, bodies may have any number of faces.

   Two parts. The faces of each, cut by the planes of the other; volume and centroid are sums of
   cones over these pieces. The volume's derivative by the position of C is the area vector of C's
   pieces, minus that of A's.

   A wall. The region is behind the wall's plane, or the tangent plane of a curved one where the
   part is deepest, and under the piece for thin flat pieces. With z the height above the plane
   along n, all integrals over it are integrals over the part's faces inside it: the field (0, 0, z)
   has divergence 1, vanishes on the plane and runs along the sides of the prism under the piece.
   Hence the volume is the sum over faces of the integral of z n_z, the first moments follow from
   (0, 0, x z), (0, 0, y z) and (0, 0, z^2 / 2), and the area of the section in the plane is minus
   the sum of n_z dA. Neighbours that share an edge of a mesh add up to what one plane gives. */
#include "geom/clip.h"
#include "geom/geom.h"
#include "geom/narrow_parts.h"
#include "geom/narrow_wall.h"

/* Corners of a piece at most. A face of more than WHOLE corners is cut as a fan of triangles; cuts
   that would need more room are left out (a face of some 60 sides that all cut the same piece). */
enum { ROOM = 64, WHOLE = ROOM / 2 };

/* Faces of both that lie in one plane (within this times the size) and look the same way bound the
   region together: each counts half, so that exchanging the bodies changes nothing. Planes that are
   farther from each other cut each other along a line known to 1e-7 of the size. */
static const double FLUSH = 1e-9;
/* Volumes below this (in sizes cubed; 2D: squared) are rounding. */
static const double NOTHING = 1e-15;
/* Of all the surface: an area vector this short has no direction. */
static const double NOWHERE = 1e-12;

/* ---- faces cut by planes ---- */

typedef struct piece {
    int dimension, n;
    mrn_vec3 normal; /* of the face it was cut from */
    mrn_vec3 *x, room[2][ROOM + 1];
} piece;

/* Keeps what lies where m.x <= d. */
static void cut(piece *p, mrn_vec3 m, double d)
{
    mrn_vec3 *to = p->x == p->room[0] ? p->room[1] : p->room[0];
    if (p->n >= ROOM)
        return;
    p->n = mrn_clip(p->dimension, p->x, p->n, m, d, to);
    p->x = to;
}

/* Calls `use` with every face of the part, those of many corners as triangles. */
typedef void (*use_piece)(void *to, int side, piece *p);

static void for_faces(const mrn_posed *b, int side, use_piece use, void *to)
{
    const mrn_convex *s = b->shape;
    piece p;
    p.dimension = s->dimension;
    for (int f = 0; f < s->n_faces; f++) {
        const int32_t *corner = s->corner + s->face_start[f];
        int n = s->face_start[f + 1] - s->face_start[f], parts = n <= WHOLE ? 1 : n - 2;
        p.normal = mrn_posed_normal(b, f);
        for (int k = 0; k < parts; k++) {
            p.x = p.room[0];
            p.n = parts == 1 ? n : 3;
            for (int i = 0; i < p.n; i++)
                p.x[i] = mrn_posed_point(b, corner[i == 0 ? 0 : k + i]);
            use(to, side, &p);
        }
    }
}

static bool is_left(const piece *p)
{
    return p->n >= p->dimension;
}

/* ---- two parts ---- */

typedef struct region {
    const mrn_posed *body[2]; /* C, A                                                */
    int first[2];             /* face of each to cut with first: it looks at the other */
    double flush;
    bool begun;
    mrn_vec3 apex;    /* of the cones: a point of the region, so that little cancels */
    double volume;    /* sums relative to it                                         */
    double surface;   /* of all pieces                                               */
    mrn_vec3 moment;  /* integral of x                                               */
    mrn_vec3 area[2]; /* area vectors of the pieces of each body                     */
} region;

/* Cuts by one face of `by`. True: the piece lies in the face's plane, looking the same way. */
static bool cut_by_face(piece *p, const mrn_posed *by, int face, double flush)
{
    mrn_vec3 m = mrn_posed_normal(by, face);
    double d = by->scale * by->shape->plane[4 * (size_t)face + 3] + mrn_dot(m, by->x);
    double most = -INFINITY, least = INFINITY;
    for (int k = 0; k < p->n; k++) {
        double h = mrn_dot(m, p->x[k]) - d;
        most = h > most ? h : most;
        least = h < least ? h : least;
    }
    if (most <= flush && least >= -flush && mrn_dot(m, p->normal) > 0)
        return true;
    if (most > 0)
        cut(p, m, d);
    return false;
}

/* The cone over a piece. */
static void add_cone(region *r, int side, const piece *p, double weight)
{
    int dimension = p->dimension;
    if (!r->begun) {
        r->begun = true;
        r->apex = p->x[0];
    }
    mrn_vec3 n = p->normal, a = mrn_sub(p->x[0], r->apex), sum = {0, 0, 0};
    double area = 0, height = mrn_dot(n, a);
    if (dimension == 2) {
        mrn_vec3 b = mrn_sub(p->x[1], r->apex);
        area = mrn_norm(mrn_sub(b, a));
        sum = mrn_scale(0.5 * area, mrn_add(a, b));
    }
    for (int k = 1; dimension == 3 && k + 1 < p->n; k++) {
        mrn_vec3 b = mrn_sub(p->x[k], r->apex), c = mrn_sub(p->x[k + 1], r->apex);
        double part = 0.5 * mrn_dot(n, mrn_cross(mrn_sub(b, a), mrn_sub(c, a)));
        area += part;
        sum = mrn_axpy(part / 3, mrn_add(a, mrn_add(b, c)), sum);
    }
    r->area[side] = mrn_axpy(weight * area, n, r->area[side]);
    r->surface += weight * area;
    r->volume += weight * area * height / dimension;
    r->moment = mrn_axpy(weight * height / (dimension + 1), sum, r->moment);
}

static void cut_and_add(void *to, int side, piece *p)
{
    region *r = to;
    const mrn_posed *by = r->body[1 - side];
    int faces = by->shape->n_faces, face = r->first[1 - side];
    bool flush = false;
    for (int k = 0; k < faces && is_left(p); k++) {
        if (cut_by_face(p, by, face, r->flush))
            flush = true;
        face = face + 1 < faces ? face + 1 : 0;
    }
    if (is_left(p))
        add_cone(r, side, p, flush ? 0.5 : 1);
}

/* All of A lies over the face of C that looks at it, or the other way round. */
static bool plainly_apart(const region *r)
{
    for (int side = 0; side < 2; side++) {
        const mrn_posed *p = r->body[side];
        mrn_vec3 n = mrn_posed_normal(p, r->first[side]);
        double low, d = p->shape->plane[4 * (size_t)r->first[side] + 3];
        mrn_posed_lowest(r->body[1 - side], n, &low);
        if (low >= p->scale * d + mrn_dot(n, p->x))
            return true;
    }
    return false;
}

bool mrn_overlap_convex(const mrn_posed *c, const mrn_posed *a, mrn_overlap *out)
{
    double bound_c = c->scale * c->shape->bound, bound_a = a->scale * a->shape->bound;
    mrn_vec3 between = mrn_sub(mrn_posed_ball(c), mrn_posed_ball(a));
    double reach = bound_c + bound_a, size = fmin(bound_c, bound_a);
    if (mrn_dot(between, between) >= reach * reach)
        return false;
    mrn_posed at_c = *c, at_a = *a;
    at_c.x = mrn_sub(c->x, a->x);
    at_a.x = mrn_v3(0, 0, 0);
    region r = {.body = {&at_c, &at_a}, .flush = FLUSH * size};
    r.first[0] = mrn_posed_face_along(&at_c, mrn_scale(-1, between));
    r.first[1] = mrn_posed_face_along(&at_a, between);
    if (plainly_apart(&r))
        return false;
    for (int side = 0; side < 2; side++)
        for_faces(r.body[side], side, cut_and_add, &r);
    if (!(r.volume > NOTHING * size * size * (c->shape->dimension == 2 ? 1 : size)))
        return false;
    mrn_vec3 s = mrn_scale(0.5, mrn_sub(r.area[1], r.area[0]));
    double area = mrn_norm(s);
    if (c->shape->dimension == 2 && mrn_dot(between, between) == 0)
        between.x = 1;
    *out = (mrn_overlap){.volume = r.volume,
                         .area = area,
                         .normal = mrn_unit(area > NOWHERE * r.surface ? s : between),
                         .centre = mrn_add(mrn_axpy(1 / r.volume, r.moment, r.apex), a->x)};
    return true;
}

/* ---- a part and a wall ---- */

/* Behind the plane with normal n through `at`, and within the sides. */
typedef struct column {
    mrn_vec3 at, n, u, v;
    int n_sides;
    mrn_vec3 start[4], m[4];      /* outward */
    double volume, area, x, y, z; /* sums    */
} column;

static mrn_vec3 in_plane(const column *r, mrn_vec3 p)
{
    mrn_vec3 d = mrn_sub(p, r->at);
    return mrn_v3(mrn_dot(r->u, d), mrn_dot(r->v, d), mrn_dot(r->n, d));
}

/* One triangle of a face, in coordinates of the plane. */
static void add_triangle(column *r, const mrn_vec3 *p)
{
    /* its area seen along n, positive where the face looks up */
    double a =
        0.5 * ((p[1].x - p[0].x) * (p[2].y - p[0].y) - (p[1].y - p[0].y) * (p[2].x - p[0].x));
    double sx = p[0].x + p[1].x + p[2].x, sy = p[0].y + p[1].y + p[2].y;
    double sz = p[0].z + p[1].z + p[2].z;
    double xz = p[0].x * p[0].z + p[1].x * p[1].z + p[2].x * p[2].z;
    double yz = p[0].y * p[0].z + p[1].y * p[1].z + p[2].y * p[2].z;
    double zz = p[0].z * p[0].z + p[1].z * p[1].z + p[2].z * p[2].z;
    r->area -= a;
    r->volume += a * sz / 3;
    r->x += a * (sx * sz + xz) / 12;
    r->y += a * (sy * sz + yz) / 12;
    r->z += a * (sz * sz + zz) / 24;
}

/* A side in 2D: it looks up where it runs against u. */
static void add_line(column *r, mrn_vec3 p, mrn_vec3 q)
{
    double l = p.x - q.x;
    r->area -= l;
    r->volume += 0.5 * l * (p.z + q.z);
    r->x += l * (2 * (p.x * p.z + q.x * q.z) + p.x * q.z + q.x * p.z) / 6;
    r->z += l * (p.z * p.z + p.z * q.z + q.z * q.z) / 6;
}

/* A clipped line begins with what was kept of it: its direction is that of the face. */
static void cut_and_stack(void *to, int side, piece *p)
{
    (void)side;
    column *r = to;
    cut(p, r->n, mrn_dot(r->n, r->at));
    for (int k = 0; k < r->n_sides && is_left(p); k++)
        cut(p, r->m[k], mrn_dot(r->m[k], r->start[k]));
    if (!is_left(p))
        return;
    for (int k = 0; k < p->n; k++)
        p->x[k] = in_plane(r, p->x[k]);
    if (p->dimension == 2)
        add_line(r, p->x[0], p->x[1]);
    for (int k = 2; k < p->n; k++)
        add_triangle(r, (mrn_vec3[]){p->x[0], p->x[k - 1], p->x[k]});
}

static void set_frame(const mrn_posed *c, column *r)
{
    if (c->shape->dimension == 2) {
        mrn_vec3 z = mrn_posed_turn(c, mrn_v3(0, 0, 1)); /* out of the plane */
        r->u = mrn_unit(mrn_cross(r->n, z));
    } else {
        r->u = mrn_across(r->n);
    }
    r->v = mrn_cross(r->n, r->u);
}

static void under_piece(const mrn_posed *c, const mrn_flat *f, column *r)
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
static bool under_deepest(const mrn_posed *c, const mrn_shape *wall, int32_t feature, column *r)
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
    mrn_surface surface;
    column r = {.n_sides = 0};
    if (mrn_surface_of(wall, feature, &surface) && surface.kind == MRN_SURFACE_PIECE)
        under_piece(&p, &surface.flat, &r);
    else if (!under_deepest(&p, wall, feature, &r))
        return false;
    set_frame(&p, &r);
    for_faces(&p, 0, cut_and_stack, &r);
    if (!(r.volume > 0))
        return false;
    mrn_vec3 at = mrn_axpy(r.z / r.volume, r.n, r.at);
    at = mrn_axpy(r.x / r.volume, r.u, mrn_axpy(r.y / r.volume, r.v, at));
    *out = (mrn_overlap){r.volume, fmax(r.area, 0), mrn_unit(mrn_rotate(q_w, r.n)),
                         mrn_add(mrn_rotate(q_w, at), x_w)};
    return true;
}
