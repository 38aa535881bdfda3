/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alternating directions: linear solves with one factorisation and projections in turn, with
   Anderson's mixing on top. All vectors but those of the log are scaled by the square root of
   each contact's mean diagonal, which keeps cones and makes the penalty one number. */
#include <string.h>

#include "base/base.h"
#include "solve/first_order.h"
#include "solve/mixing.h"
#include "solve/regular.h"
#include "solve/solvers.h"

static const char *const rules[] = {"fixed", "raise", "balance", NULL};
enum { FIXED, RAISE, BALANCE };

enum { OPT_RHO, OPT_RELAXATION, OPT_MEMORY, OPT_RULE };
static const mrn_param params[] = {
    {.name = "penalty",
     .symbol = "rho",
     .kind = MRN_P_NUMBER,
     .unit = "1",
     .min = 0,
     .max = 1e6,
     .min_open = true,
     .fallback = 0.1,
     .doc = "Weight of r = z at the beginning, relative to the mean diagonal of W. Smaller is "
            "quicker where it converges; 0.03 to 0.3 is sensible."},
    {.name = "relaxation",
     .symbol = "alpha",
     .kind = MRN_P_NUMBER,
     .unit = "1",
     .min = 0,
     .max = 2,
     .min_open = true,
     .fallback = 1.5,
     .doc = "Above 1: over-relaxation of the splitting."},
    {.name = "memory",
     .symbol = "m",
     .kind = MRN_P_NUMBER,
     .unit = "count",
     .min = 0,
     .max = MRN_MIXING_DEPTH_MAX,
     .fallback = 10,
     .doc = "Steps that Anderson's mixing remembers; 0: plain alternating directions."},
    {.name = "penalty-rule",
     .kind = MRN_P_CHOICE,
     .unit = "1",
     .choices = rules,
     .fallback = RAISE,
     .doc = "fixed; raised when the residual stays far above its best (raise); or led by the ratio "
            "of the primal to the dual residual as well (balance). Every change costs a "
            "factorisation; there are at most eight."},
};

enum { CHECK_EVERY = 5, STALL_ITERATIONS = 500, MOST_WAIT = 200, MOST_FACTORS = 8 };

typedef struct admm {
    mrn_system *s;
    mrn_progress_log *log;
    mrn_message *msg;
    int64_t m;
    mrn_regular matrix;
    mrn_anderson mix;
    double *x;          /* the state: z = P_K(x), lambda = rho (z - x)                 */
    double *z, *lambda; /* impulses in the cone; velocities u + g(u) in the dual cone  */
    double *z_old;      /* of the iteration before                                     */
    double *f, *right;  /* step of the state; right-hand side of the linear system     */
    double *shift;      /* per contact                                                 */
    double *answer, *u; /* z and its velocity W z + q, not scaled                      */
    double *best;       /* z and lambda at the best residual: 2 m                      */
    double best_residual;
    double alpha;
    int rule;
    bool trial;          /* x is a proposal of the mixing                               */
    double last_step;    /* |f| at the point that stands                                */
    double reach, taken; /* longest extrapolation allowed, and the last one, over |f|   */
    int wait, pause;     /* steps without mixing; how many after a refusal              */
    double mark;         /* residual that must be halved within STALL_ITERATIONS                */
    int64_t marked, next_balance;
} admm;

static mrn_status prepare(admm *a, const mrn_value *option, mrn_message *msg)
{
    mrn_system *s = a->s;
    double **vector[] = {&a->x, &a->z, &a->lambda, &a->z_old, &a->f, &a->right, &a->answer, &a->u};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
        if ((*vector[k] = mrn_work_vector(s)) == NULL)
            return mrn_fail_memory(msg);
    a->shift = mrn_work(s->work, s->n, sizeof *a->shift);
    a->best = mrn_work(s->work, 2 * a->m, sizeof *a->best);
    if (a->shift == NULL || a->best == NULL)
        return mrn_fail_memory(msg);
    mrn_status st = mrn_mixing_make(s, (int)option[OPT_MEMORY].number, &a->mix, msg);
    if (st == MRN_OK)
        st = mrn_regular_make(s, &a->matrix, msg);
    return st;
}

/* y = x over the square root of each contact's scale */
static void scale_down(const admm *a, const double *x, double *y)
{
    int b = a->s->b;
    for (int64_t i = 0; i < a->s->n; i++)
        for (int c = 0; c < b; c++)
            y[i * b + c] = x[i * b + c] / a->matrix.root[i];
}

static void state_from(admm *a, const double *z, const double *lambda)
{
    for (int64_t k = 0; k < a->m; k++)
        a->x[k] = z[k] - lambda[k] / a->matrix.rho;
}

/* z and lambda of the state, and the velocity of z. */
static void split(admm *a)
{
    double *z = a->z_old;
    a->z_old = a->z, a->z = z;
    mrn_system_project(a->s, a->x, z);
    for (int64_t k = 0; k < a->m; k++)
        a->lambda[k] = a->matrix.rho * (z[k] - a->x[k]);
    scale_down(a, z, a->answer);
    mrn_system_velocity(a->s, a->answer, a->u);
}

/* f = alpha (r - z) with r of (W + rho) r = rho z + lambda - q - g(lambda), as a correction of z:
   (S + rho)(r - z) = lambda - (W z + q) - g(lambda). Only the matrix on the left is symmetrised,
   so a fixed point solves the problem of W itself, and errors of the factors heal. The tangential
   part of lambda is that of u, and so is its shift. */
static bool linear_step(admm *a)
{
    const mrn_system *s = a->s;
    mrn_contact_shifts(s, a->lambda, a->shift);
    scale_down(a, a->u, a->right);
    for (int64_t k = 0; k < a->m; k++)
        a->right[k] = a->lambda[k] - a->right[k];
    for (int64_t i = 0; i < s->n; i++)
        a->right[i * s->b] -= a->shift[i];
    if (!mrn_cholesky_solve(&a->matrix.cholesky, a->right, a->f))
        return false;
    for (int64_t k = 0; k < a->m; k++)
        a->f[k] *= a->alpha;
    return true;
}

/* ---- steps of the state ---- */

static void plain(admm *a, const double *x, const double *f)
{
    for (int64_t k = 0; k < a->m; k++)
        a->x[k] = x[k] + f[k];
}

/* The proposal was worse than the point it came from: a plain step from there, and a pause and a
   shorter reach for the next proposals. */
static void refuse(admm *a)
{
    plain(a, a->mix.x, a->mix.f);
    a->trial = false;
    a->reach = fmax(0.25 * a->taken, 2);
    a->wait = a->pause;
    a->pause = a->pause < MOST_WAIT ? 2 * a->pause : MOST_WAIT;
}

/* Proposes a point within reach of the plain step. */
static bool propose(admm *a, double size)
{
    if (a->wait-- > 0 || !mrn_mixing_propose(&a->mix, a->x))
        return false;
    double far = 0;
    for (int64_t k = 0; k < a->m; k++)
        a->right[k] = a->x[k] - a->mix.x[k] - a->f[k];
    far = sqrt(mrn_dot_long(a->m, a->right, a->right)) / size;
    a->taken = fmin(far, a->reach);
    for (int64_t k = 0; far > a->reach && k < a->m; k++)
        a->x[k] = a->mix.x[k] + a->f[k] + a->reach / far * a->right[k];
    return isfinite(far);
}

static void move(admm *a)
{
    if (a->mix.depth == 0) {
        plain(a, a->x, a->f);
        return;
    }
    double size = sqrt(mrn_dot_long(a->m, a->f, a->f));
    mrn_mixing_learn(&a->mix, a->x, a->f);
    if (a->trial && !(size <= a->last_step)) {
        refuse(a);
        return;
    }
    if (a->trial)
        a->reach = fmax(a->reach, 2 * a->taken);
    mrn_mixing_stand(&a->mix, a->x, a->f);
    a->last_step = size;
    a->trial = size > 0 && propose(a, size);
    if (!a->trial)
        plain(a, a->mix.x, a->f);
}

/* ---- the penalty ---- */

/* Goes on from z and lambda with another penalty. */
static mrn_status change_penalty(admm *a, double rho, const double *z, const double *lambda)
{
    mrn_status st = mrn_regular_factor(&a->matrix, rho, a->msg);
    a->log->factorisations++;
    /* a number and its row */
    a->log->matrices = (size_t)a->matrix.cholesky.fill * (sizeof(double) + sizeof(int32_t));
    mrn_mixing_forget(&a->mix);
    a->trial = false;
    state_from(a, z, lambda);
    split(a);
    return st;
}

/* The residual stays far above its best: the shift follows too quickly. A larger penalty slows it;
   from the best point on. */
static mrn_status raise_penalty(admm *a, double residual)
{
    int64_t k = a->log->iterations;
    bool patient = k - a->marked < STALL_ITERATIONS || residual < 10 * a->best_residual;
    if (residual < 0.5 * a->mark || !patient) {
        a->mark = residual;
        a->marked = k;
    }
    if (patient || !isfinite(a->best_residual))
        return MRN_OK;
    return change_penalty(a, 2 * a->matrix.rho, a->best, a->best + a->m);
}

/* Residual balancing, ever more rarely: primal |r - z| and dual rho |z - z_old|, each relative. */
static mrn_status balance(admm *a)
{
    double gap = 0, change = 0, impulse = 0, velocity = 0;
    for (int64_t k = 0; k < a->m; k++) {
        double d = a->f[k] / a->alpha, e = a->matrix.rho * (a->z[k] - a->z_old[k]);
        gap += d * d, change += e * e;
        impulse += a->z[k] * a->z[k], velocity += a->lambda[k] * a->lambda[k];
    }
    double ratio = sqrt(sqrt(gap / impulse * velocity / change));
    if (a->log->iterations < a->next_balance || !isfinite(ratio) || (ratio > 0.4 && ratio < 2.5))
        return MRN_OK;
    a->next_balance = 3 * a->log->iterations;
    ratio = fmin(fmax(ratio, 0.2), 5);
    return change_penalty(a, ratio * a->matrix.rho, a->z, a->lambda);
}

static mrn_status adapt(admm *a, double residual)
{
    mrn_status st = MRN_OK;
    if (a->rule == FIXED || a->log->factorisations >= MOST_FACTORS)
        return st;
    if (a->rule == BALANCE)
        st = balance(a);
    return st == MRN_OK ? raise_penalty(a, residual) : st;
}

/* ---- the iteration ---- */

static void keep_best(admm *a, double residual)
{
    if (!(residual < a->best_residual))
        return;
    a->best_residual = residual;
    memcpy(a->best, a->z, (size_t)a->m * sizeof *a->z);
    memcpy(a->best + a->m, a->lambda, (size_t)a->m * sizeof *a->lambda);
}

/* Tells the log of z. True: the end. */
static bool check(admm *a, mrn_status *st)
{
    double residual;
    if (mrn_log_residual(a->s, a->log, "admm", a->answer, a->u, &residual))
        return true;
    keep_best(a, residual);
    if (!isfinite(residual)) { /* nothing comes of that: from the best, more carefully */
        if (!isfinite(a->best_residual) || a->log->factorisations >= MOST_FACTORS) {
            a->log->stop = MRN_STOP_STALLED;
            return true;
        }
        *st = change_penalty(a, 10 * a->matrix.rho, a->best, a->best + a->m);
    } else {
        *st = adapt(a, residual);
    }
    return *st != MRN_OK;
}

static mrn_status iterate(admm *a)
{
    const mrn_solve_control *c = a->s->control;
    int every = c->check_every > 0 ? c->check_every : CHECK_EVERY;
    mrn_status st = MRN_OK;
    for (;;) {
        if (!linear_step(a))
            return mrn_fail_memory(a->msg);
        move(a);
        split(a);
        a->log->iterations++;
        a->log->updates += a->s->n;
        bool due = a->log->iterations % every == 0 || a->log->iterations >= a->log->limit;
        if (due && check(a, &st))
            return st;
    }
}

/* z = the guess, lambda = its u + g(u). */
static void begin(admm *a, const double *r)
{
    const mrn_system *s = a->s;
    int b = s->b;
    mrn_system_velocity(s, r, a->u);
    mrn_contact_shifts(s, a->u, a->shift);
    for (int64_t i = 0; i < s->n; i++) {
        a->u[i * b] += a->shift[i];
        for (int c = 0; c < b; c++)
            a->z[i * b + c] = r[i * b + c] * a->matrix.root[i];
    }
    scale_down(a, a->u, a->lambda);
    state_from(a, a->z, a->lambda);
    split(a);
}

static mrn_status solve(mrn_system *s, const mrn_value *option, double *r, mrn_progress_log *log,
                        mrn_message *msg)
{
    admm a = {.s = s,
              .log = log,
              .msg = msg,
              .m = (int64_t)s->n * s->b,
              .alpha = option[OPT_RELAXATION].number,
              .rule = (int)option[OPT_RULE].number,
              .best_residual = INFINITY,
              .reach = 1e4,
              .pause = 1,
              .mark = INFINITY,
              .next_balance = 40};
    mrn_status st = prepare(&a, option, msg);
    if (st == MRN_OK)
        st = mrn_regular_factor(&a.matrix, option[OPT_RHO].number, msg);
    if (st == MRN_OK) {
        log->factorisations++;
        begin(&a, r);
        st = iterate(&a);
    }
    mrn_regular_release(&a.matrix);
    return st;
}

const mrn_solver mrn_solver_admm = {
    .name = "admm",
    .summary = "Alternating directions with one factorisation and Anderson's mixing.",
    .doc =
        "The impulse is held twice, r free and z in the cone, and the two are brought together "
        "(Glowinski and Marrocco 1975; Boyd et al. 2011; for friction Acary, Brémond and Huber "
        "2018, Tasora, Mangoni, Benatti and Garziera 2021): (W + rho) r = rho z + lambda - q - "
        "g(lambda), z⁺ = P_K(z - lambda/rho + alpha (r - z)), lambda⁺ = what the projection cut "
        "off times rho: the velocity u + g(u) in the dual cone. De Saxcé's shift g is renewed in "
        "every iteration. All is scaled by the mean diagonal of each contact, one factor per "
        "contact. The matrix is factorised once (sparse L D Lᵀ, minimum-degree order); when W is "
        "asymmetric, that of its symmetric part, and the equation is written as a correction of z "
        "with the true W z on its right: the answer is that of W, and the iteration contracts as "
        "long as the skew part is small beside rho. The state x = z - lambda/rho follows a fixed-"
        "point iteration x <- x + f(x), which Anderson's mixing of the last steps extrapolates; a "
        "proposal with a longer f is taken back, and the next may reach less far. When the "
        "residual stays ten times above its best for 500 iterations, the penalty rho is doubled.",
    .advice =
        "Accuracies of 1e-6 and beyond of up to some thousand contacts, hyperstatic stacks and "
        "dense packings above all: tens of iterations where sweeps need thousands. Memory and time "
        "of the factorisation grow faster than the number of contacts (fill-in); above some ten "
        "thousand contacts, or when 1e-4 is enough, apgd is cheaper. With much sliding at large "
        "friction convergence can turn slow: a larger penalty helps.",
    .params = params,
    .n_params = sizeof params / sizeof *params,
    .kinds = MRN_ALL_KINDS,
    .wants_W = true,
    .bilateral = true,
    .max_iterations = 200000,
    .solve = solve,
};
