/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals that have no value any more: the drive and its expression are named, at the step at which
   it happens, and reported again when asked again. */
#include "../world.h"
#include "drive/drive.h"

static mrn_signal formula(world *w, const char *text)
{
    mrn_signal s;
    ok(mrn_signal_expression(text, &s, &w->msg), &w->msg);
    return s;
}

/* A wall, a grain above it, two groups and two forces that do nothing yet. */
static void begin(world *w)
{
    world_begin(w, 3, "hertz-mindlin", 2500, 1e7, 0.3);
    world_law(w, "restitution", 0.5);
    world_law(w, "friction", 0.3);
    world_plane(w, mrn_v3(0, 0, 0), mrn_v3(0, 0, 1));
    world_grain(w, 1e-3, mrn_v3(0, 0, 1), mrn_v3(0, 0, 0), mrn_v3(0, 0, 0));
    for (int k = 0; k < 2; k++)
        world_periodic(w, k, 0, 1);
    mrn_group more = mrn_group_empty();
    mrn_body_force push = {.name = ""};
    ok(mrn_scene_add_grains(&w->scene, "more", "stuff", NULL, &more, &w->msg), &w->msg);
    ok(mrn_scene_add_force(&w->scene, "push-1", NULL, &push, &w->msg), &w->msg);
    ok(mrn_scene_add_force(&w->scene, "push-2", "more", &push, &w->msg), &w->msg);
    w->state.h = 1e-4;
}

/* All drives as an engine sets them for the end of a step, then the check. */
static mrn_status look(world *w, double time)
{
    mrn_load load[2];
    mrn_state *s = &w->state;
    w->msg = (mrn_message){0};
    mrn_drive_walls(&w->scene, s, s->time, time);
    mrn_drive_cell(&w->scene, s, time);
    mrn_drive_gravity(&w->scene, s, time);
    mrn_drive_loads(&w->scene, s, time, load);
    return mrn_drive_check(&w->scene, s, time, load, &w->msg);
}

/* Good before 1 s, and reported with these words after. */
static void assert_told(world *w, const char *what, const char *signal)
{
    ok(look(w, 0.5), &w->msg);
    assert_int_equal(look(w, 1.5), MRN_EXPLODED);
    assert_int_equal(w->msg.status, MRN_EXPLODED);
    if (strstr(w->msg.text, what) == NULL || strstr(w->msg.text, signal) == NULL)
        fail_msg("no '%s' and '%s' in: %s", what, signal, w->msg.text);
    assert_non_null(strstr(w->msg.text, "not a finite number at t = 1.5 s"));
    assert_non_null(strstr(w->msg.hint, "end the stage before"));
    world_end(w);
}

static void nothing_wrong(void **state)
{
    (void)state;
    world w;
    begin(&w);
    w.scene.force[0].force[0] = formula(&w, "1e300*t");
    ok(look(&w, 0), &w.msg);
    ok(look(&w, 2), &w.msg);
    ok(mrn_drive_check(&w.scene, &w.state, 2, NULL, &w.msg), &w.msg); /* no forces at all */
    world_end(&w);
}

static void walls(void **state)
{
    (void)state;
    world w;
    begin(&w);
    w.scene.wall[0].motion.kind = MRN_MOTION_PATH;
    w.scene.wall[0].motion.path[2] = formula(&w, "1e-3*sqrt(1-t)");
    assert_told(&w, "the motion of wall 'plane-1'", "('1e-3*sqrt(1-t)')");
    begin(&w);
    w.scene.wall[0].motion.kind = MRN_MOTION_PATH;
    w.scene.wall[0].motion.axis = mrn_v3(0, 0, 1);
    w.scene.wall[0].motion.angle = formula(&w, "log(1-t)");
    assert_told(&w, "the motion of wall 'plane-1'", "('log(1-t)')");
    /* at a place, but with no speed there: nothing can be said of the next step */
    begin(&w);
    w.scene.wall[0].motion.kind = MRN_MOTION_PATH;
    w.scene.wall[0].motion.path[0] = formula(&w, "sqrt(1-t)");
    assert_int_equal(look(&w, 1), MRN_EXPLODED);
    assert_non_null(strstr(w.msg.text, "sqrt(1-t)"));
    world_end(&w);
}

static void gravity_and_cell(void **state)
{
    (void)state;
    world w;
    begin(&w);
    w.scene.gravity_of[1] = formula(&w, "-9.81*sqrt(1-t)");
    assert_told(&w, "gravity", "('-9.81*sqrt(1-t)')");
    begin(&w);
    w.scene.cell.control.target[MRN_XY] = formula(&w, "log(1-t)");
    assert_told(&w, "the drive of the cell", "('log(1-t)')");
}

/* The one of two that is to blame, in each of the three ways in which it may act. */
static void forces(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        world w;
        begin(&w);
        w.scene.force[0].force[0] = formula(&w, "cos(t)");
        w.scene.force[1].per_mass = k == 1;
        mrn_signal *bad = k == 2 ? w.scene.force[1].torque : w.scene.force[1].force;
        bad[2] = formula(&w, "sqrt(1-t)");
        assert_told(&w, "force 'push-2'", "('sqrt(1-t)')");
    }
}

/* A force needs no rate: the root is 0 at its end though its slope is not finite there, and is not
   blamed for another either. */
static void slope_of_a_force(void **state)
{
    (void)state;
    world w;
    begin(&w);
    w.scene.force[0].force[0] = formula(&w, "sqrt(1-t)");
    ok(look(&w, 1), &w.msg);
    w.scene.force[1].force[0] = formula(&w, "log(1-t)");
    assert_int_equal(look(&w, 1), MRN_EXPLODED);
    assert_non_null(strstr(w.msg.text, "'push-2' ('log(1-t)')"));
    world_end(&w);
}

/* Each is finite, together they are not. */
static void sum_of_forces(void **state)
{
    (void)state;
    world w;
    begin(&w);
    for (int k = 0; k < 2; k++)
        w.scene.force[k].force[0] = mrn_signal_constant(1.5e308);
    assert_int_equal(look(&w, 1), MRN_EXPLODED);
    assert_non_null(strstr(w.msg.text, "the sum of the forces"));
    assert_non_null(strstr(w.msg.hint, "too large"));
    world_end(&w);
}

/* In a run: the step that ends beyond 1 ms fails with the name, again and again. */
static void in_a_run(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        world w;
        begin(&w);
        mrn_motion *m = &w.scene.wall[0].motion;
        if (k == 0)
            m->kind = MRN_MOTION_PATH, m->path[2] = formula(&w, "1e-3*sqrt(1e-3-t)");
        else if (k == 1)
            w.scene.gravity_of[2] = formula(&w, "-sqrt(1e-3-t)");
        else if (k == 2)
            w.scene.cell.control.target[MRN_XY] = formula(&w, "sqrt(1e-3-t)");
        else
            w.scene.force[1].force[2] = formula(&w, "sqrt(1e-3-t)");
        world_start(&w, 3e-4);
        world_steps(&w, 3);
        for (int again = 0; again < 3; again++) {
            w.msg = (mrn_message){0};
            assert_int_equal(mrn_smooth_step(w.engine, 1, &w.msg), MRN_EXPLODED);
            assert_non_null(strstr(w.msg.text, "sqrt(1e-3-t)"));
            assert_non_null(strstr(w.msg.text, "t = 0.0012 s"));
            assert_int_equal(w.state.step, 3);
        }
        world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_wrong),    cmocka_unit_test(walls),
        cmocka_unit_test(gravity_and_cell), cmocka_unit_test(forces),
        cmocka_unit_test(slope_of_a_force), cmocka_unit_test(sum_of_forces),
        cmocka_unit_test(in_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
