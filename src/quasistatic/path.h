/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elastoplastic paths: what the law of contacts, the search for an equilibrium and the control of
   increments share.

   Within an increment, forces follow from the displacements d since its start alone (an implicit
   step): elastic trial, then projection on Coulomb's cone; history enters through the increments
   only, not through the iterations. Stiffness is that of the network all
   along: where it depends on the force (Hertz), whoever drives the path makes a new network and a
   new path once it has changed by more than he accepts. */
#ifndef MRN_QUASISTATIC_PATH_H
#define MRN_QUASISTATIC_PATH_H

#include "linalg/krylov.h"
#include "quasistatic/net.h"

/* Rows that share one limit: tangential, pivoting, rolling. */
#define MRN_PATH_GROUPS 3
typedef struct mrn_path_group {
    int first, rows;
    double limit; /* |f| <= limit (N + pull), rows of moments over `length` */
} mrn_path_group;

typedef struct mrn_path_state {
    double *u;    /* n_unknowns                                                              */
    double *load; /* n_unknowns; of imposed globals: what balances the contacts              */
    double *f;    /* n_rows                                                                  */
    double *s;    /* per contact, N: N + pull while it is closed, -kn gap while it is open   */
    bool *broken; /* had cohesion and has lost it                                            */
    bool *fresh;  /* open since the start of the path: not counted as lost                   */
    mrn_net_status *status;
    int64_t sliding, open, reopened;
} mrn_path_state;

struct mrn_path {
    const mrn_net *net;
    mrn_path_options opt;
    mrn_elastic *elastic;
    mrn_sparse g;               /* rows by unknowns                            */
    double *k;                  /* n_rows: elastic stiffness                   */
    int widest;                 /* most rows of a contact                      */
    double *tangent;            /* per contact widest x widest: df = -C dU    */
    mrn_path_state now, before; /* before: at the start of the step, for errors */
    /* the increment being made */
    bool *broken;   /* trial, as in the state        */
    bool *imposed;  /* n_globals                     */
    double *target; /* n_unknowns: the load          */
    double *given;  /* n_globals: imposed increments */
    double *d, *d_try, *r, *delta, *last;
    double *v;    /* last correction K⁻¹ r */
    double *mode; /* of the last failure, unit */
    double *f_try, *s_try, *rel, *df;
    mrn_net_status *status_try;
    mrn_gmres gmres;
    double *gmres_room;
    double least_scale; /* N: mean force at the start of the path, or of the first elastic answer */
    double force_scale; /* N: what the tolerance is relative to */
    bool mechanism;     /* the load works on a mechanism of the network */
    int64_t spent;      /* elastic solutions of this increment  */
    double theta;       /* part of K that Newton's matrix has on top of the derivative */
    double residual;    /* |r| largest, over force_scale        */
    mrn_status trouble; /* of a solution inside GMRES           */
    mrn_message note;   /* of solutions on the way              */
    mrn_message *msg;   /* where that says so                   */
    mrn_path_facts facts;
};

/* Forces f_try, s_try and statuses after displacements d from the start of the increment; with
   `tangent` the derivative as well (path_law.c). */
void mrn_path_forces(mrn_path *p, const double *d, bool tangent);
/* Contacts whose cohesion the forces of the last call exceed: they break; how many. */
int64_t mrn_path_break(mrn_path *p);
/* Equilibrium under p->target and p->given: p->d and all that belongs to it. MRN_OK,
   MRN_NOT_CONVERGED (p->v is the last correction), or an error (path_solve.c). */
mrn_status mrn_path_equilibrium(mrn_path *p, bool quick, mrn_message *msg);

#endif
