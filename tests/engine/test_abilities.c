/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What methods can do: for every method and every ability, a scene that asks for it is taken or
   refused as the bit of the descriptor says, and a refusal names the place and the methods that
   can. Stages are seen with their own method and with what those before them changed. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <string.h>

#include "engine/abilities.h"
#include "moraine/moraine.h"

/* Every method takes it as it is. */
static const char disks[] =
    "moraine: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "materials: {disk: {density: 2500 kg/m3, young: 1 GPa, poisson: 0.2}}\n"
    "interactions: [{between: any, law: linear, normal-stiffness: 1e6 N/m, stiffness-ratio: 0.5,"
    " restitution: 0.5, friction: 0.5}]\n"
    "walls: [{name: floor, plane: {point: [0, 0], normal: [0, 1]}}]\n"
    "bodies: [{name: disks, shape: {sphere: {diameter: 0.02 m}}, place: {list: [[0, 0.01]]}}]\n"
    "stages: [{name: rest, at-most: 0.1 s}, {name: on, at-most: 0.1 s}]\n";

/* One change of that scene that asks for the ability, and the path of a refusal. */
typedef struct sample {
    const char *set, *path;
} sample;

static const sample samples[MRN_ABILITIES][3] = {
    [MRN_CAN_JOINTS] = {{"joints=[{hinge: {between: [ground, disks], point: [0, 0]}}]", "joints"}},
    [MRN_CAN_IMPOSE_DOFS] = {{"bodies.disks.hold=[x]", "bodies.0.hold"},
                             {"bodies.disks.drive={x: 1 mm/s}", "bodies.0.drive"}},
    [MRN_CAN_CLUSTERS] = {{"bodies.disks.shape={cluster: {of: trimer, diameter: 2 cm}}",
                           "bodies.0.shape"}},
    [MRN_CAN_POLYTOPES] = {{"bodies.disks.shape={polygon: {diameter: 2 cm, sides: 5}}",
                            "bodies.0.shape"}},
    [MRN_CAN_SOURCES] = {{"outlets=[{below: {axis: y, value: -1 cm}}]", "outlets"}},
    [MRN_CAN_MOVE_WALLS] = {{"walls.floor.motion={velocity: [0, 1 mm/s]}", "walls.0.motion"},
                            {"stages.1.walls={floor: {motion: {velocity: [0, 1 mm/s]}}}",
                             "stages.1.walls.floor.motion"}},
    [MRN_CAN_DRIVE_CELL] = {{"cell={periodic: [x], size: [1 m, 0], rate: [0.1 1/s, 0]}", "cell"},
                            {"cell={periodic: [x], size: [1 m, 0], control: {xx: {stress: 1 kPa}}}",
                             "cell"}},
    [MRN_CAN_LOCAL_DAMPING] = {{"damping={local: 0.3}", "damping.local"},
                               {"stages.1.damping={local: 0.3}", "stages.1.damping.local"}},
    [MRN_CAN_INTEGRATORS] = {{"integrator=gear", "integrator"}, {"integrator=euler", "integrator"}},
    [MRN_CAN_RIGID_LAWS] = {{"interactions.0={between: any, law: rigid, friction: 0.5}", ""},
                            {"stages.1.interactions=[{between: any, law: rigid, friction: 0.5}]",
                             "stages.1.interactions.0.law"}},
    [MRN_CAN_NORMAL_HISTORY] = {{"interactions.0={between: any, law: walton-braun, "
                                 "normal-stiffness: 1e6 N/m, restitution: 0.5, stiffness-ratio: "
                                 "0.5, friction: 0.5}",
                                 ""}},
    [MRN_CAN_SERVOS] = {{"walls.floor.motion={servo: {direction: [0, 1], force: 1 N}}",
                         "walls.0.motion"}},
    [MRN_CAN_FORCES] = {{"forces=[{group: disks, force: [1 N, 0]}]", "forces"},
                        {"stages.1.forces=[{group: disks, force: [1 N, 0]}]", "stages.1.forces"}},
    [MRN_CAN_VARY_GRAVITY] = {{"gravity=[0, \"-9.81 - t\"]", "gravity"},
                              {"stages.1.gravity=[0, \"-9.81 - t\"]", "stages.1.gravity"}},
    [MRN_CAN_DAMP] = {{"damping={global: 1 1/s}", "damping.global"},
                      {"stages.1.damping={global: 1 1/s}", "stages.1.damping.global"}},
    [MRN_CAN_FREE_HISTORY] = {{"interactions.0={between: any, law: hertz-mindlin-deresiewicz, "
                               "restitution: 0.5, friction: 0.5}",
                               ""}},
    [MRN_CAN_FIX_CONTACTS] = {{"stages.1.fixed-contacts=true", "stages.1.fixed-contacts"}},
};

static mrn_status try(const char *method, const char *const *more, int n, mrn_scene *s,
                      mrn_message *msg)
{
    char set[64];
    const char *list[8] = {set};
    snprintf(set, sizeof set, "method=%s", method);
    for (int i = 0; i < n; i++)
        list[i + 1] = more[i];
    *msg = (mrn_message){0};
    return mrn_scene_read_text(disks, "disks", list, n + 1, s, msg);
}

/* All methods that can are named, and no other. */
static void names_who_can(const mrn_message *msg, mrn_ability a)
{
    char text[sizeof msg->expected];
    snprintf(text, sizeof text, "%s", msg->expected);
    bool named[16] = {0};
    for (char *word = strtok(text, ", "); word != NULL; word = strtok(NULL, ", "))
        for (int i = 0; i < mrn_method_count(); i++)
            named[i] |= strcmp(word, mrn_method_at(i)->name) == 0;
    for (int i = 0; i < mrn_method_count(); i++)
        if (named[i] != mrn_method_can(mrn_method_at(i), a))
            fail_msg("%s: expected: %s", mrn_ability_name(a), msg->expected);
}

static void check_sample(const mrn_method *m, mrn_ability a, const sample *x)
{
    mrn_scene s;
    mrn_message msg;
    char words[200];
    mrn_status st = try(m->name, &x->set, 1, &s, &msg);
    mrn_status want = mrn_method_can(m, a) ? MRN_OK : MRN_ERR_INPUT;
    if (st != want)
        fail_msg("%s, %s: status %d: %s (%s)", m->name, x->set, (int)st, msg.text, msg.expected);
    if (st == MRN_OK) {
        mrn_scene_destroy(&s);
        return;
    }
    snprintf(words, sizeof words, "method %s has no %s", m->name, mrn_ability_name(a));
    if (strstr(msg.text, words) == NULL || msg.hint[0] == '\0')
        fail_msg("%s, %s: %s (%s)", m->name, x->set, msg.text, msg.hint);
    assert_string_equal(msg.path, x->path);
    assert_true(msg.file[0] != '\0');
    names_who_can(&msg, a);
}

static void scenes_are_taken_as_the_bits_say(void **state)
{
    (void)state;
    for (int i = 0; i < mrn_method_count(); i++) {
        const mrn_method *m = mrn_method_at(i);
        mrn_scene s;
        mrn_message msg;
        if (try(m->name, NULL, 0, &s, &msg) != MRN_OK)
            fail_msg("%s: %s", m->name, msg.text);
        mrn_scene_destroy(&s);
        for (int a = 0; a < MRN_ABILITIES; a++) {
            assert_true(samples[a][0].set != NULL || a == MRN_CAN_CONTACT_PROBLEMS ||
                        a == MRN_CAN_SPEED_RESTITUTION);
            for (const sample *x = samples[a]; x->set != NULL; x++)
                check_sample(m, (mrn_ability)a, x);
        }
        assert_int_equal(mrn_method_can(m, MRN_CAN_CONTACT_PROBLEMS), m->problem != NULL);
        assert_int_equal(m->can >> MRN_ABILITIES, 0);
    }
}

/* Every ability has a word of its own, is had by some method and not by all. */
static void abilities_tell_methods_apart(void **state)
{
    (void)state;
    for (int a = 0; a < MRN_ABILITIES; a++) {
        int able = 0;
        mrn_message msg = {0};
        for (int i = 0; i < mrn_method_count(); i++)
            able += mrn_method_can(mrn_method_at(i), (mrn_ability)a);
        assert_true(able > 0 && able < mrn_method_count());
        assert_true(mrn_ability_name((mrn_ability)a)[0] != '\0');
        for (int b = 0; b < a; b++)
            assert_string_not_equal(mrn_ability_name((mrn_ability)a),
                                    mrn_ability_name((mrn_ability)b));
        assert_int_equal(mrn_ability_refuse(mrn_method_at(0), (mrn_ability)a, NULL, &msg),
                         MRN_ERR_INPUT);
        names_who_can(&msg, (mrn_ability)a);
    }
    assert_string_equal(mrn_ability_name(MRN_ABILITIES), "");
}

#define MOVES "walls: {floor: {motion: {velocity: [0, 1 mm/s]}}}"
#define STILL "walls: {floor: {motion: none}}"

/* A wall may move in the stages of a method that moves walls, if it is still in the others. */
static void stages_have_their_own_method(void **state)
{
    (void)state;
    mrn_scene s;
    mrn_message msg;
    const char *good = "stages=[{name: a, at-most: 1 s, " MOVES "}, {name: b, at-most: 1 s, "
                       "method: quasistatic, " STILL "}, {name: c, at-most: 1 s}]";
    const char *bad = "stages=[{name: a, at-most: 1 s, " MOVES "}, {name: b, at-most: 1 s}, "
                      "{name: c, at-most: 1 s, method: quasistatic}]";
    if (try("smooth", &good, 1, &s, &msg) != MRN_OK)
        fail_msg("%s", msg.text);
    for (int k = 0; k < s.n_stages; k++)
        if (mrn_scene_enter_stage(&s, k, &msg) != MRN_OK)
            fail_msg("stage %d: %s", k, msg.text);
    mrn_scene_destroy(&s);
    assert_int_equal(try("smooth", &bad, 1, &s, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "wall 'floor': method quasistatic has no walls that move"));
    assert_string_equal(msg.path, "stages.0.walls.floor.motion");
}

/* A program may change a prepared scene: the engine looks again. */
static void engines_look_again(void **state)
{
    (void)state;
    mrn_scene scene;
    mrn_state s = {0};
    mrn_engine engine = {0};
    mrn_message msg;
    mrn_step_limit limit;
    assert_int_equal(try("nonsmooth", NULL, 0, &scene, &msg), MRN_OK);
    assert_int_equal(mrn_run_prepare(&scene, &s, &limit, &msg), MRN_OK);
    scene.damping.local = 0.3;
    assert_int_equal(mrn_engine_create(&scene, &s, NULL, &engine, &msg), MRN_ERR_INPUT);
    assert_string_equal(msg.path, "damping.local");
    mrn_engine_destroy(&engine);
    scene.damping.local = 0;
    assert_int_equal(mrn_engine_create(&scene, &s, NULL, &engine, &msg), MRN_OK);
    scene.damping.local = 0.3;
    assert_int_equal(mrn_engine_refresh(&engine, &msg), MRN_ERR_INPUT);
    mrn_engine_destroy(&engine);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
    assert_int_equal(mrn_bytes_in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_are_taken_as_the_bits_say),
        cmocka_unit_test(abilities_tell_methods_apart),
        cmocka_unit_test(stages_have_their_own_method),
        cmocka_unit_test(engines_look_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
