/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine settle: a run under cyclic load, cycle by cycle, with the laws of settlement. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "ballast.h"
#include "bed.h"
#include "cycles.h"
#include "session.h"

static const mrn_app_page page = {
    .usage = "settle DIR (--frequency F | --period T) [options]",
    .doc =
        "Cuts the run in DIR into cycles of its load and tells for each how far a sleeper or\n"
        "plate has gone down, what was lost by impacts (normal laws) and by friction\n"
        "(tangential laws), and the stiffness between least and largest load. Fits the laws\n"
        "of settlement (log, power, shenton, thom-oakley, sato), of a density those of\n"
        "compaction (inverse-log, stretched), with intervals. From the frames of the stage it\n"
        "tells the pressure along the underside of the loaded body and the density beneath it,\n"
        "and draws force chains, displacements, a map of the density and a film. Writes\n"
        "report.html with all of it, cycles.csv, pressure.csv, settle.json, plots and pictures\n"
        "into DIR/settle.\n\n"
        "All cycles are simulated. --extrapolate N says what the laws make of a larger number,\n"
        "with intervals, and what they would have missed by so far.\n\n"
        "--push reads a sleeper pushed sideways instead: its lateral resistance.\n\n"
        "The columns it reads are those of output.probes: a level such as\n"
        "groups.sleeper.mean-z, for energies energy-lost-normal, energy-lost-tangential and\n"
        "dissipated-energy, for the stiffness a force named by --load (else that of the contacts\n"
        "on the same group, such as groups.sleeper.force.z, if it is there).",
    .examples = "moraine settle out/sleeper --frequency 20\n"
                "moraine settle out/box --period 0.2 --probe walls.plate.position.z \\\n"
                "    --load walls.plate.force.z --stage cycles\n"
                "moraine settle out/vibrated --frequency 30 --probe solid-fraction\n"
                "moraine settle out/long --frequency 20 --extrapolate 1e6\n"
                "moraine settle out/pushed --push",
};

typedef struct request {
    mrn_cycle_request q;
    const char *dir, *out, *under;
    double frequency, beyond;
    int64_t bins;
    mrn_app_list laws;
    bool json, quiet, no_pictures, push;
    mrn_cycles c;
    mrn_cycle_fits f;
    mrn_cycle_beyond b;
    mrn_bed *bed;       /* NULL: no frames tell of it */
    mrn_message no_bed; /* why                        */
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
        {.name = "extrapolate",
         .kind = MRN_OPT_NUMBER,
         .target = &r->beyond,
         .arg = "N",
         .min = 1,
         .max = 1e12,
         .doc = "What the fitted laws say of so many cycles, with intervals: extrapolated, not "
                "simulated."},
        {.name = "under",
         .kind = MRN_OPT_TEXT,
         .target = &r->under,
         .arg = "GROUP",
         .doc = "The loaded body beneath which pressure and density are told; else the group of "
                "the probe."},
        {.name = "bins",
         .kind = MRN_OPT_INTEGER,
         .target = &r->bins,
         .arg = "N",
         .min = 1,
         .max = MRN_BED_BINS_MAX,
         .doc = "Parts of its length; else 10."},
        {.name = "push",
         .kind = MRN_OPT_FLAG,
         .target = &r->push,
         .doc = "Lateral resistance of a sleeper in stage push, in place of cycles."},
        {.name = "no-pictures",
         .kind = MRN_OPT_FLAG,
         .target = &r->no_pictures,
         .doc = "Leave pictures and film out."},
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
    if (r->push)
        return -1;
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

/* One column of the cycles over N; nothing where it is not known. */
static void add_column(mrn_cli_chart *chart, const mrn_cycles *c, const char *label, int colour,
                       size_t offset, bool *any)
{
    double *x = mrn_alloc((size_t)c->n * sizeof *x), *y = mrn_alloc((size_t)c->n * sizeof *y);
    int n = 0;
    for (int64_t i = 0; i < c->n && x != NULL && y != NULL; i++) {
        double v = *(const double *)(const void *)((const char *)&c->cycle[i] + offset);
        if (!isfinite(v))
            continue;
        x[n] = c->cycle[i].at;
        y[n++] = v;
    }
    if (n > 0)
        mrn_cli_chart_add(chart, label, MRN_SERIES_BOTH, colour, n, x, y, NULL);
    *any = *any || n > 0;
    mrn_free(x);
    mrn_free(y);
}

static void plot_columns(mrn_cli_out *o, const mrn_cycles *c)
{
    mrn_cli_chart chart;
    bool any = false;
    mrn_cli_chart_begin(&chart, "Energy lost per cycle", "number of cycles N", "energy, J");
    chart.plot.x_log = true;
    add_column(&chart, c, "impacts", 0, offsetof(mrn_cycle, normal), &any);
    add_column(&chart, c, "friction", 1, offsetof(mrn_cycle, tangential), &any);
    if (any)
        mrn_cli_chart_end(&chart, o, "energy", MRN_PAGE_HALF, "What each cycle costs");
    any = false;
    mrn_cli_chart_begin(&chart, "Stiffness", "number of cycles N", "stiffness, N/m");
    chart.plot.x_log = true;
    add_column(&chart, c, "between least and largest load", 0, offsetof(mrn_cycle, stiffness),
               &any);
    if (any)
        mrn_cli_chart_end(&chart, o, "stiffness", MRN_PAGE_HALF,
                          "Secant of each cycle (cycles without a way down are left out)");
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
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:I, s:o, s:o}", "moraine", MRN_VERSION, "run",
                  r->dir, "stage", c->stage, "probe", c->probe, "unit", c->unit, "period",
                  mrn_cli_real(c->period), "cycles", (json_int_t)c->n, "last",
                  mrn_cli_real(c->cycle[c->n - 1].value), "fits", mrn_cycles_fits_json(&r->f));
    if (r->beyond > 0)
        json_object_set_new(root, "extrapolated", mrn_cycles_beyond_json(&r->f, &r->b));
    if (r->bed != NULL)
        json_object_set_new(root, "bed", mrn_bed_json(r->bed));
    return root;
}

/* What the frames say; a run without them, or without contacts, has no such part. */
static void show_bed(mrn_cli_out *o, request *r)
{
    if (r->bed == NULL) {
        if (r->no_bed.text[0] != '\0')
            mrn_cli_words(o, "Nothing of the bed beneath: %s.", r->no_bed.text);
        return;
    }
    mrn_bed_show(o, r->bed);
    mrn_message msg = {0};
    if (!r->no_pictures && o->status == MRN_OK) {
        mrn_status st = mrn_bed_pictures(o, r->dir, r->bed, &msg);
        if (st != MRN_OK)
            mrn_cli_failed(o, st, &msg);
    }
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
    plot_columns(&o, &r->c);
    if (r->beyond > 0)
        mrn_cycles_show_beyond(&o, &r->c, &r->f, &r->b);
    show_bed(&o, r);
    int code = MRN_EXIT_OK;
    if (r->json)
        code = mrn_app_json(json_incref(root));
    json_decref(root);
    return mrn_cli_close_page(&o, code);
}

/* The group that the probe is about ("groups.NAME.…"), or the one that was named. */
static bool body_of_probe(const request *r, char *out, size_t size)
{
    const char *p = r->c.probe, *dot;
    if (r->under != NULL) {
        snprintf(out, size, "%s", r->under);
        return true;
    }
    if (strncmp(p, "groups.", 7) != 0 || (dot = strchr(p + 7, '.')) == NULL)
        return false;
    snprintf(out, size, "%.*s", (int)(dot - p - 7), p + 7);
    return true;
}

/* What was asked for by name must be there; what is only usual may be missing. */
static mrn_status read_bed(request *r, mrn_message *msg)
{
    char body[MRN_NAME], path[1200];
    double end = r->c.begin + (double)r->c.n * r->c.period;
    snprintf(path, sizeof path, "%.1100s/trajectory.h5", r->dir);
    bool stored = access(path, R_OK) == 0;
    if (!body_of_probe(r, body, sizeof body) || (!stored && r->under == NULL))
        return MRN_OK;
    r->bed = mrn_alloc(sizeof *r->bed);
    if (r->bed == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    int bins = r->bins > 0 ? (int)r->bins : 10;
    mrn_status st = mrn_bed_read(r->dir, body, bins, r->c.begin, end, r->bed, &r->no_bed);
    if (st == MRN_OK)
        return MRN_OK;
    mrn_free(r->bed);
    r->bed = NULL;
    if (r->under == NULL && st == MRN_ERR_INPUT)
        return MRN_OK;
    *msg = r->no_bed;
    return st;
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
    if (r.push)
        return mrn_push_show(r.dir, r.out, r.q.stage, r.under, r.json, r.quiet);
    mrn_status s = mrn_cycles_read(r.dir, &r.q, &r.c, &msg);
    if (s == MRN_OK)
        s = mrn_cycles_fit(&r.c, &r.laws, &r.f, &msg);
    if (s == MRN_OK && r.beyond > 0)
        s = mrn_cycles_extrapolate(&r.c, &r.f, r.beyond, &r.b, &msg);
    if (s == MRN_OK)
        s = read_bed(&r, &msg);
    code = s == MRN_OK ? show(&r) : mrn_session_fail(&msg, r.json);
    mrn_cycles_release(&r.c);
    mrn_free(r.bed);
    return code;
}
