/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An order of the contacts that threads can share and that is nearly as quick as the given one on a
   single thread. Bodies are put in levels by their distance, in contacts, from one at the rim: a
   contact joins bodies of one level, or of two that follow each other, and gets the sum of the two
   as its own level. Contacts that share a body are then two levels apart at most. Levels are
   gathered into slabs of at least two: only neighbouring slabs share bodies. Even slabs go side by
   side, then odd ones; within a slab contacts keep the given order. So results do not hang on
   threads, neighbours in the order are neighbours in space, and a sweep has two points where
   threads meet, where colours of single contacts have as many as a body has contacts. Without
   bodies levels are those of the graph of W, where neighbours are one level apart. */
#include <string.h>

#include "base/base.h"
#include "solve/sweep_parts.h"

enum {
    LEAST_CONTACTS = 64,  /* in a slab: less is not worth a thread's while */
    MOST_CONTACTS = 1024, /* more would not be in a cache near to the core */
    SHARE = 64,           /* of all contacts that a slab gets between the two */
    FEWEST_SLABS = 4,
    FIXED = -2, /* level of what does not move */
};

/* A graph by rows: neighbours of vertex v are to[start[v] … start[v + 1]), found through the
   contacts where there are bodies. */
typedef struct graph {
    const mrn_system *s;
    int vertices;
    int64_t *start; /* bodies: links of each … */
    int32_t *link;  /* … the contacts, ascending */
    int32_t *queue, *level;
} graph;

static mrn_status take_graph(graph *g)
{
    const mrn_system *s = g->s;
    g->vertices = s->has_bodies ? s->n_bodies : s->n;
    g->queue = mrn_work(s->work, g->vertices, sizeof *g->queue);
    g->level = mrn_work(s->work, g->vertices, sizeof *g->level);
    if (g->queue == NULL || g->level == NULL)
        return MRN_ERR_MEMORY;
    if (!s->has_bodies)
        return MRN_OK;
    int64_t links = s->body_start[s->n];
    g->start = mrn_work(s->work, g->vertices + 2, sizeof *g->start);
    g->link = mrn_work(s->work, links, sizeof *g->link);
    if (g->start == NULL || g->link == NULL)
        return MRN_ERR_MEMORY;
    for (int64_t k = 0; k < links; k++)
        g->start[s->body[k] + 2]++;
    for (int v = 0; v < g->vertices; v++)
        g->start[v + 2] += g->start[v + 1];
    for (int i = 0; i < s->n; i++)
        for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++)
            g->link[g->start[s->body[k] + 1]++] = i;
    return MRN_OK;
}

/* What nothing moves, a wall, tells nobody of what it meets. */
static bool is_fixed(const mrn_system *s, int v)
{
    const double *m = s->minv + (int64_t)v * s->dof * s->dof;
    for (int k = 0; k < s->dof * s->dof; k++)
        if (m[k] != 0)
            return false;
    return true;
}

/* Puts vertex v at the end of the queue, at level l, unless it was there before. */
static inline int reach(graph *g, int v, int l, int end)
{
    if (g->level[v] != -1)
        return end;
    g->level[v] = l;
    g->queue[end] = v;
    return end + 1;
}

/* All that is connected with `root`, which gets level `first`, from place `at` of the queue on;
   returns where the queue ends. */
static int walk(graph *g, int root, int first, int at)
{
    const mrn_system *s = g->s;
    int end = reach(g, root, first, at);
    for (; at < end; at++) {
        int v = g->queue[at], l = g->level[v] + 1;
        if (!s->has_bodies) {
            for (int64_t k = s->start[v]; k < s->start[v + 1]; k++)
                end = reach(g, s->col[k], l, end);
            continue;
        }
        for (int64_t p = g->start[v]; p < g->start[v + 1]; p++) {
            int i = g->link[p];
            for (int64_t k = s->body_start[i]; k < s->body_start[i + 1]; k++)
                end = reach(g, s->body[k], l, end);
        }
    }
    return end;
}

/* Levels of all vertices; parts that nothing connects follow each other. The last vertex that is
   reached from anywhere is at the rim. Returns the number of levels. */
static int find_levels(graph *g)
{
    int next = 0, at = 0;
    for (int v = 0; v < g->vertices; v++)
        g->level[v] = g->s->has_bodies && is_fixed(g->s, v) ? FIXED : -1;
    for (int v = 0; v < g->vertices; v++) {
        if (g->level[v] != -1)
            continue;
        int end = walk(g, v, next, at), rim = g->queue[end - 1];
        for (int k = at; k < end; k++)
            g->level[g->queue[k]] = -1;
        end = walk(g, rim, next, at);
        next = g->level[g->queue[end - 1]] + 1;
        at = end;
    }
    return next;
}

static int level_of_contact(const graph *g, int i)
{
    const mrn_system *s = g->s;
    if (!s->has_bodies)
        return g->level[i];
    int a = -1, b = -1; /* a third, that of a compliance, is nobody else's */
    for (int64_t k = s->body_start[i]; k < s->body_start[i + 1] && b < 0; k++) {
        int l = g->level[s->body[k]];
        if (l >= 0 && a < 0)
            a = l;
        else if (l >= 0)
            b = l;
    }
    a = a < 0 ? 0 : a;
    b = b < 0 ? a : b;
    return a + b;
}

/* Which slab each level belongs to; returns the number of slabs. */
static int gather_levels(const mrn_sweeper *w, int levels, int least, const int64_t *count,
                         int32_t *slab)
{
    int64_t n = w->s->n, aim = n / SHARE, held = 0;
    int slabs = 0, width = 0;
    aim = aim < LEAST_CONTACTS ? LEAST_CONTACTS : aim > MOST_CONTACTS ? MOST_CONTACTS : aim;
    for (int l = 0; l < levels; l++) {
        if (held >= aim && width >= least)
            slabs++, held = 0, width = 0;
        slab[l] = slabs;
        held += count[l];
        width++;
    }
    return slabs + 1;
}

/* Even slabs first; `begin` (slabs + 1) says where each of the new order begins. */
static void put_in_order(mrn_sweeper *w, int slabs, const int32_t *slab_of, int64_t *begin)
{
    int even = (slabs + 1) / 2;
    int64_t n = w->s->n;
    memset(begin, 0, (size_t)(slabs + 2) * sizeof *begin);
    int64_t *at = begin + 1;
    for (int64_t i = 0; i < n; i++) {
        int k = slab_of[i] % 2 == 0 ? slab_of[i] / 2 : even + slab_of[i] / 2;
        at[k + 1]++;
    }
    for (int k = 0; k < slabs; k++)
        at[k + 1] += at[k];
    for (int64_t i = 0; i < n; i++) {
        int k = slab_of[i] % 2 == 0 ? slab_of[i] / 2 : even + slab_of[i] / 2;
        w->order[at[k]++] = (int32_t)i;
    }
    w->slabs = slabs;
    w->even_slabs = even;
    w->slab = begin;
}

static mrn_status cut(mrn_sweeper *w, graph *g, int *slabs, int32_t *slab_of)
{
    mrn_system *s = w->s;
    int most = 2 * g->vertices + 2;
    int64_t *count = mrn_work(s->work, most, sizeof *count);
    int32_t *slab = mrn_work(s->work, most, sizeof *slab);
    if (count == NULL || slab == NULL)
        return MRN_ERR_MEMORY;
    int levels = find_levels(g) * (s->has_bodies ? 2 : 1);
    for (int i = 0; i < s->n; i++)
        count[level_of_contact(g, i)]++;
    *slabs = gather_levels(w, levels, s->has_bodies ? 2 : 1, count, slab);
    for (int i = 0; i < s->n; i++)
        slab_of[i] = slab[level_of_contact(g, i)];
    return MRN_OK;
}

/* Rows of W that bodies, or a pattern that is not symmetric, do not know of. */
static bool neighbours_only(const mrn_sweeper *w, const int32_t *slab_of)
{
    const mrn_system *s = w->s;
    for (int i = 0; s->has_W && i < s->n; i++)
        for (int64_t k = s->start[i]; k < s->start[i + 1]; k++) {
            int apart = slab_of[i] - slab_of[s->col[k]];
            if (apart < -1 || apart > 1)
                return false;
        }
    return true;
}

mrn_status mrn_sweep_cut_slabs(mrn_sweeper *w)
{
    mrn_system *s = w->s;
    graph g = {.s = s};
    int slabs = 0;
    int32_t *slab_of = mrn_work(s->work, s->n, sizeof *slab_of);
    w->slabs = 0;
    if (slab_of == NULL)
        return MRN_ERR_MEMORY;
    mrn_workspace_mark mark = mrn_workspace_here(s->work);
    mrn_status st = take_graph(&g);
    if (st == MRN_OK)
        st = cut(w, &g, &slabs, slab_of);
    mrn_workspace_back(s->work, mark);
    if (st != MRN_OK || slabs < FEWEST_SLABS || !(w->exchange || neighbours_only(w, slab_of)))
        return st;
    int64_t *begin = mrn_work(s->work, slabs + 2, sizeof *begin);
    if (begin == NULL)
        return MRN_ERR_MEMORY;
    put_in_order(w, slabs, slab_of, begin);
    return MRN_OK;
}
