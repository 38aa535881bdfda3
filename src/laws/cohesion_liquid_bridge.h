/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cohesion law liquid-bridge: a pendular bridge between two spheres, with capillary and, if the
   liquid is viscous, lubrication force. */
#ifndef MRN_LAWS_COHESION_LIQUID_BRIDGE_H
#define MRN_LAWS_COHESION_LIQUID_BRIDGE_H

#include "laws/cohesion.h"

typedef struct mrn_cohesion_liquid_bridge {
    double pull;              /* over R                                 */
    double volume, volume_r3; /* V = volume + volume_r3 R^3             */
    double range, range_r;    /* gap of rupture, range + range_r R      */
    double viscous;           /* 6 pi eta                               */
    double cut, cut_r;        /* of lubrication, cut + cut_r R          */
} mrn_cohesion_liquid_bridge;

MRN_FORMULA double mrn_liquid_bridge_range(mrn_cohesion_liquid_bridge c, double r)
{
    return c.range + c.range_r * r;
}
MRN_FORMULA double mrn_liquid_bridge_cut(mrn_cohesion_liquid_bridge c, double r)
{
    return c.cut + c.cut_r * r;
}

/* Arc tangent of z >= 0 to round-off: the angle halved three times, then the series. */
MRN_FORMULA double mrn_bridge_arc_tangent(double z)
{
    for (int k = 0; k < 3; k++)
        z = z / (1 + sqrt(1 + z * z));
    double q = z * z, sum = 0;
    for (int k = 12; k >= 0; k--)
        sum = 1.0 / (2 * k + 1) - q * sum;
    return 8 * z * sum;
}

/* The integral of 1/(1 + 1.05 x + 2.5 x^2) from x to y >= x, a difference of two arc tangents taken
   as one. */
MRN_FORMULA double mrn_bridge_energy(double x, double y)
{
    double root = 2.982867747654931; /* sqrt(4 * 2.5 - 1.05^2) */
    double p = (1.05 + 5 * x) / root, q = (1.05 + 5 * y) / root;
    return 2 / root * mrn_bridge_arc_tangent((q - p) / (1 + p * q));
}

MRN_FORMULA mrn_cohesion mrn_cohesion_liquid_bridge_step(mrn_cohesion_liquid_bridge c, double r,
                                                         double gap, double closing, double fresh,
                                                         double h)
{
    double end = mrn_liquid_bridge_range(c, r), cut = mrn_liquid_bridge_cut(c, r);
    double length = sqrt((c.volume + c.volume_r3 * r * r * r) / (2 * r)), pull = c.pull * r;
    double s = gap > 0 ? gap : 0, held = gap <= end ? 1 : 0, d = gap < 0 ? -gap : 0;
    double x = (s < end ? s : end) / length, last = end / length;
    double f = 1 / (1 + x * (1.05 + 2.5 * x)), f_last = 1 / (1 + last * (1.05 + 2.5 * last));
    double begin = mrn_pull_begin(fresh, h, d, closing) - 1;
    double ends = mrn_pull_end(h, end - gap, closing) - 1;
    double g = held * (1 + begin + ends) * c.viscous * r * r / (s > cut ? s : cut);
    mrn_cohesion b;
    b.fn = g * closing - held * pull * (f + begin + ends * f_last);
    b.energy = -(held * pull * (length * mrn_bridge_energy(x, last) + d));
    b.loss = g * closing * closing;
    b.jump = fresh > 0 ? pull * length * mrn_bridge_energy(0, last) : 0;
    return b;
}

#endif
