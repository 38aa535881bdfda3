/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots: lines, points with error bars, bars and areas between axes, a legend put where it hides
 * least.
 */
#include "moraine/plot.h"

#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "draw/axis.h"
#include "draw/draw.h"

#define AREA_INK 0.18 /* of an area on white */

typedef struct paper {
    const mrn_plot *plot;
    cairo_t *cr;
    mrn_axis x, y;
    double em;
} paper;

/* Okabe and Ito's palette. */
static const double colours[][3] = {{0.00, 0.45, 0.70}, {0.84, 0.37, 0.00}, {0.00, 0.62, 0.45},
                                    {0.80, 0.47, 0.65}, {0.34, 0.71, 0.91}, {0.90, 0.62, 0.00},
                                    {0.00, 0.00, 0.00}};

/* ---- ink ---- */

static void ink(paper *p, int colour, double alpha)
{
    int n = (int)(sizeof colours / sizeof *colours);
    const double grey[3] = {0.55, 0.55, 0.55};
    const double *c = colour < 0 ? grey : colours[colour % n];
    cairo_set_source_rgba(p->cr, c[0], c[1], c[2], alpha);
}

static double width_of(paper *p, const char *text)
{
    cairo_text_extents_t e;
    cairo_text_extents(p->cr, text, &e);
    return e.x_advance;
}

static void put(paper *p, double x, double y, double align, const char *text)
{
    cairo_move_to(p->cr, x - align * width_of(p, text), y);
    cairo_show_text(p->cr, text);
}

static void draw_frame(paper *p)
{
    char text[40];
    double em = p->em;
    cairo_set_line_width(p->cr, 0.6);
    for (int i = 0; i < p->x.n; i++) {
        double x = mrn_axis_tick_at(&p->x, i);
        cairo_set_source_rgb(p->cr, 0.88, 0.88, 0.88);
        double end = p->plot->map != NULL ? p->y.from + 0.3 * em : p->y.to; /* it would hide */
        if (p->x.name == NULL) {
            cairo_move_to(p->cr, x, p->y.from), cairo_line_to(p->cr, x, end);
            cairo_stroke(p->cr);
        }
        cairo_set_source_rgb(p->cr, 0.2, 0.2, 0.2);
        mrn_axis_text(&p->x, i, text, sizeof text);
        put(p, x, p->y.from + 1.3 * em, 0.5, text);
    }
    for (int i = 0; i < p->y.n; i++) {
        double y = mrn_axis_tick_at(&p->y, i);
        cairo_set_source_rgb(p->cr, 0.88, 0.88, 0.88);
        double end = p->plot->map != NULL ? p->x.from - 0.3 * em : p->x.to;
        cairo_move_to(p->cr, p->x.from, y), cairo_line_to(p->cr, end, y), cairo_stroke(p->cr);
        cairo_set_source_rgb(p->cr, 0.2, 0.2, 0.2);
        mrn_axis_text(&p->y, i, text, sizeof text);
        put(p, p->x.from - 0.5 * em, y + 0.35 * em, 1, text);
    }
    cairo_set_line_width(p->cr, 1);
    cairo_rectangle(p->cr, p->x.from, p->y.to, p->x.to - p->x.from, p->y.from - p->y.to);
    cairo_stroke(p->cr);
}

static void draw_labels(paper *p)
{
    const mrn_plot *q = p->plot;
    double middle = 0.5 * (p->x.from + p->x.to), em = p->em;
    cairo_set_source_rgb(p->cr, 0, 0, 0);
    if (q->x_label != NULL)
        put(p, middle, p->y.from + 2.9 * em, 0.5, q->x_label);
    if (q->title != NULL) {
        cairo_select_font_face(p->cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                               CAIRO_FONT_WEIGHT_BOLD);
        put(p, middle, p->y.to - 0.7 * em, 0.5, q->title);
        cairo_select_font_face(p->cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                               CAIRO_FONT_WEIGHT_NORMAL);
    }
    if (q->y_label == NULL)
        return;
    cairo_save(p->cr);
    cairo_translate(p->cr, 1.3 * em, 0.5 * (p->y.from + p->y.to));
    cairo_rotate(p->cr, -0.5 * 3.14159265358979);
    put(p, 0, 0, 0.5, q->y_label);
    cairo_restore(p->cr);
}

static void dash(paper *p, mrn_series_style style)
{
    const double pattern[] = {6, 4};
    cairo_set_dash(p->cr, pattern, style == MRN_SERIES_DASHED ? 2 : 0, 0);
}

/* The path through the points that are shown; a gap begins another one, polygons are closed. */
static void trace(paper *p, const mrn_series *s, bool polygons)
{
    bool down = false;
    cairo_new_path(p->cr);
    for (int k = 0; k < s->n; k++) {
        if (!mrn_axis_shows(&p->x, s->x[k]) || !mrn_axis_shows(&p->y, s->y[k])) {
            if (down && polygons)
                cairo_close_path(p->cr);
            down = false;
            continue;
        }
        double x = mrn_axis_at(&p->x, s->x[k]), y = mrn_axis_at(&p->y, s->y[k]);
        if (down)
            cairo_line_to(p->cr, x, y);
        else
            cairo_move_to(p->cr, x, y);
        down = true;
    }
}

static void draw_line(paper *p, const mrn_series *s)
{
    dash(p, s->style);
    cairo_set_line_width(p->cr, 1.8);
    trace(p, s, false);
    cairo_stroke(p->cr);
    dash(p, MRN_SERIES_LINE);
}

/* All polygons in one path: those beside each other have no seam. */
static void draw_area(paper *p, const mrn_series *s)
{
    trace(p, s, true);
    ink(p, s->colour, AREA_INK);
    cairo_fill(p->cr);
}

static void draw_error(paper *p, const mrn_series *s, int k, double x)
{
    if (s->error == NULL || !(s->error[k] > 0))
        return;
    double lo = s->y[k] - s->error[k], hi = s->y[k] + s->error[k];
    double y0 = mrn_axis_shows(&p->y, lo) ? mrn_axis_at(&p->y, lo) : p->y.from;
    double y1 = mrn_axis_at(&p->y, hi);
    cairo_move_to(p->cr, x, y0), cairo_line_to(p->cr, x, y1);
    cairo_move_to(p->cr, x - 3, y0), cairo_line_to(p->cr, x + 3, y0);
    cairo_move_to(p->cr, x - 3, y1), cairo_line_to(p->cr, x + 3, y1);
    cairo_stroke(p->cr);
}

static void draw_points(paper *p, const mrn_series *s)
{
    cairo_set_line_width(p->cr, 1.3);
    for (int k = 0; k < s->n; k++) {
        if (!mrn_axis_shows(&p->x, s->x[k]) || !mrn_axis_shows(&p->y, s->y[k]))
            continue;
        double x = mrn_axis_at(&p->x, s->x[k]), y = mrn_axis_at(&p->y, s->y[k]);
        draw_error(p, s, k, x);
        cairo_new_sub_path(p->cr); /* no line from where text ended */
        cairo_arc(p->cr, x, y, 3.4, 0, 2 * 3.14159265358979);
        if (s->style == MRN_SERIES_BOTH)
            cairo_fill(p->cr);
        else
            cairo_stroke(p->cr);
    }
}

static void draw_bars(paper *p, int i)
{
    const mrn_series *s = &p->plot->series[i];
    for (int k = 0; k < s->n; k++) {
        double x0, y0, x1, y1;
        if (!mrn_bar_at(p->plot, &p->x, &p->y, i, k, &x0, &y0, &x1, &y1))
            continue;
        cairo_rectangle(p->cr, x0, y0, x1 - x0, y1 - y0);
        cairo_fill(p->cr);
        cairo_set_source_rgb(p->cr, 0.1, 0.1, 0.1);
        cairo_set_line_width(p->cr, 1.3);
        draw_error(p, s, k, 0.5 * (x0 + x1));
        ink(p, s->colour, 1);
    }
}

static void draw_series(paper *p)
{
    cairo_save(p->cr);
    cairo_rectangle(p->cr, p->x.from, p->y.to, p->x.to - p->x.from, p->y.from - p->y.to);
    cairo_clip(p->cr);
    for (int i = 0; i < p->plot->n; i++) {
        const mrn_series *s = &p->plot->series[i];
        if (s->style == MRN_SERIES_AREA)
            draw_area(p, s);
        ink(p, s->colour, 1);
        if (s->style == MRN_SERIES_BARS)
            draw_bars(p, i);
        if (mrn_series_has_line(s))
            draw_line(p, s);
        if (mrn_series_has_points(s))
            draw_points(p, s);
    }
    cairo_restore(p->cr);
}

/* ---- a map ---- */

/* From the least value to the largest; about 0 where there are both signs, unless a palette was
   asked for. */
static const mrn_palette *range_of(const mrn_map *m, double *lo, double *hi)
{
    *lo = INFINITY, *hi = -INFINITY;
    for (int64_t k = 0; k < (int64_t)m->nx * m->ny; k++)
        if (isfinite(m->value[k])) {
            *lo = fmin(*lo, m->value[k]);
            *hi = fmax(*hi, m->value[k]);
        }
    if (!(*hi >= *lo))
        *lo = 0, *hi = 1;
    bool signs = *lo < 0 && *hi > 0 && m->palette == NULL;
    if (signs) {
        *hi = fmax(*hi, -*lo);
        *lo = -*hi;
    }
    if (!(*hi > *lo))
        *hi = *lo + (*lo != 0 ? 0.1 * fabs(*lo) : 1);
    const mrn_palette *p = mrn_palette_find(m->palette);
    return p != NULL ? p : mrn_palette_find(signs ? "coolwarm" : "viridis");
}

static void fill_box(paper *p, mrn_rgb c, double x0, double y0, double x1, double y1)
{
    cairo_set_source_rgb(p->cr, c.r, c.g, c.b);
    cairo_rectangle(p->cr, x0, y0, x1 - x0, y1 - y0);
    cairo_fill(p->cr);
}

static void draw_scale(paper *p, const mrn_palette *palette, double lo, double hi)
{
    enum { STEPS = 128 };
    double em = p->em, x0 = p->x.to + em, x1 = x0 + em, h = p->y.to - p->y.from;
    mrn_axis a;
    char text[40];
    cairo_set_antialias(p->cr, CAIRO_ANTIALIAS_NONE); /* no seams */
    for (int k = 0; k < STEPS; k++)
        fill_box(p, mrn_palette_colour(palette, (k + 0.5) / STEPS), x0, p->y.from + h * k / STEPS,
                 x1, p->y.from + h * (k + 1) / STEPS);
    cairo_set_antialias(p->cr, CAIRO_ANTIALIAS_DEFAULT);
    cairo_set_line_width(p->cr, 1);
    mrn_axis_between(&a, lo, hi, 6);
    a.from = p->y.from, a.to = p->y.to;
    cairo_set_source_rgb(p->cr, 0.2, 0.2, 0.2);
    for (int k = 0; k < a.n; k++) {
        double y = mrn_axis_tick_at(&a, k);
        mrn_axis_text(&a, k, text, sizeof text);
        cairo_move_to(p->cr, x1, y), cairo_line_to(p->cr, x1 + 0.3 * em, y), cairo_stroke(p->cr);
        put(p, x1 + 0.5 * em, y + 0.35 * em, 0, text);
    }
    cairo_rectangle(p->cr, x0, p->y.to, em, -h);
    cairo_stroke(p->cr);
    if (p->plot->map->label == NULL)
        return;
    cairo_save(p->cr);
    cairo_translate(p->cr, x1 + 5.6 * em, 0.5 * (p->y.from + p->y.to));
    cairo_rotate(p->cr, -0.5 * 3.14159265358979);
    put(p, 0, 0, 0.5, p->plot->map->label);
    cairo_restore(p->cr);
}

static void draw_map(paper *p)
{
    const mrn_map *m = p->plot->map;
    double lo, hi;
    if (m == NULL)
        return;
    const mrn_palette *palette = range_of(m, &lo, &hi);
    cairo_save(p->cr);
    cairo_set_antialias(p->cr, CAIRO_ANTIALIAS_NONE); /* no seams */
    cairo_rectangle(p->cr, p->x.from, p->y.to, p->x.to - p->x.from, p->y.from - p->y.to);
    cairo_clip(p->cr);
    for (int j = 0; j < m->ny; j++)
        for (int i = 0; i < m->nx; i++) {
            double v = m->value[(size_t)j * (size_t)m->nx + (size_t)i];
            double dx = (m->x[1] - m->x[0]) / m->nx, dy = (m->y[1] - m->y[0]) / m->ny;
            if (isfinite(v))
                fill_box(p, mrn_palette_colour(palette, (v - lo) / (hi - lo)),
                         mrn_axis_at(&p->x, m->x[0] + i * dx), mrn_axis_at(&p->y, m->y[0] + j * dy),
                         mrn_axis_at(&p->x, m->x[0] + (i + 1) * dx),
                         mrn_axis_at(&p->y, m->y[0] + (j + 1) * dy));
        }
    cairo_restore(p->cr);
    draw_scale(p, palette, lo, hi);
}

/* ---- legend ---- */

static bool has_label(const mrn_series *s)
{
    return s->label != NULL && s->label[0] != '\0';
}

/* How many points of the data lie in a rectangle of the paper. */
static int hidden(const paper *p, double x0, double y0, double w, double h)
{
    int n = 0;
    for (int i = 0; i < p->plot->n; i++)
        for (int k = 0; k < p->plot->series[i].n; k++) {
            const mrn_series *s = &p->plot->series[i];
            if (!mrn_axis_shows(&p->x, s->x[k]) || !mrn_axis_shows(&p->y, s->y[k]))
                continue;
            double x = mrn_axis_at(&p->x, s->x[k]), y = mrn_axis_at(&p->y, s->y[k]);
            n += x > x0 && x < x0 + w && y > y0 && y < y0 + h;
        }
    return n;
}

static void draw_sample(paper *p, const mrn_series *s, double x, double y)
{
    double em = p->em;
    ink(p, s->colour, s->style == MRN_SERIES_AREA ? 2 * AREA_INK : 1);
    if (s->style == MRN_SERIES_AREA || s->style == MRN_SERIES_BARS) {
        cairo_rectangle(p->cr, x, y - 0.4 * em, 2 * em, 0.8 * em);
        cairo_fill(p->cr);
    }
    if (mrn_series_has_line(s)) {
        dash(p, s->style);
        cairo_set_line_width(p->cr, 1.8);
        cairo_move_to(p->cr, x, y), cairo_line_to(p->cr, x + 2 * em, y), cairo_stroke(p->cr);
        dash(p, MRN_SERIES_LINE);
    }
    if (mrn_series_has_points(s)) {
        cairo_set_line_width(p->cr, 1.3);
        cairo_new_sub_path(p->cr); /* no line from where text ended */
        cairo_arc(p->cr, x + em, y, 3.4, 0, 2 * 3.14159265358979);
        if (s->style == MRN_SERIES_BOTH)
            cairo_fill(p->cr);
        else
            cairo_stroke(p->cr);
    }
}

static void draw_legend(paper *p)
{
    double em = p->em, wide = 0;
    int n = 0;
    for (int i = 0; i < p->plot->n; i++)
        if (has_label(&p->plot->series[i])) {
            wide = fmax(wide, width_of(p, p->plot->series[i].label));
            n++;
        }
    if (n == 0)
        return;
    double w = wide + 3.6 * em, h = (1.5 * n + 0.6) * em;
    double xs[2] = {p->x.from + 0.6 * em, p->x.to - w - 0.6 * em};
    double ys[2] = {p->y.to + 0.6 * em, p->y.from - h - 0.6 * em};
    int best = 0, least = -1;
    for (int c = 0; c < 4; c++) {
        int over = hidden(p, xs[c % 2], ys[c / 2], w, h);
        if (least < 0 || over < least)
            least = over, best = c;
    }
    double x = xs[best % 2], y = ys[best / 2];
    cairo_set_source_rgba(p->cr, 1, 1, 1, 0.85);
    cairo_rectangle(p->cr, x, y, w, h);
    cairo_fill(p->cr);
    int row = 0;
    for (int i = 0; i < p->plot->n; i++) {
        const mrn_series *s = &p->plot->series[i];
        if (!has_label(s))
            continue;
        double base = y + (1.5 * row++ + 1.05) * em;
        draw_sample(p, s, x + 0.6 * em, base);
        cairo_set_source_rgb(p->cr, 0.1, 0.1, 0.1);
        put(p, x + 3.1 * em, base + 0.35 * em, 0, s->label);
    }
}

/* ---- all ---- */

static void draw_plot(const mrn_plot *plot, cairo_t *cr, double w, double h)
{
    paper p = {.plot = plot, .cr = cr, .em = 13};
    mrn_axes_of(plot, 7, 7, &p.x, &p.y);
    p.x.from = 6 * p.em, p.x.to = w - (plot->map != NULL ? 8.5 : 1.5) * p.em;
    p.y.from = h - 3.6 * p.em, p.y.to = 2.4 * p.em;
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, p.em);
    draw_map(&p);
    draw_frame(&p);
    draw_series(&p);
    draw_labels(&p);
    draw_legend(&p);
}

static bool ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n > m && strcmp(path + n - m, end) == 0;
}

mrn_status mrn_plot_write(const mrn_plot *p, const char *path, mrn_message *msg)
{
    int w = p->width > 0 ? p->width : 720, h = p->height > 0 ? p->height : 460;
    bool svg = ends_with(path, ".svg");
    if (!svg && !ends_with(path, ".png")) {
        mrn_fail(msg, MRN_ERR_INPUT, "a plot cannot be written to '%s'", path);
        mrn_fail_expected(msg, "a name that ends in .svg or .png");
        return MRN_ERR_INPUT;
    }
    double zoom = svg ? 1 : 2;
    cairo_surface_t *surface =
        svg ? cairo_svg_surface_create(path, w, h)
            : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(zoom * w), (int)(zoom * h));
    cairo_t *cr = cairo_create(surface);
    cairo_scale(cr, zoom, zoom);
    draw_plot(p, cr, w, h);
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    if (status == CAIRO_STATUS_SUCCESS && !svg)
        status = cairo_surface_write_to_png(surface, path);
    cairo_surface_finish(surface);
    status = status != CAIRO_STATUS_SUCCESS ? status : cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (status == CAIRO_STATUS_NO_MEMORY)
        return mrn_fail_memory(msg);
    if (status != CAIRO_STATUS_SUCCESS)
        return mrn_fail(msg, MRN_ERR_IO, "plot '%s' could not be written: %s", path,
                        cairo_status_to_string(status));
    return MRN_OK;
}
