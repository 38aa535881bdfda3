/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sine and cosine of which every bit is ours. Those of mathematical libraries differ from one
   version, processor and device to the next in the last digit; a body that turns would carry that
   into the state. Additions and products alone, so that all compilers agree. */
#ifndef MRN_BASE_SINE_H
#define MRN_BASE_SINE_H

#include "moraine/types.h"

/* Pi/2 in three pieces of 33 bits and what is left: a whole number below 2^20 times a piece is
   exact. Angles of more turns than that are what a body that has exploded shows: they lose whole
   turns of 2 pi as a double has it. */
#define MRN_HALF_PI_HEAD  0x1.921fb544p+0
#define MRN_HALF_PI_BODY  0x1.0b4611a6p-34
#define MRN_HALF_PI_TAIL  0x1.3198a2e037073p-69
#define MRN_SINE_FARTHEST 0x1p20

typedef struct mrn_sine_cosine {
    double sine, cosine;
} mrn_sine_cosine;

/* Taylor's series for |x| <= pi/4: what is left out is below 2^-61 of the result. */
MRN_INLINE double mrn_sine_series(double x)
{
    const double z = x * x;
    double p = -1. / 121645100408832000.;
    p = p * z + 1. / 355687428096000.;
    p = p * z - 1. / 1307674368000.;
    p = p * z + 1. / 6227020800.;
    p = p * z - 1. / 39916800.;
    p = p * z + 1. / 362880.;
    p = p * z - 1. / 5040.;
    p = p * z + 1. / 120.;
    p = p * z - 1. / 6.;
    return x + x * (z * p);
}
MRN_INLINE double mrn_cosine_series(double x)
{
    const double z = x * x;
    double p = 1. / 2432902008176640000.;
    p = p * z - 1. / 6402373705728000.;
    p = p * z + 1. / 20922789888000.;
    p = p * z - 1. / 87178291200.;
    p = p * z + 1. / 479001600.;
    p = p * z - 1. / 3628800.;
    p = p * z + 1. / 40320.;
    p = p * z - 1. / 720.;
    p = p * z + 1. / 24.;
    const double half = 0.5 * z, most = 1 - half;
    return most + (((1 - most) - half) + z * (z * p)); /* what `most` was rounded by comes back */
}

/* Both of an angle in rad, to 1 unit of the last place (of 1, near the zeros that are not at 0). */
MRN_INLINE mrn_sine_cosine mrn_sine_cosine_of(double x)
{
    if (!(fabs(x) < MRN_SINE_FARTHEST))
        x = fmod(x, 2 * MRN_PI);
    const double n = rint(x * (2 / MRN_PI));
    const double r = ((x - n * MRN_HALF_PI_HEAD) - n * MRN_HALF_PI_BODY) - n * MRN_HALF_PI_TAIL;
    const double s = mrn_sine_series(r), c = mrn_cosine_series(r);
    const double turn = n - 4 * rint(n / 4); /* -2 … 2; not a number for what is none */
    mrn_sine_cosine a = {s, c};
    if (turn == 1)
        a.sine = c, a.cosine = -s;
    else if (turn == -1)
        a.sine = -c, a.cosine = s;
    else if (turn != 0)
        a.sine = -s, a.cosine = -c;
    return a;
}

#endif
