/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random grains: convex polytopes with corners spread over an ellipsoid, and crushed stones: blocks
   cut by planes. Both are made to fill a box of the asked proportions exactly. */
#include <stdio.h>

#include "base/base.h"
#include "geom/geom.h"
#include "moraine/polytope.h"

#define POINTS_MAX 1000
#define TRIES      100 /* draws that give a flat or unsound polytope are made anew */

static mrn_status check_fraction(const char *what, double v, bool zero_ok, mrn_message *msg)
{
    if (v <= 1 && (v > 0 || (zero_ok && v == 0)))
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "%s of a random form is %g", what, v);
    mrn_fail_expected(msg, zero_ok ? "a number from 0 to 1" : "a number above 0, at most 1");
    return MRN_ERR_INPUT;
}

static mrn_status check(int dimension, const mrn_random_polytope *p, mrn_message *msg)
{
    mrn_status st = check_fraction("elongation", p->elongation, false, msg);
    if (st == MRN_OK && dimension == 3)
        st = check_fraction("flatness", p->flatness, false, msg);
    if (st == MRN_OK)
        st = check_fraction("angularity", p->angularity, true, msg);
    if (st == MRN_OK && p->points != 0 && (p->points < dimension + 1 || p->points > POINTS_MAX)) {
        mrn_fail(msg, MRN_ERR_INPUT, "a random form with %d corners", p->points);
        mrn_fail_expected(msg, "between %d and %d, or 0: by angularity", dimension + 1, POINTS_MAX);
        st = MRN_ERR_INPUT;
    }
    return st;
}

/* ---- filling a box ---- */

/* The polytope of the same corners, stretched along its principal axes until the box along them has
   the asked proportions. One stretch is enough: along principal axes it leaves the products of
   inertia at zero, so that these axes stay the principal ones, and the hull of stretched points is
   the stretched hull. Which axis is the longest stays as it was drawn. */
static mrn_status fit(const char *name, const mrn_polytope *drawn, double elongation,
                      double flatness, mrn_polytope *out, mrn_message *msg)
{
    const mrn_convex *c = &drawn->part[0];
    double *point = NULL, lo[3] = {0}, hi[3] = {0}, stretch[3];
    mrn_status st = mrn_array(&point, 3 * (int64_t)c->n_points, sizeof *point, msg);
    if (st != MRN_OK)
        return st;
    for (int32_t i = 0; i < 3 * c->n_points; i++)
        lo[i % 3] = fmin(lo[i % 3], c->point[i]), hi[i % 3] = fmax(hi[i % 3], c->point[i]);
    for (int d = 0; d < 3; d++) {
        int rank = 0;
        for (int e = 0; e < 3; e++)
            rank += hi[e] - lo[e] > hi[d] - lo[d] || (hi[e] - lo[e] == hi[d] - lo[d] && e < d);
        double want = rank == 0 ? 1 : rank == 1 ? elongation : elongation * flatness;
        stretch[d] = hi[d] > lo[d] ? want / (hi[d] - lo[d]) : 0;
    }
    for (int32_t i = 0; i < 3 * c->n_points; i++)
        point[i] = c->point[i] * stretch[i % 3];
    mrn_corners corners = {c->n_points, point};
    st = mrn_polytope_make(name, drawn->dimension, 1, &corners, out, NULL, NULL, NULL, msg);
    mrn_free(point);
    return st;
}

/* ---- corners on an ellipsoid ---- */

static mrn_vec3 on_sphere(mrn_rng *r)
{
    double z = 2 * mrn_rng_uniform(r) - 1, a = 2 * MRN_PI * mrn_rng_uniform(r);
    double s = sqrt(fmax(0, 1 - z * z));
    return mrn_v3(s * cos(a), s * sin(a), z);
}

/* Random but not crowded: each point is the one of several drawn that is farthest from all before.
   On a sphere every point is a corner. */
static void spread_on_sphere(mrn_rng *r, int n, double *point)
{
    for (int i = 0; i < n; i++) {
        mrn_vec3 best = {0, 0, 1};
        double most = -1;
        for (int k = 0; k < 6; k++) {
            mrn_vec3 x = on_sphere(r);
            double least = INFINITY;
            for (int j = 0; j < i; j++)
                least = fmin(least, mrn_norm(mrn_sub(x, mrn_load3(point + 3 * j))));
            if (least > most)
                most = least, best = x;
        }
        mrn_store3(point + 3 * i, best);
    }
}

/* One point in each of n equal arcs, anywhere in its middle seven tenths. */
static void spread_on_circle(mrn_rng *r, int n, double *point)
{
    double begin = mrn_rng_uniform(r);
    for (int i = 0; i < n; i++) {
        double a = 2 * MRN_PI * (begin + i + 0.7 * mrn_rng_uniform(r)) / n;
        mrn_store3(point + 3 * i, mrn_v3(cos(a), sin(a), 0));
    }
}

/* From 60 corners (24 in 2D), nearly round, to 6 (4), in equal ratios. */
static int corners_by_angularity(int dimension, double angularity)
{
    double few = dimension == 2 ? 4 : 6, many = dimension == 2 ? 24 : 60;
    return (int)lround(many * pow(few / many, angularity));
}

static mrn_status draw_random(int dimension, const mrn_random_polytope *p, int n, uint64_t stream,
                              double *point, mrn_polytope *out, mrn_message *msg)
{
    mrn_rng r = mrn_rng_seed(p->seed, stream);
    mrn_corners c = {n, point};
    mrn_polytope drawn = {0};
    if (dimension == 2)
        spread_on_circle(&r, n, point);
    else
        spread_on_sphere(&r, n, point);
    mrn_status st = mrn_polytope_make("random", dimension, 1, &c, &drawn, NULL, NULL, NULL, msg);
    if (st == MRN_OK)
        st = fit("random", &drawn, p->elongation, p->flatness, out, msg);
    mrn_polytope_release(&drawn);
    return st;
}

mrn_status mrn_polytope_random(int dimension, const mrn_random_polytope *p, mrn_polytope *out,
                               mrn_message *msg)
{
    *out = (mrn_polytope){0};
    if (dimension != 2 && dimension != 3)
        return mrn_fail(msg, MRN_ERR_RANGE, "a random form of dimension %d", dimension);
    mrn_status st = check(dimension, p, msg);
    if (st != MRN_OK)
        return st;
    int n = p->points > 0 ? p->points : corners_by_angularity(dimension, p->angularity);
    double *point = NULL;
    st = mrn_array(&point, 3 * (int64_t)n, sizeof *point, msg);
    if (st != MRN_OK)
        return st;
    st = MRN_ERR_INPUT;
    for (uint64_t k = 0; k < TRIES && st == MRN_ERR_INPUT; k++)
        st = draw_random(dimension, p, n, k, point, out, msg);
    mrn_free(point);
    return st;
}

/* ---- crushed stones ---- */

#define PLANES 48

/* Half spaces n.x <= d that a stone is the intersection of. */
typedef struct cuts {
    int n;
    mrn_vec3 normal[PLANES];
    double d[PLANES];
} cuts;

static double between(mrn_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * mrn_rng_uniform(r);
}

/* n turned by about `angle` into a random direction. */
static mrn_vec3 tilt(mrn_rng *r, mrn_vec3 n, double angle)
{
    double x = mrn_rng_normal(r), y = mrn_rng_normal(r), z = mrn_rng_normal(r);
    return mrn_unit(mrn_axpy(angle / sqrt(2), mrn_v3(x, y, z), n));
}

static void add_cut(cuts *c, mrn_vec3 n, double d)
{
    if (c->n < PLANES)
        c->normal[c->n] = n, c->d[c->n++] = d;
}

/* The six faces of a block as it breaks: none quite parallel to its opposite, about half of them
   broken twice, at some angle. */
static void cut_block(mrn_rng *r, cuts *c)
{
    for (int f = 0; f < 6; f++) {
        mrn_vec3 n = mrn_v3(f / 2 == 0, f / 2 == 1, f / 2 == 2);
        n = f % 2 ? mrn_scale(-1, n) : n;
        mrn_vec3 main = tilt(r, n, 0.16);
        add_cut(c, main, between(r, 0.92, 1.02));
        mrn_vec3 second = tilt(r, n, 0.4);
        double depth = between(r, 0.92, 1.05);
        if (mrn_rng_uniform(r) < 0.55)
            add_cut(c, second, depth);
    }
}

/* Edges and corners break off: the less angular the stone, the more of them and the deeper. A cut
   of 1 reaches as deep as the ball in the block. */
static void cut_rims(mrn_rng *r, double angularity, cuts *c)
{
    double round = 1 - angularity;
    for (int k = 0; k < 27; k++) {
        mrn_vec3 n = mrn_v3(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        double reach = mrn_norm(n);
        if (reach < 1.2) /* the middle and the six faces */
            continue;
        double share = (reach < 1.6 ? 0.3 : 0.5) + 0.7 * round;
        double chip = between(r, 0.1, 0.55), cut = chip + 0.4 * round * mrn_rng_uniform(r);
        mrn_vec3 normal = tilt(r, mrn_scale(1 / reach, n), 0.22);
        if (mrn_rng_uniform(r) < share)
            add_cut(c, normal, reach - (reach - 1) * cut);
    }
}

static bool solve_corner(const cuts *c, int i, int j, int k, mrn_vec3 *x)
{
    mrn_vec3 a = c->normal[i], b = c->normal[j], n = c->normal[k], bn = mrn_cross(b, n);
    double det = mrn_dot(a, bn);
    if (fabs(det) < 1e-6)
        return false;
    mrn_vec3 sum = mrn_scale(c->d[i], bn);
    sum = mrn_axpy(c->d[j], mrn_cross(n, a), sum);
    sum = mrn_axpy(c->d[k], mrn_cross(a, b), sum);
    *x = mrn_scale(1 / det, sum);
    return true;
}

static bool inside(const cuts *c, mrn_vec3 x)
{
    for (int k = 0; k < c->n; k++)
        if (mrn_dot(c->normal[k], x) > c->d[k] + 1e-12)
            return false;
    return true;
}

/* Where three of the planes meet and none of the others cuts it off; at most 2 n - 4 corners, more
   only where four planes share a point. */
static int corners_of(const cuts *c, double *point, int max)
{
    int n = 0;
    for (int i = 0; i < c->n; i++)
        for (int j = i + 1; j < c->n; j++)
            for (int k = j + 1; k < c->n; k++) {
                mrn_vec3 x;
                if (n < max && solve_corner(c, i, j, k, &x) && inside(c, x))
                    mrn_store3(point + 3 * n++, x);
            }
    return n;
}

/* About `mean`, never beyond 1: the spread closes where there is no room for it. */
static double draw_about(mrn_rng *r, double mean)
{
    double spread = fmin(0.1, fmin((1 - mean) / 2.5, mean / 5)), v;
    do {
        v = mrn_rng_normal(r);
    } while (fabs(v) > 2.5);
    return mean + spread * v;
}

static mrn_status draw_crushed(const mrn_random_polytope *p, uint64_t stream, mrn_polytope *out,
                               mrn_message *msg)
{
    mrn_rng r = mrn_rng_seed(p->seed, 1000 + stream);
    double point[3 * 4 * PLANES];
    cuts c = {0};
    mrn_polytope drawn = {0};
    double elongation = draw_about(&r, p->elongation), flatness = draw_about(&r, p->flatness);
    cut_block(&r, &c);
    cut_rims(&r, p->angularity, &c);
    mrn_corners corners = {corners_of(&c, point, 4 * PLANES), point};
    mrn_status st = mrn_polytope_make("crushed", 3, 1, &corners, &drawn, NULL, NULL, NULL, msg);
    if (st == MRN_OK)
        st = fit("crushed", &drawn, elongation, flatness, out, msg);
    mrn_polytope_release(&drawn);
    return st;
}

mrn_status mrn_polytope_crushed(const mrn_random_polytope *p, mrn_polytope *out, mrn_message *msg)
{
    *out = (mrn_polytope){0};
    mrn_status st = check(3, p, msg);
    if (st != MRN_OK)
        return st;
    st = MRN_ERR_INPUT;
    for (uint64_t k = 0; k < TRIES && st == MRN_ERR_INPUT; k++)
        st = draw_crushed(p, k, out, msg);
    return st;
}
