/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine plot: probes of runs as curves, over time or against each other, with rates and fits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app.h"
#include "moraine/plot.h"
#include "plotting.h"

static const mrn_app_page page = {
    .usage = "plot DIR… PROBE… [options]",
    .doc =
        "Draws columns of probes.csv. Operands that are folders are runs, the others probes; "
        "every\n"
        "probe of every run is a curve. PROBE.rate is the slope of a probe in time (a straight\n"
        "line through the rows of a window), outlets.NAME.rate the mass that leaves per second.\n"
        "Without a probe the columns of the run are listed.",
    .examples = "moraine plot out/beads kinetic-energy --log y\n"
                "moraine plot out/a out/b out/c coordination --out coordination.svg\n"
                "moraine plot out/triaxial deviator --against strain.zz\n"
                "moraine plot out/silo outlets.sink.rate --window 0.2 --from 0.5\n"
                "moraine plot out/gas kinetic-energy --fit power --log xy --from 0.1",
};

typedef struct options {
    mrn_curve_request r;
    const char *out, *log, *title, *csv;
    const char *operand[MRN_PLOT_CURVES];
    int n_operands;
} options;

static int parse(int argc, char **argv, options *o)
{
    static const char *const fits[] = {"line", "power", "exponential"};
    static const char *const logs[] = {"x", "y", "xy"};
    const mrn_app_option table[] = {
        {.name = "against",
         .letter = 'x',
         .kind = MRN_OPT_TEXT,
         .target = &o->r.against,
         .arg = "PROBE",
         .doc = "What stands along the other axis; else the time."},
        {.name = "fit",
         .kind = MRN_OPT_CHOICE,
         .target = &o->r.fit,
         .arg = "FORM",
         .choices = fits,
         .n_choices = 3,
         .doc = "A dashed curve through each: line a + b x, power a x^b, exponential a exp(b x). "
                "Its numbers are printed with their standard errors."},
        {.name = "stage",
         .kind = MRN_OPT_TEXT,
         .target = &o->r.stage,
         .arg = "NAME",
         .doc = "Rows of this stage alone."},
        {.name = "from",
         .kind = MRN_OPT_NUMBER,
         .target = &o->r.from,
         .arg = "T",
         .doc = "Rows from this time on, s."},
        {.name = "to",
         .kind = MRN_OPT_NUMBER,
         .target = &o->r.to,
         .arg = "T",
         .doc = "Rows up to this time, s."},
        {.name = "window",
         .kind = MRN_OPT_NUMBER,
         .target = &o->r.window,
         .arg = "T",
         .min = 1e-15,
         .max = 1e15,
         .doc = "Width of the window of a rate, s; else a thirtieth of the span."},
        {.name = "log",
         .kind = MRN_OPT_CHOICE,
         .target = &o->log,
         .arg = "AXES",
         .choices = logs,
         .n_choices = 3,
         .doc = "Axes with logarithms: x, y or xy."},
        {.name = "title",
         .kind = MRN_OPT_TEXT,
         .target = &o->title,
         .arg = "TEXT",
         .doc = "Above the plot."},
        {.name = "csv",
         .kind = MRN_OPT_TEXT,
         .target = &o->csv,
         .arg = "FILE",
         .doc = "Write the points of the curves as a table."},
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &o->out,
         .arg = "FILE",
         .doc = "The picture, .png or .svg by its ending; else plot.png in the first folder."},
    };
    int code = mrn_app_parse(&page, table, sizeof table / sizeof table[0], argc, argv, o->operand,
                             MRN_PLOT_CURVES, &o->n_operands);
    if (code < 0 && o->n_operands == 0)
        return mrn_app_usage("plot", "which run? Name its folder, then probes");
    return code;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int list_columns(const char *dir)
{
    static const char *const head[] = {"probe", "unit", ">last"};
    mrn_message msg = {0};
    mrn_probe_table t;
    mrn_app_table out;
    if (mrn_curve_open(dir, &t, &msg) != MRN_OK)
        return mrn_app_report(&msg);
    mrn_app_table_begin(&out, 3, head);
    for (int i = 0; i < t.n_columns; i++) {
        char last[40] = "";
        const mrn_probe_column *c = &t.column[i];
        if (strcmp(c->name, "stage") == 0)
            continue;
        if (t.n > 0 && isfinite(c->value[t.n - 1]))
            snprintf(last, sizeof last, "%.6g", c->value[t.n - 1]);
        const char *const row[] = {c->name, c->unit, last};
        mrn_app_table_row(&out, row);
    }
    mrn_app_table_print(&out, stdout);
    mrn_probe_table_release(&t);
    return MRN_EXIT_OK;
}

/* Names in the legend: what differs between the curves. */
static void name_curves(mrn_probe_curve *curve, int n, int n_dirs, int n_probes)
{
    for (int i = 0; i < n; i++) {
        const char *slash = strrchr(curve[i].dir, '/');
        const char *dir = slash != NULL && slash[1] != '\0' ? slash + 1 : curve[i].dir;
        if (n_dirs == 1)
            snprintf(curve[i].label, sizeof curve[i].label, "%s",
                     n_probes > 1 ? curve[i].probe : "");
        else
            snprintf(curve[i].label, sizeof curve[i].label, n_probes > 1 ? "%s: %s" : "%s", dir,
                     curve[i].probe);
    }
}

static mrn_status write_csv(const char *path, const mrn_probe_curve *curve, int n, mrn_message *msg)
{
    mrn_atomic_file file;
    mrn_status st = mrn_atomic_open(path, &file, msg);
    if (st != MRN_OK)
        return st;
    fprintf(file.f, "run,probe,%s,value\n", n > 0 ? curve[0].x_name : "x");
    for (int i = 0; i < n; i++)
        for (int64_t k = 0; k < curve[i].n; k++)
            fprintf(file.f, "%s,%s,%.9g,%.9g\n", curve[i].dir, curve[i].probe, curve[i].x[k],
                    curve[i].y[k]);
    return mrn_atomic_commit(&file, msg);
}

static mrn_status draw(const options *o, mrn_probe_curve *curve, int n, const char *path,
                       mrn_message *msg)
{
    mrn_series series[2 * MRN_PLOT_CURVES];
    char x_label[256], y_label[256];
    int m = 0;
    for (int i = 0; i < n; i++) {
        series[m++] = (mrn_series){.label = curve[i].label,
                                   .colour = i,
                                   .n = (int)curve[i].n,
                                   .x = curve[i].x,
                                   .y = curve[i].y};
        if (curve[i].fitted != NULL)
            series[m++] = (mrn_series){.label = curve[i].fit_text,
                                       .style = MRN_SERIES_DASHED,
                                       .colour = n == 1 ? 1 : i,
                                       .n = (int)curve[i].n,
                                       .x = curve[i].x,
                                       .y = curve[i].fitted};
    }
    bool one = true;
    for (int i = 1; i < n; i++)
        one = one && strcmp(curve[i].probe, curve[0].probe) == 0;
    snprintf(x_label, sizeof x_label, strcmp(curve[0].x_unit, "1") == 0 ? "%s" : "%s [%s]",
             curve[0].x_name, curve[0].x_unit);
    if (strcmp(curve[0].unit, "1") == 0)
        snprintf(y_label, sizeof y_label, "%s", one ? curve[0].probe : "");
    else
        snprintf(y_label, sizeof y_label, one ? "%s [%s]" : "%s[%s]", one ? curve[0].probe : "",
                 curve[0].unit);
    mrn_plot plot = mrn_plot_default();
    plot.title = o->title != NULL ? o->title : "";
    plot.x_label = x_label;
    plot.y_label = y_label;
    plot.x_log = o->log != NULL && strchr(o->log, 'x') != NULL;
    plot.y_log = o->log != NULL && strchr(o->log, 'y') != NULL;
    plot.n = m;
    plot.series = series;
    return mrn_plot_write(&plot, path, msg);
}

static mrn_status same_units(const mrn_probe_curve *c, int n, mrn_message *msg)
{
    for (int i = 1; i < n; i++)
        if (strcmp(c[i].unit, c[0].unit) != 0) {
            mrn_fail(msg, MRN_ERR_INPUT, "%s is in %s, %s in %s: one axis cannot show both",
                     c[0].probe, c[0].unit, c[i].probe, c[i].unit);
            return mrn_fail_hint(msg, "plot them apart, or one with --against the other");
        }
    return MRN_OK;
}

static int work(const options *o, const char *const *dir, int n_dirs, const char *const *probe,
                int n_probes)
{
    mrn_message msg = {0};
    mrn_probe_curve *curve = mrn_alloc(MRN_PLOT_CURVES * sizeof *curve);
    char path[1200];
    int n = 0;
    mrn_status st = curve != NULL ? MRN_OK : mrn_fail(&msg, MRN_ERR_MEMORY, "out of memory");
    for (int d = 0; st == MRN_OK && d < n_dirs; d++)
        for (int p = 0; st == MRN_OK && p < n_probes && n < MRN_PLOT_CURVES; p++)
            if ((st = mrn_curve_make(dir[d], probe[p], &o->r, &curve[n], &msg)) == MRN_OK)
                n++;
    if (st == MRN_OK)
        st = same_units(curve, n, &msg);
    if (st == MRN_OK)
        name_curves(curve, n, n_dirs, n_probes);
    snprintf(path, sizeof path, "%.1100s/plot.png", dir[0]);
    const char *out = o->out != NULL ? o->out : path;
    if (st == MRN_OK)
        st = draw(o, curve, n, out, &msg);
    if (st == MRN_OK && o->csv != NULL)
        st = write_csv(o->csv, curve, n, &msg);
    for (int i = 0; st == MRN_OK && i < n; i++)
        if (curve[i].fitted != NULL)
            printf("%s %s: %s\n", curve[i].dir, curve[i].probe, curve[i].fit_text);
    if (st == MRN_OK)
        printf("%s: %d curve%s\n", out, n, n == 1 ? "" : "s");
    for (int i = 0; curve != NULL && i < n; i++)
        mrn_curve_release(&curve[i]);
    mrn_free(curve);
    return st == MRN_OK ? MRN_EXIT_OK : mrn_app_report(&msg);
}

int mrn_cmd_plot(int argc, char **argv)
{
    options o = {.r = {.from = -INFINITY, .to = INFINITY}};
    const char *dir[MRN_PLOT_CURVES], *probe[MRN_PLOT_CURVES];
    int code = parse(argc, argv, &o), n_dirs = 0, n_probes = 0;
    if (code >= 0)
        return code;
    for (int i = 0; i < o.n_operands; i++) {
        if (is_folder(o.operand[i]))
            dir[n_dirs++] = o.operand[i];
        else
            probe[n_probes++] = o.operand[i];
    }
    if (n_dirs == 0)
        return mrn_app_usage("plot", "%s is no folder: which run?", o.operand[0]);
    if (n_probes == 0)
        return list_columns(dir[0]);
    return work(&o, dir, n_dirs, probe, n_probes);
}
