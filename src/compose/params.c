/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters of laws and walls by their names, checked against the tables they stand in. */
#include <stdio.h>
#include <string.h>

#include "compose/compose.h"

void mrn_compose_defaults(const mrn_param_list *l, mrn_value *value)
{
    for (int i = 0; i < l->n; i++) {
        value[i] = (mrn_value){.number = l->param[i]->fallback};
        value[i].flag = l->param[i]->kind == MRN_P_FLAG && l->param[i]->fallback > 0;
    }
}

static int find(const mrn_param_list *l, const char *name, mrn_message *msg)
{
    const char *word[MRN_PARAM_MAX];
    name = name != NULL ? name : "";
    for (int i = 0; i < l->n; i++) {
        if (strcmp(l->param[i]->name, name) == 0)
            return i;
        word[i] = l->param[i]->name;
    }
    mrn_compose_unknown("parameter", name, word, l->n, msg);
    if (msg != NULL) {
        size_t used = strlen(msg->text);
        snprintf(msg->text + used, sizeof msg->text - used, " of %s", l->owner);
    }
    return -1;
}

static const char *kind_words(mrn_param_kind kind)
{
    static const char *const words[] = {"a number", "a vector", "a box",
                                        "a flag",   "a word",   "a file"};
    return words[kind];
}

static mrn_status wrong_kind(const mrn_param_list *l, const mrn_param *p, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT, "parameter '%s' of %s is %s", p->name, l->owner,
             kind_words(p->kind));
    return mrn_fail_hint(msg, "use the function that sets %s", kind_words(p->kind));
}

mrn_status mrn_compose_number(const mrn_param_list *l, mrn_value *value, const char *name, double x,
                              mrn_message *msg)
{
    int i = find(l, name, msg);
    if (i < 0)
        return MRN_ERR_INPUT;
    const mrn_param *p = l->param[i];
    if (p->kind == MRN_P_FLAG && (x == 0 || x == 1)) {
        value[i] = (mrn_value){.given = true, .number = x, .flag = x == 1};
        return MRN_OK;
    }
    int words = 0;
    while (p->kind == MRN_P_CHOICE && p->choices[words] != NULL)
        words++;
    if (x >= 0 && x < words && x == (int)x) {
        value[i] = (mrn_value){.given = true, .number = x};
        return MRN_OK;
    }
    if (p->kind != MRN_P_NUMBER)
        return wrong_kind(l, p, msg);
    if (!(x >= p->min && x <= p->max) || (p->min_open && x == p->min)) {
        mrn_fail(msg, MRN_ERR_INPUT, "'%s' of %s is %g", p->name, l->owner, x);
        return mrn_fail_expected(msg, "%s %g, at most %g (unit: %s)",
                                 p->min_open ? "more than" : "at least", p->min, p->max, p->unit);
    }
    value[i] = (mrn_value){.given = true, .number = x};
    return MRN_OK;
}

mrn_status mrn_compose_vectors(const mrn_param_list *l, mrn_value *value, mrn_param_kind kind,
                               const char *name, mrn_vec3 a, mrn_vec3 b, mrn_message *msg)
{
    int i = find(l, name, msg);
    if (i < 0)
        return MRN_ERR_INPUT;
    if (l->param[i]->kind != kind)
        return wrong_kind(l, l->param[i], msg);
    value[i] = (mrn_value){.given = true, .a = a, .b = b};
    return MRN_OK;
}

mrn_status mrn_compose_word(const mrn_param_list *l, mrn_value *value, const char *name,
                            const char *word, mrn_message *msg)
{
    int i = find(l, name, msg);
    if (i < 0)
        return MRN_ERR_INPUT;
    const mrn_param *p = l->param[i];
    mrn_value v = {.given = true};
    word = word != NULL ? word : "";
    if (p->kind == MRN_P_FILE && strlen(word) < sizeof v.text) {
        snprintf(v.text, sizeof v.text, "%s", word);
        value[i] = v;
        return MRN_OK;
    }
    if (p->kind != MRN_P_CHOICE)
        return wrong_kind(l, p, msg);
    int n = 0;
    for (; p->choices[n] != NULL; n++)
        if (strcmp(p->choices[n], word) == 0) {
            v.number = n;
            value[i] = v;
            return MRN_OK;
        }
    return mrn_compose_unknown(p->name, word, p->choices, n, msg);
}

mrn_status mrn_compose_check_given(const mrn_param_list *l, const mrn_value *value,
                                   mrn_message *msg)
{
    for (int i = 0; i < l->n; i++)
        if (l->param[i]->required && !value[i].given) {
            mrn_fail(msg, MRN_ERR_INPUT, "%s wants '%s'", l->owner, l->param[i]->name);
            return mrn_fail_expected(msg, "%s: %s", kind_words(l->param[i]->kind),
                                     l->param[i]->doc);
        }
    return MRN_OK;
}
