/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The default solver: several methods, each where it is the quickest. Decisions rest on counted
   operations and residuals, never on a clock, so that results do not change from run to run. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "linalg/block_lu.h"
#include "solve/interior.h"
#include "solve/newton.h"
#include "solve/solvers.h"
#include "solve/sweep.h"

/* Residuals at past sweeps, to foretell how many more are needed. */
enum { MARKS = 128 };

typedef struct hybrid {
    mrn_system *s;
    mrn_progress_log *log;
    int64_t m;
    mrn_sweeper sweeper;
    double *r, *u, *trial; /* the iterate of sweeps; velocities; of the other methods */
    double residual;       /* of r */
    /* sweeps */
    int64_t sweeps, next_check;
    double last_ratio; /* residual over change of the last sweep */
    int marks;
    int64_t mark_at[MARKS];
    double mark[MARKS];
    /* matrices */
    mrn_block_lu lu;
    bool has_lu;
    mrn_interior interior;
    mrn_newton_memory newton;
    double sweep_cost, step_cost; /* of a sweep, of an interior step: in nanoseconds, roughly */
} hybrid;

/* What one sweep and one interior-point step cost, fitted once on several problems; only their
   ratio matters, and within a factor of two it does not matter much. */
static double cost_of_sweep(const mrn_system *s)
{
    return 3.0 * (double)s->start[s->n] + 35.0 * s->n;
}

static double cost_of_step(const mrn_system *s, const mrn_block_lu *lu)
{
    return 0.12 * lu->flops + 60.0 * (double)s->start[s->n] + 900.0 * s->n;
}

/* ---- sweeps ---- */

/* Sweeps still needed at the rate of the later half of those done; INFINITY: no progress. */
static double sweeps_left(const hybrid *h)
{
    int now = h->marks - 1, then = now;
    if (now < 2)
        return 0;
    while (then > 0 && h->mark_at[then] > h->mark_at[now] / 2)
        then--;
    double gain = log(h->mark[then] / h->mark[now]);
    double wanted = log(h->mark[now] / h->s->control->tolerance);
    if (!(gain > 0))
        return INFINITY;
    return wanted / gain * (double)(h->mark_at[now] - h->mark_at[then]);
}

static void remember(hybrid *h)
{
    if (h->marks == MARKS) { /* every other one is enough */
        for (int k = 0; k < MARKS / 2; k++)
            h->mark_at[k] = h->mark_at[2 * k + 1], h->mark[k] = h->mark[2 * k + 1];
        h->marks = MARKS / 2;
    }
    h->mark_at[h->marks] = h->sweeps;
    h->mark[h->marks++] = h->residual;
}

/* One sweep of h->r; true when the log says stop. *checked: the residual is known. */
static bool sweep(hybrid *h, bool must_check, bool *checked)
{
    mrn_sweep_sums sums;
    mrn_system *s = h->s;
    mrn_sweep(&h->sweeper, false, h->r, &sums);
    h->sweeps++, h->log->iterations++;
    h->log->updates += s->n;
    double change = sqrt(sums.change);
    *checked = must_check || h->sweeps >= h->next_check ||
               change * h->last_ratio <= s->control->tolerance ||
               h->log->iterations >= h->log->limit;
    if (!*checked)
        return false;
    mrn_system_velocity(s, h->r, h->u);
    h->residual = mrn_system_residual(s, h->r, h->u, NULL);
    h->last_ratio = change > 0 ? h->residual / change : h->last_ratio;
    h->next_check = h->sweeps + 1 + h->sweeps / 8;
    remember(h);
    return mrn_log_known(s, h->log, "nlgs", h->r, h->residual, NULL, false);
}

/* At most `most` sweeps of another iterate, to clean what a global method left at single contacts;
   true when the log says stop. */
static bool clean(hybrid *h, int most, double *x, double *residual)
{
    mrn_sweep_sums sums;
    mrn_system *s = h->s;
    mrn_sweeper_refresh(&h->sweeper, x);
    for (int k = 0; k < most; k++) {
        mrn_sweep(&h->sweeper, false, x, &sums);
        h->log->iterations++;
        h->log->updates += s->n;
        bool last = k == most - 1 || h->log->iterations >= h->log->limit;
        if (!last && sqrt(sums.change) > s->control->tolerance)
            continue;
        mrn_system_velocity(s, x, h->u);
        *residual = mrn_system_residual(s, x, h->u, NULL);
        if (mrn_log_known(s, h->log, "nlgs", x, *residual, NULL, false))
            return true;
    }
    return false;
}

/* ---- interior points, then Newton ---- */

static mrn_status prepare_matrices(hybrid *h, mrn_message *msg)
{
    mrn_system *s = h->s;
    if (h->has_lu)
        return MRN_OK;
    mrn_status st = mrn_block_lu_make(s->n, s->b, s->start, s->col, &h->lu, msg);
    if (st != MRN_OK)
        return st;
    h->has_lu = true;
    h->step_cost = cost_of_step(s, &h->lu);
    st = mrn_interior_make(s, &h->lu, &h->interior, msg);
    return st == MRN_OK ? mrn_newton_make(s, &h->newton, msg) : st;
}

/* Sweeps worth about half an interior step. */
static int sweeps_per_step(const hybrid *h)
{
    double k = 0.5 * h->step_cost / h->sweep_cost;
    return k < 5 ? 5 : k > 50 ? 50 : (int)k;
}

/* From an interior iterate close to the answer: sweeps, and Newton once it has come to rest. */
static bool finish_from(hybrid *h, const double *x, double near, bool with_newton)
{
    double residual = near;
    memcpy(h->trial, x, (size_t)h->m * sizeof *x);
    if (clean(h, sweeps_per_step(h), h->trial, &residual))
        return true;
    if (!with_newton)
        return false;
    if (residual < near)
        x = h->trial;
    memcpy(h->u, x, (size_t)h->m * sizeof *x);
    memcpy(h->trial, h->u, (size_t)h->m * sizeof *x);
    return mrn_newton_polish(h->s, &h->lu, 8, h->trial, &residual, h->log, &h->newton);
}

enum { PATIENCE = 12 }; /* interior steps in which the residual has to be halved */

/* Returns true when the log says stop. */
static bool go_inside(hybrid *h)
{
    mrn_system *s = h->s;
    double size = 1 / sqrt((double)s->n), best = INFINITY, halved = INFINITY, tried = INFINITY;
    double *x = h->interior.z; /* not used between steps */
    int idle = 0, short_steps = 0;
    mrn_interior_start(&h->interior, size, size);
    while (idle < PATIENCE && short_steps < 3) {
        bool moved = mrn_interior_step(&h->interior, h->trial, h->u);
        h->log->iterations++, h->log->factorisations++;
        double residual = mrn_system_residual(s, h->trial, h->u, NULL);
        if (mrn_log_known(s, h->log, "interior-point", h->trial, residual, NULL, false))
            return true;
        if (!moved || !isfinite(residual))
            break;
        best = residual < best ? residual : best;
        idle = residual < 0.5 * halved ? 0 : idle + 1;
        halved = idle == 0 ? residual : halved;
        short_steps = h->interior.step < 1e-3 ? short_steps + 1 : 0;
        /* sweeps are cheap beside a step: tried whenever they may be enough */
        if (residual < 1e3 * s->control->tolerance && residual < 0.3 * tried) {
            tried = residual;
            memcpy(x, h->trial, (size_t)h->m * sizeof *x);
            if (finish_from(h, x, residual, residual < 1e-5))
                return true;
        }
    }
    if (best < 1e-3) {
        memcpy(x, h->log->best_r, (size_t)h->m * sizeof *x);
        return finish_from(h, x, h->log->best, true);
    }
    return false;
}

/* ---- when all else failed ---- */

/* Another solver with the best iterate, for a share of the iterations. */
static mrn_status borrow(hybrid *h, const mrn_solver *other, int64_t share, mrn_message *msg)
{
    mrn_value option[MRN_PARAM_MAX];
    int64_t limit = h->log->limit;
    memcpy(h->r, h->log->best_r, (size_t)h->m * sizeof *h->r);
    mrn_solver_defaults(other, option);
    h->log->limit = h->log->iterations + share < limit ? h->log->iterations + share : limit;
    mrn_status st = other->solve(h->s, option, h->r, h->log, msg);
    h->log->limit = limit;
    if (h->log->iterations < limit &&
        (h->log->stop == MRN_STOP_LIMIT || h->log->stop == MRN_STOP_STALLED)) {
        h->log->stop = MRN_GO_ON;
        h->log->words[0] = '\0';
    }
    return st;
}

static bool sweep_on(hybrid *h, int64_t most)
{
    bool checked;
    memcpy(h->r, h->log->best_r, (size_t)h->m * sizeof *h->r);
    mrn_sweeper_refresh(&h->sweeper, h->r);
    for (int64_t k = 0; k < most; k++)
        if (sweep(h, false, &checked))
            return true;
    return false;
}

/* Long turns: an accelerated gradient loses its momentum at each change. */
static mrn_status take_turns(hybrid *h, mrn_message *msg)
{
    for (int64_t share = 30000; h->log->stop == MRN_GO_ON; share *= 3) {
        if (sweep_on(h, share / 20))
            break;
        mrn_status st = borrow(h, &mrn_solver_apgd, share, msg);
        if (st != MRN_OK)
            return st;
    }
    return MRN_OK;
}

/* ---- the whole ---- */

static mrn_status prepare(mrn_system *s, double *r, mrn_progress_log *log, hybrid *h,
                          mrn_message *msg)
{
    *h = (hybrid){.s = s, .log = log, .r = r, .last_ratio = 1, .m = (int64_t)s->n * s->b};
    h->u = mrn_work(s->work, h->m + MRN_BSR_SPARE, sizeof *h->u);
    h->trial = mrn_work(s->work, h->m + MRN_BSR_SPARE, sizeof *h->trial);
    if (h->u == NULL || h->trial == NULL)
        return mrn_fail_memory(msg);
    h->sweep_cost = cost_of_sweep(s);
    return mrn_sweeper_make(s, false, false, &h->sweeper, msg);
}

enum { FIRST_SWEEPS = 16 };

/* Interior steps that a tolerance usually takes: two for each digit, and a few to begin with. */
static double usual_steps(double tolerance)
{
    return 5 - 2 * log10(tolerance < 1 ? tolerance : 1);
}

/* Sweeps until done, or until interior points promise to be quicker. */
static mrn_status sweep_first(hybrid *h, bool *stop, mrn_message *msg)
{
    bool inside = mrn_interior_knows(h->s->kind), checked;
    for (;;) {
        if ((*stop = sweep(h, false, &checked)))
            return MRN_OK;
        if (!checked || h->sweeps < FIRST_SWEEPS)
            continue;
        double left = sweeps_left(h) * h->sweep_cost;
        if (!inside) {
            if (h->sweeps > 2000 && sweeps_left(h) > 5000)
                return MRN_OK;
            continue;
        }
        /* the matrices are looked at when many sweeps are foreseen; that costs a few of them */
        if (!h->has_lu && left < 60 * h->sweep_cost)
            continue;
        mrn_status st = prepare_matrices(h, msg);
        if (st != MRN_OK || left > usual_steps(h->s->control->tolerance) * h->step_cost)
            return st;
    }
}

static mrn_status solve(mrn_system *s, const mrn_value *option, double *r, mrn_progress_log *log,
                        mrn_message *msg)
{
    (void)option;
    hybrid h;
    bool stop = false;
    mrn_status st = prepare(s, r, log, &h, msg);
    if (st == MRN_OK)
        st = sweep_first(&h, &stop, msg);
    if (st == MRN_OK && !stop && h.has_lu)
        stop = go_inside(&h);
    if (st == MRN_OK && !stop)
        st = take_turns(&h, msg);
    if (h.has_lu)
        mrn_block_lu_release(&h.lu);
    return st;
}

const mrn_solver mrn_solver_hybrid = {
    .name = "hybrid",
    .summary = "Gauss-Seidel first, interior points and Newton when that is quicker.",
    .doc = "Sweeps of non-linear Gauss-Seidel until done, as long as their rate promises an end "
           "sooner than the factorisations of an interior-point method would cost; then the "
           "interior-point method, whose "
           "iterates are cleaned by a few sweeps and polished by Newton steps as soon as they are "
           "close; where interior points get stuck (strongly non-associated problems), accelerated "
           "projected gradients and sweeps in turn from the best iterate so far. Choices rest on "
           "counted operations, so the result is the same in every run.",
    .advice = "The default. Prefer nlgs where a time step only needs a rough answer and memory "
              "counts, nlgs-exchange for millions of contacts.",
    .kinds = MRN_ALL_KINDS,
    .wants_W = true,
    .bilateral = true,
    .max_iterations = 400000,
    .solve = solve,
};
