/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two grains of a scene, or a grain and a wall, collided head-on with the scene's law, engine and
   time step: what restitution, contact time and overlap the user really gets. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "moraine/run.h"
#include "run/parts.h"

#define MOST_STEPS                                                                                 \
    20000 /* a contact lasts tens to hundreds of steps; one that sticks is cut here */

/* A partner that yields to nothing, as a wall: so many times heavier and larger than the grain.
   Its curvature and recoil then change the answer by 1e-6. */
#define LIKE_A_WALL 1e6

/* One of the two that collide. */
typedef struct partner {
    double radius, mass, inertia;
    int material, shape, group;
} partner;

static partner partner_of(const mrn_state *s, int32_t i)
{
    return (partner){s->body.radius[i],   s->body.mass[i],  s->body.inertia[i],
                     s->body.material[i], s->body.shape[i], s->body.group[i]};
}

/* Ends of the sizes of a material's grains; a mass of 0 says that there are none. */
typedef struct ends {
    partner small, large;
    bool wall;
} ends;

static void widen(ends *e, const partner *p)
{
    if (e->small.mass == 0 || p->mass < e->small.mass)
        e->small = *p;
    if (e->large.mass == 0 || p->mass > e->large.mass)
        e->large = *p;
}

static partner newcomer(const mrn_scene *scene, int g, double r)
{
    const mrn_group *group = &scene->group[g];
    bool flat = scene->dimension == 2 && scene->shape[group->shape].type->power != 3;
    double volume = flat ? MRN_PI * r * r : 4 * MRN_PI / 3 * r * r * r;
    double m = volume * scene->material[group->material].density;
    return (partner){r, m, 0.4 * m * r * r, group->material, group->shape, g};
}

static void survey(const mrn_scene *scene, const mrn_state *s, ends *e)
{
    for (int32_t i = 0; i < s->body.n; i++) {
        ends *of = &e[s->body.material[i]];
        partner p = partner_of(s, i);
        if (i < s->body.n_walls)
            of->wall = of->wall || !(s->body.flags[i] & MRN_BODY_ABSENT);
        else if (!(s->body.flags[i] & (MRN_BODY_CLUSTER | MRN_BODY_POLYTOPE)) && p.mass > 0)
            widen(of, &p);
    }
    for (int g = 0; g < scene->n_groups; g++) {
        if (scene->group[g].place != MRN_PLACE_INLET || scene->group[g].n_polytopes > 0)
            continue;
        partner least = newcomer(scene, g, mrn_size_least(&scene->group[g].size));
        partner most = newcomer(scene, g, mrn_size_most(&scene->group[g].size));
        widen(&e[scene->group[g].material], &least);
        widen(&e[scene->group[g].material], &most);
    }
}

static double asked_restitution(const mrn_interaction *x)
{
    const mrn_param *param[MRN_PARAM_MAX];
    int n = mrn_law_model_params(&x->model, param);
    double asked = NAN;
    for (int k = 0; k < n; k++) {
        if (strcmp(param[k]->name, "restitution-speed") == 0)
            return NAN; /* given for one speed and size: others are meant to differ */
        if (strcmp(param[k]->name, "restitution") == 0 && x->value[k].given)
            asked = x->value[k].number;
    }
    return asked;
}

/* A partner at x, moving along the x axis. */
static mrn_status add(const partner *p, double x, double v, mrn_state *to, mrn_message *msg)
{
    mrn_body_def d = mrn_body_default();
    d.x.x = x;
    d.v.x = v;
    d.radius = p->radius;
    d.mass = p->mass;
    d.inertia = p->inertia;
    d.shape = p->shape;
    d.material = p->material;
    d.group = p->group;
    return mrn_body_add(to, &d, NULL, msg);
}

/* Steps until the two have met and parted. */
static mrn_status collide(mrn_smooth *engine, const mrn_state *t, double speed, mrn_impact *out,
                          mrn_message *msg)
{
    int64_t touching = 0;
    for (int64_t k = 0; k < MOST_STEPS && (touching == 0 || t->contacts > 0); k++) {
        mrn_status status = mrn_smooth_step(engine, 1, msg);
        if (status != MRN_OK)
            return status;
        touching += t->contacts > 0;
        out->overlap = fmax(out->overlap, t->max_overlap);
    }
    out->tried = touching > 0;
    out->stuck = touching > 0 && t->contacts > 0;
    out->contact_time = (double)touching * t->h;
    /* bodies may have changed places in memory: apart means the right one moves to the right */
    double apart = (t->body.v[3] - t->body.v[0]) * (t->body.x[3] > t->body.x[0] ? 1 : -1);
    out->restitution = out->stuck ? 0 : fmax(apart, 0) / speed;
    return MRN_OK;
}

static mrn_status collide_partners(const mrn_scene *scene, double h, const partner *a,
                                   const partner *b, double speed, mrn_impact *out,
                                   mrn_message *msg)
{
    mrn_scene empty = *scene; /* borrows all but walls, cell, drives and gravity */
    empty.gravity = mrn_v3(0, 0, 0);
    for (int k = 0; k < 3; k++)
        empty.gravity_of[k] = mrn_signal_constant(0);
    empty.cell = (mrn_cell){0};
    empty.damping = (mrn_damping){0};
    empty.n_walls = empty.n_forces = empty.n_outlets = empty.n_groups = empty.n_joints = 0;
    mrn_state t = {.h = h};
    mrn_smooth *engine = NULL;
    double all = a->mass + b->mass, gap = 2 * speed * h, touch = a->radius + b->radius;
    mrn_status status = add(a, 0, speed * b->mass / all, &t, msg);
    if (status == MRN_OK)
        status = add(b, touch + gap, -speed * a->mass / all, &t, msg);
    if (status == MRN_OK)
        status = mrn_smooth_create(&empty, &t, &engine, msg);
    if (status == MRN_OK)
        status = collide(engine, &t, speed, out, msg);
    mrn_smooth_destroy(&engine);
    mrn_state_destroy(&t);
    /* squeezed flat: an answer, not a failure of the caller */
    return status > 0 ? MRN_OK : status;
}

/* Grains that fly and answer by their laws; restitution of rigid ones is as imposed. */
static bool impacts_count(const mrn_scene *scene)
{
    return scene->method->physical_time && !scene->method->rigid_contacts;
}

mrn_status mrn_run_impact(const mrn_scene *scene, const mrn_state *s, int interaction, double speed,
                          mrn_impact *out, mrn_message *msg)
{
    const mrn_interaction *x = &scene->interaction[interaction];
    *out = (mrn_impact){.asked = asked_restitution(x), .speed = speed};
    ends *e;
    mrn_status status = mrn_array(&e, scene->n_materials, sizeof *e, msg);
    if (status != MRN_OK)
        return status;
    survey(scene, s, e);
    const partner *a = &e[x->a].small, *b = &e[x->b].small;
    if (a->mass > 0 && b->mass > 0 && speed > 0 && s->h > 0 && impacts_count(scene))
        status = collide_partners(scene, s->h, a, b, speed, out, msg);
    mrn_free(e);
    return status;
}

/* ---- the table ---- */

const char *mrn_impact_kind_name(mrn_impact_kind k)
{
    static const char *const name[] = {"smallest on smallest", "largest on largest",
                                       "smallest on largest", "smallest on wall",
                                       "largest on wall"};
    return name[k];
}

typedef struct table {
    const mrn_scene *scene;
    const mrn_state *s;
    double speed;
    mrn_impact_row *row;
    int n;
} table;

static bool same_size(const partner *a, const partner *b)
{
    return fabs(a->radius - b->radius) <= 1e-9 * a->radius;
}

static mrn_status try_row(table *t, int interaction, mrn_impact_kind kind, const partner *a,
                          const partner *b, mrn_message *msg)
{
    bool wall = kind == MRN_IMPACT_SMALL_WALL || kind == MRN_IMPACT_LARGE_WALL;
    if (!(a->mass > 0) || !(b->mass > 0))
        return MRN_OK;
    mrn_impact_row *row = &t->row[t->n];
    *row = (mrn_impact_row){.interaction = interaction, .kind = kind};
    row->radius[0] = a->radius;
    row->radius[1] = wall ? INFINITY : b->radius;
    row->impact.asked = asked_restitution(&t->scene->interaction[interaction]);
    row->impact.speed = t->speed;
    mrn_status status = collide_partners(t->scene, t->s->h, a, b, t->speed, &row->impact, msg);
    t->n += status == MRN_OK && row->impact.tried;
    return status;
}

/* A grain of one material on a wall of the other. */
static mrn_status try_wall(table *t, int interaction, const ends *grain, int wall_material,
                           mrn_message *msg)
{
    mrn_status status = MRN_OK;
    const partner *end[2] = {&grain->small, &grain->large};
    int kinds = same_size(end[0], end[1]) ? 1 : 2;
    for (int k = 0; status == MRN_OK && k < kinds; k++) {
        partner wall = *end[k];
        wall.material = wall_material;
        wall.radius *= LIKE_A_WALL;
        wall.mass *= LIKE_A_WALL;
        wall.inertia *= LIKE_A_WALL * LIKE_A_WALL * LIKE_A_WALL;
        status = try_row(t, interaction, k == 0 ? MRN_IMPACT_SMALL_WALL : MRN_IMPACT_LARGE_WALL,
                         end[k], &wall, msg);
    }
    return status;
}

static mrn_status try_interaction(table *t, int k, const ends *e, mrn_message *msg)
{
    const mrn_interaction *x = &t->scene->interaction[k];
    const ends *a = &e[x->a], *b = &e[x->b];
    mrn_status status = try_row(t, k, MRN_IMPACT_SMALLEST, &a->small, &b->small, msg);
    bool sizes = !same_size(&a->small, &a->large) || !same_size(&b->small, &b->large);
    if (status == MRN_OK && sizes)
        status = try_row(t, k, MRN_IMPACT_LARGEST, &a->large, &b->large, msg);
    if (status == MRN_OK && sizes)
        status = try_row(t, k, MRN_IMPACT_MIXED, &a->small, &b->large, msg);
    if (status == MRN_OK && b->wall)
        status = try_wall(t, k, a, x->b, msg);
    if (status == MRN_OK && a->wall && x->a != x->b)
        status = try_wall(t, k, b, x->a, msg);
    return status;
}

mrn_status mrn_run_impacts(const mrn_scene *scene, const mrn_state *s, double speed,
                           mrn_impact_row **rows, int *n, mrn_message *msg)
{
    table t = {.scene = scene, .s = s, .speed = speed};
    ends *e = NULL;
    *rows = NULL;
    *n = 0;
    if (!impacts_count(scene) || !(speed > 0) || !(s->h > 0))
        return MRN_OK;
    mrn_status status = mrn_array(&e, scene->n_materials, sizeof *e, msg);
    if (status == MRN_OK) /* at most seven per interaction: three of grains, two per side on walls
                           */
        status = mrn_array(&t.row, 7 * (int64_t)scene->n_interactions, sizeof *t.row, msg);
    if (status == MRN_OK)
        survey(scene, s, e);
    for (int k = 0; status == MRN_OK && k < scene->n_interactions; k++)
        status = try_interaction(&t, k, e, msg);
    mrn_free(e);
    if (status != MRN_OK) {
        mrn_free(t.row);
        return status;
    }
    *rows = t.row;
    *n = t.n;
    return MRN_OK;
}
