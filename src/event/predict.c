/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When two flights meet, and who a body meets next. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "event/event.h"
#include "event/root.h"

/* Candidates, by their places in memory. */
enum { CROWD = 96, FOUR = 4 }; /* CROWD: no less than 27 cells have slots */
typedef struct crowd {
    int n;
    bool shifted;               /* some are images                  */
    int32_t who[CROWD + 8];     /* a cell is copied with all of its slots and their number      */
    double shift[3][CROWD + 4]; /* to the image                                                */
    double meets[CROWD + 4];    /* s; INFINITY: it does not, or not before it collides with somebody
                                   else                                                         */
} crowd;

/* Four of them side by side: the time at which each is met is a loop without branches. */
typedef struct four {
    double x[3][FOUR], v[3][FOUR], t[FOUR], r[FOUR];
    double its[FOUR]; /* s: when each collides with somebody else                     */
} four;

/* Two bodies with the same acceleration: their distance is that of straight flights. Which of the
   two asks changes no bit, nor do `falls` where there is no gravity and `shifted` where the shift
   is 0. */
static inline double meet(const mrn_flight *a, double r, const four *b, int k, const double *shift,
                          bool shifted, bool falls, mrn_vec3 g)
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
        d0 += shift[k], d1 += shift[CROWD + 4 + k], d2 += shift[2 * (CROWD + 4) + k];
    double dw = d0 * w0 + d1 * w1 + d2 * w2, ww = w0 * w0 + w1 * w1 + w2 * w2;
    double sum = r + b->r[k], c = d0 * d0 + d1 * d1 + d2 * d2 - sum * sum;
    double root = dw * dw - ww * c;
    double s = (c > 0 ? c : 0) / (sqrt(root > 0 ? root : 0) - dw);
    t += s;
    return ((dw < 0) & (root >= 0) & (t <= b->its[k])) ? t : INFINITY;
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

static int32_t partner_of(const mrn_event *e, int32_t i)
{
    return i == e->promised ? e->promiser : e->flyer[i].partner;
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

static inline void load(const mrn_event *e, const int32_t *who, four *f)
{
    const double *a = e->flight[who[0]].x, *b = e->flight[who[1]].x;
    const double *c = e->flight[who[2]].x, *d = e->flight[who[3]].x;
    double *const first[4] = {f->x[0], f->x[1], f->x[2], f->v[0]};
    double *const second[4] = {f->v[1], f->v[2], f->t, f->its};
    transpose(a, b, c, d, first);
    transpose(a + 4, b + 4, c + 4, d + 4, second);
}
#else
static inline void load(const mrn_event *e, const int32_t *who, four *f)
{
    for (int k = 0; k < FOUR; k++) {
        const mrn_flight *g = &e->flight[who[k]];
        for (int d = 0; d < 3; d++)
            f->x[d][k] = g->x[d], f->v[d][k] = g->v[d];
        f->t[k] = g->t, f->its[k] = g->meets;
    }
}
#endif

static inline void load_radii(const mrn_event *e, const int32_t *who, bool equal, four *f)
{
    for (int k = 0; k < FOUR; k++)
        f->r[k] = equal ? e->largest : e->radius[who[k]];
}

static inline __attribute__((always_inline)) void
meet_some(const mrn_event *e, const mrn_flight *a, crowd *c, bool equal, bool shifted, bool falls)
{
    mrn_vec3 g = e->g;
    double r = e->flyer[a - e->flight].radius;
    for (int k = 0; k < c->n; k += FOUR) {
        four f;
        load(e, c->who + k, &f);
        load_radii(e, c->who + k, equal, &f);
#pragma omp simd
        for (int m = 0; m < FOUR; m++)
            c->meets[k + m] = meet(a, r, &f, m, c->shift[0] + k, shifted, falls, g);
    }
}

static void no_shift(crowd *c)
{
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < c->n; k++)
            c->shift[d][k] = 0;
    c->shifted = true;
}

/* By fours; what is left of the last four is the body itself, which meets nobody. */
static void meet_all(const mrn_event *e, int32_t i, crowd *c)
{
    const mrn_flight *a = &e->flight[i];
    bool equal = !(e->largest > e->smallest);
    for (int k = 0; k < FOUR; k++)
        c->who[c->n + k] = i;
    if (!c->shifted && (e->falls || e->holds_any || e->ignores))
        no_shift(c);
    if (e->falls)
        meet_some(e, a, c, false, true, true);
    else if (c->shifted)
        meet_some(e, a, c, false, true, false);
    else if (equal)
        meet_some(e, a, c, true, false, false);
    else
        meet_some(e, a, c, false, false, false);
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
    meet_all(e, i, c);
    if (e->holds_any || e->ignores)
        meet_specially(e, i, c, found->time);
    for (;;) {
        double t;
        int k = earliest(e, c, &t);
        if (t == INFINITY || !(t <= found->time))
            break;
        int32_t who = c->who[k];
        double its = e->flight[who].meets;
        bool free = t < its || (t == its && goes_first(e, i, partner_of(e, who)));
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
    if (!(e->grid.cell[cell].held & (MRN_EVENT_MORE - MRN_EVENT_SLOTS)))
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

/* Cells about that of a body: all 27, or those 9 that are new behind a face. */
static inline int block_from(int d, int side)
{
    return side == 2 * d + 1 ? 1 : -1;
}
static inline int block_to(int d, int side)
{
    return side == 2 * d ? -1 : 1;
}

/* A cell is copied whole, and what it holds counts: no branch that could be guessed wrongly. */
static inline int add_cell(const mrn_event_cell *cell, int32_t *who, int n)
{
    memcpy(who + n, cell, sizeof *cell);
    return n + (cell->held & MRN_EVENT_SLOTS);
}

static inline int add_row(const mrn_event_cell *c, int32_t *who, int n, int *all)
{
    *all |= c[0].held | c[1].held | c[2].held;
    n = add_cell(c, who, n);
    n = add_cell(c + 1, who, n);
    return add_cell(c + 2, who, n);
}

/* All about a cell away from borders; *lists: some of its cells have lists. */
static inline int add_all(const mrn_event_grid *g, int32_t cell, int32_t *who, bool *lists)
{
    int n = 0, all = 0;
    int64_t row = g->n[0], plane = row * g->n[1];
    const mrn_event_cell *c = g->cell + cell - 1 - row - plane;
    for (int z = 0; z < 3; z++, c += plane) {
        n = add_row(c, who, n, &all);
        n = add_row(c + row, who, n, &all);
        n = add_row(c + 2 * row, who, n, &all);
    }
    *lists = all & (MRN_EVENT_MORE - MRN_EVENT_SLOTS);
    return n;
}

/* From a cell to the next along direction d. */
static inline int32_t stride_of(const mrn_event_grid *g, int d)
{
    return d == 0 ? 1 : d == 1 ? g->n[0] : g->n[0] * g->n[1];
}

/* What is new behind face `side`. */
static inline int add_side(const mrn_event_grid *g, int32_t cell, int side, int32_t *who,
                           bool *lists)
{
    int32_t ahead = stride_of(g, side >> 1), u = stride_of(g, side < 2),
            v = stride_of(g, side < 4 ? 2 : 1);
    const mrn_event_cell *c = g->cell + cell + (side & 1 ? ahead : -ahead) - u - v;
    int n = 0, all = 0;
    for (int y = 0; y < 3; y++, c += v)
        for (int x = 0; x < 3; x++) {
            n = add_cell(c + x * u, who, n);
            all |= c[x * u].held;
        }
    *lists = all & (MRN_EVENT_MORE - MRN_EVENT_SLOTS);
    return n;
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
    border w = {line_about(g, 0, at[0], block_from(0, side), block_to(0, side)),
                line_about(g, 1, at[1], block_from(1, side), block_to(1, side)),
                line_about(g, 2, at[2], block_from(2, side), block_to(2, side)), 0};
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
static bool add_border(const mrn_event_grid *g, int32_t about, int side, crowd *c)
{
    border w = border_of(g, about, side);
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
    return all & (MRN_EVENT_MORE - MRN_EVENT_SLOTS);
}

/* Those that cells have no slots for. */
static void add_lists(const mrn_event *e, int32_t i, int side, crowd *c, best *found)
{
    border w = border_of(&e->grid, e->flyer[i].cell, side);
    for (int k = 0; k < w.n; k++) {
        double shift[3];
        int32_t cell = cell_of(&e->grid, &w, k, shift);
        add_list(e, i, cell, shift, c, found);
    }
}

static void try_cells(const mrn_event *e, int32_t i, int side, best *found)
{
    const mrn_event_grid *g = &e->grid;
    int32_t cell = e->flyer[i].cell;
    crowd near;
    bool lists;
    near.n = 0;
    near.shifted = (g->cell[cell].held & MRN_EVENT_BORDER) != 0;
    if (near.shifted)
        lists = add_border(g, cell, side, &near);
    else if (side < 0)
        near.n = add_all(g, cell, near.who, &lists);
    else
        near.n = add_side(g, cell, side, near.who, &lists);
    if (lists) {
        if (!near.shifted)
            no_shift(&near);
        add_lists(e, i, side, &near, found);
    }
    choose(e, i, &near, found);
}

/* ---- ahead of time ---- */

/* In a large gas every event is far from the last in memory, and waiting for it would be most of
   its cost. What an event will read is known days before from the calendar: bodies are asked for
   three days ahead, the cells about them two, those who are in there on the eve. Nothing depends on
   it but speed. */
/* gcc takes a function that does nothing but fetch for one without effect, and leaves its calls out
   unless they are inlined. */
#define FETCHES static inline __attribute__((always_inline)) void

FETCHES fetch_cells(const mrn_event *e, int32_t i)
{
    int64_t row = e->grid.n[0], plane = row * e->grid.n[1];
    const mrn_event_cell *c = e->grid.cell + e->flyer[i].cell;
    for (int z = -1; z <= 1; z++) /* at a border some of it is elsewhere */
        for (int y = -1; y <= 1; y++) {
            __builtin_prefetch(c + z * plane + y * row - 1, 0, 2);
            __builtin_prefetch(c + z * plane + y * row + 1, 0, 2);
        }
}

FETCHES fetch_dwellers(const mrn_event *e, int32_t i)
{
    const mrn_event_grid *g = &e->grid;
    const mrn_flyer *b = &e->flyer[i];
    int32_t who[CROWD + 8], cell = b->cell;
    bool lists, crosses = b->crosses <= e->flight[i].meets;
    if (g->cell[cell].held & MRN_EVENT_BORDER)
        return;
    if (crosses) /* into the next cell: what is new is one further */
        cell += (b->side & 1 ? 1 : -1) * stride_of(g, b->side >> 1);
    if (g->cell[cell].held & MRN_EVENT_BORDER)
        return;
    int n = crosses ? add_side(g, cell, b->side, who, &lists) : add_all(g, cell, who, &lists);
    for (int k = 0; k < n; k++)
        __builtin_prefetch(&e->flight[who[k]]);
}

void mrn_event_fetch(const mrn_event *e)
{
    const mrn_calendar_day *d = mrn_calendar_ahead(&e->calendar, 5);
    for (int k = 0; k < d->n; k++)
        __builtin_prefetch(&e->flyer[d->item[k]]);
    d = mrn_calendar_ahead(&e->calendar, 3);
    for (int k = 0; k < d->n; k++) {
        __builtin_prefetch(&e->flight[d->item[k]]);
        if (e->spins)
            __builtin_prefetch(&e->turn[d->item[k]]);
        fetch_cells(e, d->item[k]);
    }
    d = mrn_calendar_ahead(&e->calendar, 1);
    for (int k = 0; k < d->n; k++)
        fetch_dwellers(e, d->item[k]);
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

/* What agreeing on a collision will read, asked for as soon as it is known. */
FETCHES fetch_agreement(const mrn_event *e, best found)
{
    if (found.partner >= 0)
        __builtin_prefetch(&e->flyer[found.partner], 1);
    mrn_calendar_fetch(&e->calendar, found.time);
}

FETCHES fetch_entry(const mrn_event *e, best found)
{
    if (found.partner >= 0)
        mrn_calendar_fetch_old(&e->calendar, found.partner);
}

/* Surfaces are looked at up to the next crossing alone. */
static void look_at_surfaces(mrn_event *e, int32_t i, best *found)
{
    if (e->n_surfaces == 0 || e->flyer[i].inverse_mass == 0)
        return;
    uint64_t near = e->grid.near[e->flyer[i].cell];
    if (near == 0)
        return;
    mrn_event_predict_crossing(e, i);
    try_surfaces(e, i, near, found);
}

static best look(mrn_event *e, int32_t i)
{
    best found = {INFINITY, MRN_MEETS_NOTHING};
    mrn_event_part(e, i);
    look_at_surfaces(e, i, &found);
    try_cells(e, i, -1, &found);
    fetch_agreement(e, found);
    return found;
}

void mrn_event_predict(mrn_event *e, int32_t i)
{
    best found = look(e, i);
    mrn_event_predict_crossing(e, i);
    fetch_entry(e, found);
    agree(e, i, found);
}

/* One after the other. But the first tells nobody except its partner, and that no more than the
   time, before the second has looked too: meanwhile memory brings what agreeing reads. */
void mrn_event_predict_both(mrn_event *e, int32_t i, int32_t k)
{
    best a = look(e, i);
    if (a.partner == k) {
        mrn_event_predict_crossing(e, i);
        agree(e, i, a);
        mrn_event_predict(e, k);
        return;
    }
    e->flyer[i].partner = a.partner;
    e->flight[i].meets = a.time;
    if (a.partner >= 0) {
        e->flight[a.partner].meets = a.time;
        e->promised = a.partner;
        e->promiser = i;
    }
    best b = look(e, k);
    e->promised = -1;
    e->flyer[i].partner = MRN_MEETS_NOTHING; /* for agree, which tells the partner */
    mrn_event_predict_crossing(e, i);
    mrn_event_predict_crossing(e, k);
    fetch_entry(e, a);
    fetch_entry(e, b);
    agree(e, i, a);
    agree(e, k, b);
}

void mrn_event_predict_new(mrn_event *e, int32_t i, int side)
{
    best found = {e->flight[i].meets, e->flyer[i].partner}, before = found;
    look_at_surfaces(e, i, &found);
    try_cells(e, i, side, &found);
    bool same = found.partner == before.partner && found.time == before.time;
    if (!same)
        fetch_agreement(e, found);
    mrn_event_predict_crossing(e, i);
    if (same)
        mrn_event_enter(e, i);
    else
        agree(e, i, found);
}
