/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closed-form stand-ins for scenes, with noise by the seed, for tests of calibrations. */
#ifndef TEST_LAB_CALIBRATE_MODELS_H
#define TEST_LAB_CALIBRATE_MODELS_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "moraine/lab.h"

enum { LAB_KNOBS = 4, LAB_TESTS = 3, LAB_TARGETS = 4 };

typedef struct fake_lab fake_lab;
/* All targets at x, without noise; NAN: no value. What a run comes to. */
typedef mrn_status (*fake_scene)(const double *x, double *y);

struct fake_lab {
    mrn_calibration c;
    mrn_tuned tuned[LAB_KNOBS];
    mrn_virtual_test test[LAB_TESTS];
    mrn_target target[LAB_TARGETS];
    fake_scene scene;
    double noise[LAB_TARGETS]; /* sd of a run */
    /* what happened */
    int64_t calls, made;
    int64_t stop_after; /* runs; 0: never */
    volatile int stop;
    mrn_virtual_run *kept; /* by `ran` */
    int64_t n_kept, room;
    int reports;
    double last_done;
    bool backwards;
    char phases[64];
};

static inline void fake_tuned(fake_lab *f, const char *name, double lo, double hi, bool log)
{
    mrn_tuned *k = &f->tuned[f->c.n_tuned++];
    k->p = (mrn_parameter){.lo = lo, .hi = hi, .start = NAN, .log = log};
    snprintf(k->p.name, sizeof k->p.name, "%s", name);
    f->c.tuned = f->tuned;
}

static inline void fake_test(fake_lab *f, const char *name)
{
    mrn_virtual_test *t = &f->test[f->c.n_tests++];
    snprintf(t->name, sizeof t->name, "%s", name);
    f->c.test = f->test;
}

static inline void fake_target(fake_lab *f, const char *name, double y, double sd, double noise)
{
    int i = f->c.n_targets++;
    mrn_target *t = &f->target[i];
    *t = (mrn_target){.test = f->c.n_tests - 1};
    snprintf(t->name, sizeof t->name, "%s", name);
    snprintf(t->probe, sizeof t->probe, "probe-%d", i);
    t->datum = (mrn_datum){.y = y, .variance = sd * sd, .response = i};
    f->noise[i] = noise;
    f->c.target = f->target;
}

static inline fake_lab fake_make(fake_scene scene, int64_t runs)
{
    fake_lab f = {.scene = scene};
    f.c.runs = runs;
    f.c.seeds = 2;
    f.c.tolerance = 0.1;
    f.c.seed = 1;
    f.c.fit = mrn_fit_default();
    f.c.fit.bootstrap = 0;
    f.c.fit.regions = f.c.fit.nested = false;
    return f;
}

/* A fake that was copied points to the arrays of the one it was copied from. */
static inline void fake_settle(fake_lab *f)
{
    f->c.tuned = f->tuned;
    f->c.test = f->test;
    f->c.target = f->target;
}

static inline void fake_one(const fake_lab *f, mrn_virtual_run *r)
{
    double y[LAB_TARGETS];
    mrn_rng rng = mrn_rng_seed(r->seed, 5);
    r->status = f->scene(r->x, y);
    for (int t = 0; t < f->c.n_targets; t++) {
        double z = mrn_rng_normal(&rng);
        r->y[t] = f->target[t].test == r->test ? y[t] + f->noise[t] * z : NAN;
    }
    r->steps = 7;
    r->seconds = 0.5;
    snprintf(r->words, sizeof r->words, "%s",
             r->status == MRN_EXPLODED ? "it exploded, \"bang\"" : "");
}

static inline mrn_status fake_run(void *user, const mrn_calibration *c, mrn_virtual_run *run,
                                  int64_t n, const mrn_virtual_watch *watch, mrn_message *msg)
{
    fake_lab *f = user;
    (void)c, (void)msg;
    f->calls++;
    for (int64_t i = 0; i < n; i++) {
        run[i].status = MRN_INTERRUPTED;
        if (f->stop_after > 0 && f->made >= f->stop_after)
            f->stop = 1;
        if (f->stop)
            continue;
        fake_one(f, &run[i]);
        f->made++;
        watch->done(watch->user, &run[i]);
        watch->progress(watch->user, (double)(i + 1) / (double)n);
    }
    return f->stop ? MRN_INTERRUPTED : MRN_OK;
}

static inline void fake_ran(void *user, const mrn_virtual_run *r)
{
    fake_lab *f = user;
    size_t n = (size_t)f->c.n_tuned * sizeof(double), m = (size_t)f->c.n_targets * sizeof(double);
    if (mrn_grow(&f->kept, &f->room, f->n_kept + 1, sizeof *f->kept) != MRN_OK)
        return;
    mrn_virtual_run copy = *r;
    copy.x = mrn_alloc(n);
    copy.y = mrn_alloc(m);
    if (copy.x != NULL && copy.y != NULL) {
        memcpy(copy.x, r->x, n);
        memcpy(copy.y, r->y, m);
        f->kept[f->n_kept++] = copy;
    } else {
        mrn_free(copy.x);
        mrn_free(copy.y);
    }
}

static inline void fake_progress(void *user, const char *phase, double done, double of,
                                 double objective)
{
    fake_lab *f = user;
    (void)objective;
    f->reports++;
    f->backwards = f->backwards || done < f->last_done || done > of;
    f->last_done = done;
    if (strstr(f->phases, phase) == NULL &&
        strlen(f->phases) + strlen(phase) + 2 < sizeof f->phases)
        strcat(strcat(f->phases, phase), " ");
}

static inline mrn_calibrate_options fake_options(fake_lab *f)
{
    return (mrn_calibrate_options){
        .stop = &f->stop, .ran = fake_ran, .progress = fake_progress, .user = f, .run = fake_run};
}

static inline void fake_release(fake_lab *f)
{
    mrn_virtual_runs_free(f->kept, f->n_kept);
    f->kept = NULL;
    f->n_kept = f->room = 0;
}

/* ---- scenes ---- */

/* A heap and a silo: friction and rolling friction (log). Angles in degrees, rates in g/s. */
static inline mrn_status beads(const double *x, double *y)
{
    double roll = log10(x[1] / 0.01);
    y[0] = 12 + 16 * sqrt(x[0]) + 4 * roll * x[0];     /* angle */
    y[1] = 40 - 6 * roll + 8 * x[0] * x[0];            /* width */
    y[2] = 150 * exp(-0.8 * x[0]) * (1 - 0.06 * roll); /* rate  */
    return MRN_OK;
}

static inline fake_lab fake_beads(int64_t runs, const double *error, double noise)
{
    fake_lab f = fake_make(beads, runs);
    const double truth[2] = {0.45, 0.08};
    double y[3];
    beads(truth, y);
    fake_tuned(&f, "friction", 0.1, 0.8, false);
    fake_tuned(&f, "rolling", 0.01, 0.5, true);
    fake_test(&f, "heap");
    fake_target(&f, "heap.angle", y[0] + 0.4 * error[0], 0.4, noise * 0.5);
    fake_target(&f, "heap.width", y[1] + 0.5 * error[1], 0.5, noise * 0.4);
    fake_test(&f, "silo");
    fake_target(&f, "silo.rate", y[2] + 2 * error[2], 2, noise * 1.5);
    return f;
}

#endif
