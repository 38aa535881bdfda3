/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of a calibration: F over pairs of parameters, targets along each of them, the search. */
#include <math.h>
#include <string.h>

#include "lab_calibrate.h"

enum {
    ACROSS = 60, /* cells of a map; points of a curve are one more */
    UP = 44,
    LEVELS = 5,
    MOST_MAPS = 15,
    MOST_CURVES = 48
};

/* ---- polygons of a level ---- */

/* Lines of x and y that grow; NAN ends a polygon. */
typedef struct outline {
    double *x, *y;
    int n;
    int64_t room[2];
    bool failed;
} outline;

static void add(outline *a, double x, double y)
{
    a->failed = a->failed || mrn_grow(&a->x, &a->room[0], a->n + 1, sizeof *a->x) != MRN_OK ||
                mrn_grow(&a->y, &a->room[1], a->n + 1, sizeof *a->y) != MRN_OK;
    if (a->failed)
        return;
    a->x[a->n] = x;
    a->y[a->n++] = y;
}

/* A map over the plane of two parameters: at the nodes of a grid. */
typedef struct map {
    const mrn_tuning *t;
    int a, b;
    double v[UP + 1][ACROSS + 1];
} map;

static void add_place(const map *p, outline *out, double i, double j)
{
    add(out, mrn_tuning_value(&p->t->parameter[p->a], i / ACROSS),
        mrn_tuning_value(&p->t->parameter[p->b], j / UP));
}

/* The part of a cell that lies below the level: round its corners, with the crossings between. */
static void add_cell(const map *p, int i, int j, double level, outline *out)
{
    static const int di[4] = {0, 1, 1, 0}, dj[4] = {0, 0, 1, 1};
    int before = out->n;
    for (int k = 0; k < 4; k++) {
        int m = (k + 1) % 4;
        double u = p->v[j + dj[k]][i + di[k]], w = p->v[j + dj[m]][i + di[m]];
        if (u <= level)
            add_place(p, out, i + di[k], j + dj[k]);
        if ((u <= level) != (w <= level)) {
            double s = (level - u) / (w - u);
            add_place(p, out, i + di[k] + s * (di[m] - di[k]), j + dj[k] + s * (dj[m] - dj[k]));
        }
    }
    if (out->n > before)
        add(out, NAN, NAN);
}

static bool whole(const map *p, int i, int j, double level)
{
    return i < ACROSS && p->v[j][i] <= level && p->v[j][i + 1] <= level &&
           p->v[j + 1][i] <= level && p->v[j + 1][i + 1] <= level;
}

/* Cells that lie below it as a whole are joined along a row. */
static void level_area(const map *p, double level, outline *out)
{
    for (int j = 0; j < UP; j++)
        for (int i = 0; i < ACROSS; i++) {
            int end = i;
            while (whole(p, end, j, level))
                end++;
            if (end == i) {
                add_cell(p, i, j, level, out);
                continue;
            }
            add_place(p, out, i, j);
            add_place(p, out, end, j);
            add_place(p, out, end, j + 1);
            add_place(p, out, i, j + 1);
            add(out, NAN, NAN);
            i = end - 1;
        }
}

/* ---- maps ---- */

static mrn_status fill_map(map *p)
{
    const mrn_calibrated *r = p->t->r;
    double *x = mrn_alloc((size_t)(r->n + r->m) * sizeof *x), *y = x != NULL ? x + r->n : NULL;
    if (x == NULL)
        return MRN_ERR_MEMORY;
    memcpy(x, r->fit.x, (size_t)r->n * sizeof *x);
    for (int j = 0; j <= UP; j++)
        for (int i = 0; i <= ACROSS; i++) {
            x[p->a] = mrn_tuning_value(&p->t->parameter[p->a], (double)i / ACROSS);
            x[p->b] = mrn_tuning_value(&p->t->parameter[p->b], (double)j / UP);
            mrn_surrogate_at(r->surrogate, x, y, NULL);
            /* its root is nearer to a straight line between the nodes */
            p->v[j][i] = sqrt(fmax(mrn_tuning_objective(p->t, y) - r->fit.objective, 0));
        }
    mrn_free(x);
    return MRN_OK;
}

static bool log_axis(const mrn_parameter *p)
{
    return p->log && p->hi > 8 * p->lo;
}

/* Points of the first design, or those of the search. */
static void add_points(mrn_cli_chart *chart, const mrn_calibrated *r, int a, int b, bool search)
{
    int64_t from = search ? r->n_design : 0, to = search ? r->n_points : r->n_design;
    int n = (int)(to - from);
    double *x = mrn_alloc((size_t)(2 * n + 1) * sizeof *x), *y = x != NULL ? x + n : NULL;
    if (x != NULL && n > 0) {
        for (int i = 0; i < n; i++) {
            x[i] = r->x[(from + i) * r->n + a];
            y[i] = r->x[(from + i) * r->n + b];
        }
        mrn_cli_chart_add(chart, search ? "search" : "first design", MRN_SERIES_POINTS,
                          search ? 1 : -1, n, x, y, NULL);
    }
    mrn_free(x);
}

static void add_region(mrn_cli_chart *chart, const mrn_tuning *t, int a, int b)
{
    const mrn_fit *f = &t->r->fit;
    char label[60];
    snprintf(label, sizeof label, "region, %g %%", 100 * t->x.confidence);
    for (int i = 0; i < f->n_regions; i++) {
        const mrn_fit_region *g = &f->region[i];
        if (g->n == 0 || !((g->a == a && g->b == b) || (g->a == b && g->b == a)))
            continue;
        mrn_cli_chart_add(chart, label, MRN_SERIES_LINE, 2, g->n, g->a == a ? g->x : g->y,
                          g->a == a ? g->y : g->x, NULL);
    }
}

/* Room round the box, so that points on its edge are seen whole. */
static void set_box(mrn_plot *plot, const mrn_parameter *a, const mrn_parameter *b)
{
    const double room = 0.02;
    plot->x_log = log_axis(a);
    plot->y_log = log_axis(b);
    if (plot->x_log || !a->log) {
        plot->x_lo = mrn_tuning_value(a, -room);
        plot->x_hi = mrn_tuning_value(a, 1 + room);
    }
    if (plot->y_log || !b->log) {
        plot->y_lo = mrn_tuning_value(b, -room);
        plot->y_hi = mrn_tuning_value(b, 1 + room);
    }
}

/* Levels of F above its least: that of the confidence region of two, and on to the largest of the
   map by equal factors; round numbers. Returns how many. */
static int choose_levels(const map *p, double level[LEVELS])
{
    double most = 0;
    for (int j = 0; j <= UP; j++)
        for (int i = 0; i <= ACROSS; i++)
            most = fmax(most, p->v[j][i] * p->v[j][i]);
    double factor = fmax(pow(most / 6, 1.0 / LEVELS), 1.5);
    int n = 0;
    double v = 6;
    while (n < LEVELS && (n == 0 || v < most)) {
        double unit = pow(10, floor(log10(v)) - 1);
        level[n++] = unit * round(v / unit);
        v *= factor;
    }
    return n;
}

static void map_caption(const mrn_tuning *t, const double *level, int n, char *buf, size_t size)
{
    size_t used =
        (size_t)snprintf(buf, size, "By the surrogate%s. Shades, from the darkest: F less than",
                         t->r->n > 2 ? ", in the plane through the optimum" : "");
    for (int k = 0; k < n; k++)
        used += (size_t)snprintf(buf + used, size - used, "%s %.0f",
                                 k == 0      ? ""
                                 : k < n - 1 ? ","
                                             : " and",
                                 level[k]);
    snprintf(buf + used, size - used, " above its least.%s",
             t->r->n > 2 ? " Points lie before and behind the plane." : "");
}

static void draw_map(mrn_cli_out *o, const map *p)
{
    const mrn_tuning *t = p->t;
    const mrn_parameter *a = &t->parameter[p->a], *b = &t->parameter[p->b];
    const double *best = t->r->fit.x;
    char title[200], name[200], caption[400];
    double level[LEVELS];
    int n = choose_levels(p, level);
    mrn_cli_chart chart;
    snprintf(title, sizeof title, "F over %s and %s", a->name, b->name);
    snprintf(name, sizeof name, "map-%s-%s", a->name, b->name);
    mrn_cli_chart_begin(&chart, title, mrn_cli_heading(a->name, a->unit).s,
                        mrn_cli_heading(b->name, b->unit).s);
    set_box(&chart.plot, a, b);
    for (int k = n - 1; k >= 0; k--) {
        outline out = {0};
        level_area(p, sqrt(level[k]), &out);
        if (out.n > 0)
            mrn_cli_chart_add(&chart, "", MRN_SERIES_AREA, 0, out.n, out.x, out.y, NULL);
        chart.failed = chart.failed || out.failed;
        mrn_free(out.x);
        mrn_free(out.y);
    }
    add_points(&chart, t->r, p->a, p->b, false);
    add_points(&chart, t->r, p->a, p->b, true);
    add_region(&chart, t, p->a, p->b);
    mrn_cli_chart_add(&chart, "optimum", MRN_SERIES_BOTH, 6, 1, &best[p->a], &best[p->b], NULL);
    map_caption(t, level, n, caption, sizeof caption);
    mrn_cli_chart_end(&chart, o, name, MRN_PAGE_HALF, caption);
}

static void plot_maps(mrn_cli_out *o, const mrn_tuning *t)
{
    map *p = mrn_alloc(sizeof *p);
    int made = 0;
    for (int a = 0; p != NULL && a < t->r->n; a++)
        for (int b = a + 1; b < t->r->n && made < MOST_MAPS; b++, made++) {
            *p = (map){.t = t, .a = a, .b = b};
            if (fill_map(p) == MRN_OK)
                draw_map(o, p);
        }
    mrn_free(p);
}

/* ---- targets along a parameter ---- */

typedef struct curve {
    double x[ACROSS + 1], mean[ACROSS + 1];
    double band_x[2 * ACROSS + 2], band_y[2 * ACROSS + 2]; /* there above, and back below */
} curve;

static mrn_status fill_curve(const mrn_tuning *t, int i, int k, curve *c)
{
    const mrn_calibrated *r = t->r;
    double *x = mrn_alloc((size_t)(r->n + 2 * r->m) * sizeof *x);
    double *y = x != NULL ? x + r->n : NULL, *variance = x != NULL ? y + r->m : NULL;
    if (x == NULL)
        return MRN_ERR_MEMORY;
    memcpy(x, r->fit.x, (size_t)r->n * sizeof *x);
    for (int j = 0; j <= ACROSS; j++) {
        x[k] = c->x[j] = mrn_tuning_value(&t->parameter[k], (double)j / ACROSS);
        mrn_surrogate_at(r->surrogate, x, y, variance);
        double sd = isfinite(variance[i]) ? sqrt(variance[i]) : NAN;
        c->mean[j] = y[i];
        c->band_x[j] = c->band_x[2 * ACROSS + 1 - j] = c->x[j];
        c->band_y[j] = y[i] + 2 * sd;
        c->band_y[2 * ACROSS + 1 - j] = y[i] - 2 * sd;
    }
    mrn_free(x);
    return MRN_OK;
}

/* Whether all parameters but k are near the optimum. */
static bool near(const mrn_tuning *t, const double *x, int k)
{
    for (int j = 0; j < t->r->n; j++) {
        const mrn_parameter *p = &t->parameter[j];
        double d = mrn_tuning_place(p, x[j]) - mrn_tuning_place(p, t->r->fit.x[j]);
        if (j != k && !(fabs(d) <= 0.15))
            return false;
    }
    return true;
}

static void add_runs(mrn_cli_chart *chart, const mrn_tuning *t, int i, int k, bool close)
{
    const mrn_calibrated *r = t->r;
    double *x = mrn_alloc((size_t)(2 * r->n_runs + 1) * sizeof *x);
    double *y = x != NULL ? x + r->n_runs : NULL;
    int n = 0;
    for (int64_t q = 0; x != NULL && q < r->n_runs; q++) {
        const mrn_virtual_run *run = &r->run[q];
        bool counts = run->status == MRN_OK || run->status == MRN_AT_MOST;
        if (run->test != t->c->target[i].test || !counts || near(t, run->x, k) != close ||
            !isfinite(run->y[i]))
            continue;
        x[n] = run->x[k];
        y[n++] = run->y[i];
    }
    if (n > 0)
        mrn_cli_chart_add(chart,
                          r->n == 1 ? "runs"
                          : close   ? "runs nearby"
                                    : "runs elsewhere",
                          MRN_SERIES_POINTS, close ? 0 : -1, n, x, y, NULL);
    mrn_free(x);
}

static void add_measured(mrn_cli_chart *chart, const mrn_target *g, double lo, double hi)
{
    double half = mrn_datum_half_width(&g->datum, 0.95), y = g->datum.y;
    const double x[4] = {lo, hi, hi, lo}, band[4] = {y - half, y - half, y + half, y + half};
    const double level[2] = {y, y};
    mrn_cli_chart_add(chart, "measured, 95 %", MRN_SERIES_AREA, 1, 4, x, band, NULL);
    mrn_cli_chart_add(chart, "", MRN_SERIES_DASHED, 1, 2, x, level, NULL);
}

static void plot_curve(mrn_cli_out *o, const mrn_tuning *t, int i, int k, curve *c)
{
    const mrn_target *g = &t->c->target[i];
    const mrn_parameter *p = &t->parameter[k];
    char title[200], name[200];
    mrn_cli_chart chart;
    if (fill_curve(t, i, k, c) != MRN_OK)
        return;
    snprintf(title, sizeof title, "%s along %s", g->name, p->name);
    snprintf(name, sizeof name, "%s-%s", g->name, p->name);
    mrn_cli_chart_begin(&chart, title, mrn_cli_heading(p->name, p->unit).s,
                        mrn_cli_heading(g->name, g->unit).s);
    chart.plot.x_log = log_axis(p);
    add_measured(&chart, g, p->lo, p->hi);
    mrn_cli_chart_add(&chart, "± 2 sd", MRN_SERIES_AREA, 0, 2 * ACROSS + 2, c->band_x, c->band_y,
                      NULL);
    add_runs(&chart, t, i, k, false);
    add_runs(&chart, t, i, k, true);
    mrn_cli_chart_add(&chart, "surrogate", MRN_SERIES_LINE, 0, ACROSS + 1, c->x, c->mean, NULL);
    mrn_cli_chart_add(&chart, "optimum", MRN_SERIES_BOTH, 6, 1, &t->r->fit.x[k], &t->r->fit.y[i],
                      NULL);
    mrn_cli_chart_end(&chart, o, name, MRN_PAGE_HALF,
                      t->r->n > 1 ? "Through the optimum. Nearby: runs whose other parameters "
                                    "are within 15 % of their ranges from it."
                                  : "");
}

static void plot_curves(mrn_cli_out *o, const mrn_tuning *t)
{
    curve *c = mrn_alloc(sizeof *c);
    int made = 0;
    for (int i = 0; c != NULL && i < t->r->m; i++)
        for (int k = 0; k < t->r->n && made < MOST_CURVES; k++, made++)
            plot_curve(o, t, i, k, c);
    mrn_free(c);
}

/* ---- the search ---- */

/* The best so far, as steps: x and y of 2 n. */
static void best_steps(const double *f, int n, double *x, double *y)
{
    double best = NAN; /* fmin of it and a number: the number */
    for (int i = 0; i < n; i++) {
        x[2 * i] = x[2 * i + 1] = i + 1;
        y[2 * i] = best;
        y[2 * i + 1] = best = fmin(best, f[i]);
    }
}

static void plot_search(mrn_cli_out *o, const mrn_tuning *t)
{
    const mrn_calibrated *r = t->r;
    int n = (int)r->n_points, first = (int)r->n_design;
    double *x = mrn_alloc((size_t)(6 * n + 1) * sizeof *x);
    double *f = x != NULL ? x + n : NULL, *step = x != NULL ? f + n : NULL;
    mrn_cli_chart chart;
    if (x == NULL)
        return;
    for (int i = 0; i < n; i++) {
        x[i] = i + 1;
        f[i] = mrn_tuning_objective(t, r->y + (int64_t)i * r->m);
    }
    best_steps(f, n, step, step + 2 * n);
    mrn_cli_chart_begin(&chart, "The search", "point", "F");
    chart.plot.y_log = true;
    chart.plot.x_lo = 0;
    mrn_cli_chart_add(&chart, "best so far", MRN_SERIES_LINE, 0, 2 * n, step, step + 2 * n, NULL);
    mrn_cli_chart_add(&chart, "first design", MRN_SERIES_POINTS, -1, first, x, f, NULL);
    mrn_cli_chart_add(&chart, "search", MRN_SERIES_POINTS, 1, n - first, x + first, f + first,
                      NULL);
    mrn_cli_chart_end(&chart, o, "search", MRN_PAGE_HALF,
                      "F of the means of each point's runs, with the errors of the fit.");
    mrn_free(x);
}

void mrn_tuning_plot(mrn_cli_out *o, const mrn_tuning *t)
{
    if ((o->page == NULL && o->folder == NULL) || t->r->surrogate == NULL)
        return;
    plot_maps(o, t);
    plot_curves(o, t);
    plot_search(o, t);
}
