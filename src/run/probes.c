/* SPDX-License-Identifier: GPL-3.0-or-later */
/* probes.csv: one row per instant, one column per probe, numbers with all their digits. The first
   line names the columns with their units, "kinetic-energy [J]". */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "run/parts.h"

/* time, step and stage stand in front of every row already */
static bool is_lead(const char *name)
{
    return strcmp(name, "time") == 0 || strcmp(name, "step") == 0 || strcmp(name, "stage") == 0;
}

static bool listed(const mrn_probe_file *p, const char *name)
{
    for (int i = 0; i < p->n; i++) {
        if (strcmp(p->name[i], name) == 0)
            return true;
    }
    return is_lead(name);
}

/* A column, with room for it; one that is a rate stands behind the probe it is the rate of. */
static void list(const char *name, void *user)
{
    mrn_probe_file *p = user;
    char base[128];
    if (listed(p, name))
        return;
    int of = -1;
    if (mrn_column_rate(p->scene, name, base)) {
        list(base, user);
        for (int i = 0; i < p->n; i++)
            of = strcmp(p->name[i], base) == 0 ? i : of;
    }
    int64_t room = p->room, same = p->room, third = p->room, fourth = p->room;
    if (p->full || mrn_grow(&p->name, &room, p->n + 1, sizeof p->name[0]) != MRN_OK ||
        mrn_grow(&p->value, &same, p->n + 1, sizeof *p->value) != MRN_OK ||
        mrn_grow(&p->before, &third, p->n + 1, sizeof *p->before) != MRN_OK ||
        mrn_grow(&p->rate_of, &fourth, p->n + 1, sizeof *p->rate_of) != MRN_OK) {
        p->full = true;
        return;
    }
    p->room = room < same ? room : same;
    p->room = p->room < third ? p->room : third;
    p->room = p->room < fourth ? p->room : fourth;
    p->rate_of[p->n] = of;
    p->before[p->n] = NAN;
    snprintf(p->name[p->n++], sizeof p->name[0], "%s", name);
}

static void list_all(const mrn_scene *scene, const mrn_output *o, mrn_probe_file *p)
{
    for (int i = 0; i < o->n_probes; i++)
        mrn_column_each(scene, o->probe[i], list, p);
}

/* The columns of the whole run: those of all stages, so that they never change under way. */
mrn_status mrn_probe_file_columns(const mrn_scene *scene, mrn_probe_file *p, mrn_message *msg)
{
    p->scene = scene;
    p->before_time = NAN;
    if (scene->output.n_probes == 0)
        mrn_column_each(scene, "usual", list, p);
    list_all(scene, &scene->output, p);
    for (int k = 0; k < scene->n_stages; k++)
        list_all(scene, &scene->stage[k].output, p);
    return p->full ? mrn_fail_memory(msg) : MRN_OK;
}

/* Longest line: names and units in the head are longer than any number. */
static size_t line_room(const mrn_probe_file *p)
{
    return 256 * (size_t)(p->n + 1);
}

/* The first line of the file. */
static void make_head(const mrn_probe_file *p, const mrn_scene *scene, char *head)
{
    size_t room = line_room(p), used = (size_t)snprintf(head, room, "time [s],step,stage");
    for (int i = 0; i < p->n; i++) {
        const char *unit = "1";
        mrn_column_check(scene, p->name[i], &unit, NULL);
        bool pure = strcmp(unit, "1") == 0;
        const char *form = p->rate_of[i] >= 0 ? pure ? ",%s [1/s]" : ",%s [%.60s/s]"
                           : pure             ? ",%s"
                                              : ",%s [%.60s]";
        used += (size_t)snprintf(head + used, room - used, form, p->name[i], unit);
    }
    snprintf(head + used, room - used, "\n");
}

static mrn_status file_error(const char *path, const char *what, mrn_message *msg)
{
    return mrn_fail(msg, MRN_ERR_IO, "cannot %s %s: %s", what, path, strerror(errno));
}

/* What rates count from: the numbers of a row that stands in the file. They were written with all
   their digits, so a resumed run writes the same rows. */
static void remember_line(mrn_probe_file *p, const char *line)
{
    p->before_time = strtod(line, NULL);
    for (int column = -3; line != NULL && column < p->n; column++) {
        if (column >= 0)
            p->before[column] = *line == ',' || *line == '\n' ? NAN : strtod(line, NULL);
        line = strchr(line, ',');
        line = line != NULL ? line + 1 : NULL;
    }
}

/* Copies the rows up to a step from an earlier file; its head must be the one of this run. */
static mrn_status copy_rows(mrn_probe_file *p, FILE *from, FILE *to, const char *path,
                            const char *head, char *line, size_t room, int64_t last_step,
                            mrn_message *msg)
{
    bool whole = true; /* the line before ended */
    if (fgets(line, (int)room, from) != NULL && strcmp(line, head) != 0) {
        mrn_fail(msg, MRN_ERR_INPUT, "%s has other columns than this run", path);
        return mrn_fail_hint(msg, "keep output.probes as it was, or move the file away");
    }
    while (fgets(line, (int)room, from) != NULL) {
        int64_t step;
        bool begins = whole;
        size_t length = strlen(line); /* 0: a zero byte, which no row of ours has */
        whole = length > 0 && line[length - 1] == '\n';
        /* a line without its end was cut by a crash; rows beyond the checkpoint come again */
        if (begins && whole && sscanf(line, "%*[^,],%" SCNd64, &step) == 1 && step <= last_step) {
            fputs(line, to);
            remember_line(p, line);
        }
    }
    return MRN_OK;
}

/* Writes head and kept rows beside the file and puts them in its place. */
static mrn_status start_file(mrn_probe_file *p, const char *path, const char *head, char *line,
                             size_t room, int64_t resume_step, mrn_message *msg)
{
    mrn_atomic_file file;
    mrn_status status = mrn_atomic_open(path, &file, msg);
    if (status != MRN_OK)
        return status;
    fputs(head, file.f);
    FILE *old = resume_step >= 0 ? mrn_open_input(path) : NULL;
    if (old != NULL) {
        status = copy_rows(p, old, file.f, path, head, line, room, resume_step, msg);
        fclose(old);
    }
    if (status == MRN_OK)
        return mrn_atomic_commit(&file, msg);
    mrn_atomic_abandon(&file);
    return status;
}

mrn_status mrn_probe_file_open(const char *dir, const mrn_scene *scene, int64_t resume_step,
                               mrn_probe_file *p, mrn_message *msg)
{
    char path[MRN_RUN_PATH];
    mrn_folder_path(dir, "probes.csv", path);
    char *head;
    size_t room = line_room(p);
    mrn_status status = mrn_array(&head, 2 * (int64_t)room, 1, msg);
    if (status != MRN_OK)
        return status;
    make_head(p, scene, head);
    status = start_file(p, path, head, head + room, room, resume_step, msg);
    mrn_free(head);
    if (status == MRN_OK && (p->f = fopen(path, "a")) == NULL)
        status = file_error(path, "append to", msg);
    return status;
}

/* Changes since the row before, per second; not known in the first row. */
static void make_rates(mrn_probe_file *p, double time)
{
    for (int i = 0; i < p->n; i++)
        if (p->rate_of[i] >= 0) {
            int k = p->rate_of[i];
            double dt = time - p->before_time;
            p->value[i] = dt > 0 ? (p->value[k] - p->before[k]) / dt : NAN;
        }
    for (int i = 0; i < p->n; i++)
        p->before[i] = p->value[i];
    p->before_time = time;
}

mrn_status mrn_probe_file_row(mrn_probe_file *p, const mrn_scene *scene, const mrn_state *s,
                              mrn_message *msg)
{
    int stage = s->stage < scene->n_stages ? s->stage : scene->n_stages - 1;
    mrn_status status = mrn_probe_values(scene, s, p->n, p->name, p->value, msg);
    if (status != MRN_OK)
        return status;
    make_rates(p, s->time);
    fprintf(p->f, "%.17g,%" PRId64 ",%s", s->time, s->step, scene->stage[stage].name);
    for (int i = 0; i < p->n; i++) {
        if (p->value[i] == p->value[i])
            fprintf(p->f, ",%.17g", p->value[i]);
        else
            fputc(',', p->f); /* not known: an empty cell, which every reader takes as missing */
    }
    fputc('\n', p->f);
    if (fflush(p->f) != 0)
        return file_error("probes.csv", "write", msg);
    return MRN_OK;
}

mrn_status mrn_probe_file_close(mrn_probe_file *p, mrn_message *msg)
{
    mrn_status status = MRN_OK;
    struct stat info;
    if (p->f != NULL && fstat(fileno(p->f), &info) == 0 && info.st_nlink == 0) {
        status = mrn_fail(msg, MRN_ERR_IO, "probes.csv was removed while the run wrote it");
        mrn_fail_hint(msg, "leave the files of a run alone until it ends");
    }
    if (p->f != NULL && fclose(p->f) != 0)
        status = file_error("probes.csv", "close", msg);
    mrn_free(p->name);
    mrn_free(p->value);
    mrn_free(p->before);
    mrn_free(p->rate_of);
    *p = (mrn_probe_file){0};
    return status;
}
