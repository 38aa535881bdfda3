/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine bench, continued: the standard worlds. A periodic tile comes to rest and copies of it
   side by side make beds of any size in the same state; a gas fills a cell of any size. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "bench_tile.h"

static const mrn_speed_set sets[] = {
    {"smooth", "settled bed of spheres, Hertz-Mindlin with history, ledger on", MRN_BENCH_TILE, 0,
     0.25, false, false},
    {"nonsmooth", "settled bed of rigid spheres with friction, 50 sweeps in every step",
     "moraine: 1\n"
     "method: nonsmooth\n"
     "materials: {stone: {density: 2600 kg/m3}}\n"
     "interactions: [{between: [stone, stone], law: rigid, friction: 0.4}]\n"
     "bodies: [{name: grains, shape: {sphere: {diameter: {uniform: [9 mm, 11 mm]}}}, count: 500,\n"
     "  place: {fill: {box: [[0, 0, 0], [8 cm, 8 cm, 14 cm]]}}}]\n"
     "walls: [{plane: {point: [0, 0, 0], normal: [0, 0, 1]}, name: floor}]\n"
     "cell: {periodic: [x, y], size: [8 cm, 8 cm, 1 m]}\n"
     "gravity: [0, 0, -9.81]\n"
     "nonsmooth: {criterion: mean, tolerance: 1e-30, max-iterations: 50, check-every: 50,\n"
     "  unsolved: go-on}\n"
     "stages: [{until: {time: 1 s}}]\n",
     1e-3, 0.4, false, false},
    {"event", "elastic gas of hard spheres, solid fraction 0.3",
     "moraine: 1\n"
     "method: event\n"
     "materials: {bead: {density: 1000 kg/m3}}\n"
     "interactions: [{between: any, law: rigid, restitution: 1, friction: 0}]\n"
     "bodies: [{name: gas, shape: {sphere: {diameter: 1 m}}, velocity-spread: 1 m/s,\n"
     "  count: %lld, place: {lattice: {box: [[0, 0, 0], [%.17g, %.17g, %.17g]], kind: cubic,\n"
     "  spacing: %.17g}}}]\n"
     "cell: {periodic: [x, y, z], size: [%.17g, %.17g, %.17g]}\n"
     "stages: [{until: {time: 1e9 s}}]\n",
     1e-9, 0, true, false},
    {"quasistatic", "400 disks, isotropic load growing by 1 % in 1000 increments",
     "moraine: 1\n"
     "dimension: 2\n"
     "accuracy: fine\n"
     "materials: {rods: {density: 2600 kg/m3}}\n"
     "interactions: [{between: any, law: linear, normal-stiffness: 1e6 N/m, stiffness-ratio: 0.5,\n"
     "  restitution: 0.3, friction: 0}]\n"
     "bodies: [{name: rods, shape: {disk: {diameter: {uniform: [8 mm, 12 mm]}}}, count: 400,\n"
     "  place: {fill: {box: [[0, 0], [22 cm, 22 cm]]}}}]\n"
     "cell: {periodic: [x, y], size: [22 cm, 22 cm]}\n"
     "damping: {local: 0.7}\n"
     "stages:\n"
     "  - {name: press, cell: {control: {isotropic: 1 kPa, max-rate: 50 1/s}},\n"
     "     until: {unbalanced-force-ratio: 1e-5}, at-most: 1 s}\n"
     "  - {name: load, method: quasistatic, interactions: [{between: any, friction: 0.3}], cell: "
     "{control: {isotropic: \"1000*(1 + 0.01*s)\"}},\n"
     "     quasistatic: {increments: 1000}, until: {time: 1 s}}\n",
     0, 0.8, false, true},
};

int mrn_speed_sets(void)
{
    return (int)(sizeof sets / sizeof *sets);
}

const mrn_speed_set *mrn_speed_set_at(int i)
{
    return &sets[i];
}

void mrn_speed_world_close(mrn_speed_world *w)
{
    mrn_state_destroy(&w->s);
    mrn_scene_destroy(&w->scene);
    *w = (mrn_speed_world){0};
}

mrn_status mrn_speed_world_copy(const mrn_speed_world *from, mrn_speed_world *to, mrn_message *msg)
{
    *to = (mrn_speed_world){.before = mrn_bytes_in_use()};
    mrn_status status = mrn_scene_copy(&from->scene, &to->scene, msg);
    to->before = mrn_bytes_in_use();
    if (status == MRN_OK)
        status = mrn_state_copy(&from->s, &to->s, msg);
    if (status != MRN_OK)
        mrn_speed_world_close(to);
    return status;
}

/* ---- the tile ---- */

static mrn_status settle(const mrn_speed_set *set, mrn_speed_world *w, mrn_message *msg)
{
    mrn_engine e = {0};
    mrn_status status = mrn_engine_create(&w->scene, &w->s, NULL, &e, msg);
    if (status == MRN_OK)
        status = mrn_engine_step(&e, (int64_t)ceil(set->settle / w->s.h), msg);
    mrn_engine_destroy(&e);
    return status == MRN_NOT_CONVERGED ? MRN_OK : status;
}

mrn_status mrn_speed_tile(const mrn_speed_set *set, mrn_speed_world *tile, mrn_message *msg)
{
    *tile = (mrn_speed_world){0};
    if (set->lattice)
        return MRN_OK;
    mrn_step_limit limit;
    mrn_status status = mrn_scene_read_text(set->text, "bench", NULL, 0, &tile->scene, msg);
    if (status == MRN_OK)
        status = mrn_scene_enter_stage(&tile->scene, 0, msg);
    if (status == MRN_OK)
        status = mrn_run_prepare(&tile->scene, &tile->s, &limit, msg);
    if (status == MRN_OK && set->step > 0)
        mrn_state_set_step(&tile->s, set->step);
    if (status == MRN_OK)
        status = settle(set, tile, msg);
    if (status != MRN_OK)
        mrn_speed_world_close(tile);
    return status;
}

/* ---- beds ---- */

static mrn_status add_copy(const mrn_state *tile, mrn_state *s, int32_t i, double dx, double dy,
                           mrn_message *msg)
{
    const mrn_bodies *b = &tile->body;
    mrn_body_def d = mrn_body_default();
    size_t k = 3 * (size_t)i;
    d.x = mrn_v3(b->x[k] + dx, b->x[k + 1] + dy, b->x[k + 2]);
    d.q = (mrn_quat){b->q[4 * i], b->q[4 * i + 1], b->q[4 * i + 2], b->q[4 * i + 3]};
    d.radius = b->radius[i], d.bound = b->bound[i], d.mass = b->mass[i], d.inertia = b->inertia[i];
    d.shape = b->shape[i], d.material = b->material[i], d.group = b->group[i];
    d.flags = b->flags[i], d.part = b->part[i];
    return mrn_body_add(s, &d, NULL, msg);
}

static mrn_status add_tiles(const mrn_state *tile, int nx, int ny, mrn_state *s, mrn_message *msg)
{
    int32_t walls = tile->body.n_walls, grains = tile->body.n - walls;
    mrn_status status = mrn_bodies_reserve(s, (int64_t)grains * nx * ny + walls, msg);
    for (int32_t w = 0; status == MRN_OK && w < walls; w++)
        status = add_copy(tile, s, w, 0, 0, msg);
    for (int t = 0; status == MRN_OK && t < nx * ny; t++) {
        int column = t % nx, row = t / nx;
        for (int32_t i = walls; status == MRN_OK && i < tile->body.n; i++)
            status =
                add_copy(tile, s, i, column * tile->cell_size[0], row * tile->cell_size[1], msg);
    }
    return status;
}

static mrn_status build_bed(const mrn_speed_world *tile, int64_t grains, mrn_speed_world *w,
                            mrn_message *msg)
{
    int64_t each = tile->s.body.n - tile->s.body.n_walls, tiles = (grains + each - 1) / each;
    int nx = (int)sqrt((double)tiles);
    while (tiles % nx != 0)
        nx--;
    int ny = (int)(tiles / nx);
    mrn_status status = mrn_scene_copy(&tile->scene, &w->scene, msg);
    if (status != MRN_OK)
        return status;
    w->before = mrn_bytes_in_use();
    w->scene.cell.size[0] = nx * tile->s.cell_size[0];
    w->scene.cell.size[1] = ny * tile->s.cell_size[1];
    status = add_tiles(&tile->s, nx, ny, &w->s, msg);
    if (status != MRN_OK)
        return status;
    memcpy(w->s.cell_origin, tile->s.cell_origin, sizeof w->s.cell_origin);
    memcpy(w->s.cell_size, tile->s.cell_size, sizeof w->s.cell_size);
    w->s.cell_size[0] = w->scene.cell.size[0], w->s.cell_size[1] = w->scene.cell.size[1];
    memcpy(w->s.gravity, tile->s.gravity, sizeof w->s.gravity);
    mrn_state_set_step(&w->s, tile->s.h);
    return MRN_OK;
}

/* A cube of n^3 grains, as near as may be. */
static mrn_status build_gas(const mrn_speed_set *set, int64_t grains, mrn_speed_world *w,
                            mrn_message *msg)
{
    char text[2048];
    int64_t side = (int64_t)fmax(2, round(cbrt((double)grains)));
    double spacing = cbrt(MRN_PI / 6 / 0.3), l = spacing * (double)side;
    snprintf(text, sizeof text, set->text, (long long)(side * side * side), l, l, l, spacing, l, l,
             l);
    mrn_status status = mrn_scene_read_text(text, "bench", NULL, 0, &w->scene, msg);
    if (status == MRN_OK)
        status = mrn_scene_prepare(&w->scene, msg);
    w->before = mrn_bytes_in_use();
    if (status == MRN_OK)
        status = mrn_world_build(&w->scene, &w->s, msg);
    if (status == MRN_OK)
        mrn_state_set_step(&w->s, set->step);
    return status;
}

/* The tile as it stands, in its last stage, which goes on by another method. */
static mrn_status build_next_stage(const mrn_speed_world *tile, mrn_speed_world *w,
                                   mrn_message *msg)
{
    mrn_status status = mrn_speed_world_copy(tile, w, msg);
    if (status == MRN_OK)
        status = mrn_scene_enter_stage(&w->scene, 1, msg);
    if (status != MRN_OK)
        return status;
    w->s.stage = 1;
    w->s.stage_time = w->s.time;
    mrn_state_set_step(&w->s, mrn_engine_step_limit(&w->scene, &w->s).advised);
    return MRN_OK;
}

mrn_status mrn_speed_build(const mrn_speed_set *set, const mrn_speed_world *tile, int64_t grains,
                           mrn_speed_world *w, mrn_message *msg)
{
    *w = (mrn_speed_world){0};
    mrn_status status = set->lattice  ? build_gas(set, grains, w, msg)
                        : set->single ? build_next_stage(tile, w, msg)
                                      : build_bed(tile, grains, w, msg);
    if (status != MRN_OK)
        mrn_speed_world_close(w);
    return status;
}
