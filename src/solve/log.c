/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log of a solve: the best iterate so far, the criterion, the clock, the history. */
#include <string.h>

#include "solve/system.h"

static bool met(const mrn_solve_control *c, double natural, const double violation[MRN_VIOLATIONS],
                bool done)
{
    switch (c->criterion) {
    case MRN_STOP_CONTACT:
        return done;
    case MRN_STOP_MEAN:
    case MRN_STOP_QUADRATIC:
    case MRN_STOP_MAX:
    case MRN_STOP_SIGNED:
        return fabs(violation[c->criterion - MRN_STOP_MEAN]) <= c->tolerance;
    default:
        return natural <= c->tolerance;
    }
}

static bool ask_watcher(mrn_system *s, mrn_progress_log *log, const char *phase, double natural,
                        const double violation[MRN_VIOLATIONS])
{
    const mrn_solve_control *c = s->control;
    if (c->watch == NULL)
        return false;
    mrn_iterate it = {phase,      log->iterations, mrn_clock() - log->started,
                      natural,    violation[0],    violation[2],
                      log->energy};
    return c->watch(&it, c->user);
}

bool mrn_log_known(mrn_system *s, mrn_progress_log *log, const char *phase, const double *r,
                   double natural, const double violation[MRN_VIOLATIONS], bool done)
{
    static const double none[MRN_VIOLATIONS] = {NAN, NAN, NAN, NAN};
    const mrn_solve_control *c = s->control;
    const double *v = violation != NULL ? violation : none;
    bool converged = log->iterations >= c->min_iterations && met(c, natural, v, done);
    /* with another criterion than the residual, the iterate that meets it is the answer */
    if (natural < log->best || (converged && c->criterion != MRN_STOP_NATURAL)) {
        log->best = natural;
        memcpy(log->best_r, r, (size_t)s->n * (size_t)s->b * sizeof *r);
    }
    bool asked = ask_watcher(s, log, phase, natural, v);
    log->energy = NAN; /* of this iterate alone */
    if (converged)
        log->stop = MRN_STOP_CONVERGED;
    else if (asked)
        log->stop = MRN_STOP_ASKED;
    else if (log->iterations >= log->limit)
        log->stop = MRN_STOP_LIMIT;
    else if (c->max_seconds > 0 && mrn_clock() - log->started > c->max_seconds)
        log->stop = MRN_STOP_TIME;
    return log->stop != MRN_GO_ON;
}

bool mrn_log_iterate(mrn_system *s, mrn_progress_log *log, const char *phase, const double *r,
                     const double *u)
{
    if (u == NULL) {
        mrn_system_velocity(s, r, log->scratch);
        u = log->scratch;
    }
    if (s->control->watch != NULL)
        log->energy = mrn_system_energy(s, r, u);
    return mrn_log_known(s, log, phase, r, mrn_system_residual(s, r, u, NULL), NULL, false);
}
