/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of convex parts share: polygons and boxes made by hand, random poses, and
   distances by brute force. Nothing of the answers is taken from the library. */
#ifndef MRN_TESTS_GEOM_PART_KIT_H
#define MRN_TESTS_GEOM_PART_KIT_H

#include <stdlib.h>

#include "detect/kit.h"
#include "geom/geom.h"
#include "geom/narrow.h"

#define HAND_MAX 200

/* A polygon by hand, counter-clockwise. */
typedef struct hand {
    mrn_convex c;
    double point[3 * HAND_MAX], plane[4 * HAND_MAX];
    int32_t face_start[HAND_MAX + 1], corner[2 * HAND_MAX];
} hand;

static inline void hand_polygon(hand *h, int n, const double (*p)[2])
{
    h->c = (mrn_convex){.dimension = 2, .n_points = n, .n_faces = n};
    h->c.point = h->point, h->c.plane = h->plane;
    h->c.face_start = h->face_start, h->c.corner = h->corner;
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < n; k++) {
        const double *a = p[k], *b = p[(k + 1) % n];
        double l = hypot(b[0] - a[0], b[1] - a[1]);
        double nx = (b[1] - a[1]) / l, ny = -(b[0] - a[0]) / l;
        mrn_store3(h->point + 3 * k, mrn_v3(a[0], a[1], 0));
        mrn_store3(h->plane + 4 * k, mrn_v3(nx, ny, 0));
        h->plane[4 * k + 3] = nx * a[0] + ny * a[1];
        h->face_start[k] = 2 * k;
        h->corner[2 * k] = k;
        h->corner[2 * k + 1] = (k + 1) % n;
        for (int i = 0; i < 2; i++) {
            lo[i] = fmin(lo[i], a[i]);
            hi[i] = fmax(hi[i], a[i]);
        }
    }
    h->face_start[n] = 2 * n;
    h->c.centre = mrn_v3(0.5 * (lo[0] + hi[0]), 0.5 * (lo[1] + hi[1]), 0);
    for (int k = 0; k < n; k++)
        h->c.bound = fmax(h->c.bound, hypot(p[k][0] - h->c.centre.x, p[k][1] - h->c.centre.y));
    h->c.inner = 0.1 * h->c.bound;
}

static inline void hand_rectangle(hand *h, double a, double b)
{
    const double p[4][2] = {{-a, -b}, {a, -b}, {a, b}, {-a, b}};
    hand_polygon(h, 4, p);
}

/* Corners at random angles on an ellipse, tilted. */
static inline void hand_random(hand *h, mrn_rng *r, int n)
{
    double angle[HAND_MAX], p[HAND_MAX][2], flat = uniform(r, 0.2, 1), tilt = uniform(r, 0, 7);
    for (int k = 0; k < n; k++)
        angle[k] = 2 * MRN_PI * (k + uniform(r, 0.05, 0.95)) / n;
    for (int k = 0; k < n; k++) {
        double x = cos(angle[k]), y = flat * sin(angle[k]);
        p[k][0] = cos(tilt) * x - sin(tilt) * y;
        p[k][1] = sin(tilt) * x + cos(tilt) * y;
    }
    hand_polygon(h, n, p);
}

static inline mrn_quat about_z(double a)
{
    return (mrn_quat){cos(0.5 * a), 0, 0, sin(0.5 * a)};
}

static inline mrn_quat random_turn(mrn_rng *r)
{
    double a = mrn_rng_normal(r), b = mrn_rng_normal(r), c = mrn_rng_normal(r);
    double d = mrn_rng_normal(r);
    return mrn_quat_unit((mrn_quat){a, b, c, d});
}

static inline mrn_vec3 random_in(mrn_rng *r, double s)
{
    double x = uniform(r, -s, s), y = uniform(r, -s, s), z = uniform(r, -s, s);
    return mrn_v3(x, y, z);
}

/* How many random cases: `few`, or MRN_FUZZ. */
static inline int64_t fuzz_count(int64_t few)
{
    const char *n = getenv("MRN_FUZZ");
    return n != NULL ? atoll(n) : few;
}

static inline void check_contact_point(const mrn_contact_point *m)
{
    assert_true(isfinite(m->point.x) && isfinite(m->point.y) && isfinite(m->point.z));
    assert_true(isfinite(m->gap));
    assert_float_equal(mrn_norm(m->normal), 1, 1e-12);
}

static inline double least_gap(const mrn_contact_point *m, int n)
{
    double g = INFINITY;
    for (int k = 0; k < n; k++)
        g = fmin(g, m[k].gap);
    return g;
}

/* Smallest n.x over the corners. */
static inline double brute_lowest(const mrn_posed *p, mrn_vec3 n)
{
    double least = INFINITY;
    for (int k = 0; k < p->shape->n_points; k++)
        least = fmin(least, mrn_dot(n, mrn_posed_point(p, k)));
    return least;
}

static inline mrn_shape wall_make(const char *type, int dimension, const mrn_value *value,
                                  mrn_vec3 *x, mrn_quat *q)
{
    mrn_shape s;
    mrn_message msg = {0};
    const mrn_shape_type *t = mrn_shape_type_find(type);
    assert_non_null(t);
    ok(t->build(value, dimension, &s, x, q, &msg), &msg);
    return s;
}

#endif
