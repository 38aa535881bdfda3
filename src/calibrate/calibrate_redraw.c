/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bootstrap of a calibration. What is not known of the simulation is a function, not a number:
   its slopes are as uncertain as its values, and elsewhere it is known less well than at the
   optimum. So every replica has a function of its own, drawn from all that the runs allow, and
   measurements drawn with their own errors; the fit is made again with these.

   Measurements are drawn about what was measured, not about what the surrogate makes of it at the
   optimum: for functions that are straight the optima are then a sample of what the measurements
   and the runs leave plausible (Oliver, He & Reynolds 1996), and what measured and fitted values
   differ by goes with the slopes as it does in the fit itself.

   Lengths, signals and noise of the processes are known from the same few runs, the less the more
   these scatter, and those of largest likelihood tell variances that are too small: they are drawn
   too, a set for every few replicas. tests/lab/test_calibrate_noise.c measures what that is worth.
 */
#include <math.h>

#include "base/base.h"
#include "calibrate/calibrate.h"
#include "inference/design.h"

enum {
    EACH = 4,          /* replicas with the same lengths and signals                          */
    MOST_POINTS = 128, /* with more, lengths are known, and drawing them would take too long   */
    STREAM = 1 << 20,  /* random numbers of replicas, beyond those of the linearised ones      */
    STREAM_SETS = 1 << 19
};

static bool wanders(const mrn_process *g)
{
    return !g->plain && g->kind != MRN_NOISE_FOUND && g->count <= MOST_POINTS;
}

/* ---- lengths and signals ---- */

static double *set_of(const mrn_calibrating_redraw *r, int set, int t)
{
    return &r->set[((int64_t)set * r->k->m + t) * (r->k->n + 2)];
}

static void tell_there(mrn_calibrating_redraw *r, int set, int t, const double *u)
{
    int64_t at = (int64_t)set * r->k->m + t;
    double variance;
    mrn_process_at(r->of[t].of, u, &r->f[at], &variance);
    r->sd[at] = sqrt(variance);
}

static mrn_status draw_sets(mrn_calibrating_redraw *r, int t, uint64_t seed)
{
    double u[MRN_FIT_MOST];
    mrn_rng rng = mrn_rng_seed(seed, STREAM_SETS + (uint64_t)t);
    for (int j = 0; j < r->k->n; j++)
        u[j] = fmin(1, fmax(0, mrn_box_place(&r->k->p[j], r->x[j])));
    for (int set = 0; set < r->sets; set++) {
        if (mrn_calibrating_stopped(r->k))
            return mrn_calibrating_interrupt(r->k);
        if (r->wander[t] != NULL) {
            mrn_wander_step(r->wander[t], &rng, set_of(r, set, t));
            mrn_wander_take(r->wander[t], set_of(r, set, t));
        }
        tell_there(r, set, t, u);
    }
    return MRN_OK;
}

static mrn_status begin(void *user, uint64_t seed, const double *x)
{
    mrn_calibrating_redraw *r = user;
    for (int j = 0; j < r->k->n; j++)
        r->x[j] = fmin(r->k->p[j].hi, fmax(r->k->p[j].lo, x[j]));
    for (int t = 0; t < r->k->m; t++)
        MRN_FIT_TRY(draw_sets(r, t, seed));
    r->now = -1;
    return MRN_OK;
}

static void take_set(mrn_calibrating_redraw *r, int set)
{
    for (int t = 0; t < r->k->m && set != r->now; t++)
        if (r->wander[t] != NULL)
            mrn_wander_take(r->wander[t], set_of(r, set, t));
    r->now = set;
}

/* ---- replicas ---- */

/* About what was measured. Of replicates the variance is drawn with them: Student's tails. */
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
    return d->y + sd * z;
}

static mrn_status draw(void *user, uint64_t seed, int replica, double *y, double *v, double *at,
                       mrn_message *msg)
{
    mrn_calibrating_redraw *r = user;
    mrn_rng rng = mrn_rng_seed(seed, STREAM + (uint64_t)replica);
    bool bad;
    take_set(r, replica / EACH);
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
    int64_t set = replica % r->sets;
    mrn_rng rng = mrn_rng_seed(seed, 1000 + (uint64_t)replica);
    for (int t = 0; t < r->k->m; t++) {
        double variance, y = measure(r, t, &rng, &variance);
        int64_t i = set * r->k->m + t;
        difference[t] = y - r->f[i] - r->sd[i] * mrn_rng_normal(&rng);
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

/* ---- making ---- */

void mrn_calibrating_redraw_release(mrn_calibrating_redraw *r)
{
    for (int t = 0; r->of != NULL && t < r->k->m; t++)
        mrn_drawn_release(&r->of[t]);
    for (int t = 0; r->wander != NULL && t < r->k->m; t++)
        mrn_wander_destroy(&r->wander[t]);
    mrn_free(r->of);
    mrn_free(r->wander);
    mrn_free(r->set);
    mrn_free(r->f);
    mrn_free(r->sd);
}

static mrn_status make_output(mrn_calibrating_redraw *r, int t)
{
    const mrn_process *g = &r->k->out->surrogate->of[t];
    double freedom = r->k->out->noise[t] > 0 ? r->k->out->freedom[t] : INFINITY;
    if (wanders(g)) {
        MRN_FIT_TRY(mrn_wander_create(g, freedom, &r->wander[t], r->k->msg));
        g = mrn_wander_process(r->wander[t]);
    }
    return mrn_drawn_make(g, &r->of[t], r->k->msg);
}

mrn_status mrn_calibrating_redraw_make(const mrn_calibrating *k, int replicas,
                                       mrn_calibrating_redraw *r)
{
    *r = (mrn_calibrating_redraw){
        .k = k,
        .sets = (replicas + EACH - 1) / EACH,
        .way = {.begin = begin,
                .draw = draw,
                .differ = differ,
                .model = {.n = k->n, .m = k->m, .predict = predict, .user = r},
                .user = r}};
    int64_t m = k->m, all = r->sets * m;
    MRN_FIT_TRY(mrn_array(&r->of, m, sizeof *r->of, k->msg));
    MRN_FIT_TRY(mrn_array(&r->wander, m, sizeof *r->wander, k->msg));
    MRN_FIT_TRY(mrn_array(&r->set, all * (k->n + 2), sizeof(double), k->msg));
    MRN_FIT_TRY(mrn_array(&r->f, all, sizeof(double), k->msg));
    MRN_FIT_TRY(mrn_array(&r->sd, all, sizeof(double), k->msg));
    for (int t = 0; t < k->m; t++)
        MRN_FIT_TRY(make_output(r, t));
    return MRN_OK;
}
