/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event-driven engine: from event to event up to a time, and what comes before the first. */
#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "base/sum.h"
#include "drive/drive.h"
#include "event/event.h"
#include "laws/jump.h"
#include "model/owner.h"

/* Time that goes on by less than this part of itself, the rounding of a few times, stands: a ball
   that comes to rest may bounce on for ever in hops of one such rounding each. */
#define STANDS 4e-15
/* Collisions of a body without time going on after which there is collapse. */
#define MOST_AT_ONCE 1000
/* Events between two looks at whether somebody waits. */
#define LOOK_EVERY 0x3fff

/* Events of each body after which bodies are put in the order of space once more: neighbours in
   space are then neighbours in memory. */
#define SORT_AFTER 256

/* Overlap at the start, of the sum of radii, that is rounding and no mistake. */
#define OVERLAP 1e-7

/* ---- what a scene may ask for ---- */

mrn_status mrn_event_check(const mrn_scene *scene, mrn_message *msg)
{
    for (int k = 0; k < scene->n_interactions; k++) {
        mrn_status st = mrn_jump_check(&scene->interaction[k].rigid, msg);
        if (st != MRN_OK) {
            mrn_fail_path(msg, "interactions.%d", k);
            return st;
        }
    }
    return mrn_event_check_walls(scene, msg);
}

/* ---- overlaps ---- */

static mrn_status overlap(const mrn_event *e, int32_t i, int32_t k, double gap, mrn_message *msg)
{
    int32_t a = e->grain[i].flyer.id < e->grain[k].flyer.id ? i : k, b = a == i ? k : i;
    mrn_fail(msg, MRN_ERR_INPUT, "grains %d and %d overlap by %.3g m", (int)e->grain[a].flyer.id,
             (int)e->grain[b].flyer.id, -gap);
    mrn_fail_expected(msg, "hard spheres that do not overlap, under method event");
    return mrn_fail_hint(msg,
                         "place them apart, or let method nonsmooth or smooth part them first");
}

/* Along one direction to the nearest image. */
static double near_way(double d, double period)
{
    return period > 0 ? d - period * round(d / period) : d;
}

static mrn_status check_pair(const mrn_event *e, int32_t i, int32_t k, mrn_message *msg)
{
    mrn_vec3 d = mrn_sub(mrn_event_position(e, k, e->now), mrn_event_position(e, i, e->now));
    const double *p = e->grid.period;
    d = mrn_v3(near_way(d.x, p[0]), near_way(d.y, p[1]), near_way(d.z, p[2]));
    double sum = e->grain[i].flyer.radius + e->grain[k].flyer.radius, gap = mrn_norm(d) - sum;
    bool held = e->grain[i].flyer.inverse_mass == 0 && e->grain[k].flyer.inverse_mass == 0;
    return gap < -OVERLAP * sum && !held ? overlap(e, i, k, gap, msg) : MRN_OK;
}

static mrn_status check_cell(const mrn_event *e, int32_t i, int32_t cell, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (mrn_event_dweller d = mrn_event_first_in(e, cell); d.body >= 0 && st == MRN_OK;
         mrn_event_next_in(e, &d))
        if (e->grain[d.body].flyer.id > e->grain[i].flyer.id)
            st = check_pair(e, i, d.body, msg);
    return st;
}

static mrn_status check_around(const mrn_event *e, int32_t i, mrn_message *msg)
{
    const mrn_event_grid *g = &e->grid;
    int32_t at[3];
    mrn_event_cell_at(g, e->grain[i].flyer.cell, at);
    for (int m = 0; m < 27; m++) {
        int32_t to[3] = {at[0] + m % 3 - 1, at[1] + m / 3 % 3 - 1, at[2] + m / 9 - 1};
        bool inside = g->narrow || to[g->last] == at[g->last]; /* the others stand with that one */
        for (int d = 0; d < 3; d++) {
            if (g->period[d] > 0)
                to[d] = (to[d] + g->n[d]) % g->n[d];
            inside = inside && to[d] >= 0 && to[d] < g->n[d];
        }
        if (!inside)
            continue;
        mrn_status st = check_cell(e, i, mrn_event_cell_of(g, to), msg);
        if (st != MRN_OK)
            return st;
    }
    return MRN_OK;
}

static mrn_status check_walls(const mrn_event *e, int32_t i, mrn_message *msg)
{
    double r = e->grain[i].flyer.radius;
    mrn_vec3 x = mrn_event_position(e, i, e->now), v = mrn_event_velocity(e, i, e->now);
    for (int k = 0; k < e->n_surfaces; k++) {
        /* in a run a collision may leave a grain as deep as the next one lets it be */
        double rounding = e->goes_on ? MRN_EVENT_TOUCH : OVERLAP;
        mrn_vec3 n;
        double gap = mrn_event_gap(e, k, x, r, e->now, &n);
        if (!(gap < -rounding * r - 2 * mrn_event_sunk(e, k, v)) ||
            e->grain[i].flyer.inverse_mass == 0)
            continue;
        mrn_fail(msg, MRN_ERR_INPUT, "grain %d overlaps with wall '%s' by %.3g m",
                 (int)e->grain[i].flyer.id, e->scene->wall[e->surface[k].wall].name, -gap);
        return mrn_fail_expected(msg, "hard spheres that do not overlap, under method event");
    }
    return MRN_OK;
}

static mrn_status check_overlaps(const mrn_event *e, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    for (int32_t i = 0; i < e->n && st == MRN_OK; i++) {
        st = check_walls(e, i, msg);
        if (st == MRN_OK)
            st = check_around(e, i, msg);
    }
    return st;
}

/* ---- beginning ---- */

/* Means over the grains, whatever their order in memory. */
static double mean_radius(const mrn_state *s)
{
    mrn_sum sum = {0};
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        mrn_sum_add(&sum, s->body.radius[i]);
    return s->body.n > s->body.n_walls ? mrn_sum_value(&sum) / (s->body.n - s->body.n_walls) : 0;
}

static double mean_speed(const mrn_state *s)
{
    mrn_sum sum = {0};
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        mrn_sum_add(&sum, mrn_norm(mrn_load3(s->body.v + 3 * (size_t)i)));
    return s->body.n > s->body.n_walls ? mrn_sum_value(&sum) / (s->body.n - s->body.n_walls) : 0;
}

/* As given, else from what is there when the first stage begins. */
static void choose_collapse_time(mrn_event *e)
{
    mrn_state *s = e->state;
    double given = e->scene->event.collapse_time, r = mean_radius(s), v = mean_speed(s);
    double g = mrn_norm(mrn_load3(s->gravity));
    if (!isnan(given))
        s->event.collapse_time = given;
    else if (g > 0)
        s->event.collapse_time = 1e-4 * sqrt(2 * r / g);
    else if (s->event.collapse_time == 0 && v > 0)
        s->event.collapse_time = 1e-5 * r / v;
    e->collapse_time = s->event.collapse_time;
    double most = 0; /* of walls that shake */
    for (int32_t w = 0; w < s->body.n_walls; w++)
        most = fmax(most, mrn_norm(e->way[w].amplitude) * e->way[w].omega * e->way[w].omega);
    e->sinks = 2 * (g + most) * e->collapse_time * e->collapse_time;
}

/* Of two events at one time crossings come first, then by the lower of the numbers of those that
   collide, then by the other. */
static void rank(const mrn_event *e, int32_t i, int32_t out[2])
{
    const mrn_flyer *b = &e->grain[i].flyer;
    int32_t other = b->partner >= 0 ? e->grain[b->partner].flyer.id : b->partner;
    bool crosses = b->crosses <= e->grain[i].flight.meets;
    out[0] = crosses                                      ? -1
             : other >= 0 && other < e->grain[i].flyer.id ? other
                                                          : e->grain[i].flyer.id;
    out[1] = crosses || (other >= 0 && other < e->grain[i].flyer.id) ? e->grain[i].flyer.id : other;
}

static bool comes_first(const void *user, int32_t a, int32_t b)
{
    int32_t x[2], y[2];
    rank(user, a, x);
    rank(user, b, y);
    return x[0] != y[0] ? x[0] < y[0] : x[1] < y[1];
}

/* A length for the days of the calendar to begin with: grains fly their radius. */
static double first_day(const mrn_event *e)
{
    double v = mean_speed(e->state) + sqrt(mrn_norm(e->g) * e->largest);
    double day = e->n > 0 && v > 0 ? e->largest / v / e->n : 1;
    return isfinite(day) && day > 0 ? day : 1;
}

static mrn_status begin(mrn_event *e, mrn_message *msg)
{
    mrn_state *s = e->state;
    mrn_status st = mrn_event_adopt(e, msg);
    if (st == MRN_OK)
        st = mrn_event_laws(e, msg);
    if (st == MRN_OK)
        st = mrn_event_surfaces(e, msg);
    mrn_calendar_release(&e->calendar);
    if (st == MRN_OK) {
        choose_collapse_time(e);
        st = mrn_event_grid_make(e, msg);
    }
    if (st == MRN_OK)
        st = mrn_calendar_make(&e->calendar, &e->grain->flyer.due, sizeof *e->grain, e->n, e->now,
                               comes_first, e, msg);
    if (st != MRN_OK)
        return st;
    double day = first_day(e);
    mrn_calendar_clear(&e->calendar, e->now, day);
    if (e->n > 0)
        mrn_event_show_all(e, day * e->n);
    for (int32_t i = 0; i < e->n; i++)
        mrn_event_settle(e, i);
    st = check_overlaps(e, msg);
    for (int32_t i = 0; i < e->n && st == MRN_OK; i++)
        mrn_event_predict_crossing(e, i);
    for (int32_t i = 0; i < e->n && st == MRN_OK; i++)
        mrn_event_predict(e, i);
    e->changes = s->body.changes;
    e->revision = s->body.revision;
    e->same_time = 0;
    e->begun = e->events;
    return st;
}

mrn_status mrn_event_create(const mrn_scene *scene, mrn_state *s, volatile const int *stop,
                            mrn_event **out, mrn_message *msg)
{
    mrn_event *e = mrn_alloc(sizeof *e);
    *out = e;
    if (e == NULL)
        return mrn_fail_memory(msg);
    *e = (mrn_event){.scene = scene, .state = s, .stop = stop, .promised = -1};
    if (s->flights.flight == NULL) {
        s->event.since = s->time;
        mrn_drive_gravity(scene, s, s->time);
    }
    mrn_status st = begin(e, msg);
    if (st == MRN_OK)
        mrn_event_store(e);
    if (st != MRN_OK)
        mrn_event_destroy(out);
    return st;
}

void mrn_event_destroy(mrn_event **out)
{
    mrn_event *e = *out;
    if (e == NULL)
        return;
    mrn_event_laws_release(e);
    mrn_event_grid_release(&e->grid);
    mrn_calendar_release(&e->calendar);
    mrn_free(e->block);
    mrn_free(e->way);
    mrn_free(e);
    *out = NULL;
}

/* A stage begins: means begin anew, and walls with the motion that they have now. */
mrn_status mrn_event_refresh(mrn_event *e, mrn_message *msg)
{
    mrn_state *s = e->state;
    mrn_event_report *r = &s->event;
    r->since = s->time;
    r->stage_collisions = r->stage_at_walls = 0;
    for (int k = 0; k < 6; k++)
        r->virial[k] = 0;
    s->flights.n_ways = -1; /* walls are referred to where they are */
    mrn_status st = begin(e, msg);
    if (st == MRN_OK)
        mrn_event_store(e);
    return st;
}

/* ---- events ---- */

static mrn_status collapse(const mrn_event *e, int32_t i, mrn_message *msg)
{
    mrn_fail(msg, MRN_EXPLODED,
             "inelastic collapse: %d collisions at t = %.9g s without time going on, the last of "
             "body %d",
             MOST_AT_ONCE, e->now, (int)e->grain[i].flyer.id);
    return mrn_fail_hint(msg, "give a collapse-time under event:, or a larger one");
}

static mrn_status meet_partner(mrn_event *e, int32_t i, mrn_message *msg)
{
    int32_t k = e->grain[i].flyer.partner;
    if (k >= 0)
        mrn_event_part_both(e, i, k);
    else
        mrn_event_part(e, i);
    mrn_status st = k >= 0 ? mrn_event_collide(e, i, k, msg)
                           : mrn_event_collide_surface(e, i, MRN_MEETS_SURFACE - k, msg);
    if (st != MRN_OK)
        return st;
    if (k >= 0)
        mrn_event_predict_both(e, i, k);
    else
        mrn_event_predict(e, i);
    return MRN_OK;
}

static void cross(mrn_event *e, int32_t i)
{
    int side = e->grain[i].flyer.side;
    bool around = mrn_event_cross(e, i);
    e->state->event.crossings++;
    if (around)
        mrn_event_predict(e, i);
    else
        mrn_event_predict_new(e, i, side);
}

static mrn_status next_event(mrn_event *e, int32_t i, double t, mrn_message *msg)
{
    mrn_flyer *b = &e->grain[i].flyer;
    e->same_time = t > e->now + STANDS * fabs(e->now) ? 0 : e->same_time + 1;
    e->now = t > e->now ? t : e->now;
    if (!(e->now - e->glance.from < e->glance.span))
        mrn_event_show_again(e);
    if (b->crosses <= e->grain[i].flight.meets) {
        cross(e, i);
        return MRN_OK;
    }
    if (e->same_time > MOST_AT_ONCE + 4 * (int64_t)e->n)
        return collapse(e, i, msg);
    if (b->partner == MRN_MEETS_UNKNOWN) {
        mrn_event_predict(e, i);
        return MRN_OK;
    }
    return meet_partner(e, i, msg);
}

/* Up to `until`; *until falls to `early` when somebody waits. */
static mrn_status run_until(mrn_event *e, double *until, double (*early)(const mrn_event *),
                            mrn_message *msg)
{
    mrn_status st = MRN_OK;
    while (st == MRN_OK) {
        int32_t i = mrn_calendar_first(&e->calendar);
        double t = i >= 0 ? e->grain[i].flyer.due.time : INFINITY;
        if (e->calendar.today != e->fetched) {
            e->fetched = e->calendar.today;
            mrn_event_fetch(e);
        }
        if (!(t <= *until))
            break;
        st = next_event(e, i, t, msg);
        if ((++e->events & LOOK_EVERY) == 0 && e->stop != NULL && *e->stop != 0)
            *until = fmin(*until, early(e));
    }
    return st;
}

/* ---- time ---- */

static double time_of(const mrn_state *s, int64_t step)
{
    return s->base_time + (double)(step - s->base_step) * s->h;
}

/* The end of the tick that it is. */
static double end_of_tick(const mrn_event *e)
{
    const mrn_state *s = e->state;
    int64_t step = s->base_step + (int64_t)ceil((e->now - s->base_time) / s->h);
    return time_of(s, time_of(s, step) >= e->now ? step : step + 1);
}

static mrn_status prepare(mrn_event *e, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    if (mrn_event_is_disturbed(e))
        st = begin(e, msg);
    else if (e->events - e->begun > SORT_AFTER * (int64_t)e->n || mrn_event_grid_is_narrow(e))
        st = begin(e, msg);
    return st;
}

mrn_status mrn_event_advance(mrn_event *e, double until, int64_t max_steps, mrn_message *msg)
{
    mrn_state *s = e->state;
    int64_t n = mrn_steps_until(s, until, max_steps);
    double begun = mrn_clock(), end = time_of(s, s->step + n);
    if (n <= 0)
        return MRN_OK;
    mrn_status st = prepare(e, msg);
    if (st == MRN_OK)
        st = run_until(e, &end, end_of_tick, msg);
    e->times.solve += mrn_clock() - begun;
    if (st < 0)
        return st;
    if (st != MRN_OK)
        end = fmin(end, end_of_tick(e));
    int64_t step = s->base_step + (int64_t)llround((end - s->base_time) / s->h);
    e->times.steps += step - s->step;
    s->step = step;
    s->time = e->now = end;
    begun = mrn_clock();
    mrn_event_store(e);
    e->times.bodies += mrn_clock() - begun;
    return st;
}

/* ---- what others may ask ---- */

/* The tick of the calendar of a run: fine enough that any instant is met, a decimal part of the
   stage so that round numbers are met to rounding. Nothing in the motion depends on it. */
mrn_step_limit mrn_event_step_limit(const mrn_scene *scene, const mrn_state *s)
{
    mrn_step_limit l = {.critical = INFINITY, .rayleigh = INFINITY};
    double at_most = s->stage < scene->n_stages ? scene->stage[s->stage].at_most : INFINITY;
    double r = mean_radius(s), g = mrn_norm(mrn_load3(s->gravity));
    l.speed = mean_speed(s);
    double time = l.speed + sqrt(g * r) > 0 ? r / (l.speed + sqrt(g * r)) : 1;
    l.advised = isfinite(at_most) ? at_most / 1e8 : pow(10, floor(log10(time))) * 1e-5;
    snprintf(l.reason, sizeof l.reason, "the tick of the run's calendar; motion has no step");
    return l;
}

size_t mrn_event_bytes(const mrn_event *e)
{
    size_t each = sizeof *e->grain + sizeof *e->turn + sizeof *e->glance.of + 3 * sizeof *e->next +
                  sizeof *e->place + 3 * sizeof *e->image;
    return (size_t)e->room * each + mrn_calendar_bytes(&e->calendar) +
           mrn_event_grid_bytes(&e->grid);
}
