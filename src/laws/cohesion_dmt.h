/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cohesion law dmt: a constant pull 2 pi W R while in touch. */
#ifndef MRN_LAWS_COHESION_DMT_H
#define MRN_LAWS_COHESION_DMT_H

#include "laws/cohesion.h"

typedef struct mrn_cohesion_dmt {
    double pull; /* over R */
} mrn_cohesion_dmt;

MRN_FORMULA mrn_cohesion mrn_cohesion_dmt_step(mrn_cohesion_dmt c, double r, double delta,
                                               double rate, double fresh, double h)
{
    double pull = c.pull * r;
    double weight = mrn_pull_begin(fresh, h, delta, rate) + mrn_pull_end(h, delta, rate) - 1;
    mrn_cohesion f = {-(pull * weight), -(pull * delta), 0, 0};
    return f;
}

#endif
