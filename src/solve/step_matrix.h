/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The linear systems of Newton's steps and of interior points,

       A_i x_i + C_i (S W S x)_i = f_i        for every contact i,

   with blocks A, C and a diagonal S that differ from step to step and a W that does not. Two ways
   lead to x. In the space of contacts C S W S + A is factorised: as many unknowns as contacts have
   numbers. In that of bodies x is eliminated first, x = A⁻¹ (f - C S G w), which leaves
   (1 + Gᵀ S A⁻¹ C S G) w = Gᵀ S A⁻¹ f: as many unknowns as bodies have, however many points they
   touch in. What a factorisation costs is known from the patterns, and decides. */
#ifndef MRN_SOLVE_STEP_MATRIX_H
#define MRN_SOLVE_STEP_MATRIX_H

#include "solve/body_matrix.h"

typedef struct mrn_step_matrix {
    mrn_system *s;
    bool bodies;  /* which way                                                    */
    double flops; /* of a factorisation                                           */
    bool has_room;
    mrn_body_matrix body;
    mrn_block_lu lu;             /* of contacts                                                 */
    double *diag;                /* of contacts: n*b*b                                          */
    double *off;                 /* S W S beside the diagonal; NULL: W                          */
    double *k, *inverse;         /* bodies: S A⁻¹ C S and A⁻¹, n*b*b                        */
    const double *a, *c, *scale; /* of the last factorisation                        */
    double *x, *y, *z;           /* n*b */
    double *w;                   /* bodies' numbers */
    int solutions;               /* of the last factorisation … */
    bool inexact;                /* … and whether they have to be improved */
} mrn_step_matrix;

/* Order and pattern of the cheaper way, or of `space`. MRN_ERR_RANGE: more than `most` numbers
   in L. */
typedef enum mrn_step_space { MRN_SPACE_AUTO, MRN_SPACE_CONTACTS, MRN_SPACE_BODIES } mrn_step_space;
/* Whether a system may go that way at all. */
bool mrn_step_bodies_fit(const mrn_system *s);
mrn_status mrn_step_matrix_plan(mrn_system *s, mrn_step_space space, int64_t most,
                                mrn_step_matrix *out, mrn_message *msg);
mrn_status mrn_step_matrix_take_room(mrn_step_matrix *m, mrn_message *msg);
void mrn_step_matrix_release(mrn_step_matrix *m);
size_t mrn_step_matrix_bytes(const mrn_step_matrix *m);
/* Numbers in L and U together, which every solution reads. */
double mrn_step_matrix_numbers(const mrn_step_matrix *m);
/* Blocks A and C (NULL: 1) of all contacts, b*b each; `scale`: S, n*b, NULL: 1. They are to stay
   where they are as long as there are solutions to be found. Returns the number of pivots that had
   to be mended. */
int mrn_step_matrix_factor(mrn_step_matrix *m, const double *a, const double *c,
                           const double *scale);
/* x is never f. */
void mrn_step_matrix_solve(mrn_step_matrix *m, const double *f, double *x);

#endif
