/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The coefficients of a law by name: outside of the law they are numbers in a row (mrn_prepared),
   inside a struct of its formula's header. */
#ifndef MRN_LAWS_COEF_H
#define MRN_LAWS_COEF_H

#include <string.h>

#include "moraine/law.h"

/* Declares `type read_coef(const double *coef)` and `void write_coef(type c, double *coef)`, for
   the one file of the law. Reading is a copy of the struct, which compilers take apart into its
   members; a memcpy they may make one wide load, which keeps the law's loop from being vectors. */
#define MRN_COEFS(type)                                                                            \
    MRN_COEFS_READ(type)                                                                           \
    static inline void write_coef(type c, double *coef)                                            \
    {                                                                                              \
        memcpy(coef, &c, sizeof c);                                                                \
    }

/* The first of the two alone. */
#define MRN_COEFS_READ(type)                                                                       \
    _Static_assert(sizeof(type) % sizeof(double) == 0 &&                                           \
                       sizeof(type) <= MRN_COEF_MAX * sizeof(double),                              \
                   "coefficients are a few doubles");                                              \
    MRN_FORMULA type read_coef(const double *coef)                                                 \
    {                                                                                              \
        return *(const type *)(const void *)coef;                                                  \
    }

#endif
