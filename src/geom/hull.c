/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convex hulls in 2D (monotone chain) and 3D (quickhull). Points are rounded to a grid of 2^40
   steps per half-width first; on it every question "on which side?" has an exact answer in 128-bit
   integers, so that no rounding can tear the surface. The corners keep their own coordinates. */
#include "geom/hull.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define GRID_BITS 40 /* differences have 41 bits, cross products 83, volumes 126 */

typedef struct cloud {
    const char *who;
    int32_t n;
    int64_t *grid; /* 3 per point */
    double *x;     /* 3 per point, about the middle, over the size */
    double size;   /* largest half-width of the box */
    double middle[3];
    mrn_message *msg;
} cloud;

/* ---- rounding to the grid ---- */

static mrn_status find_box(cloud *c, int dimension, const double *p)
{
    double lo[3], hi[3];
    for (int k = 0; k < 3; k++)
        lo[k] = INFINITY, hi[k] = -INFINITY;
    for (int32_t i = 0; i < c->n; i++)
        for (int k = 0; k < dimension; k++) {
            double v = p[3 * (size_t)i + (size_t)k];
            if (!isfinite(v)) {
                mrn_fail(c->msg, MRN_ERR_INPUT, "%s: coordinate %c of corner %d is not a number",
                         c->who, "xyz"[k], i + 1);
                return MRN_ERR_INPUT;
            }
            lo[k] = fmin(lo[k], v), hi[k] = fmax(hi[k], v);
        }
    for (int k = 0; k < dimension; k++) {
        c->middle[k] = 0.5 * lo[k] + 0.5 * hi[k];
        c->size = fmax(c->size, 0.5 * hi[k] - 0.5 * lo[k]);
    }
    if (!(c->size > 0))
        return mrn_fail(c->msg, MRN_ERR_INPUT, "%s: all corners are the same point", c->who);
    /* squares and cubes of lengths must be numbers too */
    if (!(c->size > 1e-60 && c->size < 1e60))
        return mrn_fail(c->msg, MRN_ERR_INPUT, "%s has a size of %g", c->who, c->size);
    return MRN_OK;
}

/* Powers of two: numbers with few digits, such as those of a lattice, stay what they are. */
static mrn_status place(cloud *c, int dimension, const double *p)
{
    mrn_status st = find_box(c, dimension, p);
    if (st == MRN_OK)
        st = mrn_array(&c->grid, 3 * (int64_t)c->n, sizeof *c->grid, c->msg);
    if (st == MRN_OK)
        st = mrn_array(&c->x, 3 * (int64_t)c->n, sizeof *c->x, c->msg);
    if (st != MRN_OK)
        return st;
    int exponent;
    frexp(c->size, &exponent);
    for (size_t i = 0; i < (size_t)c->n; i++)
        for (size_t k = 0; k < (size_t)dimension; k++) {
            double d = p[3 * i + k] - c->middle[k];
            c->grid[3 * i + k] = llrint(ldexp(d, GRID_BITS - exponent));
            c->x[3 * i + k] = d / c->size;
        }
    return MRN_OK;
}

static void forget(cloud *c)
{
    mrn_free(c->grid);
    mrn_free(c->x);
}

/* By x, then y, then z. */
static int compare(const int64_t *a, const int64_t *b)
{
    for (int k = 0; k < 3; k++)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

static mrn_status flat(const cloud *c, int dimension, const char *what)
{
    mrn_fail(c->msg, MRN_ERR_INPUT, "%s is flat: its corners lie on one %s", c->who, what);
    return mrn_fail_expected(c->msg, dimension == 2 ? "three corners or more, not on one line"
                                                    : "four corners or more, not in one plane");
}

/* ---- 2D ---- */

typedef struct rank {
    const int64_t *grid;
    int32_t i;
} rank;

static int by_place(const void *a, const void *b)
{
    const rank *p = a, *q = b;
    int s = compare(p->grid, q->grid);
    return s != 0 ? s : (p->i > q->i) - (p->i < q->i);
}

/* Twice the area of a, b, c: positive when counter-clockwise. */
static mrn_wide turn_of(const int64_t *a, const int64_t *b, const int64_t *c)
{
    return (mrn_wide)(b[0] - a[0]) * (c[1] - a[1]) - (mrn_wide)(b[1] - a[1]) * (c[0] - a[0]);
}

/* Andrew's monotone chain; corners counter-clockwise into `out` (room for 2 n); returns how many.
 */
static int32_t chain(const rank *r, int32_t n, const int64_t *grid, int32_t *out)
{
    int32_t m = 0;
    for (int side = 0; side < 2; side++) {
        int32_t base = m;
        for (int32_t k = 0; k < n; k++) {
            int32_t i = r[side == 0 ? k : n - 1 - k].i;
            while (m - base >= 2 &&
                   turn_of(grid + 3 * (size_t)out[m - 2], grid + 3 * (size_t)out[m - 1],
                           grid + 3 * (size_t)i) <= 0)
                m--;
            out[m++] = i;
        }
        m--; /* the last one begins the other side */
    }
    return m;
}

/* Leaves out, the least first, every corner less than `tolerance` from the line between its
   neighbours or from the corner after it. */
static int32_t smooth_out(const double *x, int32_t n, int32_t *corner, double tolerance)
{
    while (n >= 3) {
        double least = INFINITY;
        int32_t which = 0;
        for (int32_t k = 0; k < n; k++) {
            mrn_vec3 a = mrn_load3(x + 3 * (size_t)corner[(k + n - 1) % n]);
            mrn_vec3 b = mrn_load3(x + 3 * (size_t)corner[k]);
            mrn_vec3 c = mrn_load3(x + 3 * (size_t)corner[(k + 1) % n]);
            mrn_vec3 base = mrn_sub(c, a);
            double area = fabs(mrn_cross(base, mrn_sub(b, a)).z), length = mrn_norm(base);
            double height = fmin(length > 0 ? area / length : 0, mrn_norm(mrn_sub(c, b)));
            if (height < least)
                least = height, which = k;
        }
        if (least > tolerance)
            break;
        memmove(corner + which, corner + which + 1, (size_t)(n - which - 1) * sizeof *corner);
        n--;
    }
    return n;
}

static mrn_status keep_polygon(const double *p, int32_t n, const int32_t *corner, mrn_convex *out,
                               mrn_message *msg)
{
    out->n_points = out->n_faces = n;
    mrn_status st = mrn_array(&out->point, 3 * (int64_t)n, sizeof *out->point, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->plane, 4 * (int64_t)n, sizeof *out->plane, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->face_start, n + 1, sizeof *out->face_start, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->corner, 2 * (int64_t)n, sizeof *out->corner, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->ring_start, n + 1, sizeof *out->ring_start, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->ring, 2 * (int64_t)n, sizeof *out->ring, msg);
    for (int32_t k = 0; st == MRN_OK && k < n; k++) {
        const double *x = p + 3 * (size_t)corner[k];
        mrn_store3(out->point + 3 * (size_t)k, mrn_v3(x[0], x[1], 0));
        out->corner[2 * k] = k, out->corner[2 * k + 1] = (k + 1) % n;
        out->ring[2 * k] = (k + n - 1) % n, out->ring[2 * k + 1] = (k + 1) % n;
        out->face_start[k + 1] = out->ring_start[k + 1] = 2 * (k + 1);
    }
    return st;
}

static mrn_status hull_2d(const cloud *c, const double *p, double tolerance, mrn_convex *out)
{
    rank *r = NULL;
    int32_t *corner = NULL, n = 0;
    mrn_status st = mrn_array(&r, c->n, sizeof *r, c->msg);
    if (st == MRN_OK)
        st = mrn_array(&corner, 2 * (int64_t)c->n + 2, sizeof *corner, c->msg);
    if (st == MRN_OK) {
        for (int32_t i = 0; i < c->n; i++)
            r[i] = (rank){c->grid + 3 * (size_t)i, i};
        qsort(r, (size_t)c->n, sizeof *r, by_place);
        n = smooth_out(c->x, chain(r, c->n, c->grid, corner), corner, tolerance);
        st = n < 3 ? flat(c, 2, "line") : keep_polygon(p, n, corner, out, c->msg);
    }
    mrn_free(r);
    mrn_free(corner);
    return st;
}

/* ---- 3D ---- */

typedef struct quick {
    const cloud *c;
    mrn_hull_triangle *t;
    int64_t n, capacity;
    int32_t *next;    /* per point: the next one of the same outside list */
    int32_t *at;      /* per point: the new triangle that begins there */
    int32_t *stack;   /* triangles that the new point sees; then the same as a list */
    int32_t *horizon; /* 3 numbers: from, to, the triangle beyond */
    int64_t stack_room, horizon_room;
    int32_t n_seen, n_horizon;
} quick;

static const int64_t *grid_at(const quick *q, int32_t i)
{
    return q->c->grid + 3 * (size_t)i;
}

/* Positive: point i sees triangle t from outside. Six times a volume on the grid. */
static mrn_wide height(const quick *q, const mrn_hull_triangle *t, int32_t i)
{
    const int64_t *a = grid_at(q, t->corner[0]), *p = grid_at(q, i);
    mrn_wide h = 0;
    for (int k = 0; k < 3; k++)
        h += t->normal[k] * (p[k] - a[k]);
    return h;
}

static mrn_status add_triangle(quick *q, int32_t a, int32_t b, int32_t c, int32_t *which)
{
    mrn_status st = mrn_grow(&q->t, &q->capacity, q->n + 1, sizeof *q->t);
    if (st != MRN_OK || q->n >= INT32_MAX)
        return mrn_fail_memory(q->c->msg);
    *which = (int32_t)q->n;
    mrn_hull_triangle *t = &q->t[q->n++];
    *t = (mrn_hull_triangle){.corner = {a, b, c}, .outside = -1, .group = -1};
    const int64_t *x = grid_at(q, a), *y = grid_at(q, b), *z = grid_at(q, c);
    for (int k = 0; k < 3; k++) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        t->normal[k] =
            (mrn_wide)(y[u] - x[u]) * (z[v] - x[v]) - (mrn_wide)(y[v] - x[v]) * (z[u] - x[u]);
    }
    return MRN_OK;
}

/* Puts point i into the list of the first of the triangles from `first` on that it sees; the head
   of a list is its farthest point. Of points equally far the first by place is a corner of the
   hull. */
static void assign(quick *q, int32_t i, int64_t first)
{
    for (int64_t k = first; k < q->n; k++) {
        mrn_hull_triangle *t = &q->t[k];
        mrn_wide h = height(q, t, i);
        if (h <= 0)
            continue;
        mrn_wide far = t->outside >= 0 ? height(q, t, t->outside) : 0;
        if (h > far || (h == far && compare(grid_at(q, i), grid_at(q, t->outside)) < 0)) {
            q->next[i] = t->outside;
            t->outside = i;
        } else {
            q->next[i] = q->next[t->outside];
            q->next[t->outside] = i;
        }
        return;
    }
}

static double length_of(const mrn_wide *v)
{
    double x = (double)v[0], y = (double)v[1], z = (double)v[2];
    return sqrt(x * x + y * y + z * z);
}

/* Three corners far apart; -1 in corner[2]: all points on a line. */
static mrn_status far_triangle(quick *q, int32_t corner[3])
{
    corner[0] = corner[1] = 0, corner[2] = -1;
    for (int32_t i = 1; i < q->c->n; i++) {
        corner[0] = compare(grid_at(q, i), grid_at(q, corner[0])) < 0 ? i : corner[0];
        corner[1] = compare(grid_at(q, i), grid_at(q, corner[1])) > 0 ? i : corner[1];
    }
    double most = 0;
    for (int32_t i = 0; i < q->c->n; i++) {
        int32_t which;
        mrn_status st = add_triangle(q, corner[0], corner[1], i, &which);
        if (st != MRN_OK)
            return st;
        double l = length_of(q->t[which].normal);
        q->n--;
        if (l > most)
            most = l, corner[2] = i;
    }
    return MRN_OK;
}

/* The first tetrahedron, its triangles linked. */
static mrn_status begin(quick *q)
{
    int32_t v[4], which, best = -1;
    mrn_status st = far_triangle(q, v);
    if (st != MRN_OK)
        return st;
    if (v[2] < 0)
        return flat(q->c, 3, "line");
    st = add_triangle(q, v[0], v[1], v[2], &which);
    if (st != MRN_OK)
        return st;
    mrn_wide most = 0;
    for (int32_t i = 0; i < q->c->n; i++) {
        mrn_wide h = height(q, &q->t[0], i), size = h < 0 ? -h : h;
        if (size > most ||
            (size == most && size > 0 && compare(grid_at(q, i), grid_at(q, best)) < 0))
            most = size, best = i;
    }
    if (best < 0)
        return flat(q->c, 3, "plane");
    if (height(q, &q->t[0], best) > 0) { /* the fourth corner belongs below */
        int32_t swap = v[1];
        v[1] = v[2], v[2] = swap;
    }
    q->n = 0;
    v[3] = best;
    static const int side[4][3] = {{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}};
    static const int beyond[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int k = 0; st == MRN_OK && k < 4; k++) {
        st = add_triangle(q, v[side[k][0]], v[side[k][1]], v[side[k][2]], &which);
        for (int e = 0; st == MRN_OK && e < 3; e++)
            q->t[which].neighbour[e] = beyond[k][e];
    }
    return st;
}

/* Every triangle that point p sees, from `start` over neighbours, and the line around them. */
static mrn_status look(quick *q, int32_t p, int32_t start)
{
    q->n_seen = q->n_horizon = 0;
    mrn_status st = mrn_grow(&q->stack, &q->stack_room, q->n + 1, sizeof *q->stack);
    if (st == MRN_OK)
        st = mrn_grow(&q->horizon, &q->horizon_room, 9 * q->n + 9, sizeof *q->horizon);
    if (st != MRN_OK)
        return mrn_fail_memory(q->c->msg);
    q->stack[q->n_seen++] = start;
    q->t[start].seen = true;
    for (int32_t k = 0; k < q->n_seen; k++) {
        const mrn_hull_triangle *t = &q->t[q->stack[k]];
        for (int e = 0; e < 3; e++) {
            mrn_hull_triangle *other = &q->t[t->neighbour[e]];
            if (other->seen)
                continue;
            if (height(q, other, p) > 0) {
                other->seen = true;
                q->stack[q->n_seen++] = t->neighbour[e];
                continue;
            }
            int32_t *h = q->horizon + 3 * (size_t)q->n_horizon++;
            h[0] = t->corner[e], h[1] = t->corner[(e + 1) % 3], h[2] = t->neighbour[e];
        }
    }
    return MRN_OK;
}

/* New triangles from the line around what p sees to p. */
static mrn_status close_up(quick *q, int32_t p)
{
    int64_t first = q->n;
    for (int32_t k = 0; k < q->n_horizon; k++) {
        const int32_t *h = q->horizon + 3 * (size_t)k;
        int32_t which;
        mrn_status st = add_triangle(q, h[0], h[1], p, &which);
        if (st != MRN_OK)
            return st;
        q->t[which].neighbour[0] = h[2];
        q->at[h[0]] = which;
        mrn_hull_triangle *beyond = &q->t[h[2]];
        for (int e = 0; e < 3; e++)
            if (beyond->corner[e] == h[1] && beyond->corner[(e + 1) % 3] == h[0])
                beyond->neighbour[e] = which;
    }
    for (int64_t k = first; k < q->n; k++) {
        int32_t next = q->at[q->t[k].corner[1]];
        q->t[k].neighbour[1] = next;
        q->t[next].neighbour[2] = (int32_t)k;
    }
    return MRN_OK;
}

/* The farthest point outside triangle t becomes a corner. A point outside that one sees a new
   triangle or is inside now: on its way to a triangle that is gone it must cross a new one. */
static mrn_status take_farthest(quick *q, int32_t t)
{
    int32_t p = q->t[t].outside;
    int64_t first = q->n;
    mrn_status st = look(q, p, t);
    if (st == MRN_OK)
        st = close_up(q, p);
    for (int32_t k = 0; st == MRN_OK && k < q->n_seen; k++) {
        mrn_hull_triangle *old = &q->t[q->stack[k]];
        old->gone = true;
        for (int32_t i = old->outside, next; i >= 0; i = next) {
            next = q->next[i];
            if (i != p)
                assign(q, i, first);
        }
        old->outside = -1;
    }
    return st;
}

/* Moves the triangles that stay to the front. */
static mrn_status compress(quick *q)
{
    int32_t *to = NULL, m = 0;
    mrn_status st = mrn_array(&to, q->n, sizeof *to, q->c->msg);
    if (st != MRN_OK)
        return st;
    for (int64_t k = 0; k < q->n; k++)
        to[k] = q->t[k].gone ? -1 : m++;
    for (int64_t k = 0; k < q->n; k++)
        if (to[k] >= 0) {
            q->t[to[k]] = q->t[k];
            for (int e = 0; e < 3; e++)
                q->t[to[k]].neighbour[e] = to[q->t[to[k]].neighbour[e]];
        }
    q->n = m;
    mrn_free(to);
    return MRN_OK;
}

static mrn_status check_count(const quick *q)
{
    if (q->n / 2 + 2 <= MRN_HULL_MOST)
        return MRN_OK;
    mrn_fail(q->c->msg, MRN_ERR_INPUT, "%s has %lld corners", q->c->who, (long long)(q->n / 2 + 2));
    mrn_fail_expected(q->c->msg, "at most %d", MRN_HULL_MOST);
    mrn_fail_hint(q->c->msg, "simplify it: contacts take longer the more corners a grain has");
    return MRN_ERR_INPUT;
}

static mrn_status run_quickhull(quick *q)
{
    mrn_status st = mrn_array(&q->next, q->c->n, sizeof *q->next, q->c->msg);
    if (st == MRN_OK)
        st = mrn_array(&q->at, q->c->n, sizeof *q->at, q->c->msg);
    if (st == MRN_OK)
        st = begin(q);
    for (int32_t i = 0; st == MRN_OK && i < q->c->n; i++)
        assign(q, i, 0);
    for (int64_t k = 0; st == MRN_OK && k < q->n; k++)
        if (!q->t[k].gone && q->t[k].outside >= 0)
            st = take_farthest(q, (int32_t)k);
    if (st == MRN_OK)
        st = compress(q);
    return st == MRN_OK ? check_count(q) : st;
}

static void forget_quick(quick *q)
{
    mrn_free(q->t);
    mrn_free(q->next);
    mrn_free(q->at);
    mrn_free(q->stack);
    mrn_free(q->horizon);
}

/* ---- corners that are one ---- */

typedef struct along {
    double x;
    int32_t i;
} along;

static int by_x(const void *a, const void *b)
{
    const along *p = a, *q = b;
    return p->x != q->x ? (p->x < q->x ? -1 : 1) : (p->i > q->i) - (p->i < q->i);
}

/* keep[i]: point i is a corner of the hull and no earlier one is within `tolerance`. Returns how
   many corners were dropped. */
static mrn_status weld(const quick *q, double tolerance, bool *keep, int32_t *dropped)
{
    along *a = NULL;
    int32_t n = 0;
    const double *x = q->c->x;
    for (int64_t k = 0; k < q->n; k++)
        for (int e = 0; e < 3; e++)
            keep[q->t[k].corner[e]] = true;
    for (int32_t i = 0; i < q->c->n; i++)
        n += keep[i];
    mrn_status st = mrn_array(&a, n, sizeof *a, q->c->msg);
    if (st != MRN_OK)
        return st;
    for (int32_t i = 0, m = 0; i < q->c->n; i++)
        if (keep[i])
            a[m++] = (along){x[3 * (size_t)i], i};
    qsort(a, (size_t)n, sizeof *a, by_x);
    *dropped = 0;
    for (int32_t k = 0; k < n; k++)
        for (int32_t j = k - 1; j >= 0 && a[k].x - a[j].x <= tolerance; j--) {
            mrn_vec3 d =
                mrn_sub(mrn_load3(x + 3 * (size_t)a[k].i), mrn_load3(x + 3 * (size_t)a[j].i));
            if (keep[a[j].i] && mrn_norm(d) <= tolerance) {
                keep[a[k].i] = false;
                (*dropped)++;
                break;
            }
        }
    mrn_free(a);
    return MRN_OK;
}

static mrn_status try_faces(quick *q, double tolerance, mrn_convex *out, double *bent)
{
    mrn_convex_release(out);
    out->dimension = 3;
    return mrn_hull_faces(q->t, (int32_t)q->n, q->c->x, q->c->grid, q->c->n, tolerance, out, bent,
                          q->c->msg);
}

/* Planes through corners make no sense where all corners are within rounding of one plane or line,
   or noise is larger than the tolerance. */
static mrn_status no_solid(const quick *q, double tolerance)
{
    double volume = 0;
    const double *x = q->c->x;
    for (int64_t k = 0; k < q->n; k++) {
        const int32_t *v = q->t[k].corner;
        volume +=
            mrn_dot(mrn_load3(x + 3 * (size_t)v[0]),
                    mrn_cross(mrn_load3(x + 3 * (size_t)v[1]), mrn_load3(x + 3 * (size_t)v[2]))) /
            6;
    }
    if (volume < MRN_HULL_THIN * tolerance)
        return flat(q->c, 3, "plane");
    mrn_fail(q->c->msg, MRN_ERR_INPUT, "%s: its corners give no sound polyhedron", q->c->who);
    mrn_fail_hint(q->c->msg, "some faces are bent by a millionth of its size or less");
    return MRN_ERR_INPUT;
}

/* Bends below the tolerance are taken for flat. Noise of about that size leaves slivers, whose
   planes miss their neighbours' corners: more is taken for flat then. Where that contradicts itself
   (a surface bent a little everywhere), less, at last nothing: the hull of the grid's points, which
   is always sound. */
static mrn_status faces_of(quick *q, double tolerance, mrn_convex *out)
{
    static const double wider[] = {1, 10, 100, 1e-2, 0};
    double bent = INFINITY;
    mrn_status st = MRN_OK;
    for (int k = 0; st == MRN_OK && k < 5; k++) {
        st = try_faces(q, wider[k] * tolerance, out, &bent);
        if (bent <= 5 * tolerance * fmax(1, wider[k]))
            return st;
    }
    for (int k = 0; st == MRN_OK && k < 5; k++) {
        st = try_faces(q, wider[k] * tolerance, out, &bent);
        if (bent <= MRN_HULL_THIN * tolerance)
            return st;
    }
    return st != MRN_OK ? st : no_solid(q, tolerance);
}

static mrn_status hull_3d(const cloud *c, const double *p, double tolerance, mrn_convex *out);

/* Once more with the corners to keep. */
static mrn_status again(const cloud *c, const double *p, const bool *keep, double tolerance,
                        mrn_convex *out)
{
    cloud part = *c;
    double *point = NULL;
    part.n = 0, part.grid = NULL, part.x = NULL, part.size = 0;
    mrn_status st = mrn_array(&point, 3 * (int64_t)c->n, sizeof *point, c->msg);
    for (int32_t i = 0; st == MRN_OK && i < c->n; i++)
        if (keep[i])
            memcpy(point + 3 * (size_t)part.n++, p + 3 * (size_t)i, 3 * sizeof *p);
    if (st == MRN_OK)
        st = place(&part, 3, point);
    if (st == MRN_OK)
        st = hull_3d(&part, point, tolerance, out);
    forget(&part);
    mrn_free(point);
    return st;
}

/* Corner numbers of `out` are those of the cloud: renumbered, and their coordinates as given. */
static mrn_status keep_points(const cloud *c, const double *p, mrn_convex *out)
{
    int32_t *to = NULL;
    int32_t corners = out->face_start[out->n_faces];
    mrn_status st = mrn_array(&to, c->n, sizeof *to, c->msg);
    if (st == MRN_OK)
        st = mrn_array(&out->point, 3 * (int64_t)out->n_points, sizeof *out->point, c->msg);
    if (st == MRN_OK) {
        int32_t m = 0;
        for (int32_t k = 0; k < corners; k++)
            to[out->corner[k]] = 1;
        for (int32_t i = 0; i < c->n; i++)
            if (to[i] == 1) {
                memcpy(out->point + 3 * (size_t)m, p + 3 * (size_t)i, 3 * sizeof *p);
                to[i] = m++;
            }
        for (int32_t k = 0; k < corners; k++)
            out->corner[k] = to[out->corner[k]];
        for (int32_t k = 0; k < 4 * out->n_edges; k += 4)
            out->edge[k] = to[out->edge[k]], out->edge[k + 1] = to[out->edge[k + 1]];
    }
    mrn_free(to);
    return st;
}

static mrn_status make_rings(mrn_convex *out, mrn_message *msg)
{
    int32_t n = out->n_points;
    mrn_status st = mrn_array(&out->ring_start, n + 2, sizeof *out->ring_start, msg);
    if (st == MRN_OK)
        st = mrn_array(&out->ring, 2 * (int64_t)out->n_edges, sizeof *out->ring, msg);
    if (st != MRN_OK)
        return st;
    int32_t *start = out->ring_start;
    for (int32_t k = 0; k < 4 * out->n_edges; k += 4)
        start[out->edge[k] + 2]++, start[out->edge[k + 1] + 2]++;
    for (int32_t i = 0; i < n; i++)
        start[i + 2] += start[i + 1];
    /* filling moves every start to the next one's place */
    for (int32_t k = 0; k < 4 * out->n_edges; k += 4) {
        out->ring[start[out->edge[k] + 1]++] = out->edge[k + 1];
        out->ring[start[out->edge[k + 1] + 1]++] = out->edge[k];
    }
    return MRN_OK;
}

static mrn_status hull_3d(const cloud *c, const double *p, double tolerance, mrn_convex *out)
{
    quick q = {.c = c};
    bool *keep = NULL;
    int32_t dropped = 0;
    mrn_status st = run_quickhull(&q);
    if (st == MRN_OK)
        st = mrn_array(&keep, c->n, sizeof *keep, c->msg);
    if (st == MRN_OK)
        st = weld(&q, tolerance, keep, &dropped);
    if (st == MRN_OK && dropped > 0) {
        st = again(c, p, keep, tolerance, out);
    } else if (st == MRN_OK) {
        st = faces_of(&q, tolerance, out);
        if (st == MRN_OK)
            st = keep_points(c, p, out);
        if (st == MRN_OK)
            st = make_rings(out, c->msg);
    }
    mrn_free(keep);
    forget_quick(&q);
    return st;
}

/* ---- both ---- */

mrn_status mrn_hull(const char *who, int dimension, int n, const double *point, double tolerance,
                    mrn_convex *out, mrn_message *msg)
{
    *out = (mrn_convex){.dimension = dimension};
    if (n < dimension + 1) {
        mrn_fail(msg, MRN_ERR_INPUT, "%s has %d corner%s", who, n, n == 1 ? "" : "s");
        mrn_fail_expected(msg, "at least %d", dimension + 1);
        return MRN_ERR_INPUT;
    }
    cloud c = {.who = who, .n = n, .msg = msg};
    mrn_status st = place(&c, dimension, point);
    if (st == MRN_OK)
        st = dimension == 2 ? hull_2d(&c, point, tolerance, out)
                            : hull_3d(&c, point, tolerance, out);
    if (st == MRN_OK) {
        mrn_convex_measure(out);
        if (!(out->inner > MRN_HULL_THIN * tolerance * c.size))
            st = flat(&c, dimension, dimension == 2 ? "line" : "plane");
    }
    if (st != MRN_OK)
        mrn_convex_release(out);
    forget(&c);
    return st;
}
