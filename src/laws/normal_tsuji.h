/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normal law tsuji: F = k~ delta^(3/2) + alpha sqrt(m k~) delta^(1/4) d(delta)/dt, k~ = 4/3 E*
   sqrt(R) (M2; Tsuji, Tanaka & Ishida, Powder Technology 71 (1992) 239). */
#ifndef MRN_LAWS_NORMAL_TSUJI_H
#define MRN_LAWS_NORMAL_TSUJI_H

#include "laws/normal.h"

typedef struct mrn_normal_tsuji {
    mrn_hertz hertz;
    double alpha, tension;
} mrn_normal_tsuji;

typedef struct mrn_normal_tsuji_contact {
    double k, g, tension;
} mrn_normal_tsuji_contact;

MRN_FORMULA mrn_normal_tsuji_contact mrn_normal_tsuji_of(mrn_normal_tsuji c, double r, double m)
{
    double k = mrn_hertz_k(c.hertz, r);
    mrn_normal_tsuji_contact t = {k, c.alpha * sqrt(m * k), c.tension};
    return t;
}

/* root and quarter: delta^(1/2), and delta^(1/4) or what stands for it on the first step. */
MRN_FORMULA mrn_normal mrn_normal_tsuji_at(mrn_normal_tsuji_contact c, double delta, double root,
                                           double quarter, double rate)
{
    return mrn_hertz_at(c.k, c.g * quarter, c.tension, delta, root, rate);
}

/* Of a contact whose numbers are known. */
MRN_FORMULA mrn_normal mrn_normal_tsuji_go(mrn_normal_tsuji_contact c, double delta, double rate,
                                           double fresh, double h)
{
    double quarter = mrn_quarter_begin(fresh, h, delta, rate);
    return mrn_normal_tsuji_at(c, delta, sqrt(delta), quarter, rate);
}
MRN_FORMULA mrn_normal mrn_normal_tsuji_step(mrn_normal_tsuji c, double r, double m, double delta,
                                             double rate, double fresh, double h)
{
    return mrn_normal_tsuji_go(mrn_normal_tsuji_of(c, r, m), delta, rate, fresh, h);
}

/* alpha sqrt(m k~) delta^(1/4) */
MRN_FORMULA double mrn_normal_tsuji_damping(mrn_normal_tsuji c, double r, double m, double delta)
{
    return c.alpha * sqrt(m * mrn_hertz_k(c.hertz, r) * sqrt(delta));
}

#endif
