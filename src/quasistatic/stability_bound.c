/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How low the second-order work can be, whatever contacts at the limit do. Branch and bound: a
   stiffness below all choices of forms has a smallest eigenvalue below theirs; where it is
   negative, the contact that takes most from it gets either form, and the two problems that
   this makes are looked at in turn, the lowest first. It ends when no part is negative (all choices
   are stable), when the lowest part has nothing left to choose (its eigenvalue is that of a
   choice), or after so many problems. At every time the lowest part bounds all choices. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "quasistatic/stability.h"

typedef struct search {
    const mrn_net *net;
    const mrn_critical *c;
    const mrn_sparse *sticking;
    double tolerance;
    int n, most;
    double *bound;       /* of each part                         */
    int64_t *split;      /* contact to choose next; -1: none     */
    signed char *choice; /* c->n per part                        */
} search;

static mrn_status reserve(search *s, mrn_message *msg)
{
    mrn_status st = mrn_array(&s->bound, s->most, sizeof *s->bound, msg);
    if (st == MRN_OK)
        st = mrn_array(&s->split, s->most, sizeof *s->split, msg);
    return st == MRN_OK ? mrn_array(&s->choice, s->most * s->c->n, sizeof *s->choice, msg) : st;
}

static void release(search *s)
{
    mrn_free(s->bound);
    mrn_free(s->split);
    mrn_free(s->choice);
}

/* Bound of part k, and where to split it. */
static mrn_status look_at(search *s, int k, mrn_message *msg)
{
    mrn_sparse low = {0};
    mrn_eigen e = {0};
    const signed char *choice = s->choice + k * s->c->n;
    mrn_status st = mrn_critical_minorant(s->net, s->c, choice, s->sticking, &low, msg);
    if (st == MRN_OK)
        st = mrn_eigen_smallest(&low, NULL, 1, 1e-12, &e, msg);
    s->bound[k] = st == MRN_OK ? e.value[0] : -INFINITY;
    if (st == MRN_OK)
        s->split[k] = mrn_critical_split(s->net, s->c, choice, e.vector, 1e-3 * s->tolerance);
    mrn_sparse_release(&low);
    mrn_eigen_release(&e);
    return st;
}

static int lowest(const search *s)
{
    int low = 0;
    for (int k = 1; k < s->n; k++)
        if (s->bound[k] < s->bound[low])
            low = k;
    return low;
}

/* The part itself becomes the one, a new part the other. No part is lower than what it came from,
   but for rounding. */
static mrn_status split(search *s, int k, mrn_message *msg)
{
    int64_t n = s->c->n, at = s->split[k];
    double whole = s->bound[k];
    int other = s->n++;
    memcpy(s->choice + other * n, s->choice + k * n, (size_t)n);
    s->choice[k * n + at] = MRN_CHOSEN_STICKS;
    s->choice[other * n + at] = MRN_CHOSEN_SLIDES;
    mrn_status st = look_at(s, k, msg);
    if (st == MRN_OK)
        st = look_at(s, other, msg);
    if (st == MRN_OK) {
        s->bound[k] = fmax(s->bound[k], whole);
        s->bound[other] = fmax(s->bound[other], whole);
    }
    return st;
}

mrn_status mrn_critical_bound(const mrn_net *net, const mrn_critical *c, const mrn_sparse *sticking,
                              double tolerance, int most, double *bound, mrn_message *msg)
{
    /* every split costs two problems and one more part */
    search s = {.net = net, .c = c, .sticking = sticking, .tolerance = tolerance};
    s.most = 1 + (most > 1 ? most / 2 : 0);
    *bound = -INFINITY;
    mrn_status st = reserve(&s, msg);
    if (st == MRN_OK) {
        s.n = 1;
        st = look_at(&s, 0, msg);
    }
    int low = 0;
    while (st == MRN_OK && s.n < s.most && s.bound[low] < -tolerance && s.split[low] >= 0) {
        st = split(&s, low, msg);
        low = lowest(&s);
    }
    if (st == MRN_OK)
        *bound = s.bound[low];
    release(&s);
    return st;
}
