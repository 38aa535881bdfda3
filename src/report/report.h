/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the report writer share: the page made of growing text. */
#ifndef MRN_REPORT_REPORT_H
#define MRN_REPORT_REPORT_H

#include "base/buffer.h"
#include "moraine/lab.h"

struct mrn_page {
    mrn_buffer body, contents;
    char *title, *subtitle;
    int sections, plots;
    bool in_section, in_plots; /* open elements */
    int error;                 /* of the system, of the first picture that is missing; 0: none */
    char missing[512];
};

/* The plot as an element <svg>; `id` makes its names unique on the page. */
void mrn_report_svg(mrn_buffer *t, const mrn_plot *plot, int id);
/* Samples of its lines with their labels, as an element <div>; nothing when none has one. */
void mrn_report_legend(mrn_buffer *t, const mrn_plot *plot);
/* Everything before the body's text: head with the style sheet. */
extern const char *const mrn_report_style;

#endif
