/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of dense disks for biaxial compression, their networks, and the largest load that these
   bear. */
#ifndef MRN_TESTS_VALIDATE_BIAXIAL_H
#define MRN_TESTS_VALIDATE_BIAXIAL_H

#include "moraine/quasistatic.h"
#include "run/job.h"
#include "validate/validate.h"

#define PRESSURE 100.0  /* N/m */
#define SIDE     0.115  /* m, of the cell that 400 disks begin in */
#define BOX      0.1035 /* m, of the box, between walls            */

/* ---- samples ---- */

/* A run that can be stopped anywhere, with its state in memory, and goes on. */
typedef struct lab {
    mrn_scene *scene; /* with what its stages have changed: the job's */
    mrn_run_options opt;
    mrn_run_result result;
    mrn_message msg;
    mrn_job job;
} lab;

static inline void lab_open(lab *l, const char *name, const char *const *set)
{
    char path[512];
    int n = 0;
    while (set[n] != NULL)
        n++;
    memset(l, 0, sizeof *l);
    snprintf(path, sizeof path, "%s/tests/validate/%s.yaml", MRN_VALIDATE_SOURCE, name);
    mrn_scene given;
    if (mrn_scene_read(path, set, n, &given, &l->msg) != MRN_OK)
        give_up(path, &l->msg);
    l->opt = mrn_run_default();
    l->opt.adapt_threads = true;
    mrn_status st = mrn_job_init(&l->job, &given, &l->opt, &l->result, &l->msg);
    mrn_scene_destroy(&given);
    if (st != MRN_OK || mrn_job_begin(&l->job) != MRN_OK)
        give_up(path, &l->msg);
    l->scene = l->job.scene;
}

static inline void lab_close(lab *l)
{
    mrn_job_destroy(&l->job);
}

static inline void lab_steps(lab *l, int64_t n)
{
    l->job.stop_step = l->job.s.step + n;
    mrn_status st = mrn_job_advance(&l->job);
    if (st != MRN_OK && st != MRN_INTERRUPTED)
        give_up("run", &l->msg);
}

static inline double lab_probe(const lab *l, const char *name)
{
    return mrn_probe_value(l->scene, &l->job.s, name);
}

/* The network; of the strains of the cell xx and yy are unknowns. */
static inline mrn_net lab_net(lab *l)
{
    mrn_net net;
    mrn_net_options opt = mrn_net_default();
    if (mrn_net_of(l->scene, &l->job.s, NULL, &opt, &net, &l->msg) != MRN_OK)
        give_up("network", &l->msg);
    net.n_unknowns -= net.n_globals - 2; /* they are the first */
    net.n_globals = 2;
    return net;
}

/* The network with the load that its forces bear, to rounding: what little is off balance might
   work on a mechanism, which no forces could ever hold. */
static inline mrn_net lab_settled(lab *l)
{
    mrn_net net = lab_net(l);
    if (mrn_net_settle(&net, &l->msg) != MRN_OK)
        give_up("network", &l->msg);
    return net;
}

static inline mrn_equilibrium lab_equilibrium(lab *l)
{
    mrn_equilibrium q;
    mrn_net net = lab_net(l);
    mrn_net_equilibrium(&net, &q);
    mrn_net_release(&net);
    return q;
}

static inline void run_to(lab *l, const char *stage)
{
    int k = 0;
    while (k < l->scene->n_stages && strcmp(l->scene->stage[k].name, stage) != 0)
        k++;
    while (l->job.s.stage < k)
        lab_steps(l, l->job.s.quasistatic.active > 0 ? 1 : 50);
}

/* Runs to the stage `load`, and says what is there. */
static inline void ready(lab *l, int n, int seed, double begin)
{
    run_to(l, "load");
    mrn_equilibrium q = lab_equilibrium(l);
    printf("  %d disks, sample %d: %.0f s, off balance by %.1e, %g contacts each\n", n, seed,
           mrn_clock() - begin, fmax(q.force, q.global), lab_probe(l, "backbone-coordination"));
    fflush(stdout);
}

/* A packing of n disks in a periodic cell, as `more` sets it (NULL at the end). */
static inline void sample_open(lab *l, int n, int seed, const char *const *more)
{
    char count[64], of_seed[32], size[64], box[96];
    double side = SIDE * sqrt(n / 400.0), begin = mrn_clock();
    snprintf(count, sizeof count, "bodies.grains.count=%d", n);
    snprintf(of_seed, sizeof of_seed, "seed=%d", seed);
    snprintf(size, sizeof size, "cell.size=[%.6f m, %.6f m]", side, side);
    snprintf(box, sizeof box, "bodies.grains.place.fill.box=[[0, 0], [%.6f m, %.6f m]]", side,
             side);
    const char *set[16] = {count, of_seed, size, box};
    for (int k = 4; more != NULL && *more != NULL && k < 15; k++)
        set[k] = *more++;
    lab_open(l, "biaxial", set);
    ready(l, n, seed, begin);
}

/* The same between walls. */
static inline void box_open(lab *l, int n, int seed)
{
    enum { SETS = 12 };
    static const char *const area[] = {"walls.right.motion.servo.area",
                                       "walls.top.motion.servo.area",
                                       "stages.release.walls.right.motion.servo.area",
                                       "stages.release.walls.top.motion.servo.area",
                                       "stages.rub.walls.right.motion.servo.area",
                                       "stages.rub.walls.top.motion.servo.area",
                                       "stages.load.walls.top.motion.servo.area"};
    char text[SETS][128];
    const char *set[SETS + 1] = {NULL};
    double side = BOX * sqrt(n / 400.0), begin = mrn_clock();
    snprintf(text[0], sizeof *text, "bodies.grains.count=%d", n);
    snprintf(text[1], sizeof *text, "seed=%d", seed);
    snprintf(text[2], sizeof *text, "bodies.grains.place.fill.box=[[0, 0], [%.6f m, %.6f m]]", side,
             side);
    snprintf(text[3], sizeof *text, "walls.right.plane.point=[%.6f m, 0]", side);
    snprintf(text[4], sizeof *text, "walls.top.plane.point=[0, %.6f m]", side);
    for (int k = 0; k < 7; k++)
        snprintf(text[5 + k], sizeof *text, "%s=%.6f m2", area[k], 0.85 * side);
    for (int k = 0; k < SETS; k++)
        set[k] = text[k];
    lab_open(l, "biaxial-walls", set);
    ready(l, n, seed, begin);
}

/* The axial load, that of the last global unknown, raised by a pressure P, or by itself. */
static inline double *axial(const mrn_net *net, double pressure)
{
    double *change = calloc((size_t)net->n_unknowns, sizeof *change);
    const mrn_global *m = &net->global[net->n_globals - 1];
    if (change != NULL)
        change[net->n_unknowns - 1] = m->kind == MRN_GLOBAL_CELL
                                          ? -net->volume * pressure / m->scale
                                          : net->load[net->n_unknowns - 1];
    return change;
}

/* Largest q/P that any forces within the cones bear. */
static inline double limit_of(const mrn_net *net)
{
    mrn_message msg = {0};
    mrn_limit limit = {0};
    double *change = axial(net, PRESSURE);
    if (change == NULL)
        give_up("limit", &msg);
    mrn_limit_options opt = {.change = change, .fixed = true};
    mrn_status st = mrn_limit_of(net, &opt, &limit, &msg);
    if (st != MRN_OK && st != MRN_NOT_CONVERGED) /* a factor to 1e-5 will do */
        give_up("limit", &msg);
    double factor = limit.factor;
    mrn_limit_release(&limit);
    free(change);
    return factor;
}

#endif
