/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One impact under F = k~ (delta^(3/2) + 3/2 A sqrt(delta) d(delta)/dt), solved to round-off. In
   units of delta_0 = (m v^2 / k~)^(2/5) and delta_0 / v it depends on one number alone,
   x = A v / delta_0 = A (k~/m)^(2/5) v^(1/5). */
#ifndef MRN_LAWS_VISCOELASTIC_H
#define MRN_LAWS_VISCOELASTIC_H

#include "laws/params.h"

typedef struct mrn_scaled_impact {
    double restitution;
    double time; /* of contact, in units of delta_0 / v */
} mrn_scaled_impact;

/* For 0 <= x. Values above 200 count as 200 (restitution 1e-4), where contact ends at zero overlap
   above 10 as 10 (7e-6). */
mrn_scaled_impact mrn_viscoelastic_impact(double x, bool ends_at_force);
/* x of a restitution; values below 0.001 count as 0.001. */
double mrn_viscoelastic_x(double e, bool ends_at_force);
/* Relaxation time A from the bulk viscosities, Brilliantov, Pimenova & Goldobin 2015. */
double mrn_viscoelastic_time(const mrn_material_pair *mat, double eta1, double eta2);

#endif
