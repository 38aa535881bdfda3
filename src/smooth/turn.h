/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A step of a body whose inertia is the same about all axes. */
#ifndef MRN_SMOOTH_TURN_H
#define MRN_SMOOTH_TURN_H

#include "moraine/types.h"

/* q + (h/2) w q, renormalised: error of third order in the angle turned per step. x, y, z: half of
   that angle. */
MRN_INLINE mrn_quat mrn_quat_turned(mrn_quat p, double x, double y, double z)
{
    mrn_quat by = {0, x, y, z}, d = mrn_quat_mul(by, p);
    mrn_quat r = {p.w + d.w, p.x + d.x, p.y + d.y, p.z + d.z};
    return mrn_quat_unit(r);
}

#endif
