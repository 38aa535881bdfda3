/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fingerprints of the physical parts of a scene. A part that a stage may change counts as the
   stages entered so far left it: the stages' own values stand in for what they replaced. */
#include <math.h>
#include <string.h>

#include "scene/fingerprint.h"

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

/* What a signal is, not what it is called: a table counts by its rows. */
static uint64_t signal_of(uint64_t h, const mrn_signal *x)
{
    h = integer(h, x->kind);
    if (x->kind == MRN_SIGNAL_CONSTANT)
        return number(h, x->constant);
    for (int i = 0; x->kind == MRN_SIGNAL_TABLE && i < x->n_rows; i++)
        h = number(number(h, x->time[i]), x->value[i]);
    return x->kind == MRN_SIGNAL_EXPRESSION && x->text != NULL ? text(h, x->text) : h;
}

static uint64_t signals(uint64_t h, const mrn_signal *x, int n)
{
    for (int i = 0; i < n; i++)
        h = signal_of(h, &x[i]);
    return h;
}

static uint64_t dimension(const mrn_scene *s, int entered)
{
    (void)entered;
    return integer(START, s->dimension);
}

static uint64_t method(const mrn_scene *s, int entered)
{
    /* a packing of elastic grains may go on with inertia or without */
    (void)entered;
    return text(START, strcmp(s->method, "quasistatic") == 0 ? "smooth" : s->method);
}

static uint64_t materials(const mrn_scene *s, int entered)
{
    (void)entered;
    uint64_t h = integer(START, s->n_materials);
    for (int i = 0; i < s->n_materials; i++) {
        const mrn_material *m = &s->material[i];
        h = number(number(number(text(h, m->name), m->density), m->young), m->poisson);
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

static uint64_t interaction(uint64_t h, const mrn_interaction *x)
{
    h = integer(integer(h, x->a < x->b ? x->a : x->b), x->a < x->b ? x->b : x->a);
    for (int k = 0; k < MRN_LAW_KINDS; k++)
        h = text(h, x->model.part[k] != NULL ? x->model.part[k]->name : "");
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
        mrn_vec3 lo = {0}, hi = {0};
        if (shape->type->bounds != NULL) /* tells another mesh */
            shape->type->bounds(shape, &lo, &hi);
        h = vector(vector(h, lo), hi);
    }
    return h;
}

static uint64_t motion(uint64_t h, const mrn_motion *m)
{
    h = vector(vector(integer(h, m->kind), m->velocity), m->spin);
    h = vector(integer(vector(h, m->about), m->has_about), m->amplitude);
    h = number(number(h, m->frequency), m->phase);
    h = vector(signal_of(signals(h, m->path, 3), &m->angle), m->axis);
    h = integer(vector(h, m->servo_direction), m->servo_pressure);
    return number(number(signal_of(h, &m->servo_target), m->servo_area), m->servo_max_speed);
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
    h = number(number(integer(signal_of(h, &x->rate), x->by_mass), x->begin), x->end);
    return number(h, (double)x->limit);
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
    h = number(number(integer(h, g->lattice), g->spacing), (double)g->n_grains);
    for (int64_t i = 0; i < g->n_grains; i++) {
        const mrn_grain *n = &g->grain[i];
        h = number(vector(vector(vector(h, n->x), n->v), n->w), isnan(n->radius) ? 0 : n->radius);
        h = number(number(number(number(h, n->q.w), n->q.x), n->q.y), n->q.z);
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

/* Degrees of freedom that are stated. */
static uint64_t held_dofs(uint64_t h, const mrn_group *g)
{
    h = integer(h, (int)g->held);
    for (int k = 0; k < 6; k++)
        if (g->held & (1U << k))
            h = signal_of(h, &g->drive[k]);
    return h;
}

/* The grains are in the checkpoint; but a scene that would have made others is another scene, and
   the folder would keep it as the one that ran. */
static uint64_t groups(const mrn_scene *s, int entered)
{
    (void)entered;
    uint64_t h = integer(START, s->n_groups);
    for (int i = 0; i < s->n_groups; i++) {
        const mrn_group *g = &s->group[i];
        h = place(size(integer(text(h, g->name), g->material), &g->size), g);
        h = number(vector(vector(h, g->velocity), g->spin), g->velocity_spread);
        h = integer(h, g->fixed);
        if (strcmp(s->shape[g->shape].type->name, "cluster") == 0)
            h = cluster(h, &s->cluster[g->cluster]);
        h = held_dofs(polytopes(h, s, g), g);
    }
    return h;
}

static uint64_t seed(const mrn_scene *s, int entered)
{
    (void)entered;
    return mrn_hash(START, &s->seed, sizeof s->seed);
}

static uint64_t control(uint64_t h, const mrn_cell_control *c)
{
    for (int k = 0; k < MRN_STRAINS; k++)
        h = signal_of(integer(h, c->kind[k]), &c->target[k]);
    return number(number(h, c->max_rate), c->response);
}

static uint64_t cell(const mrn_scene *s, int entered)
{
    uint64_t h = START;
    bool by_stage = false;
    for (int i = 0; i < 3; i++) {
        h = integer(h, s->cell.periodic[i]);
        h = number(number(h, s->cell.origin[i]), s->cell.size[i]);
    }
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
            h = signal_of(integer(h, i), &s->gravity_of[i]);
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
        h = signals(signals(integer(integer(h, f[i].group), f[i].per_mass), f[i].force, 3),
                    f[i].torque, 3);
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

static uint64_t damping(const mrn_scene *s, int entered)
{
    bool by_stage = false;
    uint64_t h = START;
    for (int k = 0; k < entered; k++)
        if (s->stage[k].has_damping) {
            by_stage = true;
            h = number(number(integer(h, k), s->stage[k].damping.global),
                       s->stage[k].damping.local);
        }
    return by_stage ? h : number(number(h, s->damping.global), s->damping.local);
}

static uint64_t integrator(const mrn_scene *s, int entered)
{
    (void)entered;
    return integer(START, s->integrator);
}

static uint64_t outlets(const mrn_scene *s, int entered)
{
    (void)entered;
    uint64_t h = integer(START, s->n_outlets);
    for (int i = 0; i < s->n_outlets; i++) {
        const mrn_outlet *o = &s->outlet[i];
        h = integer(integer(region(text(h, o->name), &o->region), o->group), o->outside);
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
        h = vector(vector(vector(h, j->point), j->axis), j->point2);
        h = integer(h, j->motor);
        if (j->motor)
            h = number(signal_of(h, &j->speed), j->limit);
        h = number(number(number(h, j->stiffness), j->damping), isnan(j->rest) ? -1 : j->rest);
    }
    return h;
}

/* What the non-smooth engine computes. How well its problems are solved (solver, tolerance, what
   happens when it fails) may be changed when a run goes on: a run that stopped needs that. */
static uint64_t choices(uint64_t h, const mrn_nonsmooth_options *n)
{
    h = number(integer(number(h, n->theta), n->gap_rule), n->alert);
    h = number(h, isnan(n->threshold) ? -1 : n->threshold);
    h = integer(number(integer(h, n->project), n->slop), n->sleep);
    return number(h, n->sleep_speed);
}

static uint64_t nonsmooth(const mrn_scene *s, int entered)
{
    bool by_stage = false;
    uint64_t h = START;
    if (strcmp(s->method, "nonsmooth") != 0)
        return h;
    for (int k = 0; k < entered; k++)
        if (s->stage[k].has_nonsmooth) {
            by_stage = true;
            h = choices(integer(h, k), &s->stage[k].nonsmooth);
        }
    return by_stage ? h : choices(h, &s->nonsmooth);
}

static const mrn_fingerprint_part part[] = {
    {"dimension", "another dimension", dimension},
    {"method", "another method", method},
    {"materials", "other materials", materials},
    {"interactions", "other interactions", interactions},
    {"walls", "other walls", walls},
    {"motions", "other motions of its walls", motions},
    {"groups", "other groups of bodies", groups},
    {"seed", "another seed", seed},
    {"cell", "another periodic cell", cell},
    {"gravity", "another gravity", gravity},
    {"forces", "other forces on bodies", forces},
    {"damping", "another damping", damping},
    {"integrator", "another integrator", integrator},
    {"outlets", "other outlets", outlets},
    {"inlets", "other openings of its inlets", openings},
    {"joints", "other joints", joints},
    {"nonsmooth", "other choices of the non-smooth engine", nonsmooth},
};

int mrn_fingerprint_count(void)
{
    return (int)(sizeof part / sizeof *part);
}

const mrn_fingerprint_part *mrn_fingerprint_at(int i)
{
    return &part[i];
}
