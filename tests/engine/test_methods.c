/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of methods: names, completeness of every descriptor, and engines made from it, which go
   by steps and to a time alike. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/methods.h"
#include "moraine/moraine.h"

static void lists_of_any_length(void **state)
{
    (void)state;
    static const mrn_method a = {.name = "a"}, b = {.name = "b"}, again = {.name = "a"};
    const mrn_method *const list[] = {&a, &b, &again};
    assert_null(mrn_method_find_in(NULL, 0, "a"));
    assert_ptr_equal(mrn_method_find_in(list, 1, "a"), &a);
    assert_null(mrn_method_find_in(list, 1, "b"));
    assert_ptr_equal(mrn_method_find_in(list, 2, "b"), &b);
    assert_ptr_equal(mrn_method_find_in(list, 3, "a"), &a); /* the first of two */
    assert_null(mrn_method_find_in(list, 3, NULL));
}

static void names_are_unique(void **state)
{
    (void)state;
    assert_true(mrn_method_count() >= 3);
    for (int i = 0; i < mrn_method_count(); i++) {
        const mrn_method *m = mrn_method_at(i);
        assert_non_null(m);
        assert_true(strlen(m->name) > 0 && strlen(m->name) < MRN_NAME);
        assert_int_equal(strspn(m->name, "abcdefghijklmnopqrstuvwxyz-"), strlen(m->name));
        assert_ptr_equal(mrn_method_find(m->name), m); /* not so for the second of two of a name */
    }
    assert_null(mrn_method_at(-1));
    assert_null(mrn_method_at(mrn_method_count()));
    assert_null(mrn_method_find(""));
    assert_null(mrn_method_find("magic"));
}

static void descriptors_are_whole(void **state)
{
    (void)state;
    for (int i = 0; i < mrn_method_count(); i++) {
        const mrn_method *m = mrn_method_at(i);
        assert_true(mrn_method_summary(m)[0] != '\0' && m->doc[0] != '\0');
        assert_true(m->grains_per_thread > 0);
        assert_true(m->create != NULL && m->destroy != NULL && m->refresh != NULL);
        assert_true(m->advance != NULL && m->step_limit != NULL && m->times != NULL);
        assert_true((m->problem == NULL) == (m->keep_unsolved == NULL));
        assert_true(m->parts != 0 && m->parts >> MRN_STEP_PARTS == 0);
        assert_true((m->choices == NULL) == (m->choices_title == NULL));
        assert_true((m->column == NULL) == (m->n_columns == 0));
        for (int k = 0; k < m->n_columns; k++)
            assert_int_equal(mrn_probe_check(NULL, m->column[k].probe, NULL, NULL), MRN_OK);
    }
}

/* ---- engines ---- */

/* Three disks in a pile on the floor, at rest or nearly: every method takes them. */
static const char pile[] =
    "moraine: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "materials: {disk: {density: 2500 kg/m3}}\n"
    "interactions: [{between: any, law: linear, normal-stiffness: 1e6 N/m, stiffness-ratio: 0.5,"
    " restitution: 0.5, friction: 0.5}]\n"
    "quasistatic: {balanced: 1e-3}\n"
    "damping: {global: 50 1/s}\n"
    "walls: [{name: floor, plane: {point: [0, 0], normal: [0, 1]}}]\n"
    "bodies: [{name: disks, shape: {disk: {diameter: 0.02 m}}, place: {list: [[0, 0.009999999],"
    " [0.02, 0.009999999], [0.01, 0.0273]]}}]\n"
    "stages: [{name: rest, at-most: 0.1 s}]\n";

typedef struct rig {
    mrn_scene scene;
    mrn_state s;
    mrn_engine engine;
    mrn_message msg;
} rig;

static void need(const rig *r, mrn_status st)
{
    if (st != MRN_OK)
        fail_msg("%s (%s)", r->msg.text, r->msg.hint);
}

static void rig_open(rig *r, const mrn_method *m)
{
    char set[64];
    const char *const list[] = {set, "damping={global: 0 1/s}",
                                "bodies.disks.place={list: [[0, 0.0101], [0.0201, 0.0102], "
                                "[0.01, 0.03]]}"};
    memset(r, 0, sizeof *r);
    snprintf(set, sizeof set, "method=%s", m->name);
    /* hard disks do not overlap, and nothing damps their flights */
    need(r, mrn_scene_read_text(pile, "pile", list, m->continuous ? 3 : 1, &r->scene, &r->msg));
    mrn_step_limit limit;
    need(r, mrn_run_prepare(&r->scene, &r->s, &limit, &r->msg));
    need(r, mrn_engine_create(&r->scene, &r->s, NULL, &r->engine, &r->msg));
    assert_ptr_equal(r->engine.method, m);
}

static void rig_close(rig *r)
{
    mrn_engine_destroy(&r->engine);
    mrn_engine_destroy(&r->engine); /* twice does no harm */
    mrn_state_destroy(&r->s);
    mrn_scene_destroy(&r->scene);
}

/* Twelve steps are the same whether counted, or asked for as a time, or bounded by the other. */
static void time_and_steps_agree(void **state)
{
    (void)state;
    for (int i = 0; i < mrn_method_count(); i++) {
        rig r;
        uint64_t hash[3];
        for (int way = 0; way < 3; way++) {
            rig_open(&r, mrn_method_at(i));
            double until = r.s.time + 12.3 * r.s.h; /* the nearest step counts */
            if (way == 0)
                need(&r, mrn_engine_step(&r.engine, 12, &r.msg));
            else
                need(&r, mrn_engine_advance(&r.engine, way == 1 ? until : 2 * until,
                                            way == 1 ? 1000 : 12, &r.msg));
            assert_int_equal(r.s.step, 12);
            assert_int_equal(mrn_engine_times(&r.engine).steps, 12);
            need(&r, mrn_engine_advance(&r.engine, r.s.time, 5, &r.msg)); /* there already */
            assert_int_equal(r.s.step, 12);
            hash[way] = mrn_state_hash(&r.s);
            rig_close(&r);
        }
        assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    }
}

/* What a method does not have answers with nothing, and does no harm. */
static mrn_status keep(const mrn_problem *p, const double *r, const mrn_state *s, void *user,
                       mrn_message *msg)
{
    (void)p, (void)r, (void)s, (void)user, (void)msg;
    return MRN_OK;
}

static void what_is_missing_is_not_called(void **state)
{
    (void)state;
    mrn_engine none = {0};
    const double *impulse = NULL;
    assert_null(mrn_engine_problem(&none, NULL));
    assert_int_equal(mrn_engine_bytes(&none), 0);
    mrn_engine_destroy(&none);
    for (int i = 0; i < mrn_method_count(); i++) {
        const mrn_method *m = mrn_method_at(i);
        rig r;
        rig_open(&r, m);
        mrn_engine_keep_unsolved(&r.engine, keep, NULL, 1);
        need(&r, mrn_engine_step(&r.engine, 1, &r.msg));
        assert_int_equal(mrn_engine_problem(&r.engine, &impulse) != NULL, m->problem != NULL);
        assert_int_equal(mrn_engine_bytes(&r.engine) > 0, m->bytes != NULL);
        rig_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_of_any_length),           cmocka_unit_test(names_are_unique),
        cmocka_unit_test(descriptors_are_whole),         cmocka_unit_test(time_and_steps_agree),
        cmocka_unit_test(what_is_missing_is_not_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
