/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the rows of keys are written: short names for what may stand. For keys_*.c and schema_*.c
   alone. */
#ifndef MRN_MODEL_KEYS_MACROS_H
#define MRN_MODEL_KEYS_MACROS_H

#include "model/keys.h"

#define SCHEMA(...)         (&(const mrn_schema){__VA_ARGS__})
#define QUANTITY(u, lo, hi) SCHEMA(.kind = MRN_SCHEMA_QUANTITY, .unit = u, .min = lo, .max = hi)
#define ABOVE(u, lo)                                                                               \
    SCHEMA(.kind = MRN_SCHEMA_QUANTITY, .unit = u, .min = lo, .max = INFINITY, .min_open = true)
#define VECTOR(u) SCHEMA(.kind = MRN_SCHEMA_VECTOR, .unit = u, .min = -INFINITY, .max = INFINITY)
#define DIRECTION                                                                                  \
    SCHEMA(.kind = MRN_SCHEMA_VECTOR, .unit = "1", .min = -INFINITY, .max = INFINITY,              \
           .direction = true)
#define SPIN(u) SCHEMA(.kind = MRN_SCHEMA_SPIN, .unit = u, .min = -INFINITY, .max = INFINITY)
#define BOX     SCHEMA(.kind = MRN_SCHEMA_BOX, .unit = "m", .min = -INFINITY, .max = INFINITY)
#define SIGNAL(u, lo)                                                                              \
    SCHEMA(.kind = MRN_SCHEMA_SIGNAL, .unit = u, .min = lo, .max = INFINITY,                       \
           .map = &mrn_schema_signal)
#define SIGNALS(u)                                                                                 \
    SCHEMA(.kind = MRN_SCHEMA_SIGNALS, .unit = u, .min = -INFINITY, .max = INFINITY,               \
           .map = &mrn_schema_signal)
#define TURNS(u)                                                                                   \
    SCHEMA(.kind = MRN_SCHEMA_TURNS, .unit = u, .min = -INFINITY, .max = INFINITY,                 \
           .map = &mrn_schema_signal)
#define INTEGER(lo, hi) SCHEMA(.kind = MRN_SCHEMA_INTEGER, .min = lo, .max = hi)
#define WORDS(...)      ((const char *const[]){__VA_ARGS__, NULL})
#define WORD(...)       SCHEMA(.kind = MRN_SCHEMA_WORD, .words = WORDS(__VA_ARGS__))
#define LENGTH          ABOVE("m", 0)
#define FLAG            SCHEMA(.kind = MRN_SCHEMA_FLAG)
#define NAME            SCHEMA(.kind = MRN_SCHEMA_NAME)
#define FILE_NAME       SCHEMA(.kind = MRN_SCHEMA_FILE)

extern const mrn_schema mrn_schema_cylinder_region, mrn_schema_sphere_region;

/* The three regions that grains are filled into, enter and leave by. */
#define REGION_KEYS                                                                                \
    {"box", BOX, .group = 'a', .example = "[[0, 0, 0], [4 cm, 4 cm, 10 cm]]",                      \
     .doc = "Two corners, the lower one first."},                                                  \
        {"cylinder", &mrn_schema_cylinder_region, .group = 'a',                                    \
         .example = "{from: [0, 0, 0], to: [0, 0, 10 cm], radius: 2 cm}",                          \
         .doc = "A cylinder (3D)."},                                                               \
    {                                                                                              \
        "sphere", &mrn_schema_sphere_region, .group = 'a',                                         \
                                             .example = "{centre: [0, 0, 0], radius: 2 cm}",       \
                                             .doc = "A sphere, in 2D a circle."                    \
    }

#endif
