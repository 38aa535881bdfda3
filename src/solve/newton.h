/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generalised Newton on the whole problem: functions F(r, u) of a contact that vanish where its
   laws hold, their derivatives, and steps that other solvers may use to finish. Sliding friction
   only: 2D and 3D contacts, bilateral ones among them. */
#ifndef MRN_SOLVE_NEWTON_H
#define MRN_SOLVE_NEWTON_H

#include "linalg/krylov.h"
#include "solve/step_matrix.h"
#include "solve/sweep.h"

enum { MRN_NEWTON_BLOCK = 3 }; /* largest block here */

typedef enum mrn_newton_map {
    MRN_MAP_ALART_CURNIER,
    MRN_MAP_NATURAL,
    MRN_MAP_FISCHER_BURMEISTER,
} mrn_newton_map;

/* One contact, as the functions see it. */
typedef struct mrn_newton_contact {
    int b; /* numbers, 2 or 3                                              */
    mrn_contact_law law;
    double mu;
    double rho_n, rho_t; /* > 0: impulses per velocity, along the normal and the tangent */
} mrn_newton_contact;

/* f = F(r, u), and where a is not NULL a = dF/dr and c = dF/du (b*b, column after column): an
   element of the generalised derivative where there is no other. */
void mrn_newton_evaluate(mrn_newton_map map, const mrn_newton_contact *contact, const double *r,
                         const double *u, double *f, double *a, double *c);

/* Vectors and blocks that a Newton iteration works with. */
typedef struct mrn_newton_memory {
    double *u, *f, *step;        /* n*b                                                  */
    double *own, *left;          /* n*b*b: A + alpha C and C of the Jacobian             */
    mrn_newton_contact *contact; /* n                                                    */
} mrn_newton_memory;

/* From the work space of s. */
mrn_status mrn_newton_make(mrn_system *s, mrn_newton_memory *out, mrn_message *msg);

/* F at r with velocities m->u, into m->f, and the blocks of its Jacobian A + C (W + alpha 1):
   m->own and what W is multiplied with from the left, m->left. */
void mrn_newton_linearise(const mrn_system *s, mrn_newton_memory *m, mrn_newton_map map,
                          double alpha, const double *r);

/* ---- Newton's steps with proximal points: finds its way from far ---- */

typedef enum mrn_newton_search {
    MRN_SEARCH_NONE,
    MRN_SEARCH_ARMIJO,
    MRN_SEARCH_NON_MONOTONE,
} mrn_newton_search;

enum { MRN_PROXIMAL_MEMORY = 8 }; /* values of |F|² that a non-monotone search compares with */

typedef struct mrn_proximal {
    mrn_system *s;
    mrn_newton_memory m;     /* m.u: velocity with the term of alpha          */
    mrn_step_matrix *matrix; /* of s, the caller's; NULL: GMRES           */
    mrn_gmres gmres;
    double *inverse; /* of the diagonal blocks, for GMRES             */
    /* to be changed, if at all, after mrn_proximal_make */
    mrn_newton_map map;
    mrn_newton_search search;
    double regularisation; /* 1: alpha over the residual, at first and near the answer      */
    int64_t sweeps;        /* 10: of Gauss-Seidel, where steps do not lead on; may be 0     */
    /* state */
    double *centre, outer; /* centre and its residual                                */
    double alpha, least;   /* least: where steps failed; forgotten little by little  */
    double best, mark;     /* best residual of a centre, and where counting began    */
    int failures, idle;    /* in a row: centres that failed, that gained too little  */
    int64_t steps;         /* all that were taken                                    */
    double *change, *r, *u, *f;
    double past[MRN_PROXIMAL_MEMORY];
    int n_past;
    mrn_sweeper sweeper;
} mrn_proximal;

mrn_status mrn_proximal_make(mrn_system *s, mrn_step_matrix *matrix,
                             const mrn_newton_memory *memory, mrn_proximal *out, mrn_message *msg);
/* r is the first centre. */
void mrn_proximal_start(mrn_proximal *g, const double *r);
/* Goes on from the last centre for about `most` steps (those for one centre are not cut short);
   tells the log of every iterate (phases "newton" and "sweeps"); true when the log says stop. r is
   the centre reached, g->outer its residual: not always the best one, which is in the log. */
bool mrn_proximal_run(mrn_proximal *g, int64_t most, double *r, mrn_progress_log *log);
/* Whether it knows no way on. */
bool mrn_proximal_stalled(const mrn_proximal *g);
/* g->sweeps sweeps of r; true when the log says stop. */
bool mrn_proximal_sweep(mrn_proximal *g, double *r, mrn_progress_log *log);

#endif
