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

/* A list is made for T steps. Slow grains and walls may go a_0, and the fastest a_1 = 1.25 T p in
   them, where p is its way in a step (lengths in mean radii): a grain gets what it needs at the
   velocity that it has, so that a few fast ones do not make the rows of all longer. With a mean
   allowance of T q a step costs 2 b T q more than with none, for pairs that do not touch, and a
   list as much as B steps: the least of 2 b T q + B/T is at T = sqrt(B / 2 b q). B is measured as
   the run goes; b is about 1.2 on an H200 (3.3 pairs in place of 2.4 at a skin of 0.1 cost an
   eighth), and half of that where so many pairs do not touch that they have a pass of their own;
   q, that of most grains, is taken for a quarter of p, or what walls need. In a cell that
   strains, ways are those beside the flow, and the list reaches as far for all. */
typedef struct plan {
    double skin, most; /* 2 a_0 (m), a_1/a_0 */
    double hurry;      /* a_1/a_0 for 1 m/s  */
} plan;

static double list_cost(const mrn_cuda *c)
{
    const double usual = 4, least = 1.5, most = 30;
    if (!c->ops->timed || !(c->step_time > 0 && c->list_time > 0))
        return usual;
    return fmax(least, fmin(c->list_time / c->step_time, most));
}

/* The longest way of a grain in a step, as far as is known. */
static double fastest(const mrn_cuda *c)
{
    double by_pace = c->pace * (c->g.haste != NULL ? 1 + MRN_GPU_HASTE * c->g.most_haste : 1);
    return c->fast >= 0 ? fmin(1.2 * c->fast, by_pace) : by_pace;
}

static plan wanted(const mrn_cuda *c)
{
    const double r = c->mean_radius, cost = c->sparse ? 0.6 : 1.2, thin = 0.005, thick = 0.5;
    if (c->pace < 0)
        return (plan){.skin = 0.1 * r, .most = 1};
    double p = fastest(c) / r, walls = c->wall_pace / r, b = list_cost(c);
    if (c->g.strains) {
        double s = sqrt(2 * b * c->pace / (cost * r));
        return (plan){.skin = r * fmax(2 * thin, fmin(s, 2 * thick)), .most = 1};
    }
    double slow = 1.1 * fmax(0.15 * p, walls), q = fmax(0.25 * p, 1.1 * walls);
    double steps = q > 0 ? sqrt(b / (2 * cost * q)) : 1e6, longest = thick / (1.25 * p + slow);
    steps = steps < longest ? steps : longest;
    double a0 = fmax(thin, steps * slow), a1 = 1.25 * steps * p;
    const double most = fmax(1, fmin(a1 / a0, 1 + MRN_GPU_HASTE * UINT8_MAX));
    return (plan){.skin = 2 * a0 * r, .most = most, .hurry = 1.25 * steps * c->state->h / (a0 * r)};
}

bool mrn_cuda_too_thick(const mrn_cuda *c)
{
    const int64_t some = 64;
    return !c->moved && c->pace >= 0 && c->state->step - c->state->pair.built_at >= some &&
           c->skin > 2 * wanted(c).skin;
}

static plan next_plan(const mrn_cuda *c)
{
    const mrn_state *s = c->state;
    const int64_t few = 3;
    plan p = wanted(c);
    if (s->step - s->pair.built_at < few)
        p.skin = fmin(fmax(p.skin, 1.5 * c->skin), 0.8 * c->mean_radius);
    return p;
}

/* ---- the grid ---- */

static int64_t number_cells(mrn_gpu_grid *grid)
{
    int axis[3] = {0, 1, 2}, within = 0;
    int64_t bricks = 1;
    for (int k = 1; k < 3; k++) /* shortest first */
        for (int m = k; m > 0 && grid->n[axis[m]] < grid->n[axis[m - 1]]; m--) {
            int other = axis[m];
            axis[m] = axis[m - 1], axis[m - 1] = other;
        }
    for (int k = 0; k < 3; k++) {
        int32_t n = grid->n[k];
        grid->bits[k] = n >= 4 ? 2 : n >= 2 ? 1 : 0;
        within += grid->bits[k];
    }
    grid->inner = axis[0];
    for (int k = 0, shift = 0; k < 3; k++) {
        int a = axis[k], bits = grid->bits[a];
        grid->brick[a] = (int32_t)(bricks << within);
        grid->shift[a] = shift;
        shift += bits;
        bricks *= (grid->n[a] + (1 << bits) - 1) >> bits;
    }
    return bricks << within;
}

/* Cells at least as wide as two grains reach; so many that few hold more than one grain, so few
   that empty space costs little. Grains beyond the bounds count for the cells at the edge: those of
   the last list will do. */
static void choose_grid(mrn_cuda *c, const plan *p)
{
    mrn_gpu *g = &c->g;
    double width = 1.0001 * (2 * c->max_radius + p->skin * p->most + c->range);
    int64_t most = 4 * (int64_t)g->n + 4096, cells;
    g->grid.skin = p->skin;
    g->grid.range = c->range;
    do {
        for (int k = 0; k < 3; k++) {
            bool period = g->images.inv[k] != 0;
            double low = period ? 0 : of_ordered(c->bounds[MRN_GPU_LEAST + k]);
            double high = period ? 1 : of_ordered(c->bounds[MRN_GPU_MOST + k]);
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
    g->grid.unique = 1;
    for (int k = 0; k < 3; k++)
        if (g->images.inv[k] != 0 && g->grid.n[k] < 3)
            g->grid.unique = 0;
}

/* Arrays of bodies go where `from` says. */
static bool sort_bodies(mrn_cuda *c)
{
    mrn_gpu *g = &c->g;
    const int b = (int)mrn_gpu_bytes_of_number(g->mixed);
    struct {
        void *at;
        int size;
    } const a[] = {{g->place, 32},   {g->motion, (int)mrn_gpu_motion_row(g->mixed) * b},
                   {g->pull, 6 * b}, {g->heft, 16},
                   {g->q, 4 * b},    {g->image, 12},
                   {g->id, 4},       {g->material, 1},
                   {g->still, 1},    {g->group, 2},
                   {g->carried, 4}};
    bool ok = true;
    for (int k = 0; k < (int)(sizeof a / sizeof *a) && ok; k++)
        if (a[k].at != NULL)
            ok = c->ops->gather(c->device, g->spare, a[k].at, g->from, g->n, a[k].size) &&
                 c->ops->copy(c->device, a[k].at, g->spare, (size_t)g->n * (size_t)a[k].size);
    return ok;
}

static bool run(mrn_cuda *c, mrn_gpu_kernel kernel, int64_t n)
{
    const mrn_gpu_step s = {.posed = MRN_GPU_SLOTS};
    return n == 0 || c->ops->run(c->device, kernel, &c->g, &s, n);
}

/* Bodies in the order of cells, or, if they were put so a few lists ago, who stands there. */
static bool into_cells(mrn_cuda *c)
{
    mrn_gpu *g = &c->g;
    const int often = 4;
    const int64_t long_ago = 64;
    const mrn_state *s = c->state;
    bool sort = c->unsorted >= often || s->step - s->pair.built_at > long_ago;
    c->unsorted = sort ? 1 : c->unsorted + 1;
    g->order = sort ? NULL : g->from;
    g->stood = sort ? g->from : NULL;
    const size_t cells = sizeof *g->cell_row * (size_t)(g->n_cells + 1);
    return c->ops->clear(c->device, g->cell_row, cells) &&
           run(c, MRN_GPU_KERNEL_into_cells, g->n) &&
           c->ops->scan(c->device, g->cell_row, g->n_cells) &&
           run(c, MRN_GPU_KERNEL_sort_bodies, g->n) && (!sort || sort_bodies(c)) &&
           (g->carried == NULL || !sort || run(c, MRN_GPU_KERNEL_find_spheres, g->n));
}

/* ---- room ---- */

/* Forces are computed anew after a list: where they stood it is made. First the order of bodies,
   cells and rows of the old list, then what the bodies' arrays are sorted through, and after that
   the pairs of the old list. */
typedef struct scratch {
    int64_t from, cell_row, row, wall_row, rest, end; /* bytes where each begins */
} scratch;

static int64_t whole(int64_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

static scratch lay_out(const mrn_cuda *c)
{
    const mrn_gpu *g = &c->g;
    const int64_t number = mrn_gpu_bytes_of_number(g->mixed), rows = whole(4 * ((int64_t)g->n + 1));
    const int64_t pairs = whole(g->list.n);
    scratch s = {.cell_row = rows};
    s.row = s.cell_row + whole(4 * (g->n_cells + 1));
    s.wall_row = s.row + rows;
    s.rest = s.wall_row + rows;
    const int64_t motion = mrn_gpu_motion_row(g->mixed) * number,
                  sorting = motion > 32 ? motion : 32;
    int64_t old = pairs * (g->width * number + 5);
    s.end = s.rest + (sorting * g->n > old ? sorting * g->n : old);
    return s;
}

static mrn_status make_room(mrn_cuda *c, const scratch *s, mrn_message *msg)
{
    mrn_gpu *g = &c->g;
    mrn_status st = mrn_cuda_room(c, MRN_ROOM_FORCE, s->end, &g->force, msg);
    char *at = (char *)g->force;
    g->from = (int32_t *)(at + s->from);
    g->cell_row = (int32_t *)(at + s->cell_row);
    g->spare = at + s->rest;
    g->cell = (int32_t *)g->spare;
    g->rank = g->cell + g->n;
    return st;
}

/* The old list goes there, and the new one takes its place. */
static bool lay_aside(mrn_cuda *c, const scratch *s)
{
    mrn_gpu *g = &c->g;
    mrn_gpu_list *o = &g->old;
    const int64_t n = whole(g->list.n), row = n * mrn_gpu_bytes_of_number(g->mixed);
    char *at = (char *)g->force;
    *o = g->list;
    o->row = (int32_t *)(at + s->row);
    o->wall_row = (int32_t *)(at + s->wall_row);
    o->kept = (double *)(at + s->rest), o->room = n;
    o->other = (int32_t *)(at + s->rest + g->width * row);
    o->alive = (uint8_t *)(o->other + n);
    c->which = 1 - c->which;
    return run(c, MRN_GPU_KERNEL_lay_aside, g->list.n > g->n ? g->list.n : (int64_t)g->n + 1);
}

/* ---- the list ---- */

/* How far grains are from the axes of walls that turn. */
static bool measure_reach(mrn_cuda *c)
{
    const mrn_state *s = c->state;
    for (int32_t w = 0; c->turning && w < s->body.n_walls; w++)
        if (c->host->reach[w] > 0 &&
            !c->ops->reach(c->device, &c->g, mrn_load3(s->body.x + 3 * (size_t)w),
                           mrn_drive_wall_axis(&c->scene->wall[w].motion), w))
            return false;
    return true;
}

/* What was found comes to the host: numbers of pairs, and how far from walls that turn grains are.
 */
static bool ask(mrn_cuda *c)
{
    const size_t walls = (size_t)c->state->body.n_walls;
    double *reach = c->from;
    const mrn_gpu_copy told[] = {{c->bounds, c->g.bounds, sizeof c->bounds},
                                 {reach, c->g.bounds + MRN_GPU_BOUNDS, walls * sizeof *reach}};
    if (!c->ops->fetch(c->device, c->turning ? 2 : 1, told))
        return false;
    for (size_t w = 0; c->turning && w < walls; w++)
        if (c->host->reach[w] > 0)
            c->host->reach[w] = reach[w];
    return true;
}

/* Whether what was found has room, and not far too much of it. */
static bool has_room(const mrn_cuda *c, int64_t own, int64_t wall)
{
    const mrn_gpu *g = &c->g;
    return own <= g->pair_room && wall <= g->list.wall_room && g->pair_room <= own + own / 4 + 8192;
}

/* Searched for once; again only where there was too little room, or far too much. */
static mrn_status search(mrn_cuda *c, mrn_message *msg)
{
    mrn_gpu *g = &c->g;
    const mrn_gpu_step s = {.posed = MRN_GPU_SLOTS};
    int64_t own = g->old.n, wall = g->old.n_wall;
    mrn_status st = MRN_OK;
    bool fits = false;
    for (int tries = 0; st == MRN_OK && !fits && tries < 3; tries++) {
        st = mrn_cuda_list_room(c, own, wall, msg);
        if (st != MRN_OK)
            return st;
        g->sieve = (float *)g->list.kept; /* nothing stands there yet */
        if (!run(c, MRN_GPU_KERNEL_sieve, g->n) || !c->ops->pairs(c->device, g) ||
            !c->ops->wall_pairs(c->device, g, &s, c->meshes) || !measure_reach(c) || !ask(c))
            return mrn_cuda_failed(c, msg);
        own = (int64_t)c->bounds[MRN_GPU_FOUND_OWN], wall = (int64_t)c->bounds[MRN_GPU_FOUND_WALLS];
        if (own > INT32_MAX)
            return mrn_fail(msg, MRN_ERR_RANGE, "more than 2^31 candidate pairs");
        fits = has_room(c, own, wall);
    }
    g->list.n = own, g->list.n_wall = wall;
    g->n_wall_grains = (int64_t)c->bounds[MRN_GPU_FOUND_WALL_GRAINS];
    return st;
}

/* The new list, and what contacts remember. */
static mrn_status make_list(mrn_cuda *c, const scratch *at, mrn_message *msg)
{
    if (!lay_aside(c, at))
        return mrn_cuda_failed(c, msg);
    mrn_status st = search(c, msg);
    if (st == MRN_OK && !(run(c, MRN_GPU_KERNEL_write_back, c->g.n) &&
                          run(c, MRN_GPU_KERNEL_carry_pairs, c->g.list.n)))
        st = mrn_cuda_failed(c, msg);
    if (st == MRN_OK)
        st = mrn_cuda_answer_room(c, msg);
    return st == MRN_OK && !mrn_cuda_clear_forces(c) ? mrn_cuda_failed(c, msg) : st;
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

/* The grains' haste has room where it counts. */
static mrn_status set_haste(mrn_cuda *c, plan *p, mrn_message *msg)
{
    mrn_gpu *g = &c->g;
    g->haste = NULL;
    g->hurry = p->hurry;
    g->most_haste = (int32_t)fmin((p->most - 1) / MRN_GPU_HASTE, UINT8_MAX);
    if (p->most > 1.5) {
        p->most = 1 + MRN_GPU_HASTE * g->most_haste;
        return mrn_cuda_room(c, MRN_ROOM_HASTE, g->n, &g->haste, msg);
    }
    p->skin *= p->most, p->most = 1; /* not worth it */
    return MRN_OK;
}

mrn_status mrn_cuda_build(mrn_cuda *c, mrn_message *msg)
{
    mrn_state *s = c->state;
    mrn_gpu *g = &c->g;
    plan p = next_plan(c);
    double skin = p.skin * p.most;
    mrn_status st = mrn_list_fit_radius(c->scene, s, c->max_radius, c->range, &skin, msg);
    if (st != MRN_OK)
        return st;
    p.skin = fmin(p.skin, skin);
    p.most = fmax(1, skin / p.skin);
    st = set_haste(c, &p, msg);
    if (st != MRN_OK)
        return st;
    if (!c->ops->bounds(c->device, g) ||
        (!c->bounded && !c->ops->get(c->device, c->bounds, g->bounds, sizeof c->bounds)))
        return mrn_cuda_failed(c, msg);
    if (!c->bounded && c->bounds[MRN_GPU_NOWHERE] != 0)
        return explain(c, msg);
    choose_grid(c, &p);
    const scratch at = lay_out(c);
    st = make_room(c, &at, msg);
    if (st == MRN_OK && !into_cells(c))
        st = mrn_cuda_failed(c, msg);
    if (st == MRN_OK)
        st = make_list(c, &at, msg);
    if (st == MRN_OK && c->bounds[MRN_GPU_NOWHERE] != 0)
        return explain(c, msg);
    if (st != MRN_OK)
        return st;
    c->bounded = true;
    c->fast = s->h * sqrt(mrn_of_bits(c->bounds[MRN_GPU_FASTEST]));
    note(c, p.skin);
    return MRN_OK;
}
