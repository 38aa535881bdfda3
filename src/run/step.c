/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time step of a stage and the world a run starts from. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drive/drive.h"
#include "moraine/run.h"
#include "run/parts.h"

int mrn_run_threads(const mrn_scene *scene, const mrn_state *s)
{
    int enough = 1 + (s->body.n - s->body.n_walls) / scene->method->grains_per_thread;
    return enough < mrn_threads() ? enough : mrn_threads();
}

/* ---- grains that will enter ---- */

double mrn_size_least(const mrn_size *z)
{
    if (z->kind == MRN_SIZE_CONSTANT)
        return z->mean;
    return z->kind == MRN_SIZE_SIEVE && z->n > 0 ? z->sieve_radius[0] : z->lo;
}

double mrn_size_most(const mrn_size *z)
{
    if (z->kind == MRN_SIZE_CONSTANT)
        return z->mean;
    return z->kind == MRN_SIZE_SIEVE && z->n > 0 ? z->sieve_radius[z->n - 1] : z->hi;
}

static mrn_status add_wall(const mrn_state *s, int32_t w, mrn_state *to, mrn_message *msg)
{
    size_t k = 3 * (size_t)w;
    mrn_body_def d = mrn_body_default();
    d.x = mrn_load3(s->body.x + k);
    d.v = mrn_load3(s->body.v + k);
    d.w = mrn_load3(s->body.w + k);
    const double *q = s->body.q + 4 * (size_t)w;
    d.q = (mrn_quat){q[0], q[1], q[2], q[3]};
    d.material = s->body.material[w];
    d.shape = s->body.shape[w];
    d.group = s->body.group[w];
    d.flags = s->body.flags[w];
    return mrn_body_add(to, &d, NULL, msg);
}

/* Radius of the smallest sphere of a cluster over the cluster's own; 1 for single grains. */
static double smallest_part(const mrn_scene *scene, const mrn_group *g)
{
    if (scene->shape[g->shape].type->kind != MRN_GRAIN_CLUSTER || g->cluster >= scene->n_clusters)
        return 1;
    double least = 1;
    const mrn_cluster *c = &scene->cluster[g->cluster];
    for (int i = 0; i < c->n; i++)
        least = fmin(least, c->radius[i]);
    return least;
}

/* The smallest grain an inlet may bring, in the middle of its region. */
static mrn_status add_newcomer(const mrn_scene *scene, int g, mrn_state *to, mrn_message *msg)
{
    const mrn_group *group = &scene->group[g];
    double r = mrn_size_least(&group->size);
    mrn_body_def d = mrn_body_default();
    d.x = group->region.kind == MRN_REGION_SPHERE
              ? group->region.lo
              : mrn_scale(0.5, mrn_add(group->region.lo, group->region.hi));
    d.v = group->velocity;
    d.radius = r * smallest_part(scene, group);
    bool flat = scene->dimension == 2 && scene->shape[group->shape].type->power != 3;
    double volume = flat ? MRN_PI * r * r : 4 * MRN_PI / 3 * r * r * r;
    d.mass = volume * scene->material[group->material].density;
    d.inertia = 0.4 * d.mass * r * r;
    d.material = group->material;
    d.shape = group->shape;
    d.group = g;
    if (group->n_polytopes > 0 && group->polytope + group->n_polytopes <= scene->n_polytopes) {
        d.flags = MRN_BODY_POLYTOPE;
        d.part = group->polytope;
        d.bound = r * scene->polytope[group->polytope].bound;
    }
    return mrn_body_add(to, &d, NULL, msg);
}

/* The limit of the smallest newcomers among themselves and on the walls. */
static mrn_status limit_of_newcomers(const mrn_scene *scene, const mrn_state *s,
                                     mrn_step_limit *limit, mrn_message *msg)
{
    mrn_state t = {.time = s->time};
    mrn_status status = MRN_OK;
    int n = 0;
    if (scene->method->rigid_contacts) /* how far they fall counts */
        memcpy(t.gravity, s->gravity, sizeof t.gravity);
    for (int32_t w = 0; status == MRN_OK && w < s->body.n_walls; w++)
        status = add_wall(s, w, &t, msg);
    for (int g = 0; status == MRN_OK && g < scene->n_groups; g++) {
        if (scene->group[g].place != MRN_PLACE_INLET)
            continue;
        status = add_newcomer(scene, g, &t, msg);
        n++;
    }
    if (status == MRN_OK && n > 0) {
        mrn_step_limit l = mrn_engine_step_limit(scene, &t);
        if (l.advised < limit->advised) {
            l.rayleigh = fmin(l.rayleigh, limit->rayleigh);
            l.critical = fmin(l.critical, limit->critical);
            l.speed = fmax(l.speed, limit->speed);
            *limit = l;
        }
    }
    mrn_state_destroy(&t);
    return status;
}

mrn_status mrn_run_step_limit(const mrn_scene *scene, const mrn_state *s, mrn_step_limit *limit,
                              mrn_message *msg)
{
    *limit = mrn_engine_step_limit(scene, s);
    if (!mrn_drive_has_sources(scene))
        return MRN_OK;
    return limit_of_newcomers(scene, s, limit, msg);
}

/* ---- choice ---- */

/* Without contacts nothing limits the step: a thousand steps per stage and ten between outputs keep
   free flight and conditions well resolved. */
static double step_without_limit(const mrn_scene *scene, int stage)
{
    double h = 1e-3;
    double at_most = stage < scene->n_stages ? scene->stage[stage].at_most : INFINITY;
    double every = scene->output.every;
    if (isfinite(at_most))
        h = fmin(h, at_most / 1000);
    return every > 0 ? fmin(h, every / 10) : h;
}

mrn_status mrn_run_set_step(mrn_state *s, double h, mrn_message *msg)
{
    if (!(s->time + h > s->time)) {
        mrn_fail(msg, MRN_ERR_RANGE, "a time step of %.4g s is lost in a time of %.4g s", h,
                 s->time);
        mrn_fail_expected(msg, "more than %.2g s", nextafter(s->time, INFINITY) - s->time);
        return mrn_fail_hint(msg, "sixteen digits do not tell one instant from the next");
    }
    mrn_state_set_step(s, h);
    return MRN_OK;
}

mrn_status mrn_run_choose_step(const mrn_scene *scene, mrn_state *s, mrn_step_limit *limit,
                               mrn_message *msg)
{
    mrn_status status = mrn_run_step_limit(scene, s, limit, msg);
    if (status != MRN_OK)
        return status;
    double h = scene->time_step;
    if (h > limit->critical) {
        mrn_fail(msg, MRN_TOO_STIFF,
                 "the time step %.4g s is above the stability limit %.4g s (%s)", h,
                 limit->critical, limit->reason);
        mrn_fail_expected(msg, "at most %.4g s; advised: %.4g s", limit->critical, limit->advised);
        mrn_fail_hint(msg, "leave the time step out and it is computed, or soften the grains");
        return MRN_TOO_STIFF;
    }
    if (!(h > 0))
        h = limit->advised;
    if (!(h > 0) || !isfinite(h)) {
        h = step_without_limit(scene, s->stage);
        snprintf(limit->reason, sizeof limit->reason, "no contact is possible that limits it");
    }
    status = mrn_run_set_step(s, h, msg);
    s->stage_h = h;
    return status;
}

mrn_status mrn_run_place(mrn_scene *scene, mrn_state *s, mrn_step_limit *limit, mrn_message *msg)
{
    mrn_status status = mrn_world_build(scene, s, msg);
    if (status == MRN_OK && scene->n_stages > 0)
        status = mrn_scene_enter_stage(scene, 0, msg);
    if (status == MRN_OK && scene->n_stages > 0)
        status = mrn_drive_enter_stage(scene, 0, s);
    if (status != MRN_OK)
        return status;
    mrn_ledger_open(scene, s); /* with the gravity of the first stage */
    return mrn_run_choose_step(scene, s, limit, msg);
}

mrn_status mrn_run_prepare(mrn_scene *scene, mrn_state *s, mrn_step_limit *limit, mrn_message *msg)
{
    if (scene->n_stages > 0)
        return mrn_run_place(scene, s, limit, msg);
    mrn_fail(msg, MRN_ERR_INPUT, "the scene has no stage: there is nothing to run");
    return mrn_fail_hint(msg, "add  stages: [{name: run, at-most: 1 s}]");
}
