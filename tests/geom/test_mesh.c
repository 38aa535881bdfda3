/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Triangle meshes: joining points, dropping flat triangles, the tree against brute force,
 * neighbours, memory. */
#include "geom/helper.h"

#include "geom/mesh.h"

/* A bumpy torus of 2 n m triangles. */
static int64_t torus(int n, int m, double *soup)
{
    int64_t t = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            mrn_vec3 q[4];
            for (int k = 0; k < 4; k++) {
                int a = (i + (k == 1 || k == 2)) % n, b = (j + (k >= 2)) % m;
                double u = 2 * MRN_PI * a / n, v = 2 * MRN_PI * b / m;
                double r = 0.3 + 0.05 * sin(3 * u) * cos(2 * v);
                q[k] = mrn_v3((1 + r * cos(v)) * cos(u), (1 + r * cos(v)) * sin(u), r * sin(v));
            }
            const int corner[6] = {0, 1, 2, 0, 2, 3};
            for (int k = 0; k < 6; k++)
                mrn_store3(soup + 9 * t + 3 * k, q[corner[k]]);
            t += 2;
        }
    return t;
}

static mrn_mesh *torus_mesh(int n, int m)
{
    double *soup = calloc((size_t)(18 * n * m), sizeof *soup);
    mrn_mesh *mesh = NULL;
    mrn_message msg;
    int64_t triangles = torus(n, m, soup);
    assert_int_equal(mrn_mesh_create(soup, triangles, &mesh, &msg), MRN_OK);
    free(soup);
    return mesh;
}

static void points_are_joined(void **state)
{
    (void)state;
    mrn_mesh *m = torus_mesh(30, 20);
    assert_int_equal(m->n_points, 600);
    assert_int_equal(m->n_triangles, 1200);
    assert_int_equal(m->n_dropped, 0);
    mrn_mesh_destroy(&m);
    assert_null(m);
    mrn_mesh_destroy(&m);
    /* corners that differ by rounding to single precision are still one */
    double soup[18 * 12];
    int64_t n = torus(4, 3, soup);
    mrn_rng r = mrn_rng_seed(1, 0);
    for (int64_t i = 0; i < 9 * n; i++)
        soup[i] *= 1 + 1e-7 * between(&r, -1, 1);
    assert_int_equal(mrn_mesh_create(soup, n, &m, NULL), MRN_OK);
    assert_int_equal(m->n_points, 12);
    mrn_mesh_destroy(&m);
}

static void flat_triangles_are_dropped(void **state)
{
    (void)state;
    double soup[4 * 9] = {
        0, 0, 0, 1,   0,   0, 0, 1, 0, /* good                   */
        0, 0, 0, 0,   0,   0, 0, 1, 0, /* two corners the same   */
        0, 0, 0, 0.5, 0.5, 0, 1, 1, 0, /* three in a line        */
        1, 1, 0, 1,   0,   0, 0, 1, 0, /* good                   */
    };
    mrn_mesh *m = NULL;
    mrn_message msg;
    assert_int_equal(mrn_mesh_create(soup, 4, &m, &msg), MRN_OK);
    assert_int_equal(m->n_triangles, 2);
    assert_int_equal(m->n_dropped, 2);
    mrn_mesh_destroy(&m);
    assert_int_equal(mrn_mesh_create(soup + 9, 2, &m, &msg), MRN_ERR_INPUT);
    assert_null(m);
    assert_non_null(strstr(msg.text, "none of the 2 triangles"));
    assert_int_equal(mrn_mesh_create(soup, 0, &m, &msg), MRN_ERR_INPUT);
    double one_place[9] = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    assert_int_equal(mrn_mesh_create(one_place, 1, &m, &msg), MRN_ERR_INPUT);
    soup[4] = INFINITY;
    assert_int_equal(mrn_mesh_create(soup, 4, &m, &msg), MRN_ERR_INPUT);
    soup[4] = NAN;
    assert_int_equal(mrn_mesh_create(soup, 4, &m, &msg), MRN_ERR_INPUT);
}

/* Another way to the same distance: the quadratic a + u ab + v ac, u, v >= 0, u + v <= 1, by
   exhaustive search over a grid that is made finer around the best cell. */
static double refined_distance(const mrn_mesh *m, int32_t t, mrn_vec3 c)
{
    mrn_vec3 a = mrn_load3(m->point + 3 * m->corner[3 * t]);
    mrn_vec3 ab = mrn_sub(mrn_load3(m->point + 3 * m->corner[3 * t + 1]), a);
    mrn_vec3 ac = mrn_sub(mrn_load3(m->point + 3 * m->corner[3 * t + 2]), a);
    double u0 = 0.5, v0 = 0.5, half = 0.5, least = INFINITY;
    for (int level = 0; level < 40; level++) {
        double best_u = u0, best_v = v0;
        for (int i = -4; i <= 4; i++)
            for (int j = -4; j <= 4; j++) {
                double u = fmin(fmax(u0 + half * i / 4, 0), 1),
                       v = fmin(fmax(v0 + half * j / 4, 0), 1 - u);
                double d = apart(c, mrn_axpy(u, ab, mrn_axpy(v, ac, a)));
                if (d < least)
                    least = d, best_u = u, best_v = v;
            }
        u0 = best_u, v0 = best_v, half *= 0.6;
    }
    return least;
}

static void closest_point_of_a_triangle(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(2, 0);
    for (int k = 0; k < 300; k++) {
        double soup[9];
        for (int i = 0; i < 9; i++)
            soup[i] = between(&r, -1, 1);
        mrn_mesh *m = NULL;
        assert_int_equal(mrn_mesh_create(soup, 1, &m, NULL), MRN_OK);
        mrn_vec3 c = point_in(&r, -2, 2), p, n;
        double d = mrn_mesh_closest(m, 0, c, &p, &n);
        /* the search ends at cells of 0.6^40 = 1e-9; on an edge the distance is off by at most
           that, times sides of up to 3.5 */
        double searched = refined_distance(m, 0, c);
        assert_true(d <= searched + 1e-13);
        assert_true(d >= searched - 1e-8);
        assert_true(apart(mrn_axpy(d, n, p), c) < 1e-14);
        assert_near(mrn_norm(n), 1, 1e-14);
        mrn_mesh_destroy(&m);
    }
}

static void normal_on_the_triangle_itself(void **state)
{
    (void)state;
    double soup[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    mrn_mesh *m = NULL;
    assert_int_equal(mrn_mesh_create(soup, 1, &m, NULL), MRN_OK);
    const mrn_vec3 on[] = {{0.25, 0.25, 0}, {0.5, 0, 0}, {0, 0, 0}, {0.5, 0.5, 0}, {1, 0, 0}};
    for (int k = 0; k < 5; k++) {
        mrn_vec3 p, n;
        assert_true(mrn_mesh_closest(m, 0, on[k], &p, &n) == 0);
        assert_true(n.x == 0 && n.y == 0 && n.z == 1);
    }
    mrn_mesh_destroy(&m);
}

static void tree_finds_what_brute_force_finds(void **state)
{
    (void)state;
    const int sizes[][2] = {{3, 3}, {7, 5}, {40, 25}};
    const int queries[] = {2000, 2000, 6000};
    mrn_rng r = mrn_rng_seed(3, 0);
    for (int s = 0; s < 3; s++) {
        mrn_mesh *m = torus_mesh(sizes[s][0], sizes[s][1]);
        int n = m->n_triangles;
        int32_t *got = calloc((size_t)n, sizeof *got), *expected = calloc((size_t)n, sizeof *got);
        for (int q = 0; q < queries[s]; q++) {
            mrn_vec3 c = point_in(&r, -1.5, 1.5), p, normal;
            double reach = q % 50 == 0 ? 10 : between(&r, 0, 0.4);
            int k = 0;
            for (int32_t t = 0; t < n; t++)
                if (mrn_mesh_closest(m, t, c, &p, &normal) <= reach)
                    expected[k++] = t;
            assert_int_equal(mrn_mesh_near(m, c, reach, got, n), k);
            assert_memory_equal(got, expected, (size_t)k * sizeof *got);
            int32_t few[3] = {-1, -1, -7};
            assert_int_equal(mrn_mesh_near(m, c, reach, few, 2), k);
            assert_int_equal(few[2], -7);
        }
        free(got);
        free(expected);
        mrn_mesh_destroy(&m);
    }
}

static void tree_is_shallow_for_any_order(void **state)
{
    (void)state;
    /* many equal centres: the same triangle a thousand times, and a long row */
    double *soup = calloc(9 * 3000, sizeof *soup);
    for (int i = 0; i < 3000; i++) {
        double x = i < 1000 ? 0 : i;
        const double t[9] = {x, 0, 0, x + 1, 0, 0, x, 1, 0};
        memcpy(soup + 9 * i, t, sizeof t);
    }
    mrn_mesh *m = NULL;
    assert_int_equal(mrn_mesh_create(soup, 3000, &m, NULL), MRN_OK);
    int32_t next = 0;
    for (int32_t i = 0; i < m->n_nodes; i++) { /* leaves cover all triangles in order */
        assert_true(m->node[i].skip > i && m->node[i].skip <= m->n_nodes);
        if (m->node[i].count > 0) {
            assert_int_equal(m->node[i].first, next);
            next += m->node[i].count;
        }
    }
    assert_int_equal(next, 3000);
    mrn_mesh_destroy(&m);
    free(soup);
}

static void neighbours_share_a_corner(void **state)
{
    (void)state;
    mrn_mesh *m = torus_mesh(9, 8);
    int64_t pairs = 0;
    for (int32_t a = 0; a < m->n_triangles; a++) {
        assert_true(mrn_mesh_adjacent(m, a, a));
        for (int32_t b = 0; b < m->n_triangles; b++) {
            assert_true(mrn_mesh_adjacent(m, a, b) == mrn_mesh_adjacent(m, b, a));
            pairs += a != b && mrn_mesh_adjacent(m, a, b);
        }
    }
    /* six triangles meet at every point of this mesh: 12 neighbours each */
    assert_int_equal(pairs, 12 * m->n_triangles);
    mrn_mesh_destroy(&m);
}

static void failing_memory_leaves_nothing(void **state)
{
    (void)state;
    double soup[18 * 30];
    int64_t n = torus(6, 5, soup);
    size_t before = mrn_bytes_in_use();
    mrn_mesh *m = NULL;
    mrn_message msg;
    int k = 1;
    for (;; k++) {
        mrn_alloc_fail_at(k);
        mrn_status s = mrn_mesh_create(soup, n, &m, &msg);
        mrn_alloc_fail_at(0);
        if (s == MRN_OK)
            break;
        assert_int_equal(s, MRN_ERR_MEMORY);
        assert_null(m);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    assert_true(k > 8);
    mrn_mesh_destroy(&m);
    assert_int_equal(mrn_bytes_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_joined),
        cmocka_unit_test(flat_triangles_are_dropped),
        cmocka_unit_test(closest_point_of_a_triangle),
        cmocka_unit_test(normal_on_the_triangle_itself),
        cmocka_unit_test(tree_finds_what_brute_force_finds),
        cmocka_unit_test(tree_is_shallow_for_any_order),
        cmocka_unit_test(neighbours_share_a_corner),
        cmocka_unit_test(failing_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
