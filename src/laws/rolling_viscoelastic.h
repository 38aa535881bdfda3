/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rolling law viscoelastic: M = -A F_n (R w). */
#ifndef MRN_LAWS_ROLLING_VISCOELASTIC_H
#define MRN_LAWS_ROLLING_VISCOELASTIC_H

#include "laws/moment.h"

typedef struct mrn_rolling_viscoelastic {
    double time; /* A */
} mrn_rolling_viscoelastic;

MRN_FORMULA mrn_moment mrn_rolling_viscoelastic_step(mrn_rolling_viscoelastic c, mrn_turning at)
{
    return mrn_moment_against_rolling(c.time * at.r * at.press, at);
}

#endif
