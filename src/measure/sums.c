/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums over grains whose bits do not depend on the number of threads; no memory is taken. */
#include <string.h>

#include "measure/measure.h"

enum { CHUNK = 1024, BATCH = 64 };

static void sum_chunk(const void *what, const mrn_state *s, int64_t c, mrn_term_of term,
                      double *sum)
{
    int64_t begin = s->body.n_walls + c * CHUNK, end = begin + CHUNK;
    end = end > s->body.n ? s->body.n : end;
    memset(sum, 0, MRN_TERMS * sizeof *sum);
    for (int64_t i = begin; i < end; i++)
        term(what, s, (int32_t)i, sum);
}

void mrn_sum_bodies(const void *what, const mrn_state *s, int width, mrn_term_of term, double *sum)
{
    int64_t chunks = (s->body.n - s->body.n_walls + CHUNK - 1) / CHUNK;
    double part[BATCH][MRN_TERMS];
    memset(sum, 0, (size_t)width * sizeof *sum);
    for (int64_t first = 0; first < chunks; first += BATCH) {
        int64_t n = chunks - first < BATCH ? chunks - first : BATCH;
#pragma omp parallel for schedule(static) if (n > 8)
        for (int64_t c = 0; c < n; c++)
            sum_chunk(what, s, first + c, term, part[c]);
        for (int64_t c = 0; c < n; c++)
            for (int k = 0; k < width; k++)
                sum[k] += part[c][k];
    }
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
#pragma omp parallel for schedule(static) reduction(max : most) if (s->body.n > 8 * CHUNK)
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        double v = value(scene, s, i);
        most = v > most ? v : most;
    }
    return most;
}
