/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The descriptors of all laws, and the parity of what they remember. */
#ifndef MRN_LAWS_MODELS_H
#define MRN_LAWS_MODELS_H

#include "moraine/law.h"

extern const mrn_law mrn_law_normal_linear, mrn_law_normal_hertz;
extern const mrn_law mrn_law_tangential_linear, mrn_law_tangential_mindlin;

#endif
