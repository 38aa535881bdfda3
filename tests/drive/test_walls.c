/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walls that move as imposed: on their path after many steps, with the velocity of the signal. */
#include "../world.h"
#include "drive/drive.h"

static mrn_signal formula(world *w, const char *text)
{
    mrn_signal s;
    ok(mrn_signal_expression(text, &s, &w->msg), &w->msg);
    return s;
}

static void begin(world *w, mrn_vec3 point)
{
    world_begin(w, 3, "hertz-mindlin", 2500, 1e7, 0.3);
    world_plane(w, point, mrn_v3(0, 0, 1));
    w->scene.wall[0].motion.kind = MRN_MOTION_PATH;
    w->state.h = 1e-4;
}

static void steps(world *w, int64_t n)
{
    mrn_state *s = &w->state;
    for (int64_t k = 0; k < n; k++) {
        double end = s->stage_time + (double)(s->step + 1 - s->stage_step) * s->h;
        mrn_drive_walls(&w->scene, s, s->time, end);
        s->time = end;
        s->step++;
    }
}

/* 1e5 steps of additions to numbers below 0.5: each rounds by 2.8e-17 at most, and even if all
   erred to the same side (a steady velocity nearly does) the sum were 2.8e-12. */
static void test_path_is_kept(void **state)
{
    (void)state;
    world w;
    begin(&w, mrn_v3(0.1, 0.2, 0.3));
    mrn_motion *m = &w.scene.wall[0].motion;
    m->path[0] = formula(&w, "0.02*sin(2*pi*3*t)");
    m->path[1] = formula(&w, "1e-3*t^2");
    m->path[2] = formula(&w, "0.05*ramp(1, 4, t)");
    m->velocity = mrn_v3(0, 0, 0.01);
    steps(&w, 100000);
    double t = w.state.time, turn = 2 * MRN_PI * 3;
    assert_close(t, 10, 1e-12);
    mrn_vec3 x = mrn_load3(w.state.body.x), v = mrn_load3(w.state.body.v);
    assert_close(x.x, 0.1 + 0.02 * sin(turn * t), 3e-12);
    assert_close(x.y, 0.2 + 1e-3 * t * t, 3e-12);
    assert_close(x.z, 0.3 + 0.05 + 0.01 * t, 3e-12);
    assert_close(v.x, 0.02 * turn * cos(turn * t), 1e-14);
    assert_close(v.y, 2e-3 * t, 1e-16);
    assert_close(v.z, 0.01, 1e-16);
    world_end(&w);
}

/* A quarter turn and back about an axis beside the wall. The quaternion is made new by 1e5 products
   of small turns, each right to rounding. */
static void test_angle(void **state)
{
    (void)state;
    world w;
    begin(&w, mrn_v3(1, 0, 0));
    mrn_motion *m = &w.scene.wall[0].motion;
    m->angle = formula(&w, "pi/2*sin(2*pi*t)");
    m->axis = mrn_v3(0, 1, 0);
    m->has_about = true;
    m->about = mrn_v3(0, 5, 0);
    w.state.h = 1e-5;
    steps(&w, 25000);
    mrn_vec3 x = mrn_load3(w.state.body.x), v = mrn_load3(w.state.body.v);
    mrn_vec3 spin = mrn_load3(w.state.body.w);
    assert_close(x.x, 0, 1e-11);
    assert_close(x.z, -1, 1e-11);
    assert_close(mrn_norm(v), 0, 1e-11); /* turning point of the sine */
    steps(&w, 25000);
    x = mrn_load3(w.state.body.x), v = mrn_load3(w.state.body.v);
    spin = mrn_load3(w.state.body.w);
    assert_close(x.x, 1, 1e-11);
    assert_close(x.y, 0, 1e-11);
    assert_close(x.z, 0, 1e-11);
    assert_close(spin.y, -MRN_PI * MRN_PI, 1e-10);
    assert_close(v.z, MRN_PI * MRN_PI, 1e-10);
    assert_close(w.state.body.q[0], 1, 1e-11);
    world_end(&w);
}

/* s counts from the begin of the stage; a wall taken away stands still. */
static void test_stage_time_and_absence(void **state)
{
    (void)state;
    world w;
    begin(&w, mrn_v3(0, 0, 0));
    w.scene.wall[0].motion.path[0] = formula(&w, "s^2");
    w.state.time = w.state.stage_time = 7;
    steps(&w, 1000);
    assert_close(w.state.body.x[0], 0.01, 1e-13);
    assert_close(w.state.body.v[0], 0.2, 1e-13);
    w.state.body.flags[0] |= MRN_BODY_ABSENT;
    steps(&w, 10);
    assert_close(w.state.body.x[0], 0.01, 1e-13);
    assert_close(w.state.body.v[0], 0, 0);
    world_end(&w);
}

static void test_gravity_and_loads(void **state)
{
    (void)state;
    world w;
    begin(&w, mrn_v3(0, 0, 0));
    w.scene.gravity_of[0] = formula(&w, "9.81*sin(0.1*t)");
    w.scene.gravity_of[2] = formula(&w, "-9.81*cos(0.1*t)");
    mrn_drive_gravity(&w.scene, &w.state, 2);
    assert_close(w.state.gravity[0], 9.81 * sin(0.2), 1e-14);
    assert_close(w.state.gravity[2], -9.81 * cos(0.2), 1e-14);

    mrn_group more = mrn_group_empty();
    mrn_body_force push = {.force[0] = formula(&w, "3*t"), .torque[2] = mrn_signal_constant(0.5)};
    mrn_body_force wind = {.per_mass = true, .force[1] = mrn_signal_constant(2)};
    ok(mrn_scene_add_grains(&w.scene, "more", "stuff", NULL, &more, &w.msg), &w.msg);
    ok(mrn_scene_add_force(&w.scene, "push", "more", &push, &w.msg), &w.msg);
    ok(mrn_scene_add_force(&w.scene, "wind", NULL, &wind, &w.msg), &w.msg);
    mrn_load load[2];
    assert_true(mrn_drive_loads(&w.scene, &w.state, 2, load));
    assert_close(load[0].force.x, 0, 0);
    assert_close(load[1].force.x, 6, 0);
    assert_close(load[1].torque.z, 0.5, 0);
    assert_close(load[0].acceleration.y, 2, 0);
    assert_close(load[1].acceleration.y, 2, 0);
    world_end(&w);
}

/* A wall that turns about one axis goes as far as the grains are from that, wherever along it they
   are; about two, as far as they are from its centre. Sums and a root of numbers of order one: some
   roundings of 1.1e-16. */
static void test_reach_of_turning_walls(void **state)
{
    (void)state;
    world w;
    begin(&w, mrn_v3(0, 0, 0));
    world_grain(&w, 0.1, mrn_v3(3, 0.3, 0.4), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    mrn_motion *m = &w.scene.wall[0].motion;
    m->spin = mrn_v3(2, 0, 0);
    const double *x = w.state.body.x;
    mrn_vec3 axis = mrn_drive_wall_axis(m);
    assert_close(axis.x, 1, 0);
    assert_close(mrn_drive_wall_reach(&w.state, 0, x, axis), 0.6, 1e-15);
    m->angle = formula(&w, "t");
    m->axis = mrn_v3(-1, 0, 0);
    assert_close(mrn_norm(mrn_drive_wall_axis(m)), 1, 0);
    m->axis = mrn_v3(0, 0, 1);
    axis = mrn_drive_wall_axis(m);
    assert_close(mrn_norm(axis), 0, 0);
    assert_close(mrn_drive_wall_reach(&w.state, 0, x, axis), sqrt(9.25) + 0.1, 4e-15);
    m->spin = mrn_v3(0, 0, 0);
    assert_close(mrn_drive_wall_axis(m).z, 1, 0);
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path_is_kept),           cmocka_unit_test(test_angle),
        cmocka_unit_test(test_stage_time_and_absence), cmocka_unit_test(test_gravity_and_loads),
        cmocka_unit_test(test_reach_of_turning_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
