/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves and points on two axes, as SVG or PNG: for reports, validation and quick looks. */
#ifndef MORAINE_PLOT_H
#define MORAINE_PLOT_H

#include "moraine/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mrn_series_style {
    MRN_SERIES_LINE,
    MRN_SERIES_POINTS, /* open circles: measurements */
    MRN_SERIES_BOTH,
    MRN_SERIES_DASHED,
    MRN_SERIES_AREA, /* polygons with NAN between them, filled such that what lies below shows:
                        bands, and levels of a map, which grow darker where they lie on each other
                      */
    MRN_SERIES_BARS, /* from 0 to y; those of several series stand side by side about x */
} mrn_series_style;

typedef struct mrn_series {
    const char *label; /* NULL or "": not in the legend */
    mrn_series_style style;
    int colour; /* 0, 1, …: of a palette that the colour-blind can tell apart; -1: grey */
    int n;
    const double *x, *y; /* NAN breaks a line        */
    const double *error; /* half height of error bars; NULL: none */
} mrn_series;

/* Values on a grid as colours, with a scale beside the plot. */
typedef struct mrn_map {
    int nx, ny;
    double x[2], y[2];   /* from where to where the grid reaches                            */
    const double *value; /* ny rows of nx; NAN: nothing there, left white                   */
    const char *label;   /* beside the scale                                                */
    const char *palette; /* NULL: viridis; coolwarm about 0 where there are both signs      */
} mrn_map;

typedef struct mrn_plot {
    const char *title, *x_label, *y_label;
    bool x_log, y_log;
    double x_lo, x_hi, y_lo, y_hi; /* NAN: from the data */
    int n;
    const mrn_series *series;
    int width, height;         /* 0: 720 x 460 */
    const mrn_map *map;        /* below the series; NULL: none. Axes reach as far as it does */
    int n_names;               /* of what stands at x = 0, 1, …; 0: x has numbers */
    const char *const *x_name; /* in place of the numbers of the axis             */
} mrn_plot;

/* A plot with automatic ranges. */
MRN_API mrn_plot mrn_plot_default(void);
/* By the ending of `path`: .svg or .png. */
MRN_API mrn_status mrn_plot_write(const mrn_plot *p, const char *path, mrn_message *msg);

#ifdef __cplusplus
}
#endif

#endif
