/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads by name (sine, haversine, vibration, train) as expressions. */
#ifndef MRN_SCENE_LOADS_H
#define MRN_SCENE_LOADS_H

#include "scene/check.h"

#define MRN_LOAD_TRY(call)                                                                         \
    do {                                                                                           \
        mrn_status status_ = (call);                                                               \
        if (status_ != MRN_OK)                                                                     \
            return status_;                                                                        \
    } while (0)

/* The load that a signal's mapping names; NULL: none. */
const mrn_node *mrn_load_node(const mrn_node *signal);
/* Its expression of s in SI (mrn_free); `unit` is that of the signal. */
mrn_status mrn_load_expression(const mrn_check *c, const mrn_node *n, const char *unit, char **out);

#endif
