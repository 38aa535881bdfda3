/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where two polyhedra touch: closed forms of boxes, exchange, rigid motion, keys under small
   motions, degenerate places, faces with very many corners. */
#include "geom/hulls.h"

/* Rounding of coordinates of order 1 through some tens of operations. */
static const double TIGHT = 1e-13;

static mrn_posed at(const hull *h, mrn_vec3 x, mrn_quat q)
{
    return mrn_posed_make(&h->shape, x, q, 1);
}

static mrn_quat about(double x, double y, double z)
{
    return mrn_quat_from_rotation(mrn_v3(x, y, z));
}

static bool near_vec(mrn_vec3 a, mrn_vec3 b, double tolerance)
{
    return mrn_norm(mrn_sub(a, b)) <= tolerance;
}

/* Exactly the points expected, in any order, all with normal n and this gap. */
static void expect(const mrn_contact_point *m, int n, const mrn_vec3 *point, int n_points,
                   mrn_vec3 normal, double gap)
{
    assert_int_equal(n, n_points);
    for (int i = 0; i < n_points; i++) {
        bool found = false;
        for (int k = 0; k < n; k++)
            found = found || near_vec(m[k].point, point[i], TIGHT);
        assert_true(found);
        assert_true(near_vec(m[i].normal, normal, TIGHT));
        assert_float_equal(m[i].gap, gap, TIGHT);
    }
}

/* A box lies on a larger one, and hangs over its rim; overlapping, touching, apart. */
static void face_on_face(void **state)
{
    (void)state;
    hull a, c;
    hull_box(&a, 4, 4, 2);
    hull_box(&c, 1, 2, 1);
    static const double gaps[] = {-0.01, -1e-9, 0, 1e-9, 0.02};
    for (int k = 0; k < 5; k++) {
        double g = gaps[k], z = 1 + 0.5 * g;
        mrn_contact_point m[MRN_NARROW_MAX];
        mrn_posed pa = at(&a, mrn_v3(0, 0, 0), mrn_quat_identity());
        mrn_posed pc = at(&c, mrn_v3(0.3, 0.2, 1.5 + g), mrn_quat_identity());
        mrn_vec3 whole[4] = {{0.8, 1.2, z}, {-0.2, 1.2, z}, {0.8, -0.8, z}, {-0.2, -0.8, z}};
        int n = mrn_narrow_convex(&pc, &pa, 0.05, NULL, m);
        expect(m, n, whole, 4, mrn_v3(0, 0, 1), g);
        /* half over the rim, turned by a right angle: 2 along x */
        pc = at(&c, mrn_v3(2, 0.2, 1.5 + g), about(0, 0, MRN_PI / 2));
        mrn_vec3 half[4] = {{1, 0.7, z}, {2, 0.7, z}, {1, -0.3, z}, {2, -0.3, z}};
        n = mrn_narrow_convex(&pc, &pa, 0.05, NULL, m);
        expect(m, n, half, 4, mrn_v3(0, 0, 1), g);
        /* the small one as A: the normal turns round */
        n = mrn_narrow_convex(&pa, &pc, 0.05, NULL, m);
        expect(m, n, half, 4, mrn_v3(0, 0, -1), g);
    }
}

/* Two equal boxes, one turned by 45 degrees: all corners of an octagon. */
static void octagon(void **state)
{
    (void)state;
    hull a;
    hull_box(&a, 2, 2, 2);
    mrn_contact_point m[MRN_NARROW_MAX];
    mrn_posed pa = at(&a, mrn_v3(0, 0, 0), mrn_quat_identity());
    mrn_posed pc = at(&a, mrn_v3(0, 0, 1.99), about(0, 0, MRN_PI / 4));
    assert_int_equal(mrn_narrow_convex(&pc, &pa, 0.05, NULL, m), 8);
    double b = sqrt(2) - 1; /* corners at (1, +-b), (b, +-1), … */
    for (int k = 0; k < 8; k++) {
        double x = fabs(m[k].point.x), y = fabs(m[k].point.y);
        assert_float_equal(fmax(x, y), 1, TIGHT);
        assert_float_equal(fmin(x, y), b, TIGHT);
        assert_float_equal(m[k].gap, -0.01, TIGHT);
    }
    for (int k = 1; k < 8; k++) /* each once */
        for (int i = 0; i < k; i++)
            assert_true(mrn_norm(mrn_sub(m[k].point, m[i].point)) > 0.5);
}

/* A cube on its corner. */
static void corner_on_face(void **state)
{
    (void)state;
    hull a, c;
    hull_box(&a, 4, 4, 2);
    hull_box(&c, 1, 1, 1);
    mrn_vec3 axis = mrn_unit(mrn_cross(mrn_v3(1, 1, 1), mrn_v3(0, 0, 1)));
    mrn_quat q = mrn_quat_from_rotation(mrn_scale(acos(1 / sqrt(3)), axis));
    mrn_posed pa = at(&a, mrn_v3(0, 0, 0), mrn_quat_identity());
    for (double g = -0.02; g < 0.05; g += 0.01) {
        mrn_posed pc = at(&c, mrn_v3(0.3, 0.2, 1 + sqrt(0.75) + g), q);
        mrn_contact_point m[MRN_NARROW_MAX];
        mrn_vec3 p = {0.3, 0.2, 1 + 0.5 * g};
        int n = mrn_narrow_convex(&pc, &pa, 0.05, NULL, m);
        expect(m, n, &p, 1, mrn_v3(0, 0, 1), g);
    }
}

/* A cube on its edge, hanging over the rim: an end of the edge and where it leaves the face. */
static void edge_on_face(void **state)
{
    (void)state;
    hull a, c;
    hull_box(&a, 4, 4, 2);
    hull_box(&c, 1, 1, 1);
    mrn_posed pa = at(&a, mrn_v3(0, 0, 0), mrn_quat_identity());
    for (double g = -0.02; g < 0.05; g += 0.01) {
        mrn_posed pc = at(&c, mrn_v3(1.8, 0.2, 1 + sqrt(0.5) + g), about(MRN_PI / 4, 0, 0));
        mrn_contact_point m[MRN_NARROW_MAX];
        mrn_vec3 p[2] = {{1.3, 0.2, 1 + 0.5 * g}, {2, 0.2, 1 + 0.5 * g}};
        int n = mrn_narrow_convex(&pc, &pa, 0.05, NULL, m);
        expect(m, n, p, 2, mrn_v3(0, 0, 1), g);
    }
}

/* Two bars on their edges, crossing: at a right angle, and at others. */
static void edges_crossing(void **state)
{
    (void)state;
    hull a;
    hull_box(&a, 3, 1, 1);
    mrn_quat tip = about(MRN_PI / 4, 0, 0);
    for (double angle = 0.1; angle < 3; angle += 0.2)
        for (double g = -0.02; g < 0.05; g += 0.01) {
            mrn_posed pa = at(&a, mrn_v3(0, 0, 0), tip);
            mrn_posed pc =
                at(&a, mrn_v3(0.1, 0.05, 2 * sqrt(0.5) + g), mrn_quat_mul(about(0, 0, angle), tip));
            mrn_contact_point m[MRN_NARROW_MAX];
            /* the line through (0.1, 0.05) at this angle meets y = 0 at: */
            mrn_vec3 p = {0.1 - 0.05 / tan(angle), 0, sqrt(0.5) + 0.5 * g};
            int n = mrn_narrow_convex(&pc, &pa, 0.05, NULL, m);
            assert_int_equal(n, 1);
            assert_true(near_vec(m[0].point, p, 1e-12));
            assert_true(near_vec(m[0].normal, mrn_v3(0, 0, 1), 1e-12));
            assert_float_equal(m[0].gap, g, TIGHT);
        }
}

/* Apart past a rim, past a corner, and one edge along another (two points). */
static void past_rims(void **state)
{
    (void)state;
    hull a;
    hull_box(&a, 2, 2, 2);
    mrn_posed pa = at(&a, mrn_v3(0, 0, 0), mrn_quat_identity());
    mrn_contact_point m[MRN_NARROW_MAX];
    mrn_posed pc = at(&a, mrn_v3(2.03, 2.01, 2.02), mrn_quat_identity());
    double d = sqrt(0.0009 + 0.0001 + 0.0004);
    mrn_vec3 p = {1.015, 1.005, 1.01};
    int n = mrn_narrow_convex(&pc, &pa, 0.05, NULL, m);
    expect(m, n, &p, 1, mrn_scale(1 / d, mrn_v3(0.03, 0.01, 0.02)), d);
    assert_int_equal(mrn_narrow_convex(&pc, &pa, d - 1e-9, NULL, m), 0);
    pc = at(&a, mrn_v3(2.03, 0.5, 2.04), mrn_quat_identity());
    mrn_vec3 two[2] = {{1.015, -0.5, 1.02}, {1.015, 1, 1.02}};
    n = mrn_narrow_convex(&pc, &pa, 0.06, NULL, m);
    expect(m, n, two, 2, mrn_v3(0.6, 0, 0.8), 0.05);
    /* a corner of C past the edge of A */
    mrn_vec3 axis = mrn_unit(mrn_cross(mrn_v3(1, 1, 1), mrn_v3(0, 0, 1)));
    mrn_quat q = mrn_quat_from_rotation(mrn_scale(acos(1 / sqrt(3)), axis));
    pc = at(&a, mrn_v3(1.003, 0.2, 1.004 + sqrt(3)), q);
    p = mrn_v3(1.0015, 0.2, 1.002);
    n = mrn_narrow_convex(&pc, &pa, 0.05, NULL, m);
    assert_int_equal(n, 1);
    assert_true(near_vec(m[0].point, p, 1e-12) && fabs(m[0].gap - 0.005) < 1e-12);
    assert_true(near_vec(m[0].normal, mrn_v3(0.6, 0, 0.8), 1e-9)); /* rounding over the gap */
}

/* Nowhere to go but out: same centre, one inside the other, the same pose. */
static void deep(void **state)
{
    (void)state;
    hull a, c;
    hull_box(&a, 2, 2, 1);
    hull_box(&c, 0.2, 0.2, 0.2);
    mrn_contact_point m[MRN_NARROW_MAX];
    mrn_posed pa = at(&a, mrn_v3(1, 2, 3), about(0.3, 0.2, 0.1));
    int n = mrn_narrow_convex(&pa, &pa, 0, NULL, m);
    assert_true(n >= 1);
    for (int k = 0; k < n; k++) {
        assert_float_equal(m[k].gap, -1, TIGHT);
        assert_float_equal(mrn_norm(m[k].normal), 1, TIGHT);
    }
    mrn_posed pc = at(&c, pa.x, about(1, 0.5, 0.3));
    n = mrn_narrow_convex(&pc, &pa, 0.1, NULL, m);
    assert_true(n >= 1);
    mrn_vec3 up = mrn_posed_turn(&pa, mrn_v3(0, 0, 1));
    assert_float_equal(fabs(mrn_dot(m[0].normal, up)), 1, TIGHT);
    double least = 0; /* the half height of A, and what C reaches along it */
    for (int k = 0; k < n; k++)
        least = fmin(least, m[k].gap);
    assert_true(least < -0.6 && least > -0.5 - sqrt(0.03));
    /* near the top: out through it */
    pc = at(&c, mrn_axpy(0.3, up, pa.x), mrn_quat_identity());
    n = mrn_narrow_convex(&pc, &pa, 0.1, NULL, m);
    assert_true(n >= 1 && near_vec(m[0].normal, up, TIGHT));
}

/* A box tilted by less than a degree keeps its four points although the shortest line is between
   edges; tilted by more it has the one or two that are nearest. The smallest gap is off by the
   square of the tilt at most. */
static void nearly_flat(void **state)
{
    (void)state;
    hull a;
    hull_box(&a, 2, 2, 2);
    mrn_posed pa = at(&a, mrn_v3(0, 0, 0), mrn_quat_identity());
    static const double tilts[] = {1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 5e-3};
    for (int k = 0; k < 6; k++) {
        mrn_quat q = mrn_quat_mul(about(tilts[k], 0.3 * tilts[k], 0), about(0, 0, 0.6));
        mrn_posed pc = at(&a, mrn_v3(0.7, 0.3, 2.001), q);
        brute_body bc, ba;
        brute_place(&pc, &bc);
        brute_place(&pa, &ba);
        double truth = brute_signed(&bc, &ba), least = INFINITY;
        mrn_contact_point m[MRN_NARROW_MAX];
        int n = mrn_narrow_convex(&pc, &pa, 0.05, NULL, m);
        assert_int_equal(n, 6); /* a square over a corner and a bit of a turned one */
        for (int i = 0; i < n; i++) {
            least = fmin(least, m[i].gap);
            assert_true(m[i].normal.z >= 1 - tilts[k] * tilts[k] - 1e-15);
        }
        assert_float_equal(least, truth, 2 * tilts[k] * tilts[k] * fabs(truth) + 1e-6);
    }
    mrn_posed pc =
        at(&a, mrn_v3(0.7, 0.3, 2.1), mrn_quat_mul(about(0.2, 0.06, 0), about(0, 0, 0.6)));
    mrn_contact_point m[MRN_NARROW_MAX];
    assert_true(mrn_narrow_convex(&pc, &pa, 0.05, NULL, m) <= 2);
}

/* Pairs in general position: turning and moving both turns and moves the points (to rounding at
   the place they go to); exchanging them turns the normal. */
static void motion_and_exchange(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(6, 1);
    int done = 0;
    for (int k = 0; k < 400; k++) {
        hull h[2];
        int nc = 4 + (int)(12 * mrn_rng_uniform(&r)), na = 4 + (int)(12 * mrn_rng_uniform(&r));
        hull_random(&h[0], nc, mrn_v3(1, 0.8, 0.6), &r);
        hull_random(&h[1], na, mrn_v3(1, 1, 0.7), &r);
        mrn_quat qc = hull_rotation(&r), qa = hull_rotation(&r), by = hull_rotation(&r);
        mrn_vec3 d = hull_direction(&r), shift = mrn_scale(5, hull_direction(&r));
        double far = hull_uniform(&r, 0.8, 1.9);
        mrn_posed c = at(&h[0], mrn_scale(far, d), qc), a = at(&h[1], mrn_v3(0, 0, 0), qa);
        mrn_posed c2 = at(&h[0], mrn_add(mrn_rotate(by, c.x), shift), mrn_quat_mul(by, qc));
        mrn_posed a2 = at(&h[1], shift, mrn_quat_mul(by, qa));
        mrn_contact_point m[MRN_NARROW_MAX], m2[MRN_NARROW_MAX], s[MRN_NARROW_MAX];
        int n = mrn_narrow_convex(&c, &a, 0.1, NULL, m);
        assert_int_equal(mrn_narrow_convex(&c2, &a2, 0.1, NULL, m2), n);
        assert_int_equal(mrn_narrow_convex(&a, &c, 0.1, NULL, s), n);
        done += n > 0;
        for (int i = 0; i < n; i++) {
            assert_int_equal(m[i].feature, m2[i].feature);
            assert_float_equal(m[i].gap, m2[i].gap, 1e-12);
            assert_true(near_vec(mrn_rotate(by, m[i].normal), m2[i].normal, 1e-9));
            assert_true(near_vec(mrn_add(mrn_rotate(by, m[i].point), shift), m2[i].point, 1e-9));
            bool found = false;
            for (int j = 0; j < n; j++)
                found = found || (s[j].feature == (m[i].feature >> 16 | m[i].feature << 16) &&
                                  fabs(s[j].gap - m[i].gap) < 1e-12 &&
                                  near_vec(s[j].normal, mrn_scale(-1, m[i].normal), 1e-9) &&
                                  near_vec(s[j].point, m[i].point, 1e-9));
            assert_true(found);
        }
    }
    assert_true(done > 150);
}

static int sorted_keys(const mrn_contact_point *m, int n, uint32_t *key)
{
    for (int k = 0; k < n; k++) {
        int i = k;
        for (; i > 0 && key[i - 1] > m[k].feature; i--)
            key[i] = key[i - 1];
        key[i] = m[k].feature;
    }
    return n;
}

/* Boxes at rest shake by far less than 1e-7 of their size: their points keep their keys, also where
   corner lies on corner, edge on edge, and where eight meet. */
static void keys_stay(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(6, 2);
    hull a;
    hull_box(&a, 2, 2, 2);
    static const double turns[] = {0, 0.4, MRN_PI / 4, 0}, shifts[] = {0, 0.2, 0, 1};
    for (int k = 0; k < 4; k++) {
        uint32_t key[MRN_NARROW_MAX], now[MRN_NARROW_MAX];
        int points = 0;
        for (int i = 0; i < 200; i++) {
            mrn_vec3 shake = mrn_scale(i > 0 ? 1e-7 : 0, hull_direction(&r));
            mrn_vec3 tilt = mrn_scale(i > 0 ? 1e-7 : 0, hull_direction(&r));
            mrn_posed pa = at(&a, mrn_v3(0, 0, 0), mrn_quat_identity());
            mrn_posed pc = at(&a, mrn_add(mrn_v3(shifts[k], shifts[k] / 2, 1.9999), shake),
                              mrn_quat_mul(mrn_quat_from_rotation(tilt), about(0, 0, turns[k])));
            mrn_contact_point m[MRN_NARROW_MAX];
            int n = mrn_narrow_convex(&pc, &pa, 0.05, NULL, m);
            points = i == 0 ? n : points;
            assert_true(n >= 4 && n == points);
            sorted_keys(m, n, i == 0 ? key : now);
            if (i > 0)
                assert_memory_equal(key, now, (size_t)n * sizeof *key);
        }
    }
}

/* A remembered direction spares the search and does not change what comes out, also when it no
   longer separates or never did. */
static void memory(void **state)
{
    (void)state;
    hull a;
    hull_box(&a, 2, 2, 2);
    mrn_posed pa = at(&a, mrn_v3(0, 0, 0), mrn_quat_identity());
    mrn_posed pc = at(&a, mrn_v3(0, 0.3, 2.2), about(0.1, 0.2, 0.3));
    mrn_narrow_memory memory = {0};
    mrn_contact_point m[MRN_NARROW_MAX], fresh[MRN_NARROW_MAX];
    pc.x.z = 2.6;
    assert_int_equal(mrn_narrow_convex(&pc, &pa, 0.05, &memory, m), 0);
    assert_true(mrn_norm(memory.axis) > 0.999);
    assert_int_equal(mrn_narrow_convex(&pc, &pa, 0.05, &memory, m), 0);
    pc.x.z = 2.2;
    int n = mrn_narrow_convex(&pc, &pa, 0.05, &memory, m);
    assert_true(n > 0);
    assert_int_equal(mrn_narrow_convex(&pc, &pa, 0.05, NULL, fresh), n);
    assert_true(same_meetings(m, fresh, n));
}

/* Prisms of 100 sides: faces with more corners than there is room for while they are cut. */
static void many_corners(void **state)
{
    (void)state;
    mrn_polytope f;
    mrn_message msg;
    assert_int_equal(mrn_polytope_regular("prism-100", &f, &msg), MRN_OK);
    const mrn_convex *s = &f.part[0];
    int flat = 0;
    for (int k = 0; k < s->n_faces; k++)
        flat = s->face_start[k + 1] - s->face_start[k] == 100 ? k : flat;
    mrn_vec3 n = mrn_load3(s->plane + 4 * flat);
    double half = s->plane[4 * flat + 3];
    mrn_posed pa = mrn_posed_make(s, mrn_v3(0, 0, 0), mrn_quat_identity(), 1);
    mrn_posed pc = mrn_posed_make(s, mrn_scale(2 * half - 0.001, n), mrn_quat_identity(), 1);
    mrn_contact_point m[MRN_NARROW_MAX];
    assert_int_equal(mrn_narrow_convex(&pc, &pa, 0.05, NULL, m), MRN_NARROW_MAX);
    mrn_vec3 middle = {0, 0, 0};
    for (int k = 0; k < MRN_NARROW_MAX; k++)
        assert_float_equal(m[k].gap, -0.001, 1e-12);
    for (int k = 0; k < 4; k++)
        middle = mrn_axpy(0.25, m[k].point, middle);
    /* they span it: their mean is near the axis */
    assert_true(mrn_norm(mrn_axpy(-mrn_dot(middle, n), n, middle)) < 0.2 * s->bound);
    mrn_overlap o;
    assert_true(mrn_overlap_convex(&pc, &pa, &o));
    assert_float_equal(o.volume, 0.001 * o.area, 1e-9);
    assert_float_equal(o.area * 2 * half, 4 * MRN_PI / 3, 1e-6); /* volume of the polytope */
    mrn_polytope_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(face_on_face),   cmocka_unit_test(octagon),
        cmocka_unit_test(corner_on_face), cmocka_unit_test(edge_on_face),
        cmocka_unit_test(edges_crossing), cmocka_unit_test(past_rims),
        cmocka_unit_test(deep),           cmocka_unit_test(nearly_flat),
        cmocka_unit_test(keys_stay),      cmocka_unit_test(motion_and_exchange),
        cmocka_unit_test(memory),         cmocka_unit_test(many_corners)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
