/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A calibration in words and tables: what is asked, what was found, what the tests tell apart. */
#include <math.h>
#include <string.h>

#include "lab_calibrate.h"

/* Of the surrogate: what it misses of points left out, over their spread. */
#define BAD_QUALITY 0.5
#define USELESS     0.9 /* hardly better than the mean of the others */

/* ---- numbers ---- */

double mrn_tuning_place(const mrn_parameter *p, double x)
{
    return p->log ? log10(x / p->lo) / log10(p->hi / p->lo) : (x - p->lo) / (p->hi - p->lo);
}

double mrn_tuning_value(const mrn_parameter *p, double place)
{
    return p->log ? p->lo * pow(p->hi / p->lo, place) : p->lo + place * (p->hi - p->lo);
}

double mrn_tuning_objective(const mrn_tuning *t, const double *y)
{
    double sum = 0;
    for (int i = 0; i < t->r->m; i++) {
        double d = t->r->datum[i].y - y[i];
        sum += d * d / t->r->datum[i].variance;
    }
    return sum;
}

double mrn_tuning_leverage(const mrn_tuning *t, int i, int k)
{
    const mrn_parameter *p = &t->parameter[k];
    const mrn_fit *f = &t->r->fit;
    double range = p->log ? f->x[k] * log(p->hi / p->lo) : p->hi - p->lo;
    return f->sensitivity[i * f->n + k] * range / sqrt(t->r->datum[i].variance);
}

/* As mrn_calibrate goes about it: a design that no one asked for leaves a third of the points for
   the search. */
mrn_tuning_runs mrn_tuning_count(const mrn_calibration *c)
{
    int64_t seeds = c->seeds > 3 ? c->seeds : 3, each = (int64_t)c->n_tests * c->seeds;
    int64_t least = c->n_tuned + 2, wanted = c->points > 0 ? c->points : 5 * c->n_tuned + 5;
    mrn_tuning_runs n = {.check = c->n_tests * seeds, .most = c->runs};
    int64_t room = (n.most - n.check) / each, share = c->points > 0 ? room : room - room / 3;
    n.points = wanted < share ? wanted : share;
    n.points = n.points > least ? n.points : least;
    n.design = n.points * each;
    return n;
}

/* "27.0 ± 1.2": as many digits as the error has any use for. */
static mrn_readable plus_minus(double v, double error)
{
    mrn_readable t;
    int digits = error > 0 ? 1 - (int)floor(log10(error)) : 0;
    if (isnan(v))
        snprintf(t.s, sizeof t.s, "–");
    else if (!(error > 0) || !isfinite(error))
        return mrn_cli_number(v, 5);
    else if (digits >= 0 && digits <= 6 && fabs(v) < 1e6)
        snprintf(t.s, sizeof t.s, "%.*f ± %.*f", digits, v, digits, error);
    else
        snprintf(t.s, sizeof t.s, "%.24s ± %.24s", mrn_cli_number(v, 5).s,
                 mrn_cli_number(error, 2).s);
    return t;
}

static const char *take_name(mrn_take take)
{
    static const char *const name[] = {"end", "mean", "max", "min", "slope", "change"};
    return name[take];
}

/* ---- what the file says ---- */

static void set_list(const mrn_virtual_test *v, char *buf, size_t size)
{
    size_t n = 0;
    buf[0] = '\0';
    for (int k = 0; k < v->n_set && n + 300 < size; k++)
        n += (size_t)snprintf(buf + n, size - n, "%s%s", n > 0 ? ", " : "", v->set[k]);
}

static void show_tests(mrn_cli_out *o, const mrn_calibration *c)
{
    int changed = 0;
    mrn_app_table t;
    for (int i = 0; i < c->n_tests; i++)
        changed += c->test[i].n_set;
    mrn_app_table_begin(&t, changed > 0 ? 3 : 2,
                        (const char *[]){"test", "scene", "always changed"});
    for (int i = 0; i < c->n_tests; i++) {
        char set[2000];
        set_list(&c->test[i], set, sizeof set);
        mrn_app_table_row(&t, (const char *[]){c->test[i].name, c->test[i].path, set});
    }
    mrn_cli_table(o, "tests: scenes that are run in place of experiments", &t);
}

static void paths_text(const mrn_calibration *c, const mrn_tuned *tuned, char *buf, size_t size)
{
    buf[0] = '\0';
    for (int k = 0; k < tuned->n_paths; k++) {
        size_t n = strlen(buf);
        int test = tuned->test[k];
        snprintf(buf + n, size - n, "%s%s%s%s", n > 0 ? ", " : "", tuned->path[k],
                 test >= 0 ? " of " : "", test >= 0 ? c->test[test].name : "");
    }
}

static void show_tuned(mrn_cli_out *o, const mrn_calibration *c)
{
    const char *head[] = {"parameter", ">from", ">to", "scale", "what it sets"};
    mrn_app_table t;
    mrn_app_table_begin(&t, 5, head);
    for (int k = 0; k < c->n_tuned; k++) {
        const mrn_parameter *p = &c->tuned[k].p;
        char paths[1000];
        paths_text(c, &c->tuned[k], paths, sizeof paths);
        mrn_app_table_row(
            &t, (const char *[]){mrn_cli_heading(p->name, p->unit).s, mrn_cli_number(p->lo, 6).s,
                                 mrn_cli_number(p->hi, 6).s, p->log ? "log" : "linear", paths});
    }
    mrn_cli_table(o, "parameters: what is to be found", &t);
}

/* "the slope of outlets.below.mass in stage discharge, from 0.1 s on, the last 0.5 s" */
static void probe_text(const mrn_target *g, char *buf, size_t size)
{
    int n = snprintf(buf, size, "%s, %s of stage %s", g->probe, take_name(g->take), g->stage_name);
    if (g->after > 0)
        n += snprintf(buf + n, size - (size_t)n, ", from %s on", mrn_readable_si(g->after, "s").s);
    if (g->last > 0)
        snprintf(buf + n, size - (size_t)n, ", its last %s", mrn_readable_si(g->last, "s").s);
}

static mrn_readable measured_text(const mrn_target *g)
{
    return plus_minus(g->datum.y, mrn_datum_half_width(&g->datum, 0.95));
}

static void show_targets(mrn_cli_out *o, const mrn_calibration *c)
{
    mrn_app_table t;
    mrn_app_table_begin(&t, 3, (const char *[]){"target", ">measured", "held against"});
    for (int i = 0; i < c->n_targets; i++) {
        const mrn_target *g = &c->target[i];
        char probe[300];
        probe_text(g, probe, sizeof probe);
        mrn_app_table_row(
            &t, (const char *[]){mrn_cli_heading(g->name, g->unit).s, measured_text(g).s, probe});
    }
    mrn_cli_table(o, "targets: what was measured, ± 95 %", &t);
}

void mrn_tuning_show_file(mrn_cli_out *o, const mrn_calibration *c)
{
    show_tests(o, c);
    show_tuned(o, c);
    show_targets(o, c);
}

void mrn_tuning_show_plan(mrn_cli_out *o, const mrn_calibration *c)
{
    mrn_tuning_runs n = mrn_tuning_count(c);
    mrn_cli_title(o, c->title);
    mrn_cli_line(o, "file", "%s", c->path);
    if (c->from[0] != '\0')
        mrn_cli_line(o, "measured", "%s", c->from);
    mrn_tuning_show_file(o, c);
    mrn_cli_section(o, "Runs");
    mrn_cli_line(o, "first", "%lld: %lld points that fill the box, %d test%s each, %d seeds",
                 (long long)n.design, (long long)n.points, c->n_tests, c->n_tests == 1 ? "" : "s",
                 c->seeds);
    mrn_cli_line(o, "check", "%lld at the optimum, with seeds of their own", (long long)n.check);
    mrn_cli_line(o, "at most", "%lld; it ends sooner when F is expected to fall by less than %g",
                 (long long)n.most, c->tolerance);
    if (n.design + n.check > n.most)
        mrn_cli_note(o, MRN_TONE_DOUBT,
                     "That is not enough: %lld points and the check take %lld runs.",
                     (long long)n.points, (long long)(n.design + n.check));
    mrn_cli_words(o,
                  "Nothing was run, so nothing is known of the time it takes: `moraine check "
                  "SCENE` estimates one run of a scene. %d thread%s work side by side, one run "
                  "each.",
                  mrn_threads(), mrn_threads() == 1 ? "" : "s");
}

/* ---- the head ---- */

static void free_text(const mrn_calibration *c, char *buf, size_t size)
{
    size_t n = 0;
    buf[0] = '\0';
    for (int k = 0; k < c->n_tuned && n + 160 < size; k++) {
        const mrn_parameter *p = &c->tuned[k].p;
        const char *sign = mrn_cli_unit_sign(p->unit);
        n += (size_t)snprintf(buf + n, size - n, "%s%s from %s to %s%s%s%s", k > 0 ? "; " : "",
                              p->name, mrn_cli_number(p->lo, 6).s, mrn_cli_number(p->hi, 6).s,
                              sign[0] != '\0' ? " " : "", sign, p->log ? ", log" : "");
    }
}

static void tests_text(const mrn_calibration *c, char *buf, size_t size)
{
    size_t n = 0;
    buf[0] = '\0';
    for (int i = 0; i < c->n_tests && n + 200 < size; i++)
        n += (size_t)snprintf(buf + n, size - n, "%s%s (%.100s)", i > 0 ? ", " : "",
                              c->test[i].name, c->test[i].path);
}

static int64_t count_failed(const mrn_calibrated *r, int64_t *first)
{
    int64_t n = 0;
    *first = -1;
    for (int64_t i = 0; i < r->n_runs; i++) {
        if (r->run[i].status == MRN_OK || r->run[i].status == MRN_AT_MOST)
            continue;
        *first = *first < 0 ? i : *first;
        n++;
    }
    return n;
}

static void show_head(mrn_cli_out *o, const mrn_tuning *t)
{
    const mrn_calibration *c = t->c;
    const mrn_calibrated *r = t->r;
    char tests[1600], free_ones[1600], runs[300], targets[64];
    tests_text(c, tests, sizeof tests);
    free_text(c, free_ones, sizeof free_ones);
    snprintf(targets, sizeof targets, "%d value%s", c->n_targets, c->n_targets == 1 ? "" : "s");
    snprintf(runs, sizeof runs, "%lld of at most %lld, at %lld points, %lld of them the first",
             (long long)r->n_runs, (long long)c->runs, (long long)r->n_points,
             (long long)r->n_design);
    mrn_cli_title(o, c->title);
    mrn_cli_line(o, "file", "%s", c->path);
    mrn_cli_line(o, "tests", "%s", tests);
    mrn_cli_line(o, "free", "%s", free_ones);
    mrn_cli_line(o, "measured", "%s%s%s", targets, c->from[0] != '\0' ? "; " : "", c->from);
    mrn_cli_line(o, "runs", "%s", runs);
    if (o->page == NULL)
        return;
    const char *facts[] = {"file", c->path, "runs", runs, "source", c->from};
    mrn_page_section(o->page, "Tests");
    mrn_page_facts(o->page, c->from[0] != '\0' ? 3 : 2, facts);
    FILE *f = o->f; /* on the terminal the lines above do */
    o->f = NULL;
    mrn_tuning_show_file(o, c);
    o->f = f;
}

/* ---- targets ---- */

static mrn_readable noise_text(const mrn_calibrated *r, int i)
{
    mrn_readable t;
    if (r->freedom[i] > 0)
        snprintf(t.s, sizeof t.s, "%.24s (%d)", mrn_cli_number(r->noise[i], 2).s, r->freedom[i]);
    else
        snprintf(t.s, sizeof t.s, "–");
    return t;
}

static void show_fitted(mrn_cli_out *o, const mrn_tuning *t)
{
    const char *head[] = {"target", ">measured", ">simulated", ">off by", ">check: predicted",
                          ">run",   ">noise"};
    const mrn_calibrated *r = t->r;
    mrn_app_table table;
    mrn_cli_section(o, "Measured and simulated");
    mrn_app_table_begin(&table, 7, head);
    for (int i = 0; i < r->m; i++) {
        const mrn_target *g = &t->c->target[i];
        double sigmas = r->fit.residual[i] / sqrt(r->datum[i].variance);
        char off[40];
        snprintf(off, sizeof off, "%.2f σ", fabs(sigmas) < 0.005 ? 0 : sigmas);
        mrn_app_table_row(
            &table,
            (const char *[]){mrn_cli_heading(g->name, g->unit).s, measured_text(g).s,
                             plus_minus(r->fit.y[i], 2 * sqrt(r->model_variance[i])).s, off,
                             plus_minus(r->predicted[i], 2 * r->predicted_sd[i]).s,
                             plus_minus(r->check[i], 2 * r->check_sd[i]).s, noise_text(r, i).s});
    }
    mrn_cli_table(o, "at the optimum; measured ± 95 %, simulated ± 2 standard errors", &table);
    mrn_cli_words(
        o, "Simulated: by the surrogate at the optimum. Off by: measured less simulated, over "
           "the standard error of both. Check: what the surrogate predicted at the optimum that "
           "the search ended with, and what runs there gave, with seeds of their own; a "
           "check that agrees is used in the fit and may move the optimum a little. Noise: "
           "standard deviation of a single run, from runs that differ in their seeds alone, "
           "with its degrees of freedom.");
    if (r->checked)
        mrn_cli_note(
            o, MRN_TONE_GOOD,
            "Check: what was run agrees with what the surrogate had predicted, within three "
            "standard errors.");
}

static void show_failed(mrn_cli_out *o, const mrn_tuning *t)
{
    int64_t first, n = count_failed(t->r, &first);
    if (n == 0)
        return;
    const mrn_virtual_run *run = &t->r->run[first];
    char at[600] = "";
    for (int k = 0; k < t->r->n; k++) {
        size_t used = strlen(at);
        snprintf(at + used, sizeof at - used, "%s%s = %.4g", k > 0 ? ", " : "",
                 t->parameter[k].name, run->x[k]);
    }
    mrn_cli_note(o, MRN_TONE_DOUBT, "%lld of %lld runs gave no value; the first: %s at %s: %s%s%s",
                 (long long)n, (long long)t->r->n_runs, t->c->test[run->test].name, at,
                 mrn_status_text(run->status), run->words[0] != '\0' ? ": " : ".", run->words);
}

/* Which part of what the surrogate misses, squared, is the scatter of the runs themselves. */
static double noise_part(const mrn_calibrated *r, int i)
{
    double sum = 0, square = 0, noise = 0, n = 0;
    for (int64_t k = 0; k < r->n_points; k++) {
        double y = r->y[k * r->m + i];
        if (!isfinite(y))
            continue;
        sum += y;
        square += y * y;
        noise += r->variance[k * r->m + i];
        n++;
    }
    double spread = square / n - sum / n * (sum / n);
    return noise / n / (r->quality[i] * r->quality[i] * spread);
}

static void warn_surrogate(mrn_cli_out *o, const mrn_tuning *t, int i)
{
    double quality = t->r->quality[i], noise = noise_part(t->r, i);
    if (!(quality > BAD_QUALITY))
        return;
    if (noise > 0.5)
        mrn_cli_note(o, MRN_TONE_DOUBT,
                     "%s: the surrogate misses points that it was not shown by %.0f %% of their "
                     "spread, mostly because runs scatter: more seeds, or more grains, would tell "
                     "more than more points.",
                     t->response[i], 100 * quality);
    else
        mrn_cli_note(o, quality > USELESS ? MRN_TONE_BAD : MRN_TONE_DOUBT,
                     "%s: the surrogate misses points that it was not shown by %.0f %% of their "
                     "spread. %s: make more runs (--resume --runs N), or narrow the bounds.",
                     t->response[i], 100 * quality,
                     quality > USELESS ? "Nothing that rests on it can be trusted"
                                       : "Take what rests on it with care");
}

static void show_surrogate(mrn_cli_out *o, const mrn_tuning *t)
{
    const mrn_calibrated *r = t->r;
    for (int i = 0; i < r->m; i++)
        warn_surrogate(o, t, i);
    if (o->page == NULL)
        return;
    mrn_page_heading(o->page, "The surrogate");
    mrn_page_text(o->page,
                  "Between the runs a Gaussian process per target stands in for the scenes.");
    for (int i = 0; i < r->m && r->surrogate != NULL; i++) {
        char text[1200];
        snprintf(text, sizeof text, "%s: %s", t->response[i], mrn_surrogate_words(r->surrogate, i));
        mrn_page_text(o->page, text);
    }
}

/* ---- what the tests tell apart ---- */

void mrn_tuning_combination(const mrn_tuning *t, int k, char *buf, size_t size)
{
    enum { SMALL = 10 }; /* parts below a tenth of the largest are left out */
    int n = t->r->n, most = 0;
    const double *d = t->r->direction + (size_t)k * (size_t)n;
    size_t used = 0;
    buf[0] = '\0';
    for (int j = 1; j < n; j++)
        most = fabs(d[j]) > fabs(d[most]) ? j : most;
    for (int j = 0; j < n && used + 100 < size; j++) {
        int at = j == 0 ? most : j <= most ? j - 1 : j; /* the largest first */
        double part = d[at] / d[most];
        if (j > 0 && !(fabs(part) * SMALL >= 1))
            continue;
        char factor[24] = "";
        if (j > 0 && fabs(fabs(part) - 1) >= 0.05)
            snprintf(factor, sizeof factor, "%.1f ", fabs(part));
        used += (size_t)snprintf(buf + used, size - used, "%s%s%s",
                                 j == 0     ? ""
                                 : part < 0 ? " - "
                                            : " + ",
                                 factor, t->parameter[at].name);
    }
}

static const char *how_well(double strength)
{
    return strength >= 10  ? "known"
           : strength >= 3 ? "roughly known"
           : strength >= 1 ? "hardly known"
                           : "not known";
}

/* Where all are known alike, any set of directions would do, and the one found says nothing. */
static bool known_alike(const mrn_calibrated *r)
{
    return r->n_known == r->n && r->strength[0] < 2 * r->strength[r->n - 1];
}

static void show_combinations(mrn_cli_out *o, const mrn_tuning *t)
{
    const double *strength = t->r->strength;
    if (known_alike(t->r)) {
        mrn_cli_words(o, "%s known to ± %.2g %% of its range (one standard deviation).",
                      t->r->n == 1 ? "It is" : "Every combination of them is",
                      100 / strength[t->r->n - 1]);
        return;
    }

    const char *head[] = {"combination", ">over its range", ">known to", "how well"};
    mrn_app_table table;
    mrn_app_table_begin(&table, 4, head);
    for (int k = 0; k < t->r->n; k++) {
        double s = t->r->strength[k];
        char name[400], range[40], share[40] = "–";
        mrn_tuning_combination(t, k, name, sizeof name);
        snprintf(range, sizeof range, s < 100 ? "%.2g σ" : "%.0f σ", s < 0.01 ? 0 : s);
        if (s >= 1)
            snprintf(share, sizeof share, "± %.2g %%", 100 / s);
        mrn_app_table_row(&table, (const char *[]){name, range, share, how_well(s)});
    }
    mrn_cli_table(o, "combinations of the parameters, each counted in its range (log: in decades)",
                  &table);
    mrn_cli_words(o, "Over its range: by how many standard errors the targets move. Known to: one "
                     "standard deviation, of that range.");
}

static void show_leverage(mrn_cli_out *o, const mrn_tuning *t)
{
    int n = t->r->n < MRN_APP_CELLS - 1 ? t->r->n : MRN_APP_CELLS - 1;
    const char *text[MRN_APP_CELLS] = {"target"};
    mrn_readable store[MRN_APP_CELLS];
    mrn_app_table table;
    for (int k = 0; k < n; k++) {
        snprintf(store[k].s, sizeof store[k].s, ">%.60s", t->parameter[k].name);
        text[1 + k] = store[k].s;
    }
    mrn_app_table_begin(&table, 1 + n, text);
    for (int i = 0; i < t->r->m; i++) {
        text[0] = t->response[i];
        for (int k = 0; k < n; k++) {
            snprintf(store[k].s, sizeof store[k].s, "%+.1f σ", mrn_tuning_leverage(t, i, k));
            text[1 + k] = store[k].s;
        }
        mrn_app_table_row(&table, text);
    }
    mrn_cli_table(o,
                  "targets, in standard errors, as a parameter goes over its range (slope at the "
                  "optimum)",
                  &table);
}

static void show_apart(mrn_cli_out *o, const mrn_tuning *t)
{
    int n = t->r->n, known = t->r->n_known;
    mrn_cli_section(o, "What the tests tell apart");
    if (n == 1 && known == 1)
        mrn_cli_note(o, MRN_TONE_GOOD, "The targets tell %s.", t->parameter[0].name);
    else if (known >= n)
        mrn_cli_note(o, MRN_TONE_GOOD, "The targets tell all parameters apart.");
    else
        mrn_cli_note(o, MRN_TONE_DOUBT,
                     "The targets tell %d combination%s of %d parameter%s, not %s. The rest is "
                     "open within the bounds: fix a parameter from elsewhere, or add a test that "
                     "moves along what is not known.",
                     known, known == 1 ? "" : "s", n, n == 1 ? "" : "s",
                     n == 1 ? "it" : "each of them");
    show_combinations(o, t);
    show_leverage(o, t);
}

/* ---- to try it ---- */

static void set_text(const mrn_tuning *t, int tuned, const char *path, char *buf, size_t size)
{
    const mrn_parameter *p = &t->parameter[tuned];
    snprintf(buf, size, "%s=%.6g%s%s", path, t->r->fit.x[tuned], p->unit[0] != '\0' ? " " : "",
             p->unit);
}

void mrn_tuning_command(const mrn_tuning *t, int test, char *buf, size_t size)
{
    const mrn_virtual_test *v = &t->c->test[test];
    char word[400];
    snprintf(buf, size, "moraine run");
    mrn_cli_add_word(buf, size, v->path);
    for (int k = 0; k < v->n_set; k++) {
        mrn_cli_add_word(buf, size, "--set");
        mrn_cli_add_word(buf, size, v->set[k]);
    }
    for (int k = 0; k < t->c->n_tuned; k++) {
        const mrn_tuned *tuned = &t->c->tuned[k];
        for (int i = 0; i < tuned->n_paths; i++) {
            if (tuned->test[i] >= 0 && tuned->test[i] != test)
                continue;
            set_text(t, k, tuned->path[i], word, sizeof word);
            mrn_cli_add_word(buf, size, "--set");
            mrn_cli_add_word(buf, size, word);
        }
    }
}

static void show_try(mrn_cli_out *o, const mrn_tuning *t)
{
    mrn_cli_section(o, "To try the optimum");
    for (int i = 0; i < t->c->n_tests; i++) {
        char line[8192];
        mrn_tuning_command(t, i, line, sizeof line);
        if (o->f != NULL) /* in one line, as a shell wants it */
            fprintf(o->f, "  %s\n", line);
        if (o->page != NULL)
            mrn_page_code(o->page, NULL, line, false);
    }
}

/* ---- to repeat it ---- */

static void repeat_line(const mrn_tuning *t, char *line, size_t size)
{
    snprintf(line, size, "moraine calibrate calibration.yaml");
    for (int i = 0; i < t->c->n_tests; i++) {
        char path[1000], word[1200];
        if (mrn_tuning_scene_copy(t->c, i, path, sizeof path))
            continue;
        snprintf(word, sizeof word, "tests.%s.scene=%s", t->c->test[i].name, path);
        mrn_cli_add_word(line, size, "--set");
        mrn_cli_add_word(line, size, word);
    }
}

static void show_repeat(mrn_cli_out *o, const mrn_tuning *t)
{
    char seed[32], line[8192];
    if (o->page == NULL)
        return;
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)t->c->seed);
    const char *facts[] = {"version", MRN_VERSION, "seed", seed};
    mrn_page_section(o->page, "To repeat it");
    mrn_page_text(o->page,
                  "The command as it was given. The same version with the same files, seed and "
                  "options gives the same numbers, bit for bit, for any number of threads, also "
                  "when it was stopped and resumed between. Every run stands in runs.csv; with "
                  "--resume those that were made already are not made again.");
    mrn_page_code(o->page, NULL, t->q->line, false);
    mrn_page_facts(o->page, 2, facts);
    repeat_line(t, line, sizeof line);
    mrn_page_text(o->page, "In the folder of this page, with the same options; what --set changed "
                           "is in the file already:");
    mrn_page_code(o->page, NULL, line, false);
    if (t->c->source != NULL)
        mrn_page_code(o->page, "calibration.yaml", t->c->source, true);
    for (int i = 0; i < t->c->n_tests; i++) {
        char name[1000];
        mrn_tuning_scene_copy(t->c, i, name, sizeof name);
        if (t->c->test[i].text != NULL)
            mrn_page_code(o->page, name, t->c->test[i].text, true);
    }
}

/* ---- all ---- */

static void show_assumed(mrn_cli_out *o)
{
    mrn_cli_words(o, "Of the simulation: runs that differ in their seeds are independent and "
                     "normal, and scatter alike all over the box; between the points the targets "
                     "are as smooth as the surrogate takes them to be. What it does not know at "
                     "the optimum is added to the errors of the measurements.");
}

void mrn_tuning_show(mrn_cli_out *o, const mrn_tuning *t)
{
    show_head(o, t);
    mrn_cli_show_result(o, &t->x);
    show_fitted(o, t);
    show_failed(o, t);
    show_surrogate(o, t);
    show_apart(o, t);
    if (o->page != NULL)
        mrn_page_section(o->page, "Pictures");
    mrn_tuning_plot(o, t);
    mrn_cli_plot_fit(o, &t->x);
    mrn_cli_show_quality(o, &t->x);
    show_assumed(o);
    show_try(o, t);
    show_repeat(o, t);
    if (o->f != NULL)
        fputc('\n', o->f);
    mrn_cli_line(o, "time", "%s", mrn_app_duration(t->seconds).s);
}
