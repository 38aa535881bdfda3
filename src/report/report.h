/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the report writer share: text that grows, and the page made of it. */
#ifndef MRN_REPORT_REPORT_H
#define MRN_REPORT_REPORT_H

#include "moraine/lab.h"

/* Text that grows. After a failure it takes nothing more. */
typedef struct mrn_report_text {
    char *s;
    int64_t n, capacity;
    bool failed;
} mrn_report_text;
void mrn_report_put(mrn_report_text *t, const char *fmt, ...) MRN_PRINTF(2, 3);
void mrn_report_raw(mrn_report_text *t, const char *s);
/* With &, <, > and quotes as HTML wants them; bytes that XML forbids become a mark. */
void mrn_report_escaped(mrn_report_text *t, const char *s);

struct mrn_page {
    mrn_report_text body, contents;
    char *title, *subtitle;
    int sections, plots;
    bool in_section, in_plots; /* open elements */
};

/* The plot as an element <svg>; `id` makes its names unique on the page. */
void mrn_report_svg(mrn_report_text *t, const mrn_plot *plot, int id);
/* Samples of its lines with their labels, as an element <div>; nothing when none has one. */
void mrn_report_legend(mrn_report_text *t, const mrn_plot *plot);
/* Everything before the body's text: head with the style sheet. */
extern const char *const mrn_report_style;

#endif
