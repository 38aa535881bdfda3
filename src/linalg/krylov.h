/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear systems that are known by their product with a vector alone: GMRES with restarts and a
   preconditioner on the right, so that the residual it reduces is the true one. Sums are taken in a
   fixed order; as long as the products give the same bits for any number of threads, so does it. */
#ifndef MRN_LINALG_KRYLOV_H
#define MRN_LINALG_KRYLOV_H

#include "moraine/base.h"

/* y = A x, or x divided by what A is preconditioned with; y is never x */
typedef void (*mrn_krylov_apply)(void *user, const double *x, double *y);

typedef struct mrn_gmres {
    int64_t n;       /* unknowns                          */
    int restart;     /* directions kept before a restart  */
    double *basis;   /* (restart + 1) n                   */
    double *h;       /* triangle, (restart + 1) a column  */
    double *turn;    /* cosines and sines                 */
    double *g, *y;   /* rotated right-hand side, answer   */
    double *v, *w;   /* n each                            */
    int iterations;  /* products of the last solve        */
    double residual; /* |b - A x| / |b| of the last solve */
} mrn_gmres;

/* Numbers that it works with: hand that many, zeroed or not, to mrn_gmres_make. */
int64_t mrn_gmres_room(int64_t n, int restart);
void mrn_gmres_make(int64_t n, int restart, double *room, mrn_gmres *out);
/* x with |b - A x| <= tolerance |b|, from x = 0, in at most `most` products; `precondition` may be
   NULL. True when the tolerance is met, else x is the best that was found. */
bool mrn_gmres_solve(mrn_gmres *g, mrn_krylov_apply times, mrn_krylov_apply precondition,
                     void *user, double tolerance, int most, const double *b, double *x);

#endif
