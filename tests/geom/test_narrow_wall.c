/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Convex parts on walls of every kind: closed forms, random poses against brute force (corners for
   planes and containers, the dual problem over tangent planes for round walls), a flat mesh against
   the plane, a mesh box against the solid block. MRN_FUZZ=N tries N poses. */
#include "geom/mesh.h"
#include "part_kit.h"

#define ROUNDING 1e-12 /* coordinates below 10 */

typedef struct wall {
    mrn_shape shape;
    mrn_vec3 x;
    mrn_quat q;
} wall;

static int meet(const mrn_posed *c, const wall *w, int feature, double alert, mrn_contact_point *m)
{
    int n = mrn_narrow_wall(c, &w->shape, w->x, w->q, feature, alert, m);
    assert_true(n >= 0 && n <= MRN_NARROW_MAX);
    for (int k = 0; k < n; k++) {
        check_contact_point(&m[k]);
        assert_true(m[k].gap < alert);
        for (int i = 0; i < k; i++)
            assert_true(m[i].feature != m[k].feature);
    }
    return n;
}

static mrn_value number(double v)
{
    return (mrn_value){.number = v, .given = true};
}

static mrn_value vector(double x, double y, double z)
{
    return (mrn_value){.a = {x, y, z}, .given = true};
}

static mrn_value flag(bool on)
{
    return (mrn_value){.flag = on, .given = true};
}

static wall plane(int dimension, mrn_vec3 point, mrn_vec3 normal, double length)
{
    mrn_value v[5] = {vector(point.x, point.y, point.z), vector(normal.x, normal.y, normal.z)};
    if (length > 0)
        v[2] = number(length);
    wall w;
    w.shape = wall_make("plane", dimension, v, &w.x, &w.q);
    return w;
}

static wall box(int dimension, mrn_vec3 a, mrn_vec3 b, bool inside, int open)
{
    mrn_value v[3] = {{.a = a, .b = b, .given = true}, flag(inside)};
    if (open > 0)
        v[2] = number(open);
    wall w;
    w.shape = wall_make("box", dimension, v, &w.x, &w.q);
    return w;
}

/* Along z about the origin; half length 0: infinite (2D: a circle). */
static wall cylinder(int dimension, double R, double h, bool inside, int open)
{
    mrn_value v[7] = {{.given = false}};
    if (h > 0) {
        v[0] = vector(0, 0, -h);
        v[1] = vector(0, 0, h);
    } else {
        v[2] = vector(0, 0, 0);
        if (dimension == 3)
            v[3] = vector(0, 0, 1);
    }
    v[4] = number(R);
    v[5] = flag(inside);
    if (open > 0)
        v[6] = number(open);
    wall w;
    w.shape = wall_make("cylinder", dimension, v, &w.x, &w.q);
    return w;
}

static wall cone(double r0, double r1, double h)
{
    mrn_value v[4] = {vector(0, 0, -h), number(r0), vector(0, 0, h), number(r1)};
    wall w;
    w.shape = wall_make("cone", 3, v, &w.x, &w.q);
    return w;
}

static wall mesh(const double *soup, int n)
{
    wall w = {.shape = {.type = mrn_shape_type_find("mesh"), .dimension = 3},
              .q = mrn_quat_identity()};
    mrn_message msg = {0};
    ok(mrn_mesh_create(soup, n, &w.shape.mesh, &msg), &msg);
    return w;
}

/* A cube of side 1, faces along the axes when not turned. */
static void cube(mrn_polytope *f, mrn_posed *c, mrn_vec3 x, mrn_quat q)
{
    mrn_message msg = {0};
    ok(mrn_polytope_regular("cube", f, &msg), &msg);
    *c = mrn_posed_make(&f->part[0], x, q, 0.5 / fabs(f->part[0].point[0]));
}

static void stone(mrn_polytope *f, uint64_t seed, double angularity)
{
    mrn_message msg = {0};
    mrn_random_polytope p = {
        .elongation = 0.8, .flatness = 0.7, .angularity = angularity, .seed = seed};
    ok(mrn_polytope_random(3, &p, f, &msg), &msg);
}

/* ---- planes and boxes ---- */

static void a_cube_on_a_plane(void **state)
{
    (void)state;
    wall w = plane(3, mrn_v3(0.5, 0.2, 0.3), mrn_v3(0, 0, 1), 0);
    mrn_polytope f;
    mrn_posed c;
    cube(&f, &c, mrn_v3(4, -3, 0.79), about_z(0.3));
    mrn_contact_point m[MRN_NARROW_MAX];
    assert_int_equal(meet(&c, &w, 0, 0.05, m), 4);
    mrn_vec3 middle = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        assert_float_equal(m[k].gap, -0.01, 1e-14);
        assert_float_equal(m[k].point.z, 0.295, 1e-14);
        assert_float_equal(m[k].normal.z, 1, 1e-14);
        middle = mrn_axpy(0.25, m[k].point, middle);
    }
    assert_float_equal(middle.x, 4, 1e-13);
    assert_float_equal(middle.y, -3, 1e-13);
    mrn_overlap o;
    assert_true(mrn_overlap_wall(&c, &w.shape, w.x, w.q, 0, &o));
    assert_float_equal(o.volume, 0.01, 1e-13);
    assert_float_equal(o.area, 1, 1e-13);
    assert_float_equal(o.centre.z, 0.295, 1e-12);
    assert_float_equal(o.centre.x, 4, 1e-12);
    mrn_polytope_release(&f);
}

static void check_corners(const mrn_posed *c, const wall *w, int feature, mrn_vec3 at, mrn_vec3 n,
                          double alert)
{
    int near = 0;
    double least = INFINITY;
    for (int k = 0; k < c->shape->n_points; k++) {
        double gap = mrn_dot(n, mrn_sub(mrn_posed_point(c, k), at));
        near += gap < alert;
        least = fmin(least, gap);
    }
    mrn_contact_point m[MRN_NARROW_MAX];
    int count = meet(c, w, feature, alert, m);
    assert_true(count <= near && (count > 0) == (near > 0));
    assert_true(near > 3 || near == count || near == 3); /* three in a line are two */
    /* a corner that is no deeper than another by a thousandth of alert may stand for it */
    if (near > 0)
        assert_true(least_gap(m, count) >= least - ROUNDING &&
                    least_gap(m, count) <= least + 0.001 * alert + ROUNDING);
    for (int k = 0; k < count; k++) {
        mrn_vec3 p = mrn_posed_point(c, (int)m[k].feature);
        assert_float_equal(m[k].gap, mrn_dot(n, mrn_sub(p, at)), ROUNDING);
        assert_float_equal(mrn_norm(mrn_sub(m[k].point, mrn_axpy(-0.5 * m[k].gap, n, p))), 0,
                           ROUNDING);
    }
}

static void planes_and_containers(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(40, 1);
    wall room = box(3, mrn_v3(-2, -3, -4), mrn_v3(2, 3, 4), true, 0);
    for (int i = 0; i < 20000; i++) {
        mrn_polytope f = {0};
        if (i % 100 == 0)
            stone(&f, (uint64_t)i, 0.5);
        else
            continue;
        for (int j = 0; j < 100; j++) {
            mrn_vec3 at = random_in(&r, 3), n = mrn_unit(random_in(&r, 1)), x = random_in(&r, 3);
            mrn_quat q = random_turn(&r);
            double scale = uniform(&r, 0.3, 2), alert = uniform(&r, 0.01, 1);
            wall w = plane(3, at, n, 0);
            mrn_posed c = mrn_posed_make(&f.part[0], x, q, scale);
            check_corners(&c, &w, 0, at, n, alert);
            int side = (int)uniform(&r, 0, 6);
            double in[3] = {0, 0, 0}, on[3] = {2, 3, 4};
            in[side / 2] = side % 2 ? -1 : 1;
            for (int k = 0; k < 3; k++)
                on[k] *= -in[k];
            check_corners(&c, &room, side, mrn_load3(on), mrn_load3(in), alert);
        }
        mrn_polytope_release(&f);
    }
}

static void planes_in_2d(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(41, 1);
    wall room = box(2, mrn_v3(-2, -3, 0), mrn_v3(2, 3, 0), true, 0);
    for (int i = 0; i < 2000; i++) {
        hand h;
        int corners = 3 + (int)uniform(&r, 0, 6);
        hand_random(&h, &r, corners);
        double a = uniform(&r, 0, 7), turn = uniform(&r, 0, 7), alert = uniform(&r, 0.01, 0.5);
        mrn_vec3 at = random_in(&r, 2), n = mrn_v3(cos(a), sin(a), 0), x = random_in(&r, 2);
        at.z = x.z = 0;
        wall w = plane(2, at, n, 0);
        mrn_posed c = mrn_posed_make(&h.c, x, about_z(turn), 1);
        check_corners(&c, &w, 0, at, n, alert);
        check_corners(&c, &room, 3, mrn_v3(0, 3, 0), mrn_v3(0, -1, 0), alert);
        mrn_contact_point m[MRN_NARROW_MAX];
        int count = meet(&c, &w, 0, alert, m);
        for (int k = 0; k < count; k++)
            assert_float_equal(m[k].point.z, 0, 1e-14);
        /* area behind the plane and its change when the part is moved along the normal */
        mrn_overlap o, lo, hi;
        if (!mrn_overlap_wall(&c, &w.shape, w.x, w.q, 0, &o) || o.volume < 1e-3)
            continue;
        double step = 1e-6;
        mrn_posed p = c, q = c;
        p.x = mrn_axpy(-step, n, c.x);
        q.x = mrn_axpy(step, n, c.x);
        assert_true(mrn_overlap_wall(&p, &w.shape, w.x, w.q, 0, &lo));
        assert_true(mrn_overlap_wall(&q, &w.shape, w.x, w.q, 0, &hi));
        assert_float_equal((lo.volume - hi.volume) / (2 * step), o.area, 1e-5);
        assert_true(mrn_dot(n, mrn_sub(o.centre, at)) < 0);
    }
}

static void solid_blocks(void **state)
{
    (void)state;
    wall w = box(3, mrn_v3(-1, -2, -3), mrn_v3(1, 2, 3), false, 0);
    mrn_polytope f;
    mrn_posed c;
    mrn_contact_point m[MRN_NARROW_MAX];
    cube(&f, &c, mrn_v3(0.2, 0.1, 3.51), about_z(0.2));
    assert_int_equal(meet(&c, &w, 0, 0.05, m), 4);
    for (int k = 0; k < 4; k++) {
        assert_float_equal(m[k].gap, 0.01, 1e-13);
        assert_float_equal(m[k].normal.z, 1, 1e-13);
    }
    mrn_polytope_release(&f);
    wall flat = box(2, mrn_v3(-1, -2, 0), mrn_v3(1, 2, 0), false, 0);
    hand h;
    hand_rectangle(&h, 0.5, 0.5);
    mrn_posed s = mrn_posed_make(&h.c, mrn_v3(-1.49, 0.3, 0), mrn_quat_identity(), 1);
    assert_int_equal(meet(&s, &flat, 0, 0.05, m), 2);
    assert_float_equal(m[0].gap, -0.01, 1e-14);
    assert_float_equal(m[0].normal.x, -1, 1e-14);
}

/* Half over the end of a plate: two corners of the cube, and its edges across the plate's end. */
static void over_the_end_of_a_plate(void **state)
{
    (void)state;
    for (int under = 0; under < 2; under++) {
        wall w = plane(3, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1), 4);
        mrn_polytope f;
        mrn_posed c;
        mrn_contact_point m[MRN_NARROW_MAX];
        double side = under ? -1 : 1;
        cube(&f, &c, mrn_v3(2.1, 0.3, side * 0.499), mrn_quat_identity());
        assert_int_equal(meet(&c, &w, 0, 0.05, m), 4);
        double lo = INFINITY, hi = -INFINITY;
        for (int k = 0; k < 4; k++) {
            assert_float_equal(m[k].gap, -0.001, 1e-13);
            assert_float_equal(m[k].normal.z, side, 1e-13);
            lo = fmin(lo, m[k].point.x);
            hi = fmax(hi, m[k].point.x);
        }
        assert_float_equal(lo, 1.6, 1e-12);
        assert_float_equal(hi, 2, 1e-12);
        mrn_polytope_release(&f);
    }
    /* a small plate under a large cube: the plate's corners */
    wall w = plane(3, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1), 0.2);
    mrn_polytope f;
    mrn_posed c;
    mrn_contact_point m[MRN_NARROW_MAX];
    cube(&f, &c, mrn_v3(0.1, 0.05, 0.501), about_z(0.4));
    assert_int_equal(meet(&c, &w, 0, 0.05, m), 4);
    for (int k = 0; k < 4; k++) {
        assert_float_equal(m[k].gap, 0.001, 1e-13);
        assert_float_equal(fabs(m[k].point.x), 0.1, 1e-13);
    }
    mrn_polytope_release(&f);
}

static void plates_in_2d(void **state)
{
    (void)state;
    wall w = plane(2, mrn_v3(0, 0, 0), mrn_v3(0, 1, 0), 2);
    hand h;
    hand_rectangle(&h, 0.5, 0.5);
    mrn_contact_point m[MRN_NARROW_MAX];
    mrn_posed s = mrn_posed_make(&h.c, mrn_v3(0.2, 0.499, 0), mrn_quat_identity(), 1);
    assert_int_equal(meet(&s, &w, 0, 0.05, m), 2);
    assert_float_equal(m[0].gap, -0.001, 1e-14);
    s.x = mrn_v3(1.1, -0.499, 0); /* below, over the end: a corner and the end of the plate */
    assert_int_equal(meet(&s, &w, 0, 0.05, m), 2);
    for (int k = 0; k < 2; k++) {
        assert_float_equal(m[k].gap, -0.001, 1e-14);
        assert_float_equal(m[k].normal.y, -1, 1e-14);
        assert_float_equal(fabs(m[k].point.x - 0.8), 0.2, 1e-13);
    }
    s.x = mrn_v3(1.499, 0.1, 0); /* beside it: pushed off along it */
    assert_int_equal(meet(&s, &w, 0, 0.05, m), 1);
    assert_float_equal(m[0].normal.x, 1, 1e-14);
    assert_float_equal(m[0].gap, -0.001, 1e-14);
}

/* In the corner of an open box both sides push, from outside only the one that is met. */
static void thin_boxes(void **state)
{
    (void)state;
    wall w = box(3, mrn_v3(-2, -2, -2), mrn_v3(2, 2, 2), true, 1); /* open at the top */
    mrn_polytope f;
    mrn_posed c;
    mrn_contact_point m[MRN_NARROW_MAX];
    cube(&f, &c, mrn_v3(-1.501, 0, -1.5005), mrn_quat_identity());
    assert_int_equal(meet(&c, &w, 0, 0.05, m), 4);
    assert_float_equal(m[0].gap, -0.001, 1e-13);
    assert_float_equal(m[0].normal.x, 1, 1e-13);
    assert_int_equal(meet(&c, &w, 4, 0.05, m), 4);
    assert_float_equal(m[0].gap, -0.0005, 1e-13);
    assert_float_equal(m[0].normal.z, 1, 1e-13);
    c.x = mrn_v3(-2.499, 0, -1.9);
    assert_int_equal(meet(&c, &w, 4, 0.05, m), 0);
    assert_true(meet(&c, &w, 0, 0.05, m) >= 2);
    assert_float_equal(m[0].normal.x, -1, 1e-13);
    mrn_polytope_release(&f);
}

/* ---- round walls ---- */

/* Largest distance of the part behind a tangent plane: by duality that of the part from the cone
   (which is convex), if its end is not in play. The part is far from the axis. */
static double brute_round(const mrn_posed *c, double R, double k)
{
    double cosine = 1 / sqrt(1 + k * k), most = -INFINITY, best = 0, step = 2 * MRN_PI / 720;
    for (int pass = 0; pass < 60; pass++) {
        double middle = best;
        for (int i = pass == 0 ? 0 : -2; i < (pass == 0 ? 720 : 3); i++) {
            double a = pass == 0 ? i * step : middle + i * step;
            mrn_vec3 n = mrn_v3(cosine * cos(a), cosine * sin(a), -k * cosine);
            double d = brute_lowest(c, n) - R * cosine;
            if (d > most)
                most = d, best = a;
        }
        step *= pass == 0 ? 1 : 0.6;
    }
    return most;
}

static void rods_and_cones_from_outside(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(42, 1);
    mrn_polytope f = {0};
    int met = 0;
    for (int64_t i = 0, n = fuzz_count(3000); i < n; i++) {
        if (i % 50 == 0) {
            mrn_polytope_release(&f);
            stone(&f, (uint64_t)i, uniform(&r, 0, 1));
        }
        double scale = uniform(&r, 0.3, 1), R = uniform(&r, 0.1, 2), k = 0, alert = 0.1;
        wall w = cylinder(3, R, 0, false, 0);
        if (i % 3 == 1) { /* a cone, long enough that its ends do not count */
            double h = 10;
            k = uniform(&r, -0.1, 0.1) * R;
            w = cone(R - k * h, R + k * h, h);
            if (R - fabs(k) * h < 0.01)
                continue;
        }
        double a = uniform(&r, 0, 7), z = uniform(&r, -1, 1);
        double away = R + scale * f.bound * uniform(&r, 0.6, 1.05);
        mrn_quat q = random_turn(&r);
        mrn_posed c = mrn_posed_make(&f.part[0], mrn_v3(away * cos(a), away * sin(a), z), q, scale);
        if (i % 3 == 2) { /* a face along the rod: turned so that its normal looks at the axis */
            mrn_vec3 face = mrn_load3(f.part[0].plane + 4 * (i % f.part[0].n_faces));
            mrn_vec3 axis = mrn_cross(face, mrn_v3(-1, 0, 0));
            double s = mrn_norm(axis), angle = atan2(s, -face.x);
            double gap = uniform(&r, -0.05, 0.05);
            q = mrn_quat_from_rotation(mrn_scale(s > 0 ? angle / s : 0, axis));
            c = mrn_posed_make(&f.part[0], mrn_v3(0, 0, z), q, scale);
            double lowest = brute_lowest(&c, mrn_v3(1, 0, 0));
            c.x.x = R - lowest + gap;
        }
        mrn_contact_point m[MRN_NARROW_MAX];
        double d = brute_round(&c, R, k);
        int count = meet(&c, &w, 0, alert, m);
        if (R + d < 0.05 * R) /* the axis is all but inside */
            continue;
        assert_int_equal(count > 0, d < alert);
        met += count > 0;
        if (count == 0)
            continue;
        /* the dual's steps end at 1e-13 of a turn, its error is of second order */
        assert_float_equal(least_gap(m, count), d, 1e-9);
        mrn_vec3 on = mrn_axpy(-0.5 * m[0].gap, m[0].normal, m[0].point);
        assert_float_equal((hypot(on.x, on.y) - R - k * on.z) / sqrt(1 + k * k), 0, 1e-9);
    }
    mrn_polytope_release(&f);
    assert_true(met > 500 || getenv("MRN_FUZZ") != NULL);
}

/* A cube with a face on a rod: the line of contact has two ends. */
static void a_face_along_a_rod(void **state)
{
    (void)state;
    wall w = cylinder(3, 0.7, 5, false, 0);
    mrn_polytope f;
    mrn_posed c;
    mrn_contact_point m[MRN_NARROW_MAX];
    cube(&f, &c, mrn_v3(1.199, 0.1, 1), mrn_quat_identity());
    assert_int_equal(meet(&c, &w, 0, 0.05, m), 2);
    for (int k = 0; k < 2; k++) {
        assert_float_equal(m[k].gap, -0.001, 1e-13);
        assert_float_equal(m[k].normal.x, 1, 1e-12);
        assert_float_equal(fabs(m[k].point.z - 1), 0.5, 1e-12);
    }
    /* on its flat end: the rim */
    c.x = mrn_v3(0.1, 0.1, 5.501);
    wall thin = cylinder(3, 0.3, 5, false, 0);
    assert_int_equal(meet(&c, &thin, 0, 0.05, m), 4);
    for (int k = 0; k < 4; k++) {
        assert_float_equal(m[k].gap, 0.001, 1e-12);
        assert_float_equal(m[k].normal.z, 1, 1e-12);
        assert_float_equal(hypot(m[k].point.x, m[k].point.y), 0.3, 1e-12);
    }
    /* speared: out it goes */
    c.x = mrn_v3(0.1, 0, 1);
    assert_true(meet(&c, &w, 0, 0.05, m) >= 1);
    assert_true(m[0].gap < -0.7 && m[0].normal.x > 0.9);
    mrn_polytope_release(&f);
}

static void containers_round(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(43, 1);
    wall drum = cylinder(3, 2, 3, true, 0), pipe = cylinder(3, 2, 3, true, 3);
    mrn_polytope f;
    stone(&f, 4, 0.5);
    mrn_contact_point m[MRN_NARROW_MAX];
    for (int i = 0; i < 3000; i++) {
        mrn_vec3 x = random_in(&r, 1.5);
        mrn_posed c = mrn_posed_make(&f.part[0], x, random_turn(&r), 0.5);
        double most = 0;
        for (int k = 0; k < f.part[0].n_points; k++) {
            mrn_vec3 p = mrn_posed_point(&c, k);
            most = fmax(most, hypot(p.x, p.y));
        }
        /* a pipe pushes from the side where the middle is */
        mrn_vec3 middle = mrn_axpy(0.5, mrn_posed_turn(&c, f.part[0].centre), x);
        int walls = hypot(middle.x, middle.y) < 2 ? 2 : 1;
        for (int thin = 0; thin < walls; thin++) {
            int n = meet(&c, thin ? &pipe : &drum, 0, 0.1, m);
            assert_int_equal(n > 0, 2 - most < 0.1);
            if (n > 0)
                assert_true(fabs(least_gap(m, n) - (2 - most)) <= 1e-4 + ROUNDING);
            for (int k = 0; k < n; k++) /* inwards */
                assert_true(m[k].normal.x * m[k].point.x + m[k].normal.y * m[k].point.y < 0);
        }
        check_corners(&c, &drum, 1, mrn_v3(0, 0, -3), mrn_v3(0, 0, 1), 0.5);
        check_corners(&c, &drum, 2, mrn_v3(0, 0, 3), mrn_v3(0, 0, -1), 0.5);
    }
    mrn_polytope_release(&f);
    /* a circle in 2D, and a rod that is a disk */
    hand h;
    hand_rectangle(&h, 0.5, 0.5);
    wall ring = cylinder(2, 2, 0, true, 0), rod = cylinder(2, 1, 0, false, 0);
    mrn_posed s = mrn_posed_make(&h.c, mrn_v3(0, -1.43, 0), mrn_quat_identity(), 1);
    assert_int_equal(meet(&s, &ring, 0, 0.05, m), 2);
    assert_float_equal(m[0].gap, 2 - hypot(0.5, 1.93), 1e-14);
    s.x = mrn_v3(0.2, 1.49, 0);
    assert_int_equal(meet(&s, &rod, 0, 0.05, m), 1);
    assert_float_equal(m[0].gap, -0.01, 1e-14);
    assert_float_equal(m[0].normal.y, 1, 1e-14);
    assert_float_equal(m[0].point.y, 0.995, 1e-14);
}

/* A cube that hangs in a hopper by its corners, and one that sits on the rim of a pipe. */
static void hopper_and_rim(void **state)
{
    (void)state;
    mrn_polytope f;
    mrn_posed c;
    mrn_contact_point m[MRN_NARROW_MAX];
    wall w = cone(0.2, 2.2, 1); /* 45 degrees */
    cube(&f, &c, mrn_v3(0, 0, 0.1), mrn_quat_identity());
    double gap = (1.2 + (0.1 - 0.5) - sqrt(0.5)) * sqrt(0.5);
    assert_int_equal(meet(&c, &w, 0, gap + 0.05, m), 4);
    for (int k = 0; k < 4; k++) {
        assert_float_equal(m[k].gap, gap, 1e-12);
        assert_float_equal(m[k].normal.z, sqrt(0.5), 1e-12);
    }
    wall pipe = cylinder(3, 0.3, 1, true, 3);
    c.x = mrn_v3(0.05, 0, 1.499);
    assert_int_equal(meet(&c, &pipe, 0, 0.05, m), 4);
    for (int k = 0; k < 4; k++) {
        assert_float_equal(m[k].gap, -0.001, 1e-12);
        assert_float_equal(m[k].normal.z, 1, 1e-12);
        assert_float_equal(hypot(m[k].point.x, m[k].point.y), 0.3, 1e-12);
    }
    mrn_polytope_release(&f);
}

/* ---- meshes ---- */

enum { GRID = 12 };

/* A flat floor of 2 GRID^2 triangles at z = 0 over [-3, 3]^2, its inner points moved about. */
static wall floor_mesh(mrn_rng *r)
{
    static double soup[2 * GRID * GRID * 9];
    mrn_vec3 p[GRID + 1][GRID + 1];
    for (int i = 0; i <= GRID; i++)
        for (int j = 0; j <= GRID; j++) {
            bool inner = i > 0 && i < GRID && j > 0 && j < GRID;
            double dx = inner ? uniform(r, -0.2, 0.2) : 0, dy = inner ? uniform(r, -0.2, 0.2) : 0;
            p[i][j] = mrn_v3(6.0 * (i + dx) / GRID - 3, 6.0 * (j + dy) / GRID - 3, 0);
        }
    int at = 0;
    for (int i = 0; i < GRID; i++)
        for (int j = 0; j < GRID; j++) {
            bool other = (i + j) % 2;
            mrn_vec3 a = p[i][j], b = p[i + 1][j], c = p[i + 1][j + 1], d = p[i][j + 1];
            mrn_vec3 t[6] = {a, b, other ? d : c, other ? b : a, c, d};
            if (j % 3 == 0) { /* both ways round: the normals do not agree */
                mrn_vec3 swap = t[0];
                t[0] = t[1];
                t[1] = swap;
            }
            for (int k = 0; k < 6; k++, at += 3)
                mrn_store3(soup + at, t[k]);
        }
    return mesh(soup, 2 * GRID * GRID);
}

/* All triangles together. */
static int meet_all(const mrn_posed *c, const wall *w, double alert, mrn_contact_point *m, int room)
{
    int n = 0;
    for (int t = 0; t < w->shape.mesh->n_triangles; t++) {
        assert_true(n + MRN_NARROW_MAX <= room);
        n += meet(c, w, t, alert, m + n);
    }
    return n;
}

static void compare_with_plane(const mrn_posed *c, const wall *floor, const wall *ground,
                               double alert)
{
    mrn_contact_point m[256], p[MRN_NARROW_MAX];
    int n = meet_all(c, floor, alert, m, 256), k = meet(c, ground, 0, alert, p), near = 0;
    for (int i = 0; i < c->shape->n_points; i++)
        near += mrn_posed_point(c, i).z < alert;
    /* four span what touches; of more a triangle leaves out those between the others it has */
    assert_true(n >= (k < 4 ? k : 4));
    assert_true(near > 3 || n == near || near == 3); /* three in a line are two */
    for (int i = 0; i < n; i++) {
        assert_float_equal(m[i].normal.z, 1, 1e-12);
        assert_true(m[i].feature < (uint32_t)c->shape->n_points);
        mrn_vec3 corner = mrn_posed_point(c, (int)m[i].feature);
        assert_float_equal(m[i].gap, corner.z, ROUNDING);
        for (int j = 0; j < i; j++)
            assert_true(m[i].feature != m[j].feature);
    }
    if (n > 0)
        assert_true(fabs(least_gap(m, n) - least_gap(p, k)) <= 0.001 * alert + ROUNDING);
}

static void flat_mesh_is_the_plane(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(44, 1);
    wall floor = floor_mesh(&r), ground = plane(3, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1), 0);
    mrn_polytope f = {0}, block;
    mrn_posed c;
    cube(&block, &c, mrn_v3(0, 0, 0), mrn_quat_identity());
    double size = c.scale;
    for (int64_t i = 0, n = fuzz_count(1000); i < n; i++) {
        double x = uniform(&r, -1.5, 1.5), y = uniform(&r, -1.5, 1.5), z = uniform(&r, -0.05, 0.05);
        double turn = uniform(&r, 0, 7), scale = uniform(&r, 0.1, 0.6);
        mrn_quat q = random_turn(&r);
        if (i % 20 == 0) {
            mrn_polytope_release(&f);
            stone(&f, (uint64_t)i, 0.4);
        }
        if (i % 3 > 0) { /* a cube lying flat, all four corners in play */
            c = mrn_posed_make(&block.part[0], mrn_v3(x, y, 0.5 + 0.2 * z), about_z(turn), size);
        } else {
            c = mrn_posed_make(&f.part[0], mrn_v3(x, y, 0), q, scale);
            c.x.z = z - brute_lowest(&c, mrn_v3(0, 0, 1));
        }
        compare_with_plane(&c, &floor, &ground, 0.02);
        mrn_overlap one, sum = {0}, part;
        bool any = mrn_overlap_wall(&c, &ground.shape, ground.x, ground.q, 0, &one);
        for (int t = 0; t < floor.shape.mesh->n_triangles; t++)
            if (mrn_overlap_wall(&c, &floor.shape, floor.x, floor.q, t, &part)) {
                sum.volume += part.volume;
                sum.area += part.area;
                sum.centre = mrn_axpy(part.volume, part.centre, sum.centre);
            }
        if (!any)
            continue;
        assert_float_equal(sum.volume, one.volume, 1e-13);
        assert_float_equal(sum.area, one.area, 1e-10);
        assert_float_equal(mrn_norm(mrn_axpy(-one.volume, one.centre, sum.centre)), 0, 1e-12);
    }
    mrn_polytope_release(&f);
    mrn_polytope_release(&block);
    mrn_shape_release(&floor.shape);
}

/* Corners exactly on edges and corners of the mesh: each belongs to one triangle. */
static void corners_on_edges(void **state)
{
    (void)state;
    const double square[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, -1, 0, 1, 1, 0, -1, 1, 0};
    wall w = mesh(square, 2);
    mrn_polytope f;
    mrn_posed c;
    cube(&f, &c, mrn_v3(0, 0, 0.499), mrn_quat_identity());
    mrn_contact_point m[64];
    for (int k = -4; k <= 4; k++) {
        c.x.x = c.x.y = 0.0625 * k; /* two corners on the diagonal */
        assert_int_equal(meet_all(&c, &w, 0.05, m, 64), 4);
        for (int i = 0; i < 4; i++) {
            assert_float_equal(m[i].gap, -0.001, 1e-13);
            assert_float_equal(m[i].normal.z, 1, 1e-13);
        }
    }
    mrn_polytope_release(&f);
    mrn_shape_release(&w.shape);
}

/* The surface of the box [-a, a] x [-b, b] x [-c, c] as 12 triangles. */
static wall box_mesh(double a, double b, double c)
{
    static const int face[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    double soup[12 * 9];
    int at = 0;
    for (int f = 0; f < 6; f++)
        for (int k = 0; k < 6; k++, at += 3) {
            int p = face[f][k < 3 ? k : (k - 1) % 4 == 2 ? 2 : k == 4 ? 3 : 0];
            mrn_store3(soup + at, mrn_v3(p & 1 ? a : -a, p & 2 ? b : -b, p & 4 ? c : -c));
        }
    return mesh(soup, 12);
}

/* The deepest point of a mesh box is that of the solid block where overlaps are small against both,
   with the same normal; nothing is missed. */
static void mesh_box_is_the_block(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(45, 1);
    wall hollow = box_mesh(1, 1.5, 2);
    wall block = box(3, mrn_v3(-1, -1.5, -2), mrn_v3(1, 1.5, 2), false, 0);
    assert_int_equal(hollow.shape.mesh->n_triangles, 12);
    mrn_polytope f = {0};
    int met = 0, same = 0, deep = 0, lost = 0;
    for (int64_t i = 0, n = fuzz_count(3000); i < n; i++) {
        if (i % 50 == 0) {
            mrn_polytope_release(&f);
            stone(&f, (uint64_t)i, uniform(&r, 0, 1));
        }
        mrn_vec3 way = mrn_unit(random_in(&r, 1)), x = mrn_scale(6, way);
        mrn_quat q = random_turn(&r);
        double want = uniform(&r, -0.01, 0.02), scale = uniform(&r, 0.4, 1.5), alert = 0.02;
        mrn_posed c = mrn_posed_make(&f.part[0], x, q, scale);
        mrn_contact_point b[MRN_NARROW_MAX], m[64];
        for (int k = 0; k < 30; k++) { /* down to the gap wanted */
            int found = meet(&c, &block, 0, 10, b);
            c.x = mrn_axpy(want - least_gap(b, found), b[0].normal, c.x);
        }
        int k = meet(&c, &block, 0, alert, b), j = meet_all(&c, &hollow, alert, m, 64);
        if (k == 0)
            continue;
        met++;
        if (j == 0) {
            lost++;
            continue;
        }
        /* the best normal of the block is among those of the mesh. Of two normals whose overlaps
           differ by less than a hundredth of alert either will do. */
        double least = least_gap(b, k);
        bool good = false;
        for (int p = 0; p < j; p++)
            good = good || (fabs(m[p].gap - least) < 0.011 * alert &&
                            (mrn_dot(m[p].normal, b[0].normal) > 0.99 || least < 0.011 * alert));
        same += good;
        deep += least - least_gap(m, j) > 0.5 * alert;
    }
    /* a mesh is thin, and each triangle knows its neighbours only: where a corner of the part is at
       a corner of the mesh, one in some thousands is stated a normal too many, and of 60,000 two
       have none */
    assert_true(same > 0.995 * met);
    assert_true(deep <= 0.0005 * met && lost <= 0.0001 * met);
    mrn_polytope_release(&f);
    mrn_shape_release(&hollow.shape);
}

/* Slivers, turned and tiny: an answer, finite. */
static void odd_triangles(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(46, 1);
    mrn_polytope f;
    stone(&f, 9, 0.5);
    for (int i = 0; i < 2000; i++) {
        double soup[9];
        for (int k = 0; k < 3; k++) {
            mrn_vec3 p = random_in(&r, 1);
            if (i % 4 == 0 && k == 2) /* needle */
                p = mrn_axpy(1e-6, p,
                             mrn_scale(0.5, mrn_add(mrn_load3(soup), mrn_load3(soup + 3))));
            mrn_store3(soup + 3 * k, i % 4 == 1 ? mrn_scale(1e-4, p) : p);
        }
        wall w = mesh(soup, 1);
        mrn_vec3 x = random_in(&r, 1);
        mrn_posed c = mrn_posed_make(&f.part[0], x, random_turn(&r), 0.7);
        mrn_contact_point m[MRN_NARROW_MAX];
        mrn_overlap o;
        if (i % 5 == 0)
            c.x = mrn_sub(mrn_add(c.x, mrn_load3(soup)), mrn_posed_point(&c, 0));
        meet(&c, &w, 0, 0.1, m);
        if (mrn_overlap_wall(&c, &w.shape, w.x, w.q, 0, &o))
            assert_true(isfinite(o.volume) && isfinite(o.centre.x) && o.volume > 0);
        mrn_shape_release(&w.shape);
    }
    mrn_polytope_release(&f);
}

/* ---- overlap ---- */

static void overlap_and_its_gradient(void **state)
{
    (void)state;
    mrn_rng r = mrn_rng_seed(47, 1);
    mrn_polytope f;
    stone(&f, 11, 0.5);
    int tried = 0;
    for (int i = 0; i < 500; i++) {
        mrn_vec3 at = random_in(&r, 1), n = mrn_unit(random_in(&r, 1)), x = random_in(&r, 0.5);
        wall w = plane(3, at, n, i % 2 ? 0.8 : 0);
        mrn_posed c =
            mrn_posed_make(&f.part[0], mrn_axpy(0.6, n, mrn_add(at, x)), random_turn(&r), 1);
        mrn_overlap o, lo, hi;
        if (!mrn_overlap_wall(&c, &w.shape, w.x, w.q, 0, &o) || o.volume < 1e-3)
            continue;
        tried++;
        double step = 1e-6;
        mrn_posed p = c, q = c;
        assert_float_equal(fabs(mrn_dot(o.normal, n)), 1, 1e-9);
        n = o.normal; /* a plate pushes from both sides */
        p.x = mrn_axpy(-step, n, c.x);
        q.x = mrn_axpy(step, n, c.x);
        assert_true(mrn_overlap_wall(&p, &w.shape, w.x, w.q, 0, &lo));
        assert_true(mrn_overlap_wall(&q, &w.shape, w.x, w.q, 0, &hi));
        /* central difference: error of order step^2, and 1e-16 / step of rounding */
        assert_float_equal((lo.volume - hi.volume) / (2 * step), o.area, 1e-7);
        assert_true(mrn_dot(n, mrn_sub(o.centre, at)) < 0);
    }
    assert_true(tried > 100);
    mrn_polytope_release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_on_a_plane),
        cmocka_unit_test(planes_and_containers),
        cmocka_unit_test(planes_in_2d),
        cmocka_unit_test(solid_blocks),
        cmocka_unit_test(over_the_end_of_a_plate),
        cmocka_unit_test(plates_in_2d),
        cmocka_unit_test(thin_boxes),
        cmocka_unit_test(rods_and_cones_from_outside),
        cmocka_unit_test(a_face_along_a_rod),
        cmocka_unit_test(containers_round),
        cmocka_unit_test(hopper_and_rim),
        cmocka_unit_test(flat_mesh_is_the_plane),
        cmocka_unit_test(corners_on_edges),
        cmocka_unit_test(mesh_box_is_the_block),
        cmocka_unit_test(odd_triangles),
        cmocka_unit_test(overlap_and_its_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
