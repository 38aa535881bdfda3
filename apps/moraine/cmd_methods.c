/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine methods: the methods of the library and what each can do, from their descriptors. */
#include <string.h>

#include "catalogue.h"

static const char *method_name(int i)
{
    return mrn_method_at(i)->name;
}

static void print(mrn_app_table *t, bool markdown)
{
    if (markdown)
        mrn_app_table_markdown(t, stdout);
    else
        mrn_app_table_print(t, stdout);
}

static const char *yes(const mrn_method *m, int ability)
{
    return mrn_method_can(m, (mrn_ability)ability) ? "yes" : "-";
}

/* A row per ability, a column per method. */
static void ability_table(bool markdown)
{
    mrn_app_table t;
    const char *cell[MRN_APP_CELLS] = {"ability"};
    int n = mrn_method_count() < MRN_APP_CELLS ? mrn_method_count() : MRN_APP_CELLS - 1;
    for (int i = 0; i < n; i++)
        cell[i + 1] = mrn_method_at(i)->name;
    mrn_app_table_begin(&t, n + 1, cell);
    for (int a = 0; a < MRN_ABILITIES; a++) {
        cell[0] = mrn_ability_name((mrn_ability)a);
        for (int i = 0; i < n; i++)
            cell[i + 1] = yes(mrn_method_at(i), a);
        mrn_app_table_row(&t, cell);
    }
    puts(markdown ? "\n## What they can do\n\nA scene that asks its method for more is refused "
                    "before the run. What is not listed every method has.\n"
                  : "\nWhat they can do (what is not listed every method has):");
    print(&t, markdown);
}

static void method_list(bool markdown)
{
    mrn_app_table t;
    mrn_app_table_begin(&t, 2, (const char *[]){"method", "what it is"});
    for (int i = 0; i < mrn_method_count(); i++) {
        char name[80];
        snprintf(name, sizeof name, "%s%s", method_name(i), i == 0 ? " (default)" : "");
        mrn_app_table_row(&t, (const char *[]){name, mrn_method_summary(mrn_method_at(i))});
    }
    if (markdown)
        puts("# Methods\n\nWays to take a scene through time, or through a load: its key `method`, "
             "or `moraine run SCENE --method NAME`.\n");
    print(&t, markdown);
    ability_table(markdown);
}

static void list_abilities(const mrn_method *m, bool able, char *buf, size_t size)
{
    buf[0] = '\0';
    for (int a = 0; a < MRN_ABILITIES; a++) {
        size_t at = strlen(buf);
        if (mrn_method_can(m, (mrn_ability)a) == able)
            snprintf(buf + at, size - at, "%s%s", at > 0 ? ", " : "",
                     mrn_ability_name((mrn_ability)a));
    }
}

/* The stages of one run may be of these. */
static void list_family(const mrn_method *m, char *buf, size_t size)
{
    buf[0] = '\0';
    for (int i = 0; i < mrn_method_count(); i++) {
        const mrn_method *other = mrn_method_at(i);
        size_t at = strlen(buf);
        if (other != m && mrn_method_family(other) == mrn_method_family(m))
            snprintf(buf + at, size - at, "%s%s", at > 0 ? ", " : "", other->name);
    }
}

static void say(const char *what, const char *list, bool markdown)
{
    char text[2048];
    if (list[0] == '\0')
        return;
    snprintf(text, sizeof text, markdown ? "**%s:** %s." : "%s: %s.", what, list);
    mrn_catalogue_paragraph(text, markdown);
}

static void method_page(int i, bool markdown)
{
    const mrn_method *m = mrn_method_at(i);
    char list[1024];
    mrn_catalogue_heading(m->name, mrn_method_summary(m), markdown);
    mrn_catalogue_paragraph(m->doc, markdown);
    list_abilities(m, true, list, sizeof list);
    say("Can", list, markdown);
    list_abilities(m, false, list, sizeof list);
    say("Has no", list, markdown);
    list_family(m, list, sizeof list);
    say("Other methods for stages of the same run", list, markdown);
    snprintf(list, sizeof list, markdown ? "`%s`" : "%s", m->options != NULL ? m->options : "");
    say("Key of its choices in a scene", m->options != NULL ? list : "", markdown);
}

static json_t *method_json(int i)
{
    const mrn_method *m = mrn_method_at(i);
    json_t *can = json_object();
    for (int a = 0; a < MRN_ABILITIES; a++)
        json_object_set_new(can, mrn_ability_name((mrn_ability)a),
                            json_boolean(mrn_method_can(m, (mrn_ability)a)));
    return json_pack("{s:s, s:s, s:s, s:b, s:s, s:s?, s:o}", "name", m->name, "summary",
                     mrn_method_summary(m), "doc", m->doc, "default", i == 0, "family",
                     mrn_method_family(m)->name, "options", m->options, "can", can);
}

int mrn_cmd_methods(int argc, char **argv)
{
    static const mrn_catalogue methods = {.command = "methods",
                                          .noun = "method",
                                          .tells = "assumptions and abilities",
                                          .count = mrn_method_count,
                                          .name = method_name,
                                          .list = method_list,
                                          .page = method_page,
                                          .json = method_json};
    const mrn_app_page page = {
        .usage = "methods [NAME] [--markdown | --json]",
        .doc = "Each method with what it assumes and what it can do, for the key `method` of a\n"
               "scene and for  moraine run SCENE --method NAME.",
        .examples = "moraine methods\nmoraine methods nonsmooth\nmoraine methods --json"};
    return mrn_catalogue_show(&methods, &page, argc, argv);
}
