/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the estimation: the problem in scaled coordinates, local searches by the batch, what
   the linearised model says, and the distributions it is judged by.

   Coordinates. u in [0, 1]^n; x = lo + u (hi - lo), or lo (hi / lo)^u where a parameter is `log`.

   Deviance, what is minimised: D = -2 log L but for constants. With r = y - f(x):
   - known variance v:   r² / v
   - mean of nu + 1 replicates, v estimated from them:   a log(1 + r² / (nu v)),
                         a = nu - 1 + 0.4 / nu²
   - variance common to the m_k data of response k, not known:   m_k log(RSS_k / m_k)

   Of replicates. (nu + 1) log(1 + r²/(nu v)) is Student's likelihood of one mean, and also what the
   likelihood of all replicates leaves when each variance is replaced by its best value. So there is
   one nuisance parameter for every datum, their number grows with the data, and the usual theory
   of likelihoods does not hold (Neyman & Scott, Econometrica 16, 1948): with E[1/chi²_{nu+1}] =
   1/(nu - 1) the variance of the score is (nu + 1)/(nu - 1) times its mean slope (both are found
   from Basu's theorem: nu v + r² is independent of r²/(nu v + r²)). Intervals made from Student's
   likelihood as it stands cover 78 % instead of 95 % with three replicates, those that take v as
   known 50 to 70 %. Multiplied with (nu - 1)/(nu + 1) mean slope and variance agree again, and
   thresholds are those of chi² for many data. 0.4 / nu² is for few: found by simulation with 7 to
   60 data, it matters for two and three replicates only (the score of two has no variance at all).
   For nu to infinity it is r²/v. */
#ifndef MRN_INFERENCE_FIT_H
#define MRN_INFERENCE_FIT_H

#include "moraine/lab.h"

enum { MRN_FIT_MOST = 32 }; /* parameters */
#define MRN_FIT_FAR 1e30    /* deviance where the model has no answer */
#define MRN_FIT_TRY(call)                                                                          \
    do {                                                                                           \
        mrn_status status_ = (call);                                                               \
        if (status_ != MRN_OK)                                                                     \
            return status_;                                                                        \
    } while (0)

/* Where the model itself is known only so well (a surrogate): how the bootstrap draws another one
   with every replica. */
typedef struct mrn_redraw {
    /* Before all others: the optimum. */
    mrn_status (*begin)(void *user, uint64_t seed, const double *x);
    /* Replica k: another model, which `model` is from then on, and the data y with variances v to
       fit it to. at: m, that model at the optimum. */
    mrn_status (*draw)(void *user, uint64_t seed, int k, double *y, double *v, double *at,
                       mrn_message *msg);
    /* The same for many more that are only linearised: y less the model at the optimum. */
    void (*differ)(void *user, uint64_t seed, int k, double *difference);
    mrn_predictor model;
    void *user;
} mrn_redraw;

typedef struct mrn_fitting {
    const mrn_predictor *model;
    const mrn_redraw *redraw; /* NULL: the model is known */
    const mrn_parameter *parameter;
    const mrn_datum *data;
    const mrn_fit_options *opt;
    mrn_message *msg;
    int n, m, n_responses;

    /* data */
    double *y, *v;     /* m; v of COMMON is not read                                   */
    double *a;         /* m: factor of replicates; 0: known; < 0: common               */
    int *count;        /* n_responses: data with a common variance                     */
    double *least;     /* n_responses: smallest sum of squares distinguished from zero          */
    int common;        /* responses with a common variance                             */
    bool any_students; /* data with replicates are there                               */

    /* calls of the model */
    double *x; /* room for one batch */
    int64_t room;
    int64_t evaluations;
    const char *phase;
    double done, shown; /* share of the phase; time of the last report */
    bool interrupted;

    /* the optimum */
    double u[MRN_FIT_MOST];
    double deviance;
    double *f;    /* m: the model there */
    bool stopped; /* evaluations ran out, or the optimum still fell */
    int found;
    int64_t global_evaluations;

    /* around it */
    double *b;                 /* m * n: d f / d u                                         */
    double step[MRN_FIT_MOST]; /* of differences                                            */
    double *weight;            /* m: information of a datum about its mean                  */
    double *variance;          /* m: best guess of the variance of a datum                  */
    double *used;              /* n_responses: degrees of freedom the parameters took       */
    double *square;            /* n_responses: common variances                             */
    double cov[MRN_FIT_MOST * MRN_FIT_MOST]; /* of u; INFINITY: nothing known           */
    bool nil[MRN_FIT_MOST];                  /* no datum moves                          */
    double *share; /* n * n_responses: of what is known of u_j, from data of response k with a
                      common variance                                                      */
    double freedom[MRN_FIT_MOST];        /* of the linearised interval                     */
    double common_freedom[MRN_FIT_MOST]; /* of it, common variances alone             */
    double noise;                        /* of the deviance, from that of the model */
    int n_loose;                         /* directions the data say nothing about            */
    double loose[MRN_FIT_MOST * MRN_FIT_MOST]; /* them, unit vectors, scaled by sensitivity  */

    /* a better optimum met on the way */
    bool better;
    double better_u[MRN_FIT_MOST], better_deviance;
} mrn_fitting;

/* mrn_fit_model with a bootstrap of models; redraw may be NULL. (fit.c) */
mrn_status mrn_fit_redrawn(const mrn_predictor *model, const mrn_parameter *parameter,
                           const mrn_datum *data, int n_responses, const mrn_fit_options *opt,
                           const mrn_redraw *redraw, mrn_fit *out, mrn_message *msg);

/* ---- fit_problem.c ---- */
mrn_status mrn_fitting_make(const mrn_predictor *model, const mrn_parameter *parameter,
                            const mrn_datum *data, int n_responses, const mrn_fit_options *opt,
                            mrn_fitting *out, mrn_message *msg);
void mrn_fitting_release(mrn_fitting *p);
double mrn_fitting_x(const mrn_fitting *p, int j, double u);
double mrn_fitting_u(const mrn_fitting *p, int j, double x);
/* dx/du, of log10 x where the parameter is `log`: the coordinate intervals are made in. */
double mrn_fitting_range(const mrn_fitting *p, int j);
void mrn_fitting_phase(mrn_fitting *p, const char *name);
/* Name of a response, for the words. */
typedef struct mrn_response_name {
    char s[80];
} mrn_response_name;
mrn_response_name mrn_fitting_response(const mrn_fitting *p, int response);
/* "datum 3 (30 deg, et)" */
typedef struct mrn_datum_name {
    char s[160];
} mrn_datum_name;
mrn_datum_name mrn_fitting_datum(const mrn_fitting *p, int i);
/* count points u, outputs y; bad where there are none or some are not finite. MRN_INTERRUPTED. */
mrn_status mrn_fitting_predict(mrn_fitting *p, int64_t count, const double *u, double *y,
                               bool *bad);
/* Room for batches of so many points. */
mrn_status mrn_fitting_reserve(mrn_fitting *p, int64_t count);
/* Deviance of the data (y, v) for outputs f; sum: room for n_responses. */
double mrn_fitting_deviance(const mrn_fitting *p, const double *y, const double *v, const double *f,
                            double *sum);
/* Its derivative by -f (score: d D / d r) and the weights of Gauss and Newton (d² D / d r², those
   that are never negative). */
void mrn_fitting_score(const mrn_fitting *p, const double *y, const double *v, const double *f,
                       double *sum, double *score, double *curvature);
/* F, the published sum: with v as if known, common variances from the residuals. */
double mrn_fitting_objective(const mrn_fitting *p, const double *f);
/* -2 log L with all constants. */
double mrn_fitting_likelihood(const mrn_fitting *p, const double *f);
/* Remembers a point better than the optimum, if it is by more than rounding. */
void mrn_fitting_meet(mrn_fitting *p, const double *u, double deviance);

/* ---- fit_descend.c: many local searches at once ---- */
/* Levenberg and Marquardt's on the deviance, within bounds; derivatives by central differences, in
   between by Broyden's update; every round is one call of the model for all of them. */
typedef struct mrn_descent {
    int capacity, count;
    double *u;   /* capacity * n: start, then end                                        */
    bool *fixed; /* capacity * n                                                         */
    const double **y, **v; /* capacity: their data                                             */
    double *deviance;      /* capacity: at the end                                             */
    double *f;    /* capacity * m: the model there                                        */
    bool *active; /* capacity: those to be done in a call                                 */
    struct mrn_descent_inside *inside;
} mrn_descent;
mrn_status mrn_descent_make(mrn_fitting *p, int capacity, mrn_descent *out);
void mrn_descent_release(mrn_descent *d);
/* All data those of the problem, nothing fixed, all active. */
void mrn_descent_reset(const mrn_fitting *p, mrn_descent *d, int count);
/* Until a step would gain less than `gain`. warm: all start at the optimum, whose f and derivatives
   are known. */
mrn_status mrn_descend(mrn_fitting *p, mrn_descent *d, double gain, bool warm);

/* ---- fit_search.c ---- */
mrn_status mrn_fitting_search(mrn_fitting *p);
/* From p->u, without a global search. */
mrn_status mrn_fitting_refine(mrn_fitting *p);

/* ---- fit_linear.c ---- */
mrn_status mrn_fitting_linearise(mrn_fitting *p);
/* The data say nothing about u_j, or only about a combination with others. */
bool mrn_fitting_loose(const mrn_fitting *p, int j);
/* Half width of the linearised interval of u_j. */
double mrn_fitting_half(const mrn_fitting *p, int j);
/* Rise of the deviance at the end of the interval of u_j, or (k >= 0) of the region of u_j, u_k. */
double mrn_fitting_rise(const mrn_fitting *p, int j, int k);
/* How likely so large a rise is by chance, for one parameter. */
double mrn_fitting_rise_p(const mrn_fitting *p, int j, double rise);

/* ---- profile.c, bootstrap.c, fit_nested.c, fit_verdict.c: fill their part of *out ---- */
mrn_status mrn_fitting_profile(mrn_fitting *p, mrn_fit *out);
mrn_status mrn_fitting_regions(mrn_fitting *p, mrn_fit *out);
mrn_status mrn_fitting_bootstrap(mrn_fitting *p, mrn_fit *out);
mrn_status mrn_fitting_nested(mrn_fitting *p, mrn_fit *out);
/* The value at which a parameter is not there: 0 where its bounds allow it, else NAN. A lower bound
   of a search means nothing: friction sought from 0.1 on is not absent at 0.1. */
double mrn_fitting_null(const mrn_fitting *p, int j);
mrn_status mrn_fitting_verdicts(mrn_fitting *p, mrn_fit *out);
void mrn_fitting_advice(const mrn_fitting *p, mrn_fit *out);
void mrn_fitting_assumed(const mrn_fitting *p, mrn_fit *out);
/* fit_tests.c */
mrn_status mrn_fitting_tests(mrn_fitting *p, mrn_fit *out);

/* ---- stats.c ---- */
/* Quantiles by bisection on GSL's distributions: GSL's own end the program where they fail.
   df may be INFINITY. */
double mrn_student_quantile(double p, double df);
double mrn_student_two_sided(double t, double df); /* P(|T| > t) */
double mrn_chi2_quantile(double p, double df);
double mrn_chi2_above(double x, double df);
double mrn_fisher_quantile(double p, double df1, double df2);
/* Shapiro & Wilk's W and its p (Royston 1995), n >= 4; x is sorted. NAN: all equal. */
double mrn_shapiro_wilk(double *x, int n, double *p);
/* chi² with df degrees of freedom; any df > 0. */
double mrn_rng_chi2(mrn_rng *r, double df);

#endif
