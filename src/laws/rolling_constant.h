/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rolling law constant-torque: M = -mu_r R F_n w/|w|. */
#ifndef MRN_LAWS_ROLLING_CONSTANT_H
#define MRN_LAWS_ROLLING_CONSTANT_H

#include "laws/moment.h"

typedef struct mrn_rolling_constant {
    double mu;
} mrn_rolling_constant;

MRN_FORMULA mrn_moment mrn_rolling_constant_step(mrn_rolling_constant c, mrn_turning at)
{
    mrn_vec3 w = mrn_rolling(at.n, at.w);
    double size = sqrt(mrn_dot(w, w)), full = c.mu * at.r * at.press / size;
    double stop = mrn_moment_stop(at.m, at.r, at.h), g = full < stop ? full : stop;
    return mrn_moment_viscous(g, w, g * size * size);
}

#endif
