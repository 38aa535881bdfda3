/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine sweep: one scene over values of some of its keys; a table, a plot per probe, all runs
 * kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "trials.h"

enum { MOST_KEYS = 16, MOST_VALUES = 1024, MOST_VARIANTS = 4096 };

static const mrn_app_page page = {
    .usage = "sweep SCENE --vary PATH=VALUES [--vary …] [options]",
    .doc =
        "Runs the scene once for each set of values, side by side, and tells what the probes come "
        "to. VALUES:\n"
        "  a,b,c            these, numbers with or without units, or words: 0.1,0.3,0.5 or \"2 mm,"
        "3 mm\"\n"
        "  A:B:N[:log]      N numbers from A to B, in equal steps or ratios: \"1 mm:4 mm:4\"\n"
        "Several --vary: all combinations, the last one fastest (--design grid); the first values "
        "of each\n"
        "together, then the second ones (--design list); or --points N points of a Latin hypercube "
        "over the\n"
        "ranges A:B (--design latin), each range cut into N parts and every part met once. With "
        "--seeds every\n"
        "point is run with several seeds: means with their scatter. Writes report.html, sweep.csv "
        "(a row per\n"
        "run), sweep.json, a plot per probe, and every run into the folder; --resume makes only "
        "those that are\n"
        "not there. Exit codes: 0 done, 1 runs failed or interrupted, 2 bad usage or input.",
    .examples =
        "moraine sweep heap.yaml --vary interactions.0.friction=0:0.8:5 --probe repose-angle\n"
        "moraine sweep box.yaml -w \"materials.glass.young=1 MPa,10 MPa\" -w "
        "interactions.0.friction=0.1,0.5 --seeds 3\n"
        "moraine sweep silo.yaml --design latin --points 20 -w interactions.0.friction=0:1 -w "
        "interactions.0.restitution=0.2:0.9\n"
        "moraine sweep heap.yaml --vary interactions.0.friction=0:0.8:5 --resume --probe "
        "repose-angle"};

/* One key that varies. */
typedef struct axis {
    char path[160], unit[40];
    int n;
    char (*value)[64]; /* n texts, as --set takes them                 */
    double *x;         /* their numbers, in `unit`; NAN: words         */
    double lo, hi;     /* of a range                                   */
    bool range, log;
} axis;

typedef struct request {
    mrn_cli_trials w;
    mrn_app_list vary;
    const char *design;
    int64_t points;
    int n_axes;
    axis axis[MOST_KEYS];
    double *at; /* n_variants * n_axes: numbers */
} request;

/* ---- values ---- */

/* "2 mm" to 2 and "mm"; false: a word. */
static bool split(const char *text, double *number, char *unit, size_t size)
{
    char *end;
    *number = strtod(text, &end);
    end += strspn(end, " ");
    snprintf(unit, size, "%s", end);
    return end != text && (isfinite(*number)) && strpbrk(unit, "0123456789:") != unit;
}

/* `text` fits: read_list has looked. */
static void add_value(axis *a, const char *text, double number)
{
    snprintf(a->value[a->n], sizeof a->value[0], "%s", text);
    a->x[a->n++] = number;
}

static void add_number(axis *a, double v)
{
    char text[64];
    snprintf(text, sizeof text, "%.12g%s%.40s", v, a->unit[0] != '\0' ? " " : "", a->unit);
    add_value(a, text, v);
}

static mrn_status read_list(axis *a, char *text, mrn_message *msg)
{
    for (char *p; (p = strsep(&text, ",")) != NULL;) {
        double x;
        char unit[40];
        p += strspn(p, " ");
        if (*p == '\0')
            return mrn_fail(msg, MRN_ERR_INPUT, "--vary %s: a value is empty", a->path);
        bool number = split(p, &x, unit, sizeof unit);
        if (a->n == MOST_VALUES)
            return mrn_fail(msg, MRN_ERR_INPUT, "--vary %s: more than %d values", a->path,
                            MOST_VALUES);
        if (strlen(p) >= sizeof a->value[0]) /* cut, it would be another number */
            return mrn_fail(msg, MRN_ERR_INPUT,
                            "--vary %s: a value of %d characters; there is room for %d", a->path,
                            (int)strlen(p), (int)sizeof a->value[0] - 1);
        if (a->n == 0 && number)
            snprintf(a->unit, sizeof a->unit, "%s", unit);
        add_value(a, p, number && strcmp(unit, a->unit) == 0 ? x : NAN);
    }
    return MRN_OK;
}

static mrn_status fail_range(const axis *a, mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT, "--vary %s: this is no range", a->path);
    mrn_fail_expected(msg, "A:B:N, as 0.1:0.5:5 or \"1 mm:4 mm:4\", with :log behind it in equal "
                           "ratios; with --design latin A:B[:log]");
    return MRN_ERR_INPUT;
}

static mrn_status read_count(axis *a, const char *text, mrn_message *msg)
{
    char *end;
    long count = strtol(text, &end, 10);
    if (end == text || *end != '\0')
        return fail_range(a, msg);
    if (count < 2 || count > MOST_VALUES)
        return mrn_fail(msg, MRN_ERR_INPUT, "--vary %s: %s values; a range has 2 to %d", a->path,
                        text, MOST_VALUES);
    for (long i = 0; i < count; i++) {
        double u = (double)i / (double)(count - 1);
        add_number(a, a->log ? a->lo * pow(a->hi / a->lo, u) : a->lo + u * (a->hi - a->lo));
    }
    return MRN_OK;
}

static mrn_status read_range(axis *a, char *text, bool latin, mrn_message *msg)
{
    char *part[5] = {0}, unit[40]; /* the fifth is one too many */
    int n = 0;
    while (n < 5 && text != NULL)
        part[n++] = strsep(&text, ":");
    a->log = n > 2 && strcmp(part[n - 1], "log") == 0;
    n -= a->log;
    if (n != (latin ? 2 : 3) || !split(part[0], &a->lo, unit, sizeof unit) ||
        !split(part[1], &a->hi, a->unit, sizeof a->unit) ||
        (unit[0] != '\0' && strcmp(unit, a->unit) != 0))
        return fail_range(a, msg);
    if (a->log && !(a->lo > 0 && a->hi > 0))
        return mrn_fail(msg, MRN_ERR_INPUT, "--vary %s: in equal ratios both ends are above 0",
                        a->path);
    a->range = true;
    return latin ? MRN_OK : read_count(a, part[2], msg);
}

static mrn_status read_values(axis *a, char *text, bool latin, mrn_message *msg)
{
    char *end;
    bool range = (strtod(text, &end), end != text) && strchr(text, ':') != NULL;
    return range || latin ? read_range(a, text, latin, msg) : read_list(a, text, msg);
}

static mrn_status read_axis(const char *text, bool latin, axis *a, mrn_message *msg)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || (size_t)(equals - text) >= sizeof a->path) {
        mrn_fail(msg, MRN_ERR_INPUT, "--vary %s: of what key?", text);
        return mrn_fail_expected(msg, "PATH=VALUES, as interactions.0.friction=0.1,0.3,0.5");
    }
    snprintf(a->path, sizeof a->path, "%.*s", (int)(equals - text), text);
    if (strcmp(a->path, "seed") == 0) { /* every run gets one of the sweep's: it would not vary */
        mrn_fail(msg, MRN_ERR_INPUT, "--vary seed: seeds are no key of a sweep");
        return mrn_fail_hint(msg, "--seeds N runs every point with N seeds, --seed sets the first");
    }
    a->value = mrn_alloc(MOST_VALUES * sizeof *a->value);
    a->x = mrn_alloc(MOST_VALUES * sizeof *a->x);
    char *values = mrn_strdup(equals + 1);
    if (a->value == NULL || a->x == NULL || values == NULL) {
        mrn_free(values);
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    }
    mrn_status s = read_values(a, values, latin, msg);
    mrn_free(values);
    return s;
}

/* The last one would win, and the table would tell of both. */
static mrn_status check_twice(const request *r, mrn_message *msg)
{
    for (int k = 1; k < r->n_axes; k++)
        for (int j = 0; j < k; j++)
            if (strcmp(r->axis[j].path, r->axis[k].path) == 0) {
                mrn_fail(msg, MRN_ERR_INPUT, "--vary %s: this key is given twice", r->axis[k].path);
                return mrn_fail_hint(msg, "name all its values in one --vary");
            }
    return MRN_OK;
}

/* ---- variants ---- */

static mrn_status fail_many(mrn_message *msg)
{
    mrn_fail(msg, MRN_ERR_INPUT, "more than %d sets of values", MOST_VARIANTS);
    return mrn_fail_hint(msg, "take fewer values, or --design latin with --points");
}

static mrn_status count_variants(const request *r, int *n, mrn_message *msg)
{
    int64_t all = 1;
    for (int k = 0; k < r->n_axes; k++) {
        const axis *a = &r->axis[k];
        if (strcmp(r->design, "list") == 0 && k > 0 && a->n != r->axis[0].n) {
            mrn_fail(msg, MRN_ERR_INPUT, "--design list: %s has %d values, %s has %d", a->path,
                     a->n, r->axis[0].path, r->axis[0].n);
            return mrn_fail_expected(msg, "as many values of each key");
        }
        all = strcmp(r->design, "grid") == 0 ? all * a->n : a->n;
        if (all > MOST_VARIANTS)
            return fail_many(msg);
    }
    *n = (int)all;
    return MRN_OK;
}

/* Points of a Latin hypercube: every one of N parts of each range is met once, at a random place in
   it. */
static void draw_latin(request *r)
{
    int n = (int)r->points, order[MOST_VALUES];
    for (int k = 0; k < r->n_axes; k++) {
        axis *a = &r->axis[k];
        mrn_rng rng = mrn_rng_seed(r->w.t.seed, 1000 + (uint64_t)k);
        for (int i = 0; i < n; i++)
            order[i] = i;
        for (int i = n - 1; i > 0; i--) {
            int j = (int)(mrn_rng_uniform(&rng) * (i + 1)), t = order[i];
            order[i] = order[j];
            order[j] = t;
        }
        for (int i = 0; i < n; i++) {
            double u = (order[i] + mrn_rng_uniform(&rng)) / n;
            add_number(a, a->log ? a->lo * pow(a->hi / a->lo, u) : a->lo + u * (a->hi - a->lo));
        }
    }
}

/* Which value of axis k variant i has. */
static int value_of(const request *r, int i, int k)
{
    if (strcmp(r->design, "grid") != 0)
        return i;
    for (int m = r->n_axes - 1; m > k; m--)
        i /= r->axis[m].n;
    return i % r->axis[k].n;
}

static mrn_status make_variant(request *r, int i, mrn_message *msg)
{
    mrn_variant *v = &r->w.t.variant[i];
    mrn_status s = MRN_OK;
    snprintf(v->name, sizeof v->name, "point-%d", i + 1);
    v->method = mrn_method_of(&r->w.scene);
    for (int k = 0; k < r->n_axes && s == MRN_OK; k++) {
        const axis *a = &r->axis[k];
        int at = value_of(r, i, k);
        size_t n = strlen(v->label);
        r->at[i * r->n_axes + k] = a->x[at];
        snprintf(v->label + n, sizeof v->label - n, "%s%s", k > 0 ? ", " : "", a->value[at]);
        s = mrn_variant_set(v, msg, "%s=%s", a->path, a->value[at]);
    }
    if (s != MRN_OK)
        return s;
    mrn_scene scene = {0}; /* what is wrong is said before an hour of runs */
    s = mrn_trials_scene(&r->w.t, v, r->w.t.seed, &scene, msg);
    mrn_scene_destroy(&scene);
    return s;
}

static mrn_status make_variants(request *r, mrn_message *msg)
{
    mrn_trials *t = &r->w.t;
    bool latin = strcmp(r->design, "latin") == 0;
    mrn_status s = MRN_OK;
    int n = 0;
    for (; r->n_axes < r->vary.n && s == MRN_OK; r->n_axes += s == MRN_OK)
        s = read_axis(r->vary.item[r->n_axes], latin, &r->axis[r->n_axes], msg);
    if (s == MRN_OK)
        s = check_twice(r, msg);
    if (s == MRN_OK && latin)
        draw_latin(r);
    if (s == MRN_OK)
        s = count_variants(r, &n, msg);
    if (s != MRN_OK)
        return s;
    t->variant = mrn_alloc((size_t)n * sizeof *t->variant);
    r->at = mrn_alloc((size_t)(n * r->n_axes) * sizeof *r->at);
    if (t->variant == NULL || r->at == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    for (; t->n_variants < n && s == MRN_OK; t->n_variants++)
        s = make_variant(r, t->n_variants, msg);
    return s;
}

/* ---- options ---- */

static int check_request(request *r, int code, int operands)
{
    code = mrn_cli_trials_check(&r->w, code, operands);
    if (code >= 0)
        return code;
    if (r->vary.n == 0)
        return mrn_app_usage("sweep", "--vary: which key? As interactions.0.friction=0.1,0.3,0.5");
    if (r->vary.n > MOST_KEYS)
        return mrn_app_usage("sweep", "more than %d keys vary", MOST_KEYS);
    if (r->points > 0 && strcmp(r->design, "latin") != 0)
        return mrn_app_usage("sweep", "--points is for --design latin");
    if (r->points == 0 && strcmp(r->design, "latin") == 0)
        return mrn_app_usage("sweep", "--design latin: how many? Add --points N");
    return -1;
}

static int parse(int argc, char **argv, request *r)
{
    static const char *const designs[] = {"grid", "list", "latin"};
    mrn_app_option options[4 + MRN_CLI_TRIAL_OPTIONS] = {
        {.name = "vary",
         .letter = 'w',
         .kind = MRN_OPT_LIST,
         .target = &r->vary,
         .arg = "PATH=VALUES",
         .doc = "A key and its values; may be given many times. Paths are those of --set."},
        {.name = "design",
         .kind = MRN_OPT_CHOICE,
         .target = &r->design,
         .arg = "HOW",
         .choices = designs,
         .n_choices = 3,
         .doc = "How the values of several keys are put together: grid, list or latin; else grid."},
        {.name = "points",
         .kind = MRN_OPT_INTEGER,
         .target = &r->points,
         .arg = "N",
         .min = 2,
         .max = MOST_VALUES,
         .doc = "Points of a Latin hypercube."},
        {.name = "seeds",
         .letter = 'k',
         .kind = MRN_OPT_INTEGER,
         .target = &r->w.seeds,
         .arg = "N",
         .min = 1,
         .max = 256,
         .doc = "Runs of each point, each with a seed of its own; else 1."},
    };
    mrn_cli_trial_options(&r->w, options + 4);
    int n, code = mrn_app_parse(&page, options, sizeof options / sizeof *options, argc, argv,
                                &r->w.q.path, 1, &n);
    return check_request(r, code, n);
}

/* ---- what came out ---- */

static mrn_scatter scatter_at(const mrn_trials *t, int variant, int figure)
{
    double y[256];
    return mrn_scatter_of(y, mrn_trials_values(t, variant, figure, y));
}

/* Half width of the mean at 95 %. */
static double half_of(const mrn_scatter *s)
{
    mrn_datum d = {.variance = s->sd * s->sd / s->n, .freedom = s->n - 1};
    return s->n > 1 && s->sd > 0 ? mrn_datum_half_width(&d, 0.95) : NAN;
}

/* "interactions.0.friction" to "friction". */
static const char *short_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL ? dot + 1 : path;
}

static void value_table(mrn_cli_out *o, const request *r, int from, int to)
{
    const mrn_trials *t = &r->w.t;
    mrn_app_table table;
    char names[MOST_KEYS + 8][72];
    const char *cell[MOST_KEYS + 8];
    int n = 0;
    for (int k = 0; k < r->n_axes; k++, n++)
        snprintf(names[n], sizeof names[0], ">%.70s", short_name(r->axis[k].path));
    for (int k = from; k < to; k++, n++)
        snprintf(names[n], sizeof names[0], ">%.70s", mrn_cli_figure_name(&t->figure[k]).s);
    for (int k = 0; k < n; k++)
        cell[k] = names[k];
    mrn_app_table_begin(&table, n, cell);
    for (int i = 0; i < t->n_variants; i++) {
        mrn_readable text[8];
        for (int k = 0; k < r->n_axes; k++)
            cell[k] = r->axis[k].value[value_of(r, i, k)];
        for (int k = from; k < to; k++) {
            mrn_scatter s = scatter_at(t, i, k);
            text[k - from] = mrn_cli_plus_minus(s.n > 0 ? s.mean : NAN, half_of(&s));
            if (!isfinite(half_of(&s)))
                text[k - from] = mrn_cli_number(s.n > 0 ? s.mean : NAN, 5);
            cell[r->n_axes + k - from] = text[k - from].s;
        }
        mrn_app_table_row(&table, cell);
    }
    mrn_cli_table(o, NULL, &table);
}

static void show_values(mrn_cli_out *o, const request *r)
{
    enum { ACROSS = 4 };
    const mrn_trials *t = &r->w.t;
    mrn_cli_section(o, t->last > 0 ? "Means over the last part of the run" : "Values at the end");
    for (int k = 0; k < t->n_figures; k += ACROSS)
        value_table(o, r, k, k + ACROSS < t->n_figures ? k + ACROSS : t->n_figures);
    if (t->n_seeds > 1)
        mrn_cli_words(o, "± is half the 95 %% interval of the mean over %d seeds.", t->n_seeds);
}

/* The axis with most numbers, along which is drawn; -1: words alone. */
static int plot_axis(const request *r)
{
    int best = -1;
    for (int k = 0; k < r->n_axes; k++)
        if (isfinite(r->axis[k].x[0]) && (best < 0 || r->axis[k].n > r->axis[best].n))
            best = k;
    return best;
}

/* Variants that differ in nothing but axis k are one curve. */
static bool same_curve(const request *r, int i, int j, int k)
{
    for (int m = 0; m < r->n_axes; m++)
        if (m != k && value_of(r, i, m) != value_of(r, j, m))
            return false;
    return true;
}

static void add_curve(mrn_cli_chart *c, const request *r, int first, int k, int figure, int colour)
{
    const mrn_trials *t = &r->w.t;
    double x[MOST_VALUES], y[MOST_VALUES], error[MOST_VALUES];
    char label[160] = "";
    int n = 0;
    bool grid = strcmp(r->design, "grid") == 0;
    for (int i = first; i < t->n_variants && n < MOST_VALUES; i++) {
        mrn_scatter s = scatter_at(t, i, figure);
        if ((grid && !same_curve(r, first, i, k)) || s.n == 0)
            continue;
        x[n] = r->at[i * r->n_axes + k];
        y[n] = s.mean;
        error[n++] = isfinite(half_of(&s)) ? half_of(&s) : 0;
    }
    for (int m = 0; m < r->n_axes && grid; m++) {
        size_t end = strlen(label);
        if (m != k)
            snprintf(label + end, sizeof label - end, "%s%s %s", end > 0 ? ", " : "",
                     short_name(r->axis[m].path), r->axis[m].value[value_of(r, first, m)]);
    }
    mrn_cli_chart_add(c, label, grid ? MRN_SERIES_BOTH : MRN_SERIES_POINTS, colour, n, x, y,
                      t->n_seeds > 1 ? error : NULL);
}

static void plot_values(mrn_cli_out *o, const request *r, int figure)
{
    const mrn_figure *g = &r->w.t.figure[figure];
    mrn_cli_chart c;
    int k = plot_axis(r), curves = 0;
    if (k < 0)
        return;
    mrn_cli_chart_begin(&c, g->name,
                        mrn_cli_heading(short_name(r->axis[k].path), r->axis[k].unit).s,
                        mrn_cli_figure_name(g).s);
    c.plot.x_log = r->axis[k].log;
    for (int i = 0; i < r->w.t.n_variants && curves < 8; i++) {
        bool first = strcmp(r->design, "grid") == 0 ? value_of(r, i, k) == 0 : i == 0;
        if (first)
            add_curve(&c, r, i, k, figure, curves++);
    }
    mrn_cli_chart_end(&c, o, mrn_cli_figure_file(g).s, MRN_PAGE_HALF, g->name);
}

/* ---- files ---- */

/* A cell of the head: quoted where the name has a comma ("stress, vertical"). */
static void put_head(FILE *f, const char *name, const char *unit)
{
    const char *quote = strchr(name, ',') != NULL || strchr(unit, ',') != NULL ? "\"" : "";
    fprintf(f, ",%s%s%s%s%s%s", quote, name, unit[0] ? " [" : "", unit, unit[0] ? "]" : "", quote);
}

static mrn_status write_csv(const request *r, mrn_message *msg)
{
    const mrn_trials *t = &r->w.t;
    char path[1200];
    mrn_atomic_file a;
    snprintf(path, sizeof path, "%s/sweep.csv", r->w.q.out);
    mrn_status s = mrn_atomic_open(path, &a, msg);
    if (s != MRN_OK)
        return s;
    fputs("point,seed", a.f);
    for (int k = 0; k < r->n_axes; k++)
        put_head(a.f, r->axis[k].path, r->axis[k].unit);
    for (int k = 0; k < t->n_figures; k++)
        put_head(a.f, t->figure[k].name, t->figure[k].unit);
    fputs(",status\n", a.f);
    for (int i = 0; i < t->n_variants * t->n_seeds; i++) {
        const mrn_trial *one = &t->trial[i];
        fprintf(a.f, "%d,%llu", one->variant + 1, (unsigned long long)one->seed);
        for (int k = 0; k < r->n_axes; k++)
            if (isfinite(r->at[one->variant * r->n_axes + k]))
                fprintf(a.f, ",%.17g", r->at[one->variant * r->n_axes + k]);
            else
                fprintf(a.f, ",%s", r->axis[k].value[value_of(r, one->variant, k)]);
        for (int k = 0; k < t->n_figures; k++)
            if (mrn_trial_counts(one) && isfinite(one->y[k]))
                fprintf(a.f, ",%.17g", one->y[k]);
            else
                fputc(',', a.f);
        fprintf(a.f, ",%s\n", mrn_status_text(one->status));
    }
    return mrn_atomic_commit(&a, msg);
}

static json_t *to_json(const request *r)
{
    const mrn_trials *t = &r->w.t;
    json_t *points = json_array();
    for (int i = 0; i < t->n_variants; i++) {
        json_t *probes = json_object();
        for (int k = 0; k < t->n_figures; k++)
            json_object_set_new(probes, t->figure[k].name, mrn_cli_figure_json(t, i, k));
        json_array_append_new(points,
                              json_pack("{s:s, s:o, s:o}", "name", t->variant[i].name, "set",
                                        mrn_cli_changes_json(&t->variant[i]), "probes", probes));
    }
    return json_pack("{s:s, s:s, s:s, s:i, s:I, s:o, s:o}", "moraine", MRN_VERSION, "scene",
                     r->w.q.path, "design", r->design, "seeds", t->n_seeds, "seed",
                     (json_int_t)t->seed, "last", mrn_cli_real(t->last), "points", points);
}

/* ---- all ---- */

static int show(request *r)
{
    mrn_cli_out o = {.folder = r->w.q.out, .f = r->w.q.json || r->w.q.quiet ? NULL : stdout};
    const mrn_trials *t = &r->w.t;
    json_t *root = to_json(r);
    const char *title = r->w.scene.title[0] != '\0' ? r->w.scene.title : r->w.q.path;
    o.status = mrn_page_create(title, "Sweep · Moraine " MRN_VERSION, &o.page, &o.msg);
    if (o.status == MRN_OK)
        o.status = mrn_cli_write_json(r->w.q.out, r->w.result, root, &o.msg);
    if (o.status == MRN_OK)
        o.status = write_csv(r, &o.msg);
    mrn_cli_title(&o, title);
    mrn_cli_line(&o, "sweep", "%s, %d key%s, design %s", r->w.q.path, r->n_axes,
                 r->n_axes == 1 ? "" : "s", r->design);
    mrn_cli_line(&o, "runs", "%d points, %d seed%s each, %s%s", t->n_variants, t->n_seeds,
                 t->n_seeds == 1 ? "" : "s", mrn_app_duration(r->w.seconds).s,
                 r->w.known > 0 ? " (with those of an earlier call)" : "");
    mrn_cli_line(&o, "files", "%s: report.html, sweep.csv, sweep.json, plots, runs", r->w.q.out);
    show_values(&o, r);
    for (int k = 0; k < t->n_figures; k++)
        plot_values(&o, r, k);
    int bad = mrn_cli_trials_failures(&o, t);
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
    mrn_status s = mrn_cli_trials_open(w, &msg);
    if (s == MRN_OK)
        s = mrn_cli_trials_figures(w, false, &msg);
    if (s == MRN_OK)
        s = make_variants(r, &msg);
    if (s == MRN_OK)
        s = mrn_cli_trials_run(w, &msg);
    return s == MRN_OK ? show(r) : mrn_session_fail(&msg, w->q.json);
}

int mrn_cmd_sweep(int argc, char **argv)
{
    request *r = mrn_alloc(sizeof *r);
    if (r == NULL)
        return MRN_EXIT_FAILED;
    *r = (request){.w = {.q = {.command = "sweep"}, .seeds = 1, .seed = -1}, .design = "grid"};
    r->w.result = "sweep.json";
    mrn_cli_keep_line(&r->w.q, argc, argv);
    int code = parse(argc, argv, r);
    code = code >= 0 ? code : run(r);
    mrn_cli_trials_close(&r->w);
    for (int k = 0; k < MOST_KEYS; k++) {
        mrn_free(r->axis[k].value);
        mrn_free(r->axis[k].x);
    }
    mrn_free(r->at);
    mrn_free(r);
    return code;
}
