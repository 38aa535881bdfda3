/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When two flights meet, and who a body meets next. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/dispatch.h"
#include "event/event.h"
#include "event/root.h"

/* Candidates side by side: the time at which each is met is a loop without branches. */
enum { CROWD = 96 }; /* no less than 27 cells have slots */
typedef struct crowd {
    int n;
    bool shifted;           /* some are images                  */
    int32_t who[CROWD + 8]; /* a cell is copied with all of its slots and their number      */
    double x[3][CROWD + 4], v[3][CROWD + 4], shift[3][CROWD + 4]; /* shift: to the image     */
    double t[CROWD + 4], r[CROWD + 4];
    double its[CROWD + 4]; /* s: when each collides with somebody else                     */
    double meets[CROWD];   /* s; INFINITY: it does not, or not before that                 */
} crowd;

/* Two bodies with the same acceleration: their distance is that of straight flights. Which of the
   two asks changes no bit, nor do `falls` where there is no gravity and `shifted` where the shift
   is 0. */
static inline void meet(const mrn_flight *a, double r, crowd *b, int k, bool shifted, bool falls,
                        mrn_vec3 g)
{
    double t = a->t > b->t[k] ? a->t : b->t[k], sa = t - a->t, sb = t - b->t[k];
    double w0 = b->v[0][k] - a->v[0], w1 = b->v[1][k] - a->v[1], w2 = b->v[2][k] - a->v[2];
    double d0 = (b->x[0][k] + sb * b->v[0][k]) - (a->x[0] + sa * a->v[0]);
    double d1 = (b->x[1][k] + sb * b->v[1][k]) - (a->x[1] + sa * a->v[1]);
    double d2 = (b->x[2][k] + sb * b->v[2][k]) - (a->x[2] + sa * a->v[2]);
    if (falls) { /* one of the two has begun its flight, and fallen, before the other */
        double more = sb - sa, way = 0.5 * (sb * sb - sa * sa);
        w0 += more * g.x, w1 += more * g.y, w2 += more * g.z;
        d0 += way * g.x, d1 += way * g.y, d2 += way * g.z;
    }
    if (shifted)
        d0 += b->shift[0][k], d1 += b->shift[1][k], d2 += b->shift[2][k];
    double dw = d0 * w0 + d1 * w1 + d2 * w2, ww = w0 * w0 + w1 * w1 + w2 * w2;
    double sum = r + b->r[k], c = d0 * d0 + d1 * d1 + d2 * d2 - sum * sum;
    double root = dw * dw - ww * c;
    double s = (c > 0 ? c : 0) / (sqrt(root > 0 ? root : 0) - dw);
    t += s;
    b->meets[k] = ((dw < 0) & (root >= 0) & (t <= b->its[k])) ? t : INFINITY;
}

MRN_DISPATCHED static void meet_inside(const mrn_flight *a, double r, crowd *b)
{
    int n = b->n;
    mrn_vec3 none = {0, 0, 0};
#pragma omp simd
    for (int k = 0; k < n; k++)
        meet(a, r, b, k, false, false, none);
}

MRN_DISPATCHED static void meet_images(const mrn_flight *a, double r, crowd *b)
{
    int n = b->n;
    mrn_vec3 none = {0, 0, 0};
#pragma omp simd
    for (int k = 0; k < n; k++)
        meet(a, r, b, k, true, false, none);
}

MRN_DISPATCHED static void meet_falling(const mrn_flight *a, double r, crowd *b, mrn_vec3 g)
{
    int n = b->n;
#pragma omp simd
    for (int k = 0; k < n; k++)
        meet(a, r, b, k, true, true, g);
}

static void no_shift(crowd *c)
{
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < c->n; k++)
            c->shift[d][k] = 0;
    c->shifted = true;
}

static void meet_all(const mrn_event *e, int32_t i, crowd *c)
{
    double r = e->flyer[i].radius;
    if (!c->shifted && (e->falls || e->holds_any || e->ignores))
        no_shift(c);
    if (e->falls)
        meet_falling(&e->flight[i], r, c, e->g);
    else if (c->shifted)
        meet_images(&e->flight[i], r, c);
    else
        meet_inside(&e->flight[i], r, c);
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
    const mrn_flight *a = &e->flight[i], *b = &e->flight[k];
    double t = a->t > b->t ? a->t : b->t;
    mrn_vec3 x = mrn_add(mrn_event_position(e, k, t), mrn_load3(shift));
    fall f = {mrn_sub(x, mrn_event_position(e, i, t)),
              mrn_sub(mrn_event_velocity(e, k, t), mrn_event_velocity(e, i, t)),
              mrn_sub(mrn_event_pull(e, k), mrn_event_pull(e, i)),
              e->flyer[i].radius + e->flyer[k].radius};
    /* the distance of a point in free flight from a fixed one bends inwards no faster than it falls
     */
    double s = mrn_event_root(fall_gap, &f, 0, until - t, mrn_norm(f.g),
                              mrn_event_rounding(e, i) + mrn_event_rounding(e, k));
    return t + s;
}

/* ---- candidates ---- */

typedef struct best {
    double time;
    int32_t partner;
} best;

static bool acts(const mrn_event *e, int32_t i, int32_t k)
{
    return e->scene->pair_of[e->flyer[i].material * e->scene->n_materials + e->flyer[k].material] >=
           0;
}

/* Of two collisions of one body at one time that with a wall counts, else the one with the lower
   number. */
static bool goes_first(const mrn_event *e, int32_t k, int32_t other)
{
    return other == MRN_MEETS_UNKNOWN || other == MRN_MEETS_NOTHING ||
           (other >= 0 && e->flyer[k].id < e->flyer[other].id);
}

/* Held bodies, and materials that do not act on each other. */
static void meet_specially(const mrn_event *e, int32_t i, crowd *c, double until)
{
    bool held = e->flyer[i].inverse_mass == 0;
    for (int k = 0; k < c->n; k++) {
        int32_t other = c->who[k];
        bool too = e->flyer[other].inverse_mass == 0;
        double shift[3] = {c->shift[0][k], c->shift[1][k], c->shift[2][k]};
        if ((held && too) || (e->ignores && !acts(e, i, other)))
            c->meets[k] = INFINITY;
        else if (held != too && e->falls)
            c->meets[k] = meet_held(e, i, other, shift, until);
    }
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define TRANSPOSES
#endif
#endif

#ifdef TRANSPOSES
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

/* Four numbers of each of four bodies become four of each kind. */
static inline void transpose(const double *a, const double *b, const double *c, const double *d,
                             double *const to[4])
{
    quad ra = *(const quad *)a, rb = *(const quad *)b, rc = *(const quad *)c, rd = *(const quad *)d;
    quad p = __builtin_shufflevector(ra, rb, 0, 4, 2, 6);
    quad q = __builtin_shufflevector(ra, rb, 1, 5, 3, 7);
    quad r = __builtin_shufflevector(rc, rd, 0, 4, 2, 6);
    quad s = __builtin_shufflevector(rc, rd, 1, 5, 3, 7);
    *(quad *)to[0] = __builtin_shufflevector(p, r, 0, 1, 4, 5);
    *(quad *)to[1] = __builtin_shufflevector(q, s, 0, 1, 4, 5);
    *(quad *)to[2] = __builtin_shufflevector(p, r, 2, 3, 6, 7);
    *(quad *)to[3] = __builtin_shufflevector(q, s, 2, 3, 6, 7);
}
_Static_assert(offsetof(mrn_flight, v) == 24 && offsetof(mrn_flight, t) == 48 &&
                   offsetof(mrn_flight, meets) == 56,
               "transpose");

/* Flights of the crowd side by side, by fours; what is left of the last four is the body itself. */
static void load(const mrn_event *e, int32_t i, crowd *c)
{
    for (int k = 0; k < 4; k++)
        c->who[c->n + k] = i;
    for (int k = 0; k < c->n; k += 4) {
        const double *a = e->flight[c->who[k]].x, *b = e->flight[c->who[k + 1]].x;
        const double *f = e->flight[c->who[k + 2]].x, *g = e->flight[c->who[k + 3]].x;
        double *first[4] = {&c->x[0][k], &c->x[1][k], &c->x[2][k], &c->v[0][k]};
        double *second[4] = {&c->v[1][k], &c->v[2][k], &c->t[k], &c->its[k]};
        transpose(a, b, f, g, first);
        transpose(a + 4, b + 4, f + 4, g + 4, second);
    }
}
#else
static void load(const mrn_event *e, int32_t i, crowd *c)
{
    (void)i;
    for (int k = 0; k < c->n; k++) {
        const mrn_flight *f = &e->flight[c->who[k]];
        for (int d = 0; d < 3; d++)
            c->x[d][k] = f->x[d], c->v[d][k] = f->v[d];
        c->t[k] = f->t, c->its[k] = f->meets;
    }
}
#endif

static void load_radii(const mrn_event *e, crowd *c)
{
    if (e->largest > e->smallest)
        for (int k = 0; k < c->n; k++)
            c->r[k] = e->radius[c->who[k]];
    else
        for (int k = 0; k < c->n; k++)
            c->r[k] = e->largest;
}

/* Of those that are met at one time the one with the lowest number. */
static int lowest(const mrn_event *e, const crowd *c, double when)
{
    int at = -1;
    for (int k = 0; k < c->n; k++)
        if (c->meets[k] == when && (at < 0 || e->flyer[c->who[k]].id < e->flyer[c->who[at]].id))
            at = k;
    return at;
}

/* The one that is met first; of several at one time that with the lowest number. Without branches
   that could be guessed wrongly: four chains of minima, then who it was. */
static int earliest(const mrn_event *e, const crowd *c, double *when)
{
    double least[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    int n = c->n, k = 0;
    for (; k + 3 < n; k += 4)
        for (int m = 0; m < 4; m++)
            least[m] = c->meets[k + m] < least[m] ? c->meets[k + m] : least[m];
    for (; k < n; k++)
        least[0] = c->meets[k] < least[0] ? c->meets[k] : least[0];
    double a = least[0] < least[1] ? least[0] : least[1];
    double b = least[2] < least[3] ? least[2] : least[3], first = a < b ? a : b;
    int64_t same = 0, at = 0;
    for (k = 0; k < n; k++) {
        int64_t is = -(int64_t)(c->meets[k] == first);
        same -= is;
        at += k & is;
    }
    *when = first;
    return same == 1 || !(first < INFINITY) ? (int)at : lowest(e, c, first);
}

/* The earliest of the crowd, unless it collides with somebody else before. */
static void choose(const mrn_event *e, int32_t i, crowd *c, best *found)
{
    load(e, i, c);
    load_radii(e, c);
    meet_all(e, i, c);
    if (e->holds_any || e->ignores)
        meet_specially(e, i, c, found->time);
    for (;;) {
        double t;
        int k = earliest(e, c, &t);
        if (t == INFINITY || !(t <= found->time))
            break;
        int32_t who = c->who[k];
        bool free = t < c->its[k] || (t == c->its[k] && goes_first(e, i, e->flyer[who].partner));
        if (who != i && free && (t < found->time || goes_first(e, who, found->partner))) {
            *found = (best){t, who};
            break;
        }
        c->meets[k] = INFINITY;
    }
    c->n = 0;
}

static void add_list(const mrn_event *e, int32_t i, int32_t cell, const double shift[3], crowd *c,
                     best *found)
{
    if (e->grid.cell[cell].held != MRN_EVENT_MORE)
        return;
    for (int32_t k = e->grid.more[cell]; k >= 0; k = e->next[k]) {
        if (c->n == CROWD)
            choose(e, i, c, found);
        for (int d = 0; d < 3; d++)
            c->shift[d][c->n] = shift[d];
        c->who[c->n++] = k;
    }
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

/* Cells about that of a body, from … to in each direction. */
typedef struct block {
    int32_t at[3];
    int from[3], to[3];
    bool inside; /* away from all borders: rows of cells side by side in memory        */
} block;

static inline block block_about(const mrn_event *e, int32_t i, int side)
{
    const mrn_event_grid *g = &e->grid;
    block b = {.from = {-1, -1, -1}, .to = {1, 1, 1}, .inside = true};
    mrn_event_cell_at(g, e->flyer[i].cell, b.at);
    if (side >= 0) /* what is new behind this face */
        b.from[side / 2] = b.to[side / 2] = side % 2 == 0 ? -1 : 1;
    for (int d = 0; d < 3; d++)
        b.inside &= (b.at[d] + b.from[d] >= 0) & (b.at[d] + b.to[d] < g->n[d]);
    return b;
}

/* A cell is copied whole, and what it holds counts: no branch that could be guessed wrongly. */
static inline int add_cell(const mrn_event_cell *cell, int32_t *who, int n)
{
    memcpy(who + n, cell, sizeof *cell);
    return n + (cell->held & MRN_EVENT_SLOTS);
}

/* All of a block away from borders; *lists: some of its cells have lists. */
static inline int add_block(const mrn_event_grid *g, const block *b, int32_t *who, bool *lists)
{
    int n = 0, all = 0, wide = b->to[0] - b->from[0] + 1;
    int64_t row = g->n[0], plane = row * g->n[1];
    const mrn_event_cell *corner = g->cell + (b->at[2] + b->from[2]) * plane +
                                   (b->at[1] + b->from[1]) * row + b->at[0] + b->from[0];
    for (int z = b->from[2]; z <= b->to[2]; z++, corner += plane) {
        const mrn_event_cell *c = corner;
        for (int y = b->from[1]; y <= b->to[1]; y++, c += row) {
            n = add_cell(c, who, n);
            all |= c->held;
            if (wide == 3) {
                n = add_cell(c + 1, who, n);
                n = add_cell(c + 2, who, n);
                all |= c[1].held | c[2].held;
            }
        }
    }
    *lists = all > MRN_EVENT_SLOTS;
    return n;
}

/* Cells of a block one by one, across borders where there is a period. */
typedef struct border {
    line x, y, z;
    int n;
} border;

static border border_of(const mrn_event_grid *g, const block *b)
{
    border w = {line_about(g, 0, b->at[0], b->from[0], b->to[0]),
                line_about(g, 1, b->at[1], b->from[1], b->to[1]),
                line_about(g, 2, b->at[2], b->from[2], b->to[2]), 0};
    w.n = w.x.n * w.y.n * w.z.n;
    return w;
}

static int32_t cell_of(const mrn_event_grid *g, const border *w, int k, double shift[3])
{
    int x = k % w->x.n, y = k / w->x.n % w->y.n, z = k / w->x.n / w->y.n;
    shift[0] = w->x.shift[x], shift[1] = w->y.shift[y], shift[2] = w->z.shift[z];
    return (w->z.at[z] * g->n[1] + w->y.at[y]) * g->n[0] + w->x.at[x];
}

/* The slots of all cells of a block at a border; whether some have lists. */
static bool add_border(const mrn_event_grid *g, const block *b, crowd *c)
{
    border w = border_of(g, b);
    int all = 0;
    for (int z = 0; z < w.z.n; z++)
        for (int y = 0; y < w.y.n; y++)
            for (int x = 0; x < w.x.n; x++) {
                int32_t cell = (w.z.at[z] * g->n[1] + w.y.at[y]) * g->n[0] + w.x.at[x];
                int n = add_cell(&g->cell[cell], c->who, c->n);
                for (int k = c->n; k < c->n + MRN_EVENT_SLOTS; k++) {
                    c->shift[0][k] = w.x.shift[x];
                    c->shift[1][k] = w.y.shift[y];
                    c->shift[2][k] = w.z.shift[z];
                }
                c->n = n;
                all |= g->cell[cell].held;
            }
    return all > MRN_EVENT_SLOTS;
}

/* Those that cells have no slots for. */
static void add_lists(const mrn_event *e, int32_t i, const block *b, crowd *c, best *found)
{
    border w = border_of(&e->grid, b);
    for (int k = 0; k < w.n; k++) {
        double shift[3];
        int32_t cell = cell_of(&e->grid, &w, k, shift);
        add_list(e, i, cell, shift, c, found);
    }
}

static void try_cells(const mrn_event *e, int32_t i, int side, best *found)
{
    block b = block_about(e, i, side);
    crowd near;
    bool lists;
    near.n = 0;
    near.shifted = !b.inside;
    if (b.inside)
        near.n = add_block(&e->grid, &b, near.who, &lists);
    else
        lists = add_border(&e->grid, &b, &near);
    if (lists) {
        if (b.inside)
            no_shift(&near);
        add_lists(e, i, &b, &near, found);
    }
    choose(e, i, &near, found);
}

/* ---- ahead of time ---- */

/* In a large gas every event is far from the last in memory, and waiting for it would be most of
   its cost. What an event will read is known days before from the calendar: bodies are asked for
   three days ahead, the cells about them two, those who are in there on the eve. Nothing depends on
   it but speed. */
enum { DUE = 16 }; /* of a day at most */

/* gcc takes a function that does nothing but fetch for one without effect, and leaves its calls out
   unless they are inlined. */
#define FETCHES static inline __attribute__((always_inline)) void

FETCHES fetch_cells(const mrn_event *e, int32_t i)
{
    const mrn_event_grid *g = &e->grid;
    block b = block_about(e, i, -1);
    if (!b.inside)
        return;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++) {
            const mrn_event_cell *c =
                g->cell + ((b.at[2] + z) * g->n[1] + b.at[1] + y) * g->n[0] + b.at[0];
            __builtin_prefetch(c - 1);
            __builtin_prefetch(c + 1);
        }
}

FETCHES fetch_dwellers(const mrn_event *e, int32_t i)
{
    int32_t who[CROWD + 8];
    block b = block_about(e, i, -1);
    bool lists;
    int n = b.inside ? add_block(&e->grid, &b, who, &lists) : 0;
    for (int k = 0; k < n; k++)
        __builtin_prefetch(&e->flight[who[k]]);
}

void mrn_event_fetch(const mrn_event *e)
{
    int32_t due[DUE];
    for (int more = 1; more <= 3; more++) { /* the next link of a list on each day */
        int last = mrn_calendar_ahead(&e->calendar, 7 - more, due, more);
        if (last == more)
            __builtin_prefetch(&e->flyer[due[last - 1]]);
    }
    int n = mrn_calendar_ahead(&e->calendar, 3, due, DUE);
    for (int k = 0; k < n; k++) {
        __builtin_prefetch(&e->flight[due[k]]);
        __builtin_prefetch(&e->turn[due[k]]);
        fetch_cells(e, due[k]);
    }
    n = mrn_calendar_ahead(&e->calendar, 1, due, DUE);
    for (int k = 0; k < n; k++)
        fetch_dwellers(e, due[k]);
}

static void try_surfaces(const mrn_event *e, int32_t i, uint64_t which, best *found)
{
    for (; which != 0; which &= which - 1) {
        int k = __builtin_ctzll(which);
        double until = fmin(found->time, e->flyer[i].crosses);
        double t = mrn_event_meets_surface(e, i, k, until);
        if (t < found->time)
            *found = (best){t, MRN_MEETS_SURFACE - k};
    }
}

/* ---- who meets whom ---- */

void mrn_event_enter(mrn_event *e, int32_t i)
{
    double meets = e->flight[i].meets, crosses = e->flyer[i].crosses;
    mrn_calendar_set(&e->calendar, i, meets < crosses ? meets : crosses);
}

void mrn_event_part(mrn_event *e, int32_t i)
{
    mrn_flyer *b = &e->flyer[i];
    if (b->partner >= 0)
        e->flyer[b->partner].partner = MRN_MEETS_UNKNOWN; /* looks again at the time it had */
    b->partner = MRN_MEETS_NOTHING;
    e->flight[i].meets = INFINITY;
}

static void agree(mrn_event *e, int32_t i, best found)
{
    mrn_event_part(e, i);
    if (found.partner >= 0) {
        mrn_event_part(e, found.partner);
        e->flyer[found.partner].partner = i;
        e->flight[found.partner].meets = found.time;
        mrn_event_enter(e, found.partner);
    }
    e->flyer[i].partner = found.partner;
    e->flight[i].meets = found.time;
    mrn_event_enter(e, i);
}

void mrn_event_predict(mrn_event *e, int32_t i)
{
    best found = {INFINITY, MRN_MEETS_NOTHING};
    mrn_event_part(e, i);
    if (e->n_surfaces > 0 && e->flyer[i].inverse_mass > 0)
        try_surfaces(e, i, e->grid.near[e->flyer[i].cell], &found);
    try_cells(e, i, -1, &found);
    agree(e, i, found);
}

void mrn_event_predict_new(mrn_event *e, int32_t i, int side, uint64_t new_surfaces)
{
    best found = {e->flight[i].meets, e->flyer[i].partner}, before = found;
    if (new_surfaces != 0 && e->flyer[i].inverse_mass > 0)
        try_surfaces(e, i, new_surfaces, &found);
    try_cells(e, i, side, &found);
    if (found.partner == before.partner && found.time == before.time)
        mrn_event_enter(e, i);
    else
        agree(e, i, found);
}
