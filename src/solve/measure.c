/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How good an answer is: one set of measures for all solvers, evaluated from the impulses alone. */
#include <string.h>

#include "base/base.h"
#include "solve/sweep.h"

/* |F|² with rho = 1 in the user's units, and norms, as other codes have it. */
typedef struct plain_norms {
    double f, q, r, u;
} plain_norms;

static const double *friction_of(const mrn_problem *p, const mrn_contact_layout *lay, int64_t i,
                                 double *mu)
{
    for (int g = 0; g < lay->groups; g++)
        mu[g] = p->mu[g][i];
    return mu;
}

static plain_norms plain(const mrn_problem *p, const mrn_system *s, const double *r,
                         const double *u)
{
    plain_norms x = {0};
    int b = s->b;
    for (int64_t i = 0; i < p->n; i++) {
        double mu[MRN_FRICTION_GROUPS], y[MRN_CONTACT_BLOCK_MAX], f[MRN_CONTACT_BLOCK_MAX];
        for (int c = 0; c < b; c++) {
            y[c] = r[i * b + c];
            x.q += p->q[i * b + c] * p->q[i * b + c];
            x.r += y[c] * y[c];
            x.u += u[i * b + c] * u[i * b + c];
        }
        y[0] += p->cohesion != NULL ? p->cohesion[i] : 0;
        x.f += mrn_natural_map(s->lay, friction_of(p, s->lay, i, mu), (mrn_contact_law)s->law[i], 1,
                               y, u + i * b, f);
    }
    return (plain_norms){sqrt(x.f), sqrt(x.q), sqrt(x.r), sqrt(x.u)};
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : a > 0 ? INFINITY : 0;
}

static double distance_from_cone(const mrn_contact_layout *lay, const double *mu, const double *r)
{
    double p[MRN_CONTACT_BLOCK_MAX], sum = 0;
    mrn_cone_project(lay, mu, r, p);
    for (int c = 0; c < lay->block; c++)
        sum += (r[c] - p[c]) * (r[c] - p[c]);
    return sqrt(sum);
}

/* By Moreau's decomposition the distance of y from K* is that of -y's projection on K. */
static double distance_from_dual(const mrn_contact_layout *lay, const double *mu, const double *y)
{
    double p[MRN_CONTACT_BLOCK_MAX], sum = 0;
    for (int c = 0; c < lay->block; c++)
        p[c] = -y[c];
    mrn_cone_project(lay, mu, p, p);
    for (int c = 0; c < lay->block; c++)
        sum += p[c] * p[c];
    return sqrt(sum);
}

static double square(int b, const double *x)
{
    double sum = 0;
    for (int c = 0; c < b; c++)
        sum += x[c] * x[c];
    return sum;
}

/* x if it is larger: what fmax says, without a call. */
static double larger(double top, double x)
{
    return x > top ? x : top;
}

/* Open: no impulse, or less of it than of opening velocity: interior points leave traces of impulse
   everywhere. Sticking: no tangential velocity beyond rounding of the problem (`still`). Bilateral
   contacts stick. */
static void count_status(const mrn_system *s, int64_t i, const double *r, const double *u,
                         double still, mrn_measures *m)
{
    double slip = 0;
    for (int c = 1; c < s->b; c++)
        slip += u[c] * u[c];
    if (s->law[i] == MRN_UNILATERAL && (!(r[0] > 0) || r[0] < u[0]))
        m->open++;
    else if (s->law[i] == MRN_BILATERAL || sqrt(slip) <= still)
        m->sticking++;
    else
        m->sliding++;
}

static void look_at_contacts(const mrn_system *s, const double *r, const double *u, mrn_measures *m)
{
    int b = s->b;
    double power = 0, inner = 0, r_max = 0, u_max = 0, cone = 0, dual = 0, still;
    /* a velocity below ten times the residual spread evenly is not distinguished from none */
    still = s->n > 0 ? 10 * m->natural / sqrt((double)s->n) + 1e-14 : 0;
    for (int64_t i = 0; i < s->n; i++) {
        const double *mu = s->mu + i * MRN_FRICTION_GROUPS, *ri = r + i * b, *ui = u + i * b;
        double y[MRN_CONTACT_BLOCK_MAX], dot = 0, form = 0;
        count_status(s, i, ri, ui, still, m);
        r_max = larger(r_max, square(b, ri));
        u_max = larger(larger(u_max, square(b, ui)), square(b, s->q + i * b));
        for (int c = 0; c < b; c++)
            for (int a = 0; a < b; a++)
                form += ri[a] * s->diag[(i * b + c) * b + a] * ri[c];
        inner += fabs(form);
        if (s->law[i] == MRN_BILATERAL)
            continue;
        memcpy(y, ui, (size_t)b * sizeof *y);
        y[0] += mrn_cone_g(s->lay, mu, ui);
        for (int c = 0; c < b; c++)
            dot += y[c] * ri[c];
        power += fabs(dot);
        cone = larger(cone, distance_from_cone(s->lay, mu, ri));
        dual = larger(dual, distance_from_dual(s->lay, mu, y));
        m->penetration = larger(m->penetration, -ui[0] * s->u_scale[0]);
    }
    m->complementarity = ratio(power, inner);
    m->cone = ratio(cone, sqrt(r_max));
    m->dual_cone = ratio(dual, sqrt(u_max));
}

/* Violations are what one more sweep would change. */
static mrn_status look_at_sweep(mrn_system *s, double *r, mrn_measures *m, mrn_message *msg)
{
    mrn_sweeper w;
    mrn_sweep_sums sums;
    double v[MRN_VIOLATIONS];
    mrn_status st = mrn_sweeper_make(s, !s->has_W, false, &w, msg);
    if (st != MRN_OK)
        return st;
    w.energies = true;
    mrn_sweeper_refresh(&w, r);
    mrn_sweep(&w, false, r, &sums);
    mrn_sweep_violations(&sums, v);
    m->violation_mean = v[0], m->violation_quadratic = v[1], m->violation_max = v[2];
    m->violation_signed = v[3];
    return MRN_OK;
}

/* All but the residual and the violations. */
static void look_at_answer(const mrn_problem *p, const mrn_system *s, const double *r,
                           const double *rs, const double *us, const double *plain_u,
                           mrn_measures *m)
{
    int64_t size = (int64_t)s->n * s->b;
    plain_norms x = plain(p, s, r, plain_u);
    m->siconos = ratio(x.f, fmax(x.q, fmax(x.r, x.u)));
    m->paper = ratio(x.f, x.q);
    m->fclib = x.f / (1 + sqrt(x.q));
    m->energy = 0.5 * (mrn_dot_long(size, r, plain_u) + mrn_dot_long(size, r, p->q));
    look_at_contacts(s, rs, us, m);
}

mrn_status mrn_measure_system(const mrn_problem *p, mrn_system *s, const double *r, double *u,
                              mrn_measures *m, mrn_message *msg)
{
    int64_t size = (int64_t)s->n * s->b, room = size + MRN_BSR_PADDING;
    double *rs = mrn_work(s->work, room, sizeof *rs), *us = mrn_work(s->work, room, sizeof *us);
    double *plain_u = mrn_work(s->work, size, sizeof *plain_u);
    *m = (mrn_measures){0};
    if (rs == NULL || us == NULL || plain_u == NULL)
        return mrn_fail_memory(msg);
    mrn_system_enter(s, p, r, rs);
    mrn_system_velocity(s, rs, us);
    for (int64_t k = 0; k < size; k++)
        plain_u[k] = us[k] * s->u_scale[k % s->b];
    m->natural = mrn_system_residual(s, rs, us, NULL);
    if (!s->control->few_measures)
        look_at_answer(p, s, r, rs, us, plain_u, m);
    if (u != NULL)
        memcpy(u, plain_u, (size_t)size * sizeof *u);
    return look_at_sweep(s, rs, m, msg);
}

mrn_status mrn_measure_answer(const mrn_problem *p, const double *r, double *u, mrn_measures *out,
                              mrn_message *msg)
{
    mrn_workspace work = {0};
    mrn_solve_control control = mrn_solve_control_default();
    mrn_system s;
    mrn_status st = MRN_OK;
    *out = (mrn_measures){0};
    if (p->n > 0)
        st = mrn_system_make(p, &control, false, &work, &s, msg);
    if (st == MRN_OK && p->n > 0)
        st = mrn_measure_system(p, &s, r, u, out, msg);
    mrn_workspace_release(&work);
    return st;
}
