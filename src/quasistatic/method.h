/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the list of methods needs of the quasi-static engine beyond its public face. */
#ifndef MRN_QUASISTATIC_METHOD_H
#define MRN_QUASISTATIC_METHOD_H

#include "moraine/engine.h"

extern const mrn_method mrn_method_quasistatic; /* method_quasistatic.c */

/* The state that it moves. */
const mrn_state *mrn_quasistatic_state(const mrn_quasistatic *e);

#endif
