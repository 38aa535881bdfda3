/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between engine and state: flights that a state remembers are taken up, bodies are stored where
   their flights have led them. Storing changes no flight. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "detect/order.h"
#include "event/event.h"

enum { LINE = 64 }; /* bytes of a cache line */

/* ---- walls ---- */

static void take_motion(const mrn_scene *scene, const mrn_state *s, int32_t w, mrn_event_way *way)
{
    const mrn_motion *m = &scene->wall[w].motion;
    bool absent = s->body.flags[w] & MRN_BODY_ABSENT;
    if (m->kind == MRN_MOTION_NONE || absent)
        return;
    way->velocity = m->velocity;
    way->spin = m->spin;
    way->shakes = m->kind == MRN_MOTION_SHAKE;
    if (way->shakes) {
        way->amplitude = m->amplitude;
        way->omega = 2 * MRN_PI * m->frequency;
        way->phase = m->phase;
        way->sine = sin(way->omega * way->t + way->phase);
    }
    way->about = m->has_about ? m->about : way->x;
}

static void load_way(const mrn_event *e, int32_t w, const double *from, mrn_event_way *way)
{
    const double *q = from + MRN_WAY_Q;
    *way = (mrn_event_way){
        .x = mrn_load3(from + MRN_WAY_X), .q = {q[0], q[1], q[2], q[3]}, .t = from[MRN_WAY_TIME]};
    take_motion(e->scene, e->state, w, way);
}

static mrn_quat turned(const mrn_event_way *w, double t)
{
    if (w->spin.x == 0 && w->spin.y == 0 && w->spin.z == 0)
        return w->q;
    mrn_quat turn = mrn_quat_from_rotation(mrn_scale(t - w->t, w->spin));
    return mrn_quat_unit(mrn_quat_mul(turn, w->q));
}

/* The reference of a wall's motion is where it is now. */
static void refer_wall(mrn_event *e, int32_t w)
{
    const mrn_state *s = e->state;
    double *to = s->flights.way + (size_t)w * MRN_WAY_WIDTH;
    memset(to, 0, MRN_WAY_WIDTH * sizeof *to);
    memcpy(to + MRN_WAY_X, s->body.x + 3 * (size_t)w, 3 * sizeof *to);
    memcpy(to + MRN_WAY_Q, s->body.q + 4 * (size_t)w, 4 * sizeof *to);
    to[MRN_WAY_TIME] = s->time;
}

static bool wall_is_there(const mrn_event *e, int32_t w)
{
    double x[3];
    mrn_store3(x, mrn_event_wall_place(&e->way[w], e->state->time));
    return memcmp(x, e->state->body.x + 3 * (size_t)w, sizeof x) == 0;
}

static mrn_status adopt_walls(mrn_event *e, mrn_message *msg)
{
    mrn_state *s = e->state;
    int32_t n = s->body.n_walls;
    bool known = s->flights.n_ways == n;
    if (!known) {
        mrn_free(s->flights.way);
        s->flights.n_ways = 0;
        mrn_status st = mrn_array(&s->flights.way, n, MRN_WAY_WIDTH * sizeof *s->flights.way, msg);
        if (st != MRN_OK)
            return st;
        s->flights.n_ways = n;
    }
    for (int32_t w = 0; w < n; w++) {
        const double *from = s->flights.way + (size_t)w * MRN_WAY_WIDTH;
        load_way(e, w, from, &e->way[w]);
        if (known && wall_is_there(e, w))
            continue;
        refer_wall(e, w);
        load_way(e, w, from, &e->way[w]);
    }
    return MRN_OK;
}

static void store_walls(mrn_event *e)
{
    mrn_state *s = e->state;
    double t = s->time, span = t - s->event.since;
    for (int32_t w = 0; w < s->body.n_walls; w++) {
        const mrn_event_way *way = &e->way[w];
        const double *sum = s->flights.way + (size_t)w * MRN_WAY_WIDTH + MRN_WAY_IMPULSE;
        mrn_vec3 x = mrn_event_wall_place(way, t);
        mrn_quat q = turned(way, t);
        double *to = s->body.q + 4 * (size_t)w;
        mrn_store3(s->body.x + 3 * (size_t)w, x);
        to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z;
        mrn_store3(s->body.v + 3 * (size_t)w, mrn_event_wall_velocity(way, x, t));
        mrn_store3(s->body.w + 3 * (size_t)w, way->spin);
        for (int k = 0; k < 3; k++) {
            s->body.f[3 * (size_t)w + k] = span > 0 ? sum[k] / span : 0;
            s->body.t[3 * (size_t)w + k] = span > 0 ? sum[3 + k] / span : 0;
        }
    }
}

/* ---- grains ---- */

static double *memory_of(const mrn_event *e, int32_t i)
{
    return e->state->flights.flight + (size_t)e->grain[i].flyer.id * MRN_FLIGHT_WIDTH;
}

static void keep_flight(mrn_event *e, int32_t i)
{
    double *m = memory_of(e, i);
    memcpy(m + MRN_FLIGHT_X, e->grain[i].flight.x, 3 * sizeof *m);
    memcpy(m + MRN_FLIGHT_V, e->grain[i].flight.v, 3 * sizeof *m);
    memcpy(m + MRN_FLIGHT_W, e->turn[i].w, 3 * sizeof *m);
    memcpy(m + MRN_FLIGHT_Q, e->turn[i].q, 4 * sizeof *m);
    m[MRN_FLIGHT_TIME] = e->grain[i].flight.t;
    m[MRN_FLIGHT_HIT] = e->grain[i].flyer.hit;
}

static void recall_flight(mrn_event *e, int32_t i)
{
    const double *m = memory_of(e, i);
    memcpy(e->grain[i].flight.x, m + MRN_FLIGHT_X, 3 * sizeof *m);
    memcpy(e->grain[i].flight.v, m + MRN_FLIGHT_V, 3 * sizeof *m);
    memcpy(e->turn[i].w, m + MRN_FLIGHT_W, 3 * sizeof *m);
    memcpy(e->turn[i].q, m + MRN_FLIGHT_Q, 4 * sizeof *m);
    e->grain[i].flight.t = m[MRN_FLIGHT_TIME];
    e->grain[i].flyer.hit = (int8_t)m[MRN_FLIGHT_HIT];
}

static void take_body(mrn_event *e, int32_t i)
{
    const mrn_bodies *b = &e->state->body;
    size_t k = (size_t)e->place[i];
    memcpy(e->grain[i].flight.x, b->x + 3 * k, 3 * sizeof *b->x);
    memcpy(e->grain[i].flight.v, b->v + 3 * k, 3 * sizeof *b->v);
    memcpy(e->turn[i].w, b->w + 3 * k, 3 * sizeof *b->w);
    memcpy(e->turn[i].q, b->q + 4 * k, 4 * sizeof *b->q);
    e->grain[i].flight.t = e->state->time;
    e->grain[i].flyer.hit = MRN_HIT_NOTHING;
}

/* The flight leads to where the state has the body, bit by bit. */
static bool is_there(const mrn_event *e, int32_t i)
{
    const mrn_bodies *b = &e->state->body;
    size_t k = (size_t)e->place[i];
    double x[3], v[3], t = e->state->time;
    mrn_store3(x, mrn_event_position(e, i, t));
    mrn_store3(v, mrn_event_velocity(e, i, t));
    return memcmp(x, b->x + 3 * k, sizeof x) == 0 && memcmp(v, b->v + 3 * k, sizeof v) == 0 &&
           memcmp(e->turn[i].w, b->w + 3 * k, sizeof x) == 0;
}

static void adopt_body(mrn_event *e, int32_t i, bool known)
{
    const mrn_bodies *b = &e->state->body;
    int32_t k = e->place[i];
    bool held = b->flags[k] & MRN_BODY_FIXED;
    e->grain[i].flyer.inverse_mass = held ? 0 : 1 / b->mass[k];
    e->turn[i].inverse_inertia = held ? 0 : 1 / b->inertia[k];
    e->grain[i].flyer.partner = MRN_MEETS_NOTHING;
    e->grain[i].flight.meets = e->grain[i].flyer.crosses = INFINITY;
    e->grain[i].flyer.radius = b->radius[k];
    e->grain[i].flyer.material = b->material[k];
    memcpy(e->image + 3 * (size_t)i, b->image + 3 * (size_t)k, 3 * sizeof *b->image);
    if (known)
        recall_flight(e, i);
    if (!known || !(e->grain[i].flight.t <= e->state->time) || !is_there(e, i))
        take_body(e, i);
    e->holds_any |= held;
    e->largest = fmax(e->largest, b->radius[k]);
    e->smallest = fmin(e->smallest, b->radius[k]);
}

/* Positions of a cell before the first flight: inside of it. */
static void wrap(mrn_event *e)
{
    mrn_state *s = e->state;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        for (int d = 0; d < 3; d++) {
            double *x = s->body.x + 3 * (size_t)i + d, size = s->cell_size[d];
            if (!e->scene->cell.periodic[d])
                continue;
            double n = floor((*x - s->cell_origin[d]) / size);
            *x -= n * size;
            s->body.image[3 * (size_t)i + d] += (int32_t)n;
        }
}

/* One block for all that is read at random, so that most of it lies in large pages. */
static mrn_status room_for(mrn_event *e, int32_t n, mrn_message *msg)
{
    const struct {
        void *array;
        size_t size;
    } all[] = {{&e->grain, sizeof *e->grain}, {&e->glance.of, sizeof *e->glance.of},
               {&e->turn, sizeof *e->turn},   {&e->next, 3 * sizeof *e->next},
               {&e->place, sizeof *e->place}, {&e->image, 3 * sizeof *e->image}};
    enum { ARRAYS = sizeof all / sizeof *all };
    size_t at[ARRAYS], bytes = 0;
    for (size_t k = 0; k < ARRAYS; k++) {
        at[k] = bytes;
        bytes += ((size_t)n * all[k].size + LINE - 1) / LINE * LINE;
    }
    mrn_free(e->block);
    e->block = NULL;
    mrn_status st = mrn_array(&e->block, (int64_t)bytes, 1, msg);
    for (size_t k = 0; k < ARRAYS; k++)
        *(void **)all[k].array = st == MRN_OK ? e->block + at[k] : NULL;
    e->n = e->room = st == MRN_OK ? n : 0;
    return st;
}

static mrn_status room_for_memory(mrn_state *s, bool *known, mrn_message *msg)
{
    int64_t n = s->body.n_ids;
    *known = s->flights.flight != NULL && s->flights.n_flights == n;
    if (*known)
        return MRN_OK;
    mrn_free(s->flights.flight);
    s->flights.flight = NULL;
    s->flights.n_flights = 0;
    mrn_status st = mrn_array(&s->flights.flight, n, MRN_FLIGHT_WIDTH * sizeof(double), msg);
    if (st == MRN_OK)
        s->flights.n_flights = n;
    return st;
}

static void measure_scale(mrn_event *e)
{
    const mrn_bodies *b = &e->state->body;
    e->scale = 2 * e->largest;
    for (int32_t i = b->n_walls; i < b->n; i++)
        for (int d = 0; d < 3; d++)
            e->scale = fmax(e->scale, fabs(b->x[3 * (size_t)i + d]));
}

/* Neighbours in space are neighbours in the arrays of the engine; the state stays as it is. */
static mrn_status place_bodies(mrn_event *e, mrn_message *msg)
{
    const mrn_state *s = e->state;
    mrn_ranking rank = {0};
    double most = 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        most = fmax(most, s->body.radius[i]);
    mrn_status st = e->n > 0 ? mrn_rank_bodies(e->scene, s, 2 * most, &rank, msg) : MRN_OK;
    for (int32_t i = 0; i < e->n && st == MRN_OK; i++) {
        e->place[i] = rank.item[i];
        e->grain[i].flyer.id = s->body.id[e->place[i]];
    }
    mrn_ranking_release(&rank);
    return st;
}

mrn_status mrn_event_adopt(mrn_event *e, mrn_message *msg)
{
    mrn_state *s = e->state;
    bool known = false;
    mrn_status st = room_for(e, s->body.n - s->body.n_walls, msg);
    if (st == MRN_OK)
        st = room_for_memory(s, &known, msg);
    if (st != MRN_OK)
        return st;
    if (!known)
        wrap(e);
    e->goes_on = known;
    e->g = mrn_load3(s->gravity);
    e->falls = mrn_norm(e->g) > 0;
    e->now = s->time;
    e->holds_any = false;
    e->largest = 0;
    e->smallest = INFINITY;
    mrn_free(e->way);
    e->way = NULL;
    st = mrn_array(&e->way, s->body.n_walls, sizeof *e->way, msg);
    if (st != MRN_OK)
        return st;
    st = place_bodies(e, msg);
    for (int32_t i = 0; i < e->n && st == MRN_OK; i++) {
        adopt_body(e, i, known);
        keep_flight(e, i);
    }
    measure_scale(e);
    return st == MRN_OK ? adopt_walls(e, msg) : st;
}

void mrn_event_store(mrn_event *e)
{
    mrn_state *s = e->state;
    double t = s->time;
    for (int32_t i = 0; i < e->n; i++) {
        size_t k = (size_t)e->place[i];
        mrn_quat q = mrn_event_orientation(e, i, t);
        double *to = s->body.q + 4 * k;
        mrn_store3(s->body.x + 3 * k, mrn_event_position(e, i, t));
        mrn_store3(s->body.v + 3 * k, mrn_event_velocity(e, i, t));
        memcpy(s->body.w + 3 * k, e->turn[i].w, 3 * sizeof(double));
        to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z;
        memcpy(s->body.image + 3 * k, e->image + 3 * (size_t)i, 3 * sizeof *e->image);
        mrn_store3(s->body.f + 3 * k, mrn_scale(s->body.mass[k], mrn_event_pull(e, i)));
        keep_flight(e, i);
    }
    store_walls(e);
}

bool mrn_event_is_disturbed(const mrn_event *e)
{
    const mrn_state *s = e->state;
    if (s->body.changes != e->changes || s->body.revision != e->revision || s->time != e->now ||
        memcmp(s->gravity, &e->g, sizeof s->gravity) != 0)
        return true;
    for (int32_t i = 0; i < e->n; i++)
        if (!is_there(e, i))
            return true;
    return false;
}
