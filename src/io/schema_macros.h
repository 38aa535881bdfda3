/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the tables of the scene format are written: short names for forms. For schema_*.c alone. */
#ifndef MRN_IO_SCHEMA_MACROS_H
#define MRN_IO_SCHEMA_MACROS_H

#include "io/scene_format.h"

#define FORM(...)           (&(const mrn_writing){__VA_ARGS__})
#define QUANTITY(u, lo, hi) FORM(.kind = MRN_FORM_QUANTITY, .unit = u, .min = lo, .max = hi)
#define ABOVE(u, lo)                                                                               \
    FORM(.kind = MRN_FORM_QUANTITY, .unit = u, .min = lo, .max = INFINITY, .min_open = true)
#define VECTOR(u) FORM(.kind = MRN_FORM_VECTOR, .unit = u, .min = -INFINITY, .max = INFINITY)
#define SPIN(u)   FORM(.kind = MRN_FORM_SPIN, .unit = u, .min = -INFINITY, .max = INFINITY)
#define BOX       FORM(.kind = MRN_FORM_BOX, .unit = "m", .min = -INFINITY, .max = INFINITY)
#define SIGNAL(u, lo)                                                                              \
    FORM(.kind = MRN_FORM_SIGNAL, .unit = u, .min = lo, .max = INFINITY, .map = &mrn_form_signal)
#define SIGNALS(u)                                                                                 \
    FORM(.kind = MRN_FORM_SIGNALS, .unit = u, .min = -INFINITY, .max = INFINITY,                   \
         .map = &mrn_form_signal)
#define TURNS(u)                                                                                   \
    FORM(.kind = MRN_FORM_TURNS, .unit = u, .min = -INFINITY, .max = INFINITY,                     \
         .map = &mrn_form_signal)
#define INTEGER(lo, hi) FORM(.kind = MRN_FORM_INTEGER, .min = lo, .max = hi)
#define WORDS(...)      ((const char *const[]){__VA_ARGS__, NULL})
#define WORD(...)       FORM(.kind = MRN_FORM_WORD, .words = WORDS(__VA_ARGS__))
#define LENGTH          ABOVE("m", 0)
#define FLAG            FORM(.kind = MRN_FORM_FLAG)
#define NAME            FORM(.kind = MRN_FORM_NAME)
#define FILE_NAME       FORM(.kind = MRN_FORM_FILE)

extern const mrn_writing mrn_form_cylinder_region, mrn_form_sphere_region;

/* The three regions that grains are filled into, enter and leave by. */
#define REGION_KEYS                                                                                \
    {"box", BOX, .group = 'a', .example = "[[0, 0, 0], [4 cm, 4 cm, 10 cm]]",                      \
     .doc = "Two corners, the lower one first."},                                                  \
        {"cylinder", &mrn_form_cylinder_region, .group = 'a',                                      \
         .example = "{from: [0, 0, 0], to: [0, 0, 10 cm], radius: 2 cm}",                          \
         .doc = "A cylinder (3D)."},                                                               \
    {                                                                                              \
        "sphere", &mrn_form_sphere_region, .group = 'a',                                           \
                                           .example = "{centre: [0, 0, 0], radius: 2 cm}",         \
                                           .doc = "A sphere, in 2D a circle."                      \
    }

#endif
