/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ball as a wall: distances on both sides, contact points of cubes against closed forms, a
   sphere that slides in it as a pendulum, cubes thrown about in and at it, and a mixture of all
   grains at rest in it. */
#include "geom/narrow_wall.h"
#include "nonsmooth/kit.h"
#include "smooth/polytope_world.h"

static mrn_wall_def ball_def(double radius, bool inside)
{
    mrn_message msg = {0};
    mrn_wall_def d = mrn_wall_default("ball");
    ok(mrn_wall_set_vector(&d, "centre", mrn_v3(0, 0, 0), &msg), &msg);
    ok(mrn_wall_set(&d, "radius", radius, &msg), &msg);
    ok(mrn_wall_set(&d, "inside", inside, &msg), &msg);
    return d;
}

static void add_ball(world *w, double radius, bool inside)
{
    mrn_wall_def d = ball_def(radius, inside);
    world_wall(w, &d);
}

static mrn_shape ball_of(double radius, bool inside)
{
    mrn_wall_def d = ball_def(radius, inside);
    mrn_shape s;
    mrn_vec3 x;
    mrn_quat q;
    mrn_message msg = {0};
    ok(mrn_shape_type_find("ball")->build(d.value, 3, &s, &x, &q, &msg), &msg);
    return s;
}

static void distances(void **state)
{
    (void)state;
    mrn_vec3 point, normal;
    for (int inside = 0; inside < 2; inside++) {
        mrn_shape s = ball_of(0.05, inside);
        double side = inside ? -1 : 1;
        assert_close(s.type->closest(&s, 0, mrn_v3(0.04, 0, 0), &point, &normal), -side * 0.01,
                     1e-15);
        assert_close(point.x, 0.05, 1e-15);
        assert_close(normal.x, side, 1e-15);
        assert_close(s.type->closest(&s, 0, mrn_v3(0, 0.06, 0), &point, &normal), side * 0.01,
                     1e-15);
        assert_close(normal.y, side, 1e-15);
        s.type->closest(&s, 0, mrn_v3(0, 0, 0), &point, &normal); /* any direction, but one */
        assert_close(mrn_norm(normal), 1, 1e-15);
        assert_close(s.type->curvature(&s, point, normal), side * 20, 1e-12);
    }
    mrn_value value[MRN_PARAM_MAX] = {0};
    mrn_shape s;
    mrn_vec3 x;
    mrn_quat q;
    mrn_message msg = {0};
    assert_int_equal(mrn_shape_type_find("ball")->build(value, 2, &s, &x, &q, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "3D"));
}

/* Distance of the origin from a cube of half side a about x with axes m (columns): outside the
   clamped point, inside minus the way to the nearest face. */
static double from_cube(const mrn_posed *c, double a)
{
    mrn_vec3 y = mrn_posed_unturn(c, mrn_scale(-1, c->x));
    double d[3] = {fabs(y.x) - a, fabs(y.y) - a, fabs(y.z) - a}, out = 0, most = -INFINITY;
    for (int k = 0; k < 3; k++) {
        out += d[k] > 0 ? d[k] * d[k] : 0;
        most = fmax(most, d[k]);
    }
    return most > 0 ? sqrt(out) : most;
}

/* From within the deepest point is the corner farthest from the centre, from outside the gap is the
   distance of the centre from the cube less the radius: both in closed form. Rounding alone: sizes
   about 1. */
static void points_of_cubes(void **state)
{
    (void)state;
    mrn_polytope cube = regular_polytope("cube");
    const mrn_convex *part = &cube.part[0];
    double a = part->plane[3];
    mrn_rng rng = mrn_rng_seed(9, 0);
    int met[2] = {0, 0};
    for (int k = 0; k < 2000; k++) {
        bool inside = k % 2 == 0;
        mrn_shape s = ball_of(2, inside);
        mrn_vec3 e = mrn_v3(mrn_rng_uniform(&rng) - 0.5, mrn_rng_uniform(&rng) - 0.5,
                            mrn_rng_uniform(&rng) - 0.5);
        mrn_vec3 turn = mrn_v3(6 * mrn_rng_uniform(&rng), mrn_rng_uniform(&rng), 0.3);
        double reach = inside ? 2 * mrn_rng_uniform(&rng) : 2 + 3 * mrn_rng_uniform(&rng);
        mrn_posed c =
            mrn_posed_make(part, mrn_scale(reach, mrn_unit(e)), mrn_quat_from_rotation(turn), 0.8);
        double gap = from_cube(&c, 0.8 * a) - 2, alert = 0.2;
        for (int i = 0; inside && i < part->n_points; i++)
            gap = fmin(i == 0 ? INFINITY : gap, 2 - mrn_norm(mrn_posed_point(&c, i)));
        mrn_contact_point m[MRN_NARROW_MAX];
        int n = mrn_narrow_wall(&c, &s, mrn_v3(0, 0, 0), mrn_quat_identity(), 0, alert, m);
        assert_int_equal(n > 0, gap < alert);
        double least = INFINITY;
        for (int i = 0; i < n; i++) {
            least = fmin(least, m[i].gap);
            assert_true(m[i].touch && (inside || n == 1));
            assert_close(mrn_norm(m[i].normal), 1, 1e-12);
            /* half-way between the surfaces, the normal along the radius */
            double r = mrn_norm(m[i].point);
            assert_close(r, 2 + (inside ? -0.5 : 0.5) * m[i].gap, 1e-12);
            assert_close(mrn_dot(m[i].normal, m[i].point) / r, inside ? -1 : 1, 1e-12);
        }
        if (n > 0)
            assert_close(least, gap, 1e-12);
        met[inside] += n > 0;
    }
    assert_true(met[0] > 100 && met[1] > 100);
    mrn_polytope_release(&cube);
}

/* A pendulum of length R - r swung by 0.02 rad: period 2 pi sqrt(l/g) (1 + angle^2/16), and the
   sphere bounces on its own weight's overlap, m g / k ~ 1e-8 of l. After half a period it is
   across: asked within 1e-3 of the swing. */
static void pendulum(void **state)
{
    (void)state;
    world w;
    world_begin(&w, 3, "linear", 2500, 1e7, 0.2);
    world_law(&w, "normal-stiffness", 1e5);
    world_law(&w, "restitution", 1);
    world_law(&w, "friction", 0);
    add_ball(&w, 0.05, true);
    double r = 0.005, l = 0.05 - r, angle = 0.02;
    w.scene.gravity = mrn_v3(0, 0, -9.81);
    mrn_body b = world_grain(&w, r, mrn_v3(l * sin(angle), 0, -l * cos(angle)), mrn_v3(0, 0, 0),
                             mrn_v3(0, 0, 0));
    double half = MRN_PI * sqrt(l / 9.81) * (1 + angle * angle / 16);
    world_start(&w, half / 20000);
    world_steps(&w, 20000);
    assert_close(world_x(&w, b).x, -l * sin(angle), 1e-3 * l * angle);
    world_end(&w);
}

/* A cube thrown about in the ball, and between the ball and a larger one: it stays where it may be,
   and keeps its energy to 1 % over some impacts (cf. containers in smooth/polytopes: the
   tangent plane of an obstacle is a gradient only nearly). */
static void cubes_thrown_about(void **state)
{
    (void)state;
    for (int solid = 0; solid < 2; solid++) {
        double l = 0.05, r = 0.006;
        world w;
        mrn_polytope cube = regular_polytope("cube");
        polytope_world(&w, 3, 1, &cube);
        world_law(&w, "normal-stiffness", 1e5);
        add_ball(&w, l, true);
        if (solid)
            add_ball(&w, 0.02, false);
        mrn_body b = polytope_add(&w, 0, r, mrn_v3(0.033, 0.005, 0), mrn_quat_identity());
        polytope_move(&w, b, mrn_v3(-0.5, 0.4, 0.3), mrn_v3(10, 20, -10));
        double h = 5e-6; /* sqrt(m/k) is 1.5e-4 s, of an edge a quarter of it */
        world_start(&w, h);
        double e0 = mechanical(&w);
        int met = 0;
        for (int k = 0; k < 200; k++) {
            mrn_vec3 v = world_v(&w, b);
            world_steps(&w, (int64_t)(0.6 / (200 * h)));
            met += mrn_norm(mrn_sub(world_v(&w, b), v)) > 1e-3;
            double at = mrn_norm(world_x(&w, b));
            assert_true(at < l && (!solid || at > 0.02));
        }
        assert_true(met > 5);
        assert_close(mechanical(&w) / e0, 1, 1e-2);
        world_end(&w);
    }
}

/* Spheres, dimers and cubes fall into the ball and onto a solid one in it, rigid and with friction:
   after a second they lie still, all inside, the energy accounted for to rounding. */
static void mixture_at_rest(void **state)
{
    (void)state;
    static const char text[] =
        "moraine: 1\ndimension: 3\nseed: 2\nmethod: nonsmooth\n"
        "materials: {m: {density: 2500 kg/m3}}\n"
        "interactions: [{between: any, law: rigid, friction: 0.5}]\n"
        "bodies:\n"
        "  - {name: cubes, shape: {polyhedron: {regular: cube, diameter: 1 cm}}, count: 6,\n"
        "     place: {fill: {box: [[-2.5 cm, -2.5 cm, 0], [2.5 cm, 2.5 cm, 3 cm]]}}}\n"
        "  - {name: spheres, shape: {sphere: {diameter: 1 cm}}, count: 6,\n"
        "     place: {fill: {box: [[-2.5 cm, -2.5 cm, 0], [2.5 cm, 2.5 cm, 3 cm]]}}}\n"
        "  - {name: dimers, shape: {cluster: {of: dimer, diameter: 1 cm}}, count: 6,\n"
        "     place: {fill: {box: [[-2.5 cm, -2.5 cm, 0], [2.5 cm, 2.5 cm, 3 cm]]}}}\n"
        "walls:\n"
        "  - {name: mill, ball: {centre: [0, 0, 0], radius: 5 cm}}\n"
        "  - {name: stone, ball: {centre: [0, 0, -3.5 cm], radius: 1 cm, inside: false}}\n"
        "gravity: [0, 0, -9.81 m/s2]\ntime-step: 0.5 ms\n"
        "stages: [{name: fall, damping: {global: 2 1/s}, until: {time: 1 s}}]\n";
    rig w;
    rig_begin(&w, text, 5e-4);
    rig_step(&w, 2000);
    const mrn_bodies *b = &w.state.body;
    for (int32_t i = b->n_walls; i < b->n; i++) {
        mrn_vec3 x = mrn_load3(b->x + 3 * (size_t)i), v = mrn_load3(b->v + 3 * (size_t)i);
        assert_true(mrn_norm(x) < 0.05);
        assert_true(mrn_norm(mrn_sub(x, mrn_v3(0, 0, -0.035))) > 0.01);
        assert_true(mrn_norm(v) < 0.05);
    }
    rig_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances), cmocka_unit_test(points_of_cubes), cmocka_unit_test(pendulum),
        cmocka_unit_test(cubes_thrown_about), cmocka_unit_test(mixture_at_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
