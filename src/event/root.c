/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Safe steps to the first zero of a gap. */
#include "event/root.h"

#include <math.h>

/* Where a gap touches zero without passing it, steps shrink without end: what is in touch after so
   many is a grazing contact, and counts as one. What is not in touch then hovers: it has left a
   wall that follows it for a while, in small steps that grow with the gap, and is looked at
   further. */
enum { MOST_STEPS = 1000, MOST_OF_HOVERING = 1000000 };

double mrn_event_root(mrn_event_gap_of *gap, const void *user, double begin, double end,
                      double bound, double tolerance, double touch)
{
    double s = begin;
    for (int k = 0; k < MOST_OF_HOVERING && s <= end; k++) {
        double rate, g = gap(user, s, &rate);
        if ((g <= tolerance && rate <= 0) || (k > 0 && k % MOST_STEPS == 0 && g <= touch))
            return s;
        double square = rate * rate + 2 * bound * fmax(g, 0), root = sqrt(square), step;
        if (rate < 0)
            step = 2 * fmax(g, 0) / (root - rate);
        else if (bound > 0)
            step = (rate + root) / bound;
        else
            return INFINITY;
        if (s + step <= s) /* less than the rounding of time */
            return s;
        s += step;
    }
    return s <= end ? s : INFINITY;
}
