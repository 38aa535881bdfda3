/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event-driven engine on an elastic gas in a periodic cell, solid fraction 0.3: collisions per
   second of processor time on one core, median of five stretches; cost per collision beside that of
   the smallest gas and beside log N, bytes per body, hash of the last state; then what a read at
   random costs in blocks of several sizes, one after the other and side by side: where it rises is
   what the caches have room for. Usage: bench-event [largest number of grains] [solid fraction]
   [collisions per grain and stretch] [smallest] [largest block that is read at random, MB] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "moraine/moraine.h"
#include "need.h"

static const char *const GAS =
    "moraine: 1\n"
    "method: event\n"
    "materials: {bead: {density: 1000 kg/m3}}\n"
    "interactions: [{between: any, law: rigid, restitution: 1, friction: 0}]\n"
    "bodies: [{name: gas, shape: {sphere: {diameter: 1 m}}, velocity-spread: 1 m/s,\n"
    "  count: %lld, place: {lattice: {box: [[0, 0, 0], [%.17g, %.17g, %.17g]], kind: cubic,\n"
    "  spacing: %.17g}}}]\n"
    "cell: {periodic: [x, y, z], size: [%.17g, %.17g, %.17g]}\n"
    "stages: [{until: {time: 1e9 s}}]\n";

static double seconds_of_process(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Goes on for a time; the seconds of processor time that it took. */
static double go_on(mrn_engine *e, double time)
{
    double begun = seconds_of_process();
    need(mrn_engine_advance(e, e->state->time + time, INT64_MAX / 4, &msg));
    return seconds_of_process() - begun;
}

enum { STRETCHES = 5 };
#define WARM_UP 0.3 /* s: some five collisions of each grain at a solid fraction of 0.3 */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(int side, double fraction, double each, double *first)
{
    char text[2048];
    int64_t n = (int64_t)side * side * side;
    double spacing = cbrt(MRN_PI / 6 / fraction), l = spacing * side;
    snprintf(text, sizeof text, GAS, (long long)n, l, l, l, spacing, l, l, l);
    mrn_scene scene = {0};
    mrn_state s = {0};
    mrn_engine e;
    need(mrn_scene_read_text(text, NULL, NULL, 0, &scene, &msg));
    need(mrn_scene_prepare(&scene, &msg));
    need(mrn_world_build(&scene, &s, &msg));
    s.h = 1e-9;
    need(mrn_engine_create(&scene, &s, NULL, &e, &msg));
    go_on(&e, WARM_UP);
    double time = fmax(each, 3e5 / (double)n) * WARM_UP * 0.5 * (double)n / s.event.collisions;
    double cost[STRETCHES], before = s.event.collisions, crossings = s.event.crossings;
    for (int k = 0; k < STRETCHES; k++) {
        double done = s.event.collisions, seconds = go_on(&e, time);
        cost[k] = 1e9 * seconds / (s.event.collisions - done);
    }
    qsort(cost, STRETCHES, sizeof *cost, by_size);
    double median = cost[STRETCHES / 2];
    *first = *first > 0 ? *first : median;
    printf("%9lld  %8.3f  %7.0f  %7.0f  %6.2f  %6.2f  %6.2f  %6zu  %016llx\n", (long long)n,
           1e3 / median, median, cost[0], median / *first, log((double)n) / log(1000),
           (s.event.crossings - crossings) / (s.event.collisions - before),
           mrn_engine_bytes(&e) / (size_t)n, (unsigned long long)mrn_state_hash(&s));
    fflush(stdout);
    mrn_engine_destroy(&e);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

/* ---- what memory does ---- */

enum { LINE = 64, READS = 2000000 };

/* A ring through all lines of a block, in random order; the last line of it. */
static uint32_t make_ring(char *block, uint32_t *order, uint32_t n)
{
    mrn_rng g = mrn_rng_seed(1, 0);
    for (uint32_t k = 0; k < n; k++)
        order[k] = k;
    for (uint32_t k = n - 1; k > 0; k--) {
        uint32_t other = (uint32_t)(k * mrn_rng_uniform(&g)), kept = order[k];
        order[k] = order[other];
        order[other] = kept;
    }
    for (uint32_t k = 0; k < n; k++)
        memcpy(block + (size_t)order[k] * LINE, &order[(k + 1) % n], sizeof *order);
    return order[0];
}

static uint32_t read_line(const char *block, uint32_t k)
{
    return *(const volatile uint32_t *)(const volatile void *)(block + (size_t)k * LINE);
}

static void probe(size_t megabytes)
{
    uint32_t n = (uint32_t)((megabytes << 20) / LINE);
    char *block = mrn_alloc((size_t)n * LINE);
    uint32_t *order = mrn_alloc(n * sizeof *order);
    uint32_t at = block != NULL && order != NULL ? make_ring(block, order, n) : 0;
    if (block != NULL && order != NULL) {
        for (uint32_t k = 0; k < n; k++) /* once around */
            at = read_line(block, at);
        double begun = seconds_of_process();
        for (int k = 0; k < READS; k++)
            at = read_line(block, at);
        double waited = seconds_of_process() - begun;
        begun = seconds_of_process();
        for (int k = 0; k < READS; k++)
            read_line(block, order[(uint32_t)k % n]);
        printf("%6zu MB  %8.1f  %8.1f\n", megabytes, 1e9 * waited / READS,
               1e9 * (seconds_of_process() - begun) / READS);
    }
    mrn_free(block);
    mrn_free(order);
}

int main(int argc, char **argv)
{
    double most = argc > 1 ? atof(argv[1]) : 1e6, fraction = argc > 2 ? atof(argv[2]) : 0.3;
    double each = argc > 3 ? atof(argv[3]) : 10, least = argc > 4 ? atof(argv[4]) : 0, first = 0;
    double block = argc > 5 ? atof(argv[5]) : 64;
    static const int side[] = {10, 22, 28, 34, 46, 100};
    mrn_threads_set(1);
    printf("elastic spheres, solid fraction %.2f, one core\n", fraction);
    printf("   grains   Mcoll/s  ns/coll     best  /first  logN/3  cross.  B/body  state\n");
    for (size_t k = 0; k < sizeof side / sizeof *side; k++)
        if (pow(side[k], 3) <= most * 1.01 && pow(side[k], 3) >= least)
            measure(side[k], fraction, each, &first);
    if (block >= 1)
        printf("reads at random, ns: each waits for the last, all side by side\n");
    for (size_t megabytes = 1; (double)megabytes <= block; megabytes *= 2)
        probe(megabytes);
    return 0;
}
