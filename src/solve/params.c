/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of solvers and families from text: names, plain numbers, words, all checked against their
   table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "moraine/solve.h"

#define WORDS_MAX 64

void mrn_params_defaults(const mrn_param *params, int n, mrn_value *option)
{
    for (int i = 0; i < n; i++) {
        option[i] = (mrn_value){.number = params[i].fallback};
        option[i].flag = params[i].kind == MRN_P_FLAG && params[i].fallback > 0;
    }
}

static void join(char *buf, size_t size, const char *const *words, int n)
{
    size_t at = 0;
    buf[0] = '\0';
    for (int i = 0; i < n && at < size; i++)
        at += (size_t)snprintf(buf + at, size - at, "%s%s", i > 0 ? ", " : "", words[i]);
}

static mrn_status fail_word(const char *word, const char *const *words, int n, mrn_message *msg)
{
    char list[480];
    join(list, sizeof list, words, n);
    mrn_fail_expected(msg, "one of: %s", list);
    const char *meant = mrn_closest_word(word, words, n);
    if (meant != NULL)
        mrn_fail_hint(msg, "did you mean \"%s\"?", meant);
    return MRN_ERR_INPUT;
}

static mrn_status fail_name(const mrn_param *params, int n, const char *owner, const char *name,
                            mrn_message *msg)
{
    const char *words[WORDS_MAX];
    int m = n < WORDS_MAX ? n : WORDS_MAX;
    for (int i = 0; i < m; i++)
        words[i] = params[i].name;
    if (n == 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "%s has no options, so none named \"%s\"", owner, name);
    mrn_fail(msg, MRN_ERR_INPUT, "%s has no option \"%s\"", owner, name);
    return fail_word(name, words, m, msg);
}

static void range_words(const mrn_param *p, char *buf, size_t size)
{
    const char *whole = strcmp(p->unit, "count") == 0 ? "a whole number" : "a number";
    bool lo = isfinite(p->min), hi = isfinite(p->max);
    const char *from = p->min_open ? "above" : "from";
    if (lo && hi)
        snprintf(buf, size, "%s %s %g %s %g", whole, from, p->min,
                 p->min_open ? "and at most" : "to", p->max);
    else if (lo)
        snprintf(buf, size, "%s %s %g%s", whole, from, p->min, p->min_open ? "" : " on");
    else if (hi)
        snprintf(buf, size, "%s of at most %g", whole, p->max);
    else
        snprintf(buf, size, "%s", whole);
}

static mrn_status set_number(const mrn_param *p, const char *owner, const char *text, mrn_value *v,
                             mrn_message *msg)
{
    char *end, range[160];
    double x = strtod(text, &end);
    bool number = end != text && end[strspn(end, " \t\n")] == '\0' && !isnan(x);
    bool inside = number && isfinite(x) && x <= p->max && (p->min_open ? x > p->min : x >= p->min);
    bool whole = strcmp(p->unit, "count") != 0 || (inside && x == floor(x));
    if (number && inside && whole) {
        v->number = x;
        return MRN_OK;
    }
    mrn_fail(msg, MRN_ERR_INPUT, "%s: %s = \"%s\" is %s", owner, p->name, text,
             !number   ? "not a number"
             : !inside ? "out of range"
                       : "not a whole number");
    range_words(p, range, sizeof range);
    mrn_fail_expected(msg, "%s", range);
    return MRN_ERR_INPUT;
}

static mrn_status set_choice(const mrn_param *p, const char *owner, const char *text, mrn_value *v,
                             mrn_message *msg)
{
    int n = 0;
    for (; p->choices[n] != NULL; n++)
        if (strcmp(p->choices[n], text) == 0) {
            v->number = n;
            return MRN_OK;
        }
    mrn_fail(msg, MRN_ERR_INPUT, "%s: %s = \"%s\" is not known", owner, p->name, text);
    return fail_word(text, p->choices, n, msg);
}

static mrn_status set_flag(const mrn_param *p, const char *owner, const char *text, mrn_value *v,
                           mrn_message *msg)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    for (int i = 0; i < 6; i++)
        if (strcmp(words[i], text) == 0) {
            v->flag = i % 2 == 1;
            return MRN_OK;
        }
    mrn_fail(msg, MRN_ERR_INPUT, "%s: %s = \"%s\" is neither true nor false", owner, p->name, text);
    return mrn_fail_expected(msg, "true or false");
}

static mrn_status set_file(const mrn_param *p, const char *owner, const char *text, mrn_value *v,
                           mrn_message *msg)
{
    if (strlen(text) >= sizeof v->text)
        return mrn_fail(msg, MRN_ERR_INPUT, "%s: the path of %s is longer than %d letters", owner,
                        p->name, (int)sizeof v->text - 1);
    snprintf(v->text, sizeof v->text, "%s", text);
    return MRN_OK;
}

mrn_status mrn_params_set(const mrn_param *params, int n, mrn_value *option, const char *owner,
                          const char *name, const char *text, mrn_message *msg)
{
    int i = 0;
    while (i < n && strcmp(params[i].name, name) != 0)
        i++;
    if (i == n)
        return fail_name(params, n, owner, name, msg);
    const mrn_param *p = &params[i];
    mrn_value v = option[i];
    mrn_status s;
    switch (p->kind) {
    case MRN_P_NUMBER:
        s = set_number(p, owner, text, &v, msg);
        break;
    case MRN_P_CHOICE:
        s = set_choice(p, owner, text, &v, msg);
        break;
    case MRN_P_FLAG:
        s = set_flag(p, owner, text, &v, msg);
        break;
    case MRN_P_FILE:
        s = set_file(p, owner, text, &v, msg);
        break;
    default:
        s = mrn_fail(msg, MRN_ERR_INPUT, "%s: %s cannot be given as a text", owner, name);
    }
    if (s != MRN_OK)
        return s;
    v.given = true;
    option[i] = v;
    return MRN_OK;
}
