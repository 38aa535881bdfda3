/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Polyhedra for the tests of the narrow phase: hulls by trying all planes through three points, and
   distances and overlaps by trying all features and all directions. Nothing here is taken from the
   library but its types. */
#ifndef MRN_TESTS_GEOM_HULLS_H
#define MRN_TESTS_GEOM_HULLS_H

#include "world.h"

#include <stdlib.h>
#include <string.h>

#include "geom/narrow.h"

enum { HULL_POINTS = 40, HULL_FACES = 120, HULL_EDGES = 180 };

/* A polyhedron with room of its own. */
typedef struct hull {
    mrn_convex shape;
    double point[3 * HULL_POINTS], plane[4 * HULL_FACES];
    int32_t face_start[HULL_FACES + 1], corner[2 * HULL_EDGES], edge[4 * HULL_EDGES];
    int32_t ring_start[HULL_POINTS + 1], ring[2 * HULL_EDGES];
} hull;

static inline double hull_uniform(mrn_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * mrn_rng_uniform(r);
}
static inline mrn_vec3 hull_direction(mrn_rng *r)
{
    double x = mrn_rng_normal(r), y = mrn_rng_normal(r), z = mrn_rng_normal(r);
    return mrn_unit(mrn_v3(x, y, z));
}
static inline mrn_quat hull_rotation(mrn_rng *r)
{
    double w = mrn_rng_normal(r), x = mrn_rng_normal(r), y = mrn_rng_normal(r),
           z = mrn_rng_normal(r);
    return mrn_quat_unit((mrn_quat){w, x, y, z});
}

static inline mrn_vec3 hull_point(const hull *h, int k)
{
    return mrn_load3(h->point + 3 * k);
}

/* The plane through three points if all others lie behind it. */
static inline bool hull_plane(const hull *h, int i, int j, int k, double *plane)
{
    mrn_vec3 a = hull_point(h, i), b = mrn_sub(hull_point(h, j), a),
             c = mrn_sub(hull_point(h, k), a);
    mrn_vec3 n = mrn_cross(b, c);
    if (mrn_norm(n) < 1e-9 * mrn_norm(b) * mrn_norm(c))
        return false;
    n = mrn_unit(n);
    for (int sign = 1; sign >= -1; sign -= 2) {
        mrn_vec3 m = mrn_scale(sign, n);
        bool behind = true;
        for (int p = 0; p < h->shape.n_points && behind; p++)
            behind = mrn_dot(m, mrn_sub(hull_point(h, p), a)) < 1e-9;
        if (behind) {
            mrn_store3(plane, m);
            plane[3] = mrn_dot(m, a);
            return true;
        }
    }
    return false;
}

static inline bool hull_has_plane(const hull *h, const double *plane)
{
    for (int f = 0; f < h->shape.n_faces; f++)
        if (mrn_dot(mrn_load3(plane), mrn_load3(h->plane + 4 * f)) > 1 - 1e-12 &&
            fabs(plane[3] - h->plane[4 * f + 3]) < 1e-8)
            return true;
    return false;
}

/* Corners of the face on a plane, counter-clockwise seen from outside. */
static inline int hull_corners(const hull *h, const double *plane, int32_t *out)
{
    mrn_vec3 n = mrn_load3(plane), mid = {0, 0, 0}, u;
    double angle[HULL_POINTS];
    int m = 0;
    for (int p = 0; p < h->shape.n_points; p++)
        if (fabs(mrn_dot(n, hull_point(h, p)) - plane[3]) < 1e-9) {
            out[m++] = p;
            mid = mrn_add(mid, hull_point(h, p));
        }
    mid = mrn_scale(1.0 / m, mid);
    u = mrn_unit(mrn_sub(hull_point(h, out[0]), mid));
    for (int k = 0; k < m; k++) {
        mrn_vec3 d = mrn_sub(hull_point(h, out[k]), mid);
        angle[k] = atan2(mrn_dot(d, mrn_cross(n, u)), mrn_dot(d, u));
    }
    for (int k = 1; k < m; k++)
        for (int i = k; i > 0 && angle[i] < angle[i - 1]; i--) {
            double a = angle[i];
            int32_t c = out[i];
            angle[i] = angle[i - 1], out[i] = out[i - 1];
            angle[i - 1] = a, out[i - 1] = c;
        }
    return m;
}

static inline void hull_edges(hull *h)
{
    mrn_convex *s = &h->shape;
    s->n_edges = 0;
    for (int f = 0; f < s->n_faces; f++)
        for (int k = h->face_start[f]; k < h->face_start[f + 1]; k++) {
            int p = h->corner[k],
                q = h->corner[k + 1 < h->face_start[f + 1] ? k + 1 : h->face_start[f]];
            int e = 0, lo = p < q ? p : q, hi = p < q ? q : p;
            while (e < s->n_edges && (h->edge[4 * e] != lo || h->edge[4 * e + 1] != hi))
                e++;
            if (e == s->n_edges) {
                s->n_edges++;
                h->edge[4 * e] = lo, h->edge[4 * e + 1] = hi;
            }
            h->edge[4 * e + (p == lo ? 2 : 3)] = f; /* counter-clockwise: the face is to the left */
        }
    int n = 0;
    for (int p = 0; p < s->n_points; p++) {
        h->ring_start[p] = n;
        for (int e = 0; e < s->n_edges; e++)
            if (h->edge[4 * e] == p || h->edge[4 * e + 1] == p)
                h->ring[n++] = h->edge[4 * e] == p ? h->edge[4 * e + 1] : h->edge[4 * e];
    }
    h->ring_start[s->n_points] = n;
}

/* The hull of the points already in h->point, all of which must be corners of it; false: they are
   not (a flat set, a point inside, a point on an edge). */
static inline bool hull_close(hull *h, int n_points)
{
    mrn_convex *s = &h->shape;
    *s = (mrn_convex){.dimension = 3, .n_points = n_points};
    s->point = h->point, s->plane = h->plane, s->face_start = h->face_start;
    s->corner = h->corner, s->edge = h->edge, s->ring_start = h->ring_start, s->ring = h->ring;
    h->face_start[0] = 0;
    for (int i = 0; i < n_points; i++)
        for (int j = i + 1; j < n_points; j++)
            for (int k = j + 1; k < n_points; k++) {
                double plane[4];
                if (!hull_plane(h, i, j, k, plane) || hull_has_plane(h, plane))
                    continue;
                int f = s->n_faces++;
                memcpy(h->plane + 4 * f, plane, sizeof plane);
                h->face_start[f + 1] =
                    h->face_start[f] + hull_corners(h, plane, h->corner + h->face_start[f]);
            }
    hull_edges(h);
    mrn_vec3 mid = {0, 0, 0};
    for (int k = 0; k < n_points; k++)
        mid = mrn_axpy(1.0 / n_points, hull_point(h, k), mid);
    s->centre = mid;
    for (int k = 0; k < n_points; k++)
        s->bound = fmax(s->bound, mrn_norm(mrn_sub(hull_point(h, k), mid)));
    s->inner = s->bound;
    for (int f = 0; f < s->n_faces; f++)
        s->inner = fmin(s->inner, h->plane[4 * f + 3] - mrn_dot(mrn_load3(h->plane + 4 * f), mid));
    return s->n_points - s->n_edges + s->n_faces == 2 &&
           2 * s->n_edges == h->face_start[s->n_faces];
}

static inline void hull_box(hull *h, double a, double b, double c)
{
    for (int k = 0; k < 8; k++)
        mrn_store3(h->point + 3 * k,
                   mrn_v3(k & 1 ? a / 2 : -a / 2, k & 2 ? b / 2 : -b / 2, k & 4 ? c / 2 : -c / 2));
    assert_true(hull_close(h, 8));
}

/* n points on an ellipsoid. */
static inline void hull_random(hull *h, int n, mrn_vec3 axes, mrn_rng *r)
{
    do {
        for (int k = 0; k < n; k++) {
            mrn_vec3 d = hull_direction(r);
            mrn_store3(h->point + 3 * k, mrn_v3(axes.x * d.x, axes.y * d.y, axes.z * d.z));
        }
    } while (!hull_close(h, n) || h->shape.inner < 1e-3);
}

/* The same bits in all that counts. */
static inline bool same_meetings(const mrn_contact_point *a, const mrn_contact_point *b, int n)
{
    for (int k = 0; k < n; k++)
        if (memcmp(&a[k].point, &b[k].point, sizeof a->point) != 0 ||
            memcmp(&a[k].normal, &b[k].normal, sizeof a->normal) != 0 ||
            memcmp(&a[k].gap, &b[k].gap, sizeof a->gap) != 0 || a[k].feature != b[k].feature)
            return false;
    return true;
}

/* ---- the independent method ---- */

/* A hull's features where it stands. */
typedef struct brute_body {
    const mrn_convex *s;
    mrn_vec3 point[HULL_POINTS], normal[HULL_FACES];
} brute_body;

static inline void brute_place(const mrn_posed *p, brute_body *b)
{
    b->s = p->shape;
    for (int k = 0; k < b->s->n_points; k++)
        b->point[k] = mrn_posed_point(p, k);
    for (int f = 0; f < b->s->n_faces; f++)
        b->normal[f] = mrn_posed_turn(p, mrn_load3(b->s->plane + 4 * f));
}

static inline double brute_low(const brute_body *b, mrn_vec3 n)
{
    double low = INFINITY;
    for (int k = 0; k < b->s->n_points; k++)
        low = fmin(low, mrn_dot(n, b->point[k]));
    return low;
}

/* Gap of C over A along n. */
static inline double brute_gap(const brute_body *c, const brute_body *a, mrn_vec3 n)
{
    return brute_low(c, n) + brute_low(a, mrn_scale(-1, n));
}

/* The largest gap over all directions that can have it. */
static inline double brute_gap_most(const brute_body *c, const brute_body *a)
{
    double most = -INFINITY;
    for (int f = 0; f < a->s->n_faces; f++)
        most = fmax(most, brute_gap(c, a, a->normal[f]));
    for (int f = 0; f < c->s->n_faces; f++)
        most = fmax(most, brute_gap(c, a, mrn_scale(-1, c->normal[f])));
    for (int i = 0; i < c->s->n_edges; i++) {
        const int32_t *p = c->s->edge + 4 * i;
        mrn_vec3 e = mrn_sub(c->point[p[1]], c->point[p[0]]);
        for (int j = 0; j < a->s->n_edges; j++) {
            const int32_t *q = a->s->edge + 4 * j;
            mrn_vec3 g = mrn_sub(a->point[q[1]], a->point[q[0]]), n = mrn_cross(e, g);
            if (mrn_norm(n) < 1e-9 * mrn_norm(e) * mrn_norm(g))
                continue;
            n = mrn_unit(n);
            /* the gap of the bodies along n is no larger than that of these two edges: spares most
               searches */
            double d = mrn_dot(n, mrn_sub(c->point[p[0]], a->point[q[0]]));
            if (d > most)
                most = fmax(most, brute_gap(c, a, n));
            if (-d > most)
                most = fmax(most, brute_gap(c, a, mrn_scale(-1, n)));
        }
    }
    return most;
}

static inline double brute_segments(mrn_vec3 p, mrn_vec3 d, mrn_vec3 q, mrn_vec3 e)
{
    mrn_vec3 r = mrn_sub(p, q);
    double a = mrn_dot(d, d), b = mrn_dot(d, e), c = mrn_dot(e, e), f = mrn_dot(d, r),
           g = mrn_dot(e, r), best = INFINITY;
    double det = a * c - b * b;
    double s[5] = {0, 1, 0, 0, 0}, t[5] = {0, 0, 0, 1, 0};
    t[0] = g / c, t[1] = (g + b) / c;  /* nearest on the second to the ends of the first */
    s[2] = -f / a, s[3] = (b - f) / a; /* and the other way round                        */
    int n = 4;
    if (det > 1e-20 * a * c) { /* both inside */
        s[4] = (b * g - c * f) / det, t[4] = (a * g - b * f) / det;
        n = s[4] > 0 && s[4] < 1 && t[4] > 0 && t[4] < 1 ? 5 : 4;
    }
    for (int k = 0; k < n; k++) {
        double u = fmin(fmax(s[k], 0), 1), v = fmin(fmax(t[k], 0), 1);
        mrn_vec3 x = mrn_add(r, mrn_sub(mrn_scale(u, d), mrn_scale(v, e)));
        best = fmin(best, mrn_dot(x, x));
    }
    return sqrt(best);
}

/* Height of a point over a face it lies right above; INFINITY: it does not. */
static inline double brute_over(const brute_body *a, int f, mrn_vec3 x)
{
    const int32_t *k = a->s->corner + a->s->face_start[f];
    int n = a->s->face_start[f + 1] - a->s->face_start[f];
    double h = mrn_dot(a->normal[f], mrn_sub(x, a->point[k[0]]));
    if (h < -1e-12) /* touching, rounded */
        return INFINITY;
    for (int i = 0; i < n; i++) {
        mrn_vec3 p = a->point[k[i]], e = mrn_sub(a->point[k[(i + 1) % n]], p);
        if (mrn_dot(mrn_cross(e, a->normal[f]), mrn_sub(x, p)) > 0)
            return INFINITY;
    }
    return fabs(h);
}

/* Distance of two that do not overlap. */
static inline double brute_distance(const brute_body *c, const brute_body *a)
{
    double least = INFINITY;
    for (int f = 0; f < a->s->n_faces; f++)
        for (int k = 0; k < c->s->n_points; k++)
            least = fmin(least, brute_over(a, f, c->point[k]));
    for (int f = 0; f < c->s->n_faces; f++)
        for (int k = 0; k < a->s->n_points; k++)
            least = fmin(least, brute_over(c, f, a->point[k]));
    for (int i = 0; i < c->s->n_edges; i++)
        for (int j = 0; j < a->s->n_edges; j++) {
            const int32_t *p = c->s->edge + 4 * i, *q = a->s->edge + 4 * j;
            least = fmin(least,
                         brute_segments(c->point[p[0]], mrn_sub(c->point[p[1]], c->point[p[0]]),
                                        a->point[q[0]], mrn_sub(a->point[q[1]], a->point[q[0]])));
        }
    return least;
}

/* Distance; minus the least overlap where there is one. */
static inline double brute_signed(const brute_body *c, const brute_body *a)
{
    double gap = brute_gap_most(c, a);
    return gap > 0 ? brute_distance(c, a) : gap;
}

#endif
