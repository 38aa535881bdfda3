/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the laws of a scene are to a network: stiffness, friction, cohesion, limits of moments. */
#ifndef MRN_QUASISTATIC_NET_LAW_H
#define MRN_QUASISTATIC_NET_LAW_H

#include "quasistatic/net.h"

typedef struct mrn_net_laws {
    const mrn_scene *scene;
    const mrn_state *s;
    const mrn_net_options *opt;
    mrn_rigid *limit;     /* per interaction: friction, rolling, pivoting, pull (rigid scenes) */
    mrn_law_block *block; /* scratch                                                           */
} mrn_net_laws;

mrn_status mrn_net_laws_open(const mrn_scene *scene, const mrn_state *s, const mrn_net_options *opt,
                             mrn_net_laws *out, mrn_message *msg);
void mrn_net_laws_release(mrn_net_laws *l);
/* Fills interaction of contact k of `at`, and friction, pull, limits and stiffness of its element;
   bodies c and a (those that touch: spheres of clusters, a wall), gap, normal and force are there.
   MRN_ERR_INPUT where the law is for rigid grains and the options have no stiffness. */
mrn_status mrn_net_laws_fill(const mrn_net_laws *l, mrn_contacts *at, int64_t k,
                             mrn_net_element *element, mrn_message *msg);

#endif
