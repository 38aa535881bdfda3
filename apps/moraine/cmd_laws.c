/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine laws: the contact laws. */
#include "catalogue.h"

static const char *law_name(int i)
{
    return mrn_law_model_at(i)->name;
}

static void law_list(bool markdown)
{
    mrn_app_table t;
    mrn_app_table_begin(&t, 4, (const char *[]){"law", "normal", "tangential", "what it is"});
    for (int i = 0; i < mrn_law_model_count(); i++) {
        const mrn_law_model *m = mrn_law_model_at(i);
        const mrn_law *n = m->part[MRN_LAW_NORMAL], *s = m->part[MRN_LAW_TANGENTIAL];
        mrn_app_table_row(&t, (const char *[]){m->name, n != NULL ? n->name : "-",
                                               s != NULL ? s->name : "-", m->summary});
    }
    if (markdown) {
        puts("# Contact laws\n");
        mrn_app_table_markdown(&t, stdout);
    } else {
        mrn_app_table_print(&t, stdout);
    }
}

static void history_lines(const mrn_law *law, bool markdown)
{
    for (int i = 0; i < law->n_history; i++)
        printf("%sremembers %s [%s]%s: %s\n", markdown ? "- " : "    ", law->history[i].name,
               law->history[i].unit, law->history[i].vector ? ", a vector" : "",
               law->history[i].doc);
}

static void law_page(int i, bool markdown)
{
    static const char *const kind[] = {"normal", "tangential", "rolling", "cohesion"};
    const mrn_law_model *m = mrn_law_model_at(i);
    const mrn_param *params[MRN_PARAM_MAX];
    mrn_catalogue_heading(m->name, m->summary, markdown);
    mrn_catalogue_paragraph(m->doc, markdown);
    mrn_catalogue_params(params, mrn_law_model_params(m, params), markdown);
    putchar('\n');
    for (int k = 0; k < MRN_LAW_KINDS; k++) {
        const mrn_law *law = m->part[k];
        if (law == NULL)
            continue;
        printf(markdown ? "### %s part: %s\n\n" : "  %s part: %s\n", kind[k], law->name);
        mrn_catalogue_paragraph(law->doc, markdown);
        history_lines(law, markdown);
        if (law->n_history > 0)
            putchar('\n');
    }
}

static json_t *law_json(int i)
{
    const mrn_law_model *m = mrn_law_model_at(i);
    const mrn_param *params[MRN_PARAM_MAX];
    int n = mrn_law_model_params(m, params);
    return json_pack("{s:s, s:s, s:s, s:o}", "name", m->name, "summary", m->summary, "doc",
                     m->doc != NULL ? m->doc : "", "parameters",
                     mrn_catalogue_params_json(params, n));
}

int mrn_cmd_laws(int argc, char **argv)
{
    static const mrn_catalogue laws = {"laws",   "law",   mrn_law_model_count, law_name, law_list,
                                       law_page, law_json};
    const mrn_app_page page = {.usage = "laws [NAME] [--markdown | --json]",
                               .doc = "A law says what force two grains in contact exert on each "
                                      "other. A scene names it for each two\n"
                                      "materials:  interactions: [{between: [glass, glass], law: "
                                      "hertz-mindlin, restitution: 0.9,\n"
                                      "friction: 0.5}]",
                               .examples =
                                   "moraine laws\nmoraine laws hertz-mindlin\nmoraine laws --json"};
    return mrn_catalogue_show(&laws, &page, argc, argv);
}
