/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A ball or disk on a convex part: closed forms on a cube, and random ones against the closest
   point over all triangles of the surface. MRN_FUZZ=N tries N balls. */
#include "part_kit.h"

static void cube_of_side_two(mrn_polytope *f, mrn_posed *a)
{
    mrn_message msg = {0};
    ok(mrn_polytope_regular("cube", f, &msg), &msg);
    /* corners at (±1, ±1, ±1) whatever the size of the polytope */
    double corner = fabs(f->part[0].point[0]);
    *a = mrn_posed_make(&f->part[0], mrn_v3(0, 0, 0), mrn_quat_identity(), 1 / corner);
    for (int k = 0; k < 8; k++)
        assert_float_equal(mrn_norm(mrn_posed_point(a, k)), sqrt(3), 1e-12);
}

static void on_a_cube(void **state)
{
    (void)state;
    mrn_polytope f;
    mrn_posed a;
    cube_of_side_two(&f, &a);
    const struct {
        mrn_vec3 x, n, point;
        double gap;
    } cases[] = {
        {{0.3, -0.2, 1.6}, {0, 0, 1}, {0.3, -0.2, 1.05}, 0.1},        /* face           */
        {{0.3, -0.2, 1.4}, {0, 0, 1}, {0.3, -0.2, 0.95}, -0.1},       /* face, overlap  */
        {{1.3, 0.1, 1.4}, {0.6, 0, 0.8}, {1, 0.1, 1}, 0},             /* edge           */
        {{1.2, 1.2, 1.1}, {2 / 3., 2 / 3., 1 / 3.}, {0, 0, 0}, -0.2}, /* corner         */
        {{0.3, -0.2, 0.9}, {0, 0, 1}, {0.3, -0.2, 0.7}, -0.6},        /* centre inside  */
        {{-0.95, 0.1, 0.9}, {-1, 0, 0}, {-0.725, 0.1, 0.9}, -0.55},   /* the nearer one */
    };
    for (int k = 0; k < MRN_COUNT(cases); k++) {
        mrn_contact_point m;
        assert_int_equal(mrn_narrow_ball(cases[k].x, 0.5, &a, 0.2, &m), 1);
        check_contact_point(&m);
        assert_float_equal(m.gap, cases[k].gap, 1e-14);
        assert_float_equal(mrn_norm(mrn_sub(m.normal, cases[k].n)), 0, 1e-13);
        if (k != 3)
            assert_float_equal(mrn_norm(mrn_sub(m.point, cases[k].point)), 0, 1e-13);
        assert_int_equal(m.feature, 0);
    }
    mrn_contact_point m;
    assert_int_equal(mrn_narrow_ball(mrn_v3(0, 0, 1.6), 0.5, &a, 0.0999, &m), 0);
    mrn_polytope_release(&f);
}

/* ---- brute force ---- */

/* Closest point of a triangle: of the foot, if it is inside, and of the three edges. */
static double point_triangle(mrn_vec3 p, mrn_vec3 a, mrn_vec3 b, mrn_vec3 c)
{
    mrn_vec3 t[3] = {a, b, c}, n = mrn_cross(mrn_sub(b, a), mrn_sub(c, a));
    double least = INFINITY;
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        mrn_vec3 e = mrn_sub(t[(k + 1) % 3], t[k]), d = mrn_sub(p, t[k]);
        inside = inside && mrn_dot(mrn_cross(n, e), d) >= 0;
        double s = mrn_clamp(mrn_dot(d, e) / mrn_dot(e, e), 0, 1);
        least = fmin(least, mrn_norm(mrn_axpy(-s, e, d)));
    }
    return inside ? fmin(least, fabs(mrn_dot(mrn_unit(n), mrn_sub(p, a)))) : least;
}

static double brute_surface(const mrn_posed *a, mrn_vec3 x, double *plane)
{
    const mrn_convex *s = a->shape;
    double least = INFINITY;
    *plane = -INFINITY;
    for (int f = 0; f < s->n_faces; f++) {
        mrn_vec3 n = mrn_posed_turn(a, mrn_load3(s->plane + 4 * f));
        mrn_vec3 p = mrn_posed_point(a, s->corner[s->face_start[f]]);
        *plane = fmax(*plane, mrn_dot(n, mrn_sub(x, p)));
        if (s->dimension == 2) { /* a wall standing on the side */
            mrn_vec3 q = mrn_posed_point(a, s->corner[s->face_start[f] + 1]);
            mrn_vec3 d = mrn_sub(q, p), e = mrn_sub(x, p);
            double t = mrn_clamp(mrn_dot(d, e) / mrn_dot(d, d), 0, 1);
            least = fmin(least, mrn_norm(mrn_axpy(-t, d, e)));
        }
        for (int k = s->face_start[f] + 2; k < s->face_start[f + 1]; k++)
            least = fmin(least, point_triangle(x, p, mrn_posed_point(a, s->corner[k - 1]),
                                               mrn_posed_point(a, s->corner[k])));
    }
    return least;
}

static void check_ball(const mrn_posed *a, mrn_vec3 x, double r, double alert)
{
    double plane, surface = brute_surface(a, x, &plane);
    double gap = (plane > 0 ? surface : plane) - r;
    mrn_contact_point m;
    int n = mrn_narrow_ball(x, r, a, alert, &m);
    double rounding = 1e-12; /* coordinates below 10 */
    if (n == 0) {
        assert_true(gap >= alert - rounding);
        return;
    }
    check_contact_point(&m);
    assert_float_equal(m.gap, gap, rounding);
    /* the point is half-way between the two surfaces, on the normal through the centre */
    assert_float_equal(mrn_norm(mrn_sub(m.point, mrn_axpy(-(r + 0.5 * m.gap), m.normal, x))), 0,
                       rounding);
    /* the part is behind the normal */
    mrn_vec3 on = mrn_axpy(-(r + m.gap), m.normal, x);
    double most = -brute_lowest(a, mrn_scale(-1, m.normal));
    assert_float_equal(most, mrn_dot(m.normal, on), 1e-7);
}

static void against_all_triangles(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(30, 1);
    mrn_message msg = {0};
    mrn_polytope f = {0};
    for (int64_t i = 0, n = fuzz_count(100000); i < n; i++) {
        int dimension = i / 500 % 4 == 0 ? 2 : 3;
        if (i % 500 == 0) {
            mrn_random_polytope p = {.elongation = 0.7, .flatness = 0.6, .seed = (uint64_t)i};
            p.angularity = uniform(&r, 0, 1);
            mrn_polytope_release(&f);
            ok(mrn_polytope_random(dimension, &p, &f, &msg), &msg);
        }
        double scale = uniform(&r, 0.2, 3), s = 2 * scale, angle = uniform(&r, 0, 7);
        mrn_vec3 at = random_in(&r, 3), x = random_in(&r, s);
        mrn_quat q = dimension == 2 ? about_z(angle) : random_turn(&r);
        double radius = uniform(&r, 0.001, 1), alert = uniform(&r, 0.01, 1);
        if (dimension == 2)
            at.z = x.z = 0;
        mrn_posed a = mrn_posed_make(&f.part[0], at, q, scale);
        if (i % 7 == 0) { /* on a corner, on an edge, on a face: the hardest places */
            int k = (int)uniform(&r, 0, f.part[0].n_faces);
            const int32_t *c = f.part[0].corner + f.part[0].face_start[k];
            mrn_vec3 u = mrn_posed_point(&a, c[0]), v = mrn_posed_point(&a, c[1]);
            x = i % 2 == 0 ? mrn_sub(u, at) : mrn_sub(mrn_axpy(0.3, mrn_sub(v, u), u), at);
        }
        check_ball(&a, mrn_add(at, x), radius, alert);
    }
    mrn_polytope_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_cube),
        cmocka_unit_test(against_all_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
