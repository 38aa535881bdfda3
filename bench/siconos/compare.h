/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench-siconos: our solvers beside those of Siconos, on the same problems, in the same run. */
#ifndef MRN_BENCH_SICONOS_COMPARE_H
#define MRN_BENCH_SICONOS_COMPARE_H

#include <stdio.h>

#include "moraine/moraine.h"

/* One way to solve: a solver of ours, or one of Siconos with its options. */
typedef struct method {
    const char *name;
    const char *about;      /* of Siconos: what the column is            */
    const mrn_solver *ours; /* NULL: of Siconos                          */
    int id, local;          /* numbers of Siconos; local 0: its own      */
    int full_every;         /* NSGS: full error at every k-th sweep; 0: its own test */
    bool balancing;         /* ADMM: penalty by balanced residuals       */
    bool left_out;          /* not asked for                             */
} method;

/* A problem in the scaled form: mean diagonal of W is 1, so that the error of Siconos has
   consistent units; u and the answers to both sides are those of the same numbers. */
typedef struct subject {
    char name[96];
    bool generated;
    mrn_problem p;
    double limit; /* seconds that one solve may take */
} subject;

/* What one process found out; it solved the same problem `runs` times. */
enum { RUNS_MAX = 9 };
typedef struct outcome {
    int runs;
    double seconds[RUNS_MAX];
    int64_t iterations;
    double natural, siconos; /* residuals of the answer, recomputed by mrn_measure_answer */
} outcome;

typedef enum verdict { NOT_RUN, SOLVED, TOO_LONG, FAILED } verdict;

/* A method on a problem, after all rounds. */
enum { ROUNDS_MAX = 5 };
typedef struct cell {
    verdict verdict;
    double tolerance; /* of theirs, as it was found by the search; 0: not searched yet */
    int searched;     /* solves that the search took */
    int rounds;
    double round[ROUNDS_MAX]; /* median of each process */
    double seconds;           /* median of the rounds   */
    outcome last;
} cell;

enum { METHODS_MAX = 40 };
typedef struct comparison {
    const method *method; /* theirs first, then ours: default, the others */
    int methods, theirs;
    const subject *subject;
    int subjects;
    const double *tolerance;
    int tolerances;
    bool same_residual; /* tolerance of Siconos made stricter until err_v is that of ours */
    cell *cell;         /* [tolerance][subject][method] */
} comparison;

static inline cell *cell_of(const comparison *c, int t, int s, int m)
{
    return c->cell + ((size_t)t * (size_t)c->subjects + (size_t)s) * (size_t)c->methods + m;
}

/* theirs.c */
extern const method siconos_methods[];
extern const int n_siconos_methods;
enum { NSGS, NSGS_NSN, NSGS_NSN_FULL }; /* places in siconos_methods */
/* Solves once from r = 0; returns seconds of the solver alone. r: answer. */
double solve_theirs(const mrn_problem *p, const method *m, double tolerance, double *r,
                    int64_t *iterations);

/* apart.c */
/* One process that solves p as often as is worth while; FAILED: it died. */
verdict solve_apart(const subject *s, const method *m, double tolerance, outcome *o);
double median(double *x, int n);
/* Time of this process on a processor: with one thread the same as that of the clock on the wall,
   but for what else the machine does. */
double processor_seconds(void);

/* report.c */
void report(const comparison *c, FILE *f);

#endif
