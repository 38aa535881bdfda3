/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of a scene, continued: the choices of the quasi-static method. */
#include "model/keys_macros.h"

#define AT(field) MRN_AT(mrn_quasistatic_options, field)
#define SMALL                                                                                      \
    SCHEMA(.kind = MRN_SCHEMA_QUANTITY, .unit = "1", .min = 0, .max = 0.1, .min_open = true)

static const mrn_key keys[] = {
    {"rule", WORD("coulomb", "associated"), .example = "coulomb", .fallback = "coulomb",
     .doc =
         "How contacts slide. coulomb: without opening, the normal force stays. associated, along "
         "the normal of the cone, is refused in runs: `moraine analyze STATE --path LIST --rule "
         "associated` has it."},
    {"increments", INTEGER(1, 1e9), AT(increments), .usual = 100, .free = true, .example = "200",
     .doc = "Increments of a stage, when its duration is known and no time step is given: time is "
            "the parameter of the load, and a step of it one increment."},
    {"tolerance", SMALL, AT(tolerance), .usual = 1e-6, .free = true, .example = "1e-8",
     .doc = "Largest net force on a grain over the mean contact force."},
    {"max-iterations", INTEGER(1, 1e9), AT(max_iterations), .free = true, .example = "2000",
     .fallback = "chosen", .doc = "Iterations of an increment at most, before it is cut in parts."},
    {"new-contacts", FLAG, AT(new_contacts), .usual = true, .example = "false",
     .doc = "Grains that come to touch are contacts from then on. false: the network may only lose "
            "contacts; how far it goes by itself is seen."},
    {"unstable", WORD([MRN_UNSTABLE_STOP] = "stop", [MRN_UNSTABLE_SMOOTH] = "smooth"), AT(unstable),
     .usual = MRN_UNSTABLE_STOP, .free = true, .example = "smooth",
     .doc = "Where no equilibrium is near any more. stop: the run ends and says so; smooth: "
            "explicit dynamics under the load reached finds the next equilibrium, and increments "
            "go on from there."},
    {"balanced", SMALL, AT(balanced), .usual = 1e-4, .free = true, .example = "1e-5",
     .doc =
         "Largest net force on a grain, over the mean contact force, at which dynamics has found "
         "an equilibrium (with unstable: smooth, and before the first increment)."},
    {"max-steps", INTEGER(1, 1e12), AT(max_steps), .usual = 2e6, .free = true, .example = "1e6",
     .doc = "Steps of dynamics for one equilibrium at most."},
    {0}};
const mrn_schema mrn_schema_quasistatic = {
    .kind = MRN_SCHEMA_MAP,
    .name = "quasistatic",
    .keys = keys,
    .at_least = 1,
    .doc = "Choices of method quasistatic. They may stand, and do nothing, under another method."};
