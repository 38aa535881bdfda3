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
    mrn_vec3 w = mrn_rolling(at.n, at.w);
    double full = c.time * at.r * at.press;
    double stop = mrn_moment_stop(at.m, at.r, at.h), g = full < stop ? full : stop;
    return mrn_moment_viscous(g, w, g * mrn_dot(w, w));
}

#endif
