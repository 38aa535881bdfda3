/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of the elastic network: its matrix in blocks, and the motions that cost nothing. */
#ifndef MRN_QUASISTATIC_ELASTIC_H
#define MRN_QUASISTATIC_ELASTIC_H

#include "quasistatic/net.h"

#define MRN_HELD_TRIANGLE (MRN_NET_DOFS * (MRN_NET_DOFS + 1) / 2)

/* A node that can move by itself while all others rest: unit motions of its own unknowns. */
typedef struct mrn_held_node {
    int32_t node;
    int n;
    double u[MRN_NET_DOFS][MRN_NET_DOFS];
    double saved[MRN_HELD_TRIANGLE]; /* its diagonal block while springs are added */
} mrn_held_node;

/* Motions of a grain block that cost nothing and are known beforehand (elastic_held.c). */
typedef struct mrn_held {
    int dofs, dimension;
    int64_t order; /* unknowns of the grains                                       */
    int32_t n_nodes;
    int64_t room;
    mrn_held_node *node; /* ascending                                                    */
    int64_t n_local;     /* motions of theirs                                            */
    int n_rigid;         /* of the whole; the globals rest                               */
    double *rigid;       /* order x n_rigid, orthonormal                                 */
    int64_t pin[6];      /* as many unknowns that hold them                              */
    double saved[6];
    double spring; /* N/m: mean of the diagonal                                    */
} mrn_held;

/* Finds them for the block `lower` of the grains of `net`. */
mrn_status mrn_held_find(const mrn_net *net, const mrn_sparse *lower, mrn_held *out,
                         mrn_message *msg);
void mrn_held_release(mrn_held *h);
/* Adds springs along them to the matrix, and takes them off again to the last bit. */
void mrn_held_add(mrn_held *h, mrn_sparse *lower);
void mrn_held_take_off(mrn_held *h, mrn_sparse *lower);
/* Takes their part out of a load on the grains; returns its size, and where it is largest: a node,
   or -1: the whole. */
double mrn_held_project(const mrn_held *h, double *f, int64_t *where);
/* Takes rigid motions out of displacements. */
void mrn_held_centre(const mrn_held *h, double *u);

#endif
