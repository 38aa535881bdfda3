/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dashpots at the edges of a contact. Contact begins (and may end) at a moment within a step; what
   stands for the dashpot on that step is weighted so that the sum over the steps is the integral to
   the order of the scheme. */
#ifndef MRN_LAWS_BEGIN_H
#define MRN_LAWS_BEGIN_H

#include "laws/power.h"

/* Values in and out, no pointers: that is what lets the loops around them vectorise. */

/* What never pulls (tension = 0) lets go. */
MRN_FORMULA double mrn_no_pull(double f, double tension)
{
    return f < 0 ? tension * f : f;
}

/* A dashpot acts at once when contact begins, at a moment within the step. The step's force stands
   for the time from half a step before to half a step after; the dashpot's share of it is the time
   since contact began plus the half step to come. Without this weight the impulse is wrong by up to
   half a step, and the scheme of first order. */
MRN_FORMULA double mrn_dashpot_begin(double fresh, double h, double delta, double rate)
{
    MRN_UNLESS(fresh > 0, 1);
    double reach = rate * h;
    /* beyond a whole step (with room for round-off): not a beginning but grains placed in overlap
     */
    double ratio = delta / reach, since = delta < 1.5 * reach ? (ratio < 1 ? ratio : 1) + 0.5 : 1;
    return fresh > 0 ? since : 1;
}

/* Likewise for damping that grows as delta^(1/4): what stands for delta^(1/4) on the first step, so
   that the sum over steps has no error of order h^(5/4). It is -zeta(-1/4, 1 + t) (reach)^(1/4)
   with t = delta / reach and Hurwitz' zeta (the plain dashpot above is -zeta(0, 1 + t) = t + 1/2);
   the polynomial is right to 2e-6. */
MRN_FORMULA double mrn_quarter_begin(double fresh, double h, double delta, double rate)
{
    double plain = sqrt(sqrt(delta));
    MRN_UNLESS(fresh > 0, plain);
    double reach = rate * h, ratio = delta / reach, t = ratio < 1 ? ratio : 1;
    double p =
        0.3204497388 +
        t * (0.8604377579 +
             t * (0.1824893777 + t * (-0.06171675976 + t * (0.02397456151 - t * 0.005184568))));
    double first = sqrt(sqrt(fabs(reach))) * p;
    return fresh > 0 && delta < 1.5 * reach ? first : plain;
}

/* The same at the end, for laws that end at zero overlap with the dashpot still pulling. */
MRN_FORMULA double mrn_dashpot_end(double h, double delta, double rate)
{
    double reach = -rate * h;
    return delta < reach ? delta / reach + 0.5 : 1;
}

/* -zeta(-1/2, 1 + t) for t in [0, 1], right to 2.4e-7. */
MRN_FORMULA double mrn_root_weight(double t)
{
    return 0.2078859948 +
           t * (0.7301999848 +
                t * (0.3261688518 +
                     t * (-0.08139157959 +
                          t * (0.03596551665 + t * (-0.01361962877 + t * 0.002677217776)))));
}

/* -zeta(-0.54, 1 + t) for t in [0, 1], right to 2.2e-7. */
MRN_FORMULA double mrn_zheng_weight(double t)
{
    return 0.1939164392 +
           t * (0.7102871872 +
                t * (0.3453648823 +
                     t * (-0.07975333555 +
                          t * (0.0345235582 + t * (-0.01295856777 + t * 0.002536616189)))));
}

/* Whether this step is the first of a contact (1.5 of a step's way at most, with room for
   round-off: beyond, grains were placed in overlap), or the last of one that ends at zero overlap
   with the dashpot still pulling (`pulls` = 1): the same sum seen backwards in time. */
MRN_FORMULA bool mrn_at_edge(double fresh, double pulls, double delta, double reach)
{
    double begins = fresh > 0 && reach > 0 ? 1.5 * reach : 0;
    double ends = pulls > 0 && reach < 0 ? -reach : 0;
    return delta < begins + ends;
}

/* What stands for sqrt(delta), as damping grows that goes with the contact radius: at the edges
   -zeta(-1/2, 1 + t) sqrt(reach), so that the sum has no error of order h^(3/2). */
MRN_FORMULA double mrn_root_edges(double fresh, double pulls, double h, double delta, double rate)
{
    double reach = rate * h, plain = sqrt(delta);
    bool at_edge = mrn_at_edge(fresh, pulls, delta, reach);
    MRN_UNLESS(at_edge, plain);
    double way = fabs(reach), ratio = delta / way, t = ratio < 1 ? ratio : 1;
    double edge = sqrt(way) * mrn_root_weight(t);
    return at_edge ? edge : plain;
}

/* Likewise for sqrt(delta) (delta/r)^0.04. */
MRN_FORMULA double mrn_zheng_edges(double fresh, double pulls, double h, double delta, double rate,
                                   double r)
{
    double reach = rate * h, way = fabs(reach), ratio = delta / way, t = ratio < 1 ? ratio : 1;
    bool edge = mrn_at_edge(fresh, pulls, delta, reach);
    double x = edge ? way : delta, weight = edge ? mrn_zheng_weight(t) : 1;
    return sqrt(x) * mrn_power_004(x / r) * weight;
}

/* Weight of a pull that acts at full strength from the moment of touching, on the first step. */
MRN_FORMULA double mrn_pull_begin(double fresh, double h, double delta, double rate)
{
    return mrn_dashpot_begin(fresh, h, delta, rate);
}

/* And on the last one, when `left` (m) remains until it lets go. */
MRN_FORMULA double mrn_pull_end(double h, double left, double rate)
{
    double weight = mrn_dashpot_end(h, left, rate);
    return left > 0 ? weight : 1;
}

#endif
