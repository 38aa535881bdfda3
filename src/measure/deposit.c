/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The deposit: the largest set of grains that hang together, and how far it reaches. Single grains
   that left a heap roll on for ever on a flat floor and are no part of it. */
#include "base/base.h"
#include "measure/measure.h"

/* Neighbours are less than this part of the mean diameter apart. */
#define NEAR_ENOUGH 0.1

/* Grains by the cells of a grid, in a table of chains: cells that share an entry cost time, no
   more. */
typedef struct pile {
    const mrn_scene *scene;
    const mrn_state *s;
    double cell, gap;
    uint64_t mask;
    int32_t *first; /* of the entries: a grain; -1: none       */
    int32_t *next;  /* of the grains, in the same entry        */
    int32_t *root;  /* of the grains: towards the first of its set; -1: does not count */
    int32_t *count; /* of the sets                             */
} pile;

/* Spheres, of clusters too, and polytopes; what is fixed is ground. */
static bool lies(const pile *p, int32_t i)
{
    return !(p->s->body.flags[i] & (MRN_BODY_CLUSTER | MRN_BODY_ABSENT | MRN_BODY_FIXED));
}

/* The ball that holds a grain: a polytope may reach further than its radius. */
static double ball_of(const pile *p, int32_t i)
{
    const mrn_bodies *b = &p->s->body;
    return b->flags[i] & MRN_BODY_POLYTOPE ? fmax(b->bound[i], b->radius[i]) : b->radius[i];
}

static uint64_t entry_of(const pile *p, const int64_t at[3])
{
    uint64_t h = (uint64_t)at[0] * UINT64_C(0x9e3779b97f4a7c15);
    h ^= (uint64_t)at[1] * UINT64_C(0xc2b2ae3d27d4eb4f) + (h >> 29);
    h ^= (uint64_t)at[2] * UINT64_C(0x165667b19e3779f9) + (h >> 31);
    return (h ^ (h >> 32)) & p->mask;
}

static void cell_of(const pile *p, mrn_vec3 x, int64_t at[3])
{
    const double of[3] = {x.x, x.y, x.z};
    for (int k = 0; k < 3; k++)
        at[k] = (int64_t)floor(fmin(fmax(of[k] / p->cell, -1e15), 1e15));
}

static int32_t find(pile *p, int32_t i)
{
    while (p->root[i] != i) {
        p->root[i] = p->root[p->root[i]];
        i = p->root[i];
    }
    return i;
}

static void join(pile *p, int32_t i, int32_t j)
{
    int32_t a = find(p, i), b = find(p, j);
    p->root[a < b ? b : a] = a < b ? a : b;
}

/* Joins grain i, seen at x, with its neighbours that stand in the table. */
static void join_near(pile *p, int32_t i, mrn_vec3 x)
{
    int64_t at[3], c[3];
    double reach = ball_of(p, i) + p->gap;
    int flat = p->scene->dimension == 2;
    cell_of(p, x, at);
    for (int k = 0; k < (flat ? 9 : 27); k++) {
        c[0] = at[0] + k % 3 - 1;
        c[1] = at[1] + k / 3 % 3 - 1;
        c[2] = at[2] + (flat ? 0 : k / 9 - 1);
        for (int32_t j = p->first[entry_of(p, c)]; j >= 0; j = p->next[j]) {
            mrn_vec3 d = mrn_sub(mrn_load3(p->s->body.x + 3 * (size_t)j), x);
            double most = reach + ball_of(p, j);
            if (mrn_dot(d, d) < most * most)
                join(p, i, j);
        }
    }
}

/* Across the faces of a periodic cell, edges and corners included: each is looked at from its lower
   side. */
static void join_images(pile *p, int32_t i)
{
    const mrn_state *s = p->s;
    const double *size = s->cell_size, *tilt = s->cell_tilt;
    mrn_vec3 x = mrn_load3(s->body.x + 3 * (size_t)i);
    int near = 0;
    for (int k = 0; k < p->scene->dimension; k++)
        if (p->scene->cell.periodic[k] &&
            s->body.x[3 * (size_t)i + k] - s->cell_origin[k] <= p->cell)
            near |= 1 << k;
    for (int to = 1; to < 8; to++) {
        double a = to & 1, b = to >> 1 & 1, c = to >> 2;
        if ((to & near) == to)
            join_near(p, i,
                      mrn_v3(x.x + a * size[0] + b * tilt[0] + c * tilt[1],
                             x.y + b * size[1] + c * tilt[2], x.z + c * size[2]));
    }
}

/* The mean diameter gives the gap, the largest ball the cell. */
static int32_t measure_grains(pile *p)
{
    double most = 0;
    mrn_sum sum = {0};
    int32_t n = 0;
    for (int32_t i = p->s->body.n_walls; i < p->s->body.n; i++)
        if (lies(p, i)) {
            most = fmax(most, ball_of(p, i));
            mrn_sum_add(&sum, 2 * p->s->body.radius[i]);
            n++;
        }
    p->gap = n > 0 ? NEAR_ENOUGH * mrn_sum_value(&sum) / n : 0;
    p->cell = 2 * most + p->gap;
    return n;
}

static void find_sets(pile *p)
{
    for (uint64_t k = 0; k <= p->mask; k++)
        p->first[k] = -1;
    for (int32_t i = p->s->body.n_walls; i < p->s->body.n; i++) {
        int64_t at[3];
        p->root[i] = -1;
        if (!lies(p, i))
            continue;
        mrn_vec3 x = mrn_load3(p->s->body.x + 3 * (size_t)i);
        p->root[i] = i;
        join_near(p, i, x);
        cell_of(p, x, at);
        int32_t *entry = &p->first[entry_of(p, at)];
        p->next[i] = *entry;
        *entry = i;
    }
    for (int32_t i = p->s->body.n_walls; i < p->s->body.n; i++)
        if (lies(p, i))
            join_images(p, i);
}

static void find_extent(pile *p, double extent[3])
{
    int32_t best = -1;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = p->s->body.n_walls; i < p->s->body.n; i++)
        if (p->root[i] >= 0)
            p->count[find(p, i)]++;
    for (int32_t i = p->s->body.n_walls; i < p->s->body.n; i++)
        if (best < 0 || p->count[i] > p->count[best])
            best = i;
    for (int32_t i = p->s->body.n_walls; i < p->s->body.n; i++)
        for (int k = 0; k < p->scene->dimension && p->root[i] >= 0 && find(p, i) == best; k++) {
            double x = p->s->body.x[3 * (size_t)i + k];
            lo[k] = fmin(lo[k], x - mrn_reach_axis(p->scene, p->s, i, k, -1));
            hi[k] = fmax(hi[k], x + mrn_reach_axis(p->scene, p->s, i, k, 1));
        }
    for (int k = 0; k < p->scene->dimension; k++)
        extent[k] = hi[k] - lo[k];
}

mrn_status mrn_deposit_of(const mrn_scene *scene, const mrn_state *s, double extent[3],
                          mrn_message *msg)
{
    pile p = {.scene = scene, .s = s, .mask = 15};
    int32_t n = measure_grains(&p);
    extent[0] = extent[1] = extent[2] = 0;
    if (n == 0 || !(p.cell > 0) || !isfinite(p.cell))
        return MRN_OK;
    while (p.mask < (uint64_t)n)
        p.mask = 2 * p.mask + 1;
    mrn_status st = mrn_array(&p.first, (int64_t)p.mask + 1, sizeof *p.first, msg);
    if (st == MRN_OK)
        st = mrn_array(&p.next, s->body.n, sizeof *p.next, msg);
    if (st == MRN_OK)
        st = mrn_array(&p.root, s->body.n, sizeof *p.root, msg);
    if (st == MRN_OK)
        st = mrn_array(&p.count, s->body.n, sizeof *p.count, msg);
    if (st == MRN_OK) {
        find_sets(&p);
        find_extent(&p, extent);
    }
    mrn_free(p.first);
    mrn_free(p.next);
    mrn_free(p.root);
    mrn_free(p.count);
    return st;
}
