/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written on a picture: title, time, legend with round ticks, scale bar, axes. */
#include <cairo/cairo.h>
#include <stdio.h>
#include <string.h>

#include "draw/draw.h"

typedef struct sheet {
    const mrn_look *look;
    const mrn_view *view;
    mrn_theme theme;
    mrn_canvas canvas;
    double em; /* size of text, pixels */
} sheet;

/* ---- text ---- */

static void set_font(sheet *s, double size, bool bold)
{
    cairo_select_font_face(s->canvas.cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(s->canvas.cr, size);
}

static double text_width(sheet *s, const char *text)
{
    cairo_text_extents_t e;
    cairo_text_extents(s->canvas.cr, text, &e);
    return e.x_advance;
}

/* Longest beginning of `text` that fits, with an ellipsis; never splits a UTF-8 letter. */
static void fit_text(sheet *s, const char *text, double room, char *out, size_t size)
{
    snprintf(out, size, "%s", text);
    size_t n = strlen(out);
    while (n > 0 && text_width(s, out) > room) {
        do
            n--;
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80);
        if (n + 4 < size)
            snprintf(out + n, size - n, "…");
    }
}

/* align 0: left, 0.5: middle, 1: right of x; y is the base line. */
static void put(sheet *s, double x, double y, double align, const char *text, mrn_rgb c)
{
    cairo_move_to(s->canvas.cr, x - align * text_width(s, text), y);
    mrn_canvas_colour(&s->canvas, c, 1);
    cairo_show_text(s->canvas.cr, text);
}

/* ---- numbers ---- */

typedef struct prefix {
    const char *sign;
    double factor;
} prefix;

/* The prefix that brings `size` between 1 and 1000; plain for 0.1 to 1000, as people write it. */
static prefix choose_prefix(double size)
{
    static const prefix all[] = {{"p", 1e-12}, {"n", 1e-9}, {"µ", 1e-6}, {"m", 1e-3},
                                 {"", 1},      {"k", 1e3},  {"M", 1e6},  {"G", 1e9}};
    if (!(size > 0) || !isfinite(size) || (size >= 0.1 && size < 1e3))
        return all[4];
    for (int k = 7; k > 0; k--)
        if (size >= all[k].factor)
            return all[k];
    return all[0];
}

/* Unit with prefix: kg counts in grams. Returns the factor from SI to it. */
static double scaled_unit(const char *unit, double size, char *out, size_t n)
{
    if (!unit[0]) {
        out[0] = 0;
        return 1;
    }
    bool kilo = strncmp(unit, "kg", 2) == 0;
    prefix p = choose_prefix(kilo ? 1000 * size : size);
    snprintf(out, n, "%s%s", p.sign, kilo ? unit + 1 : unit);
    return (kilo ? 1000 : 1) / p.factor;
}

/* A tick's label: as many decimals as the step asks for. */
static void number(double v, double step, char *out, size_t n)
{
    int decimals = (int)ceil(-log10(step) - 1e-9);
    if (fabs(v) < 1e-9 * step)
        v = 0;
    if (fabs(v) >= 1e6 || decimals > 6)
        snprintf(out, n, "%.3g", v);
    else
        snprintf(out, n, "%.*f", decimals > 0 ? decimals : 0, v);
}

/* ---- the legend ---- */

static void bar_fill(sheet *s, const mrn_paint *paint, double x, double y, double w, double h)
{
    int rows = (int)h;
    for (int k = 0; k < rows; k++) {
        double t = rows > 1 ? 1 - (double)k / (rows - 1) : 0.5;
        mrn_rgb c =
            paint ? mrn_palette_colour(paint->palette, t) : mrn_link_colour(t, s->look->dark);
        mrn_canvas_colour(&s->canvas, c, 1);
        cairo_rectangle(s->canvas.cr, x, y + k, w, 1);
        cairo_fill(s->canvas.cr);
    }
    cairo_set_line_width(s->canvas.cr, 1);
    mrn_canvas_colour(&s->canvas, s->theme.text, 0.6);
    cairo_rectangle(s->canvas.cr, x - 0.5, y - 0.5, w + 1, rows + 1);
    cairo_stroke(s->canvas.cr);
}

static void bar_ticks(sheet *s, double x, double y, double h, double lo, double hi)
{
    /* at most seven ticks, fewer on a short bar */
    double step = mrn_nice_above((hi - lo) / fmin(7, fmax(2, h / (2 * s->em))));
    for (double k = ceil(lo / step - 1e-9); k <= floor(hi / step + 1e-9); k++) {
        char text[48];
        double ty = floor(y + h * (1 - (k * step - lo) / (hi - lo))) + 0.5;
        cairo_move_to(s->canvas.cr, x, ty);
        cairo_line_to(s->canvas.cr, x + 0.35 * s->em, ty);
        mrn_canvas_colour(&s->canvas, s->theme.text, 0.8);
        cairo_stroke(s->canvas.cr);
        number(k * step, step, text, sizeof text);
        put(s, x + 0.6 * s->em, ty + 0.32 * s->em, 0, text, s->theme.text);
    }
}

/* A colour bar with title and unit above it. `paint` NULL: that of forces. */
static void bar(sheet *s, const mrn_paint *paint, const char *title, const char *unit, double lo,
                double hi, double y, double h)
{
    char named[32], head[96], cut[96];
    double factor = scaled_unit(unit, fmax(fabs(lo), fabs(hi)), named, sizeof named);
    double x = floor(s->look->width - s->view->bar + 0.1 * s->em), w = floor(1.15 * s->em);
    set_font(s, 0.88 * s->em, false);
    snprintf(head, sizeof head, named[0] ? "%s (%s)" : "%s%s", title, named);
    if (text_width(s, head) > s->view->bar - 1.4 * s->em && named[0]) { /* unit on its own line */
        fit_text(s, title, s->view->bar - 0.3 * s->em, cut, sizeof cut);
        put(s, x, y, 0, cut, s->theme.text);
        snprintf(head, sizeof head, "(%s)", named);
        y += 1.2 * s->em;
        h -= 1.2 * s->em;
    }
    fit_text(s, head, s->view->bar - 0.3 * s->em, cut, sizeof cut);
    put(s, x, y, 0, cut, s->theme.text);
    y = floor(y + 0.8 * s->em);
    h = floor(h - 0.8 * s->em);
    if (h < 2 * s->em)
        return;
    bar_fill(s, paint, x, y, w, h);
    bar_ticks(s, x + w + 1, y, h, lo * factor, hi * factor);
}

static void swatches(sheet *s, const mrn_paint *paint, const mrn_header *header, double y, double h)
{
    bool material = strcmp(paint->field->name, "material") == 0;
    char(*name)[MRN_NAME] = material ? header->material_name : header->group_name;
    double x = floor(s->look->width - s->view->bar + 0.1 * s->em), step = 1.55 * s->em;
    set_font(s, 0.88 * s->em, false);
    put(s, x, y, 0, paint->field->title, s->theme.text);
    for (int k = 0; k < paint->n_classes && (k + 2) * step < h; k++) {
        char text[MRN_NAME + 8];
        double ty = y + (k + 1) * step;
        mrn_rgb c = mrn_palette_class(k), black = {0, 0, 0};
        cairo_new_path(s->canvas.cr);
        cairo_arc(s->canvas.cr, x + 0.5 * s->em, ty - 0.3 * s->em, 0.46 * s->em, 0, 2 * MRN_PI);
        mrn_canvas_colour(&s->canvas, c, 1);
        cairo_fill_preserve(s->canvas.cr);
        mrn_canvas_colour(&s->canvas, mrn_rgb_mix(c, black, 0.45f), 1);
        cairo_set_line_width(s->canvas.cr, 1);
        cairo_stroke(s->canvas.cr);
        fit_text(s, name ? name[k] : "", s->view->bar - 2 * s->em, text, sizeof text);
        put(s, x + 1.4 * s->em, ty, 0, text, s->theme.text);
    }
}

static void legend(sheet *s, const mrn_header *header, const mrn_paint *paint,
                   const mrn_link_set *links)
{
    const mrn_view *v = s->view;
    bool forces = s->look->force_chains && links->scale > 0;
    double h = fmin(v->plot_height, 22 * s->em), y = v->top + 0.5 * (v->plot_height - h) + s->em;
    h -= s->em;
    if (forces) /* grains are faded then: their colours have nothing to tell */
        bar(s, NULL, "Normal force", "N", 0, links->scale, y, h);
    else if (paint->field->kind == MRN_PAINT_NUMBER)
        bar(s, paint, paint->field->title, paint->field->unit, paint->lo, paint->hi, y, h);
    else if (paint->field->kind == MRN_PAINT_CLASS)
        swatches(s, paint, header, y, h);
}

/* ---- time, title, scale, axes ---- */

static void scale_bar(sheet *s, double right, double y)
{
    double pixels = mrn_view_focal(s->view) / s->view->extent; /* per metre */
    if (s->view->dimension == 3)
        pixels *= s->view->extent / s->view->distance;
    double length = mrn_nice_below(8 * s->em / pixels), w = length * pixels;
    char unit[16], text[48];
    double factor = scaled_unit("m", length, unit, sizeof unit);
    snprintf(text, sizeof text, "%g %s", length * factor, unit);
    cairo_t *cr = s->canvas.cr;
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_BUTT);
    cairo_set_line_width(cr, fmax(1, 0.12 * s->em));
    mrn_canvas_colour(&s->canvas, s->theme.text, 1);
    double up = 0.28 * s->em;
    cairo_move_to(cr, right - w, y - up), cairo_line_to(cr, right - w, y + up);
    cairo_move_to(cr, right - w, y), cairo_line_to(cr, right, y);
    cairo_move_to(cr, right, y - up), cairo_line_to(cr, right, y + up);
    cairo_stroke(cr);
    set_font(s, 0.88 * s->em, false);
    put(s, right - w - 0.6 * s->em, y + 0.32 * s->em, 1, text, s->theme.text);
}

/* The three directions of the world, as seen. */
static void axes(sheet *s, double x, double y)
{
    static const char *const name[] = {"x", "y", "z"};
    const mrn_vec3 e[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const mrn_rgb colour[3] = {{0.80f, 0.27f, 0.24f}, {0.25f, 0.58f, 0.30f}, {0.22f, 0.42f, 0.78f}};
    double l = 1.9 * s->em;
    set_font(s, 0.74 * s->em, false);
    cairo_set_line_width(s->canvas.cr, fmax(1, 0.1 * s->em));
    cairo_set_line_cap(s->canvas.cr, CAIRO_LINE_CAP_ROUND);
    for (int k = 0; k < s->view->dimension; k++) {
        double ux = mrn_dot(e[k], s->view->right), uy = -mrn_dot(e[k], s->view->up);
        if (ux * ux + uy * uy < 0.01) /* pointing at the eye */
            continue;
        cairo_move_to(s->canvas.cr, x, y);
        cairo_line_to(s->canvas.cr, x + l * ux, y + l * uy);
        mrn_canvas_colour(&s->canvas, colour[k], 1);
        cairo_stroke(s->canvas.cr);
        double n = sqrt(ux * ux + uy * uy), tip = l + 0.5 * s->em / n;
        put(s, x + tip * ux, y + tip * uy + 0.25 * s->em, 0.5, name[k], colour[k]);
    }
}

static void time_text(double t, char *out, size_t n)
{
    char unit[16];
    double factor = scaled_unit("s", fabs(t), unit, sizeof unit);
    if (fabs(t) >= 0.01 || t == 0) /* seconds with fixed decimals do not dance in an animation */
        snprintf(out, n, "t = %.*f s", fabs(t) < 100 ? 3 : 1, t);
    else
        snprintf(out, n, "t = %.3g %s", t * factor, unit);
}

static void captions(sheet *s, const mrn_header *header, const mrn_frame *frame)
{
    char text[300];
    const mrn_view *v = s->view;
    double foot = s->look->height - 1.35 * s->em;
    double left = v->left + (s->look->axes ? 4.2 * s->em : 0);
    if (s->look->caption && header->title[0]) {
        set_font(s, 1.12 * s->em, true);
        fit_text(s, header->title, s->look->width - 2 * v->left, text, sizeof text);
        put(s, v->left, v->left + 0.9 * s->em, 0, text, s->theme.text);
    }
    if (s->look->caption && isfinite(frame->time)) {
        time_text(frame->time, text, sizeof text);
        set_font(s, 0.95 * s->em, false);
        put(s, left, foot, 0, text, s->theme.text);
    }
    if (s->look->axes) {
        axes(s, v->left + 1.2 * s->em, s->look->height - 1.7 * s->em);
        scale_bar(s, v->left + v->plot_width, foot - 0.3 * s->em);
    }
}

mrn_status mrn_draw_overlay(const mrn_look *look, const mrn_view *view, const mrn_header *header,
                            const mrn_frame *frame, const mrn_paint *paint,
                            const mrn_link_set *links, mrn_picture *out, mrn_message *msg)
{
    if (look->width < 240 || look->height < 160) /* tiny: see mrn_view_layout */
        return MRN_OK;
    sheet s = {look, view, mrn_theme_of(look), {0}, view->text};
    mrn_status st = mrn_canvas_open(out, &s.canvas, msg);
    if (st)
        return st;
    captions(&s, header, frame);
    if (view->bar > 0)
        legend(&s, header, paint, links);
    return mrn_canvas_close(&s.canvas, out, msg);
}
