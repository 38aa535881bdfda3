/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading calibrations: what the parts of the reader share. */
#ifndef MRN_READERS_CALIBRATION_H
#define MRN_READERS_CALIBRATION_H

#include "calibrate/virtual_test.h"
#include "scene/check.h"

typedef struct mrn_calibration_reader {
    mrn_check check;
    mrn_calibration *c;
    const mrn_node *parameters, *tests; /* of the file */
} mrn_calibration_reader;

/* The i-th value of a list or mapping. */
const mrn_node *mrn_node_item(const mrn_node *n, int i);
/* Where path k of a tuned stands. */
const mrn_node *mrn_tuned_path_node(const mrn_calibration_reader *r, int tuned, int path);

/* The free parameters; the tests have names already. */
mrn_status mrn_calibration_read_tuned(mrn_calibration_reader *r);
/* Two changes to one place of a scene, and parameters or tests that have nothing to do with each
   other. */
mrn_status mrn_calibration_check_paths(mrn_calibration_reader *r);
/* The scenes at the bounds, and what is measured of them. */
mrn_status mrn_calibration_check_scenes(mrn_calibration_reader *r);
/* The targets of a test, with one of its scenes. */
mrn_status mrn_calibration_read_targets(mrn_calibration_reader *r, int test,
                                        const mrn_scene *scene);

#endif
