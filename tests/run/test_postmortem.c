/* SPDX-License-Identifier: GPL-3.0-or-later */
/* After an explosion: who, when and why, with a scene that repeats it. */
#include <jansson.h>

#include "helper.h"

/* Grains at rest and far away, and two that meet at a speed their law cannot bear. A stage before
   lets some time pass, so that the last good state is not the first one. */
#define CRASH(speed, extra)                                                                        \
    "moraine: 1\n"                                                                                 \
    "title: Crash\n"                                                                               \
    "dimension: 3\n"                                                                               \
    "materials: {rubber: {density: 1000 kg/m3, young: 1 kPa, poisson: 0.4}}\n"                     \
    "interactions: [{between: [rubber, rubber], law: hertz-mindlin, restitution: 0.9, friction: "  \
    "0.3}]\n"                                                                                      \
    "bodies:\n"                                                                                    \
    "  - {name: idle, material: rubber, shape: {sphere: {radius: 1 cm}},\n"                        \
    "     place: {lattice: {kind: cubic, box: [[-1, -1, 1], [-0.9, -0.9, 1.1]], spacing: 3 "       \
    "cm}}}\n"                                                                                      \
    "  - {name: fast, material: rubber, shape: {sphere: {radius: 2 cm}},\n"                        \
    "     place: {list: [{position: [0, 0, 1], velocity: [" speed ", 0, 0]},\n"                    \
    "                    {position: [0.3, 0.001, 1]}, {position: [0.3401, 0.001, 1]}]}}\n"         \
    "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}, material: rubber}]\n"     \
    "gravity: [0, 0, 0]\n"                                                                         \
    "stages: [{name: wait, until: {steps: 10}}, {name: crash, at-most: 1 s}]\n" extra

static json_t *report_of(const char *dir)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/postmortem/report.json", dir);
    json_t *root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    return root;
}

static bool takes_part(const json_t *root, int id)
{
    size_t i;
    json_t *o;
    json_array_foreach(json_object_get(root, "grains"), i, o)
    {
        if (json_integer_value(json_object_get(o, "id")) == id)
            return true;
    }
    return false;
}

/* Runs the scene that was written; its outcome and largest overlap. */
static mrn_status run_again(const char *dir, mrn_message *msg)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/postmortem/scene.yaml", dir);
    mrn_scene scene = {0};
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    ok(mrn_scene_read(path, NULL, 0, &scene, msg), msg);
    mrn_status status = mrn_run(&scene, &opt, &r, msg);
    mrn_scene_destroy(&scene);
    return status;
}

static void test_story(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    opt.out = f.path;
    assert_int_equal(run_text(CRASH("30", ""), &opt, &r, &msg), MRN_EXPLODED);
    assert_non_null(strstr(r.postmortem, "postmortem"));
    assert_non_null(strstr(msg.hint, "postmortem"));
    const char *names[] = {"postmortem/report.txt", "postmortem/report.json",
                           "postmortem/scene.yaml", "postmortem/last-good.h5"};
    for (int i = 0; i < 4; i++)
        assert_true(there_is(f.path, names[i]));
    json_t *root = report_of(f.path);
    assert_string_equal(json_string_value(json_object_get(root, "sign")), "overlap");
    assert_string_equal(json_string_value(json_object_get(root, "cause")), "soft");
    /* it is about the fast one (the first after the idle) and the one it hits */
    int n_idle = 0;
    size_t n = json_array_size(json_object_get(root, "grains"));
    assert_true(n >= 2 && n <= 3);
    int grain = (int)json_integer_value(json_object_get(root, "grain"));
    int other = (int)json_integer_value(json_object_get(root, "other"));
    assert_true(takes_part(root, grain) && takes_part(root, other));
    for (size_t k = 0; k < n; k++) {
        json_t *o = json_array_get(json_object_get(root, "grains"), k);
        n_idle += strcmp(json_string_value(json_object_get(o, "group")), "idle") == 0;
    }
    assert_int_equal(n_idle, 0);
    /* they met after (0.3 - 0.04) m at 30 m/s; the search began before that */
    double h = json_number_value(json_object_get(root, "time-step"));
    double begin = (double)json_integer_value(json_object_get(root, "scene-begins-at-step")) * h;
    assert_float_equal(begin, 0.26 / 30, 5 * h);
    assert_float_equal(json_number_value(json_object_get(root, "closing-speed")), 30, 0.3);
    assert_true(json_number_value(json_object_get(root, "overlap")) > 0.5);
    json_decref(root);
    assert_int_equal(run_again(f.path, &msg), MRN_EXPLODED);
    remove_tree(f.path);
}

/* The post-mortem is no part of the run: without files the state ends with the same bits. */
static void test_costs_no_bit(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_run_options opt = mrn_run_default();
    mrn_run_result with, without;
    mrn_message msg = {0};
    assert_int_equal(run_text(CRASH("30", ""), &opt, &without, &msg), MRN_EXPLODED);
    opt.out = f.path;
    assert_int_equal(run_text(CRASH("30", ""), &opt, &with, &msg), MRN_EXPLODED);
    assert_int_equal(with.hash, without.hash);
    assert_int_equal(with.steps, without.steps);
    /* replaced by a run that is well, the post-mortem is gone */
    opt.overwrite = true;
    ok(run_text(CRASH("0.01", ""), &opt, &with, &msg), &msg);
    assert_false(there_is(f.path, "postmortem"));
    remove_tree(f.path);
}

/* A ball that its own fall squeezes into the floor: the wall is a plane of the minimal scene. */
static void test_with_a_wall(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    opt.out = f.path;
    assert_int_equal(
        run_text("moraine: 1\n"
                 "dimension: 2\n"
                 "materials: {jelly: {density: 1000 kg/m3, young: 50 Pa, poisson: 0.4}}\n"
                 "interactions: [{between: any, law: hertz-mindlin, restitution: 0.5, friction: "
                 "0.3}]\n"
                 "bodies: [{name: ball, material: jelly, shape: {sphere: {radius: 1 cm}},\n"
                 "          place: {list: [{position: [0, 3 cm], velocity: [0.1, 0], spin: 3}]}}]\n"
                 "walls: [{name: floor, plane: {point: [0, 0], normal: [0, 1]}, material: jelly}]\n"
                 "gravity: [0, -9.81]\n"
                 "stages: [{name: fall, at-most: 1 s}]\n",
                 &opt, &r, &msg),
        MRN_EXPLODED);
    json_t *root = report_of(f.path);
    assert_string_equal(json_string_value(json_object_get(root, "wall")), "floor");
    json_decref(root);
    assert_int_equal(run_again(f.path, &msg), MRN_EXPLODED);
    remove_tree(f.path);
}

/* A hard sphere that bounces to rest without a collapse time: no drive is to blame. */
static void test_collapse(void **unused)
{
    (void)unused;
    folder f = make_folder();
    mrn_run_options opt = mrn_run_default();
    mrn_run_result r;
    mrn_message msg = {0};
    opt.out = f.path;
    assert_int_equal(
        run_text("moraine: 1\n"
                 "method: event\n"
                 "materials: {bead: {density: 1000 kg/m3}}\n"
                 "interactions: [{between: any, law: rigid, restitution: 0.3, friction: 0}]\n"
                 "bodies: [{name: ball, shape: {sphere: {radius: 5 cm}},\n"
                 "          place: {list: [{position: [0, 0, 0.3]}]}}]\n"
                 "walls: [{name: floor, plane: {point: [0, 0, 0], normal: [0, 0, 1]}}]\n"
                 "gravity: [0, 0, -9.81]\n"
                 "event: {collapse-time: 0 s}\n"
                 "stages: [{at-most: 3 s}]\n",
                 &opt, &r, &msg),
        MRN_EXPLODED);
    json_t *root = report_of(f.path);
    assert_string_equal(json_string_value(json_object_get(root, "cause")), "events");
    assert_string_equal(json_string_value(json_object_get(root, "sign")), "events");
    assert_non_null(strstr(json_string_value(json_object_get(root, "cure")), "collapse-time"));
    json_decref(root);
    remove_tree(f.path);
}

int main(void)
{
    mrn_threads_set(1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_story),
        cmocka_unit_test(test_costs_no_bit),
        cmocka_unit_test(test_with_a_wall),
        cmocka_unit_test(test_collapse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
