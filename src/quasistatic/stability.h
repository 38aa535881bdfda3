/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts at Coulomb's limit, whose stiffness depends on where they are pushed. */
#ifndef MRN_QUASISTATIC_STABILITY_H
#define MRN_QUASISTATIC_STABILITY_H

#include "quasistatic/net.h"

/* Contacts that are at the limit, by number (stability_status.c). */
typedef struct mrn_critical {
    int64_t n;
    int64_t *contact;
} mrn_critical;
mrn_status mrn_critical_of(const mrn_net *net, mrn_critical *out, mrn_message *msg);
void mrn_critical_release(mrn_critical *c);

/* Along sign * u every contact at the limit chooses its form by itself: writes which ones slide
   (n of them, may be NULL) and returns the second-order work beyond that of all sticking. */
double mrn_critical_work(const mrn_net *net, const mrn_critical *c, const double *u, double sign,
                         bool *slides);
/* Contacts for which a form is chosen, and those that may have either. */
typedef enum mrn_choice { MRN_EITHER, MRN_CHOSEN_STICKS, MRN_CHOSEN_SLIDES } mrn_choice;
/* From the stiffness with all of them sticking (lower triangle) to one that is below that of every
   choice still possible, as a quadratic form. */
mrn_status mrn_critical_minorant(const mrn_net *net, const mrn_critical *c,
                                 const signed char *choice, const mrn_sparse *sticking,
                                 mrn_sparse *out, mrn_message *msg);
/* Along u: which contact of those with either form would raise that stiffness most if its
   form were chosen; -1: none by more than `least`. */
int64_t mrn_critical_split(const mrn_net *net, const mrn_critical *c, const signed char *choice,
                           const double *u, double least);
/* Lower bound of the smallest eigenvalue over all choices, N/m: of the minorant, and where that is
   below -tolerance sharpened by choosing forms, at most `most` eigenproblems
   (stability_bound.c). MRN_NOT_CONVERGED: -INFINITY. */
mrn_status mrn_critical_bound(const mrn_net *net, const mrn_critical *c, const mrn_sparse *sticking,
                              double tolerance, int most, double *bound, mrn_message *msg);

/* All contacts elastic that are not open, n_contacts of them; freed by mrn_free. */
mrn_status mrn_net_sticking(const mrn_net *net, mrn_net_status **out, mrn_message *msg);
/* Mean normal stiffness of the contacts that are not open; 0: there are none. */
double mrn_net_mean_kn(const mrn_net *net);

#endif
