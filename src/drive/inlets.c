/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inlets: grains that enter within a region at a rate. The n-th grain of an inlet has its size and
   the n-th try its place from random numbers of their own, so that a resumed run goes on with the
   same ones. What finds no place stays due. */
#include "base/base.h"
#include "detect/detect.h"
#include "drive/sources.h"
#include "generate/generate.h"
#include "model/model.h"

enum {
    TRIES = 50, /* places looked at for one grain in one call                    */
    MOST_PER_CALL = 1000,
};
enum purpose { SIZE, PLACE };

/* One inlet at work. */
typedef struct gate {
    mrn_scene now; /* a view of the scene with cell and walls where they are now            */
    int group, order;
    mrn_maker maker;
    mrn_sizer sizer;
    mrn_space space;
    int32_t n, due;     /* grains around; grains to be made                              */
    double *x, *radius; /* of those around, then of the new ones (bounding radius)       */
    double *size;       /* radius of the new ones                                        */
    int *polytope;      /* and their polytopes; -1: none                                     */
    mrn_levels grid;
    mrn_wall_faces faces;
} gate;

static mrn_rng draw(const gate *g, enum purpose purpose, double count)
{
    /* streams far above those of the generators, which count from 1 */
    uint64_t stream = ((uint64_t)g->group + 1) << 44 | (uint64_t)purpose << 43 | (uint64_t)count;
    return mrn_rng_seed(g->now.seed, stream);
}

static void close_gate(gate *g)
{
    mrn_free(g->now.wall);
    mrn_sizer_destroy(&g->sizer);
    mrn_levels_destroy(&g->grid);
    mrn_wall_faces_destroy(&g->faces);
    mrn_free(g->x);
    mrn_free(g->radius);
    mrn_free(g->size);
    mrn_free(g->polytope);
}

/* Walls that are still there, where they are. */
static mrn_status walls_now(const mrn_scene *scene, const mrn_state *s, mrn_scene *now,
                            mrn_message *msg)
{
    now->wall = NULL;
    now->n_walls = 0;
    mrn_status st = mrn_array(&now->wall, s->body.n_walls, sizeof *now->wall, msg);
    for (int32_t w = 0; st == MRN_OK && w < s->body.n_walls; w++) {
        if (s->body.flags[w] & MRN_BODY_ABSENT)
            continue;
        const double *q = s->body.q + 4 * (size_t)w;
        mrn_wall *to = &now->wall[now->n_walls++];
        *to = scene->wall[w]; /* signals stay the scene's: only place and shape are read */
        to->x = mrn_load3(s->body.x + 3 * (size_t)w);
        to->q = (mrn_quat){q[0], q[1], q[2], q[3]};
    }
    return st;
}

static mrn_status open_gate(const mrn_scene *scene, const mrn_state *s, int group, gate *g,
                            mrn_message *msg)
{
    *g = (gate){.now = *scene, .group = group, .order = mrn_inlet_order(scene, group)};
    mrn_status st = walls_now(scene, s, &g->now, msg);
    for (int k = 0; k < 3; k++) {
        g->now.cell.origin[k] = s->cell_origin[k];
        g->now.cell.size[k] = s->cell_size[k];
    }
    g->maker = (mrn_maker){.scene = &g->now,
                           .group = &scene->group[group],
                           .index = group,
                           .reach = mrn_generate_reach(scene, group)};
    if (st == MRN_OK)
        st = mrn_sizer_create(&g->maker, &g->sizer, msg);
    return st == MRN_OK ? mrn_space_create(&g->maker, &g->space, msg) : st;
}

static mrn_status check_sheared(const gate *g, const mrn_state *s, mrn_message *msg)
{
    if (s->cell_tilt[0] == 0 && s->cell_tilt[1] == 0 && s->cell_tilt[2] == 0)
        return MRN_OK;
    return mrn_fail(msg, MRN_ERR_INPUT, "inlet '%s' in a sheared cell: not possible",
                    g->maker.group->name);
}

static double reach_of(const gate *g, int polytope)
{
    return mrn_generate_reach_of(&g->now, g->group, polytope);
}

static mrn_status check_size(const gate *g, double r, int polytope, mrn_message *msg)
{
    double most = mrn_space_largest(&g->space), reach = reach_of(g, polytope);
    if (r > 0 && reach * r <= most)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "inlet '%s': a grain of radius %g m does not fit into its region",
             g->maker.group->name, r);
    return mrn_fail_expected(msg, "radii up to %g m, or a larger region", most / reach);
}

/* ---- what is due ---- */

/* Time of the interval ahead in which the inlet works, and its middle. */
static double working_time(const mrn_inlet *in, double begin, double end, double *middle)
{
    double a = begin > in->begin ? begin : in->begin, b = end < in->end ? end : in->end;
    *middle = 0.5 * (a + b);
    return b > a ? b - a : 0;
}

static double newly_due(const mrn_scene *scene, const mrn_state *s, int group)
{
    const mrn_inlet *in = &scene->group[group].inlet;
    double middle, time = working_time(in, s->time, s->time + MRN_SOURCE_EVERY * s->h, &middle);
    double rate = mrn_signal_value(&in->rate, (mrn_instant){middle, middle - s->stage_time}, NULL);
    return rate > 0 ? rate * time : 0;
}

static double price(const gate *g, double r)
{
    const mrn_group *group = g->maker.group;
    double density = g->now.material[group->material].density, volume, inertia;
    mrn_shape_measure(g->now.shape[group->shape].type, g->now.dimension, r, &volume, &inertia);
    return group->inlet.by_mass ? density * volume : 1;
}

/* Sizes of the next grains, as many as the debt pays for. */
static mrn_status draw_sizes(gate *g, const mrn_state *s, mrn_message *msg)
{
    const mrn_drive_memory *d = &s->drive;
    int64_t limit = g->maker.group->inlet.limit, made = (int64_t)d->inlet_made[g->order];
    int64_t most = limit > 0 && limit - made < MOST_PER_CALL ? limit - made : MOST_PER_CALL;
    /* a debt of exactly one grain, summed up of many parts, is one grain */
    double debt = d->inlet_debt[g->order] * (1 + 1e-12);
    mrn_status st = mrn_array(&g->size, MOST_PER_CALL, sizeof *g->size, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->polytope, MOST_PER_CALL, sizeof *g->polytope, msg);
    while (st == MRN_OK && g->due < most) {
        mrn_rng rng = draw(g, SIZE, (double)(made + g->due));
        double r = mrn_sizer_draw(&g->sizer, &rng);
        int polytope = mrn_generate_polytope(g->maker.group, &rng); /* goes on where the size ended
                                                                     */
        st = check_size(g, r, polytope, msg);
        debt -= price(g, r);
        if (st != MRN_OK || debt < 0)
            break;
        g->polytope[g->due] = polytope;
        g->size[g->due++] = r;
    }
    return st;
}

/* ---- who is there ---- */

static bool is_near(const gate *g, const double *x, double reach)
{
    for (int k = 0; k < g->now.dimension; k++) {
        double d = x[k] - 0.5 * (g->space.lo[k] + g->space.hi[k]), size = g->now.cell.size[k];
        d -= g->now.cell.periodic[k] ? size * rint(d / size) : 0;
        if (fabs(d) > 0.5 * (g->space.hi[k] - g->space.lo[k]) + reach)
            return false;
    }
    return true;
}

static mrn_status gather(gate *g, const mrn_state *s, mrn_message *msg)
{
    const mrn_bodies *b = &s->body;
    int64_t room = 0;
    for (int pass = 0; pass < 2; pass++) {
        g->n = 0;
        for (int32_t i = b->n_walls; i < b->n; i++) {
            if ((b->flags[i] & MRN_BODY_CLUSTER) || !is_near(g, b->x + 3 * (size_t)i, b->bound[i]))
                continue;
            if (pass == 1) {
                mrn_vec3 x = mrn_cell_wrap(&g->now.cell, mrn_load3(b->x + 3 * (size_t)i));
                mrn_store3(g->x + 3 * (size_t)g->n, x);
                g->radius[g->n] = b->bound[i];
            }
            g->n++;
        }
        room = (int64_t)g->n + g->due;
        if (pass == 0 && (mrn_array(&g->x, 3 * room, sizeof *g->x, msg) != MRN_OK ||
                          mrn_array(&g->radius, room, sizeof *g->radius, msg) != MRN_OK))
            return MRN_ERR_MEMORY;
    }
    for (int32_t k = 0; k < g->due; k++)
        g->radius[g->n + k] = reach_of(g, g->polytope[k]) * g->size[k];
    mrn_status st =
        mrn_levels_create(&g->now, g->space.lo, g->space.hi, room, g->x, g->radius, &g->grid, msg);
    for (int32_t i = 0; st == MRN_OK && i < g->n; i++)
        mrn_levels_put(&g->grid, i);
    return st;
}

/* ---- making grains ---- */

static mrn_vec3 spread(const gate *g, mrn_rng *rng)
{
    const mrn_group *group = g->maker.group;
    mrn_vec3 v = group->velocity;
    if (!(group->velocity_spread > 0))
        return v;
    v.x += group->velocity_spread * mrn_rng_normal(rng);
    v.y += group->velocity_spread * mrn_rng_normal(rng);
    v.z += g->now.dimension == 3 ? group->velocity_spread * mrn_rng_normal(rng) : 0;
    return v;
}

static void book(const mrn_scene *scene, mrn_state *s, const gate *g, int32_t first, double r)
{
    mrn_drive_memory *d = &s->drive;
    double energy = 0;
    for (int32_t i = first; i < s->body.n; i++)
        energy += mrn_source_energy(scene, s, i);
    d->inlet_made[g->order] += 1;
    d->inlet_mass[g->order] += s->body.mass[first];
    d->inlet_debt[g->order] = fmax(0, d->inlet_debt[g->order] - price(g, r));
    s->ledger.drive_work += energy;
}

/* Looks for a place of the k-th new grain; *found: it is in the state. */
static mrn_status place(const mrn_scene *scene, mrn_state *s, gate *g, int32_t k, bool *found,
                        mrn_message *msg)
{
    double bound = g->radius[g->n + k], *x = g->x + 3 * (size_t)(g->n + k);
    mrn_status st = MRN_OK;
    *found = false;
    for (int n = 0; n < TRIES && st == MRN_OK && !*found; n++) {
        mrn_rng rng = draw(g, PLACE, s->drive.inlet_draws[g->order]);
        s->drive.inlet_draws[g->order] += 1;
        mrn_vec3 at = mrn_space_draw(&g->space, bound, &rng);
        mrn_store3(x, at);
        if (mrn_levels_clash(&g->grid, x, bound))
            continue;
        st = mrn_walls_clear(&g->now, at, bound, &g->faces, found, msg);
        if (st != MRN_OK || !*found)
            continue;
        mrn_grain grain = {.x = at, .radius = g->size[k], .w = g->maker.group->spin};
        grain.v = spread(g, &rng);
        if (mrn_group_is_turned(scene, &scene->group[g->group]))
            grain.q = mrn_generate_turn(scene->dimension, &rng);
        int32_t first = s->body.n;
        st = mrn_generate_add_polytope(scene, g->group, g->polytope[k], &grain, s, msg);
        if (st == MRN_OK) {
            book(scene, s, g, first, grain.radius);
            mrn_levels_put(&g->grid, g->n + k);
        }
    }
    if (st != MRN_OK) /* the same try comes again */
        s->drive.inlet_draws[g->order] -= 1;
    return st;
}

/* The grains come in their order: one that finds no place makes the others wait, or the small ones
   would slip in before the large. */
static mrn_status work(const mrn_scene *scene, mrn_state *s, gate *g, bool *changed,
                       mrn_message *msg)
{
    mrn_status st = draw_sizes(g, s, msg);
    if (st != MRN_OK || g->due == 0)
        return st;
    st = check_sheared(g, s, msg);
    if (st == MRN_OK)
        st = gather(g, s, msg);
    bool found = true;
    for (int32_t k = 0; st == MRN_OK && found && k < g->due; k++) {
        st = place(scene, s, g, k, &found, msg);
        *changed = *changed || (st == MRN_OK && found);
    }
    return st;
}

static bool is_open(const mrn_scene *scene, const mrn_state *s, int group, int order)
{
    int64_t limit = scene->group[group].inlet.limit;
    return s->drive.inlet_open[order] >= 0 &&
           (limit <= 0 || s->drive.inlet_made[order] < (double)limit);
}

/* What is newly due at one inlet, and as many of its grains as find a place. */
static mrn_status open_one(const mrn_scene *scene, mrn_state *s, int group, double more,
                           bool *changed, mrn_message *msg)
{
    double *debt = &s->drive.inlet_debt[mrn_inlet_order(scene, group)];
    *debt += more;
    if (!(*debt * (1 + 1e-12) >= (scene->group[group].inlet.by_mass ? 0 : 1)))
        return MRN_OK;
    gate g;
    mrn_status st = open_gate(scene, s, group, &g, msg);
    if (st == MRN_OK)
        st = work(scene, s, &g, changed, msg);
    close_gate(&g);
    return st;
}

/* A call that fails comes again, and with it what is newly due: at every inlet that is taken back,
   below zero where grains have entered on account of it. */
mrn_status mrn_inlets_open(const mrn_scene *scene, mrn_state *s, bool *changed, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    double more[MRN_INLET_MAX] = {0};
    for (int group = 0; group < scene->n_groups && st == MRN_OK; group++) {
        int order = mrn_inlet_order(scene, group);
        if (order < 0)
            continue;
        if (!is_open(scene, s, group, order)) {
            s->drive.inlet_debt[order] = 0; /* what was due is no longer wanted */
            continue;
        }
        more[order] = newly_due(scene, s, group);
        st = open_one(scene, s, group, more[order], changed, msg);
    }
    for (int order = 0; order < MRN_INLET_MAX && st != MRN_OK; order++)
        s->drive.inlet_debt[order] -= more[order];
    return st;
}
