/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What laws of rolling and twisting share. They see effective mass and radius, not the inertia of
   the grains; for spheres of any two sizes
       1/I = 1/(2/5 m_C r_C^2) + 1/(2/5 m_A r_A^2) <= (1/m_C + 1/m_A) (1/r_C + 1/r_A)^2 / (2/5),
   so 2/5 m R^2 is never more than the true one (and is the true one of a grain on a wall; between
   equal grains a quarter of it). */
#ifndef MRN_LAWS_MOMENT_H
#define MRN_LAWS_MOMENT_H

#include "laws/tangent.h"

/* Largest viscous moment per angular velocity that cannot overshoot in one step: a quarter of
   2/5 m R^2 / h, so that half a dozen contacts of one grain may act together (limit of the explicit
   scheme: their sum times h below twice the inertia). Enormous when there is no time step. */
MRN_FORMULA double mrn_moment_stop(double m, double r, double h)
{
    return h > 0 ? 0.1 * m * r * r / h : 1e300;
}

/* Angular velocity across n: rolling. What is along n is twisting. */
MRN_FORMULA mrn_vec3 mrn_rolling(mrn_vec3 n, mrn_vec3 w)
{
    return mrn_axpy(-mrn_dot(w, n), n, w);
}

/* What moves a contact's rolling and twisting over a step. */
typedef struct mrn_turning {
    mrn_vec3 n, w;  /* normal; angular velocity of C relative to A */
    double turn, h; /* angle of the spring about n; time step      */
    double r, m;    /* effective radius and mass                   */
    double k_n;     /* stiffness of the normal law                 */
    double press;
} mrn_turning;

/* What a law of rolling or twisting answers. */
typedef struct mrn_moment {
    mrn_vec3 moment; /* taken from C */
    double energy, power;
} mrn_moment;

/* A moment g w along the angular velocity w. */
MRN_FORMULA mrn_moment mrn_moment_viscous(double g, mrn_vec3 w, double power)
{
    mrn_moment r;
    r.moment = mrn_scale(g, w);
    r.energy = 0, r.power = power;
    return r;
}

/* Against rolling, in proportion to its speed: `full` per angular velocity, as far as the step lets
   it. */
MRN_FORMULA mrn_moment mrn_moment_against_rolling(double full, mrn_turning at)
{
    mrn_vec3 w = mrn_rolling(at.n, at.w);
    double stop = mrn_moment_stop(at.m, at.r, at.h), g = full < stop ? full : stop;
    return mrn_moment_viscous(g, w, g * mrn_dot(w, w));
}

#endif
