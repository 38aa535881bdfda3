/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When two flights meet, and who a body meets next. */
#include <math.h>

#include "base/dispatch.h"
#include "event/event.h"
#include "event/root.h"

/* Candidates side by side: the time at which each is met is a loop without branches. */
enum { CROWD = 64 };
typedef struct crowd {
    int n;
    int32_t who[CROWD];
    double x[3][CROWD], v[3][CROWD], shift[3][CROWD]; /* shift: from the body to its image */
    double t[CROWD], r[CROWD];
    double meets[CROWD]; /* s; INFINITY: it does not */
} crowd;

/* Two bodies with the same acceleration: their distance is that of straight flights. Which of the
   two asks changes no bit, nor does `falls` where there is no gravity. */
static inline void meet(const mrn_flight *a, crowd *b, int k, bool falls, mrn_vec3 g)
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
    d0 += b->shift[0][k], d1 += b->shift[1][k], d2 += b->shift[2][k];
    double dw = d0 * w0 + d1 * w1 + d2 * w2, ww = w0 * w0 + w1 * w1 + w2 * w2;
    double sum = a->r + b->r[k], c = d0 * d0 + d1 * d1 + d2 * d2 - sum * sum;
    double root = dw * dw - ww * c;
    double s = (c > 0 ? c : 0) / (sqrt(root > 0 ? root : 0) - dw);
    b->meets[k] = ((dw < 0) & (root >= 0)) ? t + s : INFINITY;
}

MRN_DISPATCHED static void meet_all(const mrn_flight *a, crowd *b)
{
    int n = b->n;
    mrn_vec3 none = {0, 0, 0};
#pragma omp simd
    for (int k = 0; k < n; k++)
        meet(a, b, k, false, none);
}

MRN_DISPATCHED static void meet_all_falling(const mrn_flight *a, crowd *b, mrn_vec3 g)
{
    int n = b->n;
#pragma omp simd
    for (int k = 0; k < n; k++)
        meet(a, b, k, true, g);
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
              mrn_sub(mrn_event_pull(e, k), mrn_event_pull(e, i)), a->r + b->r};
    /* the distance of a point in free flight from a fixed one bends inwards no faster than it falls
     */
    double s = mrn_event_root(fall_gap, &f, 0, until - t, mrn_norm(f.g),
                              mrn_event_rounding(a) + mrn_event_rounding(b));
    return t + s;
}

/* ---- candidates ---- */

typedef struct best {
    double time;
    int32_t partner;
} best;

static bool acts(const mrn_event *e, int32_t i, int32_t k)
{
    return e->scene->pair_of[e->material[i] * e->scene->n_materials + e->material[k]] >= 0;
}

/* Of two collisions of one body at one time that with a wall counts, else the one with the lower
   number. */
static bool goes_first(const mrn_event *e, int32_t k, int32_t other)
{
    return other == MRN_MEETS_UNKNOWN || other == MRN_MEETS_NOTHING ||
           (other >= 0 && e->id[k] < e->id[other]);
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

/* The earliest of the crowd, unless it collides with somebody else before. */
static void choose(const mrn_event *e, int32_t i, crowd *c, best *found)
{
    if (e->falls)
        meet_all_falling(&e->flight[i], c, e->g);
    else
        meet_all(&e->flight[i], c);
    if (e->holds_any || e->ignores)
        meet_specially(e, i, c, found->time);
    for (int k = 0; k < c->n; k++) {
        double t = c->meets[k];
        if (!(t <= found->time) || t == INFINITY || c->who[k] == i)
            continue;
        const mrn_flyer *b = &e->flyer[c->who[k]];
        if (t < b->meets || (t == b->meets && goes_first(e, i, b->partner)))
            if (t < found->time || goes_first(e, c->who[k], found->partner))
                *found = (best){t, c->who[k]};
    }
    c->n = 0;
}

static inline void add_cell(const mrn_event *e, int32_t i, int32_t cell, const double shift[3],
                            crowd *c, best *found)
{
    for (int32_t k = e->grid.first[cell]; k >= 0; k = e->next[k]) {
        const mrn_flight *f = &e->flight[k];
        int at = c->n++;
        c->who[at] = k;
        for (int d = 0; d < 3; d++) {
            c->x[d][at] = f->x[d];
            c->v[d][at] = f->v[d];
            c->shift[d][at] = shift[d];
        }
        c->t[at] = f->t;
        c->r[at] = f->r;
        if (c->n == CROWD)
            choose(e, i, c, found);
    }
}

/* The cells along one direction about that of a body, and the way to their images. */
typedef struct line {
    int32_t at[3];
    double shift[3];
    int n;
} line;

static line line_about(const mrn_event_grid *g, int d, int32_t c, int from, int to)
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

/* Bodies of the next cells are asked for from memory while those of this one are looked at: in a
   large gas every collision is far from the last, and waiting is most of its cost. */
static inline void fetch(const mrn_event *e, int32_t row, const line *x)
{
    for (int c0 = 0; c0 < x->n; c0++) {
        int32_t k = e->grid.first[row + x->at[c0]];
        if (k >= 0) {
            __builtin_prefetch(&e->flight[k]);
            __builtin_prefetch(&e->next[k]);
        }
    }
}

static void try_cells(const mrn_event *e, int32_t i, const int from[3], const int to[3],
                      best *found)
{
    const mrn_event_grid *g = &e->grid;
    int32_t c = e->flyer[i].cell, cx = c % g->n[0], rest = c / g->n[0];
    int32_t cy = rest % g->n[1], cz = rest / g->n[1];
    line x = line_about(g, 0, cx, from[0], to[0]), y = line_about(g, 1, cy, from[1], to[1]);
    line z = line_about(g, 2, cz, from[2], to[2]);
    crowd near;
    near.n = 0;
    for (int c2 = 0; c2 < z.n; c2++)
        for (int c1 = 0; c1 < y.n; c1++)
            fetch(e, (z.at[c2] * g->n[1] + y.at[c1]) * g->n[0], &x);
    for (int c2 = 0; c2 < z.n; c2++)
        for (int c1 = 0; c1 < y.n; c1++) {
            int32_t row = (z.at[c2] * g->n[1] + y.at[c1]) * g->n[0];
            for (int c0 = 0; c0 < x.n; c0++) {
                double shift[3] = {x.shift[c0], y.shift[c1], z.shift[c2]};
                add_cell(e, i, row + x.at[c0], shift, &near, found);
            }
        }
    choose(e, i, &near, found);
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
    const mrn_flyer *b = &e->flyer[i];
    mrn_calendar_set(&e->calendar, i, b->meets < b->crosses ? b->meets : b->crosses);
}

void mrn_event_part(mrn_event *e, int32_t i)
{
    mrn_flyer *b = &e->flyer[i];
    if (b->partner >= 0)
        e->flyer[b->partner].partner = MRN_MEETS_UNKNOWN; /* looks again at the time it had */
    b->partner = MRN_MEETS_NOTHING;
    b->meets = INFINITY;
}

static void agree(mrn_event *e, int32_t i, best found)
{
    mrn_event_part(e, i);
    if (found.partner >= 0) {
        mrn_event_part(e, found.partner);
        e->flyer[found.partner].partner = i;
        e->flyer[found.partner].meets = found.time;
        mrn_event_enter(e, found.partner);
    }
    e->flyer[i].partner = found.partner;
    e->flyer[i].meets = found.time;
    mrn_event_enter(e, i);
}

void mrn_event_predict(mrn_event *e, int32_t i)
{
    static const int from[3] = {-1, -1, -1}, to[3] = {1, 1, 1};
    best found = {INFINITY, MRN_MEETS_NOTHING};
    mrn_event_part(e, i);
    if (e->n_surfaces > 0 && e->flyer[i].inverse_mass > 0)
        try_surfaces(e, i, e->grid.near[e->flyer[i].cell], &found);
    try_cells(e, i, from, to, &found);
    agree(e, i, found);
}

void mrn_event_predict_new(mrn_event *e, int32_t i, int side, uint64_t new_surfaces)
{
    int from[3] = {-1, -1, -1}, to[3] = {1, 1, 1};
    best found = {e->flyer[i].meets, e->flyer[i].partner}, before = found;
    from[side / 2] = to[side / 2] = side % 2 == 0 ? -1 : 1;
    if (new_surfaces != 0 && e->flyer[i].inverse_mass > 0)
        try_surfaces(e, i, new_surfaces, &found);
    try_cells(e, i, from, to, &found);
    if (found.partner == before.partner && found.time == before.time)
        mrn_event_enter(e, i);
    else
        agree(e, i, found);
}
