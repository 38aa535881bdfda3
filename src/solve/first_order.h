/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What solvers that live on products with W and projections share. */
#ifndef MRN_SOLVE_FIRST_ORDER_H
#define MRN_SOLVE_FIRST_ORDER_H

#include "solve/system.h"

/* n*b numbers of the work space, with some to spare for wide loads; NULL: out of memory. */
double *mrn_work_vector(const mrn_system *s);
/* One number per contact: the mean diagonal entry of its block, positive. The same factor for all
   components of a contact keeps its cone. */
void mrn_contact_means(const mrn_system *s, double *mean);
/* De Saxcé's shift g(u) per contact, 0 for bilateral ones. */
void mrn_contact_shifts(const mrn_system *s, const double *u, double *shift);
/* sum over contacts of weight[i] x_i . y_i, in a fixed order */
double mrn_contact_dot(const mrn_system *s, const double *weight, const double *x, const double *y);
/* |r - P_K(r - (u + shift))|: the residual of the associated problem whose shift is frozen. */
double mrn_frozen_residual(const mrn_system *s, const double *shift, const double *r,
                           const double *u);
/* mrn_log_iterate that also says which residual it found. */
bool mrn_log_residual(mrn_system *s, mrn_progress_log *log, const char *phase, const double *r,
                      const double *u, double *natural);
/* y = x + a (x - z) */
static inline void mrn_extrapolate(int64_t m, double a, const double *x, const double *z, double *y)
{
    for (int64_t k = 0; k < m; k++)
        y[k] = x[k] + a * (x[k] - z[k]);
}

#endif
