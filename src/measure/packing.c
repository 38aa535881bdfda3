/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How high and how dense: height of a bed, solid fraction of its bulk, profiles along an axis.

   Grains with corners reach as far as their corners. Where a plane cuts them they count as the
   sphere (disk) of equal volume about their centre of mass: right on average over orientations, and
   exact for those that are whole, which all are in a periodic cell. */
#include "base/base.h"
#include "geom/cluster.h"
#include "measure/measure.h"

/* Grains that are worth threads. */
enum { MANY = 8192 };

mrn_vec3 mrn_up(const mrn_scene *scene, const mrn_state *s)
{
    mrn_vec3 gravity = mrn_load3(s->gravity);
    double g = mrn_norm(gravity);
    if (g > 0)
        return mrn_scale(-1 / g, gravity);
    return scene->dimension == 2 ? mrn_v3(0, 1, 0) : mrn_v3(0, 0, 1);
}

int mrn_vertical(const mrn_scene *scene, const mrn_state *s)
{
    mrn_vec3 up = mrn_up(scene, s);
    double x = fabs(up.x), y = fabs(up.y), z = fabs(up.z);
    return x > y && x > z ? 0 : y > z ? 1 : 2;
}

static double reach_of_polytope(const mrn_polytope *f, mrn_vec3 along)
{
    double most = 0;
    for (int p = 0; p < f->n_parts; p++)
        for (int k = 0; k < f->part[p].n_points; k++)
            most = fmax(most, mrn_dot(along, mrn_load3(f->part[p].point + 3 * k)));
    return most;
}

double mrn_reach(const mrn_scene *scene, const mrn_state *s, int32_t i, mrn_vec3 along)
{
    const mrn_bodies *b = &s->body;
    if (!(b->flags[i] & MRN_BODY_POLYTOPE) || b->part[i] >= scene->n_polytopes)
        return b->radius[i];
    mrn_quat back = mrn_quat_conj(mrn_load_quat(b->q + 4 * (size_t)i));
    return b->radius[i] * reach_of_polytope(&scene->polytope[b->part[i]], mrn_rotate(back, along));
}

double mrn_reach_axis(const mrn_scene *scene, const mrn_state *s, int32_t i, int k, double sign)
{
    return mrn_reach(scene, s, i, mrn_v3(k == 0 ? sign : 0, k == 1 ? sign : 0, k == 2 ? sign : 0));
}

/* A sphere of a cluster reaches as high as it does; the cluster itself is no sphere. */
static double top_of(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    if (s->body.flags[i] & (MRN_BODY_CLUSTER | MRN_BODY_ABSENT))
        return -INFINITY;
    mrn_vec3 up = mrn_up(scene, s);
    return mrn_dot(up, mrn_load3(s->body.x + 3 * (size_t)i)) + mrn_reach(scene, s, i, up);
}

double mrn_height(const mrn_scene *scene, const mrn_state *s)
{
    return s->body.n > s->body.n_walls ? mrn_max_grains(scene, s, top_of) : NAN;
}

/* ---- the part of a grain in a box ---- */

/* Area under the upper half circle between x = 0 and x = a, |a| <= r. */
static double half_chord(double r, double a)
{
    return 0.5 * (a * sqrt(fmax(r * r - a * a, 0)) + r * r * asin(fmin(fmax(a / r, -1), 1)));
}

/* Area of the part of a disk at the origin with x <= a and y <= b. Over x, its height is b +
   sqrt(r^2 - x^2) where the line y = b runs inside the disk (|x| <= e); elsewhere it is the full
   chord, or nothing when b < 0. */
static double quarter(double r, double a, double b)
{
    if (a <= -r || b <= -r) /* most balls that are cut are cut by one plane */
        return 0;
    a = fmin(a, r);
    b = fmin(b, r);
    double e = sqrt(fmax(r * r - b * b, 0));
    double c = fmin(fmax(a, -e), e);
    double area = b * (c + e) + half_chord(r, c) - half_chord(r, -e);
    if (b < 0)
        return area;
    area += 2 * (half_chord(r, fmin(a, -e)) - half_chord(r, -r));
    return a > e ? area + 2 * (half_chord(r, a) - half_chord(r, e)) : area;
}

/* Area of a disk at the origin within [x0, x1] x [y0, y1]. */
static double disk_in_rectangle(double r, const double lo[2], const double hi[2])
{
    double area = quarter(r, hi[0], hi[1]) - quarter(r, lo[0], hi[1]) - quarter(r, hi[0], lo[1]) +
                  quarter(r, lo[0], lo[1]);
    return fmax(area, 0);
}

/* Volume of a ball within a box: disks, summed with Gauss' rule of 8 points. A ball that is cut is
   one among many, and the rule is good to about 1e-3 of it where a corner cuts and far better
   elsewhere. */
static double ball_in_box(double r, const double lo[3], const double hi[3])
{
    static const double at[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                 0.9602898564975363};
    static const double weight[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                     0.1012285362903763};
    double from = fmax(lo[2], -r), to = fmin(hi[2], r), sum = 0;
    if (from >= to)
        return 0;
    double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    for (int k = 0; k < 8; k++) {
        double z = middle + (k % 2 ? half : -half) * at[k / 2];
        double rho = sqrt(fmax(r * r - z * z, 0));
        sum += weight[k / 2] * (rho > 0 ? disk_in_rectangle(rho, lo, hi) : 0);
    }
    return half * sum;
}

double mrn_slice(int dimension, double r, double lo, double hi)
{
    lo = fmax(lo, -r);
    hi = fmin(hi, r);
    if (!(lo < hi))
        return 0;
    if (dimension == 2)
        return 2 * (half_chord(r, hi) - half_chord(r, lo));
    /* in the polytope that does not lose small slices: thickness times the mean of the section */
    return MRN_PI * (hi - lo) * (r * r - (hi * hi + hi * lo + lo * lo) / 3);
}

/* ---- the bulk ---- */

static double grain_in_box(const mrn_scene *scene, const mrn_state *s, int32_t i, const mrn_bulk *b)
{
    double lo[3] = {0}, hi[3] = {0}, r = s->body.radius[i];
    bool whole = true;
    for (int k = 0; k < b->dimension; k++) {
        double x = s->body.x[3 * (size_t)i + k];
        lo[k] = b->lo[k] - x;
        hi[k] = b->hi[k] - x;
        if (lo[k] >= r || hi[k] <= -r)
            return 0;
        whole = whole && lo[k] <= -r && hi[k] >= r;
    }
    if (whole)
        return mrn_volume_of(scene, s, i);
    return b->dimension == 2 ? disk_in_rectangle(r, lo, hi) : ball_in_box(r, lo, hi);
}

/* The middle two thirds between the outermost surfaces: within a round container too (a square of
   0.94 of its diameter across the corners), and clear of the loose layer along walls. */
static void middle_part(const mrn_scene *scene, const mrn_state *s, int k, mrn_bulk *b)
{
    double lo = INFINITY, hi = -INFINITY;
#pragma omp parallel for schedule(static) reduction(min                                            \
                                                    : lo) reduction(max                            \
                                                                    : hi) if (s->body.n > MANY)
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        double x = s->body.x[3 * (size_t)i + k];
        if (!mrn_is_grain(s, i))
            continue;
        lo = fmin(lo, x - mrn_reach_axis(scene, s, i, k, -1));
        hi = fmax(hi, x + mrn_reach_axis(scene, s, i, k, 1));
    }
    b->lo[k] = lo + (hi - lo) / 6;
    b->hi[k] = hi - (hi - lo) / 6;
}

static void moment_of(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum)
{
    if (!mrn_is_grain(s, i))
        return;
    double volume = mrn_volume_of(scene, s, i);
    sum[0] += volume;
    for (int k = 0; k < 3; k++)
        sum[1 + k] += volume * s->body.x[3 * (size_t)i + k];
}

/* From 10 % to 90 % of the height of the bed. Its height is twice that of its centre above its
   lowest point: right for a level bed, and a grain still in the air does not change it. */
static void bulk_height(const mrn_scene *scene, const mrn_state *s, int k, double sign, mrn_bulk *b)
{
    double sum[4], bottom = INFINITY;
#pragma omp parallel for schedule(static) reduction(min : bottom) if (s->body.n > MANY)
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (mrn_is_grain(s, i))
            bottom = fmin(bottom, sign * s->body.x[3 * (size_t)i + k] -
                                      mrn_reach_axis(scene, s, i, k, -sign));
    mrn_sum_grains(scene, s, 4, moment_of, sum);
    double height = 2 * (sign * sum[1 + k] / sum[0] - bottom);
    double lo = bottom + 0.1 * height, hi = bottom + 0.9 * height;
    b->lo[k] = sign > 0 ? lo : -hi;
    b->hi[k] = sign > 0 ? hi : -lo;
}

/* In periodic directions the whole cell counts: grains are cut by no face, so the box is endless
 * there. */
mrn_bulk mrn_measure_bulk(const mrn_scene *scene, const mrn_state *s)
{
    mrn_vec3 up = mrn_up(scene, s);
    double toward[3] = {up.x, up.y, up.z};
    mrn_bulk b = {.dimension = scene->dimension, .volume = 1};
    if (s->body.n <= s->body.n_walls)
        return (mrn_bulk){.dimension = scene->dimension};
    for (int k = 0; k < scene->dimension; k++) {
        if (scene->cell.periodic[k]) {
            b.lo[k] = -INFINITY;
            b.hi[k] = INFINITY;
            b.volume *= s->cell_size[k];
            continue;
        }
        if (k == mrn_vertical(scene, s))
            bulk_height(scene, s, k, toward[k] < 0 ? -1 : 1, &b);
        else
            middle_part(scene, s, k, &b);
        b.volume *= b.hi[k] - b.lo[k];
    }
    return b;
}

typedef struct in_bulk {
    const mrn_scene *scene;
    const mrn_bulk *bulk;
} in_bulk;

/* Volume and mass of the part of grain i in the bulk. */
static void add_part(const void *what, const mrn_state *s, int32_t i, double *sum)
{
    const in_bulk *in = what;
    double part = mrn_is_grain(s, i) ? grain_in_box(in->scene, s, i, in->bulk) : 0;
    sum[0] += part;
    if (part > 0)
        sum[1] += part * (s->body.mass[i] / mrn_volume_of(in->scene, s, i));
}

double mrn_solid_fraction(const mrn_scene *scene, const mrn_state *s, const mrn_bulk *bulk,
                          double *density)
{
    const in_bulk in = {scene, bulk};
    double sum[2];
    mrn_sum_bodies(&in, s, 2, add_part, sum);
    *density = bulk->volume > 0 ? sum[1] / bulk->volume : 0;
    return bulk->volume > 0 ? sum[0] / bulk->volume : 0;
}

/* ---- profiles ---- */

void mrn_profile_destroy(mrn_profile *p)
{
    mrn_free(p->solid_fraction);
    mrn_free(p->mass);
    mrn_free(p->velocity);
    mrn_free(p->temperature);
    *p = (mrn_profile){0};
}

/* Ends of the grains along an axis, or of the cell. */
static void ends_of(const mrn_scene *scene, const mrn_state *s, int k, double *lo, double *hi)
{
    if (scene->cell.periodic[k]) {
        *lo = s->cell_origin[k];
        *hi = *lo + s->cell_size[k];
        return;
    }
    *lo = INFINITY;
    *hi = -INFINITY;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        if (mrn_is_grain(s, i)) {
            double x = s->body.x[3 * (size_t)i + k];
            *lo = fmin(*lo, x - mrn_reach_axis(scene, s, i, k, -1));
            *hi = fmax(*hi, x + mrn_reach_axis(scene, s, i, k, 1));
        }
}

/* Parts of a grain at x in the slabs it meets. */
static void add_slices(const mrn_scene *scene, const mrn_state *s, int32_t i, double x,
                       mrn_profile *p)
{
    double r = s->body.radius[i], thick = (p->hi - p->lo) / p->n;
    double volume = mrn_volume_of(scene, s, i), density = s->body.mass[i] / volume;
    const double *v = s->body.v + 3 * (size_t)i;
    int begin = (int)fmax(floor((x - r - p->lo) / thick), 0);
    int end = (int)fmin(ceil((x + r - p->lo) / thick), p->n);
    for (int b = begin; b < end; b++) {
        double lo = p->lo + b * thick - x;
        double part = mrn_slice(scene->dimension, r, lo, lo + thick);
        p->solid_fraction[b] += part;
        p->mass[b] += density * part;
        for (int k = 0; k < 3; k++)
            p->velocity[3 * b + k] += part * v[k];
        p->temperature[b] += part * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
}

static void finish_profile(int dimension, mrn_profile *p)
{
    double slab = p->area * (p->hi - p->lo) / p->n;
    for (int b = 0; b < p->n; b++) {
        double volume = p->solid_fraction[b], mean = 0;
        p->solid_fraction[b] = slab > 0 ? volume / slab : 0;
        if (!(volume > 0))
            continue;
        for (int k = 0; k < 3; k++) {
            p->velocity[3 * b + k] /= volume;
            mean += p->velocity[3 * b + k] * p->velocity[3 * b + k];
        }
        p->temperature[b] = fmax(p->temperature[b] / volume - mean, 0) / dimension;
    }
}

static void fill_profile(const mrn_scene *scene, const mrn_state *s, double area, mrn_profile *p)
{
    ends_of(scene, s, p->axis, &p->lo, &p->hi);
    p->area = area;
    for (int k = 0; k < scene->dimension && !(area > 0); k++) {
        double lo, hi;
        ends_of(scene, s, k, &lo, &hi);
        p->area = (p->area > 0 ? p->area : 1) * (k == p->axis ? 1 : hi - lo);
    }
    double period = scene->cell.periodic[p->axis] ? s->cell_size[p->axis] : 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        double x = s->body.x[3 * (size_t)i + p->axis], r = s->body.radius[i];
        if (!mrn_is_grain(s, i))
            continue;
        if (period > 0) /* in a sheared cell it may lie outside the ends */
            x -= period * floor((x - p->lo) / period);
        add_slices(scene, s, i, x, p);
        if (period > 0 && x - r < p->lo)
            add_slices(scene, s, i, x + period, p);
        if (period > 0 && x + r > p->hi)
            add_slices(scene, s, i, x - period, p);
    }
    finish_profile(scene->dimension, p);
}

mrn_status mrn_profile_make(const mrn_scene *scene, const mrn_state *s, int axis, int n,
                            double area, mrn_profile *out, mrn_message *msg)
{
    *out = (mrn_profile){.axis = axis, .n = n};
    if (axis < 0 || axis >= scene->dimension)
        return mrn_fail(msg, MRN_ERR_RANGE, "axis %d: the scene has %d", axis, scene->dimension);
    if (n < 1)
        return mrn_fail(msg, MRN_ERR_RANGE, "a profile of %d slabs", n);
    if (s->body.n <= s->body.n_walls)
        return mrn_fail(msg, MRN_ERR_RANGE, "a profile of no grains");
    mrn_status st = mrn_array(&out->solid_fraction, n, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_array(&out->mass, n, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_array(&out->velocity, 3 * (int64_t)n, sizeof(double), msg);
    if (st == MRN_OK)
        st = mrn_array(&out->temperature, n, sizeof(double), msg);
    if (st == MRN_OK)
        fill_profile(scene, s, area, out);
    else
        mrn_profile_destroy(out);
    return st;
}
