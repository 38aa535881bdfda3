/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smallest displacements that take overlaps out: projected Gauss-Seidel on positions. */
#include <math.h>
#include <string.h>

#include "nonsmooth/project.h"

static const double *minv_of(const mrn_project_task *t, int32_t body)
{
    return t->minv + (int64_t)body * t->dofs * t->dofs;
}

/* What the sweeps work on. */
typedef struct sweeper {
    const mrn_project_task *t;
    double *l, *w, *want, *d; /* multipliers, their weights, wanted rises, displacements */
    uint8_t *touched;         /* bodies that some contact has moved                      */
    bool apart;               /* 3D, and all masses are apart from inertias              */
} sweeper;

/* H_i d (dofs known where it is compiled: loops are unrolled) */
static inline double rise(int dofs, const mrn_project_contact *c, const double *d)
{
    double sum = 0;
    for (int e = 0; e < 2; e++)
        for (int k = 0; c->body[e] >= 0 && k < dofs; k++)
            sum += c->h[e][k] * d[(int64_t)c->body[e] * dofs + k];
    return sum;
}

/* Whether entry (k, l) of M⁻¹ may be other than 0. */
static inline bool counts(bool apart, int k, int l)
{
    return !apart || k == l || (k >= 3 && l >= 3);
}

/* H_i M⁻¹ H_iᵀ */
static inline double weight(const mrn_project_task *t, bool apart, int dofs,
                            const mrn_project_contact *c)
{
    double sum = 0;
    for (int e = 0; e < 2; e++) {
        if (c->body[e] < 0)
            continue;
        const double *m = minv_of(t, c->body[e]);
        for (int k = 0; k < dofs; k++)
            for (int l = 0; l < dofs; l++)
                if (counts(apart, k, l))
                    sum += c->h[e][k] * m[l * dofs + k] * c->h[e][l];
    }
    return sum;
}

/* d += M⁻¹ H_iᵀ by */
static inline void push(const sweeper *s, bool apart, int dofs, const mrn_project_contact *c,
                        double by)
{
    for (int e = 0; e < 2; e++) {
        if (c->body[e] < 0)
            continue;
        const double *m = minv_of(s->t, c->body[e]);
        double *to = s->d + (int64_t)c->body[e] * dofs;
        s->touched[c->body[e]] = 1;
        for (int l = 0; l < dofs; l++)
            for (int k = 0; k < dofs; k++)
                if (counts(apart, k, l))
                    to[k] += by * m[l * dofs + k] * c->h[e][l];
    }
}

/* By how much the gap of a contact has to rise; negative: may fall. */
static double wanted_rise(const mrn_project_task *t, double gap)
{
    double lack = -t->slop - gap;
    return lack > 0 ? fmin(MRN_PROJECT_PART * lack, t->most) : lack;
}

/* Nothing to do where nothing is wanted and nobody has moved. */
static inline bool is_idle(const sweeper *s, int64_t i)
{
    const int32_t *body = s->t->contact[i].body;
    return s->want[i] <= 0 && (body[0] < 0 || !s->touched[body[0]]) &&
           (body[1] < 0 || !s->touched[body[1]]);
}

/* One update; returns by how much the target was missed before it. */
static inline double relax(const sweeper *s, bool apart, int dofs, int64_t i)
{
    const mrn_project_contact *c = &s->t->contact[i];
    if (is_idle(s, i))
        return 0;
    double miss = s->want[i] - rise(dofs, c, s->d);
    if (!(s->w[i] > 0) || (miss <= 0 && s->l[i] == 0))
        return 0;
    double to = fmax(0, s->l[i] + miss / s->w[i]), by = to - s->l[i];
    s->l[i] = to;
    push(s, apart, dofs, c, by);
    return fmax(miss, fabs(by) * s->w[i]);
}

static double sweep(const sweeper *s, bool back)
{
    double worst = 0;
    for (int64_t k = 0; k < s->t->n; k++) {
        int64_t i = back ? s->t->n - 1 - k : k;
        worst = fmax(worst, s->apart          ? relax(s, true, 6, i)
                            : s->t->dofs == 6 ? relax(s, false, 6, i)
                                              : relax(s, false, 3, i));
    }
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

static void look_back(const sweeper *s, mrn_project_result *r)
{
    const mrn_project_task *t = s->t;
    for (int64_t i = 0; i < t->n; i++) {
        const mrn_project_contact *c = &t->contact[i];
        if (c->body[0] < 0 && c->body[1] < 0)
            continue;
        double up = rise(t->dofs, c, s->d);
        r->missed = fmax(r->missed, s->want[i] - up);
        r->overlap = fmax(r->overlap, -(c->gap + r->factor * up));
    }
}

static bool masses_are_apart(const mrn_project_task *t)
{
    bool apart = t->dofs == 6;
    for (int32_t i = 0; i < t->n_bodies && apart; i++)
        for (int k = 0; k < 36 && apart; k++)
            apart = counts(true, k % 6, k / 6) || minv_of(t, i)[k] == 0;
    return apart;
}

mrn_project_result mrn_project(const mrn_project_task *t, double *scratch, double *d)
{
    mrn_project_result r = {.factor = 1};
    sweeper s = {t,
                 scratch,
                 scratch + t->n,
                 scratch + 2 * t->n,
                 d,
                 (uint8_t *)(scratch + 3 * t->n),
                 masses_are_apart(t)};
    memset(d, 0, (size_t)t->n_bodies * (size_t)t->dofs * sizeof *d);
    memset(s.l, 0, (size_t)t->n * sizeof *s.l);
    memset(s.touched, 0, (size_t)t->n_bodies);
    for (int64_t i = 0; i < t->n; i++) {
        const mrn_project_contact *c = &t->contact[i];
        s.want[i] = wanted_rise(t, c->gap);
        s.w[i] = s.apart ? weight(t, true, 6, c) : weight(t, false, t->dofs, c);
        r.moved |= s.w[i] > 0 && c->gap < -t->slop;
    }
    double worst = INFINITY;
    for (; r.moved && r.sweeps < t->max_sweeps && worst > t->tolerance; r.sweeps++)
        worst = sweep(&s, r.sweeps % 2 == 1);
    r.factor = cut_of(t, d);
    look_back(&s, &r);
    for (int64_t k = 0; r.factor < 1 && k < (int64_t)t->n_bodies * t->dofs; k++)
        d[k] *= r.factor;
    return r;
}
