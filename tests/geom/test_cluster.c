/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mass properties of clusters against closed forms found otherwise, Monte Carlo against the exact
   ones, principal axes, and what is refused. */
/* ctest-labels: threads */
#include "world.h"

#include "geom/cluster.h"

static mrn_cluster make(int dimension, int n, const double *centre, const double *radius,
                        mrn_quat *turn)
{
    mrn_cluster c;
    mrn_message msg = {0};
    ok(mrn_cluster_make("it", dimension, n, centre, radius, 0, &c, turn, &msg), &msg);
    return c;
}

/* 1e-12: sums of a few exactly known terms. */
static void one_sphere(void **state)
{
    (void)state;
    mrn_cluster c = make(3, 1, (double[]){5, -3, 2}, (double[]){0.7}, NULL);
    assert_true(c.exact && c.n == 1);
    assert_close(c.radius[0], 1, 1e-14);
    assert_close(c.bound, 1, 1e-12);
    for (int k = 0; k < 3; k++) {
        assert_close(c.centre[k], 0, 1e-12);
        assert_close(c.inertia[k], 0.4, 1e-12);
    }
    mrn_cluster_release(&c);
    c = make(2, 1, (double[]){5, -3, 0}, (double[]){0.7}, NULL);
    assert_close(c.radius[0], 1, 1e-14);
    assert_close(c.inertia[2], 0.5, 1e-12);
    mrn_cluster_release(&c);
}

/* Two equal touching spheres of radius r: Steiner's rule. */
static void touching_pair(void **state)
{
    (void)state;
    mrn_cluster c = make(3, 2, (double[]){0, 0, -2, 0, 0, 2}, (double[]){2, 2}, NULL);
    double r = c.radius[0];
    assert_true(c.exact);
    assert_close(r, cbrt(0.5), 1e-12);
    assert_close(c.centre[2], -r, 1e-12);
    assert_close(c.bound, 2 * r, 1e-12);
    assert_close(c.inertia[2], 0.4 * r * r, 1e-12);
    assert_close(c.inertia[0], 0.4 * r * r + r * r, 1e-12);
    assert_close(c.inertia[1], c.inertia[0], 1e-12);
    mrn_cluster_release(&c);
    c = make(2, 2, (double[]){-2, 0, 0, 2, 0, 0}, (double[]){2, 2}, NULL);
    r = c.radius[0];
    assert_close(r, sqrt(0.5), 1e-12);
    assert_close(c.inertia[2], 0.5 * r * r + r * r, 1e-12);
    mrn_cluster_release(&c);
}

/* A dumb-bell of unequal, overlapping spheres against integrals over slices across its axis, by
   Simpson's rule on many of them: the profile of the union is the larger of the two circles. */
static void slices(int dimension, double d, double r1, double r2, double *volume, double *mean,
                   double *along, double *across)
{
    int n = 200000;
    double lo = -r1, hi = d + r2, h = (hi - lo) / n, v = 0, z1 = 0, z2 = 0, x2 = 0;
    for (int k = 0; k <= n; k++) {
        double z = lo + k * h, a = r1 * r1 - z * z, b = r2 * r2 - (z - d) * (z - d);
        double s2 = fmax(fmax(a, b), 0), weight = k == 0 || k == n ? 1 : k % 2 ? 4 : 2;
        /* area of the slice and its second moment about an axis across */
        double area = dimension == 3 ? MRN_PI * s2 : 2 * sqrt(s2);
        double second = dimension == 3 ? MRN_PI / 4 * s2 * s2 : 2.0 / 3 * s2 * sqrt(s2);
        v += weight * area, z1 += weight * z * area, z2 += weight * z * z * area;
        x2 += weight * second;
    }
    *volume = v * h / 3;
    *mean = z1 / v;
    *along = z2 / v - *mean * *mean;
    *across = x2 / v;
}

/* 2e-6 and 2e-8: Simpson's rule with square roots at the ends and a kink at the neck, 2e5 slices.
 */
static void dumb_bell(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        double d = 1.3, r1 = 1, r2 = 0.6, volume, mean, along, across, tolerance;
        tolerance = dimension == 2 ? 2e-6 : 2e-8;
        slices(dimension, d, r1, r2, &volume, &mean, &along, &across);
        double size = dimension == 3 ? cbrt(0.75 * volume / MRN_PI) : sqrt(volume / MRN_PI);
        mrn_cluster c = make(dimension, 2, (double[]){0, 0, 0, d, 0, 0}, (double[]){r1, r2}, NULL);
        assert_true(c.exact);
        assert_close(c.radius[0], r1 / size, tolerance);
        assert_close(c.centre[0], -mean / size, tolerance);
        assert_close(c.centre[3], (d - mean) / size, tolerance);
        if (dimension == 3) {
            assert_close(c.inertia[0], 2 * across / (size * size), tolerance);
            assert_close(c.inertia[1], (along + across) / (size * size), tolerance);
        }
        assert_close(c.inertia[2], (along + across) / (size * size), tolerance);
        mrn_cluster_release(&c);
    }
}

/* A small sphere whose centre lies beyond the rim of a large one still loses only what is shared.
 */
static void deep_overlap(void **state)
{
    (void)state;
    double volume, mean, along, across;
    slices(3, 0.5, 1, 0.6, &volume, &mean, &along, &across);
    mrn_cluster c = make(3, 2, (double[]){0, 0, 0, 0, 0.5, 0}, (double[]){1, 0.6}, NULL);
    assert_close(c.radius[0], 1 / cbrt(0.75 * volume / MRN_PI), 2e-8);
    mrn_cluster_release(&c);
}

/* The exact and the counted moments of the same balls. 1e-4: 4e6 evenly spread points are 2e-5 to
   5e-5 off in trials, chance would give 4e-4. The estimate of the error is an upper one. Moments,
   of size 1 to 10, are somewhat worse. */
static void counted(void **state)
{
    (void)state;
    double centre[] = {0, 0, 0, 1.1, 0.3, 0.2, -0.4, 1.2, 0.1, 0.2, 0.3, -1.3};
    double radius[] = {1, 0.7, 0.5, 0.6};
    mrn_balls b = {3, 4, centre, radius};
    mrn_message msg = {0};
    assert_false(mrn_balls_triple(&b));
    mrn_moments exact = mrn_balls_exact(&b), found;
    ok(mrn_balls_sample(&b, 0, &found, &msg), &msg);
    assert_close(found.volume / exact.volume, 1, 1e-4);
    assert_true(found.error > 0 && found.error < 1e-3);
    assert_true(fabs(found.volume / exact.volume - 1) < 3 * found.error);
    assert_close(found.first.x, exact.first.x, 1e-3);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_close(found.second[i][j], exact.second[i][j], 1e-3);
    double flat[] = {0, 0, 0, 1.1, 0.3, 0, -0.4, 1.2, 0};
    b = (mrn_balls){2, 3, flat, radius};
    exact = mrn_balls_exact(&b);
    ok(mrn_balls_sample(&b, 0, &found, &msg), &msg);
    assert_close(found.volume / exact.volume, 1, 1e-4);
    assert_close(found.second[0][1], exact.second[0][1], 1e-3);
}

/* Eight unit spheres on the corners of a cube of edge 1: all share the middle. Volume against a
   count on a fine grid, symmetric moments. */
static void triple(void **state)
{
    (void)state;
    double centre[24], radius[8];
    for (int k = 0; k < 8; k++) {
        centre[3 * k] = k & 1, centre[3 * k + 1] = (k >> 1) & 1, centre[3 * k + 2] = k >> 2;
        radius[k] = 1;
    }
    mrn_cluster c = make(3, 8, centre, radius, NULL);
    assert_false(c.exact);
    assert_true(c.error > 0 && c.error < 1e-3);
    int n = 150, hits = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                /* by symmetry the octant of the corner (1, 1, 1) seen from the middle */
                double x = 0.5 + 1.5 * (i + 0.5) / n - 1, y = 0.5 + 1.5 * (j + 0.5) / n - 1;
                double z = 0.5 + 1.5 * (k + 0.5) / n - 1;
                hits += x * x + y * y + z * z < 1;
            }
    double volume = 8 * 3.375 * hits / ((double)n * n * n);
    assert_close(c.radius[0], 1 / cbrt(0.75 * volume / MRN_PI), 2e-4);
    assert_close(c.inertia[0], c.inertia[1], 2e-4);
    assert_close(c.inertia[0], c.inertia[2], 2e-4);
    mrn_cluster_release(&c);
    /* the same bits with any number of threads */
    mrn_cluster a, b;
    mrn_message msg = {0};
    mrn_threads_set(1);
    ok(mrn_cluster_make("it", 3, 8, centre, radius, 100000, &a, NULL, &msg), &msg);
    mrn_threads_set(3);
    ok(mrn_cluster_make("it", 3, 8, centre, radius, 100000, &b, NULL, &msg), &msg);
    mrn_threads_set(0);
    assert_memory_equal(a.inertia, b.inertia, sizeof a.inertia);
    assert_memory_equal(a.centre, b.centre, 24 * sizeof(double));
    mrn_cluster_release(&a);
    mrn_cluster_release(&b);
}

/* Turned and moved, a cluster is the same: moments agree, `turn` brings the listed spheres to the
   template. A cluster listed in its principal axes is not turned. */
static void any_frame(void **state)
{
    (void)state;
    double centre[] = {0, 0, 0, 1.2, 0, 0, 0, 1.4, 0, 0, 0, 0.9}, radius[] = {1, 0.5, 0.6, 0.35};
    double moved[12];
    mrn_quat q = mrn_quat_unit((mrn_quat){0.3, -0.5, 0.7, 0.2}), turn, turn2;
    for (int k = 0; k < 4; k++)
        mrn_store3(moved + 3 * k,
                   mrn_add(mrn_v3(100, 20, -7), mrn_rotate(q, mrn_load3(centre + 3 * k))));
    mrn_cluster a = make(3, 4, centre, radius, &turn), b = make(3, 4, moved, radius, &turn2);
    double ia[3], ib[3];
    memcpy(ia, a.inertia, sizeof ia);
    memcpy(ib, b.inertia, sizeof ib);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < 2; k++) {
            double *i = pass ? ia : ib;
            if (i[k] > i[k + 1]) {
                double t = i[k];
                i[k] = i[k + 1], i[k + 1] = t;
            }
            if (i[0] > i[1]) {
                double t = i[0];
                i[0] = i[1], i[1] = t;
            }
        }
    double scale = a.radius[0];
    for (int k = 0; k < 3; k++)
        assert_close(ia[k], ib[k], 1e-10);
    for (int k = 1; k < 4; k++) {
        /* differences of centres do not care where the centre of mass is */
        mrn_vec3 d = mrn_sub(mrn_load3(moved + 3 * k), mrn_load3(moved));
        mrn_vec3 t = mrn_sub(mrn_load3(b.centre + 3 * k), mrn_load3(b.centre));
        assert_close(mrn_norm(mrn_sub(mrn_scale(scale, mrn_rotate(turn2, d)), t)), 0, 1e-12);
    }
    mrn_cluster_release(&a);
    mrn_cluster_release(&b);
    a = make(3, 2, (double[]){0, 0, -1, 0, 0, 1}, (double[]){1.2, 1.2}, &turn);
    assert_close(turn.w, 1, 1e-15);
    mrn_cluster_release(&a);
}

static void refuse(int dimension, int n, const double *centre, const double *radius,
                   const char *text)
{
    mrn_cluster c;
    mrn_message msg = {0};
    assert_int_equal(mrn_cluster_make("it", dimension, n, centre, radius, 0, &c, NULL, &msg),
                     MRN_ERR_INPUT);
    if (strstr(msg.text, text) == NULL)
        fail_msg("'%s' does not say '%s'", msg.text, text);
    assert_null(c.centre);
}

static void refused(void **state)
{
    (void)state;
    double line[] = {0, 0, 0, 1, 0, 0, 5, 0, 0}, one[] = {1, 1, 1};
    refuse(3, 0, line, one, "0 spheres");
    refuse(3, 3, line, one, "in pieces");
    refuse(3, 2, line, (double[]){1, NAN}, "radius nan");
    refuse(3, 2, line, (double[]){1, 0}, "radius 0");
    refuse(3, 2, (double[]){0, 0, 0, INFINITY, 0, 0}, one, "inf");
    refuse(2, 2, (double[]){0, 0, 0, 1, 0, 0.5}, one, "plane");
    refuse(3, 2, line, (double[]){3, 1}, "sphere 2 lies inside sphere 1");
    refuse(3, 2, (double[]){1, 1, 1, 1, 1, 1}, one, "inside");
}

static void no_memory(void **state)
{
    (void)state;
    double centre[] = {0, 0, 0, 1, 0, 0, 0.5, 0.8, 0}, radius[] = {1, 1, 1};
    size_t before = mrn_bytes_in_use();
    mrn_status st = MRN_ERR_MEMORY;
    for (int k = 1; st != MRN_OK && k < 100; k++) {
        mrn_cluster c;
        mrn_message msg = {0};
        mrn_alloc_fail_at(k);
        st = mrn_cluster_make("it", 3, 3, centre, radius, 1000, &c, NULL, &msg);
        mrn_alloc_fail_at(0);
        assert_true(st == MRN_OK || st == MRN_ERR_MEMORY);
        if (st == MRN_OK)
            mrn_cluster_release(&c);
        assert_true(mrn_bytes_in_use() == before);
    }
    assert_int_equal(st, MRN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_sphere), cmocka_unit_test(touching_pair),
        cmocka_unit_test(dumb_bell),  cmocka_unit_test(deep_overlap),
        cmocka_unit_test(counted),    cmocka_unit_test(triple),
        cmocka_unit_test(any_frame),  cmocka_unit_test(refused),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
