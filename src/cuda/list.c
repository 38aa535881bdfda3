/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The neighbour list, made on the device: the same pairs by the same rule as on the host
   (detect/build.c), from a grid of one level; grains are put in the order of its cells, and history
   is carried over from the old list by who stood where. How far a list reaches shows in no bit: it
   is chosen by what a device makes of it. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/bits.h"
#include "cuda/cuda.h"
#include "cuda/numbers.h"
#include "detect/list.h"

/* The number whose bits, in order, these are. */
static double of_ordered(uint64_t u)
{
    return mrn_of_bits(u >> 63 ? u & (UINT64_MAX >> 1) : ~u);
}

/* ---- how far a list reaches ---- */

/* With a skin s (in mean radii) a step costs b s more than with none, for pairs that do not touch;
   a list costs as much as B steps and lasts s/2p of them, where p is the longest way in a step: the
   least of b s + 2 p B/s is at s = sqrt(2 p B/b). On an H200 B is about 6 (a list of 10^6 spheres
   in flow), and b about 1.2 (3.3 pairs in place of 2.4 at s = 0.1 cost an eighth). */
static double wanted_skin(const mrn_cuda *c)
{
    double r = c->mean_radius, s = sqrt(10 * c->pace / r);
    return r * fmax(0.01, fmin(s, 0.8));
}

bool mrn_cuda_too_thick(const mrn_cuda *c)
{
    const int64_t some = 64;
    return !c->moved && c->pace >= 0 && c->state->step - c->state->pair.built_at >= some &&
           c->skin > 2 * wanted_skin(c);
}

static double next_skin(const mrn_cuda *c)
{
    const mrn_state *s = c->state;
    const int64_t few = 8;
    double skin = c->pace >= 0 ? wanted_skin(c) : 0.1 * c->mean_radius;
    return s->step - s->pair.built_at < few ? fmin(fmax(skin, 1.5 * c->skin), 0.8 * c->mean_radius)
                                            : skin;
}

/* ---- the grid ---- */

static int64_t number_cells(mrn_gpu_grid *grid)
{
    int64_t cells = 1;
    for (int k = 0; k < 3; k++)
        grid->axis[k] = k;
    for (int k = 1; k < 3; k++) /* shortest first */
        for (int m = k; m > 0 && grid->n[grid->axis[m]] < grid->n[grid->axis[m - 1]]; m--) {
            int32_t other = grid->axis[m];
            grid->axis[m] = grid->axis[m - 1], grid->axis[m - 1] = other;
        }
    for (int k = 0; k < 3; k++) {
        int32_t n = grid->n[grid->axis[k]];
        grid->bits[k] = n >= 4 ? 2 : n >= 2 ? 1 : 0;
        grid->bricks[k] = (n + (1 << grid->bits[k]) - 1) >> grid->bits[k];
        cells *= (int64_t)grid->bricks[k] << grid->bits[k];
    }
    return cells;
}

/* Cells at least as wide as two grains reach; so many that few hold more than one grain, so few
   that empty space costs little. */
static void choose_grid(mrn_cuda *c, const uint64_t bounds[7], double skin, double range)
{
    mrn_gpu *g = &c->g;
    double width = 1.0001 * (2 * c->max_radius + skin + range);
    int64_t most = 4 * (int64_t)g->n + 4096, cells;
    g->grid.reach = skin + range;
    g->grid.wall_reach = 1.5 * skin + range; /* as in detect/build.c */
    do {
        for (int k = 0; k < 3; k++) {
            bool period = g->images.inv[k] != 0;
            double low = period ? 0 : of_ordered(bounds[k]);
            double high = period ? 1 : of_ordered(bounds[3 + k]);
            double length = period ? mrn_images_height(&g->images, k) : high - low;
            double n = floor(length / width);
            n = n < 1 ? 1 : n < 1e6 ? n : 1e6;
            g->grid.n[k] = (int32_t)n;
            g->grid.low[k] = low;
            g->grid.inv[k] = high > low ? n / (high - low) : 0;
        }
        cells = number_cells(&g->grid);
        width *= 1.26;
    } while (cells > most);
    g->n_cells = cells;
}

/* Arrays of bodies go where `from` says. */
static bool sort_bodies(mrn_cuda *c)
{
    mrn_gpu *g = &c->g;
    const int b = (int)mrn_gpu_bytes_of_number(g->mixed);
    struct {
        void *at;
        int size;
    } const a[] = {{g->place, 32},   {g->motion, 8 * b}, {g->pull, 6 * b},
                   {g->q, 4 * b},    {g->image, 12},     {g->id, 4},
                   {g->material, 1}, {g->still, 1},      {g->group, 2}};
    bool ok = true;
    for (int k = 0; k < (int)(sizeof a / sizeof *a) && ok; k++)
        if (a[k].at != NULL)
            ok = c->ops->gather(g->spare, a[k].at, g->from, g->n, a[k].size) &&
                 c->ops->copy(a[k].at, g->spare, (size_t)g->n * (size_t)a[k].size);
    return ok;
}

static bool run(mrn_cuda *c, mrn_gpu_kernel kernel, int64_t n)
{
    const mrn_gpu_step s = {.posed = MRN_GPU_SLOTS};
    return n == 0 || c->ops->run(kernel, &c->g, &s, n);
}

static bool into_cells(mrn_cuda *c)
{
    int64_t total, n = c->g.n;
    return run(c, MRN_GPU_KERNEL_clear_cells, c->g.n_cells) &&
           run(c, MRN_GPU_KERNEL_into_cells, n) &&
           c->ops->scan(c->g.cell_row, c->g.n_cells, &total) &&
           run(c, MRN_GPU_KERNEL_sort_bodies, n) && sort_bodies(c);
}

/* The widest row of every body, or its cell and place there. */
static int64_t sorting_bytes(const mrn_cuda *c)
{
    int64_t motion = MRN_GPU_MOTION * mrn_gpu_bytes_of_number(c->g.mixed), place = 32;
    return (motion > place ? motion : place) * (int64_t)c->g.n;
}

/* The pairs of the old list go to the room of forces, which are computed anew after a list; the
   new list then takes their place. */
static mrn_status lay_aside(mrn_cuda *c, int64_t fresh, mrn_message *msg)
{
    mrn_gpu *g = &c->g;
    const mrn_gpu_ops *ops = c->ops;
    mrn_gpu_list *o = &g->old;
    const mrn_gpu_list from = *o;
    const int64_t number = mrn_gpu_bytes_of_number(g->mixed);
    int64_t n = (from.n + 7) / 8 * 8, row = n * number;
    int64_t bytes = g->width * row + n * (int64_t)(sizeof *o->other + sizeof *o->alive);
    int64_t forces = MRN_GPU_FORCE * number * (fresh > 0 ? fresh : 1), sorting = sorting_bytes(c);
    bytes = bytes > forces ? bytes : forces;
    bytes = bytes > sorting ? bytes : sorting; /* for the next list */
    mrn_cuda_shrink(c, MRN_ROOM_FORCE, bytes);
    mrn_status st = mrn_cuda_room(c, MRN_ROOM_FORCE, bytes, &g->force, msg);
    if (st != MRN_OK)
        return st;
    o->kept = g->force, o->room = n;
    o->other = (int32_t *)((char *)o->kept + g->width * row);
    o->alive = (uint8_t *)(o->other + n);
    bool ok = ops->copy(o->other, from.other, (size_t)from.n * sizeof *o->other) &&
              ops->copy(o->alive, from.alive, (size_t)from.n);
    for (int h = 0; h < g->width && ok; h++)
        ok = ops->copy((char *)o->kept + h * row, (char *)from.kept + h * from.room * number,
                       (size_t)(from.n * number));
    mrn_cuda_shrink(c, MRN_ROOM_LIST + 3, number * g->width * fresh);
    for (int which = MRN_ROOM_LIST + 1; which <= MRN_ROOM_LIST + 2; which++)
        mrn_cuda_shrink(c, which, (int64_t)sizeof(int32_t) * fresh);
    mrn_cuda_shrink(c, MRN_ROOM_OWNER, (int64_t)sizeof(int32_t) * fresh);
    mrn_cuda_shrink(c, MRN_ROOM_BACK, (int64_t)sizeof(int32_t) * fresh);
    return ok ? MRN_OK : mrn_cuda_failed(c, msg);
}

/* Rows of the new list as counts, then as where each begins. */
static bool count_list(mrn_cuda *c, int64_t *own, int64_t *wall)
{
    mrn_gpu *g = &c->g;
    int64_t n = g->n, back = 0;
    return run(c, MRN_GPU_KERNEL_count_pairs, n) &&
           run(c, c->meshes ? MRN_GPU_KERNEL_count_meshes : MRN_GPU_KERNEL_count_walls, n) &&
           c->ops->scan(g->list.row, n, own) && c->ops->scan(g->back_row, n, &back) &&
           c->ops->scan(g->list.wall_row, n, wall);
}

static bool write_list(mrn_cuda *c)
{
    mrn_gpu *g = &c->g;
    const mrn_gpu_ops *ops = c->ops;
    int64_t n = g->n;
    int32_t grains = 0;
    bool ok = run(c, MRN_GPU_KERNEL_write_pairs, n) && run(c, MRN_GPU_KERNEL_write_back, n) &&
              run(c, MRN_GPU_KERNEL_carry_pairs, g->list.n) && mrn_cuda_clear_forces(c) &&
              run(c, c->meshes ? MRN_GPU_KERNEL_write_meshes : MRN_GPU_KERNEL_write_walls, n) &&
              run(c, MRN_GPU_KERNEL_carry_walls, n) && ops->clear(g->counter, sizeof grains) &&
              (g->list.n_wall == 0 || (run(c, MRN_GPU_KERNEL_list_walls, n) &&
                                       ops->get(&grains, g->counter, sizeof grains)));
    g->n_wall_grains = grains;
    return ok;
}

/* The new list, and what contacts remember. */
static mrn_status make_list(mrn_cuda *c, mrn_message *msg)
{
    mrn_gpu *g = &c->g;
    int64_t own = 0, wall = 0;
    mrn_gpu_list fresh = g->old;
    g->old = g->list;
    g->list = fresh;
    c->which = 1 - c->which;
    if (!count_list(c, &own, &wall))
        return mrn_cuda_failed(c, msg);
    if (own > INT32_MAX)
        return mrn_fail(msg, MRN_ERR_RANGE, "more than 2^31 candidate pairs");
    mrn_status st = lay_aside(c, own, msg);
    if (st == MRN_OK)
        st = mrn_cuda_list_room(c, &g->list, c->which, own, wall, msg);
    if (st == MRN_OK && !write_list(c))
        st = mrn_cuda_failed(c, msg);
    return st;
}

/* A body is nowhere: which, and where, the host says. */
static mrn_status explain(mrn_cuda *c, mrn_message *msg)
{
    mrn_status st = mrn_cuda_leave(c, msg);
    if (st == MRN_OK)
        st = mrn_list_check_finite(c->scene, c->state, msg);
    return st != MRN_OK ? st
                        : mrn_fail(msg, MRN_EXPLODED, "a body is too far away at step %lld",
                                   (long long)c->state->step);
}

/* How far grains are from the centres of walls that turn. */
static bool measure_reach(mrn_cuda *c)
{
    const mrn_state *s = c->state;
    for (int32_t w = 0; c->turning && w < s->body.n_walls; w++) {
        uint64_t bits;
        if (!(c->host->reach[w] > 0))
            continue;
        if (!c->ops->reach(&c->g, mrn_load3(s->body.x + 3 * (size_t)w), &bits))
            return false;
        c->host->reach[w] = mrn_of_bits(bits);
    }
    return true;
}

/* What detect/build.c notes of a list. */
static void note(mrn_cuda *c, double skin)
{
    mrn_state *s = c->state;
    mrn_pairs *p = &s->pair;
    memcpy(s->body.x_list, s->body.x, 3 * (size_t)s->body.n_walls * sizeof(double));
    memcpy(p->cell_list, s->cell_size, sizeof s->cell_size);
    memcpy(p->cell_list + 3, s->cell_tilt, sizeof s->cell_tilt);
    p->skin = skin;
    p->builds++;
    p->built_at = s->step;
    p->wall_travel = 0;
    c->way = c->strained = 0;
    c->skin = skin;
}

/* Room for what is needed while a list is made: that of forces. */
static mrn_status make_room(mrn_cuda *c, mrn_message *msg)
{
    mrn_gpu *g = &c->g;
    mrn_status st = mrn_cuda_room(c, MRN_ROOM_FORCE, sorting_bytes(c), &g->force, msg);
    g->spare = g->force;
    g->cell = (int32_t *)g->force;
    g->rank = g->cell + g->n;
    if (st == MRN_OK)
        st = mrn_cuda_room(c, MRN_ROOM_CELL_ROW, 4 * (g->n_cells + 1), &g->cell_row, msg);
    return st;
}

mrn_status mrn_cuda_build(mrn_cuda *c, mrn_message *msg)
{
    mrn_state *s = c->state;
    uint64_t bounds[7];
    double skin = next_skin(c);
    mrn_status st = mrn_list_fit_radius(c->scene, s, c->max_radius, c->range, &skin, msg);
    if (st != MRN_OK)
        return st;
    if (!c->ops->bounds(&c->g) || !c->ops->get(bounds, c->g.bounds, sizeof bounds))
        return mrn_cuda_failed(c, msg);
    if (bounds[6] != 0)
        return explain(c, msg);
    choose_grid(c, bounds, skin, c->range);
    st = make_room(c, msg);
    if (st == MRN_OK && !into_cells(c))
        st = mrn_cuda_failed(c, msg);
    if (st == MRN_OK)
        st = make_list(c, msg);
    if (st != MRN_OK)
        return st;
    note(c, skin);
    return measure_reach(c) ? MRN_OK : mrn_cuda_failed(c, msg);
}
