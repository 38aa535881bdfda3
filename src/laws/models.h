/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The descriptors of all laws, and the parity of what they remember. */
#ifndef MRN_LAWS_MODELS_H
#define MRN_LAWS_MODELS_H

#include "moraine/law.h"

#define MRN_PART(id) extern const mrn_law mrn_law_##id;
#include "laws/parts.def"
#undef MRN_PART

#endif
