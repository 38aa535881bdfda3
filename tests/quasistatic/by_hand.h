/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks as tests write them: a contact with all that it has as one record, into the contact
   network and elements that mrn_net_make takes, and back. */
#ifndef TEST_QUASISTATIC_BY_HAND_H
#define TEST_QUASISTATIC_BY_HAND_H

#include <stdlib.h>

#include "moraine/quasistatic.h"

typedef struct hand_contact {
    int32_t c, a, global; /* nodes */
    int32_t body_c, body_a;
    int64_t source;
    int rows;
    int64_t row;
    mrn_vec3 n, t, w, rc, ra, branch;
    double gap, force[3], moment[3], friction, pull, roll_limit[2], kn, kt, kr[2];
    mrn_net_shape shape;
    double curve_c, curve_a;
    mrn_vec3 edge_c, edge_a;
    mrn_net_status status;
} hand_contact;

static inline mrn_net_element hand_element(const hand_contact *h)
{
    return (mrn_net_element){.c = h->c,
                             .a = h->a,
                             .global = h->global,
                             .rows = h->rows,
                             .row = h->row,
                             .force = {h->force[0], h->force[1], h->force[2]},
                             .moment = {h->moment[0], h->moment[1], h->moment[2]},
                             .friction = h->friction,
                             .pull = h->pull,
                             .roll_limit = {h->roll_limit[0], h->roll_limit[1]},
                             .kn = h->kn,
                             .kt = h->kt,
                             .kr = {h->kr[0], h->kr[1]},
                             .shape = h->shape,
                             .curve_c = h->curve_c,
                             .curve_a = h->curve_a,
                             .edge_c = h->edge_c,
                             .edge_a = h->edge_a,
                             .status = h->status};
}

/* Contact k of a network. */
static inline hand_contact hand_of(const mrn_net *net, int64_t k)
{
    const mrn_contacts *at = &net->contact;
    const mrn_net_element *e = &net->element[k];
    hand_contact h = {.c = e->c,
                      .a = e->a,
                      .global = e->global,
                      .body_c = at->body_c[k],
                      .body_a = at->body_a[k],
                      .source = at->slot[k],
                      .rows = e->rows,
                      .row = e->row,
                      .n = mrn_load3(at->normal + 3 * k),
                      .t = mrn_load3(at->tangent + 3 * k),
                      .rc = mrn_load3(at->arm_c + 3 * k),
                      .ra = mrn_load3(at->arm_a + 3 * k),
                      .branch = mrn_load3(at->branch + 3 * k),
                      .gap = at->gap[k],
                      .friction = e->friction,
                      .pull = e->pull,
                      .kn = e->kn,
                      .kt = e->kt,
                      .shape = e->shape,
                      .curve_c = e->curve_c,
                      .curve_a = e->curve_a,
                      .edge_c = e->edge_c,
                      .edge_a = e->edge_a,
                      .status = e->status};
    h.w = mrn_cross(h.n, h.t);
    for (int d = 0; d < 3; d++)
        h.force[d] = e->force[d], h.moment[d] = e->moment[d];
    for (int d = 0; d < 2; d++)
        h.roll_limit[d] = e->roll_limit[d], h.kr[d] = e->kr[d];
    return h;
}

/* mrn_net_make with contacts written so. */
static inline mrn_status hand_make(int dimension, int32_t n, const double *x, const double *radius,
                                   int64_t n_contacts, const hand_contact *contact,
                                   const double *cell, const double *load, bool frictionless,
                                   mrn_net *out, mrn_message *msg)
{
    mrn_contacts_def def = {.columns = MRN_NET_COLUMNS, .n = n_contacts};
    mrn_contacts at = {0};
    mrn_net_element *element = calloc((size_t)n_contacts + 1, sizeof *element);
    *out = (mrn_net){0};
    mrn_status st = mrn_contacts_make(&at, &def, msg);
    for (int64_t k = 0; st == MRN_OK && k < n_contacts; k++) {
        at.c[k] = contact[k].c, at.a[k] = contact[k].a, at.gap[k] = contact[k].gap;
        mrn_store3(at.normal + 3 * k, contact[k].n);
        mrn_store3(at.tangent + 3 * k, contact[k].t);
        element[k] = hand_element(&contact[k]);
    }
    at.n = n_contacts;
    if (st == MRN_OK)
        st =
            mrn_net_make(dimension, n, x, radius, &at, element, cell, load, frictionless, out, msg);
    mrn_contacts_destroy(&at);
    free(element);
    return st;
}

#endif
