/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine laws: the contact laws, ready-made ones and the parts they are made of. */
#include <string.h>

#include "catalogue.h"

/* Models first, then all parts, kind by kind. */
static int law_count(void)
{
    return mrn_law_model_count() + mrn_law_count();
}

/* The part number i (after the models), in the order of kinds; NULL for a model. */
static const mrn_law *part_at(int i)
{
    static const mrn_law_kind order[] = {MRN_LAW_NORMAL, MRN_LAW_TANGENTIAL, MRN_LAW_ROLLING,
                                         MRN_LAW_TWISTING, MRN_LAW_COHESION};
    int left = i - mrn_law_model_count();
    for (int k = 0; left >= 0 && k < MRN_LAW_KINDS; k++)
        for (int n = 0; n < mrn_law_count(); n++)
            if (mrn_law_at(n)->kind == order[k] && left-- == 0)
                return mrn_law_at(n);
    return NULL;
}

static const char *law_name(int i)
{
    return i < mrn_law_model_count() ? mrn_law_model_at(i)->name : part_at(i)->name;
}

static const char *law_group(int i)
{
    return i < mrn_law_model_count() ? "models" : mrn_law_kind_name(part_at(i)->kind);
}

static void print(mrn_app_table *t, bool markdown)
{
    if (markdown)
        mrn_app_table_markdown(t, stdout);
    else
        mrn_app_table_print(t, stdout);
}

/* "rolling elastic-plastic, cohesion jkr": what a model has beside its two first parts. */
static void more_parts(const mrn_law_model *m, char *buf, size_t size)
{
    snprintf(buf, size, "-");
    for (int k = 0, n = 0; k < MRN_LAW_KINDS; k++) {
        if (m->part[k] == NULL || k == MRN_LAW_NORMAL || k == MRN_LAW_TANGENTIAL)
            continue;
        size_t at = n++ > 0 ? strlen(buf) : 0;
        snprintf(buf + at, size - at, "%s%s %s", at > 0 ? ", " : "",
                 mrn_law_kind_name((mrn_law_kind)k), m->part[k]->name);
    }
}

static void model_list(bool markdown)
{
    mrn_app_table t;
    mrn_app_table_begin(&t, 5,
                        (const char *[]){"law", "normal", "tangential", "and", "what it is"});
    for (int i = 0; i < mrn_law_model_count(); i++) {
        const mrn_law_model *m = mrn_law_model_at(i);
        const mrn_law *n = m->part[MRN_LAW_NORMAL], *s = m->part[MRN_LAW_TANGENTIAL];
        char more[200];
        more_parts(m, more, sizeof more);
        mrn_app_table_row(&t, (const char *[]){m->name, n != NULL ? n->name : "-",
                                               s != NULL ? s->name : "-", more, m->summary});
    }
    print(&t, markdown);
}

static void part_list(const char *kind, bool markdown)
{
    mrn_app_table t;
    mrn_app_table_begin(&t, 3, (const char *[]){"kind", "part", "what it is"});
    for (int i = mrn_law_model_count(); i < law_count(); i++) {
        const mrn_law *law = part_at(i);
        if (kind == NULL || strcmp(kind, mrn_law_kind_name(law->kind)) == 0)
            mrn_app_table_row(
                &t, (const char *[]){mrn_law_kind_name(law->kind), law->name, law->summary});
    }
    print(&t, markdown);
}

static void law_list(bool markdown)
{
    puts(markdown ? "# Contact laws\n" : "Laws, ready-made:");
    model_list(markdown);
    puts(markdown ? "\n## Parts of laws\n\nA scene may mix its own: `law: {model: hertz-mindlin, "
                    "rolling: elastic-plastic}`.\n"
                  : "\nParts, to mix one's own:  law: {model: hertz-mindlin, rolling: "
                    "elastic-plastic}");
    part_list(NULL, markdown);
}

static void group_list(const char *group, bool markdown)
{
    if (strcmp(group, "models") == 0)
        model_list(markdown);
    else
        part_list(group, markdown);
}

/* ---- pages ---- */

static void history_lines(const mrn_law *law, bool markdown)
{
    for (int i = 0; i < law->n_history; i++)
        printf("%sremembers %s [%s]%s: %s\n", markdown ? "- " : "    ", law->history[i].name,
               law->history[i].unit, law->history[i].vector ? ", a vector" : "",
               law->history[i].doc);
    if (law->n_history > 0)
        putchar('\n');
}

static void part_page(const mrn_law *law, bool markdown)
{
    const mrn_param *params[MRN_PARAM_MAX];
    char heading[160];
    for (int k = 0; k < law->n_params; k++)
        params[k] = &law->params[k];
    snprintf(heading, sizeof heading, "%s law %s", mrn_law_kind_name(law->kind), law->name);
    mrn_catalogue_heading(heading, law->summary, markdown);
    mrn_catalogue_paragraph(law->doc, markdown);
    mrn_catalogue_params(params, law->n_params, markdown);
    putchar('\n');
    history_lines(law, markdown);
    if (law->with_normal == NULL)
        return;
    printf("%sGoes with the normal law", markdown ? "" : "  ");
    for (int k = 0; law->with_normal[k] != NULL; k++)
        printf("%s %s", k == 0 ? "s" : ",", law->with_normal[k]);
    puts(markdown ? ".\n" : ".");
}

static void model_page(const mrn_law_model *m, bool markdown)
{
    const mrn_param *params[MRN_PARAM_MAX];
    mrn_catalogue_heading(m->name, m->summary, markdown);
    mrn_catalogue_paragraph(m->doc, markdown);
    mrn_catalogue_params(params, mrn_law_model_params(m, params), markdown);
    putchar('\n');
    for (int k = 0; k < MRN_LAW_KINDS; k++) {
        const mrn_law *law = m->part[k];
        if (law == NULL)
            continue;
        printf(markdown ? "### %s part: %s\n\n" : "  %s part: %s\n",
               mrn_law_kind_name((mrn_law_kind)k), law->name);
        mrn_catalogue_paragraph(law->doc, markdown);
        history_lines(law, markdown);
    }
}

static void law_page(int i, bool markdown)
{
    if (i < mrn_law_model_count())
        model_page(mrn_law_model_at(i), markdown);
    else
        part_page(part_at(i), markdown);
}

/* ---- JSON ---- */

static json_t *history_json(const mrn_law *law)
{
    json_t *list = json_array();
    for (int i = 0; i < law->n_history; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:b, s:s}", "name", law->history[i].name,
                                              "unit", law->history[i].unit, "vector",
                                              law->history[i].vector, "doc", law->history[i].doc));
    return list;
}

static json_t *part_json(const mrn_law *law)
{
    const mrn_param *params[MRN_PARAM_MAX];
    for (int k = 0; k < law->n_params; k++)
        params[k] = &law->params[k];
    return json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o}", "name", law->name, "kind", mrn_law_kind_name(law->kind),
        "summary", law->summary, "doc", law->doc != NULL ? law->doc : "", "parameters",
        mrn_catalogue_params_json(params, law->n_params), "history", history_json(law));
}

static json_t *law_json(int i)
{
    if (i >= mrn_law_model_count())
        return part_json(part_at(i));
    const mrn_law_model *m = mrn_law_model_at(i);
    const mrn_param *params[MRN_PARAM_MAX];
    int n = mrn_law_model_params(m, params);
    json_t *parts = json_object();
    for (int k = 0; k < MRN_LAW_KINDS; k++)
        if (m->part[k] != NULL)
            json_object_set_new(parts, mrn_law_kind_name((mrn_law_kind)k),
                                json_string(m->part[k]->name));
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "name", m->name, "kind", "model", "summary",
                     m->summary, "doc", m->doc != NULL ? m->doc : "", "parts", parts, "parameters",
                     mrn_catalogue_params_json(params, n));
}

int mrn_cmd_laws(int argc, char **argv)
{
    static const mrn_catalogue laws = {.command = "laws",
                                       .noun = "law",
                                       .count = law_count,
                                       .name = law_name,
                                       .list = law_list,
                                       .page = law_page,
                                       .json = law_json,
                                       .group = law_group,
                                       .list_group = group_list};
    const mrn_app_page page = {
        .usage = "laws [NAME | KIND] [--markdown | --json]",
        .doc = "A law says what force two grains in contact exert on each other. A scene names it "
               "for each two\n"
               "materials:  interactions: [{between: [glass, glass], law: hertz-mindlin, "
               "restitution: 0.9,\n"
               "friction: 0.5}],  or mixes one of parts:  law: {model: hertz-mindlin, cohesion: "
               "jkr}.\n"
               "KIND is models, normal, tangential, rolling, twisting or cohesion.",
        .examples = "moraine laws\nmoraine laws hertz-mindlin\nmoraine laws rolling\nmoraine laws "
                    "--json"};
    return mrn_catalogue_show(&laws, &page, argc, argv);
}
