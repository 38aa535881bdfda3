/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the rigidity analysis share: mechanisms known beforehand, the count by
   eigenvalues, the basis made understandable, the decomposition of the forces. */
#ifndef MRN_QUASISTATIC_RIGIDITY_H
#define MRN_QUASISTATIC_RIGIDITY_H

#include "quasistatic/net.h"

#define MRN_RIGID_MOTIONS 6

/* ---- mechanisms that are known without linear algebra (rigidity_known.c) ---- */

typedef enum mrn_local_kind {
    MRN_LOCAL_DIVALENT, /* a sphere that turns between its two contacts            */
    MRN_LOCAL_FREE,     /* an unknown that no contact feels: its column of G is 0  */
} mrn_local_kind;
/* A motion of one node or one global. They are orthonormal among each other. */
typedef struct mrn_local {
    mrn_local_kind kind;
    int64_t first; /* unknown */
    int n;         /* unknowns from there on */
    double u[MRN_NET_DOFS];
    bool redundant; /* in the span of the others and the motions of the whole: counts with those */
} mrn_local;
typedef struct mrn_known {
    int64_t n_unknowns;
    int64_t n_local, capacity;
    mrn_local *local;
    int64_t divalent;
    int n_trivial; /* independent motions of the whole: unit vectors, with names */
    double *trivial;
    char what[MRN_RIGID_MOTIONS][64];
    int n_apart; /* orthonormal: these less their parts in the local motions, which make up the
                    span of all that is known together with those */
    double *apart;
    int64_t dimension; /* of that span: n_local + n_apart */
    double column;     /* largest norm of a column of G   */
} mrn_known;
mrn_status mrn_known_make(const mrn_net *net, const mrn_sparse *g, mrn_known *out,
                          mrn_message *msg);
void mrn_known_release(mrn_known *k);
/* Takes the part in the local motions (in all known ones) from v. */
void mrn_known_off_local(const mrn_known *k, double *v);
void mrn_known_off(const mrn_known *k, double *v);
void mrn_local_vector(const mrn_local *l, double *u); /* u zeroed by the caller */

/* ---- counting by eigenvalues (rigidity_eigen.c) ---- */

/* Mechanisms beside the known ones: `*others` of them, orthonormal in `*basis` (freed by mrn_free).
   smallest_in, largest_out: as in mrn_rank. MRN_NOT_CONVERGED: at least that many. */
typedef struct mrn_counted {
    int64_t others;
    double *basis; /* n_unknowns x others */
    double smallest_in, largest_out;
} mrn_counted;
mrn_status mrn_count_by_eigenvalues(const mrn_sparse *g, const mrn_known *known, double tolerance,
                                    mrn_counted *out, mrn_message *msg);

/* Lower triangle of GᵀG + BᵀB, B rows that hold the known mechanisms. */
mrn_status mrn_held_square(const mrn_sparse *g, const mrn_known *known, mrn_sparse *lower,
                           mrn_message *msg);

/* ---- the basis (rigidity_modes.c, rigidity_local.c) ---- */

/* Columns of v, n numbers each, are made orthonormal in place, those with the largest rest first;
   ends when none has a rest above `least`. Returns how many; the others are spoilt. */
int64_t mrn_orthonormalise(int64_t n, int64_t columns, double *v, double least);
/* Writes the modes of `out` with their names from a basis of the null space of G (`columns` of
   them, orthonormal; spoilt). MRN_NOT_CONVERGED: the known mechanisms and the basis disagree. */
mrn_status mrn_rigidity_modes(const mrn_net *net, const mrn_sparse *g, const mrn_known *known,
                              int64_t columns, double *basis, double accuracy, mrn_rigidity *out,
                              mrn_message *msg);
/* Splits the span of v (n_unknowns x columns, orthonormal, off all known motions) into those of
   sets of grains that move independently of each other, as many unit vectors as before. Where most
   grains move as one body that body is at rest. Where nothing can be split v stays as it is. */
mrn_status mrn_rigidity_split(const mrn_net *net, const mrn_sparse *g, const mrn_known *known,
                              int64_t columns, double *v, double accuracy, mrn_message *msg);

/* ---- forces (rigidity_forces.c) ---- */

/* Fills admissible, residual, self_part, unsupported of `out`. */
mrn_status mrn_rigidity_forces(const mrn_net *net, const mrn_sparse *g, const mrn_known *known,
                               mrn_rigidity *out, mrn_message *msg);

#endif
