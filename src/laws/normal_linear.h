/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law linear: F = k delta + gamma d(delta)/dt (M1, after Cundall & Strack 1979). */
#ifndef MRN_LAWS_NORMAL_LINEAR_H
#define MRN_LAWS_NORMAL_LINEAR_H

#include "laws/normal.h"

typedef struct mrn_normal_linear_contact {
    double k, g, tension;
} mrn_normal_linear_contact;

/* m: the mass that is felt; own: that of the bodies alone, which the stiffness follows. */
MRN_FORMULA mrn_normal_linear_contact mrn_normal_linear_geared(mrn_linear c, double m, double own)
{
    double k = mrn_linear_k(c, own);
    mrn_normal_linear_contact r = {k, mrn_linear_gamma(c, m, k), c.tension};
    return r;
}

MRN_FORMULA mrn_normal_linear_contact mrn_normal_linear_of(mrn_linear c, double m)
{
    return mrn_normal_linear_geared(c, m, m);
}

/* begin, end: weights of the dashpot on the first and the last step, else 1. */
MRN_FORMULA mrn_normal mrn_normal_linear_at(mrn_normal_linear_contact c, double delta, double rate,
                                            double begin, double end)
{
    double spring = c.k * delta, now = c.g * begin;
    double f = mrn_no_pull(spring + now * end * rate, c.tension);
    mrn_normal r = {f, 0.5 * spring * delta, (f - spring) * rate, c.k, now};
    return r;
}

/* Of a contact whose numbers are known. */
MRN_FORMULA mrn_normal mrn_normal_linear_go(mrn_normal_linear_contact c, double delta, double rate,
                                            double fresh, double h)
{
    double begin = mrn_dashpot_begin(fresh, h, delta, rate);
    double end = c.tension > 0 ? mrn_dashpot_end(h, delta, rate) : 1;
    return mrn_normal_linear_at(c, delta, rate, begin, end);
}

MRN_FORMULA mrn_normal mrn_normal_linear_geared_step(mrn_linear c, double m, double own,
                                                     double delta, double rate, double fresh,
                                                     double h)
{
    return mrn_normal_linear_go(mrn_normal_linear_geared(c, m, own), delta, rate, fresh, h);
}

MRN_FORMULA mrn_normal mrn_normal_linear_step(mrn_linear c, double m, double delta, double rate,
                                              double fresh, double h)
{
    return mrn_normal_linear_go(mrn_normal_linear_of(c, m), delta, rate, fresh, h);
}

#endif
