/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of a mapping in full: its own rows, and those that laws, shapes and solvers add by their
   descriptors. */
#include <string.h>

#include "scene/format.h"

mrn_schema mrn_schema_of_param(const mrn_param *p)
{
    static const mrn_schema_kind kind[] = {
        [MRN_P_NUMBER] = MRN_SCHEMA_QUANTITY, [MRN_P_VECTOR] = MRN_SCHEMA_VECTOR,
        [MRN_P_BOX] = MRN_SCHEMA_BOX,         [MRN_P_FLAG] = MRN_SCHEMA_FLAG,
        [MRN_P_CHOICE] = MRN_SCHEMA_WORD,     [MRN_P_FILE] = MRN_SCHEMA_FILE,
    };
    return (mrn_schema){.kind = kind[p->kind],
                        .unit = p->unit,
                        .min = p->min,
                        .max = p->max,
                        .min_open = p->min_open,
                        .words = p->choices,
                        .param = p,
                        .doc = p->doc};
}

static mrn_key *add_key(mrn_keys *k, const char *key_name, mrn_schema schema, const char *doc)
{
    if (k->n == MRN_KEYS_MAX)
        return &k->key[k->n - 1];
    k->schema[k->n] = schema;
    mrn_key *key = &k->key[k->n];
    *key = (mrn_key){.name = key_name, .schema = &k->schema[k->n], .doc = doc};
    k->n++;
    return key;
}

static mrn_key *add_param(mrn_keys *k, const mrn_param *p)
{
    mrn_key *key = add_key(k, p->name, mrn_schema_of_param(p), p->doc);
    key->required = p->required;
    return key;
}

/* Geomechanics gives friction as an angle: accepted wherever a law has `friction`. */
static void add_friction_angle(mrn_keys *k, mrn_key *friction)
{
    mrn_schema schema = {.kind = MRN_SCHEMA_QUANTITY, .unit = "rad", .min = 0, .max = 1.55};
    mrn_key *angle =
        add_key(k, "friction-angle", schema, "The angle of friction, instead of `friction`.");
    friction->group = angle->group = 'f';
    if (friction->required)
        strcat(k->one_of, "f");
    friction->required = false;
}

static void add_law(mrn_keys *k, const mrn_law_model *law)
{
    const mrn_param *param[MRN_PARAM_MAX];
    int n = law != NULL ? mrn_law_model_params(law, param) : 0;
    mrn_key *friction = NULL;
    for (int i = 0; i < n; i++) {
        mrn_key *key = add_param(k, param[i]);
        if (strcmp(param[i]->name, "friction") == 0 && param[i]->kind == MRN_P_NUMBER)
            friction = key;
    }
    if (friction != NULL)
        add_friction_angle(k, friction);
}

static void add_shape_names(mrn_keys *k, bool grains)
{
    for (int i = 0; i < mrn_shape_type_count(); i++) {
        const mrn_shape_type *t = mrn_shape_type_at(i);
        if (t->grain != grains)
            continue;
        mrn_schema schema = {.kind = MRN_SCHEMA_MAP,
                             .name = t->name,
                             .doc = t->doc,
                             .shape = t,
                             .more = MRN_MORE_SHAPE};
        add_key(k, t->name, schema, t->summary)->group = 's';
    }
}

/* Grains with corners: where the schema comes from, and one more way to tell the size. */
static void add_forms(mrn_keys *k, const mrn_key *list)
{
    for (; list->name != NULL && k->n < MRN_KEYS_MAX; list++)
        k->key[k->n++] = *list;
    strcat(k->one_of, "p");
    mrn_key *sieve = add_key(k, "sieve-size", mrn_schema_size,
                             "Side of the smallest square hole that grains pass (2D: the smaller "
                             "width), or a distribution; of a filled sieve curve each grain "
                             "exactly, else of several variants the mean.");
    sieve->group = 'r';
    sieve->example = "31.5 mm";
}

static void add_shape(mrn_keys *k, const mrn_shape_type *t)
{
    for (int i = 0; i < t->n_params; i++)
        add_param(k, &t->params[i]);
    if (!t->grain)
        return;
    if (t->kind == MRN_GRAIN_POLYTOPE)
        add_forms(k, t->in_2d ? mrn_keys_polygon : mrn_keys_polyhedron);
    if (t->kind == MRN_GRAIN_CLUSTER) {
        mrn_schema of = {.kind = MRN_SCHEMA_NAME};
        mrn_key *key = add_key(k, "of", of,
                               "A template of `clusters`, or dimer, trimer, tetrahedron, rod, "
                               "cross.");
        key->required = true;
        key->example = "peanut";
    }
    mrn_key *r = add_key(k, "radius", mrn_schema_size, "Radius, or a distribution of radii.");
    r->group = 'r';
    r->example = "1 mm";
    mrn_key *d =
        add_key(k, "diameter", mrn_schema_size, "Diameter, or a distribution of diameters.");
    d->group = 'r';
    d->example = "{uniform: [1.8 mm, 2.2 mm]}";
}

static void add_solver_names(mrn_keys *k)
{
    for (int i = 0; i < mrn_solver_count(); i++) {
        const mrn_solver *solver = mrn_solver_at(i);
        mrn_schema schema = {.kind = MRN_SCHEMA_MAP,
                             .name = solver->name,
                             .doc = solver->doc,
                             .solver = solver,
                             .more = MRN_MORE_SOLVER};
        add_key(k, solver->name, schema, solver->summary)->group = 's';
    }
}

void mrn_schema_keys(const mrn_schema *f, const mrn_law_model *law, mrn_keys *out)
{
    out->n = 0;
    out->one_of[0] = '\0';
    if (f->one_of != NULL)
        strncat(out->one_of, f->one_of, sizeof out->one_of - 3);
    for (const mrn_key *k = f->keys; k != NULL && k->name != NULL; k++)
        out->key[out->n++] = *k;
    if (f->more == MRN_MORE_LAW)
        add_law(out, law);
    else if (f->more == MRN_MORE_SHAPE)
        add_shape(out, f->shape);
    else if (f->more == MRN_MORE_SOLVERS)
        add_solver_names(out);
    else if (f->more == MRN_MORE_SOLVER)
        for (int i = 0; i < f->solver->n_params; i++)
            add_param(out, &f->solver->params[i]);
    else if (f->more != MRN_MORE_NONE)
        add_shape_names(out, f->more == MRN_MORE_GRAINS);
}

const mrn_param *mrn_shape_main_param(const mrn_shape_type *t)
{
    const mrn_param *only = NULL;
    int required = 0;
    for (int i = 0; i < t->n_params; i++)
        if (t->params[i].required) {
            only = &t->params[i];
            required++;
        }
    bool list = only != NULL && (only->kind == MRN_P_VECTOR || only->kind == MRN_P_BOX);
    return required == 1 && list ? only : NULL;
}
