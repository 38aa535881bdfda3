/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the readers and writers of contact problems share: sparse matrices as entries, datasets that
   are checked before they are believed, elimination of unknowns. */
#ifndef MRN_FCLIB_FCLIB_H
#define MRN_FCLIB_FCLIB_H

#include "moraine/fclib.h"
#include "store/h5.h"

/* A sparse matrix as entries, in any order; those of the same place are summed. */
typedef struct mrn_fclib_matrix {
    int32_t m, n; /* rows, columns */
    int64_t nnz, capacity;
    int32_t *row, *col;
    double *x;
    bool triplet; /* as the file stored it */
} mrn_fclib_matrix;
void mrn_fclib_matrix_release(mrn_fclib_matrix *a);
mrn_status mrn_fclib_matrix_room(mrn_fclib_matrix *a, int64_t nnz, mrn_message *msg);
mrn_status mrn_fclib_matrix_add(mrn_fclib_matrix *a, int32_t row, int32_t col, double x,
                                mrn_message *msg);

/* W of n contacts of b numbers from its entries, with a symmetric pattern and without blocks of
   zeros (fclib_blocks.c). Entries may be added to W. */
mrn_status mrn_fclib_blocks(int n, int b, mrn_fclib_matrix *W, mrn_bsr *out, mrn_message *msg);

/* A form of the format: the group in the file and what is in it. */
typedef struct mrn_fclib_form {
    const char *group, *name;
    bool global, rolling;
} mrn_fclib_form;
#define MRN_FCLIB_FORMS 4
const mrn_fclib_form *mrn_fclib_form_of(bool global, bool rolling);

/* Appends a sentence to the remark. */
void mrn_fclib_remark(mrn_fclib_notes *notes, const char *fmt, ...) MRN_PRINTF(2, 3);

/* ---- datasets (fclib_hdf.c); names are absolute, the first failure stays in h->status ---- */

#define MRN_FCLIB_NAME 64
typedef struct mrn_fclib_name {
    char text[MRN_FCLIB_NAME];
} mrn_fclib_name;
mrn_fclib_name mrn_fclib_join(const char *group, const char *name);

/* Records MRN_ERR_INPUT: "DATASET: WHAT"; `expected` may be NULL. */
void mrn_fclib_refuse(mrn_h5 *h, const char *name, const char *expected, const char *fmt, ...)
    MRN_PRINTF(4, 5);
bool mrn_fclib_has(mrn_h5 *h, const char *name);
/* Entries of a list of whole numbers (H5T_INTEGER) or reals (H5T_FLOAT), after a look at its rank,
   type and storage; -1: refused. */
int64_t mrn_fclib_count(mrn_h5 *h, const char *name, H5T_class_t kind);
/* Whether a list of n reals is there: asked before memory is allocated on the word of a number. */
bool mrn_fclib_expect(mrn_h5 *h, const char *name, int64_t n);
int32_t mrn_fclib_int(mrn_h5 *h, const char *name);
/* Exactly n finite reals into `out`. */
void mrn_fclib_reals(mrn_h5 *h, const char *name, int64_t n, double *out);
/* A text, cut to the size at a whole character; "" when there is none. */
void mrn_fclib_text(mrn_h5 *h, const char *name, char *out, size_t size);
void mrn_fclib_read_matrix(mrn_h5 *h, const char *group, mrn_fclib_matrix *out);

/* ---- elimination (fclib_condense.c) ---- */

/* With S = T K⁻¹ Tᵀ: appends factor * S to `out` (m x m) and adds factor * T K⁻¹ g to `vec`. K is
   square and sparse, T has as many columns. MRN_ERR_INPUT when K is singular; `what` names K in the
   message. */
mrn_status mrn_fclib_condense(const mrn_fclib_matrix *K, const mrn_fclib_matrix *T, const double *g,
                              double factor, const char *what, mrn_fclib_matrix *out, double *vec,
                              mrn_message *msg);
/* Inverse of an n x n block (n <= 6), column after column. False: singular. */
bool mrn_fclib_invert(int n, const double *a, double *inverse);
/* Whether the symmetric part of a block is positive definite. */
bool mrn_fclib_definite(int n, const double *a);

/* ---- contacts and constraints apart (fclib_split.c) ---- */

typedef struct mrn_fclib_split {
    int n[2];           /* contacts of either law: MRN_UNILATERAL, MRN_BILATERAL */
    int32_t *place;     /* of each contact among those of its law                */
    const uint8_t *law; /* of the problem; NULL: all unilateral                  */
} mrn_fclib_split;
static inline int mrn_fclib_law(const mrn_fclib_split *s, int k)
{
    return s->law != NULL && s->law[k] == MRN_BILATERAL ? MRN_BILATERAL : MRN_UNILATERAL;
}
mrn_status mrn_fclib_split_make(const mrn_problem *p, mrn_fclib_split *s, mrn_message *msg);
void mrn_fclib_split_release(mrn_fclib_split *s);
/* The blocks of W in rows of one law and columns of another. */
mrn_status mrn_fclib_split_blocks(const mrn_fclib_split *s, const mrn_bsr *W, int rows, int cols,
                                  mrn_bsr *out, mrn_message *msg);
/* Of a list with `width` numbers per contact those of one law; returns how many. */
int64_t mrn_fclib_split_numbers(const mrn_fclib_split *s, int law, int n, int width,
                                const double *all, double *out);

/* ---- forms (fclib_global.c, fclib_dat.c) ---- */

/* Fills kind and n of the problem from spacedim and the number of rows `m` of `matrix`. */
void mrn_fclib_begin_problem(mrn_h5 *h, const mrn_fclib_form *form, int64_t m, const char *matrix,
                             mrn_problem *p);
void mrn_fclib_read_friction(mrn_h5 *h, const mrn_fclib_form *form, mrn_problem *p);
void mrn_fclib_read_global(mrn_h5 *h, const mrn_fclib_form *form, mrn_problem *p,
                           mrn_fclib_notes *notes);
/* The text format of Siconos. */
/* Headers of local heaps in an HDF5 file, which HDF5 itself believes: MRN_ERR_IO where one does not
   fit into the file. */
mrn_status mrn_fclib_check_heaps(const char *path, mrn_message *msg);
mrn_status mrn_fclib_read_dat(const char *path, mrn_problem *p, mrn_fclib_notes *notes,
                              mrn_message *msg);

#endif
