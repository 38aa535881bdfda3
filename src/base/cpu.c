/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether this processor has the instructions that the library was built with. This file, message.c
   and the command's main.c are built for any processor of the family (CMakeLists.txt), so that the
   answer is words and not an illegal instruction. */
#include <string.h>

#include "base/base.h"

#if defined(__x86_64__)
/* In the order of MRN_CPU_…; a name must be a literal. */
static void ask_processor(bool has[MRN_CPU_FEATURES])
{
    __builtin_cpu_init();
    has[MRN_CPU_SSE4_2] = __builtin_cpu_supports("sse4.2");
    has[MRN_CPU_POPCNT] = __builtin_cpu_supports("popcnt");
    has[MRN_CPU_AVX] = __builtin_cpu_supports("avx");
    has[MRN_CPU_AVX2] = __builtin_cpu_supports("avx2");
    has[MRN_CPU_BMI] = __builtin_cpu_supports("bmi");
    has[MRN_CPU_BMI2] = __builtin_cpu_supports("bmi2");
    has[MRN_CPU_FMA] = __builtin_cpu_supports("fma");
    has[MRN_CPU_AVX512F] = __builtin_cpu_supports("avx512f");
}
#endif

mrn_status mrn_cpu_judge(unsigned built_with, unsigned present, mrn_message *msg)
{
    static const char *const name[MRN_CPU_FEATURES] = {"SSE4.2", "POPCNT", "AVX", "AVX2",
                                                       "BMI",    "BMI2",   "FMA", "AVX-512F"};
    char missing[128] = "";
    for (int i = 0; i < MRN_CPU_FEATURES; i++)
        if (built_with & ~present & 1u << i) {
            if (missing[0] != '\0')
                strcat(missing, ", ");
            strcat(missing, name[i]);
        }
    if (missing[0] == '\0')
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_MACHINE, "this processor cannot run this build of Moraine: it has no %s",
             missing);
    mrn_fail_expected(msg,
                      "a processor of the level x86-64-v3 (2013 and later), or a build for it");
    mrn_fail_hint(msg,
                  "build with  cmake --preset release -DMRN_ARCH=baseline  (or =native, on this "
                  "machine); results are the same to the bit");
    return MRN_ERR_MACHINE;
}

mrn_status mrn_cpu_check(mrn_message *msg)
{
    unsigned present = 0;
#if defined(__x86_64__)
    bool has[MRN_CPU_FEATURES];
    ask_processor(has);
    for (int i = 0; i < MRN_CPU_FEATURES; i++)
        present |= has[i] ? 1u << i : 0;
#else
    present = ~0u;
#endif
    return mrn_cpu_judge(mrn_cpu_built_with(), present, msg);
}
