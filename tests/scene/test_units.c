/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantities with units: conversion to the last bit, and refusals that say what was expected. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/moraine.h"
#include "scene/units.h"

typedef struct good {
    const char *text, *unit;
    double value;
} good;

/* Decimal factors must give the very number a user would write in SI: compared without tolerance.
 */
static const good exact[] = {
    {"1e-3", "m", 1e-3},
    {"-2.5", "m", -2.5},
    {".5", "1", 0.5},
    {"+3", "s", 3},
    {"2 mm", "m", 0.002},
    {"3 mm", "m", 0.003},
    {"7 um", "m", 7e-6},
    {"7 µm", "m", 7e-6},
    {"4 cm", "m", 0.04},
    {"2mm", "m", 0.002},
    {"70 GPa", "Pa", 70e9},
    {"5 MPa", "Pa", 5e6},
    {"1.5 bar", "Pa", 1.5e5},
    {"2500 kg/m3", "kg/m3", 2500},
    {"2500 kg/m^3", "kg/m3", 2500},
    {"2500 kg m-3", "kg/m3", 2500},
    {"2.65 g/cm3", "kg/m3", 2650},
    {"10 us", "s", 1e-5},
    {"10 µs", "s", 1e-5},
    {"50 ns", "s", 5e-8},
    {"2 min", "s", 120},
    {"10 1/s", "1/s", 10},
    {"10 Hz", "1/s", 10},
    {"50 Hz", "Hz", 50},
    {"50 1/s", "Hz", 50},
    {"9.81 m/s2", "m/s2", 9.81},
    {"9.81 m/s^2", "m/s2", 9.81},
    {"25 percent", "1", 0.25},
    {"25 %", "1", 0.25},
    {"25 %", "percent", 25},
    {"25", "percent", 25},
    {"3 N m", "N m", 3},
    {"3 N m", "J", 3},
    {"10 kN/m", "N/m", 1e4},
    {"2 mJ/m2", "J/m2", 0.002},
    {"3 rad/s", "rad/s", 3},
    {"2.1 mm", "m", 0.0021},
    {"0,4", "1", 0.4}, /* the decimal comma */
    {"-2,5 mm", "m", -0.0025},
    {"0,125", "1", 0.125},
    {"1.8e-1 mm", "m", 1.8e-4},
    {"1.1E2 GPa", "Pa", 1.1e11},
    {"0.1 ms", "s", 1e-4},
    {"2 t", "kg", 2000},
    {"5 inch", "m", 0.127},
};

/* Factors with pi: one rounding in the factor and one in the product, each half a unit in the last
   place: 4e-16 is generous. */
static const good rounded[] = {
    {"180 deg", "rad", MRN_PI},       {"90 °", "rad", MRN_PI / 2},
    {"60 rpm", "rad/s", 2 * MRN_PI},  {"1 turn/s", "rad/s", 2 * MRN_PI},
    {"1 rev/s", "rad/s", 2 * MRN_PI}, {"180 deg/s", "rad/s", MRN_PI},
    {"3000 rpm", "Hz", 50},
};

static void test_good(void **state)
{
    mrn_units *u = *state;
    mrn_message msg;
    mrn_reading r;
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++) {
        const good *g = &exact[i];
        if (mrn_units_read(u, g->text, g->unit, &r, &msg) != MRN_OK)
            fail_msg("'%s': %s", g->text, msg.text);
        if (r.value != g->value)
            fail_msg("'%s' in %s: %.17g, not %.17g", g->text, g->unit, r.value, g->value);
    }
    for (size_t i = 0; i < sizeof rounded / sizeof rounded[0]; i++) {
        const good *g = &rounded[i];
        if (mrn_units_read(u, g->text, g->unit, &r, &msg) != MRN_OK)
            fail_msg("'%s': %s", g->text, msg.text);
        if (!(fabs(r.value - g->value) <= 4e-16 * fabs(g->value)))
            fail_msg("'%s' in %s: %.17g, not %.17g", g->text, g->unit, r.value, g->value);
    }
}

typedef struct bad {
    const char *text, *unit, *what;
} bad;

static const bad refused[] = {
    {"3 kg", "m", "'3 kg' is not a length"},
    {"3 m", "m/s", "is not a speed"},
    {"30 deg", "1", "is not a pure number"},
    {"0.5 rad", "1", "is not a pure number"},
    {"60 rpm", "1/s", "is not a rate"},
    {"5 Hz", "rad/s", "is not an angular velocity"},
    {"5 kHz", "rad/s", "is not an angular velocity"},
    {"5 foo", "m", "unknown unit 'foo'"},
    {"5 Gpa", "Pa", "unknown unit 'Gpa'"},
    {"1,500 mm", "m", "'1,500 mm'"}, /* or thousands? */
    {"1,5,2 mm", "m", "'1,5,2 mm'"},
    {",5 mm", "m", "',5 mm'"},
    {"nan", "m", "'nan'"},
    {"inf", "m", "'inf'"},
    {"-.inf", "m", "'-.inf'"},
    {"1e999", "m", "'1e999'"},
    {"1e300 Gm", "m", "'1e300 Gm'"},
    {"0x10", "m", "'0x10'"},
    {"", "m", "''"},
    {"mm", "m", "'mm'"},
    {"--3", "m", "'--3'"},
    {"5 m 3", "m", "'5 m 3'"},
    {"5 3 m", "m", "'5 3 m'"},
    {"5 3*m", "m", "'5 3*m'"},
    {"5 m/2", "m", "'5 m/2'"},
    {"20 degC", "m", "is not a length"},
    {"5 m since 2000", "m", "'5 m since 2000'"},
    {"5 mm @ 3", "m", "'5 mm @ 3'"},
    {"5 kg3000000000", "kg", "'5 kg3000000000'"},
    {"5 mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm", "m", "unknown unit"},
};

static void test_refused(void **state)
{
    mrn_units *u = *state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        mrn_message msg;
        mrn_reading r;
        const bad *b = &refused[i];
        if (mrn_units_read(u, b->text, b->unit, &r, &msg) != MRN_ERR_INPUT)
            fail_msg("'%s' was taken for %g %s", b->text, r.value, b->unit);
        if (strstr(msg.text, b->what) == NULL || msg.expected[0] == '\0')
            fail_msg("'%s': %s; %s", b->text, msg.text, msg.expected);
    }
}

static void test_public(void **state)
{
    (void)state;
    double v = 0;
    mrn_message msg;
    assert_int_equal(mrn_quantity("2 mm", "m", &v, &msg), MRN_OK);
    assert_true(v == 0.002);
    assert_int_equal(mrn_quantity("3 kg", "m", &v, &msg), MRN_ERR_INPUT);
    assert_string_equal(msg.text, "'3 kg' is not a length");
    assert_string_equal(msg.expected, "a length such as 2 mm");
    assert_true(v == 0.002);
    assert_int_equal(mrn_quantity("3 kg", "m", &v, NULL), MRN_ERR_INPUT);
}

/* A program that speaks German still reads points. */
static void test_locale(void **state)
{
    mrn_units *u = *state;
    mrn_message msg;
    mrn_reading r;
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL)
        skip();
    mrn_status s = mrn_units_read(u, "2.5 mm", "m", &r, &msg);
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(s, MRN_OK);
    assert_true(r.value == 0.0025);
}

static int open_units(void **state)
{
    mrn_message msg;
    return mrn_units_open((mrn_units **)state, &msg) == MRN_OK ? 0 : -1;
}

static int close_units(void **state)
{
    mrn_units_close((mrn_units **)state);
    return mrn_bytes_in_use() == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_public),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, open_units, close_units);
}
