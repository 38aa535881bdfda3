/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the laws of Hertz's family share: stiffness from the materials, duration of an elastic
   impact, and the damping of Tsuji, Tanaka & Ishida, Powder Technology 71 (1992) 239 (M2 of the
   sources). The coefficients of every law of the family begin with mrn_hertz. */
#ifndef MRN_LAWS_HERTZ_H
#define MRN_LAWS_HERTZ_H

#include "laws/normal.h"
#include "laws/params.h"

/* alpha of a restitution and back; exact for either end of contact. */
double mrn_hertz_alpha(double e, bool ends_at_force);
double mrn_hertz_restitution(double alpha, bool ends_at_force);

/* Elastic, for any law of the family: 3/2 k~ sqrt(delta), and 2.9433 delta_max / v with
   delta_max = (5 m v^2 / 4 k~)^(2/5). */
double mrn_hertz_stiffness(const double *c, double r, double m, double delta, double of_normal);
double mrn_hertz_contact_time(const double *c, double r, double m, double v);

#endif
