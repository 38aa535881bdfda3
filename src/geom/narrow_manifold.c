/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points two faces or two edges share: one polygon cut by the sides of the other, every corner
   with the features it came from, reduced to a few that span it. */
#include "geom/narrow_parts.h"

#include <string.h>

/* Corners of the polygon to cut at most: of a larger face every second, third … corner. Each side
   of the other face adds one corner; sides beyond MRN_MANIFOLD_MAX in all do not cut. */
enum { WHOLE = MRN_MANIFOLD_MAX / 2 };

/* Points nearer to a corner of the cut face than this times the size have its key: where corners of
   two equal boxes lie over each other, rounding alone decides what cuts what. */
static const double SAME_CORNER = 1e-3;
/* Gaps (times the size) that count as equally deep when points are picked: below what positions of
   resting grains shake by. */
static const double SAME_DEPTH = 1e-6;

/* A corner this near (times the size) to the line between its neighbours makes no corner. */
static const double STRAIGHT = 1e-5;
/* Points of two edges this far (times the size) from being over each other are none. */
static const double ASIDE = 2e-6;

/* A corner and what its outgoing side is part of: side k >= 0 of the face that is cut; -1 - j: side
   j of the face that cuts. */
typedef struct cut_corner {
    mrn_vec3 x;
    int out;
} cut_corner;

typedef struct cut {
    int n;
    cut_corner corner[MRN_MANIFOLD_MAX];
} cut;

/* One face of a body. */
typedef struct face_view {
    const mrn_posed *body;
    int face, n;
    const int32_t *corner;
} face_view;

static face_view view(const mrn_posed *body, int face)
{
    const mrn_convex *s = body->shape;
    return (face_view){body, face, s->face_start[face + 1] - s->face_start[face],
                       s->corner + s->face_start[face]};
}

/* Of the faces round a corner (the lowest along n) the one that looks most against n; where an edge
   lies level there, one of its two faces. */
static int face_against(const mrn_posed *p, int corner, mrn_vec3 n, double size)
{
    const mrn_convex *s = p->shape;
    mrn_vec3 u = mrn_posed_unturn(p, n), x = mrn_load3(s->point + 3 * (size_t)corner);
    double least = INFINITY, level = SAME_DEPTH * size / p->scale;
    bool any_level = false;
    int at = 0;
    for (int e = 0; e < s->n_edges; e++) {
        const int32_t *edge = s->edge + 4 * (size_t)e;
        if (edge[0] != corner && edge[1] != corner)
            continue;
        int end = edge[0] == corner ? edge[1] : edge[0];
        bool is_level = mrn_dot(u, mrn_sub(mrn_load3(s->point + 3 * (size_t)end), x)) <= level;
        if (any_level && !is_level)
            continue;
        if (is_level && !any_level)
            least = INFINITY;
        any_level = is_level;
        for (int k = 2; k < 4; k++) {
            double d = mrn_dot(u, mrn_load3(s->plane + 4 * (size_t)edge[k]));
            if (d < least || (d == least && edge[k] < at)) {
                least = d;
                at = edge[k];
            }
        }
    }
    return at;
}

/* Starts at `corner`, so that a face with too many keeps it. */
static void begin(const face_view *f, int corner, cut *c)
{
    int first = 0, stride = (f->n + WHOLE - 1) / WHOLE;
    for (int k = 0; k < f->n && stride > 1; k++)
        if (f->corner[k] == corner)
            first = k;
    c->n = 0;
    for (int k = 0; k < f->n; k += stride) {
        int at = (first + k) % f->n;
        c->corner[c->n++] = (cut_corner){mrn_posed_point(f->body, f->corner[at]), at};
    }
}

static void add(cut *c, mrn_vec3 x, int out)
{
    if (c->n < MRN_MANIFOLD_MAX)
        c->corner[c->n++] = (cut_corner){x, out};
}

static mrn_vec3 between(mrn_vec3 a, mrn_vec3 b, double ha, double hb)
{
    return mrn_axpy(ha / (ha - hb), mrn_sub(b, a), a);
}

/* Keeps what lies where m.x <= d; `side` is the number of the side that cuts. */
static void cut_by(cut *c, mrn_vec3 m, double d, int side)
{
    double h[MRN_MANIFOLD_MAX], most = -INFINITY;
    for (int k = 0; k < c->n; k++) {
        h[k] = mrn_dot(m, c->corner[k].x) - d;
        most = h[k] > most ? h[k] : most;
    }
    if (most <= 0 || c->n == MRN_MANIFOLD_MAX)
        return;
    cut old;
    old.n = c->n;
    memcpy(old.corner, c->corner, sizeof *c->corner * (size_t)c->n);
    c->n = 0;
    for (int k = 0; k < old.n; k++) {
        int next = k + 1 < old.n ? k + 1 : 0;
        cut_corner p = old.corner[k], q = old.corner[next];
        if (h[k] <= 0)
            add(c, p.x, p.out);
        if (h[k] <= 0 && h[next] > 0)
            add(c, between(p.x, q.x, h[k], h[next]), -1 - side);
        else if (h[k] > 0 && h[next] <= 0)
            add(c, between(p.x, q.x, h[k], h[next]), p.out);
    }
}

static void cut_by_sides(cut *c, const face_view *f, mrn_vec3 n)
{
    mrn_vec3 p = mrn_posed_point(f->body, f->corner[f->n - 1]);
    for (int k = 0; k < f->n && c->n > 0; k++) {
        mrn_vec3 q = mrn_posed_point(f->body, f->corner[k]);
        mrn_vec3 m = mrn_cross(mrn_sub(q, p), n);
        cut_by(c, m, mrn_dot(m, p), k > 0 ? k - 1 : f->n - 1);
        p = q;
    }
}

static uint32_t side_key(const face_view *f, int side)
{
    int p = f->corner[side], q = f->corner[side + 1 < f->n ? side + 1 : 0];
    return mrn_feature(MRN_FEATURE_EDGE, mrn_convex_edge(f->body->shape, p, q));
}

/* The corner two sides of the cutting face share (they come in its own order or against it). */
static int shared_corner(const face_view *f, int i, int j)
{
    return f->corner[(i + 1) % f->n == j ? j : i];
}

/* The corner of the cut face next to x; -1: none so near. */
static int near_corner(const face_view *f, mrn_vec3 x, double size)
{
    double near = SAME_CORNER * size;
    for (int k = 0; k < f->n; k++) {
        mrn_vec3 d = mrn_sub(mrn_posed_point(f->body, f->corner[k]), x);
        if (mrn_dot(d, d) <= near * near)
            return f->corner[k];
    }
    return -1;
}

/* Features of corner k: of the cut body in [0], of the cutting one in [1]. */
static void features(const cut *c, int k, const face_view *own, const face_view *by, double size,
                     uint32_t key[2])
{
    int in = c->corner[k > 0 ? k - 1 : c->n - 1].out, out = c->corner[k].out;
    int corner = in >= 0 && out >= 0 ? own->corner[out] : near_corner(own, c->corner[k].x, size);
    if (corner >= 0) {
        key[0] = mrn_feature(MRN_FEATURE_POINT, corner);
        key[1] = mrn_feature(MRN_FEATURE_FACE, by->face);
    } else if (in < 0 && out < 0) {
        key[0] = mrn_feature(MRN_FEATURE_FACE, own->face);
        key[1] = mrn_feature(MRN_FEATURE_POINT, shared_corner(by, -1 - in, -1 - out));
    } else {
        key[0] = side_key(own, in >= 0 ? in : out);
        key[1] = side_key(by, in >= 0 ? -1 - out : -1 - in);
    }
}

/* Points on their way into the manifold, with doubles (same key) thrown out: the deeper stays. */
typedef struct bag {
    int n;
    mrn_contact_point p[MRN_MANIFOLD_MAX];
} bag;

static void put(bag *b, mrn_contact_point p)
{
    for (int k = 0; k < b->n; k++)
        if (b->p[k].feature == p.feature) {
            if (p.gap < b->p[k].gap)
                b->p[k] = p;
            return;
        }
    b->p[b->n++] = p;
}

static void move_to(bag *b, int from, int to)
{
    mrn_contact_point p = b->p[from];
    b->p[from] = b->p[to];
    b->p[to] = p;
}

static int deepest(const bag *b, double tolerance)
{
    double least = INFINITY;
    for (int k = 0; k < b->n; k++)
        least = b->p[k].gap < least ? b->p[k].gap : least;
    int at = 0;
    while (!(b->p[at].gap <= least + tolerance))
        at++;
    return at;
}

enum { SPANNING = 4 }; /* points that span what touches; others are kept by their depth */

/* How much a point adds to those picked: distance to the first, then twice the area of the triangle
   with the first two, then how far it stands out of the triangle of three. */
static double worth(const bag *b, int picked, mrn_vec3 x, mrn_vec3 n)
{
    mrn_vec3 a = b->p[0].point, d = mrn_sub(x, a);
    if (picked == 1)
        return mrn_norm(d);
    mrn_vec3 e = mrn_sub(b->p[1].point, a);
    double area = mrn_dot(n, mrn_cross(e, d));
    if (picked == 2)
        return fabs(area);
    double whole = mrn_dot(n, mrn_cross(e, mrn_sub(b->p[2].point, a)));
    mrn_vec3 f = mrn_sub(b->p[2].point, b->p[1].point), g = mrn_sub(b->p[2].point, a);
    double sign = whole < 0 ? -1 : 1;
    double out_e = -sign * area;
    double out_f = -sign * mrn_dot(n, mrn_cross(f, mrn_sub(x, b->p[1].point)));
    double out_g = sign * mrn_dot(n, mrn_cross(g, d));
    return fmax(out_e, fmax(out_f, out_g));
}

/* The deepest, then those that add most. A later one must add clearly more than an earlier one, so
   that rounding does not choose between equals. */
static void pick(bag *b, mrn_vec3 n, double size)
{
    if (b->n <= MRN_NARROW_MAX)
        return;
    move_to(b, deepest(b, SAME_DEPTH * size), 0);
    for (int picked = 1; picked < SPANNING; picked++) {
        double most = worth(b, picked, b->p[picked].point, n);
        int at = picked;
        for (int k = picked + 1; k < b->n; k++) {
            double w = worth(b, picked, b->p[k].point, n);
            if (w > most + 1e-6 * fabs(most)) {
                most = w;
                at = k;
            }
        }
        move_to(b, at, picked);
    }
    /* the rest by depth: a corner that is left out sinks in until it is the deepest */
    for (int picked = SPANNING; picked < MRN_NARROW_MAX; picked++) {
        int at = picked;
        for (int k = picked + 1; k < b->n; k++)
            if (b->p[k].gap < b->p[at].gap - SAME_DEPTH * size)
                at = k;
        move_to(b, at, picked);
    }
    b->n = MRN_NARROW_MAX;
}

static void finish(bag *b, mrn_vec3 n, double size, mrn_manifold *m)
{
    m->normal = n;
    m->least = INFINITY;
    for (int k = 0; k < b->n; k++)
        m->least = b->p[k].gap < m->least ? b->p[k].gap : m->least;
    pick(b, n, size);
    m->n = b->n;
    for (int k = 0; k < b->n; k++)
        m->point[k] = b->p[k];
}

/* A crossing of two sides that run along each other adds nothing: it lies on the line between its
   neighbours, its gap between theirs. Where equal boxes lie on each other rounding makes such. */
static bool idle(const cut *c, int k, mrn_vec3 n, double size)
{
    int before = k > 0 ? k - 1 : c->n - 1, after = k + 1 < c->n ? k + 1 : 0;
    int in = c->corner[before].out, out = c->corner[k].out;
    if (c->n < 4 || (in >= 0) == (out >= 0))
        return false;
    mrn_vec3 p = c->corner[before].x, e = mrn_sub(c->corner[after].x, p);
    mrn_vec3 d = mrn_sub(c->corner[k].x, p), off = mrn_cross(e, d);
    double near = STRAIGHT * size, ee = mrn_dot(e, e), along = mrn_dot(e, d);
    double margin = SAME_CORNER * size * sqrt(ee);
    if (!(mrn_dot(off, off) <= near * near * ee && along > margin && along < ee - margin))
        return false;
    return mrn_dot(n, d) >= fmin(0, mrn_dot(n, e)) - 1e-10 * size;
}

void mrn_narrow_faces(const mrn_posed *const body[2], int side, int face, int corner, double alert,
                      double size, mrn_manifold *m)
{
    mrn_vec3 out = mrn_posed_normal(body[side], face);
    face_view by = view(body[side], face);
    face_view own = view(body[1 - side], face_against(body[1 - side], corner, out, size));
    mrn_vec3 n = side == 1 ? out : mrn_scale(-1, out);
    double level = mrn_dot(out, mrn_posed_point(by.body, by.corner[0]));
    cut c;
    bag b;
    b.n = 0;
    begin(&own, corner, &c);
    cut_by_sides(&c, &by, out);
    for (int k = 0; k < c.n; k++) {
        double gap = mrn_dot(out, c.corner[k].x) - level;
        if (!(gap < alert) || idle(&c, k, out, size))
            continue;
        uint32_t key[2];
        features(&c, k, &own, &by, size, key);
        put(&b, (mrn_contact_point){.point = mrn_axpy(-0.5 * gap, out, c.corner[k].x),
                                    .normal = n,
                                    .gap = gap,
                                    .touch = true,
                                    .feature =
                                        side == 1 ? key[0] << 16 | key[1] : key[1] << 16 | key[0]});
    }
    finish(&b, n, size, m);
}

/* One end of the shared stretch: an end of one of the edges, or both at once. */
static void edge_point(const mrn_vec3 end[2][2], const int edge[2], double t, mrn_vec3 along,
                       mrn_vec3 n, double alert, double aside, uint32_t mark, bag *b)
{
    mrn_vec3 x[2];
    for (int k = 0; k < 2; k++) {
        mrn_vec3 e = mrn_sub(end[k][1], end[k][0]);
        double s = (t - mrn_dot(along, end[k][0])) / mrn_dot(along, e);
        x[k] = mrn_axpy(fmin(fmax(s, 0), 1), e, end[k][0]);
    }
    double gap = mrn_dot(n, mrn_sub(x[0], x[1]));
    if (!(gap < alert) || mrn_norm(mrn_axpy(-gap, n, mrn_sub(x[0], x[1]))) > aside)
        return;
    uint32_t c = mrn_feature(MRN_FEATURE_EDGE, edge[0]), a = mrn_feature(MRN_FEATURE_EDGE, edge[1]);
    b->p[b->n++] = (mrn_contact_point){.point = mrn_scale(0.5, mrn_add(x[0], x[1])),
                                       .normal = n,
                                       .gap = gap,
                                       .touch = true,
                                       .feature = (c << 16 | a) ^ mark};
}

/* The two points differ in the key's upper bit of A's kind, which no other point of edges has: kind
   3 instead of 1. */
void mrn_narrow_edges(const mrn_posed *const body[2], const int edge[2], mrn_vec3 n, double alert,
                      double size, mrn_manifold *m)
{
    mrn_vec3 end[2][2];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++)
            end[k][i] = mrn_posed_point(body[k], body[k]->shape->edge[4 * edge[k] + i]);
    mrn_vec3 along = mrn_unit(mrn_sub(end[1][1], end[1][0]));
    double from = -INFINITY, to = INFINITY;
    for (int k = 0; k < 2; k++) {
        double s = mrn_dot(along, end[k][0]), t = mrn_dot(along, end[k][1]);
        from = fmax(from, fmin(s, t));
        to = fmin(to, fmax(s, t));
    }
    bag b;
    b.n = 0;
    if (to - from > SAME_CORNER * size) {
        edge_point(end, edge, from, along, n, alert, ASIDE * size, 0, &b);
        edge_point(end, edge, to, along, n, alert, ASIDE * size, 0x8000u, &b);
    }
    finish(&b, n, size, m);
}
