/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which features a sphere really touches: flat plates of triangles, ridges, grooves, corners,
   nearly flat edges, rims; one force law (linear) to see that crossing edges never kicks. */
#include "geom/helper.h"

#include "geom/mesh.h"

static mrn_shape shape_of(const double *soup, int64_t n)
{
    mrn_shape s = {.type = mrn_shape_type_find("mesh"), .dimension = 3};
    assert_int_equal(mrn_mesh_create(soup, n, &s.mesh, NULL), MRN_OK);
    return s;
}

/* A strip of n x n x 2 triangles over [-1, 1]^2 lifted by a height z(x). */
static mrn_shape sheet(int n, double (*height)(double x))
{
    double *soup = calloc((size_t)(18 * n * n), sizeof *soup);
    for (int i = 0; i < n * n; i++)
        for (int k = 0; k < 6; k++) {
            const int dx[6] = {0, 1, 1, 0, 1, 0}, dy[6] = {0, 0, 1, 0, 1, 1};
            double x = -1 + 2.0 * (i % n + dx[k]) / n, y = -1 + 2.0 * (i / n + dy[k]) / n;
            mrn_store3(soup + 18 * i + 3 * k, mrn_v3(x, y, height(x)));
        }
    mrn_shape s = shape_of(soup, 2 * n * n);
    free(soup);
    return s;
}

enum { ROOM = 512 };

/* All contacts of a sphere; the force is the sum of overlap times normal. */
static int touch(const mrn_shape *s, mrn_vec3 c, double r, mrn_contact_point *first,
                 mrn_vec3 *force)
{
    int32_t f[ROOM];
    mrn_contact_point out[ROOM];
    int n = s->type->features(s, c, r, f, ROOM);
    assert_in_range(n, 0, ROOM);
    int m = mrn_wall_contacts(s, c, r, f, n, out), seen = 0;
    mrn_vec3 sum = {0, 0, 0};
    for (int k = 0; k < n; k++) {
        if (!out[k].touch)
            continue;
        if (seen++ == 0 && first != NULL)
            *first = out[k];
        assert_true(out[k].gap < 0);
        sum = mrn_axpy(-out[k].gap, out[k].normal, sum);
    }
    assert_int_equal(seen, m);
    if (force != NULL)
        *force = sum;
    return m;
}

static double flat(double x)
{
    (void)x;
    return 0.25;
}

static void flat_plate_is_one_contact_everywhere(void **state)
{
    (void)state;
    enum { N = 20 };
    mrn_shape s = sheet(N, flat);
    mrn_rng r = mrn_rng_seed(1, 0);
    for (int k = 0; k < 4000; k++) {
        double x = between(&r, -0.7, 0.7), y = between(&r, -0.7, 0.7);
        double cell = 2.0 / N;
        if (k % 4 == 1 || k % 4 == 3) /* exactly above an edge */
            x = cell * round(x / cell);
        if (k % 4 == 2 || k % 4 == 3) /* exactly above an edge, a corner */
            y = cell * round(y / cell);
        if (k % 16 == 4) /* above a diagonal */
            y = x;
        double radius = between(&r, 0.01, 0.3), overlap = radius * pow(10, between(&r, -10, -0.5));
        mrn_contact_point w = {0};
        mrn_vec3 c = mrn_v3(x, y, k % 2 ? 0.25 + radius - overlap : 0.25 - radius + overlap);
        double gap = fabs(c.z - 0.25) - radius; /* what is left of the overlap after rounding */
        assert_int_equal(touch(&s, c, radius, &w, NULL), 1);
        assert_near(w.gap, gap, 1e-16);
        /* exactly above an edge the normal is c - e over a distance of 0.0068 at least, e good to
         * 1e-16 */
        assert_true(apart(w.normal, mrn_v3(0, 0, k % 2 ? 1 : -1)) < 5e-14);
        assert_true(apart(w.point, mrn_v3(x, y, 0.25)) < 1e-15);
    }
    mrn_shape_release(&s);
    assert_null(s.mesh);
}

/* Any direction: a plate rotated, with corners rounded to single precision as a file would have
   them. The facets are then planar to 6e-8 only. */
static void tilted_plate_in_single_precision(void **state)
{
    (void)state;
    enum { N = 12 };
    mrn_quat q = mrn_quat_from_rotation(mrn_v3(0.3, -0.7, 1.1));
    double soup[18 * N * N];
    mrn_shape plain = sheet(N, flat);
    for (int i = 0; i < 6 * N * N; i++) {
        mrn_vec3 p = mrn_load3(plain.mesh->point + 3 * plain.mesh->corner[i]);
        p = mrn_rotate(q, mrn_v3(p.x, p.y, 0));
        mrn_store3(soup + 3 * i, mrn_v3((float)p.x, (float)p.y, (float)p.z));
    }
    mrn_shape_release(&plain);
    mrn_shape s = shape_of(soup, 2 * N * N);
    mrn_rng r = mrn_rng_seed(2, 0);
    for (int k = 0; k < 3000; k++) {
        double x = between(&r, -0.7, 0.7), y = between(&r, -0.7, 0.7),
               radius = between(&r, 0.02, 0.2);
        double overlap = radius * pow(10, between(&r, -5, -1));
        mrn_vec3 c = mrn_rotate(q, mrn_v3(x, y, radius - overlap));
        mrn_contact_point w = {0};
        assert_int_equal(touch(&s, c, radius, &w, NULL), 1);
        /* corners are off by 6e-8, facets are 1/6 wide: angles of 1e-6, heights of 1e-7 */
        assert_near(w.gap, -overlap, 1e-6);
        assert_true(apart(w.normal, mrn_rotate(q, mrn_v3(0, 0, 1))) < 1e-5);
    }
    mrn_shape_release(&s);
}

static double ridge(double x)
{
    return -0.8 * fabs(x);
}
static double groove(double x)
{
    return 0.8 * fabs(x);
}

static void ridge_is_one_contact(void **state)
{
    (void)state;
    mrn_shape s = sheet(10, ridge); /* x = 0 is an edge of triangles */
    double lean = atan(0.8), radius = 0.1;
    mrn_vec3 last = {0};
    /* all around the edge at constant distance: the gap stays, the normal turns steadily */
    for (int k = -200; k <= 200; k++) {
        double angle = 1.3 * lean * k / 200;
        mrn_vec3 c = mrn_v3(0.09 * sin(angle), 0.033, 0.09 * cos(angle)), force;
        mrn_contact_point w = {0};
        assert_int_equal(touch(&s, c, radius, &w, &force), 1);
        if (fabs(angle) < lean) {
            assert_near(w.gap, -0.01, 1e-15);
            assert_true(apart(w.normal, mrn_v3(sin(angle), 0, cos(angle))) < 1e-14);
        }
        /* one step turns by 1.3 lean / 200 = 0.0044 and moves 0.0004 */
        assert_true(k == -200 || apart(force, last) < 0.0005);
        last = force;
    }
    mrn_shape_release(&s);
}

static void groove_is_two_contacts(void **state)
{
    (void)state;
    mrn_shape s = sheet(10, groove);
    double lean = atan(0.8), radius = 0.15, overlap = 0.002;
    mrn_rng r = mrn_rng_seed(4, 0);
    for (int k = 0; k < 500; k++) {
        mrn_vec3 c = mrn_v3(0, between(&r, -0.7, 0.7), (radius - overlap) / cos(lean)), force;
        assert_int_equal(touch(&s, c, radius, NULL, &force), 2);
        assert_true(apart(force, mrn_v3(0, 0, 2 * overlap * cos(lean))) < 1e-14);
    }
    mrn_shape_release(&s);
}

/* Three contacts in the corner of a cube: as a mesh, as a container closed and open. */
static void cube_corner_is_three_contacts(void **state)
{
    (void)state;
    const double soup[6 * 9] = {
        0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, /* z = 0 */
        0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, /* y = 0 */
        0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, /* x = 0 */
    };
    mrn_shape mesh = shape_of(soup, 6);
    for (int open = 0; open < 3; open++) {
        wall box = wall_of("box");
        set_box(&box, "corners", mrn_v3(0, 0, 0), mrn_v3(1, 1, 1));
        set_choice(&box, "open", open == 1 ? "top" : "none");
        assert_int_equal(build(&box, 3), MRN_OK);
        const mrn_shape *s = open == 2 ? &mesh : &box.shape;
        double r = 0.2, d = 0.199;
        mrn_vec3 shift = open == 2 ? mrn_v3(0, 0, 0) : mrn_v3(0.5, 0.5, 0.5), force;
        assert_int_equal(touch(s, mrn_sub(mrn_v3(d, d, d), shift), r, NULL, &force), 3);
        assert_true(apart(force, mrn_v3(0.001, 0.001, 0.001)) < 1e-15);
        assert_int_equal(touch(s, mrn_sub(mrn_v3(d, d, 0.4), shift), r, NULL, &force), 2);
        assert_int_equal(touch(s, mrn_sub(mrn_v3(d, 0.5, 0.5), shift), r, NULL, &force), 1);
        assert_int_equal(touch(s, mrn_sub(mrn_v3(0.5, 0.5, 0.5), shift), r, NULL, &force), 0);
    }
    mrn_shape_release(&mesh);
}

static void rim_and_outside_of_an_open_box(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        wall box = wall_of("box");
        set_box(&box, "corners", mrn_v3(-1, -1, -1), mrn_v3(1, 1, 1));
        set_choice(&box, "open", "top");
        assert_int_equal(build(&box, dimension), MRN_OK);
        const mrn_shape *s = &box.shape;
        mrn_vec3 force, top = dimension == 2 ? mrn_v3(0, 1, 0) : mrn_v3(0, 0, 1);
        mrn_vec3 x = mrn_v3(1, 0, 0);
        /* on the rim: one contact, straight up; over it and beside the box: pushed away outwards */
        assert_int_equal(touch(s, mrn_add(x, mrn_scale(1.09, top)), 0.1, NULL, &force), 1);
        assert_true(apart(force, mrn_scale(0.01, top)) < 1e-15);
        assert_int_equal(touch(s, mrn_scale(1.09, x), 0.1, NULL, &force), 1);
        assert_true(apart(force, mrn_scale(0.01, x)) < 1e-15);
        assert_int_equal(touch(s, mrn_scale(1.3, x), 0.1, NULL, &force), 0);
        assert_int_equal(touch(s, mrn_scale(1.05, top), 0.1, NULL, &force), 0); /* no lid */
        /* outside at the edge between two faces, and at a corner: one contact */
        mrn_vec3 edge = mrn_sub(mrn_scale(1.05, x), mrn_scale(1.05, top));
        assert_int_equal(touch(s, edge, 0.1, NULL, &force), 1);
        if (dimension == 3)
            assert_int_equal(touch(s, mrn_add(edge, mrn_v3(0, 1.03, 0)), 0.1, NULL, &force), 1);
    }
}

static double nearly_flat(double x)
{
    return x > 0 ? 0.004 * x : 0;
}
static double dent(double x)
{
    return x > 0 ? 0.3 * x : 0;
}

/* Rolling at the height that keeps the overlap of the deepest contact at delta; returns the largest
   jump of the force between neighbouring steps. */
static double largest_jump(const mrn_shape *s, double delta, int *most)
{
    double r = 0.1, jump = 0;
    mrn_vec3 last = {0};
    *most = 0;
    for (int k = 0; k <= 4000; k++) {
        double x = -0.05 + 0.1 * k / 4000;
        mrn_vec3 force, c = mrn_v3(x, 0.0123, r - delta);
        int n = touch(s, c, r, NULL, &force);
        *most = n > *most ? n : *most;
        if (k > 0)
            jump = fmax(jump, apart(force, last));
        last = force;
    }
    return jump;
}

static void nearly_flat_concave_edge_does_not_kick(void **state)
{
    (void)state;
    int most;
    mrn_shape s = sheet(10, nearly_flat);
    /* Angle a = 0.004, below sqrt(2 delta / r) = 0.14: one contact. A step of 25 um changes the
       overlap by at most 25 um sin(a) = 1e-7; where the facet changes the direction turns by a:
       delta a = 4e-6. */
    double delta = 0.001;
    assert_true(largest_jump(&s, delta, &most) < 0.004 * delta + 2e-7);
    assert_int_equal(most, 1);
    mrn_shape_release(&s);
    /* Angle a = 0.29, above sqrt(2 delta / r) = 0.14: the second contact begins at overlap zero.
       Per step the overlap with the slope grows by 25 um sin(a) = 7.2e-6. Later it is so deep that
       its cap takes in the flat side's contact, which fades at a rate of 2 delta / (r a^2 / 2)
       times that: another 3.4e-6. */
    s = sheet(10, dent);
    assert_true(largest_jump(&s, delta, &most) < 1.2e-5);
    assert_int_equal(most, 2);
    mrn_shape_release(&s);
}

/* A sheet whose corners are lifted at random: ridges, grooves and pits of all angles up to 0.2. */
static mrn_shape bumpy(int n, double height, uint64_t seed)
{
    mrn_shape plain = sheet(n, flat);
    mrn_mesh *m = plain.mesh;
    mrn_rng r = mrn_rng_seed(seed, 1);
    for (int i = 0; i < m->n_points; i++)
        m->point[3 * i + 2] = between(&r, -height, height);
    double *soup = calloc((size_t)(9 * m->n_triangles), sizeof *soup);
    for (int i = 0; i < 9 * m->n_triangles; i++)
        soup[i] = m->point[3 * m->corner[i / 3] + i % 3];
    mrn_shape s = shape_of(soup, m->n_triangles);
    free(soup);
    mrn_shape_release(&plain);
    return s;
}

static void rough_ground_does_not_kick(void **state)
{
    (void)state;
    double r = 0.15, step = 3e-4;
    for (uint64_t seed = 0; seed < 6; seed++) {
        mrn_shape s = bumpy(20, 0.005, seed);
        mrn_vec3 last = {0};
        for (int k = 0; k < 4000; k++) {
            mrn_vec3 force, c = mrn_v3(-0.6 + step * k, 0.2 - 0.1 * step * k, r - 0.003);
            touch(&s, c, r, NULL, &force);
            /* Where the deepest of two points in one cap changes, the direction turns by less than
               the cap's angle sqrt(2 delta / r); else an overlap changes by at most step x slope,
               up to four of them. A contact lost or found at once would jump by delta, some 0.005.
             */
            double delta = mrn_norm(force), turn = delta * sqrt(2 * delta / r);
            assert_true(k == 0 || apart(force, last) < turn + 4 * 0.2 * step);
            last = force;
        }
        mrn_shape_release(&s);
    }
}

static void order_of_the_list_does_not_matter(void **state)
{
    (void)state;
    mrn_shape s = sheet(10, groove);
    mrn_rng r = mrn_rng_seed(9, 0);
    for (int k = 0; k < 200; k++) {
        mrn_vec3 c = mrn_v3(between(&r, -0.05, 0.05), between(&r, -0.6, 0.6), 0.18);
        int32_t f[ROOM];
        mrn_contact_point a[ROOM], b[ROOM];
        int n = s.type->features(&s, c, 0.15, f, ROOM);
        int m = mrn_wall_contacts(&s, c, 0.15, f, n, a);
        for (int i = 0; i < n / 2; i++) {
            int32_t t = f[i];
            f[i] = f[n - 1 - i];
            f[n - 1 - i] = t;
        }
        assert_int_equal(mrn_wall_contacts(&s, c, 0.15, f, n, b), m);
        for (int i = 0; i < n; i++)
            assert_true(a[i].touch == b[n - 1 - i].touch && a[i].gap == b[n - 1 - i].gap);
    }
    mrn_shape_release(&s);
}

static void hostile_numbers_end(void **state)
{
    (void)state;
    mrn_shape s = sheet(4, flat);
    int32_t f[32];
    mrn_contact_point out[32];
    for (int k = 0; k < 32; k++)
        f[k] = k;
    assert_int_equal(mrn_wall_contacts(&s, mrn_v3(NAN, 0, 0), 0.1, f, 32, out), 0);
    assert_int_equal(s.type->features(&s, mrn_v3(NAN, 0, 0), 0.1, f, 32), 0);
    assert_int_equal(mrn_wall_contacts(&s, mrn_v3(0, 0, 0), 0.1, f, 0, out), 0);
    /* a sphere far larger than the mesh: bounded, deepest kept */
    int m = mrn_wall_contacts(&s, mrn_v3(0, 0, 0), 100, f, 32, out);
    assert_in_range(m, 1, 16);
    mrn_shape_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_plate_is_one_contact_everywhere),
        cmocka_unit_test(tilted_plate_in_single_precision),
        cmocka_unit_test(ridge_is_one_contact),
        cmocka_unit_test(groove_is_two_contacts),
        cmocka_unit_test(cube_corner_is_three_contacts),
        cmocka_unit_test(rim_and_outside_of_an_open_box),
        cmocka_unit_test(nearly_flat_concave_edge_does_not_kick),
        cmocka_unit_test(rough_ground_does_not_kick),
        cmocka_unit_test(order_of_the_list_does_not_matter),
        cmocka_unit_test(hostile_numbers_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
