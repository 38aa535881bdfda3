/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smallest displacements that take overlaps out: projected Gauss-Seidel on positions. */
#include <math.h>
#include <string.h>

#include "nonsmooth/project.h"

static const double *minv_of(const mrn_project_task *t, int32_t body)
{
    return t->minv + (int64_t)body * t->dofs * t->dofs;
}

/* H_i d */
static double rise(const mrn_project_task *t, const mrn_project_contact *c, const double *d)
{
    double sum = 0;
    for (int e = 0; e < 2; e++)
        for (int k = 0; c->body[e] >= 0 && k < t->dofs; k++)
            sum += c->h[e][k] * d[(int64_t)c->body[e] * t->dofs + k];
    return sum;
}

/* H_i M⁻¹ H_iᵀ */
static double weight(const mrn_project_task *t, const mrn_project_contact *c)
{
    double sum = 0;
    for (int e = 0; e < 2; e++) {
        if (c->body[e] < 0)
            continue;
        const double *m = minv_of(t, c->body[e]);
        for (int k = 0; k < t->dofs; k++)
            for (int l = 0; l < t->dofs; l++)
                sum += c->h[e][k] * m[l * t->dofs + k] * c->h[e][l];
    }
    return sum;
}

/* d += M⁻¹ H_iᵀ by */
static void push(const mrn_project_task *t, const mrn_project_contact *c, double by, double *d)
{
    for (int e = 0; e < 2; e++) {
        if (c->body[e] < 0)
            continue;
        const double *m = minv_of(t, c->body[e]);
        double *to = d + (int64_t)c->body[e] * t->dofs;
        for (int l = 0; l < t->dofs; l++)
            for (int k = 0; k < t->dofs; k++)
                to[k] += by * m[l * t->dofs + k] * c->h[e][l];
    }
}

/* By how much the gap of a contact has to rise; negative: may fall. */
static double wanted_rise(const mrn_project_task *t, double gap)
{
    double lack = -t->slop - gap;
    return lack > 0 ? fmin(MRN_PROJECT_PART * lack, t->most) : lack;
}

/* One update; returns by how much the target was missed before it. */
static double relax(const mrn_project_task *t, int64_t i, double *l, const double *w, double *d)
{
    const mrn_project_contact *c = &t->contact[i];
    double miss = wanted_rise(t, c->gap) - rise(t, c, d);
    if (!(w[i] > 0) || (miss <= 0 && l[i] == 0))
        return 0;
    double to = fmax(0, l[i] + miss / w[i]), by = to - l[i];
    l[i] = to;
    push(t, c, by, d);
    return fmax(miss, fabs(by) * w[i]);
}

static double sweep(const mrn_project_task *t, bool back, double *l, const double *w, double *d)
{
    double worst = 0;
    for (int64_t k = 0; k < t->n; k++)
        worst = fmax(worst, relax(t, back ? t->n - 1 - k : k, l, w, d));
    return worst;
}

/* Factor that leaves no point of a body more than `most` to move. */
static double cut_of(const mrn_project_task *t, const double *d)
{
    int lin = t->dofs == 3 ? 2 : 3;
    double farthest = 0;
    for (int32_t i = 0; i < t->n_bodies; i++) {
        const double *a = d + (int64_t)i * t->dofs;
        double way = 0, turn = 0;
        for (int k = 0; k < t->dofs; k++)
            *(k < lin ? &way : &turn) += a[k] * a[k];
        farthest = fmax(farthest, sqrt(way) + t->reach[i] * sqrt(turn));
    }
    return farthest > t->most ? t->most / farthest : 1;
}

static void look_back(const mrn_project_task *t, const double *d, mrn_project_result *r)
{
    for (int64_t i = 0; i < t->n; i++) {
        const mrn_project_contact *c = &t->contact[i];
        if (c->body[0] < 0 && c->body[1] < 0)
            continue;
        double up = rise(t, c, d);
        r->missed = fmax(r->missed, wanted_rise(t, c->gap) - up);
        r->overlap = fmax(r->overlap, -(c->gap + r->factor * up));
    }
}

mrn_project_result mrn_project(const mrn_project_task *t, double *scratch, double *d)
{
    mrn_project_result r = {.factor = 1};
    double *l = scratch, *w = scratch + t->n;
    memset(d, 0, (size_t)t->n_bodies * (size_t)t->dofs * sizeof *d);
    memset(l, 0, (size_t)t->n * sizeof *l);
    for (int64_t i = 0; i < t->n; i++) {
        w[i] = weight(t, &t->contact[i]);
        r.moved |= w[i] > 0 && t->contact[i].gap < -t->slop;
    }
    double worst = INFINITY;
    for (; r.moved && r.sweeps < t->max_sweeps && worst > t->tolerance; r.sweeps++)
        worst = sweep(t, r.sweeps % 2 == 1, l, w, d);
    r.factor = cut_of(t, d);
    look_back(t, d, &r);
    for (int64_t k = 0; r.factor < 1 && k < (int64_t)t->n_bodies * t->dofs; k++)
        d[k] *= r.factor;
    return r;
}
