/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The region two polyhedra share: closed forms of boxes, the volume's derivative against the area
   vector, exchange of the two, points at random as an independent method. */
#include "geom/hulls.h"

static mrn_posed at(const hull *h, mrn_vec3 x, mrn_quat q, double scale)
{
    return mrn_posed_make(&h->shape, x, q, scale);
}

/* Rounding: volumes of order 1 from some tens of terms. */
static const double TIGHT = 1e-13;

static void near_vec(mrn_vec3 a, mrn_vec3 b, double tolerance)
{
    assert_true(mrn_norm(mrn_sub(a, b)) <= tolerance);
}

static void boxes(void **state)
{
    (void)state;
    hull a, c;
    hull_box(&a, 2, 2, 2);
    hull_box(&c, 1, 1, 1);
    mrn_quat one = mrn_quat_identity();
    mrn_overlap o;
    mrn_posed pa = at(&a, mrn_v3(5, 6, 7), one, 1);
    /* c over the middle of a's top, 0.1 deep */
    mrn_posed pc = at(&c, mrn_v3(5.2, 6.1, 7 + 1.4), one, 1);
    assert_true(mrn_overlap_convex(&pc, &pa, &o));
    assert_float_equal(o.volume, 0.1, TIGHT);
    assert_float_equal(o.area, 1, TIGHT);
    near_vec(o.normal, mrn_v3(0, 0, 1), TIGHT);
    near_vec(o.centre, mrn_v3(5.2, 6.1, 7.95), TIGHT);
    /* over a corner: 0.3 x 0.4 x 0.5; the area vector is (yz, xz, xy) */
    pc.x = mrn_v3(5 + 1.5 - 0.3, 6 + 1.5 - 0.4, 7 + 1.5 - 0.5);
    assert_true(mrn_overlap_convex(&pc, &pa, &o));
    mrn_vec3 s = mrn_v3(0.4 * 0.5, 0.3 * 0.5, 0.3 * 0.4);
    assert_float_equal(o.volume, 0.06, TIGHT);
    assert_float_equal(o.area, mrn_norm(s), TIGHT);
    near_vec(o.normal, mrn_unit(s), TIGHT);
    near_vec(o.centre, mrn_v3(5 + 1 - 0.15, 6 + 1 - 0.2, 7 + 1 - 0.25), TIGHT);
    /* turned by 45 degrees, edge down 0.2 into the top: a prism with a section 0.2 high, 0.4 wide
     */
    pc = at(&c, mrn_v3(5, 6, 7 + 1 + sqrt(0.5) - 0.2),
            mrn_quat_from_rotation(mrn_v3(MRN_PI / 4, 0, 0)), 1);
    assert_true(mrn_overlap_convex(&pc, &pa, &o));
    assert_float_equal(o.volume, 0.04, TIGHT);
    assert_float_equal(o.area, 0.4, TIGHT);
    near_vec(o.centre, mrn_v3(5, 6, 8 - 0.2 / 3), TIGHT);
    /* inside: all of it, no direction */
    pc = at(&c, mrn_v3(5.1, 6, 7), one, 0.5);
    assert_true(mrn_overlap_convex(&pc, &pa, &o));
    assert_float_equal(o.volume, 0.125, TIGHT);
    assert_true(o.area <= TIGHT && fabs(mrn_norm(o.normal) - 1) < TIGHT);
    near_vec(o.centre, pc.x, TIGHT);
    /* touching, and beside */
    pc = at(&c, mrn_v3(5, 6, 7 + 1.5), one, 1);
    assert_false(mrn_overlap_convex(&pc, &pa, &o));
    pc.x = mrn_v3(5 + 1.6, 6 + 1.6, 7);
    assert_false(mrn_overlap_convex(&pc, &pa, &o));
}

/* Side faces in one plane, where only rounding says which is inside: equal boxes on each other, and
   a box on itself. */
static void flush(void **state)
{
    (void)state;
    hull a;
    hull_box(&a, 1, 2, 3);
    mrn_rng r = mrn_rng_seed(3, 1);
    for (int k = 0; k < 200; k++) {
        mrn_quat q = hull_rotation(&r);
        double depth = pow(10, -hull_uniform(&r, 0.5, 8));
        mrn_vec3 x = mrn_v3(1.1, -0.7, 0.3), up = mrn_rotate(q, mrn_v3(0, 0, 1));
        mrn_posed pa = at(&a, x, q, 1), pc = at(&a, mrn_axpy(3 - depth, up, x), q, 1);
        mrn_overlap o;
        assert_true(mrn_overlap_convex(&pc, &pa, &o));
        /* positions are rounded at 4e-16: relative error of the depth */
        assert_float_equal(o.volume, 2 * depth, 1e-14);
        assert_float_equal(o.area, 2, 1e-8);
        near_vec(o.normal, up, 1e-8);
        assert_true(mrn_overlap_convex(&pa, &pa, &o));
        assert_float_equal(o.volume, 6, 1e-12);
        near_vec(o.centre, x, 1e-12);
    }
}

/* Pairs at random; half of them shallow. */
static bool random_pair(hull *h, mrn_rng *r, mrn_posed *c, mrn_posed *a)
{
    int n = 4 + (int)(12 * mrn_rng_uniform(r)), m = 4 + (int)(12 * mrn_rng_uniform(r));
    double y = hull_uniform(r, 0.3, 1), s = hull_uniform(r, 0.5, 2), t = hull_uniform(r, 0, 1.2);
    hull_random(&h[0], n, mrn_v3(1, y, 0.7), r);
    hull_random(&h[1], m, mrn_v3(1, 1, y), r);
    mrn_quat qc = hull_rotation(r), qa = hull_rotation(r);
    mrn_vec3 d = hull_direction(r);
    *a = at(&h[1], mrn_v3(3, 2, 1), qa, 1);
    *c = at(&h[0], mrn_axpy(t * (1 + s) * 0.7, d, a->x), qc, s);
    mrn_overlap o;
    return mrn_overlap_convex(c, a, &o) && o.volume > 1e-6;
}

/* Moving C by e changes the volume by -area n.e: centred differences with e = 1e-6 leave e^2 times
   the third derivative (bounded also where corners pass faces, but as large as one over the angle
   between faces: thousands) and rounding, 1e-15 / e. */
static void derivative(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(3, 2);
    int done = 0;
    for (int k = 0; k < 600; k++) {
        hull h[2];
        mrn_posed c, a;
        if (!random_pair(h, &r, &c, &a))
            continue;
        done++;
        mrn_overlap o, plus, minus;
        assert_true(mrn_overlap_convex(&c, &a, &o));
        mrn_vec3 d = hull_direction(&r);
        double e = 1e-6;
        mrn_posed p = c, m = c;
        p.x = mrn_axpy(e, d, c.x);
        m.x = mrn_axpy(-e, d, c.x);
        double vp = mrn_overlap_convex(&p, &a, &plus) ? plus.volume : 0;
        double vm = mrn_overlap_convex(&m, &a, &minus) ? minus.volume : 0;
        assert_float_equal((vp - vm) / (2 * e), -o.area * mrn_dot(o.normal, d), 1e-8);
    }
    assert_true(done > 200);
}

/* Same volume, centre and area, opposite normal: A's surface inside C and C's inside A close up. */
static void exchange(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(3, 3);
    for (int k = 0; k < 600; k++) {
        hull h[2];
        mrn_posed c, a;
        mrn_overlap o, s;
        if (!random_pair(h, &r, &c, &a))
            continue;
        assert_true(mrn_overlap_convex(&c, &a, &o) && mrn_overlap_convex(&a, &c, &s));
        assert_float_equal(o.volume, s.volume, 1e-13);
        assert_float_equal(o.area, s.area, 1e-13);
        near_vec(o.centre, s.centre, 1e-12 / o.volume);
        near_vec(mrn_scale(o.area, o.normal), mrn_scale(-s.area, s.normal), 1e-13);
    }
}

static bool inside(const mrn_posed *p, mrn_vec3 x)
{
    mrn_vec3 y = mrn_scale(1 / p->scale, mrn_posed_unturn(p, mrn_sub(x, p->x)));
    for (int f = 0; f < p->shape->n_faces; f++)
        if (mrn_dot(y, mrn_load3(p->shape->plane + 4 * f)) > p->shape->plane[4 * f + 3])
            return false;
    return true;
}

/* 4000 points in the ball of the smaller body: the share that lies in both, within 5 standard
   deviations. */
static void sampled(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(3, 4);
    for (int k = 0; k < 60; k++) {
        hull h[2];
        mrn_posed c, a;
        mrn_overlap o;
        if (!random_pair(h, &r, &c, &a))
            continue;
        assert_true(mrn_overlap_convex(&c, &a, &o));
        const mrn_posed *b = c.scale < 1 ? &c : &a;
        double side = 2 * b->scale * 1.0001;
        int hits = 0, n = 4000;
        for (int i = 0; i < n; i++) {
            double x = hull_uniform(&r, -0.5, 0.5), y = hull_uniform(&r, -0.5, 0.5),
                   z = hull_uniform(&r, -0.5, 0.5);
            mrn_vec3 p = mrn_axpy(side, mrn_v3(x, y, z), b->x);
            hits += inside(&c, p) && inside(&a, p);
        }
        double share = o.volume / (side * side * side);
        assert_float_equal(hits, n * share, 5 * sqrt(n * share * (1 - share)) + 1);
    }
}

/* From first touch on: the volume begins at zero, never falls, grows as the cube of the depth for a
   corner. */
static void first_touch(void **state)
{
    (void)state;
    hull a, c;
    hull_box(&a, 2, 2, 2);
    hull_box(&c, 1, 1, 1);
    /* corner down: the diagonal of the cube along z */
    mrn_vec3 axis = mrn_unit(mrn_cross(mrn_v3(1, 1, 1), mrn_v3(0, 0, 1)));
    mrn_quat q = mrn_quat_from_rotation(mrn_scale(acos(1 / sqrt(3)), axis));
    mrn_posed pa = at(&a, mrn_v3(0, 0, 0), mrn_quat_identity(), 1);
    for (int k = 0; k < 40; k++) {
        double depth = 0.5 * pow(0.7, k);
        mrn_posed pc = at(&c, mrn_v3(0.1, 0.05, 1 + sqrt(3) / 2 - depth), q, 1);
        mrn_overlap o;
        bool any = mrn_overlap_convex(&pc, &pa, &o);
        /* a right-angled corner cut at depth d: sides d sqrt 3, volume d^3 sqrt(3)/2, area 3 times
           that over d */
        double exact = sqrt(3) / 2 * depth * depth * depth;
        assert_true(any || exact < 1e-14);
        if (any) {
            assert_float_equal(o.volume, exact, 1e-9 * exact + 1e-15);
            assert_float_equal(o.area, 3 * exact / depth, 1e-9 * exact / depth + 1e-14);
            near_vec(o.normal, mrn_v3(0, 0, 1), 1e-6);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes),      cmocka_unit_test(flush),
                                       cmocka_unit_test(derivative), cmocka_unit_test(exchange),
                                       cmocka_unit_test(sampled),    cmocka_unit_test(first_touch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
