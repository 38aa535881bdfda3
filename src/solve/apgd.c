/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accelerated projected gradient with restart, and two ways to treat the part of Coulomb's law that
   no energy has. */
#include <string.h>

#include "base/base.h"
#include "solve/first_order.h"
#include "solve/solvers.h"

static const char *const shifts[] = {"auto", "always", "loop", NULL};
enum { AUTO, ALWAYS, LOOP };

enum { OPT_SHIFT, OPT_INNER, OPT_GROWTH, OPT_RESTART, OPT_SCALING };
static const mrn_param params[] = {
    {.name = "shift",
     .kind = MRN_P_CHOICE,
     .unit = "1",
     .choices = shifts,
     .fallback = AUTO,
     .doc = "When the shift g(u) is renewed: in every iteration, in an outer loop around "
            "associated problems, or in every iteration until that makes no more progress and in "
            "the loop from then on."},
    {.name = "inner-accuracy",
     .symbol = "eta",
     .kind = MRN_P_NUMBER,
     .unit = "1",
     .min = 0,
     .max = 1,
     .min_open = true,
     .fallback = 0.5,
     .doc = "The outer loop renews the shift when the residual of the associated problem is below "
            "this share of the residual."},
    {.name = "step-growth",
     .kind = MRN_P_NUMBER,
     .unit = "1",
     .min = 1,
     .max = 2,
     .fallback = 1.02,
     .doc = "Factor by which the step grows in an iteration, until a step is refused."},
    {.name = "restart",
     .kind = MRN_P_FLAG,
     .unit = "1",
     .fallback = 1,
     .doc = "Forget the momentum when it points uphill."},
    {.name = "scaling",
     .kind = MRN_P_FLAG,
     .unit = "1",
     .fallback = 1,
     .doc = "Measure the impulses of each contact by the mean diagonal of its own block."},
};

enum { CHECK_EVERY = 5, STALL_ITERATIONS = 400, MOST_TRIALS = 60 };

typedef struct apgd {
    mrn_system *s;
    mrn_progress_log *log;
    int64_t m;            /* numbers in a vector                                       */
    double *mean;         /* per contact: metric of the step                           */
    double *shift;        /* per contact, frozen in the loop                           */
    double *r, *Wr;       /* iterate and its product                                   */
    double *next, *Wnext; /* the one to come                                           */
    double *y, *Wy;       /* extrapolated point                                        */
    double *grad, *d;     /* gradient at y; next - y, and velocities                   */
    double t, theta;      /* step, momentum                                            */
    double inner, growth; /* options */
    bool restart, loop, may_switch;
    int64_t marked; /* iteration at which `mark` was reached                     */
    double mark;    /* residual that must be halved within STALL_ITERATIONS iterations   */
} apgd;

static mrn_status prepare(apgd *a, mrn_message *msg)
{
    mrn_system *s = a->s;
    double **vector[] = {&a->r, &a->Wr, &a->next, &a->Wnext, &a->y, &a->Wy, &a->grad, &a->d};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
        if ((*vector[k] = mrn_work_vector(s)) == NULL)
            return mrn_fail_memory(msg);
    a->mean = mrn_work(s->work, s->n, sizeof *a->mean);
    a->shift = mrn_work(s->work, s->n, sizeof *a->shift);
    return a->mean == NULL || a->shift == NULL ? mrn_fail_memory(msg) : MRN_OK;
}

/* Begins anew at r: no momentum. */
static void begin_at(apgd *a, const double *r)
{
    size_t bytes = (size_t)a->m * sizeof *r;
    if (r != a->r)
        memcpy(a->r, r, bytes);
    mrn_system_times(a->s, a->r, a->Wr);
    memcpy(a->y, a->r, bytes);
    memcpy(a->Wy, a->Wr, bytes);
    a->theta = 1;
}

/* Gradient at y, W y + q + shift, with the shift of y itself or the frozen one. */
static void gradient(apgd *a)
{
    const mrn_system *s = a->s;
    for (int64_t k = 0; k < a->m; k++)
        a->grad[k] = a->Wy[k] + s->q[k];
    if (!a->loop)
        mrn_contact_shifts(s, a->grad, a->shift);
    for (int64_t i = 0; i < s->n; i++)
        a->grad[i * s->b] += a->shift[i];
}

/* next = P_K(y - t D⁻¹ grad) */
static void project_step(apgd *a)
{
    const mrn_system *s = a->s;
    int b = s->b;
    for (int64_t i = 0; i < s->n; i++) {
        double t = a->t / a->mean[i];
        for (int c = 0; c < b; c++)
            a->next[i * b + c] = a->y[i * b + c] - t * a->grad[i * b + c];
    }
    mrn_system_project(s, a->next, a->next);
    mrn_system_times(s, a->next, a->Wnext);
}

/* A step whose parabola with curvature 1/t lies above the energy: d.W d <= d.D d / t. False: no
   such step, something is not a number. */
static bool step(apgd *a)
{
    gradient(a);
    for (int trial = 0; trial < MOST_TRIALS; trial++) {
        project_step(a);
        for (int64_t k = 0; k < a->m; k++)
            a->d[k] = a->next[k] - a->y[k];
        double size = mrn_contact_dot(a->s, a->mean, a->d, a->d);
        double bend = mrn_system_dot(a->s, a->d, a->Wnext) - mrn_system_dot(a->s, a->d, a->Wy);
        if (!isfinite(size) || !isfinite(bend))
            return false;
        if (bend * a->t <= size * (1 + 1e-9))
            return true;
        a->t = fmin(0.9 * size / bend, 0.9 * a->t);
    }
    return true; /* rounding: the points are as good as equal */
}

/* (y - next) . D (next - r) > 0: the momentum points uphill. */
static bool uphill(const apgd *a)
{
    const mrn_system *s = a->s;
    double uphill_by =
        mrn_contact_dot(s, a->mean, a->d, a->r) - mrn_contact_dot(s, a->mean, a->d, a->next);
    return uphill_by > 0;
}

/* Makes `next` the iterate and extrapolates; the product of y is a combination of products. */
static void advance(apgd *a)
{
    double beta = 0;
    if (a->restart && uphill(a)) {
        a->theta = 1;
    } else {
        double theta = 0.5 * (1 + sqrt(1 + 4 * a->theta * a->theta));
        beta = (a->theta - 1) / theta;
        a->theta = theta;
    }
    mrn_extrapolate(a->m, beta, a->next, a->r, a->y);
    mrn_extrapolate(a->m, beta, a->Wnext, a->Wr, a->Wy);
    double *r = a->r, *Wr = a->Wr;
    a->r = a->next, a->Wr = a->Wnext;
    a->next = r, a->Wnext = Wr;
    a->t *= a->growth;
}

/* Goes on from the best iterate with a frozen shift of its own. */
static void begin_loop(apgd *a)
{
    a->loop = true;
    begin_at(a, a->log->best_r);
    for (int64_t k = 0; k < a->m; k++)
        a->d[k] = a->Wr[k] + a->s->q[k];
    mrn_contact_shifts(a->s, a->d, a->shift);
}

/* Halving the residual took too long with a shift renewed in every iteration: the loop from now
   on. */
static void watch_progress(apgd *a)
{
    if (a->log->best < 0.5 * a->mark) {
        a->mark = a->log->best;
        a->marked = a->log->iterations;
    } else if (a->may_switch && a->log->iterations - a->marked > STALL_ITERATIONS) {
        a->may_switch = false;
        begin_loop(a);
    }
}

/* Tells the log; renews the shift of the loop when its problem is solved well enough. */
static bool check(apgd *a)
{
    double residual;
    for (int64_t k = 0; k < a->m; k++)
        a->d[k] = a->Wr[k] + a->s->q[k];
    if (mrn_log_residual(a->s, a->log, "apgd", a->r, a->d, &residual))
        return true;
    if (a->loop && mrn_frozen_residual(a->s, a->shift, a->r, a->d) <= a->inner * residual) {
        mrn_contact_shifts(a->s, a->d, a->shift);
        memcpy(a->y, a->r, (size_t)a->m * sizeof *a->y);
        memcpy(a->Wy, a->Wr, (size_t)a->m * sizeof *a->Wy);
        a->theta = 1;
    }
    watch_progress(a);
    return false;
}

/* From the best iterate with a tenth of the step; gives up when steps have become nothing. */
static bool rescue(apgd *a)
{
    a->t = isfinite(a->t) ? 0.1 * a->t : 1e-3;
    if (!(a->t > 1e-12) || !isfinite(a->log->best)) {
        a->log->stop = MRN_STOP_STALLED;
        return false;
    }
    begin_at(a, a->log->best_r);
    return true;
}

static void iterate(apgd *a)
{
    const mrn_solve_control *c = a->s->control;
    int every = c->check_every > 0 ? c->check_every : CHECK_EVERY;
    for (;;) {
        bool fine = step(a);
        a->log->iterations++;
        a->log->updates += a->s->n;
        if (fine)
            advance(a);
        else if (!rescue(a))
            return;
        bool due = a->log->iterations % every == 0 || a->log->iterations >= a->log->limit;
        if (due && check(a))
            return;
    }
}

static mrn_status solve(mrn_system *s, const mrn_value *option, double *r, mrn_progress_log *log,
                        mrn_message *msg)
{
    int shift = (int)option[OPT_SHIFT].number;
    apgd a = {.s = s,
              .log = log,
              .m = (int64_t)s->n * s->b,
              .t = 1,
              .inner = option[OPT_INNER].number,
              .growth = option[OPT_GROWTH].number,
              .restart = option[OPT_RESTART].flag,
              .loop = shift == LOOP,
              .may_switch = shift == AUTO,
              .mark = INFINITY};
    mrn_status st = prepare(&a, msg);
    if (st != MRN_OK)
        return st;
    mrn_contact_means(s, a.mean);
    for (int64_t i = 0; !option[OPT_SCALING].flag && i < s->n; i++)
        a.mean[i] = 1;
    begin_at(&a, r);
    for (int64_t k = 0; k < a.m; k++)
        a.d[k] = a.Wr[k] + s->q[k];
    mrn_contact_shifts(s, a.d, a.shift);
    iterate(&a);
    return MRN_OK;
}

const mrn_solver mrn_solver_apgd = {
    .name = "apgd",
    .summary = "Accelerated projected gradient with restart.",
    .doc =
        "With a frozen shift s = g(u) the contact problem is that of least energy, min 1/2 r.W r + "
        "(q + s).r over the cones. Nesterov's method: r⁺ = P_K(y - t D⁻¹ (W y + q + s)), y⁺ = r⁺ + "
        "beta (r⁺ - r), with D the mean diagonal of each contact's own block (one factor per "
        "contact: the cone stays a cone) and a step t that grows slowly and is cut when d.W d > "
        "d.D d / t for d = r⁺ - y (Beck and Teboulle 2009). The momentum is dropped when (y - "
        "r⁺).D "
        "(r⁺ - r) > 0 (O'Donoghue and Candès 2015); for granular matter Mazhar, Heyn, Negrut and "
        "Tasora 2015. One product with W per iteration: that of y is a combination of those of "
        "iterates. Coulomb's law is not associated, so s depends on the answer. Renewed in every "
        "iteration, the method is quickest, but nothing ensures that it converges and with much "
        "sliding it can hover. Renewed in an outer loop it is a fixed-point iteration on s, slower "
        "and more reliable. `auto` begins with the former and takes the latter once the residual "
        "was not halved in 400 iterations.",
    .advice =
        "The cheapest way to 1e-4 for most problems, and to 1e-8 for packings: an iteration is one "
        "product with W, no factorisation, all threads, and W may be left implicit (H and M). "
        "Stacks with much sliding at large friction converge slowly beyond 1e-5: admm or a Newton "
        "method then.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .kinds = MRN_ALL_KINDS,
    .bilateral = true,
    .max_iterations = 200000,
    .solve = solve,
};
