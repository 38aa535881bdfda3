/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Axes of plots: linear, or logarithmic with decades and what lies between; round numbers. */
#include "draw/axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"

/* ---- round numbers ---- */

double mrn_nice_below(double x)
{
    double p = pow(10, floor(log10(x)));
    double m = x / p;
    if (m >= 10 * (1 - 1e-12)) /* the logarithm was rounded down */
        return 10 * p;
    return (m >= 5 * (1 - 1e-12) ? 5 : m >= 2 * (1 - 1e-12) ? 2 : 1) * p;
}

double mrn_nice_above(double x)
{
    double below = mrn_nice_below(x);
    if (below >= x * (1 - 1e-12))
        return below;
    /* 1 -> 2, 2 -> 5, 5 -> 10 */
    double lead = below / pow(10, floor(log10(below) + 1e-9));
    return below * (lead > 1.5 && lead < 3 ? 2.5 : 2);
}

/* ---- range ---- */

mrn_plot mrn_plot_default(void)
{
    return (mrn_plot){.x_lo = NAN, .x_hi = NAN, .y_lo = NAN, .y_hi = NAN};
}

static double scaled(const mrn_axis *a, double v)
{
    return a->log ? log10(v) : v;
}

bool mrn_axis_shows(const mrn_axis *a, double v)
{
    return isfinite(v) && (!a->log || v > 0);
}

static double place(const mrn_axis *a, double s)
{
    return a->from + (s - a->lo) / (a->hi - a->lo) * (a->to - a->from);
}

double mrn_axis_at(const mrn_axis *a, double v)
{
    return place(a, scaled(a, v));
}

double mrn_axis_tick_at(const mrn_axis *a, int i)
{
    return place(a, a->tick[i]);
}

static void stretch(mrn_axis *a, double v)
{
    if (!mrn_axis_shows(a, v))
        return;
    a->lo = fmin(a->lo, scaled(a, v));
    a->hi = fmax(a->hi, scaled(a, v));
}

static void measure(const mrn_plot *p, mrn_axis *x, mrn_axis *y)
{
    for (int i = 0; i < p->n; i++)
        for (int k = 0; k < p->series[i].n; k++) {
            const mrn_series *s = &p->series[i];
            double e = s->error != NULL && isfinite(s->error[k]) ? s->error[k] : 0;
            if (!mrn_axis_shows(x, s->x[k]) || !mrn_axis_shows(y, s->y[k]))
                continue;
            stretch(x, s->x[k]);
            if (s->style == MRN_SERIES_BARS)
                stretch(y, 0); /* where they begin; has no place on a logarithmic axis */
            stretch(y, s->y[k] + e);
            stretch(y, s->y[k] - e);
        }
}

/* Room around the data, unless an end was asked for. What differs by rounding alone is one value:
   ticks could not tell it apart. */
static void finish_range(mrn_axis *a, double lo, double hi)
{
    if (!(a->hi >= a->lo))
        a->lo = 0, a->hi = 1;
    double size = fmax(fabs(a->lo), fabs(a->hi)), room = 0.05 * (a->hi - a->lo);
    if (room <= 1e-12 * size || room == 0)
        room = a->log || size == 0 ? 0.5 : 0.1 * size;
    bool from_zero = !a->log && a->lo == 0;
    a->lo -= from_zero ? 0 : room;
    a->hi += room;
    if (mrn_axis_shows(a, lo))
        a->lo = scaled(a, lo);
    if (mrn_axis_shows(a, hi))
        a->hi = scaled(a, hi);
    if (!(a->hi > a->lo))
        a->hi = a->lo + 1;
}

/* ---- ticks ---- */

static void add_tick(mrn_axis *a, double s)
{
    if (a->n < MRN_TICKS_MAX && s >= a->lo - 1e-9 && s <= a->hi + 1e-9)
        a->tick[a->n++] = s;
}

/* Decades; within one or two of them also 2 and 5; within less the steps of a linear axis. */
static void place_log_ticks(mrn_axis *a)
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
    for (double k = ceil(lo / step); k * step <= hi && a->n < MRN_TICKS_MAX; k++)
        if (k > 0)
            a->tick[a->n++] = log10(k * step);
}

static void place_ticks(mrn_axis *a, double wanted)
{
    a->n = 0;
    if (a->log) {
        place_log_ticks(a);
        return;
    }
    double step = mrn_nice_above((a->hi - a->lo) / wanted);
    for (double k = ceil(a->lo / step - 1e-9); k * step <= a->hi + 1e-9 * step; k++)
        if (a->n < MRN_TICKS_MAX)
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

void mrn_axis_text(const mrn_axis *a, int i, char *buf, size_t size)
{
    if (a->name != NULL) {
        snprintf(buf, size, "%s", a->name[lround(a->tick[i])]);
        return;
    }
    double s = a->tick[i], v = a->log ? pow(10, s) : s;
    double step = a->n > 1 ? fabs(a->tick[1] - a->tick[0]) : 1;
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

void mrn_axis_between(mrn_axis *a, double lo, double hi, double ticks)
{
    *a = (mrn_axis){.lo = INFINITY, .hi = -INFINITY};
    finish_range(a, lo, hi);
    place_ticks(a, ticks);
}

/* Names in the place of numbers: half a step of room at either end. */
static void name_axis(const mrn_plot *plot, mrn_axis *x)
{
    x->name = plot->x_name;
    x->n_names = plot->n_names;
    x->lo = -0.5, x->hi = plot->n_names - 0.5, x->log = false;
    for (x->n = 0; x->n < plot->n_names && x->n < MRN_TICKS_MAX; x->n++)
        x->tick[x->n] = x->n;
}

void mrn_axes_of(const mrn_plot *plot, double x_ticks, double y_ticks, mrn_axis *x, mrn_axis *y)
{
    *x = (mrn_axis){.lo = INFINITY, .hi = -INFINITY, .log = plot->x_log};
    *y = (mrn_axis){.lo = INFINITY, .hi = -INFINITY, .log = plot->y_log};
    measure(plot, x, y);
    const mrn_map *map = plot->map;
    bool x_free = map != NULL && isnan(plot->x_lo), y_free = map != NULL && isnan(plot->y_lo);
    finish_range(x, x_free ? map->x[0] : plot->x_lo, x_free ? map->x[1] : plot->x_hi);
    finish_range(y, y_free ? map->y[0] : plot->y_lo, y_free ? map->y[1] : plot->y_hi);
    place_ticks(x, x_ticks);
    place_ticks(y, y_ticks);
    if (plot->n_names > 0)
        name_axis(plot, x);
}

/* ---- bars ---- */

#define GROUP 0.8 /* of the way from one x to the next; the rest is left between groups */

bool mrn_bar_at(const mrn_plot *plot, const mrn_axis *x, const mrn_axis *y, int i, int k,
                double *x0, double *y0, double *x1, double *y1)
{
    const mrn_series *s = &plot->series[i];
    int all = 0, before = 0;
    for (int j = 0; j < plot->n; j++) {
        bool bars = plot->series[j].style == MRN_SERIES_BARS;
        all += bars;
        before += bars && j < i;
    }
    if (x->log || !mrn_axis_shows(x, s->x[k]) || !mrn_axis_shows(y, s->y[k]))
        return false;
    double width = GROUP / all, left = s->x[k] - 0.5 * GROUP + before * width;
    *x0 = mrn_axis_at(x, left);
    *x1 = mrn_axis_at(x, left + width);
    *y0 = y->log ? y->from : mrn_axis_at(y, 0);
    *y1 = mrn_axis_at(y, s->y[k]);
    return true;
}
