/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Materials and walls of a scene, and the helpers that all parts use. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "scene/build.h"

/* ---- helpers ---- */

/* The default of a parameter; NAN stays for "derived". */
static void default_value(const mrn_param *p, mrn_value *out)
{
    *out = (mrn_value){0};
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a type with n parameters has a table */
    if (p->kind == MRN_P_NUMBER || p->kind == MRN_P_CHOICE)
        out->number = p->fallback;
    if (p->kind == MRN_P_FLAG)
        out->flag = p->fallback > 0;
}

mrn_status mrn_build_value(mrn_reader *r, const mrn_param *p, const mrn_node *n, mrn_value *out)
{
    default_value(p, out);
    if (n == NULL)
        return MRN_OK;
    out->given = true;
    out->line = n->line;
    out->column = n->column;
    switch (p->kind) {
    case MRN_P_NUMBER:
        return mrn_read_quantity(&r->check, n, p->unit, &out->number);
    case MRN_P_VECTOR:
        return mrn_read_vector(&r->check, n, p->unit, &out->a);
    case MRN_P_BOX:
        return mrn_read_box(&r->check, n, &out->a, &out->b);
    case MRN_P_FLAG:
        out->flag = mrn_read_flag(n);
        return MRN_OK;
    case MRN_P_CHOICE:
        out->number = mrn_read_word(n, p->choices);
        return MRN_OK;
    case MRN_P_FILE:
        return mrn_check_path(&r->check, n, out->text, sizeof out->text);
    }
    return MRN_OK;
}

mrn_status mrn_build_find_material(mrn_reader *r, const mrn_node *n, int *out)
{
    const mrn_scene *s = r->scene;
    *out = mrn_scene_find_material(s, n->text);
    if (*out >= 0)
        return MRN_OK;
    const char *names[128];
    int count = s->n_materials < 128 ? s->n_materials : 128;
    for (int i = 0; i < count; i++)
        names[i] = s->material[i].name;
    return mrn_check_fail_word(&r->check, n, "material", n->text, names, count);
}

mrn_status mrn_build_material_of(mrn_reader *r, const mrn_node *owner, int *out)
{
    const mrn_node *n = mrn_node_get(owner, "material");
    *out = 0;
    if (n != NULL)
        return mrn_build_find_material(r, n, out);
    if (r->scene->n_materials == 1)
        return MRN_OK;
    mrn_check_fail(&r->check, owner, "material: NAME", "the key 'material' is missing");
    return mrn_fail_hint(r->check.msg, "it may be left out only when the scene has one material");
}

/* True when an item of the list at `first` is called `name` by the user. */
static const mrn_node *named(const mrn_node *first, const mrn_node *end, const char *name)
{
    for (const mrn_node *x = first; x != NULL && x != end; x = x->next) {
        const mrn_node *n = mrn_node_get(x, "name");
        if (n != NULL && strcmp(n->text, name) == 0)
            return n;
    }
    return NULL;
}

mrn_status mrn_build_name(mrn_reader *r, const mrn_node *list, const mrn_node *item,
                          const char *stem, char out[MRN_NAME])
{
    int number = 1;
    const mrn_node *n = mrn_node_get(item, "name");
    const mrn_node *first = list != NULL ? list->first : NULL; /* NULL: it stands alone */
    for (const mrn_node *x = first; x != item && x != NULL; x = x->next)
        number++;
    if (n == NULL) {
        do
            snprintf(out, MRN_NAME, "%.40s-%d", stem, number++);
        while (named(first, NULL, out) != NULL);
        return MRN_OK;
    }
    const mrn_node *twin = named(first, item, n->text);
    if (twin != NULL) {
        mrn_check_fail(&r->check, n, NULL, "the name '%s' is taken", n->text);
        return mrn_fail_hint(r->check.msg, "line %d has it already: choose another", twin->line);
    }
    snprintf(out, MRN_NAME, "%s", n->text);
    return MRN_OK;
}

/* ---- materials ---- */

static mrn_status build_material(mrn_reader *r, const mrn_node *n, mrn_material *m)
{
    snprintf(m->name, sizeof m->name, "%s", n->key->text);
    if (strcmp(m->name, "any") == 0)
        return mrn_check_fail(&r->check, n->key, "another name",
                              "'any' cannot name a material: it stands for all of them");
    mrn_keys_default(&mrn_schema_material, m);
    return mrn_read_keys(&r->check, &mrn_schema_material, n, m);
}

mrn_status mrn_build_materials(mrn_reader *r)
{
    const mrn_node *list = mrn_node_get(r->root, "materials");
    mrn_status s = mrn_array(&r->scene->material, list->n, sizeof(mrn_material), r->check.msg);
    for (const mrn_node *n = list->first; n != NULL && s == MRN_OK; n = n->next)
        s = build_material(r, n, &r->scene->material[r->scene->n_materials++]);
    return s;
}

/* ---- walls ---- */

/* A shape that refused its parameters: where it stands, unless it named a file and line itself. */
static mrn_status fail_shape(mrn_reader *r, const mrn_node *n, const mrn_shape_type *t)
{
    mrn_message *msg = r->check.msg;
    if (msg->line > 0 && msg->file[0] == '\0')
        mrn_fail_at(msg, r->check.tree->file, msg->line, msg->column);
    mrn_tree_place(r->check.tree, n, msg);
    bool file = false;
    for (int i = 0; i < t->n_params; i++)
        file = file || t->params[i].kind == MRN_P_FILE;
    if (file && msg->hint[0] == '\0')
        mrn_fail_hint(msg, "files are sought in the folder of the scene");
    msg->status = MRN_ERR_INPUT;
    return MRN_ERR_INPUT;
}

static mrn_status build_shape(mrn_reader *r, const mrn_node *n, const mrn_shape_type *t,
                              mrn_wall *w, mrn_shape *shape)
{
    mrn_value value[MRN_PARAM_MAX];
    const mrn_param *main = n->kind == MRN_NODE_LIST ? mrn_shape_main_param(t) : NULL;
    mrn_status s = MRN_OK;
    for (int i = 0; i < t->n_params && s == MRN_OK; i++) {
        const mrn_param *p = &t->params[i];
        s = mrn_build_value(r, p, main == p ? n : mrn_node_get(n, p->name), &value[i]);
    }
    if (s != MRN_OK)
        return s;
    s = t->build(value, r->check.dimension, shape, &w->x, &w->q, r->check.msg);
    return s == MRN_OK || s == MRN_ERR_MEMORY ? s : fail_shape(r, n, t);
}

static mrn_status build_wall(mrn_reader *r, const mrn_node *list, const mrn_node *n)
{
    mrn_scene *scene = r->scene;
    mrn_wall *w = &scene->wall[scene->n_walls];
    const mrn_node *shape = n->first, *motion = mrn_node_get(n, "motion");
    const mrn_shape_type *t = NULL;
    for (; shape != NULL; shape = shape->next)
        if ((t = mrn_shape_type_find(shape->key->text)) != NULL && !t->grain)
            break;
    if (shape == NULL)
        return mrn_check_fail(&r->check, n, NULL, "this wall has no shape");
    w->q = mrn_quat_identity();
    w->shape = scene->n_shapes;
    mrn_status s = mrn_build_name(r, list, n, t->name, w->name);
    if (s == MRN_OK)
        s = mrn_build_material_of(r, n, &w->material);
    scene->n_walls++; /* from here on its motion is the scene's to release */
    if (s == MRN_OK && motion != NULL)
        s = mrn_build_motion(r, motion, &w->motion);
    if (s == MRN_OK)
        s = build_shape(r, shape, t, w, &scene->shape[scene->n_shapes]);
    scene->n_shapes += s == MRN_OK;
    return s;
}

mrn_status mrn_build_walls(mrn_reader *r)
{
    const mrn_node *list = mrn_node_get(r->root, "walls");
    if (list == NULL)
        return MRN_OK;
    mrn_status s = mrn_array(&r->scene->wall, list->n, sizeof(mrn_wall), r->check.msg);
    for (const mrn_node *n = list->first; n != NULL && s == MRN_OK; n = n->next)
        s = build_wall(r, list, n);
    return s;
}

mrn_status mrn_build_find_wall(mrn_reader *r, const mrn_node *name, int *out)
{
    const mrn_scene *s = r->scene;
    *out = mrn_scene_find_wall(s, name->text);
    if (*out >= 0)
        return MRN_OK;
    const char *names[128];
    int count = s->n_walls < 128 ? s->n_walls : 128;
    for (int i = 0; i < count; i++)
        names[i] = s->wall[i].name;
    return mrn_check_fail_word(&r->check, name, "wall", name->text, names, count);
}
