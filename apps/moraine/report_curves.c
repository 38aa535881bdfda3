/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of a run: curves of its probes. Which ones stands in one table; a curve that never moves
   is left out, so the same table serves every method: stress and strain of tests, flow of silos,
   increments of quasi-static paths. */
#include <math.h>
#include <string.h>

#include "moraine/plot.h"
#include "report_parts.h"

#define LINES 6

typedef struct choice {
    const char *title;
    const char *against; /* NULL: time */
    const char *probe[LINES];
    bool log;
} choice;

static const choice usual[] = {
    {"Energies",
     NULL,
     {"kinetic-energy", "rotational-energy", "elastic-energy", "dissipated-energy", "input-energy"},
     false},
    {"Kinetic energy", NULL, {"kinetic-energy"}, true},
    {"Residual of the ledger", NULL, {"energy-residual"}, false},
    {"Contacts per grain",
     NULL,
     {"coordination", "mechanical-coordination", "backbone-coordination"},
     false},
    {"Unbalanced force", NULL, {"unbalanced-force-ratio"}, true},
    {"Stress over strain", "strain.zz", {"deviator", "pressure"}, false},
    {"Stress over strain", "strain.yy", {"deviator", "pressure"}, false},
    {"Volume over strain", "strain.zz", {"volumetric-strain"}, false},
    {"Volume over strain", "strain.yy", {"volumetric-strain"}, false},
    {"Shear stress over shear strain", "strain.xy", {"stress.xy"}, false},
    {"Stress", NULL, {"pressure", "deviator"}, false},
    {"Stress ratio", NULL, {"stress-ratio"}, false},
    {"Solid fraction", NULL, {"solid-fraction"}, false},
    {"Height", NULL, {"height"}, false},
    {"Speeds", NULL, {"mean-speed", "max-speed"}, false},
    {"Bodies", NULL, {"bodies"}, false},
};

/* Has it two finite values that differ, for more than noise? */
static bool moves(const mrn_probe_table *t, const mrn_probe_column *c)
{
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t i = 0; c != NULL && i < t->n; i++) {
        if (!isfinite(c->value[i]))
            continue;
        lo = fmin(lo, c->value[i]);
        hi = fmax(hi, c->value[i]);
    }
    return hi - lo > 1e-9 * fmax(fabs(lo), fabs(hi)) && hi > lo;
}

static void label(const mrn_probe_column *c, const char *name, char out[256])
{
    snprintf(out, 256, strcmp(c->unit, "1") == 0 ? "%s" : "%s [%s]", name, c->unit);
}

/* One plot of the rows behind `from`; nothing where fewer than one of its probes is there and
 * moves. */
static int put_plot(const mrn_probe_table *t, const choice *c, int64_t from, mrn_page *p)
{
    mrn_series series[LINES];
    char x_label[256], y_label[256];
    const mrn_probe_column *x = mrn_probe_table_find(t, c->against != NULL ? c->against : "time"),
                           *first = NULL;
    int n = 0;
    if (!moves(t, x))
        return 0;
    for (int i = 0; i < LINES && c->probe[i] != NULL; i++) {
        const mrn_probe_column *y = mrn_probe_table_find(t, c->probe[i]);
        if (!moves(t, y) || (first != NULL && strcmp(first->unit, y->unit) != 0))
            continue;
        first = first != NULL ? first : y;
        series[n] = (mrn_series){
            .label = c->probe[i],
            .colour = n,
            .n = (int)(t->n - from),
            .x = x->value + from,
            .y = y->value + from,
        };
        n++;
    }
    if (n == 0)
        return 0;
    label(x, x->name, x_label);
    label(first, n == 1 ? first->name : c->title, y_label);
    if (n == 1)
        series[0].label = NULL;
    mrn_plot plot = mrn_plot_default();
    plot.title = c->title;
    plot.x_label = x_label;
    plot.y_label = y_label;
    plot.y_log = c->log;
    plot.n = n;
    plot.series = series;
    mrn_page_plot(p, MRN_PAGE_HALF, &plot, NULL);
    return 1;
}

/* First row of the last stage. */
static int64_t last_stage(const mrn_probe_table *t)
{
    const mrn_probe_column *in = mrn_probe_table_find(t, "stage");
    int64_t i = t->n;
    while (in != NULL && i > 0 && in->value[i - 1] == in->value[t->n - 1])
        i--;
    return in != NULL && t->n - i > 2 ? i : 0;
}

/* What a wall bears over where it is: the loop of a cyclic load, the curve of a stamp. The way
   there, in the stages before, is much longer. */
static int put_loops(const mrn_probe_table *t, mrn_page *p)
{
    int made = 0;
    int64_t from = last_stage(t);
    for (int i = 0; i < t->n_columns; i++) {
        char against[160], title[200];
        const char *name = t->column[i].name, *force = strstr(name, ".force.");
        if (strncmp(name, "walls.", 6) != 0 || force == NULL)
            continue;
        snprintf(against, sizeof against, "%.*s.position.%s", (int)(force - name), name, force + 7);
        snprintf(title, sizeof title, from > 0 ? "%s in the last stage" : "%s", name);
        choice c = {.title = title, .against = against, .probe = {name}};
        if (mrn_probe_table_find(t, against) != NULL)
            made += put_plot(t, &c, from, p);
    }
    return made;
}

/* "deviator/strain.zz" */
static mrn_status put_asked(const mrn_probe_table *t, const char *asked, mrn_page *p,
                            mrn_message *msg)
{
    char name[160], against[160] = "time";
    const char *slash = strchr(asked, '/');
    snprintf(name, sizeof name, "%.*s", (int)(slash != NULL ? slash - asked : (long)strlen(asked)),
             asked);
    if (slash != NULL)
        snprintf(against, sizeof against, "%s", slash + 1);
    const char *const both[2] = {name, against};
    for (int k = 0; k < 2; k++)
        if (mrn_probe_table_find(t, both[k]) == NULL) {
            mrn_fail(msg, MRN_ERR_INPUT, "--plot %s: probes.csv has no column %s", asked, both[k]);
            return mrn_fail_hint(msg, "`moraine plot DIR` lists them");
        }
    choice c = {.title = asked, .against = slash != NULL ? against : NULL, .probe = {name}};
    if (put_plot(t, &c, 0, p) == 0)
        mrn_page_text(p, "A plot that was asked for shows nothing: its probe never changes.");
    return MRN_OK;
}

mrn_status mrn_report_curves(const mrn_probe_table *t, const char *const *asked, int n_asked,
                             mrn_page *p, mrn_message *msg)
{
    mrn_status st = MRN_OK;
    mrn_page_section(p, "Plots");
    for (int i = 0; st == MRN_OK && i < n_asked; i++)
        st = put_asked(t, asked[i], p, msg);
    int made = st == MRN_OK ? put_loops(t, p) : 0;
    for (size_t i = 0; st == MRN_OK && i < sizeof usual / sizeof usual[0]; i++)
        made += put_plot(t, &usual[i], 0, p);
    /* what was asked for in the scene: walls, groups, outlets */
    for (int i = 0; st == MRN_OK && i < t->n_columns; i++) {
        const char *name = t->column[i].name;
        if (strncmp(name, "walls.", 6) == 0 || strncmp(name, "groups.", 7) == 0 ||
            strncmp(name, "outlets.", 8) == 0 || strncmp(name, "inlets.", 7) == 0) {
            choice c = {.title = name, .probe = {name}};
            made += put_plot(t, &c, 0, p);
        }
    }
    if (made == 0 && n_asked == 0)
        mrn_page_text(p, "Nothing changed in time.");
    return st;
}
