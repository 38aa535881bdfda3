/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the numerical libraries below need from us: one thread for the BLAS, a look at the memory
   before much is asked for, and the names of the routines called. */
#ifndef MRN_LINALG_BLAS_H
#define MRN_LINALG_BLAS_H

#include "moraine/base.h"

/* A parallel BLAS blocks its sums by the number of its threads. Between `begin` and `end` it has
   one, afterwards what it had before. The setting belongs to the whole process: whoever runs two
   factorisations at once sets it to one himself (OPENBLAS_NUM_THREADS=1). Loops of CHOLMOD's own,
   which start four threads whatever was asked for and wait for each other without rest, run on one
   thread too. */
typedef struct mrn_blas_threads {
    void (*set)(int); /* NULL: a BLAS without threads, or one that is not known here */
    int before;
    int levels; /* of parallel regions */
} mrn_blas_threads;
mrn_blas_threads mrn_blas_begin(void);
void mrn_blas_end(mrn_blas_threads hold);

/* MRN_ERR_MEMORY, in words, when the machine has less memory than that. A system that promises more
   than it has ends the program later, without a word. */
mrn_status mrn_memory_enough(double bytes, const char *what, mrn_message *msg);

/* BLAS and LAPACK, by their Fortran names; lengths of character arguments at the end.
   y = alpha op(A) x + beta y; C = alpha op(A) op(B) + beta C */
void dgemv_(const char *op, const int *m, const int *n, const double *alpha, const double *a,
            const int *lda, const double *x, const int *incx, const double *beta, double *y,
            const int *incy, size_t);
void dgemm_(const char *opa, const char *opb, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
            const double *beta, double *c, const int *ldc, size_t, size_t);
/* A = Q R, then Q over A. */
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work,
             const int *lwork, int *info);
void dorgqr_(const int *m, const int *n, const int *k, double *a, const int *lda, const double *tau,
             double *work, const int *lwork, int *info);
/* A = Uᵀ U or L Lᵀ of a positive definite matrix; the inverse over those. */
void dpotrf_(const char *triangle, const int *n, double *a, const int *lda, int *info, size_t);
void dpotri_(const char *triangle, const int *n, double *a, const int *lda, int *info, size_t);
/* A = U S Vᵀ, singular values descending. */
void dgesdd_(const char *job, const int *m, const int *n, double *a, const int *lda, double *s,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork,
             int *iwork, int *info, size_t);
/* Eigenvalues, in w, and vectors, over A, of a symmetric matrix, by divide and conquer. */
void dsyevd_(const char *job, const char *triangle, const int *n, double *a, const int *lda,
             double *w, double *work, const int *lwork, int *iwork, const int *liwork, int *info,
             size_t, size_t);

#endif
