/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Categories of railway ballast: limits of the sieve curve, after EN 13450 as recalled
   (model/ballast.c). */
#ifndef MORAINE_BALLAST_H
#define MORAINE_BALLAST_H

#include "moraine/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MRN_BALLAST_SIEVES = 6, MRN_BALLAST_CATEGORIES = 6 };
/* Share by mass that passes each sieve (m, ascending), least and most. */
typedef struct mrn_ballast_category {
    const char *name;
    double sieve[MRN_BALLAST_SIEVES], least[MRN_BALLAST_SIEVES], most[MRN_BALLAST_SIEVES];
} mrn_ballast_category;
MRN_API const mrn_ballast_category *mrn_ballast_category_at(int i);              /* 0 … 5      */
MRN_API const mrn_ballast_category *mrn_ballast_category_find(const char *name); /* NULL: none */

#ifdef __cplusplus
}
#endif

#endif
