/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bits of a number, and the number of bits. */
#ifndef MRN_BASE_BITS_H
#define MRN_BASE_BITS_H

#include <stdint.h>
#include <string.h>

/* A compiler for another device says before the functions of headers what it needs (types.h). */
#ifndef MRN_INLINE
#define MRN_INLINE static inline
#endif

MRN_INLINE uint64_t mrn_bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

MRN_INLINE double mrn_of_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

#endif
