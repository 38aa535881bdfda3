/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of this room share: rows of G contact by contact, local stiffness, matrices. */
#ifndef MRN_QUASISTATIC_NET_H
#define MRN_QUASISTATIC_NET_H

#include "linalg/sparse.h"
#include "moraine/quasistatic.h"

#define MRN_NET_ROWS    6 /* most rows of a contact   */
#define MRN_NET_DOFS    6 /* most unknowns of a node  */
#define MRN_NET_GLOBALS 7 /* most globals of a contact: all strains of the cell, and one wall */

/* The rows of G of one contact, by the unknowns they act on: those of node C, of node A (zero where
   there is none), and of globals. Rows: normal, then t, w (2D: t), then moments: pivoting (3D),
   rolling about t, rolling about w (2D: one, about z). Rows of moments take rotations of C relative
   to A times net->length, so that all rows are lengths and all entries of f forces. */
typedef struct mrn_net_block {
    int rows;
    double c[MRN_NET_ROWS][MRN_NET_DOFS], a[MRN_NET_ROWS][MRN_NET_DOFS];
    int n_globals;
    int global[MRN_NET_GLOBALS]; /* their numbers, from 0 */
    double g[MRN_NET_ROWS][MRN_NET_GLOBALS];
} mrn_net_block;
void mrn_net_rows(const mrn_net *net, int64_t k, mrn_net_block *b); /* net_rows.c */

/* G, n_rows x n_unknowns (net_rows.c). */
mrn_status mrn_net_matrix(const mrn_net *net, mrn_sparse *out, mrn_message *msg);

/* Unknown of node i, component k. */
static inline int64_t mrn_net_unknown(const mrn_net *net, int32_t i, int k)
{
    return (int64_t)i * net->dofs + k;
}
static inline int64_t mrn_net_global_unknown(const mrn_net *net, int g)
{
    return (int64_t)net->n * net->dofs + g;
}
/* Tangential rows of a contact: 0 (frictionless), 1 (2D), 2 (3D); moments follow them. */
static inline int mrn_net_tangential(const mrn_net *net, const mrn_net_element *c)
{
    return c->rows == 1 ? 0 : net->dimension - 1;
}

/* Axes of a contact's frame: n, t, n x t. */
static inline void mrn_net_axes(const mrn_net *net, int64_t k, mrn_vec3 axis[3])
{
    axis[0] = mrn_load3(net->contact.normal + 3 * k);
    axis[1] = mrn_load3(net->contact.tangent + 3 * k);
    axis[2] = mrn_cross(axis[0], axis[1]);
}

/* ---- stiffness (stiffness.c) ---- */

/* Local stiffness of a contact, rows x rows: df = -k dU. `status` MRN_NET_STICKS: elastic,
   diagonal; SLIDES: the normal stiffness carries the tangential force along (not symmetric); OPEN:
   0. */
void mrn_net_local(const mrn_net *net, int64_t k, mrn_net_status status,
                   double out[MRN_NET_ROWS][MRN_NET_ROWS]);
/* Geometric part of a contact: the change of its force and moment on C in the world frame, by the
   unknowns of C and A and globals, that comes from the turning of its frame alone, and from the
   shift of the contact point for moments. Filled such that the forces on the bodies of the contact
   change by -(these), i.e. as blocks of K2 (not symmetric in general): kcc, kca, kac, kaa between
   nodes, and columns of globals kcg, kag, rows kgc, kga, kgg. */
typedef struct mrn_net_turn {
    double cc[MRN_NET_DOFS][MRN_NET_DOFS], ca[MRN_NET_DOFS][MRN_NET_DOFS];
    double ac[MRN_NET_DOFS][MRN_NET_DOFS], aa[MRN_NET_DOFS][MRN_NET_DOFS];
    int n_globals;
    int global[MRN_NET_GLOBALS];
    double cg[MRN_NET_DOFS][MRN_NET_GLOBALS], ag[MRN_NET_DOFS][MRN_NET_GLOBALS];
    double gc[MRN_NET_GLOBALS][MRN_NET_DOFS], ga[MRN_NET_GLOBALS][MRN_NET_DOFS];
    double gg[MRN_NET_GLOBALS][MRN_NET_GLOBALS];
} mrn_net_turn;
void mrn_net_geometric(const mrn_net *net, int64_t k, mrn_net_turn *out);

/* The matrix of all unknowns: K1 (elastic, or by `status` per contact, NULL: the net's where
   `sliding`), with K2 where asked for; symmetric part, lower triangle. Every diagonal entry is
   there. */
mrn_status mrn_net_stiffness_matrix(const mrn_net *net, const mrn_stiffness_options *opt,
                                    const mrn_net_status *status, mrn_sparse *lower,
                                    mrn_message *msg);

/* ---- mechanisms that are known without linear algebra (held.c) ---- */

/* Motions of the whole as a rigid body that no contact resists: translations along axes without a
   ground, rotations where there is neither ground nor cell. Writes unit vectors of n_unknowns to
   `u` (room for 6 of them) and names to `what`; returns how many. */
int mrn_net_rigid_motions(const mrn_net *net, double *u, char (*what)[64]);
/* Spheres between two contacts only (3D, with rotations): the unit motion of node i about the line
   through its contact points, 6 numbers. False: it has another number of contacts. */
bool mrn_net_divalent(const mrn_net *net, int32_t i, const int64_t *contact, int n_contacts,
                      double u[6]);
/* Contacts of each node: start (n + 1) and list (2 n_contacts at most); both freed by mrn_free. */
mrn_status mrn_net_incidence(const mrn_net *net, int64_t **start, int64_t **list, mrn_message *msg);

/* mrn_net_equilibrium that says so when there is no memory. */
mrn_status mrn_net_judge(const mrn_net *net, mrn_equilibrium *out, mrn_message *msg);

#endif
