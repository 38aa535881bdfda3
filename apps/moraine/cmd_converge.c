/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine converge: one thing of a scene goes to its limit; order, limit and cost. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "session.h"
#include "trials.h"

static const mrn_app_page page = {
    .usage = "converge SCENE --vary step|stiffness|tolerance|size|threads [options]",
    .doc =
        "Runs the scene along a ladder of values, coarsest first, and tells what the probes go "
        "to:\n"
        "  step        time step (method quasistatic: increment of the load): h, h/2, h/4, h/8\n"
        "  stiffness   of all contacts: x 1, x 4, x 16, x 64; dashpots follow, restitution stays. "
        "Its limit is\n"
        "              rigid grains\n"
        "  tolerance   of the method's solver: each level a tenth of the one before\n"
        "  size        the periodic cell and the grains in it: each level has twice as many "
        "grains\n"
        "  threads     1, 2, 4, 8: the bits must be the same; also tells the speed\n"
        "For every probe: its value on each level, the observed order (Richardson's from the "
        "three finest\n"
        "levels, and a least-squares fit over all), the limit with its uncertainty (grid "
        "convergence index,\n"
        "scatter of seeds). With --seeds the noise is known, and it is said where it hides the "
        "order: packings\n"
        "are chaotic, single grains are not. Writes report.html, converge.json, a plot per probe, "
        "and every run\n"
        "into the folder. Exit codes: 0 done, 1 runs failed, bits differ, or interrupted, 2 bad "
        "usage or input.",
    .examples = "moraine converge bounce.yaml --vary step --probe mean-z\n"
                "moraine converge settle.yaml --vary stiffness --seeds 5 --probe solid-fraction\n"
                "moraine converge settle.yaml --vary tolerance --method nonsmooth\n"
                "moraine converge settle.yaml --vary threads",
};

typedef struct request {
    mrn_cli_trials w;
    const char *vary, *method;
    mrn_ladder_options ladder;
    int64_t levels;
    char set_method[128];
} request;

/* What was found for one figure. */
typedef struct finding {
    int n, level[MRN_LEVELS]; /* levels with values */
    double x[MRN_LEVELS];
    mrn_order order;
} finding;

/* ---- options ---- */

static int check_request(request *r, int code, int operands)
{
    code = mrn_cli_trials_check(&r->w, code, operands);
    if (code >= 0)
        return code;
    if (r->vary == NULL)
        return mrn_app_usage("converge", "--vary: what? One of step, stiffness, tolerance, size, "
                                         "threads");
    for (int v = 0; v < MRN_VARIES; v++)
        if (strcmp(mrn_vary_name((mrn_vary)v), r->vary) == 0)
            r->ladder.vary = (mrn_vary)v;
    bool first = r->ladder.vary == MRN_VARY_STEP || r->ladder.vary == MRN_VARY_TOLERANCE;
    if (r->ladder.from > 0 && !first)
        return mrn_app_usage("converge", "--from is for --vary step and --vary tolerance");
    r->ladder.levels = (int)r->levels;
    return -1;
}

static int parse(int argc, char **argv, request *r)
{
    static const char *const words[] = {"step", "stiffness", "tolerance", "size", "threads"};
    const char *methods[MRN_APP_LIST_MAX];
    int n_methods = 0;
    for (; n_methods < mrn_method_count() && n_methods < MRN_APP_LIST_MAX; n_methods++)
        methods[n_methods] = mrn_method_at(n_methods)->name;
    mrn_app_option options[6 + MRN_CLI_TRIAL_OPTIONS] = {
        {.name = "vary",
         .letter = 'v',
         .kind = MRN_OPT_CHOICE,
         .target = &r->vary,
         .arg = "WHAT",
         .choices = words,
         .n_choices = MRN_VARIES,
         .doc = "What goes to its limit: step, stiffness, tolerance, size or threads."},
        {.name = "levels",
         .letter = 'n',
         .kind = MRN_OPT_INTEGER,
         .target = &r->levels,
         .arg = "N",
         .min = 2,
         .max = MRN_LEVELS,
         .doc = "How many; else 4. An order needs 3."},
        {.name = "ratio",
         .kind = MRN_OPT_NUMBER,
         .target = &r->ladder.ratio,
         .arg = "R",
         .min = 1.1,
         .max = 1000,
         .doc = "Between two levels; else 2, of stiffness 4, of tolerance 10."},
        {.name = "from",
         .kind = MRN_OPT_NUMBER,
         .target = &r->ladder.from,
         .arg = "X",
         .min = 1e-300,
         .max = 1e300,
         .doc = "Step (s) or tolerance of the coarsest level; else the scene's, or the one that is "
                "chosen for it."},
        {.name = "method",
         .letter = 'm',
         .kind = MRN_OPT_CHOICE,
         .target = &r->method,
         .arg = "NAME",
         .choices = methods,
         .n_choices = n_methods,
         .doc = "Use this method instead of the scene's."},
        {.name = "seeds",
         .letter = 'k',
         .kind = MRN_OPT_INTEGER,
         .target = &r->w.seeds,
         .arg = "N",
         .min = 1,
         .max = 256,
         .doc = "Runs of each level, each with a seed of its own; else 1: no noise is known."},
    };
    mrn_cli_trial_options(&r->w, options + 6);
    int n, code = mrn_app_parse(&page, options, sizeof options / sizeof *options, argc, argv,
                                &r->w.q.path, 1, &n);
    return check_request(r, code, n);
}

/* ---- what was found ---- */

static bool level_counts(const mrn_trials *t, int level, int figure)
{
    for (int k = 0; k < t->n_seeds; k++) {
        const mrn_trial *r = mrn_trials_at(t, level, k);
        if (mrn_trial_counts(r) && isfinite(r->y[figure]))
            return true;
    }
    return false;
}

/* A seed counts that has a value on every level that has any. */
static int gather(const mrn_trials *t, int figure, finding *f, double *y)
{
    int seeds = 0;
    for (int i = 0; i < t->n_variants; i++)
        if (level_counts(t, i, figure)) {
            f->x[f->n] = t->variant[i].x;
            f->level[f->n++] = i;
        }
    for (int k = 0; k < t->n_seeds && f->n > 0; k++) {
        bool all = true;
        for (int i = 0; i < f->n; i++) {
            const mrn_trial *r = mrn_trials_at(t, f->level[i], k);
            all = all && mrn_trial_counts(r) && isfinite(r->y[figure]);
        }
        for (int i = 0; i < f->n && all; i++)
            y[i * t->n_seeds + seeds] = mrn_trials_at(t, f->level[i], k)->y[figure];
        seeds += all;
    }
    for (int i = 1; i < f->n; i++)
        memmove(y + i * seeds, y + i * t->n_seeds, (size_t)seeds * sizeof *y);
    return seeds;
}

static finding find(const request *r, int figure)
{
    const mrn_trials *t = &r->w.t;
    finding f = {0};
    mrn_message unread;
    double *y = mrn_alloc((size_t)(t->n_variants * t->n_seeds) * sizeof *y);
    int seeds = y != NULL ? gather(t, figure, &f, y) : 0;
    if (seeds == 0 || mrn_order_of(f.n, f.x, seeds, y, r->ladder.vary != MRN_VARY_SIZE, 0.95,
                                   &f.order, &unread) != MRN_OK)
        f.n = 0;
    mrn_free(y);
    return f;
}

/* ---- tables ---- */

static double seconds_of(const mrn_trials *t, int level, int64_t *steps, int64_t *grains)
{
    double sum = 0;
    *steps = *grains = 0;
    for (int k = 0; k < t->n_seeds; k++) {
        const mrn_trial *r = mrn_trials_at(t, level, k);
        sum += r->seconds;
        *steps += r->steps;
        *grains = r->grains;
    }
    *steps /= t->n_seeds;
    return sum / t->n_seeds;
}

static void cost_table(mrn_cli_out *o, const request *r)
{
    const mrn_trials *t = &r->w.t;
    mrn_app_table table;
    mrn_app_table_begin(&table, 5,
                        (const char *[]){mrn_vary_name(r->ladder.vary), ">grains", ">steps",
                                         ">time of a run", "changes"});
    for (int i = 0; i < t->n_variants; i++) {
        int64_t steps, grains;
        double s = seconds_of(t, i, &steps, &grains);
        const mrn_variant *v = &t->variant[i];
        char changes[1200] = "";
        for (int k = 0; k < v->n_set; k++)
            snprintf(changes + strlen(changes), sizeof changes - strlen(changes), "%s%s",
                     k > 0 ? ", " : "", v->set[k]);
        mrn_app_table_row(&table, (const char *[]){v->label, mrn_readable_count(grains).s,
                                                   mrn_readable_count(steps).s,
                                                   mrn_app_duration(s).s, changes});
    }
    mrn_cli_section(o, "Levels");
    mrn_cli_table(o, NULL, &table);
}

/* Half width of the mean at 95 %. */
static double half_of(const mrn_order *o, int i)
{
    mrn_datum d = {.variance = o->error[i] * o->error[i], .freedom = o->seeds - 1};
    return o->seeds > 1 ? mrn_datum_half_width(&d, 0.95) : NAN;
}

static void value_table(mrn_cli_out *o, const mrn_trials *t, const finding *f, int from, int to)
{
    mrn_app_table table;
    char names[8][64];
    const char *cell[8] = {"level"};
    for (int k = from; k < to; k++) {
        snprintf(names[k - from], sizeof names[0], ">%.62s", mrn_cli_figure_name(&t->figure[k]).s);
        cell[k - from + 1] = names[k - from];
    }
    mrn_app_table_begin(&table, to - from + 1, cell);
    for (int i = 0; i < t->n_variants; i++) {
        mrn_readable text[8];
        cell[0] = t->variant[i].label;
        for (int k = from; k < to; k++) {
            text[k - from] = mrn_cli_plus_minus(NAN, NAN);
            for (int m = 0; m < f[k].n; m++)
                if (f[k].level[m] == i)
                    text[k - from] =
                        mrn_cli_plus_minus(f[k].order.mean[m], half_of(&f[k].order, m));
            cell[k - from + 1] = text[k - from].s;
        }
        mrn_app_table_row(&table, cell);
    }
    mrn_cli_table(o, NULL, &table);
}

static void show_values(mrn_cli_out *o, const request *r, const finding *f)
{
    enum { ACROSS = 4 };
    const mrn_trials *t = &r->w.t;
    mrn_cli_section(o, t->last > 0 ? "Means over the last part of the run" : "Values at the end");
    for (int k = 0; k < t->n_figures; k += ACROSS)
        value_table(o, t, f, k, k + ACROSS < t->n_figures ? k + ACROSS : t->n_figures);
    if (t->n_seeds > 1)
        mrn_cli_words(o, "± is half the 95 %% interval of the mean over %d seeds.", t->n_seeds);
}

static void show_orders(mrn_cli_out *o, const request *r, const finding *f)
{
    const mrn_trials *t = &r->w.t;
    mrn_app_table table;
    mrn_app_table_begin(
        &table, 5,
        (const char *[]){"probe", ">order, 3 finest", ">order, fit", ">limit", "remark"});
    for (int k = 0; k < t->n_figures; k++) {
        const mrn_order *a = &f[k].order;
        bool found = f[k].n > 0 && a->kind == MRN_ORDER_FOUND;
        const char *remark = f[k].n == 0 ? "no values" : a->words;
        mrn_app_table_row(
            &table,
            (const char *[]){
                mrn_cli_figure_name(&t->figure[k]).s,
                mrn_cli_plus_minus(found ? round(1e3 * a->three) / 1e3 : NAN, a->order_half).s,
                mrn_cli_number(found ? a->fit : NAN, 3).s,
                f[k].n > 0 ? mrn_cli_plus_minus(a->limit, a->uncertainty).s : "–", remark});
    }
    mrn_cli_section(o, "Order and limit");
    mrn_cli_table(o, NULL, &table);
    const char *unit, *axis = mrn_vary_axis(r->ladder.vary, &unit);
    mrn_cli_words(o,
                  "y = y0 + c x^p, x is: %s. The limit is y0 of the three finest levels; its "
                  "uncertainty is the grid convergence index (1.25 times the distance from the "
                  "finest level) or the distance from the limit of the fit, whichever is larger%s. "
                  "Without an order it is the finest value.",
                  axis, t->n_seeds > 2 ? ", and the scatter of seeds" : "");
}

/* ---- plots ---- */

/* What the fit says between the levels and 0. */
static void add_curve(mrn_cli_chart *c, const finding *f)
{
    enum { POINTS = 80 };
    const mrn_order *a = &f->order;
    double x[POINTS], y[POINTS], finest = f->x[f->n - 1];
    if (a->kind != MRN_ORDER_FOUND)
        return;
    double slope = (a->mean[f->n - 1] - a->three_limit) / pow(finest, a->three);
    for (int i = 0; i < POINTS; i++) {
        x[i] = f->x[0] * i / (POINTS - 1.);
        y[i] = a->three_limit + slope * pow(x[i], a->three);
    }
    mrn_cli_chart_add(c, "three finest", MRN_SERIES_LINE, 1, POINTS, x, y, NULL);
    mrn_cli_chart_add(c, "limit", MRN_SERIES_BOTH, 2, 1, &(double){0}, &a->limit, &a->uncertainty);
}

static void plot_values(mrn_cli_out *o, const request *r, const finding *f, int k)
{
    const mrn_figure *g = &r->w.t.figure[k];
    const char *unit, *axis = mrn_vary_axis(r->ladder.vary, &unit);
    mrn_cli_chart c;
    double error[MRN_LEVELS];
    if (f->n == 0)
        return;
    for (int i = 0; i < f->n; i++)
        error[i] = half_of(&f->order, i);
    mrn_cli_chart_begin(&c, g->name, mrn_cli_heading(axis, unit).s, mrn_cli_figure_name(g).s);
    add_curve(&c, f);
    mrn_cli_chart_add(&c, "runs", MRN_SERIES_POINTS, 0, f->n, f->x, f->order.mean,
                      f->order.seeds > 1 ? error : NULL);
    mrn_cli_chart_end(&c, o, mrn_cli_figure_file(g).s, MRN_PAGE_HALF, g->name);
}

/* Distance from the limit, both axes logarithmic: the slope is the order. */
static void plot_error(mrn_cli_out *o, const request *r, const finding *f, int k)
{
    const mrn_figure *g = &r->w.t.figure[k];
    const char *unit, *axis = mrn_vary_axis(r->ladder.vary, &unit);
    const mrn_order *a = &f->order;
    mrn_cli_chart c;
    double e[MRN_LEVELS], line[MRN_LEVELS];
    char name[160], label[64];
    if (f->n < 3 || a->kind != MRN_ORDER_FOUND)
        return;
    for (int i = 0; i < f->n; i++) {
        e[i] = fabs(a->mean[i] - a->limit);
        line[i] = fabs(a->mean[f->n - 1] - a->limit) * pow(f->x[i] / f->x[f->n - 1], a->three);
    }
    snprintf(name, sizeof name, "%s-error", mrn_cli_figure_file(g).s);
    snprintf(label, sizeof label, "order %.2f", a->three);
    mrn_cli_chart_begin(&c, g->name, mrn_cli_heading(axis, unit).s, "distance from the limit");
    c.plot.x_log = c.plot.y_log = true;
    mrn_cli_chart_add(&c, label, MRN_SERIES_LINE, 1, f->n, f->x, line, NULL);
    mrn_cli_chart_add(&c, "runs", MRN_SERIES_POINTS, 0, f->n, f->x, e, NULL);
    mrn_cli_chart_end(&c, o, name, MRN_PAGE_HALF, "Distance from the limit");
}

/* ---- threads ---- */

/* Runs whose bits are not those of the first level; tells. */
static int show_threads(mrn_cli_out *o, const mrn_trials *t)
{
    mrn_app_table table;
    int differ = 0;
    mrn_app_table_begin(&table, 5,
                        (const char *[]){">threads", ">seed", "hash of the final state",
                                         ">time of the run", ">speed"});
    for (int i = 0; i < t->n_variants; i++)
        for (int k = 0; k < t->n_seeds; k++) {
            const mrn_trial *r = mrn_trials_at(t, i, k), *one = mrn_trials_at(t, 0, k);
            char hash[64], seed[24], speed[24];
            bool same = mrn_trial_counts(r) && r->hash == one->hash;
            differ += !same;
            snprintf(hash, sizeof hash, "%016" PRIx64 "%s", r->hash, same ? "" : "  DIFFERS");
            snprintf(seed, sizeof seed, "%llu", (unsigned long long)r->seed);
            snprintf(speed, sizeof speed, "%.2f", one->seconds / r->seconds);
            mrn_app_table_row(&table, (const char *[]){t->variant[i].label, seed, hash,
                                                       mrn_app_duration(r->seconds).s, speed});
        }
    mrn_cli_section(o, "Threads");
    mrn_cli_table(o, NULL, &table);
    if (differ == 0)
        mrn_cli_note(o, MRN_TONE_GOOD,
                     "The bits of the final state are the same for every number "
                     "of threads.");
    else
        mrn_cli_note(o, MRN_TONE_BAD, "%d run%s other bits than with one thread.", differ,
                     differ == 1 ? " has" : "s have");
    return differ;
}

/* ---- JSON ---- */

static json_t *level_json(const mrn_trials *t, int i)
{
    int64_t steps, grains;
    double s = seconds_of(t, i, &steps, &grains);
    const mrn_variant *v = &t->variant[i];
    json_t *hash = json_array();
    for (int k = 0; k < t->n_seeds; k++) {
        char text[24];
        snprintf(text, sizeof text, "%016" PRIx64, mrn_trials_at(t, i, k)->hash);
        json_array_append_new(hash, json_string(text));
    }
    return json_pack("{s:s, s:s, s:o, s:o, s:I, s:I, s:o, s:o}", "name", v->name, "label", v->label,
                     "x", mrn_cli_real(v->x), "set", mrn_cli_changes_json(v), "grains",
                     (json_int_t)grains, "steps", (json_int_t)steps, "seconds", mrn_cli_real(s),
                     "hashes", hash);
}

static json_t *finding_json(const mrn_trials *t, const finding *f, int k)
{
    const mrn_order *a = &f->order;
    json_t *levels = json_array();
    for (int i = 0; i < t->n_variants; i++)
        json_array_append_new(levels, mrn_cli_figure_json(t, i, k));
    json_t *o = json_pack("{s:s, s:s, s:o}", "name", t->figure[k].name, "unit",
                          t->figure[k].unit[0] != '\0' ? t->figure[k].unit : "1", "levels", levels);
    if (f->n == 0)
        return o;
    const struct {
        const char *key;
        double v;
    } list[] = {{"order", a->three},
                {"order-half-width", a->order_half},
                {"order-fit", a->fit},
                {"limit-three", a->three_limit},
                {"limit-fit", a->fit_limit},
                {"gci", a->gci},
                {"limit-noise", a->limit_half},
                {"limit", a->limit},
                {"uncertainty", a->uncertainty}};
    json_object_set_new(o, "kind", json_string(mrn_order_kind_name(a->kind)));
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        json_object_set_new(o, list[i].key, mrn_cli_real(list[i].v));
    json_object_set_new(o, "words", json_string(a->words));
    return o;
}

static json_t *to_json(const request *r, const finding *f)
{
    const mrn_trials *t = &r->w.t;
    json_t *levels = json_array(), *probes = json_array();
    for (int i = 0; i < t->n_variants; i++)
        json_array_append_new(levels, level_json(t, i));
    for (int k = 0; k < t->n_figures; k++)
        json_array_append_new(probes, finding_json(t, &f[k], k));
    return json_pack("{s:s, s:s, s:s, s:s, s:i, s:I, s:o, s:o, s:o}", "moraine", MRN_VERSION,
                     "scene", r->w.q.path, "vary", r->vary, "method",
                     mrn_method_of(&r->w.scene)->name, "seeds", t->n_seeds, "seed",
                     (json_int_t)t->seed, "last", mrn_cli_real(t->last), "levels", levels, "probes",
                     probes);
}

/* ---- all ---- */

static void head(mrn_cli_out *o, const request *r)
{
    const mrn_trials *t = &r->w.t;
    const char *unit, *axis = mrn_vary_axis(r->ladder.vary, &unit);
    mrn_cli_title(o, r->w.scene.title[0] != '\0' ? r->w.scene.title : r->w.q.path);
    mrn_cli_line(o, "converge", "%s of %s, method %s; x: %s", r->vary, r->w.q.path,
                 mrn_method_of(&r->w.scene)->name, axis);
    mrn_cli_line(o, "runs", "%d levels, %d seed%s each, %s%s", t->n_variants, t->n_seeds,
                 t->n_seeds == 1 ? "" : "s", mrn_app_duration(r->w.seconds).s,
                 r->w.known > 0 ? " (with those of an earlier call)" : "");
}

static int show(request *r, const finding *f)
{
    mrn_cli_out o = {.folder = r->w.q.out, .f = r->w.q.json || r->w.q.quiet ? NULL : stdout};
    const mrn_trials *t = &r->w.t;
    char subtitle[200];
    json_t *root = to_json(r, f);
    snprintf(subtitle, sizeof subtitle, "Convergence with %s · Moraine %s", r->vary, MRN_VERSION);
    o.status = mrn_page_create(r->w.scene.title[0] != '\0' ? r->w.scene.title : r->w.q.path,
                               subtitle, &o.page, &o.msg);
    if (o.status == MRN_OK)
        o.status = mrn_cli_write_json(r->w.q.out, r->w.result, root, &o.msg);
    head(&o, r);
    cost_table(&o, r);
    bool threads = r->ladder.vary == MRN_VARY_THREADS;
    int bad = threads ? show_threads(&o, t) : 0;
    if (!threads) {
        show_values(&o, r, f);
        show_orders(&o, r, f);
        for (int k = 0; k < t->n_figures; k++) {
            plot_values(&o, r, &f[k], k);
            plot_error(&o, r, &f[k], k);
        }
    }
    bad += mrn_cli_trials_failures(&o, t);
    mrn_cli_trials_repeat(&o, &r->w);
    if (o.f != NULL)
        fputc('\n', o.f);
    int code = bad > 0 ? MRN_EXIT_FAILED : MRN_EXIT_OK;
    if (r->w.q.json) {
        int failed = mrn_app_json(json_incref(root));
        code = failed > code ? failed : code;
    }
    json_decref(root);
    return mrn_cli_close_page(&o, code);
}

static int run(request *r)
{
    mrn_message msg = {0};
    mrn_cli_trials *w = &r->w;
    if (r->method != NULL && w->q.set.n < MRN_APP_LIST_MAX) {
        snprintf(r->set_method, sizeof r->set_method, "method=%s", r->method);
        w->q.set.item[w->q.set.n++] = r->set_method;
    }
    mrn_status s = mrn_cli_trials_open(w, &msg);
    if (s == MRN_OK)
        s = mrn_cli_trials_figures(w, false, &msg);
    if (s == MRN_OK)
        s = mrn_ladder_variants(&w->t, &r->ladder, &msg);
    if (s == MRN_OK)
        s = mrn_cli_trials_run(w, &msg);
    if (s != MRN_OK) {
        if (msg.file[0] == '\0' && s == MRN_ERR_INPUT && msg.path[0] != '\0')
            mrn_fail_at(&msg, w->q.path, 0, 0);
        return mrn_session_fail(&msg, w->q.json);
    }
    finding *f = mrn_alloc((size_t)(w->t.n_figures + 1) * sizeof *f);
    for (int k = 0; k < w->t.n_figures && f != NULL; k++)
        f[k] = find(r, k);
    int code = f != NULL ? show(r, f) : MRN_EXIT_FAILED;
    mrn_free(f);
    return code;
}

int mrn_cmd_converge(int argc, char **argv)
{
    request r = {.w = {.q = {.command = "converge"}, .seeds = 1, .seed = -1}};
    r.w.result = "converge.json";
    mrn_cli_keep_line(&r.w.q, argc, argv);
    int code = parse(argc, argv, &r);
    if (code >= 0)
        return code;
    code = run(&r);
    mrn_cli_trials_close(&r.w);
    return code;
}
