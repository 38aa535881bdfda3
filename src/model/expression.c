/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions of time: a recursive-descent compiler to a list of instructions for a small stack,
   and their evaluation together with the derivative. */
#include "model/expression.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* Values an expression may hold at once, and how deep it may nest: far beyond what a person writes,
   small enough that neither evaluation nor compilation can run out of stack. */
#define STACK_MAX   64
#define NESTING_MAX 100
#define WORD_MAX    32

enum code {
    PUSH,
    TIME,
    STAGE_TIME,
    NEGATE,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    POWER,
    FUNCTIONS, /* from here on: FUNCTIONS + index into the table below */
};

/* ---- values with their derivatives ---- */

typedef struct dual {
    double v, d; /* value; derivative with respect to time */
} dual;

/* f with slope f' at x: the derivative of what does not change is 0, even where f' is infinite. */
static dual chain(double f, double slope, dual x)
{
    return (dual){f, x.d == 0 ? 0 : slope * x.d};
}

static dual f_sin(const dual *x)
{
    return chain(sin(x->v), cos(x->v), *x);
}
static dual f_cos(const dual *x)
{
    return chain(cos(x->v), -sin(x->v), *x);
}
static dual f_tan(const dual *x)
{
    double f = tan(x->v);
    return chain(f, 1 + f * f, *x);
}
static dual f_asin(const dual *x)
{
    return chain(asin(x->v), 1 / sqrt(1 - x->v * x->v), *x);
}
static dual f_acos(const dual *x)
{
    return chain(acos(x->v), -1 / sqrt(1 - x->v * x->v), *x);
}
static dual f_atan(const dual *x)
{
    return chain(atan(x->v), 1 / (1 + x->v * x->v), *x);
}
static dual f_atan2(const dual *x)
{
    dual a = x[0], b = x[1];
    double turn = b.v * a.d - a.v * b.d;
    return (dual){atan2(a.v, b.v), turn == 0 ? 0 : turn / (a.v * a.v + b.v * b.v)};
}
static dual f_sinh(const dual *x)
{
    return chain(sinh(x->v), cosh(x->v), *x);
}
static dual f_cosh(const dual *x)
{
    return chain(cosh(x->v), sinh(x->v), *x);
}
static dual f_tanh(const dual *x)
{
    double f = tanh(x->v);
    return chain(f, 1 - f * f, *x);
}
static dual f_exp(const dual *x)
{
    return chain(exp(x->v), exp(x->v), *x);
}
static dual f_log(const dual *x)
{
    return chain(log(x->v), 1 / x->v, *x);
}
static dual f_sqrt(const dual *x)
{
    double f = sqrt(x->v);
    return chain(f, 0.5 / f, *x);
}
/* At a corner the derivative to the right: where the function goes from here on. */
static dual f_abs(const dual *x)
{
    if (x->v == 0)
        return (dual){0, fabs(x->d)};
    return x->v < 0 ? (dual){-x->v, -x->d} : *x;
}
static dual f_min(const dual *x)
{
    if (x[0].v == x[1].v)
        return x[0].d < x[1].d ? x[0] : x[1];
    return x[0].v < x[1].v || isnan(x[0].v) ? x[0] : x[1];
}
static dual f_max(const dual *x)
{
    if (x[0].v == x[1].v)
        return x[0].d > x[1].d ? x[0] : x[1];
    return x[0].v > x[1].v || isnan(x[0].v) ? x[0] : x[1];
}
static dual f_floor(const dual *x)
{
    return (dual){floor(x->v), 0};
}
static dual f_step(const dual *x)
{
    return (dual){isnan(x->v) ? x->v : x->v >= 0 ? 1 : 0, 0};
}

/* The line of an infinite beam on an elastic foundation under a load at 0 (Winkler, Zimmermann),
   with the length (4 EI/k)^(1/4) as unit: 1 at the load, slightly negative beyond 3 pi/4. */
static dual f_beam(const dual *x)
{
    double a = fabs(x->v), decay = exp(-a);
    return chain(decay * (cos(a) + sin(a)), (x->v < 0 ? 2 : -2) * decay * sin(a), *x);
}

static dual divide(dual a, dual b)
{
    double f = a.v / b.v;
    double change = a.d - f * b.d;
    return (dual){f, a.d == 0 && b.d == 0 ? 0 : change / b.v};
}

/* ramp(a, b, x): 0 at a, 1 at b, linear between; with a = b a step. */
static dual f_ramp(const dual *x)
{
    dual past = {x[2].v - x[0].v, x[2].d - x[0].d}, length = {x[1].v - x[0].v, x[1].d - x[0].d};
    if (length.v == 0)
        return f_step(&past);
    dual u = divide(past, length);
    if (u.v < 0 || (u.v == 0 && u.d < 0))
        return (dual){0, 0};
    if (u.v > 1 || (u.v == 1 && u.d > 0))
        return (dual){1, 0};
    return u;
}

static dual power(dual a, dual b)
{
    double f = pow(a.v, b.v);
    double of_base = a.d == 0 || b.v == 0 ? 0 : b.v * pow(a.v, b.v - 1) * a.d;
    double of_exponent = b.d == 0 || f == 0 ? 0 : f * log(a.v) * b.d;
    return (dual){f, of_base + of_exponent};
}

typedef struct function {
    const char *name;
    int arguments;
    dual (*value)(const dual *x);
} function;

static const function FUNCTION[] = {
    {"sin", 1, f_sin},     {"cos", 1, f_cos},   {"tan", 1, f_tan},     {"asin", 1, f_asin},
    {"acos", 1, f_acos},   {"atan", 1, f_atan}, {"atan2", 2, f_atan2}, {"sinh", 1, f_sinh},
    {"cosh", 1, f_cosh},   {"tanh", 1, f_tanh}, {"exp", 1, f_exp},     {"log", 1, f_log},
    {"sqrt", 1, f_sqrt},   {"abs", 1, f_abs},   {"min", 2, f_min},     {"max", 2, f_max},
    {"floor", 1, f_floor}, {"step", 1, f_step}, {"ramp", 3, f_ramp},   {"beam", 1, f_beam},
};
enum { N_FUNCTIONS = sizeof FUNCTION / sizeof FUNCTION[0] };

typedef struct constant {
    const char *name;
    int code;
    double number;
} constant;

static const constant CONSTANT[] = {
    {"t", TIME, 0},
    {"s", STAGE_TIME, 0},
    {"pi", PUSH, MRN_PI},
    {"e", PUSH, 2.71828182845904523536},
};
enum { N_CONSTANTS = sizeof CONSTANT / sizeof CONSTANT[0] };

/* ---- evaluation ---- */

static dual combine(int code, dual a, dual b)
{
    switch (code) {
    case ADD:
        return (dual){a.v + b.v, a.d + b.d};
    case SUBTRACT:
        return (dual){a.v - b.v, a.d - b.d};
    case MULTIPLY:
        return (dual){a.v * b.v, (a.d == 0 ? 0 : a.d * b.v) + (b.d == 0 ? 0 : a.v * b.d)};
    case DIVIDE:
        return divide(a, b);
    default:
        return power(a, b);
    }
}

double mrn_expression_value(const mrn_signal *s, mrn_instant at, double *rate)
{
    dual stack[STACK_MAX] = {{0, 0}};
    int n = 0;
    for (int i = 0; i < s->n_ops; i++) {
        int code = s->op[i].code;
        if (code == PUSH)
            stack[n++] = (dual){s->op[i].number, 0};
        else if (code == TIME || code == STAGE_TIME)
            stack[n++] = (dual){code == TIME ? at.t : at.s, 1};
        else if (code == NEGATE)
            stack[n - 1] = (dual){-stack[n - 1].v, -stack[n - 1].d};
        else if (code < FUNCTIONS) {
            n--;
            stack[n - 1] = combine(code, stack[n - 1], stack[n]);
        } else {
            const function *f = &FUNCTION[code - FUNCTIONS];
            n -= f->arguments - 1;
            stack[n - 1] = f->value(stack + n - 1);
        }
    }
    *rate = stack[0].d;
    return stack[0].v;
}

/* ---- compilation ---- */

typedef struct compiler {
    const char *text, *at;
    mrn_signal *out;
    int64_t capacity;
    int stack, nesting;
    bool timed; /* uses t or s */
    mrn_message *msg;
} compiler;

static mrn_status sum(compiler *c);

static mrn_status place(compiler *c, const char *where)
{
    mrn_fail_at(c->msg, NULL, 0, (int)(where - c->text) + 1);
    return MRN_ERR_INPUT;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char next(compiler *c)
{
    while (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r')
        c->at++;
    return *c->at;
}

static mrn_status emit(compiler *c, int code, double number, int grows)
{
    mrn_signal *s = c->out;
    c->stack += grows;
    if (c->stack > STACK_MAX) {
        mrn_fail(c->msg, MRN_ERR_INPUT, "expression too long: more than %d values at once",
                 STACK_MAX);
        return place(c, c->at);
    }
    if (mrn_grow(&s->op, &c->capacity, s->n_ops + 1, sizeof *s->op) != MRN_OK)
        return mrn_fail_memory(c->msg);
    s->op[s->n_ops++] = (mrn_signal_op){code, number};
    return MRN_OK;
}

/* What stands where something else was expected: one character (of several bytes if need be). */
static mrn_status unexpected(compiler *c, const char *expected)
{
    if (next(c) == '\0')
        mrn_fail(c->msg, MRN_ERR_INPUT, "expression '%.200s' ends too early", c->text);
    else {
        int length = 1;
        while (length < 4 && (c->at[length] & 0xC0) == 0x80)
            length++;
        mrn_fail(c->msg, MRN_ERR_INPUT, "unexpected '%.*s' in expression '%.200s'", length, c->at,
                 c->text);
    }
    mrn_fail_expected(c->msg, "%s", expected);
    return place(c, c->at);
}

/* Digits, a point, an exponent only if digits follow: `2e` is 2 and then the name e. Never hex, inf
   or nan, which strtod would take. */
static mrn_status number(compiler *c)
{
    const char *begin = c->at, *p = begin;
    while (is_digit(*p))
        p++;
    if (*p == '.')
        for (p++; is_digit(*p);)
            p++;
    if (*p == 'e' || *p == 'E') {
        const char *exponent = p + 1 + (p[1] == '+' || p[1] == '-');
        if (is_digit(*exponent))
            for (p = exponent; is_digit(*p);)
                p++;
    }
    char digits[128];
    size_t length = (size_t)(p - begin);
    double value = INFINITY;
    if (length < sizeof digits) {
        memcpy(digits, begin, length);
        digits[length] = '\0';
        value = strtod(digits, NULL);
    }
    if (!isfinite(value)) {
        mrn_fail(c->msg, MRN_ERR_INPUT, "number '%.*s' is too large",
                 length < 60 ? (int)length : 60, begin);
        return place(c, begin);
    }
    c->at = p;
    return emit(c, PUSH, value, 1);
}

static mrn_status unknown(compiler *c, const char *word, const char *begin)
{
    const char *known[N_FUNCTIONS + N_CONSTANTS];
    for (int i = 0; i < N_FUNCTIONS; i++)
        known[i] = FUNCTION[i].name;
    for (int i = 0; i < N_CONSTANTS; i++)
        known[N_FUNCTIONS + i] = CONSTANT[i].name;
    mrn_fail(c->msg, MRN_ERR_INPUT, "unknown name '%s' in an expression", word);
    mrn_fail_expected(c->msg,
                      "t (s since the start of the run), s (s since the start of the stage), "
                      "pi, e or a function: sin cos tan asin acos atan atan2 sinh cosh tanh "
                      "exp log sqrt abs min max floor step ramp");
    const char *near = mrn_closest_word(word, known, N_FUNCTIONS + N_CONSTANTS);
    if (near != NULL)
        mrn_fail_hint(c->msg, "did you mean '%s'?", near);
    return place(c, begin);
}

static mrn_status close_parenthesis(compiler *c, const char *open)
{
    if (next(c) == ')') {
        c->at++;
        return MRN_OK;
    }
    if (*c->at != '\0')
        return unexpected(c, "an operator or ')'");
    mrn_fail(c->msg, MRN_ERR_INPUT, "'(' without ')' in expression '%.200s'", c->text);
    return place(c, open);
}

static mrn_status call(compiler *c, const function *f, const char *begin)
{
    int given = 0;
    if (next(c) != '(') {
        mrn_fail(c->msg, MRN_ERR_INPUT, "function '%s' without its argument", f->name);
        mrn_fail_expected(c->msg, "'(' after '%s'", f->name);
        return place(c, begin);
    }
    const char *open = c->at++;
    if (next(c) != ')')
        for (bool more = true; more; given++) {
            mrn_status st = sum(c);
            if (st != MRN_OK)
                return st;
            more = next(c) == ',';
            c->at += more;
        }
    mrn_status st = close_parenthesis(c, open);
    if (st != MRN_OK)
        return st;
    if (given != f->arguments) {
        mrn_fail(c->msg, MRN_ERR_INPUT, "%d argument%s for '%s'", given, given == 1 ? "" : "s",
                 f->name);
        mrn_fail_expected(c->msg, "%d, separated by commas", f->arguments);
        return place(c, begin);
    }
    return emit(c, FUNCTIONS + (int)(f - FUNCTION), 0, 1 - f->arguments);
}

static mrn_status name(compiler *c)
{
    const char *begin = c->at;
    char word[WORD_MAX];
    size_t length = 0;
    for (; is_letter(*c->at) || is_digit(*c->at); c->at++)
        if (length + 1 < sizeof word)
            word[length++] = *c->at;
    word[length] = '\0';
    for (int i = 0; i < N_CONSTANTS; i++)
        if (strcmp(word, CONSTANT[i].name) == 0) {
            c->timed = c->timed || CONSTANT[i].code != PUSH;
            return emit(c, CONSTANT[i].code, CONSTANT[i].number, 1);
        }
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (strcmp(word, FUNCTION[i].name) == 0)
            return call(c, &FUNCTION[i], begin);
    return unknown(c, word, begin);
}

static mrn_status primary(compiler *c)
{
    char first = next(c);
    if (first == '(') {
        const char *open = c->at++;
        mrn_status st = sum(c);
        return st == MRN_OK ? close_parenthesis(c, open) : st;
    }
    if (is_digit(first) || (first == '.' && is_digit(c->at[1])))
        return number(c);
    if (is_letter(first))
        return name(c);
    return unexpected(c, "a number, a name, '-' or '('");
}

/* A sign binds less than ^: -t^2 is -(t^2); and t^-2 is allowed. */
static mrn_status signed_power(compiler *c)
{
    if (c->nesting++ >= NESTING_MAX) {
        mrn_fail(c->msg, MRN_ERR_INPUT, "expression nested deeper than %d", NESTING_MAX);
        return place(c, c->at);
    }
    mrn_status st;
    char first = next(c);
    if (first == '-' || first == '+') {
        c->at++;
        st = signed_power(c);
        if (st == MRN_OK && first == '-')
            st = emit(c, NEGATE, 0, 0);
    } else {
        st = primary(c);
        if (st == MRN_OK && next(c) == '^') {
            c->at++;
            st = signed_power(c);
            if (st == MRN_OK)
                st = emit(c, POWER, 0, -1);
        }
    }
    c->nesting--;
    return st;
}

static mrn_status product(compiler *c)
{
    mrn_status st = signed_power(c);
    while (st == MRN_OK && (next(c) == '*' || *c->at == '/')) {
        char sign = *c->at++;
        if (sign == '*' && *c->at == '*') {
            unexpected(c, "a number, a name or '('");
            return mrn_fail_hint(c->msg, "a power is written with ^");
        }
        st = signed_power(c);
        if (st == MRN_OK)
            st = emit(c, sign == '*' ? MULTIPLY : DIVIDE, 0, -1);
    }
    return st;
}

static mrn_status sum(compiler *c)
{
    mrn_status st = product(c);
    while (st == MRN_OK && (next(c) == '+' || *c->at == '-')) {
        char sign = *c->at++;
        st = product(c);
        if (st == MRN_OK)
            st = emit(c, sign == '+' ? ADD : SUBTRACT, 0, -1);
    }
    return st;
}

static mrn_status whole(compiler *c)
{
    if (next(c) == '\0') {
        mrn_fail(c->msg, MRN_ERR_INPUT, "empty expression");
        mrn_fail_expected(c->msg, "a formula of time such as 5e-3*sin(2*pi*50*t)");
        return place(c, c->text);
    }
    mrn_status st = sum(c);
    if (st == MRN_OK && next(c) != '\0')
        st = unexpected(c, *c->at == ')' ? "no ')' without '('"
                                         : "an operator (+ - * / ^) or the end");
    return st;
}

/* Without t and s an expression is a number: worked out once, and never infinite. */
static mrn_status fold(compiler *c)
{
    mrn_signal *s = c->out;
    double rate;
    if (c->timed)
        return MRN_OK;
    s->constant = mrn_expression_value(s, (mrn_instant){0, 0}, &rate);
    if (!isfinite(s->constant)) {
        mrn_fail(c->msg, MRN_ERR_INPUT, "expression '%.200s' is %g", c->text, s->constant);
        mrn_fail_expected(c->msg, "a finite number");
        return place(c, c->text);
    }
    mrn_free(s->op);
    s->op = NULL;
    s->n_ops = 0;
    s->kind = MRN_SIGNAL_CONSTANT;
    return MRN_OK;
}

mrn_status mrn_signal_expression(const char *text, mrn_signal *out, mrn_message *msg)
{
    *out = (mrn_signal){.kind = MRN_SIGNAL_EXPRESSION};
    compiler c = {.text = text, .at = text, .out = out, .msg = msg};
    mrn_status st = whole(&c);
    if (st == MRN_OK)
        st = fold(&c);
    if (st == MRN_OK && (out->text = mrn_strdup(text)) == NULL)
        st = mrn_fail_memory(msg);
    if (st != MRN_OK)
        mrn_signal_release(out);
    return st;
}
