/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the triangles of a hull to polygonal faces and edges: triangles that lie in one plane within
   a tolerance are one face, corners left with two faces only are none. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "geom/hull.h"

typedef struct join {
    mrn_hull_triangle *t;
    int32_t n;
    const double *x;
    const int64_t *grid;
    int32_t n_points;
    double tolerance;
    int32_t n_groups;
    int32_t *order, *queue; /* triangles: the largest first; those of the face in the making */
    double *area;
    int32_t *degree; /* per point: edges between different faces that leave it */
    int32_t *after;  /* per point: where the outline of one face goes on */
    mrn_convex *out;
} join;

static mrn_vec3 at(const join *j, int32_t i)
{
    return mrn_load3(j->x + 3 * (size_t)i);
}

/* ---- which triangles make one face ---- */

static mrn_vec3 normal_of(const join *j, int32_t k)
{
    const int32_t *c = j->t[k].corner;
    mrn_vec3 a = at(j, c[0]);
    return mrn_cross(mrn_sub(at(j, c[1]), a), mrn_sub(at(j, c[2]), a));
}

static int by_area(const void *a, const void *b, void *user)
{
    const double *area = user;
    int32_t p = *(const int32_t *)a, q = *(const int32_t *)b;
    return area[p] != area[q] ? (area[p] > area[q] ? -1 : 1) : (p > q) - (p < q);
}

/* Exactly, on the grid. */
static bool in_plane(const join *j, const mrn_hull_triangle *seed, int32_t i)
{
    const int64_t *a = j->grid + 3 * (size_t)seed->corner[0], *p = j->grid + 3 * (size_t)i;
    mrn_wide h = 0;
    for (int k = 0; k < 3; k++)
        h += seed->normal[k] * (p[k] - a[k]);
    return h == 0;
}

/* Does triangle k lie in the plane of `seed`, which has the normal n? */
static bool flush(const join *j, int32_t seed, mrn_vec3 n, int32_t k)
{
    mrn_vec3 x0 = at(j, j->t[seed].corner[0]);
    for (int e = 0; e < 3; e++) {
        int32_t i = j->t[k].corner[e];
        bool in = j->tolerance > 0 ? fabs(mrn_dot(n, mrn_sub(at(j, i), x0))) <= j->tolerance
                                   : in_plane(j, &j->t[seed], i);
        if (!in)
            return false;
    }
    return true;
}

static void grow_face(join *j, int32_t seed)
{
    mrn_vec3 n = mrn_unit(normal_of(j, seed));
    int32_t m = 0;
    j->queue[m++] = seed;
    j->t[seed].group = j->n_groups;
    for (int32_t k = 0; k < m; k++)
        for (int e = 0; e < 3; e++) {
            int32_t other = j->t[j->queue[k]].neighbour[e];
            if (j->t[other].group < 0 && flush(j, seed, n, other)) {
                j->t[other].group = j->n_groups;
                j->queue[m++] = other;
            }
        }
    j->n_groups++;
}

/* The largest triangles first: their planes are the surest. */
static void grow_faces(join *j)
{
    for (int32_t k = 0; k < j->n; k++) {
        j->order[k] = k;
        j->area[k] = mrn_norm(normal_of(j, k));
        j->t[k].group = -1;
    }
    qsort_r(j->order, (size_t)j->n, sizeof *j->order, by_area, j->area);
    for (int32_t k = 0; k < j->n; k++)
        if (j->t[j->order[k]].group < 0)
            grow_face(j, j->order[k]);
}

/* ---- outlines ---- */

static bool is_rim(const join *j, int32_t k, int e)
{
    return j->t[k].group != j->t[j->t[k].neighbour[e]].group;
}

static void count_degrees(join *j)
{
    memset(j->degree, 0, (size_t)j->n_points * sizeof *j->degree);
    for (int32_t k = 0; k < j->n; k++)
        for (int e = 0; e < 3; e++)
            j->degree[j->t[k].corner[e]] += is_rim(j, k, e);
}

/* The outline of the face made of `m` triangles in `queue`, corners with three faces or more only,
   the lowest number first. False: not one simple loop, or fewer than three corners. */
static bool outline(join *j, const int32_t *triangle, int32_t m, int32_t *corner, int32_t *count)
{
    int32_t rim = 0, start = -1, walked = 0;
    for (int32_t k = 0; k < m; k++)
        for (int e = 0; e < 3; e++)
            if (is_rim(j, triangle[k], e)) {
                const mrn_hull_triangle *t = &j->t[triangle[k]];
                int32_t from = t->corner[e];
                j->after[from] = t->corner[(e + 1) % 3];
                rim++;
                if (j->degree[from] >= 3 && (start < 0 || from < start))
                    start = from;
            }
    *count = 0;
    if (start < 0)
        return false;
    for (int32_t i = start; walked < rim; walked++) {
        if (j->degree[i] >= 3)
            corner[(*count)++] = i;
        i = j->after[i];
        if (i == start) {
            walked++;
            break;
        }
    }
    return walked == rim && *count >= 3;
}

/* Triangles sorted by face, then outlines one after the other. */
static bool outlines(join *j)
{
    mrn_convex *c = j->out;
    int32_t *start = c->face_start, m = 0;
    for (int32_t k = 0; k < j->n; k++)
        start[j->t[k].group + 1]++;
    for (int32_t g = 0; g < j->n_groups; g++)
        start[g + 1] += start[g];
    for (int32_t k = 0; k < j->n; k++)
        j->queue[start[j->t[k].group]++] = k;
    for (int32_t g = 0, first = 0; g < j->n_groups; g++) {
        int32_t last = start[g], count;
        if (!outline(j, j->queue + first, last - first, c->corner + m, &count))
            return false;
        m += count;
        first = last;
        start[g] = m - count;
    }
    start[j->n_groups] = m;
    return true;
}

/* ---- edges ---- */

typedef struct half {
    int32_t p, q; /* p < q */
    int32_t face;
    bool forward; /* the face's outline goes from p to q */
} half;

static int by_ends(const void *a, const void *b)
{
    const half *u = a, *v = b;
    if (u->p != v->p)
        return u->p < v->p ? -1 : 1;
    if (u->q != v->q)
        return u->q < v->q ? -1 : 1;
    return v->forward - u->forward;
}

static void list_halves(const mrn_convex *c, half *h)
{
    for (int32_t f = 0, k = 0; f < c->n_faces; f++) {
        int32_t first = c->face_start[f], n = c->face_start[f + 1] - first;
        for (int32_t i = 0; i < n; i++) {
            int32_t a = c->corner[first + i], b = c->corner[first + (i + 1) % n];
            h[k++] = (half){a < b ? a : b, a < b ? b : a, f, a < b};
        }
    }
}

/* Every edge once in each direction, and Euler's formula. */
static bool pair_halves(const half *h, mrn_convex *c)
{
    for (int32_t k = 0; k < c->n_edges; k++) {
        const half *u = h + 2 * (size_t)k, *v = u + 1;
        if (u->p != v->p || u->q != v->q || !u->forward || v->forward || u->face == v->face)
            return false;
        if (k > 0 && u->p == u[-1].p && u->q == u[-1].q)
            return false;
        int32_t *e = c->edge + 4 * (size_t)k;
        e[0] = u->p, e[1] = u->q, e[2] = u->face, e[3] = v->face;
    }
    return c->n_points - c->n_edges + c->n_faces == 2;
}

static mrn_status make_edges(join *j, bool *sound, mrn_message *msg)
{
    mrn_convex *c = j->out;
    half *h = NULL;
    int32_t corners = c->face_start[c->n_faces];
    *sound = false;
    if (corners % 2 != 0)
        return MRN_OK;
    c->n_edges = corners / 2;
    c->n_points = 0;
    for (int32_t i = 0; i < j->n_points; i++)
        c->n_points += j->degree[i] >= 3;
    mrn_status st = mrn_array(&h, corners, sizeof *h, msg);
    if (st == MRN_OK)
        st = mrn_array(&c->edge, 4 * (int64_t)c->n_edges, sizeof *c->edge, msg);
    if (st == MRN_OK) {
        list_halves(c, h);
        qsort(h, (size_t)corners, sizeof *h, by_ends);
        *sound = pair_halves(h, c);
    }
    mrn_free(h);
    return st;
}

/* ---- how good it is ---- */

/* Largest distance of a corner from the plane of its face, which is moved out until no corner of
   the hull is beyond it. */
static double measure_bends(const join *j)
{
    const mrn_convex *c = j->out;
    double most = 0;
    for (int32_t f = 0; f < c->n_faces; f++) {
        const int32_t *v = c->corner + c->face_start[f];
        int32_t n = c->face_start[f + 1] - c->face_start[f];
        mrn_vec3 a = at(j, v[0]), normal = {0, 0, 0};
        double hi = -INFINITY, lo = INFINITY;
        for (int32_t k = 2; k < n; k++)
            normal =
                mrn_add(normal, mrn_cross(mrn_sub(at(j, v[k - 1]), a), mrn_sub(at(j, v[k]), a)));
        normal = mrn_unit(normal);
        for (int32_t i = 0; i < j->n_points; i++)
            if (j->degree[i] >= 3)
                hi = fmax(hi, mrn_dot(normal, at(j, i)));
        for (int32_t k = 0; k < n; k++)
            lo = fmin(lo, mrn_dot(normal, at(j, v[k])));
        most = fmax(most, hi - lo);
    }
    return most;
}

/* ---- all ---- */

static mrn_status room(join *j, mrn_message *msg)
{
    mrn_status st = mrn_array(&j->order, j->n, sizeof *j->order, msg);
    if (st == MRN_OK)
        st = mrn_array(&j->queue, j->n, sizeof *j->queue, msg);
    if (st == MRN_OK)
        st = mrn_array(&j->area, j->n, sizeof *j->area, msg);
    if (st == MRN_OK)
        st = mrn_array(&j->degree, j->n_points, sizeof *j->degree, msg);
    if (st == MRN_OK)
        st = mrn_array(&j->after, j->n_points, sizeof *j->after, msg);
    if (st == MRN_OK)
        st = mrn_array(&j->out->face_start, j->n + 1, sizeof *j->out->face_start, msg);
    if (st == MRN_OK)
        st = mrn_array(&j->out->corner, 3 * (int64_t)j->n, sizeof *j->out->corner, msg);
    if (st == MRN_OK)
        st = mrn_array(&j->out->plane, 4 * (int64_t)j->n, sizeof *j->out->plane, msg);
    return st;
}

mrn_status mrn_hull_faces(mrn_hull_triangle *t, int32_t n, const double *x, const int64_t *grid,
                          int32_t n_points, double tolerance, mrn_convex *out, double *bent,
                          mrn_message *msg)
{
    join j = {.t = t,
              .n = n,
              .x = x,
              .grid = grid,
              .n_points = n_points,
              .tolerance = tolerance,
              .out = out};
    bool sound = false;
    *bent = INFINITY;
    mrn_status st = room(&j, msg);
    if (st == MRN_OK) {
        grow_faces(&j);
        count_degrees(&j);
        out->n_faces = j.n_groups;
        if (outlines(&j))
            st = make_edges(&j, &sound, msg);
        if (st == MRN_OK && sound)
            *bent = measure_bends(&j);
    }
    mrn_free(j.order);
    mrn_free(j.queue);
    mrn_free(j.area);
    mrn_free(j.degree);
    mrn_free(j.after);
    return st;
}
