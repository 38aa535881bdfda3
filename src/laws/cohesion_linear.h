/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cohesion law linear: a pull proportional to the contact area ("simplified JKR"). */
#ifndef MRN_LAWS_COHESION_LINEAR_H
#define MRN_LAWS_COHESION_LINEAR_H

#include "laws/cohesion.h"

typedef struct mrn_cohesion_linear {
    double pull; /* over R delta */
} mrn_cohesion_linear;

MRN_FORMULA mrn_cohesion mrn_cohesion_linear_step(mrn_cohesion_linear c, double r, double delta)
{
    double pull = c.pull * r * delta;
    mrn_cohesion f = {-pull, -(0.5 * pull * delta), 0, 0};
    return f;
}

#endif
