/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows that fits to collisions and calibrations of scenes share: how uncertain a measurement is,
   and what is asked of the result. */
#ifndef MRN_SCENE_SCHEMA_FIT_H
#define MRN_SCENE_SCHEMA_FIT_H

#include "model/keys_macros.h"

#define MRN_KEYS_OF_ERROR(usual)                                                                   \
    {"kind", WORD("sd", "variance", "interval-95", "standard-error"), .required = true,            \
     .example = usual,                                                                             \
     .doc = "sd, variance: of a single measurement; standard-error: sd of the mean; interval-95: " \
            "half the width of the 95 % interval of the mean."},                                   \
    {                                                                                              \
        "replicates", INTEGER(2, 1e6),                                                             \
            .example = "3", .fallback = "1, and the error is known exactly",                       \
            .doc = "How many measurements the value is the mean of, and the error comes from: sd " \
                   "and variance are divided by it, interval-95 is taken for Student's."           \
    }

#define MRN_KEY_CONFIDENCE                                                                         \
    {                                                                                              \
        "confidence",                                                                              \
            SCHEMA(.kind = MRN_SCHEMA_QUANTITY, .unit = "1", .min = 0.5, .max = 0.9999,            \
                   .min_open = true),                                                              \
            .example = "0.95", .fallback = "0.95", .doc = "Of intervals, regions and tests."       \
    }

#define MRN_KEYS_OF_INTERVALS                                                                      \
    {"bootstrap", INTEGER(0, 1e6), .example = "200", .fallback = "200",                            \
     .doc = "Replicas for intervals by resampling; 0: none."},                                     \
        {"profile", FLAG, .example = "true", .fallback = "true",                                   \
         .doc = "Intervals by profile likelihood."},                                               \
        {"regions", FLAG, .example = "true", .fallback = "true",                                   \
         .doc = "Confidence regions of pairs of parameters."},                                     \
    {                                                                                              \
        "nested", FLAG, .example = "true", .fallback = "true",                                     \
                        .doc = "Compare with the models that have a parameter less."               \
    }

#endif
