/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the descriptor of the non-smooth method says to people. */
#ifndef MRN_NONSMOOTH_REPORT_H
#define MRN_NONSMOOTH_REPORT_H

#include "moraine/engine.h"

enum { MRN_NONSMOOTH_PROBES = 12 };
extern const mrn_method_probe mrn_nonsmooth_probes[MRN_NONSMOOTH_PROBES];
enum { MRN_NONSMOOTH_COLUMNS = 4 };
extern const mrn_method_column mrn_nonsmooth_columns[MRN_NONSMOOTH_COLUMNS];

void mrn_nonsmooth_headline(const mrn_scene *scene, char *out, size_t size);
void mrn_nonsmooth_choices(const mrn_scene *scene, const mrn_state *s, const mrn_report_sink *to);
void mrn_nonsmooth_tell(const mrn_scene *scene, const mrn_state *s, const mrn_report_sink *to);
mrn_solving mrn_nonsmooth_solving(const mrn_scene *scene, const mrn_state *s);

#endif
