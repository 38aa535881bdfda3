/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Limit analysis: what contacts can bear with any forces within Coulomb's cones. One programme asks
   for the largest multiple of the load itself, which tells whether it is supportable (all multiples
   from 0 to the largest are); another, where `change` is given, for the largest factor on it. */
#include <math.h>

#include "base/base.h"
#include "quasistatic/limit.h"

typedef struct limit_job {
    const mrn_net *net;
    mrn_limit_work work;
    double tolerance;
    int most;
    double *pull;  /* n_rows: cohesion in the normal rows                                      */
    double *apex;  /* n_unknowns: Gᵀ pull                                                      */
    double *load;  /* n_unknowns: of a programme, from the apex of the cones                   */
    double *other; /* n_unknowns: a load to try                                                */
    mrn_limit_answer own;
    int iterations;
} limit_job;

static double norm(int64_t n, const double *a)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

/* ---- input ---- */

static mrn_status check_vector(int64_t n, const double *a, const char *what, mrn_message *msg)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(a[i]))
            return mrn_fail(msg, MRN_ERR_INPUT, "%s has an entry that is not finite (unknown %lld)",
                            what, (long long)i);
    return MRN_OK;
}

static mrn_status check_contacts(const mrn_net *net, mrn_message *msg)
{
    for (int64_t k = 0; k < net->n_contacts; k++) {
        const mrn_net_element *c = &net->element[k];
        const double value[4] = {c->friction, c->pull, c->roll_limit[0], c->roll_limit[1]};
        const char *const name[4] = {"friction coefficient", "cohesion", "rolling limit",
                                     "pivoting limit"};
        for (int i = 0; i < 4; i++)
            if (!(isfinite(value[i]) && value[i] >= 0))
                return mrn_fail(msg, MRN_ERR_INPUT,
                                "the %s of contact %lld is %g; limit analysis needs a finite "
                                "number, not negative",
                                name[i], (long long)k, value[i]);
    }
    return MRN_OK;
}

static mrn_status check_input(const mrn_net *net, const mrn_limit_options *opt, mrn_message *msg)
{
    if (!(opt->tolerance >= 0 && opt->tolerance < 0.1))
        return mrn_fail(msg, MRN_ERR_RANGE, "tolerance %g of limit analysis is not in [0, 0.1)",
                        opt->tolerance);
    if (opt->max_iterations < 0)
        return mrn_fail(msg, MRN_ERR_RANGE, "max_iterations is negative (%d)", opt->max_iterations);
    mrn_status s = check_vector(net->n_unknowns, net->load, "the load", msg);
    if (s == MRN_OK && opt->change != NULL)
        s = check_vector(net->n_unknowns, opt->change, "the change of the load", msg);
    return s == MRN_OK ? check_contacts(net, msg) : s;
}

/* ---- programmes ---- */

static mrn_status job_make(const mrn_net *net, limit_job *job, mrn_message *msg)
{
    mrn_status s = mrn_limit_work_make(net, &job->work, msg);
    if (s == MRN_OK)
        s = mrn_array(&job->pull, net->n_rows, sizeof *job->pull, msg);
    double **unknowns[4] = {&job->apex, &job->load, &job->other, &job->own.y};
    for (int i = 0; s == MRN_OK && i < 4; i++)
        s = mrn_array(unknowns[i], net->n_unknowns, sizeof(double), msg);
    if (s == MRN_OK)
        s = mrn_array(&job->own.f, net->n_rows, sizeof *job->own.f, msg);
    if (s != MRN_OK)
        return s;
    for (int64_t k = 0; k < net->n_contacts; k++)
        job->pull[net->element[k].row] = net->element[k].pull;
    mrn_net_resultant(net, job->pull, job->apex);
    return MRN_OK;
}

static void job_release(limit_job *job)
{
    mrn_limit_work_release(&job->work);
    mrn_free(job->pull);
    mrn_free(job->apex);
    mrn_free(job->load);
    mrn_free(job->other);
    mrn_free(job->own.y);
    mrn_free(job->own.f);
}

/* The largest factor on `change` with `fixed` (NULL: none) there as well. Forces come back as they
   are, no longer counted from the apex; along a direction without bound, those of factor 1 that are
   due to `change` alone. */
static mrn_status programme(limit_job *job, const double *fixed, const double *change,
                            mrn_limit_answer *out, mrn_message *msg)
{
    const mrn_net *net = job->net;
    double terms = norm(net->n_rows, job->pull);
    if (fixed != NULL)
        terms += norm(net->n_unknowns, fixed);
    for (int64_t i = 0; i < net->n_unknowns; i++)
        job->load[i] = (fixed != NULL ? fixed[i] : 0) - job->apex[i];
    /* what is left of cohesion in equilibrium with itself is rounding */
    if (norm(net->n_unknowns, job->load) <= 1e-13 * terms)
        for (int64_t i = 0; i < net->n_unknowns; i++)
            job->load[i] = 0;
    mrn_status s =
        mrn_limit_programme(&job->work, job->load, change, job->tolerance, job->most, out, msg);
    job->iterations += out->iterations;
    if (out->end == MRN_LIMIT_FINITE || out->end == MRN_LIMIT_UNDECIDED)
        for (int64_t i = 0; s == MRN_OK && i < net->n_rows; i++)
            out->f[i] -= job->pull[i];
    return s;
}

/* The largest multiple of a load. Afterwards the forces are those of the load itself where it is
   supportable and `once` is asked for. */
static mrn_status multiple(limit_job *job, const double *load, bool once, mrn_limit_answer *out,
                           mrn_message *msg)
{
    const mrn_net *net = job->net;
    if (norm(net->n_unknowns, load) == 0) {
        for (int64_t i = 0; i < net->n_rows; i++)
            out->f[i] = 0;
        for (int64_t i = 0; i < net->n_unknowns; i++)
            out->y[i] = 0;
        out->end = MRN_LIMIT_UNBOUNDED;
        out->lambda = INFINITY;
        out->gap = 0;
        return MRN_OK;
    }
    mrn_status s = programme(job, NULL, load, out, msg);
    if (s == MRN_OK && once && isfinite(out->lambda) && out->lambda > 1)
        for (int64_t i = 0; i < net->n_rows; i++)
            out->f[i] /= out->lambda;
    return s;
}

static bool bears(const limit_job *job, const mrn_limit_answer *a)
{
    return a->lambda >= 1 - job->tolerance;
}

/* With nothing that bounds the factor: the forces at factor 1, where there are such. */
static mrn_status at_factor_one(limit_job *job, const double *change, mrn_limit_answer *out,
                                mrn_message *msg)
{
    const mrn_net *net = job->net;
    double gap = out->gap;
    for (int64_t i = 0; i < net->n_unknowns; i++)
        job->other[i] = net->load[i] + change[i];
    mrn_status s = multiple(job, job->other, true, out, msg);
    bool there = s == MRN_OK && bears(job, out);
    for (int64_t i = 0; !there && i < net->n_rows; i++)
        out->f[i] = 0;
    for (int64_t i = 0; i < net->n_unknowns; i++)
        out->y[i] = 0;
    out->end = MRN_LIMIT_UNBOUNDED;
    out->lambda = INFINITY;
    out->gap = gap;
    return s;
}

static void copy_answer(const limit_job *job, mrn_limit_answer *out)
{
    const mrn_limit_answer *own = &job->own;
    for (int64_t i = 0; i < job->net->n_rows; i++)
        out->f[i] = own->f[i];
    for (int64_t i = 0; i < job->net->n_unknowns; i++)
        out->y[i] = own->y[i];
    out->end = own->end;
    out->lambda = own->lambda;
    out->gap = own->gap;
}

static mrn_status solve_job(limit_job *job, const mrn_limit_options *opt, mrn_limit_answer *out,
                            mrn_message *msg)
{
    const mrn_net *net = job->net;
    const double *change = opt->change;
    mrn_status s = multiple(job, net->load, change != NULL, &job->own, msg);
    if (s != MRN_OK)
        return s;
    bool nothing = change != NULL && norm(net->n_unknowns, change) == 0;
    if (change == NULL || nothing) {
        copy_answer(job, out);
        if (nothing && out->end != MRN_LIMIT_UNDECIDED)
            out->lambda = bears(job, out) || !opt->fixed ? INFINITY : -INFINITY;
        return MRN_OK;
    }
    s = programme(job, opt->fixed ? net->load : NULL, change, out, msg);
    if (s == MRN_OK && out->end == MRN_LIMIT_UNBOUNDED && opt->fixed)
        s = at_factor_one(job, change, out, msg);
    return s;
}

/* ---- without contacts ---- */

/* Nothing bears anything: only factors at which loads cancel, to rounding. */
static void without_contacts(const mrn_net *net, const mrn_limit_options *opt, mrn_limit *out)
{
    int64_t n = net->n_unknowns;
    const double *change = opt->change != NULL ? opt->change : net->load;
    bool fixed = opt->fixed && opt->change != NULL;
    double size = norm(n, net->load), squares = 0, product = 0, left = 0;
    for (int64_t i = 0; i < n; i++) {
        squares += change[i] * change[i];
        product -= fixed ? net->load[i] * change[i] : 0;
    }
    double factor = squares > 0 ? product / squares : 0;
    for (int64_t i = 0; i < n; i++) {
        out->mechanism[i] = (fixed ? net->load[i] : 0) + factor * change[i];
        left += out->mechanism[i] * out->mechanism[i];
    }
    bool possible = !fixed || sqrt(left) <= 1e-13 * size;
    out->supportable = size == 0;
    out->factor = squares > 0 ? factor : INFINITY;
    if (!possible)
        out->factor = -INFINITY;
    double over = possible ? sqrt(squares) : sqrt(left);
    for (int64_t i = 0; i < n && over > 0; i++)
        out->mechanism[i] = (possible ? change[i] : out->mechanism[i]) / over;
    out->converged = true;
}

/* ---- in words ---- */

static void say_why(const mrn_net *net, limit_job *job, const double *y, mrn_message *msg)
{
    double moved = 0;
    if (job != NULL) {
        mrn_net_relative(net, y, job->pull);
        moved = norm(net->n_rows, job->pull);
    }
    mrn_fail(msg, MRN_OK,
             moved > 1e-6 ? "the contacts cannot bear the load with any forces: it works on a "
                            "motion in which they slide and open"
                          : "the contacts cannot bear the load with any forces: it works on a "
                            "motion that no contact resists");
}

static mrn_status not_converged(const mrn_limit *out, const limit_job *job, mrn_message *msg)
{
    mrn_fail(msg, MRN_NOT_CONVERGED,
             "limit analysis stopped after %d iterations with a gap of %.3g, above the tolerance "
             "of %.3g; the best forces and factor are kept",
             out->iterations, out->gap, job->tolerance);
    mrn_fail_hint(msg, "a larger tolerance may be enough");
    return MRN_NOT_CONVERGED;
}

static mrn_status with_contacts(const mrn_net *net, const mrn_limit_options *opt, mrn_limit *out,
                                mrn_message *msg)
{
    limit_job job = {.net = net,
                     .tolerance = opt->tolerance > 0 ? opt->tolerance : 1e-6,
                     .most = opt->max_iterations > 0 ? opt->max_iterations : 200};
    mrn_limit_answer a = {.f = out->force, .y = out->mechanism};
    mrn_status s = job_make(net, &job, msg);
    if (s == MRN_OK)
        s = solve_job(&job, opt, &a, msg);
    if (s == MRN_OK) {
        out->supportable = bears(&job, &job.own);
        out->factor = a.lambda;
        out->gap = job.own.end == MRN_LIMIT_UNDECIDED ? fmax(a.gap, job.own.gap) : a.gap;
        out->iterations = job.iterations;
        out->converged = a.end != MRN_LIMIT_UNDECIDED && job.own.end != MRN_LIMIT_UNDECIDED;
        if (!out->converged)
            s = not_converged(out, &job, msg);
        else if (!out->supportable)
            say_why(net, &job, job.own.y, msg);
    }
    job_release(&job);
    return s;
}

/* ---- the public face ---- */

mrn_status mrn_limit_of(const mrn_net *net, const mrn_limit_options *opt, mrn_limit *out,
                        mrn_message *msg)
{
    static const mrn_limit_options usual = {0};
    *out = (mrn_limit){0};
    if (opt == NULL)
        opt = &usual;
    mrn_status s = check_input(net, opt, msg);
    if (s == MRN_OK)
        s = mrn_array(&out->force, net->n_rows, sizeof *out->force, msg);
    if (s == MRN_OK)
        s = mrn_array(&out->mechanism, net->n_unknowns, sizeof *out->mechanism, msg);
    if (s == MRN_OK && net->n_contacts > 0) {
        s = with_contacts(net, opt, out, msg);
    } else if (s == MRN_OK) {
        without_contacts(net, opt, out);
        if (!out->supportable)
            say_why(net, NULL, NULL, msg);
    }
    if (s < MRN_OK)
        mrn_limit_release(out);
    return s;
}

void mrn_limit_release(mrn_limit *l)
{
    mrn_free(l->force);
    mrn_free(l->mechanism);
    *l = (mrn_limit){0};
}
