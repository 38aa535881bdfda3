/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine crosscheck: one scene under every method that can do it. */
#include <math.h>
#include <string.h>

#include "crosscheck.h"
#include "session.h"

static const mrn_app_page page = {
    .usage = "crosscheck SCENE [options]",
    .doc =
        "Runs the scene under every method that can do it, with several seeds each, and tells "
        "where the methods\n"
        "agree and where they differ: solid fraction, coordination, stresses, forces, energies, "
        "heights, and any\n"
        "probe. Laws that a method does not take are translated (restitution and friction stay); "
        "how, is printed.\n"
        "A method that cannot do the scene is left out, with the reason.\n"
        "For every number and every two methods: the difference of the means over seeds with its "
        "interval\n"
        "(Welch's t; all intervals hold together with 95 %), and a verdict. agree: the whole "
        "interval lies within\n"
        "the margin (--within, 5 % of the number). differ: zero lies outside. cannot tell: "
        "neither; more seeds\n"
        "would. Known reasons are given with their size: overlaps, steps, states of self-stress in "
        "which forces\n"
        "between rigid grains are not unique. Writes report.html, crosscheck.json, a plot per "
        "number, and every run\n"
        "into the folder. Exit codes: 0 done (whatever the verdicts), 1 runs failed or "
        "interrupted, 2 bad usage or\n"
        "input.",
    .examples = "moraine crosscheck settle.yaml --plan\n"
                "moraine crosscheck settle.yaml --seeds 8\n"
                "moraine crosscheck gas.yaml --last \"20 ms\" --probe granular-temperature\n"
                "moraine crosscheck biaxial.yaml --stage load --methods smooth,quasistatic\n"
                "moraine crosscheck settle.yaml --only nonsmooth:nonsmooth.tolerance=1e-5",
};

static int parse(int argc, char **argv, mrn_cli_crosscheck *x)
{
    mrn_app_option options[7 + MRN_CLI_TRIAL_OPTIONS] = {
        {.name = "seeds",
         .letter = 'k',
         .kind = MRN_OPT_INTEGER,
         .target = &x->w.seeds,
         .arg = "N",
         .min = 2,
         .max = 256,
         .doc = "Runs of each method, each with a seed of its own; else 5."},
        {.name = "methods",
         .letter = 'm',
         .kind = MRN_OPT_TEXT,
         .target = &x->opt.methods,
         .arg = "NAME,…",
         .doc = "Only these; else all that can do the scene."},
        {.name = "stage",
         .kind = MRN_OPT_TEXT,
         .target = &x->opt.stage,
         .arg = "NAME",
         .doc = "Methods change from this stage on; what comes before is run by the scene's own. "
                "Where a method cannot take over from it, it runs the whole scene."},
        {.name = "only",
         .kind = MRN_OPT_LIST,
         .target = &x->only,
         .arg = "METHOD:PATH=VALUE",
         .doc = "A change for one method, as --set is for all. May be given many times."},
        {.name = "within",
         .kind = MRN_OPT_NUMBER,
         .target = &x->within,
         .arg = "SHARE",
         .min = 1e-9,
         .max = 1,
         .doc = "Differences below this share of a number are none; else 0.05. Energies are held "
                "against the largest kinetic energy."},
        {.name = "confidence",
         .kind = MRN_OPT_NUMBER,
         .target = &x->confidence,
         .arg = "P",
         .min = 0.5,
         .max = 0.9999,
         .doc = "That all intervals hold together; else 0.95."},
        {.name = "plan",
         .kind = MRN_OPT_FLAG,
         .target = &x->w.plan,
         .doc = "Tell which methods would run, with what changes, and stop."},
    };
    mrn_cli_trial_options(&x->w, options + 7);
    int n, code = mrn_app_parse(&page, options, sizeof options / sizeof *options, argc, argv,
                                &x->w.q.path, 1, &n);
    return mrn_cli_trials_check(&x->w, code, n);
}

/* ---- comparisons ---- */

/* Means over the runs of a variant. */
static double largest_kinetic(const mrn_trials *t)
{
    double most = 0;
    for (int i = 0; i < t->n_variants * t->n_seeds; i++)
        if (mrn_trial_counts(&t->trial[i]))
            most = fmax(most, t->trial[i].kinetic);
    return most;
}

static double scale_of(const mrn_trials *t, const mrn_figure *g, const mrn_scatter of[2])
{
    double size = fmax(fabs(of[0].mean), fabs(of[1].mean));
    return g->energy ? fmax(size, largest_kinetic(t)) : size;
}

/* Whether both have it. */
static bool comparable(const mrn_trials *t, int a, int b, int k)
{
    const mrn_method *ma = t->variant[a].method, *mb = t->variant[b].method;
    double *y = mrn_alloc((size_t)(t->n_seeds + 1) * sizeof *y);
    bool has = y != NULL && mrn_trials_values(t, a, k, y) > 0 && mrn_trials_values(t, b, k, y) > 0;
    mrn_free(y);
    return has && mrn_figure_suits(&t->figure[k], ma) && mrn_figure_suits(&t->figure[k], mb);
}

static int forces_of(const mrn_trials *t, int variant)
{
    int least = 0;
    for (int k = 0; k < t->n_seeds; k++) {
        const mrn_trial *r = mrn_trials_at(t, variant, k);
        if (mrn_trial_counts(r) && (least == 0 || r->n_forces < least))
            least = r->n_forces;
    }
    return least;
}

/* First counted, then made: intervals depend on their number. */
static void list_pairs(mrn_cli_crosscheck *x)
{
    enum { FEW_FORCES = 30 };
    const mrn_trials *t = &x->w.t;
    for (int a = 0; a < t->n_variants; a++)
        for (int b = a + 1; b < t->n_variants; b++) {
            for (int k = 0; k < t->n_figures; k++)
                if (comparable(t, a, b, k))
                    x->pair[x->n++] = (mrn_cli_pair){.a = a, .b = b, .figure = k};
            if (forces_of(t, a) >= FEW_FORCES && forces_of(t, b) >= FEW_FORCES)
                x->pair[x->n++] = (mrn_cli_pair){.a = a, .b = b, .figure = -1};
        }
}

static mrn_status compare(const mrn_cli_crosscheck *x, mrn_cli_pair *p, double *y, mrn_message *msg)
{
    const mrn_trials *t = &x->w.t;
    double confidence = 1 - (1 - x->confidence) / x->n;
    if (p->figure < 0)
        return mrn_ks_compare(t, p->a, p->b, confidence, x->within, p->of, &p->w, msg);
    p->of[0] = mrn_scatter_of(y, mrn_trials_values(t, p->a, p->figure, y));
    p->of[1] = mrn_scatter_of(y, mrn_trials_values(t, p->b, p->figure, y));
    double margin = x->within * scale_of(t, &t->figure[p->figure], p->of);
    p->w = mrn_welch_of(&p->of[0], &p->of[1], confidence, margin);
    return MRN_OK;
}

mrn_status mrn_cli_crosscheck_compare(mrn_cli_crosscheck *x, mrn_message *msg)
{
    const mrn_trials *t = &x->w.t;
    int m = t->n_variants, most = m * (m - 1) / 2 * (t->n_figures + 1);
    double *y = mrn_alloc((size_t)(t->n_seeds + 1) * sizeof *y);
    x->pair = mrn_alloc((size_t)(most + 1) * sizeof *x->pair);
    mrn_status s = MRN_OK;
    if (y == NULL || x->pair == NULL)
        s = mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    else
        list_pairs(x);
    for (int i = 0; i < x->n && s == MRN_OK; i++) {
        s = compare(x, &x->pair[i], y, msg);
        x->random = x->random || x->pair[i].of[0].sd > 0 || x->pair[i].of[1].sd > 0;
    }
    mrn_free(y);
    return s;
}

int mrn_cli_crosscheck_count(const mrn_cli_crosscheck *x, mrn_verdict v)
{
    int n = 0;
    for (int i = 0; i < x->n; i++)
        n += x->pair[i].w.verdict == v;
    return n;
}

/* ---- all ---- */

static int show(mrn_cli_crosscheck *x)
{
    mrn_cli_trials *w = &x->w;
    mrn_cli_out o = {.folder = w->q.out, .f = w->q.json || w->q.quiet ? NULL : stdout};
    char subtitle[200];
    json_t *root = mrn_cli_crosscheck_json(x);
    snprintf(subtitle, sizeof subtitle, "One scene under %d methods · Moraine %s", w->t.n_variants,
             MRN_VERSION);
    o.status = mrn_page_create(w->scene.title[0] != '\0' ? w->scene.title : w->q.path, subtitle,
                               &o.page, &o.msg);
    if (o.status == MRN_OK)
        o.status = mrn_cli_write_json(w->q.out, w->result, root, &o.msg);
    mrn_cli_crosscheck_show(&o, x);
    int failed = mrn_cli_trials_failures(&o, &w->t);
    mrn_cli_trials_repeat(&o, w);
    if (o.f != NULL)
        fputc('\n', o.f);
    int code = failed > 0 ? MRN_EXIT_FAILED : MRN_EXIT_OK;
    if (w->q.json) {
        int bad = mrn_app_json(json_incref(root));
        code = bad > code ? bad : code;
    }
    json_decref(root);
    return mrn_cli_close_page(&o, code);
}

static int show_plan(const mrn_cli_crosscheck *x)
{
    mrn_cli_out o = {.f = x->w.q.quiet ? NULL : stdout};
    if (x->w.q.json)
        return mrn_app_json(mrn_cli_crosscheck_json(x));
    mrn_cli_crosscheck_plan(&o, x);
    return MRN_EXIT_OK;
}

static int run(mrn_cli_crosscheck *x)
{
    mrn_message msg = {0};
    mrn_cli_trials *w = &x->w;
    x->opt.only = x->only.item;
    x->opt.n_only = x->only.n;
    mrn_status s = mrn_cli_trials_open(w, &msg);
    w->t.network = true;
    if (s == MRN_OK)
        s = mrn_cli_trials_figures(w, true, &msg);
    if (s == MRN_OK)
        s = mrn_crosscheck_variants(&w->t, &x->opt, &x->plan, &msg);
    if (s == MRN_OK && w->plan)
        return show_plan(x);
    if (s == MRN_OK)
        s = mrn_cli_trials_run(w, &msg);
    if (s == MRN_OK)
        s = mrn_cli_crosscheck_compare(x, &msg);
    if (s == MRN_OK)
        return show(x);
    if (msg.file[0] == '\0' && s == MRN_ERR_INPUT && msg.path[0] != '\0')
        mrn_fail_at(&msg, w->q.path, 0, 0);
    return mrn_session_fail(&msg, w->q.json);
}

int mrn_cmd_crosscheck(int argc, char **argv)
{
    mrn_cli_crosscheck x = {.w = {.q = {.command = "crosscheck"}, .seeds = 5, .seed = -1},
                            .within = 0.05,
                            .confidence = 0.95};
    x.w.result = "crosscheck.json";
    mrn_cli_keep_line(&x.w.q, argc, argv);
    int code = parse(argc, argv, &x);
    if (code >= 0)
        return code;
    code = run(&x);
    mrn_free(x.pair);
    mrn_cli_trials_close(&x.w);
    return code;
}
