/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes run many times, for `crosscheck` and `converge`: options, folder, progress, numbers. */
#include "trials.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "session.h"

#define BAR_SECONDS  0.1
#define LINE_SECONDS 60 /* where there is no terminal */

/* ---- options ---- */

void mrn_cli_trial_options(mrn_cli_trials *w, mrn_app_option *out)
{
    const mrn_app_option common[MRN_CLI_TRIAL_OPTIONS] = {
        {.name = "set",
         .letter = 's',
         .kind = MRN_OPT_LIST,
         .target = &w->q.set,
         .arg = "PATH=VALUE",
         .doc = "Change the scene before it is checked, in all runs. May be given many times."},
        {.name = "seed",
         .kind = MRN_OPT_INTEGER,
         .target = &w->seed,
         .arg = "N",
         .min = 0,
         .max = 9e18,
         .doc = "Seed of the first run; the others follow. Else the scene's."},
        {.name = "probe",
         .letter = 'p',
         .kind = MRN_OPT_LIST,
         .target = &w->probe,
         .arg = "NAME",
         .doc = "A probe to look at (`moraine probes` lists them). May be given many times."},
        {.name = "last",
         .kind = MRN_OPT_TEXT,
         .target = &w->last,
         .arg = "TIME",
         .doc = "Take means over the last so much of simulated time, e.g. \"50 ms\"; else values "
                "at the end."},
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &w->q.out,
         .arg = "DIR",
         .doc = "Folder for report, plots and runs. Else out/NAME-COMMAND, from the name of the "
                "scene."},
        {.name = "resume",
         .letter = 'r',
         .kind = MRN_OPT_FLAG,
         .target = &w->resume,
         .doc = "Go on with the runs of the folder: one that is there, with the same scene and "
                "changes, is not made again."},
        {.name = "force",
         .kind = MRN_OPT_FLAG,
         .target = &w->q.force,
         .doc = "Replace an earlier result in the folder."},
        {.name = "threads",
         .letter = 't',
         .kind = MRN_OPT_INTEGER,
         .target = &w->q.threads,
         .arg = "N",
         .min = 1,
         .max = MRN_THREADS_MOST,
         .doc = "Runs side by side, one thread each; else one per core. The result has the same "
                "bits for any number."},
        {.name = "device",
         .kind = MRN_OPT_CHOICE,
         .target = &w->device,
         .arg = "NAME",
         .choices = mrn_app_devices,
         .n_choices = MRN_APP_DEVICES,
         .doc =
             "What makes the steps of method smooth, in all runs: cpu, cuda (an NVIDIA GPU, which "
             "the runs share) or emulated. The result has the same bits."},
        {.name = "quiet",
         .letter = 'q',
         .kind = MRN_OPT_FLAG,
         .target = &w->q.quiet,
         .doc = "Print nothing but errors."},
        {.name = "json",
         .kind = MRN_OPT_FLAG,
         .target = &w->q.json,
         .doc = "Print JSON instead of text, every number in SI units."},
    };
    memcpy(out, common, sizeof common);
}

int mrn_cli_trials_check(mrn_cli_trials *w, int code, int operands)
{
    const char *command = w->q.command;
    mrn_message msg = {0};
    if (code >= 0)
        return code;
    if (operands == 0)
        return mrn_app_usage(command, "which scene? Name its file");
    if (w->resume && w->q.force)
        return mrn_app_usage(command, "--resume keeps the runs, --force throws them away: one of "
                                      "the two");
    if (w->last != NULL && (mrn_quantity(w->last, "s", &w->t.last, &msg) != MRN_OK ||
                            !(w->t.last > 0) || !isfinite(w->t.last)))
        return mrn_app_usage(command, "--last %s: expected a time above 0, as 50 ms", w->last);
    return -1;
}

/* ---- scene and figures ---- */

mrn_status mrn_cli_trials_open(mrn_cli_trials *w, mrn_message *msg)
{
    double last = w->t.last;
    if (w->q.threads > 0)
        mrn_threads_set((int)w->q.threads);
    mrn_status s = mrn_trials_open(w->q.path, &w->t, msg);
    if (s != MRN_OK)
        return s;
    w->t.last = last;
    if (w->device != NULL && w->q.set.n < MRN_APP_LIST_MAX) {
        snprintf(w->device_set, sizeof w->device_set, "device=%s", w->device);
        w->q.set.item[w->q.set.n++] = w->device_set;
    }
    w->t.set = w->q.set.item;
    w->t.n_set = w->q.set.n;
    w->t.n_seeds = (int)w->seeds;
    s = mrn_trials_scene(&w->t, NULL, 0, &w->scene, msg);
    w->t.seed = w->seed >= 0 ? (uint64_t)w->seed : w->scene.seed;
    if (s == MRN_OK && w->scene.n_stages == 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "the scene has no stages: there is nothing to run");
        return mrn_fail_hint(msg, "stages: [{name: run, until: {time: 1 s}}]");
    }
    if (w->q.out == NULL) {
        char name[1000];
        mrn_cli_folder_name(w->q.path, w->q.command, name, sizeof name);
        snprintf(w->folder, sizeof w->folder, "out/%s", name);
        w->q.out = w->folder;
    }
    return s;
}

void mrn_cli_trials_close(mrn_cli_trials *w)
{
    mrn_trials_release(&w->t);
    mrn_scene_destroy(&w->scene);
}

static bool listed(const mrn_trials *t, const char *probe)
{
    for (int i = 0; i < t->n_figures; i++)
        if (strcmp(t->figure[i].name, probe) == 0)
            return true;
    return false;
}

static mrn_status add_probe(mrn_cli_trials *w, const char *probe, mrn_message *msg)
{
    mrn_trials *t = &w->t;
    if (listed(t, probe))
        return MRN_OK;
    if (t->n_figures == MRN_CLI_FIGURES)
        return mrn_fail(msg, MRN_ERR_INPUT, "more than %d probes", MRN_CLI_FIGURES);
    mrn_status s = mrn_figure_probe(&w->scene, probe, &t->figure[t->n_figures], msg);
    t->n_figures += s == MRN_OK;
    return s;
}

mrn_status mrn_cli_trials_figures(mrn_cli_trials *w, bool usual, mrn_message *msg)
{
    mrn_trials *t = &w->t;
    mrn_status s = MRN_OK;
    t->figure = mrn_alloc(MRN_CLI_FIGURES * sizeof *t->figure);
    if (t->figure == NULL)
        return mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    for (int i = 0; i < w->probe.n && s == MRN_OK; i++)
        s = add_probe(w, w->probe.item[i], msg);
    if (s != MRN_OK && w->probe.n > 0)
        return s;
    for (int i = 0; i < w->scene.output.n_probes && w->probe.n == 0 && s == MRN_OK; i++)
        if (!mrn_column_is_word(w->scene.output.probe[i]) &&
            mrn_probe_check(&w->scene, w->scene.output.probe[i], NULL, NULL) == MRN_OK)
            s = add_probe(w, w->scene.output.probe[i], msg);
    if (s == MRN_OK && (usual || t->n_figures == 0))
        t->n_figures +=
            mrn_figure_usual(&w->scene, t->figure + t->n_figures, MRN_CLI_FIGURES - t->n_figures);
    return s;
}

/* ---- folder ---- */

static bool exists(const char *folder, const char *name)
{
    char path[1300];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &st) == 0;
}

static mrn_status check_folder(const mrn_cli_trials *w, mrn_message *msg)
{
    mrn_cli_request lenient = w->q;
    lenient.force = true;
    mrn_status s = mrn_cli_folder_check(&lenient, w->q.out, msg);
    bool result = exists(w->q.out, w->result), runs = exists(w->q.out, "runs");
    if (s != MRN_OK || w->resume || w->q.force || (!result && !runs))
        return s;
    mrn_fail(msg, MRN_ERR_INPUT, "%s holds an earlier result (%s)", w->q.out,
             result ? w->result : "runs");
    return mrn_fail_hint(msg, "--resume goes on with its runs, --force replaces them, --out DIR "
                              "takes another folder");
}

static mrn_status make_folder(const mrn_cli_trials *w, char *runs, size_t size, mrn_message *msg)
{
    snprintf(runs, size, "%s/runs", w->q.out);
    mrn_status s = check_folder(w, msg);
    if (s == MRN_OK)
        s = mrn_cli_folder_make(runs, msg);
    if (s == MRN_OK)
        s = mrn_cli_write_text(w->q.out, "scene.yaml", w->t.text, msg);
    return s;
}

/* ---- runs ---- */

/* "about 3 min", at the pace so far; "" while nothing is known. */
static mrn_readable time_left(const mrn_cli_trials *w, double now, double done)
{
    mrn_readable t = {""};
    double pace = (done - w->begin_done) / (now - w->begin);
    if (now - w->begin > 1 && done > w->begin_done && done < 1)
        snprintf(t.s, sizeof t.s, "  about %.30s left", mrn_app_duration((1 - done) / pace).s);
    return t;
}

static void tick(void *user, double fraction)
{
    mrn_cli_trials *w = user;
    double now = mrn_clock();
    char text[200];
    int all = w->t.n_variants * w->t.n_seeds, ended = 0;
    if (w->begin == 0) {
        w->begin = w->clock = now;
        w->begin_done = fraction;
    }
    if (w->f == NULL || now - w->clock < (w->bar ? BAR_SECONDS : LINE_SECONDS))
        return;
    for (int i = 0; i < all; i++)
        ended += w->t.trial[i].status != MRN_INTERRUPTED;
    w->clock = now;
    snprintf(text, sizeof text, "%d of %d runs%s", ended, all, time_left(w, now, fraction).s);
    if (w->bar)
        mrn_cli_bar(w->f, fraction, text);
    else
        fprintf(w->f, "%3.0f %%  %s\n", 100 * fraction, text);
    fflush(w->f);
}

static void keep(void *user, const mrn_trials *t, const mrn_trial *r)
{
    mrn_cli_trials *w = user;
    char runs[1200];
    snprintf(runs, sizeof runs, "%s/runs", w->q.out);
    if (w->kept == MRN_OK && (w->kept = mrn_trial_keep(t, r, runs, &w->trouble)) != MRN_OK)
        raise(SIGTERM); /* a full disk: no hours of runs that nobody will have; see the watch */
}

static mrn_status stopped(const mrn_cli_trials *w, mrn_message *msg)
{
    char line[sizeof w->q.line + 32];
    int ended = 0;
    for (int i = 0; i < w->t.n_variants * w->t.n_seeds; i++)
        ended += w->t.trial[i].status != MRN_INTERRUPTED;
    snprintf(line, sizeof line, "%s%s", w->q.line, w->resume ? "" : " --resume");
    mrn_fail(msg, MRN_INTERRUPTED, "%d run%s kept in %s/runs", ended, ended == 1 ? " is" : "s are",
             w->q.out);
    mrn_fail_hint(msg, "go on with: %s", line);
    return MRN_INTERRUPTED;
}

mrn_status mrn_cli_trials_run(mrn_cli_trials *w, mrn_message *msg)
{
    FILE *f = w->q.json ? stderr : stdout;
    char runs[1200];
    w->bar = mrn_app_is_terminal(f);
    w->f = w->q.quiet || (w->q.json && !w->bar) ? NULL : f;
    mrn_status s = make_folder(w, runs, sizeof runs, msg);
    if (s == MRN_OK)
        s = mrn_trials_plan(&w->t, msg);
    if (s != MRN_OK)
        return s;
    if (w->resume)
        w->known = mrn_trials_recall(&w->t, runs);
    mrn_trials_watch watch = {
        .stop = mrn_session_watch_signals(), .done = keep, .progress = tick, .user = w};
    double begin = mrn_clock();
    s = mrn_trials_run(&w->t, &watch, msg);
    w->seconds = mrn_clock() - begin;
    if (w->f != NULL && w->bar)
        fputs("\r\033[K", w->f);
    if (w->kept != MRN_OK) {
        *msg = w->trouble;
        return w->kept;
    }
    return s == MRN_INTERRUPTED ? stopped(w, msg) : s;
}

/* ---- numbers ---- */

mrn_readable mrn_cli_plus_minus(double v, double half)
{
    mrn_readable t;
    if (!isfinite(v)) {
        snprintf(t.s, sizeof t.s, "–");
    } else if (!isfinite(half) || half <= 0) {
        snprintf(t.s, sizeof t.s, "%.8g", v);
        mrn_cli_short_power(t.s);
    } else {
        /* digits of v down to the second one of the uncertainty */
        double size = fmax(fabs(v), half);
        int digits = (int)floor(log10(size)) - (int)floor(log10(half)) + 2;
        char a[40], b[24];
        snprintf(a, sizeof a, "%.*g", digits < 2 ? 2 : digits > 12 ? 12 : digits, v);
        snprintf(b, sizeof b, "%.2g", half);
        mrn_cli_short_power(a);
        mrn_cli_short_power(b);
        snprintf(t.s, sizeof t.s, "%.38s ± %.20s", a, b);
    }
    return t;
}

mrn_readable mrn_cli_figure_name(const mrn_figure *g)
{
    mrn_readable t;
    snprintf(t.s, sizeof t.s, "%.44s%s%.14s", g->name, g->unit[0] != '\0' ? ", " : "", g->unit);
    return t;
}

mrn_readable mrn_cli_figure_file(const mrn_figure *g)
{
    mrn_readable t = {""};
    size_t n = 0;
    for (const char *p = g->name; *p != '\0' && n + 1 < sizeof t.s; p++)
        if (*p != ',' && (*p != ' ' || (n > 0 && t.s[n - 1] != '-')))
            t.s[n++] = *p == ' ' ? '-' : *p;
    t.s[n] = '\0';
    return t;
}

json_t *mrn_cli_figure_json(const mrn_trials *t, int variant, int figure)
{
    json_t *o = json_object(), *list = json_array();
    double *y = mrn_alloc((size_t)(t->n_seeds + 1) * sizeof *y);
    int n = y != NULL ? mrn_trials_values(t, variant, figure, y) : 0;
    mrn_scatter s = mrn_scatter_of(y, n);
    for (int i = 0; i < n; i++)
        json_array_append_new(list, mrn_cli_real(y[i]));
    json_object_set_new(o, "n", json_integer(n));
    json_object_set_new(o, "mean", mrn_cli_real(s.mean));
    json_object_set_new(o, "sd", mrn_cli_real(s.sd));
    json_object_set_new(o, "values", list);
    mrn_free(y);
    return o;
}

json_t *mrn_cli_changes_json(const mrn_variant *v)
{
    json_t *list = json_array();
    for (int i = 0; i < v->n_set; i++)
        json_array_append_new(list, json_string(v->set[i]));
    return list;
}

int mrn_cli_trials_failures(mrn_cli_out *o, const mrn_trials *t)
{
    int failed = 0;
    for (int i = 0; i < t->n_variants * t->n_seeds; i++) {
        const mrn_trial *r = &t->trial[i];
        const mrn_variant *v = &t->variant[r->variant];
        if (mrn_trial_counts(r))
            continue;
        if (failed++ == 0)
            mrn_cli_section(o, "Runs that failed");
        mrn_cli_note(o, MRN_TONE_BAD, "%s, seed %llu: %s", v->label[0] != '\0' ? v->label : v->name,
                     (unsigned long long)r->seed, r->words);
    }
    return failed;
}

void mrn_cli_trials_repeat(mrn_cli_out *o, const mrn_cli_trials *w)
{
    char *text = mrn_alloc(1 << 16);
    size_t n = 0, size = 1 << 16;
    if (o->page == NULL || text == NULL) {
        mrn_free(text);
        return;
    }
    mrn_page_section(o->page, "To repeat it");
    mrn_page_code(o->page, "The command", w->q.line, false);
    for (int i = 0; i < w->t.n_variants; i++) {
        const mrn_variant *v = &w->t.variant[i];
        n += (size_t)snprintf(text + n, n < size ? size - n : 0, "# %s %s\nmoraine run %s", v->name,
                              v->label, w->q.path);
        for (int k = 0; k < w->t.n_set + v->n_set && n < size; k++) {
            char word[MRN_CHANGE_TEXT + 64] = "";
            mrn_cli_add_word(word, sizeof word, "--set");
            mrn_cli_add_word(word, sizeof word,
                             k < w->t.n_set ? w->t.set[k] : v->set[k - w->t.n_set]);
            n += (size_t)snprintf(text + n, size - n, " %s", word);
        }
        n += n < size ? (size_t)snprintf(text + n, size - n, "\n") : 0;
    }
    mrn_page_code(o->page, "Each variant on its own (with --set seed=…)", text, true);
    mrn_page_code(o->page, "The scene", w->t.text, true);
    mrn_free(text);
}
