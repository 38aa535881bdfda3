/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves of probes: columns of probes.csv, their rates, forms fitted to them. */
#ifndef MORAINE_PLOTTING_H
#define MORAINE_PLOTTING_H

#include "app.h"

#define MRN_PLOT_CURVES 64

typedef struct mrn_curve_request {
    const char *against; /* NULL: time                                    */
    const char *fit;     /* "line", "power", "exponential"; NULL: none    */
    const char *stage;   /* NULL: all                                     */
    double from, to;     /* s                                             */
    double window;       /* s, of rates; 0: a thirtieth of the span       */
} mrn_curve_request;

typedef struct mrn_probe_curve {
    char dir[512], probe[160], unit[80], x_name[160], x_unit[80], label[300];
    int64_t n;
    double *x, *y;
    double *fitted; /* at x; NULL: nothing was fitted */
    double a, b, a_error, b_error;
    char fit_text[160];
} mrn_probe_curve;

mrn_status mrn_curve_open(const char *dir, mrn_probe_table *t, mrn_message *msg);
mrn_status mrn_curve_make(const char *dir, const char *probe, const mrn_curve_request *r,
                          mrn_probe_curve *out, mrn_message *msg);
void mrn_curve_release(mrn_probe_curve *c);

#endif
