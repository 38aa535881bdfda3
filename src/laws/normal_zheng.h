/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law zheng: F = k~ delta^(3/2) + g sqrt(R delta) (delta/R)^0.04 d(delta)/dt, the power only
   where the published factor is asked for (M3; Zheng, Zhu & Yu, Powder Technology 226 (2012) 130).
 */
#ifndef MRN_LAWS_NORMAL_ZHENG_H
#define MRN_LAWS_NORMAL_ZHENG_H

#include "laws/normal.h"

typedef struct mrn_normal_zheng {
    mrn_hertz hertz;
    double g, tension;
    double power; /* 1: with the power, or 0 */
} mrn_normal_zheng;

typedef struct mrn_normal_zheng_contact {
    double k, g, tension, power, r;
} mrn_normal_zheng_contact;

MRN_FORMULA mrn_normal_zheng_contact mrn_normal_zheng_of(mrn_normal_zheng c, double r)
{
    mrn_normal_zheng_contact z = {mrn_hertz_k(c.hertz, r), c.g * sqrt(r), c.tension, c.power, r};
    return z;
}

/* sqrt(delta) (delta/R)^0.04, what the dashpot grows with. */
MRN_FORMULA double mrn_normal_zheng_growth(double r, double delta, double root)
{
    return root * mrn_power_004(delta / r);
}

/* growth: of the dashpot, or what stands for it on the first and the last step. */
MRN_FORMULA mrn_normal mrn_normal_zheng_at(mrn_normal_zheng_contact c, double delta, double root,
                                           double growth, double rate)
{
    return mrn_hertz_at(c.k, c.g * growth, c.tension, delta, root, rate);
}

/* power: that of c, a constant where the caller knows it. */
MRN_FORMULA mrn_normal mrn_normal_zheng_step(mrn_normal_zheng c, bool power, double r, double delta,
                                             double rate, double fresh, double h)
{
    double growth = power ? mrn_zheng_edges(fresh, c.tension, h, delta, rate, r)
                          : mrn_root_edges(fresh, c.tension, h, delta, rate);
    return mrn_normal_zheng_at(mrn_normal_zheng_of(c, r), delta, sqrt(delta), growth, rate);
}

MRN_FORMULA double mrn_normal_zheng_damping(mrn_normal_zheng c, double r, double delta)
{
    return c.g * sqrt(r * delta) * (c.power > 0 ? mrn_power_004(delta / r) : 1);
}

#endif
