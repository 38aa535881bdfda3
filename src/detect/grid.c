/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Broad phase: hashed cells on several levels. Level l holds grains with radius in (r_max/2^(l+1),
   r_max/2^l]; its cells are as wide as the largest distance two of them can touch at. A grain looks
   through its own level and all coarser ones: cost per grain is bounded whatever the ratio of
   sizes. Cells are found by hashing, so empty space costs nothing. In periodic directions cells are
   cut along the edges of the periodic cell, so that they lean as it does; their width is counted
   across their faces.

   Each pair is met once: by the finer grain, and on one level by the one with the lower persistent
   number. The lower number owns it, whoever met it: places in memory play no part.

   Generators have cells of their own (generate/levels.c): they ask whether one place is free, put a
   grain there and ask again, where this grid is sorted once for all grains and cannot take in one
   more. Theirs is an array over a region with edges, this one a table of the cells in use, in a
   cell that may lean. What they share is the rule of levels, a line each. */
#include <math.h>

#include "base/base.h"
#include "detect/detect.h"

#define LEVELS    12
#define AXIS_BITS 19

typedef struct level {
    double r_max;       /* largest radius here; 0: level empty        */
    double inv_cell[3]; /* 1/m; in periodic directions: cells per period */
    int32_t cells[3];   /* in periodic directions; 0: unbounded       */
} level;

struct mrn_grid {
    const double *x, *radius;
    const uint16_t *flags;
    const int32_t *id;
    const int32_t *parent; /* NULL: there are no clusters */
    mrn_vec3 origin;
    double reach;
    mrn_images images;
    double below[3]; /* less than half of an edge; infinite without a period */
    int dimension;
    level level[LEVELS];
    uint8_t *level_of;      /* per body        */
    uint64_t *key;          /* per table place */
    int32_t *start, *count; /* per table place */
    int32_t *item;          /* grains, cell by cell                    */
    int32_t *name;          /* their persistent numbers                */
    int32_t *place;         /* per body: its cell's place in the table */
    uint32_t mask;
};

static int level_for(double r, double r_max)
{
    int l = 0;
    while (l < LEVELS - 1 && r <= 0.5 * r_max) {
        r *= 2;
        l++;
    }
    return l;
}

static uint64_t level_key(int l)
{
    return (uint64_t)(l + 1) << (3 * AXIS_BITS);
}

static uint64_t cell_key(int l, const int32_t c[3])
{
    uint64_t m = (1u << AXIS_BITS) - 1;
    return level_key(l) | (((uint64_t)c[2] & m) << (2 * AXIS_BITS)) |
           (((uint64_t)c[1] & m) << AXIS_BITS) | ((uint64_t)c[0] & m);
}

static uint32_t hash_key(uint64_t k)
{
    k *= UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(k >> 32);
}

/* Place of a key in the table, or of the free slot where it would go. */
static uint32_t find_place(const mrn_grid *g, uint64_t key)
{
    uint32_t p = hash_key(key) & g->mask;
    while (g->key[p] != 0 && g->key[p] != key)
        p = (p + 1) & g->mask;
    return p;
}

/* Cell of a point on a level. Far cells wrap around the key's bits: distances are checked anyway.
 */
static void cell_of(const mrn_grid *g, const level *lv, const double *x, int32_t c[3])
{
    mrn_vec3 at = mrn_images_fraction(&g->images, mrn_sub(mrn_load3(x), g->origin));
    double part[3] = {at.x, at.y, at.z};
    for (int k = 0; k < 3; k++) {
        double f = floor(part[k] * lv->inv_cell[k]);
        f = f > 1e9 ? 1e9 : f < -1e9 ? -1e9 : f;
        c[k] = (int32_t)f;
        if (lv->cells[k] > 0)
            c[k] = ((c[k] % lv->cells[k]) + lv->cells[k]) % lv->cells[k];
    }
}

static bool left_out(const mrn_grid *g, int32_t i)
{
    return g->flags[i] & MRN_BODY_CLUSTER;
}

static void size_levels(const mrn_state *s, mrn_grid *g)
{
    double r_max = 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        r_max = g->radius[i] > r_max && !left_out(g, i) ? g->radius[i] : r_max;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        if (left_out(g, i))
            continue;
        if (g->flags[i] & MRN_BODY_MEMBER)
            g->parent = s->body.parent;
        int l = level_for(g->radius[i], r_max);
        g->level_of[i] = (uint8_t)l;
        double *top = &g->level[l].r_max;
        *top = g->radius[i] > *top ? g->radius[i] : *top;
    }
    for (int l = 0; l < LEVELS; l++) {
        level *lv = &g->level[l];
        /* wide enough also for the largest finer grain: its reach is at most r_max of this level */
        double cell = 2 * lv->r_max + g->reach;
        for (int k = 0; k < 3; k++) {
            bool period = g->images.inv[k] != 0;
            /* at most what the key can tell apart: more would show a cell to its neighbour twice */
            double fit = fmin(floor(mrn_images_height(&g->images, k) / cell), 1 << AXIS_BITS);
            lv->cells[k] = period ? (int32_t)fmax(1, fit) : 0;
            lv->inv_cell[k] = period ? lv->cells[k] : 1 / cell;
        }
    }
}

static mrn_status take_memory(mrn_grid *g, int32_t n, mrn_message *msg)
{
    uint32_t size = 64;
    while (size < 2u * (uint32_t)n)
        size *= 2;
    g->mask = size - 1;
    mrn_status st = mrn_array(&g->level_of, n, 1, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->key, size, sizeof *g->key, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->start, size, sizeof *g->start, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->count, size, sizeof *g->count, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->item, n, sizeof *g->item, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->name, n, sizeof *g->name, msg);
    if (st == MRN_OK)
        st = mrn_array(&g->place, n, sizeof *g->place, msg);
    return st;
}

/* Counting sort of the grains into their cells. */
static void fill_cells(mrn_grid *g, int32_t first, int32_t n)
{
    for (int32_t i = first; i < n; i++) {
        if (left_out(g, i))
            continue;
        int32_t c[3];
        int l = g->level_of[i];
        cell_of(g, &g->level[l], g->x + 3 * (size_t)i, c);
        uint64_t key = cell_key(l, c);
        uint32_t p = find_place(g, key);
        g->key[p] = key;
        g->count[p]++;
        g->place[i] = (int32_t)p;
    }
    int32_t at = 0;
    for (uint32_t p = 0; p <= g->mask; p++) {
        g->start[p] = at;
        at += g->count[p];
        g->count[p] = 0;
    }
    for (int32_t i = first; i < n; i++) {
        if (left_out(g, i))
            continue;
        int32_t p = g->place[i];
        g->name[g->start[p] + g->count[p]] = g->id[i];
        g->item[g->start[p] + g->count[p]++] = i;
    }
}

mrn_status mrn_grid_build(const mrn_scene *scene, const mrn_state *s, const double *x, double reach,
                          mrn_grid **out, mrn_message *msg)
{
    mrn_grid *g = mrn_alloc(sizeof *g);
    *out = g;
    if (g == NULL)
        return mrn_fail_memory(msg);
    g->x = x;
    g->radius = s->body.bound;
    g->flags = s->body.flags;
    g->id = s->body.id;
    g->reach = reach;
    g->dimension = scene->dimension;
    g->images = mrn_images_of(scene, s);
    g->origin = mrn_load3(s->cell_origin);
    for (int k = 0; k < 3; k++)
        g->below[k] = g->images.inv[k] != 0 ? 0.49 * g->images.size[k] : INFINITY;
    mrn_status st = take_memory(g, s->body.n > 0 ? s->body.n : 1, msg);
    if (st != MRN_OK) {
        mrn_grid_destroy(out);
        return st;
    }
    size_levels(s, g);
    fill_cells(g, s->body.n_walls, s->body.n);
    return MRN_OK;
}

void mrn_grid_destroy(mrn_grid **out)
{
    mrn_grid *g = *out;
    if (g == NULL)
        return;
    mrn_free(g->level_of);
    mrn_free(g->key);
    mrn_free(g->start);
    mrn_free(g->count);
    mrn_free(g->item);
    mrn_free(g->name);
    mrn_free(g->place);
    mrn_free(g);
    *out = NULL;
}

/* Offsets to look at along one axis: -1…1, but each cell of a short period once. */
static void span(const level *lv, int k, int dimension, int *lo, int *hi)
{
    bool flat = k == 2 && dimension == 2;
    int n = lv->cells[k];
    *lo = flat || n == 1 || n == 2 ? 0 : -1;
    *hi = flat || n == 1 ? 0 : 1;
}

static void add_pair(mrn_found_pairs *to, int32_t owner, int32_t other)
{
    if (to->n >= to->room && mrn_grow(&to->pair, &to->room, to->n + 1, 2 * sizeof *to->pair)) {
        to->failed = true;
        return;
    }
    to->pair[2 * to->n] = owner;
    to->pair[2 * to->n + 1] = other;
    to->n++;
}

/* Most differences are below half of every edge, and the nearest image already. */
static mrn_vec3 nearest(const mrn_grid *g, mrn_vec3 d)
{
    if (fabs(d.x) < g->below[0] && fabs(d.y) < g->below[1] && fabs(d.z) < g->below[2])
        return d;
    return mrn_images_nearest(&g->images, d);
}

static void scan_cell(const mrn_grid *g, uint32_t p, int32_t i, bool own_level, mrn_found_pairs *to)
{
    mrn_vec3 xi = mrn_load3(g->x + 3 * (size_t)i);
    double ri = g->radius[i] + g->reach;
    int32_t mine = g->parent != NULL ? g->parent[i] : -1, id = g->id[i];
    bool still = g->flags[i] & MRN_BODY_FIXED;
    for (int32_t k = g->start[p]; k < g->start[p] + g->count[p]; k++) {
        int32_t j = g->item[k];
        if ((own_level && g->name[k] <= id) || (mine >= 0 && g->parent[j] == mine))
            continue;
        mrn_vec3 d = nearest(g, mrn_sub(xi, mrn_load3(g->x + 3 * (size_t)j)));
        double reach = ri + g->radius[j];
        /* two that do not move have nothing to tell each other, however they lie */
        if (mrn_dot(d, d) < reach * reach && !(still && (g->flags[j] & MRN_BODY_FIXED)))
            add_pair(to, id < g->name[k] ? i : j, id < g->name[k] ? j : i);
    }
}

/* Parts of the keys of the cells to look at along one axis, each cell once; how many. */
static int key_parts(const mrn_grid *g, const level *lv, int k, int32_t c, uint64_t part[3])
{
    int lo, hi, n = 0, cells = lv->cells[k];
    span(lv, k, g->dimension, &lo, &hi);
    for (int d = lo; d <= hi; d++) {
        int32_t at = c + d; /* of a period: c is one of its cells */
        at = cells > 0 && at < 0 ? at + cells : at;
        at = cells > 0 && at >= cells ? at - cells : at;
        part[n++] = ((uint64_t)at & ((1u << AXIS_BITS) - 1)) << (k * AXIS_BITS);
    }
    return n;
}

static void scan_level(const mrn_grid *g, int l, int32_t i, bool own_level, mrn_found_pairs *to)
{
    const level *lv = &g->level[l];
    int32_t c[3];
    int n[3];
    uint64_t part[3][3];
    cell_of(g, lv, g->x + 3 * (size_t)i, c);
    for (int k = 0; k < 3; k++)
        n[k] = key_parts(g, lv, k, c[k], part[k]);
    for (int z = 0; z < n[2]; z++)
        for (int y = 0; y < n[1]; y++)
            for (int x = 0; x < n[0]; x++) {
                uint64_t key = level_key(l) | part[2][z] | part[1][y] | part[0][x];
                uint32_t p = find_place(g, key);
                if (g->key[p] != 0)
                    scan_cell(g, p, i, own_level, to);
            }
}

void mrn_grid_partners(const mrn_grid *g, int32_t i, mrn_found_pairs *to)
{
    if (left_out(g, i))
        return;
    int own = g->level_of[i];
    for (int l = 0; l <= own; l++)
        if (g->level[l].r_max > 0)
            scan_level(g, l, i, l == own, to);
}
