/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots of an estimate: residuals, confidence regions, what the bootstrap found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab_parts.h"

/* ---- residuals ---- */

static void plot_residuals(mrn_cli_out *o, const mrn_cli_estimate *x)
{
    const mrn_fit *f = x->fit;
    double *px = mrn_alloc((size_t)f->m * sizeof *px), *py = mrn_alloc((size_t)f->m * sizeof *py);
    const double ends[2] = {0.5, f->m + 0.5}, zero[2] = {0, 0};
    const double above[2] = {1.96, 1.96}, below[2] = {-1.96, -1.96};
    mrn_cli_chart chart;
    mrn_cli_chart_begin(&chart, "Residuals", "datum", "residual, standard deviations");
    mrn_cli_chart_add(&chart, "", MRN_SERIES_LINE, -1, 2, ends, zero, NULL);
    mrn_cli_chart_add(&chart, "95 % of them, if all is as assumed", MRN_SERIES_DASHED, -1, 2, ends,
                      above, NULL);
    mrn_cli_chart_add(&chart, "", MRN_SERIES_DASHED, -1, 2, ends, below, NULL);
    for (int r = 0; px != NULL && py != NULL && r < f->n_responses; r++) {
        int n = 0;
        for (int i = 0; i < f->m; i++) {
            double s = f->residual[i] / mrn_cli_datum_sd(x, i);
            if (x->datum[i].response != r || !isfinite(s))
                continue;
            px[n] = i + 1;
            py[n++] = s;
        }
        mrn_cli_chart_add(&chart, x->response[r], MRN_SERIES_POINTS, r, n, px, py, NULL);
    }
    mrn_cli_chart_end(&chart, o, "residuals", MRN_PAGE_HALF,
                      "Measured less model, in the order of the data.");
    mrn_free(px);
    mrn_free(py);
}

/* ---- regions ---- */

/* Column k of the bootstrap's replicas. */
static double *replicas(const mrn_fit *f, int k)
{
    double *v = mrn_alloc((size_t)(f->n_bootstrap + 1) * sizeof *v);
    for (int i = 0; v != NULL && i < f->n_bootstrap; i++)
        v[i] = f->bootstrap[i * f->n + k];
    return v;
}

/* Over decades only where a region covers some. */
static bool wide(const double *v, int n)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < n; i++) {
        lo = fmin(lo, v[i]);
        hi = fmax(hi, v[i]);
    }
    return lo > 0 && hi / lo > 50;
}

static void plot_region(mrn_cli_out *o, const mrn_cli_estimate *x, const mrn_fit_region *r)
{
    const mrn_fit *f = x->fit;
    const mrn_parameter *a = &x->parameter[r->a], *b = &x->parameter[r->b];
    char title[200], name[200];
    mrn_cli_chart chart;
    snprintf(title, sizeof title, "%s and %s", a->name, b->name);
    snprintf(name, sizeof name, "region-%s-%s", a->name, b->name);
    mrn_cli_chart_begin(&chart, title, mrn_cli_heading(a->name, a->unit).s,
                        mrn_cli_heading(b->name, b->unit).s);
    chart.plot.x_log = a->log && wide(r->x, r->n);
    chart.plot.y_log = b->log && wide(r->y, r->n);
    double *px = replicas(f, r->a), *py = replicas(f, r->b);
    if (px != NULL && py != NULL && f->n_bootstrap > 0)
        mrn_cli_chart_add(&chart, "bootstrap", MRN_SERIES_POINTS, -1, f->n_bootstrap, px, py, NULL);
    mrn_cli_chart_add(&chart, "likelihood", MRN_SERIES_LINE, 0, r->n, r->x, r->y, NULL);
    if (r->linear_x != NULL && r->linear_y != NULL)
        mrn_cli_chart_add(&chart, "linearised", MRN_SERIES_DASHED, 1, r->n, r->linear_x,
                          r->linear_y, NULL);
    mrn_cli_chart_add(&chart, "optimum", MRN_SERIES_BOTH, 6, 1, &f->x[r->a], &f->x[r->b], NULL);
    char caption[200];
    snprintf(caption, sizeof caption,
             "Confidence region at %g %%: pairs of values that the data allow.",
             100 * x->confidence);
    mrn_cli_chart_end(&chart, o, name, MRN_PAGE_HALF, caption);
    mrn_free(px);
    mrn_free(py);
}

/* ---- bootstrap ---- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Share of a normal distribution below each of `n` values around the optimum. */
static void add_normal(mrn_cli_chart *chart, const mrn_estimate *e, bool log)
{
    enum { POINTS = 101 };
    double px[POINTS], py[POINTS];
    double centre = log ? log10(e->value) : e->value;
    if (!(e->sd > 0) || !isfinite(e->sd) || !isfinite(centre))
        return;
    for (int i = 0; i < POINTS; i++) {
        double z = -3.2 + 6.4 * i / (POINTS - 1), v = centre + z * e->sd;
        px[i] = log ? pow(10, v) : v;
        py[i] = 0.5 * erfc(-z / sqrt(2));
    }
    mrn_cli_chart_add(chart, "linearised", MRN_SERIES_DASHED, 1, POINTS, px, py, NULL);
}

static void plot_bootstrap(mrn_cli_out *o, const mrn_cli_estimate *x, int k)
{
    const mrn_fit *f = x->fit;
    const mrn_parameter *p = &x->parameter[k];
    char title[120], name[120];
    double *v = replicas(f, k);
    double *share = mrn_alloc((size_t)(f->n_bootstrap + 1) * sizeof *share);
    mrn_cli_chart chart;
    if (v != NULL && share != NULL) {
        qsort(v, (size_t)f->n_bootstrap, sizeof *v, by_size);
        for (int i = 0; i < f->n_bootstrap; i++)
            share[i] = (i + 0.5) / f->n_bootstrap;
        snprintf(title, sizeof title, "%s in the bootstrap", p->name);
        snprintf(name, sizeof name, "bootstrap-%s", p->name);
        mrn_cli_chart_begin(&chart, title, mrn_cli_heading(p->name, p->unit).s,
                            "share of replicas below");
        chart.plot.y_lo = 0, chart.plot.y_hi = 1;
        chart.plot.x_log = p->log && wide(v, f->n_bootstrap);
        mrn_cli_chart_add(&chart, "bootstrap", MRN_SERIES_LINE, 0, f->n_bootstrap, v, share, NULL);
        add_normal(&chart, &f->at[k], p->log);
        mrn_cli_chart_end(&chart, o, name, MRN_PAGE_HALF, "");
    }
    mrn_free(v);
    mrn_free(share);
}

void mrn_cli_plot_fit(mrn_cli_out *o, const mrn_cli_estimate *x)
{
    const mrn_fit *f = x->fit;
    if (o->page == NULL && o->folder == NULL && o->plot == NULL)
        return;
    if (!x->shown)
        plot_residuals(o, x);
    for (int i = 0; i < f->n_regions; i++)
        if (f->region[i].n > 0)
            plot_region(o, x, &f->region[i]);
    for (int k = 0; k < f->n && f->n_bootstrap > 0; k++)
        plot_bootstrap(o, x, k);
}
