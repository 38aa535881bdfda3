/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of solvers, their options, and the call that runs any of them. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "solve/body_matrix.h"
#include "solve/solvers.h"
#include "solve/system.h"

static const mrn_solver *const solvers[] = {
#define MRN_SOLVER(symbol) &symbol,
#include "solve/solvers.def"
#undef MRN_SOLVER
};
enum { N_SOLVERS = sizeof solvers / sizeof solvers[0] };

int mrn_solver_count(void)
{
    return N_SOLVERS;
}

const mrn_solver *mrn_solver_at(int i)
{
    return i >= 0 && i < N_SOLVERS ? solvers[i] : NULL;
}

const mrn_solver *mrn_solver_find(const char *name)
{
    for (int i = 0; i < N_SOLVERS; i++)
        if (strcmp(solvers[i]->name, name) == 0)
            return solvers[i];
    return NULL;
}

void mrn_solver_defaults(const mrn_solver *s, mrn_value *option)
{
    mrn_params_defaults(s->params, s->n_params, option);
}

mrn_status mrn_solver_set(const mrn_solver *s, mrn_value *option, const char *name,
                          const char *text, mrn_message *msg)
{
    return mrn_params_set(s->params, s->n_params, option, s->name, name, text, msg);
}

const char *mrn_criterion_name(mrn_criterion c)
{
    static const char *const names[MRN_CRITERIA] = {"natural",   "contact", "mean",
                                                    "quadratic", "max",     "signed"};
    return c >= 0 && c < MRN_CRITERIA ? names[c] : "";
}

mrn_solve_control mrn_solve_control_default(void)
{
    return (mrn_solve_control){.tolerance = 1e-4};
}

/* ---- may this solver have this problem? ---- */

static mrn_status check_fit(const mrn_problem *p, const mrn_solver *s, const mrn_solve_control *c,
                            mrn_message *msg)
{
    const mrn_contact_layout *lay = mrn_contact_layout_of(p->kind);
    bool bilateral = false;
    for (int i = 0; p->law != NULL && i < p->n; i++)
        bilateral = bilateral || p->law[i] == MRN_BILATERAL;
    if ((s->kinds >> p->kind & 1) == 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "solver %s cannot solve %s contacts", s->name, lay->name);
        return mrn_fail_hint(msg, "nlgs can; `moraine solvers` lists what each can do");
    }
    if (bilateral && !s->bilateral) {
        mrn_fail(msg, MRN_ERR_INPUT, "solver %s cannot solve bilateral contacts", s->name);
        return mrn_fail_hint(msg, "nlgs can");
    }
    if (s->wants_bodies && (p->Ht.rows != p->n || p->minv == NULL)) {
        mrn_fail(msg, MRN_ERR_INPUT, "solver %s needs H and M: the problem gives W alone", s->name);
        return mrn_fail_hint(msg, "nlgs needs W only");
    }
    if (!s->sweeps && c->criterion != MRN_STOP_NATURAL) {
        mrn_fail(msg, MRN_ERR_INPUT, "solver %s cannot stop by the criterion \"%s\"", s->name,
                 mrn_criterion_name(c->criterion));
        return mrn_fail_hint(msg, "the Gauss-Seidel solvers can; all know \"natural\"");
    }
    if (!(c->tolerance > 0))
        return mrn_fail(msg, MRN_ERR_RANGE, "the tolerance %g is not positive", c->tolerance);
    return mrn_problem_check_velocities(p, msg); /* with a nan no sweep would be the last */
}

/* ---- the call ---- */

typedef struct call {
    const mrn_problem *p;
    const mrn_solver *s;
    const mrn_value *option;
    mrn_system system;
    mrn_progress_log log;
} call;

static mrn_status make_log(call *c, mrn_message *msg)
{
    const mrn_solve_control *control = c->system.control;
    int64_t size = (int64_t)c->system.n * c->system.b;
    c->log.limit = control->max_iterations > 0 ? control->max_iterations : c->s->max_iterations;
    c->log.best = INFINITY;
    c->log.energy = NAN;
    c->log.best_r = mrn_work(c->system.work, size + MRN_BSR_PADDING, sizeof *c->log.best_r);
    c->log.scratch = mrn_work(c->system.work, size + MRN_BSR_PADDING, sizeof *c->log.scratch);
    return c->log.best_r == NULL || c->log.scratch == NULL ? mrn_fail_memory(msg) : MRN_OK;
}

/* A guess as the system sees it, in its cones; its residual. */
static double enter_guess(call *c, const double *r, double *x)
{
    mrn_system *s = &c->system;
    int64_t size = (int64_t)s->n * s->b;
    mrn_system_enter(s, c->p, r, x);
    for (int64_t k = 0; k < size; k++)
        x[k] = isfinite(x[k]) ? x[k] : 0;
    mrn_system_project(s, x, x);
    if (s->control->other_guess == NULL)
        return NAN; /* nothing to compare with */
    mrn_system_velocity(s, x, c->log.scratch);
    return mrn_system_residual(s, x, c->log.scratch, NULL);
}

/* The better one of two guesses in x. */
static mrn_status choose_guess(call *c, const double *r, double *x, mrn_message *msg)
{
    mrn_system *s = &c->system;
    int64_t size = (int64_t)s->n * s->b;
    double residual = enter_guess(c, r, x);
    if (s->control->other_guess == NULL)
        return MRN_OK;
    mrn_workspace_mark mark = mrn_workspace_here(s->work);
    double *other = mrn_work(s->work, size + MRN_BSR_PADDING, sizeof *other);
    if (other == NULL)
        return mrn_fail_memory(msg);
    if (enter_guess(c, s->control->other_guess, other) < residual)
        memcpy(x, other, (size_t)size * sizeof *x);
    mrn_workspace_back(s->work, mark);
    return MRN_OK;
}

/* Velocities of impulses x where they are known at once: q, when there are none. */
static const double *velocities_at_hand(const mrn_system *s, const double *x)
{
    for (int64_t k = 0; k < (int64_t)s->n * s->b; k++)
        if (x[k] != 0)
            return NULL;
    return s->q;
}

static mrn_status run(call *c, const double *r, mrn_message *msg)
{
    mrn_system *s = &c->system;
    int64_t size = (int64_t)s->n * s->b;
    double *x = mrn_work(s->work, size + MRN_BSR_PADDING, sizeof *x);
    if (x == NULL)
        return mrn_fail_memory(msg);
    mrn_status chosen = choose_guess(c, r, x, msg);
    if (chosen != MRN_OK)
        return chosen;
    /* the guess may be the answer; the criteria of sweeps need one to say so */
    bool sweeps = s->control->criterion != MRN_STOP_NATURAL;
    if (sweeps || !mrn_log_iterate(s, &c->log, "guess", x, velocities_at_hand(s, x))) {
        mrn_workspace_mark mark = mrn_workspace_here(s->work);
        mrn_status st = c->s->solve(s, c->option, x, &c->log, msg);
        mrn_workspace_back(s->work, mark); /* the answer is the log's: measures take its place */
        if (st < 0)
            return st;
    }
    if (!isfinite(c->log.best)) /* no iterate was ever logged, or none was a number */
        memset(c->log.best_r, 0, (size_t)size * sizeof *x);
    return MRN_OK;
}

static void say(const call *c, const mrn_solve_result *r, char *words, size_t size)
{
    static const char *const why[] = {
        [MRN_GO_ON] = "ended without meeting the criterion",
        [MRN_STOP_CONVERGED] = "converged",
        [MRN_STOP_LIMIT] = "stopped at the limit of iterations",
        [MRN_STOP_TIME] = "stopped at the limit of time",
        [MRN_STOP_ASKED] = "stopped on request",
        [MRN_STOP_STALLED] = "stopped: no further progress",
    };
    if (c->log.words[0] != '\0')
        snprintf(words, size, "%.200s; residual %.3g", c->log.words, r->measures.natural);
    else
        snprintf(words, size, "%s after %lld iteration%s; residual %.3g", why[c->log.stop],
                 (long long)r->iterations, r->iterations == 1 ? "" : "s", r->measures.natural);
}

/* r is written when nothing can fail any more. */
static mrn_status finish(call *c, double *r, mrn_solve_result *out, mrn_message *msg)
{
    const mrn_solve_control *control = c->system.control;
    out->iterations = c->log.iterations;
    out->updates = c->log.updates;
    out->factorisations = c->log.factorisations;
    int64_t size = (int64_t)c->system.n * c->system.b;
    double *answer = mrn_work(c->system.work, size, sizeof *answer);
    if (answer == NULL)
        return mrn_fail_memory(msg);
    mrn_system_leave(&c->system, c->p, c->log.best_r, answer);
    mrn_status st = mrn_measure_system(c->p, &c->system, answer, NULL, &out->measures, msg);
    if (st != MRN_OK)
        return st;
    memcpy(r, answer, (size_t)size * sizeof *r);
    /* judged by the measures of the answer itself, not by what the solver believes; rounding of
       scaling there and back is allowed for */
    out->converged = c->log.stop == MRN_STOP_CONVERGED;
    if (control->criterion == MRN_STOP_NATURAL)
        out->converged = out->measures.natural <= control->tolerance * (1 + 1e-9);
    say(c, out, out->words, sizeof out->words);
    if (out->converged)
        return MRN_OK;
    if (c->log.stop == MRN_STOP_ASKED)
        return mrn_fail(msg, MRN_INTERRUPTED, "%s", out->words);
    return mrn_fail(msg, MRN_NOT_CONVERGED, "%s", out->words);
}

static bool has_bodies(const mrn_problem *p)
{
    return p->Ht.rows == p->n && p->minv != NULL &&
           mrn_masses_have_roots(p->Ht.cols, p->Ht.bc, p->minv);
}

/* A problem that lacks W gets it in a copy of its head, where that is needed. */
static mrn_status with_blocks(const mrn_problem *p, const mrn_solver *s, mrn_problem *out,
                              mrn_message *msg)
{
    *out = *p;
    if (!s->wants_W || p->W.rows == p->n || (s->bodies_do && has_bodies(p)))
        return MRN_OK;
    out->W = (mrn_bsr){0};
    return mrn_problem_assemble(out, msg);
}

static mrn_status solve_in(const mrn_problem *p, const mrn_solver *s, const mrn_value *option,
                           const mrn_solve_control *control, double *r, mrn_workspace *work,
                           mrn_solve_result *out, mrn_message *msg)
{
    call c = {.p = p, .s = s, .option = option};
    mrn_problem whole;
    double started = mrn_clock();
    mrn_workspace_reset(work);
    mrn_status st = with_blocks(p, s, &whole, msg);
    if (st == MRN_OK)
        st = mrn_system_make(&whole, control, s->sweeps && s->wants_bodies, work, &c.system, msg);
    c.log.started = started;
    if (st == MRN_OK)
        st = make_log(&c, msg);
    if (st == MRN_OK)
        st = run(&c, r, msg);
    out->seconds = mrn_clock() - started;
    if (st == MRN_OK)
        st = finish(&c, r, out, msg);
    out->memory = work->peak + c.log.matrices;
    if (whole.W.start != p->W.start)
        mrn_bsr_release(&whole.W);
    return st;
}

mrn_status mrn_solve(const mrn_problem *p, const mrn_solver *s, const mrn_value *option,
                     const mrn_solve_control *control, double *r, mrn_workspace *work,
                     mrn_solve_result *result, mrn_message *msg)
{
    mrn_value defaults[MRN_PARAM_MAX];
    mrn_solve_control usual = mrn_solve_control_default();
    mrn_workspace own = {0};
    mrn_solve_result unwanted, *out = result != NULL ? result : &unwanted;
    *out = (mrn_solve_result){.asymmetry = NAN};
    if (control == NULL)
        control = &usual;
    if (option == NULL) {
        mrn_solver_defaults(s, defaults);
        option = defaults;
    }
    if (p->n == 0) {
        out->converged = true;
        snprintf(out->words, sizeof out->words, "no contacts: nothing to solve");
        return MRN_OK;
    }
    mrn_status st = check_fit(p, s, control, msg);
    if (st != MRN_OK)
        return st;
    st = solve_in(p, s, option, control, r, work != NULL ? work : &own, out, msg);
    mrn_workspace_release(&own);
    return st;
}
