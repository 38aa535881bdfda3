/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The region two grains with corners share: its thickness in closed form, and its gradient against
   differences. */
#include "geom/overlap_region.h"
#include "smooth/polytope_world.h"

static const mrn_overlap_room room = {64, 256, 64, 512, 4096};
static const mrn_vec3 zero = {0, 0, 0};

typedef struct fixture {
    mrn_overlap_region region;
    mrn_polytope c, a;
    int dimension;
    bool wall;
    mrn_quat q_a;
} fixture;

static void fixture_begin(fixture *b, int dimension, bool wall)
{
    mrn_message msg = {0};
    *b = (fixture){.dimension = dimension, .wall = wall};
    ok(mrn_overlap_region_reserve(&b->region, &room, &msg), &msg);
    b->c = dimension == 3 ? regular_polytope("cube") : polygon_polytope(4);
    b->a = dimension == 3 ? regular_polytope("icosahedron") : polygon_polytope(5);
}

static void fixture_end(fixture *b)
{
    mrn_overlap_region_release(&b->region);
    mrn_polytope_release(&b->c);
    mrn_polytope_release(&b->a);
}

static mrn_vec3 up(int dimension)
{
    return dimension == 3 ? mrn_v3(0, 0, 1) : mrn_v3(0, 1, 0);
}

/* C at x, q against A (1.3 times as large) at the origin, or the half-space below it. */
static bool measure(fixture *b, mrn_vec3 x, mrn_quat q, mrn_thickness *t)
{
    mrn_posed c = mrn_posed_make(b->c.part, x, q, 1);
    mrn_posed_faces_make(&b->region.c, &c, zero);
    mrn_overlap_region_begin(&b->region, b->dimension);
    if (b->wall) {
        mrn_vec3 n = up(b->dimension);
        mrn_overlap_region_add_slab(&b->region, n, 0, NULL, 0);
        return mrn_overlap_thickness(&b->region, &zero, &n, t);
    }
    mrn_posed a = mrn_posed_make(b->a.part, zero, b->q_a, 1.3);
    mrn_posed_faces_make(&b->region.a, &a, zero);
    mrn_overlap_region_add_pair(&b->region);
    return mrn_overlap_thickness(&b->region, NULL, NULL, t);
}

static double thickness(fixture *b, mrn_vec3 x, mrn_quat q)
{
    mrn_thickness t = {0};
    return measure(b, x, q, &t) ? t.delta : 0;
}

/* Central differences along axis k: of ways, and of turns about the origin. */
static double slope(fixture *b, mrn_vec3 x, mrn_quat q, int k, bool turn)
{
    double h = 1e-6;
    mrn_vec3 e = {k == 0, k == 1, k == 2}, to = mrn_axpy(h, e, x), back = mrn_axpy(-h, e, x);
    if (!turn)
        return (thickness(b, back, q) - thickness(b, to, q)) / (2 * h);
    mrn_quat p = mrn_quat_from_rotation(mrn_scale(h, e));
    mrn_quat m = mrn_quat_from_rotation(mrn_scale(-h, e));
    return (thickness(b, mrn_rotate(m, x), mrn_quat_mul(m, q)) -
            thickness(b, mrn_rotate(p, x), mrn_quat_mul(p, q))) /
           (2 * h);
}

static mrn_vec3 random_place(const fixture *b, mrn_rng *rng)
{
    double u = 2 * mrn_rng_uniform(rng) - 1, v = 2 * mrn_rng_uniform(rng) - 1;
    double w = 2 * mrn_rng_uniform(rng) - 1;
    bool flat = b->dimension == 2;
    if (b->wall)
        return flat ? mrn_v3(u, 1 + 0.3 * v, 0) : mrn_v3(u, v, 1 + 0.3 * w);
    return mrn_scale(2, mrn_unit(mrn_v3(u, v, flat ? 0 : w)));
}

/* The gradient is what conserves energy: exact to the error of differences, 1e-16 / h. */
static void gradients(void **state)
{
    (void)state;
    for (int what = 0; what < 4; what++) {
        fixture b;
        fixture_begin(&b, what < 2 ? 2 : 3, what % 2);
        mrn_rng rng = mrn_rng_seed(5, (uint64_t)what);
        int tried = 0;
        for (int n = 0; n < 400; n++) {
            b.q_a = mrn_generate_turn(b.dimension, &rng);
            mrn_quat q = mrn_generate_turn(b.dimension, &rng);
            mrn_vec3 x = random_place(&b, &rng);
            mrn_thickness t;
            if (!measure(&b, x, q, &t) || t.delta < 1e-3)
                continue;
            double push[3], twist[3];
            mrn_store3(push, t.push);
            mrn_store3(twist, t.twist);
            for (int k = 0; k < 3; k++) {
                if (b.dimension == 3 || k < 2)
                    assert_close(push[k], slope(&b, x, q, k, false), 1e-8);
                if (b.dimension == 3 || k == 2)
                    assert_close(twist[k], slope(&b, x, q, k, true), 1e-8);
            }
            tried++;
        }
        assert_true(tried > 150);
        fixture_end(&b);
    }
}

static double half_side(const mrn_polytope *f)
{
    return f->part[0].plane[3];
}

static mrn_quat face_down(const fixture *b)
{
    return turn_between(mrn_load3(b->c.part[0].plane), mrn_scale(-1, up(b->dimension)));
}

/* A face sunk by d: thickness d and slope 1 up to (d/side)^2 / 2, and no torque about the centre;
   for depths down to a part in 1e9, where digits get lost. */
static void faces(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        fixture b;
        fixture_begin(&b, dimension, true);
        double side = 2 * half_side(&b.c);
        for (double d = 1e-2; d > 1e-9; d *= 0.1) {
            mrn_thickness t;
            mrn_vec3 x = mrn_scale(0.5 * side - d, up(dimension));
            assert_true(measure(&b, x, face_down(&b), &t));
            double cut = (d / side) * (d / side);
            assert_close(t.delta / d, 1, cut + 1e-6);
            assert_close(mrn_dot(t.push, up(dimension)), 1, 3 * cut + 1e-6);
            assert_close(mrn_norm(t.twist), 0, 1e-5);
            assert_close(t.volume / (d * (dimension == 3 ? side * side : side)), 1, 1e-6);
        }
        fixture_end(&b);
    }
}

/* A square on its corner: the shared triangle has legs along the sides, of length l = sqrt(2) d.
   Along the diagonals its variances are d^2/18 (height d) and (2 d)^2 / 24 (base 2 d), so that
   delta = sqrt(12 / (18 + 6)) d. */
static void corners(void **state)
{
    (void)state;
    fixture b;
    fixture_begin(&b, 2, true);
    mrn_vec3 corner = mrn_load3(b.c.part[0].point);
    double d = 0.1;
    mrn_thickness t;
    mrn_quat q = turn_between(mrn_unit(corner), mrn_v3(0, -1, 0));
    assert_true(measure(&b, mrn_v3(0, mrn_norm(corner) - d, 0), q, &t));
    assert_close(t.volume, d * d, 1e-12);
    assert_close(t.delta, sqrt(0.5) * d, 1e-12);
    assert_close(t.push.y, sqrt(0.5), 1e-12);
    assert_close(t.centre.y, -d / 3, 1e-12);
    fixture_end(&b);
}

/* Two equal cubes face on face, sides flush: coplanar sides must count once. */
static void flush_cubes(void **state)
{
    (void)state;
    fixture b;
    fixture_begin(&b, 3, false);
    double s = 2 * half_side(&b.c), d = 1e-3;
    for (int shifted = 0; shifted < 2; shifted++) {
        mrn_vec3 x = {shifted ? 0.25 * s : 0, 0, s - d};
        mrn_posed c = mrn_posed_make(b.c.part, x, mrn_quat_identity(), 1);
        mrn_posed a = mrn_posed_make(b.c.part, zero, mrn_quat_identity(), 1);
        mrn_thickness t;
        mrn_posed_faces_make(&b.region.c, &c, zero);
        mrn_posed_faces_make(&b.region.a, &a, zero);
        mrn_overlap_region_begin(&b.region, 3);
        mrn_overlap_region_add_pair(&b.region);
        assert_true(mrn_overlap_thickness(&b.region, NULL, NULL, &t));
        assert_close(t.volume, s * s * d * (shifted ? 0.75 : 1), 1e-12);
        assert_close(t.delta, d, 1e-5 * d);
        assert_close(t.push.z, 1, 1e-5);
        assert_close(t.centre.x, shifted ? 0.125 * s : 0, 1e-9);
    }
    fixture_end(&b);
}

/* A floor of two triangles is the floor: seams are not felt. */
static void seams(void **state)
{
    (void)state;
    fixture b;
    fixture_begin(&b, 3, true);
    mrn_vec3 n = up(3), one[3] = {{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}};
    mrn_vec3 two[3] = {{-9, -9, 0}, {9, 9, 0}, {-9, 9, 0}};
    mrn_rng rng = mrn_rng_seed(8, 1);
    for (int k = 0; k < 50; k++) {
        mrn_vec3 x = random_place(&b, &rng);
        mrn_quat q = mrn_generate_turn(3, &rng);
        mrn_thickness whole, split;
        bool touch = measure(&b, x, q, &whole);
        mrn_posed c = mrn_posed_make(b.c.part, x, q, 1);
        mrn_posed_faces_make(&b.region.c, &c, zero);
        mrn_overlap_region_begin(&b.region, 3);
        mrn_overlap_region_add_slab(&b.region, n, 0, one, 3);
        mrn_overlap_region_add_slab(&b.region, n, 0, two, 3);
        assert_int_equal(mrn_overlap_thickness(&b.region, &zero, &n, &split), touch);
        if (!touch)
            continue;
        assert_close(split.delta, whole.delta, 1e-10);
        assert_close(mrn_norm(mrn_sub(split.push, whole.push)), 0, 1e-8);
        assert_close(mrn_norm(mrn_sub(split.twist, whole.twist)), 0, 1e-8);
    }
    fixture_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients),   cmocka_unit_test(faces), cmocka_unit_test(corners),
        cmocka_unit_test(flush_cubes), cmocka_unit_test(seams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
