/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law walton-braun: loading along k_1, unloading and reloading along k_2. */
#ifndef MRN_LAWS_NORMAL_WALTON_BRAUN_H
#define MRN_LAWS_NORMAL_WALTON_BRAUN_H

#include "laws/normal.h"

/* k_1 = k1 + m k1_m, k_2 = ratio k_1 + k2 + slope F_max */
typedef struct mrn_normal_walton_braun {
    double k1, k1_m, ratio, k2, slope;
} mrn_normal_walton_braun;

MRN_FORMULA double mrn_walton_braun_loading(mrn_normal_walton_braun c, double m)
{
    return c.k1 + m * c.k1_m;
}
/* k_1, and the largest force borne */
MRN_FORMULA double mrn_walton_braun_unloading(mrn_normal_walton_braun c, double k1, double force)
{
    return c.ratio * k1 + c.k2 + c.slope * force;
}

/* The part of a step's loss that belongs to it: all of it, but when a reloaded contact passes the
   largest overlap only the time since then (as a dashpot that begins, laws/begin.h). */
MRN_FORMULA double mrn_walton_braun_weight(double last, double largest, double delta, double way)
{
    double since = (delta - largest) / way;
    return last < largest && delta < largest + 1.5 * way ? (since < 1 ? since : 1) + 0.5 : 1;
}

/* largest, last: overlaps before this step. The next step's are max(largest, delta) and delta. */
MRN_FORMULA mrn_normal mrn_normal_walton_braun_step(mrn_normal_walton_braun c, double m,
                                                    double delta, double rate, double h,
                                                    double largest, double last)
{
    double k1 = mrn_walton_braun_loading(c, m), top = delta > largest ? delta : largest;
    double f_top = k1 * top, k2 = mrn_walton_braun_unloading(c, k1, f_top);
    double f = f_top - k2 * (top - delta);
    f = f < 0 ? 0 : f;
    /* of the power F d(delta)/dt, what does not go into F^2 / (2 k2) */
    double kept = k1 / k2, lost = f * (1 - kept + 0.5 * c.slope * f * kept / k2) * rate;
    double weight = mrn_walton_braun_weight(last, largest, delta, rate * h);
    mrn_normal r = {f, 0.5 * f * f / k2, delta > largest && rate > 0 ? lost * weight : 0, k1, 0};
    return r;
}

/* Tangent stiffness where the force falls: the larger one. */
MRN_FORMULA double mrn_normal_walton_braun_slope(mrn_normal_walton_braun c, double m, double delta)
{
    double k1 = mrn_walton_braun_loading(c, m);
    return mrn_walton_braun_unloading(c, k1, k1 * delta);
}

#endif
