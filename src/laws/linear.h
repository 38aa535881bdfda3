/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The linear spring-dashpot (M1 of the sources, after Cundall & Strack 1979): coefficients shared
   by its normal and tangential part. k = c[0] + m c[1] (stiffness given, or contact time given),
   gamma = c[2] + c[3] sqrt(m k). */
#ifndef MRN_LAWS_LINEAR_H
#define MRN_LAWS_LINEAR_H

#include "laws/params.h"

enum { MRN_LIN_K, MRN_LIN_KM, MRN_LIN_G, MRN_LIN_ZETA2, MRN_LIN_TENSION, MRN_LIN_BASE };

/* The parameters both parts share, in this order at the start of each part's list. */
#define MRN_LIN_PARAMS                                                                             \
    {.name = "normal-stiffness",                                                                   \
     .symbol = "k_n",                                                                              \
     .unit = "N/m",                                                                                \
     .min = 0,                                                                                     \
     .min_open = true,                                                                             \
     .max = INFINITY,                                                                              \
     .fallback = NAN,                                                                              \
     .doc = "Spring stiffness. Give this or contact-time."},                                       \
        {.name = "contact-time",                                                                   \
         .symbol = "t_c",                                                                          \
         .unit = "s",                                                                              \
         .min = 0,                                                                                 \
         .min_open = true,                                                                         \
         .max = INFINITY,                                                                          \
         .fallback = NAN,                                                                          \
         .doc = "Half period of the damped spring, the same for every pair of grains: the "        \
                "stiffness then grows with the mass. Give this or normal-stiffness."},             \
        MRN_PARAM_RESTITUTION("normal-damping"),                                                   \
        {.name = "normal-damping",                                                                 \
         .symbol = "gamma_n",                                                                      \
         .unit = "N s/m",                                                                          \
         .min = 0,                                                                                 \
         .max = INFINITY,                                                                          \
         .fallback = NAN,                                                                          \
         .doc = "Dashpot constant. Give this or restitution."},                                    \
        MRN_PARAM_END_OF_CONTACT
#define MRN_LIN_N_PARAMS 5

mrn_status mrn_linear_prepare(const mrn_value *value, double *coef, mrn_message *msg);

/* Damping ratio zeta = gamma / (2 sqrt(m k)) that gives restitution e. */
double mrn_linear_zeta(double e, bool ends_at_force);
double mrn_linear_restitution(double zeta, bool ends_at_force);

static inline double mrn_linear_k(const double *c, double m)
{
    return c[MRN_LIN_K] + m * c[MRN_LIN_KM];
}
static inline double mrn_linear_gamma(const double *c, double m, double k)
{
    return c[MRN_LIN_G] + c[MRN_LIN_ZETA2] * sqrt(m * k);
}

#endif
