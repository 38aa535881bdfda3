/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes as virtual tests: what the reader of calibrations and the runs share. */
#ifndef MRN_CALIBRATE_VIRTUAL_TEST_H
#define MRN_CALIBRATE_VIRTUAL_TEST_H

#include "moraine/lab.h"
#include "scene/units.h"

/* A change to a scene, "path=value". */
typedef char mrn_scene_change[256];

/* Whose change it was. */
typedef struct mrn_change_owner {
    int set;         /* of the test's own; -1: none of them */
    int tuned, path; /* -1: none                            */
} mrn_change_owner;

/* Whether path k of a tuned goes into a test. */
bool mrn_tuned_sets(const mrn_tuned *k, int path, int test);
/* How many changes a test has with every tuned, and its seed. */
int mrn_virtual_changes(const mrn_calibration *c, int test);
/* Fills them in: those of the test, those of the tuned at x, the seed. */
void mrn_virtual_change(const mrn_calibration *c, int test, const double *x, uint64_t seed,
                        mrn_scene_change *out);
/* Whose change number i is. */
mrn_change_owner mrn_virtual_owner(const mrn_calibration *c, int test, int i);
/* The scene of a test with the tuned at x. One at a time for a `units`. On errors `blamed` (may be
   NULL) tells the change that the message is about; -1: none. */
mrn_status mrn_virtual_scene(const mrn_calibration *c, int test, const double *x, uint64_t seed,
                             mrn_units *units, mrn_scene *out, int *blamed, mrn_message *msg);

/* Calls `one` for 0 … n - 1 on as many threads as mrn_threads(), each of which has one thread
   inside; a status that is not MRN_OK, if one was. */
mrn_status mrn_side_by_side(int64_t n, mrn_status (*one)(void *user, int64_t i), void *user);

/* Seconds that a stage takes at most; INFINITY: not known. */
double mrn_stage_longest(const mrn_stage *g);

#endif
