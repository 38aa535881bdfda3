/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fingerprints of the physical parts of a scene. What has a row (model/keys.h) counts by it, key by
   key; what has a reader of its own has a function of its own here. A part that a stage may change
   counts as the stages entered so far left it: the stages' own values stand in for what they
   replaced. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "engine/fingerprint.h"
#include "geom/mesh.h"

#define START MRN_HASH_START

static uint64_t number(uint64_t h, double v)
{
    return mrn_hash(h, &v, sizeof v);
}

static uint64_t integer(uint64_t h, int v)
{
    return mrn_hash(h, &v, sizeof v);
}

static uint64_t vector(uint64_t h, mrn_vec3 v)
{
    return number(number(number(h, v.x), v.y), v.z);
}

static uint64_t text(uint64_t h, const char *s)
{
    return mrn_hash(h, s, strlen(s) + 1);
}

static uint64_t signals(uint64_t h, const mrn_signal *x, int n)
{
    for (int i = 0; i < n; i++)
        h = mrn_signal_hash(h, &x[i]);
    return h;
}

static uint64_t method(const mrn_scene *s, int entered)
{
    /* a packing may go on by any method of the family: elastic grains with inertia or without */
    (void)entered;
    return text(START, mrn_method_family(mrn_method_of(s))->name);
}

static uint64_t materials(const mrn_scene *s, int entered)
{
    (void)entered;
    uint64_t h = integer(START, s->n_materials);
    for (int i = 0; i < s->n_materials; i++) {
        const mrn_material *m = &s->material[i];
        h = mrn_keys_hash(&mrn_schema_material, text(h, m->name), m);
    }
    return h;
}

static bool same_pair(const mrn_interaction *x, const mrn_interaction *y)
{
    return (x->a == y->a && x->b == y->b) || (x->a == y->b && x->b == y->a);
}

static bool replaced(const mrn_scene *s, int entered, const mrn_interaction *x)
{
    for (int k = 0; k < entered; k++)
        for (int i = 0; i < s->stage[k].n_interactions; i++)
            if (same_pair(&s->stage[k].interaction[i], x))
                return true;
    return false;
}

/* The laws without their numbers: what contacts remember has a meaning under the same law only. */
static uint64_t law(uint64_t h, const mrn_interaction *x)
{
    h = integer(integer(h, x->a < x->b ? x->a : x->b), x->a < x->b ? x->b : x->a);
    for (int k = 0; k < MRN_LAW_KINDS; k++)
        h = text(h, x->model.part[k] != NULL ? x->model.part[k]->name : "");
    return h;
}

static uint64_t interaction(uint64_t h, const mrn_interaction *x)
{
    h = law(h, x);
    const mrn_param *param[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&x->model, param);
    for (int i = 0; i < n; i++) {
        const mrn_value *v = &x->value[i];
        h = vector(vector(integer(number(h, v->number), v->flag), v->a), v->b);
    }
    return h;
}

static uint64_t interactions(const mrn_scene *s, int entered)
{
    uint64_t h = START;
    for (int i = 0; i < s->n_interactions; i++)
        if (!replaced(s, entered, &s->interaction[i]))
            h = interaction(h, &s->interaction[i]);
    for (int k = 0; k < entered; k++)
        for (int i = 0; i < s->stage[k].n_interactions; i++)
            h = interaction(integer(h, k), &s->stage[k].interaction[i]);
    return h;
}

/* Every corner of a mesh: one that was changed between its bounds is another one. */
static uint64_t mesh(uint64_t h, const mrn_mesh *m)
{
    h = mrn_hash(h, m->point, 3 * (size_t)m->n_points * sizeof *m->point);
    return mrn_hash(h, m->corner, 3 * (size_t)m->n_triangles * sizeof *m->corner);
}

static uint64_t laws(const mrn_scene *s, int entered)
{
    uint64_t h = START;
    for (int i = 0; i < s->n_interactions; i++)
        if (!replaced(s, entered, &s->interaction[i]))
            h = law(h, &s->interaction[i]);
    for (int k = 0; k < entered; k++)
        for (int i = 0; i < s->stage[k].n_interactions; i++)
            h = law(integer(h, k), &s->stage[k].interaction[i]);
    return h;
}

/* Stages that allow no contact but those they began with; nothing where none does. */
static uint64_t fixed_contacts(const mrn_scene *s, int entered)
{
    uint64_t h = START;
    bool fixed = false; /* what one stage says stays until another says otherwise */
    for (int k = 0; k < entered; k++)
        if (s->stage[k].has_fixed_contacts && s->stage[k].fixed_contacts != fixed) {
            fixed = s->stage[k].fixed_contacts;
            h = integer(h, k);
        }
    return h;
}

static uint64_t walls(const mrn_scene *s, int entered)
{
    (void)entered;
    uint64_t h = integer(START, s->n_walls);
    for (int i = 0; i < s->n_walls; i++) {
        const mrn_wall *w = &s->wall[i];
        const mrn_shape *shape = &s->shape[w->shape];
        h = integer(vector(text(h, w->name), w->x), w->material);
        h = number(number(number(number(h, w->q.w), w->q.x), w->q.y), w->q.z);
        h = integer(text(h, shape->type->name), shape->inside);
        h = mrn_hash(h, shape->p, sizeof shape->p);
        h = shape->mesh != NULL ? mesh(h, shape->mesh) : h;
    }
    return h;
}

static uint64_t motion(uint64_t h, const mrn_motion *m)
{
    return mrn_keys_hash(&mrn_schema_motion_map, integer(h, m->kind), m);
}

static bool moved_by_stage(const mrn_scene *s, int entered, int wall)
{
    for (int k = 0; k < entered; k++)
        for (int i = 0; i < s->stage[k].n_motions; i++)
            if (s->stage[k].motion_wall[i] == wall)
                return true;
    return false;
}

static uint64_t motions(const mrn_scene *s, int entered)
{
    uint64_t h = START;
    for (int i = 0; i < s->n_walls; i++)
        if (!moved_by_stage(s, entered, i))
            h = motion(integer(h, i), &s->wall[i].motion);
    for (int k = 0; k < entered; k++)
        for (int i = 0; i < s->stage[k].n_motions; i++)
            h = motion(integer(integer(h, k), s->stage[k].motion_wall[i]), &s->stage[k].motion[i]);
    return h;
}

static uint64_t size(uint64_t h, const mrn_size *z)
{
    h = number(number(integer(h, z->kind), z->mean), z->deviation);
    h = integer(number(number(h, z->lo), z->hi), z->n);
    for (int i = 0; i < z->n; i++)
        h = number(number(h, z->sieve_radius[i]), z->sieve_passing[i]);
    return h;
}

static uint64_t region(uint64_t h, const mrn_region *r)
{
    return number(vector(vector(integer(h, r->kind), r->lo), r->hi), r->radius);
}

static uint64_t inlet(uint64_t h, const mrn_inlet *x)
{
    return number(mrn_keys_hash(&mrn_schema_inlet, h, x), (double)x->limit);
}

static uint64_t cluster(uint64_t h, const mrn_cluster *c)
{
    h = integer(h, c->n);
    h = mrn_hash(h, c->centre, 3 * (size_t)c->n * sizeof *c->centre);
    return mrn_hash(h, c->radius, (size_t)c->n * sizeof *c->radius);
}

static uint64_t place(uint64_t h, const mrn_group *g)
{
    h = region(integer(h, g->place), &g->region);
    h = number(number(h, (double)g->count), g->solid_fraction);
    h = g->place == MRN_PLACE_INLET ? inlet(h, &g->inlet) : h;
    h = number(mrn_keys_hash(&mrn_schema_lattice, h, g), (double)g->n_grains);
    for (int64_t i = 0; i < g->n_grains; i++) {
        const mrn_grain *n = &g->grain[i];
        h = number(mrn_keys_hash(&mrn_schema_grain, h, n), isnan(n->radius) ? 0 : n->radius);
        h = number(number(number(number(h, n->q.w), n->q.x), n->q.y), n->q.z);
        h = n->polytope != 0 ? integer(h, n->polytope) : h;
    }
    return h;
}

/* A polytope by its corners, which tell another file or generator. */
static uint64_t polytopes(uint64_t h, const mrn_scene *s, const mrn_group *g)
{
    for (int i = g->polytope;
         g->polytope >= 0 && i < g->polytope + g->n_polytopes && i < s->n_polytopes; i++)
        for (int k = 0; k < s->polytope[i].n_parts; k++) {
            const mrn_convex *c = &s->polytope[i].part[k];
            h = mrn_hash(integer(h, c->n_points), c->point,
                         3 * (size_t)c->n_points * sizeof *c->point);
        }
    return integer(h, g->n_polytopes);
}

/* Degrees of freedom that are imposed. */
static uint64_t held_dofs(uint64_t h, unsigned held, const mrn_signal *drive)
{
    h = integer(h, (int)held);
    for (int k = 0; k < 6; k++)
        if (held & (1U << k))
            h = mrn_signal_hash(h, &drive[k]);
    return h;
}

static bool imposed_by_stage(const mrn_scene *s, int entered, int group)
{
    for (int k = 0; k < entered; k++)
        for (int i = 0; i < s->stage[k].n_imposed; i++)
            if (s->stage[k].imposed_group[i] == group)
                return true;
    return false;
}

static uint64_t holds(const mrn_scene *s, int entered)
{
    uint64_t h = START;
    for (int k = 0; k < entered; k++)
        for (int i = 0; i < s->stage[k].n_imposed; i++) {
            const mrn_imposed *x = &s->stage[k].imposed[i];
            h = integer(integer(h, k), s->stage[k].imposed_group[i]);
            h = held_dofs(h, x->held, x->drive);
        }
    return h;
}

/* The grains are in the checkpoint; but a scene that would have made others is another scene, and
   the folder would keep it as the one that ran. */
static uint64_t groups(const mrn_scene *s, int entered)
{
    if (s->group_mark != NULL && entered >= 0 && entered <= s->n_stages)
        return s->group_mark[entered];
    uint64_t h = integer(START, s->n_groups);
    for (int i = 0; i < s->n_groups; i++) {
        const mrn_group *g = &s->group[i];
        h = place(size(integer(text(h, g->name), g->material), &g->size), g);
        h = mrn_keys_hash(&mrn_schema_body, h, g);
        if (s->shape[g->shape].type->kind == MRN_GRAIN_CLUSTER)
            h = cluster(h, &s->cluster[g->cluster]);
        h = polytopes(h, s, g);
        h = imposed_by_stage(s, entered, i) ? h : held_dofs(h, g->held, g->drive);
    }
    return h;
}

static uint64_t control(uint64_t h, const mrn_cell_control *c)
{
    for (int k = 0; k < MRN_STRAINS; k++)
        h = mrn_signal_hash(integer(h, c->kind[k]), &c->target[k]);
    return mrn_keys_hash(&mrn_schema_control, h, c);
}

static uint64_t cell(const mrn_scene *s, int entered)
{
    uint64_t h = START;
    bool by_stage = false;
    for (int i = 0; i < 3; i++)
        h = integer(h, s->cell.periodic[i]);
    h = mrn_keys_hash(&mrn_schema_cell, h, &s->cell);
    for (int k = 0; k < entered; k++)
        if (s->stage[k].has_control) {
            by_stage = true;
            h = control(integer(h, k), &s->stage[k].control);
        }
    return by_stage ? h : control(h, &s->cell.control);
}

/* A program may have set the vector alone: what is constant counts as the vector has it. */
static uint64_t first_gravity(uint64_t h, const mrn_scene *s)
{
    for (int i = 0; i < 3; i++)
        if (s->gravity_of[i].kind != MRN_SIGNAL_CONSTANT)
            h = mrn_signal_hash(integer(h, i), &s->gravity_of[i]);
    return vector(h, s->gravity);
}

static uint64_t gravity(const mrn_scene *s, int entered)
{
    bool by_stage = false;
    uint64_t h = START;
    for (int k = 0; k < entered; k++)
        if (s->stage[k].has_gravity) {
            by_stage = true;
            h = signals(integer(h, k), s->stage[k].gravity, 3);
        }
    return by_stage ? h : first_gravity(h, s);
}

static uint64_t force_list(uint64_t h, const mrn_body_force *f, int n)
{
    for (int i = 0; i < n; i++)
        h = mrn_keys_hash(&mrn_schema_force, integer(h, f[i].group), &f[i]);
    return integer(h, n);
}

static uint64_t forces(const mrn_scene *s, int entered)
{
    bool by_stage = false;
    uint64_t h = START;
    for (int k = 0; k < entered; k++)
        if (s->stage[k].has_forces) {
            by_stage = true;
            h = force_list(integer(h, k), s->stage[k].force, s->stage[k].n_forces);
        }
    return by_stage ? h : force_list(h, s->force, s->n_forces);
}

static uint64_t outlets(const mrn_scene *s, int entered)
{
    (void)entered;
    uint64_t h = integer(START, s->n_outlets);
    for (int i = 0; i < s->n_outlets; i++) {
        const mrn_outlet *o = &s->outlet[i];
        h = integer(region(text(h, o->name), &o->region), o->group);
        h = mrn_keys_hash(&mrn_schema_outlet, h, o);
    }
    return h;
}

/* The inlets themselves count with their groups. */
static uint64_t openings(const mrn_scene *s, int entered)
{
    uint64_t h = START;
    for (int k = 0; k < entered; k++)
        for (int i = 0; i < s->stage[k].n_inlets; i++)
            h = integer(integer(integer(h, k), s->stage[k].inlet_group[i]),
                        s->stage[k].inlet_open[i]);
    return h;
}

static uint64_t joints(const mrn_scene *s, int entered)
{
    (void)entered;
    uint64_t h = integer(START, s->n_joints);
    for (int i = 0; i < s->n_joints; i++) {
        const mrn_joint *j = &s->joint[i];
        h = integer(text(h, j->name), j->kind);
        for (int k = 0; k < 2; k++)
            h = integer(integer(integer(h, j->end[k].group), j->end[k].grain), j->end[k].wall);
        if (mrn_joint_key(j->kind) != NULL)
            h = mrn_keys_hash(mrn_joint_key(j->kind)->schema, h, j);
        h = vector(vector(h, j->point), j->axis); /* where the file leaves them to be found */
    }
    return h;
}

/* ---- keys with functions of their own ---- */

typedef struct part {
    const char *key;   /* of the scene                                                        */
    const char *name;  /* NULL: counted with another part                                     */
    const char *words; /* for a person: "the scene has other MATERIALS"                       */
    /* `entered`: how many stages have begun. The value is the same before and after they are
       entered, and does not depend on later ones, which a user may add or change. */
    uint64_t (*value)(const mrn_scene *s, int entered);
    bool late; /* a file without it is taken as the same: another part saw to it then */
} part;

static const part parts[] = {
    {"method", "method", "another method", method, false},
    {"materials", "materials", "other materials", materials, false},
    {"interactions", "interactions", "other interactions", interactions, false},
    {"interactions", "laws", "other laws", laws, true},
    {"interactions", "fixed-contacts", "other stages with fixed contacts", fixed_contacts, false},
    {"walls", "walls", "other walls", walls, false},
    {"walls", "motions", "other motions of its walls", motions, false},
    {"bodies", "groups", "other groups of bodies", groups, false},
    {"bodies", "holds", "other changes of 'hold' and 'drive'", holds, false},
    {"bodies", "inlets", "other openings of its inlets", openings, false},
    {"clusters", NULL, NULL, NULL, false}, /* with the bodies that are made of them */
    {"cell", "cell", "another periodic cell", cell, false},
    {"gravity", "gravity", "another gravity", gravity, false},
    {"forces", "forces", "other forces on bodies", forces, false},
    {"outlets", "outlets", "other outlets", outlets, false},
    {"joints", "joints", "other joints", joints, false},
};
#define N_PARTS (sizeof parts / sizeof *parts)

static bool has_function(const mrn_key *k)
{
    bool own = false;
    for (size_t i = 0; i < N_PARTS; i++)
        own = own || strcmp(parts[i].key, k->name) == 0;
    return own;
}

bool mrn_fingerprint_has(const mrn_key *k)
{
    return k->free || k->member != MRN_MEMBER_NONE || has_function(k);
}

mrn_status mrn_fingerprint_keep_groups(mrn_scene *s, mrn_message *msg)
{
    uint64_t *mark;
    mrn_status status = mrn_array(&mark, (int64_t)s->n_stages + 1, sizeof *mark, msg);
    for (int k = 0; status == MRN_OK && k <= s->n_stages; k++)
        mark[k] = groups(s, k);
    if (status == MRN_OK) {
        mrn_free(s->group_mark);
        s->group_mark = mark;
    }
    return status;
}

/* ---- keys with rows ---- */

typedef struct teller {
    const mrn_scene *scene, *usual;
    int entered;
    mrn_fingerprint_tell *tell;
    void *context;
} teller;

/* The method in force after the stages entered. */
static const mrn_method *method_now(const mrn_scene *s, int entered)
{
    const mrn_method *now = mrn_method_of(s);
    for (int i = 0; i < entered; i++)
        now = s->stage[i].method != NULL ? s->stage[i].method : now;
    return now;
}

/* `k`: a key of the mapping that stands at `at` in the scene, under the key `top` in a stage. */
static uint64_t key_value(const mrn_scene *s, int entered, const mrn_key *top, size_t at,
                          const mrn_key *k)
{
    const mrn_key *change = mrn_key_find(&mrn_schema_stage, top->name);
    bool by_stage = false, changes = change != NULL && change->scene != 0;
    uint64_t h = START;
    for (int i = 0; changes && i < entered; i++) {
        const char *stage = (const char *)&s->stage[i];
        if (*(const bool *)(stage + change->mark - 1)) {
            by_stage = true;
            h = mrn_key_hash(k, integer(h, i), stage + change->at);
        }
    }
    return by_stage ? h : mrn_key_hash(k, h, (const char *)s + at);
}

static void tell_key(const teller *t, const mrn_key *top, size_t at, const mrn_key *k)
{
    char path[2 * MRN_NAME], words[2 * MRN_NAME + 20];
    bool inner = k != top;
    snprintf(path, sizeof path, "%s%s%s", top->name, inner ? "." : "", inner ? k->name : "");
    snprintf(words, sizeof words, "another %s", path);
    t->tell(t->context, path, words, key_value(t->scene, t->entered, top, at, k),
            key_value(t->usual, 0, top, at, k));
}

static void tell_row(const teller *t, const mrn_key *top)
{
    bool idle =
        top->choices && !mrn_method_has_options(method_now(t->scene, t->entered), top->name);
    if (idle || top->free || top->member == MRN_MEMBER_NONE)
        return;
    if (top->member != MRN_MEMBER_STRUCT)
        tell_key(t, top, 0, top);
    for (const mrn_key *k = mrn_key_map(top) != NULL ? mrn_key_map(top)->keys : NULL;
         k != NULL && k->name != NULL; k++)
        if (k->member != MRN_MEMBER_NONE && !k->free)
            tell_key(t, top, top->at, k);
}

void mrn_fingerprint(const mrn_scene *s, int entered, mrn_fingerprint_tell *tell, void *context)
{
    mrn_scene usual = mrn_scene_default();
    teller t = {s, &usual, entered, tell, context};
    for (size_t i = 0; i < N_PARTS; i++)
        if (parts[i].value != NULL)
            tell(context, parts[i].name, parts[i].words, parts[i].value(s, entered),
                 parts[i].value(parts[i].late ? s : &usual, parts[i].late ? entered : 0));
    for (const mrn_key *k = mrn_schema_scene.keys; k->name != NULL; k++)
        if (!has_function(k))
            tell_row(&t, k);
    mrn_scene_destroy(&usual);
}
