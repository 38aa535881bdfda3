/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One grain: flight, bounces, sliding that becomes rolling, rest on a slope, spin about the normal.
 */
#include "world.h"
#include <stdlib.h>

#define G 9.81

static void begin(world *w, const char *law, double mu, double e)
{
    world_begin(w, 3, law, 2500, 1e9, 0.25);
    if (strcmp(law, "linear") == 0)
        world_law(w, "normal-stiffness", 1e5);
    world_law(w, "restitution", e);
    world_law(w, "friction", mu);
}

/* Velocity Verlet integrates a constant acceleration exactly: only round-off remains. Each of the n
   steps rounds position and velocity once to half a unit of the last place, and a rounding error of
   the velocity is carried through the time left: at most n eps (|x| + |v| t). */
static void free_flight(void **state)
{
    (void)state;
    world w;
    begin(&w, "linear", 0.5, 0.5);
    w.scene.gravity = mrn_v3(1, -2, -G);
    mrn_vec3 x0 = {0.1, 0.2, 3}, v0 = {4, -3, 5}, spin = {10, 20, -30};
    mrn_body b = world_grain(&w, 1e-2, x0, v0, spin);
    double h = 1e-3;
    int n = 1000;
    world_start(&w, h);
    world_steps(&w, n);
    double t = n * h, tol = n * 2.3e-16 * (10 + 15 * t);
    mrn_vec3 g = w.scene.gravity;
    mrn_vec3 x = mrn_axpy(0.5 * t * t, g, mrn_axpy(t, v0, x0)), v = mrn_axpy(t, g, v0);
    assert_close(w.state.time, t, 1e-15);
    assert_close(mrn_norm(mrn_sub(world_x(&w, b), x)), 0, tol);
    assert_close(mrn_norm(mrn_sub(world_v(&w, b), v)), 0, tol);
    /* nothing touches the spin: not one bit */
    assert_true(mrn_norm(mrn_sub(world_w(&w, b), spin)) == 0);
    world_end(&w);
}

/* The orientation turns by w t; the scheme's angle per step is 2 atan(w h / 2): relative error (w
 * h)^2 / 12. */
static void free_rotation(void **state)
{
    (void)state;
    world w;
    begin(&w, "linear", 0.5, 0.5);
    w.scene.gravity = mrn_v3(0, 0, 0);
    mrn_vec3 spin = {3, -4, 12};
    mrn_body b = world_grain(&w, 1e-2, mrn_v3(0, 0, 0), mrn_v3(0, 0, 0), spin);
    double h = 1e-4;
    world_start(&w, h);
    world_steps(&w, 10000);
    const double *q = w.state.body.q + 4 * mrn_body_index(&w.state, b);
    mrn_quat at = {q[0], q[1], q[2], q[3]}, exact = mrn_quat_from_rotation(spin);
    mrn_vec3 e = {1, 0, 0};
    double angle = mrn_norm(mrn_sub(mrn_rotate(at, e), mrn_rotate(exact, e)));
    assert_close(angle, 0, 1.1 * 13 * pow(13 * h, 2) / 12);
    assert_close(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-14);
    world_end(&w);
}

/* Heights of bounces: e^(2k) (h0 - R). Gravity acts during the contact too, which takes some of the
   height: of the order g t_c / v = 1e-3 per bounce here (measured: 7e-4); the restitution itself is
   obtained to 1e-4. */
static void bounces(void **state)
{
    (void)state;
    const char *laws[] = {"linear", "hertz-mindlin"};
    for (int l = 0; l < 2; l++) {
        world w;
        double e = 0.8, r = 5e-3, h0 = 0.03;
        begin(&w, laws[l], 0.3, e);
        if (l == 0)
            world_law(&w, "normal-stiffness", 2e6);
        w.scene.gravity = mrn_v3(0, 0, -G);
        world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
        mrn_body b = world_grain(&w, r, mrn_v3(0, 0, h0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
        world_start(&w, 1e-6);
        double top[6] = {0}, before = 0;
        int k = 0;
        for (int n = 0; n < 400000 && k < 3; n++) {
            world_steps(&w, 1);
            double v = world_v(&w, b).z;
            if (before > 0 && v <= 0) /* the true top is between: height error g h^2 / 2 */
                top[++k] = world_x(&w, b).z;
            before = v;
        }
        assert_int_equal(k, 3);
        for (k = 1; k <= 3; k++) {
            double exact = r + (h0 - r) * pow(e, 2 * k);
            print_message("bounce %d: top %.5f m, exact %.5f m\n", k, top[k], exact);
            assert_close((top[k] - r) / (exact - r), 1, k * 1.5e-3);
        }
        world_end(&w);
    }
}

/* A ball set on a plane at its equilibrium overlap, sliding without spin: friction mu m g until it
   rolls, after t = 2 u0 / (7 mu g) with 5/7 of its speed; then it keeps it. */
static void slide_to_roll(void **state)
{
    (void)state;
    const char *laws[] = {"linear", "hertz-mindlin"};
    for (int l = 0; l < 2; l++) {
        world w;
        double r = 5e-3, mu = 0.3, u0 = 0.1, k = 1e5, m = 2500 * 4.0 / 3 * MRN_PI * r * r * r;
        begin(&w, laws[l], mu, 0.5);
        w.scene.gravity = mrn_v3(0, 0, -G);
        double kh = 4.0 / 3 * 0.5 * 1e9 / (1 - 0.0625) * sqrt(r);
        double over = l == 0 ? m * G / k : pow(m * G / kh, 2.0 / 3);
        world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
        mrn_body b = world_grain(&w, r, mrn_v3(0, 0, r - over), mrn_v3(0.6 * u0, 0.8 * u0, 0),
                                 mrn_v3(0, 0, 0));
        double h = 2e-6, t_s = 2 * u0 / (7 * mu * G), seen = -1;
        world_start(&w, h);
        /* the speed at half time: sliding all along, u0 - mu g t. The spring is loaded within the
           first microseconds: mu m g / k_t / u0 of time, 1e-5 of t_s */
        while (w.state.time < 0.5 * t_s)
            world_steps(&w, 1);
        assert_close(mrn_norm(world_v(&w, b)), u0 - mu * G * w.state.time, 1e-3 * u0);
        for (int n = 0; n < 40000 && seen < 0; n++) {
            world_steps(&w, 1);
            if (w.state.sliding == 0)
                seen = w.state.time;
        }
        /* it first sticks when the slip velocity passes zero: within the time the spring takes to
         * unload */
        assert_close(mu * G * seen / u0, 2.0 / 7, 2e-3);
        world_steps(&w, 20000);
        /* the arm is shorter than r by the overlap, a relative 2e-5: u/(r w) too */
        mrn_vec3 v = world_v(&w, b), spin = world_w(&w, b);
        print_message(
            "slip to roll: mu g t/u0 = %.5f (2/7 = 0.28571), u/u0 = %.5f (5/7 = 0.71429)\n",
            mu * G * seen / u0, mrn_norm(v) / u0);
        assert_close(mrn_norm(v) / u0, 5.0 / 7, 1e-3);
        assert_close(v.x / v.y, 0.75, 1e-6);
        assert_close(spin.y * r / v.x, 1, 1e-3);
        assert_close(spin.x * r / v.y, -1, 1e-3);
        /* rolling keeps going: no rolling resistance, no loss. 5000 steps later the speed is the
           same; what remains of the spring's oscillation is damped */
        world_steps(&w, 5000);
        assert_close(mrn_norm(world_v(&w, b)) / mrn_norm(v), 1, 1e-5);
        world_end(&w);
    }
}

/* On a slope of angle a a sphere rolls without slip if tan a < 7/2 mu: acceleration 5/7 g sin a;
   steeper it slides with g (sin a - mu cos a) and spins up with 5/2 mu g cos a / r. */
static void slope(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        double a = k == 0 ? 0.3 : 1.0, mu = 0.2, r = 5e-3, stiff = 1e5;
        double m = 2500 * 4.0 / 3 * MRN_PI * r * r * r, over = m * G * cos(a) / stiff;
        world w;
        begin(&w, "linear", mu, 0.3);
        w.scene.gravity = mrn_v3(G * sin(a), 0, -G * cos(a));
        world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
        mrn_body b = world_grain(&w, r, mrn_v3(0, 0, r - over), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
        world_start(&w, 2e-6);
        world_steps(&w, 20000);
        mrn_vec3 v0 = world_v(&w, b), w0 = world_w(&w, b);
        double t0 = w.state.time;
        world_steps(&w, 20000);
        double t = w.state.time - t0;
        double acc = (world_v(&w, b).x - v0.x) / t, spin_up = (world_w(&w, b).y - w0.y) / t;
        bool rolls = tan(a) < 3.5 * mu;
        assert_int_equal(rolls, k == 0);
        /* arm r (1 - 2e-5), transients damped away: 1e-4 */
        assert_close(acc / (rolls ? 5.0 / 7 * G * sin(a) : G * (sin(a) - mu * cos(a))), 1, 1e-4);
        assert_close(spin_up / (rolls ? 5.0 / 7 * G * sin(a) / r : 2.5 * mu * G * cos(a) / r), 1,
                     1e-3);
        world_end(&w);
    }
}

/* Pressed into a corner of two planes with friction under its own weight, a sphere comes to rest on
   a slope and stays: no creep. Held sideways by a wall it would roll down: the wall's friction
   stops it. */
static void rest_in_corner(void **state)
{
    (void)state;
    world w;
    double r = 5e-3, a = 0.3;
    begin(&w, "hertz-mindlin", 0.5, 0.5);
    w.scene.gravity = mrn_v3(G * sin(a), 0, -G * cos(a));
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(-1, 0, 0));
    mrn_body b =
        world_grain(&w, r, mrn_v3(-r - 1e-6, 0, r + 1e-6), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    world_start(&w, 4e-6);
    world_steps(&w, 60000);
    mrn_vec3 x = world_x(&w, b);
    assert_true(mrn_norm(world_v(&w, b)) < 1e-9);
    world_steps(&w, 20000);
    assert_close(mrn_norm(mrn_sub(world_x(&w, b), x)), 0, 1e-10 * r);
    /* and the planes carry its weight: to 1e-6, as far as it is at rest */
    double m = w.state.body.mass[2];
    mrn_vec3 f = mrn_add(mrn_load3(w.state.body.f), mrn_load3(w.state.body.f + 3));
    assert_close(mrn_norm(mrn_sub(f, mrn_scale(m, w.scene.gravity))) / (m * G), 0, 1e-6);
    world_end(&w);
}

/* No law resists twisting: a sphere that spins about the normal keeps its spin to the last bit, and
 * does not move aside. */
static void normal_spin(void **state)
{
    (void)state;
    world w;
    double r = 5e-3;
    begin(&w, "hertz-mindlin", 0.5, 0.5);
    w.scene.gravity = mrn_v3(0, 0, -G);
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    mrn_body b = world_grain(&w, r, mrn_v3(0, 0, r - 1e-7), mrn_v3(0, 0, 0), mrn_v3(0, 0, 100));
    world_start(&w, 4e-6);
    world_steps(&w, 5000);
    assert_true(world_w(&w, b).z == 100);
    assert_true(world_w(&w, b).x == 0 && world_w(&w, b).y == 0);
    assert_true(world_x(&w, b).x == 0 && world_x(&w, b).y == 0);
    world_end(&w);
}

/* In two dimensions nothing leaves the plane and a disk has 1/2 m r^2: it rolls with 2/3 of its
 * speed. */
static void disk_rolls(void **state)
{
    (void)state;
    world w;
    double r = 5e-3, k = 1e6, m = 2500 * MRN_PI * r * r;
    world_begin(&w, 2, "linear", 2500, 1e9, 0.25);
    world_law(&w, "normal-stiffness", k);
    world_law(&w, "restitution", 0.5);
    world_law(&w, "friction", 0.3);
    w.scene.gravity = mrn_v3(0, -G, 0);
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 1, 0));
    mrn_body b =
        world_grain(&w, r, mrn_v3(0, r - m * G / k, 0), mrn_v3(0.1, 0, 0), mrn_v3(0, 0, 0));
    world_start(&w, 1e-5);
    world_steps(&w, 10000);
    assert_close(world_v(&w, b).x / 0.1, 2.0 / 3, 1e-3);
    assert_close(world_w(&w, b).z * r / world_v(&w, b).x, -1, 1e-3);
    assert_true(world_x(&w, b).z == 0 && world_v(&w, b).z == 0);
    assert_true(world_w(&w, b).x == 0 && world_w(&w, b).y == 0);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_flight), cmocka_unit_test(free_rotation),
        cmocka_unit_test(bounces),     cmocka_unit_test(slide_to_roll),
        cmocka_unit_test(slope),       cmocka_unit_test(rest_in_corner),
        cmocka_unit_test(normal_spin), cmocka_unit_test(disk_rolls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
