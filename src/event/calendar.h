/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A calendar of events: each of n items has a time, the earliest is asked for again and again.
   Times to come are kept in days, without an order, only the items of today are searched, or in a
   heap when they are many, so that a change costs the same for any n (G. Paul, J. Comput. Phys. 221
   (2007) 615). A day is one cache
   line: entering or striking out an item touches no other item. In a large calendar that line is
   far away, and who comes and goes is noted until it is there. The length of a day follows the
   rate of events; it decides about speed alone, never about an order. */
#ifndef MRN_EVENT_CALENDAR_H
#define MRN_EVENT_CALENDAR_H

#include <math.h>

#include "moraine/base.h"

/* Which of two items with the same time comes first. */
typedef bool mrn_calendar_before(const void *user, int32_t a, int32_t b);

/* A part of whatever is due, so that it lies in one cache line with what is looked at together. */
typedef struct mrn_calendar_item {
    double time;        /* INFINITY: never                                            */
    int32_t next, prev; /* in a list; prev: place in the heap of today, or see calendar.c */
    int32_t day;        /* negative: see calendar.c                                   */
} mrn_calendar_item;

/* The first items of a day; the others, seldom there, are in a list. */
enum { MRN_CALENDAR_SLOTS = 14 };
typedef struct mrn_calendar_day {
    int32_t item[MRN_CALENDAR_SLOTS];
    int32_t n, more; /* how many; first of the list */
} mrn_calendar_day;

/* What is still to be written into days, whose lines memory has been asked for: an item that comes
   into a day or leaves it; item < 0: it is written, or void. In a ring: the oldest is written when
   there is no room for another, or when its day begins. */
enum { MRN_CALENDAR_NOTES = 16 };
typedef struct mrn_calendar_note {
    int32_t item, day;
    bool leaves;
} mrn_calendar_note;

/* An item of today. */
typedef struct mrn_calendar_hour {
    double time;
    int32_t item;
} mrn_calendar_hour;

typedef struct mrn_calendar {
    int32_t n;
    char *item; /* n of them, `stride` bytes from one to the next                       */
    size_t stride;
    mrn_calendar_day *day;
    int32_t mask;            /* days - 1, a power of two less one                               */
    int32_t later;           /* first of the items beyond the last day                          */
    mrn_calendar_hour *heap; /* today: a heap, where that pays                             */
    int32_t n_heap;
    bool heaped;
    mrn_calendar_note note[MRN_CALENDAR_NOTES];
    uint32_t noted; /* notes ever made                                                     */
    double origin, per_second; /* days since `origin`                                 */
    double today;              /* a whole number                                      */
    double mark_time;          /* when counting began …                               */
    int64_t asked, turned;     /* … events and days since                             */
    mrn_calendar_before *before;
    const void *user;
} mrn_calendar;

static inline mrn_calendar_item *mrn_calendar_at(const mrn_calendar *c, int32_t k)
{
    return (mrn_calendar_item *)(void *)(c->item + (size_t)k * c->stride);
}
/* For n items of the caller, `stride` bytes apart, none of which is due; `from`: no item will be
   due before. */
mrn_status mrn_calendar_make(mrn_calendar *c, mrn_calendar_item *item, size_t stride, int32_t n,
                             double from, mrn_calendar_before *before, const void *user,
                             mrn_message *msg);
void mrn_calendar_release(mrn_calendar *c);
/* Takes all items out and begins anew with days of this length, s. */
void mrn_calendar_clear(mrn_calendar *c, double from, double day);
/* Item k is due at `time`, whatever it was before; INFINITY: never. */
void mrn_calendar_set(mrn_calendar *c, int32_t k, double time);
/* The item due first; -1: none is. */
int32_t mrn_calendar_first(mrn_calendar *c);
/* The day that is `ahead` days after today, as it was written this morning. */
static inline const mrn_calendar_day *mrn_calendar_ahead(const mrn_calendar *c, int ahead)
{
    return &c->day[((int64_t)c->today + ahead) & c->mask];
}
/* What the calendar holds beside the items. */
size_t mrn_calendar_bytes(const mrn_calendar *c);

#endif
