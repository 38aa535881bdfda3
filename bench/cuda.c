/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smooth engine on a device: copies of a settled periodic tile side by side make beds of any
   size (as bench/smooth.c), at rest or, with gravity leaning, in flow. Prints sphere-steps per
   second of the steps alone (lists included; the way to the device and back is told apart), the
   share of making lists, bytes per sphere on the device, and the hash of the state. Usage:
   bench-cuda [emulated|cuda|cpu][-mixed] [steps] [grains …]   a number after a colon: degrees by
   which gravity leans ("1000000:30") */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tile.h"

static mrn_precision precision = MRN_PRECISION_DOUBLE;

static void add_copy(const mrn_state *tile, mrn_state *s, int32_t i, double dx, double dy)
{
    const mrn_bodies *b = &tile->body;
    mrn_body_def d = mrn_body_default();
    size_t k = 3 * (size_t)i;
    d.x = mrn_v3(b->x[k] + dx, b->x[k + 1] + dy, b->x[k + 2]);
    d.radius = b->radius[i], d.mass = b->mass[i], d.inertia = b->inertia[i];
    d.shape = b->shape[i], d.material = b->material[i], d.group = b->group[i];
    d.flags = b->flags[i];
    if (i < b->n_walls)
        d.q = (mrn_quat){b->q[4 * i], b->q[4 * i + 1], b->q[4 * i + 2], b->q[4 * i + 3]};
    need(mrn_body_add(s, &d, NULL, &msg));
}

static void tile_bed(const mrn_scene *of, const mrn_state *tile, int nx, int ny, mrn_scene *scene,
                     mrn_state *s)
{
    *scene = *of; /* shares its arrays: not destroyed on its own */
    scene->cell.size[0] = nx * tile->cell_size[0];
    scene->cell.size[1] = ny * tile->cell_size[1];
    memset(s, 0, sizeof *s);
    int32_t grains = tile->body.n - tile->body.n_walls;
    need(mrn_bodies_reserve(s, (int64_t)grains * nx * ny + tile->body.n_walls, &msg));
    for (int32_t w = 0; w < tile->body.n_walls; w++)
        add_copy(tile, s, w, 0, 0);
    for (int y = 0; y < ny; y++)
        for (int x = 0; x < nx; x++)
            for (int32_t i = tile->body.n_walls; i < tile->body.n; i++)
                add_copy(tile, s, i, x * tile->cell_size[0], y * tile->cell_size[1]);
    memcpy(s->cell_origin, tile->cell_origin, sizeof s->cell_origin);
    memcpy(s->cell_size, scene->cell.size, sizeof s->cell_size);
    s->h = tile->h;
}

static void measure(const mrn_scene *of, const mrn_state *tile, mrn_device device, int64_t grains,
                    double degrees, int64_t steps)
{
    int64_t tiles = grains / 1000 > 0 ? grains / 1000 : 1;
    int nx = (int)sqrt((double)tiles);
    while (tiles % nx != 0)
        nx--;
    mrn_scene scene;
    mrn_state s;
    mrn_engine e;
    double lean = degrees * MRN_PI / 180, t0 = mrn_clock();
    tile_bed(of, tile, nx, (int)(tiles / nx), &scene, &s);
    scene.device = device;
    scene.precision = precision;
    s.gravity[0] = 9.81 * sin(lean), s.gravity[2] = -9.81 * cos(lean);
    scene.gravity = mrn_load3(s.gravity);
    mrn_signal lateral = scene.gravity_of[0], down = scene.gravity_of[2];
    scene.gravity_of[0].constant = s.gravity[0], scene.gravity_of[2].constant = s.gravity[2];
    need(mrn_engine_create(&scene, &s, NULL, &e, &msg));
    double t1 = mrn_clock();
    need(mrn_engine_step(&e, steps, &msg)); /* warms up, and settles among the copies */
    mrn_step_times a = mrn_engine_times(&e);
    double t2 = mrn_clock();
    need(mrn_engine_step(&e, steps, &msg));
    mrn_step_times b = mrn_engine_times(&e);
    double t3 = mrn_clock(), list = b.list - a.list;
    double all = device == MRN_DEVICE_CPU ? t3 - t2 : list + b.forces - a.forces;
    double n = (double)(s.body.n - s.body.n_walls);
    printf(
        "%10.0f spheres %3.0f deg %7lld steps %10.3e sphere-steps/s  lists %5.2f %% (%lld)  %6.0f "
        "B/sphere  %5.2f contacts/sphere  way %.3g s  made %.3g s  hash %016llx\n",
        n, degrees, (long long)steps, n * (double)steps / all, 100 * list / all,
        (long long)s.pair.builds, (double)mrn_engine_bytes(&e) / n, (double)s.contacts / n,
        t3 - t2 - all, t1 - t0, (unsigned long long)mrn_state_hash(&s));
    fflush(stdout);
    scene.gravity_of[0] = lateral, scene.gravity_of[2] = down;
    mrn_engine_destroy(&e);
    mrn_state_destroy(&s);
}

int main(int argc, char **argv)
{
    mrn_scene scene;
    mrn_state tile = {0};
    mrn_smooth *e = NULL;
    const char *word = argc > 1 ? argv[1] : "emulated";
    mrn_device device = strncmp(word, "cuda", 4) == 0 ? MRN_DEVICE_CUDA
                        : strcmp(word, "cpu") == 0    ? MRN_DEVICE_CPU
                                                      : MRN_DEVICE_EMULATED;
    int64_t steps = argc > 2 ? atoll(argv[2]) : 200;
    mrn_threads_set(1); /* a tile is small */
    need(mrn_scene_read_text(TILE, "tile", NULL, 0, &scene, &msg));
    need(mrn_world_build(&scene, &tile, &msg));
    if (strstr(word, "-mixed") != NULL)
        precision = MRN_PRECISION_MIXED;
    tile.h = mrn_smooth_step_limit(&scene, &tile).advised;
    need(mrn_smooth_create(&scene, &tile, &e, &msg));
    need(mrn_smooth_step(e, (int64_t)(0.25 / tile.h), &msg));
    mrn_smooth_destroy(&e);
    mrn_threads_set(0);
    for (int k = 3; k < (argc > 3 ? argc : 4); k++) {
        const char *lean = argc > 3 ? strchr(argv[k], ':') : NULL;
        measure(&scene, &tile, device, argc > 3 ? (int64_t)atof(argv[k]) : 1000,
                lean != NULL ? atof(lean + 1) : 0, steps);
    }
    mrn_state_destroy(&tile);
    mrn_scene_destroy(&scene);
    return 0;
}
