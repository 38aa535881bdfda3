/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LU factorisation of a sparse matrix of small square blocks whose pattern is symmetric but whose
   values need not be: the Jacobians of contact problems, W with changed diagonal blocks or rows, or
   the matrix of all bodies. Pivots are whole diagonal blocks in a fill-reducing order found once;
   no rows are exchanged, so that the pattern is the same for every factorisation. Columns with
   (nearly) the same rows are stored and updated together as dense panels (supernodes). The sum of
   an entry has one order, whatever the number of threads and the width of the machine. The order
   comes from AMD; a general library would pivot, and would reach for a BLAS whose bits change
   with its threads. */
#ifndef MRN_LINALG_BLOCK_LU_H
#define MRN_LINALG_BLOCK_LU_H

#include "moraine/base.h"

typedef struct mrn_block_lu {
    int n, b;       /* blocks, rows of a block                */
    int32_t *order; /* order[k]: block eliminated as number k */
    int32_t *place; /* its inverse                            */
    int nodes;      /* supernodes: block columns that follow one another */
    int32_t *first; /* nodes + 1: their first columns, in the new order  */
    int32_t *node;  /* n: of each column                                 */
    int64_t *start; /* nodes + 1: block rows below a node's columns …    */
    int32_t *row;   /* … ascending; U has the same pattern transposed    */
    int64_t *panel; /* nodes + 1: where their numbers begin in `lower` and `upper` */
    /* L and Uᵀ, a panel of columns per node, rows of its own columns first; inverted pivots */
    double *lower, *upper, *pivot;
    int64_t *where; /* per given off-diagonal block: 2 * place of its first number (+ 1: in U) … */
    int32_t *home;  /* … and the node that it is in                                            */
    int64_t most_update, most_rows; /* numbers of the largest update, rows of the tallest node */
    double *update;                 /* one update of a node by another, both halves           */
    int32_t *relative;              /* rows of one node among those of another                */
    int32_t *head, *next;
    int64_t *at;
    double *x;    /* n * b: right-hand side in the new order, and rows of one node */
    double flops; /* of one factorisation                    */
    int64_t fill; /* off-diagonal blocks of L, without those that panels add */
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

/* ---- parts: what the pattern says of a node ---- */

static inline int64_t mrn_block_lu_columns(const mrn_block_lu *f, int s)
{
    return (int64_t)(f->first[s + 1] - f->first[s]) * f->b;
}

static inline int64_t mrn_block_lu_below(const mrn_block_lu *f, int s)
{
    return (f->start[s + 1] - f->start[s]) * f->b;
}

/* Numbers from column to column of a panel: some to spare, so that four rows at a time may go
   beyond the last one. */
static inline int64_t mrn_block_lu_leading(const mrn_block_lu *f, int s)
{
    return (mrn_block_lu_columns(f, s) + mrn_block_lu_below(f, s) + 6) / 4 * 4;
}

/* Order, supernodes, rows (block_lu_plan.c). */
mrn_status mrn_block_lu_analyse(mrn_block_lu *f, int64_t most, const int64_t *start,
                                const int32_t *col, mrn_message *msg);

#endif
