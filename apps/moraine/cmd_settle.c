/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine settle: a run under cyclic load, cycle by cycle, with the laws of settlement. */
#include <math.h>
#include <string.h>

#include "ballast.h"
#include "cycles.h"
#include "session.h"

static const mrn_app_page page = {
    .usage = "settle DIR (--frequency F | --period T) [options]",
    .doc = "Cuts the run in DIR into cycles of its load and tells for each how far a sleeper or\n"
           "plate has gone down, what was lost by impacts (normal laws) and by friction\n"
           "(tangential laws), and the stiffness between least and largest load. Fits the laws\n"
           "of settlement (log, power, shenton, thom-oakley, sato), of a density those of\n"
           "compaction (inverse-log, stretched), with intervals. Writes report.html, cycles.csv,\n"
           "settle.json and a plot into DIR/settle.\n\n"
           "The columns it reads are those of output.probes: a level such as\n"
           "groups.sleeper.mean-z, for energies energy-lost-normal, energy-lost-tangential and\n"
           "dissipated-energy, for the stiffness a force named by --load.",
    .examples = "moraine settle out/sleeper --frequency 20\n"
                "moraine settle out/box --period 0.2 --probe walls.plate.position.z \\\n"
                "    --load walls.plate.force.z --stage cycles\n"
                "moraine settle out/vibrated --frequency 30 --probe solid-fraction",
};

typedef struct request {
    mrn_cycle_request q;
    const char *dir, *out;
    double frequency;
    mrn_app_list laws;
    bool json, quiet;
    mrn_cycles c;
    mrn_cycle_fits f;
} request;

static int parse(int argc, char **argv, request *r)
{
    static const char *const as[] = {"settlement", "value"};
    const mrn_app_option table[] = {
        {.name = "frequency",
         .letter = 'f',
         .kind = MRN_OPT_NUMBER,
         .target = &r->frequency,
         .arg = "HZ",
         .min = 1e-9,
         .max = 1e9,
         .doc = "Cycles per second of the load."},
        {.name = "period",
         .kind = MRN_OPT_NUMBER,
         .target = &r->q.period,
         .arg = "S",
         .min = 1e-9,
         .max = 1e9,
         .doc = "Seconds of a cycle, instead of --frequency."},
        {.name = "probe",
         .letter = 'p',
         .kind = MRN_OPT_TEXT,
         .target = &r->q.probe,
         .arg = "PROBE",
         .doc = "The column looked at; else the level of a sleeper or plate, if there is one."},
        {.name = "load",
         .kind = MRN_OPT_TEXT,
         .target = &r->q.load,
         .arg = "PROBE",
         .doc = "The column of the load, for the stiffness of each cycle."},
        {.name = "stage",
         .kind = MRN_OPT_TEXT,
         .target = &r->q.stage,
         .arg = "NAME",
         .doc = "The stage of the cycles; else the last one."},
        {.name = "skip",
         .kind = MRN_OPT_NUMBER,
         .target = &r->q.skip,
         .arg = "N",
         .max = 1e9,
         .doc = "Cycles left out at the begin of the stage, while the load grows."},
        {.name = "as",
         .kind = MRN_OPT_CHOICE,
         .target = &r->q.as,
         .arg = "WHAT",
         .choices = as,
         .n_choices = 2,
         .doc = "settlement: how far the probe went down since the begin (usual for levels); "
                "value: the probe as it is."},
        {.name = "law",
         .letter = 'l',
         .kind = MRN_OPT_LIST,
         .target = &r->laws,
         .arg = "LAW",
         .doc = "A law to fit; may be given many times. Else all that suit the probe."},
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &r->out,
         .arg = "FOLDER",
         .doc = "Where report, table and plot go; else DIR/settle."},
        {.name = "quiet",
         .letter = 'q',
         .kind = MRN_OPT_FLAG,
         .target = &r->quiet,
         .doc = "Print nothing but errors."},
        {.name = "json",
         .kind = MRN_OPT_FLAG,
         .target = &r->json,
         .doc = "Print JSON instead of text."},
    };
    int n, code = mrn_app_parse(&page, table, sizeof table / sizeof *table, argc, argv, &r->dir, 1,
                                &n);
    if (code >= 0)
        return code;
    if (n == 0)
        return mrn_app_usage("settle", "which run? Name its folder");
    if ((r->frequency > 0) == (r->q.period > 0))
        return mrn_app_usage("settle", "how long is a cycle? Give --frequency or --period");
    if (r->frequency > 0)
        r->q.period = 1 / r->frequency;
    return -1;
}

/* ---- words ---- */

static void cell(char *text, size_t size, double v)
{
    if (isfinite(v))
        snprintf(text, size, "%.5g", v);
    else
        snprintf(text, size, isinf(v) ? "rigid" : "–");
}

static void show_cycles(mrn_cli_out *o, const mrn_cycles *c)
{
    char value[96];
    snprintf(value, sizeof value, ">%s%s%s", c->settlement ? "settlement" : "value",
             strcmp(c->unit, "1") == 0 ? "" : ", ", strcmp(c->unit, "1") == 0 ? "" : c->unit);
    const char *const head[] = {">N",
                                value,
                                ">in this cycle",
                                ">lost by impacts, J",
                                ">by friction, J",
                                ">otherwise, J",
                                ">stiffness, N/m"};
    double next = 1;
    mrn_app_table t;
    mrn_cli_section(o, "Cycles");
    mrn_app_table_begin(&t, 7, head);
    for (int64_t i = 0; i < c->n; i++) {
        const mrn_cycle *x = &c->cycle[i];
        if (x->at < next && i + 1 < c->n)
            continue;
        char text[7][40];
        const char *row[7];
        double before = i > 0 ? c->cycle[i - 1].value : c->settlement ? 0 : NAN;
        double v[7] = {x->at,         x->value, x->value - before, x->normal,
                       x->tangential, x->other, x->stiffness};
        for (int k = 0; k < 7; k++) {
            cell(text[k], sizeof text[k], v[k]);
            row[k] = text[k];
        }
        mrn_app_table_row(&t, row);
        next = fmax(x->at + 1, x->at * 1.5);
    }
    mrn_cli_table(o, NULL, &t);
}

/* Sums over all cycles: what the loads were spent on. */
static void show_energy(mrn_cli_out *o, const mrn_cycles *c)
{
    double normal = 0, tangential = 0, other = 0;
    for (int64_t i = 0; i < c->n; i++) {
        normal += c->cycle[i].normal;
        tangential += c->cycle[i].tangential;
        other += c->cycle[i].other;
    }
    if (!isfinite(normal + tangential))
        return;
    mrn_cli_words(o,
                  "Lost in all %lld cycles: %.4g J by impacts and %.4g J by friction; the share of "
                  "impacts is %.3f.%s",
                  (long long)c->n, normal, tangential,
                  normal + tangential > 0 ? normal / (normal + tangential) : 0,
                  isfinite(other) ? "" : " (dissipated-energy is no column of the run.)");
}

static void plot(mrn_cli_out *o, const mrn_cycles *c, const mrn_cycle_fits *f)
{
    enum { FINE = 200 };
    mrn_cli_chart chart;
    double *x = mrn_alloc((size_t)c->n * sizeof *x), *y = mrn_alloc((size_t)c->n * sizeof *y);
    for (int64_t i = 0; i < c->n && x != NULL && y != NULL; i++) {
        x[i] = c->cycle[i].at;
        y[i] = c->cycle[i].value;
    }
    mrn_cli_chart_begin(&chart, c->settlement ? "Settlement" : c->probe, "number of cycles N",
                        mrn_cli_heading(c->settlement ? "settlement" : c->probe, c->unit).s);
    chart.plot.x_log = true;
    if (x != NULL && y != NULL)
        mrn_cli_chart_add(&chart, "run", MRN_SERIES_POINTS, 0, (int)c->n, x, y, NULL);
    mrn_free(x);
    mrn_free(y);
    for (int k = 0; k < f->n; k++) {
        double fx[FINE], fy[FINE], last = c->cycle[c->n - 1].at, first = c->cycle[0].at;
        for (int i = 0; i < FINE && !f->failed[k]; i++) {
            fx[i] = first * pow(last / first, (double)i / (FINE - 1));
            fy[i] = mrn_growth_value(f->fit[k].law, f->fit[k].x, fx[i]);
        }
        if (!f->failed[k] && last > first)
            mrn_cli_chart_add(&chart, f->fit[k].law->name, MRN_SERIES_LINE, k + 1, FINE, fx, fy,
                              NULL);
    }
    mrn_cli_chart_end(&chart, o, "settlement", MRN_PAGE_FULL, "Cycles of the run and fitted laws");
}

/* ---- files ---- */

static mrn_status write_csv(const request *r, mrn_message *msg)
{
    char path[1200];
    mrn_atomic_file a;
    snprintf(path, sizeof path, "%.1100s/cycles.csv", r->out);
    mrn_status s = mrn_atomic_open(path, &a, msg);
    if (s != MRN_OK)
        return s;
    fprintf(a.f, "N,%s [%s],lost-normal [J],lost-tangential [J],lost-other [J],stiffness [N/m]\n",
            r->c.settlement ? "settlement" : r->c.probe, r->c.unit);
    for (int64_t i = 0; i < r->c.n; i++) {
        const mrn_cycle *x = &r->c.cycle[i];
        double v[] = {x->value, x->normal, x->tangential, x->other, x->stiffness};
        fprintf(a.f, "%.17g", x->at);
        for (int k = 0; k < 5; k++)
            if (isfinite(v[k]))
                fprintf(a.f, ",%.17g", v[k]);
            else
                fputc(',', a.f);
        fputc('\n', a.f);
    }
    return mrn_atomic_commit(&a, msg);
}

static json_t *to_json(const request *r)
{
    const mrn_cycles *c = &r->c;
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:I, s:o, s:o}", "moraine", MRN_VERSION, "run",
                     r->dir, "stage", c->stage, "probe", c->probe, "unit", c->unit, "period",
                     mrn_cli_real(c->period), "cycles", (json_int_t)c->n, "last",
                     mrn_cli_real(c->cycle[c->n - 1].value), "fits", mrn_cycles_fits_json(&r->f));
}

static int show(request *r)
{
    mrn_cli_out o = {.folder = r->out, .f = r->json || r->quiet ? NULL : stdout};
    json_t *root = to_json(r);
    o.status = mrn_cli_folder_make(r->out, &o.msg);
    if (o.status == MRN_OK)
        o.status = mrn_page_create(r->dir, "Cycles · Moraine " MRN_VERSION, &o.page, &o.msg);
    if (o.status == MRN_OK)
        o.status = mrn_cli_write_json(r->out, "settle.json", root, &o.msg);
    if (o.status == MRN_OK)
        o.status = write_csv(r, &o.msg);
    mrn_cli_title(&o, r->dir);
    mrn_cli_line(&o, "cycles", "%lld of %g s in stage %s, all simulated", (long long)r->c.n,
                 r->c.period, r->c.stage);
    mrn_cli_line(&o, "probe", "%s", r->c.probe);
    show_cycles(&o, &r->c);
    show_energy(&o, &r->c);
    mrn_cycles_show_fits(&o, &r->c, &r->f);
    plot(&o, &r->c, &r->f);
    int code = MRN_EXIT_OK;
    if (r->json)
        code = mrn_app_json(json_incref(root));
    json_decref(root);
    return mrn_cli_close_page(&o, code);
}

int mrn_cmd_settle(int argc, char **argv)
{
    request r = {0};
    char folder[1200];
    mrn_message msg = {0};
    int code = parse(argc, argv, &r);
    if (code >= 0)
        return code;
    if (r.out == NULL) {
        snprintf(folder, sizeof folder, "%.1100s/settle", r.dir);
        r.out = folder;
    }
    mrn_status s = mrn_cycles_read(r.dir, &r.q, &r.c, &msg);
    if (s == MRN_OK)
        s = mrn_cycles_fit(&r.c, &r.laws, &r.f, &msg);
    code = s == MRN_OK ? show(&r) : mrn_session_fail(&msg, r.json);
    mrn_cycles_release(&r.c);
    return code;
}
