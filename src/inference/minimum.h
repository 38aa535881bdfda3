/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Minima of functions of a few unknowns in a box: the methods of NLopt as this room uses them. A
   library built without NLopt (minimum_without_nlopt.c) has none and says so. */
#ifndef MRN_INFERENCE_MINIMUM_H
#define MRN_INFERENCE_MINIMUM_H

#include "moraine/base.h"

typedef enum mrn_minimiser {
    MRN_MINIMISER_CRS2,   /* global: a population that contracts                        */
    MRN_MINIMISER_BOBYQA, /* local: quadratic models; two unknowns at least             */
    MRN_MINIMISER_SBPLX,  /* local: simplices in subspaces                              */
    MRN_MINIMISER_LBFGS,  /* local, with slopes                                         */
} mrn_minimiser;

typedef struct mrn_minimum {
    mrn_minimiser method;
    unsigned n;
    /* `slope` (n, or NULL where it is not asked for) is filled by the function. */
    double (*value)(unsigned n, const double *x, double *slope, void *user);
    void *user;
    const double *lo, *hi;  /* n; NULL: 0 and 1 everywhere                              */
    const bool *stop;       /* looked at after each value; may be NULL                  */
    unsigned population;    /* of CRS2                                                  */
    unsigned long seed;     /* of CRS2                                                  */
    double step;            /* first one; 0: chosen                                     */
    double x_tolerance;     /* absolute; 0: none                                        */
    double value_tolerance; /* absolute; 0: none                                        */
    double value_relative;  /* 0: none                                                  */
    int evaluations;        /* at most                                                  */
} mrn_minimum;
/* From x to where the value is smallest, as far as found. MRN_NOT_CONVERGED: the method gave up by
   its own fault; MRN_ERR_INPUT: the library has no methods. */
mrn_status mrn_minimise(const mrn_minimum *m, double *x, double *value, mrn_message *msg);

#endif
