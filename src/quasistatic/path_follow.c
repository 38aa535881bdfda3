/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Straight paths of a network: increments of one parameter to the end of the regime, and what makes
   a network ready for that. */
#include "base/base.h"
#include "quasistatic/net_parts.h"
#include "quasistatic/path.h"

#include <math.h>

/* ---- the network as a path wants it ---- */

/* Number of each global among those that stay; -1: held. Returns how many stay. */
static int renumber(const mrn_net *net, const bool *hold, int *to)
{
    int n = 0;
    for (int g = 0; g < net->n_globals; g++)
        to[g] = hold[g] ? -1 : n++;
    return n;
}

mrn_status mrn_net_hold(mrn_net *net, const bool *hold, mrn_message *msg)
{
    int *to = NULL;
    mrn_status s = mrn_array(&to, net->n_globals, sizeof *to, msg);
    if (s < 0)
        return s;
    int stay = renumber(net, hold, to);
    int64_t first = mrn_net_global_unknown(net, 0);
    for (int g = 0; g < net->n_globals; g++)
        if (to[g] >= 0) {
            net->global[to[g]] = net->global[g];
            net->load[first + to[g]] = net->load[first + g];
        }
    for (int64_t k = 0; k < net->n_contacts; k++) {
        mrn_net_element *c = &net->element[k];
        c->global = c->global >= 0 ? to[c->global] : -1;
    }
    net->n_globals = stay;
    net->n_unknowns = first + stay;
    mrn_free(to);
    return MRN_OK;
}

mrn_status mrn_net_settle(mrn_net *net, mrn_message *msg)
{
    mrn_status s = mrn_net_balance(net, msg);
    for (int g = 0; s == MRN_OK && g < net->n_globals; g++)
        net->global[g].load = net->load[mrn_net_global_unknown(net, g)];
    return s;
}

/* ---- increments ---- */

/* What one increment changes. */
typedef struct stride {
    double *dload, *dglobal;
} stride;

static void stride_release(stride *x)
{
    mrn_free(x->dload);
    mrn_free(x->dglobal);
}

static mrn_status stride_make(const mrn_net *net, stride *x, mrn_message *msg)
{
    mrn_status s = mrn_array(&x->dload, net->n_unknowns, sizeof *x->dload, msg);
    if (s >= 0)
        s = mrn_array(&x->dglobal, net->n_globals, sizeof *x->dglobal, msg);
    return s;
}

static void stride_set(const mrn_net *net, const mrn_follow *way, double dq, stride *x)
{
    for (int64_t i = 0; i < net->n_unknowns; i++)
        x->dload[i] = way->change ? dq * way->change[i] : 0;
    for (int g = 0; g < net->n_globals; g++)
        x->dglobal[g] = way->move ? dq * way->move[g] : NAN;
}

static mrn_status check_way(const mrn_follow *way, mrn_message *msg)
{
    if (!(way->increment > 0) || !isfinite(way->increment))
        return mrn_fail(msg, MRN_ERR_RANGE, "increments of %g lead nowhere", way->increment);
    if (!(way->up_to > 0) || !isfinite(way->up_to))
        return mrn_fail(msg, MRN_ERR_RANGE, "a path up to %g has no length", way->up_to);
    if (way->up_to / way->increment > 1e9)
        return mrn_fail(msg, MRN_ERR_RANGE, "%g increments are more than 1e9",
                        way->up_to / way->increment);
    return MRN_OK;
}

static bool enough(const mrn_path *p, const mrn_follow *way, double q)
{
    mrn_path_facts f = mrn_path_facts_of(p);
    return way->each && !way->each(way->user, q, &f);
}

/* Every increment begins at a multiple of the first, so that q is the same however it is reached;
   the last one ends at up_to, and is not made for the sake of rounding. */
static mrn_status walk(mrn_path *p, const mrn_follow *way, stride *x, double *q, mrn_message *msg)
{
    int64_t n = (int64_t)ceil(way->up_to / way->increment - 1e-9);
    mrn_status s = MRN_OK;
    bool stop = enough(p, way, 0);
    for (int64_t k = 0; s == MRN_OK && !stop && k < (n < 1 ? 1 : n); k++) {
        double from = (double)k * way->increment, part = 0;
        double dq = k + 1 < n ? way->increment : way->up_to - from;
        stride_set(p->net, way, dq, x);
        s = mrn_path_step(p, x->dload, x->dglobal, &part, msg);
        *q = part < 1    ? from + part * dq
             : k + 1 < n ? (double)(k + 1) * way->increment
                         : way->up_to;
        if (s >= 0 && part > 0)
            stop = enough(p, way, *q);
    }
    return s;
}

mrn_status mrn_path_follow(mrn_path *p, const mrn_follow *way, double *q, mrn_message *msg)
{
    stride x = {0};
    *q = 0;
    mrn_status s = check_way(way, msg);
    if (s >= 0)
        s = stride_make(p->net, &x, msg);
    if (s >= 0)
        s = walk(p, way, &x, q, msg);
    stride_release(&x);
    return s;
}

mrn_status mrn_path_elastic(mrn_path *p, const mrn_follow *way, double *u, double *reaction,
                            mrn_message *msg)
{
    const mrn_net *net = p->net;
    stride x = {0};
    bool *imposed = NULL;
    mrn_status s = stride_make(net, &x, msg);
    if (s >= 0)
        s = mrn_array(&imposed, net->n_globals, sizeof *imposed, msg);
    if (s >= 0) {
        stride_set(net, way, 1, &x);
        for (int64_t i = 0; i < net->n_unknowns; i++)
            u[i] = 0;
        for (int g = 0; g < net->n_globals; g++) {
            imposed[g] = !isnan(x.dglobal[g]);
            u[mrn_net_global_unknown(net, g)] = imposed[g] ? x.dglobal[g] : 0;
        }
        s = mrn_elastic_solve(p->elastic, x.dload, imposed, u, reaction, msg);
    }
    mrn_free(imposed);
    stride_release(&x);
    return s;
}
