/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals of a scene: a quantity with its unit, an expression of time, or a mapping with an
   expression or a table and the unit of its values. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "scene/check.h"
#include "scene/loads.h"

/* "2 mm", "-9.81", "0.1 1/s": a number and at most a unit. All else is an expression. */
static bool looks_like_quantity(const char *text)
{
    const char *p = text + strspn(text, "+-");
    size_t digits = strspn(p, "0123456789."), more;
    if (digits == 0 || p - text > 1)
        return false;
    p += digits;
    if ((*p == 'e' || *p == 'E') && (more = strspn(p + 1, "+-")) <= 1 &&
        isdigit((unsigned char)p[1 + more]))
        p += 1 + more + strspn(p + 1 + more, "0123456789");
    p += strspn(p, " ");
    return *p == '\0' || isalpha((unsigned char)*p) || (*p & 0x80) != 0 || strchr("%,", *p) ||
           strncmp(p, "1/", 2) == 0 || isdigit((unsigned char)*p);
}

/* ---- expressions ---- */

/* The compiler counts columns from the begin of the text; the file has it further on. */
static mrn_status place_expression(const mrn_check *c, const mrn_node *n, const char *what)
{
    mrn_message *msg = c->msg;
    int at = msg->column > 0 ? msg->column - 1 : 0;
    char text[sizeof msg->text];
    snprintf(text, sizeof text, "%s: %.900s", what, msg->text);
    memcpy(msg->text, text, sizeof text);
    msg->line = msg->column = 0;
    msg->file[0] = '\0';
    msg->status = MRN_ERR_INPUT;
    mrn_tree_place(c->tree, n, msg);
    if (n->set == 0 && msg->column > 0)
        msg->column += at + (n->plain ? 0 : 1);
    if (msg->expected[0] == '\0')
        mrn_fail_expected(msg, "a quantity, or an expression of t and s");
    return MRN_ERR_INPUT;
}

/* A value that is not finite at the start is a slip: `1/s` is a division by the stage's time. */
static mrn_status check_start(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                              const char *what, const mrn_signal *x, double factor)
{
    double v = factor * mrn_signal_value(x, (mrn_instant){0, 0}, NULL);
    if (!isfinite(v)) {
        mrn_check_fail(c, n, "an expression with a finite value at all times",
                       "%s: '%.80s' is not finite at t = s = 0", what, n->text);
        return mrn_fail_hint(c->msg, "for a unit write a number before it, such as 1 %s", f->unit);
    }
    if (v < f->min || v > f->max || (f->min_open && v <= f->min))
        return mrn_check_fail(c, n, "a value in range at all times",
                              "%s is out of range: '%.80s' begins with %g", what, n->text, v);
    return MRN_OK;
}

static mrn_status check_expression(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                                   const char *what, double factor)
{
    mrn_signal x = {0};
    *c->msg = (mrn_message){0};
    mrn_status s = mrn_signal_expression(n->text, &x, c->msg);
    if (s == MRN_ERR_MEMORY)
        return s;
    s = s == MRN_OK ? check_start(c, f, n, what, &x, factor) : place_expression(c, n, what);
    mrn_signal_release(&x);
    return s;
}

/* ---- checking ---- */

/* What one unit of the values is in SI, times `scale`. */
static mrn_status read_factor(const mrn_check *c, const mrn_node *map, const char *si, double *out)
{
    const mrn_node *unit = mrn_node_get(map, "unit"), *scale = mrn_node_get(map, "scale");
    *out = 1;
    mrn_status s = MRN_OK;
    if (unit != NULL) {
        char text[100];
        mrn_reading r;
        snprintf(text, sizeof text, "1 %.90s", unit->text);
        s = mrn_units_read(c->units, text, si, &r, c->msg);
        if (s == MRN_ERR_INPUT) {
            mrn_check_fail(c, unit, NULL, "'unit': '%.40s' is no unit of %s", unit->text,
                           mrn_unit_noun(si));
            return mrn_fail_expected(c->msg, "a unit as in %s", mrn_unit_example(si));
        }
        if (s != MRN_OK)
            return s;
        *out = r.value;
    }
    double factor = 1;
    if (scale != NULL)
        s = mrn_read_quantity(c, scale, "1", &factor);
    *out *= factor;
    return s;
}

/* A load by its name: made, and looked at as its expression. */
static mrn_status check_load(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                             const char *what, double factor)
{
    mrn_signal x = {0};
    char *text;
    mrn_status s = mrn_load_expression(c, n, f->unit, &text);
    if (s == MRN_OK)
        s = mrn_signal_expression(text, &x, c->msg);
    mrn_free(text);
    if (s == MRN_OK)
        s = check_start(c, f, n->key, what, &x, factor);
    mrn_signal_release(&x);
    return s;
}

static mrn_status check_map(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                            const char *what)
{
    const mrn_node *expression = mrn_node_get(n, "expression"), *column = mrn_node_get(n, "column");
    double factor;
    mrn_status s = mrn_check_first(c, f->map, n, what);
    if (s == MRN_OK)
        s = read_factor(c, n, f->unit, &factor);
    if (s != MRN_OK || mrn_node_get(n, "table") != NULL)
        return s;
    if (column != NULL)
        return mrn_check_fail(c, column->key, "column: with table: alone",
                              "'column' has no meaning with '%s'",
                              expression != NULL ? "expression" : mrn_load_node(n)->key->text);
    if (expression == NULL)
        return check_load(c, f, mrn_load_node(n), what, factor);
    return check_expression(c, f, expression, what, factor);
}

mrn_status mrn_check_signal(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                            const char *what)
{
    if (n->kind == MRN_NODE_MAP)
        return check_map(c, f, n, what);
    if (n->kind != MRN_NODE_SCALAR || mrn_node_is_null(n))
        return mrn_check_fail_kind(c, f, n, what);
    if (!looks_like_quantity(n->text))
        return check_expression(c, f, n, what, 1);
    mrn_schema quantity = *f;
    quantity.kind = MRN_SCHEMA_QUANTITY;
    mrn_status s = mrn_check_scalar(c, &quantity, n, what);
    if (s == MRN_ERR_INPUT && strpbrk(n->text, "(*^") != NULL)
        mrn_fail_hint(c->msg, "in an expression numbers are SI and have no units; for others write "
                              "{expression: …, unit: …}");
    return s;
}

mrn_status mrn_check_signals(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                             const char *what)
{
    mrn_schema one = *f;
    one.kind = MRN_SCHEMA_SIGNAL;
    if (f->kind == MRN_SCHEMA_TURNS && c->dimension == 2)
        return n->kind == MRN_NODE_LIST ? mrn_check_fail_kind(c, f, n, what)
                                        : mrn_check_signal(c, &one, n, what);
    if (n->kind != MRN_NODE_LIST)
        return mrn_check_fail_kind(c, f, n, what);
    if (n->n != c->dimension)
        return mrn_check_fail_components(c, f, n, what);
    mrn_status s = MRN_OK;
    for (const mrn_node *x = n->first; x != NULL && s == MRN_OK; x = x->next)
        s = mrn_check_signal(c, &one, x, what);
    return s;
}

/* ---- reading ---- */

void mrn_factor_text(double value, char *buf, size_t size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buf, size, value < 0 ? "(%.*g)" : "%.*g", digits, value);
        if (strtod(buf + (value < 0), NULL) == value)
            break;
    }
    char *comma = strchr(buf, ','); /* the point of a foreign locale */
    if (comma != NULL)
        *comma = '.';
}

/* An expression times a number: one more factor in its text. */
static mrn_status scaled_expression(const mrn_check *c, const char *text, double factor,
                                    mrn_signal *out)
{
    if (factor == 1)
        return mrn_signal_expression(text, out, c->msg);
    char *product = NULL;
    size_t size = strlen(text) + 40;
    mrn_status s = mrn_array(&product, (int64_t)size, 1, c->msg);
    if (s != MRN_OK)
        return s;
    mrn_factor_text(factor, product, size);
    size_t at = strlen(product);
    snprintf(product + at, size - at, "*(%s)", text);
    s = mrn_signal_expression(product, out, c->msg);
    mrn_free(product);
    return s;
}

static mrn_status read_load(const mrn_check *c, const mrn_node *n, const char *unit, double factor,
                            mrn_signal *out)
{
    char *text;
    mrn_status s = mrn_load_expression(c, n, unit, &text);
    if (s == MRN_OK)
        s = scaled_expression(c, text, factor, out);
    mrn_free(text);
    return s;
}

static mrn_status read_table(const mrn_check *c, const mrn_node *n, double factor, mrn_signal *out)
{
    const mrn_node *file = mrn_node_get(n, "table");
    mrn_status s = mrn_read_series(c, file, mrn_node_get(n, "column"), factor, out);
    if (s != MRN_OK)
        return s;
    out->text = mrn_strdup(file->text);
    if (out->text != NULL)
        return MRN_OK;
    mrn_signal_release(out);
    return mrn_fail_memory(c->msg);
}

mrn_status mrn_read_signal(const mrn_check *c, const mrn_node *n, const char *unit, mrn_signal *out)
{
    double value = 0, factor;
    mrn_status s;
    if (n->kind == MRN_NODE_MAP) {
        const mrn_node *expression = mrn_node_get(n, "expression");
        s = read_factor(c, n, unit, &factor);
        if (s != MRN_OK)
            return s;
        if (mrn_load_node(n) != NULL)
            return read_load(c, mrn_load_node(n), unit, factor, out);
        return expression != NULL ? scaled_expression(c, expression->text, factor, out)
                                  : read_table(c, n, factor, out);
    }
    if (!looks_like_quantity(n->text))
        return mrn_signal_expression(n->text, out, c->msg);
    s = mrn_read_quantity(c, n, unit, &value);
    if (s == MRN_OK)
        *out = mrn_signal_constant(value);
    return s;
}

mrn_status mrn_read_signals(const mrn_check *c, const mrn_node *n, const char *unit,
                            mrn_signal out[3])
{
    mrn_status s = MRN_OK;
    int i = 0;
    for (const mrn_node *x = n->first; x != NULL && i < 3 && s == MRN_OK; x = x->next)
        s = mrn_read_signal(c, x, unit, &out[i++]);
    for (int k = 0; k < 3 && s != MRN_OK; k++)
        mrn_signal_release(&out[k]);
    return s;
}

mrn_status mrn_read_turns(const mrn_check *c, const mrn_node *n, const char *unit,
                          mrn_signal out[3])
{
    return n->kind == MRN_NODE_LIST ? mrn_read_signals(c, n, unit, out)
                                    : mrn_read_signal(c, n, unit, &out[2]);
}
