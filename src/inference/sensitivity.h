/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the ways to sensitivity share: a model asked about many sets of parameters at once. */
#ifndef MRN_INFERENCE_SENSITIVITY_H
#define MRN_INFERENCE_SENSITIVITY_H

#include "moraine/lab.h"

/* Sets of parameters that one call of `predict` gets at most: few calls, and modest memory also
   for models with many outputs. */
int64_t mrn_ask_most(const mrn_predictor *model);
/* y and bad of `count` sets. What the model could not do to its own accuracy it has still answered:
   only errors and interruptions are returned. */
mrn_status mrn_ask(const mrn_predictor *model, int64_t count, const double *x, double *y, bool *bad,
                   mrn_message *msg);
/* MRN_ERR_RANGE: a model without parameters, outputs or `predict`; else mrn_box_check. */
mrn_status mrn_ask_check(const mrn_predictor *model, const mrn_parameter *p, mrn_message *msg);

#endif
