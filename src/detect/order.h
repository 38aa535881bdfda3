/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order of bodies in memory. */
#ifndef MRN_DETECT_ORDER_H
#define MRN_DETECT_ORDER_H

#include "detect/detect.h"

/* Sorts the grains along a Morton curve of cells `cell` wide. *to (mrn_free) maps old places to new
 * ones. */
mrn_status mrn_order_bodies(mrn_state *s, double cell, int32_t **to, mrn_message *msg);

#endif
