/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where two convex polygons meet.

   The separation along a unit normal n is s(n) = min over C of n.x - max over A of n.x. Its largest
   value is the distance of the two when apart, minus the least overlap otherwise. Between the
   normals of neighbouring sides (of A, and of C turned round) the same two corners are extreme and
   s is a cosine. Overlapping, s < 0 and a cosine is smallest in between: the largest value is at
   the normal of a side, and testing all sides is exact. Apart, s is unimodal where it is positive,
   so the best normal is that of the best side or lies between it and the next one: the distance is
   that of the extreme corner and the best side as a segment, or, where a side of the other lies
   along it, that of the two segments.

   Corners along the sides' normals are found by walking round once, as the normals do.

   Sides before corners: a corner that overhangs the end of a side by less than OVERHANG of the
   alert distance counts as on the side. The gap then is too small by at most that much, the
   half-plane of the side still holds the whole polygon, and two blocks with flush ends keep the
   normal of their joint instead of one that turns with the last digits of their positions. Less
   than a hundredth of the distance at which contacts are seen coming, it lies below the overlaps
   that are tolerated anyway.

   Keys: every point of a manifold is a corner of one polygon on a side of the other, whichever of
   the two the normal was taken from. A corner occurs once at most, so the corner is the key: it
   stays while the corner slides from side to side. */
#include "geom/narrow.h"

#define OVERHANG 0.01
#define SAME     1e-9 /* of a side's length: below, directions are noise */

typedef struct vec2 {
    double x, y;
} vec2;

static inline vec2 v2(double x, double y)
{
    return (vec2){x, y};
}

static inline vec2 sub(vec2 a, vec2 b)
{
    return v2(a.x - b.x, a.y - b.y);
}

static inline double dot(vec2 a, vec2 b)
{
    return a.x * b.x + a.y * b.y;
}

/* A polygon where it stands. Corner k is where side k begins. */
typedef struct body {
    const mrn_posed *p;
    int n;
    vec2 x; /* relative to a common origin nearby */
    bool is_a;
} body;

static inline int point_number(const body *b, int k)
{
    return b->p->shape->corner[2 * k];
}

static inline vec2 local_corner(const body *b, int k)
{
    const double *p = b->p->shape->point + 3 * (size_t)point_number(b, k);
    return v2(p[0], p[1]);
}

static inline vec2 turn(const body *b, vec2 a)
{
    const double *m = b->p->m;
    return v2(m[0] * a.x + m[1] * a.y, m[3] * a.x + m[4] * a.y);
}

static inline vec2 unturn(const body *b, vec2 a)
{
    const double *m = b->p->m;
    return v2(m[0] * a.x + m[3] * a.y, m[1] * a.x + m[4] * a.y);
}

static vec2 corner(const body *b, int k)
{
    vec2 a = turn(b, local_corner(b, k));
    return v2(b->p->scale * a.x + b->x.x, b->p->scale * a.y + b->x.y);
}

static inline vec2 side_normal(const body *b, int k)
{
    const double *plane = b->p->shape->plane + 4 * (size_t)k;
    return turn(b, v2(plane[0], plane[1]));
}

static inline int next(const body *b, int k)
{
    return k + 1 < b->n ? k + 1 : 0;
}

static inline int before(const body *b, int k)
{
    return k > 0 ? k - 1 : b->n - 1;
}

/* The side of `ref` with the largest separation from `inc`, and the corner of `inc` nearest to its
   line. */
typedef struct axis {
    int side, corner;
    double separation;
} axis;

static int lowest(const body *b, vec2 n)
{
    int best = 0;
    double least = dot(n, local_corner(b, 0));
    for (int k = 1; k < b->n; k++) {
        double h = dot(n, local_corner(b, k));
        if (h < least) {
            least = h;
            best = k;
        }
    }
    return best;
}

/* False: apart by `alert` or more along some side's normal. */
static bool best_side(const body *ref, const body *inc, double alert, axis *out)
{
    vec2 d = sub(inc->x, ref->x);
    int at = -1;
    out->separation = -INFINITY;
    for (int k = 0; k < ref->n; k++) {
        vec2 n = side_normal(ref, k), local = unturn(inc, n);
        if (at < 0 || ref->n == 2) /* a line turns by half a circle: two corners level with it hide
                                      the way round */
            at = lowest(inc, local);
        double h = dot(local, local_corner(inc, at));
        for (int steps = 0; steps < inc->n; steps++) {
            double h_next = dot(local, local_corner(inc, next(inc, at)));
            if (h_next >= h)
                break;
            h = h_next;
            at = next(inc, at);
        }
        double s =
            dot(n, d) + inc->p->scale * h - ref->p->scale * ref->p->shape->plane[4 * (size_t)k + 3];
        if (s > out->separation)
            *out = (axis){k, at, s};
        if (s >= alert)
            return false;
    }
    return true;
}

/* ---- points ---- */

static mrn_contact_point point_at(const body *ref, mrn_vec3 origin, vec2 n, vec2 point, double gap,
                                  const body *owner, int k)
{
    double sign = ref->is_a ? 1 : -1;
    mrn_contact_point m = {
        .point = mrn_v3(origin.x + point.x, origin.y + point.y, origin.z),
        .normal = mrn_v3(sign * n.x, sign * n.y, 0),
        .gap = gap,
        .touch = true,
        .feature = 2 * (uint32_t)point_number(owner, k) + (owner->is_a ? 1 : 0),
    };
    return m;
}

static double overhang(double alert, double length)
{
    return OVERHANG * alert + SAME * length;
}

/* A corner of `inc` on a side of `ref`, n the side's normal; `at` where along it the corner is. */
typedef struct foot {
    vec2 p;
    double gap, along;
    const body *owner;
    int corner;
} foot;

static foot foot_of(const body *inc, int k, vec2 start, vec2 n)
{
    vec2 p = corner(inc, k), d = sub(p, start);
    return (foot){p, dot(n, d), n.x * d.y - n.y * d.x, inc, k};
}

/* Cuts the segment from f to `other` at the end of the reference side, whose corner k is there. */
static foot cut(foot f, foot other, double along, const body *ref, int k)
{
    double t = (along - f.along) / (other.along - f.along);
    vec2 p = v2(f.p.x + t * (other.p.x - f.p.x), f.p.y + t * (other.p.y - f.p.y));
    return (foot){p, f.gap + t * (other.gap - f.gap), along, ref, k};
}

/* The points of a side of `ref` and the side of `inc` at its corner k that faces it. */
static int manifold(const body *ref, int side, const body *inc, int k, double alert,
                    mrn_vec3 origin, mrn_contact_point *out)
{
    vec2 n = side_normal(ref, side), start = corner(ref, side);
    vec2 end = corner(ref, next(ref, side)), d = sub(end, start);
    double length = n.x * d.y - n.y * d.x, margin = overhang(alert, length);
    int j = before(inc, k);
    if (dot(side_normal(inc, k), n) < dot(side_normal(inc, j), n))
        j = k;
    /* the side of inc runs against that of ref */
    foot f[2] = {foot_of(inc, next(inc, j), start, n), foot_of(inc, j, start, n)};
    foot extreme = f[j == k ? 1 : 0];
    bool outside = f[0].along >= length || f[1].along <= 0 || f[1].along <= f[0].along;
    if (!outside) {
        foot low = f[0], high = f[1];
        if (low.along < -margin)
            f[0] = cut(low, high, 0, ref, side);
        if (high.along > length + margin)
            f[1] = cut(high, low, length, ref, next(ref, side));
    }
    int count = 0;
    bool one = outside || f[1].along - f[0].along < 1e3 * SAME * length;
    if (one)
        f[0] = outside ? extreme : f[1].gap < f[0].gap ? f[1] : f[0];
    for (int i = 0; i < (one ? 1 : 2); i++) {
        if (f[i].gap >= alert)
            continue;
        vec2 middle = v2(f[i].p.x - 0.5 * f[i].gap * n.x, f[i].p.y - 0.5 * f[i].gap * n.y);
        out[count++] = point_at(ref, origin, n, middle, f[i].gap, f[i].owner, f[i].corner);
    }
    return count;
}

/* Two corners, nearest to each other. */
static int corners(const body *ref, int i, const body *inc, int k, double alert, mrn_vec3 origin,
                   mrn_contact_point *out)
{
    vec2 p = corner(ref, i), q = corner(inc, k), d = sub(q, p);
    double length = sqrt(dot(d, d));
    if (length >= alert)
        return 0;
    vec2 n = v2(d.x / length, d.y / length);
    *out = point_at(ref, origin, n, v2(0.5 * (p.x + q.x), 0.5 * (p.y + q.y)), length,
                    inc->is_a ? ref : inc, inc->is_a ? i : k);
    return 1;
}

/* Whether the corner p has its foot inside side `side` of `b`. */
static bool is_over(const body *b, int side, vec2 p)
{
    vec2 a = corner(b, side), e = sub(corner(b, next(b, side)), a), d = sub(p, a);
    double along = dot(e, d);
    return along >= 0 && along <= dot(e, e);
}

/* Apart, and the extreme corner of `inc` beyond the end of the best side whose corner is `end`: a
   side of `inc` may lie along the best one (its other corner or the end then is nearest), else
   corner meets corner. */
static int points_beyond(const body *ref, const axis *best, int end, const body *inc, double alert,
                         mrn_vec3 origin, mrn_contact_point *out)
{
    int around[2] = {before(inc, best->corner), next(inc, best->corner)};
    int sides[2] = {around[0], best->corner};
    vec2 n = side_normal(ref, best->side), e = corner(ref, end);
    vec2 start = corner(ref, best->side), d = sub(corner(inc, best->corner), e);
    double nearest = sqrt(dot(d, d));
    int kind = 0, which = best->corner;
    for (int i = 0; i < 2; i++) {
        vec2 q = corner(inc, around[i]);
        double h = dot(n, sub(q, start));
        if (h < nearest && is_over(ref, best->side, q)) {
            nearest = h;
            kind = 1;
        }
        vec2 to = sub(q, e);
        if (sqrt(dot(to, to)) < nearest) {
            nearest = sqrt(dot(to, to));
            kind = 0;
            which = around[i];
        }
        double g = dot(side_normal(inc, sides[i]), sub(e, corner(inc, sides[i])));
        if (g > 0 && g < nearest && is_over(inc, sides[i], e)) {
            nearest = g;
            kind = 2;
            which = sides[i];
        }
    }
    if (kind == 1)
        return manifold(ref, best->side, inc, best->corner, alert, origin, out);
    if (kind == 2)
        return manifold(inc, which, ref, end, alert, origin, out);
    return corners(ref, end, inc, which, alert, origin, out);
}

static int points_of(const body *ref, const axis *best, const body *inc, double alert,
                     mrn_vec3 origin, mrn_contact_point *out)
{
    if (best->separation > 0) {
        int last = next(ref, best->side);
        vec2 a = corner(ref, best->side), b = corner(ref, last), e = sub(b, a);
        double length = sqrt(dot(e, e)), margin = overhang(alert, length);
        double along = dot(e, sub(corner(inc, best->corner), a)) / length;
        if (along < -margin)
            return points_beyond(ref, best, best->side, inc, alert, origin, out);
        if (along > length + margin)
            return points_beyond(ref, best, last, inc, alert, origin, out);
    }
    return manifold(ref, best->side, inc, best->corner, alert, origin, out);
}

int mrn_narrow_polygons(const mrn_posed *c, const mrn_posed *a, double alert,
                        mrn_contact_point *out)
{
    body ba = {a, a->shape->n_faces, v2(0, 0), true};
    body bc = {c, c->shape->n_faces, v2(c->x.x - a->x.x, c->x.y - a->x.y), false};
    axis of_a, of_c;
    if (!best_side(&ba, &bc, alert, &of_a) || !best_side(&bc, &ba, alert, &of_c))
        return 0;
    if (of_c.separation > of_a.separation)
        return points_of(&bc, &of_c, &ba, alert, a->x, out);
    return points_of(&ba, &of_a, &bc, alert, a->x, out);
}
