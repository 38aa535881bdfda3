/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Registries as lists and pages: what `laws` and `shapes` share. */
#include <math.h>
#include <string.h>

#include "catalogue.h"

static const char *const kind_name[] = {"number", "vector", "box", "true/false", "choice", "file"};

/* ---- parameters, for both ---- */

static mrn_readable range_text(const mrn_param *p)
{
    mrn_readable t;
    bool lo = isfinite(p->min), hi = isfinite(p->max);
    const char *at_least = p->min_open ? ">" : ">=";
    if (p->kind != MRN_P_NUMBER || (!lo && !hi))
        t.s[0] = '\0';
    else if (lo && hi)
        snprintf(t.s, sizeof t.s, "%s%g … %g", p->min_open ? "> " : "", p->min, p->max);
    else if (lo)
        snprintf(t.s, sizeof t.s, "%s %g", at_least, p->min);
    else
        snprintf(t.s, sizeof t.s, "<= %g", p->max);
    return t;
}

static mrn_readable default_text(const mrn_param *p)
{
    mrn_readable t;
    if (p->required)
        snprintf(t.s, sizeof t.s, "required");
    else if (p->kind == MRN_P_CHOICE && p->choices != NULL && isfinite(p->fallback))
        snprintf(t.s, sizeof t.s, "%s", p->choices[(int)p->fallback]);
    else if (p->kind == MRN_P_FLAG)
        snprintf(t.s, sizeof t.s, "%s", p->fallback > 0 ? "true" : "false");
    else if (p->kind == MRN_P_NUMBER && !isnan(p->fallback))
        snprintf(t.s, sizeof t.s, "%g", p->fallback);
    else
        snprintf(t.s, sizeof t.s, "optional");
    return t;
}

static void param_doc(const mrn_param *p, char *buf, size_t size)
{
    snprintf(buf, size, "%s", p->doc != NULL ? p->doc : "");
    if (p->kind != MRN_P_CHOICE || p->choices == NULL)
        return;
    size_t at = strlen(buf);
    snprintf(buf + at, size - at, " One of:");
    for (int i = 0; p->choices[i] != NULL; i++) {
        at = strlen(buf);
        snprintf(buf + at, size - at, "%s %s", i > 0 ? "," : "", p->choices[i]);
    }
}

void mrn_catalogue_params(const mrn_param *const *params, int n, bool markdown)
{
    if (n == 0) {
        puts(markdown ? "No parameters." : "  no parameters");
        return;
    }
    mrn_app_table t;
    mrn_app_table_begin(
        &t, 6, (const char *[]){"parameter", "symbol", "unit", "range", "default", "meaning"});
    for (int i = 0; i < n; i++) {
        const mrn_param *p = params[i];
        char doc[1024];
        param_doc(p, doc, sizeof doc);
        mrn_readable range = range_text(p), fallback = default_text(p);
        const char *unit =
            p->kind == MRN_P_NUMBER || p->kind == MRN_P_VECTOR || p->kind == MRN_P_BOX
                ? p->unit
                : kind_name[p->kind];
        mrn_app_table_row(&t, (const char *[]){p->name, p->symbol, unit, range.s, fallback.s, doc});
    }
    if (markdown)
        mrn_app_table_markdown(&t, stdout);
    else
        mrn_app_table_print(&t, stdout);
}

static json_t *param_json(const mrn_param *p)
{
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(p->name));
    json_object_set_new(o, "symbol", json_string(p->symbol != NULL ? p->symbol : ""));
    json_object_set_new(o, "kind", json_string(kind_name[p->kind]));
    json_object_set_new(o, "unit", json_string(p->unit));
    json_object_set_new(o, "required", json_boolean(p->required));
    json_object_set_new(
        o, "default", isfinite(p->fallback) && !p->required ? json_real(p->fallback) : json_null());
    json_object_set_new(o, "min", isfinite(p->min) ? json_real(p->min) : json_null());
    json_object_set_new(o, "max", isfinite(p->max) ? json_real(p->max) : json_null());
    if (p->kind == MRN_P_CHOICE && p->choices != NULL) {
        json_t *words = json_array();
        for (int i = 0; p->choices[i] != NULL; i++)
            json_array_append_new(words, json_string(p->choices[i]));
        json_object_set_new(o, "choices", words);
    }
    json_object_set_new(o, "doc", json_string(p->doc));
    return o;
}

json_t *mrn_catalogue_params_json(const mrn_param *const *params, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(list, param_json(params[i]));
    return list;
}

/* ---- lists and pages ---- */

static int show_all(const mrn_catalogue *c, bool json, bool markdown)
{
    if (json) {
        json_t *all = json_array();
        for (int i = 0; i < c->count(); i++)
            json_array_append_new(all, c->json(i));
        return mrn_app_json(all);
    }
    c->list(markdown);
    putchar('\n');
    for (int i = 0; markdown && i < c->count(); i++)
        c->page(i, true);
    if (!markdown)
        printf("`moraine %s NAME` shows %s of one of them.\n", c->command,
               c->tells != NULL ? c->tells : "parameters and formulas");
    return MRN_EXIT_OK;
}

#define WORDS_MAX 256

static int show_group(const mrn_catalogue *c, const char *group, bool json, bool markdown)
{
    if (!json) {
        c->list_group(group, markdown);
        return MRN_EXIT_OK;
    }
    json_t *all = json_array();
    for (int i = 0; i < c->count(); i++)
        if (strcmp(c->group(i), group) == 0)
            json_array_append_new(all, c->json(i));
    return mrn_app_json(all);
}

/* Names that hold what was asked for: "friction" finds linear-friction. */
static int fail_unknown(const mrn_catalogue *c, const char *name, const char *const *words, int n)
{
    char list[200] = "";
    for (int i = 0; i < n && name[0] != '\0'; i++) {
        size_t at = strlen(list);
        if (strstr(words[i], name) != NULL && strstr(list, words[i]) == NULL)
            snprintf(list + at, sizeof list - at, "%s%s", at > 0 ? ", " : "", words[i]);
    }
    if (list[0] != '\0' && mrn_closest_word(name, words, n) == NULL)
        return mrn_app_usage(c->command, "there is no %s \"%s\"; did you mean one of: %s?", c->noun,
                             name, list);
    return mrn_app_unknown(c->command, c->noun, name, words, n);
}

/* Several may have one name (a law and one of its parts): as JSON a list then. */
static int show_named(const mrn_catalogue *c, const int *index, int n, bool json, bool markdown)
{
    if (json && n == 1)
        return mrn_app_json(c->json(index[0]));
    json_t *all = json ? json_array() : NULL;
    for (int k = 0; k < n; k++) {
        if (json)
            json_array_append_new(all, c->json(index[k]));
        else
            c->page(index[k], markdown);
    }
    return json ? mrn_app_json(all) : MRN_EXIT_OK;
}

static int show_one(const mrn_catalogue *c, const char *name, bool json, bool markdown)
{
    const char *words[2 * WORDS_MAX];
    int index[WORDS_MAX], found = 0, n = 0;
    bool group = false;
    for (int i = 0; i < c->count() && i < WORDS_MAX; i++) {
        words[n++] = c->name(i);
        if (strcmp(c->name(i), name) == 0)
            index[found++] = i;
        if (c->group != NULL) {
            words[n++] = c->group(i);
            group = group || strcmp(c->group(i), name) == 0;
        }
    }
    if (found > 0)
        return show_named(c, index, found, json, markdown);
    return group ? show_group(c, name, json, markdown) : fail_unknown(c, name, words, n);
}

/* Names that shells complete. */
#define MOST_WORDS 200

int mrn_catalogue_show(const mrn_catalogue *c, const mrn_app_page *page, int argc, char **argv)
{
    bool json = false, markdown = false;
    const mrn_app_option options[] = {
        {.name = "json", .kind = MRN_OPT_FLAG, .target = &json, .doc = "Print JSON."},
        {.name = "markdown",
         .kind = MRN_OPT_FLAG,
         .target = &markdown,
         .doc = "Print Markdown: without a name, the whole reference."},
    };
    const char *name = NULL, *words[MOST_WORDS];
    mrn_app_page named = *page;
    named.words = words;
    for (int i = 0; i < c->count() && i < MOST_WORDS; i++)
        words[named.n_words++] = c->name(i);
    int n, code = mrn_app_parse(&named, options, 2, argc, argv, &name, 1, &n);
    if (code >= 0)
        return code;
    return n == 0 ? show_all(c, json, markdown) : show_one(c, name, json, markdown);
}

void mrn_catalogue_heading(const char *name, const char *summary, bool markdown)
{
    if (markdown)
        printf("## %s\n\n%s\n\n", name, summary);
    else
        printf("%s%s%s: %s\n\n", mrn_app_style_code(stdout, MRN_BOLD), name,
               mrn_app_style_code(stdout, MRN_PLAIN), summary);
}

void mrn_catalogue_paragraph(const char *text, bool markdown)
{
    if (text == NULL || text[0] == '\0')
        return;
    if (markdown) {
        printf("%s\n\n", text);
        return;
    }
    fputs("  ", stdout);
    mrn_app_wrap(stdout, text, 2, mrn_app_columns(stdout));
    putchar('\n');
}
