/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convex parts: planes, bounding ball, inner width, exact moments, copies. */
#include "geom/convex.h"

#include "base/base.h"
#include "geom/hull.h"

void mrn_convex_release(mrn_convex *c)
{
    mrn_free(c->point);
    mrn_free(c->plane);
    mrn_free(c->face_start);
    mrn_free(c->corner);
    mrn_free(c->edge);
    mrn_free(c->ring_start);
    mrn_free(c->ring);
    *c = (mrn_convex){0};
}

mrn_status mrn_convex_copy(const mrn_convex *from, mrn_convex *to, mrn_message *msg)
{
    int64_t points = from->n_points, faces = from->n_faces, edges = from->n_edges;
    int64_t corners = from->face_start != NULL ? from->face_start[faces] : 0;
    int64_t ring = from->ring_start != NULL ? from->ring_start[points] : 0;
    *to = *from;
    to->point = to->plane = NULL;
    to->face_start = to->corner = to->edge = to->ring_start = to->ring = NULL;
    mrn_status st = mrn_duplicate(&to->point, from->point, 3 * points, sizeof *to->point, msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&to->plane, from->plane, 4 * faces, sizeof *to->plane, msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&to->face_start, from->face_start, faces + 1, sizeof(int32_t), msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&to->corner, from->corner, corners, sizeof(int32_t), msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&to->edge, from->edge, 4 * edges, sizeof(int32_t), msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&to->ring_start, from->ring_start, points + 1, sizeof(int32_t), msg);
    if (st == MRN_OK)
        st = mrn_duplicate(&to->ring, from->ring, ring, sizeof(int32_t), msg);
    if (st != MRN_OK)
        mrn_convex_release(to);
    return st;
}

static mrn_vec3 at(const mrn_convex *c, int32_t i)
{
    return mrn_load3(c->point + 3 * (size_t)i);
}

/* ---- moments ---- */

void mrn_moments_add(int dimension, mrn_vec3 a, mrn_vec3 b, mrn_vec3 c, double sign, mrn_moments *m)
{
    double p[4][3] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}, {0}};
    double det = sign * (dimension == 2 ? a.x * b.y - a.y * b.x : mrn_dot(a, mrn_cross(b, c)));
    int n = dimension;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n; i++)
            p[3][k] += p[i][k];
    /* d! and (d+1)!, (d+2)! in the integrals of 1, x, x x over a simplex with a corner at 0 */
    double v = dimension == 2 ? 2 : 6, first = v * (n + 1), second = first * (n + 2);
    m->volume += det / v;
    m->first = mrn_axpy(det / first, mrn_load3(p[3]), m->first);
    for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++) {
            double sum = p[3][r] * p[3][s];
            for (int i = 0; i < n; i++)
                sum += p[i][r] * p[i][s];
            m->second[r][s] += det / second * sum;
        }
}

static mrn_moments moments_about(const mrn_convex *c, mrn_vec3 o)
{
    mrn_moments m = {0};
    for (int32_t f = 0; f < c->n_faces; f++) {
        const int32_t *v = c->corner + c->face_start[f];
        int32_t n = c->face_start[f + 1] - c->face_start[f];
        mrn_vec3 a = mrn_sub(at(c, v[0]), o), b = mrn_sub(at(c, v[1]), o);
        if (c->dimension == 2)
            mrn_moments_add(2, a, b, a, 1, &m);
        for (int32_t k = 2; c->dimension == 3 && k < n; k++) {
            mrn_vec3 next = mrn_sub(at(c, v[k]), o);
            mrn_moments_add(3, a, b, next, 1, &m);
            b = next;
        }
    }
    return m;
}

mrn_moments mrn_convex_moments(const mrn_convex *c)
{
    return moments_about(c, mrn_v3(0, 0, 0));
}

/* ---- planes ---- */

static mrn_vec3 face_normal(const mrn_convex *c, int32_t f)
{
    const int32_t *v = c->corner + c->face_start[f];
    int32_t n = c->face_start[f + 1] - c->face_start[f];
    mrn_vec3 a = at(c, v[0]), sum = {0, 0, 0};
    if (c->dimension == 2) {
        mrn_vec3 d = mrn_sub(at(c, v[1]), a);
        return mrn_unit(mrn_v3(d.y, -d.x, 0));
    }
    for (int32_t k = 2; k < n; k++)
        sum = mrn_add(sum, mrn_cross(mrn_sub(at(c, v[k - 1]), a), mrn_sub(at(c, v[k]), a)));
    return mrn_unit(sum);
}

/* A plane touches the part from outside: no corner is beyond it, by not a bit. */
static void make_planes(mrn_convex *c)
{
    for (int32_t f = 0; f < c->n_faces; f++) {
        mrn_vec3 n = face_normal(c, f);
        double d = -INFINITY;
        for (int32_t i = 0; i < c->n_points; i++)
            d = fmax(d, mrn_dot(n, at(c, i)));
        mrn_store3(c->plane + 4 * (size_t)f, n);
        c->plane[4 * (size_t)f + 3] = d;
    }
}

/* ---- ball and width ---- */

static double farthest(const mrn_convex *c, mrn_vec3 from, int32_t *which)
{
    double most = -1;
    for (int32_t i = 0; i < c->n_points; i++) {
        double d = mrn_norm(mrn_sub(at(c, i), from));
        if (d > most)
            most = d, *which = i;
    }
    return most;
}

static void try_centre(mrn_convex *c, mrn_vec3 x, int32_t *far)
{
    double r = farthest(c, x, far);
    if (r < c->bound)
        c->bound = r, c->centre = x;
}

/* Badoiu and Clarkson (2003): steps of 1/(k+1) towards the farthest point close in on the smallest
   ball; the best centre met is kept, or the middle of the box, or the origin, the centre of mass of
   a polytope. 200 steps come within some thousandths of the radius. */
static void make_ball(mrn_convex *c)
{
    mrn_vec3 lo = at(c, 0), hi = lo;
    int32_t far = 0;
    for (int32_t i = 1; i < c->n_points; i++) {
        mrn_vec3 p = at(c, i);
        lo = mrn_v3(fmin(lo.x, p.x), fmin(lo.y, p.y), fmin(lo.z, p.z));
        hi = mrn_v3(fmax(hi.x, p.x), fmax(hi.y, p.y), fmax(hi.z, p.z));
    }
    c->bound = INFINITY;
    try_centre(c, mrn_v3(0, 0, 0), &far);
    mrn_vec3 x = mrn_scale(0.5, mrn_add(lo, hi));
    for (int k = 1; k <= 200; k++) {
        try_centre(c, x, &far);
        x = mrn_axpy(1.0 / (k + 1), mrn_sub(at(c, far), x), x);
    }
}

/* Twice the radius of the ball about the centre of mass that fits in: no width is less. */
static void make_inner(mrn_convex *c)
{
    mrn_moments m = moments_about(c, c->centre);
    mrn_vec3 centre = m.volume > 0 ? mrn_axpy(1 / m.volume, m.first, c->centre) : c->centre;
    double least = m.volume > 0 ? INFINITY : 0;
    for (int32_t f = 0; f < c->n_faces; f++) {
        const double *plane = c->plane + 4 * (size_t)f;
        least = fmin(least, plane[3] - mrn_dot(mrn_load3(plane), centre));
    }
    c->inner = fmax(0, 2 * least);
}

void mrn_convex_measure(mrn_convex *c)
{
    make_planes(c);
    make_ball(c);
    make_inner(c);
}
