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

#ifdef __cplusplus
extern "C" {
#endif

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
    double normal_speed; /* m/s; above 0: mrn_factor_set of an angle keeps it, by the speed */
    bool fixed;          /* A is a ball that nothing moves: it keeps its spin               */
    bool about_end;      /* what is stated is about the normal at the end, not at touch     */
} mrn_collision;

/* After it. In the frame of A before the impact; velocities are those of C relative to A, normal
   and tangential those along z and x; "contact" is the point of C that touches A. A ball that rolls
   along x spins about y, omega > 0; what comes back along -x has et and angles below 0. While two
   balls touch, their normal turns (normal_turn): en, et, psi2 and angles are about z, the normal at
   first touch, or (about_end) about the one at the end, with x turned along. */
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
    double normal_turn;  /* rad, by which the normal turned until they parted; 0 on a plane */
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
/* Many at once, on all threads, side by side, under the laws of the engines. What is stated is the
   limit of small steps to `accuracy` (relative, 1e-12 to 1e-2; 1e-8 suits tables, 1e-6 fits);
   `error` of a rebound is an estimate of what is left, which may be two or three times that in the
   worst of some hundred. Collisions in a plane (spins about y only) without moments of rolling and
   with one tangential spring (laws linear-friction, mindlin, zheng, micro-slip-simple) are
   integrated with steps of their own length; all others with steps as the smooth engine makes
   them, halved until two results, extrapolated, agree: that takes a hundred times as long and
   hardly goes beyond 1e-6. Law `rigid` is the hard-sphere jump, exact. status[i] (may be NULL):
   MRN_OK, MRN_NOT_CONVERGED (accuracy not reached: the best, with its error), MRN_ERR_INPUT. The
   answer does not depend on the others of the batch nor on the number of threads. The quickest are
   neighbours with the same law: linear, hertz-mindlin and zheng whatever their parameters and
   materials, others where these are the same too. Returns the worst. */
MRN_API mrn_status mrn_collide(const mrn_collision *c, int64_t n, double accuracy, mrn_rebound *out,
                               mrn_status *status, mrn_message *msg);
/* One, with its history: about `rows` of them, evenly in time (*history: mrn_free). */
MRN_API mrn_status mrn_collide_history(const mrn_collision *c, double accuracy, int rows,
                                       mrn_rebound *out, mrn_collision_row **history, int *n,
                                       mrn_message *msg);

/* A number of a collision that can be set by name: `speed`, or `normal-speed` in its place (the
   speed then follows the angle), `angle`, `spin` (of C about y),
   `target-spin`, `diameter`, `target-diameter`, `young`, `poisson`, `density` (of the ball),
   `target-young`, …, and every number among the law's parameters by its own name. */
typedef struct mrn_factor {
    int kind, index;
    char name[64], unit[24]; /* the unit: SI, as set and got */
    double lo, hi;           /* bounds of its meaning        */
    uint64_t instead;        /* parameters of the law, one bit each, that it takes the place of */
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
   `energy_lost`, `normal_turn`). */
typedef struct mrn_rebound_field {
    const char *name, *unit, *doc, *symbol;
    size_t offset;
} mrn_rebound_field;
MRN_API int mrn_rebound_field_count(void);
MRN_API const mrn_rebound_field *mrn_rebound_field_at(int i);
MRN_API const mrn_rebound_field *mrn_rebound_field_find(const char *name); /* NULL: none */
MRN_API double mrn_rebound_value(const mrn_rebound *r, const mrn_rebound_field *f);

/* ---- 2. estimation (lab/fit*.c, inference/stats.c) ---- */

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
    bool few;         /* fewer data than parameters are no error: what they cannot tell is stated */
    uint64_t seed;
    const char *const *response; /* their names, for the words; NULL: "response 1", …          */
    /* Called now and then; returning true ends it (MRN_INTERRUPTED). May be NULL. */
    bool (*progress)(void *user, const char *phase, double done, double objective);
    void *user;
} mrn_fit_options;
MRN_API mrn_fit_options mrn_fit_default(void);

typedef enum mrn_identifiable {
    MRN_IDENTIFIED,
    MRN_AT_BOUND,        /* the optimum is at a bound of its range                          */
    MRN_NOT_SIGNIFICANT, /* its interval holds zero                                         */
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
    int without; /* which parameter was fixed, at 0: of those whose bounds hold it */
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
                            variances from replicates make it wider, it is drawn then;
                            NAN: no degrees of freedom are left                         */
    bool fits;           /* F within it (or below); without degrees of freedom: the model
                            reaches the data within its bounds                          */
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
   optimum still fell when evaluations ran out; MRN_ERR_INPUT: fewer data than parameters (unless
   opt->few), a variance that is not positive, bounds crossed, NAN, … with the datum or parameter in
   the message.
   `few`: with fewer data than parameters the optimum is one of many. Parameters that only a
   combination is known of are MRN_TIED, with the one they move with most; their linearised and
   bootstrap intervals are open. Profiles keep to the bounds: one that is closed, and narrower than
   half the range, makes its parameter MRN_IDENTIFIED all the same, and the words say that it rests
   on the bounds of the other. */
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

/* ---- 4. surrogates (lab/surrogate*.c, inference/design.c) ---- */

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

/* ---- 5. experiments (lab/read*.c, collide/experiment.c) ---- */

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
/* A candidate as a model: its free parameters to the data that are fitted. Lives in *out; release
   it after. The experiment must outlive it. */
typedef struct mrn_fit_setup mrn_fit_setup;
MRN_API mrn_status mrn_fit_setup_create(const mrn_experiment *e, int candidate, mrn_fit_setup **out,
                                        mrn_predictor *model, mrn_message *msg);
/* The same with any numbers of a collision and any responses: y[row * n_responses + k]. What is not
   among the factors stays as the candidate has it. */
MRN_API mrn_status mrn_fit_setup_create_rows(const mrn_experiment *e, int candidate,
                                             const mrn_factor *factor, int n_factors,
                                             const mrn_rebound_field *const *response,
                                             int n_responses, mrn_fit_setup **out,
                                             mrn_predictor *model, mrn_message *msg);
/* What the model of mrn_fit_setup_create answers to, for mrn_fit_model: data of the fitted
   responses alone, these numbered anew. Without `responses` in the file: all, as they were. */
typedef struct mrn_fit_setup_data {
    int n, n_responses;
    const mrn_datum *datum; /* n                                               */
    const int *of;          /* n: which of e->measured.datum each is           */
    const int *response;    /* n_responses: which of e->measured.response each */
} mrn_fit_setup_data;
MRN_API mrn_fit_setup_data mrn_fit_setup_data_of(const mrn_fit_setup *b);
MRN_API void mrn_fit_setup_destroy(mrn_fit_setup **b);
/* Deviation indices of a candidate as it stands: of |y - model| over half the 95 % interval, mean
   and largest, n_responses each. NAN where an error is not known. */
MRN_API mrn_status mrn_experiment_deviation(const mrn_experiment *e, const mrn_rebound *rebound,
                                            double *mean, double *largest, mrn_message *msg);

/* ---- 6. virtual tests (readers/calibration.c, calibrate/virtual_test.c, lab/calibrate*.c) ---- */

/* A parameter that is free, and where it stands in the scenes. Its bounds, and all its values, are
   in the unit that the file writes them in (`p.unit`; "": a pure number), not SI: that is how they
   are put into scenes, which know what is a modulus and what an angle. */
typedef struct mrn_tuned {
    mrn_parameter p;
    int n_paths;
    char (*path)[160]; /* "interactions.0.friction", as `--set` has them                        */
    int *test;         /* n_paths: of which test; -1: of all                                    */
} mrn_tuned;

/* A scene that is run in place of an experiment. */
typedef struct mrn_virtual_test {
    char name[MRN_LAB_NAME];
    char *path, *text; /* of the scene, and what stands there                                    */
    int n_set;
    char (*set)[256]; /* changes that are always made, "path=value"                             */
} mrn_virtual_test;

/* What of a run is held against a measurement: a probe at the end of a stage, or what it does in a
   stretch of one, over the rows that probes.csv has (output.probes-every) and the stage's end. */
typedef enum mrn_take {
    MRN_TAKE_END,  /* the last value                                       */
    MRN_TAKE_MEAN, /* over the rows                                        */
    MRN_TAKE_MAX,  /* largest and smallest                                 */
    MRN_TAKE_MIN,
    MRN_TAKE_SLOPE,  /* per second, by least squares: a rate of discharge    */
    MRN_TAKE_CHANGE, /* the last row less the first: dilation under shear    */
} mrn_take;
typedef struct mrn_target {
    char name[MRN_LAB_NAME]; /* "heap.angle": test and target */
    int test;
    char probe[128];
    mrn_take take;
    int stage; /* of the scene                                             */
    char stage_name[MRN_LAB_NAME];
    double after;    /* s: rows from so long after the stage began; 0: all       */
    double last;     /* s: rows of the last so many seconds of it; 0: all        */
    char unit[24];   /* of y: the probe's, or that per second; "": none          */
    mrn_datum datum; /* what was measured, in that unit; `response` is the target's number */
} mrn_target;

typedef struct mrn_calibration {
    char *path, *source; /* file and its text as read */
    char title[256], from[600];
    int n_tuned, n_tests, n_targets;
    mrn_tuned *tuned;
    mrn_virtual_test *test;
    mrn_target *target;       /* in the order of the tests */
    const char **target_name; /* theirs, for fit.response  */
    int64_t runs;     /* of scenes, at most                                                   */
    int points;       /* of the first design, 2 more than parameters at least; 0: 5 per parameter
                         and 5 more, but two thirds at most of those there are runs for       */
    int seeds;        /* runs of each test at a point, each with a seed of its own: 2 and more  */
    int batch;        /* points added at a time; 0: those that make eight runs (1 to 4 points):
                         not by the number of threads, on which no result may depend          */
    double tolerance; /* ends when F is expected to fall by less: 0.1; or by less than a hundredth
                         of itself, where no parameters bring it down                        */
    uint64_t seed;
    mrn_fit_options fit;
} mrn_calibration;
/* A file of a calibration, strict as scenes are. Its scenes are read too, with every parameter at
   either bound: paths that are not there, units that do not fit, probes and stages that a scene has
   not are found here and not after an hour. */
MRN_API mrn_status mrn_calibration_read(const char *path, const char *const *set, int n_set,
                                        mrn_calibration *out, mrn_message *msg);
MRN_API void mrn_calibration_destroy(mrn_calibration *c);
/* What tells calibrations apart whose runs are not the same: scenes, changes, parameters' paths,
   probes. Not what was measured, nor bounds, nor how many runs: those may change, and the runs made
   still serve. */
MRN_API uint64_t mrn_calibration_hash(const mrn_calibration *c);

/* One run. */
typedef struct mrn_virtual_run {
    int test;
    uint64_t seed; /* of the scene                                                              */
    double *x;     /* n_tuned                                                                   */
    double *y;     /* n_targets: those of the test; NAN elsewhere, and where there is no value  */
    mrn_status status; /* MRN_OK; MRN_AT_MOST: a stage met its time limit, the values count;
                          else they do not                                                     */
    int64_t steps;
    double seconds;
    char words[400]; /* what went wrong                                                         */
} mrn_virtual_run;
/* Runs them side by side, one thread each, as many as mrn_threads(). x, test and seed are given, y
   has room; nothing is written to files. `done` is called after each (one at a time, in the order
   they end); MRN_INTERRUPTED: *stop became true, and runs without an end have status
   MRN_INTERRUPTED. What happens to a run is its own status: MRN_OK unless memory ended. The same
   bits for any number of threads. */
typedef struct mrn_virtual_watch {
    volatile const int *stop; /* may be NULL */
    void (*done)(void *user, const mrn_virtual_run *r);
    /* now and then, how far all that were asked for are, 0…1 */
    void (*progress)(void *user, double fraction);
    void *user;
} mrn_virtual_watch;
MRN_API mrn_status mrn_virtual_runs(const mrn_calibration *c, mrn_virtual_run *run, int64_t n,
                                    const mrn_virtual_watch *watch, mrn_message *msg);

/* What was found. A point is a set of parameters, run with several seeds in every test. */
typedef struct mrn_calibrated {
    int n, m; /* parameters and targets */
    int64_t n_runs;
    mrn_virtual_run *run;       /* in the order they were asked for */
    int64_t n_points, n_design; /* all; of the first design */
    double *x; /* n_points * n                                                                  */
    double *y, *variance; /* n_points * m: means over the seeds, and variances of these means from
                             the pooled noise; NAN: no run gave a value                         */
    double *noise; /* m: sd of a single run, from runs that differ in their seeds alone: taken
                      to be the same over the box; 0: seeds make no difference; NAN: no two
                      runs at one point gave a value                                     */
    int *freedom;  /* m: its degrees of freedom                                          */
    mrn_surrogate *surrogate;
    double *quality;  /* m: leave-one-out, see mrn_surrogate_quality */
    mrn_fit fit;      /* on the surrogate's means; `bootstrap` on functions drawn, see below     */
    mrn_datum *datum; /* m: what was fitted: variances of the measurements and what is not known
                         of the simulation's means at the optimum together                      */
    double *model_variance;   /* m: the latter alone                                              */
    double *check, *check_sd; /* m: mean and its sd of runs at the optimum, as it was before them,
                                 with seeds that no point had; NAN: there were no runs left     */
    double *check_x; /* n: where they were run: the optimum before they were known             */
    double *predicted, *predicted_sd; /* m: what the surrogate predicted there before they were run
                                       */
    bool checked; /* they agree with that                                           */
    int n_known;  /* combinations of parameters that the targets tell: of the sensitivities, each
                     over its range and the targets' errors, singular values above 1             */
    double *direction, *strength; /* n * n and n: those combinations, best known first (unit
                    vectors over the ranges), and by how many standard errors a whole range of it
                    moves the targets                                                           */
    mrn_next next;                /* what one more point would have been for */
    bool settled;     /* ended because nothing was to be gained, not for want of runs            */
    char words[1600]; /* how it ended, and what of it not to trust                               */
} mrn_calibrated;
/* First a design: the start (else the middle), and points that fill the box. Then points where F is
   expected to fall by the tolerance at least and the surrogate is not known well enough yet (its
   variance above a quarter of the measurement's, for some target: elsewhere what seems to be gained
   is noise, and F no lower than at the surrogate's optimum). When there are none, it is settled;
   but while the surrogate is not known well enough at its optimum, where the simulation would make
   the intervals and more runs can mend them, points are added where the outputs are known least
   among parameters that the targets leave plausible. Then runs at the surrogate's optimum that
   check it: as many of each test as `seeds`, 3 at least, kept back from the runs there are. They
   agree within three standard errors of both, or a tenth of the measurement's; if not, they become
   a point, and while there are runs for another check all goes on. If they do they become a point
   too, the last one: surrogate and fit are made with it, and the optimum may move a little from
   where it was checked. A last check that does not agree is no point, and the fit is as it was.

   Intervals. `linear` and `profile` take the surrogate's means for the simulation, and add their
   variance at the optimum to the measurement's. The bootstrap knows that slopes are uncertain too:
   every replica has a function of its own, drawn from the processes (with lengths, signal and noise
   drawn too, up to 128 points; beyond, those of largest likelihood), and measurements drawn about
   those made, with their own errors. Where single runs scatter more than the measurements, `linear`
   and `profile` are too narrow: if the three differ, trust the bootstrap.

   Runs that end neither with MRN_OK nor with MRN_AT_MOST have no values. Parameters that are
   nearest to a point without a value of some target are not run again, nor taken for the optimum.
   Where seeds make no difference, scatter between neighbouring points is found by the surrogate
   itself. Seeds of runs come from c->seed, the test, the bits of the parameters, and how many runs
   of the test there were at them. `known`: runs made before (of the same mrn_calibration_hash):
   those that would be made again are taken from there, so a calibration that was stopped goes on,
   to the same bits. opt: NULL or where to tell what. MRN_OK also where parameters are not
   identified; *out is filled with what there is at MRN_INTERRUPTED too (fit.n = 0 then).
   MRN_NOT_CONVERGED: not settled within the runs, or the check failed; everything is filled.
   MRN_ERR_INPUT: fewer than two points gave a value of some target; too few runs for parameters + 2
   points and the check (the message says how many are needed), before any is made. */
typedef struct mrn_calibrate_options {
    const mrn_virtual_run *known;
    int64_t n_known;
    volatile const int *stop;
    void (*ran)(void *user, const mrn_virtual_run *r); /* each new run: to be kept */
    /* phase: "design", "search", "fit", "check"; done: runs of `of`, with parts of those under way
     */
    void (*progress)(void *user, const char *phase, double done, double of, double objective);
    void *user;
    /* in place of mrn_virtual_runs (for tests of the method, or other codes); NULL: scenes */
    mrn_status (*run)(void *user, const mrn_calibration *c, mrn_virtual_run *run, int64_t n,
                      const mrn_virtual_watch *watch, mrn_message *msg);
} mrn_calibrate_options;
MRN_API mrn_status mrn_calibrate(const mrn_calibration *c, const mrn_calibrate_options *opt,
                                 mrn_calibrated *out, mrn_message *msg);
MRN_API void mrn_calibrated_release(mrn_calibrated *r);
/* Runs as a table (CSV, every digit; the hash in its first line) and back. Reading: MRN_ERR_INPUT
   with line and column; `hash` other than that of c: MRN_ERR_INPUT, its words say so. */
MRN_API mrn_status mrn_virtual_runs_write(const char *path, const mrn_calibration *c,
                                          const mrn_virtual_run *run, int64_t n, mrn_message *msg);
MRN_API mrn_status mrn_virtual_runs_read(const char *path, const mrn_calibration *c,
                                         mrn_virtual_run **run, int64_t *n, mrn_message *msg);
MRN_API void mrn_virtual_runs_free(mrn_virtual_run *run, int64_t n);

/* ---- 7. reports (lab/report*.c) ---- */

/* A page of HTML that stands alone: no scripts, nothing from the network, light and dark, fit to be
   printed. All that is put on it is text and escaped. What goes wrong while it is put there (there
   is only memory) is kept and reported by mrn_page_close: the calls between need no check. */
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
/* A picture, as it is, with its pixels in the page. */
struct mrn_picture;
MRN_API void mrn_page_picture(mrn_page *p, mrn_page_width width, const struct mrn_picture *picture,
                              const char *caption);
/* A PNG file, such as a film of mrn_apng_create, with all its bytes in the page; `width` and
   `height` in pixels. */
MRN_API void mrn_page_image(mrn_page *p, mrn_page_width place, const char *path, int width,
                            int height, const char *caption);
/* Horizontal bars: names, values from 0 to `full`, an error each (may be NULL). */
MRN_API void mrn_page_bars(mrn_page *p, const char *caption, int n, const char *const *name,
                           const double *value, const double *error, double full);
/* A text as it is: files, commands. `folded`: shown when asked for (and in print). */
MRN_API void mrn_page_code(mrn_page *p, const char *caption, const char *text, bool folded);
/* Writes it (path NULL: throws it away) and frees it; the first thing that went wrong. The file
   appears only when it is whole. */
MRN_API mrn_status mrn_page_close(mrn_page **p, const char *path, mrn_message *msg);

#ifdef __cplusplus
}
#endif

#endif
