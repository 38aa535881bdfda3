/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters that several laws share, each written once. `instead` names the parameter that may be
   given in its place ("normal-damping"). */
#ifndef MRN_LAWS_PARAMS_H
#define MRN_LAWS_PARAMS_H

#include "moraine/law.h"

extern const char *const mrn_end_of_contact[]; /* "force", "overlap" */

#define MRN_PARAM_RESTITUTION(instead)                                                             \
    {                                                                                              \
        .name = "restitution", .symbol = "e", .unit = "1", .min = 0, .max = 1, .fallback = NAN,    \
        .doc = "Normal restitution, the same at every speed, turned into damping exactly for "     \
               "this law and its end of contact; values below 0.001 count as 0.001. Give this "    \
               "or " instead "."                                                                   \
    }

#define MRN_PARAM_END_OF_CONTACT                                                                   \
    {                                                                                              \
        .name = "end-of-contact", .symbol = "", .kind = MRN_P_CHOICE, .unit = "1", .max = 1,       \
        .fallback = 0, .choices = mrn_end_of_contact,                                              \
        .doc = "force: a contact ends when its force returns to zero, never pulls (default); "     \
               "overlap: it ends at zero overlap and may pull for a moment before."                \
    }

#define MRN_PARAM_FRICTION                                                                         \
    {                                                                                              \
        .name = "friction", .symbol = "mu", .unit = "1", .min = 0, .max = 100, .required = true,   \
        .doc = "Coulomb's coefficient of friction."                                                \
    }

#endif
