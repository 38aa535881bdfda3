/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forms: exact mass properties against closed forms, the same for every frame and scale, unions of
   parts against known ones and against counting random points, what polytopes are like, sieves,
   files, and what is refused. */
#include "geom/helper.h"

#include <unistd.h>

#include "geom/convex.h"

static void ok(mrn_status st, const mrn_message *msg)
{
    if (st != MRN_OK)
        fail_msg("status %d: %s", st, msg != NULL ? msg->text : "");
}

static mrn_polytope regular(const char *name)
{
    mrn_polytope f;
    mrn_message msg = {0};
    ok(mrn_polytope_regular(name, &f, &msg), &msg);
    assert_string_equal(f.name, name);
    return f;
}

static mrn_vec3 corner(const mrn_convex *c, int i)
{
    return mrn_load3(c->point + 3 * (size_t)i);
}

/* At unit size, about the centre of mass, in principal axes: 1e-12, some hundred roundings. */
static void check_unit(const mrn_polytope *f)
{
    double unit = f->dimension == 2 ? MRN_PI : 4 * MRN_PI / 3, second[3][3] = {{0}}, bound = 0;
    mrn_union u;
    ok(mrn_union_measure("it", f->part, f->n_parts, &u, NULL), NULL);
    const mrn_moments *m = &u.moments;
    assert_near(m->volume, unit, 1e-12);
    assert_near(mrn_norm(m->first), 0, 1e-12 * unit);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            second[i][j] = m->second[i][j] / unit;
            if (i != j)
                assert_near(second[i][j], 0, 4e-12 * f->bound * f->bound);
        }
    if (f->dimension == 3) {
        assert_near(f->inertia[0], second[1][1] + second[2][2], 1e-12 * f->bound * f->bound);
        assert_near(f->inertia[1], second[0][0] + second[2][2], 1e-12 * f->bound * f->bound);
    }
    assert_near(f->inertia[2], second[0][0] + second[1][1], 1e-12 * f->bound * f->bound);
    for (int k = 0; k < f->n_parts; k++)
        for (int i = 0; i < f->part[k].n_points; i++)
            bound = fmax(bound, mrn_norm(corner(&f->part[k], i)));
    assert_near(f->bound, bound, 1e-15);
    assert_true(f->elongation > 0 && f->elongation <= 1 && f->flatness > 0 && f->flatness <= 1);
    assert_true(f->sphericity > 0 && f->sphericity < 1);
    assert_true(f->length[0] >= f->length[1] && f->length[1] >= f->length[2]);
}

/* ---- closed forms ---- */

static double edge_length(const mrn_polytope *f)
{
    const int32_t *e = f->part[0].edge;
    return mrn_norm(mrn_sub(corner(&f->part[0], e[0]), corner(&f->part[0], e[1])));
}

/* Volume, moment of inertia over mass, surface for edges of length 1; angle between normals. */
static void platonic_solids(void **state)
{
    (void)state;
    double root5 = sqrt(5), golden = 0.5 + 0.5 * root5;
    const struct {
        const char *name;
        int points, faces;
        double volume, inertia, surface, bend;
    } solid[] = {
        {"tetrahedron", 4, 4, sqrt(2) / 12, 0.05, sqrt(3), MRN_PI - acos(1.0 / 3)},
        {"cube", 8, 6, 1, 1.0 / 6, 6, 0.5 * MRN_PI},
        {"octahedron", 6, 8, sqrt(2) / 3, 0.1, 2 * sqrt(3), MRN_PI - acos(-1.0 / 3)},
        {"dodecahedron", 20, 12, (15 + 7 * root5) / 4, (39 * golden + 28) / 150,
         3 * sqrt(25 + 10 * root5), MRN_PI - acos(-1 / root5)},
        {"icosahedron", 12, 20, 5 * (3 + root5) / 12, golden * golden / 10, 5 * sqrt(3),
         MRN_PI - acos(-root5 / 3)},
    };
    for (int k = 0; k < 5; k++) {
        mrn_polytope f = regular(solid[k].name);
        double a = edge_length(&f);
        check_unit(&f);
        assert_int_equal(f.part[0].n_points, solid[k].points);
        assert_int_equal(f.part[0].n_faces, solid[k].faces);
        assert_near(a * a * a * solid[k].volume, 4 * MRN_PI / 3, 1e-12);
        for (int d = 0; d < 3; d++)
            assert_near(f.inertia[d], a * a * solid[k].inertia, 1e-12);
        assert_near(f.sphericity, 4 * MRN_PI / (a * a * solid[k].surface), 1e-12);
        assert_near(f.angularity, solid[k].bend / MRN_PI, 1e-12);
        assert_near(f.elongation, 1, 1e-12);
        assert_near(f.flatness, 1, 1e-12);
        mrn_polytope_release(&f);
    }
}

static void other_solids(void **state)
{
    (void)state;
    mrn_polytope f = regular("truncated-octahedron");
    double a = edge_length(&f);
    assert_int_equal(f.part[0].n_points, 24);
    assert_int_equal(f.part[0].n_faces, 14);
    assert_near(a * a * a * 8 * sqrt(2), 4 * MRN_PI / 3, 1e-12);
    check_unit(&f);
    mrn_polytope_release(&f);
    f = regular("truncated-icosahedron");
    a = edge_length(&f);
    assert_int_equal(f.part[0].n_points, 60);
    assert_int_equal(f.part[0].n_faces, 32);
    assert_near(a * a * a * (125 + 43 * sqrt(5)) / 4, 4 * MRN_PI / 3, 1e-12);
    check_unit(&f);
    mrn_polytope_release(&f);
    f = regular("prism-6");
    a = edge_length(&f);
    assert_int_equal(f.part[0].n_faces, 8);
    assert_near(a * a * a * 1.5 * sqrt(3), 4 * MRN_PI / 3, 1e-12);
    assert_near(f.inertia[2], a * a * 5 / 12, 1e-12);
    assert_near(f.inertia[0], a * a * (5.0 / 24 + 1.0 / 12), 1e-12);
    check_unit(&f);
    mrn_polytope_release(&f);
}

static void boxes(void **state)
{
    (void)state;
    mrn_polytope f;
    mrn_message msg = {0};
    const double side[][3] = {{1, 2, 3}, {5, 0.01, 1}, {1e-6, 1e-6, 2e-6}, {1e6, 2e6, 1e6}};
    for (int k = 0; k < 4; k++) {
        double a = side[k][0], b = side[k][1], c = side[k][2];
        ok(mrn_polytope_box(3, a, b, c, &f, &msg), &msg);
        double r = cbrt(0.75 * a * b * c / MRN_PI), rr = 12 * r * r;
        check_unit(&f);
        assert_near(f.inertia[0] * rr / (b * b + c * c), 1, 1e-12);
        assert_near(f.inertia[1] * rr / (a * a + c * c), 1, 1e-12);
        assert_near(f.inertia[2] * rr / (a * a + b * b), 1, 1e-12);
        assert_near(f.bound * r / sqrt(a * a + b * b + c * c), 0.5, 1e-12);
        assert_near(f.angularity, 0.5, 1e-12);
        mrn_polytope_release(&f);
        ok(mrn_polytope_box(2, a, b, NAN, &f, &msg), &msg);
        rr = 12 * a * b / MRN_PI;
        check_unit(&f);
        assert_near(f.inertia[2] * rr / (a * a + b * b), 1, 1e-12);
        assert_near(f.sphericity, sqrt(MRN_PI * a * b) / (a + b), 1e-12);
        mrn_polytope_release(&f);
    }
    ok(mrn_polytope_box(3, 1, 2, 3, &f, &msg), &msg);
    assert_near(f.elongation, 2.0 / 3, 1e-12);
    assert_near(f.flatness, 0.5, 1e-12);
    assert_near(mrn_polytope_sieve(&f) / f.length[1], 1, 1e-9); /* through with the longest side
                                                                 * ahead
                                                                 */
    mrn_polytope_release(&f);
}

static void regular_polygons(void **state)
{
    (void)state;
    for (int n = 3; n <= 40; n++) {
        mrn_polytope f;
        mrn_message msg = {0};
        ok(mrn_polytope_polygon(n, &f, &msg), &msg);
        check_unit(&f);
        double s = mrn_norm(mrn_sub(corner(f.part, 0), corner(f.part, 1))), t = tan(MRN_PI / n);
        assert_int_equal(f.part[0].n_points, n);
        assert_near(n * s * s / (4 * t), MRN_PI, 1e-12);
        assert_near(f.inertia[2], s * s * (1 + 3 / (t * t)) / 24, 1e-12);
        assert_near(f.sphericity, 2 * MRN_PI / (n * s), 1e-12);
        assert_near(f.angularity, 2.0 / n, 1e-12);
        double low = 0;
        int on_floor = 0;
        for (int i = 0; i < n; i++)
            low = fmin(low, corner(f.part, i).y);
        for (int i = 0; i < n; i++)
            on_floor += corner(f.part, i).y < low + 1e-9;
        assert_int_equal(on_floor, 2); /* it stands on a side */
        mrn_polytope_release(&f);
    }
}

/* The corner of a cube, cut off: covariances 3/80 and -1/80, found by hand. */
static void cut_corner(void **state)
{
    (void)state;
    double p[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, scale;
    mrn_corners c = {4, p};
    mrn_polytope f;
    mrn_vec3 shift;
    mrn_quat turn;
    mrn_message msg = {0};
    ok(mrn_polytope_make("it", 3, 1, &c, &f, &turn, &shift, &scale, &msg), &msg);
    check_unit(&f);
    assert_near(4 * MRN_PI / 3 * scale * scale * scale, 1.0 / 6, 1e-15);
    assert_near(mrn_norm(mrn_sub(shift, mrn_v3(0.25, 0.25, 0.25))), 0, 1e-15);
    double top = 0, sum = 0;
    for (int k = 0; k < 3; k++)
        top = fmax(top, f.inertia[k]), sum += f.inertia[k];
    assert_near(top * scale * scale, 0.1, 1e-13);
    assert_near(sum * scale * scale, 18.0 / 80, 1e-13);
    mrn_polytope_release(&f);
}

/* ---- any frame ---- */

static int by_size(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

/* Turned, scaled, moved, listed backwards: the same polytope, and the map back is the one told.
   1e-12 for sums, times 100 for moved ones: so many times its size away they lose two digits. */
static void same_in_any_frame(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(1, 0);
    for (int trial = 0; trial < 60; trial++) {
        int dimension = 2 + trial % 2;
        double size = pow(10, between(&r, -6, 6)), p[3 * 12], q[3 * 12], scale[2], e[2][3];
        double away = trial % 4 < 2 ? 0 : 100 * size, tolerance = trial % 4 < 2 ? 1e-12 : 1e-10;
        mrn_quat turn = mrn_quat_from_rotation(dimension == 2 ? mrn_v3(0, 0, between(&r, 0, 6))
                                                              : point_in(&r, -2, 2)),
                 back;
        mrn_vec3 shift;
        for (int i = 0; i < 12; i++) {
            mrn_vec3 x = point_in(&r, -1, 1);
            x.y *= 0.6, x.z *= dimension == 2 ? 0 : 0.4;
            mrn_store3(p + 3 * i, x);
            x = mrn_axpy(size, mrn_rotate(turn, x), mrn_v3(away, -away, 0));
            mrn_store3(q + 3 * (11 - i), x);
        }
        mrn_corners given[2] = {{12, p}, {12, q}};
        mrn_polytope f[2];
        mrn_message msg = {0};
        ok(mrn_polytope_make("it", dimension, 1, &given[0], &f[0], NULL, NULL, &scale[0], &msg),
           &msg);
        ok(mrn_polytope_make("it", dimension, 1, &given[1], &f[1], &back, &shift, &scale[1], &msg),
           &msg);
        check_unit(&f[1]);
        assert_near(scale[1] / scale[0] / size, 1, tolerance);
        for (int k = 0; k < 2; k++) {
            memcpy(e[k], f[k].inertia, sizeof e[k]);
            qsort(e[k], 3, sizeof e[k][0], by_size);
        }
        for (int k = 0; k < 3; k++) {
            assert_near(e[0][k], e[1][k], 10 * tolerance);
            assert_near(f[0].length[k], f[1].length[k], 1e3 * tolerance); /* axes less surely */
        }
        assert_near(f[0].sphericity, f[1].sphericity, 10 * tolerance);
        assert_near(f[0].angularity, f[1].angularity, 10 * tolerance);
        assert_int_equal(f[0].part[0].n_points, f[1].part[0].n_points);
        int found = 0;
        for (int i = 0; i < 12; i++) {
            mrn_vec3 x = mrn_rotate(back, mrn_sub(mrn_load3(q + 3 * i), shift));
            for (int k = 0; k < f[1].part[0].n_points; k++)
                found += apart(mrn_scale(1 / scale[1], x), corner(f[1].part, k)) < 10 * tolerance;
        }
        assert_int_equal(found, f[1].part[0].n_points);
        mrn_polytope_release(&f[0]);
        mrn_polytope_release(&f[1]);
    }
}

/* ---- several parts ---- */

static void box_corners(mrn_vec3 lo, mrn_vec3 hi, double *p)
{
    for (int k = 0; k < 8; k++)
        mrn_store3(p + 3 * k,
                   mrn_v3(k & 1 ? hi.x : lo.x, k & 2 ? hi.y : lo.y, k & 4 ? hi.z : lo.z));
}

static mrn_polytope from_boxes(int dimension, int n, const double (*box)[6], double *scale)
{
    double p[20][24];
    mrn_corners part[20];
    mrn_polytope f;
    mrn_message msg = {0};
    for (int k = 0; k < n; k++) {
        box_corners(mrn_load3(box[k]), mrn_load3(box[k] + 3), p[k]);
        part[k] = (mrn_corners){8, p[k]};
    }
    ok(mrn_polytope_make("it", dimension, n, part, &f, NULL, NULL, scale, &msg), &msg);
    check_unit(&f);
    return f;
}

/* Unions that are boxes or made of them again, as overlapping, touching and nested parts. */
static void known_unions(void **state)
{
    (void)state;
    double scale, unit = 4 * MRN_PI / 3;
    const double two[2][6] = {{0, 0, 0, 1, 1, 1}, {0.5, 0, 0, 1.5, 1, 1}};
    mrn_polytope f = from_boxes(3, 2, two, &scale), box;
    ok(mrn_polytope_box(3, 1.5, 1, 1, &box, NULL), NULL);
    assert_near(unit * pow(scale, 3), 1.5, 1e-12);
    for (int k = 0; k < 3; k++) {
        assert_near(f.inertia[k], box.inertia[k], 1e-12);
        assert_near(f.length[k], box.length[k], 1e-12);
    }
    assert_near(f.sphericity, box.sphericity, 1e-8); /* surfaces: faces within 1e-9 are flush */
    mrn_polytope_release(&f);
    f = from_boxes(2, 2, two, &scale);
    assert_near(MRN_PI * scale * scale, 1.5, 1e-12);
    assert_near(f.sphericity, sqrt(1.5 * MRN_PI) / 2.5, 1e-8);
    mrn_polytope_release(&f);
    mrn_polytope_release(&box);
    /* two cubes across a corner; a cube touched by another; one inside another; a cross */
    const double corner_[2][6] = {{0, 0, 0, 1, 1, 1}, {0.5, 0.5, 0.5, 1.5, 1.5, 1.5}};
    f = from_boxes(3, 2, corner_, &scale);
    assert_near(unit * pow(scale, 3), 2 - 0.125, 1e-12);
    assert_near(4 * MRN_PI * scale * scale / f.sphericity, 12 - 6 * 0.25, 1e-8);
    mrn_polytope_release(&f);
    const double touch[2][6] = {{0, 0, 0, 1, 1, 1}, {1, 0.25, 0.25, 1.5, 0.75, 0.75}};
    f = from_boxes(3, 2, touch, &scale);
    assert_near(unit * pow(scale, 3), 1.125, 1e-12);
    assert_near(4 * MRN_PI * scale * scale / f.sphericity, 6 + 4 * 0.25, 1e-8);
    mrn_polytope_release(&f);
    const double nested[2][6] = {{0, 0, 0, 1, 1, 1}, {0.25, 0.25, 0.25, 0.5, 0.5, 0.5}};
    f = from_boxes(3, 2, nested, &scale);
    assert_near(unit * pow(scale, 3), 1, 1e-12);
    assert_near(f.inertia[1] * scale * scale, 1.0 / 6, 1e-12);
    mrn_polytope_release(&f);
    const double cross[3][6] = {
        {-3, -1, -1, 3, 1, 1}, {-1, -3, -1, 1, 3, 1}, {-1, -1, -3, 1, 1, 3}};
    f = from_boxes(3, 3, cross, &scale);
    assert_near(unit * pow(scale, 3), 7 * 8, 1e-10);
    assert_near(4 * MRN_PI * scale * scale / f.sphericity, 6 * 4 * 5, 1e-6);
    /* of each bar: (4 + 36) / 12 * 24 across and (4 + 4) / 12 * 24 along, the middle counted once
     */
    assert_near(f.inertia[0] * scale * scale, (16 + 2 * 80 - 2 * 8 * 2.0 / 3) / 56, 1e-12);
    mrn_polytope_release(&f);
    f = from_boxes(2, 2, cross, &scale);
    assert_near(MRN_PI * scale * scale, 20, 1e-11);
    assert_near(2 * MRN_PI * scale / f.sphericity, 24, 1e-7);
    mrn_polytope_release(&f);
}

/* Stairs of boxes that all share the lowest, a row of bricks, and a box many times over. */
static void many_parts(void **state)
{
    (void)state;
    double box[10][6], scale, volume = 0;
    for (int k = 0; k < 10; k++) {
        double b[6] = {0, 0, 0, 1 + k, 1, 10 - k};
        memcpy(box[k], b, sizeof b);
        volume += 10 - k;
    }
    mrn_polytope f = from_boxes(3, 10, (const double(*)[6])box, &scale);
    assert_near(4 * MRN_PI / 3 * pow(scale, 3), volume, 1e-10);
    mrn_polytope_release(&f);
    for (int k = 0; k < 10; k++) { /* a row of bricks: only neighbours touch */
        double b[6] = {k, 0, 0, 1 + k, 1, 1};
        memcpy(box[k], b, sizeof b);
    }
    f = from_boxes(3, 10, (const double(*)[6])box, &scale);
    assert_near(4 * MRN_PI / 3 * pow(scale, 3), 10, 1e-11);
    mrn_polytope_release(&f);
    mrn_rng r = mrn_rng_seed(8, 0); /* 30 times the same stone, corners in another order each time
                                     */
    double p[30][3 * 12], scale_of_one;
    mrn_corners part[30];
    for (int k = 0; k < 30; k++) {
        for (int i = 0; i < 12; i++)
            mrn_store3(p[k] + 3 * i,
                       k == 0 ? point_in(&r, -1, 1) : mrn_load3(p[0] + 3 * ((i + k) % 12)));
        part[k] = (mrn_corners){12, p[k]};
    }
    mrn_message msg = {0};
    ok(mrn_polytope_make("it", 3, 1, part, &f, NULL, NULL, &scale_of_one, &msg), &msg);
    mrn_polytope_release(&f);
    ok(mrn_polytope_make("it", 3, 30, part, &f, NULL, NULL, &scale, &msg), &msg);
    assert_near(scale / scale_of_one, 1, 1e-12);
    mrn_polytope_release(&f);
}

static bool in_polytope(const mrn_polytope *f, mrn_vec3 x)
{
    for (int k = 0; k < f->n_parts; k++) {
        const mrn_convex *c = &f->part[k];
        bool in = true;
        for (int p = 0; in && p < c->n_faces; p++)
            in = mrn_dot(mrn_load3(c->plane + 4 * p), x) <= c->plane[4 * p + 3];
        if (in)
            return true;
    }
    return false;
}

/* Random overlapping parts against counting points: 4 standard errors. */
static void against_counting(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(2, 0);
    for (int trial = 0; trial < 6; trial++) {
        int dimension = 2 + trial % 2, n = 2 + trial / 2;
        double p[4][3 * 15];
        mrn_corners part[4];
        for (int k = 0; k < n; k++) {
            mrn_vec3 middle = mrn_scale(0.7, point_in(&r, -1, 1));
            for (int i = 0; i < 15; i++)
                mrn_store3(p[k] + 3 * i, mrn_add(middle, point_in(&r, -1, 1)));
            part[k] = (mrn_corners){15, p[k]};
        }
        mrn_polytope f;
        mrn_message msg = {0};
        ok(mrn_polytope_make("it", dimension, n, part, &f, NULL, NULL, NULL, &msg), &msg);
        check_unit(&f);
        int in = 0, tries = 100000;
        double b = f.bound, box = pow(2 * b, dimension), inertia = 0, fourth = 0;
        for (int k = 0; k < tries; k++) {
            mrn_vec3 x = point_in(&r, -b, b);
            x.z = dimension == 2 ? 0 : x.z;
            if (in_polytope(&f, x)) {
                double d = x.x * x.x + x.y * x.y;
                in++, inertia += d, fourth += d * d;
            }
        }
        double share = (double)in / tries, unit = dimension == 2 ? MRN_PI : 4 * MRN_PI / 3;
        assert_near(share * box, unit, 4 * box * sqrt(share * (1 - share) / tries));
        inertia /= in, fourth /= in;
        assert_near(inertia, f.inertia[2], 4 * sqrt((fourth - inertia * inertia) / in));
        mrn_polytope_release(&f);
    }
}

/* ---- sieve ---- */

/* 1e-6: the search ends there. A tetrahedron passes edge first through a square of 1/sqrt 2 of its
   edge; an octahedron tilted, through 2 sqrt 2 / 3 of it, less than its square section. */
static void sieves(void **state)
{
    (void)state;
    const struct {
        const char *name;
        double side;
    } known[] = {{"cube", 1}, {"tetrahedron", sqrt(0.5)}, {"octahedron", 2 * sqrt(2) / 3}};
    for (int k = 0; k < 3; k++) {
        mrn_polytope f = regular(known[k].name);
        assert_near(mrn_polytope_sieve(&f) / edge_length(&f), known[k].side, 1e-6);
        mrn_polytope_release(&f);
    }
    mrn_polytope f;
    ok(mrn_polytope_polygon(3, &f, NULL), NULL);
    double a = mrn_norm(mrn_sub(corner(f.part, 0), corner(f.part, 1)));
    assert_near(mrn_polytope_sieve(&f), a * sqrt(0.75), 1e-12);
    mrn_polytope_release(&f);
    ok(mrn_polytope_box(2, 3, 0.5, 0, &f, NULL), NULL);
    assert_near(mrn_polytope_sieve(&f), f.length[1], 1e-12);
    mrn_polytope_release(&f);
}

/* ---- files ---- */

static char folder[64], path[96];

static int open_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/moraine-XXXXXX");
    return mkdtemp(folder) == NULL ? -1 : 0;
}

static int close_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static mrn_status read_bytes(const char *name, const void *data, size_t size, mrn_polytope *f,
                             mrn_message *msg)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    mrn_status st = mrn_polytope_read(path, f, msg);
    unlink(path);
    return st;
}

#define CUBE_OBJ                                                                                   \
    "# a cube\no stone\nvn 0 0 1\nvt 0 0\nv 0 0 0\r\n  v\t1 0 0 1.0\nv 0 1 0\n"                    \
    "v 1 1 0 # more\nv 0 \\\n 0 1\nv 1 0 1e0\nv 0 1 +1\nv 1.0000001 1 1\nf 1 2 3\n"

static void files(void **state)
{
    (void)state;
    mrn_polytope f, cube = regular("cube");
    mrn_message msg = {0};
    ok(read_bytes("stone.obj", CUBE_OBJ, strlen(CUBE_OBJ), &f, &msg), &msg);
    assert_string_equal(f.name, "stone");
    assert_int_equal(f.part[0].n_points, 8);
    assert_int_equal(f.part[0].n_faces, 6); /* bent by 1e-7: single precision */
    assert_near(f.inertia[0], cube.inertia[0], 1e-6);
    mrn_polytope_release(&f);
    static const char *text = "solid x\n"
                              "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 "
                              "0 endloop endfacet\n"
                              "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 0 "
                              "1 endloop endfacet\nendsolid\n";
    ok(read_bytes("a.b.STL", text, strlen(text), &f, &msg), &msg);
    assert_string_equal(f.name, "a.b");
    assert_int_equal(f.part[0].n_faces, 4);
    mrn_polytope_release(&f);
    mrn_polytope_release(&cube);
}

static void refuses_file(const char *name, const char *text, int line, int column, const char *word)
{
    mrn_polytope f;
    mrn_message msg = {0};
    assert_int_equal(read_bytes(name, text, strlen(text), &f, &msg), MRN_ERR_INPUT);
    assert_int_equal(msg.line, line);
    assert_int_equal(msg.column, column);
    if (strstr(msg.text, word) == NULL)
        fail_msg("'%s' does not say %s", msg.text, word);
    assert_null(f.part);
}

static void damaged_files(void **state)
{
    (void)state;
    refuses_file("x.obj", "v 0 0 0\nv 1 0\nv 0 1 0\n", 2, 6, "ends");
    refuses_file("x.obj", "v 0 0 0\n\nv 1 0 zero\n", 3, 7, "zero");
    refuses_file("x.obj", "v 0 0 0\rv 1 0 nan\r", 2, 7, "nan");
    refuses_file("x.obj", "v 0 0 0\nv 1 0 1e999", 2, 7, "1e999");
    refuses_file("x.obj", "v 0 \\\n 0 x", 2, 4, "'x'");
    refuses_file("x.obj", "v 1,5 0 0\n", 1, 3, "1,5");
    refuses_file("x.obj", "v", 1, 2, "ends");
    refuses_file("x.obj", "", 0, 0, "0 corners");
    refuses_file("x.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", 0, 0, "3 corners");
    refuses_file("x.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n", 0, 0, "flat");
    refuses_file("x.ply", "ply\n", 0, 0, "kind");
    mrn_polytope f;
    mrn_message msg = {0};
    assert_int_equal(mrn_polytope_read("/nowhere/at/all.obj", &f, &msg), MRN_ERR_IO);
    assert_int_equal(mrn_polytope_read("/nowhere/at/all.stl", &f, &msg), MRN_ERR_IO);
    snprintf(path, sizeof path, "%s/sub.obj", folder);
    assert_int_equal(symlink("/tmp", path), 0);
    assert_int_equal(mrn_polytope_read(path, &f, &msg), MRN_ERR_IO);
    unlink(path);
    mrn_rng r = mrn_rng_seed(4, 0); /* any bytes, and a sound file with some changed */
    for (int trial = 0; trial < 300; trial++) {
        char data[sizeof CUBE_OBJ];
        memcpy(data, CUBE_OBJ, sizeof data);
        for (int k = 0; k < (trial % 2 ? 200 : 3); k++) {
            size_t where = (size_t)(mrn_rng_uniform(&r) * sizeof data);
            data[where] = (char)(mrn_rng_next(&r) & 255);
        }
        mrn_status st = read_bytes(trial % 4 < 2 ? "x.obj" : "x.stl", data, sizeof data, &f, &msg);
        assert_true(st == MRN_OK || st == MRN_ERR_INPUT);
        mrn_polytope_release(&f);
    }
}

/* ---- refused ---- */

static void refuses(mrn_status st, mrn_polytope *f, mrn_message *msg, const char *word)
{
    assert_int_equal(st, MRN_ERR_INPUT);
    assert_null(f->part);
    if (strstr(msg->text, word) == NULL && strstr(msg->expected, word) == NULL)
        fail_msg("'%s' (%s) does not say %s", msg->text, msg->expected, word);
    mrn_polytope_release(f);
    *msg = (mrn_message){0};
}

static void wrong_polytopes(void **state)
{
    (void)state;
    mrn_polytope f;
    mrn_message msg = {0};
    refuses(mrn_polytope_regular("qube", &f, &msg), &f, &msg, "prism-N");
    assert_int_equal(mrn_polytope_regular("octahedrom", &f, &msg), MRN_ERR_INPUT);
    assert_true(strstr(msg.hint, "octahedron") != NULL);
    refuses(mrn_polytope_regular("prism-2", &f, &msg), &f, &msg, "3 sides");
    refuses(mrn_polytope_regular("prism-", &f, &msg), &f, &msg, "3 sides");
    refuses(mrn_polytope_regular("prism-6x", &f, &msg), &f, &msg, "3 sides");
    refuses(mrn_polytope_regular("prism-99999999999", &f, &msg), &f, &msg, "1000");
    refuses(mrn_polytope_polygon(2, &f, &msg), &f, &msg, "3 sides");
    refuses(mrn_polytope_box(3, 1, 0, 1, &f, &msg), &f, &msg, "above 0");
    refuses(mrn_polytope_box(3, 1, 1, NAN, &f, &msg), &f, &msg, "above 0");
    refuses(mrn_polytope_box(3, 1, 1, 1e-9, &f, &msg), &f, &msg, "flat");
    double p[24], q[24];
    mrn_corners part[30] = {{8, p}, {8, q}};
    box_corners(mrn_v3(0, 0, 0), mrn_v3(1, 1, 1), p);
    box_corners(mrn_v3(1.001, 0, 0), mrn_v3(2, 1, 1), q);
    refuses(mrn_polytope_make("it", 3, 2, part, &f, NULL, NULL, NULL, &msg), &f, &msg, "pieces");
    refuses(mrn_polytope_make("it", 2, 2, part, &f, NULL, NULL, NULL, &msg), &f, &msg, "part 2");
    refuses(mrn_polytope_make("it", 3, 0, part, &f, NULL, NULL, NULL, &msg), &f, &msg, "0 parts");
    q[7] = NAN;
    refuses(mrn_polytope_make("it", 3, 2, part, &f, NULL, NULL, NULL, &msg), &f, &msg, "part 2");
    assert_int_equal(mrn_polytope_make("it", 4, 1, part, &f, NULL, NULL, NULL, &msg),
                     MRN_ERR_RANGE);
}

/* ---- memory ---- */

static mrn_status one(int which, mrn_polytope *f, mrn_message *msg)
{
    double p[24], q[24];
    mrn_corners part[2] = {{8, p}, {8, q}};
    box_corners(mrn_v3(0, 0, 0), mrn_v3(1, 1, 1), p);
    box_corners(mrn_v3(0.5, 0, 0.5), mrn_v3(2, 1.5, 3), q);
    mrn_random_polytope random = {0.7, 0.7, 0.5, 0, 1};
    switch (which) {
    case 0:
        return mrn_polytope_make("it", 3, 2, part, f, NULL, NULL, NULL, msg);
    case 1:
        return mrn_polytope_make("it", 2, 2, part, f, NULL, NULL, NULL, msg);
    case 2:
        return mrn_polytope_polygon(5, f, msg);
    case 3:
        return mrn_polytope_regular("prism-5", f, msg);
    case 4:
        return mrn_polytope_random(3, &random, f, msg);
    case 5:
        return mrn_polytope_crushed(&random, f, msg);
    default:
        return read_bytes("stone.obj", CUBE_OBJ, strlen(CUBE_OBJ), f, msg);
    }
}

static void memory_runs_out(void **state)
{
    (void)state;
    size_t before = mrn_bytes_in_use();
    for (int which = 0; which < 7; which++) {
        mrn_status st = MRN_ERR_MEMORY;
        int k = 1;
        for (; st == MRN_ERR_MEMORY; k++) {
            mrn_polytope f, copy;
            mrn_message msg = {0};
            mrn_alloc_fail_at(k);
            st = one(which, &f, &msg);
            if (st == MRN_OK) {
                st = mrn_polytope_copy(&f, &copy, &msg);
                if (st == MRN_OK) {
                    assert_memory_equal(f.part[0].point, copy.part[0].point, 12 * sizeof(double));
                    assert_ptr_not_equal(f.part[0].point, copy.part[0].point);
                }
                mrn_polytope_release(&copy);
            }
            mrn_polytope_release(&f);
            mrn_alloc_fail_at(0);
            assert_int_equal(mrn_bytes_in_use(), before);
            assert_true(st == MRN_OK || msg.status == MRN_ERR_MEMORY);
        }
        assert_int_equal(st, MRN_OK);
        assert_true(k > 15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(platonic_solids),
        cmocka_unit_test(other_solids),
        cmocka_unit_test(boxes),
        cmocka_unit_test(regular_polygons),
        cmocka_unit_test(cut_corner),
        cmocka_unit_test(same_in_any_frame),
        cmocka_unit_test(known_unions),
        cmocka_unit_test(many_parts),
        cmocka_unit_test(against_counting),
        cmocka_unit_test(sieves),
        cmocka_unit_test(files),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(wrong_polytopes),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
