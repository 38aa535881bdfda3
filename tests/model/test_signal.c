/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals: values and derivatives of expressions and tables, what is refused and where, strings
   that are no expressions, lack of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "moraine/signal.h"

static mrn_signal compiled(const char *text)
{
    mrn_signal s;
    mrn_message msg = {0};
    if (mrn_signal_expression(text, &s, &msg) != MRN_OK)
        fail_msg("%s: %s", text, msg.text);
    assert_string_equal(s.text, text);
    return s;
}

static double value(const char *text, double t, double s, double *rate)
{
    mrn_signal f = compiled(text);
    double v = mrn_signal_value(&f, (mrn_instant){t, s}, rate);
    mrn_signal_release(&f);
    return v;
}

#define assert_near(a, b, tolerance)                                                               \
    do {                                                                                           \
        double a_ = (a), b_ = (b);                                                                 \
        if (!(fabs(a_ - b_) <= (tolerance)))                                                       \
            fail_msg("%s = %.17g, expected %.17g", #a, a_, b_);                                    \
    } while (0)

static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double expected;
    } CASE[] = {
        {"1", 1},
        {"1 - 2 - 3", -4},
        {"2*3 + 4*5", 26},
        {"12 / 3 / 2", 2},
        {"2^3^2", 512},
        {"-2^2", -4},
        {"2^-2", 0.25},
        {"--3", 3},
        {"+-+3", -3},
        {"(1 + 2)*(3 + 4)", 21},
        {".5 + 5. + 1e-1 + 1E+1", 15.6},
        {"2*e", 2 * 2.718281828459045},
        {"t*10 + s", 32},
        {"atan2(1, -1)", 0.75 * MRN_PI},
        {"min(t, s) + 10*max(t, s)", 32},
        {"floor(-1.5)", -2},
        {"step(-1e-9) + 2*step(0) + 4*step(1)", 6},
        {"ramp(1, 3, 0) + 10*ramp(1, 3, 2) + 100*ramp(1, 3, 5)", 105},
        {"ramp(2, 2, 1.9) + 10*ramp(2, 2, 2)", 10},
        {"abs(-t) + sqrt(16)", 7},
        {"exp(log(5))", 5},
        {"sinh(1)^2 - cosh(1)^2", -1},
        {"\t5e-3 *\n sin(2*pi*50*0.005)", 5e-3},
        {"0.5*(1 - cos(pi*ramp(0, 2, s)))", 0.5},
    };
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        double v = value(CASE[i].text, 3, CASE[i].expected == 0.5 ? 1 : 2, NULL);
        /* a few roundings of numbers of order 10 to 500 */
        if (!(fabs(v - CASE[i].expected) <= 1e-13 * (1 + fabs(CASE[i].expected))))
            fail_msg("%s = %.17g, expected %.17g", CASE[i].text, v, CASE[i].expected);
    }
}

/* Against central differences of step 1e-6 (error of order 1e-12 in theory, 1e-10 by rounding) at
   places where all functions are smooth. */
static void test_derivatives(void **state)
{
    (void)state;
    static const char *const TEXT[] = {
        "t",
        "s*t",
        "5e-3*sin(2*pi*5*t)",
        "cos(t)*tan(t/3)",
        "asin(t/3) + acos(t/4) + atan(t)",
        "atan2(t, 1 + t^2)",
        "sinh(t) - cosh(2*t) + tanh(t)",
        "exp(-t)*log(1 + t)",
        "sqrt(t)/(1 + t^3)",
        "t^t",
        "2^t",
        "t^-1.5",
        "(-t)^3",
        "abs(t - 5) + abs(t)",
        "min(t, 1) + max(t, 2*t)",
        "floor(t) + step(t - 0.1)",
        "ramp(0, 1 + t, 0.5*t)",
        "1/t/t",
        "-(t - 3)^2^2",
    };
    for (size_t i = 0; i < sizeof TEXT / sizeof TEXT[0]; i++)
        for (double t = 0.31; t < 1.9; t += 0.37) {
            double rate, d = 1e-6;
            value(TEXT[i], t, t, &rate);
            double up = value(TEXT[i], t + d, t + d, NULL),
                   down = value(TEXT[i], t - d, t - d, NULL);
            double slope = (up - down) / (2 * d);
            if (!(fabs(rate - slope) <= 1e-8 * (1 + fabs(slope))))
                fail_msg("d/dt %s at %g: %.12g, differences give %.12g", TEXT[i], t, rate, slope);
        }
}

/* The derivative is the one to the right; what does not change has none, even at a pole. */
static void test_corners(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double rate;
    } AT_ZERO[] = {
        {"abs(t)", 1},
        {"abs(-t)", 1},
        {"max(0, t)", 1},
        {"max(t, 0)", 1},
        {"min(0, t)", 0},
        {"min(t, 0)", 0},
        {"ramp(0, 2, t)", 0.5},
        {"ramp(-1, 0, t)", 0},
        {"ramp(0, 1, -t)", 0},
        {"ramp(0, 2, 2 - t)", -0.5},
        {"step(t)", 0},
        {"t^2", 0},
        {"t^1", 1},
        {"0*sqrt(0*t)", 0},
        {"sqrt(0) + t", 1},
        {"t^0", 0},
        {"0^(1 + t)", 0},
        {"abs(t^3)", 0},
    };
    for (size_t i = 0; i < sizeof AT_ZERO / sizeof AT_ZERO[0]; i++) {
        double rate;
        value(AT_ZERO[i].text, 0, 0, &rate);
        if (rate != AT_ZERO[i].rate)
            fail_msg("d/dt %s at 0: %g, expected %g", AT_ZERO[i].text, rate, AT_ZERO[i].rate);
    }
}

static void test_without_time_is_a_constant(void **state)
{
    (void)state;
    mrn_signal s = compiled("2*(3 - 1.5*2)");
    assert_int_equal(s.kind, MRN_SIGNAL_CONSTANT);
    assert_true(mrn_signal_is_zero(&s));
    mrn_signal_release(&s);
    s = compiled("0*s");
    assert_int_equal(s.kind, MRN_SIGNAL_EXPRESSION);
    mrn_signal_release(&s);
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int column;
        const char *in_text, *in_expected, *in_hint;
    } CASE[] = {
        {"", 1, "empty", "formula", ""},
        {"   ", 1, "empty", "formula", ""},
        {"2*sim(t)", 3, "unknown name 'sim'", "sin", "did you mean 'sin'?"},
        {"x", 1, "unknown name 'x'", "pi", ""},
        {"sin", 1, "without its argument", "'('", ""},
        {"sin()", 1, "0 arguments for 'sin'", "1,", ""},
        {"1 + sin(t, 2)", 5, "2 arguments for 'sin'", "1,", ""},
        {"max(t)", 1, "1 argument for 'max'", "2,", ""},
        {"ramp(1, 2)", 1, "2 arguments for 'ramp'", "3,", ""},
        {"(1 + t", 1, "'(' without ')'", "", ""},
        {"2*(1 + (t)", 3, "'(' without ')'", "", ""},
        {"sin(t", 4, "'(' without ')'", "", ""},
        {"1 + t)", 6, "unexpected ')'", "without '('", ""},
        {"2 t", 3, "unexpected 't'", "operator", ""},
        {"2e t", 2, "unexpected 'e'", "operator", ""},
        {"1 +", 4, "ends too early", "number", ""},
        {"*3", 1, "unexpected '*'", "number", ""},
        {"2**3", 3, "unexpected '*'", "number", "written with ^"},
        {"1,2", 2, "unexpected ','", "operator", ""},
        {"5 \xC2\xB5", 3, "unexpected '\xC2\xB5'", "operator", ""},
        {"t > 3", 3, "unexpected '>'", "operator", ""},
        {"0x10", 2, "unexpected 'x'", "operator", ""},
        {"inf", 1, "unknown name", "", ""},
        {"1e999", 1, "too large", "", ""},
        {"1/0", 1, "is inf", "finite", ""},
        {"log(-1)", 1, "nan", "finite", ""},
        {"sin(,t)", 5, "unexpected ','", "number", ""},
        {"max(t,)", 7, "unexpected ')'", "number", ""},
    };
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        mrn_signal s;
        mrn_message msg = {0};
        if (mrn_signal_expression(CASE[i].text, &s, &msg) != MRN_ERR_INPUT)
            fail_msg("'%s' is accepted", CASE[i].text);
        if (msg.column != CASE[i].column || strstr(msg.text, CASE[i].in_text) == NULL ||
            strstr(msg.expected, CASE[i].in_expected) == NULL ||
            strstr(msg.hint, CASE[i].in_hint) == NULL)
            fail_msg("'%s': column %d, '%s', expected '%s', hint '%s'", CASE[i].text, msg.column,
                     msg.text, msg.expected, msg.hint);
        assert_null(s.text);
        assert_null(s.op);
        assert_int_equal(mrn_signal_expression(CASE[i].text, &s, NULL), MRN_ERR_INPUT);
    }
}

/* A program of any length is fine, but not any depth: of values waiting, or of parentheses. */
static void test_size(void **state)
{
    (void)state;
    enum { LONG = 20000 };
    char *text = malloc(LONG + 1);
    assert_non_null(text);
    for (int i = 0; i < LONG; i += 2)
        memcpy(text + i, "t+", 2);
    text[LONG - 1] = '\0';
    assert_near(value(text, 0.5, 0, NULL), 0.25 * LONG, 0);
    mrn_signal s;
    mrn_message msg = {0};
    static const char *const HEAD[] = {"(", "-", "t+(", "t^", "sin(", "ramp(t,t,"};
    for (size_t k = 0; k < sizeof HEAD / sizeof HEAD[0]; k++) {
        size_t n = strlen(HEAD[k]), at = 0;
        for (; at + n + 1 < LONG; at += n)
            memcpy(text + at, HEAD[k], n);
        text[at] = '\0';
        assert_int_equal(mrn_signal_expression(text, &s, &msg), MRN_ERR_INPUT);
        assert_non_null(strstr(msg.text, "expression"));
    }
    free(text);
    /* sixty values waiting for their operators are allowed, and right */
    char nested[512] = "";
    for (int i = 0; i < 60; i++)
        strcat(nested, "t+(");
    strcat(nested, "t");
    for (int i = 0; i < 60; i++)
        strcat(nested, ")");
    assert_near(value(nested, 1, 0, NULL), 61, 0);
}

/* Strings of the alphabet of expressions, most of them wrong: never a crash, and what is accepted
   can be evaluated and copied. */
static void test_random_strings(void **state)
{
    (void)state;
    static const char *const PIECE[] = {"t",    "s",    "pi", "e", "1",  "2.5",   "1e3",  ".",
                                        "+",    "-",    "*",  "/", "^",  "(",     ")",    ",",
                                        "sin(", "max(", "x",  " ", "e-", "ramp(", "\xff", "step("};
    enum { PIECES = sizeof PIECE / sizeof PIECE[0] };
    mrn_rng rng = mrn_rng_seed(7, 1);
    int accepted = 0;
    for (int i = 0; i < 50000; i++) {
        char text[128] = "";
        int n = (int)(mrn_rng_next(&rng) % 9);
        for (int k = 0; k < n; k++)
            strcat(text, PIECE[mrn_rng_next(&rng) % PIECES]);
        mrn_signal s, copy;
        mrn_message msg = {0};
        mrn_status st = mrn_signal_expression(text, &s, &msg);
        if (st == MRN_OK) {
            double a, b;
            assert_int_equal(mrn_signal_copy(&s, &copy, &msg), MRN_OK);
            double v = mrn_signal_value(&s, (mrn_instant){0.3, 0.1}, &a);
            double u = mrn_signal_value(&copy, (mrn_instant){0.3, 0.1}, &b);
            assert_true(v == u || (isnan(v) && isnan(u)));
            mrn_signal_release(&copy);
            accepted++;
        } else {
            assert_int_equal(st, MRN_ERR_INPUT);
            assert_in_range(msg.column, 1, (int)strlen(text) + 1);
            assert_true(msg.text[0] != '\0');
        }
        mrn_signal_release(&s);
    }
    assert_true(accepted > 1000);
}

static void test_table(void **state)
{
    (void)state;
    double time[] = {1, 2, 4}, v[] = {10, 20, 0}, rate;
    mrn_signal s;
    mrn_message msg;
    assert_int_equal(mrn_signal_table(time, v, 3, &s, &msg), MRN_OK);
    static const double AT[][3] = {{0, 10, 0},   {1, 10, 10}, {1.5, 15, 10}, {2, 20, -10},
                                   {3, 10, -10}, {4, 0, 0},   {9, 0, 0}};
    for (size_t i = 0; i < sizeof AT / sizeof AT[0]; i++) {
        assert_near(mrn_signal_value(&s, (mrn_instant){AT[i][0], 77}, &rate), AT[i][1], 1e-14);
        assert_near(rate, AT[i][2], 1e-14);
    }
    mrn_signal copy;
    assert_int_equal(mrn_signal_copy(&s, &copy, &msg), MRN_OK);
    mrn_signal_release(&s);
    assert_near(mrn_signal_value(&copy, (mrn_instant){3, 0}, NULL), 10, 1e-14);
    mrn_signal_release(&copy);
    mrn_signal_release(&copy);
    assert_int_equal(mrn_signal_table(time, v, 1, &s, &msg), MRN_OK);
    assert_near(mrn_signal_value(&s, (mrn_instant){3, 0}, &rate), 10, 0);
    mrn_signal_release(&s);
    assert_int_equal(mrn_signal_table(time, v, 0, &s, &msg), MRN_ERR_INPUT);
    time[2] = 2;
    assert_int_equal(mrn_signal_table(time, v, 3, &s, &msg), MRN_ERR_INPUT);
    assert_non_null(strstr(msg.text, "row 3"));
    time[2] = NAN;
    assert_int_equal(mrn_signal_table(time, v, 3, &s, &msg), MRN_ERR_INPUT);
}

static mrn_status make_and_copy(void)
{
    double time[] = {1, 2}, v[] = {3, 4};
    mrn_signal s = {0}, copy = {0}, table = {0}, other = {0};
    mrn_status st = mrn_signal_expression("1+sin(t)*(2-t^(1+s)/max(t,s))+cos(t)", &s, NULL);
    if (st == MRN_OK)
        st = mrn_signal_copy(&s, &copy, NULL);
    if (st == MRN_OK)
        st = mrn_signal_table(time, v, 2, &table, NULL);
    if (st == MRN_OK)
        st = mrn_signal_copy(&table, &other, NULL);
    mrn_signal_release(&s);
    mrn_signal_release(&copy);
    mrn_signal_release(&table);
    mrn_signal_release(&other);
    return st;
}

static void test_lack_of_memory(void **state)
{
    (void)state;
    size_t before = mrn_bytes_in_use();
    int64_t first = mrn_alloc_count();
    assert_int_equal(make_and_copy(), MRN_OK);
    int64_t n = mrn_alloc_count() - first;
    assert_true(n >= 6);
    for (int64_t k = 1; k <= n; k++) {
        mrn_alloc_fail_at(k);
        assert_int_equal(make_and_copy(), MRN_ERR_MEMORY);
        assert_int_equal(mrn_bytes_in_use(), before);
    }
    mrn_alloc_fail_at(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),         cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_corners),        cmocka_unit_test(test_without_time_is_a_constant),
        cmocka_unit_test(test_errors),         cmocka_unit_test(test_size),
        cmocka_unit_test(test_random_strings), cmocka_unit_test(test_table),
        cmocka_unit_test(test_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
