/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Axes of plots, on paper and on pages: range of the data, round ticks, their texts. */
#ifndef MRN_DRAW_AXIS_H
#define MRN_DRAW_AXIS_H

#include "moraine/plot.h"

#define MRN_TICKS_MAX 40

typedef struct mrn_axis {
    double lo, hi;   /* of the data, logarithms when log */
    double from, to; /* of the drawing                   */
    bool log;
    int n;
    double tick[MRN_TICKS_MAX]; /* same scale as lo and hi */
    int n_names;
    const char *const *name; /* of 0, 1, … in place of numbers; NULL: none */
} mrn_axis;

/* Both axes of a plot: ranges with room around the data, unless an end was asked for, and about as
   many ticks as wanted. from and to are the caller's. */
void mrn_axes_of(const mrn_plot *plot, double x_ticks, double y_ticks, mrn_axis *x, mrn_axis *y);
/* One from lo to hi. */
void mrn_axis_between(mrn_axis *a, double lo, double hi, double ticks);
/* Is there a place for v? */
bool mrn_axis_shows(const mrn_axis *a, double v);
/* The place of a value; of a tick. */
double mrn_axis_at(const mrn_axis *a, double v);
double mrn_axis_tick_at(const mrn_axis *a, int i);
void mrn_axis_text(const mrn_axis *a, int i, char *buf, size_t size);

static inline bool mrn_series_has_line(const mrn_series *s)
{
    return s->style != MRN_SERIES_POINTS && s->style != MRN_SERIES_AREA &&
           s->style != MRN_SERIES_BARS;
}
static inline bool mrn_series_has_points(const mrn_series *s)
{
    return s->style == MRN_SERIES_POINTS || s->style == MRN_SERIES_BOTH;
}

/* Bar k of series i on the drawing, between the corners (x0, y0), on the axis, and (x1, y1); false:
   there is no place for it. */
bool mrn_bar_at(const mrn_plot *plot, const mrn_axis *x, const mrn_axis *y, int i, int k,
                double *x0, double *y0, double *x1, double *y1);

#endif
