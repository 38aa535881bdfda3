/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps in making a network, the same for those given by hand and those of states (net_make.c). */
#ifndef MRN_QUASISTATIC_NET_PARTS_H
#define MRN_QUASISTATIC_NET_PARTS_H

#include "quasistatic/net.h"

/* Arrays of net->n nodes, net->n_bodies bodies (`node` where it is not there yet) and
   net->n_contacts contacts and elements (where they are not there yet). */
mrn_status mrn_net_reserve(mrn_net *net, mrn_message *msg);
/* Frame and components of force and moment of contact k from the force and moment on C in the world
   frame and n. */
void mrn_net_frame(mrn_net *net, int64_t k, mrn_vec3 force, mrn_vec3 moment);
/* How many rows it has; clears what a contact without friction cannot have. */
void mrn_net_count_rows(const mrn_net *net, bool frictionless, mrn_net_element *c);
/* At Coulomb's limit or below. A contact whose limit is zero or not known sticks. */
mrn_net_status mrn_net_status_of(const mrn_net_element *c);
/* Strains among periodic directions, after the globals there are (room for 6 more). */
void mrn_net_cell_globals(mrn_net *net);
/* Rows, mean force, length, unknowns: from nodes, contacts and globals. */
void mrn_net_number(mrn_net *net);
/* Scales of globals, once `length` is known. */
void mrn_net_scale_globals(mrn_net *net);
/* Loads that balance the forces. */
mrn_status mrn_net_balance(mrn_net *net, mrn_message *msg);

/* ---- networks given by hand ---- */

/* Numbers of grains and contacts, and the cell (sizes, 0: not periodic; NULL: none). */
void mrn_net_start(mrn_net *net, int dimension, int32_t n, int64_t n_contacts, const double *cell);
/* Is contact k one between two of n grains, or of one with the ground and a normal? */
mrn_status mrn_net_check_contact(int32_t n, const mrn_contacts *at, int64_t k, mrn_message *msg);
/* All arrays, room for globals included. */
mrn_status mrn_net_make_room(mrn_net *net, mrn_message *msg);
void mrn_net_put_grain(mrn_net *net, int32_t i, mrn_vec3 x, double radius, double mass,
                       double inertia, bool ball);
/* Contact k as given: what it has and between whom; then its place; then rows and status. */
void mrn_net_put_contact(mrn_net *net, int64_t k, const mrn_contacts *from,
                         const mrn_net_element *element);
void mrn_net_put_geometry(mrn_net *net, int64_t k, mrn_vec3 n, mrn_vec3 arm_c, mrn_vec3 arm_a,
                          mrn_vec3 branch);
void mrn_net_finish_contact(mrn_net *net, int64_t k, bool frictionless);
/* The loads given, or (NULL) those that balance the forces. */
mrn_status mrn_net_set_loads(mrn_net *net, const double *load, mrn_message *msg);

#endif
