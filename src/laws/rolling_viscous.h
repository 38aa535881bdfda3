/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rolling law viscous-torque: M = -eta_r R F_n (R w). */
#ifndef MRN_LAWS_ROLLING_VISCOUS_H
#define MRN_LAWS_ROLLING_VISCOUS_H

#include "laws/moment.h"

typedef struct mrn_rolling_viscous {
    double eta;
} mrn_rolling_viscous;

MRN_FORMULA mrn_moment mrn_rolling_viscous_step(mrn_rolling_viscous c, mrn_turning at)
{
    return mrn_moment_against_rolling(c.eta * at.r * at.r * at.press, at);
}

#endif
