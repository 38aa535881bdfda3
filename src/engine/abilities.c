/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a method can do is data: a bit of its descriptor for each row of the table below. A row has
   the words for a thing and how to find it in a scene. One walk over the rows refuses what the
   method lacks and names the methods that have it. A scene is looked at as it stands (stage -1) or
   as it will stand in a stage: what the last stage before it has changed, else the scene's. What
   depends on values rather than on the kind of thing is checked by the methods themselves. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "engine/abilities.h"
#include "engine/scenes.h"
#include "model/model.h"

/* Where a scene asks for something. */
typedef struct use {
    char path[160];   /* of the key                                                */
    char subject[96]; /* "wall 'lid'"; "": goes without saying                     */
    int line, column; /* in the file, where values know it; 0: the path leads there */
} use;

typedef struct row {
    const char *word; /* "joints", after "method … has no" */
    const char *hint; /* what else may be done; NULL: nothing */
    /* Finds it in the scene as it is in a stage, -1 as it stands. NULL: not asked for by scenes. */
    bool (*find)(const mrn_scene *s, int stage, use *u);
    /* The law that asks for it; NULL: no law does. */
    const mrn_law *(*law)(const mrn_law_model *m);
} row;

static void name(use *u, const char *what, const char *called)
{
    if (called != NULL && called[0] != '\0')
        snprintf(u->subject, sizeof u->subject, "%s '%.64s'", what, called);
}

/* ---- grains ---- */

static bool finds_joints(const mrn_scene *s, int stage, use *u)
{
    (void)stage;
    snprintf(u->path, sizeof u->path, "joints");
    return s->n_joints > 0;
}

/* The first group of which `is` is true. */
static bool finds_group(const mrn_scene *s, bool (*is)(const mrn_scene *, const mrn_group *),
                        const char *key, use *u)
{
    for (int i = 0; i < s->n_groups; i++) {
        const mrn_group *g = &s->group[i];
        if (!is(s, g))
            continue;
        snprintf(u->path, sizeof u->path, "bodies.%d.%s", i, key);
        name(u, "group", g->name);
        return true;
    }
    return false;
}

static bool flows_in(const mrn_scene *s, const mrn_group *g)
{
    (void)s;
    return g->place == MRN_PLACE_INLET;
}

/* What a stage frees is not imposed from there on, whoever imposed it. */
static bool finds_imposed(const mrn_scene *s, int stage, use *u)
{
    for (int i = 0; i < s->n_groups; i++) {
        const mrn_group *g = &s->group[i];
        int from = stage;
        const mrn_imposed *last = NULL;
        for (; from >= 0 && last == NULL; from--)
            for (int k = 0; k < s->stage[from].n_imposed; k++)
                if (s->stage[from].imposed_group[k] == i)
                    last = &s->stage[from].imposed[k];
        if ((last != NULL ? last->held : g->held) == 0)
            continue;
        if (last != NULL)
            snprintf(u->path, sizeof u->path, "stages.%d.bodies.%.60s", from + 1, g->name);
        else
            snprintf(u->path, sizeof u->path, "bodies.%d.%s", i, mrn_group_imposed_key(g, ~0u));
        name(u, "group", g->name);
        return true;
    }
    return false;
}

static bool finds_clusters(const mrn_scene *s, int stage, use *u)
{
    (void)stage;
    return finds_group(s, mrn_group_is_cluster, "shape", u);
}

static bool finds_polytopes(const mrn_scene *s, int stage, use *u)
{
    (void)stage;
    return finds_group(s, mrn_group_has_corners, "shape", u);
}

static bool finds_sources(const mrn_scene *s, int stage, use *u)
{
    (void)stage;
    if (finds_group(s, flows_in, "place", u))
        return true;
    snprintf(u->path, sizeof u->path, "outlets");
    return s->n_outlets > 0;
}

/* ---- drives and choices ---- */

static bool finds_integrators(const mrn_scene *s, int stage, use *u)
{
    (void)stage;
    snprintf(u->path, sizeof u->path, "integrator");
    return s->integrator != MRN_VERLET;
}

static void place_of_stage(const mrn_scene *s, int stage, const char *key, use *u)
{
    snprintf(u->path, sizeof u->path, "%s", key);
    if (stage < 0)
        return;
    snprintf(u->path, sizeof u->path, "stages.%d.%s", stage, key);
    name(u, "stage", s->stage[stage].name);
}

static bool finds_local_damping(const mrn_scene *s, int stage, use *u)
{
    while (stage >= 0 && !s->stage[stage].has_damping)
        stage--;
    place_of_stage(s, stage, "damping.local", u);
    return (stage >= 0 ? &s->stage[stage].damping : &s->damping)->local != 0;
}

static bool finds_damping(const mrn_scene *s, int stage, use *u)
{
    while (stage >= 0 && !s->stage[stage].has_damping)
        stage--;
    place_of_stage(s, stage, "damping.global", u);
    return (stage >= 0 ? &s->stage[stage].damping : &s->damping)->global != 0;
}

static bool finds_fixed_contacts(const mrn_scene *s, int stage, use *u)
{
    while (stage >= 0 && !s->stage[stage].has_fixed_contacts)
        stage--;
    place_of_stage(s, stage, "fixed-contacts", u);
    return stage >= 0 ? s->stage[stage].fixed_contacts : s->fixed_contacts;
}

static bool finds_forces(const mrn_scene *s, int stage, use *u)
{
    while (stage >= 0 && !s->stage[stage].has_forces)
        stage--;
    place_of_stage(s, stage, "forces", u);
    return (stage >= 0 ? s->stage[stage].n_forces : s->n_forces) > 0;
}

static bool finds_varying_gravity(const mrn_scene *s, int stage, use *u)
{
    while (stage >= 0 && !s->stage[stage].has_gravity)
        stage--;
    const mrn_signal *g = stage >= 0 ? s->stage[stage].gravity : s->gravity_of;
    place_of_stage(s, stage, "gravity", u);
    for (int k = 0; k < 3; k++)
        if (g[k].kind != MRN_SIGNAL_CONSTANT)
            return true;
    return false;
}

static bool finds_driven_cell(const mrn_scene *s, int stage, use *u)
{
    while (stage >= 0 && !s->stage[stage].has_control)
        stage--;
    const mrn_cell_control *c = stage >= 0 ? &s->stage[stage].control : &s->cell.control;
    place_of_stage(s, stage, "cell", u);
    for (int k = 0; k < MRN_STRAINS; k++)
        if (c->kind[k] == MRN_CONTROL_STRESS || !mrn_signal_is_zero(&c->target[k]))
            return true;
    return false;
}

/* The motion of a wall in a stage, and the stage (-1: none) that gave it. */
static const mrn_motion *motion_in(const mrn_scene *s, int wall, int *stage)
{
    for (; *stage >= 0; --*stage)
        for (int i = s->stage[*stage].n_motions - 1; i >= 0; i--)
            if (s->stage[*stage].motion_wall[i] == wall)
                return &s->stage[*stage].motion[i];
    return &s->wall[wall].motion;
}

static bool is_imposed(const mrn_motion *m)
{
    if (m->kind == MRN_MOTION_STEADY)
        return mrn_norm(m->velocity) != 0 || mrn_norm(m->spin) != 0;
    return m->kind != MRN_MOTION_NONE && m->kind != MRN_MOTION_SERVO;
}

static bool is_servo(const mrn_motion *m)
{
    return m->kind == MRN_MOTION_SERVO;
}

static bool finds_motion(const mrn_scene *s, int stage, bool (*is)(const mrn_motion *), use *u)
{
    for (int w = 0; w < s->n_walls; w++) {
        int from = stage;
        if (!is(motion_in(s, w, &from)))
            continue;
        if (from < 0)
            snprintf(u->path, sizeof u->path, "walls.%d.motion", w);
        else
            snprintf(u->path, sizeof u->path, "stages.%d.walls.%s.motion", from, s->wall[w].name);
        name(u, "wall", s->wall[w].name);
        return true;
    }
    return false;
}

static bool finds_moving_walls(const mrn_scene *s, int stage, use *u)
{
    return finds_motion(s, stage, is_imposed, u);
}

static bool finds_servos(const mrn_scene *s, int stage, use *u)
{
    return finds_motion(s, stage, is_servo, u);
}

/* ---- laws ---- */

static const mrn_law *rigid_only(const mrn_law_model *m)
{
    const mrn_law *law = m->part[MRN_LAW_NORMAL];
    return law != NULL && law->rigid_only ? law : NULL;
}

static const mrn_law *normal_with_history(const mrn_law_model *m)
{
    const mrn_law *law = m->part[MRN_LAW_NORMAL];
    return law != NULL && law->n_history > 0 ? law : NULL;
}

static const mrn_law *history_without_hold(const mrn_law_model *m)
{
    for (int k = 0; k < MRN_LAW_KINDS; k++)
        if (k != MRN_LAW_NORMAL && m->part[k] != NULL && m->part[k]->n_history > 0 &&
            m->part[k]->hold == NULL)
            return m->part[k];
    return NULL;
}

/* A stage after `from`, up to `stage`, has another law for the pair. */
static bool replaced(const mrn_scene *s, const mrn_interaction *x, int from, int stage)
{
    for (int k = from + 1; k <= stage; k++)
        for (int i = 0; i < s->stage[k].n_interactions; i++) {
            const mrn_interaction *y = &s->stage[k].interaction[i];
            if ((x->a == y->a && x->b == y->b) || (x->a == y->b && x->b == y->a))
                return true;
        }
    return false;
}

static void place_of_law(int from, int i, const mrn_interaction *x, const mrn_law *law, use *u)
{
    char key[64];
    snprintf(key, sizeof key, "interactions.%d.law", i);
    if (from < 0)
        snprintf(u->path, sizeof u->path, "%s", key);
    else
        snprintf(u->path, sizeof u->path, "stages.%d.%s", from, key);
    name(u, "law", law->name);
    for (int k = 0; u->line == 0 && k < MRN_PARAM_MAX; k++) {
        u->line = x->value[k].line;
        u->column = x->value[k].column;
    }
}

static bool finds_law(const mrn_scene *s, int stage, const mrn_law *(*asks)(const mrn_law_model *),
                      use *u)
{
    for (int from = -1; from <= stage; from++) {
        int n = from < 0 ? s->n_interactions : s->stage[from].n_interactions;
        const mrn_interaction *x = from < 0 ? s->interaction : s->stage[from].interaction;
        for (int i = 0; i < n; i++) {
            const mrn_law *law = asks(&x[i].model);
            if (law == NULL || replaced(s, &x[i], from, stage))
                continue;
            place_of_law(from, i, &x[i], law, u);
            return true;
        }
    }
    return false;
}

/* ---- the table ---- */

static const row rows[MRN_ABILITIES] = {
    [MRN_CAN_JOINTS] = {"joints", "or remove the joints", finds_joints, NULL},
    [MRN_CAN_IMPOSE_DOFS] = {"grains with degrees of freedom held or driven",
                             "or take a wall with a motion", finds_imposed, NULL},
    [MRN_CAN_CLUSTERS] = {"clusters", "disks and spheres can; `moraine analyze` takes every shape",
                          finds_clusters, NULL},
    [MRN_CAN_POLYTOPES] = {"polygons and polyhedra",
                           "disks and spheres can; `moraine analyze` takes every shape",
                           finds_polytopes, NULL},
    [MRN_CAN_SOURCES] = {"inlets and outlets", "or leave them out", finds_sources, NULL},
    [MRN_CAN_MOVE_WALLS] = {"walls that move as imposed",
                            "or give the wall a servo, or strain a periodic cell",
                            finds_moving_walls, NULL},
    [MRN_CAN_DRIVE_CELL] = {"driven cell", "or take walls that move or bear a load",
                            finds_driven_cell, NULL},
    [MRN_CAN_LOCAL_DAMPING] = {"local damping", "or damp the motion itself: global: 5 1/s",
                               finds_local_damping, NULL},
    [MRN_CAN_INTEGRATORS] = {"choice of integrators", "or leave out the integrator",
                             finds_integrators, NULL},
    [MRN_CAN_RIGID_LAWS] = {"laws without stiffness",
                            "or take a law with a stiffness, such as hertz-mindlin or linear", NULL,
                            rigid_only},
    [MRN_CAN_NORMAL_HISTORY] = {"normal laws that remember their past",
                                "or take a linear or Hertz law", NULL, normal_with_history},
    [MRN_CAN_FREE_HISTORY] = {"laws whose history does not follow from the force",
                              "linear and mindlin friction and elastic-plastic rolling and "
                              "twisting can be put to rest under a given force",
                              NULL, history_without_hold},
    [MRN_CAN_SERVOS] = {"walls that bear a load", "or give the wall an imposed motion",
                        finds_servos, NULL},
    [MRN_CAN_FORCES] = {"forces on bodies", "or leave them out", finds_forces, NULL},
    [MRN_CAN_VARY_GRAVITY] = {"gravity that changes with time", "gravity: [0, 0, -9.81]",
                              finds_varying_gravity, NULL},
    [MRN_CAN_DAMP] = {"damping", "or leave out the damping", finds_damping, NULL},
    [MRN_CAN_SPEED_RESTITUTION] = {"restitution that depends on the speed of each impact", NULL,
                                   NULL, NULL},
    [MRN_CAN_CONTACT_PROBLEMS] = {"contact problems",
                                  "moraine export DIR --fclib FILE makes one from a checkpoint",
                                  NULL, NULL},
    [MRN_CAN_FIX_CONTACTS] = {"fixed contacts", "or leave out fixed-contacts", finds_fixed_contacts,
                              NULL},
};

const char *mrn_ability_name(mrn_ability a)
{
    return (unsigned)a < MRN_ABILITIES ? rows[a].word : "";
}

/* "method smooth or quasistatic" */
static void list_methods(mrn_ability a, char *buf, size_t size)
{
    int n = mrn_method_count(), left = 0;
    for (int i = 0; i < n; i++)
        left += mrn_method_can(mrn_method_at(i), a);
    size_t used = (size_t)snprintf(buf, size, "%s", left > 0 ? "method " : "nothing of the kind");
    for (int i = 0; i < n && used < size; i++) {
        if (!mrn_method_can(mrn_method_at(i), a))
            continue;
        const char *then = --left > 1 ? ", " : left == 1 ? " or " : "";
        used += (size_t)snprintf(buf + used, size - used, "%s%s", mrn_method_at(i)->name, then);
    }
}

mrn_status mrn_ability_refuse(const mrn_method *m, mrn_ability a, const char *subject,
                              mrn_message *msg)
{
    char able[200];
    bool said = subject != NULL && subject[0] != '\0';
    list_methods(a, able, sizeof able);
    mrn_fail(msg, MRN_ERR_INPUT, "%s%smethod %s has no %s", said ? subject : "", said ? ": " : "",
             m->name, rows[a].word);
    mrn_fail_expected(msg, m->sync != NULL ? "%s on the processor (device: cpu)" : "%s", able);
    if (rows[a].hint != NULL)
        mrn_fail_hint(msg, "%s", rows[a].hint);
    return MRN_ERR_INPUT;
}

mrn_status mrn_abilities_check_law(const mrn_method *m, const mrn_law_model *law, mrn_message *msg)
{
    for (int a = 0; a < MRN_ABILITIES; a++) {
        const mrn_law *asks = rows[a].law != NULL ? rows[a].law(law) : NULL;
        use u = {0};
        if (asks == NULL || mrn_method_can(m, (mrn_ability)a))
            continue;
        name(&u, "law", asks->name);
        return mrn_ability_refuse(m, (mrn_ability)a, u.subject, msg);
    }
    return MRN_OK;
}

/* The walk. */
static mrn_status check_in(const mrn_method *m, const mrn_scene *s, int stage, mrn_message *msg)
{
    for (int a = 0; a < MRN_ABILITIES; a++) {
        const row *r = &rows[a];
        use u = {0};
        if (mrn_method_can(m, (mrn_ability)a))
            continue;
        if (!(r->find != NULL && r->find(s, stage, &u)) &&
            !(r->law != NULL && finds_law(s, stage, r->law, &u)))
            continue;
        mrn_ability_refuse(m, (mrn_ability)a, u.subject, msg);
        mrn_fail_path(msg, "%s", u.path);
        if (s->path != NULL)
            mrn_fail_at(msg, s->path, u.line, u.column);
        return MRN_ERR_INPUT;
    }
    return MRN_OK;
}

mrn_status mrn_abilities_check(const mrn_method *m, const mrn_scene *s, mrn_message *msg)
{
    return check_in(m, s, -1, msg);
}

mrn_status mrn_abilities_check_stages(const mrn_scene *s, mrn_message *msg)
{
    const mrn_method *m = mrn_method_of(s);
    mrn_status st = MRN_OK;
    for (int k = 0; k < s->n_stages && st == MRN_OK; k++) {
        m = s->stage[k].method != NULL ? s->stage[k].method : m;
        st = check_in(m, s, k, msg);
    }
    return st;
}
