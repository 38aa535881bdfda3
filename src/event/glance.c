/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Glances: bounds of meeting times in single precision.

   Let D and W be distance and relative velocity now, and S the sum of the radii. Single precision
   misplaces a body by less than FUZZ times its coordinates, which is in the radius of its glance.
   W is off by no more than 1.5e-5 of itself, for pairs whose relative velocity is below a fiftieth
   of the velocity of the one that looks are not judged (the other's is then below 51 of it). Over
   the way to a contact, no longer than |D|, that turns the direction by as much and moves the point
   of nearest approach by 1.5e-5 |D|. The square of the distance is taken shorter by WIDER = 2e-4 of
   itself: half of that outweighs the turned direction (3e-5) and the rounding of D² and of the
   discriminant (below 1e-5), the other half keeps the root of a discriminant that counts above 1e-2
   |D| |W|, so that an error of 1e-5 |D| |W| in D·W changes the time by no more than 2e-3 of itself:
   less than EARLY takes off. */
#include "event/glance.h"

#include <math.h>

#include "event/event.h"

#define FUZZ  5e-7f
#define WIDER 2e-4f
#define EARLY 0.996f
#define SLOW                                                                                       \
    4e-4f /* square of the relative velocity over that of the body, up to it none is judged */
#define APART                                                                                      \
    1e-7f /* square of the cosine between D and W above which two surely part            */

/* Events per body after which glances are made anew, about: their span follows. */
enum { FEWEST = 4, MOST = 16 };

/* Eight bodies side by side, as vectors of the compiler: it makes what the processor has. How they
   are handed over depends on that, but none leaves this file (-Wno-psabi in CMakeLists.txt). */
enum { EIGHT = 8 };
typedef float octet __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t mask __attribute__((vector_size(32), aligned(4), may_alias));
typedef struct eight {
    octet x[3], r, v[3], meets;
} eight;

void mrn_event_show(mrn_event *e, int32_t i)
{
    const mrn_glances *g = &e->glance;
    mrn_glance *to = &g->of[i];
    mrn_vec3 x = mrn_scale(g->per_length, mrn_event_position(e, i, g->from));
    mrn_vec3 v = mrn_scale(g->per_length * g->span, mrn_event_velocity(e, i, g->from));
    to->x[0] = (float)x.x, to->x[1] = (float)x.y, to->x[2] = (float)x.z;
    to->v[0] = (float)v.x, to->v[1] = (float)v.y, to->v[2] = (float)v.z;
    float size = g->scale;
    for (int d = 0; d < 3; d++)
        size += fabsf(to->x[d]) + 2 * fabsf(to->v[d]);
    to->r = (float)(e->grain[i].flyer.radius * g->per_length) + FUZZ * size;
    mrn_event_show_meets(e, i);
}

void mrn_event_show_all(mrn_event *e, double span)
{
    mrn_glances *g = &e->glance;
    g->from = e->now;
    g->span = span;
    g->per_length = 0.5 / e->largest;
    g->per_time = 1 / span;
    g->scale = (float)(e->scale * g->per_length);
    g->since = e->events;
    for (int32_t i = 0; i < e->n; i++)
        mrn_event_show(e, i);
}

void mrn_event_show_again(mrn_event *e)
{
    const mrn_glances *g = &e->glance;
    int64_t events = e->events - g->since;
    double change = events < FEWEST * (int64_t)e->n ? 2 : events > MOST * (int64_t)e->n ? 0.5 : 1;
    double span = change * g->span;
    mrn_event_show_all(e, isfinite(span) && span > 0 && isfinite(1 / span) ? span : g->span);
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define TRANSPOSES
#endif
#endif

#ifdef TRANSPOSES
#define LOW(a, b)    __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b)   __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define FIRST(a, b)  __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define SECOND(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define LEFT(a, b)   __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define RIGHT(a, b)  __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)

/* Eight numbers of each of eight bodies become eight of each kind. */
static inline void load(const mrn_glance *of, const int32_t *who, eight *to)
{
    octet r[EIGHT];
    for (int k = 0; k < EIGHT; k++)
        r[k] = *(const octet *)(const void *)&of[who[k]];
    octet a = LOW(r[0], r[1]), b = HIGH(r[0], r[1]), c = LOW(r[2], r[3]), d = HIGH(r[2], r[3]);
    octet p = LOW(r[4], r[5]), q = HIGH(r[4], r[5]), s = LOW(r[6], r[7]), t = HIGH(r[6], r[7]);
    octet ac = FIRST(a, c), ps = FIRST(p, s), ac2 = SECOND(a, c), ps2 = SECOND(p, s);
    octet bd = FIRST(b, d), qt = FIRST(q, t), bd2 = SECOND(b, d), qt2 = SECOND(q, t);
    *to = (eight){{LEFT(ac, ps), LEFT(ac2, ps2), LEFT(bd, qt)},
                  LEFT(bd2, qt2),
                  {RIGHT(ac, ps), RIGHT(ac2, ps2), RIGHT(bd, qt)},
                  RIGHT(bd2, qt2)};
}
#else
static inline void load(const mrn_glance *of, const int32_t *who, eight *to)
{
    for (int k = 0; k < EIGHT; k++) {
        const mrn_glance *g = &of[who[k]];
        for (int d = 0; d < 3; d++)
            to->x[d][k] = g->x[d], to->v[d][k] = g->v[d];
        to->r[k] = g->r, to->meets[k] = g->meets;
    }
}
#endif

static inline octet all(float x)
{
    return (octet){x, x, x, x, x, x, x, x};
}

static inline octet where(mask m, octet yes, octet no)
{
    return (octet)((m & (mask)yes) | (~m & (mask)no));
}

static inline octet roots_of(octet x)
{
    float r[EIGHT];
    for (int k = 0; k < EIGHT; k++)
        r[k] = sqrtf(x[k]);
    return *(const octet *)(const void *)r;
}

/* Who looks, when, and at which images; lengths as those of glances. */
typedef struct looker {
    octet x[3], r, v[3], now;
    octet slow; /* square of a relative velocity up to which none is judged                    */
    int kind;   /* MRN_CROWD_…                                                                */
    octet shift[3], period[3], per_period[3]; /* period 0: none                                */
} looker;

/* The whole number next to x, if that is below 2^22: what is added leaves no room for parts. */
static inline octet whole(octet x)
{
    const octet far = all(0x1.8p23f);
    return (x + far) - far;
}

/* How soon body `a` may meet each of the eight at the earliest. Whatever is no number leads to 0:
   then it is looked at exactly. */
static inline octet meet_soon(const looker *a, const eight *b)
{
    octet zero = all(0), w[3], d[3];
    for (int k = 0; k < 3; k++) {
        w[k] = b->v[k] - a->v[k];
        d[k] = (b->x[k] - a->x[k]) + a->now * w[k];
        if (a->kind == MRN_CROWD_GIVEN)
            d[k] += a->shift[k];
        if (a->kind == MRN_CROWD_NEAREST)
            d[k] -= a->period[k] * whole(a->per_period[k] * d[k]);
    }
    octet dw = d[0] * w[0] + d[1] * w[1] + d[2] * w[2];
    octet ww = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    octet dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    octet sum = a->r + b->r, c = dd * (1 - WIDER) - sum * sum, square = dw * dw;
    octet root = square - ww * c;
    octet s = EARLY * c / (roots_of(where(root > zero, root, zero)) - dw);
    mask judged = ww > a->slow;
    s = where((s > zero) & judged, s, zero);
    mask parts = (dw > zero) & (square > APART * dd * ww);
    mask misses = (c > zero) & ((dw >= zero) | (root < zero));
    mask never = (parts | misses) & judged;
    return where(never | (s > b->meets - a->now), all(INFINITY), s);
}

static inline octet shift_of(const double *shift, double per_length)
{
    float s[EIGHT];
    for (int k = 0; k < EIGHT; k++)
        s[k] = (float)(shift[k] * per_length);
    return *(const octet *)(const void *)s;
}

static inline mask lesser(mask a, mask b)
{
    mask m = a < b;
    return (a & m) | (b & ~m);
}

static inline int32_t least_of(mask m)
{
#ifdef TRANSPOSES
    m = lesser(m, __builtin_shufflevector(m, m, 4, 5, 6, 7, 0, 1, 2, 3));
    m = lesser(m, __builtin_shufflevector(m, m, 2, 3, 0, 1, 6, 7, 4, 5));
    m = lesser(m, __builtin_shufflevector(m, m, 1, 0, 3, 2, 5, 4, 7, 6));
#else
    for (int k = 1; k < EIGHT; k++)
        m[0] = m[k] < m[0] ? m[k] : m[0];
#endif
    return m[0];
}

int32_t mrn_crowd_soonest(const mrn_crowd *c)
{
    mask least = *(const mask *)c->soon;
    for (int k = EIGHT; k < c->n; k += EIGHT)
        least = lesser(least, *(const mask *)(c->soon + k));
    return least_of(least);
}

static inline looker looker_of(const mrn_event *e, int32_t i, int kind)
{
    const mrn_glances *g = &e->glance;
    const mrn_glance *own = &g->of[i];
    float speed = own->v[0] * own->v[0] + own->v[1] * own->v[1] + own->v[2] * own->v[2];
    looker a = {.r = all(own->r),
                .now = all((float)((e->now - g->from) * g->per_time)),
                .slow = all(speed * SLOW),
                .kind = kind};
    for (int d = 0; d < 3; d++)
        a.x[d] = all(own->x[d]), a.v[d] = all(own->v[d]);
    for (int d = 0; d < 3 && kind == MRN_CROWD_NEAREST; d++) {
        double period = e->grid.period[d] * g->per_length;
        a.period[d] = all((float)period);
        a.per_period[d] = all(period > 0 ? (float)(1 / period) : 0);
    }
    return a;
}

static inline __attribute__((always_inline)) void meet_eights(const mrn_event *e, int32_t i,
                                                              mrn_crowd *c, int kind)
{
    const mrn_glances *g = &e->glance;
    const mrn_glance *of = g->of;
    const mask count = {0, 1, 2, 3, 4, 5, 6, 7};
    mask least = count + MRN_GLANCE_NEVER;
    looker a = looker_of(e, i, kind);
    int n = c->n;
    for (int k = 0; k == 0 || k < n; k += EIGHT) { /* one at least: nobody is told, too */
        eight b;
        load(of, c->who + k, &b);
        for (int d = 0; d < 3 && kind == MRN_CROWD_GIVEN; d++)
            a.shift[d] = shift_of(c->shift[d] + k, g->per_length);
        mask self = *(const mask *)(c->who + k) == i;
        octet soon = where(self, all(INFINITY), meet_soon(&a, &b));
        mask key = ((mask)soon & ~MRN_GLANCE_WHICH) | (count + k);
        *(mask *)(c->soon + k) = key;
        least = lesser(least, key);
    }
    c->first = least_of(least);
}

/* A body that falls and one that is held do not keep to straight lines beside each other. */
static void look_at_all(mrn_crowd *c, int32_t i)
{
    for (int k = 0; k < c->n + EIGHT; k++)
        c->soon[k] = (c->who[k] == i ? MRN_GLANCE_NEVER : 0) | k;
    c->first = mrn_crowd_soonest(c);
}

void mrn_event_glance(const mrn_event *e, int32_t i, mrn_crowd *c)
{
    const mask nobody = {i, i, i, i, i, i, i, i};
    *(mask *)(c->who + c->n) = nobody; /* what is left of the last eight */
    for (int d = 0; d < 3 && c->images == MRN_CROWD_GIVEN; d++)
        for (int k = c->n; k < c->n + EIGHT; k++)
            c->shift[d][k] = 0;
    if (e->holds_any && e->falls)
        look_at_all(c, i);
    else if (c->images == MRN_CROWD_GIVEN)
        meet_eights(e, i, c, MRN_CROWD_GIVEN);
    else if (c->images == MRN_CROWD_NEAREST)
        meet_eights(e, i, c, MRN_CROWD_NEAREST);
    else
        meet_eights(e, i, c, MRN_CROWD_NONE);
}
