/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law viscoelastic: F = k~ (delta^(3/2) + 3/2 A sqrt(delta) d(delta)/dt), k~ = 4/3 E*
   sqrt(R). */
#ifndef MRN_LAWS_NORMAL_VISCOELASTIC_H
#define MRN_LAWS_NORMAL_VISCOELASTIC_H

#include "laws/normal.h"

typedef struct mrn_normal_viscoelastic {
    mrn_hertz hertz;
    double time; /* A */
    double tension;
} mrn_normal_viscoelastic;

/* k: k~ of the contact. */
MRN_FORMULA mrn_normal mrn_normal_viscoelastic_go(mrn_normal_viscoelastic c, double k, double delta,
                                                  double rate, double fresh, double h)
{
    double g = 1.5 * c.time * k * mrn_root_edges(fresh, c.tension, h, delta, rate);
    return mrn_hertz_at(k, g, c.tension, delta, sqrt(delta), rate);
}
MRN_FORMULA mrn_normal mrn_normal_viscoelastic_step(mrn_normal_viscoelastic c, double r,
                                                    double delta, double rate, double fresh,
                                                    double h)
{
    return mrn_normal_viscoelastic_go(c, mrn_hertz_k(c.hertz, r), delta, rate, fresh, h);
}

#endif
