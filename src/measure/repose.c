/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Angle of repose of a heap, and slope of a bed, from the free surface: see mrn_repose_of and
   mrn_surface_angle in measure.h for the estimators. It takes medians twice, over the columns at
   one distance and over the slopes, so that neither grains still in the air nor a hole in the flank
   matter. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "measure/measure.h"

enum { RINGS = 96, LEAST_RINGS = 3, LEAST_COLUMNS = 4 };

typedef struct heap {
    const mrn_scene *scene;
    const mrn_state *s;
    int up;              /* axis                                                   */
    int flat[2];         /* the others; the second is -1 in 2D                     */
    double sign;         /* of the way up                                          */
    double base, top;    /* heights                                                */
    double step;         /* of the grid                                            */
    double lo[2], hi[2]; /* of the grid                                            */
    int n[2];
    double *height;   /* per column: highest point; -INFINITY: empty            */
    double centre[2]; /* of the axis                                            */
    bool ridge;
    int across;     /* which of `flat` counts on a ridge                      */
    double *sorted; /* scratch: heights of one ring, then slopes              */
    double distance[RINGS], median[RINGS];
    int points;
} heap;

static double coordinate(const heap *h, int32_t i, int k)
{
    return h->s->body.x[3 * (size_t)i + k];
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(double *v, int64_t n)
{
    qsort(v, (size_t)n, sizeof *v, by_size);
    return 0.5 * (v[(n - 1) / 2] + v[n / 2]);
}

/* What counts for the surface: spheres (of clusters too) to their top, polytopes to their highest
 * corner.
 */
static bool seen(const heap *h, int32_t i)
{
    return !(h->s->body.flags[i] & (MRN_BODY_CLUSTER | MRN_BODY_ABSENT | MRN_BODY_FIXED));
}

/* ---- the surface ---- */

static bool within(const heap *h, int32_t i)
{
    for (int k = 0; k < 2 && h->flat[k] >= 0; k++) {
        double x = coordinate(h, i, h->flat[k]);
        if (x < h->lo[k] || x > h->hi[k])
            return false;
    }
    return true;
}

/* How many grains are within, and the mean of their places or, about `of`, of the squares. */
static void moments(const heap *h, double *n, double mean[2], const double *of)
{
    mrn_sum sum[2] = {{0}};
    *n = 0;
    for (int32_t i = h->s->body.n_walls; i < h->s->body.n; i++) {
        if (!seen(h, i) || !within(h, i))
            continue;
        for (int k = 0; k < 2 && h->flat[k] >= 0; k++) {
            double x = coordinate(h, i, h->flat[k]);
            mrn_sum_add(&sum[k], of == NULL ? x : (x - of[k]) * (x - of[k]));
        }
        *n += 1;
    }
    for (int k = 0; k < 2 && *n > 0; k++)
        mean[k] = mrn_sum_value(&sum[k]) / *n;
}

/* Where the heap is: grains within four deviations of the mean, found thrice over, so that a grain
   that flew or rolled far away does not count (the edge of a cone is at 2.6 deviations). */
static void find_place(heap *h)
{
    h->lo[0] = h->lo[1] = -INFINITY;
    h->hi[0] = h->hi[1] = INFINITY;
    for (int round = 0; round < 3; round++) {
        double n, mean[2] = {0, 0}, square[2] = {0, 0};
        moments(h, &n, mean, NULL);
        moments(h, &n, square, mean);
        for (int k = 0; k < 2 && n > 0; k++) {
            double wide = 4 * sqrt(square[k]);
            h->lo[k] = fmax(h->lo[k], mean[k] - wide);
            h->hi[k] = fmin(h->hi[k], mean[k] + wide);
        }
    }
}

static mrn_status lay_grid(heap *h, mrn_message *msg)
{
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY}, n = 0;
    mrn_sum radius = {0};
    find_place(h);
    h->base = INFINITY;
    for (int32_t i = h->s->body.n_walls; i < h->s->body.n; i++) {
        if (!seen(h, i) || !within(h, i))
            continue;
        mrn_sum_add(&radius, h->s->body.radius[i]);
        n += 1;
        double below = mrn_reach_axis(h->scene, h->s, i, h->up, -h->sign);
        h->base = fmin(h->base, h->sign * coordinate(h, i, h->up) - below);
        for (int k = 0; k < 2 && h->flat[k] >= 0; k++) {
            lo[k] = fmin(lo[k], coordinate(h, i, h->flat[k]));
            hi[k] = fmax(hi[k], coordinate(h, i, h->flat[k]));
        }
    }
    double cells = 1;
    h->step = n > 0 ? 2 * mrn_sum_value(&radius) / n : 0;
    for (int k = 0; k < 2; k++) {
        bool there = h->flat[k] >= 0 && h->step > 0;
        h->lo[k] = lo[k], h->hi[k] = hi[k];
        h->n[k] = there ? 1 + (int)fmin((hi[k] - lo[k]) / h->step, 1e5) : 1;
        cells *= h->n[k];
    }
    if (n < 2 * LEAST_RINGS || cells > 1e4 + 16 * n) {
        h->step = 0; /* too few grains, or spread too far: no heap */
        return MRN_OK;
    }
    mrn_status st = mrn_array(&h->height, (int64_t)cells, sizeof *h->height, msg);
    return st == MRN_OK ? mrn_array(&h->sorted, (int64_t)cells, sizeof *h->sorted, msg) : st;
}

static int64_t columns(const heap *h)
{
    return (int64_t)h->n[0] * h->n[1];
}

static void find_surface(heap *h)
{
    for (int64_t c = 0; c < columns(h); c++)
        h->height[c] = -INFINITY;
    for (int32_t i = h->s->body.n_walls; i < h->s->body.n; i++) {
        if (!seen(h, i) || !within(h, i))
            continue;
        int at[2] = {0, 0};
        for (int k = 0; k < 2 && h->flat[k] >= 0; k++) {
            at[k] = (int)((coordinate(h, i, h->flat[k]) - h->lo[k]) / h->step);
            at[k] = at[k] < h->n[k] ? at[k] : h->n[k] - 1;
        }
        double *top = &h->height[(int64_t)at[1] * h->n[0] + at[0]];
        double above = mrn_reach_axis(h->scene, h->s, i, h->up, h->sign);
        *top = fmax(*top, h->sign * coordinate(h, i, h->up) + above);
    }
}

/* The heap's top is the 98th percentile of its columns: a grain in the air is not it. With few
   columns it is the highest but one. */
static void find_top(heap *h)
{
    int64_t n = 0;
    for (int64_t c = 0; c < columns(h); c++)
        if (h->height[c] > -INFINITY)
            h->sorted[n++] = h->height[c];
    qsort(h->sorted, (size_t)n, sizeof *h->sorted, by_size);
    int64_t at = (int64_t)(0.98 * (double)n);
    h->top = h->sorted[at < n - 2 ? at : n > 1 ? n - 2 : 0];
}

static mrn_vec3 column_at(const heap *h, int64_t c)
{
    return mrn_v3(h->lo[0] + ((double)(c % h->n[0]) + 0.5) * h->step,
                  h->lo[1] + ((double)(c / h->n[0]) + 0.5) * h->step, h->height[c]);
}

/* Centre of the columns that reach the upper fifth. Grains far above the top do not count. */
static void find_axis(heap *h)
{
    double n = 0, limit = h->base + 0.8 * (h->top - h->base), above = h->top + 3 * h->step;
    h->centre[0] = h->centre[1] = 0;
    for (int64_t c = 0; c < columns(h); c++) {
        mrn_vec3 x = column_at(h, c);
        if (!(x.z >= limit) || x.z > above)
            continue;
        double weight = x.z - limit + 1e-3 * h->step;
        h->centre[0] += weight * x.x;
        h->centre[1] += weight * x.y;
        n += weight;
    }
    if (n > 0)
        h->centre[0] /= n, h->centre[1] /= n;
}

/* A roof rather than a cone: in 2D, along a periodic axis, and when thrice as long as wide. */
static void find_ridge(heap *h)
{
    bool p0 = h->scene->cell.periodic[h->flat[0]];
    bool p1 = h->flat[1] >= 0 && h->scene->cell.periodic[h->flat[1]];
    h->ridge = h->flat[1] < 0 || p0 || p1 || h->n[0] > 3 * h->n[1] || h->n[1] > 3 * h->n[0];
    h->across = h->flat[1] < 0 || p1 ? 0 : p0 ? 1 : h->n[1] > h->n[0];
}

/* ---- the flank ---- */

static double distance_of(const heap *h, mrn_vec3 x)
{
    double dx = x.x - h->centre[0], dy = x.y - h->centre[1];
    if (h->ridge)
        return fabs(h->across == 0 ? dx : dy);
    return hypot(dx, dy);
}

/* Heights over rings one grain wide; the distance of a ring is the mean of its columns. */
static void find_profile(heap *h)
{
    /* grains strewn one deep about the foot are no flank */
    double low = h->base + fmax(0.2 * (h->top - h->base), 1.5 * h->step);
    double high = h->base + 0.8 * (h->top - h->base);
    double far = 0;
    for (int64_t c = 0; c < columns(h); c++)
        if (h->height[c] > -INFINITY)
            far = fmax(far, distance_of(h, column_at(h, c)));
    double width = fmax(h->step, far / RINGS * (1 + 1e-9));
    for (int k = 0; k < RINGS; k++) {
        int64_t n = 0;
        double sum = 0;
        for (int64_t c = 0; c < columns(h); c++) {
            mrn_vec3 x = column_at(h, c);
            double d = distance_of(h, x);
            if (!(x.z > -INFINITY) || (int)(d / width) != k)
                continue;
            h->sorted[n++] = x.z;
            sum += d;
        }
        double middle = n > 0 ? median_of(h->sorted, n) : -INFINITY;
        if (!(middle >= low && middle <= high))
            continue;
        h->distance[h->points] = sum / (double)n;
        h->median[h->points++] = middle;
    }
}

static mrn_status fit_flank(const heap *h, mrn_repose *out, mrn_message *msg)
{
    double *slope;
    int64_t n = 0;
    if (h->points < LEAST_RINGS)
        return MRN_OK;
    mrn_status st = mrn_array(&slope, (int64_t)h->points * h->points, sizeof *slope, msg);
    if (st != MRN_OK)
        return st;
    for (int i = 0; i < h->points; i++)
        for (int k = 0; k < i; k++)
            slope[n++] = (h->median[i] - h->median[k]) / (h->distance[i] - h->distance[k]);
    double m = median_of(slope, n);
    for (int i = 0; i < h->points; i++)
        slope[i] = h->median[i] - m * h->distance[i];
    out->angle = -atan(m) * 180 / MRN_PI;
    double apex[3] = {0, 0, 0};
    apex[h->up] = h->sign * median_of(slope, h->points);
    for (int k = 0; k < 2 && h->flat[k] >= 0; k++)
        apex[h->flat[k]] = h->centre[k];
    memcpy(out->apex, apex, sizeof apex);
    mrn_free(slope);
    return MRN_OK;
}

static void orient(heap *h)
{
    mrn_vec3 up = mrn_up(h->scene, h->s);
    const double toward[3] = {up.x, up.y, up.z};
    int k = 0;
    h->up = mrn_vertical(h->scene, h->s);
    h->sign = toward[h->up] < 0 ? -1 : 1;
    h->flat[0] = h->flat[1] = -1;
    for (int axis = 0; axis < h->scene->dimension; axis++)
        if (axis != h->up)
            h->flat[k++] = axis;
}

/* ---- the surface of a bed ---- */

/* Theil-Sen slope along one axis: medians across it, in the middle two thirds. False: too short. */
static mrn_status slope_along(heap *h, int axis, bool *found, double *slope, mrn_message *msg)
{
    int n = h->n[axis], across = h->n[1 - axis], begin = n / 6, end = n - n / 6;
    int64_t points = 0, pairs = 0;
    double *at, *all;
    mrn_status st = mrn_array(&at, 2 * (int64_t)n, sizeof *at, msg);
    *found = false;
    if (st != MRN_OK)
        return st;
    for (int i = begin; i < end; i++) {
        int64_t m = 0;
        for (int j = 0; j < across; j++) {
            double z = h->height[axis == 0 ? (int64_t)j * h->n[0] + i : (int64_t)i * h->n[0] + j];
            if (z > -INFINITY)
                h->sorted[m++] = z;
        }
        if (m == 0)
            continue;
        at[2 * points] = i * h->step;
        at[2 * points++ + 1] = median_of(h->sorted, m);
    }
    st = points >= LEAST_COLUMNS ? mrn_array(&all, points * points, sizeof *all, msg) : MRN_OK;
    if (st == MRN_OK && points >= LEAST_COLUMNS) {
        for (int64_t i = 0; i < points; i++)
            for (int64_t k = 0; k < i; k++)
                all[pairs++] = (at[2 * i + 1] - at[2 * k + 1]) / (at[2 * i] - at[2 * k]);
        *slope = median_of(all, pairs);
        *found = true;
        mrn_free(all);
    }
    mrn_free(at);
    return st;
}

/* Along a periodic axis a surface cannot fall. */
static mrn_status fit_surface(heap *h, double *angle, mrn_message *msg)
{
    double normal[3] = {0, 0, 0};
    mrn_status st = MRN_OK;
    bool known = false;
    for (int k = 0; k < 2 && h->flat[k] >= 0 && st == MRN_OK; k++) {
        bool found = h->scene->cell.periodic[h->flat[k]];
        double slope = 0;
        if (!found)
            st = slope_along(h, k, &found, &slope, msg);
        normal[h->flat[k]] = -slope;
        known = known || found;
    }
    normal[h->up] = h->sign;
    mrn_vec3 n = mrn_load3(normal), up = mrn_up(h->scene, h->s);
    if (st == MRN_OK && known)
        *angle = atan2(mrn_norm(mrn_cross(n, up)), mrn_dot(n, up)) * 180 / MRN_PI;
    return st;
}

/* The heap with its surface, where there are grains enough for a grid (h->step > 0). */
static mrn_status open_heap(const mrn_scene *scene, const mrn_state *s, heap *h, mrn_message *msg)
{
    *h = (heap){.scene = scene, .s = s};
    orient(h);
    mrn_status st = lay_grid(h, msg);
    if (st == MRN_OK && h->step > 0)
        find_surface(h);
    return st;
}

static void close_heap(heap *h)
{
    mrn_free(h->height);
    mrn_free(h->sorted);
}

mrn_status mrn_surface_angle(const mrn_scene *scene, const mrn_state *s, double *angle,
                             mrn_message *msg)
{
    heap h;
    *angle = NAN;
    mrn_status st = open_heap(scene, s, &h, msg);
    if (st == MRN_OK && h.step > 0)
        st = fit_surface(&h, angle, msg);
    close_heap(&h);
    return st;
}

mrn_status mrn_repose_of(const mrn_scene *scene, const mrn_state *s, mrn_repose *out,
                         mrn_message *msg)
{
    heap h;
    *out = (mrn_repose){.angle = NAN};
    mrn_status st = open_heap(scene, s, &h, msg);
    if (st == MRN_OK && h.step > 0) {
        find_top(&h);
        find_axis(&h);
        find_ridge(&h);
        find_profile(&h);
        out->height = h.top - h.base;
        out->points = h.points;
        out->ridge = h.ridge;
        st = fit_flank(&h, out, msg);
    }
    close_heap(&h);
    return st;
}
