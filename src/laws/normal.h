/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a normal law answers, and the two families' common parts that their formulas are made of:
   the spring of Hertz, and the linear spring with a dashpot.

   Formulas of laws stand in headers, one for each law (normal_tsuji.h, …), as functions of numbers:
   the loop over a block, the lab's collisions and other devices compile the same text. It is C17
   and C++ alike, without pointers to what changes, and calls nothing but sqrt, fabs and the like. A
   law has its coefficients (of a pair of materials) as a struct; `_step` is one step of one
   contact. Laws that can be asked at an instant have what a contact keeps through its life
   (`_contact`, made by `_of`) and the answer at an overlap and rate (`_at`); `_step` is made of
   them. */
#ifndef MRN_LAWS_NORMAL_H
#define MRN_LAWS_NORMAL_H

#include "laws/begin.h"

typedef struct mrn_normal {
    double fn;     /* force on C along n                                 */
    double energy; /* stored                                             */
    double loss;   /* power dissipated                                   */
    double k;      /* elastic tangent stiffness                          */
    double gamma;  /* what multiplies the rate in fn at this step        */
} mrn_normal;

/* ---- Hertz ---- */

/* First member of the coefficients of every law of the family. */
typedef struct mrn_hertz {
    double k43; /* 4/3 E* */
} mrn_hertz;

/* k~ = 4/3 E* sqrt(R), of the root */
MRN_FORMULA double mrn_hertz_k_of(mrn_hertz c, double root_r)
{
    return c.k43 * root_r;
}
MRN_FORMULA double mrn_hertz_k(mrn_hertz c, double r)
{
    return mrn_hertz_k_of(c, sqrt(r));
}

/* k~ delta^(3/2), and a dashpot g; root is that of the overlap. */
MRN_FORMULA mrn_normal mrn_hertz_at(double k, double g, double tension, double delta, double root,
                                    double rate)
{
    double spring = k * delta * root;
    mrn_normal f;
    f.fn = mrn_no_pull(spring + g * rate, tension);
    f.energy = 0.4 * spring * delta;
    f.loss = (f.fn - spring) * rate;
    f.k = 1.5 * k * root;
    f.gamma = g;
    return f;
}

/* Tangent stiffness at an overlap. */
MRN_FORMULA double mrn_hertz_slope(mrn_hertz c, double r, double delta)
{
    return 1.5 * mrn_hertz_k(c, r) * sqrt(delta);
}

/* ---- spring and dashpot ---- */

/* Coefficients of every law of the family: k = k + m k_m (stiffness given, or contact time given),
   gamma = g + zeta2 sqrt(m k). */
typedef struct mrn_linear {
    double k, k_m, g, zeta2, tension;
} mrn_linear;

MRN_FORMULA double mrn_linear_k(mrn_linear c, double m)
{
    return c.k + m * c.k_m;
}
MRN_FORMULA double mrn_linear_gamma(mrn_linear c, double m, double k)
{
    return c.g + c.zeta2 * sqrt(m * k);
}

#endif
