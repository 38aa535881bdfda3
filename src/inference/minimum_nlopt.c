/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Minima by NLopt. */
#include <nlopt.h>

#include "base/base.h"
#include "inference/minimum.h"

typedef struct search {
    const mrn_minimum *m;
    nlopt_opt opt;
} search;

static double value_of(unsigned n, const double *x, double *slope, void *user)
{
    const search *s = user;
    double v = s->m->value(n, x, slope, s->m->user);
    if (s->m->stop != NULL && *s->m->stop)
        nlopt_force_stop(s->opt);
    return v;
}

static nlopt_result set(search *s)
{
    const mrn_minimum *m = s->m;
    nlopt_result r = nlopt_set_min_objective(s->opt, value_of, s);
    if (r > 0)
        r = m->lo != NULL ? nlopt_set_lower_bounds(s->opt, m->lo)
                          : nlopt_set_lower_bounds1(s->opt, 0);
    if (r > 0)
        r = m->hi != NULL ? nlopt_set_upper_bounds(s->opt, m->hi)
                          : nlopt_set_upper_bounds1(s->opt, 1);
    if (r > 0 && m->x_tolerance > 0)
        r = nlopt_set_xtol_abs1(s->opt, m->x_tolerance);
    if (r > 0 && m->population > 0)
        r = nlopt_set_population(s->opt, m->population);
    if (r > 0 && m->value_tolerance > 0)
        r = nlopt_set_ftol_abs(s->opt, m->value_tolerance);
    if (r > 0 && m->value_relative > 0)
        r = nlopt_set_ftol_rel(s->opt, m->value_relative);
    if (r > 0 && m->step > 0)
        r = nlopt_set_initial_step1(s->opt, m->step);
    return r > 0 ? nlopt_set_maxeval(s->opt, m->evaluations) : r;
}

mrn_status mrn_minimise(const mrn_minimum *m, double *x, double *value, mrn_message *msg)
{
    static const nlopt_algorithm algorithm[] = {NLOPT_GN_CRS2_LM, NLOPT_LN_BOBYQA, NLOPT_LN_SBPLX,
                                                NLOPT_LD_LBFGS};
    search s = {m, nlopt_create(algorithm[m->method], m->n)};
    if (s.opt == NULL)
        return mrn_fail_memory(msg);
    if (m->method == MRN_MINIMISER_CRS2)
        nlopt_srand(m->seed);
    nlopt_result r = set(&s);
    if (r > 0)
        r = nlopt_optimize(s.opt, x, value);
    nlopt_destroy(s.opt);
    if (r == NLOPT_OUT_OF_MEMORY)
        return mrn_fail_memory(msg);
    return r < 0 && r != NLOPT_ROUNDOFF_LIMITED && r != NLOPT_FORCED_STOP ? MRN_NOT_CONVERGED
                                                                          : MRN_OK;
}
