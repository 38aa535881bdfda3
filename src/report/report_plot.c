/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots of moraine/plot.h as inline SVG: text stays text, colours are those of the page, and the
   legend stands above where it hides nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/axis.h"
#include "report/report.h"

#define COLOURS 7

typedef struct drawing {
    mrn_buffer *t;
    const mrn_plot *plot;
    mrn_axis x, y;
    int id;
} drawing;

/* ---- parts of the drawing ---- */

static void put_label(drawing *d, double x, double y, const char *anchor, const char *text)
{
    mrn_buffer_put(d->t, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    mrn_buffer_escaped(d->t, text);
    mrn_buffer_raw(d->t, "</text>");
}

static void put_line(drawing *d, const char *name, double x0, double y0, double x1, double y1)
{
    mrn_buffer_put(d->t, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                   name, x0, y0, x1, y1);
}

static void draw_frame(drawing *d)
{
    char text[48];
    for (int i = 0; i < d->x.n; i++) {
        double x = mrn_axis_tick_at(&d->x, i);
        if (d->x.name == NULL)
            put_line(d, "grid", x, d->y.from, x, d->y.to);
        mrn_axis_text(&d->x, i, text, sizeof text);
        put_label(d, x, d->y.from + 19, "middle", text);
    }
    for (int i = 0; i < d->y.n; i++) {
        double y = mrn_axis_tick_at(&d->y, i);
        put_line(d, "grid", d->x.from, y, d->x.to, y);
        mrn_axis_text(&d->y, i, text, sizeof text);
        put_label(d, d->x.from - 8, y + 5, "end", text);
    }
    mrn_buffer_put(d->t,
                   "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                   d->x.from, d->y.to, d->x.to - d->x.from, d->y.from - d->y.to);
}

static void draw_labels(drawing *d)
{
    double x = 0.5 * (d->x.from + d->x.to), y = 0.5 * (d->y.from + d->y.to);
    if (d->plot->x_label != NULL)
        put_label(d, x, d->y.from + 43, "middle", d->plot->x_label);
    if (d->plot->y_label == NULL)
        return;
    mrn_buffer_put(d->t,
                   "<text transform=\"translate(15 %.1f) rotate(-90)\" text-anchor=\"middle\">", y);
    mrn_buffer_escaped(d->t, d->plot->y_label);
    mrn_buffer_raw(d->t, "</text>\n");
}

static void place(const drawing *d, const mrn_series *s, int k, double *x, double *y)
{
    *x = mrn_axis_at(&d->x, s->x[k]);
    *y = mrn_axis_at(&d->y, s->y[k]);
}

static void draw_line(drawing *d, const mrn_series *s)
{
    bool down = false;
    mrn_buffer_put(d->t, "<path class=\"line%s\" d=\"",
                   s->style == MRN_SERIES_DASHED ? " dashed" : "");
    for (int k = 0; k < s->n; k++) {
        double x, y;
        if (!mrn_axis_shows(&d->x, s->x[k]) || !mrn_axis_shows(&d->y, s->y[k])) {
            down = false;
            continue;
        }
        place(d, s, k, &x, &y);
        mrn_buffer_put(d->t, "%c%.2f %.2f", down ? 'L' : 'M', x, y);
        down = true;
    }
    mrn_buffer_raw(d->t, "\"/>\n");
}

/* All polygons in one path: those beside each other have no seam. */
static void draw_area(drawing *d, const mrn_series *s)
{
    bool down = false;
    mrn_buffer_raw(d->t, "<path class=\"area\" d=\"");
    for (int k = 0; k < s->n; k++) {
        double x, y;
        if (!mrn_axis_shows(&d->x, s->x[k]) || !mrn_axis_shows(&d->y, s->y[k])) {
            mrn_buffer_raw(d->t, down ? "Z" : "");
            down = false;
            continue;
        }
        place(d, s, k, &x, &y);
        mrn_buffer_put(d->t, "%c%.1f %.1f", down ? 'L' : 'M', x, y);
        down = true;
    }
    mrn_buffer_raw(d->t, down ? "Z\"/>\n" : "\"/>\n");
}

static void draw_error(drawing *d, const mrn_series *s, int k, double x)
{
    if (s->error == NULL || !(s->error[k] > 0) || !isfinite(s->error[k]))
        return;
    double lo = s->y[k] - s->error[k], hi = s->y[k] + s->error[k];
    double y0 = mrn_axis_shows(&d->y, lo) ? mrn_axis_at(&d->y, lo) : d->y.from;
    double y1 = mrn_axis_at(&d->y, hi);
    put_line(d, "bar", x, y0, x, y1);
    put_line(d, "bar", x - 4, y0, x + 4, y0);
    put_line(d, "bar", x - 4, y1, x + 4, y1);
}

static void draw_points(drawing *d, const mrn_series *s)
{
    double radius = s->n > 100 ? 2.4 : 4; /* a cloud */
    for (int k = 0; k < s->n; k++) {
        double x, y;
        if (!mrn_axis_shows(&d->x, s->x[k]) || !mrn_axis_shows(&d->y, s->y[k]))
            continue;
        place(d, s, k, &x, &y);
        draw_error(d, s, k, x);
        mrn_buffer_put(d->t, "<circle class=\"%s\" cx=\"%.2f\" cy=\"%.2f\" r=\"%.1f\"/>\n",
                       s->style == MRN_SERIES_BOTH ? "full-dot" : "dot", x, y, radius);
    }
}

static void draw_bars(drawing *d, int i)
{
    const mrn_series *s = &d->plot->series[i];
    for (int k = 0; k < s->n; k++) {
        double x0, y0, x1, y1;
        if (!mrn_bar_at(d->plot, &d->x, &d->y, i, k, &x0, &y0, &x1, &y1))
            continue;
        mrn_buffer_put(d->t,
                       "<rect class=\"full-dot\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                       "height=\"%.1f\"/>\n",
                       x0, fmin(y0, y1), x1 - x0, fabs(y1 - y0));
        mrn_buffer_raw(d->t, "<g class=\"kg\">");
        draw_error(d, s, k, 0.5 * (x0 + x1));
        mrn_buffer_raw(d->t, "</g>");
    }
}

static const char *colour_class(int colour)
{
    static const char *const name[COLOURS] = {"k0", "k1", "k2", "k3", "k4", "k5", "k6"};
    return colour < 0 ? "kg" : name[colour % COLOURS];
}

static void draw_series(drawing *d)
{
    mrn_buffer_put(d->t,
                   "<clipPath id=\"p%d\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                   "height=\"%.1f\"/></clipPath>\n<g clip-path=\"url(#p%d)\">\n",
                   d->id, d->x.from, d->y.to, d->x.to - d->x.from, d->y.from - d->y.to, d->id);
    for (int i = 0; i < d->plot->n; i++) {
        const mrn_series *s = &d->plot->series[i];
        mrn_buffer_put(d->t, "<g class=\"%s\">\n", colour_class(s->colour));
        if (s->style == MRN_SERIES_AREA)
            draw_area(d, s);
        if (s->style == MRN_SERIES_BARS)
            draw_bars(d, i);
        if (mrn_series_has_line(s))
            draw_line(d, s);
        if (mrn_series_has_points(s))
            draw_points(d, s);
        mrn_buffer_raw(d->t, "</g>\n");
    }
    mrn_buffer_raw(d->t, "</g>\n");
}

/* ---- all ---- */

void mrn_report_svg(mrn_buffer *t, const mrn_plot *plot, int id)
{
    int w = plot->width > 0 ? plot->width : 640, h = plot->height > 0 ? plot->height : 400;
    drawing d = {.t = t, .plot = plot, .id = id};
    mrn_axes_of(plot, w / 90.0, h / 55.0, &d.x, &d.y);
    d.x.from = 86, d.x.to = w - 16;
    d.y.from = h - 54, d.y.to = 10;
    mrn_buffer_put(t, "<svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", w, h);
    mrn_buffer_escaped(t, plot->title != NULL ? plot->title : plot->y_label);
    mrn_buffer_raw(t, "\">\n");
    draw_frame(&d);
    draw_series(&d);
    draw_labels(&d);
    mrn_buffer_raw(t, "</svg>\n");
}

static void legend_entry(mrn_buffer *t, const mrn_series *s)
{
    mrn_buffer_put(t, "<span class=\"%s\"><svg viewBox=\"0 0 34 12\">", colour_class(s->colour));
    if (s->style == MRN_SERIES_AREA)
        mrn_buffer_raw(t, "<path class=\"area\" d=\"M0 1L34 1L34 11L0 11Z\"/>");
    if (s->style == MRN_SERIES_BARS)
        mrn_buffer_raw(t, "<path class=\"full-dot\" d=\"M0 1L34 1L34 11L0 11Z\"/>");
    if (mrn_series_has_line(s))
        mrn_buffer_put(t, "<path class=\"line%s\" d=\"M0 6L34 6\"/>",
                       s->style == MRN_SERIES_DASHED ? " dashed" : "");
    if (mrn_series_has_points(s))
        mrn_buffer_put(t, "<circle class=\"%s\" cx=\"17\" cy=\"6\" r=\"4\"/>",
                       s->style == MRN_SERIES_BOTH ? "full-dot" : "dot");
    mrn_buffer_raw(t, "</svg>");
    mrn_buffer_escaped(t, s->label);
    mrn_buffer_raw(t, "</span>\n");
}

void mrn_report_legend(mrn_buffer *t, const mrn_plot *plot)
{
    int n = 0;
    for (int i = 0; i < plot->n; i++) {
        const mrn_series *s = &plot->series[i];
        if (s->label == NULL || s->label[0] == '\0')
            continue;
        if (n++ == 0)
            mrn_buffer_raw(t, "<div class=\"legend\">");
        legend_entry(t, s);
    }
    if (n > 0)
        mrn_buffer_raw(t, "</div>");
}
