/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the validation programs share. Each program is one part: it runs its cases, checks them,
   writes a piece of the validation page (PART.md) with its plots into the folder given as its first
   argument, and its checks with values and bounds as rows of PART.tsv; tools/validate-page.sh puts
   the page together. A table of the page that holds published numbers comes after a line
   "<!-- published: KEY -->" (tests/validate/publications.tsv), by which they are counted. */
#ifndef MRN_TESTS_VALIDATE_H
#define MRN_TESTS_VALIDATE_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "moraine/plot.h"
#include "moraine/run.h"
#include "moraine/world.h"

#ifndef MRN_VALIDATE_SOURCE
#define MRN_VALIDATE_SOURCE "."
#endif

typedef struct report {
    FILE *md, *rows;
    const char *part;
    char dir[512], tmp[64];
    int checks, failed;
    bool failed_last;
    double began, piece_began;
    double before;             /* s that pieces took which were kept from before               */
    long piece_md, piece_rows; /* where the piece in work begins, in the page and among the rows */
    int piece_checks, piece_failed;
} report;

static inline void give_up(const char *what, const mrn_message *msg)
{
    fprintf(stderr, "%s: %s (%s; %s)\n", what, msg->text, msg->expected, msg->hint);
    exit(1);
}

static inline report report_open(int argc, char **argv, const char *part)
{
    report r = {.part = part, .began = mrn_clock()};
    snprintf(r.dir, sizeof r.dir, "%s", argc > 1 ? argv[1] : ".");
    snprintf(r.tmp, sizeof r.tmp, "/tmp/moraine-validate-XXXXXX");
    char path[640];
    snprintf(path, sizeof path, "%s/%s.md", r.dir, part);
    r.md = fopen(path, "w+");
    snprintf(path, sizeof path, "%s/%s.tsv", r.dir, part);
    r.rows = fopen(path, "w+");
    if (r.md == NULL || r.rows == NULL || mkdtemp(r.tmp) == NULL) {
        fprintf(stderr, "%s cannot be written\n", path);
        exit(1);
    }
    return r;
}

/* Text for the page. */
__attribute__((format(printf, 2, 3))) static inline void say(report *r, const char *fmt, ...)
{
    va_list a;
    va_start(a, fmt);
    vfprintf(r->md, fmt, a);
    va_end(a);
}

/* A check: on the terminal, on the page with its bounds, and counted. Returns whether it holds. */
static inline bool check(report *r, const char *what, double value, double lo, double hi)
{
    bool ok = value >= lo && value <= hi;
    printf("  %-64s %12.6g   in [%g, %g]: %s\n", what, value, lo, hi, ok ? "ok" : "NOT OK");
    fflush(stdout);
    fprintf(r->rows, "check\t%s\t%s\t%.6g\t%g\t%g\n", ok ? "ok" : "NOT OK", what, value, lo, hi);
    fflush(r->rows);
    r->checks++;
    r->failed += !ok;
    r->failed_last = !ok;
    return ok;
}

/* What is to be said where the last check fails: stands beside its verdict. */
static inline void why(report *r, const char *text)
{
    if (r->failed_last)
        fprintf(r->rows, "why\t%s\n", text);
}

/* ---- pieces of a long part, kept from one call to the next ----
   What a piece said, its rows, how long it took and `size` bytes that later pieces need stand in
   BUILD/validate/PART.NAME.piece once it has ended, so that a part that was interrupted goes on
   with the next piece (tools/validate.sh --resume; without it they are removed first). */

static inline bool piece_path(const report *r, const char *name, char path[640])
{
    const char *build = getenv("BUILD");
    snprintf(path, 640, "%s/validate/%s.%s.piece", build != NULL ? build : ".", r->part, name);
    return build != NULL;
}

static inline bool copy_bytes(FILE *from, FILE *to, long n)
{
    int c = 0;
    while (n-- > 0 && (c = fgetc(from)) != EOF)
        fputc(c, to);
    return c != EOF;
}

/* Whether the piece is there: then it stands in the report, and data is filled. */
static inline bool piece_kept(report *r, const char *name, void *data, size_t size)
{
    char path[640];
    long md, rows;
    int checks, failed;
    size_t bytes;
    double seconds;
    fflush(r->md), fflush(r->rows);
    r->piece_md = ftell(r->md), r->piece_rows = ftell(r->rows);
    r->piece_checks = r->checks, r->piece_failed = r->failed;
    r->piece_began = mrn_clock();
    FILE *f = piece_path(r, name, path) ? fopen(path, "rb") : NULL;
    if (f == NULL)
        return false;
    bool ok =
        fscanf(f, "%ld %ld %d %d %lg %zu", &md, &rows, &checks, &failed, &seconds, &bytes) == 6 &&
        fgetc(f) == '\n' && bytes == size && (size == 0 || fread(data, size, 1, f) == 1) &&
        copy_bytes(f, r->md, md) && copy_bytes(f, r->rows, rows);
    fclose(f);
    if (!ok) {
        fprintf(stderr, "%s is damaged, or of another program: remove it\n", path);
        exit(1);
    }
    r->checks += checks, r->failed += failed, r->before += seconds;
    printf("  %s: kept from before, %d checks, %d failed\n", name, checks, failed);
    return true;
}

/* Keeps what was said since piece_kept() answered that it is not there. */
static inline void piece_keep(report *r, const char *name, const void *data, size_t size)
{
    char path[640], whole[656];
    if (!piece_path(r, name, path))
        return;
    snprintf(whole, sizeof whole, "%s.new", path);
    FILE *f = fopen(whole, "wb");
    if (f == NULL)
        return;
    long md = ftell(r->md), rows = ftell(r->rows);
    fprintf(f, "%ld %ld %d %d %.1f %zu\n", md - r->piece_md, rows - r->piece_rows,
            r->checks - r->piece_checks, r->failed - r->piece_failed, mrn_clock() - r->piece_began,
            size);
    if (size > 0)
        fwrite(data, 1, size, f);
    fseek(r->md, r->piece_md, SEEK_SET), fseek(r->rows, r->piece_rows, SEEK_SET);
    bool ok =
        copy_bytes(r->md, f, md - r->piece_md) && copy_bytes(r->rows, f, rows - r->piece_rows);
    fseek(r->md, md, SEEK_SET), fseek(r->rows, rows, SEEK_SET);
    if (fclose(f) != 0 || !ok || rename(whole, path) != 0)
        fprintf(stderr, "%s could not be kept\n", path);
}

/* A plot of the page. */
static inline void show(report *r, const mrn_plot *p, const char *name, const char *caption)
{
    char path[640];
    mrn_message msg = {0};
    snprintf(path, sizeof path, "%s/%s.svg", r->dir, name);
    if (mrn_plot_write(p, path, &msg) != MRN_OK)
        give_up(name, &msg);
    say(r, "\n![%s](validation/%s.svg)\n\n", caption, name);
}

/* Where a run of this part may leave its files: removed at the end. */
static inline void scratch(const report *r, const char *name, char out[256])
{
    snprintf(out, 256, "%s/%s", r->tmp, name);
}

/* Runs tests/validate/NAME.yaml with `set` entries ("path=value", NULL at the end) into the scratch
   folder `as`, with `probes` beside those of the scene (NULL: none); prints how long it took. */
static inline mrn_run_result run_probes(report *r, const char *name, const char *as,
                                        const char *const *set, const char *probes)
{
    char path[512], out[256];
    int n = 0;
    while (set != NULL && set[n] != NULL)
        n++;
    snprintf(path, sizeof path, "%s/tests/validate/%s.yaml", MRN_VALIDATE_SOURCE, name);
    scratch(r, as, out);
    mrn_scene scene;
    mrn_message msg = {0};
    mrn_run_result result = {0};
    mrn_run_options opt = mrn_run_default();
    opt.out = out;
    opt.overwrite = true;
    opt.adapt_threads = true;
    if (mrn_scene_read(path, set, n, &scene, &msg) != MRN_OK)
        give_up(path, &msg);
    if (probes != NULL && mrn_scene_add_probe(&scene, probes, &msg) != MRN_OK)
        give_up(path, &msg);
    mrn_status st = mrn_run(&scene, &opt, &result, &msg);
    if (st < 0 || st == MRN_EXPLODED || st == MRN_TOO_STIFF)
        give_up(path, &msg);
    printf("  %s: %.0f s, %lld steps, %.2f million body-steps/s\n", as, result.wall_seconds,
           (long long)result.steps, 1e-6 * result.body_steps_per_second);
    fflush(stdout);
    mrn_scene_destroy(&scene);
    return result;
}

/* The same, and any probe may be looked at. */
static inline mrn_run_result run_scene(report *r, const char *name, const char *as,
                                       const char *const *set)
{
    return run_probes(r, name, as, set, "all");
}

/* A column of a run's probes.csv; *n rows; caller frees. The name stands before " [unit]". */
static inline double *column(report *r, const char *as, const char *name, int *n)
{
    char path[300], line[1 << 15], out[256];
    scratch(r, as, out);
    snprintf(path, sizeof path, "%s/probes.csv", out);
    FILE *f = fopen(path, "r");
    int at = -1, k = 0, room = 0;
    double *v = NULL;
    *n = 0;
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        k = 0;
        for (char *p = line, *end; p != NULL && *p != '\0'; p = end, k++) {
            end = strpbrk(p, ",\n");
            if (end != NULL)
                *end++ = '\0';
            size_t length = strcspn(p, " [");
            if (at < 0 && strlen(name) == length && strncmp(p, name, length) == 0)
                at = k;
            else if (k == at && *n >= 0 && strspn(p, "0123456789+-.einfa") > 0) {
                if (*n == room)
                    v = realloc(v, (size_t)(room = 2 * room + 64) * sizeof *v);
                v[(*n)++] = atof(p);
            }
        }
        if (at < 0)
            break;
    }
    if (f != NULL)
        fclose(f);
    if (at < 0) {
        fprintf(stderr, "%s has no column %s\n", path, name);
        exit(1);
    }
    return v;
}

/* The last value of a column. */
static inline double last(report *r, const char *as, const char *name)
{
    int n;
    double *v = column(r, as, name, &n), x = n > 0 ? v[n - 1] : NAN;
    free(v);
    return x;
}

/* Mean of the rows whose time is at least `from`. */
static inline double mean_from(report *r, const char *as, const char *name, double from,
                               double *deviation)
{
    int n, m;
    double *t = column(r, as, "time", &n), *v = column(r, as, name, &m);
    double sum = 0, sq = 0;
    int k = 0;
    for (int i = 0; i < n && i < m; i++)
        if (t[i] >= from)
            sum += v[i], sq += v[i] * v[i], k++;
    free(t);
    free(v);
    double mean = k > 0 ? sum / k : NAN;
    if (deviation != NULL)
        *deviation = k > 1 ? sqrt(fmax(sq / k - mean * mean, 0)) : NAN;
    return mean;
}

/* Rows of a run's probes.csv that belong to a stage: from *first up to, not with, *end. The row at
   the end of a stage is its last one. */
static inline void stage_rows(report *r, const char *as, const char *stage, int *first, int *end)
{
    char path[300], line[1 << 15], out[256];
    scratch(r, as, out);
    snprintf(path, sizeof path, "%s/probes.csv", out);
    FILE *f = fopen(path, "r");
    size_t length = strlen(stage);
    *first = *end = 0;
    for (int row = -1; f != NULL && fgets(line, sizeof line, f) != NULL; row++) {
        const char *name = strchr(line, ',');
        name = name != NULL ? strchr(name + 1, ',') : NULL;
        if (row < 0 || name == NULL || strncmp(name + 1, stage, length) != 0 ||
            name[1 + length] != ',')
            continue;
        if (*end == 0)
            *first = row;
        *end = row + 1;
    }
    if (f != NULL)
        fclose(f);
    if (*end == 0) {
        fprintf(stderr, "%s has no stage %s\n", path, stage);
        exit(1);
    }
}

/* A column's value at the end of a stage. */
static inline double at_end_of(report *r, const char *as, const char *stage, const char *name)
{
    int n, first, end;
    stage_rows(r, as, stage, &first, &end);
    double *v = column(r, as, name, &n), x = end <= n ? v[end - 1] : NAN;
    free(v);
    return x;
}

static inline int report_close(report *r)
{
    char command[128];
    fprintf(r->rows, "end\t%d\t%d\t%.0f\n", r->checks, r->failed, r->before);
    fclose(r->rows);
    fclose(r->md);
    snprintf(command, sizeof command, "rm -rf '%s'", r->tmp);
    if (getenv("KEEP") != NULL)
        printf("  results stay in %s\n", r->tmp);
    else if (system(command) != 0)
        fprintf(stderr, "%s stays\n", r->tmp);
    printf("  %s: %d checks, %d failed, %.0f s\n", r->part, r->checks, r->failed,
           mrn_clock() - r->began);
    return r->failed > 0;
}

#endif
