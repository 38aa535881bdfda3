/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walls move as imposed: against closed forms, and velocity is the derivative of the place. */
#include "drive/drive.h"
#include "helper.h"

#define STEPS 20000

typedef struct stand {
    mrn_scene scene;
    mrn_wall wall;
    mrn_state s;
} stand;

static void set_up(stand *t, mrn_motion motion, mrn_vec3 x)
{
    memset(t, 0, sizeof *t);
    t->scene = mrn_scene_default();
    t->wall.motion = motion;
    t->scene.wall = &t->wall;
    t->scene.n_walls = 1;
    mrn_body_def def = mrn_body_default();
    def.x = x;
    def.flags = MRN_BODY_WALL;
    mrn_message msg = {0};
    ok(mrn_body_add(&t->s, &def, NULL, &msg), &msg);
}

static void go(stand *t, double end)
{
    for (int i = 0; i < STEPS; i++)
        mrn_drive_walls(&t->scene, &t->s, end * i / STEPS, end * (i + 1) / STEPS);
}

static void near3(const double *a, double x, double y, double z, double tolerance)
{
    assert_float_equal(a[0], x, tolerance);
    assert_float_equal(a[1], y, tolerance);
    assert_float_equal(a[2], z, tolerance);
}

/* 20000 additions of round-off 1e-16 each: 1e-12 leaves room for all of them to have one sign. */
#define ROUND_OFF 1e-11

static void test_steady(void **unused)
{
    (void)unused;
    stand t;
    set_up(&t, (mrn_motion){.kind = MRN_MOTION_STEADY, .velocity = {1, -2, 0.5}}, mrn_v3(1, 1, 1));
    go(&t, 3);
    near3(t.s.body.x, 4, -5, 2.5, ROUND_OFF);
    near3(t.s.body.v, 1, -2, 0.5, 0);
    near3(t.s.body.w, 0, 0, 0, 0);
    mrn_state_destroy(&t.s);
}

static void test_shake(void **unused)
{
    (void)unused;
    stand t;
    mrn_motion m = {.kind = MRN_MOTION_SHAKE,
                    .velocity = {0.1, 0, 0},
                    .amplitude = {0, 0, 0.02},
                    .frequency = 7,
                    .phase = 0.3};
    set_up(&t, m, mrn_v3(0, 0, 1));
    go(&t, 1.234);
    double a = 2 * MRN_PI * 7 * 1.234 + 0.3;
    near3(t.s.body.x, 0.1234, 0, 1 + 0.02 * (sin(a) - sin(0.3)), ROUND_OFF);
    near3(t.s.body.v, 0.1, 0, 0.02 * 2 * MRN_PI * 7 * cos(a), ROUND_OFF);
    mrn_state_destroy(&t.s);
}

/* A drum about its own axis turns on the spot; about another it goes round in a circle. */
static void test_spin(void **unused)
{
    (void)unused;
    stand t;
    mrn_motion m = {.kind = MRN_MOTION_STEADY, .spin = {0, 0, 2}};
    set_up(&t, m, mrn_v3(3, 0, 0));
    go(&t, 0.7);
    near3(t.s.body.x, 3, 0, 0, 0);
    near3(t.s.body.w, 0, 0, 2, 0);
    assert_float_equal(t.s.body.q[0], cos(0.7), ROUND_OFF);
    assert_float_equal(t.s.body.q[3], sin(0.7), ROUND_OFF);
    mrn_state_destroy(&t.s);
    m.has_about = true;
    m.about = mrn_v3(1, 0, 0);
    set_up(&t, m, mrn_v3(3, 0, 0));
    go(&t, 0.7);
    near3(t.s.body.x, 1 + 2 * cos(1.4), 2 * sin(1.4), 0, ROUND_OFF);
    near3(t.s.body.v, -4 * sin(1.4), 4 * cos(1.4), 0, ROUND_OFF);
    assert_float_equal(t.s.body.q[0], cos(0.7), ROUND_OFF);
    mrn_state_destroy(&t.s);
}

/* Spin about a fixed axis and translation together: second order, so halving the step divides the
   difference of place and integrated velocity by four. */
static void test_velocity_is_derivative(void **unused)
{
    (void)unused;
    mrn_motion m = {.kind = MRN_MOTION_SHAKE,
                    .velocity = {0.3, 0, 0},
                    .spin = {0, 1, 2},
                    .has_about = true,
                    .about = {0.5, 0, 0},
                    .amplitude = {0, 0.1, 0},
                    .frequency = 2};
    stand t;
    set_up(&t, m, mrn_v3(2, 1, 0));
    double error[2];
    for (int k = 0; k < 2; k++) {
        double h = 1e-3 / (1 << k), x[3], v[3];
        mrn_drive_walls(&t.scene, &t.s, 1, 1); /* velocity here */
        memcpy(x, t.s.body.x, sizeof x);
        mrn_drive_walls(&t.scene, &t.s, 1, 1 + h);
        memcpy(v, t.s.body.v, sizeof v);
        double y[3];
        memcpy(y, t.s.body.x, sizeof y);
        mrn_drive_walls(&t.scene, &t.s, 1 + h, 1 + 2 * h);
        error[k] = 0;
        for (int i = 0; i < 3; i++)
            error[k] = fmax(error[k], fabs((t.s.body.x[i] - x[i]) / (2 * h) - v[i]));
        memcpy(t.s.body.x, x, sizeof x);
    }
    assert_true(error[0] < 1e-4);
    assert_true(error[1] < 0.3 * error[0]);
    mrn_state_destroy(&t.s);
}

static void test_stage_takes_walls_away(void **unused)
{
    (void)unused;
    stand t;
    set_up(&t, (mrn_motion){.kind = MRN_MOTION_STEADY, .velocity = {1, 0, 0}}, mrn_v3(0, 0, 0));
    int gone = 0, beyond = 1;
    mrn_stage stage[2] = {mrn_stage_default(), mrn_stage_default()};
    t.scene.stage = stage;
    t.scene.n_stages = 2;
    assert_int_equal(mrn_drive_enter_stage(&t.scene, 0, &t.s), MRN_OK);
    near3(t.s.body.v, 1, 0, 0, 0); /* moves from its first instant */
    near3(t.s.body.x, 0, 0, 0, 0);
    stage[1].n_remove = 1;
    stage[1].remove_wall = &gone;
    assert_int_equal(mrn_drive_enter_stage(&t.scene, 1, &t.s), MRN_OK);
    assert_true(t.s.body.flags[0] & MRN_BODY_ABSENT);
    mrn_drive_walls(&t.scene, &t.s, 0, 1);
    near3(t.s.body.x, 0, 0, 0, 0);
    near3(t.s.body.v, 0, 0, 0, 0);
    stage[1].remove_wall = &beyond;
    assert_int_equal(mrn_drive_enter_stage(&t.scene, 1, &t.s), MRN_ERR_RANGE);
    assert_int_equal(mrn_drive_enter_stage(&t.scene, 2, &t.s), MRN_ERR_RANGE);
    mrn_state_destroy(&t.s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steady),
        cmocka_unit_test(test_shake),
        cmocka_unit_test(test_spin),
        cmocka_unit_test(test_velocity_is_derivative),
        cmocka_unit_test(test_stage_takes_walls_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
