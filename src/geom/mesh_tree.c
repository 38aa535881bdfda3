/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree of boxes over a mesh: each box is cut at the median of the triangles' centres along its
   longest side, until few triangles are left. Depth is log2 n whatever the mesh, and the same mesh
   gives the same tree. */
#include "base/base.h"
#include "geom/mesh.h"

#define LEAF 4 /* triangles at most in a leaf */

typedef struct maker {
    mrn_mesh *m;
    double *centre; /* 3 per triangle, times 3 */
    int32_t *order; /* triangles, being sorted */
} maker;

/* A strict order even among equal centres: the tree does not depend on the sorting method. */
static bool before(const maker *b, int axis, int32_t i, int32_t j)
{
    double x = b->centre[3 * (size_t)i + (size_t)axis], y = b->centre[3 * (size_t)j + (size_t)axis];
    return x < y || (x == y && i < j);
}

static void swap(int32_t *a, int32_t *b)
{
    int32_t t = *a;
    *a = *b;
    *b = t;
}

/* The middle one of three, moved to `at`. */
static void pivot_to(const maker *b, int axis, int32_t *at, int32_t *x, int32_t *y, int32_t *z)
{
    if (before(b, axis, *y, *x))
        swap(x, y);
    if (before(b, axis, *z, *y))
        swap(y, z);
    if (before(b, axis, *y, *x))
        swap(x, y);
    swap(at, y);
}

/* Quickselect: order[0 … k-1] before order[k …] along the axis. */
static void split(const maker *b, int axis, int32_t *order, int32_t n, int32_t k)
{
    int32_t lo = 0, hi = n - 1;
    while (lo < hi) {
        pivot_to(b, axis, &order[hi], &order[lo], &order[lo + (hi - lo) / 2], &order[hi]);
        int32_t pivot = order[hi], store = lo;
        for (int32_t i = lo; i < hi; i++)
            if (before(b, axis, order[i], pivot))
                swap(&order[i], &order[store++]);
        swap(&order[store], &order[hi]);
        if (store == k)
            return;
        if (store < k)
            lo = store + 1;
        else
            hi = store - 1;
    }
}

static void box_of(const maker *b, const int32_t *order, int32_t n, mrn_mesh_node *node)
{
    for (int k = 0; k < 3; k++)
        node->lo[k] = INFINITY, node->hi[k] = -INFINITY;
    for (int32_t i = 0; i < 3 * n; i++) {
        int32_t p = b->m->corner[3 * (size_t)order[i / 3] + (size_t)(i % 3)];
        for (int k = 0; k < 3; k++) {
            double x = b->m->point[3 * (size_t)p + (size_t)k];
            node->lo[k] = fmin(node->lo[k], x);
            node->hi[k] = fmax(node->hi[k], x);
        }
    }
}

static int longest_side(const maker *b, const int32_t *order, int32_t n)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            double x = b->centre[3 * (size_t)order[i] + (size_t)k];
            lo[k] = fmin(lo[k], x);
            hi[k] = fmax(hi[k], x);
        }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        axis = hi[k] - lo[k] > hi[axis] - lo[axis] ? k : axis;
    return axis;
}

/* Recursion of depth log2 n. */
static void make(maker *b, int32_t first, int32_t n)
{
    mrn_mesh_node *node = &b->m->node[b->m->n_nodes++];
    int32_t *order = b->order + first;
    box_of(b, order, n, node);
    if (n <= LEAF) {
        node->first = first;
        node->count = n;
    } else {
        split(b, longest_side(b, order, n), order, n, n / 2);
        make(b, first, n / 2);
        make(b, first + n / 2, n - n / 2);
    }
    node->skip = b->m->n_nodes;
}

static void find_centres(maker *b)
{
    for (int32_t i = 0; i < b->m->n_triangles; i++) {
        b->order[i] = i;
        for (int k = 0; k < 9; k++) {
            int32_t p = b->m->corner[3 * (size_t)i + (size_t)(k / 3)];
            b->centre[3 * (size_t)i + (size_t)(k % 3)] +=
                b->m->point[3 * (size_t)p + (size_t)(k % 3)];
        }
    }
}

static mrn_status make_tree(maker *b, mrn_message *msg)
{
    mrn_mesh *m = b->m;
    int32_t n = m->n_triangles;
    int32_t *sorted = NULL;
    mrn_status s = mrn_array(&b->centre, 3 * (int64_t)n, sizeof *b->centre, msg);
    if (s == MRN_OK)
        s = mrn_array(&b->order, n, sizeof *b->order, msg);
    if (s == MRN_OK) /* leaves hold two triangles at least (if there are two): fewer nodes than
                        triangles */
        s = mrn_array(&m->node, n, sizeof *m->node, msg);
    if (s == MRN_OK)
        s = mrn_array(&sorted, 3 * (int64_t)n, sizeof *sorted, msg);
    if (s != MRN_OK)
        return s;
    find_centres(b);
    make(b, 0, n);
    for (int32_t i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            sorted[3 * (size_t)i + (size_t)k] = m->corner[3 * (size_t)b->order[i] + (size_t)k];
    mrn_free(m->corner);
    m->corner = sorted;
    return MRN_OK;
}

mrn_status mrn_mesh_tree(mrn_mesh *m, mrn_message *msg)
{
    maker b = {.m = m};
    mrn_status s = make_tree(&b, msg);
    mrn_free(b.centre);
    mrn_free(b.order);
    return s;
}
