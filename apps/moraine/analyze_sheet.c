/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sections of `moraine analyze`: every number goes to the table and to JSON by one line. */
#include <math.h>

#include "analyze.h"

enum { LABEL = 31 };

void mrn_sheet_section(mrn_sheet *s, const char *key)
{
    s->section = json_object();
    json_object_set_new(s->root, key, s->section);
    if (s->f != NULL)
        fprintf(s->f, "\n%s%s%s\n", mrn_app_style_code(s->f, MRN_BOLD), key,
                mrn_app_style_code(s->f, MRN_PLAIN));
}

void mrn_sheet_row(mrn_sheet *s, const char *label, const char *text)
{
    if (s->f == NULL)
        return;
    fputs("  ", s->f);
    mrn_app_pad(s->f, label, LABEL, false);
    fprintf(s->f, "%s\n", text);
}

json_t *mrn_sheet_real(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

void mrn_sheet_number(mrn_sheet *s, const char *key, const char *label, const char *unit, double v)
{
    char text[64];
    json_object_set_new(s->section, key, mrn_sheet_real(v));
    if (isnan(v))
        snprintf(text, sizeof text, "-");
    else if (isinf(v))
        snprintf(text, sizeof text, "no bound");
    else if (unit[0] == '\0')
        snprintf(text, sizeof text, "%.5g", v);
    else
        snprintf(text, sizeof text, "%s", mrn_readable_si(v, unit).s);
    mrn_sheet_row(s, label, text);
}

void mrn_sheet_count(mrn_sheet *s, const char *key, const char *label, int64_t v)
{
    json_object_set_new(s->section, key, json_integer(v));
    mrn_sheet_row(s, label, mrn_readable_count(v).s);
}

void mrn_sheet_flag(mrn_sheet *s, const char *key, const char *label, bool v)
{
    json_object_set_new(s->section, key, json_boolean(v));
    mrn_sheet_row(s, label, v ? "yes" : "no");
}

void mrn_sheet_words(mrn_sheet *s, const char *key, const char *label, const char *text)
{
    json_object_set_new(s->section, key, json_string(text));
    mrn_sheet_row(s, label, text);
}
