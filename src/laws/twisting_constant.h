/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Twisting law constant: M = -mu_w R F_n sign(w_n) n. */
#ifndef MRN_LAWS_TWISTING_CONSTANT_H
#define MRN_LAWS_TWISTING_CONSTANT_H

#include "laws/moment.h"

typedef struct mrn_twisting_constant {
    double mu;
} mrn_twisting_constant;

MRN_FORMULA mrn_moment mrn_twisting_constant_step(mrn_twisting_constant c, mrn_turning at)
{
    double w = mrn_dot(at.n, at.w), full = c.mu * at.r * at.press / fabs(w);
    double stop = mrn_moment_stop(at.m, at.r, at.h), f = (full < stop ? full : stop) * w;
    return mrn_moment_viscous(f, at.n, f * w);
}

#endif
