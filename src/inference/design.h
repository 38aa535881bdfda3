/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boxes of parameters as unit boxes, and points that fill them. */
#ifndef MRN_INFERENCE_DESIGN_H
#define MRN_INFERENCE_DESIGN_H

#include "moraine/lab.h"

/* MRN_ERR_INPUT, with the parameter's name, where bounds are crossed, equal, not finite, or not
   positive on a log scale; MRN_ERR_RANGE: n < 1. */
mrn_status mrn_box_check(const mrn_parameter *p, int n, mrn_message *msg);
/* From [0, 1] to the range of p and back: along log10 where p says so. 0 and 1 give the bounds
   themselves. */
double mrn_box_at(const mrn_parameter *p, double u);
double mrn_box_place(const mrn_parameter *p, double x);

/* The sequence of Sobol' with Owen's nested uniform scrambling: every point is uniform in the open
   box by itself, every 2^k points keep their evenness, and the seed says all. Coordinates beyond
   the 40 that are tabulated are independent of everything. */
typedef struct mrn_sequence {
    int n;          /* coordinates                          */
    int64_t at;     /* points drawn                         */
    uint64_t *key;  /* n: of the scrambling                 */
    void *state;    /* of the sequence as it is tabulated   */
    double raw[40]; /* its last point                       */
} mrn_sequence;
mrn_status mrn_sequence_make(int n, uint64_t seed, mrn_sequence *out, mrn_message *msg);
/* The next point, n coordinates. */
void mrn_sequence_next(mrn_sequence *s, double *u);
void mrn_sequence_release(mrn_sequence *s);

#endif
