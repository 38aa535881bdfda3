/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tangential spring, once for all laws that have one. The elongation is kept half a step ahead
   (as leap-frog keeps velocities), so force and energy are of second order in the step: the spring
   at step n is what was kept plus h/2 u. A contact that began within the step has lived only since
   its overlap was zero. */
#ifndef MRN_LAWS_TANGENT_H
#define MRN_LAWS_TANGENT_H

#include "moraine/law.h"

/* The functions take and return values, never pointers: that is what lets the loops around them
 * vectorise. */

/* Spring s turned by the angle `turn` about n and brought into the plane across n, keeping its
 * length. */
static inline mrn_vec3 mrn_tangent_turn(mrn_vec3 n, double turn, mrn_vec3 s)
{
    double before = mrn_dot(s, s);
    s = mrn_axpy(turn, mrn_cross(n, s), s);
    s = mrn_axpy(-mrn_dot(s, n), n, s);
    double after = mrn_dot(s, s);
    double scale = sqrt(before / (after > 0 ? after : 1));
    return mrn_scale(after > 0 ? scale : 1, s);
}

/* Time the spring grows before it is read: half a step, or since the contact began. */
static inline double mrn_tangent_lead(double fresh, double h, double delta, double rate)
{
    double reach = rate * h;
    double since = delta < reach ? delta / reach : 1;
    return fresh > 0 ? since * h : 0.5 * h;
}

/* A dashpot acts at once when contact begins, at a moment within the step. The step's force stands
   for the time from half a step before to half a step after; the dashpot's share of it is the time
   since contact began plus the half step to come. Without this weight the impulse is wrong by up to
   half a step, and the scheme of first order. */
static inline double mrn_dashpot_begin(double fresh, double h, double delta, double rate)
{
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
static inline double mrn_quarter_begin(double fresh, double h, double delta, double rate)
{
    double reach = rate * h, ratio = delta / reach, t = ratio < 1 ? ratio : 1,
           plain = sqrt(sqrt(delta));
    double p =
        0.3204497388 +
        t * (0.8604377579 +
             t * (0.1824893777 + t * (-0.06171675976 + t * (0.02397456151 - t * 0.005184568))));
    double first = sqrt(sqrt(fabs(reach))) * p;
    return fresh > 0 && delta < 1.5 * reach ? first : plain;
}

/* The same at the end, for laws that end at zero overlap with the dashpot still pulling. */
static inline double mrn_dashpot_end(double h, double delta, double rate)
{
    double reach = -rate * h;
    return delta < reach ? delta / reach + 0.5 : 1;
}

typedef struct mrn_tangent {
    mrn_vec3 force;  /* taken from C: the force on C is minus this */
    mrn_vec3 spring; /* at the step                                */
    mrn_vec3 ahead;  /* half a step later: what is kept            */
    double slide;    /* 1 at Coulomb's limit                       */
} mrn_tangent;

/* s: the spring kept (half a step before, or zero at the beginning); it has grown for the time
   `lead` since if the contact sticks. The whole vector k s + g u is cut at the limit mu fn. While
   sliding, spring and dashpot stand in series with the slider: k s + g ds/dt = limit, a relaxation
   with time g/k, by the midpoint rule over `span` (from the value kept to the next one). Its factor
   is bounded at -1/2, so that it still decays when g/k is shorter than the step. Setting the spring
   to (f - g u)/k or to f/k instead, as is often done, leaves a trace of the step in it: such
   schemes are of first order or worse. */
static inline mrn_tangent mrn_tangent_force(mrn_vec3 s, mrn_vec3 u, double k, double g,
                                            double limit, double lead, double span)
{
    mrn_vec3 now = mrn_axpy(lead, u, s), f = mrn_axpy(k, now, mrn_scale(g, u));
    double size = sqrt(mrn_dot(f, f));
    double slide = size > limit ? 1 : 0;
    double cut = size > limit ? limit / size : 1;
    double inv = k > 0 ? 1 / k : 0;
    double half = 0.5 * k * span, den = g + half;
    double factor = (g - half) / den, bounded = factor > -0.5 ? factor : -0.5;
    double keep = den > 0 ? bounded : 1;
    f = mrn_scale(cut, f);
    mrn_tangent r = {f, now, mrn_axpy(span - lead, u, now), slide};
    mrn_vec3 rest = mrn_scale(inv, f);
    mrn_vec3 next = mrn_axpy(keep, mrn_sub(s, rest), rest);
    r.ahead.x = slide > 0 ? next.x : r.ahead.x;
    r.ahead.y = slide > 0 ? next.y : r.ahead.y;
    r.ahead.z = slide > 0 ? next.z : r.ahead.z;
    r.spring.x = slide > 0 ? 0.5 * (s.x + next.x) : now.x;
    r.spring.y = slide > 0 ? 0.5 * (s.y + next.y) : now.y;
    r.spring.z = slide > 0 ? 0.5 * (s.z + next.z) : now.z;
    return r;
}

#endif
