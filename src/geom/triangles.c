/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Triangles for looking at walls: quadrangles and surfaces of revolution. */
#include "geom/geom.h"

mrn_status mrn_triangles_begin(mrn_triangles *t, int points, int triangles)
{
    *t = (mrn_triangles){0};
    t->point = mrn_alloc(3 * sizeof *t->point * (size_t)points);
    t->corner = mrn_alloc(3 * sizeof *t->corner * (size_t)triangles);
    if (t->point != NULL && t->corner != NULL)
        return MRN_OK;
    mrn_free(t->point);
    mrn_free(t->corner);
    *t = (mrn_triangles){0};
    return MRN_ERR_MEMORY;
}

static int32_t add_point(mrn_triangles *t, mrn_vec3 p)
{
    mrn_store3(t->point + 3 * (size_t)t->n_points, p);
    return t->n_points++;
}

static void add_triangle(mrn_triangles *t, int32_t a, int32_t b, int32_t c)
{
    int32_t *corner = t->corner + 3 * (size_t)t->n_triangles++;
    corner[0] = a, corner[1] = b, corner[2] = c;
}

void mrn_triangles_quad(mrn_triangles *t, mrn_vec3 a, mrn_vec3 b, mrn_vec3 c, mrn_vec3 d)
{
    int32_t k = add_point(t, a);
    add_point(t, b);
    add_point(t, c);
    add_point(t, d);
    add_triangle(t, k, k + 1, k + 2);
    add_triangle(t, k, k + 2, k + 3);
}

/* Joins two neighbouring rings; a ring on the axis is one point. */
static void join(mrn_triangles *t, int32_t low, bool low_point, int32_t high, bool high_point)
{
    for (int32_t k = 0; k < MRN_SEGMENTS; k++) {
        int32_t next = (k + 1) % MRN_SEGMENTS;
        int32_t a = low_point ? low : low + k, b = low_point ? low : low + next;
        int32_t c = high_point ? high : high + next, d = high_point ? high : high + k;
        if (!low_point)
            add_triangle(t, a, b, c);
        if (!high_point)
            add_triangle(t, a, c, d);
    }
}

mrn_status mrn_triangles_revolve(mrn_triangles *t, const double (*profile)[2], int n)
{
    mrn_status s = mrn_triangles_begin(t, n * MRN_SEGMENTS, 2 * (n - 1) * MRN_SEGMENTS);
    if (s != MRN_OK)
        return s;
    int32_t last = 0;
    for (int i = 0; i < n; i++) {
        double rho = profile[i][0], z = profile[i][1];
        int32_t first = t->n_points;
        for (int k = 0; k < (rho > 0 ? MRN_SEGMENTS : 1); k++) {
            double angle = 2 * MRN_PI * k / MRN_SEGMENTS;
            add_point(t, mrn_v3(rho * cos(angle), rho * sin(angle), z));
        }
        if (i > 0)
            join(t, last, !(profile[i - 1][0] > 0), first, !(rho > 0));
        last = first;
    }
    return MRN_OK;
}
