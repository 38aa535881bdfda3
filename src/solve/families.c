/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of families of problems, from families.def, and the checks that all of them begin
   with. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "solve/families.h"

static const mrn_problem_family *const families[] = {
#define MRN_FAMILY(symbol) &symbol,
#include "solve/families.def"
};

const char *const mrn_family_dimensions[] = {"2", "3", NULL};
const char *const mrn_family_stored[] = {"auto", "yes", "no", NULL};

int mrn_problem_family_count(void)
{
    return MRN_COUNT_OF(families);
}

const mrn_problem_family *mrn_problem_family_at(int i)
{
    return i >= 0 && i < MRN_COUNT_OF(families) ? families[i] : NULL;
}

const mrn_problem_family *mrn_problem_family_find(const char *name)
{
    for (int i = 0; name != NULL && i < MRN_COUNT_OF(families); i++)
        if (strcmp(families[i]->name, name) == 0)
            return families[i];
    return NULL;
}

static int words_of(const mrn_param *p)
{
    int n = 0;
    while (p->choices != NULL && p->choices[n] != NULL)
        n++;
    return n;
}

static bool in_range(const mrn_param *p, double v)
{
    if (isnan(v))
        return isnan(p->fallback); /* derived */
    if (p->kind == MRN_P_CHOICE)
        return v >= 0 && v < words_of(p) && v == floor(v);
    bool whole = strcmp(p->unit, "count") != 0 || v == floor(v);
    return isfinite(v) && v <= p->max && (p->min_open ? v > p->min : v >= p->min) && whole;
}

mrn_status mrn_family_check(const mrn_problem_family *f, const mrn_value *option, mrn_message *msg)
{
    if (option == NULL)
        return mrn_fail(msg, MRN_ERR_INPUT, "%s: options are needed, at least the defaults",
                        f->name);
    for (int i = 0; i < f->n_params; i++) {
        const mrn_param *p = &f->params[i];
        if (p->kind == MRN_P_FLAG || in_range(p, option[i].number))
            continue;
        mrn_fail(msg, MRN_ERR_INPUT, "%s: %s = %g is out of range", f->name, p->name,
                 option[i].number);
        if (p->kind == MRN_P_NUMBER)
            mrn_fail_expected(msg, "a %snumber %s %g and at most %g",
                              strcmp(p->unit, "count") == 0 ? "whole " : "",
                              p->min_open ? "above" : "from", p->min, p->max);
        return MRN_ERR_INPUT;
    }
    return MRN_OK;
}

mrn_status mrn_family_fits(const mrn_problem_family *f, double contacts, mrn_message *msg)
{
    if (contacts <= MRN_FAMILY_CONTACTS)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "%s: these options give %.3g contacts", f->name, contacts);
    return mrn_fail_expected(msg, "at most %d", MRN_FAMILY_CONTACTS);
}

static size_t append(char *buf, size_t size, size_t at, const char *text)
{
    int n = at < size ? snprintf(buf + at, size - at, "%s", text) : 0;
    return at + (size_t)n;
}

void mrn_family_describe(const mrn_problem_family *f, const mrn_value *option, uint64_t seed,
                         mrn_problem *p)
{
    snprintf(p->title, sizeof p->title, "%s, %d contacts", f->name, p->n);
    size_t at = append(p->description, sizeof p->description, 0, f->summary), i;
    for (i = 0; i < (size_t)f->n_params; i++) {
        const mrn_param *q = &f->params[i];
        char text[128], value[64];
        if (q->kind == MRN_P_NUMBER && isnan(option[i].number))
            continue; /* left to be derived */
        snprintf(value, sizeof value, "%.10g", option[i].number);
        snprintf(text, sizeof text, " %s=%s", q->name,
                 q->kind == MRN_P_CHOICE ? q->choices[(int)option[i].number]
                 : q->kind == MRN_P_FLAG ? (option[i].flag ? "true" : "false")
                                         : value);
        at = append(p->description, sizeof p->description, at, text);
    }
    char text[64];
    snprintf(text, sizeof text, " seed=%llu", (unsigned long long)seed);
    append(p->description, sizeof p->description, at, text);
}
