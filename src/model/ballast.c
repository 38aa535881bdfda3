/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Categories of railway ballast: limits of the sieve curve, after EN 13450 as recalled. */
#include "moraine/ballast.h"

#include <string.h>

#define SIEVES                                                                                     \
    {                                                                                              \
        22.4e-3, 31.5e-3, 40e-3, 50e-3, 63e-3, 80e-3                                               \
    }

static const mrn_ballast_category categories[MRN_BALLAST_CATEGORIES] = {
    {"A", SIEVES, {0, 0.01, 0.30, 0.70, 1, 1}, {0.03, 0.25, 0.65, 0.99, 1, 1}},
    {"B", SIEVES, {0, 0.01, 0.30, 0.70, 0.97, 1}, {0.03, 0.25, 0.70, 0.99, 1, 1}},
    {"C", SIEVES, {0, 0.01, 0.25, 0.70, 0.95, 1}, {0.03, 0.25, 0.75, 0.99, 1, 1}},
    {"D", SIEVES, {0, 0.01, 0.30, 0.65, 0.97, 1}, {0.03, 0.25, 0.65, 0.99, 0.99, 1}},
    {"E", SIEVES, {0, 0.01, 0.25, 0.55, 0.95, 1}, {0.03, 0.25, 0.75, 0.99, 0.99, 1}},
    {"F", SIEVES, {0, 0, 0.15, 0.45, 0.93, 1}, {0.07, 0.07, 0.40, 0.70, 0.98, 1}},
};

const mrn_ballast_category *mrn_ballast_category_at(int i)
{
    return i >= 0 && i < MRN_BALLAST_CATEGORIES ? &categories[i] : NULL;
}

const mrn_ballast_category *mrn_ballast_category_find(const char *name)
{
    for (int i = 0; i < MRN_BALLAST_CATEGORIES; i++)
        if (strcmp(categories[i].name, name) == 0)
            return &categories[i];
    return NULL;
}
