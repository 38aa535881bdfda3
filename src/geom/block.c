/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A box, rectangle or line as a convex part: its topology is constant, only sizes are filled in. */
#include <string.h>

#include "geom/narrow_wall.h"

/* Corner k is at the low or high end of x, y, z by its bits 0, 1, 2. Faces -x, +x, -y, +y, -z, +z.
 */
typedef struct topology {
    int32_t face_start[7], corner[24], edge[48], ring_start[9], ring[24];
} topology;
static const topology block_topology = {
    {0, 4, 8, 12, 16, 20, 24},
    {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6},
    {0, 1, 2, 4, 0, 2, 4, 0, 0, 4, 0, 2, 1, 3, 1, 4, 1, 5, 2, 1, 2, 3, 4, 3,
     2, 6, 3, 0, 3, 7, 1, 3, 4, 5, 5, 2, 4, 6, 0, 5, 5, 7, 5, 1, 6, 7, 3, 5},
    {0, 3, 6, 9, 12, 15, 18, 21, 24},
    {1, 2, 4, 0, 3, 5, 0, 3, 6, 1, 2, 7, 0, 5, 6, 1, 4, 7, 2, 4, 7, 3, 5, 6},
};
static const topology rectangle_topology = {
    .face_start = {0, 2, 4, 6, 8},
    .corner = {0, 1, 1, 2, 2, 3, 3, 0},
    .ring_start = {0, 2, 4, 6, 8},
    .ring = {1, 3, 0, 2, 1, 3, 0, 2},
};

static void link_block(mrn_block *b, const topology *t)
{
    memcpy(b->face_start, t->face_start, sizeof b->face_start);
    memcpy(b->corner, t->corner, sizeof b->corner);
    memcpy(b->edge, t->edge, sizeof b->edge);
    memcpy(b->ring_start, t->ring_start, sizeof b->ring_start);
    memcpy(b->ring, t->ring, sizeof b->ring);
    b->shape.point = b->point;
    b->shape.plane = b->plane;
    b->shape.face_start = b->face_start;
    b->shape.corner = b->corner;
    b->shape.edge = b->edge;
    b->shape.ring_start = b->ring_start;
    b->shape.ring = b->ring;
}

static void make_box(mrn_block *b, const double *a)
{
    b->shape = (mrn_convex){.dimension = 3, .n_points = 8, .n_faces = 6, .n_edges = 12};
    link_block(b, &block_topology);
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 3; i++)
            b->point[3 * k + i] = k >> i & 1 ? a[i] : -a[i];
    for (int f = 0; f < 6; f++)
        for (int i = 0; i < 4; i++)
            b->plane[4 * f + i] = i == 3 ? a[f / 2] : i == f / 2 ? (f % 2 ? 1 : -1) : 0;
    b->shape.bound = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    b->shape.inner = 2 * fmin(a[0], fmin(a[1], a[2]));
}

static void make_rectangle(mrn_block *b, const double *a)
{
    b->shape = (mrn_convex){.dimension = 2, .n_points = 4, .n_faces = 4};
    link_block(b, &rectangle_topology);
    static const double side[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    for (int k = 0; k < 4; k++) {
        mrn_store3(b->point + 3 * k,
                   mrn_v3(k == 1 || k == 2 ? a[0] : -a[0], k >= 2 ? a[1] : -a[1], 0));
        mrn_store3(b->plane + 4 * k, mrn_v3(side[k][0], side[k][1], 0));
        b->plane[4 * k + 3] = k % 2 == 0 ? a[1] : a[0];
    }
    b->shape.bound = hypot(a[0], a[1]);
    b->shape.inner = 2 * fmin(a[0], a[1]);
}

void mrn_block_make(mrn_block *b, int dimension, const double *half)
{
    if (dimension == 2)
        make_rectangle(b, half);
    else
        make_box(b, half);
}

void mrn_block_line(mrn_block *b, double half)
{
    static const topology line = {
        .face_start = {0, 2, 4}, .corner = {0, 1, 1, 0}, .ring_start = {0, 1, 2}, .ring = {1, 0}};
    b->shape = (mrn_convex){.dimension = 2, .n_points = 2, .n_faces = 2, .bound = half};
    link_block(b, &line);
    for (int k = 0; k < 2; k++) {
        mrn_store3(b->point + 3 * k, mrn_v3(k == 0 ? -half : half, 0, 0));
        mrn_store3(b->plane + 4 * k, mrn_v3(0, k == 0 ? -1 : 1, 0));
        b->plane[4 * k + 3] = 0;
    }
}
