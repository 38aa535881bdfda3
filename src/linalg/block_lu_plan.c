/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order and pattern of a block LU: AMD, elimination tree in postorder, columns gathered into
   supernodes (fundamental ones first, then with some zeros, as CHOLMOD does), rows of each. */
#include <amd.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/block_lu.h"

/* ---- order ---- */

static mrn_status find_order(mrn_block_lu *f, const int64_t *start, const int32_t *col,
                             mrn_message *msg)
{
    int n = f->n;
    int64_t blocks = start[n];
    SuiteSparse_long *p = NULL, *i = NULL, *perm = NULL;
    mrn_status st = mrn_array(&p, n + 1, sizeof *p, msg);
    if (st == MRN_OK)
        st = mrn_array(&i, blocks + 1, sizeof *i, msg);
    if (st == MRN_OK)
        st = mrn_array(&perm, n + 1, sizeof *perm, msg);
    if (st == MRN_OK) {
        for (int k = 0; k <= n; k++)
            p[k] = start[k];
        for (int64_t k = 0; k < blocks; k++)
            i[k] = col[k];
        /* AMD orders A + Aᵀ, whatever the order within rows */
        SuiteSparse_long found = amd_l_order(n, p, i, perm, NULL, NULL);
        if (found == AMD_OUT_OF_MEMORY)
            st = mrn_fail_memory(msg);
        for (int k = 0; k < n; k++) /* an invalid pattern cannot come from a system */
            f->order[k] = found == AMD_OK || found == AMD_OK_BUT_JUMBLED ? (int32_t)perm[k] : k;
        for (int k = 0; k < n; k++)
            f->place[f->order[k]] = k;
    }
    mrn_free(p), mrn_free(i), mrn_free(perm);
    return st;
}

/* ---- the graph in the new order, and its tree ---- */

typedef struct graph {
    int64_t *start; /* n + 2: of each vertex, neighbours on the other side … */
    int32_t *link;  /* … may repeat */
} graph;

typedef struct plan {
    graph low, high; /* neighbours of lower, of higher number */
    int32_t *parent, *mark, *post;
    int64_t *count; /* blocks below the diagonal of each column */
    /* supernodes while they are gathered, by their first column */
    int32_t *width, *merged;
    int64_t *rows;
    double *zeros;
} plan;

static void release_plan(plan *p)
{
    mrn_free(p->low.start), mrn_free(p->low.link), mrn_free(p->high.start);
    mrn_free(p->high.link), mrn_free(p->parent), mrn_free(p->mark), mrn_free(p->post);
    mrn_free(p->count), mrn_free(p->width), mrn_free(p->merged), mrn_free(p->rows);
    mrn_free(p->zeros);
}

static mrn_status take_plan(int n, int64_t blocks, plan *p, mrn_message *msg)
{
    int32_t **ints[] = {&p->low.link, &p->high.link, &p->parent, &p->mark,
                        &p->post,     &p->width,     &p->merged};
    int64_t **longs[] = {&p->low.start, &p->high.start, &p->count, &p->rows};
    mrn_status st = MRN_OK;
    for (size_t k = 0; st == MRN_OK && k < sizeof ints / sizeof *ints; k++)
        st = mrn_array(ints[k], k < 2 ? blocks + 1 : n + 1, sizeof **ints, msg);
    for (size_t k = 0; st == MRN_OK && k < sizeof longs / sizeof *longs; k++)
        st = mrn_array(longs[k], n + 2, sizeof **longs, msg);
    return st == MRN_OK ? mrn_array(&p->zeros, n + 1, sizeof *p->zeros, msg) : st;
}

/* Neighbours of lower number (of higher) of each vertex. */
static void fill_graph(const mrn_block_lu *f, const int64_t *start, const int32_t *col, bool low,
                       graph *g)
{
    int n = f->n;
    int64_t *at = g->start + 1;
    memset(g->start, 0, (size_t)(n + 2) * sizeof *g->start);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < n; i++)
            for (int64_t k = start[i]; k < start[i + 1]; k++) {
                int a = f->place[i], b = f->place[col[k]];
                int of = (a > b) == low ? a : b, to = (a > b) == low ? b : a;
                if (pass == 0)
                    at[of + 1]++;
                else
                    g->link[at[of]++] = to;
            }
        for (int i = 0; pass == 0 && i < n; i++)
            at[i + 1] += at[i];
    }
}

/* Parents in the elimination tree (Liu), with path compression through `mark`. */
static void find_tree(int n, plan *p)
{
    for (int i = 0; i < n; i++) {
        p->parent[i] = -1;
        p->mark[i] = -1;
        for (int64_t k = p->low.start[i]; k < p->low.start[i + 1]; k++) {
            int j = p->low.link[k];
            while (j != -1 && j < i) {
                int up = p->mark[j];
                p->mark[j] = i;
                if (up == -1)
                    p->parent[j] = i;
                j = up;
            }
        }
    }
}

/* The order in which each vertex comes right after the last of its children: columns with the same
   rows then follow one another. `width` and `merged` hold lists of children here. */
static void find_postorder(int n, plan *p)
{
    int32_t *head = p->width, *next = p->merged, *stack = p->mark;
    int done = 0;
    for (int i = 0; i < n; i++)
        head[i] = -1;
    for (int i = n - 1; i >= 0; i--)
        if (p->parent[i] >= 0)
            next[i] = head[p->parent[i]], head[p->parent[i]] = i;
    for (int root = 0; root < n; root++) {
        if (p->parent[root] >= 0)
            continue;
        int top = 0;
        stack[top++] = root;
        while (top > 0) {
            int i = stack[top - 1], child = head[i];
            if (child >= 0) {
                head[i] = next[child];
                stack[top++] = child;
            } else {
                p->post[done++] = i;
                top--;
            }
        }
    }
}

static void apply_postorder(mrn_block_lu *f, plan *p)
{
    int32_t *old = p->mark;
    memcpy(old, f->order, (size_t)f->n * sizeof *old);
    for (int k = 0; k < f->n; k++)
        f->order[k] = old[p->post[k]];
    for (int k = 0; k < f->n; k++)
        f->place[f->order[k]] = k;
}

/* Row i of L: the paths in the tree from the columns of A's row up to i. */
static void count_columns(int n, plan *p)
{
    memset(p->count, 0, (size_t)n * sizeof *p->count);
    for (int i = 0; i < n; i++)
        p->mark[i] = -1;
    for (int i = 0; i < n; i++) {
        p->mark[i] = i;
        for (int64_t k = p->low.start[i]; k < p->low.start[i + 1]; k++)
            for (int j = p->low.link[k]; p->mark[j] != i; j = p->parent[j]) {
                p->mark[j] = i;
                p->count[j]++;
            }
    }
}

/* ---- supernodes ---- */

/* Fundamental ones: a column whose only child has the same rows and itself. Returns their number;
   `post` gets the first column of each, `mark` the node of each column. */
static int find_nodes(int n, plan *p)
{
    int32_t *children = p->merged, *first = p->post, *node = p->mark;
    int nodes = 0;
    memset(children, 0, (size_t)n * sizeof *children);
    for (int i = 0; i < n; i++)
        if (p->parent[i] >= 0)
            children[p->parent[i]]++;
    for (int i = 0; i < n; i++) {
        bool joins = i > 0 && p->parent[i - 1] == i && children[i] == 1 &&
                     p->count[i - 1] == p->count[i] + 1;
        if (!joins)
            first[nodes++] = i;
        node[i] = nodes - 1;
    }
    first[nodes] = n;
    return nodes;
}

/* Whether two nodes that follow each other are better stored as one, by the share of zeros that
   this stores; wide columns of numbers bear fewer of them. */
static bool better_as_one(double columns, double zeros, double size)
{
    double share = zeros / size;
    return columns <= 4 || zeros == 0 || (columns <= 16 && share < 0.8) ||
           (columns <= 48 && share < 0.2) || share < 0.05;
}

/* Merges nodes with the one that follows where that is their parent. Nodes are named by their
   number; a merged one goes on under the name of the first. */
static void merge_nodes(int b, int nodes, plan *p)
{
    const int32_t *first = p->post, *node = p->mark;
    for (int s = nodes - 1; s >= 0; s--) {
        int last = first[s + 1] - 1;
        p->width[s] = first[s + 1] - first[s];
        p->rows[s] = p->count[last]; /* below its columns */
        p->zeros[s] = 0;
        p->merged[s] = -1;
        if (p->parent[last] < 0)
            continue;
        int up = node[p->parent[last]];
        if (up != s + 1) /* not the last child: nothing to be stored side by side */
            continue;
        double w0 = p->width[s], w1 = p->width[up], all = w0 + w1;
        double more = w0 * (w1 + (double)p->rows[up] - (double)p->rows[s]);
        double zeros = p->zeros[up] + more;
        double size = all * (all + 1) / 2 + all * (double)p->rows[up];
        if (!better_as_one(b * all, zeros, size))
            continue;
        p->merged[up] = s;
        p->width[s] += p->width[up];
        p->rows[s] = p->rows[up];
        p->zeros[s] = zeros;
    }
}

/* The nodes that are left, their columns and the number of their rows. */
static mrn_status keep_nodes(mrn_block_lu *f, int nodes, plan *p, mrn_message *msg)
{
    int kept = 0;
    for (int s = 0; s < nodes; s++)
        kept += p->merged[s] < 0;
    mrn_status st = mrn_array(&f->first, kept + 1, sizeof *f->first, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->start, kept + 1, sizeof *f->start, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->panel, kept + 1, sizeof *f->panel, msg);
    if (st != MRN_OK)
        return st;
    f->nodes = 0;
    for (int s = 0; s < nodes; s++) {
        if (p->merged[s] >= 0)
            continue;
        int k = f->nodes++;
        f->first[k] = p->post[s];
        f->first[k + 1] = p->post[s] + p->width[s];
        f->start[k + 1] = f->start[k] + p->rows[s];
        for (int j = f->first[k]; j < f->first[k + 1]; j++)
            f->node[j] = k;
    }
    return mrn_array(&f->row, f->start[f->nodes] + 1, sizeof *f->row, msg);
}

static int by_number(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static inline void note_row(int i, int end, int s, int32_t *mark, int32_t *row, int64_t *at)
{
    if (i >= end && mark[i] != s) {
        mark[i] = s;
        row[(*at)++] = i;
    }
}

/* Rows of a node: those of its columns in A, and those of its children. */
static void find_rows(mrn_block_lu *f, plan *p)
{
    int32_t *head = p->width, *next = p->merged, *mark = p->mark;
    for (int i = 0; i < f->n; i++)
        head[i] = mark[i] = -1;
    for (int s = 0; s < f->nodes; s++) {
        int64_t at = f->start[s];
        int end = f->first[s + 1];
        for (int j = f->first[s]; j < end; j++)
            for (int64_t k = p->high.start[j]; k < p->high.start[j + 1]; k++)
                note_row(p->high.link[k], end, s, mark, f->row, &at);
        for (int c = head[s]; c >= 0; c = next[c])
            for (int64_t k = f->start[c]; k < f->start[c + 1]; k++)
                note_row(f->row[k], end, s, mark, f->row, &at);
        qsort(f->row + f->start[s], (size_t)(at - f->start[s]), sizeof *f->row, by_number);
        if (at > f->start[s]) {
            int up = f->node[f->row[f->start[s]]];
            next[s] = head[up], head[up] = s;
        }
    }
}

/* Where panels begin, and how large one update of a node by another can be. */
static void measure_panels(mrn_block_lu *f)
{
    f->most_update = f->most_rows = 0;
    for (int s = 0; s < f->nodes; s++) {
        int64_t below = mrn_block_lu_below(f, s), end = f->start[s + 1];
        f->panel[s + 1] = f->panel[s] + mrn_block_lu_leading(f, s) * mrn_block_lu_columns(f, s);
        f->most_rows = below > f->most_rows ? below : f->most_rows;
        for (int64_t k = f->start[s], then; k < end; k = then) {
            for (then = k; then < end && f->node[f->row[then]] == f->node[f->row[k]]; then++)
                continue;
            int64_t size = ((end - k) * f->b + 4) * (then - k) * f->b;
            f->most_update = size > f->most_update ? size : f->most_update;
        }
    }
}

static mrn_status gather(mrn_block_lu *f, int64_t most, const int64_t *start, const int32_t *col,
                         plan *p, mrn_message *msg)
{
    int n = f->n;
    fill_graph(f, start, col, true, &p->low);
    find_tree(n, p);
    find_postorder(n, p);
    apply_postorder(f, p);
    fill_graph(f, start, col, true, &p->low);
    find_tree(n, p);
    count_columns(n, p);
    for (int k = 0; k < n; k++) {
        double c = (double)p->count[k];
        f->fill += p->count[k];
        f->flops += 2.0 * f->b * f->b * f->b * (c * c + 2 * c);
    }
    if (f->fill > most)
        return mrn_fail(msg, MRN_ERR_RANGE, "a factorisation would have %lld blocks",
                        (long long)f->fill);
    int nodes = find_nodes(n, p);
    merge_nodes(f->b, nodes, p);
    mrn_status st = keep_nodes(f, nodes, p, msg);
    if (st != MRN_OK)
        return st;
    fill_graph(f, start, col, false, &p->high);
    find_rows(f, p);
    measure_panels(f);
    return MRN_OK;
}

mrn_status mrn_block_lu_analyse(mrn_block_lu *f, int64_t most, const int64_t *start,
                                const int32_t *col, mrn_message *msg)
{
    plan p = {0};
    int n = f->n;
    mrn_status st = mrn_array(&f->order, n + 1, sizeof *f->order, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->place, n + 1, sizeof *f->place, msg);
    if (st == MRN_OK)
        st = mrn_array(&f->node, n + 1, sizeof *f->node, msg);
    if (st == MRN_OK)
        st = find_order(f, start, col, msg);
    if (st == MRN_OK)
        st = take_plan(n, start[n], &p, msg);
    if (st == MRN_OK)
        st = gather(f, most, start, col, &p, msg);
    release_plan(&p);
    return st;
}
