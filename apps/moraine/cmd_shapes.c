/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine shapes: the shapes of grains and walls. */
#include "catalogue.h"

static const char *shape_name(int i)
{
    return mrn_shape_type_at(i)->name;
}

static const char *dimensions(const mrn_shape_type *t)
{
    return t->in_2d && t->in_3d ? "2D, 3D" : t->in_2d ? "2D" : "3D";
}

static void shape_list(bool markdown)
{
    mrn_app_table t;
    mrn_app_table_begin(&t, 4, (const char *[]){"shape", "of a", "in", "what it is"});
    for (int i = 0; i < mrn_shape_type_count(); i++) {
        const mrn_shape_type *s = mrn_shape_type_at(i);
        mrn_app_table_row(
            &t, (const char *[]){s->name, s->grain ? "grain" : "wall", dimensions(s), s->summary});
    }
    if (markdown) {
        puts("# Shapes\n");
        mrn_app_table_markdown(&t, stdout);
    } else {
        mrn_app_table_print(&t, stdout);
    }
}

static int shape_params(const mrn_shape_type *t, const mrn_param **out)
{
    int n = t->n_params < MRN_PARAM_MAX ? t->n_params : MRN_PARAM_MAX;
    for (int k = 0; k < n; k++)
        out[k] = &t->params[k];
    return n;
}

static void shape_page(int i, bool markdown)
{
    const mrn_shape_type *t = mrn_shape_type_at(i);
    const mrn_param *params[MRN_PARAM_MAX];
    mrn_catalogue_heading(t->name, t->summary, markdown);
    printf("%sShape of a %s, in %s.\n\n", markdown ? "" : "  ", t->grain ? "grain" : "wall",
           dimensions(t));
    mrn_catalogue_paragraph(t->doc, markdown);
    mrn_catalogue_params(params, shape_params(t, params), markdown);
    fputs(markdown ? "\n" : "", stdout);
}

static json_t *shape_json(int i)
{
    const mrn_shape_type *t = mrn_shape_type_at(i);
    const mrn_param *params[MRN_PARAM_MAX];
    int n = shape_params(t, params);
    return json_pack("{s:s, s:s, s:s, s:b, s:b, s:b, s:o}", "name", t->name, "summary", t->summary,
                     "doc", t->doc != NULL ? t->doc : "", "grain", t->grain, "2d", t->in_2d, "3d",
                     t->in_3d, "parameters", mrn_catalogue_params_json(params, n));
}

int mrn_cmd_shapes(int argc, char **argv)
{
    static const mrn_catalogue shapes = {.command = "shapes",
                                         .noun = "shape",
                                         .count = mrn_shape_type_count,
                                         .name = shape_name,
                                         .list = shape_list,
                                         .page = shape_page,
                                         .json = shape_json};
    const mrn_app_page page = {
        .usage = "shapes [NAME] [--markdown | --json]",
        .doc = "Shapes of grains stand in  bodies: [{shape: {sphere: …}}],  shapes of walls in\n"
               "walls: [{plane: …}].",
        .examples = "moraine shapes\nmoraine shapes cylinder"};
    return mrn_catalogue_show(&shapes, &page, argc, argv);
}
