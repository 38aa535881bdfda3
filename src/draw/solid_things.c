/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grains, walls, lines and links of a frame brought into camera space and sorted into tiles,
   grains front to back. */
#include <stdlib.h>

#include "draw/solid.h"

static int by_front(const void *a, const void *b)
{
    const mrn_ball *s = a, *t = b;
    double x = s->c.z - s->reach, y = t->c.z - t->reach;
    if (x != y)
        return x < y ? -1 : 1;
    return (s->body > t->body) - (s->body < t->body);
}

static bool finite4(const double *q)
{
    return isfinite(q[0] + q[1] + q[2] + q[3]);
}

static void add_shape(mrn_solid *s, int32_t i, mrn_ball *b)
{
    const mrn_polytope *polytope = mrn_frame_polytope(s->header, s->frame, i);
    const double *q = s->frame->q + 4 * (int64_t)i;
    if (!polytope || !finite4(q))
        return;
    b->shape = s->n_shapes++;
    s->shape[b->shape] = mrn_body_shape_make(s->view, polytope, q, s->frame->radius[i]);
}

static mrn_status make_balls(mrn_solid *s, const mrn_paint *paint, mrn_message *msg)
{
    const mrn_frame *f = s->frame;
    mrn_status st = mrn_array(&s->ball, f->n, sizeof *s->ball, msg);
    if (!st)
        st = mrn_array(&s->front, f->n, sizeof *s->front, msg);
    if (!st && s->header->n_polytopes > 0)
        st = mrn_array(&s->shape, f->n, sizeof *s->shape, msg);
    if (st)
        return st;
    for (int32_t i = f->n_walls; i < f->n; i++) {
        if (!mrn_grain_visible(f, i))
            continue;
        mrn_ball b = {.c = mrn_view_camera(s->view, mrn_load3(f->x + 3 * (int64_t)i)),
                      .r = f->radius[i] / s->view->extent,
                      .reach = mrn_frame_bound(s->header, f, i) / s->view->extent,
                      .body = i,
                      .shape = -1};
        if (b.c.z - b.reach < MRN_NEAR || (s->look->slice && mrn_solid_in_front(s, b.c) > b.reach))
            continue;
        add_shape(s, i, &b);
        b.hidden = s->look->slice && mrn_solid_in_front(s, b.c) > 0;
        b.albedo = mrn_rgb_linear(mrn_paint_colour(paint, i));
        s->ball[s->n_balls++] = b;
    }
    qsort(s->ball, (size_t)s->n_balls, sizeof *s->ball, by_front);
    for (int32_t i = 0; i < s->n_balls; i++)
        s->front[i] = s->ball[i].c.z - s->ball[i].reach;
    return MRN_OK;
}

/* Ends of the picture of a sphere along one axis, as x/z: the two tangents from the camera. */
static void tangents(double u, double z, double r, double *lo, double *hi)
{
    double l = sqrt(u * u + z * z - r * r);
    *lo = (u * l - z * r) / (z * l + u * r);
    *hi = (u * l + z * r) / (z * l - u * r);
}

static int32_t tile_of(double pixel)
{
    double t = floor(pixel / MRN_TILE);
    if (!(t >= -1)) /* NAN too */
        return -1;
    return t > 1e6 ? 1000000 : (int32_t)t;
}

static mrn_tile_box pixel_box(double x0, double y0, double x1, double y1)
{
    return (mrn_tile_box){tile_of(x0), tile_of(y0), tile_of(x1), tile_of(y1)};
}

static mrn_tile_box sphere_box(const mrn_solid *s, mrn_vec3 c, double r)
{
    double xl, xh, yl, yh;
    tangents(c.x, c.z, r, &xl, &xh);
    tangents(c.y, c.z, r, &yl, &yh);
    return pixel_box(s->cx + s->focal * xl, s->cy - s->focal * yh, s->cx + s->focal * xh,
                     s->cy - s->focal * yl);
}

/* The part of a segment beyond the nearest depth; false: none. */
static bool clip_near(mrn_vec3 *a, mrn_vec3 *b)
{
    if (a->z < MRN_NEAR && b->z < MRN_NEAR)
        return false;
    mrn_vec3 *low = a->z < b->z ? a : b, *high = a->z < b->z ? b : a;
    if (low->z < MRN_NEAR)
        *low = mrn_axpy((MRN_NEAR - low->z) / (high->z - low->z), mrn_sub(*high, *low), *low);
    return true;
}

static mrn_tile_box sheet_box(const mrn_solid *s, const mrn_solid_sheet *f)
{
    double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
    for (int i = 0; i < 3; i++) {
        mrn_vec3 end[2] = {f->p[i], f->p[(i + 1) % 3]};
        if (!clip_near(&end[0], &end[1]))
            continue;
        for (int e = 0; e < 2; e++) {
            double px = s->cx + s->focal * end[e].x / end[e].z;
            double py = s->cy - s->focal * end[e].y / end[e].z;
            x0 = fmin(x0, px), x1 = fmax(x1, px), y0 = fmin(y0, py), y1 = fmax(y1, py);
        }
    }
    if (!(x1 >= x0))
        return (mrn_tile_box){0, 0, -1, -1};
    return pixel_box(x0, y0, x1, y1);
}

static mrn_status make_sheets(mrn_solid *s, const mrn_wall_set *w, mrn_message *msg)
{
    mrn_status st = mrn_array(&s->sheet, w->n_faces, sizeof *s->sheet, msg);
    for (int64_t k = 0; !st && k < w->n_faces; k++) {
        mrn_solid_sheet f = {.near = w->face[k].near, .endless = w->face[k].endless};
        for (int i = 0; i < 3; i++) {
            f.p[i] = mrn_view_camera(s->view, w->face[k].p[i]);
            f.n[i] = mrn_solid_turn(s->view, w->face[k].n[i]);
        }
        for (int i = 0; i < 3; i++)
            f.e[i] = mrn_cross(f.p[(i + 1) % 3], f.p[(i + 2) % 3]);
        f.det = mrn_dot(f.p[0], f.e[0]);
        s->sheet[s->n_sheets++] = f;
    }
    return st;
}

static void add_line(mrn_solid *s, mrn_vec3 world_a, mrn_vec3 world_b, mrn_rgb colour, float alpha,
                     double width, bool endless, bool dashed)
{
    mrn_solid_line l = {.a = mrn_view_camera(s->view, world_a),
                        .b = mrn_view_camera(s->view, world_b),
                        .colour = mrn_rgb_linear(colour),
                        .alpha = alpha,
                        .half = 0.5 * width,
                        .endless = endless,
                        .dashed = dashed};
    if (!clip_near(&l.a, &l.b))
        return;
    l.ax = s->cx + s->focal * l.a.x / l.a.z, l.ay = s->cy - s->focal * l.a.y / l.a.z;
    l.bx = s->cx + s->focal * l.b.x / l.b.z, l.by = s->cy - s->focal * l.b.y / l.b.z;
    l.iza = 1 / l.a.z, l.izb = 1 / l.b.z;
    s->line[s->n_lines++] = l;
}

/* The periodic cell as a box of dashed lines; open directions span the grains. */
static void add_cell(mrn_solid *s, mrn_rgb colour, double width)
{
    const mrn_frame *f = s->frame;
    double lo[3], hi[3];
    mrn_vec3 edge[3];
    for (int k = 0; k < 3; k++) {
        lo[k] = INFINITY, hi[k] = -INFINITY;
        for (int32_t i = f->n_walls; i < f->n; i++)
            if (mrn_grain_visible(f, i)) {
                double r = mrn_frame_bound(s->header, f, i);
                lo[k] = fmin(lo[k], f->x[3 * (int64_t)i + k] - r);
                hi[k] = fmax(hi[k], f->x[3 * (int64_t)i + k] + r);
            }
        if (f->periodic[k])
            lo[k] = f->cell_origin[k], hi[k] = lo[k] + f->cell_size[k];
        if (!(hi[k] >= lo[k]))
            return;
        double open[3] = {0, 0, 0};
        open[k] = hi[k] - lo[k];
        edge[k] = f->periodic[k] ? mrn_frame_edge(f, k) : mrn_load3(open);
    }
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 4; c++) {
            mrn_vec3 a = mrn_axpy(c & 1, edge[(k + 1) % 3], mrn_load3(lo));
            a = mrn_axpy(c >> 1, edge[(k + 2) % 3], a);
            add_line(s, a, mrn_add(a, edge[k]), colour, 0.75f, width, false, true);
        }
}

static mrn_status make_lines(mrn_solid *s, const mrn_wall_set *w, mrn_message *msg)
{
    mrn_theme theme = mrn_theme_of(s->look);
    double width = fmax(1, 0.075 * s->view->text);
    bool cell =
        s->look->cell && (s->frame->periodic[0] || s->frame->periodic[1] || s->frame->periodic[2]);
    mrn_status st = mrn_array(&s->line, w->n_edges + 12, sizeof *s->line, msg);
    if (st)
        return st;
    for (int64_t k = 0; k < w->n_edges; k++) {
        const mrn_edge *e = &w->edge[k];
        float strong = 0.25f + 0.55f * (float)s->look->wall_opacity;
        add_line(s, e->a, e->b, theme.edge, strong * (1 - 0.6f * e->near), width, e->endless,
                 false);
    }
    if (cell)
        add_cell(s, theme.cell, width);
    return MRN_OK;
}

static mrn_status make_rods(mrn_solid *s, const mrn_link_set *links, mrn_message *msg)
{
    /* of a few large grains no thicker than a fiftieth of the picture */
    double thick = fmin(0.5 * links->width / s->view->extent, 0.022);
    mrn_status st = mrn_array(&s->rod, links->n, sizeof *s->rod, msg);
    for (int64_t k = 0; !st && k < links->n; k++) {
        const mrn_link *l = &links->link[k];
        mrn_solid_rod r = {mrn_view_camera(s->view, l->a), mrn_view_camera(s->view, l->b),
                           thick * (0.06 + 0.94 * l->strength),
                           mrn_rgb_linear(mrn_link_colour(l->strength, s->look->dark))};
        if (fmin(r.a.z, r.b.z) - r.r > MRN_NEAR && l->strength > 0.02 &&
            !(s->look->slice && fmax(mrn_solid_in_front(s, r.a), mrn_solid_in_front(s, r.b)) > 0))
            s->rod[s->n_rods++] = r;
    }
    return st;
}

static mrn_tile_box join_boxes(mrn_tile_box a, mrn_tile_box b)
{
    return (mrn_tile_box){a.x0 < b.x0 ? a.x0 : b.x0, a.y0 < b.y0 ? a.y0 : b.y0,
                          a.x1 > b.x1 ? a.x1 : b.x1, a.y1 > b.y1 ? a.y1 : b.y1};
}

enum { BALLS, SHEETS, LINES, RODS };

static mrn_tile_box box_of(const mrn_solid *s, int kind, int64_t k)
{
    if (kind == BALLS)
        return sphere_box(s, s->ball[k].c, s->ball[k].reach);
    if (kind == SHEETS)
        return sheet_box(s, &s->sheet[k]);
    if (kind == RODS)
        return join_boxes(sphere_box(s, s->rod[k].a, s->rod[k].r),
                          sphere_box(s, s->rod[k].b, s->rod[k].r));
    const mrn_solid_line *l = &s->line[k];
    return pixel_box(fmin(l->ax, l->bx) - l->half, fmin(l->ay, l->by) - l->half,
                     fmax(l->ax, l->bx) + l->half, fmax(l->ay, l->by) + l->half);
}

static mrn_status bin_kind(mrn_solid *s, int kind, int64_t n, mrn_bins *out, mrn_message *msg)
{
    int32_t nx = (s->look->width + MRN_TILE - 1) / MRN_TILE,
            ny = (s->look->height + MRN_TILE - 1) / MRN_TILE;
    mrn_tile_box *box = NULL;
    mrn_status st = mrn_array(&box, n, sizeof *box, msg);
    for (int64_t k = 0; !st && k < n; k++)
        box[k] = box_of(s, kind, k);
    if (!st)
        st = mrn_bins_make(nx, ny, box, n, out, msg);
    mrn_free(box);
    return st;
}

mrn_status mrn_solid_fill(mrn_solid *s, const mrn_paint *paint, const mrn_wall_set *walls,
                          const mrn_link_set *links, mrn_message *msg)
{
    mrn_status st = make_balls(s, paint, msg);
    if (!st)
        st = make_sheets(s, walls, msg);
    if (!st)
        st = make_lines(s, walls, msg);
    if (!st)
        st = make_rods(s, links, msg);
    if (!st)
        st = bin_kind(s, BALLS, s->n_balls, &s->balls, msg);
    if (!st)
        st = bin_kind(s, SHEETS, s->n_sheets, &s->sheets, msg);
    if (!st)
        st = bin_kind(s, LINES, s->n_lines, &s->lines, msg);
    if (!st)
        st = bin_kind(s, RODS, s->n_rods, &s->rods, msg);
    if (!st)
        st = mrn_lamp_make(s->view, s->ball, s->n_balls, s->shape, s->n_shapes, &s->lamp, msg);
    return st;
}

void mrn_solid_release(mrn_solid *s)
{
    mrn_free(s->ball);
    mrn_free(s->front);
    mrn_free(s->shape);
    mrn_free(s->sheet);
    mrn_free(s->line);
    mrn_free(s->rod);
    mrn_bins_release(&s->balls);
    mrn_bins_release(&s->sheets);
    mrn_bins_release(&s->lines);
    mrn_bins_release(&s->rods);
    mrn_lamp_release(&s->lamp);
}
