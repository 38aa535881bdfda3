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

/* Means over some grains, before the division by their number. */
enum { MRN_COUNT, MRN_MEAN_X, MRN_MEAN_Y, MRN_MEAN_Z, MRN_MEAN_SPEED, MRN_MEANS };
void mrn_add_mean(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum);

#endif
