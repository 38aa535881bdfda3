/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gauss-Seidel sweeps on generated problems of growing size, with stored W and through body
   velocities. Prints million contact-sweeps per second, time per block and bytes per contact; time
   per block should not depend on the size. Usage: bench-solve [largest number of contacts]
   [threads of the order by slabs] [family] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "moraine/moraine.h"
#include "need.h"

/* Options that make about n contacts: the size goes into one or two of them. */
typedef struct scenery {
    const char *family, *option[2];
    double per_contact; /* units per contact */
    double power;       /* of the size option: 1/3 for a cube of balls */
} scenery;
static const scenery sceneries[] = {
    {"packing", {"spheres", NULL}, 0.4, 1},
    {"lattice", {"across", "layers"}, 1 / 6.2, 1.0 / 3},
    {"wall", {"bricks", "courses"}, 1 / 11.6, 0.5},
};

static void generate(const scenery *s, int64_t n, mrn_problem *p)
{
    const mrn_problem_family *f = mrn_problem_family_find(s->family);
    mrn_value option[MRN_PARAM_MAX];
    char text[32];
    if (f == NULL) {
        fprintf(stderr, "no family %s\n", s->family);
        exit(1);
    }
    snprintf(text, sizeof text, "%.0f", ceil(pow((double)n * s->per_contact, s->power)));
    mrn_params_defaults(f->params, f->n_params, option);
    for (int k = 0; k < 2 && s->option[k] != NULL; k++)
        need(mrn_params_set(f->params, f->n_params, option, f->name, s->option[k], text, &msg));
    need(mrn_params_set(f->params, f->n_params, option, f->name, "stored", "no", &msg));
    need(f->make(option, 1, p, &msg));
}

/* What a solver reads: blocks of W, or of H with the masses. */
static int64_t blocks_of(const mrn_problem *p)
{
    return p->W.rows > 0 ? p->W.start[p->W.rows] : p->Ht.start[p->Ht.rows];
}

static double bytes_of(const mrn_problem *p)
{
    double block = p->W.rows > 0 ? p->W.br * p->W.bc : p->Ht.br * p->Ht.bc;
    double masses = p->W.rows > 0 ? 0 : (double)p->Ht.cols * p->Ht.bc * p->Ht.bc;
    return (block * sizeof(double) + sizeof(int32_t)) * (double)blocks_of(p) +
           masses * sizeof(double);
}

typedef struct timing {
    double sweep, prepare; /* seconds */
    double bytes;          /* of work space */
} timing;

/* Of the processor with one thread, so that other work does not count; else of the wall. */
static double seconds_now(void)
{
    struct timespec t;
    if (mrn_threads() > 1 || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0)
        return mrn_clock();
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_of(const mrn_problem *p, const mrn_solver *s, const mrn_value *option,
                         int64_t sweeps, double *r, mrn_workspace *work, size_t *memory)
{
    mrn_solve_control control = mrn_solve_control_default();
    mrn_solve_result result;
    control.tolerance = 1e-300; /* never met */
    control.max_iterations = sweeps;
    control.check_every = (int)sweeps;
    memset(r, 0, (size_t)p->n * (size_t)mrn_contact_layout_of(p->kind)->block * sizeof *r);
    double t = seconds_now();
    mrn_status st = mrn_solve(p, s, option, &control, r, work, &result, &msg);
    t = seconds_now() - t;
    if (st < 0)
        need(st);
    *memory = result.memory;
    return t;
}

static int by_value(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}

/* Preparation and final measures are the same for few and for many sweeps: the difference is that
   of the sweeps alone. */
static timing measure(const mrn_problem *p, const char *solver, const char *order, double *r)
{
    enum { FEW = 1, TRIES = 5 };
    const mrn_solver *s = mrn_solver_find(solver);
    mrn_value option[MRN_PARAM_MAX];
    mrn_workspace work = {0};
    size_t memory;
    double sweep[TRIES], prepare[TRIES];
    mrn_solver_defaults(s, option);
    need(mrn_solver_set(s, option, "order", order, &msg));
    double few = seconds_of(p, s, option, FEW, r, &work, &memory);
    /* as many sweeps as take a tenth of a second, by a first look */
    double guess = (seconds_of(p, s, option, FEW + 3, r, &work, &memory) - few) / 3;
    int64_t many = FEW + 3 + (guess > 0 ? (int64_t)(0.1 / guess) : 0);
    if (many > 5000)
        many = 5000;
    for (int k = 0; k < TRIES; k++) {
        few = seconds_of(p, s, option, FEW, r, &work, &memory);
        double all = seconds_of(p, s, option, many, r, &work, &memory);
        sweep[k] = (all - few) / (double)(many - FEW);
        prepare[k] = few - FEW * sweep[k];
    }
    mrn_workspace_release(&work);
    qsort(sweep, TRIES, sizeof *sweep, by_value);
    qsort(prepare, TRIES, sizeof *prepare, by_value);
    return (timing){sweep[TRIES / 2], prepare[TRIES / 2], (double)memory};
}

/* One line; returns ns per block of the given order. */
static double row(const scenery *s, const mrn_problem *p, const char *solver, int threads,
                  double *r)
{
    double n = p->n, blocks = (double)blocks_of(p);
    mrn_threads_set(1);
    timing given = measure(p, solver, "given", r);
    timing slabs = measure(p, solver, "slabs", r);
    timing together = slabs;
    if (mrn_threads_set(threads) > 1)
        together = measure(p, solver, "slabs", r);
    mrn_threads_set(1);
    printf("%-8s %8d %-14s %6.2f %9.2f %9.2f %9.2f %9.1f %9.1f %10.0f %8.1f\n", s->family, p->n,
           solver, blocks / n, 1e-6 * n / given.sweep, 1e-6 * n / slabs.sweep,
           1e-6 * n / together.sweep, 1e9 * given.sweep / blocks, 1e9 * given.sweep / n,
           (bytes_of(p) + given.bytes) / n, given.prepare / given.sweep);
    fflush(stdout);
    return 1e9 * given.sweep / blocks;
}

/* Through bodies first, then with W and without bodies, so that each holds only what it needs. */
static void both(const scenery *s, int64_t n, int threads, double *exchange, double *stored)
{
    mrn_problem p;
    generate(s, n, &p);
    size_t numbers = (size_t)p.n * (size_t)mrn_contact_layout_of(p.kind)->block;
    double *r = calloc(numbers + 1, sizeof *r);
    if (r == NULL)
        exit(1);
    *exchange = row(s, &p, "nlgs-exchange", threads, r);
    need(mrn_problem_assemble(&p, &msg));
    mrn_bsr_release(&p.Ht);
    mrn_free(p.minv);
    p.minv = NULL;
    *stored = row(s, &p, "nlgs", threads, r);
    free(r);
    mrn_problem_release(&p);
}

/* Once the data no longer fits the caches, time per block should stay; before, it grows by what the
   caches gave. */
static void family(const scenery *s, int64_t largest, int threads)
{
    enum { SIZES = 8 };
    double exchange[SIZES], stored[SIZES];
    int sizes = 0;
    for (int64_t n = 1000; n <= largest && sizes < SIZES; n *= 10, sizes++)
        both(s, n, threads, exchange + sizes, stored + sizes);
    if (sizes < 2)
        return;
    int last = sizes - 1;
    printf("%-8s time per block over that of the smallest problem: %.2f through bodies, %.2f with "
           "stored W; over that of a tenth of the size: %.2f, %.2f\n\n",
           s->family, exchange[last] / exchange[0], stored[last] / stored[0],
           exchange[last] / exchange[last - 1], stored[last] / stored[last - 1]);
}

/* ---- the default solver on whole problems ---- */

static const struct {
    const char *family, *words; /* name=value, name=value */
} problems[] = {
    {"packing", "spheres=330"},
    {"packing", "spheres=1000"},
    {"lattice", "across=13,layers=13"},
    {"lattice", "across=12,layers=12,agitation=0.01"},
    {"lattice", "across=27,layers=27"},
    {"wall", "bricks=16,courses=16"},
    {"wall", "bricks=30,courses=30"},
    {"tower", "boxes=680"},
    {"random", "contacts=5000,bodies=3000"},
};

static void generate_by_words(const char *name, const char *words, mrn_problem *p)
{
    const mrn_problem_family *f = mrn_problem_family_find(name);
    mrn_value option[MRN_PARAM_MAX];
    char text[128], *rest = NULL;
    if (f == NULL) {
        fprintf(stderr, "no family %s\n", name);
        exit(1);
    }
    mrn_params_defaults(f->params, f->n_params, option);
    need(mrn_params_set(f->params, f->n_params, option, name, "stored", "no", &msg));
    snprintf(text, sizeof text, "%s", words);
    for (char *w = strtok_r(text, ",", &rest); w != NULL; w = strtok_r(NULL, ",", &rest)) {
        char *value = strchr(w, '=');
        *value++ = '\0';
        need(mrn_params_set(f->params, f->n_params, option, name, w, value, &msg));
    }
    need(f->make(option, 1, p, &msg));
}

static bool too_long(const mrn_iterate *it, void *user)
{
    (void)it;
    return seconds_now() > *(const double *)user;
}

/* From r = 0; the whole call counts. */
static void solve_whole(const mrn_problem *p, const char *form, double tolerance, double limit)
{
    mrn_solve_control control = mrn_solve_control_default();
    mrn_solve_result result;
    double *r = calloc((size_t)p->n * 3 + 1, sizeof *r), end = seconds_now() + limit;
    if (r == NULL)
        exit(1);
    control.tolerance = tolerance;
    control.max_iterations = INT64_C(1000000000);
    control.watch = too_long, control.user = &end;
    double t = seconds_now();
    mrn_status st = mrn_solve(p, mrn_solver_at(0), NULL, &control, r, NULL, &result, &msg);
    if (st < 0)
        need(st);
    printf("%8.0e %-7s %9.3f %s %9.1e %10lld %8d %8.0f\n", tolerance, form, seconds_now() - t,
           result.converged ? "   " : "not", result.measures.natural, (long long)result.iterations,
           result.factorisations, 1e-6 * (double)result.memory);
    fflush(stdout);
    free(r);
}

/* Through the bodies, which is how a simulation asks, then with W alone, as most files have it. */
static int by_default(double limit)
{
    static const double tolerance[] = {1e-4, 1e-8};
    mrn_threads_set(1);
    printf("The default solver from r = 0, seconds of a processor (at most %g)\n", limit);
    printf("%8s %-7s %9s     %9s %10s %8s %8s\n", "to", "given", "seconds", "residual",
           "iterations", "factors", "MB");
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        mrn_problem p;
        generate_by_words(problems[k].family, problems[k].words, &p);
        printf("%s %s: %d contacts\n", problems[k].family, problems[k].words, p.n);
        for (int t = 0; t < 2; t++)
            solve_whole(&p, "bodies", tolerance[t], limit);
        need(mrn_problem_assemble(&p, &msg));
        mrn_bsr_release(&p.Ht);
        mrn_free(p.minv);
        p.minv = NULL;
        for (int t = 0; t < 2; t++)
            solve_whole(&p, "W", tolerance[t], limit);
        mrn_problem_release(&p);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "default") == 0) {
        double most = argc > 2 ? atof(argv[2]) : 20;
        if (!(most > 0))
            fprintf(stderr, "bench-solve: '%s' is not a number of seconds above 0\n", argv[2]);
        return most > 0 ? by_default(most) : 2;
    }
    int64_t largest = argc > 1 ? atoll(argv[1]) : 1000000;
    int threads = argc > 2 ? atoi(argv[2]) : 2;
    printf("Gauss-Seidel sweeps in double precision; million contacts per second: order as given, "
           "by slabs with 1 and %d threads\n",
           threads);
    printf("%-8s %8s %-14s %6s %9s %9s %9s %9s %9s %10s %8s\n", "family", "contacts", "solver",
           "blocks", "given", "slabs", "threads", "ns/block", "ns/cont.", "bytes/cont", "prepare");
    for (size_t k = 0; k < sizeof sceneries / sizeof *sceneries; k++)
        if (argc <= 3 || strcmp(argv[3], sceneries[k].family) == 0)
            family(sceneries + k, largest, threads);
    return 0;
}
