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
    mrn_vec3 w = mrn_rolling(at.n, at.w);
    double full = c.eta * at.r * at.r * at.press;
    double stop = mrn_moment_stop(at.m, at.r, at.h), g = full < stop ? full : stop;
    return mrn_moment_viscous(g, w, g * mrn_dot(w, w));
}

#endif
