/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums over grains whose bits do not depend on threads or places in memory (base/sum.h); no memory
   is taken. */
#include <string.h>

#include "base/sum.h"
#include "measure/measure.h"

enum { MANY = 8192, TOGETHER = 64 };

void mrn_terms_add(mrn_sum *sum, const double *term, int width)
{
    for (int k = 0; k < width; k++)
        mrn_sum_add(&sum[k], term[k]);
}

/* Terms wait in columns, and are added many at a time. */
typedef struct waiting {
    double term[MRN_TERMS][TOGETHER];
    int n;
} waiting;

static void add_waiting(waiting *w, int width, mrn_sum *sum)
{
    for (int k = 0; k < width; k++)
        mrn_sum_block(&sum[k], w->term[k], w->n);
    w->n = 0;
}

void mrn_sum_bodies(const void *what, const mrn_state *s, int width, mrn_term_of term, double *sum)
{
    mrn_sum all[MRN_TERMS] = {{0}};
#pragma omp parallel if (s->body.n > MANY)
    {
        mrn_sum part[MRN_TERMS] = {{0}};
        waiting w;
        w.n = 0;
#pragma omp for schedule(static)
        for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
            double of[MRN_TERMS];
            memset(of, 0, (size_t)width * sizeof *of);
            term(what, s, i, of);
            for (int k = 0; k < width; k++)
                w.term[k][w.n] = of[k];
            if (++w.n == TOGETHER)
                add_waiting(&w, width, part);
        }
        add_waiting(&w, width, part);
#pragma omp critical
        for (int k = 0; k < width; k++)
            mrn_sum_merge(&all[k], &part[k]);
    }
    for (int k = 0; k < width; k++)
        sum[k] = mrn_sum_value(&all[k]);
}

typedef struct with_scene {
    const mrn_scene *scene;
    mrn_term term;
} with_scene;

static void pass_on(const void *what, const mrn_state *s, int32_t i, double *sum)
{
    const with_scene *w = what;
    w->term(w->scene, s, i, sum);
}

void mrn_sum_grains(const mrn_scene *scene, const mrn_state *s, int width, mrn_term term,
                    double *sum)
{
    const with_scene w = {scene, term};
    mrn_sum_bodies(&w, s, width, pass_on, sum);
}

double mrn_max_grains(const mrn_scene *scene, const mrn_state *s, mrn_grain_value value)
{
    double most = -INFINITY;
#pragma omp parallel for schedule(static) reduction(max : most) if (s->body.n > MANY)
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        double v = value(scene, s, i);
        most = v > most ? v : most;
    }
    return most;
}
