/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of the scene reader: what is wrong at a node, and in words what the tables want there.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scene/check.h"

mrn_status mrn_check_fail(const mrn_check *c, const mrn_node *n, const char *expected,
                          const char *fmt, ...)
{
    char text[sizeof c->msg->text];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    mrn_tree_fail(c->tree, n, c->msg, "%s", text);
    if (expected != NULL)
        mrn_fail_expected(c->msg, "%s", expected);
    return MRN_ERR_INPUT;
}

void mrn_join(const char *const *words, int n, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = '\0';
    for (int i = 0; i < n && used + 1 < size; i++)
        used += (size_t)snprintf(buf + used, size - used, "%s%s", i > 0 ? ", " : "", words[i]);
}

mrn_status mrn_check_fail_word(const mrn_check *c, const mrn_node *n, const char *what,
                               const char *word, const char *const *words, int n_words)
{
    char list[480];
    mrn_join(words, n_words, list, sizeof list);
    mrn_tree_fail(c->tree, n, c->msg, "unknown %s '%.100s'", what, word);
    if (n_words > 0)
        mrn_fail_expected(c->msg, "%s%s", n_words > 1 ? "one of: " : "", list);
    const char *close = mrn_closest_word(word, words, n_words);
    for (int i = 0; i < n_words && close == NULL && strlen(word) > 2; i++)
        close = strstr(words[i], word) != NULL ? words[i] : NULL; /* the short form of a name */
    if (close != NULL)
        mrn_fail_hint(c->msg, "did you mean '%s'?", close);
    return MRN_ERR_INPUT;
}

/* [0, 0, -9,81 m/s2]: digits behind a whole number, in a list that is too long. */
static void hint_comma_in_list(const mrn_check *c, const mrn_node *list)
{
    for (const mrn_node *a = list->first; a != NULL && a->next != NULL; a = a->next) {
        const mrn_node *b = a->next;
        if (a->kind != MRN_NODE_SCALAR || b->kind != MRN_NODE_SCALAR || a->text[0] == '\0' ||
            a->text[strspn(a->text, "+-0123456789")] != '\0' ||
            strspn(b->text, "0123456789") == 0 || strchr(b->text, '.') != NULL)
            continue;
        if (strspn(b->text, "0") > 0 && b->text[1] == '\0')
            continue; /* the zeros of a vector */
        mrn_fail_hint(c->msg,
                      "is it %.40s.%.40s? Decimals have a point here: between [ and ] a comma ends "
                      "the value",
                      a->text, b->text);
        return;
    }
}

mrn_status mrn_check_fail_components(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                                     const char *what)
{
    char expected[200];
    mrn_describe(c, f, expected, sizeof expected);
    mrn_check_fail(c, n, expected, "%s has %d component%s", what, n->n, n->n == 1 ? "" : "s");
    if (n->n > 3) /* three in a plane are a slip of another kind */
        hint_comma_in_list(c, n);
    return MRN_ERR_INPUT;
}

static void describe_map(const mrn_schema *f, char *buf, size_t size)
{
    const char *names[MRN_KEYS_MAX];
    char list[200];
    mrn_keys keys;
    mrn_schema_keys(f, NULL, &keys);
    for (int i = 0; i < keys.n; i++)
        names[i] = keys.key[i].name;
    mrn_join(names, keys.n, list, sizeof list);
    snprintf(buf, size, "a mapping {key: value, …} with the keys %s", list);
}

static void describe_quantity(const mrn_schema *f, char *buf, size_t size)
{
    if (strcmp(f->unit, "1") == 0)
        snprintf(buf, size, "a pure number");
    else
        snprintf(buf, size, "%s such as %s", mrn_unit_noun(f->unit), mrn_unit_example(f->unit));
}

static void describe_vector(const mrn_check *c, char *buf, size_t size)
{
    bool flat = c->dimension == 2;
    snprintf(buf, size, "a list of %d components, [%s]%s", c->dimension, flat ? "x, y" : "x, y, z",
             flat ? ", as the scene is 2D" : "");
}

static void describe_signal(const mrn_check *c, const mrn_schema *f, char *buf, size_t size)
{
    char part[200];
    bool one = f->kind == MRN_SCHEMA_SIGNAL || (f->kind == MRN_SCHEMA_TURNS && c->dimension == 2);
    if (!one) {
        describe_vector(c, buf, size);
        return;
    }
    describe_quantity(f, part, sizeof part);
    snprintf(buf, size, "%s, an expression of time, or {table: FILE.csv}", part);
}

/* What a schema wants, in words, for "expected:". */
void mrn_describe(const mrn_check *c, const mrn_schema *f, char *buf, size_t size)
{
    char part[200];
    switch (f->kind) {
    case MRN_SCHEMA_QUANTITY:
        describe_quantity(f, buf, size);
        return;
    case MRN_SCHEMA_MEASURE:
        snprintf(buf, size, "a number, with a unit or SI");
        return;
    case MRN_SCHEMA_SIGNAL:
    case MRN_SCHEMA_SIGNALS:
    case MRN_SCHEMA_TURNS:
        describe_signal(c, f, buf, size);
        return;
    case MRN_SCHEMA_INTEGER:
        snprintf(buf, size, "a whole number");
        return;
    case MRN_SCHEMA_FLAG:
        snprintf(buf, size, "true or false");
        return;
    case MRN_SCHEMA_WORD: {
        int n = 0;
        while (f->words[n] != NULL)
            n++;
        mrn_join(f->words, n, part, sizeof part);
        snprintf(buf, size, "%s%s", n > 1 ? "one of: " : "", part);
        return;
    }
    case MRN_SCHEMA_SPIN:
        if (c->dimension == 2) {
            snprintf(buf, size, "one angular velocity such as 30 rpm (2D: about the z axis)");
            return;
        }
        /* fall through */
    case MRN_SCHEMA_VECTOR:
        describe_vector(c, buf, size);
        return;
    case MRN_SCHEMA_BOX:
        snprintf(buf, size, "two corners, %s",
                 c->dimension == 2 ? "[[x, y], [x, y]]" : "[[x, y, z], [x, y, z]]");
        return;
    case MRN_SCHEMA_LIST:
        snprintf(buf, size, "a list: [a, b, …], or lines that begin with '- '");
        return;
    case MRN_SCHEMA_TABLE:
        snprintf(buf, size, "a mapping from names: {name: …}, or indented lines 'name: …'");
        return;
    case MRN_SCHEMA_MAP:
        describe_map(f, buf, size);
        return;
    case MRN_SCHEMA_EITHER: {
        const mrn_schema *of[] = {f->scalar, f->list, f->map};
        size_t used = 0;
        for (int i = 0; i < 3; i++) {
            if (of[i] == NULL || used >= size)
                continue;
            mrn_describe(c, of[i], part, sizeof part);
            used +=
                (size_t)snprintf(buf + used, size - used, "%s%s", used > 0 ? "; or " : "", part);
        }
        return;
    }
    case MRN_SCHEMA_LAW:
        snprintf(buf, size, "the name of a law (`moraine laws` lists them)");
        return;
    case MRN_SCHEMA_SOLVER:
        snprintf(buf, size, "the name of a solver (`moraine solvers` lists them)");
        return;
    default:
        snprintf(buf, size, "a single word or text");
    }
}

mrn_status mrn_check_fail_kind(const mrn_check *c, const mrn_schema *f, const mrn_node *n,
                               const char *what)
{
    char expected[480];
    mrn_describe(c, f, expected, sizeof expected);
    if (mrn_node_is_null(n))
        return mrn_check_fail(c, n, expected, "%s has no value", what);
    return mrn_check_fail(c, n, expected, "%s cannot be %s", what, mrn_node_kind_text(n));
}
