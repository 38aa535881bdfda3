/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine vibrate: one shaken scene at several accelerations: how long the bed flies, what shocks
   and friction take, how density grows with the number of shakes. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "ballast.h"
#include "cycles.h"
#include "session.h"
#include "trials.h"

static const mrn_app_page page = {
    .usage = "vibrate SCENE --gamma LIST [options]",
    .doc =
        "Runs a scene that shakes a floor in its last stage once for each acceleration Gamma\n"
        "(over that of gravity), side by side, and tells from the rows of the last stage:\n"
        "  flight    the part of a cycle in which the floor bears nothing (less than a\n"
        "            hundredth of the weight of the bed), mean over the second half of the\n"
        "            cycles, beside that of a block that does not rebound at all\n"
        "  shocks    what contacts that close lose by their normal laws, in the same cycles, and\n"
        "            its share in all that contacts lose. The rest is friction, and what normal\n"
        "            laws take from contacts that last: with rigid grains the tolerance of the\n"
        "            solver. (Methods that do not tell them apart: all that normal laws take.)\n"
        "  density   the solid fraction before and after, and at the end of every cycle, with\n"
        "            inverse-log and stretched-exponential fits\n"
        "The scene says how it is shaken with `vibration: {gamma, frequency}` as the upward\n"
        "component of gravity (the frame of the floor) or as a path of its floor; --key tells\n"
        "where. In the frame of the floor contacts that stay closed lose nothing by shocks.\n"
        "Its probes must come at least 20 times per cycle. Writes report.html, vibrate.csv,\n"
        "vibrate.json, plots and runs; --resume makes only those that are not there.",
    .examples = "moraine vibrate shaken.yaml --gamma 0.5,0.8,1.2,2,3 --frequency 30\n"
                "moraine vibrate shaken.yaml --gamma 2,4 --frequency 50 \\\n"
                "    --key stages.shake.walls.floor.motion.path.1.vibration.gamma",
};

enum { MOST_GAMMAS = 64, FORCE = 0, DENSITY, NORMAL, TANGENTIAL, IN_STAGE, SHOCKS, N_PROBES };

typedef struct result {
    double flight, block;              /* part of a cycle: measured; of an inelastic block */
    double share;                      /* of shocks in what contacts lose                   */
    double normal, tangential, shocks; /* shocks: NAN where they are not told apart */
    double before, after;              /* solid fractions */
    mrn_cycles c;
    mrn_cycle_fits f;
} result;

typedef struct request {
    mrn_cli_trials w;
    const char *gammas, *key, *floor;
    double frequency;
    int n;
    double gamma[MOST_GAMMAS];
    char force[128], path[200];
    bool told; /* shocks are told apart */
    result *r;
} request;

static int read_gammas(request *q)
{
    for (const char *p = q->gammas; p != NULL && *p != '\0'; p += *p == ',') {
        char *end;
        double v = strtod(p, &end);
        if (end == p || (*end != ',' && *end != '\0') || !(v >= 0) || !isfinite(v) ||
            q->n == MOST_GAMMAS)
            return mrn_app_usage("vibrate", "--gamma %s: numbers of at least 0, at most %d of them",
                                 q->gammas, MOST_GAMMAS);
        q->gamma[q->n++] = v;
        p = end;
    }
    return q->n > 0 ? -1 : mrn_app_usage("vibrate", "which accelerations? --gamma 0.5,1.2,2");
}

static int parse(int argc, char **argv, request *q)
{
    mrn_app_option options[4 + MRN_CLI_TRIAL_OPTIONS] = {
        {.name = "gamma",
         .letter = 'g',
         .kind = MRN_OPT_TEXT,
         .target = &q->gammas,
         .arg = "LIST",
         .doc = "Accelerations over that of gravity: 0.5,0.8,1.2,2,3."},
        {.name = "frequency",
         .letter = 'f',
         .kind = MRN_OPT_NUMBER,
         .target = &q->frequency,
         .arg = "HZ",
         .min = 1e-6,
         .max = 1e9,
         .doc = "Frequency of the vibration, as the scene has it."},
        {.name = "floor",
         .kind = MRN_OPT_TEXT,
         .target = &q->floor,
         .arg = "WALL",
         .doc = "The shaken wall; else floor."},
        {.name = "key",
         .letter = 'k',
         .kind = MRN_OPT_TEXT,
         .target = &q->key,
         .arg = "PATH",
         .doc = "Where the scene has Gamma, as --set names it; else "
                "stages.shake.gravity.UP.vibration.gamma, with UP 2, or 1 in 2D."},
    };
    mrn_cli_trial_options(&q->w, options + 4);
    int n, code = mrn_app_parse(&page, options, sizeof options / sizeof *options, argc, argv,
                                &q->w.q.path, 1, &n);
    code = mrn_cli_trials_check(&q->w, code, n);
    if (code >= 0)
        return code;
    if (!(q->frequency > 0))
        return mrn_app_usage("vibrate", "how fast? --frequency of the scene's vibration, in Hz");
    return read_gammas(q);
}

/* ---- runs ---- */

static void name_probes(request *q)
{
    bool flat = q->w.scene.dimension == 2;
    mrn_app_list *list = &q->w.probe;
    snprintf(q->force, sizeof q->force, "walls.%.80s.force.%c", q->floor, flat ? 'y' : 'z');
    if (q->key == NULL)
        snprintf(q->path, sizeof q->path, "stages.shake.gravity.%d.vibration.gamma", flat ? 1 : 2);
    else
        snprintf(q->path, sizeof q->path, "%.190s", q->key);
    q->told = mrn_method_of(&q->w.scene) == mrn_method_find("nonsmooth");
    *list = (mrn_app_list){.n = q->told ? N_PROBES : N_PROBES - 1};
    list->item[FORCE] = q->force;
    list->item[DENSITY] = "solid-fraction";
    list->item[NORMAL] = "energy-lost-normal";
    list->item[TANGENTIAL] = "energy-lost-tangential";
    list->item[IN_STAGE] = "time-in-stage";
    if (q->told)
        list->item[SHOCKS] = "energy-lost-shocks";
}

static mrn_status make_variants(request *q, mrn_message *msg)
{
    mrn_trials *t = &q->w.t;
    mrn_status s = MRN_OK;
    t->variant = mrn_alloc((size_t)q->n * sizeof *t->variant);
    if (t->variant == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    memset(t->variant, 0, (size_t)q->n * sizeof *t->variant);
    for (; t->n_variants < q->n && s == MRN_OK; t->n_variants++) {
        mrn_variant *v = &t->variant[t->n_variants];
        mrn_scene scene = {0};
        v->method = mrn_method_of(&q->w.scene);
        snprintf(v->name, sizeof v->name, "gamma-%g", q->gamma[t->n_variants]);
        snprintf(v->label, sizeof v->label, "%g", q->gamma[t->n_variants]);
        s = mrn_variant_set(v, msg, "%s=%.17g", q->path, q->gamma[t->n_variants]);
        if (s == MRN_OK)
            s = mrn_trials_scene(t, v, t->seed, &scene, msg);
        mrn_scene_destroy(&scene);
    }
    return s;
}

/* ---- what a run says ---- */

/* Part of a cycle that a block without any rebound is in the air: it leaves the floor when that
   brakes with g, falls freely, and stays where it meets it again (at the latest after a cycle: more
   is not followed). */
static double block_flight(double gamma)
{
    if (!(gamma > 1))
        return 0;
    /* phase p, floor sin p, units of amplitude and of angular frequency; g is then 1/gamma */
    double p0 = asin(1 / gamma), g = 1 / gamma;
    for (int i = 1; i <= 20000; i++) {
        double d = 2 * MRN_PI * i / 20000;
        double block = sin(p0) + cos(p0) * d - 0.5 * g * d * d;
        if (i > 20 && block <= sin(p0 + d))
            return d / (2 * MRN_PI);
    }
    return 1;
}

static double cell(const mrn_trials *t, const mrn_trial *r, int64_t row, int column)
{
    return r->row[row * (t->n_figures + 1) + column];
}

/* First row of the last stage: the last at which the time in the stage went back. */
static int64_t first_row(const mrn_trials *t, const mrn_trial *r)
{
    int64_t first = 0;
    for (int64_t i = 1; i < r->n_rows; i++)
        if (cell(t, r, i, 1 + IN_STAGE) < cell(t, r, i - 1, 1 + IN_STAGE))
            first = i - 1; /* the end of the stage before */
    return first;
}

static double value_at(const mrn_trials *t, const mrn_trial *r, double time, int column,
                       int64_t *from)
{
    int64_t i = *from;
    while (i + 2 < r->n_rows && cell(t, r, i + 1, 0) < time)
        i++;
    *from = i;
    double a = cell(t, r, i, 0), b = cell(t, r, i + 1, 0);
    double share = b > a ? fmin(1, fmax(0, (time - a) / (b - a))) : 0;
    double y = cell(t, r, i, 1 + column);
    return y + share * (cell(t, r, i + 1, 1 + column) - y);
}

static mrn_status read_cycles(const request *q, const mrn_trial *r, int64_t first, result *out,
                              mrn_message *msg)
{
    const mrn_trials *t = &q->w.t;
    mrn_cycles *c = &out->c;
    c->period = 1 / q->frequency;
    c->begin = cell(t, r, first, 0);
    c->n = (int64_t)floor((cell(t, r, r->n_rows - 1, 0) - c->begin) / c->period + 1e-3);
    snprintf(c->probe, sizeof c->probe, "solid-fraction");
    snprintf(c->unit, sizeof c->unit, "1");
    if (c->n < 4)
        return mrn_fail(msg, MRN_ERR_INPUT, "the last stage holds %lld cycles at %g Hz",
                        (long long)c->n, q->frequency);
    if ((double)(r->n_rows - first) < 19.5 * (double)c->n) {
        mrn_fail(msg, MRN_ERR_INPUT, "the run has %lld rows for %lld cycles",
                 (long long)(r->n_rows - first), (long long)c->n);
        return mrn_fail_hint(msg, "output.probes-every must be a twentieth of the period or less");
    }
    c->cycle = mrn_alloc((size_t)c->n * sizeof *c->cycle);
    if (c->cycle == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    int64_t at = first;
    for (int64_t k = 0; k < c->n; k++) {
        double end = c->begin + (double)(k + 1) * c->period;
        c->cycle[k] = (mrn_cycle){.at = (double)(k + 1), .normal = NAN, .tangential = NAN};
        c->cycle[k].value = value_at(t, r, end, DENSITY, &at);
    }
    return MRN_OK;
}

/* Rows of the second half of the stage. */
static void read_half(const request *q, const mrn_trial *r, int64_t first, result *out)
{
    const mrn_trials *t = &q->w.t;
    int64_t half = out->c.n / 2;
    double begin = out->c.begin + (double)half * out->c.period;
    double weight = 0;
    int64_t rows = 0, up = 0, from = first, last = r->n_rows - 1;
    for (int64_t i = first; i < r->n_rows; i++)
        if (cell(t, r, i, 0) > begin)
            weight += fabs(cell(t, r, i, 1 + FORCE)), rows++;
    weight /= (double)(rows > 0 ? rows : 1); /* the mean over cycles */
    for (int64_t i = first; i < r->n_rows; i++)
        if (cell(t, r, i, 0) > begin)
            up += fabs(cell(t, r, i, 1 + FORCE)) < 0.01 * weight;
    out->flight = rows > 0 ? (double)up / (double)rows : NAN;
    double n0 = value_at(t, r, begin, NORMAL, &from), t0;
    from = first;
    t0 = value_at(t, r, begin, TANGENTIAL, &from);
    out->normal = cell(t, r, last, 1 + NORMAL) - n0;
    out->tangential = cell(t, r, last, 1 + TANGENTIAL) - t0;
    from = first;
    out->shocks =
        q->told ? cell(t, r, last, 1 + SHOCKS) - value_at(t, r, begin, SHOCKS, &from) : NAN;
    double all = out->normal + out->tangential;
    out->share = all > 0 ? (q->told ? out->shocks : out->normal) / all : NAN;
    out->before = cell(t, r, first, 1 + DENSITY);
    out->after = cell(t, r, last, 1 + DENSITY);
}

static mrn_status look(request *q, mrn_message *msg)
{
    static const mrn_app_list none = {0};
    mrn_status s = MRN_OK;
    q->r = mrn_alloc((size_t)q->n * sizeof *q->r);
    if (q->r == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    memset(q->r, 0, (size_t)q->n * sizeof *q->r);
    for (int i = 0; i < q->n && s == MRN_OK; i++) {
        const mrn_trial *r = mrn_trials_at(&q->w.t, i, 0);
        q->r[i].flight = q->r[i].share = q->r[i].before = q->r[i].after = NAN;
        q->r[i].block = block_flight(q->gamma[i]);
        if (!mrn_trial_counts(r) || r->n_rows < 3)
            continue;
        int64_t first = first_row(&q->w.t, r);
        s = read_cycles(q, r, first, &q->r[i], msg);
        if (s == MRN_OK)
            read_half(q, r, first, &q->r[i]);
        if (s == MRN_OK)
            s = mrn_cycles_fit(&q->r[i].c, &none, &q->r[i].f, msg);
    }
    return s;
}

/* ---- where it goes ---- */

static const mrn_growth *fit_of(const result *r, const char *law)
{
    for (int k = 0; k < r->f.n; k++)
        if (!r->f.failed[k] && strcmp(r->f.fit[k].law->name, law) == 0)
            return &r->f.fit[k];
    return NULL;
}

static void show_table(mrn_cli_out *o, const request *q)
{
    static const char *const head[] = {">Gamma",
                                       ">cycles",
                                       ">flight",
                                       ">of a block",
                                       ">lost by shocks, J",
                                       ">by contacts that last, J",
                                       ">by friction, J",
                                       ">share of shocks",
                                       ">density before",
                                       ">after",
                                       ">R2 inverse-log",
                                       ">R2 stretched"};
    mrn_app_table t;
    mrn_cli_section(o, "What the accelerations do");
    mrn_app_table_begin(&t, 12, head);
    for (int i = 0; i < q->n; i++) {
        const result *r = &q->r[i];
        const mrn_growth *a = fit_of(r, "inverse-log"), *b = fit_of(r, "stretched");
        double v[] = {q->gamma[i],
                      (double)r->c.n,
                      r->flight,
                      r->block,
                      q->told ? r->shocks : r->normal,
                      r->normal - r->shocks,
                      r->tangential,
                      r->share,
                      r->before,
                      r->after,
                      a != NULL ? a->r2 : NAN,
                      b != NULL ? b->r2 : NAN};
        mrn_readable text[12];
        const char *row[12];
        for (int k = 0; k < 12; k++) {
            text[k] = mrn_cli_number(v[k], 4);
            row[k] = text[k].s;
        }
        mrn_app_table_row(&t, row);
    }
    mrn_cli_table(o, NULL, &t);
    mrn_cli_words(o,
                  "flight: the part of a cycle in which the floor bears less than a hundredth of "
                  "its mean load; shocks: what normal laws take from contacts that close; contacts "
                  "that last: the rest of what they take, which vanishes with the tolerance; all "
                  "over the second half of the cycles. The block is one that does not rebound.");
}

static void plot_curve(mrn_cli_out *o, const request *q, const char *name, const char *label,
                       size_t offset, bool block)
{
    enum { FINE = 100 };
    double y[MOST_GAMMAS], x[FINE], z[FINE], most = 0;
    mrn_cli_chart c;
    for (int i = 0; i < q->n; i++) {
        y[i] = *(const double *)(const void *)((const char *)&q->r[i] + offset);
        most = fmax(most, q->gamma[i]);
    }
    mrn_cli_chart_begin(&c, name, "Gamma", label);
    mrn_cli_chart_add(&c, "bed", MRN_SERIES_BOTH, 0, q->n, q->gamma, y, NULL);
    for (int i = 0; i < FINE; i++) {
        x[i] = most * i / (FINE - 1);
        z[i] = block_flight(x[i]);
    }
    if (block)
        mrn_cli_chart_add(&c, "block without rebound", MRN_SERIES_LINE, 1, FINE, x, z, NULL);
    mrn_cli_chart_end(&c, o, name, MRN_PAGE_HALF, label);
}

static void plot_density(mrn_cli_out *o, const request *q)
{
    mrn_cli_chart c;
    mrn_cli_chart_begin(&c, "density", "number of cycles", "solid fraction");
    c.plot.x_log = true;
    for (int i = 0; i < q->n && i < 20; i++) {
        const mrn_cycles *k = &q->r[i].c;
        double *x = mrn_alloc((size_t)(k->n + 1) * sizeof *x);
        double *y = mrn_alloc((size_t)(k->n + 1) * sizeof *y);
        char label[40];
        snprintf(label, sizeof label, "Gamma %g", q->gamma[i]);
        for (int64_t n = 0; n < k->n && x != NULL && y != NULL; n++) {
            x[n] = k->cycle[n].at;
            y[n] = k->cycle[n].value;
        }
        if (x != NULL && y != NULL && k->n > 1)
            mrn_cli_chart_add(&c, label, MRN_SERIES_LINE, i, (int)k->n, x, y, NULL);
        mrn_free(x);
        mrn_free(y);
    }
    mrn_cli_chart_end(&c, o, "density", MRN_PAGE_FULL, "Density against the number of cycles");
}

static json_t *to_json(const request *q)
{
    json_t *list = json_array();
    for (int i = 0; i < q->n; i++) {
        const result *r = &q->r[i];
        json_array_append_new(
            list, json_pack("{s:f, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "gamma",
                            q->gamma[i], "cycles", (json_int_t)r->c.n, "flight",
                            mrn_cli_real(r->flight), "block_flight", mrn_cli_real(r->block),
                            "lost_normal", mrn_cli_real(r->normal), "lost_shocks",
                            mrn_cli_real(r->shocks), "lost_tangential", mrn_cli_real(r->tangential),
                            "shock_share", mrn_cli_real(r->share), "density_before",
                            mrn_cli_real(r->before), "density_after", mrn_cli_real(r->after),
                            "fits", mrn_cycles_fits_json(&r->f)));
    }
    return json_pack("{s:s, s:s, s:f, s:o}", "moraine", MRN_VERSION, "scene", q->w.q.path,
                     "frequency", q->frequency, "runs", list);
}

static mrn_status write_csv(const request *q, mrn_message *msg)
{
    char path[1200];
    mrn_atomic_file a;
    snprintf(path, sizeof path, "%.1100s/vibrate.csv", q->w.q.out);
    mrn_status s = mrn_atomic_open(path, &a, msg);
    if (s != MRN_OK)
        return s;
    fputs("gamma,cycle,solid-fraction\n", a.f);
    for (int i = 0; i < q->n; i++)
        for (int64_t k = 0; k < q->r[i].c.n; k++)
            fprintf(a.f, "%.17g,%.17g,%.17g\n", q->gamma[i], q->r[i].c.cycle[k].at,
                    q->r[i].c.cycle[k].value);
    return mrn_atomic_commit(&a, msg);
}

static int show(request *q)
{
    mrn_cli_out o = {.folder = q->w.q.out, .f = q->w.q.json || q->w.q.quiet ? NULL : stdout};
    const char *title = q->w.scene.title[0] != '\0' ? q->w.scene.title : q->w.q.path;
    json_t *root = to_json(q);
    o.status = mrn_page_create(title, "Vibration · Moraine " MRN_VERSION, &o.page, &o.msg);
    if (o.status == MRN_OK)
        o.status = mrn_cli_write_json(q->w.q.out, q->w.result, root, &o.msg);
    if (o.status == MRN_OK)
        o.status = write_csv(q, &o.msg);
    mrn_cli_title(&o, title);
    mrn_cli_line(&o, "shaken", "%s at %g Hz, %d accelerations", q->floor, q->frequency, q->n);
    show_table(&o, q);
    plot_curve(&o, q, "flight", "part of a cycle in flight", offsetof(result, flight), true);
    plot_curve(&o, q, "shocks", "share of shocks in what contacts lose", offsetof(result, share),
               false);
    plot_density(&o, q);
    int bad = mrn_cli_trials_failures(&o, &q->w.t);
    mrn_cli_trials_repeat(&o, &q->w);
    int code = bad > 0 ? MRN_EXIT_FAILED : MRN_EXIT_OK;
    if (q->w.q.json) {
        int failed = mrn_app_json(json_incref(root));
        code = failed > code ? failed : code;
    }
    json_decref(root);
    return mrn_cli_close_page(&o, code);
}

static int run(request *q)
{
    mrn_message msg = {0};
    mrn_cli_trials *w = &q->w;
    mrn_status s = mrn_cli_trials_open(w, &msg);
    if (s == MRN_OK) {
        name_probes(q);
        s = mrn_cli_trials_figures(w, false, &msg);
    }
    if (s == MRN_OK)
        s = make_variants(q, &msg);
    if (s == MRN_OK)
        s = mrn_cli_trials_run(w, &msg);
    if (s == MRN_OK)
        s = look(q, &msg);
    return s == MRN_OK ? show(q) : mrn_session_fail(&msg, w->q.json);
}

int mrn_cmd_vibrate(int argc, char **argv)
{
    request *q = mrn_alloc(sizeof *q);
    if (q == NULL)
        return MRN_EXIT_FAILED;
    *q = (request){.w = {.q = {.command = "vibrate"}, .seeds = 1, .seed = -1}, .floor = "floor"};
    q->w.result = "vibrate.json";
    mrn_cli_keep_line(&q->w.q, argc, argv);
    int code = parse(argc, argv, q);
    code = code >= 0 ? code : run(q);
    for (int i = 0; i < q->n && q->r != NULL; i++)
        mrn_cycles_release(&q->r[i].c);
    mrn_free(q->r);
    mrn_cli_trials_close(&q->w);
    mrn_free(q);
    return code;
}
