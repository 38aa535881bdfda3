/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine export: a run in the format of another program. */
#include <string.h>

#include "app.h"

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
    const char *meant = mrn_closest_word(name, words, n);
    if (meant != NULL)
        mrn_app_usage("export", "there is no format \"%s\"; did you mean \"%s\"?", name, meant);
    else
        mrn_app_usage("export", "there is no format \"%s\"", name);
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

int mrn_cmd_export(int argc, char **argv)
{
    const char *format = NULL, *out = NULL, *dir = NULL;
    int64_t first = 0, last = -1, stride = 1;
    bool json = false, list = false;
    const mrn_app_page page = {
        .usage = "export DIR --format FORMAT [--out PATH] [options]",
        .doc = "DIR is the folder of a run. Frames are counted from 0; negative numbers count from "
               "the end. (ParaView\n"
               "opens DIR/trajectory.xdmf without any export.)",
        .examples = "moraine export out/settle --format vtk\n"
                    "moraine export out/settle --format lammps --out settle.dump --stride 5\n"
                    "moraine export out/settle --format csv --first -1"};
    const mrn_app_option options[] = {
        {.name = "format",
         .letter = 'f',
         .kind = MRN_OPT_TEXT,
         .target = &format,
         .arg = "FORMAT",
         .doc = "One of the formats that --list shows: vtk, csv, lammps, gsd."},
        {.name = "out",
         .letter = 'o',
         .kind = MRN_OPT_TEXT,
         .target = &out,
         .arg = "PATH",
         .doc = "Where to; else DIR/export with the ending of the format."},
        {.name = "first",
         .kind = MRN_OPT_INTEGER,
         .target = &first,
         .arg = "K",
         .doc = "First frame."},
        {.name = "last",
         .kind = MRN_OPT_INTEGER,
         .target = &last,
         .arg = "K",
         .doc = "Last frame."},
        {.name = "stride",
         .kind = MRN_OPT_INTEGER,
         .target = &stride,
         .arg = "N",
         .min = 1,
         .max = 1e9,
         .doc = "Every N-th frame only."},
        {.name = "list", .kind = MRN_OPT_FLAG, .target = &list, .doc = "List the formats."},
        {.name = "json", .kind = MRN_OPT_FLAG, .target = &json, .doc = "Tell the outcome as JSON."},
    };
    int n, code = mrn_app_parse(&page, options, 7, argc, argv, &dir, 1, &n);
    if (code >= 0)
        return code;
    if (list)
        return list_formats();
    if (n == 0)
        return mrn_app_usage("export", "which run? Name its folder");
    if (format == NULL)
        return mrn_app_usage("export", "which format? --format vtk, csv, lammps or gsd");
    const mrn_export_format *f = find_format(format);
    if (f == NULL)
        return MRN_EXIT_USAGE;
    char path[1200];
    const char *dot =
        f->extension != NULL && f->extension[0] != '\0' && f->extension[0] != '.' ? "." : "";
    snprintf(path, sizeof path, "%s/export%s%s", dir, dot,
             f->extension != NULL ? f->extension : "");
    return export_frames(f, dir, out != NULL ? out : path, first, last, stride, json);
}
