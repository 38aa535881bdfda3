/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums whose bits do not depend on the order of their terms, nor on how these are cut into parts:
   by threads, lists, places in memory, ranks.

   Binned summation after Demmel and Nguyen (2015) and Ahrens, Demmel and Nguyen (ReproBLAS, 2020),
   with integers in the place of their floating-point bins. The line of exponents is cut into levels
   44 bits apart, once for all numbers. Adding x to 1.5 * 2^52 units of a level rounds it to whole
   units; how many they are stands in the last bits of the sum, and what rounding left goes to the
   next level. Each term is cut so on the same three levels: that of the largest term of all and the
   two below it. Their counts are integers, added exactly in any order; a larger term that comes
   later only lets go of levels that it would not have looked at. The error is below 2^-88 of the
   largest term per term, and one rounding at the end.

   Why so: a plain sum would need one order for all, which a list, a rank or a GPU does not have; a
   sum exact to the last bit (a superaccumulator) costs a scattered access per term. Here a term is
   ten vector operations in a loop without branches, and what goes from thread to thread is one
   line of cache. A step of the smooth engine pays less than two hundredths for its totals, which
   loops that now vectorise give back (docs/design.md, "Same bits"). */
#ifndef MRN_BASE_SUM_H
#define MRN_BASE_SUM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"

enum { MRN_SUM_FOLDS = 3, MRN_SUM_BITS = 44, MRN_SUM_BLOCK = 1 << 19 };

__extension__ typedef __int128 mrn_int128;

/* All zero: the empty sum. */
typedef struct mrn_sum {
    int32_t top; /* 1 + level of the largest term; 0: none but zeros yet       */
    bool lost;   /* a term was infinite, not a number, or 2^993 and more      */
    mrn_int128 count[MRN_SUM_FOLDS]; /* units of that level and the two below  */
} mrn_sum;

/* The levels from `top` on: those of the sum that are still among them stay. */
void mrn_sum_raise(mrn_sum *s, int32_t top);
/* n terms, at most MRN_SUM_BLOCK. */
void mrn_sum_block(mrn_sum *s, const double *x, int64_t n);
/* All terms of another sum: as if they had been added one by one. */
void mrn_sum_merge(mrn_sum *s, const mrn_sum *part);
/* The sum; NAN when a term was lost. */
double mrn_sum_value(const mrn_sum *s);

/* 1 + the level whose units a number with these bits (less the sign) is cut into first. Units of
   level l are 2^(44 l - 1074): the lowest holds the last bit of every number. */
MRN_INLINE int32_t mrn_sum_top(uint64_t bits)
{
    return 1 + (int32_t)((bits >> 52) + 52) / MRN_SUM_BITS;
}

/* What rounds to units of the level top - 1: 1.5 * 2^52 of them; 0 below the lowest. */
MRN_INLINE double mrn_sum_rounder(int32_t top)
{
    uint64_t exponent = (uint64_t)(top - 1) * MRN_SUM_BITS + 1;
    return top > 0 ? mrn_of_bits(exponent << 52 | UINT64_C(1) << 51) : 0;
}

MRN_INLINE void mrn_sum_add(mrn_sum *s, double x)
{
    const uint64_t too_large = UINT64_C(2016) << 52;
    uint64_t bits = mrn_bits_of(x) & (UINT64_MAX >> 1);
    if (bits == 0)
        return;
    if (bits >= too_large) {
        s->lost = true;
        return;
    }
    int32_t top = mrn_sum_top(bits);
    if (top > s->top)
        mrn_sum_raise(s, top);
    for (int f = 0; f < MRN_SUM_FOLDS; f++) {
        double rounder = mrn_sum_rounder(s->top - f), t = x + rounder;
        s->count[f] += (int64_t)(mrn_bits_of(t) - mrn_bits_of(rounder));
        x -= t - rounder;
    }
}

#endif
