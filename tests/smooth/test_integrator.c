/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The integrators: orders on smooth motion, what remains at impacts, large size ratios, straining
   cells, damping and loads in the account. */
#include "smooth/cluster_world.h"

static const char *const name_of[] = {
    [MRN_VERLET] = "Verlet", [MRN_EULER] = "Euler", [MRN_GEAR] = "Gear"};
/* Orders to be found: 1, 2, and at least 3.5. */
static const double least[] = {[MRN_VERLET] = 1.9, [MRN_EULER] = 0.9, [MRN_GEAR] = 3.5};
static const double most[] = {[MRN_VERLET] = 2.1, [MRN_EULER] = 1.1, [MRN_GEAR] = 5.5};

static void check_order(mrn_integrator integrator, double coarse, double fine)
{
    double order = log2(coarse / fine);
    if (!(order > least[integrator] && order < most[integrator]))
        fail_msg("%s is of order %.3f (errors %.3g and %.3g)", name_of[integrator], order, coarse,
                 fine);
}

/* ---- smooth motion ---- */

/* A ball held between two walls so tightly that it never leaves either: a damped oscillator with
   twice the stiffness and twice the dashpot. Returns how far off it is after 1.3 periods. */
static double oscillator_error(mrn_integrator integrator, int steps_per_period, double dashpot)
{
    world w;
    double r = 1e-2, k = 1e4, squeeze = 1e-3;
    world_begin(&w, 3, "linear", 2500, 0, 0.25);
    world_law(&w, "normal-stiffness", k);
    world_law(&w, "normal-damping", dashpot);
    world_law(&w, "friction", 0);
    w.scene.gravity = mrn_v3(0, 0, 0);
    w.scene.integrator = integrator;
    world_plane(&w, mrn_v3(0, 0, -r + squeeze), mrn_v3(0, 0, 1));
    world_plane(&w, mrn_v3(0, 0, r - squeeze), mrn_v3(0, 0, -1));
    double v0 = 0.1, x0 = 1e-4;
    mrn_body b = world_grain(&w, r, mrn_v3(0, 0, x0), mrn_v3(0, 0, v0), mrn_v3(0, 0, 0));
    double m = w.state.body.mass[mrn_body_index(&w.state, b)];
    double gamma = dashpot / m, omega = sqrt(2 * k / m - gamma * gamma);
    double h = 2 * MRN_PI / omega / steps_per_period;
    int n = (int)lround(1.3 * steps_per_period);
    world_start(&w, h);
    world_steps(&w, n);
    double t = n * h;
    double x = exp(-gamma * t) * (x0 * cos(omega * t) + (v0 + gamma * x0) / omega * sin(omega * t));
    double error = fabs(world_x(&w, b).z - x) / (v0 / omega);
    world_end(&w);
    return error;
}

static void oscillator(void **state)
{
    (void)state;
    for (int i = MRN_VERLET; i <= MRN_GEAR; i++)
        for (int damped = 0; damped < 2; damped++) {
            int n = i == MRN_EULER ? 8000 : 160;
            double coarse = oscillator_error(i, n, damped ? 0.5 : 0);
            double fine = oscillator_error(i, 2 * n, damped ? 0.5 : 0);
            check_order(i, coarse, fine);
        }
}

/* A free top: orientation after a given time against one with far smaller steps. */
static mrn_quat top_after(mrn_integrator integrator, double h, int64_t steps)
{
    world w;
    cluster_world(&w, 3, 4, cross_centre, cross_radius);
    w.scene.integrator = integrator;
    mrn_body b = cluster_add(&w, 0.01, mrn_v3(0, 0, 0), mrn_v3(0, 0, 0), mrn_v3(30, 100, 50),
                             mrn_quat_identity());
    world_start(&w, h);
    world_steps(&w, steps);
    mrn_quat q = mrn_load_quat(w.state.body.q + 4 * (size_t)mrn_body_index(&w.state, b));
    world_end(&w);
    return q;
}

static double angle_between(mrn_quat a, mrn_quat b)
{
    mrn_quat d = mrn_quat_mul(mrn_quat_conj(a), b);
    return 2 * sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
}

static void top(void **state)
{
    (void)state;
    mrn_quat exact = top_after(MRN_GEAR, 1e-5, 2000);
    for (int i = MRN_VERLET; i <= MRN_GEAR; i++) {
        double h = i == MRN_EULER ? 2e-5 : 4e-4;
        double coarse = angle_between(top_after(i, h, lround(0.02 / h)), exact);
        double fine = angle_between(top_after(i, h / 2, lround(0.04 / h)), exact);
        check_order(i, coarse, fine);
    }
}

/* ---- impacts ---- */

/* Speed after an impact with a wall over that before, for a first touch between two steps. */
static double rebound(mrn_integrator integrator, int steps_in_contact, double dashpot, double phase)
{
    world w;
    double r = 1e-2, k = 1e4, v = 0.1, m = 2500 * 4.0 / 3 * MRN_PI * r * r * r;
    double h = MRN_PI * sqrt(m / k) / steps_in_contact;
    world_begin(&w, 3, "linear", 2500, 0, 0.25);
    world_law(&w, "normal-stiffness", k);
    world_law(&w, "normal-damping", dashpot);
    world_law(&w, "friction", 0);
    w.scene.gravity = mrn_v3(0, 0, 0);
    w.scene.integrator = integrator;
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    mrn_body b = world_grain(&w, r, mrn_v3(0, 0, r + (5 + phase) * h * v), mrn_v3(0, 0, -v),
                             mrn_v3(0, 0, 0));
    world_start(&w, h);
    world_steps(&w, steps_in_contact + 20);
    double e = world_v(&w, b).z / v;
    world_end(&w);
    return e;
}

/* The worst over ten phases. */
static double impact_error(mrn_integrator integrator, int steps_in_contact, double dashpot,
                           double exact)
{
    double worst = 0;
    for (int k = 0; k < 10; k++)
        worst = fmax(worst,
                     fabs(rebound(integrator, steps_in_contact, dashpot, 0.1 * k + 0.05) - exact));
    return worst;
}

/* What remains at impacts. An elastic force has a kink at touch, and what goes wrong there comes
   back at departure: the speed is of third order or better with Verlet and Gear. A dashpot makes
   the force jump at touch, and where between two steps that happens is felt to an order between
   one and two whatever the method (5e-4 of the speed with Verlet, 1e-4 with Gear and 50 steps in a
   contact). Explicit Euler creates energy in proportion to the step: 10 % of the speed. */
static void impacts(void **state)
{
    (void)state;
    for (int i = MRN_VERLET; i <= MRN_GEAR; i++) {
        double coarse = impact_error(i, 50, 0, 1), fine = impact_error(i, 100, 0, 1);
        double order = log2(coarse / fine);
        assert_true(i == MRN_EULER ? order > 0.8 && order < 1.2 : order > 2.5);
        assert_true(i == MRN_EULER ? coarse > 0.05 : coarse < 1e-4);
    }
    double exact = rebound(MRN_VERLET, 50000, 2, 0.5);
    for (int i = MRN_VERLET; i <= MRN_GEAR; i++) {
        double coarse = impact_error(i, 50, 2, exact), fine = impact_error(i, 200, 2, exact);
        assert_true(0.5 * log2(coarse / fine) > 0.8);
        assert_true(coarse < (i == MRN_EULER ? 0.1 : 1e-3));
    }
}

/* ---- large size ratios ---- */

/* A small ball slides on a large one that lies on the floor (Vyas et al., arXiv:2410.14798, report
   that velocities half a step old in the friction law make such a ball shake and even move against
   the force). On so large a ball the ground is flat: friction takes 2/7 of the speed in
   2 v / (7 mu g), then it rolls and nothing more happens. */
static void size_ratio(double ratio)
{
    world w;
    double r = 1e-4, big = ratio * r, k = 1e4, mu = 0.5, v0 = 0.01, g = 9.81;
    world_begin(&w, 3, "linear", 2500, 0, 0.25);
    world_law(&w, "normal-stiffness", k);
    world_law(&w, "normal-damping", 2e-3);
    world_law(&w, "friction", mu);
    w.scene.gravity = mrn_v3(0, 0, -g);
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    double m = 2500 * 4.0 / 3 * MRN_PI * r * r * r, heavy = m * ratio * ratio * ratio;
    double floor = big - (m + heavy) * g / k, top = floor + big + r - m * g / k;
    mrn_body a = world_grain(&w, big, mrn_v3(0, 0, floor), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    mrn_body b = world_grain(&w, r, mrn_v3(0, 0, top), mrn_v3(v0, 0, 0), mrn_v3(0, 0, 0));
    world_start(&w, 0.1 * sqrt(m / k));
    double stop = 2 * v0 / (7 * mu * g), last = v0, shake = 0;
    int64_t n = (int64_t)(stop / w.state.h);
    for (int64_t step = 0; step < 2 * n; step += n / 50) {
        world_steps(&w, n / 50);
        /* velocity of the surfaces relative to each other */
        double u =
            world_v(&w, b).x - r * world_w(&w, b).y - world_v(&w, a).x - big * world_w(&w, a).y;
        shake = fmax(shake, u - last); /* slip only dies down */
        last = u;
        if (step < 9 * n / 10)
            assert_close(u, v0 - 3.5 * mu * g * w.state.time, 0.02 * v0);
        else if (step > 11 * n / 10)
            assert_close(u, 0, 5e-3 * v0);
    }
    assert_true(shake < 5e-3 * v0);
    assert_close(world_v(&w, b).x, 5.0 / 7 * v0, 0.01 * v0);
    assert_close(world_v(&w, b).y, 0, 1e-9 * v0);
    mrn_energies e = mrn_measure_energies(&w.scene, &w.state);
    /* of the energy that friction took, 1/7 of the motion */
    assert_close(w.state.ledger.lost_tangential, m * v0 * v0 / 7, 0.02 * m * v0 * v0 / 7);
    assert_close(e.residual, 0, 0.02 * m * v0 * v0 / 7);
    world_end(&w);
}

static void size_ratios(void **state)
{
    (void)state;
    size_ratio(20);
    size_ratio(100);
}

/* ---- cells, damping, loads ---- */

/* Free particles in a cell that shrinks and shears: dv/dt = -L v. Their energy grows by just what
   the cell's work says. 1e-5: second order, rates of 0.01 per step. */
static void ideal_gas(void **state)
{
    (void)state;
    for (int i = MRN_VERLET; i <= MRN_GEAR; i++) {
        world w;
        world_begin(&w, 3, "linear", 2500, 0, 0.25);
        world_law(&w, "normal-stiffness", 1e4);
        world_law(&w, "normal-damping", 0);
        w.scene.gravity = mrn_v3(0, 0, 0);
        w.scene.integrator = i;
        for (int k = 0; k < 3; k++)
            world_periodic(&w, k, 0, 1);
        w.scene.cell.control.target[MRN_XX] = mrn_signal_constant(-0.5);
        w.scene.cell.control.target[MRN_ZZ] = mrn_signal_constant(-0.2);
        w.scene.cell.control.target[MRN_XY] = mrn_signal_constant(0.7);
        mrn_body b =
            world_grain(&w, 1e-3, mrn_v3(0.2, 0.5, 0.5), mrn_v3(0.3, 0.4, 0.5), mrn_v3(0, 0, 0));
        mrn_body c =
            world_grain(&w, 1e-3, mrn_v3(0.7, 0.1, 0.2), mrn_v3(-0.3, -0.2, 0.1), mrn_v3(0, 0, 0));
        world_start(&w, 1e-3);
        world_steps(&w, 1000);
        mrn_vec3 v = world_v(&w, b);
        double loose = i == MRN_EULER ? 1e-3 : 1e-6;
        /* vx' = 0.5 vx - 0.7 vy with vy constant */
        assert_close(v.x, 1.4 * 0.4 + (0.3 - 1.4 * 0.4) * exp(0.5), loose);
        assert_close(v.y, 0.4, 1e-12);
        assert_close(v.z, 0.5 * exp(0.2), loose);
        /* x in the unstrained cell: dx/dt = v + L x; z is enough */
        double z = 0.5 * exp(-0.2) + 0.5 * (exp(0.2) - exp(-0.2)) / 0.4;
        double size = w.state.cell_size[2];
        assert_close(remainder(world_x(&w, b).z - z, size), 0, i == MRN_EULER ? 2e-3 : 1e-4);
        (void)c;
        mrn_energies e = mrn_measure_energies(&w.scene, &w.state);
        assert_true(fabs(w.state.ledger.cell_work) > 0.05 * e.kinetic);
        assert_close(e.residual / e.kinetic, 0, i == MRN_EULER ? 1e-3 : 1e-6);
        world_end(&w);
    }
}

/* Weight in a cell that strains: dv/dt = g - L v, and the account closes though bodies also go down
   with the cell. That part of it is of first order in the step: 1.3e-4 of the motion here, half of
   it with half the step. */
static void weight_in_a_straining_cell(void **state)
{
    (void)state;
    for (int i = MRN_VERLET; i <= MRN_GEAR; i++) {
        world w;
        world_begin(&w, 3, "linear", 2500, 0, 0.25);
        world_law(&w, "normal-stiffness", 1e4);
        world_law(&w, "normal-damping", 0);
        w.scene.gravity = mrn_v3(0.3, 0, -2);
        w.scene.integrator = i;
        for (int k = 0; k < 3; k++)
            world_periodic(&w, k, 0, 1);
        w.scene.cell.control.target[MRN_ZZ] = mrn_signal_constant(-0.4);
        mrn_body b =
            world_grain(&w, 1e-3, mrn_v3(0.2, 0.5, 0.5), mrn_v3(0.3, 0.4, 0.5), mrn_v3(0, 0, 0));
        world_start(&w, 1e-3);
        world_steps(&w, 500);
        mrn_vec3 v = world_v(&w, b);
        double loose = i == MRN_EULER ? 2e-3 : 1e-6;
        /* vz' = 0.4 vz - 2 */
        assert_close(v.z, 5 + (0.5 - 5) * exp(0.2), loose);
        assert_close(v.x, 0.3 + 0.3 * 0.5, 1e-9);
        mrn_energies e = mrn_measure_energies(&w.scene, &w.state);
        assert_close(e.residual / e.kinetic, 0, i == MRN_EULER ? 1e-2 : 2e-4);
        world_end(&w);
    }
}

/* Global damping lets velocity and spin of anything die down at its rate; the account says where
   the energy went. */
static void global_damping(void **state)
{
    (void)state;
    world w;
    cluster_world(&w, 3, 4, cross_centre, cross_radius);
    w.scene.gravity = mrn_v3(0, 0, 0);
    w.scene.damping.global = 3;
    mrn_body b = cluster_add(&w, 1e-2, mrn_v3(0, 0, 0), mrn_v3(1, 2, 3), mrn_v3(10, 20, 30),
                             mrn_quat_identity());
    world_start(&w, 1e-4);
    mrn_vec3 l0 = momentum_of(&w, b);
    double e0 = mrn_measure_energies(&w.scene, &w.state).total;
    world_steps(&w, 5000);
    double left = exp(-1.5);
    assert_close(world_v(&w, b).z, 3 * left, 1e-6);
    assert_close(mrn_norm(mrn_sub(momentum_of(&w, b), mrn_scale(left, l0))) / mrn_norm(l0), 0,
                 1e-6);
    mrn_energies e = mrn_measure_energies(&w.scene, &w.state);
    assert_close(e.residual / e0, 0, 1e-6);
    assert_close(w.state.ledger.lost_damping / e0, 1 - left * left, 1e-3);
    world_end(&w);
}

/* Local damping takes its share of a driving force and adds it to a braking one: a ball thrown up
   rises with (1 + a) g and falls with (1 - a) g. */
static void local_damping(void **state)
{
    (void)state;
    world w;
    world_begin(&w, 3, "linear", 2500, 0, 0.25);
    world_law(&w, "normal-stiffness", 1e4);
    world_law(&w, "normal-damping", 0);
    w.scene.gravity = mrn_v3(0, 0, -10);
    w.scene.damping.local = 0.6;
    mrn_body b = world_grain(&w, 1e-3, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1.6), mrn_v3(0, 0, 0));
    world_start(&w, 1e-4);
    world_steps(&w, 1000); /* 0.1 s: at the top */
    assert_close(world_v(&w, b).z, 0, 2e-3);
    world_steps(&w, 1000);
    assert_close(world_v(&w, b).z, -0.4, 2e-3);
    mrn_energies e = mrn_measure_energies(&w.scene, &w.state);
    double m = w.state.body.mass[mrn_body_index(&w.state, b)];
    assert_close(e.residual, 0, 2e-3 * 0.5 * m * 1.6 * 1.6);
    world_end(&w);
}

/* Force, torque and acceleration on the bodies of a group; their work is in the account. */
static void loads(void **state)
{
    (void)state;
    world w;
    cluster_world(&w, 3, 2, bell_centre, bell_radius);
    w.scene.gravity = mrn_v3(0, 0, 0);
    mrn_body b = cluster_add(&w, 1e-2, mrn_v3(0, 0, 0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0),
                             mrn_quat_identity());
    mrn_body_force push = {.force[0] = mrn_signal_constant(2e-2),
                           .torque[2] = mrn_signal_constant(1e-5)};
    mrn_body_force wind = {.per_mass = true, .force[1] = mrn_signal_constant(3)};
    ok(mrn_scene_add_force(&w.scene, "push", NULL, &push, &w.msg), &w.msg);
    ok(mrn_scene_add_force(&w.scene, "wind", "things", &wind, &w.msg), &w.msg);
    world_start(&w, 1e-4);
    world_steps(&w, 1000);
    int32_t i = mrn_body_index(&w.state, b);
    double m = w.state.body.mass[i], t = 0.1;
    mrn_vec3 moments = mrn_principal_moments(&w.scene, &w.state.body, i);
    assert_close(world_v(&w, b).x / (2e-2 / m * t), 1, 1e-9);
    assert_close(world_v(&w, b).y, 0.3, 1e-9);
    assert_close(world_w(&w, b).z / (1e-5 / moments.z * t), 1, 1e-9);
    mrn_energies e = mrn_measure_energies(&w.scene, &w.state);
    assert_true(w.state.ledger.drive_work > 0);
    assert_close(e.residual / e.kinetic, 0, 1e-9);
    world_end(&w);
}

/* ---- Gear's memory ---- */

static void gear_begin(world *w)
{
    world_begin(w, 3, "linear", 2500, 0, 0.25);
    world_law(w, "normal-stiffness", 1e4);
    world_law(w, "normal-damping", 0.5);
    world_law(w, "friction", 0.5);
    w->scene.gravity = mrn_v3(0, 0, -9.81);
    w->scene.integrator = MRN_GEAR;
    world_plane(w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    for (int k = 0; k < 12; k++)
        world_grain(w, 1e-2, mrn_v3(1.9e-2 * (k % 3), 2.1e-2 * (k / 3 % 2), 1e-2 + 2e-2 * (k / 6)),
                    mrn_v3(0.1, 0, -0.1), mrn_v3(0, 5, 0));
    world_start(w, 1e-5);
}

/* A copy taken up half-way has the same bits: derivatives travel with the state. Bodies may go. */
static void gear_memory(void **state)
{
    (void)state;
    world w, o;
    gear_begin(&w);
    gear_begin(&o);
    assert_non_null(w.state.body.derivs);
    world_steps(&w, 300);
    world_steps(&o, 300);
    mrn_state copy = {0};
    ok(mrn_state_copy(&w.state, &copy, &w.msg), &w.msg);
    mrn_smooth_destroy(&w.engine);
    mrn_state_destroy(&w.state);
    w.state = copy;
    ok(mrn_smooth_create(&w.scene, &w.state, &w.engine, &w.msg), &w.msg);
    world_steps(&w, 300);
    world_steps(&o, 300);
    assert_true(mrn_state_hash(&w.state) == mrn_state_hash(&o.state));
    ok(mrn_body_remove(&w.state, mrn_body_handle(&w.state, 4), &w.msg), &w.msg);
    world_steps(&w, 100);
    world_grain(&w, 1e-2, mrn_v3(0, 0, 0.2), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    world_steps(&w, 100);
    assert_true(isfinite(mrn_measure_energies(&w.scene, &w.state).total));
    world_end(&w);
    world_end(&o);
}

/* Whatever allocation fails while an engine with clusters and Gear's method is made or goes on,
   nothing is lost and nothing leaks; calling again succeeds. */
static void no_memory(void **state)
{
    (void)state;
    world w;
    cluster_world(&w, 3, 4, cross_centre, cross_radius);
    w.scene.integrator = MRN_GEAR;
    w.scene.gravity = mrn_v3(0, 0, -9.81);
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    for (int k = 0; k < 6; k++)
        cluster_add(&w, 1e-3, mrn_v3(3.5e-3 * k, 0, 2e-3), mrn_v3(0, 0, -1), mrn_v3(0, 0, 0),
                    mrn_quat_from_rotation(mrn_v3(k, 1, 2)));
    ok(mrn_scene_prepare(&w.scene, &w.msg), &w.msg);
    w.state.h = 1e-6;
    mrn_status st = MRN_ERR_MEMORY;
    for (int k = 1; st != MRN_OK && k < 500; k++) {
        mrn_alloc_fail_at(k);
        st = mrn_smooth_create(&w.scene, &w.state, &w.engine, &w.msg);
        mrn_alloc_fail_at(0);
        assert_true(st == MRN_OK || (st == MRN_ERR_MEMORY && w.engine == NULL));
    }
    assert_int_equal(st, MRN_OK);
    for (int k = 1; k < 60; k++) {
        mrn_alloc_fail_at(k);
        st = mrn_smooth_step(w.engine, 30, &w.msg);
        mrn_alloc_fail_at(0);
        assert_true(st == MRN_OK || st == MRN_ERR_MEMORY);
        world_steps(&w, 1);
    }
    assert_true(w.state.pair.builds > 3);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oscillator),     cmocka_unit_test(top),
        cmocka_unit_test(impacts),        cmocka_unit_test(size_ratios),
        cmocka_unit_test(ideal_gas),      cmocka_unit_test(weight_in_a_straining_cell),
        cmocka_unit_test(global_damping), cmocka_unit_test(local_damping),
        cmocka_unit_test(loads),          cmocka_unit_test(gear_memory),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
