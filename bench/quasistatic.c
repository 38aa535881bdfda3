/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packings without inertia, of growing size: disks on a triangular and spheres on a face-centred
   cubic lattice, moved at random and with contacts taken away until each disk has four and each
   sphere five and a half, in a periodic cell. Prints seconds for the network, for its matrix, its
   factorisation with the solutions for every strain of the cell, and as many solutions again;
   what the factor holds and the most the program held; the same from CHOLMOD called directly with
   the same matrix, and the ratio of both. Then conjugate gradients, and rigidity, stability, limit
   load and one increment of a path for moderate sizes.
   Usage: bench-quasistatic [largest number of grains] [disks|spheres] [factor|cg|rest] [smallest]
 */
#include <cholmod.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../tests/quasistatic/by_hand.h"
#include "linalg/blas.h"
#include "moraine/moraine.h"
#include "quasistatic/elastic.h"

/* Beyond these numbers of grains rigidity, stability, limit and paths are left out: minutes. */
enum { MOST_REST_2D = 10000, MOST_REST_3D = 2000 };
#define CG_TOLERANCE 1e-8

static mrn_message msg;

static bool need(mrn_status s)
{
    if (s == MRN_OK)
        return true;
    char text[4096];
    mrn_message_format(&msg, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    if (s == MRN_NOT_CONVERGED)
        return false;
    exit(1);
}

static void *room(size_t n, size_t size)
{
    void *p = calloc(n > 0 ? n : 1, size);
    if (p == NULL) {
        fprintf(stderr, "not enough memory\n");
        exit(1);
    }
    return p;
}

/* Seconds of the processor: what other programs take does not count. */
static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The most memory held since the last call of peak_begin; Linux only, else 0. */
static void peak_begin(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f != NULL) {
        fputs("5", f);
        fclose(f);
    }
}

static double peak_bytes(void)
{
    char line[256];
    double kb = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (sscanf(line, "VmHWM: %lf kB", &kb) == 1)
            break;
    if (f != NULL)
        fclose(f);
    return 1024 * kb;
}

/* ---- packings ---- */

typedef struct kind {
    const char *name;
    int dimension;
    double z;   /* contacts per grain at the end   */
    int fewest; /* of any grain                    */
    double shake;
} kind;

static const kind KINDS[] = {{"disks", 2, 4.0, 3, 0.2}, {"spheres", 3, 5.5, 4, 0.2}};

typedef struct packing {
    int32_t n;
    int64_t n_contacts;
    double *x, *radius, cell[3];
    hand_contact *contact;
} packing;

static void packing_release(packing *p)
{
    free(p->x);
    free(p->radius);
    free(p->contact);
}

static void shaken(const kind *k, mrn_rng *rng, double *x)
{
    for (int d = 0; d < k->dimension; d++)
        x[d] += k->shake * (mrn_rng_uniform(rng) - 0.5);
}

static void join(packing *p, int32_t c, int32_t a)
{
    p->contact[p->n_contacts++] = (hand_contact){.c = c, .a = a};
}

/* Disks of diameter 1, m by m. */
static void lattice_2d(const kind *k, int m, mrn_rng *rng, packing *p)
{
    double high = sqrt(0.75);
    m += m % 2; /* rows come in pairs */
    p->n = m * m;
    p->cell[0] = m, p->cell[1] = m * high, p->cell[2] = 0;
    p->x = room(3 * (size_t)p->n, sizeof *p->x);
    p->contact = room(3 * (size_t)p->n, sizeof *p->contact);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) {
            int at = j * m + i, up = (j + 1) % m * m, shift = j % 2;
            p->x[3 * at] = i + 0.5 * shift, p->x[3 * at + 1] = j * high;
            shaken(k, rng, p->x + 3 * at);
            join(p, j * m + (i + 1) % m, at);
            join(p, up + (i + shift) % m, at);
            join(p, up + (i + shift + m - 1) % m, at);
        }
}

/* Sites i, j, k of a cubic lattice with i + j + k even, spacing sqrt(1/2); m is even. */
static int32_t site(int m, int i, int j, int k)
{
    i = (i + m) % m, j = (j + m) % m, k = (k + m) % m;
    return (int32_t)(((k * m) + j) * (m / 2) + i / 2);
}

static void lattice_3d(const kind *of, int m, mrn_rng *rng, packing *p)
{
    static const int next[6][3] = {{1, 1, 0},  {1, -1, 0}, {1, 0, 1},
                                   {1, 0, -1}, {0, 1, 1},  {0, 1, -1}};
    double a = sqrt(0.5);
    p->n = m * m * (m / 2);
    p->x = room(3 * (size_t)p->n, sizeof *p->x);
    p->contact = room(6 * (size_t)p->n, sizeof *p->contact);
    for (int d = 0; d < 3; d++)
        p->cell[d] = m * a;
    for (int k = 0; k < m; k++)
        for (int j = 0; j < m; j++)
            for (int i = (j + k) % 2; i < m; i += 2) {
                int32_t at = site(m, i, j, k);
                double *x = p->x + 3 * (size_t)at;
                x[0] = i * a, x[1] = j * a, x[2] = k * a;
                shaken(of, rng, x);
                for (int l = 0; l < 6; l++)
                    join(p, site(m, i + next[l][0], j + next[l][1], k + next[l][2]), at);
            }
}

static void shuffle(mrn_rng *rng, int64_t n, int64_t *order)
{
    for (int64_t k = 0; k < n; k++)
        order[k] = k;
    for (int64_t k = n - 1; k > 0; k--) {
        int64_t other = (int64_t)(mrn_rng_uniform(rng) * (double)(k + 1)), x = order[k];
        order[k] = order[other], order[other] = x;
    }
}

/* Contacts go in random order while both grains keep enough of them. */
static void dilute(const kind *k, mrn_rng *rng, packing *p)
{
    int64_t *order = room((size_t)p->n_contacts, sizeof *order), kept = 0;
    int64_t surplus = p->n_contacts - (int64_t)(0.5 * k->z * p->n);
    int *z = room((size_t)p->n, sizeof *z);
    for (int64_t c = 0; c < p->n_contacts; c++)
        z[p->contact[c].c]++, z[p->contact[c].a]++;
    shuffle(rng, p->n_contacts, order);
    for (int64_t i = 0; i < p->n_contacts && surplus > 0; i++) {
        hand_contact *c = &p->contact[order[i]];
        if (z[c->c] <= k->fewest || z[c->a] <= k->fewest)
            continue;
        z[c->c]--, z[c->a]--, surplus--;
        c->c = -1;
    }
    for (int64_t c = 0; c < p->n_contacts; c++)
        if (p->contact[c].c >= 0)
            p->contact[kept++] = p->contact[c];
    p->n_contacts = kept;
    free(order);
    free(z);
}

/* Forces spread as in packings: exponential above a floor; tangential ones up to nine
   tenths of Coulomb's limit. Loads on the grains balance them. */
static void press(mrn_rng *rng, packing *p)
{
    for (int64_t k = 0; k < p->n_contacts; k++) {
        hand_contact *c = &p->contact[k];
        double force = 0.2 - 0.8 * log(1 - mrn_rng_uniform(rng)), t = mrn_rng_uniform(rng);
        c->force[0] = force, c->force[1] = 0.9 * 0.4 * force * (2 * t - 1);
        c->kn = 1e4, c->kt = 8e3, c->friction = 0.4;
    }
}

static void packing_make(const kind *k, int64_t n, packing *p)
{
    mrn_rng rng = mrn_rng_seed(20, 1);
    memset(p, 0, sizeof *p);
    if (k->dimension == 2)
        lattice_2d(k, (int)(sqrt((double)n) + 0.5), &rng, p);
    else
        lattice_3d(k, 2 * (int)(0.5 * cbrt(2 * (double)n) + 0.5), &rng, p);
    p->radius = room((size_t)p->n, sizeof *p->radius);
    for (int32_t i = 0; i < p->n; i++)
        p->radius[i] = 0.5;
    dilute(k, &rng, p);
    press(&rng, p);
}

static double net_make(const kind *k, int64_t n, mrn_net *net)
{
    packing p;
    packing_make(k, n, &p);
    double t = cpu();
    need(hand_make(k->dimension, p.n, p.x, p.radius, p.n_contacts, p.contact, p.cell, NULL, false,
                   net, &msg));
    t = cpu() - t;
    packing_release(&p);
    return t;
}

/* ---- factorisation ---- */

typedef struct timing {
    double assembly, analyse, factor, solve; /* s                                      */
    double one;                              /* s: a load on the grains                */
    double bytes, peak, fill, flops;
    int rounds; /* for the load on the grains */
} timing;

/* Every strain of the cell imposed in turn. */
static void six_solutions(const mrn_net *net, mrn_elastic *e, timing *out)
{
    double *u = room((size_t)net->n_unknowns, sizeof *u);
    double *force = room((size_t)net->n_unknowns, sizeof *force);
    bool imposed[MRN_NET_GLOBALS];
    double reaction[MRN_NET_GLOBALS], t = cpu();
    for (int g = 0; g < net->n_globals; g++)
        imposed[g] = true;
    for (int g = 0; g < net->n_globals; g++) {
        memset(u, 0, (size_t)net->n_unknowns * sizeof *u);
        u[mrn_net_global_unknown(net, g)] = 1;
        need(mrn_elastic_solve(e, force, imposed, u, reaction, &msg));
    }
    out->solve = cpu() - t;
    t = cpu();
    need(mrn_elastic_solve(e, net->load, NULL, u, NULL, &msg));
    out->one = cpu() - t;
    out->rounds = mrn_elastic_facts_of(e).iterations;
    free(u);
    free(force);
}

/* The grains' matrix with the springs that hold them, as mrn_elastic factorises it. */
static double time_assembly(const mrn_net *net, mrn_sparse *k)
{
    mrn_net grains = *net; /* shares its arrays */
    grains.n_globals = 0;
    grains.n_unknowns = mrn_net_global_unknown(net, 0);
    mrn_held held;
    double t = cpu();
    need(mrn_net_stiffness_matrix(&grains, &(mrn_stiffness_options){0}, NULL, k, &msg));
    need(mrn_held_find(&grains, k, &held, &msg));
    t = cpu() - t;
    mrn_held_add(&held, k);
    mrn_held_release(&held);
    return t;
}

static timing time_elastic(const mrn_net *net, const mrn_elastic_options *opt)
{
    timing out = {0};
    mrn_elastic *e = NULL;
    mrn_sparse k;
    out.assembly = time_assembly(net, &k);
    mrn_sparse_release(&k);
    peak_begin();
    double t = cpu();
    if (!need(mrn_elastic_make(net, opt, &e, &msg)))
        exit(1);
    mrn_elastic_facts facts = mrn_elastic_facts_of(e);
    out.factor = cpu() - t - out.assembly;
    out.bytes = facts.bytes, out.fill = (double)facts.fill, out.flops = facts.flops;
    six_solutions(net, e, &out);
    out.peak = peak_bytes();
    mrn_elastic_release(&e);
    return out;
}

static cholmod_sparse view_of(const mrn_sparse *a)
{
    return (cholmod_sparse){.nrow = (size_t)a->rows,
                            .ncol = (size_t)a->cols,
                            .nzmax = (size_t)a->start[a->cols],
                            .p = a->start,
                            .i = a->row,
                            .x = a->value,
                            .stype = -1,
                            .itype = CHOLMOD_LONG,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

static void cholmod_need(const cholmod_common *c)
{
    if (c->status >= CHOLMOD_OK)
        return;
    fprintf(stderr, "CHOLMOD: %d\n", c->status);
    exit(1);
}

/* As a careful user would call it: the better of AMD and METIS, supernodes, all columns at once. */
static void call_cholmod(cholmod_sparse *a, int columns, timing *out)
{
    cholmod_common c;
    cholmod_l_start(&c);
    c.supernodal = CHOLMOD_AUTO;
    c.nmethods = 2;
    c.method[0].ordering = CHOLMOD_AMD;
    c.method[1].ordering = CHOLMOD_METIS;
    double t[4] = {cpu()};
    cholmod_factor *l = cholmod_l_analyze(a, &c);
    cholmod_need(&c);
    t[1] = cpu();
    out->fill = c.lnz, out->flops = c.fl;
    cholmod_l_factorize(a, l, &c);
    cholmod_need(&c);
    t[2] = cpu();
    cholmod_dense *b = cholmod_l_ones(a->nrow, (size_t)columns, CHOLMOD_REAL, &c);
    cholmod_need(&c);
    cholmod_dense *x = cholmod_l_solve(CHOLMOD_A, l, b, &c);
    cholmod_need(&c);
    t[3] = cpu();
    out->bytes = (double)c.memory_inuse;
    out->analyse = t[1] - t[0], out->factor = t[2] - t[1], out->solve = t[3] - t[2];
    cholmod_l_free_dense(&x, &c);
    cholmod_l_free_dense(&b, &c);
    cholmod_l_free_factor(&l, &c);
    cholmod_l_finish(&c);
}

static timing time_direct(const mrn_net *net)
{
    timing out = {0};
    mrn_sparse k;
    peak_begin();
    out.assembly = time_assembly(net, &k);
    cholmod_sparse a = view_of(&k);
    mrn_blas_threads hold = mrn_blas_begin();
    call_cholmod(&a, net->n_globals, &out);
    mrn_blas_end(hold);
    out.peak = peak_bytes();
    mrn_sparse_release(&k);
    return out;
}

static void head_factor(void)
{
    printf("%-8s %8s %9s %9s %8s %8s %8s %8s %8s %9s %8s %7s %7s | %8s %8s %8s %9s %7s %6s\n", "",
           "grains", "unknowns", "contacts", "network", "assembly", "factor", "six", "one", "fill",
           "Tflop", "GB", "peak GB", "analyse", "factor", "solve", "fill", "peak GB", "ratio");
}

static void measure_factor(const kind *k, int64_t n)
{
    mrn_net net;
    double made = net_make(k, n, &net);
    timing a = time_elastic(&net, NULL);
    printf("%-8s %8d %9lld %9lld %8.3f %8.3f %8.3f %8.3f %8.3f %9.3g %8.3g %7.2f %7.2f |", k->name,
           net.n, (long long)net.n_unknowns, (long long)net.n_contacts, made, a.assembly, a.factor,
           a.solve, a.one, a.fill, 1e-12 * a.flops, 1e-9 * a.bytes, 1e-9 * a.peak);
    fflush(stdout);
    timing b = time_direct(&net);
    printf(" %8.3f %8.3f %8.3f %9.3g %7.2f %6.2f\n", b.analyse, b.factor, b.solve, b.fill,
           1e-9 * b.peak, (a.factor + a.solve) / (b.analyse + b.factor + b.solve));
    fflush(stdout);
    mrn_net_release(&net);
}

/* What the libraries do at their first call counts for none. */
static void warm_up(void)
{
    mrn_net net;
    net_make(&KINDS[0], 100, &net);
    time_elastic(&net, NULL);
    time_direct(&net);
    mrn_net_release(&net);
}

/* ---- conjugate gradients ---- */

static void measure_cg(const kind *k, int64_t n)
{
    mrn_net net;
    net_make(k, n, &net);
    timing t = time_elastic(&net, &(mrn_elastic_options){.cg = true, .tolerance = CG_TOLERANCE});
    printf("%-8s %8d %9lld %9.3f %10.2f %10.2f %12d %9.3f\n", k->name, net.n,
           (long long)net.n_unknowns, t.assembly, t.factor, t.one, t.rounds, 1e-9 * t.peak);
    fflush(stdout);
    mrn_net_release(&net);
}

/* ---- the rest ---- */

static double time_rigidity(const mrn_net *net, mrn_rigidity *r)
{
    mrn_rigidity_options opt = mrn_rigidity_default();
    double t = cpu();
    need(mrn_rigidity_of(net, &opt, r, &msg));
    return cpu() - t;
}

static double time_stability(const mrn_net *net, double *lowest)
{
    mrn_stability s;
    double t = cpu();
    need(mrn_stability_of(net, &(mrn_stability_options){.geometric = true}, &s, &msg));
    t = cpu() - t;
    *lowest = s.n > 0 ? s.value[0] : NAN;
    mrn_stability_release(&s);
    return t;
}

/* How much more of a uniaxial load along x is borne besides the present one. */
static double time_limit(const mrn_net *net, double *factor, int *iterations)
{
    mrn_limit l;
    double *change = room((size_t)net->n_unknowns, sizeof *change), t = cpu();
    change[mrn_net_global_unknown(net, 0)] = net->load[mrn_net_global_unknown(net, 0)];
    mrn_limit_options opt = {.change = change, .fixed = true};
    need(mrn_limit_of(net, &opt, &l, &msg));
    t = cpu() - t;
    *factor = l.factor, *iterations = l.iterations;
    mrn_limit_release(&l);
    free(change);
    return t;
}

/* Ten increments of a hundredth of the load along x. */
static double time_path(const mrn_net *net, int64_t *iterations, int64_t *sliding)
{
    enum { STEPS = 10 };
    mrn_path *p = NULL;
    mrn_path_options opt = mrn_path_default();
    double *change = room((size_t)net->n_unknowns, sizeof *change), reached = 0;
    change[mrn_net_global_unknown(net, 0)] = 0.01 * net->load[mrn_net_global_unknown(net, 0)];
    need(mrn_path_create(net, &opt, &p, &msg));
    double t = cpu();
    for (int i = 0; i < STEPS; i++)
        need(mrn_path_step(p, change, NULL, &reached, &msg));
    t = cpu() - t;
    mrn_path_facts facts = mrn_path_facts_of(p);
    *iterations = facts.iterations / STEPS, *sliding = facts.sliding;
    mrn_path_destroy(&p);
    free(change);
    return t / STEPS;
}

static void measure_rest(const kind *k, int64_t n)
{
    mrn_net net;
    mrn_rigidity r;
    double lowest, factor;
    int64_t path_iterations, sliding;
    int limit_iterations;
    net_make(k, n, &net);
    double rigidity = time_rigidity(&net, &r);
    printf("%-8s %8d %9lld %8.2f %6lld %6lld", k->name, net.n, (long long)net.n_unknowns, rigidity,
           (long long)r.hypostatic, (long long)r.hyperstatic);
    fflush(stdout);
    mrn_rigidity_release(&r);
    double stability = time_stability(&net, &lowest);
    printf(" %9.2f %10.3g", stability, lowest);
    fflush(stdout);
    double limit = time_limit(&net, &factor, &limit_iterations);
    printf(" %8.2f %7d %9.3g", limit, limit_iterations, factor);
    fflush(stdout);
    double path = time_path(&net, &path_iterations, &sliding);
    printf(" %9.3f %7lld %7lld\n", path, (long long)path_iterations, (long long)sliding);
    fflush(stdout);
    mrn_net_release(&net);
}

/* ---- all ---- */

static bool wanted(int argc, char **argv, int at, const char *name)
{
    return argc <= at || strcmp(argv[at], "all") == 0 || strcmp(argv[at], name) == 0;
}

int main(int argc, char **argv)
{
    int64_t largest = argc > 1 ? atoll(argv[1]) : 10000, least = argc > 4 ? atoll(argv[4]) : 1000;
    const int n = (int)(sizeof KINDS / sizeof *KINDS);
    mrn_threads_set(1);
    warm_up();
    printf("seconds of one core: factor (with solutions for all strains of the cell), these asked "
           "for, "
           "one load; right: CHOLMOD directly\n");
    head_factor();
    for (int k = 0; k < n && wanted(argc, argv, 3, "factor"); k++)
        for (int64_t grains = least; wanted(argc, argv, 2, KINDS[k].name) && grains <= largest;
             grains *= 10)
            measure_factor(&KINDS[k], grains);
    printf("\nconjugate gradients to %g: solutions for all strains of the cell, for a load, s\n",
           CG_TOLERANCE);
    printf("%-8s %8s %9s %9s %10s %10s %12s %9s\n", "", "grains", "unknowns", "assembly", "strains",
           "load", "iterations", "peak GB");
    for (int k = 0; k < n && wanted(argc, argv, 3, "cg"); k++)
        for (int64_t grains = least; wanted(argc, argv, 2, KINDS[k].name) && grains <= largest;
             grains *= 10)
            measure_cg(&KINDS[k], grains);
    printf("\nrigidity, stability with geometric stiffness, limit load, one path increment, s\n");
    printf("%-8s %8s %9s %8s %6s %6s %9s %10s %8s %7s %9s %9s %7s %7s\n", "", "grains", "unknowns",
           "rigidity", "k", "h", "stability", "lowest", "limit", "steps", "factor", "increment",
           "steps", "sliding");
    for (int k = 0; k < n && wanted(argc, argv, 3, "rest"); k++) {
        int64_t most = KINDS[k].dimension == 2 ? MOST_REST_2D : MOST_REST_3D;
        for (int64_t grains = 100; wanted(argc, argv, 2, KINDS[k].name) && grains <= largest;
             grains *= 10)
            if (grains <= most)
                measure_rest(&KINDS[k], grains);
    }
    return 0;
}
