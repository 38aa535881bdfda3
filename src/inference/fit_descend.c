/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many local searches at once: Levenberg and Marquardt's method on the deviance, within the unit
   box. Profiles, regions, replicas of a bootstrap and starts of a search are dozens to hundreds of
   small problems with the same model; in every round the points all of them ask for go to the model
   in one call, which may use all threads.

   To the squares of slopes in the diagonal of the Hessian comes what the model bends along each
   parameter, where that is a hindrance: a parameter of which the model is stationary would else be
   sent across the box by every step, and the steps of all others be refused with its own. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "inference/fit.h"

enum { MOST_ROUNDS = 200 };

enum {
    WANT_VALUE, /* f at u is not known                     */
    WANT_SLOPE, /* derivatives at u are not known          */
    WANT_STEP,
    DONE
};

struct mrn_descent_inside {
    char *state;
    bool *fresh;               /* derivatives are differences at u, not updated ones */
    double *lambda, *expected; /* damping; gain the step in trial should bring       */
    double *slope, *bend;      /* capacity * m * n: first and second derivatives     */
    double *trial;             /* capacity * n                                       */
    double *point, *value;     /* of a call: capacity * 2 n points                   */
    bool *bad;
    double *score, *curvature, *sum; /* m, m, n_responses */
};

void mrn_descent_release(mrn_descent *d)
{
    struct mrn_descent_inside *w = d->inside;
    if (w != NULL) {
        void *all[] = {w->state, w->fresh, w->lambda, w->expected, w->slope,     w->bend, w->trial,
                       w->point, w->value, w->bad,    w->score,    w->curvature, w->sum};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            mrn_free(all[i]);
    }
    mrn_free(w);
    mrn_free(d->u);
    mrn_free(d->fixed);
    mrn_free(d->y);
    mrn_free(d->v);
    mrn_free(d->deviance);
    mrn_free(d->f);
    mrn_free(d->active);
    *d = (mrn_descent){0};
}

static mrn_status make_inside(mrn_fitting *p, int64_t c, struct mrn_descent_inside *w)
{
    int64_t n = p->n, m = p->m;
    mrn_message *msg = p->msg;
    MRN_FIT_TRY(mrn_array(&w->state, c, 1, msg));
    MRN_FIT_TRY(mrn_array(&w->fresh, c, sizeof(bool), msg));
    MRN_FIT_TRY(mrn_array(&w->lambda, c, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&w->expected, c, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&w->slope, c * m * n, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&w->bend, c * m * n, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&w->trial, c * n, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&w->point, c * 2 * n * n, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&w->value, c * 2 * n * m, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&w->bad, c * 2 * n, sizeof(bool), msg));
    MRN_FIT_TRY(mrn_array(&w->score, m, sizeof(double), msg));
    MRN_FIT_TRY(mrn_array(&w->curvature, m, sizeof(double), msg));
    return mrn_array(&w->sum, p->n_responses, sizeof(double), msg);
}

static mrn_status make_all(mrn_fitting *p, int capacity, mrn_descent *d)
{
    int64_t n = p->n, c = capacity;
    MRN_FIT_TRY(mrn_array(&d->inside, 1, sizeof *d->inside, p->msg));
    MRN_FIT_TRY(make_inside(p, c, d->inside));
    MRN_FIT_TRY(mrn_array(&d->u, c * n, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&d->fixed, c * n, sizeof(bool), p->msg));
    MRN_FIT_TRY(mrn_array(&d->y, c, sizeof(double *), p->msg));
    MRN_FIT_TRY(mrn_array(&d->v, c, sizeof(double *), p->msg));
    MRN_FIT_TRY(mrn_array(&d->deviance, c, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&d->f, c * p->m, sizeof(double), p->msg));
    MRN_FIT_TRY(mrn_array(&d->active, c, sizeof(bool), p->msg));
    return mrn_fitting_reserve(p, c * 2 * n);
}

mrn_status mrn_descent_make(mrn_fitting *p, int capacity, mrn_descent *out)
{
    *out = (mrn_descent){.capacity = capacity};
    mrn_status s = make_all(p, capacity, out);
    if (s != MRN_OK)
        mrn_descent_release(out);
    return s;
}

void mrn_descent_reset(const mrn_fitting *p, mrn_descent *d, int count)
{
    d->count = count;
    for (int k = 0; k < count; k++) {
        d->y[k] = p->y;
        d->v[k] = p->v;
        d->active[k] = true;
    }
    memset(d->fixed, 0, (size_t)count * (size_t)p->n * sizeof *d->fixed);
}

/* ---- values ---- */

static double deviance_of(mrn_fitting *p, mrn_descent *d, int k, const double *f, bool bad)
{
    return bad ? MRN_FIT_FAR : mrn_fitting_deviance(p, d->y[k], d->v[k], f, d->inside->sum);
}

static mrn_status get_values(mrn_fitting *p, mrn_descent *d)
{
    struct mrn_descent_inside *w = d->inside;
    int n = p->n, m = p->m;
    int64_t c = 0;
    for (int k = 0; k < d->count; k++)
        if (w->state[k] == WANT_VALUE)
            memcpy(&w->point[c++ * n], &d->u[(int64_t)k * n], (size_t)n * sizeof(double));
    MRN_FIT_TRY(mrn_fitting_predict(p, c, w->point, w->value, w->bad));
    c = 0;
    for (int k = 0; k < d->count; k++)
        if (w->state[k] == WANT_VALUE) {
            const double *f = &w->value[c * m];
            d->deviance[k] = deviance_of(p, d, k, f, w->bad[c]);
            memcpy(&d->f[(int64_t)k * m], f, (size_t)m * sizeof *f);
            w->state[k] = w->bad[c] ? DONE : WANT_SLOPE;
            c++;
        }
    return MRN_OK;
}

/* ---- derivatives ---- */

static double up(const mrn_fitting *p, const double *u, int j)
{
    return fmin(1, u[j] + p->step[j]);
}

static double down(const mrn_fitting *p, const double *u, int j)
{
    return fmax(0, u[j] - p->step[j]);
}

static int64_t ask_slope(const mrn_fitting *p, mrn_descent *d, int k, int64_t c)
{
    int n = p->n;
    const double *u = &d->u[(int64_t)k * n];
    for (int j = 0; j < n; j++) {
        if (d->fixed[(int64_t)k * n + j])
            continue;
        for (int side = 0; side < 2; side++) {
            double *to = &d->inside->point[c++ * n];
            memcpy(to, u, (size_t)n * sizeof *u);
            to[j] = side == 0 ? down(p, u, j) : up(p, u, j);
        }
    }
    return c;
}

/* Second derivatives along j, from the values on both sides; 0 where one is missing. */
static void take_bend(const mrn_fitting *p, mrn_descent *d, int k, int j, int64_t c)
{
    struct mrn_descent_inside *w = d->inside;
    int n = p->n, m = p->m;
    const double *u = &d->u[(int64_t)k * n], *f = &d->f[(int64_t)k * m];
    const double *a = &w->value[c * m], *b = &w->value[(c + 1) * m];
    double before = u[j] - down(p, u, j), after = up(p, u, j) - u[j];
    bool both = !w->bad[c] && !w->bad[c + 1] && before > 0 && after > 0;
    for (int i = 0; i < m; i++)
        w->bend[((int64_t)k * m + i) * n + j] =
            both ? 2 * ((b[i] - f[i]) / after - (f[i] - a[i]) / before) / (before + after) : 0;
}

/* A side without an answer is replaced by the point itself. */
static int64_t take_slope(const mrn_fitting *p, mrn_descent *d, int k, int64_t c)
{
    struct mrn_descent_inside *w = d->inside;
    int n = p->n, m = p->m;
    const double *u = &d->u[(int64_t)k * n], *f = &d->f[(int64_t)k * m];
    double *slope = &w->slope[(int64_t)k * m * n], *bend = &w->bend[(int64_t)k * m * n];
    for (int j = 0; j < n; j++) {
        if (d->fixed[(int64_t)k * n + j]) {
            for (int i = 0; i < m; i++)
                slope[(int64_t)i * n + j] = bend[(int64_t)i * n + j] = 0;
            continue;
        }
        take_bend(p, d, k, j, c);
        const double *a = w->bad[c] ? f : &w->value[c * m];
        const double *b = w->bad[c + 1] ? f : &w->value[(c + 1) * m];
        double h = (w->bad[c + 1] ? u[j] : up(p, u, j)) - (w->bad[c] ? u[j] : down(p, u, j));
        for (int i = 0; i < m; i++)
            slope[(int64_t)i * n + j] = h > 0 ? (b[i] - a[i]) / h : 0;
        c += 2;
    }
    return c;
}

static mrn_status get_slopes(mrn_fitting *p, mrn_descent *d)
{
    struct mrn_descent_inside *w = d->inside;
    int64_t c = 0;
    for (int k = 0; k < d->count; k++)
        if (w->state[k] == WANT_SLOPE)
            c = ask_slope(p, d, k, c);
    MRN_FIT_TRY(mrn_fitting_predict(p, c, w->point, w->value, w->bad));
    c = 0;
    for (int k = 0; k < d->count; k++)
        if (w->state[k] == WANT_SLOPE) {
            c = take_slope(p, d, k, c);
            w->fresh[k] = true;
            w->state[k] = WANT_STEP;
        }
    return MRN_OK;
}

/* ---- one step ---- */

typedef struct normal {
    int n, at[MRN_FIT_MOST];               /* coordinates that may move */
    double h[MRN_FIT_MOST * MRN_FIT_MOST]; /* n x n                     */
    double g[MRN_FIT_MOST];
} normal;

static void gradient_of(const mrn_fitting *p, const double *slope, const double *score, double *g)
{
    for (int j = 0; j < p->n; j++)
        g[j] = 0;
    for (int i = 0; i < p->m; i++)
        for (int j = 0; j < p->n; j++)
            g[j] -= score[i] * slope[(int64_t)i * p->n + j];
}

static void normal_equations(mrn_fitting *p, mrn_descent *d, int k, normal *e)
{
    struct mrn_descent_inside *w = d->inside;
    const double *u = &d->u[(int64_t)k * p->n], *slope = &w->slope[(int64_t)k * p->m * p->n];
    double g[MRN_FIT_MOST];
    mrn_fitting_score(p, d->y[k], d->v[k], &d->f[(int64_t)k * p->m], w->sum, w->score,
                      w->curvature);
    gradient_of(p, slope, w->score, g);
    e->n = 0;
    for (int j = 0; j < p->n; j++) {
        bool out = (u[j] <= 0 && g[j] > 0) || (u[j] >= 1 && g[j] < 0);
        if (!d->fixed[(int64_t)k * p->n + j] && !out) {
            e->g[e->n] = g[j];
            e->at[e->n++] = j;
        }
    }
    for (int a = 0; a < e->n; a++)
        for (int b = 0; b <= a; b++) {
            double s = 0;
            for (int i = 0; i < p->m; i++)
                s += w->curvature[i] * slope[(int64_t)i * p->n + e->at[a]] *
                     slope[(int64_t)i * p->n + e->at[b]];
            e->h[a * e->n + b] = e->h[b * e->n + a] = s;
        }
    for (int a = 0; a < e->n; a++) {
        double s = 0;
        for (int i = 0; i < p->m; i++)
            s -= w->score[i] * w->bend[((int64_t)k * p->m + i) * p->n + e->at[a]];
        e->h[a * e->n + a] += fmax(s, 0);
    }
}

/* (H + lambda diag H) s = -g by Cholesky. Where nothing depends on a coordinate it stays. */
static void solve_step(const normal *e, double lambda, double *s)
{
    int n = e->n;
    double l[MRN_FIT_MOST * MRN_FIT_MOST];
    for (int a = 0; a < n; a++) {
        for (int b = 0; b <= a; b++) {
            double t = e->h[a * n + b] + (a == b ? lambda * e->h[a * n + a] : 0);
            for (int c = 0; c < b; c++)
                t -= l[a * n + c] * l[b * n + c];
            if (a != b)
                l[a * n + b] = l[b * n + b] > 0 ? t / l[b * n + b] : 0;
            else
                l[a * n + a] = t > 1e-13 * e->h[a * n + a] ? sqrt(t) : 0;
        }
    }
    for (int a = 0; a < n; a++) {
        double t = -e->g[a];
        for (int b = 0; b < a; b++)
            t -= l[a * n + b] * s[b];
        s[a] = l[a * n + a] > 0 ? t / l[a * n + a] : 0;
    }
    for (int a = n; a-- > 0;) {
        double t = s[a];
        for (int b = a + 1; b < n; b++)
            t -= l[b * n + a] * s[b];
        s[a] = l[a * n + a] > 0 ? t / l[a * n + a] : 0;
    }
}

static double expected_gain(const normal *e, const double *s)
{
    double gain = 0;
    for (int a = 0; a < e->n; a++) {
        double t = 0;
        for (int b = 0; b < e->n; b++)
            t += e->h[a * e->n + b] * s[b];
        gain -= s[a] * (e->g[a] + 0.5 * t);
    }
    return gain;
}

/* Chooses the trial point of search k; false: there is nothing left to gain. */
static bool choose_step(mrn_fitting *p, mrn_descent *d, int k, double gain)
{
    struct mrn_descent_inside *w = d->inside;
    normal e;
    double s[MRN_FIT_MOST], moved = 0;
    const double *u = &d->u[(int64_t)k * p->n];
    double *t = &w->trial[(int64_t)k * p->n];
    normal_equations(p, d, k, &e);
    solve_step(&e, 0, s);
    if (e.n == 0 || expected_gain(&e, s) < gain)
        return false;
    solve_step(&e, w->lambda[k], s);
    memcpy(t, u, (size_t)p->n * sizeof *u);
    for (int a = 0; a < e.n; a++) {
        int j = e.at[a];
        t[j] = fmin(1, fmax(0, u[j] + s[a]));
        s[a] = t[j] - u[j];
        moved = fmax(moved, fabs(s[a]));
    }
    w->expected[k] = expected_gain(&e, s);
    return moved > 1e-15;
}

/* Slopes changed as little as possible to explain what the step did (Broyden). */
static void update_slope(const mrn_fitting *p, mrn_descent *d, int k, const double *f)
{
    struct mrn_descent_inside *w = d->inside;
    int n = p->n;
    const double *u = &d->u[(int64_t)k * n], *t = &w->trial[(int64_t)k * n];
    double s[MRN_FIT_MOST], norm = 0;
    for (int j = 0; j < n; j++) {
        s[j] = t[j] - u[j];
        norm += s[j] * s[j];
    }
    for (int i = 0; i < p->m && norm > 0; i++) {
        double *row = &w->slope[((int64_t)k * p->m + i) * n];
        double miss = f[i] - d->f[(int64_t)k * p->m + i];
        for (int j = 0; j < n; j++)
            miss -= row[j] * s[j];
        for (int j = 0; j < n; j++)
            row[j] += miss * s[j] / norm;
    }
}

static void accept(mrn_fitting *p, mrn_descent *d, int k, const double *f, double deviance)
{
    struct mrn_descent_inside *w = d->inside;
    bool good = d->deviance[k] - deviance > 0.25 * w->expected[k];
    update_slope(p, d, k, f);
    memcpy(&d->u[(int64_t)k * p->n], &w->trial[(int64_t)k * p->n], (size_t)p->n * sizeof(double));
    memcpy(&d->f[(int64_t)k * p->m], f, (size_t)p->m * sizeof *f);
    d->deviance[k] = deviance;
    w->fresh[k] = false;
    w->state[k] = good ? WANT_STEP : WANT_SLOPE;
    w->lambda[k] *= good ? 0.1 : 1;
    if (w->lambda[k] < 1e-9)
        w->lambda[k] = 0;
}

static void reject(mrn_descent *d, int k, double gain)
{
    struct mrn_descent_inside *w = d->inside;
    if (!w->fresh[k]) {
        w->state[k] = WANT_SLOPE;
        return;
    }
    w->lambda[k] = fmax(10 * w->lambda[k], 1e-3);
    /* below the noise of the model a step that should gain does not */
    if (w->lambda[k] > 1e9 || w->expected[k] < 10 * gain)
        w->state[k] = DONE;
}

static mrn_status take_steps(mrn_fitting *p, mrn_descent *d, double gain)
{
    struct mrn_descent_inside *w = d->inside;
    int n = p->n, m = p->m;
    int64_t c = 0;
    for (int k = 0; k < d->count; k++) {
        if (w->state[k] != WANT_STEP)
            continue;
        if (choose_step(p, d, k, gain))
            memcpy(&w->point[c++ * n], &w->trial[(int64_t)k * n], (size_t)n * sizeof(double));
        else
            w->state[k] = w->fresh[k] ? DONE : WANT_SLOPE;
    }
    MRN_FIT_TRY(mrn_fitting_predict(p, c, w->point, w->value, w->bad));
    c = 0;
    for (int k = 0; k < d->count; k++) {
        if (w->state[k] != WANT_STEP)
            continue;
        const double *f = &w->value[c * m];
        double deviance = deviance_of(p, d, k, f, w->bad[c]);
        if (deviance < d->deviance[k])
            accept(p, d, k, f, deviance);
        else
            reject(d, k, gain);
        c++;
    }
    return MRN_OK;
}

/* All warm searches begin at the optimum with its derivatives: those of the first are found, and
   copied. */
static mrn_status bend_of_all(mrn_fitting *p, mrn_descent *d, bool *fixed)
{
    struct mrn_descent_inside *w = d->inside;
    size_t size = (size_t)p->m * (size_t)p->n * sizeof *w->bend;
    memcpy(d->u, p->u, (size_t)p->n * sizeof *d->u);
    memcpy(d->f, p->f, (size_t)p->m * sizeof *d->f);
    memcpy(fixed, d->fixed, (size_t)p->n * sizeof *fixed);
    memset(d->fixed, 0, (size_t)p->n * sizeof *d->fixed);
    MRN_FIT_TRY(mrn_fitting_predict(p, ask_slope(p, d, 0, 0), w->point, w->value, w->bad));
    take_slope(p, d, 0, 0);
    memcpy(d->fixed, fixed, (size_t)p->n * sizeof *fixed);
    for (int k = 1; k < d->count; k++)
        memcpy((char *)w->bend + (size_t)k * size, w->bend, size);
    return MRN_OK;
}

static void begin(mrn_fitting *p, mrn_descent *d, bool warm)
{
    struct mrn_descent_inside *w = d->inside;
    for (int k = 0; k < d->count; k++) {
        w->lambda[k] = warm ? 0 : 1e-3;
        w->fresh[k] = false;
        w->state[k] = d->active[k] ? WANT_VALUE : DONE;
        if (!warm || !d->active[k])
            continue;
        memcpy(&d->u[(int64_t)k * p->n], p->u, (size_t)p->n * sizeof(double));
        memcpy(&d->f[(int64_t)k * p->m], p->f, (size_t)p->m * sizeof(double));
        memcpy(&w->slope[(int64_t)k * p->m * p->n], p->b,
               (size_t)p->m * (size_t)p->n * sizeof(double));
        d->deviance[k] = mrn_fitting_deviance(p, d->y[k], d->v[k], p->f, w->sum);
        w->fresh[k] = true;
        w->state[k] = WANT_STEP;
    }
}

mrn_status mrn_descend(mrn_fitting *p, mrn_descent *d, double gain, bool warm)
{
    bool fixed[MRN_FIT_MOST];
    gain = fmax(gain, p->noise); /* smaller gains are not seen */
    if (warm && d->count > 0)
        MRN_FIT_TRY(bend_of_all(p, d, fixed));
    begin(p, d, warm);
    MRN_FIT_TRY(get_values(p, d));
    for (int round = 0; round < MOST_ROUNDS; round++) {
        bool busy = false;
        for (int k = 0; k < d->count; k++)
            busy = busy || d->inside->state[k] != DONE;
        if (!busy)
            break;
        MRN_FIT_TRY(get_slopes(p, d));
        MRN_FIT_TRY(take_steps(p, d, gain));
    }
    return MRN_OK;
}
