/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the descriptor of the non-smooth method says to people. */
#ifndef MRN_NONSMOOTH_REPORT_H
#define MRN_NONSMOOTH_REPORT_H

#include "moraine/engine.h"

enum { MRN_NONSMOOTH_PROBES = 11 };
extern const mrn_method_probe mrn_nonsmooth_probes[MRN_NONSMOOTH_PROBES];

#endif
