/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine run: arguments to a session. */
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

/* out/NAME: the scene's file without its ending, or its folder's name when the file is just
 * "scene.yaml". */
static void default_folder(const char *scene, char *out, size_t size)
{
    char file[1024], folder[1024];
    snprintf(file, sizeof file, "%s", scene);
    snprintf(folder, sizeof folder, "%s", scene);
    const char *base = basename(file), *parent = basename(dirname(folder));
    const char *dot = strrchr(base, '.');
    int length = dot != NULL && dot != base ? (int)(dot - base) : (int)strlen(base);
    bool plain = strncmp(base, "scene", 5) == 0 && length == 5;
    if (plain && strcmp(parent, ".") != 0 && strcmp(parent, "..") != 0 && strcmp(parent, "/") != 0)
        snprintf(out, size, "out/%s", parent);
    else
        snprintf(out, size, "out/%.*s", length, base);
}

static const mrn_app_page page = {
    .usage = "run SCENE [options]",
    .doc =
        "Writes into the output folder:\n"
        "  summary.json    what ran, how each stage ended, times, energies, warnings, hash of the "
        "final state\n"
        "  probes.csv      a table of all probes over time\n"
        "  trajectory.h5   frames; trajectory.xdmf beside it opens in ParaView\n"
        "  checkpoint.h5   the state to go on from, bit for bit: run 2N = run N, --resume, run N\n"
        "  scene.yaml      the scene as it ran, with the changes of --set\n"
        "  fields/         coarse-grained fields for ParaView, if output.fields asks for them\n"
        "  problems/       contact problems of the steps that --fclib-at names (method nonsmooth)\n"
        "  unsolved/       contact problems that were not solved, at most 10\n"
        "  postmortem/     after an explosion: report.txt says who, when and why, scene.yaml "
        "repeats "
        "it\n"
        "Ctrl-C ends the run with a checkpoint. Nothing is written when the scene is wrong.",
    .examples = "moraine run settle.yaml\n"
                "moraine run settle.yaml --out trial --set interactions.0.friction=0.2\n"
                "moraine run settle.yaml --out trial --resume\n"
                "moraine run settle.yaml --view\n"
                "moraine run settle.yaml --method nonsmooth --fclib-at 100,200",
};

#define MOST_PROBLEMS 256

typedef struct request {
    mrn_session session;
    mrn_app_list set, change;
    int64_t threads;
    const char *out, *method, *device, *fclib_at;
    int64_t at[MOST_PROBLEMS];
} request;

/* "100,200": steps whose contact problems are wanted. */
static int read_steps(request *r)
{
    int n = 0;
    for (const char *p = r->fclib_at; p != NULL; n++) {
        char *end;
        if (n == MOST_PROBLEMS)
            return mrn_app_usage("run", "--fclib-at: more than %d steps", MOST_PROBLEMS);
        errno = 0;
        r->at[n] = strtoll(p, &end, 10);
        if (end == p || errno != 0 || (*end != ',' && *end != '\0') || r->at[n] < 1)
            return mrn_app_usage("run", "--fclib-at: \"%s\" is not a list of steps, as 100,200",
                                 r->fclib_at);
        p = *end == ',' ? end + 1 : NULL;
    }
    r->session.problem_at = r->at;
    r->session.n_problems = n;
    return -1;
}

static int parse(int argc, char **argv, request *r)
{
    const char *methods[MRN_APP_LIST_MAX];
    int n_methods = 0;
    for (; n_methods < mrn_method_count() && n_methods < MRN_APP_LIST_MAX; n_methods++)
        methods[n_methods] = mrn_method_at(n_methods)->name;
    const mrn_app_option options[] = {
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &r->out,
         .arg = "DIR",
         .doc = "Output folder; made with its parents. Else out/NAME, from the name of the scene."},
        {.name = "set",
         .letter = 's',
         .kind = MRN_OPT_LIST,
         .target = &r->set,
         .arg = "PATH=VALUE",
         .doc = "Change the scene before it is checked, e.g. bodies.beads.count=200 or "
                "\"gravity=[0, 0, -1.62]\". May be given many times."},
        {.name = "resume",
         .letter = 'r',
         .kind = MRN_OPT_FLAG,
         .target = &r->session.resume,
         .doc = "Go on from the checkpoint in the output folder."},
        {.name = "change",
         .kind = MRN_OPT_LIST,
         .target = &r->change,
         .arg = "WHAT",
         .doc = "With --resume: what is to be different from here on, and is refused else: "
                "interactions (numbers of laws such as friction), gravity, forces, damping, "
                "motions (of walls). May be given many times."},
        {.name = "force",
         .kind = MRN_OPT_FLAG,
         .target = &r->session.overwrite,
         .doc = "Replace an earlier run in the output folder."},
        {.name = "threads",
         .letter = 't',
         .kind = MRN_OPT_INTEGER,
         .target = &r->threads,
         .arg = "N",
         .min = 1,
         .max = MRN_THREADS_MOST,
         .doc = "Threads; else one per core, fewer for a few grains. The result has the same bits "
                "for any number."},
        {.name = "max-steps",
         .kind = MRN_OPT_INTEGER,
         .target = &r->session.max_steps,
         .arg = "N",
         .min = 1,
         .max = 9e18,
         .doc = "Stop after N steps with a checkpoint: exit code 0, as asked for. summary.json has "
                "status \"interrupted\" where the scene was not at its end."},
        {.name = "method",
         .letter = 'm',
         .kind = MRN_OPT_CHOICE,
         .target = &r->method,
         .arg = "NAME",
         .choices = methods,
         .n_choices = n_methods,
         .doc = "Use this method instead of the scene's."},
        {.name = "device",
         .kind = MRN_OPT_CHOICE,
         .target = &r->device,
         .arg = "NAME",
         .choices = mrn_app_devices,
         .n_choices = MRN_APP_DEVICES,
         .doc = "What makes the steps of method smooth: cpu, cuda (an NVIDIA GPU) or emulated (its "
                "work done by the processor). The result has the same bits."},
        {.name = "fclib-at",
         .kind = MRN_OPT_TEXT,
         .target = &r->fclib_at,
         .arg = "STEP,…",
         .doc = "Write the contact problems of these steps (counted from 1) to DIR/problems, for "
                "`moraine solve` and other programs. Method nonsmooth only."},
        {.name = "view",
         .letter = 'v',
         .kind = MRN_OPT_FLAG,
         .target = &r->session.view,
         .doc = "Look at the run in the browser while it goes, as `moraine view` does later."},
        {.name = "no-browser",
         .kind = MRN_OPT_FLAG,
         .target = &r->session.no_browser,
         .doc = "With --view: print the address alone."},
        {.name = "quiet",
         .letter = 'q',
         .kind = MRN_OPT_FLAG,
         .target = &r->session.quiet,
         .doc = "Print nothing but errors."},
        {.name = "json",
         .kind = MRN_OPT_FLAG,
         .target = &r->session.json,
         .doc = "Print the summary as JSON at the end instead of text."},
    };
    int n, code = mrn_app_parse(&page, options, sizeof options / sizeof options[0], argc, argv,
                                &r->session.scene_path, 1, &n);
    if (code < 0 && n == 0)
        return mrn_app_usage("run", "which scene? Name its file");
    return code < 0 ? read_steps(r) : code;
}

int mrn_cmd_run(int argc, char **argv)
{
    request r = {0};
    int code = parse(argc, argv, &r);
    if (code >= 0)
        return code;
    if (r.session.resume && r.session.overwrite) {
        fputs("moraine: error: --resume and --force together\n"
              "  expected: one of them\n"
              "  hint: --resume goes on with the run in the folder, --force replaces it\n",
              stderr);
        return MRN_EXIT_USAGE;
    }
    if (r.change.n > 0 && !r.session.resume)
        return mrn_app_usage("run", "--change has a meaning with --resume alone");
    r.session.change = r.change.item;
    r.session.n_change = r.change.n;
    char folder[1100], method[128], device[64];
    default_folder(r.session.scene_path, folder, sizeof folder);
    if (r.method != NULL && r.set.n < MRN_APP_LIST_MAX) {
        snprintf(method, sizeof method, "method=%s", r.method);
        r.set.item[r.set.n++] = method;
    }
    if (r.device != NULL && r.set.n < MRN_APP_LIST_MAX) {
        snprintf(device, sizeof device, "device=%s", r.device);
        r.set.item[r.set.n++] = device;
    }
    r.session.out = r.out != NULL ? r.out : folder;
    r.session.set = r.set.item;
    r.session.n_set = r.set.n;
    r.session.all_threads = r.threads > 0;
    if (r.threads > 0)
        mrn_threads_set((int)r.threads);
    return mrn_session_run(&r.session);
}
