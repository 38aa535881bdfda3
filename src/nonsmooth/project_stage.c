/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stage of a step that takes overlaps out: contacts gathered, grains moved, work booked. */
#include <math.h>

#include "base/base.h"
#include "geom/cluster.h"
#include "nonsmooth/nonsmooth.h"
#include "nonsmooth/project.h"
#include "solve/system.h"

/* Columns of servo walls stay: a wall is moved by its load alone. */
static int32_t number_of(const mrn_nonsmooth *e, int32_t body)
{
    return body >= e->state->body.n_walls ? e->body.column[body] : -1;
}

/* The normal row of Hᵀ of one side; returns what its velocity at the end adds to the gap's rate. */
static double fill_side(const mrn_nonsmooth *e, int32_t body, const double *n, const double *arm,
                        double sign, double *h)
{
    double rate = 0;
    mrn_row_store(mrn_row_slide(sign, mrn_load3(n), mrn_load3(arm)), e->scene->dimension, e->dofs,
                  h, 1);
    for (int k = 0; k < e->dofs; k++)
        rate += h[k] * e->body.end[(int64_t)body * e->dofs + k];
    return rate;
}

static bool gather(const mrn_nonsmooth *e, int64_t k, double h, mrn_project_contact *out)
{
    const mrn_contacts *t = &e->found;
    int32_t c = t->body_c[k], a = t->body_a[k], law = t->interaction[k];
    out->body[0] = number_of(e, c);
    out->body[1] = number_of(e, a);
    if (law < 0 || (out->body[0] < 0 && out->body[1] < 0) || mrn_ns_are_tied(e, k))
        return false;
    if (e->scene->interaction[law].rigid.compliance > 0)
        return false; /* its overlap is the measure of its force */
    double rate = fill_side(e, c, t->normal + 3 * k, t->arm_c + 3 * k, 1, out->h[0]);
    rate += fill_side(e, a, t->normal + 3 * k, t->arm_a + 3 * k, -1, out->h[1]);
    out->gap = t->gap[k] + h * fmax(0, rate);
    return true;
}

static mrn_status room(mrn_nonsmooth *e, mrn_projector *p, mrn_message *msg)
{
    int64_t n = e->found.n, bodies = e->problem.Ht.cols;
    mrn_workspace_reset(&e->work);
    p->contact = mrn_work_raw(&e->work, n, sizeof *p->contact);
    p->scratch = mrn_work_raw(&e->work, 3 * n + bodies / 8 + 1, sizeof *p->scratch);
    p->d = mrn_work_raw(&e->work, bodies * e->dofs, sizeof *p->d);
    p->reach = mrn_work(&e->work, bodies, sizeof *p->reach);
    bool all = p->contact != NULL && p->scratch != NULL && p->d != NULL && p->reach != NULL;
    return all ? MRN_OK : mrn_fail_memory(msg);
}

/* Moves body i; returns the work against gravity. */
static double move(mrn_nonsmooth *e, int32_t i, const double *d)
{
    mrn_state *s = e->state;
    double *x = s->body.x + 3 * (size_t)i, *q = s->body.q + 4 * (size_t)i;
    bool plane = e->dofs == 3;
    mrn_vec3 way = mrn_v3(d[0], d[1], plane ? 0 : d[2]);
    mrn_vec3 turn = plane ? mrn_v3(0, 0, d[2]) : mrn_load3(d + 3);
    mrn_store3(x, mrn_add(mrn_load3(x), way));
    if (mrn_dot(turn, turn) > 0) {
        /* the spin turns with the body: seen from there, and in energy, it stays what it was */
        mrn_quat by = mrn_quat_from_rotation(turn);
        double *w = s->body.w + 3 * (size_t)i;
        mrn_store_quat(q, mrn_quat_unit(mrn_quat_mul(by, mrn_load_quat(q))));
        mrn_store3(w, mrn_rotate(by, mrn_load3(w)));
    }
    return -s->body.mass[i] * mrn_dot(way, mrn_load3(s->gravity));
}

static void move_all(mrn_nonsmooth *e, const double *d)
{
    mrn_state *s = e->state;
    mrn_sum sum = {0};
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (!(s->body.flags[i] & MRN_BODY_MEMBER) && e->body.column[i] >= 0)
            mrn_sum_add(&sum, move(e, i, d + (int64_t)e->body.column[i] * e->dofs));
    double work = mrn_sum_value(&sum);
    s->ledger.lost_scheme -= work;
    s->nonsmooth.projected += work;
}

/* Most steps have nothing to take out, and end here. */
static bool any_deep(const mrn_nonsmooth *e)
{
    for (int64_t k = 0; k < e->found.n; k++)
        if (e->found.gap[k] < -e->slop)
            return true;
    return false;
}

mrn_status mrn_ns_project_room(mrn_nonsmooth *e, mrn_message *msg)
{
    return any_deep(e) ? room(e, &e->projector, msg) : MRN_OK;
}

void mrn_ns_project(mrn_nonsmooth *e, double h)
{
    mrn_projector *p = &e->projector;
    const mrn_bodies *b = &e->state->body;
    if (!any_deep(e))
        return;
    int64_t n = 0;
    for (int64_t k = 0; k < e->found.n; k++)
        n += gather(e, k, h, &p->contact[n]);
    for (int32_t i = b->n_walls; i < b->n; i++)
        if (!(b->flags[i] & MRN_BODY_MEMBER) && e->body.column[i] >= 0)
            p->reach[e->body.column[i]] = b->bound[i];
    mrn_project_task t = {.dofs = e->dofs,
                          .n = n,
                          .contact = p->contact,
                          .n_bodies = e->problem.Ht.cols,
                          .minv = e->problem.minv,
                          .reach = p->reach,
                          .slop = e->slop,
                          .most = 0.5 * e->alert,
                          .tolerance = 0.1 * e->slop,
                          .max_sweeps = MRN_PROJECT_SWEEPS};
    if (mrn_project(&t, p->scratch, p->d).moved)
        move_all(e, p->d);
}
