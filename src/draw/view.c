/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The camera: where the scene sits in the picture, the way from the world to pixels, and the view
   that holds everything. In 3D the perspective is mild: the camera stands eight half heights away.
 */
#include "draw/draw.h"

#define DISTANCE 8.0   /* camera to target in half heights: a field of view of 14 degrees  */
#define MARGIN   1.05  /* air around what must fit                                         */
#define KEEP     0.995 /* of the grains are never let go                                   */
#define SLACK    0.30  /* and no other that is but this much farther from the middle       */
#define MANY     200   /* from this many grains on the farthest are let go                 */

static void directions(const mrn_look *look, mrn_view *v)
{
    if (v->dimension == 2) {
        v->right = mrn_v3(1, 0, 0), v->up = mrn_v3(0, 1, 0), v->toward = mrn_v3(0, 0, 1);
        return;
    }
    double az = look->azimuth * MRN_PI / 180, el = look->elevation * MRN_PI / 180;
    v->right = mrn_v3(cos(az), sin(az), 0);
    v->toward = mrn_v3(cos(el) * sin(az), -cos(el) * cos(az), sin(el));
    v->up = mrn_cross(v->toward, v->right);
}

mrn_view mrn_view_layout(const mrn_look *look, const mrn_header *header)
{
    mrn_view v = {.dimension = header->dimension, .width = look->width, .height = look->height};
    double small = fmin(look->width, look->height * 1.4);
    v.text = fmax(9, small / 1120 * 17);
    double gap = 1.6 * v.text;
    /* tiny pictures are for looking, not for reading */
    bool room = look->width >= 240 && look->height >= 160;
    bool plain = mrn_paint_field_of(look)->kind == MRN_PAINT_PLAIN;
    v.bar = look->legend && room && (!plain || look->force_chains) ? 8.6 * v.text : 0;
    double head = look->caption && room && header->title[0] ? 1.9 * v.text : 0;
    double foot = room && (look->caption || look->axes) ? 1.9 * v.text : 0;
    if (!room)
        gap = 0.04 * small;
    v.left = gap;
    v.top = gap + head;
    v.plot_width = fmax(8, look->width - 2 * gap - v.bar);
    v.plot_height = fmax(8, look->height - 2 * gap - head - foot);
    directions(look, &v);
    return v;
}

mrn_vec3 mrn_view_camera(const mrn_view *v, mrn_vec3 p)
{
    mrn_vec3 d = mrn_sub(p, v->target);
    double s = 1 / v->extent;
    double w = mrn_dot(d, v->toward) * s;
    return mrn_v3(mrn_dot(d, v->right) * s, mrn_dot(d, v->up) * s,
                  v->dimension == 2 ? -w : v->distance * s - w);
}

double mrn_view_focal(const mrn_view *v)
{
    double half = 0.5 * v->plot_height;
    return v->dimension == 2 ? half : half * v->distance / v->extent;
}

void mrn_view_pixel(const mrn_view *v, mrn_vec3 c, double *px, double *py)
{
    double f = mrn_view_focal(v), z = v->dimension == 2 ? 1 : c.z;
    *px = v->left + 0.5 * v->plot_width + f * c.x / z;
    *py = v->top + 0.5 * v->plot_height - f * c.y / z;
}

/* Bounds gathered over frames. side[k]: how far the things reach in the four directions of the
   picture, perspective taken in: right, left, up, down; lo and hi: of the grains, in the world. */
typedef struct reach {
    double side[4], w_lo, w_hi;
    double lo[3], hi[3];
    bool grains, any;
} reach;

/* The half height that a point of the picture asks for, in direction k, is linear in its
   coordinates: with the camera at DISTANCE half heights, u/(1 - w/(DISTANCE E)) <= aspect E is
   u/aspect + w/DISTANCE <= E. */
static double ask(const mrn_view *v, mrn_vec3 p, double r, int k)
{
    double aspect = k < 2 ? v->plot_width / v->plot_height : 1;
    double u = mrn_dot(p, k < 2 ? v->right : v->up);
    double lift = v->dimension == 2 ? 0 : mrn_dot(p, v->toward) / DISTANCE;
    return ((k & 1 ? -u : u) + r) / aspect + lift;
}

static void hold(double *lo, double *hi, double x)
{
    *lo = fmin(*lo, x);
    *hi = fmax(*hi, x);
}

static void hold_point(const mrn_view *v, reach *b, mrn_vec3 p, double r)
{
    for (int k = 0; k < 4; k++)
        b->side[k] = fmax(b->side[k], ask(v, p, r, k));
    hold(&b->w_lo, &b->w_hi, mrn_dot(p, v->toward));
    b->any = true;
}

static double coordinate(const double *x, int k)
{
    return x[k];
}

/* Quantities 0…3: `ask`; 4, 5: depth; 6…11: bounds in the world. */
static double quantity(const mrn_view *v, const double *x, double r, int q)
{
    mrn_vec3 p = mrn_load3(x);
    if (q < 4)
        return ask(v, p, r, q);
    if (q < 6)
        return q == 4 ? -mrn_dot(p, v->toward) : mrn_dot(p, v->toward);
    int axis = (q - 6) / 2;
    return q & 1 ? coordinate(x, axis) + r : r - coordinate(x, axis);
}

static void take(reach *b, int q, double value)
{
    if (q < 4)
        b->side[q] = fmax(b->side[q], value);
    else if (q == 4)
        b->w_lo = fmin(b->w_lo, -value);
    else if (q == 5)
        b->w_hi = fmax(b->w_hi, value);
    else if (q & 1)
        b->hi[(q - 6) / 2] = fmax(b->hi[(q - 6) / 2], value);
    else
        b->lo[(q - 6) / 2] = fmin(b->lo[(q - 6) / 2], -value);
}

/* The largest value, those far beyond nearly all others left out. */
static double farthest(double *value, int64_t n)
{
    double top = mrn_quantile(value, n, n >= MANY ? KEEP : 1), middle = value[n / 2];
    double limit = top + SLACK * (top - middle);
    for (int64_t k = n - 1; k >= 0; k--)
        if (value[k] <= limit)
            return value[k];
    return top;
}

static mrn_status hold_grains(const mrn_view *v, const mrn_header *header, const mrn_frame *f,
                              reach *b, mrn_message *msg)
{
    double *value = NULL;
    int32_t n = f->n - f->n_walls;
    int32_t stride = n > 40000 ? n / 20000 : 1; /* a sample tells a quantile well enough */
    mrn_status s = mrn_array(&value, (int64_t)n / stride + 1, sizeof *value, msg);
    for (int q = 0; !s && q < 12; q++) {
        int64_t m = 0;
        for (int32_t i = f->n_walls; i < f->n; i += stride)
            if (mrn_grain_visible(f, i))
                value[m++] = quantity(v, f->x + 3 * (int64_t)i, mrn_frame_bound(header, f, i), q);
        if (m == 0)
            break;
        b->any = b->grains = true;
        take(b, q, farthest(value, m));
    }
    mrn_free(value);
    return s;
}

static bool finite3(const double *x)
{
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

/* All triangles in one plane? Such a wall may be an endless one that was only cut for looking. */
static bool is_flat(const mrn_triangles *t)
{
    mrn_vec3 n = {0, 0, 0}, p0 = {0, 0, 0};
    for (int k = 0; k < t->n_triangles; k++) {
        mrn_vec3 a = mrn_load3(t->point + 3 * (int64_t)t->corner[3 * k]);
        mrn_vec3 b = mrn_load3(t->point + 3 * (int64_t)t->corner[3 * k + 1]);
        mrn_vec3 c = mrn_load3(t->point + 3 * (int64_t)t->corner[3 * k + 2]);
        mrn_vec3 m = mrn_unit(mrn_cross(mrn_sub(b, a), mrn_sub(c, a)));
        if (k == 0)
            n = m, p0 = a;
        else if (fabs(mrn_dot(m, n)) < 1 - 1e-9 ||
                 fabs(mrn_dot(mrn_sub(a, p0), n)) > 1e-6 * mrn_norm(mrn_sub(b, a)))
            return false;
    }
    return true;
}

/* A wall counts as far as it stays near the grains: a flat one closely (it may be endless), any
   other three times their size. */
static void hold_wall(const mrn_view *v, const mrn_triangles *t, const double *x, const double *q,
                      reach *b)
{
    double size = 0;
    for (int k = 0; k < 3 && b->grains; k++)
        size = fmax(size, b->hi[k] - b->lo[k]);
    double room = (is_flat(t) ? 0.06 : 3) * size;
    mrn_quat turn = {q[0], q[1], q[2], q[3]};
    for (int i = 0; i < t->n_points; i++) {
        double p[3];
        mrn_store3(p,
                   mrn_add(mrn_load3(x), mrn_rotate(turn, mrn_load3(t->point + 3 * (int64_t)i))));
        for (int k = 0; k < 3 && b->grains; k++)
            p[k] = fmin(fmax(p[k], b->lo[k] - room), b->hi[k] + room);
        if (v->dimension == 2)
            p[2] = 0;
        if (finite3(p))
            hold_point(v, b, mrn_load3(p), 0);
    }
}

/* An endless plane counts where it passes the grains. */
static void hold_plane(const mrn_view *v, const mrn_triangles *t, const double *x, const double *q,
                       reach *b)
{
    mrn_quat turn = {q[0], q[1], q[2], q[3]};
    mrn_vec3 c[3];
    double size = 0;
    for (int k = 0; k < 3; k++) {
        c[k] = mrn_rotate(turn, mrn_load3(t->point + 3 * (int64_t)t->corner[k]));
        size = fmax(size, b->hi[k] - b->lo[k]);
    }
    mrn_vec3 n = mrn_unit(mrn_cross(mrn_sub(c[1], c[0]), mrn_sub(c[2], c[0])));
    mrn_vec3 on = mrn_add(mrn_load3(x), c[0]);
    for (int e = 0; e < 8; e++) {
        double p[3];
        mrn_vec3 a = mrn_v3(e & 1 ? b->hi[0] : b->lo[0], e & 2 ? b->hi[1] : b->lo[1],
                            e & 4 ? b->hi[2] : b->lo[2]);
        mrn_store3(p, mrn_axpy(-mrn_dot(n, mrn_sub(a, on)), n, a));
        for (int k = 0; k < 3; k++)
            p[k] = fmin(fmax(p[k], b->lo[k] - 0.06 * size), b->hi[k] + 0.06 * size);
        if (v->dimension == 2)
            p[2] = 0;
        if (finite3(p))
            hold_point(v, b, mrn_load3(p), 0);
    }
}

static void hold_walls(const mrn_view *v, const mrn_header *header, const mrn_frame *f, reach *b)
{
    int n = header->n_walls < f->n_walls ? header->n_walls : f->n_walls;
    for (int i = 0; i < n; i++) {
        bool absent = f->flags && f->flags[i] & MRN_BODY_ABSENT;
        const mrn_triangles *t = &header->wall[i];
        bool plane = header->wall_endless && header->wall_endless[i] && t->n_triangles == 2;
        if (!absent && t->n_triangles > 0)
            (plane && b->grains ? hold_plane : hold_wall)(v, t, f->x + 3 * (int64_t)i,
                                                          f->q + 4 * (int64_t)i, b);
    }
}

static void hold_cell(const mrn_view *v, const mrn_frame *f, reach *b)
{
    if (!(f->periodic[0] || f->periodic[1] || f->periodic[2]))
        return;
    for (int c = 0; c < 8; c++) {
        double p[3];
        for (int k = 0; k < 3; k++) {
            double lo = b->grains ? b->lo[k] : 0, hi = b->grains ? b->hi[k] : 0;
            p[k] = f->periodic[k] ? f->cell_origin[k] : c >> k & 1 ? hi : lo;
        }
        mrn_store3(p, mrn_add(mrn_load3(p), mrn_frame_shift(f, c & 1, c >> 1 & 1, c >> 2)));
        if (v->dimension == 2)
            p[2] = 0;
        if (finite3(p))
            hold_point(v, b, mrn_load3(p), 0);
    }
}

static void set_from_reach(const mrn_look *look, const reach *b, mrn_view *v)
{
    double aspect = v->plot_width / v->plot_height;
    double w = 0.5 * (b->w_lo + b->w_hi), lift = v->dimension == 2 ? 0 : w / DISTANCE;
    double u0 = 0.5 * aspect * (b->side[0] - b->side[1]), v0 = 0.5 * (b->side[2] - b->side[3]);
    double half_u = 0.5 * (b->side[0] + b->side[1]) - lift;
    double half_v = 0.5 * (b->side[2] + b->side[3]) - lift;
    if (look->has_target) {
        v->target = look->target;
        half_u = half_v = 0;
        for (int k = 0; k < 4; k++)
            half_u = fmax(half_u, b->side[k] - ask(v, look->target, 0, k));
    } else {
        v->target = mrn_add(mrn_scale(u0, v->right),
                            mrn_add(mrn_scale(v0, v->up), mrn_scale(w, v->toward)));
    }
    v->extent = MARGIN * fmax(half_u, half_v);
}

mrn_status mrn_view_fit(const mrn_look *look, const mrn_header *header,
                        const mrn_frame *const *frames, int n, mrn_view *view, mrn_message *msg)
{
    double big = INFINITY;
    reach b = {{-big, -big, -big, -big}, big, -big, {big, big, big}, {-big, -big, -big}, 0, 0};
    for (int k = 0; k < n; k++) {
        mrn_status s = hold_grains(view, header, frames[k], &b, msg);
        if (s)
            return s;
    }
    for (int k = 0; k < n; k++) {
        if (look->walls)
            hold_walls(view, header, frames[k], &b);
        if (look->cell)
            hold_cell(view, frames[k], &b);
    }
    if (!b.any)
        hold_point(view, &b, mrn_v3(0, 0, 0), 1);
    set_from_reach(look, &b, view);
    if (!(view->extent > 0) || !isfinite(view->extent))
        view->extent = 1;
    return MRN_OK;
}

/* The camera stays in front of all grains near the view, however deep they lie. */
static double camera_distance(const mrn_look *look, const mrn_view *v, const mrn_header *header,
                              const mrn_frame *f)
{
    double extent = look->extent > 0 ? look->extent : v->extent, far = 0;
    for (int32_t i = f->n_walls; i < f->n; i++)
        if (mrn_grain_visible(f, i)) {
            mrn_vec3 d = mrn_sub(mrn_load3(f->x + 3 * (int64_t)i), v->target);
            double w = mrn_dot(d, v->toward) + mrn_frame_bound(header, f, i);
            if (w < 20 * extent)
                far = fmax(far, w);
        }
    return fmax(DISTANCE * extent, 1.25 * far);
}

mrn_status mrn_view_make(const mrn_look *look, const mrn_header *header, const mrn_frame *frame,
                         mrn_view *out, mrn_message *msg)
{
    *out = mrn_view_layout(look, header);
    if (look->has_target && look->extent > 0) {
        out->target = look->target;
        out->extent = look->extent;
    } else {
        mrn_status s = mrn_view_fit(look, header, &frame, 1, out, msg);
        if (s)
            return s;
        if (look->extent > 0)
            out->extent = look->extent;
    }
    out->distance = camera_distance(look, out, header, frame);
    out->extent /= look->zoom;
    return MRN_OK;
}
