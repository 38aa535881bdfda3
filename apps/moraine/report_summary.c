/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a run: what summary.json says, in words and tables. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "report_parts.h"

#define TEXTS 64

/* Pairs of texts that live as long as the list. */
typedef struct list {
    int n;
    char text[2 * TEXTS][400];
    const char *item[2 * TEXTS];
} list;

static void add(list *l, const char *name, const char *fmt, ...) MRN_PRINTF(3, 4);
static void add(list *l, const char *name, const char *fmt, ...)
{
    va_list args;
    if (l->n == TEXTS)
        return;
    snprintf(l->text[2 * l->n], sizeof l->text[0], "%s", name);
    va_start(args, fmt);
    vsnprintf(l->text[2 * l->n + 1], sizeof l->text[0], fmt, args);
    va_end(args);
    l->item[2 * l->n] = l->text[2 * l->n];
    l->item[2 * l->n + 1] = l->text[2 * l->n + 1];
    l->n++;
}

const char *mrn_summary_word(const json_t *summary, const char *key)
{
    const char *word = json_string_value(json_object_get(summary, key));
    return word != NULL ? word : "?";
}

static double number(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *quantity(double v, const char *unit, mrn_readable *room)
{
    *room = mrn_readable_si(v, unit);
    return isfinite(v) ? room->s : "-";
}

/* ---- at a glance ---- */

static size_t real_warnings(const json_t *s)
{
    size_t i, n = 0;
    json_t *w;
    json_array_foreach(json_object_get(s, "warnings"), i, w) n +=
        !mrn_app_is_note(mrn_summary_word(w, "kind"));
    return n;
}

static void put_outcome(const json_t *s, mrn_page *p)
{
    const char *status = mrn_summary_word(s, "status"),
               *said = json_string_value(json_object_get(s, "message"));
    char text[1400];
    bool good = strcmp(status, "ok") == 0;
    size_t n = real_warnings(s);
    snprintf(text, sizeof text, "%s%s%s%s", good ? "The run ended as it should" : status,
             said != NULL ? ": " : "", said != NULL ? said : "",
             n == 0   ? "; there were no warnings."
             : n == 1 ? "; one warning, see below."
                      : "; there were warnings, see below.");
    mrn_page_note(p, good ? n > 0 ? MRN_TONE_DOUBT : MRN_TONE_GOOD : MRN_TONE_BAD, text);
}

static void put_stages(const json_t *s, mrn_page *p)
{
    enum { COLUMNS = 5, ROWS = 60 };
    static const bool right[COLUMNS] = {false, true, true, true, false};
    static char text[ROWS * COLUMNS][200];
    char *cell[ROWS * COLUMNS];
    const char *const head[COLUMNS] = {"stage", "from", "to", "steps", "ended because"};
    size_t i;
    json_t *stage;
    int rows = 1;
    for (int c = 0; c < COLUMNS; c++)
        snprintf(text[c], sizeof text[c], "%s", head[c]);
    json_array_foreach(json_object_get(s, "stages"), i, stage)
    {
        if (rows == ROWS)
            break;
        char(*at)[200] = &text[rows++ * COLUMNS];
        const char *why = json_string_value(json_object_get(stage, "reason"));
        snprintf(at[0], 200, "%s", mrn_summary_word(stage, "name"));
        snprintf(at[1], 200, "%s", mrn_readable_si(number(stage, "time-begin"), "s").s);
        snprintf(at[2], 200, "%s", mrn_readable_si(number(stage, "time-end"), "s").s);
        snprintf(
            at[3], 200, "%s",
            mrn_readable_count((int64_t)(number(stage, "step-end") - number(stage, "step-begin")))
                .s);
        snprintf(at[4], 200, "%s", why != NULL ? why : "");
    }
    for (int k = 0; k < rows * COLUMNS; k++)
        cell[k] = text[k];
    mrn_page_table(p, "", COLUMNS, rows, cell, right);
}

void mrn_report_glance(const json_t *s, mrn_page *p)
{
    list l = {0};
    mrn_readable a;
    const json_t *bodies = json_object_get(s, "bodies"), *step = json_object_get(s, "time-step");
    const char *name;
    json_t *count;
    mrn_page_section(p, "At a glance");
    put_outcome(s, p);
    add(&l, "grains", "%s", mrn_readable_count((int64_t)number(bodies, "grains")).s);
    json_object_foreach(json_object_get(bodies, "groups"), name, count)
        add(&l, "", "%s: %s", name, mrn_readable_count(json_integer_value(count)).s);
    add(&l, "walls", "%d", (int)number(bodies, "walls"));
    add(&l, "dimension", "%d", (int)number(s, "dimension"));
    add(&l, "time", "%s in %s steps", quantity(number(s, "time"), "s", &a),
        mrn_readable_count((int64_t)number(s, "step")).s);
    if (number(step, "seconds") > 0)
        add(&l, "time step", "%s (%s): %s", quantity(number(step, "seconds"), "s", &a),
            json_is_true(json_object_get(step, "given")) ? "given" : "computed",
            mrn_summary_word(step, "reason"));
    add(&l, "contacts at the end", "%s", mrn_readable_count((int64_t)number(s, "contacts")).s);
    add(&l, "state", "hash %s, seed %d", mrn_summary_word(s, "hash"), (int)number(s, "seed"));
    mrn_page_facts(p, l.n, l.item);
    put_stages(s, p);
}

/* ---- energy ---- */

static void put_object(const json_t *o, const char *caption, mrn_page *p)
{
    list l = {0};
    mrn_readable a;
    const char *name;
    json_t *v;
    json_object_foreach((json_t *)(uintptr_t)o, name, v)
        add(&l, name, "%s", quantity(json_is_number(v) ? json_number_value(v) : NAN, "J", &a));
    mrn_page_heading(p, caption);
    mrn_page_facts(p, l.n, l.item);
}

void mrn_report_energy(const json_t *s, mrn_page *p)
{
    const json_t *e = json_object_get(s, "energies");
    char text[300];
    mrn_readable a;
    if (!json_is_object(e))
        return;
    mrn_page_section(p, "Energy");
    double residual = number(e, "residual"), dissipated = number(e, "dissipated");
    snprintf(text, sizeof text, "What the ledger does not account for is %s%s.",
             quantity(residual, "J", &a), "");
    if (fabs(dissipated) > 0)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 " That is %.2g of what was dissipated.", fabs(residual / dissipated));
    mrn_page_text(p, text);
    put_object(e, "What the grains have, at the end", p);
    put_object(json_object_get(s, "ledger"), "What was lost and put in", p);
}

/* ---- what can be trusted ---- */

static void put_impacts(const json_t *impacts, mrn_page *p)
{
    enum { COLUMNS = 6, ROWS = 40 };
    static const bool right[COLUMNS] = {false, false, true, true, true, true};
    static char text[ROWS * COLUMNS][120];
    char *cell[ROWS * COLUMNS];
    const char *const head[COLUMNS] = {"between",           "grains",   "speed",
                                       "restitution asked", "obtained", "overlap / R"};
    size_t i;
    json_t *o;
    int rows = 1;
    for (int c = 0; c < COLUMNS; c++)
        snprintf(text[c], 120, "%s", head[c]);
    json_array_foreach(impacts, i, o)
    {
        if (rows == ROWS)
            break;
        const json_t *pair = json_object_get(o, "between");
        const char *first = json_string_value(json_array_get(pair, 0)),
                   *second = json_string_value(json_array_get(pair, 1));
        char(*at)[120] = &text[rows++ * COLUMNS];
        snprintf(at[0], 120, "%s, %s", first != NULL ? first : "?", second != NULL ? second : "?");
        snprintf(at[1], 120, "%s", mrn_summary_word(o, "kind"));
        snprintf(at[2], 120, "%s", mrn_readable_si(number(o, "speed"), "m/s").s);
        snprintf(at[3], 120, isfinite(number(o, "asked")) ? "%.3g" : "-", number(o, "asked"));
        snprintf(at[4], 120, json_is_true(json_object_get(o, "stuck")) ? "stuck" : "%.3f",
                 number(o, "obtained"));
        snprintf(at[5], 120, "%.3g", number(o, "overlap"));
    }
    for (int k = 0; k < rows * COLUMNS; k++)
        cell[k] = text[k];
    if (rows > 1)
        mrn_page_table(p, "Head-on impacts of two grains with the law and the step of the run",
                       COLUMNS, rows, cell, right);
}

void mrn_report_trust(const json_t *s, mrn_page *p)
{
    size_t i;
    json_t *w;
    char text[400];
    const json_t *warnings = json_object_get(s, "warnings");
    mrn_page_section(p, "Warnings and checks");
    if (json_array_size(warnings) == 0)
        mrn_page_text(p, "No warnings.");
    json_array_foreach(warnings, i, w)
    {
        snprintf(text, sizeof text, "%s (first at %s, %d times)", mrn_summary_word(w, "text"),
                 mrn_readable_si(number(w, "time"), "s").s, (int)number(w, "count"));
        mrn_page_note(
            p, mrn_app_is_note(mrn_summary_word(w, "kind")) ? MRN_TONE_PLAIN : MRN_TONE_DOUBT,
            text);
    }
    put_impacts(json_object_get(s, "impacts"), p);
}

/* ---- cost ---- */

void mrn_report_cost(const json_t *s, mrn_page *p)
{
    const json_t *cost = json_object_get(s, "cost");
    const char *name, *names[TEXTS];
    double share[TEXTS], wall = number(cost, "wall-seconds");
    json_t *v;
    int n = 0;
    list l = {0};
    if (!json_is_object(cost))
        return;
    mrn_page_section(p, "Cost");
    add(&l, "wall time", "%s", mrn_app_duration(wall).s);
    add(&l, "speed", "%.3g million body-steps/s", number(cost, "million-body-steps-per-second"));
    add(&l, "threads", "%d", (int)number(cost, "threads"));
    add(&l, "memory", "%s at most", mrn_app_bytes(number(cost, "peak-bytes")).s);
    mrn_page_facts(p, l.n, l.item);
    json_object_foreach(json_object_get(cost, "seconds"), name, v)
    {
        if (n == TEXTS)
            break;
        names[n] = name;
        share[n++] = wall > 0 ? json_number_value(v) / wall : 0;
    }
    if (n > 0)
        mrn_page_bars(p, "Share of the wall time", n, names, share, NULL, 1);
}
