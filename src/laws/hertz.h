/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the laws of Hertz's family share: stiffness from the materials, duration of an elastic
   impact, and the damping of Tsuji, Tanaka & Ishida, Powder Technology 71 (1992) 239 (M2 of the
   sources). Every law of the family keeps 4/3 E* as its first coefficient. */
#ifndef MRN_LAWS_HERTZ_H
#define MRN_LAWS_HERTZ_H

#include "laws/params.h"

enum { MRN_HZ_K, MRN_HZ_ALPHA, MRN_HZ_TENSION, MRN_HZ_BASE };

#define MRN_HZ_PARAMS                                                                              \
    MRN_PARAM_RESTITUTION("damping"),                                                              \
        {.name = "damping",                                                                        \
         .symbol = "alpha",                                                                        \
         .unit = "1",                                                                              \
         .min = 0,                                                                                 \
         .max = 100,                                                                               \
         .fallback = NAN,                                                                          \
         .doc = "Tsuji's alpha. Give this or restitution."},                                       \
        MRN_PARAM_END_OF_CONTACT
#define MRN_HZ_N_PARAMS 3

mrn_status mrn_hertz_prepare(const mrn_material_pair *mat, const mrn_value *value, double *coef,
                             mrn_message *msg);
/* alpha of a restitution and back; exact for either end of contact. */
double mrn_hertz_alpha(double e, bool ends_at_force);
double mrn_hertz_restitution(double alpha, bool ends_at_force);

/* k~ = 4/3 E* sqrt(R); c[MRN_HZ_K] = 4/3 E* */
static inline double mrn_hertz_k(const double *c, double r)
{
    return c[MRN_HZ_K] * sqrt(r);
}
/* Elastic, for any law of the family: 3/2 k~ sqrt(delta), and 2.9433 delta_max / v with
   delta_max = (5 m v^2 / 4 k~)^(2/5). */
double mrn_hertz_stiffness(const double *c, double r, double m, double delta, double of_normal);
double mrn_hertz_contact_time(const double *c, double r, double m, double v);

/* alpha sqrt(m k~) delta^(1/4) */
static inline double mrn_hertz_damping(const double *c, double r, double m, double delta,
                                       double of_normal)
{
    (void)of_normal;
    return c[MRN_HZ_ALPHA] * sqrt(m * mrn_hertz_k(c, r) * sqrt(delta));
}

#endif
