/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sparse matrices by columns, and what can be asked of large ones: factorisation of symmetric
   positive definite ones (CHOLMOD, supernodal), rank and null spaces of any (SuiteSparseQR), a few
   eigenvalues (block Lanczos), conjugate gradients. Indices are 64 bits wide: factors of packings
   of 1e5 spheres hold more than 2^31 numbers. The BLAS below runs on one thread: its sums would
   depend on their number. */
#ifndef MRN_LINALG_SPARSE_H
#define MRN_LINALG_SPARSE_H

#include "moraine/base.h"

/* ---- matrices ---- */

typedef struct mrn_sparse {
    int64_t rows, cols;
    int64_t *start; /* cols + 1                                 */
    int64_t *row;   /* ascending within a column, each one once */
    double *value;
} mrn_sparse;

/* Entries of a matrix being gathered, in any order; those at one place will be added. */
typedef struct mrn_triplets {
    int64_t n;
    int64_t *row, *col;
    double *value;
} mrn_triplets;
/* Room for `most` entries, all numbers zero. */
mrn_status mrn_triplets_reserve(mrn_triplets *t, int64_t most, mrn_message *msg);
void mrn_triplets_release(mrn_triplets *t);
static inline void mrn_triplets_add(mrn_triplets *t, int64_t row, int64_t col, double value)
{
    t->row[t->n] = row, t->col[t->n] = col, t->value[t->n] = value;
    t->n++;
}
void mrn_triplets_add_matrix(mrn_triplets *t, const mrn_sparse *a);
mrn_status mrn_triplets_make(const mrn_triplets *t, int64_t rows, int64_t cols, mrn_sparse *out,
                             mrn_message *msg);

/* Entries in any order; those at one place are added in the order given. */
mrn_status mrn_sparse_make(int64_t rows, int64_t cols, int64_t n, const int64_t *row,
                           const int64_t *col, const double *value, mrn_sparse *out,
                           mrn_message *msg);
void mrn_sparse_release(mrn_sparse *a);
mrn_status mrn_sparse_transpose(const mrn_sparse *a, mrn_sparse *out, mrn_message *msg);
/* y = A x, y = Aᵀ x; y is never x */
void mrn_sparse_times(const mrn_sparse *a, const double *x, double *y);
void mrn_sparse_times_t(const mrn_sparse *a, const double *x, double *y);
/* y = A x of a symmetric matrix of which the lower triangle is stored. */
void mrn_sparse_times_symmetric(const mrn_sparse *lower, const double *x, double *y);

/* ---- factorisation L Lᵀ ---- */

typedef struct mrn_llt {
    struct mrn_llt_inside *inside;
    int64_t n, fill;    /* order; numbers in L          */
    double flops;       /* of one factorisation         */
    double bytes;       /* held                         */
    int64_t bad_column; /* where it was not positive definite; -1: it was */
} mrn_llt;
/* Order and pattern from a lower triangle (upper entries are an error), diagonal entries there. */
mrn_status mrn_llt_make(const mrn_sparse *lower, mrn_llt *out, mrn_message *msg);
/* Factorises A + shift I, A with the pattern given to mrn_llt_make. MRN_ERR_RANGE: not
   positive definite (to rounding), `bad_column` says where; MRN_ERR_MEMORY. */
mrn_status mrn_llt_numeric(mrn_llt *f, const mrn_sparse *lower, double shift, mrn_message *msg);
/* X = A⁻¹ B, `columns` of them one after another; x may be b. */
mrn_status mrn_llt_solve(mrn_llt *f, int columns, const double *b, double *x, mrn_message *msg);
void mrn_llt_release(mrn_llt *f);

/* ---- conjugate gradients ---- */

typedef void (*mrn_apply)(void *user, const double *x, double *y);
typedef struct mrn_cg_report {
    int iterations;
    double residual; /* |b - A x| / |b| */
    bool converged;
} mrn_cg_report;
/* Solves A x = b for a symmetric positive semi-definite A and a b in its range, from the x given.
   `precondition` may be NULL. `room`: 4 n numbers. */
mrn_cg_report mrn_cg(int64_t n, mrn_apply times, mrn_apply precondition, void *user,
                     double tolerance, int most, const double *b, double *x, double *room);

/* ---- rank and null spaces ---- */

typedef struct mrn_rank {
    int64_t rank;
    double tolerance;    /* used                                                          */
    double smallest_in;  /* smallest |R_kk| (or singular value) counted in, over the      */
                         /* largest column norm                                           */
    double largest_out;  /* norm left of what is counted out, likewise                    */
    int64_t n_right;     /* columns of `right`                                            */
    double *right;       /* cols x n_right: orthonormal basis of the null space of A      */
    int64_t n_left;      /* columns of `left`                                             */
    double *left;        /* rows x n_left: orthonormal basis of the null space of Aᵀ      */
    double bytes, flops; /* of the factorisation                                          */
} mrn_rank;
/* By rank-revealing sparse QR. `tolerance` is relative to the largest column norm; 0: chosen,
   argued where it is implemented. Bases only where asked for, and only when they have at most
   `most` columns (else n_right, n_left stay 0; the rank is there). MRN_NOT_CONVERGED: all is there,
   but singular values close to the tolerance make the rank doubtful, as the message says. */
mrn_status mrn_rank_of(const mrn_sparse *a, double tolerance, bool right, bool left, int64_t most,
                       mrn_rank *out, mrn_message *msg);
void mrn_rank_release(mrn_rank *r);

/* ---- eigenvalues ---- */

typedef struct mrn_eigen {
    int n;          /* found                                              */
    double *value;  /* ascending                                          */
    double *vector; /* order x n, orthonormal (in B if B is given)        */
    double *error;  /* |C w - lambda w| / |C|, C = B^(-1/2) A B^(-1/2), w = B^(1/2) v:
                       how far `value` may be from an eigenvalue, per |C| */
    int iterations; /* products                                           */
    double shift;   /* used                                               */
} mrn_eigen;
/* The `want` smallest (algebraic) eigenvalues of A v = lambda diag(b) v, A symmetric (lower
   triangle with its diagonal entries, any signature), b > 0 or NULL (1), each as often as it is
   multiple: block Lanczos with restarts on (A + shift B)⁻¹, the shift found so that the
   factorisation goes through. `tolerance` of `error` (0: 1e-10).
   MRN_NOT_CONVERGED with those that were found. */
mrn_status mrn_eigen_smallest(const mrn_sparse *lower, const double *b, int want, double tolerance,
                              mrn_eigen *out, mrn_message *msg);
/* All of them, by a dense method; for orders up to some thousands. Vectors only if asked for. */
mrn_status mrn_eigen_all(const mrn_sparse *lower, const double *b, bool vectors, mrn_eigen *out,
                         mrn_message *msg);
void mrn_eigen_release(mrn_eigen *e);

#endif
