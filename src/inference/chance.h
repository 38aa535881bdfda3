/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributions of chance and their kin: those of GSL, or of our own (chance_without_gsl.c) in a
   library built without it. */
#ifndef MRN_INFERENCE_CHANCE_H
#define MRN_INFERENCE_CHANCE_H

#include "moraine/base.h"

double mrn_chance_normal_below(double z);
double mrn_chance_normal_above(double z);
double mrn_chance_normal_quantile(double p);
double mrn_chance_chi2_below(double x, double freedom);
double mrn_chance_chi2_above(double x, double freedom);
double mrn_chance_student_below(double t, double freedom);
double mrn_chance_student_above(double t, double freedom);
double mrn_chance_fisher_below(double x, double freedom_1, double freedom_2);
double mrn_chance_digamma(double x);  /* x > 0 */
double mrn_chance_trigamma(double x); /* x > 0 */

/* The sequence of Sobol' as it is tabulated, without its origin. Bytes of its state; 0: this
   library has no table. */
size_t mrn_sobol_bytes(unsigned n);
void mrn_sobol_begin(void *state, unsigned n);
void mrn_sobol_next(void *state, unsigned n, double *x);

#endif
