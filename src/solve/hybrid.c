/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The default solver: several methods, each where it is the quickest. Decisions rest on counted
   operations and residuals, never on a clock, so that results do not change from run to run. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "linalg/block_lu.h"
#include "solve/first_order.h"
#include "solve/interior.h"
#include "solve/newton.h"
#include "solve/solvers.h"
#include "solve/sweep.h"

/* The two methods that go in small steps and take turns by what they have shown. */
enum { SWEEPS, GRADIENT, ARMS };

/* Methods with matrices, in the order in which they are tried, see next_stage. */
enum { NEWTON, INSIDE, INSIDE_LONG, NEWTON_LONG, STAGES };
/* Beyond these sizes no matrix is factorised: L and U of so many blocks take 4 GB, and finding
   their pattern takes long. */
enum { MOST_FILL = 20000000, MOST_CONTACTS = 200000 };

typedef struct hybrid {
    mrn_system *s;
    mrn_progress_log *log;
    int64_t m;
    mrn_sweeper sweeper;
    double *r, *u, *trial;        /* the iterate of sweeps; velocities; of the other methods */
    double last_ratio;            /* residual over change of the last sweep                  */
    double rate[ARMS];            /* logarithm of the residual gained per cost; NAN: untried */
    double spent;                 /* cost so far                                             */
    double half;                  /* residual at about half of the last turn of sweeps … */
    int64_t half_at;              /* … and the iteration                                 */
    double sweep_cost, step_cost; /* of a sweep, of an interior step: nanoseconds, roughly */
    mrn_block_lu lu;
    bool has_lu, has_room; /* the pattern is known; room for the numbers is there */
    double near_tried;     /* residual from which Newton was last tried near the end  */
    int tried;             /* of the methods with matrices, see `stages`: how many */
    mrn_interior interior;
    mrn_newton_memory memory;
    mrn_proximal newton;
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

/* What a step costs at least: a factor is no sparser than W. Knowing better takes the order and the
   pattern of the factors, which cost some tens of sweeps: they are found only where this says that
   they may be worth it. */
static double least_step_cost(const mrn_system *s)
{
    double degree = 0.5 * (double)s->start[s->n] / (s->n > 0 ? s->n : 1);
    double flops = 2.0 * s->b * s->b * s->b * degree * degree * s->n;
    return 0.12 * flops + 60.0 * (double)s->start[s->n] + 900.0 * s->n;
}

/* ---- sweeps and gradients, in turns ---- */

enum { FEWEST = 24 }; /* sweeps of a turn */

/* `most` sweeps from the best iterate; true when the log says stop. The residual is evaluated when
   the change of a sweep says that the end may be reached, after ever more sweeps, and at the end.
 */
static bool sweep_on(hybrid *h, int64_t most)
{
    mrn_system *s = h->s;
    mrn_sweep_sums sums;
    int64_t next = 1;
    memcpy(h->r, h->log->best_r, (size_t)h->m * sizeof *h->r);
    mrn_sweeper_refresh(&h->sweeper, h->r);
    for (int64_t k = 1; k <= most; k++) {
        mrn_sweep(&h->sweeper, false, h->r, &sums);
        h->log->iterations++;
        h->log->updates += s->n;
        double change = sqrt(sums.change);
        if (k < next && k < most && change * h->last_ratio > s->control->tolerance &&
            h->log->iterations < h->log->limit)
            continue;
        next = k + 1 + k / 8;
        mrn_system_velocity(s, h->r, h->u);
        double residual;
        if (mrn_log_residual(s, h->log, "nlgs", h->r, h->u, &residual))
            return true;
        h->last_ratio = change > 0 ? residual / change : h->last_ratio;
        if (2 * k <= most + 1)
            h->half = residual, h->half_at = h->log->iterations;
    }
    return false;
}

/* Another solver from the best iterate, for at most `most` iterations. */
static mrn_status borrow(hybrid *h, const mrn_solver *other, int64_t most, mrn_message *msg)
{
    mrn_value option[MRN_PARAM_MAX];
    mrn_progress_log *log = h->log;
    int64_t limit = log->limit;
    mrn_workspace_mark mark = mrn_workspace_here(h->s->work);
    memcpy(h->r, log->best_r, (size_t)h->m * sizeof *h->r);
    mrn_solver_defaults(other, option);
    log->limit = most < limit - log->iterations ? log->iterations + most : limit;
    mrn_status st = other->solve(h->s, option, h->r, log, msg);
    log->limit = limit;
    mrn_workspace_back(h->s->work, mark);
    if (log->iterations < limit && (log->stop == MRN_STOP_LIMIT || log->stop == MRN_STOP_STALLED)) {
        log->stop = MRN_GO_ON;
        log->words[0] = '\0';
    }
    return st;
}

/* A turn of one method worth about `cost`, and what it gained. */
static mrn_status take_turn(hybrid *h, int arm, double cost, mrn_message *msg)
{
    int64_t most = (int64_t)(cost / h->sweep_cost), before = h->log->iterations;
    double residual = h->log->best;
    mrn_status st = MRN_OK;
    if (arm == SWEEPS)
        sweep_on(h, most < FEWEST ? FEWEST : most);
    else
        st = borrow(h, &mrn_solver_apgd, most < 2 * FEWEST ? 2 * FEWEST : most, msg);
    double used = (double)(h->log->iterations - before) * h->sweep_cost;
    h->spent += used;
    /* the first sweeps of a turn gain more than those to come will */
    if (arm == SWEEPS && h->half < residual && h->log->iterations > h->half_at) {
        residual = h->half;
        used = (double)(h->log->iterations - h->half_at) * h->sweep_cost;
    }
    h->rate[arm] = used > 0 ? log(residual / h->log->best) / used : 0;
    return st;
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
        if (mrn_log_residual(s, h->log, "nlgs", x, h->u, residual))
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
    mrn_status st = mrn_block_lu_plan(MOST_FILL, s->n, s->b, s->start, s->col, &h->lu, msg);
    if (st == MRN_ERR_RANGE) /* too large for matrices: turns go on without */
        h->tried = STAGES;
    if (st != MRN_OK)
        return st == MRN_ERR_RANGE ? MRN_OK : st;
    h->has_lu = true;
    h->step_cost = cost_of_step(s, &h->lu);
    return MRN_OK;
}

/* Room for numbers, when a method with matrices begins for the first time. */
static mrn_status take_room(hybrid *h, mrn_message *msg)
{
    mrn_system *s = h->s;
    if (h->has_room)
        return MRN_OK;
    mrn_status st = mrn_block_lu_take_room(&h->lu, s->start, s->col, msg);
    if (st != MRN_OK)
        return st;
    h->has_room = true;
    h->log->matrices += mrn_block_lu_bytes(&h->lu);
    st = mrn_interior_make(s, &h->lu, &h->interior, msg);
    if (st == MRN_OK)
        st = mrn_newton_make(s, &h->memory, msg);
    return st == MRN_OK ? mrn_proximal_make(s, &h->lu, &h->memory, &h->newton, msg) : st;
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
    mrn_proximal_start(&h->newton, x);
    return mrn_proximal_run(&h->newton, 10, h->trial, h->log);
}

/* Interior steps in which the residual has to be halved: more when little else is left to do. */
static int stall_limit_of(double left, double step_cost)
{
    double steps = 0.25 * left / step_cost;
    return steps < 25 ? 25 : steps > 60 ? 60 : (int)steps;
}

/* Returns true when the log says stop. */
static bool go_inside(hybrid *h, int stall_limit)
{
    mrn_system *s = h->s;
    double size = 1 / sqrt((double)s->n), best = INFINITY, halved = INFINITY, tried = INFINITY;
    double *x = h->interior.z; /* not used between steps */
    int idle = 0, short_steps = 0;
    mrn_interior_start(&h->interior, size, size);
    while (idle < stall_limit && short_steps < 6) {
        bool moved = mrn_interior_step(&h->interior, h->trial, h->u);
        h->log->iterations++, h->log->factorisations++;
        double residual;
        if (mrn_log_residual(s, h->log, "interior-point", h->trial, h->u, &residual))
            return true;
        if (!isfinite(residual))
            break;
        best = residual < best ? residual : best;
        idle = residual < 0.5 * halved ? 0 : idle + 1;
        halved = idle == 0 ? residual : halved;
        short_steps = moved ? 0 : short_steps + 1; /* with more damping it may move */
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

/* ---- the whole ---- */

static mrn_status prepare(mrn_system *s, double *r, mrn_progress_log *log, hybrid *h,
                          mrn_message *msg)
{
    *h = (hybrid){.s = s, .log = log, .r = r, .last_ratio = 1, .m = (int64_t)s->n * s->b};
    h->u = mrn_work(s->work, h->m + MRN_BSR_PADDING, sizeof *h->u);
    h->trial = mrn_work(s->work, h->m + MRN_BSR_PADDING, sizeof *h->trial);
    if (h->u == NULL || h->trial == NULL)
        return mrn_fail_memory(msg);
    h->sweep_cost = cost_of_sweep(s);
    h->rate[SWEEPS] = h->rate[GRADIENT] = NAN;
    h->near_tried = INFINITY;
    return mrn_sweeper_make(s, false, false, &h->sweeper, msg);
}

/* Interior steps that are usually needed: some for each digit, some more for larger problems. */
static double usual_steps(const mrn_system *s)
{
    double tolerance = s->control->tolerance < 1 ? s->control->tolerance : 1;
    double steps = -1.5 * log10(tolerance) + 4 * log10((double)s->n) - 3;
    return steps > 6 ? steps : 6;
}

/* What is left to do at the better of the rates shown; INFINITY: none shows any. */
static double cost_left(const hybrid *h)
{
    double rate = fmax(h->rate[SWEEPS], h->rate[GRADIENT]); /* NAN counts as none */
    return rate > 0 ? log(h->log->best / h->s->control->tolerance) / rate : INFINITY;
}

/* Methods with matrices, in the order in which they are tried, each once and only when what is left
   would cost more without it: Newton's steps, which are the quickest when they find the way;
   interior points, which nearly always find it; and, when all has become slow, interior points
   again without losing stall_limit, and Newton's steps likewise. */
enum { FIRST_LOOK = 8 }; /* steps of Newton */

enum { NEWTON_STEPS = 8 };

static const struct {
    double steps; /* that must be cheaper than what is left; 0: usual_steps */
    int most;     /* steps it may take */
} stages[STAGES] = {[NEWTON] = {NEWTON_STEPS, 20},
                    [INSIDE] = {0, 0},
                    [INSIDE_LONG] = {150, 500},
                    [NEWTON_LONG] = {150, 700}};

/* Which of them, or -1. The matrices are looked at only when much is left: that costs some tens of
   sweeps. */
static mrn_status next_stage(hybrid *h, int *stage, mrn_message *msg)
{
    double left = cost_left(h);
    *stage = -1;
    if (h->tried == STAGES || h->s->n > MOST_CONTACTS || !mrn_interior_knows(h->s->kind) ||
        left < 60 * h->sweep_cost || (!h->has_lu && left < NEWTON_STEPS * least_step_cost(h->s)))
        return MRN_OK;
    mrn_status st = prepare_matrices(h, msg);
    if (!h->has_lu)
        return st;
    double steps = stages[h->tried].steps > 0 ? stages[h->tried].steps : usual_steps(h->s);
    bool slow = h->tried < INSIDE_LONG || left > 8 * h->spent; /* turns have come to a stand */
    if (st == MRN_OK && slow && left > steps * h->step_cost)
        *stage = h->tried++;
    return st;
}

static mrn_status run_stage(hybrid *h, int stage, mrn_message *msg)
{
    int most = stages[stage].most;
    mrn_status st = take_room(h, msg);
    if (st != MRN_OK)
        return st;
    if (stage == INSIDE) {
        go_inside(h, stall_limit_of(cost_left(h), h->step_cost));
        return MRN_OK;
    }
    if (stage == INSIDE_LONG)
        return borrow(h, &mrn_solver_interior_point, most, msg);
    double before = h->log->best;
    mrn_proximal_start(&h->newton, h->log->best_r);
    /* it shows soon whether it finds the way */
    bool ended = mrn_proximal_run(&h->newton, FIRST_LOOK, h->trial, h->log);
    if (stage == NEWTON_LONG && !ended)
        ended = mrn_proximal_run(&h->newton, most, h->trial, h->log);
    /* as long as it goes on well; a residual that no longer falls by half ends it */
    while (!ended && h->log->best < 0.5 * before && !mrn_proximal_stalled(&h->newton)) {
        before = h->log->best;
        ended = mrn_proximal_run(&h->newton, most, h->trial, h->log);
    }
    return MRN_OK;
}

/* Near the end Newton's steps are worth a try whenever turns have brought the best iterate clearly
   nearer than it was at the last one: they square the residual where they find the way, and a step
   that jumps is taken back at once. True when it was tried. */
static mrn_status try_near(hybrid *h, bool *tried, mrn_message *msg)
{
    enum { STEPS = 8 };
    const double NEAR = 1e4, NEARER = 0.3;
    double best = h->log->best;
    *tried = h->has_lu && h->tried > NEWTON && best <= NEAR * h->s->control->tolerance &&
             best <= 1e-4 && best <= NEARER * h->near_tried &&
             cost_left(h) > 0.5 * STEPS * h->step_cost;
    if (!*tried)
        return MRN_OK;
    mrn_status st = take_room(h, msg);
    if (st != MRN_OK)
        return st;
    h->near_tried = best;
    mrn_proximal_start(&h->newton, h->log->best_r);
    mrn_proximal_run(&h->newton, STEPS, h->trial, h->log);
    return MRN_OK;
}

/* The better one; the other one when neither gains anything. Gradients are not tried while sweeps
   see the end. */
static int next_arm(const hybrid *h, int last)
{
    double sweeps = h->rate[SWEEPS], gradient = h->rate[GRADIENT];
    if (isnan(gradient))
        return cost_left(h) < 4 * h->spent ? SWEEPS : GRADIENT;
    return sweeps > gradient ? SWEEPS : gradient > sweeps ? GRADIENT : 1 - last;
}

/* Turns grow with what was spent: the choice is made anew some times for each doubling. */
static mrn_status go_on(hybrid *h, mrn_message *msg)
{
    int arm = SWEEPS, stage;
    mrn_status st = take_turn(h, arm, 0, msg);
    while (st == MRN_OK && h->log->stop == MRN_GO_ON) {
        if ((st = next_stage(h, &stage, msg)) != MRN_OK)
            break;
        int before = h->log->factorisations;
        bool near = false;
        if (stage >= 0)
            st = run_stage(h, stage, msg);
        else
            st = try_near(h, &near, msg);
        if (stage >= 0 || near) {
            h->spent += (h->log->factorisations - before) * h->step_cost;
        } else if (st == MRN_OK) {
            arm = next_arm(h, arm);
            st = take_turn(h, arm, 0.5 * h->spent, msg);
        }
    }
    return st;
}

static mrn_status solve(mrn_system *s, const mrn_value *option, double *r, mrn_progress_log *log,
                        mrn_message *msg)
{
    (void)option;
    hybrid h;
    mrn_status st = prepare(s, r, log, &h, msg);
    if (st == MRN_OK)
        st = go_on(&h, msg);
    if (h.has_lu)
        mrn_block_lu_release(&h.lu);
    return st;
}

const mrn_solver mrn_solver_hybrid = {
    .name = "hybrid",
    .summary = "Sweeps and gradients in turns, Newton and interior points when quicker.",
    .doc =
        "Sweeps of non-linear Gauss-Seidel and accelerated projected gradients take turns, the one "
        "that gained more for its cost being preferred, as long as they promise an end sooner "
        "than factorisations would cost. Else Newton's steps with proximal points are tried, then "
        "interior points, whose iterates are cleaned by a few sweeps and polished by Newton's "
        "steps as soon as they are close; where those get stuck (strongly non-associated "
        "problems), turns again from the best iterate so far, and in the end both once more with "
        "larger limits. Choices rest on counted operations, so that the result is the same in "
        "every run.",
    .advice = "The default. Prefer nlgs where a time step only needs a rough answer and memory "
              "counts, nlgs-exchange for millions of contacts.",
    .kinds = MRN_ALL_KINDS,
    .wants_W = true,
    .bilateral = true,
    .max_iterations = 400000,
    .solve = solve,
};
