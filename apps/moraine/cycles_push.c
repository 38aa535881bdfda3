/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sleeper pushed sideways: the force that its contacts hold it with over the way it has gone. The
   lateral resistance is the largest of them; railways also ask for that at 2 mm. */
#include <math.h>
#include <string.h>

#include "cycles.h"
#include "plotting.h"
#include "session.h"

typedef struct push {
    char way_name[160], force_name[160];
    int64_t n;
    double *way, *force; /* m since the stage began, N */
    double most, at;     /* N, and the way there       */
} push;

static const double stations[] = {0.5e-3, 1e-3, 2e-3, 5e-3, 10e-3, 20e-3};
enum { STATIONS = sizeof stations / sizeof *stations };

/* The sideways axis: along the sleeper, y in 3D and x in 2D, where y is up. */
static mrn_status find_columns(const mrn_probe_table *t, const char *dir, const char *body,
                               const mrn_probe_column *out[2], push *p, mrn_message *msg)
{
    snprintf(p->way_name, sizeof p->way_name, "groups.%.80s.mean-z", body);
    char axis = mrn_probe_table_find(t, p->way_name) != NULL ? 'y' : 'x';
    snprintf(p->way_name, sizeof p->way_name, "groups.%.80s.mean-%c", body, axis);
    snprintf(p->force_name, sizeof p->force_name, "groups.%.80s.force.%c", body, axis);
    out[0] = mrn_probe_table_find(t, p->way_name);
    out[1] = mrn_probe_table_find(t, p->force_name);
    if (out[0] != NULL && out[1] != NULL)
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "probes.csv of %s has no way and force of '%s' sideways", dir,
             body);
    return mrn_fail_hint(msg, "output.probes of the scene: groups.%s.mean-%c, groups.%s.force.%c",
                         body, axis, body, axis);
}

static mrn_status take_rows(const mrn_probe_table *t, const char *stage,
                            const mrn_probe_column *const column[2], push *p, mrn_message *msg)
{
    const mrn_probe_column *in = mrn_probe_table_find(t, "stage");
    int which = -1;
    for (int k = 0; k < t->n_stages; k++)
        which = strcmp(t->stage[k], stage) == 0 ? k : which;
    if (in == NULL || which < 0)
        return mrn_fail(msg, MRN_ERR_INPUT, "the run has no stage '%s'", stage);
    p->way = mrn_alloc((size_t)t->n * sizeof *p->way);
    p->force = mrn_alloc((size_t)t->n * sizeof *p->force);
    if (p->way == NULL || p->force == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    double start = NAN;
    for (int64_t i = 0; i < t->n; i++) {
        if ((int)in->value[i] != which)
            continue;
        if (isnan(start))
            start = column[0]->value[i > 0 ? i - 1 : i];
        p->way[p->n] = column[0]->value[i] - start;
        p->force[p->n++] = fabs(column[1]->value[i]);
    }
    if (p->n < 2)
        return mrn_fail(msg, MRN_ERR_INPUT, "stage '%s' has less than two rows", stage);
    return MRN_OK;
}

/* The largest force held up to a way: what resists there. */
static double held_until(const push *p, double way)
{
    double most = 0;
    for (int64_t i = 0; i < p->n && fabs(p->way[i]) <= way; i++)
        most = fmax(most, p->force[i]);
    return fabs(p->way[p->n - 1]) >= way ? most : NAN;
}

static void show_table(mrn_cli_out *o, const push *p)
{
    static const char *const head[] = {">way, mm", ">held, N"};
    mrn_app_table t;
    mrn_cli_section(o, "Lateral resistance");
    mrn_app_table_begin(&t, 2, head);
    for (int k = 0; k < STATIONS; k++) {
        mrn_readable way = mrn_cli_number(1e3 * stations[k], 3);
        mrn_readable force = mrn_cli_number(held_until(p, stations[k]), 4);
        const char *row[] = {way.s, force.s};
        mrn_app_table_row(&t, row);
    }
    mrn_cli_table(o, NULL, &t);
    mrn_cli_words(o,
                  "Held: the largest force of the contacts on the body up to that way. The largest "
                  "of all is %.4g N, after %.3g mm.",
                  p->most, 1e3 * p->at);
}

static void plot(mrn_cli_out *o, const push *p)
{
    mrn_cli_chart c;
    double *x = mrn_alloc((size_t)p->n * sizeof *x);
    for (int64_t i = 0; i < p->n && x != NULL; i++)
        x[i] = 1e3 * p->way[i];
    mrn_cli_chart_begin(&c, "Pushed sideways", "way, mm", "force of the contacts, N");
    if (x != NULL)
        mrn_cli_chart_add(&c, "run", MRN_SERIES_LINE, 0, (int)p->n, x, p->force, NULL);
    mrn_free(x);
    mrn_cli_chart_end(&c, o, "push", MRN_PAGE_FULL, "Force over way");
}

static json_t *to_json(const char *dir, const push *p)
{
    json_t *list = json_array();
    for (int k = 0; k < STATIONS; k++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "way", mrn_cli_real(stations[k]),
                                              "force", mrn_cli_real(held_until(p, stations[k]))));
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "moraine", MRN_VERSION, "run", dir, "force",
                     p->force_name, "resistance", mrn_cli_real(p->most), "at", mrn_cli_real(p->at),
                     "held", list);
}

static int show(const char *dir, const char *out, const push *p, bool json, bool quiet)
{
    mrn_cli_out o = {.folder = out, .f = json || quiet ? NULL : stdout};
    json_t *root = to_json(dir, p);
    o.status = mrn_cli_folder_make(out, &o.msg);
    if (o.status == MRN_OK)
        o.status = mrn_page_create(dir, "Pushed sideways · Moraine " MRN_VERSION, &o.page, &o.msg);
    if (o.status == MRN_OK)
        o.status = mrn_cli_write_json(out, "push.json", root, &o.msg);
    mrn_cli_title(&o, dir);
    mrn_cli_line(&o, "force", "%s over %s", p->force_name, p->way_name);
    show_table(&o, p);
    plot(&o, p);
    int code = json ? mrn_app_json(json_incref(root)) : MRN_EXIT_OK;
    json_decref(root);
    return mrn_cli_close_page(&o, code);
}

int mrn_push_show(const char *dir, const char *out, const char *stage, const char *body, bool json,
                  bool quiet)
{
    push p = {.most = 0};
    mrn_probe_table t;
    mrn_message msg = {0};
    const mrn_probe_column *column[2];
    mrn_status st = mrn_curve_open(dir, &t, &msg);
    if (st != MRN_OK)
        return mrn_session_fail(&msg, json);
    st = find_columns(&t, dir, body != NULL ? body : "sleeper", column, &p, &msg);
    if (st == MRN_OK)
        st = take_rows(&t, stage != NULL ? stage : "push", column, &p, &msg);
    for (int64_t i = 0; i < p.n && st == MRN_OK; i++)
        if (p.force[i] > p.most)
            p.most = p.force[i], p.at = p.way[i];
    mrn_probe_table_release(&t);
    int code = st == MRN_OK ? show(dir, out, &p, json, quiet) : mrn_session_fail(&msg, json);
    mrn_free(p.way);
    mrn_free(p.force);
    return code;
}
