/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calendar of events. */
#include "event/calendar.h"

#include <math.h>

#include "base/base.h"

enum { NOWHERE = -1, LATER = -2, TODAY = -3 }; /* instead of a day */
enum { IN_SLOT = -2, NOTED = -3 }; /* instead of the one before in a list; NOTED - k: note k */

/* Events per day below and above which the length of a day is chosen anew. Not too close: a new
   length costs a walk over all items. Nor too wide: short days do not reach far, and what is due
   beyond the last of them has to be walked through at every turn of the calendar. */
#define FEWEST_PER_DAY 3.5
#define MOST_PER_DAY   10.0
#define WANTED_PER_DAY 6.0

/* Items of today up to which looking at all of them is cheaper than a heap. */
enum { FEW = 20 };

mrn_status mrn_calendar_make(mrn_calendar *c, mrn_calendar_item *item, size_t stride, int32_t n,
                             double from, mrn_calendar_before *before, const void *user,
                             mrn_message *msg)
{
    int32_t days = 64;
    while (days < n / 2 && days < (1 << 28))
        days *= 2;
    *c = (mrn_calendar){.n = n,
                        .item = (char *)item,
                        .stride = stride,
                        .mask = days - 1,
                        .before = before,
                        .user = user};
    mrn_status st = mrn_array(&c->day, days, sizeof *c->day, msg);
    if (st == MRN_OK)
        st = mrn_array(&c->heap, n, sizeof *c->heap, msg);
    if (st == MRN_OK)
        mrn_calendar_clear(c, from, 1);
    return st;
}

void mrn_calendar_release(mrn_calendar *c)
{
    mrn_free(c->day);
    mrn_free(c->heap);
    *c = (mrn_calendar){0};
}

static void empty(mrn_calendar *c)
{
    for (int32_t d = 0; d <= c->mask; d++)
        c->day[d].n = 0, c->day[d].more = -1;
    c->later = -1;
    c->n_heap = 0;
    c->heaped = false;
    for (int k = 0; k < MRN_CALENDAR_NOTES; k++)
        c->note[k].item = -1;
    c->noted = 0;
    c->today = 0;
    c->asked = c->turned = 0;
}

void mrn_calendar_clear(mrn_calendar *c, double from, double day)
{
    empty(c);
    for (int32_t k = 0; k < c->n; k++)
        *mrn_calendar_at(c, k) = (mrn_calendar_item){INFINITY, -1, -1, NOWHERE};
    c->origin = c->mark_time = from;
    c->per_second = 1 / day;
}

/* ---- today: a heap ---- */

static bool earlier(const mrn_calendar *c, mrn_calendar_hour a, mrn_calendar_hour b)
{
    return a.time < b.time || (a.time == b.time && c->before(c->user, a.item, b.item));
}

static void put(mrn_calendar *c, int32_t at, mrn_calendar_hour h)
{
    c->heap[at] = h;
    mrn_calendar_at(c, h.item)->prev = at;
}

static void sift_up(mrn_calendar *c, int32_t at, mrn_calendar_hour h)
{
    while (at > 0 && earlier(c, h, c->heap[(at - 1) / 2])) {
        put(c, at, c->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(c, at, h);
}

static void sift_down(mrn_calendar *c, int32_t at, mrn_calendar_hour h)
{
    for (;;) {
        int32_t child = 2 * at + 1;
        if (child >= c->n_heap)
            break;
        if (child + 1 < c->n_heap && earlier(c, c->heap[child + 1], c->heap[child]))
            child++;
        if (!earlier(c, c->heap[child], h))
            break;
        put(c, at, c->heap[child]);
        at = child;
    }
    put(c, at, h);
}

/* The first of a few without an order: guesses of a heap's branches, half of them wrong, would cost
   more than looking at all. */
static int32_t find_first(const mrn_calendar *c)
{
    int32_t first = 0;
    double least = c->heap[0].time;
    for (int32_t k = 1; k < c->n_heap; k++) {
        double t = c->heap[k].time;
        if (__builtin_expect(t == least, 0) && earlier(c, c->heap[k], c->heap[first]))
            first = k;
        first = t < least ? k : first;
        least = t < least ? t : least;
    }
    return first;
}

static void make_heap(mrn_calendar *c)
{
    c->heaped = true;
    for (int32_t k = 1; k < c->n_heap; k++)
        sift_up(c, k, c->heap[k]);
}

static void put_into_today(mrn_calendar *c, mrn_calendar_hour h)
{
    int32_t at = c->n_heap++;
    if (c->heaped)
        sift_up(c, at, h);
    else
        put(c, at, h);
    if (!c->heaped && c->n_heap > FEW)
        make_heap(c);
}

static void take_from_today(mrn_calendar *c, int32_t k)
{
    int32_t at = mrn_calendar_at(c, k)->prev;
    mrn_calendar_hour last = c->heap[--c->n_heap];
    c->heaped = c->heaped && c->n_heap > 0;
    if (last.item == k)
        return;
    if (!c->heaped)
        put(c, at, last);
    else if (at > 0 && earlier(c, last, c->heap[(at - 1) / 2]))
        sift_up(c, at, last);
    else
        sift_down(c, at, last);
}

/* ---- days ---- */

static int32_t *list_of(mrn_calendar *c, int32_t day)
{
    return day == LATER ? &c->later : &c->day[day].more;
}

static void strike_out(mrn_calendar_day *d, int32_t k)
{
    int at = 0;
    while (d->item[at] != k)
        at++;
    d->item[at] = d->item[--d->n];
}

static void put_into_list(mrn_calendar *c, int32_t k)
{
    mrn_calendar_item *i = mrn_calendar_at(c, k);
    int32_t *first = list_of(c, i->day);
    i->prev = -1;
    i->next = *first;
    if (*first >= 0)
        mrn_calendar_at(c, *first)->prev = k;
    *first = k;
}

static void write_note(mrn_calendar *c, mrn_calendar_note *note)
{
    mrn_calendar_day *d = &c->day[note->day];
    int32_t k = note->item;
    if (k < 0)
        return;
    note->item = -1;
    if (note->leaves)
        strike_out(d, k);
    else if (d->n == MRN_CALENDAR_SLOTS)
        put_into_list(c, k);
    else {
        mrn_calendar_at(c, k)->prev = IN_SLOT;
        d->item[d->n++] = k;
    }
}

/* Those of a day, in the order in which they were made. */
static void write_notes(mrn_calendar *c, int32_t day)
{
    for (uint32_t k = 0; k < MRN_CALENDAR_NOTES; k++) {
        mrn_calendar_note *note = &c->note[(c->noted + k) % MRN_CALENDAR_NOTES];
        if (note->day == day)
            write_note(c, note);
    }
}

/* Where it stands. */
static int32_t make_note(mrn_calendar *c, int32_t k, int32_t day, bool leaves)
{
    int32_t at = (int32_t)(c->noted++ % MRN_CALENDAR_NOTES);
    __builtin_prefetch(&c->day[day], 1);
    write_note(c, &c->note[at]);
    c->note[at] = (mrn_calendar_note){k, day, leaves};
    return at;
}

static void take_out(mrn_calendar *c, int32_t k)
{
    mrn_calendar_item *i = mrn_calendar_at(c, k);
    if (i->day == TODAY)
        take_from_today(c, k);
    else if (i->day != NOWHERE && i->prev <= NOTED)
        c->note[NOTED - i->prev].item = -1;
    else if (i->day != NOWHERE && i->prev == IN_SLOT)
        make_note(c, k, i->day, true);
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
        put_into_today(c, (mrn_calendar_hour){i->time, k});
        return;
    }
    i->day = day <= c->today + c->mask ? (int32_t)((int64_t)day & c->mask) : LATER;
    if (i->day == LATER) {
        put_into_list(c, k);
        return;
    }
    i->prev = NOTED - make_note(c, k, i->day, false);
}

void mrn_calendar_set(mrn_calendar *c, int32_t k, double time)
{
    if (mrn_calendar_at(c, k)->time == time)
        return;
    take_out(c, k);
    mrn_calendar_at(c, k)->time = time;
    put_in(c, k);
}

static void open_list(mrn_calendar *c, int32_t *first)
{
    int32_t k = *first;
    *first = -1;
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
    int32_t today = (int32_t)((int64_t)c->today & c->mask);
    write_notes(c, today);
    mrn_calendar_day *d = &c->day[today];
    int n = d->n;
    d->n = 0;
    for (int at = 0; at < n; at++)
        put_in(c, d->item[at]);
    open_list(c, &d->more);
    if (d == c->day) /* items that were too far are looked at once per turn of the calendar */
        open_list(c, &c->later);
}

/* All items anew, with days of another length, from the earliest on. */
static void begin_again(mrn_calendar *c, double day)
{
    double least = INFINITY;
    for (int32_t k = 0; k < c->n; k++)
        least = fmin(least, mrn_calendar_at(c, k)->time);
    empty(c);
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
    return asked < FEWEST_PER_DAY * turned || asked > MOST_PER_DAY * turned;
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
        choose_day(c, c->heap[c->heaped ? 0 : find_first(c)].time);
    for (int32_t turn = 0; c->n_heap == 0; turn++) {
        if (turn > c->mask) {
            leap(c);
            break;
        }
        next_day(c);
    }
    c->asked++;
    return c->n_heap > 0 ? c->heap[c->heaped ? 0 : find_first(c)].item : -1;
}

size_t mrn_calendar_bytes(const mrn_calendar *c)
{
    return (size_t)c->n * sizeof *c->heap + ((size_t)c->mask + 1) * sizeof *c->day;
}
