/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder of a calibration: its files as they were read, and every run as it ends. */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab_calibrate.h"

/* ---- the folder ---- */

static bool exists(const char *folder, const char *name)
{
    char path[1200];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &st) == 0;
}

mrn_status mrn_tuning_folder_check(const mrn_cli_request *q, bool resume, mrn_message *msg)
{
    mrn_cli_request lenient = *q;
    lenient.force = true;
    mrn_status status = mrn_cli_folder_check(&lenient, q->out, msg);
    if (status != MRN_OK)
        return status;
    bool runs = exists(q->out, "runs.csv");
    if (resume && !runs) {
        mrn_fail(msg, MRN_ERR_INPUT, "there is nothing to resume: %s/runs.csv does not exist",
                 q->out);
        return mrn_fail_hint(msg, "name the folder with --out, or start without --resume");
    }
    if (resume || q->force || (!runs && !exists(q->out, "report.html")))
        return MRN_OK;
    mrn_fail(msg, MRN_ERR_INPUT, "%s holds an earlier %s", q->out,
             runs ? "calibration (runs.csv)" : "result (report.html)");
    return mrn_fail_hint(msg, "%s--force replaces it, --out DIR takes another folder",
                         runs ? "--resume goes on with its runs, " : "");
}

/* ---- inputs ---- */

/* The path as the file has it, when the scene lies in its folder or below. */
static const char *beside(const mrn_calibration *c, const char *path)
{
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", c->path);
    const char *folder = dirname(copy);
    size_t n = strlen(folder);
    if (strncmp(path, folder, n) == 0 && path[n] == '/')
        path += n + 1;
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    bool inside = path[0] != '/' && path[0] != '\0' && strncmp(path, "../", 3) != 0 &&
                  strstr(path, "/../") == NULL && strcmp(path, "calibration.yaml") != 0;
    return inside ? path : NULL;
}

bool mrn_tuning_scene_copy(const mrn_calibration *c, int test, char *out, size_t size)
{
    const char *path = beside(c, c->test[test].path);
    if (path != NULL)
        snprintf(out, size, "%s", path);
    else
        snprintf(out, size, "scenes/%s.yaml", c->test[test].name);
    return path != NULL;
}

/* A file is not copied over itself: it may be newer than what was read. */
static bool same_file(const char *path, const char *folder, const char *name)
{
    char to[2200];
    struct stat a, b;
    snprintf(to, sizeof to, "%s/%s", folder, name);
    return stat(path, &a) == 0 && stat(to, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static mrn_status copy_text(const char *from, const char *text, const char *folder,
                            const char *name, mrn_message *msg)
{
    char path[2200];
    if (text == NULL || same_file(from, folder, name))
        return MRN_OK;
    snprintf(path, sizeof path, "%.1000s/%.1000s", folder, name);
    mrn_status status = mrn_cli_folder_make(dirname(path), msg);
    return status == MRN_OK ? mrn_cli_write_text(folder, name, text, msg) : status;
}

mrn_status mrn_tuning_copy_inputs(const mrn_calibration *c, const char *folder, mrn_message *msg)
{
    mrn_status status = copy_text(c->path, c->source, folder, "calibration.yaml", msg);
    for (int i = 0; i < c->n_tests && status == MRN_OK; i++) {
        char name[1000];
        mrn_tuning_scene_copy(c, i, name, sizeof name);
        status = copy_text(c->test[i].path, c->test[i].text, folder, name, msg);
    }
    return status;
}

/* ---- runs ---- */

static mrn_status take(mrn_tuning_book *b, const mrn_virtual_run *r)
{
    size_t n = (size_t)b->c->n_tuned, m = (size_t)b->c->n_targets;
    if (mrn_grow(&b->run, &b->capacity, b->n + 1, sizeof *b->run) != MRN_OK)
        return MRN_ERR_MEMORY;
    mrn_virtual_run copy = *r;
    copy.x = mrn_alloc(n * sizeof *copy.x);
    copy.y = mrn_alloc(m * sizeof *copy.y);
    if (copy.x == NULL || copy.y == NULL) {
        mrn_free(copy.x);
        mrn_free(copy.y);
        return MRN_ERR_MEMORY;
    }
    memcpy(copy.x, r->x, n * sizeof *copy.x);
    memcpy(copy.y, r->y, m * sizeof *copy.y);
    b->run[b->n++] = copy;
    return MRN_OK;
}

static void fail(mrn_tuning_book *b, mrn_status status)
{
    if (b->status == MRN_OK)
        b->status = status;
}

static void write_all(mrn_tuning_book *b)
{
    double begin = mrn_clock();
    if (b->status == MRN_OK)
        fail(b, mrn_virtual_runs_write(b->path, b->c, b->run, b->n, &b->msg));
    b->wrote = mrn_clock();
    b->took = b->wrote - begin;
    b->fresh = false;
}

mrn_status mrn_tuning_book_open(mrn_tuning_book *b, const mrn_calibration *c, const char *folder,
                                bool resume, mrn_message *msg)
{
    *b = (mrn_tuning_book){.c = c};
    snprintf(b->path, sizeof b->path, "%s/runs.csv", folder);
    if (!resume) {
        write_all(b); /* none yet: what stood there goes, and a folder that cannot be written to is
                         found before the first run */
        if (b->status != MRN_OK)
            *msg = b->msg;
        return b->status;
    }
    mrn_status status = mrn_virtual_runs_read(b->path, c, &b->known, &b->n_known, msg);
    for (int64_t i = 0; i < b->n_known && status == MRN_OK; i++)
        if (take(b, &b->known[i]) != MRN_OK)
            status = mrn_fail(msg, MRN_ERR_MEMORY, "out of memory");
    return status;
}

void mrn_tuning_book_add(mrn_tuning_book *b, const mrn_virtual_run *r)
{
    enum { SHARE = 20 }; /* writing takes at most one part in so many of the time */
    if (r->status == MRN_INTERRUPTED || b->status != MRN_OK)
        return;
    if (take(b, r) != MRN_OK) {
        fail(b, mrn_fail(&b->msg, MRN_ERR_MEMORY, "out of memory"));
        return;
    }
    b->fresh = true;
    if (mrn_clock() - b->wrote >= SHARE * b->took)
        write_all(b);
}

static bool same_run(const mrn_virtual_run *a, const mrn_virtual_run *b, int n)
{
    return a->test == b->test && a->seed == b->seed &&
           memcmp(a->x, b->x, (size_t)n * sizeof *a->x) == 0;
}

static int64_t find(const mrn_tuning_book *b, int64_t from, const mrn_virtual_run *r)
{
    for (int64_t i = from; i < b->n; i++)
        if (same_run(&b->run[i], r, b->c->n_tuned))
            return i;
    return -1;
}

/* Runs that ended side by side come in the order in which they were asked for: the same table
   whatever happened between. */
static void put_in_order(mrn_tuning_book *b, const mrn_calibrated *r)
{
    int64_t done = 0;
    for (int64_t k = 0; k < r->n_runs; k++) {
        int64_t i = find(b, done, &r->run[k]);
        if (i < 0)
            continue;
        mrn_virtual_run run = b->run[i];
        memmove(&b->run[done + 1], &b->run[done], (size_t)(i - done) * sizeof run);
        b->run[done++] = run;
    }
    b->fresh = true;
}

mrn_status mrn_tuning_book_close(mrn_tuning_book *b, const mrn_calibrated *r, mrn_message *msg)
{
    if (r != NULL && b->status == MRN_OK)
        put_in_order(b, r);
    if (b->fresh)
        write_all(b);
    if (b->status != MRN_OK)
        *msg = b->msg;
    return b->status;
}

void mrn_tuning_book_free(mrn_tuning_book *b)
{
    for (int64_t i = 0; i < b->n; i++) {
        mrn_free(b->run[i].x);
        mrn_free(b->run[i].y);
    }
    mrn_free(b->run);
    mrn_virtual_runs_free(b->known, b->n_known);
    *b = (mrn_tuning_book){0};
}
