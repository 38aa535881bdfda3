/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The region two convex polyhedra share. Its surface is the faces of each cut by the planes of the
   other; volume and centroid are sums of cones over these pieces. The volume's derivative by the
   position of C is the area vector of C's pieces, minus that of A's. */
#include <string.h>

#include "detect/narrow_parts.h"

/* Corners of a piece at most. A face of more than WHOLE corners is cut as a fan of triangles; cuts
   that would need more room are left out (a face of some 60 sides that all cut the same piece). */
enum { ROOM = 64, WHOLE = ROOM / 2 };

/* Faces of both that lie in one plane (within this times the size) and look the same way bound the
   region together: each counts half, so that exchanging the bodies changes nothing. Planes that are
   farther from each other cut each other along a line known to 1e-7 of the size. */
static const double FLUSH = 1e-9;
/* Volumes below this (in sizes cubed) are rounding. */
static const double NOTHING = 1e-15;

typedef struct piece {
    int n;
    mrn_vec3 x[ROOM];
} piece;

typedef struct region {
    const mrn_posed *body[2]; /* C, A                                                */
    int first[2];             /* face of each to cut with first: it looks at the other */
    double flush;
    bool begun;
    mrn_vec3 apex;    /* of the cones: a point of the region, so that little cancels */
    double volume;    /* sums relative to it                                         */
    mrn_vec3 moment;  /* integral of x                                               */
    mrn_vec3 area[2]; /* area vectors of the pieces of each body                     */
} region;

static void cut(piece *p, const double *h)
{
    piece old;
    old.n = p->n;
    memcpy(old.x, p->x, sizeof *p->x * (size_t)p->n);
    p->n = 0;
    for (int k = 0; k < old.n; k++) {
        int next = k + 1 < old.n ? k + 1 : 0;
        if (h[k] <= 0)
            p->x[p->n++] = old.x[k];
        if ((h[k] <= 0) != (h[next] <= 0) && p->n < ROOM) {
            mrn_vec3 d = mrn_sub(old.x[next], old.x[k]);
            p->x[p->n++] = mrn_axpy(h[k] / (h[k] - h[next]), d, old.x[k]);
        }
    }
}

/* Cuts by one face of `by`. True: the piece lies in the face's plane, looking the same way. */
static bool cut_by_face(piece *p, mrn_vec3 n, const mrn_posed *by, int face, double flush)
{
    mrn_vec3 m = mrn_posed_normal(by, face);
    double d = by->scale * by->shape->plane[4 * (size_t)face + 3] + mrn_dot(m, by->x);
    double h[ROOM], most = -INFINITY, least = INFINITY;
    for (int k = 0; k < p->n; k++) {
        h[k] = mrn_dot(m, p->x[k]) - d;
        most = h[k] > most ? h[k] : most;
        least = h[k] < least ? h[k] : least;
    }
    if (most <= flush && least >= -flush && mrn_dot(m, n) > 0)
        return true;
    if (most > 0 && p->n < ROOM)
        cut(p, h);
    return false;
}

/* Adds what a piece of `side` with unit normal n contributes. */
static void add_piece(region *r, int side, const piece *p, mrn_vec3 n, double weight)
{
    if (!r->begun) {
        r->begun = true;
        r->apex = p->x[0];
    }
    mrn_vec3 a = mrn_sub(p->x[0], r->apex), sum = {0, 0, 0};
    double area = 0, height = mrn_dot(n, a);
    for (int k = 1; k + 1 < p->n; k++) {
        mrn_vec3 b = mrn_sub(p->x[k], r->apex), c = mrn_sub(p->x[k + 1], r->apex);
        double part = 0.5 * mrn_dot(n, mrn_cross(mrn_sub(b, a), mrn_sub(c, a)));
        area += part;
        sum = mrn_axpy(part / 3, mrn_add(a, mrn_add(b, c)), sum);
    }
    r->area[side] = mrn_axpy(weight * area, n, r->area[side]);
    r->volume += weight * area * height / 3;
    r->moment = mrn_axpy(weight * height / 4, sum, r->moment);
}

static void cut_and_add(region *r, int side, piece *p, mrn_vec3 n)
{
    const mrn_posed *by = r->body[1 - side];
    int faces = by->shape->n_faces, face = r->first[1 - side];
    bool flush = false;
    for (int k = 0; k < faces && p->n > 2; k++) {
        if (cut_by_face(p, n, by, face, r->flush))
            flush = true;
        face = face + 1 < faces ? face + 1 : 0;
    }
    if (p->n > 2)
        add_piece(r, side, p, n, flush ? 0.5 : 1);
}

static void add_face(region *r, int side, int face)
{
    const mrn_posed *b = r->body[side];
    const int32_t *corner = b->shape->corner + b->shape->face_start[face];
    int n = b->shape->face_start[face + 1] - b->shape->face_start[face];
    mrn_vec3 normal = mrn_posed_normal(b, face);
    piece p;
    if (n <= WHOLE) {
        for (p.n = 0; p.n < n; p.n++)
            p.x[p.n] = mrn_posed_point(b, corner[p.n]);
        cut_and_add(r, side, &p, normal);
        return;
    }
    for (int k = 1; k + 1 < n; k++) {
        p.n = 3;
        p.x[0] = mrn_posed_point(b, corner[0]);
        p.x[1] = mrn_posed_point(b, corner[k]);
        p.x[2] = mrn_posed_point(b, corner[k + 1]);
        cut_and_add(r, side, &p, normal);
    }
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
    if (c->shape->dimension == 2)
        return mrn_overlap_polygons(c, a, out);
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
        for (int f = 0; f < r.body[side]->shape->n_faces; f++)
            add_face(&r, side, f);
    if (!(r.volume > NOTHING * size * size * size))
        return false;
    mrn_vec3 s = mrn_scale(0.5, mrn_sub(r.area[1], r.area[0]));
    out->volume = r.volume;
    out->area = mrn_norm(s);
    out->normal = mrn_unit(out->area > 0 ? s : between);
    out->centre = mrn_add(mrn_axpy(1 / r.volume, r.moment, r.apex), a->x);
    return true;
}
