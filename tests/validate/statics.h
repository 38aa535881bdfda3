/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the pieces of the part `statics` share: packings that are taken as they come to rest, stage
   by stage, networks made of lattices and at random, and ranks by elimination. */
#ifndef MRN_TESTS_STATICS_H
#define MRN_TESTS_STATICS_H

#include "quasistatic/by_hand.h"
#include "run/job.h"
#include "validate/validate.h"

/* ---- packings ---- */

/* A run that stops at the end of a stage, with its state in memory, and goes on. */
typedef struct lab {
    const mrn_scene *scene; /* with what its stages have changed: the job's */
    mrn_run_options opt;
    mrn_run_result result;
    mrn_message msg;
    mrn_job job;
} lab;

/* The scene tests/validate/NAME.yaml; `grains` of them (0: as it says) in a cell as much smaller.
 */
static inline void scene_open(const char *name, int64_t grains, mrn_scene *s)
{
    char path[512];
    mrn_message msg = {0};
    snprintf(path, sizeof path, "%s/tests/validate/%s.yaml", MRN_VALIDATE_SOURCE, name);
    if (mrn_scene_read(path, NULL, 0, s, &msg) != MRN_OK)
        give_up(path, &msg);
    mrn_group *g = &s->group[0];
    if (grains <= 0 || grains == g->count)
        return;
    double f = pow((double)grains / (double)g->count, 1.0 / s->dimension);
    g->count = grains;
    g->region.hi = mrn_scale(f, g->region.hi);
    for (int k = 0; k < s->dimension; k++)
        s->cell.size[k] *= f;
}

static inline void lab_open(lab *l, const char *name, int64_t grains)
{
    memset(l, 0, sizeof *l);
    mrn_scene given;
    scene_open(name, grains, &given);
    l->opt = mrn_run_default();
    l->opt.adapt_threads = true;
    mrn_status st = mrn_job_init(&l->job, &given, &l->opt, &l->result, &l->msg);
    mrn_scene_destroy(&given);
    if (st != MRN_OK || mrn_job_begin(&l->job) != MRN_OK)
        give_up(name, &l->msg);
    l->scene = l->job.scene;
}

static inline void lab_close(lab *l)
{
    mrn_job_destroy(&l->job);
}

/* The equilibrium of the packing as it is: forces of the springs alone, on every grain that takes
   part, and the stress. */
static inline mrn_equilibrium lab_equilibrium(lab *l)
{
    mrn_net net;
    mrn_equilibrium q;
    mrn_net_options opt = mrn_net_default();
    if (mrn_net_of(l->scene, &l->job.s, NULL, &opt, &net, &l->msg) != MRN_OK)
        give_up("network", &l->msg);
    mrn_net_equilibrium(&net, &q);
    mrn_net_release(&net);
    return q;
}

static inline void lab_steps(lab *l, int64_t n)
{
    l->job.stop_step = l->job.s.step + n;
    mrn_status st = mrn_job_advance(&l->job);
    if (st != MRN_OK && st != MRN_INTERRUPTED)
        give_up("run", &l->msg);
}

/* Runs on into the stage `name` until nothing is off balance by more than `tolerance` of the mean
   force, the stress neither, and grains are held still: a packing that creeps has forces of
   dashpots in balance with others, and nothing in equilibrium. Then nothing more is done in this
   stage. Looks every 500 steps. */
static inline void lab_rest(lab *l, const char *name, double tolerance)
{
    mrn_state *s = &l->job.s;
    int k = 0;
    double begin = mrn_clock();
    int64_t first = s->step;
    while (k < l->scene->n_stages && strcmp(l->scene->stage[k].name, name) != 0)
        k++;
    if (k == l->scene->n_stages)
        give_up(name, &(mrn_message){.text = "there is no such stage"});
    if (s->step > 0)
        l->job.end.last = s->step; /* what was under way is done */
    while (s->stage < k)
        lab_steps(l, 500);
    mrn_equilibrium q = {.force = 1};
    while (s->stage == k && fmax(fmax(q.force, q.moment), q.global) > tolerance) {
        lab_steps(l, 500);
        q = lab_equilibrium(l);
        if ((s->step - first) / 500 % 100 == 0)
            printf("    %s %lld: force %.1e, moment %.1e, global %.1e\n", name,
                   (long long)(s->step - first), q.force, q.moment, q.global);
    }
    printf("  %s: %.0f s, %lld steps, off balance by %.1e\n", name, mrn_clock() - begin,
           (long long)(s->step - first), fmax(fmax(q.force, q.moment), q.global));
    fflush(stdout);
}

static inline double lab_probe(const lab *l, const char *name)
{
    return mrn_probe_value(l->scene, &l->job.s, name);
}

/* The network of the packing as it is. `strains`: of the cell, as unknowns: 0, D (along the axes)
   or all. */
enum { CELL_HELD, CELL_AXES, CELL_ALL };
static inline mrn_net lab_net(lab *l, int strains, bool frictionless)
{
    mrn_net net;
    mrn_net_options opt = mrn_net_default();
    opt.cell = strains != CELL_HELD;
    opt.frictionless = frictionless;
    if (mrn_net_of(l->scene, &l->job.s, NULL, &opt, &net, &l->msg) != MRN_OK)
        give_up("network", &l->msg);
    if (strains == CELL_AXES) { /* xx, yy, zz are the first: the others go */
        net.n_unknowns -= net.n_globals - net.dimension;
        net.n_globals = net.dimension;
    }
    return net;
}

static inline mrn_rigidity rigidity_of(const mrn_net *net)
{
    mrn_rigidity r;
    mrn_message msg = {0};
    mrn_rigidity_options opt = mrn_rigidity_default();
    opt.most_modes = opt.most_self = 0;
    if (mrn_rigidity_of(net, &opt, &r, &msg) != MRN_OK)
        give_up("rigidity", &msg);
    return r;
}

static inline mrn_moduli moduli_of(const mrn_net *net, bool geometric)
{
    mrn_moduli m;
    mrn_message msg = {0};
    mrn_elastic_options opt = {.geometric = geometric};
    if (mrn_moduli_of(net, &opt, &m, &msg) != MRN_OK)
        give_up("moduli", &msg);
    return m;
}

/* ---- networks by hand ---- */

enum { DRAFT_GRAINS = 600, DRAFT_CONTACTS = 3600 };
typedef struct draft {
    int dimension;
    bool smooth;    /* without friction */
    bool strains;   /* those of the cell are unknowns */
    double cell[3]; /* 0: not periodic */
    int32_t n;
    double x[3 * DRAFT_GRAINS], radius[DRAFT_GRAINS];
    int64_t m;
    hand_contact contact[DRAFT_CONTACTS];
} draft;

#define KN 1000.0
#define KT 700.0

static inline void put(draft *d, double x, double y, double z, double radius)
{
    double *to = d->x + 3 * (size_t)d->n;
    to[0] = x, to[1] = y, to[2] = z;
    d->radius[d->n++] = radius;
}

static inline hand_contact *touch(draft *d, int32_t c, int32_t a, mrn_vec3 n)
{
    hand_contact *k = &d->contact[d->m++];
    *k = (hand_contact){.c = c, .a = a, .n = n, .kn = KN, .force = {1, 0, 0}};
    k->kt = d->smooth ? 0 : KT;
    k->friction = d->smooth ? 0 : 0.5;
    return k;
}

/* From A to C by the nearest image. */
static inline mrn_vec3 way(const draft *d, int32_t c, int32_t a)
{
    double b[3] = {0};
    for (int k = 0; k < d->dimension; k++) {
        b[k] = d->x[3 * c + k] - d->x[3 * a + k];
        if (d->cell[k] > 0)
            b[k] -= d->cell[k] * round(b[k] / d->cell[k]);
    }
    return mrn_load3(b);
}

/* All that touch, or overlap, to a millionth. */
static inline void touch_all(draft *d)
{
    for (int32_t i = 0; i < d->n; i++)
        for (int32_t j = 0; j < i; j++) {
            mrn_vec3 b = way(d, i, j);
            double far = mrn_norm(b), reach = d->radius[i] + d->radius[j];
            if (far < (1 + 1e-6) * reach && d->m < DRAFT_CONTACTS)
                touch(d, i, j, mrn_scale(1 / far, b));
        }
}

static inline mrn_net draft_net(const draft *d)
{
    mrn_net net;
    mrn_message msg = {0};
    bool periodic = d->cell[0] > 0;
    if (hand_make(d->dimension, d->n, d->x, d->radius, d->m, d->contact, periodic ? d->cell : NULL,
                  NULL, d->smooth, &net, &msg) != MRN_OK)
        give_up("network", &msg);
    if (periodic && !d->strains) {
        net.n_unknowns -= net.n_globals;
        net.n_globals = 0;
    }
    return net;
}

/* ---- ranks ---- */

/* Of a matrix by columns, which is spoilt: elimination with full pivoting. Pivots of the networks
   here lie above 1e-7 or below 1e-12. */
static inline int64_t dense_rank(int64_t rows, int64_t cols, double *a)
{
    int64_t rank = 0;
    for (; rank < rows && rank < cols; rank++) {
        int64_t pr = rank, pc = rank;
        for (int64_t j = rank; j < cols; j++)
            for (int64_t i = rank; i < rows; i++)
                if (fabs(a[j * rows + i]) > fabs(a[pc * rows + pr]))
                    pr = i, pc = j;
        double p = a[pc * rows + pr];
        if (fabs(p) < 1e-9)
            break;
        for (int64_t i = 0; i < rows; i++) {
            double t = a[pc * rows + i];
            a[pc * rows + i] = a[rank * rows + i], a[rank * rows + i] = t;
        }
        for (int64_t j = 0; j < cols; j++) {
            double t = a[j * rows + pr];
            a[j * rows + pr] = a[j * rows + rank], a[j * rows + rank] = t;
        }
        for (int64_t j = rank + 1; j < cols; j++) {
            double f = a[j * rows + rank] / p;
            for (int64_t i = rank; f != 0 && i < rows; i++)
                a[j * rows + i] -= f * a[rank * rows + i];
        }
    }
    return rank;
}

/* Rank of G from U = G u of every unit displacement (`forces`: of Gᵀ, from the resultants of every
   unit force): the room's matrix is not used. */
static inline int64_t rank_by_hand(const mrn_net *net, bool forces)
{
    int64_t in = forces ? net->n_rows : net->n_unknowns;
    int64_t out = forces ? net->n_unknowns : net->n_rows;
    double *a = calloc((size_t)(in * out) + 1, sizeof *a), *e = calloc((size_t)in + 1, sizeof *e);
    for (int64_t j = 0; j < in; j++) {
        e[j] = 1;
        if (forces)
            mrn_net_resultant(net, e, a + j * out);
        else
            mrn_net_relative(net, e, a + j * out);
        e[j] = 0;
    }
    int64_t rank = dense_rank(out, in, a);
    free(a);
    free(e);
    return rank;
}

#endif
