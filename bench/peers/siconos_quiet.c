/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debian's Siconos (4.4) is built with its assertions: whenever an interaction enters or leaves,
   its graphs check themselves from end to end, which is 95 % and more of the time of a few hundred
   contacts. Loaded first (LD_PRELOAD), these take the place of the checks. */
#include <stdbool.h>

#define OK(symbol, name)                                                                           \
    bool name(const void *graph) __asm__(symbol);                                                  \
    bool name(const void *graph)                                                                   \
    {                                                                                              \
        (void)graph;                                                                               \
        return true;                                                                               \
    }
/* clang-format off */
OK("_ZNK12SiconosGraphISt10shared_ptrI11InteractionES0_I15DynamicalSystemE"
   "21InteractionProperties25DynamicalSystemProperties15GraphPropertiesE"
   "20adjacent_vertices_okEv", no_check_1)
OK("_ZNK12SiconosGraphISt10shared_ptrI11InteractionES0_I15DynamicalSystemE"
   "21InteractionProperties25DynamicalSystemProperties15GraphPropertiesE"
   "12state_assertEv", no_check_2)
OK("_ZNK12SiconosGraphISt10shared_ptrI15DynamicalSystemES0_I11InteractionE"
   "25DynamicalSystemProperties21InteractionProperties15GraphPropertiesE"
   "20adjacent_vertices_okEv", no_check_3)
OK("_ZNK12SiconosGraphISt10shared_ptrI15DynamicalSystemES0_I11InteractionE"
   "25DynamicalSystemProperties21InteractionProperties15GraphPropertiesE"
   "12state_assertEv", no_check_4)
/* clang-format on */
