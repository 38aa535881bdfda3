/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The work of adhesion, asked for in one way by every law that needs it. */
#ifndef MRN_LAWS_ADHESION_H
#define MRN_LAWS_ADHESION_H

#include "laws/params.h"

#define MRN_ADHESION_PARAMS                                                                        \
    {.name = "work-of-adhesion",                                                                   \
     .symbol = "W",                                                                                \
     .unit = "J/m2",                                                                               \
     .min = 0,                                                                                     \
     .min_open = true,                                                                             \
     .max = INFINITY,                                                                              \
     .fallback = NAN,                                                                              \
     .doc = "Energy to part a unit area of the two surfaces. Give this or surface-energy."},       \
    {                                                                                              \
        .name = "surface-energy", .symbol = "gamma", .unit = "J/m2", .min = 0, .min_open = true,   \
        .max = INFINITY, .fallback = NAN,                                                          \
        .doc = "Energy of a unit area of one free surface, W = 2 gamma (like materials). Give "    \
               "this or work-of-adhesion."                                                         \
    }
#define MRN_ADHESION_N_PARAMS 2

static inline mrn_status mrn_adhesion_work(const mrn_value *v, double *work, mrn_message *msg)
{
    mrn_status s = mrn_one_of(&v[0], "work-of-adhesion", &v[1], "surface-energy", msg);
    if (s == MRN_OK)
        *work = v[0].given ? v[0].number : 2 * v[1].number;
    return s;
}

#endif
