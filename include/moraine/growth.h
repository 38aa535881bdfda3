/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Laws of slow growth with the number of cycles, fitted with the estimation of the lab
   (inference/growth.c): settlements of tracks, densities of tapped beds. */
#ifndef MORAINE_GROWTH_H
#define MORAINE_GROWTH_H

#include "moraine/lab.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MRN_GROWTH_PARAMETERS = 4 };
typedef struct mrn_growth_law {
    const char *name, *formula;
    int n;                                        /* parameters                          */
    const char *parameter[MRN_GROWTH_PARAMETERS]; /* their names                         */
    bool starts;                                  /* has a value of its own at N = 0     */
    bool settlement;                              /* usual for settlements; else density */
    const char *doc;
} mrn_growth_law;
MRN_API int mrn_growth_law_count(void);
MRN_API const mrn_growth_law *mrn_growth_law_at(int i);
MRN_API const mrn_growth_law *mrn_growth_law_find(const char *name); /* NULL: none */
MRN_API double mrn_growth_value(const mrn_growth_law *g, const double *x, double n);

typedef struct mrn_growth {
    const mrn_growth_law *law;
    int n;                                     /* points it was fitted to                      */
    bool converged;                            /* the optimum was still falling: false         */
    double x[MRN_GROWTH_PARAMETERS];           /* optimum                                      */
    double interval[MRN_GROWTH_PARAMETERS][2]; /* 95 %, profile likelihood; +-INFINITY: open   */
    mrn_identifiable verdict[MRN_GROWTH_PARAMETERS];
    double r2, aic;   /* share of the variance; Akaike's criterion, to compare laws on one set */
    double deviation; /* standard deviation about the law, unit of y                           */
} mrn_growth;
/* at: N of the points, rising, above 0; y: what has grown until then. MRN_ERR_INPUT: unknown law,
   too few points, nothing grows. */
MRN_API mrn_status mrn_growth_fit(const char *law, int n, const double *at, const double *y,
                                  mrn_growth *out, mrn_message *msg);
/* What the law says at `to`, outside of the points it was fitted to (those of mrn_growth_fit), with
   95 % for one observation there: scatter about the law and error of its parameters, linearised
   (+-INFINITY where the points do not determine them). That the law holds there is assumed. */
MRN_API double mrn_growth_extrapolate(const mrn_growth *g, int n, const double *at, double to,
                                      double interval[2]);
/* Indices of at most `most` of n points, spread evenly in the logarithm of `at`, the first and the
   last among them; returns their number. */
MRN_API int mrn_growth_thin(int64_t n, const double *at, int most, int64_t *kept);

#ifdef __cplusplus
}
#endif

#endif
