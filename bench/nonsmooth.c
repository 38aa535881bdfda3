/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The non-smooth engine on settled beds of disks, spheres, polygons and polyhedra: a periodic tile
   comes to rest, copies of it side by side make beds of any size. Prints for a fixed number of
   sweeps the million contact-sweeps per second, the time of a step per contact (which should not
   depend on the size) and the bytes per contact, with one thread and with several; then
   the time for a simulated second of a bed that has just been tilted, at a given mean violation.
   Usage: bench-nonsmooth [largest number of contacts] [threads] [disks|spheres|
   rolling-disks|rolling|polygons|polyhedra] [exchange]: storage */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moraine/moraine.h"

enum { SWEEPS = 50, REPEATS = 3 };
#define VIOLATION 1e-4

static mrn_message msg;

static void need(mrn_status s)
{
    if (s == MRN_OK || s == MRN_NOT_CONVERGED)
        return;
    char text[4096];
    mrn_message_format(&msg, text, sizeof text);
    fprintf(stderr, "%s", text);
    exit(1);
}

typedef struct kind {
    const char *name;
    int dimension;
    const char *shape;
    int count;
    const char *fill, *cell, *rolling; /* friction of rolling; "" : none */
} kind;

static const kind KINDS[] = {
    {"disks", 2, "disk: {diameter: {uniform: [9 mm, 11 mm]}}", 400, "[[0, 0], [20 cm, 30 cm]]",
     "{periodic: [x], size: [20 cm, 1 m]}", ""},
    {"spheres", 3, "sphere: {diameter: {uniform: [9 mm, 11 mm]}}", 500,
     "[[0, 0, 0], [8 cm, 8 cm, 14 cm]]", "{periodic: [x, y], size: [8 cm, 8 cm, 1 m]}", ""},
    {"rolling-disks", 2, "disk: {diameter: {uniform: [9 mm, 11 mm]}}", 400,
     "[[0, 0], [20 cm, 30 cm]]", "{periodic: [x], size: [20 cm, 1 m]}", ", rolling-friction: 0.05"},
    {"rolling", 3, "sphere: {diameter: {uniform: [9 mm, 11 mm]}}", 500,
     "[[0, 0, 0], [8 cm, 8 cm, 14 cm]]", "{periodic: [x, y], size: [8 cm, 8 cm, 1 m]}",
     ", rolling-friction: 0.05"},
    {"polygons", 2,
     "polygon: {diameter: {uniform: [9 mm, 11 mm]}, random: {points: 7, elongation: 0.8, "
     "angularity: 0.5, variants: 10}}",
     300, "[[0, 0], [20 cm, 50 cm]]", "{periodic: [x], size: [20 cm, 2 m]}", ""},
    {"polyhedra", 3,
     "polyhedron: {diameter: {uniform: [9 mm, 11 mm]}, crushed: {elongation: 0.75, flatness: "
     "0.75, angularity: 0.5, variants: 10}}",
     300, "[[0, 0, 0], [8 cm, 8 cm, 60 cm]]", "{periodic: [x, y], size: [8 cm, 8 cm, 2 m]}", ""},
};

static void read_tile(const kind *k, const char *storage, mrn_scene *scene)
{
    char text[2048];
    const char *floor =
        k->dimension == 2 ? "point: [0, 0], normal: [0, 1]" : "point: [0, 0, 0], normal: [0, 0, 1]";
    snprintf(text, sizeof text,
             "moraine: 1\n"
             "dimension: %d\n"
             "method: nonsmooth\n"
             "nonsmooth: {storage: %s}\n"
             "materials: {stone: {density: 2600 kg/m3}}\n"
             "interactions: [{between: [stone, stone], law: rigid, friction: 0.4%s}]\n"
             "bodies: [{name: grains, shape: {%s}, count: %d, place: {fill: {box: %s}}}]\n"
             "walls: [{plane: {%s}, name: floor}]\n"
             "cell: %s\n"
             "gravity: %s\n"
             "stages: [{until: {time: 1 s}}]\n",
             k->dimension, storage, k->rolling, k->shape, k->count, k->fill, floor, k->cell,
             k->dimension == 2 ? "[0, -9.81]" : "[0, 0, -9.81]");
    need(mrn_scene_read_text(text, "bench", NULL, 0, scene, &msg));
}

static void settle(mrn_scene *scene, mrn_state *tile)
{
    mrn_nonsmooth *e = NULL;
    need(mrn_world_build(scene, tile, &msg));
    mrn_state_set_step(tile, 1e-3);
    need(mrn_nonsmooth_create(scene, tile, &e, &msg));
    need(mrn_nonsmooth_step(e, 1000, &msg));
    mrn_nonsmooth_destroy(&e);
}

static void add_copy(const mrn_state *tile, mrn_state *s, int32_t i, double dx, double dy)
{
    const mrn_bodies *b = &tile->body;
    mrn_body_def d = mrn_body_default();
    size_t k = 3 * (size_t)i;
    d.x = mrn_v3(b->x[k] + dx, b->x[k + 1] + dy, b->x[k + 2]);
    d.q = (mrn_quat){b->q[4 * i], b->q[4 * i + 1], b->q[4 * i + 2], b->q[4 * i + 3]};
    d.radius = b->radius[i], d.bound = b->bound[i], d.mass = b->mass[i], d.inertia = b->inertia[i];
    d.shape = b->shape[i], d.material = b->material[i], d.group = b->group[i];
    d.flags = b->flags[i], d.part = b->part[i];
    need(mrn_body_add(s, &d, NULL, &msg));
}

/* nx by ny tiles. */
static void tile_bed(const mrn_scene *tile_scene, const mrn_state *tile, int nx, int ny,
                     mrn_scene *scene, mrn_state *s)
{
    *scene = *tile_scene; /* shares its arrays: not destroyed on its own */
    scene->cell.size[0] = nx * tile->cell_size[0];
    scene->cell.size[1] = ny * tile->cell_size[1];
    memset(s, 0, sizeof *s);
    for (int32_t w = 0; w < tile->body.n_walls; w++)
        add_copy(tile, s, w, 0, 0);
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++)
            for (int32_t i = tile->body.n_walls; i < tile->body.n; i++)
                add_copy(tile, s, i, x * tile->cell_size[0], y * tile->cell_size[1]);
    memcpy(s->cell_origin, tile->cell_origin, sizeof s->cell_origin);
    memcpy(s->cell_size, scene->cell.size, sizeof s->cell_size);
    memcpy(s->gravity, tile->gravity, sizeof s->gravity);
    mrn_state_set_step(s, tile->h);
}

/* As many sweeps in every step, whatever they reach. */
static void fix_sweeps(mrn_scene *scene)
{
    scene->nonsmooth.criterion = MRN_STOP_MEAN;
    scene->nonsmooth.tolerance = 1e-30;
    scene->nonsmooth.max_iterations = SWEEPS;
    scene->nonsmooth.check_every = SWEEPS;
    scene->nonsmooth.unsolved = MRN_UNSOLVED_GO_ON;
}

typedef struct timing {
    double step, rate, bytes; /* s per step, contact-sweeps/s, bytes per contact point */
    double list, contacts, assembly, solve, bodies;
    int64_t points;
} timing;

static timing time_steps(const mrn_scene *tile_scene, const mrn_state *tile, int nx, int ny,
                         int threads)
{
    mrn_scene scene;
    mrn_state s;
    mrn_nonsmooth *e = NULL;
    timing best = {.step = INFINITY};
    tile_bed(tile_scene, tile, nx, ny, &scene, &s);
    fix_sweeps(&scene);
    mrn_threads_set(threads);
    need(mrn_nonsmooth_create(&scene, &s, &e, &msg));
    need(mrn_nonsmooth_step(e, 1, &msg));
    for (int k = 0; k < REPEATS; k++) {
        mrn_step_times from = mrn_nonsmooth_times(e);
        double t = mrn_clock();
        need(mrn_nonsmooth_step(e, 2, &msg));
        double each = 0.5 * (mrn_clock() - t);
        mrn_step_times to = mrn_nonsmooth_times(e);
        if (each >= best.step)
            continue;
        best = (timing){.step = each,
                        .rate = (double)(to.contact_sweeps - from.contact_sweeps) /
                                (to.solve - from.solve),
                        .list = to.list - from.list,
                        .contacts = to.contacts - from.contacts,
                        .assembly = to.assembly - from.assembly,
                        .solve = to.solve - from.solve,
                        .bodies = to.bodies - from.bodies,
                        .points = s.contact.n};
    }
    best.bytes = (double)mrn_nonsmooth_bytes(e) / (double)best.points;
    mrn_nonsmooth_destroy(&e);
    mrn_state_destroy(&s);
    return best;
}

static void measure(const kind *k, const mrn_scene *scene, const mrn_state *tile, int64_t points,
                    int threads)
{
    int64_t tiles = points / tile->contact.n > 0 ? points / tile->contact.n : 1;
    int nx = k->dimension == 2 ? (int)tiles : (int)sqrt((double)tiles), ny = (int)(tiles / nx);
    timing s = time_steps(scene, tile, nx, ny, 1), x = time_steps(scene, tile, nx, ny, threads);
    double all = s.list + s.contacts + s.assembly + s.solve + s.bodies;
    printf("%-13s %9lld %9.2f %9.2f %10.2f %10.2f %9.0f   %3.0f %% %3.0f %% %3.0f %% %3.0f %%\n",
           k->name, (long long)s.points, 1e-6 * s.rate, 1e-6 * x.rate,
           1e6 * s.step / (double)s.points, 1e6 * x.step / (double)x.points, s.bytes,
           100 * (s.list + s.contacts) / all, 100 * s.assembly / all, 100 * s.solve / all,
           100 * s.bodies / all);
    fflush(stdout);
}

/* A bed whose gravity has turned by 10 degrees, 50 steps. */
static void tilt(const kind *k, const mrn_scene *scene, const mrn_state *tile)
{
    mrn_scene copy;
    mrn_state s;
    mrn_nonsmooth *e = NULL;
    tile_bed(scene, tile, 1, 1, &copy, &s);
    copy.nonsmooth.criterion = MRN_STOP_MEAN;
    copy.nonsmooth.tolerance = VIOLATION;
    copy.nonsmooth.unsolved = MRN_UNSOLVED_GO_ON;
    double g = 9.81, a = MRN_PI / 18;
    mrn_vec3 down =
        k->dimension == 2 ? mrn_v3(g * sin(a), -g * cos(a), 0) : mrn_v3(g * sin(a), 0, -g * cos(a));
    mrn_store3(s.gravity, down);
    need(mrn_nonsmooth_create(&copy, &s, &e, &msg));
    mrn_store3(s.gravity, down);
    double t = mrn_clock();
    need(mrn_nonsmooth_step(e, 50, &msg));
    t = mrn_clock() - t;
    mrn_step_times p = mrn_nonsmooth_times(e);
    printf("%-13s %9d %9lld %12.1f %14.2f %12.2e\n", k->name, (int)(s.body.n - s.body.n_walls),
           (long long)s.contacts, (double)p.sweeps / 50, t / (50 * s.h), s.nonsmooth.last_residual);
    fflush(stdout);
    mrn_nonsmooth_destroy(&e);
    mrn_state_destroy(&s);
}

int main(int argc, char **argv)
{
    int64_t largest = argc > 1 ? atoll(argv[1]) : 1000000;
    int threads = mrn_threads_set(argc > 2 ? atoi(argv[2]) : 1);
    const int n = (int)(sizeof KINDS / sizeof *KINDS);
    mrn_scene scene[sizeof KINDS / sizeof *KINDS];
    mrn_state tile[sizeof KINDS / sizeof *KINDS];
    bool wanted[sizeof KINDS / sizeof *KINDS];
    memset(tile, 0, sizeof tile);
    for (int k = 0; k < n; k++) {
        wanted[k] = argc <= 3 || strcmp(argv[3], KINDS[k].name) == 0;
        if (!wanted[k])
            continue;
        read_tile(&KINDS[k], argc > 4 ? argv[4] : "stored", &scene[k]);
        settle(&scene[k], &tile[k]);
    }
    printf("settled beds, %d sweeps per step, 1 and %d thread%s; shares of steps of one thread\n",
           SWEEPS, threads, threads == 1 ? "" : "s");
    printf("%-13s %9s %9s %9s %10s %10s %9s   %s\n", "", "contact", "Msweep/s", "Msweep/s",
           "us/step", "us/step", "bytes", "detect assemble solve bodies");
    printf("%-13s %9s %9s %9s %10s %10s %9s\n", "bed", "points", "1 thread", "threads", "1 thread",
           "threads", "/contact");
    for (int k = 0; k < n; k++)
        for (int64_t points = 1000; wanted[k] && points <= largest; points *= 10)
            measure(&KINDS[k], &scene[k], &tile[k], points, threads);
    printf("\na tilted bed, step %g s, mean violation %g\n", 1e-3, VIOLATION);
    printf("%-13s %9s %9s %12s %14s %12s\n", "bed", "grains", "contacts", "sweeps/step",
           "s per sim. s", "natural map");
    for (int k = 0; k < n; k++) {
        if (!wanted[k])
            continue;
        tilt(&KINDS[k], &scene[k], &tile[k]);
        mrn_state_destroy(&tile[k]);
        mrn_scene_destroy(&scene[k]);
    }
    return 0;
}
