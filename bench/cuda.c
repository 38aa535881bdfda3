/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The smooth engine on a device: copies of a settled periodic tile side by side make beds of any
   size (as bench/smooth.c), at rest or, with gravity leaning, in flow. Prints sphere-steps per
   second of the steps alone (lists included; the way to the device and back is told apart), the
   share of making lists, bytes per sphere on the device, and the hash of the state. Usage:
   bench-cuda [emulated|cuda|cpu][-mixed] [steps] [grains …]   a number after a colon: degrees by
   which gravity leans ("1000000:30"); "1000000:drum": copies of a slice of a turning drum instead,
   one behind the other along its axis; "mixed", "double", "steps=N" and "tiles=FOLDER" (where the
   tiles that are copied are kept once they have settled) count for what follows */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tile.h"

static mrn_precision precision = MRN_PRECISION_DOUBLE;

/* Two thousand beads of the tile in a drum of 25 diameters, half full, that turns with a Froude
   number of 0.05: a layer runs down its surface, the rest goes around with the wall. */
static const char *const DRUM =
    "moraine: 1\n"
    "materials: {glass: {density: 2500 kg/m3, young: 50 MPa, poisson: 0.25}}\n"
    "interactions: [{between: [glass, glass], law: hertz-mindlin, restitution: 0.5, friction: "
    "0.4}]\n"
    "bodies:\n"
    "  - {name: beads, shape: {sphere: {diameter: {uniform: [1.8 mm, 2.2 mm]}}}, count: 2000,\n"
    "     place: {fill: {box: [[-18 mm, 0, -17 mm], [18 mm, 16 mm, 17 mm]]}}}\n"
    "walls:\n"
    "  - {name: drum, cylinder: {point: [0, 0, 0], axis: [0, 1, 0], radius: 25 mm},\n"
    "     motion: {spin: [0, 42 rpm, 0]}}\n"
    "cell: {periodic: [y], size: [1 m, 16 mm, 1 m]}\n"
    "gravity: [0, 0, -9.81]\n"
    "stages: [{until: {time: 0.4 s}}]\n";

/* A small world from which beds of any size are made. */
typedef struct tile_world {
    mrn_scene scene;
    mrn_state state;
} tile_world;

static void add_copy(const mrn_state *tile, mrn_state *s, int32_t i, double dx, double dy)
{
    const mrn_bodies *b = &tile->body;
    mrn_body_def d = mrn_body_default();
    size_t k = 3 * (size_t)i;
    d.x = mrn_v3(b->x[k] + dx, b->x[k + 1] + dy, b->x[k + 2]);
    d.radius = b->radius[i], d.mass = b->mass[i], d.inertia = b->inertia[i];
    d.shape = b->shape[i], d.material = b->material[i], d.group = b->group[i];
    d.flags = b->flags[i];
    d.v = mrn_load3(b->v + k), d.w = mrn_load3(b->w + k);
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

/* Gravity leans by so many degrees. */
static void lean_by(mrn_scene *scene, mrn_state *s, double degrees)
{
    double lean = degrees * MRN_PI / 180;
    s->gravity[0] = 9.81 * sin(lean), s->gravity[2] = -9.81 * cos(lean);
    scene->gravity = mrn_load3(s->gravity);
    scene->gravity_of[0].constant = s->gravity[0], scene->gravity_of[2].constant = s->gravity[2];
}

static void report(mrn_engine *e, const mrn_state *s, const char *what, int64_t steps, double wall,
                   double all, double list, double made)
{
    double n = (double)(s->body.n - s->body.n_walls);
    printf("%10.0f spheres %8s %7lld steps %10.3e sphere-steps/s  lists %5.2f %% (%lld)  %6.0f "
           "B/sphere  %5.2f contacts/sphere  way %.3g s  made %.3g s  hash %016llx\n",
           n, what, (long long)steps, n * (double)steps / all, 100 * list / all,
           (long long)s->pair.builds, (double)mrn_engine_bytes(e) / n, (double)s->contacts / n,
           wall - all, made, (unsigned long long)mrn_state_hash(s));
    fflush(stdout);
}

static void measure(const tile_world *of, mrn_device device, int nx, int ny, double degrees,
                    const char *what, int64_t steps)
{
    mrn_scene scene;
    mrn_state s;
    mrn_engine e;
    double t0 = mrn_clock();
    tile_bed(&of->scene, &of->state, nx, ny, &scene, &s);
    scene.device = device;
    scene.precision = precision;
    const mrn_signal across = scene.gravity_of[0], down = scene.gravity_of[2];
    lean_by(&scene, &s, degrees);
    need(mrn_engine_create(&scene, &s, NULL, &e, &msg));
    double t1 = mrn_clock();
    need(mrn_engine_step(&e, steps, &msg)); /* warms up, and settles among the copies */
    mrn_step_times a = mrn_engine_times(&e);
    double t2 = mrn_clock();
    need(mrn_engine_step(&e, steps, &msg));
    mrn_step_times b = mrn_engine_times(&e);
    double wall = mrn_clock() - t2, list = b.list - a.list;
    report(&e, &s, what, steps, wall, device == MRN_DEVICE_CPU ? wall : list + b.forces - a.forces,
           list, t1 - t0);
    scene.gravity_of[0] = across, scene.gravity_of[2] = down;
    mrn_engine_destroy(&e);
    mrn_state_destroy(&s);
}

/* A folder in which tiles are kept once they have settled; NULL: they settle in every run. */
static const char *folder = NULL;

/* The tile of that name, if it has been kept; else where it is to be. */
static bool recall(tile_world *to, const char *name, char *path, size_t size)
{
    mrn_message none = {0};
    path[0] = '\0';
    if (folder == NULL)
        return false;
    snprintf(path, size, "%s/%s.h5", folder, name);
    return mrn_checkpoint_read(path, &to->scene, &to->state, &none) == MRN_OK;
}

/* A settled bed, or a drum that has turned until its surface flows. */
static void settle(tile_world *to, const char *text, const char *name, double seconds)
{
    mrn_smooth *e = NULL;
    char path[4096];
    memset(&to->state, 0, sizeof to->state);
    need(mrn_scene_read_text(text, name, NULL, 0, &to->scene, &msg));
    if (recall(to, name, path, sizeof path))
        return;
    memset(&to->state, 0, sizeof to->state);
    mrn_threads_set(1); /* it is small */
    need(mrn_world_build(&to->scene, &to->state, &msg));
    to->state.h = mrn_smooth_step_limit(&to->scene, &to->state).advised;
    need(mrn_smooth_create(&to->scene, &to->state, &e, &msg));
    need(mrn_smooth_step(e, (int64_t)(seconds / to->state.h), &msg));
    mrn_smooth_destroy(&e);
    mrn_threads_set(0);
    if (path[0] != '\0')
        need(mrn_checkpoint_write(path, &to->scene, &to->state, &msg));
}

static void discard(tile_world *w)
{
    mrn_state_destroy(&w->state);
    mrn_scene_destroy(&w->scene);
}

/* What beds and drums are copies of; made when they are asked for. */
typedef struct tiles {
    tile_world bed, drum;
    bool has_bed, has_drum;
} tiles;

static void measure_drum(tiles *of, mrn_device device, int64_t slices, int64_t steps)
{
    if (!of->has_drum)
        settle(&of->drum, DRUM, "drum", 0.4);
    of->has_drum = true;
    measure(&of->drum, device, 1, (int)(slices > 0 ? slices : 1), 0, "drum", steps);
}

/* Words that say how the next are measured. */
static bool is_setting(const char *word, int64_t *steps)
{
    const bool mixed = strcmp(word, "mixed") == 0;
    if (mixed || strcmp(word, "double") == 0)
        precision = mixed ? MRN_PRECISION_MIXED : MRN_PRECISION_DOUBLE;
    else if (strncmp(word, "steps=", 6) == 0)
        *steps = atoll(word + 6);
    else if (strncmp(word, "tiles=", 6) == 0)
        folder = word + 6;
    else
        return false;
    printf("%s\n", word);
    return true;
}

/* One word of the command line: grains, grains:degrees or grains:drum. */
static void measure_word(tiles *of, mrn_device device, const char *word, int64_t steps)
{
    const char *more = strchr(word, ':');
    int64_t grains = (int64_t)atof(word), copies = grains / 1000 > 0 ? grains / 1000 : 1;
    if (more != NULL && strcmp(more, ":drum") == 0) {
        measure_drum(of, device, grains / 2000, steps);
        return;
    }
    int nx = (int)sqrt((double)copies);
    while (copies % nx != 0)
        nx--;
    double degrees = more != NULL ? atof(more + 1) : 0;
    char what[32];
    if (!of->has_bed)
        settle(&of->bed, MRN_BENCH_TILE, "tile", 0.25);
    of->has_bed = true;
    snprintf(what, sizeof what, "%.0f deg", degrees);
    measure(&of->bed, device, nx, (int)(copies / nx), degrees, what, steps);
}

int main(int argc, char **argv)
{
    tiles of = {.has_bed = false};
    const char *word = argc > 1 ? argv[1] : "emulated";
    mrn_device device = strncmp(word, "cuda", 4) == 0 ? MRN_DEVICE_CUDA
                        : strcmp(word, "cpu") == 0    ? MRN_DEVICE_CPU
                                                      : MRN_DEVICE_EMULATED;
    int64_t steps = argc > 2 ? atoll(argv[2]) : 200;
    if (strstr(word, "-mixed") != NULL)
        precision = MRN_PRECISION_MIXED;
    if (argc < 4)
        measure_word(&of, device, "1000", steps);
    for (int k = 3; k < argc; k++)
        if (!is_setting(argv[k], &steps))
            measure_word(&of, device, argv[k], steps);
    if (of.has_bed)
        discard(&of.bed);
    if (of.has_drum)
        discard(&of.drum);
    return 0;
}
