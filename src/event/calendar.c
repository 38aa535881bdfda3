/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calendar of events. */
#include "event/calendar.h"

#include <math.h>

#include "base/base.h"

enum { NOWHERE = -1, LATER = -2, TODAY = -3 };

/* Days per event that are looked through in vain, and events per day, at which the length of a day
   is chosen anew. Wide apart: a new length costs a walk over all items. */
#define DAYS_PER_EVENT 6.0
#define EVENTS_PER_DAY 12.0
#define WANTED_PER_DAY 2.0

mrn_status mrn_calendar_make(mrn_calendar *c, mrn_calendar_item *item, size_t stride, int32_t n,
                             double from, mrn_calendar_before *before, const void *user,
                             mrn_message *msg)
{
    int32_t days = 64;
    while (days < n && days < (1 << 28))
        days *= 2;
    *c = (mrn_calendar){.n = n,
                        .item = (char *)item,
                        .stride = stride,
                        .mask = days - 1,
                        .before = before,
                        .user = user};
    mrn_status st = mrn_random_array(&c->first, days, sizeof *c->first, msg);
    if (st == MRN_OK)
        st = mrn_random_array(&c->heap, n, sizeof *c->heap, msg);
    if (st == MRN_OK)
        mrn_calendar_clear(c, from, 1);
    return st;
}

void mrn_calendar_release(mrn_calendar *c)
{
    mrn_free(c->first);
    mrn_free(c->heap);
    *c = (mrn_calendar){0};
}

void mrn_calendar_clear(mrn_calendar *c, double from, double day)
{
    for (int32_t d = 0; d <= c->mask; d++)
        c->first[d] = -1;
    for (int32_t k = 0; k < c->n; k++)
        *mrn_calendar_at(c, k) = (mrn_calendar_item){INFINITY, -1, -1, NOWHERE};
    c->later = -1;
    c->n_heap = 0;
    c->origin = c->mark_time = from;
    c->per_second = 1 / day;
    c->today = 0;
    c->asked = c->turned = 0;
}

/* ---- today: a heap ---- */

static bool earlier(const mrn_calendar *c, int32_t a, int32_t b)
{
    double ta = mrn_calendar_at(c, a)->time, tb = mrn_calendar_at(c, b)->time;
    return ta < tb || (ta == tb && c->before(c->user, a, b));
}

static void put(mrn_calendar *c, int32_t at, int32_t k)
{
    c->heap[at] = k;
    mrn_calendar_at(c, k)->prev = at;
}

static void sift_up(mrn_calendar *c, int32_t at)
{
    int32_t k = c->heap[at];
    while (at > 0 && earlier(c, k, c->heap[(at - 1) / 2])) {
        put(c, at, c->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(c, at, k);
}

static void sift_down(mrn_calendar *c, int32_t at)
{
    int32_t k = c->heap[at];
    for (;;) {
        int32_t child = 2 * at + 1;
        if (child >= c->n_heap)
            break;
        if (child + 1 < c->n_heap && earlier(c, c->heap[child + 1], c->heap[child]))
            child++;
        if (!earlier(c, c->heap[child], k))
            break;
        put(c, at, c->heap[child]);
        at = child;
    }
    put(c, at, k);
}

static void take_from_heap(mrn_calendar *c, int32_t k)
{
    int32_t at = mrn_calendar_at(c, k)->prev, last = c->heap[--c->n_heap];
    if (last == k)
        return;
    put(c, at, last);
    sift_up(c, at);
    sift_down(c, mrn_calendar_at(c, last)->prev);
}

/* ---- days ---- */

static int32_t *list_of(mrn_calendar *c, int32_t day)
{
    return day == LATER ? &c->later : &c->first[day];
}

static void take_out(mrn_calendar *c, int32_t k)
{
    mrn_calendar_item *i = mrn_calendar_at(c, k);
    if (i->day == TODAY)
        take_from_heap(c, k);
    else if (i->day != NOWHERE) {
        if (i->prev >= 0)
            mrn_calendar_at(c, i->prev)->next = i->next;
        else
            *list_of(c, i->day) = i->next;
        if (i->next >= 0)
            mrn_calendar_at(c, i->next)->prev = i->prev;
    }
    i->day = NOWHERE;
}

static void put_in(mrn_calendar *c, int32_t k)
{
    mrn_calendar_item *i = mrn_calendar_at(c, k);
    if (i->time == INFINITY)
        return;
    double day = floor((i->time - c->origin) * c->per_second);
    if (day <= c->today) {
        i->day = TODAY;
        put(c, c->n_heap++, k);
        sift_up(c, i->prev);
        return;
    }
    i->day = day <= c->today + c->mask ? (int32_t)((int64_t)day & c->mask) : LATER;
    int32_t *first = list_of(c, i->day);
    i->prev = -1;
    i->next = *first;
    if (*first >= 0)
        mrn_calendar_at(c, *first)->prev = k;
    *first = k;
}

void mrn_calendar_set(mrn_calendar *c, int32_t k, double time)
{
    if (mrn_calendar_at(c, k)->time == time)
        return;
    take_out(c, k);
    mrn_calendar_at(c, k)->time = time;
    put_in(c, k);
}

/* Items that were too far are looked at once per turn of the calendar. */
static void open_later(mrn_calendar *c)
{
    int32_t k = c->later;
    c->later = -1;
    while (k >= 0) {
        int32_t next = mrn_calendar_at(c, k)->next;
        put_in(c, k);
        k = next;
    }
}

static void next_day(mrn_calendar *c)
{
    c->today += 1;
    c->turned++;
    int32_t day = (int32_t)((int64_t)c->today & c->mask), k = c->first[day];
    c->first[day] = -1;
    while (k >= 0) {
        int32_t next = mrn_calendar_at(c, k)->next;
        put_in(c, k);
        k = next;
    }
    if (day == 0)
        open_later(c);
}

/* All items anew, with days of another length, from the earliest on. */
static void begin_again(mrn_calendar *c, double day)
{
    double least = INFINITY;
    for (int32_t k = 0; k < c->n; k++)
        least = fmin(least, mrn_calendar_at(c, k)->time);
    for (int32_t d = 0; d <= c->mask; d++)
        c->first[d] = -1;
    c->later = -1;
    c->n_heap = 0;
    c->today = 0;
    c->asked = c->turned = 0;
    if (least == INFINITY)
        least = c->origin;
    c->origin = c->mark_time = least;
    c->per_second = 1 / day;
    for (int32_t k = 0; k < c->n; k++) {
        mrn_calendar_at(c, k)->day = NOWHERE;
        put_in(c, k);
    }
}

/* A length of day that fits the events since counting began; days are not so short that the
   rounding of times is seen. */
static void choose_day(mrn_calendar *c, double now)
{
    double least = 1e-12 * fmax(fabs(now), fabs(c->origin)) + 1e-300;
    double day = WANTED_PER_DAY * (now - c->mark_time) / (double)(c->asked > 0 ? c->asked : 1);
    begin_again(c, fmax(isfinite(day) && day > 0 ? day : 1 / c->per_second, least));
}

static bool is_ill(const mrn_calendar *c)
{
    double asked = (double)c->asked, turned = (double)c->turned;
    if (asked + turned < 4.0 * c->mask)
        return false;
    return turned > DAYS_PER_EVENT * asked || asked > EVENTS_PER_DAY * turned;
}

/* Nothing within a whole turn: events have become rare, and days are to be longer. */
static void leap(mrn_calendar *c)
{
    double least = INFINITY, day = 1 / c->per_second;
    for (int32_t k = 0; k < c->n; k++)
        least = fmin(least, mrn_calendar_at(c, k)->time);
    begin_again(c, fmax(8 * day, isfinite(least) ? 1e-3 * (least - c->origin) : 0));
}

int32_t mrn_calendar_first(mrn_calendar *c)
{
    if (c->n_heap > 0 && is_ill(c))
        choose_day(c, mrn_calendar_at(c, c->heap[0])->time);
    for (int32_t turn = 0; c->n_heap == 0; turn++) {
        if (turn > c->mask) {
            leap(c);
            break;
        }
        next_day(c);
    }
    c->asked++;
    return c->n_heap > 0 ? c->heap[0] : -1;
}

int mrn_calendar_ahead(const mrn_calendar *c, int ahead, int32_t *item, int most)
{
    int n = 0;
    int32_t k = c->first[((int64_t)c->today + ahead) & c->mask];
    for (; k >= 0 && n < most; k = mrn_calendar_at(c, k)->next)
        item[n++] = k;
    return n;
}

size_t mrn_calendar_bytes(const mrn_calendar *c)
{
    return (size_t)c->n * sizeof *c->heap + ((size_t)c->mask + 1) * sizeof *c->first;
}
