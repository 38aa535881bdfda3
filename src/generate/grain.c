/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One grain into the state: at the start of a run, and wherever grains enter later. */
#include <string.h>

#include "base/base.h"
#include "generate/generate.h"
#include "geom/cluster.h"
#include "model/model.h"

bool mrn_group_is_turned(const mrn_scene *scene, const mrn_group *g)
{
    return mrn_group_has_polytopes(g) || mrn_group_is_cluster(scene, g);
}

double mrn_generate_reach_of(const mrn_scene *scene, int group, int polytope)
{
    if (polytope >= 0)
        return scene->polytope[polytope].bound;
    return mrn_group_is_cluster(scene, &scene->group[group])
               ? scene->cluster[scene->group[group].cluster].bound
               : 1;
}

double mrn_generate_reach(const mrn_scene *scene, int group)
{
    const mrn_group *g = &scene->group[group];
    if (!mrn_group_has_polytopes(g))
        return mrn_generate_reach_of(scene, group, -1);
    double most = 0;
    for (int k = 0; k < g->n_polytopes; k++)
        most = fmax(most, scene->polytope[g->polytope + k].bound);
    return most;
}

int mrn_generate_polytope(const mrn_group *g, mrn_rng *rng)
{
    if (g->n_polytopes < 2)
        return mrn_group_has_polytopes(g) ? g->polytope : -1;
    int k = (int)(mrn_rng_uniform(rng) * g->n_polytopes);
    return g->polytope + (k < g->n_polytopes ? k : g->n_polytopes - 1);
}

/* Normal numbers have no preferred direction, so four of them are a quaternion without one. */
mrn_quat mrn_generate_turn(int dimension, mrn_rng *rng)
{
    if (dimension == 2)
        return mrn_quat_from_rotation(mrn_v3(0, 0, 2 * MRN_PI * mrn_rng_uniform(rng)));
    double q[4], square;
    do {
        square = 0;
        for (int k = 0; k < 4; k++) {
            q[k] = mrn_rng_normal(rng);
            square += q[k] * q[k];
        }
    } while (!(square > 1e-8));
    return mrn_quat_unit((mrn_quat){q[0], q[1], q[2], q[3]});
}

static bool no_turn(mrn_quat q)
{
    return q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0;
}

/* Random numbers of a grain that comes without orientation or polytope. The number the body gets
   may come back when grains leave: the time tells the two apart. */
static mrn_rng own_rng(const mrn_scene *scene, uint64_t stream, const mrn_state *s)
{
    uint64_t h = mrn_hash(MRN_HASH_START, &s->time, sizeof s->time);
    h = mrn_hash(h, &s->body.n, sizeof s->body.n);
    return mrn_rng_seed(scene->seed ^ h, stream);
}

static mrn_quat draw_turn(const mrn_scene *scene, int group, const mrn_state *s)
{
    mrn_rng rng = own_rng(scene, 4 * (uint64_t)group + MRN_FOR_TURNS + 1, s);
    return mrn_generate_turn(scene->dimension, &rng);
}

/* Quotients and squares of masses must stay numbers. */
#define LEAST_MASS 1e-140

static mrn_body_def define(const mrn_scene *scene, int group, const mrn_grain *g)
{
    const mrn_group *of = &scene->group[group];
    mrn_body_def d = mrn_body_default();
    double volume, inertia_over_mass;
    mrn_shape_measure(scene->shape[of->shape].type, scene->dimension, g->radius, &volume,
                      &inertia_over_mass);
    d.x = g->x;
    d.v = g->v;
    d.w = g->w;
    if (!no_turn(g->q))
        d.q = mrn_quat_unit(g->q);
    d.radius = g->radius;
    d.mass = scene->material[of->material].density * volume;
    d.inertia = d.mass * inertia_over_mass;
    d.shape = of->shape;
    d.material = of->material;
    d.group = group;
    d.flags = of->fixed ? MRN_BODY_FIXED : 0;
    return d;
}

/* The spheres of a cluster. Mass and moment of inertia are the cluster's: a contact law asks how
   heavy the thing is that it stops, and a sphere stops with the whole grain. */
static mrn_status add_members(const mrn_cluster *c, const mrn_body_def *parent, int32_t id,
                              mrn_state *s, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int k = 0; st == MRN_OK && k < c->n; k++) {
        mrn_body_def d = *parent;
        mrn_vec3 arm = mrn_cluster_arm(c, k, parent->q, parent->radius);
        d.x = mrn_add(parent->x, arm);
        d.v = mrn_add(parent->v, mrn_cross(parent->w, arm));
        d.radius = parent->radius * c->radius[k];
        d.flags = (parent->flags & ~(unsigned)MRN_BODY_CLUSTER) | MRN_BODY_MEMBER;
        d.parent = id;
        d.part = k;
        st = mrn_body_add(s, &d, NULL, msg);
    }
    return st;
}

static mrn_status add_cluster(const mrn_cluster *c, int dimension, mrn_body_def *d, mrn_state *s,
                              mrn_message *msg)
{
    double mean = (c->inertia[0] + c->inertia[1] + c->inertia[2]) / 3;
    d->inertia = d->mass * d->radius * d->radius * (dimension == 2 ? c->inertia[2] : mean);
    d->flags |= MRN_BODY_CLUSTER;
    mrn_body handle;
    mrn_status st = mrn_body_add(s, d, &handle, msg);
    if (st != MRN_OK)
        return st;
    st = add_members(c, d, (int32_t)handle.id - 1, s, msg);
    if (st != MRN_OK)
        mrn_body_remove(s, handle, NULL); /* takes the members with it: nothing was done */
    return st;
}

/* One body; its radius says how large, its polytope what it looks like. */
static mrn_status add_polytope(const mrn_scene *scene, int polytope, mrn_body_def *d, mrn_state *s,
                               mrn_message *msg)
{
    const mrn_polytope *f = &scene->polytope[polytope];
    double mean = (f->inertia[0] + f->inertia[1] + f->inertia[2]) / 3, r = d->radius;
    d->inertia = d->mass * r * r * (scene->dimension == 2 ? f->inertia[2] : mean);
    d->flags |= MRN_BODY_POLYTOPE;
    d->part = polytope;
    d->bound = r * f->bound;
    return mrn_body_add(s, d, NULL, msg);
}

mrn_status mrn_generate_add_polytope(const mrn_scene *scene, int group, int polytope,
                                     const mrn_grain *g, mrn_state *s, mrn_message *msg)
{
    const mrn_group *of = &scene->group[group];
    mrn_body_def d = define(scene, group, g);
    if (!(d.mass > LEAST_MASS && d.inertia > LEAST_MASS && d.mass < 1 / LEAST_MASS)) {
        mrn_fail(msg, MRN_ERR_RANGE, "a grain of group '%s' has a mass of %g kg", of->name, d.mass);
        return mrn_fail_expected(msg, "masses and moments of inertia above %g", LEAST_MASS);
    }
    if (!mrn_group_is_turned(scene, of))
        return mrn_body_add(s, &d, NULL, msg);
    if (no_turn(g->q))
        d.q = draw_turn(scene, group, s);
    if (polytope >= 0)
        return add_polytope(scene, polytope, &d, s, msg);
    return add_cluster(&scene->cluster[of->cluster], scene->dimension, &d, s, msg);
}

mrn_status mrn_generate_add_grain(const mrn_scene *scene, int group, const mrn_grain *g,
                                  mrn_state *s, mrn_message *msg)
{
    mrn_rng rng = own_rng(scene, ((uint64_t)1 << 40) + (uint64_t)group, s);
    int polytope = mrn_generate_polytope(&scene->group[group], &rng);
    return mrn_generate_add_polytope(scene, group, polytope, g, s, msg);
}
