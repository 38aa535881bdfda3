/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a cohesion law adds to the normal law's answer. */
#ifndef MRN_LAWS_COHESION_H
#define MRN_LAWS_COHESION_H

#include "laws/begin.h"

typedef struct mrn_cohesion {
    double fn, energy, loss; /* to be added                                    */
    double jump;             /* energy lost at once; laws with `jumps`         */
} mrn_cohesion;

#endif
