/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lab: single collisions of two grains under any contact law, experiments beside them, and what
   of a law's parameters the experiments tell.

   1. Collisions: one ball hits a plane or another ball; what it does afterwards, to an accuracy
   that is asked for.
   2. Estimation: parameters of any model from measurements, by maximum likelihood, with what is
      known about their uncertainty. It knows nothing of grains: a model is a function.
   3. Sensitivity: which parameter moves which response, one at a time and together.
   4. Surrogates: a cheap stand-in for a model that takes minutes.
   5. Experiments: what a file of the lab says; collisions as a model of it.
   6. Virtual tests: scenes as a model.
   7. Reports: a page that stands alone. */
#ifndef MORAINE_LAB_H
#define MORAINE_LAB_H

#include "moraine/law.h"
#include "moraine/plot.h"
#include "moraine/scene.h"

/* ---- 1. collisions (lab/collision*.c) ---- */

/* Ball C comes down on A. z is the normal when they touch, from A to C; C comes along x: its
   velocity relative to A is speed (sin angle, 0, -cos angle). Both may spin. A plane has radius
   INFINITY and does not move. Arms of forces are those of the engines (detect/kinematics.h): the
   radius less the overlap on a plane, the radius less its share of the overlap between spheres. */
typedef struct mrn_collision {
    double radius[2]; /* of C and of A, m                                             */
    double young[2], poisson[2], density[2]; /* of C and of A; NAN where not known      */
    mrn_law_model model;
    mrn_value value[MRN_PARAM_MAX]; /* in the order of mrn_law_model_params             */
    double speed;                   /* m/s, relative, of the centres                    */
    double angle;                   /* rad, from the normal; [0, pi/2)                  */
    double spin[2][3];              /* rad/s, before                                    */
} mrn_collision;

/* After it. In the frame of A before the impact; velocities are those of C relative to A, normal
   and tangential those along z and x; "contact" is the point of C that touches A. A ball that rolls
   along x spins about y, omega > 0; what comes back along -x has et and angles below 0. */
typedef struct mrn_rebound {
    double en;         /* - normal velocity after / before                                  */
    double et;         /* tangential velocity (x) of the centre after / before; NAN: none before */
    double omega;      /* spin of C about y after, rad/s: what experiments report            */
    double spin[2][3]; /* all of it, rad/s                                                  */
    double velocity[2][3]; /* of the centres after, m/s                                     */
    double rebound_angle;  /* of the centre, rad, from the normal                           */
    double rebound_angle_contact; /* of the contact point, rad                              */
    double psi1, psi2;   /* tangential velocity of the contact point before and after, over the
                            normal one before (Maw, Barber & Fawcett; Foerster): sliding psi2 < psi1
                          */
    double contact_time; /* s, from touch until no force acts any more; 0 of rigid spheres   */
    double max_force;    /* N, largest normal force; INFINITY of rigid spheres              */
    double max_overlap;  /* m                                                               */
    double energy_lost;  /* share of the kinetic energy of relative motion, spin included   */
    bool stuck;          /* they did not part (adhesion): what is above is when it was given up */
    double error;        /* estimated, largest of en, et, omega R/speed, contact_time: relative */
    int64_t steps;       /* of the finest integration                                       */
} mrn_rebound;

/* One instant of a collision. */
typedef struct mrn_collision_row {
    double time, overlap, rate;  /* s, m, m/s                           */
    double fn, ft[2];            /* N: normal; along x and y            */
    double velocity[3], spin[3]; /* of C relative to A; of C            */
    double slip[2];              /* of the contact point, m/s           */
    double stored, lost;         /* J: in the contact; so far           */
} mrn_collision_row;

/* Checks sizes, speeds, materials against what the law needs, parameters against their bounds. */
MRN_API mrn_status mrn_collision_check(const mrn_collision *c, mrn_message *msg);
/* Many at once, on all threads, in blocks of contacts as the engines have them: the same laws, the
   same code. What is told is the limit of small steps to `accuracy` (relative, 1e-12 to 1e-2; 1e-8
   suits tables, 1e-6 fits); `error` of a rebound is an estimate of what is left, which may be two
   or three times that in the worst of some hundred. Collisions in a plane (spins about y only)
   without moments of rolling and with one tangential spring (laws linear-friction, mindlin, zheng,
   micro-slip-simple) are integrated with steps of their own length; all others with steps as the
   smooth engine makes them, halved until two results, extrapolated, agree: that takes a hundred
   times as long and hardly goes beyond 1e-6. Law `rigid` is the hard-sphere jump, exact. status[i]
   (may be NULL): MRN_OK, MRN_NOT_CONVERGED (accuracy not reached: the best, with its error),
   MRN_ERR_INPUT. The answer does not depend on the others of the batch nor on the number of
   threads; neighbours with the same law, materials and parameters are the quickest. Returns the
   worst. */
MRN_API mrn_status mrn_collide(const mrn_collision *c, int64_t n, double accuracy, mrn_rebound *out,
                               mrn_status *status, mrn_message *msg);
/* One, with its history: about `rows` of them, evenly in time (*history: mrn_free). */
MRN_API mrn_status mrn_collide_history(const mrn_collision *c, double accuracy, int rows,
                                       mrn_rebound *out, mrn_collision_row **history, int *n,
                                       mrn_message *msg);

/* A number of a collision that can be set by name: `speed`, `angle`, `spin` (of C about y),
   `diameter`, `target-diameter`, `young`, `poisson`, `density` (of the ball), `target-young`, …,
   and every number among the law's parameters by its own name. */
typedef struct mrn_factor {
    int kind, index;
    char name[64], unit[24]; /* the unit: SI, as set and got */
    double lo, hi;           /* bounds of its meaning        */
} mrn_factor;
/* MRN_ERR_INPUT with the nearest name. */
MRN_API mrn_status mrn_factor_find(const mrn_collision *c, const char *name, mrn_factor *out,
                                   mrn_message *msg);
/* All there are; fills at most `max`, returns the count. */
MRN_API int mrn_factor_list(const mrn_collision *c, mrn_factor *out, int max);
MRN_API double mrn_factor_get(const mrn_collision *c, const mrn_factor *f);
MRN_API void mrn_factor_set(mrn_collision *c, const mrn_factor *f, double value);

/* A response: a number of a rebound by its name (`en`, `et`, `omega`, `rebound_angle`,
   `rebound_angle_contact`, `psi1`, `psi2`, `contact_time`, `max_force`, `max_overlap`,
   `energy_lost`). */
typedef struct mrn_rebound_field {
    const char *name, *unit, *doc, *symbol;
    size_t offset;
} mrn_rebound_field;
MRN_API int mrn_rebound_field_count(void);
MRN_API const mrn_rebound_field *mrn_rebound_field_at(int i);
MRN_API const mrn_rebound_field *mrn_rebound_field_find(const char *name); /* NULL: none */
MRN_API double mrn_rebound_value(const mrn_rebound *r, const mrn_rebound_field *f);

/* ---- 2. estimation (lab/fit*.c, lab/stats.c) ---- */

/* A model with n parameters and m outputs. `predict` fills y[count * m] for x[count * n]; it may
   use threads. bad[k] (of count) is set where a set of parameters has no answer: it is then as far
   off as can be. */
typedef struct mrn_predictor {
    int n, m;
    mrn_status (*predict)(void *user, int64_t count, const double *x, double *y, bool *bad,
                          mrn_message *msg);
    void *user;
} mrn_predictor;

typedef struct mrn_parameter {
    char name[64], unit[24];
    double lo, hi; /* bounds                                          */
    double start;  /* where the local search may begin; NAN: anywhere */
    bool log;      /* searched, and its intervals made, in log10      */
} mrn_parameter;

/* Where the variance of a measurement comes from. */
typedef enum mrn_spread {
    MRN_SPREAD_GIVEN,      /* known                                                         */
    MRN_SPREAD_REPLICATES, /* estimated from `freedom` + 1 replicates of the mean measured  */
    MRN_SPREAD_COMMON,     /* the same for all of a response, not known: from the residuals */
} mrn_spread;

typedef struct mrn_datum {
    double y, variance; /* of y: of the mean, where it is one                    */
    int freedom;        /* degrees of freedom of the variance; 0: known exactly  */
    int response;       /* which response it is one of                           */
    mrn_spread spread;
    char label[48]; /* "30 deg"                                              */
} mrn_datum;

typedef struct mrn_fit_options {
    double confidence; /* 0.95                                                          */
    int population;    /* of the global search; 0: 10 (n + 1), at least 30              */
    int doublings;     /* of it, at most, until the optimum stops falling: 4            */
    int64_t max_evaluations;
    double tolerance; /* of the parameters, relative, at the end: 1e-8                 */
    bool profile;     /* profile likelihood                                            */
    int bootstrap;    /* replicas; 0: none                                             */
    bool regions;     /* confidence regions of pairs of parameters                     */
    bool nested;      /* compare with models that have a parameter less                */
    uint64_t seed;
    /* Called now and then; returning true ends it (MRN_INTERRUPTED). May be NULL. */
    bool (*progress)(void *user, const char *phase, double done, double objective);
    void *user;
} mrn_fit_options;
MRN_API mrn_fit_options mrn_fit_default(void);

typedef enum mrn_identifiable {
    MRN_IDENTIFIED,
    MRN_AT_BOUND,        /* the optimum is at a bound of its range                          */
    MRN_NOT_SIGNIFICANT, /* its interval holds zero (or the bound that means: not there)   */
    MRN_NOT_IDENTIFIED,  /* nothing, or next to nothing, depends on it                      */
    MRN_TIED,            /* only a combination with others is known                         */
} mrn_identifiable;

typedef struct mrn_estimate {
    double value, sd; /* optimum; linearised standard deviation (in log10 if log)  */
    double linear[2], profile[2], bootstrap[2]; /* intervals; NAN: not made; +-INFINITY: open    */
    bool disagree; /* the three differ by more than a third of their width      */
    mrn_identifiable verdict;
    int tied_to;     /* MRN_TIED: with which parameter                            */
    char words[400]; /* the verdict, and what to do about it                      */
} mrn_estimate;

/* A statistical test: its statistic, how likely so large a one is by chance, and the words. */
typedef struct mrn_test {
    const char *name;
    double statistic, p;
    bool passed; /* p above 1 - confidence, or too few data to tell (then p is NAN) */
    char words[200];
} mrn_test;

typedef struct mrn_nested {
    int without; /* which parameter was fixed, and at what          */
    double at;
    double objective, ratio, p; /* of the smaller model; likelihood ratio; its p */
    double aic, bic;            /* of the smaller model less those of the larger   */
    bool enough;                /* the smaller model does                          */
} mrn_nested;

typedef struct mrn_fit_region {
    int a, b; /* parameters                                                    */
    int n;
    double *x, *y;               /* closed curve of constant likelihood at the confidence         */
    double *linear_x, *linear_y; /* the ellipse of the linearised one, as many points  */
} mrn_fit_region;

typedef struct mrn_fit {
    int n, m, n_responses;
    double objective;    /* F = sum (y - model)^2 / variance at the optimum             */
    double deviance;     /* -2 log of the likelihood there                              */
    double chi2[2];      /* interval of F at the confidence, m - n degrees of freedom;
                            variances from replicates make it wider, it is drawn then   */
    bool fits;           /* F within it (or below)                                      */
    mrn_estimate *at;    /* n                                                           */
    double *x;           /* n: the optimum                                              */
    double *y;           /* m: the model there                                          */
    double *residual;    /* m: measured less model                                      */
    double *variance;    /* m: of the data, as used: common ones from the residuals     */
    double *sensitivity; /* m * n: d y / d x                                            */
    double *covariance, *correlation; /* n * n; of log10 x where a parameter is `log`     */
    double *deviation; /* n_responses: mean of |y - model| / half the 95 % interval   */
    double *deviation_max;
    mrn_test test[8];
    int n_tests;
    mrn_nested *nested;
    int n_nested;
    mrn_fit_region *region;
    int n_regions;
    double *bootstrap; /* n_bootstrap * n                                             */
    int n_bootstrap;
    double aic, bic;
    double gain; /* of repeating the one measurement that tells most: factor on the
                    widest interval (relative to its parameter), and which it is    */
    int best;    /* datum; -1: none                                             */
    char advice[400];
    int64_t evaluations, global_evaluations;
    double seconds;
    int found;         /* starts of the local search that ended at this optimum       */
    char assumed[600]; /* what was assumed about errors, in words                     */
} mrn_fit;
/* MRN_OK also where a parameter is not identified (its verdict says so); MRN_NOT_CONVERGED: the
   optimum still fell when evaluations ran out; MRN_ERR_INPUT: fewer data than parameters, a
   variance that is not positive, bounds crossed, NAN, … with the datum or parameter in the message.
 */
MRN_API mrn_status mrn_fit_model(const mrn_predictor *model, const mrn_parameter *parameter,
                                 const mrn_datum *data, int n_responses, const mrn_fit_options *opt,
                                 mrn_fit *out, mrn_message *msg);
MRN_API void mrn_fit_release(mrn_fit *f);
MRN_API const char *mrn_identifiable_name(mrn_identifiable v);

/* Mean, variance of the mean and degrees of freedom of replicates. MRN_ERR_INPUT: less than two,
   all equal, NAN. */
MRN_API mrn_status mrn_replicates(const double *y, int n, double *mean, double *variance,
                                  int *freedom, mrn_message *msg);
/* Half width of the interval at `confidence` for a measurement: Student's with its freedom. */
MRN_API double mrn_datum_half_width(const mrn_datum *d, double confidence);

/* ---- 3. sensitivity (lab/sensitivity*.c) ---- */

/* Ranges are lo to hi of each parameter, along log10 where it says so. MRN_ERR_INPUT: bounds
   crossed or equal, a log scale from zero, no answer anywhere; what else `predict` returns (errors,
   MRN_INTERRUPTED) ends it. Evaluations are asked for in a few large calls. */

/* One at a time: each parameter over its range in `steps` values, the others at `base`.
   y[(k * steps + i) * m …]: k-th parameter, its i-th value x[k * steps + i]; the first and the last
   are the bounds themselves. */
typedef struct mrn_sweeps {
    int n, m, steps;
    double *x, *y;
    bool *bad;
    double *range; /* n * m: largest less smallest of each response; NAN: no answer */
} mrn_sweeps;
MRN_API mrn_status mrn_sensitivity_sweep(const mrn_predictor *model, const mrn_parameter *p,
                                         const double *base, int steps, mrn_sweeps *out,
                                         mrn_message *msg);
MRN_API void mrn_sweeps_release(mrn_sweeps *s);

/* Over the whole box at once. Sobol's indices: shares of the variance of a response that a
   parameter makes alone (first) and with all others (total), by Saltelli's scheme with Jansen's
   estimators from quasi-random points; standard errors by resampling. Morris' elementary effects
   (mean of the absolute ones, and spread) come from far fewer evaluations and only rank.

   Sobol's take points * (n + 2) evaluations; powers of two fill the box best. A point with an
   evaluation that is bad is left out whole; where a response is not finite, it is for that response
   alone: the indices are then those of the part of the box that has answers. A response that does
   not vary (but for rounding) has variance 0 and indices 0: nothing moves it; one without answers
   has NAN. Estimates are as they come: a first index of nothing may be slightly negative. The
   errors are those of independent points, on the safe side for these. */
typedef struct mrn_sobol {
    int n, m;
    int64_t evaluations, bad;                          /* bad: of the evaluations               */
    int64_t points;                                    /* that were left to make the indices of */
    double *first, *total, *first_error, *total_error; /* n * m */
    double *mean, *variance;                           /* m     */
} mrn_sobol;
MRN_API mrn_status mrn_sensitivity_sobol(const mrn_predictor *model, const mrn_parameter *p,
                                         int64_t points, uint64_t seed, mrn_sobol *out,
                                         mrn_message *msg);
MRN_API void mrn_sobol_release(mrn_sobol *s);
/* trajectories * (n + 1) evaluations, on eight levels, in steps of 4/7 of the range; effects with
   an end that is bad are left out (NAN: none left, or for the spread one). */
typedef struct mrn_morris {
    int n, m;
    int64_t evaluations, bad;
    double *effect, *spread; /* n * m: in units of the response per whole range */
} mrn_morris;
MRN_API mrn_status mrn_sensitivity_morris(const mrn_predictor *model, const mrn_parameter *p,
                                          int trajectories, uint64_t seed, mrn_morris *out,
                                          mrn_message *msg);
MRN_API void mrn_morris_release(mrn_morris *s);

/* ---- 4. surrogates (lab/surrogate*.c, lab/design.c) ---- */

/* A Gaussian process per output over a box (Matern 5/2, one length per parameter, noise per point),
   its mean a constant by generalised least squares, its lengths by maximum (restricted) likelihood.
   Lengths are taken to be about the range, give or take a factor of seven: a prior that decides
   only where the points do not. */
typedef struct mrn_surrogate mrn_surrogate;
#define MRN_SURROGATE_POINTS 2048 /* at most; the work grows as their third power */
#define MRN_SURROGATE_INPUTS 64
/* x: count * n within the bounds of p, as given, not scaled (log10 is taken here where p says so);
   y: count * m, NAN where a run has no value of that output; noise: variances, count * m (zero:
   exact), or NULL for none known (then estimated, the same everywhere). The same point may come
   twice, with different values if there is noise. An output that does not vary, or has one value
   only, is taken as a constant; mrn_surrogate_words says so. MRN_ERR_INPUT: bounds, points outside
   them, an output without values, noise that is negative, exact values that contradict each other.
 */
MRN_API mrn_status mrn_surrogate_create(const mrn_parameter *p, int n, int m, int64_t count,
                                        const double *x, const double *y, const double *noise,
                                        mrn_surrogate **out, mrn_message *msg);
MRN_API void mrn_surrogate_destroy(mrn_surrogate **s);
/* mean and variance (of the function, without noise; either may be NULL), m each. The variance is
   INFINITY for an output with one value only. Allocates nothing: threads may call it at once. */
MRN_API void mrn_surrogate_at(const mrn_surrogate *s, const double *x, double *mean,
                              double *variance);
/* Leave-one-out: root mean square of (y - prediction) over the spread of y; of each output. NAN:
   one value only. */
MRN_API void mrn_surrogate_quality(const mrn_surrogate *s, double *q);
/* Lengths (in units of the range; INFINITY: a constant) and the noise's standard deviation of
   output k (root mean square where it was given; 0: none seen). */
MRN_API void mrn_surrogate_scales(const mrn_surrogate *s, int k, double *length, double *noise);
/* What is to be known of output k, in words: its lengths and noise, how well it predicts what was
   left out, and whether it is degenerate. Lives as long as s. */
MRN_API const char *mrn_surrogate_words(const mrn_surrogate *s, int k);
/* Its means as a model for sections 2 and 3. Lives as long as s. */
MRN_API mrn_predictor mrn_surrogate_model(const mrn_surrogate *s);

/* What a run is to be for. With F(x) = sum (y - f(x))^2 / variance over the targets: */
typedef enum mrn_aim {
    MRN_AIM_IMPROVE, /* F is expected to fall furthest below the least of the runs so far      */
    MRN_AIM_LEARN,   /* outputs are known least, over the targets' variances, among parameters
                        that the targets leave plausible                                       */
    MRN_AIM_FILL,    /* farthest from all runs so far                                          */
} mrn_aim;
typedef struct mrn_next {
    mrn_aim aim;     /* what it is for: not what was asked where that had nothing to gain, which is
                        a reason to end (IMPROVE then LEARN, LEARN then FILL)                     */
    double gain;     /* IMPROVE: expected fall of F; LEARN: variance of the outputs, each over its
                        own and the target's, times plausibility (of the best: 1); FILL: distance
                        to the nearest run, the range of every parameter being 1                  */
    double expected; /* of F there, with what is not known of the outputs */
} mrn_next;
/* The next `count` points to run, x: count * n. target: m of them, output k against its y and
   variance; y NAN: that output is no target. Improvement is that of a sum of squares of Gaussian
   outputs, not of a Gaussian F (Astudillo & Frazier 2019); several points at once by taking the
   outputs at those already chosen as predicted (Ginsbourger et al. 2010). about: `count`, may be
   NULL. MRN_ERR_INPUT: no target, or a variance that is not positive. */
MRN_API mrn_status mrn_surrogate_next(const mrn_surrogate *s, const mrn_datum *target, mrn_aim aim,
                                      int count, uint64_t seed, double *x, mrn_next *about,
                                      mrn_message *msg);
/* Points that fill a box evenly (scrambled Sobol), count * n, all inside; the first of a longer
   design with the same seed are the shorter one. Powers of two are most even. */
MRN_API mrn_status mrn_design(const mrn_parameter *p, int n, int64_t count, uint64_t seed,
                              double *x, mrn_message *msg);

/* ---- 5. experiments (lab/read*.c, lab/experiment.c) ---- */

#define MRN_LAB_NAME 64
/* A law as a candidate. */
typedef struct mrn_candidate {
    char name[MRN_LAB_NAME];
    mrn_collision collision; /* the experiment's, with this law */
    int n_free;              /* parameters to be found: of section 2, and what they set */
    mrn_parameter *free;
    mrn_factor *factor;
} mrn_candidate;

/* Collisions in the order of a table: row i has condition k at value[i * n_conditions + k]. */
typedef struct mrn_conditions {
    int n, n_conditions;
    mrn_factor *factor;
    char (*unit)[24]; /* as the file has them, for tables */
    double *value;    /* SI */
} mrn_conditions;

typedef struct mrn_measurements {
    int n_responses;
    const mrn_rebound_field **response;
    char (*unit)[24];
    int n; /* data: those of row i need not have every response */
    int *row;
    mrn_datum *datum;
    bool *fitted;     /* n_responses: counted in fits */
    char source[600]; /* citation */
} mrn_measurements;

typedef struct mrn_experiment {
    char *path, *source;         /* file and its text as read */
    char *data_path, *data_text; /* the table of the data, as read; NULL: in the file itself */
    char title[256];
    mrn_conditions at;
    mrn_measurements measured; /* n = 0: none */
    int n_candidates;
    mrn_candidate *candidate;
    double accuracy;     /* of collisions: 1e-8, or what the file says  */
    double fit_accuracy; /* in models: 1e-6, or what the file says      */
    int fitted;          /* the candidate with free parameters; -1: none */
    int studied;         /* the candidate of the factors below; -1: none */
    mrn_fit_options fit;
    int sweep_steps;      /* sensitivity: values per parameter            */
    int64_t sobol_points; /* 0: none */
    int morris;           /* trajectories; 0: none */
    int n_factors;        /* sensitivity: what varies, with its range and base value        */
    mrn_parameter *factor;
    mrn_factor *of;
} mrn_experiment;
/* A file of the lab, strict as scenes are. `set` as mrn_scene_read has it. */
MRN_API mrn_status mrn_experiment_read(const char *path, const char *const *set, int n_set,
                                       mrn_experiment *out, mrn_message *msg);
MRN_API mrn_status mrn_experiment_read_text(const char *text, const char *name,
                                            const char *const *set, int n_set, mrn_experiment *out,
                                            mrn_message *msg);
MRN_API void mrn_experiment_destroy(mrn_experiment *e);

/* The collisions of all rows under a candidate: rebound[n]. MRN_NOT_CONVERGED: of some the accuracy
   was not reached. */
MRN_API mrn_status mrn_experiment_collide(const mrn_experiment *e, int candidate,
                                          mrn_rebound *rebound, mrn_message *msg);
/* A candidate as a model: its free parameters to the data that are fitted. Lives in *bench; release
   it after. The experiment must outlive it. */
typedef struct mrn_bench mrn_bench;
MRN_API mrn_status mrn_bench_create(const mrn_experiment *e, int candidate, mrn_bench **out,
                                    mrn_predictor *model, mrn_message *msg);
/* The same with any numbers of a collision and any responses: y[row * n_responses + k]. What is not
   among the factors stays as the candidate has it. */
MRN_API mrn_status mrn_bench_create_rows(const mrn_experiment *e, int candidate,
                                         const mrn_factor *factor, int n_factors,
                                         const mrn_rebound_field *const *response, int n_responses,
                                         mrn_bench **out, mrn_predictor *model, mrn_message *msg);
/* What the model of mrn_bench_create answers to, for mrn_fit_model: data of the fitted responses
   alone, these numbered anew. Without `responses` in the file: all, as they were. */
typedef struct mrn_bench_data {
    int n, n_responses;
    const mrn_datum *datum; /* n                                               */
    const int *of;          /* n: which of e->measured.datum each is           */
    const int *response;    /* n_responses: which of e->measured.response each */
} mrn_bench_data;
MRN_API mrn_bench_data mrn_bench_data_of(const mrn_bench *b);
MRN_API void mrn_bench_destroy(mrn_bench **b);
/* Deviation indices of a candidate as it stands: of |y - model| over half the 95 % interval, mean
   and largest, n_responses each. NAN where an error is not known. */
MRN_API mrn_status mrn_experiment_deviation(const mrn_experiment *e, const mrn_rebound *rebound,
                                            double *mean, double *largest, mrn_message *msg);

/* ---- 7. reports (lab/report*.c) ---- */

/* A page of HTML that stands alone: no scripts, nothing from the network, light and dark, fit to be
   printed. All that is put on it is text and escaped. What goes wrong while it is put there (there
   is only memory) is kept and told by mrn_page_close: the calls between need no check. */
typedef struct mrn_page mrn_page;
typedef enum mrn_tone { MRN_TONE_PLAIN, MRN_TONE_GOOD, MRN_TONE_DOUBT, MRN_TONE_BAD } mrn_tone;
/* Where plots stand on the page: two beside each other where there is room, or over its width. */
typedef enum mrn_page_width { MRN_PAGE_HALF, MRN_PAGE_FULL } mrn_page_width;

MRN_API mrn_status mrn_page_create(const char *title, const char *subtitle, mrn_page **out,
                                   mrn_message *msg);
/* A section begins; it stands in the list of contents. */
MRN_API void mrn_page_section(mrn_page *p, const char *title);
MRN_API void mrn_page_heading(mrn_page *p, const char *title); /* within a section */
MRN_API void mrn_page_text(mrn_page *p, const char *text);     /* a paragraph      */
/* A paragraph that must not be overlooked. */
MRN_API void mrn_page_note(mrn_page *p, mrn_tone tone, const char *text);
/* rows * columns texts, the first row the head; `right` (may be NULL): columns of numbers. A cell
   that ends in " *" is the best of its row or column and set bold. */
MRN_API void mrn_page_table(mrn_page *p, const char *caption, int columns, int rows,
                            char *const *cell, const bool *right);
/* Names and values, one below the other: 2 n texts. */
MRN_API void mrn_page_facts(mrn_page *p, int n, const char *const *text);
/* The plot of moraine/plot.h drawn anew, with text that stays text and the colours of the page. */
MRN_API void mrn_page_plot(mrn_page *p, mrn_page_width width, const mrn_plot *plot,
                           const char *caption);
/* Horizontal bars: names, values from 0 to `full`, an error each (may be NULL). */
MRN_API void mrn_page_bars(mrn_page *p, const char *caption, int n, const char *const *name,
                           const double *value, const double *error, double full);
/* A text as it is: files, commands. `folded`: shown when asked for (and in print). */
MRN_API void mrn_page_code(mrn_page *p, const char *caption, const char *text, bool folded);
/* Writes it (path NULL: throws it away) and frees it; the first thing that went wrong. The file
   appears only when it is whole. */
MRN_API mrn_status mrn_page_close(mrn_page **p, const char *path, mrn_message *msg);

#endif
