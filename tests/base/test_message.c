/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages: what a person gets to read, with and without a place, never cut without its final zero;
   the word that was meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/base.h"

static void a_full_message(void **unused)
{
    (void)unused;
    mrn_message m = {0};
    assert_int_equal(mrn_fail(&m, MRN_ERR_INPUT, "radius is %g m", -2.0), MRN_ERR_INPUT);
    assert_int_equal(mrn_fail_at(&m, "scene.yaml", 7, 12), MRN_ERR_INPUT);
    assert_int_equal(mrn_fail_expected(&m, "a %s number", "positive"), MRN_ERR_INPUT);
    assert_int_equal(mrn_fail_hint(&m, "write %d mm", 2), MRN_ERR_INPUT);
    char text[400];
    int n = mrn_message_format(&m, text, sizeof text);
    assert_string_equal(text, "scene.yaml:7:12: error: radius is -2 m\n"
                              "  expected: a positive number\n"
                              "  hint: write 2 mm\n");
    assert_int_equal(n, (int)strlen(text));
}

static void empty_parts_leave_no_trace(void **unused)
{
    (void)unused;
    mrn_message m = {0};
    char text[400];
    mrn_fail(&m, MRN_ERR_IO, "disk full");
    mrn_message_format(&m, text, sizeof text);
    assert_string_equal(text, "error: disk full\n");
    mrn_fail_at(&m, "out.h5", 0, 0);
    mrn_message_format(&m, text, sizeof text);
    assert_string_equal(text, "out.h5: error: disk full\n");
    mrn_fail_hint(&m, "delete something");
    mrn_message_format(&m, text, sizeof text);
    assert_string_equal(text, "out.h5: error: disk full\n  hint: delete something\n");
}

/* Where no line is known the path says what is spoken of; a line says it better. */
static void a_path_stands_in_for_a_line(void **unused)
{
    (void)unused;
    mrn_message m = {0};
    char text[400];
    mrn_fail(&m, MRN_ERR_INPUT, "no direction");
    assert_int_equal(mrn_fail_path(&m, "walls.%d.motion", 2), MRN_ERR_INPUT);
    assert_int_equal(mrn_fail_path(NULL, "walls"), MRN_ERR_INPUT);
    mrn_message_format(&m, text, sizeof text);
    assert_string_equal(text, "walls.2.motion: error: no direction\n");
    mrn_fail_at(&m, "a.yaml", 0, 0);
    mrn_message_format(&m, text, sizeof text);
    assert_string_equal(text, "a.yaml: walls.2.motion: error: no direction\n");
    mrn_fail_at(&m, "a.yaml", 3, 4);
    mrn_message_format(&m, text, sizeof text);
    assert_string_equal(text, "a.yaml:3:4: error: no direction\n");
    mrn_fail(&m, MRN_ERR_INPUT, "another");
    assert_string_equal(m.path, "");
}

/* A message is filled anew each time: nothing of an older one may shine through. */
static void a_new_failure_forgets_the_old(void **unused)
{
    (void)unused;
    mrn_message m = {0};
    mrn_fail(&m, MRN_ERR_INPUT, "first");
    mrn_fail_at(&m, "a.yaml", 1, 2);
    mrn_fail_expected(&m, "this");
    mrn_fail_hint(&m, "that");
    mrn_fail(&m, MRN_EXPLODED, "grain 7 is at infinity");
    char text[200];
    mrn_message_format(&m, text, sizeof text);
    assert_string_equal(text, "stopped: grain 7 is at infinity\n");
}

static void long_texts_are_cut_and_ended(void **unused)
{
    (void)unused;
    mrn_message m = {0};
    char word[3000];
    memset(word, 'x', sizeof word);
    word[sizeof word - 1] = '\0';
    mrn_fail(&m, MRN_ERR_INPUT, "%s", word);
    mrn_fail_at(&m, word, 1, 1);
    mrn_fail_expected(&m, "%s", word);
    mrn_fail_hint(&m, "%s", word);
    assert_int_equal(strlen(m.text), sizeof m.text - 1);
    assert_int_equal(strlen(m.file), sizeof m.file - 1);
    assert_int_equal(strlen(m.expected), sizeof m.expected - 1);
    assert_int_equal(strlen(m.hint), sizeof m.hint - 1);

    char small[10], full[4096];
    int n = mrn_message_format(&m, small, sizeof small);
    assert_int_equal(strlen(small), sizeof small - 1);
    assert_int_equal(n, mrn_message_format(&m, full, sizeof full));
    assert_int_equal(n, (int)strlen(full));
}

static void no_message_wanted(void **unused)
{
    (void)unused;
    assert_int_equal(mrn_fail(NULL, MRN_ERR_RANGE, "unseen"), MRN_ERR_RANGE);
    assert_int_equal(mrn_fail_at(NULL, "x", 1, 1), MRN_ERR_INPUT);
    assert_int_equal(mrn_fail_expected(NULL, "x"), MRN_ERR_INPUT);
    assert_int_equal(mrn_fail_hint(NULL, "x"), MRN_ERR_INPUT);
}

static void every_status_has_its_own_name(void **unused)
{
    (void)unused;
    for (int a = MRN_ERR_INTERNAL; a <= MRN_NOT_CONVERGED; a++) {
        assert_non_null(mrn_status_text((mrn_status)a));
        assert_string_not_equal(mrn_status_text((mrn_status)a), "unknown status");
        for (int b = MRN_ERR_INTERNAL; b < a; b++)
            assert_string_not_equal(mrn_status_text((mrn_status)a), mrn_status_text((mrn_status)b));
    }
    assert_string_equal(mrn_status_text((mrn_status)99), "unknown status");
}

static void the_closest_word(void **unused)
{
    (void)unused;
    static const char *const words[] = {"friction", "restitution", "normal-stiffness", "law", "by"};
    int n = (int)(sizeof words / sizeof *words);
    assert_string_equal(mrn_closest_word("friction", words, n), "friction");
    assert_string_equal(mrn_closest_word("frction", words, n), "friction");   /* dropped  */
    assert_string_equal(mrn_closest_word("ffriction", words, n), "friction"); /* doubled  */
    assert_string_equal(mrn_closest_word("fricktoin", words, n), "friction"); /* swapped  */
    assert_string_equal(mrn_closest_word("resttiution", words, n), "restitution");
    assert_string_equal(mrn_closest_word("normal_stifness", words, n), "normal-stiffness");
    assert_string_equal(mrn_closest_word("lwa", words, n), "law");
    assert_null(mrn_closest_word("gravity", words, n));
    assert_null(mrn_closest_word("x", words, n)); /* as far from "by" as "by" is long */
    assert_null(mrn_closest_word("", words, n));
    assert_null(mrn_closest_word("law", words, 0));
}

/* The distance is bounded for words beyond its table: no match, no crash. */
static void words_too_long_to_be_close(void **unused)
{
    (void)unused;
    char monster[200];
    memset(monster, 'a', sizeof monster - 1);
    monster[sizeof monster - 1] = '\0';
    const char *words[] = {"aaa", "law"};
    assert_null(mrn_closest_word(monster, words, 2));
    const char *longer[] = {monster};
    assert_null(mrn_closest_word("aaa", longer, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_message),
        cmocka_unit_test(empty_parts_leave_no_trace),
        cmocka_unit_test(a_path_stands_in_for_a_line),
        cmocka_unit_test(a_new_failure_forgets_the_old),
        cmocka_unit_test(long_texts_are_cut_and_ended),
        cmocka_unit_test(no_message_wanted),
        cmocka_unit_test(every_status_has_its_own_name),
        cmocka_unit_test(the_closest_word),
        cmocka_unit_test(words_too_long_to_be_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
