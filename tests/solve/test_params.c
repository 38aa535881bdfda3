/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options from text: defaults, every kind, ranges, names that are nearly right. */
#include "world.h"

static const char *const orders[] = {"given", "random", "coloured", NULL};
static const mrn_param table[] = {
    {"relaxation", "omega", MRN_P_NUMBER, "1", 0, 2, true, false, 1, NULL, "…"},
    {"sweeps", "", MRN_P_NUMBER, "count", 1, 1e6, false, false, 10, NULL, "…"},
    {"order", "", MRN_P_CHOICE, "", 0, 0, false, false, 2, orders, "…"},
    {"warm", "", MRN_P_FLAG, "", 0, 0, false, false, 1, NULL, "…"},
    {"history", "", MRN_P_FILE, "", 0, 0, false, false, NAN, NULL, "…"},
    {"axis", "", MRN_P_VECTOR, "1", -INFINITY, INFINITY, false, false, NAN, NULL, "…"},
    {"width", "", MRN_P_NUMBER, "m", -INFINITY, 5, false, false, NAN, NULL, "…"},
    {"shift", "", MRN_P_NUMBER, "m", -3, INFINITY, false, false, 0, NULL, "…"},
};
enum { N = sizeof table / sizeof table[0] };

static mrn_status set(mrn_value *v, const char *name, const char *text, mrn_message *msg)
{
    *msg = (mrn_message){0};
    return mrn_params_set(table, N, v, "nlgs", name, text, msg);
}

static void defaults(void **state)
{
    (void)state;
    mrn_value v[N];
    memset(v, 0xff, sizeof v);
    mrn_params_defaults(table, N, v);
    assert_true(v[0].number == 1 && v[1].number == 10 && v[2].number == 2);
    assert_true(v[3].flag && isnan(v[6].number) && v[7].number == 0);
    for (int i = 0; i < N; i++)
        assert_true(!v[i].given && v[i].text[0] == '\0');
}

static void accepted(void **state)
{
    (void)state;
    mrn_value v[N];
    mrn_message msg;
    mrn_params_defaults(table, N, v);
    ok(set(v, "relaxation", "1.25", &msg), &msg);
    assert_true(v[0].number == 1.25 && v[0].given);
    ok(set(v, "relaxation", " 2 ", &msg), &msg);
    assert_true(v[0].number == 2);
    ok(set(v, "sweeps", "1e3", &msg), &msg);
    assert_true(v[1].number == 1000);
    ok(set(v, "order", "random", &msg), &msg);
    assert_true(v[2].number == 1 && v[2].given);
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    for (int i = 0; i < 6; i++) {
        ok(set(v, "warm", words[i], &msg), &msg);
        assert_true(v[3].flag == (i % 2 == 1));
    }
    ok(set(v, "history", "some/file.txt", &msg), &msg);
    assert_string_equal(v[4].text, "some/file.txt");
    ok(set(v, "width", "-1e30", &msg), &msg);
    ok(set(v, "shift", "-3", &msg), &msg);
    assert_true(v[7].number == -3);
}

/* Every refusal names the owner and leaves the option as it was. */
static void refuse(const char *name, const char *text, const char *in_text, const char *in_expected,
                   const char *in_hint)
{
    mrn_value v[N], before[N];
    mrn_message msg;
    mrn_params_defaults(table, N, v);
    memcpy(before, v, sizeof v);
    assert_int_equal(set(v, name, text, &msg), MRN_ERR_INPUT);
    assert_int_equal(msg.status, MRN_ERR_INPUT);
    assert_memory_equal(v, before, sizeof v);
    if (strstr(msg.text, "nlgs") == NULL || strstr(msg.text, name) == NULL ||
        strstr(msg.text, in_text) == NULL || strstr(msg.expected, in_expected) == NULL ||
        strstr(msg.hint, in_hint) == NULL)
        fail_msg("%s=%s: \"%s\" expected \"%s\" hint \"%s\"", name, text, msg.text, msg.expected,
                 msg.hint);
    assert_int_equal(mrn_params_set(table, N, v, "nlgs", name, text, NULL), MRN_ERR_INPUT);
}

static void refused(void **state)
{
    (void)state;
    char longer[400];
    memset(longer, 'a', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    refuse("relaxation", "0", "out of range", "above 0 and at most 2", "");
    refuse("relaxation", "2.0001", "out of range", "above 0 and at most 2", "");
    refuse("relaxation", "nan", "not a number", "a number", "");
    refuse("relaxation", "inf", "out of range", "a number", "");
    refuse("relaxation", "", "not a number", "a number", "");
    refuse("relaxation", "1.2x", "not a number", "a number", "");
    refuse("relaxation", "one", "not a number", "a number", "");
    refuse("sweeps", "2.5", "not a whole number", "a whole number from 1 to 1e+06", "");
    refuse("sweeps", "0", "out of range", "from 1", "");
    refuse("width", "5.1", "out of range", "at most 5", "");
    refuse("width", "-inf", "out of range", "at most 5", "");
    refuse("shift", "-4", "out of range", "from -3 on", "");
    refuse("order", "randon", "not known", "given, random, coloured", "\"random\"");
    refuse("order", "", "not known", "given, random, coloured", "");
    refuse("order", "1", "not known", "given, random, coloured", "");
    refuse("warm", "maybe", "neither true nor false", "true or false", "");
    refuse("history", longer, "longer", "", "");
    refuse("axis", "1,0,0", "cannot be given", "", "");
    refuse("relaxaton", "1", "no option", "relaxation, sweeps, order", "\"relaxation\"");
    refuse("xyzzy", "1", "no option", "relaxation, sweeps, order", "");
    refuse("", "1", "no option", "relaxation", "");
}

static void nothing_to_set(void **state)
{
    (void)state;
    mrn_message msg = {0};
    assert_int_equal(mrn_params_set(NULL, 0, NULL, "psor", "relaxation", "1", &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "psor has no options"));
    mrn_params_defaults(NULL, 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(accepted),
        cmocka_unit_test(refused),
        cmocka_unit_test(nothing_to_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
