/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When two flights meet, and who a body meets next. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "event/event.h"
#include "event/root.h"

/* Two bodies with the same acceleration: their distance is that of straight flights. Which of the
   two asks changes no bit. */
static double meet(const mrn_event *e, int32_t i, int32_t k, const double shift[3])
{
    const mrn_flight *a = &e->grain[i].flight, *b = &e->grain[k].flight;
    double t = a->t > b->t ? a->t : b->t, sa = t - a->t, sb = t - b->t;
    mrn_vec3 va = mrn_load3(a->v), vb = mrn_load3(b->v), w = mrn_sub(vb, va);
    mrn_vec3 d = mrn_sub(mrn_axpy(sb, vb, mrn_load3(b->x)), mrn_axpy(sa, va, mrn_load3(a->x)));
    if (e->falls) { /* one of the two has begun its flight, and fallen, before the other */
        w = mrn_axpy(sb - sa, e->g, w);
        d = mrn_axpy(0.5 * (sb * sb - sa * sa), e->g, d);
    }
    d = mrn_add(d, mrn_load3(shift));
    double dw = mrn_dot(d, w), ww = mrn_dot(w, w);
    double sum = e->grain[i].flyer.radius + e->grain[k].flyer.radius, c = mrn_dot(d, d) - sum * sum;
    double root = dw * dw - ww * c;
    if (!(dw < 0) || !(root >= 0))
        return INFINITY;
    return t + (c > 0 ? c : 0) / (sqrt(root) - dw);
}

/* ---- a body that falls, and one that is held ---- */

typedef struct fall {
    mrn_vec3 d, w, g; /* distance and velocity at the beginning, relative acceleration */
    double sum;
} fall;

static double fall_gap(const void *user, double s, double *rate)
{
    const fall *f = user;
    mrn_vec3 d = mrn_axpy(s, f->w, mrn_axpy(0.5 * s * s, f->g, f->d));
    mrn_vec3 w = mrn_axpy(s, f->g, f->w);
    double l = mrn_norm(d);
    *rate = l > 0 ? mrn_dot(d, w) / l : 0;
    return l - f->sum;
}

static double meet_held(const mrn_event *e, int32_t i, int32_t k, const double *shift, double until)
{
    const mrn_flight *a = &e->grain[i].flight, *b = &e->grain[k].flight;
    double t = a->t > b->t ? a->t : b->t;
    mrn_vec3 x = mrn_add(mrn_event_position(e, k, t), mrn_load3(shift));
    fall f = {mrn_sub(x, mrn_event_position(e, i, t)),
              mrn_sub(mrn_event_velocity(e, k, t), mrn_event_velocity(e, i, t)),
              mrn_sub(mrn_event_pull(e, k), mrn_event_pull(e, i)),
              e->grain[i].flyer.radius + e->grain[k].flyer.radius};
    /* the distance of a point in free flight from a fixed one bends inwards no faster than it falls
     */
    double s = mrn_event_root(fall_gap, &f, 0, until - t, mrn_norm(f.g),
                              mrn_event_rounding(e, i) + mrn_event_rounding(e, k),
                              MRN_EVENT_TOUCH * f.sum);
    return t + s;
}

/* ---- candidates ---- */

typedef struct best {
    double time;
    int32_t partner;
} best;

static bool acts(const mrn_event *e, int32_t i, int32_t k)
{
    return e->scene->pair_of[e->grain[i].flyer.material * e->scene->n_materials +
                             e->grain[k].flyer.material] >= 0;
}

/* Of two collisions of one body at one time that with a wall counts, else the one with the lower
   number. */
static bool goes_first(const mrn_event *e, int32_t k, int32_t other)
{
    return other == MRN_MEETS_UNKNOWN || other == MRN_MEETS_NOTHING ||
           (other >= 0 && e->grain[k].flyer.id < e->grain[other].flyer.id);
}

static int32_t partner_of(const mrn_event *e, int32_t i)
{
    return i == e->promised ? e->promiser : e->grain[i].flyer.partner;
}

static double meet_exactly(const mrn_event *e, int32_t i, int32_t k, const double shift[3],
                           double until)
{
    bool held = e->grain[i].flyer.inverse_mass == 0, too = e->grain[k].flyer.inverse_mass == 0;
    if ((held && too) || (e->ignores && !acts(e, i, k)))
        return INFINITY;
    return held != too && e->falls ? meet_held(e, i, k, shift, until) : meet(e, i, k, shift);
}

static inline float time_of(int32_t soon)
{
    float t;
    soon &= ~MRN_GLANCE_WHICH;
    memcpy(&t, &soon, sizeof t);
    return t;
}

/* To the image of a body of cell `b` that is in a cell next to cell `a`. */
static void shift_to(const mrn_event_grid *g, int32_t a, int32_t b, double shift[3])
{
    int32_t from[3], to[3];
    mrn_event_cell_at(g, a, from);
    mrn_event_cell_at(g, b, to);
    for (int d = 0; d < 3; d++)
        shift[d] = to[d] > from[d] + 1 ? -g->period[d] : to[d] < from[d] - 1 ? g->period[d] : 0;
}

/* Looks at one of the crowd: it is met if nobody is met before, nor it by others. */
static void consider(const mrn_event *e, int32_t i, const mrn_crowd *c, int at, best *found)
{
    int32_t who = c->who[at];
    double shift[3] = {0, 0, 0};
    if (who == i)
        return;
    if (c->images == MRN_CROWD_NEAREST)
        shift_to(&e->grid, e->grain[i].flyer.cell, e->grain[who].flyer.cell, shift);
    for (int d = 0; d < 3 && c->images == MRN_CROWD_GIVEN; d++)
        shift[d] = c->shift[d][at];
    double t = meet_exactly(e, i, who, shift, found->time), its = e->grain[who].flight.meets;
    bool free = t < its || (t == its && goes_first(e, i, partner_of(e, who)));
    if (t < INFINITY && free &&
        (t < found->time || (t == found->time && goes_first(e, who, found->partner))))
        *found = (best){t, who};
}

/* Whether a glance leaves it open that the one is met before `time`. */
static inline bool may_be_met(const mrn_event *e, int32_t soon, double time)
{
    double limit = (time - e->now) * e->glance.per_time * (1 + 1e-6) + 1e-6;
    return soon < MRN_GLANCE_NEVER && time_of(soon) <= limit;
}

/* The earliest of the crowd, unless it collides with somebody else before. In the order of glances,
   until these say that nobody can be met earlier any more. */
static void choose(const mrn_event *e, int32_t i, mrn_crowd *c, best *found)
{
    for (int32_t least = c->first; may_be_met(e, least, found->time);
         least = mrn_crowd_soonest(c)) {
        int at = least & MRN_GLANCE_WHICH;
        consider(e, i, c, at, found);
        c->soon[at] = MRN_GLANCE_NEVER;
    }
    c->n = 0;
}

/* The cells along one direction about that of a body, and the way to their images. */
typedef struct line {
    int32_t at[3];
    double shift[3];
    int n;
} line;

static inline line line_about(const mrn_event_grid *g, int d, int32_t c, int from, int to)
{
    line l = {.n = 0};
    for (int k = from; k <= to; k++) {
        int32_t at = c + k;
        double shift = 0;
        if (at < 0 || at >= g->n[d]) {
            if (!(g->period[d] > 0))
                continue;
            shift = at < 0 ? -g->period[d] : g->period[d];
            at += at < 0 ? g->n[d] : -g->n[d];
        }
        l.at[l.n] = at;
        l.shift[l.n++] = shift;
    }
    return l;
}

/* Cells about that of a body: all 27, or those 9 that are new behind a face; a third of them where
   bodies stand with three. */
static inline int block_from(const mrn_event_grid *g, int d, int side)
{
    return !g->narrow && d == g->last ? 0 : side == 2 * d + 1 ? 1 : -1;
}
static inline int block_to(const mrn_event_grid *g, int d, int side)
{
    return !g->narrow && d == g->last ? 0 : side == 2 * d ? -1 : 1;
}

/* Those who stand with a cell are copied all at once, and their number counts: no branch that could
   be guessed wrongly. *all: what is known of the cells together. */
typedef int32_t whole_cell __attribute__((vector_size(32), aligned(4), may_alias));
static inline int32_t *add_cell(const mrn_event_cell *cell, int32_t *who, int *all)
{
    *(whole_cell *)who = *(const whole_cell *)cell;
    *all |= cell->held;
    return who + (cell->held & MRN_EVENT_SLOTS);
}

static inline int32_t *add_three(const mrn_event_cell *c, int64_t step, int32_t *who, int *all)
{
    who = add_cell(c - step, who, all);
    who = add_cell(c, who, all);
    return add_cell(c + step, who, all);
}

/* Who stands with the cells about a cell, or with those that are new behind face `side`; the end of
   it. *lists: these are not all. */
static inline int32_t *add_about(const mrn_event_grid *g, int32_t cell, int side, int32_t *who,
                                 bool *lists)
{
    const mrn_event_cell *c = g->cell + cell;
    int64_t row = g->stride[1];
    int all = 0;
    if (side < 0) {
        if (g->last == 2) {
            who = add_three(c - row, 1, who, &all);
            who = add_three(c + row, 1, who, &all);
        }
        who = add_three(c, 1, who, &all);
    } else if (side >= 2) /* the whole row behind it */
        who = add_three(side == 2 ? c - row : c + row, 1, who, &all);
    else if (g->last == 2)
        who = add_three(side == 0 ? c - 1 : c + 1, row, who, &all);
    else
        who = add_cell(side == 0 ? c - 1 : c + 1, who, &all);
    *lists = all & MRN_EVENT_MORE;
    return who;
}

/* Cells of a block one by one, across borders where there is a period. */
typedef struct border {
    line x, y, z;
    int n;
} border;

static border border_of(const mrn_event_grid *g, int32_t cell, int side)
{
    int32_t at[3];
    mrn_event_cell_at(g, cell, at);
    border w = {line_about(g, 0, at[0], block_from(g, 0, side), block_to(g, 0, side)),
                line_about(g, 1, at[1], block_from(g, 1, side), block_to(g, 1, side)),
                line_about(g, 2, at[2], block_from(g, 2, side), block_to(g, 2, side)), 0};
    w.n = w.x.n * w.y.n * w.z.n;
    return w;
}

static int32_t cell_of(const mrn_event_grid *g, const border *w, int k, double shift[3])
{
    int x = k % w->x.n, y = k / w->x.n % w->y.n, z = k / w->x.n / w->y.n;
    shift[0] = w->x.shift[x], shift[1] = w->y.shift[y], shift[2] = w->z.shift[z];
    return mrn_event_cell_of(g, (const int32_t[3]){w->x.at[x], w->y.at[y], w->z.at[z]});
}

/* ---- those that are not gathered at once ---- */

static void add_body(const mrn_event *e, int32_t i, int32_t who, const double shift[3],
                     mrn_crowd *c, best *found)
{
    if (c->n == MRN_GLANCE_CROWD) {
        mrn_event_glance(e, i, c);
        choose(e, i, c, found);
    }
    for (int d = 0; d < 3 && c->images == MRN_CROWD_GIVEN; d++)
        c->shift[d][c->n] = shift[d];
    c->who[c->n++] = who;
}

/* Those that cells have no slots for. Where a period has so few cells that a body may be there as
   several: all of them, with the way to each image. */
static void add_others(const mrn_event *e, int32_t i, int side, mrn_crowd *c, best *found)
{
    const mrn_event_grid *g = &e->grid;
    border w = border_of(g, e->grain[i].flyer.cell, side);
    for (int k = 0; k < w.n; k++) {
        double shift[3];
        int32_t cell = cell_of(g, &w, k, shift);
        for (mrn_event_dweller d = mrn_event_first_in(e, cell); d.body >= 0;
             mrn_event_next_in(e, &d))
            if (g->narrow || d.link >= 0)
                add_body(e, i, d.body, shift, c, found);
    }
}

/* Which of the faces tells what is new: with a cell stand those before and behind it along the last
   direction, so that all of them are looked at when one is new. */
static inline int new_behind(const mrn_event_grid *g, int side)
{
    return !g->narrow && side >> 1 == g->last ? -1 : side;
}

/* Who is in the cells about body i, or in those that are new behind a face, and a glance at them;
   not at those that are not gathered at once: true, if there are some. */
static bool gather(const mrn_event *e, int32_t i, int side, mrn_crowd *near)
{
    const mrn_event_grid *g = &e->grid;
    int32_t cell = e->grain[i].flyer.cell;
    bool others = true, at_border = g->cell[cell].held & MRN_EVENT_BORDER;
    near->n = 0;
    near->images = g->narrow ? MRN_CROWD_GIVEN : at_border ? MRN_CROWD_NEAREST : MRN_CROWD_NONE;
    if (!g->narrow)
        near->n = (int)(add_about(g, cell, side, near->who, &others) - near->who);
    if (!others)
        mrn_event_glance(e, i, near);
    return others;
}

/* Whom body i meets of those that were gathered. */
static void decide(const mrn_event *e, int32_t i, int side, bool others, mrn_crowd *near,
                   best *found)
{
    if (others) {
        add_others(e, i, side, near, found);
        mrn_event_glance(e, i, near);
    }
    choose(e, i, near, found);
}

/* ---- ahead of time ---- */

/* In a large gas every event is far from the last in memory, and waiting for it would be most of
   its cost. What an event will read is known days before from the calendar: first bodies are asked
   for, then the cells about them and partners, the cells about these, and on the eve those who are
   in all these cells. Into the second cache: the first has no room for a day's. Nothing depends on
   it but speed. */
/* gcc takes a function that does nothing but fetch for one without effect, and leaves its calls out
   unless they are inlined. */
#define FETCHES static inline __attribute__((always_inline)) void

FETCHES fetch_cells(const mrn_event *e, int32_t i)
{
    int64_t row = e->grid.stride[1];
    const mrn_event_cell *c = e->grid.cell + e->grain[i].flyer.cell;
    for (int y = -1; y <= 1; y++) { /* at a border some of it is elsewhere */
        __builtin_prefetch(c + y * row - 1, 0, 2);
        __builtin_prefetch(c + y * row + 1, 0, 2);
    }
}

/* The cells with which body i stands, and those with which it will stand in the next one: a
   crossing writes them. */
FETCHES fetch_crossing(const mrn_event *e, int32_t i)
{
    const mrn_event_grid *g = &e->grid;
    const mrn_flyer *b = &e->grain[i].flyer;
    int64_t next = (b->side & 1 ? 1 : -1) * (int64_t)g->stride[b->side >> 1];
    int64_t last = g->stride[g->last], row = g->stride[1];
    const mrn_event_cell *c = g->cell + b->cell;
    for (int k = -1; k <= 1; k++) {
        __builtin_prefetch(c + k * last, 1, 2);
        __builtin_prefetch(c + next + k * last, 1, 2);
    }
    c += b->side < 4 ? 2 * next : next; /* who is new */
    int64_t side = b->side < 2 ? row : 1;
    __builtin_prefetch(c - side, 0, 2);
    __builtin_prefetch(c + side, 0, 2);
    if (b->side < 2)
        __builtin_prefetch(c, 0, 2);
    if (b->side < 4)
        return;
    __builtin_prefetch(c - row - 1, 0, 2);
    __builtin_prefetch(c - row + 1, 0, 2);
    __builtin_prefetch(c + row - 1, 0, 2);
    __builtin_prefetch(c + row + 1, 0, 2);
}

/* Bodies that stand with a cell are seldom more. */
enum { USUAL = 3 };

/* Who collides with body i in its next event. */
static inline int32_t collides_with(const mrn_event *e, int32_t i)
{
    const mrn_flyer *b = &e->grain[i].flyer;
    return b->crosses <= e->grain[i].flight.meets || b->partner < 0 ? -1 : b->partner;
}

/* Of the first bodies that stand with a cell; seldom there are more. Where there is none, its slot
   has the first of all, which is always at hand. */
FETCHES fetch_glances(const mrn_event *e, const mrn_event_cell *c)
{
    for (int k = 0; k < USUAL; k++) /* the same number each time is guessed rightly */
        __builtin_prefetch(&e->glance.of[c->body[k]], 0, 2);
}

FETCHES fetch_three(const mrn_event *e, const mrn_event_cell *c, int64_t step)
{
    fetch_glances(e, c - step);
    fetch_glances(e, c);
    fetch_glances(e, c + step);
}

/* Whom body i will glance at in its next event; seldom, across a border, they are not asked for. */
FETCHES fetch_dwellers(const mrn_event *e, int32_t i)
{
    const mrn_event_grid *g = &e->grid;
    const mrn_flyer *b = &e->grain[i].flyer;
    const mrn_event_cell *c = g->cell + b->cell;
    int64_t row = g->stride[1];
    if (b->crosses <= e->grain[i].flight.meets) { /* behind the next cell */
        int64_t ahead = (b->side & 1 ? 1 : -1) * (int64_t)g->stride[b->side >> 1];
        if (c->held & MRN_EVENT_BORDER)
            return;
        if (b->side >> 1 < g->last) {
            if (b->side < 2 && g->last == 2)
                fetch_three(e, c + 2 * ahead, row);
            else
                fetch_three(e, c + 2 * ahead, b->side < 2 ? 0 : 1);
            return;
        }
        c += ahead;
    }
    if (g->last == 2) {
        fetch_three(e, c - row, 1);
        fetch_three(e, c + row, 1);
    }
    fetch_three(e, c, 1);
}

FETCHES fetch_flight(const mrn_event *e, int32_t i)
{
    __builtin_prefetch(&e->grain[i].flight, 0, 2);
    if (e->spins)
        __builtin_prefetch(&e->turn[i], 0, 2);
}

void mrn_event_fetch(mrn_event *e)
{
    const mrn_calendar_day *d = mrn_calendar_ahead(&e->calendar, 7);
    __builtin_prefetch(mrn_calendar_ahead(&e->calendar, 12), 1, 2);
    for (int k = 0; k < d->n; k++) {
        __builtin_prefetch(&e->grain[d->item[k]].flyer, 1, 2);
        fetch_flight(e, d->item[k]);
    }
    d = mrn_calendar_ahead(&e->calendar, 5);
    for (int k = 0; k < d->n; k++) {
        int32_t i = d->item[k], other = collides_with(e, i);
        if (e->grain[i].flyer.crosses <= e->grain[i].flight.meets)
            fetch_crossing(e, i);
        else
            fetch_cells(e, i);
        if (other >= 0) {
            __builtin_prefetch(&e->grain[other].flyer, 1, 2);
            fetch_flight(e, other);
        }
    }
    d = mrn_calendar_ahead(&e->calendar, 3);
    for (int k = 0; k < d->n; k++) {
        int32_t other = collides_with(e, d->item[k]);
        if (other >= 0)
            fetch_cells(e, other);
    }
    d = mrn_calendar_ahead(&e->calendar, 1);
    for (int k = 0; k < d->n; k++) {
        int32_t other = collides_with(e, d->item[k]);
        fetch_dwellers(e, d->item[k]);
        if (other >= 0)
            fetch_dwellers(e, other);
    }
}

static void try_surfaces(const mrn_event *e, int32_t i, uint64_t which, best *found)
{
    for (; which != 0; which &= which - 1) {
        int k = __builtin_ctzll(which);
        double until = fmin(found->time, e->grain[i].flyer.crosses);
        double t = mrn_event_meets_surface(e, i, k, until);
        if (t < found->time)
            *found = (best){t, MRN_MEETS_SURFACE - k};
    }
}

/* ---- who meets whom ---- */

/* A collision of two stands in the calendar once, with the one that is first in memory: two items
   would cost twice, and be due at the same time always. */
static bool stands_for_both(const mrn_event *e, int32_t i)
{
    return e->grain[i].flyer.partner < 0 || e->grain[i].flyer.partner > i;
}

void mrn_event_enter(mrn_event *e, int32_t i)
{
    double meets = e->grain[i].flight.meets, crosses = e->grain[i].flyer.crosses;
    double collides = stands_for_both(e, i) ? meets : INFINITY;
    mrn_calendar_set(&e->calendar, i, crosses <= meets ? crosses : collides);
}

static void set_meets(mrn_event *e, int32_t i, double t)
{
    e->grain[i].flight.meets = t;
    mrn_event_show_meets(e, i);
}

void mrn_event_part(mrn_event *e, int32_t i)
{
    mrn_flyer *b = &e->grain[i].flyer;
    int32_t other = b->partner;
    if (other >= 0) {
        e->grain[other].flyer.partner = MRN_MEETS_UNKNOWN; /* looks again at the time it had … */
        if (other > i)
            mrn_event_enter(e, other); /* … which was in the calendar with the other one */
    }
    b->partner = MRN_MEETS_NOTHING;
    set_meets(e, i, INFINITY);
}

void mrn_event_part_both(mrn_event *e, int32_t i, int32_t k)
{
    e->grain[i].flyer.partner = e->grain[k].flyer.partner = MRN_MEETS_NOTHING;
    set_meets(e, i, INFINITY);
    set_meets(e, k, INFINITY);
}

static void agree(mrn_event *e, int32_t i, best found)
{
    mrn_event_part(e, i);
    if (found.partner >= 0) {
        mrn_event_part(e, found.partner);
        e->grain[found.partner].flyer.partner = i;
        set_meets(e, found.partner, found.time);
        mrn_event_enter(e, found.partner);
    }
    e->grain[i].flyer.partner = found.partner;
    set_meets(e, i, found.time);
    mrn_event_enter(e, i);
}

/* Surfaces are looked at up to the next crossing alone. */
static void look_at_surfaces(mrn_event *e, int32_t i, best *found)
{
    if (e->n_surfaces == 0 || e->grain[i].flyer.inverse_mass == 0)
        return;
    uint64_t near = e->grid.near[e->grain[i].flyer.cell];
    if (near == 0)
        return;
    mrn_event_predict_crossing(e, i);
    try_surfaces(e, i, near, found);
}

/* What looking exactly at the one that comes first in a crowd will read. */
FETCHES fetch_first(const mrn_event *e, const mrn_crowd *c)
{
    int32_t who = c->who[c->first & MRN_GLANCE_WHICH];
    __builtin_prefetch(&e->grain[who].flight, 1);
    __builtin_prefetch(&e->grain[who].flyer, 1);
}

/* The one whose collision will be lost to this one. */
FETCHES fetch_loser(const mrn_event *e, best found)
{
    int32_t other = found.partner >= 0 ? e->grain[found.partner].flyer.partner : -1;
    if (other >= 0) {
        __builtin_prefetch(&e->grain[other].flyer, 1);
        __builtin_prefetch(&e->grain[other].flight, 1);
    }
}

static best look(mrn_event *e, int32_t i, bool lists, mrn_crowd *near)
{
    best found = {INFINITY, MRN_MEETS_NOTHING};
    look_at_surfaces(e, i, &found);
    decide(e, i, -1, lists, near, &found);
    return found;
}

void mrn_event_predict(mrn_event *e, int32_t i)
{
    mrn_crowd near;
    mrn_event_part(e, i);
    bool lists = gather(e, i, -1, &near);
    if (!lists)
        fetch_first(e, &near);
    mrn_event_predict_crossing(e, i);
    best found = look(e, i, lists, &near);
    agree(e, i, found);
}

/* One after the other. But both glance before the first looks, and the first tells nobody except
   its partner, and that no more than the time, before the second has looked too: meanwhile memory
   brings what looking and agreeing read. A glance made too early allows too many, never too few:
   times of others have only become earlier since. */
void mrn_event_predict_both(mrn_event *e, int32_t i, int32_t k)
{
    mrn_crowd near[2];
    bool lists[2];
    lists[0] = gather(e, i, -1, &near[0]);
    if (!lists[0])
        fetch_first(e, &near[0]);
    lists[1] = gather(e, k, -1, &near[1]);
    if (!lists[1])
        fetch_first(e, &near[1]);
    mrn_calendar_set(&e->calendar, i, INFINITY); /* what they were to do is over */
    mrn_calendar_set(&e->calendar, k, INFINITY);
    mrn_event_predict_crossing(e, i);
    mrn_event_predict_crossing(e, k);
    best a = look(e, i, lists[0], &near[0]);
    if (a.partner == k) {
        agree(e, i, a);
        mrn_event_predict(e, k);
        return;
    }
    fetch_loser(e, a);
    e->grain[i].flyer.partner = a.partner;
    set_meets(e, i, a.time);
    if (a.partner >= 0) {
        set_meets(e, a.partner, a.time);
        e->promised = a.partner;
        e->promiser = i;
    }
    best b = look(e, k, lists[1], &near[1]);
    fetch_loser(e, b);
    e->promised = -1;
    e->grain[i].flyer.partner = MRN_MEETS_NOTHING; /* for agree, which tells the partner */
    agree(e, i, a);
    agree(e, k, b);
}

void mrn_event_predict_new(mrn_event *e, int32_t i, int side)
{
    best found = {e->grain[i].flight.meets, e->grain[i].flyer.partner}, before = found;
    mrn_crowd near;
    side = new_behind(&e->grid, side);
    bool lists = gather(e, i, side, &near);
    if (!lists && may_be_met(e, near.first, found.time))
        fetch_first(e, &near);
    look_at_surfaces(e, i, &found);
    mrn_event_predict_crossing(e, i);
    decide(e, i, side, lists, &near, &found);
    bool same = found.partner == before.partner && found.time == before.time;
    if (same)
        mrn_event_enter(e, i);
    else
        agree(e, i, found);
}
