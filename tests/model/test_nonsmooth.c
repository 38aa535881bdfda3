/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes for the non-smooth engine as a program fills them: what preparing them finds out, and what
   it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/moraine.h"

static const char text[] =
    "moraine: 1\nmethod: nonsmooth\nmaterials: {m: {density: 1, young: 1e6}}\n"
    "interactions: [{between: any, law: hertz-mindlin-rolling, restitution: 0.5, friction: 0.3, "
    "rolling-friction: 0.1}]\n"
    "bodies:\n"
    "  - {name: dice, shape: {polyhedron: {box: [1, 1, 1]}}, place: {list: [[0, 0, 5], [9, 0, "
    "5]]}}\n"
    "  - {name: feed, shape: {sphere: {radius: 1}}, place: {inlet: {box: [[0, 0, 0], [9, 9, 9]], "
    "rate: 1}}, count: 5}\n"
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
    "joints:\n"
    "  - {name: a, hinge: {between: [ground, dice], point: [0, 0, 0], axis: [0, 0, 1], motor: "
    "{speed: 1}}}\n"
    "  - {name: b, spring: {between: [dice, dice/1], from: [0, 0, 5], to: [9, 0, 5], stiffness: "
    "1}}\n"
    "stages: [{name: first, at-most: 1}, {name: second, at-most: 1, nonsmooth: {theta: 1}}]\n";

static mrn_scene scene(void)
{
    mrn_scene s;
    mrn_message msg = {0};
    if (mrn_scene_read_text(text, "text", NULL, 0, &s, &msg) != MRN_OK)
        fail_msg("%d:%d %s", msg.line, msg.column, msg.text);
    return s;
}

static void refused(mrn_scene *s, const char *path, const char *words)
{
    mrn_message msg = {0};
    assert_int_equal(mrn_scene_prepare(s, &msg), MRN_ERR_INPUT);
    assert_string_equal(msg.path, path);
    if (strstr(msg.text, words) == NULL)
        fail_msg("'%s' instead of '%s'", msg.text, words);
    assert_true(msg.expected[0] != '\0' || msg.hint[0] != '\0');
    assert_int_equal(mrn_scene_prepare(s, NULL), MRN_ERR_INPUT);
}

/* Breaks one thing, looks, and puts it back: the scene must then be good again. */
#define BREAK(field, value, path, words)                                                           \
    do {                                                                                           \
        __typeof__(field) keep = (field);                                                          \
        (field) = (value);                                                                         \
        refused(&s, path, words);                                                                  \
        (field) = keep;                                                                            \
        assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);                                     \
    } while (0)

static void needs_are_found(void **unused)
{
    (void)unused;
    mrn_scene s = scene();
    assert_true(mrn_rigid_contacts(&s) && s.polytopes && s.moments && !s.range && s.history == 0);
    assert_int_equal(s.contact_kind, MRN_CONTACT_3D_ROLLING);
    assert_true(s.interaction[0].rigid.restitution == 0.5 && s.interaction[0].rigid.rolling == 0.1);
    /* the same laws, smooth: history and moments of their own, and no numbers for rigid grains */
    s.method = mrn_method_find("smooth");
    s.n_joints = 0; /* kept: their memory goes with the scene */
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    assert_true(!mrn_rigid_contacts(&s) && s.history > 0 && s.moments);
    assert_true(s.interaction[0].rigid.friction == 0);
    assert_int_equal(s.contact_kind, MRN_CONTACT_3D);
    s.n_joints = 2;
    mrn_scene_destroy(&s);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

static void stages_bring_their_choices(void **unused)
{
    (void)unused;
    mrn_scene s = scene();
    assert_int_equal(mrn_scene_enter_stage(&s, 0, NULL), MRN_OK);
    assert_true(s.nonsmooth.theta == 0.5);
    assert_int_equal(mrn_scene_enter_stage(&s, 1, NULL), MRN_OK);
    assert_true(s.nonsmooth.theta == 1);
    assert_true(s.nonsmooth.tolerance == mrn_nonsmooth_default().tolerance);
    mrn_scene_destroy(&s);
}

/* Contacts keep their numbers when the law that rolls gives way to one that does not: the state has
   been made for them. A program that prepares anew gets what there is. */
static void contacts_keep_their_numbers(void **unused)
{
    (void)unused;
    mrn_scene s = scene();
    mrn_interaction plain = s.interaction[0];
    plain.model = *mrn_law_model_find("rigid");
    memset(plain.value, 0, sizeof plain.value);
    s.stage[1].interaction = mrn_alloc(sizeof plain);
    s.stage[1].interaction[0] = plain;
    s.stage[1].n_interactions = 1;
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(mrn_scene_enter_stage(&s, k, NULL), MRN_OK);
        assert_true(s.interaction[0].rigid.rolling == (k == 0 ? 0.1 : 0));
        assert_int_equal(s.contact_kind, MRN_CONTACT_3D_ROLLING);
    }
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    assert_int_equal(s.contact_kind, MRN_CONTACT_3D);
    mrn_scene_destroy(&s);
}

static void wrong_choices(void **unused)
{
    (void)unused;
    mrn_scene s = scene();
    mrn_nonsmooth_options *n = &s.nonsmooth;
    BREAK(n->theta, 0.49, "nonsmooth.theta", "'theta' is out of range");
    BREAK(n->theta, NAN, "nonsmooth.theta", "'theta' is out of range");
    BREAK(n->gap_rule, (mrn_gap_rule)7,
          "nonsmooth"
          ".form",
          "'form'");
    BREAK(n->unsolved, (mrn_unsolved)-1, "nonsmooth.unsolved", "'unsolved'");
    BREAK(n->criterion, MRN_CRITERIA, "nonsmooth.criterion", "'criterion' is of no known kind");
    BREAK(n->tolerance, 0, "nonsmooth.tolerance", "'tolerance'");
    BREAK(n->max_iterations, -1, "nonsmooth.max-iterations", "'max-iterations'");
    BREAK(n->alert, NAN, "nonsmooth.alert", "'alert'");
    BREAK(n->slop, -1, "nonsmooth.slop", "'slop'");
    BREAK(n->threshold, INFINITY, "nonsmooth.threshold", "'threshold'");
    BREAK(n->solver[0], 'x', "nonsmooth.solver", "no solver 'xlgs' for its 'solver'");
    BREAK(n->fallback[0], 'x', "nonsmooth.fallback", "for its 'fallback'");
    BREAK(s.stage[1].nonsmooth.theta, 2, "stages.1.nonsmooth.theta", "stage 'second': its 'theta'");
    snprintf(n->solver, sizeof n->solver, "newton");
    refused(&s, "nonsmooth.solver", "cannot solve rolling");
    mrn_scene_destroy(&s);
}

static void beyond_the_engine(void **unused)
{
    (void)unused;
    mrn_scene s = scene();
    BREAK(s.integrator, MRN_GEAR, "integrator", "choice of integrators");
    BREAK(s.damping.local, 0.3, "damping.local", "no local damping");
    s.damping.global = 5;
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    s.cell.periodic[0] = true;
    s.cell.size[0] = 100;
    BREAK(s.cell.control.kind[MRN_XX], MRN_CONTROL_STRESS, "cell", "no driven cell");
    mrn_scene_destroy(&s);
}

static void wrong_joints(void **unused)
{
    (void)unused;
    mrn_scene s = scene();
    mrn_joint *j = s.joint;
    BREAK(j[0].kind, MRN_JOINT_KINDS, "joints.0", "joint 'a': it is of no known kind");
    BREAK(j[0].end[1].group, 2, "joints.0.hinge.between", "refers to nothing");
    BREAK(j[0].end[0].wall, 1, "joints.0.hinge.between", "refers to nothing");
    BREAK(j[0].end[1].grain, 2, "joints.0.hinge.between", "no grain of that number");
    BREAK(j[0].end[1].group, 1, "joints.0.hinge.between", "an inlet");
    BREAK(j[0].end[1].group, -1, "joints.0.hinge.between", "neither is a grain");
    BREAK(j[1].end[1].grain, 0, "joints.1.spring.between", "same body");
    BREAK(j[0].point.x, NAN, "joints.0.hinge.point", "not finite");
    BREAK(j[0].axis.x, 1, "joints.0.hinge.axis", "no unit vector");
    BREAK(j[0].limit, 0, "joints.0.hinge.motor.limit", "its 'limit' is out of range");
    BREAK(j[0].speed.kind, MRN_SIGNAL_TABLE, "joints.0.hinge.motor.speed",
          "its 'speed' is a signal");
    BREAK(j[0].kind, MRN_JOINT_BALL, "joints.0.ball.motor", "on a hinge or slider");
    BREAK(j[1].stiffness, 0, "joints.1.spring.stiffness", "the spring");
    BREAK(j[1].damping, -1, "joints.1.spring.damping", "its 'damping' is out of range");
    BREAK(j[1].rest, INFINITY, "joints.1.spring.rest", "its 'rest' is out of range");
    BREAK(j[1].name[0], 'a', "joints.1.name", "the same name");
    BREAK(s.method, mrn_method_at(0), "joints", "method smooth has no joints");
    mrn_scene_destroy(&s);
}

static void wrong_freedoms_and_polytopes(void **unused)
{
    (void)unused;
    mrn_scene s = scene();
    mrn_group *g = &s.group[0];
    BREAK(g->held, 64u, "bodies.0.hold", "group 'dice': 'hold' or 'drive' names");
    g->held = MRN_DOF_X | MRN_DOF_RZ;
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    BREAK(g->fixed, true, "bodies.0.hold", "have no meaning for grains that are fixed");
    BREAK(g->drive[5].kind, MRN_SIGNAL_TABLE, "bodies.0.drive", "'drive' has no value");
    g->held = 0;
    BREAK(g->n_polytopes, 0, "bodies.0.shape", "forms that do not exist");
    BREAK(g->polytope, 1, "bodies.0.shape", "forms that do not exist");
    BREAK(s.polytope[0].dimension, 2, "bodies.0.shape", "another dimension");
    BREAK(s.polytope[0].bound, 0, "bodies.0.shape", "is empty");
    /* two grains must fit into a periodic cell: the box reaches sqrt(3)/2 */
    s.cell.periodic[0] = true;
    s.cell.size[0] = 3.9;
    s.n_groups = 1;
    assert_int_equal(mrn_scene_prepare(&s, NULL), MRN_OK);
    s.cell.size[0] = 3.4;
    refused(&s, "cell.size", "the cell is 3.4 m in x");
    s.n_groups = 2;
    mrn_scene_destroy(&s);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needs_are_found),
        cmocka_unit_test(stages_bring_their_choices),
        cmocka_unit_test(contacts_keep_their_numbers),
        cmocka_unit_test(wrong_choices),
        cmocka_unit_test(beyond_the_engine),
        cmocka_unit_test(wrong_joints),
        cmocka_unit_test(wrong_freedoms_and_polytopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
