/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots of moraine/plot.h as inline SVG: text stays text, colours are those of the page, and the
   legend stands above where it hides nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"
#include "report/report.h"

#define TICKS_MAX 40
#define COLOURS   7

typedef struct axis {
    double lo, hi;   /* of the data, logarithms when log */
    double from, to; /* of the drawing                   */
    bool log;
    int n;
    double tick[TICKS_MAX]; /* as lo and hi */
} axis;

typedef struct drawing {
    mrn_report_text *t;
    const mrn_plot *plot;
    axis x, y;
    int id;
} drawing;

/* ---- axes ---- */

static bool shown(const axis *a, double v)
{
    return isfinite(v) && (!a->log || v > 0);
}

static double scaled(const axis *a, double v)
{
    return a->log ? log10(v) : v;
}

static double at(const axis *a, double s)
{
    return a->from + (s - a->lo) / (a->hi - a->lo) * (a->to - a->from);
}

static void stretch(axis *a, double v)
{
    if (!shown(a, v))
        return;
    a->lo = fmin(a->lo, scaled(a, v));
    a->hi = fmax(a->hi, scaled(a, v));
}

static void measure(drawing *d)
{
    for (int i = 0; i < d->plot->n; i++) {
        const mrn_series *s = &d->plot->series[i];
        for (int k = 0; k < s->n; k++) {
            double e = s->error != NULL && isfinite(s->error[k]) ? s->error[k] : 0;
            if (!shown(&d->x, s->x[k]) || !shown(&d->y, s->y[k]))
                continue;
            stretch(&d->x, s->x[k]);
            stretch(&d->y, s->y[k] + e);
            stretch(&d->y, s->y[k] - e);
        }
    }
}

/* Room around the data, unless an end was asked for. */
static void finish_range(axis *a, double lo, double hi)
{
    if (!(a->hi >= a->lo))
        a->lo = 0, a->hi = 1;
    double size = fmax(fabs(a->lo), fabs(a->hi)), room = 0.05 * (a->hi - a->lo);
    if (room <= 1e-12 * size || room == 0)
        room = a->log || size == 0 ? 0.5 : 0.1 * size;
    bool from_zero = !a->log && a->lo == 0;
    a->lo -= from_zero ? 0 : room;
    a->hi += room;
    if (shown(a, lo))
        a->lo = scaled(a, lo);
    if (shown(a, hi))
        a->hi = scaled(a, hi);
    if (!(a->hi > a->lo))
        a->hi = a->lo + 1;
}

static void add_tick(axis *a, double s)
{
    if (a->n < TICKS_MAX && s >= a->lo - 1e-9 && s <= a->hi + 1e-9)
        a->tick[a->n++] = s;
}

/* Decades; within one or two of them also 2 and 5; within less the steps of a linear axis. */
static void place_log_ticks(axis *a)
{
    double span = a->hi - a->lo, skip = span > 8 ? ceil(span / 8) : 1;
    for (double k = skip * floor(a->lo / skip); k <= a->hi; k += skip) {
        add_tick(a, k);
        if (span <= 3)
            add_tick(a, k + log10(2)), add_tick(a, k + log10(5));
    }
    if (a->n >= 3)
        return;
    a->n = 0;
    double lo = pow(10, a->lo), hi = pow(10, a->hi), step = mrn_nice_above((hi - lo) / 6);
    for (double k = ceil(lo / step); k * step <= hi && a->n < TICKS_MAX; k++)
        if (k > 0)
            a->tick[a->n++] = log10(k * step);
}

static void place_ticks(axis *a, double wanted)
{
    a->n = 0;
    if (a->log) {
        place_log_ticks(a);
        return;
    }
    double step = mrn_nice_above((a->hi - a->lo) / wanted);
    for (double k = ceil(a->lo / step - 1e-9); k * step <= a->hi + 1e-9 * step; k++)
        if (a->n < TICKS_MAX)
            a->tick[a->n++] = k * step;
}

/* 10⁵ for powers of ten beyond what is read easily. */
static void power_text(int power, char *buf, size_t size)
{
    static const char *const digit[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    snprintf(plain, sizeof plain, "%d", power);
    snprintf(buf, size, "10");
    for (const char *p = plain; *p != '\0'; p++) {
        size_t n = strlen(buf);
        snprintf(buf + n, size - n, "%s", *p == '-' ? "⁻" : digit[*p - '0']);
    }
}

static void tick_text(const axis *a, double s, char *buf, size_t size)
{
    double v = a->log ? pow(10, s) : s, step = a->n > 1 ? fabs(a->tick[1] - a->tick[0]) : 1;
    if (!a->log && fabs(s) < 1e-9 * step)
        v = 0;
    if (a->log && (s < -3.5 || s > 4.5) && fabs(s - round(s)) < 1e-9)
        power_text((int)lround(s), buf, size);
    else
        snprintf(buf, size, "%.6g", v);
    char *e = strchr(buf, 'e'); /* 2e+06 reads better as 2e6 */
    if (e != NULL)
        snprintf(e + 1, size - (size_t)(e + 1 - buf), "%d", (int)strtol(e + 1, NULL, 10));
}

/* ---- parts of the drawing ---- */

static void put_label(drawing *d, double x, double y, const char *anchor, const char *text)
{
    mrn_report_put(d->t, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    mrn_report_escaped(d->t, text);
    mrn_report_raw(d->t, "</text>");
}

static void put_line(drawing *d, const char *name, double x0, double y0, double x1, double y1)
{
    mrn_report_put(d->t, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
                   name, x0, y0, x1, y1);
}

static void draw_frame(drawing *d)
{
    char text[48];
    for (int i = 0; i < d->x.n; i++) {
        double x = at(&d->x, d->x.tick[i]);
        put_line(d, "grid", x, d->y.from, x, d->y.to);
        tick_text(&d->x, d->x.tick[i], text, sizeof text);
        put_label(d, x, d->y.from + 19, "middle", text);
    }
    for (int i = 0; i < d->y.n; i++) {
        double y = at(&d->y, d->y.tick[i]);
        put_line(d, "grid", d->x.from, y, d->x.to, y);
        tick_text(&d->y, d->y.tick[i], text, sizeof text);
        put_label(d, d->x.from - 8, y + 5, "end", text);
    }
    mrn_report_put(d->t,
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
    mrn_report_put(d->t,
                   "<text transform=\"translate(15 %.1f) rotate(-90)\" text-anchor=\"middle\">", y);
    mrn_report_escaped(d->t, d->plot->y_label);
    mrn_report_raw(d->t, "</text>\n");
}

static bool has_line(const mrn_series *s)
{
    return s->style != MRN_SERIES_POINTS && s->style != MRN_SERIES_AREA;
}

static bool has_points(const mrn_series *s)
{
    return s->style == MRN_SERIES_POINTS || s->style == MRN_SERIES_BOTH;
}

static void place(const drawing *d, const mrn_series *s, int k, double *x, double *y)
{
    *x = at(&d->x, scaled(&d->x, s->x[k]));
    *y = at(&d->y, scaled(&d->y, s->y[k]));
}

static void draw_line(drawing *d, const mrn_series *s)
{
    bool down = false;
    mrn_report_put(d->t, "<path class=\"line%s\" d=\"",
                   s->style == MRN_SERIES_DASHED ? " dashed" : "");
    for (int k = 0; k < s->n; k++) {
        double x, y;
        if (!shown(&d->x, s->x[k]) || !shown(&d->y, s->y[k])) {
            down = false;
            continue;
        }
        place(d, s, k, &x, &y);
        mrn_report_put(d->t, "%c%.2f %.2f", down ? 'L' : 'M', x, y);
        down = true;
    }
    mrn_report_raw(d->t, "\"/>\n");
}

/* All polygons in one path: those beside each other have no seam. */
static void draw_area(drawing *d, const mrn_series *s)
{
    bool down = false;
    mrn_report_raw(d->t, "<path class=\"area\" d=\"");
    for (int k = 0; k < s->n; k++) {
        double x, y;
        if (!shown(&d->x, s->x[k]) || !shown(&d->y, s->y[k])) {
            mrn_report_raw(d->t, down ? "Z" : "");
            down = false;
            continue;
        }
        place(d, s, k, &x, &y);
        mrn_report_put(d->t, "%c%.1f %.1f", down ? 'L' : 'M', x, y);
        down = true;
    }
    mrn_report_raw(d->t, down ? "Z\"/>\n" : "\"/>\n");
}

static void draw_bar(drawing *d, const mrn_series *s, int k, double x)
{
    if (s->error == NULL || !(s->error[k] > 0) || !isfinite(s->error[k]))
        return;
    double lo = s->y[k] - s->error[k], hi = s->y[k] + s->error[k];
    double y0 = shown(&d->y, lo) ? at(&d->y, scaled(&d->y, lo)) : d->y.from;
    double y1 = at(&d->y, scaled(&d->y, hi));
    put_line(d, "bar", x, y0, x, y1);
    put_line(d, "bar", x - 4, y0, x + 4, y0);
    put_line(d, "bar", x - 4, y1, x + 4, y1);
}

static void draw_points(drawing *d, const mrn_series *s)
{
    double radius = s->n > 100 ? 2.4 : 4; /* a cloud */
    for (int k = 0; k < s->n; k++) {
        double x, y;
        if (!shown(&d->x, s->x[k]) || !shown(&d->y, s->y[k]))
            continue;
        place(d, s, k, &x, &y);
        draw_bar(d, s, k, x);
        mrn_report_put(d->t, "<circle class=\"%s\" cx=\"%.2f\" cy=\"%.2f\" r=\"%.1f\"/>\n",
                       s->style == MRN_SERIES_BOTH ? "full-dot" : "dot", x, y, radius);
    }
}

static const char *colour_class(int colour)
{
    static const char *const name[COLOURS] = {"k0", "k1", "k2", "k3", "k4", "k5", "k6"};
    return colour < 0 ? "kg" : name[colour % COLOURS];
}

static void draw_series(drawing *d)
{
    mrn_report_put(d->t,
                   "<clipPath id=\"p%d\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                   "height=\"%.1f\"/></clipPath>\n<g clip-path=\"url(#p%d)\">\n",
                   d->id, d->x.from, d->y.to, d->x.to - d->x.from, d->y.from - d->y.to, d->id);
    for (int i = 0; i < d->plot->n; i++) {
        const mrn_series *s = &d->plot->series[i];
        mrn_report_put(d->t, "<g class=\"%s\">\n", colour_class(s->colour));
        if (s->style == MRN_SERIES_AREA)
            draw_area(d, s);
        if (has_line(s))
            draw_line(d, s);
        if (has_points(s))
            draw_points(d, s);
        mrn_report_raw(d->t, "</g>\n");
    }
    mrn_report_raw(d->t, "</g>\n");
}

/* ---- all ---- */

void mrn_report_svg(mrn_report_text *t, const mrn_plot *plot, int id)
{
    int w = plot->width > 0 ? plot->width : 640, h = plot->height > 0 ? plot->height : 400;
    drawing d = {.t = t, .plot = plot, .id = id};
    d.x = (axis){.lo = INFINITY, .hi = -INFINITY, .log = plot->x_log};
    d.y = (axis){.lo = INFINITY, .hi = -INFINITY, .log = plot->y_log};
    measure(&d);
    finish_range(&d.x, plot->x_lo, plot->x_hi);
    finish_range(&d.y, plot->y_lo, plot->y_hi);
    place_ticks(&d.x, w / 90.0);
    place_ticks(&d.y, h / 55.0);
    d.x.from = 86, d.x.to = w - 16;
    d.y.from = h - 54, d.y.to = 10;
    mrn_report_put(t, "<svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", w, h);
    mrn_report_escaped(t, plot->title != NULL ? plot->title : plot->y_label);
    mrn_report_raw(t, "\">\n");
    draw_frame(&d);
    draw_series(&d);
    draw_labels(&d);
    mrn_report_raw(t, "</svg>\n");
}

static void legend_entry(mrn_report_text *t, const mrn_series *s)
{
    mrn_report_put(t, "<span class=\"%s\"><svg viewBox=\"0 0 34 12\">", colour_class(s->colour));
    if (s->style == MRN_SERIES_AREA)
        mrn_report_raw(t, "<path class=\"area\" d=\"M0 1L34 1L34 11L0 11Z\"/>");
    if (has_line(s))
        mrn_report_put(t, "<path class=\"line%s\" d=\"M0 6L34 6\"/>",
                       s->style == MRN_SERIES_DASHED ? " dashed" : "");
    if (has_points(s))
        mrn_report_put(t, "<circle class=\"%s\" cx=\"17\" cy=\"6\" r=\"4\"/>",
                       s->style == MRN_SERIES_BOTH ? "full-dot" : "dot");
    mrn_report_raw(t, "</svg>");
    mrn_report_escaped(t, s->label);
    mrn_report_raw(t, "</span>\n");
}

void mrn_report_legend(mrn_report_text *t, const mrn_plot *plot)
{
    int n = 0;
    for (int i = 0; i < plot->n; i++) {
        const mrn_series *s = &plot->series[i];
        if (s->label == NULL || s->label[0] == '\0')
            continue;
        if (n++ == 0)
            mrn_report_raw(t, "<div class=\"legend\">");
        legend_entry(t, s);
    }
    if (n > 0)
        mrn_report_raw(t, "</div>");
}
