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
static inline double mrn_moment_stop(double m, double r, double h)
{
    return h > 0 ? 0.1 * m * r * r / h : 1e300;
}

/* Angular velocity across n: rolling. What is along n is twisting. */
static inline mrn_vec3 mrn_rolling(mrn_vec3 n, mrn_vec3 w)
{
    return mrn_axpy(-mrn_dot(w, n), n, w);
}

#define MRN_PARAM_ROLLING_FRICTION                                                                 \
    {                                                                                              \
        .name = "rolling-friction", .symbol = "mu_r", .unit = "1", .min = 0, .max = 10,            \
        .required = true,                                                                          \
        .doc = "Largest rolling moment over R F_n, R the effective radius 1/(1/R_a + 1/R_b)."      \
    }
#define MRN_PARAM_TWISTING_FRICTION                                                                \
    {                                                                                              \
        .name = "twisting-friction", .symbol = "mu_w", .unit = "1", .min = 0, .max = 10,           \
        .required = true,                                                                          \
        .doc = "Largest twisting moment over R F_n, R the effective radius 1/(1/R_a + 1/R_b)."     \
    }

#endif
