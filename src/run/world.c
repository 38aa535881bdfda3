/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A world that a program steps: a scene of its own, a state and an engine. Engines notice by
   themselves that bodies came or went since the last step; what is done here besides is the account
   of energy and the length of the step, which runs do between their events. */
#include "moraine/world.h"
#include "base/base.h"
#include "compose/compose.h"
#include "drive/sources.h"
#include "generate/generate.h"
#include "moraine/draw.h"
#include "run/parts.h"
#include <math.h>

/* The step is held against its limit every so many steps, and whenever bodies came or went; a
   computed one follows when less than SHRINK_BELOW of it is advised. As in a run (watch.c). */
#define LOOK_EVERY   500
#define SHRINK_BELOW 0.8
#define SHRINK_TO    0.9

struct mrn_world {
    mrn_scene scene;
    mrn_state state;
    mrn_engine engine;
    mrn_step_limit limit;
    int64_t known; /* body.changes when the step was chosen */
};

mrn_status mrn_scene_set_method(mrn_scene *s, const char *method, mrn_message *msg)
{
    const char *known[16];
    int n = 0;
    if (mrn_compose_failed(msg))
        return msg->status;
    method = method != NULL ? method : "";
    for (; n < mrn_method_count() && n < 16; n++)
        known[n] = mrn_method_at(n)->name;
    if (mrn_method_find(method) == NULL)
        return mrn_compose_unknown("method", method, known, n, msg);
    s->method = mrn_method_find(method);
    mrn_compose_changed(s);
    return MRN_OK;
}

/* ---- begin and end ---- */

/* Grains that a program adds belong to a group: a scene without any gets one. */
static mrn_status take_scene(mrn_world *w, const mrn_scene *scene, mrn_message *msg)
{
    mrn_group none = mrn_group_empty();
    mrn_status st = mrn_scene_copy(scene, &w->scene, msg);
    if (st == MRN_OK && w->scene.n_groups == 0 && w->scene.n_materials > 0)
        st = mrn_scene_add_grains(&w->scene, "added", w->scene.material[0].name, NULL, &none, msg);
    return st == MRN_OK ? mrn_scene_prepare(&w->scene, msg) : st;
}

mrn_status mrn_world_create(const mrn_scene *scene, mrn_world **out, mrn_message *msg)
{
    *out = NULL;
    if (mrn_compose_failed(msg))
        return msg->status;
    mrn_world *w = NULL;
    mrn_status st = mrn_array(&w, 1, sizeof *w, msg);
    if (st != MRN_OK)
        return st;
    st = take_scene(w, scene, msg);
    if (st == MRN_OK)
        st = mrn_run_place(&w->scene, &w->state, &w->limit, msg);
    if (st == MRN_OK)
        st = mrn_engine_create(&w->scene, &w->state, NULL, &w->engine, msg);
    if (st != MRN_OK) {
        mrn_world_destroy(&w);
        return st;
    }
    mrn_ledger_open(&w->scene, &w->state); /* what contacts store at the start was there */
    w->known = w->state.body.changes;
    *out = w;
    return MRN_OK;
}

void mrn_world_destroy(mrn_world **world)
{
    mrn_world *w = *world;
    *world = NULL;
    if (w == NULL)
        return;
    mrn_engine_destroy(&w->engine);
    mrn_state_destroy(&w->state);
    mrn_scene_destroy(&w->scene);
    mrn_free(w);
}

/* ---- time ---- */

static mrn_status follow_limit(mrn_world *w, mrn_message *msg)
{
    mrn_state *s = &w->state;
    mrn_status st = mrn_run_step_limit(&w->scene, s, &w->limit, msg);
    w->known = s->body.changes;
    if (st != MRN_OK)
        return st;
    if (w->scene.time_step > 0) {
        if (!(s->h > w->limit.critical))
            return MRN_OK;
        mrn_fail(msg, MRN_TOO_STIFF, "the time step %.4g s is above the stability limit %.4g s",
                 s->h, w->limit.critical);
        mrn_fail_hint(msg, "leave scene.time_step at 0 and the step is computed");
        return MRN_TOO_STIFF;
    }
    if (w->limit.advised < SHRINK_BELOW * s->h)
        mrn_state_set_step(s, SHRINK_TO * w->limit.advised);
    return MRN_OK;
}

/* To a time, by at most n steps, and not beyond the next look at their length. */
static mrn_status go_on(mrn_world *w, double until, int64_t n, mrn_message *msg)
{
    mrn_state *s = &w->state;
    mrn_status st = w->known != s->body.changes ? follow_limit(w, msg) : MRN_OK;
    int64_t room = LOOK_EVERY - s->step % LOOK_EVERY;
    if (st == MRN_OK)
        st = mrn_engine_advance(&w->engine, until, n < room ? n : room, msg);
    if (st == MRN_OK && s->step % LOOK_EVERY == 0)
        st = follow_limit(w, msg);
    return st;
}

mrn_status mrn_world_step(mrn_world *w, int64_t n, mrn_message *msg)
{
    if (mrn_compose_failed(msg))
        return msg->status;
    mrn_status st = MRN_OK;
    if (n < 0)
        return mrn_fail(msg, MRN_ERR_RANGE, "a world cannot make %lld steps", (long long)n);
    while (st == MRN_OK && n > 0) {
        int64_t from = w->state.step;
        st = go_on(w, INFINITY, n, msg);
        n -= w->state.step - from;
    }
    return st;
}

mrn_status mrn_world_advance(mrn_world *w, double time, mrn_message *msg)
{
    const mrn_state *s = &w->state;
    mrn_status st = MRN_OK;
    if (mrn_compose_failed(msg))
        return msg->status;
    if (!isfinite(time))
        return mrn_fail(msg, MRN_ERR_RANGE, "a world cannot advance to %g s", time);
    if (w->known != s->body.changes) /* steps are counted by their length */
        st = follow_limit(w, msg);
    while (st == MRN_OK && mrn_steps_until(s, time, INT64_MAX) > 0)
        st = go_on(w, time, INT64_MAX, msg);
    return st;
}

mrn_status mrn_world_enter(mrn_world *w, const char *stage, mrn_message *msg)
{
    if (mrn_compose_failed(msg))
        return msg->status;
    int k = mrn_compose_find(MRN_NAMES("stage", w->scene.stage, w->scene.n_stages), stage, msg);
    if (k < 0)
        return MRN_ERR_INPUT;
    return mrn_run_enter_stage(&w->scene, &w->state, &w->engine, k, &w->limit, msg);
}

/* ---- bodies come and go ---- */

static mrn_status check_grain(const mrn_world *w, int group, const mrn_grain *g, mrn_message *msg)
{
    const mrn_scene *s = &w->scene;
    const mrn_group *of = &s->group[group];
    double wide = 4 * g->radius * mrn_generate_reach(s, group);
    bool flat = s->dimension == 2;
    if (!(g->radius > 0) || !isfinite(g->radius))
        return mrn_fail(msg, MRN_ERR_RANGE, "the radius of a new grain is %g m", g->radius);
    if (flat && (g->x.z != 0 || g->v.z != 0 || g->w.x != 0 || g->w.y != 0))
        return mrn_fail(msg, MRN_ERR_RANGE, "a new grain leaves the plane of a 2D scene");
    if (of->fixed && (mrn_norm(g->v) > 0 || mrn_norm(g->w) > 0))
        return mrn_fail(msg, MRN_ERR_RANGE, "a new grain of '%s' moves, and they are fixed",
                        of->name);
    for (int k = 0; k < 3; k++)
        if (s->cell.periodic[k] && w->state.cell_size[k] < wide)
            return mrn_fail(msg, MRN_ERR_RANGE,
                            "a new grain of radius %g m is too large for a cell of %g m", g->radius,
                            w->state.cell_size[k]);
    return MRN_OK;
}

static mrn_body add(mrn_world *w, int group, const mrn_grain *g, mrn_message *msg)
{
    mrn_state *s = &w->state;
    int32_t place = s->body.n;
    if (check_grain(w, group, g, msg) != MRN_OK ||
        mrn_generate_add_grain(&w->scene, group, g, s, msg) != MRN_OK)
        return (mrn_body){0};
    s->ledger.drive_work += mrn_source_energy(&w->scene, s, place);
    return mrn_body_handle(s, place);
}

mrn_body mrn_world_add(mrn_world *w, const char *group, const mrn_grain *g, mrn_message *msg)
{
    int k = 0;
    if (mrn_compose_failed(msg))
        return (mrn_body){0};
    if (group != NULL)
        k = mrn_compose_find(MRN_NAMES("group of grains", w->scene.group, w->scene.n_groups), group,
                             msg);
    return k < 0 ? (mrn_body){0} : add(w, k, g, msg);
}

mrn_body mrn_world_add_sphere(mrn_world *w, double radius, mrn_vec3 x, mrn_vec3 v, mrn_message *msg)
{
    const mrn_scene *s = &w->scene;
    mrn_grain g = {.x = x, .v = v, .radius = radius};
    if (mrn_compose_failed(msg))
        return (mrn_body){0};
    for (int k = 0; k < s->n_groups; k++)
        if (!mrn_group_is_turned(s, &s->group[k]) && !s->group[k].fixed)
            return add(w, k, &g, msg);
    mrn_fail(msg, MRN_ERR_INPUT, "the scene has no group of spheres that move");
    mrn_fail_hint(msg, "add one: mrn_scene_add_grains with mrn_group_empty()");
    return (mrn_body){0};
}

static mrn_status find(const mrn_world *w, mrn_body b, int32_t *place, mrn_message *msg)
{
    *place = mrn_body_index(&w->state, b);
    return *place >= 0 ? MRN_OK
                       : mrn_fail(msg, MRN_ERR_STALE,
                                  "no such body: it was removed, or the handle is null");
}

mrn_status mrn_world_remove(mrn_world *w, mrn_body b, mrn_message *msg)
{
    int32_t i;
    mrn_status st = mrn_compose_failed(msg) ? msg->status : find(w, b, &i, msg);
    if (st != MRN_OK)
        return st;
    double energy = mrn_source_energy(&w->scene, &w->state, i);
    st = mrn_body_remove(&w->state, b, msg);
    if (st == MRN_OK)
        w->state.ledger.drive_work -= energy;
    return st;
}

mrn_status mrn_world_set_velocity(mrn_world *w, mrn_body b, mrn_vec3 v, mrn_vec3 spin,
                                  mrn_message *msg)
{
    mrn_state *s = &w->state;
    int32_t i;
    mrn_status st = mrn_compose_failed(msg) ? msg->status : find(w, b, &i, msg);
    if (st != MRN_OK)
        return st;
    unsigned carried = MRN_BODY_WALL | MRN_BODY_FIXED | MRN_BODY_MEMBER;
    if (s->body.flags[i] & carried)
        return mrn_fail(msg, MRN_ERR_RANGE,
                        "a wall, a fixed grain or a sphere of a cluster has no "
                        "velocity of its own");
    if (!isfinite(mrn_norm(v)) || !isfinite(mrn_norm(spin)))
        return mrn_fail(msg, MRN_ERR_RANGE, "a velocity or spin that is not finite");
    double before = mrn_source_energy(&w->scene, s, i);
    mrn_store3(s->body.v + 3 * (size_t)i, v);
    mrn_store3(s->body.w + 3 * (size_t)i, spin);
    s->ledger.drive_work += mrn_source_energy(&w->scene, s, i) - before;
    if (w->scene.method != NULL && w->scene.method->disturbed != NULL)
        w->scene.method->disturbed(s);
    return MRN_OK;
}

/* ---- reading ---- */

static mrn_vec3 vector_of(const mrn_world *w, mrn_body b, const double *field)
{
    int32_t i = mrn_body_index(&w->state, b);
    return i >= 0 ? mrn_load3(field + 3 * (size_t)i) : mrn_v3(NAN, NAN, NAN);
}

bool mrn_world_has(const mrn_world *w, mrn_body b)
{
    return mrn_body_index(&w->state, b) >= 0;
}

mrn_vec3 mrn_world_position(const mrn_world *w, mrn_body b)
{
    return vector_of(w, b, w->state.body.x);
}

mrn_vec3 mrn_world_velocity(const mrn_world *w, mrn_body b)
{
    return vector_of(w, b, w->state.body.v);
}

mrn_vec3 mrn_world_spin(const mrn_world *w, mrn_body b)
{
    return vector_of(w, b, w->state.body.w);
}

mrn_quat mrn_world_orientation(const mrn_world *w, mrn_body b)
{
    int32_t i = mrn_body_index(&w->state, b);
    const double *q = w->state.body.q + 4 * (size_t)(i >= 0 ? i : 0);
    return i >= 0 ? (mrn_quat){q[0], q[1], q[2], q[3]} : (mrn_quat){NAN, NAN, NAN, NAN};
}

double mrn_world_time(const mrn_world *w)
{
    return w->state.time;
}

int64_t mrn_world_grains(const mrn_world *w)
{
    const mrn_bodies *b = &w->state.body;
    int64_t n = 0;
    for (int32_t i = b->n_walls; i < b->n; i++)
        n += (b->flags[i] & MRN_BODY_MEMBER) == 0;
    return n;
}

mrn_energies mrn_world_energies(const mrn_world *w)
{
    return mrn_measure_energies(&w->scene, &w->state);
}

double mrn_world_probe(const mrn_world *w, const char *name)
{
    return name != NULL ? mrn_probe_value(&w->scene, &w->state, name) : NAN;
}

const mrn_scene *mrn_world_scene(const mrn_world *w)
{
    return &w->scene;
}

const mrn_state *mrn_world_state(const mrn_world *w)
{
    return &w->state;
}

int64_t mrn_world_revision(const mrn_world *w)
{
    return w->state.body.revision;
}

mrn_status mrn_world_draw(const mrn_world *w, const char *png, mrn_message *msg)
{
    mrn_frame frame = {0};
    mrn_header header = {0};
    mrn_picture picture = {0};
    if (mrn_compose_failed(msg))
        return msg->status;
    mrn_look look = mrn_look_default(w->scene.dimension);
    mrn_status st = mrn_frame_from_state(&w->scene, &w->state, NULL, &frame, msg);
    if (st == MRN_OK)
        st = mrn_header_from_scene(&w->scene, mrn_outputs_extent(&w->scene, &w->state), &header,
                                   msg);
    if (st == MRN_OK)
        st = mrn_draw(&look, &header, &frame, &picture, msg);
    if (st == MRN_OK)
        st = mrn_png_write(png, &picture, msg);
    mrn_picture_destroy(&picture);
    mrn_header_destroy(&header);
    mrn_frame_destroy(&frame);
    return st;
}
