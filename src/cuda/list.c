/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The neighbour list, made on the device: the same pairs by the same rule as on the host
   (detect/build.c), from a grid of one level; grains are put in the order of its cells, and history
   is carried over from the old list by who stood where. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/bits.h"
#include "cuda/cuda.h"
#include "detect/list.h"

/* The number whose bits, in order, these are. */
static double of_ordered(uint64_t u)
{
    return mrn_of_bits(u >> 63 ? u & (UINT64_MAX >> 1) : ~u);
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
        cells = 1;
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
            cells *= g->grid.n[k];
        }
        width *= 1.26;
    } while (cells > most);
    g->n_cells = cells;
}

/* Arrays of bodies go where `from` says. */
static bool sort_bodies(mrn_cuda *c)
{
    mrn_gpu *g = &c->g;
    struct {
        void *at;
        int size;
    } const a[] = {{g->place, 32}, {g->motion, 64}, {g->pull, 48},    {g->q, 32},   {g->x_list, 24},
                   {g->image, 12}, {g->id, 4},      {g->material, 1}, {g->still, 1}};
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

/* The new list, and what contacts remember. */
static mrn_status make_list(mrn_cuda *c, mrn_message *msg)
{
    mrn_gpu *g = &c->g;
    const mrn_gpu_ops *ops = c->ops;
    int64_t n = g->n, own = 0, back = 0, wall = 0;
    mrn_gpu_list fresh = g->old;
    g->old = g->list;
    g->list = fresh;
    c->which = 1 - c->which;
    bool ok = run(c, MRN_GPU_KERNEL_count_pairs, n) && run(c, MRN_GPU_KERNEL_count_walls, n) &&
              ops->scan(g->list.row, n, &own) && ops->scan(g->back_row, n, &back) &&
              ops->scan(g->list.wall_row, n, &wall);
    if (!ok)
        return mrn_cuda_failed(c, msg);
    if (own > INT32_MAX)
        return mrn_fail(msg, MRN_ERR_RANGE, "more than 2^31 candidate pairs");
    mrn_status st = mrn_cuda_list_room(c, &g->list, c->which, own, wall, msg);
    if (st != MRN_OK)
        return st;
    int32_t grains = 0;
    ok = run(c, MRN_GPU_KERNEL_write_pairs, n) && run(c, MRN_GPU_KERNEL_write_back, n) &&
         run(c, MRN_GPU_KERNEL_carry_pairs, own) && mrn_cuda_clear_forces(c) &&
         run(c, MRN_GPU_KERNEL_write_walls, n) && run(c, MRN_GPU_KERNEL_carry_walls, n) &&
         ops->clear(g->rank, sizeof grains) &&
         (wall == 0 ||
          (run(c, MRN_GPU_KERNEL_list_walls, n) && ops->get(&grains, g->rank, sizeof grains))) &&
         run(c, MRN_GPU_KERNEL_note_places, n);
    g->n_wall_grains = grains;
    return ok ? MRN_OK : mrn_cuda_failed(c, msg);
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
    c->g.images_list = c->g.images;
}

mrn_status mrn_cuda_build(mrn_cuda *c, mrn_message *msg)
{
    mrn_state *s = c->state;
    uint64_t bounds[7];
    double skin = mrn_list_next_skin(s, 0.1 * c->mean_radius);
    mrn_status st = mrn_list_fit_radius(c->scene, s, c->max_radius, 0, &skin, msg);
    if (st != MRN_OK)
        return st;
    if (!c->ops->bounds(&c->g) || !c->ops->get(bounds, c->g.bounds, sizeof bounds))
        return mrn_cuda_failed(c, msg);
    if (bounds[6] != 0)
        return explain(c, msg);
    choose_grid(c, bounds, skin, 0);
    /* forces are computed anew after a list: their room serves while grains change places */
    c->g.spare = c->g.force;
    if (c->bytes[MRN_ROOM_FORCE] < 64 * (int64_t)c->g.n)
        st = mrn_cuda_room(c, MRN_ROOM_SPARE, 64 * (int64_t)c->g.n, &c->g.spare, msg);
    if (st == MRN_OK)
        st = mrn_cuda_room(c, MRN_ROOM_CELL_ROW, 4 * (c->g.n_cells + 1), &c->g.cell_row, msg);
    if (st == MRN_OK && !into_cells(c))
        st = mrn_cuda_failed(c, msg);
    if (st == MRN_OK)
        st = make_list(c, msg);
    if (st != MRN_OK)
        return st;
    note(c, skin);
    return measure_reach(c) ? MRN_OK : mrn_cuda_failed(c, msg);
}
