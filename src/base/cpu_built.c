/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instructions that the library was built with, as the compiler tells: unlike cpu.c this file
   is built as all others are. */
#include "base/base.h"

unsigned mrn_cpu_built_with(void)
{
    unsigned with = 0;
#ifdef __SSE4_2__
    with |= 1u << MRN_CPU_SSE4_2;
#endif
#ifdef __POPCNT__
    with |= 1u << MRN_CPU_POPCNT;
#endif
#ifdef __AVX__
    with |= 1u << MRN_CPU_AVX;
#endif
#ifdef __AVX2__
    with |= 1u << MRN_CPU_AVX2;
#endif
#ifdef __BMI__
    with |= 1u << MRN_CPU_BMI;
#endif
#ifdef __BMI2__
    with |= 1u << MRN_CPU_BMI2;
#endif
#ifdef __FMA__
    with |= 1u << MRN_CPU_FMA;
#endif
#ifdef __AVX512F__
    with |= 1u << MRN_CPU_AVX512F;
#endif
    return with;
}
