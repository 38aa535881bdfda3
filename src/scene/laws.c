/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interactions of a scene and of its stages. An entry may speak of one pair, of one material with
   `any`, or of `any`: the more particular one wins. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "engine/abilities.h"
#include "engine/scenes.h"
#include "scene/build.h"

#define ANY (-1)

/* A list of interactions in the making, with its place in time. */
typedef struct target {
    mrn_interaction **list;
    int *n;
    int stage;            /* -1: the scene's own list */
    unsigned char *taken; /* n_materials^2, a <= b: 1 when an entry has spoken for the pair */
    int64_t capacity;
} target;

static mrn_status read_end(mrn_reader *r, const mrn_node *n, int *out)
{
    const mrn_scene *s = r->scene;
    *out = strcmp(n->text, "any") == 0 ? ANY : mrn_scene_find_material(s, n->text);
    if (*out >= 0 || strcmp(n->text, "any") == 0)
        return MRN_OK;
    const char *names[129] = {"any"};
    int count = 1;
    for (int i = 0; i < s->n_materials && count < 129; i++)
        names[count++] = s->material[i].name;
    return mrn_check_fail_word(&r->check, n, "material", n->text, names, count);
}

static mrn_status read_between(mrn_reader *r, const mrn_node *n, int *a, int *b)
{
    *a = *b = ANY;
    if (n->kind == MRN_NODE_SCALAR)
        return MRN_OK;
    mrn_status s = read_end(r, n->first, a);
    return s == MRN_OK ? read_end(r, n->last, b) : s;
}

/* What governs a pair when a stage begins: the latest stage that changed it, or the scene. */
static const mrn_interaction *in_force(const mrn_scene *s, int stage, int a, int b)
{
    for (int k = stage - 1; k >= -1; k--) {
        const mrn_interaction *x = k >= 0 ? s->stage[k].interaction : s->interaction;
        int n = k >= 0 ? s->stage[k].n_interactions : s->n_interactions;
        for (int i = 0; i < n; i++)
            if (x[i].a == a && x[i].b == b)
                return &x[i];
    }
    return NULL;
}

mrn_status mrn_build_law_values(mrn_reader *r, const mrn_node *n, bool keep, mrn_interaction *x)
{
    const mrn_param *param[MRN_PARAM_MAX];
    int count = mrn_law_model_params(&x->model, param);
    const mrn_node *angle = mrn_node_get(n, "friction-angle");
    mrn_status s = MRN_OK;
    for (int i = 0; i < count && s == MRN_OK; i++) {
        const mrn_node *v = mrn_node_get(n, param[i]->name);
        if (v != NULL || !keep)
            s = mrn_build_value(r, param[i], v, &x->value[i]);
        if (s != MRN_OK || angle == NULL || strcmp(param[i]->name, "friction") != 0)
            continue;
        double phi = 0;
        s = mrn_read_quantity(&r->check, angle, "rad", &phi);
        x->value[i] = (mrn_value){
            .given = true, .number = tan(phi), .line = angle->line, .column = angle->column};
    }
    return s;
}

/* Asked here too, where the place in the file is known; stages may have another method. */
static mrn_status check_method(mrn_reader *r, const mrn_node *n, const mrn_law_model *m)
{
    const mrn_node *law = mrn_node_get(n, "law");
    mrn_message *msg = r->check.msg;
    mrn_fail(msg, MRN_OK, " ");
    if (mrn_abilities_check_law(r->scene->method, m, msg) == MRN_OK)
        return MRN_OK;
    return mrn_tree_place(r->check.tree, law != NULL ? law : n, msg);
}

/* Laws judge their parameters together; done here too, where the place in the file is known. */
static mrn_status try_law(mrn_reader *r, const mrn_node *n, const mrn_interaction *x)
{
    const mrn_material *a = &r->scene->material[x->a], *b = &r->scene->material[x->b];
    mrn_material_pair pair =
        mrn_material_pair_mix(a->young, a->poisson, a->density, b->young, b->poisson, b->density);
    mrn_prepared ready;
    mrn_rigid rigid;
    mrn_message *msg = r->check.msg;
    bool rigid_grains = r->scene->method->rigid_contacts;
    mrn_fail(msg, MRN_OK, " ");
    mrn_status s = mrn_law_prepare(&x->model, &pair, x->value, &ready, msg);
    if (s == MRN_OK && rigid_grains)
        s = mrn_method_rigid(r->scene->method, x, &pair, &rigid, msg);
    if (s == MRN_OK || s == MRN_ERR_MEMORY)
        return s;
    if (msg->line > 0 && msg->file[0] == '\0')
        mrn_fail_at(msg, r->check.tree->file, msg->line, msg->column);
    mrn_tree_place(r->check.tree, n, msg);
    return s;
}

static mrn_status add_pair(mrn_reader *r, target *t, const mrn_node *n, const mrn_law_model *model,
                           int a, int b)
{
    int lo = a < b ? a : b, hi = a < b ? b : a;
    const mrn_interaction *old = t->stage >= 0 ? in_force(r->scene, t->stage, lo, hi) : NULL;
    bool keep = model == NULL;
    if (mrn_grow(t->list, &t->capacity, *t->n + 1, sizeof(mrn_interaction)) != MRN_OK)
        return mrn_fail_memory(r->check.msg);
    mrn_interaction *x = &(*t->list)[*t->n];
    memset(x, 0, sizeof *x);
    if (keep && old != NULL) /* it is: the caller has looked */
        *x = *old;
    x->a = lo;
    x->b = hi;
    if (!keep)
        x->model = *model;
    mrn_status s = mrn_build_law_values(r, n, keep, x);
    if (s == MRN_OK && t->stage < 0)
        s = check_method(r, n, &x->model);
    if (s == MRN_OK)
        s = try_law(r, n, x);
    if (s == MRN_OK)
        ++*t->n;
    return s;
}

static mrn_status fail_twice(mrn_reader *r, const mrn_node *n, int a, int b)
{
    mrn_check_fail(&r->check, n, NULL, "a second interaction between '%s' and '%s'",
                   r->scene->material[a].name, r->scene->material[b].name);
    return mrn_fail_hint(r->check.msg, "keep one of them");
}

/* A change without a law needs one in force, and its keys are that law's. */
static mrn_status check_change(mrn_reader *r, target *t, const mrn_node *n,
                               const mrn_schema *schema, int a, int b)
{
    const mrn_interaction *old = in_force(r->scene, t->stage, a < b ? a : b, a < b ? b : a);
    if (old != NULL)
        return mrn_check_interaction(&r->check, schema, n, &old->model);
    mrn_check_fail(&r->check, n, "law: NAME, with its parameters",
                   "no law is in force between '%s' and '%s' that could be changed",
                   r->scene->material[a].name, r->scene->material[b].name);
    return MRN_ERR_INPUT;
}

/* One entry for one pair; `particular` tells whether the entry names it in full. */
static mrn_status apply_pair(mrn_reader *r, target *t, const mrn_node *n, const mrn_schema *schema,
                             const mrn_law_model *model, int a, int b, bool particular)
{
    int m = r->scene->n_materials;
    unsigned char *taken = &t->taken[(a < b ? a : b) * m + (a < b ? b : a)];
    if (*taken)
        return particular ? fail_twice(r, n, a, b) : MRN_OK;
    bool absent =
        model == NULL && in_force(r->scene, t->stage, a < b ? a : b, a < b ? b : a) == NULL;
    if (absent && !particular)
        return MRN_OK;
    *taken = 1;
    mrn_status s = model == NULL ? check_change(r, t, n, schema, a, b) : MRN_OK;
    return s == MRN_OK ? add_pair(r, t, n, model, a, b) : s;
}

/* All pairs an entry speaks of, when it is as particular as `level`: 2 a pair, 1 one name, 0 any.
 */
static mrn_status apply_entry(mrn_reader *r, target *t, const mrn_node *n, const mrn_schema *schema,
                              int level)
{
    int a, b, m = r->scene->n_materials;
    mrn_law_model law;
    bool named = false;
    mrn_status s = read_between(r, mrn_node_get(n, "between"), &a, &b);
    if (s == MRN_OK)
        s = mrn_check_law(&r->check, n, &law, &named);
    const mrn_law_model *model = named ? &law : NULL;
    if (s != MRN_OK || (a != ANY) + (b != ANY) != level)
        return s;
    for (int i = 0; i < m && s == MRN_OK; i++)
        for (int j = i; j < m && s == MRN_OK; j++) {
            bool straight = (a == ANY || a == i) && (b == ANY || b == j);
            bool swapped = (a == ANY || a == j) && (b == ANY || b == i);
            if (straight || swapped)
                s = apply_pair(r, t, n, schema, model, i, j, level == 2);
        }
    return s;
}

static mrn_status build_list(mrn_reader *r, target *t, const mrn_node *list,
                             const mrn_schema *schema)
{
    int m = r->scene->n_materials;
    mrn_status s = mrn_array(&t->taken, (int64_t)m * m, 1, r->check.msg);
    for (int level = 2; level >= 0; level--)
        for (const mrn_node *n = list->first; n != NULL && s == MRN_OK; n = n->next)
            s = apply_entry(r, t, n, schema, level);
    mrn_free(t->taken);
    return s;
}

mrn_status mrn_build_interactions(mrn_reader *r)
{
    target t = {.list = &r->scene->interaction, .n = &r->scene->n_interactions, .stage = -1};
    return build_list(r, &t, mrn_node_get(r->root, "interactions"), &mrn_schema_interaction);
}

mrn_status mrn_build_stage_interactions(mrn_reader *r, int stage, const mrn_node *list)
{
    mrn_stage *st = &r->scene->stage[stage];
    target t = {.list = &st->interaction, .n = &st->n_interactions, .stage = stage};
    return list != NULL ? build_list(r, &t, list, &mrn_schema_interaction_change) : MRN_OK;
}
