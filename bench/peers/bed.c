/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bed that codes are compared on, and our own run of it (bench/peers/compare.sh):
     bench-bed settle TILE        pours a periodic tile of 1000 spheres, lets it come to rest, and
                                  writes places and radii as text
     bench-bed data TILE N FILE   N spheres, copies of the tile side by side, as LAMMPS and LIGGGHTS
                                  read them
     bench-bed yade TILE N FILE   the same as plain columns x y z r
     bench-bed run TILE N STEPS H [DEGREES]
                                  million body-steps per second of the smooth engine on one thread
                                  with steps of H seconds, gravity leaning by so much to the side:
                                  time of the processor for the steps alone, list included */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tile.h"

#define DENSITY 2500.0

typedef struct bed {
    int64_t n;
    double side[2], *x, *r; /* sides of the cell; places (3 each), radii */
} bed;

static void *room(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (p == NULL)
        exit(1);
    return p;
}

/* The settled tile as text, all digits. */
static void settle(const char *path)
{
    mrn_scene scene;
    mrn_state s = {0};
    mrn_smooth *e = NULL;
    mrn_threads_set(1);
    need(mrn_scene_read_text(TILE, "tile", NULL, 0, &scene, &msg));
    need(mrn_world_build(&scene, &s, &msg));
    s.h = mrn_smooth_step_limit(&scene, &s).advised;
    need(mrn_smooth_create(&scene, &s, &e, &msg));
    need(mrn_smooth_step(e, (int64_t)(0.25 / s.h), &msg));
    FILE *f = fopen(path, "w");
    if (f == NULL)
        exit(1);
    for (int32_t i = s.body.n_walls; i < s.body.n; i++) {
        const double *x = s.body.x + 3 * (size_t)i, l = s.cell_size[0];
        fprintf(f, "%.17g %.17g %.17g %.17g\n", x[0] - l * floor(x[0] / l),
                x[1] - l * floor(x[1] / l), x[2], s.body.radius[i]);
    }
    fclose(f);
    mrn_smooth_destroy(&e);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
}

static bed read_bed(const char *path, int64_t n)
{
    enum { TILE_GRAINS = 1000 };
    static double x[TILE_GRAINS][4];
    FILE *f = fopen(path, "r");
    for (int i = 0; f != NULL && i < TILE_GRAINS; i++)
        if (fscanf(f, "%lf %lf %lf %lf", &x[i][0], &x[i][1], &x[i][2], &x[i][3]) != 4)
            exit(1);
    if (f == NULL || n < TILE_GRAINS || n % TILE_GRAINS != 0) {
        fprintf(stderr, "bench-bed: %s must be a tile, %lld whole thousands\n", path, (long long)n);
        exit(2);
    }
    fclose(f);
    int64_t tiles = n / TILE_GRAINS, nx = (int64_t)sqrt((double)tiles);
    while (tiles % nx != 0)
        nx--;
    const double side = 0.016;
    bed b = {n, {side * (double)nx, side * (double)(tiles / nx)}, NULL, NULL};
    b.x = room((size_t)n, 3 * sizeof(double));
    b.r = room((size_t)n, sizeof(double));
    for (int64_t k = 0; k < n; k++) {
        const double *of = x[k % TILE_GRAINS];
        int64_t tile = k / TILE_GRAINS;
        b.x[3 * k] = of[0] + side * (double)(tile % nx);
        b.x[3 * k + 1] = of[1] + side * (double)(tile / nx);
        b.x[3 * k + 2] = of[2];
        b.r[k] = of[3];
    }
    return b;
}

static void write_data(const bed *b, const char *path, bool plain)
{
    FILE *f = fopen(path, "w");
    if (f == NULL)
        exit(1);
    if (plain)
        fprintf(f, "# %.17g %.17g\n", b->side[0], b->side[1]);
    else
        fprintf(f,
                "settled bed\n\n%lld atoms\n1 atom types\n\n0 %.17g xlo xhi\n0 %.17g ylo yhi\n"
                "-0.001 0.1 zlo zhi\n\nAtoms\n\n",
                (long long)b->n, b->side[0], b->side[1]);
    for (int64_t k = 0; k < b->n; k++)
        if (plain)
            fprintf(f, "%.17g %.17g %.17g %.17g\n", b->x[3 * k], b->x[3 * k + 1], b->x[3 * k + 2],
                    b->r[k]);
        else
            fprintf(f, "%lld 1 %.17g %g %.17g %.17g %.17g\n", (long long)k + 1, 2 * b->r[k],
                    DENSITY, b->x[3 * k], b->x[3 * k + 1], b->x[3 * k + 2]);
    fclose(f);
}

/* The grains of the bed in place of those of the tile's scene. */
static void fill(const bed *b, const mrn_state *tile, mrn_state *s)
{
    mrn_body_def wall = mrn_body_default();
    wall.q = (mrn_quat){tile->body.q[0], tile->body.q[1], tile->body.q[2], tile->body.q[3]};
    wall.x = mrn_load3(tile->body.x);
    wall.shape = tile->body.shape[0], wall.material = tile->body.material[0];
    wall.group = tile->body.group[0], wall.flags = tile->body.flags[0];
    wall.mass = tile->body.mass[0], wall.inertia = tile->body.inertia[0];
    need(mrn_bodies_reserve(s, b->n + 1, &msg));
    need(mrn_body_add(s, &wall, NULL, &msg));
    for (int64_t k = 0; k < b->n; k++) {
        mrn_body_def d = mrn_body_default();
        double r = b->r[k];
        d.x = mrn_load3(b->x + 3 * k);
        d.radius = r, d.mass = DENSITY * 4.0 / 3.0 * 3.14159265358979323846 * r * r * r;
        d.inertia = 0.4 * d.mass * r * r;
        d.shape = tile->body.shape[1], d.material = tile->body.material[1];
        d.group = tile->body.group[1], d.flags = tile->body.flags[1];
        need(mrn_body_add(s, &d, NULL, &msg));
    }
}

static void run(const bed *b, int64_t steps, double h, double degrees)
{
    mrn_scene scene;
    mrn_state tile = {0}, s = {0};
    mrn_smooth *e = NULL;
    mrn_threads_set(1);
    need(mrn_scene_read_text(TILE, "tile", NULL, 0, &scene, &msg));
    need(mrn_world_build(&scene, &tile, &msg));
    scene.cell.size[0] = b->side[0], scene.cell.size[1] = b->side[1];
    double lean = degrees * 3.14159265358979323846 / 180;
    scene.gravity = mrn_v3(9.81 * sin(lean), 0, -9.81 * cos(lean));
    for (int k = 0; k < 3; k++) {
        mrn_signal_release(&scene.gravity_of[k]);
        scene.gravity_of[k] = mrn_signal_constant(k == 0   ? scene.gravity.x
                                                  : k == 1 ? scene.gravity.y
                                                           : scene.gravity.z);
    }
    fill(b, &tile, &s);
    memcpy(s.cell_origin, tile.cell_origin, sizeof s.cell_origin);
    memcpy(s.cell_size, scene.cell.size, sizeof s.cell_size);
    s.h = h;
    need(mrn_smooth_create(&scene, &s, &e, &msg));
    clock_t begin = clock();
    need(mrn_smooth_step(e, steps, &msg));
    double t = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("%.4f %.3f %.4f\n", 1e-6 * (double)(steps * b->n) / t,
           2.0 * (double)s.contacts / (double)b->n,
           s.contacts > 0 ? (double)s.sliding / (double)s.contacts : 0);
    mrn_smooth_destroy(&e);
    mrn_state_destroy(&s);
    mrn_state_destroy(&tile);
    mrn_scene_destroy(&scene);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (argc == 3 && strcmp(what, "settle") == 0) {
        settle(argv[2]);
        return 0;
    }
    bool data = strcmp(what, "data") == 0, yade = strcmp(what, "yade") == 0;
    if (!(argc == 5 && (data || yade)) && !((argc == 6 || argc == 7) && strcmp(what, "run") == 0)) {
        fprintf(stderr, "usage: bench-bed settle TILE | data TILE N FILE | yade TILE N FILE | "
                        "run TILE N STEPS H [DEGREES]\n");
        return 2;
    }
    bed b = read_bed(argv[2], atoll(argv[3]));
    if (data || yade)
        write_data(&b, argv[4], yade);
    else
        run(&b, atoll(argv[4]), atof(argv[5]), argc == 7 ? atof(argv[6]) : 0);
    free(b.x), free(b.r);
    return 0;
}
