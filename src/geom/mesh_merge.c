/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One point where a triangle soup has many: points within a tolerance of an earlier one become that
   one. Found with a hash of cells a few tolerances wide; kept points are a tolerance apart, so a
   cell holds only a bounded number of them and the time is linear whatever the input. */
#include "base/base.h"
#include "geom/mesh.h"

#define TOLERANCE 1e-6 /* of the diagonal; single precision files are good to 1e-7 */
#define CELL      4    /* tolerances per cell: most points need to look into one cell only */

typedef struct merger {
    double *point; /* kept so far */
    int32_t n;
    int32_t *head, *next; /* chains of kept points by cell */
    uint64_t mask;
    double lo[3], tolerance;
} merger;

static int64_t cell_of(const merger *g, int axis, double x)
{
    return (int64_t)floor((x - g->lo[axis]) / (CELL * g->tolerance));
}

static uint64_t slot(const merger *g, int64_t i, int64_t j, int64_t k)
{
    uint64_t h = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 32 ^ (uint64_t)j) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 32 ^ (uint64_t)k) * UINT64_C(0x94d049bb133111eb);
    return (h ^ h >> 31) & g->mask;
}

static int32_t find_in(const merger *g, uint64_t s, const double *x)
{
    for (int32_t p = g->head[s]; p >= 0; p = g->next[p]) {
        const double *y = g->point + 3 * (size_t)p;
        double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= g->tolerance * g->tolerance)
            return p;
    }
    return -1;
}

static int32_t find(const merger *g, const double *x)
{
    int64_t lo[3], hi[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = cell_of(g, k, x[k] - g->tolerance);
        hi[k] = cell_of(g, k, x[k] + g->tolerance);
    }
    for (int64_t i = lo[0]; i <= hi[0]; i++)
        for (int64_t j = lo[1]; j <= hi[1]; j++)
            for (int64_t k = lo[2]; k <= hi[2]; k++) {
                int32_t p = find_in(g, slot(g, i, j, k), x);
                if (p >= 0)
                    return p;
            }
    return -1;
}

static int32_t keep(merger *g, const double *x)
{
    int32_t p = g->n++;
    for (int k = 0; k < 3; k++)
        g->point[3 * (size_t)p + (size_t)k] = x[k];
    uint64_t s = slot(g, cell_of(g, 0, x[0]), cell_of(g, 1, x[1]), cell_of(g, 2, x[2]));
    g->next[p] = g->head[s];
    g->head[s] = p;
    return p;
}

static mrn_status measure(merger *g, const double *soup, int64_t n, mrn_message *msg)
{
    double hi[3], diagonal2 = 0;
    for (int k = 0; k < 3; k++)
        g->lo[k] = hi[k] = soup[k];
    for (int64_t i = 0; i < 9 * n; i++) {
        if (!(fabs(soup[i]) < 1e30))
            return mrn_fail(msg, MRN_ERR_INPUT,
                            "triangle %lld of the mesh has the coordinate %g m, beyond all bounds",
                            (long long)(i / 9 + 1), soup[i]);
        g->lo[i % 3] = fmin(g->lo[i % 3], soup[i]);
        hi[i % 3] = fmax(hi[i % 3], soup[i]);
    }
    for (int k = 0; k < 3; k++)
        diagonal2 += (hi[k] - g->lo[k]) * (hi[k] - g->lo[k]);
    g->tolerance = TOLERANCE * sqrt(diagonal2);
    if (!(g->tolerance > 1e-100))
        return mrn_fail(msg, MRN_ERR_INPUT, "all triangles of the mesh lie in one point");
    return MRN_OK;
}

static mrn_status merge(merger *g, mrn_mesh *m, const double *soup, int64_t n, mrn_message *msg)
{
    uint64_t slots = 64;
    while (slots < (uint64_t)n) /* a closed mesh has half as many points as triangles */
        slots *= 2;
    g->mask = slots - 1;
    mrn_status s = mrn_array(&g->point, 9 * n, sizeof *g->point, msg);
    if (s == MRN_OK)
        s = mrn_array(&g->next, 3 * n, sizeof *g->next, msg);
    if (s == MRN_OK)
        s = mrn_array(&g->head, (int64_t)slots, sizeof *g->head, msg);
    if (s == MRN_OK)
        s = mrn_array(&m->corner, 3 * n, sizeof *m->corner, msg);
    if (s != MRN_OK)
        return s;
    for (uint64_t k = 0; k < slots; k++)
        g->head[k] = -1;
    for (int64_t i = 0; i < 3 * n; i++) {
        int32_t p = find(g, soup + 3 * i);
        m->corner[i] = p >= 0 ? p : keep(g, soup + 3 * i);
    }
    double *less = mrn_realloc(g->point, 3 * sizeof *g->point * (size_t)g->n);
    if (less == NULL)
        return mrn_fail_memory(msg);
    m->point = less;
    g->point = NULL;
    m->n_points = g->n;
    m->n_triangles = (int32_t)n;
    return MRN_OK;
}

mrn_status mrn_mesh_merge(mrn_mesh *m, const double *soup, int64_t n, mrn_message *msg)
{
    merger g = {0};
    mrn_status s = measure(&g, soup, n, msg);
    if (s == MRN_OK)
        s = merge(&g, m, soup, n, msg);
    mrn_free(g.point);
    mrn_free(g.next);
    mrn_free(g.head);
    return s;
}
