/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A first glance at those who may be met: flights in single precision, half a cache line each, from
   one common instant on. What it says is a bound: nobody is met before it, and who is never met by
   it is not met. Whoever is left is looked at exactly, so that no bit depends on a glance. */
#ifndef MRN_EVENT_GLANCE_H
#define MRN_EVENT_GLANCE_H

#include "moraine/base.h"

/* Lengths over the largest diameter, times over the span of the glances. */
typedef struct mrn_glance {
    float x[3]; /* where its flight, lengthened to both sides, is at the common instant       */
    float r;    /* radius, and by how much rounding may misplace it within the span           */
    float v[3];
    float meets; /* not before its next collision; INFINITY: none is known                    */
} mrn_glance;
_Static_assert(sizeof(mrn_glance) == 32, "two in a cache line");

/* Of all bodies. */
typedef struct mrn_glances {
    mrn_glance *of;
    double from, span; /* s: the common instant, and for how long they are good               */
    double per_length, per_time;
    float scale;   /* of coordinates                                                     */
    int64_t since; /* events when they were made                                         */
} mrn_glances;

enum { MRN_GLANCE_CROWD = 96, MRN_GLANCE_ROOM = MRN_GLANCE_CROWD + 8 };

/* Floats that are not negative are in the order of their bits. */
enum { MRN_GLANCE_NEVER = 0x7f800000, MRN_GLANCE_WHICH = 0x7f };

/* Images of candidates: they themselves, the nearest, or one that is given. */
enum { MRN_CROWD_NONE, MRN_CROWD_NEAREST, MRN_CROWD_GIVEN };

/* Candidates, by their places in memory. */
typedef struct mrn_crowd {
    int n;
    int32_t first;                    /* least of `soon`                                       */
    int8_t images;                    /* which of their images: MRN_CROWD_…                    */
    int32_t who[MRN_GLANCE_ROOM];     /* a cell is copied with all of its slots and their number */
    double shift[3][MRN_GLANCE_ROOM]; /* to the image, where it is given                       */
    int32_t soon[MRN_GLANCE_ROOM];    /* bits of a float, over the span from now: not met before;
                                         the last seven bits: which one. MRN_GLANCE_NEVER and
                                         above: not met, or not before it collides with others */
} mrn_crowd;

#endif
