/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Materials and the laws between them, by name. */
#include <stdio.h>

#include "compose/compose.h"

static mrn_names materials(const mrn_scene *s)
{
    return MRN_NAMES("material", s->material, s->n_materials);
}

mrn_status mrn_scene_add_material(mrn_scene *s, const char *name, double density, double young,
                                  double poisson, mrn_message *msg)
{
    if (mrn_compose_failed(msg))
        return msg->status;
    mrn_material m = {.density = density, .young = young, .poisson = poisson};
    mrn_status st = mrn_compose_check_new(materials(s), name, msg);
    if (st != MRN_OK)
        return st;
    mrn_compose_name(m.name, name);
    st = mrn_compose_append(&s->material, &s->n_materials, sizeof m, &m, msg);
    if (st == MRN_OK)
        mrn_compose_changed(s);
    return st;
}

/* ---- laws ---- */

mrn_status mrn_compose_pair(const mrn_scene *s, const char *a, const char *b, int *i, int *j,
                            mrn_message *msg)
{
    int k = mrn_compose_find(materials(s), a, msg);
    int l = k < 0 ? -1 : mrn_compose_find(materials(s), b, msg);
    *i = k < l ? k : l;
    *j = k < l ? l : k;
    return l < 0 ? MRN_ERR_INPUT : MRN_OK;
}

mrn_interaction *mrn_compose_interaction(mrn_interaction *list, int n, int i, int j)
{
    for (int k = 0; k < n; k++)
        if ((list[k].a == i && list[k].b == j) || (list[k].a == j && list[k].b == i))
            return &list[k];
    return NULL;
}

mrn_status mrn_compose_no_law(const mrn_scene *s, int i, int j, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT, "there is no law between '%s' and '%s'", s->material[i].name,
             s->material[j].name);
    return mrn_fail_hint(msg, "add one with mrn_scene_add_law");
}

mrn_param_list mrn_compose_law_params(const mrn_scene *s, const mrn_interaction *x)
{
    mrn_param_list l = {.n = 0};
    l.n = mrn_law_model_params(&x->model, l.param);
    snprintf(l.owner, sizeof l.owner, "law '%.40s' between '%.40s' and '%.40s'", x->model.name,
             s->material[x->a].name, s->material[x->b].name);
    return l;
}

mrn_status mrn_scene_add_law_model(mrn_scene *s, const char *a, const char *b,
                                   const mrn_law_model *model, mrn_message *msg)
{
    if (mrn_compose_failed(msg))
        return msg->status;
    mrn_interaction x = {.model = *model};
    mrn_status st = mrn_compose_pair(s, a, b, &x.a, &x.b, msg);
    if (st != MRN_OK)
        return st;
    if (mrn_compose_interaction(s->interaction, s->n_interactions, x.a, x.b) != NULL) {
        mrn_fail(msg, MRN_ERR_INPUT, "there is a law between '%s' and '%s' already", a, b);
        return mrn_fail_hint(msg, "change its parameters with mrn_scene_set_law");
    }
    mrn_param_list l = mrn_compose_law_params(s, &x);
    mrn_compose_defaults(&l, x.value);
    st = mrn_compose_append(&s->interaction, &s->n_interactions, sizeof x, &x, msg);
    if (st == MRN_OK)
        mrn_compose_changed(s);
    return st;
}

static mrn_status unknown_model(const char *model, mrn_message *msg)
{
    const char *word[64];
    int n = 0;
    for (; n < mrn_law_model_count() && n < 64; n++)
        word[n] = mrn_law_model_at(n)->name;
    return mrn_compose_unknown("law", model, word, n, msg);
}

mrn_status mrn_scene_add_law(mrn_scene *s, const char *a, const char *b, const char *model,
                             mrn_message *msg)
{
    if (mrn_compose_failed(msg))
        return msg->status;
    model = model != NULL ? model : "";
    const mrn_law_model *m = mrn_law_model_find(model);
    return m != NULL ? mrn_scene_add_law_model(s, a, b, m, msg) : unknown_model(model, msg);
}

/* The interaction that a setter speaks of; NULL: there is none, as `msg` tells. */
static mrn_interaction *law_between(mrn_scene *s, const char *a, const char *b, mrn_message *msg)
{
    int i, j;
    if (mrn_compose_pair(s, a, b, &i, &j, msg) != MRN_OK)
        return NULL;
    mrn_interaction *x = mrn_compose_interaction(s->interaction, s->n_interactions, i, j);
    if (x == NULL)
        mrn_compose_no_law(s, i, j, msg);
    return x;
}

mrn_status mrn_scene_set_law(mrn_scene *s, const char *a, const char *b, const char *param,
                             double value, mrn_message *msg)
{
    if (mrn_compose_failed(msg))
        return msg->status;
    mrn_interaction *x = law_between(s, a, b, msg);
    if (x == NULL)
        return msg->status;
    mrn_param_list l = mrn_compose_law_params(s, x);
    mrn_compose_changed(s);
    return mrn_compose_number(&l, x->value, param, value, msg);
}

mrn_status mrn_scene_set_law_word(mrn_scene *s, const char *a, const char *b, const char *param,
                                  const char *word, mrn_message *msg)
{
    if (mrn_compose_failed(msg))
        return msg->status;
    mrn_interaction *x = law_between(s, a, b, msg);
    if (x == NULL)
        return msg->status;
    mrn_param_list l = mrn_compose_law_params(s, x);
    mrn_compose_changed(s);
    return mrn_compose_word(&l, x->value, param, word, msg);
}
