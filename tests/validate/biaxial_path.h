/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The path of a network of disks under sigma_yy = P + q that makes no contact, to the end of
   regime I. */
#ifndef MRN_TESTS_VALIDATE_BIAXIAL_PATH_H
#define MRN_TESTS_VALIDATE_BIAXIAL_PATH_H

#include "validate/biaxial.h"

enum { ROWS = 400 };
typedef struct curve {
    int n;
    double q[ROWS], yy[ROWS], xx[ROWS]; /* over P; strains, compression positive */
    double sliding[ROWS], lost[ROWS];
    double end; /* q where no equilibrium was found any more, over P */
} curve;

static inline void curve_note(const mrn_net *net, const mrn_path *path, double q, curve *c)
{
    mrn_path_facts f = mrn_path_facts_of(path);
    const double *u = f.u + net->n_unknowns - net->n_globals;
    int k = c->n < ROWS ? c->n++ : ROWS - 1;
    c->q[k] = q;
    c->xx[k] = -u[0] / net->global[0].scale;
    c->yy[k] = -u[1] / net->global[1].scale;
    c->sliding[k] = (double)f.sliding / (double)net->n_contacts;
    c->lost[k] = (double)f.open / (double)net->n_contacts;
}

typedef struct follower {
    const mrn_net *net;
    const mrn_path *path;
    curve *c;
} follower;

static inline bool note_increment(void *user, double q, const mrn_path_facts *facts)
{
    (void)facts;
    follower *f = user;
    curve_note(f->net, f->path, q, f->c);
    return true;
}

/* sigma_yy = P + q by increments dq P, to the end of the regime or to `most`. */
static inline void follow(const mrn_net *net, mrn_flow_rule rule, double pressure, double dq,
                          double most, curve *c)
{
    mrn_message msg = {0};
    mrn_path *path = NULL;
    mrn_path_options opt = mrn_path_default();
    opt.rule = rule;
    double *change = axial(net, pressure);
    if (mrn_path_create(net, &opt, &path, &msg) != MRN_OK || change == NULL)
        give_up("path", &msg);
    memset(c, 0, sizeof *c);
    follower f = {net, path, c};
    mrn_follow way = {
        .change = change, .increment = dq, .up_to = most, .each = note_increment, .user = &f};
    if (mrn_path_follow(path, &way, &c->end, &msg) < 0)
        give_up("path", &msg);
    mrn_path_destroy(&path);
    free(change);
}

#endif
