/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moraine bench: how fast the engines are on this machine, on standard worlds or on a user's. */
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "run_state.h"
#include "session.h"

static const mrn_app_page page = {
    .usage = "bench [SCENE|DIR] [options]",
    .doc =
        "Steps engines against the clock and tells for each: what it does per second (median of "
        "five\nstretches, and half of their range), the time of a step, bytes per grain at\nmost, "
        "and "
        "where the time goes.\n"
        "Times are those of the processor with one thread, of the clock with several.\n"
        "Without an operand on standard worlds: a settled bed of spheres (smooth), of rigid "
        "spheres with 50\nsweeps in a step (nonsmooth), a gas of hard spheres (event), disks "
        "under a growing load\n(quasistatic), in sizes from 1000 grains on, with one thread and "
        "with all.\n"
        "SCENE is measured as it begins, when its grains may not touch yet; DIR, the folder of a "
        "run, from\nits checkpoint. Nothing is written. Rates of two machines, or of two "
        "hours on a busy one, differ:\ncompare ratios.",
    .examples = "moraine bench\n"
                "moraine bench --method smooth --largest 1000000 --threads 1\n"
                "moraine bench out/settle --json",
};

typedef struct request {
    const char *path, *method;
    int64_t smallest, largest, threads;
    double seconds;
    mrn_app_list set;
    bool json;
} request;

/* What is printed in the end. */
typedef struct tables {
    mrn_app_table t;
    json_t *rows;
} tables;

/* ---- telling ---- */

/* The largest part of a step, for there is no room for more in 80 columns; JSON has all. */
static void largest_part(const mrn_speed_row *r, char *out, size_t size)
{
    int largest = 0;
    for (int p = 1; p < MRN_STEP_PARTS; p++)
        if (r->part[p] > r->part[largest])
            largest = p;
    snprintf(out, size, "%s %.0f %%", mrn_step_part_name((mrn_step_part)largest),
             100 * r->part[largest]);
}

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *row_json(const mrn_speed_row *r)
{
    json_t *parts = json_object();
    for (int p = 0; p < MRN_STEP_PARTS; p++)
        if (r->part[p] > 0)
            json_object_set_new(parts, mrn_step_part_key((mrn_step_part)p), number(r->part[p]));
    return json_pack("{s:s, s:I, s:i, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "method",
                     r->method->name, "grains", (json_int_t)r->grains, "threads", r->threads,
                     "counts", r->unit, "per-second", number(r->rate), "lowest", number(r->lowest),
                     "highest", number(r->highest), "seconds-per-step", number(r->step),
                     "contact-sweeps-per-second", number(r->sweeps), "bytes-per-grain",
                     number(r->bytes), "contacts-per-grain", number(r->contacts), "steps",
                     (json_int_t)r->steps, "parts", parts);
}

static void tell(tables *out, const mrn_speed_row *r)
{
    char rate[64], spread[32], threads[16], bytes[32], part[64];
    snprintf(rate, sizeof rate, "%s", mrn_readable_si(r->rate, "").s);
    snprintf(spread, sizeof spread, "%.0f %%",
             r->rate > 0 ? 50 * (r->highest - r->lowest) / r->rate : 0);
    snprintf(threads, sizeof threads, "%d", r->threads);
    snprintf(bytes, sizeof bytes, "%.0f", r->bytes);
    largest_part(r, part, sizeof part);
    mrn_app_table_row(&out->t,
                      (const char *[]){r->method->name, mrn_readable_count(r->grains).s, threads,
                                       rate, r->unit, spread,
                                       isfinite(r->step) ? mrn_readable_si(r->step, "s").s : "-",
                                       bytes, part});
    json_array_append_new(out->rows, row_json(r));
}

static int finish(tables *out, bool json)
{
    if (json) {
        mrn_app_table_print(&out->t, NULL);
        return mrn_app_json(json_pack("{s:s, s:s, s:i, s:o}", "moraine", MRN_VERSION, "compiler",
                                      __VERSION__, "stretches", MRN_BENCH_STRETCHES, "rows",
                                      out->rows));
    }
    mrn_app_table_print(&out->t, stdout);
    json_decref(out->rows);
    return MRN_EXIT_OK;
}

/* ---- measuring ---- */

/* With one thread, and with all that were asked for; each from the same state. */
static mrn_status measure(const request *q, const mrn_speed_world *from, tables *out,
                          mrn_message *msg)
{
    mrn_status status = MRN_OK;
    for (int k = 0; status == MRN_OK && k < (q->threads > 1 ? 2 : 1); k++) {
        mrn_speed_world w;
        mrn_speed_row row;
        status = mrn_speed_world_copy(from, &w, msg);
        if (status != MRN_OK)
            break;
        status = mrn_speed_measure(&w, k == 0 ? 1 : (int)q->threads, q->seconds, &row, msg);
        mrn_speed_world_close(&w);
        if (status == MRN_OK)
            tell(out, &row);
    }
    return status;
}

/* Sizes 1000, 10 000, …: the time of a step should grow with their number alone. */
static mrn_status measure_set(const request *q, const mrn_speed_set *set, tables *out,
                              mrn_message *msg)
{
    mrn_speed_world tile;
    mrn_threads_set(1);
    mrn_status status = mrn_speed_tile(set, &tile, msg);
    for (int64_t n = q->smallest; status == MRN_OK && n <= q->largest; n *= 10) {
        mrn_speed_world w;
        status = mrn_speed_build(set, &tile, n, &w, msg);
        if (status != MRN_OK)
            break;
        status = measure(q, &w, out, msg);
        mrn_speed_world_close(&w);
        if (set->single)
            break;
    }
    mrn_speed_world_close(&tile);
    return status;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static mrn_status open_own(const request *q, mrn_speed_world *w, mrn_message *msg)
{
    mrn_step_limit limit;
    char method[128];
    const char *set[MRN_APP_LIST_MAX + 1];
    int n = q->set.n;
    memcpy(set, q->set.item, (size_t)n * sizeof *set);
    snprintf(method, sizeof method, "method=%s", q->method != NULL ? q->method : "");
    if (q->method != NULL)
        set[n++] = method;
    *w = (mrn_speed_world){0};
    mrn_status status = is_folder(q->path) ? mrn_cli_run_scene(q->path, NULL, &w->scene, msg)
                                           : mrn_scene_read(q->path, set, n, &w->scene, msg);
    if (status != MRN_OK)
        return status;
    w->before = mrn_bytes_in_use();
    if (is_folder(q->path))
        return mrn_cli_run_state(q->path, &w->scene, &w->s, msg);
    mrn_session_tell_long_work(q->json);
    status = mrn_scene_enter_stage(&w->scene, 0, msg);
    if (status == MRN_OK)
        status = mrn_run_prepare(&w->scene, &w->s, &limit, msg);
    mrn_session_clear_long_work();
    return status;
}

static mrn_status measure_own(const request *q, tables *out, mrn_message *msg)
{
    mrn_speed_world w;
    mrn_status status = open_own(q, &w, msg);
    if (status == MRN_OK)
        status = measure(q, &w, out, msg);
    mrn_speed_world_close(&w);
    return status;
}

static mrn_status measure_all(const request *q, tables *out, mrn_message *msg)
{
    mrn_status status = MRN_OK;
    for (int i = 0; status == MRN_OK && i < mrn_speed_sets(); i++) {
        const mrn_speed_set *set = mrn_speed_set_at(i);
        if (q->method != NULL && strcmp(q->method, set->method) != 0)
            continue;
        if (!q->json)
            printf("%-12s %s\n", set->method, set->what);
        fflush(stdout);
        status = measure_set(q, set, out, msg);
    }
    if (!q->json)
        putchar('\n');
    return status;
}

/* ---- options ---- */

static int parse(int argc, char **argv, request *q)
{
    const char *methods[MRN_APP_LIST_MAX];
    int n_methods = 0, n;
    for (; n_methods < mrn_method_count() && n_methods < MRN_APP_LIST_MAX; n_methods++)
        methods[n_methods] = mrn_method_at(n_methods)->name;
    const mrn_app_option options[] = {
        {.name = "method",
         .letter = 'm',
         .kind = MRN_OPT_CHOICE,
         .target = &q->method,
         .arg = "NAME",
         .choices = methods,
         .n_choices = n_methods,
         .doc = "This method alone; of a scene: instead of its own."},
        {.name = "smallest",
         .kind = MRN_OPT_INTEGER,
         .target = &q->smallest,
         .arg = "N",
         .min = 1,
         .max = 1e9,
         .doc = "Grains of the smallest standard world; each next has ten times as many. Else "
                "1000."},
        {.name = "largest",
         .letter = 'n',
         .kind = MRN_OPT_INTEGER,
         .target = &q->largest,
         .arg = "N",
         .min = 1,
         .max = 1e9,
         .doc = "Grains of the largest standard world; else 10000."},
        {.name = "threads",
         .letter = 't',
         .kind = MRN_OPT_INTEGER,
         .target = &q->threads,
         .arg = "N",
         .min = 1,
         .max = MRN_THREADS_MOST,
         .doc = "Measure with one thread and with N; else one per core."},
        {.name = "seconds",
         .kind = MRN_OPT_NUMBER,
         .target = &q->seconds,
         .arg = "S",
         .min = 1e-3,
         .max = 1e5,
         .doc = "For each measurement, beside making the world; else 2."},
        {.name = "set",
         .letter = 's',
         .kind = MRN_OPT_LIST,
         .target = &q->set,
         .arg = "PATH=VALUE",
         .doc = "Change SCENE before it is measured; may be given many times."},
        {.name = "json", .kind = MRN_OPT_FLAG, .target = &q->json, .doc = "Print JSON."},
    };
    int code = mrn_app_parse(&page, options, sizeof options / sizeof *options, argc, argv, &q->path,
                             1, &n);
    if (code >= 0)
        return code;
    if (n == 0 && q->set.n > 0)
        return mrn_app_usage("bench", "--set is for a SCENE");
    if (n > 0 && is_folder(q->path) && (q->set.n > 0 || q->method != NULL))
        return mrn_app_usage("bench", "--set and --method are for a SCENE, not for a run's folder");
    if (q->smallest > q->largest)
        return mrn_app_usage("bench", "--smallest %lld is above --largest %lld",
                             (long long)q->smallest, (long long)q->largest);
    return -1;
}

int mrn_cmd_bench(int argc, char **argv)
{
    request q = {.smallest = 1000, .largest = 10000, .threads = mrn_threads(), .seconds = 2};
    int code = parse(argc, argv, &q);
    if (code >= 0)
        return code;
    mrn_message msg = {0};
    tables out = {.rows = json_array()};
    mrn_app_table_begin(&out.t, 9,
                        (const char *[]){"method", ">grains", ">thr", ">per s", "of", ">±", ">step",
                                         ">B/grain", "most of it"});
    mrn_status status = q.path != NULL ? measure_own(&q, &out, &msg) : measure_all(&q, &out, &msg);
    if (status == MRN_OK)
        return finish(&out, q.json);
    mrn_app_table_print(&out.t, NULL);
    json_decref(out.rows);
    return mrn_session_fail(&msg, q.json);
}
