/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stages of a run: when they end and what they change; and what is written. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "moraine/engine.h"
#include "scene/build.h"

/* ---- output ---- */

typedef mrn_status name_check(const mrn_scene *scene, const char *name, const char **unit,
                              mrn_message *msg);

static mrn_status check_name_by(mrn_reader *r, const mrn_node *n, name_check *check,
                                const char **unit)
{
    mrn_status s = check(r->scene, n->text, unit, r->check.msg);
    if (s == MRN_OK || s == MRN_ERR_MEMORY)
        return s;
    r->check.msg->status = MRN_ERR_INPUT;
    r->check.msg->file[0] = '\0';
    mrn_tree_place(r->check.tree, n, r->check.msg);
    if (r->check.msg->expected[0] == '\0' && r->check.msg->hint[0] == '\0')
        mrn_fail_expected(r->check.msg, "a probe such as kinetic-energy, walls.NAME.force.z or "
                                        "groups.NAME.mean-z");
    return MRN_ERR_INPUT;
}

static mrn_status check_probe(mrn_reader *r, const mrn_node *n, const char **unit)
{
    char base[128];
    if (mrn_column_rate(r->scene, n->text, base)) {
        mrn_fail(r->check.msg, MRN_ERR_INPUT, "'%s' is known from row to row of probes.csv alone",
                 n->text);
        mrn_fail_hint(r->check.msg, "use it under output.probes; here, use %s", base);
        mrn_tree_place(r->check.tree, n, r->check.msg);
        return MRN_ERR_INPUT;
    }
    return check_name_by(r, n, mrn_probe_check, unit);
}

mrn_status mrn_build_probes(mrn_reader *r, const mrn_node *list, void *output)
{
    mrn_output *out = output;
    mrn_output_release(out);
    if (list->n == 0)
        return MRN_OK;
    mrn_status s = mrn_array(&out->probe, list->n, sizeof *out->probe, r->check.msg);
    for (const mrn_node *n = list->first; n != NULL && s == MRN_OK; n = n->next) {
        s = check_name_by(r, n, mrn_column_check, NULL);
        snprintf(out->probe[out->n_probes++], sizeof *out->probe, "%s", n->text);
    }
    return s;
}

/* ---- keys with readers of their own ---- */

typedef struct own_key {
    const mrn_schema *map;
    const char *name;
    mrn_status (*read)(mrn_reader *r, const mrn_node *n, void *object);
} own_key;

static const own_key own_keys[] = {{&mrn_schema_output, "probes", mrn_build_probes},
                                   {&mrn_schema_nonsmooth, "solver", mrn_build_solver},
                                   {&mrn_schema_quasistatic, "rule", mrn_build_rule}};

mrn_status mrn_build_own_keys(mrn_reader *r, const mrn_schema *map, const mrn_node *n, void *object)
{
    mrn_status s = MRN_OK;
    for (size_t i = 0; i < sizeof own_keys / sizeof *own_keys && s == MRN_OK; i++) {
        const mrn_node *x = own_keys[i].map == map ? mrn_node_get(n, own_keys[i].name) : NULL;
        if (x != NULL)
            s = own_keys[i].read(r, x, object);
    }
    for (const mrn_key *k = map->keys; k->name != NULL && s == MRN_OK; k++)
        if (k->member == MRN_MEMBER_STRUCT && k->schema->kind == MRN_SCHEMA_MAP && k->scene == 0)
            s = mrn_build_own_keys(r, k->schema, mrn_node_get(n, k->name), (char *)object + k->at);
    return s;
}

/* The keys of a mapping, the others as they are. */
static mrn_status build_keys(mrn_reader *r, const mrn_schema *map, const mrn_node *n, void *object)
{
    mrn_status s = mrn_read_keys(&r->check, map, n, object);
    return s == MRN_OK ? mrn_build_own_keys(r, map, n, object) : s;
}

/* A stage changes some keys; the others stay as they were in the stage before. */
static mrn_status build_stage_output(mrn_reader *r, const mrn_node *n, int stage)
{
    mrn_stage *st = &r->scene->stage[stage];
    const mrn_output *before = &r->scene->output;
    for (int k = 0; k < stage; k++)
        before = r->scene->stage[k].has_output ? &r->scene->stage[k].output : before;
    st->has_output = true;
    if (mrn_output_copy(before, &st->output) != MRN_OK)
        return mrn_fail_memory(r->check.msg);
    return build_keys(r, &mrn_schema_output, n, &st->output);
}

/* ---- end conditions ---- */

typedef struct ending {
    const char *key, *probe, *unit;
    bool above;
} ending;

static const ending endings[] = {
    {"time", "time-in-stage", "s", true},
    {"steps", "steps", "1", true},
    {"kinetic-energy-ratio", "kinetic-energy-ratio", "1", false},
    {"unbalanced-force-ratio", "unbalanced-force-ratio", "1", false},
};

static mrn_status add_crossing(mrn_reader *r, const mrn_node *n, mrn_condition *out)
{
    const mrn_node *name = mrn_node_get(n, "name"), *above = mrn_node_get(n, "above");
    const char *unit = "1";
    mrn_status s = check_probe(r, name, &unit);
    if (s != MRN_OK)
        return s;
    snprintf(out->probe, sizeof out->probe, "%s", name->text);
    out->above = above != NULL;
    return mrn_read_quantity(&r->check, above != NULL ? above : mrn_node_get(n, "below"), unit,
                             &out->value);
}

static mrn_status add_condition(mrn_reader *r, const mrn_node *n, mrn_stage *st)
{
    if (st->n_until == MRN_CONDITION_MAX)
        return mrn_check_fail(&r->check, n->key, "fewer conditions",
                              "more than %d end conditions in a stage", MRN_CONDITION_MAX);
    mrn_condition *out = &st->until[st->n_until++];
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const ending *e = &endings[i];
        if (strcmp(e->key, n->key->text) != 0)
            continue;
        snprintf(out->probe, sizeof out->probe, "%s", e->probe);
        out->above = e->above;
        return mrn_read_quantity(&r->check, n, e->unit, &out->value);
    }
    return add_crossing(r, n, out);
}

static mrn_status add_conditions(mrn_reader *r, const mrn_node *map, mrn_stage *st)
{
    mrn_status s = MRN_OK;
    for (const mrn_node *n = map->first; n != NULL && s == MRN_OK; n = n->next)
        s = add_condition(r, n, st);
    return s;
}

static mrn_status build_end(mrn_reader *r, const mrn_node *n, mrn_stage *st)
{
    const mrn_node *until = mrn_node_get(n, "until");
    mrn_status s = MRN_OK;
    if (until == NULL)
        return s;
    if (until->kind == MRN_NODE_MAP)
        return add_conditions(r, until, st);
    for (const mrn_node *x = until->first; x != NULL && s == MRN_OK; x = x->next)
        s = add_conditions(r, x, st);
    return s;
}

/* ---- changes of walls ---- */

/* A wall of the scene that no earlier stage has taken away. */
static mrn_status find_standing_wall(mrn_reader *r, const mrn_node *name, const mrn_stage *st,
                                     int *wall)
{
    mrn_status s = mrn_build_find_wall(r, name, wall);
    for (const mrn_stage *e = r->scene->stage; e < st && s == MRN_OK; e++)
        for (int i = 0; i < e->n_remove && s == MRN_OK; i++)
            if (e->remove_wall[i] == *wall)
                s = mrn_check_fail(&r->check, name, "a wall that is there in this stage",
                                   "the wall '%s' is gone: stage '%s' takes it away", name->text,
                                   e->name);
    return s;
}

static mrn_status remove_wall(mrn_reader *r, const mrn_node *name, mrn_stage *st)
{
    int wall;
    mrn_status s = find_standing_wall(r, name, st, &wall);
    for (int i = 0; i < st->n_remove && s == MRN_OK; i++)
        if (st->remove_wall[i] == wall)
            return mrn_check_fail(&r->check, name, "its name once",
                                  "the wall '%s' is removed twice", name->text);
    if (s == MRN_OK)
        st->remove_wall[st->n_remove++] = wall;
    return s;
}

static mrn_status change_wall(mrn_reader *r, const mrn_node *n, mrn_stage *st)
{
    const mrn_node *motion = mrn_node_get(n, "motion");
    int wall;
    mrn_status s = find_standing_wall(r, n->key, st, &wall);
    if (s == MRN_OK && mrn_read_flag(mrn_node_get(n, "remove")))
        s = remove_wall(r, n->key, st);
    if (s != MRN_OK || motion == NULL)
        return s;
    st->motion_wall[st->n_motions] = wall;
    return mrn_build_motion(r, motion, &st->motion[st->n_motions++]);
}

static mrn_status build_wall_changes(mrn_reader *r, const mrn_node *n, mrn_stage *st)
{
    const mrn_node *walls = mrn_node_get(n, "walls"), *remove = mrn_node_get(n, "remove");
    int changes = walls != NULL ? walls->n : 0;
    int removes = changes + (remove == NULL ? 0 : remove->kind == MRN_NODE_LIST ? remove->n : 1);
    if (removes == 0)
        return MRN_OK;
    mrn_status s = mrn_array(&st->motion_wall, changes, sizeof *st->motion_wall, r->check.msg);
    if (s == MRN_OK)
        s = mrn_array(&st->motion, changes, sizeof *st->motion, r->check.msg);
    if (s == MRN_OK)
        s = mrn_array(&st->remove_wall, removes, sizeof *st->remove_wall, r->check.msg);
    for (const mrn_node *x = walls != NULL ? walls->first : NULL; x != NULL && s == MRN_OK;
         x = x->next)
        s = change_wall(r, x, st);
    if (s != MRN_OK || remove == NULL)
        return s;
    if (remove->kind == MRN_NODE_SCALAR)
        return remove_wall(r, remove, st);
    for (const mrn_node *x = remove->first; x != NULL && s == MRN_OK; x = x->next)
        s = remove_wall(r, x, st);
    return s;
}

/* ---- changes of bodies ---- */

static mrn_status change_bodies(mrn_reader *r, const mrn_node *n, mrn_stage *st)
{
    int group;
    if (strcmp(n->key->text, "all") == 0)
        return mrn_check_fail(&r->check, n->key, "the name of one body group",
                              "'all' stands for several groups, each with a hold of its own");
    mrn_status s = mrn_build_find_group(r, n->key, &group);
    if (s != MRN_OK)
        return s;
    st->imposed_group[st->n_imposed] = group;
    return mrn_build_imposed(r, n, &st->imposed[st->n_imposed++]);
}

static mrn_status build_body_changes(mrn_reader *r, const mrn_node *bodies, mrn_stage *st)
{
    if (bodies == NULL || bodies->n == 0)
        return MRN_OK;
    mrn_status s =
        mrn_array(&st->imposed_group, bodies->n, sizeof *st->imposed_group, r->check.msg);
    if (s == MRN_OK)
        s = mrn_array(&st->imposed, bodies->n, sizeof *st->imposed, r->check.msg);
    for (const mrn_node *n = bodies->first; n != NULL && s == MRN_OK; n = n->next)
        s = change_bodies(r, n, st);
    return s;
}

/* ---- a stage ---- */

/* Choices of a stage: as they were before, with the keys that it names changed. */
static mrn_status build_change(mrn_reader *r, const mrn_key *k, const mrn_node *n, mrn_stage *st)
{
    const mrn_scene *scene = r->scene;
    char *to = (char *)st + k->at;
    const char *from = (const char *)scene + k->scene - 1;
    for (const mrn_stage *e = scene->stage; e < st; e++)
        from = *((const bool *)e + k->mark - 1) ? (const char *)e + k->at : from;
    if (k->schema->kind != MRN_SCHEMA_MAP) /* one value, which is named */
        return mrn_read_key(&r->check, k, n, st);
    memcpy(to, from, k->size);
    *((bool *)st + k->mark - 1) = true;
    return build_keys(r, k->schema, n, to);
}

static mrn_status build_changes(mrn_reader *r, const mrn_node *n, mrn_stage *st)
{
    mrn_status s = MRN_OK;
    for (const mrn_key *k = mrn_schema_stage.keys; k->name != NULL && s == MRN_OK; k++) {
        const mrn_node *x = k->scene != 0 ? mrn_node_get(n, k->name) : NULL;
        if (x != NULL)
            s = build_change(r, k, x, st);
    }
    return s;
}

/* Another method: rigid grains remember other things than elastic ones. */
static mrn_status build_stage_method(mrn_reader *r, const mrn_node *n, mrn_stage *st)
{
    const mrn_method *from = r->scene->method, *to = mrn_method_find(n->text);
    if (mrn_method_family(from) != mrn_method_family(to))
        return mrn_check_fail(&r->check, n, "a method that remembers the same of contacts",
                              "a run of method %s cannot go on as '%s'", from->name, to->name);
    st->method = to;
    return MRN_OK;
}

static mrn_status build_stage_cell(mrn_reader *r, const mrn_node *cell, mrn_stage *st)
{
    if (mrn_node_get(r->root, "cell") == NULL) {
        mrn_check_fail(&r->check, cell->key, NULL, "the scene has no periodic cell to strain");
        return mrn_fail_hint(r->check.msg, "add `cell: {periodic: […], size: […]}` to the scene");
    }
    st->has_control = true;
    return mrn_build_control(r, cell, &st->control);
}

static mrn_status build_drives(mrn_reader *r, const mrn_node *n, mrn_stage *st)
{
    const mrn_node *gravity = mrn_node_get(n, "gravity"), *cell = mrn_node_get(n, "cell");
    const mrn_node *forces = mrn_node_get(n, "forces"), *method = mrn_node_get(n, "method");
    st->has_gravity = gravity != NULL;
    st->has_forces = forces != NULL;
    mrn_status s = mrn_build_gravity(r, gravity, st->gravity);
    if (s == MRN_OK && cell != NULL)
        s = build_stage_cell(r, cell, st);
    if (s == MRN_OK)
        s = mrn_build_forces(r, forces, &st->force, &st->n_forces);
    if (s == MRN_OK)
        s = build_changes(r, n, st);
    if (s == MRN_OK && method != NULL)
        s = build_stage_method(r, method, st);
    return s == MRN_OK ? mrn_build_stage_inlets(r, mrn_node_get(n, "inlets"), st) : s;
}

static mrn_status build_stage(mrn_reader *r, const mrn_node *list, const mrn_node *n, int stage)
{
    mrn_stage *st = &r->scene->stage[stage];
    const mrn_node *output = mrn_node_get(n, "output");
    *st = mrn_stage_default();
    mrn_status s = mrn_build_name(r, list, n, "stage", st->name);
    if (s == MRN_OK)
        s = mrn_read_keys(&r->check, &mrn_schema_stage, n, st);
    if (s == MRN_OK)
        s = build_end(r, n, st);
    if (s == MRN_OK)
        s = build_drives(r, n, st);
    if (s == MRN_OK)
        s = mrn_build_stage_interactions(r, stage, mrn_node_get(n, "interactions"));
    if (s == MRN_OK)
        s = build_wall_changes(r, n, st);
    if (s == MRN_OK)
        s = build_body_changes(r, mrn_node_get(n, "bodies"), st);
    return s == MRN_OK && output != NULL ? build_stage_output(r, output, stage) : s;
}

mrn_status mrn_build_stages(mrn_reader *r)
{
    const mrn_node *list = mrn_node_get(r->root, "stages");
    mrn_scene *scene = r->scene;
    mrn_status s = mrn_array(&scene->stage, list->n, sizeof *scene->stage, r->check.msg);
    for (const mrn_node *n = list->first; n != NULL && s == MRN_OK; n = n->next)
        s = build_stage(r, list, n, scene->n_stages++);
    return s;
}
