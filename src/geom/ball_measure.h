/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Volume of a homogeneous ball, and its moment of inertia over its mass. */
#ifndef MRN_GEOM_BALL_MEASURE_H
#define MRN_GEOM_BALL_MEASURE_H

#include "moraine/types.h"

MRN_INLINE double mrn_ball_volume(double radius)
{
    return 4.0 / 3.0 * MRN_PI * radius * radius * radius;
}

MRN_INLINE double mrn_ball_inertia(double radius)
{
    return 0.4 * radius * radius;
}

#endif
