/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots: lines, points with error bars and areas between axes, a legend put where it hides least.
 */
#include "moraine/plot.h"

#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "draw/axis.h"

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
        cairo_move_to(p->cr, x, p->y.from), cairo_line_to(p->cr, x, p->y.to), cairo_stroke(p->cr);
        cairo_set_source_rgb(p->cr, 0.2, 0.2, 0.2);
        mrn_axis_text(&p->x, i, text, sizeof text);
        put(p, x, p->y.from + 1.3 * em, 0.5, text);
    }
    for (int i = 0; i < p->y.n; i++) {
        double y = mrn_axis_tick_at(&p->y, i);
        cairo_set_source_rgb(p->cr, 0.88, 0.88, 0.88);
        cairo_move_to(p->cr, p->x.from, y), cairo_line_to(p->cr, p->x.to, y), cairo_stroke(p->cr);
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

static void draw_bar(paper *p, const mrn_series *s, int k, double x)
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
        draw_bar(p, s, k, x);
        cairo_new_sub_path(p->cr); /* no line from where text ended */
        cairo_arc(p->cr, x, y, 3.4, 0, 2 * 3.14159265358979);
        if (s->style == MRN_SERIES_BOTH)
            cairo_fill(p->cr);
        else
            cairo_stroke(p->cr);
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
        if (mrn_series_has_line(s))
            draw_line(p, s);
        if (mrn_series_has_points(s))
            draw_points(p, s);
    }
    cairo_restore(p->cr);
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
    if (s->style == MRN_SERIES_AREA) {
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
    p.x.from = 6 * p.em, p.x.to = w - 1.5 * p.em;
    p.y.from = h - 3.6 * p.em, p.y.to = 2.4 * p.em;
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_paint(cr);
    cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cr, p.em);
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
