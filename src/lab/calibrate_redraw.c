/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bootstrap of a calibration. What is not known of the simulation is a function, not a number:
   its slopes are as uncertain as its values, and elsewhere it is known less well than at the
   optimum. So every replica has a function of its own, drawn from all that the runs allow, and
   measurements drawn with their own errors; the fit is made again with these. */
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "lab/calibrate.h"
#include "lab/design.h"

enum { STREAM = 1 << 20 }; /* random numbers of replicas, beyond those of the linearised ones */

static void begin(void *user, const double *x, const double *f)
{
    mrn_calibrating_redraw *r = user;
    for (int j = 0; j < r->k->n; j++)
        r->x[j] = fmin(r->k->p[j].hi, fmax(r->k->p[j].lo, x[j]));
    for (int t = 0; t < r->k->m; t++)
        r->centre[t] = getenv("CENTRE_Y") ? r->k->target[t].y : f[t];
    mrn_surrogate_at(r->k->out->surrogate, r->x, r->f, r->sd);
    for (int t = 0; t < r->k->m; t++)
        r->sd[t] = sqrt(r->sd[t]);
}

/* Of replicates the variance is drawn with them: Student's tails. */
static double measure(const mrn_calibrating_redraw *r, int t, mrn_rng *rng, double *variance)
{
    const mrn_datum *d = &r->k->target[t];
    double z = mrn_rng_normal(rng), sd = sqrt(d->variance);
    *variance = d->variance;
    if (d->spread == MRN_SPREAD_REPLICATES) {
        double nu = d->freedom;
        sd *= sqrt(nu / mrn_rng_chi2(rng, nu));
        *variance = sd * sd * mrn_rng_chi2(rng, nu) / nu;
    }
    return r->centre[t] + sd * z;
}

static mrn_status draw(void *user, uint64_t seed, int replica, double *y, double *v, double *at,
                       mrn_message *msg)
{
    mrn_calibrating_redraw *r = user;
    mrn_rng rng = mrn_rng_seed(seed, STREAM + (uint64_t)replica);
    bool bad;
    for (int t = 0; t < r->k->m; t++) {
        y[t] = measure(r, t, &rng, &v[t]);
        v[t] += r->k->out->model_variance[t];
        mrn_drawn_draw(&r->of[t], &rng);
    }
    return r->way.model.predict(r, 1, r->x, at, &bad, msg);
}

static void differ(void *user, uint64_t seed, int replica, double *difference)
{
    const mrn_calibrating_redraw *r = user;
    mrn_rng rng = mrn_rng_seed(seed, 1000 + (uint64_t)replica);
    for (int t = 0; t < r->k->m; t++) {
        double variance, y = measure(r, t, &rng, &variance);
        difference[t] = y - r->f[t] - r->sd[t] * mrn_rng_normal(&rng);
    }
}

/* The functions drawn; no answer where runs are to be expected to fail. */
static mrn_status predict(void *user, int64_t count, const double *x, double *y, bool *bad,
                          mrn_message *msg)
{
    const mrn_calibrating_redraw *r = user;
    int n = r->k->n, m = r->k->m;
    double u[MRN_FIT_MOST];
    (void)msg;
    for (int64_t i = 0; i < count; i++) {
        for (int j = 0; j < n; j++)
            u[j] = fmin(1, fmax(0, mrn_box_place(&r->k->p[j], x[i * n + j])));
        for (int t = 0; t < m; t++)
            y[i * m + t] = mrn_drawn_at(&r->of[t], u);
        bad[i] = r->k->failed > 0 && mrn_calibrating_barred(r->k, &x[i * n]);
    }
    return MRN_OK;
}

void mrn_calibrating_redraw_release(mrn_calibrating_redraw *r)
{
    for (int t = 0; r->of != NULL && t < r->k->m; t++)
        mrn_drawn_release(&r->of[t]);
    mrn_free(r->of);
    mrn_free(r->centre);
    mrn_free(r->f);
    mrn_free(r->sd);
}

mrn_status mrn_calibrating_redraw_make(const mrn_calibrating *k, mrn_calibrating_redraw *r)
{
    *r = (mrn_calibrating_redraw){
        .k = k,
        .way = {.begin = begin,
                .draw = draw,
                .differ = differ,
                .model = {.n = k->n, .m = k->m, .predict = predict, .user = r},
                .user = r}};
    MRN_FIT_TRY(mrn_array(&r->of, k->m, sizeof *r->of, k->msg));
    MRN_FIT_TRY(mrn_array(&r->centre, k->m, sizeof(double), k->msg));
    MRN_FIT_TRY(mrn_array(&r->f, k->m, sizeof(double), k->msg));
    MRN_FIT_TRY(mrn_array(&r->sd, k->m, sizeof(double), k->msg));
    for (int t = 0; t < k->m; t++)
        MRN_FIT_TRY(mrn_drawn_make(&k->out->surrogate->of[t], &r->of[t], k->msg));
    return MRN_OK;
}
