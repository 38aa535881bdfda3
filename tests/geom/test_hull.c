/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convex hulls: sound polyhedra from any points (Euler's formula, two faces to an edge, every point
   inside), the same faces, edges and volume as a search through all triples, and words for what is
   flat. */
#include "geom/helper.h"

#include "geom/convex.h"
#include "geom/hull.h"

static mrn_vec3 at(const double *p, int i)
{
    return mrn_load3(p + 3 * (size_t)i);
}

/* ---- soundness ---- */

static bool has_side(const mrn_convex *c, int f, int p, int q)
{
    int first = c->face_start[f], n = c->face_start[f + 1] - first;
    for (int k = 0; k < n; k++)
        if (c->corner[first + k] == p && c->corner[first + (k + 1) % n] == q)
            return true;
    return false;
}

static void check_edges(const mrn_convex *c)
{
    assert_int_equal(c->n_points - c->n_edges + c->n_faces, 2);
    assert_int_equal(c->face_start[c->n_faces], 2 * c->n_edges);
    assert_int_equal(c->ring_start[0], 0);
    assert_int_equal(c->ring_start[c->n_points], 2 * c->n_edges);
    for (int k = 0; k < c->n_edges; k++) {
        const int32_t *e = c->edge + 4 * k;
        assert_true(0 <= e[0] && e[0] < e[1] && e[1] < c->n_points && e[2] != e[3]);
        assert_true(has_side(c, e[2], e[0], e[1]) && has_side(c, e[3], e[1], e[0]));
        int found = 0;
        for (int j = c->ring_start[e[0]]; j < c->ring_start[e[0] + 1]; j++)
            found += c->ring[j] == e[1];
        for (int j = c->ring_start[e[1]]; j < c->ring_start[e[1] + 1]; j++)
            found += c->ring[j] == e[0];
        assert_int_equal(found, 2);
    }
    for (int i = 0; i < c->n_points; i++)
        assert_true(c->ring_start[i + 1] - c->ring_start[i] >= 3);
}

/* `slack`: how far corners may lie from the planes of their faces, and points beyond them. */
static void check_planes(const mrn_convex *c, const double *p, int n, double slack)
{
    for (int f = 0; f < c->n_faces; f++) {
        mrn_vec3 normal = mrn_load3(c->plane + 4 * f);
        double d = c->plane[4 * f + 3];
        assert_near(mrn_norm(normal), 1, 1e-14);
        for (int k = c->face_start[f]; k < c->face_start[f + 1]; k++)
            assert_near(mrn_dot(normal, at(c->point, c->corner[k])), d, slack);
        for (int i = 0; i < c->n_points; i++)
            assert_true(mrn_dot(normal, at(c->point, i)) <= d);
        for (int i = 0; i < n; i++) {
            mrn_vec3 x = at(p, i);
            x.z = c->dimension == 2 ? 0 : x.z;
            assert_true(mrn_dot(normal, x) <= d + slack);
        }
        int first = c->face_start[f], m = c->face_start[f + 1] - first;
        for (int k = 0; c->dimension == 3 && k < m; k++) { /* convex, counter-clockwise */
            mrn_vec3 a = at(c->point, c->corner[first + k]);
            mrn_vec3 b = at(c->point, c->corner[first + (k + 1) % m]);
            mrn_vec3 e = at(c->point, c->corner[first + (k + 2) % m]);
            mrn_vec3 turn = mrn_cross(mrn_sub(b, a), mrn_sub(e, b));
            assert_true(mrn_dot(turn, normal) > -slack * mrn_norm(mrn_sub(e, a)));
        }
    }
}

static double span_of(const double *p, int n, int dimension)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            mrn_vec3 d = mrn_sub(at(p, i), at(p, j));
            d.z = dimension == 2 ? 0 : d.z;
            most = fmax(most, mrn_norm(d));
        }
    return most;
}

/* Points of the hull are given ones, bit by bit, in their order (2D: counter-clockwise). */
static void check_points(const mrn_convex *c, const double *p, int n)
{
    int last = -1;
    for (int k = 0; k < c->n_points; k++) {
        int i = c->dimension == 3 ? last + 1 : 0;
        while (i < n && memcmp(c->point + 3 * k, p + 3 * (size_t)i,
                               (c->dimension == 3 ? 3 : 2) * sizeof *p) != 0)
            i++;
        assert_true(i < n);
        last = i;
    }
}

static void check_ball(const mrn_convex *c)
{
    double most = 0, least = INFINITY;
    for (int i = 0; i < c->n_points; i++)
        most = fmax(most, mrn_norm(mrn_sub(at(c->point, i), c->centre)));
    assert_near(c->bound, most, 1e-12 * most);
    for (int f = 0; f < c->n_faces; f++) { /* widths across faces are upper bounds of the least */
        double lo = INFINITY;
        for (int i = 0; i < c->n_points; i++)
            lo = fmin(lo, mrn_dot(mrn_load3(c->plane + 4 * f), at(c->point, i)));
        least = fmin(least, c->plane[4 * f + 3] - lo);
    }
    assert_true(c->inner > 0 && c->inner <= least * (1 + 1e-9));
}

/* 20: a corner may be a tolerance off the plane of the largest triangle of its face, noise of the
   size of the tolerance makes that ten of them, and planes are drawn through corners that are off
   themselves. */
static void check_sound(const mrn_convex *c, const double *p, int n, double tolerance)
{
    double slack = (20 * tolerance + 1e-14) * span_of(p, n, c->dimension);
    if (c->dimension == 3)
        check_edges(c);
    check_planes(c, p, n, slack);
    check_points(c, p, n);
    check_ball(c);
}

/* ---- all triples ---- */

typedef struct brute {
    int faces, edges, corners;
    double volume;
} brute;

#define FEW 12
/* x, y, z whole numbers below 1000: everything is exact. */
static mrn_vec3 outward(const double *p, int n, int i, int j, int k, unsigned *mask)
{
    mrn_vec3 a = at(p, i), normal = mrn_cross(mrn_sub(at(p, j), a), mrn_sub(at(p, k), a));
    bool above = false, below = false;
    *mask = 0;
    for (int m = 0; m < n; m++) {
        double h = mrn_dot(normal, mrn_sub(at(p, m), a));
        above = above || h > 0, below = below || h < 0;
        *mask |= h == 0 ? 1u << m : 0;
    }
    if (above == below) /* cuts through, or all in one plane, or no triangle */
        return mrn_v3(0, 0, 0);
    return above ? mrn_scale(-1, normal) : normal;
}

/* Is a -> b a side of the face, from corner to corner, its points to the left? */
static bool is_side(const double *p, int n, unsigned mask, mrn_vec3 normal, int a, int b)
{
    mrn_vec3 d = mrn_sub(at(p, b), at(p, a));
    if (mrn_dot(d, d) == 0)
        return false;
    for (int c = 0; c < n; c++) {
        if (!(mask >> c & 1))
            continue;
        mrn_vec3 e = mrn_sub(at(p, c), at(p, a));
        double turn = mrn_dot(normal, mrn_cross(d, e)), along = mrn_dot(d, e);
        if (turn < 0 || (turn == 0 && (along < 0 || along > mrn_dot(d, d))))
            return false;
        if (turn == 0 && ((along == 0 && c < a) || (along == mrn_dot(d, d) && c < b)))
            return false; /* the first of equal points counts */
    }
    return true;
}

static brute search_triples(const double *p, int n)
{
    brute r = {0};
    unsigned seen[FEW * FEW * FEW], corners = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            for (int k = j + 1; k < n; k++) {
                unsigned mask;
                mrn_vec3 normal = outward(p, n, i, j, k, &mask);
                bool known = mrn_dot(normal, normal) == 0;
                for (int m = 0; m < r.faces; m++)
                    known = known || seen[m] == mask;
                if (known)
                    continue;
                seen[r.faces++] = mask;
                for (int a = 0; a < n; a++)
                    for (int b = 0; b < n; b++)
                        if ((mask >> a & 1) && (mask >> b & 1) &&
                            is_side(p, n, mask, normal, a, b)) {
                            r.edges++;
                            corners |= 1u << a;
                            r.volume += mrn_dot(at(p, i), mrn_cross(at(p, a), at(p, b))) / 6;
                        }
            }
    r.edges /= 2;
    for (int i = 0; i < n; i++)
        r.corners += corners >> i & 1;
    return r;
}

/* Clouds of whole numbers, many on few places: duplicates, points on lines and planes. */
static void like_all_triples(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(7, 0);
    int flat = 0;
    for (int trial = 0; trial < 4000; trial++) {
        double p[3 * FEW];
        int n = 4 + (int)between(&r, 0, FEW - 3), places = trial % 4 == 0   ? 2
                                                           : trial % 4 == 1 ? 3
                                                           : trial % 4 == 2 ? 5
                                                                            : 900;
        for (int k = 0; k < 3 * n; k++)
            p[k] = floor(between(&r, 0, places));
        brute b = search_triples(p, n);
        mrn_convex c;
        mrn_message msg = {0};
        mrn_status st = mrn_hull("it", 3, n, p, MRN_HULL_EXACT, &c, &msg);
        if (b.volume == 0) {
            assert_int_equal(st, MRN_ERR_INPUT);
            assert_null(c.point);
            flat++;
            continue;
        }
        assert_int_equal(st, MRN_OK);
        check_sound(&c, p, n, MRN_HULL_EXACT);
        assert_int_equal(c.n_faces, b.faces);
        assert_int_equal(c.n_edges, b.edges);
        assert_int_equal(c.n_points, b.corners);
        mrn_moments m = mrn_convex_moments(&c);
        /* sums of whole numbers below 1e10, divided by 6 each */
        assert_near(m.volume, b.volume, 1e-13 * 1e3 * b.volume + 1e-6);
        mrn_convex_release(&c);
    }
    assert_true(flat > 50 && flat < 2000);
}

/* ---- clouds of all kinds ---- */

static mrn_quat any_turn(mrn_rng *r)
{
    double w = mrn_rng_normal(r), x = mrn_rng_normal(r), y = mrn_rng_normal(r);
    return mrn_quat_unit((mrn_quat){w, x, y, mrn_rng_normal(r)});
}

enum { CUBE, BALL, SPHERE, LATTICE, NOISY, THIN, CROWD, FACETS, KINDS };

static mrn_vec3 draw(mrn_rng *r, int kind, int i)
{
    mrn_vec3 x = point_in(r, -1, 1);
    switch (kind) {
    case BALL:
        return mrn_scale(0.7, x);
    case SPHERE:
        return mrn_unit(x);
    case LATTICE:
        return mrn_v3(floor(1.5 * x.x + 1.5), floor(1.5 * x.y + 1.5), floor(1.5 * x.z + 1.5));
    case NOISY: { /* a lattice, off by about the tolerance and less */
        double off = pow(10, between(r, -13, -8));
        mrn_vec3 y = point_in(r, -off, off);
        return mrn_add(y, mrn_v3(floor(x.x + 1), floor(x.y + 1), floor(1.5 * x.z + 1)));
    }
    case THIN:
        return mrn_v3(x.x, x.y, 1e-4 * x.z);
    case CROWD: { /* a few places, many points near each */
        double off = pow(10, between(r, -12, -6));
        mrn_rng own = mrn_rng_seed((uint64_t)(i % 7), 3);
        mrn_vec3 place = point_in(&own, -1, 1);
        return mrn_axpy(off, x, place);
    }
    case FACETS: /* on the faces of a cube */
        return i % 3 == 0   ? mrn_v3(x.x > 0 ? 1 : -1, x.y, x.z)
               : i % 3 == 1 ? mrn_v3(x.x, x.y > 0 ? 1 : -1, x.z)
                            : mrn_v3(x.x, x.y, x.z > 0 ? 1 : -1);
    default:
        return x;
    }
}

/* Lattices and crowds of few points may be flat; nothing else. */
static void any_cloud(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(11, 0);
    int made[KINDS] = {0}, refused[KINDS] = {0};
    for (int trial = 0; trial < 10000; trial++) {
        double p[3 * 60];
        int kind = trial % KINDS, n = 4 + (int)between(&r, 0, trial % 16 < 8 ? 12 : 56);
        double size = pow(10, between(&r, -6, 6)), far = trial % 3 == 0 ? 100 * size : 0;
        mrn_quat q = any_turn(&r);
        for (int i = 0; i < n; i++) {
            mrn_vec3 x = draw(&r, kind, i);
            mrn_store3(p + 3 * i, mrn_axpy(size, mrn_rotate(q, x), mrn_v3(far, -far, far)));
        }
        mrn_convex c;
        mrn_message msg = {0};
        mrn_status st = mrn_hull("it", 3, n, p, MRN_HULL_EXACT, &c, &msg);
        if (st == MRN_OK)
            check_sound(&c, p, n, MRN_HULL_EXACT);
        else
            assert_true(st == MRN_ERR_INPUT && strstr(msg.text, "flat") != NULL);
        st == MRN_OK ? made[kind]++ : refused[kind]++;
        mrn_convex_release(&c);
    }
    for (int k = 0; k < KINDS; k++) {
        assert_true(made[k] > 1000);
        if (k != LATTICE && k != NOISY && k != CROWD)
            assert_int_equal(refused[k], 0);
    }
}

/* ---- known ones ---- */

static mrn_convex make(int dimension, int n, const double *p)
{
    mrn_convex c;
    mrn_message msg = {0};
    if (mrn_hull("it", dimension, n, p, MRN_HULL_EXACT, &c, &msg) != MRN_OK)
        fail_msg("%s", msg.text);
    check_sound(&c, p, n, MRN_HULL_EXACT);
    return c;
}

/* Points inside, on faces, on edges, twice, and off a face by rounding do not count. */
static void cube_with_more(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(3, 0);
    double p[3 * 500];
    int n = 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            for (int k = 0; k < 5; k++, n++)
                mrn_store3(p + 3 * n, mrn_v3(0.1 * i, 0.1 * j, 0.1 * k)); /* 0.1 is no fraction */
    for (int m = 0; m < 200; m++, n++)
        mrn_store3(p + 3 * n, m % 2 ? point_in(&r, 0.01, 0.39) : at(p, m % 125));
    mrn_quat q = any_turn(&r);
    for (int turned = 0; turned < 2; turned++) {
        mrn_convex c = make(3, n, p);
        assert_int_equal(c.n_points, 8);
        assert_int_equal(c.n_edges, 12);
        assert_int_equal(c.n_faces, 6);
        assert_near(mrn_convex_moments(&c).volume, 0.064, 1e-15);
        mrn_convex_release(&c);
        for (int i = 0; i < n; i++)
            mrn_store3(p + 3 * i, mrn_rotate(q, at(p, i)));
    }
}

/* 500 corners around 20000 points inside; a ball of too many corners is refused in time. */
static void many_points(void **state)
{
    (void)state;
    int n = 20000;
    double *p = mrn_alloc((size_t)n * 3 * sizeof *p);
    mrn_rng r = mrn_rng_seed(5, 0);
    for (int i = 0; i < n; i++)
        mrn_store3(p + 3 * i, i < 500 ? mrn_unit(point_in(&r, -1, 1)) : point_in(&r, -0.5, 0.5));
    mrn_convex c;
    assert_int_equal(mrn_hull("it", 3, n, p, MRN_HULL_EXACT, &c, NULL), MRN_OK);
    check_edges(&c);
    assert_int_equal(c.n_points, 500);
    assert_int_equal(c.n_faces, 996);
    mrn_convex_release(&c);
    mrn_free(p);
    n = MRN_HULL_MOST + 1;
    p = mrn_alloc((size_t)n * 3 * sizeof *p);
    for (int i = 0; i < n; i++)
        mrn_store3(p + 3 * i, mrn_unit(point_in(&r, -1, 1)));
    mrn_message msg = {0};
    assert_int_equal(mrn_hull("it", 3, n, p, MRN_HULL_EXACT, &c, &msg), MRN_ERR_INPUT);
    assert_true(strstr(msg.text, "5001 corners") != NULL && msg.hint[0] != '\0');
    mrn_free(p);
}

static void polygons(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(13, 0);
    double square[] = {0,   0, 5, 1,   0,   6, 1, 1, 7, 0, 1,   0,
                       0.5, 0, 0, 0.5, 0.5, 0, 1, 1, 0, 0, 0.3, 0};
    mrn_convex c = make(2, 8, square);
    assert_int_equal(c.n_points, 4);
    assert_int_equal(c.n_edges, 0);
    assert_near(mrn_convex_moments(&c).volume, 1, 1e-15);
    mrn_convex_release(&c);
    for (int trial = 0; trial < 3000; trial++) {
        double p[3 * 40], size = pow(10, between(&r, -6, 6)), area = 0;
        int n = 3 + (int)between(&r, 0, 37), kind = trial % KINDS;
        for (int i = 0; i < n; i++) {
            mrn_vec3 x = draw(&r, kind, i);
            mrn_store3(p + 3 * i, mrn_scale(size, x));
        }
        mrn_message msg = {0};
        if (mrn_hull("it", 2, n, p, MRN_HULL_EXACT, &c, &msg) != MRN_OK) {
            assert_true(strstr(msg.text, "flat") != NULL || strstr(msg.text, "same") != NULL);
            assert_true(kind == LATTICE || kind == NOISY || kind == CROWD);
            continue;
        }
        check_sound(&c, p, n, MRN_HULL_EXACT);
        /* the same area from all pairs with every point to the left */
        for (int i = 0; i < n && kind == CUBE; i++)
            for (int j = 0; j < n; j++) {
                bool side = i != j;
                for (int k = 0; k < n && side; k++)
                    side =
                        mrn_cross(mrn_sub(at(p, j), at(p, i)), mrn_sub(at(p, k), at(p, i))).z >= 0;
                area += side ? 0.5 * mrn_cross(at(p, i), at(p, j)).z : 0;
            }
        if (kind == CUBE)
            assert_near(mrn_convex_moments(&c).volume, area, 1e-13 * size * size);
        mrn_convex_release(&c);
    }
}

static void refuses(int dimension, int n, const double *p, const char *word)
{
    mrn_convex c;
    mrn_message msg = {0};
    assert_int_equal(mrn_hull("it", dimension, n, p, MRN_HULL_EXACT, &c, &msg), MRN_ERR_INPUT);
    if (strstr(msg.text, word) == NULL)
        fail_msg("'%s' does not say %s", msg.text, word);
    assert_null(c.point);
    assert_int_equal(mrn_hull("it", dimension, n, p, MRN_HULL_EXACT, &c, NULL), MRN_ERR_INPUT);
}

static void what_is_no_solid(void **state)
{
    (void)state;
    double p[3 * 50] = {0};
    refuses(3, 3, p, "3 corners");
    refuses(3, 0, NULL, "0 corners");
    refuses(2, 1, p, "1 corner");
    for (int i = 0; i < 50; i++)
        mrn_store3(p + 3 * i, mrn_v3(1, 2, 3));
    refuses(3, 50, p, "same point");
    refuses(2, 50, p, "same point");
    for (int i = 0; i < 50; i++)
        mrn_store3(p + 3 * i, mrn_v3(0.1 * i, 0.7 * i, 0.3 * i));
    refuses(3, 50, p, "flat");
    refuses(2, 50, p, "line");
    for (int i = 0; i < 50; i++) /* a plane, off by rounding */
        mrn_store3(p + 3 * i, mrn_v3(0.1 * i, 0.01 * i * i, 0.3 * i + 0.07 * i * i));
    refuses(3, 50, p, "flat");
    p[4] = NAN;
    refuses(3, 50, p, "corner 2");
    p[4] = INFINITY;
    refuses(2, 50, p, "corner 2");
    double huge[] = {-1e308, 0, 0, 1e308, 0, 0, 0, 1e308, 0, 0, 0, 1e308};
    refuses(3, 4, huge, "size");
    double tiny[] = {0, 0, 0, 1e-100, 0, 0, 0, 1e-100, 0, 0, 0, 1e-100};
    refuses(3, 4, tiny, "size");
}

static void memory_runs_out(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(17, 0);
    double p[3 * 30];
    for (int i = 0; i < 30; i++)
        mrn_store3(p + 3 * i, i % 5 == 4 ? at(p, i - 1) : point_in(&r, -1, 1));
    p[3] = p[0] + 1e-12, p[4] = p[1], p[5] = p[2]; /* corners that are one: the hull is made twice
                                                    */
    size_t before = mrn_bytes_in_use();
    for (int dimension = 2; dimension <= 3; dimension++) {
        mrn_status st = MRN_ERR_MEMORY;
        int k = 1;
        for (; st == MRN_ERR_MEMORY; k++) {
            mrn_convex c, copy;
            mrn_message msg = {0};
            mrn_alloc_fail_at(k);
            st = mrn_hull("it", dimension, 30, p, MRN_HULL_EXACT, &c, &msg);
            if (st == MRN_OK) {
                st = mrn_convex_copy(&c, &copy, &msg);
                if (st == MRN_OK)
                    mrn_convex_release(&copy);
                mrn_convex_release(&c);
            }
            mrn_alloc_fail_at(0);
            assert_int_equal(mrn_bytes_in_use(), before);
            assert_true(st == MRN_OK || msg.status == MRN_ERR_MEMORY);
        }
        assert_int_equal(st, MRN_OK);
        assert_true(k > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_all_triples), cmocka_unit_test(any_cloud),
        cmocka_unit_test(cube_with_more),   cmocka_unit_test(many_points),
        cmocka_unit_test(polygons),         cmocka_unit_test(what_is_no_solid),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
