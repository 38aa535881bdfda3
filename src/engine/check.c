/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a reader cannot see line by line: numbers that refer to nothing, materials that meet without
   a law, shapes of the wrong dimension, cells too small for their grains. */
#include <stdio.h>
#include <string.h>

#include "engine/scenes.h"
#include "model/keys.h"
#include "model/model.h"
#include "model/owner.h"

static mrn_owner whole(const mrn_scene *s, mrn_message *msg)
{
    return mrn_owner_of(s, msg, "the scene", NULL, "%s", "");
}

/* ---- numbers ---- */

static mrn_status check_counts(const mrn_scene *s, mrn_message *msg)
{
    mrn_owner o = whole(s, msg);
    if (s->n_materials < 1) {
        mrn_owner_say(&o, "materials", "the scene has no material");
        return mrn_fail_hint(msg, "add under materials:  glass: {density: 2500 kg/m3, young: 70 "
                                  "GPa, poisson: 0.22}");
    }
    if (s->n_materials > 32767 || s->n_walls > 65535 || s->n_groups > 65535 ||
        s->n_shapes > 65535) {
        mrn_owner_say(&o, NULL, "too many materials, walls, groups or shapes");
        return mrn_fail_expected(msg, "at most 32767 materials and 65535 of the others");
    }
    return MRN_OK;
}

static mrn_status check_basics(const mrn_scene *s, mrn_message *msg)
{
    mrn_owner o = whole(s, msg);
    MRN_CHECK(check_counts(s, msg));
    MRN_CHECK(mrn_keys_check(&o, &mrn_schema_scene, s));
    if (!isfinite(s->gravity.x) || !isfinite(s->gravity.y) || !isfinite(s->gravity.z)) {
        mrn_owner_say(&o, "gravity", "gravity is not finite");
        return mrn_fail_expected(msg, "three finite numbers");
    }
    if (s->dimension == 2 && s->gravity.z != 0) {
        mrn_owner_say(&o, "gravity", "gravity points out of the plane of a 2D scene");
        return mrn_fail_hint(msg, "gravity: [0, -9.81]");
    }
    return MRN_OK;
}

/* A number that points into a list of n things. */
static mrn_status check_ref(const mrn_owner *o, const char *key, const char *what, int index, int n)
{
    if (index >= 0 && index < n)
        return MRN_OK;
    mrn_owner_say(o, key, "%s '%s' uses %s number %d, but there are %d", o->what, o->name, what,
                  index, n);
    return mrn_fail_expected(o->msg, "a number from 0 to %d", n - 1);
}

/* ---- sizes and cell ---- */

/* Every radius positive, the curve rising: what a sampler relies on. */
static bool size_ok(const mrn_size *d)
{
    switch (d->kind) {
    case MRN_SIZE_CONSTANT:
        return isfinite(d->mean) && d->mean > 0;
    case MRN_SIZE_UNIFORM:
        return d->lo > 0 && d->hi >= d->lo && isfinite(d->hi);
    case MRN_SIZE_NORMAL:
    case MRN_SIZE_LOGNORMAL:
        return d->mean > 0 && isfinite(d->mean) && d->deviation >= 0 && isfinite(d->deviation);
    case MRN_SIZE_SIEVE:
        if (d->n < 2 || d->sieve_radius == NULL || d->sieve_passing == NULL)
            return false;
        for (int i = 0; i < d->n; i++) {
            bool rises = i == 0 || (d->sieve_radius[i] > d->sieve_radius[i - 1] &&
                                    d->sieve_passing[i] >= d->sieve_passing[i - 1]);
            if (!rises || !(d->sieve_radius[i] > 0) || !isfinite(d->sieve_radius[i]))
                return false;
        }
        return d->sieve_passing[0] == 0 && d->sieve_passing[d->n - 1] == 1;
    }
    return false;
}

/* The largest radius a distribution can give; 0 when nothing bounds it. */
static double size_largest(const mrn_size *d)
{
    switch (d->kind) {
    case MRN_SIZE_CONSTANT:
        return d->mean;
    case MRN_SIZE_SIEVE:
        return d->sieve_radius[d->n - 1];
    default:
        return isfinite(d->hi) ? d->hi : 0;
    }
}

/* A run that has given a list back has looked at it before, and noted its largest radius as the
   size. */
static int64_t listed(const mrn_group *g)
{
    return g->grain != NULL ? g->n_grains : 0;
}

static bool draws_sizes(const mrn_group *g)
{
    if (g->place != MRN_PLACE_LIST && g->place != MRN_PLACE_CSV)
        return true;
    for (int64_t i = 0; i < listed(g); i++)
        if (isnan(g->grain[i].radius))
            return true;
    return listed(g) < g->n_grains;
}

static mrn_status check_sizes(const mrn_owner *o, const mrn_group *g)
{
    if (draws_sizes(g) && !size_ok(&g->size)) {
        mrn_owner_say(o, "shape", "the sizes of '%s' cannot be drawn", g->name);
        return mrn_fail_expected(o->msg, "positive sizes; a sieve curve that rises from 0 to 1");
    }
    for (int64_t i = 0; i < listed(g); i++) {
        double r = g->grain[i].radius;
        if (!isnan(r) && (r <= 0 || !isfinite(r))) {
            char key[40];
            snprintf(key, sizeof key, "place.list.%lld.radius", (long long)i);
            mrn_owner_say(o, key, "radius of grain %lld of '%s' is %g m", (long long)i + 1, g->name,
                          r);
            return mrn_fail_expected(o->msg, "a positive number");
        }
    }
    return MRN_OK;
}

/* How far a grain reaches, over its size. */
static double reach_of(const mrn_scene *s, const mrn_group *g)
{
    double most = mrn_group_is_cluster(s, g) ? s->cluster[g->cluster].bound : 1;
    for (int k = 0; mrn_group_has_corners(s, g) && k < g->n_polytopes; k++)
        most = fmax(most, s->polytope[g->polytope + k].bound);
    return most;
}

/* Of the sphere that holds the largest grain; all but spheres and disks reach further than their
   size. */
static double largest_radius(const mrn_scene *s)
{
    double most = 0;
    for (int k = 0; k < s->n_groups; k++) {
        const mrn_group *g = &s->group[k];
        double reach = reach_of(s, g);
        if (draws_sizes(g))
            most = fmax(most, reach * size_largest(&g->size));
        for (int64_t i = 0; i < listed(g); i++) /* fmax passes over a radius still to be drawn */
            most = fmax(most, reach * g->grain[i].radius);
    }
    return most;
}

/* Two grains may touch once, not also through the other side of the cell: two diameters at least.
 */
static mrn_status check_cell(const mrn_scene *s, mrn_message *msg)
{
    mrn_owner o = mrn_owner_of(s, msg, "the cell", NULL, "cell");
    double least = 4 * largest_radius(s);
    for (int k = 0; k < 3; k++) {
        if (!s->cell.periodic[k])
            continue;
        double size = s->cell.size[k];
        if (k == 2 && s->dimension == 2) {
            mrn_owner_say(&o, "periodic", "a 2D scene cannot be periodic in z");
            return mrn_fail_hint(msg, "periodic: [x, y], or one of them");
        }
        if (!isfinite(size) || size <= 0 || !isfinite(s->cell.origin[k])) {
            mrn_owner_say(&o, "size", "the cell is periodic in %c, but its size there is %g m",
                          'x' + k, size);
            return mrn_fail_expected(msg, "a positive size in each periodic direction");
        }
        if (size < least) {
            mrn_owner_say(&o, "size", "the cell is %g m in %c, grains are up to %g m wide", size,
                          'x' + k, 0.5 * least);
            return mrn_fail_expected(msg, "room for two grains at least: %g m", least);
        }
    }
    return MRN_OK;
}

/* ---- shapes ---- */

static bool fits(const mrn_shape_type *t, int dimension)
{
    return dimension == 2 ? t->in_2d : t->in_3d;
}

/* The grains of the scene that ask most of a wall. */
static mrn_grain_kind hardest_kind(const mrn_scene *s)
{
    for (int k = 0; k < s->n_groups; k++)
        if (s->group[k].shape >= 0 && s->group[k].shape < s->n_shapes &&
            mrn_group_has_corners(s, &s->group[k]))
            return MRN_GRAIN_POLYTOPE;
    return MRN_GRAIN_BALL;
}

static bool serves(const mrn_scene *s, const mrn_shape_type *t)
{
    return t->grain || mrn_wall_lacks(t, hardest_kind(s)) == NULL;
}

/* "sphere", or "plane, box, cylinder": what the scene could use. */
static void list_shapes(const mrn_scene *s, bool grain, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = '\0';
    for (int i = 0; i < mrn_shape_type_count(); i++) {
        const mrn_shape_type *t = mrn_shape_type_at(i);
        if (t->grain != grain || !fits(t, s->dimension) || !serves(s, t) || used >= size)
            continue;
        int wrote = snprintf(buf + used, size - used, "%s%s", used > 0 ? ", " : "", t->name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

static mrn_status check_shape(const mrn_owner *o, int shape, bool grain)
{
    const mrn_scene *s = o->scene;
    const char *key = grain ? "shape" : NULL; /* the key of a wall's shape is its name */
    MRN_CHECK(check_ref(o, key, "shape", shape, s->n_shapes));
    const mrn_shape_type *t = s->shape[shape].type;
    if (t != NULL && t->grain == grain && fits(t, s->dimension) && serves(s, t))
        return MRN_OK;
    char known[256];
    list_shapes(s, grain, known, sizeof known);
    if (t == NULL)
        mrn_owner_say(o, key, "the shape of %s '%s' has no type", o->what, o->name);
    else if (t->grain != grain)
        mrn_owner_say(o, key, "%s '%s': '%s' is not the shape of a %s", o->what, o->name, t->name,
                      grain ? "grain" : "wall");
    else if (!fits(t, s->dimension))
        mrn_owner_say(o, key, "%s '%s': there is no %s in %d dimensions", o->what, o->name, t->name,
                      s->dimension);
    else
        mrn_owner_say(o, key, "wall '%s': a %s has no %s", o->name, t->name,
                      mrn_wall_lacks(t, hardest_kind(s)));
    return mrn_fail_expected(o->msg, "%s", known);
}

/* ---- interactions ---- */

/* A reader has done this with the place at hand; programs fill values by themselves. */
static mrn_status check_values(const mrn_owner *o, const mrn_interaction *x)
{
    const mrn_scene *s = o->scene;
    const mrn_param *param[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&x->model, param);
    for (int k = 0; k < n; k++) {
        const mrn_param *p = param[k];
        double v = x->value[k].number;
        if (!x->value[k].given || p->kind != MRN_P_NUMBER ||
            (v >= p->min && v <= p->max && !(p->min_open && v == p->min)))
            continue;
        mrn_owner_say(o, p->name, "%s between '%s' and '%s' is %g", p->name, s->material[x->a].name,
                      s->material[x->b].name, v);
        mrn_fail_at(o->msg, s->path, x->value[k].line, x->value[k].column);
        return mrn_fail_expected(o->msg, "%s %g, at most %g (unit: %s)",
                                 p->min_open ? "more than" : "at least", p->min, p->max, p->unit);
    }
    return MRN_OK;
}

static mrn_status check_interaction(const mrn_owner *o, const mrn_interaction *x)
{
    const mrn_scene *s = o->scene;
    MRN_CHECK(check_ref(o, NULL, "material", x->a, s->n_materials));
    MRN_CHECK(check_ref(o, NULL, "material", x->b, s->n_materials));
    if (x->model.part[MRN_LAW_NORMAL] != NULL)
        return check_values(o, x);
    mrn_owner_say(o, "law", "the interaction between '%s' and '%s' has no law",
                  s->material[x->a].name, s->material[x->b].name);
    return mrn_fail_expected(o->msg, "a law such as hertz-mindlin");
}

static const mrn_interaction *find_pair(const mrn_scene *s, int a, int b)
{
    for (int i = 0; i < s->n_interactions; i++) {
        const mrn_interaction *x = &s->interaction[i];
        if ((x->a == a && x->b == b) || (x->a == b && x->b == a))
            return x;
    }
    return NULL;
}

/* A list of the scene or of a stage, by the path of its owner. */
static mrn_status check_interactions(const mrn_owner *owner, const mrn_interaction *x, int n)
{
    const mrn_scene *s = owner->scene;
    const char *dot = owner->path[0] != '\0' ? "." : "";
    for (int i = 0; i < n; i++) {
        mrn_owner o = mrn_owner_of(s, owner->msg, "an interaction of scene", s->title,
                                   "%s%sinteractions.%d", owner->path, dot, i);
        MRN_CHECK(check_interaction(&o, &x[i]));
        for (int j = 0; j < i; j++) {
            if (!((x[i].a == x[j].a && x[i].b == x[j].b) || (x[i].a == x[j].b && x[i].b == x[j].a)))
                continue;
            mrn_owner_say(&o, NULL, "two interactions between '%s' and '%s'",
                          s->material[x[i].a].name, s->material[x[i].b].name);
            return mrn_fail_hint(o.msg, "keep one of them: the second would hide the first");
        }
    }
    return MRN_OK;
}

/* ", restitution: 0.9, friction: 0.5": the numbers that an interaction was given. */
static void list_values(const mrn_interaction *x, char *buf, size_t size)
{
    const mrn_param *param[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&x->model, param);
    size_t used = 0;
    buf[0] = '\0';
    for (int k = 0; k < n && used < size; k++) {
        if (!x->value[k].given || param[k]->kind != MRN_P_NUMBER)
            continue;
        bool pure = strcmp(param[k]->unit, "1") == 0;
        int wrote = snprintf(buf + used, size - used, ", %s: %.6g%s%s", param[k]->name,
                             x->value[k].number, pure ? "" : " ", pure ? "" : param[k]->unit);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

/* "law: hertz-mindlin", or the parts of a mixture. */
static void write_law(const mrn_law_model *m, char *buf, size_t size)
{
    if (mrn_law_model_find(m->name) != NULL) {
        snprintf(buf, size, "%s", m->name);
        return;
    }
    size_t used = 0;
    for (int k = 0; k < MRN_LAW_KINDS && used < size; k++) {
        if (m->part[k] == NULL)
            continue;
        int wrote = snprintf(buf + used, size - used, "%s%s: %s", used > 0 ? ", " : "{",
                             mrn_law_kind_name((mrn_law_kind)k), m->part[k]->name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    if (used < size)
        snprintf(buf + used, size - used, "}");
}

/* The line to add, with law and numbers of an interaction that is there already. */
static void hint_interaction(const mrn_scene *s, int a, int b, mrn_message *msg)
{
    char law[256] = "hertz-mindlin";
    char values[256] = ", restitution: 0.9, friction: 0.5";
    if (s->n_interactions > 0) {
        write_law(&s->interaction[0].model, law, sizeof law);
        list_values(&s->interaction[0], values, sizeof values);
    }
    mrn_fail_hint(msg, "add under interactions:  - {between: [%s, %s], law: %s%s}",
                  s->material[a].name, s->material[b].name, law, values);
}

static mrn_status check_pair_law(const mrn_scene *s, int a, int b, mrn_message *msg)
{
    mrn_owner o = whole(s, msg);
    if (find_pair(s, a, b) != NULL)
        return MRN_OK;
    mrn_owner_say(&o, "interactions", "no interaction between '%s' and '%s'", s->material[a].name,
                  s->material[b].name);
    hint_interaction(s, a, b, msg);
    return mrn_fail_expected(msg, "a law for every two materials that may meet");
}

/* Grains meet grains of their own and other groups, and walls; walls do not meet walls. */
static mrn_status check_pair_laws(const mrn_scene *s, mrn_message *msg)
{
    for (int i = 0; i < s->n_groups; i++) {
        for (int j = 0; j <= i; j++)
            MRN_CHECK(check_pair_law(s, s->group[j].material, s->group[i].material, msg));
        for (int j = 0; j < s->n_walls; j++)
            MRN_CHECK(check_pair_law(s, s->group[i].material, s->wall[j].material, msg));
    }
    return MRN_OK;
}

/* ---- the parts ---- */

/* Names are how files, probes and stages refer to things; nameless things are allowed. */
static mrn_status check_names(const mrn_scene *s, const char *what, const char *list,
                              const char *first, size_t stride, int n, mrn_message *msg)
{
    bool table = strcmp(list, "materials") == 0; /* its keys are the names */
    for (int i = 0; i < n; i++) {
        const char *name = first + (size_t)i * stride;
        mrn_owner o = mrn_owner_of(s, msg, what, name, "%s.%d", list, i);
        for (int j = 0; name[0] != '\0' && j < i; j++) {
            if (strcmp(name, first + (size_t)j * stride) != 0)
                continue;
            mrn_owner_say(&o, table ? NULL : "name", "two %s are called '%s'", what, name);
            return mrn_fail_hint(msg, "rename one of them");
        }
    }
    return MRN_OK;
}

static mrn_status check_all_names(const mrn_scene *s, mrn_message *msg)
{
    if (s->n_materials > 0)
        MRN_CHECK(check_names(s, "materials", "materials", s->material[0].name, sizeof *s->material,
                              s->n_materials, msg));
    if (s->n_walls > 0)
        MRN_CHECK(
            check_names(s, "walls", "walls", s->wall[0].name, sizeof *s->wall, s->n_walls, msg));
    if (s->n_groups > 0)
        MRN_CHECK(check_names(s, "groups of bodies", "bodies", s->group[0].name, sizeof *s->group,
                              s->n_groups, msg));
    return MRN_OK;
}

static mrn_status check_things(const mrn_scene *s, mrn_message *msg)
{
    for (int i = 0; i < s->n_materials; i++) {
        const mrn_material *m = &s->material[i];
        mrn_owner o = mrn_owner_of(s, msg, "material", m->name, "materials.%s", m->name);
        MRN_CHECK(mrn_keys_check(&o, &mrn_schema_material, m));
    }
    for (int i = 0; i < s->n_walls; i++) {
        const mrn_wall *w = &s->wall[i];
        mrn_owner o = mrn_owner_of(s, msg, "wall", w->name, "walls.%d", i);
        MRN_CHECK(check_ref(&o, "material", "material", w->material, s->n_materials));
        MRN_CHECK(check_shape(&o, w->shape, false));
    }
    for (int i = 0; i < s->n_groups; i++) {
        const mrn_group *g = &s->group[i];
        mrn_owner o = mrn_owner_of(s, msg, "group", g->name, "bodies.%d", i);
        MRN_CHECK(mrn_keys_check(&o, &mrn_schema_body, g));
        MRN_CHECK(check_ref(&o, "material", "material", g->material, s->n_materials));
        MRN_CHECK(check_shape(&o, g->shape, true));
        MRN_CHECK(check_sizes(&o, g));
        mrn_owner place = mrn_owner_of(s, msg, "group", g->name, "bodies.%d.place.lattice", i);
        if (g->place == MRN_PLACE_LATTICE)
            MRN_CHECK(mrn_keys_check(&place, &mrn_schema_lattice, g));
    }
    return MRN_OK;
}

static mrn_status check_choices(const mrn_scene *s, mrn_message *msg)
{
    for (const mrn_key *k = mrn_schema_scene.keys; k->name != NULL; k++) {
        mrn_owner o = mrn_owner_of(s, msg, k->name, NULL, "%s", k->name);
        if (k->choices && mrn_key_counts(s, k->name))
            MRN_CHECK(mrn_keys_check(&o, k->schema, (const char *)s + k->at));
    }
    return MRN_OK;
}

static mrn_status check_changes(const mrn_scene *s, int stage, mrn_message *msg)
{
    const mrn_stage *g = &s->stage[stage];
    for (const mrn_key *k = mrn_schema_stage.keys; k->name != NULL; k++) {
        mrn_owner o = mrn_owner_of(s, msg, "stage", g->name, "stages.%d.%s", stage, k->name);
        if (k->scene != 0 && *((const bool *)g + k->mark - 1) && mrn_key_counts(s, k->name))
            MRN_CHECK(mrn_keys_check(&o, k->schema, (const char *)g + k->at));
    }
    return MRN_OK;
}

static mrn_status check_stage(const mrn_scene *s, int stage, mrn_message *msg)
{
    const mrn_stage *g = &s->stage[stage];
    mrn_owner o = mrn_owner_of(s, msg, "stage", g->name, "stages.%d", stage);
    for (int i = 0; i < g->n_motions; i++)
        MRN_CHECK(check_ref(&o, "walls", "wall", g->motion_wall[i], s->n_walls));
    for (int i = 0; i < g->n_remove; i++)
        MRN_CHECK(check_ref(&o, "remove", "wall", g->remove_wall[i], s->n_walls));
    MRN_CHECK(mrn_keys_check(&o, &mrn_schema_stage, g));
    MRN_CHECK(check_changes(s, stage, msg));
    return check_interactions(&o, g->interaction, g->n_interactions);
}

mrn_status mrn_scene_check(const mrn_scene *s, mrn_message *msg)
{
    mrn_owner o = whole(s, msg);
    MRN_CHECK(check_basics(s, msg));
    MRN_CHECK(check_all_names(s, msg));
    MRN_CHECK(check_things(s, msg));
    MRN_CHECK(check_choices(s, msg));
    for (int i = 0; i < s->n_stages; i++)
        MRN_CHECK(check_stage(s, i, msg));
    MRN_CHECK(mrn_scene_check_drives(s, msg));
    MRN_CHECK(mrn_scene_check_joints(s, msg));
    MRN_CHECK(check_cell(s, msg));
    MRN_CHECK(check_interactions(&o, s->interaction, s->n_interactions));
    return check_pair_laws(s, msg);
}
