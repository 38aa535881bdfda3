/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine export: a run in the format of another program. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "run_state.h"

static int list_formats(void)
{
    mrn_app_table t;
    mrn_app_table_begin(&t, 3, (const char *[]){"format", "ending", "what it is"});
    for (int i = 0; i < mrn_export_format_count(); i++) {
        const mrn_export_format *f = mrn_export_format_at(i);
        mrn_app_table_row(&t, (const char *[]){f->name, f->extension, f->summary});
    }
    mrn_app_table_print(&t, stdout);
    return MRN_EXIT_OK;
}

static const mrn_export_format *find_format(const char *name)
{
    const mrn_export_format *f = mrn_export_format_find(name);
    if (f != NULL)
        return f;
    const char *words[32];
    int n = mrn_export_format_count() < 32 ? mrn_export_format_count() : 32;
    for (int i = 0; i < n; i++)
        words[i] = mrn_export_format_at(i)->name;
    mrn_app_unknown("export", "format", name, words, n);
    return NULL;
}

/* Frames counted from the end when negative: -1 is the last. */
static int64_t frame_index(int64_t k, int64_t n)
{
    return k < 0 ? n + k : k;
}

static int export_frames(const mrn_export_format *f, const char *dir, const char *out,
                         int64_t first, int64_t last, int64_t stride, bool json)
{
    mrn_message msg = {0};
    mrn_trajectory *t = NULL;
    if (mrn_trajectory_open(dir, &t, &msg) != MRN_OK)
        return mrn_app_report(&msg);
    int64_t n = mrn_trajectory_frames(t);
    first = frame_index(first, n);
    last = frame_index(last, n);
    int code = MRN_EXIT_OK;
    if (first >= 0 && last < n && first > last)
        code = mrn_app_usage("export", "no frames: the first, %lld, is behind the last, %lld",
                             (long long)first, (long long)last);
    else if (first < 0 || first > last || last >= n)
        code = mrn_app_usage("export", "the run has frames 0 to %lld", (long long)n - 1);
    else if (f->write(t, first, last, stride, out, &msg) != MRN_OK)
        code = mrn_app_report(&msg);
    mrn_message late = {0};
    if (mrn_trajectory_close(&t, &late) != MRN_OK && code == MRN_EXIT_OK)
        code = mrn_app_report(&late);
    if (code != MRN_EXIT_OK)
        return code;
    int64_t written = (last - first) / stride + 1;
    if (json)
        return mrn_app_json(json_pack("{s:s, s:s, s:I}", "format", f->name, "out", out, "frames",
                                      (json_int_t)written));
    printf("%lld frame%s written as %s to %s\n", (long long)written, written == 1 ? "" : "s",
           f->name, out);
    return MRN_EXIT_OK;
}

/* ---- contact problems ---- */

typedef struct problem_request {
    const char *dir, *path;
    int64_t step; /* 0: the one after the checkpoint */
    bool overwrite, json;
} problem_request;

/* A packing of the smooth engine seen by the other: the same scene by the other method, its list
   made anew, the step that suits rigid grains. */
static mrn_status make_rigid(const char *dir, mrn_scene *scene, mrn_state *s, mrn_message *msg)
{
    mrn_scene rigid = {0};
    mrn_status status = mrn_cli_run_scene(dir, "method=nonsmooth", &rigid, msg);
    for (int k = 0; status == MRN_OK && k <= s->stage && k < rigid.n_stages; k++)
        status = mrn_scene_enter_stage(&rigid, k, msg);
    if (status == MRN_OK)
        status = mrn_pairs_build(&rigid, s, false, msg);
    if (status != MRN_OK) {
        mrn_scene_destroy(&rigid);
        return status;
    }
    mrn_scene_destroy(scene);
    *scene = rigid;
    mrn_state_set_step(s, mrn_engine_step_limit(scene, s).advised);
    return MRN_OK;
}

static mrn_status problem_of_checkpoint(const problem_request *q, mrn_problem_file *facts,
                                        mrn_message *msg)
{
    mrn_scene scene = {0};
    mrn_state s = {0};
    mrn_status status = mrn_cli_run_scene(q->dir, NULL, &scene, msg);
    if (status == MRN_OK)
        status = mrn_cli_run_state(q->dir, &scene, &s, msg);
    if (status == MRN_OK && scene.method->problem == NULL)
        status = make_rigid(q->dir, &scene, &s, msg);
    if (status == MRN_OK)
        status = mrn_run_write_problem(&scene, &s, q->path, q->overwrite, facts, msg);
    mrn_state_destroy(&s);
    mrn_scene_destroy(&scene);
    return status;
}

/* The run is repeated in memory up to the step: the same bits as the first time. */
static mrn_status problem_of_step(const problem_request *q, mrn_problem_file *facts,
                                  mrn_message *msg)
{
    mrn_scene scene = {0};
    mrn_problem p = {0};
    mrn_run_result result = {0};
    mrn_run_options opt = mrn_run_default();
    opt.max_steps = q->step;
    opt.problem_at = &q->step;
    opt.n_problems = 1;
    opt.problem_path = q->path;
    mrn_status status = mrn_cli_run_scene(q->dir, NULL, &scene, msg);
    if (status == MRN_OK)
        status = mrn_run(&scene, &opt, &result, msg);
    if (status >= 0 && result.steps < q->step)
        status = mrn_fail(msg, MRN_ERR_INPUT, "the run ends at step %lld, before step %lld",
                          (long long)result.steps, (long long)q->step);
    if (status >= 0)
        status = mrn_fclib_read(q->path, &p, NULL, msg);
    *facts = (mrn_problem_file){.contacts = p.n, .step = q->step, .residual = NAN};
    mrn_problem_release(&p);
    mrn_scene_destroy(&scene);
    return status;
}

static int export_problem(const problem_request *q)
{
    mrn_message msg = {0};
    mrn_problem_file facts = {0};
    if (!q->overwrite && access(q->path, F_OK) == 0)
        return mrn_app_usage("export", "%s is there already; --overwrite replaces it", q->path);
    mrn_status status =
        q->step > 0 ? problem_of_step(q, &facts, &msg) : problem_of_checkpoint(q, &facts, &msg);
    if (status < 0)
        return mrn_app_report(&msg);
    if (q->json)
        return mrn_app_json(json_pack("{s:s, s:s, s:I, s:i}", "format", "fclib", "out", q->path,
                                      "step", (json_int_t)facts.step, "contacts", facts.contacts));
    printf("the contact problem of step %lld, %d contacts, written to %s\n"
           "  moraine solve %s\n",
           (long long)facts.step, facts.contacts, q->path, q->path);
    return MRN_EXIT_OK;
}

static const mrn_app_page page = {
    .usage = "export DIR --format FORMAT [--out PATH] [options] | DIR --fclib FILE [--step N]",
    .doc = "DIR is the folder of a run. Frames are counted from 0; negative numbers count from "
           "the end. (ParaView\n"
           "opens DIR/trajectory.xdmf without any export.)\n"
           "--fclib writes a contact problem, for `moraine solve` and other solvers: one step "
           "of method\n"
           "nonsmooth is made from the checkpoint (nothing is saved) and its problem written; "
           "of a smooth run\n"
           "likewise, with its packing as it is. With --step N the run, which must be "
           "nonsmooth, is repeated\n"
           "in memory up to step N (`moraine run --fclib-at` writes such files on the way).",
    .examples = "moraine export out/settle --format vtk\n"
                "moraine export out/settle --format lammps --out settle.dump --stride 5\n"
                "moraine export out/settle --format csv --first -1\n"
                "moraine export out/settle --fclib problem.hdf5"};

typedef struct request {
    const char *dir, *format, *out;
    int64_t first, last, stride;
    bool json, list;
    problem_request problem;
} request;

static int parse(int argc, char **argv, request *q)
{
    const mrn_app_option options[] = {
        {.name = "format",
         .letter = 'f',
         .kind = MRN_OPT_TEXT,
         .target = &q->format,
         .arg = "FORMAT",
         .doc = "One of the formats that --list shows: vtk, csv, lammps, gsd."},
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &q->out,
         .arg = "PATH",
         .doc = "Where to; else DIR/export with the ending of the format."},
        {.name = "first",
         .kind = MRN_OPT_INTEGER,
         .target = &q->first,
         .arg = "K",
         .doc = "First frame."},
        {.name = "last",
         .kind = MRN_OPT_INTEGER,
         .target = &q->last,
         .arg = "K",
         .doc = "Last frame."},
        {.name = "stride",
         .kind = MRN_OPT_INTEGER,
         .target = &q->stride,
         .arg = "N",
         .min = 1,
         .max = 1e9,
         .doc = "Every N-th frame only."},
        {.name = "fclib",
         .kind = MRN_OPT_TEXT,
         .target = &q->problem.path,
         .arg = "FILE",
         .doc = "Write a contact problem as an FCLIB file (HDF5)."},
        {.name = "step",
         .kind = MRN_OPT_INTEGER,
         .target = &q->problem.step,
         .arg = "N",
         .min = 1,
         .max = 9e18,
         .doc = "With --fclib: of this step; else of the one after the checkpoint."},
        {.name = "overwrite",
         .kind = MRN_OPT_FLAG,
         .target = &q->problem.overwrite,
         .doc = "With --fclib: replace a file that is there."},
        {.name = "list", .kind = MRN_OPT_FLAG, .target = &q->list, .doc = "List the formats."},
        {.name = "json",
         .kind = MRN_OPT_FLAG,
         .target = &q->json,
         .doc = "Tell the outcome as JSON."},
    };
    int n, code = mrn_app_parse(&page, options, sizeof options / sizeof options[0], argc, argv,
                                &q->dir, 1, &n);
    if (code < 0 && n == 0 && !q->list)
        return mrn_app_usage("export", "which run? Name its folder");
    q->problem.dir = q->dir;
    q->problem.json = q->json;
    return code;
}

int mrn_cmd_export(int argc, char **argv)
{
    request q = {.last = -1, .stride = 1};
    int code = parse(argc, argv, &q);
    if (code >= 0)
        return code;
    if (q.list)
        return list_formats();
    if (q.problem.path != NULL && q.format != NULL)
        return mrn_app_usage("export", "either --format or --fclib, not both");
    if (q.problem.path != NULL)
        return export_problem(&q.problem);
    if (q.format == NULL)
        return mrn_app_usage("export", "which format? --format vtk, csv, lammps or gsd");
    const mrn_export_format *f = find_format(q.format);
    if (f == NULL)
        return MRN_EXIT_USAGE;
    char path[1200];
    const char *dot =
        f->extension != NULL && f->extension[0] != '\0' && f->extension[0] != '.' ? "." : "";
    snprintf(path, sizeof path, "%s/export%s%s", q.dir, dot,
             f->extension != NULL ? f->extension : "");
    return export_frames(f, q.dir, q.out != NULL ? q.out : path, q.first, q.last, q.stride, q.json);
}
