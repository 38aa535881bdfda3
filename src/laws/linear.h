/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear springs and dashpots (M1 of the sources, after Cundall & Strack 1979): what the laws made
   of them share: parameters, and how they become the coefficients mrn_linear. */
#ifndef MRN_LAWS_LINEAR_H
#define MRN_LAWS_LINEAR_H

#include "laws/normal.h"
#include "laws/params.h"

#define MRN_PARAM_NORMAL_STIFFNESS(instead)                                                        \
    {                                                                                              \
        .name = "normal-stiffness", .symbol = "k_n", .unit = "N/m", .min = 0, .min_open = true,    \
        .max = INFINITY, .fallback = NAN, .doc = "Spring stiffness. Give this or " instead "."     \
    }
#define MRN_PARAM_NORMAL_DAMPING                                                                   \
    {                                                                                              \
        .name = "normal-damping", .symbol = "gamma_n", .unit = "N s/m", .min = 0, .max = INFINITY, \
        .fallback = NAN, .doc = "Dashpot constant. Give this or restitution."                      \
    }

/* The parameters of the spring-dashpot, in this order. */
#define MRN_LIN_PARAMS                                                                             \
    MRN_PARAM_NORMAL_STIFFNESS("contact-time"),                                                    \
        {.name = "contact-time",                                                                   \
         .symbol = "t_c",                                                                          \
         .unit = "s",                                                                              \
         .min = 0,                                                                                 \
         .min_open = true,                                                                         \
         .max = INFINITY,                                                                          \
         .fallback = NAN,                                                                          \
         .doc = "Half period of the damped spring, the same for every pair of grains: the "        \
                "stiffness then grows with the mass. Give this or normal-stiffness."},             \
        MRN_PARAM_RESTITUTION("normal-damping"), MRN_PARAM_NORMAL_DAMPING,                         \
        MRN_PARAM_END_OF_CONTACT
#define MRN_LIN_N_PARAMS 5

mrn_status mrn_linear_prepare(const mrn_value *value, mrn_linear *out, mrn_message *msg);

/* Damping ratio zeta = gamma / (2 sqrt(m k)) that gives restitution e. */
double mrn_linear_zeta(double e, bool ends_at_force);
double mrn_linear_restitution(double zeta, bool ends_at_force);

/* For the descriptors of laws with these coefficients. */
double mrn_linear_stiffness(const double *c, double r, double m, double delta, double of_normal);
double mrn_linear_damping(const double *c, double r, double m, double delta, double of_normal);
/* Duration of an impact that ends when the force is back at zero. */
double mrn_linear_time_to_zero_force(const double *c, double r, double m, double v);

#endif
