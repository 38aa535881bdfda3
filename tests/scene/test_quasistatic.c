/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the quasi-static method needs from a scene: choices, and stages that change them and the
   method. What is refused stands in tests/scenes/broken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/moraine.h"

#define GOOD(name) MRN_TEST_SOURCE "/tests/scenes/good/" name ".yaml"

static mrn_scene read_scene(const char *path, const char *set)
{
    mrn_scene s;
    mrn_message msg = {0};
    if (mrn_scene_read(path, &set, set != NULL, &s, &msg) != MRN_OK) {
        char text[2048];
        mrn_message_format(&msg, text, sizeof text);
        fail_msg("%s", text);
    }
    return s;
}

static void test_defaults(void **unused)
{
    (void)unused;
    mrn_scene s = read_scene(GOOD("control-2d"), NULL);
    const mrn_quasistatic_options *q = &s.quasistatic;
    assert_string_equal(s.method->name, "smooth");
    assert_true(q->new_contacts && q->unstable == MRN_UNSTABLE_STOP);
    assert_int_equal(q->increments, 100);
    assert_true(q->tolerance == 1e-6 && q->balanced == 1e-4);
    mrn_scene_destroy(&s);
}

static void test_choices(void **unused)
{
    (void)unused;
    mrn_scene s = read_scene(GOOD("quasistatic"), NULL);
    const mrn_quasistatic_options *q = &s.quasistatic;
    assert_string_equal(s.method->name, "quasistatic");
    assert_true(!q->new_contacts && q->unstable == MRN_UNSTABLE_SMOOTH);
    assert_int_equal(q->increments, 40);
    assert_int_equal(q->max_iterations, 2000);
    assert_int_equal(q->max_steps, 1000000);
    assert_true(q->tolerance == 1e-8 && q->balanced == 1e-5);
    mrn_scene_destroy(&s);
}

/* Keys that a stage does not name stay as the stage before left them. */
static void test_stages(void **unused)
{
    (void)unused;
    static const char *const method[] = {"smooth", "quasistatic", "quasistatic", "smooth"};
    static const int64_t increments[] = {40, 40, 10, 10};
    mrn_scene s = read_scene(GOOD("quasistatic"), NULL);
    mrn_message msg = {0};
    for (int k = 0; k < s.n_stages; k++) {
        assert_int_equal(mrn_scene_enter_stage(&s, k, &msg), MRN_OK);
        assert_string_equal(s.method->name, method[k]);
        assert_int_equal(s.quasistatic.increments, increments[k]);
        assert_true(s.quasistatic.unstable == (k < 2 ? MRN_UNSTABLE_SMOOTH : MRN_UNSTABLE_STOP));
        assert_true(s.quasistatic.tolerance == 1e-8);
    }
    assert_int_equal(s.n_stages, 4);
    mrn_scene_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_stages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
