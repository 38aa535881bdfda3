/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rigid clusters in the engine: the free top, bounces, rolling, periodic and straining cells, a
   pile, threads and resuming. */
/* ctest-labels: slow */
#include "smooth/cluster_world.h"

/* ---- the free top ---- */

/* Dzhanibekov's nut: spin about the middle axis tips over again and again. The angular momentum may
   only gather rounding (1e5 steps, a few 1e-16 each); the energy swings by O(h^2) and must
   not drift: its mean over the last tenth of the steps is that over the first. */
static void free_top(void **state)
{
    (void)state;
    world w;
    cluster_world(&w, 3, 4, cross_centre, cross_radius);
    mrn_body b = cluster_add(&w, 0.01, mrn_v3(0, 0, 0), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0),
                             mrn_quat_identity());
    const mrn_bodies *a = &w.state.body;
    int32_t i = mrn_body_index(&w.state, b);
    mrn_vec3 moments = mrn_principal_moments(&w.scene, a, i);
    double lo = fmin(moments.x, fmin(moments.y, moments.z));
    double hi = fmax(moments.x, fmax(moments.y, moments.z));
    mrn_vec3 spin = {moments.x > lo && moments.x < hi ? 100 : 3,
                     moments.y > lo && moments.y < hi ? 100 : 3,
                     moments.z > lo && moments.z < hi ? 100 : 3};
    mrn_store3(w.state.body.w + 3 * (size_t)i, spin);
    world_start(&w, 2e-5); /* 0.11 degrees per step */
    mrn_vec3 l0 = momentum_of(&w, b);
    double e0 = mrn_rotational_energy(&w.scene, a, i), begin = 0, end = 0, worst = 0;
    int turns = 0;
    double side = 1;
    for (int k = 0; k < 1000; k++) {
        world_steps(&w, 100);
        i = mrn_body_index(&w.state, b);
        double e = mrn_rotational_energy(&w.scene, a, i) / e0 - 1;
        worst = fmax(worst, fabs(e));
        begin += k < 100 ? e / 100 : 0;
        end += k >= 900 ? e / 100 : 0;
        mrn_vec3 body = mrn_rotate(mrn_quat_conj(mrn_load_quat(a->q + 4 * (size_t)i)),
                                   mrn_load3(a->w + 3 * (size_t)i));
        double along = mrn_dot(body, spin) * side;
        if (along < -0.5 * mrn_dot(spin, spin))
            side = -side, turns++;
    }
    assert_true(turns >= 2);
    assert_close(mrn_norm(mrn_sub(momentum_of(&w, b), l0)) / mrn_norm(l0), 0, 1e-10);
    assert_true(worst < 2e-6); /* (w h)^2 = 4e-6 */
    assert_close(end, begin, 2e-7);
    world_end(&w);
}

/* Halving the step makes the error of the orientation after a given time four times smaller. */
static mrn_quat after(double h, int64_t steps)
{
    world w;
    cluster_world(&w, 3, 4, cross_centre, cross_radius);
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

static void top_of_second_order(void **state)
{
    (void)state;
    mrn_quat exact = after(1e-6, 64000);
    double coarse = angle_between(after(64e-6, 1000), exact);
    double fine = angle_between(after(32e-6, 2000), exact);
    assert_close(log2(coarse / fine), 2, 0.05);
}

/* ---- contacts ---- */

/* A dumb-bell falls askew on another one in free space: nothing from outside, so momentum, angular
   momentum about the origin and, without damping and friction, energy stay. */
static void bounce(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        world w;
        double out = dimension == 3 ? 1 : 0;
        cluster_world(&w, dimension, 2, bell_centre, bell_radius);
        mrn_quat q = mrn_quat_from_rotation(mrn_v3(0.3 * out, 0.2 * out, 0.7));
        mrn_body a = cluster_add(&w, 1e-3, mrn_v3(-2e-3, 0, 0), mrn_v3(1, 0, 0.1 * out),
                                 mrn_v3(100 * out, -200 * out, 300), q);
        mrn_body b = cluster_add(&w, 1.5e-3, mrn_v3(2e-3, 6e-4, 3e-4 * out), mrn_v3(-1, 0, 0),
                                 mrn_v3(0, 0, -50), mrn_quat_from_rotation(mrn_v3(0, 0, 2)));
        world_start(&w, 5e-7);
        mrn_vec3 p0 = mrn_add(push_of(&w, a), push_of(&w, b));
        mrn_vec3 l0 = mrn_add(turning_of(&w, a), turning_of(&w, b));
        mrn_vec3 v0 = world_v(&w, a);
        double e0 = mrn_measure_energies(&w.scene, &w.state).total;
        world_steps(&w, 8000);
        assert_true(mrn_norm(mrn_sub(world_v(&w, a), v0)) > 0.1); /* they met */
        mrn_vec3 p = mrn_add(push_of(&w, a), push_of(&w, b));
        mrn_vec3 l = mrn_add(turning_of(&w, a), turning_of(&w, b));
        /* rounding of 8000 steps */
        assert_close(mrn_norm(mrn_sub(p, p0)), 0, 1e-12 * mrn_norm(push_of(&w, a)));
        assert_close(mrn_norm(mrn_sub(l, l0)), 0, 1e-10 * mrn_norm(l0));
        /* second order: contact of 200 steps */
        double e = mrn_measure_energies(&w.scene, &w.state).total;
        assert_close(e / e0, 1, 1e-4);
        world_end(&w);
    }
}

/* A dumb-bell lying along y rolls down a slope about its long axis without slipping: its centre
   falls as a body of that moment of inertia must. The two spheres touch the plane with radius r,
   I = I_y about the long axis: a = g sin / (1 + I / (m r^2)). */
static void rolls(void **state)
{
    (void)state;
    world w;
    cluster_world(&w, 3, 2, (double[]){0, -1, 0, 0, 1, 0}, (double[]){1.2, 1.2});
    world_law(&w, "friction", 0.8);
    world_law(&w, "normal-damping", 0.5);
    double slope = 0.1;
    w.scene.gravity = mrn_v3(9.81 * sin(slope), 0, -9.81 * cos(slope));
    world_plane(&w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    double r = 2e-3 * w.scene.cluster[0].radius[0];
    mrn_body b = cluster_add(&w, 2e-3, mrn_v3(0, 0, r), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0),
                             mrn_quat_identity());
    world_start(&w, 2e-6);
    world_steps(&w, 50000);
    double a = 9.81 * sin(slope) / (1 + w.scene.cluster[0].inertia[1] * 4e-6 / (r * r)), t = 0.1;
    /* 0.5 %: the start, when the tangential springs are stretched, and the swing about it */
    assert_close(world_v(&w, b).x / (a * t), 1, 5e-3);
    assert_close(world_x(&w, b).x / (0.5 * a * t * t), 1, 5e-3);
    assert_close(world_w(&w, b).y * r / (a * t), 1, 5e-3);
    assert_close(world_w(&w, b).z, 0, 1e-6);
    mrn_energies e = mrn_measure_energies(&w.scene, &w.state);
    assert_close(e.residual, 0, 1e-3 * (e.kinetic + e.rotational));
    world_end(&w);
}

/* ---- periodic cells ---- */

/* A cluster that crosses a periodic face, its spheres one after the other: as in a cell so large
   that nothing is ever crossed. */
static void crosses_the_face(void **state)
{
    (void)state;
    mrn_vec3 v[2], s[2];
    for (int pass = 0; pass < 2; pass++) {
        world w;
        cluster_world(&w, 3, 2, bell_centre, bell_radius);
        world_periodic(&w, 0, -5e-3, pass == 0 ? 1e-2 : 1);
        mrn_body a = cluster_add(&w, 1e-3, mrn_v3(1.5e-3, 0, 0), mrn_v3(1, 0, 0), mrn_v3(0, 0, 300),
                                 mrn_quat_identity());
        double meet = 5.8e-3;
        cluster_add(&w, 1e-3, mrn_v3(pass == 0 ? meet - 1e-2 : meet, 4e-4, 2e-4),
                    mrn_v3(-0.5, 0, 0), mrn_v3(100, 0, 0), mrn_quat_identity());
        world_start(&w, 5e-7);
        world_steps(&w, 10000);
        v[pass] = world_v(&w, a), s[pass] = world_w(&w, a);
        world_end(&w);
    }
    assert_true(v[0].x < 0.5); /* it met the other one */
    /* positions differ by a cell and its rounding, 1e-16 of 1e-2 m against overlaps of 1e-6 m */
    assert_close(mrn_norm(mrn_sub(v[0], v[1])), 0, 1e-8);
    assert_close(mrn_norm(mrn_sub(s[0], s[1])), 0, 1e-4);
}

/* In a straining cell the spheres of a cluster at rest in the flow move as its rigid body does:
   true velocity of a sphere = v + L x there = that of the centre + w x arm. */
static void rigid_in_a_flow(void **state)
{
    (void)state;
    world w;
    cluster_world(&w, 3, 4, cross_centre, cross_radius);
    for (int k = 0; k < 3; k++)
        world_periodic(&w, k, 0, 1e-2);
    mrn_body b = cluster_add(&w, 1e-3, mrn_v3(4e-3, 3e-3, 6e-3), mrn_v3(0.1, 0, 0),
                             mrn_v3(10, 20, 30), mrn_quat_identity());
    for (int k = 0; k < 6; k++)
        w.scene.cell.control.target[k] = mrn_signal_constant(1.0 + 0.3 * k);
    world_start(&w, 1e-5);
    world_steps(&w, 100);
    const mrn_bodies *a = &w.state.body;
    const double *l = w.state.cell_rate;
    assert_close(l[MRN_XZ], 2.2, 1e-12);
    mrn_vec3 xc = world_x(&w, b), vc = world_v(&w, b), wc = world_w(&w, b);
    for (int32_t i = 0; i < a->n; i++) {
        if (!(a->flags[i] & MRN_BODY_MEMBER))
            continue;
        mrn_vec3 d = mrn_sub(mrn_load3(a->x + 3 * i), xc), v = mrn_load3(a->v + 3 * i);
        mrn_vec3 flow = {l[0] * d.x + l[3] * d.y + l[4] * d.z, l[1] * d.y + l[5] * d.z, l[2] * d.z};
        mrn_vec3 off = mrn_sub(mrn_sub(mrn_add(v, flow), vc), mrn_cross(wc, d));
        assert_close(mrn_norm(off), 0, 1e-12);
    }
    world_end(&w);
}

/* ---- many ---- */

static void pile_begin(world *w, int dimension, int n, double speed)
{
    cluster_world(w, dimension, dimension == 3 ? 4 : 3, cross_centre, cross_radius);
    world_law(w, "normal-stiffness", dimension == 3 ? 500 : 1e6);
    world_law(w, "friction", 0.5);
    world_law(w, "normal-damping", dimension == 3 ? 0.05 : 30);
    int up = dimension == 3 ? 2 : 1;
    w->scene.gravity = up == 2 ? mrn_v3(0, 0, -9.81) : mrn_v3(0, -9.81, 0);
    world_plane(w, mrn_v3(0, 0, 0), up == 2 ? mrn_v3(0, 0, 1) : mrn_v3(0, 1, 0));
    double side = dimension == 3 ? 8e-3 : 20e-3, gap = 1e-3 * 2.01 * w->scene.cluster[0].bound;
    world_periodic(w, 0, 0, side);
    if (dimension == 3)
        world_periodic(w, 1, 0, side);
    int row = (int)(side / gap);
    mrn_rng rng = mrn_rng_seed(5, 5);
    for (int k = 0; k < n; k++) {
        double x = gap * (k % row + 0.5), y = gap * (k / row % row + 0.5);
        double z = gap * (dimension == 3 ? k / row / row + 0.6 : k / row + 0.6);
        mrn_quat q = dimension == 3
                         ? mrn_quat_unit((mrn_quat){mrn_rng_normal(&rng), mrn_rng_normal(&rng),
                                                    mrn_rng_normal(&rng), mrn_rng_normal(&rng)})
                         : mrn_quat_from_rotation(mrn_v3(0, 0, 7 * mrn_rng_uniform(&rng)));
        mrn_vec3 v = {speed * mrn_rng_normal(&rng), speed * mrn_rng_normal(&rng), 0};
        cluster_add(w, 1e-3, dimension == 3 ? mrn_v3(x, y, z) : mrn_v3(x, z, 0), v, mrn_v3(0, 0, 0),
                    q);
    }
}

/* Fifty clusters fall on a floor and come to rest; the account closes. Two dimensions too, where
   nothing leaves the plane. */
static void pile(void **state)
{
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        world w;
        pile_begin(&w, dimension, 50, 0);
        world_start(&w, 8e-6);
        double fall = mrn_measure_energies(&w.scene, &w.state).gravity;
        double peak = 0;
        for (int k = 0; k < 30; k++) {
            world_steps(&w, 500);
            mrn_energies e = mrn_measure_energies(&w.scene, &w.state);
            peak = fmax(peak, e.kinetic + e.rotational);
        }
        mrn_energies e = mrn_measure_energies(&w.scene, &w.state);
        assert_true(e.kinetic + e.rotational < 1e-2 * peak);
        assert_true(w.state.contacts > 60);
        /* two percent of what was lost: 0.055 sqrt(m/k) per step; spheres do no better, and half
           the step leaves a quarter */
        assert_close(e.residual, 0, 2e-2 * e.dissipated);
        assert_true(e.dissipated > 0.1 * (fall - e.gravity));
        if (dimension == 2)
            for (int32_t i = w.state.body.n_walls; i < w.state.body.n; i++) {
                assert_true(w.state.body.x[3 * i + 2] == 0 && w.state.body.w[3 * i] == 0);
                assert_true(w.state.body.q[4 * i + 1] == 0 && w.state.body.q[4 * i + 2] == 0);
            }
        world_end(&w);
    }
}

/* The same bits with one and three threads, and when a copy of the state is taken up half-way. */
static void same_bits(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int pass = 0; pass < 3; pass++) {
        world w;
        mrn_threads_set(pass == 1 ? 3 : 1);
        pile_begin(&w, 3, 300, 0.7);
        world_start(&w, 8e-6);
        world_steps(&w, 600);
        if (pass == 2) {
            mrn_state copy = {0};
            ok(mrn_state_copy(&w.state, &copy, &w.msg), &w.msg);
            mrn_smooth_destroy(&w.engine);
            mrn_state_destroy(&w.state);
            w.state = copy;
            ok(mrn_smooth_create(&w.scene, &w.state, &w.engine, &w.msg), &w.msg);
        }
        world_steps(&w, 600);
        assert_true(w.state.contacts > 5);
        hash[pass] = mrn_state_hash(&w.state);
        world_end(&w);
    }
    mrn_threads_set(0);
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] == hash[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_top),
        cmocka_unit_test(top_of_second_order),
        cmocka_unit_test(bounce),
        cmocka_unit_test(rolls),
        cmocka_unit_test(crosses_the_face),
        cmocka_unit_test(rigid_in_a_flow),
        cmocka_unit_test(pile),
        cmocka_unit_test(same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
