/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the descriptor of the quasi-static method says to people. */
#ifndef MRN_QUASISTATIC_REPORT_H
#define MRN_QUASISTATIC_REPORT_H

#include "moraine/engine.h"

enum { MRN_QUASISTATIC_PROBES = 3 };
extern const mrn_method_probe mrn_quasistatic_probes[MRN_QUASISTATIC_PROBES];

void mrn_quasistatic_tell(const mrn_scene *scene, const mrn_state *s, const mrn_report_sink *to);

#endif
