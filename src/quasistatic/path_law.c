/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts of an elastoplastic path: elastic trial, projection on Coulomb's cone, derivative. */
#include "quasistatic/path.h"

#include <math.h>
#include <string.h>

/* One contact in an increment. Everything in N + pull, so that the cone has its apex at 0. */
typedef struct spot {
    int rows, n_groups;
    mrn_path_group group[MRN_PATH_GROUPS];
    const double *k;
    bool bonded;            /* cohesion that holds: may be drawn below the apex until it breaks */
    double s;               /* trial of N + pull                                                */
    double q[MRN_NET_ROWS]; /* trial of the others                                              */
    double closed, dclosed; /* part of the increment in contact, and its derivative by s        */
    double slip[MRN_NET_ROWS]; /* dq/ds through `closed`                                        */
    /* projected */
    double n;                      /* N + pull                                                */
    double tau[MRN_PATH_GROUPS];   /* |q| of groups                                           */
    bool cut[MRN_PATH_GROUPS];     /* at its limit                                            */
    double keep[MRN_PATH_GROUPS];  /* part of q that is left                                  */
    double n_s, n_q[MRN_NET_ROWS]; /* derivatives of n                                        */
} spot;

static void groups_of(const mrn_net *net, const mrn_net_element *c, spot *p)
{
    int nt = mrn_net_tangential(net, c), at = 1 + nt, left = c->rows - at;
    p->rows = c->rows;
    p->n_groups = 0;
    if (nt)
        p->group[p->n_groups++] = (mrn_path_group){1, nt, c->friction};
    if (left == 3)
        p->group[p->n_groups++] = (mrn_path_group){at++, 1, c->roll_limit[1] / net->length};
    if (left > 0)
        p->group[p->n_groups++] =
            (mrn_path_group){at, left == 3 ? 2 : left, c->roll_limit[0] / net->length};
}

/* A contact that was open at the start has no tangential force and no memory of the motion while
   it was open: only the part of the increment after closing counts, as if it were made at a
   constant rate. Without this, the force after closing would depend on the increments. */
static void trial(spot *p, double s_old, const double *f_old, const double *rel)
{
    p->s = s_old - p->k[0] * rel[0];
    p->closed = 1;
    p->dclosed = 0;
    if (s_old < 0) {
        double run = p->s - s_old;
        p->closed = p->s > 0 ? p->s / run : 0;
        p->dclosed = p->s > 0 ? -s_old / (run * run) : 0;
    }
    for (int i = 1; i < p->rows; i++) {
        p->q[i] = f_old[i] - p->closed * p->k[i] * rel[i];
        p->slip[i] = -p->dclosed * p->k[i] * rel[i];
    }
    for (int g = 0; g < p->n_groups; g++) {
        double sum = 0;
        for (int i = 0; i < p->group[g].rows; i++)
            sum += p->q[p->group[g].first + i] * p->q[p->group[g].first + i];
        p->tau[g] = sqrt(sum);
    }
}

/* Coulomb: the normal force is kept. */
static void project_coulomb(spot *p)
{
    bool closed = p->s > 0 || p->bonded;
    p->n = closed ? p->s : 0;
    p->n_s = closed;
}

/* Groups that take part in the projection, by falling tau / limit; returns how many. */
static int order_groups(const spot *p, int order[MRN_PATH_GROUPS])
{
    int n = 0;
    for (int g = 0; g < p->n_groups; g++) {
        double limit = p->group[g].limit;
        if (!(p->k[p->group[g].first] > 0) || !(limit > 0) || isinf(limit))
            continue;
        int at = n++;
        for (; at > 0 && p->tau[order[at - 1]] / p->group[order[at - 1]].limit < p->tau[g] / limit;
             at--)
            order[at] = order[at - 1];
        order[at] = g;
    }
    return n;
}

/* Associated: nearest point in the norm f.k⁻¹.f, i.e. the N that makes
   (N - s)²/kn + sum of (tau - limit N)²/k over the groups beyond their limit least. Groups come in
   by falling tau / limit as long as theirs is above N. Beyond the apex N + pull goes on as -kn gap,
   where the gap is what is left of the opening after the dilation of the slip; the force is 0. */
static void project_associated(spot *p)
{
    int order[MRN_PATH_GROUPS], n = order_groups(p, order), used = 0;
    double top = p->s / p->k[0], bottom = 1 / p->k[0];
    for (; used < n; used++) {
        const mrn_path_group *g = &p->group[order[used]];
        if (p->tau[order[used]] <= g->limit * (top / bottom))
            break;
        top += g->limit * p->tau[order[used]] / p->k[g->first];
        bottom += g->limit * g->limit / p->k[g->first];
    }
    bool apex = top <= 0;
    p->n = top / bottom;
    if (apex) {
        p->s = top * p->k[0];
        p->n = p->bonded ? p->s : 0;
        bottom = 1 / p->k[0];
    } else
        p->s = p->n;
    p->n_s = apex && !p->bonded ? 0 : 1 / (p->k[0] * bottom);
    for (int l = 0; l < used && (!apex || p->bonded); l++) {
        const mrn_path_group *g = &p->group[order[l]];
        double tau = p->tau[order[l]];
        for (int i = g->first; i < g->first + g->rows; i++)
            p->n_q[i] = tau > 0 ? g->limit * p->q[i] / (tau * p->k[g->first] * bottom) : 0;
    }
}

static mrn_net_status write_forces(spot *p, double pull, double *f)
{
    bool open = !p->bonded && !(p->n > 0), slides = false;
    f[0] = open ? 0 : p->n - pull;
    for (int g = 0; g < p->n_groups; g++) {
        const mrn_path_group *group = &p->group[g];
        double cap = p->n > 0 ? group->limit * p->n : 0;
        p->cut[g] = p->tau[g] > cap || !(cap > 0);
        p->keep[g] = !p->cut[g] ? 1 : p->tau[g] > 0 ? cap / p->tau[g] : 0;
        slides |= g == 0 && cap > 0 && p->tau[g] >= cap * (1 - 1e-9);
        for (int i = group->first; i < group->first + group->rows; i++)
            f[i] = p->q[i] * p->keep[g];
    }
    return open ? MRN_NET_OPEN : slides ? MRN_NET_SLIDES : MRN_NET_STICKS;
}

/* df = -C dU through ds = -kn dU_n, dq = -closed k dU + slip ds. */
static void write_tangent(const spot *p, int widest, double *c)
{
    memset(c, 0, (size_t)widest * (size_t)widest * sizeof *c);
    double total = p->n_s; /* dn along ds, slip included */
    for (int i = 1; i < p->rows; i++) {
        total += p->n_q[i] * p->slip[i];
        c[i] = p->closed * p->k[i] * p->n_q[i];
    }
    c[0] = p->k[0] * total;
    for (int g = 0; g < p->n_groups; g++) {
        const mrn_path_group *group = &p->group[g];
        bool cut = p->cut[g] && p->tau[g] > 0;
        for (int i = group->first; i < group->first + group->rows; i++) {
            double *row = c + (ptrdiff_t)i * widest;
            double along = cut ? p->q[i] / p->tau[g] : 0;
            double lead = cut && p->n > 0 ? group->limit * along : 0;
            row[0] += p->k[0] * lead * total;
            for (int j = 1; j < p->rows; j++)
                row[j] += lead * p->closed * p->k[j] * p->n_q[j];
            for (int j = group->first; j < group->first + group->rows; j++) {
                double other = cut ? p->q[j] / p->tau[g] : 0;
                double turn = p->keep[g] * ((i == j) - along * other);
                row[0] += p->k[0] * turn * p->slip[j];
                row[j] += turn * p->closed * p->k[j];
            }
        }
    }
}

static void one_contact(mrn_path *p, int64_t k, bool tangent)
{
    const mrn_net_element *c = &p->net->element[k];
    spot at = {.k = p->k + c->row};
    double pull = p->broken[k] ? 0 : c->pull;
    groups_of(p->net, c, &at);
    at.bonded = pull > 0;
    trial(&at, p->now.s[k], p->now.f + c->row, p->rel + c->row);
    if (p->opt.rule == MRN_FLOW_ASSOCIATED)
        project_associated(&at);
    else
        project_coulomb(&at);
    p->status_try[k] = write_forces(&at, pull, p->f_try + c->row);
    p->s_try[k] = at.s;
    if (tangent)
        write_tangent(&at, p->widest, p->tangent + k * p->widest * p->widest);
}

void mrn_path_forces(mrn_path *p, const double *d, bool tangent)
{
    int64_t n = p->net->n_contacts;
    mrn_sparse_times(&p->g, d, p->rel);
#pragma omp parallel for schedule(static) if (n > 4000)
    for (int64_t k = 0; k < n; k++)
        one_contact(p, k, tangent);
}

int64_t mrn_path_break(mrn_path *p)
{
    int64_t count = 0;
    for (int64_t k = 0; k < p->net->n_contacts; k++) {
        bool bonded = !p->broken[k] && p->net->element[k].pull > 0;
        if (bonded && p->s_try[k] < 0) {
            p->broken[k] = true;
            count++;
        }
    }
    return count;
}
