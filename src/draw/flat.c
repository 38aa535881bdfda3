/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The 2D picture: disks with their outline and a spoke that shows their turning, polygons, walls as
   strokes, images across a periodic border, force chains. */
#include <cairo/cairo.h>

#include "draw/draw.h"

typedef struct flat {
    const mrn_look *look;
    const mrn_view *view;
    const mrn_header *header;
    const mrn_frame *frame;
    const mrn_paint *paint;
    mrn_theme theme;
    mrn_canvas canvas;
    double scale; /* pixels per metre */
} flat;

static void to_pixel(const flat *s, mrn_vec3 p, double *x, double *y)
{
    mrn_view_pixel(s->view, mrn_view_camera(s->view, p), x, y);
    /* cairo's numbers are fixed point with 24 bits before the dot */
    *x = fmin(fmax(*x, -1e5), 1e5);
    *y = fmin(fmax(*y, -1e5), 1e5);
}

static void draw_walls(flat *s, const mrn_wall_set *walls)
{
    cairo_t *cr = s->canvas.cr;
    /* walls end where title, legend, time and scale begin */
    cairo_save(cr);
    cairo_rectangle(cr, s->view->left, s->view->top, s->view->plot_width, s->view->plot_height);
    cairo_clip(cr);
    cairo_new_path(cr);
    for (int64_t k = 0; k < walls->n_edges; k++) {
        const mrn_edge *e = &walls->edge[k];
        if (!(e->a.z > 0 && e->b.z > 0)) /* the outline is extruded: its upper rim is the line */
            continue;
        double ax, ay, bx, by;
        to_pixel(s, e->a, &ax, &ay);
        to_pixel(s, e->b, &bx, &by);
        cairo_move_to(cr, ax, ay);
        cairo_line_to(cr, bx, by);
    }
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_width(cr, fmax(1.5, 0.19 * s->view->text));
    mrn_canvas_colour(&s->canvas, s->theme.edge, fmin(1, 2 * s->look->wall_opacity));
    cairo_stroke(cr);
    cairo_restore(cr);
}

static void draw_spoke(flat *s, int32_t i, double x, double y, double r, mrn_rgb ink)
{
    const double *q = s->frame->q + 4 * (int64_t)i;
    mrn_vec3 e = mrn_rotate((mrn_quat){q[0], q[1], q[2], q[3]}, mrn_v3(1, 0, 0));
    if (!(r > 3.5) || !isfinite(e.x + e.y))
        return;
    cairo_move_to(s->canvas.cr, x, y);
    cairo_line_to(s->canvas.cr, x + 0.92 * r * e.x, y - 0.92 * r * e.y);
    cairo_set_line_width(s->canvas.cr, fmin(fmax(0.7, 0.09 * r), 2.5));
    mrn_canvas_colour(&s->canvas, ink, 0.55);
    cairo_stroke(s->canvas.cr);
}

static void draw_disk(flat *s, int32_t i, mrn_vec3 shift, bool faded)
{
    double x, y, r = s->frame->radius[i] * s->scale;
    mrn_vec3 p = mrn_load3(s->frame->x + 3 * (int64_t)i);
    to_pixel(s, mrn_add(p, shift), &x, &y);
    if (x + r < 0 || y + r < 0 || x - r > s->look->width || y - r > s->look->height || r > 2e4)
        return;
    cairo_t *cr = s->canvas.cr;
    mrn_rgb fill = faded ? s->theme.plain : mrn_paint_colour(s->paint, i), black = {0, 0, 0};
    mrn_rgb ink = mrn_rgb_mix(fill, black, 0.55f);
    double line = fmin(fmax(0.6, 0.07 * r), 1.8), pale = faded ? 0.16 : 1;
    if (r < 2) /* the outline would be all there is */
        line = 0;
    cairo_new_path(cr);
    cairo_arc(cr, x, y, fmax(r - 0.5 * line, 0.3), 0, 2 * MRN_PI);
    mrn_canvas_colour(&s->canvas, fill, pale);
    if (line == 0) {
        cairo_fill(cr);
        return;
    }
    cairo_fill_preserve(cr);
    mrn_canvas_colour(&s->canvas, faded ? s->theme.faint : ink, faded ? 0.55 : 0.9);
    cairo_set_line_width(cr, line);
    cairo_stroke(cr);
    if (!faded)
        draw_spoke(s, i, x, y, r, ink);
}

/* The outline lies within the sides, so that grains that touch do not overlap in the picture. */
static void draw_polygon(flat *s, int32_t i, const mrn_polytope *polytope, mrn_vec3 shift,
                         bool faded)
{
    cairo_t *cr = s->canvas.cr;
    const double *q = s->frame->q + 4 * (int64_t)i;
    mrn_vec3 e = mrn_rotate((mrn_quat){q[0], q[1], q[2], q[3]}, mrn_v3(1, 0, 0));
    mrn_flat_place p = {.scale = s->frame->radius[i] * s->scale, .cos = e.x, .sin = e.y};
    to_pixel(s, mrn_add(mrn_load3(s->frame->x + 3 * (int64_t)i), shift), &p.x, &p.y);
    double r = p.scale * polytope->bound, line = fmin(fmax(0.6, 0.07 * p.scale), 1.8);
    if (!isfinite(e.x + e.y) || p.x + r < 0 || p.y + r < 0 || p.x - r > s->look->width ||
        p.y - r > s->look->height || r > 2e4)
        return;
    mrn_rgb fill = faded ? s->theme.plain : mrn_paint_colour(s->paint, i), black = {0, 0, 0};
    mrn_rgb ink = faded ? s->theme.faint : mrn_rgb_mix(fill, black, 0.55f);
    bool whole = polytope->n_parts == 1, lined = p.scale >= 2;
    mrn_flat_area(cr, polytope, &p, whole && lined ? 0.5 * line : 0);
    mrn_canvas_colour(&s->canvas, fill, faded ? 0.16 : 1);
    cairo_save(cr);
    if (lined && !whole)
        cairo_clip_preserve(cr);
    cairo_fill_preserve(cr);
    if (!whole)
        mrn_flat_outline(cr, polytope, &p);
    if (lined) {
        mrn_canvas_colour(&s->canvas, ink, faded ? 0.55 : 0.9);
        cairo_set_line_join(cr, CAIRO_LINE_JOIN_MITER);
        cairo_set_miter_limit(cr, 20);
        cairo_set_line_width(cr, whole ? line : 2 * line);
        cairo_stroke(cr);
    }
    cairo_restore(cr);
}

static void draw_grain(flat *s, int32_t i, mrn_vec3 shift, bool faded)
{
    const mrn_polytope *polytope = mrn_frame_polytope(s->header, s->frame, i);
    if (polytope)
        draw_polygon(s, i, polytope, shift, faded);
    else
        draw_disk(s, i, shift, faded);
}

/* The grain and, where it reaches over a periodic border, its images. Distances are counted across
   the borders, which lean in a sheared cell. */
static void draw_images(flat *s, int32_t i, bool faded)
{
    const mrn_frame *f = s->frame;
    const double *x = f->x + 3 * (int64_t)i;
    int lo[2] = {0, 0}, hi[2] = {0, 0};
    double reach = mrn_frame_bound(s->header, f, i);
    double lean = f->cell_size[1] > 0 ? mrn_frame_edge(f, 1).x / f->cell_size[1] : 0;
    double up = x[1] - f->cell_origin[1], steep = 1 / sqrt(1 + lean * lean);
    double along[2] = {steep * (x[0] - f->cell_origin[0] - lean * up), up};
    double width[2] = {steep * f->cell_size[0], f->cell_size[1]};
    for (int k = 0; k < 2; k++) {
        if (!f->periodic[k] || !(width[k] > 0))
            continue;
        lo[k] = along[k] + reach > width[k] ? -1 : 0;
        hi[k] = along[k] - reach < 0 ? 1 : 0;
    }
    for (int a = lo[0]; a <= hi[0]; a++)
        for (int b = lo[1]; b <= hi[1]; b++)
            draw_grain(s, i, mrn_frame_shift(f, a, b, 0), faded);
}

static void draw_chains(flat *s, const mrn_link_set *links)
{
    cairo_t *cr = s->canvas.cr;
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    for (int64_t k = 0; k < links->n; k++) {
        const mrn_link *l = &links->link[k];
        double ax, ay, bx, by;
        to_pixel(s, l->a, &ax, &ay);
        to_pixel(s, l->b, &bx, &by);
        cairo_move_to(cr, ax, ay);
        cairo_line_to(cr, bx, by);
        cairo_set_line_width(cr, fmax(0.5, links->width * s->scale * l->strength));
        mrn_canvas_colour(&s->canvas, mrn_link_colour(l->strength, s->look->dark), 0.95);
        cairo_stroke(cr);
    }
}

/* Corners of the cell in pixels, one after another around it; open directions run through the whole
   picture. */
static bool cell_corners(const flat *s, double x[4], double y[4])
{
    const mrn_frame *f = s->frame;
    mrn_vec3 origin = mrn_v3(f->cell_origin[0], f->cell_origin[1], 0);
    double far = 10.0 * (s->look->width + s->look->height), sum = 0;
    if (!f->periodic[0] && !f->periodic[1])
        return false;
    for (int k = 0; k < 4; k++) {
        int a = k == 1 || k == 2, b = k >= 2;
        to_pixel(s, mrn_add(origin, mrn_frame_shift(f, a, b, 0)), &x[k], &y[k]);
        x[k] = f->periodic[0] ? x[k] : a ? far : -far;
        y[k] = f->periodic[1] ? y[k] : b ? -far : far;
        sum += x[k] + y[k];
    }
    return isfinite(sum);
}

static void cell_path(cairo_t *cr, const double x[4], const double y[4])
{
    cairo_move_to(cr, x[0], y[0]);
    for (int k = 1; k < 4; k++)
        cairo_line_to(cr, x[k], y[k]);
    cairo_close_path(cr);
}

/* What lies outside the cell is an image: veiled; the border is dashed. */
static void draw_cell(flat *s)
{
    double x[4], y[4], dash = 0.45 * s->view->text;
    cairo_t *cr = s->canvas.cr;
    if (!s->look->cell || !cell_corners(s, x, y))
        return;
    cairo_set_fill_rule(cr, CAIRO_FILL_RULE_EVEN_ODD);
    cairo_rectangle(cr, -10, -10, s->look->width + 20, s->look->height + 20);
    cell_path(cr, x, y);
    mrn_canvas_colour(&s->canvas, s->theme.background, 0.68);
    cairo_fill(cr);
    cairo_set_fill_rule(cr, CAIRO_FILL_RULE_WINDING);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
    cairo_set_dash(cr, (double[]){dash, 0.7 * dash}, 2, 0);
    cairo_set_line_width(cr, fmax(1, 0.08 * s->view->text));
    mrn_canvas_colour(&s->canvas, s->theme.cell, 1);
    if (s->frame->periodic[0] && s->frame->periodic[1]) {
        cell_path(cr, x, y);
    } else if (s->frame->periodic[0]) {
        cairo_move_to(cr, x[0], 0), cairo_line_to(cr, x[0], s->look->height);
        cairo_move_to(cr, x[1], 0), cairo_line_to(cr, x[1], s->look->height);
    } else {
        cairo_move_to(cr, 0, y[0]), cairo_line_to(cr, s->look->width, y[0]);
        cairo_move_to(cr, 0, y[2]), cairo_line_to(cr, s->look->width, y[2]);
    }
    cairo_stroke(cr);
    cairo_set_dash(cr, NULL, 0, 0);
}

static void fill(mrn_picture *p, mrn_rgb c)
{
    uint8_t b[3] = {(uint8_t)(255 * c.r + 0.5f), (uint8_t)(255 * c.g + 0.5f),
                    (uint8_t)(255 * c.b + 0.5f)};
    for (int64_t k = 0; k < 3 * (int64_t)p->width * p->height; k++)
        p->rgb[k] = b[k % 3];
}

mrn_status mrn_draw_flat(const mrn_look *look, const mrn_view *view, const mrn_header *header,
                         const mrn_frame *frame, const mrn_paint *paint, const mrn_wall_set *walls,
                         const mrn_link_set *links, mrn_picture *out, mrn_message *msg)
{
    flat s = {look, view, header, frame, paint, mrn_theme_of(look), {0}, 0};
    s.scale = mrn_view_focal(view) / view->extent;
    fill(out, s.theme.background);
    mrn_status st = mrn_canvas_open(out, &s.canvas, msg);
    if (st)
        return st;
    bool faded = look->force_chains && links->n > 0;
    draw_walls(&s, walls);
    for (int32_t i = frame->n_walls; i < frame->n; i++)
        if (mrn_grain_visible(frame, i))
            draw_images(&s, i, faded);
    draw_chains(&s, links);
    draw_cell(&s);
    return mrn_canvas_close(&s.canvas, out, msg);
}
