/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Smaller models: each parameter in turn held where it means nothing, the others found again, and
   the two compared by the ratio of their likelihoods. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "inference/fit.h"

enum { STARTS = 8 }; /* two near the optimum, the rest anywhere */

double mrn_fitting_null(const mrn_fitting *p, int j)
{
    const mrn_parameter *q = &p->parameter[j];
    return !q->log && q->lo <= 0 && q->hi >= 0 ? 0 : NAN;
}

/* Start k of the search without parameter j. */
static void put_start(const mrn_fitting *p, int j, double null, int k, mrn_rng *rng, double *u)
{
    double moved = null - p->u[j], cjj = p->cov[j * p->n + j];
    for (int i = 0; i < p->n; i++) {
        double t = isfinite(cjj) ? p->cov[i * p->n + j] / cjj : 0;
        u[i] = k == 0 ? p->u[i] : k == 1 ? p->u[i] + t * moved : mrn_rng_uniform(rng);
        u[i] = fmin(1, fmax(0, u[i]));
    }
    u[j] = null;
}

/* -2 log of the ratio is compared with chi² of one degree; where the smaller model lies on a bound
   the estimate sticks there half of the time, and half of chi² is at zero (Self & Liang 1987). */
static void compare(const mrn_fitting *p, int j, double null, const mrn_descent *d, int best,
                    mrn_nested *to)
{
    const double *f = &d->f[(int64_t)best * p->m];
    double rise = d->deviance[best] - p->deviance;
    bool bound = null <= 0 || null >= 1;
    to->without = j;
    to->at = mrn_fitting_x(p, j, null);
    to->objective = d->deviance[best] < MRN_FIT_FAR ? mrn_fitting_objective(p, f) : INFINITY;
    to->ratio = fmax(0, rise);
    to->p = mrn_fitting_rise_p(p, j, to->ratio) * (bound && rise > 0 ? 0.5 : 1);
    to->aic = rise - 2;
    to->bic = rise - log((double)p->m);
    to->enough = to->p > 1 - p->opt->confidence;
}

static mrn_status nested(mrn_fitting *p, mrn_fit *out, mrn_descent *d)
{
    int n = p->n, starts = n == 1 ? 1 : STARTS;
    MRN_FIT_TRY(mrn_array(&out->nested, n, sizeof *out->nested, p->msg));
    for (int j = 0; j < n; j++) {
        mrn_rng rng = mrn_rng_seed(p->opt->seed, 100 + (uint64_t)j);
        double at = mrn_fitting_null(p, j), null = mrn_fitting_u(p, j, at);
        int best = 0;
        p->done = (double)j / n;
        if (isnan(at))
            continue;
        mrn_descent_reset(p, d, starts);
        for (int k = 0; k < starts; k++) {
            put_start(p, j, null, k, &rng, &d->u[(int64_t)k * n]);
            d->fixed[(int64_t)k * n + j] = true;
        }
        MRN_FIT_TRY(mrn_descend(p, d, 1e-7, false));
        for (int k = 0; k < starts; k++)
            best = d->deviance[k] < d->deviance[best] ? k : best;
        mrn_fitting_meet(p, &d->u[(int64_t)best * n], d->deviance[best]);
        compare(p, j, null, d, best, &out->nested[out->n_nested++]);
    }
    return MRN_OK;
}

mrn_status mrn_fitting_nested(mrn_fitting *p, mrn_fit *out)
{
    mrn_descent d = {0};
    mrn_fitting_phase(p, "nested");
    mrn_status s = mrn_descent_make(p, STARTS, &d);
    if (s == MRN_OK)
        s = nested(p, out, &d);
    mrn_descent_release(&d);
    return s;
}
