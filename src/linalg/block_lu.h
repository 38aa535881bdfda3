/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LU factorisation of a sparse matrix of small square blocks whose pattern is symmetric but whose
   values need not be: the Jacobians of contact problems, W with changed diagonal blocks or rows.
   Pivots are whole diagonal blocks in a fill-reducing order found once; no rows are exchanged, so
   that the pattern is the same for every factorisation. Serial, hence the same bits always. The
   order comes from AMD; a general library would pivot, and would reach for a BLAS whose bits change
   with its threads. */
#ifndef MRN_LINALG_BLOCK_LU_H
#define MRN_LINALG_BLOCK_LU_H

#include "moraine/base.h"

typedef struct mrn_block_lu {
    int n, b, ld;   /* blocks, rows of a block, numbers from column to column of a stored block */
    int32_t *order; /* order[k]: block eliminated as number k */
    int32_t *place; /* its inverse                            */
    int64_t *start; /* n + 1: columns of L below the diagonal, in the new order                 */
    int32_t *row;   /* ascending in a column; U has the same pattern transposed                 */
    double *lower, *upper, *pivot; /* L, U and inverted diagonal blocks                         */
    int64_t *where; /* per given off-diagonal block: 2 * position in `row` (+ 1: of U)          */
    double *work;   /* two block columns, spread                                                */
    int32_t *head, *next;
    int64_t *at;
    double *x;    /* n * b: right-hand side in the new order */
    double flops; /* of one factorisation                    */
    int64_t fill; /* off-diagonal blocks of L                */
} mrn_block_lu;

/* Order and pattern from compressed rows of off-diagonal blocks (any order, diagonal left out). */
mrn_status mrn_block_lu_make(int n, int b, const int64_t *start, const int32_t *col,
                             mrn_block_lu *out, mrn_message *msg);
/* Order and pattern alone, which say what a factorisation would cost; the room for numbers, many
   times as much memory, when it is to be done. */
mrn_status mrn_block_lu_plan(int64_t most, int n, int b, const int64_t *start, const int32_t *col,
                             mrn_block_lu *out, mrn_message *msg);
mrn_status mrn_block_lu_take_room(mrn_block_lu *f, const int64_t *start, const int32_t *col,
                                  mrn_message *msg);
/* The same, unless L would have more than `most` off-diagonal blocks: then MRN_ERR_RANGE, and
   neither memory nor time was spent on them. */
mrn_status mrn_block_lu_make_within(int64_t most, int n, int b, const int64_t *start,
                                    const int32_t *col, mrn_block_lu *out, mrn_message *msg);
void mrn_block_lu_release(mrn_block_lu *f);
/* Memory that it holds. */
size_t mrn_block_lu_bytes(const mrn_block_lu *f);
/* Factorises the matrix with diagonal blocks `diag` and off-diagonal blocks `off` (given pattern,
   b*b numbers each, column after column), rows multiplied from the left by the blocks `left` (NULL:
   as they are; they do not touch `diag`). Returns the number of pivots that had to be mended
   because they were singular: 0 is a plain success. */
int mrn_block_lu_factor(mrn_block_lu *f, const double *diag, const double *off,
                        const int64_t *start, const double *left);
/* x = A⁻¹ y; x may be y */
void mrn_block_lu_solve(mrn_block_lu *f, const double *y, double *x);

#endif
