/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the page of a run. */
#ifndef MORAINE_REPORT_PARTS_H
#define MORAINE_REPORT_PARTS_H

#include "app.h"
#include "moraine/lab.h"

/* A text of summary.json; "?" where there is none. */
const char *mrn_summary_word(const json_t *summary, const char *key);
/* Sections from summary.json. */
void mrn_report_glance(const json_t *summary, mrn_page *p);
void mrn_report_energy(const json_t *summary, mrn_page *p);
void mrn_report_trust(const json_t *summary, mrn_page *p);
void mrn_report_cost(const json_t *summary, mrn_page *p);
/* Plots of the probes that changed, those asked for first ("PROBE", "PROBE/AGAINST"). */
mrn_status mrn_report_curves(const mrn_probe_table *t, const char *const *asked, int n_asked,
                             mrn_page *p, mrn_message *msg);

#endif
