/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of limit analysis share. The programme is: maximise lambda over contact forces f
   and lambda, subject to Gᵀ f + lambda C + F = 0 and each contact's force in its cone. Forces are
   counted from the apex of the cone (f_n = N + pull; F then has -Gᵀ pull in it), so that cones are
   cones. */
#ifndef MRN_QUASISTATIC_LIMIT_H
#define MRN_QUASISTATIC_LIMIT_H

#include "quasistatic/net.h"

/* ---- cones (limit_cone.c) ---- */

/* One second-order cone s_0 >= |s_1, s_2| of a contact: s_0 = f_n, the others `scale` times rows of
   f. A contact has one for friction and, with moments, one for rolling and one for pivoting, all of
   which share f_n; one of dimension 1 (f_n >= 0) where it has none of these. Rows without a
   coefficient belong to no cone: their force is 0. */
typedef struct mrn_limit_cone {
    int64_t normal, first; /* rows of f: the normal one, the first of the others               */
    int64_t at;            /* place in s and w                                                 */
    int dim;
    double scale;
    double eta, a, q[2]; /* scaling of Nesterov and Todd: W = eta (a qᵀ; q 1 + q qᵀ/(1 + a))   */
    double l[3];         /* W w = W⁻¹ s                                                        */
} mrn_limit_cone;

typedef struct mrn_limit_cones {
    const mrn_net *net;
    int64_t n, size; /* cones; numbers in s (or w)                                             */
    mrn_limit_cone *cone;
    int64_t *start; /* cones of contact k: start[k] … start[k + 1] - 1                         */
} mrn_limit_cones;

mrn_status mrn_limit_cones_make(const mrn_net *net, mrn_limit_cones *out, mrn_message *msg);
void mrn_limit_cones_release(mrn_limit_cones *c);
/* s = H f; f = Hᵀ w (rows of no cone: 0). */
void mrn_limit_spread(const mrn_limit_cones *c, const double *f, double *s);
void mrn_limit_gather(const mrn_limit_cones *c, const double *w, double *f);
/* All of s inside the cones, not on their surface. */
bool mrn_limit_inside(const mrn_limit_cones *c, const double *s);
/* The scaling at s and w. */
void mrn_limit_scaling(mrn_limit_cones *c, const double *s, const double *w);
/* out = W x */
void mrn_limit_scale(const mrn_limit_cones *c, const double *x, double *out);
/* Division by l in the algebra of the cones: x = l \ (target e - l l - ds dw); ds, dw scaled, NULL:
   without them. */
void mrn_limit_centre(const mrn_limit_cones *c, double target, const double *ds, const double *dw,
                      double *x);
/* The longest step along a scaled direction that stays within the cones; at most 1e30. */
double mrn_limit_longest(const mrn_limit_cones *c, const double *d);
/* D = (Hᵀ W⁻² H)⁻¹ of contact k, rows x rows. */
void mrn_limit_block(const mrn_limit_cones *c, int64_t k, double d[MRN_NET_ROWS][MRN_NET_ROWS]);
/* Solves Hᵀ w = g, H f + W² w = W z for f and w (NULL: not wanted); z NULL: 0, then f = -D g. Rows
   of f that no cone has are left as they are; f may be g. */
void mrn_limit_respond(const mrn_limit_cones *c, const double *g, const double *z, double *f,
                       double *w);

/* ---- the matrix Gᵀ D G (limit_matrix.c) ---- */

typedef struct mrn_limit_matrix {
    mrn_sparse lower;
    mrn_llt factor;
    double *scale; /* n_unknowns: the matrix that is factorised has ones on its diagonal       */
    double *room;  /* n_unknowns                                                               */
    double shift;  /* added to these ones                                                      */
} mrn_limit_matrix;
mrn_status mrn_limit_matrix_make(const mrn_net *net, mrn_limit_matrix *m, mrn_message *msg);
void mrn_limit_matrix_release(mrn_limit_matrix *m);
/* Assembles and factorises, with a shift that lets it through. */
mrn_status mrn_limit_matrix_update(mrn_limit_matrix *m, const mrn_limit_cones *c, mrn_message *msg);
mrn_status mrn_limit_matrix_solve(mrn_limit_matrix *m, const double *b, double *x,
                                  mrn_message *msg);

/* ---- the programme (limit_solve.c) ---- */

typedef enum mrn_limit_end {
    MRN_LIMIT_FINITE,     /* optimum                                                           */
    MRN_LIMIT_UNBOUNDED,  /* f is a direction in the cones with Gᵀ f + lambda C = 0, lambda = 1 */
    MRN_LIMIT_IMPOSSIBLE, /* y is a motion the contacts allow, C y = 0, on which F works       */
    MRN_LIMIT_UNDECIDED,  /* not converged; the best iterate                                   */
} mrn_limit_end;

/* Everything the iterations need, made once per network: any number of programmes can follow. */
typedef struct mrn_limit_work {
    const mrn_net *net;
    mrn_limit_cones cones;
    mrn_limit_matrix matrix;
    double *numbers; /* all vectors of an iteration, one after another                         */
} mrn_limit_work;
mrn_status mrn_limit_work_make(const mrn_net *net, mrn_limit_work *w, mrn_message *msg);
void mrn_limit_work_release(mrn_limit_work *w);

typedef struct mrn_limit_answer {
    mrn_limit_end end;
    double lambda, gap;
    int iterations;
    double *f; /* n_rows, from the apex of the cones; given by the caller                      */
    double *y; /* n_unknowns, likewise; unit length                                            */
} mrn_limit_answer;
/* C is not zero and there are contacts. */
mrn_status mrn_limit_programme(mrn_limit_work *w, const double *load, const double *change,
                               double tolerance, int most, mrn_limit_answer *out, mrn_message *msg);

#endif
