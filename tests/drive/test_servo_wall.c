/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A servo wall at work: a lid on a bed of spheres reaches its force and stays there, also while the
   bed moves; the energy it puts in is booked. */
/* ctest-labels: slow */
#include "crowd.h"

static double lid_force(const world *w)
{
    return w->state.body.f[3 + 2];
}

/* 216 spheres without friction between a floor and a lid, periodic across. */
static void begin_lid(world *w, bool pressure, double target)
{
    int n[3] = {6, 6, 6};
    double pitch = 2.02 * RADIUS;
    begin(w);
    world_periodic(w, 0, 0, 6 * pitch);
    world_periodic(w, 1, 0, 6 * pitch);
    world_plane(w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    world_plane(w, mrn_v3(0, 0, 6.2 * pitch), mrn_v3(0, 0, -1));
    mrn_motion *m = &w->scene.wall[1].motion;
    m->kind = MRN_MOTION_SERVO;
    m->servo_direction = mrn_v3(0, 0, -1);
    m->servo_pressure = pressure;
    m->servo_target = mrn_signal_constant(target);
    crowd(w, n, pitch, 0.02);
    world_start(w, 8e-6);
}

/* The lid finds its force from far, stays there, and on the way never presses by a tenth more: the
   bed would remember it. */
static void test_lid_reaches_its_force(void **state)
{
    (void)state;
    world w;
    begin_lid(&w, false, 4);
    double most = 0;
    for (int k = 0; k < 100; k++) {
        world_steps(&w, 100);
        most = fmax(most, lid_force(&w));
    }
    assert_true(most < 4.4);
    for (int k = 0; k < 20; k++) {
        world_steps(&w, 100);
        assert_close(lid_force(&w), 4, 4e-3);
    }
    assert_booked(&w);
    /* the floor rises: the lid must rise with it, and learns the speed. With its contacts as they
       are it would else need an error of K T v, five per cent */
    w.scene.wall[0].motion = (mrn_motion){.kind = MRN_MOTION_STEADY, .velocity = {0, 0, 0.01}};
    world_steps(&w, 7000);
    assert_close(w.state.body.v[5], 0.01, 1e-3);
    assert_close(lid_force(&w), 4, 0.02);
    world_end(&w);
}

/* A pressure acts on the cross-section of the cell; the speed is bounded as imposed. */
static void test_lid_pressure_and_bound(void **state)
{
    (void)state;
    world w;
    double area = pow(6 * 2.02 * RADIUS, 2);
    begin_lid(&w, true, 4 / area);
    w.scene.wall[1].motion.servo_max_speed = 0.2;
    double fastest = 0;
    for (int k = 0; k < 80; k++) {
        world_steps(&w, 100);
        fastest = fmax(fastest, fabs(w.state.body.v[5]));
    }
    assert_close(fastest, 0.2, 0);
    assert_close(lid_force(&w), 4, 4e-2);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lid_reaches_its_force),
        cmocka_unit_test(test_lid_pressure_and_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
