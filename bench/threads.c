/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gauss-Seidel on two threads and on one: disordered packings, `nlgs-exchange`, with preparation
   and measures, in the given order and by slabs. Rounds alternate; seconds on the wall, medians,
   and ratios of the medians. Usage: bench-threads [sweeps] [rounds] [threads] [contacts ...] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moraine/moraine.h"
#include "need.h"

enum { ROUNDS_MAX = 99, SIZES_MAX = 16 };

static void generate(double contacts, mrn_problem *p)
{
    const mrn_problem_family *f = mrn_problem_family_find("packing");
    mrn_value option[MRN_PARAM_MAX];
    char text[32];
    snprintf(text, sizeof text, "%.0f", 0.4 * contacts);
    mrn_params_defaults(f->params, f->n_params, option);
    need(mrn_params_set(f->params, f->n_params, option, f->name, "spheres", text, &msg));
    need(mrn_params_set(f->params, f->n_params, option, f->name, "stored", "no", &msg));
    need(f->make(option, 1, p, &msg));
}

static double seconds(const mrn_problem *p, const char *order, int sweeps, double *r,
                      mrn_workspace *work)
{
    const mrn_solver *s = mrn_solver_find("nlgs-exchange");
    mrn_value option[MRN_PARAM_MAX];
    mrn_solve_control control = mrn_solve_control_default();
    control.tolerance = 1e-300;
    control.max_iterations = sweeps;
    mrn_solver_defaults(s, option);
    need(mrn_solver_set(s, option, "order", order, &msg));
    memset(r, 0, 3 * (size_t)p->n * sizeof *r);
    double from = mrn_clock();
    mrn_status st = mrn_solve(p, s, option, &control, r, work, NULL, &msg);
    if (st < 0)
        need(st);
    return mrn_clock() - from;
}

static int by_value(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}

static double median(int n, double *x)
{
    qsort(x, (size_t)n, sizeof *x, by_value);
    return x[n / 2];
}

static void measure(double contacts, int sweeps, int rounds, int threads)
{
    mrn_problem p;
    mrn_workspace work = {0};
    double given[ROUNDS_MAX], one[ROUNDS_MAX], many[ROUNDS_MAX];
    generate(contacts, &p);
    double *r = mrn_alloc(3 * (size_t)p.n * sizeof *r);
    for (int k = -1; k < rounds; k++) { /* the first is not counted */
        int at = k < 0 ? 0 : k;
        mrn_threads_set(1);
        given[at] = seconds(&p, "given", sweeps, r, &work);
        one[at] = seconds(&p, "slabs", sweeps, r, &work);
        mrn_threads_set(threads);
        many[at] = seconds(&p, "slabs", sweeps, r, &work);
    }
    double a = median(rounds, given), b = median(rounds, one), c = median(rounds, many);
    printf("%9d %10.4f %10.4f %10.4f %10.2f %10.2f\n", p.n, a, b, c, b / c, a / c);
    fflush(stdout);
    mrn_free(r);
    mrn_workspace_release(&work);
    mrn_problem_release(&p);
}

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; k++)
        if (!(atof(argv[k]) >= 1)) {
            fprintf(stderr,
                    "bench-threads: '%s' is not a number from 1 on\n"
                    "usage: bench-threads [SWEEPS] [ROUNDS] [THREADS] [CONTACTS ...]\n",
                    argv[k]);
            return 2;
        }
    int sweeps = argc > 1 ? atoi(argv[1]) : 400, rounds = argc > 2 ? atoi(argv[2]) : 7;
    int threads = mrn_threads_set(argc > 3 ? atoi(argv[3]) : 2);
    rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
    printf("%d sweeps of nlgs-exchange with preparation and measures, 1 and %d threads\n", sweeps,
           threads);
    printf("%9s %10s %10s %10s %10s %10s\n", "contacts", "given, s", "slabs, s", "threads, s",
           "slabs/thr.", "given/thr.");
    for (int k = 4; k < argc; k++)
        measure(atof(argv[k]), sweeps, rounds, threads);
    if (argc <= 4) {
        measure(5700, sweeps, rounds, threads);
        measure(11600, sweeps, rounds, threads);
    }
    return 0;
}
