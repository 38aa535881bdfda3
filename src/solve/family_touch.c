/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Balls that touch, found with a grid of cells: linear in their number. */
#include "base/base.h"
#include "solve/families.h"

typedef struct grid {
    mrn_vec3 lo;
    double cell;
    int64_t n[3];
    int64_t *start; /* of the balls of each cell, cells + 1 */
    int32_t *ball;
} grid;

static void cell_of(const grid *g, mrn_vec3 x, int64_t c[3])
{
    double d[3] = {x.x - g->lo.x, x.y - g->lo.y, x.z - g->lo.z};
    for (int k = 0; k < 3; k++) {
        c[k] = (int64_t)(d[k] / g->cell);
        if (c[k] >= g->n[k])
            c[k] = g->n[k] - 1;
    }
}

static int64_t index_of(const grid *g, const int64_t c[3])
{
    return (c[2] * g->n[1] + c[1]) * g->n[0] + c[0];
}

/* Cells as wide as the largest pair, or wider when there would be many more than balls. */
static void grid_shape(const mrn_assembly *y, double width, grid *g)
{
    mrn_vec3 lo = y->body[0].x, hi = lo;
    for (int64_t i = 1; i < y->n_bodies; i++) {
        mrn_vec3 x = y->body[i].x;
        lo = mrn_v3(fmin(lo.x, x.x), fmin(lo.y, x.y), fmin(lo.z, x.z));
        hi = mrn_v3(fmax(hi.x, x.x), fmax(hi.y, x.y), fmax(hi.z, x.z));
    }
    double size[3] = {hi.x - lo.x, hi.y - lo.y, hi.z - lo.z}, cells;
    g->lo = lo;
    for (g->cell = width;; g->cell *= 1.5) {
        cells = 1;
        for (int k = 0; k < 3; k++)
            cells *= floor(size[k] / g->cell) + 1;
        if (cells <= 8.0 * (double)y->n_bodies + 64)
            break;
    }
    for (int k = 0; k < 3; k++)
        g->n[k] = (int64_t)(size[k] / g->cell) + 1;
}

static mrn_status grid_fill(const mrn_assembly *y, grid *g, mrn_message *msg)
{
    int64_t cells = g->n[0] * g->n[1] * g->n[2], c[3];
    if (mrn_array(&g->start, cells + 2, sizeof *g->start, msg) != MRN_OK ||
        mrn_array(&g->ball, y->n_bodies, sizeof *g->ball, msg) != MRN_OK)
        return MRN_ERR_MEMORY;
    /* counted two places further on, so that filling moves every start to its place */
    for (int64_t i = 0; i < y->n_bodies; i++) {
        cell_of(g, y->body[i].x, c);
        g->start[index_of(g, c) + 2]++;
    }
    for (int64_t k = 2; k <= cells + 1; k++)
        g->start[k] += g->start[k - 1];
    for (int64_t i = 0; i < y->n_bodies; i++) {
        cell_of(g, y->body[i].x, c);
        g->ball[g->start[index_of(g, c) + 1]++] = (int32_t)i;
    }
    return MRN_OK;
}

static mrn_status touch_pair(mrn_assembly *y, int32_t i, int32_t j, const double *radius,
                             double tolerance, const mrn_assembly_contact *like, mrn_message *msg)
{
    mrn_vec3 d = mrn_sub(y->body[i].x, y->body[j].x);
    double reach = radius[i] + radius[j] + tolerance, d2 = mrn_dot(d, d);
    if (d2 > reach * reach)
        return MRN_OK;
    mrn_assembly_contact c = *like;
    double gap = sqrt(d2) - radius[i] - radius[j];
    c.a = i, c.b = j;
    c.normal = mrn_unit(d);
    c.point = mrn_axpy(radius[j] + 0.5 * gap, c.normal, y->body[j].x);
    return mrn_assembly_add_contact(y, &c, msg);
}

static mrn_status touch_neighbours(mrn_assembly *y, const grid *g, int32_t i, const double *radius,
                                   double tolerance, const mrn_assembly_contact *like,
                                   mrn_message *msg)
{
    int64_t c[3], k[3];
    cell_of(g, y->body[i].x, c);
    for (k[2] = c[2] > 0 ? c[2] - 1 : 0; k[2] <= c[2] + 1 && k[2] < g->n[2]; k[2]++)
        for (k[1] = c[1] > 0 ? c[1] - 1 : 0; k[1] <= c[1] + 1 && k[1] < g->n[1]; k[1]++)
            for (k[0] = c[0] > 0 ? c[0] - 1 : 0; k[0] <= c[0] + 1 && k[0] < g->n[0]; k[0]++) {
                int64_t at = index_of(g, k);
                for (int64_t b = g->start[at]; b < g->start[at + 1]; b++) {
                    if (g->ball[b] >= i)
                        continue;
                    mrn_status s = touch_pair(y, i, g->ball[b], radius, tolerance, like, msg);
                    if (s != MRN_OK)
                        return s;
                }
            }
    return MRN_OK;
}

static mrn_status touch_planes(mrn_assembly *y, int32_t i, double radius, double tolerance,
                               const mrn_assembly_plane *plane, int n,
                               const mrn_assembly_contact *like, mrn_message *msg)
{
    for (int k = 0; k < n; k++) {
        mrn_vec3 x = y->body[i].x;
        double height = mrn_dot(mrn_sub(x, plane[k].point), plane[k].normal);
        if (height - radius > tolerance)
            continue;
        mrn_assembly_contact c = *like;
        c.a = i, c.b = -1;
        c.normal = plane[k].normal;
        c.point = mrn_axpy(-height, c.normal, x);
        mrn_status s = mrn_assembly_add_contact(y, &c, msg);
        if (s != MRN_OK)
            return s;
    }
    return MRN_OK;
}

mrn_status mrn_assembly_find_contacts(mrn_assembly *y, const double *radius, double tolerance,
                                      const mrn_assembly_plane *plane, int n_planes,
                                      const mrn_assembly_contact *like, mrn_message *msg)
{
    grid g = {0};
    double largest = 0;
    if (y->n_bodies == 0)
        return MRN_OK;
    for (int64_t i = 0; i < y->n_bodies; i++)
        largest = fmax(largest, radius[i]);
    grid_shape(y, 2 * largest + tolerance, &g);
    mrn_status s = grid_fill(y, &g, msg);
    for (int32_t i = 0; i < y->n_bodies && s == MRN_OK; i++) {
        s = touch_planes(y, i, radius[i], tolerance, plane, n_planes, like, msg);
        if (s == MRN_OK)
            s = touch_neighbours(y, &g, i, radius, tolerance, like, msg);
    }
    mrn_free(g.start);
    mrn_free(g.ball);
    return s;
}
