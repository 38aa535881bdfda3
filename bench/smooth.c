/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smooth engine on a settled bed: a periodic tile of grains is poured and comes to rest, then
   copies of it side by side make beds of any size. Prints million body-steps per second and bytes
   per body; both should not depend on the size. Usage: bench-smooth [largest number of grains]
   [threads] [smallest] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tile.h"

static void add_copy(const mrn_state *tile, mrn_state *s, int32_t i, double dx, double dy)
{
    const mrn_bodies *b = &tile->body;
    mrn_body_def d = mrn_body_default();
    size_t k = 3 * (size_t)i;
    d.x = mrn_v3(b->x[k] + dx, b->x[k + 1] + dy, b->x[k + 2]);
    d.radius = b->radius[i], d.mass = b->mass[i], d.inertia = b->inertia[i];
    d.shape = b->shape[i], d.material = b->material[i], d.group = b->group[i],
    d.flags = b->flags[i];
    if (i < b->n_walls)
        d.q = (mrn_quat){b->q[4 * i], b->q[4 * i + 1], b->q[4 * i + 2], b->q[4 * i + 3]};
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

static int by_value(const void *a, const void *b)
{
    double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}

static void measure(const mrn_scene *tile_scene, const mrn_state *tile, int64_t grains)
{
    int64_t tiles = grains / 1000;
    int nx = (int)sqrt((double)tiles), ny;
    while (tiles % nx != 0)
        nx--;
    ny = (int)(tiles / nx);
    mrn_scene scene;
    mrn_state s;
    mrn_smooth *e;
    size_t before = mrn_bytes_in_use();
    tile_bed(tile_scene, tile, nx, ny, &scene, &s);
    need(mrn_smooth_create(&scene, &s, &e, &msg));
    int64_t steps = 4000000 / grains < 10 ? 10 : 4000000 / grains;
    need(mrn_smooth_step(e, 20, &msg));
    double rate[5];
    for (int k = 0; k < 5; k++) {
        double t = mrn_clock();
        need(mrn_smooth_step(e, steps, &msg));
        rate[k] = 1e-6 * (double)(steps * grains) / (mrn_clock() - t);
    }
    qsort(rate, 5, sizeof *rate, by_value);
    mrn_step_times p = mrn_smooth_times(e);
    double all = p.forces + p.bodies + p.list + p.walls;
    printf("%10lld %12.2f %9.2f…%-6.2f %10.0f %10.2f   %3.0f %% %3.0f %% %3.0f %% %3.0f %%\n",
           (long long)grains, rate[2], rate[0], rate[4],
           (double)(mrn_bytes_in_use() - before) / (double)grains,
           2.0 * (double)s.contacts / (double)grains, 100 * p.forces / all, 100 * p.bodies / all,
           100 * p.list / all, 100 * p.walls / all);
    fflush(stdout);
    mrn_smooth_destroy(&e);
    mrn_state_destroy(&s);
}

int main(int argc, char **argv)
{
    int64_t largest = argc > 1 ? atoll(argv[1]) : 1000000;
    int threads = mrn_threads_set(argc > 2 ? atoi(argv[2]) : 1);
    mrn_scene scene;
    mrn_state tile = {0};
    mrn_smooth *e = NULL;
    need(mrn_scene_read_text(TILE, "bench", NULL, 0, &scene, &msg));
    need(mrn_world_build(&scene, &tile, &msg));
    tile.h = mrn_smooth_step_limit(&scene, &tile).advised;
    need(mrn_smooth_create(&scene, &tile, &e, &msg));
    need(mrn_smooth_step(e, (int64_t)(0.25 / tile.h), &msg));
    printf("settled bed, Hertz-Mindlin with history, step %.3g s, %d thread%s\n", tile.h, threads,
           threads == 1 ? "" : "s");
    printf("%10s %12s %16s %10s %10s   %s\n", "grains", "Mbody-step/s", "range", "bytes/body",
           "coord.", "forces bodies list walls");
    for (int64_t n = argc > 3 ? atoll(argv[3]) : 1000; n <= largest; n *= 10)
        measure(&scene, &tile, n);
    mrn_smooth_destroy(&e);
    mrn_state_destroy(&tile);
    mrn_scene_destroy(&scene);
    return 0;
}
