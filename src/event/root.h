/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first time at which a gap closes, when it is no polynomial that one could solve. A bound for
   how fast the gap bends inwards is known: gap'' >= -bound. Then g + g' s - bound s^2/2 lies below
   the gap, and its zero is no later than that of the gap: stepping from zero to zero never passes a
   collision, and converges as Newton's method does where the gap closes at a finite speed. */
#ifndef MRN_EVENT_ROOT_H
#define MRN_EVENT_ROOT_H

#include "moraine/types.h"

/* The gap at time s and its rate. */
typedef double mrn_event_gap_of(const void *user, double s, double *rate);

/* From `begin` on, up to `end`; INFINITY: none. `tolerance`: a gap below it that does not open is
   closed. `touch`: one below it, where the search does not get on, is a grazing contact. */
double mrn_event_root(mrn_event_gap_of *gap, const void *user, double begin, double end,
                      double bound, double tolerance, double touch);

#endif
