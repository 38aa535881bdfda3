/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Search for the equilibrium of an increment: the iteration of Roux and Combe on the elastic
   factorisation, d <- d + K⁻¹ r(d) with r(d) = F + Gᵀ f(d), and a quicker way to the same end.

   The iteration takes explicit steps of the motion K dd/dt = r(d), t counted in iterations, an
   overdamped one; an equilibrium it comes to rest at is one that slow loading finds. The quicker
   way takes linearly implicit steps of the same motion, of length 1/theta: (A + theta K) delta = r,
   A = -dr/dd by the statuses of the contacts, by GMRES preconditioned with K. Short ones follow the
   motion where contacts change their status, long ones are Newton's at the end. r alone
   decides whether an answer is one, whichever way it was found. Newton's method itself does badly:
   on the way there are grains that only sliding contacts hold, where A is singular. */
#include "quasistatic/path.h"

#include <math.h>
#include <string.h>

enum {
    BURST = 20,          /* plain iterations where no step of Newton's kind is any good  */
    MOST_PRODUCTS = 120, /* of one step                                                   */
    WINDOW = 500,        /* plain iterations in which the residual must fall by a tenth   */
    STALL_PARTS = 5,     /* gives up after max_iterations over this without getting lower */
};
/* Steps may make |r| somewhat larger: the motion does so while contacts slide on. Paths of
   three samples of 200 disks ended within 0.2 % of the same load with other such numbers. */
static const double theta_start = 0.1, theta_most = 0.5, theta_least = 1e-9, growth = 1.5;

static double dot(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void clear_imposed(const mrn_path *p, double *x)
{
    for (int g = 0; g < p->net->n_globals; g++)
        if (p->imposed[g])
            x[mrn_net_global_unknown(p->net, g)] = 0;
}

/* r of f_try, and its largest entry; imposed globals have none. */
static void residual_of(mrn_path *p)
{
    int64_t n = p->net->n_unknowns;
    mrn_sparse_times_t(&p->g, p->f_try, p->r);
    for (int64_t i = 0; i < n; i++)
        p->r[i] += p->target[i];
    clear_imposed(p, p->r);
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(p->r[i]));
    p->residual = largest > 0 ? largest / p->force_scale : 0;
    if (!isfinite(dot(n, p->r, p->r)))
        p->residual = INFINITY;
}

static bool balanced(const mrn_path *p)
{
    return p->residual <= p->opt.tolerance;
}

static void evaluate(mrn_path *p, const double *d)
{
    mrn_path_forces(p, d, false);
    residual_of(p);
}

/* x = K⁻¹ b where imposed globals stay. A rest that works on a mechanism is no news on the way. */
static mrn_status correct(mrn_path *p, const double *b, double *x, mrn_message *msg)
{
    clear_imposed(p, x);
    p->spent++;
    mrn_status s = mrn_elastic_solve(p->elastic, b, p->imposed, x, NULL, &p->note);
    if (s < 0 && msg)
        *msg = p->note;
    return s;
}

static void times(void *user, const double *x, double *y)
{
    mrn_path *p = user;
    const mrn_net *net = p->net;
    int w = p->widest;
    mrn_sparse_times(&p->g, x, p->rel);
#pragma omp parallel for schedule(static) if (net->n_contacts > 4000)
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *c = &net->element[k];
        const double *t = p->tangent + k * w * w;
        for (int i = 0; i < c->rows; i++) {
            double sum = 0;
            for (int j = 0; j < c->rows; j++)
                sum += t[i * w + j] * p->rel[c->row + j];
            p->df[c->row + i] = sum + p->theta * p->k[c->row + i] * p->rel[c->row + i];
        }
    }
    mrn_sparse_times_t(&p->g, p->df, y);
    clear_imposed(p, y);
}

static void precondition(void *user, const double *x, double *y)
{
    mrn_path *p = user;
    if (p->trouble >= 0) {
        mrn_status s = correct(p, x, y, p->msg);
        p->trouble = s < 0 ? s : p->trouble;
    }
    if (p->trouble < 0)
        memset(y, 0, (size_t)p->net->n_unknowns * sizeof *y);
}

/* Mean elastic normal force of d; 1 where nothing moves at all. */
static double elastic_scale(mrn_path *p)
{
    const mrn_net *net = p->net;
    double sum = 0;
    mrn_sparse_times(&p->g, p->d, p->rel);
    for (int64_t k = 0; k < net->n_contacts; k++) {
        int64_t row = net->element[k].row;
        sum += fabs(p->k[row] * p->rel[row]);
    }
    return sum > 0 ? sum / (double)net->n_contacts : 1;
}

/* The first displacements: elastic, with imposed globals where they are to be. */
static mrn_status predict(mrn_path *p, mrn_message *msg)
{
    const mrn_net *net = p->net;
    bool still = true;
    memset(p->d, 0, (size_t)net->n_unknowns * sizeof *p->d);
    evaluate(p, p->d);
    for (int g = 0; g < net->n_globals; g++)
        if (p->imposed[g]) {
            p->d[mrn_net_global_unknown(net, g)] = p->given[g];
            still &= p->given[g] == 0;
        }
    if (still && (balanced(p) || dot(net->n_unknowns, p->r, p->r) == 0))
        return MRN_OK; /* nothing but rounding: it may well work on a mechanism */
    p->spent++;
    mrn_status s = mrn_elastic_solve(p->elastic, p->r, p->imposed, p->d, NULL, msg);
    if (s == MRN_OK && !(p->force_scale > 0)) /* a start without forces */
        p->force_scale = p->least_scale = elastic_scale(p);
    return s;
}

/* One plain iteration; r belongs to d before and after. */
static mrn_status plain(mrn_path *p, mrn_message *msg)
{
    mrn_status s = correct(p, p->r, p->v, msg);
    if (s < 0)
        return s;
    for (int64_t i = 0; i < p->net->n_unknowns; i++)
        p->d[i] += p->v[i];
    evaluate(p, p->d);
    return MRN_OK;
}

/* |r| in the norm of K⁻¹, in which the plain iteration never moves away from an answer where the
   law is that of an energy (associated, or no friction). p->v becomes K⁻¹ r. */
static mrn_status size_of(mrn_path *p, double *size, mrn_message *msg)
{
    *size = INFINITY;
    if (!isfinite(p->residual))
        return MRN_OK;
    mrn_status s = correct(p, p->r, p->v, msg);
    if (s >= 0)
        *size = sqrt(fmax(dot(p->net->n_unknowns, p->r, p->v), 0));
    return s;
}

/* One step of (A + theta K) delta = r; `done` says whether it was taken, else d is as it was. */
static mrn_status newton(mrn_path *p, double eta, double *size, bool *done, mrn_message *msg)
{
    int64_t n = p->net->n_unknowns, left = p->opt.max_iterations - p->spent;
    int most = left < 1 ? 1 : left < MOST_PRODUCTS ? (int)left : MOST_PRODUCTS;
    double there = INFINITY;
    mrn_path_forces(p, p->d, true);
    p->trouble = MRN_OK;
    p->msg = msg;
    mrn_gmres_solve(&p->gmres, times, precondition, p, eta, most, p->r, p->delta);
    mrn_status s = p->trouble;
    if (s >= 0 && p->gmres.residual < 0.3) {
        for (int64_t i = 0; i < n; i++)
            p->d_try[i] = p->d[i] + p->delta[i];
        evaluate(p, p->d_try);
        s = size_of(p, &there, msg);
    }
    *done = s >= 0 && there < growth * *size;
    if (*done) {
        memcpy(p->d, p->d_try, (size_t)n * sizeof *p->d);
        *size = there;
    } else
        evaluate(p, p->d);
    return s;
}

static mrn_status by_plain(mrn_path *p, mrn_message *msg)
{
    double best = INFINITY, window = INFINITY;
    for (int64_t count = 1; !balanced(p); count++) {
        if (p->spent >= p->opt.max_iterations || !isfinite(p->residual))
            return MRN_NOT_CONVERGED;
        mrn_status s = plain(p, msg);
        if (s < 0)
            return s;
        window = fmin(window, p->residual);
        if (count % WINDOW == 0) {
            if (window > 0.9 * best)
                return MRN_NOT_CONVERGED;
            best = window;
            window = INFINITY;
        }
    }
    return MRN_OK;
}

static mrn_status burst(mrn_path *p, double *size, mrn_message *msg)
{
    mrn_status s = MRN_OK;
    for (int l = 0; s >= 0 && l < BURST && !balanced(p) && isfinite(p->residual); l++)
        s = plain(p, msg);
    return s < 0 ? s : size_of(p, size, msg);
}

/* A step against the one before says that a contact goes to and fro between two statuses: shorter
   steps. Remembers the step. */
static bool turns_back(mrn_path *p)
{
    int64_t n = p->net->n_unknowns;
    double along = dot(n, p->delta, p->last);
    double size = sqrt(dot(n, p->delta, p->delta) * dot(n, p->last, p->last));
    memcpy(p->last, p->delta, (size_t)n * sizeof *p->last);
    return along < -0.3 * size;
}

/* Tolerance of the next step by how well the last one did, after Eisenstat and Walker. */
static double forcing(bool done, double ratio)
{
    return done ? fmin(fmax(0.5 * pow(ratio, 1.5), 1e-4), 0.1) : 0.1;
}

static mrn_status by_newton(mrn_path *p, mrn_message *msg)
{
    double size = 0, eta = 0.1;
    int64_t since = p->spent;
    mrn_status s = balanced(p) ? MRN_OK : size_of(p, &size, msg);
    double best = size;
    if (s >= 0 && !isfinite(size))
        return MRN_NOT_CONVERGED;
    p->theta = theta_start;
    memset(p->last, 0, (size_t)p->net->n_unknowns * sizeof *p->last);
    while (s >= 0 && !balanced(p)) {
        double old = size;
        bool done = false;
        s = newton(p, eta, &size, &done, msg);
        eta = forcing(done, size / old);
        p->theta *= !done || turns_back(p) ? 5 : 0.7 * fmin(fmax(size / old, 0.1), 2);
        p->theta = fmin(fmax(p->theta, theta_least), 1);
        if (s >= 0 && !done && p->theta > theta_most) {
            s = burst(p, &size, msg);
            p->theta = theta_start;
        }
        if (size < 0.9 * best) {
            best = size;
            since = p->spent;
        }
        bool spent = p->spent >= p->opt.max_iterations ||
                     p->spent - since > p->opt.max_iterations / STALL_PARTS;
        if (s >= 0 && (spent || !isfinite(p->residual)) && !balanced(p))
            return MRN_NOT_CONVERGED;
    }
    return s < 0 ? s : MRN_OK;
}

/* Contacts that break shed their force at once: the others take it up, until no more break. */
mrn_status mrn_path_equilibrium(mrn_path *p, bool quick, mrn_message *msg)
{
    p->spent = 0;
    mrn_status s = predict(p, msg);
    p->mechanism = s == MRN_NOT_CONVERGED;
    if (s != MRN_OK) {
        memcpy(p->v, p->d, (size_t)p->net->n_unknowns * sizeof *p->d);
        return s;
    }
    do {
        evaluate(p, p->d);
        s = quick ? by_newton(p, msg) : by_plain(p, msg);
    } while (s == MRN_OK && mrn_path_break(p) > 0);
    return s;
}
