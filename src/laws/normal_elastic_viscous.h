/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law elastic-viscous: F = max(0, k delta + gamma d(delta)/dt). */
#ifndef MRN_LAWS_NORMAL_ELASTIC_VISCOUS_H
#define MRN_LAWS_NORMAL_ELASTIC_VISCOUS_H

#include "laws/normal.h"

MRN_FORMULA mrn_normal mrn_normal_elastic_viscous_step(mrn_linear c, double m, double delta,
                                                       double rate, double fresh, double h)
{
    double spring = c.k * delta;
    double g = mrn_linear_gamma(c, m, c.k) * mrn_dashpot_begin(fresh, h, delta, rate);
    double f = spring + g * rate;
    f = f < 0 ? 0 : f;
    mrn_normal r = {f, 0.5 * spring * delta, (f - spring) * rate, c.k, g};
    return r;
}

#endif
