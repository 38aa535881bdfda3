/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the event-driven method tells of itself. */
#ifndef MRN_EVENT_REPORT_H
#define MRN_EVENT_REPORT_H

#include "moraine/engine.h"

enum { MRN_EVENT_PROBES = 8 };
extern const mrn_method_probe mrn_event_probes[MRN_EVENT_PROBES];

enum { MRN_EVENT_COLUMNS = 3 };
extern const mrn_method_column mrn_event_columns[MRN_EVENT_COLUMNS];

void mrn_event_tell(const mrn_scene *scene, const mrn_state *s, const mrn_report_sink *to);

#endif
