/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one power and the one cube root that laws take in the step, made of operations that IEEE 754
   fixes to the last bit: libraries differ in pow and cbrt by a unit of the last place, and theirs
   do not vectorise. All else that the formulas of laws/ call (sqrt, fabs, ldexp, frexp) is exact
   everywhere. */
#ifndef MRN_LAWS_POWER_H
#define MRN_LAWS_POWER_H

#include "base/bits.h"
#include "moraine/types.h"

/* Formulas are compiled into the loops around them, always: a call would keep a loop from being
   vectors. */
#if defined(__GNUC__)
#define MRN_FORMULA MRN_INLINE __attribute__((always_inline))
#else
#define MRN_FORMULA MRN_INLINE
#endif

/* What formulas need seldom, as on the first step of a contact, processors compute always: a branch
   would keep a loop from being vectors. A device does without: `usual` is what is returned else,
   with the same bits. */
#ifdef __CUDACC__
#define MRN_UNLESS(seldom, usual)                                                                  \
    if (!(seldom))                                                                                 \
    return usual
#else
#define MRN_UNLESS(seldom, usual)
#endif

/* x^0.04 to three units of the last place for x > 0, something finite at 0. With x = 2^e m, m about
   1, it is exp(0.04 (e ln 2 + ln m)); so small a power forgives the logarithm its last digits. */
MRN_FORMULA double mrn_power_004(double x)
{
    const uint64_t one = 0x3ff0000000000000, root_half = 0x3fe6a09e667f3bcd;
    const double ln2 = 0.693147180559945309, shift = 6755399441055744.0; /* 1.5 * 2^52 */
    uint64_t u = mrn_bits_of(x) + (one - root_half);
    double e = mrn_of_bits(u >> 52 | 0x4330000000000000) - (4503599627370496.0 + 1023); /* 2^52 */
    double m = mrn_of_bits((u & 0x000fffffffffffff) + root_half), t = (m - 1) / (m + 1), q = t * t;
    double q2 = q * q, q4 = q2 * q2;
    double a = 1.0 / 3 + q * (1.0 / 5) + q2 * (1.0 / 7 + q * (1.0 / 9));
    double b = 1.0 / 11 + q * (1.0 / 13) + q2 * (1.0 / 15 + q * (1.0 / 17));
    double c = 1.0 / 19 + q * (1.0 / 21), ln_m = 2 * t + 2 * t * q * (a + q4 * (b + q4 * c));
    double y = 0.04 * (e * ln2 + ln_m), near = y * 1.44269504088896341 + shift;
    double f = y - (near - shift) * ln2, f2 = f * f, f4 = f2 * f2; /* y = k ln 2 + f */
    double low = 0.5 + f * (1.0 / 6) + f2 * (1.0 / 24 + f * (1.0 / 120));
    double mid = 1.0 / 720 + f * (1.0 / 5040) + f2 * (1.0 / 40320 + f * (1.0 / 362880));
    double top = 1.0 / 3628800 + f * (1.0 / 39916800) + f2 * (1.0 / 479001600);
    double exp_f = 1 + (f + f2 * (low + f4 * (mid + f4 * top)));
    return exp_f * mrn_of_bits((mrn_bits_of(near) + 1023) << 52);
}

/* The cube root to 0.7 units of the last place, for x > 0 that is not denormal. With x = 8^k m, m
   from 1 to 8: a third of the bits is right to 5 %, two steps of Halley's method leave 1e-12. Of
   that 26 bits are kept, so that their square is exact, and a last step adds the rest. */
MRN_FORMULA double mrn_cube_root(double x)
{
    const uint64_t fraction = 0x000fffffffffffff;
    uint64_t u = mrn_bits_of(x), e = u >> 52, k = e / 3;
    uint64_t v = (u & fraction) | (1023 + (e - 3 * k)) << 52; /* 1023 is three times 341 */
    double m = mrn_of_bits(v), t = mrn_of_bits(v / 3 + 0x2a9f7893782da1ce);
    for (int step = 0; step < 2; step++) {
        double t3 = t * t * t;
        t = t * ((t3 + 2 * m) / (2 * t3 + m));
    }
    t = mrn_of_bits((mrn_bits_of(t) + 0x4000000) & ~(uint64_t)0x7ffffff);
    double over = m / (t * t);
    t += t * ((over - t) / (2 * t + over));
    return t * mrn_of_bits((k + 1023 - 341) << 52);
}

#endif
