/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How high and how dense: height of a bed, solid fraction of its bulk. */
#include "measure/measure.h"

mrn_vec3 mrn_up(const mrn_scene *scene)
{
    double g = mrn_norm(scene->gravity);
    if (g > 0)
        return mrn_scale(-1 / g, scene->gravity);
    return scene->dimension == 2 ? mrn_v3(0, 1, 0) : mrn_v3(0, 0, 1);
}

/* The axis nearest to the way up. */
static int vertical(const mrn_scene *scene)
{
    mrn_vec3 up = mrn_up(scene);
    double x = fabs(up.x), y = fabs(up.y), z = fabs(up.z);
    return x > y && x > z ? 0 : y > z ? 1 : 2;
}

static double top_of(const mrn_scene *scene, const mrn_state *s, int32_t i)
{
    return mrn_dot(mrn_up(scene), mrn_load3(s->body.x + 3 * (size_t)i)) + s->body.radius[i];
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
    a = fmin(fmax(a, -r), r);
    b = fmin(fmax(b, -r), r);
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

/* ---- solid fraction ---- */

typedef struct box {
    int dimension;
    double lo[3], hi[3];
} box;

static double grain_in_box(const mrn_scene *scene, const mrn_state *s, int32_t i, const box *b)
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
static void middle_part(const mrn_state *s, int k, box *b)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++) {
        double x = s->body.x[3 * (size_t)i + k], r = s->body.radius[i];
        lo = fmin(lo, x - r);
        hi = fmax(hi, x + r);
    }
    b->lo[k] = lo + (hi - lo) / 6;
    b->hi[k] = hi - (hi - lo) / 6;
}

static void moment_of(const mrn_scene *scene, const mrn_state *s, int32_t i, double *sum)
{
    double volume = mrn_volume_of(scene, s, i);
    sum[0] += volume;
    sum[1] += volume * s->body.x[3 * (size_t)i + vertical(scene)];
}

/* From 10 % to 90 % of the height of the bed. Its height is twice that of its centre above its
   lowest point: right for a level bed, and a grain still in the air does not change it. */
static void bulk_height(const mrn_scene *scene, const mrn_state *s, int k, double sign, box *b)
{
    double sum[2], bottom = INFINITY;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        bottom = fmin(bottom, sign * s->body.x[3 * (size_t)i + k] - s->body.radius[i]);
    mrn_sum_grains(scene, s, 2, moment_of, sum);
    double height = 2 * (sign * sum[1] / sum[0] - bottom);
    double lo = bottom + 0.1 * height, hi = bottom + 0.9 * height;
    b->lo[k] = sign > 0 ? lo : -hi;
    b->hi[k] = sign > 0 ? hi : -lo;
}

/* In periodic directions the whole cell counts: grains are cut by no face, so the box is endless
 * there. */
static double open_box(const mrn_scene *scene, const mrn_state *s, box *b)
{
    mrn_vec3 up = mrn_up(scene);
    double toward[3] = {up.x, up.y, up.z}, volume = 1;
    b->dimension = scene->dimension;
    for (int k = 0; k < scene->dimension; k++) {
        if (scene->cell.periodic[k]) {
            b->lo[k] = -INFINITY;
            b->hi[k] = INFINITY;
            volume *= s->cell_size[k];
            continue;
        }
        if (k == vertical(scene))
            bulk_height(scene, s, k, toward[k] < 0 ? -1 : 1, b);
        else
            middle_part(s, k, b);
        volume *= b->hi[k] - b->lo[k];
    }
    return volume;
}

double mrn_solid_fraction(const mrn_scene *scene, const mrn_state *s)
{
    box b;
    if (s->body.n <= s->body.n_walls)
        return 0;
    double volume = open_box(scene, s, &b), solid = 0;
    for (int32_t i = s->body.n_walls; i < s->body.n; i++)
        solid += grain_in_box(scene, s, i, &b);
    return volume > 0 ? solid / volume : 0;
}
