/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers, durations and tables as the command prints them. */
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#include "../../apps/moraine/text.c"

static void test_si(void **unused)
{
    (void)unused;
    const struct {
        double v;
        const char *unit, *text;
    } cases[] = {
        {12.3e-6, "s", "12.3 µs"},
        {4.56e6, "Pa", "4.56 MPa"},
        {1.2e6, "", "1.2 M"},
        {0, "J", "0 J"},
        {-0.0015, "m", "-1.5 mm"},
        {999.96, "s", "1 ks"},
        {1000, "m", "1 km"},
        {1, "m", "1 m"},
        {0.5, "", "0.5"},
        {0.9, "1", "0.9"},
        {0, "1", "0"},
        {INFINITY, "1", "inf"},
        {1e-20, "1", "1.0e-20"},
        {0.002, "kg", "0.002 kg"},
        {0.25, "kg m2", "0.25 kg m2"},
        {-6.5e-19, "J", "-6.5e-19 J"},
        {INFINITY, "s", "inf s"},
        {3e15, "Pa", "3e+15 Pa"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_string_equal(mrn_readable_si(cases[i].v, cases[i].unit).s, cases[i].text);
    }
}

static void test_other_numbers(void **unused)
{
    (void)unused;
    assert_string_equal(mrn_readable_count(0).s, "0");
    assert_string_equal(mrn_readable_count(999).s, "999");
    assert_string_equal(mrn_readable_count(1234567).s, "1 234 567");
    assert_string_equal(mrn_readable_count(-1000).s, "-1 000");
    assert_string_equal(mrn_app_bytes(512).s, "512 B");
    assert_string_equal(mrn_app_bytes(1536).s, "1.5 KiB");
    assert_string_equal(mrn_app_duration(0.417).s, "0.42 s");
    assert_string_equal(mrn_app_duration(59.97).s, "1 min 00 s");
    assert_string_equal(mrn_app_duration(65).s, "1 min 05 s");
    assert_string_equal(mrn_app_duration(7620).s, "2 h 07 min");
    assert_string_equal(mrn_app_duration(NAN).s, "unknown");
    assert_int_equal(mrn_app_width("12 µs"), 5);
}

/* A table in memory: columns line up by what is seen, not by bytes. */
static void test_table(void **unused)
{
    (void)unused;
    char *text = NULL;
    size_t size = 0;
    FILE *f = tmpfile();
    assert_non_null(f);
    mrn_app_table t;
    mrn_app_table_begin(&t, 3, (const char *[]){"name", ">time", "what"});
    mrn_app_table_row(&t, (const char *[]){"a", "12 µs", "first"});
    mrn_app_table_row(&t, (const char *[]){"longer", "1 s", "second"});
    mrn_app_table_print(&t, f);
    rewind(f);
    assert_true(getline(&text, &size, f) > 0);
    assert_string_equal(text, "  name     time  what\n");
    assert_true(getline(&text, &size, f) > 0);
    assert_string_equal(text, "  a       12 µs  first\n");
    assert_true(getline(&text, &size, f) > 0);
    assert_string_equal(text, "  longer    1 s  second\n");
    free(text);
    fclose(f);
}

static void test_exit_codes(void **unused)
{
    (void)unused;
    assert_int_equal(mrn_app_exit_code(MRN_OK), 0);
    assert_int_equal(mrn_app_exit_code(MRN_AT_MOST), 0);
    assert_int_equal(mrn_app_exit_code(MRN_ERR_INPUT), 2);
    assert_int_equal(mrn_app_exit_code(MRN_ERR_IO), 2);
    assert_int_equal(mrn_app_exit_code(MRN_EXPLODED), 1);
    assert_int_equal(mrn_app_exit_code(MRN_ERR_MEMORY), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_si),
        cmocka_unit_test(test_other_numbers),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_exit_codes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
