/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The matrix of all bodies, 1 + Gᵀ K G: K holds a block per contact, G = Ht L with M⁻¹ = L Lᵀ. It
   is what a step of Newton or of interior points leaves when the impulses are eliminated, has no
   zero pivot however many contacts share the bodies, and is regular where bodies are held or do not
   move at all. Its size is that of the bodies, not of the contacts. */
#ifndef MRN_SOLVE_BODY_MATRIX_H
#define MRN_SOLVE_BODY_MATRIX_H

#include "linalg/block_lu.h"
#include "solve/system.h"

typedef struct mrn_body_matrix {
    const mrn_system *s;
    int n;           /* bodies that move                                                */
    int32_t *column; /* n_bodies: number among those; -1: it does not move              */
    double *g;       /* per link (contact, body): b * dof, column after column          */
    int64_t *start;  /* n + 1: bodies that share a contact with a body, itself left out */
    int32_t *col;
    int32_t *block;     /* per link: where the block with each other link of the contact is … */
    int links;          /* … the most links of a contact                                      */
    double *diag, *off; /* dof * dof each                                                     */
    mrn_block_lu lu;
} mrn_body_matrix;

/* Whether all M⁻¹ are symmetric, but for rounding: those with gyroscopic terms have no root. */
bool mrn_masses_have_roots(int n, int dof, const double *minv);
/* Order and pattern: says what a factorisation costs (lu.flops). MRN_ERR_RANGE: L would have more
   than `most` blocks. Memory from the work space of s, and of lu: mrn_body_matrix_release. */
mrn_status mrn_body_matrix_plan(const mrn_system *s, int64_t most, mrn_body_matrix *out,
                                mrn_message *msg);
/* Room for numbers, before the first factorisation. */
mrn_status mrn_body_matrix_take_room(mrn_body_matrix *a, mrn_message *msg);
void mrn_body_matrix_release(mrn_body_matrix *a);
/* k: b * b per contact, column after column. Returns the number of pivots mended. */
int mrn_body_matrix_factor(mrn_body_matrix *a, const double *k);
/* w = Gᵀ x (n * dof) */
void mrn_body_matrix_push(const mrn_body_matrix *a, const double *x, double *w);
/* u = G w (n_contacts * b) */
void mrn_body_matrix_relative(const mrn_body_matrix *a, const double *w, double *u);

#endif
