/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Newton's steps made safe. They are quick near an answer and blind far from it, so they are given
   easier problems: the laws with the velocity u + alpha (r - centre), whose operator W + alpha 1 is
   regular (proximal points). The answer of one is the centre of the next. alpha falls as long as
   the steps find their way and grows when they do not; a few sweeps of Gauss-Seidel then move the
   centre. Near the answer alpha goes with the residual, and what remains is Newton's method. */
#include <string.h>

#include "base/base.h"
#include "solve/kernel.h"
#include "solve/newton.h"

enum {
    HALVINGS = 12,        /* of a step                                  */
    STEPS = 10,           /* for one centre                             */
    STALL_ITERATIONS = 3, /* steps in a row that may gain nothing       */
    FAILURES = 12,        /* in a row, alpha growing: there is no way   */
    ROUNDS = 250,         /* centres that together do not take a tenth off the residual */
    RESTART = 60,         /* directions of GMRES                        */
    PARALLEL = 2048,
};
enum { MEMORY = MRN_PROXIMAL_MEMORY };

/* ---- the linear system ---- */

static void jacobian_times(void *user, const double *x, double *y)
{
    const mrn_proximal *g = user;
    const mrn_system *s = g->s;
    int b = s->b;
    mrn_system_times(s, x, y);
#pragma omp parallel for schedule(static) if (s->n > PARALLEL)
    for (int64_t i = 0; i < s->n; i++) {
        double v[MRN_NEWTON_BLOCK] = {0};
        mrn_block_times(b, g->m.left + i * b * b, y + i * b, v);
        mrn_block_times(b, g->m.own + i * b * b, x + i * b, v);
        memcpy(y + i * b, v, (size_t)b * sizeof *v);
    }
}

static void divide_by_diagonal(void *user, const double *x, double *y)
{
    const mrn_proximal *g = user;
    int b = g->s->b;
    for (int64_t i = 0; i < g->s->n; i++) {
        double v[MRN_NEWTON_BLOCK] = {0};
        mrn_block_times(b, g->inverse + i * b * b, x + i * b, v);
        memcpy(y + i * b, v, (size_t)b * sizeof *v);
    }
}

/* Inverse by cofactors; the unit matrix where there is none worth the name. */
static void invert(int b, const double *m, double *inverse)
{
    double top = 0, det = 0;
    for (int k = 0; k < b * b; k++)
        top = fmax(top, fabs(m[k]));
    if (b == 2) {
        const double adjugate[4] = {m[3], -m[1], -m[2], m[0]};
        det = m[0] * m[3] - m[1] * m[2];
        memcpy(inverse, adjugate, sizeof adjugate);
    } else {
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < 3; r++) {
                int c1 = (c + 1) % 3, c2 = (c + 2) % 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3;
                inverse[r * 3 + c] =
                    m[c1 * 3 + r1] * m[c2 * 3 + r2] - m[c2 * 3 + r1] * m[c1 * 3 + r2];
            }
        det = m[0] * inverse[0] + m[1] * inverse[3] + m[2] * inverse[6];
    }
    bool sound = fabs(det) > 1e-14 * pow(top, b) && isfinite(det);
    for (int k = 0; k < b * b; k++)
        inverse[k] = sound ? inverse[k] / det : k % (b + 1) == 0;
}

/* Inverse of the block of contact i on the diagonal, own + left W_ii */
static void invert_diagonal(const mrn_system *s, const double *own, const double *left, int64_t i,
                            double *inverse)
{
    int b = s->b;
    double d[MRN_NEWTON_BLOCK * MRN_NEWTON_BLOCK];
    memcpy(d, own, (size_t)(b * b) * sizeof *d);
    for (int c = 0; c < b; c++)
        mrn_block_times(b, left, s->diag + (i * b + c) * b, d + c * b);
    invert(b, d, inverse);
}

/* m.step = J⁻¹ F */
static void solve_linear(mrn_proximal *g, double residual, mrn_progress_log *log)
{
    mrn_system *s = g->s;
    if (g->matrix != NULL) {
        mrn_step_matrix_factor(g->matrix, g->m.own, g->m.left, NULL);
        mrn_step_matrix_solve(g->matrix, g->m.f, g->m.step);
        log->factorisations++;
        return;
    }
    int size = s->b * s->b;
    for (int64_t i = 0; i < s->n; i++)
        invert_diagonal(s, g->m.own + i * size, g->m.left + i * size, i, g->inverse + i * size);
    /* as exact as the step is worth: the error of a Newton step is about the residual */
    double tolerance = fmin(1e-2, fmax(1e-10, 0.1 * residual));
    mrn_gmres_solve(&g->gmres, jacobian_times, divide_by_diagonal, g, tolerance, 10 * RESTART,
                    g->m.f, g->m.step);
}

/* ---- a step ---- */

static double merit(const mrn_proximal *g, const double *r, const double *u)
{
    const mrn_system *s = g->s;
    for (int64_t i = 0; i < s->n; i++)
        mrn_newton_evaluate(g->map, g->m.contact + i, r + i * s->b, u + i * s->b, g->f + i * s->b,
                            NULL, NULL);
    return mrn_system_dot(s, g->f, g->f);
}

/* What |F|² has to fall below: its value now, or the largest of the last ones. */
static double reference(mrn_proximal *g, double now)
{
    double top = now;
    g->past[g->n_past++ % MEMORY] = now;
    for (int k = 0; g->search == MRN_SEARCH_NON_MONOTONE && k < MEMORY && k < g->n_past; k++)
        top = fmax(top, g->past[k]);
    return top;
}

/* Trial points along the step; velocities are linear in its length, so that none costs a product
   with W. */
static bool search_line(mrn_proximal *g, const double *r)
{
    const mrn_system *s = g->s;
    int64_t size = (int64_t)s->n * s->b;
    double now = mrn_system_dot(s, g->m.f, g->m.f), top = reference(g, now), t = 1;
    mrn_system_times(s, g->m.step, g->change);
    for (int k = 0; k < HALVINGS; k++, t /= 2) {
        for (int64_t j = 0; j < size; j++) {
            g->r[j] = r[j] - t * g->m.step[j];
            g->u[j] = g->m.u[j] - t * (g->change[j] + g->alpha * g->m.step[j]);
        }
        /* the slope of |F|² along the step is -2 |F|² */
        if (merit(g, g->r, g->u) <= top - 2e-4 * t * now)
            return true;
    }
    return false;
}

/* One step from r with velocities m.u; false when there is none. */
static bool take_step(mrn_proximal *g, double now, double *r, mrn_progress_log *log)
{
    mrn_system *s = g->s;
    int64_t size = (int64_t)s->n * s->b;
    mrn_newton_linearise(s, &g->m, g->map, g->alpha, r);
    solve_linear(g, now, log);
    log->iterations++;
    if (!isfinite(mrn_system_dot(s, g->m.step, g->m.step)))
        return false;
    if (g->search != MRN_SEARCH_NONE) {
        if (!search_line(g, r))
            return false;
        memcpy(r, g->r, (size_t)size * sizeof *r);
        return true;
    }
    for (int64_t j = 0; j < size; j++)
        r[j] -= g->m.step[j];
    return true;
}

/* Adds the proximal term to m.u; returns its size. */
static double shift(mrn_proximal *g, const double *r)
{
    int64_t size = (int64_t)g->s->n * g->s->b;
    for (int64_t j = 0; j < size; j++) {
        g->change[j] = g->alpha * (r[j] - g->centre[j]);
        g->m.u[j] += g->change[j];
    }
    return sqrt(mrn_system_dot(g->s, g->change, g->change));
}

/* ---- one centre ---- */

typedef enum outcome { SOLVED, FAILED, ENDED } outcome;

/* Steps from the centre until its problem is solved well enough, or the true one is much nearer;
   their number in *steps. */
static outcome take_steps(mrn_proximal *g, double *r, int *steps, mrn_progress_log *log)
{
    mrn_system *s = g->s;
    double now = g->outer, low = INFINITY;
    g->n_past = 0;
    *steps = 0;
    for (int idle = 0; *steps < STEPS && idle < STALL_ITERATIONS;) {
        if (!take_step(g, now, r, log)) /* the log is to see the clock and the limit all the same */
            return mrn_log_known(s, log, "newton", g->centre, g->outer, NULL, false) ? ENDED
                                                                                     : FAILED;
        ++*steps, g->steps++;
        mrn_system_velocity(s, r, g->m.u);
        double whole = mrn_system_residual(s, r, g->m.u, NULL);
        if (mrn_log_iterate(s, log, "newton", r, g->m.u))
            return ENDED;
        double term = shift(g, r);
        now = mrn_system_residual(s, r, g->m.u, NULL);
        if (now <= 0.3 * term || whole < 0.3 * g->outer)
            return SOLVED;
        idle = now < low ? 0 : idle + 1;
        low = fmin(now, low);
    }
    return FAILED;
}

bool mrn_proximal_sweep(mrn_proximal *g, double *r, mrn_progress_log *log)
{
    mrn_system *s = g->s;
    mrn_sweep_sums sums;
    bool stop = false;
    mrn_sweeper_refresh(&g->sweeper, r);
    for (int64_t k = 1; k <= g->sweeps && !stop; k++) {
        mrn_sweep(&g->sweeper, k % 2 == 0, r, &sums);
        log->iterations++;
        log->updates += s->n;
        if (k % 10 == 0 || k == g->sweeps || log->iterations >= log->limit)
            stop = mrn_log_iterate(s, log, "sweeps", r, NULL);
    }
    return stop;
}

/* r is the next centre. */
static void set_centre(mrn_proximal *g, const double *r)
{
    mrn_system *s = g->s;
    memcpy(g->centre, r, (size_t)s->n * (size_t)s->b * sizeof *r);
    mrn_system_velocity(s, r, g->m.u);
    g->outer = mrn_system_residual(s, r, g->m.u, NULL);
}

/* The next alpha. */
static void adapt(mrn_proximal *g, outcome how, int steps, double before)
{
    if (how == FAILED) {
        g->least = 1.5 * g->alpha;
        g->alpha *= 4;
        return;
    }
    g->least *= 0.85;
    g->alpha = fmax(g->least, g->alpha * (steps <= 5 ? 0.2 : 0.5));
    if (steps == 1 && g->outer < 0.1 * before) { /* Newton's own convergence: let it square */
        g->least = 0;
        g->alpha = fmin(g->alpha, g->regularisation * g->outer);
    }
}

/* ---- all centres ---- */

mrn_status mrn_proximal_make(mrn_system *s, mrn_step_matrix *matrix,
                             const mrn_newton_memory *memory, mrn_proximal *out, mrn_message *msg)
{
    mrn_proximal g = {.s = s, .matrix = matrix, .m = *memory, .regularisation = 1, .sweeps = 10};
    double **vectors[] = {&g.change, &g.r, &g.u, &g.f, &g.centre};
    int64_t size = (int64_t)s->n * s->b;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        if ((*vectors[k] = mrn_work(s->work, size + MRN_BSR_PADDING, sizeof(double))) == NULL)
            return mrn_fail_memory(msg);
    if (matrix == NULL) {
        int restart = size < RESTART ? (int)size : RESTART;
        double *room = mrn_work(s->work, mrn_gmres_room(size, restart), sizeof *room);
        g.inverse = mrn_work(s->work, size * s->b, sizeof *g.inverse);
        if (room == NULL || g.inverse == NULL)
            return mrn_fail_memory(msg);
        mrn_gmres_make(size, restart, room, &g.gmres);
    }
    mrn_status st = mrn_sweeper_make(s, !s->has_W, MRN_ORDER_GIVEN, &g.sweeper, msg);
    *out = g;
    return st;
}

void mrn_proximal_start(mrn_proximal *g, const double *r)
{
    set_centre(g, r);
    g->alpha = g->regularisation * g->outer;
    g->least = 0;
    g->failures = g->idle = 0;
    g->best = g->outer;
    g->mark = g->outer;
}

/* Steps for one centre, and the next centre in r; true when the log says stop. */
static bool next_centre(mrn_proximal *g, double *r, mrn_progress_log *log)
{
    int steps;
    double before = g->outer;
    memcpy(r, g->centre, (size_t)g->s->n * (size_t)g->s->b * sizeof *r);
    outcome how = take_steps(g, r, &steps, log);
    if (how == ENDED)
        return true;
    if (how == FAILED) {
        memcpy(r, g->centre, (size_t)g->s->n * (size_t)g->s->b * sizeof *r);
        if (mrn_proximal_sweep(g, r, log))
            return true;
    }
    set_centre(g, r);
    adapt(g, how, steps, before);
    g->best = fmin(g->best, g->outer);
    g->failures = how == FAILED ? g->failures + 1 : 0;
    g->idle = g->best < 0.9 * g->mark ? 0 : g->idle + 1;
    g->mark = g->idle == 0 ? g->best : g->mark;
    return false;
}

bool mrn_proximal_run(mrn_proximal *g, int64_t most, double *r, mrn_progress_log *log)
{
    int64_t end = g->steps + most;
    while (g->steps < end && !mrn_proximal_stalled(g))
        if (next_centre(g, r, log))
            return true;
    return false;
}

bool mrn_proximal_stalled(const mrn_proximal *g)
{
    return g->failures >= FAILURES || g->idle >= ROUNDS;
}
