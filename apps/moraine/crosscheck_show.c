/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cross-check on the terminal and on its page: plan, means, verdicts; its JSON. */
#include <math.h>
#include <string.h>

#include "crosscheck.h"

mrn_readable mrn_cli_pair_name(const mrn_trials *t, const mrn_cli_pair *p)
{
    return p->figure >= 0 ? mrn_cli_figure_name(&t->figure[p->figure])
                          : (mrn_readable){"force distribution (KS distance)"};
}

/* ---- plan ---- */

void mrn_cli_crosscheck_plan(mrn_cli_out *o, const mrn_cli_crosscheck *x)
{
    const mrn_trials *t = &x->w.t;
    const mrn_scene *s = &x->w.scene;
    mrn_cli_title(o, s->title[0] != '\0' ? s->title : x->w.q.path);
    mrn_cli_line(o, "scene", "%s%s%s", x->w.q.path,
                 x->opt.stage != NULL ? ", from this stage on: " : "",
                 x->opt.stage != NULL ? x->opt.stage : "");
    mrn_cli_line(o, "runs", "%d methods, %d seeds each (from %llu on)", t->n_variants, t->n_seeds,
                 (unsigned long long)t->seed);
    mrn_cli_section(o, "Methods");
    for (int i = 0; i < t->n_variants; i++) {
        const mrn_variant *v = &t->variant[i];
        mrn_cli_words(o, "%s: %s%s", v->name, mrn_method_summary(v->method),
                      v->n_words == 0 ? ". The scene as it is." : "");
        for (int k = 0; k < v->n_words; k++)
            mrn_cli_words(o, "  – %s", v->words[k]);
    }
    for (int i = 0; i < x->plan.n_left_out; i++)
        mrn_cli_note(o, MRN_TONE_DOUBT, "%s is left out: %s", x->plan.left_out[i].method->name,
                     x->plan.left_out[i].words);
}

/* ---- means ---- */

static mrn_scatter scatter_of(const mrn_trials *t, int variant, int figure)
{
    double *y = mrn_alloc((size_t)(t->n_seeds + 1) * sizeof *y);
    mrn_scatter s = mrn_scatter_of(y, y != NULL ? mrn_trials_values(t, variant, figure, y) : 0);
    mrn_free(y);
    return s;
}

/* Half the 95 % interval of a mean. */
static double half_of(const mrn_scatter *s)
{
    mrn_datum d = {.variance = s->sd * s->sd / s->n, .freedom = s->n - 1};
    return s->n > 1 && s->sd > 0 ? mrn_datum_half_width(&d, 0.95) : NAN;
}

static void show_means(mrn_cli_out *o, const mrn_cli_crosscheck *x)
{
    const mrn_trials *t = &x->w.t;
    mrn_app_table table;
    const char *cell[MRN_APP_CELLS] = {"number"};
    char name[MRN_APP_CELLS][80];
    int n = t->n_variants < MRN_APP_CELLS - 1 ? t->n_variants : MRN_APP_CELLS - 1;
    for (int i = 0; i < n; i++) {
        snprintf(name[i], sizeof name[i], ">%s", t->variant[i].name);
        cell[i + 1] = name[i];
    }
    mrn_app_table_begin(&table, n + 1, cell);
    for (int k = 0; k < t->n_figures; k++) {
        mrn_readable text[MRN_APP_CELLS], label = mrn_cli_figure_name(&t->figure[k]);
        cell[0] = label.s;
        for (int i = 0; i < n; i++) {
            mrn_scatter s = scatter_of(t, i, k);
            text[i] = mrn_cli_plus_minus(s.mean, half_of(&s));
            if (!mrn_figure_suits(&t->figure[k], t->variant[i].method))
                text[i] = mrn_cli_plus_minus(NAN, NAN);
            cell[i + 1] = text[i].s;
        }
        mrn_app_table_row(&table, cell);
    }
    mrn_cli_section(o, t->last > 0 ? "Means over the last part of the run" : "Values at the end");
    mrn_cli_table(o, NULL, &table);
    mrn_cli_words(o, "± is half the 95 %% interval of a mean over %d seeds.", t->n_seeds);
}

static void show_cost(mrn_cli_out *o, const mrn_cli_crosscheck *x)
{
    const mrn_trials *t = &x->w.t;
    mrn_app_table table;
    mrn_app_table_begin(&table, 7,
                        (const char *[]){"method", ">grains", ">contacts", ">step", ">steps",
                                         ">mean overlap", ">time of a run"});
    for (int i = 0; i < t->n_variants; i++) {
        double seconds = 0, contacts = 0, steps = 0, overlap = 0, n = 0;
        const mrn_trial *r = mrn_trials_at(t, i, 0);
        for (int k = 0; k < t->n_seeds; k++) {
            if (!mrn_trial_counts(mrn_trials_at(t, i, k)))
                continue;
            r = mrn_trials_at(t, i, k);
            n++;
            seconds += r->seconds;
            contacts += (double)r->contacts;
            steps += (double)r->steps;
            overlap += r->overlap;
        }
        n = fmax(n, 1);
        char text[32] = "–";
        if (isfinite(overlap))
            snprintf(text, sizeof text, "%.2g %%", 100 * overlap / n);
        mrn_app_table_row(
            &table,
            (const char *[]){
                t->variant[i].name, mrn_readable_count(r->grains).s,
                mrn_readable_count((int64_t)round(contacts / n)).s,
                t->variant[i].method->continuous ? "none" : mrn_readable_si(r->step, "s").s,
                t->variant[i].method->continuous ? "–"
                                                 : mrn_readable_count((int64_t)round(steps / n)).s,
                text, mrn_app_duration(seconds / n).s});
    }
    mrn_cli_section(o, "Runs");
    mrn_cli_table(o, NULL, &table);
}

/* ---- verdicts ---- */

static void percent(double part, double of, char *out, size_t size)
{
    double p = 100 * part / of;
    if (of > 0)
        snprintf(out, size, fabs(p) >= 10 ? "%+.0f %%" : "%+.2g %%", p);
    else
        snprintf(out, size, "–");
}

static void add_row(mrn_app_table *table, const mrn_cli_crosscheck *x, const mrn_cli_pair *p)
{
    const mrn_welch *w = &p->w;
    char share[32], t[24], df[24], verdict[80];
    percent(w->difference, p->figure >= 0 ? w->margin / x->within : 0, share, sizeof share);
    snprintf(t, sizeof t, isnan(w->t) ? "–" : "%.2f", w->t);
    snprintf(df, sizeof df, isnan(w->freedom) ? "–" : "%.1f", w->freedom);
    snprintf(verdict, sizeof verdict, "%s", mrn_verdict_name(w->verdict));
    if (w->verdict == MRN_CANNOT_TELL && w->seeds_needed > 0)
        snprintf(verdict, sizeof verdict, "cannot tell (about %d seeds would)", w->seeds_needed);
    mrn_app_table_row(table, (const char *[]){mrn_cli_pair_name(&x->w.t, p).s,
                                              mrn_cli_plus_minus(w->difference, w->half).s, share,
                                              t, df, mrn_cli_chance(w->p).s, verdict});
}

static void show_pair(mrn_cli_out *o, const mrn_cli_crosscheck *x, int a, int b)
{
    const mrn_trials *t = &x->w.t;
    mrn_app_table table;
    char title[200];
    int rows = 0;
    mrn_app_table_begin(
        &table, 7,
        (const char *[]){"number", ">difference", ">share", ">t", ">freedom", ">p", "verdict"});
    for (int i = 0; i < x->n; i++)
        if (x->pair[i].a == a && x->pair[i].b == b) {
            add_row(&table, x, &x->pair[i]);
            rows++;
        }
    snprintf(title, sizeof title, "%s less %s", t->variant[b].name, t->variant[a].name);
    mrn_cli_section(o, title);
    mrn_cli_table(o, NULL, &table);
    if (rows == 0)
        mrn_cli_words(o, "There is nothing that both have.");
}

static void show_verdict(mrn_cli_out *o, const mrn_cli_crosscheck *x)
{
    int differ = mrn_cli_crosscheck_count(x, MRN_DIFFER);
    int open = mrn_cli_crosscheck_count(x, MRN_CANNOT_TELL);
    mrn_cli_section(o, "Verdict");
    if (x->n == 0) {
        mrn_cli_note(o, MRN_TONE_BAD,
                     "There is nothing to compare: no two methods have runs that "
                     "ended well.");
        return;
    }
    mrn_cli_note(o,
                 differ > 0 ? MRN_TONE_BAD
                 : open > 0 ? MRN_TONE_DOUBT
                            : MRN_TONE_GOOD,
                 "%d comparisons: %d agree within %g %%, %d differ, %d cannot be told.", x->n,
                 mrn_cli_crosscheck_count(x, MRN_AGREE), 100 * x->within, differ, open);
    if (!x->random)
        mrn_cli_words(o, "Seeds make no difference: nothing in this scene is drawn at random, or "
                         "nothing shows of it. Differences are those of the methods, and verdicts "
                         "go by the margin alone.");
    else
        mrn_cli_words(o,
                      "Intervals: Welch's t, each at %.4g %%, so that all %d hold together with "
                      "%g %% (Bonferroni): that any of them is said to differ by chance has a "
                      "probability below %.2g.",
                      100 * (1 - (1 - x->confidence) / x->n), x->n, 100 * x->confidence,
                      1 - x->confidence);
}

void mrn_cli_crosscheck_show(mrn_cli_out *o, const mrn_cli_crosscheck *x)
{
    const mrn_trials *t = &x->w.t;
    mrn_cli_crosscheck_plan(o, x);
    show_cost(o, x);
    show_means(o, x);
    for (int a = 0; a < t->n_variants; a++)
        for (int b = a + 1; b < t->n_variants; b++)
            show_pair(o, x, a, b);
    show_verdict(o, x);
    mrn_cli_crosscheck_reasons(o, x);
    mrn_cli_crosscheck_plots(o, x);
}

/* ---- JSON ---- */

static json_t *variant_json(const mrn_trials *t, int i)
{
    const mrn_variant *v = &t->variant[i];
    json_t *words = json_array(), *figures = json_object(), *runs = json_array();
    for (int k = 0; k < v->n_words; k++)
        json_array_append_new(words, json_string(v->words[k]));
    for (int k = 0; k < t->n_figures && t->trial != NULL; k++)
        json_object_set_new(figures, t->figure[k].name, mrn_cli_figure_json(t, i, k));
    for (int k = 0; k < t->n_seeds && t->trial != NULL; k++) {
        const mrn_trial *r = mrn_trials_at(t, i, k);
        json_array_append_new(
            runs, json_pack("{s:I, s:s, s:I, s:o, s:o, s:o, s:o, s:I, s:I}", "seed",
                            (json_int_t)r->seed, "status", mrn_status_text(r->status), "steps",
                            (json_int_t)r->steps, "step", mrn_cli_real(r->step), "seconds",
                            mrn_cli_real(r->seconds), "overlap", mrn_cli_real(r->overlap),
                            "largest-overlap", mrn_cli_real(r->largest_overlap), "contacts",
                            (json_int_t)r->contacts, "self-stress", (json_int_t)r->self_stress));
    }
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "method", v->name, "set", mrn_cli_changes_json(v),
                     "words", words, "numbers", figures, "runs", runs);
}

static json_t *pair_json(const mrn_trials *t, const mrn_cli_pair *p)
{
    const mrn_welch *w = &p->w;
    const char *name = p->figure >= 0 ? t->figure[p->figure].name : "force distribution";
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "number", name, "a",
                     t->variant[p->a].name, "b", t->variant[p->b].name, "difference",
                     mrn_cli_real(w->difference), "error", mrn_cli_real(w->error), "half-width",
                     mrn_cli_real(w->half), "t", mrn_cli_real(w->t), "freedom",
                     mrn_cli_real(w->freedom), "p", mrn_cli_real(w->p), "margin",
                     mrn_cli_real(w->margin), "verdict", mrn_verdict_name(w->verdict));
}

json_t *mrn_cli_crosscheck_json(const mrn_cli_crosscheck *x)
{
    const mrn_trials *t = &x->w.t;
    json_t *methods = json_array(), *out = json_array(), *pairs = json_array();
    for (int i = 0; i < t->n_variants; i++)
        json_array_append_new(methods, variant_json(t, i));
    for (int i = 0; i < x->plan.n_left_out; i++)
        json_array_append_new(out,
                              json_pack("{s:s, s:s}", "method", x->plan.left_out[i].method->name,
                                        "why", x->plan.left_out[i].words));
    for (int i = 0; i < x->n; i++)
        json_array_append_new(pairs, pair_json(t, &x->pair[i]));
    return json_pack("{s:s, s:s, s:i, s:I, s:o, s:f, s:f, s:i, s:o, s:o, s:o}", "moraine",
                     MRN_VERSION, "scene", x->w.q.path, "seeds", t->n_seeds, "seed",
                     (json_int_t)t->seed, "last", mrn_cli_real(t->last), "within", x->within,
                     "confidence", x->confidence, "comparisons", x->n, "methods", methods,
                     "left-out", out, "pairs", pairs);
}
