/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of convergence along a ladder of levels, and its limit.

   y(x) = y0 + c x^p. Of the three finest levels the differences give p (Richardson), then y0; how
   far the finest is from it, times 1.25, is the grid convergence index (Roache 1998). A least-
   squares fit over all levels says whether p is steady. Seeds give noise: where the two finest
   differences are no larger than it, there is no order to be seen; else leaving out one seed after
   the other (jackknife) gives intervals. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "crosscheck/crosscheck.h"
#include "inference/fit.h"

#define SAFETY      1.25
#define SAME        1e-13 /* differences below this part of the values are rounding */
#define LEAST_ORDER 0.02
#define MOST_ORDER  12.

const char *mrn_order_kind_name(mrn_order_kind k)
{
    static const char *const name[] = {"found", "constant", "noise", "none"};
    return name[k];
}

/* What three levels say. */
typedef struct three_levels {
    double order, limit;
} three_levels;

/* (y1 - y2) / (y2 - y3) = (x1^p - x2^p) / (x2^p - x3^p): its right side grows with p. */
static double ratio_at(const double *x, double p)
{
    double a = pow(x[0] / x[2], p), b = pow(x[1] / x[2], p);
    return (a - b) / (b - 1);
}

static three_levels richardson(const double *x, const double *y)
{
    double ratio = (y[0] - y[1]) / (y[1] - y[2]), lo = LEAST_ORDER, hi = MOST_ORDER;
    if (!(ratio > ratio_at(x, lo)) || !(ratio < ratio_at(x, hi)))
        return (three_levels){NAN, NAN};
    for (int i = 0; i < 100; i++) {
        double mid = 0.5 * (lo + hi);
        *(ratio_at(x, mid) < ratio ? &lo : &hi) = mid;
    }
    double p = 0.5 * (lo + hi);
    return (three_levels){p, y[2] + (y[2] - y[1]) / (pow(x[1] / x[2], p) - 1)};
}

/* Least squares of y0 + c x^p for a given p: the sum of squares, and y0. */
static double squares_at(int n, const double *x, const double *y, double p, double *limit)
{
    double mx = 0, my = 0, sxx = 0, sxy = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        mx += pow(x[i] / x[0], p) / n;
        my += y[i] / n;
    }
    for (int i = 0; i < n; i++) {
        double u = pow(x[i] / x[0], p) - mx;
        sxx += u * u;
        sxy += u * (y[i] - my);
    }
    double c = sxx > 0 ? sxy / sxx : 0;
    *limit = my - c * mx;
    for (int i = 0; i < n; i++) {
        double off = y[i] - *limit - c * pow(x[i] / x[0], p);
        sum += off * off;
    }
    return sum;
}

/* Over orders first on a grid, then by golden section about the best. */
static three_levels fit(int n, const double *x, const double *y)
{
    enum { GRID = 120 };
    double best = INFINITY, limit, at = NAN, step = log(MOST_ORDER / LEAST_ORDER) / GRID;
    const double golden = 0.6180339887498949;
    for (int i = 0; i <= GRID; i++) {
        double p = LEAST_ORDER * exp(i * step), s = squares_at(n, x, y, p, &limit);
        if (s < best) {
            best = s;
            at = log(p);
        }
    }
    double lo = at - step, hi = at + step;
    for (int i = 0; i < 80; i++) {
        double a = hi - golden * (hi - lo), b = lo + golden * (hi - lo);
        if (squares_at(n, x, y, exp(a), &limit) < squares_at(n, x, y, exp(b), &limit))
            hi = b;
        else
            lo = a;
    }
    double p = exp(0.5 * (lo + hi));
    squares_at(n, x, y, p, &limit);
    bool inside = p > LEAST_ORDER * 1.01 && p < MOST_ORDER / 1.01;
    return inside ? (three_levels){p, limit} : (three_levels){NAN, NAN};
}

/* ---- noise ---- */

typedef struct ladder {
    int levels, seeds;
    const double *x, *y;
    bool paired;
    double t; /* Student's quantile */
} ladder;

/* Mean of a level without one seed (-1: of all). */
static double mean_of(const ladder *a, int level, int without)
{
    double v[256];
    int n = 0;
    for (int k = 0; k < a->seeds && n < 256; k++)
        if (k != without)
            v[n++] = a->y[level * a->seeds + k];
    return mrn_scatter_of(v, n).mean;
}

/* Standard error of the difference of two neighbours. */
static double error_of_step(const ladder *a, int level)
{
    const double *u = a->y + level * a->seeds, *v = u + a->seeds;
    double d[256];
    int n = a->seeds < 256 ? a->seeds : 256;
    if (!a->paired)
        return hypot(mrn_scatter_of(u, n).sd, mrn_scatter_of(v, n).sd) / sqrt(n);
    for (int k = 0; k < n; k++)
        d[k] = v[k] - u[k];
    return mrn_scatter_of(d, n).sd / sqrt(n);
}

/* Half widths of order and limit from leaving out one seed after the other. */
static void jackknife(const ladder *a, mrn_order *o)
{
    double p[256], limit[256], y[3];
    int n = a->seeds < 256 ? a->seeds : 256, first = a->levels - 3;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++)
            y[i] = mean_of(a, first + i, k);
        three_levels e = richardson(a->x + first, y);
        p[k] = e.order;
        limit[k] = e.limit;
    }
    /* of n values with one left out each: (n - 1)^2 / n of their variance is that of the mean */
    double scale = (n - 1) / sqrt(n);
    o->order_half = a->t * scale * mrn_scatter_of(p, n).sd;
    o->limit_half = a->t * scale * mrn_scatter_of(limit, n).sd;
}

/* ---- verdict ---- */

static bool constant(const mrn_order *o)
{
    double size = 0, apart = 0;
    for (int i = 0; i < o->levels; i++) {
        size = fmax(size, fabs(o->mean[i]));
        apart = fmax(apart, fabs(o->mean[i] - o->mean[0]));
    }
    return apart <= SAME * size;
}

static void quote_finest(mrn_order *o, double uncertainty)
{
    o->limit = o->mean[o->levels - 1];
    o->uncertainty = uncertainty;
}

/* The finest step is hidden: what is known is the finest value, to noise and last step together. */
static bool hidden(const ladder *a, mrn_order *o)
{
    int n = a->levels;
    double step = fabs(o->mean[n - 1] - o->mean[n - 2]), error = error_of_step(a, n - 2);
    double before = fabs(o->mean[n - 2] - o->mean[n - 3]), error_before = error_of_step(a, n - 3);
    bool last = step <= a->t * error, first = before <= a->t * error_before;
    if (a->seeds < 2 || !(last || first))
        return false;
    o->kind = MRN_ORDER_NOISE;
    quote_finest(o, hypot(step, a->t * o->error[n - 1]));
    double want = ceil(a->seeds * pow(2 * a->t * error / fmax(step, 1e-300), 2));
    if (last && first)
        snprintf(o->words, sizeof o->words,
                 "the finest levels differ by %.2g and %.2g, seeds alone by %.2g and %.2g: noise "
                 "hides the order. About %.0f seeds would show it, if it is there",
                 before, step, a->t * error_before, a->t * error, fmin(want, 1e6));
    else
        snprintf(o->words, sizeof o->words,
                 "one of the two finest differences (%.2g, %.2g) is no larger than the noise of "
                 "the seeds (%.2g, %.2g): the order cannot be told",
                 before, step, a->t * error_before, a->t * error);
    return true;
}

static void extrapolate(const ladder *a, mrn_order *o)
{
    int n = a->levels;
    three_levels three = richardson(a->x + n - 3, o->mean + n - 3);
    three_levels all = n > 3 ? fit(n, a->x, o->mean) : three;
    double step = o->mean[n - 1] - o->mean[n - 2], before = o->mean[n - 2] - o->mean[n - 3];
    o->three = three.order;
    o->three_limit = three.limit;
    o->fit = all.order;
    o->fit_limit = all.limit;
    if (hidden(a, o))
        return;
    if (isnan(three.order)) {
        o->kind = MRN_ORDER_NONE;
        quote_finest(o, fmax(fabs(step), fabs(before)));
        snprintf(o->words, sizeof o->words,
                 "the last differences are %.3g and %.3g: they %s. The levels are too coarse, or "
                 "the runs are chaotic%s",
                 before, step, step * before < 0 ? "change sign" : "do not shrink",
                 a->seeds < 2 ? " (several seeds would tell)" : "");
        return;
    }
    o->kind = MRN_ORDER_FOUND;
    o->gci = SAFETY * fabs(o->three_limit - o->mean[n - 1]);
    o->spread = isnan(o->fit_limit) ? 0 : fabs(o->fit_limit - o->three_limit);
    if (a->seeds > 2)
        jackknife(a, o);
    double noise = isnan(o->limit_half) ? 0 : o->limit_half;
    o->limit = o->three_limit;
    o->uncertainty = hypot(fmax(o->gci, o->spread), noise);
}

mrn_status mrn_order_of(int levels, const double *x, int seeds, const double *y, bool paired,
                        double confidence, mrn_order *out, mrn_message *msg)
{
    ladder a = {.levels = levels, .seeds = seeds, .x = x, .y = y, .paired = paired};
    *out = (mrn_order){.levels = levels, .seeds = seeds, .kind = MRN_ORDER_NONE};
    out->three = out->three_limit = out->fit = out->fit_limit = out->gci = NAN;
    out->order_half = out->limit_half = out->spread = out->limit = out->uncertainty = NAN;
    if (levels < 2 || levels > MRN_LEVELS || seeds < 1 || seeds > 256)
        return mrn_fail(msg, MRN_ERR_RANGE, "an order needs 2 to %d levels and 1 to 256 seeds",
                        MRN_LEVELS);
    a.t = seeds > 1 ? mrn_student_quantile(0.5 + 0.5 * confidence, seeds - 1) : NAN;
    for (int i = 0; i < levels; i++) {
        mrn_scatter s = mrn_scatter_of(y + i * seeds, seeds);
        out->mean[i] = s.mean;
        out->error[i] = s.sd / sqrt(seeds);
    }
    if (constant(out)) {
        out->kind = MRN_ORDER_CONSTANT;
        double noise = a.t * out->error[levels - 1];
        quote_finest(out, isnan(noise) ? 0 : noise);
        snprintf(out->words, sizeof out->words,
                 "the same on every level: it does not depend on it");
    } else if (levels < 3) {
        quote_finest(out, fabs(out->mean[1] - out->mean[0]));
        snprintf(out->words, sizeof out->words, "an order needs three levels");
    } else {
        extrapolate(&a, out);
    }
    return MRN_OK;
}
