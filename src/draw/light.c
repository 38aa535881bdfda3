/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shadows: grains binned in the plane across the light, searched from the point towards the lamp.
   Sky: the part of the hemisphere that each near sphere covers, multiplied; exact for a sphere
   above the horizon. */
#include <stdlib.h>

#include "draw/light.h"

#define NEARBY   8.0  /* half views: balls farther from the target header nothing       */
#define PENUMBRA 0.10 /* half width of the soft edge per distance to the blocker      */
#define SOFTEST  0.45 /* and at most this part of the blocker's radius                */
#define SKY      2.5  /* radii within which a ball hides sky                          */

static double clamp01(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static double smooth_step(double lo, double hi, double x)
{
    double t = clamp01((x - lo) / (hi - lo));
    return t * t * (3 - 2 * t);
}

static void place_lamp(const mrn_view *v, mrn_lamp *l)
{
    l->up = mrn_v3(v->right.z, v->up.z, -v->toward.z);
    /* from above, from the left, and a little from behind the camera */
    l->toward = mrn_unit(mrn_add(mrn_scale(0.8, l->up), mrn_v3(-0.46, 0.2, -0.55)));
    mrn_vec3 side = fabs(l->toward.x) < 0.7 ? mrn_v3(1, 0, 0) : mrn_v3(0, 1, 0);
    l->across = mrn_unit(mrn_cross(l->toward, side));
    l->along = mrn_cross(l->toward, l->across);
}

/* Balls that count: near the view and not cut away. */
static bool headers(const mrn_ball *b, double distance)
{
    mrn_vec3 d = mrn_sub(b->c, mrn_v3(0, 0, distance));
    return !b->hidden && mrn_dot(d, d) < NEARBY * NEARBY;
}

typedef struct high {
    double height;
    int32_t ball;
} high;

static int by_height(const void *a, const void *b)
{
    const high *s = a, *t = b;
    if (s->height != t->height)
        return s->height < t->height ? -1 : 1;
    return (s->ball > t->ball) - (s->ball < t->ball);
}

static mrn_tile_box shadow_box(const mrn_lamp *l, const mrn_ball *b)
{
    double s = mrn_dot(b->c, l->across) - l->s0, t = mrn_dot(b->c, l->along) - l->t0;
    double r = (1 + SOFTEST) * b->reach, k = 1 / l->tile;
    return (mrn_tile_box){(int32_t)floor((s - r) * k), (int32_t)floor((t - r) * k),
                          (int32_t)floor((s + r) * k), (int32_t)floor((t + r) * k)};
}

/* Lays the bins so that a tile is about a grain wide. */
static void lay_tiles(mrn_lamp *l, const high *h, int64_t n, double mean_radius, int32_t *nx,
                      int32_t *ny)
{
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    for (int64_t k = 0; k < n; k++) {
        const mrn_ball *b = &l->ball[h[k].ball];
        double x[2] = {mrn_dot(b->c, l->across), mrn_dot(b->c, l->along)};
        double r = (1 + SOFTEST) * b->reach;
        for (int e = 0; e < 2; e++)
            lo[e] = fmin(lo[e], x[e] - r), hi[e] = fmax(hi[e], x[e] + r);
    }
    double wide = fmax(hi[0] - lo[0], hi[1] - lo[1]);
    l->tile = fmax(1.3 * mean_radius, wide / 700);
    l->s0 = lo[0], l->t0 = lo[1];
    *nx = (int32_t)((hi[0] - lo[0]) / l->tile) + 1;
    *ny = (int32_t)((hi[1] - lo[1]) / l->tile) + 1;
}

static mrn_status make_shadows(mrn_lamp *l, high *h, int64_t n, double mean_radius,
                               mrn_message *msg)
{
    mrn_tile_box *box = NULL;
    mrn_status s = mrn_array(&l->order, n, sizeof *l->order, msg);
    if (!s)
        s = mrn_array(&l->height, n, sizeof *l->height, msg);
    if (!s)
        s = mrn_array(&box, n, sizeof *box, msg);
    if (s)
        return s;
    qsort(h, (size_t)n, sizeof *h, by_height);
    int32_t nx, ny;
    lay_tiles(l, h, n, mean_radius, &nx, &ny);
    for (int64_t k = 0; k < n; k++) {
        l->order[k] = h[k].ball;
        l->height[k] = h[k].height;
        box[k] = shadow_box(l, &l->ball[h[k].ball]);
    }
    s = mrn_bins_make(nx, ny, box, n, &l->shadow, msg);
    mrn_free(box);
    return s;
}

/* ---- the sky ---- */

typedef struct span {
    int32_t lo[3], hi[3];
} span;

static span sky_span(const mrn_lamp *l, const mrn_ball *b)
{
    const double c[3] = {b->c.x, b->c.y, b->c.z};
    span s;
    for (int k = 0; k < 3; k++) {
        double lo = (c[k] - SKY * b->r - l->origin[k]) / l->cell;
        double hi = (c[k] + SKY * b->r - l->origin[k]) / l->cell;
        s.lo[k] = lo > 0 ? (int32_t)lo : 0;
        s.hi[k] = hi < l->dim[k] ? (int32_t)hi : l->dim[k] - 1;
    }
    return s;
}

static double span_count(span s)
{
    double n = 1;
    for (int k = 0; k < 3; k++)
        n *= s.hi[k] - s.lo[k] + 1;
    return n;
}

/* Cells about as wide as a grain; wider when few large balls would fill too many of them. */
static void lay_cells(mrn_lamp *l, const high *h, int64_t n, double mean_radius)
{
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int64_t k = 0; k < n; k++) {
        const mrn_ball *b = &l->ball[h[k].ball];
        const double c[3] = {b->c.x, b->c.y, b->c.z};
        for (int e = 0; e < 3; e++)
            lo[e] = fmin(lo[e], c[e] - SKY * b->r), hi[e] = fmax(hi[e], c[e] + SKY * b->r);
    }
    l->cell = 2.2 * mean_radius;
    for (double filled = INFINITY; filled > 64.0 * (double)n + 1e5; l->cell *= 1.4) {
        double cells = 1;
        for (int e = 0; e < 3; e++) {
            l->origin[e] = lo[e];
            cells *= (hi[e] - lo[e]) / l->cell + 1;
        }
        if (cells > 8.0 * (double)n + 1e5)
            continue;
        for (int e = 0; e < 3; e++)
            l->dim[e] = (int32_t)((hi[e] - lo[e]) / l->cell) + 1;
        filled = 0;
        for (int64_t k = 0; k < n; k++)
            filled += span_count(sky_span(l, &l->ball[h[k].ball]));
        if (filled <= 64.0 * (double)n + 1e5)
            return;
    }
}

static int64_t cell_index(const mrn_lamp *l, int32_t x, int32_t y, int32_t z)
{
    return ((int64_t)z * l->dim[1] + y) * l->dim[0] + x;
}

static void sky_sweep(mrn_lamp *l, const high *h, int64_t n, bool fill)
{
    for (int64_t k = 0; k < n; k++) {
        span s = sky_span(l, &l->ball[h[k].ball]);
        for (int32_t z = s.lo[2]; z <= s.hi[2]; z++)
            for (int32_t y = s.lo[1]; y <= s.hi[1]; y++)
                for (int32_t x = s.lo[0]; x <= s.hi[0]; x++) {
                    int64_t *place = &l->start[cell_index(l, x, y, z)];
                    if (fill)
                        l->item[*place] = h[k].ball;
                    ++*place;
                }
    }
}

static mrn_status make_sky(mrn_lamp *l, const high *h, int64_t n, double mean_radius,
                           mrn_message *msg)
{
    lay_cells(l, h, n, mean_radius);
    int64_t cells = (int64_t)l->dim[0] * l->dim[1] * l->dim[2], sum = 0;
    mrn_status s = mrn_array(&l->start, cells + 1, sizeof *l->start, msg);
    if (s)
        return s;
    sky_sweep(l, h, n, false);
    for (int64_t k = 0; k <= cells; k++) {
        int64_t c = l->start[k];
        l->start[k] = sum;
        sum += c;
    }
    s = mrn_array(&l->item, sum, sizeof *l->item, msg);
    if (s)
        return s;
    sky_sweep(l, h, n, true);
    for (int64_t k = cells; k > 0; k--)
        l->start[k] = l->start[k - 1];
    l->start[0] = 0;
    return MRN_OK;
}

mrn_status mrn_lamp_make(const mrn_view *view, const mrn_ball *ball, int32_t n,
                         mrn_body_shape *shape, int32_t n_shapes, mrn_lamp *out, mrn_message *msg)
{
    *out = (mrn_lamp){.ball = ball, .shape = shape, .n_shapes = n_shapes};
    place_lamp(view, out);
    high *h = NULL;
    int64_t m = 0;
    double sum = 0;
    mrn_status s = mrn_array(&h, n, sizeof *h, msg);
    for (int32_t i = 0; !s && i < n; i++)
        if (headers(&ball[i], view->distance / view->extent)) {
            h[m++] = (high){mrn_dot(ball[i].c, out->toward), i};
            sum += ball[i].r;
            if (ball[i].shape >= 0)
                out->tallest = fmax(out->tallest, ball[i].reach);
        }
    if (!s)
        s = mrn_lamp_outline(out, msg);
    if (!s && m > 0)
        s = make_shadows(out, h, m, sum / (double)m, msg);
    if (!s && m > 0)
        s = make_sky(out, h, m, sum / (double)m, msg);
    mrn_free(h);
    if (s)
        mrn_lamp_release(out);
    return s;
}

void mrn_lamp_release(mrn_lamp *l)
{
    mrn_bins_release(&l->shadow);
    mrn_free(l->order);
    mrn_free(l->height);
    mrn_free(l->start);
    mrn_free(l->item);
    mrn_free(l->side);
    mrn_free(l->side_start);
    *l = (mrn_lamp){0};
}

/* A sphere `up` nearer to the lamp than p, its centre sqrt(off2) beside the ray. */
static double beside_ball(double r, double up, double off2)
{
    double reach = (1 + SOFTEST) * r;
    if (off2 >= reach * reach)
        return 1;
    double w = fmin(fmax(PENUMBRA * up, 0.03 * r), SOFTEST * r);
    return smooth_step(r - w, r + w, sqrt(fmax(off2, 0)));
}

double mrn_lamp_visible(const mrn_lamp *l, mrn_vec3 p, int32_t self, int part)
{
    if (!l->shadow.start)
        return 1;
    double s = mrn_dot(p, l->across), t = mrn_dot(p, l->along), h = mrn_dot(p, l->toward);
    double tx = (s - l->s0) / l->tile, ty = (t - l->t0) / l->tile;
    if (!(tx >= 0 && ty >= 0 && tx < l->shadow.nx && ty < l->shadow.ny))
        return 1;
    int64_t tile = (int64_t)ty * l->shadow.nx + (int64_t)tx;
    const int32_t *item = l->shadow.item;
    int64_t lo = l->shadow.start[tile], end = l->shadow.start[tile + 1], hi = end;
    while (lo < hi) { /* first ball with its centre nearer to the lamp, or shape that reaches up */
        int64_t mid = (lo + hi) / 2;
        if (l->height[item[mid]] > h - l->tallest)
            hi = mid;
        else
            lo = mid + 1;
    }
    double visible = 1;
    for (int64_t k = lo; k < end && visible > 0.01; k++) {
        int32_t b = l->order[item[k]];
        const mrn_ball *q = &l->ball[b];
        mrn_vec3 d = mrn_sub(q->c, p);
        double up = l->height[item[k]] - h, off2 = mrn_dot(d, d) - up * up;
        if (q->shape < 0) {
            visible *= b == self || !(up > 0) ? 1 : beside_ball(q->r, up, off2);
            continue;
        }
        double reach = q->reach + SOFTEST * q->r;
        if (off2 < reach * reach)
            visible *= mrn_lamp_behind(l, q, p, b == self ? part : -1,
                                       (const double[3]){PENUMBRA, 0.02, SOFTEST});
    }
    return visible;
}

/* Part of the cosine-weighted hemisphere that a ball at distance h (radii) covers, its centre at
   sine nl above the horizon; balls that cross the horizon are blended so that it is continuous. */
static double hidden_by(double nl, double h)
{
    double s = nl * h; /* height of the centre over the horizon, radii */
    if (s >= 1)
        return nl / (h * h);
    if (s <= -1)
        return 0;
    double g = 0.5 * (1 + s);
    return g * g / (h * h * h);
}

double mrn_lamp_sky(const mrn_lamp *l, mrn_vec3 p, mrn_vec3 n, int32_t self)
{
    if (!l->start)
        return 1;
    double x = (p.x - l->origin[0]) / l->cell, y = (p.y - l->origin[1]) / l->cell,
           z = (p.z - l->origin[2]) / l->cell;
    if (!(x >= 0 && y >= 0 && z >= 0 && x < l->dim[0] && y < l->dim[1] && z < l->dim[2]))
        return 1;
    int64_t cell = cell_index(l, (int32_t)x, (int32_t)y, (int32_t)z);
    double open = 1;
    for (int64_t k = l->start[cell]; k < l->start[cell + 1]; k++) {
        const mrn_ball *b = &l->ball[l->item[k]];
        mrn_vec3 d = mrn_sub(b->c, p);
        double d2 = mrn_dot(d, d), reach2 = SKY * SKY * b->r * b->r;
        if (d2 >= reach2 || l->item[k] == self)
            continue;
        double dist = sqrt(d2), fall = 1 - d2 / reach2;
        double h = fmax(dist / b->r, 1);
        open *= 1 - fmin(0.98, hidden_by(mrn_dot(n, d) / fmax(dist, 1e-12), h) * fall * fall);
    }
    return open;
}
