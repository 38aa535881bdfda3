/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lengths, signal and noise of a Gaussian process by maximum restricted likelihood (Patterson &
   Thompson 1971; Rasmussen & Williams 2006, section 5.4.1), from several starts by gradients.

   With P = C⁻¹ - C⁻¹ 1 1ᵀ C⁻¹ / 1ᵀ C⁻¹ 1, which takes the mean out,
       -2 log likelihood = zᵀ P z + log |C| + log 1ᵀ C⁻¹ 1,
   and its derivative along dC is tr(P dC) - (P z)ᵀ dC (P z). Where the noise is not given, C is
   signal times (R + g 1), and the best signal is zᵀ P z / (N - 1) of that matrix: one unknown less.
   The restricted likelihood, unlike the full one, does not take two points for pure noise. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "inference/fit.h"
#include "inference/minimum.h"
#include "inference/surrogate.h"
#include "linalg/blas.h"
#include "linalg/sums.h"

/* Bounds of logarithms. Lengths below a hundredth of the range cannot be distinguished from noise
   with the points there can be; above a hundred ranges the function is flat to rounding. */
#define LENGTH_LO 0.01
#define LENGTH_HI 100.0
#define NOISE_LO  1e-12 /* over signal: no noise */
#define NOISE_HI  1e4
#define SIGNAL_LO 1e-8 /* over the spread of y² */
#define SIGNAL_HI 1e6
/* Priors: of log length normal about 0, this its deviation; of log noise over signal exponential,
   by which two or three points are taken as exact rather than as pure noise: of N points it moves
   the noise by 0.01 / N. */
#define PRIOR       2.0
#define PRIOR_NOISE 0.005
/* Added to the diagonal of R: above rounding of a factorisation of 2,000 points (N eps), below what
   anyone sees. More only where it fails. */
#define JITTER      1e-12
#define JITTER_MOST 1e-4
/* Of z, as the search sees it: the last digits, which depend on the unit of y, must not decide
   which of two hills it climbs. Well below the 1e-6 that the jitter blurs. */
#define GRAIN 0x1p-26

enum { UNKNOWNS = MRN_SURROGATE_INPUTS + 1, CLIMBS = 3, MOST_CLIMB = 60 };

double mrn_matern(double square)
{
    double a = sqrt(5 * square);
    return (1 + a + a * a / 3) * exp(-a);
}

/* ---- likelihood ---- */

typedef struct search {
    mrn_process *g;
    int unknowns;      /* n lengths, then noise over signal or signal           */
    double *z, *d;     /* count: as the search sees them                        */
    double *c, *slope; /* count²: C, then U with UᵀU = C, then C⁻¹; -dR/d(r²) 2 */
    double *a, *b;     /* P z; C⁻¹ 1                                            */
    double jitter;     /* used                                                  */
    double quad, hh;   /* zᵀ P z; 1ᵀ C⁻¹ 1                                      */
    double log_det;
    double best, best_at[UNKNOWNS]; /* least minus log likelihood found */
} search;

static void search_release(search *s)
{
    mrn_free(s->z);
    mrn_free(s->d);
    mrn_free(s->c);
    mrn_free(s->slope);
    mrn_free(s->a);
    mrn_free(s->b);
}

static mrn_status search_make(search *s, mrn_process *g, mrn_message *msg)
{
    int64_t count = g->count;
    *s = (search){.g = g, .unknowns = g->n + (g->kind != MRN_NOISE_NONE), .best = INFINITY};
    double **vector[] = {&s->z, &s->d, &s->a, &s->b};
    mrn_status status = MRN_OK;
    for (size_t i = 0; i < sizeof vector / sizeof vector[0] && status == MRN_OK; i++)
        status = mrn_array(vector[i], count, sizeof(double), msg);
    if (status == MRN_OK)
        status = mrn_array(&s->c, count * count, sizeof(double), msg);
    if (status == MRN_OK)
        status = mrn_array(&s->slope, count * count, sizeof(double), msg);
    for (int64_t i = 0; i < count && status == MRN_OK; i++) {
        s->z[i] = rint(g->z[i] / GRAIN) * GRAIN;
        s->d[i] = rint(g->d[i] / GRAIN) * GRAIN;
    }
    return status;
}

/* signal R without its diagonal, upper triangle by columns, and slope. */
static void correlate(search *s, const double *length, double signal)
{
    const mrn_process *g = s->g;
    int64_t count = g->count;
    int n = g->n;
    double inverse[UNKNOWNS];
    for (int k = 0; k < n; k++)
        inverse[k] = 1 / length[k];
    for (int64_t j = 0; j < count; j++)
        for (int64_t i = 0; i < j; i++) {
            const double *p = g->u + i * n, *q = g->u + j * n;
            double square = 0;
            for (int k = 0; k < n; k++) {
                double d = (p[k] - q[k]) * inverse[k];
                square += d * d;
            }
            double a = sqrt(5 * square), e = signal * exp(-a);
            s->c[j * count + i] = (1 + a + a * a / 3) * e;
            s->slope[j * count + i] = 5.0 / 3.0 * (1 + a) * e;
        }
}

/* C and its factor; with ever more jitter until there is one. */
static bool factor(search *s, const double *length, double signal, const double *d, double noise)
{
    int64_t count = s->g->count;
    int n = (int)count, info = 1;
    for (s->jitter = JITTER; info != 0 && s->jitter <= JITTER_MOST; s->jitter *= 10) {
        correlate(s, length, signal);
        for (int64_t i = 0; i < count; i++)
            s->c[i * count + i] = signal * (1 + s->jitter) + noise + (d != NULL ? d[i] : 0);
        dpotrf_("U", &n, s->c, &n, &info, 1);
    }
    s->jitter /= 10;
    s->log_det = 0;
    for (int64_t i = 0; i < count && info == 0; i++)
        s->log_det += 2 * log(s->c[i * count + i]);
    return info == 0 && isfinite(s->log_det);
}

/* x = U⁻ᵀ x, then x = U⁻¹ x. */
static void solve_down(const search *s, double *x)
{
    int64_t count = s->g->count;
    for (int64_t j = 0; j < count; j++) {
        const double *column = s->c + j * count;
        x[j] = (x[j] - mrn_dot_long(j, column, x)) / column[j];
    }
}
static void solve_up(const search *s, double *x)
{
    int64_t count = s->g->count;
    for (int64_t j = count - 1; j >= 0; j--) {
        const double *column = s->c + j * count;
        x[j] /= column[j];
        for (int64_t i = 0; i < j; i++)
            x[i] -= column[i] * x[j];
    }
}

/* a, b, the mean and the quadratic form. */
static double solve_mean(search *s, const double *z)
{
    int64_t count = s->g->count;
    double sum = 0;
    s->hh = 0;
    for (int64_t i = 0; i < count; i++)
        s->a[i] = z[i], s->b[i] = 1;
    solve_down(s, s->a);
    solve_down(s, s->b);
    double beta = mrn_dot_long(count, s->a, s->b);
    s->hh = mrn_dot_long(count, s->b, s->b);
    beta /= s->hh;
    for (int64_t i = 0; i < count; i++)
        s->a[i] -= beta * s->b[i], sum += s->a[i] * s->a[i];
    s->quad = sum;
    solve_up(s, s->a);
    solve_up(s, s->b);
    return beta;
}

/* Of an entry of the matrix: P less a aᵀ over the signal taken out. */
static double weight(const search *s, int64_t i, int64_t j, double signal)
{
    double inverse = s->c[j * s->g->count + i];
    return inverse - s->b[i] * s->b[j] / s->hh - s->a[i] * s->a[j] / signal;
}

/* Derivatives of minus log likelihood along log lengths; C holds its inverse. */
static void slope_lengths(const search *s, const double *length, double signal, double *slope)
{
    const mrn_process *g = s->g;
    int n = g->n;
    memset(slope, 0, (size_t)n * sizeof *slope);
    for (int64_t j = 0; j < g->count; j++)
        for (int64_t i = 0; i < j; i++) {
            const double *p = g->u + i * n, *q = g->u + j * n;
            double w = weight(s, i, j, signal) * s->slope[j * g->count + i];
            for (int k = 0; k < n; k++)
                slope[k] += w * (p[k] - q[k]) * (p[k] - q[k]);
        }
    for (int k = 0; k < n; k++)
        slope[k] /= length[k] * length[k];
}

/* Along the last unknown: log of noise over signal, or of the signal. */
static double slope_last(const search *s, double value, double signal)
{
    const mrn_process *g = s->g;
    double sum = 0;
    for (int64_t i = 0; i < g->count; i++) {
        double w = weight(s, i, i, signal);
        sum += g->kind == MRN_NOISE_GIVEN ? -w * s->d[i] : w * value;
    }
    if (g->kind == MRN_NOISE_GIVEN) /* dC = C - D, and P C P = P */
        sum += (double)(g->count - 1) - s->quad;
    return sum / 2;
}

/* Minus log likelihood (but for a constant) and, unless NULL, its slope. */
static double likelihood(search *s, const double *at, double *slope)
{
    const mrn_process *g = s->g;
    int n = g->n, order = (int)g->count, info = 0;
    double length[UNKNOWNS], prior = 0, last = exp(at[s->unknowns - 1]);
    for (int k = 0; k < n; k++) {
        length[k] = exp(at[k]);
        prior += at[k] * at[k] / (2 * PRIOR * PRIOR);
    }
    bool given = g->kind == MRN_NOISE_GIVEN, found = g->kind == MRN_NOISE_FOUND;
    prior += found ? PRIOR_NOISE * at[n] : 0;
    if (!factor(s, length, given ? last : 1, given ? s->d : NULL, found ? last : 0))
        return 1e300;
    solve_mean(s, s->z);
    double freedom = (double)(g->count - 1), signal = given ? 1 : s->quad / freedom;
    double fit = given ? s->quad : freedom * log(fmax(signal, DBL_MIN));
    if (slope != NULL) {
        dpotri_("U", &order, s->c, &order, &info, 1);
        slope_lengths(s, length, fmax(signal, DBL_MIN), slope);
        for (int k = 0; k < n; k++)
            slope[k] += at[k] / (PRIOR * PRIOR);
        if (s->unknowns > n)
            slope[n] = slope_last(s, last, fmax(signal, DBL_MIN)) + (found ? PRIOR_NOISE : 0);
    }
    return prior + (fit + s->log_det + log(s->hh)) / 2;
}

/* ---- search ---- */

static double objective(unsigned n, const double *at, double *slope, void *user)
{
    search *s = user;
    double f = likelihood(s, at, slope);
    if (f < s->best) {
        s->best = f;
        memcpy(s->best_at, at, n * sizeof *at);
    }
    return f;
}

static void bounds(const search *s, double *lo, double *hi)
{
    int n = s->g->n;
    for (int k = 0; k < n; k++)
        lo[k] = log(LENGTH_LO), hi[k] = log(LENGTH_HI);
    if (s->g->kind == MRN_NOISE_FOUND)
        lo[n] = log(NOISE_LO), hi[n] = log(NOISE_HI);
    else if (s->g->kind == MRN_NOISE_GIVEN)
        lo[n] = log(SIGNAL_LO), hi[n] = log(SIGNAL_HI);
}

static mrn_status climb(search *s, const double *from, mrn_message *msg)
{
    double lo[UNKNOWNS], hi[UNKNOWNS], at[UNKNOWNS], f;
    mrn_minimum m = {.method = MRN_MINIMISER_LBFGS,
                     .n = (unsigned)s->unknowns,
                     .value = objective,
                     .user = s,
                     .lo = lo,
                     .hi = hi,
                     .value_tolerance = 1e-6, /* of a log likelihood, of which 1 begins to matter */
                     .evaluations = MOST_CLIMB};
    bounds(s, lo, hi);
    memcpy(at, from, sizeof at);
    /* other failures are of its line search, at the bottom: the best is kept */
    mrn_status found = mrn_minimise(&m, at, &f, msg);
    return found < 0 ? found : MRN_OK;
}

/* Starts: all lengths equal, at three sizes; noise none, small, large. The best few are climbed. */
typedef struct start {
    double at[UNKNOWNS], f;
} start;

static int list_starts(search *s, start *list)
{
    static const double sizes[] = {0.7, 0.2, 2.5}, noises[] = {1e-6, 1e-2, 1},
                        signals[] = {1, 0.05, 10};
    int n = s->g->n, found = 0, lasts = s->unknowns > n ? 3 : 1;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < lasts; b++, found++) {
            for (int k = 0; k < n; k++)
                list[found].at[k] = log(sizes[a]);
            if (lasts > 1)
                list[found].at[n] = log(s->g->kind == MRN_NOISE_FOUND ? noises[b] : signals[b]);
            list[found].f = objective((unsigned)s->unknowns, list[found].at, NULL, s);
        }
    return found;
}

static mrn_status find(search *s, mrn_message *msg)
{
    start list[9];
    int found = list_starts(s, list);
    mrn_status status = MRN_OK;
    for (int c = 0; c < CLIMBS && status == MRN_OK; c++) {
        int best = 0;
        for (int i = 1; i < found; i++)
            if (list[i].f < list[best].f)
                best = i;
        status = climb(s, list[best].at, msg);
        list[best].f = INFINITY;
    }
    return status;
}

/* ---- what prediction needs ---- */

/* Leave-one-out of all points at once (Dubrule 1983): P z over the diagonal of P. */
static void leave_out(mrn_process *g, search *s)
{
    int n = (int)g->count, info = 0;
    dpotri_("U", &n, s->c, &n, &info, 1);
    double sum = 0, within = 0;
    for (int64_t i = 0; i < g->count; i++) {
        double inverse = s->c[i * g->count + i];
        double p = inverse - s->b[i] * s->b[i] / s->hh, miss = s->a[i] / p;
        sum += miss * miss;
        within += miss * miss * p <= 1.96 * 1.96;
    }
    g->miss = sqrt(sum / (double)g->count);
    g->within = within / (double)g->count;
}

static bool take_factor(mrn_process *g, search *s)
{
    if (!factor(s, g->length, g->signal, g->d, 0))
        return false;
    g->jitter = s->jitter;
    g->beta = solve_mean(s, g->z);
    g->hh = s->hh;
    for (int64_t i = 0; i < g->count; i++) {
        memcpy(g->row + i * (i + 1) / 2, s->c + i * g->count, (size_t)(i + 1) * sizeof(double));
        g->alpha[i] = s->a[i];
        g->h[i] = 1;
    }
    solve_down(s, g->h);
    return true;
}

static mrn_status prepare(mrn_process *g, search *s, mrn_message *msg)
{
    if (!take_factor(g, s))
        return mrn_fail(msg, MRN_ERR_INTERNAL, "covariances of %lld points have no factor",
                        (long long)g->count);
    leave_out(g, s);
    return MRN_OK;
}

/* From the unknowns to the process. */
static void adopt(mrn_process *g, search *s)
{
    int n = g->n;
    double last = exp(s->best_at[s->unknowns - 1]);
    likelihood(s, s->best_at, NULL);
    for (int k = 0; k < n; k++)
        g->length[k] = exp(s->best_at[k]);
    g->signal = g->kind == MRN_NOISE_GIVEN ? last : s->quad / (double)(g->count - 1);
    g->signal = fmax(g->signal, 1e-300);
    if (g->kind == MRN_NOISE_FOUND) {
        g->noise = last * g->signal;
        for (int64_t i = 0; i < g->count; i++)
            g->d[i] = g->noise;
        if (last < 2 * NOISE_LO)
            g->noise = 0;
    }
}

mrn_status mrn_process_likelihood(mrn_process *g, const double *at, double *f, double *slope,
                                  mrn_message *msg)
{
    search s = {0};
    mrn_status status = search_make(&s, g, msg);
    if (status == MRN_OK)
        *f = likelihood(&s, at, slope);
    search_release(&s);
    return status;
}

mrn_status mrn_process_fit(mrn_process *g, mrn_message *msg)
{
    search s = {0};
    mrn_status status = search_make(&s, g, msg);
    if (status == MRN_OK)
        status = find(&s, msg);
    if (status == MRN_OK) {
        adopt(g, &s);
        status = prepare(g, &s, msg);
    }
    search_release(&s);
    return status;
}

/* ---- other lengths and signals that the runs allow ---- */

enum { MOST_OUT = 4, MOST_IN = 40, FIRST_SWEEPS = 5 };
#define RATIO_MOST 100.0 /* of a noise's variance over that given, and the inverse */

struct mrn_wander {
    const mrn_process *from;
    mrn_process g;
    search s;
    double freedom;             /* behind the noise that was given; INFINITY: it stays  */
    int moves;                  /* unknowns, and where it does not stay log of the noise's */
    double at[UNKNOWNS + 1], f; /* variance over that given                                */
};

void mrn_wander_destroy(mrn_wander **w)
{
    if (*w == NULL)
        return;
    search_release(&(*w)->s);
    mrn_process_release(&(*w)->g);
    mrn_free(*w);
    *w = NULL;
}

static void copy_process(const mrn_process *from, mrn_process *to)
{
    mrn_process own = *to;
    size_t count = (size_t)from->count, n = (size_t)from->n;
    *to = *from;
    to->u = own.u, to->z = own.z, to->d = own.d, to->length = own.length;
    to->row = own.row, to->h = own.h, to->alpha = own.alpha;
    memcpy(to->u, from->u, count * n * sizeof(double));
    memcpy(to->z, from->z, count * sizeof(double));
    memcpy(to->d, from->d, count * sizeof(double));
    memcpy(to->length, from->length, n * sizeof(double));
    memcpy(to->row, from->row, count * (count + 1) / 2 * sizeof(double));
    memcpy(to->h, from->h, count * sizeof(double));
    memcpy(to->alpha, from->alpha, count * sizeof(double));
}

mrn_status mrn_wander_create(const mrn_process *g, double freedom, mrn_wander **out,
                             mrn_message *msg)
{
    mrn_status status = mrn_array(out, 1, sizeof **out, msg);
    if (status == MRN_OK)
        status = mrn_process_make(g->n, g->count, &(*out)->g, msg);
    if (status == MRN_OK) {
        copy_process(g, &(*out)->g);
        status = search_make(&(*out)->s, &(*out)->g, msg);
    }
    if (status != MRN_OK) {
        mrn_wander_destroy(out);
        return status;
    }
    mrn_wander *w = *out;
    w->from = g;
    w->freedom = freedom;
    w->moves = w->s.unknowns + (g->kind == MRN_NOISE_GIVEN && isfinite(freedom));
    for (int k = 0; k < g->n; k++)
        w->at[k] = log(g->length[k]);
    if (g->kind == MRN_NOISE_GIVEN)
        w->at[g->n] = log(g->signal);
    w->f = INFINITY;
    return MRN_OK;
}

const mrn_process *mrn_wander_process(const mrn_wander *w)
{
    return &w->g;
}

static void set_noise(mrn_wander *w, double log_ratio)
{
    double ratio = exp(log_ratio);
    for (int64_t i = 0; i < w->g.count; i++)
        w->s.d[i] = rint(ratio * w->from->d[i] / GRAIN) * GRAIN;
}

/* Minus log of how likely: where the noise moves, with that of the chi² it was given by. */
static double total(mrn_wander *w, const double *at)
{
    double c = at[w->s.unknowns];
    double given = w->moves > w->s.unknowns ? 0.5 * w->freedom * (c + exp(-c)) : 0;
    return likelihood(&w->s, at, NULL) + given;
}

static double moved(mrn_wander *w, int k, double to)
{
    double at[UNKNOWNS + 1];
    memcpy(at, w->at, sizeof at);
    at[k] = to;
    if (k == w->s.unknowns)
        set_noise(w, to);
    return total(w, at);
}

/* Neal's slice (Annals of Statistics 31, 2003): a level below what is there, the stretch about it
   that lies above, a point of that. */
static void slice(mrn_wander *w, int k, double lo, double hi, mrn_rng *rng)
{
    double level = w->f - log(1 - mrn_rng_uniform(rng));
    double a = w->at[k] - mrn_rng_uniform(rng), b = a + 1;
    for (int i = 0; i < MOST_OUT && a > lo && moved(w, k, a) <= level; i++)
        a -= 1;
    for (int i = 0; i < MOST_OUT && b < hi && moved(w, k, b) <= level; i++)
        b += 1;
    a = fmax(a, lo);
    b = fmin(b, hi);
    for (int i = 0; i < MOST_IN; i++) {
        double x = a + (b - a) * mrn_rng_uniform(rng), f = moved(w, k, x);
        if (f <= level) {
            w->at[k] = x;
            w->f = f;
            return;
        }
        *(x < w->at[k] ? &a : &b) = x;
    }
}

void mrn_wander_step(mrn_wander *w, mrn_rng *rng, double *to)
{
    double lo[UNKNOWNS + 1], hi[UNKNOWNS + 1];
    int n = w->g.n, last = w->s.unknowns, sweeps = isinf(w->f) ? FIRST_SWEEPS : 1;
    mrn_blas_threads hold = mrn_blas_begin();
    bounds(&w->s, lo, hi);
    lo[last] = -log(RATIO_MOST), hi[last] = log(RATIO_MOST);
    w->f = total(w, w->at);
    for (int i = 0; i < sweeps; i++)
        for (int k = 0; k < w->moves; k++) {
            slice(w, k, lo[k], hi[k], rng);
            set_noise(w, w->moves > last ? w->at[last] : 0);
        }
    for (int k = 0; k <= n; k++)
        to[k] = exp(w->at[k]);
    to[n + 1] = w->moves > last ? exp(w->at[last]) : 1;
    if (w->g.kind == MRN_NOISE_NONE) {
        likelihood(&w->s, w->at, NULL);
        to[n] = fmax(w->s.quad / mrn_rng_chi2(rng, (double)(w->g.count - 1)), 1e-300);
    }
    mrn_blas_end(hold);
}

void mrn_wander_take(mrn_wander *w, const double *at)
{
    mrn_process *g = &w->g;
    mrn_blas_threads hold = mrn_blas_begin();
    memcpy(g->length, at, (size_t)g->n * sizeof *at);
    g->signal = at[g->n];
    for (int64_t i = 0; i < g->count; i++)
        g->d[i] = at[g->n + 1] * w->from->d[i];
    take_factor(g, &w->s); /* it has one: the likelihood was found with it */
    mrn_blas_end(hold);
}
