/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What methods report with: parts of a step and choices by name, lines for people. */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "model/keys.h"
#include "moraine/engine.h"

static const struct {
    const char *key, *name;
    size_t at;
} parts[MRN_STEP_PARTS] = {
    [MRN_STEP_FORCES] = {"forces", "forces", offsetof(mrn_step_times, forces)},
    [MRN_STEP_CONTACTS] = {"contacts", "contact points", offsetof(mrn_step_times, contacts)},
    [MRN_STEP_ASSEMBLY] = {"assembly", "assembly", offsetof(mrn_step_times, assembly)},
    [MRN_STEP_SOLVE] = {"solve", "solver", offsetof(mrn_step_times, solve)},
    [MRN_STEP_LIST] = {"neighbour-list", "neighbour list", offsetof(mrn_step_times, list)},
    [MRN_STEP_BODIES] = {"bodies", "bodies", offsetof(mrn_step_times, bodies)},
    [MRN_STEP_WALLS] = {"walls", "walls", offsetof(mrn_step_times, walls)},
};

const char *mrn_step_part_key(mrn_step_part p)
{
    return parts[p].key;
}

const char *mrn_step_part_name(mrn_step_part p)
{
    return parts[p].name;
}

double mrn_step_part_seconds(const mrn_step_times *t, mrn_step_part p)
{
    return *(const double *)((const char *)t + parts[p].at);
}

void mrn_report_line(const mrn_report_sink *to, const char *label, const char *fmt, ...)
{
    char text[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    const mrn_report_item item = {MRN_REPORT_LINE, label, 0, text};
    to->put(to->user, &item);
}

const char *mrn_gap_rule_name(mrn_gap_rule f)
{
    return mrn_key_word(&mrn_schema_nonsmooth, "form", (int)f);
}

const char *mrn_unsolved_name(mrn_unsolved u)
{
    return mrn_key_word(&mrn_schema_nonsmooth, "unsolved", (int)u);
}
