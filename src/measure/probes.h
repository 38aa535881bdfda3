/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two files of probes share. */
#ifndef MRN_MEASURE_PROBES_H
#define MRN_MEASURE_PROBES_H

#include "measure/measure.h"

/* A probe of the table; NULL: none of that name. */
const mrn_probe *mrn_probe_find(const char *name);
/* The value of a composed name ("walls.floor.force.z"); NAN: there is none. */
double mrn_named_value(mrn_gauge *g, const char *name);

/* Means over some grains, before the division by their number. */
enum { MRN_COUNT, MRN_MEAN_X, MRN_MEAN_Y, MRN_MEAN_Z, MRN_MEAN_SPEED, MRN_MEANS };
void mrn_add_mean(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum);

#endif
