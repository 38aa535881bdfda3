/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of probes share; engine/probes.c joins the tables. */
#ifndef MRN_MEASURE_PROBES_H
#define MRN_MEASURE_PROBES_H

#include "measure/measure.h"

/* The table of probes that every state has, whatever its method. */
int mrn_probe_general_count(void);
const mrn_probe *mrn_probe_general(int i);
/* Whether it is a name made of things of the scene; if so, *status tells of its check (as
   mrn_probe_check). */
bool mrn_probe_composed(const mrn_scene *scene, const char *name, const char **unit,
                        mrn_status *status, mrn_message *msg);
/* The closest to `word` of n names; NULL: none is close. */
const char *mrn_closest_of(const char *word, int n, const char *(*name)(const void *user, int i),
                           const void *user);
/* The value of a composed name ("walls.floor.force.z"); NAN: there is none. */
double mrn_named_value(mrn_gauge *g, const char *name);

/* What is asked of a thing of the scene. */
typedef struct mrn_quantity {
    const char *name, *unit;
} mrn_quantity;
#define MRN_AXES(name, unit)                                                                       \
    {name ".x", unit}, {name ".y", unit},                                                          \
    {                                                                                              \
        name ".z", unit                                                                            \
    }
/* Of a group or of one grain of it (probe_bodies.c), in the order of `k` of mrn_body_value. */
#define MRN_OF_BODIES                                                                              \
    MRN_AXES("force", "N"), MRN_AXES("moment", "N m"), MRN_AXES("position", "m"),                  \
        MRN_AXES("velocity", "m/s"), MRN_AXES("spin", "rad/s"), MRN_AXES("turn", "degree"),        \
    {                                                                                              \
        "tilt", "degree"                                                                           \
    }
enum { MRN_BODY_LOADS = 6, MRN_BODY_TURNS = 15, MRN_BODY_QUANTITIES = 19 };
double mrn_body_value(mrn_gauge *g, const mrn_some *some, int k);
/* How a grain of a group stood at the start, where the scene lists it; false: it was drawn. */
bool mrn_orientation_listed(const mrn_scene *scene, int group, int grain, mrn_quat *out);

/* Means over some grains, before the division by their number. */
enum { MRN_COUNT, MRN_MEAN_X, MRN_MEAN_Y, MRN_MEAN_Z, MRN_MEAN_SPEED, MRN_MEANS };
void mrn_add_mean(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum);

#endif
