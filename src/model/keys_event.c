/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of a scene, continued: the choices of the event-driven method. */
#include "model/keys_macros.h"

#define AT(field) MRN_AT(mrn_event_options, field)

static const mrn_key keys[] = {
    {"collapse-time", QUANTITY("s", 0, INFINITY), AT(collapse_time), .usual = NAN,
     .example = "1e-6 s",
     .fallback = "1e-4 of the time in which a grain falls its radius; without gravity 1e-5 of the "
                 "time in which it flies it at the mean speed of the start",
     .doc = "A collision of a body that collided less than this before is elastic and without "
            "friction (TC model), which ends inelastic collapse; 0: never."},
    {0}};
const mrn_schema mrn_schema_event = {
    .kind = MRN_SCHEMA_MAP,
    .name = "event",
    .keys = keys,
    .at_least = 1,
    .doc = "Choices of method event. They may stand, and do nothing, under another method."};
