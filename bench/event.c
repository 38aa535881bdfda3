/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event-driven engine on an elastic gas in a periodic cell, solid fraction 0.3: collisions per
   second on one core, cost per collision beside that of the smallest gas and beside log N, bytes
   per body. Usage: bench-event [largest number of grains] [solid fraction] [collisions per grain]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "moraine/moraine.h"

static mrn_message msg;

static void need(mrn_status s)
{
    if (s == MRN_OK)
        return;
    char text[4096];
    mrn_message_format(&msg, text, sizeof text);
    fprintf(stderr, "%s", text);
    exit(1);
}

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

/* Goes on until each grain has collided `each` times on average; the seconds of processor time it
 * took. */
static double collide(mrn_engine *e, double each, int64_t n)
{
    double end = e->state->event.collisions + 0.5 * each * (double)n;
    double begun = seconds_of_process();
    while (e->state->event.collisions < end)
        need(mrn_engine_advance(e, e->state->time + 1, INT64_MAX / 4, &msg));
    return seconds_of_process() - begun;
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
    collide(&e, 10, n);
    double before = s.event.collisions, crossings = s.event.crossings;
    double seconds = collide(&e, each, n), done = s.event.collisions - before;
    double cost = 1e9 * seconds / done;
    *first = *first > 0 ? *first : cost;
    printf("%9lld  %8.3f  %7.0f  %6.2f  %6.2f  %6.2f  %6zu\n", (long long)n, 1e-6 * done / seconds,
           cost, cost / *first, log((double)n) / log(1000), (s.event.crossings - crossings) / done,
           mrn_engine_bytes(&e) / (size_t)n);
    fflush(stdout);
    mrn_engine_destroy(&e);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

int main(int argc, char **argv)
{
    double most = argc > 1 ? atof(argv[1]) : 1e6, fraction = argc > 2 ? atof(argv[2]) : 0.3;
    double each = argc > 3 ? atof(argv[3]) : 20, first = 0;
    static const int side[] = {10, 22, 46, 100};
    mrn_threads_set(1);
    printf("elastic spheres, solid fraction %.2f, one core\n", fraction);
    printf("   grains  Mcoll/s  ns/coll  /first  logN/3  cross.  B/body\n");
    for (size_t k = 0; k < sizeof side / sizeof *side; k++)
        if ((double)side[k] * side[k] * side[k] <= most * 1.01)
            measure(side[k], fraction, each, &first);
    return 0;
}
