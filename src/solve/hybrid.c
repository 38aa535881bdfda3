/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The default solver: several methods, each where it is the quickest. Decisions rest on counted
   operations and residuals, never on a clock, so that results do not change from run to run. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "solve/first_order.h"
#include "solve/interior.h"
#include "solve/newton.h"
#include "solve/solvers.h"
#include "solve/sweep.h"

/* Two methods that go in small steps and take turns by what they have shown; two with matrices,
   which are tried when they promise to be quicker, from the best iterate, or from elsewhere when
   that one leads nowhere. */
enum { SWEEPS, GRADIENT, TURNS };
enum { NEWTON, INSIDE, INSIDE_ELSEWHERE, NEWTON_ELSEWHERE, METHODS };
/* Beyond these sizes no matrix is factorised: L and U of so many blocks take 4 GB, and finding
   their pattern takes long. */
enum { MOST_FILL = 180000000, MOST_CONTACTS = 200000 };

typedef struct hybrid {
    mrn_system *s;
    mrn_progress_log *log;
    int64_t m;
    mrn_sweeper sweeper;
    double *r, *u, *trial;     /* the iterate of sweeps; velocities; of the other methods */
    double last_ratio;         /* residual over change of the last sweep                  */
    double rate[TURNS];        /* logarithm of the residual gained per cost; NAN: untried */
    double spent;              /* cost so far …                                           */
    double in_matrices;        /* … of that with matrices                                 */
    double half;               /* residual at about half of the last turn of sweeps … */
    int64_t half_at;           /* … and the iteration                                 */
    double sweep_cost;         /* of a sweep: nanoseconds, roughly                        */
    double step_cost[METHODS]; /* of a step with matrices, likewise                       */
    mrn_step_matrix matrix;
    bool has_lu, has_room, too_large; /* the pattern is known; room for the numbers is there */
    double *first; /* the iterate after the first sweeps, then where tries elsewhere led to */
    double tried[METHODS]; /* the best residual when last tried …                */
    int times[METHODS];    /* … and how often                                    */
    mrn_interior interior;
    mrn_newton_memory memory;
    mrn_proximal newton;
} hybrid;

/* What one sweep and one step with a factorisation cost, fitted once on several problems; only
   their ratio matters, and within a factor of two it does not matter much. */
static double cost_of_sweep(const mrn_system *s)
{
    return s->has_W ? 3.0 * (double)s->start[s->n] + 35.0 * s->n : 70.0 * s->n;
}

static double cost_of_step(const mrn_system *s, const mrn_step_matrix *m, int method)
{
    bool inside = method == INSIDE || method == INSIDE_ELSEWHERE; /* some seven solutions each */
    double solve = inside ? 2 : 0.4, contact = (inside ? 600 : 300) + (m->bodies ? 300 : 0);
    return 0.06 * m->flops + solve * mrn_step_matrix_numbers(m) + contact * s->n;
}

/* What a step costs at least: a factor is no sparser than W. Knowing better takes the order and the
   pattern of the factors, which cost some tens of sweeps: they are found only where this says that
   they may be worth it. */
static double least_step_cost(const mrn_system *s)
{
    double degree = s->has_W ? 0.5 * (double)s->start[s->n] / (s->n > 0 ? s->n : 1) : 0;
    double flops = 2.0 * s->b * s->b * s->b * degree * degree * s->n;
    return (s->has_bodies ? 0 : 0.06 * flops) + 300.0 * s->n;
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
        next = k + 2 + h->log->iterations / 5;
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
    mrn_status st = mrn_step_matrix_plan(s, MRN_SPACE_AUTO, MOST_FILL, &h->matrix, msg);
    h->too_large = st == MRN_ERR_RANGE; /* for matrices: turns go on without */
    if (st != MRN_OK)
        return st == MRN_ERR_RANGE ? MRN_OK : st;
    h->has_lu = true;
    for (int k = 0; k < METHODS; k++)
        h->step_cost[k] = cost_of_step(s, &h->matrix, k);
    return MRN_OK;
}

/* Room for numbers, when a method with matrices begins for the first time. */
static mrn_status take_room(hybrid *h, mrn_message *msg)
{
    mrn_system *s = h->s;
    if (h->has_room)
        return MRN_OK;
    mrn_status st = mrn_step_matrix_take_room(&h->matrix, msg);
    if (st != MRN_OK)
        return st;
    h->has_room = true;
    h->log->matrices += mrn_step_matrix_bytes(&h->matrix);
    st = mrn_interior_make(s, &h->matrix, &h->interior, msg);
    if (st == MRN_OK)
        st = mrn_newton_make(s, &h->memory, msg);
    return st == MRN_OK ? mrn_proximal_make(s, &h->matrix, &h->memory, &h->newton, msg) : st;
}

/* Sweeps worth about half an interior step. */
static int sweeps_per_step(const hybrid *h)
{
    double k = 0.5 * h->step_cost[INSIDE] / h->sweep_cost;
    return k < 5 ? 5 : k > 50 ? 50 : (int)k;
}

/* Newton's steps from x for as long as their residual falls by half with each turn of them; true
   when the log says stop. */
static bool run_newton(hybrid *h, const double *x, int first, int most)
{
    mrn_proximal *g = &h->newton;
    mrn_proximal_start(g, x);
    double before = g->best;
    bool ended = mrn_proximal_run(g, first, h->trial, h->log); /* shows the way soon */
    while (!ended && g->best < 0.5 * before && !mrn_proximal_stalled(g)) {
        before = g->best;
        ended = mrn_proximal_run(g, most, h->trial, h->log);
    }
    return ended;
}

/* How interior points go on: the least residual of theirs, where it was last halved, and from which
   sweeps and Newton's steps were tried. */
typedef struct inside {
    double least, halved, cleaned, polished;
    int idle, stuck; /* steps since it was halved, that were too short */
} inside;

enum {
    SLOW = 5,          /* steps without halving after which Newton may know better */
    STALLED = 20,      /* … after which it ends                                   */
    STUCK = 6,         /* steps in a row that were too short                      */
    POLISH = 12,       /* steps of Newton                                         */
    FIRST_LOOK = 8,    /* likewise, before it is known whether they find the way  */
    NEWTON_STEPS = 20, /* in a turn when they do                                  */
};

/* After an interior step: sweeps, which are cheap beside it, whenever they may be enough; Newton's
   steps when it is near, or slow. True when the log says stop. */
static bool help_inside(hybrid *h, inside *k, double residual)
{
    double tol = h->s->control->tolerance;
    double *x = h->interior.z; /* not used between steps */
    bool near = residual < 1e3 * tol && residual < 0.3 * k->cleaned;
    bool slow = k->idle >= SLOW && residual < 1e-2 && residual < 0.3 * k->polished;
    if (!near && !slow)
        return false;
    bool newton = slow || residual < 1e-5;
    k->cleaned = residual;
    k->polished = newton ? residual : k->polished;
    memcpy(x, h->trial, (size_t)h->m * sizeof *x);
    if (clean(h, sweeps_per_step(h), h->trial, &residual))
        return true;
    if (!newton)
        return false;
    return run_newton(h, residual < k->cleaned ? h->trial : x, POLISH, NEWTON_STEPS);
}

/* Interior points, from the best iterate or (`cold`) from the middle of the cones, until `stalled`
   steps have not halved the residual. Returns true when the log says stop. */
static bool go_inside(hybrid *h, bool cold, int stalled)
{
    mrn_system *s = h->s;
    inside k = {INFINITY, INFINITY, INFINITY, INFINITY, 0, 0};
    double size = 1 / sqrt((double)s->n);
    if (cold)
        mrn_interior_start(&h->interior, size, size);
    else
        mrn_interior_start_at(&h->interior, h->log->best_r, h->log->best, h->u);
    while (k.idle < stalled && k.stuck < STUCK) {
        bool moved = mrn_interior_step(&h->interior, h->trial, h->u);
        h->log->iterations++, h->log->factorisations++;
        double residual;
        if (mrn_log_residual(s, h->log, "interior-point", h->trial, h->u, &residual))
            return true;
        if (!isfinite(residual))
            break;
        k.least = residual < k.least ? residual : k.least;
        k.idle = residual < 0.5 * k.halved ? 0 : k.idle + 1;
        k.halved = k.idle == 0 ? residual : k.halved;
        k.stuck = moved ? 0 : k.stuck + 1; /* with more damping it may move */
        if (help_inside(h, &k, residual))
            return true;
    }
    return k.least < 1e-3 && k.polished > k.least && run_newton(h, h->trial, POLISH, NEWTON_STEPS);
}

/* ---- the whole ---- */

static mrn_status prepare(mrn_system *s, double *r, mrn_progress_log *log, hybrid *h,
                          mrn_message *msg)
{
    *h = (hybrid){.s = s, .log = log, .r = r, .last_ratio = 1, .m = (int64_t)s->n * s->b};
    h->u = mrn_work(s->work, h->m + MRN_BSR_PADDING, sizeof *h->u);
    h->trial = mrn_work(s->work, h->m + MRN_BSR_PADDING, sizeof *h->trial);
    h->first = mrn_work(s->work, h->m + MRN_BSR_PADDING, sizeof *h->first);
    if (h->u == NULL || h->trial == NULL || h->first == NULL)
        return mrn_fail_memory(msg);
    h->sweep_cost = cost_of_sweep(s);
    h->rate[SWEEPS] = h->rate[GRADIENT] = NAN;
    bool slabs = !s->has_W && s->n >= MRN_SLABS_FROM;
    return mrn_sweeper_make(s, !s->has_W, slabs ? MRN_ORDER_SLABS : MRN_ORDER_GIVEN, &h->sweeper,
                            msg);
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

/* A method with matrices is worth another try from the best iterate when turns have brought it
   clearly nearer than the last try left it. */
static bool is_fresh(const hybrid *h, int method)
{
    return h->times[method] == 0 || h->log->best <= 0.3 * h->tried[method];
}

/* A try elsewhere knows nothing of the best iterate: Newton's steps go on where those of the try
   before ended, interior points begin in the middle of the cones again. It waits until turns have
   had as much as all that was done with matrices. */
static bool may_begin_elsewhere(const hybrid *h, int method)
{
    enum { TRIES = 3 };
    bool balanced = h->times[method] == 0 || h->spent >= 2 * h->in_matrices;
    return balanced && h->times[method] < TRIES && h->times[method] <= h->times[METHODS - 1];
}

/* Steps that a try elsewhere may take without halving its residual. */
static int patience(const hybrid *h, int method)
{
    return 60 << h->times[method];
}

/* Which method with matrices, or -1: only when what is left would cost more without it. The
   matrices are looked at only when much is left: that costs some tens of sweeps. Newton's steps
   come first: they are the quickest when they find the way and soon show whether they do. Only in
   the space of bodies, where contacts have many points and impulses are not unique, they do so
   near the end alone, and interior points come first. Where neither gains from the best iterate,
   both are tried from elsewhere, with growing patience. */
static mrn_status choose_matrices(hybrid *h, int *method, mrn_message *msg)
{
    double left = cost_left(h);
    *method = -1;
    if (h->too_large || h->s->n > MOST_CONTACTS || !mrn_interior_knows(h->s->kind) ||
        left < 60 * h->sweep_cost || (!h->has_lu && left < FIRST_LOOK * least_step_cost(h->s)))
        return MRN_OK;
    mrn_status st = prepare_matrices(h, msg);
    if (!h->has_lu)
        return st;
    double best = h->log->best, *cost = h->step_cost;
    bool near = best <= 1e4 * h->s->control->tolerance && best <= 1e-4;
    bool first = near || !h->matrix.bodies || h->times[INSIDE] > 0;
    double usual = usual_steps(h->s);
    if (first && is_fresh(h, NEWTON) && left > (near ? FIRST_LOOK : usual) * cost[NEWTON])
        *method = NEWTON;
    else if (is_fresh(h, INSIDE) && left > usual * cost[INSIDE])
        *method = INSIDE;
    for (int k = INSIDE_ELSEWHERE; *method < 0 && k < METHODS; k++)
        if (may_begin_elsewhere(h, k) && left > patience(h, k) * cost[k])
            *method = k;
    return st;
}

static mrn_status run_matrices(hybrid *h, int method, mrn_message *msg)
{
    int before = h->log->factorisations, most = patience(h, method);
    mrn_status st = take_room(h, msg);
    if (st != MRN_OK)
        return st;
    switch (method) {
    case NEWTON:
        run_newton(h, h->log->best_r, FIRST_LOOK, NEWTON_STEPS);
        break;
    case NEWTON_ELSEWHERE:
        run_newton(h, h->first, most, most);
        memcpy(h->first, h->newton.centre, (size_t)h->m * sizeof *h->first); /* to go on from */
        break;
    default:
        go_inside(h, method == INSIDE_ELSEWHERE, method == INSIDE ? STALLED : most);
        break;
    }
    double used = (h->log->factorisations - before) * h->step_cost[method];
    h->spent += used;
    h->in_matrices += used;
    h->times[method]++;
    h->tried[method] = h->log->best;
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
    int arm = SWEEPS, method;
    mrn_status st = take_turn(h, arm, 0, msg);
    memcpy(h->first, h->log->best_r, (size_t)h->m * sizeof *h->first);
    while (st == MRN_OK && h->log->stop == MRN_GO_ON) {
        if ((st = choose_matrices(h, &method, msg)) != MRN_OK)
            break;
        if (method >= 0) {
            st = run_matrices(h, method, msg);
        } else {
            arm = next_arm(h, arm);
            st = take_turn(h, arm, 0.25 * h->spent, msg);
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
        mrn_step_matrix_release(&h.matrix);
    return st;
}

const mrn_solver mrn_solver_hybrid = {
    .name = "hybrid",
    .summary = "Sweeps and gradients in turns, Newton and interior points when quicker.",
    .doc =
        "Sweeps of non-linear Gauss-Seidel and accelerated projected gradients take turns, the one "
        "that gained more for its cost being preferred, as long as they promise an end sooner "
        "than factorisations would cost. Else Newton's steps with proximal points and interior "
        "points that start from the best iterate are tried, whichever costs less; iterates of "
        "interior points are cleaned by a few sweeps, and by Newton's steps where they are close "
        "or slow. A method that no longer halves its residual ends, and is tried again when turns "
        "have come clearly nearer; where neither gains any more both start elsewhere, with growing "
        "patience, Newton's steps from where those of the try before ended. Where H and M are "
        "given, matrices are those of the bodies and W is not made. "
        "Choices rest on counted operations, so that the result is the same in every run.",
    .advice = "The default. Prefer nlgs where a time step only needs a rough answer and memory "
              "counts, nlgs-exchange for millions of contacts.",
    .kinds = MRN_ALL_KINDS,
    .wants_W = true,
    .bodies_do = true,
    .bilateral = true,
    .max_iterations = 400000,
    .solve = solve,
};
