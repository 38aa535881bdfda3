/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law hertz: F = 4/3 E* sqrt(R) delta^(3/2). */
#ifndef MRN_LAWS_NORMAL_HERTZ_H
#define MRN_LAWS_NORMAL_HERTZ_H

#include "laws/normal.h"

MRN_FORMULA mrn_normal mrn_normal_hertz_step(mrn_hertz c, double r, double delta)
{
    double k = mrn_hertz_k(c, r), root = sqrt(delta), f = k * delta * root;
    mrn_normal n = {f, 0.4 * f * delta, 0, 1.5 * k * root, 0};
    return n;
}

#endif
