/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One scene run many times: under other methods (cross-checks) or along a ladder of steps,
   stiffnesses, tolerances or sizes (convergence), with several seeds, and what the numbers of the
   runs say: differences with their uncertainty, orders, limits.

   1. Trials: variants of a scene, each a list of changes as `--set` has them, run side by side.
   2. Comparison: two samples, and whether they agree.
   3. Methods: the variants of a cross-check, one for each method that can do the scene.
   4. Ladders and orders: the variants of a study of convergence, and its limit. */
#ifndef MORAINE_CROSSCHECK_H
#define MORAINE_CROSSCHECK_H

#include "moraine/lab.h"
#include "moraine/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. trials (crosscheck/trial*.c, crosscheck/figure.c) ---- */

/* A number that each run comes to. */
typedef enum mrn_figure_kind {
    MRN_FIGURE_PROBE, /* a probe                                                      */
    MRN_FIGURE_MEAN,  /* mean of several                                              */
    MRN_FIGURE_RATIO, /* mean of all but the last over the last                       */
    MRN_FIGURE_PEAK,  /* largest value of a probe in the whole run                    */
    MRN_FIGURE_WHOLE, /* mean of a probe over the time of the whole run               */
    MRN_FIGURE_TAIL,  /* of the normal forces: how far those above their mean lie above it, on
                           average and over the mean; 1 when they fall off exponentially */
} mrn_figure_kind;
enum { MRN_FIGURE_PROBES = 4, MRN_CHANGE_TEXT = 1024 };
typedef struct mrn_figure {
    char name[128], unit[24];
    mrn_figure_kind kind;
    int n;
    char probe[MRN_FIGURE_PROBES][128];
    bool motion;   /* has a meaning only where time is that of motion                    */
    bool contacts; /* … where there is a network of contacts                             */
    bool energy;   /* differences are held against the largest kinetic energy of the runs */
} mrn_figure;
/* Whether a figure has a meaning under a method. */
static inline bool mrn_figure_suits(const mrn_figure *g, const mrn_method *m)
{
    return (!g->motion || m->physical_time) && (!g->contacts || !m->continuous);
}
/* The probe of that name, checked against the scene. */
MRN_API mrn_status mrn_figure_probe(const mrn_scene *scene, const char *probe, mrn_figure *out,
                                    mrn_message *msg);
/* What a scene is compared by where nothing else is asked for; fills at most `max`, returns the
   count. Stresses are vertical and horizontal where gravity is along an axis, heights and run-outs
   are there with gravity alone. */
MRN_API int mrn_figure_usual(const mrn_scene *scene, mrn_figure *out, int max);

/* The scene with some changes. */
typedef struct mrn_variant {
    char name[64];
    const mrn_method *method; /* of its last stage                                        */
    double x;                 /* of a ladder: what goes to 0 along it                     */
    char label[64];           /* of a ladder: "12.5 µs"                                   */
    int threads;              /* 0: one, with other runs beside; else so many, alone      */
    int n_set;
    char (*set)[MRN_CHANGE_TEXT]; /* "path=value"                                         */
    int n_words;
    char (*words)[400]; /* what was translated, or assumed, for people                    */
} mrn_variant;
MRN_API void mrn_variant_release(mrn_variant *v);
/* One more change, or one more word about it. MRN_ERR_MEMORY. */
MRN_API mrn_status mrn_variant_set(mrn_variant *v, mrn_message *msg, const char *fmt, ...)
    MRN_PRINTF(3, 4);
MRN_API mrn_status mrn_variant_say(mrn_variant *v, mrn_message *msg, const char *fmt, ...)
    MRN_PRINTF(3, 4);

/* A run. */
typedef struct mrn_trial {
    int variant;
    uint64_t seed;
    mrn_status status; /* MRN_OK; MRN_AT_MOST: a stage met its limit, the values count; else not */
    char words[400];   /* what went wrong                                                     */
    double *y;         /* the figures; NAN where there is no value                         */
    int64_t n_rows;
    double *row; /* time, then the figures, for each row                                   */
    int n_forces;
    double *force; /* normal forces over their mean at the end, ascending                     */
    int64_t steps, grains;
    double time, seconds; /* simulated; spent                                                 */
    uint64_t hash;        /* of the final state                                               */
    double step;          /* s: the last                                                      */
    double overlap, largest_overlap; /* over the effective radius: mean and largest           */
    double kinetic;                  /* J: largest in the run, translation and rotation       */
    int64_t self_stress;             /* states of self-stress of the network; -1: not known   */
    int64_t contacts;
} mrn_trial;

typedef struct mrn_trials {
    char *path, *text; /* of the scene                                                      */
    int n_set;         /* changes of all variants, before their own                          */
    const char *const *set;
    int n_variants, n_seeds, n_figures;
    mrn_variant *variant;
    mrn_figure *figure;
    uint64_t seed;    /* of the first run of each variant; the others follow                 */
    double last;      /* s: values are means over the last so many seconds; 0: at the end    */
    bool network;     /* forces and states of self-stress are wanted                         */
    mrn_trial *trial; /* n_variants * n_seeds, seeds of the first variant first              */
} mrn_trials;
/* Reads the scene's file. */
MRN_API mrn_status mrn_trials_open(const char *path, mrn_trials *out, mrn_message *msg);
MRN_API void mrn_trials_release(mrn_trials *t);
/* The scene of a variant (NULL: as it is, with the common changes). */
MRN_API mrn_status mrn_trials_scene(const mrn_trials *t, const mrn_variant *v, uint64_t seed,
                                    mrn_scene *out, mrn_message *msg);
/* Room for all trials, none of them run (MRN_INTERRUPTED). */
MRN_API mrn_status mrn_trials_plan(mrn_trials *t, mrn_message *msg);
static inline mrn_trial *mrn_trials_at(const mrn_trials *t, int variant, int seed)
{
    return &t->trial[variant * t->n_seeds + seed];
}
/* A run whose values count. */
static inline bool mrn_trial_counts(const mrn_trial *r)
{
    return r->status == MRN_OK || r->status == MRN_AT_MOST;
}
typedef struct mrn_trials_watch {
    volatile const int *stop; /* may be NULL                                              */
    /* one at a time: a run has ended; how far all are, 0…1                                */
    void (*done)(void *user, const mrn_trials *t, const mrn_trial *r);
    void (*progress)(void *user, double fraction);
    void *user;
} mrn_trials_watch;
/* Runs those that have not ended yet, side by side, one thread each (a variant with `threads`:
   alone, with as many). Writes no files. What happens to a run is its own status; MRN_INTERRUPTED:
   stopped. The same bits for any number of threads. */
MRN_API mrn_status mrn_trials_run(mrn_trials *t, const mrn_trials_watch *watch, mrn_message *msg);
/* A trial as a file of JSON in a folder, and back: mrn_trials_recall takes those that are there and
   were made with the same scene, changes and figures; returns how many. */
MRN_API mrn_status mrn_trial_keep(const mrn_trials *t, const mrn_trial *r, const char *folder,
                                  mrn_message *msg);
MRN_API int mrn_trials_recall(mrn_trials *t, const char *folder);
/* Values of a figure over the seeds of a variant, those that count; returns their number. */
MRN_API int mrn_trials_values(const mrn_trials *t, int variant, int figure, double *out);

/* ---- 2. comparison (crosscheck/compare.c) ---- */

typedef struct mrn_scatter {
    int n;
    double mean, sd; /* sd NAN: one value */
} mrn_scatter;
MRN_API mrn_scatter mrn_scatter_of(const double *y, int n);

typedef enum mrn_verdict {
    MRN_AGREE,       /* the interval of the difference lies within the margin             */
    MRN_DIFFER,      /* zero lies outside of it, and so do differences beyond the margin   */
    MRN_CANNOT_TELL, /* zero lies within, and so do differences beyond the margin          */
} mrn_verdict;
MRN_API const char *mrn_verdict_name(mrn_verdict v);

/* Welch's comparison of two means whose variances need not be equal; degrees of freedom after
   Satterthwaite. */
typedef struct mrn_welch {
    double difference, error; /* b less a, and its standard error                         */
    double t, freedom, p;     /* two-sided                                                */
    double half;              /* half width of the interval at the confidence asked for   */
    double margin;            /* what is no difference                                    */
    mrn_verdict verdict;
    int seeds_needed; /* CANNOT_TELL: of each, to tell this difference from zero or from the margin;
                         0: not known                                                     */
} mrn_welch;
/* confidence: of the interval, 0.95 / comparisons taken off by the caller (Bonferroni). Samples
   without any scatter are compared as they stand. A sample of one value tells nothing: NAN. */
MRN_API mrn_welch mrn_welch_of(const mrn_scatter *a, const mrn_scatter *b, double confidence,
                               double margin);

/* Kolmogorov and Smirnov's distance of two samples, both ascending. */
MRN_API double mrn_ks_distance(const double *a, int n, const double *b, int m);
/* Whether the forces of variant b are distributed as those of variant a: distances of the runs of b
   from all of a together, less those of the runs of a from all others of a. `of` gets the two
   samples. */
MRN_API mrn_status mrn_ks_compare(const mrn_trials *t, int a, int b, double confidence,
                                  double margin, mrn_scatter of[2], mrn_welch *out,
                                  mrn_message *msg);

/* ---- 3. methods (crosscheck/methods.c, crosscheck/translate.c) ---- */

typedef struct mrn_crosscheck_options {
    const char *stage;   /* methods are those from this stage on; NULL: of the whole run      */
    const char *methods; /* "smooth,nonsmooth"; NULL: all                                     */
    /* Changes for one method alone: "smooth:interactions.0.friction=0.3"                      */
    const char *const *only;
    int n_only;
} mrn_crosscheck_options;
/* A method that was left out, and why. */
typedef struct mrn_left_out {
    const mrn_method *method;
    char words[700];
} mrn_left_out;
enum { MRN_CROSSCHECK_METHODS = 16 };
typedef struct mrn_crosscheck_plan {
    int n_left_out;
    mrn_left_out left_out[MRN_CROSSCHECK_METHODS];
} mrn_crosscheck_plan;
/* Fills the variants of t: every method that can do the scene, that of the scene first. Laws that a
   method refuses are translated by rules (docs/crosscheck.md), and the variant says how.
   MRN_ERR_INPUT: fewer than two are left; the message says why. */
MRN_API mrn_status mrn_crosscheck_variants(mrn_trials *t, const mrn_crosscheck_options *opt,
                                           mrn_crosscheck_plan *plan, mrn_message *msg);

/* ---- 4. ladders and orders (crosscheck/ladder.c, crosscheck/order.c) ---- */

typedef enum mrn_vary {
    MRN_VARY_STEP,      /* time step, or increments of the load                             */
    MRN_VARY_STIFFNESS, /* of all contacts                                                  */
    MRN_VARY_TOLERANCE, /* of the solver                                                    */
    MRN_VARY_SIZE,      /* grains and periodic cell                                         */
    MRN_VARY_THREADS,
    MRN_VARIES
} mrn_vary;
MRN_API const char *mrn_vary_name(mrn_vary v);
/* What goes to 0 along the ladder: "time step", "1 / stiffness", … and its unit. */
MRN_API const char *mrn_vary_axis(mrn_vary v, const char **unit);

typedef struct mrn_ladder_options {
    mrn_vary vary;
    int levels;   /* 0: 4                                                                    */
    double ratio; /* between two levels; 0: 2 (stiffness: 4, tolerance: 10)                  */
    double from;  /* step or tolerance of the first level; 0: the scene's, or what is chosen  */
} mrn_ladder_options;
/* Fills the variants of t, coarsest first. MRN_ERR_INPUT where it makes no sense for the scene. */
MRN_API mrn_status mrn_ladder_variants(mrn_trials *t, const mrn_ladder_options *opt,
                                       mrn_message *msg);

enum { MRN_LEVELS = 12 };
typedef enum mrn_order_kind {
    MRN_ORDER_FOUND,    /* differences shrink by a steady factor                               */
    MRN_ORDER_CONSTANT, /* the values are the same to all digits                               */
    MRN_ORDER_NOISE,    /* scatter of the seeds is as large as what the levels differ by       */
    MRN_ORDER_NONE,     /* differences change their sign, or grow                              */
} mrn_order_kind;
MRN_API const char *mrn_order_kind_name(mrn_order_kind k);
typedef struct mrn_order {
    mrn_order_kind kind;
    int levels, seeds;
    double mean[MRN_LEVELS], error[MRN_LEVELS]; /* of the mean, from seeds; NAN: one seed      */
    double three, three_limit; /* Richardson's order of the three finest levels, and the limit  */
    double gci;                /* grid convergence index: 1.25 times the distance from the limit */
    double fit, fit_limit;     /* the same by least squares over all levels: y = y0 + c x^p     */
    double order_half, limit_half; /* half widths at the confidence from leaving out seeds (NAN:
                                      one seed)                                                 */
    double spread; /* distance of the two limits; without seeds what is known beside the GCI    */
    double limit, uncertainty; /* what to quote                                                 */
    char words[400];
} mrn_order;
/* y[level * seeds + k]; x descending. `paired`: the k-th values of all levels belong together (the
   same grains at the start), so that what is common to them is no noise. */
MRN_API mrn_status mrn_order_of(int levels, const double *x, int seeds, const double *y,
                                bool paired, double confidence, mrn_order *out, mrn_message *msg);

#ifdef __cplusplus
}
#endif

#endif
