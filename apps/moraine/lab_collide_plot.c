/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots of collisions: responses along a sweep, forces over time and overlap. */
#include <math.h>
#include <string.h>

#include "lab_collide.h"

#define MOST_CURVES 14 /* more are not distinguished */
#define MOST_ROWS   20000

/* ---- along a sweep ---- */

static void line_label(const mrn_impacts *x, int law, int row, int axis, char *buf, size_t size)
{
    const mrn_conditions *at = &x->lab->e.at;
    int n = 0;
    buf[0] = '\0';
    if (x->lab->n_laws > 1)
        n = snprintf(buf, size, "%s", x->lab->e.candidate[x->lab->law[law]].name);
    for (int k = 0; k < at->n_conditions && (size_t)n < size; k++) {
        if (k == axis)
            continue;
        mrn_readable v =
            mrn_cli_value(at->value[row * at->n_conditions + k], at->unit[k], at->factor[k].unit);
        n += snprintf(buf + n, size - (size_t)n, "%s%s %s", n > 0 ? ", " : "", at->factor[k].name,
                      v.s);
    }
}

static void add_lines(const mrn_impacts *x, mrn_cli_chart *chart, const mrn_rebound_field *f,
                      int axis, int groups, const int *group, double *px, double *py)
{
    const mrn_conditions *at = &x->lab->e.at;
    double unit = mrn_cli_unit(at->unit[axis], at->factor[axis].unit);
    for (int k = 0; k < x->lab->n_laws * groups && k < MOST_CURVES; k++) {
        int n = 0, law = k / groups, row = 0;
        for (int i = 0; i < at->n; i++) {
            if (group[i] != k % groups)
                continue;
            row = i;
            px[n] = at->value[i * at->n_conditions + axis] / unit;
            py[n++] = mrn_cli_response(&x->lab->e, f, &x->rebound[law * at->n + i]);
        }
        char label[200];
        line_label(x, law, row, axis, label, sizeof label);
        mrn_cli_chart_add(chart, label, n <= 40 ? MRN_SERIES_BOTH : MRN_SERIES_LINE, k, n, px, py,
                          NULL);
    }
}

/* A sweep in equal ratios over decades is drawn over decades; one in equal steps is not, however
   far it goes: half of its values then lie above the mean of its ends, not above their geometric
   one. */
static bool over_decades(const mrn_conditions *at, int axis)
{
    double lo = INFINITY, hi = -INFINITY;
    int above = 0;
    for (int i = 0; i < at->n; i++) {
        lo = fmin(lo, at->value[i * at->n_conditions + axis]);
        hi = fmax(hi, at->value[i * at->n_conditions + axis]);
    }
    if (!(lo > 0 && hi / lo > 50))
        return false;
    double between = sqrt(0.5 * (lo + hi) * sqrt(lo * hi)); /* of the two means */
    for (int i = 0; i < at->n; i++)
        above += at->value[i * at->n_conditions + axis] > between;
    return 2 * above <= at->n;
}

static void plot_sweep(mrn_cli_out *o, const mrn_impacts *x)
{
    static const char *const wanted[] = {"en", "et", "omega"};
    const mrn_conditions *at = &x->lab->e.at;
    if (at->n > MOST_ROWS) {
        mrn_cli_words(o, "%d collisions are too many to draw; the tables hold them.", at->n);
        return;
    }
    int axis = mrn_cli_axis(at);
    if (axis < 0)
        return;
    int *group = mrn_alloc((size_t)at->n * sizeof *group);
    double *px = mrn_alloc((size_t)at->n * sizeof *px), *py = mrn_alloc((size_t)at->n * sizeof *py);
    bool room = group != NULL && px != NULL && py != NULL;
    int groups = room ? mrn_cli_groups(at, axis, group) : 0;
    for (int i = 0; room && i < 3; i++) {
        const mrn_rebound_field *f = mrn_rebound_field_find(wanted[i]);
        mrn_cli_chart chart;
        char title[120];
        snprintf(title, sizeof title, "%s against %s", f->name, at->factor[axis].name);
        mrn_cli_chart_begin(&chart, title, mrn_cli_heading(at->factor[axis].name, at->unit[axis]).s,
                            mrn_cli_heading(f->name, mrn_cli_response_unit(&x->lab->e, f)).s);
        chart.plot.x_log = over_decades(at, axis);
        add_lines(x, &chart, f, axis, groups, group, px, py);
        mrn_cli_chart_end(&chart, o, f->name, MRN_PAGE_HALF, "");
    }
    if (room && x->lab->n_laws * groups > MOST_CURVES)
        mrn_cli_words(o, "Plots show the first %d of %d curves.", MOST_CURVES,
                      x->lab->n_laws * groups);
    mrn_free(group);
    mrn_free(px);
    mrn_free(py);
}

/* ---- histories ---- */

typedef enum quantity { TIME, OVERLAP, NORMAL, TANGENTIAL } quantity;

static double value_of(const mrn_collision_row *r, quantity q)
{
    switch (q) {
    case TIME:
        return r->time;
    case OVERLAP:
        return r->overlap;
    case NORMAL:
        return r->fn;
    default:
        return r->ft[0];
    }
}

/* A prefix such that the largest reads between 1 and 1000: "µs" and 1e-6. */
static double prefix_for(double largest, const char *unit, char *buf, size_t size)
{
    static const char *const prefix[] = {"n", "µ", "m", "", "k", "M", "G"};
    int k = largest > 0 ? (int)floor(log10(largest) / 3) : 0;
    k = k < -3 ? -3 : k > 3 ? 3 : k;
    snprintf(buf, size, "%s%s", prefix[k + 3], unit);
    return pow(1000, k);
}

static double largest_of(const mrn_impacts *x, int n, quantity q)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < x->history[i].n; k++)
            most = fmax(most, fabs(value_of(&x->history[i].row[k], q)));
    return most;
}

static void plot_pair(mrn_cli_out *o, const mrn_impacts *x, const char *name, const char *title,
                      quantity qx, quantity qy)
{
    static const char *const noun[] = {"time", "overlap", "normal force", "tangential force"};
    static const char *const unit[] = {"s", "m", "N", "N"};
    int rows = x->lab->e.at.n, n = x->lab->n_laws * rows;
    char ux[16], uy[16], lx[64], ly[64];
    double sx = prefix_for(largest_of(x, n, qx), unit[qx], ux, sizeof ux);
    double sy = prefix_for(largest_of(x, n, qy), unit[qy], uy, sizeof uy);
    mrn_cli_chart chart;
    snprintf(lx, sizeof lx, "%s, %s", noun[qx], ux);
    snprintf(ly, sizeof ly, "%s, %s", noun[qy], uy);
    mrn_cli_chart_begin(&chart, title, lx, ly);
    for (int i = 0; i < n && i < MOST_CURVES; i++) {
        const mrn_history_of *h = &x->history[i];
        double *px = mrn_alloc((size_t)(h->n + 1) * sizeof *px);
        double *py = mrn_alloc((size_t)(h->n + 1) * sizeof *py);
        char label[200];
        for (int k = 0; px != NULL && py != NULL && k < h->n; k++) {
            px[k] = value_of(&h->row[k], qx) / sx;
            py[k] = value_of(&h->row[k], qy) / sy;
        }
        line_label(x, i / rows, i % rows, -1, label, sizeof label);
        mrn_cli_chart_add(&chart, label, MRN_SERIES_LINE, i, h->n, px, py, NULL);
        mrn_free(px);
        mrn_free(py);
    }
    mrn_cli_chart_end(&chart, o, name, MRN_PAGE_HALF, "");
}

void mrn_collide_plots(mrn_cli_out *o, const mrn_impacts *x)
{
    if (o->page == NULL && o->folder == NULL && o->plot == NULL)
        return;
    plot_sweep(o, x);
    if (o->plot != NULL && mrn_cli_axis(&x->lab->e.at) < 0 && x->history == NULL)
        mrn_cli_words(o, "Nothing to draw: one collision is a point. --sweep varies something, "
                         "--history shows its course.");
    if (x->history == NULL)
        return;
    plot_pair(o, x, "force-overlap", "Normal force against overlap", OVERLAP, NORMAL);
    plot_pair(o, x, "force-time", "Normal force over time", TIME, NORMAL);
    if (largest_of(x, x->lab->n_laws * x->lab->e.at.n, TANGENTIAL) > 0)
        plot_pair(o, x, "tangential-time", "Tangential force over time", TIME, TANGENTIAL);
}
